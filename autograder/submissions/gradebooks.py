"""The tables of grades that Moodle and Canvas export, filled in, in the form in which they import them.

Both platforms find a learner in the table by a number, and the same number stands in the names of their downloads. So
two learners of one name are never mixed up.

**Moodle: the grading worksheet** of an assignment (https://docs.moodle.org/en/Assignment_settings, "Offline grading
worksheet"). Moodle finds the columns *Identifier*, *Grade* and *Last modified (grade)* by name. The identifier ends in
the learner's number, and the largest grade that Moodle takes stands after the grade. Empty grades are passed over
(``mod/assign/feedback/offline/importgradeslib.php`` and ``locallib.php``, ``mod/assign/gradingtable.php`` in
https://github.com/moodle/moodle).

**Canvas: the gradebook** of a course
(https://community.canvaslms.com/t5/Instructor-Guide/How-do-I-import-grades-in-the-Gradebook/ta-p/807). The learner's
number stands in the column *ID*, the assignment's at the end of its column's name, as in ``attention (1234)``, and the
points that it is worth in the row *Points Possible*. Canvas takes an empty cell for a grade to delete, so cells without
a new grade keep what they have (``lib/gradebook_importer.rb`` in https://github.com/instructure/canvas-lms).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from autograder.submissions.files import UnreadableSubmission, content
from autograder.submissions.notebooks import decode
from autograder.submissions.text import readable_name

MOODLE, CANVAS = "Moodle", "Canvas"
_BOM = "\ufeff"
_GRADE = "Grade"  # Moodle's name for its column
_IDENTIFIER = re.compile(r"\D+(\d+)")  # "Participant 12345"
_POINTS_POSSIBLE = "Points Possible"
_TEST_STUDENT = "Student, Test"
_SECTION = "Section"  # the last of Canvas's columns about a learner


class BadTable(ValueError):
    """The file is no table of grades that can be filled in; the text is one sentence."""


@dataclass(frozen=True)
class Table:
    """A table as the platform exported it.

    ``learners``: the row of each learner, by the platform's number. ``column``: where the grades stand. ``kept``: the
    columns that are returned. ``worth``: by row, the points that the platform gives at most, where it says so.
    """

    platform: str
    rows: list[list[str]]
    learners: Mapping[str, int]
    column: int
    kept: tuple[int, ...]
    worth: Mapping[int, Fraction]
    separator: str
    mark: str  # by which spreadsheets know UTF-8, or nothing

    def name(self, number: str) -> str:
        """What the table calls a learner. Where Moodle hides names, the status stands in place of the name."""
        row = self.rows[self.learners[number]]
        return row[0] if self.platform == CANVAS else f"{row[0]}, {row[1]}"

    def filled(self, grades: Mapping[str, str]) -> str:
        """The table as CSV, with these grades by the learners' numbers; all other cells as they were."""
        rows = [list(row) for row in self.rows]
        for number, grade in grades.items():
            rows[self.learners[number]][self.column] = grade
        stream = io.StringIO()
        csv.writer(stream, delimiter=self.separator, lineterminator="\r\n").writerows(
            [row[column] for column in self.kept] for row in rows
        )
        return self.mark + stream.getvalue()


def read_table(path: Path, unit: str, column: str | None = None) -> Table:
    """Read a table that Moodle or Canvas exported; raises `BadTable`.

    Args:
        path: the CSV file.
        unit: whose grades are to be filled in; names Canvas's column where ``column`` does not.
        column: the name of the column for the grades. Canvas's may go without the number at its end.
    """
    name = readable_name(path.name)
    try:
        data = content(path.resolve())
    except UnreadableSubmission as error:
        raise BadTable(f"The table of grades cannot be read: {error}") from error
    if data.startswith(b"PK"):
        raise BadTable(f"{name} is a spreadsheet or a zip file: save the table of grades as CSV.")
    mark = _BOM if data.startswith(_BOM.encode()) else ""
    text = decode(data)
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        rows = list(csv.reader(io.StringIO(text.removeprefix(_BOM), newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise BadTable(f"{name} is no CSV file ({error}).") from error
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    header = [cell.strip() for cell in rows[0]] if rows else []
    rows = [row + [""] * (len(header) - len(row)) for row in rows]
    if "ID" in header and _SECTION in header:
        return Table(CANVAS, rows, *_canvas(name, header, rows, column or unit), separator, mark)
    return Table(MOODLE, rows, *_moodle(name, header, rows, column or _GRADE), separator, mark)


_Found = tuple[dict[str, int], int, tuple[int, ...], dict[int, Fraction]]  # the middle of a table's fields


def _moodle(name: str, header: list[str], rows: list[list[str]], wanted: str) -> _Found:
    learners = {found[1]: row for row, cells in enumerate(rows) if row and (found := _identifier(cells[0]))}
    if not learners or len(learners) < len(rows) - 1:
        raise BadTable(
            f"{name} is neither Moodle's grading worksheet, whose first column, Identifier, holds a number for each "
            "learner, nor Canvas's gradebook, with the columns ID and Section: export it anew, and change no column."
        )
    if wanted not in header:
        raise BadTable(f"{name} has no column {wanted}: name the one for the grades with --column{_there(header[1:])}.")
    column = header.index(wanted)
    most = [_points(cells[column + 1]) if column + 1 < len(header) else None for cells in rows]
    worth = {row: points for row, points in enumerate(most) if row and points}
    if len(worth) < len(learners):
        raise BadTable(
            f"{name} does not say after the column {wanted} how many points the assignment has: choose points as the "
            "type of its grade, and download the worksheet anew."
        )
    return learners, column, tuple(range(len(header))), worth


def _identifier(cell: str) -> re.Match[str] | None:
    return _IDENTIFIER.fullmatch(cell.strip())


def _canvas(name: str, header: list[str], rows: list[list[str]], wanted: str) -> _Found:
    last, number = header.index(_SECTION), header.index("ID")
    named = re.compile(rf"{re.escape(wanted)}(?: \(\d+\))?", re.IGNORECASE)
    found = [at for at, cell in enumerate(header) if at > last and named.fullmatch(cell)]
    if len(found) != 1:
        assignments = [cell for cell in header[last + 1 :] if re.search(r" \(\d+\)$", cell)]
        raise BadTable(
            f"{name} has {'several columns' if found else 'no column'} {wanted}: name the assignment's with "
            f"--column{_there(assignments)}."
        )
    learners = {
        cells[number].strip(): row
        for row, cells in enumerate(rows)
        if row and cells[number].strip().isdecimal() and cells[0].strip() != _TEST_STUDENT
    }
    if not learners:
        raise BadTable(f"{name} names no learner in its column ID: export the gradebook from Canvas anew.")
    possible = next((cells for cells in rows if _POINTS_POSSIBLE in cells[0]), None)
    points = _points(possible[found[0]]) if possible else None
    # Other assignments' cells would overwrite what has been graded since the export.
    return learners, found[0], (*range(last + 1), found[0]), dict.fromkeys(learners.values(), points) if points else {}


def _there(columns: list[str]) -> str:
    return f" (there are {', '.join(columns)})" if columns else ""


def _points(cell: str) -> Fraction | None:
    """A number as a platform writes it, in English or with a decimal comma; ``None`` for anything else."""
    text = cell.strip().replace(",", ".")
    return Fraction(text) if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", text) else None
