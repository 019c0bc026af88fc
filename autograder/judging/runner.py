"""Running a unit's checks against a subject.

A check is a pytest function in ``autograder/units/<unit>/checks.py``, marked with its task and points::

    @pytest.mark.task("attention.softmax", points=2)
    def test_rows_sum_to_one(learner, reference, rng):
        \"\"\"Each row sums to one.\"\"\"

pytest itself can run such a file (``autograder/units/conftest.py`` has the fixtures). Here the functions
are called directly, since starting pytest for every submission would cost more than the checks.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from autograder.course.catalogue import reference_uses
from autograder.course.catches import catches
from autograder.course.references import expand
from autograder.course.registry import find_unit, is_catch
from autograder.judging import results
from autograder.judging.assertions import PartlyRight
from autograder.judging.cache import ENTRY_BYTES, VERDICTS, CachedReference, Requests, digest, prefetch, requests_of
from autograder.judging.diagnosis import diagnose, tasks_behind_failures
from autograder.judging.follow import around, gifts, handed_over
from autograder.judging.inputs import DEFAULT_SEED, Rng, seed_for
from autograder.judging.missing import explain_missing
from autograder.judging.repairs import Workshop
from autograder.judging.results import CheckResult, TaskResult
from autograder.judging.subject import (
    Learner,
    LearnerRaised,
    LocalSubject,
    NotAttempted,
    Subject,
    reproducible,
    what_was_printed,
)
from autograder.judging.trials import checks_of, judge_catch
from autograder.judging.verdicts import Given, Judgement, Verdict
from autograder.sandbox.runtime.requests import words
from autograder.sandbox.session import ProcessSubject, SubjectCrashed, SubjectTimeout


@dataclass(frozen=True)
class Check:
    """One check of one task. Its id is ``<task>.<function name without test_>``.

    A check of a catch-it task has no function: it is a group of mistakes (`autograder.judging.trials`).
    """

    id: str
    task: str
    points: Fraction
    title: str
    function: Callable[..., None] | None = None


@lru_cache(maxsize=None)
def load_checks(unit: str) -> tuple[Check, ...]:
    """All checks of a unit, in the order of the file; those of its catch-it tasks come last."""
    module = importlib.import_module(f"autograder.units.{find_unit(unit).name}.checks")
    functions = [
        function
        for name, function in vars(module).items()
        if name.startswith("test_") and inspect.isfunction(function) and function.__module__ == module.__name__
    ]
    groups = [Check(name, one.task, points, title) for one in catches(unit) for name, points, title in checks_of(one)]
    return (*map(_check, functions), *groups)


def _check(function: Callable[..., None]) -> Check:
    marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "task"]
    if len(marks) != 1:
        raise TypeError(f"{function.__module__}.{function.__name__} needs exactly one @pytest.mark.task(id, points=…).")
    task, points = marks[0].args[0], Fraction(str(marks[0].kwargs["points"]))
    name = function.__name__.removeprefix("test_")
    title = expand((inspect.getdoc(function) or name.replace("_", " ")).splitlines()[0])
    return Check(f"{task}.{name}", task, points, title, function)


def max_points(task: str) -> Fraction:
    """What a task is worth: the sum of its checks."""
    checks = load_checks(task.partition(".")[0])
    return sum((check.points for check in checks if check.task == task), Fraction(0))


def run_checks(
    subject: Subject,
    unit: str,
    tasks: Iterable[str] | None = None,
    seed: int = DEFAULT_SEED,
    cells: Sequence[str] = (),
) -> tuple[TaskResult, ...]:
    """Judge, then diagnose, all in one process: a running notebook, or an entry of the catalogue.

    ``cells``: the cells that the learner has run, in this order, as far as known.
    """
    judgement = judge(subject, unit, tasks, seed, cells)
    if found := gifts(judgement):
        judgement = follow_through(judgement, subject, found, seed)
    return diagnose(judgement, Workshop(subject, cells).repair)


def judge(
    subject: Subject,
    unit: str,
    tasks: Iterable[str] | None = None,
    seed: int = DEFAULT_SEED,
    cells: Sequence[str] = (),
) -> Judgement:
    """Run the checks of the named tasks of a unit (of all by default), in the order of the course.

    If only some tasks are named, tasks that a failing one calls are judged as well: the failure may come from there.
    ``cells``: the learner's code, as far as it is known.
    """
    wanted = find_unit(unit).task_ids if tasks is None else tuple(tasks)
    with reproducible():
        verdicts = {task: _judge_task(subject, unit, task, seed) for task in wanted}
        judgement = explain_missing(Judgement(unit, wanted, verdicts), cells)
        may_fail = [task for task in tasks_behind_failures(judgement) if _may_differ(subject, task, seed)]
        behind = {task: _judge_task(subject, unit, task, seed, until_one_fails=_is_whole(subject)) for task in may_fail}
    return explain_missing(replace(judgement, verdicts=judgement.verdicts | behind), cells) if behind else judgement


def _is_whole(subject: Subject) -> bool:
    """Whether the subject holds a unit's whole code, as an entry of the catalogue does: points do not count there.

    Then a task behind a failure is judged only up to its first failing check.
    """
    return isinstance(subject, LocalSubject) and subject.own is not None


def _may_differ(subject: Subject, task: str, seed: int) -> bool:
    """Whether any definition that a task's checks reach may differ from the course's."""
    own = subject.own if isinstance(subject, LocalSubject) else None
    return own is None or any(name in own for name in names_behind(task, seed))


@lru_cache(maxsize=None)
def names_behind(task: str, seed: int = DEFAULT_SEED) -> frozenset[str]:
    """The definitions of the unit that a task's checks reach; all, if the requests are not known ahead."""
    unit = task.partition(".")[0]
    uses = reference_uses(unit)
    asked = [_requests(unit, check, seed_for(seed, check.id)) for check in load_checks(unit) if check.task == task]
    if is_catch(task) or not all(one.frames for one in asked):
        return frozenset(uses)
    named = {word for one in asked for request in one.decoded for word in words(request)}
    return frozenset().union(*(uses[name] for name in named if name in uses))


def follow_through(
    judgement: Judgement, subject: Subject, found: Mapping[str, tuple[str, ...]], seed: int = DEFAULT_SEED
) -> Judgement:
    """Judge once more the tasks that fail while something that they call is wrong (see ``judging.follow``)."""
    given = dict(judgement.given)
    with reproducible():
        try:
            for task, names in found.items():
                whole = around(task, names)
                if handed_over(subject, judgement.unit, whole):
                    judged = tuple(_judge_failed(subject, judgement, task, seed, whole))
                    given[task] = Given(names, judged, told=not isinstance(subject, ProcessSubject))
        finally:  # also after an interrupt in a notebook
            handed_over(subject, judgement.unit, ())
    return replace(judgement, given=given)


def _judge_failed(
    subject: Subject, judgement: Judgement, task: str, seed: int, given: tuple[str, ...]
) -> list[Verdict]:
    """The verdicts of a task that has been ``given`` these names: new ones for the checks that did not pass."""
    if is_catch(task):
        return judge_catch(subject, task, seed, given)
    passed = {
        verdict.result.id: verdict for verdict in judgement.verdicts[task] if verdict.result.status == results.PASSED
    }
    return _judge_task(subject, judgement.unit, task, seed, passed)


def _judge_task(
    subject: Subject,
    unit: str,
    task: str,
    seed: int,
    known: Mapping[str, Verdict] = MappingProxyType({}),
    until_one_fails: bool = False,
) -> list[Verdict]:
    """The verdicts of a task's checks; ``known`` ones, by the check's id, are kept."""
    if is_catch(task):
        return judge_catch(subject, task, seed)
    verdicts: list[Verdict] = []
    checks = [check for check in load_checks(unit) if check.task == task]
    for check, following in itertools.zip_longest(checks, checks[1:]):
        if until_one_fails and verdicts and verdicts[-1].result.status != results.PASSED:
            break
        if check.id in known:
            verdicts.append(known[check.id])
        elif verdicts and verdicts[-1].result.status == results.TIMEOUT:
            # One timeout per task is enough, and leaves time for the tasks that follow.
            why = "Not run, because the check before it ran into the time limit."
            verdicts.append(Verdict(_result(check, results.TIMEOUT, why)))
        else:
            expected = following if following and following.id not in known else None
            verdicts.append(_judge_check(check, subject, unit, seed, expected))
    return verdicts


def _judge_check(check: Check, subject: Subject, unit: str, seed: int, following: Check | None = None) -> Verdict:
    """The verdict of a check; ``following``: the one that is likely to be judged next."""
    own_seed = seed_for(seed, check.id)
    if not isinstance(subject, ProcessSubject):  # in this process, prefetching gains nothing
        return _verdict(check, unit, Learner(subject, own_seed))
    then = _requests(unit, following, seed_for(seed, following.id)) if following else Requests()
    answers = prefetch(subject, _requests(unit, check, own_seed), then)
    known = VERDICTS.get(digest(check.id, answers.key)) if answers.key else None
    if known is None:
        verdict = _verdict(check, unit, Learner(answers, own_seed))
        if not answers.key:  # the check left the known requests
            return verdict
        known = verdict.result, len(verdict.read())
        VERDICTS.put(digest(check.id, answers.key), known, ENTRY_BYTES + len(verdict.result.message))
    result, used = known
    again = _passes(check, unit, seed)
    return Verdict(result, answers.key, lambda: answers.transcript(used), answers.asked(used), again)


def _verdict(check: Check, unit: str, learner: Learner) -> Verdict:
    result = _with_output(_result_of(check, unit, learner), learner)
    transcript = tuple(learner.transcript)
    return Verdict(result, None, lambda: transcript, passes=_passes(check, unit, learner.seed))


def _passes(check: Check, unit: str, seed: int) -> Callable[[Subject], bool]:
    return lambda subject: _result_of(check, unit, Learner(subject, seed)).status == results.PASSED


def _with_output(result: CheckResult, learner: Learner) -> CheckResult:
    """A failure also shows the first lines that the learner's code printed meanwhile."""
    printed = "".join(outcome.printed for _, outcome in learner.transcript)
    if result.status == results.PASSED or not printed.strip():
        return result
    return replace(result, message=f"{result.message}\n\n{what_was_printed(printed)}")


def prepare_unit(unit: str, seed: int = DEFAULT_SEED) -> None:
    """Compute the requests of a unit's checks, and the reference's answers, before the first submission needs them."""
    with reproducible():
        for check in load_checks(unit):
            if check.function:
                _requests(unit, check, seed_for(seed, check.id))


@lru_cache(maxsize=None)
def _requests(unit: str, check: Check, seed: int) -> Requests:
    """The requests of a check; the same for every learner."""
    return requests_of(lambda subject: _call(check, unit, Learner(subject, seed)), CachedReference(unit))


def _call(check: Check, unit: str, learner: Learner) -> None:
    assert check.function
    check.function(learner=learner, reference=reference(unit, learner.seed), rng=Rng(learner.seed))


def _result_of(check: Check, unit: str, learner: Learner) -> CheckResult:
    try:
        _call(check, unit, learner)
    except PartlyRight as error:
        status = results.PARTIAL if error.share else results.FAILED
        return _result(check, status, str(error), error.share)
    except AssertionError as error:
        return _result(check, results.FAILED, str(error))
    except LearnerRaised as error:
        return _result(check, results.ERROR, str(error))
    except NotAttempted as error:
        return _result(check, results.NOT_ATTEMPTED, str(error))
    except SubjectTimeout as error:
        return _result(check, results.TIMEOUT, str(error))
    except SubjectCrashed as error:
        return _result(check, results.CRASHED, str(error))
    except Exception as error:  # the check cannot compare an answer of this form; the reference passes
        text = (
            f"The check cannot work with what your code returned ({type(error).__name__}: {error}). Is its type right?"
        )
        return _result(check, results.FAILED, text[:1000])
    return _result(check, results.PASSED, "", Fraction(1))


def _result(check: Check, status: str, message: str, share: Fraction = Fraction(0)) -> CheckResult:
    return CheckResult(check.id, status, share * check.points, check.points, message, check.title)


def reference(unit: str, seed: int = 0) -> Learner:
    """The reference solution, asked in the same way as a learner's code."""
    return Learner(CachedReference(unit), seed)
