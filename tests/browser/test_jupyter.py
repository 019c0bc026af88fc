"""A learner in JupyterLab and an instructor in nbgrader's formgrader, from end to end."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course import addresses, references
from autograder.lms import release, sample_class

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


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course folder in which a few learners are graded and have feedback."""
    root = tmp_path_factory.mktemp("formgrader") / "course"
    (released,) = release.generate(root, [UNIT])
    notebook = nbformat.read(released, as_version=4)
    for student in sample_class.class_of(UNIT):
        if student.id in CLASS:
            folder = root / "submitted" / student.id / UNIT
            folder.mkdir(parents=True)
            for name, data in student.build(notebook).items():
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
    points = {student.id: student.points for student in sample_class.class_of(UNIT)}
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
