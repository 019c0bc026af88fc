"""Warm-up: broadcasting, indexing, modules, the training loop and vector-Jacobian products.

Shapes: ``N`` and ``M`` points of ``d`` coordinates; a batch of ``B`` sequences with ``T`` vectors of width ``d``, of
which ``K`` are picked. Every function works for every float type.
"""

import torch
from torch import nn


def pairwise_distances(x, y):
    """The Euclidean distance of every point of one set from every point of another, without a loop.

    Args:
        x: ``(N, d)``, float: a point in each row.
        y: ``(M, d)``, of the same float type.

    Returns:
        ``(N, M)``, in that float type: entry ``(n, m)`` is the length of ``x[n] - y[m]``. Broadcasting makes all pairs,
        so the number of PyTorch calls does not depend on N, M and d. Two equal points may get any gradient.

    Source: the broadcasting semantics of PyTorch's documentation.
    """
    ### BEGIN SOLUTION
    difference = x[:, None, :] - y[None, :, :]  # (N, 1, d) and (1, M, d) give (N, M, d)
    return torch.linalg.vector_norm(difference, dim=-1)
    ### END SOLUTION


def pick_rows(x, ids):
    """Take from every sequence of a batch the vectors at positions of its own.

    Args:
        x: ``(B, T, d)``, any type.
        ids: positions ``(B, K)``, int64, from 0 to ``T - 1``, in any order; a position may occur more than once.

    Returns:
        ``(B, K, d)``, in the type of ``x``: row ``(b, k)`` is ``x[b, ids[b, k]]``. The gradient of a vector is the sum
        over all its occurrences.

    Source: the documentation of ``torch.gather``.
    """
    ### BEGIN SOLUTION
    sequences = torch.arange(len(x), device=x.device)[:, None]  # (B, 1), which broadcasts with ids
    return x[sequences, ids]
    ### END SOLUTION


class Scale(nn.Module):
    """Multiplies each coordinate by a learned number, and counts how often it was called in training mode.

    Args:
        d: how many coordinates a vector has.

    Attributes:
        gain: parameter ``(d,)``, ones at the start.
        seen: buffer, an int64 tensor without axes: calls in training mode so far.

    Both are in the ``state_dict``; only ``gain`` is trained.

    Source: the documentation of ``torch.nn.Module``.
    """

    seen: torch.Tensor

    def __init__(self, d):
        super().__init__()
        ### BEGIN SOLUTION
        self.gain = nn.Parameter(torch.ones(d))
        self.register_buffer("seen", torch.tensor(0))
        ### END SOLUTION

    def forward(self, x):
        """Scale vectors: ``(..., d)``, float, to the same shape.

        In training mode the call is counted, whether gradients are recorded or not; in evaluation mode it is not.
        """
        ### BEGIN SOLUTION
        if self.training:
            self.seen += 1
        return x * self.gain
        ### END SOLUTION


def fit_line(x, y, steps=500, lr=0.1):
    """The straight line through points that has the least mean squared error, found by gradient descent.

    Args:
        x: ``(N,)``, float, standardised: mean 0, standard deviation 1.
        y: ``(N,)``, of the same float type.
        steps: how many steps ``torch.optim.SGD`` makes, each on all points. 0 steps return the line at the start.
            You choose that line, but it must not depend on the points.
        lr: learning rate of ``torch.optim.SGD``, which gets no other setting.

    Returns:
        ``(slope, intercept)``, two Python floats: y is about ``slope * x + intercept``.

    Source: Goodfellow et al. 2016, sections 4.3 and 5.1.4 (gradient descent, linear regression).
    """
    ### BEGIN SOLUTION
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros_like(slope, requires_grad=True)
    optimizer = torch.optim.SGD([slope, intercept], lr=lr)
    for _ in range(steps):
        loss = (slope * x + intercept - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return slope.item(), intercept.item()
    ### END SOLUTION


def vector_jacobian(f, x, v):
    """The vector-Jacobian product of a function: what ``f(x).backward(v)`` adds to ``x.grad``.

    Args:
        f: a differentiable function of one tensor.
        x: where the derivatives are taken, of any shape, float.
        v: in the shape of ``f(x)`` and the type of ``x``: the gradient that arrives.

    Returns:
        A tensor in the shape and the type of ``x``. Entry i is the sum over all j of ``v[j] * (df_j / dx_i)``. Exact
        up to rounding. ``x`` does not change, nor do its ``requires_grad`` and its ``grad``.

    Source: the documentation of ``torch.autograd``; Goodfellow et al. 2016, section 6.5.
    """
    ### BEGIN SOLUTION
    leaf = x.detach().requires_grad_()
    (product,) = torch.autograd.grad(f(leaf), leaf, v)
    return product
    ### END SOLUTION
