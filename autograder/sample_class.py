"""A class to try the grader on: ``python -m autograder.sample_class COURSE_ROOT`` writes its submissions.

Every learner is data: what they hand in, made from the released notebook, the solutions, the mistakes and the
alternatives, and the points that their code deserves. Nothing of it is committed; ``--grade`` also takes the
class through nbgrader and prints how it did.
"""

from __future__ import annotations

import argparse
import copy
import inspect
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder import settings
from autograder.catalogue import Mistake, alternatives, complete_source, mistakes, reference_module
from autograder.checking import max_points, run_checks
from autograder.registry import find_unit
from autograder.report import Submission
from autograder.subject import LocalSubject

UNITS = ("attention", "masks")
LAST_TASK = {"attention": "CrossAttention", "masks": "to_key_padding_mask"}  # nothing else of the unit uses these
CHECK_TIMEOUT = 4.0  # seconds: the class has loops that never end, and nobody wants to wait for them

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
FEW = ("ada", "ben", "carla", "dora", "emil", "gil", "jon", "Zoë")

Sources = Mapping[str, str]  # name of a task -> code
Files = Mapping[str, bytes]  # name of a file -> content


@dataclass(frozen=True)
class Student:
    """One learner: the files that they hand in for a unit, and the points that each task deserves.

    ``mistake``: the catalogued mistake that their feedback has to name.
    """

    id: str
    unit: str
    build: Callable[[NotebookNode], Files]
    expected: Mapping[str, Fraction]
    mistake: Mistake | None = None

    @property
    def points(self) -> Fraction:
        return sum(self.expected.values(), Fraction(0))


# --- what their code deserves ------------------------------------------------------------------------------


def full(unit: str) -> dict[str, Fraction]:
    """All points of every task."""
    return {task: max_points(task) for task in find_unit(unit).task_ids}


def without(unit: str, *names: str) -> dict[str, Fraction]:
    """All points but those of the named tasks."""
    return full(unit) | {f"{unit}.{name}": Fraction(0) for name in names}


def nothing(unit: str) -> dict[str, Fraction]:
    return dict.fromkeys(full(unit), Fraction(0))


@lru_cache(maxsize=None)
def measured(mistake: Mistake) -> dict[str, Fraction]:
    """The points of a solution with one mistake in it, found without process or notebook."""
    names: dict = {"__name__": "sample"}
    for source in solved(mistake.unit, mistake).values():
        exec(compile(source, f"<{mistake.name}>", "exec"), names)
    return {task.id: task.points for task in run_checks(LocalSubject(names), mistake.unit)}


# --- code -------------------------------------------------------------------------------------------------


def solved(unit: str, *entries) -> dict[str, str]:
    """Right code for every task; entries of the catalogue take the places of their tasks."""
    module = reference_module(unit)
    module_imports = _imports(unit)
    sources = {
        name: f"{module_imports}\n\n{inspect.getsource(getattr(module, name))}" for name in find_unit(unit).names
    }
    return sources | {entry.task.partition(".")[2]: complete_source(entry) for entry in entries}


def _imports(unit: str) -> str:
    from autograder.release import SolutionModule

    return SolutionModule(unit).imports()


def in_style(unit: str, number: int) -> list:
    """For every task its alternative of that number, counted round."""
    by_task = {task: [entry for entry in alternatives(unit) if entry.task == task] for task in find_unit(unit).task_ids}
    return [entries[number % len(entries)] for entries in by_task.values() if entries]


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
    about = cell.metadata.get("nbgrader", {})
    stub = f"def {name}(", f"class {name}("
    return cell.cell_type == "code" and about.get("solution", False) and any(text in cell.source for text in stub)


def is_check(cell: NotebookNode) -> bool:
    about = cell.metadata.get("nbgrader", {})
    return about.get("grade", False) and not about.get("solution", False)


def is_reflection(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and cell.metadata.get("nbgrader", {}).get("grade", False)


def to_file(notebook: NotebookNode) -> bytes:
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()


def add_cell(notebook: NotebookNode, source: str) -> NotebookNode:
    """One more code cell, after the last solution."""
    last = max(
        index
        for index, cell in enumerate(notebook.cells)
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "code"
    )
    notebook.cells.insert(last + 1, nbformat.v4.new_code_cell(source))
    return notebook


def as_colab_saves(notebook: NotebookNode, own_ids: bool = False) -> NotebookNode:
    """nbgrader's metadata gone, Colab's keys and outputs there, cell ids gone (or all the same)."""
    notebook = copy.deepcopy(notebook)
    notebook["nbformat_minor"] = 5 if own_ids else 0
    notebook["metadata"] = {
        "colab": {"provenance": [], "toc_visible": True},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
    }
    for number, cell in enumerate(notebook.cells):
        cell["metadata"] = {"id": f"Xy{number}zQ", "colab": {"base_uri": "https://localhost:8080/"}}
        del cell["id"]
        if own_ids:
            cell["id"] = "the-same-everywhere"
        if cell.cell_type == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stderr", "text": ["a warning from Colab\n"]}]
            cell["execution_count"] = number
    return notebook


def as_version_3(notebook: NotebookNode) -> NotebookNode:
    """The format of IPython 2, which still turns up."""
    return nbformat.convert(copy.deepcopy(notebook), 3)


# --- the class --------------------------------------------------------------------------------------------


def _one_file(
    unit: str, change: Callable[[NotebookNode], NotebookNode], sources: Sources
) -> Callable[[NotebookNode], Files]:
    return lambda released: {f"{unit}.ipynb": to_file(change(fill(released, sources)))}


def _unchanged(notebook: NotebookNode) -> NotebookNode:
    return notebook


def _edit_checks(notebook: NotebookNode) -> NotebookNode:
    for cell in filter(is_check, notebook.cells):
        cell.source = "import statistics\n" + cell.source.replace("check(", "print(100, ")
    return notebook


def _need_an_import_in_a_check(notebook: NotebookNode) -> NotebookNode:
    """Their last solution uses a module that they import in a locked cell."""
    first = next(filter(is_check, notebook.cells))
    first.source = f"import operator as my_own_operators\n{first.source}"
    last = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    ][-1]
    last.source += "\n\nmy_own_operators.add(1, 1)\n"
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
    """Tasks from last to first, and the imports at the very end."""
    notebook.cells = notebook.cells[::-1]
    return notebook


def _split(notebook: NotebookNode) -> NotebookNode:
    """Every solution in two cells, as JupyterLab splits: both keep the metadata, and so the same grade id."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution"):
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
NOISY_CALLS = """

import warnings as _warnings, sys as _sys, functools as _functools

def _loudly(function):
    @_functools.wraps(function)
    def wrapped(*args, **kwargs):
        _warnings.warn("called again")
        print("called", file=_sys.stderr)
        return function(*args, **kwargs)
    return wrapped

"""
FLOOD = "for _ in range(50):\n    print('x' * 10**6)\n"


def class_of(unit: str) -> list[Student]:
    """The learners of one unit."""
    last = LAST_TASK[unit]
    right = solved(unit)
    half = dict(list(right.items())[: len(right) // 2])
    undone = [name for name in right if name not in half]

    def simple(name: str, change=_unchanged, sources: Sources = right, expected=None) -> Student:
        return Student(name, unit, _one_file(unit, change, sources), full(unit) if expected is None else expected)

    first = next(iter(right))
    loud = {**right, first: right[first] + NOISY_CALLS + f"{first} = _loudly({first})\n"}
    students = [
        simple("ada-all-right", _answer_reflection),
        *(simple(f"ben-style-{number + 1}", sources=solved(unit, *in_style(unit, number))) for number in range(3)),
        *(
            Student(
                f"carla-{mistake.name}",
                unit,
                _one_file(unit, _unchanged, solved(unit, mistake)),
                measured(mistake),
                mistake,
            )
            for mistake in (find_mistake(f"{unit}.{task}", name) for task, name in MISTAKES[unit])
        ),
        simple("dora-half-finished", sources=half, expected=without(unit, *undone)),
        simple("emil-empty", sources={}, expected=nothing(unit)),
        simple(
            "fay-syntax-error", sources={**right, last: right[last] + "\n    oops oops\n"}, expected=without(unit, last)
        ),
        simple("gil-loop-in-function", sources={**right, last: _endless(right[last])}, expected=without(unit, last)),
        simple("hal-loop-in-cell", lambda notebook: add_cell(notebook, "while True:\n    pass")),
        simple("ida-exits", lambda notebook: add_cell(notebook, "import os\nos._exit(0)")),
        simple("jon-colab", as_colab_saves),
        simple("kim-other-editor", lambda notebook: as_colab_saves(notebook, own_ids=True)),
        simple("lea-checks-edited", _edit_checks),
        simple("lou-import-in-check", _need_an_import_in_a_check),
        simple("max-checks-deleted", _delete_checks),
        simple("mia-checks-as-text", lambda notebook: _to_markdown(notebook, is_check)),
        simple("ned-solution-as-text", lambda notebook: _to_markdown(notebook, lambda cell: _is_solution(cell, last))),
        simple("ole-input", lambda notebook: add_cell(notebook, "name = input('Who are you? ')\nprint('hello', name)")),
        simple("pia-50-megabytes", lambda notebook: add_cell(notebook, FLOOD)),
        simple("quin-noise", lambda notebook: add_cell(notebook, NOISE), loud),
        simple("rex-reordered", _reorder),
        simple("sam-split-cells", _split),
        simple("tom-old-format", as_version_3),
        simple("Zoë Müller"),
        Student(
            "uma-renamed",
            unit,
            lambda released: {f"{unit} (1) final.ipynb": to_file(fill(released, right))},
            full(unit),
        ),
        Student("vic-extra-files", unit, lambda released: _with_extra_files(unit, fill(released, right)), full(unit)),
        Student("wes-broken-file", unit, lambda released: {f"{unit}.ipynb": to_file(released)[:-400]}, nothing(unit)),
        Student("xia-nothing", unit, lambda released: {}, nothing(unit)),
    ]
    return students


def _endless(source: str) -> str:
    """The same with a loop that never ends at the beginning of the function (of ``forward`` in a class)."""
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


def students(units=UNITS) -> list[Student]:
    """The whole class: everybody in the first unit, and fewer in the others, whose notebooks work alike."""
    chosen = []
    for unit in units:
        members = class_of(unit)
        few = unit != UNITS[0]
        chosen += [student for student in members if not few or student.id.startswith(FEW)]
    return chosen


def write(course_root: Path, units=UNITS) -> list[Student]:
    """Write ``submitted/<student>/<unit>/…``; the assignments must have been released there before."""
    members = students(units)
    for unit in units:
        released = nbformat.read(course_root / "release" / unit / f"{unit}.ipynb", as_version=4)
        for student in members:
            if student.unit != unit:
                continue
            folder = course_root / "submitted" / student.id / unit
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for name, data in student.build(released).items():
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_bytes(data)
    return members


# --- the class through nbgrader ---------------------------------------------------------------------------


def nbgrader(course_root: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Run an nbgrader command on a course folder, with this project's configuration."""
    command = [sys.executable, "-m", "nbgrader", *arguments]
    if arguments[0] != "export":
        command.append(f"--course-dir={course_root}")
    else:
        command.append(f"--CourseDirectory.root={course_root}")
    return subprocess.run(command, cwd=settings.ROOT, capture_output=True, text=True, check=False)


def grade(course_root: Path, units=UNITS) -> list[Submission]:
    """Release, write the class, grade it, write feedback and ``grades.csv``: all that an instructor does."""
    from autograder.nbgrader import graded_submissions
    from autograder.release import generate

    course_root = course_root.resolve()
    generate(course_root, units)
    write(course_root, units)
    for unit in units:
        for step in (("autograde", f"--GradeInProcess.check_timeout={CHECK_TIMEOUT}"), ("generate_feedback",)):
            done = nbgrader(course_root, step[0], unit, "--force", *step[1:])
            if done.returncode:
                raise RuntimeError(f"nbgrader {step[0]} {unit} failed:\n{done.stderr[-3000:]}")
    nbgrader(course_root, "export", f"--to={course_root / 'grades.csv'}").check_returncode()
    return graded_submissions(course_root)


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
        from autograder.release import generate

        generate(options.course_root)
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


if __name__ == "__main__":
    sys.exit(main())
