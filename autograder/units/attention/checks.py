"""Checks of unit 3, attention.

Within a task they go from basic to subtle, and each looks at one mechanism. Sizes that could be confused (batch,
heads, queries, keys, widths) always differ. Where float64 is compared, the width is a square number, so that a root
taken in float32 (``torch.sqrt(torch.tensor(d_k))``) is exact too: that is a style, not a mistake.
"""

import itertools
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from autograder.judging.assertions import assert_close, assert_equal, reply_of

PAIR = ("the output", "the weights")

# ---------------------------------------------------------------------------------------------------------------------
# Drivers: they run beside the learner's code and hold no expected value.


def call(learner, name, args, options, parameters=None, cotangent=None, training=False):
    """Call a function, or a module that is given its weights first.

    Returns the result, and the tensors among the arguments as the call left them. With a cotangent: the output, and
    the gradients of its weighted sum (zero where none arrives) for all float arguments and parameters.
    """
    function, leaves = getattr(learner, name), []
    if parameters is not None:
        weight, _ = parameters["w_q"]
        function = function(weight.shape[0]).to(weight.dtype).train(training)
        for layer in parameters:
            linear = getattr(function, layer)
            if not isinstance(linear, nn.Linear) or linear.bias is None or linear.weight.shape != weight.shape:
                size = ", ".join(map(str, weight.shape))
                return f"{layer} should be an nn.Linear({size}) with a bias, but is {str(linear)[:100]}."
        if cotangent is None:  # a module is called many times: caught is keeping what the first call got or computed
            masks = [~arg for arg in args if arg.dtype == torch.bool]
            xs = [arg + 1 for arg in args if arg.dtype != torch.bool]
            function(*xs, *(masks or [torch.ones(xs[0].shape[1], xs[-1].shape[1], dtype=torch.bool).tril()]), **options)
        # Layer by layer, and not as a state_dict: a class may have further parameters and buffers.
        for layer, values in parameters.items():
            linear = getattr(function, layer)
            leaves += [linear.weight, linear.bias]
            with torch.no_grad():
                linear.weight.copy_(values[0])
                linear.bias.copy_(values[1])
    if cotangent is None:
        return function(*args, **options), tuple(arg for arg in args if isinstance(arg, torch.Tensor))
    floats = [isinstance(arg, torch.Tensor) and arg.is_floating_point() for arg in args]
    args = [arg.clone().requires_grad_() if is_float else arg for arg, is_float in zip(args, floats)]
    leaves = [arg for arg, is_float in zip(args, floats) if is_float] + leaves
    result = function(*args, **options)
    output = result[0] if isinstance(result, (tuple, list)) and result else result
    if not isinstance(output, torch.Tensor) or not output.requires_grad or output.shape != cotangent.shape:
        return (output, *map(torch.zeros_like, leaves))
    found = torch.autograd.grad((output * cotangent).sum(), leaves, allow_unused=True)
    return (output, *(torch.zeros_like(leaf) if grad is None else grad for leaf, grad in zip(leaves, found)))


def attend_with_dropout(learner, q, k, v, mask, kind, keep):
    """Attention with a dropout that is no matter of chance: it keeps and doubles the marked columns."""

    def drop(weights):
        return weights * keep[: weights.shape[-1]] * 2

    class Drop(nn.Module):
        def forward(self, weights):
            return drop(weights)

    dropout = Drop() if kind == "module" else drop
    return learner.scaled_dot_product_attention(q, k, v, mask=mask, dropout=dropout)


def attend_with_random_dropout(learner, q, k, v, p, training):
    """Attention with PyTorch's own dropout, in training or in evaluation mode."""
    return learner.scaled_dot_product_attention(q, k, v, dropout=nn.Dropout(p).train(training))


# ---------------------------------------------------------------------------------------------------------------------
# Helpers of the checks


def _shape(tensor):
    return str(tuple(tensor.shape))


def _named(names, where):
    return tuple(f"{name} ({where})" for name in names)


def _assert_zero_where(weights, forbidden, what):
    """Exactly zero: 1e-9 would pass a tolerance, and be a hole in the mask all the same."""
    forbidden = forbidden.expand(weights.shape)
    assert_equal(weights[forbidden], torch.zeros_like(weights[forbidden]), what)


def _attention_in_loops(q, k, v, mask):
    """Output and weights, query by query in float64: an oracle that shares nothing with the reference."""
    *leading, t_q, t_k = *q.shape[:-1], k.shape[-2]
    allowed = mask.expand(*leading, t_q, t_k)
    weights = torch.zeros(*leading, t_q, t_k, dtype=torch.float64)
    for place in itertools.product(*map(range, (*leading, t_q))):
        seen = allowed[place].nonzero().flatten()
        if len(seen):
            keys = k[place[:-1]][seen].double()
            scores = (keys * q[place].double()).sum(-1) / math.sqrt(q.shape[-1])
            weights[(*place, seen)] = scores.softmax(0)
    return (weights @ v.double()).to(v.dtype), weights.to(v.dtype)


def _mask(rng, *shape, empty_rows=False):
    """A random mask whose first row forbids something and allows the last key, which no causal mask would.

    With ``empty_rows`` the first query and a few others may attend to nothing; the last one may to something.
    """
    mask = rng.mask(*shape)
    mask.view(-1, shape[-1])[0] = torch.arange(shape[-1]) == shape[-1] - 1
    if empty_rows:
        empty = rng.uniform(*shape[:-1], 1) < 0.3
        empty.view(-1)[0], empty.view(-1)[-1] = True, False
        mask &= ~empty
    return mask


def _parameters(rng, d_model, dtype=torch.float32, scale=1.0):
    """Weights and biases of order 1 for the three layers: small ones would hide most mistakes."""
    return {
        layer: (scale * rng.normal(d_model, d_model, dtype=dtype), scale * rng.normal(d_model, dtype=dtype))
        for layer in ("w_q", "w_k", "w_v")
    }


def _ask(subject, *request):
    """Runs the driver `call`; a sentence in place of its reply says what is wrong with a module's layers."""
    return reply_of(subject, call, *request, parts=2)


def _check_call(
    learner, name, arguments, expected, what, options=None, parameters=None, tolerance=None, training=False
):
    """The result is as expected, and the arguments (tensors by name, or None) are as they were before the call."""
    result, after, *_ = _ask(learner, name, tuple(arguments.values()), options or {}, parameters, None, training)
    assert_close(result, expected, what, tolerance, tolerance)
    given = {argument: tensor for argument, tensor in arguments.items() if tensor is not None}
    assert_equal(after, tuple(given.values()), tuple(f"the argument {argument} after the call" for argument in given))
    return result


def _check_gradients(learner, reference, name, arguments, cotangent, where, options=None, parameters=None):
    """Gradients of a weighted sum of the output (a plain sum has a gradient of 0) equal the reference's."""
    leaves = [argument for argument, tensor in arguments.items() if tensor is not None and tensor.is_floating_point()]
    leaves += [f"{layer}.{part}" for layer in parameters or () for part in ("weight", "bias")]
    names = _named(("the output", *(f"the gradient with respect to {leaf}" for leaf in leaves)), where)
    request = (name, tuple(arguments.values()), options or {}, parameters, cotangent)
    assert_close(_ask(learner, *request), _ask(reference, *request), names)


def _check_module(learner, reference, name, parameters, arguments, training=False):
    """Results equal to the reference's, arguments left alone, no weight where the mask is False."""
    where = ", ".join(f"{argument} {_shape(tensor)}" for argument, tensor in arguments.items())
    where += ", in training mode" if training else ""
    expected, _ = _ask(reference, name, tuple(arguments.values()), {}, parameters)
    result = _check_call(learner, name, arguments, expected, _named(PAIR, where), None, parameters, None, training)
    if "mask" in arguments:
        _assert_zero_where(result[1], ~arguments["mask"], f"the weights where the mask is False ({where})")


def _check_module_types(learner, reference, rng, name, arguments):
    """Results in the type of the module, and near the exact ones, which the reference computes in float64."""
    parameters = _parameters(rng, 4, torch.float64, scale=0.5)  # larger weights would enlarge bfloat16's rounding
    for dtype in (torch.float64, torch.bfloat16):
        inputs = {argument: tensor.to(dtype) for argument, tensor in arguments.items()}
        weights = {layer: tuple(tensor.to(dtype) for tensor in pair) for layer, pair in parameters.items()}
        exact = {layer: tuple(tensor.double() for tensor in pair) for layer, pair in weights.items()}
        expected, _ = _ask(reference, name, tuple(tensor.double() for tensor in inputs.values()), {}, exact)
        expected = tuple(tensor.to(dtype) for tensor in expected)
        # Two linear layers and a softmax in bfloat16: 1e-1; in float64 the default.
        tolerance = 1e-1 if dtype == torch.bfloat16 else None
        _check_call(learner, name, inputs, expected, _named(PAIR, f"module in {dtype}"), None, weights, tolerance)


# ---------------------------------------------------------------------------------------------------------------------
# softmax


@pytest.mark.task("attention.softmax", points=1)
def test_any_axis(learner, reference, rng):
    """Weights along one axis sum to 1, whichever axis it is."""
    # Three different sizes: a softmax over the wrong axis, or one sum for all, cannot hide.
    x = rng.normal(2, 3, 5)
    assert_close(learner.softmax(x), torch.softmax(x, -1), "softmax(x) for x of shape (2, 3, 5)")
    # The square matrix is where a sum that lost its axis still broadcasts: along the wrong one.
    cases = [((2, 3, 5), dim) for dim in (0, 1, -2, 2)] + [((4,), 0), ((4, 4), -1), ((4, 4), 0), ((3, 1), 1)]
    cases.append(((2, 4, 1, 3), 1))
    cases.append(cases[-1])  # other scores of the same shape: caught is remembering answers by shape
    for shape, dim in cases:
        x, what = 2 * rng.normal(*shape), f"softmax(x, dim={dim}) for x of shape {shape}"
        assert_close(learner.softmax(x, dim=dim), torch.softmax(x, dim), what)


@pytest.mark.task("attention.softmax", points=1)
def test_large_scores(learner, reference, rng):
    """Right for scores of a thousand, and for rows that lie far apart."""
    # The rows, one after the other, catch: nothing; exp without a shift, and clamped scores; one maximum for all
    # rows (the third row is 2000 below the second); a shift by the minimum (spread of 120), and by the mean (of 450).
    centres = torch.tensor([[0.0] * 5, [1000.0] * 5, [-1000.0] * 5, [0, 110, 120, 115, 118], [0, 0, 450, 0, 0]])
    x = centres + rng.normal(5, 5)
    for dim, scores in ((1, x), (0, x.T)):
        expected = torch.softmax(scores.double(), dim).float()
        assert_close(learner.softmax(scores, dim=dim), expected, f"softmax(x, dim={dim}) of scores up to 1000 in size")
    # Caught is a limit far below, as -10000 in place of -inf. At 30000 neighbouring float32 numbers are 0.002 apart,
    # which some right forms feel: hence the tolerance.
    low = rng.normal(3, 5) - 30000
    expected = torch.softmax(low.double(), 1).float()
    assert_close(learner.softmax(low, dim=1), expected, "softmax(x, dim=1) of scores around -30000", rtol=1e-2)


@pytest.mark.task("attention.softmax", points=1)
def test_some_minus_infinity(learner, reference, rng):
    """An entry of minus infinity gets weight 0, and the rest of its row share the whole."""
    for shape, dim in (((3, 6), -1), ((5, 2, 4), 0)):
        x = 3 * rng.normal(*shape)
        # At least one entry stays finite along dim: what a row of nothing but -inf gives is not asked.
        finite = rng.mask(*x.movedim(dim, -1).shape, keep=0.5).movedim(-1, dim)
        x = x.masked_fill(~finite, -math.inf)
        got = learner.softmax(x, dim=dim)
        what = f"softmax(x, dim={dim}) of {shape} scores, some of them -inf"
        assert_close(got, torch.softmax(x, dim), what)
        _assert_zero_where(got, ~finite, f"{what}: the weights of the -inf entries")


@pytest.mark.task("attention.softmax", points=1)
def test_types_argument_and_gradient(learner, reference, rng):
    """Keeps float type and argument as they were, and lets gradients through."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        # In float64 an epsilon in the denominator shows, and so does a detour through float32.
        x = rng.normal(3, 4, dtype=dtype)
        expected = torch.softmax(x.double(), 1).to(dtype)
        _check_call(learner, "softmax", {"x": x}, expected, f"softmax(x, dim=1) in {dtype}", {"dim": 1})
    x, cotangent = rng.normal(3, 4, dtype=torch.float64), rng.normal(3, 4, dtype=torch.float64)
    _check_gradients(learner, reference, "softmax", {"x": x}, cotangent, "softmax(x, dim=0)", {"dim": 0})


# ---------------------------------------------------------------------------------------------------------------------
# attention_scores


@pytest.mark.task("attention.attention_scores", points=1)
def test_every_pair(learner, reference, rng):
    """Entry (i, j) is the dot product of query i and key j, divided by sqrt(d_k)."""
    # Widths whose roots are no integers: int(sqrt(d_k)) would pass with 4 or 16.
    # Then a single query, as in decoding step by step, a single key, and a width of 1.
    for t_q, t_k, d_k in ((3, 5, 6), (4, 2, 7), (1, 4, 5), (3, 1, 2), (2, 3, 1)):
        q, k = rng.normal(t_q, d_k), rng.normal(t_k, d_k)
        expected = torch.tensor(
            [[sum(a * b for a, b in zip(query, key)) / math.sqrt(d_k) for key in k.tolist()] for query in q.tolist()]
        )
        assert_close(learner.attention_scores(q, k), expected, f"attention_scores(q {_shape(q)}, k {_shape(k)})")


@pytest.mark.task("attention.attention_scores", points=1)
def test_leading_axes(learner, reference, rng):
    """Works the same for batches, and for batches of heads."""
    # All sizes differ, but for the third case: there T_q = T_k = d_k, where a missing transpose goes unnoticed.
    for leading, t_q, t_k, d_k in (((2,), 3, 4, 5), ((2, 3), 4, 5, 6), ((2,), 3, 3, 3), ((3, 1, 2), 5, 4, 7)):
        q, k = rng.normal(*leading, t_q, d_k), rng.normal(*leading, t_k, d_k)
        expected = ((q.double().unsqueeze(-2) * k.double().unsqueeze(-3)).sum(-1) / math.sqrt(d_k)).float()
        assert_close(learner.attention_scores(q, k), expected, f"attention_scores(q {_shape(q)}, k {_shape(k)})")


@pytest.mark.task("attention.attention_scores", points=1)
def test_scores_types_arguments_and_gradients(learner, reference, rng):
    """Keeps float type and arguments as they were, and lets gradients through."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        q, k = rng.normal(2, 3, 4, dtype=dtype), rng.normal(2, 5, 4, dtype=dtype)
        expected = (torch.einsum("bid,bjd->bij", q.double(), k.double()) / 2).to(dtype)
        _check_call(learner, "attention_scores", {"q": q, "k": k}, expected, f"attention_scores(q, k) in {dtype}")
    q, k, cotangent = (rng.normal(*shape, dtype=torch.float64) for shape in ((3, 9), (5, 9), (3, 5)))
    _check_gradients(learner, reference, "attention_scores", {"q": q, "k": k}, cotangent, "attention_scores(q, k)")


# ---------------------------------------------------------------------------------------------------------------------
# scaled_dot_product_attention


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_without_mask(learner, reference, rng):
    """Output and weights are right, for any leading axes."""
    # d_v differs from d_k: weights times keys would have another shape. T_q differs from T_k: so would a softmax
    # over the queries. As many queries as keys in one case: caught is a causal mask that nobody asked for.
    cases = [((), 3, 4, 5, 2), ((2,), 4, 3, 6, 5), ((3,), 4, 4, 6, 5), ((2, 3), 5, 4, 7, 6), ((2, 1, 3), 2, 5, 3, 4)]
    cases += [((2,), 1, 3, 4, 5), ((1, 2), 3, 1, 5, 4)]  # a single query, as in decoding step by step; a single key
    for leading, t_q, t_k, d_k, d_v in cases:
        q, k, v = rng.normal(*leading, t_q, d_k), rng.normal(*leading, t_k, d_k), rng.normal(*leading, t_k, d_v)
        # PyTorch returns no weights; but the weighted averages of the unit vectors are the weights.
        units = torch.eye(t_k).expand(*leading, t_k, t_k)
        expected = tuple(F.scaled_dot_product_attention(q, k, values) for values in (v, units))
        where = f"q {_shape(q)}, k {_shape(k)}, v {_shape(v)}"
        assert_close(learner.scaled_dot_product_attention(q, k, v), expected, _named(PAIR, where))


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_mask(learner, reference, rng):
    """Keys that the mask forbids get exactly no weight; the others share it all."""
    b, h, t_q, t_k = 2, 3, 5, 4
    cases = [((b,), t_q, shape) for shape in ((t_q, t_k), (b, t_q, t_k), (b, 1, t_k), (1, t_k))]
    cases += [((b, h), t_q, shape) for shape in ((b, 1, 1, t_k), (b, 1, t_q, t_k), (b, h, t_q, t_k), (t_q, t_k))]
    cases += [((b,), t_k, (b, t_k, t_k))]  # as many queries as keys: caught is a transposed mask, which fits too
    for leading, t_q, shape in cases:
        # Scores spread over several units: weights that are close to uniform would hide a mask added as 0 and 1.
        q, k, v = 2 * rng.normal(*leading, t_q, 6), rng.normal(*leading, t_k, 6), rng.normal(*leading, t_k, 7)
        mask = _mask(rng, *shape)
        got = learner.scaled_dot_product_attention(q, k, v, mask=mask)
        where = f"q {_shape(q)}, k {_shape(k)}, mask {shape}"
        assert_close(got, _attention_in_loops(q, k, v, mask), _named(PAIR, where))
        _assert_zero_where(got[1], ~mask, f"the weights where the mask is False ({where})")


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
        mask[0, 0] = torch.arange(t_k) < 2
        got = learner.scaled_dot_product_attention(q, k, v, mask=mask)
        where = f"scores around {offset}, {dtype}"
        assert_close(got, _attention_in_loops(q, k, v, mask), _named(PAIR, where))
        _assert_zero_where(got[1], ~mask, f"the weights where the mask is False ({where})")


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_nothing_to_attend(learner, reference, rng):
    """A query that may attend to nothing gets zero weights and a zero output."""
    b, h, t_q, t_k = 3, 2, 4, 5
    causal_without_self = torch.ones(t_q, t_k, dtype=torch.bool).tril(-1)
    padding = rng.mask(b, 1, 1, t_k)
    padding[1] = False  # a sequence of padding only
    rows = _mask(rng, b, h, t_q, t_k, empty_rows=True)
    for leading, mask in (((), causal_without_self), ((b, h), padding), ((b, h), rows), ((b,), rows[:, 0])):
        q, k, v = rng.normal(*leading, t_q, 6), rng.normal(*leading, t_k, 6), rng.normal(*leading, t_k, 3)
        got = learner.scaled_dot_product_attention(q, k, v, mask=mask)
        where = f"mask {_shape(mask)}, with rows where nothing may be attended"
        assert_close(got, _attention_in_loops(q, k, v, mask), _named(PAIR, where))
        empty = ~mask.any(-1, keepdim=True)
        _assert_zero_where(got[1], empty, f"the weights of queries that may attend to nothing ({where})")
        _assert_zero_where(got[0], empty, f"the output of queries that may attend to nothing ({where})")


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_gradients(learner, reference, rng):
    """Gradients reach q, k and v, and are finite even where nothing may be attended."""
    for where in ("no mask", "a mask", "a mask with rows where nothing may be attended"):
        q, k, v, cotangent = (rng.normal(2, *shape, dtype=torch.float64) for shape in ((3, 4), (5, 4), (5, 6), (3, 6)))
        # NaN that was replaced after the softmax may still come back in the gradients of empty rows.
        mask = None if where == "no mask" else _mask(rng, 2, 3, 5, empty_rows="nothing" in where)
        arguments = {"q": q, "k": k, "v": v, "mask": mask}
        _check_gradients(learner, reference, "scaled_dot_product_attention", arguments, cotangent, where)


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_types_and_arguments(learner, reference, rng):
    """Keeps float type and arguments as they were."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        q, k, v = (rng.normal(2, *shape, dtype=dtype) for shape in ((3, 4), (5, 4), (5, 6)))
        # The empty row tempts to repair the mask in place.
        mask = _mask(rng, 2, 3, 5, empty_rows=True)
        arguments, expected = {"q": q, "k": k, "v": v, "mask": mask}, _attention_in_loops(q, k, v, mask)
        _check_call(learner, "scaled_dot_product_attention", arguments, expected, _named(PAIR, dtype))


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_dropout_acts_on_weights(learner, reference, rng):
    """Dropout, a function or a module, acts on the weights, and those are returned."""
    for kind in ("function", "module"):
        q, k, v = rng.normal(2, 3, 6), rng.normal(2, 5, 6), rng.normal(2, 5, 8)
        # As long as d_v, so that dropout on the output runs too, and is seen in the numbers.
        keep = (torch.arange(8) % 2 == rng.choice([0, 1])).float()
        mask = None if kind == "function" else rng.mask(2, 3, 5, keep=0.8)
        output, weights = reference.scaled_dot_product_attention(q, k, v, mask=mask)
        dropped = weights * keep[:5] * 2
        got = learner.run(attend_with_dropout, q, k, v, mask, kind, keep)
        assert_close(got, (dropped @ v, dropped), _named(PAIR, f"dropout is a {kind} that keeps every second key"))


@pytest.mark.task("attention.scaled_dot_product_attention", points=1)
def test_random_dropout(learner, reference, rng):
    """With nn.Dropout, weights are dropped in training, and the output belongs to the weights returned."""
    p, t_q, t_k = 0.4, 30, 40
    q, k, v = rng.normal(3, t_q, 4), rng.normal(3, t_k, 4), rng.normal(3, t_k, 5)
    plain = reference.scaled_dot_product_attention(q, k, v)
    got = learner.run(attend_with_random_dropout, q, k, v, p, False)
    assert_close(got, plain, _named(PAIR, "nn.Dropout in evaluation mode"))
    names = _named(PAIR, f"nn.Dropout({p}) in training mode")
    got = learner.run(attend_with_random_dropout, q, k, v, p, True)
    assert_close(got, plain, names, atol=math.inf)  # for now only types and shapes
    output, weights = got
    share = (weights == 0).double().mean().item()
    # 3600 draws: the share of zeros has standard deviation 0.008, so 0.06 is passed by chance once in 10^13 runs.
    if abs(share - p) > 0.06:
        raise AssertionError(f"With nn.Dropout({p}) a share of {share:.2f} of the weights is 0, and {p} was expected.")
    kept = torch.where(weights == 0, 0.0, plain[1] / (1 - p))
    assert_close(weights, kept, names[1])
    assert_close(output, weights @ v, "the output, compared with the returned weights @ v,")


# ---------------------------------------------------------------------------------------------------------------------
# SelfAttention


@pytest.mark.task("attention.SelfAttention", points=1)
def test_self_attention(learner, reference, rng):
    """With given weights and biases, output and weights are right."""
    # Several widths: a scale written as a number fits one at most.
    for b, t, d in ((3, 4, 6), (2, 5, 3), (1, 3, 8)):
        _check_module(learner, reference, "SelfAttention", _parameters(rng, d), {"x": rng.normal(b, t, d)})
    # Nothing is dropped here: training mode makes no difference.
    arguments = {"x": rng.normal(2, 4, 5), "mask": _mask(rng, 4, 4)}
    _check_module(learner, reference, "SelfAttention", _parameters(rng, 5), arguments, training=True)


@pytest.mark.task("attention.SelfAttention", points=1)
def test_self_attention_mask(learner, reference, rng):
    """Follows the mask, for the whole batch or for each sequence."""
    b, t, d = 3, 4, 5
    cases = [(t, t), (b, t, t), (b, 1, t), (1, t, t)]
    for shape, empty_rows in [(shape, False) for shape in cases] + [((b, t, t), True)]:
        arguments = {"x": rng.normal(b, t, d), "mask": _mask(rng, *shape, empty_rows=empty_rows)}
        _check_module(learner, reference, "SelfAttention", _parameters(rng, d), arguments)


@pytest.mark.task("attention.SelfAttention", points=1)
def test_self_attention_gradients(learner, reference, rng):
    """Gradients reach the input and every weight and bias."""
    x, cotangent = rng.normal(2, 3, 4, dtype=torch.float64), rng.normal(2, 3, 4, dtype=torch.float64)
    for where, mask in (("no mask", None), ("a mask", _mask(rng, 2, 3, 3, empty_rows=True))):
        parameters, arguments = _parameters(rng, 4, torch.float64), {"x": x, "mask": mask}
        _check_gradients(learner, reference, "SelfAttention", arguments, cotangent, where, None, parameters)


@pytest.mark.task("attention.SelfAttention", points=1)
def test_self_attention_types(learner, reference, rng):
    """Works in float64 and in bfloat16."""
    _check_module_types(learner, reference, rng, "SelfAttention", {"x": rng.normal(2, 5, 4)})


# ---------------------------------------------------------------------------------------------------------------------
# CrossAttention


@pytest.mark.task("attention.CrossAttention", points=1)
def test_cross_attention(learner, reference, rng):
    """Queries come from x, keys and values from the memory."""
    # Equal lengths first: there wrong sources give wrong numbers, for other lengths an error or another shape.
    for b, t_q, t_k, d in ((2, 4, 4, 6), (3, 2, 5, 4), (1, 5, 3, 7)):
        arguments = {"x": rng.normal(b, t_q, d), "memory": rng.normal(b, t_k, d)}
        _check_module(learner, reference, "CrossAttention", _parameters(rng, d), arguments)
    # Nothing is dropped here: training mode makes no difference.
    arguments = {"x": rng.normal(2, 3, 5), "memory": rng.normal(2, 4, 5), "mask": _mask(rng, 3, 4)}
    _check_module(learner, reference, "CrossAttention", _parameters(rng, 5), arguments, training=True)


@pytest.mark.task("attention.CrossAttention", points=1)
def test_cross_attention_mask(learner, reference, rng):
    """Follows the mask: padding in the memory is not read."""
    b, t_q, t_k, d = 3, 2, 4, 5
    cases = [(t_q, (b, 1, t_k), False), (t_q, (t_q, t_k), False), (t_q, (b, t_q, t_k), False)]
    cases += [(t_k, (b, t_k, t_k), False), (t_q, (b, t_q, t_k), True)]  # equal lengths: a transposed mask fits
    for length, shape, empty_rows in cases:
        arguments = {"x": rng.normal(b, length, d), "memory": rng.normal(b, t_k, d)}
        arguments["mask"] = _mask(rng, *shape, empty_rows=empty_rows)
        _check_module(learner, reference, "CrossAttention", _parameters(rng, d), arguments)


@pytest.mark.task("attention.CrossAttention", points=1)
def test_cross_attention_gradients(learner, reference, rng):
    """Gradients reach x, the memory, and every weight and bias."""
    x, memory, cotangent = (rng.normal(2, t, 4, dtype=torch.float64) for t in (3, 5, 3))
    for where, mask in (("no mask", None), ("a mask", _mask(rng, 2, 3, 5, empty_rows=True))):
        parameters, arguments = _parameters(rng, 4, torch.float64), {"x": x, "memory": memory, "mask": mask}
        _check_gradients(learner, reference, "CrossAttention", arguments, cotangent, where, None, parameters)


@pytest.mark.task("attention.CrossAttention", points=1)
def test_cross_attention_types(learner, reference, rng):
    """Works in float64 and in bfloat16."""
    arguments = {"x": rng.normal(2, 5, 4), "memory": rng.normal(2, 3, 4)}
    _check_module_types(learner, reference, rng, "CrossAttention", arguments)
