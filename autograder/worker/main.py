"""The fork server: one process that has imported torch, and a fresh fork of it for every submission.

Control messages arrive on the socket whose number is the first argument. Each is one byte and a frame:
``F`` (fork; one end of a socket pair comes with the byte, and the child serves the grader on it) is answered
with the child's pid, ``K`` (kill) with how the child ended. Learner code runs in children alone.
"""

from __future__ import annotations

import ctypes
import os
import random
import resource
import signal
import socket
import sys
from typing import Any

import matplotlib
import numpy
import torch

from . import wire
from .cells import CellRunner
from .execute import Request, execute

matplotlib.use("Agg")
torch.set_num_threads(1)

FORK, KILL = b"F", b"K"
OPEN_FILES = 256
FILE_BYTES = 64 * 2**20
_PR_SET_PDEATHSIG = 1


def serve_forks(control: socket.socket) -> None:
    """Answer control messages until the grader goes away; then end every child."""
    children: set[int] = set()
    while True:
        try:
            operation, descriptors, _, _ = socket.recv_fds(control, 1, 1)
            message = wire.receive(control)
        except (EOFError, OSError):
            break
        if operation == FORK:
            pid = _fork(control, descriptors[0], message)
            children.add(pid)
            wire.send(control, pid)
        else:
            wire.send(control, _kill(message["pid"], children))
    for pid in list(children):
        _kill(pid, children)


def _fork(control: socket.socket, descriptor: int, message: dict) -> int:
    pid = os.fork()
    if pid:
        os.close(descriptor)
        return pid
    try:
        control.close()
        with socket.socket(fileno=descriptor) as connection:
            _confine(message["folder"], message["memory"])
            serve_requests(connection)
    finally:
        os._exit(0)  # never return into the server's loop, whatever happened
    raise AssertionError


def _kill(pid: int, children: set[int]) -> int:
    """End a child and what it started; returns its exit code, negative for a signal (as `subprocess` does)."""
    if pid not in children:
        return 0
    children.discard(pid)
    ended, status = os.waitpid(pid, os.WNOHANG)
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
    if not ended:
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _confine(folder: str, memory: int) -> None:
    """Limits of one submission's process, its working folder, and no way to outlive the server."""
    os.setpgid(0, 0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # torch alone maps gigabytes that it never uses: the limit counts from here.
        with open("/proc/self/statm") as statm:
            mapped = int(statm.read().split()[0]) * resource.getpagesize()
        _limit(resource.RLIMIT_AS, mapped + memory)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, FILE_BYTES)
    _limit(resource.RLIMIT_CORE, 0)
    os.environ.update(HOME=folder, TMPDIR=folder)
    os.chdir(folder)
    torch.manual_seed(0)
    random.seed(0)
    numpy.random.seed(0)


def _limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def serve_requests(connection: socket.socket) -> None:
    """Execute cells and requests for the grader until it closes the connection."""
    runner = CellRunner()
    runner.prepare()
    while True:
        try:
            message = wire.receive(connection)
        except EOFError:
            return
        try:
            reply = _answer(runner, message)
            wire.send(connection, reply)
        except wire.WireError as error:
            wire.send(connection, {"kinds": ["WireError"], "text": f"The result cannot be sent: {error}."})


def _answer(runner: CellRunner, message: dict) -> Any:
    if "cell" in message:
        result = runner.run(message["cell"], message["source"])
        return {"output": result.output, "error": result.error}
    return execute(runner.namespace, Request(**message)).to_wire()


class _NoCourseCode:
    """Learner code that imports the course's own solutions is told no (the sandbox has no such files at all)."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name.split(".")[0] in ("solutions", "autograder"):
            raise ImportError(f"{name} is not available when grading: write the code in your own notebook.")


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    sys.argv = ["notebook"]
    sys.meta_path.insert(0, _NoCourseCode())
    with open(os.devnull, "r+b", buffering=0) as nothing:
        for descriptor in (0, 1, 2):
            os.dup2(nothing.fileno(), descriptor)
    wire.send(control, os.getpid())  # tells the grader that the imports are done
    serve_forks(control)
