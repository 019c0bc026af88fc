"""Comparisons: every rung of the ladder says its own sentence, and nothing wrong gets past."""

from __future__ import annotations

import math

import pytest
import torch

from autograder.judging.assertions import (
    TOLERANCES,
    assert_boolean_mask,
    assert_close,
    assert_equal,
    assert_python_number,
)
from autograder.sandbox.runtime.wire import Opaque

RIGHT = torch.tensor([[0.5, -1.0, 2.0], [3.0, 0.25, -4.0]])


def complaint(compare, *args, **kwargs) -> str:
    with pytest.raises(AssertionError) as caught:
        compare(*args, **kwargs)
    return str(caught.value)


def changed(tensor: torch.Tensor, value: float, *index: int) -> torch.Tensor:
    tensor = tensor.clone()
    tensor[index] = value
    return tensor


# --- the ladder, from the lowest rung -----------------------------------------------------------------

TENSOR_LADDER = [
    (None, "f(x) should be a tensor of shape (2, 3), but is None (is a `return` missing?)."),
    (Opaque("Linear"), "f(x) should be a tensor of shape (2, 3), but is an object of type Linear."),
    (1.5, "f(x) should be a tensor of shape (2, 3), but is 1.5 (float)."),
    ("x", "f(x) should be a tensor of shape (2, 3), but is 'x' (str)."),
    ([1, 2], "f(x) should be a tensor of shape (2, 3), but is a list of 2 items."),
    ((RIGHT, RIGHT), "f(x) should be a tensor of shape (2, 3), but is a tuple of 2 items."),
    (RIGHT.T, "f(x) should have shape (2, 3), but has shape (3, 2). The sizes are right, but their order is not."),
    (RIGHT[None], "f(x) should have shape (2, 3), but has shape (1, 2, 3). There is an axis of length 1 too many."),
    (RIGHT[0, 0], "f(x) should have shape (2, 3), but has shape ()."),
    (RIGHT[:0], "f(x) should have shape (2, 3), but has shape (0, 3)."),
    (RIGHT.double(), "f(x) should have dtype float32, but has dtype float64. Which step changes the type?"),
    (RIGHT.bool(), "f(x) should have dtype float32, but has dtype bool."),
    (
        changed(RIGHT, math.nan, 1, 2),
        "f(x) holds NaN at index [1, 2], where -4 was expected. "
        "NaN comes from 0 / 0, from infinity - infinity or from 0 * infinity.",
    ),
    (
        changed(RIGHT, -math.inf, 0, 1),
        "f(x) holds infinity at index [0, 1], where -1 was expected. "
        "Infinity comes from dividing by 0, from an overflow or from a mask.",
    ),
    (
        changed(RIGHT, 9.0, 1, 0),
        "f(x): 1 of 6 values differ; for example at index [1, 0] you have 9 and 3 was expected.",
    ),
]


@pytest.mark.parametrize(("got", "sentence"), TENSOR_LADDER, ids=[sentence[:60] for _, sentence in TENSOR_LADDER])
def test_ladder_for_tensors(got, sentence):
    assert complaint(assert_close, got, RIGHT, "f(x)") == sentence


def test_numbers_that_look_alike_are_shown_with_more_digits():
    third = torch.full((2,), 1 / 3, dtype=torch.float64)
    said = complaint(assert_close, third.float().double(), third, "f(x)")
    assert "you have 0.3333333432674 and 0.3333333333333 was expected" in said
    assert said.endswith("Does your code take a detour through float32?")
    assert "detour" not in complaint(assert_close, third + 1e-4, third, "f(x)")


def test_values_that_are_wrong_in_one_way_are_told_so():
    square = RIGHT.T @ RIGHT + torch.arange(3.0)
    assert complaint(assert_close, square.T, square, "f(x)").endswith(" The last two axes are exchanged.")
    assert complaint(assert_close, -RIGHT, RIGHT, "f(x)").endswith(" Every sign is reversed.")
    assert complaint(assert_close, 1.5 * RIGHT, RIGHT, "f(x)").endswith(" Each value is the right one times 1.5.")
    assert complaint(assert_close, 0 * RIGHT, RIGHT, "f(x)").endswith(" All your values are 0.")
    assert complaint(assert_close, 0 * RIGHT, RIGHT, "the gradient for x").endswith(" Is something detached?")
    assert complaint(assert_close, RIGHT + 1, RIGHT, "f(x)").endswith(" was expected.")
    assert complaint(assert_close, RIGHT, 0 * RIGHT, "f(x)").endswith(" was expected.")


def test_lower_rungs_come_first():
    everything_wrong = torch.full((3, 2), math.nan, dtype=torch.float64)
    assert "shape" in complaint(assert_close, everything_wrong, RIGHT, "f(x)")
    assert "dtype" in complaint(assert_close, everything_wrong.T, RIGHT, "f(x)")
    assert "NaN" in complaint(assert_close, changed(RIGHT.T, math.nan, 0, 0).T + 1, RIGHT, "f(x)")


def test_the_right_answer_passes():
    for dtype in TOLERANCES:
        assert_close(RIGHT.to(dtype), RIGHT.to(dtype), "f(x)")
    assert_close(RIGHT.T.contiguous().T, RIGHT, "f(x)")
    assert_close(RIGHT[:0], RIGHT[:0], "f(x)")


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize(
    "wrong",
    [
        torch.zeros_like,
        torch.ones_like,
        lambda x: -x,
        lambda x: x * 1.1,
        lambda x: x + 0.1,
        lambda x: x.flip(0),
        lambda x: x * math.nan,
    ],
    ids=["zeros", "ones", "sign", "ten percent", "shifted", "rows turned", "NaN"],
)
def test_wrong_answers_fail(dtype, wrong):
    right = RIGHT.to(dtype)
    complaint(assert_close, wrong(right), right, "f(x)")


@pytest.mark.parametrize(("dtype", "share"), [(torch.float32, 1e-3), (torch.float64, 1e-7), (torch.bfloat16, 0.1)])
def test_default_tolerances_have_teeth_and_room(dtype, share):
    right = 100 * RIGHT.to(dtype)
    complaint(assert_close, right * (1 + share), right, "f(x)")
    assert_close(right * (1 + share / 100), right, "f(x)")


def test_tolerances_can_be_given():
    assert_close(RIGHT + 0.01, RIGHT, "f(x)", atol=0.1)
    complaint(assert_close, RIGHT * (1 + 1e-5), RIGHT, "f(x)", rtol=0, atol=0)


def test_nan_never_equals_nan_unless_asked_for():
    with_nan = changed(RIGHT, math.nan, 0, 0)
    complaint(assert_close, with_nan, with_nan, "f(x)")
    assert_close(with_nan, with_nan, "f(x)", equal_nan=True)
    complaint(assert_close, with_nan, RIGHT, "f(x)", equal_nan=True)
    complaint(assert_close, changed(with_nan, math.nan, 1, 1), with_nan, "f(x)", equal_nan=True)
    complaint(assert_close, RIGHT, with_nan, "f(x)", equal_nan=True)


def test_expected_infinities_must_be_there_with_their_sign():
    masked = changed(RIGHT, -math.inf, 0, 0)
    assert_close(masked, masked, "f(x)")
    complaint(assert_close, RIGHT, masked, "f(x)")
    complaint(assert_close, changed(RIGHT, math.inf, 0, 0), masked, "f(x)")
    complaint(assert_close, changed(RIGHT, torch.finfo(torch.float32).min, 0, 0), masked, "f(x)")


def test_one_value_and_many():
    assert "the value differ" in complaint(assert_close, torch.tensor(1.0), torch.tensor(2.0), "loss")
    assert "its only entry" in complaint(assert_close, torch.tensor(math.nan), torch.tensor(2.0), "loss")
    assert "[0, 0], [0, 1], [0, 2] and 3 more" in complaint(assert_close, RIGHT * math.nan, RIGHT, "f(x)")


def test_integers_are_compared_exactly():
    ids = torch.tensor([3, 2**60])
    assert_close(ids, ids.clone(), "ids")
    assert "differ" in complaint(assert_close, ids + 1, ids, "ids")
    assert "dtype" in complaint(assert_close, ids.int(), ids, "ids")


# --- several results ----------------------------------------------------------------------------------


def test_tuples_name_the_item():
    pair = (RIGHT, RIGHT.sum())
    names = ("output", "weights")
    assert_close(pair, pair, names)
    assert_close(list(pair), pair, names)
    assert complaint(assert_close, (RIGHT, RIGHT.sum() + 1), pair, names).startswith("weights: the value")
    assert complaint(assert_close, (RIGHT + 1, RIGHT.sum()), pair, "f(x)").startswith("f(x), item 0:")


@pytest.mark.parametrize(
    ("got", "said"),
    [
        (RIGHT, "but got a tensor of shape (2, 3)"),
        (None, "but got None"),
        ((RIGHT,), "but got 1"),
        ((RIGHT,) * 3, "but got 3"),
        ((), "but got 0"),
    ],
)
def test_tuples_of_the_wrong_kind(got, said):
    sentence = complaint(assert_close, got, (RIGHT, RIGHT), ("output", "weights"))
    assert sentence.startswith("Expected 2 results (output, weights)")
    assert said in sentence


# --- numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("got", [2.5, torch.tensor(2.5), torch.tensor(2.5, dtype=torch.float64), 2.5 + 1e-12])
def test_right_numbers(got):
    assert_close(got, 2.5, "loss")


@pytest.mark.parametrize(
    "got",
    [
        2.4,
        -2.5,
        0,
        2,
        math.nan,
        math.inf,
        True,
        None,
        "2.5",
        [2.5],
        (2.5,),
        Opaque("x"),
        torch.tensor([2.5]),
        torch.tensor(2.5j),
        10**400,
        {},
    ],
    ids=str,
)
def test_wrong_numbers(got):
    assert complaint(assert_close, got, 2.5, "loss").startswith("loss should be")


def test_numbers_that_are_nan_are_never_right():
    complaint(assert_close, math.nan, math.nan, "loss")


# --- exactly equal ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [3, True, "text", [1, [2]], {"a": 1}, None, torch.tensor([1, 2]), torch.tensor([0.1, math.nan, math.inf])]
)
def test_equal_values(value):
    assert_equal(value, value, "f(x)")


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (4, 3), (3.0, 3), (True, 1), (1, True), (0, False), ("3", 3), (None, 3), ([1, 2], [2, 1]), ((1, 2), [1, 2]),
        ({"a": 2}, {"a": 1}), (Opaque("Liar"), "text"), (torch.tensor([1]), 1), (10**1000, 3),
        ([torch.tensor([1, 2])], [[1, 2]]), ([torch.ones(2)], [torch.zeros(2)]),
        ({"a": torch.ones(2)}, {"a": torch.zeros(2)}), ([float("nan")], [1.0]), ([True], [1]), ([[1]], [(1,)]),
    ],
)  # fmt: skip
def test_unequal_values(got, expected):
    sentence = complaint(assert_equal, got, expected, "f(x)")
    assert sentence.startswith("f(x)")
    assert "should" in sentence


def test_numbers_inside_lists_may_be_written_either_way():
    assert_equal([1.0, {"a": 2}], [1, {"a": 2.0}], "f(x)")


def test_equal_goes_into_tuples():
    assert_equal((1, torch.tensor([2])), (1, torch.tensor([2])), ("a", "b"))
    assert complaint(assert_equal, (1, torch.tensor([3])), (1, torch.tensor([2])), ("a", "b")).startswith("b:")


def test_a_number_in_a_tensor_counts_as_the_number():
    assert_equal(torch.tensor(3), 3, "count")
    complaint(assert_equal, torch.tensor(3.0), 3, "count")


def test_long_values_are_shortened():
    sentence = complaint(assert_equal, "x" * 10_000, "y" * 10_000, "text")
    assert len(sentence) < 600
    assert "…" in sentence


# --- masks --------------------------------------------------------------------------------------------

MASK = torch.tensor([[True, False, False], [True, True, False]])


def test_masks():
    assert_boolean_mask(MASK.clone(), MASK, "mask")
    assert "boolean (torch.bool), but has dtype float32" in complaint(assert_boolean_mask, MASK.float(), MASK, "mask")
    assert "boolean (torch.bool), but has dtype int64" in complaint(assert_boolean_mask, MASK.long(), MASK, "mask")
    assert "inverted" in complaint(assert_boolean_mask, ~MASK, MASK, "mask")
    assert "shape (2, 3)" in complaint(assert_boolean_mask, MASK[None], MASK, "mask")
    assert "you have True and False was expected" in complaint(assert_boolean_mask, MASK | True, MASK, "mask")
    assert "None" in complaint(assert_boolean_mask, None, MASK, "mask")
    assert "inverted" not in complaint(assert_boolean_mask, torch.zeros_like(MASK), MASK, "mask")


# --- numbers that must be Python's own ------------------------------------------------------------------


def test_a_tensor_is_no_python_number():
    assert_python_number(2.0, 2.0, "f(1)")
    assert complaint(assert_python_number, torch.tensor(2.0), 2.0, "f(1)", kind="float") == (
        "f(1) should be a Python float, but is a tensor. How do you get the number out of it?"
    )
    assert complaint(assert_python_number, 2.1, 2.0, "f(1)", 1e-3) == "f(1) should be 2.0, but is 2.1."
