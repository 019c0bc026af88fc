"""A class to try the grader on: ``python -m autograder.sample_class COURSE_ROOT`` writes its submissions.

Every learner is data: what they hand in, made from the released notebook, the solutions, the mistakes and the
alternatives, and the points that their code deserves. None of these files is committed; ``--grade`` also takes the
class through nbgrader and prints how it did.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.course import addresses
from autograder.course.catalogue import Entry, Mistake, alternatives, complete_source, mistakes, reference_module
from autograder.course.registry import find_unit
from autograder.judging.inputs import DEFAULT_SEED, Rng, seed_for
from autograder.judging.results import Submission
from autograder.judging.runner import load_checks, max_points, reference
from autograder.judging.subject import Learner, LearnerRaised, LocalSubject
from autograder.lms.release import solution_of
from autograder.lms.stubs import C_MAGIC

UNITS = ("attention", "masks")
CHECK_TIMEOUT = 3.0  # seconds; short, since the class has endless loops

MISTAKES = {
    "attention": (
        ("softmax", "softmax-over-queries"),
        ("attention_scores", "no-scale"),
        ("scaled_dot_product_attention", "mask-inverted"),
        ("CrossAttention", "queries-from-memory"),
    ),
    "masks": (
        ("padding_mask", "padding-is-true"),
        ("causal_mask", "own-position-hidden"),
        ("decoder_mask", "or-for-and"),
        ("to_key_padding_mask", "not-inverted"),
    ),
}

# Of the units after the first only these take part: the notebooks work alike.
FEW = ("ada", "ben-style-1", "carla", "dora", "emil", "Zoë")

UNSAFE_OPTION = "--GradeInProcess.unsafe=True"

Sources = Mapping[str, str]  # name of a task -> code
Files = Mapping[str, bytes]  # name of a file -> content


@dataclass(frozen=True)
class Pupil:
    """One learner: the files that they hand in for a unit, and the points that each task deserves.

    ``lost``: the tasks that deserve nothing; all others deserve everything. ``mistake``: the catalogued mistake
    in the code instead, which the feedback has to name.
    """

    id: str
    unit: str
    build: Callable[[NotebookNode], Files]
    lost: tuple[str, ...] = ()
    mistake: Mistake | None = None

    @property
    def expected(self) -> Mapping[str, Fraction]:
        """Points per task."""
        if self.mistake:
            return measured(self.mistake)
        return full_marks(self.unit) | {f"{self.unit}.{name}": Fraction(0) for name in self.lost}

    @property
    def points(self) -> Fraction:
        return sum(self.expected.values(), Fraction(0))


# --- what their code deserves ------------------------------------------------------------------------------


def full_marks(unit: str) -> dict[str, Fraction]:
    """All points of every task."""
    return {task: max_points(task) for task in find_unit(unit).task_ids}


@lru_cache(maxsize=None)
def measured(mistake: Mistake) -> dict[str, Fraction]:
    """The points of a solution with one mistake, which costs its own task alone; found without process or notebook."""
    names: dict = {"__name__": "sample"} | vars(reference_module(mistake.unit))  # for its imports
    for source in solved(mistake.unit, mistake).values():
        exec(compile(source, f"<{mistake.name}>", "exec"), names)
    points = full_marks(mistake.unit) | {mistake.task: Fraction(0)}
    for check in load_checks(mistake.unit):
        if check.task != mistake.task or not check.function:
            continue
        seed = seed_for(DEFAULT_SEED, check.id)
        learner = Learner(LocalSubject(names), seed)
        with contextlib.suppress(AssertionError, LearnerRaised):
            check.function(learner=learner, reference=reference(mistake.unit, seed), rng=Rng(seed))
            points[check.task] += check.points
    return points


# --- code -------------------------------------------------------------------------------------------------


def solved(unit: str, *entries: Entry) -> dict[str, str]:
    """Right code for every task; entries of the catalogue replace those of their tasks."""
    solution, magic = solution_of(find_unit(unit)), f"{C_MAGIC}\n" if find_unit(unit).language == "c" else ""
    sources = {name: solution.source(name) for name in find_unit(unit).names}
    return sources | {entry.task.partition(".")[2]: magic + complete_source(entry) for entry in entries}


def in_style(unit: str, number: int) -> list[Entry]:
    """For every task its alternative of that number, modulo the number of alternatives."""
    by_task = {task: [entry for entry in alternatives(unit) if entry.task == task] for task in find_unit(unit).task_ids}
    return [entries[number % len(entries)] for entries in by_task.values() if entries]


def unused_task(unit: str) -> str:
    """The last task whose code no other task of the unit uses: a mistake in it costs its own points alone."""
    sources = solved(unit)
    used = {
        name
        for name in sources
        if any(re.search(rf"\b{name}\b", source) for other, source in sources.items() if other != name)
    }
    return [name for name in sources if name not in used][-1]


def find_mistake(task: str, name: str) -> Mistake:
    return next(entry for entry in mistakes(task.partition(".")[0]) if (entry.task, entry.name) == (task, name))


# --- notebooks --------------------------------------------------------------------------------------------


def fill(notebook: NotebookNode, sources: Sources) -> NotebookNode:
    """The released notebook with code in its solution cells, and saved outputs, as learners hand it in."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        for name in sources:
            if _is_solution(cell, name):
                cell.source = sources[name]
    return notebook


def _is_solution(cell: NotebookNode, name: str) -> bool:
    """Whether this is the cell for the task of that name."""
    return is_solution(cell) and bool(re.search(rf"^(?:def|class|void) {name}\b", cell.source, re.MULTILINE))


def is_check(cell: NotebookNode) -> bool:
    about = cell.metadata.get("nbgrader", {})
    return about.get("grade", False) and not about.get("solution", False)


def is_reflection(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and cell.metadata.get("nbgrader", {}).get("grade", False)


def to_file(notebook: NotebookNode) -> bytes:
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()


def is_solution(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution", False)


def as_colab_saves(notebook: NotebookNode, same_ids: bool = False) -> NotebookNode:
    """A notebook without nbgrader's metadata, with Colab's keys and outputs, without cell ids (or with equal ones)."""
    notebook = copy.deepcopy(notebook)
    notebook["nbformat_minor"] = 5 if same_ids else 0
    notebook["metadata"] = {
        "colab": {"provenance": [], "toc_visible": True},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
    }
    for number, cell in enumerate(notebook.cells):
        cell["metadata"] = {"id": f"Xy{number}zQ", "colab": {"base_uri": "https://localhost:8080/"}}
        del cell["id"]
        if same_ids:
            cell["id"] = "the-same-everywhere"
        if cell.cell_type == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stderr", "text": ["a warning from Colab\n"]}]
            cell["execution_count"] = number
    return notebook


def as_version_3(notebook: NotebookNode) -> NotebookNode:
    """The notebook in the format of IPython 2, which learners still hand in."""
    return nbformat.convert(copy.deepcopy(notebook), 3)


# --- the class --------------------------------------------------------------------------------------------


def _unchanged(notebook: NotebookNode) -> NotebookNode:
    return notebook


def _add_cell(source: str) -> Callable[[NotebookNode], NotebookNode]:
    """Add a code cell after the last solution."""

    def change(notebook: NotebookNode) -> NotebookNode:
        last = max(index for index, cell in enumerate(notebook.cells) if is_solution(cell))
        notebook.cells.insert(last + 1, nbformat.v4.new_code_cell(source))
        return notebook

    return change


def _edit_checks(notebook: NotebookNode) -> NotebookNode:
    for cell in filter(is_check, notebook.cells):
        cell.source = "import statistics\n" + cell.source.replace("check(", "print(100, ")
    return notebook


def _need_an_import_in_a_check(notebook: NotebookNode) -> NotebookNode:
    """Their last solution uses a module that they import in a locked cell."""
    first = next(filter(is_check, notebook.cells))
    first.source = f"import operator as my_own_operators\n{first.source}"
    *_, last = filter(is_solution, notebook.cells)
    last.source = f"my_own_operators.add(1, 1)\n\n{last.source}"
    return notebook


def _delete_checks(notebook: NotebookNode) -> NotebookNode:
    notebook.cells = [cell for cell in notebook.cells if not is_check(cell)]
    return notebook


def _to_markdown(notebook: NotebookNode, which: Callable[[NotebookNode], bool]) -> NotebookNode:
    for cell in filter(which, notebook.cells):
        cell["cell_type"] = "markdown"
        cell.pop("outputs", None)
        cell.pop("execution_count", None)
    return notebook


def _reorder(notebook: NotebookNode) -> NotebookNode:
    """Put the tasks from last to first, and the imports at the very end."""
    notebook.cells = notebook.cells[::-1]
    return notebook


def _split(notebook: NotebookNode) -> NotebookNode:
    """Split every solution into two cells, as JupyterLab does: both keep the metadata, and so the same grade id."""
    cells = []
    for cell in notebook.cells:
        if is_solution(cell):
            cells.append(copy.deepcopy(cell) | {"source": "my_note = 'the answer is below'"})
        cells.append(cell)
    notebook.cells = [nbformat.from_dict(cell) for cell in cells]
    return notebook


def _answer_reflection(notebook: NotebookNode) -> NotebookNode:
    for cell in filter(is_reflection, notebook.cells):
        cell.source += "\n\nBecause every query has its own row."
    return notebook


NOISE = """import logging, sys, warnings
warnings.warn("this is only a warning")
print("and this goes to stderr", file=sys.stderr)
logging.error("and this is logged as an error")
"""
LOUDLY = """
import warnings as _warnings, sys as _sys, functools as _functools

def _loudly(function):
    @_functools.wraps(function)
    def wrapped(*args, **kwargs):
        _warnings.warn("called again")
        print("called", file=_sys.stderr)
        return function(*args, **kwargs)
    return wrapped

"""


def class_of(unit: str) -> list[Pupil]:
    """The learners of one unit."""
    last = unused_task(unit)
    right = solved(unit)
    first, *_ = names = list(right)
    half = {name: right[name] for name in names[: len(names) // 2]}
    loud = {**right, first: f"{right[first]}\n{LOUDLY}\n{first} = _loudly({first})\n"}

    def learner(name: str, change=_unchanged, sources: Sources = right, lost=(), mistake=None) -> Pupil:
        build = lambda released: {f"{unit}.ipynb": to_file(change(fill(released, sources)))}  # noqa: E731
        return Pupil(name, unit, build, tuple(lost), mistake)

    def with_files(name: str, files: Callable[[NotebookNode], Files], lost=()) -> Pupil:
        return Pupil(name, unit, lambda released: files(fill(released, right)), tuple(lost))

    def with_mistake(task: str, name: str) -> Pupil:
        mistake = find_mistake(f"{unit}.{task}", name)
        return learner(f"carla-{name}", sources=solved(unit, mistake), mistake=mistake)

    return [
        learner("ada-all-right", _answer_reflection),
        *(learner(f"ben-style-{number + 1}", sources=solved(unit, *in_style(unit, number))) for number in range(3)),
        *(with_mistake(task, name) for task, name in MISTAKES[unit]),
        learner("dora-half-finished", sources=half, lost=names[len(half) :]),
        learner("emil-empty", sources={}, lost=names),
        learner("fay-syntax-error", sources={**right, last: right[last] + "\n    oops oops\n"}, lost=[last]),
        learner("gil-loop-in-function", sources={**right, last: _endless(right[last])}, lost=[last]),
        learner("hal-loop-in-cell", _add_cell("while True:\n    pass")),
        learner("ida-exits", _add_cell("import os\nos._exit(0)")),
        learner("jon-colab", as_colab_saves),
        learner("kim-other-editor", partial(as_colab_saves, same_ids=True)),
        learner("lea-checks-edited", _edit_checks),
        learner("lou-import-in-check", _need_an_import_in_a_check),
        learner("max-checks-deleted", _delete_checks),
        learner("mia-checks-as-text", partial(_to_markdown, which=is_check)),
        learner("ned-solution-as-text", partial(_to_markdown, which=lambda cell: _is_solution(cell, last))),
        learner("ole-input", _add_cell("name = input('Who are you? ')\nprint('hello', name)")),
        learner("pia-50-megabytes", _add_cell("for _ in range(50):\n    print('x' * 10**6)")),
        learner("quin-noise", _add_cell(NOISE), loud),
        learner("rex-reordered", _reorder),
        learner("sam-split-cells", _split),
        learner("tom-old-format", as_version_3),
        learner("Zoë Müller"),
        with_files("uma-renamed", lambda notebook: {f"{unit} (1) final.ipynb": to_file(notebook)}),
        with_files("vic-extra-files", partial(_with_extra_files, unit)),
        with_files("wes-broken-file", lambda notebook: {f"{unit}.ipynb": to_file(notebook)[:-400]}, lost=names),
        with_files("xia-nothing", lambda notebook: {}, lost=names),
    ]


def _endless(source: str) -> str:
    """The source with an endless loop at the beginning of the function (of ``forward`` in a class)."""
    lines = source.splitlines()
    classes = any(line.startswith("class ") for line in lines)
    header = "    def forward(" if classes else "def "
    start = next(index for index, line in enumerate(lines) if line.startswith(header))
    indent = " " * (8 if classes else 4)
    return "\n".join([*lines[: start + 1], f"{indent}while True:", f"{indent}    pass", *lines[start + 1 :]]) + "\n"


def _with_extra_files(unit: str, notebook: NotebookNode) -> Files:
    return {
        f"{unit}.ipynb": to_file(notebook),
        "scratch.ipynb": to_file(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1/0")])),
        f"{unit}.html": b"<h1>an export</h1>",
        ".DS_Store": b"\0\0\0\1Bud1",
        f".ipynb_checkpoints/{unit}-checkpoint.ipynb": b"{",
    }


def pupils(units: Iterable[str] = UNITS) -> list[Pupil]:
    """The whole class: everybody in the first unit, and fewer in the others, whose notebooks work alike."""
    chosen = []
    for unit in units:
        members = class_of(unit)
        few = unit != UNITS[0]
        chosen += [pupil for pupil in members if not few or pupil.id.startswith(FEW)]
    return chosen


def write(course_root: Path, units: Iterable[str] = UNITS) -> list[Pupil]:
    """Write ``submitted/<student>/<unit>/…``; the assignments must have been released there before."""
    members = pupils(units)
    for unit in units:
        released = nbformat.read(course_root / "release" / unit / f"{unit}.ipynb", as_version=4)
        for pupil in members:
            if pupil.unit != unit:
                continue
            folder = course_root / "submitted" / pupil.id / unit
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for name, data in pupil.build(released).items():
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_bytes(data)
    return members


# --- the class through nbgrader ---------------------------------------------------------------------------


def grade(course_root: Path, units: Iterable[str] = UNITS) -> list[Submission]:
    """Release, write the class, grade it, write feedback and ``grades.csv``: all the steps of an instructor."""
    from autograder.lms.nbgrader import graded_submissions
    from autograder.lms.release import generate

    course_root = course_root.resolve()
    generate(course_root, units)
    enrol(course_root, [pupil.id for pupil in write(course_root, units)])
    for unit in units:
        autograde(course_root, unit)
        nbgrader(course_root, "generate_feedback", unit, "--force")
    nbgrader(course_root, "export", f"--to={course_root / 'grades.csv'}")
    return graded_submissions(course_root)


def enrol(course_root: Path, members: Iterable[str]) -> None:
    """Put learners with names into the gradebook, for an instructor to read: Ada All Right is ``ada-all-right``."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course_root / 'gradebook.db'}") as gradebook:
        for member in members:
            first, *others = member.replace("-", " ").title().split()
            gradebook.update_or_create_student(member, first_name=first, last_name=" ".join(others))


def autograde(course_root: Path, unit: str, *options: str) -> str:
    """Grade a unit and return what nbgrader logged.

    Without a sandbox the class is graded nevertheless, since its code is ours; a warning says so.
    """
    command = ("autograde", unit, "--force", f"--GradeInProcess.check_timeout={CHECK_TIMEOUT}", *options)
    try:
        return nbgrader(course_root, *command)
    except NbgraderFailed as error:
        refused = [line for line in str(error).splitlines() if UNSAFE_OPTION in line]
        if not refused:
            raise
        print(refused[-1], file=sys.stderr)
        return nbgrader(course_root, *command, UNSAFE_OPTION)


class NbgraderFailed(RuntimeError):
    """An nbgrader command ended with an error; the text ends with what it logged."""


def nbgrader(course_root: Path, *arguments: str) -> str:
    """Run an nbgrader command on a course folder, with this project's configuration; returns what it logged."""
    command = [sys.executable, "-m", "nbgrader", *arguments, f"--CourseDirectory.root={course_root}"]
    done = subprocess.run(command, cwd=addresses.ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NbgraderFailed(f"nbgrader {' '.join(arguments)} failed:\n{done.stderr[-5000:]}")
    return done.stderr


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder.sample_class", description="Make a class to try the grader on."
    )
    parser.add_argument("course_root", metavar="COURSE_ROOT", type=Path)
    parser.add_argument("--grade", action="store_true", help="also take it through nbgrader, and print how it did")
    parser.add_argument("--report", metavar="FILE", type=Path, help="write the class report (HTML)")
    options = parser.parse_args(arguments)
    if not options.grade:
        from autograder.lms.release import generate

        generate(options.course_root, UNITS)
        print(f"{len(write(options.course_root))} submissions are in {options.course_root / 'submitted'}.")
        return 0
    from autograder import reports
    from autograder.reports import html, terminal

    submissions = grade(options.course_root)
    terminal.print_class(submissions)
    page = options.report or options.course_root.parent / "class" / "report.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    reports.write(page, html.class_page(submissions, "The sample class"))
    print(f"Class report: {page}")
    print(f"Grades: {options.course_root / 'grades.csv'}, feedback: {options.course_root / 'feedback'}")
    return 0
