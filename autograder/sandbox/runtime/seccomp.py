"""The system-call filter of one submission: a classic BPF program that the kernel runs before every system call.

The filter denies by list what leads out of the namespaces, shows the host, or holds memory that nobody is charged
for. Calls with a number above the newest one that was looked at do not exist for a submission.

Why it is made here: libseccomp is a library of the system, and its Python binding belongs to the system's own Python.
The bindings on PyPI (pyseccomp, for one) need that library as well, on every machine that grades and in every jail.
An older library also lacks the newer names: Debian 12's knows no ``statmount``. The program below takes 60 lines.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

# Numbers from the kernel's tables (syscall_64.tbl, and syscall.tbl for aarch64); a test compares them with the headers
# of the machine. ``None``: this processor has no such call.
COLUMNS = {"x86_64": 0, "aarch64": 1}
FORBIDDEN: dict[str, tuple[int | None, int | None]] = {
    # Other mounts, and other namespaces:
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "quotactl_fd": (443, 443),
    "unshare": (272, 97),
    "setns": (308, 268),
    # What hiding /proc has taken away, and other views of the host:
    "statmount": (457, 457),
    "listmount": (458, 458),
    "lsm_get_self_attr": (459, 459),
    "lsm_set_self_attr": (460, 460),
    "lsm_list_modules": (461, 461),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "syslog": (103, 116),
    # Other processes:
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # Parts of the kernel with a history of holes, which no learner needs:
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "modify_ldt": (154, None),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    # Memory that no process is charged for:
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "vmsplice": (278, 75),
    "io_setup": (206, 0),
    # One submission on one processor, with the priority that it was given, however many processes it starts:
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
}
# The newest call that was looked at is mseal (Linux 6.10), with the same number everywhere. Later ones are
# answered as an older kernel answers them, which every library has to cope with. Of those after kexec_file_load, the
# ones that are allowed act on the caller alone (futex_*, mseal, map_shadow_stack, landlock_*) or on files and
# processes that it may reach anyway (openat2, faccessat2, fchmodat2, cachestat, pidfd_open, process_madvise, …).
NEWEST = 462

NAMESPACES = {
    "user": 0x10000000,
    "pid": 0x20000000,
    "mount": 0x00020000,
    "network": 0x40000000,
    "ipc": 0x08000000,
    "uts": 0x04000000,
    "cgroup": 0x02000000,
}
CLONE = (56, 220)
_CLONE3 = 435
_SOCKET, _SOCKETPAIR, _SETSOCKOPT = (41, 198), (53, 199), (54, 208)
_AF_UNIX = 1
_SO_SNDBUF, _SO_SNDBUFFORCE = 7, 32
_MMAP = (9, 222)
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20

_ARCHITECTURES = (0xC000003E, 0xC00000B7)
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2


def column() -> int | None:
    """Which numbers hold on this processor; ``None`` where there are none."""
    return COLUMNS.get(platform.machine())


def filter_system_calls() -> bool:
    """Install the filter, for good; ``False`` on a processor that it has no numbers for."""
    known = column()
    if known is None:
        return False
    code = ctypes.create_string_buffer(program(known))
    pointer = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, pointer, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"filter system calls: {os.strerror(ctypes.get_errno())}")
    return True


def program(column: int) -> bytes:
    """Classic BPF over ``struct seccomp_data``: number at 0, architecture at 4, arguments from 16 on."""
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _ARCHITECTURES[column]), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    # Among the large numbers are those of the other calling convention of x86_64.
    steps += [(_AT_LEAST, 0, 1, NEWEST + 1), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    for numbers in FORBIDDEN.values():
        number = numbers[column]
        if number is not None:
            steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | errno.EPERM)]
    # clone3 keeps its flags in memory, where a filter cannot look: without it, libraries fall back to clone.
    steps += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    steps += _for_call(CLONE[column], 0, [(_ANY_BIT, 0, 1, sum(NAMESPACES.values()))], errno.EPERM)
    # Only Unix sockets: others, with no network to send to, would only keep data that nobody counts, and some (vsock,
    # for one) know no network namespaces. Code that counts waiting messages (`procfs.socket_memory`) has to know how
    # large a buffer can be: a request for another size does nothing, and reports success.
    for call in (_SOCKET, _SOCKETPAIR):
        steps += _for_call(call[column], 0, [(_EQUAL, 1, 0, _AF_UNIX)], errno.ENETUNREACH)
    larger = [(_EQUAL, 1, 0, _SO_SNDBUF), (_EQUAL, 0, 1, _SO_SNDBUFFORCE)]
    steps += _for_call(_SETSOCKOPT[column], 2, larger, 0)
    # Shared memory without a file stays when its pages have left the process: nobody would be charged for it.
    anonymous = [(_ANY_BIT, 0, 2, _MAP_ANONYMOUS), (_ANY_BIT, 0, 1, _MAP_SHARED)]
    steps += _for_call(_MMAP[column], 3, anonymous, errno.EPERM)
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _for_call(number: int, argument: int, tests: list[tuple], code: int) -> list[tuple]:
    """Steps that refuse one system call with an error ``code``, unless a test of the argument jumps over that."""
    refuse = [(_RETURN, 0, 0, _ERROR | code), (_RETURN, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, 1 + len(tests) + len(refuse), number), (_LOAD, 0, 0, 16 + 8 * argument), *tests, *refuse]
