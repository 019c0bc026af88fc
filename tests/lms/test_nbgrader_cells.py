"""nbgrader runs cells as `autograder grade` does: what fails costs one statement, and modules beside it are there."""

from __future__ import annotations

import copy

import pytest

pytest.importorskip("nbgrader")

from courses import FULL, UNIT, Course, scores_of_tasks, source_of

from autograder.grading.engine import grade_sources
from autograder.judging.results import number
from autograder.lms.sample_class import fill, is_solution, solved
from autograder.submissions.discovery import discover

LINES = {
    "colab": "from google.colab import drive\ndrive.mount('/content/drive')\n",
    "seaborn": "import torch, not_there_seaborn as sns\n",
    "timeit": "%timeit -n 3 -r 1 sum(range(10))\n",
    "syntax": "x = = 3\n",
}


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    made = Course(tmp_path_factory.mktemp("cells") / "course")
    released = made.release(UNIT, attention=source_of(UNIT))[UNIT]
    right = fill(released, solved(UNIT))
    for where in ("imports", "solution"):
        for name, line in LINES.items():
            notebook = copy.deepcopy(right)
            code = [cell for cell in notebook.cells if cell.cell_type == "code"]
            first = next(cell for cell in code if is_solution(cell) or (where == "imports" and "import" in cell.source))
            first.source = line + first.source
            made.submit(f"{name}-{where}", attention=notebook)
    split = copy.deepcopy(right)
    answers = [cell for cell in split.cells if cell.cell_type == "code" and is_solution(cell)]
    module = "import math\n\nimport torch\nfrom torch import nn\n\n\n" + "\n\n\n".join(cell.source for cell in answers)
    for cell in answers:
        cell.source = "from model import *"
    for name in ("module", "no-module"):
        made.submit(name, attention=split)
    (made.root / "submitted" / "module" / UNIT / "model.py").write_text(module)
    (made.root / "submitted" / "no-module" / UNIT / "model.py").symlink_to("/etc/hostname")
    made.autograde()
    return made


def test_a_failing_import_or_magic_costs_nothing_else(course):
    students = [f"{name}-{where}" for name in LINES for where in ("imports", "solution")]
    got = {student: scores_of_tasks(course, student) for student in students}
    assert got == dict.fromkeys(got, FULL)


def test_modules_beside_the_notebook(course):
    assert scores_of_tasks(course, "module") == FULL
    assert set(scores_of_tasks(course, "no-module").values()) == {0.0}


def test_grade_says_the_same(course):
    sources = discover([course.root / "submitted"])
    total = sum(FULL.values())
    for index, graded in grade_sources(sources, 2):
        expected = 0 if sources[index].student == "no-module" else total
        assert (sources[index].student, number(graded.points)) == (sources[index].student, expected)
