"""Courses released when grade ids had dots: their notebooks, their gradebook, and what was graded then.

``attention_with_dots.json`` is a notebook as it was released at that time.
"""

from __future__ import annotations

import copy
import csv
import html
import shutil
from fractions import Fraction
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("nbgrader")

from courses import FULL, UNIT, Course, scores_of_tasks, source_of
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveCells

from autograder.course.addresses import ROOT
from autograder.course.registry import is_catch
from autograder.judging.results import CheckResult, Diagnosis, TaskResult, pack
from autograder.lms import nbgrader as ours
from autograder.lms import release, sample_class
from autograder.lms.grade_ids import grade_id, task_of
from autograder.lms.marks import KEY
from autograder.lms.restore import name_of
from autograder.lms.sample_class import fill, is_check, is_reflection, solved, to_file
from autograder.reports.common import readable

WITH_DOTS = nbformat.read(Path(__file__).parent / "attention_with_dots.json", as_version=4)
SLOW = ("gil", "hal", "ida", "pia", "wes", "xia")  # nothing about these depends on grade ids
PUPILS = [pupil for pupil in sample_class.class_of(UNIT) if not pupil.id.startswith(SLOW)]
RIGHT = solved(UNIT)
# The whole class with today's notebook is graded in test_nbgrader.py: beside those of an earlier release a few will do.
TODAY = ("ada-all-right", "carla-no-scale", "emil-empty", "jon-colab")
HANDED_IN = [(pupil, "earlier") for pupil in PUPILS] + [(pupil, "today") for pupil in PUPILS if pupil.id in TODAY]
REFLECTION = "attention-reflection"


NEW = {task for task in FULL if is_catch(task)}  # which that release did not have
EARLIER = {task: points for task, points in FULL.items() if task not in NEW}


def points_of(pupil: sample_class.Pupil, name: str) -> dict[str, Fraction]:
    """What each task of a pupil's notebook, of today's or of the earlier release, is worth."""
    return {task: points * (name == "today" or task not in NEW) for task, points in pupil.expected.items()}


def test_the_notebook_of_an_earlier_release_has_dots():
    names = [name for cell in WITH_DOTS.cells if (name := name_of(cell))]
    assert len(names) == 2 * len(EARLIER) + 1
    assert all("." in name for name in names)


# --- a class with notebooks of both releases ----------------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    """Everybody with the notebook of an earlier release, and a few with today's as well."""
    course = Course(tmp_path_factory.mktemp("releases") / "course")
    today = course.release(UNIT, attention=source_of(UNIT))[UNIT]
    for pupil, name in HANDED_IN:
        folder = course.root / "submitted" / f"{pupil.id} {name}" / UNIT
        folder.mkdir(parents=True)
        for file, data in pupil.build({"today": today, "earlier": WITH_DOTS}[name]).items():
            path = folder / file
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
    course.autograde()
    assert course.api.generate_feedback(UNIT)["success"]
    return course


@pytest.mark.parametrize(("pupil", "name"), HANDED_IN, ids=lambda item: item if isinstance(item, str) else item.id)
def test_a_notebook_of_an_earlier_release_gets_the_points_of_todays(course, pupil, name):
    expected = {task: float(points) for task, points in points_of(pupil, name).items()}
    assert scores_of_tasks(course, f"{pupil.id} {name}") == expected


def test_gradebook_and_graded_notebooks_have_todays_ids(course):
    expected = {grade_id(task) for task in FULL} | {REFLECTION}
    with Gradebook(course.db_url) as gradebook:
        entry = gradebook.find_notebook(UNIT, UNIT)
        assert {cell.name for cell in entry.grade_cells} == expected
        assert {cell.name for cell in entry.source_cells} >= expected
    for path in (course.root / "autograded").glob("* earlier/attention/attention.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        assert {cell.metadata.nbgrader.grade_id for cell in cells if is_check(cell) or is_reflection(cell)} == expected


def test_feedback_and_export_treat_both_alike(course):
    for pupil, name in HANDED_IN:
        page = (course.root / "feedback" / f"{pupil.id} {name}" / UNIT / f"{UNIT}.html").read_text("utf-8")
        assert f"(Score: {float(sum(points_of(pupil, name).values()))} / " in page
        assert pupil.mistake is None or html.escape(readable(pupil.mistake.name)) in page
    rows = exported(course)
    expected = {f"{pupil.id} {name}": sum(points_of(pupil, name).values()) for pupil, name in HANDED_IN}
    assert {student: float(rows[student]["score"]) for student in expected} == expected
    assert {row.student: row.points for row in ours.graded_submissions(course.root)} == expected


def exported(course: Course) -> dict[str, dict[str, str]]:
    """What ``nbgrader export`` writes, by student."""
    sample_class.nbgrader(course.root, "export", f"--to={course.root / 'grades.csv'}")
    with open(course.root / "grades.csv", encoding="utf-8", newline="") as file:
        return {row["student_id"]: row for row in csv.DictReader(file)}


# --- a course that was released, and partly graded, with dots ------------------------------------------------


@pytest.fixture(scope="module")
def earlier(tmp_path_factory) -> Path:
    """A course as an earlier release left it: dots in the gradebook, one submission graded, points given by hand."""
    course = Course(tmp_path_factory.mktemp("earlier"))
    with release.scripts_on_path(), Gradebook(course.db_url) as gradebook:
        gradebook.add_assignment(UNIT)
    about = {"notebook": UNIT, "assignment": UNIT, "student": ".", "db_url": course.db_url}
    SaveCells().preprocess(copy.deepcopy(WITH_DOTS), {"nbgrader": about})
    write(course.root / "release" / UNIT, WITH_DOTS)
    graded = fill(WITH_DOTS, RIGHT)
    with Gradebook(course.db_url) as gradebook:
        gradebook.add_student("before")
        gradebook.add_submission(UNIT, "before")
        for cell in filter(is_check, graded.cells):
            name, points = cell.metadata.nbgrader.grade_id, cell.metadata.nbgrader.points
            gradebook.find_grade(name, UNIT, UNIT, "before").auto_score = points
            cell.outputs = [earlier_output(name, points)]
        by_hand = gradebook.find_grade("attention.reflection", UNIT, UNIT, "before")
        by_hand.manual_score, by_hand.needs_manual_grade = 1.5, False
        gradebook.find_comment("attention.reflection", UNIT, UNIT, "before").manual_comment = "Well put."
        gradebook.find_comment("attention.softmax.solution", UNIT, UNIT, "before").manual_comment = "Short and clear."
        gradebook.db.commit()
    write(course.root / "submitted" / "before" / UNIT, fill(WITH_DOTS, RIGHT))
    write(course.root / "autograded" / "before" / UNIT, graded)
    return course.root


def earlier_output(task: str, points: float) -> NotebookNode:
    """What was written into a check cell: the result of the task as data, with points as numbers."""
    check = {"id": f"{task}/1", "status": "passed", "points": points, "max_points": points, "message": "", "title": "t"}
    whole = {"id": task, "points": points, "max_points": points, "status": "passed"}
    data = {**whole, "diagnosis": None, "checks": [check]}
    shown = {"text/plain": repr(points), "text/html": "<p>Passed</p>"}
    return nbformat.v4.new_output("execute_result", shown, execution_count=1, metadata={KEY: data})


def write(folder: Path, notebook: NotebookNode) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{UNIT}.ipynb").write_bytes(to_file(notebook))


@pytest.fixture
def old_course(earlier, tmp_path) -> Course:
    shutil.copytree(earlier, tmp_path / "course")
    course = Course(tmp_path / "course")
    with Gradebook(course.db_url) as gradebook:
        assert gradebook.find_grade_cell("attention.softmax", UNIT, UNIT).max_score == FULL["attention.softmax"]
    return course


TOTAL_BEFORE = sum(EARLIER.values()) + 1.5


def test_feedback_on_what_was_graded_with_dots_shows_points_and_comments(old_course):
    result = old_course.api.generate_feedback(UNIT)
    assert result["success"], result
    page = (old_course.root / "feedback" / "before" / UNIT / f"{UNIT}.html").read_text("utf-8")
    assert f"(Score: {TOTAL_BEFORE} / " in page
    assert "Well put." in page
    assert "Short and clear." in page


def test_formgraders_page_of_what_was_graded_with_dots_has_the_gradebooks_ids(old_course):
    notebook = old_course.root / "autograded" / "before" / UNIT / f"{UNIT}.ipynb"
    resources = {"assignment_id": UNIT, "notebook_id": UNIT, "submission_id": "x", "index": 0, "total": 1}
    page, _ = formgraders_exporter(old_course).from_filename(str(notebook), resources=resources)
    with Gradebook(old_course.db_url) as gradebook:
        book = gradebook.find_submission_notebook(UNIT, UNIT, "before")
        names = {grade.name for grade in book.grades}
        assert names == {grade_id(task) for task in EARLIER} | {REFLECTION}
        assert {f"{comment.name}-comment" for comment in book.comments} >= {f"{REFLECTION}-comment"}
        assert book.score == TOTAL_BEFORE
    for name in names:
        assert f'id="{name}"' in page


def formgraders_exporter(course: Course) -> HTMLExporter:
    """As nbgrader's server extension makes it."""
    from nbgrader.server_extensions.formgrader import handlers

    config = copy.deepcopy(course.api.config)
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    return HTMLExporter(config=config)


def test_grading_goes_on_with_notebooks_of_both_releases(old_course):
    """What was graded before keeps its points, those given by hand included; an untouched question gets none."""
    course = old_course
    today = nbformat.read(ROOT / "exercises" / UNIT / f"{UNIT}.ipynb", as_version=4)
    course.submit("today", attention=fill(today, RIGHT))
    course.submit("earlier", attention=fill(WITH_DOTS, RIGHT))
    course.submit("untouched", attention=WITH_DOTS)
    course.autograde()
    assert scores_of_tasks(course, "today") == scores_of_tasks(course, "earlier") == EARLIER  # all that it asked for
    assert course.scores("earlier")[REFLECTION] == 0
    questions = [next(filter(is_reflection, notebook.cells)).source for notebook in (today, WITH_DOTS)]
    worded_anew = questions[0] != questions[1]  # then nbgrader takes it for an answer, which a person reads
    assert course.scores("today")[REFLECTION] == (None if worded_anew else 0)
    assert set(course.scores("untouched").values()) == {0}
    assert course.total("before") == TOTAL_BEFORE
    course.autograde(student="before", force=True)
    assert course.total("before") == TOTAL_BEFORE
    assert float(exported(course)["before"]["score"]) == TOTAL_BEFORE
    assert {row.student: float(row.points) for row in ours.graded_submissions(course.root)} == {
        "before": sum(EARLIER.values()),
        "today": sum(EARLIER.values()),
        "earlier": sum(EARLIER.values()),
        "untouched": 0,
    }


@pytest.mark.parametrize("source", ["today", "earlier"])
def test_a_course_with_submissions_can_be_released_again(old_course, source):
    """From today's source notebook or from one that an instructor made of an earlier one."""
    notebook = source_of(UNIT)
    # nbgrader adds no cells to an assignment that has submissions: a new task waits for the next course.
    new = tuple(map(grade_id, NEW))
    notebook.cells = [cell for cell in notebook.cells if not name_of(cell).startswith(new)]
    if source == "earlier":
        names = {grade_id(name): name for cell in WITH_DOTS.cells if (name := name_of(cell))}
        for cell in notebook.cells:
            if "nbgrader" in cell.metadata:
                cell.metadata.nbgrader.grade_id = names.get(name_of(cell), name_of(cell))
    released = old_course.release(UNIT, attention=notebook)[UNIT]
    assert [name_of(cell) for cell in released.cells if "." in name_of(cell)] == []
    assert old_course.total("before") == TOTAL_BEFORE
    old_course.submit("later", attention=fill(released, RIGHT))
    old_course.autograde(student="later")
    assert scores_of_tasks(old_course, "later") == EARLIER


def test_results_stored_with_rounded_points_are_read_as_before(old_course):
    row = next(row for row in ours.graded_submissions(old_course.root) if row.student == "before")
    assert [task.id for task in row.tasks] == list(EARLIER)
    assert row.points == Fraction(str(sum(EARLIER.values())))


def test_results_are_stored_without_rounding():
    check = CheckResult("unit.f/1", "partial", Fraction(1, 3), Fraction(2, 7), "almost", "a title")
    task = TaskResult("unit.f", (check,), Diagnosis("mistake", "hint", "link"))
    assert ours.results.unpack_task(pack(task)) == task


def test_ids_name_tasks_of_this_course_alone():
    assert task_of("attention-softmax") == "attention.softmax"
    assert task_of("attention-softmax-solution") == task_of("attention.softmax") == task_of("homework-1") == ""
