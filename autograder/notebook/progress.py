"""Where a learner stands in the course: what is passed, what in part, and what comes next.

Everything comes from the one small file that `autograder.notebook.store` keeps on the learner's own machine. It can be
exported to a file and imported from one, on another machine for example; nothing is sent anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.course.registry import COMPLETE, UNITS, Unit
from autograder.judging.results import number
from autograder.judging.runner import max_points
from autograder.notebook import store
from autograder.reports.progress import Progress, UnitProgress

SCHEMA = 1
COURSE = "transformer-workbook"


class ImportProblem(ValueError):
    """A file that holds no exported progress; the text is one sentence."""


def load() -> Progress:
    """The progress that is stored on this machine."""
    best = store.section("points")
    return Progress(tuple(_unit(unit, best) for unit in UNITS))


def _unit(unit: Unit, best: dict[str, Any]) -> UnitProgress:
    tasks = unit.task_ids if unit.complete else ()
    worth = {task: number(max_points(task)) for task in tasks}
    return UnitProgress(unit, {task: _points(best.get(task, 0), worth[task]) for task in tasks}, worth)


def _points(value: Any, highest: float) -> float:
    """Stored points, at most ``highest``; 0 for anything that is no valid number of points."""
    return float(min(value, highest)) if isinstance(value, (int, float)) and 0 <= value < float("inf") else 0.0


def exported() -> str:
    """What is stored, as JSON that `import_progress` reads."""
    found = load()
    data = {
        "schema": SCHEMA,
        "course": COURSE,
        "points": {task: points for unit in found.units for task, points in unit.reached.items() if points},
        "hints": {task: count for task, count in store.section("hints").items() if _is_count(count)},
    }
    return json.dumps(data, indent=2, sort_keys=True) + "\n"


def import_progress(path: Path) -> int:
    """Take over exported progress, keeping the better result of each task; returns the number of tasks in the file.

    Tasks that this version of the course does not have are left out. Raises `ImportProblem`.
    """
    points, hints = _read(path)
    store.remember_points(points)
    known = store.section("hints")
    store.update("hints", {task: max(count, _count(known.get(task))) for task, count in hints.items()})
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
