"""A notebook as it was released: whoever checks it before writing anything reads that nothing was attempted."""

from __future__ import annotations

import ast

import pytest

from autograder.course.catalogue import in_c
from autograder.course.registry import COMPLETE
from autograder.grading.engine import grade_code
from autograder.judging.results import NOT_ATTEMPTED
from autograder.lms import release
from autograder.submissions.definitions import definitions, is_stub
from autograder.submissions.notebooks import read


@pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)
def test_an_untouched_notebook_is_not_attempted(unit, server):
    code = read(release.EXERCISES / unit.name / f"{unit.name}.ipynb")
    graded = grade_code(server, code, unit.name)
    told = {task.id: task.checks[0].message for task in graded.tasks if task.status != NOT_ATTEMPTED}
    assert told == {}
    assert [task.points for task in graded.tasks] == [0] * len(unit.task_ids)
    for task in unit.task_ids:
        if not in_c(task):
            (found,) = definitions(code.cells, task.partition(".")[2])
            assert found.node is not None
            assert is_stub(unit.name, found.node)


@pytest.mark.parametrize(
    ("decorator", "body", "untouched"),
    [
        ("@torch.no_grad()\n", "raise NotImplementedError", True),
        ("", "raise NotImplementedError", True),
        ("@torch.no_grad()\n", "return src", False),
    ],
)
def test_a_decorator_makes_no_answer_of_a_stub(decorator, body, untouched):
    node = ast.parse(f"{decorator}def greedy_decode({_arguments()}):\n    {body}\n").body[0]
    assert is_stub("decoding", node) is untouched


def _arguments() -> str:
    (found,) = definitions(read(release.EXERCISES / "decoding" / "decoding.ipynb").cells, "greedy_decode")
    assert found.node is not None
    return ast.unparse(found.node.args)  # type: ignore[union-attr]
