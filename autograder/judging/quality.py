"""Measures the grader itself: every mistake must fail and be named, every alternative must pass.

The reference solution of a catch-it task is a test: it must accept every style and catch every group of mistakes.

``python -m autograder.quality [UNIT...]`` prints what the tests assert (``autograder.reports.quality``).
"""

from __future__ import annotations

from dataclasses import dataclass

from autograder.course.catalogue import Entry, Mistake, alternatives, complete_source, is_c, mistakes
from autograder.course.catches import catches
from autograder.judging import results
from autograder.judging.implementations import namespace, reference_names
from autograder.judging.inputs import DEFAULT_SEED
from autograder.judging.results import TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet
from autograder.submissions.syntax import defined_names


@dataclass(frozen=True)
class Measured:
    """A catalogue entry and its result."""

    entry: Entry
    result: TaskResult

    @property
    def named(self) -> str:
        """The mistake that was named, or those that are possible."""
        found = (self.result.diagnosis,) if self.result.diagnosis else self.result.possible
        return " or ".join(diagnosis.mistake for diagnosis in found)

    @property
    def right(self) -> bool:
        """Whether a mistake failed and was named (or, for symptoms only, listed), or an alternative passed."""
        if isinstance(self.entry, Mistake):
            return self.result.status != results.PASSED and self.entry.family in self.named.split(" or ")
        return self.result.status == results.PASSED


def measure(unit: str, seed: int = DEFAULT_SEED) -> list[Measured]:
    """Grade every mistake and every alternative of a unit."""
    with quiet():
        return [
            Measured(entry, run_checks(LocalSubject(namespace(entry), own=defined(entry)), unit, [entry.task], seed)[0])
            for entry in (*mistakes(unit), *alternatives(unit))
        ]


def defined(entry: Entry) -> set[str]:
    """The names that an entry of the catalogue defines differently from the reference solution."""
    if is_c(entry.unit):
        return {entry.task.partition(".")[2]}
    return defined_names(complete_source(entry))


def measure_tests(unit: str, seed: int = DEFAULT_SEED) -> list[TaskResult]:
    """Grade the course's own tests of a unit's catch-it tasks."""
    tasks = [one.task for one in catches(unit)]
    with quiet():
        return list(run_checks(LocalSubject(reference_names(unit)), unit, tasks, seed)) if tasks else []
