"""Grades and feedback files for Moodle and Canvas, from the results of ``autograder grade`` on their download.

**Moodle** takes feedback as a zip file with the folders of its download: every file in
``Ada Lovelace_12345_assignsubmission_file_/`` is feedback for the participant 12345, whatever it is called
(``mod/assign/feedback/file/importziplib.php`` in https://github.com/moodle/moodle). Here it is a page.

**Canvas** takes the files of its download back under the same names: the first two numbers between underscores are the
learner's and the file's (``infer_comment_context_from_filename`` in ``app/models/abstract_assignment.rb`` of
https://github.com/instructure/canvas-lms). Canvas shows each file to the learner under the name that the learner's own
file had. So the feedback on a notebook is a notebook, that on Python or C code consists of comments, and that on a zip
file is a zip file.
"""

from __future__ import annotations

import html
import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder import reports
from autograder.judging.results import GRADED, Submission
from autograder.lms.templates import TEMPLATES
from autograder.reports.common import points_text, shorten
from autograder.reports.exports import to_markdown
from autograder.reports.html import feedback_fragment
from autograder.submissions.discovery import Source
from autograder.submissions.files import ZIP, split
from autograder.submissions.gradebooks import MOODLE, BadTable, Table
from autograder.submissions.names import Given, given
from autograder.submissions.text import readable_name

GRADES, FEEDBACK = "grades.csv", "feedback.zip"  # the files in the folder
_COMMENTS = {".py": "# ", ".c": "// "}  # start of a comment line, by file type


@dataclass(frozen=True)
class Upload:
    """A learner's upload. ``name``: of the file or folder in the download; ``about``: the platform's data in it."""

    name: str
    about: Given
    submission: Submission


@dataclass(frozen=True)
class Returned:
    """The outcome: learners without a grade, graded submissions of people who are not in the table, a note."""

    without_grade: tuple[str, ...]
    not_in_table: tuple[str, ...]
    scaled: str


def write_return(
    folder: Path, table: Table, sources: Sequence[Source], submissions: Sequence[Submission]
) -> Returned | None:
    """Write the table with grades, and the feedback files, into a folder that is empty or does not exist.

    ``submissions`` are the results for ``sources``, in their order. Writes nothing, and returns ``None``, when no
    submission was graded. Raises `BadTable` when the table has none of the learners, and `reports.ReportError` when a
    file cannot be written.
    """
    uploads: list[Upload] = []
    strangers: list[str] = []
    for source, submission in zip(sources, submissions):
        if submission.status != GRADED:
            continue
        upload = _upload(source, submission)
        if upload and upload.about.number in table.learners:
            uploads.append(upload)
        else:
            strangers.append(submission.student)
    if not uploads and not strangers:
        return None
    if not uploads:
        raise BadTable("The table has none of the learners who were graded: is it that of the same course?")
    counting = _counting(uploads)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise reports.ReportError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    grades = {number: _grade(table, number, upload) for number, upload in counting.items()}
    reports.write(folder / GRADES, table.filled(grades))
    feedback = {_entry(table, upload): _feedback(table, upload) for upload in counting.values()}
    reports.write(folder / FEEDBACK, _zipped(feedback))
    return Returned(
        tuple(table.name(number) for number in table.learners if number not in counting),
        tuple(dict.fromkeys(strangers)),
        _scaled(table, counting),
    )


def _counting(uploads: Iterable[Upload]) -> dict[str, Upload]:
    """The latest upload of each learner, by the platform's number: only this one counts."""
    found: dict[str, Upload] = {}
    for upload in uploads:
        before = found.get(upload.about.number)
        if before is None or _age(before.about) <= _age(upload.about):
            found[upload.about.number] = upload
    return found


def _age(about: Given) -> tuple[str, tuple[int, ...]]:
    return about.attempt, about.version


def _upload(source: Source, submission: Submission) -> Upload | None:
    """The part of the path with which the platform names the learner; similar parts may be learners' own names."""
    for part in map(readable_name, source.path.parts):
        about = given(part)
        if about and about.number and about.aliases == source.aliases:
            return Upload(part, about, submission)
    return None


# --- grades ---------------------------------------------------------------------------------------------------


def _grade(table: Table, number: str, upload: Upload) -> str:
    """The points, scaled to the platform's maximum, with two decimals, since the platform shows no more."""
    points, most = upload.submission.points, upload.submission.max_points
    worth = table.worth.get(table.learners[number], most)
    return points_text(points * worth / most)


def _scaled(table: Table, counting: Mapping[str, Upload]) -> str:
    for number, upload in counting.items():
        most = upload.submission.max_points
        worth = table.worth.get(table.learners[number], most)
        if worth != most:
            return (
                f"{upload.submission.unit} is worth {points_text(most)} points here and {points_text(worth)} in "
                f"{table.platform}, so grades are scaled."
            )
    return ""


# --- feedback files -------------------------------------------------------------------------------------------


def _entry(table: Table, upload: Upload) -> str:
    about = upload.about
    if table.platform == MOODLE:
        return f"{about.student}_{about.number}_assignsubmission_file_/{upload.submission.unit}-feedback.html"
    return upload.name


def _feedback(table: Table, upload: Upload) -> bytes:
    submission, kind = upload.submission, split(upload.name)[1]
    if table.platform == MOODLE:
        return _page(submission).encode()
    if kind == ZIP:
        return _zipped({f"{submission.unit}-feedback.html": _page(submission).encode()})
    text = to_markdown(submission)
    if kind in _COMMENTS:
        return "".join(f"{_COMMENTS[kind]}{line}".rstrip() + "\n" for line in text.splitlines()).encode()
    cell = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": text.splitlines(keepends=True)}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()


def _page(submission: Submission) -> str:
    notes = html.escape(shorten(submission.message or ""))
    fragment = feedback_fragment(submission.tasks, title=submission.unit)
    return TEMPLATES.get_template("feedback.html").render(unit=submission.unit, notes=notes, fragment=fragment)


def _zipped(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()
