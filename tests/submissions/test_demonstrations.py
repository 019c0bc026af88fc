"""Demonstrations are left out when grading: when unchanged, and unless something needs them."""

from __future__ import annotations

import json

import nbformat
import pytest

from autograder.course.registry import COMPLETE
from autograder.grading.engine import grade_code
from autograder.lms import release
from autograder.lms.sample_class import fill, solved
from autograder.submissions import notebooks
from autograder.submissions.demonstrations import is_unchanged, mark, to_execute

SETUP, TASK = "import torch", "def double(x):\n    result = 2 * x\n    return result"


@pytest.mark.parametrize(
    ("demonstration", "learner", "runs"),
    [
        ("result = 3", TASK, False),  # a local name is another one
        ("x = 3", TASK, False),
        ("x = 3", "print(x)", True),
        ("factor = 2", "def double(x):\n    return factor * x", True),
        ("factor = 2", "class Double:\n    def forward(self, x):\n        return factor * x", True),
        ("factor = 2", "double = lambda x: [factor * y for y in x]", True),
        ("import math as m", "half = m.pi / 2", True),
        ("def helper(x): return x", "def double(x):\n    return helper(x) * 2", True),
        ("for step in range(3): pass", "print(step)", True),
        ("factor = 2", "print(globals()['factor'])", True),
        ("factor = 2", "%time double(factor)\nprint(factor)", True),
        ("factor = 2", "%pip install x\nprint(1)", False),
        ("factor = 2", "try:\n    import factors\nexcept ImportError:\n    %pip install factor\n", False),
        ("factor = 2", "half = (7\n    % factor)", True),
        ("factor = 2", "this is no Python but names the factor", False),
        ("factor = 2", "def double(x):\n    return factor * (x", False),  # no line of it runs
        ("factor = 2", "def double(x)\n    return factor * x\n\nfactor = 3", False),
        ("factor = 2", "def double(x):\n    return factor * x\n\nprint(double(3)", True),  # what can be read runs
        ("factor = 2", "def double(x):\nreturn x\n\nprint(factor)", True),
        ("factor = 2", "@torch.no_grad()\ndef double(x):\n    return (factor\n\nx = 3", False),
        ("factor = 2", "try:\n    x = factor\nprint(3)", False),  # the error is noticed in the line after the try
        ("factor = 2", "try:\n    x = 1\nprint(factor)", True),
        ("factor = 2", "y = %time double(factor)", True),
        ("factor = 2", ">>> print(factor)", True),
        ("factor = 2", "def double(x):\n    factor = 2\n    return factor * x", False),
        ("factor = 2", "print('factor')", False),
        ("factor = 2", "%%c\nfloat twice(float x) { return factor * x; }", False),
    ],
)
def test_a_demonstration_runs_where_it_is_needed(demonstration, learner, runs):
    assert to_execute([SETUP, demonstration, learner], [False, True, False]) == [True, runs, True]
    assert to_execute([demonstration, learner], [False, False]) == [True, True]


def test_what_a_needed_demonstration_needs_runs_too():
    cells = ["a = 1", "b = a", "c = b", "unrelated = 4", "print(c)"]
    assert to_execute(cells, [True] * 4 + [False]) == [True, True, True, False, True]


@pytest.mark.parametrize("source", ["def (", "x = 1\0", "x = " + "(" * 5000])
def test_a_cell_that_cannot_be_read_may_be_marked(notebook, cell, source):
    """Anybody can mark any cell: the grader reads on."""
    marked = cell(source)
    marked["metadata"] = mark(source)
    code = notebooks.read_notebook(notebook(marked, "y = 2").encode())
    assert code.cells[-1] == "y = 2"


def test_only_an_unchanged_cell_is_a_demonstration():
    metadata = mark("plot(x)")
    assert is_unchanged(metadata, "plot(x)")
    assert is_unchanged(metadata, "plot(x)\n")  # editors add and drop a last line end
    assert not is_unchanged(metadata, "plot(y)")
    for other in (None, {}, {"demonstration": 3}, [], "demonstration"):
        assert not is_unchanged(other, "plot(x)")


def test_an_answer_written_into_a_demonstration_counts(notebook, cell, server):
    released = "q = 1"
    edited = cell("import torch\ndef softmax(x, dim=-1):\n    return torch.softmax(x, dim)", **{})
    edited["metadata"] = mark(released)
    code = notebooks.read_notebook(notebook(edited).encode())
    graded = grade_code(server, code, "attention", ["attention.softmax"])
    assert graded.tasks[0].points == graded.tasks[0].max_points


@pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)
def test_a_released_notebook_grades_the_same_without_its_demonstrations(unit, server):
    """Every demonstration of the course may be left out: with the answers in place nothing fails."""
    path = release.EXERCISES / unit.name / f"{unit.name}.ipynb"
    filled = fill(nbformat.read(path, as_version=4), solved(unit.name))
    code = notebooks.read_notebook(json.dumps(filled).encode())
    marked = sum(is_unchanged(one.metadata, one.source) for one in filled.cells if one.cell_type == "code")
    assert marked >= 3
    assert code.cells.count("") >= marked // 2
    graded = grade_code(server, code, unit.name)
    assert [note for note in graded.notes if "Code cell" in note] == []
    assert all(task.points == task.max_points for task in graded.tasks)


@pytest.mark.parametrize(
    ("code", "reaches_all"),
    [("x = vars()['y']", True), ("x = vars", True), ("x = vars(y).items()", False), ("x = vars( y )", False)],
)
def test_only_the_names_of_everything_need_everything(code, reaches_all):
    """``vars`` with an argument is about one object."""
    assert to_execute([code, "z = 1"], [False, True]) == [True, reaches_all]
