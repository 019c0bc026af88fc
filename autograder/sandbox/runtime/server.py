"""The fork server: one process that has imported torch, and a fresh fork of it for every submission.

Control messages arrive on the socket whose number is the first argument. Each is one byte and a frame:
``F`` (fork; one end of a socket pair comes with the byte, and the child serves the grader on it) is answered
with the child's pid, ``K`` (kill) with how the child ended. Learner code runs in children alone.
"""

from __future__ import annotations

import contextlib
import gc
import os
import secrets
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from . import FAULT, HOME_PREFIX, confine, lifeline, procfs, trials, warmup, wire
from .cells import CellRunner
from .requests import Request, execute, steady

torch.set_num_threads(1)

FORK, KILL = b"F", b"K"
WATCH_SECONDS = 0.25
MANY = 30  # forks after which more are to be expected: collapsing pages takes as long as it saves in 60 of them


@dataclass(frozen=True)
class Child:
    """One submission: the bytes that its processes together may use, and the processor that they share."""

    memory: int
    cpu: int
    sanitizers: bool


class Children:
    """The forked processes, each with one submission."""

    def __init__(self, control: socket.socket, errors: int, writable: tuple[str, ...]):
        self._control = control
        self._errors = errors
        self._writable = writable
        self._jailed = bool(writable)
        self._pids: dict[int, Child] = {}
        self._forked = 0
        self._count = secrets.randbelow(confine.UIDS)  # not the same users as another grader on this machine has

    def fork(self, connection: socket.socket, message: dict) -> int | str:
        """A new process that serves the grader on ``connection``: its pid, or why there is none."""
        self._count += 1
        self._forked += 1
        if self._forked == MANY:
            confine.collapse_to_huge_pages()
        child = Child(message["memory"], self._idle_processor(), message["sanitizers"])
        reading, writing = os.pipe()
        try:
            with confine.first_in_its_namespace() if self._jailed else contextlib.nullcontext(False) as inside:
                first = os.fork()
                if first == 0:
                    os.close(reading)
                    os.close(self._errors)
                    self._control.close()
                    _start(connection, writing, message["folder"], child, self._count, self._writable, inside)
        except OSError as error:  # the system allows no more processes now: the existing ones go on
            os.close(reading)
            os.close(writing)
            return str(error.strerror)
        os.close(writing)
        with os.fdopen(reading, errors="replace") as pipe:
            said = dict(line.rstrip("\n").partition(" ")[::2] for line in pipe)  # until the child has closed its end
        pid = int(said.get("pid", first))
        if pid != first:  # that one has ended; the process that it forked inside the namespaces is adopted
            _reap(first)
        if ("pid" in said or "ready" in said) and "error" not in said:
            self._pids[pid] = child
            return pid
        _reap(pid)
        return said.get("error", "the process ended at once")

    def _idle_processor(self) -> int:
        """The processor that the fewest children share."""
        if not self._jailed:
            return 0
        taken = [child.cpu for child in self._pids.values()]
        return min(sorted(os.sched_getaffinity(0)), key=taken.count)

    def kill(self, pid: int, force: bool) -> int | None:
        """Collect a process that has ended by itself, with what it started: its exit code, negative for a signal.

        A process that has not ended is left alone, or ended by ``force``; the result is then ``None``.
        """
        if pid not in self._pids:
            return None
        ended = procfs.has_ended(pid)
        if not ended and not force:
            return None
        del self._pids[pid]
        # Before it is reaped: then its number may be another's. In a jail, the end of PID 1 ends all others.
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
        code = _reap(pid)
        if not self._jailed:
            procfs.end_below(os.getpid(), self._pids)
        return code if ended else None

    def kill_over_limit(self) -> None:
        """End every submission whose processes together are too large or too many.

        The system's own limits hold for one process, and the limit on processes does not hold for root. (A cgroup would
        hold for all processes, but ordinary users, most containers and systems with the first version of cgroups have
        none that they can write to.)
        """
        if not self._jailed:
            return
        below = procfs.children_of_all()
        for pid, child in self._pids.items():
            pids = [pid, *procfs.descendants(pid, below)]
            used = [procfs.usage(one) for one in pids]
            too_many = sum(one["threads"] for one in used) > confine.PROCESSES
            most = child.memory - procfs.socket_memory(pid)
            if too_many or self._is_too_large(pids, [one["memory"] for one in used], most):
                os.kill(pid, signal.SIGKILL)  # `kill` collects it when the grader asks

    def _is_too_large(self, pids: Sequence[int], held: Sequence[int], most: int) -> bool:
        """Whether processes that hold so many bytes each have more than ``most`` besides what they share with this one.

        A forked process shares its parent's pages until one of the two writes to them, and the sum counts a shared page
        once for each process. If the sum is too large, each page is divided by the number of its owners, which takes
        2 ms for each process instead of 0.04. A process that hides from this count is counted in full.
        """
        server = os.getpid()
        if sum(held) - procfs.usage(server)["memory"] <= most:
            return False
        shared = procfs.proportional_memory(server) or 0
        parts = map(procfs.proportional_memory, pids)
        return sum(whole if part is None else max(0, part - shared) for whole, part in zip(held, parts)) > most

    @property
    def any(self) -> bool:
        return bool(self._pids)

    def kill_all(self) -> None:
        for pid in list(self._pids):
            self.kill(pid, force=True)


def _reap(pid: int) -> int | None:
    """Wait for one child: its exit code, negative for a signal; ``None`` for one that was reaped already."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return None


def _start(
    connection: socket.socket,
    report: int,
    folder: str,
    child: Child,
    number: int,
    writable: tuple[str, ...],
    inside: bool,
) -> None:
    """In the child: confine it (in namespaces of its own when the server is jailed), then serve. No return.

    ``inside``: it is the first process of its PID namespace already.
    """
    code = FAULT
    try:
        try:
            if writable:
                confine.enter_namespaces(number, but_pid=inside)
                if not inside and (first := os.fork()):
                    os.write(report, f"pid {first}\n".encode())
                    os._exit(0)
            os.setsid()
            confine.limit(None if child.sanitizers else child.memory, processes=bool(writable))
            if writable:
                os.sched_setaffinity(0, [child.cpu])  # a crowd of processes takes no time from other submissions
                confine.hide_everything(writable)
            confine.reset_process_state(folder)
            if writable:
                confine.seal()
            else:
                confine.die_with_parent()
                confine.adopt_orphans()  # what this submission leaves running stays below it, to be found and ended
            if inside or not writable:
                os.write(report, b"ready\n")
        except Exception as error:
            reason = str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            os.write(report, f"error {reason}".replace("\n", " ").encode())
            os._exit(FAULT)
        os.close(report)
        with connection:
            serve_requests(connection, writable or (folder,))
        code = 0
    finally:
        os._exit(code)  # never return into the server's loop, whatever happened


def serve_forks(control: socket.socket, errors: int, writable: tuple[str, ...]) -> None:
    """Answer control messages until the grader goes away; then end every child. ``errors``: its children close it."""
    children = Children(control, errors, writable)
    confine.adopt_orphans()
    next_look = 0.0
    while True:
        if children.any and time.monotonic() >= next_look:  # even if messages arrive without a pause
            children.kill_over_limit()
            next_look = time.monotonic() + WATCH_SECONDS
        if not select.select([control], [], [], WATCH_SECONDS if children.any else None)[0]:
            continue
        try:
            operation, descriptors, _, _ = socket.recv_fds(control, 1, 1)
            message = wire.receive(control)
        except (EOFError, OSError):
            break
        if operation == FORK:
            with socket.socket(fileno=descriptors[0]) as connection:
                warmup.prepare(message["needs"])
                wire.send(control, children.fork(connection, message))
        else:
            wire.send(control, children.kill(message["pid"], message["force"]))
    children.kill_all()


def serve_requests(connection: socket.socket, folders: Sequence[str] = ()) -> None:
    """Execute cells and requests for the grader until it closes the connection; ``folders``: where they may write."""
    runner = CellRunner()
    runner.prepare()
    while True:
        try:
            message = wire.receive(connection)
        except EOFError:
            return
        if "trials" in message:  # nothing but these, from now on
            runner.add_course(message["course"])
            return trials.serve(connection, runner, message["trials"], message["modules"], folders)
        try:
            reply = _answer(runner, message)
            wire.send(connection, reply)
        except wire.WireError as error:
            wire.send(connection, {"kinds": ["WireError"], "text": f"The result cannot be sent: {error}."})
        except OSError:  # the grader has closed the connection
            raise
        except Exception as error:
            wire.send(connection, _fault(error))


def _fault(error: Exception) -> dict:
    """The reply to a cell or a request when the runtime itself has failed; the code may have broken what it uses."""
    text = steady(f"the program that runs the code failed ({type(error).__name__}: {error!s:.300})")
    return {"kinds": ["RuntimeFault", "Exception"], "text": text, "error": f"RuntimeFault: {text}"}


def _answer(runner: CellRunner, message: dict) -> Any:
    """The reply to a message: code to import, a cell, or else a request."""
    if "modules" in message:
        runner.add_course(message["course"])
        return runner.add_modules(message["modules"])
    if "cell" in message:
        result = runner.run(message["cell"], message["source"])
        return {"output": result.output, "error": result.error}
    try:
        return execute(runner.namespace, Request(**message), shared=False).to_wire()
    except KeyboardInterrupt:  # there is no keyboard here, so the code raised it
        return {"kinds": ["KeyboardInterrupt", "BaseException"]}


class _NoCourseCode:
    """Refuses imports of the course's own solutions (the sandbox has no such files at all)."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name.split(".")[0] in ("solutions", "autograder"):
            raise ImportError(f"{name} is not available when grading: write the code in your own notebook.")


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    extra, *folders = sys.argv[2:]
    writable = tuple(folders)  # in a jail: where a submission may write
    sys.argv = ["notebook"]
    sys.meta_path.insert(0, _NoCourseCode())
    errors = os.dup(2)  # the grader reads why this process has ended
    with open(os.devnull, "r+b", buffering=0) as nothing:
        for descriptor in (0, 1, 2):
            os.dup2(nothing.fileno(), descriptor)
    if extra == "compiler":
        warmup.import_compiler()
    warmup.convert_once()
    warmup.import_regex()
    gc.freeze()  # no child needs to look through (and so copy) what was imported here
    gc.enable()  # it was off during the imports
    lifeline.stop_watching(control.fileno())
    wire.send(control, os.getpid())  # the grader waits for this: the imports are done
    try:
        serve_forks(control, errors, writable)
    except BaseException as error:
        os.write(errors, "".join(traceback.format_exception(error))[-10_000:].encode(errors="replace"))
        raise
    finally:
        home = os.environ["HOME"]
        if not writable and os.path.basename(home).startswith(HOME_PREFIX):
            shutil.rmtree(home, ignore_errors=True)  # the grader may have been killed
