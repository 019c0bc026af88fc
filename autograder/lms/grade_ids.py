"""Task ids as nbgrader's grade ids: ``attention.softmax`` is graded in the cell ``attention-softmax``.

nbgrader's schema allows letters, digits, ``_`` and ``-`` in a grade id, and the page on which its formgrader saves
points uses the id as a selector, in which a dot has a meaning. No unit and no task has a ``-`` in its name.
"""

from __future__ import annotations

from autograder.course.registry import COMPLETE


def grade_id(name: str) -> str:
    """The grade id of a task or a question. Notebooks of earlier releases carry the name itself, with its dots."""
    return name.replace(".", "-")


def task_of(cell: str) -> str:
    """The task that the cell with this grade id checks; ``""`` if that is no task of this course."""
    return _TASKS.get(cell, "")


_TASKS = {grade_id(task): task for unit in COMPLETE for task in unit.task_ids}
