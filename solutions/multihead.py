"""Many heads: several attentions side by side (Vaswani et al. 2017, section 3.2.2).

Shapes: ``B`` batch, ``T`` positions (``T_q`` queries, ``T_k`` keys), ``d_model`` model width, ``H`` heads,
``d_head = d_model / H`` the width of a head. Masks are boolean and ``True`` means "may attend".
"""

import copy

import torch
from torch import nn

from solutions.attention import scaled_dot_product_attention


def split_heads(x, num_heads):
    """Cut the width into heads, and give the heads an axis of their own.

    Args:
        x: ``(B, T, d_model)``, any type.
        num_heads: ``H``; divides ``d_model``, otherwise ``ValueError``.

    Returns:
        ``(B, H, T, d_head)``: head ``h`` holds the entries ``h * d_head`` to ``(h + 1) * d_head - 1`` of each position.

    Source: Vaswani et al. 2017, section 3.2.2 (all heads computed at once).
    """
    ### BEGIN SOLUTION
    b, t, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError(f"num_heads must divide the width of x, but {d_model} cannot be cut into {num_heads} heads.")
    return x.reshape(b, t, num_heads, d_model // num_heads).transpose(1, 2)
    ### END SOLUTION


def merge_heads(x):
    """Put the heads of each position side by side again: the inverse of ``split_heads``.

    Args:
        x: ``(B, H, T, d_head)``, any type, contiguous or not.

    Returns:
        ``(B, T, H * d_head)``: the heads of each position, one after the other, head 0 first.

    Source: Vaswani et al. 2017, section 3.2.2 ("Concat").
    """
    ### BEGIN SOLUTION
    return x.transpose(1, 2).flatten(2)  # (B, T, H, d_head), then the last two axes as one
    ### END SOLUTION


class MultiHeadAttention(nn.Module):
    """Several attention heads side by side, and a projection that mixes what they found.

    Args:
        d_model: width of the inputs and of the output.
        num_heads: ``H``; divides ``d_model``, otherwise ``ValueError``.
        dropout: probability with which an attention weight is dropped while training.

    Attributes:
        w_q, w_k, w_v, w_o: ``nn.Linear(d_model, d_model)`` with bias: queries, keys, values, output. Rows
            ``h * d_head`` to ``(h + 1) * d_head - 1`` of the first three belong to head ``h``.
        weights: the attention weights ``(B, H, T_q, T_k)`` of the last call.

    Source: Vaswani et al. 2017, section 3.2.2 and figure 2 (right).
    """

    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if d_model % num_heads != 0:
            raise ValueError(f"num_heads must divide d_model, but d_model={d_model} and num_heads={num_heads}.")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.weights = None
        ### END SOLUTION

    def forward(self, query, key, value, mask=None):
        """Attend from every position of ``query``, in every head.

        Args:
            query: ``(B, T_q, d_model)``: where the queries come from.
            key, value: ``(B, T_k, d_model)``: where the keys and the values come from.
            mask: boolean ``(T_q, T_k)``, ``(B, 1, 1, T_k)``, ``(B, 1, T_q, T_k)`` or ``(B, H, T_q, T_k)``; ``True``
                means "may attend".

        Returns:
            ``(B, T_q, d_model)``. For a query that may attend to nothing it is the bias of ``w_o``.
        """
        ### BEGIN SOLUTION
        q = split_heads(self.w_q(query), self.num_heads)  # (B, H, T_q, d_head)
        k = split_heads(self.w_k(key), self.num_heads)  # (B, H, T_k, d_head)
        v = split_heads(self.w_v(value), self.num_heads)  # (B, H, T_k, d_head)
        heads, self.weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)
        return self.w_o(merge_heads(heads))
        ### END SOLUTION


def attention_parameters(d_model, num_heads, bias=True):
    """How many numbers a ``MultiHeadAttention`` learns, in its four projections.

    Args:
        d_model: model width.
        num_heads: ``H``, a divisor of ``d_model``.
        bias: whether the four linear layers have a bias.

    Returns:
        The count, an ``int``.

    Source: Vaswani et al. 2017, section 3.2.2 (the shapes of the projection matrices).
    """
    ### BEGIN SOLUTION
    d_head = d_model // num_heads
    of_a_head = 3 * d_head * (d_model + bool(bias))  # its rows of w_q, w_k and w_v
    return num_heads * of_a_head + d_model * (d_model + bool(bias))
    ### END SOLUTION


def ablate_head(module, head):
    """A copy of a ``MultiHeadAttention`` in which one head contributes nothing.

    Args:
        module: a ``MultiHeadAttention``. It stays as it is, also if it has been called with gradients: then the
            ``weights`` that it keeps belong to a graph.
        head: which head, from 0; ``ValueError`` if there is no such head.

    Returns:
        The copy, which shares no parameters with the original. What the head adds to the output is zero; the other
        heads and the bias of ``w_o`` are as they were.

    Source: Michel et al. 2019, section 2.3 (masking a head's output).
    """
    ### BEGIN SOLUTION
    if not 0 <= head < module.num_heads:
        raise ValueError(f"head must be from 0 to {module.num_heads - 1}, but is {head}.")
    # A tensor that is part of a graph cannot be deep-copied, so the copy starts without the weights of the last call.
    without_weights = copy.copy(module)
    without_weights.weights = None
    ablated = copy.deepcopy(without_weights)
    d_head = module.w_o.in_features // module.num_heads
    with torch.no_grad():
        ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0  # the columns that read this head
    return ablated
    ### END SOLUTION


def test_heads(split_heads, merge_heads):
    """A test of `split_heads` and `merge_heads`: it returns for right implementations and raises for a wrong one.

    Args:
        split_heads, merge_heads: the implementations to test, called as in Tasks 1 and 2; one of the two may be wrong.
            They come in many styles, and their results may be views or copies.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    x = torch.randn(2, 5, 12)
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 4)
    for head in range(3):
        assert torch.equal(heads[:, head], x[:, :, 4 * head : 4 * head + 4])
    assert torch.equal(merge_heads(heads), x)
    assert torch.equal(merge_heads(heads.contiguous()), x)
    try:
        split_heads(x, 5)
    except Exception:
        return
    raise AssertionError("a width of 12 was cut into 5 heads")
    ### END SOLUTION
