"""Losses: cross-entropy, perplexity, label smoothing (Szegedy et al. 2016, section 7).

Shapes: ``N`` predictions, for a batch of sequences all their positions in one row; ``V`` (``C``, ``size``) classes,
for a language model the vocabulary. A logit is a score before the softmax. Logarithms are natural: losses are in nats.
"""

import math
import sys

import torch
from torch import nn
from torch.nn import functional as F


def cross_entropy(logits, targets, ignore_index=None):
    """Mean negative log-probability of the targets, from logits.

    Args:
        logits: ``(N, V)``, float, of any size: the result is exact for logits of 10,000 too.
        targets: ``(N,)``, int64: the right class of each row.
        ignore_index: rows with this target do not count, neither in the sum nor in the number it is divided by.
            It may be a class (``PAD``) or no class at all (``-100``). ``None``: every row counts.

    Returns:
        Scalar tensor in the dtype of ``logits``: the sum over the counted rows divided by their number. If no row
        counts it is 0, and so are its gradients.

    Source: Goodfellow et al. 2016, section 6.2.2.3 (softmax and negative log-likelihood).
    """
    ### BEGIN SOLUTION
    if ignore_index is not None:
        counted = targets != ignore_index
        logits, targets = logits[counted], targets[counted]
    # log softmax without ever taking the logarithm of a probability: after this shift the sum below is at least 1.
    shifted = logits - logits.amax(-1, keepdim=True)
    log_probs = shifted - shifted.exp().sum(-1, keepdim=True).log()
    nll = -log_probs.gather(1, targets.unsqueeze(1))
    return nll.sum() / max(len(targets), 1)
    ### END SOLUTION


def perplexity(total_nll, num_tokens):
    """``exp`` of the mean negative log-probability: how many equally likely choices would be as hard.

    Args:
        total_nll: negative log-probabilities in nats, added over all tokens of a text.
        num_tokens: how many tokens that were.

    Returns:
        A Python float, ``inf`` if it is too large for one.

    Raises:
        ValueError: ``num_tokens`` is not positive.

    Source: Jelinek et al. 1977.
    """
    ### BEGIN SOLUTION
    if num_tokens <= 0:
        raise ValueError(f"num_tokens is {num_tokens}, but the perplexity of a text needs at least one token.")
    mean = total_nll / num_tokens
    return math.exp(mean) if mean <= math.log(sys.float_info.max) else math.inf
    ### END SOLUTION


def smooth_labels(targets, num_classes, epsilon):
    """Target distributions that keep ``1 - epsilon`` for the label and spread ``epsilon`` over all classes.

    Args:
        targets: ``(N,)``, int64: the right class of each row.
        num_classes: ``C``, the number of classes, the right one included.
        epsilon: what is spread, from 0 (one-hot) to 1 (uniform).

    Returns:
        ``(N, C)``, float32: ``(1 - epsilon) * one_hot + epsilon / C``. Every row sums to 1.

    Source: Szegedy et al. 2016, section 7.
    """
    ### BEGIN SOLUTION
    one_hot = F.one_hot(targets, num_classes).float()
    return (1 - epsilon) * one_hot + epsilon / num_classes
    ### END SOLUTION


class LabelSmoothing(nn.Module):
    """Divergence of predictions from smoothed targets in which padding has no part.

    Args:
        size: number of classes ``V``, padding included.
        padding_idx: the class that stands for padding.
        smoothing: what is spread over the ``size - 2`` classes that are neither the target nor padding.

    Attributes:
        true_dist: the smoothed targets ``(N, size)`` of the last call, in the dtype of its ``x``.

    Raises:
        ValueError: ``size`` is below 3, so that there is no class to spread anything over.

    Source: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """

    def __init__(self, size, padding_idx, smoothing=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        if size < 3:
            raise ValueError(f"size is {size}, but a target, padding and at least one other class make 3.")
        self.size = size
        self.padding_idx = padding_idx
        self.smoothing = smoothing
        self.true_dist = None
        ### END SOLUTION

    def forward(self, x, target):
        """Kullback-Leibler divergence, added over all rows and classes.

        Args:
            x: log-probabilities ``(N, size)``.
            target: ``(N,)``, int64: the right class of each row, ``padding_idx`` where there is none.

        Returns:
            Scalar tensor: the sum of ``p * (log p - x)``, where ``p`` is ``1 - smoothing`` for the target,
            ``smoothing / (size - 2)`` for the others, 0 for padding, and 0 in the whole row of a padding target.
            A term with ``p = 0`` is 0.
        """
        ### BEGIN SOLUTION
        true_dist = torch.full_like(x, self.smoothing / (self.size - 2), requires_grad=False)
        true_dist.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)
        true_dist[:, self.padding_idx] = 0
        true_dist[target == self.padding_idx] = 0
        self.true_dist = true_dist
        # Where p is 0 the prediction has no say, not even if it is log 0 = -inf.
        return F.kl_div(x.masked_fill(true_dist == 0, 0.0), true_dist, reduction="sum")
        ### END SOLUTION


def test_smoothing(smooth_labels):
    """A test of `smooth_labels`: it returns for a right implementation and raises for a wrong one.

    Args:
        smooth_labels: the implementation to test, called as in Task 3. It comes in many styles: its numbers differ by
            rounding, and its result may be a view.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    targets = torch.tensor([2, 0, 3, 2])
    for epsilon in (0.0, 0.3, 1.0):
        expected = (1 - epsilon) * torch.eye(5)[targets] + epsilon / 5  # five classes; the last is nobody's label
        torch.testing.assert_close(smooth_labels(targets, 5, epsilon), expected)  # shape and type as well
    ### END SOLUTION
