"""Checks of the unit on GPT-2's backward pass: the gradients of the forward pass's C kernels, and a step of AdamW.

First comes what several tasks share, then each task with its helper and its checks. As in the forward pass the sizes
always differ, and are rarely multiples of a block size. PyTorch's autograd computes the expected values in float64.
Gradients are added first to zeros, then to other numbers. One check of every task makes several calls in one process.
This check catches kernels that keep something from an earlier call.
"""

import math

import pytest
import torch
from torch.nn import functional as F

from autograder.judging.assertions import demand_one
from autograder.judging.c_assertions import Call, check_kernel
from autograder.units.support.gpt2 import causal_attention, token_ids, uneven_rows

ZEROS, NUMBERS = "into zeros", "into numbers that stand there already"


# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def gradients_of(output, cotangent, *leaves):
    """The gradients of the sum of ``output * cotangent``, which a C kernel adds if its ``dout`` is ``cotangent``."""
    return torch.autograd.grad(output, leaves, cotangent.double())


def leaves_of(*tensors):
    return tuple(tensor.double().requires_grad_() for tensor in tensors)


def adding_call(rng, given, gradients, into, only=None):
    """A call that adds these gradients to what is in the arrays. ``only``: the one array that is compared."""
    before = {
        array: torch.zeros(values.shape) if into == ZEROS else 2 * rng.normal(*values.shape)
        for array, values in gradients.items()
    }
    expected = {array: before[array].double() + values.detach() for array, values in gradients.items()}
    if only:
        expected = {array: values if array == only else values.fill_(math.nan) for array, values in expected.items()}
    return Call({**before, **given}, expected, into)


# ---------------------------------------------------------------------------------------------------------------------
# encoder_backward


def encoder_call(rng, batch, length, width, vocabulary, positions, into, only=None):
    ids, dout = token_ids(rng, vocabulary, batch, length), rng.normal(batch, length, width)
    wte, wpe = leaves_of(rng.normal(vocabulary, width), rng.normal(positions, width))
    gradients = dict(zip(("dwte", "dwpe"), gradients_of(wte[ids.long()] + wpe[:length], dout, wte, wpe)))
    given = {"dout": dout, "inp": ids, "B": batch, "T": length, "C": width}
    return adding_call(rng, given, gradients, into, only)


@pytest.mark.task("gpt2_backward.encoder_backward", points=1)
def test_tokens(learner, reference, rng):
    """Every token's row collects the gradients of all positions where the token occurs."""
    check_kernel(learner, "encoder_backward", encoder_call(rng, 3, 5, 7, 11, positions=17, into=ZEROS, only="dwte"))


@pytest.mark.task("gpt2_backward.encoder_backward", points=1)
def test_places(learner, reference, rng):
    """Every position's row collects the gradients of all sequences."""
    check_kernel(learner, "encoder_backward", encoder_call(rng, 3, 5, 7, 11, positions=17, into=ZEROS, only="dwpe"))


@pytest.mark.task("gpt2_backward.encoder_backward", points=1)
def test_encoder_adds(learner, reference, rng):
    """Adds to both tables, and leaves rows alone that no id refers to."""
    few = encoder_call(rng, 3, 2, 2, 5, positions=2, into=NUMBERS)
    # More tokens than a `short` can count, as in GPT-2.
    many = [encoder_call(rng, 4, 3, 3, 40_000, positions=5, into=NUMBERS) for _ in range(2)]
    check_kernel(learner, "encoder_backward", few, *many)


# ---------------------------------------------------------------------------------------------------------------------
# layernorm_backward


def layernorm_call(rng, shape, into, only=None):
    width = shape[-1]
    inp = uneven_rows(rng, *shape)
    weight, bias, dout = rng.normal(width), rng.normal(width), rng.normal(*shape)
    leaves = leaves_of(inp, weight, bias)
    found = gradients_of(F.layer_norm(leaves[0], (width,), leaves[1], leaves[2], eps=1e-5), dout, *leaves)
    given = {
        "dout": dout,
        "inp": inp,
        "weight": weight,
        "mean": inp.double().mean(-1).float(),
        "rstd": (inp.double().var(-1, unbiased=False) + 1e-5).rsqrt().float(),
        **dict(zip("BTC", shape)),
    }
    gradients = dict(zip(("dinp", "dweight", "dbias"), found))
    return adding_call(rng, given, gradients, into, only)


@pytest.mark.task("gpt2_backward.layernorm_backward", points=1)
def test_layernorm_bias(learner, reference, rng):
    """The gradient of the bias: one sum over all positions for every channel."""
    check_kernel(learner, "layernorm_backward", layernorm_call(rng, (2, 5, 7), ZEROS, "dbias"))


@pytest.mark.task("gpt2_backward.layernorm_backward", points=1)
def test_layernorm_weight(learner, reference, rng):
    """The gradient of the weight: the same sum, with the normalised input as a factor."""
    check_kernel(learner, "layernorm_backward", layernorm_call(rng, (2, 5, 7), ZEROS, "dweight"))


@pytest.mark.task("gpt2_backward.layernorm_backward", points=2)
def test_layernorm_input(learner, reference, rng):
    """The gradient of the input, through the mean and the standard deviation, too."""
    check_kernel(learner, "layernorm_backward", layernorm_call(rng, (2, 5, 7), ZEROS, "dinp"))


@pytest.mark.task("gpt2_backward.layernorm_backward", points=1)
def test_layernorm_adds(learner, reference, rng):
    """Adds to all three gradients."""
    shapes = ((2, 3, 10), (3, 4, 131), (3, 4, 131))
    check_kernel(learner, "layernorm_backward", *(layernorm_call(rng, shape, NUMBERS) for shape in shapes))


# ---------------------------------------------------------------------------------------------------------------------
# matmul_backward


def matmul_call(rng, batch, length, width, outputs, into, only=None, with_bias=True):
    inp, weight = rng.normal(batch, length, width), rng.normal(outputs, width)
    bias, dout = rng.normal(outputs), rng.normal(batch, length, outputs)
    leaves = leaves_of(inp, weight, bias)
    gradients = dict(zip(("dinp", "dweight", "dbias"), gradients_of(F.linear(*leaves), dout, *leaves)))
    given = {"dout": dout, "inp": inp, "weight": weight, "B": batch, "T": length, "C": width, "OC": outputs}
    if not with_bias:
        del gradients["dbias"]
        given["dbias"] = None
    return adding_call(rng, given, gradients, into, only)


@pytest.mark.task("gpt2_backward.matmul_backward", points=1)
def test_linear_input(learner, reference, rng):
    """The gradient of the input."""
    check_kernel(learner, "matmul_backward", matmul_call(rng, 2, 3, 5, 7, ZEROS, "dinp"))


@pytest.mark.task("gpt2_backward.matmul_backward", points=1)
def test_linear_weight(learner, reference, rng):
    """The gradient of the weight: a sum over all positions."""
    check_kernel(learner, "matmul_backward", matmul_call(rng, 2, 3, 5, 7, ZEROS, "dweight"))


@pytest.mark.task("gpt2_backward.matmul_backward", points=1)
def test_linear_bias(learner, reference, rng):
    """The gradient of the bias, where there is one: `dbias` may be NULL."""
    check_kernel(learner, "matmul_backward", matmul_call(rng, 2, 3, 5, 7, ZEROS, "dbias"))
    check_kernel(learner, "matmul_backward", matmul_call(rng, 3, 2, 7, 5, ZEROS, with_bias=False))


@pytest.mark.task("gpt2_backward.matmul_backward", points=1)
def test_linear_adds(learner, reference, rng):
    """Adds to all three gradients, in a larger layer."""
    # The last layer exceeds the blocks and the fixed arrays of fast code, and is no multiple of them: catches kernels
    # that miss the remainder. The calls before it catch kernels that keep something from a smaller layer.
    shapes = ((3, 5, 10, 7), (3, 5, 10, 7), (2, 37, 131, 71))
    check_kernel(learner, "matmul_backward", *(matmul_call(rng, *shape, NUMBERS) for shape in shapes))


# ---------------------------------------------------------------------------------------------------------------------
# gelu_backward


def gelu_call(rng, x, into):
    dout = rng.normal(len(x))
    (leaf,) = leaves_of(x)
    gradients = dict(zip(["dinp"], gradients_of(F.gelu(leaf, approximate="tanh"), dout, leaf)))
    given = {"inp": x, "dout": dout, "N": len(x)}
    return adding_call(rng, given, gradients, into)


@pytest.mark.task("gpt2_backward.gelu_backward", points=1)
def test_slope(learner, reference, rng):
    """The slope of the curve, times the incoming gradient."""
    check_kernel(
        learner,
        "gelu_backward",
        gelu_call(rng, torch.cat([rng.uniform(94, low=-4, high=4), torch.tensor([0.0, 1, -1])]), ZEROS),
    )


@pytest.mark.task("gpt2_backward.gelu_backward", points=1)
def test_gelu_adds(learner, reference, rng):
    """Adds to the gradient, and the slope far from 0 is 1 or 0."""
    x = torch.cat([rng.normal(3), rng.uniform(5, low=12, high=90), rng.uniform(6, low=-90, high=-12)])
    calls = [gelu_call(rng, x, NUMBERS) for x in (rng.normal(5), x, x.flip(0))]
    check_kernel(learner, "gelu_backward", *calls)


# ---------------------------------------------------------------------------------------------------------------------
# residual_backward


def residual_call(rng, size, into):
    dout = rng.normal(size)
    given = {"dout": dout, "N": size}
    return adding_call(rng, given, {"dinp1": dout.double(), "dinp2": dout.double()}, into)


@pytest.mark.task("gpt2_backward.residual_backward", points=1)
def test_both_ways(learner, reference, rng):
    """Both inputs get the whole gradient."""
    check_kernel(learner, "residual_backward", residual_call(rng, 23, ZEROS))


@pytest.mark.task("gpt2_backward.residual_backward", points=1)
def test_residual_adds(learner, reference, rng):
    """Adds to both gradients, for any number of entries."""
    sizes = (1, 40_003, 40_003)  # more than a `short` can count
    check_kernel(learner, "residual_backward", *(residual_call(rng, size, NUMBERS) for size in sizes))


# ---------------------------------------------------------------------------------------------------------------------
# crossentropy_softmax_backward


def loss_call(rng, batch, length, real, padded, into):
    targets = token_ids(rng, real, batch, length)
    dlosses = rng.uniform(batch, length, low=0.1, high=0.5) * (-1.0) ** rng.integers(0, 2, batch, length)
    (logits,) = leaves_of(2 * rng.normal(batch, length, padded))
    losses = F.cross_entropy(logits[..., :real].flatten(0, 1), targets.long().flatten(), reduction="none")
    gradients = dict(zip(["dlogits"], gradients_of(losses.view(batch, length), dlosses, logits)))
    probs = F.pad(logits.detach()[..., :real].softmax(-1), (0, padded - real)).float()
    given = {"dlosses": dlosses, "probs": probs, "targets": targets}
    given |= {"B": batch, "T": length, "V": real, "Vp": padded}
    return adding_call(rng, given, gradients, into)


@pytest.mark.task("gpt2_backward.crossentropy_softmax_backward", points=1)
def test_probability_minus_one(learner, reference, rng):
    """Probability, minus 1 for the target, times the incoming gradient of the position."""
    check_kernel(learner, "crossentropy_softmax_backward", loss_call(rng, 2, 5, 7, 7, ZEROS))


@pytest.mark.task("gpt2_backward.crossentropy_softmax_backward", points=1)
def test_loss_with_padding(learner, reference, rng):
    """Finds every row where the vocabulary is padded."""
    check_kernel(learner, "crossentropy_softmax_backward", loss_call(rng, 4, 3, 300, 307, ZEROS))


@pytest.mark.task("gpt2_backward.crossentropy_softmax_backward", points=1)
def test_loss_adds(learner, reference, rng):
    """Adds to the gradient, and leaves the padding as it is."""
    shapes = ((2, 1, 7, 9), (3, 2, 10, 13), (3, 2, 10, 13))
    check_kernel(learner, "crossentropy_softmax_backward", *(loss_call(rng, *shape, NUMBERS) for shape in shapes))


# ---------------------------------------------------------------------------------------------------------------------
# attention_backward


def attention_call(rng, batch, length, width, heads, *parts, into=ZEROS):
    """``parts``: what is compared, of "q", "k" and "v" (blocks of dinp), "dpreatt" and "datt"."""
    inp, dout = rng.normal(batch, length, 3 * width), rng.normal(batch, length, width)
    (leaf,) = leaves_of(inp)
    preatt, att, out, future = causal_attention(leaf, heads)
    dinp, dpreatt, datt = gradients_of(out, dout, leaf, preatt, att)
    before = torch.zeros(inp.shape) if into == ZEROS else 2 * rng.normal(*inp.shape)
    expected = {
        "dinp": before + dinp,
        "dpreatt": dpreatt.masked_fill(future, 0),
        "datt": datt.masked_fill(future, 0),
    }
    blocks = dict(zip("qkv", expected["dinp"].split(width, dim=-1)))
    for part, values in {**expected, **blocks}.items():
        if part not in parts and part != "dinp":
            values.fill_(math.nan)
    maps = torch.zeros(att.shape)  # preatt and att are used nowhere else: their gradients arrive as zeros
    given = {
        **{"dinp": before, "dpreatt": maps, "datt": maps, "dout": dout, "inp": inp, "att": att.detach().float()},
        **{"B": batch, "T": length, "C": width, "NH": heads},
    }
    return Call(given, expected, into)


@pytest.mark.task("gpt2_backward.attention_backward", points=1)
def test_values(learner, reference, rng):
    """The gradient of the values: each collects from the queries that attend to it."""
    check_kernel(learner, "attention_backward", attention_call(rng, 2, 5, 21, 3, "v"))


@pytest.mark.task("gpt2_backward.attention_backward", points=1)
def test_maps(learner, reference, rng):
    """The gradients of the weights and of the scores, and 0 where a score lies in the future."""
    check_kernel(learner, "attention_backward", attention_call(rng, 3, 4, 10, 2, "datt", "dpreatt"))


@pytest.mark.task("gpt2_backward.attention_backward", points=1)
def test_queries(learner, reference, rng):
    """The gradient of the queries."""
    check_kernel(learner, "attention_backward", attention_call(rng, 2, 5, 21, 3, "q"))


@pytest.mark.task("gpt2_backward.attention_backward", points=1)
def test_keys(learner, reference, rng):
    """The gradient of the keys: each collects from the queries that attend to it."""
    check_kernel(learner, "attention_backward", attention_call(rng, 2, 5, 21, 3, "k"))


@pytest.mark.task("gpt2_backward.attention_backward", points=1)
def test_attention_adds(learner, reference, rng):
    """Adds to what is in `dinp`, for one head, for heads of width 1, and for one position."""
    shapes = ((4, 1, 6, 2), (3, 2, 5, 5), (1, 37, 67, 1), (1, 37, 67, 1))
    calls = [attention_call(rng, *sizes, *"qkv", into=NUMBERS) for sizes in shapes]
    check_kernel(learner, "attention_backward", *calls)


# ---------------------------------------------------------------------------------------------------------------------
# adamw_update


def check_adamw(learner, *steps):
    """As in the unit on optimisers, the parameter may decay before the step or after it, in all steps alike."""
    demand_one(*(lambda calls=calls: check_kernel(learner, "adamw_update", *calls) for calls in zip(*steps)))


def adamw_step(rng, size, step, decay, eps, about, fresh=False, scale=1.0):
    """One step, computed in float64 from the float32 numbers that the C kernel gets; some gradients are 0.

    Two calls: what is expected when the parameter decays before the step, or after it.
    """
    lr, beta1, beta2, eps, decay = (
        value.item() for value in torch.tensor([0.1, 0.9, 0.97, eps, decay], dtype=torch.float32)
    )
    params, grads = rng.normal(size), scale * rng.normal(size)
    grads[5::7] = 0.0  # the moments still move these parameters
    m = torch.zeros(size) if fresh else scale * rng.normal(size)
    v = torch.zeros(size) if fresh else scale**2 * rng.uniform(size, low=0.5, high=2)
    given = {"params": params, "grads": grads, "m": m, "v": v, "n": size, "lr": lr, "beta1": beta1, "beta2": beta2}
    given |= {"eps": eps, "weight_decay": decay, "t": step}
    m = beta1 * m.double() + (1 - beta1) * grads.double()
    v = beta2 * v.double() + (1 - beta2) * grads.double() ** 2
    update = m / (1 - beta1**step) / ((v / (1 - beta2**step)).sqrt() + eps)
    before, after = params.double(), params.double() - lr * update

    return [Call(given, {"params": after - lr * decay * decayed, "m": m, "v": v}, about) for decayed in (before, after)]


@pytest.mark.task("gpt2_backward.adamw_update", points=1)
def test_first_step(learner, reference, rng):
    """The first step, without weight decay."""
    check_adamw(learner, adamw_step(rng, 23, 1, 0.0, 1e-8, "first step, no decay", fresh=True))


@pytest.mark.task("gpt2_backward.adamw_update", points=1)
def test_later_step(learner, reference, rng):
    """A later step: both moments go on from what they were."""
    # More parameters than a `short` can count; and a step so late that hardly anything is left to correct.
    late = adamw_step(rng, 9, 70, 0.0, 1e-8, "step 70, no decay")
    more = [adamw_step(rng, 40_003, step, 0.0, 1e-8, f"step {step}, no decay") for step in (4, 5)]
    check_adamw(learner, late, *more)


@pytest.mark.task("gpt2_backward.adamw_update", points=1)
def test_weight_decay(learner, reference, rng):
    """Weight decay shrinks the parameter directly, by lr * weight_decay of what it was."""
    check_adamw(learner, adamw_step(rng, 19, 3, 0.3, 1e-8, "with decay"))


@pytest.mark.task("gpt2_backward.adamw_update", points=1)
def test_epsilon(learner, reference, rng):
    """eps is added to the root of the corrected second moment."""
    check_adamw(learner, adamw_step(rng, 17, 2, 0.1, 1e-3, "gradients around eps", fresh=True, scale=1e-3))
    check_adamw(learner, adamw_step(rng, 1, 5, 0.1, 1e-3, "one parameter", scale=1e-3))
