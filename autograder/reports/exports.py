"""Exports for other systems: Gradescope's ``results.json`` and a gradebook CSV in Canvas's form."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from autograder.course.registry import UNITS
from autograder.judging.results import GRADED, PASSED, Submission, TaskResult, number
from autograder.reports import write
from autograder.reports.common import explanations, shorten
from autograder.reports.table import cell, spreadsheet

LONGEST_NAME = 60  # characters, each of up to four bytes, of the 255 that a file's name may have


def to_gradescope(submission: Submission) -> str:
    """One submission as Gradescope's ``results.json``: a test per check, the diagnosis in the task's first failure."""
    tests = [test for task in submission.tasks for test in _tests(task)]
    results = {
        "score": number(submission.points),
        "execution_time": round(submission.seconds, 3),
        "output": shorten(submission.message or ""),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "tests": tests,
    }
    return json.dumps(results, indent=2) + "\n"


def _tests(task: TaskResult) -> list[dict]:
    tests = []
    explained = "".join(f"{found.heading}\n{found.text}\n{found.link}\n\n" for found in explanations(task))
    for check in task.checks:
        output = shorten(check.message)
        if check.status != PASSED:
            output, explained = explained + output, ""
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
    """One file for every submission, ``FOLDER/STUDENT.UNIT.json``; what could not be graded has no points and says why.

    A name that no file may have, or that another submission has already, is changed and gets a number that tells
    it from all others.
    """
    taken: set[str] = set()
    for submission in submissions:
        whole = f"{submission.student}.{submission.unit}"
        name = "".join(c if c.isalnum() or c in "-_. " else "_" for c in whole).lstrip(".")[:LONGEST_NAME]
        if name != whole or name.casefold() in taken:
            name += "-" + hashlib.sha256(repr((whole, submission.path)).encode()).hexdigest()[:8]
        taken.add(name.casefold())
        file = os.fsdecode(f"{name}.json".encode("utf-8", "replace"))  # as Python names it in any locale
        write(folder / file, to_gradescope(submission))


def to_canvas(submissions: Iterable[Submission]) -> str:
    """A CSV that Canvas imports, of the code alone: a row per student, a column per unit, points possible in row two.

    Penalties and written questions are in nbgrader's gradebook, and in the exports from there (``lms.export``).

    Students are matched by ``SIS Login ID``, which is taken from the names of their folders. Of several submissions
    for one unit the best counts; one that could not be graded leaves the cell empty, which changes nothing in Canvas.
    """
    points: dict[str, dict[str, float]] = {}
    possible: dict[str, float] = {}
    for submission in submissions:
        row = points.setdefault(submission.student, {})
        if submission.status == GRADED:
            row[submission.unit] = max(row.get(submission.unit, 0.0), number(submission.points))
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
    return spreadsheet(rows)
