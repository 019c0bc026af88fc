"""What a learner has done so far, kept on their own machine: a small file, and beside it their code by unit.

Nothing is sent anywhere. Several notebooks may write at a time.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from autograder.course.addresses import state_file

CODE = "my_transformer"  # the folder with the learner's own code
WAIT_SECONDS = 2.0  # for another notebook that is writing


def load() -> dict[str, Any]:
    """The stored state; an empty one when there is none, or none that can be read."""
    try:
        state = json.loads(state_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        state = {}
    return state if isinstance(state, dict) else {}


def update(section: str, entries: dict[str, Any]) -> None:
    """Store entries of one section. A home that cannot be written to only means that nothing is remembered."""
    change(section, lambda stored: {**stored, **entries})


def change(section: str, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Replace a section by what ``changed`` returns for it, while no other notebook writes."""
    with contextlib.suppress(OSError), writing():
        state = load()
        old = state.get(section)
        state[section] = changed(old if isinstance(old, dict) else {})
        write(state_file(), json.dumps(state, indent=1, sort_keys=True))


def section(name: str) -> dict[str, Any]:
    """One section of the stored state."""
    stored = load().get(name)
    return stored if isinstance(stored, dict) else {}


def remember_points(points: dict[str, float]) -> None:
    """Keep the best result of each task."""

    def best(stored: dict[str, Any]) -> dict[str, Any]:
        known = {task: value for task, value in stored.items() if isinstance(value, (int, float))}
        return {**stored, **{task: max(value, known.get(task, 0.0)) for task, value in points.items()}}

    change("points", best)


def code_file(unit: str, suffix: str) -> Path:
    """Where the learner's own code of a unit is kept; `OSError` if there is no home folder."""
    return state_file().parent / CODE / f"{unit}{suffix}"


def write(path: Path, text: str) -> None:
    """Put a text into a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Make other notebooks wait while this one changes what is stored; no effect where files cannot be locked."""
    path = state_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.with_suffix(".lock"), timeout=WAIT_SECONDS)
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, NotImplementedError, Timeout):
            stack.enter_context(lock)
        yield
