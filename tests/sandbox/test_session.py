"""Code in another process: whatever it does costs only itself, and the other names still answer."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time

import pytest
import torch

from autograder.course.addresses import PACKAGE
from autograder.course.registry import COMPLETE
from autograder.sandbox import launch
from autograder.sandbox.launch import Setup
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.session import (
    LATE_SECONDS,
    ForkServer,
    ForkServerError,
    Limits,
    SubjectCrashed,
    SubjectTimeout,
)

GOOD = "def double(x):\n    return 2 * x"
AFTER = "def triple(x):\n    return 3 * x"
PATIENCE = 30  # seconds; asserted only against hanging for ever, not for speed


def assert_both_answer(subject) -> None:
    for name, expected in (("double", 14), ("triple", 21)):
        outcome = subject.ask(Request(name, (7,)))
        assert (outcome.value, outcome.kinds) == (expected, ())


def call(subject, name: str = "bad", *args):
    return subject.ask(Request(name, args))


# --- ways to hang and to die, in a function and while a cell runs --------------------------------------

LOOP = "while True: pass"
SLEEP = "import time; time.sleep(10**6)"
C_CALL = "import ctypes; ctypes.CDLL(None).sleep(10**6)"
HANGS = {
    "loop": LOOP,
    "sleep": SLEEP,
    "C call": C_CALL,
    "C call with the GIL": "import ctypes; ctypes.PyDLL(None).sleep(10**6)",
    "one long operation": "(10**8)**(10**8)",
    "own handler for signals": (
        "import signal\n    for one in (signal.SIGTERM, signal.SIGALRM, signal.SIGINT, signal.SIGHUP): "
        "signal.signal(one, signal.SIG_IGN)\n    while True: pass"
    ),
    "catches everything": "while True:\n        try: raise BaseException\n        except BaseException: pass",
    "a lock": "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "its own fork": "import os\n    if os.fork() == 0:\n        while True: pass\n    while True: pass",
}  # fmt: skip
DEATHS = {
    "os._exit(0)": ("import os; os._exit(0)", "exit code 0"),
    "os._exit(3)": ("import os; os._exit(3)", "exit code 3"),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", "segmentation fault"),
    "kill -9": ("import os; os.kill(os.getpid(), 9)", "signal 9"),
    "kill the group": ("import os; os.killpg(0, 9)", "signal 9"),
    "abort": ("import os; os.abort()", "signal 6"),
    "at exit": ("import atexit, os, sys; atexit.register(os._exit, 5); os._exit(5)", "exit code 5"),
    "closes all files": ("import os; os.closerange(0, 256)", "exit code|closed the connection"),
    "closes all files and goes on": (
        "import os, time; os.closerange(0, 256)\n    while True: pass",
        "closed the connection",
    ),
    "no builtins": ("import builtins; vars(builtins).clear(); return len", "exit code"),
    "gives up its memory": ("import ctypes; ctypes.memset(id(None), 0, 64); return None", "Python"),
}  # fmt: skip
SURVIVED = {
    "sys.exit": ("import sys; sys.exit(0)", "SystemExit"),
    "exit": ("exit()", "SystemExit"),
    "recursion": ("return bad()", "RecursionError"),
    "its own BaseException": ("class Mine(BaseException): pass\n    raise Mine", "Mine"),
    "an exception without text": (
        "class Mine(Exception):\n        def __str__(self): raise ValueError\n    raise Mine",
        "Mine",
    ),
    "memory": ("kept = []\n    while True: kept.append(bytearray(10**7))", "MemoryError"),
    "memory of torch": ("import torch; return torch.zeros(2**40)", "RuntimeError"),
    "an interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
}  # fmt: skip


def function(body: str) -> str:
    return f"def bad():\n    {body}"


@pytest.mark.parametrize("body", HANGS.values(), ids=HANGS)
def test_a_function_that_hangs_is_stopped(subject, body):
    one = subject(GOOD, function(body), AFTER, check=0.5)
    started = time.monotonic()
    with pytest.raises(SubjectTimeout, match=r"did not finish within 0\.5 seconds"):
        call(one)
    assert time.monotonic() - started < PATIENCE
    assert_both_answer(one)


@pytest.mark.parametrize(("body", "said"), DEATHS.values(), ids=DEATHS)
def test_a_function_that_ends_the_process(subject, body, said):
    one = subject(GOOD, function(body), AFTER)
    with pytest.raises(SubjectCrashed, match=said):
        call(one)
    assert_both_answer(one)


@pytest.mark.parametrize(("body", "kind"), SURVIVED.values(), ids=SURVIVED)
def test_a_function_that_only_tries(subject, body, kind):
    one = subject(GOOD, function(body), AFTER, memory_mb=512)
    assert kind in call(one).kinds
    assert_both_answer(one)


@pytest.mark.parametrize(
    "body", [LOOP, C_CALL, *(body for body, _ in DEATHS.values() if "\n" not in body and "return" not in body)]
)
def test_a_cell_that_hangs_or_dies_costs_only_itself(subject, body):
    one = subject(GOOD, body, AFTER, check=1)
    assert_both_answer(one)
    assert one.reports[1].error.startswith("This cell")
    assert [one.reports[0].error, one.reports[2].error] == ["", ""]


@pytest.mark.parametrize(
    "body", ["import sys; sys.exit(0)", "raise KeyboardInterrupt", "import sys; sys.settrace(lambda *_: 1/0)\nx = len"]
)
def test_a_cell_that_raises_costs_only_itself(subject, body):
    one = subject(GOOD, body, AFTER)
    assert_both_answer(one)


def test_several_lethal_cells(subject):
    one = subject("import os; os._exit(0)", GOOD, LOOP, AFTER, "os.abort()", check=0.5)
    assert_both_answer(one)
    assert [bool(report.error) for report in one.reports] == [True, False, True, False, True]


def test_a_request_may_have_seconds_of_its_own(subject):
    """They count neither as those of one request nor as the submission's."""
    one = subject("import time\ndef rest(seconds):\n    time.sleep(seconds)\n    return seconds", check=0.4, total=1.2)
    long = Request("rest", (1.5,), seconds=PATIENCE)
    assert [one.ask(long).value, one.ask(long).value] == [1.5, 1.5]
    assert one.ask(Request("rest", (0.01,))).value == 0.01
    with pytest.raises(SubjectTimeout, match=r"did not finish within 0\.4 seconds"):
        one.ask(Request("rest", (PATIENCE,)))
    with pytest.raises(SubjectTimeout, match=r"did not finish within 0\.5 seconds"):
        one.ask(Request("rest", (PATIENCE,), seconds=0.5))
    assert one.ask(Request("rest", (0.02,))).value == 0.02


def test_names_defined_before_a_cell_fails_stay(subject):
    one = subject("x = 5\nraise ValueError('no')\ny = 6", "def get():\n    return x")
    assert call(one, "get").value == 5
    assert one.reports[0].error == "ValueError in line 2: no; the rest of the cell was run"


def test_what_a_request_broke_stays_broken_only_in_this_submission(subject):
    vandal = subject("import torch\ndef bad():\n    torch.softmax = torch.exp = torch.matmul = None")
    call(vandal)
    fresh = subject("import torch\ndef f(x):\n    return torch.softmax(x, 0)")
    assert torch.allclose(call(fresh, "f", torch.zeros(2)).value, torch.tensor([0.5, 0.5]))


def test_the_time_for_a_submission_is_used_up_once(subject):
    one = subject(GOOD, function(SLEEP), AFTER, check=0.4, total=1.0)
    started = time.monotonic()
    for _ in range(10):
        with pytest.raises(SubjectTimeout):
            call(one)
    assert time.monotonic() - started < PATIENCE
    with pytest.raises(SubjectTimeout, match="used up its 1 seconds"):
        call(one, "double", 1)


@pytest.mark.parametrize(
    "body",
    [
        "print('x' * 10**8)",
        "import sys; sys.stderr.write('x' * 10**8)",
        "import os; os.write(1, b'x' * 10**7); os.write(2, b'x' * 10**7)",
        "import os; os.system('head -c 10000000 /dev/zero')",
        "import subprocess; subprocess.run(['head', '-c', '10000000', '/dev/zero'])",
        "for _ in range(10**5): print('a short line')",
    ],
)
def test_huge_output_is_cut(subject, body):
    one = subject(GOOD, body, f"def bad():\n    {body}\n    return 1", AFTER, check=30)
    assert call(one).value == 1
    assert_both_answer(one)
    assert len(one.reports[1].output) < 20_000
    assert one.reports[1].error == ""


def test_output_says_how_much_was_left_out(subject):
    one = subject("print('x' * 100_000)")
    one.load()
    assert "90001 more characters were left out" in one.reports[0].output


def test_input_and_stdin_answer_at_once(subject):
    one = subject("import sys\nx = input('name? ')\ny = sys.stdin.read()\ndef get():\n    return [x, y, input()]")
    assert call(one, "get").value == ["", "", ""]


LEFT_BEHIND = {
    "child": "if os.fork() == 0:\n    while True: time.sleep(1)",
    "daemon": (
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        while True: time.sleep(1)\n    os._exit(0)"
    ),
    "relay": "if os.fork() == 0:\n    while not os.fork(): time.sleep(0.01)\n    os._exit(0)",
    "program": "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True)",
    "thread": "import threading; threading.Thread(target=time.sleep, args=(1000,)).start()",
    "thread that prints": (
        "import threading\ndef shout():\n    while True: print('x' * 1000)\nthreading.Thread(target=shout).start()"
    ),
}


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes under /proc")
@pytest.mark.parametrize("body", LEFT_BEHIND.values(), ids=LEFT_BEHIND)
def test_what_was_left_behind_is_gone_after_close(subject, body):
    other = subject(GOOD, AFTER)
    assert_both_answer(other)
    one = subject("import os, time\n" + body, GOOD, AFTER, "def where():\n    return os.getcwd()")
    folder = call(one, "where").value
    assert_both_answer(one)
    assert processes_in(folder)
    one.close()
    deadline = time.monotonic() + PATIENCE
    while processes_in(folder) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not processes_in(folder)
    assert not os.path.exists(folder)
    assert other.ask(Request("double", (1,))).value == 2  # in the process it had


HANDED_ON_WHILE_LOOKING = """
import os, time
from runtime import confine, procfs

confine.adopt_orphans()
go, gone = os.pipe(), os.pipe()
if os.fork() == 0:
    os.read(go[0], 1)
    if os.fork() == 0:
        os.close(gone[1])
        time.sleep(60)
    os._exit(0)
os.close(gone[1])
looked = []

def look(children_of_all=procfs.children_of_all):
    looked.append(children_of_all())
    if len(looked) == 1:
        os.write(go[1], b".")
        os.read(gone[0], 1)  # the first has started the second, and has ended
    return looked[-1]

procfs.children_of_all = look
procfs.end_below(os.getpid(), ())
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("nothing is left")
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes under /proc")
def test_what_starts_another_and_ends_while_we_look_leaves_nothing():
    command = [sys.executable, "-c", HANDED_ON_WHILE_LOOKING]
    done = subprocess.run(command, cwd=PACKAGE / "sandbox", capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("nothing is left\n", "")


def processes_in(folder: str) -> list[str]:
    """The processes that work in a folder, removed or not."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd").removesuffix(" (deleted)") == folder:
                found.append(pid)
        except OSError:
            pass  # it has ended meanwhile, or is not ours
    return found


# --- replies that are not the runtime's ----------------------------------------------------------------

FIND_CONNECTION = """
import gc, socket, struct, json, pickle
def connection():
    return next(one for one in gc.get_objects() if type(one) is socket.socket and one.fileno() >= 0)
def frame(text, binary=b""):
    return struct.pack(">II", len(text), len(binary)) + text + binary
"""
FORGERIES = {
    "garbage": "b'\\xff' * 100",
    "not JSON": "frame(b'nonsense')",
    "a pickle": "frame(pickle.dumps([1]))",
    "too large": "struct.pack('>II', 2**31, 2**31)",
    "deep": "frame(b'[' * 100_000)",
    "huge tensor": "frame(json.dumps({'tensor': 0, 'dtype': 'float32', 'shape': [2**40]}).encode())",
    "no outcome": "frame(b'5')",
    "a list": "frame(json.dumps({'list': [1]}).encode())",
    "kinds that are no list": "frame(json.dumps({'dict': [['kinds', 5], ['text', {'list': []}]]}).encode())",
    "kinds without end": "frame(json.dumps({'dict': [['kinds', {'list': ['x' * 10**6] * 5}]]}).encode())",
    "only the beginning": "b'\\x00\\x00'",
}


@pytest.mark.parametrize("forged", FORGERIES.values(), ids=FORGERIES)
@pytest.mark.parametrize("end", ["return 1", "os._exit(0)"], ids=["goes on", "dies"])
def test_a_forged_reply_is_no_answer(subject, forged, end):
    one = subject(
        FIND_CONNECTION,
        GOOD,
        f"def bad():\n    import os\n    connection().sendall({forged})\n    {end}",
        AFTER,
        check=2,
    )
    try:
        outcome = call(one)
    except (SubjectCrashed, SubjectTimeout):
        pass
    else:
        assert outcome.value in (None, 1)
        assert all(isinstance(kind, str) and len(kind) <= 100 for kind in outcome.kinds)
        assert len(outcome.text) <= 2000


def test_a_trickle_of_bytes_does_not_stretch_the_time(subject):
    slow = (
        "def bad():\n    import time\n    connection().sendall(struct.pack('>II', 1000, 0))\n"
        "    while True:\n        connection().sendall(b' ')\n        time.sleep(0.05)"
    )
    one = subject(FIND_CONNECTION, GOOD, slow, AFTER, check=0.5)
    started = time.monotonic()
    with pytest.raises(SubjectTimeout):
        call(one)
    assert time.monotonic() - started < PATIENCE
    assert_both_answer(one)


def hold_up_the_grader(seconds: float) -> threading.Thread:
    """As a long call in C does in one thread: no other one runs meanwhile."""

    def hold() -> None:
        time.sleep(0.05)
        ctypes.PyDLL(None).usleep(int(1e6 * seconds))

    thread = threading.Thread(target=hold)
    thread.start()
    return thread


def test_an_answer_in_time_counts_when_the_grader_looks_late(subject):
    """Both parts of the answer arrived in time, though the second is read after the deadline; so it is for a cell."""
    one = subject(
        "import time\nimport torch\ndef large():\n    time.sleep(0.2)\n    return torch.ones(2**18)", check=0.8
    )
    one.load()
    thread = hold_up_the_grader(1.5)
    assert one.ask(Request("large")).value.sum() == 2**18
    thread.join()
    cell = subject("import time\ntime.sleep(0.2)\nprint('x' * 5000)", check=0.8)
    thread = hold_up_the_grader(1.5)
    cell.load()
    thread.join()
    assert cell.reports[0].error == ""


def test_who_is_slow_is_slow_when_the_grader_is_late_too(subject):
    one = subject(GOOD, function(SLEEP), AFTER, check=0.5)
    one.load()
    thread = hold_up_the_grader(1.0)
    with pytest.raises(SubjectTimeout, match=r"did not finish within 0\.5 seconds"):
        call(one)
    thread.join()
    assert_both_answer(one)


def test_the_rest_of_a_late_answer_is_not_waited_for_long(subject):
    """One who has sent something before the deadline gets a little time more, whatever comes then."""
    slow = (
        "def bad():\n    import time\n    connection().sendall(struct.pack('>II', 10**6, 0))\n"
        "    while True:\n        connection().sendall(b' ')\n        time.sleep(0.001)"
    )
    one = subject(FIND_CONNECTION, slow, check=0.5)
    one.load()
    started = time.monotonic()
    with pytest.raises(SubjectTimeout):
        call(one)
    assert time.monotonic() - started < 0.5 + LATE_SECONDS + 5


@pytest.mark.parametrize(
    "value", ["object()", "lambda: 1", "10**6000", "[[0] * 10 ** 5] * 3", "__import__('torch').zeros(2**25)"]
)
def test_results_that_cannot_be_sent_are_no_crash(subject, value):
    one = subject(GOOD, function(f"return {value}"), AFTER)
    call(one)
    assert_both_answer(one)


# --- the rules of the house ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["solutions.attention", "autograder.units.attention.checks", "autograder.judging.runner"]
)
def test_the_answers_cannot_be_imported(subject, name):
    one = subject(f"import {name}", GOOD, AFTER)
    assert_both_answer(one)
    assert "Error" in one.reports[0].error


def test_the_notebook_may_import_its_own_check_functions(subject):
    one = subject(
        "from autograder import check, hint, progress\ncheck('attention')\nhint('x')\nprogress()", GOOD, AFTER
    )
    assert_both_answer(one)
    assert one.reports[0].error == ""


def test_requests_repeat_whatever_was_drawn_before(subject):
    one = subject(
        "import random, numpy, torch\n"
        "def draw():\n    return [torch.rand(()).item(), random.random(), float(numpy.random.rand())]"
    )
    first, again = (one.ask(Request("draw", seed=3)).value for _ in range(2))
    other = one.ask(Request("draw", seed=4)).value
    assert first == again
    assert all(a != b for a, b in zip(first, other))


def test_the_environment_of_the_grader_is_not_passed_on(subject, monkeypatch):
    one = subject("import os\ndef look():\n    return sorted(os.environ)")
    names = call(one, "look").value
    assert "OMP_NUM_THREADS" in names
    assert not {"AUTOGRADER_STATE", "PYTHONPATH", "USER", "SSH_AUTH_SOCK"} & set(names)


def test_files_of_one_submission_are_not_there_for_the_next(subject):
    first = subject("open('answer.txt', 'w').write('42')\ndef look():\n    import os\n    return os.listdir('.')")
    assert call(first, "look").value == ["answer.txt"]
    second = subject("def look():\n    import os\n    return os.listdir('.')")
    assert call(second, "look").value == []


def test_submissions_do_not_wait_for_each_other(server, subject):
    slow, quick = subject(function(SLEEP), check=20), subject(GOOD)
    slow.load()
    ended = []
    waiting = threading.Thread(target=lambda: ended.append(how_it_ends(slow)))
    waiting.start()
    started = time.monotonic()
    assert call(quick, "double", 4).value == 8
    assert time.monotonic() - started < 15
    server.kill(slow._pid)
    waiting.join(PATIENCE)
    assert ended == [SubjectCrashed]


def how_it_ends(subject) -> type[Exception] | None:
    try:
        call(subject)
    except Exception as error:
        return type(error)
    return None


def test_closing_the_server_ends_everything_in_it():
    with ForkServer() as server:
        server.wait_until_ready()
        connection, pid = server.fork("/", 2**30)
    assert connection.recv(1) == b""
    connection.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_limits_from_the_command_line():
    assert Limits.of() == Limits()
    assert Limits.of(3, 100) == Limits(request_seconds=1, total_seconds=3, memory_mb=100)
    assert Limits.of(1000).request_seconds == Limits().request_seconds


def test_more_memory_than_there_is_may_be_allowed(subject):
    assert call(subject(GOOD, memory_mb=2**50), "double", 2).value == 4


def test_too_little_memory_is_said(subject):
    hungry = subject("import numpy\nlarge = numpy.ones(2**25)", memory_mb=1)
    try:
        hungry.load()
    except (SubjectCrashed, ForkServerError) as error:  # where even the start takes more than that
        assert "process" in str(error)  # noqa: PT017
    else:
        assert "MemoryError" in hungry.reports[0].error
    assert call(subject(GOOD), "double", 2).value == 4


@pytest.fixture
def nothing_prestarted(monkeypatch):
    """Whatever another test has prestarted waits elsewhere."""
    monkeypatch.setattr(launch, "_prestarted", [])


def test_what_is_prestarted_is_used_once(nothing_prestarted):
    launch.prestart(jailed=False, compiler=False)
    launch.prestart(jailed=False, compiler=False)  # one is enough
    [started] = launch._prestarted
    with ForkServer(jailed=False, compiler=False) as server:
        assert server._process is started.process
        assert launch._prestarted == []
        server.wait_until_ready()


def test_what_is_prestarted_for_more_is_used(nothing_prestarted):
    """A run that goes on may have no unit left that needs torch's compiler: the process that has it will do."""
    launch.prestart(jailed=False, compiler=True)
    [started] = launch._prestarted
    try:
        assert launch.launch(Setup.best(jailed=False, compiler=False)) is started
        assert launch._prestarted == []
    finally:
        started.stop()


def test_what_is_prestarted_for_something_else_does_not_wait_for_ever(nothing_prestarted):
    launch.prestart(jailed=False, compiler=False)
    [started] = launch._prestarted
    other = launch.launch(Setup.best(jailed=False, compiler=True))
    try:
        assert other is not started
        assert started.process.poll() is not None
        assert launch._prestarted == []
    finally:
        other.stop()
        started.stop()


LOADS_THE_COMPILER = """
import os, sys
from autograder.judging.cache import CachedReference
from autograder.judging.runner import run_checks
from autograder.course.registry import BY_NAME

class Told:
    def find_spec(name, path=None, target=None):
        if name == "torch._dynamo":  # which would take seconds to load
            os.write(1, f"{unit}\\n".encode())  # what a check prints is kept from the terminal
            os._exit(0)

assert "torch._dynamo" not in sys.modules
sys.meta_path.insert(0, Told)
for unit in sys.argv[1:]:
    if os.fork() == 0:
        for task in BY_NAME[unit].task_ids:
            run_checks(CachedReference(unit), unit, [task])  # what the check asks it besides is not run again
        os._exit(0)
    os.wait()
"""


def test_only_units_that_say_so_need_the_compiler():
    """Otherwise each of their submissions would import it anew, which takes seconds."""
    units = [unit for unit in COMPLETE if unit.language == "python"]
    command = [sys.executable, "-c", LOADS_THE_COMPILER, *(unit.name for unit in units)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [unit.name for unit in units if unit.compiler]


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE if unit.language == "python"])
def test_what_a_unit_imports_was_imported_before_the_fork(subject, solution_cells, unit):
    """Otherwise each of its submissions would: `numpy.random`, which NumPy loads on first use, takes 5 ms alone."""
    learner = subject(
        "import sys; before = set(sys.modules)\ndef added(): return sorted(set(sys.modules) - before)",
        *solution_cells(unit),
        "import random, numpy, torch; numpy.random.rand(), torch.rand(2).numpy()",
    )
    assert call(learner, "added").value == []


def test_what_plots_need_is_imported_once_a_submission_names_it(subject):
    learner = subject(
        "import sys; before = set(sys.modules)\ndef added(): return sorted(set(sys.modules) - before)",
        "import io\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig(io.BytesIO())",
    )
    assert call(learner, "added").value == []


RESETS = """
import os, sys
from runtime import confine, server
before = set(sys.modules)
confine.reset_process_state(os.getcwd())
print(*sorted(set(sys.modules) - before))
"""


def test_a_submissions_process_imports_nothing_to_make_itself_ready():
    done = subprocess.run(
        [sys.executable, "-c", RESETS], cwd=PACKAGE / "sandbox", capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
