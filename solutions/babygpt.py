"""BabyGPT: a small language model of the GPT family (Radford et al. 2018 and 2019).

Shapes: ``B`` sequences in a batch, ``T`` positions in a sequence (at most ``block_size``), ``C`` width of a
position's vector (``n_embed``), ``V`` vocabulary size. Parameters are created as PyTorch does by default.
"""

import dataclasses

import torch
import torch.nn.functional as F
from torch import nn

from solutions.attention import attention_scores
from solutions.masks import causal_mask


@dataclasses.dataclass(frozen=True)
class BabyGPTConfig:
    """The sizes of a BabyGPT.

    Attributes:
        vocab_size: how many different tokens there are, ``V``.
        block_size: the longest sequence that the model can read, the context.
        n_embed: width of a position's vector, ``C``.
        num_heads: attention heads in each block; each has the width ``n_embed // num_heads``.
        num_layers: blocks, one after the other.
        dropout: the probability with which dropout sets an entry to zero while training.
    """

    vocab_size: int
    block_size: int
    n_embed: int
    num_heads: int
    num_layers: int
    dropout: float = 0.0


def get_batch(data, block_size, batch_size, generator=None):
    """Random pieces of a text, each with the next token for every position.

    Args:
        data: the whole text as token ids ``(N,)``, of any integer type, with ``N > block_size``.
        block_size: length of a piece.
        batch_size: how many pieces.
        generator: a CPU ``torch.Generator`` that draws where the pieces start; ``None``: PyTorch's default one.

    Returns:
        ``(x, y)``, both int64 ``(batch_size, block_size)``, whatever the type of ``data``: ``y[b, t]`` is the token
        that follows ``x[b, t]`` in the text. The pieces start at positions drawn independently and uniformly from all
        that leave room for ``y``.

    Source: Bengio et al. 2003, section 2 (predict each word from those before it).
    """
    ### BEGIN SOLUTION
    # The last token of the last y is data[-1]: starts 0 .. N - block_size - 1 have room, and randint excludes its end.
    starts = torch.randint(len(data) - block_size, (batch_size,), generator=generator).tolist()
    x = torch.stack([data[start : start + block_size] for start in starts])
    y = torch.stack([data[start + 1 : start + 1 + block_size] for start in starts])
    return x.long(), y.long()
    ### END SOLUTION


class Head(nn.Module):
    """One head of causal self-attention: every position looks at itself and at those before it.

    Args:
        n_embed: width of the input, ``C``.
        head_size: width of queries, keys and values, and so of the output.
        block_size: the longest sequence that will come.
        dropout: probability of dropping an attention weight while training.

    Attributes:
        key, query, value: ``nn.Linear(n_embed, head_size)`` without bias.
        tril: buffer ``(block_size, block_size)``, true (or 1) where column <= row. Not a parameter.

    Source: Vaswani et al. 2017, section 3.2.1 (attention) and section 3.2.3 (masking).
    """

    tril: torch.Tensor

    def __init__(self, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        self.key = nn.Linear(n_embed, head_size, bias=False)
        self.query = nn.Linear(n_embed, head_size, bias=False)
        self.value = nn.Linear(n_embed, head_size, bias=False)
        self.register_buffer("tril", causal_mask(block_size), persistent=False)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x):
        """Attend from every position to itself and the past.

        Args:
            x: ``(B, T, n_embed)`` with ``T <= block_size``.

        Returns:
            ``(B, T, head_size)``.
        """
        ### BEGIN SOLUTION
        length = x.shape[1]
        scores = attention_scores(self.query(x), self.key(x))  # (B, T, T)
        scores = scores.masked_fill(~self.tril[:length, :length], float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))  # no row is empty: the diagonal is always allowed
        return weights @ self.value(x)
        ### END SOLUTION


class MultiHead(nn.Module):
    """Several heads side by side, and a linear layer that mixes what they found.

    Args:
        num_heads: how many heads.
        n_embed: width of the input and of the output, ``C``.
        head_size: width of each head.
        block_size: the longest sequence that will come.
        dropout: probability of dropping while training: attention weights in the heads, entries after ``proj``.

    Attributes:
        heads: ``nn.ModuleList`` of ``num_heads`` heads.
        proj: ``nn.Linear(num_heads * head_size, n_embed)`` with bias.

    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(self, num_heads, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = nn.ModuleList(Head(n_embed, head_size, block_size, dropout) for _ in range(num_heads))
        self.proj = nn.Linear(num_heads * head_size, n_embed)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x):
        """Run all heads on the same input, put their outputs side by side in the order of the list, and project.

        Args:
            x: ``(B, T, n_embed)``.

        Returns:
            ``(B, T, n_embed)``.
        """
        ### BEGIN SOLUTION
        side_by_side = torch.cat([head(x) for head in self.heads], dim=-1)  # (B, T, num_heads * head_size)
        return self.dropout(self.proj(side_by_side))
        ### END SOLUTION


class Block(nn.Module):
    """Communication, then computation: multi-head attention and a feed-forward network.

    Each is applied to the layer-normalised input, and its result is added to the input (pre-norm). The heads have the
    width ``n_embed // num_heads``. The feed-forward network is linear, ReLU, linear, and ``4 * n_embed`` wide inside.

    Args:
        n_embed: width of the input and of the output, ``C``.
        num_heads: how many heads; divides ``n_embed``.
        block_size: the longest sequence that will come.
        dropout: probability of dropping while training, in the attention and after the feed-forward network.

    Source: Vaswani et al. 2017, section 3.3; Radford et al. 2019, section 2.3 (the normalisation moved to the input).
    """

    def __init__(self, n_embed, num_heads, block_size, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        self.attention_norm = nn.LayerNorm(n_embed)
        self.attention = MultiHead(num_heads, n_embed, n_embed // num_heads, block_size, dropout)
        self.feed_forward_norm = nn.LayerNorm(n_embed)
        self.feed_forward = nn.Sequential(
            nn.Linear(n_embed, 4 * n_embed),
            nn.ReLU(),
            nn.Linear(4 * n_embed, n_embed),
            nn.Dropout(dropout),
        )
        ### END SOLUTION

    def forward(self, x):
        """Add what attention finds, then add what the feed-forward network makes of it.

        Args:
            x: ``(B, T, n_embed)``.

        Returns:
            ``(B, T, n_embed)``.
        """
        ### BEGIN SOLUTION
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))
        ### END SOLUTION


class BabyGPT(nn.Module):
    """A language model: for every position, scores of the tokens that may come next.

    Token and position embeddings are added, ``num_layers`` blocks follow, then a last layer normalisation and a linear
    layer to the vocabulary.

    Args:
        config: a `BabyGPTConfig`.

    Attributes:
        config: the same.

    Source: Radford et al. 2018, section 3.1 (decoder only, learned positions); Radford et al. 2019, section 2.3 (the
    last normalisation).
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        ### BEGIN SOLUTION
        self.token_embedding = nn.Embedding(config.vocab_size, config.n_embed)
        self.position_embedding = nn.Embedding(config.block_size, config.n_embed)
        self.blocks = nn.Sequential(
            *(
                Block(config.n_embed, config.num_heads, config.block_size, config.dropout)
                for _ in range(config.num_layers)
            )
        )
        self.norm = nn.LayerNorm(config.n_embed)
        self.to_logits = nn.Linear(config.n_embed, config.vocab_size)
        ### END SOLUTION

    def forward(self, ids, targets=None):
        """Scores of the next token, and their loss if targets are given.

        Args:
            ids: token ids ``(B, T)``, int64, with ``T <= block_size``.
            targets: the token after each of them, ``(B, T)``, or ``None``.

        Returns:
            ``(logits, loss)``: logits ``(B, T, V)``, and the mean cross-entropy over all ``B * T`` positions, a scalar;
            without targets the loss is ``None``.
        """
        ### BEGIN SOLUTION
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.token_embedding(ids) + self.position_embedding(positions)  # (B, T, C) + (T, C)
        logits = self.to_logits(self.norm(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        ### END SOLUTION


@torch.no_grad()
def generate(model, ids, max_new_tokens, temperature=1.0, generator=None):
    """Continue texts, one token at a time.

    Args:
        model: called as ``model(ids)`` it returns ``(logits, loss)``, with logits ``(B, T, V)``; its
            ``model.config.block_size`` is the longest ``T`` that it can read. It is left in the mode (training or
            evaluation) in which it was.
        ids: the beginnings, ``(B, T)`` int64, ``T`` of any size from 1. Not changed.
        max_new_tokens: how many tokens to add to each.
        temperature: the logits are divided by it before the softmax; 0 takes the most likely token. Negative:
            ``ValueError``.
        generator: a CPU ``torch.Generator`` for the draws; ``None``: PyTorch's default one.

    Returns:
        ``(B, T + max_new_tokens)`` int64: the beginnings and their continuations. Each new token is drawn given the
        last ``block_size`` tokens before it.

    Source: Ackley et al. 1985, equation 5 (temperature); Bengio et al. 2003, equation 1 (one token after the other).
    """
    ### BEGIN SOLUTION
    if temperature < 0:
        raise ValueError(f"temperature is {temperature}, but must be 0 or more.")
    was_training = model.training
    model.eval()
    for _ in range(max_new_tokens):
        logits, _ = model(ids[:, -model.config.block_size :])
        logits = logits[:, -1]  # (B, V): the last position's, which say what comes next
        if temperature == 0:
            new = logits.argmax(-1, keepdim=True)
        else:
            new = torch.multinomial((logits / temperature).softmax(-1).cpu(), 1, generator=generator)
        ids = torch.cat([ids, new.to(ids.device)], dim=1)
    model.train(was_training)
    return ids
    ### END SOLUTION


def test_no_peeking(model):
    """A test of a language model: it returns if no position sees more than its past, and raises otherwise.

    In a right model the logits of a position depend on the tokens up to that position in the same sequence, and on
    nothing else: not on later tokens or their number, on other sequences, or on earlier calls.

    Args:
        model: a small model in evaluation mode. ``model(ids)`` with ids ``(B, T)`` returns logits ``(B, T, V)`` and
            ``None``, as a tuple or a list; ``model.config`` has ``vocab_size`` and ``block_size``. Its other
            attributes may have any names, and its logits may differ by rounding from call to call.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    length = model.config.block_size
    ids = torch.randint(model.config.vocab_size, (3, length))
    whole, _ = model(ids)
    for row in range(3):
        for t in range(1, length + 1):
            alone, _ = model(ids[row : row + 1, :t])
            torch.testing.assert_close(alone[0], whole[row, :t])
    again, _ = model(ids)
    torch.testing.assert_close(again, whole)
    ### END SOLUTION
