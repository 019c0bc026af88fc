"""What learners hand in under other names and endings, through nbgrader: graded as ``autograder grade`` does it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile

import pytest

pytest.importorskip("nbgrader")

from courses import EARNED, UNIT, Course, scores_of_tasks, source_of, written
from nbgrader.api import Gradebook

from autograder.course.addresses import ROOT
from autograder.lms.sample_class import fill, to_file

NOTHING = dict.fromkeys(EARNED, 0.0)


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    made = Course(tmp_path_factory.mktemp("collected") / "course")
    made.released = made.release(UNIT, attention=source_of(UNIT))[UNIT]
    made.right = to_file(fill(made.released, written(UNIT)))
    made.blank = to_file(made.released)
    return made


def zipped(**inside: bytes) -> bytes:
    with zipfile.ZipFile(stream := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in inside.items():
            archive.writestr(f"my work/{name}.ipynb", data)
    return stream.getvalue()


@pytest.fixture(scope="module")
def graded(course, solution_cells) -> Course:
    code = "\n\n\n".join(solution_cells(UNIT, tests=False)).encode()
    handed_in = {
        "as released": {"attention.ipynb": course.right},
        "json": {"attention.ipynb.json": course.right},
        "txt": {"attention.ipynb (1).txt": course.right},
        "capitals": {"Attention.IPYNB": course.right},
        "python": {"attention.py": code},
        "zip": {"homework.zip": zipped(homework=course.right)},
        "blank and solved": {"attention.ipynb": course.blank, "attention-copy.ipynb": course.right},
        "blank and zip": {"attention.ipynb": course.blank, "work.zip": zipped(attention=course.right)},
        "solved and blank": {"attention.ipynb": course.right, "old.ipynb": course.blank},
        "bomb": {"attention.zip": zipped(attention=bytes(64 * 2**20))},
        "pdf": {"attention.pdf": b"%PDF"},
    }
    for student, files in handed_in.items():
        folder = course.root / "submitted" / student / UNIT
        folder.mkdir(parents=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    folder = os.fsencode(course.root) + b"/submitted/J\xfcrgen/attention"
    os.makedirs(folder)
    with open(folder + b"/attention.ipynb", "wb") as file:
        file.write(course.right)
    course.autograde()
    return course


@pytest.mark.parametrize(
    "student",
    [
        "as released",
        "json",
        "txt",
        "capitals",
        "python",
        "zip",
        "blank and solved",
        "blank and zip",
        "solved and blank",
    ],
)
def test_whatever_the_file_is_called(graded, student):
    assert scores_of_tasks(graded, student) == EARNED
    text = (graded.root / "autograded" / student / UNIT / "attention.ipynb").read_text(encoding="utf-8")
    assert ("Of several files" in text) == ("blank" in student)


def test_the_feedback_names_the_other_notebook(graded):
    text = (graded.root / "autograded" / "blank and solved" / UNIT / "attention.ipynb").read_text(encoding="utf-8")
    assert "attention-copy.ipynb was graded" in text
    assert "attention.ipynb (0)" in text
    kept = graded.root / "submitted" / "blank and solved" / UNIT / "attention.ipynb"
    assert kept.read_bytes() == graded.blank


def test_what_cannot_be_graded_stops_nobody(graded):
    with Gradebook(graded.db_url) as gradebook:
        students = {student.id for student in gradebook.students}
    assert {"bomb", "pdf"} <= students
    assert not any("\udcfc" in student for student in students)


def test_a_locale_without_unicode(course, tmp_path):
    """nbgrader's database takes no name that Python could not decode."""
    for student in ("Zoë", "späces 李"):
        folder = course.root / "submitted" / student / UNIT
        folder.mkdir(parents=True)
        (folder / "attention.ipynb").write_bytes(course.right)
    (course.root / "nbgrader_config.py").write_text(
        "from autograder.nbgrader import configure\nconfigure(get_config())\n"
        f"get_config().GradeInProcess.unsafe = {course.api.config.GradeInProcess.unsafe}\n"
    )
    for student in ("Zoë", "späces 李"):
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", "autograde", UNIT, "--create", f"--student={student}"],
            cwd=course.root,
            env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr.decode()
        assert scores_of_tasks(course, student) == EARNED
