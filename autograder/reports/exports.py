"""Exports for other systems: Gradescope's ``results.json`` and a gradebook CSV in Canvas's form."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from autograder.registry import UNITS
from autograder.report import GRADED, PASSED, Submission, TaskResult, number
from autograder.reports import write
from autograder.reports.common import shorten
from autograder.reports.table import cell, csv_text


def to_gradescope(submission: Submission) -> str:
    """One submission as Gradescope's ``results.json``: a test per check, the diagnosis in the task's first failure."""
    tests = [test for task in submission.tasks for test in _tests(task)]
    results = {
        "score": number(submission.points),
        "execution_time": round(submission.seconds, 3),
        "output": shorten(submission.message or ""),
        "output_format": "text",
        "visibility": "visible",
        "tests": tests,
    }
    return json.dumps(results, indent=2) + "\n"


def _tests(task: TaskResult) -> list[dict]:
    tests = []
    diagnosis = task.diagnosis
    for check in task.checks:
        output = shorten(check.message)
        if diagnosis and check.status != PASSED:
            output, diagnosis = f"{diagnosis.hint}\n{diagnosis.link}\n\n{output}", None
        tests.append(
            {
                "name": f"{task.id}: {check.title or check.id}",
                "score": number(check.points),
                "max_score": number(check.max_points),
                "status": "passed" if check.status == PASSED else "failed",
                "output": output,
            }
        )
    return tests


def write_gradescope(folder: Path, submissions: Iterable[Submission]) -> None:
    """``FOLDER/STUDENT.UNIT.json`` for every graded submission (names made safe for a file system)."""
    for submission in submissions:
        if submission.status == GRADED:
            name = "".join(c if c.isalnum() or c in "-_. " else "_" for c in f"{submission.student}.{submission.unit}")
            write(folder / f"{name}.json", to_gradescope(submission))


def to_canvas(submissions: Iterable[Submission]) -> str:
    """A gradebook CSV that Canvas imports: one row per student, one column per unit, points possible in row two.

    Students are matched by ``SIS Login ID``, which is taken from the names of their folders.
    """
    points: dict[str, dict[str, float]] = {}
    possible: dict[str, float] = {}
    for submission in submissions:
        if submission.status == GRADED:
            points.setdefault(submission.student, {})[submission.unit] = number(submission.points)
            possible[submission.unit] = number(submission.max_points)
    units = [unit.name for unit in UNITS if unit.name in possible]
    fixed = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    rows: list[list[object]] = [
        [*fixed, *units],
        ["    Points Possible", "", "", "", "", *(possible[unit] for unit in units)],
    ]
    for student in sorted(points):
        name = cell(student)
        rows.append([name, "", "", name, "", *(points[student].get(unit, "") for unit in units)])
    return csv_text(rows)
