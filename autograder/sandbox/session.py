"""Code in another process: the grader's side of the fork server, and the subject that runs behind it.

Nothing that arrives from that process is trusted: replies are bounded, checked and made plain by ``runtime.wire``.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import re
import socket
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, TypeVar

from autograder.sandbox.jail import user_namespace_modes
from autograder.sandbox.launch import Setup, launch
from autograder.sandbox.runtime import FAULT, wire
from autograder.sandbox.runtime.requests import Outcome, Request
from autograder.submissions.syntax import MAX_SEARCHED, defined_names

MAX_RECEIVED = 128 * 2**20  # bytes of all replies of one submission
MAX_AHEAD = 64 * 1024  # bytes of requests sent before their replies are read: they never fill a buffer
PIECE = 64 * 1024  # bytes that are taken from a connection at once
MAX_TURNS = 4  # passes over cells that lack a name: for example a class above its base class, both above the imports
LATE_SECONDS = 1.0  # for the rest of a reply that was arriving when the deadline passed
_LACKED = re.compile(
    r"NameError\b[^;]*?\bname '(?P<name>\w+)' is not defined"
    r"|ModuleNotFoundError\b[^;]*?`(?P<module>\w+)[\w.]*` is not installed"
)
_PLOTS = re.compile(r"\b(?:matplotlib|pylab|seaborn)\b").search
_log = logging.getLogger(__name__)
Used = TypeVar("Used")
START_SECONDS = 120.0  # importing torch from a cold disk can take long


@dataclass(frozen=True)
class Limits:
    """What one submission may use: seconds for one cell or request, seconds for all of them, memory.

    A request that says how many seconds it may take, such as one that trains a model, gets them for itself alone: they
    count against neither limit.
    """

    request_seconds: float = 10.0
    total_seconds: float = 120.0
    memory_mb: int = 2048

    @staticmethod
    def of(timeout: float | None = None, memory_mb: int | None = None) -> Limits:
        """The defaults, with ``--timeout`` (for one submission) and ``--memory`` put in."""
        total = timeout or Limits.total_seconds
        return Limits(min(Limits.request_seconds, total / 3), total, memory_mb or Limits.memory_mb)


class SubjectTimeout(Exception):
    """The learner's code did not answer within the time limit."""


class SubjectCrashed(Exception):
    """The process with the learner's code ended."""


class ForkServerError(RuntimeError):
    """The fork server could not be started, or has ended."""


class ForkServer:
    """A running fork server; `fork` gives a connection to a fresh process. Safe to share between threads."""

    def __init__(self, jailed: bool = False, compiler: bool = True) -> None:
        self.jailed = jailed
        self._lock = threading.Lock()
        self._start(Setup.best(jailed, compiler))

    def _start(self, setup: Setup) -> None:
        try:
            self._launched = launch(setup)
        except OSError as error:
            raise ForkServerError(f"No folder for submissions can be made ({error.strerror or error}).") from error
        self._control, self._process = self._launched.control, self._launched.process
        self._reason, self._closed = "", False

    @property
    def own_user_namespace(self) -> bool:
        return self._launched.setup.own_user_namespace

    @property
    def home(self) -> str:
        """The folder in which submissions work; without a jail, each in one of its own below it."""
        return self._launched.home

    def wait_until_ready(self) -> None:
        """Wait for the imports; raises `ForkServerError` with the reason when they fail.

        A jail is tried out as well: a submission's process must be able to read the interpreter's files.
        """
        try:
            self._wait_for_imports()
            if self.jailed:
                self._try_out()
        except ForkServerError:
            setup = self._launched.setup
            if not self.jailed or setup.own_user_namespace or len(user_namespace_modes()) < 2:
                raise
            # As root, submissions run as users of their own, who may not be allowed to read root's files.
            self.close()
            self._start(replace(setup, own_user_namespace=True))
            self._wait_for_imports()
            self._try_out()

    def _wait_for_imports(self) -> None:
        self._control.settimeout(START_SECONDS)
        try:
            wire.receive(self._control)
        except (EOFError, OSError) as error:
            if isinstance(error, TimeoutError):
                self._process.kill()
            raise ForkServerError(f"The grading process could not start: {self._launched.last_words()}") from error
        self._control.settimeout(None)

    def _try_out(self) -> None:
        with ProcessSubject(self, ["import this_is_not_there"], Limits(request_seconds=30, total_seconds=60)) as trial:
            trial.load()
            if "ModuleNotFoundError" not in trial.reports[0].error:
                raise ForkServerError(f"The sandbox does not work here: {trial.reports[0].error}")

    def fork(
        self, folder: str, memory: int, sanitizers: bool = False, needs: Sequence[str] = ()
    ) -> tuple[socket.socket, int]:
        """A fresh process that works in ``folder`` with ``memory`` bytes: its connection and its pid.

        With ``sanitizers`` it may reserve more addresses than that: theirs are terabytes, of which they use little.
        ``needs``: what it should have imported already (see ``runtime.warmup``).
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._lock:
                socket.send_fds(self._control, [b"F"], [theirs.fileno()])
                wanted = {"folder": folder, "memory": memory, "sanitizers": sanitizers, "needs": list(needs)}
                wire.send(self._control, wanted)
                answer = wire.receive(self._control)
        except (EOFError, OSError) as error:
            ours.close()
            reason = self._reason_of_end()
            raise ForkServerError(
                f"The grading process has ended unexpectedly ({reason}); start the command again."
            ) from error
        if not isinstance(answer, int):
            ours.close()
            raise ForkServerError(f"No process for a submission could be started: {answer}.")
        return ours, answer

    def kill(self, pid: int, patience: float = 0.0) -> int | None:
        """End a process, after ``patience`` seconds for it to end by itself.

        Returns its exit code, negative for a signal; ``None`` when it did not end by itself.
        """
        deadline = time.monotonic() + patience
        while True:
            force = time.monotonic() >= deadline
            with self._lock:  # not while waiting: other submissions need the server meanwhile
                try:
                    self._control.sendall(b"K")
                    wire.send(self._control, {"pid": pid, "force": force})
                    code = wire.receive(self._control)
                except (EOFError, OSError):
                    return None
            if force or code is not None:
                return code
            time.sleep(0.005)

    def has_ended(self) -> bool:
        """Whether the server is gone: then the outcomes of its last submissions say nothing about them."""
        with self._lock:
            try:
                ended = self._control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
            except BlockingIOError:
                ended = False
            except OSError:
                ended = True
        if ended:
            self._reason_of_end()
        return ended

    def _reason_of_end(self) -> str:
        """Why the server has ended; logged once, since a caller that catches the exception may start another server."""
        with self._lock:
            if not self._reason:
                self._reason = self._launched.last_words()
                if not self._closed:
                    _log.warning("The grading process has ended unexpectedly (%s).", self._reason)
        return self._reason

    def close(self) -> None:
        self._closed = True
        self._launched.stop()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class CellReport:
    """The outcome of one cell: its output, its errors, and whether it had to wait for other cells."""

    output: str = ""
    error: str = ""
    waited: bool = False


@dataclass
class ProcessSubject:
    """A submission's cells in a process of their own.

    A cell or a request that hangs or kills the process costs only itself: a fresh process executes the
    other cells again and grading goes on with the next request. ``modules``: the texts, by name, of modules that cells
    may import; ``course``: the texts of those modules of `solutions` that stand for earlier units.
    """

    server: ForkServer
    cells: Sequence[str]
    limits: Limits = field(default_factory=Limits)
    reports: list[CellReport] = field(default_factory=list)
    sanitizers: bool = False
    modules: Mapping[str, str] = field(default_factory=dict)
    course: Mapping[str, str] = field(default_factory=dict)
    _always_needs: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        self._connection: _Timed | None = None
        self._pid = 0
        self._folder: tempfile.TemporaryDirectory | None = None
        self._spent = 0.0  # seconds that it took, without those in which the grader works
        self._failed = False  # whether the last process was ended for what it did, or ended itself
        self._lethal: set[int] = set()
        self._received = 0
        self._ahead: deque[bytes] = deque()  # requests that were sent, and whose replies are not used yet
        self._early: deque[bytes] = deque()  # the replies to the first of them, read before they were needed
        self.reports = [CellReport() for _ in self.cells]

    def ask(self, request: Request) -> Outcome:
        """Run a request; raises `SubjectTimeout` or `SubjectCrashed` when there is no reply."""
        self._read_ahead()
        if self._connection is None:
            self.load()
        return self.outcome(self._exchange(request.to_wire(), "This check", request.seconds))

    def ask_frames(self, frames: Sequence[bytes], then: Sequence[bytes] = ()) -> Iterator[bytes]:
        """Run requests that are encoded already; their replies come as they were sent, to be read by `outcome`.

        Some are sent ahead, so that the process need not wait for the grader between them. So are the first requests
        of the next call, ``then``, once the last one of this call is sent. Raises, as `ask` does, at the first
        request without a reply; the requests after it are not run then.
        """
        waiting = deque((*frames, *then))
        if self._ahead != deque(itertools.islice(waiting, len(self._ahead))):  # the next call was another one
            self._read_ahead()
            self._ahead.clear()
            self._early.clear()
        for _ in self._ahead:
            waiting.popleft()
        for _ in frames:
            if self._connection is None:
                self.load()
            self._send_ahead(waiting)
            yield self._early.popleft() if self._early else self._receive("This check")
            self._ahead.popleft()
        if self._connection is not None:
            self._send_ahead(waiting)

    def _send_ahead(self, waiting: deque[bytes]) -> None:
        while waiting and (not self._ahead or sum(map(len, self._ahead)) + len(waiting[0]) <= MAX_AHEAD):
            self._send(waiting[0], "This check", unread=len(self._ahead))
            self._ahead.append(waiting.popleft())

    def _read_ahead(self) -> None:
        """Read the replies to all that was sent ahead; if one does not come, process and replies are gone."""
        with contextlib.suppress(SubjectTimeout, SubjectCrashed):
            while len(self._early) < len(self._ahead):
                self._early.append(self._receive("This check"))

    def outcome(self, reply: bytes) -> Outcome:
        """What a reply says; raises `SubjectCrashed` for bytes that are no reply."""
        return Outcome.from_wire(self._decoded(reply, "This check"))

    def load(self) -> None:
        """Execute the cells in a fresh process, again without those that hang it or kill it."""
        while True:
            self._seconds_left()
            self._restart()
            if self.modules or self.course:
                self._exchange({"modules": dict(self.modules), "course": dict(self.course)}, "Your notebook")
            failed = self._run_cells()
            if failed is None:
                return
            self._lethal.add(failed)

    def harmless_cells(self) -> list[str]:
        """The cells, with an empty one in place of each that is known to hang or kill the process."""
        return ["" if index in self._lethal else source for index, source in enumerate(self.cells)]

    def look_for_lethal_cells(self) -> None:
        """Execute the cells if that has not happened yet: then `harmless_cells` knows the lethal ones."""
        if self._connection is None:
            with contextlib.suppress(SubjectTimeout):
                self.load()

    def _run_cells(self) -> int | None:
        """Execute every cell that is not known to be lethal; returns the index of one that turns out to be.

        Cells may have been reordered: those that lack a name, or a module, come again after the others.
        """
        waiting = [index for index, source in enumerate(self.cells) if source.strip() and index not in self._lethal]
        for turn in range(MAX_TURNS):
            for index in waiting:
                if not self._run_cell(index, waited=turn > 0):
                    return index
            lacking = self._lacking_a_name(waiting)
            if turn > 0 and len(lacking) == len(waiting):
                break
            waiting = lacking
        return None

    def _run_cell(self, index: int, waited: bool) -> bool:
        """Execute a cell and report on it; returns whether the process has survived the cell."""
        source = self.cells[index]
        if len(source) > wire.MAX_TEXT:
            self.reports[index] = CellReport(error=f"It is longer than the {wire.MAX_TEXT:,} characters that are run.")
            return True
        try:
            reply = self._decoded(self._exchange({"cell": index + 1, "source": source}, "This cell"), "This cell")
        except (SubjectTimeout, SubjectCrashed) as error:
            self.reports[index] = CellReport(error=str(error))
            return False
        if not isinstance(reply, dict):
            reply = {}
        before = self.reports[index].output if waited else ""  # what did not fail then is not executed again
        output = (before + _text(reply.get("output"), 20_000))[:20_000]
        self.reports[index] = CellReport(output, _text(reply.get("error"), 2000), waited)
        return True

    def _lacking_a_name(self, cells: Sequence[int]) -> list[int]:
        """Cells that failed for lack of a name that may still come, and define no name that a later cell redefines."""
        lacked = {index: lost for index in cells if (lost := _names_lacked(self.reports[index].error))}
        if sum(map(len, self.cells)) > MAX_SEARCHED:
            return []
        words = set[str]().union(*(defined_names(self.cells[index]) for index in lacked))
        found, defined = [], set[str]()
        for index in reversed(range(min(lacked, default=len(self.cells)), len(self.cells))):
            names = defined_names(self.cells[index])
            if lacked.get(index, set()) & words and not names & defined:
                found.append(index)
            words.update(re.findall(r"\w+", self.cells[index]))
            defined |= names
        return found[::-1]

    def _seconds_left(self) -> float:
        left = self.limits.total_seconds - self._spent
        if left <= 0:
            self.close()
            raise self._used_up()
        return left

    def _used_up(self) -> SubjectTimeout:
        return SubjectTimeout(f"The submission used up its {self.limits.total_seconds:g} seconds before this was done.")

    def _exchange(self, message: Any, what: str, granted: float = 0.0) -> bytes:
        """Send a message and return the frame that comes back, within ``granted`` seconds if that is not 0."""
        try:
            frame = wire.encode(message)
        except wire.WireError as error:
            raise self._crashed(what, error) from None
        self._send(frame, what)
        return self._receive(what, granted)

    def _send(self, frame: bytes, what: str, unread: int = 0) -> None:
        """Send a frame. That the process has ended is said by the reading of replies, if some are ``unread``."""
        ended = (BrokenPipeError, ConnectionResetError) if unread else ()
        with self._on_the_clock(what) as connection, contextlib.suppress(*ended):
            connection.sendall(frame)

    def _receive(self, what: str, granted: float = 0.0) -> bytes:
        with self._on_the_clock(what, granted) as connection:
            frame = wire.receive_frame(connection)  # type: ignore[arg-type]
            self._received += len(frame)
            if self._received > MAX_RECEIVED:  # the grader keeps the replies of a task until it has judged them all
                raise wire.WireError(f"with it, more than {MAX_RECEIVED // 2**20} MB")
            return frame

    @contextlib.contextmanager
    def _on_the_clock(self, what: str, granted: float = 0.0) -> Iterator[_Timed]:
        """The connection, for as many seconds as waiting for the other side may take.

        They count as the submission's, unless they were ``granted`` to this request alone.
        """
        assert self._connection is not None
        seconds = granted or min(self.limits.request_seconds, self._seconds_left())
        started = time.monotonic()
        try:
            yield self._connection.until(started + seconds)
        except TimeoutError:
            self.close()
            self._failed = True
            if not granted and seconds < self.limits.request_seconds:  # how many were left differs from run to run
                raise self._used_up() from None
            raise SubjectTimeout(
                f"{what} did not finish within {seconds:g} seconds. Is there a loop that never ends?"
            ) from None
        except (EOFError, OSError, wire.WireError) as error:
            raise self._crashed(what, error) from None
        finally:
            if not granted:  # time above the limit is not charged: the grader was busy
                self._spent += min(seconds, time.monotonic() - started)

    def _decoded(self, frame: bytes, what: str) -> Any:
        try:
            return wire.decode_frame(frame)
        except wire.WireError as error:
            raise self._crashed(what, error) from None

    def _crashed(self, what: str, error: Exception) -> SubjectCrashed:
        """End the process; returns the exception that says how it ended."""
        # A process that exits closes its connection a moment before it has an exit code.
        code = self._stop_process(patience=0.0 if isinstance(error, wire.WireError) else 1.0)
        self.close()
        self._failed = True
        return SubjectCrashed(_how_it_ended(what, code, error))

    def _restart(self) -> None:
        """Get a fresh process. If the submission has made that necessary, the time counts as the submission's."""
        started = time.monotonic()
        self.close()
        folder = self.server.home  # in a jail, a memory file system of its own
        if not self.server.jailed:
            self._folder = tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True)
            folder = self._folder.name
        memory = self.limits.memory_mb * 2**20
        connection, self._pid = self.server.fork(folder, memory, self.sanitizers, self._needs())
        self._connection = _Timed(connection)
        if self._failed:
            self._spent += time.monotonic() - started
            self._failed = False

    def _needs(self) -> list[str]:
        """What the code will import, as far as its text tells, and what takes long to import."""
        plots = any(map(_PLOTS, (*self.cells, *self.modules.values())))
        return [*self._always_needs, *(["plots"] if plots else [])]

    def _stop_process(self, patience: float = 0.0) -> int | None:
        pid, self._pid = self._pid, 0
        return self.server.kill(pid, patience) if pid else None

    def close(self) -> None:
        """End the process and remove its folder."""
        self._ahead.clear()
        self._early.clear()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._stop_process()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def __enter__(self) -> ProcessSubject:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Timed:
    """A connection whose every use counts against one deadline, so that a trickle of bytes cannot stretch it.

    The grader itself may be late: while one of its threads decodes a large file, no other thread runs. So after a
    deadline the connection is checked once more. If bytes have arrived already, there is a little time for the rest of
    them.
    """

    def __init__(self, connection: socket.socket):
        self._connection = connection
        self._deadline = 0.0
        self._is_late = False
        self._arrived = memoryview(b"")

    def until(self, deadline: float) -> _Timed:
        """The connection with a new deadline."""
        self._deadline, self._is_late = deadline, False
        return self

    def recv(self, size: int) -> bytes:
        """Some of the next bytes. All that have arrived are taken from the system at once: replies come in crowds."""
        if not self._arrived:
            self._arrived = memoryview(self._in_time(partial(self._connection.recv, max(size, PIECE))))
        taken, self._arrived = self._arrived[:size], self._arrived[size:]
        return bytes(taken)

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._in_time(partial(self._connection.send, rest)) :]

    def close(self) -> None:
        self._connection.close()

    def _in_time(self, use: Callable[[], Used]) -> Used:
        left = self._deadline - time.monotonic()
        if left > 0:
            with contextlib.suppress(TimeoutError):
                self._connection.settimeout(left)
                return use()
        if self._is_late:
            raise TimeoutError
        self._is_late = True
        self._connection.settimeout(0)
        try:
            used = use()
        except BlockingIOError:
            raise TimeoutError from None
        self._deadline = time.monotonic() + LATE_SECONDS
        return used


def _names_lacked(error: str) -> set[str]:
    """The names and modules that failed statements lacked."""
    return {match["name"] or match["module"] for match in _LACKED.finditer(error)}


def _text(value: Any, most: int) -> str:
    """A piece of a reply that should be text; a forged one may be anything."""
    return value[:most] if isinstance(value, str) else ""


def _how_it_ended(what: str, code: int | None, error: Exception) -> str:
    if isinstance(error, wire.WireError):
        return f"{what} sent back something that is not an answer: {error}."
    if code is None:
        return f"{what} closed the connection to the grader."
    if code == FAULT:
        return f"{what} ended the Python process: the program that runs the code failed (exit code {code})."
    if code == -11:
        return f"{what} crashed Python (segmentation fault)."
    if code < 0:
        return f"{what} ended the Python process (signal {-code}). Too much memory, or too many processes?"
    return f"{what} ended the Python process (exit code {code}). Does it call exit?"
