"""CSV: one row per submission, one column per task, for a spreadsheet or pandas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from autograder.course.registry import UNITS
from autograder.judging.results import Submission, number
from autograder.reports.common import MESSAGE_LIMIT
from autograder.submissions.text import clean

# Characters with which a formula begins in a spreadsheet, full-width forms included.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def to_csv(submissions: Iterable[Submission]) -> str:
    """The report as CSV with a header. A submission has no value in the columns of other units' tasks."""
    submissions = tuple(submissions)
    tasks = _task_columns(submissions)
    header = ["student", "unit", "path", "status", "points", "max_points", *tasks, "mistakes", "message"]
    return spreadsheet([header, *(_row(submission, tasks) for submission in submissions)])


def csv_text(rows: Iterable[list[Any]]) -> str:
    """Rows as CSV. All text is quoted: a reader that expects other separators must not find a new cell inside it."""
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def spreadsheet(rows: Iterable[list[Any]]) -> str:
    """CSV with a header and the mark by which spreadsheets know UTF-8. Canvas cannot read a quote after the mark."""
    header, *others = rows
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(header)
    return "\ufeff" + stream.getvalue() + csv_text(others)


def _task_columns(submissions: tuple[Submission, ...]) -> list[str]:
    """Ids of all tasks that occur: the course's in its order, then any others as they come."""
    present = dict.fromkeys(task.id for submission in submissions for task in submission.tasks)
    course = [task for unit in UNITS for task in unit.task_ids if task in present]
    return course + [task for task in present if task not in course]


def _row(submission: Submission, tasks: list[str]) -> list[object]:
    points = {task.id: number(task.points) for task in submission.tasks}
    mistakes = dict.fromkeys(task.diagnosis.mistake for task in submission.tasks if task.diagnosis)
    return [
        cell(submission.student),
        cell(submission.unit),
        cell(submission.path),
        submission.status,
        number(submission.points),
        number(submission.max_points),
        *(points.get(task, "") for task in tasks),
        cell(";".join(mistakes)),
        cell(submission.message or ""),
    ]


def cell(text: str) -> str:
    """Untrusted text on one line, which a spreadsheet shows and does not compute."""
    line = clean(text).replace("\n", " ").replace("\t", " ")
    line = line if len(line) <= MESSAGE_LIMIT else line[: MESSAGE_LIMIT - 3] + "..."
    return f"'{line}" if line.lstrip().startswith(_FORMULA) else line
