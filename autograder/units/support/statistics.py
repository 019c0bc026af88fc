"""Bounds on what chance may do. Each check that uses these fails a right answer less than once in 10^9, and says so."""

from __future__ import annotations

import torch


def share_of(where: torch.Tensor) -> float:
    """The share of entries that are true."""
    return where.double().mean().item()


def chi_square(counts: torch.Tensor, expected: float) -> float:
    """The statistic for counts of equally likely cells; it has one degree of freedom less than there are cells."""
    return float(((counts.double() - expected) ** 2 / expected).sum())


def assert_between(got: float, low: float, high: float, what: str) -> None:
    """A reading lies within bounds that a right answer leaves less than once in 10^9."""
    if not low <= got <= high:
        raise AssertionError(f"{what} is {got:.3f}, but should lie between {low:.3f} and {high:.3f}.")
