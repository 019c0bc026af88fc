"""Mistakes and alternatives: the catalogue that the checks are measured against.

A mistake is a complete wrong implementation of a task together with the misconception behind it; an
alternative is a complete right one written another way. Both are ordinary functions and classes in
``mistakes.py`` and ``alternatives.py`` of the unit's folder, marked by a decorator::

    @mistake("attention.softmax", "softmax-over-queries", explanation="...", hint="...", section="rows-are-queries")
    def softmax(x, dim=-1):
        ...

An entry is used as *source text*, run on top of the unit's reference solution: it replaces one name, and
whatever else of the unit it calls is right. Of a unit in C, the entries stand in ``mistakes.c`` and ``alternatives.c``
of its folder, each below a comment (see `c_entries`).
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import TypeVar

from autograder.course.addresses import PACKAGE, ROOT, chapter_url
from autograder.course.references import expand
from autograder.course.registry import BY_NAME, find_tasks, find_unit
from autograder.course.source import syntax_tree

T = TypeVar("T")


@dataclass(frozen=True)
class Entry:
    """One wrong or right implementation of a task, as source text."""

    task: str
    name: str
    source: str

    @property
    def unit(self) -> str:
        return self.task.partition(".")[0]


@dataclass(frozen=True)
class Mistake(Entry):
    """A wrong implementation, with the misconception behind it and the way out.

    ``explanation``: two sentences, what was done and why it is wrong. ``hint``: what the learner reads.
    ``section``: the anchor in the unit's chapter that explains it. References to chapters in the two texts are written
    out (see `autograder.course.references`).
    """

    explanation: str = ""
    hint: str = ""
    section: str = ""

    def __post_init__(self) -> None:
        for text in ("explanation", "hint"):
            object.__setattr__(self, text, expand(getattr(self, text)))

    @property
    def link(self) -> str:
        return chapter_url(self.unit, self.section)


@dataclass(frozen=True)
class Alternative(Entry):
    """A right implementation in another style."""


def mistake(task: str, name: str, *, explanation: str, hint: str, section: str) -> Callable[[T], T]:
    """Put the decorated function or class into the catalogue of mistakes."""

    def register(implementation: T) -> T:
        source = _source(implementation)
        entry = Mistake(task, name, source, _one_line(explanation), _one_line(hint), section)
        _register(implementation, entry)
        return implementation

    return register


def alternative(task: str, name: str) -> Callable[[T], T]:
    """Put the decorated function or class into the catalogue of alternatives."""

    def register(implementation: T) -> T:
        _register(implementation, Alternative(task, name, _source(implementation)))
        return implementation

    return register


@lru_cache(maxsize=None)
def mistakes(unit: str) -> tuple[Mistake, ...]:
    """All mistakes of a unit, in the order of the file: put the most specific first."""
    return _entries("mistakes", unit)


@lru_cache(maxsize=None)
def alternatives(unit: str) -> tuple[Alternative, ...]:
    """All alternatives of a unit, in the order of the file."""
    return _entries("alternatives", unit)


def _entries(folder: str, unit: str) -> tuple:
    if BY_NAME[unit].language == "c":
        return c_entries(folder, unit)[1]
    return tuple(getattr(_module(folder, unit), "_entries", ()))


def hints(task: str) -> tuple[str, ...]:
    """The hints of a task, in ``autograder/units/<unit>/hints.py``."""
    unit, (task_id, *_) = find_tasks(task)
    return tuple(map(expand, importlib.import_module(f"autograder.units.{unit.name}.hints").HINTS.get(task_id, ())))


def complete_source(entry: Entry) -> str:
    """The entry as a file of its own: the imports of its module, then the implementation."""
    if is_c(entry.unit):
        return c_entries(_folder(entry), entry.unit)[0] + entry.source
    return f"{_imports(_module(_folder(entry), entry.unit))}\n\n\n{entry.source}"


def reference_module(unit: str) -> ModuleType:
    """The reference solution of a unit in Python."""
    return importlib.import_module(f"solutions.{find_unit(unit).name}")


# --- units in C -------------------------------------------------------------------------------------------


def is_c(unit: str) -> bool:
    return BY_NAME[unit].language == "c"


def c_solution(unit: str) -> str:
    """The text of the reference solution of a unit in C."""
    return (ROOT / "solutions" / "c" / f"{unit}.c").read_text(encoding="utf-8")


@lru_cache(maxsize=None)
def c_entries(folder: str, unit: str) -> tuple[str, tuple[Entry, ...]]:
    """What a catalogue file in C begins with (for all its entries), and the entries.

    Each follows a comment that names it; what it says goes on for as many lines as it likes::

        /* softmax_forward: maximum-from-minus-10000
         * explanation: ...
         * hint: ...
         * section: stable-softmax
         */
        void softmax_forward(float *probs, ...) {
            ...
        }
    """
    path = PACKAGE / "units" / unit / f"{folder}.c"
    if not path.is_file():
        return "", ()
    head, *rest = re.split(r"^/\* (\w+): ([\w-]+)\n(.*?)\*/\n", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    found: list[Entry] = []
    for kernel, name, about, source in zip(rest[::4], rest[1::4], rest[2::4], rest[3::4]):
        task = f"{unit}.{kernel}"
        keys = "explanation|hint|section"
        parts = dict(re.findall(rf"^ \* ({keys}): (.*?)(?=^ \* (?:{keys}): |\Z)", about, re.M | re.S))
        said = {key: re.sub(r"\s*\n \* ?", " ", text).strip() for key, text in parts.items()}
        entry = Mistake(task, name, source, **said) if folder == "mistakes" else Alternative(task, name, source)
        found.append(entry)
    return head, tuple(found)


# --- units in Python --------------------------------------------------------------------------------------


def _folder(entry: Entry) -> str:
    return "mistakes" if isinstance(entry, Mistake) else "alternatives"


def _module(folder: str, unit: str) -> ModuleType:
    return importlib.import_module(f"autograder.units.{unit}.{folder}")


def _register(implementation: object, entry: Entry) -> None:
    module = importlib.import_module(implementation.__module__)  # being imported right now
    module.__dict__.setdefault("_entries", []).append(entry)


def _source(implementation: object) -> str:
    """Source of a top-level function or class without its decorators."""
    lines, definitions = _definitions(implementation.__module__)
    members = [getattr(member, "__func__", member) for member in vars(implementation).values()]  # of class methods, too
    functions = [implementation, *members]
    first = next(one.__code__.co_firstlineno for one in functions if isinstance(one, FunctionType))
    for node in definitions:
        start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if start <= first <= (node.end_lineno or start) and node.name == implementation.__name__:  # type: ignore[attr-defined]
            return "\n".join(lines[node.lineno - 1 : node.end_lineno]) + "\n"
    raise TypeError(f"{implementation!r} is not a function or class at the top level of its file.")


@lru_cache(maxsize=None)
def _definitions(module: str) -> tuple[list[str], list[ast.FunctionDef | ast.ClassDef]]:
    """A catalogue file's lines, and its functions and classes. (`inspect` would parse it again for each class.)"""
    text = inspect.getsource(importlib.import_module(module))
    return text.split("\n"), [
        node for node in syntax_tree(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    ]


@lru_cache(maxsize=None)
def _imports(module: ModuleType) -> str:
    """The import statements of a catalogue file, those of the autograder left out."""
    statements = syntax_tree(inspect.getsource(module)).body
    kept = [
        node
        for node in statements
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and not (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "autograder")
    ]
    return "\n".join(ast.unparse(node) for node in kept)


def _one_line(text: str) -> str:
    return " ".join(text.split())
