"""``autograder doctor --sandbox``: every property of the sandbox, proved by trying to break it from inside.

A probe is a function whose source is run in the process of a jailed submission, where a learner's code would
be; the result of its attempt comes back, and ``held`` says whether the sandbox kept its promise.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.course.addresses import PACKAGE, ROOT
from autograder.sandbox import launch
from autograder.sandbox.drivers import driver_source
from autograder.sandbox.jail import bwrap_program, writable_folders
from autograder.sandbox.runtime import HOME, confine, seccomp
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.session import ForkServer, Limits, ProcessSubject, SubjectCrashed, SubjectTimeout

HELD, BROKEN, NOT_AVAILABLE = "held", "BROKEN", "not available on this host"
ENDED, STOPPED = "the process was ended", "the time limit stopped it"
LIMITS = Limits(request_seconds=10, total_seconds=30, memory_mb=384)
_ENVIRONMENT = {*launch._ENVIRONMENT, *launch._INHERITED, "HOME", "TMPDIR", "MPLCONFIGDIR", "PWD"} | {
    "TORCHINDUCTOR_CACHE_DIR"  # which torch sets by itself
}
_SLACK = 64 * 2**20  # memory that the process has mapped and not yet used

# --- what is tried inside; each function stands alone -------------------------------------------------
# ``learner`` is the namespace of the submission (empty here), ``facts`` what an attacker may know of the host.


def look_for_files(learner, facts):
    import os

    found = [path for path in facts["files"] if os.path.isfile(path) or (os.path.isdir(path) and os.listdir(path))]
    for folder, folders, names in os.walk("/"):
        if {"checks", "mistakes", "alternatives"} & set(folders) and os.path.basename(folder) == "autograder":
            found.append(folder)
        found += [os.path.join(folder, name) for name in names if name == facts["file_name"]]
    return found


def import_the_answers(learner, facts):
    import importlib
    import sys

    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "_NoCourseCode"]
    sys.path[:0] = facts["folders"]
    done = []
    for name in (
        "solutions.attention",
        "autograder.judging.runner",
        "autograder.units.attention.checks",
        "runtime_of_another",
    ):
        for loaded in [one for one in sys.modules if one.split(".")[0] in ("autograder", "solutions")]:
            del sys.modules[loaded]
        try:
            importlib.import_module(name)
            done.append(name)
        except ImportError:
            pass
    return done


def read_processes(learner, facts):
    import os

    readable = []
    for name in ("1/environ", "1/root", "self/environ", "self/fd", "self/mem", f"{facts['pid']}/environ", "cpuinfo"):
        if os.path.lexists(f"/proc/{name}"):
            readable.append(name)
    return os.listdir("/proc") + readable


def read_environment(learner, facts):
    import ctypes
    import os

    block = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    names: list[str] = []
    while block[len(names)] is not None:
        names.append(block[len(names)].decode(errors="replace").partition("=")[0])
    return sorted({*names, *os.environ})


def look_at_home(learner, facts):
    import os

    home = os.path.expanduser("~")
    before = os.listdir(home)
    with open(os.path.join(home, "mine"), "w") as file:
        file.write("x")
    return [home, before, os.listdir(home)]


def write_everywhere(learner, facts):
    import os

    written = []
    for folder, _, names in os.walk("/"):
        if folder in facts["writable"]:
            continue
        for path in (os.path.join(folder, "written"), *(os.path.join(folder, name) for name in names[:1])):
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK))
                written.append(path)
                if path.endswith("/written"):
                    os.unlink(path)
            except OSError:
                pass
    return [path for path in written if path not in ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")]


def change_the_interpreter(learner, facts):
    import os
    import sys

    import torch

    changed = []
    for path in map(str, (sys.executable, os.__file__, torch._C.__file__, sys.modules["runtime.wire"].__file__)):
        for attempt in (
            lambda p: open(p, "r+b").close(),
            os.unlink,
            lambda p: os.chmod(p, 0o777),
            lambda p: os.utime(p),
        ):
            try:
                attempt(path)
                changed.append(path)
            except OSError:
                pass
    return changed


def fill_the_disk(learner, facts):
    import os

    total = 0
    for folder in facts["writable"]:
        for number in range(100):
            try:
                with open(os.path.join(folder, str(number)), "wb", buffering=0) as file:
                    for _ in range(64):
                        total += file.write(bytes(2**20))
            except OSError:
                break
    return total


def make_a_huge_file(learner, facts):
    try:
        with open("huge", "wb") as file:
            file.truncate(facts["file_bytes"] + 1)
    except OSError as error:
        return error.errno
    return 0


def open_many_files(learner, facts):
    import os

    count = 3
    try:
        while count < 100_000:
            os.dup(1)
            count += 1
    except OSError:
        pass
    return count


def start_many_processes(learner, facts):
    import os
    import time

    for count in range(5000):
        try:
            if os.fork() == 0:
                time.sleep(5)
                os._exit(0)
        except OSError:
            return count
    time.sleep(2)
    return 5000


def start_many_threads(learner, facts):
    import threading
    import time

    threading.stack_size(65536)
    count = 0
    try:
        while count < 5000:
            threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
            count += 1
    except RuntimeError:
        pass
    time.sleep(1)  # if the system does not limit root's processes, the fork server does
    return count


def use_memory(learner, facts):
    kept = []
    try:
        for _ in range(10_000):
            kept.append(bytearray(2**24))
    except MemoryError:
        pass
    return len(kept) * 2**24


def use_memory_in_many_processes(learner, facts):
    import ctypes
    import os
    import time

    for _ in range(12):
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # not dumpable: other processes cannot look into it
            kept = bytearray(64 * 2**20)
            time.sleep(5)
            os._exit(len(kept) % 2)
    time.sleep(4)
    return "not noticed"


def use_memory_in_sockets(learner, facts):
    import socket
    import time

    kept = []
    for number in range(40):
        kept.append(socket.socket(socket.AF_UNIX))
        kept[-1].bind(f"\0{number}")
        kept[-1].listen(128)
        for _ in range(100):
            with socket.socket(socket.AF_UNIX) as one:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
                one.setblocking(False)
                one.connect(f"\0{number}")
                one.send(bytes(2**18))
    time.sleep(2)
    return "not noticed"


def use_memory_of_nobody(learner, facts):
    import ctypes
    import mmap

    libc = ctypes.CDLL(None)
    done = []
    if libc.memfd_create(b"x", 0) >= 0:
        done.append("memfd_create")
    if libc.shmget(0, 4096, 0o1600) >= 0:
        done.append("shmget")
    if libc.msgget(0, 0o1600) >= 0:
        done.append("msgget")
    try:
        mmap.mmap(-1, 4096)
        done.append("shared anonymous map")
    except OSError:
        pass
    return done


def loop_in_python(learner, facts):
    while True:
        pass


def loop_in_c(learner, facts):
    import ctypes

    ctypes.PyDLL(None).sleep(10**6)  # without giving up the interpreter's lock


def ignore_signals(learner, facts):
    import contextlib
    import signal

    for number in range(1, 65):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        try:
            raise BaseException
        except BaseException:
            pass


def use_the_network(learner, facts):
    import socket

    done = []
    for name, family, address in (
        ("loopback", socket.AF_INET, ("127.0.0.1", facts["port"])),
        ("loopback of IPv6", socket.AF_INET6, ("::1", facts["port"])),
        ("outside", socket.AF_INET, ("1.1.1.1", 53)),
        ("cloud metadata", socket.AF_INET, ("169.254.169.254", 80)),
        ("abstract Unix socket", socket.AF_UNIX, facts["abstract"]),
        ("vsock", getattr(socket, "AF_VSOCK", 40), (2, 22)),
    ):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as one:
                one.settimeout(2)
                one.connect(address)
                done.append(name)
        except ConnectionError:
            done.append(f"{name} (refused, but reached)" if family == getattr(socket, "AF_VSOCK", 40) else "")
        except OSError:
            pass
    try:
        socket.getaddrinfo("example.org", 80)
        done.append("DNS")
    except OSError:
        pass
    return [name for name in done if name]


def use_a_terminal(learner, facts):
    import fcntl
    import os

    done = []
    for name in ("/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/0", "/dev/pts/ptmx", "/dev/tty1"):
        try:
            os.close(os.open(name, os.O_RDWR | os.O_NONBLOCK))
            done.append(name)
        except OSError:
            pass
    for descriptor in range(3):
        try:
            fcntl.ioctl(descriptor, 0x5412, b"x")  # TIOCSTI: type into the terminal
            done.append(f"typed on {descriptor}")
        except OSError:
            pass
    return done


def have_capabilities(learner, facts):
    import ctypes
    import struct

    libc = ctypes.CDLL(None)
    data = ctypes.create_string_buffer(24)
    libc.capget(struct.pack("=Ii", 0x20080522, 0), data)
    bounding = [number for number in range(41) if libc.prctl(23, number, 0, 0, 0) == 1]
    return [*struct.unpack("=6I", data.raw), *bounding, libc.prctl(39, 0, 0, 0, 0) == 1]


def make_namespaces(learner, facts):
    import ctypes
    import struct

    libc = ctypes.CDLL(None)
    made = []
    for name, flag in facts["namespaces"].items():
        if libc.unshare(flag) == 0:
            made.append(f"unshare {name}")
        if (pid := libc.syscall(facts["clone"], ctypes.c_ulong(flag | 17), 0, 0, 0, 0)) == 0:
            libc._exit(0)
        if pid > 0:
            made.append(f"clone {name}")
    arguments = ctypes.create_string_buffer(struct.pack("=8Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0))
    if (pid := libc.syscall(435, arguments, 64)) == 0:
        libc._exit(0)
    if pid > 0:
        made.append("clone3")
    return made


def make_forbidden_calls(learner, facts):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    zeros = [ctypes.c_ulong(0)] * 6
    answered = []
    for name, number in facts["calls"].items():
        ctypes.set_errno(0)
        libc.syscall(ctypes.c_long(number), *zeros)
        if ctypes.get_errno() != 1:  # EPERM
            answered.append(name)
    return [libc.prctl(21, 0, 0, 0, 0), answered]


def make_calls_of_the_future(learner, facts):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    zeros = [ctypes.c_ulong(0)] * 6
    answered = []
    for number in range(facts["newest"] + 1, facts["newest"] + 100):
        ctypes.set_errno(0)
        libc.syscall(ctypes.c_long(number), *zeros)
        if ctypes.get_errno() != 38:  # ENOSYS
            answered.append(number)
    return answered


def signal_others(learner, facts):
    import contextlib
    import os
    import signal

    reached = []
    for pid in [*range(2, 3000), facts["pid"]]:
        try:
            os.kill(pid, 0)
            reached.append(pid)
        except ProcessLookupError:
            pass
        except OSError:
            reached.append(pid)
    for pid in (-1, 1) if os.getpid() == 1 else ():  # outside a namespace of its own this would end everything
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return [os.getpid() - 1, os.getppid(), *reached]


def leave_things_behind(learner, facts):
    import os
    import time

    import torch

    for folder in facts["writable"]:
        with open(os.path.join(folder, "left"), "w") as file:
            file.write("x")
    os.environ["LEFT"] = "x"
    vars(torch)["left"] = True
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    return "left"


def find_what_was_left(learner, facts):
    import os

    import torch

    found = [os.path.join(folder, name) for folder in facts["writable"] for name in os.listdir(folder)]
    return found + ["environment"] * ("LEFT" in os.environ) + ["torch"] * hasattr(torch, "left")


def find_descriptors(learner, facts):
    import os
    import stat

    kinds = []
    for descriptor in range(4096):
        try:
            mode = os.fstat(descriptor).st_mode
        except OSError:
            continue
        kinds.append("socket" if stat.S_ISSOCK(mode) else "device" if stat.S_ISCHR(mode) else "other")
    return sorted(kinds)


def take_more_processors(learner, facts):
    import contextlib
    import os

    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    return len(os.sched_getaffinity(0))


# --- what the outcome must be -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Probe:
    """One promise. ``held`` judges the attempt's return value; ``None`` means that it cannot be tried here."""

    name: str
    how: str
    attempt: Callable[..., Any]
    held: Callable[[Any], bool | None]
    before: Callable[..., Any] | None = None  # run in another submission first
    beside: bool = False  # that other submission is still there meanwhile, and must answer afterwards


def _nothing(value: Any) -> bool:
    return value == []


def _stopped(value: Any) -> bool:
    return value == STOPPED


def _calls_refused(value: Any) -> bool | None:
    return None if seccomp.column() is None else value == [2, []]


def _at_most(limit: int) -> Callable[[Any], bool]:
    return lambda value: value == ENDED or (isinstance(value, int) and value <= limit)


def probes() -> tuple[Probe, ...]:
    """All probes, in the order of the table."""
    scratch = len(writable_folders()) * confine.SCRATCH_BYTES
    return (
        Probe(
            "No solutions, tests, gradebook or other submissions",
            "known paths; a walk over all files",
            look_for_files,
            _nothing,
        ),
        Probe("Answers cannot be imported", "import hook removed, paths added", import_the_answers, _nothing),
        Probe("No view of processes", "/proc and what should be in it", read_processes, _nothing),
        Probe(
            "No environment of the grader",
            "os.environ and the C library's own",
            read_environment,
            lambda value: isinstance(value, list) and set(value) <= _ENVIRONMENT,
        ),
        Probe(
            "A home of its own, empty at first",
            "list, write, list",
            look_at_home,
            lambda value: value == [HOME, [], ["mine"]],
        ),
        Probe("Read-only interpreter", "write to, remove, chmod its files", change_the_interpreter, _nothing),
        Probe("No writing outside home and scratch", "a file in every folder", write_everywhere, _nothing),
        Probe("Scratch space is limited", "fill it", fill_the_disk, lambda value: 0 < value <= scratch),
        Probe("Size of files is limited", "one that is a byte too long", make_a_huge_file, lambda value: value == 27),
        Probe("Open files are limited", "dup() without end", open_many_files, _at_most(confine.OPEN_FILES)),
        Probe("Processes are limited", "fork() without end", start_many_processes, _at_most(confine.PROCESSES)),
        Probe("Threads are limited", "small threads without end", start_many_threads, _at_most(confine.PROCESSES)),
        Probe("Memory of a process is limited", "allocate", use_memory, _at_most(LIMITS.memory_mb * 2**20 + _SLACK)),
        Probe(
            "Memory of all processes is limited",
            "12 hidden processes of 64 MB",
            use_memory_in_many_processes,
            lambda value: value == ENDED,
        ),
        Probe(
            "Memory of what waits in sockets is limited",
            "messages in 4000 closed connections",
            use_memory_in_sockets,
            lambda value: value == ENDED,
        ),
        Probe(
            "No memory that nobody is charged for",
            "memfd, System V memory, shared maps",
            use_memory_of_nobody,
            lambda value: None if seccomp.column() is None else value == [],
        ),
        Probe("Time limit: a loop", "while True", loop_in_python, _stopped),
        Probe("Time limit: a call of C", "sleep() that keeps the interpreter", loop_in_c, _stopped),
        Probe("Time limit: no signal accepted", "all signals ignored and blocked", ignore_signals, _stopped),
        Probe("One processor, whatever it starts", "sched_setaffinity()", take_more_processors, _at_most(1)),
        Probe("No network", "loopback, outside, DNS, abstract Unix sockets, vsock", use_the_network, _nothing),
        Probe("No terminal", "/dev/tty, pseudo-terminals, TIOCSTI", use_a_terminal, _nothing),
        Probe(
            "No capabilities, and none to gain",
            "capget(), bounding set, no_new_privs",
            have_capabilities,
            lambda value: value == [0] * 6 + [True],
        ),
        Probe("No new namespaces", "unshare(), clone(), clone3()", make_namespaces, _nothing),
        Probe(
            "System calls are filtered (seccomp)",
            f"{len(_forbidden_calls())} calls: ptrace, mount, keyctl, bpf, …",
            make_forbidden_calls,
            _calls_refused,
        ),
        Probe(
            "No system call that is newer than the filter",
            f"numbers above {seccomp.NEWEST}",
            make_calls_of_the_future,
            lambda value: None if seccomp.column() is None else value == [],
        ),
        Probe(
            "Other processes neither seen nor signalled",
            "kill() of all numbers, of -1 and of 1",
            signal_others,
            lambda value: value == [0, 0],
            before=leave_things_behind,
            beside=True,
        ),
        Probe(
            "Nothing survives a submission",
            "files, shared memory, environment, patches",
            find_what_was_left,
            _nothing,
            before=leave_things_behind,
        ),
        Probe(
            "No open files of the grader",
            "fstat() of all descriptors",
            find_descriptors,
            lambda value: value == ["device"] * 3 + ["socket"],
        ),
    )


# --- trying it ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """The outcome of a probe: its status, and what the attempt returned."""

    probe: Probe
    status: str
    value: Any


def examine(server: ForkServer) -> Iterator[Finding]:
    """Run every probe in a submission of its own in a jailed fork server."""
    with _facts() as facts:
        for probe in probes():
            value, neighbour = _try(server, probe, facts)
            held = probe.held(value) if neighbour else False
            yield Finding(probe, NOT_AVAILABLE if held is None else HELD if held else BROKEN, value)


def _try(server: ForkServer, probe: Probe, facts: dict) -> tuple[Any, bool]:
    """What the attempt led to, and whether the submission beside it (if any) is as it was."""
    if probe.before is None:
        return _in_submission(server, probe.attempt, facts), True
    with ProcessSubject(server, [], LIMITS) as other:
        left = _ask(other, probe.before, facts)
        if not probe.beside:
            other.close()
        value = _in_submission(server, probe.attempt, facts)
        return value, left == "left" and (not probe.beside or _ask(other, find_what_was_left, facts) != [])


def _in_submission(server: ForkServer, attempt: Callable[..., Any], facts: dict) -> Any:
    quick = Limits(1, LIMITS.total_seconds, LIMITS.memory_mb)
    limits = quick if attempt in (loop_in_python, loop_in_c, ignore_signals) else LIMITS
    with ProcessSubject(server, [], limits) as subject:
        return _ask(subject, attempt, facts)


def _ask(subject: ProcessSubject, attempt: Callable[..., Any], facts: dict) -> Any:
    try:
        outcome = subject.ask(Request(attempt.__name__, (facts,), source=driver_source(attempt)))
    except SubjectTimeout:
        return STOPPED
    except SubjectCrashed:
        return ENDED
    return f"{outcome.kinds[0]}: {outcome.text}" if outcome.kinds else outcome.value


@contextmanager
def _facts() -> Iterator[dict]:
    """What an attacker may know of the host, with things planted to be found: a file, listening sockets."""
    with tempfile.TemporaryDirectory(prefix="autograder-doctor-") as folder, socket.socket() as tcp:
        secret = Path(folder) / "gradebook-of-the-doctor.db"
        secret.write_text("secret", encoding="utf-8")
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind(f"\0autograder-doctor-{os.getpid()}")
            unix.listen()
            yield {
                "files": [str(secret), str(PACKAGE / "judging" / "runner.py"), *map(str, _private_paths())],
                "file_name": secret.name,
                "folders": [str(ROOT), str(PACKAGE.parent), str(PACKAGE), folder],
                "pid": os.getpid(),
                "port": tcp.getsockname()[1],
                "abstract": f"\0autograder-doctor-{os.getpid()}",
                "writable": writable_folders(),
                "file_bytes": confine.FILE_BYTES,
                "namespaces": seccomp.NAMESPACES,
                "clone": seccomp.CLONE[seccomp.column() or 0],
                "calls": _forbidden_calls(),
                "newest": seccomp.NEWEST,
            }


def _forbidden_calls() -> dict[str, int]:
    numbers = {name: columns[seccomp.column() or 0] for name, columns in seccomp.FORBIDDEN.items()}
    return {name: number for name, number in numbers.items() if number is not None}


def _private_paths() -> Iterator[Path]:
    """Files and folders that people keep private."""
    yield from (ROOT / name for name in ("solutions", "exercises", "tests", "gradebook.db", ".git"))
    home = Path.home()
    yield from (home / name for name in (".ssh", ".aws", ".config", ".netrc", ".kube", ".bash_history", ".docker"))
    yield from map(Path, ("/etc/passwd", "/etc/shadow", "/etc/hosts", "/var/log", "/run", "/sys", "/boot"))


def report(console: Console | None = None) -> bool:
    """Print the table of all findings; ``False`` when a promise is broken.

    Raises `NoJail` or `ForkServerError` when there is no sandbox to examine.
    """
    console = console or Console()
    with ForkServer(jailed=True) as server:
        server.wait_until_ready()
        findings = list(examine(server))
    mode = "in a user namespace" if server.own_user_namespace else "as root, each submission a user of its own"
    table = Table(title=f"The sandbox: {bwrap_program()}, {mode}")
    for column in ("Promise", "How it was tried", "Result"):
        table.add_column(column)
    style = {HELD: "green", BROKEN: "bold red", NOT_AVAILABLE: "yellow"}
    for finding in findings:
        detail = f": {escape(str(finding.value)[:200])}" if finding.status == BROKEN else ""
        table.add_row(finding.probe.name, finding.probe.how, f"[{style[finding.status]}]{finding.status}[/]{detail}")
    console.print(table)
    broken = [finding for finding in findings if finding.status == BROKEN]
    console.print(
        f"{len(broken)} of {len(findings)} promises are broken: do not grade code that you do not trust on this host."
        if broken
        else "No promise is broken."
    )
    return not broken
