"""Comparisons for the units in C: call a C kernel, and judge what it left in its arrays."""

from __future__ import annotations

import math
from typing import Any

import torch

from autograder.judging.assertions import assert_close, assert_equal
from autograder.judging.replies import reply_of
from autograder.judging.subject import Learner
from autograder.sandbox.runtime.c.prototypes import SIGNATURES
from autograder.sandbox.runtime.requests import call_kernel

TOLERANCE = 1e-5  # of a tensor's largest value: float32 sums of a few hundred terms, in any order, stay well below


def kernel(learner, name, arguments):
    """Driver: the arrays among a C kernel's arguments, as it left them."""
    return call_kernel(learner, name, arguments)


def check_kernel(
    learner: Learner,
    name: str,
    given: dict[str, Any],
    expected: dict[str, torch.Tensor],
    about: str = "",
    tolerance: float = TOLERANCE,
    fill: float = math.nan,
) -> dict[str, torch.Tensor]:
    """Call a C kernel: the arrays in ``expected`` must hold that (where NaN, anything), all others what they held.

    ``given``: all arguments by the names of the prototype, but for arrays that are only written: these hold ``fill``
    before the call. Finite first; then no value may be further off than ``tolerance`` times the largest one expected.
    Returns the arrays by name.
    """
    written = {array: torch.full(values.shape, fill) for array, values in expected.items()}
    parameters = SIGNATURES[name]
    arguments = [{**written, **given}[parameter.name] for parameter in parameters]
    arrays = [parameter.name for parameter in parameters if parameter.is_array]
    reply = reply_of(learner, kernel, name, arguments, parts=len(arrays))
    left = dict(zip(arrays, reply))
    sizes = ", ".join(f"{key}={value}" for key, value in given.items() if isinstance(value, (int, float)))
    call = f"of {name} ({sizes}{'; ' * bool(about)}{about})"
    for array, values in expected.items():
        _assert_near(left[array], values, f"`{array}` {call}", tolerance)
    for array, values in given.items():
        if isinstance(values, torch.Tensor) and array not in expected:
            assert_equal(left[array], values, f"the input `{array}` {call}, after the call,")
    return left


def _assert_near(got: Any, expected: torch.Tensor, what: str, tolerance: float) -> None:
    free = expected.isnan()
    if isinstance(got, torch.Tensor) and got.shape == expected.shape:
        got = got.masked_fill(free, 0)
    expected = expected.masked_fill(free, 0)
    largest = expected.abs()[expected.isfinite()].max().item()
    assert_close(got, expected.float(), what, rtol=0, atol=tolerance * largest)


def assert_zeros(left: torch.Tensor, where: torch.Tensor, what: str) -> None:
    """Exactly 0 wherever ``where`` is true: a tolerance would let tiny weights through."""
    found = left[where.expand(left.shape)]
    assert_equal(found, torch.zeros_like(found), what)
