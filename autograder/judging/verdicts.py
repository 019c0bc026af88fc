"""What the judge hands to the diagnosis: verdicts, and what each of them rests on."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from autograder.judging.cache import digest
from autograder.judging.results import PASSED, CheckResult
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
class Judgement:
    """The verdicts of the ``tasks`` that were to be judged, and of those that a failing one may owe its failure to."""

    unit: str
    tasks: tuple[str, ...]
    verdicts: dict[str, list[Verdict]]

    def passed(self, task: str) -> bool:
        return all(verdict.result.status == PASSED for verdict in self.verdicts[task])

    def evidence(self, task: str) -> list[Evidence]:
        return [verdict.evidence for verdict in self.verdicts[task]]


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
