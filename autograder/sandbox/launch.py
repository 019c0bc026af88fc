"""Starting the process of the fork server: everything about it that needs no torch.

A command that is going to grade calls `prestart` first, and imports torch itself while the fork server does.
"""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autograder.course.addresses import PACKAGE
from autograder.sandbox.jail import RUNTIME_FOLDER, NoJail, command, user_namespace_modes, writable_folders
from autograder.sandbox.runtime import HOME, HOME_PREFIX

# Instead of -I, which would ignore PYTHONHASHSEED: -s, a known environment, and sys.path without "".
_BOOTSTRAP = (
    "import gc, sys; gc.disable(); sys.path[0] = sys.argv.pop(1); from runtime.lifeline import end_with_grader; "
    "end_with_grader(int(sys.argv[1])); from runtime.server import main; sys.path.pop(0); main()"
)
_ENVIRONMENT = {
    "PATH": os.defpath,
    "LANG": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "HF_HUB_OFFLINE": "1",
}
_INHERITED = ("LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


@dataclass(frozen=True)
class Setup:
    """What a fork server is started with. ``compiler``: also import torch's compiler, which takes seconds."""

    jailed: bool
    own_user_namespace: bool
    compiler: bool

    @staticmethod
    def best(jailed: bool, compiler: bool) -> Setup:
        """The setup with the best kind of jail that works here; raises `NoJail` when there is none."""
        return Setup(jailed, not jailed or user_namespace_modes()[0], compiler)

    def serves(self, wanted: Setup) -> bool:
        """Whether a server of this kind can serve what is ``wanted``: it may have imported more."""
        return replace(self, compiler=wanted.compiler) == wanted and self.compiler >= wanted.compiler


@dataclass(frozen=True)
class Launched:
    """A process that is becoming a fork server, its control socket, and its folder (none in a jail)."""

    setup: Setup
    process: subprocess.Popen
    control: socket.socket
    folder: tempfile.TemporaryDirectory | None

    @property
    def home(self) -> str:
        return self.folder.name if self.folder else HOME

    def last_words(self) -> str:
        """Why the process has ended, in a few words: the last line that it wrote as an error, or its exit code."""
        try:
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its connection"
        said = b""
        if self.process.stderr and not self.process.stderr.closed:
            os.set_blocking(self.process.stderr.fileno(), False)
            said = self.process.stderr.read() or b""
        lines = said.decode(errors="replace").split("\n")
        words = ["".join(letter if letter.isprintable() else " " for letter in line).strip() for line in lines]
        return next(filter(None, reversed(words)), f"exit code {code}" if code >= 0 else f"signal {-code}")[:300]

    def stop(self) -> None:
        """End the process, and wait for its end."""
        self.control.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()
        if self.folder:
            self.folder.cleanup()


def launch(setup: Setup) -> Launched:
    """Start the process, or take the prestarted one; raises `OSError` when no folder can be made."""
    if _prestarted:
        started = _prestarted.pop()
        if started.setup.serves(setup):
            return started
        started.stop()  # no later launch can use it
    # A jail has a home of its own, in memory.
    folder = None if setup.jailed else tempfile.TemporaryDirectory(prefix=HOME_PREFIX, ignore_cleanup_errors=True)
    home = folder.name if folder else HOME
    control, theirs = socket.socketpair()
    environment = {**_ENVIRONMENT, **{name: os.environ[name] for name in _INHERITED if name in os.environ}}
    environment |= {"HOME": home, "MPLCONFIGDIR": home, "TMPDIR": home}
    jail = command(environment, setup.own_user_namespace) if setup.jailed else []
    runtime, writable = (RUNTIME_FOLDER, writable_folders()) if setup.jailed else (str(PACKAGE / "sandbox"), [])
    extra = "compiler" if setup.compiler else ""
    with theirs:
        process = subprocess.Popen(
            [*jail, sys.executable, "-s", "-c", _BOOTSTRAP, runtime, str(theirs.fileno()), extra, *writable],
            pass_fds=[theirs.fileno()],
            env=environment,
            cwd=folder.name if folder else "/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    return Launched(setup, process, control, folder)


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """For the imports of a command that grades: garbage collection would take an eighth of that time, for nothing.

    Objects that exist afterwards are frozen: they live until the command ends, so no collection visits them again.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()


_prestarted: list[Launched] = []  # at most one


def prestart(jailed: bool, compiler: bool) -> None:
    """Start the process that the next `launch` will want; `launch` will report what goes wrong with it."""
    with contextlib.suppress(NoJail, OSError):
        if not _prestarted:
            _prestarted.append(launch(Setup.best(jailed, compiler)))
