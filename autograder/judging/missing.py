"""Written code is never "not attempted": the learner reads instead why the checks do not find it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.course.catalogue import in_c
from autograder.judging.results import ERROR, NOT_ATTEMPTED
from autograder.judging.verdicts import Judgement, Verdict
from autograder.submissions.definitions import alike, definitions, is_stub, left_raises


def explain_missing(judgement: Judgement, cells: Sequence[str]) -> Judgement:
    """The judgement with a reason in each check that found nothing of a task although ``cells`` hold a part of it."""
    changed = {}
    for task, verdicts in judgement.verdicts.items():
        if any(verdict.result.status == NOT_ATTEMPTED for verdict in verdicts):
            name = task.partition(".")[2]
            why = _why(judgement.unit, name, cells)
            if why:
                changed[task] = [_explained(verdict, name, why) for verdict in verdicts]
    return replace(judgement, verdicts=judgement.verdicts | changed) if changed else judgement


def _explained(verdict: Verdict, name: str, why: str) -> Verdict:
    if verdict.result.status != NOT_ATTEMPTED:
        return verdict
    other = verdict.lacks
    message = why if other in ("", name) else _needs(name, other)
    return replace(verdict, result=replace(verdict.result, status=ERROR, message=message))


def _why(unit: str, name: str, cells: Sequence[str]) -> str | None:
    """Why the code of a task is not found; ``None`` if no code is written."""
    found = [] if in_c(f"{unit}.{name}") else definitions(cells, name)
    written = [one for one in found if not (one.node and is_stub(unit, one.node))]
    if written and written[-1] is not found[-1]:
        return f"The stub of `{name}` ran after your own and replaced it. Delete the stub, and run your cell again."
    if written:
        node = written[-1].node
        raises = left_raises(node) if node else []
        return _left_in(name, raises) if raises else _not_there(name)
    other = alike(cells, unit, name)
    return f"Your code has no `{name}`, but it has `{other}`. Rename it `{name}`." if other else None


def _needs(name: str, other: str) -> str:
    """The message for a task that is written, if its check lacks another one."""
    return (
        f"`{name}` is checked together with `{other}`, and your code has no `{other}` yet. Write it, and check again."
    )


def _left_in(name: str, raises: Sequence[tuple[str, int]]) -> str:
    """The message about functions, with lines, that still hold a stub's ``raise``."""
    cell = f"of your cell `{name}`"
    for function, line in raises:
        if not function:  # code is written above the `raise`
            return (
                f"You have written `{name}`, but it still holds `raise NotImplementedError` (line {line} {cell}). "
                "Delete that line."
            )
    listed = ", ".join(f"`{function}` (line {line})" for function, line in raises)
    return f"You have written a part of `{name}`: {listed} {cell} still raises NotImplementedError."


def _not_there(name: str) -> str:
    return f"The cell that defines `{name}` stopped with an error, so there is no `{name}`. Fix that error first."
