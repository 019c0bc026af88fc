"""Requests that share no process: each runs in a fork of its own, and leaves nothing to the next one.

The process that forks executes nothing of a submission and does not even read the requests: a fork reads one from the
grader's connection and closes that before it executes the submission's cells. It answers on a connection of its own,
and the answer is passed on unread. Then every process that the fork started is ended, and the folders that it may write
to are emptied. So code in one fork can tell another fork nothing, whether in memory, in files or through processes that
stay.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import shutil
import signal
import socket
import stat
from collections.abc import Mapping, Sequence
from typing import Any

from . import FAULT, confine, procfs, wire
from .cells import CellRunner
from .requests import Request, execute

MAX_REPLY = 2**20  # bytes: a trial has little to say
MAX_TURNS = 4  # of cells that lack a name which another cell defines
LOOK_SECONDS = 0.02  # at whether a fork that says nothing has ended
READ = b"R"  # says that a fork has taken its request from the connection


def serve(
    connection: socket.socket,
    runner: CellRunner,
    cells: Sequence[str],
    modules: Mapping[str, str],
    folders: Sequence[str],
) -> None:
    """Answer requests until the grader closes the connection; ``folders``: where a fork may write.

    An answer says what came back (``said``), else how the fork ended (``ended``, an exit code), and whether the next
    one would find something that could not be removed (``dirty``).
    """
    for number, source in enumerate(cells, 1):
        runner.compile_ahead(number, source)
    modes = {folder: stat.S_IMODE(os.stat(folder).st_mode) for folder in folders}
    gc.freeze()  # no fork needs to look through what is here, and so copy it
    while connection.recv(1, socket.MSG_PEEK):
        answer = _in_a_fork(connection, runner, cells, modules)
        answer["dirty"] = not all([_emptied(folder, mode) for folder, mode in modes.items()])
        wire.send(connection, answer)


def _in_a_fork(
    connection: socket.socket, runner: CellRunner, cells: Sequence[str], modules: Mapping[str, str]
) -> dict[str, Any]:
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        code = FAULT
        try:
            os.setsid()
            confine.die_with_parent()
            ours.close()
            request = Request(**wire.receive(connection))
            connection.close()
            theirs.sendall(READ)
            runner.add_modules(modules)
            wire.send(theirs, _answer(runner, cells, request))
            code = 0
        finally:
            os._exit(code)
    theirs.close()
    with ours:
        if ours.recv(1) != READ:  # the request may still wait in the connection
            os._exit(FAULT)
        said = _said(ours, child)
        return {"said": said, "ended": _end(child)}


def _answer(runner: CellRunner, cells: Sequence[str], request: Request) -> dict:
    """In the fork: execute the cells, those that fail again after the others, and then the request."""
    waiting = list(enumerate(cells, 1))
    for _ in range(MAX_TURNS):
        failed = [(number, source) for number, source in waiting if source.strip() and runner.run(number, source).error]
        if len(failed) == len(waiting):
            break
        waiting = failed
    try:
        return execute(runner.namespace, request, shared=False).to_wire()
    except KeyboardInterrupt:  # nobody is at a keyboard here
        return {"kinds": ["KeyboardInterrupt", "BaseException"]}


def _said(connection: socket.socket, child: int) -> bytes | None:
    """The frame that a fork sends; ``None`` for a fork that ends without a frame, or sends something else."""
    while not select.select([connection], [], [], LOOK_SECONDS)[0]:
        if (
            procfs.has_ended(child) and not select.select([connection], [], [], 0)[0]
        ):  # what it started may hold the connection open
            return None
    try:
        return wire.receive_frame(connection, MAX_REPLY)
    except (EOFError, OSError, wire.WireError):
        return None


def _end(child: int) -> int | None:
    """End a fork and all that it started: its exit code if it had ended by itself."""
    ended = procfs.has_ended(child)
    inside = os.getpid() == 1  # the first process of a namespace, in which all others come from the fork
    for kill, whom in ((os.kill, -1),) if inside else ((os.killpg, child), (os.kill, child)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(whom, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if inside:
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)
    else:
        procfs.end_below(os.getpid(), ())
    return code if ended else None


def _emptied(folder: str, mode: int) -> bool:
    """Remove all that is in a folder, and reset its mode and times; returns whether nothing is left."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)
        os.chmod(folder, mode)
        os.utime(folder, (0, 0))
        return not os.listdir(folder)
    except OSError:
        return False
