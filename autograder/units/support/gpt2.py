"""Inputs and formulas of the two units in C."""

from __future__ import annotations

import math

import torch

from autograder.judging.inputs import Rng


def token_ids(rng: Rng, below: int, *shape: int) -> torch.Tensor:
    """Token ids as int32: the first and the last possible one occur, and each of them twice."""
    ids = rng.integers(0, below, *shape).int()
    ids.view(-1)[:2], ids.view(-1)[-2:] = below - 1, 0
    return ids


def uneven_rows(rng: Rng, *shape: int) -> torch.Tensor:
    """Rows that each have a mean and a size of their own: shared statistics cannot fit."""
    return rng.uniform(*shape[:-1], 1, low=0.5, high=3) * rng.normal(*shape) + 3 * rng.normal(*shape[:-1], 1)


def causal_attention(qkv: torch.Tensor, heads: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scores, weights and output of GPT-2's attention for ``qkv`` ``(B, T, 3 C)``, and which scores are in the future.

    The scores are minus infinity where a key is later than the query.
    """
    length, width = qkv.shape[1], qkv.shape[2] // 3
    q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in qkv.split(width, dim=-1))
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    preatt = (q @ k.transpose(-2, -1) / math.sqrt(width // heads)).masked_fill(future, -math.inf)
    att = preatt.softmax(-1)
    return preatt, att, (att @ v).transpose(1, 2).flatten(-2), future
