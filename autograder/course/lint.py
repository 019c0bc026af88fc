"""What a unit still lacks against the contract: one sentence per gap.

A unit is five small files in five obvious places, and a notebook generated from them.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.course.addresses import ROOT
from autograder.course.catalogue import c_entries
from autograder.course.registry import Unit
from autograder.course.source import kernels_of

MISTAKES_PER_TASK = 6
ALTERNATIVES_PER_TASK = 3
HINTS_PER_TASK = 3


def lacking(unit: Unit) -> list[str]:
    """All that is missing in a unit; an empty list when it is complete. Needs a checkout of the repository."""
    return [*_chapter(unit), *_notebook(unit), *_solution(unit), *_exercise(unit), *_catalogue(unit)]


def _chapter(unit: Unit) -> Iterator[str]:
    path = ROOT / "book" / f"{unit.name}.md"
    if not path.is_file():
        yield f"chapter (book/{unit.name}.md)"
        return
    text = path.read_text(encoding="utf-8")
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    if not re.search(rf"\bbook/{unit.name}\b", toc):
        yield f"chapter in the table of contents (_toc.yml: book/{unit.name})"
    if f"{{exercise-links}} {unit.name}" not in text:
        yield "links to the exercise in the chapter"
    sections = {entry.section for entry in _entries("mistakes", unit)}
    for section in sorted(sections):
        if f"({section})=" not in text:
            yield f"section {section} in the chapter, which a mistake links to"


def _notebook(unit: Unit) -> Iterator[str]:
    path = ROOT / "solutions" / "notebooks" / f"{unit.name}.md"
    if not path.is_file():
        yield f"notebook (solutions/notebooks/{unit.name}.md)"
        return
    text = path.read_text(encoding="utf-8")
    for task in unit.task_ids:
        for kind in ("task", "check"):
            if not re.search(rf"^:{kind}: {re.escape(task)}\s*$", text, re.MULTILINE):
                yield f"a {kind} cell for {task} in the notebook"


def _solution(unit: Unit) -> Iterator[str]:
    path = ROOT / "solutions" / (f"c/{unit.name}.c" if unit.language == "c" else f"{unit.name}.py")
    if not path.is_file():
        yield f"solution ({path.relative_to(ROOT)})"
    elif unit.language == "python":
        yield from _solution_parts(unit, path)
    else:
        yield from _c_solution_parts(unit, path)


def _solution_parts(unit: Unit, path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    defined = {node.name: node for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for name in unit.names:
        node = defined.get(name)
        if node is None:
            yield f"{name} in the solution"
        elif not ast.get_docstring(node):
            yield f"a docstring of {name} in the solution"
        elif "### BEGIN SOLUTION" not in (ast.get_source_segment(text, node) or ""):
            yield f"### BEGIN SOLUTION in {name}"


def _c_solution_parts(unit: Unit, path: Path) -> Iterator[str]:
    pieces = kernels_of(path.read_text(encoding="utf-8"))
    for name in unit.names:
        if name not in pieces:
            yield f"{name} in the solution"
        elif not pieces[name].strip().startswith("/*"):
            yield f"a comment above {name} in the solution"
        elif "/* BEGIN SOLUTION */" not in pieces[name]:
            yield f"/* BEGIN SOLUTION */ in {name}"


def _exercise(unit: Unit) -> Iterator[str]:
    path = ROOT / "exercises" / unit.name / f"{unit.name}.ipynb"
    if not path.is_file():
        yield f"exercise (exercises/{unit.name}/{unit.name}.ipynb; run make exercises)"


def _catalogue(unit: Unit) -> Iterator[str]:
    checks = _import(f"autograder.units.{unit.name}.checks")
    hints = getattr(_import(f"autograder.units.{unit.name}.hints"), "HINTS", {})
    for task in unit.task_ids:
        if not _tasks_with_checks(checks).count(task):
            yield f"checks for {task}"
        for folder, needed in (("mistakes", MISTAKES_PER_TASK), ("alternatives", ALTERNATIVES_PER_TASK)):
            there = sum(entry.task == task for entry in _entries(folder, unit))
            if there < needed:
                yield f"{needed - there} {folder} for {task}"
        if len(hints.get(task, ())) != HINTS_PER_TASK:
            yield f"{HINTS_PER_TASK} hints for {task}"


def _entries(folder: str, unit: Unit) -> tuple:
    if unit.language == "c":
        return c_entries(folder, unit.name)
    return getattr(_import(f"autograder.units.{unit.name}.{folder}"), "_entries", ())


def _tasks_with_checks(module: Any) -> list[str]:
    return (
        [
            mark.args[0]
            for function in vars(module).values()
            for mark in getattr(function, "pytestmark", ())
            if mark.name == "task"
        ]
        if module
        else []
    )


def _import(name: str) -> Any:
    """The module, or ``None`` when it does not exist (a broken one still says what is broken)."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if f"{name}.".startswith(f"{error.name}."):
            return None
        raise
