"""Hints: three per task, from a question about the idea to a skeleton; each request shows the next one."""

from __future__ import annotations

from autograder.course.catalogue import hints
from autograder.notebook import store


def next_hint(task: str) -> tuple[int, int, str]:
    """The next hint of a task: its number, how many there are, its text. After the last one it starts again."""
    texts = hints(task)
    seen = store.section("hints").get(task, 0)
    number = seen % len(texts) if isinstance(seen, int) else 0
    store.update("hints", {task: number + 1})
    return number + 1, len(texts), texts[number]
