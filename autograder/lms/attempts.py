"""Results of earlier submissions of an assignment, since nbgrader's gradebook holds only the latest result.

Before a submission replaces another, the older result is copied into a table of this course in the gradebook's
database, so that an export can take the best. A submission that is graded again replaces its own result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from nbgrader.api import Gradebook, SubmittedAssignment
from sqlalchemy import Boolean, Column, MetaData, String, Table, Text, delete, insert, inspect, select

from autograder.submissions.files import UnreadableSubmission, content

_TABLE = Table(
    "autograder_attempt",
    MetaData(),
    Column("assignment", String(128), primary_key=True),
    Column("student", String(128), primary_key=True),
    Column("digest", String(64), primary_key=True),  # of the notebooks
    Column("current", Boolean),  # the one whose result is in the gradebook itself
    Column("result", Text),
)


@dataclass(frozen=True)
class Result:
    """The result of one submission: points of each graded cell, late penalty, time of submission."""

    cells: dict[str, float]
    penalty: float
    submitted: str  # UTC; empty if unknown
    waiting: bool  # whether it waits for points given by hand

    @property
    def raw(self) -> float:
        return sum(self.cells.values())

    @property
    def points(self) -> float:
        return max(0.0, self.raw - self.penalty)


def latest(submission: SubmittedAssignment) -> Result:
    """The result that the gradebook holds."""
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    return Result(
        {grade.name: float(grade.score) for grade in grades},
        float(submission.late_submission_penalty or 0),
        f"{submission.timestamp:%Y-%m-%d %H:%M:%S}" if submission.timestamp else "",
        any(grade.needs_manual_grade for grade in grades),
    )


def earlier(gradebook: Gradebook, assignment: str, student: str) -> list[Result]:
    """The results of this student's other submissions."""
    if not inspect(gradebook.db.connection()).has_table(_TABLE.name):
        return []
    found = gradebook.db.execute(select(_TABLE.c.result).where(*_of(assignment, student), ~_TABLE.c.current))
    return [Result(**json.loads(result)) for (result,) in found]


def remember(gradebook: Gradebook, assignment: str, student: str, notebooks: Sequence[str]) -> None:
    """Before these notebooks are graded, keep the result of the submission that they replace."""
    _TABLE.create(gradebook.db.connection(), checkfirst=True)
    rows = gradebook.db.execute(select(_TABLE.c.digest).where(*_of(assignment, student), _TABLE.c.current))
    before, now = rows.scalar_one_or_none(), _digest(notebooks)
    if before and before != now:
        result = latest(gradebook.find_submission(assignment, student))
        _store(gradebook, assignment, student, before, json.dumps(asdict(result)))
    _store(gradebook, assignment, student, now, "")
    gradebook.db.commit()


def _store(gradebook: Gradebook, assignment: str, student: str, digest: str, result: str) -> None:
    """Store a submission's result; an empty result marks the current submission, whose result is in the gradebook."""
    gradebook.db.execute(delete(_TABLE).where(*_of(assignment, student), _TABLE.c.digest == digest))
    row = {"assignment": assignment, "student": student, "digest": digest, "current": not result, "result": result}
    gradebook.db.execute(insert(_TABLE).values(row))


def _of(assignment: str, student: str) -> tuple:
    return _TABLE.c.assignment == assignment, _TABLE.c.student == student


def _digest(notebooks: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for path in sorted(map(Path, notebooks)):
        try:
            digest.update(path.name.encode() + b"\0" + hashlib.sha256(content(path)).digest())
        except UnreadableSubmission as error:
            digest.update(str(error).encode())
    return digest.hexdigest()
