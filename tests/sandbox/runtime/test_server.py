"""The fork server itself: it waits for the right child, and outlives whatever becomes of its children."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from dataclasses import replace

import pytest

from autograder.course.addresses import PACKAGE
from autograder.sandbox import selftest
from autograder.sandbox.jail import user_namespace_modes
from autograder.sandbox.launch import Setup
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.session import ForkServer, ForkServerError, Limits, ProcessSubject, SubjectCrashed

MEMORY = 2**30


def run(script: str) -> str:
    """What a script prints that has the runtime for itself, as a fork server has."""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=PACKAGE / "sandbox", capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(params=[False, True], ids=["no jail", "jail"])
def own_server(request):
    """A server for one test alone, which may break it."""
    with ForkServer(request.param, compiler=False) as server:
        server.wait_until_ready()
        yield server


def test_a_failed_fork_costs_no_other_submission(own_server, caplog):
    """The server waits for the child that failed. Another one may have ended by itself meanwhile."""
    connection, pid = own_server.fork(str(own_server.home), MEMORY)
    connection.close()  # it ends, with exit code 0
    for _ in range(3):
        with pytest.raises(ForkServerError, match=r"could be started: .*no_such_folder"):
            own_server.fork("/no_such_folder", MEMORY)
    assert own_server.kill(pid, patience=30) == 0
    assert not own_server.has_ended()
    with ProcessSubject(own_server, ["def double(x):\n    return 2 * x"], Limits(30, 60)) as subject:
        assert subject.ask(Request("double", (3,))).value == 6
    own_server.close()
    assert own_server.has_ended()
    assert caplog.records == []  # not unexpectedly


CHILDREN = """
import os, signal
from runtime import server

children = server.Children(control=None, errors=2, writable=())

def start(body):
    pid = os.fork()
    if pid == 0:
        body()
    children._pids[pid] = server.Child(memory=2**30, cpu=0, sanitizers=False)
    return pid

def kill(number, sent, send=os.kill):
    with open(f"/proc/{number}/stat") as stat:
        print("sent to a", stat.read().rpartition(")")[2].split()[0])
    send(number, sent)

def wait_for(pid):
    while not server.procfs.has_ended(pid):
        pass

# A number is killed only while it is the child's: once it has been reaped, it may be another process's.
pid = start(lambda: (os.setsid(), os._exit(7)))
wait_for(pid)
before, os.kill, os.killpg = (os.kill, os.killpg), kill, kill
print(children.kill(pid, force=False), children.kill(pid, force=False))
os.kill, os.killpg = before

# Whether a child has ended, with and without the system call for it.
for _ in range(2):
    pid = start(signal.pause)
    print(server.procfs.has_ended(pid), children.kill(pid, force=False))
    os.kill(pid, signal.SIGTERM)
    wait_for(pid)
    print(children.kill(pid, force=False), server.procfs.has_ended(pid))
    if hasattr(os, "waitid"):
        del os.waitid

# One that someone else has reaped.
pid = start(lambda: os._exit(7))
os.waitpid(pid, 0)
print(children.kill(pid, force=True))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for a process under /proc")
def test_children_are_killed_and_reaped_in_that_order():
    expected = ["sent to a Z", "sent to a Z", "7 None", *["False None", "-15 True"] * 2, "None"]
    assert run(CHILDREN).splitlines() == expected


NO_MORE_PROCESSES = """
import errno, os
from runtime import server

def fork():
    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

children = server.Children(control=None, errors=2, writable=())
before, os.fork = len(os.listdir("/proc/self/fd")), fork
print(children.fork(None, {"memory": 1, "sanitizers": False, "folder": "/"}))
print(children.any, len(os.listdir("/proc/self/fd")) - before)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="counts descriptors under /proc")
def test_where_the_system_allows_no_process_the_server_goes_on():
    assert run(NO_MORE_PROCESSES) == "Resource temporarily unavailable\nFalse 0\n"


# --- memory of several processes ------------------------------------------------------------------------

FORKED = """
import os, time
import torch
from torch.utils.data import DataLoader, TensorDataset

def load(workers):
    data = TensorDataset(torch.arange(6.0))
    seen = [batch.sum().item() for (batch,) in DataLoader(data, batch_size=2, num_workers=workers)]
    time.sleep(1)
    return seen

def crowd(count, megabytes=0):
    mine = bytearray(b"x") * (megabytes * 2**20)
    for _ in range(count):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
    time.sleep(1.5)
    return len(mine) // 2**20

def crowd_that_writes(count, megabytes):
    for _ in range(count):
        if os.fork() == 0:
            mine = bytearray(b"x") * (megabytes * 2**20)
            time.sleep(20)
            os._exit(len(mine) % 2)
    time.sleep(3)
"""


@pytest.fixture(scope="module", params=[False, True], ids=["best jail", "user namespace"])
def jail(request):
    """A jailed server; as root, there are two kinds."""
    setup = replace(Setup.best(jailed=True, compiler=False), own_user_namespace=request.param)
    if request.param not in user_namespace_modes():
        pytest.skip("there is no such jail here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Setup, "best", staticmethod(lambda jailed, compiler: setup))
        server = ForkServer(jailed=True, compiler=False)
    with server:
        server.wait_until_ready()
        yield server


def ask(server, code: str, name: str, *args, memory_mb: int = 384):
    with ProcessSubject(server, [code], Limits(30, 60, memory_mb)) as subject:
        return subject.ask(Request(name, args)).value


def test_workers_that_share_their_parents_memory_are_not_large(jail):
    """Each of them holds what the server has imported, and the parent's own data; none has written to it.

    Counted once for each, that would be gigabytes. On a busy machine workers write to more of it before they are done.
    """
    assert ask(jail, FORKED, "load", 3) == [1, 5, 9]
    assert ask(jail, FORKED, "crowd", 6, memory_mb=512) == 0
    assert ask(jail, FORKED, "crowd", 6, 200, memory_mb=512) == 200


def test_workers_with_memory_of_their_own_are_counted(jail):
    with pytest.raises(SubjectCrashed, match="Too much memory"):
        ask(jail, FORKED, "crowd_that_writes", 6, 100)


SOCKETS = """
import socket, time

def keep(senders, kind, times):
    '''Messages of senders that are gone; how many bytes wait.'''
    kept, total = [], 0
    for number in range(senders // times):
        receiving = socket.socket(socket.AF_UNIX, kind)
        receiving.bind(f"\\0{number}")
        if kind == socket.SOCK_STREAM:
            receiving.listen(times)
        for _ in range(times):
            with socket.socket(socket.AF_UNIX, kind) as sender:
                sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
                sender.setblocking(False)
                sender.connect(f"\\0{number}")
                try:
                    while True:
                        total += sender.send(bytes(100_000))
                except BlockingIOError:
                    pass
        kept.append(receiving)
    time.sleep(1.5)
    return total

def pairs(count):
    kept = [socket.socketpair() for _ in range(count)]
    time.sleep(1)
    return len(kept)
"""


@pytest.mark.parametrize(("kind", "senders", "times"), [(socket.SOCK_STREAM, 1000, 1000), (socket.SOCK_DGRAM, 400, 4)])
def test_what_waits_in_sockets_is_memory(jail, kind, senders, times):
    """Nothing of it is in a process, not even a descriptor for each: one listening socket can keep gigabytes."""
    few = ask(jail, SOCKETS, "keep", 40, int(kind), min(times, 40), memory_mb=256)
    assert few >= 40 * 100_000
    with pytest.raises(SubjectCrashed, match="Too much memory"):
        ask(jail, SOCKETS, "keep", senders, int(kind), times, memory_mb=256)


def test_a_hundred_sockets_are_not_large(jail):
    assert ask(jail, SOCKETS, "pairs", 50, memory_mb=256) == 50


COUNTS = """
from runtime import procfs, server

children = server.Children(control=None, errors=2, writable=("/",))
held = {1: 300, 2: 300, 3: 300}
procfs.usage = lambda pid: {"memory": held.get(pid, 250), "threads": 1}
parts = {1: 110, 2: 110}
procfs.proportional_memory = lambda pid: parts.get(pid, None if pid in held else 60)
print([children._is_too_large(pids, [held[pid] for pid in pids], most) for pids, most in PROBES])
"""


def test_a_process_that_hides_is_counted_in_full():
    """All three share 250 with the server, whose part of these is 60. The third one's pages cannot be read."""
    probes = [([1, 2], 350), ([1, 2], 100), ([1, 2], 99), ([1, 2, 3], 400), ([1, 2, 3], 399), ([3], 50), ([3], 49)]
    assert run(COUNTS.replace("PROBES", repr(probes))) == f"{[False, False, True, False, True, False, True]}\n"


# --- faults of the runtime itself ---------------------------------------------------------------------


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="counts descriptors under /proc")
def test_a_fault_of_the_server_is_said_once_in_a_sentence(own_server, caplog):
    own_server._control.sendall(b"F")  # without the connection that belongs to it
    own_server._control.sendall(b"\x00\x00\x00\x01\x00\x00\x00\x005")
    before, kept = len(os.listdir("/proc/self/fd")), []
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            with pytest.raises(ForkServerError, match=r"ended unexpectedly \(IndexError: .*\); start") as raised:
                own_server.fork(str(own_server.home), MEMORY)
            kept.append(raised)
        assert own_server.has_ended()
    assert len(os.listdir("/proc/self/fd")) == before  # no connection is left open
    [said] = [record.getMessage() for record in caplog.records]
    assert said.startswith("The grading process has ended unexpectedly (IndexError: ")
    assert "\n" not in said


def test_no_submission_can_write_where_the_servers_faults_go(server, jail):
    for one in (server, jail):
        own = selftest._in_submission(one, selftest.find_descriptors, {})
        assert own == ["device"] * 3 + ["socket"]


def test_a_fault_beside_the_code_is_said_to_whoever_reads_the_result(subject):
    """Code that breaks what the runtime uses: the reply says so, for a cell and for a request, and more may come."""
    spoiled = subject(
        "import sys\nserver = sys.modules['runtime.server']\ndef broken(*_, **__):\n    raise LookupError('no more')",
        "server.CellRunner.run = server.execute = broken",
        "x = 1",
    )
    outcome = spoiled.ask(Request("broken"))
    assert outcome.kinds[0] == "RuntimeFault"
    assert "LookupError: no more" in outcome.text
    assert spoiled.reports[2].error == f"RuntimeFault: {outcome.text}"
