"""Ending with the grader while torch is imported, when this process does not read the control socket yet."""

from __future__ import annotations

import fcntl
import os
import select
import signal


def end_with_grader(control: int) -> None:
    """End this process when the other end of the socket closes. (Bytes would end it, too: the grader sends later.)"""
    # A handler, since the default action of a signal does not reach the first process of a PID namespace.
    signal.signal(signal.SIGIO, lambda *_: os._exit(1))
    fcntl.fcntl(control, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(control, fcntl.F_SETFL, fcntl.fcntl(control, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([control], [], [], 0)[0]:  # closed already: no signal comes
        os._exit(1)


def stop_watching(control: int) -> None:
    """Ask for no further signal: from here on, this process reads from the socket itself."""
    fcntl.fcntl(control, fcntl.F_SETFL, fcntl.fcntl(control, fcntl.F_GETFL) & ~os.O_ASYNC)
    signal.signal(signal.SIGIO, signal.SIG_DFL)
