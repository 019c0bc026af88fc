"""Grades from nbgrader's gradebook, for Canvas, Moodle and spreadsheets.

``nbgrader export --exporter=autograder.nbgrader.Canvas`` (or ``Moodle``, or ``Csv``) writes the gradebook's
grades, with late penalties and points given by hand. nbgrader's own export counts an assignment that was never released
as zero for everybody; here an assignment that nobody has handed in is left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Gradebook, SubmittedAssignment
from nbgrader.plugins import ExportPlugin
from traitlets import Unicode

from autograder.course.registry import BY_NAME
from autograder.lms import attempts
from autograder.lms.attempts import Result
from autograder.lms.grade_ids import task_of
from autograder.lms.gradebook import position, rename_cells, renew_late_penalties
from autograder.reports import ReportError, write
from autograder.reports.table import cell, spreadsheet
from autograder.submissions.roster import BadRoster, Learner, read_roster, who_is_who

LATEST, BEST = "latest", "best"  # which of several submissions counts


class CannotExport(ValueError):
    """The text is one sentence that says why, and what to do."""


@dataclass
class Student:
    """Somebody in the gradebook or in the roster, with the roster's entries."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    roster: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.last_name, self.first_name))) or self.id

    def known_as(self, column: str, otherwise: str = "") -> str:
        """The roster's entry in this column, safe in a spreadsheet."""
        return cell(self.roster.get(column) or otherwise)


@dataclass
class Grades:
    """A class: its students, the assignments that anybody handed in, and their results."""

    students: list[Student]
    assignments: list[Assignment]
    results: dict[tuple[str, str], Result]  # by assignment and student
    roster_columns: list[str]

    def points(self, assignment: str, student: str) -> float:
        """The points; as in nbgrader, 0 for a student who handed in nothing."""
        result = self.results.get((assignment, student))
        return _rounded(result.points) if result else 0.0


class GradesExport(ExportPlugin):
    """The part that all exports share; each export writes its own table."""

    roster = Unicode("", help="CSV that says who is who elsewhere, as for autograder grade --roster.").tag(config=True)
    attempts = Unicode("latest", help="Which of several graded submissions counts: latest or best.").tag(config=True)
    file_name = ""

    def export(self, gradebook: Gradebook) -> None:
        try:
            if self.attempts not in (LATEST, BEST):
                raise CannotExport(f"GradesExport.attempts is {LATEST} or {BEST}, and not {self.attempts}.")
            roster = read_roster(Path(self.roster)) if self.roster else []
            rename_cells(gradebook)
            renew_late_penalties(self, self.parent.coursedir.db_url, gradebook.db.query(SubmittedAssignment))
            gradebook.db.commit()  # ends the transaction: other sessions have written the penalties
            gradebook.db.expire_all()
            grades = self._collect(gradebook, roster)
            write(self.to or self.file_name, spreadsheet(self.rows(grades)))
        except (CannotExport, BadRoster, ReportError) as error:
            self.log.error(str(error))
            sys.exit(1)
        self.log.info("Written: %s", self.to or self.file_name)

    def rows(self, grades: Grades) -> list[list[Any]]:
        """The table, its header first."""
        raise NotImplementedError

    def _collect(self, gradebook: Gradebook, roster: list[Learner]) -> Grades:
        wanted = [one for one in gradebook.assignments if not self.assignment or one.name in map(str, self.assignment)]
        wanted.sort(key=lambda one: (list(BY_NAME).index(one.name) if one.name in BY_NAME else len(BY_NAME), one.name))
        handed_in = [one for one in wanted if one.submissions]
        if absent := [one.name for one in wanted if not one.submissions]:
            self.log.warning("Left out, because nobody has handed it in: %s.", ", ".join(absent))
        students = {
            one.id: Student(one.id, one.first_name or "", one.last_name or "", one.email or "")
            for one in gradebook.students
        }
        people = who_is_who(roster, students)
        if roster and (strangers := sorted(students.keys() - people.keys())):
            self.log.warning("Not on the roster: %s.", ", ".join(strangers))
        for name, learner in people.items():
            students.setdefault(name, Student(name)).roster = learner.row
        if self.student:
            students = {name: one for name, one in students.items() if name in map(str, self.student)}
        results = {}
        for assignment in handed_in:
            waiting = 0
            for submission in assignment.submissions:
                result = self._counting(gradebook, submission)
                results[assignment.name, submission.student.id] = result
                waiting += result.waiting
            if waiting:
                self.log.warning(
                    "%s: submissions with tasks to grade by hand, which count 0 points until then: %d.",
                    assignment.name,
                    waiting,
                )
        columns = list(roster[0].row) if roster else []
        return Grades([students[name] for name in sorted(students)], handed_in, results, columns)

    def _counting(self, gradebook: Gradebook, submission: SubmittedAssignment) -> Result:
        last = attempts.latest(submission)
        if self.attempts == LATEST:
            return last
        others = attempts.earlier(gradebook, submission.name, submission.student.id)
        return max([last, *others], key=lambda result: result.points)  # of equal results, the last


class Canvas(GradesExport):
    """A gradebook that Canvas imports: one row for each student, one column for each assignment."""

    file_name = "canvas.csv"

    def rows(self, grades: Grades) -> list[list[Any]]:
        fixed = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
        possible = [_rounded(one.max_score) for one in grades.assignments]
        rows: list[list[Any]] = [
            [*fixed, *(self._column(one.name, grades.roster_columns) for one in grades.assignments)],
            ["    Points Possible", "", "", "", "", *possible],
        ]
        for student in grades.students:
            about = [
                student.known_as("Student", student.name),
                student.known_as("ID"),
                student.known_as("SIS User ID"),
                student.known_as("SIS Login ID", student.id),
                student.known_as("Section"),
            ]
            rows.append([*about, *(grades.points(one.name, student.id) for one in grades.assignments)])
        return rows

    @staticmethod
    def _column(assignment: str, roster: Iterable[str]) -> str:
        """In a roster that was exported from Canvas, the assignment's column has its number: ``attention (1234)``."""
        return next((name for name in roster if re.fullmatch(rf"{re.escape(assignment)} \(\d+\)", name)), assignment)


class Moodle(GradesExport):
    """A table for Moodle's import of grades: one row for each student, one column for each assignment."""

    file_name = "moodle.csv"

    def rows(self, grades: Grades) -> list[list[Any]]:
        fixed = ["First name", "Last name", "Username", "ID number", "Email address"]
        rows: list[list[Any]] = [[*fixed, *(one.name for one in grades.assignments)]]
        for student in grades.students:
            about = [
                student.known_as("First name", student.first_name),
                student.known_as("Last name", student.last_name),
                student.known_as("Username", student.id),
                student.known_as("ID number"),
                student.known_as("Email address", student.email),
            ]
            rows.append([*about, *(grades.points(one.name, student.id) for one in grades.assignments)])
        return rows


class Csv(GradesExport):
    """A table for a spreadsheet or pandas: one row for each student and assignment, one column for each graded cell."""

    file_name = "points.csv"

    def rows(self, grades: Grades) -> list[list[Any]]:
        present = dict.fromkeys(name for result in grades.results.values() for name in result.cells)
        cells = sorted(present, key=lambda name: (position(task_of(name)), name))
        about = ["student_id", "last_name", "first_name", "email", "assignment", "submitted"]
        summary = ["raw_points", "late_penalty", "points", "max_points", "waits_for_points_by_hand"]
        rows: list[list[Any]] = [[*about, *(task_of(name) or name for name in cells), *summary]]
        nothing = Result({}, 0.0, "", False)
        for assignment in grades.assignments:
            for one in grades.students:
                result = grades.results.get((assignment.name, one.id), nothing)
                rows.append(
                    [
                        *map(cell, (one.id, one.last_name, one.first_name, one.email, assignment.name)),
                        result.submitted,
                        *(_rounded(result.cells[name]) if name in result.cells else "" for name in cells),
                        *map(_rounded, (result.raw, result.penalty, result.points, assignment.max_score)),
                        "yes" if result.waiting else "",
                    ]
                )
        return rows


def _rounded(points: float) -> float:
    return round(float(points), 6)
