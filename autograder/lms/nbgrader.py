"""nbgrader with the grader of this project. A course needs two lines in its ``nbgrader_config.py``::

    from autograder.nbgrader import configure
    configure(get_config())

nbgrader then works as always (gradebook, late penalties, formgrader, feedback, export), except for two steps of
``nbgrader autograde``. First, the submission is put back into the form in which it was released
(`RebuildSubmission`). Second, nbgrader does not run the notebook in a kernel: our grader runs it in a process of its
own and writes the scores into the check cells (`GradeInProcess`), where nbgrader reads them. Notebooks without tasks of
this course run in the same sandbox, and their check cells give the points that nbgrader would give.

No code of nbgrader is replaced: `configure` only names steps in its configuration.
"""

from __future__ import annotations

import atexit
import html
import json
import math
import os
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry, Notebook
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.preprocessors import AssignLatePenalties, ClearSolutions, Execute, NbGraderPreprocessor, SaveCells
from traitlets import Bool, Enum, Float, Integer
from traitlets.config import Config

from autograder.judging import results
from autograder.judging.results import Submission, TaskResult
from autograder.lms import attempts, folders, plain, restore, utf8
from autograder.lms.grade_ids import grade_id, task_of
from autograder.lms.gradebook import (
    RenameCells,
    RenameGraded,
    SaveRenamedCells,
    position,
    rename_cells,
    renew_late_penalties,
    wanted_cells,
)
from autograder.lms.marks import KEY
from autograder.lms.narrow import FitNarrowScreens
from autograder.lms.sanitize import HighlightWithinBounds, MarkdownToHarmlessHtml
from autograder.lms.stubs import ClearSolutionsByName
from autograder.reports.html import feedback_fragment
from autograder.sandbox import launch
from autograder.submissions.demonstrations import is_unchanged, left_out
from autograder.submissions.files import UnreadableSubmission
from autograder.submissions.notebooks import Code, modules_beside

if TYPE_CHECKING:
    from autograder.grading.engine import Graded, Servers
    from autograder.sandbox.session import Limits

UNSAFE = "WARNING: GradeInProcess.unsafe: submissions run without a sandbox and can read and change all that you can."
SANDBOX, KERNEL, REFUSE = "sandbox", "kernel", "refuse"  # where notebooks of a course's own run
IGNORED_FILES = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", ".DS_Store", "*.html"]


def configure(config: Config, root: str | os.PathLike[str] | None = None) -> Config:
    """Set nbgrader up; settings made after this call, or on the command line, take precedence.

    Args:
        config: what ``get_config()`` returns in an ``nbgrader_config.py``.
        root: the course folder; by default nbgrader's own, which is the current folder.
    """
    utf8.restart()
    if root is not None:
        config.CourseDirectory.root = os.path.abspath(root)
    # nbgrader's default is no course id, which PostgreSQL refuses; parts of nbgrader use this value unchanged.
    config.CourseDirectory.course_id = "default_course"
    # A learner's own export of the notebook (.html) would occupy the path of the feedback page.
    config.CourseDirectory.ignore = IGNORED_FILES
    config.GenerateAssignment.preprocessors = [RenameCells, *_steps(GenerateAssignment, "preprocessors")]
    config.Autograde.sanitize_preprocessors = [RebuildSubmission, *_steps(Autograde, "sanitize_preprocessors")]
    config.Autograde.autograde_preprocessors = _steps(Autograde, "autograde_preprocessors")
    config.Autograde.exporter_class = SubmissionExporter
    # Points given by hand change the late penalty, which was computed before: the feedback page needs both.
    config.GenerateFeedback.preprocessors = [
        AssignLatePenalties,
        *_steps(GenerateFeedback, "preprocessors"),
        FitNarrowScreens,
    ]
    config.ExchangeFactory.collect = folders.CollectWithoutLinks
    config.OverwriteCells.add_missing_cells = True
    config.HTMLExporter.preprocessors = [RenameGraded]
    config.HTMLExporter.filters = {
        "markdown2html": MarkdownToHarmlessHtml,
        "highlight_code": HighlightWithinBounds,
    }
    return config


def _steps(converter: type[BaseConverter], trait: str) -> list[type[NbGraderPreprocessor]]:
    """nbgrader's steps, with ours for some."""
    ours = {ClearSolutions: ClearSolutionsByName, SaveCells: SaveRenamedCells, Execute: GradeInProcess}
    return [ours.get(step, step) for step in converter.class_traits()[trait].default()]


# --- first step: the submission as nbgrader can grade it -----------------------------------------------


class SubmissionExporter(NotebookExporter):
    """Reads submissions of every format version, and damaged ones as notebooks without cells."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # nbgrader makes its exporter after it has found the notebooks and before it changes any.
        if isinstance(self.parent, Autograde):
            _make_ready(self.parent)

    def from_filename(self, filename: str, resources: Any = None, **options: Any) -> Any:
        if not getattr(self.parent, "_sanitizing", False):  # what the first step wrote
            return super().from_filename(filename, resources=resources, **options)
        return self.from_notebook_node(self._read(Path(filename)), resources=resources, **options)

    def _read(self, path: Path) -> NotebookNode:
        notebook = nbformat.v4.new_notebook(metadata={"language_info": {"name": "python"}})
        try:
            counting, note = folders.counting(path)
            notebook.cells = restore.read_cells(folders.notebook_in(counting), counting.name)
            notebook.metadata[KEY] = {"note": note}
        except UnreadableSubmission as error:
            self.log.error("%s cannot be read and gets no points: %s", path, error)
            notebook.metadata[KEY] = {"problem": str(error)}
        return notebook


def _make_ready(converter: Autograde) -> None:
    """Before the first submission: a process to grade in, today's grade ids, and folders as nbgrader expects them."""
    course = converter.coursedir
    with Gradebook(course.db_url, course.course_id) as gradebook:
        try:
            notebooks = gradebook.find_assignment(course.assignment_id).notebooks
        except MissingEntry:
            notebooks = []  # nbgrader reports this itself
        own = [
            notebook for notebook in notebooks if not any(task_of(grade_id(cell.name)) for cell in notebook.grade_cells)
        ]
        own_run_in = GradeInProcess(parent=converter).own_notebooks
        _demand_permission(converter, own, own_run_in)
        if len(own) < len(notebooks) or (own and own_run_in == SANDBOX):
            _start_grading_process(converter)
        if rename_cells(gradebook):
            converter.log.info("The grade ids in the gradebook had dots, as in earlier releases; now they have dashes.")
        for notebook in notebooks:
            _compare_points(converter, notebook)
        folders.make_ready(converter, gradebook, [notebook.name for notebook in notebooks])
    _remember_attempts(converter)


def _compare_points(converter: Autograde, notebook: Notebook) -> None:
    """Report tasks whose points differ from those at the release: their scores are scaled."""
    from autograder.judging.runner import max_points

    for cell in notebook.grade_cells:
        task = task_of(cell.name)
        if task and max_points(task) != Fraction(str(cell.max_score)):
            converter.log.warning(
                "%s is worth %g points in the gradebook and %g in the course, so its points are scaled: release the "
                "unit again to have those of the course.",
                task,
                cell.max_score,
                max_points(task),
            )


def _demand_permission(converter: Autograde, own: Sequence[Notebook], own_run_in: str) -> None:
    """Before any change: raise an error if a notebook of the course's own may not run where it should."""
    for notebook in own:
        language = json.loads(notebook.kernelspec or "{}").get("language", "python")
        if own_run_in == SANDBOX and language != "python":
            why = f"it is written in {language}, and the sandbox runs Python"
        elif own_run_in == REFUSE:
            why = "it holds no tasks of this course, and GradeInProcess.own_notebooks refuses such notebooks"
        else:
            continue
        sentence = (
            f"The notebook {notebook.name} is not graded: {why}. To run what learners wrote in it without a sandbox, "
            "at your own risk: --GradeInProcess.own_notebooks=kernel"
        )
        converter.log.error(sentence)
        raise NbGraderException(sentence)


def _remember_attempts(converter: Autograde) -> None:
    """Before a submission replaces an earlier one, keep the earlier result."""
    course, next_hook = converter.coursedir, converter.pre_convert_hook

    def hook(**about: Any) -> None:
        if next_hook:
            next_hook(**about)
        if course.notebook_id == "*":
            of = converter.init_single_notebook_resources(about["notebooks"][0])["nbgrader"]
            with Gradebook(course.db_url, course.course_id) as gradebook:
                before = [one for one in gradebook.student_submissions(of["student"]) if one.name == of["assignment"]]
                renew_late_penalties(converter, course.db_url, before)
                gradebook.db.expire_all()
                attempts.remember(gradebook, of["assignment"], of["student"], about["notebooks"])

    converter.pre_convert_hook = hook


def _start_grading_process(converter: Autograde) -> None:
    """Runs first: without a process to grade in, nothing is changed."""
    from autograder.sandbox.jail import NoJail
    from autograder.sandbox.session import ForkServerError

    try:
        _Servers.start(jailed=not GradeInProcess(parent=converter).unsafe, log=converter.log)
    except (NoJail, ForkServerError) as error:
        converter.log.error("%s To grade without a sandbox, at your own risk: --GradeInProcess.unsafe=True", error)
        raise NbGraderException(str(error)) from error


class RebuildSubmission(NbGraderPreprocessor):
    """Puts every cell of the gradebook back into the notebook, even if an editor or a learner changed or removed it."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about = resources["nbgrader"]
        wanted = _wanted(about)
        if not any(item.task for item in wanted):
            return nb, resources
        problem, note = (nb.metadata.get(KEY, {}).get(key) or "" for key in ("problem", "note"))
        rebuilt = restore.rebuild(nb.cells, wanted, _released(self, about))
        nb.cells = rebuilt.cells
        notes = [problem] if problem else [*filter(None, [note]), *rebuilt.notes]
        for note in notes:
            self.log.info("%s: %s", about["student"], note)
        _add_notes(nb, notes)
        return nb, resources


def _wanted(about: dict) -> list[restore.Wanted]:
    with Gradebook(about["db_url"]) as gradebook:
        return wanted_cells(gradebook.find_notebook(about["notebook"], about["assignment"]))


def _released(step: NbGraderPreprocessor, about: dict) -> list[NotebookNode]:
    """The cells that learners got, if the released notebook is still there."""
    course = step.parent.parent.coursedir
    folder = Path(course.format_path(course.release_directory, ".", about["assignment"]))
    try:
        return restore.read_cells((folder / f"{about['notebook']}.ipynb").read_bytes(), "The released notebook")
    except (OSError, UnreadableSubmission):
        return []


def _submitted(step: NbGraderPreprocessor, about: dict) -> Path:
    """The notebook as it was handed in, among the learner's own files; the course's files are beside the graded one."""
    course = step.parent.parent.coursedir
    folder = course.format_path(course.submitted_directory, about["student"], about["assignment"])
    return Path(folder) / f"{about['notebook']}.ipynb"


def _add_notes(nb: NotebookNode, notes: Sequence[str]) -> None:
    """Sentences for the learner at the top of the notebook."""
    if not notes:
        return
    lines = "\n".join(f"- {html.escape(restore.as_text(note), quote=False)}" for note in notes)
    if nb.cells and KEY in nb.cells[0].metadata:
        nb.cells[0].source += f"\n{lines}"
    else:
        cell = restore.new_cell("markdown", f"**Notes from the grader**\n\n{lines}", {KEY: {"notes": True}})
        cell["id"] = "notes-from-the-grader"
        nb.cells.insert(0, cell)


# --- second step: grading -------------------------------------------------------------------------------


class GradeInProcess(NbGraderPreprocessor):
    """Grades a notebook in a process of its own and writes scores and feedback into its check cells."""

    timeout = Float(120.0, help="Seconds that one notebook may take.").tag(config=True)
    check_timeout = Float(10.0, help="Seconds that one cell, or one request of a check, may take.").tag(config=True)
    memory = Integer(2048, help="Megabytes of memory that one notebook may use.").tag(config=True)
    unsafe = Bool(False, help="Grade without a sandbox, at your own risk.").tag(config=True)
    seed = Integer(None, allow_none=True, help="Draw other inputs for the checks.").tag(config=True)
    own_notebooks = Enum(
        (SANDBOX, KERNEL, REFUSE),
        SANDBOX,
        help="Where notebooks without tasks of this course run: in the sandbox, in a kernel without one, or nowhere.",
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        checks = [cell for cell in nb.cells if _is_check(cell)]
        tasks = [_task(cell) for cell in checks]
        if not any(tasks):
            if self.own_notebooks == KERNEL:
                nb, resources = Execute(parent=self.parent).preprocess(nb, resources)
            else:
                self._run_plainly(nb, resources["nbgrader"])
            for cell in checks:
                _make_score_explicit(cell)
            return nb, resources
        code = [cell for cell in nb.cells if cell.cell_type == "code" and not _is_check(cell)]
        given = _given_code(_released(self, resources["nbgrader"]), code)
        modules, left_out = modules_beside(_submitted(self, resources["nbgrader"]))
        submitted = Code(_sources(given, code), modules=modules)
        by_task: dict[str, TaskResult] = {}
        for unit in sorted({task.partition(".")[0] for task in tasks if task}):
            graded = self._grade(submitted, unit)
            by_task.update({task.id: task for task in graded.tasks})
            for cell, outcome in zip(code, graded.cells[len(given) :]):
                _show_outcome(cell, outcome.output, outcome.error)
        for cell in checks:
            self._give_score(cell, by_task.get(_task(cell)))
        _add_notes(nb, left_out)
        return nb, resources

    def _grade(self, code: Code, unit: str) -> Graded:
        from autograder.grading.engine import grade_code
        from autograder.judging.inputs import DEFAULT_SEED

        servers, limits = self._servers_and_limits()
        seed = DEFAULT_SEED if self.seed is None else self.seed
        return servers.run(lambda server: grade_code(server, code, unit, seed=seed, limits=limits))

    def _run_plainly(self, nb: NotebookNode, about: dict) -> None:
        """Run a notebook of the course's own, with the files beside it; every cell shows its outcome."""
        course = self.parent.parent.coursedir
        folder = Path(course.format_path(course.autograded_directory, about["student"], about["assignment"]))
        code = [cell for cell in nb.cells if cell.cell_type == "code"]
        sources = [
            plain.with_value_kept(cell.source, n) if _is_check(cell) else cell.source for n, cell in enumerate(code)
        ]
        servers, limits = self._servers_and_limits()
        outcomes = servers.run(lambda server: plain.run(server, sources, plain.files_in(folder, self.log), limits))
        for cell, outcome in zip(code, outcomes):
            _show_outcome(cell, outcome.output, outcome.error)
            if outcome.value and not outcome.error:
                data = {"text/plain": restore.as_text(outcome.value)}
                cell.outputs.append(nbformat.v4.new_output("execute_result", data=data, execution_count=1))

    def _servers_and_limits(self) -> tuple[Servers, Limits]:
        servers = _Servers.start(jailed=not self.unsafe, log=self.log)
        from autograder.sandbox.session import Limits

        return servers, Limits(self.check_timeout, self.timeout, self.memory)

    def _give_score(self, cell: NotebookNode, task: TaskResult | None) -> None:
        """Write the score: without one nbgrader gives full marks, and a score above the maximum stops it."""
        maximum = Fraction(str(cell.metadata.nbgrader.points))
        if task is None:
            name = cell.metadata.nbgrader.grade_id
            self.log.warning("The grader knows no task %r: give its points by hand.", name)
            text = f"<p>The grader does not know the task <code>{html.escape(name)}</code>: it is graded by hand.</p>"
            cell.outputs = [_score(Fraction(0), text, {})]
            return
        share = task.points / task.max_points if task.max_points else Fraction(1)
        cell.outputs = [_score(maximum * share, feedback_fragment(task), {KEY: results.pack(task)})]


def _task(cell: NotebookNode) -> str:
    """The task that a check cell grades; ``""`` if it is not one of this course."""
    return task_of(cell.metadata.nbgrader.grade_id)


def _is_check(cell: NotebookNode) -> bool:
    return utils.is_grade(cell) and not utils.is_solution(cell)


def _given_code(released: Sequence[NotebookNode], code: Sequence[NotebookNode]) -> list[str]:
    """The course's code before the first task (imports), unless the submission also has it."""
    present = _before_solutions(code)
    return [
        source for source in _before_solutions(released) if not any(restore.same_text(source, it) for it in present)
    ]


def _sources(given: Sequence[str], code: Sequence[NotebookNode]) -> list[str]:
    """What to execute, in order; an empty text stands for a demonstration that no other cell needs."""
    sources = [*given, *(cell.source for cell in code)]
    shown = [*(False for _ in given), *(is_unchanged(cell.metadata, cell.source) for cell in code)]
    return left_out(sources, shown)


def _before_solutions(cells: Sequence[NotebookNode]) -> list[str]:
    first = next((index for index, cell in enumerate(cells) if utils.is_solution(cell)), len(cells))
    return [cell.source for cell in cells[:first] if cell.cell_type == "code" and not utils.is_grade(cell)]


def _show_outcome(cell: NotebookNode, output: str, error: str) -> None:
    """What a cell printed and how it failed, as the outputs of that cell."""
    cell.outputs = []
    if output:
        cell.outputs.append(nbformat.v4.new_output("stream", name="stdout", text=restore.as_text(output)))
    if error:
        error = restore.as_text(error)
        kind, _, text = error.partition(": ")
        cell.outputs.append(nbformat.v4.new_output("error", ename=kind, evalue=text, traceback=[error]))


def _score(points: Fraction, text: str, metadata: dict) -> NotebookNode:
    data = {"text/plain": repr(float(points)), "text/html": restore.as_text(text)}
    return nbformat.v4.new_output("execute_result", data=data, metadata=metadata, execution_count=1)


_NUMPY_NUMBER = re.compile(r"np\.\w+\((.*)\)")


def _make_score_explicit(cell: NotebookNode) -> None:
    """The score of an executed check cell that is not one of this course's.

    nbgrader gives full points for any result that it cannot read as a number (``False``, a tensor, NaN, a string), none
    if something was written to standard error, and stops at more than the maximum.
    """
    if cell.cell_type != "code" or any(output.output_type == "error" for output in cell.outputs):
        return
    shown = [output for output in cell.outputs if output.output_type == "execute_result"]
    maximum = Fraction(str(cell.metadata.nbgrader.points))
    points, note = maximum, "No assertion failed."
    if shown:
        value = shown[-1].data.get("text/plain", "")
        share = _number(value, float(maximum))
        points, note = share or Fraction(0), f"The check ended with the value {value[:100]}"
        note += "." if share is not None else ", which is no score."
    cell.outputs.insert(0, _score(points, f"<p>{html.escape(note)}</p>", {}))


def _number(value: str, maximum: float) -> Fraction | None:
    """The score from 0 to ``maximum`` that the text represents; ``None`` if it is no score."""
    if value in ("True", "False"):
        return Fraction(str(maximum)) if value == "True" else Fraction(0)
    match = _NUMPY_NUMBER.fullmatch(value)
    try:
        number = float(match[1] if match else value)
    except ValueError:
        return None
    return None if math.isnan(number) else Fraction(str(min(max(number, 0.0), maximum)))


class _Servers:
    """The fork server of this process: started when first needed, ended with the process."""

    _running: Servers | None = None

    @classmethod
    def start(cls, jailed: bool, log: Any) -> Servers:
        if cls._running is None:
            launch.prestart(jailed, compiler=True)
            with launch.importing():
                from autograder.grading.engine import Servers, prepare_process

            if not jailed:
                log.warning(UNSAFE)
            prepare_process()
            servers = Servers(jailed)
            atexit.register(servers.__exit__)
            servers.current().wait_until_ready()
            cls._running = servers
        return cls._running


# --- reading the results back -----------------------------------------------------------------------------


def graded_submissions(course_root: Path) -> list[Submission]:
    """The results of ``nbgrader autograde`` for a course's submissions, for the reports on a class.

    Folders are nbgrader's default ones. Includes students who submitted nothing, or nothing that can be read.
    """
    found = []
    for folder in sorted((course_root / "submitted").glob("*/*")):
        student, assignment = folder.parts[-2:]
        if not folder.is_dir() or folder.name.startswith("."):
            continue
        notebooks = sorted((course_root / "autograded" / student / assignment).glob("*.ipynb"))
        found += [_graded(path, student) for path in notebooks]
        if not notebooks:
            found.append(
                Submission(str(folder), student, assignment, status="failed", message="Nothing was submitted.")
            )
    return found


def _graded(path: Path, student: str) -> Submission:
    notebook = nbformat.read(path, as_version=4)
    tasks = [
        results.unpack_task(output.metadata[KEY])
        for cell in notebook.cells
        if _is_check(cell)
        for output in cell.outputs
        if KEY in output.get("metadata", {})
    ]
    tasks.sort(key=lambda task: position(task.id))
    problem = notebook.metadata.get(KEY, {}).get("problem")
    unit = tasks[0].id.partition(".")[0] if tasks else path.stem
    if problem:
        return Submission(str(path), student, unit, status="failed", message=problem)
    return Submission(str(path), student, unit, tuple(tasks))
