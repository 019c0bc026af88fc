"""What a check asks is known before it runs: so it is asked first, and the same answers are not judged twice.

With one seed a check asks every learner the same. The list of its requests is made once, by running the check on the
reference. A submission's answers to them are collected first; when exactly these answers (the same bytes) were
judged before, the verdict is known. Otherwise the check runs, and is handed the answers as it asks. A check whose
later questions depend on earlier answers goes its own way from there. So every submission is asked the same in any
order of submissions, and a class that writes the same right answer many times costs the grader one judgement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from autograder.judging.cache import digest
from autograder.judging.subject import Subject
from autograder.sandbox.runtime import wire
from autograder.sandbox.runtime.requests import Outcome, Request
from autograder.sandbox.session import SubjectCrashed, SubjectTimeout

MAX_LIST = 4 * 2**20  # bytes; a check that asks more is asked as it goes


@dataclass(frozen=True)
class Requests:
    """The frames of all that a check asks, in order."""

    frames: tuple[bytes, ...] = ()

    @cached_property
    def key(self) -> bytes:
        return digest(*self.frames)

    @cached_property
    def decoded(self) -> tuple[Request, ...]:
        return tuple(Request(**wire.decode_frame(frame)) for frame in self.frames)


class _Recorder:
    """Passes requests on and keeps their frames."""

    def __init__(self, subject: Subject):
        self._subject = subject
        self.frames: list[bytes] = []

    def ask(self, request: Request) -> Outcome:
        if request.seconds:
            raise _TakesLong
        self.frames.append(wire.encode(request.to_wire()))
        return self._subject.ask(request)


class _TakesLong(Exception):
    """A request with seconds of its own: not for the reference, only to know what comes after it."""


def requests_of(check: Callable[[Subject], object], reference: Subject) -> Requests:
    """All that a check asks the reference; nothing when it is too much or takes long, or the check cannot run."""
    recorder = _Recorder(reference)
    try:
        check(recorder)
    except Exception:  # a check that its own reference fails: judging will say so
        return Requests()
    return Requests(tuple(recorder.frames)) if sum(map(len, recorder.frames)) <= MAX_LIST else Requests()


class ForeseenSubject:
    """A subject in another process whose answers to known requests are collected beforehand."""

    def __init__(self, subject, requests: Requests):
        self._subject = subject
        self._requests = requests
        self._replies: list[bytes] = []
        self._failure: SubjectTimeout | SubjectCrashed | None = None
        self._used = 0
        self._strayed = not requests.frames
        try:
            for reply in subject.ask_frames(requests.frames):
                self._replies.append(reply)
        except (SubjectTimeout, SubjectCrashed) as failure:
            self._failure = failure
        self._key = digest(requests.key, *self._replies)

    @property
    def key(self) -> bytes | None:
        """A hash of all that was asked and answered; ``None`` when that does not determine the verdict."""
        return None if self._failure or self._strayed else self._key

    def asked(self, used: int) -> tuple[bytes, ...]:
        """The frames of the first ``used`` requests."""
        return self._requests.frames[:used]

    def transcript(self, used: int) -> tuple[tuple[Request, Outcome], ...]:
        """The first ``used`` requests with their outcomes."""
        outcomes = (self._subject.outcome(reply) for reply in self._replies[:used])
        return tuple(zip(self._requests.decoded[:used], outcomes))

    def ask(self, request: Request) -> Outcome:
        if not self._strayed and self._used < len(self._requests.frames) and self._next_is(request):
            self._used += 1
            if self._used <= len(self._replies):
                return self._subject.outcome(self._replies[self._used - 1])
            assert self._failure
            raise self._failure
        self._strayed = True  # what was collected does not fit any more
        return self._subject.ask(request)

    def _next_is(self, request: Request) -> bool:
        try:
            return wire.encode(request.to_wire()) == self._requests.frames[self._used]
        except wire.WireError:
            return False
