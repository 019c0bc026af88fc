"""Verdicts: every status of the contract, exact points, and results that repeat."""

from __future__ import annotations

import contextlib
import itertools
import time
from fractions import Fraction

import pytest
import torch

from autograder.course.registry import COMPLETE, UnknownUnit, is_catch
from autograder.grading.engine import grade_code
from autograder.judging import diagnosis, implementations, runner
from autograder.judging.assertions import PartlyRight, assert_close, assert_equal
from autograder.judging.inputs import DEFAULT_SEED, Rng, seed_for
from autograder.judging.results import number
from autograder.judging.runner import load_checks, max_points, run_checks
from autograder.judging.subject import Learner, LocalSubject
from autograder.sandbox.runtime import wire
from autograder.sandbox.runtime.requests import OutOfTime, processor_time
from autograder.sandbox.session import Limits
from autograder.submissions.notebooks import Code

TASK = "attention.softmax"


@pytest.fixture
def with_checks(monkeypatch):
    """Replaces the checks of the unit ``attention`` by some of the test's own."""

    def replace(*functions) -> None:
        checks = tuple(runner._check(function) for function in functions)
        monkeypatch.setattr(runner, "load_checks", lambda unit: checks)

    return replace


def worth(points, name: str, task: str = TASK):
    """A check that calls ``name`` and wants 2x of it."""

    @pytest.mark.task(task, points=points)
    def test(learner, reference, rng):
        """Doubles."""
        x = rng.normal(3)
        assert_close(getattr(learner, name)(x), 2 * x, f"{name}(x)")

    test.__name__ = f"test_{name}"
    return test


def grade(namespace: dict, tasks=(TASK,), seed: int = DEFAULT_SEED):
    return run_checks(LocalSubject(namespace), "attention", tasks, seed)[0]


def namespace(source: str) -> dict:
    names: dict = {}
    exec(compile(source, "<cell 1>", "exec"), names)
    return names


RIGHT = "def f(x):\n    return 2 * x\n"


# --- one status each ----------------------------------------------------------------------------------

STATUSES = {
    "passed": (RIGHT, "passed", ""),
    "failed": ("def f(x):\n    return 3 * x", "failed", "f(x): 3 of 3 values differ"),
    "returns nothing": ("def f(x):\n    y = 2 * x", "failed", "is a `return` missing?"),
    "raises": ("def f(x):\n    raise KeyError('k')", "error", "Your code raised KeyError: 'k' (line 2 of cell 1"),
    "raises in a library": ("def f(x):\n    return x @ x[:2]", "error", "RuntimeError"),
    "wrong arguments": ("def f():\n    return 1", "error", "TypeError"),
    "exits": ("def f(x):\n    raise SystemExit", "error", "SystemExit"),
    "is no function": ("f = 5", "error", "TypeError"),
    "not implemented in a library": ("def f(x):\n    return (x > 0) & x", "error", "NotImplementedError: "),
    "missing": ("g = 5", "not_attempted", "There is no `f` in your code yet."),
    "deleted": ("f = 5\ndel f", "not_attempted", "There is no `f` in your code yet."),
    "stub": ("def f(x):\n    raise NotImplementedError", "not_attempted", "Not written yet"),
    "stub with text": ("def f(x):\n    raise NotImplementedError('write f')", "not_attempted", "Not written yet"),
    "calls a stub": (
        "def helper(x):\n    raise NotImplementedError\ndef f(x):\n    return helper(x)",
        "error",
        "it calls `helper`, which is not written yet",
    ),
    "calls a missing name": ("def f(x):\n    return helper(x)", "error", "NameError: name 'helper' is not defined"),
    "wrong type": ("def f(x):\n    return object()", "failed", "an object of type object"),
    "broken exception": (
        "class E(Exception):\n    def __str__(self): raise E\ndef f(x):\n    raise E",
        "error",
        "Your code raised E: no message",
    ),
}


@pytest.mark.parametrize(("source", "status", "sentence"), STATUSES.values(), ids=STATUSES)
def test_status(with_checks, source, status, sentence):
    with_checks(worth(2, "f"))
    task = grade(namespace(source))
    assert task.status == status
    assert [check.status for check in task.checks] == [status]
    assert sentence in task.checks[0].message
    assert bool(task.checks[0].message) == (status != "passed")
    assert (task.points, task.max_points) == (2 if status == "passed" else 0, 2)


def test_stub_of_a_class(with_checks):
    def build(learner, x):
        return learner.Thing(3)(x)

    @pytest.mark.task(TASK, points=1)
    def test_thing(learner, reference, rng):
        assert_close(learner.run(build, rng.normal(2, 3)), torch.zeros(2, 3), "Thing(3)(x)")

    with_checks(test_thing)
    head = "from torch import nn\nclass Thing(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
    stub = "        raise NotImplementedError\n"
    forward = "    def forward(self, x):\n"
    for source in (head + stub, head + forward + stub, head.replace("super().__init__()", "pass") + stub):
        task = grade(namespace(source))
        assert (task.status, task.checks[0].message[:15]) == ("not_attempted", "Not written yet")
    helper = "def helper(x):\n    raise NotImplementedError\n"
    task = grade(namespace(helper + head + forward + "        return helper(x)"))
    assert task.status == "error"
    assert "it calls `helper`, which is not written yet" in task.checks[0].message
    task = grade(namespace(head))
    assert task.status == "error"
    assert "forward" in task.checks[0].message


@pytest.mark.parametrize(
    ("body", "status", "after"),
    [("while True: pass", "timeout", "timeout"), ("import os; os._exit(0)", "crashed", "crashed")],
)
def test_status_of_what_hangs_or_dies(server, with_checks, body, status, after):
    with_checks(worth(2, "f"), worth(3, "f"), worth(1, "g", "attention.attention_scores"))
    cells = [f"def f(x):\n    {body}", "def g(x):\n    return 2 * x"]
    graded = grade_code(server, Code(cells), "attention", [TASK, "attention.attention_scores"], limits=Limits(0.5, 30))
    first, second = graded.tasks
    assert [check.status for check in first.checks] == [status, after]
    assert (first.status, first.points, first.max_points) == (status, 0, 5)
    assert (second.status, second.points) == ("passed", 1)
    if status == "timeout":
        assert first.checks[1].message.startswith("Not run")


def test_an_answer_that_a_check_did_not_think_of_is_a_failure(with_checks):
    @pytest.mark.task(TASK, points=1)
    def test_sum(learner, reference, rng):
        assert learner.f(1).sum() > learner.f(2)["a"]

    with_checks(test_sum)
    for value in ("None", "'text'", "[]", "object()", "{}", "1"):
        task = grade(namespace(f"def f(x):\n    return {value}"))
        assert (task.status, task.points) == ("failed", 0)
        assert "cannot work with what your code returned" in task.checks[0].message


# --- partial credit -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "status", "points"),
    [
        ("right right", "passed", 5),
        ("right wrong", "partial", 2),
        ("wrong right", "partial", 3),
        ("right missing", "partial", 2),
        ("right raises", "partial", 2),
        ("wrong raises", "failed", 0),
        ("raises missing", "error", 0),
        ("wrong missing", "failed", 0),
        ("missing missing", "not_attempted", 0),
    ],
)
def test_partial_credit(with_checks, names, status, points):
    with_checks(*(worth(points, name) for name, points in zip(names.split(), (2, 3))))
    task = grade(
        namespace("def right(x):\n    return 2 * x\ndef wrong(x):\n    return x\ndef raises(x):\n    raise ValueError")
    )
    assert (task.status, task.points, task.max_points) == (status, points, 5)


@pytest.mark.parametrize(
    ("share", "status", "points"), [("1/4", "partial", 1), ("3/4", "partial", 3), ("0", "failed", 0)]
)
def test_a_check_may_give_a_part_of_its_points(with_checks, share, status, points):
    @pytest.mark.task(TASK, points=4)
    def test_some(learner, reference, rng):
        """Some of it."""
        learner.f(rng.normal(3))
        raise PartlyRight("not all", Fraction(share))

    with_checks(test_some)
    task = grade(namespace(RIGHT))
    assert (task.status, task.points, task.max_points, task.checks[0].message) == (status, points, 4, "not all")
    with_checks(test_some, worth(2, "f"))
    assert grade(namespace(RIGHT)).status == "partial"
    with_checks(test_some, worth(2, "f"))
    assert grade(namespace("def f(x):\n    return x")).points == points


def test_a_request_that_takes_long_is_asked_of_the_learner_alone(server, with_checks):
    """The reference does not run it just to show what the check asks next. Its own time limit counts."""

    def wait(learner, x):
        import time

        time.sleep(0.7)
        return learner.f(x)

    @pytest.mark.task(TASK, points=1)
    def test_wait(learner, reference, rng):
        """Waits."""
        x = rng.normal(3)
        assert_close(learner.run(wait, x, seconds=20), 2 * x, "f(x)")
        assert_close(learner.f(x + 1), 2 * x + 2, "f(x + 1)")

    with_checks(test_wait)
    (check,) = runner.load_checks("attention")
    assert runner._requests("attention", check, 1).frames == ()
    for source, status in ((RIGHT, "passed"), ("def f(x):\n    return 3 * x", "failed")):
        (task,) = grade_code(server, Code([source]), "attention", [TASK], limits=Limits(0.5, 30)).tasks
        assert task.status == status


@pytest.mark.parametrize(
    ("worths", "total"),
    [
        ([0.1, 0.2], 0.3),
        ([Fraction(1, 49)] * 49, 1),
        ([12.5] * 7, 87.5),
        ([Fraction(1, 3)] * 3, 1),
        ([0, 2], 2),
        ([0], 0),
    ],
)
def test_points_add_up_exactly(with_checks, worths, total):
    with_checks(*(worth(points, "f") for points in worths))
    task = grade(namespace(RIGHT))
    assert number(task.points) == total
    assert number(task.max_points) == total
    assert task.points == task.max_points
    assert task.status == "passed"


@pytest.mark.parametrize("marks", [0, 2], ids=["no mark", "two marks"])
def test_a_check_needs_one_mark(marks):
    def test_it(learner, reference, rng):
        pass

    for _ in range(marks):
        test_it = pytest.mark.task(TASK, points=1)(test_it)
    with pytest.raises(TypeError, match="exactly one"):
        runner._check(test_it)


# --- inputs -------------------------------------------------------------------------------------------


def drawn(seed: int) -> list:
    rng = Rng(seed)
    return [
        rng.normal(4),
        rng.uniform(4, low=2, high=5),
        rng.integers(0, 10**6, 4),
        rng.mask(3, 40),
        rng.choice(list(range(10**6))),
    ]


def test_inputs_depend_on_the_seed_alone():
    for one, again, other in zip(drawn(1), drawn(1), drawn(2)):
        assert_equal(one, again, "input")
        with pytest.raises(AssertionError):
            assert_equal(one, other, "input")


def test_rng_keeps_its_promises():
    rng = Rng(5)
    assert rng.normal(2, 3).dtype == torch.float32
    assert rng.normal(2, dtype=torch.bfloat16).dtype == torch.bfloat16
    uniform = rng.uniform(1000, low=-2, high=3, dtype=torch.float64)
    assert uniform.dtype == torch.float64
    assert -2 <= uniform.min() < -1.9 < 2.9 < uniform.max() < 3
    integers = rng.integers(3, 6, 1000)
    assert (integers.dtype, set(integers.tolist())) == (torch.int64, {3, 4, 5})
    for keep in (0.0, 0.3, 1.0):
        mask = rng.mask(50, 7, keep=keep)
        assert (mask.dtype, mask.shape) == (torch.bool, (50, 7))
        assert mask.any(-1).all()
        assert keep != 0.0 or (mask.sum(-1) == 1).all()


def test_every_check_has_a_seed_of_its_own():
    ids = [check.id for unit in COMPLETE for check in load_checks(unit.name)]
    seeds = {seed_for(seed, name) for seed in (1, 2) for name in ids}
    assert len(seeds) == 2 * len(ids)
    assert all(0 <= seed < 2**63 for seed in seeds)  # what torch accepts


def requests_of(unit: str, seed: int) -> list:
    """The arguments of every request that a right solution gets, and the statuses of the checks."""
    names = implementations.reference_names(unit)
    sent, statuses = [], []
    for check in load_checks(unit):
        if check.task == "translation.train_translator" or is_catch(check.task):
            continue  # half a minute each time; the tests of the catalogue run it with another seed
        judged = runner._judge_check(check, LocalSubject(names), unit, seed)
        sent.append([[request.name, request.args, request.kwargs] for request, _ in judged.read()])
        statuses.append(judged.result.status)
    return [sent, statuses]


def alike(one, other) -> bool:
    """The same bytes: then also NaN is like NaN."""
    return wire.encode(one) == wire.encode(other)


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_another_seed_gives_other_inputs_and_the_same_scores(unit):
    first, again, *others = (requests_of(unit, seed) for seed in (1, 1, 2))
    assert set(first[1]) == {"passed"}
    assert all(first[1] == other[1] for other in others)
    for check, one, two, *rest in zip(load_checks(unit), first[0], again[0], *(other[0] for other in others)):
        assert alike(one, two), check.id
        assert not _has_floats(one) or not any(alike(one, other) for other in rest), check.id
    # Of masks, sizes and the like there are few: a check about one position may have no choice.
    assert sum(not alike(*pair) for pair in zip(first[0], others[0][0])) > len(first[0]) / 2


def _has_floats(requests: list) -> bool:
    return any(isinstance(arg, torch.Tensor) and arg.is_floating_point() for request in requests for arg in request[1])


# --- what checks and their drivers are made of --------------------------------------------------------


@pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)
def test_checks_of_a_unit_are_in_order(unit):
    checks = load_checks(unit.name)
    assert {check.task for check in checks} == set(unit.task_ids)
    assert len({check.id for check in checks}) == len(checks)
    for check in checks:
        assert check.points > 0
        assert check.points.denominator == 1, f"{check.id} has no whole points"
        assert check.title, f"{check.id} has no title"
        assert is_catch(check.task) or check.function.__doc__, f"{check.id} has no docstring"
    for task in unit.task_ids:
        assert max_points(task) == sum(check.points for check in checks if check.task == task) > 0


def test_checks_of_a_planned_unit_are_refused(planned):
    with pytest.raises(UnknownUnit, match="planned"):
        load_checks(planned.name)


def test_a_learner_may_spoil_the_arguments(with_checks):
    """The next request gets fresh ones, and what was sent is remembered as it was sent."""

    @pytest.mark.task(TASK, points=1)
    def test_twice(learner, reference, rng):
        x = rng.normal(3)
        for _ in range(2):
            assert_close(learner.f(x), 2 * x, "f(x)")

    with_checks(test_twice)
    assert grade(namespace("def f(x):\n    x *= 2\n    return x")).status == "passed"


def test_what_is_switched_in_pytorch_spoils_nothing(with_checks):
    """In a notebook the same process goes on: a corrected answer must not suffer from the one before it."""

    def slope(learner, x):
        x.requires_grad_()
        learner.f(x).sum().backward()
        return x.grad

    @pytest.mark.task(TASK, points=1)
    def test_slope(learner, reference, rng):
        assert_close(learner.run(slope, torch.ones(3)), torch.full((3,), 2.0), "the slope of f")
        x = torch.ones(3, requires_grad=True)  # the check's own arithmetic
        assert (2 * x).requires_grad
        assert x.dtype == torch.float32

    with_checks(test_slope)
    right = "def f(x):\n    return 2 * x"
    spoilt = "import torch\ndef f(x):\n    torch.set_grad_enabled(False)\n    torch.set_default_dtype(torch.float64)\n"
    try:
        assert grade(namespace(f"{spoilt}    return 2 * x")).status != "passed"
        assert torch.is_grad_enabled()
        assert torch.get_default_dtype() == torch.float32
        torch.set_default_dtype(torch.float64)  # as a notebook may have been left
        with torch.no_grad():
            assert grade(namespace(right)).status == "passed"
            assert not torch.is_grad_enabled()
            assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_the_transcript_is_a_record():
    learner = Learner(LocalSubject(namespace("def f(x):\n    return x")))
    x = torch.ones(2)
    learner.f(x)
    x.zero_()
    ((request, outcome),) = learner.transcript
    assert request.args[0].tolist() == outcome.value.tolist() == [1, 1]


@pytest.mark.filterwarnings("ignore:hi")
def test_warnings_prints_and_styles_cost_nothing(with_checks):
    with_checks(worth(1, "f"))
    noise = [
        "import warnings; warnings.warn('hi')", "print('x')", "import sys; print('x', file=sys.stderr)",
        "import logging; logging.error('x')", "import torch; torch.manual_seed(3)",
        "import torch; torch.set_default_dtype(torch.float64)",
    ]  # fmt: skip
    try:
        for line in noise:
            assert grade(namespace(f"def f(x):\n    {line}\n    return x + x")).status == "passed", line
    finally:
        torch.set_default_dtype(torch.float32)


ANYTHING = (
    "None", "0", "True", "'text'", "[]", "{}", "(None, None)", "object()", "float('nan')", "torch.zeros(())",
    "torch.zeros(0)", "torch.zeros(2, 3).bool()", "torch.ones(1, 1, 1, 1, 1)", "torch.full((4, 4), float('nan'))",
    "(torch.zeros(2), torch.zeros(2))", "torch.zeros(2, dtype=torch.complex64)", "torch.zeros(2).to_sparse()",
    "args[0]", "args", "(args[0], args[0])", "(args[-1], args[-1])", "torch.zeros_like(args[0])",
    "torch.ones_like(args[0]).bool()", "(torch.zeros_like(args[0]),) * 2",
)  # fmt: skip


@pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)
def test_no_constant_answer_scores_and_none_stops_the_grader(unit, monkeypatch):
    """Functions and modules that return the same thing, their argument, or nothing at all."""
    # Tested elsewhere; here it would only take time.
    monkeypatch.setattr(diagnosis, "likeliest", lambda *_: diagnosis.Likeliest())
    for value in ANYTHING:
        names = namespace(f"import torch\ndef answer(*args, **kwargs):\n    return {value}\n")
        for name, task in zip(unit.names, unit.task_ids):
            one = names["answer"] if name[0].islower() else _module_that_answers(names["answer"])
            result = run_checks(LocalSubject({**names, name: one}, own={name}), unit.name, [task])[0]
            passed = [check.id for check in result.checks if check.points]
            assert not passed, f"{value} passes {passed}"


def _module_that_answers(answer):
    class Module(torch.nn.Module):
        def __init__(self, d_model):
            super().__init__()
            self.w_q, self.w_k, self.w_v = (torch.nn.Linear(d_model, d_model) for _ in range(3))

        def forward(self, *args, **kwargs):
            return answer(*args, **kwargs)

    return Module


@pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)
def test_the_empty_submission(unit):
    for task in run_checks(LocalSubject({}), unit.name):
        assert (task.status, task.points, task.diagnosis) == ("not_attempted", 0, None)
        assert task.max_points == max_points(task.id)


def test_pytest_itself_can_run_a_file_of_checks():
    """The functions take exactly the three fixtures that both runners know."""
    for check in itertools.chain.from_iterable(load_checks(unit.name) for unit in COMPLETE):
        if check.function:  # a catch-it task's check is a group of mistakes
            assert set(runner.inspect.signature(check.function).parameters) <= {"learner", "reference", "rng"}


def test_processor_time_is_limited_and_waiting_is_not():
    def never_ends():
        while True:
            with contextlib.suppress(Exception):  # what a learner's loop may well do
                sum(range(100))

    with processor_time(0.3):
        time.sleep(0.5)
    with processor_time(0.1), pytest.raises(OutOfTime):
        never_ends()


def test_a_capstone_that_is_too_slow_is_told_so_and_compared_with_no_mistake(monkeypatch):
    """Each comparison would take as long again, and end in a name that means nothing."""
    monkeypatch.setattr("autograder.units.translation.checks.GIVEN", 0.1)
    monkeypatch.setattr("autograder.judging.diagnosis._candidates", lambda *_: pytest.fail("compared"))
    names = namespace("def train_translator(pairs, seed=0):\n    while True:\n        pass\n")
    (result,) = run_checks(LocalSubject(names), "translation", ["translation.train_translator"])
    assert result.points == 0
    assert "seconds of processor time" in result.checks[0].message
    assert result.diagnosis is None
