"""Embeddings and positions: from ids to vectors that know their position (Vaswani et al. 2017, sections 3.4 and 3.5).

Shapes: ``B`` batch, ``T`` sequence length, ``V`` vocabulary size, ``d`` (in GPT-2's code ``C``) width of a token's
vector; ``...`` stands for any leading axes. Ids are int64; a boolean ``keep`` is ``True`` at real tokens.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


def one_hot(ids, vocab_size):
    """Ids as vectors that are 1 at one index and 0 everywhere else.

    Args:
        ids: token ids ``(...)``, int64, from 0 to ``vocab_size - 1``. Any other id raises an error.
        vocab_size: how many different ids there are, ``V``.

    Returns:
        float32 ``(..., V)`` on the device of ``ids``: 1 at the index that is the id.

    Source: Bengio et al. 2003, section 2 (a word as an index into a table of vectors).
    """
    ### BEGIN SOLUTION
    return F.one_hot(ids, vocab_size).float()
    ### END SOLUTION


def embedding_lookup(ids, table):
    """The rows of a table that the ids name.

    Args:
        ids: token ids ``(...)``, int64, from 0 to ``V - 1``. Any other id raises an error.
        table: one vector per id, ``(V, d)``, any float type.

    Returns:
        ``(..., d)``, in the float type of the table: equal to ``one_hot(ids, V) @ table``. The gradient of a row
        is the sum over all the positions where its id occurs.

    Source: Bengio et al. 2003, section 2 (the matrix C).
    """
    ### BEGIN SOLUTION
    return F.embedding(ids, table)  # unlike table[ids], it refuses negative ids
    ### END SOLUTION


class TokenEmbedding(nn.Module):
    """A learned vector for every token, scaled by the square root of its width.

    Args:
        vocab_size: how many different ids there are, ``V``.
        d_model: width of a vector.

    Attributes:
        embed: ``nn.Embedding(vocab_size, d_model)``.

    Source: Vaswani et al. 2017, section 3.4.
    """

    def __init__(self, vocab_size, d_model):
        super().__init__()
        ### BEGIN SOLUTION
        self.embed = nn.Embedding(vocab_size, d_model)
        ### END SOLUTION

    def forward(self, ids):
        """Look up and scale.

        Args:
            ids: token ids ``(B, T)``.

        Returns:
            ``(B, T, d_model)``: the vectors times ``sqrt(d_model)``.
        """
        ### BEGIN SOLUTION
        return self.embed(ids) * math.sqrt(self.embed.embedding_dim)
        ### END SOLUTION


def sinusoidal_positions(max_len, d_model):
    """A fixed vector for every position: sines and cosines of falling frequency.

    Args:
        max_len: how many positions, from 0 to ``max_len - 1``.
        d_model: width of a vector; if it is odd, the last sine has no cosine.

    Returns:
        float32 ``(max_len, d_model)``: entry ``(p, 2i)`` is ``sin(p / 10000^(2i / d_model))`` and entry
        ``(p, 2i + 1)`` is the cosine of the same angle.

    Source: Vaswani et al. 2017, section 3.5.
    """
    ### BEGIN SOLUTION
    position = torch.arange(max_len, dtype=torch.float32)[:, None]  # (max_len, 1)
    even = torch.arange(0, d_model, 2, dtype=torch.float32)  # the 2i of the formula
    angles = position * torch.exp(even * (-math.log(10000.0) / d_model))  # (max_len, ceil(d_model / 2))
    pe = torch.zeros(max_len, d_model)
    pe[:, 0::2] = angles.sin()
    pe[:, 1::2] = angles[:, : d_model // 2].cos()
    return pe
    ### END SOLUTION


def gpt2_embed(ids, wte, wpe):
    """Token and position vectors, both from learned tables, added.

    Args:
        ids: token ids ``(B, T)``, int64.
        wte: the weights of the token embedding, ``(V, C)``.
        wpe: the weights of the position embedding, ``(T_max, C)``: one vector for each position.

    Returns:
        ``(B, T, C)``: entry ``(b, t)`` is ``wte[ids[b, t]] + wpe[t]``.

    Raises:
        ValueError: ``T`` is larger than ``T_max``.

    Source: Radford et al. 2019 (GPT-2); Gehring et al. 2017, section 3.1 (learned positions).
    """
    ### BEGIN SOLUTION
    length, longest = ids.shape[1], wpe.shape[0]
    if length > longest:
        raise ValueError(f"ids has {length} positions, but wpe has rows for {longest} only.")
    return embedding_lookup(ids, wte) + wpe[:length]  # (B, T, C) + (T, C)
    ### END SOLUTION


class PositionalEncoding(nn.Module):
    """Adds to every token's vector the vector of its position, then applies dropout.

    Args:
        d_model: width of a token's vector.
        dropout: probability with which an entry of the sum is dropped in training.
        max_len: the longest sequence that can be encoded.

    Attributes:
        pe: the sinusoidal positions ``(1, max_len, d_model)``, a buffer and not a parameter.

    Source: Vaswani et al. 2017, sections 3.5 and 5.4.
    """

    pe: torch.Tensor

    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        ### BEGIN SOLUTION
        self.drop = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_positions(max_len, d_model)[None])
        ### END SOLUTION

    def forward(self, x):
        """Add positions 0 to ``T - 1``, then apply dropout.

        Args:
            x: embedded tokens ``(B, T, d_model)``, any float type; ``T`` is at most ``max_len``.

        Returns:
            A tensor like ``x``, of the same float type.

        Raises:
            ValueError: the sequence is longer than ``max_len``.
        """
        ### BEGIN SOLUTION
        length, max_len = x.shape[1], self.pe.shape[1]
        if length > max_len:
            raise ValueError(f"x has {length} positions, but max_len is {max_len}.")
        return self.drop(x + self.pe[:, :length].to(x.dtype))  # (B, T, d) + (1, T, d)
        ### END SOLUTION


def mean_pool(hidden, keep):
    """One vector for a sequence: the average over its real tokens.

    Args:
        hidden: a vector for every position, ``(B, T, d)``.
        keep: boolean ``(B, T)``: ``True`` at real tokens, ``False`` at padding.

    Returns:
        ``(B, d)``, in the float type of ``hidden``. A row with nothing kept gives zeros.

    Source: Reimers and Gurevych 2019, section 3 (the MEAN strategy).
    """
    ### BEGIN SOLUTION
    kept = hidden.masked_fill(~keep[:, :, None], 0.0)
    count = keep.sum(1, keepdim=True).clamp(min=1)  # (B, 1); where nothing is kept, 0 / 1 is the wanted 0
    return kept.sum(1) / count
    ### END SOLUTION


def max_pool(hidden, keep):
    """One vector for a sequence: in each component the largest value among its real tokens.

    Args:
        hidden: a vector for every position, ``(B, T, d)``.
        keep: boolean ``(B, T)``: ``True`` at real tokens, ``False`` at padding.

    Returns:
        ``(B, d)``, in the float type of ``hidden``. A row with nothing kept gives zeros.

    Source: Reimers and Gurevych 2019, section 3 (the MAX strategy).
    """
    ### BEGIN SOLUTION
    largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)
    return largest.masked_fill(~keep.any(1, keepdim=True), 0.0)
    ### END SOLUTION


def test_positions(sinusoidal_positions):
    """A test of `sinusoidal_positions`: it returns for a right implementation and raises for a wrong one.

    Args:
        sinusoidal_positions: the implementation to test, called as in Task 4. It comes in many styles; its numbers
            differ by rounding, and its result may be a view.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    for max_len, d_model in ((7, 6), (5, 9)):
        table = sinusoidal_positions(max_len, d_model)
        assert table.shape == (max_len, d_model)
        assert table.dtype == torch.float32
        for p in range(max_len):
            for column in range(d_model):
                angle = p / 10000 ** ((column - column % 2) / d_model)
                expected = math.cos(angle) if column % 2 else math.sin(angle)
                assert abs(table[p, column].item() - expected) < 1e-4
    ### END SOLUTION
