"""What a learner has done so far, kept in one small file on their own machine. Nothing is sent anywhere."""

from __future__ import annotations

import json
import os
from typing import Any

from autograder.course.addresses import state_file


def load() -> dict[str, Any]:
    """The stored state; an empty one when there is none, or none that can be read."""
    try:
        state = json.loads(state_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        state = {}
    return state if isinstance(state, dict) else {}


def update(section: str, entries: dict[str, Any]) -> None:
    """Store entries of one section. A home that cannot be written to only means that nothing is remembered."""
    state = load()
    old = state.get(section)
    state[section] = {**(old if isinstance(old, dict) else {}), **entries}
    try:
        path = state_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(json.dumps(state, indent=1, sort_keys=True), encoding="utf-8")
        temporary.replace(path)
    except OSError:
        pass


def section(name: str) -> dict[str, Any]:
    """One section of the stored state."""
    stored = load().get(name)
    return stored if isinstance(stored, dict) else {}


def remember_points(points: dict[str, float]) -> None:
    """Keep the best result of each task."""
    best = section("points")
    known = {task: value for task, value in best.items() if isinstance(value, (int, float))}
    update("points", {task: max(value, known.get(task, 0.0)) for task, value in points.items()})
