"""Parts of models that read long sequences, and parts of newer models (the chapter "Long context").

Nothing here is an exercise. Shapes: ``B`` batch, ``T`` sequence length, ``d`` width, ``H`` heads, ``E`` experts;
``...`` stands for any leading axes.
"""

import torch
import torch.nn.functional as F
from torch import nn

from solutions.blocks import rms_norm
from solutions.embeddings import sinusoidal_positions
from solutions.masks import causal_mask

SCHEMES = ("none", "learned", "sinusoidal", "rope", "alibi")


# --- where tokens are ----------------------------------------------------------------------------------------


def rope(x, positions, base=10000.0):
    """Rotary positions: turn pairs of entries, in proportion to the position.

    Args:
        x: queries or keys ``(..., T, d)``, ``d`` even. Entries ``2i`` and
            ``2i + 1`` are a pair.
        positions: the position of each vector, ``(T,)``, integers or not.
        base: pair ``i`` turns by ``base^(-2i / d)`` radians per position.

    Returns:
        A tensor like ``x``.

    Source: Su et al. 2024, equations 14, 15 and 34.
    """
    d = x.shape[-1]
    pairs = torch.arange(0, d, 2, device=x.device)  # (d / 2,)
    frequencies = base ** (-pairs / d)
    angles = positions.to(x.device)[:, None] * frequencies  # (T, d / 2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]
    turned = first * cos - second * sin, first * sin + second * cos
    return torch.stack(turned, dim=-1).flatten(-2)


def alibi_slopes(num_heads):
    """How much a score falls per position, for each head, ``(H,)``.

    They are 2^(-8/H), 2^(-16/H), ..., 2^-8.

    Source: Press et al. 2022, section 3.
    """
    return 2.0 ** (-8 / num_heads * torch.arange(1, num_heads + 1))


def alibi_bias(num_heads, length):
    """What ALiBi adds to the scores, ``(H, T, T)``.

    It is minus slope times distance, and 0 for keys in the future.

    Source: Press et al. 2022, section 3.
    """
    position = torch.arange(length)
    distance = (position[:, None] - position).clamp(min=0)  # (T, T)
    return -alibi_slopes(num_heads)[:, None, None] * distance


def window_mask(length, window):
    """A causal mask ``(T, T)`` of limited reach.

    It allows the last ``window`` positions, one's own among them.

    Source: Vaswani et al. 2017, section 4 (restricted self-attention);
    Beltagy et al. 2020, section 3.1.
    """
    allowed = causal_mask(length)
    return allowed & ~allowed.tril(-window)


@torch.no_grad()
def windowed_losses(logits_of, data, length, stride):
    """The loss of each token of a text, read through overlapping windows.

    Args:
        logits_of: maps ids ``(W, length)`` to logits ``(W, length, V)``.
        data: the text, ``(N,)``, longer than a window.
        length: length of a window.
        stride: from the start of a window to the start of the next, at most
            ``length``. With ``length`` itself the windows are disjoint
            chunks; less gives every token, except in the first window, at
            least ``length - stride`` tokens before it.

    Returns:
        Losses in nats of the tokens 1, 2, ... up to the end of the last
        whole window, each counted once.
    """
    windows = data.unfold(0, length + 1, stride)  # (W, length + 1)
    logits = torch.cat([logits_of(ids[:, :-1]) for ids in windows.split(64)])
    logits = logits.transpose(1, 2)  # (W, V, length)
    losses = F.cross_entropy(logits, windows[:, 1:], reduction="none")
    # Of each later window only what the one before it did not have.
    return torch.cat([losses[0], losses[1:, -stride:].flatten()])


# --- parts of newer blocks -----------------------------------------------------------------------------------


class RMSNorm(nn.Module):
    """`rms_norm` of `solutions.blocks` with its gain ``(d,)``, which starts at 1."""

    def __init__(self, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        """``(..., d)`` to the same shape."""
        return rms_norm(x, self.weight)


class SwiGLU(nn.Module):
    """A feed-forward layer in which one hidden vector gates another.

    Args:
        d_model: width of input and output.
        d_ff: width of the hidden layer; two thirds of the width of a layer
            without a gate give as many parameters.

    Source: Shazeer 2020, equation 6; no biases, as there.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        """``(..., d)`` to the same shape."""
        # silu(z) = z sigmoid(z) is also called Swish.
        return self.down(F.silu(self.gate(x)) * self.up(x))


class MixtureOfExperts(nn.Module):
    """Several feed-forward layers; a router picks a few for each token.

    Args:
        experts: a list of ``E`` modules that map ``(n, d)`` to ``(n, d)``.
        d_model: width of input and output.
        k: how many experts a token uses.

    Source: Fedus et al. 2022, equations 1 and 2 (there ``k`` is 1); the
    idea is Shazeer et al. 2017.
    """

    def __init__(self, experts, d_model, k=1):
        super().__init__()
        self.experts = nn.ModuleList(experts)
        self.router = nn.Linear(d_model, len(experts), bias=False)
        self.k = k

    def route(self, x):
        """What becomes of tokens ``(n, d)``.

        Returns:
            Every expert's probability ``(n, E)`` and the ids of the chosen
            ones ``(n, k)``.
        """
        probabilities = self.router(x).softmax(dim=-1)
        return probabilities, probabilities.topk(self.k, dim=-1).indices

    def forward(self, x):
        """``(..., d)`` to the same shape.

        The outputs of the chosen experts are added up, each times its
        probability.
        """
        tokens = x.flatten(0, -2)  # (n, d)
        probabilities, chosen = self.route(tokens)
        output = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            # The tokens that come to this expert, and its weight for each.
            rows = (chosen == number).any(dim=-1).nonzero()[:, 0]
            weights = probabilities[rows, number, None]
            found = weights * expert(tokens[rows])
            output = output.index_add(0, rows, found)
        return output.view(x.shape)


def expert_loads(chosen, num_experts):
    """The share of all choices ``(n, k)`` that falls on each expert, ``(E,)``."""
    return torch.bincount(chosen.flatten(), minlength=num_experts) / chosen.numel()


def balance_loss(probabilities, chosen):
    """1 when all experts get the same, up to ``E`` when one gets all.

    Args:
        probabilities, chosen: what `MixtureOfExperts.route` returns.

    Returns:
        ``E`` times the sum over experts of load times mean probability, a
        scalar. The gradient flows through the probabilities; the loads are
        counts.

    Source: Fedus et al. 2022, equations 4 to 6, without the factor alpha.
    """
    num_experts = probabilities.shape[-1]
    loads = expert_loads(chosen, num_experts)
    return num_experts * (loads * probabilities.mean(dim=0)).sum()


# --- a small language model in which these parts can be exchanged ----------------------------------------------


class CausalAttention(nn.Module):
    """Multi-head causal self-attention that knows about RoPE, ALiBi and windows.

    Args:
        d_model, num_heads: sizes.
        scheme: one of `SCHEMES`; only ``"rope"`` and ``"alibi"`` make a difference here.
    """

    def __init__(self, d_model, num_heads, scheme):
        super().__init__()
        self.num_heads, self.scheme = num_heads, scheme
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x, window=None, squeeze=1.0):
        """``(B, T, d)`` to the same shape; the arguments are those of `LongContextModel.forward`."""
        length = x.shape[1]
        q, k, v = self.qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)  # each (B, H, T, d / H)
        if self.scheme == "rope":
            positions = torch.arange(length) * squeeze
            q, k = rope(q, positions), rope(k, positions)
        mask = torch.zeros(length, length).masked_fill(~window_mask(length, window or length), float("-inf"))
        if self.scheme == "alibi":
            mask = mask + alibi_bias(self.num_heads, length)
        found = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # adds the mask to the scores
        return self.proj(found.transpose(1, 2).flatten(2))


class LongContextModel(nn.Module):
    """A pre-norm language model with a choice of positions, normalisation and feed-forward layer.

    Args:
        vocab_size, d_model, num_heads, num_layers: sizes.
        scheme: one of `SCHEMES`.
        max_len: how many rows a learned table of positions has.
        norm: called with ``d_model`` it makes a normalisation.
        feed_forward: called with ``d_model`` it makes a feed-forward layer; ``None``: linear, ReLU, linear.
    """

    def __init__(
        self, vocab_size, d_model, num_heads, num_layers, scheme, max_len=0, norm=nn.LayerNorm, feed_forward=None
    ):
        super().__init__()
        if scheme not in SCHEMES:
            raise ValueError(f"scheme is {scheme!r}, but must be one of {', '.join(SCHEMES)}.")
        self.scheme = scheme
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        if scheme == "learned":
            self.position_embedding = nn.Embedding(max_len, d_model)
        self.attention = nn.ModuleList(CausalAttention(d_model, num_heads, scheme) for _ in range(num_layers))
        self.feed_forward = nn.ModuleList((feed_forward or two_layers)(d_model) for _ in range(num_layers))
        self.norms = nn.ModuleList(norm(d_model) for _ in range(2 * num_layers + 1))
        self.to_logits = nn.Linear(d_model, vocab_size)

    def forward(self, ids, window=None, squeeze=1.0):
        """Scores of all tokens, at each position.

        Args:
            ids: ``(B, T)``.
            window: how many positions each position sees, itself included; ``None``: the whole past.
            squeeze: factor of the positions in RoPE.

        Returns:
            Logits ``(B, T, V)``.
        """
        x = self.token_embedding(ids)
        if self.scheme == "learned":
            x = x + self.position_embedding.weight[: ids.shape[1]]
        elif self.scheme == "sinusoidal":
            x = x + sinusoidal_positions(ids.shape[1], x.shape[-1])
        norms = iter(self.norms)
        for attention, feed_forward in zip(self.attention, self.feed_forward):
            x = x + attention(next(norms)(x), window, squeeze)
            x = x + feed_forward(next(norms)(x))
        return self.to_logits(next(norms)(x))


def two_layers(d_model):
    """The feed-forward layer of the 2017 paper: ``4 d`` wide, with ReLU."""
    return nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.ReLU(), nn.Linear(4 * d_model, d_model))
