"""The fork server itself: it waits for the right child, and outlives whatever becomes of its children."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from autograder.course.addresses import PACKAGE
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.session import ForkServer, ForkServerError, Limits, ProcessSubject

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


def test_a_failed_fork_costs_no_other_submission(own_server, tmp_path):
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


CHILD = """
import os, signal, sys
from runtime import server

control, writable = None, ()
children = server.Children(control, writable)
pid = os.fork()
if pid == 0:
    {body}
children._pids[pid] = server.Child(memory=2**30, cpu=0, sanitizers=False)
"""
KILLS = """
def kill(number, sent, send=os.kill):
    with open(f"/proc/{pid}/stat") as stat:
        print("sent to a", stat.read().rpartition(")")[2].split()[0])
    send(number, sent)

while not server._has_ended(pid):
    pass
os.kill = os.killpg = kill
print(children.kill(pid, force=False), children.kill(pid, force=False))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for a process under /proc")
def test_a_number_is_killed_only_while_it_is_the_childs():
    """Once a child has been reaped, its number may be another process's."""
    script = CHILD.format(body="os.setsid(); os._exit(7)") + KILLS
    assert run(script) == "sent to a Z\nsent to a Z\n7 None\n"


@pytest.mark.parametrize("lost", ["", "del os.waitid"], ids=["waitid", "ps"])
def test_whether_a_child_has_ended(lost):
    script = (
        CHILD.format(body="signal.pause()")
        + f"{lost}\n"
        + (
            "print(server._has_ended(pid), children.kill(pid, force=False))\n"
            "os.kill(pid, signal.SIGTERM)\n"
            "while not server._has_ended(pid):\n    pass\n"
            "print(children.kill(pid, force=False), server._has_ended(pid))\n"
        )
    )
    assert run(script) == "False None\n-15 True\n"


def test_a_child_that_someone_else_has_reaped():
    script = CHILD.format(body="os._exit(7)") + "os.waitpid(pid, 0)\nprint(children.kill(pid, force=True))\n"
    assert run(script) == "None\n"
