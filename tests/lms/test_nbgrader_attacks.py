"""Submissions that attack nbgrader: with links to another's work, and with times and texts that never end."""

from __future__ import annotations

import copy
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("nbgrader")

from courses import EARNED, UNIT, Course, scores_of_tasks, source_of, written
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters.base import NbGraderException
from sandboxed import needs_jail

from autograder.lms import folders, release, restore
from autograder.lms.sample_class import as_version_3, fill, is_reflection, to_file

SECONDS = 20  # for one attack; each took minutes, or did not end


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    return Course(tmp_path_factory.mktemp("attacks") / "course")


@pytest.fixture(scope="module")
def right(course) -> NotebookNode:
    notebook = fill(course.release(UNIT, attention=source_of(UNIT))[UNIT], written(UNIT))
    course.submit("zoe", attention=notebook)
    course.autograde(student="zoe")
    return notebook


def has_submission(course: Course, student: str) -> bool:
    with Gradebook(course.db_url) as gradebook:
        try:
            return bool(gradebook.find_submission(UNIT, student))
        except MissingEntry:
            return False


# --- links ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("linked", ["student", "unit"])
def test_a_link_to_anothers_folder_is_not_graded(course, right, linked, caplog):
    submitted, name = course.root / "submitted", f"link-{linked}"
    if linked == "student":
        (submitted / name).symlink_to(submitted / "zoe")
    else:
        (submitted / name).mkdir()
        (submitted / name / UNIT).symlink_to(submitted / "zoe" / UNIT)
    course.submit(f"honest-{linked}", attention=right)
    course.autograde()
    assert scores_of_tasks(course, f"honest-{linked}") == EARNED
    assert not has_submission(course, name)
    assert not (course.root / "autograded" / name).exists()
    assert f"{name}/{UNIT} is reached through a symbolic link" in caplog.text


def test_a_course_folder_may_be_a_link_itself(right, tmp_path):
    course = Course(tmp_path / "course")
    course.release(UNIT, attention=source_of(UNIT))
    (tmp_path / "elsewhere").mkdir()
    (course.root / "submitted").symlink_to(tmp_path / "elsewhere")
    course.submit("ada", attention=right)
    course.autograde()
    assert scores_of_tasks(course, "ada") == EARNED


# --- times ------------------------------------------------------------------------------------------------

TIMES = {
    "digits": "9" * 5_000_000,
    "dots": "1." * 40_000,
    "a little too long": "2030-01-01 12:00:00 UTC" + " " * 100,
    "zone": "2030-01-01 12:00:00 " + "9" * 50,
    "zone of a file": "2030-01-01 12:00:00 /etc/passwd",
    "exponent": "1e999999999",
}


@pytest.mark.parametrize("text", TIMES.values(), ids=TIMES)
def test_a_time_that_takes_for_ever_to_read_stops_nobody(course, right, text):
    for student in ("clock", "unpunctual"):
        course.submit(student, attention=right)
    folder = course.root / "submitted" / "clock" / UNIT
    (folder / folders.TIME).write_text(text)
    (folder / folders.UNREADABLE_TIME / "full").mkdir(parents=True, exist_ok=True)  # where it would be set aside
    started = time.monotonic()
    for student in ("clock", "unpunctual"):
        course.autograde(student=student, force=True)
        assert scores_of_tasks(course, student) == EARNED
    assert time.monotonic() - started < SECONDS
    assert not (folder / folders.TIME).exists()


def test_an_empty_time_and_a_real_one_stay(course, right):
    for text in ("", "2029-12-31 12:00:00 UTC\n"):
        course.submit("real", attention=right)
        path = course.root / "submitted" / "real" / UNIT / folders.TIME
        path.write_text(text)
        course.autograde(student="real", force=True)
        assert path.read_text() == text


def test_a_folder_that_cannot_be_read_stops_nobody(course, right, monkeypatch, caplog):
    def broken(folder: Path, log: object) -> None:
        if folder.parent.name == "broken":
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(folders, "set_unreadable_time_aside", broken)
    for student in ("broken", "behind it"):
        course.submit(student, attention=right)
    course.autograde()
    assert scores_of_tasks(course, "behind it") == EARNED
    assert not has_submission(course, "broken")
    assert "broken/attention cannot be read" in caplog.text


def test_what_is_collected_from_the_exchange_is_no_link_and_has_a_time(right, tmp_path, monkeypatch, caplog):
    exchange = tmp_path / "exchange"
    inbound = exchange / "default_course" / "inbound"
    inbound.mkdir(parents=True)
    course = Course(tmp_path / "course", Exchange={"root": str(exchange)})
    course.release(UNIT, attention=source_of(UNIT))
    course.submit("zoe", attention=right)
    secret = course.root / "submitted" / "zoe" / UNIT

    def hand_in(student: str, hour: int) -> Path:
        folder = inbound / f"{student}+{UNIT}+2030-01-01 {hour}:00:00 UTC+x"
        folder.mkdir()
        return folder

    first = hand_in("clock", 10)
    (first / "attention.ipynb").write_bytes(to_file(right))
    (first / folders.TIME).write_text("9" * 5_000_000)
    (hand_in("mal", 10) / "attention.ipynb").symlink_to(secret / "attention.ipynb")
    folder = hand_in("mia", 10)
    (folder / "notes").symlink_to(secret)
    (folder / "attention.ipynb").write_bytes(to_file(right))
    (inbound / f"max+{UNIT}+2030-01-01 10:00:00 UTC+x").symlink_to(secret)

    started = time.monotonic()
    for hour in (11, 12):
        assert course.api.collect(UNIT, update=True)["success"]
        (hand_in("clock", hour) / "attention.ipynb").write_bytes(to_file(right))
    assert time.monotonic() - started < SECONDS
    submitted = course.root / "submitted"
    assert (submitted / "clock" / UNIT / "attention.ipynb").exists()
    assert not list((submitted / "mal" / UNIT).glob("*.ipynb"))
    assert {path.name for path in (submitted / "mia" / UNIT).iterdir()} == {"attention.ipynb"}
    assert not (submitted / "max" / UNIT).exists()


# --- texts ------------------------------------------------------------------------------------------------


def markdown(source: str) -> NotebookNode:
    return nbformat.v4.new_markdown_cell(source)


TEXTS: dict[str, Callable[[], list[NotebookNode]]] = {
    "line ends": lambda: [markdown("\n" * 20_000_000)],
    "line ends in many cells": lambda: [markdown("## Why?" + "\n" * 20_000) for _ in range(1000)],
    "line ends, raw": lambda: [nbformat.v4.new_raw_cell("\n" * 20_000_000)],
    "line ends, code": lambda: [nbformat.v4.new_code_cell("\n" * 900_000) for _ in range(20)],
    "attachment": lambda: [markdown("![x](attachment:x.png)") | {"attachments": {"x.png": {"image/png": "A" * 10**8}}}],
    "metadata": lambda: [nbformat.v4.new_code_cell("1", metadata={"x": ["y" * 100] * 200_000})],
    **{
        f"{tag} without an end": lambda tag=tag: [markdown(tag * 100_000)]
        for tag in (
            "<div>",
            "<b>",
            "<p><b>",
            "\\begin{a}",
            "~~~\n",
            "[",
            "![",
            "*a **b ",
            "`a ``b ",
            "<!--",
            "$$a$",
            "> ",
        )
    },
    "just short enough": lambda: [markdown("<div>" * 3999) for _ in range(14)],
    "brackets in code": lambda: [nbformat.v4.new_code_cell("(" * 900_000)],
    "strings in code": lambda: [nbformat.v4.new_code_cell("f'{" * 300_000)],
    "quotes in code": lambda: [nbformat.v4.new_code_cell("'''a'" * 180_000)],
    "attributes in code": lambda: [nbformat.v4.new_code_cell("a." * 5000) for _ in range(200)],
    "names in code": lambda: [nbformat.v4.new_code_cell("class a " * 100_000)],
}


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_costs_no_more_than_its_size_times_a_small_constant(course, right, kind):
    notebook = copy.deepcopy(right)
    notebook.cells += [nbformat.from_dict(cell) for cell in TEXTS[kind]()]
    course.submit("writer", attention=notebook)
    started = time.monotonic()
    course.autograde(student="writer", force=True)
    graded = time.monotonic() - started
    assert scores_of_tasks(course, "writer") == EARNED
    course.api.coursedir.student_id = "writer"
    started = time.monotonic()
    result = course.api.generate_feedback(UNIT, "writer", force=True)
    assert result["success"], result
    assert (graded < SECONDS, time.monotonic() - started < SECONDS) == (True, True)


def test_a_long_answer_with_a_picture_is_kept_and_what_is_too_long_says_so(course, right):
    notebook = copy.deepcopy(right)
    picture = "![a photo](data:image/png;base64," + "A" * 3_000_000 + ")"
    for cell in filter(is_reflection, notebook.cells):
        cell.source = "Because. " * 2000 + picture
    notebook.cells.append(markdown("x" * restore.MAX_TEXT))
    cells = restore.read_cells(to_file(notebook), "x.ipynb")
    assert cells[-2].source.endswith("A)")
    assert "The rest of this text is too long: see the file handed in." in cells[-1].source


def test_the_level_of_an_old_heading_costs_nothing(right):
    old = as_version_3(right)
    old.worksheets[0].cells.append({"cell_type": "heading", "level": 10**10, "source": "Why?", "metadata": {}})
    assert restore.read_cells(json.dumps(old).encode(), "x.ipynb")[-1].source == "# Why?"


# --- a course's own notebooks ---------------------------------------------------------------------------------


def own_notebook(solution: str, *checks: str) -> NotebookNode:
    def cell(name: str, source: str, **about) -> NotebookNode:
        about = {"schema_version": 3, "grade_id": name, "task": False, **about}
        return nbformat.v4.new_code_cell(source, metadata={"nbgrader": about})

    cells = [cell("f", solution, grade=False, solution=True, locked=False)]
    for number, check in enumerate(checks):
        cells.append(cell(f"check-{number}", check, grade=True, solution=False, locked=True, points=2))
    return nbformat.v4.new_notebook(cells=cells, metadata=release.METADATA)


def course_with_own(tmp_path: Path, code: str, *checks: str, **options) -> Course:
    course = Course(tmp_path / "course", GradeInProcess=options)
    released = course.release("own", own=own_notebook("f = 1", *checks))["own"]
    released.cells[0].source = code
    course.submit("ada", "own", own=released)
    return course


def own_scores(course: Course) -> list[float | None]:
    course.autograde("own")
    return list(course.scores("ada", "own").values())


@needs_jail
def test_an_own_notebook_runs_in_the_sandbox(tmp_path):
    outside = tmp_path / "outside"
    code = (
        "import os, pathlib\n"
        f"found = os.path.exists({str(tmp_path / 'course' / 'gradebook.db')!r})\n"
        f"try:\n    pathlib.Path({str(outside)!r}).write_text('x')\nexcept OSError:\n    pass\n"
        "def f(x):\n    return 2 * x"
    )
    checks = ("assert f(2) == 4", "assert not found", "assert f(2) == 5", "1.5", "f(2) == 5", "%time\nf(2) == 4")
    assert own_scores(course_with_own(tmp_path, code, *checks)) == [2, 2, 0, 1.5, 0, 2]
    assert not outside.exists()


def test_an_own_notebook_finds_the_files_beside_it(tmp_path):
    checks = ("assert open('table.csv').read() == '1,2\\n'", "len(open('large.bin', 'rb').read()) == 1_000_000")
    course = course_with_own(tmp_path, "f = 1", *checks)
    for name, data in {"table.csv": b"1,2\n", "large.bin": os.urandom(1_000_000)}.items():
        (course.root / "source" / "own" / name).write_bytes(data)
    assert own_scores(course) == [2, 2]


def test_an_endless_loop_in_an_own_notebook_costs_its_own_points(tmp_path):
    code = "def f(x):\n    while x:\n        pass\n    return 1"
    course = course_with_own(tmp_path, code, "assert f(0) == 1", "assert f(1) == 1", "f(0)")
    assert own_scores(course) == [2, 0, 1]
    graded = (course.root / "autograded" / "ada" / "own" / "own.ipynb").read_text("utf-8")
    assert "Is there a loop that never ends?" in graded


def test_an_own_notebook_runs_in_a_kernel_where_that_is_allowed(tmp_path):
    beside = str(tmp_path / "course" / "gradebook.db")
    code = f"import os\nf = os.path.exists({beside!r})"
    assert own_scores(course_with_own(tmp_path, code, "assert f", own_notebooks="kernel")) == [2]


@pytest.mark.parametrize(
    ("options", "language", "said"),
    [({"own_notebooks": "refuse"}, "python", "refuses such notebooks"), ({}, "R", "written in R")],
)
def test_what_may_not_run_is_refused_in_one_sentence(tmp_path, caplog, options, language, said):
    course = course_with_own(tmp_path, "f = 1", "assert f", **options)
    with Gradebook(course.db_url) as gradebook:
        gradebook.find_notebook("own", "own").kernelspec = json.dumps({"name": "x", "language": language})
        gradebook.db.commit()
    with pytest.raises(NbGraderException, match=said):
        course.autograde("own")
    assert re.search(f"own is not graded: .*{said}.*own_notebooks=kernel", caplog.text)
    assert not (course.root / "autograded").exists()
