"""Answers that are right in part, where neither a program nor a change of the learner's code explains them.

Each effect here says where or by how much all wrong answers of the failing checks differ from the right ones. That is
less than a mistake or a change would say, so these come last; but it is true whatever the code looks like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from autograder.judging.effects import (
    Details,
    Effect,
    Pair,
    different,
    numbers_that_differ,
    of_one_kind,
    parts_that_differ,
)

MOSTLY = 0.9  # of the entries at a place: what counts as all of them
SMALL = 0.02  # of the largest right number: what counts as nearly right
LEAST, LEAST_NUMBERS = 2, 6  # answers and numbers that must show it: one alone may do so by chance


def _of_numbers(holds: Callable[[torch.Tensor, torch.Tensor], bool]) -> Details:
    """A relation of floating-point tensors or numbers of one shape and type, which must hold for each that differs."""

    def details(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
        numbers = _enough_numbers(pairs)
        return () if numbers and all(holds(one, other) for one, other in numbers) else None

    return details


def _enough_numbers(pairs: Sequence[Pair]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """What differs as numbers; none if something else differs too, or if they are few."""
    numbers = numbers_that_differ(pairs)
    return numbers if sum(other.numel() for _, other in numbers) >= LEAST_NUMBERS else []


def _not_finite(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether NaN and infinity, and nothing else, stand where other numbers belong.

    Minus infinity is none of these: masks put it there on purpose.
    """
    wrong = _wrong_entries(one, other)
    in_their_place = (one.isnan() | (one == float("inf"))) & other.isfinite()
    return wrong is not None and bool(wrong.any() and in_their_place[wrong].all())


def _nearly_right(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """By how many percent of the largest right number of a result the wrong one differs at most."""
    most = 0.0
    for one, other in _enough_numbers(pairs):
        finite = one.isfinite() & other.isfinite()
        if not (torch.isclose(one, other, equal_nan=True) | finite).all() or not other[finite].any():
            return None
        most = max(most, float((one - other)[finite].abs().max() / other[finite].abs().max()))
    return ("less than 0.01" if most < 1e-4 else f"about {100 * most:.2f}",) if 0 < most <= SMALL else None


def _shifted(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """The one number that is added to all right ones."""
    numbers = _enough_numbers(pairs)
    if not numbers:
        return None
    shifts = torch.cat([(one - other).flatten() for one, other in numbers])
    shift, largest = float(shifts[0]), max(float(other.abs().max()) for _, other in numbers)
    if not shifts.isfinite().all() or abs(shift) < 1e-3 * largest:
        return None
    if not torch.allclose(shifts, shifts[:1], 1e-3, 1e-6 * largest):
        return None
    return (f"{shift:.4g}",)


def _instead_of_zero(value: int) -> Details:
    """Whether 0 is the learner's wrong entry (``value`` 0) or the right one (1) wherever two answers differ."""

    def details(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
        right_ones = False
        for part in parts_that_differ(pairs):
            wrong = _wrong_entries(*part)
            if wrong is None or not wrong.any() or part[value].double()[wrong].any():
                return None
            right_ones |= bool(part[1][~wrong].any())
        return () if right_ones else None

    return details


def _wrong_entries(one: Any, other: Any) -> torch.Tensor | None:
    """Where two tensors of one shape and type differ."""
    if not of_one_kind(one, other) or one.is_complex():
        return None
    return ~torch.isclose(one.double(), other.double(), 1e-4, 1e-6, equal_nan=True)


def _axes(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """The numbers of axes of the wrong answers and of the right ones, if each has one and they differ."""
    parts = parts_that_differ(pairs)
    if not all(isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor) for one, other in parts):
        return None
    numbers = {(one.dim(), other.dim()) for one, other in parts}
    if len(numbers) != 1:
        return None
    ((has, should_have),) = numbers
    return (str(has), str(should_have)) if has != should_have else None


def _no_exception(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """Whether all of the learner's wrong answers are results, and all right ones exceptions.

    Not where right code cannot be called so at all (`TypeError`): that says nothing about the values of arguments.
    """
    due = all(right.kinds and "TypeError" not in right.kinds for _, right in pairs)
    return () if pairs and due and not any(given.kinds or given.missing for given, _ in pairs) else None


# --- too much, too little --------------------------------------------------------------------------------------------


def _sequences(given: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """One sequence for another: lists, texts and tensors of one type, along each axis of these."""
    if isinstance(given, torch.Tensor) and isinstance(right, torch.Tensor):
        if given.dtype == right.dtype and given.dim() == right.dim():
            for axis in range(right.dim()):
                others = [size for number, size in enumerate(zip(given.shape, right.shape)) if number != axis]
                if all(one == other for one, other in others):
                    yield given.movedim(axis, 0), right.movedim(axis, 0)
    elif type(given) is type(right) and isinstance(right, (list, tuple, str)):
        yield given, right


def _begins(longer: Any, shorter: Any) -> bool:
    return len(longer) > len(shorter) > 1 and not different(longer[: len(shorter)], shorter)


def _ends(longer: Any, shorter: Any) -> bool:
    return len(longer) > len(shorter) > 1 and not different(longer[len(longer) - len(shorter) :], shorter)


def _of_sequences(holds: Callable[[Any, Any], bool]) -> Details:
    """A relation of sequences, given and right, which must hold for each that differs, along some axis."""

    def details(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
        parts = parts_that_differ(pairs)
        found = [any(holds(one, other) for one, other in _sequences(given, right)) for given, right in parts]
        return () if len(found) >= LEAST and all(found) else None

    return details


# --- at one place ----------------------------------------------------------------------------------------------------


def _wrong_along(one: Any, other: Any) -> dict[int, set[int]] | None:
    """For each axis, counted from the front and from the back, the indices with wrong entries.

    Nothing if some entries with such an index are right: then it is their values that matter, and not their place.
    """
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)) and len(one) == len(other):
        return {0: {number for number, pair in enumerate(zip(one, other)) if different(*pair)}}
    wrong = _wrong_entries(one, other)
    if wrong is None:
        return None
    along = {}
    for axis in range(wrong.dim()):
        shares = wrong.movedim(axis, 0).flatten(1).double().mean(1) if wrong.dim() > 1 else wrong.double()
        if ((shares == 0) | (shares > MOSTLY)).all():
            along[axis] = along[axis - wrong.dim()] = set(shares.nonzero().flatten().tolist())
    return along


def _size(value: Any, axis: int) -> int:
    return value.shape[axis] if isinstance(value, torch.Tensor) else len(value)


def _at_one_place(place: Callable[[int], set[int]]) -> Details:
    """The axis along which all wrong entries of all answers stand at one place; ``place``: its indices, by the size."""

    def details(pairs: Sequence[Pair]) -> tuple[str, ...] | None:
        parts = _whole_parts(pairs)
        along = [_wrong_along(one, other) for one, other in parts]
        if len(parts) < LEAST or not all(along):
            return None
        axes = set.intersection(*(set(one or ()) for one in along))
        sizes = {axis: [_size(other, axis) for _, other in parts] for axis in axes}
        for axis in sorted(axes, key=lambda axis: (axis < 0, abs(axis))):  # from the front, if both ways are possible
            there = all(one and one[axis] == place(size) for one, size in zip(along, sizes[axis]))
            if there and min(sizes[axis]) > 1 and max(sizes[axis]) > 2:
                return (str(axis),)
        return None

    return details


def _whole_parts(pairs: Sequence[Pair]) -> list[tuple[Any, Any]]:
    """The values that differ; a list of numbers as one."""
    if not parts_that_differ(pairs):
        return []
    parts = []
    for given, right in pairs:
        is_list = isinstance(given.value, list) and isinstance(right.value, list)
        numbers = is_list and not any(isinstance(one, (torch.Tensor, list, tuple)) for one in right.value)
        parts += [(given.value, right.value)] if numbers else different(given.value, right.value)
    return parts


PARTLY = (
    Effect(
        "no-exception",
        "In the checks that fail, an argument is wrong. Your code should raise an exception, but it returns a result. "
        "Which arguments should it refuse, and in which step does it use them?",
        _no_exception,
    ),
    Effect(
        "not-finite",
        "Your results are NaN or infinite where other numbers belong, and right everywhere else. Such values often "
        "come from a division by 0, a difference of two infinities, 0 times infinity, a logarithm of 0, a root of a "
        "negative number, or an exponential that overflows. Which of your steps can produce them, and for which "
        "arguments?",
        _of_numbers(_not_finite),
    ),
    Effect(
        "longer-than-right",
        "Your results begin with the right ones, and then they go on. You stop too late, or you keep something that "
        "should be left out. Where should the result end?",
        _of_sequences(_begins),
    ),
    Effect(
        "shorter-than-right",
        "Your results are right as far as they go, but their ends are missing. You stop too early, or you leave out "
        "what should stay. Where should the result end?",
        _of_sequences(lambda one, other: _begins(other, one)),
    ),
    Effect(
        "begins-too-early",
        "Your results end with the right ones, but something stands before them. You begin too early, or you keep "
        "something that should be left out. Where should the result begin?",
        _of_sequences(_ends),
    ),
    Effect(
        "begins-too-late",
        "Your results are right, but their beginnings are missing. You begin too late, or you leave out what should "
        "stay. Where should the result begin?",
        _of_sequences(lambda one, other: _ends(other, one)),
    ),
    Effect(
        "wrong-at-the-first",
        "In every check that fails, only the first entries along axis {0} are wrong. Should your code treat these "
        "entries like the others, and does it?",
        _at_one_place(lambda size: {0}),
    ),
    Effect(
        "wrong-at-the-last",
        "In every check that fails, only the last entries along axis {0} are wrong. Does your code reach these "
        "entries, and should it treat them like the others?",
        _at_one_place(lambda size: {size - 1}),
    ),
    Effect(
        "right-at-the-first-alone",
        "In every check that fails, only the first entries along axis {0} are right. Should the later entries be "
        "computed like the first ones, or differently? Which step of your code decides this?",
        _at_one_place(lambda size: set(range(1, size))),
    ),
    Effect(
        "zero-instead",
        "Your results are 0 or False where something else belongs, and right everywhere else. You hide, clear or leave"
        " out too much. Which entries lose their values, and in which step?",
        _instead_of_zero(0),
    ),
    Effect(
        "not-zero",
        "Your results are right, except that 0 or False belongs where something else stands. You hide, clear or leave "
        "out too little. Which entries should have lost their values, and in which step?",
        _instead_of_zero(1),
    ),
    Effect(
        "another-number-of-axes",
        "In every check that fails, the number of axes of your result is {0}; it should be {1}. What does each axis of"
        " your result hold, and which step adds or drops an axis?",
        _axes,
    ),
    Effect(
        "shifted-by-a-constant",
        "Your results are the right ones plus {0}, in every check that fails. A term is missing or is added twice, or "
        "you count from another number. Which terms does the formula have?",
        _shifted,
    ),
    Effect(
        "nearly-right",
        "Your results are nearly right: the largest error is {0} percent of the largest right value. A small constant "
        "such as an epsilon may be missing, have another value or stand elsewhere, a divisor may be off by one, or a "
        "step may be an approximation or use a less precise dtype. Which of your steps changes a result so little?",
        _nearly_right,
    ),
)  # fmt: skip
