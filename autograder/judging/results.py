"""What grading returns: verdicts, points and feedback as plain data.

One `Submission` holds its tasks, a task its checks. `to_json` gives the published schema
(version 1); ``autograder.reports`` turns the same data into HTML, text, JUnit XML and CSV.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction

SCHEMA = 1

PASSED, FAILED, ERROR, TIMEOUT, CRASHED, NOT_ATTEMPTED, PARTIAL = (
    "passed",
    "failed",
    "error",
    "timeout",
    "crashed",
    "not_attempted",
    "partial",
)
GRADED = "graded"


@dataclass(frozen=True)
class Diagnosis:
    """A mistake whose answers equal the learner's: catalogued, a slip, or an effect. ``task``: where it was made."""

    mistake: str
    hint: str
    link: str
    task: str = ""


@dataclass(frozen=True)
class CheckResult:
    """Verdict of one check. ``title`` is for people: the first line of the check's docstring."""

    id: str
    status: str
    points: Fraction
    max_points: Fraction
    message: str
    title: str = ""


@dataclass(frozen=True)
class TaskResult:
    """Verdict of one task: the sum of its checks.

    ``diagnosis``: the mistake that the values prove; ``possible``: without a proof, the mistakes that fit.
    ``given``: functions that the task calls and that are wrong, if the course's versions let more of its checks pass.
    """

    id: str
    checks: tuple[CheckResult, ...]
    diagnosis: Diagnosis | None = None
    possible: tuple[Diagnosis, ...] = ()
    given: tuple[str, ...] = ()

    @property
    def elsewhere(self) -> Diagnosis | None:
        """The diagnosis, if the mistake was made in another task, which this one calls."""
        found = self.diagnosis
        return found if found and found.task not in ("", self.id) else None

    @property
    def points(self) -> Fraction:
        return sum((check.points for check in self.checks), Fraction(0))

    @property
    def max_points(self) -> Fraction:
        return sum((check.max_points for check in self.checks), Fraction(0))

    @property
    def status(self) -> str:
        return task_status([check.status for check in self.checks])


def task_status(statuses: Sequence[str]) -> str:
    """The status of a task, from those of its checks."""
    distinct = set(statuses)
    if len(distinct) == 1:
        return distinct.pop()
    if PASSED in distinct or PARTIAL in distinct:
        return PARTIAL
    # Nothing passed: name what needs the learner's attention most.
    return next(status for status in (TIMEOUT, CRASHED, FAILED, ERROR, NOT_ATTEMPTED) if status in distinct)


@dataclass(frozen=True)
class Submission:
    """One graded file, or one that could not be graded (``status`` ``"failed"``, with a ``message``)."""

    path: str
    student: str
    unit: str
    tasks: tuple[TaskResult, ...] = ()
    status: str = GRADED
    message: str | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = field(default=())

    @property
    def points(self) -> Fraction:
        return sum((task.points for task in self.tasks), Fraction(0))

    @property
    def max_points(self) -> Fraction:
        return sum((task.max_points for task in self.tasks), Fraction(0))


def number(points: Fraction) -> float:
    """Points as a float that shows no rounding noise (0.3, never 0.30000000000000004)."""
    return round(float(points), 6)


def pack(result: Submission | TaskResult) -> dict:
    """A result as JSON-ready data, which `unpack` or `unpack_task` turns back (`to_json` is for readers)."""

    def plain(value: object) -> object:
        if isinstance(value, Fraction):
            return str(value)
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value

    packed = plain(asdict(result))
    assert isinstance(packed, dict)
    return packed


def unpack(packed: dict) -> Submission:
    """The inverse of `pack`; raises ``KeyError``, ``TypeError`` or ``ValueError`` for anything else."""
    tasks = tuple(map(unpack_task, packed["tasks"]))
    return Submission(**{**packed, "tasks": tasks, "notes": tuple(packed["notes"])})


def unpack_task(packed: dict) -> TaskResult:
    """The inverse of `pack` for one task; raises what `unpack` raises. Points may be numbers, rounded long ago."""

    def check(data: dict) -> CheckResult:
        points = {name: Fraction(str(data[name])) for name in ("points", "max_points")}
        return CheckResult(**{**data, **points})

    diagnosis = Diagnosis(**packed["diagnosis"]) if packed["diagnosis"] else None
    possible = tuple(Diagnosis(**data) for data in packed.get("possible", ()))
    checks, given = tuple(map(check, packed["checks"])), tuple(packed.get("given", ()))
    return TaskResult(packed["id"], checks, diagnosis, possible, given)


def to_json(submissions: Iterable[Submission]) -> dict:
    """The report as JSON-ready data, in the published schema."""
    return {"schema": SCHEMA, "submissions": [_submission(submission) for submission in submissions]}


def _submission(submission: Submission) -> dict:
    return {
        "path": submission.path,
        "student": submission.student,
        "unit": submission.unit,
        "points": number(submission.points),
        "max_points": number(submission.max_points),
        "status": submission.status,
        "message": submission.message,
        "seconds": round(submission.seconds, 3),
        "tasks": [_task(task) for task in submission.tasks],
    }


def _task(task: TaskResult) -> dict:
    return {
        "id": task.id,
        "points": number(task.points),
        "max_points": number(task.max_points),
        "status": task.status,
        "diagnosis": _diagnosis(task.diagnosis) if task.diagnosis else None,
        "checks": [_check(check) for check in task.checks],
    }


def _diagnosis(found: Diagnosis) -> dict:
    return {"mistake": found.mistake, "hint": found.hint, "link": found.link}


def _check(check: CheckResult) -> dict:
    return {
        "id": check.id,
        "status": check.status,
        "points": number(check.points),
        "max_points": number(check.max_points),
        "message": check.message,
    }
