"""Written code is never "not attempted": what is wrong with it is said, and a right answer above a stub counts."""

from __future__ import annotations

import nbformat
import pytest

from autograder.course.addresses import ROOT
from autograder.course.registry import COMPLETE, find_unit
from autograder.grading.engine import Graded, grade_code
from autograder.judging.implementations import reference_source
from autograder.judging.results import ERROR, NOT_ATTEMPTED, PARTIAL, PASSED
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject
from autograder.lms.sample_class import fill, solved
from autograder.submissions.definitions import alike, settle
from autograder.submissions.notebooks import Code, read_notebook

STUB = 'def softmax(x, dim=-1):\n    """Softmax."""\n    raise NotImplementedError("attention.softmax")'
RIGHT = "def softmax(x, dim=-1):\n    return torch.softmax(x, dim)"
IMPORTS = "import math, torch\nfrom torch import nn"
LEFT = RIGHT + '\n    raise NotImplementedError("attention.softmax")'
BELOW = 'def softmax(x, dim=-1):\n    y = torch.softmax(x, dim)\n    raise NotImplementedError("attention.softmax")'


def graded(server, *cells: str, unit: str = "attention", task: str = "attention.softmax") -> Graded:
    return grade_code(server, Code([IMPORTS, *cells]), unit, [task])


def outcome(result: Graded) -> tuple[str, str]:
    (task,) = result.tasks
    return task.status, task.checks[0].message


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (
            [BELOW],
            "You have written `softmax`, but it still holds `raise NotImplementedError` (line 3 of your cell "
            "`softmax`). Delete that line.",
        ),
        (
            [RIGHT.replace("softmax(x, dim=-1)", "my_softmax(x, dim=-1)")],
            "Your code has no `softmax`, but it has `my_softmax`. Rename it `softmax`.",
        ),
        (
            [RIGHT.replace("softmax(x, dim=-1)", "sofmax(x, dim=-1)"), STUB],
            "Your code has no `softmax`, but it has `sofmax`. Rename it `softmax`.",
        ),
        (
            [RIGHT.replace("softmax(x, dim=-1)", "SoftMax(x, dim=-1)")],
            "Your code has no `softmax`, but it has `SoftMax`. Rename it `softmax`.",
        ),
        (
            [RIGHT.replace("dim)", "dim")],
            "The cell that defines `softmax` stopped with an error, so there is no `softmax`. Fix that error first.",
        ),
    ],
    ids=["raise left below", "my_", "misspelt above the stub", "capitals", "syntax error"],
)
def test_written_code_is_told_what_is_wrong(server, cells, sentence):
    assert outcome(graded(server, *cells)) == (ERROR, sentence)


@pytest.mark.parametrize("cells", [[STUB], [], ["def unrelated(x): return x", STUB], [STUB, STUB]])
def test_what_is_not_written_is_not_attempted(server, cells):
    assert graded(server, *cells).tasks[0].status == NOT_ATTEMPTED


def test_a_raise_that_is_never_reached_costs_nothing(server):
    assert graded(server, LEFT).tasks[0].status == PASSED


def test_a_class_that_is_written_in_part(server):
    text = solved("attention")["SelfAttention"]
    head, _, _ = text.partition("    def forward")
    forward = '    def forward(self, x, mask=None):\n        raise NotImplementedError("attention.SelfAttention")\n'
    others = [source for name, source in solved("attention").items() if name != "SelfAttention"]
    result = graded(server, *others, head + forward, task="attention.SelfAttention")
    status, said = outcome(result)
    assert status in (ERROR, PARTIAL)
    line = (head + forward).split("\n").index(forward.split("\n")[1]) + 1
    assert said == (
        f"You have written a part of `SelfAttention`: `forward` (line {line}) of your cell `SelfAttention` still "
        "raises NotImplementedError."
    )


WRONG = "def softmax(x, dim=-1):\n    return x.exp()"


@pytest.mark.parametrize(
    ("cells", "passes", "note"),
    [
        (
            [RIGHT, STUB],
            True,
            "`softmax` is written in code cell 2, which counts; the stub of it that still stands in code cell 3 was "
            "left out. Delete that stub, or it replaces your definition in your notebook.",
        ),
        ([STUB, RIGHT], True, None),
        ([RIGHT, RIGHT], True, None),
        ([WRONG, RIGHT], True, "`softmax` is defined in code cells 2 and 3: the last one counts."),
        ([RIGHT, WRONG], False, "`softmax` is defined in code cells 2 and 3: the last one counts."),
        ([WRONG, RIGHT, STUB], True, "`softmax` is defined in code cells 2 and 3: the last one counts."),
        ([RIGHT, "softmax = torch.exp"], False, "`softmax` is defined in code cells 2 and 3: the last one counts."),
    ],
)
def test_which_definition_counts_is_said(server, cells, passes, note):
    result = graded(server, *cells)
    assert (result.tasks[0].status == PASSED) == passes
    assert [one for one in result.notes if "softmax" in one] == ([note] if note else [])


def test_a_stub_is_left_out_and_the_lines_below_it_keep_their_numbers():
    (_, settled), _ = settle([RIGHT, STUB + "\nprint(1)"], "attention")
    assert settled == "\n\n\nprint(1)"


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_no_released_notebook_seems_to_hold_anything(unit):
    released = nbformat.read(ROOT / "exercises" / unit / f"{unit}.ipynb", as_version=4)
    cells = read_notebook(nbformat.writes(released).encode()).cells
    assert [alike(cells, unit, name) for name in find_unit(unit).names] == [None] * len(find_unit(unit).names)
    assert settle(cells, unit) == (cells, [])


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_a_solved_notebook_gets_no_note(unit):
    released = nbformat.read(ROOT / "exercises" / unit / f"{unit}.ipynb", as_version=4)
    cells = read_notebook(nbformat.writes(fill(released, solved(unit))).encode()).cells
    assert settle(cells, unit) == (cells, [])


def test_a_kernel_under_another_name(server):
    kernel = solved("gpt2_forward")["gelu_forward"].replace("gelu_forward", "gelu_fwd")
    result = grade_code(server, Code([kernel]), "gpt2_forward", ["gpt2_forward.gelu_forward"])
    assert outcome(result) == (
        ERROR,
        "Your code has no `gelu_forward`, but it has `gelu_fwd`. Rename it `gelu_forward`.",
    )


def test_what_is_checked_together_with_something_missing_gets_the_course_s():
    source = reference_source("transformer").partition("class Transformer(")[0]
    names: dict = {"__name__": "transformer"}
    exec(compile(source, "<cell 1>", "exec", dont_inherit=True), names)
    (result,) = run_checks(LocalSubject(names), "transformer", ["transformer.Encoder"], cells=[source])
    assert (result.status, result.given) == (PASSED, ("Transformer", "make_model"))


def test_what_is_checked_together_with_a_broken_cell_is_told(server):
    """The cell with the syntax error costs its own task, and no task that is checked together with it."""
    sources = solved("attention") | {"softmax": RIGHT.replace("dim)", "dim")}
    released = nbformat.read(ROOT / "exercises" / "attention" / "attention.ipynb", as_version=4)
    cells = read_notebook(nbformat.writes(fill(released, sources)).encode()).cells
    result = grade_code(server, Code(cells), "attention")
    lost = {task.id for task in result.tasks if task.status != PASSED}
    assert lost == {"attention.softmax"}
