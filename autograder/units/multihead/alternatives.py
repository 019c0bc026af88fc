"""Right implementations of the tasks of many heads, in other styles than the reference. All must pass every check."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.

import copy
import math
import types
import warnings

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.course.catalogue import alternative
from solutions.attention import scaled_dot_product_attention
from solutions.multihead import MultiHeadAttention as Reference

# ---------------------------------------------------------------------------------------------------------------------
# split_heads


@alternative("multihead.split_heads", "view-and-permute")
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.size()
    head_width, rest = divmod(width, num_heads)
    if rest:
        raise ValueError(f"num_heads={num_heads} does not divide {width}")
    return x.view(batch, length, num_heads, head_width).permute(0, 2, 1, 3).contiguous()


@alternative("multihead.split_heads", "unflatten")
def split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


@alternative("multihead.split_heads", "chunks-stacked")
def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("uneven")
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@alternative("multihead.split_heads", "number-by-number")
def split_heads(x, num_heads):
    b, t, d = x.shape
    assert d % num_heads == 0, "any error will do here"
    width = d // num_heads
    out = torch.empty(b, num_heads, t, width, dtype=x.dtype, device=x.device)
    for h in range(num_heads):
        for j in range(width):
            out[:, h, :, j] = x[:, :, h * width + j]
    return out


@alternative("multihead.split_heads", "split-by-width-with-einsum")
def split_heads(x, num_heads):
    print("splitting", tuple(x.shape))
    b, t, d = x.shape
    if d / num_heads != d // num_heads:
        raise RuntimeError("the heads would be uneven")
    return torch.einsum("bthd->bhtd", x.reshape(b, t, num_heads, -1))


@alternative("multihead.split_heads", "strides-by-hand")
def split_heads(x, num_heads):
    b, t, d = x.shape
    if d % num_heads:
        raise ValueError("uneven")
    s = x.stride()
    width = d // num_heads
    return x.as_strided((b, num_heads, t, width), (s[0], width * s[2], s[1], s[2]), x.storage_offset())


# ---------------------------------------------------------------------------------------------------------------------
# merge_heads


@alternative("multihead.merge_heads", "contiguous-then-view")
def merge_heads(x):
    b, h, t, d_head = x.shape
    return x.transpose(1, 2).contiguous().view(b, t, h * d_head)


@alternative("multihead.merge_heads", "concatenates-heads")
def merge_heads(x):
    return torch.cat(x.unbind(1), dim=-1)


@alternative("multihead.merge_heads", "permute-and-reshape")
def merge_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), -1)


@alternative("multihead.merge_heads", "filled-in-place")
def merge_heads(x):
    b, h, t, d_head = x.shape
    out = x.new_zeros(b, t, h * d_head)
    for head in range(h):
        out[..., head * d_head : (head + 1) * d_head] = x[:, head]
    return out


@alternative("multihead.merge_heads", "einsum")
def merge_heads(x):
    return torch.einsum("bhtd->bthd", x).flatten(start_dim=-2)


# ---------------------------------------------------------------------------------------------------------------------
# MultiHeadAttention


@alternative("multihead.MultiHeadAttention", "annotated-style")
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model {d_model} is no multiple of num_heads {num_heads}")
        self.d_k, self.h = d_model // num_heads, num_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.drop = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        batches = query.size(0)
        query, key, value = [
            layer(x).view(batches, -1, self.h, self.d_k).transpose(1, 2)
            for layer, x in zip((self.w_q, self.w_k, self.w_v), (query, key, value))
        ]
        x, self.weights = scaled_dot_product_attention(query, key, value, mask=mask, dropout=self.drop)
        x = x.transpose(1, 2).contiguous().view(batches, -1, self.h * self.d_k)
        return self.w_o(x)


@alternative("multihead.MultiHeadAttention", "head-by-head")
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError("uneven heads")
        for name in ("w_o", "w_v", "w_k", "w_q"):
            setattr(self, name, nn.Linear(d_model, d_model))
        self.heads = num_heads
        self.p = dropout
        self.weights = []

    def forward(self, query, key, value, mask=None):
        out = self.w_o.bias
        kept = []
        parts = [
            (layer.weight.chunk(self.heads, 0), layer.bias.chunk(self.heads))
            for layer in (self.w_q, self.w_k, self.w_v)
        ]
        for h, columns in enumerate(self.w_o.weight.chunk(self.heads, 1)):
            q, k, v = (F.linear(x, w[h], b[h]) for x, (w, b) in zip((query, key, value), parts))
            own = mask
            if mask is not None and mask.dim() == 4:
                own = mask[:, h if mask.shape[1] > 1 else 0]
            found, weights = scaled_dot_product_attention(
                q, k, v, own, lambda w: F.dropout(w, self.p, training=self.training)
            )
            kept.append(weights)
            out = out + found @ columns.T
        self.weights = torch.stack(kept, dim=1)
        return out


@alternative("multihead.MultiHeadAttention", "einsum-with-weights-kept-before-dropout")
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        if d_model % num_heads != 0:
            raise ValueError("uneven heads")
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.num_heads = num_heads
        self.scale = (d_model // num_heads) ** -0.5

    def forward(self, query, key, value, mask=None):
        q = self.w_q(query).unflatten(-1, (self.num_heads, -1)) * self.scale
        k = self.w_k(key).unflatten(-1, (self.num_heads, -1))
        v = self.w_v(value).unflatten(-1, (self.num_heads, -1))
        scores = torch.einsum("bqhc,bkhc->bhqk", q, k)
        if mask is not None:
            allowed = mask.expand_as(scores)
            empty = ~allowed.any(-1, keepdim=True)
            weights = torch.where(allowed | empty, scores, -torch.inf).softmax(-1) * allowed
        else:
            weights = scores.softmax(-1)
        self.weights = weights.detach()
        return self.w_o(torch.einsum("bhqk,bkhc->bqhc", self.dropout(weights), v).flatten(2))


@alternative("multihead.MultiHeadAttention", "fused-projections")
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.attn_dropout = nn.Dropout(dropout)
        self.register_buffer("calls", torch.zeros((), dtype=torch.long), persistent=False)

    def forward(self, query, key, value, mask=None):
        self.calls += 1
        if query is key and key is value:
            layers = self.w_q, self.w_k, self.w_v
            weight, bias = torch.cat([one.weight for one in layers]), torch.cat([one.bias for one in layers])
            q, k, v = F.linear(query, weight, bias).chunk(3, dim=-1)
        else:
            q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        q, k, v = (split_heads(x, self.num_heads) for x in (q, k, v))
        heads, self.weights = scaled_dot_product_attention(q, k, v, mask, self.attn_dropout)
        return self.w_o(merge_heads(heads))


@alternative("multihead.MultiHeadAttention", "heads-joined-to-the-batch")
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError("uneven heads")
        self.d_model, self.num_heads, self.d_head = d_model, num_heads, d_model // num_heads
        self.w_q, self.w_k, self.w_v, self.w_o = [nn.Linear(d_model, d_model, bias=True) for _ in range(4)]
        self.dropout = nn.Dropout(dropout)
        self.weights = torch.zeros(0)

    def _fold(self, x):
        return x.view(x.shape[0], -1, self.num_heads, self.d_head).transpose(1, 2).reshape(-1, x.shape[1], self.d_head)

    def forward(self, query, key, value, mask=None):
        b, t_q, t_k = query.shape[0], query.shape[1], key.shape[1]
        q, k, v = self._fold(self.w_q(query)), self._fold(self.w_k(key)), self._fold(self.w_v(value))
        if mask is not None:
            mask = mask.expand(b, self.num_heads, t_q, t_k).reshape(-1, t_q, t_k)
        out, weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)
        self.weights = weights.view(b, self.num_heads, t_q, t_k)
        out = out.view(b, self.num_heads, t_q, self.d_head).transpose(1, 2)
        return self.w_o(out.reshape(b, t_q, self.d_model))


@alternative("multihead.MultiHeadAttention", "torch-attention-with-unit-vectors")
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("uneven heads")
        self.num_heads = num_heads
        self.w_q, self.w_k = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.w_v, self.w_o = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self._last = None

    @property
    def weights(self):
        return self._last

    def forward(self, query, key, value, mask=None):
        warnings.warn("the weights are asked of PyTorch, too")
        q, k, v = (
            split_heads(layer(x), self.num_heads)
            for layer, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value))
        )
        nothing = None
        if mask is not None:
            nothing = ~mask.any(-1, keepdim=True)
            mask = mask | nothing
        units = torch.eye(k.shape[-2], dtype=k.dtype, device=k.device).expand(*k.shape[:-1], k.shape[-2])
        weights = F.scaled_dot_product_attention(q, k, units, attn_mask=mask)
        if nothing is not None:
            weights = weights.masked_fill(nothing, 0)
        self._last = weights
        return self.w_o(merge_heads(self.dropout(weights) @ v))


@alternative("multihead.MultiHeadAttention", "child-of-a-list")
class MultiHeadAttention(nn.Module):
    """Keeps its layers in a list as well, and its settings in a dictionary."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.settings = {"d_model": d_model, "num_heads": num_heads}
        if d_model % num_heads != 0:
            raise ValueError(f"{self.settings}")
        self.linears = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(4))
        self.w_q, self.w_k, self.w_v, self.w_o = self.linears
        self.unused = nn.Parameter(torch.ones(2))
        self.dropout_p = dropout

    def forward(self, query, key, value, mask=None):
        outputs, kept = [], []
        for i in range(len(query)):  # one sequence at a time
            q, k, v = (
                layer(x[i]).unflatten(-1, (self.settings["num_heads"], -1)).transpose(0, 1)
                for layer, x in zip(self.linears, (query, key, value))
            )
            own = mask if mask is None or mask.dim() == 2 else mask[i]
            dropout = nn.Dropout(self.dropout_p).train(self.training)
            heads, weights = scaled_dot_product_attention(q, k, v, own, dropout)
            outputs.append(heads.transpose(0, 1).flatten(1))
            kept.append(weights)
        self.weights = torch.stack(kept)
        return self.w_o(torch.stack(outputs))


# ---------------------------------------------------------------------------------------------------------------------
# attention_parameters


@alternative("multihead.attention_parameters", "closed-form")
def attention_parameters(d_model, num_heads, bias=True):
    return 4 * d_model**2 + (4 * d_model if bias else 0)


@alternative("multihead.attention_parameters", "asks-a-module")
def attention_parameters(d_model, num_heads, bias=True):
    module = Reference(d_model, num_heads)
    return sum(p.numel() for name, p in module.named_parameters() if bias or not name.endswith("bias"))


@alternative("multihead.attention_parameters", "head-by-head")
def attention_parameters(d_model: int, num_heads: int, bias: bool = True) -> int:
    width = d_model // num_heads
    total = 0
    for _ in range(num_heads):
        for _ in ("query", "key", "value"):
            total += d_model * width
            if bias:
                total += width
        total += width * d_model  # the columns of w_o that read this head
    return total + (d_model if bias else 0)


@alternative("multihead.attention_parameters", "from-shapes")
def attention_parameters(d_model, num_heads, bias=True):
    shapes = [(d_model, d_model)] * 4
    if bias:
        shapes += [(d_model,)] * 4
    return int(sum(math.prod(shape) for shape in shapes))


@alternative("multihead.attention_parameters", "four-layers")
def attention_parameters(d_model, num_heads, bias=True):
    return 4 * d_model * (d_model + bool(bias))


# ---------------------------------------------------------------------------------------------------------------------
# ablate_head


@alternative("multihead.ablate_head", "sets-the-weights-aside")
def ablate_head(module, head):
    if head not in range(module.num_heads):
        raise ValueError(f"no head {head}")
    kept, module.weights = module.weights, None
    try:
        clone = copy.deepcopy(module)
    finally:
        module.weights = kept
    width = clone.w_o.weight.shape[1] // clone.num_heads
    clone.w_o.weight.data[:, head * width : (head + 1) * width] = 0.0
    return clone


@alternative("multihead.ablate_head", "values-erased")
def ablate_head(module, head):
    if head < 0 or head >= module.num_heads:
        raise ValueError(f"head {head} is out of range")
    module.weights = None if module.weights is None else module.weights.detach()
    clone = copy.deepcopy(module)
    with torch.no_grad():
        for tensor in (clone.w_v.weight, clone.w_v.bias):
            tensor.unflatten(0, (clone.num_heads, -1))[head].zero_()
    return clone


@alternative("multihead.ablate_head", "built-anew")
def ablate_head(module, head):
    if not head < module.num_heads:
        raise ValueError("no such head")
    d_model = module.w_q.in_features
    clone = type(module)(d_model, module.num_heads).to(module.w_q.weight)
    state = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    keep = torch.ones(module.num_heads, d_model // module.num_heads).to(module.w_q.weight)
    keep[head] = 0
    state["w_o.weight"] *= keep.flatten()
    clone.load_state_dict(state)
    return clone.train(module.training)


@alternative("multihead.ablate_head", "a-child-that-skips-the-head")
def ablate_head(module, head):
    if not 0 <= head < module.num_heads:
        raise ValueError("no such head")

    class Ablated(type(module)):
        def forward(self, query, key, value, mask=None):
            super().forward(query, key, value, mask)
            own = split_heads(self.w_v(value), self.num_heads)
            columns = self.w_o.weight.unflatten(1, (self.num_heads, -1))
            output = self.w_o.bias.expand(query.shape)
            for h in range(self.num_heads):
                if h not in self.gone:
                    output = output + self.weights[:, h] @ own[:, h] @ columns[:, h].T
            return output

    clone = Ablated(module.w_q.in_features, module.num_heads, module.dropout.p).to(module.w_q.weight.dtype)
    clone.load_state_dict(module.state_dict())
    clone.gone = getattr(module, "gone", set()) | {head}
    return clone.train(module.training)


@alternative("multihead.ablate_head", "hook-in-front-of-the-output-layer")
def ablate_head(module, head):
    if not 0 <= head < module.num_heads:
        raise ValueError("no such head")
    clone = copy.deepcopy(module, memo={id(module.weights): module.weights})
    width = module.w_o.in_features // module.num_heads

    def erase(layer, inputs):
        merged = inputs[0].clone()
        merged[..., head * width : (head + 1) * width] = 0
        return (merged,)

    clone.w_o.register_forward_pre_hook(erase)
    return clone


@alternative("multihead.ablate_head", "forward-replaced")
def ablate_head(module, head):
    if not 0 <= head < module.num_heads:
        raise ValueError("no such head")
    clone = type(module)(module.w_q.in_features, module.num_heads).to(module.w_q.weight.dtype)
    clone.load_state_dict(module.state_dict())
    clone.train(module.training)
    mask = torch.arange(module.num_heads).repeat_interleave(module.w_q.in_features // module.num_heads) != head
    clone.w_o.weight = nn.Parameter(clone.w_o.weight.detach() * mask)
    clone.extra_repr = types.MethodType(lambda self: f"without head {head}", clone)
    return clone


@alternative("multihead.MultiHeadAttention", "exponentials-by-hand")
class MultiHeadAttention(nn.Module):
    """The softmax written out, with factors 0 where the mask forbids."""

    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide a width of {d_model}")
        self.heads, self.p = num_heads, dropout
        for name in ("w_q", "w_k", "w_v", "w_o"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def forward(self, query, key, value, mask=None):
        layers = (self.w_q, query), (self.w_k, key), (self.w_v, value)
        q, k, v = (layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for layer, x in layers)
        weights = torch.exp(q @ k.mT / q.shape[-1] ** 0.5)
        if mask is not None:
            weights = weights * mask
        total = weights.sum(-1, keepdim=True)
        weights = weights / torch.where(total > 0, total, 1)
        weights = nn.functional.dropout(weights, self.p, self.training)
        self.weights = weights.detach()
        return self.w_o((weights @ v).transpose(1, 2).flatten(2))


@alternative("multihead.MultiHeadAttention", "scores-written-out")
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"num_heads must divide d_model, but d_model={d_model} and num_heads={num_heads}.")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.weights = None

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        self.weights = self.dropout(scores.softmax(-1).nan_to_num(0.0))
        return self.w_o(merge_heads(self.weights @ v))
