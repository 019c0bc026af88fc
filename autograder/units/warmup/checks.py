"""Checks of the unit on PyTorch. Expected values come from loops over single numbers, or from whole Jacobians.

Each task stands with its drivers, helpers and checks, from basic to subtle. Sizes that could be confused differ. Some
cases use equal sizes on purpose: there a confused axis gives wrong numbers instead of an exception. A learner may start
the line anywhere and may halve the squared error: the checks judge how the distance from the best line shrinks.
"""

import math

import pytest
import torch

from autograder.judging.assertions import assert_close, assert_equal, assert_python_number, describe
from autograder.judging.replies import reply_of
from autograder.units.support.calls import assert_unchanged, gradient_names, result_and_arguments
from autograder.units.support.drivers import weighted_gradients, with_gradients


def result_and_gradients(learner, name, arguments, cotangent):
    """The result of a function, and the gradients of its weighted sum for all float arguments."""
    arguments, leaves = with_gradients(arguments)
    output = getattr(learner, name)(*arguments)
    return (output, *weighted_gradients(output, cotangent, leaves))


def differentiate(learner, *request):
    """The reply of `result_and_gradients`."""
    return learner.run(result_and_gradients, *request, uses=(with_gradients, weighted_gradients))


def check_call(learner, name, arguments, expected, where):
    """The result is as expected, and the arguments are as they were before the call."""
    result, after = result_and_arguments(learner, name, tuple(arguments.values()))
    assert_close(result, expected, f"{name}({', '.join(arguments)}) for {where}")
    assert_unchanged(after, arguments)


# ---------------------------------------------------------------------------------------------------------------------
# pairwise_distances


def distances(x, y):
    """All distances, computed one by one."""
    rows = [[math.dist(a, b) for b in y.tolist()] for a in x.tolist()]
    return torch.tensor(rows, dtype=torch.float64).to(x.dtype)


def check_distances(learner, x, y, where):
    check_call(learner, "pairwise_distances", {"x": x, "y": y}, distances(x, y), where)


@pytest.mark.task("warmup.pairwise_distances", points=2)
def test_distances(learner, reference, rng):
    """Entry (n, m) is the distance of x[n] from y[m]; x and y are left alone."""
    # One point alone catches an axis lost to squeeze; equal sizes catch axes that are confused.
    for n, m, d in ((3, 4, 5), (5, 3, 2), (4, 4, 4), (1, 6, 3), (4, 1, 2), (2, 3, 1)):
        x, y = 2 * rng.normal(n, d), 2 * rng.normal(m, d) + 1
        check_distances(learner, x, y, f"{n} and {m} points of {d} coordinates")


@pytest.mark.task("warmup.pairwise_distances", points=1)
def test_distances_in_whole_numbers(learner, reference, rng):
    """The distances are right for small whole numbers, and equal points are at distance 0."""
    x = torch.tensor([[0.0, 0.0], [3.0, 4.0], [-2.0, 1.0]])
    y = torch.tensor([[3.0, 4.0], [0.0, 0.0], [3.0, -11.0], [-2.0, 1.0]])
    check_distances(learner, x, y, f"x = {x.tolist()} and y = {y.tolist()}")


def count_operations(learner, pairs):
    """For each pair of sets the distances, and how many operations of torch their computation called."""
    from torch.overrides import TorchFunctionMode

    class Counting(TorchFunctionMode):
        calls = 0

        def __torch_function__(self, function, types, args=(), kwargs=None):
            self.calls += 1
            return function(*args, **(kwargs or {}))

    found = []
    for x, y in pairs:
        with Counting() as counting:
            result = learner.pairwise_distances(x, y)
        found.append((result, counting.calls))
    return found


@pytest.mark.task("warmup.pairwise_distances", points=1)
def test_no_loop(learner, reference, rng):
    """No loop: more points and more coordinates take larger operations, not more of them."""
    sizes = ((3, 4, 2), (11, 4, 2), (3, 15, 2), (3, 4, 9))
    pairs = [(rng.normal(n, d), 3 + rng.normal(m, d)) for n, m, d in sizes]
    found = learner.run(count_operations, pairs)
    for (x, y), (result, _), (n, m, d) in zip(pairs, found, sizes):
        assert_close(result, distances(x, y), f"pairwise_distances(x, y) for {n} and {m} points of {d} coordinates")
    counts = [calls for _, calls in found]
    for what, count in zip(("points in x", "points in y", "coordinates"), counts[1:]):
        if count > counts[0]:
            raise AssertionError(
                f"pairwise_distances(x, y) with more {what} calls {count} operations of PyTorch instead of "
                f"{counts[0]}, so your code has a loop. Use broadcasting to compute all pairs at once."
            )


@pytest.mark.task("warmup.pairwise_distances", points=1)
def test_gradients_of_distances(learner, reference, rng):
    """Gradients reach both sets of points."""
    x, y, cotangent = rng.normal(3, 2), 3 + rng.normal(4, 2), rng.normal(3, 4)
    unit = (x[:, None] - y) / distances(x, y)[..., None] * cotangent[..., None]
    expected = distances(x, y), unit.sum(1), -unit.sum(0)
    got = differentiate(learner, "pairwise_distances", [x, y], cotangent)
    assert_close(got, expected, gradient_names(("x", "y"), "3 and 4 points of 2 coordinates"))


@pytest.mark.task("warmup.pairwise_distances", points=1)
def test_types_of_distances(learner, reference, rng):
    """The result has the float type of the points, and the accuracy of that type."""
    for dtype in (torch.float64, torch.bfloat16, torch.float32):
        x, y = rng.normal(4, 3, dtype=dtype), 4 + rng.normal(2, 3, dtype=dtype)
        check_distances(learner, x, y, f"points in {dtype}")


# ---------------------------------------------------------------------------------------------------------------------
# pick_rows


def rows_at(x, ids):
    """The rows, taken one by one."""
    return torch.stack([torch.stack([x[b, t] for t in row]) for b, row in enumerate(ids.tolist())])


def some_positions(rng, batch, picks, length):
    """Positions out of order, of which one occurs twice; the first and the last position are among them."""
    ids = rng.integers(0, length, batch, picks)
    flat = ids.view(-1)
    flat[:2] = torch.tensor([length - 1, 0])
    ids[-1, -1] = ids[-1, 0]
    return ids


def check_picks(learner, x, ids):
    (batch, length, d), picks = x.shape, ids.shape[1]
    where = f"B={batch}, T={length}, d={d}, K={picks}"
    check_call(learner, "pick_rows", {"x": x, "ids": ids}, rows_at(x, ids), where)


@pytest.mark.task("warmup.pick_rows", points=2)
def test_rows_at_positions(learner, reference, rng):
    """Row (b, k) is x[b, ids[b, k]]; x and ids are left alone."""
    # The last two pick one row of several, and rows of one position: catches squeeze() without an axis.
    for batch, length, d, picks in ((2, 5, 3, 4), (3, 4, 2, 6), (4, 3, 5, 2), (5, 7, 1, 2), (4, 5, 3, 1), (3, 1, 4, 2)):
        check_picks(learner, rng.normal(batch, length, d), some_positions(rng, batch, picks, length))


@pytest.mark.task("warmup.pick_rows", points=1)
def test_rows_of_equal_sizes(learner, reference, rng):
    """The rows are right even where sizes are equal and a confused axis raises no error."""
    for batch, length, d, picks in ((3, 3, 3, 3), (3, 5, 4, 3), (4, 4, 2, 4), (1, 2, 1, 2), (1, 6, 3, 2)):
        check_picks(learner, rng.normal(batch, length, d), some_positions(rng, batch, picks, length))


@pytest.mark.task("warmup.pick_rows", points=1)
def test_gradient_of_picked_rows(learner, reference, rng):
    """The gradient of a row is the sum over all its occurrences; rows that are never picked get 0."""
    x, cotangent = rng.normal(2, 5, 3), rng.normal(2, 4, 3)
    ids = torch.tensor([[4, 0, 4, 1], [2, 2, 2, 3]])
    expected = torch.zeros_like(x)
    for b in range(2):
        for k in range(4):
            expected[b, ids[b, k]] += cotangent[b, k]
    got = differentiate(learner, "pick_rows", [x, ids], cotangent)
    assert_close(got, (rows_at(x, ids), expected), gradient_names(("x",), f"ids = {ids.tolist()}"))


@pytest.mark.task("warmup.pick_rows", points=1)
def test_types_of_picked_rows(learner, reference, rng):
    """The result has the type of x, and exactly its numbers."""
    for dtype in (torch.float64, torch.bfloat16, torch.float32):
        x, ids = rng.normal(3, 4, 2, dtype=dtype), some_positions(rng, 3, 5, 4)
        assert_equal(learner.pick_rows(x, ids), rows_at(x, ids), f"pick_rows(x, ids) for x in {dtype}")


# ---------------------------------------------------------------------------------------------------------------------
# Scale


def look_at_scale(learner, d):
    """A new module's parts: what is trained, what is kept, what is saved; and `gain` and `seen` themselves."""
    module = learner.Scale(d)
    trained = sorted(name for name, one in module.named_parameters() if one.requires_grad)
    kept = sorted(name for name, _ in module.named_parameters()), sorted(name for name, _ in module.named_buffers())
    return trained, *kept, sorted(module.state_dict()), module.gain, module.seen


def use_scale(learner, gain, calls, cotangent=None):
    """A module with the given gain, called on inputs. Each call says in which mode, and whether gradients are recorded.

    Returns outputs, by how much the count had risen after each call and after one of another module, the inputs
    afterwards, and the gradients of the last output.
    """
    module = learner.Scale(len(gain)).to(gain.dtype)
    other = learner.Scale(len(gain))
    if not isinstance(module.gain, torch.Tensor) or module.gain.shape != gain.shape:
        kind = type(module.gain).__name__
        found = f"of shape {tuple(module.gain.shape)}" if isinstance(module.gain, torch.Tensor) else f"a {kind}"
        return f"gain of Scale({len(gain)}) should be a tensor of shape {tuple(gain.shape)}, but is {found}."
    with torch.no_grad():
        module.gain.copy_(gain)
    outputs, counts, inputs, leaf = [], [torch.as_tensor(module.seen).clone()], [], None
    for number, (x, training, recorded) in enumerate(calls):
        x = x.clone()
        last = cotangent is not None and number == len(calls) - 1
        leaf = x.requires_grad_() if last else x
        module.train(training)
        with torch.set_grad_enabled(recorded):
            outputs.append(module(leaf))
        counts.append(torch.as_tensor(module.seen).clone())
        inputs.append(leaf.detach())
    other.train()(torch.zeros(2, len(gain)))  # catches a count that all modules share
    counts.append(torch.as_tensor(module.seen).clone())
    gradients = []
    if cotangent is not None:
        leaves = [leaf, module.gain]
        gradients = weighted_gradients(outputs[-1], cotangent, [one for one in leaves if one.requires_grad])
    risen = tuple(count - counts[0] for count in counts[1:])
    return tuple(outputs), risen, tuple(inputs), tuple(gradients)


def used(learner, *request):
    """The reply of `use_scale`."""
    return reply_of(learner, use_scale, *request, parts=4, uses=(weighted_gradients,))


@pytest.mark.task("warmup.Scale", points=1)
def test_times_gain(learner, reference, rng):
    """Multiplies the last axis by gain, whatever axes stand in front; its input is left alone."""
    # Axes of length 1 catch squeeze() without an axis.
    for shape in ((5,), (3, 4), (2, 3, 4), (4, 4), (1, 2), (3, 1, 4), (2, 3, 1)):
        gain, x = 1 + rng.normal(shape[-1]), rng.normal(*shape)
        outputs, _, inputs, _ = used(learner, gain, [(x, False, True), (x + 1, True, True)])
        where = f"x of shape {shape}"
        assert_close(outputs, (x * gain, (x + 1) * gain), (f"Scale({shape[-1]})(x) for {where}", "the second call"))
        assert_unchanged(inputs[:1], {"x": x})


@pytest.mark.task("warmup.Scale", points=1)
def test_what_is_trained_and_saved(learner, reference, rng):
    """gain is trained, seen is a buffer, both are saved."""
    d = rng.choice([3, 5])
    trained, parameters, buffers, saved, _, _ = learner.run(look_at_scale, d)
    assert_equal(trained, ["gain"], f"the parameters of Scale({d}) that are trained")
    if "seen" not in buffers:
        found = "a parameter" if "seen" in parameters else "an attribute that the module does not keep track of"
        raise AssertionError(f"seen should be a buffer of Scale({d}), but is {found}. Register it as a buffer.")
    for name in ("gain", "seen"):
        if name not in saved:
            raise AssertionError(f"The state_dict of Scale({d}) should hold {name!r}, but holds {describe(saved)}.")


@pytest.mark.task("warmup.Scale", points=1)
def test_start(learner, reference, rng):
    """gain starts as d ones, seen as the whole number 0, a tensor without axes."""
    for d in (4, 7):
        *_, gain, seen = learner.run(look_at_scale, d)
        assert_equal(gain, torch.ones(d), f"gain of a new Scale({d})")
        assert_equal(seen, torch.tensor(0), f"seen of a new Scale({d})")


@pytest.mark.task("warmup.Scale", points=2)
def test_counts_calls_in_training(learner, reference, rng):
    """Calls in training mode are counted, those in evaluation mode are not; each module has its own count."""
    x, more = rng.normal(5, 3), rng.normal(2, 4, 3)  # catches a count of rows
    modes = [
        (x, True, True),
        (more, True, True),
        (x, False, True),
        (more, False, False),
        (x, True, False),
        (x, True, True),
    ]
    _, counts, _, _ = used(learner, torch.ones(3), modes)
    expected = tuple(torch.tensor(count) for count in (1, 2, 2, 2, 3, 4, 4))
    said = ["a call in training mode", "a second call in training mode", "a call in evaluation mode"]
    said += ["a call in evaluation mode without gradients", "a call in training mode without gradients"]
    said += ["another call in training mode with gradients", "a call of another Scale"]
    assert_equal(counts, expected, tuple(f"by how much seen has risen after {what}" for what in said))


@pytest.mark.task("warmup.Scale", points=1)
def test_gradients_of_scale(learner, reference, rng):
    """Gradients reach gain and the input."""
    gain, x, cotangent = 1 + rng.normal(3), rng.normal(4, 3), rng.normal(4, 3)
    _, _, _, gradients = used(learner, gain, [(x + 1, True, True), (x, True, True)], cotangent)
    expected = cotangent * gain, (cotangent * x).sum(0)
    names = tuple(f"the gradient of Scale(3)(x) with respect to {name}" for name in ("x", "gain"))
    assert_close(gradients, expected, names)


def save_and_load(learner, gain, x, dtype):
    """A module is used, moved to a float type and used again; another one gets its state and is used, too."""
    first, second = learner.Scale(len(gain)), learner.Scale(len(gain))
    with torch.no_grad():
        first.gain.copy_(gain)
    for _ in range(3):
        first.train()(x)
    first = first.to(dtype)
    first(x.to(dtype))
    second = second.to(dtype)
    second.load_state_dict(first.state_dict())
    loaded = second.seen.clone()  # a count may rise in place
    return second.gain, loaded, second.train()(x.to(dtype)), second.seen, first.seen


@pytest.mark.task("warmup.Scale", points=1)
def test_saved_and_loaded(learner, reference, rng):
    """A module that gets the state of another continues with its gain and its count, in another float type too."""
    for dtype in (torch.float64, torch.bfloat16, torch.float32):
        gain, x = 1 + rng.normal(3), rng.normal(2, 3)
        got = learner.run(save_and_load, gain, x, dtype)
        loaded = gain.to(dtype)
        expected = loaded, torch.tensor(4), x.to(dtype) * loaded, torch.tensor(5), torch.tensor(4)
        names = (
            "gain",
            "seen",
            "the output",
            "seen after one more call",
            "seen of the first module, which was not called",
        )
        assert_close(got, expected, tuple(f"{name} (after loading, in {dtype})" for name in names))


# ---------------------------------------------------------------------------------------------------------------------
# fit_line


def fit_lines(learner, x, y, settings):
    """A fitted line for each of several settings, all with the same random numbers; and x and y afterwards."""
    import random

    import numpy

    lines = []
    for options in settings:
        torch.default_generator.manual_seed(0)
        random.seed(0)
        numpy.random.seed(0)
        line = learner.fit_line(x, y, **options)
        lines.append(tuple(one.detach() if isinstance(one, torch.Tensor) else one for one in line))
    return lines, x, y


def points_near_a_line(rng, count, slope, intercept, noise, dtype=torch.float32):
    """Points whose x are standardised, and the line of least squares through them, from its formula."""
    x = rng.normal(count, dtype=torch.float64)
    x = (x - x.mean()) / x.std(unbiased=False)
    y = (slope * x + intercept + noise * rng.normal(count, dtype=torch.float64)).to(dtype)
    x = x.to(dtype)
    a, b = x.double(), y.double()
    best = ((a - a.mean()) * (b - b.mean())).sum() / (a - a.mean()).square().sum()
    return x, y, (best.item(), (b.mean() - best * a.mean()).item())


def as_numbers(line):
    """A line as two floats, if it holds two numbers or tensors of one entry."""
    if not isinstance(line, (tuple, list)) or len(line) != 2:
        raise AssertionError(f"fit_line(x, y) should return slope and intercept, but returned {describe(line)}.")
    if not all(isinstance(one, (int, float)) or (isinstance(one, torch.Tensor) and one.numel() == 1) for one in line):
        raise AssertionError(f"fit_line(x, y) should return two floats, but returned {describe(line)}.")
    return tuple(float(one) for one in line)


NAMES = ("slope", "intercept")


@pytest.mark.task("warmup.fit_line", points=2)
def test_least_squares(learner, reference, rng):
    """The line is that of least squares; x and y are left alone."""
    # The last points lie on the line: catches a loop that stops as soon as the loss is small.
    for count, slope, intercept, noise in ((40, 2.0, -3.0, 0.5), (25, -1.5, 0.7, 2.0), (60, 0.8, 4.0, 0.0)):
        x, y, best = points_near_a_line(rng, count, slope, intercept, noise)
        (line,), *after = learner.run(fit_lines, x, y, [{}])
        where = f"{count} points near y = {slope} x + {intercept}"
        names = tuple(f"the {name} that fit_line(x, y) returns for {where}" for name in NAMES)
        assert_close(as_numbers(line), best, names, 1e-3, 1e-3)
        assert_unchanged(after, {"x": x, "y": y})


@pytest.mark.task("warmup.fit_line", points=1)
def test_floats(learner, reference, rng):
    """Two Python floats, and no tensors."""
    x, y, best = points_near_a_line(rng, 30, 1.5, -2.0, 0.1)
    (line,), *_ = learner.run(fit_lines, x, y, [{}])
    as_numbers(line)
    for name, got, wanted in zip(NAMES, line, best):
        assert_python_number(got, wanted, f"the {name} that fit_line(x, y) returns", 1e-3, 1e-3, "float")


def remaining(learner, x, y, best, settings):
    """How far each setting's line is from the best one, for slope and intercept."""
    lines, *_ = learner.run(fit_lines, x, y, settings)
    return [[got - wanted for got, wanted in zip(as_numbers(line), best)] for line in lines]


@pytest.mark.task("warmup.fit_line", points=1)
def test_number_of_steps(learner, reference, rng):
    """There are as many steps as `steps` says: each leaves the same share of the distance from the best line."""
    x, y, best = points_near_a_line(rng, 30, 2.0, -3.0, 0.3)
    steps = (0, 1, 2, 5)
    start, one, *others = remaining(learner, x, y, best, [{"steps": count, "lr": 0.1} for count in steps])
    elsewhere, _, other_best = points_near_a_line(rng, 30, -1.0, 5.0, 0.3)
    (start_there,) = remaining(learner, elsewhere, x - 4, (0.0, 0.0), [{"steps": 0}])
    at_start = tuple(distance + wanted for distance, wanted in zip(start, best))
    assert_close(
        tuple(start_there), at_start, tuple(f"{name} after 0 steps, with other points" for name in NAMES), 1e-6
    )
    for name, before, after in zip(NAMES, start, one):
        if not abs(after) < 0.999 * abs(before):
            raise AssertionError(
                f"fit_line(x, y, steps=1, lr=0.1) should bring the {name} nearer to the best one than steps=0 does, "
                "but does not. Does your step use the gradient of the mean squared error?"
            )
    share = one[0] / start[0]
    for count, got in zip(steps[2:], others):
        wanted = tuple(distance * share**count for distance in start)
        names = tuple(f"the distance of the {name} from the best one after {count} steps" for name in NAMES)
        assert_close(tuple(got), wanted, names, 1e-3, 1e-4)


@pytest.mark.task("warmup.fit_line", points=1)
def test_learning_rate(learner, reference, rng):
    """A step is in proportion to the learning rate; with a rate of 0 nothing moves."""
    x, y, best = points_near_a_line(rng, 30, -2.0, 3.0, 0.3)
    settings = [{"steps": 0}, *({"steps": 1, "lr": lr} for lr in (0.0, 0.04, 0.1, 0.2))]
    start, *after = remaining(learner, x, y, best, settings)
    moved = [[before - distance for before, distance in zip(start, one)] for one in after]
    for name, before, none, little, usual, much in zip(NAMES, start, *moved):
        if not abs(usual) > 1e-3 * abs(before):
            raise AssertionError(
                f"fit_line(x, y, steps=1, lr=0.1) should move the {name} from its start, but does not. "
                "Does `step` find a gradient, and does the optimiser know both numbers?"
            )
        assert_close(none, 0.0, f"how far a step with lr=0 moves the {name}", 0, 1e-5)
        for lr, got in ((0.04, little), (0.2, much)):
            what = f"how far a step with lr={lr} moves the {name} (with lr=0.1 it moves by {usual:.4g})"
            assert_close(got, usual * lr / 0.1, what, 1e-3, 1e-4)


@pytest.mark.task("warmup.fit_line", points=1)
def test_line_in_float64(learner, reference, rng):
    """For points in float64, the line has the accuracy of float64."""
    x, y, best = points_near_a_line(rng, 35, 1.2, -0.4, 0.3, torch.float64)
    (line,), *_ = learner.run(fit_lines, x, y, [{}])
    names = tuple(f"the {name} that fit_line(x, y) returns for points in float64" for name in NAMES)
    assert_close(as_numbers(line), best, names, 1e-9, 1e-9)


# ---------------------------------------------------------------------------------------------------------------------
# vector_jacobian


def function_called(name):
    """A function of one tensor. Most of them have a Jacobian that is not symmetric; none has a constant one."""
    return {
        "a mix of neighbours": lambda x: torch.roll(x, 1, -1) * torch.exp(x / 2),
        "a square of each entry": lambda x: x**2,
        "the squares of each row added up": lambda x: x.square().sum(-1),
        "products of neighbours in a row": lambda x: x[..., 1:] * x[..., :-1],
        "one number, the sum of sines": lambda x: x.sin().sum(),
        "a table of products": lambda x: torch.outer(x, x.sin()),
    }[name]


def pull_back(learner, name, x, v, requires_grad=False, grad=None):
    """What the learner's function returns, x and v afterwards, and whether x requires a gradient and holds one."""
    x = x.clone().requires_grad_(requires_grad)
    x.grad = grad
    given = v.clone()
    product = learner.vector_jacobian(function_called(name), x, given)
    product = product.detach() if isinstance(product, torch.Tensor) else product
    return product, x.detach(), given.detach(), x.requires_grad, x.grad


def asked(learner, *request):
    """The reply of `pull_back`."""
    return learner.run(pull_back, *request, uses=(function_called,))


def product_by_hand(name, x, v):
    """The whole Jacobian, of shape f(x).shape + x.shape, times v."""
    jacobian = torch.autograd.functional.jacobian(function_called(name), x.double())
    return torch.tensordot(v.double(), jacobian, dims=v.dim()).to(x.dtype)


CASES = (  # shapes of x and of f(x)
    ("a mix of neighbours", (4,), (4,)),
    ("products of neighbours in a row", (5,), (4,)),
    ("the squares of each row added up", (3, 4), (3,)),
    ("a square of each entry", (2, 3), (2, 3)),
    ("a mix of neighbours", (3, 3), (3, 3)),
    ("a table of products", (3,), (3, 3)),
    # Axes of length 1 catch squeeze() without an axis.
    ("a mix of neighbours", (1, 4), (1, 4)),
    ("the squares of each row added up", (4, 1), (4,)),
    ("products of neighbours in a row", (2,), (1,)),
    ("a square of each entry", (1,), (1,)),
)


@pytest.mark.task("warmup.vector_jacobian", points=2)
def test_vector_jacobian_products(learner, reference, rng):
    """The product is right for inputs and results of several shapes; x and v are left alone."""
    for name, shape, result in CASES:
        x, v = 1 + rng.normal(*shape), 1 + rng.normal(*result)
        product, *after, _, _ = asked(learner, name, x, v)
        where = f"f = {name}, x of shape {shape} and v of shape {result}"
        assert_close(product, product_by_hand(name, x, v), f"vector_jacobian(f, x, v) for {where}")
        assert_unchanged(after, {"x": x, "v": v})


@pytest.mark.task("warmup.vector_jacobian", points=1)
def test_product_for_one_number(learner, reference, rng):
    """Where f gives one number, v is one number too, and still counts."""
    name, x, v = "one number, the sum of sines", rng.normal(2, 3), torch.tensor(-2.5)
    product, *_ = asked(learner, name, x, v)
    assert_close(product, v * x.cos(), f"vector_jacobian(f, x, v) for f = {name} and v = {v.item()}")


@pytest.mark.task("warmup.vector_jacobian", points=2)
def test_nothing_left_behind(learner, reference, rng):
    """x.requires_grad and x.grad are the same after the call as before it, with a gradient in x.grad or without."""
    x, v, earlier = 1 + rng.normal(4), 1 + rng.normal(4), rng.normal(4)
    for requires_grad, grad in ((False, None), (True, None), (True, earlier)):
        got = asked(learner, "a mix of neighbours", x, v, requires_grad, grad)
        where = f"x with requires_grad={requires_grad}" + ("" if grad is None else " and a gradient from elsewhere")
        assert_close(got[0], product_by_hand("a mix of neighbours", x, v), f"vector_jacobian(f, x, v) for {where}")
        assert_equal(got[3], requires_grad, f"x.requires_grad after the call ({where})")
        if grad is not None:
            assert_close(got[4], earlier, f"x.grad after the call ({where})")
        elif got[4] is not None:
            raise AssertionError(
                f"x.grad should be None after the call as before it ({where}), but is {describe(got[4])}."
            )


@pytest.mark.task("warmup.vector_jacobian", points=1)
def test_product_in_float64(learner, reference, rng):
    """The product has the accuracy of float64, and the type of x."""
    for name, shape, result in CASES[:3]:
        x, v = 1 + rng.normal(*shape, dtype=torch.float64), 1 + rng.normal(*result, dtype=torch.float64)
        product, *_ = asked(learner, name, x, v)
        assert_close(product, product_by_hand(name, x, v), f"vector_jacobian(f, x, v) in float64 for f = {name}")
