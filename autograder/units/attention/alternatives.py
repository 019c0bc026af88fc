"""Right implementations of the tasks of attention, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import math
import warnings
from collections.abc import Callable

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from autograder.course.catalogue import alternative

# ---------------------------------------------------------------------------------------------------------------------
# softmax


@alternative("attention.softmax", "library-call")
def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return F.softmax(x, dim=dim)


@alternative("attention.softmax", "log-sum-exp")
def softmax(x, dim=-1):
    return torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))


@alternative("attention.softmax", "maximum-detached")
def softmax(x, dim=-1):
    # The shift cancels, so leaving it out of the graph changes no gradient.
    largest = x.detach().max(dim=dim, keepdim=True).values
    e = torch.exp(torch.sub(x, largest))
    return torch.div(e, torch.sum(e, dim=dim, keepdim=True))


@alternative("attention.softmax", "row-by-row")
def softmax(x, dim=-1):
    print("softmax of", tuple(x.shape))

    def one_row(row):
        e = (row - max(row.tolist())).exp()
        return e / e.sum()

    moved = x.movedim(dim, -1)
    rows = [one_row(row) for row in moved.reshape(-1, moved.shape[-1])]
    return torch.stack(rows).reshape(moved.shape).movedim(-1, dim)


@alternative("attention.softmax", "computed-in-float64")
def softmax(x, dim=-1):
    wide = x.double()
    e = torch.exp(wide - wide.amax(dim=dim, keepdim=True))
    return (e * e.sum(dim=dim, keepdim=True).reciprocal()).to(x.dtype)


@alternative("attention.softmax", "one-over-sum-of-ratios")
def softmax(x, dim=-1):
    """Each weight as 1 / sum_j exp(x_j - x_i): needs no maximum: a term too large for exp means a weight near 0."""
    rows = x.transpose(dim, -1)
    # Only finite scores take part, so that -inf - (-inf) is never formed.
    finite = rows > float("-inf")
    safe = rows.masked_fill(~finite, 0.0)
    differences = safe.unsqueeze(-2) - safe.unsqueeze(-1)
    ratios = differences.clamp(max=80.0).exp() * finite.unsqueeze(-2)
    return (finite / ratios.sum(-1)).to(x.dtype).transpose(dim, -1)


# ---------------------------------------------------------------------------------------------------------------------
# attention_scores


@alternative("attention.attention_scores", "einsum")
def attention_scores(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...id,...jd->...ij", q, k) * q.size(-1) ** -0.5


@alternative("attention.attention_scores", "queries-scaled-first")
def attention_scores(q, k):
    scale = 1 / math.sqrt(k.size(-1))
    return torch.matmul(q * scale, k.mT)


@alternative("attention.attention_scores", "both-scaled-by-the-fourth-root")
def attention_scores(q, k):
    root = q.shape[-1] ** 0.25
    return (q / root) @ (k / root).swapaxes(-1, -2)


@alternative("attention.attention_scores", "tensor-square-root")
def attention_scores(q, k):
    d_k = torch.tensor(q.shape[-1], dtype=q.dtype)
    return torch.matmul(q, k.transpose(-1, -2)) / torch.sqrt(d_k)


@alternative("attention.attention_scores", "broadcast-and-sum")
def attention_scores(q, k):
    warnings.warn("this needs T_q * T_k * d_k numbers")
    products = q.unsqueeze(-2) * k.unsqueeze(-3)
    return products.sum(dim=-1) / math.sqrt(q.shape[-1])


@alternative("attention.attention_scores", "loops")
def attention_scores(q, k):
    columns = []
    for j in range(k.shape[-2]):
        columns.append((q * k[..., j : j + 1, :]).sum(-1) / math.sqrt(q.shape[-1]))
    return torch.stack(columns, dim=-1)


@alternative("attention.attention_scores", "flattened-baddbmm")
def attention_scores(q, k):
    *leading, t_q, d_k = q.shape
    t_k = k.shape[-2]
    flat_q, flat_k = q.reshape(-1, t_q, d_k), k.reshape(-1, t_k, d_k)
    nothing = torch.zeros(1, 1, 1, dtype=q.dtype, device=q.device)
    scores = torch.baddbmm(nothing, flat_q, flat_k.transpose(1, 2), beta=0, alpha=1 / math.sqrt(d_k))
    return scores.reshape(*leading, t_q, t_k)


# ---------------------------------------------------------------------------------------------------------------------
# scaled_dot_product_attention


@alternative("attention.scaled_dot_product_attention", "nan-to-num-after-masked-fill")
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    # masked_fill sends no gradient back to what it filled, so the NaN of an empty row ends here.
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    p_attn = torch.nan_to_num(scores.softmax(dim=-1))
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, v), p_attn


@alternative("attention.scaled_dot_product_attention", "lowest-number-then-zeros")
def scaled_dot_product_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    dropout: Callable[[Tensor], Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
    if mask is None:
        weights = F.softmax(scores, dim=-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = F.softmax(torch.where(mask, scores, lowest), dim=-1)
        weights = torch.where(mask, weights, torch.zeros_like(weights))
    weights = dropout(weights) if dropout else weights
    return torch.einsum("...ij,...jd->...id", weights, v), weights


@alternative("attention.scaled_dot_product_attention", "minus-a-billion-times-mask")
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scale = q.shape[-1] ** -0.5
    weights = (q * scale) @ k.mT
    if mask is None:
        weights = weights.softmax(-1)
    else:
        weights = weights.masked_fill(mask.logical_not(), -1e9).softmax(-1) * mask
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@alternative("attention.scaled_dot_product_attention", "query-by-query")
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    *leading, t_q, t_k = *q.shape[:-1], k.shape[-2]
    allowed = torch.ones(1, dtype=torch.bool) if mask is None else mask
    allowed = allowed.expand(*leading, t_q, t_k).reshape(-1, t_q, t_k)
    flat_q, flat_k = q.reshape(-1, t_q, q.shape[-1]), k.reshape(-1, t_k, k.shape[-1])
    matrices = []
    for queries, keys, may in zip(flat_q, flat_k, allowed):
        rows = []
        for query, may_see in zip(queries, may):
            row = torch.zeros(t_k, dtype=q.dtype, device=q.device)
            if may_see.any():
                seen = may_see.nonzero().squeeze(-1)
                row = row.index_put((seen,), torch.softmax(keys[seen] @ query / math.sqrt(q.shape[-1]), 0))
            rows.append(row)
        matrices.append(torch.stack(rows))
    weights = torch.stack(matrices).reshape(*leading, t_q, t_k)
    if callable(dropout):
        weights = dropout(weights)
    return weights @ v, weights


@alternative("attention.scaled_dot_product_attention", "fused-kernel-without-dropout")
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    def weigh():
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is None:
            return torch.softmax(scores, -1)
        scores = scores.masked_fill(~mask, -math.inf)
        empty = torch.isinf(scores).all(dim=-1, keepdim=True)
        return torch.softmax(torch.where(empty, torch.zeros_like(scores), scores), -1) * ~empty

    weights = weigh()
    if dropout is None:
        if mask is None:
            return F.scaled_dot_product_attention(q, k, v), weights
        # What the kernel does with empty rows depends on PyTorch's version, so it never sees one.
        some = mask.any(-1, keepdim=True)
        output = F.scaled_dot_product_attention(q, k, v, attn_mask=mask | ~some)
        return torch.where(some, output, torch.zeros_like(output)), weights
    weights = dropout(weights)
    return weights.matmul(v), weights


@alternative("attention.scaled_dot_product_attention", "masked-log-sum-exp")
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    s = q @ k.transpose(-1, -2) / torch.sqrt(torch.tensor(k.shape[-1], dtype=q.dtype))
    if mask is not None:
        blocked = torch.logical_not(mask).expand(s.shape)
        s = s.masked_fill(blocked, float("-inf"))
        # An empty row gets finite scores for the sum, and weight 0 through the exponent -inf.
        total = s.masked_fill(blocked.all(-1, keepdim=True), 0.0).logsumexp(-1, keepdim=True)
    else:
        total = s.logsumexp(-1, keepdim=True)
    weights = (s - total).exp()
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@alternative("attention.scaled_dot_product_attention", "library-with-unit-values")
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    # The weighted averages of the unit vectors are the weights.
    units = torch.eye(k.shape[-2], dtype=q.dtype, device=q.device).expand(*k.shape[:-1], k.shape[-2])
    weights = F.scaled_dot_product_attention(q, k, units, attn_mask=mask)
    weights = weights if dropout is None else dropout(weights)
    return weights @ v, weights


@alternative("attention.scaled_dot_product_attention", "sink-for-empty-rows")
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf)
    # A last column with the lowest score takes the whole weight of rows that are empty, and nothing of the others.
    sink = torch.full_like(scores[..., :1], torch.finfo(scores.dtype).min)
    weights = torch.cat([scores, sink], -1).softmax(-1)[..., :-1]
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@alternative("attention.scaled_dot_product_attention", "keys-times-queries-transposed-back")
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(k, q)
    if mask is not None:
        columns = mask.transpose(-1, -2)
        empty = ~columns.any(-2, keepdim=True)
        scores = scores.masked_fill(~columns, -math.inf).masked_fill(empty, 0.0)
    weights = scores.softmax(-2)
    if mask is not None:
        weights = weights.masked_fill(empty, 0.0)
    weights = weights.transpose(-1, -2)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@alternative("attention.scaled_dot_product_attention", "nan-to-num-at-the-end")
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


# ---------------------------------------------------------------------------------------------------------------------
# SelfAttention


@alternative("attention.SelfAttention", "one-fused-product")
class SelfAttention(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        for name in ("w_v", "w_k", "w_q"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=True))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        layers = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in layers])
        bias = torch.cat([layer.bias for layer in layers])
        q, k, v = F.linear(x, weight, bias).split(self.d_model, dim=-1)
        return scaled_dot_product_attention(q, k, v, mask=mask)


@alternative("attention.SelfAttention", "all-written-out")
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q, self.w_k, self.w_v = [nn.Linear(d_model, d_model) for _ in range(3)]
        self.register_buffer("scale", torch.tensor(d_model, dtype=torch.float64).sqrt())
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, x, mask=None):
        query, key, value = self.w_q(x), self.w_k(x), self.w_v(x)
        scores = torch.bmm(query, key.transpose(1, 2)) / self.scale
        if mask is not None:
            scores = scores.masked_fill(mask == False, torch.finfo(scores.dtype).min)  # noqa: E712
        weights = F.softmax(scores, dim=2)
        if mask is not None:
            weights = weights.masked_fill(mask == False, 0)  # noqa: E712
        self.attention = weights
        return torch.bmm(weights, value), weights


@alternative("attention.SelfAttention", "sequence-by-sequence")
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        nn.Module.__init__(self)
        print("a head of width", d_model)
        self.w_q = nn.Linear(in_features=d_model, out_features=d_model)
        self.w_k = nn.Linear(in_features=d_model, out_features=d_model)
        self.w_v = nn.Linear(in_features=d_model, out_features=d_model)
        self.unused = nn.Parameter(torch.ones(3))

    def project(self, layer, x):
        return x @ layer.weight.T + layer.bias

    def forward(self, x, mask=None):
        outputs, weights = [], []
        for b, sequence in enumerate(x):
            if mask is None or mask.dim() == 2:
                own = mask
            else:
                own = mask[b] if mask.shape[0] > 1 else mask[0]
            q, k, v = (self.project(layer, sequence) for layer in (self.w_q, self.w_k, self.w_v))
            output, weight = scaled_dot_product_attention(q, k, v, own)
            outputs.append(output)
            weights.append(weight)
        return torch.stack(outputs), torch.stack(weights)


@alternative("attention.SelfAttention", "as-one-head-of-many")
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(0.0)

    def forward(self, x, mask=None):
        warnings.warn("one head only")
        q, k, v = (layer(x).unsqueeze(1) for layer in (self.w_q, self.w_k, self.w_v))
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)
        return output.squeeze(1), weights.squeeze(1)


@alternative("attention.SelfAttention", "averages-then-projects")
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model) for _ in range(3))

    def forward(self, x, mask=None):
        average, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), x, mask)
        # The weights sum to 1, or to 0 where nothing may be attended: there the bias stays away too.
        return average @ self.w_v.weight.T + weights.sum(-1, keepdim=True) * self.w_v.bias, weights


@alternative("attention.SelfAttention", "keys-never-made")
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model) for _ in range(3))

    def forward(self, x, mask=None):
        # q (W x + b) = (q W) x + q b, and what is the same for all keys cancels in the softmax.
        queries = self.w_q(x) @ self.w_k.weight
        return scaled_dot_product_attention(queries, x, self.w_v(x), mask)


# ---------------------------------------------------------------------------------------------------------------------
# CrossAttention


@alternative("attention.CrossAttention", "child-of-self-attention")
class CrossAttention(SelfAttention):
    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask, dropout=None)


@alternative("attention.CrossAttention", "fused-keys-and-values")
class CrossAttention(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_q = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        weight = torch.cat([self.w_k.weight, self.w_v.weight], dim=0)
        bias = torch.cat([self.w_k.bias, self.w_v.bias], dim=0)
        k, v = F.linear(memory, weight, bias).chunk(2, dim=-1)
        return scaled_dot_product_attention(q=self.w_q(x), k=k, v=v, mask=mask)


@alternative("attention.CrossAttention", "einsum-written-out")
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.scale = d_model**-0.5
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        scores = torch.einsum("bqd,bkd->bqk", self.w_q(x) * self.scale, self.w_k(memory))
        if mask is not None:
            allowed = mask.expand_as(scores)
            empty = ~allowed.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~(allowed | empty), -torch.inf)
            weights = scores.softmax(dim=-1) * allowed
        else:
            weights = scores.softmax(dim=-1)
        return torch.einsum("bqk,bkd->bqd", weights, self.w_v(memory)), weights


@alternative("attention.CrossAttention", "position-by-position")
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, memory, mask=None):
        k, v = self.w_k(memory), self.w_v(memory)
        allowed = None if mask is None else mask.expand(x.shape[0], x.shape[1], memory.shape[1])
        steps = []
        for t in range(x.shape[1]):
            q = self.w_q(x[:, t : t + 1])
            steps.append(scaled_dot_product_attention(q, k, v, None if allowed is None else allowed[:, t : t + 1]))
        outputs, weights = zip(*steps)
        return torch.cat(outputs, dim=1), torch.cat(weights, dim=1)
