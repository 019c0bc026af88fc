"""Jupyter kernels that start in an instant: copies of one process that has the libraries of the chapters loaded.

A chapter's first cell spends two seconds of processor time on loading PyTorch, Matplotlib and pandas: a quarter of what
all pages take to execute. Here a server loads them once and forks a kernel for each page (Python's
``multiprocessing`` calls this method "forkserver"). Nothing of this repository is loaded beforehand.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

LOADED = [
    "torch",
    "torch.utils.flop_counter",
    "matplotlib.pyplot",
    "pandas",
    "ipykernel.kernelapp",
    "myst_nb",
]
NAME = "forked"
_running: set[Kernel] = set()


def fork_kernels() -> None:
    """From now on whatever starts a kernel in this process gets a forked one.

    Only Linux forks a process that has loaded libraries safely. Elsewhere kernels start as usual.
    """
    if sys.platform != "linux":
        return
    factory = KernelProvisionerFactory.instance(default_provisioner_name=NAME)
    factory.provisioners[NAME] = EntryPoint(NAME, f"{__name__}:ForkingProvisioner", factory.GROUP_NAME)
    multiprocessing.get_context("forkserver").set_forkserver_preload(LOADED)


def kill_all() -> None:
    """End all kernels at once, for example because the build was interrupted."""
    for kernel in list(_running):
        kernel.send_signal(signal.SIGKILL)


class Kernel:
    """A forked kernel with the methods of `subprocess.Popen` that Jupyter uses."""

    stdin = stdout = stderr = None

    def __init__(self, connection_file: str, cwd: str, env: dict[str, str]):
        context = multiprocessing.get_context("forkserver")
        self._process = context.Process(target=_serve, args=(connection_file, cwd, env))
        self._process.start()
        self.pid = self._process.pid
        _running.add(self)

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self) -> int | None:
        self._process.join()
        _running.discard(self)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """To the kernel and to all that its cells have started; nothing if it has ended."""
        if self.pid is not None and self.poll() is None:
            try:
                os.killpg(self.pid, number)
            except ProcessLookupError:  # it has no group of its own yet
                os.kill(self.pid, number)


class ForkingProvisioner(LocalProvisioner):
    """Forks a kernel where Jupyter's own provisioner starts a program."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        self.process = Kernel(cmd[cmd.index("-f") + 1], str(kwargs["cwd"]), dict(kwargs["env"]))
        self.pid = self.process.pid
        return self.connection_info


def _serve(connection_file: str, cwd: str, env: dict[str, str]) -> None:
    """What a forked process does: what ``python -m ipykernel_launcher`` does, with the libraries loaded."""
    os.setsid()  # interrupts from the terminal are for the build, which ends its kernels
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    extensions = str(Path(__file__).parent)
    sys.path[:] = [folder for folder in sys.path if folder != extensions]
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(argv=["-f", connection_file], parent_handle=os.getppid())
    atexit._run_exitfuncs()  # a forked process ends without them, and pages have temporary folders
