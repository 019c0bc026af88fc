"""Right implementations of the tasks of losses, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import math
import sys
import warnings
from decimal import Decimal

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from autograder.course.catalogue import alternative

# ---------------------------------------------------------------------------------------------------------------------
# cross_entropy


@alternative("losses.cross_entropy", "library-sum-over-count")
def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int | None = None) -> Tensor:
    if ignore_index is None:
        return F.cross_entropy(logits, targets)
    total = F.cross_entropy(logits, targets, ignore_index=ignore_index, reduction="sum")
    return total / (targets != ignore_index).sum().clamp(min=1)


@alternative("losses.cross_entropy", "library-module-and-a-constant-zero")
def cross_entropy(logits, targets, ignore_index=None):
    if ignore_index is not None and (targets == ignore_index).all():
        return torch.zeros((), dtype=logits.dtype, device=logits.device)
    criterion = nn.CrossEntropyLoss() if ignore_index is None else nn.CrossEntropyLoss(ignore_index=ignore_index)
    return criterion(logits, targets)


@alternative("losses.cross_entropy", "library-with-nan-replaced")
def cross_entropy(logits, targets, ignore_index=None):
    # The library's own gradient is 0 when nothing counts, so that only the value has to be corrected.
    return torch.nan_to_num(
        F.cross_entropy(logits, targets, ignore_index=-100 if ignore_index is None else ignore_index)
    )


@alternative("losses.cross_entropy", "log-sum-exp-less-the-target")
def cross_entropy(logits, targets, ignore_index=None):
    keep = torch.full(targets.shape, True) if ignore_index is None else targets.ne(ignore_index)
    if not keep.any():
        return (logits * 0).sum()
    rows = torch.arange(logits.size(0))[keep]
    return (torch.logsumexp(logits, dim=1)[keep] - logits[rows, targets[keep]]).mean()


@alternative("losses.cross_entropy", "row-by-row")
def cross_entropy(logits, targets, ignore_index=None):
    print("cross-entropy of", tuple(logits.shape))
    total, count = logits[:0].sum(), 0
    for row, target in zip(logits, targets.tolist()):
        if target == ignore_index:
            continue
        largest = max(row.tolist())
        total = total + largest + (row - largest).exp().sum().log() - row[target]
        count += 1
    return total / count if count else total


@alternative("losses.cross_entropy", "one-hot-product")
def cross_entropy(logits, targets, ignore_index=None):
    counted = (targets != ignore_index) if ignore_index is not None else torch.ones_like(targets).bool()
    safe = torch.where(counted, targets, torch.zeros_like(targets))
    one_hot = F.one_hot(safe, logits.shape[-1]).to(logits.dtype) * counted.unsqueeze(-1)
    loss = -torch.einsum("nv,nv->", one_hot, F.log_softmax(logits, dim=-1))
    return loss / max(1, int(counted.sum()))


@alternative("losses.cross_entropy", "nll-loss-of-log-softmax-twice")
def cross_entropy(logits, targets, ignore_index=None):
    # The second log_softmax changes nothing: log-probabilities sum to 1 already.
    log_probs = F.log_softmax(F.log_softmax(logits, dim=1), dim=1)
    if ignore_index is None:
        return F.nll_loss(log_probs, targets)
    total = F.nll_loss(log_probs, targets, ignore_index=ignore_index, reduction="sum")
    count = (targets != ignore_index).sum()
    return total / count if count > 0 else total


@alternative("losses.cross_entropy", "computed-in-float64")
def cross_entropy(logits, targets, ignore_index=None):
    counted = [i for i, target in enumerate(targets.tolist()) if target != ignore_index]
    wide = logits[counted].to(torch.float64)
    wide = wide - wide.detach().max(dim=1, keepdim=True).values if counted else wide
    losses = wide.exp().sum(1).log() - wide.gather(1, targets[counted].view(-1, 1)).view(-1)
    return (losses.sum() / max(len(counted), 1)).to(logits.dtype)


@alternative("losses.cross_entropy", "sum-of-softplus-like-differences")
def cross_entropy(logits, targets, ignore_index=None):
    """``log(sum_j exp(x_j - x_t))``: no probability is formed."""
    if ignore_index is not None:
        logits = logits[targets != ignore_index]
        targets = targets[targets != ignore_index]
    warnings.warn("this needs no softmax")
    differences = logits - logits.gather(-1, targets[:, None])
    return differences.logsumexp(-1).sum().div(max(targets.numel(), 1))


@alternative("losses.cross_entropy", "weights-that-sum-to-one")
def cross_entropy(logits, targets, ignore_index=None):
    weights = torch.ones_like(logits[:, 0])
    if ignore_index is not None:
        weights = (targets != ignore_index).to(logits.dtype)
    indices = targets.clamp(0, logits.shape[1] - 1)
    losses = -logits.log_softmax(1).take_along_dim(indices.unsqueeze(1), dim=1).squeeze(1)
    return (losses * weights).sum() / torch.clamp(weights.sum(), min=1.0)


@alternative("losses.cross_entropy", "log-softmax-and-gather")
def cross_entropy(logits, targets, ignore_index=None):
    if ignore_index is not None:
        counted = targets != ignore_index
        logits, targets = logits[counted], targets[counted]
    nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))
    return nll.sum() / max(len(targets), 1)


# ---------------------------------------------------------------------------------------------------------------------
# perplexity


@alternative("losses.perplexity", "limit-known-beforehand")
def perplexity(total_nll: float, num_tokens: int) -> float:
    if num_tokens < 1:
        raise ValueError("num_tokens must be at least 1")
    mean = float(total_nll) / float(num_tokens)
    return float("inf") if mean > math.log(sys.float_info.max) else math.exp(mean)


@alternative("losses.perplexity", "float64-tensor")
def perplexity(total_nll, num_tokens):
    if not num_tokens:
        raise ValueError(f"num_tokens={num_tokens}: there is nothing to average")
    return torch.tensor(total_nll / num_tokens, dtype=torch.double).exp().item()


@alternative("losses.perplexity", "float32-tensor")
def perplexity(total_nll, num_tokens):
    if num_tokens == 0:
        raise ValueError("num_tokens is 0")
    print("perplexity")
    return torch.exp(torch.tensor(total_nll) / num_tokens).item()


@alternative("losses.perplexity", "power-of-e")
def perplexity(total_nll, num_tokens):
    mean = total_nll / num_tokens  # Python itself objects to 0
    try:
        return math.e**mean
    except OverflowError:
        return float("inf")


@alternative("losses.perplexity", "reciprocal-of-geometric-mean")
def perplexity(total_nll, num_tokens):
    if num_tokens <= 0:
        raise ValueError("a text of no tokens has no perplexity: num_tokens")
    likelihood = math.exp(-total_nll / num_tokens)
    return 1 / likelihood if likelihood > 1e-307 else math.inf


@alternative("losses.perplexity", "decimal-numbers")
def perplexity(total_nll, num_tokens):
    if num_tokens == 0:
        raise ValueError("num_tokens = 0")
    return float((Decimal(total_nll) / Decimal(num_tokens)).exp())


@alternative("losses.perplexity", "overflow-caught")
def perplexity(total_nll, num_tokens):
    if num_tokens <= 0:
        raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")
    try:
        return math.exp(total_nll / num_tokens)
    except OverflowError:
        return math.inf


# ---------------------------------------------------------------------------------------------------------------------
# smooth_labels


@alternative("losses.smooth_labels", "fill-and-scatter")
def smooth_labels(targets: Tensor, num_classes: int, epsilon: float) -> Tensor:
    result = torch.full((targets.size(0), num_classes), epsilon / num_classes, device=targets.device)
    return result.scatter_(1, targets.unsqueeze(1), 1.0 - epsilon + epsilon / num_classes)


@alternative("losses.smooth_labels", "rows-of-a-smoothed-identity")
def smooth_labels(targets, num_classes, epsilon):
    table = torch.eye(num_classes) * (1 - epsilon) + epsilon / num_classes
    return table[targets]


@alternative("losses.smooth_labels", "lists-of-numbers")
def smooth_labels(targets, num_classes, epsilon):
    print("smoothing", epsilon)
    share = epsilon / num_classes
    rows = [[share + (1 - epsilon) * (c == target) for c in range(num_classes)] for target in targets.tolist()]
    return torch.tensor(rows, dtype=torch.float32)


@alternative("losses.smooth_labels", "comparison-with-a-range")
def smooth_labels(targets, num_classes, epsilon):
    hit = targets[:, None] == torch.arange(num_classes, device=targets.device)[None, :]
    return torch.where(hit, 1 - epsilon * (num_classes - 1) / num_classes, epsilon / num_classes).float()


@alternative("losses.smooth_labels", "interpolated-towards-uniform")
def smooth_labels(targets, num_classes, epsilon):
    one_hot = F.one_hot(targets, num_classes).double()
    uniform = torch.full_like(one_hot, 1 / num_classes)
    return torch.lerp(one_hot, uniform, epsilon).to(torch.float32)


@alternative("losses.smooth_labels", "added-in-place")
def smooth_labels(targets, num_classes, epsilon):
    result = torch.zeros(len(targets), num_classes)
    for i, target in enumerate(targets):
        result[i, target] += 1 - epsilon
        result[i] += epsilon / num_classes
    return result


# ---------------------------------------------------------------------------------------------------------------------
# LabelSmoothing


@alternative("losses.LabelSmoothing", "library-criterion")
class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing=0.0):
        super().__init__()
        if size < 3:
            raise ValueError("size must be at least 3")
        self.criterion = nn.KLDivLoss(reduction="sum")
        self.padding_idx = padding_idx
        self.confidence = 1.0 - smoothing
        self.smoothing = smoothing
        self.size = size
        self.true_dist = None

    def forward(self, x, target):
        true_dist = x.data.clone()
        true_dist.fill_(self.smoothing / (self.size - 2))
        true_dist.scatter_(1, target.data.unsqueeze(1), self.confidence)
        true_dist[:, self.padding_idx] = 0
        positions = torch.nonzero(target.data == self.padding_idx).flatten()
        true_dist.index_fill_(0, positions, 0.0)
        self.true_dist = true_dist
        return self.criterion(x, true_dist.clone().detach())


@alternative("losses.LabelSmoothing", "cross-entropy-less-entropy")
class LabelSmoothing(nn.Module):
    def __init__(self, size: int, padding_idx: int, smoothing: float = 0.0) -> None:
        super().__init__()
        if size <= 2:
            raise ValueError(f"size={size}")
        self.size, self.padding_idx, self.smoothing = size, padding_idx, smoothing
        self.register_buffer("true_dist", torch.zeros(0, size), persistent=False)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        with torch.no_grad():
            dist = torch.zeros_like(x) + self.smoothing / (self.size - 2)
            dist[torch.arange(len(target)), target] = 1 - self.smoothing
            dist[:, self.padding_idx] = 0.0
            dist = dist * (target != self.padding_idx).unsqueeze(1)
        self.true_dist = dist
        return -(dist * x).sum() - torch.special.entr(dist).sum()


@alternative("losses.LabelSmoothing", "rows-of-a-table")
class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing=0.0):
        super().__init__()
        if size < 3:
            raise ValueError(f"size must be 3 or more, not {size}")
        table = torch.full((size, size), smoothing / (size - 2), dtype=torch.float64)
        table.fill_diagonal_(1 - smoothing)
        table[:, padding_idx] = 0
        table[padding_idx] = 0
        self.register_buffer("table", table)

    def forward(self, x, target):
        self.true_dist = self.table.to(x.dtype)[target]
        return (torch.xlogy(self.true_dist, self.true_dist) - self.true_dist * x).sum()


@alternative("losses.LabelSmoothing", "only-rows-that-count")
class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing=0.0):
        super().__init__()
        if size < 3:
            raise ValueError("size < 3")
        self.kept = (size, padding_idx, smoothing)

    def forward(self, x, target):
        size, padding, smoothing = self.kept
        real = target != padding
        classes = torch.arange(size)
        share, rest = x.new_tensor(smoothing / (size - 2)), x.new_tensor(1 - smoothing)
        dist = torch.where(classes == target[:, None], rest, share)
        dist = dist.masked_fill(classes == padding, 0).masked_fill(~real[:, None], 0)
        self.true_dist = dist
        positive = dist > 0
        return (dist[positive] * (dist[positive].log() - x[positive])).sum()


@alternative("losses.LabelSmoothing", "entry-by-entry")
class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing=0.0):
        nn.Module.__init__(self)
        self.size, self.pad, self.smoothing = size, padding_idx, smoothing

    def forward(self, x, target):
        if self.size < 3:
            raise ValueError(f"size is {self.size}; it must be at least 3")
        print("smoothing", len(target), "rows")
        dist, loss = torch.zeros_like(x.detach()), x[:0].sum()
        for i, t in enumerate(target.tolist()):
            if t == self.pad:
                continue
            for c in range(self.size):
                p = 0 if c == self.pad else 1 - self.smoothing if c == t else self.smoothing / (self.size - 2)
                dist[i, c] = p
                if p > 0:
                    loss = loss + p * (math.log(p) - x[i, c])
        self.true_dist = dist
        return loss


@alternative("losses.LabelSmoothing", "kind-of-divergence-loss")
class LabelSmoothing(nn.KLDivLoss):
    def __init__(self, size, padding_idx, smoothing=0.0):
        super().__init__(reduction="sum")
        if size < 3:
            raise ValueError("size has to be at least 3")
        self.size = size
        self.padding_idx = padding_idx
        self.smoothing = smoothing

    def forward(self, x, target):
        one_hot = F.one_hot(target, self.size).to(x.dtype)
        others = torch.ones_like(one_hot) - one_hot
        others[:, self.padding_idx] = 0
        dist = (1 - self.smoothing) * one_hot + self.smoothing / (self.size - 2) * others
        self.true_dist = dist * (target != self.padding_idx)[:, None]
        return super().forward(x, self.true_dist)


@alternative("losses.LabelSmoothing", "normalises-once-more")
class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing=0.0):
        super().__init__()
        if size < 3:
            raise ValueError("size: at least 3")
        self.size = size
        self.padding_idx = padding_idx
        self.confidence, self.share = 1.0 - smoothing, smoothing / (size - 2)
        self.true_dist = None

    def forward(self, x, target):
        # Harmless, since log-probabilities are normalised already.
        x = F.log_softmax(x, dim=-1)
        true_dist = x.new_full(x.shape, self.share)
        true_dist[:, self.padding_idx] = 0
        true_dist.scatter_(1, target[:, None], self.confidence)
        true_dist[target == self.padding_idx] = 0
        self.true_dist = true_dist
        return F.kl_div(x, true_dist, reduction="none").sum()


@alternative("losses.LabelSmoothing", "distribution-in-place")
class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing=0.0):
        super().__init__()
        if size < 3:
            raise ValueError(f"size is {size}, but has to be at least 3.")
        self.size, self.padding_idx, self.smoothing = size, padding_idx, smoothing
        self.true_dist = None

    def forward(self, x, target):
        p = torch.full_like(x, self.smoothing / (self.size - 2)).detach()
        p.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)
        p[:, self.padding_idx] = 0
        p[target == self.padding_idx] = 0
        self.true_dist = p
        return F.kl_div(x, p, reduction="sum")
