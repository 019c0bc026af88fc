"""Right implementations of the tasks of masks, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.

import math
import warnings

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.course.catalogue import alternative

# ---------------------------------------------------------------------------------------------------------------------
# padding_mask


@alternative("masks.padding_mask", "unsqueeze-twice")
def padding_mask(ids: Tensor, pad_id: int = 0) -> Tensor:
    return ids.ne(pad_id).unsqueeze(1).unsqueeze(2)


@alternative("masks.padding_mask", "view")
def padding_mask(ids, pad_id=0):
    batch, length = ids.size()
    return (~(ids == pad_id)).view(batch, 1, 1, length)


@alternative("masks.padding_mask", "loops")
def padding_mask(ids, pad_id=0):
    mask = torch.zeros(ids.shape[0], 1, 1, ids.shape[1], dtype=torch.bool, device=ids.device)
    for b, row in enumerate(ids.tolist()):
        for t, token in enumerate(row):
            mask[b, 0, 0, t] = token != pad_id
    return mask


@alternative("masks.padding_mask", "where-with-prints")
def padding_mask(ids, pad_id=0):
    print("ids", ids.shape)
    ones, zeros = torch.ones_like(ids), torch.zeros_like(ids)
    return torch.where(ids == pad_id, zeros, ones).bool().reshape(len(ids), 1, 1, -1)


@alternative("masks.padding_mask", "arithmetic")
def padding_mask(ids, pad_id=0):
    difference = ids - pad_id
    return difference.abs().clamp(max=1).to(torch.bool)[:, None, None]


@alternative("masks.padding_mask", "list-of-rows")
def padding_mask(ids, pad_id=0):
    rows = [[[[token != pad_id for token in row]]] for row in ids.tolist()]
    return torch.tensor(rows, device=ids.device)


# ---------------------------------------------------------------------------------------------------------------------
# causal_mask


@alternative("masks.causal_mask", "positions-compared")
def causal_mask(size: int, device=None) -> Tensor:
    positions = torch.arange(size, device=device)
    return positions[:, None] >= positions[None, :]


@alternative("masks.causal_mask", "no-future")
def causal_mask(size, device=None):
    return torch.ones(size, size, device=device).triu(diagonal=1) == 0


@alternative("masks.causal_mask", "tril-to-bool")
def causal_mask(size, device=None):
    return torch.tril(torch.ones((size, size))).bool().to(device)


@alternative("masks.causal_mask", "loops")
def causal_mask(size, device=None):
    mask = torch.zeros(size, size, dtype=torch.bool, device=device)
    for i in range(size):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


@alternative("masks.causal_mask", "lists")
def causal_mask(size, device=None):
    return torch.tensor([[j <= i for j in range(size)] for i in range(size)], device=device)


@alternative("masks.causal_mask", "tril-indices")
def causal_mask(size, device=None):
    mask = torch.full((size, size), False)
    rows, columns = torch.tril_indices(size, size)
    mask[rows, columns] = True
    return mask if device is None else mask.to(device)


@alternative("masks.causal_mask", "running-sum")
def causal_mask(size, device=None):
    return torch.eye(size, dtype=torch.long, device=device).cumsum(dim=0) > 0


@alternative("masks.causal_mask", "warns-about-the-device")
def causal_mask(size, device=None):
    if device is None:
        warnings.warn("no device given, using the default", stacklevel=2)
        device = torch.get_default_device() if hasattr(torch, "get_default_device") else "cpu"
    return torch.logical_not(torch.triu(torch.ones(size, size, dtype=torch.bool, device=device), 1))


@alternative("masks.causal_mask", "pytorch-additive-mask-compared")
def causal_mask(size, device=None):
    return torch.nn.Transformer.generate_square_subsequent_mask(size, device=device) == 0


# ---------------------------------------------------------------------------------------------------------------------
# decoder_mask


@alternative("masks.decoder_mask", "logical-and")
def decoder_mask(ids: Tensor, pad_id: int = 0) -> Tensor:
    return torch.logical_and(padding_mask(ids, pad_id), causal_mask(ids.size(1)).to(ids.device))


@alternative("masks.decoder_mask", "from-scratch")
def decoder_mask(ids, pad_id=0):
    batch, length = ids.shape
    keys = (ids != pad_id).view(batch, 1, 1, length).expand(batch, 1, length, length)
    return torch.tril(keys)


@alternative("masks.decoder_mask", "loops")
def decoder_mask(ids, pad_id=0):
    batch, length = ids.shape
    mask = torch.zeros(batch, 1, length, length, dtype=torch.bool, device=ids.device)
    for b in range(batch):
        for i in range(length):
            for j in range(i + 1):
                mask[b, 0, i, j] = bool(ids[b, j] != pad_id)
    return mask


@alternative("masks.decoder_mask", "product-of-masks")
def decoder_mask(ids, pad_id=0):
    return padding_mask(ids, pad_id=pad_id) * causal_mask(ids.shape[1], ids.device)


@alternative("masks.decoder_mask", "forbidden-united")
def decoder_mask(ids, pad_id=0):
    length = ids.shape[-1]
    future = torch.ones(length, length, dtype=torch.bool, device=ids.device).triu(1)
    padding = ids.eq(pad_id)[:, None, None, :]
    return ~(padding | future)


@alternative("masks.decoder_mask", "one-sequence-at-a-time")
def decoder_mask(ids, pad_id=0):
    def one(row):
        return causal_mask(len(row), row.device) & (row != pad_id)

    return torch.stack([one(row) for row in ids]).unsqueeze(1)


@alternative("masks.decoder_mask", "lower-triangle-of-the-expanded-padding-mask")
def decoder_mask(ids, pad_id=0):
    batch, length = ids.shape
    return padding_mask(ids, pad_id).expand(batch, 1, length, length).tril()


# ---------------------------------------------------------------------------------------------------------------------
# apply_mask


@alternative("masks.apply_mask", "where-with-a-number")
def apply_mask(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask, scores, -torch.inf)


@alternative("masks.apply_mask", "where-with-a-scalar-tensor")
def apply_mask(scores, mask):
    return torch.where(mask, scores, torch.tensor(float("-inf"), dtype=scores.dtype, device=scores.device))


@alternative("masks.apply_mask", "where-with-full")
def apply_mask(scores, mask):
    return torch.where(mask, scores, torch.full_like(scores, -math.inf))


@alternative("masks.apply_mask", "bias-added")
def apply_mask(scores, mask):
    bias = scores.new_zeros(mask.shape)
    bias[mask.logical_not()] = float("-inf")
    return scores + bias


@alternative("masks.apply_mask", "bias-from-logarithm")
def apply_mask(scores, mask):
    return scores + mask.to(scores.dtype).log()


@alternative("masks.apply_mask", "copy-then-assign")
def apply_mask(scores, mask):
    result = scores.clone()
    result[~mask.expand_as(scores)] = -float("inf")
    return result


@alternative("masks.apply_mask", "copy-then-fill-in-place")
def apply_mask(scores, mask):
    return scores.clone().masked_fill_(mask == 0, float("-inf"))


@alternative("masks.apply_mask", "masked-scatter-into-minus-infinity")
def apply_mask(scores, mask):
    mask = mask.broadcast_to(scores.shape)
    return torch.full_like(scores, float("-inf")).masked_scatter(mask, scores[mask])


# ---------------------------------------------------------------------------------------------------------------------
# masked_softmax


@alternative("masks.masked_softmax", "lowest-number-then-zeros")
def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return F.softmax(filled, dim=dim).masked_fill(~mask, 0.0)


@alternative("masks.masked_softmax", "exponentials")
def masked_softmax(scores, mask, dim=-1):
    filled = apply_mask(scores, mask)
    largest = filled.amax(dim, keepdim=True).detach()
    largest = torch.where(largest.isinf(), torch.zeros_like(largest), largest)
    powers = (filled - largest).exp()
    total = powers.sum(dim, keepdim=True)
    return powers / torch.where(total == 0, torch.ones_like(total), total)


@alternative("masks.masked_softmax", "exponentials-with-tiny-sum")
def masked_softmax(scores, mask, dim=-1):
    filled = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    powers = torch.exp(filled - filled.amax(dim, keepdim=True)) * mask
    return powers / powers.sum(dim, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


@alternative("masks.masked_softmax", "nan-replaced")
def masked_softmax(scores, mask, dim=-1):
    # masked_fill stops the gradient at every masked position, so the NaN of an empty row goes no further.
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim)
    return torch.nan_to_num(weights, nan=0.0)


@alternative("masks.masked_softmax", "minus-one-billion-then-product")
def masked_softmax(scores, mask, dim=-1):
    return torch.softmax(torch.where(mask, scores, -1e9), dim) * mask.to(scores.dtype)


@alternative("masks.masked_softmax", "empty-rows-opened-then-closed")
def masked_softmax(scores, mask, dim=-1):
    mask = mask.expand(scores.shape)
    something = mask.any(dim=dim, keepdim=True)
    opened = mask | ~something
    weights = torch.softmax(apply_mask(scores, opened), dim=dim)
    return torch.where(something, weights, torch.zeros_like(weights))


@alternative("masks.masked_softmax", "logarithms")
def masked_softmax(scores, mask, dim=-1):
    mask = mask.broadcast_to(scores.shape)
    empty = mask.sum(dim, keepdim=True) == 0
    logs = torch.log_softmax(apply_mask(scores, mask | empty), dim)
    return logs.exp().masked_fill(~mask, 0)


@alternative("masks.masked_softmax", "row-by-row")
def masked_softmax(scores, mask, dim=-1):
    moved = scores.transpose(dim, -1)
    allowed = mask.broadcast_to(scores.shape).transpose(dim, -1).reshape(-1, moved.shape[-1])
    rows = []
    for row, keep in zip(moved.reshape(-1, moved.shape[-1]), allowed):
        weights = torch.zeros_like(row)
        if keep.any():
            weights[keep] = row[keep].softmax(0)
        rows.append(weights)
    return torch.stack(rows).reshape(moved.shape).transpose(dim, -1)


@alternative("masks.masked_softmax", "computed-in-float64")
def masked_softmax(scores, mask, dim=-1):
    wide = scores.double().masked_fill(~mask, -1e300)
    return (wide.softmax(dim) * mask).to(scores.dtype)


@alternative("masks.masked_softmax", "sink-for-empty-rows")
def masked_softmax(scores, mask, dim=-1):
    hidden = apply_mask(scores, mask)
    sink = torch.full_like(hidden.narrow(dim, 0, 1), torch.finfo(hidden.dtype).min)
    return torch.cat([hidden, sink], dim).softmax(dim).narrow(dim, 0, hidden.shape[dim])


@alternative("masks.masked_softmax", "nan-to-num-at-the-end")
def masked_softmax(scores, mask, dim=-1):
    return apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)


# ---------------------------------------------------------------------------------------------------------------------
# to_key_padding_mask


@alternative("masks.to_key_padding_mask", "squeeze-twice")
def to_key_padding_mask(mask: Tensor) -> Tensor:
    return mask.squeeze(1).squeeze(1).logical_not()


@alternative("masks.to_key_padding_mask", "flatten")
def to_key_padding_mask(mask):
    return torch.logical_not(mask.flatten(1))


@alternative("masks.to_key_padding_mask", "view")
def to_key_padding_mask(mask):
    batch, _, _, length = mask.shape
    return mask.reshape(batch, length) == False  # noqa: E712


@alternative("masks.to_key_padding_mask", "exclusive-or")
def to_key_padding_mask(mask):
    return mask[:, 0, 0] ^ True


@alternative("masks.to_key_padding_mask", "arithmetic")
def to_key_padding_mask(mask):
    return (1 - mask[:, 0, 0, :].long()).bool()


@alternative("masks.to_key_padding_mask", "loops")
def to_key_padding_mask(mask):
    batch, length = mask.shape[0], mask.shape[-1]
    ignore = torch.zeros(batch, length, dtype=torch.bool, device=mask.device)
    for b in range(batch):
        for t in range(length):
            if not mask[b, 0, 0, t]:
                ignore[b, t] = True
    return ignore
