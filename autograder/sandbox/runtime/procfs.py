"""What runs below a process, read from /proc: finding it, measuring it, ending it.

psutil would be one more package for every learner, and looks through all processes again for each one whose
children are wanted.
"""

from __future__ import annotations

import contextlib
import glob
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterable
from functools import lru_cache

_HELD = ("RssAnon", "RssShmem", "VmSwap", "VmPTE")


def end_below(top: int, living: Iterable[int]) -> None:
    """End processes that ended submissions left behind: descendants of ``top``, but not of any of ``living``."""
    for _ in range(100):
        strays = descendants(top, children_of_all(), living)
        if not strays:  # not even one that has ended: while we looked, it may have started another
            return
        for pid in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            # No waiting: the first process of a namespace ends only when all others are collected.
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.005)


def has_ended(pid: int) -> bool:
    """Whether a child has ended. It is not reaped, so its number stays its own."""
    if not hasattr(os, "waitid"):  # macOS, up to Python 3.12
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False).stdout
        return state.strip()[:1] in (b"", b"Z")
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def children_of_all() -> dict[int, list[int]]:
    """The children of every process; nothing where there is no /proc."""
    below: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit() and (fields := _stat(int(name))):
            below.setdefault(int(fields[1]), []).append(int(name))
    return below


def descendants(top: int, below: dict[int, list[int]], without: Iterable[int] = ()) -> list[int]:
    """The processes below ``top``, except those in ``without`` and all below these.

    When a process ends, the first process of its PID namespace adopts its children, so none of them gets away.
    """
    skipped = set(without)
    found = [pid for pid in below.get(top, ()) if pid not in skipped]
    for pid in found:
        found += below.get(pid, ())
    return found


def usage(pid: int) -> dict[str, int]:
    """Bytes of a process's memory that no file holds (swapped pages included), and the number of its threads.

    Page tables are included. Any process may read these numbers of any other, even of one that tries to hide.
    """
    values = _fields(f"/proc/{pid}/status", (*_HELD, "Threads"))
    threads = values.pop("Threads", 0)
    if not values:  # its first thread has ended, and shows no memory; the other threads do
        values = next(filter(None, (_fields(status, _HELD) for status in glob.iglob(f"/proc/{pid}/task/*/status"))), {})
    return {"memory": 1024 * sum(values.values()), "threads": threads}


def proportional_memory(pid: int) -> int | None:
    """The same bytes, but with shared pages divided by the number of their users; ``None`` if unreadable."""
    values = _fields(f"/proc/{pid}/smaps_rollup", ("Pss_Anon", "Pss_Shmem", "SwapPss"))
    if "Pss_Anon" not in values:
        return None
    return 1024 * sum([*values.values(), *_fields(f"/proc/{pid}/status", ("VmPTE",)).values()])


def socket_memory(pid: int) -> int:
    """The most bytes that can wait in the sockets of a process's network namespace, for all processes that live there.

    The kernel charges them to no process. They also outlive the socket that sent them, and the connections that wait
    at a listening socket have no descriptor; but every queue that can hold them belongs to a socket that is listed.
    A queue holds as much as one sender may have sent and not delivered; a datagram socket's up to eleven times that.
    """
    try:
        with open(f"/proc/{pid}/net/unix", encoding="utf-8", errors="replace") as lines:
            kinds = [line.split()[4:5] for line in lines]
    except OSError:
        return 0
    return _sent_at_most() * sum(11 if kind == ["0002"] else 1 for kind in kinds[1:])


@lru_cache(maxsize=None)
def _sent_at_most() -> int:
    """Bytes of messages of one socket that wait elsewhere: its buffer, and the last message that still went in."""
    with socket.socket(socket.AF_UNIX) as one:
        return one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) * 3 // 2


def _fields(path: str, names: Iterable[str]) -> dict[str, int]:
    """Numbers of a file of lines like ``Threads: 3``; none where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
    except OSError:
        return {}
    return {name: int(lines[name].split()[0]) for name in names if name in lines}


def _stat(pid: int) -> list[str]:
    """State, parent and so on of a process: what follows its name in ``/proc/PID/stat``."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()
    except OSError:
        return []
