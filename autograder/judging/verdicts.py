"""What the judge hands to the diagnosis: verdicts, and what each of them rests on."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from autograder.judging.cache import digest
from autograder.judging.results import NOT_ATTEMPTED, PASSED, CheckResult
from autograder.judging.subject import Transcript
from autograder.sandbox.runtime import wire
from autograder.sandbox.runtime.requests import Request


@dataclass(frozen=True)
class Verdict:
    """The result of one check; a key for the answers that it rests on (if they determine it), and those answers.

    ``read``: gives all that was asked and answered, decoded when it is wanted. ``frames``: the requests encoded.
    """

    result: CheckResult
    key: bytes | None = None
    read: Callable[[], Transcript] = tuple
    frames: tuple[bytes, ...] = ()

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(self.result.status, self.read(), self.frames)


@dataclass(frozen=True)
class Given:
    """The verdicts of a task judged once more, ``names`` given as the course has them."""

    names: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


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
        """Whether nothing of a task is there to be judged."""
        return all(verdict.result.status == NOT_ATTEMPTED for verdict in self.verdicts[task])

    def results(self, task: str) -> tuple[CheckResult, ...]:
        """The results of a task's checks, those with what it was given where they are better."""
        before = self.verdicts[task]
        given = self.given.get(task)
        if given is None:
            return tuple(verdict.result for verdict in before)
        return tuple(_better(one, other, given.names) for one, other in zip(before, given.verdicts))

    def needed(self, task: str) -> tuple[str, ...]:
        """What a task was given, where that gained it points."""
        before = (verdict.result for verdict in self.verdicts[task])
        gained = any(one.points > two.points for one, two in zip(self.results(task), before))
        return self.given[task].names if gained else ()

    def evidence(self, task: str) -> list[Evidence]:
        return [verdict.evidence for verdict in self.verdicts[task]]


def _better(before: Verdict, after: Verdict, names: tuple[str, ...]) -> CheckResult:
    """The result of a check that was judged twice.

    What is said of a failure is what the learner's own code did: there it could tell what it was given.
    """
    if after.result.points <= before.result.points:
        return before.result
    passed = after.result.status == PASSED
    return replace(after.result, message=right_given(names) if passed else before.result.message)


def right_given(names: Sequence[str]) -> str:
    """What is said of points that a task gets although something that it calls is wrong."""
    listed = " and ".join(f"`{name}`" for name in names)
    one = len(names) == 1
    return f"Right, given {listed} as the course has {'it: your own is' if one else 'them: your own are'} wrong."


@dataclass(frozen=True)
class Evidence:
    """The status of one check and all that was asked and answered in it; ``frames``: the requests encoded, if known."""

    status: str
    transcript: Transcript
    frames: tuple[bytes, ...] = ()

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
    except wire.WireError:  # too large to send, and to keep
        return os.urandom(16)
