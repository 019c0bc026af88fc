"""Where a learner stands in the course: what is passed, what in part, and what comes next.

Everything comes from the one small file that `autograder.state` keeps on the learner's own machine. It can be exported
to a file and imported from one, on another machine for example; nothing is sent anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder import state
from autograder.checking import max_points
from autograder.registry import COMPLETE, UNITS, Unit
from autograder.report import number

SCHEMA = 1
COURSE = "transformer-workbook"


class ImportProblem(ValueError):
    """A file that holds no exported progress; the text is one sentence."""


@dataclass(frozen=True)
class UnitProgress:
    """The points reached in a unit and those there are, by task."""

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
        from autograder.reports import progress

        return "\n".join(progress.line(self, found) for found in self.units)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from autograder.reports import progress

        return progress.fragment(self)


def load() -> Progress:
    """The progress that is stored on this machine."""
    best = state.section("points")
    return Progress(tuple(_unit(unit, best) for unit in UNITS))


def _unit(unit: Unit, best: dict[str, Any]) -> UnitProgress:
    tasks = unit.task_ids if unit.complete else ()
    worth = {task: number(max_points(task)) for task in tasks}
    return UnitProgress(unit, {task: _points(best.get(task, 0), worth[task]) for task in tasks}, worth)


def _points(value: Any, highest: float) -> float:
    """Stored points as far as they can be true."""
    return float(min(value, highest)) if isinstance(value, (int, float)) and 0 <= value < float("inf") else 0.0


def exported() -> str:
    """What is stored, as JSON that `bring_in` reads."""
    found = load()
    data = {
        "schema": SCHEMA,
        "course": COURSE,
        "points": {task: points for unit in found.units for task, points in unit.reached.items() if points},
        "hints": {task: count for task, count in state.section("hints").items() if _is_count(count)},
    }
    return json.dumps(data, indent=2, sort_keys=True) + "\n"


def bring_in(path: Path) -> int:
    """Take over exported progress, keeping the better result of each task; returns the number of tasks in the file.

    Tasks that this version of the course does not have are left out. Raises `ImportProblem`.
    """
    points, hints = _read(path)
    state.remember_points(points)
    known = state.section("hints")
    state.update("hints", {task: max(count, _count(known.get(task))) for task, count in hints.items()})
    return len(points)


def _read(path: Path) -> tuple[dict[str, float], dict[str, int]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ImportProblem(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise ImportProblem(f"{path} is not the JSON that `autograder progress --export` writes.") from error
    if not isinstance(data, dict) or data.get("course") != COURSE:
        raise ImportProblem(f"{path} holds no progress of this course, as `autograder progress --export` writes it.")
    if data.get("schema") != SCHEMA:
        raise ImportProblem(f"{path} was written by another version of the course (schema {data.get('schema')!r}).")
    tasks = {task for unit in COMPLETE for task in unit.task_ids}
    points = {task: _points(value, number(max_points(task))) for task, value in _entries(data, "points", tasks)}
    return points, {task: value for task, value in _entries(data, "hints", tasks) if _is_count(value)}


def _entries(data: dict[str, Any], section: str, tasks: set[str]) -> Iterator[tuple[str, Any]]:
    entries = data.get(section)
    if isinstance(entries, dict):
        yield from ((task, value) for task, value in entries.items() if task in tasks)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1_000_000


def _count(value: Any) -> int:
    return value if _is_count(value) else 0
