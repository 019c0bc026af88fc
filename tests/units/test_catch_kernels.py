"""The kernels in NumPy that a test of the backward pass meets: they leave in their arrays what those in C leave."""

from __future__ import annotations

import marshal

import numpy as np
import pytest
import torch

from autograder.course.catalogue import c_solution, mistakes
from autograder.course.catches import Shown, find_catch
from autograder.judging.implementations import c_namespace, namespace
from autograder.judging.shown import code_of
from autograder.sandbox.runtime.c import call_kernels

CATCH = find_catch("gpt2_backward.test_gradients")
SIZES = B, T, C = 2, 3, 5
SHAPES = {
    "forward": [(B, T, C), (B, T), (B, T), (B, T, C), (C,), (C,)],
    "backward": [(B, T, C), (C,), (C,), (B, T, C), (B, T, C), (C,), (B, T), (B, T)],
}


def left_by(shown: Shown | None, kernel: str, arrays: list[torch.Tensor]) -> list[torch.Tensor]:
    names: dict = {"__name__": "given"}
    exec(marshal.loads(code_of(CATCH, shown)), names)
    given = [array.numpy().copy() for array in arrays]
    names[kernel](*given, *SIZES)
    return [torch.from_numpy(array) for array in given]


def left_in_c(shown: Shown | None, kernel: str, arrays: list[torch.Tensor]) -> list[torch.Tensor]:
    task = f"gpt2_{kernel}.layernorm_{kernel}"
    names = c_namespace(c_solution(f"gpt2_{kernel}"))
    if shown:
        (entry,) = (
            one for one in mistakes(f"gpt2_{kernel}") if f"{kernel}.{one.name}" == shown.name and one.task == task
        )
        names = namespace(entry)
    return call_kernels(names, f"layernorm_{kernel}", [[*arrays, *SIZES]])[0]


@pytest.mark.parametrize("kernel", SHAPES)
def test_kernels_in_numpy_do_what_those_in_c_do(kernel):
    slips = [slip for slip in CATCH.slips if slip.name.startswith(f"{kernel}.")]
    assert len(slips) >= 6
    arrays = [torch.randn(shape, generator=torch.Generator().manual_seed(1)) for shape in SHAPES[kernel]]
    for shown in (None, *slips):
        for array, in_c in zip(left_by(shown, kernel, arrays), left_in_c(shown, kernel, arrays), strict=True):
            torch.testing.assert_close(array, in_c, rtol=1e-4, atol=1e-5, msg=lambda said: f"{shown}: {said}")  # noqa: B023


@pytest.mark.parametrize(
    "array", [np.zeros(6), np.zeros(5, np.float32), np.zeros((2, 6), np.float32)[:, ::2]], ids=["type", "size", "gaps"]
)
def test_an_array_that_a_kernel_in_c_would_misread_is_refused_in_a_sentence(array):
    names: dict = {"__name__": "given"}
    exec(marshal.loads(code_of(CATCH)), names)
    others = [np.zeros(6, np.float32) for _ in range(5)]
    with pytest.raises(ValueError, match="float32 array of at least 6 numbers"):
        names["forward"](array, *others, 2, 1, 3)
