"""A learner's backward kernels beside finite differences of the forward kernels."""

from __future__ import annotations

import re

import nbformat
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

import autograder
from autograder.course.addresses import ROOT
from autograder.course.catalogue import c_solution, mistakes
from autograder.course.registry import find_unit
from autograder.course.source import kernels_of
from autograder.judging.implementations import c_namespace, namespace
from autograder.notebook import c_magic, differences
from autograder.sandbox.runtime.cells import _stand_ins

KERNELS = [name for name in find_unit("gpt2_backward").names if name in differences.STEPS]
HEAD = "#include <math.h>\n#include <stddef.h>\n#define PARALLEL_FOR\n#define PARALLEL_FOR_2\n"


def marked(names: dict, kernel: str) -> list[str]:
    """The gradients that are said to be wrong."""
    return [line.split()[0] for line in differences.table(names, kernel).splitlines() if "<-" in line]


def test_every_kernel_with_a_forward_pass_has_its_table():
    assert [*find_unit("gpt2_backward").names] == [*KERNELS, "adamw_update", "test_gradients"]


@pytest.mark.parametrize("kernel", KERNELS)
def test_right_gradients_agree(kernel):
    names = c_namespace(c_solution("gpt2_backward"))
    state = torch.random.get_rng_state()
    assert marked(names, kernel) == []
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("encoder_backward half-for-each", ["dwte", "dwpe"]),
        ("encoder_backward positions-overwritten", ["dwpe"]),
        ("layernorm_backward no-path-through-the-deviation", ["dinp"]),
        ("layernorm_backward no-bias-gradient", ["dbias"]),
        ("matmul_backward weight-not-transposed", ["dinp"]),
    ],
)
def test_wrong_gradients_are_told_one_by_one(name, wrong):
    kernel, _, name = name.partition(" ")
    entry = next(one for one in mistakes("gpt2_backward") if (one.task.partition(".")[2], one.name) == (kernel, name))
    found = marked(namespace(entry), kernel)
    assert [one for one in found if one in wrong] == wrong
    assert found == wrong or name == "weight-not-transposed"


@pytest.fixture
def notebook(monkeypatch):
    """A running notebook, in which kernels are written as learners write them."""
    shell = InteractiveShell()
    c_magic.register(shell)
    monkeypatch.setattr("autograder.notebook.api._shell", lambda: shell)
    yield shell
    shell.history_manager.end_session()


def kernel(unit: str, name: str) -> str:
    return "%%c\n" + HEAD + kernels_of(c_solution(unit))[name]


def test_no_gradient_stands_above_its_stub():
    """The released notebook gives forward passes; what is to be derived comes with the third hint."""
    released = nbformat.read(ROOT / "exercises" / "gpt2_backward" / "gpt2_backward.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in released.cells)
    assert re.findall(r"\\mathrel\{\+\}=|^ \*\s+d\w+\S* *\+?=.*", text, re.M) == []
    assert all(f'differences("{name}")' in text for name in KERNELS)


def test_in_a_notebook_each_kernel_is_compared_as_soon_as_it_is_there(notebook, capsys):
    autograder.differences("gelu_backward")
    assert "gpt2_backward.gelu_backward is still to be written" in capsys.readouterr().out
    notebook.run_cell(kernel("gpt2_backward", "gelu_backward"), store_history=True)
    autograder.differences("gelu_backward")
    said = capsys.readouterr().out
    assert "<-" not in said
    assert "`gelu_forward` is the course's" in said


def test_the_learner_s_own_forward_kernel_is_used_where_it_is(notebook, capsys):
    notebook.run_cell(kernel("gpt2_backward", "gelu_backward"), store_history=True)
    other = kernel("gpt2_forward", "gelu_forward").replace("0.5f *", "0.7f *")
    notebook.run_cell(other, store_history=True)
    autograder.differences("gelu_backward")
    said = capsys.readouterr().out
    assert "`gelu_forward` is your own." in said
    assert "<- more than 0.01" in said  # the two do not belong together


def test_what_has_no_forward_pass_is_a_sentence(notebook, capsys):
    autograder.differences("adamw_update")
    assert capsys.readouterr().out.startswith(
        "There is no backward kernel 'adamw_update'; choose from encoder_backward"
    )


def test_a_cell_that_compares_does_nothing_when_graded():
    _stand_ins()["autograder"].differences("gelu_backward")
