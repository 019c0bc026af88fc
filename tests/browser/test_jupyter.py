"""A learner in JupyterLab and an instructor in nbgrader's formgrader, from end to end."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook, SourceCell

from autograder.course import addresses, references
from autograder.course.registry import find_unit
from autograder.lms import release, sample_class
from autograder.lms.grade_ids import grade_id
from autograder.lms.stubs import solution_id

UNIT, TASK = "attention", "softmax"
MISTAKEN = "carla-mask-inverted"
CLASS = ("ada-all-right", MISTAKEN, "dora-half-finished", "emil-empty")  # of the sample class
SECONDS = 1000
CONFIGURATION = "from autograder.nbgrader import configure\n\nconfigure(get_config())\n"


def test_a_learner_solves_a_task_in_jupyterlab(
    browser: Any, jupyter: Callable[[Path], str], tmp_path: Path, screenshot: Callable[[Any, str], None]
) -> None:
    shutil.copy(addresses.ROOT / "exercises" / UNIT / f"{UNIT}.ipynb", tmp_path)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{jupyter(tmp_path)}/lab/tree/{UNIT}.ipynb")
    page.set_default_timeout(120 * SECONDS)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    code = page.locator(".jp-Notebook .jp-CodeCell")
    for index in range(code.count()):
        source = code.nth(index).locator(".cm-content").inner_text()
        if f"def {TASK}(" in source:
            write(page, code.nth(index), sample_class.solved(UNIT)[TASK])
        elif "raise NotImplementedError" in source:
            continue
        run(page, code.nth(index))
        if f'check("{UNIT}.{TASK}")' in source:
            report = code.nth(index).locator(".jp-OutputArea-output")
            break
    report.get_by_text("4 / 4").first.wait_for()
    report.scroll_into_view_if_needed()
    screenshot(page, "jupyterlab")
    assert "passed" in report.inner_text()
    page.close()


def write(page: Any, cell: Any, source: str) -> None:
    """Replace what stands in a cell, as somebody does who pastes."""
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(source)


def run(page: Any, cell: Any) -> None:
    """Run a cell and wait until it has run: its number is there."""
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    prompt = cell.locator(".jp-InputArea-prompt").element_handle()
    page.wait_for_function(r"prompt => /\[\d+\]/.test(prompt.innerText)", arg=prompt)


@pytest.mark.parametrize("solved", [False, True], ids=["released", "solved"])
def test_validate_in_jupyterlab_says_what_fails_without_this_projects_configuration(
    browser: Any, jupyter: Callable[[Path], str], tmp_path: Path, solved: bool
) -> None:
    notebook = nbformat.read(addresses.ROOT / "exercises" / UNIT / f"{UNIT}.ipynb", as_version=4)
    if solved:
        notebook = sample_class.fill(notebook, sample_class.solved(UNIT))
        notebook.cells[-1].source += "\n\nBecause every query has a row of its own."
    nbformat.write(notebook, tmp_path / f"{UNIT}.ipynb")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120 * SECONDS)
    page.goto(f"{jupyter(tmp_path)}/lab/tree/{UNIT}.ipynb")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    page.get_by_role("button", name="Validate").click()
    dialog = page.get_by_role("dialog").filter(has_text="Validation Results")
    dialog.wait_for()
    said = dialog.inner_text()
    tasks = find_unit(UNIT).task_ids
    assert ("Success! Your notebook passes all the tests." in said) == solved
    assert said.count("The following cell failed") == (0 if solved else len(tasks) + 1)  # and the question
    assert [task for task in tasks if f'check("{task}")' in said] == ([] if solved else list(tasks))
    page.close()


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder in which a few learners are graded and have feedback."""
    root = tmp_path_factory.mktemp("formgrader") / "course"
    (released,) = release.generate(root, [UNIT])
    notebook = nbformat.read(released, as_version=4)
    for pupil in sample_class.class_of(UNIT):
        if pupil.id in CLASS:
            folder = root / "submitted" / pupil.id / UNIT
            folder.mkdir(parents=True)
            for name, data in pupil.build(notebook).items():
                (folder / name).write_bytes(data)
            (folder / "timestamp.txt").write_text("2026-10-05 09:30:00 UTC")
    sample_class.enrol(root, CLASS)
    sample_class.autograde(root, UNIT)
    sample_class.nbgrader(root, "generate_feedback", UNIT)
    (root / "nbgrader_config.py").write_text(CONFIGURATION)
    return root


def test_an_instructor_sees_the_class_in_formgrader(
    browser: Any, jupyter: Callable[[Path], str], course: Path, screenshot: Callable[[Any, str], None]
) -> None:
    address = jupyter(course)
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.set_default_timeout(60 * SECONDS)
    page.goto(f"{address}/formgrader/manage_submissions/{UNIT}")
    rows = page.locator("table tbody tr")
    rows.filter(has_text=CLASS[0]).wait_for()
    points = {pupil.id: pupil.points for pupil in sample_class.class_of(UNIT)}
    for student in CLASS:
        assert f"{points[student]} / " in rows.filter(has_text=student).inner_text()
    assert rows.count() == len(CLASS)
    assert "None" not in page.locator("table").inner_text()
    screenshot(page, "formgrader-submissions-of-the-class")

    page.goto(f"{address}/files/feedback/{MISTAKEN}/{UNIT}/{UNIT}.html", wait_until="domcontentloaded")
    page.get_by_text(f"{UNIT} (Score: {float(points[MISTAKEN])} / ").wait_for()
    diagnosis = page.get_by_text("Looks like: mask inverted").first
    diagnosis.evaluate("text => window.scrollTo(0, text.getBoundingClientRect().top + window.scrollY - 300)")
    section = references.resolve("section", f"{UNIT}#masking-scores", quote='"').words
    assert page.get_by_role("link", name=section).first.is_visible()
    screenshot(page, "formgrader-a-feedback-page")
    page.close()


@pytest.mark.parametrize("student", CLASS)
def test_a_feedback_page_fits_a_phone(browser: Any, course: Path, student: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.route("http*://**/*", lambda route: route.abort())  # its formulas stay as they are written
    page.goto((course / "feedback" / student / UNIT / f"{UNIT}.html").as_uri())
    assert page.evaluate("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)") <= 390
    assert page.get_by_text("def softmax").first.is_visible()
    page.close()


def test_an_instructor_grades_and_returns_from_formgrader(
    browser: Any, jupyter: Callable[[Path], str], course: Path, tmp_path: Path
) -> None:
    """By the buttons of the page alone: a submission that has come in late is graded, and gets its feedback."""
    root, student = tmp_path / "course", "newcomer"
    shutil.copytree(course, root)
    shutil.copytree(root / "submitted" / CLASS[0], root / "submitted" / student)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120 * SECONDS)
    shown = f"{jupyter(root)}/formgrader/manage_submissions/{UNIT}"
    for action, path in (("autograde", "autograded"), ("generate-feedback", "feedback")):
        page.goto(shown)
        page.locator("table tbody tr").filter(has_text=student).locator(f".{action} a").click()
        page.get_by_text("Successfully").wait_for()
        assert list((root / path / student / UNIT).glob(f"{UNIT}.*"))
    page.close()
    points = float(sum(sample_class.full_marks(UNIT).values()))
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        assert gradebook.find_submission(UNIT, student).score == points


def put_dots_back(root: Path) -> None:
    """Make a graded course one that an earlier release graded: its grade ids were task ids."""
    earlier = {grade_id(f"{UNIT}.reflection"): f"{UNIT}.reflection"}
    for task in find_unit(UNIT).task_ids:
        earlier |= {grade_id(task): task, solution_id(task): f"{task}.solution"}
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        notebook = gradebook.find_notebook(UNIT, UNIT)
        cells = [*notebook.grade_cells, *notebook.solution_cells, *gradebook.db.query(SourceCell)]
        for cell in cells:
            cell.name = earlier[cell.name]
        gradebook.db.commit()
    for path in (root / "autograded").rglob("*.ipynb"):
        graded = nbformat.read(path, as_version=4)
        for cell in graded.cells:
            if "nbgrader" in cell.metadata:
                cell.metadata.nbgrader.grade_id = earlier[cell.metadata.nbgrader.grade_id]
        path.chmod(0o644)
        nbformat.write(graded, path)


@pytest.mark.parametrize("release_of", ["today", "earlier"])
def test_points_and_comments_typed_in_formgrader_are_kept(
    browser: Any, jupyter: Callable[[Path], str], course: Path, tmp_path: Path, release_of: str
) -> None:
    """For a cell graded by the checks, for its solution, and for the question that is graded by hand."""
    student, root = CLASS[0], tmp_path / "course"
    shutil.copytree(course, root)
    if release_of == "earlier":
        put_dots_back(root)
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        submission = gradebook.find_submission_notebook(UNIT, UNIT, student).id
    address = jupyter(root)
    check, solution, question = (
        grade_id(f"{UNIT}.{TASK}"),
        solution_id(f"{UNIT}.{TASK}"),
        grade_id(f"{UNIT}.reflection"),
    )
    typed = {
        f"#{check}": "2.5",
        f"#{solution}-comment": "The maximum first: well done.",
        f"#{question}": "1.5",
        f"#{question}-comment": "Say which axis as well.",
    }
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60 * SECONDS)
    page.route("**/*", lambda route: route.continue_() if route.request.url.startswith(address) else route.abort())
    shown = f"{address}/formgrader/submissions/{submission}/"
    page.goto(shown)
    page.wait_for_function("name => document.querySelector(name).placeholder == '4'", arg=f"#{check}")  # of the checks
    for name, text in typed.items():
        with page.expect_response(lambda response: response.request.method == "PUT") as saved:
            page.locator(name).fill(text)
            page.keyboard.press("Tab")
        assert saved.value.ok
    page.goto("about:blank")
    page.goto(shown)  # as after a reload
    for name, text in typed.items():
        page.wait_for_function("([name, text]) => document.querySelector(name).value == text", arg=[name, text])
    page.close()
    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        grades = {name: gradebook.find_grade(name, UNIT, UNIT, student) for name in (check, question)}
        assert {name: grade.manual_score for name, grade in grades.items()} == {check: 2.5, question: 1.5}
        assert grades[check].auto_score == 4
        comments = {name: gradebook.find_comment(name, UNIT, UNIT, student).comment for name in (solution, question)}
        assert comments == {solution: typed[f"#{solution}-comment"], question: typed[f"#{question}-comment"]}
        points = float(sum(sample_class.full_marks(UNIT).values()))
        assert gradebook.find_submission(UNIT, student).score == points - 4 + 2.5 + 1.5
