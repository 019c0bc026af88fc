"""Self-attention: from dot products to weights (Vaswani et al. 2017, section 3.2.1).

Shapes: ``B`` batch, ``T_q`` queries, ``T_k`` keys, ``d_k`` width of queries and keys, ``d_v`` width
of values, ``d`` model width; ``...`` stands for any leading axes. Masks are boolean, ``True`` means
"may attend", and broadcast to the scores.
"""

import math

import torch
from torch import nn


def softmax(x, dim=-1):
    """Softmax along one axis, stable for large values.

    Args:
        x: scores, any shape and float type. Entries may be ``-inf``, but not a whole row.
        dim: the axis whose entries will sum to 1.

    Returns:
        Weights, same shape, dtype and device as ``x``. An entry of ``-inf`` gets exactly 0.

    Source: Goodfellow et al. 2016, equation 4.1 and the rest of section 4.1 (subtract the maximum).
    """
    ### BEGIN SOLUTION
    # The result does not change when a row is shifted; after this shift the largest exponent is 0.
    exponentials = (x - x.amax(dim, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim, keepdim=True)
    ### END SOLUTION


def attention_scores(q, k):
    """Scaled dot products of every query with every key.

    Args:
        q: queries ``(..., T_q, d_k)``.
        k: keys ``(..., T_k, d_k)``.

    Returns:
        Scores ``(..., T_q, T_k)``: entry ``(i, j)`` is ``q_i . k_j / sqrt(d_k)``.

    Source: Vaswani et al. 2017, equation 1 (the argument of the softmax).
    """
    ### BEGIN SOLUTION
    d_k = q.shape[-1]
    return q @ k.transpose(-2, -1) / math.sqrt(d_k)  # (..., T_q, d_k) @ (..., d_k, T_k)
    ### END SOLUTION


def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    """Weighted averages of the values, one for each query.

    Args:
        q: queries ``(..., T_q, d_k)``.
        k: keys ``(..., T_k, d_k)``.
        v: values ``(..., T_k, d_v)``; ``d_v`` may differ from ``d_k``.
        mask: boolean, broadcasts to ``(..., T_q, T_k)``; ``True`` means "may attend". ``None``: all may.
        dropout: a module or function applied to the weights; ``None``: nothing is dropped.

    Returns:
        ``(output, weights)``: output ``(..., T_q, d_v)``, and the weights ``(..., T_q, T_k)`` that
        multiplied ``v`` (after dropout). A query that may attend to nothing gets all-zero weights
        and a zero output, and its gradients are finite.

    Source: Vaswani et al. 2017, equation 1 and figure 2 (left).
    """
    ### BEGIN SOLUTION
    scores = attention_scores(q, k)
    if mask is None:
        weights = softmax(scores)
    else:
        # The softmax of a row that is all -inf is 0/0. Give such a row harmless scores, then set its weights to 0.
        nothing = ~mask.any(-1, keepdim=True)
        scores = scores.masked_fill(~mask, float("-inf")).masked_fill(nothing, 0.0)
        weights = softmax(scores).masked_fill(nothing, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights  # (..., T_q, T_k) @ (..., T_k, d_v)
    ### END SOLUTION


class SelfAttention(nn.Module):
    """One attention head in which a sequence attends to itself.

    Args:
        d_model: width of the input and of the output.

    Attributes:
        w_q, w_k, w_v: ``nn.Linear(d_model, d_model)`` with bias: queries, keys, values.

    Source: Vaswani et al. 2017, section 3.2.3 (encoder self-attention), with a single head.
    """

    def __init__(self, d_model):
        super().__init__()
        ### BEGIN SOLUTION
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """Attend from every position of ``x`` to every position of ``x``.

        Args:
            x: ``(B, T, d_model)``.
            mask: boolean, broadcasts to ``(B, T, T)``; ``True`` means "may attend".

        Returns:
            ``(output, weights)``: ``(B, T, d_model)`` and ``(B, T, T)``.
        """
        ### BEGIN SOLUTION
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        ### END SOLUTION


class CrossAttention(nn.Module):
    """One attention head in which a sequence attends to another one, the memory.

    Args:
        d_model: width of the input, of the memory and of the output.

    Attributes:
        w_q, w_k, w_v: ``nn.Linear(d_model, d_model)`` with bias: queries, keys, values.

    Source: Vaswani et al. 2017, section 3.2.3 (encoder-decoder attention), with a single head.
    """

    def __init__(self, d_model):
        super().__init__()
        ### BEGIN SOLUTION
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        ### END SOLUTION

    def forward(self, x, memory, mask=None):
        """Attend from every position of ``x`` to every position of ``memory``.

        Args:
            x: ``(B, T_q, d_model)``: where the queries come from.
            memory: ``(B, T_k, d_model)``: where the keys and values come from.
            mask: boolean, broadcasts to ``(B, T_q, T_k)``; ``True`` means "may attend".

        Returns:
            ``(output, weights)``: ``(B, T_q, d_model)`` and ``(B, T_q, T_k)``.
        """
        ### BEGIN SOLUTION
        return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)
        ### END SOLUTION


def test_attention(scaled_dot_product_attention):
    """A test of `scaled_dot_product_attention`: it returns for a right implementation and raises for a wrong one.

    Args:
        scaled_dot_product_attention: the implementation to test, called as in Task 3. It comes in many styles:
            its two results may be a tuple, a list or a named tuple, views or copies, and differ by rounding.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    mask = torch.rand(2, 3, 5) < 0.6
    mask[0, 1] = False  # a query that may attend to nothing
    given = [q, k, v, mask]
    before = [tensor.clone() for tensor in given]
    scores = q @ k.transpose(-2, -1) / math.sqrt(4)
    for allowed in (torch.ones_like(mask), mask):
        expected = scores.masked_fill(~allowed, -math.inf).softmax(-1).nan_to_num(0.0)
        output, weights = scaled_dot_product_attention(q, k, v, None if allowed.all() else mask)
        torch.testing.assert_close(weights, expected)
        torch.testing.assert_close(output, expected @ v)
    assert all(torch.equal(*pair) for pair in zip(given, before)), "an argument was changed"
    ### END SOLUTION
