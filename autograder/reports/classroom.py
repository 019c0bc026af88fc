"""The results of a class, added up from its submissions: the numbers behind the class report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from autograder.course.registry import BY_NAME, UNITS, is_catch
from autograder.judging.results import GRADED, NOT_ATTEMPTED, PASSED, Diagnosis, Submission, TaskResult
from autograder.reports.common import check_title

# Groups of results, from worst to best, by the share of the points that was earned.
GROUPS = ("not attempted", "no points", "less than half", "half or more", "all points")
BINS = 10  # columns of a unit's histogram: up to 10 %, up to 20 %, ...; full marks are in the last


@dataclass(frozen=True)
class TaskSummary:
    """One task over all graded submissions. ``groups`` counts them in the order of `GROUPS`."""

    id: str
    mean: float
    max_points: Fraction
    groups: tuple[int, ...]


@dataclass(frozen=True)
class Misconception:
    """One catalogued mistake of one task, and who made it."""

    task: str
    diagnosis: Diagnosis
    students: tuple[str, ...]


@dataclass(frozen=True)
class CheckSummary:
    """One check, over the submissions that attempted its task."""

    task: str
    title: str
    passed: int
    attempts: int


@dataclass(frozen=True)
class UnitSummary:
    """One unit over all submissions of it; mean, median and histogram are over the graded ones."""

    name: str
    title: str
    graded: int
    not_graded: int
    full: int
    mean: float
    median: float
    max_points: Fraction
    histogram: tuple[int, ...]
    tasks: tuple[TaskSummary, ...]
    misconceptions: tuple[Misconception, ...]
    everybody: tuple[CheckSummary, ...]
    nobody: tuple[CheckSummary, ...]
    caught: tuple[CheckSummary, ...]  # for catch-it tasks: how many learners' tests caught each group


def in_course_order(submissions: Iterable[Submission]) -> tuple[Submission, ...]:
    """Submissions by student, then by unit in the order of the course."""
    position = {unit.name: unit.number for unit in UNITS}
    return tuple(
        sorted(
            submissions, key=lambda item: (item.student.casefold(), position.get(item.unit, len(UNITS) + 1), item.path)
        )
    )


def summarise(submissions: Iterable[Submission]) -> tuple[UnitSummary, ...]:
    """One summary per unit that occurs, in the order of the course, then any others."""
    by_unit: dict[str, list[Submission]] = {unit.name: [] for unit in UNITS}
    for submission in submissions:
        by_unit.setdefault(submission.unit, []).append(submission)
    return tuple(_unit(name, group) for name, group in by_unit.items() if group)


def _unit(name: str, submissions: Sequence[Submission]) -> UnitSummary:
    graded = [submission for submission in submissions if submission.status == GRADED]
    points = [submission.points for submission in graded] or [Fraction(0)]
    by_task: dict[str, list[tuple[str, TaskResult]]] = {}
    for submission in graded:
        for task in submission.tasks:
            by_task.setdefault(task.id, []).append((submission.student, task))
    checks = [check for task, results in by_task.items() for check in _checks(task, results)]
    known = BY_NAME.get(name)
    return UnitSummary(
        name=name,
        title=f"Unit {known.number}: {known.title}" if known else name or "Unknown unit",
        graded=len(graded),
        not_graded=len(submissions) - len(graded),
        full=sum(_share(submission) == 1 for submission in graded),
        mean=float(sum(points) / len(points)),
        median=float(median(points)),
        max_points=max((submission.max_points for submission in graded), default=Fraction(0)),
        histogram=_histogram([_share(submission) for submission in graded]),
        tasks=tuple(_task(task, [result for _, result in results]) for task, results in by_task.items()),
        misconceptions=_misconceptions(by_task),
        everybody=tuple(check for check in checks if check.passed == check.attempts),
        nobody=tuple(check for check in checks if check.passed == 0),
        caught=tuple(check for check in checks if is_catch(check.task)),
    )


def _share(result: Submission | TaskResult) -> Fraction:
    return result.points / result.max_points if result.max_points else Fraction(0)


def _histogram(shares: Sequence[Fraction]) -> tuple[int, ...]:
    counts = [0] * BINS
    for share in shares:
        counts[min(int(share * BINS), BINS - 1)] += 1
    return tuple(counts)


def _task(task: str, results: Sequence[TaskResult]) -> TaskSummary:
    groups = [0] * len(GROUPS)
    for result in results:
        groups[_group(result)] += 1
    mean = float(sum(result.points for result in results) / len(results))
    return TaskSummary(task, mean, max(result.max_points for result in results), tuple(groups))


def _group(result: TaskResult) -> int:
    if result.status == NOT_ATTEMPTED:
        return 0
    share = _share(result)
    if share in (0, 1):
        return 1 if share == 0 else 4
    return 2 if share < Fraction(1, 2) else 3


def _misconceptions(by_task: dict[str, list[tuple[str, TaskResult]]]) -> tuple[Misconception, ...]:
    """Each misconception under the task in which the mistake was made, with its students, each once."""
    found: dict[tuple[str, str], tuple[Diagnosis, dict[str, None]]] = {}
    for task, results in by_task.items():
        for student, result in results:
            if result.diagnosis:
                key = result.diagnosis.task or task, result.diagnosis.mistake
                found.setdefault(key, (result.diagnosis, {}))[1][student] = None
    entries = [Misconception(task, diagnosis, tuple(who)) for (task, _), (diagnosis, who) in found.items()]
    return tuple(sorted(entries, key=lambda entry: -len(entry.students)))


def _checks(task: str, results: Sequence[tuple[str, TaskResult]]) -> list[CheckSummary]:
    """The checks of a task that somebody attempted."""
    titles: dict[str, str] = {}
    statuses: dict[str, list[str]] = {}
    for _, result in results:
        for check in result.checks:
            if check.status != NOT_ATTEMPTED:
                titles[check.id] = check_title(check)
                statuses.setdefault(check.id, []).append(check.status)
    return [CheckSummary(task, titles[key], found.count(PASSED), len(found)) for key, found in statuses.items()]
