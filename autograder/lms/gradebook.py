"""The cells that a gradebook knows, and notebooks and gradebooks of earlier releases, whose grade ids have dots.

A grade id used to be the task id itself, ``attention.softmax``. Nobody has to convert anything: whenever nbgrader reads
such a notebook, its cells get today's ids first, and so do the cells of the gradebook, whose grades and comments stay
with their cells.
"""

from __future__ import annotations

from collections.abc import Iterable

from nbformat import NotebookNode
from nbformat.v4 import new_notebook
from nbgrader import utils
from nbgrader.api import BaseCell, Gradebook, Notebook, SourceCell, SubmittedAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties, NbGraderPreprocessor, SaveCells
from traitlets.config import Configurable

from autograder.course.registry import COMPLETE
from autograder.lms.grade_ids import grade_id, task_of
from autograder.lms.restore import Wanted, rename_cell

TASKS = tuple(task for unit in COMPLETE for task in unit.task_ids)


def position(task: str) -> int:
    """The index of a task in the course; any other name comes last."""
    return TASKS.index(task) if task in TASKS else len(TASKS)


def wanted_cells(notebook: Notebook) -> list[Wanted]:
    """The cells that the gradebook records for a notebook, except questions whose answers may stand in any cell."""
    points = {cell.name: float(cell.max_score) for cell in notebook.grade_cells}
    solutions = {cell.name for cell in notebook.solution_cells}
    tasks = {cell.name for cell in notebook.task_cells}  # nbgrader's word for those questions
    in_order = sorted(notebook.source_cells, key=lambda cell: (position(task_of(cell.name)), cell.name))
    return [
        Wanted(
            name=cell.name,
            cell_type=cell.cell_type,
            source=cell.source or "",
            checksum=cell.checksum,
            locked=bool(cell.locked),
            points=points.get(cell.name),
            solution=cell.name in solutions,
            task=task_of(cell.name),
        )
        for cell in in_order
        if cell.name not in tasks
    ]


def rename_cells(gradebook: Gradebook) -> bool:
    """Give the cells of a gradebook today's ids; returns whether any id changed."""
    kinds = (BaseCell, SourceCell)
    renamed = [cell for kind in kinds for cell in gradebook.db.query(kind).filter(kind.name.contains("."))]
    for cell in renamed:
        cell.name = grade_id(cell.name)
    gradebook.db.commit()
    for notebook in {cell.notebook for cell in renamed}:
        # nbgrader recognises an untouched question by its checksum, and the id is part of the checksum.
        checksums = {item.name: utils.compute_checksum(item.cell(item.source)) for item in wanted_cells(notebook)}
        for cell in notebook.source_cells:
            if cell.checksum:
                cell.checksum = checksums.get(cell.name, cell.checksum)
    gradebook.db.commit()
    return bool(renamed)


def renew_late_penalties(parent: Configurable, db_url: str, submissions: Iterable[SubmittedAssignment]) -> None:
    """Compute late penalties again: they are a share of the points, some of which were given by hand after grading."""
    step = AssignLatePenalties(parent=parent)
    for submission in submissions:
        for notebook in submission.notebooks:
            if submission.total_seconds_late or notebook.late_submission_penalty:
                about = {"student": submission.student.id, "assignment": submission.name, "notebook": notebook.name}
                step.preprocess(new_notebook(), {"nbgrader": about | {"db_url": db_url}})


class RenameCells(NbGraderPreprocessor):
    """The first of nbgrader's steps on a notebook, perhaps of an earlier release: give the cells today's grade ids."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        if any([rename_cell(cell) for cell in nb.cells]):
            self.log.info("The grade ids have dots, as in earlier releases of the course; they are read with dashes.")
        return nb, resources


class RenameGraded(RenameCells):
    """The same step for a page that shows a graded notebook. It renames the cells in the gradebook too."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        # On the formgrader's page, only the configuration names the gradebook.
        db_url = resources.get("nbgrader", {}).get("db_url") or CourseDirectory(parent=self).db_url
        with Gradebook(db_url) as gradebook:
            rename_cells(gradebook)
        return super().preprocess(nb, resources)


class SaveRenamedCells(SaveCells):
    """nbgrader's step, which refuses cells that the gradebook does not know once there are submissions."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        with Gradebook(resources["nbgrader"]["db_url"]) as gradebook:
            rename_cells(gradebook)
        return super().preprocess(nb, resources)
