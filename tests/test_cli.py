"""The command line: exit codes, reports in the published form, and a sentence instead of any traceback."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import pytest
from sandboxed import Borrowed

from autograder import cli
from autograder.course.addresses import ROOT
from autograder.course.registry import COMPLETE, UNITS, find_unit
from autograder.grading import engine
from autograder.judging.results import number
from autograder.judging.runner import max_points
from autograder.sandbox import launch, session
from autograder.submissions import notebooks

UNIT = "attention"
ATTENTION = find_unit(UNIT)
STATUSES = {"passed", "partial", "failed", "not_attempted", "error", "timeout", "crashed"}


@pytest.fixture
def run(capsys):
    """Runs the command in this process: exit code, standard output, standard error."""

    def command(*arguments) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = cli.main([str(argument) for argument in arguments])
        except SystemExit as error:  # argparse
            code = error.code if isinstance(error.code, int) else 1
        output = capsys.readouterr()
        assert "Traceback" not in output.err + output.out
        return code, output.out, output.err

    return command


@pytest.fixture(autouse=True)
def _one_server_for_all(server, monkeypatch):
    """Commands in this process share a server; those that run as programs start their own."""
    for module in (session, engine):
        monkeypatch.setattr(module, "ForkServer", lambda *_, **__: Borrowed(server))
    monkeypatch.setattr(launch, "prestart", lambda *_, **__: None)


@pytest.fixture(scope="module")
def right(solution_cells) -> str:
    return "\n\n\n".join(solution_cells(UNIT))


@pytest.fixture
def klass(write, notebook, right, solution_cells):
    """A small class: all right, one mistake, half done, empty, broken, lethal."""
    wrong = "\n\ndef softmax(x, dim=-1):\n    return x.exp() / x.exp().sum(dim, keepdim=True)\n"
    members = {
        "ann": notebook(*solution_cells(UNIT)),
        "ben": notebook(*solution_cells(UNIT), wrong),
        "cat": notebook(*(one for one in solution_cells(UNIT) if not one.startswith("class "))),
        "dan": notebook(),
        "eve": notebook(*solution_cells(UNIT), "import os; os._exit(0)"),
    }
    paths = [write(f"class/{name}/{UNIT}/{UNIT}.ipynb", text) for name, text in members.items()]
    return paths[0].parents[2]


def grade(run, *arguments, code: int = 0) -> dict:
    """Grades and returns the JSON report."""
    destination = arguments[0].parent / "report.json" if arguments[0].is_dir() else arguments[0].with_suffix(".json")
    got, _, error = run("grade", *arguments, "--unsafe", "--json", destination)
    assert got == code, error
    return json.loads(destination.read_text(encoding="utf-8"))


# --- the commands that need no submission -------------------------------------------------------------


def test_list(run):
    code, output, error = run("list")
    assert (code, error) == (0, "")
    for unit in UNITS:
        assert unit.name in output
    assert output.count("(planned)") == len(UNITS) - len(COMPLETE)


def test_list_as_json(run):
    code, output, error = run("list", "--json")
    listed = json.loads(output)
    assert (code, error, listed["schema"], len(listed["units"])) == (0, "", 1, len(UNITS))
    for unit, entry in zip(UNITS, listed["units"]):
        assert (entry["unit"], entry["complete"]) == (unit.name, unit.complete)
        assert [task["id"] for task in entry["tasks"]] == list(unit.task_ids)
        for task in entry["tasks"]:
            assert task["max_points"] == (number(max_points(task["id"])) if unit.complete else None)


def test_hints_go_round(run, state_file):
    shown = [run("hint", "attention.softmax")[1] for _ in range(4)]
    assert [text.split(" of ")[0] for text in shown] == ["Hint 1", "Hint 2", "Hint 3", "Hint 1"]
    assert len(set(shown)) == 3
    assert shown[0] == shown[3]
    assert run("hint", "attention.attention_scores")[1].startswith("Hint 1 of 3")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        '{"points": 5, "hints": []}',
        '{"points": {"attention.softmax": NaN}, "hints": {"attention.softmax": "x"}}',
        '{"points": {"attention.softmax": -3}, "hints": {"attention.softmax": -1}}',
        f'{{"points": {{"attention.softmax": 1{"0" * 400}}}, "hints": {{"attention.softmax": 1{"0" * 400}}}}}',
        "[" * 100_000,
        "\ufeff{}",
    ],
)
def test_a_spoiled_state_file_is_no_obstacle(run, state_file, text):
    state_file.parent.mkdir()
    state_file.write_text(text, encoding="utf-8")
    assert run("progress")[0] == 0
    assert run("hint", "attention.softmax")[0] == 0


def test_a_state_that_cannot_be_written_is_no_obstacle(run, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_STATE", "/dev/null/progress.json")
    assert run("hint", "attention.softmax")[0] == 0
    assert run("progress")[0] == 0


def test_a_user_without_a_home(run, monkeypatch, write, right):
    monkeypatch.delenv("AUTOGRADER_STATE")
    monkeypatch.setattr(
        "autograder.course.addresses.user_state_path", lambda _: Path("~nobody-of-this-name").expanduser()
    )
    assert run("hint", "attention.softmax")[0] == 0
    assert run("progress")[0] == 0
    path = write("attention.py", right)
    assert run("check", path, "--task", "attention.softmax")[0] == 0
    code, _, error = run("grade", path, "--unsafe")
    assert (code, "set HOME" in error) == (2, True)


def test_a_folder_that_is_gone(run, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    code, _, error = run("check", "attention.py")
    assert (code, "The current folder" in error) == (2, True)
    monkeypatch.undo()


def test_progress_shows_what_was_reached(run, state_file, write, right):
    assert f"0 of {float(sum(max_points(task) for task in ATTENTION.task_ids)):g} points" in run("progress")[1]
    assert run("check", write("attention.py", right), "--task", "attention.softmax")[0] == 0
    after = run("progress")[1]
    assert f"{float(max_points('attention.softmax')):g} of" in after
    assert after.count("planned") == len(UNITS) - len(COMPLETE)


@pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)
def test_doctor(run, unit):
    code, output, _ = run("doctor", unit.name)
    assert (code, "complete" in output) == (0, True)


def test_doctor_of_all_and_of_a_planned_unit(run, planned):
    code, output, _ = run("doctor")
    assert code == 0
    assert output.count("planned") == len(UNITS) + 1 - len(COMPLETE)
    code, output, _ = run("doctor", planned.name)
    assert code == 1
    assert "lacks" in output


USAGE = {
    "nothing": [],
    "unknown command": ["frobnicate"],
    "grade without a path": ["grade"],
    "unknown unit": ["grade", ".", "--unsafe", "--unit", "nonsense"],
    "planned unit": ["grade", ".", "--unsafe", "--unit", "diffusion"],
    "missing path": ["grade", "nowhere", "--unsafe"],
    "very long path": ["grade", "x" * 5000, "--unsafe"],
    "missing roster": ["grade", ".", "--unsafe", "--roster", "nowhere.csv"],
    "roster is a folder": ["grade", ".", "--unsafe", "--roster", "."],
    "zero jobs": ["grade", ".", "--unsafe", "--jobs", "0"],
    "jobs not a number": ["grade", ".", "--unsafe", "--jobs", "many"],
    "negative timeout": ["grade", ".", "--unsafe", "--timeout", "-1"],
    "timeout is NaN": ["grade", ".", "--unsafe", "--timeout", "nan"],
    "endless timeout": ["grade", ".", "--unsafe", "--timeout", "inf"],
    "no memory": ["grade", ".", "--unsafe", "--memory", "0"],
    "seed not a number": ["grade", ".", "--unsafe", "--seed", "x"],
    "report in no folder": ["grade", ".", "--unsafe", "--json", "nowhere/x.json"],
    "report is a folder": ["grade", ".", "--unsafe", "--html", "."],
    "check a missing file": ["check", "attention_nowhere.py"],
    "check a very long name": ["check", "attention_" + "x" * 5000],
    "check a folder": ["check", ".", "--unit", "attention"],
    "check a missing file of no unit": ["check", "nowhere"],
    "check an unknown unit": ["check", "x.py", "--unit", "nonsense"],
    "check a planned unit": ["check", "diffusion.py"],
    "check an unknown task": ["check", "attention.py", "--task", "attention.nonsense"],
    "check without a unit": ["check", "x.py"],
    "doctor of an unknown unit": ["doctor", "nonsense"],
    "new without saying what": ["new"],
    "new unit without a name": ["new", "unit"],
    "new unit that is there": ["new", "unit", "attention"],
    "new unit after an unknown one": ["new", "unit", "fine", "--after", "nonsense"],
    "new unit in an unknown language": ["new", "unit", "fine", "--language", "fortran"],
    "new task of an unknown unit": ["new", "task", "nonsense.fine"],
    "new task that is there": ["new", "task", "attention.softmax"],
    "hint for an unknown task": ["hint", "attention.nonsense"],
    "hint for a unit": ["hint", "attention"],
    "hint for a planned task": ["hint", "diffusion.denoise"],
    "hint for nothing": ["hint", ""],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE)
def test_wrong_usage_is_a_sentence_and_exit_code_2(run, tmp_path, monkeypatch, planned, arguments):
    monkeypatch.chdir(tmp_path)
    code, output, error = run(*arguments)
    assert (code, output) == (2, "")
    assert error.strip()


def test_help(run):
    for arguments in (["--help"], ["grade", "--help"]):
        code, output, _ = run(*arguments)
        assert code == 0
        assert "autograder" in output


# --- check --------------------------------------------------------------------------------------------


def test_check_a_right_file(run, write, right):
    code, output, error = run("check", write("attention.py", right))
    assert (code, error) == (0, "")
    for task in ATTENTION.task_ids:
        assert task.partition(".")[2] in output


@pytest.mark.parametrize("source", ["", "def softmax(x, dim=-1):\n    return x", "1/0"])
def test_check_a_file_that_is_not_right(run, write, source):
    code, output, _ = run("check", write("attention.py", source), "--task", "attention.softmax")
    assert code == 1
    assert output.strip()


def test_check_tells_what_failed_on_the_way(run, write, right):
    code, _, error = run("check", write("attention.py", right + "\n\n1/0\n"), "--task", "attention.softmax")
    assert code == 0
    assert "ZeroDivisionError" in error


def test_nothing_of_a_learner_steers_the_terminal(run, tmp_path, write):
    escapes = "\x1b]0;title\x07\x1b[2J\u202e"
    code, _, error = run("check", write("attention.py", f"raise ValueError({escapes!r} 'seen')"))
    assert (code, "ValueError" in error and "seen" in error) == (1, True)
    write(f"class/alice/{escapes}.py", "x = 1")
    write("class/bob/attention.py", "x = 1")
    code, shown, said = run("grade", tmp_path / "class", "--unsafe", "--roster", write("roster.csv", "id\nbob\n"))
    assert (code, "--unit" in shown, "not on the roster" in said) == (1, True, True)
    _, _, missing = run("grade", tmp_path / f"class/{escapes}")
    assert not set("\x1b\x07\u202e") & set(error + shown + said + missing)


def test_check_with_another_seed(run, write, right):
    assert run("check", write("attention.py", right), "--task", "attention.softmax", "--seed", "-5")[0] == 0


def test_check_says_that_a_file_is_missing_before_anything_else(run, tmp_path):
    for name in ("homework.ipynb", "attention.ipynb", "report.pdf"):
        code, _, error = run("check", tmp_path / name)
        assert (code, error) == (2, f"autograder: There is no file or folder {tmp_path / name}.\n")


@pytest.mark.parametrize(
    "name", ["attention.pdf", "attention.docx", "attention.html", "attention.txt", "attention.zip"]
)
def test_check_refuses_what_is_no_submission(run, write, name):
    code, output, error = run("check", write(name, "def softmax(x): pass"), "--unit", UNIT)
    assert (code, output) == (2, "")
    assert re.search("is not a submission|is no zip file", error)


@pytest.mark.parametrize(
    "name", ["attention.ipynb.json", "attention.ipynb.txt", "attention.IPYNB", "my work.zip", "attention.PY"]
)
def test_check_and_grade_take_a_notebook_under_any_ending(run, write, notebook, right, name):
    content = right if name.endswith("PY") else notebook(right)
    if name.endswith(".zip"):
        with zipfile.ZipFile(stream := io.BytesIO(), "w") as archive:
            archive.writestr("attention.ipynb", content)
        content = stream.getvalue()
    path = write(f"class/safari/attention/{name}", content)
    assert run("check", path, "--task", "attention.softmax")[0] == 0
    (entry,) = grade(run, path.parents[2])["submissions"]
    assert (entry["student"], entry["points"]) == ("safari", entry["max_points"])


def test_check_a_broken_notebook(run, write):
    code, _, error = run("check", write("attention.ipynb", "<html>"))
    assert code == 2
    assert "web page" in error


# --- grade --------------------------------------------------------------------------------------------


def test_the_report_has_the_published_form(run, klass):
    report = grade(run, klass)
    assert list(report) == ["schema", "submissions"]
    assert report["schema"] == 1
    assert [entry["student"] for entry in report["submissions"]] == ["ann", "ben", "cat", "dan", "eve"]
    for entry in report["submissions"]:
        assert set(entry) == {
            "path",
            "student",
            "unit",
            "points",
            "max_points",
            "status",
            "message",
            "seconds",
            "tasks",
        }
        assert os.path.isfile(entry["path"])
        assert (entry["unit"], entry["status"]) == (UNIT, "graded")
        assert entry["message"] is None or isinstance(entry["message"], str)
        assert isinstance(entry["seconds"], float)
        assert entry["points"] == sum(task["points"] for task in entry["tasks"])
        assert [task["id"] for task in entry["tasks"]] == list(ATTENTION.task_ids)
        for task in entry["tasks"]:
            assert set(task) == {"id", "points", "max_points", "status", "diagnosis", "checks"}
            assert task["status"] in STATUSES
            assert task["diagnosis"] is None or set(task["diagnosis"]) == {"mistake", "hint", "link"}
            assert task["max_points"] == number(max_points(task["id"]))
            assert task["points"] == sum(check["points"] for check in task["checks"])
            for check in task["checks"]:
                assert set(check) == {"id", "status", "points", "max_points", "message"}
                assert check["status"] in STATUSES - {"partial"}
                assert isinstance(check["points"], float)
                assert isinstance(check["message"], str)


def test_every_learner_gets_what_the_code_deserves(run, klass):
    by_student = {entry["student"]: entry for entry in grade(run, klass)["submissions"]}
    whole = number(sum(max_points(task) for task in ATTENTION.task_ids))
    assert by_student["ann"]["points"] == by_student["eve"]["points"] == whole
    assert "Code cell" in by_student["eve"]["message"]
    ben = {task["id"]: task for task in by_student["ben"]["tasks"]}
    assert 0 < by_student["ben"]["points"] < whole
    assert ben["attention.softmax"]["diagnosis"] is not None
    assert ben["attention.attention_scores"]["status"] == "passed"
    cat = {task["id"]: task["status"] for task in by_student["cat"]["tasks"]}
    assert cat["attention.softmax"] == "passed"
    assert cat["attention.SelfAttention"] == "not_attempted"
    assert by_student["dan"]["points"] == 0
    assert {task["status"] for task in by_student["dan"]["tasks"]} == {"not_attempted"}


def without_seconds(report: dict) -> list[dict]:
    return [{key: value for key, value in entry.items() if key != "seconds"} for entry in report["submissions"]]


def test_order_and_jobs_change_nothing(run, klass):
    one = without_seconds(grade(run, klass, "--jobs", "1"))
    two = without_seconds(grade(run, klass, "--jobs", "2"))
    assert one == two
    students = sorted((path for path in klass.iterdir()), reverse=True)
    backwards = without_seconds(grade(run, *students, "--jobs", "2"))
    assert backwards == one[::-1]


def test_another_seed_gives_the_same_scores(run, klass):
    ann, ben = klass / "ann", klass / "ben"
    first, other = (grade(run, ann, ben, "--seed", seed)["submissions"] for seed in ("1", "2"))
    scores = [[[task["points"] for task in entry["tasks"]] for entry in report] for report in (first, other)]
    assert scores[0] == scores[1]


def test_all_reports_at_once(run, klass, tmp_path):
    names = {kind: tmp_path / f"report.{kind}" for kind in ("json", "csv", "junit", "html")}
    flags = [part for kind, path in names.items() for part in (f"--{kind}", path)]
    code, output, error = run("grade", klass / "ann", klass / "dan", "--unsafe", *flags)
    assert code == 0, error
    assert "WARNING" in error
    assert "ann" in output
    rows = list(csv.DictReader(io.StringIO(names["csv"].read_text(encoding="utf-8-sig"))))
    assert {"ann", "dan"} <= {row["student"] for row in rows}
    assert ET.parse(names["junit"]).getroot().tag == "testsuites"
    page = names["html"].read_text(encoding="utf-8")
    assert "ann" in page
    assert "dan" in page
    assert len(json.loads(names["json"].read_text(encoding="utf-8"))["submissions"]) == 2


def test_spreadsheets_recognise_the_tables(run, write, tmp_path):
    """Excel takes a CSV without the mark for another encoding, and shows ZoÃ«."""
    write("class/Zoë/attention/attention.py", "x = 1")
    names = {kind: tmp_path / f"report.{kind}" for kind in ("csv", "canvas")}
    flags = [part for kind, path in names.items() for part in (f"--{kind}", path)]
    code, _, error = run("grade", tmp_path / "class", "--unsafe", *flags)
    assert code == 0, error
    for kind, path in names.items():
        data = path.read_bytes()
        assert data.startswith(b"\xef\xbb\xbf")
        assert data.count(b"\xef\xbb\xbf") == 1
        rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig")), strict=True))
        assert rows[0][0] == {"csv": "student", "canvas": "Student"}[kind]
        assert rows[-1][0] == "Zoë"


def test_what_cannot_be_graded_is_exit_code_1_and_stops_nobody(run, klass, write, planned):
    write("class/fay/attention/attention.ipynb", "<html>")
    (klass / "gus" / UNIT).mkdir(parents=True)
    write("class/hal/diffusion/diffusion.ipynb", "{}")
    report = grade(run, klass, code=1)
    failed = {entry["student"]: entry for entry in report["submissions"] if entry["status"] == "failed"}
    assert set(failed) == {"fay", "gus", "hal"}
    for entry in failed.values():
        assert (entry["points"], entry["tasks"]) == (0.0, [])
        assert entry["message"]
    assert "planned" in failed["hal"]["message"]
    assert sum(entry["status"] == "graded" for entry in report["submissions"]) == 5


def test_who_is_on_the_roster_has_a_row_in_every_report(run, klass, write, tmp_path):
    roster = write("roster.csv", "login,name\nann,\nzoe,Zoë O'Neil\n")
    names = {kind: tmp_path / f"report.{kind}" for kind in ("json", "csv", "junit", "html", "canvas")}
    flags = [part for kind, path in names.items() for part in (f"--{kind}", path)]
    code, output, error = run("grade", klass / "ann", klass / "dan", "--unsafe", "--roster", roster, *flags)
    assert (code, "not on the roster: dan" in error) == (1, True)
    for kind, text in {"": output, **{kind: path.read_text("utf-8") for kind, path in names.items()}}.items():
        assert "zoe" in text
        assert kind == "canvas" or "handed in nothing" in " ".join(text.split())  # there, an empty cell says so
    by_student = {entry["student"]: entry for entry in json.loads(names["json"].read_text())["submissions"]}
    assert {name: entry["status"] for name, entry in by_student.items()} == {
        "ann": "graded",
        "dan": "graded",
        "zoe": "failed",
    }
    assert run("grade", klass / "ann", "--unsafe", "--roster", write("roster.csv", "login\nann\n"))[0] == 0


def test_of_several_files_of_a_learner_the_report_says_which_counted(run, klass, write, notebook, right):
    blank = notebook('def softmax(x, dim=-1):\n    raise NotImplementedError("attention.softmax")')
    write("class/dan/attention/attention.ipynb", blank)
    write("class/dan/attention/attention-copy.ipynb", notebook(right))
    (entry,) = grade(run, klass / "dan")["submissions"]
    assert entry["points"] == entry["max_points"]
    assert "attention-copy.ipynb was graded" in entry["message"]
    assert "attention.ipynb (0)" in entry["message"]


def test_a_fault_of_the_grader_costs_one_submission(run, klass, monkeypatch):
    parse = notebooks.parse

    def faulty(data, path):
        if "ben" in path.parts:
            raise TypeError("'int' object is not iterable")
        return parse(data, path)

    monkeypatch.setattr(notebooks, "parse", faulty)
    entries = {entry["student"]: entry for entry in grade(run, klass, code=1)["submissions"]}
    assert "The grader itself failed" in entries["ben"]["message"]
    assert [name for name, entry in entries.items() if entry["status"] == "failed"] == ["ben"]


def test_a_file_with_its_unit_told(run, write, right):
    path = write("hand_in.py", right)
    assert grade(run, path, "--unit", UNIT)["submissions"][0]["student"] == "hand_in"
    report = grade(run, path, code=1)["submissions"][0]
    assert (report["status"], "--unit" in report["message"]) == ("failed", True)


def test_a_timeout_for_the_submission(run, write, right):
    path = write("attention.py", "def softmax(x, dim=-1):\n    while True: pass\n")
    entry = grade(run, path, "--timeout", "3")["submissions"][0]
    assert entry["tasks"][0]["status"] == "timeout"
    assert entry["seconds"] < 60


def test_names_from_foreign_systems(run, tmp_path, right):
    folder = os.fsencode(tmp_path) + b'/class/J\xfcrgen \xf0\x9f\x99\x82, "quoted"\n/attention'
    os.makedirs(folder)
    with open(folder + b"/attention.py", "w", encoding="utf-8") as file:
        file.write("x = 1")
    names = [tmp_path / f"report.{kind}" for kind in ("json", "csv", "junit", "html")]
    flags = [part for path in names for part in (f"--{path.suffix[1:]}", path)]
    code, _, error = run("grade", tmp_path / "class", "--unsafe", *flags)
    assert code == 0, error
    assert all(path.stat().st_size for path in names)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_costs_one_report_only(run, klass, tmp_path):
    code, _, error = run("grade", klass / "dan", "--unsafe", "--json", "/dev/full", "--csv", tmp_path / "x.csv")
    assert code == 2
    assert "disk is full" in error
    assert "dan" in (tmp_path / "x.csv").read_text(encoding="utf-8")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(run, klass, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    code, _, error = run("grade", klass, "--unsafe", "--json", tmp_path / "locked" / "x.json")
    assert code == 2
    assert "read-only" in error


# --- as a program of its own --------------------------------------------------------------------------


def program(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "autograder", *arguments],
        **{"cwd": ROOT, **options},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_module_is_a_program():
    done = program("list")
    assert (done.returncode, done.stderr) == (0, "")
    assert "attention.softmax" in done.stdout
    done = program("hint", "nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("autograder: There is no unit called 'nonsense'")


def test_modules_beside_a_submission_are_not_the_graders(write):
    """`python -m autograder` in a folder of submissions must not import their modules, outside of the sandbox."""
    folder = write("attention.py", "x = 1").parent
    for name in ("__future__", "argparse", "json", "numpy", "rich", "torch", "typing"):
        write(f"{name}.py", "raise SystemExit('a submission ran in the grader')")
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "check", "attention.py", "--task", "attention.softmax"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")


def test_a_reader_that_stops_reading():
    done = subprocess.run(
        f"{sys.executable} -m autograder list --json | head -c 10",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stderr, len(done.stdout)) == ("", 10)


def test_names_in_a_locale_without_unicode(tmp_path, write):
    """Every report has the names as they are, where Python itself cannot decode them."""
    for student in ("Zoë O'Neil", "späces 李"):
        write(f"class/{student}/attention/attention.py", "x = 1")
    write("class/Ünal_1_assignsubmission_file_/hömework.ipynb", "{}")
    folder = os.fsencode(tmp_path) + b"/class/J\xfcrgen/attention"
    os.makedirs(folder)
    with open(folder + b"/attention.py", "w", encoding="utf-8") as file:
        file.write("x = 1")
    with zipfile.ZipFile(tmp_path / "class" / "Núñez_2_assignsubmission_file_x.zip", "w") as archive:
        archive.writestr("añ/attention.py", "x = 1")
    roster = write("Röster.csv", "id,name\nzoë,Zoë O'Neil\nnoël,\n")
    names = {kind: tmp_path / f"report.{kind}" for kind in ("json", "csv", "junit", "html", "canvas")}
    flags = [str(part) for kind, path in names.items() for part in (f"--{kind}", path)]
    done = program(
        "grade", "class", "--unsafe", "--roster", roster.name, *flags, "--gradescope", str(tmp_path),
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (1, False), done.stderr
    assert "not on the roster: " in done.stderr
    assert (tmp_path / "zoë.attention.json").exists()
    students = {entry["student"] for entry in json.loads(names["json"].read_text())["submissions"]}
    assert students == {"zoë", "späces 李", "Ünal", "Jürgen", "Núñez", "noël"}
    for kind, path in names.items():
        text = (
            json.dumps(json.loads(path.read_text()), ensure_ascii=False) if kind == "json" else path.read_text("utf-8")
        )
        for name in ("zoë", "späces 李", "Jürgen", "Núñez", "noël", *(() if kind == "canvas" else ("hömework", "añ"))):
            assert name in text, (kind, name)
        assert not any("\ud800" <= one <= "\udfff" or one == "\ufffd" for one in text), kind


def test_a_terminal_without_unicode(write, right):
    path = write("attention.py", "1/0 # ü\ndef softmax(x, dim=-1):\n    return 'ü🙂'")
    done = program(
        "check",
        str(path),
        "--task",
        "attention.softmax",
        env={**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
