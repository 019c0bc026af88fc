"""Checks of the unit on blocks. Expected values come from PyTorch's own layers or from plain formulas in float64.

First comes what several tasks share, then each task with its drivers, helpers and checks, from basic to subtle. Each
check looks at one mechanism. Sizes that could be confused differ, all parameters are of order 1, and dropout is judged
by statistics: `assert_share` says how rarely a check fails by chance alone.
"""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from autograder.judging.assertions import assert_close, assert_equal
from autograder.judging.replies import assert_refused, reply_of
from autograder.units.support.calls import assert_call, gradient_names
from autograder.units.support.drivers import (
    at_path,
    load_layers,
    refusal,
    refusal_in_short,
    weighted_gradients,
    with_gradients,
    zero_parameters,
)
from autograder.units.support.statistics import share_of

# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def load_parameters(module, name, values):
    """Copy values into a module's parameters by path; returns the parameters, or a sentence that says what is wrong."""
    parameters = []
    for path, value in values.items():
        parameter = at_path(module, path)
        if parameter is None:
            return (
                f"There is no `{path}` in your {name}, but weights are copied in by this name. Rename your parameter."
            )
        if not isinstance(parameter, nn.Parameter) or all(parameter is not own for own in module.parameters()):
            found = "a buffer" if path in dict(module.named_buffers()) else f"of type {type(parameter).__name__}"
            return f"`{path}` should be a parameter of your {name}, but is {found}."
        if parameter.shape != value.shape:
            return f"`{path}` should have shape {tuple(value.shape)}, but has shape {tuple(parameter.shape)}."
        with torch.no_grad():
            parameter.copy_(value)
        parameters.append(parameter)
    return parameters


def mixing_sublayer(kind, matrix):
    """A sublayer that, like attention, mixes positions: a function, or a module with a parameter."""

    def mix(z):
        return torch.sin(z.roll(1, 1)) @ matrix + z

    class Mix(nn.Module):
        def __init__(self):
            super().__init__()
            self.matrix = nn.Parameter(matrix)

        def forward(self, z):
            return torch.sin(z.roll(1, 1)) @ self.matrix + z

    return mix if kind == "function" else Mix()


def call(learner, name, args, options, build=None, parameters=None, cotangent=None, sublayer=None):
    """Call a function, or a module that is built and given its weights first; ``sublayer`` is one more argument.

    Returns the result, and the tensors among the arguments as the call left them. With a cotangent: the output, and
    the gradients of its weighted sum for all float arguments and parameters.
    """
    function, weights = getattr(learner, name), []
    if build is not None:
        # A norm is the same in both modes: its gradients are taken in training mode, all others in evaluation mode.
        training = name == "LayerNorm" and cotangent is not None
        function = function(*build[0], **build[1]).to(args[0].dtype).train(training)
        weights = load_parameters(function, name, parameters)
        if isinstance(weights, str):
            return weights
        zero_parameters(getattr(learner, name)(*build[0]))  # catches layers that all modules share
    more = () if sublayer is None else (mixing_sublayer(*sublayer),)
    if cotangent is None:
        if build is not None:  # catches modules that keep what their first call computed or got
            function(args[0] + 1, *args[1:], *((lambda z: -z) for _ in more), **options)
        return function(*args, *more, **options), tuple(arg for arg in args if isinstance(arg, torch.Tensor))
    args, leaves = with_gradients(args)
    output = function(*args, *more, **options)
    return (output, *weighted_gradients(output, cotangent, leaves + weights))


def refusals(learner, name, x, build, keyword, values):
    """For each value of an argument: how the call refused it, or what the call returned.

    A module may raise when it is built or when it is called.
    """
    function = getattr(learner, name)

    def ask(value):
        if build is None:
            return function(x, **{keyword: value})
        module = function(*build, **{keyword: value})
        return module(x, lambda z: z) if name == "SublayerConnection" else module(x)

    return [refusal_in_short(lambda value=value: ask(value)) for value in values]


def ask(subject, *request, **options):
    """The reply of `call`."""
    uses = (at_path, load_parameters, zero_parameters, mixing_sublayer, with_gradients, weighted_gradients)
    return reply_of(subject, call, *request, parts=2, uses=uses, **options)


def check_call(learner, name, arguments, expected, what, options=None, tolerance=None, **more):
    """The result is as expected, and the arguments (tensors by name) are as they were before the call."""
    reply = ask(learner, name, tuple(arguments.values()), options or {}, **more)
    assert_call(reply, arguments, expected, what, tolerance)


def check_gradients(learner, reference, name, arguments, cotangent, where, options=None, **more):
    """Gradients of a weighted sum of the output equal the reference's."""
    leaves = [*arguments, *(more.get("parameters") or ())]
    request = (name, tuple(arguments.values()), options or {})
    more["cotangent"] = cotangent
    assert_close(ask(learner, *request, **more), ask(reference, *request, **more), gradient_names(leaves, where))


def check_refused(learner, name, x, build, keyword, values):
    """Each value raises ValueError."""
    outcomes = learner.run(refusals, name, x, build, keyword, values, uses=(refusal, refusal_in_short))
    for value, outcome in zip(values, outcomes):
        assert_refused(outcome, f"{name} with {keyword}={value!r}")


def assert_share(zero, p, what):
    """The share of dropped entries is ``p``, and whether an entry is dropped does not depend on the others.

    The limits are 8 standard deviations: with 1200 entries and more, chance alone exceeds one of them less than once in
    10^11 runs (Chernoff's bound). Neighbours along an axis agree with probability ``p^2 + (1 - p)^2`` if they are
    independent; where one number is drawn for both, they always agree.
    """
    share, allowed = share_of(zero), 8 * math.sqrt(p * (1 - p) / zero.numel())
    if abs(share - p) > allowed:
        raise AssertionError(f"{what}: a share of {share:.3f} is dropped, but it should be about {p}.")
    agree = p**2 + (1 - p) ** 2
    for axis in range(zero.ndim):
        if zero.shape[axis] == 1:
            continue  # no neighbours along this axis
        same = share_of(zero == zero.roll(1, axis))
        # Every entry is in two pairs, so pairs are not independent: this at most doubles the variance of their mean.
        if abs(same - agree) > 8 * math.sqrt(2 * agree * (1 - agree) / zero.numel()):
            raise AssertionError(
                f"{what}: neighbours along axis {axis} are dropped together too often or too rarely "
                f"({same:.3f} of them agree). Each entry has to be dropped or kept independently."
            )


def assert_dropped(got, full, p, what):
    """Entries are 0 or ``full / (1 - p)``, and the zeros are independent. ``full`` holds no zero."""
    assert_close(got, full, what, atol=math.inf)  # for now only type, shape, dtype and finite numbers
    zero = got == 0
    assert_close(got, torch.where(zero, torch.zeros_like(full), full / (1 - p)), f"{what}: what is not dropped")
    assert_share(zero, p, what)


# ---------------------------------------------------------------------------------------------------------------------
# gelu


@pytest.mark.task("blocks.gelu", points=1)
def test_curve(learner, reference, rng):
    """gelu is right for small and large numbers of both signs, for any shape."""
    for shape in ((7,), (2, 5), (2, 3, 4), (2, 1, 3), (1,)):
        x = 2 * rng.normal(*shape)
        expected = F.gelu(x.double(), approximate="tanh").float()
        assert_close(learner.gelu(x), expected, f"gelu(x) for x of shape {shape}")
    x = torch.arange(-6, 6.5, 0.5)
    assert_close(learner.gelu(x), F.gelu(x.double(), approximate="tanh").float(), "gelu(x) for x from -6 to 6")
    # Far from 0 the curve is x or 0: catches code that limits x or the result.
    for end, dtype in ((8.0, torch.float32), (15.0, torch.float64)):
        x = torch.tensor([-end, 1 - end, end - 1, end], dtype=dtype)
        check_call(learner, "gelu", {"x": x}, F.gelu(x, approximate="tanh"), f"gelu(x) for x = {x.tolist()}")
    # Still further out, a tanh that is written with exp overflows: on one side, or on both.
    for dtype in (torch.float32, torch.float64):
        x = torch.tensor([-1e6, -300.0, -40.0, 40.0, 300.0, 1e6], dtype=dtype)
        check_call(learner, "gelu", {"x": x}, x.clamp(min=0), f"gelu(x) for x = {x.tolist()}, in {dtype}")


@pytest.mark.task("blocks.gelu", points=1)
def test_tanh_form(learner, reference, rng):
    """The form with tanh, not the one with the error function."""
    # Here the two forms are furthest apart, by up to 0.0005: around 2.7 on both sides.
    x = rng.uniform(4, 3, low=2.0, high=3.0, dtype=torch.float64) * torch.tensor([1.0, -1.0, 1.0])
    assert_close(learner.gelu(x), F.gelu(x, approximate="tanh"), "gelu(x) for |x| from 2 to 3 in float64")


@pytest.mark.task("blocks.gelu", points=1)
def test_gelu_types_argument_and_gradient(learner, reference, rng):
    """Keeps the float type, leaves the argument unchanged, and lets gradients through."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x = rng.normal(3, 4, dtype=dtype)
        expected = F.gelu(x.double(), approximate="tanh").to(dtype)
        check_call(learner, "gelu", {"x": x}, expected, f"gelu(x) in {dtype}")
    x, cotangent = 2 * rng.normal(3, 4, dtype=torch.float64), rng.normal(3, 4, dtype=torch.float64)
    check_gradients(learner, reference, "gelu", {"x": x}, cotangent, "gelu(x)")


# ---------------------------------------------------------------------------------------------------------------------
# LayerNorm


def in_float64(x, *weights):
    return tuple(tensor.double() for tensor in (x, *weights))


def random_norm(rng, d, dtype=torch.float32, prefix=""):
    """Gain and bias of order 1, of both signs: ones and zeros would hide that they are missing."""
    return {f"{prefix}gamma": rng.normal(d, dtype=dtype), f"{prefix}beta": rng.normal(d, dtype=dtype)}


def check_layer_norm(learner, rng, x, what, eps=None, dtype=torch.float32, tolerance=None, **build):
    """Values equal to PyTorch's layer norm, computed in float64."""
    d = x.shape[-1]
    parameters = random_norm(rng, d, dtype)
    wide = in_float64(x, *parameters.values())
    expected = F.layer_norm(wide[0], (d,), wide[1], wide[2], 1e-5 if eps is None else eps).to(dtype)
    build = {"build": ((d,), {} if eps is None else {"eps": eps}), **build}
    check_call(learner, "LayerNorm", {"x": x}, expected, what, parameters=parameters, tolerance=tolerance, **build)


@pytest.mark.task("blocks.LayerNorm", points=1)
def test_last_axis(learner, reference, rng):
    """Each vector is normalised separately, whatever axes come before the last."""
    # A wide vector first: there the biased and the unbiased variance are close, so that only a wrong axis shows.
    # Axes of length 1 catch squeeze() without an axis.
    for shape in ((2, 3, 50), (4, 5, 6), (5,), (3, 4), (2, 3, 4, 7), (4, 4, 4), (1, 3, 6), (3, 1, 5), (2, 3, 1, 4)):
        # Every position has a mean and a size of its own: shared statistics cannot fit.
        x = rng.normal(*shape) * rng.uniform(*shape[:-1], 1, low=0.5, high=4) + 2 * rng.normal(*shape[:-1], 1)
        check_layer_norm(learner, rng, x, f"LayerNorm({shape[-1]}) of x with shape {shape}")


@pytest.mark.task("blocks.LayerNorm", points=1)
def test_biased_variance(learner, reference, rng):
    """The variance of narrow vectors is divided by d, not by d - 1."""
    for d in (2, 3, 4):  # at d = 4 the factor sqrt((d - 1)/d) is 0.87, at d = 512 it is 0.999
        x = 3 * rng.normal(5, d) + rng.normal(5, 1)
        x[:, 0] += 4  # never nearly equal: eps plays no part here
        check_layer_norm(learner, rng, x, f"LayerNorm({d}) of 5 vectors")


def fresh_parameters(learner, name, *build):
    """The gain and the bias of a norm layer as it is built."""
    module = getattr(learner, name)(*build)
    return module.gamma, module.beta


@pytest.mark.task("blocks.LayerNorm", points=1)
def test_gain_and_bias(learner, reference, rng):
    """gamma and beta are parameters of shape (d_model,) that start at 1 and 0."""
    for d in (4, 7):
        names = (f"gamma of a new LayerNorm({d})", f"beta of a new LayerNorm({d})")
        got = learner.run(fresh_parameters, "LayerNorm", d)
        assert_equal(got, (torch.ones(d), torch.zeros(d)), names)
        check_layer_norm(learner, rng, 2 * rng.normal(3, d), f"LayerNorm({d}) with other gamma and beta")


@pytest.mark.task("blocks.LayerNorm", points=1)
def test_epsilon(learner, reference, rng):
    """eps is added to the variance, inside the root: rows of small variance, and a large eps."""
    # Variances around 1e-5 catch eps outside the root, another default, eps squared, and a clamp. The mean is near 0,
    # so that no form of the variance loses digits.
    small = rng.normal(4, 6) * torch.tensor([[3e-2], [3e-3], [1e-3], [1e-4]])
    check_layer_norm(learner, rng, small, "LayerNorm(6) of rows with small variance")
    for eps in (0.1, 2.0):
        x = rng.normal(3, 5) * torch.tensor([[2.0], [0.5], [0.1]])
        check_layer_norm(learner, rng, x, f"LayerNorm(5, eps={eps})", eps)
    flat = rng.normal(3, 1).expand(3, 4).contiguous()  # equal entries: 0/0 without eps
    check_layer_norm(learner, rng, flat, "LayerNorm(4) of rows whose entries are all equal")


@pytest.mark.task("blocks.LayerNorm", points=1)
def test_layer_norm_types_and_argument(learner, reference, rng):
    """Works in float64 and bfloat16, and leaves its input as it was."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x = rng.normal(2, 3, 8, dtype=dtype)
        check_layer_norm(learner, rng, x, f"LayerNorm(8) in {dtype}", dtype=dtype)


@pytest.mark.task("blocks.LayerNorm", points=1)
def test_layer_norm_gradients(learner, reference, rng):
    """Gradients reach x, gamma and beta, also through mean and variance."""
    x, cotangent = 2 * rng.normal(2, 3, 5, dtype=torch.float64), rng.normal(2, 3, 5, dtype=torch.float64)
    x[1, 2] = 0.0  # a row of equal entries: the gradient is finite, because eps is under the root
    parameters = random_norm(rng, 5, torch.float64)
    more = {"build": ((5,), {}), "parameters": parameters}
    check_gradients(learner, reference, "LayerNorm", {"x": x}, cotangent, "LayerNorm(5)", **more)


# ---------------------------------------------------------------------------------------------------------------------
# rms_norm


def rms_by_hand(x, weight, eps):
    """Vector by vector, number by number, in float64."""
    rows = []
    for vector in x.double().reshape(-1, x.shape[-1]).tolist():
        size = math.sqrt(sum(entry**2 for entry in vector) / len(vector) + eps)
        rows.append([gain * entry / size for gain, entry in zip(weight.tolist(), vector)])
    return torch.tensor(rows, dtype=torch.float64).reshape(x.shape).to(x.dtype)


@pytest.mark.task("blocks.rms_norm", points=1)
def test_root_mean_square(learner, reference, rng):
    """Every vector is divided by its own root mean square, whatever axes come before the last."""
    # One shape occurs twice: catches answers that are kept by shape. Axes of length 1 catch squeeze() without an axis.
    for shape in ((4, 5, 6), (5,), (3, 4), (2, 3, 4, 7), (4, 4, 4), (1, 3, 6), (1, 3, 6), (3, 1, 5), (2, 3, 1, 1)):
        # Means far from 0: there the root mean square is not the standard deviation.
        x = rng.normal(*shape) * rng.uniform(*shape[:-1], 1, low=0.5, high=4) + 2 * rng.normal(*shape[:-1], 1)
        weight = rng.normal(shape[-1])
        arguments = {"x": x, "weight": weight}
        expected = rms_by_hand(x, weight, 1e-5)
        check_call(learner, "rms_norm", arguments, expected, f"rms_norm(x, weight) for x {shape}")


@pytest.mark.task("blocks.rms_norm", points=1)
def test_weight(learner, reference, rng):
    """The weight scales entry by entry, after the division."""
    for d in (3, 6):
        x = 2 * rng.normal(4, d)
        # One entry far larger than the others, one 0, one negative: catches a weight that takes part in the mean.
        weight = torch.cat([torch.tensor([20.0, 0.0, -3.0]), rng.normal(d - 3)])
        assert_close(learner.rms_norm(x, weight), rms_by_hand(x, weight, 1e-5), f"rms_norm(x, {weight.tolist()})")


@pytest.mark.task("blocks.rms_norm", points=1)
def test_rms_epsilon(learner, reference, rng):
    """eps is added to the mean square, inside the root: small numbers, zeros, and a large eps."""
    small = rng.normal(5, 6) * torch.tensor([[3e-2], [3e-3], [1e-3], [1e-4], [0.0]])
    weight = rng.normal(6)
    what = "rms_norm(x, weight) of rows with small numbers"
    assert_close(learner.rms_norm(small, weight), rms_by_hand(small, weight, 1e-5), what)
    for eps in (0.1, 2.0):
        x = rng.normal(3, 6) * torch.tensor([[2.0], [0.5], [0.1]])
        what = f"rms_norm(x, weight, eps={eps})"
        assert_close(learner.rms_norm(x, weight, eps=eps), rms_by_hand(x, weight, eps), what)


@pytest.mark.task("blocks.rms_norm", points=1)
def test_rms_types_arguments_and_gradients(learner, reference, rng):
    """Keeps the float type, leaves the arguments unchanged, and lets gradients through."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x, weight = rng.normal(2, 3, 8, dtype=dtype), rng.normal(8, dtype=dtype)
        expected = rms_by_hand(x, weight, 1e-5)
        check_call(learner, "rms_norm", {"x": x, "weight": weight}, expected, f"rms_norm(x, weight) in {dtype}")
    x, weight, cotangent = (rng.normal(*shape, dtype=torch.float64) for shape in ((3, 5), (5,), (3, 5)))
    x = 2 * x + 1
    arguments = {"x": x, "weight": weight}
    check_gradients(learner, reference, "rms_norm", arguments, cotangent, "rms_norm(x, weight)")


# ---------------------------------------------------------------------------------------------------------------------
# dropout


def without_zeros(rng, *shape, dtype=torch.float32):
    """Numbers of both signs and of order 1, none of them near 0."""
    x = rng.normal(*shape, dtype=torch.float64)
    return (x.sign() * (x.abs() + 0.5)).to(dtype)


@pytest.mark.task("blocks.dropout", points=1)
def test_dropped_or_scaled(learner, reference, rng):
    """A share p becomes 0, the rest is divided by 1 - p."""
    for p in (0.1, 0.35, 0.8):
        x = without_zeros(rng, 15, 18, 16)
        what = f"dropout(x, {p})"
        assert_dropped(learner.dropout(x, p), x, p, what)
    x = without_zeros(rng, 1200)
    assert_dropped(learner.dropout(x, p=0.5, training=True), x, 0.5, "dropout(x, p=0.5, training=True) of a vector")
    for shape in ((1, 40, 30), (40, 1, 30), (40, 30, 1)):  # catches squeeze() without an axis
        x = without_zeros(rng, *shape)
        assert_dropped(learner.dropout(x, 0.3), x, 0.3, f"dropout(x, 0.3) of x with shape {shape}")


def drop_many_times(learner, x, p, times, seed=None, **options):
    """Results of ``times`` calls in a row, with one generator for all if there is a seed."""
    options |= {} if seed is None else {"generator": torch.Generator().manual_seed(seed)}
    return torch.stack([learner.dropout(x, p, **options) for _ in range(times)])


@pytest.mark.task("blocks.dropout", points=1)
def test_nothing_dropped(learner, reference, rng):
    """Nothing happens in evaluation, or when p is 0."""
    for shape, p, training in (((3, 40), 0.4, False), ((2, 5, 30), 0.9, False), ((3, 40), 0.0, True), ((50,), 0, True)):
        x = rng.normal(*shape)
        assert_close(learner.dropout(x, p, training), x, f"dropout(x, {p}, {training})")
    x = rng.normal(3, 40)
    got = learner.run(drop_many_times, x, 0.4, 2, seed=5, training=False)
    assert_close(got, x.expand(2, 3, 40), "dropout(x, 0.4, training=False, generator=...)")
    x = without_zeros(rng, 200)
    if not (learner.dropout(x, 0.5) == 0).any():  # by chance once in 10^60 runs
        raise AssertionError("dropout(x, 0.5) drops nothing, although training=True is the default.")


@pytest.mark.task("blocks.dropout", points=1)
def test_independent_places(learner, reference, rng):
    """Each entry is drawn independently, and anew in each call."""
    p, times = 0.3, 24
    x = without_zeros(rng, 10, 8)
    got = learner.run(drop_many_times, x, p, times)
    full = x.expand(times, 10, 8)
    assert_dropped(got, full, p, f"{times} calls of dropout(x, {p})")
    # 80 entries: no number of zeros is likelier than 0.1, so chance alone gives 24 equal counts once in 10^23 runs.
    if len(set((got == 0).flatten(1).sum(1).tolist())) == 1:
        raise AssertionError(
            f"dropout(x, {p}) drops exactly the same number of entries in each of {times} calls. Decide about each "
            "entry separately."
        )
    # Catches numbers that are used twice, or once as u and once as 1 - u. The correlation of two entries over 300 calls
    # has standard deviation 0.058: by chance, one of the 66 pairs lies beyond 0.45 once in 10^12 runs.
    p, times = 0.4, 300
    x = without_zeros(rng, 3, 4)
    zero = (learner.run(drop_many_times, x, p, times) == 0).flatten(1).double()
    if zero.shape != (times, 12) or (zero.T.corrcoef() - torch.eye(12)).abs().max() > 0.45:
        raise AssertionError(
            f"In {times} calls of dropout(x, {p}), whether one entry is dropped depends on another. Draw one number "
            "for each entry."
        )


@pytest.mark.task("blocks.dropout", points=1)
def test_generator(learner, reference, rng):
    """Random numbers come from the generator that is passed."""
    x, p, seed = without_zeros(rng, 9, 7, 8), 0.4, 17
    first, again, other = (learner.run(drop_many_times, x, p, 3, seed=number) for number in (seed, seed, seed + 1))
    for got in (first, other):
        assert_dropped(
            got, x.expand(3, 9, 7, 8), p, f"three calls of dropout(x, {p}, generator=...) with one generator"
        )
    assert_equal(again, first, "dropout with a second generator of the same seed")
    if torch.equal(first, other):
        raise AssertionError(
            "dropout gives the same result with generators of different seeds. Does the function that draws get the "
            "generator?"
        )


@pytest.mark.task("blocks.dropout", points=1)
def test_p_out_of_range(learner, reference, rng):
    """p outside [0, 1) raises ValueError."""
    values = [1.0, -0.1, 1.5, 1, -2, rng.choice([7.0, 30])]  # 1 would divide by zero; 30 looks like a percentage
    check_refused(learner, "dropout", rng.normal(3, 4), None, "p", values)


def drop_and_differentiate(learner, x, p, cotangent):
    """The result of dropout and the gradient of its weighted sum."""
    leaf = x.clone().requires_grad_()
    result = learner.dropout(leaf, p)
    return result, weighted_gradients(result, cotangent, [leaf])[0]


@pytest.mark.task("blocks.dropout", points=1)
def test_dropout_types_argument_and_gradient(learner, reference, rng):
    """Keeps the float type, and leaves the argument unchanged; the gradient is 0 or 1/(1 - p)."""
    p = 0.25
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x = without_zeros(rng, 30, 20, dtype=dtype)
        for training in (True, False):
            got, after, *_ = ask(learner, "dropout", (x, p), {"training": training})
            what = f"dropout(x, {p}, training={training}) in {dtype}"
            assert_close(got, x, what, atol=math.inf)
            full = (x.double() / (1 - p)).to(dtype) if training else x
            assert_close(got, torch.where(got == 0, torch.zeros_like(x), full), f"{what}: what is not dropped")
            if training != (got == 0).any().item():  # 600 entries: none dropped by chance once in 10^74 runs
                raise AssertionError(
                    f"{what} drops {'nothing' if training else 'something'}. "
                    "Entries are dropped with training=True, and only then."
                )
            assert_equal(after, (x,), ("the argument x after the call",))
    x, cotangent = without_zeros(rng, 20, 15), without_zeros(rng, 20, 15)
    got, gradient = learner.run(drop_and_differentiate, x, p, cotangent, uses=(weighted_gradients,))
    expected = torch.where(got == 0, torch.zeros_like(x), cotangent / (1 - p))
    assert_close(gradient, expected, f"the gradient of dropout(x, {p})")


# ---------------------------------------------------------------------------------------------------------------------
# FeedForward


def random_feed_forward(rng, d, d_ff, dtype=torch.float32, scale=1.0):
    """Weights and biases of order 1: small ones would hide most mistakes."""
    shapes = {"w_1.weight": (d_ff, d), "w_1.bias": (d_ff,), "w_2.weight": (d, d_ff), "w_2.bias": (d,)}
    return {name: (scale * rng.normal(*shape, dtype=torch.float64)).to(dtype) for name, shape in shapes.items()}


def feed_forward_by_hand(x, parameters, activation):
    """The formula in float64."""
    w_1, b_1, w_2, b_2 = (tensor.double() for tensor in parameters.values())
    hidden = x.double() @ w_1.T + b_1
    hidden = hidden.clamp(min=0) if activation == "relu" else F.gelu(hidden, approximate="tanh")
    return (hidden @ w_2.T + b_2).to(x.dtype)


def check_feed_forward(learner, rng, sizes, options, dtype=torch.float32, scale=1.0, tolerance=None, by_position=()):
    """The output in evaluation mode, with options passed by name and some ``by_position``."""
    b, t, d, d_ff = sizes
    x, parameters = rng.normal(b, t, d, dtype=dtype), random_feed_forward(rng, d, d_ff, dtype, scale)
    activation = dict(zip(("dropout", "activation"), by_position)) | options
    expected = feed_forward_by_hand(x, parameters, activation.get("activation", "relu"))
    given = "".join([f", {value!r}" for value in by_position] + [f", {k}={v!r}" for k, v in options.items()])
    what = f"FeedForward({d}, {d_ff}{given}) of x ({b}, {t}, {d}) in {dtype}, in evaluation mode"
    more = {"build": ((d, d_ff, *by_position), options), "parameters": parameters, "tolerance": tolerance}
    check_call(learner, "FeedForward", {"x": x}, expected, what, **more)


@pytest.mark.task("blocks.FeedForward", points=1)
def test_relu_layer(learner, reference, rng):
    """With given weights and ReLU, which is the default, the output is right."""
    # Narrower than the model too: catches 4 d_model. Sizes of 1 catch squeeze() without an axis.
    for sizes in ((3, 4, 5, 7), (2, 3, 6, 4), (1, 2, 4, 16), (3, 1, 5, 4), (2, 3, 1, 4)):
        check_feed_forward(learner, rng, sizes, {})
        check_feed_forward(learner, rng, sizes, {"dropout": 0.5, "activation": "relu"})


@pytest.mark.task("blocks.FeedForward", points=1)
def test_gelu_layer(learner, reference, rng):
    """With GELU, in the form with tanh, the output is right."""
    check_feed_forward(learner, rng, (2, 3, 4, 6), {"activation": "gelu"})
    check_feed_forward(learner, rng, (2, 3, 4, 6), {}, by_position=(0.2, "gelu"))
    # float64 catches the form with erf.
    check_feed_forward(learner, rng, (3, 2, 5, 8), {"activation": "gelu"}, torch.float64)


@pytest.mark.task("blocks.FeedForward", points=1)
def test_unknown_activation(learner, reference, rng):
    """An activation that does not exist raises ValueError, when the layer is built or when it is called."""
    names = [rng.choice(["swish", "tanh", "identity"]), "relu6", "", rng.choice(["ReLU", "GELU"])]
    check_refused(learner, "FeedForward", rng.normal(2, 3, 4), (4, 5), "activation", names)


@pytest.mark.task("blocks.FeedForward", points=1)
def test_feed_forward_types_and_gradients(learner, reference, rng):
    """Works in float64 and bfloat16; gradients reach the input and every weight and bias."""
    check_feed_forward(learner, rng, (2, 3, 4, 5), {}, torch.float64)
    # Two linear layers round often in bfloat16, so the tolerance is 1e-1. Larger weights would enlarge these errors.
    check_feed_forward(learner, rng, (2, 3, 4, 5), {}, torch.bfloat16, 0.5, 1e-1)
    x, cotangent = (rng.normal(2, 3, 4, dtype=torch.float64) for _ in range(2))
    for activation in ("relu", "gelu"):
        parameters = random_feed_forward(rng, 4, 6, torch.float64)
        more = {"build": ((4, 6), {"activation": activation}), "parameters": parameters}
        check_gradients(learner, reference, "FeedForward", {"x": x}, cotangent, f"activation={activation!r}", **more)


def feed_forward_in_training(learner, x, build, options, weights):
    """The output of a feed-forward layer in training mode, with given weights."""
    module = learner.FeedForward(*build, **options).train()
    load_layers(module, weights)
    torch.default_generator.manual_seed(0)  # the same draws for dropout, whatever the parameters drew
    return module(x)


@pytest.mark.task("blocks.FeedForward", points=2)
def test_dropout_on_the_hidden_layer(learner, reference, rng):
    """In training, dropout acts between activation and w_2, and nowhere else."""
    d = 30
    for p, options in ((0.4, {"dropout": 0.4, "activation": "gelu"}), (0.25, {"dropout": 0.25}), (0.1, {})):
        # d_ff = d and w_2 is the identity, so the output minus w_2's bias is the hidden layer after dropout. Catches
        # dropout after w_2 (the bias is dropped too), before w_1, and before GELU. Hidden units lie between 0.5 and 3,
        # where ReLU makes none of them 0 and GELU is not linear.
        x, bias = rng.normal(9, 11, d), 5 + rng.normal(d)
        w_1 = 0.02 * rng.normal(d, d), rng.uniform(d, low=1.2, high=2.2)
        hidden = F.linear(x, *w_1)
        hidden = F.gelu(hidden, approximate="tanh") if "activation" in options else torch.relu(hidden)
        weights = {"w_1": w_1, "w_2": (torch.eye(d), bias)}
        got = learner.run(feed_forward_in_training, x, (d, d), options, weights, uses=(load_layers,))
        what = f"FeedForward({d}, {d}, {options}) in training mode"
        assert_close(got, hidden, what, atol=math.inf)  # for now only type, shape and dtype
        kept = got - bias
        kept = torch.where(kept.abs() < 1e-4, torch.zeros_like(kept), kept)  # rounding of adding the bias
        assert_dropped(kept, hidden, p, f"{what}: the hidden layer as w_2 gets it")


# ---------------------------------------------------------------------------------------------------------------------
# SublayerConnection


def check_connection(learner, rng, shape, options, kind, dtype=torch.float32, tolerance=None):
    """Values in evaluation mode, computed in float64, around a sublayer that mixes positions."""
    d, norm = shape[-1], options.get("norm", "pre")
    # Rows of different sizes: catches a misplaced norm.
    size = rng.uniform(*shape[:-1], 1, low=0.5, high=3)
    x = ((rng.normal(*shape) * size) + rng.normal(*shape[:-1], 1)).to(dtype)
    matrix = rng.normal(d, d, dtype=dtype)
    parameters = random_norm(rng, d, dtype, "norm_layer.")
    wide, gamma, beta = in_float64(x, *parameters.values())

    def normed(z):
        return F.layer_norm(z, (d,), gamma, beta)

    def sublayer(z):
        return torch.sin(z.roll(1, 1)) @ matrix.double() + z

    expected = wide + sublayer(normed(wide)) if norm == "pre" else normed(wide + sublayer(wide))
    what = f"SublayerConnection({d}, {options}) of x {shape} around a {kind}, in {dtype}, in evaluation mode"
    more = {"build": ((d,), options), "parameters": parameters, "sublayer": (kind, matrix), "tolerance": tolerance}
    check_call(learner, "SublayerConnection", {"x": x}, expected.to(dtype), what, **more)


@pytest.mark.task("blocks.SublayerConnection", points=1)
def test_pre_norm(learner, reference, rng):
    """Pre-norm, the default: x + sublayer(norm(x)), with functions and modules as sublayers."""
    # One sequence, and one position: catches squeeze() without an axis.
    for shape, kind in (((3, 4, 5), "function"), ((2, 5, 6), "module"), ((1, 3, 7), "function"), ((3, 1, 5), "module")):
        check_connection(learner, rng, shape, {"norm": "pre"}, kind)
        check_connection(learner, rng, shape, {}, kind)


def connect_around_nothing(learner, x, build, options, training):
    """The output around a sublayer that returns its argument itself, and x as the call left it."""
    return learner.SublayerConnection(*build, **options).train(training)(x, lambda z: z), x


@pytest.mark.task("blocks.SublayerConnection", points=1)
def test_post_norm(learner, reference, rng):
    """Post-norm: norm(x + sublayer(x)), with functions and modules as sublayers."""
    for shape, kind in (((3, 4, 5), "function"), ((2, 5, 6), "module"), ((1, 3, 7), "function"), ((3, 1, 5), "module")):
        check_connection(learner, rng, shape, {"norm": "post", "dropout": 0.3}, kind)
    # The sublayer returns x itself: catches adding to it, or dropping entries of it, in place.
    for training in (False, True):
        x = rng.normal(2, 3, 8)
        got, after = learner.run(connect_around_nothing, x, (8, 0.5, "post"), {}, training)
        what = f"SublayerConnection(8, 0.5, 'post') around z -> z, in {'training' if training else 'evaluation'} mode"
        assert_close(got, F.layer_norm(2 * x, (8,)), what, atol=math.inf if training else None)
        assert_equal(after, x, f"x after the call ({what})")


@pytest.mark.task("blocks.SublayerConnection", points=1)
def test_unknown_norm(learner, reference, rng):
    """A norm that does not exist raises ValueError, when the connection is built or when it is called."""
    names = [rng.choice(["before", "none", "layer"]), "pre-post", "", rng.choice(["Pre", "POST"])]
    check_refused(learner, "SublayerConnection", rng.normal(2, 3, 4), (4,), "norm", names)


@pytest.mark.task("blocks.SublayerConnection", points=1)
def test_connection_types_and_gradients(learner, reference, rng):
    """Works in float64 and bfloat16; gradients go through the sublayer and past it."""
    for norm in ("pre", "post"):
        check_connection(learner, rng, (2, 3, 4), {"norm": norm}, "function", torch.float64)
        check_connection(learner, rng, (2, 3, 4), {"norm": norm}, "function", torch.bfloat16, 1e-1)
        x, cotangent = (rng.normal(2, 3, 4, dtype=torch.float64) for _ in range(2))
        parameters = random_norm(rng, 4, torch.float64, "norm_layer.")
        sublayer = ("function", rng.normal(4, 4, dtype=torch.float64))
        more = {"build": ((4,), {"norm": norm}), "parameters": parameters, "sublayer": sublayer}
        check_gradients(learner, reference, "SublayerConnection", {"x": x}, cotangent, f"norm={norm!r}", **more)


def connect_in_training(learner, x, branch, build, options):
    """The output in training mode around a sublayer that returns ``branch``, and what this sublayer was given."""
    module = learner.SublayerConnection(*build, **options).train()
    seen = []

    def sublayer(z):
        seen.append(z)
        return branch.clone()

    torch.default_generator.manual_seed(0)  # the same draws for dropout, whatever the parameters drew
    return module(x, sublayer), seen[0]


@pytest.mark.task("blocks.SublayerConnection", points=1)
def test_pre_norm_dropout(learner, reference, rng):
    """In training, pre-norm drops entries of what the sublayer returns, and leaves x and the norm alone."""
    for p, options in ((0.4, {"dropout": 0.4, "norm": "pre"}), (0.1, {})):  # the default is 0.1
        x, branch = rng.normal(9, 11, 30), 20 * without_zeros(rng, 9, 11, 30)
        got, seen = learner.run(connect_in_training, x, branch, (30,), options)
        what = f"SublayerConnection(30, {options}) in training mode"
        assert_close(seen, F.layer_norm(x, (30,)), f"{what}: what the sublayer is given")
        assert_close(got, x, what, atol=math.inf)
        dropped = got - x
        dropped = torch.where(dropped.abs() < 1e-3, torch.zeros_like(x), dropped)  # rounding of adding x
        assert_dropped(dropped, branch, p, f"{what}: what is added to x")


@pytest.mark.task("blocks.SublayerConnection", points=1)
def test_post_norm_dropout(learner, reference, rng):
    """In training, post-norm drops entries of what the sublayer returns, and leaves x and the sum alone."""
    # With p = 0.4, a row of 64 entries loses some of them and keeps some (except by chance, once in 10^12 runs). The
    # branch is constant and large, so that the dropped entries of a row are those below its mean.
    p, x = 0.4, rng.normal(6, 7, 64)
    got, seen = learner.run(connect_in_training, x, torch.full_like(x, 20.0), (64,), {"dropout": p, "norm": "post"})
    what = f"SublayerConnection(64, dropout={p}, norm='post') in training mode"
    assert_close(seen, x, f"{what}: what the sublayer is given")
    assert_close(got, x, what, atol=math.inf)
    zero = got < 0
    expected = F.layer_norm(x + torch.where(zero, 0.0, 20 / (1 - p)), (64,))
    assert_close(got, expected, f"{what}, around a sublayer that returns 20 everywhere")
    assert_share(zero, p, f"{what}: the sublayer's entries")
