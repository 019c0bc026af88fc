"""A learner's progress as text, in the terminal, and as the map of the course for a notebook or a page of its own."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from autograder.course import addresses
from autograder.course.models import parts_of_models
from autograder.course.registry import UNITS, Unit
from autograder.reports.course_map import NARROW, WIDE, Box, in_stages, picture
from autograder.reports.html import render
from autograder.reports.terminal import encodable

BAR = 20  # characters
NAME = 1 + max(len(unit.name) for unit in UNITS)
LOOKS = {  # a symbol, its ASCII form, a word if the points alone are unclear, a terminal style
    "passed": ("✓", "+", "passed", "green"),
    "next": ("▶", ">", "next", "bold yellow"),
    "partly": ("◐", "~", "", "cyan"),
    "open": ("○", "-", "", ""),
    "planned": ("·", ".", "planned", "dim"),
}


@dataclass(frozen=True)
class UnitProgress:
    """The points reached and the points possible in a unit, by task."""

    unit: Unit
    reached: dict[str, float]
    worth: dict[str, float]

    @property
    def points(self) -> float:
        return sum(self.reached.values())

    @property
    def max_points(self) -> float:
        return sum(self.worth.values())

    @property
    def passed(self) -> bool:
        return self.unit.complete and self.open_task is None

    @property
    def open_task(self) -> str | None:
        """The first task that is not passed."""
        return next((task for task, worth in self.worth.items() if self.reached[task] < worth), None)


@dataclass(frozen=True)
class Progress:
    """The whole course. It shows itself as a picture in a notebook and as text elsewhere."""

    units: tuple[UnitProgress, ...]

    @property
    def next_unit(self) -> UnitProgress | None:
        """The unit to go on with: the first that is not passed."""
        return next((found for found in self.units if found.open_task), None)

    @property
    def next_task(self) -> str | None:
        return self.next_unit.open_task if self.next_unit else None

    @property
    def points(self) -> float:
        return sum(found.points for found in self.units)

    @property
    def max_points(self) -> float:
        return sum(found.max_points for found in self.units)

    @property
    def passed_tasks(self) -> set[str]:
        return {task for found in self.units for task, worth in found.worth.items() if found.reached[task] >= worth}

    def kind(self, found: UnitProgress) -> str:
        """``passed``, ``next``, ``partly``, ``open`` or ``planned``."""
        if not found.unit.complete:
            return "planned"
        if found.passed:
            return "passed"
        if found is self.next_unit:
            return "next"
        return "partly" if found.points else "open"

    def __str__(self) -> str:
        return "\n".join([*(line(self, found) for found in self.units), own_parts(self)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return fragment(self)


def line(progress: Progress, found: UnitProgress, encoding: str | None = None) -> str:
    """One unit: symbol, number, name, bar, points."""
    kind = progress.kind(found)
    start = f"{_symbol(kind, encoding)} {found.unit.number:>2}  {found.unit.name:<{NAME}}"
    if kind == "planned":
        return f"{start} planned"
    filled = "#" * (int(BAR * found.points / found.max_points) if found.max_points else 0)
    word = f", {LOOKS[kind][2]}" if LOOKS[kind][2] else ""
    return f"{start} [{filled:<{BAR}}] {_points(found)}{word}"


def print_progress(progress: Progress, console: Console | None = None) -> None:
    """The map of the course in the terminal, and what comes next."""
    console = console or Console()
    of = {found.unit: found for found in progress.units}
    for name, boxes in in_stages(_boxes(progress)):
        _print(console, name, "bold")
        for box in boxes:
            text = line(progress, of[box.unit], console.encoding)
            _print(console, f"  {text}", LOOKS[box.kind][3])
    _print(console, f"\n{summary(progress)} {next_step(progress, in_terminal=True)}")
    _print(console, own_parts(progress))


def summary(progress: Progress) -> str:
    """The number of passed units and of earned points, each with its total."""
    passed = sum(found.passed for found in progress.units)
    return f"{passed} of {len(progress.units)} units passed, {progress.points:g} of {progress.max_points:g} points."


def own_parts(progress: Progress) -> str:
    """How much of each model of the course the learner has written, in one sentence."""
    passed = progress.passed_tasks
    shares = [
        f"{sum(part in passed for part in parts)} of the {len(parts)} parts of {model}"
        for model, parts in parts_of_models().items()
    ]
    return f"Yours so far: {', '.join(shares[:-1])}, and {shares[-1]}."


def next_step(progress: Progress, in_terminal: bool = False) -> str:
    """What to do now, in one sentence."""
    task = progress.next_task
    if task is None:
        return "Nothing is left to do."
    hint = f"autograder hint {task}" if in_terminal else f'hint("{task}")'
    return f"Next: {task}; {hint} shows a hint."


def fragment(progress: Progress) -> str:
    """HTML that stands inside another page, light or dark, such as a notebook."""
    return _html(progress, picture(_boxes(progress), WIDE))


def page(progress: Progress) -> str:
    """A page of its own, for wide and for narrow screens."""
    boxes = _boxes(progress)
    return render("progress.html.j2", body=_html(progress, picture(boxes, WIDE) + picture(boxes, NARROW)))


def _html(progress: Progress, drawing: str) -> str:
    return render(
        "progress_map.html.j2",
        drawing=drawing,
        summary=summary(progress),
        next_step=next_step(progress),
        own_parts=own_parts(progress),
        rows=[(found, box) for found, box in zip(progress.units, _boxes(progress)) if found.worth],
    )


def _boxes(progress: Progress) -> list[Box]:
    return [_box(progress, found) for found in progress.units]


def _box(progress: Progress, found: UnitProgress) -> Box:
    kind = progress.kind(found)
    if kind == "planned":
        return Box(found.unit, kind, "planned")
    symbol, _, word, _ = LOOKS[kind]
    points = f"{found.points:g} points" if kind == "passed" else _points(found)
    state = f"{symbol} {word}: {points}" if word else f"{symbol} {points}"
    share = 0.0 if kind == "passed" else found.points / found.max_points
    return Box(found.unit, kind, state, addresses.chapter_url(found.unit.name), share)


def _points(found: UnitProgress) -> str:
    return f"{found.points:g} of {found.max_points:g} points"


def _symbol(kind: str, encoding: str | None) -> str:
    symbol, plain, *_ = LOOKS[kind]
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    return symbol if encodable(symbol, encoding) == symbol else plain


def _print(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style=style), soft_wrap=True)
