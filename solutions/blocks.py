"""Blocks: what stands between and around attention (Vaswani et al. 2017, sections 3.1, 3.3 and 5.4).

Shapes: ``B`` batch, ``T`` sequence length, ``d`` = ``d_model`` model width, ``d_ff`` width of the hidden layer; ``...``
stands for any leading axes. Every function keeps the dtype and the device of its input and leaves it as it is.
"""

import math

import torch
from torch import nn


def gelu(x):
    """Gaussian error linear unit, in the form with tanh.

    Args:
        x: any shape and float type.

    Returns:
        ``0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`` for every entry, same shape and dtype as ``x``.

    Source: Hendrycks and Gimpel 2016, section 2 (the first approximation); GPT-2 uses it, and so do the units in C.
    """
    ### BEGIN SOLUTION
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    ### END SOLUTION


class LayerNorm(nn.Module):
    """Layer normalisation: every vector gets mean 0 and variance 1, then a learned gain and bias.

    Args:
        d_model: length of the last axis, along which the layer normalises.
        eps: added to the variance, inside the root.

    Attributes:
        gamma: gain, ``nn.Parameter`` ``(d_model,)``, starts at 1.
        beta: bias, ``nn.Parameter`` ``(d_model,)``, starts at 0.

    Source: Ba, Kiros and Hinton 2016, equation 4 (without its time index); equal to ``nn.LayerNorm``.
    """

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        ### BEGIN SOLUTION
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        ### END SOLUTION

    def forward(self, x):
        """Normalise along the last axis.

        Args:
            x: ``(..., d_model)``.

        Returns:
            ``gamma (x - mean) / sqrt(variance + eps) + beta``, same shape as ``x``; the variance is biased, that is,
            the sum of squared deviations is divided by ``d_model``.
        """
        ### BEGIN SOLUTION
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.square().mean(-1, keepdim=True)  # (..., 1): each vector has its own
        return self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta
        ### END SOLUTION


def rms_norm(x, weight, eps=1e-5):
    """Root-mean-square normalisation: every vector is divided by its root mean square, then scaled.

    Args:
        x: ``(..., d)``.
        weight: gain ``(d,)``.
        eps: added to the mean square, inside the root.

    Returns:
        ``weight x / sqrt(mean(x^2) + eps)``, same shape as ``x``, the mean taken along the last axis.

    Source: Zhang and Sennrich 2019, equation 4; ``eps`` as in ``torch.nn.functional.rms_norm``.
    """
    ### BEGIN SOLUTION
    mean_square = x.square().mean(-1, keepdim=True)
    return weight * x / torch.sqrt(mean_square + eps)
    ### END SOLUTION


def dropout(x, p, training=True, generator=None):
    """Inverted dropout: random entries become 0, and the others are scaled up in the same step.

    Args:
        x: any shape and float type.
        p: probability that an entry is dropped, at least 0 and less than 1.
        training: ``False``: nothing is dropped and nothing is scaled.
        generator: the CPU generator that random numbers come from; ``None``: PyTorch's own.

    Returns:
        Like ``x``. Each entry, independently of all others, is 0 with probability ``p`` and ``x / (1 - p)`` otherwise.

    Raises:
        ValueError: for ``p`` outside ``[0, 1)``.

    Source: Srivastava et al. 2014, sections 4 and 10 (scaling while training).
    """
    ### BEGIN SOLUTION
    if not 0 <= p < 1:
        raise ValueError(f"p is {p}, but must be at least 0 and less than 1.")
    if not training or p == 0:
        return x
    device = x.device if generator is None else generator.device
    dropped = torch.rand(x.shape, generator=generator, device=device) < p
    return x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)
    ### END SOLUTION


class FeedForward(nn.Module):
    """Position-wise feed-forward layer: two linear layers with an activation between, the same for every position.

    Args:
        d_model: width of input and output.
        d_ff: width of the hidden layer.
        dropout: probability with which a hidden unit is dropped while training.
        activation: ``"relu"``, or ``"gelu"`` for the tanh form.

    Attributes:
        w_1: ``nn.Linear(d_model, d_ff)`` with bias.
        w_2: ``nn.Linear(d_ff, d_model)`` with bias.

    Raises:
        ValueError: for any other ``activation``.

    Source: Vaswani et al. 2017, equation 2; dropout after the activation as in common implementations.
    """

    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        ### BEGIN SOLUTION
        activations = {"relu": torch.relu, "gelu": gelu}
        if activation not in activations:
            raise ValueError(f'activation is {activation!r}, but must be "relu" or "gelu".')
        self.activation = activations[activation]
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x):
        """Linear, activation, dropout, linear.

        Args:
            x: ``(B, T, d_model)``.

        Returns:
            ``(B, T, d_model)``.
        """
        ### BEGIN SOLUTION
        hidden = self.activation(self.w_1(x))  # d_ff wide
        return self.w_2(self.dropout(hidden))
        ### END SOLUTION


class SublayerConnection(nn.Module):
    """A residual connection around any sublayer, with normalisation and dropout.

    Args:
        d_model: width of the input and of what the sublayer returns.
        dropout: probability with which an entry of the sublayer's output is dropped while training.
        norm: ``"pre"`` normalises what enters the sublayer, ``"post"`` the sum.

    Attributes:
        norm_layer: ``LayerNorm(d_model)``.

    Raises:
        ValueError: for any other ``norm``.

    Source: Vaswani et al. 2017, sections 3.1 and 5.4 (post); Xiong et al. 2020, table 1 (both).
    """

    def __init__(self, d_model, dropout=0.1, norm="pre"):
        super().__init__()
        ### BEGIN SOLUTION
        if norm not in ("pre", "post"):
            raise ValueError(f'norm is {norm!r}, but must be "pre" or "post".')
        self.norm = norm
        self.norm_layer = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, x, sublayer):
        """Add the output of the sublayer to ``x``.

        Args:
            x: ``(B, T, d_model)``.
            sublayer: function or module that maps ``(B, T, d_model)`` to ``(B, T, d_model)``.

        Returns:
            ``(B, T, d_model)``: pre ``x + dropout(sublayer(norm(x)))``, post ``norm(x + dropout(sublayer(x)))``.
        """
        ### BEGIN SOLUTION
        if self.norm == "pre":
            return x + self.dropout(sublayer(self.norm_layer(x)))
        return self.norm_layer(x + self.dropout(sublayer(x)))
        ### END SOLUTION


def test_layer_norm(LayerNorm):
    """A test of the class `LayerNorm`: it returns for a right implementation and raises for a wrong one.

    Args:
        LayerNorm: the class to test, used as in Task 2. It comes in many styles: results differ by rounding and may be
            views, and attributes other than ``gamma`` and ``beta`` have any names.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    for norm, library in ((LayerNorm(4), nn.LayerNorm(4)), (LayerNorm(4, 0.5), nn.LayerNorm(4, 0.5))):
        assert len(list(norm.parameters())) == 2
        for x in (torch.randn(2, 3, 4), torch.randn(2, 3, 4) / 1000, torch.zeros(5, 4)):
            torch.testing.assert_close(norm(x), library(x))
        with torch.no_grad():
            norm.gamma.copy_(library.weight.normal_())
            norm.beta.copy_(library.bias.normal_())
        x = torch.randn(5, 4, requires_grad=True)
        before, factors = x.detach().clone(), torch.randn(5, 4)
        results = [norm(x), library(x)]
        torch.testing.assert_close(*results)
        torch.testing.assert_close(*(torch.autograd.grad((result * factors).sum(), x) for result in results))
        assert torch.equal(x, before)
    ### END SOLUTION
