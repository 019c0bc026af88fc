"""What a freshly forked process does to itself before it runs a learner's code.

`limit` works everywhere: limits on memory, processes, open files, file sizes. `enter_namespaces` and `seal`
need Linux and the jail around the fork server: fresh user, PID, mount, network, IPC, UTS and cgroup
namespaces for this one submission, empty memory file systems in place of everything that can be written to,
no capabilities, and a system-call filter that takes away the means to get out.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import random
import resource
import signal
import struct
import sys
from collections.abc import Iterable

import numpy
import torch

OPEN_FILES = 128  # what waits in sockets is memory that nothing else counts: 0.4 MB for each
PROCESSES = 32  # threads among them
FILE_BYTES = 64 * 2**20
SCRATCH_BYTES = 64 * 2**20
FIRST_UID = 1_900_000_000  # far from any account; every submission graded by root gets a number of its own
UIDS = 100_000_000
INSIDE_UID = 1000

_CLONE = {
    "user": 0x10000000,
    "pid": 0x20000000,
    "mount": 0x00020000,
    "network": 0x40000000,
    "ipc": 0x08000000,
    "uts": 0x04000000,
    "cgroup": 0x02000000,
}
_MS_NOSUID, _MS_NODEV, _MS_RDONLY = 2, 4, 1
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_SECCOMP = 1, 4, 24, 22
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
        # Where the machine's memory runs out all the same, a submission is what has to go.
        with contextlib.suppress(OSError):
            _write("/proc/self/oom_score_adj", "1000")


def _limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    value = min(value, 2**62)  # the system's own counters end soon after
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def gather_memory() -> None:
    """Put what this process holds in memory on huge pages, where the system can.

    A fork copies the list of all pages, and the end of a process frees it: with huge pages there are 500 times fewer,
    and both take a quarter of the time. A page that a child writes to is still copied by itself.
    """
    if sys.platform != "linux":
        return
    with open("/proc/self/maps") as maps:
        mappings = [line.split(maxsplit=5) for line in maps]
    for places, rights, *_, file in ((*fields, "") if len(fields) == 5 else fields for fields in mappings):
        if rights.startswith("rw") and file.strip() in ("", "[heap]"):
            start, end = (int(place, 16) for place in places.split("-"))
            start, end = -(-start // _HUGE_PAGE) * _HUGE_PAGE, end // _HUGE_PAGE * _HUGE_PAGE
            if start < end:  # an older system refuses, and nothing is lost
                _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_COLLAPSE)


def settle(folder: str) -> None:
    """Work in ``folder``, with no other environment than this one, and with known random numbers."""
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


def enter_namespaces(number: int) -> None:
    """Move to fresh namespaces; the *next* fork of this process is the first one inside (PID 1).

    As root, the process first becomes a user of its own, ``number`` counting them: limits on processes hold
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
    flags = 0
    for flag in _CLONE.values():
        flags |= flag
    if _libc.unshare(flags) != 0:
        # Some kernels have no cgroup namespaces; all the others are required.
        _succeed(_libc.unshare(flags & ~_CLONE["cgroup"]), "make namespaces")
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
    for place in writable:
        _mount(place, f"size={SCRATCH_BYTES},nr_inodes=4096,mode=1777", _MS_NOSUID | _MS_NODEV)
    # Processes of the jail are none of a submission's business, and its own ones it knows.
    _mount("/proc", "size=4096,mode=555", _MS_NOSUID | _MS_NODEV | _MS_RDONLY)


def _mount(place: str, options: str, flags: int) -> None:
    _succeed(_libc.mount(b"tmpfs", place.encode(), b"tmpfs", flags, options.encode()), f"mount {place}")


def seal() -> None:
    """Give up every capability for good, and filter system calls."""
    for capability in range(64):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _succeed(_libc.capset(header, struct.pack("=6I", *[0] * 6)), "drop capabilities")
    _succeed(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "forbid new privileges")
    filter_system_calls()


# --- the system-call filter --------------------------------------------------------------------------
# Numbers from the kernel's tables (asm/unistd.h): x86_64, aarch64.
_FORBIDDEN = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "open_by_handle_at": (304, 265),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "pidfd_getfd": (438, 438),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "syslog": (103, 116),
    # Memory that no process is charged for:
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "vmsplice": (278, 75),
    "io_setup": (206, 0),
    # One submission on one processor, however many processes it starts:
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
}
_CLONE_NUMBER = (56, 220)
_CLONE3_NUMBER = 435
_SOCKET_NUMBER = (41, 198)
_SOCKET_FAMILIES = (1, 2, 10)  # Unix, IPv4, IPv6; others (vsock, for one) know no network namespaces
_MMAP_NUMBER = (9, 222)
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_X32_BIT = 0x40000000


def filter_system_calls() -> bool:
    """Install the filter; ``False`` on a processor that it has no numbers for."""
    known = _ARCHITECTURES.get(platform.machine())
    if known is None:
        return False
    program = _program(*known)
    code = ctypes.create_string_buffer(program)
    pointer = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    _succeed(_libc.prctl(_PR_SET_SECCOMP, 2, pointer, 0, 0), "filter system calls")
    return True


def _program(column: int, architecture: int) -> bytes:
    """Classic BPF over ``struct seccomp_data``: number at 0, architecture at 4, arguments from 16 on."""
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    if column == 0:  # the other calling convention of x86_64 would have other numbers
        steps += [(_AT_LEAST, 0, 1, _X32_BIT), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    for numbers in _FORBIDDEN.values():
        steps += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    # clone3 keeps its flags in memory, where a filter cannot look: without it, libraries fall back to clone.
    steps += [(_EQUAL, 0, 1, _CLONE3_NUMBER), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    steps += _for_call(_CLONE_NUMBER[column], 0, [(_ANY_BIT, 0, 1, sum(_CLONE.values()))], errno.EPERM)
    families = [(_EQUAL, len(_SOCKET_FAMILIES) - i, 0, family) for i, family in enumerate(_SOCKET_FAMILIES)]
    steps += _for_call(_SOCKET_NUMBER[column], 0, families, errno.EAFNOSUPPORT)
    # Shared memory without a file stays when its pages have left the process: nobody would be charged for it.
    anonymous = [(_ANY_BIT, 0, 2, _MAP_ANONYMOUS), (_ANY_BIT, 0, 1, _MAP_SHARED)]
    steps += _for_call(_MMAP_NUMBER[column], 3, anonymous, errno.EPERM)
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _for_call(number: int, argument: int, tests: list[tuple], code: int) -> list[tuple]:
    """Steps that refuse one system call with an error ``code``, unless a test of the argument jumps over that."""
    refuse = [(_RETURN, 0, 0, _ERROR | code), (_RETURN, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, 1 + len(tests) + len(refuse), number), (_LOAD, 0, 0, 16 + 8 * argument), *tests, *refuse]
