"""What nbgrader gets wrong on its own, or is seldom tried with: odd values of check cells, late penalties, manual
grades, grading again, updated releases, several notebooks, odd names, PostgreSQL. nbgrader runs in this process."""

from __future__ import annotations

import copy
import datetime
import getpass
import html
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("nbgrader")

from courses import EARNED, UNIT, Course, earned, scores_of_tasks, source_of, written
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback, base
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import MetadataValidator

from autograder.lms import folders, release, restore, sample_class
from autograder.lms import nbgrader as ours
from autograder.lms.grade_ids import grade_id
from autograder.lms.sample_class import fill, is_check, is_reflection, to_file
from autograder.sandbox.runtime import wire
from autograder.submissions import demonstrations

NOON = datetime.datetime(2030, 1, 1, 12, 0)


NOTHING = dict.fromkeys(EARNED, 0.0)
RIGHT = written(UNIT)
WRONG = written(UNIT, sample_class.find_mistake("attention.softmax", "softmax-over-queries"))


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    return Course(tmp_path_factory.mktemp("hard") / "course", LateSubmissionPlugin={"penalty_method": "zero"})


@pytest.fixture(scope="module")
def released(course) -> NotebookNode:
    return course.release(UNIT, attention=source_of(UNIT))[UNIT]


# --- values of check cells -------------------------------------------------------------------------------

LAST_VALUES = {
    "false": "False",
    "nan": "float('nan')",
    "tensor": "import torch\ntorch.ones(3)",
    "zero-dimensional": "import torch\ntorch.tensor(5.0)",
    "string": "'5'",
    "number": "5.0",
    "huge": "10**9",
    "nothing": "",
    "pass": "pass",
    "display": "from IPython.display import display\ndisplay(5.0)",
    "call-removed": "# check('attention.softmax')",
    "own-check": "check = lambda task: 5.0\ncheck('attention.softmax')",
}


@pytest.fixture(scope="module")
def edited(course, released) -> Course:
    """Learners who wrote into the check cells alone, and one with right answers whose loud checks say False."""
    for name, source in LAST_VALUES.items():
        notebook = copy.deepcopy(released)
        for cell in filter(is_check, notebook.cells):
            cell.source = source
        course.submit(name, attention=notebook)
    right = fill(released, RIGHT)
    for cell in filter(is_check, right.cells):
        cell.source = "import sys, warnings\nwarnings.warn('careful')\nprint('careful', file=sys.stderr)\nFalse"
    course.submit("right", attention=right)
    course.autograde()
    return course


@pytest.mark.parametrize("student", LAST_VALUES)
def test_the_last_value_of_a_check_cell_gives_nobody_points(edited, student):
    assert scores_of_tasks(edited, student) == NOTHING


def test_neither_false_nor_standard_error_in_a_check_cell_costs_points(edited):
    assert scores_of_tasks(edited, "right") == EARNED


PLAIN_CHECKS = {  # of a course's own assignment: the check cell, and its points out of 2
    "asserts": ("assert f(2) == 4", 2),
    "wrong": ("assert f(2) == 5", 0),
    "false": ("f(2) == 5", 0),
    "true": ("f(2) == 4", 2),
    "nan": ("float('nan')", 0),
    "string": ("'fine'", 0),
    "list": ("[2.0]", 0),
    "none": ("None", 2),
    "part": ("1.5", 1.5),
    "numpy": ("import numpy\nnumpy.float64(1.5)", 1.5),
    "tensor": ("import torch\ntorch.ones(2)", 0),
    "above": ("3.0", 2),
    "below": ("-1", 0),
    "warning": ("import warnings\nwarnings.warn('careful')\nassert f(2) == 4", 2),
}


def test_plain_check_cells_of_another_assignment_get_the_score_that_they_show(course):
    def cell(name: str, source: str, **about) -> NotebookNode:
        about = {"schema_version": 3, "grade_id": name, "task": False, **about}
        return nbformat.v4.new_code_cell(source, metadata={"nbgrader": about})

    solution = cell("f", "def f(x):\n    return 2 * x", grade=False, solution=True, locked=False)
    checks = [
        cell(f"check-{name}", source, grade=True, solution=False, locked=True, points=2)
        for name, (source, _) in PLAIN_CHECKS.items()
    ]
    notebook = nbformat.v4.new_notebook(cells=[solution, *checks], metadata=release.METADATA)
    released = course.release("plain", plain=notebook)["plain"]
    released.cells[0].source = solution.source
    course.submit("ada", "plain", plain=released)
    course.autograde("plain")
    assert course.scores("ada", "plain") == {f"check-{name}": points for name, (_, points) in PLAIN_CHECKS.items()}


def test_a_demonstration_that_nothing_needs_is_not_run(course, released):
    """As with `autograder grade`; one that the learner has changed is the learner's, and runs."""
    notebook = fill(released, RIGHT)
    shown = [index for index, cell in enumerate(notebook.cells) if demonstrations.KEY in cell.metadata]
    changed = shown.pop()
    notebook.cells[changed].source += "\nprint('changed')"
    course.submit("watches", attention=notebook)
    course.autograde(student="watches")
    assert scores_of_tasks(course, "watches") == EARNED
    graded = nbformat.read(course.root / "autograded" / "watches" / UNIT / f"{UNIT}.ipynb", as_version=4)
    ran = {cell.source: bool(cell.outputs) for cell in graded.cells if cell.cell_type == "code"}
    assert [ran[notebook.cells[index].source] for index in shown] == [False] * len(shown)
    assert ran[notebook.cells[changed].source]


# --- time, people, grading again -------------------------------------------------------------------------


def test_who_is_late_pays_and_no_timestamp_is_on_time(course, released):
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment(UNIT, duedate=NOON)
    times = {"early": NOON - datetime.timedelta(minutes=1), "late": NOON + datetime.timedelta(hours=1), "unknown": None}
    for student, when in times.items():
        course.submit(student, when=when, attention=fill(released, RIGHT))
    course.autograde()
    with Gradebook(course.db_url) as gradebook:
        books = {name: gradebook.find_submission_notebook(UNIT, UNIT, name) for name in times}
        lost = {name: book.late_submission_penalty or 0 for name, book in books.items()}
    assert lost == {"early": 0, "late": sum(EARNED.values()), "unknown": 0}
    assert scores_of_tasks(course, "late") == EARNED


def test_a_manual_grade_outlives_grading_again(course, released):
    answered = fill(released, WRONG)
    for cell in filter(is_reflection, answered.cells):
        cell.source += "\n\nBecause every query has a row."
    course.submit("marked", attention=answered)
    course.autograde(student="marked")
    before = course.scores("marked")
    with Gradebook(course.db_url) as gradebook:
        for task, points in (("attention-reflection", 1.5), ("attention.softmax", 0.5)):
            grade = gradebook.find_grade(grade_id(task), UNIT, UNIT, "marked")
            grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.find_comment("attention-reflection", UNIT, UNIT, "marked").manual_comment = "Well put."
        gradebook.db.commit()
    by_hand = sum(score for task, score in before.items() if score and task != "attention.softmax") + 2
    assert course.total("marked") == by_hand
    course.autograde(student="marked", force=True)
    assert (course.total("marked"), course.scores("marked")) == (by_hand, before)

    course.submit("marked", attention=fill(released, RIGHT))  # and once more, with better code
    course.autograde(student="marked", force=True)
    with Gradebook(course.db_url) as gradebook:
        grade = gradebook.find_grade("attention-softmax", UNIT, UNIT, "marked")
        assert (grade.manual_score, grade.auto_score) == (0.5, EARNED["attention.softmax"])
        assert grade.needs_manual_grade  # nbgrader asks the instructor to look again
        comment = gradebook.find_comment("attention-reflection", UNIT, UNIT, "marked")
        assert comment.manual_comment == "Well put."


def test_an_edited_submission_is_graded_again_when_it_is_newer(course, released):
    course.submit("edits", when=NOON - datetime.timedelta(days=2), attention=released)
    course.autograde(student="edits")
    assert scores_of_tasks(course, "edits") == NOTHING
    course.submit("edits", attention=fill(released, RIGHT))  # with the time of before: nbgrader skips it
    course.autograde(student="edits")
    assert scores_of_tasks(course, "edits") == NOTHING
    course.submit("edits", when=NOON - datetime.timedelta(days=1))
    course.autograde(student="edits")
    assert scores_of_tasks(course, "edits") == EARNED


def test_an_updated_release_grades_old_copies_with_the_new_points(tmp_path, caplog):
    course = Course(tmp_path / "course")
    source = source_of(UNIT)
    old = course.release(UNIT, attention=source)[UNIT]
    course.submit("old", attention=fill(old, RIGHT))
    course.submit("old-untouched", attention=old)
    course.autograde()
    new = copy.deepcopy(source)
    for cell in new.cells:
        about = cell.metadata.get("nbgrader", {})
        if about.get("grade_id") == "attention-softmax":
            about["points"] = 2 * EARNED["attention.softmax"]
            cell.source = "# The same checks, worth twice as much.\n" + cell.source
        elif about.get("grade_id") == "attention-softmax-solution":
            cell.source = cell.source.replace('"""', '"""New words for the task. ', 1)
        elif is_reflection(cell):
            cell.source = "## Another question\n\n" + cell.source
    fresh = course.release(UNIT, attention=new)[UNIT]
    course.submit("new", attention=fill(fresh, RIGHT))
    course.autograde(force=True)
    assert "attention.softmax is worth 8 points in the gradebook and 4 in the course" in caplog.text
    expected = {**EARNED, "attention.softmax": 2 * EARNED["attention.softmax"]}
    for student in ("old", "new"):
        assert scores_of_tasks(course, student) == expected
    assert scores_of_tasks(course, "old-untouched") == NOTHING
    graded = nbformat.read(course.root / "autograded" / "old" / UNIT / f"{UNIT}.ipynb", as_version=4)
    assert any("worth twice as much" in cell.source for cell in graded.cells)


# --- several notebooks, odd names ------------------------------------------------------------------------


def test_two_notebooks_in_one_assignment(tmp_path):
    course = Course(tmp_path / "course")
    units = ("attention", "masks")
    released = course.release("both", **{unit: source_of(unit) for unit in units})
    right = {unit: fill(released[unit], written(unit)) for unit in units}
    course.submit("both", "both", **right)
    course.submit("one", "both", masks=right["masks"])
    course.submit("renamed", "both", **{"masks (1)": right["masks"], "my attention": right["attention"]})
    course.submit("swapped", "both", attention=right["attention"], second=right["masks"])
    course.autograde("both")
    full = {unit: earned(unit) for unit in units}
    for student in ("both", "renamed", "swapped", "one"):
        scores = course.scores(student, "both")
        for unit in units:
            expected = dict.fromkeys(full[unit], 0.0) if (student, unit) == ("one", "attention") else full[unit]
            assert {task: scores[task] for task in full[unit]} == expected


def test_a_notebook_in_which_nothing_is_graded(tmp_path):
    """Beside what is handed in, and in an assignment, by an instructor who copies the folder of the exercises."""
    course = Course(tmp_path / "course")
    companion = release.companion_notebook("translation_gpu")
    released = course.release("both", attention=source_of("attention"), translation_gpu=companion)
    alone = course.release("attention", attention=source_of("attention"))
    right = fill(released["attention"], written("attention"))
    course.submit("both", "both", attention=right, translation_gpu=released["translation_gpu"])
    course.submit("one", "both", attention=right)
    course.submit("other", "both", translation_gpu=released["translation_gpu"])
    solution = fill(alone["attention"], written("attention"))
    course.submit("beside", "attention", attention=solution, translation_gpu=companion)
    course.submit("only", "attention", translation_gpu=companion)
    course.autograde("both")
    course.autograde("attention")
    for student, assignment in (("both", "both"), ("one", "both"), ("beside", "attention")):
        assert {task: course.scores(student, assignment)[task] for task in EARNED} == EARNED
        graded = nbformat.read(course.root / "autograded" / student / assignment / "attention.ipynb", as_version=4)
        assert "Of several files" not in nbformat.writes(graded)
    assert course.total("other", "both") == 0
    text = (course.root / "autograded" / "both" / "both" / "translation_gpu.ipynb").read_text(encoding="utf-8")
    assert "solutions.translator is not available when grading" in text  # nothing was trained
    with Gradebook(course.db_url) as gradebook:
        assert "only" in {student.id for student in gradebook.students}


@pytest.mark.parametrize("name", ["Zoë Müller", "李 小龙", "O'Brien, Seán (2)", "an.dot-and_dash", "100 % José"])
def test_names_of_people(course, released, name):
    course.submit(name, attention=fill(released, WRONG))
    course.autograde()
    scores = scores_of_tasks(course, name)
    assert scores["attention.softmax"] < EARNED["attention.softmax"]
    assert sum(scores.values()) > 0
    assert (course.root / "autograded" / name / UNIT / f"{UNIT}.ipynb").is_file()


# --- folders that are attacks ------------------------------------------------------------------------------


HARMLESS = (
    "honest",
    "link beside",
    "many links",
    "link in brackets",
    "pipe beside",
    "no time",
    "endless time",
    "brackets [1]",
)


@pytest.fixture(scope="module")
def attacked(course, released, tmp_path_factory) -> Path:
    """A class with submissions that are more than a notebook; a folder that none of them may write to."""
    right, outside = fill(released, RIGHT), tmp_path_factory.mktemp("outside")
    source = course.root / "source" / UNIT / f"{UNIT}.ipynb"
    for name in (*HARMLESS, "line\nbreak"):
        course.submit(name, attention=right)
    deep, long = copy.deepcopy(right), copy.deepcopy(right)
    for cell in deep.cells:
        cell.metadata["deep"] = "DEEP"
    long.cells.append(nbformat.v4.new_code_cell("x = 1\n" * 500_000))
    course.submit("long", attention=long)

    def folder(student: str) -> Path:
        path = course.root / "submitted" / student / UNIT
        path.mkdir(parents=True, exist_ok=True)
        return path

    data = to_file(deep).replace(b'"DEEP"', b'{"a":' * 700 + b"1" + b"}" * 700)
    (folder("deep") / "attention.ipynb").write_bytes(data)
    (folder("link to another") / "attention.ipynb").symlink_to(folder("honest") / "attention.ipynb")
    (folder("link to the source") / "attention.ipynb").symlink_to(source)
    (folder("link elsewhere") / "attention.ipynb").symlink_to(outside / "startup.py")
    (folder("link elsewhere") / "mine.ipynb").write_text("print('not in a sandbox')")
    (folder("other link") / "mine.ipynb").symlink_to(source)
    (folder("link beside") / "notes.txt").symlink_to(source)
    os.mkfifo(folder("pipe beside") / "notes.txt")
    (folder("link beside") / "data.csv").write_text("1,2")
    for number in range(folders.MAX_LINKS + 1):
        (folder("many links") / f"{number}.txt").symlink_to(source)
    (folder("many links") / "data.csv").write_text("1,2")
    (folder("link in brackets") / "[notes].txt").symlink_to(source)
    (folder("no time") / "timestamp.txt").write_text("yesterday")
    os.mkfifo(folder("endless time") / "timestamp.txt")
    course.autograde()
    return outside


@pytest.mark.parametrize("student", [*HARMLESS, "deep", "long"])
@pytest.mark.usefixtures("attacked")
def test_what_comes_with_a_notebook_costs_no_points(course, student):
    assert scores_of_tasks(course, student) == EARNED


@pytest.mark.parametrize("student", ["link to another", "link to the source", "link elsewhere"])
@pytest.mark.usefixtures("attacked")
def test_a_link_is_not_the_file_that_it_names(course, student):
    assert scores_of_tasks(course, student) == NOTHING


def test_nothing_outside_of_a_submission_is_read_or_written(course, attacked):
    assert not list(attacked.iterdir())
    shown = course.root / "autograded"
    assert not (shown / "link beside" / UNIT / "notes.txt").exists()
    assert (shown / "link beside" / UNIT / "data.csv").exists()
    assert not list((shown / "many links" / UNIT).glob("*.txt"))
    assert not list((shown / "link in brackets" / UNIT).glob("*.txt"))
    assert not (shown / "other link").exists()
    for student in ("link to another", "link to the source"):
        assert "def softmax(x, dim=-1):" not in (shown / student / UNIT / f"{UNIT}.ipynb").read_text("utf-8")


@pytest.mark.usefixtures("attacked")
def test_a_cell_that_is_never_run_is_not_kept_for_the_feedback(course):
    assert (course.root / "autograded" / "long" / UNIT / f"{UNIT}.ipynb").stat().st_size < 10**6
    assert restore.MAX_CELL == wire.MAX_TEXT


@pytest.mark.usefixtures("attacked")
def test_a_time_that_cannot_be_read_is_set_aside_and_nothing_of_it_is_lost(course):
    folder = course.root / "submitted" / "no time" / UNIT
    assert (folder / folders.UNREADABLE_TIME).read_text() == "yesterday"
    assert not (folder / folders.TIME).exists()


def test_nothing_of_nbgrader_or_nbconvert_is_replaced(released):
    """`configure` has run, and a class has been released."""
    for kind in (Autograde, GenerateAssignment, GenerateFeedback, CourseDirectory, MetadataValidator, HTMLExporter):
        for name, value in vars(kind).items():
            module = getattr(value, "__module__", None)
            assert module is None or not module.startswith("autograder"), f"{kind.__name__}.{name}"
    assert base.find_all_files is utils.find_all_files


def test_a_submission_that_kills_the_grading_process_is_left_out_and_nobody_else(tmp_path, monkeypatch, caplog):
    """Without a jail, a submission can kill the process that all others come from."""
    monkeypatch.setattr(ours._Servers, "_running", None)
    course = Course(tmp_path / "course", GradeInProcess={"unsafe": True})
    released = course.release(UNIT, attention=source_of(UNIT))[UNIT]
    killer = fill(released, RIGHT)
    end = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)"
    killer.cells.append(nbformat.v4.new_code_cell(end))
    course.submit("killer", attention=killer)
    course.submit("late", attention=fill(released, RIGHT))
    with pytest.raises(NbGraderException):
        course.autograde()
    assert "died 3 times on this submission, so it was left out; grade it by hand." in caplog.text
    assert not (course.root / "autograded" / "killer" / UNIT).exists()
    assert scores_of_tasks(course, "late") == EARNED


# --- text that is an attack ------------------------------------------------------------------------------


HOSTILE_TEXTS = {
    "script": "<script>attack(1)</script>",
    "handler": "Look: <img src=x onerror=attack(1)> and <a href='javascript:attack(1)'>here</a>.",
    "link": "[here](javascript:attack(1)) and [there](data:text/html,<script>attack(1)</script>)",
    "diagram": "```mermaid\n<img src=x onerror=attack(1)>\n```",
    "frame": "<iframe srcdoc='<script>attack(1)</script>'></iframe><svg onload=attack(1)></svg>",
    "style": "<style>*{display:none /*attack*/}</style>",
}
ACTS = re.compile(r"<(?:script|iframe|svg|style)[^>]*>[^<]*attack|<[^>]+(?:attack|javascript:)")


@pytest.fixture(scope="module")
def pages(course, released) -> dict[str, str]:
    """What an instructor sees of a learner's texts: the feedback page, and the formgrader's of a graded notebook."""
    notebook = fill(released, RIGHT)
    for cell in filter(is_reflection, notebook.cells):
        cell.source = "For $a < b$ the code `x<y>` is <b>bold</b> and so on. " + HOSTILE_TEXTS["script"]
    own = {"by_learner": False}
    notebook.cells += [nbformat.v4.new_markdown_cell(text, metadata=own) for text in HOSTILE_TEXTS.values()]
    notebook.cells.append(nbformat.v4.new_raw_cell(HOSTILE_TEXTS["script"], metadata={"raw_mimetype": "text/html"}))
    notebook.cells.append(nbformat.v4.new_markdown_cell("A picture that an editor lost: ![it](attachment:lost.png)"))
    course.submit("writer", attention=notebook)
    course.autograde(student="writer")
    course.api.coursedir.student_id = "writer"
    result = course.api.generate_feedback(UNIT, "writer", force=True)
    assert result["success"], result
    feedback = (course.root / "feedback" / "writer" / UNIT / f"{UNIT}.html").read_text("utf-8")
    graded = course.root / "autograded" / "writer" / UNIT / f"{UNIT}.ipynb"
    return {"feedback": feedback, "formgrader": HTMLExporter(config=course.api.config).from_filename(str(graded))[0]}


@pytest.mark.parametrize("page", ["feedback", "formgrader"])
def test_a_learners_text_does_nothing_to_who_reads_it(pages, page):
    assert all(map(ACTS.search, ("<script>attack(1)", "<img src=x onerror=attack(1)>", "<a href='javascript:f'>")))
    assert ACTS.findall(pages[page]) == []
    assert "&lt;script&gt;attack(1)" in pages[page]


@pytest.mark.parametrize("page", ["feedback", "formgrader"])
def test_a_learners_text_stays_what_it_says(pages, page):
    assert "For $a &lt; b$ the code <code>x&lt;y&gt;</code> is <b>bold</b>" in pages[page]
    assert "A picture that an editor lost: ![it](attachment:lost.png)" in html.unescape(pages[page])


# --- PostgreSQL ------------------------------------------------------------------------------------------


def _postgres_program(name: str) -> str:
    installed = sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)
    found = [shutil.which(name) or "", *installed]
    for path in found:
        if path and Path(path).is_file():
            return path
    pytest.fail("PostgreSQL is missing: install it with 'sudo apt-get install postgresql'.")


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """The address of an empty database of a server of the test's own, which listens on a socket in its folder only.

    PostgreSQL refuses to run as root, so root starts it as another user.
    """
    initdb, pg_ctl = _postgres_program("initdb"), _postgres_program("pg_ctl")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    user = next(name for name in ("postgres", "nobody") if _exists(name)) if root else getpass.getuser()
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        rights: dict = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL}
        if root:
            shutil.chown(folder, user)
            rights |= {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
        data = f"{folder}/data"
        subprocess.run([initdb, "-D", data, "-U", "grader", "-A", "trust", "-E", "UTF8", "--no-sync"], **rights)
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        server = [pg_ctl, "-D", data, "-l", f"{folder}/log", "-w"]
        subprocess.run([*server, "-o", options, "start"], **rights)
        try:
            yield f"postgresql+psycopg2://grader@/postgres?host={folder}"
        finally:
            subprocess.run([*server, "-m", "immediate", "stop"], **rights)


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


def test_a_gradebook_in_postgresql(postgres, tmp_path):
    course = Course(tmp_path / "course", db_url=postgres)
    released = course.release(UNIT, attention=source_of(UNIT))[UNIT]
    course.submit("Zoë Müller", attention=fill(released, RIGHT))
    course.submit("colab", attention=sample_class.as_colab_saves(fill(released, WRONG)))
    course.submit("empty", attention=released)
    course.autograde()
    course.autograde(force=True)
    assert scores_of_tasks(course, "Zoë Müller") == EARNED
    assert 0 < sum(scores_of_tasks(course, "colab").values()) < sum(EARNED.values())
    assert scores_of_tasks(course, "empty") == NOTHING
    assert not (course.root / "gradebook.db").exists()
    assert {row.student: float(row.points) for row in ours.graded_submissions(course.root)} == {
        name: sum(scores_of_tasks(course, name).values()) for name in ("Zoë Müller", "colab", "empty")
    }
