"""What a check asks is known before it runs: so it is asked first, and the same answers are not judged twice.

With one seed a check asks every learner the same. The list of its requests is made once, by running the check on the
reference. A submission's answers to them are collected first; when exactly these answers (the same bytes) were
judged before, the verdict is known. Otherwise the check runs, and is handed the answers as it asks. A check whose
later questions depend on earlier answers goes its own way from there. So every submission is asked the same in any
order of submissions, and a class that writes the same right answer many times costs the grader one judgement.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from autograder.remembered import Answers, digest
from autograder.subject import Subject, SubjectCrashed, SubjectTimeout
from autograder.worker import wire
from autograder.worker.execute import Outcome, Request

ENTRY = 400  # bytes that an entry takes beside its text, roughly
MAX_LIST = 4 * 2**20  # bytes; a check that asks more is asked as it goes

Judge = Callable[[Subject], None]  # runs a check


class _Recorder:
    """Passes requests on and keeps their frames."""

    def __init__(self, subject: Subject):
        self._subject = subject
        self.frames: list[bytes] = []

    def ask(self, request: Request) -> Outcome:
        self.frames.append(wire.encode(request.to_wire()))
        return self._subject.ask(request)


def requests_of(check: Judge, reference: Subject) -> tuple[bytes, ...]:
    """The frames of all that a check asks the reference; none when they are too many, or when it cannot run."""
    recorder = _Recorder(reference)
    try:
        check(recorder)
    except Exception:  # a check that its own reference fails: judging will say so
        return ()
    return tuple(recorder.frames) if sum(map(len, recorder.frames)) <= MAX_LIST else ()


class ForeseenSubject:
    """A subject in another process whose answers to known requests are collected beforehand."""

    def __init__(self, subject, requests: Iterable[bytes]):
        self._subject = subject
        self._requests = tuple(requests)
        self._replies: list[bytes] = []
        self._failure: SubjectTimeout | SubjectCrashed | None = None
        self._used = 0
        self._strayed = not self._requests
        for frame in self._requests:
            try:
                self._replies.append(subject.ask_frame(frame))
            except (SubjectTimeout, SubjectCrashed) as failure:
                self._failure = failure
                break

    @property
    def key(self) -> bytes | None:
        """A hash of all that was asked and answered; ``None`` when that does not determine the verdict."""
        if self._failure or self._strayed:
            return None
        return digest(*self._requests, *self._replies)

    def ask(self, request: Request) -> Outcome:
        if not self._strayed and self._used < len(self._requests) and self._next_is(request):
            self._used += 1
            if self._used <= len(self._replies):
                return self._subject.outcome(self._replies[self._used - 1])
            assert self._failure
            raise self._failure
        self._strayed = True  # what was collected does not fit any more
        return self._subject.ask(request)

    def _next_is(self, request: Request) -> bool:
        try:
            return wire.encode(request.to_wire()) == self._requests[self._used]
        except wire.WireError:
            return False


class Verdicts:
    """What was concluded from answers: small JSON documents by key, those not used for longest forgotten first."""

    def __init__(self) -> None:
        self._documents: Answers[str] = Answers(max_bytes=16 * 2**20)

    def get(self, *key: bytes | str) -> list | None:
        document = self._documents.get(digest(*key))
        return None if document is None else json.loads(document)

    def put(self, value: list, *key: bytes | str) -> None:
        document = json.dumps(value)
        self._documents.put(digest(*key), document, len(document) + ENTRY)
