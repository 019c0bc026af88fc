"""Catch-it tasks: what is made of a learner's test, in the running process and in the sandbox."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
import torch

from autograder.course.catches import Shown, find_catch
from autograder.grading.engine import grade_code
from autograder.judging import results, trials
from autograder.judging.results import CheckResult, TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet
from autograder.judging.verdicts import Given, Judgement, Verdict
from autograder.sandbox.session import ForkServer
from autograder.submissions.notebooks import Code

TASK = "attention.test_attention"
CATCH = find_catch(TASK)
SETUP = "import math\nimport torch\nfrom torch import nn\n"
HEAD = "def test_attention(scaled_dot_product_attention):\n"
INPUTS = "    f = scaled_dot_product_attention\n    q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))\n"
SUMS = f"{HEAD}{INPUTS}    sums = f(q, k, v)[1].sum(-1)\n    assert torch.allclose(sums, torch.ones(2, 3), atol=1e-5)\n"
GOOD = f"""{HEAD}{INPUTS}    output, weights = f(q, k, v)
    expected = (q @ k.transpose(-2, -1) / 2).softmax(-1)
    torch.testing.assert_close(weights, expected)
    torch.testing.assert_close(output, expected @ v)
"""
# The same test, which does something of its own where it has found a mistake.
REACTING = (
    GOOD.replace("test_attention", "inner")
    + f"""

{HEAD}    try:
        inner(scaled_dot_product_attention)
    except Exception:
        """
)


@pytest.fixture(scope="module")
def server():
    with ForkServer(jailed=True) as server:
        server.wait_until_ready()
        yield server


def locally(source: str, task: str = TASK) -> TaskResult:
    """What `check` makes of a test."""
    names: dict = {"__name__": "__main__"}
    exec(compile(SETUP + source, "<cell 1>", "exec"), names)
    with quiet():
        return run_checks(LocalSubject(names), task.partition(".")[0], [task])[0]


def graded(server: ForkServer, *cells: str, **options) -> TaskResult:
    """What `grade` makes of cells."""
    return grade_code(server, Code([SETUP, *cells], **options), "attention", [TASK]).tasks[0]


def passed(result: TaskResult) -> set[str]:
    return {check.id.rpartition(".")[2] for check in result.checks if check.status == results.PASSED}


def first_message(result: TaskResult) -> str:
    return result.checks[0].message


# --- the same everywhere ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [SUMS, GOOD], ids=["sums", "good"])
def test_a_test_gets_the_same_verdict_in_a_notebook_and_in_the_sandbox(server, source):
    here, there = locally(source), graded(server, source)
    assert here == there
    assert passed(here)
    assert here.status == results.PARTIAL


def test_helpers_and_the_learners_own_functions_can_be_used(server):
    helper = "def weigh(q, k):\n    return softmax(q @ k.transpose(-2, -1) / 2)\n"
    own = "def softmax(x):\n    return x.softmax(-1)\n"
    test = GOOD.replace("(q @ k.transpose(-2, -1) / 2).softmax(-1)", "weigh(q, k)")
    assert passed(graded(server, test, helper, own)) == passed(locally(GOOD))  # in whatever order
    hidden = "from helper import *"
    assert passed(graded(server, hidden, own, test, modules={"helper": "from __main__ import softmax\n" + helper}))


def test_what_earlier_units_give_can_be_used(server):
    brought = "from autograder.earlier import sinusoidal_positions\n"
    test = GOOD.replace("    expected", "    assert sinusoidal_positions(5, 4).shape == (5, 4)\n    expected")
    assert passed(graded(server, brought, test)) == passed(locally(GOOD))


def test_names_that_no_cell_seems_to_give_are_found(server):
    brought = "globals().update({'one' + 'half': 0.5})\n"
    test = GOOD.replace("/ 2)", "* onehalf)")
    assert passed(graded(server, brought, test)) == passed(locally(GOOD))


# --- what is said ---------------------------------------------------------------------------------------------------


def test_what_slips_through_is_described_by_its_symptom():
    result = locally(SUMS)
    scale = next(check for check in result.checks if check.id.endswith("the-scale"))
    assert scale.message.startswith("1 of 3 caught. Your test accepts a wrong implementation: The wider the queries")
    assert scale.points == 0
    for slip in CATCH.slips:
        assert all(slip.name not in check.message for check in result.checks)


def test_the_style_that_was_refused_is_said_in_words():
    result = locally(
        GOOD.replace(
            "output, weights = f(q, k, v)",
            "result = f(q, k, v)\n    assert type(result) is tuple\n    output, weights = result",
        )
    )
    assert result.points == 0
    assert "refuses a right implementation: one that returns its two results in a list" in first_message(result)
    assert "It raised AssertionError (line " in first_message(result)
    assert {check.message for check in result.checks[1:]} == {"Not judged: see the first check."}


def test_a_right_implementation_that_is_refused_ends_the_trial():
    """What comes after it cannot change the verdict; those that come earlier can, wherever they stand in the order."""
    styles = CATCH.styles
    tried: list[Shown | None] = []

    def answers(refused: set[Shown | None], order: list[Shown | None], monkeypatch) -> str:
        def reading(room, catch, shown, seed):
            tried.append(shown)
            return trials.Reading(trials.RAISED if shown in refused else trials.RETURNED)

        monkeypatch.setattr(trials, "_try", reading)
        found = trials._until_refused(LocalSubject({}), CATCH, order, 0)
        return next(style.words for style in styles if style in found and found[style].what != trials.RETURNED)

    with pytest.MonkeyPatch.context() as patch:
        order = [None, *styles, *CATCH.slips]
        assert answers({*styles[1:]}, order, patch) == styles[1].words
        assert tried == order[:3]
        tried.clear()
        assert answers({*styles[1:]}, order[::-1], patch) == styles[1].words
        assert {*styles, None} == {*tried} - {*CATCH.slips}
        tried.clear()
        assert answers({styles[2]}, [styles[2], *CATCH.slips, styles[0], styles[3], None], patch) == styles[2].words
        assert tried == [styles[2], styles[0], None]


def test_a_test_that_cannot_run_has_refused_the_reference(server):
    source = GOOD.replace("assert_close(output", "assert_close(ouput")
    for result in (locally(source), graded(server, source)):
        assert result.points == 0
        assert "refuses the course's own implementation. It raised NameError: name 'ouput'" in first_message(result)
    assert "line 7 of your cell `test_attention`: torch.testing.assert_close(ouput" in first_message(result)


@pytest.mark.parametrize(
    "body", ["raise NotImplementedError('attention.test_attention')", None], ids=["stub", "absent"]
)
def test_an_unwritten_test_is_not_attempted(server, body):
    source = f"{HEAD}    {body}\n" if body else ""
    for result in (locally(source), graded(server, source)):
        assert result.status == results.NOT_ATTEMPTED
        assert result.points == 0


def test_a_test_in_parts_that_calls_a_stub_says_so(server):
    helper = "def weigh(q, k):\n    raise NotImplementedError\n"
    test = GOOD.replace("(q @ k.transpose(-2, -1) / 2).softmax(-1)", "weigh(q, k)")
    for result in (locally(helper + test), graded(server, helper, test)):
        assert result.status == results.ERROR
        assert "`weigh`, which is not written yet" in first_message(result)


def test_a_mistake_counts_as_caught_when_every_call_shows_it(server):
    """Each call has other random numbers; a test that is right by luck gets nothing, and is told so."""
    turn = "next(TURNS) % 3 == 0"
    setup = "from itertools import count\n\nTURNS = count()\n\n\n"
    now_and_then = setup + GOOD.replace(
        "torch.testing.assert_close(output", f"{turn} or torch.testing.assert_close(output"
    )
    for result in (locally(now_and_then), graded(server, now_and_then)):
        assert passed(result) == passed(locally(GOOD)) - {"which-axis"}
        axis = next(check for check in result.checks if check.id.endswith("which-axis"))
        assert "One of them is caught in some of the 3 calls" in axis.message
    strict = f"{now_and_then}    assert {turn} or type(f(q, k, v)) is tuple\n"
    assert "in a list. This happens in some of the 3 calls" in first_message(locally(strict))


def test_a_test_that_is_accepted_beside_the_courses_part_is_told_what_it_misses():
    """The first run was refused, and judged no group; the reasons of the second run are the ones to show."""
    task = "training.test_accumulation"

    def verdict(number: int, status: str, message: str) -> Verdict:
        points = Fraction(status == results.PASSED)
        return Verdict(CheckResult(f"{task}.{number}", status, points, Fraction(1), message))

    before = [verdict(0, results.FAILED, "Your test refuses"), verdict(1, results.FAILED, "Not judged")]
    after = (verdict(0, results.PASSED, ""), verdict(1, results.FAILED, "3 of 4 caught."))
    judgement = Judgement("training", (task,), {task: before}, {task: Given(("Batch",), after)})
    first, second = judgement.results(task)
    assert (first.status, second.status) == (results.PASSED, results.FAILED)
    assert second.message.startswith("3 of 4 caught.\n\nThis check got `Batch` as the course has it")


def test_a_test_whose_asserts_never_fail_is_told_what_counts():
    result = locally(GOOD.replace("torch.testing.assert_close(", "torch.allclose("))  # sizes may raise all the same
    assert result.points == 0
    assert first_message(result).startswith("No `assert` of your test fails for any wrong implementation. A test says")
    assert "No `assert`" not in first_message(locally(SUMS))


@pytest.mark.parametrize(
    "source", [GOOD + "    yield\n", GOOD.replace("def test_", "async def test_")], ids=["yield", "async"]
)
def test_a_test_of_which_a_call_runs_nothing_is_told_so(server, source):
    for result in (locally(source), graded(server, source)):
        assert result.points == 0
        assert "your test contains `yield` or `await`, so a call runs nothing of it" in first_message(result)


# --- raising, returning, and neither ------------------------------------------------------------------------------

RAISED = ["AssertionError", "SystemExit", "KeyboardInterrupt", "GeneratorExit", "type('Own', (BaseException,), {})"]


@pytest.mark.parametrize("raised", RAISED)
def test_whatever_is_raised_counts(server, raised):
    source, expected = f"{REACTING}raise {raised}\n", passed(locally(GOOD))
    assert passed(locally(source)) == expected
    assert passed(graded(server, source)) == expected


def test_running_out_of_time_catches_nothing(server):
    unscaled = "    while torch.allclose(weights, (q @ k.transpose(-2, -1)).softmax(-1)):\n        pass\n"
    result = graded(server, GOOD.replace("    expected", f"{unscaled}    expected", 1))
    assert passed(result) == passed(locally(GOOD)) - {"the-scale"}
    assert "took more than 2 seconds" in first_message(result)


def test_a_test_that_never_ends_is_stopped():
    result = locally(f"{HEAD}    while True:\n        pass\n")
    assert result.status == results.TIMEOUT
    assert "2 seconds of processor time" in first_message(result)


def test_ending_the_process_catches_nothing(server):
    result = graded(server, f"import os\n\n{REACTING}os._exit(1)\n")
    assert passed(result) == set()
    assert result.status == results.FAILED


# A cell that a test needs, and how another cell ends the process beside it, or never ends.
ENDING = {
    "ends": ("", "import os\n\nos._exit(1)"),
    "ends, below a magic": ("%matplotlib inline\n", "import os\n\nos._exit(1)"),
    "never ends": ("", "while True:\n    pass"),
}
HELPER = "TOLERANCE = 1e-5"
HELPED = GOOD.replace("    expected", "    assert TOLERANCE < 1\n    expected", 1)


@pytest.mark.parametrize(("magic", "ending"), ENDING.values(), ids=ENDING)
def test_a_cell_that_ends_the_process_costs_no_points(server, magic, ending):
    """Such a cell is left out, as for other tasks; it seems to be needed here, since it also gives a name."""
    lethal = f"{magic}TOLERANCE = 1e-3\n{ending}"
    result = graded(server, lethal, HELPER, HELPED)
    assert passed(result) == passed(locally(GOOD))


def test_a_test_whose_own_cell_ends_the_process_is_not_there(server):
    """The same holds for a function whose cell ends the process: its task has no points either."""
    result = graded(server, f"{GOOD}\n\nimport os\n\nos._exit(1)\n")
    assert passed(result) == set()


def test_a_check_leaves_the_kernel_as_it_was():
    torch.manual_seed(5)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    locally(GOOD)
    assert torch.equal(before, torch.get_rng_state())
    assert torch.get_num_threads() == threads
    assert torch.ones(300, 300).mm(torch.ones(300, 300)).sum() == 300**3


def test_a_check_in_a_notebook_is_quick():
    locally(GOOD)
    started = time.process_time()
    locally(GOOD)
    assert time.process_time() - started < 1


# --- coins ----------------------------------------------------------------------------------------------------------

COINS = ["random.random() < 0.5", "torch.rand(()) < 0.5", "os.urandom(1)[0] < 128"]


@pytest.mark.parametrize("coin", COINS)
def test_a_toss_of_a_coin_earns_nothing(server, coin):
    source = f"import os, random\n\n{HEAD}    if {coin}:\n        raise ValueError\n"
    assert graded(server, source).points == 0
