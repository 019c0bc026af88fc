"""What the judge hands to the diagnosis: verdicts and the evidence for each of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from autograder.course.registry import is_catch
from autograder.judging.cache import digest
from autograder.judging.results import ERROR, NOT_ATTEMPTED, PASSED, CheckResult
from autograder.judging.subject import Subject, Transcript
from autograder.sandbox.runtime import wire
from autograder.sandbox.runtime.requests import Request


@dataclass(frozen=True)
class Verdict:
    """The result of one check; a key for the answers that it rests on (if they determine it), and those answers.

    ``read``: returns all requests and answers, decoded on demand. ``frames``: the encoded requests. ``passes``: whether
    another subject passes the check with the same inputs.
    """

    result: CheckResult
    key: bytes | None = None
    read: Callable[[], Transcript] = tuple
    frames: tuple[bytes, ...] = ()
    passes: Callable[[Subject], bool] | None = None

    @property
    def lacks(self) -> str:
        """The name that the check needs but does not find: missing, or a stub that names its task."""
        asked = self.evidence.transcript if self.result.status in (NOT_ATTEMPTED, ERROR) else ()
        for _, outcome in asked[-1:]:
            stub = re.fullmatch(r"\w+\.(\w+)", outcome.text) if outcome.stub == "self" else None
            return outcome.missing or (stub[1] if stub else "")
        return ""

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(self.result.status, self.read(), self.frames, self.result.id, self.passes)


@dataclass(frozen=True)
class Given:
    """The verdicts of a task judged again with the course's versions of ``names``.

    ``told``: whether messages of this second run may be shown, because the given versions are no secret.
    """

    names: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    told: bool = False


@dataclass(frozen=True)
class Judgement:
    """The verdicts of the ``tasks`` that were to be judged, and of those that a failing one may owe its failure to."""

    unit: str
    tasks: tuple[str, ...]
    verdicts: dict[str, list[Verdict]]
    given: dict[str, Given] = field(default_factory=dict)

    def passed(self, task: str) -> bool:
        return all(verdict.result.status == PASSED for verdict in self.verdicts[task])

    def missing(self, task: str) -> bool:
        """Whether a task has no code to judge."""
        return all(verdict.result.status == NOT_ATTEMPTED for verdict in self.verdicts[task])

    def waits(self, task: str) -> bool:
        """Whether a task cannot be judged by itself: its checks need another task that is not written yet."""
        return any(verdict.lacks not in ("", task.partition(".")[2]) for verdict in self.verdicts[task])

    def results(self, task: str) -> tuple[CheckResult, ...]:
        """The results of a task's checks; those of the second run, with given names, where they are better."""
        before: Sequence[Verdict] = self.verdicts[task]
        given = self.given.get(task)
        if given is None:
            return tuple(verdict.result for verdict in before)
        if is_catch(task) and not any(one.result.status == PASSED for one in before):
            before = _judged_at_last(before, given)
        return tuple(_better(task.partition(".")[2], one, other, given) for one, other in zip(before, given.verdicts))

    def needed(self, task: str) -> tuple[str, ...]:
        """The names that a task was given, if they earned it points."""
        before = (verdict.result for verdict in self.verdicts[task])
        gained = any(one.points > two.points for one, two in zip(self.results(task), before))
        return self.given[task].names if gained else ()

    def evidence(self, task: str) -> list[Evidence]:
        return [verdict.evidence for verdict in self.verdicts[task]]


def _better(name: str, before: Verdict, after: Verdict, given: Given) -> CheckResult:
    """The result of a check that was judged twice.

    The message for a failure is that of the first run, since code in the second could print the given versions. If the
    check could not run at first, because another task is not written yet, the message says so.
    """
    if before.result.status == PASSED:
        return before.result
    if after.result.status == PASSED:
        return replace(after.result, message=right_given(given.names))
    if before.lacks not in ("", name) and not after.lacks:
        where = (
            f"This check got {_the_courses(given.names)}, because your own {_is(given.names)} not there yet, or wrong."
        )
        said = after.result.message if given.told else "The check cell of the notebook says what went wrong."
        return replace(after.result, message=f"{said}\n\n{where}")
    if after.result.points > before.result.points:
        return replace(after.result, message=before.result.message)
    return before.result


def _judged_at_last(before: Sequence[Verdict], given: Given) -> Sequence[Verdict]:
    """The verdicts of a learner's test that was refused at first, and has passed some checks with the given names.

    The messages of the other checks then are those of the second run, which come from the course's own texts: the
    first run judged none of them.
    """
    if not any(after.result.status == PASSED for after in given.verdicts):
        return before
    where = f"This check got {_the_courses(given.names)}, because your own {_is(given.names)} not there yet, or wrong."
    return [
        Verdict(replace(after.result, message=f"{after.result.message}\n\n{where}"))
        if after.result.status != PASSED
        else one
        for one, after in zip(before, given.verdicts)
    ]


def right_given(names: Sequence[str]) -> str:
    """The sentence about points that a task gets although a function that it calls is wrong or not written yet."""
    return f"Right, given {_the_courses(names)}: your own {_is(names)} wrong, or not written yet."


def partly_given(names: Sequence[str]) -> str:
    """The same for a task in which other checks fail even so: it is not right."""
    return f"Some checks pass with {_the_courses(names)}: your own {_is(names)} wrong, or not written yet."


def _the_courses(names: Sequence[str]) -> str:
    *others, last = (f"`{name}`" for name in names)
    return f"{', '.join(others)}{' and ' if others else ''}{last} as the course has {'them' if others else 'it'}"


def _is(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"


@dataclass(frozen=True)
class Evidence:
    """The status of one check and all its requests and answers; ``frames``: the encoded requests, if known.

    ``check``: its id. ``passes``: as in `Verdict`; without it a mistake is compared by its answers alone.
    """

    status: str
    transcript: Transcript
    frames: tuple[bytes, ...] = ()
    check: str = ""
    passes: Callable[[Subject], bool] | None = None

    @cached_property
    def keys(self) -> tuple[bytes, ...]:
        """For each request a key of it and all before it."""
        found, key = [], b""
        for frame in self.frames or (_frame(request) for request, _ in self.transcript):
            key = digest(key, frame)
            found.append(key)
        return tuple(found)


def _frame(request: Request) -> bytes:
    try:
        return wire.encode(request.to_wire())
    except wire.WireError:  # too large to send or keep
        return os.urandom(16)
