"""Random inputs for checks, the same for every learner and every run with the same seed."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import torch

DEFAULT_SEED = 2017


class Rng:
    """Random inputs for one check, the same for every learner and every run with the same seed."""

    def __init__(self, seed: int):
        self._generator = torch.Generator().manual_seed(seed)
        self._random = random.Random(seed)

    def normal(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Standard normal numbers."""
        return torch.randn(*shape, generator=self._generator, dtype=torch.float64).to(dtype)

    def uniform(
        self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Uniform numbers in ``[low, high)``."""
        numbers = torch.rand(*shape, generator=self._generator, dtype=torch.float64)
        return (low + (high - low) * numbers).to(dtype)

    def integers(self, low: int, high: int, *shape: int) -> torch.Tensor:
        """Integers in ``[low, high)``, int64."""
        return torch.randint(low, high, shape, generator=self._generator)

    def mask(self, *shape: int, keep: float = 0.6) -> torch.Tensor:
        """A random boolean mask with at least one ``True`` in every row of the last axis."""
        mask = torch.rand(*shape, generator=self._generator) < keep
        always = torch.randint(0, shape[-1], (*shape[:-1], 1), generator=self._generator)
        return mask.scatter(-1, always, True)

    def choice(self, options: list) -> Any:
        """One of the options."""
        return self._random.choice(options)


def seed_for(seed: int, name: str) -> int:
    """A seed of its own for every check, so that adding one check leaves the inputs of the others alone."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:6], "big")
