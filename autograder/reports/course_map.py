"""The map of a learner's progress as a picture: one box for each unit, in its stages.

The picture is inline SVG, so that boxes can be links and the text takes the colour of the page around it. Colours and
fonts are presentation attributes, because a notebook has no style sheet for it. State is never told by colour alone;
each box also says it in words, and the whole picture has a description. The book's own map is a drawing of the model
(``book/_ext/drawing.py``).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from autograder.course.registry import STAGES, UNITS, Unit

LINE = 17  # height of a line of text
PAD = 12
BLUE = "#0072b2"
ORANGE = "#e69f00"
LOOKS = {  # attributes of a box's frame and of its text
    "ready": (f'fill="{BLUE}" stroke="{BLUE}"', "#fff"),
    "passed": (f'fill="{BLUE}" stroke="{BLUE}"', "#fff"),
    "partly": (f'fill="none" stroke="{BLUE}" stroke-width="2"', "currentColor"),
    "next": (f'fill="none" stroke="{ORANGE}" stroke-width="4"', "currentColor"),
    "open": ('fill="none" stroke="currentColor" stroke-opacity="0.6"', "currentColor"),
    "planned": ('fill="none" stroke="currentColor" stroke-opacity="0.6" stroke-dasharray="5 4"', "currentColor"),
}


@dataclass(frozen=True)
class Box:
    """What the map says about one unit.

    ``kind`` chooses the style; ``state`` is its text, also for screen readers; ``share``: filled part of the bar.
    """

    unit: Unit
    kind: str
    state: str
    address: str = ""
    share: float = 0.0


@dataclass(frozen=True)
class Layout:
    """Sizes and positions, in SVG units."""

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


def picture(boxes: Sequence[Box], layout: Layout) -> str:
    """The map as an SVG element; ``boxes`` holds every unit of the course once, in order."""
    parts: list[str] = []
    top = 1.0
    for index, (name, stage) in enumerate(in_stages(boxes)):
        if index:
            parts.append(_arrow(layout, top))
            top += 30
        drawn, top = _stage(layout, name, stage, top)
        parts.append(drawn)
    return (
        f'<svg class="course-map-{layout.name}" viewBox="0 0 {layout.width} {top + 1:g}" role="group" '
        f'aria-label="{escape(description(boxes))}" font-size="14">{"".join(parts)}</svg>'
    )


def description(boxes: Sequence[Box]) -> str:
    """The picture in words, for people who do not see it."""
    stages = "; ".join(f"{name}: {', '.join(_in_words(box) for box in stage)}" for name, stage in in_stages(boxes))
    return f"Map of the course: {len(UNITS)} units in {len(STAGES)} stages, each building on those above it. {stages}."


def in_stages(boxes: Sequence[Box]) -> list[tuple[str, list[Box]]]:
    """The boxes of each stage; raises `ValueError` unless every unit of the course is there once."""
    stages = [(name, [box for box in boxes if box.unit.stage == name]) for name, _ in STAGES]
    if [box.unit for _, stage in stages for box in stage] != list(UNITS):
        raise ValueError("The boxes must be the units of the course, each once and in its order.")
    return stages


def _in_words(box: Box) -> str:
    return f"unit {box.unit.number}, {box.unit.title} ({box.state})"


def _stage(layout: Layout, name: str, boxes: Sequence[Box], top: float) -> tuple[str, float]:
    """The SVG of one stage that begins at ``top``, and the coordinate of its lower end."""
    width, height = layout.box
    if layout.label:
        lines = textwrap.wrap(name, 13)
        middle = top + height / 2 - (len(lines) - 1) * LINE / 2 + 5
        label = _text("stage", 1, middle, lines)
    else:
        label = _text("stage", 1, top + LINE, [name])
        top += LINE + 10
    drawn = []
    for index, box in enumerate(boxes):
        row, column = divmod(index, layout.columns)
        left = layout.label + 1 + column * (width + layout.gap)
        drawn.append(_unit(layout, box, left, top + row * (height + layout.gap)))
    rows = -(-len(boxes) // layout.columns)
    return label + "".join(drawn), top + rows * height + (rows - 1) * layout.gap


def _unit(layout: Layout, box: Box, left: float, top: float) -> str:
    width, height = layout.box
    frame, ink = LOOKS[box.kind]
    unit = box.unit
    drawn = (
        f'<g class="unit {box.kind}"><rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height}" rx="6" '
        f"{frame}/>{_bar(box, left, top + height, width)}"
        f'<text class="head" x="{left + PAD:g}" y="{top + PAD + 12:g}" fill="{ink}">'
        f'<tspan class="number" font-weight="700">{unit.number}</tspan> · {escape(box.state)}</text>'
        + _text("title", left + PAD, top + PAD + 12 + LINE + 2, textwrap.wrap(unit.title, layout.wrap), ink)
        + "</g>"
    )
    if not box.address:
        return drawn
    label = f"Unit {unit.number}: {unit.title}" + ("" if box.kind == "ready" else f" ({box.state})")
    return f'<a href="{escape(box.address)}" aria-label="{escape(label)}">{drawn}</a>'


def _bar(box: Box, left: float, bottom: float, width: float) -> str:
    if not box.share:
        return ""
    length = box.share * (width - 2 * PAD)
    return f'<rect class="bar" x="{left + PAD:g}" y="{bottom - 9:g}" width="{length:.1f}" height="5" fill="{BLUE}"/>'


def _text(kind: str, x: float, y: float, lines: Sequence[str], ink: str = "currentColor") -> str:
    spans = "".join(
        f'<tspan x="{x:g}" y="{y + index * LINE:g}">{escape(line)}</tspan>' for index, line in enumerate(lines)
    )
    return f'<text class="{kind}" fill="{ink}">{spans}</text>'


def _arrow(layout: Layout, top: float) -> str:
    x = layout.label + 1 + layout.box[0] / 2
    line = 'fill="none" stroke="currentColor" stroke-opacity="0.6" stroke-width="1.5"'
    return f'<path class="arrow" d="M{x:g} {top + 5:g}v18m-5 -6l5 6l5 -6" {line}/>'
