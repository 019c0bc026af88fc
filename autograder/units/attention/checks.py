"""Checks of the unit on attention.

The helpers that several tasks share come first. Each task follows with its drivers, helpers and checks, from basic to
subtle. Each check looks at one mechanism. Sizes that could be confused (batch, heads, queries, keys, widths) always
differ. Where float64 is compared, the width is a square number, so that a root taken in float32
(``torch.sqrt(torch.tensor(d_k))``) is exact too: such a root is a style, not a mistake.
"""

import itertools
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from autograder.judging.assertions import assert_close, assert_equal
from autograder.judging.replies import reply_of
from autograder.units.support.calls import assert_call, gradient_names, named, shape_of
from autograder.units.support.drivers import (
    complaint_about_layers,
    load_layers,
    weighted_gradients,
    with_gradients,
)
from autograder.units.support.statistics import share_of

PAIR = ("the output", "the weights")


# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def warm_up(module, args, options):
    """Call a module with other inputs and another mask: catches modules that keep what their first call got."""
    masks = [~arg for arg in args if arg.dtype == torch.bool]
    xs = [arg + 1 for arg in args if arg.dtype != torch.bool]
    causal = torch.ones(xs[0].shape[1], xs[-1].shape[1], dtype=torch.bool).tril()
    module(*xs, *(masks or [causal]), **options)


def call(learner, name, args, options, parameters=None, cotangent=None, training=False):
    """Call a function, or a module that is given its weights first.

    Returns the result, and the tensors among the arguments as the call left them. With a cotangent: the output, and
    the gradients of its weighted sum for all float arguments and parameters.
    """
    function, weights = getattr(learner, name), []
    if parameters is not None:
        weight, _ = parameters["w_q"]
        function = function(weight.shape[0]).to(weight.dtype).train(training)
        if complaint := complaint_about_layers(function, parameters):
            return complaint
        if cotangent is None:
            warm_up(function, args, options)
        weights = load_layers(function, parameters)
    if cotangent is None:
        return function(*args, **options), tuple(arg for arg in args if isinstance(arg, torch.Tensor))
    args, leaves = with_gradients(args)
    result = function(*args, **options)
    output = result[0] if isinstance(result, (tuple, list)) and result else result
    return (output, *weighted_gradients(output, cotangent, leaves + weights))


def ask(subject, *request):
    """The reply of `call`."""
    uses = (complaint_about_layers, load_layers, with_gradients, weighted_gradients, warm_up)
    return reply_of(subject, call, *request, parts=2, uses=uses)


def assert_zero_where(weights, forbidden, what):
    """The weights of forbidden keys are exactly zero: 1e-9 would pass a tolerance and still be a hole in the mask."""
    forbidden = forbidden.expand(weights.shape)
    assert_equal(weights[forbidden], torch.zeros_like(weights[forbidden]), what)


def random_mask(rng, *shape, empty_rows=False, full_rows=True):
    """A random mask whose first row forbids something and allows the last key, which no causal mask would.

    Without ``full_rows`` every row forbids a key, so that every row of the inverted mask allows one. With
    ``empty_rows`` the first query and a few others may attend to nothing; the last query may attend to some key.
    """
    mask = rng.mask(*shape)
    mask.view(-1, shape[-1])[0] = torch.arange(shape[-1]) == shape[-1] - 1
    if not full_rows:
        mask[..., 0] &= ~mask.all(-1)
    if empty_rows:
        empty = rng.uniform(*shape[:-1], 1) < 0.3
        empty.view(-1)[0], empty.view(-1)[-1] = True, False
        mask &= ~empty
    return mask


def check_call(learner, name, arguments, expected, what, options=None):
    """The result is as expected, and the arguments (tensors by name, or None) are as they were before the call."""
    reply = ask(learner, name, tuple(arguments.values()), options or {}, None, None, False)
    return assert_call(reply, arguments, expected, what)


def check_gradients(learner, reference, name, arguments, cotangent, where, options=None, parameters=None):
    """Gradients of a weighted sum of the output equal the reference's."""
    leaves = [argument for argument, tensor in arguments.items() if tensor is not None and tensor.is_floating_point()]
    leaves += [f"{layer}.{part}" for layer in parameters or () for part in ("weight", "bias")]
    request = (name, tuple(arguments.values()), options or {}, parameters, cotangent)
    assert_close(ask(learner, *request), ask(reference, *request), gradient_names(leaves, where))


# ---------------------------------------------------------------------------------------------------------------------
# softmax


@pytest.mark.task("attention.softmax", points=1)
def test_any_axis(learner, reference, rng):
    """Weights along one axis sum to 1, whichever axis it is."""
    # Three different sizes: catches a softmax over the wrong axis, and one sum for the whole tensor.
    x = rng.normal(2, 3, 5)
    assert_close(learner.softmax(x), torch.softmax(x, -1), "softmax(x) for x of shape (2, 3, 5)")
    # Square matrices catch a sum that lost its axis: its shape still fits them, but broadcasts along the wrong axis.
    cases = [((2, 3, 5), dim) for dim in (0, 1, -2, 2)] + [((4,), 0), ((4, 4), -1), ((4, 4), 0), ((3, 1), 1)]
    cases.append(((1, 4, 3), 1))  # catches squeeze() without an axis
    cases.append(((2, 4, 1, 3), 1))
    cases.append(cases[-1])  # other scores of the same shape: catches answers that are cached by shape
    for shape, dim in cases:
        x, what = 2 * rng.normal(*shape), f"softmax(x, dim={dim}) for x of shape {shape}"
        assert_close(learner.softmax(x, dim=dim), torch.softmax(x, dim), what)


@pytest.mark.task("attention.softmax", points=1)
def test_large_scores(learner, reference, rng):
    """Right for scores around 1000, and for rows that lie far apart."""
    # Row 1 catches exp without a shift, and clamped scores; row 2, which is 2000 below it, one maximum for all rows;
    # row 3, with a spread of 120, a shift by the minimum; row 4, with a score of 450, a shift by the mean.
    centres = torch.tensor([[0.0] * 5, [1000.0] * 5, [-1000.0] * 5, [0, 110, 120, 115, 118], [0, 0, 450, 0, 0]])
    x = centres + rng.normal(5, 5)
    for dim, scores in ((1, x), (0, x.T)):
        expected = torch.softmax(scores.double(), dim).float()
        assert_close(learner.softmax(scores, dim=dim), expected, f"softmax(x, dim={dim}) of scores up to 1000 in size")
    # Catches a limit far below 0, such as -10000 in place of -inf. Near 30000, neighbouring float32 numbers are 0.002
    # apart, and some right implementations round that coarsely: hence the tolerance.
    low = rng.normal(3, 5) - 30000
    expected = torch.softmax(low.double(), 1).float()
    assert_close(learner.softmax(low, dim=1), expected, "softmax(x, dim=1) of scores around -30000", rtol=1e-2)


@pytest.mark.task("attention.softmax", points=1)
def test_some_minus_infinity(learner, reference, rng):
    """An entry of minus infinity gets the weight 0, and the other weights of its row sum to 1."""
    for shape, dim in (((3, 6), -1), ((5, 2, 4), 0)):
        x = 3 * rng.normal(*shape)
        # At least one entry stays finite along dim: what a row of -inf alone should give is not specified.
        finite = rng.mask(*x.movedim(dim, -1).shape, keep=0.5).movedim(-1, dim)
        x = x.masked_fill(~finite, -math.inf)
        got = learner.softmax(x, dim=dim)
        what = f"softmax(x, dim={dim}) of {shape} scores, some of them -inf"
        assert_close(got, torch.softmax(x, dim), what)
        assert_zero_where(got, ~finite, f"{what}: the weights of the -inf entries")


@pytest.mark.task("attention.softmax", points=1)
def test_types_argument_and_gradient(learner, reference, rng):
    """Keeps the float type, leaves the argument unchanged, and lets gradients through."""
    # First the gradients: a detour through NumPy cuts them off, and fails for bfloat16 as well.
    x, cotangent = rng.normal(3, 4, dtype=torch.float64), rng.normal(3, 4, dtype=torch.float64)
    check_gradients(learner, reference, "softmax", {"x": x}, cotangent, "softmax(x, dim=0)", {"dim": 0})
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        # In float64 an epsilon in the denominator shows, and so does a detour through float32.
        x = rng.normal(3, 4, dtype=dtype)
        expected = torch.softmax(x.double(), 1).to(dtype)
        check_call(learner, "softmax", {"x": x}, expected, f"softmax(x, dim=1) in {dtype}", {"dim": 1})


# ---------------------------------------------------------------------------------------------------------------------
# attention_scores


@pytest.mark.task("attention.attention_scores", points=1)
def test_every_pair(learner, reference, rng):
    """Entry (i, j) is the dot product of query i and key j, divided by sqrt(d_k)."""
    # Widths whose roots are no integers: int(sqrt(d_k)) would pass with 4 or 16.
    # The last three have a single query, as in step-by-step decoding, a single key, and a width of 1.
    # The first is square: there a missing transpose gives wrong numbers; with other sizes, an error.
    for t_q, t_k, d_k in ((3, 3, 3), (3, 5, 6), (4, 2, 7), (1, 4, 5), (3, 1, 2), (2, 3, 1)):
        q, k = rng.normal(t_q, d_k), rng.normal(t_k, d_k)
        expected = torch.tensor(
            [[sum(a * b for a, b in zip(query, key)) / math.sqrt(d_k) for key in k.tolist()] for query in q.tolist()]
        )
        assert_close(learner.attention_scores(q, k), expected, f"attention_scores(q {shape_of(q)}, k {shape_of(k)})")


@pytest.mark.task("attention.attention_scores", points=1)
def test_leading_axes(learner, reference, rng):
    """Works the same for batches, and for batches of heads."""
    # All sizes are equal in the first cases, where no choice of axes raises an error, and different in the others.
    for leading, t_q, t_k, d_k in (
        ((3,), 3, 3, 3),
        ((3, 3), 3, 3, 3),
        ((2,), 3, 4, 5),
        ((2, 3), 4, 5, 6),
        ((2,), 3, 3, 3),
        ((3, 1, 2), 5, 4, 7),
        ((3, 1, 2), 5, 4, 7),  # again: catches answers that are kept by shape
    ):
        q, k = rng.normal(*leading, t_q, d_k), rng.normal(*leading, t_k, d_k)
        expected = ((q.double().unsqueeze(-2) * k.double().unsqueeze(-3)).sum(-1) / math.sqrt(d_k)).float()
        assert_close(learner.attention_scores(q, k), expected, f"attention_scores(q {shape_of(q)}, k {shape_of(k)})")


@pytest.mark.task("attention.attention_scores", points=1)
def test_scores_types_arguments_and_gradients(learner, reference, rng):
    """Keeps the float type, leaves the arguments unchanged, and lets gradients through."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        q, k = rng.normal(2, 3, 4, dtype=dtype), rng.normal(2, 5, 4, dtype=dtype)
        expected = (torch.einsum("bid,bjd->bij", q.double(), k.double()) / 2).to(dtype)
        check_call(learner, "attention_scores", {"q": q, "k": k}, expected, f"attention_scores(q, k) in {dtype}")
    q, k, cotangent = (rng.normal(*shape, dtype=torch.float64) for shape in ((3, 9), (5, 9), (3, 5)))
    check_gradients(learner, reference, "attention_scores", {"q": q, "k": k}, cotangent, "attention_scores(q, k)")


# ---------------------------------------------------------------------------------------------------------------------
# scaled_dot_product_attention


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_without_mask(learner, reference, rng):
    """Output and weights are right, for any leading axes."""
    # d_v differs from d_k: weights times keys would have another shape. T_q differs from T_k: weights with exchanged
    # axes would not fit v. As many queries as keys in one case: catches a causal mask that the caller did not pass.
    cases = [((), 3, 4, 5, 2), ((2,), 4, 3, 6, 5), ((3,), 4, 4, 6, 5), ((2, 3), 5, 4, 7, 6), ((2, 1, 3), 2, 5, 3, 4)]
    cases += [((2,), 1, 3, 4, 5), ((1, 2), 3, 1, 5, 4)]  # a single query, as in step-by-step decoding; a single key
    for leading, t_q, t_k, d_k, d_v in cases:
        q, k, v = rng.normal(*leading, t_q, d_k), rng.normal(*leading, t_k, d_k), rng.normal(*leading, t_k, d_v)
        # PyTorch returns no weights; but the weighted averages of the unit vectors are the weights.
        units = torch.eye(t_k).expand(*leading, t_k, t_k)
        expected = tuple(F.scaled_dot_product_attention(q, k, values) for values in (v, units))
        where = f"q {shape_of(q)}, k {shape_of(k)}, v {shape_of(v)}"
        assert_close(learner.scaled_dot_product_attention(q, k, v), expected, named(PAIR, where))


def attention_in_loops(q, k, v, mask):
    """Output and weights, query by query in float64: an oracle that shares nothing with the reference."""
    *leading, t_q, t_k = *q.shape[:-1], k.shape[-2]
    allowed = mask.expand(*leading, t_q, t_k)
    weights = torch.zeros(*leading, t_q, t_k, dtype=torch.float64)
    for index in itertools.product(*map(range, (*leading, t_q))):
        seen = allowed[index].nonzero().flatten()
        if len(seen):
            keys = k[index[:-1]][seen].double()
            scores = (keys * q[index].double()).sum(-1) / math.sqrt(q.shape[-1])
            weights[(*index, seen)] = scores.softmax(0)
    return (weights @ v.double()).to(v.dtype), weights.to(v.dtype)


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_mask(learner, reference, rng):
    """Keys that the mask forbids get a weight of exactly 0; the other weights sum to 1."""
    b, h, t_q, t_k = 2, 3, 5, 4
    cases = [((b,), t_q, shape) for shape in ((t_q, t_k), (b, t_q, t_k), (b, 1, t_k), (1, t_k))]
    cases += [((b, h), t_q, shape) for shape in ((b, 1, 1, t_k), (b, 1, t_q, t_k), (b, h, t_q, t_k), (t_q, t_k))]
    cases += [((b,), t_k, (b, t_k, t_k))]  # as many queries as keys: catches a transposed mask, which fits too
    for number, (leading, t_q, shape) in enumerate(cases):
        # Scores spread over several units: weights that are close to uniform would hide a mask added as 0 and 1.
        q, k, v = 2 * rng.normal(*leading, t_q, 6), rng.normal(*leading, t_k, 6), rng.normal(*leading, t_k, 7)
        if number == 1:
            k[:, 1] = 0.0  # catches hiding every score that is 0
        mask = random_mask(rng, *shape, full_rows=number > 0)
        got = learner.scaled_dot_product_attention(q, k, v, mask=mask)
        where = f"q {shape_of(q)}, k {shape_of(k)}, mask {shape}"
        assert_close(got, attention_in_loops(q, k, v, mask), named(PAIR, where))
        assert_zero_where(got[1], ~mask, f"the weights where the mask is False ({where})")


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_very_large_scores(learner, reference, rng):
    """Right for very large scores, positive and negative, with a mask."""
    # Whole numbers and d_k = 16: the scores are exact in float32 in whatever order they are computed.
    t_q, t_k = 3, 5
    for dtype, offset in ((torch.float32, 960), (torch.float32, -960), (torch.float64, -20480)):
        q, k = rng.integers(-2, 3, 2, t_q, 16).to(dtype), rng.integers(-2, 3, 2, t_k, 16).to(dtype)
        # The first component adds the offset to every score. At -20480 a fill of -10000 is the largest of its row.
        q[..., 0], k[..., 0] = 64, offset / 16
        v, mask = rng.normal(2, t_k, 3, dtype=dtype), rng.mask(2, t_q, t_k, keep=0.7)
        # A forbidden score 1000 above the others takes the whole row: catches a mask after the softmax.
        k[:, 2, 0] += 62.5
        mask[..., 2], mask[..., 3] = False, True
        mask[0, 0] = torch.arange(t_k) < 2
        got = learner.scaled_dot_product_attention(q, k, v, mask=mask)
        where = f"scores around {offset}, {dtype}"
        assert_close(got, attention_in_loops(q, k, v, mask), named(PAIR, where))
        assert_zero_where(got[1], ~mask, f"the weights where the mask is False ({where})")


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_nothing_to_attend(learner, reference, rng):
    """A query that may attend to nothing gets zero weights and a zero output."""
    b, h, t_q, t_k = 3, 2, 4, 5
    causal_without_self = torch.ones(t_q, t_k, dtype=torch.bool).tril(-1)
    padding = rng.mask(b, 1, 1, t_k)
    padding[1] = False  # a sequence of padding only
    rows = random_mask(rng, b, h, t_q, t_k, empty_rows=True)
    for leading, mask in (((), causal_without_self), ((b, h), padding), ((b, h), rows), ((b,), rows[:, 0])):
        q, k, v = rng.normal(*leading, t_q, 6), rng.normal(*leading, t_k, 6), rng.normal(*leading, t_k, 3)
        got = learner.scaled_dot_product_attention(q, k, v, mask=mask)
        where = f"mask {shape_of(mask)}, with rows where nothing may be attended"
        assert_close(got, attention_in_loops(q, k, v, mask), named(PAIR, where))
        empty = ~mask.any(-1, keepdim=True)
        assert_zero_where(got[1], empty, f"the weights of queries that may attend to nothing ({where})")
        assert_zero_where(got[0], empty, f"the output of queries that may attend to nothing ({where})")


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_gradients(learner, reference, rng):
    """Gradients reach q, k and v, and are finite even where nothing may be attended."""
    for where in ("no mask", "a mask", "a mask with rows where nothing may be attended"):
        q, k, v, cotangent = (rng.normal(2, *shape, dtype=torch.float64) for shape in ((3, 4), (5, 4), (5, 6), (3, 6)))
        # NaN that was replaced after the softmax may still come back in the gradients of empty rows.
        mask = None if where == "no mask" else random_mask(rng, 2, 3, 5, empty_rows="nothing" in where)
        arguments = {"q": q, "k": k, "v": v, "mask": mask}
        check_gradients(learner, reference, "scaled_dot_product_attention", arguments, cotangent, where)


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_types_and_arguments(learner, reference, rng):
    """Keeps the float type, and leaves the arguments unchanged."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        q, k, v = (rng.normal(2, *shape, dtype=dtype) for shape in ((3, 4), (5, 4), (5, 6)))
        # The empty row catches repairing the mask in place.
        mask = random_mask(rng, 2, 3, 5, empty_rows=True)
        arguments, expected = {"q": q, "k": k, "v": v, "mask": mask}, attention_in_loops(q, k, v, mask)
        check_call(learner, "scaled_dot_product_attention", arguments, expected, named(PAIR, dtype))


def attend_with_dropout(learner, q, k, v, mask, kind, keep):
    """Attention with a dropout that leaves nothing to chance: it keeps and doubles the marked columns."""

    def drop(weights):
        return weights * keep[: weights.shape[-1]] * 2

    class Drop(nn.Module):
        def forward(self, weights):
            return drop(weights)

    dropout = Drop() if kind == "module" else drop
    return learner.scaled_dot_product_attention(q, k, v, mask=mask, dropout=dropout)


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_dropout_acts_on_weights(learner, reference, rng):
    """Dropout, a function or a module, acts on the weights, and the weights after dropout are returned."""
    for kind in ("function", "module"):
        q, k, v = rng.normal(2, 3, 6), rng.normal(2, 5, 6), rng.normal(2, 5, 8)
        # `keep` has d_v entries, so that dropout on the output, a mistake, raises no error and shows in the numbers.
        keep = (torch.arange(8) % 2 == rng.choice([0, 1])).float()
        mask = None if kind == "function" else rng.mask(2, 3, 5, keep=0.8)
        output, weights = reference.scaled_dot_product_attention(q, k, v, mask=mask)
        dropped = weights * keep[:5] * 2
        got = learner.run(attend_with_dropout, q, k, v, mask, kind, keep)
        assert_close(got, (dropped @ v, dropped), named(PAIR, f"dropout is a {kind} that keeps every second key"))


def attend_with_random_dropout(learner, q, k, v, p, training):
    """Attention with PyTorch's own dropout, in training or in evaluation mode."""
    return learner.scaled_dot_product_attention(q, k, v, dropout=nn.Dropout(p).train(training))


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_random_dropout(learner, reference, rng):
    """With nn.Dropout, weights are dropped in training, and the output is computed from the weights returned."""
    p, t_q, t_k = 0.4, 30, 40
    q, k, v = rng.normal(3, t_q, 4), rng.normal(3, t_k, 4), rng.normal(3, t_k, 5)
    plain = reference.scaled_dot_product_attention(q, k, v)
    got = learner.run(attend_with_random_dropout, q, k, v, p, False)
    assert_close(got, plain, named(PAIR, "nn.Dropout in evaluation mode"))
    names = named(PAIR, f"nn.Dropout({p}) in training mode")
    got = learner.run(attend_with_random_dropout, q, k, v, p, True)
    assert_close(got, plain, names, atol=math.inf)  # for now only types and shapes
    output, weights = got
    share = share_of(weights == 0)
    # 3600 draws: the share of zeros has standard deviation 0.008, so 0.06 is passed by chance once in 10^13 runs.
    if abs(share - p) > 0.06:
        raise AssertionError(
            f"With nn.Dropout({p}) the share of zeros among the weights is {share:.2f}. It should be about "
            f"{p}. Apply the dropout once, to the weights."
        )
    kept = torch.where(weights == 0, 0.0, plain[1] / (1 - p))
    assert_close(weights, kept, names[1])
    assert_close(output, weights @ v, "the output, compared with the returned weights @ v,")


# ---------------------------------------------------------------------------------------------------------------------
# SelfAttention


def random_parameters(rng, d_model, dtype=torch.float32, scale=1.0):
    """Weights and biases of order 1 for the three layers: small ones would hide most mistakes."""
    return {
        layer: (scale * rng.normal(d_model, d_model, dtype=dtype), scale * rng.normal(d_model, dtype=dtype))
        for layer in ("w_q", "w_k", "w_v")
    }


def check_module(learner, reference, name, parameters, arguments, training=False):
    """Results equal the reference's, arguments stay unchanged, and no weight lies where the mask is False."""
    where = ", ".join(f"{argument} {shape_of(tensor)}" for argument, tensor in arguments.items())
    where += ", in training mode" if training else ""
    args = tuple(arguments.values())
    expected, _ = ask(reference, name, args, {}, parameters)
    reply = ask(learner, name, args, {}, parameters, None, training)
    result = assert_call(reply, arguments, expected, named(PAIR, where))
    if "mask" in arguments:
        assert_zero_where(result[1], ~arguments["mask"], f"the weights where the mask is False ({where})")


@pytest.mark.task("attention.SelfAttention", points=1)
def test_self_attention(learner, reference, rng):
    """With given weights and biases, output and weights are right."""
    # Several widths: a scale written as a number fits one at most. One sequence or position: catches squeeze().
    for b, t, d in ((3, 4, 6), (2, 5, 3), (1, 3, 8), (3, 1, 4)):
        check_module(learner, reference, "SelfAttention", random_parameters(rng, d), {"x": rng.normal(b, t, d)})
    # Training mode catches dropout: nothing is dropped here.
    arguments = {"x": rng.normal(2, 4, 5), "mask": random_mask(rng, 4, 4)}
    check_module(learner, reference, "SelfAttention", random_parameters(rng, 5), arguments, training=True)


@pytest.mark.task("attention.SelfAttention", points=1)
def test_self_attention_mask(learner, reference, rng):
    """Follows the mask, for the whole batch or for each sequence."""
    b, t, d = 3, 4, 5
    cases = [(t, t), (b, t, t), (b, 1, t), (1, t, t)]
    for shape, empty_rows in [(shape, False) for shape in cases] + [((b, t, t), True)]:
        arguments = {"x": rng.normal(b, t, d), "mask": random_mask(rng, *shape, empty_rows=empty_rows)}
        check_module(learner, reference, "SelfAttention", random_parameters(rng, d), arguments)
    # Scores in the thousands: catches a mask after the softmax, where a forbidden score has taken the whole row.
    arguments = {"x": rng.normal(b, t, 4, dtype=torch.float64), "mask": random_mask(rng, b, t, t)}
    check_module(learner, reference, "SelfAttention", random_parameters(rng, 4, torch.float64, scale=30), arguments)


@pytest.mark.task("attention.SelfAttention", points=1)
def test_self_attention_gradients(learner, reference, rng):
    """Gradients reach the input and every weight and bias."""
    x, cotangent = rng.normal(2, 3, 4, dtype=torch.float64), rng.normal(2, 3, 4, dtype=torch.float64)
    for where, mask in (("no mask", None), ("a mask", random_mask(rng, 2, 3, 3, empty_rows=True))):
        parameters, arguments = random_parameters(rng, 4, torch.float64), {"x": x, "mask": mask}
        check_gradients(learner, reference, "SelfAttention", arguments, cotangent, where, None, parameters)


def check_module_types(learner, reference, rng, name, arguments):
    """Results have the type of the module, and are near the exact ones, which the reference computes in float64."""
    parameters = random_parameters(rng, 4, torch.float64, scale=0.5)  # larger weights would enlarge bfloat16's rounding
    for dtype in (torch.float64, torch.bfloat16):
        inputs = {argument: tensor.to(dtype) for argument, tensor in arguments.items()}
        weights = {layer: tuple(tensor.to(dtype) for tensor in pair) for layer, pair in parameters.items()}
        exact = {layer: tuple(tensor.double() for tensor in pair) for layer, pair in weights.items()}
        expected, _ = ask(reference, name, tuple(tensor.double() for tensor in inputs.values()), {}, exact)
        expected = tuple(tensor.to(dtype) for tensor in expected)
        # Two linear layers and a softmax in bfloat16: 1e-1; in float64 the default.
        tolerance = 1e-1 if dtype == torch.bfloat16 else None
        reply = ask(learner, name, tuple(inputs.values()), {}, weights, None, False)
        assert_call(reply, inputs, expected, named(PAIR, f"module in {dtype}"), tolerance)


@pytest.mark.task("attention.SelfAttention", points=1)
def test_self_attention_types(learner, reference, rng):
    """Works in float64 and in bfloat16."""
    check_module_types(learner, reference, rng, "SelfAttention", {"x": rng.normal(2, 5, 4)})


# ---------------------------------------------------------------------------------------------------------------------
# CrossAttention


@pytest.mark.task("attention.CrossAttention", points=1)
def test_cross_attention(learner, reference, rng):
    """Queries come from x, keys and values from the memory."""
    # Equal lengths first: there a mix-up of x and memory gives wrong numbers; with other lengths, an error.
    # The last three have one sequence, one query and one key: catches squeeze() without an axis.
    for b, t_q, t_k, d in ((2, 4, 4, 6), (3, 2, 5, 4), (1, 5, 3, 7), (3, 1, 4, 5), (2, 3, 1, 5)):
        arguments = {"x": rng.normal(b, t_q, d), "memory": rng.normal(b, t_k, d)}
        check_module(learner, reference, "CrossAttention", random_parameters(rng, d), arguments)
    # Training mode catches dropout: nothing is dropped here.
    arguments = {"x": rng.normal(2, 3, 5), "memory": rng.normal(2, 4, 5), "mask": random_mask(rng, 3, 4)}
    check_module(learner, reference, "CrossAttention", random_parameters(rng, 5), arguments, training=True)


@pytest.mark.task("attention.CrossAttention", points=1)
def test_cross_attention_mask(learner, reference, rng):
    """Follows the mask: padding in the memory is not read."""
    b, t_q, t_k, d = 3, 2, 4, 5
    cases = [(t_q, (b, 1, t_k), False), (t_q, (t_q, t_k), False), (t_q, (b, t_q, t_k), False)]
    cases += [(t_k, (b, t_k, t_k), False), (t_q, (b, t_q, t_k), True)]  # equal lengths: a transposed mask fits
    for length, shape, empty_rows in cases:
        arguments = {"x": rng.normal(b, length, d), "memory": rng.normal(b, t_k, d)}
        arguments["mask"] = random_mask(rng, *shape, empty_rows=empty_rows)
        check_module(learner, reference, "CrossAttention", random_parameters(rng, d), arguments)
    # Scores in the thousands: catches a mask after the softmax, where a forbidden score has taken the whole row.
    arguments = {"x": rng.normal(b, t_q, 4, dtype=torch.float64), "memory": rng.normal(b, t_k, 4, dtype=torch.float64)}
    arguments["mask"] = random_mask(rng, b, t_q, t_k)
    check_module(learner, reference, "CrossAttention", random_parameters(rng, 4, torch.float64, scale=30), arguments)


@pytest.mark.task("attention.CrossAttention", points=1)
def test_cross_attention_gradients(learner, reference, rng):
    """Gradients reach x, the memory, and every weight and bias."""
    x, memory, cotangent = (rng.normal(2, t, 4, dtype=torch.float64) for t in (3, 5, 3))
    for where, mask in (("no mask", None), ("a mask", random_mask(rng, 2, 3, 5, empty_rows=True))):
        parameters, arguments = random_parameters(rng, 4, torch.float64), {"x": x, "memory": memory, "mask": mask}
        check_gradients(learner, reference, "CrossAttention", arguments, cotangent, where, None, parameters)


@pytest.mark.task("attention.CrossAttention", points=1)
def test_cross_attention_types(learner, reference, rng):
    """Works in float64 and in bfloat16."""
    arguments = {"x": rng.normal(2, 5, 4), "memory": rng.normal(2, 3, 4)}
    check_module_types(learner, reference, rng, "CrossAttention", arguments)
