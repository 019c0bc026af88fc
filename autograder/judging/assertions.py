"""Comparisons for checks. A failure says, in words for a learner, what was expected for which input.

The order is always: is there a value, its type, its shape, its dtype, finite, the values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import torch

from autograder.sandbox.runtime.wire import Opaque

__all__ = [
    "PartlyRight",
    "assert_boolean_mask",
    "assert_close",
    "assert_equal",
    "assert_python_number",
    "demand_one",
    "describe",
]
TOLERANCES = {
    torch.float64: (1e-9, 1e-9),
    torch.float32: (1e-4, 1e-5),
    torch.bfloat16: (4e-2, 4e-2),
    torch.float16: (1e-2, 1e-3),
}


def assert_close(
    got: Any,
    expected: Any,
    what: str | Sequence[str],
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
) -> None:
    """Numbers and tensors within a tolerance; tuples item by item, with ``what`` naming each item."""
    if isinstance(expected, tuple):

        def compare(item: Any, wanted: Any, name: str) -> None:
            assert_close(item, wanted, name, rtol, atol, equal_nan)

        _assert_tuple(got, expected, what, compare)
        return
    if not isinstance(expected, torch.Tensor):
        _assert_number(got, expected, what, rtol, atol)
        return
    _assert_like(got, expected, what)
    if not expected.dtype.is_floating_point:
        _assert_values(got, expected, got == expected, what)
        return
    _assert_finite(got, expected, what, equal_nan)
    default = TOLERANCES[expected.dtype]
    rtol, atol = default[0] if rtol is None else rtol, default[1] if atol is None else atol
    same = torch.isclose(got.double(), expected.double(), rtol, atol, equal_nan)
    _assert_values(got, expected, same, what)


def assert_equal(got: Any, expected: Any, what: str | Sequence[str]) -> None:
    """Exactly equal: tensors of integers or booleans (or floats bit by bit), numbers, strings, lists."""
    if isinstance(expected, tuple):
        _assert_tuple(got, expected, what, assert_equal)
    elif isinstance(expected, torch.Tensor):
        _assert_like(got, expected, what)
        same = got == expected
        if expected.dtype.is_floating_point:
            same |= got.isnan() & expected.isnan()
        _assert_values(got, expected, same, what)
    else:
        got = _unwrap(got, expected)
        if type(got) is not type(expected):
            raise AssertionError(f"{what} should be {describe(expected)}, but is {describe(got)}.")
        if not _same(got, expected):
            raise AssertionError(f"{what} should be {_short(expected)}, but is {_short(got)}.")


def _same(one: Any, other: Any) -> bool:
    """Whether two values of one structure are equal: 1 equals 1.0, but True does not equal 1."""
    if isinstance(one, torch.Tensor) or isinstance(other, torch.Tensor):
        return type(one) is type(other) and one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return (
            isinstance(other, dict) and one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
        )
    return bool(one == other)


def assert_boolean_mask(got: Any, expected: torch.Tensor, what: str) -> None:
    """Like `assert_equal` for masks; the message names common mistakes."""
    if isinstance(got, torch.Tensor) and got.dtype != torch.bool:
        raise AssertionError(
            f"{what} should be boolean (torch.bool), but has dtype {_dtype(got)}. "
            "A mask answers yes or no; numbers are easily added or multiplied by accident."
        )
    if isinstance(got, torch.Tensor) and got.shape == expected.shape and torch.equal(got, ~expected):
        raise AssertionError(
            f"{what} is inverted: True stands exactly where False belongs. In this course True means 'may attend'."
        )
    assert_equal(got, expected, what)


def assert_python_number(
    got: Any,
    expected: float,
    what: str,
    rtol: float | None = None,
    atol: float | None = None,
    kind: str = "number",
) -> None:
    """A Python number: a tensor of one element fails. ``kind``: how the message names it."""
    if isinstance(got, torch.Tensor):
        raise AssertionError(f"{what} should be a Python {kind}, but is a tensor. How do you get the number out of it?")
    assert_close(got, expected, what, rtol, atol)


def demand_one(*demands: Callable[[], None]) -> None:
    """For several right answers: passes if one of the demands passes, otherwise fails with the first one's message."""
    first, *others = demands
    try:
        first()
    except AssertionError:
        for other in others:
            with suppress(AssertionError):
                other()
                return
        raise


class PartlyRight(AssertionError):
    """Some of what a check demands, but not all: the check earns this share of its points."""

    def __init__(self, message: str, share: Fraction):
        super().__init__(message)
        self.share = share


def _assert_tuple(got: Any, expected: tuple, what: str | Sequence[str], compare: Callable[..., None]) -> None:
    names = list(what) if not isinstance(what, str) else [f"{what}, item {i}" for i in range(len(expected))]
    if not isinstance(got, (tuple, list)):
        raise AssertionError(f"Expected {len(expected)} results ({', '.join(names)}), but got {describe(got)}.")
    if len(got) != len(expected):
        raise AssertionError(f"Expected {len(expected)} results ({', '.join(names)}), but got {len(got)}.")
    for item, wanted, name in zip(got, expected, names):
        if item is None and wanted is not None:  # one of several results is None, so a `return` is there
            raise AssertionError(f"{name} should be {describe(wanted)}, but is None.")
        compare(item, wanted, name)


def _assert_like(got: Any, expected: torch.Tensor, what: Any) -> None:
    """Type, shape and dtype."""
    if not isinstance(got, torch.Tensor):
        raise AssertionError(f"{what} should be a tensor of shape {_shape(expected)}, but is {describe(got)}.")
    if got.shape != expected.shape:
        raise AssertionError(
            f"{what} should have shape {_shape(expected)}, but has shape {_shape(got)}.{_about_shapes(got, expected)}"
        )
    if got.dtype != expected.dtype:
        both_floats = got.dtype.is_floating_point and expected.dtype.is_floating_point
        step = " Which step changes the type?" if both_floats else ""
        raise AssertionError(f"{what} should have dtype {_dtype(expected)}, but has dtype {_dtype(got)}.{step}")


def _about_shapes(got: torch.Tensor, expected: torch.Tensor) -> str:
    """A sentence for a shape that is nearly right."""
    if sorted(got.shape) == sorted(expected.shape):
        return " The sizes are right, but their order is not."
    if [size for size in got.shape if size != 1] == [size for size in expected.shape if size != 1]:
        missing = got.ndim < expected.ndim
        return " An axis of length 1 is missing." if missing else " There is an axis of length 1 too many."
    return ""


def _assert_finite(got: torch.Tensor, expected: torch.Tensor, what: Any, equal_nan: bool) -> None:
    for name, test, reason in (
        ("NaN", torch.isnan, "NaN comes from 0 / 0, from infinity - infinity or from 0 * infinity."),
        ("infinity", torch.isinf, "Infinity comes from dividing by 0, from an overflow or from a mask."),
    ):
        wrong = test(got) & ~test(expected)
        if (name != "NaN" or not equal_nan or not expected.isnan().any()) and wrong.any():
            raise AssertionError(
                f"{what} holds {name} at {_indices(wrong)}, where {_value(expected, wrong)} was expected. {reason}"
            )


def _assert_values(got: torch.Tensor, expected: torch.Tensor, same: torch.Tensor, what: Any) -> None:
    if same.all():
        return
    wrong = ~same
    yours, wanted = _value(got, wrong), _value(expected, wrong)
    if yours == wanted:  # with few digits both would read the same
        yours, wanted = _value(got, wrong, 13), _value(expected, wrong, 13)
    alone = wrong.numel() == 1
    share = "the value differs;" if alone else f"{int(wrong.sum())} of {wrong.numel()} values differ; for example"
    raise AssertionError(
        f"{what}: {share} at {_indices(wrong, 1)} you have {yours} and {wanted} was expected."
        f"{_nearness(got, expected) or _pattern(got, expected, what)}"
    )


def _pattern(got: torch.Tensor, expected: torch.Tensor, what: Any) -> str:
    """A sentence for floats that are all wrong in one way: exchanged axes, a sign, a factor."""
    if not expected.dtype.is_floating_point or expected.numel() < 3:
        return ""
    yours, wanted = got.double(), expected.double()
    if not (yours.isfinite().all() and wanted.isfinite().all() and wanted.any()):
        return ""
    small = 1e-4 * wanted.abs().max().item()
    if wanted.ndim > 1 and wanted.shape[-1] == wanted.shape[-2] and torch.allclose(yours, wanted.mT, 1e-4, small):
        return " The last two axes are exchanged."
    if not yours.any():
        return f" All your values are 0.{' Is something detached?' if 'gradient' in str(what) else ''}"
    factor = ((yours * wanted).sum() / wanted.square().sum()).item()
    if abs(factor - 1) < 0.01 or not torch.allclose(yours, factor * wanted, 1e-4, abs(factor) * small):
        return ""
    return " Every sign is reversed." if abs(factor + 1) < 1e-3 else f" Each value is the right one times {factor:.4g}."


def _nearness(got: torch.Tensor, expected: torch.Tensor) -> str:
    """A sentence for float64 values that are nearly right."""
    if expected.dtype != torch.float64 or not torch.allclose(got, expected, 1e-6, 1e-7, equal_nan=True):
        return ""
    if torch.equal(got.nan_to_num(), got.float().double().nan_to_num()):
        return " They agree to at least six digits. Does your code take a detour through float32?"
    return " They agree to at least six digits. Does your code add a small number, or round something?"


def _assert_number(got: Any, expected: Any, what: Any, rtol: float | None, atol: float | None) -> None:
    got = _unwrap(got, expected)
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        raise AssertionError(f"{what} should be the number {expected}, but is {describe(got)}.")
    wanted = torch.tensor(float(expected), dtype=torch.float64)
    try:
        close = torch.isclose(torch.tensor(float(got), dtype=torch.float64), wanted, rtol or 1e-9, atol or 1e-9)
    except OverflowError:  # an integer beyond the range of floats
        close = torch.tensor(False)
    if not close:
        raise AssertionError(f"{what} should be {expected}, but is {got}.")


def _unwrap(got: Any, expected: Any) -> Any:
    """A tensor of one element counts as the number in it, where a number is expected."""
    if isinstance(got, torch.Tensor) and got.ndim == 0 and isinstance(expected, (bool, int, float)):
        return got.item()
    return got


def _indices(wrong: torch.Tensor, most: int = 3) -> str:
    if wrong.ndim == 0:
        return "its only entry"
    rows = wrong.nonzero()
    shown = [str(list(map(int, row))) for row in rows[:most]]
    more = f" and {len(rows) - most} more" if len(rows) > most and most > 1 else ""
    return ("index " if len(shown) == 1 else "indices ") + ", ".join(shown) + more


def _value(tensor: torch.Tensor, wrong: torch.Tensor, digits: int = 6) -> str:
    value = tensor[wrong][0].item() if tensor.ndim else tensor.item()
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def _shape(tensor: torch.Tensor) -> str:
    return str(tuple(tensor.shape))


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def describe(value: Any) -> str:
    """A short description of a value of any type."""
    if value is None:
        return "None (is a `return` missing?)"
    if isinstance(value, Opaque):
        return f"an object of type {value.type_name}"
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {_shape(value)}"
    if isinstance(value, (list, tuple, dict, set)):
        return f"a {type(value).__name__} of {len(value)} items"
    return f"{_short(value)} ({type(value).__name__})"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"
