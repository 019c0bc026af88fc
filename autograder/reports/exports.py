"""Exports for other systems: Gradescope's ``results.json`` and a gradebook CSV in Canvas's form."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

from autograder.course.registry import BY_NAME, UNITS
from autograder.judging.results import GRADED, PASSED, Submission, TaskResult, number
from autograder.judging.runner import max_points
from autograder.reports import write
from autograder.reports.common import (
    LOOKS,
    Explanation,
    check_title,
    explanations,
    given_text,
    link_label,
    messages,
    points_text,
    shorten,
)
from autograder.reports.table import cell, spreadsheet

LONGEST_NAME = 60  # characters, each of up to four bytes, of the 255 that a file's name may have


def to_gradescope(submissions: Sequence[Submission], visibility: str = "visible") -> str:
    """One person's submissions, one per unit, as ``results.json``: a test per check, feedback as Markdown.

    The form is that of https://gradescope-autograders.readthedocs.io/en/latest/specs/. ``visibility``, one of
    `lms.visibility.VISIBILITIES`, says when learners see the tests. What a task's diagnosis says stands in its first
    failed test.
    """
    remarks = [submission.message for submission in submissions if submission.message]
    results = {
        "score": number(sum((submission.points for submission in submissions), Fraction(0))),
        "execution_time": round(sum(submission.seconds for submission in submissions), 3),
        "output": shorten("\n".join(remarks)),
        "output_format": "text",
        "test_output_format": "md",
        "test_name_format": "text",
        "visibility": visibility,
        "tests": [test for submission in submissions for test in _tests_of(submission)],
    }
    return json.dumps(results, indent=2) + "\n"


def to_markdown(submission: Submission) -> str:
    """Feedback for one learner as Markdown: the points, then each check with its message."""
    score = f"{points_text(submission.points)} of {points_text(submission.max_points)} points"
    parts = [f"# {submission.unit}: {score}", _fenced(shorten(submission.message or ""))]
    for test in _tests_of(submission):
        points = f"{test['score']:g} of {test['max_score']:g}"
        parts += [f"## {LOOKS[test['status']].symbol} {test['name']} ({points})", test["output"]]
    return "\n\n".join(filter(None, parts)) + "\n"


def _tests_of(submission: Submission) -> list[dict]:
    if submission.status == GRADED:
        return [test for task in submission.tasks for test in _tests(task, submission.tasks)]
    if submission.unit not in BY_NAME:
        return []
    lost = sum((max_points(task) for task in BY_NAME[submission.unit].task_ids), Fraction(0))
    why = _fenced(submission.message or "")
    return [_test(f"{submission.unit}: could not be graded", False, Fraction(0), lost, why)]


def _tests(task: TaskResult, tasks: Sequence[TaskResult]) -> list[dict]:
    tests = []
    paragraphs = [given_text(task), *map(_markdown, explanations(task, tasks))]
    explained = "".join(f"{paragraph}\n\n" for paragraph in paragraphs if paragraph)
    for check, message in messages(task):
        output = _fenced(message)
        if check.status != PASSED:
            output, explained = explained + output, ""
        name = f"{task.id}: {check_title(check)}"
        tests.append(_test(name, check.status == PASSED, check.points, check.max_points, output))
    return tests


def _test(name: str, passed: bool, points: Fraction, most: Fraction, output: str) -> dict:
    return {
        "name": name,
        "score": number(points),
        "max_score": number(most),
        "status": "passed" if passed else "failed",
        "output": output,
    }


def _markdown(explanation: Explanation) -> str:
    """An explanation, which the course's authors wrote; code in it stands between backticks already."""
    link = f"\n\nRead [{link_label(explanation.link)}]({explanation.link})." if explanation.link else ""
    return f"**{explanation.heading}**\n\n{explanation.text}{link}"


def _fenced(message: str) -> str:
    """Untrusted text as a block of code, which it cannot end: the fence is longer than any in the text."""
    if not message:
        return ""
    longest = max(map(len, re.findall("`+", message)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{message}\n{fence}"


def write_gradescope(folder: Path, submissions: Iterable[Submission]) -> None:
    """One file for every submission, ``FOLDER/STUDENT.UNIT.json``; what could not be graded has no points and says why.

    A name that is invalid for a file, or already taken by another submission, is changed and gets a unique number.
    """
    taken: set[str] = set()
    for submission in submissions:
        whole = f"{submission.student}.{submission.unit}"
        name = "".join(c if c.isalnum() or c in "-_. " else "_" for c in whole).lstrip(".")[:LONGEST_NAME]
        if name != whole or name.casefold() in taken:
            name += "-" + hashlib.sha256(repr((whole, submission.path)).encode()).hexdigest()[:8]
        taken.add(name.casefold())
        file = os.fsdecode(f"{name}.json".encode("utf-8", "replace"))  # as Python names it in any locale
        write(folder / file, to_gradescope([submission]))


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
