"""Checks of the unit on optimisers. Expected values come from ``torch.optim.AdamW`` or from the formula.

Each task stands with its drivers, helpers and checks, from basic to subtle. Each check looks at one mechanism. AdamW
may decay before its step or after it: wherever there is decay, both count as right.
"""

import math

import pytest
import torch
from torch import nn

from autograder.judging.assertions import assert_close, assert_equal, assert_python_number, demand_one
from autograder.judging.replies import LearnerRaised

# ---------------------------------------------------------------------------------------------------------------------
# AdamW. Its options by position: lr, betas, eps, weight_decay.


def column_major(tensor):
    """A copy whose last two axes, if it has two, are column-major in memory."""
    return tensor.mT.contiguous().mT if tensor.dim() > 1 else tensor.clone()


def optimise(learner, values, gradients, missing, groups, options, rates, save_after, turned=False):
    """The values of each parameter after every step ``(steps, ...)``.

    ``gradients`` holds, for each parameter, the gradients of all steps ``(steps, ...)``; ``missing`` holds the pairs of
    step and parameter without a gradient. ``groups`` holds pairs: the indices of parameters, and the group's options;
    without it there is one group, passed as a generator. A scheduler of PyTorch sets the ``rates``. After
    ``save_after`` steps the state is saved, and a new optimiser with new parameters goes on. ``turned``: matrices are
    column-major.
    """
    import copy

    def laid_out(tensor):
        return column_major(tensor) if turned else tensor.clone()

    def build():
        parameters = [nn.Parameter(laid_out(value)) for value in values]
        if groups is None:
            return parameters, learner.AdamW(iter(parameters), *options)
        parts = [{"params": [parameters[i] for i in indices], **own} for indices, own in groups]
        return parameters, learner.AdamW(parts, *options)

    parameters, optimizer = build()
    scheduler = None
    if rates is not None:
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: rates[done])
    history = []
    for step in range(len(gradients[0])):
        if step == save_after:
            saved = copy.deepcopy(optimizer.state_dict())
            values = [parameter.detach() for parameter in parameters]
            parameters, optimizer = build()
            optimizer.load_state_dict(saved)
        for i, parameter in enumerate(parameters):
            parameter.grad = None if (step, i) in missing else laid_out(gradients[i][step])
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        history.append([parameter.detach().clone() for parameter in parameters])
    return tuple(torch.stack(steps) for steps in zip(*history))


def optimised(subject, *request):
    """The reply of `optimise`."""
    return subject.run(optimise, *request, uses=(column_major,))


SHAPES = ((3, 4), (5,), ())


def tensors(rng, shapes=SHAPES, dtype=torch.float32, scale=1.0):
    return [scale * rng.normal(1, *shape, dtype=dtype)[0] for shape in shapes]  # [0]: a scalar's shape is empty


def gradients_for(rng, steps, shapes=SHAPES, dtype=torch.float32):
    """The gradients of all steps for each parameter; every parameter has gradients of another size."""
    return [10.0 ** (1 - i) * rng.normal(steps, *shape, dtype=dtype) for i, shape in enumerate(shapes)]


@pytest.mark.task("optim.AdamW", points=1)
def test_first_step(learner, reference, rng):
    """The first step has length lr, against the sign of the gradient, whatever the gradient's size."""
    values, gradients = tensors(rng), gradients_for(rng, 1)
    for lr in (0.1, 0.02):
        got = optimised(learner, values, gradients, (), None, (lr, (0.9, 0.999), 1e-8, 0.0), None, None)
        expected = tuple(value - lr * g / (g.abs() + 1e-8) for value, g in zip(values, gradients))
        names = [f"parameter {i} after the first step (lr={lr}, no decay)" for i in range(len(values))]
        assert_close(got, expected, names)


class LateDecay(torch.optim.AdamW):
    """PyTorch's AdamW, with the decay after the step instead of before it."""

    def step(self):
        decays = [group["weight_decay"] for group in self.param_groups]
        for group in self.param_groups:
            group["weight_decay"] = 0.0
        super().step()
        for group, decay in zip(self.param_groups, decays):
            group["weight_decay"] = decay
            for p in group["params"]:
                if p.grad is not None:
                    p.data.mul_(1 - group["lr"] * decay)


class Library:
    """Stands for a learner's code in a driver, with one of PyTorch's optimisers as its AdamW."""

    def __init__(self, kind):
        self.AdamW = kind


def by_library(kind, values, gradients, missing=(), groups=None, options=(), rates=None):
    """What `optimise` returns for one of PyTorch's optimisers."""
    return optimise(Library(kind), values, gradients, missing, groups, options, rates, None)


def refuses_layout(raised, turned):
    """Whether PyTorch raised because a column-major matrix has no ``view``: support for this layout is not required."""
    return turned and "stride" in raised.text


def check_adamw(
    learner, values, gradients, what, options=(), tolerance=(None, None), save_after=None, turned=False, **more
):
    """Equal to PyTorch's AdamW step by step, or to the same with decay after the step."""
    setting = {"missing": (), "groups": None, "rates": None} | more
    arguments = (setting["missing"], setting["groups"], options, setting["rates"])
    try:
        got = optimised(learner, values, gradients, *arguments, save_after, turned)
    except LearnerRaised as raised:
        if refuses_layout(raised, turned):
            return
        raise
    names = [f"parameter {i}, one row for the values after each step ({what})" for i in range(len(values))]

    def agrees_with(kind):
        assert_close(got, by_library(kind, values, gradients, *arguments), names, *tolerance)

    demand_one(lambda: agrees_with(torch.optim.AdamW), lambda: agrees_with(LateDecay))


@pytest.mark.task("optim.AdamW", points=2)
def test_running_means(learner, reference, rng):
    """Both running means, their bias correction and the root: six steps without decay."""
    values = tensors(rng)
    for betas in ((0.9, 0.999), (0.9, 0.98), (0.6, 0.7)):
        options = (0.1, betas, 1e-8, 0.0)
        gradients = gradients_for(rng, 6)
        # Where the gradient is 0 for a step, the running mean still moves the parameter: catches leaving it alone.
        gradients[0][2, :, ::2] = 0.0
        gradients[1][3] = 0.0
        check_adamw(learner, values, gradients, f"lr=0.1, betas={betas}, no decay", options)


@pytest.mark.task("optim.AdamW", points=2)
def test_decoupled_decay(learner, reference, rng):
    """Parameters shrink by lr * weight_decay of themselves, apart from the gradient."""
    # Gradients of 0 show the decay alone. Gradients of very different sizes catch decay that is added to the gradient.
    values = tensors(rng, scale=3.0)
    nothing = [torch.zeros(3, *shape) for shape in SHAPES]
    for lr, decay in ((0.1, 0.3), (0.5, 0.02)):
        # No beta of 0.999: at this rate a correction made in float32, which is a style, would show.
        options, what = (lr, (0.9, 0.98), 1e-8, decay), f"lr={lr}, weight_decay={decay}"
        check_adamw(learner, values, nothing, f"{what}, gradients of 0", options)
        check_adamw(learner, values, gradients_for(rng, 4), what, options)


@pytest.mark.task("optim.AdamW", points=2)
def test_fifty_steps(learner, reference, rng):
    """Equal to torch.optim.AdamW over 50 steps."""
    shapes = (*SHAPES, (5,))  # two of one shape: catches means that are kept by shape
    values, options = tensors(rng, shapes), (0.01, (0.9, 0.98), 1e-9, 0.1)
    what = "lr=0.01, betas=(0.9, 0.98), weight_decay=0.1"
    check_adamw(learner, values, gradients_for(rng, 50, shapes), what, options)
    gradients = gradients_for(rng, 3, shapes)
    check_adamw(learner, values, gradients, f"{what}, with a transposed matrix", options, turned=True)


@pytest.mark.task("optim.AdamW", points=1)
def test_epsilon(learner, reference, rng):
    """Epsilon is added to the root of the corrected mean: gradients of its size, and of 0."""
    # Catches an epsilon under the root, or added before the correction: for gradients of ordinary size neither shows.
    values = tensors(rng, ((4,), (2, 3)), torch.float64)
    for eps in (1e-8, 1e-3):
        gradients = [eps * rng.normal(3, 4, dtype=torch.float64), eps * rng.normal(3, 2, 3, dtype=torch.float64)]
        gradients[0][:, 1] = 0.0
        options, what = (0.1, (0.9, 0.999), eps, 0.0), f"eps={eps}, gradients of that size"
        check_adamw(learner, values, gradients, what, options, (1e-5, 1e-5))


@pytest.mark.task("optim.AdamW", points=1)
def test_none_gradients(learner, reference, rng):
    """A parameter without a gradient is left alone, and its first step comes when it gets one."""
    shapes = ((3,), (2, 2), (4,))
    missing = [(0, 1), (1, 1), (3, 1), (2, 0)]  # after parameter 1 comes another: catches leaving the loop
    options = (0.1, (0.9, 0.99), 1e-8, 0.2)
    values, gradients = tensors(rng, shapes), gradients_for(rng, 5, shapes)
    check_adamw(learner, values, gradients, "some gradients are None", options, missing=missing)


@pytest.mark.task("optim.AdamW", points=1)
def test_groups(learner, reference, rng):
    """Every group has its own lr, betas, eps and weight_decay."""
    shapes = ((3,), (2, 2), (4,), ())
    groups = [
        ([2], {"lr": 0.03, "weight_decay": 0.0}),
        ([0, 3], {}),
        ([1], {"betas": (0.5, 0.8), "eps": 0.1, "weight_decay": 0.5}),
    ]
    options = (0.1, (0.9, 0.99), 1e-8, 0.2)
    values, gradients = tensors(rng, shapes), gradients_for(rng, 4, shapes)
    check_adamw(learner, values, gradients, "three groups with options of their own", options, groups=groups)


@pytest.mark.task("optim.AdamW", points=1)
def test_under_a_scheduler(learner, reference, rng):
    """A scheduler sets the rate of each step."""
    options, rates = (0.3, (0.9, 0.99), 1e-8, 0.3), [0.2, 1.0, 0.1, 0.5, 0.7, 0.7]
    check_adamw(learner, tensors(rng), gradients_for(rng, 5), "lr=0.3 times what LambdaLR says", options, rates=rates)


@pytest.mark.task("optim.AdamW", points=2)
def test_saved_state(learner, reference, rng):
    """With its state saved and loaded into a new optimiser, training goes on as before."""
    shapes = ((3,), (2, 2), (4,))
    values, gradients = tensors(rng, shapes), gradients_for(rng, 6, shapes)
    more = {
        "groups": [([0], {"lr": 0.05}), ([1, 2], {})],
        "missing": [(0, 2), (1, 2)],  # parameter 2 has no state yet, or is two steps behind
    }
    for save_after in (2, 4):
        options, what = (0.1, (0.9, 0.99), 1e-8, 0.1), f"saved and loaded after step {save_after}"
        check_adamw(learner, values, gradients, what, options, save_after=save_after, **more)


def gradients_after(learner, values, gradients, options):
    """The gradients after a step, and the parameters."""
    parameters = [nn.Parameter(value.clone()) for value in values]
    optimizer = learner.AdamW(parameters, **options)
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient.clone()
    optimizer.step()
    return [parameter.grad for parameter in parameters], [parameter.detach() for parameter in parameters]


@pytest.mark.task("optim.AdamW", points=1)
def test_gradients_left_alone(learner, reference, rng):
    """The gradients are the same after the step as before it."""
    values, gradients = tensors(rng), tensors(rng)
    options = {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.3}
    after, parameters = learner.run(gradients_after, values, gradients, options)
    moved = [not torch.equal(before, now) for before, now in zip(values, parameters)]
    if not all(moved):
        raise AssertionError(f"One step should change all parameters, of shapes {SHAPES}. Has each changed? {moved}")
    names = [f"the gradient of parameter {i} after the step" for i in range(len(values))]
    assert_equal(after, tuple(gradients), names)


def minimise(learner, value, target, options, steps, closures):
    """Minimise a squared distance; the backward passes run inside a closure or before the step.

    Returns the losses, the parameter at the end, and how often the closure was called.
    """
    parameter = nn.Parameter(value.clone())
    optimizer = learner.AdamW([parameter], *options)
    calls = 0

    def closure():
        nonlocal calls
        calls += 1
        optimizer.zero_grad()
        loss = ((parameter - target) ** 2).sum()
        loss.backward()
        return loss

    losses = []
    for _ in range(steps):
        if closures:
            losses.append(optimizer.step(closure))
        else:
            losses.append(closure())
            optimizer.step()
    losses = torch.tensor([loss.item() if isinstance(loss, torch.Tensor) else math.nan for loss in losses])
    return losses, parameter.detach(), calls


@pytest.mark.task("optim.AdamW", points=1)
def test_closure(learner, reference, rng):
    """A closure is called before the update, with gradients enabled, and its loss is returned."""
    value, target = rng.normal(4), rng.normal(4)
    for closures in (False, True):
        arguments = (value, target, (0.1, (0.9, 0.999), 1e-8, 0.0), 3, closures)
        how = "step(closure)" if closures else "backward passes before step()"
        first = ("the losses of", "the parameter after", "the closure calls in")
        names = [f"{what} three steps with {how}" for what in first]
        assert_close(learner.run(minimise, *arguments), minimise(Library(torch.optim.AdamW), *arguments), names)


@pytest.mark.task("optim.AdamW", points=1)
def test_optimiser_defaults(learner, reference, rng):
    """lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01."""
    shapes = ((3,), (2, 2))
    values = tensors(rng, shapes, torch.float64)
    # One parameter with gradients of 0, in which the decay shows; one with gradients of the size of epsilon.
    gradients = [torch.zeros(4, 3, dtype=torch.float64), 1e-8 * rng.normal(4, 2, 2, dtype=torch.float64)]
    check_adamw(learner, values, gradients, "no options given, tiny gradients", (), (1e-7, 1e-6))
    gradients = gradients_for(rng, 6, shapes, torch.float64)
    check_adamw(learner, values, gradients, "no options given", (), (1e-6, 1e-6))


@pytest.mark.task("optim.AdamW", points=1)
def test_optimiser_types(learner, reference, rng):
    """Parameters in float64 keep their accuracy, and those in bfloat16 their type."""
    # With these betas a count kept in float32, which is a style, is exact too. Catches means kept in float32.
    options = (1.0, (0.5, 0.75), 1e-8, 0.1)
    for dtype, tolerance in ((torch.float64, (1e-9, 1e-9)), (torch.bfloat16, (4e-2, 4e-2))):
        values, gradients = tensors(rng, dtype=dtype, scale=3.0), gradients_for(rng, 4, dtype=dtype)
        check_adamw(learner, values, gradients, f"parameters in {dtype}", options, tolerance)
    # In bfloat16 the number 0.999 is 1: catches a count, and corrections, in the type of the parameter.
    values, gradients = tensors(rng, dtype=torch.bfloat16), gradients_for(rng, 4, dtype=torch.bfloat16)
    options = (0.1, (0.9, 0.999), 1e-8, 0.1)
    check_adamw(learner, values, gradients, "parameters in torch.bfloat16, usual betas", options, (4e-2, 4e-2))


# ---------------------------------------------------------------------------------------------------------------------
# noam_lr


def rate_by_hand(step, d_model, warmup, factor=1.0):
    """The learning rate by cases, with roots."""
    peak = factor / math.sqrt(d_model * warmup)
    step = step or 1
    return peak * step / warmup if step < warmup else peak * math.sqrt(warmup / step)


def assert_float(got, expected, what, tolerance=1e-5):
    """The result is a Python float, not a tensor. (1e-5: a detour through float32 is a style, not a mistake.)"""
    assert_python_number(got, expected, what, tolerance, 1e-30, "float")


def check_rate(learner, step, d_model, warmup, factor):
    expected = rate_by_hand(step, d_model, warmup, factor)
    what = f"noam_lr({step}, d_model={d_model}, warmup={warmup}, factor={factor})"
    assert_float(learner.noam_lr(step, d_model, warmup, factor), expected, what)


@pytest.mark.task("optim.noam_lr", points=1)
def test_rise_and_fall(learner, reference, rng):
    """The rate rises in proportion to the step during the warm-up, then falls as one over the root of the step."""
    # Widths and warm-ups all differ from each other; steps on both sides of the peak, and far from it.
    for step, d_model, warmup in ((1, 512, 4000), (7, 64, 400), (399, 128, 1000), (5000, 96, 4000), (10**6, 256, 16)):
        check_rate(learner, step, d_model, warmup, 1.0)


@pytest.mark.task("optim.noam_lr", points=1)
def test_peak(learner, reference, rng):
    """The rate is highest at step warmup, and does not jump there."""
    warmup = int(rng.integers(30, 90, 1))
    for d_model in (32, 200):
        for step in (warmup - 1, warmup, warmup + 1, 4 * warmup):
            check_rate(learner, step, d_model, warmup, 1.0)


@pytest.mark.task("optim.noam_lr", points=1)
def test_factor_and_defaults(learner, reference, rng):
    """The factor scales the whole curve; the defaults are 4000 and 1."""
    for step in (700, 12, 3):  # on both sides of the peak: catches a factor on one branch
        for factor in (2.0, 0.3, 0.0):
            got = learner.noam_lr(step=step, d_model=48, warmup=20, factor=factor)
            assert_float(
                got, rate_by_hand(step, 48, 20, factor), f"noam_lr(step={step}, d_model=48, warmup=20, {factor=})"
            )
    for step in (20, 9000):
        assert_float(learner.noam_lr(step, 80), rate_by_hand(step, 80, 4000), f"noam_lr({step}, 80)")


@pytest.mark.task("optim.noam_lr", points=1)
def test_step_zero(learner, reference, rng):
    """Step 0 counts as step 1."""
    for d_model, warmup, factor in ((64, 100, 1.0), (300, 1, 1.5), (16, 5, 0.5)):
        for step in (0, 1, 2):
            check_rate(learner, step, d_model, warmup, factor)


@pytest.mark.task("optim.noam_lr", points=1)
def test_warmup_below_one(learner, reference, rng):
    """A warm-up below 1 is an error; 1 is the shortest."""
    for step in (1, 2, 9):
        check_rate(learner, step, 40, 1, 1.0)
    for warmup in (0, -3):
        for step in (1, 50, 0):
            what = f"noam_lr({step}, 40, warmup={warmup})"
            try:
                got = learner.noam_lr(step, 40, warmup)
            except LearnerRaised as raised:
                # A negative warm-up gives complex numbers, which end in a TypeError that does not mention the warm-up.
                if "ValueError" not in raised.kinds and not ("TypeError" in raised.kinds and "warm" in raised.text):
                    raise AssertionError(f"{what} should raise ValueError, but raised {raised.kind}.") from None
            else:
                raise AssertionError(f"{what} should raise ValueError, but returned {got}.")


# ---------------------------------------------------------------------------------------------------------------------
# noam_scheduler


def rates_of_steps(learner, arguments, steps, groups, save_after):
    """The names of the scheduler's classes; for each step the rates of all groups, and how far each parameter moved.

    After ``save_after`` steps the states of optimiser and scheduler are saved, and new ones go on. Another optimiser
    has a schedule of its own in the meantime: catches steps that are counted globally.
    """
    import copy

    parameters = [nn.Parameter(torch.zeros((), dtype=torch.float64)) for _ in range(groups)]

    def build():
        optimizer = torch.optim.SGD([{"params": [parameter]} for parameter in parameters], lr=1.0)
        return optimizer, learner.noam_scheduler(optimizer, *arguments)

    optimizer, scheduler = build()
    learner.noam_scheduler(torch.optim.SGD([nn.Parameter(torch.zeros(()))], lr=1.0), 11, 3, 0.7)
    rates, moves = [], []
    for step in range(steps):
        if step == save_after and hasattr(scheduler, "state_dict"):
            states = [copy.deepcopy(one.state_dict()) for one in (optimizer, scheduler)]
            optimizer, scheduler = build()
            for one, state in zip((optimizer, scheduler), states):
                one.load_state_dict(state)
        for parameter in parameters:
            parameter.grad = torch.ones_like(parameter)
        before = [parameter.item() for parameter in parameters]
        rates.append([float(group["lr"]) for group in optimizer.param_groups])
        optimizer.step()
        moves.append([was - parameter.item() for was, parameter in zip(before, parameters)])
        if hasattr(scheduler, "step"):
            scheduler.step()
    kinds = [f"{kind.__module__}.{kind.__name__}" for kind in type(scheduler).__mro__]
    return kinds, torch.tensor(rates, dtype=torch.float64), torch.tensor(moves, dtype=torch.float64)


def check_schedule(learner, arguments, steps, groups, save_after=None):
    got = learner.run(rates_of_steps, arguments, steps, groups, save_after)
    if not isinstance(got, (tuple, list)) or len(got) != 3:
        raise AssertionError("The rates that your scheduler sets could not be read.")
    kinds, rates, moves = got
    if not isinstance(kinds, (tuple, list)) or "torch.optim.lr_scheduler.LambdaLR" not in kinds:
        kind = str(kinds[0])[:80] if isinstance(kinds, (tuple, list)) and kinds else "unknown"
        raise AssertionError(
            f"noam_scheduler should return a torch.optim.lr_scheduler.LambdaLR, but returned an object of type {kind}."
        )
    d_model, warmup, factor = (*arguments, *(4000, 1.0)[len(arguments) - 1 :])
    wanted = [[rate_by_hand(k, d_model, warmup, factor)] * groups for k in range(1, steps + 1)]
    where = f"in {steps} steps, one row each, with d_model={d_model}, warmup={warmup}, factor={factor}"
    where += f", saved and loaded after step {save_after}" if save_after else ""
    expected = torch.tensor(wanted, dtype=torch.float64)
    names = (f"the rates {where}", f"how far the parameters moved with gradients of 1 {where}")
    assert_close((rates, moves), (expected, expected), names, 1e-5, 1e-12)


@pytest.mark.task("optim.noam_scheduler", points=2)
def test_rate_of_every_step(learner, reference, rng):
    """The k-th step runs at noam_lr(k), from the first on."""
    for d_model, warmup, factor in ((64, 5, 1.0), (50, 9, 1.0), (16, 1, 1.0)):
        check_schedule(learner, (d_model, warmup, factor), 14, 1)


@pytest.mark.task("optim.noam_scheduler", points=1)
def test_schedule_factor_and_defaults(learner, reference, rng):
    """The factor is used; the defaults are 4000 and 1."""
    check_schedule(learner, (36, 4, 2.0), 9, 1)
    check_schedule(learner, (36, 7, 0.4), 9, 1)
    check_schedule(learner, (100,), 4, 1)


@pytest.mark.task("optim.noam_scheduler", points=1)
def test_schedule_of_every_group(learner, reference, rng):
    """All groups follow the schedule, also in a run that is saved and resumed."""
    # Catches code that counts the calls: there is one for every group, and a resumed run counts from 0.
    check_schedule(learner, (24, 4, 1.0), 10, 3)
    check_schedule(learner, (24, 4, 1.0), 7, 2, save_after=3)


# ---------------------------------------------------------------------------------------------------------------------
# clip_grad_norm


def norm_and_gradients(learner, gradients, max_norm, how, values):
    """The returned norm, the gradients after the call, and the parameters."""
    parameters = [nn.Parameter(value.clone()) for value in values]
    for parameter, gradient in zip(parameters, gradients):
        if gradient is not None:
            parameter.grad = column_major(gradient) if how == "turned" else gradient.clone()
    if how == "module":
        norm = learner.clip_grad_norm(parameters=nn.ParameterList(parameters).parameters(), max_norm=max_norm)
    else:
        given = parameters if how in ("list", "turned") else (parameter for parameter in parameters)
        norm = learner.clip_grad_norm(given, max_norm)
    return norm, [parameter.grad for parameter in parameters], [parameter.detach() for parameter in parameters]


def norm_by_hand(gradients):
    return math.sqrt(sum(x * x for g in gradients if g is not None for x in g.double().flatten().tolist()))


@pytest.mark.task("optim.clip_grad_norm", points=1)
def test_norm_before(learner, reference, rng):
    """Returns the norm of all gradients together, before clipping."""
    for shapes in (((3, 4),), ((3, 4), (5,), ()), ((2,), (2, 3, 2), (2,))):
        gradients = tensors(rng, shapes, scale=3.0)
        values = [torch.full_like(gradient, 0.5) for gradient in gradients]
        for max_norm in (0.7, 1e4):
            norm, *_ = learner.run(norm_and_gradients, gradients, max_norm, "list", values, uses=(column_major,))
            what = f"clip_grad_norm(gradients of shapes {shapes}, max_norm={max_norm})"
            assert_float(norm, norm_by_hand(gradients), what)


def check_clipping(learner, gradients, max_norm, what, how="list", exact=False, tolerance=(None, None)):
    """The norm is right, the gradients are scaled or exactly as they were, and the parameters are as they were."""
    values = [torch.full_like(g, 2.0) if g is not None else torch.full((2,), 3.0) for g in gradients]
    try:
        got = learner.run(norm_and_gradients, gradients, max_norm, how, values, uses=(column_major,))
    except LearnerRaised as raised:
        if refuses_layout(raised, how == "turned"):
            return
        raise
    norm, after, parameters = got
    expected = norm_by_hand(gradients)
    scale = min(1.0, max_norm / expected) if expected else 1.0
    assert_float(norm, expected, f"the norm returned by clipping {what}", 4e-2 if tolerance[0] else 1e-5)
    for i, (gradient, found) in enumerate(zip(gradients, after)):
        name = f"the gradient of parameter {i} after clipping {what}"
        if gradient is None:
            if found is not None:
                raise AssertionError(f"{name} should still be None, but has a value.")
        elif exact:
            assert_equal(found, gradient, name)
        else:
            assert_close(found, (gradient.double() * scale).to(gradient.dtype), name, *tolerance)
    assert_equal(tuple(parameters), tuple(values), [f"parameter {i} after clipping {what}" for i in range(len(values))])


@pytest.mark.task("optim.clip_grad_norm", points=2)
def test_long_gradients(learner, reference, rng):
    """Long gradients are shortened to max_norm, all by one factor."""
    # Gradients of different sizes: catches clipping each by itself.
    for max_norm in (1.0, 0.25, 3.0):
        gradients = [size * g for size, g in zip((20.0, 0.5, 2.0), tensors(rng))]
        check_clipping(learner, gradients, max_norm, f"to {max_norm}")
    check_clipping(learner, [100 * rng.normal(6)], 2.5, "a single gradient to 2.5")
    check_clipping(learner, [9 * rng.normal(3, 4), rng.normal(5)], 2.0, "to 2.0, one gradient transposed", "turned")
    # Only a little too long, below 1 and above: catches other limits, such as twice max_norm, its square, or 1.
    for size in (0.1, 0.3, 8.0):
        gradients = tensors(rng, ((3, 4), (5,)), scale=size)
        max_norm = norm_by_hand(gradients) / 1.2
        check_clipping(learner, gradients, max_norm, f"to {max_norm:.3g}, from a norm 1.2 times as large")


@pytest.mark.task("optim.clip_grad_norm", points=1)
def test_short_gradients(learner, reference, rng):
    """Gradients no longer than max_norm stay exactly as they were, also if they are 0."""
    for ratio, size in ((1.1, 3.0), (1.5, 0.1), (40.0, 0.1), (1e6, 1.0)):  # norms above 1 and below
        gradients = tensors(rng, ((3, 4), (5,)), scale=size)
        check_clipping(learner, gradients, ratio * norm_by_hand(gradients), "short gradients", exact=True)
    check_clipping(learner, [torch.zeros(3), torch.zeros(2, 2)], 1.0, "gradients of 0", exact=True)
    # Exactly at the limit. (With a tolerance: dividing by norm + 1e-6 gives a factor just below 1.)
    check_clipping(learner, [torch.tensor([3.0, 0.0]), torch.tensor([[4.0]])], 5.0, "to their own norm")


@pytest.mark.task("optim.clip_grad_norm", points=1)
def test_parameters_without_gradient(learner, reference, rng):
    """Parameters whose gradient is None do not count."""
    for index in (0, 1, 2):
        gradients = [3 * rng.normal(4), 5 * rng.normal(2, 3)]
        gradients.insert(index, None)
        check_clipping(learner, gradients, 1.5, f"with a None at index {index}")
    check_clipping(learner, [None, None], 1.5, "where all are None", exact=True)


@pytest.mark.task("optim.clip_grad_norm", points=1)
def test_generator(learner, reference, rng):
    """Parameters may come as a generator, which can be read only once."""
    for how in ("generator", "module"):
        gradients = [4 * rng.normal(3), 2 * rng.normal(2, 2)]
        what = "the parameters of a module" if how == "module" else "a generator of parameters"
        check_clipping(learner, gradients, 0.8, what, how)


@pytest.mark.task("optim.clip_grad_norm", points=1)
def test_gradient_types(learner, reference, rng):
    """Keeps the float type of the gradients."""
    for dtype, tolerance in ((torch.float64, (1e-5, 1e-5)), (torch.bfloat16, (4e-2, 4e-2))):
        gradients = [6 * rng.normal(3, 5, dtype=dtype), 2 * rng.normal(4, dtype=dtype)]
        check_clipping(learner, gradients, 2.0, f"gradients in {dtype}", tolerance=tolerance)
