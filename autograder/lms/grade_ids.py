"""Task ids as nbgrader's grade ids.

A grade id of this course is a task id, ``attention.softmax``, so that notebooks, gradebook, reports and book use one
name. nbgrader's schema allows letters, digits, ``_`` and ``-`` alone, although nothing in nbgrader depends on
that: it stores the id as text. So the schema has to be widened by the dot, in every process that uses nbgrader.
"""

from __future__ import annotations

from typing import Any

from nbgrader.nbgraderformat import MetadataValidator

GRADE_ID = r"^[a-zA-Z0-9_.\-]*$"


def allow_dots() -> None:
    """Let nbgrader accept grade ids with dots in them, from now on in this process. Calling it again does nothing."""
    usual = MetadataValidator.__init__
    if getattr(usual, "_allows_dots", False):
        return

    def widened(self: Any, *arguments: Any, **options: Any) -> None:
        usual(self, *arguments, **options)
        self.schema["properties"]["grade_id"]["pattern"] = GRADE_ID

    widened._allows_dots = True  # type: ignore[attr-defined]
    MetadataValidator.__init__ = widened
