"""A course folder with nbgrader in this process, for the tests."""

from __future__ import annotations

import datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import Autograde
from sandboxed import jail_works
from traitlets.config import Config

from autograder.course.catalogue import Entry
from autograder.course.registry import find_unit, is_catch
from autograder.lms import release, sample_class
from autograder.lms.grade_ids import task_of
from autograder.lms.nbgrader import configure
from autograder.lms.sample_class import to_file

UNIT = "attention"
FULL = {task: float(points) for task, points in sample_class.full_marks(UNIT).items()}


def written(unit: str, *entries: Entry) -> dict[str, str]:
    """Right code for every task but the learner's own tests, which take most of the time that grading takes."""
    sources = sample_class.solved(unit, *entries)
    return {name: source for name, source in sources.items() if not is_catch(f"{unit}.{name}")}


def earned(unit: str) -> dict[str, float]:
    """The points of what is `written`."""
    marks = sample_class.full_marks(unit)
    return {task: 0.0 if is_catch(task) else float(points) for task, points in marks.items()}


EARNED = earned(UNIT)


class Course:
    """A course folder with its gradebook."""

    def __init__(self, root: Path, db_url: str | None = None, **options: dict):
        self.root = root.resolve()
        config = configure(Config(), root=self.root)
        config.GradeInProcess.unsafe = not jail_works()
        config.GradeInProcess.check_timeout = sample_class.CHECK_TIMEOUT
        for section, values in options.items():
            config[section].update(values)
        if db_url:
            config.CourseDirectory.db_url = db_url
        self.db_url = db_url or f"sqlite:///{self.root}/gradebook.db"
        self.api = NbGraderAPI(config=config)

    def release(self, assignment: str, **notebooks: NotebookNode) -> dict[str, NotebookNode]:
        """Release source notebooks; returns what learners get."""
        for name, notebook in notebooks.items():
            path = self.root / "source" / assignment / f"{name}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(to_file(notebook))
        with release.scripts_on_path():
            result = self.api.generate_assignment(assignment, force=True)
        assert result["success"], result
        folder = self.root / "release" / assignment
        return {name: nbformat.read(folder / f"{name}.ipynb", as_version=4) for name in notebooks}

    def submit(self, student: str, assignment: str = UNIT, when: datetime.datetime | None = None, **notebooks) -> None:
        folder = self.root / "submitted" / student / assignment
        folder.mkdir(parents=True, exist_ok=True)
        for name, notebook in notebooks.items():
            (folder / f"{name}.ipynb").write_bytes(to_file(notebook))
        if when:
            (folder / "timestamp.txt").write_text(f"{when} UTC")

    def autograde(self, assignment: str = UNIT, student: str = "*", force: bool = False) -> None:
        self.api.coursedir.assignment_id, self.api.coursedir.student_id = assignment, student
        step = Autograde(coursedir=self.api.coursedir, parent=self.api)
        step.force, step.create_student = force, True
        step.start()

    def scores(self, student: str, assignment: str = UNIT) -> dict[str, float | None]:
        """Automatic scores by task, or by the name of a cell that grades none."""
        with Gradebook(self.db_url) as gradebook:
            submission = gradebook.find_submission(assignment, student)
            grades = [grade for book in submission.notebooks for grade in book.grades]
            return {task_of(grade.name) or grade.name: grade.auto_score for grade in grades}

    def total(self, student: str, assignment: str = UNIT) -> float:
        with Gradebook(self.db_url) as gradebook:
            return gradebook.find_submission(assignment, student).score


def source_of(unit: str) -> NotebookNode:
    return release.source_notebook(find_unit(unit))


def scores_of_tasks(course: Course, student: str, assignment: str = UNIT) -> dict[str, float | None]:
    return {task: score for task, score in course.scores(student, assignment).items() if task in FULL}
