"""Masks: which positions may be attended to (Vaswani et al. 2017, section 3.2.3).

Every mask is boolean and ``True`` means "may attend". Shapes: ``B`` batch, ``T`` sequence length
(``T_q`` queries, ``T_k`` keys). Masks broadcast to scores ``(B, H, T_q, T_k)``.
"""

import torch

from solutions import PAD


def padding_mask(ids, pad_id=PAD):
    """Which keys are real tokens.

    Args:
        ids: token ids ``(B, T)``, int64.
        pad_id: the id of the padding token.

    Returns:
        Boolean ``(B, 1, 1, T)`` on the device of ``ids``: ``False`` where a token is padding.

    Source: the two axes of length 1 broadcast over heads and queries (the chapter on masks, "Mask broadcasting").
    """
    ### BEGIN SOLUTION
    return (ids != pad_id)[:, None, None, :]
    ### END SOLUTION


def causal_mask(size, device=None):
    """Which keys are not in the future of a query.

    Args:
        size: sequence length ``T``.
        device: where to put the mask; ``None``: PyTorch's default.

    Returns:
        Boolean ``(T, T)``: entry ``(i, j)`` is ``True`` where ``j <= i``.

    Source: Vaswani et al. 2017, section 3.2.3 (masking in the decoder's self-attention).
    """
    ### BEGIN SOLUTION
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()
    ### END SOLUTION


def decoder_mask(ids, pad_id=PAD):
    """Padding and causal masks together, for the self-attention of a decoder.

    Args:
        ids: token ids ``(B, T)``, int64.
        pad_id: the id of the padding token.

    Returns:
        Boolean ``(B, 1, T, T)`` on the device of ``ids``: ``True`` where the key is a real token *and*
        is not in the query's future. Rows of padded queries get no special treatment.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    ### BEGIN SOLUTION
    return padding_mask(ids, pad_id) & causal_mask(ids.shape[-1], device=ids.device)
    ### END SOLUTION


def apply_mask(scores, mask):
    """Scores with minus infinity where attention is not allowed.

    Args:
        scores: ``(..., T_q, T_k)``, any float type.
        mask: boolean, broadcasts to ``scores``; ``True`` means "may attend".

    Returns:
        A tensor like ``scores``: unchanged where the mask is ``True``, ``-inf`` where it is ``False``.

    Source: Vaswani et al. 2017, section 3.2.3 ("setting to minus infinity").
    """
    ### BEGIN SOLUTION
    return scores.masked_fill(~mask, float("-inf"))
    ### END SOLUTION


def masked_softmax(scores, mask, dim=-1):
    """Softmax over the allowed positions alone.

    Args:
        scores: ``(..., T_q, T_k)``, any float type.
        mask: boolean, broadcasts to ``scores``; ``True`` means "may attend".
        dim: the axis whose entries will sum to 1.

    Returns:
        Weights like ``scores``: exactly 0 where the mask is ``False``. Where nothing along ``dim``
        is allowed, all weights are 0 (not NaN, not uniform) and the gradients are finite.

    Source: the chapter on masks, "Rows with nothing to attend to".
    """
    ### BEGIN SOLUTION
    mask = mask.broadcast_to(scores.shape)
    nothing = ~mask.any(dim, keepdim=True)
    # Without the second fill such a row is -inf throughout, and its softmax (and gradient) is NaN.
    scores = apply_mask(scores, mask).masked_fill(nothing, 0.0)
    return scores.softmax(dim).masked_fill(nothing, 0.0)
    ### END SOLUTION


def to_key_padding_mask(mask):
    """A padding mask in the form that ``nn.MultiheadAttention`` wants.

    Args:
        mask: this course's padding mask, boolean ``(B, 1, 1, T)``, ``True`` means "may attend".

    Returns:
        Boolean ``(B, T)``, ``True`` means "ignore": the ``key_padding_mask`` of PyTorch.

    Source: documentation of ``torch.nn.MultiheadAttention``.
    """
    ### BEGIN SOLUTION
    return ~mask[:, 0, 0, :]
    ### END SOLUTION


def test_decoder_mask(decoder_mask):
    """A test of `decoder_mask`: it returns for a right implementation and raises for a wrong one.

    Args:
        decoder_mask: the implementation to test, called as in Task 3. It comes in many styles: with or without loops,
            and its result may be a view.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    ids = torch.tensor([[0, 5, 6, 7], [5, 6, 0, 0], [0, 0, 0, 0]])
    for pad_id in (0, 6):
        mask = decoder_mask(ids, pad_id)
        assert mask.shape == (3, 1, 4, 4)
        assert mask.dtype == torch.bool
        for b in range(3):
            for query in range(4):
                for key in range(4):
                    assert mask[b, 0, query, key] == (key <= query and ids[b, key] != pad_id)
    ### END SOLUTION
