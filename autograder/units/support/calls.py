"""Calling a learner's code, and what a call leaves behind; and how messages name things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch

from autograder.judging.assertions import assert_close, assert_equal
from autograder.judging.replies import Learner
from autograder.units.support.drivers import call_and_look_back


def shape_of(tensor: torch.Tensor) -> str:
    """A shape as messages show it."""
    return str(tuple(tensor.shape))


def named(names: Iterable[str], where: object) -> tuple[str, ...]:
    """Each name, and in brackets the case in which it was looked at."""
    return tuple(f"{name} ({where})" for name in names)


def gradient_names(leaves: Iterable[str], where: object) -> tuple[str, ...]:
    """How messages name an output, and its gradients with respect to what it was computed from."""
    return named(("the output", *(f"the gradient with respect to {leaf}" for leaf in leaves)), where)


def result_and_arguments(learner: Learner, name: str, arguments: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """What a function returns, and its arguments after the call. A NumPy array, which arrives as a tensor, fails."""
    result, after, is_tensor = learner.run(call_and_look_back, name, arguments)
    if isinstance(result, torch.Tensor) and not is_tensor:
        raise AssertionError(
            f"{name} should return a tensor, but returned a NumPy array. Compute with tensors throughout."
        )
    return result, after


def assert_unchanged(after: Iterable[Any], arguments: Mapping[str, Any], call: str = "the call") -> None:
    """The arguments, by name, are after the ``call`` what they were before. ``None`` is not checked."""
    given = {name: value for name, value in arguments.items() if value is not None}
    assert_equal(
        tuple(after),
        tuple(given.values()),
        [f"the argument {name} (it must not change) after {call}" for name in given],
    )


def assert_call(
    reply: Sequence[Any], arguments: Mapping[str, Any], expected: Any, what: str | Sequence[str], tolerance: Any = None
) -> Any:
    """A reply of result and arguments: the result is as expected, the arguments are unchanged. Returns the result."""
    result, after, *_ = reply
    assert_close(result, expected, what, tolerance, tolerance)
    first = what if isinstance(what, str) else what[0]
    assert_unchanged(after, arguments, f"the call that gave {first}" if first.startswith("the ") else first)
    return result
