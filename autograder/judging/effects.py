"""Effects: what all wrong answers of a task have in common with the right ones, where no program explains them.

A learner's answers may be the right numbers in another type, another shape or another order, or all right ones times
one constant. Each effect is a relation between two answers. It is claimed only if it holds for every answer of the
failing checks that differs from the right one, so what it says is true whatever the code looks like.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograder.course.catalogue import Mistake
from autograder.course.slips import section_of
from autograder.judging.rounding import tolerance
from autograder.sandbox.runtime.requests import Outcome

Pair = tuple[Outcome, Outcome]  # the learner's answer and the right one
Details = Callable[[Sequence[Pair]], "tuple[str, ...] | None"]  # what to say of answers; nothing where it does not hold


@dataclass(frozen=True)
class Effect:
    """A relation between wrong answers and right ones; ``hint``: what a learner reads, with the details it found."""

    family: str
    hint: str
    details: Details


def differing(pairs: Iterable[Pair]) -> list[Pair]:
    """The answers that differ from the right ones. The text of an exception that was asked for is free."""
    return [(given, right) for given, right in pairs if not _alike(given, right)]


def _alike(given: Outcome, right: Outcome) -> bool:
    if given.kinds or right.kinds or given.missing:
        return bool(given.kinds) and given.kinds == right.kinds
    return not different(given.value, right.value)


def shows_a_value(given: Outcome, right: Outcome) -> bool:
    """Whether a wrong value is among what differs. Many programs end in one exception, or in one number everywhere."""
    return any(_is_telling(one) and not _is_complaint(one, other) for one, other in parts_that_differ([(given, right)]))


def _is_complaint(given: Any, right: Any) -> bool:
    """Whether it is the sentence of a driver that could not work with the learner's code."""
    return isinstance(given, str) and not isinstance(right, str)


def _is_telling(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        if value.is_complex() or value.numel() != 1:
            return value.numel() > 1 and bool((value != value.flatten()[0]).any())
        value = value.item()
    if isinstance(value, (int, float)):  # an integer may be too large for a float
        return (isinstance(value, int) or math.isfinite(value)) and value not in (0, 1, -1)
    return bool(value) and not (_is_reading(value) and value[0])


def effect_on(task: str, pairs: Sequence[Pair], effects: Sequence[Effect]) -> Mistake | None:
    """The first effect that holds for all of these answers, each of which differs from the right one."""
    for effect in effects if pairs else ():
        details = effect.details(pairs)
        if details is not None:
            hint = effect.hint.format(*details)
            return Mistake(task, effect.family, "", hint, hint, section_of(task))
    return None


def _of_each(relation: Callable[[Outcome, Outcome], bool]) -> Details:
    """A relation that must hold for each pair."""
    return lambda pairs: () if all(relation(given, right) for given, right in pairs) else None


# --- exceptions ------------------------------------------------------------------------------------------------------


def _accepted(given: Outcome, right: Outcome) -> bool:
    """Whether wrong arguments were not refused: there is no exception, or none in what a driver's `refusal` reads."""
    if right.kinds:
        return _by_hand(right) and not given.kinds and not given.missing
    parts = different(given.value, right.value)
    readings = bool(parts) and all(_is_reading(one) and _is_reading(other) for one, other in parts)
    return readings and not given.kinds and all(other[0] and not one[0] for one, other in parts)


def _is_reading(value: Any) -> bool:
    """Whether a value is what `refusal` returns: classes of an exception, its text, and a result."""
    if not isinstance(value, (list, tuple)) or len(value) != 3 or not isinstance(value[0], list):
        return False
    return isinstance(value[1], str) and all(isinstance(kind, str) for kind in value[0])


def _some_accepted(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """Where both raise, though other exceptions, nothing was accepted; elsewhere the wrong arguments were."""
    rest = [(given, right) for given, right in pairs if not (given.kinds and right.kinds)]
    return () if rest and all(_accepted(given, right) for given, right in rest) else None


def _another_exception(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """The exception that was raised, and the one that the task asks for, if this is all that differs."""
    told = []
    for given, right in pairs:
        if given.kinds and right.kinds and _by_hand(right):
            told.append((given.kinds[0], right.kinds[0]))
            continue
        parts = parts_that_differ([(given, right)])
        if not parts or not all(
            _is_reading(one) and _is_reading(other) and one[0] and other[0] for one, other in parts
        ):
            return None
        told += [(one[0][0], other[0][0]) for one, other in parts]
    return told[0]


def _refused(given: Outcome, right: Outcome) -> bool:
    """Whether the learner's own `raise` refused arguments that are allowed."""
    is_stub = given.stub or "NotImplementedError" in given.kinds
    return bool(given.kinds) and _by_hand(given) and not is_stub and not right.kinds


def _by_hand(outcome: Outcome) -> bool:
    """Whether an exception comes from a `raise` of the code itself."""
    return re.search(r": raise\b", outcome.where) is not None


# --- numbers ---------------------------------------------------------------------------------------------------------


def _tensors(given: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of two values of one structure: tensors, numbers, and pairs that have no structure in common."""
    if isinstance(given, dict) and isinstance(right, dict) and given.keys() == right.keys():
        for key in right:
            yield from _tensors(given[key], right[key])
    elif isinstance(given, (list, tuple)) and isinstance(right, (list, tuple)) and len(given) == len(right):
        if _is_reading(given) and _is_reading(right) and (given[0] or right[0]):
            if given[0] != right[0]:
                yield given, right
            return
        for one, other in zip(given, right):
            yield from _tensors(one, other)
    else:
        yield given, right


def different(given: Any, right: Any) -> list[tuple[Any, Any]]:
    """The parts of two values that differ."""
    return [(one, other) for one, other in _tensors(given, right) if not _equal(one, other)]


def parts_that_differ(pairs: Sequence[Pair]) -> list[tuple[Any, Any]]:
    """The parts of all answers that differ; none if an exception or a missing name is among the answers."""
    if any(given.kinds or given.missing or right.kinds for given, right in pairs):
        return []
    return [part for given, right in pairs for part in different(given.value, right.value)]


def numbers_that_differ(pairs: Sequence[Pair]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The same as float64 tensors; none if a part is no floating-point number or tensor of the right shape and type."""
    numbers = []
    for one, other in parts_that_differ(pairs):
        if isinstance(one, float) and isinstance(other, float):
            one, other = torch.tensor([one]).double(), torch.tensor([other]).double()
        if not of_one_kind(one, other) or not one.is_floating_point() or not one.numel():
            return []
        numbers.append((one.double(), other.double()))
    return numbers


def of_one_kind(one: Any, other: Any) -> bool:
    """Whether two values are tensors of one shape and type."""
    tensors = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
    return tensors and one.shape == other.shape and one.dtype == other.dtype


def _equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other) or isinstance(one, (list, tuple, dict)):
        return False  # lists and dictionaries that get here differ in their form
    if isinstance(one, torch.Tensor):
        return one.shape == other.shape and one.dtype == other.dtype and _close(one, other)
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-6) or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether the numbers of two tensors of one shape are equal, within the rounding of the coarser type."""
    if one.is_complex() or other.is_complex():
        return torch.equal(one, other)
    return torch.allclose(one.double(), other.double(), *tolerance(one.dtype, other.dtype), equal_nan=True)


def _parts(relation: Callable[[torch.Tensor, torch.Tensor], bool]) -> Callable[[Outcome, Outcome], bool]:
    """A relation of tensors that must hold for each part that differs."""

    def holds(given: Outcome, right: Outcome) -> bool:
        parts = parts_that_differ([(given, right)])
        return bool(parts) and all(
            isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor) and relation(one, other)
            for one, other in parts
        )

    return holds


def _another_type(given: Outcome, right: Outcome) -> bool:
    """Whether a part has another type, and all other parts that differ have lost digits through it alone.

    Such a part is a tensor with the right numbers, or the name of a type.
    """
    parts = parts_that_differ([(given, right)])
    differ = [_types_differ(one, other) for one, other in parts]
    return any(differ) and all(
        differs or _through_a_coarser_type(one, other) for differs, (one, other) in zip(differ, parts)
    )


def _through_a_coarser_type(one: Any, other: Any) -> bool:
    """Whether two float64 tensors differ by no more than the rounding of float32, as gradients behind it do."""
    if not (isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)) or one.shape != other.shape:
        return False
    return one.dtype == other.dtype == torch.float64 and torch.allclose(one, other, *tolerance(torch.float32))


def _types_differ(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.dtype != other.dtype and one.shape == other.shape and _close(one, other)
    return all(isinstance(word, str) and word.startswith("torch.") for word in (one, other))


def _through_float32(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether a float64 result holds numbers of float32 only, right to so many digits."""
    if one.dtype != torch.float64 or other.dtype != torch.float64 or one.shape != other.shape:
        return False
    coarse = one.float().double()
    fractions = one.isfinite() & (one != one.round())
    return (
        int(fractions.sum()) > 3
        and torch.equal(coarse[fractions], one[fractions])
        and torch.allclose(one, other, 1e-4, 1e-6, equal_nan=True)
    )


def _another_shape(one: torch.Tensor, other: torch.Tensor) -> bool:
    """The right numbers in the right order; a single number shows nothing."""
    same_size = one.dtype == other.dtype and one.shape != other.shape and one.numel() == other.numel() > 1
    return same_size and _close(one.flatten(), other.flatten())


def _axes_exchanged(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.dtype != other.dtype or one.dim() != other.dim() or not 2 <= one.dim() <= 4 or len(other.unique()) < 3:
        return False
    orders = itertools.permutations(range(one.dim()))
    return any(other.permute(order).shape == one.shape and _close(one, other.permute(order)) for order in orders)


def _elsewhere(one: torch.Tensor, other: torch.Tensor) -> bool:
    """The right numbers at other indices: all are there, and most differ from each other."""
    if one.dtype != other.dtype or one.numel() != other.numel() or not other.dtype.is_floating_point:
        return False
    if (
        not (one.isfinite().all() and other.isfinite().all())
        or 2 * len(other.unique()) < other.numel()
        or other.numel() < 6
    ):
        return False
    return _close(one.flatten().sort().values, other.flatten().sort().values)


def _factor(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """The one factor between all parts that differ."""
    factors = []
    for one, other in numbers_that_differ(pairs):
        one, other = one.flatten(), other.flatten()
        largest = int(other.abs().argmax())
        if not (one.isfinite().all() and other.isfinite().all()) or other[largest] == 0:
            return None
        factor = float(one[largest] / other[largest])
        if not torch.allclose(one, factor * other, 1e-3, 1e-6 * float(other.abs().max())):
            return None
        factors += [factor] * int((other != 0).sum())
    if (
        len(factors) < 6
        or max(factors) - min(factors) > 1e-3 * abs(factors[0])
        or abs(factors[0]) < 1e-9
        or abs(factors[0] - 1) < 0.01
    ):
        return None
    return (f"{factors[0]:.4g}",)


PLAIN = (
    Effect(
        "wrong-arguments-accepted",
        "Your function accepts arguments that the text tells you to refuse; all else in these checks is right. You "
        "left out the test of an argument, or the limit in it is wrong. Which arguments must raise an error? Is the "
        "limit itself allowed?",
        _some_accepted,
    ),
    Effect(
        "another-exception",
        "For a wrong argument your code raises {0}, but the task asks for {1}; everything else in these checks is "
        "right. You named another class, or you did not test the argument and a later line failed. In which line is "
        "the exception raised?",
        _another_exception,
    ),
    Effect(
        "right-arguments-refused",
        "Your own `raise` refuses arguments that are allowed. You test for more than the text tells you to refuse, or "
        "the limit in your test is wrong. Is the limit itself allowed?",
        _of_each(_refused),
    ),
    Effect(
        "another-type",
        "Your numbers are right, and their type is not. You converted them, or another tensor of your computation has "
        "another type, and PyTorch chose the wider one. Which type should each tensor of your computation have?",
        _of_each(_another_type),
    ),
    Effect(
        "float32-in-between",
        "Your float64 results hold only the digits of float32. You converted a tensor to float32 on the way, or made "
        "a new one without a type. Which tensor of your computation has another type than the argument?",
        _of_each(_parts(_through_float32)),
    ),
)
OTHERS = (
    Effect(
        "another-shape",
        "Your numbers are right and in the right order, but the shape is wrong. You joined, split, added or dropped an "
        "axis. Which shape does the text ask for?",
        _of_each(_parts(_another_shape)),
    ),
    Effect(
        "axes-exchanged",
        "Your numbers are right, with two or more axes exchanged. What does each axis of the result hold?",
        _of_each(_parts(_axes_exchanged)),
    ),
    Effect(
        "right-numbers-elsewhere",
        "All the right numbers are in your result, at other indices. You reordered them, or reshaped where axes "
        "have to be exchanged. At which index should each number stand?",
        _of_each(_parts(_elsewhere)),
    ),
    Effect(
        "scaled-by-a-constant",
        "Your results are the right ones times {0}, in every check that fails. A factor is missing or wrong, or "
        "something is added twice. Which constants does the formula have?",
        _factor,
    ),
)  # fmt: skip
