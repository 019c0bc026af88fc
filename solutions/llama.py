"""From GPT-2 to Llama (Touvron et al. 2023): the parts in which today's language models differ, and the whole model.

Shapes: ``B`` sequences in a batch, ``T`` positions, ``d`` model width (``d_model``), ``H`` query heads, ``G`` key and
value heads (``num_kv_heads``), ``d_head = d / H`` width of a head, ``d_ff`` width inside the feed-forward layer, ``V``
vocabulary size. No linear layer has a bias.
"""

import dataclasses
import re
from collections import Counter

import torch
import torch.nn.functional as F
from torch import nn

from solutions.attention import scaled_dot_product_attention
from solutions.multihead import merge_heads, split_heads


@dataclasses.dataclass(frozen=True)
class LlamaConfig:
    """The sizes of a Llama.

    Attributes:
        vocab_size: how many different tokens there are, ``V``.
        d_model: width of a position's vector, ``d``.
        d_ff: width inside the feed-forward layers.
        num_heads: query heads ``H`` of each attention; each has the width ``d_model // num_heads``.
        num_kv_heads: key and value heads ``G`` of each attention; divides ``num_heads``.
        num_layers: blocks, one after the other.
        base: of the rotary positions.
        eps: of all normalisations.
        tied: whether the table of tokens makes the logits, too.
    """

    vocab_size: int
    d_model: int
    d_ff: int
    num_heads: int
    num_kv_heads: int
    num_layers: int
    base: float = 10000.0
    eps: float = 1e-5
    tied: bool = True


class RMSNorm(nn.Module):
    """Divide every vector by its root mean square, and multiply by a learned gain.

    Args:
        d: width of the vectors.
        eps: added to the mean square, inside the root.

    Attributes:
        weight: the gain ``(d,)``, a parameter, ones at first.

    Source: Zhang and Sennrich 2019, equation 4.
    """

    def __init__(self, d, eps=1e-5):
        super().__init__()
        ### BEGIN SOLUTION
        self.weight = nn.Parameter(torch.ones(d))
        self.eps = eps
        ### END SOLUTION

    def forward(self, x):
        """``(..., d)`` to the same shape and float type.

        The mean square of 16-bit numbers is computed in float32: in float16, 256 squared is infinite already.
        """
        ### BEGIN SOLUTION
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        normed = wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)
        return (self.weight * normed).to(x.dtype)
        ### END SOLUTION


def apply_rope(x, positions, base=10000.0):
    """Rotary positions: turn pairs of entries by angles that grow with the position.

    Entries ``i`` and ``i + d_head / 2`` are one pair ``(a, b)``, for ``i`` from 0 to ``d_head / 2 - 1``. At position
    ``m`` its angle is ``m * base ** (-2 * i / d_head)``, and it becomes ``(a cos - b sin, a sin + b cos)``.

    Args:
        x: queries or keys ``(..., T, d_head)``; not changed.
        positions: the position of each vector ``(T,)``, integers in any order.
        base: how slowly the last pair turns.

    Returns:
        A tensor like ``x``. Angles are computed in float32 at least, whatever the type of ``x``.

    Raises:
        ValueError: ``d_head`` is odd.

    Source: Su et al. 2024, equations 14, 15 and 34, there with neighbours ``2i`` and ``2i + 1`` as pairs.
    """
    ### BEGIN SOLUTION
    d_head = x.shape[-1]
    if d_head % 2 != 0:
        raise ValueError(f"x must have an even last axis, since its entries are turned in pairs, but it is {d_head}.")
    wide = torch.promote_types(x.dtype, torch.float32)
    steps = torch.arange(0, d_head, 2, dtype=wide, device=x.device) / d_head  # (d_head / 2,): 2i / d_head
    angles = positions.to(x.device, wide)[:, None] * base**-steps  # (T, d_head / 2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
    ### END SOLUTION


def test_rope(apply_rope):
    """A test of `apply_rope`: it returns for a right implementation and raises for a wrong one.

    Args:
        apply_rope: the implementation to test, called as in Task 2. It comes in many styles, which differ in the last
            digits.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    x = torch.randn(2, 3, 4, 6)  # (B, H, T, d_head)
    positions = torch.tensor([0, 5, 2, 900])
    for base in (10000.0, 50.0):
        angles = torch.outer(positions.double(), base ** -(torch.arange(3).double() / 3))
        pairs = torch.complex(x[..., :3].double(), x[..., 3:].double()) * torch.polar(torch.ones(4, 3).double(), angles)
        expected = torch.cat([pairs.real, pairs.imag], dim=-1).float()
        before = x.clone()
        found = apply_rope(x, positions) if base == 10000 else apply_rope(x, positions, base)
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
        assert torch.equal(x, before)
    half = x.bfloat16()
    found = apply_rope(half, positions, 50.0)
    assert found.dtype == half.dtype
    torch.testing.assert_close(found.float(), expected, rtol=0.05, atol=0.05)
    try:
        apply_rope(x[..., :5], positions)
    except Exception:
        return
    raise AssertionError("five entries were turned in pairs")
    ### END SOLUTION


class SwiGLU(nn.Module):
    """A feed-forward layer in which one hidden vector gates another: ``down(silu(gate(x)) * up(x))``.

    Args:
        d_model: width of input and output.
        d_ff: width inside.

    Attributes:
        gate_proj, up_proj: ``nn.Linear(d_model, d_ff)`` without bias.
        down_proj: ``nn.Linear(d_ff, d_model)`` without bias.

    Source: Shazeer 2020, equation 6.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        ### BEGIN SOLUTION
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        ### END SOLUTION

    def forward(self, x):
        """``(..., d_model)`` to the same shape."""
        ### BEGIN SOLUTION
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))
        ### END SOLUTION


class GroupedQueryAttention(nn.Module):
    """Causal self-attention with rotary positions, in which groups of query heads share keys and values.

    Args:
        d_model: width of the input and of the output, ``d``.
        num_heads: query heads ``H``.
        num_kv_heads: key and value heads ``G``; divides ``num_heads``, otherwise ``ValueError``.
        base: of the rotary positions.

    Attributes:
        q_proj: ``nn.Linear(d, d)`` without bias, the queries of all heads.
        k_proj, v_proj: ``nn.Linear(d, G * d_head)`` without bias.
        o_proj: ``nn.Linear(d, d)`` without bias, the output.

    Query head ``h`` attends to key head ``h // (H / G)``.

    Source: Ainslie et al. 2023, section 2.2.
    """

    def __init__(self, d_model, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        ### BEGIN SOLUTION
        if num_heads % num_kv_heads != 0:
            raise ValueError(f"num_kv_heads must divide num_heads, but {num_kv_heads} does not divide {num_heads}.")
        if d_model % num_heads != 0:
            raise ValueError(f"num_heads must divide d_model, but {num_heads} does not divide {d_model}.")
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        kv_width = num_kv_heads * (d_model // num_heads)
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, kv_width, bias=False)
        self.v_proj = nn.Linear(d_model, kv_width, bias=False)
        self.o_proj = nn.Linear(d_model, d_model, bias=False)
        ### END SOLUTION

    def forward(self, x, cache=None, layer=0):
        """Attend from every position of ``x`` to itself and to everything before it.

        Args:
            x: ``(B, T, d)``, one new position or several.
            cache: a `KVCache` with the positions before ``x``, to which those of ``x`` are added; ``None``: ``x``
                begins at position 0.
            layer: number of the layer in the cache.

        Returns:
            ``(B, T, d)``.
        """
        ### BEGIN SOLUTION
        q = split_heads(self.q_proj(x), self.num_heads)
        k = split_heads(self.k_proj(x), self.num_kv_heads)
        v = split_heads(self.v_proj(x), self.num_kv_heads)
        if cache is not None:
            k, v = cache.update(layer, k, v)  # all positions so far, keys not turned yet
        positions = torch.arange(k.shape[-2], device=x.device)
        new = positions[-x.shape[1] :]
        q, k = apply_rope(q, new, self.base), apply_rope(k, positions, self.base)
        group = self.num_heads // self.num_kv_heads
        k, v = (one.repeat_interleave(group, dim=1) for one in (k, v))
        heads, _ = scaled_dot_product_attention(q, k, v, positions <= new[:, None])
        return self.o_proj(merge_heads(heads))
        ### END SOLUTION


class LlamaBlock(nn.Module):
    """Attention and a feed-forward layer, each behind a norm and added to what came in (pre-norm).

    Args:
        config: a `LlamaConfig`.

    Attributes:
        input_layernorm: `RMSNorm` before the attention.
        self_attn: `GroupedQueryAttention`.
        post_attention_layernorm: `RMSNorm` before the feed-forward layer.
        mlp: `SwiGLU`.

    Source: Touvron et al. 2023, section 2.2.
    """

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        self.input_layernorm = RMSNorm(config.d_model, config.eps)
        self.self_attn = GroupedQueryAttention(config.d_model, config.num_heads, config.num_kv_heads, config.base)
        self.post_attention_layernorm = RMSNorm(config.d_model, config.eps)
        self.mlp = SwiGLU(config.d_model, config.d_ff)
        ### END SOLUTION

    def forward(self, x, cache=None, layer=0):
        """``(B, T, d)`` to the same shape; ``cache`` and ``layer`` as in `GroupedQueryAttention`."""
        ### BEGIN SOLUTION
        x = x + self.self_attn(self.input_layernorm(x), cache, layer)
        return x + self.mlp(self.post_attention_layernorm(x))
        ### END SOLUTION


class Llama(nn.Module):
    """A language model of the Llama family.

    Args:
        config: a `LlamaConfig`.

    Attributes:
        embed_tokens: ``nn.Embedding(V, d)``.
        layers: ``nn.ModuleList`` of `LlamaBlock`.
        norm: the last `RMSNorm`.
        lm_head: ``nn.Linear(d, V)`` without bias, only where ``config.tied`` is false; otherwise the table of tokens
            makes the logits.

    Source: Touvron et al. 2023, section 2.2; the tied table: Press and Wolf 2017.
    """

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION
        self.embed_tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.layers = nn.ModuleList(LlamaBlock(config) for _ in range(config.num_layers))
        self.norm = RMSNorm(config.d_model, config.eps)
        self.lm_head = None if config.tied else nn.Linear(config.d_model, config.vocab_size, bias=False)
        ### END SOLUTION

    def forward(self, ids, cache=None):
        """Scores of what comes next, at every position of ``ids``.

        Args:
            ids: int64 ``(B, T)``.
            cache: a `KVCache` with the positions before ``ids``; ``None``: ``ids`` begin at position 0.

        Returns:
            Logits ``(B, T, V)``.
        """
        ### BEGIN SOLUTION
        x = self.embed_tokens(ids)
        for number, layer in enumerate(self.layers):
            x = layer(x, cache, number)
        x = self.norm(x)
        return F.linear(x, self.embed_tokens.weight) if self.lm_head is None else self.lm_head(x)
        ### END SOLUTION


def llama_state(state):
    """The weights of a released checkpoint under the names of this model.

    Args:
        state: tensors by name, such as ``model.embed_tokens.weight``, ``model.layers.0.self_attn.q_proj.weight``,
            ``model.norm.weight`` and ``lm_head.weight``. Not changed.

    Returns:
        A dict for ``Llama(config).load_state_dict``, the same tensors without the prefix ``model.``. A
        ``lm_head.weight`` that is equal to the table of tokens is left out, since such a head is tied. So are the
        frequencies (``rotary_emb.inv_freq``) that old checkpoints store, which are no weights.

    Raises:
        ValueError: a tensor is missing, has no counterpart in this model, or has a shape that does not fit the others;
            the message names it as ``state`` does. The number of layers and all sizes follow from ``state`` itself.

    Source: the checkpoints of Llama and its relatives as Hugging Face's ``transformers`` stores them.
    """
    ### BEGIN SOLUTION
    of_a_layer = {
        "input_layernorm": "d",
        "self_attn.q_proj": "dd",
        "self_attn.k_proj": "kd",
        "self_attn.v_proj": "kd",
        "self_attn.o_proj": "dd",
        "post_attention_layernorm": "d",
        "mlp.gate_proj": "fd",
        "mlp.up_proj": "fd",
        "mlp.down_proj": "df",
    }
    prefix = "model." if any(name.startswith("model.") for name in state) else ""
    numbers = [int(match[1]) for name in state if (match := re.match(rf"{prefix}layers\.(\d+)\.", name))]
    wanted = {f"{prefix}embed_tokens.weight": "vd", f"{prefix}norm.weight": "d"}
    for number in range(max(numbers, default=-1) + 1):
        wanted |= {f"{prefix}layers.{number}.{part}.weight": axes for part, axes in of_a_layer.items()}
    if "lm_head.weight" in state:
        wanted["lm_head.weight"] = "vd"
    for name in wanted:
        if name not in state:
            raise ValueError(f"{name} is missing from the checkpoint.")
    for name in state:
        if name not in wanted and not name.endswith("rotary_emb.inv_freq"):
            raise ValueError(f"{name} is in the checkpoint, but a Llama has no such tensor.")
    votes: dict[str, Counter] = {axis: Counter() for axis in "vdkf"}  # the size that most tensors have is the right one
    for name, axes in wanted.items():
        for axis, size in zip(axes, state[name].shape):
            votes[axis][size] += 1
    for name, axes in wanted.items():
        shape = tuple(votes[axis].most_common(1)[0][0] for axis in axes)
        if state[name].shape != shape:
            raise ValueError(f"{name} has the shape {tuple(state[name].shape)}, but the others ask for {shape}.")
    found = {name.removeprefix(prefix): state[name] for name in wanted}
    if "lm_head.weight" in found and torch.equal(found["lm_head.weight"], found["embed_tokens.weight"]):
        del found["lm_head.weight"]
    return found
    ### END SOLUTION
