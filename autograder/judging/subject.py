"""Subjects: where a learner's code lives, and how a check talks to it.

A check never touches a learner's objects. It sends requests; the subject runs them (in the running
notebook, or in another process) and returns outcomes, which are plain data.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import torch

from autograder.sandbox.drivers import driver_source
from autograder.sandbox.runtime.requests import MOST_PRINTED, Outcome, Request, execute, torch_as_it_starts
from autograder.sandbox.runtime.wire import plain


class LearnerRaised(Exception):
    """The learner's code raised an exception: its class name, those of its bases, its text and the line."""

    def __init__(self, outcome: Outcome):
        self.kind = outcome.kinds[0]
        self.kinds = outcome.kinds
        self.text = outcome.text
        self.where = outcome.where
        where = f" ({outcome.where})" if outcome.where else ""
        super().__init__(f"Your code raised {self.kind}: {self.text or 'no message'}{where}")


class NotAttempted(Exception):
    """The name that a check needs is missing, or is still the stub."""


Transcript = tuple[tuple[Request, Outcome], ...]  # all that was asked of a subject, and what it answered


class Subject(Protocol):
    """Anything that can run a request against a learner's code."""

    def ask(self, request: Request) -> Outcome: ...


class LocalSubject:
    """Code in this very process: a running notebook, the reference, a catalogued mistake.

    ``own``: the names that may differ from the course's, if known; code that reaches none of them is right.
    """

    def __init__(self, namespace: dict, own: Container[str] | None = None):
        self.namespace = namespace
        self.own = own

    def ask(self, request: Request) -> Outcome:
        # The learner's code gets copies, as it would in another process: it may change them.
        return execute(self.namespace, _copied(request))


@dataclass
class Learner:
    """What a check holds as ``learner`` or ``reference``: calls by name, drivers through `run`.

    Every request and its outcome is kept in ``transcript``, on which the diagnosis works.
    """

    subject: Subject
    seed: int = 0
    transcript: list[tuple[Request, Outcome]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self._value(Request(name, args, kwargs, None, self.seed))

    def run(
        self,
        driver: Callable[..., Any],
        *args: Any,
        uses: tuple[Callable[..., Any], ...] = (),
        seconds: float = 0.0,
        **kwargs: Any,
    ) -> Any:
        """Ship a driver function to where the learner's code is, and return what it returns there.

        It gets the learner's namespace first, then ``args``. ``autograder.sandbox.drivers`` lists the other names that
        it can use, and describes ``uses``. ``seconds``: its time limit, if longer than that of other requests.
        """
        return self._value(Request(driver.__name__, args, kwargs, driver_source(driver, uses), self.seed, seconds))

    def _value(self, request: Request) -> Any:
        # Copies: the check may go on to change what it sent, and the diagnosis sends it again.
        request = _copied(request)
        outcome = self.subject.ask(request)
        self.transcript.append((request, outcome))
        return value_of(outcome)


PRINTED_LINES = 5


def what_was_printed(text: str) -> str:
    """The first lines of what a learner's code printed, for a message."""
    lines = text[:MOST_PRINTED].strip("\n").split("\n")
    more = ["..."] if len(lines) > PRINTED_LINES or len(text) >= MOST_PRINTED else []
    return "\n".join(["Your code printed:", *lines[:PRINTED_LINES], *more])


def _copied(request: Request) -> Request:
    return replace(request, args=plain(request.args), kwargs=plain(request.kwargs))


def value_of(outcome: Outcome) -> Any:
    """The outcome's value; raises `LearnerRaised` or `NotAttempted` when there is none."""
    if outcome.missing:
        raise NotAttempted(f"There is no `{outcome.missing}` in your code yet.")
    if not outcome.kinds:
        return outcome.value
    if outcome.stub == "self":
        raise NotAttempted("Not written yet: it still raises NotImplementedError.")
    if outcome.stub:
        raise LearnerRaised(
            Outcome(
                kinds=outcome.kinds,
                text=f"it calls `{outcome.stub}`, which is not written yet",
                where=outcome.where,
            )
        )
    raise LearnerRaised(outcome)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Swallow what code prints or warns while it is being checked: it would bury the feedback.

    For one thread only: standard output belongs to the whole process.
    """
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def reproducible() -> Iterator[None]:
    """Torch as it starts, in one thread: inputs are tiny, so threads would only cost time, and change rounding."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch_as_it_starts():
            yield
    finally:
        torch.set_num_threads(threads)
