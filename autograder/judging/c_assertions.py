"""Comparisons for the units in C: call a C kernel, and judge what it left in its arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograder.judging.assertions import assert_close, assert_equal
from autograder.judging.replies import UNREADABLE, reply_of
from autograder.judging.subject import Learner, LearnerRaised
from autograder.sandbox.runtime.c.prototypes import SIGNATURES
from autograder.sandbox.runtime.requests import call_kernels

TOLERANCE = 1e-5  # of a tensor's largest value: float32 sums of a few hundred terms, in any order, stay well below
KEEPS = "Alone, this call is right: your kernel keeps something from one call to the next. Is a variable `static`?"


@dataclass(frozen=True)
class Call:
    """One call of a C kernel: arrays in ``expected`` must hold those values (NaN: any value), all others are unchanged.

    ``given``: all arguments by the names of the prototype, except arrays that are only written: these hold ``fill``
    before the call. Values must be finite, with errors of at most ``tolerance`` times the largest expected value.
    ``zeros``: where an array must be exactly 0, since a tolerance would accept tiny numbers; and what to call it.
    ``free``: where a kernel may leave any value in an array; the diagnosis ignores these values.
    """

    given: dict[str, Any]
    expected: dict[str, torch.Tensor]
    about: str = ""
    tolerance: float = TOLERANCE
    fill: float = math.nan
    zeros: dict[str, tuple[torch.Tensor, str]] = field(default_factory=dict)
    free: dict[str, torch.Tensor] = field(default_factory=dict)

    def arguments(self, name: str) -> list[Any]:
        """In the order of the prototype."""
        written = {array: torch.full(values.shape, self.fill) for array, values in self.expected.items()}
        return [{**written, **self.given}[parameter.name] for parameter in SIGNATURES[name]]

    def judge(self, name: str, left: Sequence[Any], which: str = "") -> None:
        """Raises `AssertionError` unless the arrays that were ``left`` are right. ``which``: the call, for messages."""
        arrays = dict(zip([parameter.name for parameter in SIGNATURES[name] if parameter.is_array], left))
        sizes = ", ".join(f"{key}={value}" for key, value in self.given.items() if isinstance(value, (int, float)))
        call = f"of {name} ({'; '.join(filter(None, (sizes, self.about, which)))})"
        for array, values in self.expected.items():
            _assert_near(arrays[array], values, f"`{array}` {call}", self.tolerance)
        for array, values in self.given.items():
            if isinstance(values, torch.Tensor) and array not in self.expected:
                assert_equal(arrays[array], values, f"the input `{array}` {call}, after the call,")
        for array, (where, what) in self.zeros.items():
            found = arrays[array][where.expand(arrays[array].shape)]
            assert_equal(found, torch.zeros_like(found), what)


def kernels(learner, name, calls, free):
    """Driver: for each call of a C kernel, its array arguments as it left them, with NaN where they are free."""
    left = call_kernels(learner, name, calls)
    for arrays, masks in zip(left, free):
        for number, mask in masks:
            arrays[number] = arrays[number].masked_fill(mask, math.nan)
    return left


def check_kernel(learner: Learner, name: str, *calls: Call) -> None:
    """Make these calls in one process, one after the other, and judge each of them.

    Every other check starts a process of its own, and so cannot see what a C kernel keeps between calls: a `static`
    sum, a buffer of the first call's size. The sizes and numbers of the calls should differ, and sizes should grow.
    """
    left = _left_by(learner, name, calls)
    for number, call in enumerate(calls, 1):
        which = f"call {number} of {len(calls)} in one program" if len(calls) > 1 else ""
        try:
            call.judge(name, left[number - 1], which)
        except AssertionError as error:
            if number > 1 and _is_right_alone(learner, name, call):
                raise AssertionError(f"{error} {KEEPS}") from None
            raise


def _left_by(learner: Learner, name: str, calls: Sequence[Call]) -> list[Sequence[Any]]:
    """The arrays as the calls left them; raises `AssertionError` if the reply is malformed."""
    arrays = [parameter.name for parameter in SIGNATURES[name] if parameter.is_array]
    free = [[(arrays.index(array), mask) for array, mask in call.free.items()] for call in calls]
    reply = reply_of(learner, kernels, name, [call.arguments(name) for call in calls], free, parts=len(calls))
    if not all(isinstance(part, (tuple, list)) and len(part) == len(arrays) for part in reply):
        raise AssertionError(UNREADABLE)
    return reply


def _is_right_alone(learner: Learner, name: str, call: Call) -> bool:
    """Whether a call that was wrong after others is right in a process of its own."""
    try:
        call.judge(name, _left_by(learner, name, [call])[0])
    except (AssertionError, LearnerRaised):
        return False
    return True


def _assert_near(got: Any, expected: torch.Tensor, what: str, tolerance: float) -> None:
    free = expected.isnan()
    if isinstance(got, torch.Tensor) and got.shape == expected.shape:
        got = got.masked_fill(free, 0)
    expected = expected.masked_fill(free, 0)
    largest = expected.abs()[expected.isfinite()].max().item()
    assert_close(got, expected.float(), what, rtol=0, atol=tolerance * largest)
