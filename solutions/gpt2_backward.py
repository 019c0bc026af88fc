"""The one task of GPT-2's backward pass that is Python: a test of layer normalisation's two kernels.

The kernels that it meets are NumPy here. They take what those in C take, in the same order, and fill the same arrays.
Letters as in ``c/gpt2_backward.c``: ``B`` sequences in a batch, ``T`` tokens in one, ``C`` channels. ``inp``, ``out``,
``dout`` and ``dinp`` are ``(B, T, C)``, ``mean`` and ``rstd`` ``(B, T)``, all others ``(C,)``, float32.
"""

import numpy as np
import torch
from torch.nn import functional as F


def _memory(array, *shape):
    """The first numbers of an array, row after row, as a kernel in C finds them: a view of this shape.

    Raises:
        ValueError: the array is not of float32, has gaps, or is too small; in C that would be a memory error.
    """
    entries = int(np.prod(shape))
    if array.dtype != np.float32 or not array.flags.c_contiguous or array.size < entries:
        what = f"this one is {array.dtype} and has {array.size}"
        raise ValueError(f"A kernel needs a float32 array of at least {entries} numbers without gaps; {what}.")
    return array.reshape(-1)[:entries].reshape(shape)


def forward(out, mean, rstd, inp, weight, bias, B, T, C):
    """``layernorm_forward`` of ``c/gpt2_forward.c``: it writes ``out``, ``mean`` and ``rstd``.

    Source: Ba et al. 2016, equation 3.
    """
    y, x = (_memory(array, B * T, C) for array in (out, inp))
    w, b = (_memory(array, C) for array in (weight, bias))
    m, s = (_memory(array, B * T) for array in (mean, rstd))
    m[:] = x.mean(1)
    centred = x - m[:, None]
    variance = (centred**2).mean(1)
    s[:] = 1 / np.sqrt(variance + 1e-5)
    y[:] = centred * s[:, None] * w + b


def backward(dinp, dweight, dbias, dout, inp, weight, mean, rstd, B, T, C):
    """``layernorm_backward`` of ``c/gpt2_backward.c``: it adds to ``dinp``, ``dweight`` and ``dbias``.

    Source: the chain rule on Ba et al. 2016, equation 3.
    """
    dx, d, x = (_memory(array, B * T, C) for array in (dinp, dout, inp))
    dw, db, w = (_memory(array, C) for array in (dweight, dbias, weight))
    m, s = (_memory(array, B * T)[:, None] for array in (mean, rstd))
    n = (x - m) * s
    g = d * w
    db += d.sum(0)
    dw += (d * n).sum(0)
    dx += s * (g - g.mean(1, keepdims=True) - n * (g * n).mean(1, keepdims=True))


def test_gradients(forward, backward):
    """A test of the kernels of layer normalisation: it returns for right ones and raises for a wrong one.

    Args:
        forward: ``layernorm_forward``, called with ``(out, mean, rstd, inp, weight, bias, B, T, C)``.
        backward: ``layernorm_backward``, called with
            ``(dinp, dweight, dbias, dout, inp, weight, mean, rstd, B, T, C)``.

    One of the two may be wrong. Arrays are float32 NumPy arrays that the test makes: ``inp``, ``out``, ``dout`` and
    ``dinp`` ``(B, T, C)``, ``mean`` and ``rstd`` ``(B, T)``, the others ``(C,)``. The kernels fill them in place.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. Random generators are seeded before each call.
    """
    ### BEGIN SOLUTION
    sizes = B, T, C = 2, 3, 5
    inp, dout, weight, bias = torch.randn(B, T, C), torch.randn(B, T, C), torch.randn(C), torch.randn(C)
    inp[0, 0] *= 0.01  # a row that hardly varies: there the 1e-5 in the root shows
    inputs = [one.double().requires_grad_() for one in (inp, weight, bias)]
    expected = F.layer_norm(inputs[0], (C,), inputs[1], inputs[2])
    slopes = torch.autograd.grad(expected, inputs, dout.double())
    out, mean, rstd = np.zeros((B, T, C), np.float32), np.zeros((B, T), np.float32), np.zeros((B, T), np.float32)
    forward(out, mean, rstd, inp.numpy(), weight.numpy(), bias.numpy(), *sizes)
    torch.testing.assert_close(torch.from_numpy(out).double(), expected, rtol=1e-3, atol=1e-3)
    made = [np.ones(one.shape, np.float32) for one in slopes]  # what stands there has to stay in the sum
    backward(*made, dout.numpy(), inp.numpy(), weight.numpy(), mean, rstd, *sizes)
    for array, slope in zip(made, slopes):
        torch.testing.assert_close(torch.from_numpy(array).double(), slope + 1, rtol=1e-3, atol=1e-3)
    ### END SOLUTION
