"""Measures the grader itself: every mistake must fail and be named, every alternative must pass.

``python -m autograder.quality [UNIT...]`` prints what the tests assert (``autograder.reports.quality``).
"""

from __future__ import annotations

from dataclasses import dataclass

from autograder.course.catalogue import Entry, Mistake, alternatives, mistakes
from autograder.judging import results
from autograder.judging.implementations import namespace
from autograder.judging.inputs import DEFAULT_SEED
from autograder.judging.results import TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet


@dataclass(frozen=True)
class Measured:
    """A catalogue entry and what the grader made of it."""

    entry: Entry
    result: TaskResult

    @property
    def named(self) -> str:
        """The mistake that was named, or those that are possible."""
        found = (self.result.diagnosis,) if self.result.diagnosis else self.result.possible
        return " or ".join(diagnosis.mistake for diagnosis in found)

    @property
    def right(self) -> bool:
        """A mistake failed and was named as itself (or is possible, by a symptom alone); an alternative passed."""
        if isinstance(self.entry, Mistake):
            return self.result.status != results.PASSED and self.entry.family in self.named.split(" or ")
        return self.result.status == results.PASSED


def measure(unit: str, seed: int = DEFAULT_SEED) -> list[Measured]:
    """Grade every mistake and every alternative of a unit."""
    with quiet():
        return [
            Measured(entry, run_checks(LocalSubject(namespace(entry)), unit, [entry.task], seed)[0])
            for entry in (*mistakes(unit), *alternatives(unit))
        ]
