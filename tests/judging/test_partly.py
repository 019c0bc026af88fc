"""Answers that are right in part: at which place, to which end, by how much they differ from the right ones."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from autograder.judging.effects import effect_on
from autograder.judging.partly import PARTLY
from autograder.sandbox.runtime.requests import Outcome

ROWS = torch.arange(1.0, 13).view(4, 3).double() / 7
MORE = torch.arange(1.0, 21).view(5, 4).double() / 3


def named(*pairs: tuple[Any, Any]) -> tuple[str, str]:
    """The family of what is said about such answers, each beside the right one, and the sentences."""
    found = effect_on("masks.masked_softmax", [(Outcome(given), Outcome(right)) for given, right in pairs], PARTLY)
    return (found.family, found.hint) if found else ("", "")


def changed(values: torch.Tensor, index: Any, to: Any = 0) -> torch.Tensor:
    values = values.clone()
    values[index] = to
    return values


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite(number):
    assert named((changed(ROWS, 1, number), ROWS))[0] == "not-finite"
    assert named((changed(changed(ROWS, 1, number), 2, 5), ROWS))[0] != "not-finite"
    assert named((ROWS, changed(ROWS, 1, number)))[0] != "not-finite"
    assert named((changed(ROWS, 1, -float("inf")), ROWS))[0] == ""


@pytest.mark.parametrize(
    ("family", "of"),
    [
        ("longer-than-right", lambda right: (right, right[:-1])),
        ("shorter-than-right", lambda right: (right[:-2], right)),
        ("begins-too-early", lambda right: (right, right[1:])),
        ("begins-too-late", lambda right: (right[1:], right)),
    ],
)
def test_too_much_and_too_little(family, of):
    for some in ([1, 7, 5, 3, 9], ["a", "b", "d", "c"], "a cat", ROWS, [(1, 2), (3, 4), (7, 8), (9, 9)]):
        assert named(of(some), of(some))[0] == family
    assert named(of(ROWS.T.contiguous().T), of(MORE))[0] == family
    assert named(tuple(one.T for one in of(MORE)), of(MORE))[0] == family  # along whichever axis
    assert named(of([1, 7, 5]), ([1, 2, 3], [1, 2, 4]))[0] == ""
    assert named(of([1, 7, 5]))[0] == ""  # one answer alone


def test_a_list_is_no_beginning_of_an_empty_one():
    assert named(([1, 2], []), ([3], [])) == ("", "")


@pytest.mark.parametrize(
    ("family", "rows", "axis"),
    [
        ("wrong-at-the-first", (slice(0, 1), slice(0, 1)), 0),
        ("wrong-at-the-last", (slice(3, 4), slice(4, 5)), 0),
        ("right-at-the-first-alone", (slice(1, None), slice(1, None)), 0),
    ],
)
def test_one_place(family, rows, axis):
    answers = [(changed(ROWS, rows[0], 9), ROWS), (changed(MORE, rows[1], 9), MORE)]
    found, hint = named(*answers)
    assert found == family
    assert f"along axis {axis}" in hint
    turned = [(one.T, other.T) for one, other in answers]
    assert named(*turned)[0] == family
    assert "along axis 1" in named(*turned)[1]
    assert named(*answers, (changed(ROWS, 2, 9), ROWS))[0] == ""
    assert named(answers[0])[0] == ""
    half = [(torch.where(torch.arange(one.shape[1]) > 1, one, other), other) for one, other in answers]
    assert named(*half)[0] == ""  # the place alone does not make them wrong


def test_one_place_of_a_list_and_of_the_last_axis():
    assert named(([0, 2, 3], [1, 2, 3]), ([0, 5], [4, 5]))[0] == "wrong-at-the-first"
    three = ROWS.view(2, 2, 3)
    found, hint = named((changed(three, (..., -1)), three), (changed(MORE, (..., -1)), MORE))
    assert found == "wrong-at-the-last"
    assert "along axis -1" in hint


def test_zeros_where_something_else_belongs_and_the_reverse():
    mask = torch.tensor([[True, False, True], [True, True, False]])
    some = changed(ROWS, (slice(0, 2), 1))
    assert named((some, ROWS))[0] == "zero-instead"
    assert named((ROWS, some))[0] == "not-zero"
    assert named((mask & mask[0], mask))[0] == "zero-instead"
    assert named((mask | mask[0], mask))[0] == "not-zero"
    assert named((changed(some, (3, 2), 5), ROWS))[0] == ""  # another entry is wrong, too
    assert named((torch.zeros(4, 3).double(), ROWS))[0] == ""  # nothing is right
    assert named((ROWS * (1 + 1e-6), ROWS))[0] == "nearly-right"


def test_another_number_of_axes():
    family, hint = named((ROWS[None], ROWS), (MORE[None], MORE))
    assert family == "another-number-of-axes"
    assert "is 3; it should be 2." in hint
    assert named((ROWS[None], ROWS), (MORE[0], MORE))[0] == ""


def test_an_exception_that_is_due():
    raised = Outcome(kinds=("IndexError", "Exception"))
    hint = effect_on("masks.masked_softmax", [(Outcome(ROWS), raised)], PARTLY)
    assert hint
    assert hint.family == "no-exception"
    assert effect_on("masks.masked_softmax", [(Outcome(ROWS), raised), (Outcome(ROWS), Outcome(MORE))], PARTLY) is None
    assert effect_on("masks.masked_softmax", [(raised, raised)], PARTLY) is None


def test_a_constant_that_is_added():
    family, hint = named((ROWS + 2.5, ROWS), (MORE + 2.5, MORE))
    assert family == "shifted-by-a-constant"
    assert "plus 2.5," in hint
    assert named((ROWS + 2.5, ROWS), (MORE + 2, MORE))[0] == ""


def test_numbers_that_are_nearly_right():
    family, hint = named((ROWS * (1 + 1e-3 * torch.linspace(0, 1, 3)), ROWS))
    assert family == "nearly-right"
    assert "is about 0.10 percent of the largest" in hint
    assert "is less than 0.01 percent" in named((ROWS * (1 + 1e-7 * torch.linspace(0, 1, 3)), ROWS))[1]
    assert named((ROWS * 1.1, ROWS))[0] == ""
    assert named((ROWS * 1.001, ROWS), (ROWS.float(), ROWS))[0] == ""


@pytest.mark.parametrize("given", [None, "a", [1, [2]], {"a": 1}, torch.zeros(0), torch.ones(3).bool(), 1 + 2j])
@pytest.mark.parametrize("right", [[], "", 3, torch.zeros(0, 2), torch.tensor(2.0), {"a": 2, "b": 3}, [torch.ones(2)]])
def test_whatever_is_answered(given, right):
    assert isinstance(named((given, right), (given, right)), tuple)


def test_an_exception_is_no_answer():
    pairs = [(Outcome(kinds=("ValueError",)), Outcome(ROWS)), (Outcome(ROWS[:2]), Outcome(ROWS))]
    assert effect_on("masks.masked_softmax", pairs, PARTLY) is None
