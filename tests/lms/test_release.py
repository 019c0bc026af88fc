"""The notebooks that learners get: made from the sources, complete, and without a trace of the solutions."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import nbformat
import pytest
import torch
from jupyter_client import KernelManager
from nbclient import NotebookClient
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat import MetadataValidator

from autograder.course import addresses, catalogue, headings
from autograder.course.registry import COMPANIONS, COMPLETE, find_unit
from autograder.course.version import digests_of_tasks, this_version
from autograder.judging.runner import max_points
from autograder.lms import release, sample_class
from autograder.lms.grade_ids import grade_id, task_of
from autograder.lms.stubs import ANSWER_STUB, solution_id
from autograder.notebook import carried, store
from autograder.sandbox.runtime.c.reading import pieces_of
from autograder.submissions import demonstrations

ROOT = addresses.ROOT
UNITS = [unit.name for unit in COMPLETE]
TASKS = [task for unit in COMPLETE for task in unit.task_ids]


def committed(unit: str) -> nbformat.NotebookNode:
    return nbformat.read(ROOT / "exercises" / unit / f"{unit}.ipynb", as_version=4)


def in_c(unit: str) -> bool:
    return find_unit(unit).language == "c"


def mark(cell: nbformat.NotebookNode) -> dict:
    return cell.metadata.get("nbgrader", {})


def roles(cell: nbformat.NotebookNode) -> set[str]:
    """What the cell is for nbgrader."""
    return {role for role in ("grade", "solution", "locked", "task") if mark(cell).get(role)}


def streams(notebook: nbformat.NotebookNode) -> list[str]:
    """Everything that cells printed."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.text for output in outputs if output.output_type == "stream"]


def lines(notebook: nbformat.NotebookNode) -> list[str]:
    """The lines that cells printed."""
    return [line for text in streams(notebook) for line in text.splitlines() if line.strip()]


def by_grade_id(unit: str) -> dict[str, nbformat.NotebookNode]:
    return {mark(cell)["grade_id"]: cell for cell in committed(unit).cells if mark(cell)}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory) -> Path:
    """A folder with ``exercises/`` as the sources give them now, and nbgrader's course folder beside it."""
    folder = tmp_path_factory.mktemp("release")
    release.write_exercises(folder / "exercises", folder / "course")
    return folder


# --- one source -------------------------------------------------------------------------------------------


def test_committed_exercises_are_what_the_sources_give(fresh):
    files = {path.relative_to(fresh / "exercises") for path in (fresh / "exercises").rglob("*") if path.is_file()}
    assert files == {Path(unit, f"{unit}.ipynb") for unit in UNITS} | {
        Path(unit, f"{name}.ipynb") for name, unit in COMPANIONS.items()
    }
    for file in files:
        same = (ROOT / "exercises" / file).read_bytes() == (fresh / "exercises" / file).read_bytes()
        assert same, f"exercises/{file} is not up to date: run `make exercises` and commit the result"


def test_the_table_of_headings_is_what_the_chapters_give():
    same = headings.TABLE.read_bytes() == headings.fresh()
    assert same, (
        "autograder/course/headings.json is not up to date: run `python -m autograder.release` and commit the result"
    )
    for unit in UNITS:
        for mistake in catalogue.mistakes(unit):
            assert headings.heading(unit, mistake.section), f"{mistake.name}: no heading above {mistake.section}"


def test_a_second_release_into_the_same_course_changes_nothing(fresh):
    assert release.write_exercises(fresh / "exercises", fresh / "course") == []


def test_check_names_what_is_not_up_to_date(fresh, tmp_path, monkeypatch, capsys):
    def copy(target, course_root):
        for name, data in release._notebooks(fresh / "exercises").items():
            release._write(target / name, data)

    monkeypatch.setattr(release, "write_exercises", copy)
    monkeypatch.setattr(release, "EXERCISES", tmp_path)
    monkeypatch.setattr(addresses, "ROOT", tmp_path)
    copy(tmp_path, None)
    assert release.main(["--check"]) == 0
    release._write(tmp_path / "old" / "old.ipynb", b"{}")
    (tmp_path / "masks" / "masks.ipynb").write_bytes(b"{}")
    monkeypatch.setattr(headings, "TABLE", tmp_path / "headings.json")
    assert release.main(["--check"]) == 1
    complaint = capsys.readouterr().err
    assert "masks/masks.ipynb, old/old.ipynb, headings.json" in complaint
    assert len(complaint.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (":task: attention.softmax", ":task: attention.softmix", "'attention.softmix', which is no task of unit"),
        (":task: attention.softmax", ":tags: [gone]", "no task cell for 'attention.softmax'"),
        (":check: attention.softmax", ":tags: [gone]", "no check cell for 'attention.softmax'"),
        (":task: attention.softmax", ":task: attention.SelfAttention", "two task cells for 'attention.SelfAttention'"),
        ('"reflection"', '"other"', "no reflection question"),
        ('"points": 2', '"pints": 2', "'attention.reflection' needs its points"),
        ("### BEGIN SOLUTION", "", "needs a model answer"),
        (":include: heat_map.py", ":include: heat.py", "heat.py is missing"),
        ("# Checks that rows sum", "Checks that rows sum", "needs a comment"),
    ],
)
def test_a_broken_narrative_is_one_clear_sentence(old, new, complaint, tmp_path, monkeypatch, capsys):
    for path in filter(Path.is_file, release.NARRATIVES.iterdir()):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    narrative = tmp_path / "attention.md"
    narrative.write_text(narrative.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(release, "NARRATIVES", tmp_path)
    monkeypatch.setattr(release, "COURSE_ROOT", tmp_path / "course")
    assert release.main([]) == 1
    said = capsys.readouterr().err
    assert complaint in said
    assert len(said.splitlines()) == 1


def test_a_missing_object_or_narrative_is_named(tmp_path, monkeypatch):
    module = release.SolutionModule("attention")
    with pytest.raises(release.BrokenSource, match=r"solutions/attention\.py defines no 'softmix'"):
        module.source("softmix")
    monkeypatch.setattr(release, "NARRATIVES", tmp_path)
    with pytest.raises(release.BrokenSource, match=r"masks\.md is missing"):
        release.source_notebook(find_unit("masks"))


# --- notebooks in which nothing is graded -------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPANIONS)
def test_a_companion_is_not_for_nbgrader(name, fresh):
    unit = COMPANIONS[name]
    notebook = nbformat.read(ROOT / "exercises" / unit / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not any(mark(cell) for cell in notebook.cells)
    assert not any(cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    for cell in notebook.cells[1:]:  # whatever grades the file all the same runs nothing of it
        assert cell.cell_type == "markdown" or demonstrations.is_unchanged(cell.metadata, cell.source)
    for address in addresses.launch_urls(f"exercises/{unit}/{name}.ipynb").values():
        assert address in notebook.cells[1].source
    for folder in ("source", "release"):
        assert [path.name for path in (fresh / "course" / folder / unit).glob("*.ipynb")] == [f"{unit}.ipynb"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (":name: gpu-device", ":task: translation.evaluate", "asks for something that is graded"),
        ("runs.ours.utilisation:.3f", "runs.theirs.utilisation:.3f", "transformer_gpu.json has no 'runs.theirs.util"),
    ],
)
def test_a_broken_companion_is_one_clear_sentence(old, new, complaint, tmp_path, monkeypatch):
    text = (release.NARRATIVES / "translation_gpu.md").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "translation_gpu.md").write_text(text.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(release, "NARRATIVES", tmp_path)
    with pytest.raises(release.BrokenSource, match=complaint):
        release.companion_notebook("translation_gpu")


def test_doctor_says_when_a_companion_is_not_up_to_date(tmp_path):
    unit = find_unit("translation")
    shutil.copytree(ROOT / "exercises" / unit.name, tmp_path / unit.name)
    assert release.is_current(unit, tmp_path)
    path = tmp_path / unit.name / "translation_gpu.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace("train_on_all", "train_on_some"), encoding="utf-8")
    assert not release.is_current(unit, tmp_path)
    path.unlink()
    assert not release.is_current(unit, tmp_path)


def test_a_recorded_number_is_what_the_record_says():
    record = json.loads((ROOT / "book" / "measurements" / "transformer_gpu.json").read_text(encoding="utf-8"))
    file = "measurements/transformer_gpu"
    named = f"{{{{recorded:{file}:sizes.d_model/100:.2f}}}} on {{{{recorded:{file}:device:}}}}"
    assert release._with_records(named) == f"{record['sizes']['d_model'] / 100:.2f} on {record['device']}"


# --- what is in a notebook ----------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", UNITS)
def test_notebook_is_valid_and_clean(unit):
    text = (ROOT / "exercises" / unit / f"{unit}.ipynb").read_text(encoding="utf-8")
    notebook = committed(unit)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata == release.METADATA
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
    assert text == json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("task", TASKS)
def test_a_task_has_a_stub_and_a_locked_check_worth_its_points(task):
    cells = by_grade_id(task.partition(".")[0])
    stub, check = cells[solution_id(task)], cells[grade_id(task)]
    assert roles(stub) == {"solution"}
    assert roles(check) == {"grade", "locked"}
    assert mark(check)["points"] == float(max_points(task)) > 0
    assert check.source.startswith("# Checks ")
    assert check.source.splitlines()[-1] == f'check("{task}")'


@pytest.mark.parametrize("unit", UNITS)
def test_cells_come_in_the_order_of_the_course(unit):
    checks = [task for task in map(task_of, by_grade_id(unit)) if task]
    assert checks == list(find_unit(unit).task_ids)


def test_a_grade_id_is_its_task_with_a_dash_and_says_which_one_it_is():
    assert grade_id("gpt2_forward.gelu_forward") == "gpt2_forward-gelu_forward"
    for task in TASKS:
        assert task.replace(".", "").isidentifier(), f"{task}: with a dash in a name, two tasks could share a grade id"
        assert task_of(grade_id(task)) == task
        assert task_of(solution_id(task)) == ""


@pytest.mark.parametrize("unit", UNITS)
def test_nbgrader_accepts_the_notebook_as_it_comes(unit):
    MetadataValidator().validate_nb(committed(unit))


def test_nbgraders_own_validation_knows_a_released_notebook_from_a_solved_one(tmp_path):
    """In a folder without this project's configuration, as learners have it."""
    solved = sample_class.fill(committed("attention"), sample_class.solved("attention"))
    solved.cells[-1].source += "\n\nBecause every query has a row of its own."
    said = {}
    for name, notebook in (("released", committed("attention")), ("solved", solved)):
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
        command = [sys.executable, "-m", "nbgrader", "validate", f"{name}.ipynb"]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "AUTOGRADER_STATE": str(tmp_path / "progress.json")}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        said[name] = done.stdout
    assert said["solved"] == "Success! Your notebook passes all the tests.\n"
    failed = len(find_unit("attention").task_ids) + 1  # and the question
    assert f"VALIDATION FAILED ON {failed} CELL(S)!" in said["released"]
    assert all(f'check("{task}")' in said["released"] for task in find_unit("attention").task_ids)


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_the_same_skeleton(task):
    """Goal; difficulty, importance, minutes, points; something to do by hand; traps; stub; hint; check.

    The check may follow later, where it needs what later tasks build.
    """
    unit, _, name = task.partition(".")
    text = "\n".join(cell.source for cell in committed(unit).cells)
    section = text.split(f": `{name}`\n")[1].split("\n## ")[0]
    parts = ["**Goal.**", "*Difficulty", "importance", "minutes", f"{max_points(task)} points*", "**By hand.**"]
    stub = "/* YOUR CODE HERE */" if catalogue.in_c(task) else f'NotImplementedError("{task}")'
    parts += ["**What your ", "here it can go wrong", stub, f'`hint("{task}")`']
    positions = [section.find(part) for part in parts]
    assert -1 not in positions, f"missing: {parts[positions.index(-1)]}"
    assert positions == sorted(positions)
    assert f'\ncheck("{task}")' in text.split(section)[1] + section.split(parts[-1])[1]


@pytest.mark.parametrize("unit", UNITS)
def test_notebook_ends_with_an_experiment_and_a_question_graded_by_hand(unit):
    cells = committed(unit).cells
    sources = [cell.source for cell in cells]
    summary = sources.index(f'check("{unit}")')
    assert not mark(cells[summary])
    assert any(source.startswith("## Experiment") for source in sources[summary:])
    last = cells[-1]
    assert last.cell_type == "markdown"
    assert roles(last) == {"grade", "solution"}
    assert mark(last)["points"] == 2.0
    assert last.source.endswith(ANSWER_STUB)


@pytest.mark.parametrize("unit", UNITS)
def test_links_lead_to_the_sections_that_they_name(unit):
    text = "\n".join(cell.source for cell in committed(unit).cells)
    assert "book:" not in text.replace(addresses.book_url(), "")
    assert f"]({addresses.chapter_url(unit)})" in text
    pages = re.escape(addresses.book_url()) + "/book/"
    links = re.findall(r'\[chapter \d+, "([^]]*)"\]\(' + pages + r"(\w+)\.html#([\w-]+)\)", text)
    assert len(links) >= len(find_unit(unit).task_ids) - 1
    for title, chapter, anchor in links:
        book = (ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8")
        found = re.search(rf"^\({anchor}\)=\n+#+ {re.escape(title)}$", book, re.MULTILINE)
        assert found, f"book/{chapter}.md has no section {anchor!r} with the title {title!r}"


def answers(unit: str) -> tuple[Path, Path]:
    """The two files that hold a unit's answers."""
    return release.solution_of(find_unit(unit)).path, release.NARRATIVES / f"{unit}.md"


def solution_lines(unit: str) -> set[str]:
    """Every line that a learner of a unit is to find, comments and model answers included; no mere brackets.

    What the notebook gives (an earlier unit's task in another form) is no secret.
    """
    region = re.compile(r"(?:###|/\*) BEGIN SOLUTION(?: \*/)?\n(.*?)(?:###|/\*) END SOLUTION", re.DOTALL)
    found = (match for path in answers(unit) for match in region.findall(path.read_text(encoding="utf-8")))
    given = re.findall(r"^:given: (.*)$", answers(unit)[1].read_text(encoding="utf-8"), re.MULTILINE)
    solution = release.solution_of(find_unit(unit))
    shown = {line.strip() for names in given for name in names.split() for line in solution.given(name).splitlines()}
    return {line.strip() for text in found for line in text.splitlines() if len(re.findall(r"\w", line)) > 6} - shown


@pytest.mark.parametrize("unit", UNITS)
def test_no_line_of_a_solution_leaks(unit):
    text = (ROOT / "exercises" / unit / f"{unit}.ipynb").read_text(encoding="utf-8")
    assert "SOLUTION" not in text
    sources = [cell.source for cell in committed(unit).cells]
    shown = {line.strip() for source in sources for line in source.splitlines()}
    secrets = solution_lines(unit)
    assert len(secrets) > 5  # else the expression above finds nothing any more
    assert shown & secrets == set()
    comments = [line.split("#", 1)[1].strip() for line in secrets if "# " in line]
    assert [comment for comment in comments if len(comment) > 6 and comment in "\n".join(sources)] == []


# --- released to a class -------------------------------------------------------------------------------------


def test_release_names_its_units_and_gives_no_answer_away(tmp_path, capsys):
    """The deadline of attention has not passed, and multihead builds on it."""
    assert release.main(["--course", str(tmp_path), "masks", "multihead", "--version", "v9"]) == 0
    assert capsys.readouterr().err == ""
    assert {path.name for path in (tmp_path / "release").iterdir()} == {"masks", "multihead"}
    secrets = set.union(*(solution_lines(unit) for unit in ("attention", "masks", "multihead")))
    for unit in ("masks", "multihead"):
        cells = nbformat.read(tmp_path / "release" / unit / f"{unit}.ipynb", as_version=4).cells
        assert f'%pip install -q "git+{addresses.repository_url()}@v9"' in cells[0].source
        assert {line.strip() for cell in cells for line in cell.source.splitlines()} & secrets == set()
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as gradebook:
        assert {assignment.name for assignment in gradebook.assignments} == {"masks", "multihead"}
    assert release.main(["--course", str(tmp_path), "multihead", "--package", "our-workbook==2"]) == 0
    first = nbformat.read(tmp_path / "release" / "multihead" / "multihead.ipynb", as_version=4).cells[0].source
    assert '%pip install -q "our-workbook==2"' in first


def test_the_notebooks_of_a_release_pin_it_and_name_their_tasks(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(release, "COMPLETE", [find_unit("masks")])
    assert release.main(["--out", str(tmp_path), "--version", "v9"]) == 0
    package = f"git+{addresses.repository_url()}@v9"
    assert package in capsys.readouterr().out
    cells = nbformat.read(tmp_path / "masks" / "masks.ipynb", as_version=4).cells
    assert f'%pip install -q "{package}"' in cells[0].source
    assert f'tasks="{digests_of_tasks("masks")}"' in cells[0].source
    assert [cell.source for cell in cells[1:]] == [cell.source for cell in committed("masks").cells[1:]]
    beside = {path.relative_to(release.EXERCISES) for path in release.EXERCISES.rglob("*.*") if path.is_file()}
    assert {path.relative_to(tmp_path) for path in tmp_path.rglob("*.*") if path.is_file()} == beside
    for name in release.COMPANIONS:
        (notebook,) = tmp_path.rglob(f"{name}.ipynb")
        assert package in nbformat.read(notebook, as_version=4).cells[0].source


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["attention"], "Name both the course and the units"),
        (["--course", "."], "Name both the course and the units"),
        (["--course", ".", "attentoin"], "There is no unit called 'attentoin'"),
    ],
)
def test_release_without_a_course_or_a_unit_is_one_sentence(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert release.main(arguments) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert list(tmp_path.iterdir()) == []


def test_a_release_pins_the_commit_of_the_checkout():
    assert re.fullmatch(r"[0-9a-f]{40}|v\d+\.\d+\.\d+", this_version())


# --- running them --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kernel():
    """One kernel for all notebooks: to start one, and to import torch, takes longer than most of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        manager = KernelManager(kernel_name="python3")
        manager.start_kernel()
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.fixture
def run(kernel, tmp_path_factory):
    """Executes notebooks as a learner would, one after the other in one kernel, whose names are forgotten in between.

    Errors are left in the outputs. ``own_code``: the state file of a learner who has code of their own. ``until``: the
    first cell that does not run, nor any after it.
    """
    if not kernel.is_alive():  # a test that ended it is no reason for those after it to fail
        kernel.restart_kernel(now=True)

    def execute(*paths: Path, own_code: Path | None = None, until: str = "") -> list[nbformat.NotebookNode]:
        state = own_code or tmp_path_factory.mktemp("state") / "progress.json"
        folder = tmp_path_factory.mktemp("learner")
        begin = f"import os; os.environ['AUTOGRADER_STATE'] = {str(state)!r}; os.chdir({str(folder)!r})"
        forget = nbformat.v4.new_code_cell("%reset -f")
        notebooks = [nbformat.read(path, as_version=4) for path in paths]
        whole = notebooks[0].copy()
        stops = [[cell.source for cell in one.cells].index(until) if until else None for one in notebooks]
        cells = [cell for one, stop in zip(notebooks, stops) for cell in (*one.cells[:stop], forget)]
        whole.cells = [forget, nbformat.v4.new_code_cell(begin), *cells]
        client = NotebookClient(whole, km=kernel, timeout=300, allow_errors=True)
        client.execute(cleanup_kc=False)
        return notebooks

    return execute


def errors(notebook: nbformat.NotebookNode) -> dict[str, tuple[str, str]]:
    """Cell id -> name and text of the error that it ended with."""
    return {
        cell.id: (output.ename, output.evalue)
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    }


def results(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """Task -> text form of what its check cell shows, which is what nbgrader takes for the score."""
    shown = {}
    for cell in notebook.cells:
        if mark(cell).get("grade") and cell.cell_type == "code":
            shown[task_of(mark(cell)["grade_id"])] = cell.outputs[-1]["data"]["text/plain"]
    return shown


SHOWN = re.compile(r"\d%\||^tensor\(\[\[[\d, ]+\]\]\)$")  # progress bars, and ids that a model has written


def pictures(notebook: nbformat.NotebookNode) -> int:
    return sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))


@pytest.mark.parametrize("unit", UNITS)
def test_the_released_notebook_runs_to_its_end_for_nothing_and_the_solved_one_gets_every_point(unit, fresh, run):
    released, solved = run(
        ROOT / "exercises" / unit / f"{unit}.ipynb", fresh / "course" / "source" / unit / f"{unit}.ipynb"
    )
    assert {name for name, _ in errors(released).values()} <= {"NotImplementedError"}
    assert results(released) == {task: "0.0" for task in find_unit(unit).task_ids}
    assert pictures(released) == 0
    said = [line for line in lines(released) if not line.endswith(": the course's")]
    assert said
    for printed in said:
        assert re.match(rf"Nothing to see yet: {unit}\.\w+ is still to be written\.", printed)
    assert errors(solved) == {}
    assert results(solved) == {task: str(float(max_points(task))) for task in find_unit(unit).task_ids}
    assert pictures(solved) >= 1
    # Where parts come from, and the tables of `differences`.
    told = re.compile(
        r": the course's$|^gradient +shape|\) +\d+\.\d{3} +\de-\d+$|^$"
        r"|^`\w+` is your own\.$|^`\w+_forward` is the course's. To use your own"
    )
    assert [line for line in lines(solved) if not (told.search(line) or SHOWN.search(line))] == []


BUILD_ON_OTHERS = [unit for unit in UNITS if any(release.EARLIER in cell.source for cell in committed(unit).cells)]


@pytest.mark.parametrize("unit", BUILD_ON_OTHERS)
def test_the_solved_notebook_gets_every_point_on_the_learners_own_parts(unit, fresh, run, state_file, keep_own_code):
    """Cells below the summary are not run here: they import nothing from earlier units, and the test above ran them."""
    for earlier in UNITS[: UNITS.index(unit)]:
        if not in_c(earlier):
            keep_own_code(earlier)
    summary = f'check("{unit}")'
    (solved,) = run(fresh / "course" / "source" / unit / f"{unit}.ipynb", own_code=state_file, until=summary)
    after = [cell.source for cell in solved.cells]
    assert release.EARLIER not in "".join(after[after.index(summary) :])
    assert errors(solved) == {}
    assert results(solved) == {task: str(float(max_points(task))) for task in find_unit(unit).task_ids}
    assert set(carried.stored(unit)) == set(find_unit(unit).task_ids)  # the kernel's checks have kept them
    assert bool(store.section("sentence")) == (unit == "translation")  # what the learner's translator has said
    told = [line for line in lines(solved) if ": yours, passed on " in line]
    assert told
    assert [line for line in lines(solved) if line not in told and not SHOWN.search(line)] == []


@pytest.mark.parametrize("task", TASKS)
def test_a_stub_names_its_task(task):
    unit, _, name = task.partition(".")
    if catalogue.in_c(task):
        piece = pieces_of(by_grade_id(unit)[solution_id(task)].source.removeprefix("%%c"), "cell")[-1]
        assert (piece.function, piece.is_stub) == (name, True)
        return
    names: dict = {"torch": torch}
    for cell in committed(unit).cells:
        if cell.source.startswith("import ") and "plt" not in cell.source:
            exec(cell.source, names)  # the cell with the imports
            break
    exec(by_grade_id(unit)[solution_id(task)].source, names)
    with pytest.raises(NotImplementedError, match=f"^{re.escape(task)}$"):
        call_with_nothing(names[name])
    if isinstance(names[name], type):
        for method in methods_of(names[name]):
            with pytest.raises(NotImplementedError, match=f"^{re.escape(task)}$"):
                call_with_nothing(method)


def methods_of(kind):
    """What the learner defines in the class beside its constructor."""
    own = [
        key
        for key, value in vars(kind).items()
        if isinstance(value, (FunctionType, classmethod, staticmethod)) and value.__module__ != release.GIVEN
    ]
    assert own != ["__init__"]
    return [getattr(kind, key) for key in own if key != "__init__"]


def call_with_nothing(function):
    """Call it with as many arguments as it demands; a stub does not look at them."""
    parameters = inspect.signature(function).parameters.values()
    function(*[None for parameter in parameters if parameter.default is parameter.empty])


FIRST_CELL = """
import importlib.abc, json, socket, sys

sys.path.insert(0, ROOT)

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "autograder":
            raise ModuleNotFoundError("No module named 'autograder'", name=name)

def no_network(*arguments, **options):
    raise OSError("the network is blocked")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = no_network
absent, installed = Absent(), []
if MISSING:
    sys.meta_path.insert(0, absent)

from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()

def pip(line):
    installed.append(line)
    sys.meta_path.remove(absent)

shell.register_magic_function(pip, "line", "pip")
result = shell.run_cell(SOURCE)
result.raise_error()
print(json.dumps([installed, [name for name in ("check", "hint", "progress") if callable(shell.user_ns.get(name))]]))
"""


@pytest.mark.parametrize("missing", [False, True], ids=["already there", "on Colab"])
def test_first_cell_installs_the_course_only_where_it_is_missing(missing, tmp_path):
    first, *others = (committed(unit).cells[0] for unit in UNITS)
    assert first.cell_type == "code"
    assert all((other.cell_type, other.source) == ("code", first.source) for other in others)  # so one speaks for all
    values = f"ROOT, MISSING, SOURCE = {str(ROOT)!r}, {missing!r}, {first.source!r}\n"
    command = [sys.executable, "-c", values + FIRST_CELL]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    wanted = f'install -q "git+{addresses.repository_url()}@{addresses.repository_branch()}"'
    # The one line is ours: the cell itself prints nothing.
    (report,) = done.stdout.splitlines()
    assert json.loads(report) == [[wanted] if missing else [], ["check", "hint", "progress"]]
    assert done.stderr == ""


# --- what a learner does not write ------------------------------------------------------------------------------


@pytest.fixture
def two_units(tmp_path, monkeypatch):
    """Solutions of two units, the second of which uses the first."""
    (tmp_path / "__init__.py").write_text("PAD, UNK = 0, 1\n")
    (tmp_path / "first.py").write_text(
        "import math\n\nfrom solutions import UNK\n\nROOTS = {4: math.sqrt(4)}\n\n\n"
        'def helper(x):\n    """Help."""\n    ### BEGIN SOLUTION\n    return ROOTS[x] + UNK\n    ### END SOLUTION\n\n\n'
        "def unused():\n    return 1\n\n\ndef main(x):\n    return helper(x)\n"
    )
    (tmp_path / "second.py").write_text(
        "import torch\n\nfrom solutions import PAD\nfrom solutions.first import main\n\nLIMIT = 3\n\n\n"
        "def task():\n    return main(LIMIT)\n"
    )
    monkeypatch.setattr(release, "SOLUTIONS", tmp_path)
    return release.SolutionModule("second")


def test_setup_imports_what_comes_from_earlier_units(two_units, monkeypatch):
    monkeypatch.setitem(release.BY_NAME, "first", None)
    source = two_units.imports("from torch import nn\n\nfrom autograder.earlier import causal_mask")
    assert source.splitlines() == [
        "import torch",
        "from torch import nn",
        "",
        "PAD = 0",
        "",
        release.EARLIER_COMMENT,
        "from autograder.earlier import causal_mask, main",
    ]


def test_an_object_is_collected_with_all_that_it_uses(two_units):
    found: dict[str, str] = {}
    two_units.collect(["task"], found)
    assert list(found) == ["UNK", "ROOTS", "helper", "main", "LIMIT", "task"]
    namespace: dict = {"math": __import__("math")}
    exec("\n".join(found.values()).replace("main(LIMIT)", "main(4)"), namespace)
    assert namespace["task"]() == 3.0


def test_given_shows_constants_functions_and_classes(two_units):
    assert two_units.given("LIMIT") == "LIMIT = 3"
    with pytest.raises(release.BrokenSource, match="defines no 'missing'"):
        two_units.given("missing")


def test_a_helper_of_answers_alone_is_written_into_them_and_given_to_nobody(two_units, tmp_path):
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    answer = "    ### BEGIN SOLUTION\n    return {}\n    ### END SOLUTION\n"
    first.write_text(f"FACTOR = 2\n\n\ndef _twice(x):\n{answer.format('FACTOR * x')}")
    second.write_text(f"from solutions.first import _twice\n\n\ndef task(x):\n{answer.format('_twice(x)')}")
    module = release.SolutionModule("second")
    assert "_twice" not in module.imports()
    source = module.source("task")
    assert source.count("### BEGIN SOLUTION") == source.count("### END SOLUTION") == 1
    assert source.splitlines()[1] == "    ### BEGIN SOLUTION"
    namespace: dict = {}
    exec(source, namespace)
    assert namespace["task"](4) == 8
