"""Checks of the unit on many heads.

Each task stands with its drivers, helpers and checks, from basic to subtle. Each check looks at one mechanism. Sizes
that could be confused (batch, heads, queries, keys, widths) differ, unless a comment says what equal ones are for.
Where float64 is compared, the width of a head is a square number, so that a root taken in float32 is exact too: that is
a style, not a mistake.
"""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from autograder.judging.assertions import assert_close, assert_equal
from autograder.judging.replies import LearnerRaised, assert_raises, reply_of
from autograder.units.support.calls import named, shape_of
from autograder.units.support.drivers import (
    complaint_about_layers,
    load_layers,
    weighted_gradients,
    zero_parameters,
)
from autograder.units.support.statistics import share_of

LAYERS = ("w_q", "w_k", "w_v", "w_o")


# ---------------------------------------------------------------------------------------------------------------------
# split_heads


def split_by_slices(x, num_heads):
    width = x.shape[-1] // num_heads
    return torch.stack([x[..., head * width : (head + 1) * width] for head in range(num_heads)], dim=1)


@pytest.mark.task("multihead.split_heads", points=2)
def test_split(learner, reference, rng):
    """Head h holds its own part of the width, for all positions."""
    # Heads and their width differ. One head, and as many heads as entries, are the ends of the range.
    for b, t, d_model, h in ((2, 5, 12, 3), (3, 4, 10, 5), (1, 6, 7, 1), (2, 3, 5, 5), (2, 1, 6, 2), (2, 3, 16, 8)):
        x = rng.normal(b, t, d_model)
        assert_equal(learner.split_heads(x, h), split_by_slices(x, h), f"split_heads(x, {h}) for x {shape_of(x)}")


def reshape(learner, name, x, axes, options, cotangent=None):
    """Call `split_heads` or `merge_heads` on x with its axes permuted, which leaves it scattered in memory.

    Returns the result, and x as the call left it; with a cotangent, the gradient of the result's weighted sum (zero
    where none arrives).
    """
    x = x.requires_grad_() if cotangent is not None else x
    result = getattr(learner, name)(x.permute(axes), *options)
    if cotangent is None:
        return result, x
    return result, weighted_gradients(result, cotangent, [x])[0]


def reshaped(subject, *request):
    """The reply of `reshape`."""
    return subject.run(reshape, *request, uses=(weighted_gradients,))


@pytest.mark.task("multihead.split_heads", points=1)
def test_split_types_layout_and_gradient(learner, reference, rng):
    """Works in every type and memory layout, leaves x as it was, and lets gradients through."""
    h, cotangent = 3, rng.normal(2, 3, 5, 4, dtype=torch.float64)
    for dtype in (torch.float64, torch.bfloat16, torch.int64):
        x = rng.integers(-9, 9, 5, 12, 2).to(dtype)  # (T, d_model, B)
        result, after = reshaped(learner, "split_heads", x, (2, 0, 1), (h,))
        assert_equal(result, split_by_slices(x.permute(2, 0, 1), h), f"split_heads of a permuted tensor in {dtype}")
        assert_equal(after, x, f"the argument of split_heads (it must not change) after the call ({dtype})")
    x = rng.normal(2, 5, 12, dtype=torch.float64)
    result, gradient = reshaped(learner, "split_heads", x, (0, 1, 2), (h,), cotangent)
    expected = cotangent.permute(0, 2, 1, 3).reshape(2, 5, 12)
    assert_equal(
        (result, gradient),
        (split_by_slices(x, h), expected),
        ("split_heads(x, 3)", "the gradient of split_heads(x, 3) with respect to x"),
    )


def check_raises(call, what):
    """Any error is accepted."""
    try:
        got = call()
    except LearnerRaised:
        return
    shape = f"a tensor of shape {shape_of(got)}" if isinstance(got, torch.Tensor) else type(got).__name__
    raise AssertionError(f"{what} should raise an error, but returned {shape}.")


@pytest.mark.task("multihead.split_heads", points=1)
def test_split_uneven(learner, reference, rng):
    """A width that cannot be shared evenly is an error."""
    # A width of 6 for 4 heads: catches torch.chunk, which makes 3 heads without an error.
    for d_model, h in ((10, 4), (6, 4), (2, 3)):
        x = rng.normal(2, 5, d_model)
        check_raises(lambda x=x, h=h: learner.split_heads(x, h), f"split_heads(x, {h}) for x {shape_of(x)}")


# ---------------------------------------------------------------------------------------------------------------------
# merge_heads


def merge_by_slices(x):
    return torch.cat([x[:, head] for head in range(x.shape[1])], dim=-1)


@pytest.mark.task("multihead.merge_heads", points=2)
def test_merge(learner, reference, rng):
    """The heads of each position stand side by side, head 0 first."""
    # The last shape occurs twice: catches answers that are kept by shape.
    sizes = (2, 3, 5, 4), (3, 5, 4, 2), (1, 1, 6, 7), (2, 5, 3, 1), (2, 3, 1, 2), (2, 4, 4, 3), (2, 4, 4, 3)
    for b, h, t, d_head in sizes:
        # The layout that `split_heads` leaves, with positions before heads in memory: even a view works on it.
        x = rng.normal(b, t, h, d_head)
        result, _ = reshaped(learner, "merge_heads", x, (0, 2, 1, 3), ())
        x = x.permute(0, 2, 1, 3)
        assert_equal(result, merge_by_slices(x), f"merge_heads(x) for x {shape_of(x)}")


@pytest.mark.task("multihead.merge_heads", points=1)
def test_merge_any_layout(learner, reference, rng):
    """Works however the numbers lie in memory."""
    # Contiguous (B, H, T, d_head) is what attention returns: catches a view. Then come other orders of the axes.
    for axes in ((0, 1, 2, 3), (3, 0, 2, 1), (1, 2, 3, 0)):
        x = rng.normal(2, 3, 4, 5)
        result, after = reshaped(learner, "merge_heads", x, axes, ())
        assert_equal(result, merge_by_slices(x.permute(axes)), f"merge_heads of a tensor with its axes permuted {axes}")
        assert_equal(after, x, "the argument of merge_heads (it must not change) after the call")


@pytest.mark.task("multihead.merge_heads", points=1)
def test_merge_types_and_gradient(learner, reference, rng):
    """Keeps the type, and lets gradients through."""
    for dtype in (torch.float64, torch.bfloat16):
        x, cotangent = rng.normal(2, 5, 3, 4, dtype=dtype), rng.normal(2, 5, 12, dtype=dtype)
        result, gradient = reshaped(learner, "merge_heads", x, (0, 2, 1, 3), (), cotangent)
        expected = x.reshape(2, 5, 12), cotangent.reshape(2, 5, 3, 4)
        assert_equal(
            (result, gradient),
            expected,
            named(("merge_heads(x)", "the gradient of merge_heads(x) with respect to x"), dtype),
        )


# ---------------------------------------------------------------------------------------------------------------------
# MultiHeadAttention


def random_parameters(rng, d_model, dtype=torch.float32):
    """Weights and biases of order 1: small ones would hide most mistakes, larger ones make every softmax one-hot."""
    return {
        name: (0.4 * rng.normal(d_model, d_model, dtype=dtype), rng.normal(d_model, dtype=dtype)) for name in LAYERS
    }


def random_inputs(rng, b, t_q, t_k, d_model, dtype=torch.float32):
    return tuple(rng.normal(b, t, d_model, dtype=dtype) for t in (t_q, t_k, t_k))


def heads_in_loops(num_heads, parameters, inputs, mask=None, without=()):
    """Output and weights, head by head in float64: an oracle that shares nothing with the reference.

    The heads in ``without`` contribute nothing.
    """
    dtype, d_model = inputs[0].dtype, inputs[0].shape[-1]
    query, key, value = (x.double() for x in (inputs if len(inputs) == 3 else inputs * 3))
    w_q, w_k, w_v, w_o = ((weight.double(), bias.double()) for weight, bias in (parameters[name] for name in LAYERS))
    output, kept = w_o[1].expand(query.shape).clone(), []
    width = d_model // num_heads
    for head in range(num_heads):
        own = slice(head * width, (head + 1) * width)
        q, k, v = (F.linear(x, w[own], b[own]) for x, (w, b) in ((query, w_q), (key, w_k), (value, w_v)))
        scores = torch.einsum("bqc,bkc->bqk", q, k) / math.sqrt(width)
        if mask is not None:
            of_head = mask if mask.dim() == 2 else mask[:, head % mask.shape[1]]
            scores = scores.masked_fill(~of_head, -math.inf)
        weights = scores.softmax(-1).nan_to_num(0.0)
        kept.append(weights)
        if head not in without:
            output += weights @ v @ w_o[0][:, own].T
    return output.to(dtype), torch.stack(kept, 1).to(dtype)


PAIR = ("module(query, key, value)", "module.weights")


def attend(
    learner, num_heads, parameters, inputs, mask=None, options=None, training=False, cotangent=None, before=None
):
    """Build a module, call it, give it its weights, and call it again; what is returned belongs to the second call.

    The first call has the mask ``before``. One input stands for query, key and value. Returns the output, the kept
    weights, and the inputs and the mask as the call left them; with a cotangent, the gradients of the output's
    weighted sum with respect to inputs and parameters. If a layer is wrong, returns a sentence that says so instead.
    """
    d_model = inputs[0].shape[-1]
    module = learner.MultiHeadAttention(d_model, num_heads, **(options or {})).to(inputs[0].dtype).train(training)
    if complaint := complaint_about_layers(module, parameters):
        return complaint
    query, key, value = inputs if len(inputs) == 3 else inputs * 3
    module(query + 1, key + 1, value + 1, before)  # catches modules that keep what their first call got, or its mask
    weights = load_layers(module, parameters)
    # A second module with other heads: catches layers, or a number of heads, that all modules share.
    zero_parameters(learner.MultiHeadAttention(d_model, d_model if num_heads < d_model else 1))
    if cotangent is not None:
        inputs = tuple(x.requires_grad_() for x in inputs)
    query, key, value = inputs if len(inputs) == 3 else inputs * 3
    torch.default_generator.manual_seed(0)  # so dropout draws the same, however many numbers the parameters took
    output = module(query, key, value, mask)
    if cotangent is None:
        return output, module.weights, (*inputs, *(() if mask is None else (mask,)))
    return (output, *weighted_gradients(output, cotangent, [*inputs, *weights]))


def attended(subject, *request, **options):
    """The reply of `attend`."""
    uses = (complaint_about_layers, load_layers, zero_parameters, weighted_gradients)
    return reply_of(subject, attend, *request, parts=3, uses=uses, **options)


def check_module(learner, rng, b, h, t_q, t_k, d_model, mask=None, inputs=None):
    """Output and weights equal those of the loops, and the arguments are as they were. Returns the reply."""
    parameters, inputs = random_parameters(rng, d_model), inputs or random_inputs(rng, b, t_q, t_k, d_model)
    where = f"d_model={d_model}, num_heads={h}, query ({b}, {t_q}, {d_model}), key ({b}, {t_k}, {d_model})"
    where += "" if mask is None else f", mask {shape_of(mask)}"
    before = None if mask is None else ~mask
    output, weights, after = attended(learner, h, parameters, inputs, mask, before=before)
    assert_close((output, weights), heads_in_loops(h, parameters, inputs, mask), named(PAIR, where))
    given = (*inputs, *(() if mask is None else (mask,)))
    names = ("query", "key", "value") if len(inputs) == 3 else ("query, the same tensor as key and value,",)
    names = (*names, *(() if mask is None else ("mask",)))
    assert_equal(
        tuple(after), given, [f"the argument {name} (it must not change) after the call ({where})" for name in names]
    )
    return output, weights, parameters


@pytest.mark.task("multihead.MultiHeadAttention", points=2)
def test_output_and_weights(learner, reference, rng):
    """With given weights and biases, output and weights are right, for one head and for many."""
    # T_q = T_k in one case: catches a causal mask that nobody asked for. One query is what step-by-step decoding has.
    cases = ((2, 3, 4, 5, 12), (3, 2, 4, 4, 10), (1, 6, 1, 3, 6), (2, 1, 5, 3, 7), (4, 2, 3, 5, 16))
    for b, h, t_q, t_k, d_model in cases:
        check_module(learner, rng, b, h, t_q, t_k, d_model)
    # The same tensor three times, as in self-attention: catches a wrong shortcut for that case.
    check_module(learner, rng, 2, 3, 5, 5, 12, inputs=(rng.normal(2, 5, 12),))


@pytest.mark.task("multihead.MultiHeadAttention", points=2)
def test_mask(learner, reference, rng):
    """Follows masks of all four shapes, whether all heads share one mask or each head has its own."""
    cases = [(2, 3, 4, 5, axes) for axes in ("qk", "b11k", "b1qk", "bhqk")]
    # As many sequences as heads, or as queries: catches a mask that lost an axis, or got one too many, and still fits.
    cases += [
        (3, 3, 4, 5, "b11k"),
        (3, 3, 4, 5, "b1qk"),
        (4, 2, 4, 5, "b11k"),
        (2, 3, 4, 4, "b1qk"),
        (4, 2, 4, 5, "qk"),
        (2, 3, 4, 4, "bhqk"),
    ]
    for b, h, t_q, t_k, axes in cases:
        shape = [{"b": b, "h": h, "q": t_q, "k": t_k, "1": 1}[axis] for axis in axes]
        mask = rng.mask(*shape)
        # The first row allows the last key alone: no causal mask does, and all other keys are forbidden.
        mask.view(-1, t_k)[0] = torch.arange(t_k) == t_k - 1
        _, weights, _ = check_module(learner, rng, b, h, t_q, t_k, 4 * h, mask)
        forbidden = weights[~mask.expand(weights.shape)]
        # Exactly zero: 1e-9 would pass a tolerance, and be a hole in the mask all the same.
        what = f"module.weights where the mask {tuple(shape)} is False"
        assert_equal(forbidden, torch.zeros_like(forbidden), what)
    parameters, inputs = random_parameters(rng, 12), random_inputs(rng, 2, 4, 5, 12)
    output, weights, _ = attended(learner, 3, parameters, inputs, before=rng.mask(4, 5))
    expected = heads_in_loops(3, parameters, inputs)
    assert_close((output, weights), expected, named(PAIR, "a call without a mask, after one with a mask"))
    # One tensor for all three and a mask, as in self-attention: catches a shortcut that ignores the mask.
    check_module(learner, rng, 2, 3, 5, 5, 12, rng.mask(2, 1, 5, 5), (rng.normal(2, 5, 12),))
    mask = rng.mask(2, 1, 1, 5)
    output, *_ = attended(learner, 3, parameters, inputs, mask, training=True)
    expected, _ = heads_in_loops(3, parameters, inputs, mask)
    assert_close(output, expected, f"{PAIR[0]} (mask {shape_of(mask)}, in training mode)")


@pytest.mark.task("multihead.MultiHeadAttention", points=1)
def test_nothing_to_attend(learner, reference, rng):
    """The output of a query that may attend to nothing is the bias of w_o."""
    b, h, t_q, t_k, d_model = 3, 2, 4, 5, 10
    padding = rng.mask(b, 1, 1, t_k)
    padding[1] = False  # a sequence of padding only
    rows, some = rng.mask(t_q, t_k), rng.mask(b, h, t_q, t_k)
    rows[2], some[0, 1, 3], some[2, :, 0] = False, False, False  # one head only, and all heads of a query
    for mask in (padding, rows, some):
        output, weights, parameters = check_module(learner, rng, b, h, t_q, t_k, d_model, mask)
        empty = ~mask.any(-1).expand(b, h, t_q)
        where = f"mask {shape_of(mask)}"
        zeros = torch.zeros(int(empty.sum()), t_k)
        assert_equal(weights[empty], zeros, f"the weights of queries that may attend to nothing ({where})")
        found = output[empty.all(1)]
        bias = parameters["w_o"][1].expand(found.shape)
        assert_close(found, bias, f"{PAIR[0]} for queries that may attend to nothing in any head ({where})")


def manages(learner, num_heads, parameters, inputs):
    """Whether a call without a mask is right."""
    try:
        output, *_ = attended(learner, num_heads, parameters, inputs)
        assert_close(output, heads_in_loops(num_heads, parameters, inputs)[0], "the output")
    except (LearnerRaised, AssertionError):
        return False
    return True


@pytest.mark.task("multihead.MultiHeadAttention", points=1)
def test_mask_of_low_scores(learner, reference, rng):
    """Follows the mask also where all scores are far below zero, or where a forbidden one is far above the others."""
    b, h, t_q, t_k, d_model = 2, 3, 4, 5, 12
    plain = random_parameters(rng, d_model, torch.float64)
    inputs, mask = random_inputs(rng, b, t_q, t_k, d_model, torch.float64), rng.mask(b, 1, t_q, t_k, keep=0.5)
    # Biases of 150 and -150 put every score near -45000: catches a fill of -10000, which would be the largest of its
    # row. Code that cannot handle such scores even without a mask (their exponentials are 0) gets scores near -288:
    # this unit does not ask for more.
    for bias, scores in ((150.0, -45000), (12.0, -288)):
        biases = {name: torch.full((d_model,), sign * bias).double() for name, sign in (("w_q", 1), ("w_k", -1))}
        parameters = plain | {name: (0.01 * plain[name][0], biases[name]) for name in biases}
        if scores == -288 or manages(learner, h, parameters, inputs):
            break
    output, weights, _ = attended(learner, h, parameters, inputs, mask)
    expected = heads_in_loops(h, parameters, inputs, mask)
    assert_close((output, weights), expected, named(PAIR, f"scores near {scores}, with a mask"))
    # A forbidden key with scores of 80, the others of -80: catches a mask after the softmax, where that key has taken
    # the whole row. (The exponentials of such scores fit into float32.)
    plain, inputs = random_parameters(rng, d_model), random_inputs(rng, b, t_q, t_k, d_model)
    size, zeros = math.sqrt(40), torch.zeros(d_model)
    parameters = plain | {"w_q": (0.01 * plain["w_q"][0], zeros + size), "w_k": (0.01 * plain["w_k"][0], zeros)}
    parameters["w_k"][0][:, 0] = size
    inputs[1][..., 0] = torch.tensor([-1.0, -1.0, 1.0, -1.0, -1.0])
    mask = rng.mask(b, 1, t_q, t_k)
    mask[..., 2], mask[..., 3] = False, True
    output, weights, _ = attended(learner, h, parameters, inputs, mask)
    expected = heads_in_loops(h, parameters, inputs, mask)
    # Neighbouring float32 numbers are 1e-5 apart at 80, which shows in some right forms.
    assert_close((output, weights), expected, named(PAIR, "a forbidden key with scores of 80"), 1e-3, 1e-4)


@pytest.mark.task("multihead.MultiHeadAttention", points=1)
def test_gradients(learner, reference, rng):
    """Gradients reach query, key, value and every weight and bias, and are finite where nothing may be attended to."""
    b, h, t_q, t_k, d_model = 2, 3, 4, 5, 12
    mask = rng.mask(b, 1, t_q, t_k)
    mask[0, 0, 1] = False
    leaves = ("query", "key", "value", *(f"{name}.{part}" for name in LAYERS for part in ("weight", "bias")))
    for where, used in (("no mask", None), ("a mask with a row where nothing may be attended to", mask)):
        names = named(
            (PAIR[0], *(f"the gradient of module(query, key, value) with respect to {leaf}" for leaf in leaves)), where
        )
        inputs = random_inputs(rng, b, t_q, t_k, d_model, torch.float64)
        request = h, random_parameters(rng, d_model, torch.float64), inputs, used
        cotangent = rng.normal(b, t_q, d_model, dtype=torch.float64)
        expected = tuple(attended(reference, *request, cotangent=cotangent))
        assert_close(tuple(attended(learner, *request, cotangent=cotangent)), expected, names)


@pytest.mark.task("multihead.MultiHeadAttention", points=1)
def test_types(learner, reference, rng):
    """Works in float64 and in bfloat16."""
    b, h, t_q, t_k, d_model = 2, 3, 4, 5, 12
    exact, inputs = (
        random_parameters(rng, d_model, torch.float64),
        random_inputs(rng, b, t_q, t_k, d_model, torch.float64),
    )
    for dtype in (torch.float64, torch.bfloat16):
        parameters = {name: tuple(tensor.to(dtype) for tensor in pair) for name, pair in exact.items()}
        given = tuple(x.to(dtype) for x in inputs)
        output, weights, after = attended(learner, h, parameters, given)
        # More than two linear layers and a softmax in bfloat16: 1e-1; in float64 the default.
        tolerance = 1e-1 if dtype == torch.bfloat16 else None
        expected = heads_in_loops(h, parameters, given)
        assert_close((output, weights), expected, named(PAIR, f"module in {dtype}"), tolerance, tolerance)


def build(learner, d_model, num_heads):
    """Only build a module."""
    learner.MultiHeadAttention(d_model, num_heads)


@pytest.mark.task("multihead.MultiHeadAttention", points=1)
def test_uneven_heads(learner, reference, rng):
    """A number of heads that does not divide d_model raises ValueError when the module is built."""
    learner.run(build, 12, 3)
    for d_model, h in ((10, 4), (4, 8)):
        call = lambda d=d_model, h=h: learner.run(build, d, h)  # noqa: E731
        assert_raises(ValueError, call, f"MultiHeadAttention({d_model}, {h})")


@pytest.mark.task("multihead.MultiHeadAttention", points=1)
def test_dropout(learner, reference, rng):
    """Drops attention weights in training, at the rate given, and nothing in evaluation or by default."""
    b, h, t_q, t_k, p = 4, 2, 40, 20, 0.4
    width = t_k + 1
    d_model = h * width
    parameters = random_parameters(rng, d_model)
    parameters |= {name: (torch.eye(d_model), torch.zeros(d_model)) for name in ("w_v", "w_o")}
    # The value of key j is the j-th unit vector with a 1 at the end: so a head's output is the weights, and their sum.
    value = torch.cat([torch.eye(t_k), torch.ones(t_k, 1)], 1).repeat(1, h).expand(b, t_k, d_model)
    inputs = 0.1 * rng.normal(b, t_q, d_model), 0.1 * rng.normal(b, t_k, d_model), value
    plain, weights = heads_in_loops(h, parameters, inputs)
    for options, training, where in (
        ({}, True, "built without dropout, in training mode"),
        ({"dropout": p}, False, f"dropout={p}, in evaluation mode"),
    ):
        output, *_ = attended(learner, h, parameters, inputs, None, options, training)
        assert_close(output, plain, f"{PAIR[0]} ({where})")
    where = f"dropout={p}, in training mode"
    output, *_ = attended(learner, h, parameters, inputs, None, {"dropout": p}, True)
    assert_close(output, plain, f"{PAIR[0]} ({where})", atol=math.inf)  # for now only type and shape
    heads = split_by_slices(output, h)  # (B, H, T_q, T_k + 1)
    used, total = heads[..., :t_k], heads[..., t_k]
    # 800 draws for each head of each sequence: two patterns are equal by chance less than once in 10^200 runs.
    if (used == 0).flatten(0, 1).unique(dim=0).shape[0] < b * h:
        raise AssertionError(f"Different heads or sequences lose the same attention weights, or none at all ({where}).")
    share = share_of(used == 0)
    # 6400 draws: the share of zeros has standard deviation 0.006, so 0.06 is passed by chance once in 10^21 runs.
    if abs(share - p) > 0.06:
        raise AssertionError(
            f"A share of {share:.2f} of the attention weights is dropped ({where}); it should be near {p}."
        )
    assert_close(used, torch.where(used == 0, 0.0, weights / (1 - p)), f"the attention weights ({where})")
    assert_close(total, used.sum(-1), f"the sum of the weights of a query, seen through the values ({where})")


# ---------------------------------------------------------------------------------------------------------------------
# attention_parameters


def count_by_layers(d_model, bias):
    return sum(tensor.numel() for _ in LAYERS for tensor in nn.Linear(d_model, d_model, bias=bias).parameters())


@pytest.mark.task("multihead.attention_parameters", points=1)
def test_count(learner, reference, rng):
    """Counts the four projections with their biases."""
    for d_model, h in ((12, 3), (12, 1), (10, 5), (7, 7), (64, 8)):
        what = f"attention_parameters({d_model}, {h})"
        assert_equal(learner.attention_parameters(d_model, h), count_by_layers(d_model, True), what)


@pytest.mark.task("multihead.attention_parameters", points=1)
def test_count_with_and_without_bias(learner, reference, rng):
    """Counts the biases only if there are any."""
    for d_model, h in ((12, 4), (9, 3), (10, 1)):
        for bias in (False, True):
            what = f"attention_parameters({d_model}, {h}, bias={bias})"
            assert_equal(learner.attention_parameters(d_model, h, bias=bias), count_by_layers(d_model, bias), what)


# ---------------------------------------------------------------------------------------------------------------------
# ablate_head


def ablate(learner, num_heads, parameters, inputs, heads, dropout=0.0, called=False):
    """Switch off one head after the other, and return the output of the rest.

    With ``called`` the original has been called before, so that the weights that it keeps belong to a graph; and its
    first head has been switched off in a copy that is thrown away.
    """
    weight = parameters["w_o"][0]
    module = learner.MultiHeadAttention(weight.shape[0], num_heads, dropout=dropout).to(weight.dtype).eval()
    load_layers(module, parameters)
    if called:
        module(*inputs)
        learner.ablate_head(module, 0)
    for head in heads:
        module = learner.ablate_head(module, head)
    return module(*inputs)


@pytest.mark.task("multihead.ablate_head", points=2)
def test_contributes_nothing(learner, reference, rng):
    """The head adds nothing to the output; the other heads and the bias are as they were."""
    for b, h, t_q, t_k, d_model in ((2, 3, 4, 5, 12), (1, 1, 3, 2, 5)):
        parameters, inputs = random_parameters(rng, d_model), random_inputs(rng, b, t_q, t_k, d_model)
        for head in range(h):
            expected, _ = heads_in_loops(h, parameters, inputs, without={head})
            got = learner.run(ablate, h, parameters, inputs, (head,), uses=(load_layers,))
            assert_close(
                got, expected, f"ablate_head(module, {head})(query, key, value) for {h} heads, d_model={d_model}"
            )


@pytest.mark.task("multihead.ablate_head", points=1)
def test_after_a_call(learner, reference, rng):
    """Works on a module that has been called, with gradients."""
    h, d_model = 3, 12
    parameters, inputs = random_parameters(rng, d_model), random_inputs(rng, 2, 4, 5, d_model)
    expected, _ = heads_in_loops(h, parameters, inputs, without={1})
    got = learner.run(ablate, h, parameters, inputs, (1,), called=True, uses=(load_layers,))
    assert_close(got, expected, "ablate_head(module, 1)(query, key, value), for a module that had been called")


def ablate_then_spoil(learner, num_heads, parameters, inputs, head, training):
    """Switch off a head, set all parameters of the copy to 0, call it, and look at the original.

    Returns the modes of both, and the original's weights, parameters and output.
    """
    weight = parameters["w_o"][0]
    module = learner.MultiHeadAttention(weight.shape[0], num_heads).to(weight.dtype).train(training)
    own = load_layers(module, parameters)
    with torch.no_grad():
        module(*inputs)
        ablated = learner.ablate_head(module, head)
        zero_parameters(ablated)
        ablated(*inputs)
        kept = module.weights
        found = [tensor.clone() for tensor in own]
        return (module.training, ablated.training, kept, *found, module(*inputs))


@pytest.mark.task("multihead.ablate_head", points=1)
def test_original_is_unchanged(learner, reference, rng):
    """The original stays as it was, whatever happens to the copy."""
    h, d_model, head = 3, 12, 2
    parameters, inputs = random_parameters(rng, d_model), random_inputs(rng, 2, 4, 5, d_model)
    output, weights = heads_in_loops(h, parameters, inputs)
    names = [f"{name}.{part} of the original" for name in LAYERS for part in ("weight", "bias")]
    tensors = [tensor for name in LAYERS for tensor in parameters[name]]
    what = ("weights of the original", *names, "the output of the original")
    where = "after all parameters of the copy were set to 0"
    for training, mode in ((True, "training"), (False, "evaluation")):
        request = h, parameters, inputs, head, training
        got = reply_of(learner, ablate_then_spoil, *request, parts=12, uses=(load_layers, zero_parameters))
        original, copy, *readings = got
        if original is not training:
            raise AssertionError(f"The original is in {mode} mode before ablate_head(module, 2), and not after it.")
        if copy is not training:
            raise AssertionError(
                f"The original is in {mode} mode, and the copy that ablate_head(module, 2) returns is not."
            )
        if all(isinstance(one, torch.Tensor) and not one.any() for one in readings[1:-1]):
            raise AssertionError(
                "ablate_head(module, 2) should return a copy with parameters of its own, but the copy shares those of "
                "the original."
            )
        assert_close(tuple(readings), (weights, *tensors, output), named(what, where))


@pytest.mark.task("multihead.ablate_head", points=1)
def test_one_after_the_other(learner, reference, rng):
    """A copy can be ablated again: heads are switched off one after the other."""
    h, d_model = 4, 12
    parameters, inputs = random_parameters(rng, d_model), random_inputs(rng, 2, 3, 5, d_model)
    for heads in ((3, 1), (0, 2, 3, 1)):
        expected, _ = heads_in_loops(h, parameters, inputs, without=heads)
        got = learner.run(ablate, h, parameters, inputs, heads, uses=(load_layers,))
        assert_close(got, expected, f"the output after ablate_head for each of the heads {heads} of 4")


@pytest.mark.task("multihead.ablate_head", points=1)
def test_type_and_mode(learner, reference, rng):
    """The copy has the type of the original, and its mode: in evaluation nothing is dropped."""
    h, d_model = 3, 12
    parameters, inputs = (
        random_parameters(rng, d_model, torch.float64),
        random_inputs(rng, 2, 4, 5, d_model, torch.float64),
    )
    for dropout, what in ((0.0, "a float64 module"), (0.5, "a float64 module with dropout=0.5 in evaluation mode")):
        expected, _ = heads_in_loops(h, parameters, inputs, without={0})
        got = learner.run(ablate, h, parameters, inputs, (0,), dropout=dropout, uses=(load_layers,))
        assert_close(got, expected, f"ablate_head(module, 0)(query, key, value) for {what}")


@pytest.mark.task("multihead.ablate_head", points=1)
def test_no_such_head(learner, reference, rng):
    """A head that the module does not have raises ValueError."""
    parameters, inputs = random_parameters(rng, 6), random_inputs(rng, 2, 4, 5, 6)
    for head in (5, 3):  # 3 catches a comparison with > instead of >=
        call = lambda head=head: learner.run(ablate, 3, parameters, inputs, (head,), uses=(load_layers,))  # noqa: E731
        assert_raises(ValueError, call, f"ablate_head(module, {head}) for a module with 3 heads")
