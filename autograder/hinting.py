"""Hints: three per task, from a question about the idea to a skeleton; each request shows the next one."""

from __future__ import annotations

import importlib

from autograder import state
from autograder.registry import find_tasks


def hints(task: str) -> tuple[str, ...]:
    """The hints of a task, in ``autograder/hints/<unit>.py``."""
    unit, (task_id, *_) = find_tasks(task)
    return tuple(importlib.import_module(f"autograder.hints.{unit.name}").HINTS.get(task_id, ()))


def next_hint(task: str) -> tuple[int, int, str]:
    """The next hint of a task: its number, how many there are, its text. After the last one it starts again."""
    texts = hints(task)
    seen = state.section("hints").get(task, 0)
    number = seen % len(texts) if isinstance(seen, int) else 0
    state.update("hints", {task: number + 1})
    return number + 1, len(texts), texts[number]
