"""The same model, faster: fused attention and layer normalisation, a loss without a table, compiled parts."""

import contextlib
import math

import torch
from torch import nn
from torch.nn import functional as F

from solutions import PAD
from solutions.blocks import LayerNorm
from solutions.losses import LabelSmoothing
from solutions.multihead import MultiHeadAttention, merge_heads, split_heads


class FusedAttention(MultiHeadAttention):
    """A `MultiHeadAttention` that leaves scores, softmax and dropout to one call of PyTorch, and keeps no weights."""

    def forward(self, query, key, value, mask=None):
        """As in `MultiHeadAttention`."""
        # One product where several projections read the same: of all three, or of keys and values.
        if query is key and key is value:
            q, k, v = self.project(query, self.w_q, self.w_k, self.w_v)
        elif key is value:
            (q,), (k, v) = self.project(query, self.w_q), self.project(key, self.w_k, self.w_v)
        else:
            (q,), (k,), (v,) = self.project(query, self.w_q), self.project(key, self.w_k), self.project(value, self.w_v)
        dropout = self.dropout.p if self.training else 0.0
        return self.w_o(merge_heads(F.scaled_dot_product_attention(q, k, v, mask, dropout)))

    def project(self, x, *layers):
        """What these linear layers make of ``x``, each cut into heads."""
        weight = torch.cat([layer.weight for layer in layers])
        bias = torch.cat([layer.bias for layer in layers])
        return [split_heads(part, self.num_heads) for part in F.linear(x, weight, bias).chunk(len(layers), dim=-1)]


class FusedLayerNorm(LayerNorm):
    """A `LayerNorm` that is one call of PyTorch."""

    def forward(self, x):
        """As in `LayerNorm`."""
        return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.eps)


FUSED = {MultiHeadAttention: FusedAttention, LayerNorm: FusedLayerNorm}


@contextlib.contextmanager
def replaced(model, classes):
    """While it lasts, the modules of a model have other classes, with the same parameters."""
    changed = [(module, type(module)) for module in model.modules() if type(module) in classes]
    for module, own in changed:
        module.__class__ = classes[own]
    try:
        yield model
    finally:
        for module, own in changed:
            module.__class__ = own


def faster_classes(config):
    """What `replaced` puts in for the switches of a `TranslationConfig`."""
    attention = {MultiHeadAttention: FusedAttention} if config.sdpa else {}
    return attention | ({LayerNorm: FusedLayerNorm} if config.kernels else {})


def fused(model):
    """A context in which a model computes the same with fewer, larger calls, and keeps no attention weights."""
    return replaced(model, FUSED)


class SmoothedSum(torch.autograd.Function):
    """The part of `LabelSmoothing` that depends on ``x``: minus the sum of ``true_dist * x``, without the table."""

    @staticmethod
    def forward(ctx, x, target, padding, confidence, rest):
        """From three numbers of each row: its sum, and its entries at the target and at padding."""
        ctx.save_for_backward(target)
        ctx.values = x.shape, x.dtype, padding, confidence, rest
        at_target = x.gather(1, target[:, None]).squeeze(1)
        rows = confidence * at_target + rest * (x.sum(1) - x[:, padding] - at_target)
        return -rows.masked_fill(target == padding, 0.0).sum()

    @staticmethod
    def backward(ctx, gradient):
        """Minus the table, which has three different values, times the gradient of the sum."""
        (target,) = ctx.saved_tensors
        shape, dtype, padding, confidence, rest = ctx.values
        table = torch.full(shape, -rest, dtype=dtype, device=target.device)
        table.scatter_(1, target[:, None], -confidence)
        table[:, padding] = 0
        table *= (gradient * (target != padding))[:, None]
        return table, None, None, None, None


class ClosedLabelSmoothing(LabelSmoothing):
    """`LabelSmoothing` in two passes over the predictions, one forward and one backward."""

    def forward(self, x, target):
        """As in `LabelSmoothing`, for finite log-probabilities."""
        rest = self.smoothing / (self.size - 2)
        entropy = sum(count * p * math.log(p) for count, p in ((1, 1 - self.smoothing), (self.size - 2, rest)) if p > 0)
        counted = (target != self.padding_idx).sum()
        if not torch.compiler.is_compiling():
            return counted * entropy + SmoothedSum.apply(x, target, self.padding_idx, 1 - self.smoothing, rest)
        # A compiler that sees how the table comes about stores neither it nor the log-probabilities.
        column = torch.arange(self.size, device=x.device)
        table = torch.where(column == target[:, None], 1 - self.smoothing, rest).masked_fill(
            column == self.padding_idx, 0
        )
        return counted * entropy - (table * x).sum(1).masked_fill(target == self.padding_idx, 0).sum()


class Body(nn.Module):
    """A model without its generator as one module, which is what can be compiled and distributed as a whole.

    To `training_step` it looks like a model whose generator has nothing to do: that is left to `BodyLoss`.

    Args:
        model: a Transformer.
        dtype: what to compute in where PyTorch's autocast finds that safe, bfloat16 or float16; parameters stay as they
            are. ``None`` computes in their type.
    """

    def __init__(self, model, dtype=None):
        super().__init__()
        self.model = model
        self.dtype = dtype
        self.generator = nn.Identity()

    def forward(self, src, tgt, src_mask, tgt_mask):
        """Hidden vectors ``(B, T, d)``."""
        with torch.autocast(src.device.type, self.dtype, enabled=self.dtype is not None):
            return self.model(src, tgt, src_mask, tgt_mask)


class BodyLoss(nn.Module):
    """A generator and a loss in one: compiled together, they need no memory for ``N * V`` log-probabilities.

    Args:
        generator: makes log-probabilities ``(N, V)`` of hidden vectors ``(N, d)``.
        loss_fn: as in `training_step`.
        dtype: as in `Body`, for the generator's product; everything after it is float32.
    """

    def __init__(self, generator, loss_fn, dtype=None):
        super().__init__()
        self.generator, self.loss_fn, self.dtype = generator, loss_fn, dtype

    def forward(self, hidden, target):
        """The loss of hidden vectors ``(N, d)`` and target ids ``(N,)``, a float32 scalar."""
        with torch.autocast(hidden.device.type, self.dtype, enabled=self.dtype is not None):
            log_probs = self.generator(hidden)
        return self.loss_fn(log_probs.float(), target)


def wrap_for_config(model, config):
    """A model and its loss as a `TranslationConfig` has them: what `training_step` takes for ``model`` and ``loss_fn``.

    The switches ``sdpa`` and ``kernels`` also need the context of `replaced`, see `faster_classes`.
    """
    smoothing = ClosedLabelSmoothing if config.kernels else LabelSmoothing
    size, device = model.generator.proj.out_features, model.generator.proj.weight.device
    whole = Body(model, config.dtype)
    loss_fn = BodyLoss(model.generator, smoothing(size, PAD, config.smoothing).to(device), config.dtype)
    if config.compile:
        for part in (whole, loss_fn):
            part.compile(dynamic=True)
    return whole, loss_fn


class Distributed(nn.parallel.DistributedDataParallel):
    """PyTorch's data-parallel module, which averages gradients over all processes, with the generator of a `Body`."""

    def __init__(self, module, **options):
        super().__init__(module, **options)
        self.generator = module.generator
