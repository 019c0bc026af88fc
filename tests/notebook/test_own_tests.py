"""The test that a learner writes in the notebook on induction heads: what it must accept, and what it must catch."""

from __future__ import annotations

import textwrap

import pytest
import torch

from autograder.notebook import trials
from solutions import induction_heads

SLIPS = [slip for group in trials.WRONG for slip in group.slips]


def told(capsys, body: str) -> list[str]:
    """What is printed for a test with this body."""
    names: dict = {"torch": torch}
    exec("def test_induction_score(induction_score):\n" + textwrap.indent(textwrap.dedent(body), "    "), names)
    trials.try_test(names["test_induction_score"])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("right", trials.RIGHT.values(), ids=trials.RIGHT)
def test_right_implementations_agree(right):
    torch.manual_seed(0)
    for period, length in ((1, 4), (3, 6), (4, 15)):
        weights = torch.rand(3, 5, length, length, dtype=torch.float64).tril()
        torch.testing.assert_close(right(weights, period), induction_heads.induction_score(weights, period))


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.name)
def test_wrong_implementations_are_wrong(slip):
    torch.manual_seed(0)
    weights = torch.rand(3, 5, 15, 15).tril()
    expected, found = induction_heads.induction_score(weights, 4), trials.wrong(slip)(weights, 4)
    assert found.shape != expected.shape or not torch.allclose(found, expected, atol=1e-3)


def test_the_model_test_catches_everything(capsys):
    trials.try_test(induction_heads.test_induction_score)
    accepted, *groups = capsys.readouterr().out.splitlines()
    assert accepted == "Your test accepts 4 right implementations."
    assert groups == [f"{group.title}: {len(group.slips)} of {len(group.slips)} caught." for group in trials.WRONG]


EXACT = """
    weights = torch.zeros(1, 1, 8, 8)
    for t in range(4, 8):
        weights[0, 0, t, t - 3] = 1
    assert torch.allclose(induction_score(weights, 4), torch.ones(1))
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", "which-diagonal 0 which-positions 0 which-mean 0"),
        (
            "assert induction_score(torch.rand(2, 3, 8, 8), 4).shape == (3,)",
            "which-diagonal 0 which-positions 0 which-mean 1",
        ),
        (EXACT, "which-diagonal 3 which-positions 1 which-mean 1"),
    ],
    ids=["empty", "shape", "one map by hand"],
)
def test_a_weak_test_is_told_what_slips_through(capsys, body, expected):
    counts = dict(zip(expected.split()[::2], expected.split()[1::2]))
    for group, line in zip(trials.WRONG, told(capsys, body)[1:]):
        assert line.startswith(
            f"{group.title}: {counts[group.id]} of {len(group.slips)} caught. It accepts a wrong one: "
        )


def test_a_test_that_refuses_what_is_right_is_told_which_style(capsys):
    (line,) = told(capsys, "assert induction_score(torch.rand(2, 3, 8, 8), 4).shape == (3, 1)")
    assert line.startswith("Your test refuses a right implementation: the course's own. It raised AssertionError")
    to_the_last_bit = """
        w = torch.rand(2, 3, 9, 9)
        assert torch.equal(induction_score(w, 4), w.diagonal(-3, 2, 3)[..., 1:].mean((0, 2)))
    """
    (line,) = told(capsys, to_the_last_bit)
    assert line.startswith("Your test refuses a right implementation: one ")


def test_an_empty_cell_is_told_so(capsys):
    assert told(capsys, 'raise NotImplementedError("test_induction_score")') == ["Your test is not written yet."]


def test_the_random_numbers_of_the_notebook_go_on(capsys):
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    told(capsys, "torch.rand(5)")
    assert torch.equal(torch.rand(2), expected)
