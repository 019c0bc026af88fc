"""Caches that outlive a submission: with one seed, a check sends every learner the same requests.

So the reference's answers are computed once, all requests of a check are sent ahead, and equal answers are
judged once. No cache changes a result: each entry is kept under a hash of everything that
it depends on. ``python benchmarks/caches.py`` measures what each cache gains.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Generic, TypeVar

from cachetools import LRUCache

from autograder.judging.implementations import reference_names
from autograder.judging.results import CheckResult
from autograder.judging.subject import LocalSubject, Subject, Transcript
from autograder.sandbox.runtime import wire
from autograder.sandbox.runtime.requests import Outcome, Request
from autograder.sandbox.session import ProcessSubject, SubjectCrashed, SubjectTimeout

T = TypeVar("T")


class LruCache(Generic[T]):
    """At most ``max_bytes`` of values by key; the least recently used is dropped first. Threads may share it."""

    def __init__(self, max_bytes: int):
        self._max_bytes = max_bytes
        self._kept: LRUCache = LRUCache(max_bytes, getsizeof=itemgetter(1))
        self._lock = threading.Lock()

    def get(self, key: bytes) -> T | None:
        with self._lock:
            kept = self._kept.get(key)
        return kept[0] if kept else None

    def put(self, key: bytes, value: T, size: int) -> None:
        if size > self._max_bytes // 4:
            return  # one huge value must not drop all others
        with self._lock:
            self._kept[key] = value, size


def digest(*parts: bytes | str) -> bytes:
    """A key for a sequence of texts and frames."""
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "big"))
        found.update(data)
    return found.digest()


ENTRY_BYTES = 1000  # rough size of a kept verdict without its message

# Keys hold everything that the values depend on. Values: the reference's answers as frames; results of checks, with
# the number of requests that they rest on; mistakes' answers; whether mistakes pass a check. Without one of the first
# three, `grade` needs this much more processor time for a class of 200 (``book/measurements/caches.json``): 13 %, 35 %,
# 40 %; without requests sent ahead, and so without verdicts, 29 %. A cache of whole diagnoses gained nothing beside
# these.
REFERENCE_ANSWERS: LruCache[bytes] = LruCache(32 * 2**20)
VERDICTS: LruCache[tuple[CheckResult, int]] = LruCache(8 * 2**20)
MISTAKE_ANSWERS: LruCache[Outcome] = LruCache(64 * 2**20)
MISTAKE_PASSES: LruCache[bool] = LruCache(8 * 2**20)
WORK: LruCache[int] = LruCache(2**20)  # how much the reference computes for some requests


# --- the reference's answers ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CachedReference:
    """The reference solution of a unit as a subject. Every caller gets its own copy of an answer."""

    unit: str
    answers: LruCache[bytes] = REFERENCE_ANSWERS

    def ask(self, request: Request) -> Outcome:
        names = reference_names(self.unit)
        try:
            asked = wire.encode(request.to_wire())
        except wire.WireError:  # too large to send: the learner's subject reports it
            return LocalSubject(names).ask(request)
        key = digest(self.unit, asked)
        frame = self.answers.get(key)
        if frame is not None:
            return Outcome.from_wire(wire.decode_frame(frame))
        outcome = LocalSubject(names).ask(request)
        try:
            frame = wire.encode(outcome.to_wire())
        except wire.WireError:
            return outcome
        self.answers.put(key, frame, len(frame))
        return outcome


# --- requests sent ahead ----------------------------------------------------------------------------------------

MAX_LIST = 4 * 2**20  # bytes; if a check asks more, its requests are not sent ahead


@dataclass(frozen=True)
class Requests:
    """The frames of all requests of a check, in order."""

    frames: tuple[bytes, ...] = ()

    @cached_property
    def key(self) -> bytes:
        return digest(*self.frames)

    @cached_property
    def decoded(self) -> tuple[Request, ...]:
        return tuple(Request(**wire.decode_frame(frame)) for frame in self.frames)


def requests_of(check: Callable[[Subject], object], reference: Subject) -> Requests:
    """All requests of a check to the reference; none if they are too large or slow, or if the check cannot run."""
    recorder = _Recorder(reference)
    try:
        check(recorder)
    except Exception:  # the reference fails this check: judging reports that
        return Requests()
    return Requests(tuple(recorder.frames)) if sum(map(len, recorder.frames)) <= MAX_LIST else Requests()


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
    """A request with its own time limit: too slow to run on the reference just to learn which requests follow."""


def prefetch(session: ProcessSubject, requests: Requests, then: Requests = Requests()) -> PrefetchedSubject:
    """Run a check's known requests in a submission's process, as far as it answers.

    The process goes on with those of the next check, ``then``, while this one is judged.
    """
    replies: list[bytes] = []
    failure: SubjectTimeout | SubjectCrashed | None = None
    try:
        for reply in session.ask_frames(requests.frames, then.frames):
            replies.append(reply)
    except (SubjectTimeout, SubjectCrashed) as raised:
        failure = raised
    return PrefetchedSubject(session, requests, replies, failure)


class PrefetchedSubject:
    """A submission's process whose answers to a check's known requests are there already.

    Once a check sends a request that was not known ahead, its further requests are sent one at a time.
    """

    def __init__(
        self,
        session: ProcessSubject,
        requests: Requests,
        replies: Sequence[bytes],
        failure: SubjectTimeout | SubjectCrashed | None,
    ):
        self._session = session
        self._requests = requests
        self._replies = replies
        self._failure = failure
        self._used = 0
        self._strayed = not requests.frames
        self._key = digest(requests.key, *replies)

    @property
    def key(self) -> bytes | None:
        """A hash of all that was asked and answered; ``None`` when that does not determine the verdict."""
        return None if self._failure or self._strayed else self._key

    def asked(self, used: int) -> tuple[bytes, ...]:
        """The frames of the first ``used`` requests."""
        return self._requests.frames[:used]

    def transcript(self, used: int) -> Transcript:
        """The first ``used`` requests with their outcomes."""
        outcomes = (self._session.outcome(reply) for reply in self._replies[:used])
        return tuple(zip(self._requests.decoded[:used], outcomes))

    def ask(self, request: Request) -> Outcome:
        if not self._strayed and self._used < len(self._requests.frames) and self._next_is(request):
            self._used += 1
            if self._used <= len(self._replies):
                return self._session.outcome(self._replies[self._used - 1])
            assert self._failure
            raise self._failure
        self._strayed = True  # the prefetched answers no longer apply
        return self._session.ask(request)

    def _next_is(self, request: Request) -> bool:
        # Encoded again: a check may build a request from an earlier answer, and only the bytes show whether it differs.
        try:
            return wire.encode(request.to_wire()) == self._requests.frames[self._used]
        except wire.WireError:
            return False
