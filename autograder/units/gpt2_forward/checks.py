"""Checks of the unit on GPT-2's forward pass: C kernels, which may touch no byte outside the arrays that they get.

Each task stands with its helper and its checks. Sizes that could be confused (B, T, C, OC, NH, V, Vp) differ, unless a
check is about equal ones, and are rarely multiples of a block size. Arrays that a C kernel writes hold NaN before the
call, or 1000. PyTorch computes the expected values in float64. Every `check_kernel` starts a process, so there are few
calls, each of which shows much. One check of every task makes several calls in one process.
"""

import math

import pytest
import torch
from torch.nn import functional as F

from autograder.judging.c_assertions import Call, check_kernel
from autograder.units.support.gpt2 import causal_attention, token_ids, uneven_rows

# What stands in the arrays before a kernel writes them. A search for the largest number that includes these old
# contents finds 1000, and would not find NaN. And 1000 plus a number is another number, while NaN stays NaN: so an
# array that is added to can be told from one that is never written.
GARBAGE = 1000.0


# ---------------------------------------------------------------------------------------------------------------------
# encoder_forward


def encoder_call(rng, batch, length, width, vocabulary, positions, fill):
    ids = token_ids(rng, vocabulary, batch, length)
    wte, wpe = rng.normal(vocabulary, width), rng.normal(positions, width)
    given = {"inp": ids, "wte": wte, "wpe": wpe, "B": batch, "T": length, "C": width}
    expected = wte.double()[ids.long()] + wpe.double()[:length]
    return Call(given, {"out": expected}, f"wpe has {positions} rows", fill=fill)


@pytest.mark.task("gpt2_forward.encoder_forward", points=1)
def test_token_plus_place(learner, reference, rng):
    """Every position gets its token's vector plus its position's vector."""
    # More rows in wpe than B * T: positions that go on counting in the second sequence are read without a crash.
    call = encoder_call(rng, batch=3, length=5, width=7, vocabulary=11, positions=17, fill=math.nan)
    check_kernel(learner, "encoder_forward", call)


@pytest.mark.task("gpt2_forward.encoder_forward", points=1)
def test_as_many_places_as_positions(learner, reference, rng):
    """Reads nothing beyond the tables, and overwrites what was in `out`."""
    calls = [
        encoder_call(rng, batch=4, length=3, width=10, vocabulary=5, positions=3, fill=GARBAGE),
        # More tokens than a `short` can count, as in GPT-2.
        encoder_call(rng, batch=2, length=19, width=11, vocabulary=40_000, positions=19, fill=GARBAGE),
        encoder_call(rng, batch=2, length=19, width=11, vocabulary=40_000, positions=19, fill=GARBAGE),
    ]
    check_kernel(learner, "encoder_forward", *calls)


# ---------------------------------------------------------------------------------------------------------------------
# layernorm_forward


def layernorm_call(rng, x, arrays, about="", tolerance=1e-5, fill=math.nan):
    """Compares the arrays that are named, and ignores what is in the others."""
    batch, length, width = x.shape
    weight, bias = rng.normal(width), rng.normal(width)
    given = {"inp": x, "weight": weight, "bias": bias, "B": batch, "T": length, "C": width}
    exact = x.double()
    expected = {
        "out": F.layer_norm(exact, (width,), weight.double(), bias.double(), eps=1e-5),
        "mean": exact.mean(-1),
        "rstd": (exact.var(-1, unbiased=False) + 1e-5).rsqrt(),
    }
    for array, values in expected.items():
        if array not in arrays:
            values.fill_(math.nan)
    return Call(given, expected, about, tolerance, fill)


@pytest.mark.task("gpt2_forward.layernorm_forward", points=1)
def test_rows_are_normalised(learner, reference, rng):
    """Every row is shifted and scaled, then multiplied by `weight`, and `bias` is added."""
    calls = [layernorm_call(rng, uneven_rows(rng, *shape), ("out",)) for shape in ((2, 5, 7), (3, 1, 131))]
    check_kernel(learner, "layernorm_forward", calls[0])
    check_kernel(learner, "layernorm_forward", calls[1])


@pytest.mark.task("gpt2_forward.layernorm_forward", points=1)
def test_mean_and_rstd(learner, reference, rng):
    """Writes the mean of every row, and 1 over its standard deviation, for the backward pass."""
    shapes = ((3, 4, 9), (4, 7, 11), (4, 7, 11))
    calls = [layernorm_call(rng, uneven_rows(rng, *shape), ("mean", "rstd"), fill=GARBAGE) for shape in shapes]
    check_kernel(learner, "layernorm_forward", *calls)


@pytest.mark.task("gpt2_forward.layernorm_forward", points=1)
def test_rows_that_hardly_vary(learner, reference, rng):
    """Adds 1e-5 to the variance, inside the root."""
    # Standard deviations around 0.002: catches 1e-5 outside the root, and another number. The last row is constant.
    x = 0.002 * rng.normal(2, 3, 13) + rng.integers(-2, 3, 2, 3, 1) / 4
    x[-1, -1] = 0.5
    call = layernorm_call(rng, x, ("out", "rstd"), "rows that hardly vary", tolerance=1e-3)
    check_kernel(learner, "layernorm_forward", call)


@pytest.mark.task("gpt2_forward.layernorm_forward", points=1)
def test_rows_far_from_zero(learner, reference, rng):
    """Exact for rows that lie far from 0."""
    # The sum of these numbers is exact, in any order, but that of their squares is not: near 4096 * 4096, neighbouring
    # float32 numbers are 1 or 2 apart, and the variance is 2. Catches E[x^2] - E[x]^2. The mean of 32 of them is exact,
    # too, so that right code in float and in double agrees.
    x = rng.integers(-10, 11, 2, 4, 32) / 4 + 4096
    call = layernorm_call(rng, x, ("out", "rstd"), "rows near 4096", tolerance=4e-3)
    check_kernel(learner, "layernorm_forward", call)


# ---------------------------------------------------------------------------------------------------------------------
# matmul_forward


def matmul_call(rng, batch, length, width, outputs, with_bias, fill=math.nan):
    x, weight = rng.normal(batch, length, width), rng.normal(outputs, width)
    bias = 3 * rng.normal(outputs) if with_bias else None
    given = {"inp": x, "weight": weight, "bias": bias, "B": batch, "T": length, "C": width, "OC": outputs}
    expected = F.linear(x.double(), weight.double(), bias.double() if with_bias else None)
    about = "with a bias" if with_bias else "bias is NULL"
    return Call(given, {"out": expected}, about, fill=fill)


@pytest.mark.task("gpt2_forward.matmul_forward", points=1)
def test_linear_layer(learner, reference, rng):
    """Every position's vector goes through the same linear layer, and `bias` is added."""
    check_kernel(learner, "matmul_forward", matmul_call(rng, 2, 3, 5, 7, with_bias=True))
    check_kernel(learner, "matmul_forward", matmul_call(rng, 3, 2, 10, 1, with_bias=True, fill=GARBAGE))


@pytest.mark.task("gpt2_forward.matmul_forward", points=1)
def test_without_bias(learner, reference, rng):
    """Works without a bias: `bias` is NULL."""
    check_kernel(learner, "matmul_forward", matmul_call(rng, 3, 2, 7, 5, with_bias=False, fill=GARBAGE))


@pytest.mark.task("gpt2_forward.matmul_forward", points=1)
def test_larger_layer(learner, reference, rng):
    """Exact for long sums, and complete where no size is a multiple of 4 or 8."""
    # Larger than the blocks and the small arrays of fast code: catches code that skips the rest after the last block.
    # The calls before it catch code that keeps something of a smaller layer, such as its transposed weights.
    small = [matmul_call(rng, 3, 5, 10, 7, with_bias=True, fill=GARBAGE) for _ in range(2)]
    large = matmul_call(rng, 2, 37, 211, 71, with_bias=True, fill=GARBAGE)
    check_kernel(learner, "matmul_forward", *small, large)


# ---------------------------------------------------------------------------------------------------------------------
# gelu_forward


def gelu_call(x, about, fill=math.nan):
    return Call({"inp": x, "N": len(x)}, {"out": F.gelu(x.double(), approximate="tanh")}, about, fill=fill)


@pytest.mark.task("gpt2_forward.gelu_forward", points=1)
def test_curve(learner, reference, rng):
    """The curve between -5 and 5."""
    x = torch.cat([rng.uniform(94, low=-5, high=5), torch.tensor([0.0, 0.5, -0.5])])
    check_kernel(learner, "gelu_forward", gelu_call(x, "inp from -5 to 5"))
    more = [rng.uniform(size, low=0.5, high=1) for size in (1, 33, 33)]
    check_kernel(learner, "gelu_forward", *(gelu_call(x, "inp from 0.5 to 1", fill=GARBAGE) for x in more))


@pytest.mark.task("gpt2_forward.gelu_forward", points=1)
def test_far_from_zero(learner, reference, rng):
    """Large numbers stay as they are, and numbers far below 0 become 0."""
    x = torch.cat([rng.uniform(5, low=12, high=90), rng.uniform(6, low=-90, high=-12)])
    check_kernel(learner, "gelu_forward", gelu_call(x, "inp from 12 to 90, and from -90 to -12"))


# ---------------------------------------------------------------------------------------------------------------------
# residual_forward


def residual_call(rng, size, fill):
    one, other = rng.normal(size), 2 * rng.normal(size)
    given = {"inp1": one, "inp2": other, "N": size}
    return Call(given, {"out": one.double() + other.double()}, fill=fill)


@pytest.mark.task("gpt2_forward.residual_forward", points=1)
def test_sum(learner, reference, rng):
    """Adds entry by entry, and leaves both inputs as they were."""
    check_kernel(learner, "residual_forward", residual_call(rng, 23, math.nan))


@pytest.mark.task("gpt2_forward.residual_forward", points=1)
def test_whatever_stood_in_out(learner, reference, rng):
    """Overwrites what was in `out`, and works for any number of entries."""
    sizes = (1, 40_003, 40_003)  # more than a `short` can count
    check_kernel(learner, "residual_forward", *(residual_call(rng, size, GARBAGE) for size in sizes))


# ---------------------------------------------------------------------------------------------------------------------
# attention_forward


def attention_call(inp, heads, arrays, about="", tolerance=1e-5, fill=math.nan):
    """Compares the arrays that are named, and ignores what is in the others."""
    batch, length, width = inp.shape[0], inp.shape[1], inp.shape[2] // 3
    given = {"inp": inp, "B": batch, "T": length, "C": width, "NH": heads}
    preatt, att, out, future = causal_attention(inp.double(), heads)
    expected = {
        "preatt": preatt.masked_fill(future, math.nan),  # free
        "att": att,
        "out": out,
    }
    for array, values in expected.items():
        if array not in arrays:
            values.fill_(math.nan)
    zeros = {"att": (future, "the future positions of `att`")} if "att" in arrays else {}
    return Call(given, expected, about, tolerance, fill, zeros, free={"preatt": future})


@pytest.mark.task("gpt2_forward.attention_forward", points=1)
def test_scores(learner, reference, rng):
    """`preatt` holds the scaled dot products of every query with the keys up to its own position."""
    check_kernel(learner, "attention_forward", attention_call(rng.normal(2, 5, 3 * 21), 3, ("preatt",)))


@pytest.mark.task("gpt2_forward.attention_forward", points=1)
def test_weights(learner, reference, rng):
    """`att` holds the softmax of these scores, and 0 at future positions."""
    check_kernel(learner, "attention_forward", attention_call(rng.normal(3, 4, 3 * 10), 2, ("att",)))


@pytest.mark.task("gpt2_forward.attention_forward", points=1)
def test_output(learner, reference, rng):
    """`out` holds the weighted sums of the values, the heads side by side."""
    check_kernel(learner, "attention_forward", attention_call(rng.normal(2, 5, 3 * 21), 3, ("out",)))


@pytest.mark.task("gpt2_forward.attention_forward", points=1)
def test_other_sizes(learner, reference, rng):
    """Right for one head, for heads of width 1, for one position, and whatever was in the arrays before."""
    calls = [
        attention_call(rng.normal(batch, length, 3 * width), heads, ("preatt", "att", "out"), fill=GARBAGE)
        for batch, length, width, heads in ((4, 1, 6, 2), (3, 2, 5, 5), (1, 37, 67, 1), (1, 37, 67, 1))
    ]
    check_kernel(learner, "attention_forward", *calls)


@pytest.mark.task("gpt2_forward.attention_forward", points=1)
def test_large_scores(learner, reference, rng):
    """Right where all scores of a row are far above 0, or far below, or far apart."""
    # Heads of width 4, and numbers of few digits, so that every score is exact. Sequence by sequence the scores are
    # near 20480 (catches exp without a shift), -192 (catches a maximum that is searched from 0 up, and, since the first
    # query's are 192, one maximum for all rows), -20480 (catches a search from -10000 up), and equal to -2e9 (catches
    # one from -1e9 up). In the next two they rise or fall from key to key by 96: catches a shift by the first score,
    # the last one, or the one farthest from 0. In the last one they are near -800: there a search from 0 up fails even
    # if exp is computed in double.
    batch, length, heads = 7, 5, 2
    qkv = rng.integers(-2, 3, batch, length, 3, heads, 4) / 2.0
    qkv[:, :, 0, :, 0] = torch.tensor([128.0, -128, -128, -1, 128, -128, -128])[:, None, None]
    qkv[1, 0, 0, :, 0] = 128
    qkv[3, :, 0, :, 1:] = 0
    centres = torch.tensor([320.0, 3, 320, 2.0**32, 0, 0, 12.5])[:, None] + torch.zeros(length)
    centres[4:6] += 1.5 * torch.arange(length)
    qkv[:, :, 1, :, 0] = centres[..., None] + rng.integers(-4, 5, batch, length, heads) / 128
    about = "all scores of a sequence near 20480, -192, -800, -20480, or -2e9, or rising or falling by 96"
    check_kernel(learner, "attention_forward", attention_call(qkv.flatten(2), heads, ("att", "out"), about, 1e-4))


# ---------------------------------------------------------------------------------------------------------------------
# softmax_forward


def softmax_call(logits, real, about="", fill=math.nan):
    batch, length, padded = logits.shape
    given = {"logits": logits, "B": batch, "T": length, "V": real, "Vp": padded}
    probs = logits[..., :real].double().softmax(-1)
    probs = F.pad(probs, (0, padded - real))
    zeros = {"probs": (torch.arange(padded) >= real, "the probabilities of the padded columns")}
    return Call(given, {"probs": probs}, about, fill=fill, zeros=zeros)


@pytest.mark.task("gpt2_forward.softmax_forward", points=1)
def test_probabilities(learner, reference, rng):
    """Every row becomes probabilities, where nothing is padded."""
    check_kernel(learner, "softmax_forward", softmax_call(2 * rng.normal(2, 3, 7), 7, "no padding"))


@pytest.mark.task("gpt2_forward.softmax_forward", points=1)
def test_padded_vocabulary(learner, reference, rng):
    """The padded columns get probability 0, and take nothing from the others."""
    few = softmax_call(2 * rng.normal(4, 3, 13), 11, "2 padded columns")
    many = [softmax_call(2 * rng.normal(3, 2, 307), 300, "7 padded columns") for _ in range(2)]
    check_kernel(learner, "softmax_forward", few, *many)


@pytest.mark.task("gpt2_forward.softmax_forward", points=1)
def test_anything_in_the_padding(learner, reference, rng):
    """The logits of the padding have no influence, whatever they are."""
    logits = 2 * rng.normal(2, 5, 13)
    logits[..., 9:] = torch.tensor([1000.0, math.nan, math.inf, -math.inf])
    call = softmax_call(logits, 9, "1000, NaN and infinities in the padding", GARBAGE)
    check_kernel(learner, "softmax_forward", call)


@pytest.mark.task("gpt2_forward.softmax_forward", points=1)
def test_large_logits(learner, reference, rng):
    """Right where all logits of a row are far above 0, or far below, or far apart."""
    # Numbers of few digits: their differences are exact. Catches, row by row: exp without a shift; a maximum that is
    # searched from 0 up, from -10000 up, or from -1e9 up. The row near -800 catches a search from 0 up in double, where
    # exp(-800) is 0, too, and one maximum for all rows. The last rows spread so widely that only a shift by the largest
    # logit works. It is the last, the first, the second or another logit, and not always the one farthest from 0.
    logits = torch.tensor([[20000.0, -200, -20000], [0, -800, 0], [0, 0, 0]])[..., None].repeat(1, 1, 10)
    logits += rng.integers(-16, 17, 3, 3, 10) / 4
    logits[1, 0] = -3e9
    logits[1, 2, :8] += torch.tensor([0.0, 30, 60, 90, 120, 150, 180, 310])
    logits[2, :, :8] += torch.tensor(
        [[310.0, 0, 30, 60, 90, 60, 30, 0], [0, 310, 0, 30, 60, 90, 120, 60], [-900, 0, 60, 90, 310, 60, -800, 30]]
    )
    about = "logits near 20000, -200, -20000, -3e9 or -800; the last four rows with one near 310 far above the others"
    check_kernel(learner, "softmax_forward", softmax_call(logits, 8, about))


# ---------------------------------------------------------------------------------------------------------------------
# crossentropy_forward


def crossentropy_call(probs, targets, about="", fill=math.nan):
    batch, length, padded = probs.shape
    given = {"probs": probs, "targets": targets, "B": batch, "T": length, "Vp": padded}
    losses = -probs.double().gather(-1, targets.long()[..., None])[..., 0].log()
    return Call(given, {"losses": losses}, about, fill=fill)


@pytest.mark.task("gpt2_forward.crossentropy_forward", points=1)
def test_losses(learner, reference, rng):
    """The loss of every position is minus the logarithm of its target's probability."""
    probs = (2 * rng.normal(3, 5, 11)).softmax(-1)
    calls = [crossentropy_call(probs, token_ids(rng, 11, 3, 5)) for _ in range(2)]
    # More tokens than a `short` can count, as in GPT-2.
    many = (2 * rng.normal(1, 2, 40_000)).softmax(-1)
    large = crossentropy_call(many, torch.tensor([[39_000, 300]], dtype=torch.int32), fill=GARBAGE)
    check_kernel(learner, "crossentropy_forward", calls[0])
    check_kernel(learner, "crossentropy_forward", *calls, large)


@pytest.mark.task("gpt2_forward.crossentropy_forward", points=1)
def test_extreme_probabilities(learner, reference, rng):
    """A probability of 1 costs nothing, a tiny one much, and 0 an infinite loss."""
    probs, targets = rng.uniform(2, 3, 7), token_ids(rng, 7, 2, 3)
    certain = torch.tensor([[1.0, 1e-30, 1e-7], [0.5, 1e-12, 0.0]])
    probs.scatter_(-1, targets.long()[..., None], certain[..., None])
    probs = F.pad(probs, (0, 2))  # padding, which has probability 0: catches 0 * logf(0)
    call = crossentropy_call(probs, targets, "probabilities of the targets from 0 to 1", GARBAGE)
    check_kernel(learner, "crossentropy_forward", call)
