"""The map of the course as a picture: drawn from the registry while the book is built.

The picture is inline SVG, so that complete units are links and the colours follow the light and the
dark theme (``custom.css``). It is drawn twice, for wide and for narrow screens; CSS shows one.
"""

from __future__ import annotations

import posixpath
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from autograder.registry import UNITS, Unit

STAGES: tuple[tuple[str, range], ...] = (
    ("Text becomes vectors", range(1, 3)),
    ("Attention", range(3, 6)),
    ("Whole models", range(6, 9)),
    ("Training", range(9, 12)),
    ("Translation", range(12, 15)),
    ("GPT-2 in C", range(15, 17)),
)
LINE = 17  # height of a line of text
PAD = 12


@dataclass(frozen=True)
class Layout:
    """Where things go, in the units of the picture."""

    name: str
    width: int
    label: int  # width of the column of stage names; 0: the name stands above its units
    columns: int
    wrap: int  # characters in a line of a unit's title
    lines: int  # lines that a title may take
    gap: int = 14

    @property
    def box(self) -> tuple[float, int]:
        """Width and height of a unit."""
        room = self.width - self.label - 2 - self.gap * (self.columns - 1)
        return room / self.columns, 2 * PAD + LINE * (self.lines + 1)


WIDE = Layout("wide", width=780, label=118, columns=3, wrap=27, lines=3)
NARROW = Layout("narrow", width=350, label=0, columns=1, wrap=42, lines=2, gap=10)


def course_map(page: str) -> str:
    """HTML of the map for a page of the book (its name without ``.html``: links are relative to it)."""
    _require_every_unit_once()
    pictures = "".join(_picture(layout, page) for layout in (WIDE, NARROW))
    return f'<figure class="course-map">{pictures}</figure>'


def description() -> str:
    """The picture in words, for people who do not see it."""
    stages = "; ".join(f"{name}: {', '.join(_in_words(unit) for unit in _units(numbers))}" for name, numbers in STAGES)
    return f"Map of the course: {len(UNITS)} units in {len(STAGES)} stages, each building on those above it. {stages}."


def _in_words(unit: Unit) -> str:
    return f"unit {unit.number}, {unit.title} ({_status(unit)})"


def _status(unit: Unit) -> str:
    return "ready" if unit.complete else "planned"


def _units(numbers: range) -> list[Unit]:
    return [unit for unit in UNITS if unit.number in numbers]


def _require_every_unit_once() -> None:
    drawn = [unit.number for _, numbers in STAGES for unit in _units(numbers)]
    if drawn != [unit.number for unit in UNITS]:
        raise ValueError("The stages in book/_ext/course_map.py must hold every unit of autograder/registry.py once.")


def _picture(layout: Layout, page: str) -> str:
    parts: list[str] = []
    top = 1.0
    for index, (name, numbers) in enumerate(STAGES):
        if index:
            parts.append(_arrow(layout, top))
            top += 30
        drawn, top = _stage(layout, page, name, _units(numbers), top)
        parts.append(drawn)
    return (
        f'<svg class="course-map-{layout.name}" viewBox="0 0 {layout.width} {top + 1:g}" role="group" '
        f'aria-label="{escape(description())}">{"".join(parts)}</svg>'
    )


def _stage(layout: Layout, page: str, name: str, units: Sequence[Unit], top: float) -> tuple[str, float]:
    """One stage from ``top`` down, and where it ends."""
    width, height = layout.box
    if layout.label:
        lines = textwrap.wrap(name, 13)
        middle = top + height / 2 - (len(lines) - 1) * LINE / 2 + 5
        label = _text("stage", 1, middle, lines)
    else:
        label = _text("stage", 1, top + LINE, [name])
        top += LINE + 10
    boxes = []
    for index, unit in enumerate(units):
        row, column = divmod(index, layout.columns)
        left = layout.label + 1 + column * (width + layout.gap)
        boxes.append(_unit(layout, page, unit, left, top + row * (height + layout.gap)))
    rows = -(-len(units) // layout.columns)
    return label + "".join(boxes), top + rows * height + (rows - 1) * layout.gap


def _unit(layout: Layout, page: str, unit: Unit, left: float, top: float) -> str:
    width, height = layout.box
    status = _status(unit)
    head = f'<tspan class="number">{unit.number}</tspan> · {status}'
    box = (
        f'<g class="unit {status}"><rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height}" rx="6"/>'
        f'<text class="head" x="{left + PAD:g}" y="{top + PAD + 12:g}">{head}</text>'
        + _text("title", left + PAD, top + PAD + 12 + LINE + 2, textwrap.wrap(unit.title, layout.wrap))
        + "</g>"
    )
    if not unit.complete:
        return box
    address = posixpath.relpath(f"book/{unit.name}.html", posixpath.dirname(page))
    return f'<a href="{address}" aria-label="Unit {unit.number}: {escape(unit.title)}">{box}</a>'


def _text(kind: str, x: float, y: float, lines: Sequence[str]) -> str:
    spans = "".join(
        f'<tspan x="{x:g}" y="{y + index * LINE:g}">{escape(line)}</tspan>' for index, line in enumerate(lines)
    )
    return f'<text class="{kind}">{spans}</text>'


def _arrow(layout: Layout, top: float) -> str:
    x = layout.label + 1 + layout.box[0] / 2
    return f'<path class="arrow" d="M{x:g} {top + 5:g}v18m-5 -6l5 6l5 -6"/>'
