"""A learner's backward kernel beside finite differences of the forward kernel, entry by entry, as a table.

It uses no calculus, so it cannot share a mistake with a derivation. The kernels compute in float32, so the step is
large, and two digits of agreement are all that one can expect (chapter on the backward pass, "Finite differences").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograder.course.catalogue import c_solution
from autograder.judging.implementations import c_namespace
from autograder.notebook.c_magic import run_kernels
from autograder.sandbox.runtime.c import C_CODE, CCode
from autograder.sandbox.runtime.c.prototypes import SIGNATURES

STEP = 1e-2  # added to and subtracted from an entry; in float32, a smaller step leaves mostly rounding
TOLERANCE = 1e-2  # relative to the norm of the gradient
SIZES = {"B": 2, "T": 3, "C": 4, "3C": 12, "OC": 5, "NH": 2, "V": 5, "Vp": 8, "N": 6}


@dataclass(frozen=True)
class Step:
    """What a backward kernel differentiates: forward kernels in order, and their arrays, by name, with shape letters.

    ``inputs``: arrays that have a gradient. ``made``: arrays that the forward kernels write; the incoming gradient is
    that of the last of them. ``ids``: an array of ids.
    """

    forward: tuple[str, ...]
    inputs: dict[str, str]
    made: dict[str, str]
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def out(self) -> str:
        return list(self.made)[-1]


STEPS = {
    "encoder_backward": Step(("encoder_forward",), {"wte": "V C", "wpe": "T C"}, {"out": "B T C"}, {"inp": "B T"}),
    "layernorm_backward": Step(
        ("layernorm_forward",),
        {"inp": "B T C", "weight": "C", "bias": "C"},
        {"mean": "B T", "rstd": "B T", "out": "B T C"},
    ),
    "matmul_backward": Step(("matmul_forward",), {"inp": "B T C", "weight": "OC C", "bias": "OC"}, {"out": "B T OC"}),
    "attention_backward": Step(
        ("attention_forward",), {"inp": "B T 3C"}, {"preatt": "B NH T T", "att": "B NH T T", "out": "B T C"}
    ),
    "gelu_backward": Step(("gelu_forward",), {"inp": "N"}, {"out": "N"}),
    "residual_backward": Step(("residual_forward",), {"inp1": "N", "inp2": "N"}, {"out": "N"}),
    "crossentropy_softmax_backward": Step(
        ("softmax_forward", "crossentropy_forward"),
        {"logits": "B T Vp"},
        {"probs": "B T Vp", "losses": "B T"},
        {"targets": "B T"},
    ),
}


@dataclass(frozen=True)
class Row:
    """One gradient: name, shape, largest absolute finite difference, and relative distance from the differences."""

    name: str
    shape: tuple[int, ...]
    largest: float
    away: float


def table(namespace: dict, name: str) -> str:
    """The gradients of the backward kernel ``name`` and how far each is from finite differences, as text.

    Raises what `c_magic.run_kernel` raises, and `ValueError` if there is no such backward kernel.
    """
    if name not in STEPS:
        raise ValueError(f"There is no backward kernel {name!r}; choose from {', '.join(STEPS)}.")
    rows = _rows(namespace, name)
    lines = [f"{'gradient':10} {'shape':12} {'largest':>8}   away from differences"]
    for row in rows:
        right = row.away < TOLERANCE  # False for NaN
        mark = "" if right else f"   <- more than {TOLERANCE:g}: not the gradient, or written instead of added"
        lines.append(f"{row.name:10} {row.shape!s:12} {row.largest:8.3f}   {row.away:.0e}{mark}")
    return "\n".join([*lines, "", *_whose(namespace, STEPS[name].forward)])


def _whose(namespace: dict, kernels: Sequence[str]) -> list[str]:
    own = [one for one in kernels if _is_own(namespace, one)]
    return [
        f"`{one}` is your own."
        if one in own
        else f"`{one}` is the course's. To use your own, put it into a cell that begins with %%c."
        for one in kernels
    ]


def _is_own(namespace: dict, kernel: str) -> bool:
    piece = namespace.get(C_CODE, CCode()).functions().get(kernel)
    return piece is not None and not piece.is_stub


def _rows(namespace: dict, name: str) -> list[Row]:
    step = STEPS[name]
    draw = torch.Generator().manual_seed(0)  # leaves the notebook's random generator alone
    arrays = {one: torch.randn(_shape(letters), generator=draw) for one, letters in step.inputs.items()}
    arrays |= {one: torch.zeros(_shape(letters)) for one, letters in step.made.items()}
    for one, letters in step.ids.items():
        arrays[one] = torch.randint(SIZES["V"], _shape(letters), generator=draw, dtype=torch.int32)
    arriving = torch.randn(_shape(step.made[step.out]), generator=draw)
    (before,) = _forward(namespace, step, [arrays])
    given = before | {f"d{one}": torch.zeros_like(before[one]) for one in step.made}
    given |= {f"d{one}": torch.ones_like(before[one]) for one in step.inputs}  # catches `=` in place of `+=`
    (after,) = _called(namespace, name, [given | {f"d{step.out}": arriving}])
    rows = []
    for one in step.inputs:
        slopes = _differences(namespace, step, arrays, one, arriving)
        away = (after[f"d{one}"].double() - 1 - slopes).norm() / slopes.norm()
        rows.append(Row(f"d{one}", tuple(slopes.shape), slopes.abs().max().item(), away.item()))
    return rows


def _shape(letters: str) -> tuple[int, ...]:
    return tuple(SIZES[one] for one in letters.split())


def _differences(namespace: dict, step: Step, arrays: dict, name: str, arriving: torch.Tensor) -> torch.Tensor:
    """The slope of the sum of ``out * arriving`` for every entry of one of the arrays, summed in float64."""
    moves = STEP * torch.eye(arrays[name].numel()).view(-1, *arrays[name].shape)
    moved = [arrays | {name: arrays[name] + sign * move} for move in moves for sign in (1, -1)]
    losses = [(one[step.out].double() * arriving).sum() for one in _forward(namespace, step, moved)]
    rises = torch.stack(losses).view(-1, 2)
    return ((rises[:, 0] - rises[:, 1]) / (2 * STEP)).view(arrays[name].shape)


def _forward(namespace: dict, step: Step, cases: list[dict]) -> list[dict]:
    """The arrays of each case after the forward kernels: the learner's own where written, else the course's."""
    for kernel in step.forward:
        names = namespace if _is_own(namespace, kernel) else c_namespace(c_solution("gpt2_forward"))
        cases = _called(names, kernel, cases)
    return cases


def _called(names: dict, kernel: str, cases: list[dict]) -> list[dict]:
    """The arrays of each case after a kernel, which gets the arrays and sizes that its parameters name."""
    parameters = SIGNATURES[kernel]
    calls: list[list[Any]] = [[(case | SIZES)[one.name] for one in parameters] for case in cases]
    written = [one.name for one in parameters if one.is_array]
    return [case | dict(zip(written, left)) for case, left in zip(cases, run_kernels(names, kernel, calls))]
