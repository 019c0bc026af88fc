"""Running a unit's checks against a subject.

A check is a pytest function in ``autograder/units/<unit>/checks.py``, marked with its task and points::

    @pytest.mark.task("attention.softmax", points=2)
    def test_rows_sum_to_one(learner, reference, rng):
        \"\"\"Each row sums to one.\"\"\"

pytest itself can run such a file (``autograder/units/conftest/checks.py`` has the fixtures). Here the functions
are called directly, since starting pytest for every submission would cost more than the checks.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import torch

from autograder.course.catalogue import Mistake
from autograder.course.references import expand
from autograder.course.registry import find_unit
from autograder.judging import results
from autograder.judging.assertions import PartlyRight
from autograder.judging.cache import Answers, RememberingReference, digest
from autograder.judging.diagnosis import Evidence, Transcript, diagnosis_of, likeliest
from autograder.judging.inputs import DEFAULT_SEED, Rng, seed_for
from autograder.judging.prefetch import ForeseenSubject, Requests, requests_of
from autograder.judging.results import CheckResult, TaskResult
from autograder.judging.subject import (
    Learner,
    LearnerRaised,
    NotAttempted,
    Subject,
)
from autograder.sandbox.runtime.requests import torch_as_it_starts
from autograder.sandbox.session import SubjectCrashed, SubjectTimeout

ENTRY = 1000  # bytes that a kept verdict or diagnosis takes, roughly, without a message
# By what they rest on: the results of checks, with the number of requests that they came from, and the diagnoses of
# tasks (in a tuple, since there may be none).
_VERDICTS: Answers[tuple[CheckResult, int]] = Answers(8 * 2**20)
_DIAGNOSES: Answers[tuple[Mistake | None]] = Answers(8 * 2**20)


@dataclass(frozen=True)
class Check:
    """One check of one task. Its id is ``<task>.<function name without test_>``."""

    id: str
    task: str
    points: Fraction
    title: str
    function: Callable[..., None]


@lru_cache(maxsize=None)
def load_checks(unit: str) -> tuple[Check, ...]:
    """All checks of a unit, in the order of the file."""
    module = importlib.import_module(f"autograder.units.{find_unit(unit).name}.checks")
    functions = [
        function
        for name, function in vars(module).items()
        if name.startswith("test_") and inspect.isfunction(function) and function.__module__ == module.__name__
    ]
    return tuple(_check(function) for function in functions)


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
    subject: Subject, unit: str, tasks: Iterable[str] | None = None, seed: int = DEFAULT_SEED
) -> tuple[TaskResult, ...]:
    """Grade the named tasks of a unit (all of them by default), in the order of the course."""
    wanted = find_unit(unit).task_ids if tasks is None else tuple(tasks)
    known: dict[str, list[_Judged]] = {}
    found: list[Mistake] = []

    def judged(task: str) -> list[_Judged]:
        if task not in known:
            known[task] = _run_task(subject, unit, task, seed)
        return known[task]

    def result(task: str) -> TaskResult:
        mistake = _diagnose(unit, task, judged, found)
        if mistake:
            found.append(mistake)
        return TaskResult(task, tuple(one.result for one in judged(task)), diagnosis_of(mistake))

    with _one_thread(), torch_as_it_starts():
        return tuple(map(result, wanted))


@contextmanager
def _one_thread() -> Iterator[None]:
    """The inputs are tiny: sharing them out between threads costs more than it saves, and changes rounding."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@dataclass(frozen=True)
class _Judged:
    """A check's result, a key for the answers that it rests on (if they determine it), and what the diagnosis needs."""

    result: CheckResult
    key: bytes | None = None
    transcript: Callable[[], Transcript] = tuple
    frames: tuple[bytes, ...] = ()

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.result.status, self.transcript(), self.frames)


def _run_task(subject: Subject, unit: str, task: str, seed: int) -> list[_Judged]:
    judged: list[_Judged] = []
    for check in load_checks(unit):
        if check.task != task:
            continue
        if judged and judged[-1].result.status == results.TIMEOUT:
            # One long wait per task is enough, and keeps the time for the tasks that follow.
            judged.append(
                _Judged(
                    _result(check, results.TIMEOUT, "Not run, because the check before it ran into the time limit.")
                )
            )
            continue
        judged.append(_run_check(check, subject, unit, seed))
    return judged


def _diagnose(unit: str, task: str, judged: Callable[[str], list[_Judged]], found: Sequence[Mistake]) -> Mistake | None:
    """What is behind a task's failing checks. A mistake in another task is named only if that task fails, too.

    What has been ``found`` behind other tasks comes first: who calls what is wrong there has made no other mistake.
    """
    right: frozenset[str] = frozenset()
    while mistake := _likeliest(unit, task, judged(task), right, found):
        if mistake.task == task or any(one.result.status != results.PASSED for one in judged(mistake.task)):
            break
        right |= {mistake.task}
    return mistake


def _likeliest(
    unit: str, task: str, judged: Sequence[_Judged], right: frozenset[str], found: Sequence[Mistake]
) -> Mistake | None:
    """The mistake behind the failing checks; of the same answers it is worked out once."""
    keys = [one.key for one in judged if one.key is not None]
    if len(keys) < len(judged):
        return likeliest(unit, task, [one.evidence for one in judged], right, found)
    names = [f"{one.task} {one.name}" for one in found]
    key = digest(task, *sorted(right), *names, *(one.result.status for one in judged), *keys)
    known = _DIAGNOSES.get(key)
    if known is None:
        known = (likeliest(unit, task, [one.evidence for one in judged], right, found),)
        _DIAGNOSES.put(key, known, ENTRY)
    return known[0]


def _run_check(check: Check, subject: Subject, unit: str, seed: int) -> _Judged:
    check_seed = seed_for(seed, check.id)
    if not hasattr(subject, "ask_frames"):  # in this very process: nothing is gained by asking first
        result, transcript = _judge(check, unit, subject, check_seed)
        return _Judged(result, None, lambda: transcript)
    foreseen = ForeseenSubject(subject, _requests(unit, check, check_seed))
    known = _VERDICTS.get(digest(check.id, foreseen.key)) if foreseen.key else None
    if known is not None:
        result, used = known
        return _Judged(result, foreseen.key, lambda: foreseen.transcript(used), foreseen.asked(used))
    result, transcript = _judge(check, unit, foreseen, check_seed)
    if not foreseen.key:  # the check went its own way
        return _Judged(result, None, lambda: transcript)
    used = len(transcript)
    _VERDICTS.put(digest(check.id, foreseen.key), (result, used), ENTRY + len(result.message))
    return _Judged(result, foreseen.key, lambda: transcript, foreseen.asked(used))


def foresee(unit: str, seed: int = DEFAULT_SEED) -> None:
    """Work out what the checks of a unit ask, and the reference's answers, before the first submission needs them."""
    with _one_thread(), torch_as_it_starts():
        for check in load_checks(unit):
            _requests(unit, check, seed_for(seed, check.id))


@lru_cache(maxsize=None)
def _requests(unit: str, check: Check, seed: int) -> Requests:
    """What a check asks; the same for every learner."""
    return requests_of(lambda subject: _call(check, unit, Learner(subject, seed)), RememberingReference(unit))


def _call(check: Check, unit: str, learner: Learner) -> None:
    check.function(learner=learner, reference=reference(unit, learner.seed), rng=Rng(learner.seed))


def _judge(check: Check, unit: str, subject: Subject, seed: int) -> tuple[CheckResult, Transcript]:
    """The result of a check, and all that was asked and answered in it."""
    learner = Learner(subject, seed)
    return _verdict(check, unit, learner), tuple(learner.transcript)


def _verdict(check: Check, unit: str, learner: Learner) -> CheckResult:
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
    except Exception as error:  # an answer of a form that the check cannot even compare; the reference passes
        text = f"The check cannot work with what your code returned ({type(error).__name__}: {error})."
        return _result(check, results.FAILED, text[:1000])
    return _result(check, results.PASSED, "", Fraction(1))


def _result(check: Check, status: str, message: str, share: Fraction = Fraction(0)) -> CheckResult:
    return CheckResult(check.id, status, share * check.points, check.points, message, check.title)


def reference(unit: str, seed: int = 0) -> Learner:
    """The reference solution, asked in the same way as a learner's code."""
    return Learner(RememberingReference(unit), seed)
