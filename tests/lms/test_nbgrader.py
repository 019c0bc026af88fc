"""nbgrader from end to end: release, a class that hands in whatever classes hand in, grades, feedback, export."""

from __future__ import annotations

import csv
import datetime
import html
import logging
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

pytest.importorskip("nbgrader")

from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from traitlets.config import Config

from autograder.judging.results import GRADED
from autograder.lms import nbgrader as ours
from autograder.lms import release, restore, sample_class
from autograder.lms.grade_ids import task_of
from autograder.lms.restore import Wanted
from autograder.lms.sample_class import Pupil
from autograder.reports.common import readable
from autograder.sandbox import jail
from autograder.submissions.files import UnreadableSubmission

REFLECTION_POINTS = 2
CLASS = {(pupil.unit, pupil.id): pupil for pupil in sample_class.pupils()}
MISTAKEN = [pupil for pupil in CLASS.values() if pupil.mistake]


def name_of(pupil: Pupil) -> str:
    return f"{pupil.unit}-{pupil.id}"


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> SimpleNamespace:
    """A course folder with the whole class graded, and what came out."""
    root = tmp_path_factory.mktemp("nbgrader") / "course"
    release.generate(root, sample_class.UNITS)
    sample_class.write(root)
    logs = {}
    for unit in sample_class.UNITS:
        logs[unit] = sample_class.autograde(root, unit)
        sample_class.nbgrader(root, "generate_feedback", unit)
    sample_class.nbgrader(root, "export", f"--to={root / 'grades.csv'}")
    return SimpleNamespace(root=root, logs=logs, grades=read_grades(root), by_task=read_gradebook(root))


def read_grades(root: Path) -> dict[tuple[str, str], dict[str, str]]:
    with open(root / "grades.csv", encoding="utf-8", newline="") as file:
        return {(row["assignment"], row["student_id"]): row for row in csv.DictReader(file)}


def read_gradebook(root: Path) -> dict[tuple[str, str], dict[str, float]]:
    """Automatic scores by unit, student and task, or the name of a cell that grades none."""
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        return {
            (assignment.name, submission.student.id): {
                task_of(grade.name) or grade.name: grade.auto_score
                for notebook in submission.notebooks
                for grade in notebook.grades
            }
            for assignment in gradebook.assignments
            for submission in assignment.submissions
        }


def feedback_of(course: SimpleNamespace, pupil: Pupil) -> str:
    return (course.root / "feedback" / pupil.id / pupil.unit / f"{pupil.unit}.html").read_text("utf-8")


# --- the class -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pupil", CLASS.values(), ids=name_of)
def test_everybody_gets_the_points_that_their_code_deserves(course, pupil):
    row = course.grades[pupil.unit, pupil.id]
    assert float(row["score"]) == float(pupil.points)
    assert float(row["max_score"]) == sum(map(float, sample_class.full_marks(pupil.unit).values())) + REFLECTION_POINTS
    if pupil.id != "xia-nothing":
        scores = course.by_task[pupil.unit, pupil.id]
        assert {task: scores[task] for task in pupil.expected} == {
            task: float(points) for task, points in pupil.expected.items()
        }


@pytest.mark.parametrize("pupil", MISTAKEN, ids=name_of)
def test_a_mistake_costs_its_task_points_and_is_named_in_the_feedback(course, pupil):
    assert pupil.expected[pupil.mistake.task] < sample_class.full_marks(pupil.unit)[pupil.mistake.task]
    page = feedback_of(course, pupil)
    assert html.escape(readable(pupil.mistake.name)) in page
    assert html.escape(pupil.mistake.link, quote=False) in page


def test_the_reports_on_the_class_see_what_the_gradebook_sees(course):
    rows = {(row.unit, row.student): row for row in ours.graded_submissions(course.root)}
    assert rows.keys() == CLASS.keys()
    for key, row in rows.items():
        assert row.points == CLASS[key].points
        assert (row.status == GRADED) == (row.student not in ("wes-broken-file", "xia-nothing"))
    assert "JSON" in rows["attention", "wes-broken-file"].message


def test_nothing_stays_ungraded_but_answers_in_words(course):
    for (unit, student), scores in course.by_task.items():
        ungraded = [cell for cell, score in scores.items() if score is None]
        assert ungraded == ([f"{unit}-reflection"] if student == "ada-all-right" else []), student


def test_an_untouched_question_gets_no_points_by_itself(course):
    assert course.by_task["attention", "emil-empty"]["attention-reflection"] == 0
    assert course.by_task["attention", "jon-colab"]["attention-reflection"] == 0


def test_what_went_wrong_is_explained_to_the_learner(course):
    def page(name: str) -> str:
        return feedback_of(course, CLASS["attention", name])

    # The loop is in a test of the learner's own: its own limit or the request's ends it, whichever is reached first.
    assert "Is there a loop that never ends?" in page("gil-loop-in-function")
    assert "Is there a loop that never ends?" in page("hal-loop-in-cell")
    assert "ended the Python process" in page("ida-exits")
    assert "SyntaxError" in page("fay-syntax-error")
    assert "had lost the marks" in page("jon-colab")
    assert "You had changed the cell" in page("lea-checks-edited")
    assert "was missing; it was put back" in page("max-checks-deleted")
    assert "had become a markdown cell" in page("mia-checks-as-text")
    assert "change its type back to code" in page("ned-solution-as-text")
    assert "damaged" in page("wes-broken-file")


def test_what_a_learner_printed_is_shown_and_bounded(course):
    assert "hello" in feedback_of(course, CLASS["attention", "ole-input"])
    flood = feedback_of(course, CLASS["attention", "pia-50-megabytes"])
    assert "xxxx" in flood
    assert len(flood) < 2_000_000


def test_the_log_says_what_is_odd_in_one_sentence_each(course):
    log = course.logs["attention"]
    assert "Traceback" not in log
    assert log.count("handed in under another name") == 1
    assert log.count("cannot be read and gets no points") == 1
    assert log.count("Not submitted: ") == 1


def test_nothing_of_a_submission_is_lost(course):
    folder = course.root / "submitted" / "uma-renamed" / "attention"
    assert {path.name for path in folder.iterdir()} == {"attention (1) final.ipynb", "attention.ipynb"}
    notebook = nbformat.read(course.root / "autograded" / "lea-checks-edited" / "attention" / "attention.ipynb", 4)
    assert sum("import statistics" in cell.source for cell in notebook.cells) == len(
        sample_class.full_marks("attention")
    )


def test_no_file_of_a_learner_takes_the_place_of_the_feedback(course):
    assert "an export" not in feedback_of(course, CLASS["attention", "vic-extra-files"])


def test_grading_again_gives_the_same_and_lateness_costs_what_nbgrader_says(course):
    late = datetime.datetime(2030, 1, 2, 12, 0)
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        gradebook.update_or_create_assignment("attention", duedate=late - datetime.timedelta(days=1))
    for name in ("ben-style-1", "ben-style-2"):
        when = late if name == "ben-style-1" else late - datetime.timedelta(days=2)
        (course.root / "submitted" / name / "attention" / "timestamp.txt").write_text(f"{when} UTC")
    sample_class.autograde(course.root, "attention", "--student=ben-*", "--LateSubmissionPlugin.penalty_method=zero")
    sample_class.nbgrader(course.root, "export", f"--to={course.root / 'grades.csv'}")
    rows = read_grades(course.root)
    for name, penalty in (("ben-style-1", 1), ("ben-style-2", 0), ("ben-style-3", 0)):
        row, before = rows["attention", name], course.grades["attention", name]
        assert row["raw_score"] == before["raw_score"]
        assert float(row["late_submission_penalty"]) == penalty * float(before["raw_score"])
        assert float(row["score"]) == (1 - penalty) * float(before["score"])
    others = {key: row["score"] for key, row in rows.items() if not key[1].startswith("ben")}
    assert others == {key: row["score"] for key, row in course.grades.items() if key in others}


# --- configuration ---------------------------------------------------------------------------------------


def test_a_course_of_ones_own_stays_where_it_is():
    assert "root" not in ours.configure(Config()).CourseDirectory
    assert ours.configure(Config(), root="/somewhere").CourseDirectory.root == "/somewhere"


def test_without_a_sandbox_nothing_is_graded(monkeypatch, caplog):
    def no_jail(*_: object) -> None:
        raise jail.NoJail("The sandbox needs bubblewrap.")

    monkeypatch.setattr("autograder.grading.engine.ForkServer", no_jail)
    monkeypatch.setattr(ours._Servers, "_running", None)
    converter = ours.Autograde(coursedir=None, log=logging.getLogger("nbgrader-test"))
    with pytest.raises(NbGraderException, match="needs bubblewrap"):
        ours._start_grading_process(converter)
    assert "--GradeInProcess.unsafe=True" in caplog.text


# --- rebuilding ------------------------------------------------------------------------------------------

CHECK = Wanted("unit-f", "code", "# checks\ncheck('unit.f')", "0" * 32, locked=True, points=2.0, task="unit.f")
SOLUTION = Wanted("unit-f-solution", "code", "def f():\n    raise NotImplementedError", "1" * 32, solution=True)
ANSWER = Wanted("unit-reflection", "markdown", "## Why?\n\n*Write here.*", "2" * 32, points=1.0, solution=True)
WANTED = (CHECK, SOLUTION, ANSWER)


def code(source: str, name: str = "") -> nbformat.NotebookNode:
    return restore.new_cell("code", source, {"nbgrader": {"grade_id": name}} if name else {})


def text(source: str, name: str = "") -> nbformat.NotebookNode:
    return restore.new_cell("markdown", source, {"nbgrader": {"grade_id": name}} if name else {})


RELEASED = [
    text("# Exercise"),
    code(SOLUTION.source, SOLUTION.name),
    code(CHECK.source, CHECK.name),
    text("Think."),
    text(ANSWER.source, ANSWER.name),
]


def rebuilt(*cells: nbformat.NotebookNode) -> dict[str, nbformat.NotebookNode]:
    """The wanted cells of the rebuilt notebook by name, each exactly once."""
    result = restore.rebuild(cells, WANTED, RELEASED)
    named = [cell for cell in result.cells if restore.name_of(cell)]
    by_name = {restore.name_of(cell): cell for cell in named}
    assert len(by_name) == len(named)
    check = by_name[CHECK.name]
    assert (check.cell_type, check.source, check.metadata.nbgrader.points) == ("code", CHECK.source, 2.0)
    assert len({cell.id for cell in result.cells}) == len(result.cells)
    return by_name


def test_metadata_of_a_submission_cannot_change_points():
    cell = code(CHECK.source, CHECK.name)
    cell.metadata.nbgrader.update(points=0, grade=False, locked=False, solution=True)
    assert rebuilt(cell)[CHECK.name].metadata.nbgrader.grade is True


@pytest.mark.parametrize(
    "answer",
    [
        text("## Why?\n\nBecause.", ANSWER.name),
        text("## Why?\n\nBecause."),
        text("Because."),
        code("Because.", ANSWER.name),
    ],
    ids=["marked", "same-heading", "by-place", "as-code"],
)
def test_a_written_answer_is_found(answer):
    found = rebuilt(text("# Exercise"), code("def f(): ..."), text("Think."), answer)[ANSWER.name]
    assert found.cell_type == "markdown"
    assert found.source == answer.source


def test_a_written_answer_below_the_untouched_question_belongs_to_it():
    found = rebuilt(text("Think."), text(ANSWER.source), text("Because."))[ANSWER.name]
    assert found.source == f"{ANSWER.source}\n\nBecause."


@pytest.mark.parametrize("cells", [[], [text(ANSWER.source + "  \n", ANSWER.name)]], ids=["deleted", "white-space"])
def test_an_untouched_question_is_exactly_what_was_released(cells):
    assert rebuilt(*cells)[ANSWER.name].source == ANSWER.source


def test_a_solution_written_into_the_check_cell_is_kept():
    result = restore.rebuild([code("def f():\n    return 1", CHECK.name)], WANTED, RELEASED)
    assert [cell.source for cell in result.cells][:2] == ["def f():\n    return 1", CHECK.source]


def test_an_old_version_kept_as_text_stays_text():
    cells = [text("def f():\n    return 'old'", SOLUTION.name), code("def f():\n    return 'new'")]
    result = restore.rebuild(cells, WANTED, RELEASED)
    assert next(cell.source for cell in result.cells if cell.cell_type == "code") == cells[1].source


def test_code_in_a_text_cell_runs_even_between_fences():
    result = restore.rebuild([text("```python\ndef f():\n    return 1\n```")], WANTED, RELEASED)
    assert "def f():\n    return 1" in [cell.source for cell in result.cells if cell.cell_type == "code"]
    assert any("`f`" in note for note in result.notes)


@pytest.mark.parametrize("damage", ["null", '{"cells": 3}', "[]", "", "<html>"])
def test_what_is_no_notebook_is_said_in_one_sentence(damage):
    with pytest.raises(UnreadableSubmission):
        restore.read_cells(damage.encode(), "x.ipynb")


def test_strange_cells_are_read():
    data = b"""{"cells": [3, {"cell_type": "code"},
        {"cell_type": "code", "source": ["a\\ud800"], "metadata": null, "id": 7},
        {"cell_type": "markdown", "source": "b", "metadata": {"nbgrader": []}, "id": "same", "attachments": 5},
        {"cell_type": "odd", "source": "c", "id": "same"}]}"""
    cells = restore.read_cells(data, "x.ipynb")
    assert [cell.cell_type for cell in cells] == ["code", "code", "markdown", "raw"]
    nbformat.validate(nbformat.v4.new_notebook(cells=cells))
    "".join(cell.source for cell in cells).encode()
