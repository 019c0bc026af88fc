"""What submissions build on from earlier units, when they are graded: the course's code, and no more than that."""

from __future__ import annotations

import json

import nbformat
import pytest

from autograder.course.catalogue import earlier_sources
from autograder.course.registry import COMPLETE, UNITS, find_unit
from autograder.grading.engine import grade_code, grade_source
from autograder.lms import release
from autograder.lms.sample_class import fill, solved
from autograder.notebook import store
from autograder.sandbox.session import ProcessSubject
from autograder.submissions.discovery import discover
from autograder.submissions.notebooks import Code

UNIT = "multihead"  # builds on attention


@pytest.fixture(scope="module")
def released() -> nbformat.NotebookNode:
    return nbformat.read(release.EXERCISES / UNIT / f"{UNIT}.ipynb", as_version=4)


def graded(server, notebook, tmp_path):
    """The points of a notebook that is handed in, and the notes for the learner."""
    path = tmp_path / "ada" / f"{UNIT}.ipynb"
    path.parent.mkdir(exist_ok=True)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    (source,) = discover([path])
    found = grade_source(server, source)
    return float(found.points), float(found.max_points), found.notes


def setup_cell(notebook) -> nbformat.NotebookNode:
    return next(cell for cell in notebook.cells if release.EARLIER in cell.source)


def test_a_solved_notebook_gets_all_points(jailed, released, tmp_path):
    points, most, notes = graded(jailed, fill(released, solved(UNIT)), tmp_path)
    assert points == most > 0
    assert list(notes) == []


def test_what_is_kept_on_the_graders_machine_has_no_part_in_it(server, released, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "state" / "progress.json"))
    wrong = "# %% attention.scaled_dot_product_attention: passed on 2026-01-01\nscaled_dot_product_attention = None\n"
    store.write(store.code_file("attention", ".py"), wrong)
    points, most, _ = graded(server, fill(released, solved(UNIT)), tmp_path)
    assert points == most


@pytest.mark.parametrize("change", ["renamed", "other names", "deleted", "given lines"])
def test_notebooks_that_were_edited_or_released_earlier_grade(server, released, tmp_path, change):
    notebook = fill(released, solved(UNIT))
    cell = setup_cell(notebook)
    name = "scaled_dot_product_attention"
    if change == "renamed":
        cell.source = cell.source.replace(f"import {name}", f"import {name} as attend") + f"\n{name} = attend"
    elif change == "other names":
        cell.source += "\nfrom autograder.earlier import softmax, apply_mask\nfrom solutions.masks import causal_mask"
    elif change == "deleted":
        notebook.cells.remove(cell)
        notebook.cells.insert(1, nbformat.v4.new_code_cell("import copy, math, torch\nfrom torch import nn"))
    else:
        given: dict[str, str] = {}
        release.SolutionModule("attention").collect([name], given)
        cell.source = "\n\n\n".join(["import copy\nimport math\n\nimport torch\nfrom torch import nn", *given.values()])
    points, most, notes = graded(server, notebook, tmp_path)
    if change == "deleted":  # only what calls it is lost
        assert 0 < points < most
    else:
        assert (points, list(notes)) == (most, [])


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_no_answer_to_a_task_of_the_unit_or_of_a_later_one_is_given(unit):
    number = find_unit(unit).number
    texts = "\n".join(earlier_sources(unit).values())
    for other in UNITS[number - 1 :]:
        if other.complete and other.language != "c":
            assert other.name not in earlier_sources(unit)
            for name in other.names:
                assert f"\ndef {name}(" not in texts
                assert f"\nclass {name}(" not in texts


ATTEMPTS = {
    "its own": "from autograder.earlier import split_heads as stolen",
    "its own, from the solutions": "from solutions.multihead import split_heads as stolen",
    "a later one": "from autograder.earlier import gelu as stolen",
    "a later one's module": "import solutions.blocks as stolen",
    "checks": "import autograder.units.attention.checks as stolen",
    "mistakes": "import autograder.units.multihead.mistakes as stolen",
    "the file": "import solutions.attention as a\nstolen = open(a.__spec__.origin or a.__name__).read()",
    "the finder": (
        "import sys\nfound = [f for f in sys.meta_path if hasattr(f, '_sources')]\n"
        "stolen = [name for f in found for name in f._sources if 'multihead' in name or 'blocks' in name][0]"
    ),
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_a_submission_reaches_earlier_units_alone(server, attempt):
    cells = ["from autograder.earlier import softmax", attempt]
    with ProcessSubject(server, cells, course=earlier_sources(UNIT)) as subject:
        subject.load()
        assert subject.reports[0].error == ""
        assert subject.reports[1].error != ""


def test_a_name_that_no_earlier_unit_has_is_said(server):
    found = grade_code(server, Code(["from autograder.earlier import split_heads"]), UNIT)
    assert any("no earlier unit has a task 'split_heads'" in note for note in found.notes)


# --- the notebooks themselves ----------------------------------------------------------------------------------


def given_lines(notebook) -> int:
    """Lines of code above the first task, except for the cell that installs and what only shows something."""
    count = 0
    for cell in notebook.cells[1:]:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            break
        if cell.cell_type == "code" and "demonstration" not in cell.metadata:
            count += len(cell.source.splitlines())
    return count


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_no_notebook_opens_with_more_than_thirty_given_lines(unit):
    notebook = nbformat.read(release.EXERCISES / unit / f"{unit}.ipynb", as_version=4)
    assert given_lines(notebook) <= 30


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_no_notebook_carries_an_answer_of_another_unit(unit):
    text = json.loads((release.EXERCISES / unit / f"{unit}.ipynb").read_text(encoding="utf-8"))
    shown = "\n".join("".join(cell["source"]) for cell in text["cells"])
    for other in COMPLETE:
        solution = release.solution_of(other)
        assert [name for name in other.names if solution.given(name) in shown] == []
