"""What a freshly forked process does to itself before it runs a learner's code.

`limit` works everywhere: limits on memory, processes, open files, file sizes. `enter_namespaces` and `seal`
need Linux and the jail around the fork server: fresh user, PID, mount, network, IPC, UTS and cgroup
namespaces for this one submission, empty memory file systems in place of everything that can be written to,
no capabilities, and a system-call filter (`seccomp`) that takes away the means to get out.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import resource
import signal
import struct
import sys
from collections.abc import Iterable, Iterator

import numpy.random  # NumPy imports it when it is first used: 5 ms for each submission, if that were after the fork
import torch

from . import seccomp

OPEN_FILES = 128
PROCESSES = 32  # threads among them
FILE_BYTES = 64 * 2**20
SCRATCH_BYTES = 64 * 2**20
FIRST_UID = 1_900_000_000  # far from any account; every submission graded by root gets a number of its own
UIDS = 100_000_000
INSIDE_UID = 1000

_MS_NOSUID, _MS_NODEV, _MS_RDONLY = 2, 4, 1
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_PR_SET_NO_NEW_PRIVS, _PR_SET_CHILD_SUBREAPER = 38, 36
_CAPABILITY_VERSION = 0x20080522
_MADV_COLLAPSE = 25
_HUGE_PAGE = 2 * 2**20

_libc = ctypes.CDLL(None, use_errno=True)


def _succeed(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def limit(memory: int | None, processes: bool) -> None:
    """Resource limits of one submission: ``memory`` bytes beyond what is mapped now, per process, unless ``None``."""
    if sys.platform == "linux" and memory is not None:
        # torch alone maps gigabytes that it never uses: the limit counts from here.
        with open("/proc/self/statm") as statm:
            mapped = int(statm.read().split()[0]) * resource.getpagesize()
        _limit(resource.RLIMIT_AS, mapped + memory)
    if processes:
        _limit(resource.RLIMIT_NPROC, PROCESSES)
    _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
    _limit(resource.RLIMIT_FSIZE, FILE_BYTES)
    _limit(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":
        # If the machine's memory still runs out, let the out-of-memory killer choose a submission.
        with contextlib.suppress(OSError):
            _write("/proc/self/oom_score_adj", "1000")


def _limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    value = min(value, 2**62)  # the system's own counters end soon after
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def collapse_to_huge_pages() -> None:
    """Collapse the memory of this process to huge pages, where the system can.

    A fork copies the list of all pages, and the end of a process frees it: with huge pages there are 500 times fewer,
    and both take a quarter of the time. A page that a child writes to is still copied by itself.
    """
    if sys.platform != "linux":
        return
    with open("/proc/self/maps") as maps:
        mappings = [line.split(maxsplit=5) for line in maps]
    for addresses, rights, *_, file in ((*fields, "") if len(fields) == 5 else fields for fields in mappings):
        if rights.startswith("rw") and file.strip() in ("", "[heap]"):
            start, end = (int(address, 16) for address in addresses.split("-"))
            start, end = -(-start // _HUGE_PAGE) * _HUGE_PAGE, end // _HUGE_PAGE * _HUGE_PAGE
            if start < end:  # an older system refuses, and nothing is lost
                _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_COLLAPSE)


def reset_process_state(folder: str) -> None:
    """Make ``folder`` the working directory, home and temporary folder, and seed all random generators."""
    os.environ.update(HOME=folder, TMPDIR=folder, MPLCONFIGDIR=folder)
    os.chdir(folder)
    torch.default_generator.manual_seed(0)  # torch.manual_seed takes the traces of calls for devices: milliseconds
    random.seed(0)
    numpy.random.seed(0)


def die_with_parent() -> None:
    """End this process when its parent ends."""
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Grandchildren whose parent ends become children of this process, which can then wait for them."""
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@contextlib.contextmanager
def first_in_its_namespace() -> Iterator[bool]:
    """Inside, a forked process is the first one (PID 1) of a fresh PID namespace; yields whether that works here.

    Only root can make such a namespace for itself. It saves every submission a second fork, a twentieth of the
    processor time of `grade`.
    """
    pid = seccomp.NAMESPACES["pid"]
    if os.getuid() != 0 or _libc.unshare(pid) != 0:
        yield False
        return
    try:
        yield True
    finally:
        own = os.open("/proc/self/ns/pid", os.O_RDONLY)
        try:
            _succeed(_libc.setns(own, pid), "return to the server's namespace")
        finally:
            os.close(own)


def enter_namespaces(number: int, but_pid: bool = False) -> None:
    """Move to fresh namespaces; the *next* fork of this process is the first one inside (PID 1), unless ``but_pid``.

    As root, the process first becomes a user of its own, with its ``number``: limits on processes hold
    per user, and one submission could otherwise signal another.
    """
    user = os.getuid()
    if user == 0 and _is_root_of_the_machine():
        user = FIRST_UID + number % UIDS
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        _succeed(_libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "become dumpable again")
    group = os.getgid()
    flags = sum(seccomp.NAMESPACES.values()) - but_pid * seccomp.NAMESPACES["pid"]
    if _libc.unshare(flags) != 0:
        # Some kernels have no cgroup namespaces; all the others are required.
        _succeed(_libc.unshare(flags & ~seccomp.NAMESPACES["cgroup"]), "make namespaces")
    with contextlib.suppress(FileNotFoundError):
        _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{INSIDE_UID} {user} 1")
    _write("/proc/self/gid_map", f"{INSIDE_UID} {group} 1")


def _is_root_of_the_machine() -> bool:
    """Whether this user namespace has other users to become (the one of an unprivileged jail has not)."""
    with open("/proc/self/uid_map") as lines:
        return sum(int(line.split()[2]) for line in lines) > 1


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def hide_everything(writable: Iterable[str]) -> None:
    """Fresh, empty, small memory file systems in place of all folders that can be written to, and of ``/proc``."""
    for folder in writable:
        _mount(folder, f"size={SCRATCH_BYTES},nr_inodes=4096,mode=1777", _MS_NOSUID | _MS_NODEV)
    # A submission needs to see no process of the jail, and it knows its own.
    _mount("/proc", "size=4096,mode=555", _MS_NOSUID | _MS_NODEV | _MS_RDONLY)


def _mount(folder: str, options: str, flags: int) -> None:
    _succeed(_libc.mount(b"tmpfs", folder.encode(), b"tmpfs", flags, options.encode()), f"mount {folder}")


def seal() -> None:
    """Give up every capability for good, and filter system calls."""
    for capability in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _succeed(_libc.capset(header, struct.pack("=6I", *[0] * 6)), "drop capabilities")
    _succeed(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "forbid new privileges")
    seccomp.filter_system_calls()
