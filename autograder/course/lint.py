"""What a unit still lacks: one sentence for each gap, with the file and what to do there.

``autograder doctor`` prints them. This is the one list of what belongs to a unit; CONTRIBUTING leaves it to this
module. That the checks catch every mistake and refuse an answer of zeros is measured by ``python -m
autograder.quality`` and by the tests, since it takes seconds.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from autograder.course import catalogue, headings
from autograder.course.addresses import PACKAGE, ROOT, parts_of
from autograder.course.catalogue import Entry, Mistake
from autograder.course.catches import catches, faults
from autograder.course.registry import BY_NAME, STAGES, UNITS, Unit, is_catch
from autograder.course.source import kernels_of

MISTAKES_PER_TASK = 6
ALTERNATIVES_PER_TASK = 3
HINTS_PER_TASK = 3
QUESTIONS_PER_QUIZ = 5

REGISTRY = "autograder/course/registry.py"
PROTOTYPES = "autograder/sandbox/runtime/c/prototypes.py"
PLACEHOLDER = re.compile(r"\bTODO\b|\btodo-")
SECTIONS = {"pitfalls": "What goes wrong", "quiz": "Quiz", "exercise": "Exercise", "papers": "What the papers say"}
_LINK = re.compile(
    r"\{(?:chapter|unit|section|heading)\}`(\w[\w-]*)#([\w-]+)`|\]\(book:([\w-]+)#([\w-]+)\)", re.IGNORECASE
)


def lacking(unit: Unit) -> list[str]:
    """All that is missing in a unit; an empty list when it is complete. Needs a checkout of the repository."""
    looks: tuple[Callable[[Unit], Iterator[str]], ...] = (
        _order, _solution, _checks, _catalogue, _catches, _hints, _notebook, _chapter, _links, _headings, _exercise,
        _placeholders, _complete,
    )  # fmt: skip
    return [gap for look in looks for gap in look(unit)]


def unlisted() -> list[str]:
    """Units that have a folder, but no place in the order of the course."""
    return sorted(
        path.parent.name for path in (PACKAGE / "units").glob("*/checks.py") if path.parent.name not in BY_NAME
    )


# --- the course ----------------------------------------------------------------------------------------------


def _order(unit: Unit) -> Iterator[str]:
    stages = [stage for stage, names in STAGES for name in names if name == unit.name]
    if len(stages) != 1:
        yield f"{REGISTRY}: name {unit.name!r} once in STAGES; it is there {len(stages) or 'never'} times."
    order = [other.name for other in UNITS]
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    pages = [page for page in re.findall(r"^ *- file: book/([\w-]+)$", toc, re.MULTILINE) if page in order]
    if unit.name not in pages:
        yield f"_toc.yml: add the line `- file: book/{unit.name}` where STAGES has the unit."
    elif pages[: pages.index(unit.name)] != [name for name in order[: order.index(unit.name)] if name in pages]:
        yield f"_toc.yml: move book/{unit.name} to where STAGES has the unit."
    if not unit.title:
        yield f"{_path(unit, 'about')}: give the unit a TITLE."
    if not unit.names:
        yield f"{_path(unit, 'about')}: there is no task yet; `autograder new task {unit.name}.NAME` adds one."


# --- what a learner writes, and what judges it ----------------------------------------------------------------


def _solution(unit: Unit) -> Iterator[str]:
    path = _path(unit, "solution")
    text = _text(path)
    if text is None:
        yield f"{path}: write the reference solution."
    elif unit.language == "python":
        yield from _solution_parts(unit, path, text)
    else:
        yield from _c_solution_parts(unit, path, text)


def _solution_parts(unit: Unit, path: str, text: str) -> Iterator[str]:
    tree = ast.parse(text)
    if not ast.get_docstring(tree):
        yield f"{path}: begin with a docstring: the letters and shapes that all functions share."
    yield from _python_parts(unit.names, path, text)


def _python_parts(names: Iterable[str], path: str, text: str) -> Iterator[str]:
    tree = ast.parse(text)
    defined = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for name in names:
        node = defined.get(name)
        if node is None:
            yield f"{path}: write {name}."
            continue
        if not ast.get_docstring(node):
            yield f"{path}: give {name} a docstring; it is the specification that learners read."
        yield from _marks(path, name, ast.get_source_segment(text, node) or "", "### BEGIN SOLUTION")


def _c_solution_parts(unit: Unit, path: str, text: str) -> Iterator[str]:
    pieces = kernels_of(text)
    if tests := [name for name in unit.names if is_catch(name)]:
        beside = f"solutions/{unit.name}.py"
        yield from _python_parts(tests, beside, _text(beside) or "")
    for name in (task.partition(".")[2] for task in unit.written_ids):
        if name not in pieces:
            yield f"{path}: write {name}."
            continue
        if not pieces[name].strip().startswith("/*"):
            yield f"{path}: put a comment above {name}; it is the specification that learners read."
        yield from _marks(path, name, pieces[name], "/* BEGIN SOLUTION */")
        for header in (PROTOTYPES, "solutions/c/kernels.h"):
            if not re.search(rf"^void {name}\(", _text(header) or "", re.MULTILINE):
                yield f"{header}: add the prototype of {name}."
    if not re.search(rf"^EXERCISES := .*\b{unit.name}\.c\b", _text("solutions/c/Makefile") or "", re.MULTILINE):
        yield f"solutions/c/Makefile: add {unit.name}.c to EXERCISES."


def _marks(path: str, name: str, source: str, begin: str) -> Iterator[str]:
    if begin not in source:  # the closing mark may follow the last statement, where a syntax tree does not see it
        yield f"{path}: put {begin!r} and {begin.replace('BEGIN', 'END')!r} around what learners write in {name}."


def _checks(unit: Unit) -> Iterator[str]:
    path = _path(unit, "checks")
    module, problem = _import(f"autograder.units.{unit.name}.checks")
    if problem:
        yield f"{path}: {problem}"
        return
    points: dict[str, float] = dict.fromkeys(unit.written_ids, 0)
    for name, function in vars(module).items():
        for mark in getattr(function, "pytestmark", ()):
            if mark.name != "task":
                continue
            task = mark.args[0]
            if task not in points:
                yield f"{path}: {name} is a check of {task!r}, which is no task of the unit that a learner writes."
            points[task] = points.get(task, 0) + float(mark.kwargs.get("points", 0))
            if not function.__doc__:
                yield f"{path}: give {name} a docstring; its first line is what reports call the check."
    for task in unit.written_ids:
        if not points[task]:
            yield f"{path}: write checks for {task} (`@pytest.mark.task({task!r}, points=1)`)."


def _catalogue(unit: Unit) -> Iterator[str]:
    for part, needed in (("mistakes", MISTAKES_PER_TASK), ("alternatives", ALTERNATIVES_PER_TASK)):
        path = _path(unit, part)
        entries, problem = _entries(part, unit)
        if problem:
            yield f"{path}: {problem}"
            continue
        for task in unit.written_ids:
            there = sum(entry.task == task for entry in entries)
            if there < needed:
                yield f"{path}: write {needed - there} more {part} for {task} ({there} of {needed} so far)."
        for entry in entries:
            if entry.task not in unit.task_ids:
                yield f"{path}: {entry.name} is for {entry.task!r}, which is no task of the unit."


def _catches(unit: Unit) -> Iterator[str]:
    path = f"autograder/units/{unit.name}/catches.py"
    try:
        declared = catches(unit.name)
    except Exception as error:
        yield f"{path}: {_cannot_be_read(error)}"
        return
    listed = [one.task for one in declared]
    for task in unit.task_ids:
        if is_catch(task) and listed.count(task) != 1:
            yield f"{path}: list {task} once in CATCHES, not {listed.count(task)} times."
    for one in declared:
        if one.task not in unit.task_ids:
            yield f"{path}: {one.task} is no task of the unit; add it to TASKS in {_path(unit, 'about')}."
        yield from (f"{path}: {fault}" for fault in faults(one))


def _hints(unit: Unit) -> Iterator[str]:
    path = _path(unit, "hints")
    module, problem = _import(f"autograder.units.{unit.name}.hints")
    if problem:
        yield f"{path}: {problem}"
        return
    for task in unit.task_ids:
        there = len(module.HINTS.get(task, ()))
        if there != HINTS_PER_TASK:
            yield f"{path}: write {HINTS_PER_TASK} hints for {task} ({there} so far)."
    for task in module.HINTS:
        if task not in unit.task_ids:
            yield f"{path}: there are hints for {task!r}, which is no task of the unit."


# --- what a learner reads ------------------------------------------------------------------------------------


def _notebook(unit: Unit) -> Iterator[str]:
    path = _path(unit, "notebook")
    text = _text(path)
    if text is None:
        yield f"{path}: write the narrative of the notebook."
        return
    if not re.search(r"^# Exercise: .", text, re.MULTILINE):
        yield f"{path}: begin with the heading `# Exercise: …`; its number is written by `make exercises`."
    named = re.findall(r"^:(setup|task|check):(?: (\S+))?$", text, re.MULTILINE)
    if ("setup", "") not in named:
        yield f"{path}: add a cell `:setup:`, which brings the imports."
    for task in unit.task_ids:
        for kind in ("task", "check"):
            count = named.count((kind, task))
            if count != 1:
                yield f"{path}: have one cell `:{kind}: {task}`, not {count}."
        if {("task", task), ("check", task)} <= set(named) and named.index(("check", task)) < named.index(
            ("task", task)
        ):
            yield f"{path}: move the cell that checks {task} below the one in which it is written."
        if f"{{{{points:{task}}}}}" not in text:
            yield f"{path}: say what {task} is worth with `{{{{points:{task}}}}}`."
        if f'hint("{task}")' not in text:
            yield f'{path}: offer `hint("{task}")` below the cell in which it is written.'
    for kind, task in named:
        if kind != "setup" and task not in unit.task_ids:
            yield f"{path}: remove the cell `:{kind}: {task}`, or add the task to TASKS in {_path(unit, 'about')}."
    if '"reflection":' not in text:
        yield f'{path}: add a reflection question: a text cell that begins with `+++ {{"reflection": …}}`.'


def _chapter(unit: Unit) -> Iterator[str]:
    path = _path(unit, "chapter")
    text = _text(path)
    if text is None:
        yield f"{path}: write the chapter."
        return
    if "## What you will be able to do\n" not in text:
        yield f"{path}: say 'What you will be able to do' in a section of that name."
    for name, heading in SECTIONS.items():
        anchor = f"({unit.name.replace('_', '-')}-{name})="
        if f"{anchor}\n## " not in text:
            yield f"{path}: add the section '{heading}' below the anchor `{anchor}`."
    questions = len(re.findall(r"^\*\*\d+\.\*\* ", text, re.MULTILINE))
    if questions < QUESTIONS_PER_QUIZ:
        yield f"{path}: ask {QUESTIONS_PER_QUIZ} questions in the quiz ({questions} so far)."
    if f'pitfalls("{unit.name}")' not in text:
        yield f'{path}: list the known mistakes with a cell `pitfalls("{unit.name}")`.'
    if f"{{exercise-links}} {unit.name}\n" not in text:
        yield f"{path}: link the notebook with the directive `{{exercise-links}} {unit.name}`."
    for name in (task.partition(".")[2] for task in unit.written_ids):
        if not re.search(shows_solution(name), text, re.MULTILINE):
            yield f"{path}: show the reference solution of {name} with `{{solution}} {unit.name}.{name}`."
    if "```{sitting}\n" in text:  # a chapter that is laid out as a path
        for task in unit.task_ids:
            if f"```{{task}} {task}\n" not in text:
                yield f"{path}: put the box `{{task}} {task}` at the end of the section that teaches it."


def shows_solution(name: str) -> str:
    """A pattern of the line with which a chapter shows the reference solution of a task."""
    return rf'^:pyobject: {name}$|^:start-at: "?void {name}\b|^```{{solution}} \w+\.{name}$'


def _links(unit: Unit) -> Iterator[str]:
    """Every section that a text of the unit links to."""
    wanted: dict[tuple[str, str], str] = {}
    for entry in _entries("mistakes", unit)[0]:
        if isinstance(entry, Mistake):
            wanted.setdefault((unit.name, entry.section), f"{_path(unit, 'mistakes')} ({entry.name})")
    for part in ("checks", "mistakes", "hints", "notebook", "chapter"):
        path = _path(unit, part)
        for page, anchor, other_page, other_anchor in _LINK.findall(_text(path) or ""):
            wanted.setdefault((page or other_page, anchor or other_anchor), path)
    for (page, anchor), source in wanted.items():
        chapter = f"book/{page}.md"
        if anchor not in headings.sections_of(_text(chapter) or ""):
            yield f"{chapter}: add the section `({anchor})=`, which {source} leads to, or change the link."


def _headings(unit: Unit) -> Iterator[str]:
    """The table of headings that travels with the package, against the chapter."""
    written = json.loads(headings.TABLE.read_text(encoding="utf-8")).get(unit.name)
    fresh = json.loads(headings.fresh()).get(unit.name)
    if fresh != written:
        yield "autograder/course/headings.json: run `make exercises`, because headings of the chapter have changed."


def _exercise(unit: Unit) -> Iterator[str]:
    path = f"exercises/{unit.name}/{unit.name}.ipynb"
    if unit.complete and not (ROOT / path).is_file():
        yield f"{path}: run `make exercises`, which makes the notebook."


def _placeholders(unit: Unit) -> Iterator[str]:
    for path in parts_of(unit.name, unit.language).values():
        lines = [number for number, line in enumerate((_text(path) or "").splitlines(), 1) if PLACEHOLDER.search(line)]
        if lines:
            yield f"{path}: replace the placeholders (TODO) in {len(lines)} lines; the first is line {lines[0]}."


def _complete(unit: Unit) -> Iterator[str]:
    if not unit.complete:
        yield f"{_path(unit, 'about')}: set COMPLETE = True, so that the unit is released and graded."


# --- reading -------------------------------------------------------------------------------------------------


def _path(unit: Unit, part: str) -> str:
    return parts_of(unit.name, unit.language)[part]


def _text(path: str) -> str | None:
    file: Path = ROOT / path
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _entries(part: str, unit: Unit) -> tuple[tuple[Entry, ...], str]:
    """The entries of a unit's catalogue, and a sentence if they cannot be read."""
    if _text(_path(unit, part)) is None:
        return (), "write this file."
    try:
        return catalogue.mistakes(unit.name) if part == "mistakes" else catalogue.alternatives(unit.name), ""
    except Exception as error:
        return (), _cannot_be_read(error)


def _import(name: str) -> tuple[Any, str]:
    """The module, or a sentence about why there is none."""
    try:
        return importlib.import_module(name), ""
    except ModuleNotFoundError as error:
        if f"{name}.".startswith(f"{error.name}."):
            return None, "write this file."
        return None, _cannot_be_read(error)
    except Exception as error:
        return None, _cannot_be_read(error)


def _cannot_be_read(error: Exception) -> str:
    """A sentence for the author about any exception of their file, which must not end the command."""
    return f"it cannot be imported: {type(error).__name__}: {str(error).rstrip('.')}."
