"""nbgrader with this grader in it. A course needs two lines in its ``nbgrader_config.py``::

    from autograder.nbgrader import configure
    configure(get_config())

nbgrader then works as always (gradebook, late penalties, formgrader, feedback, export), but for two steps of
``nbgrader autograde``. Before anything else the submission is put back into the form in which it was released
(`RebuildSubmission`). And instead of running the notebook in a kernel and reading the check cells' outputs,
our grader runs it in a process of its own and writes the scores into the check cells (`GradeInProcess`), from
where nbgrader takes them. Notebooks that have nothing of this course in them are left to nbgrader.
"""

from __future__ import annotations

import atexit
import glob
import html
import math
import os
import re
import shutil
import stat
import warnings
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.exporters import HTMLExporter, NotebookExporter
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, GenerateAssignment, base
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearSolutions, Execute, NbGraderPreprocessor
from traitlets import Bool, Float, Integer
from traitlets.config import Config

from autograder.course.registry import COMPLETE
from autograder.judging import results
from autograder.judging.results import CheckResult, Diagnosis, Submission, TaskResult
from autograder.lms import restore, sanitize
from autograder.lms.grade_ids import allow_dots
from autograder.reports.html import feedback_fragment
from autograder.sandbox import launch
from autograder.submissions.demonstrations import is_unchanged, left_out
from autograder.submissions.notebooks import UnreadableSubmission, content
from autograder.submissions.syntax import defined_names

if TYPE_CHECKING:
    from autograder.grading.engine import Graded, Servers

UNSAFE = "WARNING: GradeInProcess.unsafe: submissions run without a sandbox and can read and change all that you can."
TASKS = tuple(task for unit in COMPLETE for task in unit.task_ids)
KEY = "autograder"  # of what we store in the metadata of notebooks and outputs
IGNORED_FILES = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", ".DS_Store", "*.html"]


def configure(config: Config, root: str | os.PathLike[str] | None = None) -> Config:
    """Set nbgrader up; whatever is set after this call, or on the command line, wins.

    Args:
        config: what ``get_config()`` returns in an ``nbgrader_config.py``.
        root: the course folder; by default nbgrader's own, which is the current folder.
    """
    if root is not None:
        config.CourseDirectory.root = os.path.abspath(root)
    # nbgrader's default is no course at all, which PostgreSQL refuses; parts of nbgrader use this one as it is.
    config.CourseDirectory.course_id = "default_course"
    # A learner's own export of the notebook (.html) would stand where the feedback page has to go.
    config.CourseDirectory.ignore = IGNORED_FILES
    # Names instead of classes: only the steps that are used load what they need.
    config.GenerateAssignment.preprocessors = [
        "autograder.lms.release.ClearSolutionsByName"
        if step is ClearSolutions
        else f"nbgrader.preprocessors.{step.__name__}"
        for step in GenerateAssignment.class_traits()["preprocessors"].default()
    ]
    config.Autograde.exporter_class = "autograder.lms.nbgrader.SubmissionExporter"
    usual = Autograde.class_traits()
    config.Autograde.sanitize_preprocessors = [RebuildSubmission, *usual["sanitize_preprocessors"].default()]
    config.Autograde.autograde_preprocessors = [
        GradeInProcess if step is Execute else step for step in usual["autograde_preprocessors"].default()
    ]
    config.OverwriteCells.add_missing_cells = True
    allow_dots()
    HTMLExporter.markdown2html = sanitize.markdown2html  # type: ignore[method-assign]
    Autograde.init_notebooks = _init_notebooks
    Autograde.init_assignment = _init_assignment
    CourseDirectory.get_existing_timestamp = _get_existing_timestamp
    return config


# --- finding the notebooks of a submission -------------------------------------------------------------

_nbgraders_init_notebooks = Autograde.init_notebooks
_nbgraders_init_assignment = Autograde.init_assignment
_nbgraders_get_existing_timestamp = CourseDirectory.get_existing_timestamp


def _init_notebooks(converter: Autograde) -> None:
    """Before nbgrader looks for notebooks: those under another name get the one that nbgrader expects."""
    course = converter.coursedir
    pattern = course.format_path(course.submitted_directory, course.student_id, course.assignment_id)
    with Gradebook(course.db_url, course.course_id) as gradebook:
        try:
            notebooks = gradebook.find_assignment(course.assignment_id).notebooks
        except MissingEntry:
            notebooks = []  # nbgrader says so in its own words
        expected = [notebook.name for notebook in notebooks]
        if any(cell.name in TASKS for notebook in notebooks for cell in notebook.grade_cells):
            _start_grading_process(converter)
        folders = [folder for folder in sorted(glob.glob(pattern)) if os.path.isdir(folder)]
        nothing = [
            folder
            for folder in folders
            if expected and course.notebook_id == "*" and not _tidy(converter, gradebook, Path(folder), expected)
        ]
    _nbgraders_init_notebooks(converter)
    for folder in folders:
        # In a name with brackets, nbgrader looks for other names.
        notebooks = glob.glob(os.path.join(glob.escape(folder), f"{course.notebook_id}.ipynb"))
        if "\n" in folder:
            converter.log.error("Not graded: nbgrader stops at a line break in a name, as in %r; rename it.", folder)
            notebooks = []
        if notebooks and folder not in nothing:
            converter.assignments[folder] = notebooks
        else:
            converter.assignments.pop(folder, None)


def _init_assignment(converter: Autograde, assignment_id: str, student_id: str) -> None:
    """What lies beside a notebook is copied to where its author will see it; a link to anything at all is not."""

    def own_files(path: str, exclude: list[str] | None = None) -> list[str]:
        found = utils.find_all_files(path, exclude)
        own = [file for file in found if stat.S_ISREG(os.lstat(file).st_mode)]
        for file in sorted({*found} - {*own}):
            converter.log.warning("%s is left out: it is a symbolic link, or no regular file.", file)
        return own

    nbgraders, base.find_all_files = base.find_all_files, own_files
    try:
        _nbgraders_init_assignment(converter, assignment_id, student_id)
    finally:
        base.find_all_files = nbgraders


def _get_existing_timestamp(course: CourseDirectory, folder: str) -> datetime | None:
    """When a submission was handed in. nbgrader stops at a file without a time, and reads one without an end."""
    path = Path(folder) / "timestamp.txt"
    try:
        if os.path.lexists(path):
            utils.parse_utc(content(path).decode().strip())
    except (UnreadableSubmission, ValueError, OverflowError):
        course.log.warning("%s holds no time, so the submission counts as on time.", path)
        return None
    return _nbgraders_get_existing_timestamp(course, folder)


def _start_grading_process(converter: Autograde) -> None:
    """First of all: without a process to grade in, nothing is touched."""
    from autograder.sandbox.jail import NoJail
    from autograder.sandbox.session import ForkServerError

    try:
        _Servers.start(jailed=not GradeInProcess(parent=converter).unsafe, log=converter.log)
    except (NoJail, ForkServerError) as error:
        converter.log.error("%s To grade without a sandbox, at your own risk: --GradeInProcess.unsafe=True", error)
        raise NbGraderException(str(error)) from error


def _tidy(converter: Autograde, gradebook: Gradebook, folder: Path, expected: Sequence[str]) -> bool:
    """Give the notebooks of a submission their names; whether there is anything to grade."""
    found = [path for path in folder.rglob("*.ipynb") if not _is_hidden(path.relative_to(folder))]
    present = [path for path in found if path.is_file() and not path.is_symlink()]
    missing = [name for name in expected if folder / f"{name}.ipynb" not in found]
    unknown = [path for path in present if path.parent != folder or path.stem not in expected]
    for name in missing:
        # Which of several files is meant, only what is in them can tell.
        possible = [path for path in unknown if len(missing) == 1 or _tasks_in(path, name) > 0]
        if possible:
            chosen = max(possible, key=lambda path: (_tasks_in(path, name), path.stat().st_mtime))
            unknown.remove(chosen)
            _copy_as(converter, chosen, folder / f"{name}.ipynb")
    if any(os.path.lexists(folder / f"{name}.ipynb") for name in expected):
        return True
    student = folder.relative_to(folder.parents[1]).parts[0]
    converter.log.warning("Not submitted: there is no notebook in %s, so %s has no points for it.", folder, student)
    if converter.create_student and student not in {known.id for known in gradebook.students}:
        gradebook.add_student(student)  # and so stands in the export, with 0 points
    return False


def _copy_as(converter: Autograde, chosen: Path, expected: Path) -> None:
    try:
        shutil.copyfile(chosen, expected)
    except OSError as error:
        converter.log.error("%s cannot be graded: copying it to %s failed (%s).", chosen, expected.name, error)
    else:
        converter.log.warning("%s is graded as %s: it was handed in under another name.", chosen, expected.name)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)


def _tasks_in(path: Path, unit: str) -> int:
    """How many tasks of a unit a notebook defines."""
    try:
        cells = restore.read_cells(content(path), path.name)
    except UnreadableSubmission:
        return -1
    names = set().union(*(defined_names(cell.source) for cell in cells)) if cells else set()
    return sum(f"{unit}.{name}" in TASKS for name in names)


# --- first step: the submission as nbgrader can grade it -----------------------------------------------


class SubmissionExporter(NotebookExporter):
    """Reads submissions of every format version, and damaged ones as notebooks without cells."""

    def from_filename(self, filename: str, resources: Any = None, **options: Any) -> Any:
        if not getattr(self.parent, "_sanitizing", False):  # what the first step wrote
            return super().from_filename(filename, resources=resources, **options)
        return self.from_notebook_node(self._read(Path(filename)), resources=resources, **options)

    def _read(self, path: Path) -> NotebookNode:
        notebook = nbformat.v4.new_notebook(metadata={"language_info": {"name": "python"}})
        try:
            notebook.cells = restore.read_cells(content(path), path.name)
        except UnreadableSubmission as error:
            self.log.error("%s cannot be read and gets no points: %s", path, error)
            notebook.metadata[KEY] = {"problem": str(error)}
        return notebook


class RebuildSubmission(NbGraderPreprocessor):
    """Puts every cell of the gradebook back into the notebook, whatever an editor or a learner did to it."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        about = resources["nbgrader"]
        wanted = _wanted(about["db_url"], about["notebook"], about["assignment"])
        if not any(item.task for item in wanted):
            return nb, resources
        problem = nb.metadata.get(KEY, {}).get("problem")
        rebuilt = restore.rebuild(nb.cells, wanted, _released(self, about))
        nb.cells = rebuilt.cells
        notes = [problem] if problem else rebuilt.notes
        for note in notes:
            self.log.info("%s: %s", about["student"], note)
        _add_notes(nb, notes)
        return nb, resources


def _wanted(db_url: str, notebook: str, assignment: str) -> list[restore.Wanted]:
    """The cells that the gradebook has on record for a notebook."""
    with Gradebook(db_url) as gradebook:
        entry = gradebook.find_notebook(notebook, assignment)
        points = {cell.name: float(cell.max_score) for cell in entry.grade_cells}
        solutions = {cell.name for cell in entry.solution_cells}
        tasks = {cell.name for cell in entry.task_cells}  # nbgrader's word for questions answered anywhere
        in_order = sorted(entry.source_cells, key=lambda cell: (_place(cell.name), cell.name))
        return [
            restore.Wanted(
                name=cell.name,
                cell_type=cell.cell_type,
                source=cell.source or "",
                checksum=cell.checksum,
                locked=bool(cell.locked),
                points=points.get(cell.name),
                solution=cell.name in solutions,
                task=cell.name if cell.name in TASKS else "",
            )
            for cell in in_order
            if cell.name not in tasks
        ]


def _released(step: NbGraderPreprocessor, about: dict) -> list[NotebookNode]:
    """The cells that learners got, if the released notebook is still there."""
    course = step.parent.parent.coursedir
    folder = Path(course.format_path(course.release_directory, ".", about["assignment"]))
    try:
        return restore.read_cells((folder / f"{about['notebook']}.ipynb").read_bytes(), "The released notebook")
    except (OSError, UnreadableSubmission):
        return []


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

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        checks = [cell for cell in nb.cells if _is_check(cell)]
        tasks = [_task(cell) for cell in checks]
        if not any(tasks):
            nb, resources = Execute(parent=self.parent).preprocess(nb, resources)
            for cell in checks:
                _make_score_explicit(cell)
            return nb, resources
        code = [cell for cell in nb.cells if cell.cell_type == "code" and not _is_check(cell)]
        given = _given_code(_released(self, resources["nbgrader"]), code)
        sources = _sources(given, code)
        by_task: dict[str, TaskResult] = {}
        for unit in sorted({task.partition(".")[0] for task in tasks if task}):
            graded = self._grade(sources, unit)
            by_task.update({task.id: task for task in graded.tasks})
            for cell, outcome in zip(code, graded.cells[len(given) :]):
                _show_outcome(cell, outcome.output, outcome.error)
        for cell in checks:
            self._give_score(cell, by_task.get(_task(cell)))
        return nb, resources

    def _grade(self, sources: list[str], unit: str) -> Graded:
        from autograder.grading.engine import ATTEMPTS, grade_cells
        from autograder.judging.inputs import DEFAULT_SEED
        from autograder.sandbox.session import ForkServerError, Limits

        servers = _Servers.start(jailed=not self.unsafe, log=self.log)
        seed = DEFAULT_SEED if self.seed is None else self.seed
        limits = Limits(self.check_timeout, self.timeout, self.memory)
        for _ in range(ATTEMPTS):
            server = servers.current()
            try:
                return grade_cells(server, sources, unit, seed=seed, limits=limits)
            except ForkServerError:
                servers.replace(server)
        raise ForkServerError(f"The grading process died {ATTEMPTS} times on this submission; grade it by hand.")

    def _give_score(self, cell: NotebookNode, task: TaskResult | None) -> None:
        """Without an explicit score nbgrader would give full marks, and one above the maximum stops it."""
        maximum = Fraction(str(cell.metadata.nbgrader.points))
        if task is None:
            name = cell.metadata.nbgrader.grade_id
            self.log.warning("The grader knows no task %r: give its points by hand.", name)
            text = f"<p>The grader does not know the task <code>{html.escape(name)}</code>: it is graded by hand.</p>"
            cell.outputs = [_score(Fraction(0), text, {})]
            return
        share = task.points / task.max_points if task.max_points else Fraction(1)
        cell.outputs = [_score(maximum * share, feedback_fragment(task), {KEY: _to_json(task)})]


def _task(cell: NotebookNode) -> str:
    """The task that a check cell grades; ``""`` if it is not one of this course."""
    name = cell.metadata.nbgrader.grade_id
    return name if name in TASKS else ""


def _place(task: str) -> int:
    """Where a task stands in the course; anything else comes last."""
    return TASKS.index(task) if task in TASKS else len(TASKS)


def _is_check(cell: NotebookNode) -> bool:
    return utils.is_grade(cell) and not utils.is_solution(cell)


def _given_code(released: Sequence[NotebookNode], code: Sequence[NotebookNode]) -> list[str]:
    """What the course gives before the first task (imports), unless it stands before the submission's first one."""
    in_place = _before_solutions(code)
    return [
        source for source in _before_solutions(released) if not any(restore.same_text(source, it) for it in in_place)
    ]


def _sources(given: Sequence[str], code: Sequence[NotebookNode]) -> list[str]:
    """What to execute, in order; empty for a demonstration that nothing needs."""
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

    nbgrader gives full points for whatever it cannot read as a number (``False``, a tensor, NaN, a string), none
    where something was written to standard error, and stops at more than the maximum.
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
    """The score that a value as text stands for, from 0 to ``maximum``; ``None`` if it is none."""
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
                import torch

                from autograder.grading.engine import Servers

            if not jailed:
                log.warning(UNSAFE)
            warnings.simplefilter("ignore")  # catalogued mistakes, run for the diagnosis, may provoke some
            torch.set_num_threads(1)  # scores must not depend on how many threads share a sum
            servers = Servers(jailed)
            atexit.register(servers.__exit__)
            servers.current().wait_until_ready()
            cls._running = servers
        return cls._running


# --- reading the results back -----------------------------------------------------------------------------


def graded_submissions(course_root: Path) -> list[Submission]:
    """What ``nbgrader autograde`` made of a course's submissions, for the reports on a class.

    Folders are nbgrader's default ones. Who handed in nothing, or something unreadable, is not left out.
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
        _from_json(output.metadata[KEY])
        for cell in notebook.cells
        if _is_check(cell)
        for output in cell.outputs
        if KEY in output.get("metadata", {})
    ]
    tasks.sort(key=lambda task: _place(task.id))
    problem = notebook.metadata.get(KEY, {}).get("problem")
    unit = tasks[0].id.partition(".")[0] if tasks else path.stem
    if problem:
        return Submission(str(path), student, unit, status="failed", message=problem)
    return Submission(str(path), student, unit, tuple(tasks))


def _to_json(task: TaskResult) -> dict:
    data = results.to_json([Submission("", "", "", (task,))])["submissions"][0]["tasks"][0]
    for check, result in zip(data["checks"], task.checks):
        check["title"] = result.title
    return data


def _from_json(data: dict) -> TaskResult:
    checks = tuple(
        CheckResult(
            id=check["id"],
            status=check["status"],
            points=Fraction(str(check["points"])),
            max_points=Fraction(str(check["max_points"])),
            message=check["message"],
            title=check["title"],
        )
        for check in data["checks"]
    )
    return TaskResult(data["id"], checks, Diagnosis(**data["diagnosis"]) if data["diagnosis"] else None)
