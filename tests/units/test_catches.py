"""The catch-it tasks of all units: what tests, from empty to good, must get in each of them.

A new task needs an entry in `TESTS`. What any test must get is tried on all tasks: nothing for doing nothing, nothing
for refusing everything.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from functools import lru_cache

import pytest

from autograder.course.catches import Catch, catches, faults, find_catch
from autograder.course.registry import COMPLETE, is_catch
from autograder.judging import results
from autograder.judging.implementations import reference_names
from autograder.judging.quality import measure_tests
from autograder.judging.results import TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet

SEED = 20_26  # what comes of the default seed, `python -m autograder.quality` prints
TASKS = [one.task for unit in COMPLETE for one in catches(unit.name)]
ALL, NONE = "all", ""

# Tests by their body, and the checks that each must pass: all of them, none, or those named.
Tests = dict[str, tuple[str, str]]
TESTS: dict[str, Tests] = {
    "attention.test_attention": {
        "shapes": (
            """
            output, weights = scaled_dot_product_attention(*(torch.randn(2, n, 4) for n in (3, 5, 5)))
            assert (output.shape, weights.shape) == ((2, 3, 4), (2, 3, 5))
            """,
            NONE,
        ),
        "unpacks": ("output, weights = scaled_dot_product_attention(*torch.randn(3, 3, 5, 4))", NONE),
        "insists on a tuple": (
            """
            result = scaled_dot_product_attention(*(torch.randn(2, n, 4) for n in (3, 5, 5)))
            assert isinstance(result, tuple)
            assert torch.allclose(result[1].sum(-1), torch.ones(2, 3))
            """,
            NONE,
        ),
        "equal to the last bit": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            expected = (q @ k.transpose(-2, -1) / 2).softmax(-1)
            output, weights = scaled_dot_product_attention(q, k, v)
            assert torch.equal(output, expected @ v)
            """,
            NONE,
        ),
        "asks for memory in order": (
            """
            output, weights = scaled_dot_product_attention(*(torch.randn(2, n, 4) for n in (3, 5, 5)))
            assert torch.allclose(weights.view(-1).sum(), torch.tensor(6.0))
            """,
            NONE,
        ),
        "sums of rows": (
            """
            output, weights = scaled_dot_product_attention(*(torch.randn(2, n, 4) for n in (3, 5, 5)))
            assert torch.allclose(weights.sum(-1), torch.ones(2, 3))
            """,
            "both-results",
        ),
        "no mask": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            expected = (q @ k.transpose(-2, -1) / 2).softmax(-1)
            output, weights = scaled_dot_product_attention(q, k, v)
            torch.testing.assert_close(weights, expected)
            torch.testing.assert_close(output, expected @ v)
            """,
            "the-scale which-axis both-results",
        ),
        "one sentence": (
            """
            q, k, v = (torch.randn(n, 4) for n in (3, 5, 5))
            expected = (q @ k.T / 2).softmax(-1)
            output, weights = scaled_dot_product_attention(q, k, v)
            torch.testing.assert_close(weights, expected)
            torch.testing.assert_close(output, expected @ v)
            """,
            "the-scale both-results",
        ),
        "everything but empty rows and arguments": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            mask = torch.ones(3, 5, dtype=torch.bool).tril()
            before = q.clone()
            for allowed in (mask, None):
                scores = before @ k.transpose(-2, -1) / 2
                if allowed is not None:
                    scores = scores.masked_fill(~mask, float("-inf"))
                output, weights = scaled_dot_product_attention(q.clone(), k, v, allowed)
                torch.testing.assert_close(weights, scores.softmax(-1))
                torch.testing.assert_close(output, scores.softmax(-1) @ v)
            """,
            "the-scale which-axis the-mask both-results",
        ),
        "only finite": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            mask = torch.rand(2, 3, 5) < 0.5
            mask[:, 1] = False
            output, weights = scaled_dot_product_attention(q, k, v, mask)
            assert output.isfinite().all() and weights.isfinite().all()
            """,
            NONE,
        ),
        "empty rows alone": (
            """
            q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
            output, weights = scaled_dot_product_attention(q, k, v, torch.zeros(3, 5, dtype=torch.bool))
            assert not output.any() and not weights.any()
            """,
            "nothing-to-attend",
        ),
        "arguments alone": (
            """
            given = [*(torch.randn(2, n, 4) for n in (3, 5, 5)), torch.zeros(2, 3, 5, dtype=torch.bool)]
            before = [one.clone() for one in given]
            scaled_dot_product_attention(*given)
            assert all(torch.equal(one, other) for one, other in zip(given, before))
            """,
            "changes-its-input",
        ),
    },
}
ANY: Tests = {
    "empty": ("pass", NONE),
    "prints": ("print('fine')", NONE),
    "looks at nothing": ("assert True", NONE),
    "returns": ("return False", NONE),
    "refuses everything": ("raise ValueError('wrong')", NONE),
    "is misspelt": ("asert_fine()", NONE),
    "looks for the source": ("import inspect\nassert 'wrong' not in inspect.getsource(NAME)", NONE),
    "tosses a coin": ("import random\nassert random.random() < 0.5", NONE),
    "counts its calls": (
        "import builtins\nbuiltins.n = getattr(builtins, 'n', 0) + 1\nassert builtins.n % 7 != 5",
        NONE,
    ),
}
CASES = [(task, name) for task in TASKS for name in (*ANY, *TESTS.get(task, ()))]


def source_of(catch: Catch, body: str) -> str:
    """A test with this body, as a learner has it in a cell."""
    arguments = parameters(catch)
    body = textwrap.dedent(body).strip().replace("NAME", arguments[0])
    return f"def {catch.name}({', '.join(arguments)}):\n{textwrap.indent(body, '    ')}\n"


def parameters(catch: Catch) -> Iterable[str]:
    code = reference_names(catch.unit)[catch.name].__code__
    return code.co_varnames[: code.co_argcount]


def judged(task: str, body: str, seed: int = SEED) -> TaskResult:
    catch = find_catch(task)
    names = dict(reference_names(catch.unit))
    exec(compile(source_of(catch, body), "<cell 1>", "exec"), names)
    with quiet():
        return run_checks(LocalSubject(names), catch.unit, [task], seed)[0]


@lru_cache(maxsize=None)
def measured(unit: str) -> list[TaskResult]:
    return measure_tests(unit, SEED)


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_declared_as_it_should_be(task):
    assert list(faults(find_catch(task))) == []
    assert is_catch(task)
    assert len(TESTS[task]) >= 8, "add weak and too strict tests, and what each must get"


@pytest.mark.parametrize("task", TASKS)
def test_the_model_test_accepts_every_style_and_catches_every_group(task):
    for seed in (SEED, SEED + 1):
        (result,) = (one for one in measure_tests(find_catch(task).unit, seed) if one.id == task)
        assert [f"{check.id}: {check.message}" for check in result.checks if check.status != results.PASSED] == []
        assert result.points == len(find_catch(task).groups)


@pytest.mark.parametrize("task", TASKS)
def test_nothing_that_a_learner_reads_names_a_mistake(task):
    catch = find_catch(task)
    for slip in catch.slips:
        assert slip.name.partition(".")[2] not in slip.words or "." not in slip.name
        assert slip.words.rstrip().endswith("?"), f"{slip.name}: end with a question"
        assert slip.name.replace("-", " ") not in slip.words.lower()


@pytest.mark.parametrize(("task", "name"), CASES, ids=lambda part: part.replace(" ", "-"))
def test_a_test_gets_what_it_deserves(task, name):
    body, deserved = {**ANY, **TESTS.get(task, {})}[name]
    result = judged(task, body)
    expected = {group.id for group in find_catch(task).groups} if deserved == ALL else set(deserved.split())
    messages = {check.id: check.message for check in result.checks if check.message}
    found = {check.id.rpartition(".")[2] for check in result.checks if check.status == results.PASSED}
    assert found == expected, messages
