"""Inputs and formulas of GPT-2: for the two units in C, and for the unit that reads its published weights."""

from __future__ import annotations

import math

import torch

from autograder.judging.inputs import Rng


def token_ids(rng: Rng, below: int, *shape: int) -> torch.Tensor:
    """Token ids as int32: the smallest and the largest possible id each occur at least twice."""
    ids = rng.integers(0, below, *shape).int()
    ids.view(-1)[:2], ids.view(-1)[-2:] = below - 1, 0
    return ids


def uneven_rows(rng: Rng, *shape: int) -> torch.Tensor:
    """Rows that each have a mean and a scale of their own: shared statistics cannot fit."""
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


def published_state(
    rng: Rng, vocab_size: int, block_size: int, width: int, layers: int, dtype: torch.dtype = torch.float32
) -> dict[str, torch.Tensor]:
    """A random GPT-2 by the names and in the layouts in which it is published, without the prefix ``transformer.``."""

    def normal(*shape: int) -> torch.Tensor:
        return rng.normal(*shape, dtype=dtype)

    state = {"wte.weight": normal(vocab_size, width), "wpe.weight": normal(block_size, width)}
    products = {
        "attn.c_attn": (width, 3 * width),
        "attn.c_proj": (width, width),
        "mlp.c_fc": (width, 4 * width),
        "mlp.c_proj": (4 * width, width),
    }
    for layer in range(layers):
        for part, (rows, columns) in products.items():
            state[f"h.{layer}.{part}.weight"] = normal(rows, columns) / math.sqrt(rows)
            state[f"h.{layer}.{part}.bias"] = normal(columns) / 2
    for norm in ("ln_f", *(f"h.{layer}.{part}" for layer in range(layers) for part in ("ln_1", "ln_2"))):
        state[f"{norm}.weight"] = 1 + normal(width) / 3
        state[f"{norm}.bias"] = normal(width) / 2
    return state


def published_logits(state: dict[str, torch.Tensor], ids: torch.Tensor, heads: int) -> torch.Tensor:
    """What a GPT-2 with these published tensors answers to ids ``(B, T)``: logits ``(B, T, V)``, in float64.

    Written with the published names alone, so that it shares nothing with the solution.
    """
    state = {name: tensor.double() for name, tensor in state.items()}

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) / torch.sqrt(variance + 1e-5) * state[f"{name}.weight"] + state[f"{name}.bias"]

    def linear(x: torch.Tensor, name: str) -> torch.Tensor:
        return x @ state[f"{name}.weight"] + state[f"{name}.bias"]

    x = state["wte.weight"][ids] + state["wpe.weight"][: ids.shape[1]]
    for layer in range(sum(name.endswith("ln_1.bias") for name in state)):
        *_, mixed, _ = causal_attention(linear(norm(x, f"h.{layer}.ln_1"), f"h.{layer}.attn.c_attn"), heads)
        x = x + linear(mixed, f"h.{layer}.attn.c_proj")
        hidden = linear(norm(x, f"h.{layer}.ln_2"), f"h.{layer}.mlp.c_fc")
        hidden = hidden / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (hidden + 0.044715 * hidden**3)))
        x = x + linear(hidden, f"h.{layer}.mlp.c_proj")
    return norm(x, "ln_f") @ state["wte.weight"].T
