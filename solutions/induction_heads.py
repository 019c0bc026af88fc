"""Induction heads: how a Transformer of two attention layers continues a sequence that it sees for the second time.

Shapes: ``B`` batch, ``T`` positions, ``P`` period, ``V`` vocabulary size, ``d`` model width, ``H`` heads. A *place* is
a pair ``(layer, head)``, both counted from 0.
"""

import torch
import torch.nn.functional as F
from torch import nn

from solutions.masks import causal_mask
from solutions.multihead import MultiHeadAttention, ablate_head, split_heads


def repeated_tokens(size, period, vocab_size, generator=None):
    """Random tokens, and then the same tokens again.

    Args:
        size: how many sequences, ``B``.
        period: ``P``, how many tokens come before the repetition; at most ``vocab_size``.
        vocab_size: ``V``; the tokens are 0 to ``V - 1``.
        generator: a CPU ``torch.Generator``; ``None``: PyTorch's default one.

    Returns:
        ``(B, 2 * P)``, int64. Within one half no token occurs twice, so only one continuation is right.

    Source: Olsson et al. 2022 (random sequences, repeated, on which induction heads are found).
    """
    once = torch.rand(size, vocab_size, generator=generator).argsort(-1)[:, :period]
    return torch.cat([once, once], dim=1)


class AttentionOnly(nn.Module):
    """A language model of attention alone: no feed-forward network and no normalisation.

    Args:
        vocab_size, length: ``V``, and the longest sequence that it can read.
        d_model, num_heads, num_layers: width, heads in each layer, layers.
        in_stream: whether positions are added to the stream, as usual. Otherwise they are added to what queries and
            keys are made from, in every layer, and no value ever holds a position.

    Source: Elhage et al. 2021 (attention-only models, without biases there); Press et al. 2021 (positions for queries
    and keys alone).
    """

    def __init__(self, vocab_size, length, d_model, num_heads, num_layers, in_stream=False):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(length, d_model)
        self.layers = nn.ModuleList(MultiHeadAttention(d_model, num_heads) for _ in range(num_layers))
        self.to_logits = nn.Linear(d_model, vocab_size)
        self.in_stream = in_stream

    def forward(self, ids):
        """Scores of the next token, for every position: ``(B, T)`` to ``(B, T, V)``."""
        x = self.start(ids)
        for layer in self.layers:
            x = x + self.attend(layer, x, x, x)
        return self.to_logits(x)

    def start(self, ids):
        """The stream before the first layer, ``(B, T)`` to ``(B, T, d)``."""
        x = self.tokens(ids)
        return x + self.positions.weight[: ids.shape[1]] if self.in_stream else x

    def attend(self, layer, query, key, value):
        """What a layer adds to the stream, if it reads these three, each ``(B, T, d)``."""
        length = query.shape[1]
        if not self.in_stream:
            where = self.positions.weight[:length]
            query, key = query + where, key + where
        return layer(query, key, value, causal_mask(length))


def train_on_repeats(model, periods, steps, batch_size=64, lr=3e-3, seed=0, after_step=None):
    """Train a model to predict the next token of repeated sequences, with Adam.

    Args:
        model: an `AttentionOnly`, changed in place. It must read ``2 * max(periods)`` tokens.
        periods: a ``range``. Every batch has a period of its own, so no distance is always right.
        steps, batch_size, lr: how many updates, of how many sequences each, with which learning rate.
        seed: for the sequences.
        after_step: called after each update with the number of updates so far, unless it is ``None``.
    """
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for step in range(1, steps + 1):
        period = periods[torch.randint(len(periods), (), generator=generator)]
        ids = repeated_tokens(batch_size, period, model.tokens.num_embeddings, generator)
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if after_step is not None:
            after_step(step)


@torch.no_grad()
def half_losses(model, ids):
    """The loss on the first and on the second half of repeated sequences, in nats per token.

    Args:
        model: called with ids ``(B, T)``, it returns logits ``(B, T, V)``.
        ids: from `repeated_tokens`, ``(B, 2 * P)``.

    Returns:
        ``(first, second)``, two floats. The second is the mean over the predictions made at positions ``P`` to
        ``2 * P - 2``, which have seen their token before; the first is that of positions 0 to ``P - 2``. Nobody can
        know at position ``P - 1`` that the repetition begins, so it belongs to neither.
    """
    period = ids.shape[1] // 2
    losses = F.cross_entropy(model(ids[:, :-1]).mT, ids[:, 1:], reduction="none").mean(0)  # (2 * P - 1,)
    return losses[: period - 1].mean().item(), losses[period:].mean().item()


# --- what a head looks at --------------------------------------------------------------------------------------


def previous_token_score(weights):
    """How much each head looks at the token before.

    Args:
        weights: attention weights ``(B, H, T, T)``, queries before keys, with ``T >= 2``.

    Returns:
        ``(H,)``, from 0 to 1: the mean of ``weights[b, h, t, t - 1]`` over ``b`` and over ``t`` from 1 to ``T - 1``.

    Source: Olsson et al. 2022 (previous-token heads).
    """
    ### BEGIN SOLUTION
    return weights.diagonal(-1, dim1=-2, dim2=-1).mean((0, -1))
    ### END SOLUTION


def induction_score(weights, period):
    """How much each head looks, in the second half, at the token after the one that it has just seen again.

    Args:
        weights: attention weights ``(B, H, T, T)`` on sequences that repeat after ``period`` tokens, queries before
            keys, with ``T > period``.
        period: ``P``, at least 1.

    Returns:
        ``(H,)``, from 0 to 1: the mean of ``weights[b, h, t, t - P + 1]`` over ``b`` and over ``t`` from ``P`` to
        ``T - 1``.

    Source: Olsson et al. 2022 (prefix matching).
    """
    ### BEGIN SOLUTION
    after = weights.diagonal(1 - period, dim1=-2, dim2=-1)  # (B, H, T - P + 1), from t = P - 1 on
    return after[..., 1:].mean((0, -1))
    ### END SOLUTION


@torch.no_grad()
def copying_score(model, layer):
    """How often a head that looks at a token raises the logit of that same token most.

    Args:
        model: an `AttentionOnly`.
        layer: a number of one of its layers.

    Returns:
        ``(H,)``, from 0 to 1: the share of the ``V`` tokens for which the largest logit that the head adds is the
        token's own. The value is made from the token's embedding alone; biases are left out.

    Source: Olsson et al. 2022 (copying); Elhage et al. 2021 (the OV circuit).
    """
    module, vocab_size = model.layers[layer], model.tokens.num_embeddings
    values = split_heads((model.tokens.weight @ module.w_v.weight.T)[None], module.num_heads)[0]  # (H, V, d_head)
    into_stream = module.w_o.weight.T.unflatten(0, (module.num_heads, -1))  # (H, d_head, d)
    logits = values @ into_stream @ model.to_logits.weight.T  # (H, V, V)
    return (logits.argmax(-1) == torch.arange(vocab_size)).float().mean(-1)


@torch.no_grad()
def attention_weights(model, ids):
    """The attention weights of every layer on these sequences, a list of tensors ``(B, H, T, T)``."""
    model(ids)
    return [layer.weights for layer in model.layers]


# --- changing a model ------------------------------------------------------------------------------------------


def without_heads(model, places):
    """The same model in which some heads contribute nothing.

    Args:
        model: an `AttentionOnly`, which stays as it is.
        places: pairs ``(layer, head)``.

    Returns:
        An `AttentionOnly`. It shares with ``model`` what does not change, so do not train it.
    """
    layers = list(model.layers)
    for layer, head in places:
        layers[layer] = ablate_head(layers[layer], head)
    vocab_size, d_model = model.tokens.weight.shape
    other = AttentionOnly(vocab_size, 0, d_model, layers[0].num_heads, 0, model.in_stream)
    other.tokens, other.positions, other.to_logits = model.tokens, model.positions, model.to_logits
    other.layers = nn.ModuleList(layers)
    return other


@torch.no_grad()
def logits_with_input_cut(model, ids, head, role):
    """The logits of a model of two layers whose second layer, in one role, reads a stream without one earlier head.

    Args:
        model: an `AttentionOnly` of two layers.
        ids: ``(B, T)``.
        head: a head of layer 0.
        role: "query", "key" or "value": which input of layer 1 lacks what that head adds. The other two inputs, and
            the stream itself, have it.

    Returns:
        ``(B, T, V)``.

    Source: Elhage et al. 2021 (Q-, K- and V-composition).
    """
    first, second = model.layers
    x = model.start(ids)
    whole = x + model.attend(first, x, x, x)
    inputs = {"query": whole, "key": whole, "value": whole}
    inputs[role] = x + model.attend(ablate_head(first, head), x, x, x)
    return model.to_logits(whole + model.attend(second, **inputs))


def test_induction_score(induction_score):
    """A test of `induction_score`: it returns for right implementations and raises for a wrong one.

    Args:
        induction_score: the implementation to test, called as ``induction_score(weights, period)``. It comes in many
            styles, and its result ``(H,)`` may differ by rounding.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    weights = torch.rand(3, 4, 14, 14).tril()
    for period in (3, 5):
        named = [weights[:, :, t, t - period + 1] for t in range(period, 14)]
        torch.testing.assert_close(induction_score(weights, period), torch.stack(named).mean((0, 1)))
    ### END SOLUTION
