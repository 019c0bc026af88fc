"""Modules beside a notebook: found where the folder is the learner's own, bounded, and alike in `check` and `grade`."""

from __future__ import annotations

import json
import os

import pytest

from autograder import cli
from autograder.course.registry import find_unit
from autograder.grading.engine import grade_source
from autograder.grading.journal import journal_for
from autograder.judging.results import number
from autograder.judging.runner import max_points
from autograder.sandbox.session import Limits
from autograder.submissions.discovery import Source, discover
from autograder.submissions.notebooks import MAX_MODULES, MAX_MODULES_BYTES, modules_beside, read, read_files

UNIT = "attention"
WORTH = number(sum(map(max_points, find_unit(UNIT).task_ids)))
IMPORT = f"from model import {', '.join(task.partition('.')[2] for task in find_unit(UNIT).task_ids)}"


@pytest.fixture(scope="module")
def right(solution_cells) -> str:
    return "\n\n\n".join(solution_cells(UNIT))


def points(server, path, unit: str | None = None) -> dict[str, float]:
    return {source.student: number(grade_source(server, source).points) for source in discover([path], unit)}


def test_the_modules_of_a_folder_of_ones_own(tmp_path, write, notebook, right, jailed, server):
    write("class/ada/attention/attention.ipynb", notebook(IMPORT))
    write("class/ada/attention/model.py", "from helper import *\n\n" + right)
    write("class/ada/attention/helper.py", "import torch\n")
    write("class/grace/attention/attention.py", IMPORT)
    write("class/grace/attention/model.py", right)
    write("class/alan/attention/attention.ipynb", notebook(IMPORT))
    for one in (jailed, server):
        assert points(one, tmp_path / "class") == {"ada": WORTH, "grace": WORTH, "alan": 0}


def test_modules_of_others_are_not_found(tmp_path, write, notebook, right, server):
    """Where the files of several learners lie in one folder, each is alone."""
    for name in ("attention/ada.ipynb", "attention/model.py", "inbox/grace_attention.ipynb", "inbox/model.py"):
        write(name, right if name.endswith(".py") else notebook(IMPORT))
    write("mixed/attention.ipynb", notebook(IMPORT.replace("model", "alan_attention")))
    write("mixed/alan_attention.py", right)
    assert points(server, tmp_path / "attention" / "ada.ipynb") == {"ada": 0}
    assert points(server, tmp_path / "inbox", "attention") == {"grace": 0, "model": WORTH}
    assert points(server, tmp_path / "mixed") == {"mixed": 0, "alan": WORTH}


def test_check_finds_what_grade_finds(write, notebook, right, capsys, state_file):
    path = write("mine/attention.ipynb", notebook(IMPORT))
    assert cli.main(["check", str(path), "--task", "attention.softmax"]) == 1
    assert "`model` is not installed" in capsys.readouterr().err
    write("mine/model.py", right)
    assert cli.main(["check", str(path), "--task", "attention.softmax"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["attention.ipynb", "attention.py"])
def test_a_package_that_is_missing_is_said_and_costs_nothing_else(write, notebook, right, capsys, state_file, name):
    source = f"from google.colab import drive\ndrive.mount('/content')\n{right}"
    path = write(f"ada/attention/{name}", notebook(source) if name.endswith(".ipynb") else source)
    said = "Code cell 1: ModuleNotFoundError in line 1: `google.colab` is not installed where submissions are graded"
    assert cli.main(["check", str(path)]) == 0
    assert said in capsys.readouterr().err
    report = path.with_name("report.json")
    assert cli.main(["grade", "--unsafe", str(path), "--json", str(report)]) == 0
    (graded,) = json.loads(report.read_text(encoding="utf-8"))["submissions"]
    assert (graded["points"], said in graded["message"]) == (WORTH, True)


def test_only_regular_files_of_moderate_size_are_taken(tmp_path, write):
    path = write("attention.ipynb", "{}")
    secret = write("elsewhere/secret.py", "SECRET = 1")
    for name in ("model.py", "not a name.py", ".hidden.py", "data.csv", "attention.py", "class.py", "latin.py"):
        write(name, "x = 'é'".encode("latin-1"))
    (tmp_path / "link.py").symlink_to(secret)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    write("large.py", "#" * (MAX_MODULES_BYTES + 1))
    with open(os.fsencode(tmp_path) + b"/\xff.py", "w"):
        pass
    modules, notes = modules_beside(path)
    assert set(modules) == {"model", "attention", "class", "latin"}
    assert modules["latin"] == "x = 'é'"
    assert sorted(note.partition(".py")[0] for note in notes) == ["folder", "gone", "large", "link", "pipe"]
    assert "large.py beside the notebook cannot be imported. All such files together may have 1,000,000 bytes." in notes
    assert read_files(path, own_folder=False).modules == {}
    assert "model" in read(write("b.py", "x = 1")).modules


def test_their_number_and_their_bytes_together_are_bounded(tmp_path, write):
    path = write("attention.py", "x = 1")
    for index in range(MAX_MODULES + 10):
        write(f"m{index:02}.py", "x = 1" if index else "#" * (MAX_MODULES_BYTES - 20))
    modules, notes = modules_beside(path)
    assert list(modules) == ["m00", "m01", "m02", "m03", "m04"]
    assert len(notes) == MAX_MODULES - 5 + 1
    assert notes[-1] == f"Of {MAX_MODULES + 10} Python files beside the notebook, only the first 50 can be imported."


SHADOWED = ("torch", "json", "numpy", "random", "math", "os", "runtime", "traceback", "socket", "struct", "tempfile")


@pytest.mark.parametrize("text", ["raise SystemExit('shadow')", "def __getattr__(name):\n    return 5\n"])
def test_a_module_that_is_called_like_another_harms_nobody_else(write, notebook, right, jailed, text):
    folder = "class/mallory/attention"
    path = write(f"{folder}/attention.ipynb", notebook(right, f"import {', '.join(SHADOWED)}", "import imaplib"))
    for name in (*SHADOWED, "imaplib", "autograder", "solutions"):
        write(f"{folder}/{name}.py", text)
    other = write("class/ada/attention/attention.ipynb", notebook(right))
    for one in (path, other):
        (source,) = discover([one.parent])
        assert number(grade_source(jailed, source).points) == WORTH


def test_they_come_again_when_the_process_ends(write, notebook, right, jailed):
    path = write(
        "attention/attention.ipynb", notebook("import os\nos._exit(1)", IMPORT, "open('model.py', 'w').close()")
    )
    write("attention/model.py", right)
    graded = grade_source(jailed, Source(path, "ada", UNIT, own_folder=True), limits=Limits(5, 30))
    assert number(graded.points) == WORTH  # the trials of its test leave that cell out


def test_the_journal_tells_other_modules_apart(write, notebook, state_file):
    source = Source(write("attention/attention.ipynb", notebook(IMPORT)), "ada", UNIT, own_folder=True)
    keys = []
    for text in ("x = 1", "x = 2", "x = 1"):
        write("attention/model.py", text)
        with journal_for([source], 0, Limits(), jailed=True) as journal:
            keys += journal.keys
    assert keys[0] == keys[2] != keys[1]


def test_notes_on_modules_reach_the_report(write, notebook, tmp_path, server):
    path = write("ada/attention/attention.ipynb", notebook("x = 1"))
    (path.parent / "model.py").symlink_to(path)
    (source,) = discover([path])
    assert (
        "model.py beside the notebook cannot be imported. model.py is a symbolic link"
        in grade_source(server, source).notes[0]
    )
