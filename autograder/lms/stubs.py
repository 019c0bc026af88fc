"""The stubs that stand in place of solutions in a learner's notebook."""

from __future__ import annotations

from nbgrader.preprocessors import ClearSolutions

from autograder.lms.grade_ids import grade_id, task_of

ANSWER_STUB = "*Double-click this cell and write your answer here, in place of this line.*"
C_MAGIC = "%%c"  # the first line of a cell with C code
_SOLUTION = "-solution"


def solution_id(task: str) -> str:
    """The grade id of the cell in which a task is written."""
    return grade_id(task) + _SOLUTION


class ClearSolutionsByName(ClearSolutions):
    """Like nbgrader's step, but each stub says for which task it stands."""

    text_stub = ANSWER_STUB

    def preprocess_cell(self, cell, resources, cell_index):
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "").removesuffix(_SOLUTION)
        in_c = cell.source.startswith(C_MAGIC)
        stub = (
            "/* YOUR CODE HERE */"
            if in_c
            else f'# YOUR CODE HERE\nraise NotImplementedError("{task_of(name) or name}")'
        )
        self.code_stub.update(python=stub)  # by the language of the notebook, not of the cell
        return super().preprocess_cell(cell, resources, cell_index)
