"""Slow checks in a running notebook: they have a time limit, show their progress, and can be interrupted."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.judging.subject import LocalSubject, what_was_printed
from autograder.sandbox.runtime.lines import lines_of_stack, lines_of_traceback, where_it_was
from autograder.sandbox.runtime.requests import Outcome, OutOfTime, Request
from autograder.sandbox.session import SubjectTimeout

AGAIN_SECONDS = 0.5  # until code that has caught the interrupt is interrupted again
IMPORT_SECONDS = 20.0  # more for an import: one that is cut off leaves half a module behind, for as long as Python runs
SHOW_SECONDS = 1.0  # faster checks show no progress


class Interrupted(KeyboardInterrupt):
    """An interrupt by the learner. A notebook shows one sentence for it, not the whole stack of the grader."""

    def __init__(self, raised: KeyboardInterrupt):
        where = where_it_was(lines_of_traceback(raised.__traceback__))
        super().__init__("The check was interrupted" + (f"; it was in {where}" if where else "") + ".")

    def _render_traceback_(self) -> list[str]:
        """What IPython shows, in place of a traceback."""
        return [str(self)]


@dataclass
class LimitedSubject:
    """The names of a running notebook. A call that takes more than ``seconds`` is interrupted."""

    namespace: dict[str, Any]
    seconds: float
    asked: Callable[[Request], None] = lambda request: None
    answered: Callable[[Request, Outcome], None] = lambda request, outcome: None

    def ask(self, request: Request) -> Outcome:
        self.asked(request)
        seconds = max(self.seconds, request.seconds) if self.seconds else 0.0
        outcome = Outcome()
        with interrupted_after(seconds) as limit:
            outcome = LocalSubject(self.namespace).ask(request)
        if not limit.is_over:
            self.answered(request, outcome)
            return outcome
        where = f"; it was in {limit.where}" if limit.where else ""
        printed = f"\n\n{what_was_printed(outcome.printed)}" if outcome.printed.strip() else ""
        raise SubjectTimeout(
            f"This check did not finish within {seconds:g} seconds{where}. Is there a loop that never ends?{printed}"
        )


@dataclass
class Limit:
    """Whether a time limit was reached, and in which line of the learner's code."""

    is_over: bool = False
    where: str = ""
    _first: float = 0.0  # when it was reached first

    def reached(self, frame: Any) -> bool:
        """Whether the code is to be interrupted now: not while a library imports another, as PyTorch does late."""
        self._first = self._first or time.monotonic()
        if not self.is_over and _imports(frame) and time.monotonic() < self._first + IMPORT_SECONDS:
            return False
        if not self.is_over:
            self.where = where_it_was(lines_of_stack(frame))
        self.is_over = True
        return True


def _imports(frame: Any) -> bool:
    """Whether an import is under way in a stack of frames."""
    return any(one.f_code.co_filename.startswith("<frozen importlib.") for one, _ in traceback.walk_stack(frame))


@contextlib.contextmanager
def interrupted_after(seconds: float) -> Iterator[Limit]:
    """End the code inside after this many seconds; code that catches the interrupt is interrupted again and again.

    Where possible, a signal does this, which ends waiting as well. Elsewhere another thread makes the interpreter raise
    an exception, which can end Python code only. 0 means no limit.
    """
    limit = Limit()
    in_main = threading.current_thread() is threading.main_thread()
    by = _by_signal if in_main and hasattr(signal, "setitimer") else _by_thread
    try:
        with by(seconds, limit) if seconds else contextlib.nullcontext():
            yield limit
    except OutOfTime:
        pass


@contextlib.contextmanager
def _by_signal(seconds: float, limit: Limit) -> Iterator[None]:
    def stop(number: int, frame: Any) -> None:
        if limit.reached(frame):
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
    try:
        try:
            yield
        finally:  # twice, since a signal may interrupt the first call
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _by_thread(seconds: float, limit: Limit) -> Iterator[None]:
    thread = threading.get_ident()
    over = threading.Event()

    def interrupt(by: type[BaseException] | None) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(by) if by else None)

    def watch() -> None:
        wait = seconds
        while not over.wait(wait):
            if limit.reached(sys._current_frames().get(thread)):
                interrupt(OutOfTime)
            wait = AGAIN_SECONDS

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        interrupt(None)  # cancels an exception that is still pending


@dataclass
class Shown:
    """A line that names the running check after `SHOW_SECONDS`, and disappears at the end.

    ``show``: replaces the text shown before by another one; at the end, by an empty one.
    """

    show: Callable[[str], None]
    doing: str = ""
    _done: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Shown:
        self._started = time.monotonic()
        # The thread gets a copy of the context: it decides to which cell a notebook's output belongs.
        watch = contextvars.copy_context().run
        self._thread = threading.Thread(target=watch, args=(self._watch,), daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        shown = False
        while not self._done.wait(SHOW_SECONDS):
            self.show(f"{self.doing} ({time.monotonic() - self._started:.0f} s)")
            shown = True
        if shown:
            self.show("")

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
