"""Two mistakes at once: programs that have both of two catalogued mistakes of a task.

Code may contain two mistakes in one function, and then no single entry gives the same answers. Most mistakes are
edits, so the edits of one are applied to the program of the other. If they do not apply, both change the same piece
of code, and there is no pair.
"""

from __future__ import annotations

from autograder.course.catalogue import Mistake, is_c
from autograder.course.edits import EditError, apply


def both(one: Mistake, other: Mistake) -> Mistake | None:
    """The program that makes two mistakes; none if they are variants of one, or change the same piece of code."""
    if one.family == other.family:
        return None
    source = _on_top(one, other) or _on_top(other, one)
    if not source:
        return None
    return Mistake(
        one.task,
        f"{one.family}-and-{other.family}",
        source,
        hint=f"Two mistakes at once explain your results. The first: {one.hint} The second: {other.hint}",
        section=one.section,
        base=one.base or other.base,
        edits=one.edits + other.edits,
    )


def _on_top(one: Mistake, other: Mistake) -> str:
    """The program of one mistake with the edits of another; nothing if they do not fit."""
    if not other.edits:
        return ""
    try:
        source = apply(one.source, other.edits)
        if not is_c(one.unit):
            compile(source, other.name, "exec", dont_inherit=True)
    except (EditError, SyntaxError):
        return ""
    return source
