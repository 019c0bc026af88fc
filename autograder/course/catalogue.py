"""Mistakes and alternatives: the catalogue that the checks are measured against.

A mistake is a wrong implementation of a task together with the misconception behind it; an alternative is a complete
right one written another way. They stand in ``mistakes.py`` and ``alternatives.py`` of the unit's folder. Most mistakes
are edits of a right program (see `autograder.course.edits`): of the reference solution, or of the alternative that
``base`` names. Where the misconception is another program, the mistake is written out, below a decorator::

    mistake(
        "attention.softmax",
        "one-maximum-for-all-rows",
        edit("x.amax(dim, keepdim=True)", "x.max()"),
        section="stable-softmax",
        why="...",
        hint="...",
    )

    @mistake("attention.softmax", "no-exponential", section="stable-softmax", why="...", hint="...")
    def softmax(x, dim=-1):
        return x / x.sum(dim, keepdim=True)

    @alternative("attention.softmax", "library-call")
    def softmax(x, dim=-1):
        return F.softmax(x, dim=dim)

An entry is used as *source text*, run on top of the unit's reference solution: it replaces one name, and
all other code of the unit is right. A unit in C has its entries in ``mistakes.c`` and ``alternatives.c`` of its folder
(see `c_entries`).
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
from autograder.course.edits import Edit, EditError, apply, edit
from autograder.course.references import expand
from autograder.course.registry import BY_NAME, UNITS, find_tasks, is_catch
from autograder.course.source import kernels_of, syntax_tree

__all__ = ["Alternative", "Entry", "Mistake", "alternative", "alternatives", "edit", "mistake", "mistakes"]

T = TypeVar("T")
VARIANT = "-variant-"  # before the number of a variant, in its name


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

    ``why``: what goes wrong, what the learner did ("you"), and a question that leads out. ``hint``: what the learner
    reads. ``section``: the anchor in the unit's chapter that explains it. ``base``: the alternative that the edits
    start from; empty: the reference solution. A mistake that is written out has no edits. References to chapters are
    written out in both texts (see `autograder.course.references`).
    """

    why: str = ""
    hint: str = ""
    section: str = ""
    base: str = ""
    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        for text in ("why", "hint"):
            object.__setattr__(self, text, expand(getattr(self, text)))

    @property
    def link(self) -> str:
        return chapter_url(self.unit, self.section)

    @property
    def family(self) -> str:
        """The name that a report shows: variants of one mistake share it."""
        return self.name.partition(VARIANT)[0]


@dataclass(frozen=True)
class Alternative(Entry):
    """A right implementation in another style."""


def mistake(task: str, name: str, *edits: Edit, section: str, why: str, hint: str, base: str = "") -> Callable[[T], T]:
    """Put a mistake into the catalogue: the edits of its base, or else the decorated function or class."""

    def entry(source: str) -> Mistake:
        return Mistake(task, name, source, _one_line(why), _one_line(hint), section, base, edits)

    if edits:
        _register("mistakes", entry(edited(task, name, base, edits)))
    elif base:
        raise EditError(f"{task} {name}: a base ({base}) without edits")

    def register(implementation: T) -> T:
        if edits:
            raise EditError(f"{task} {name}: a mistake is edits or a decorated implementation, not both")
        _register("mistakes", entry(_source(implementation)))
        return implementation

    return register


def alternative(task: str, name: str, *partners: object) -> Callable[[T], T]:
    """Put the decorated function or class into the catalogue of alternatives.

    ``partners``: definitions that it needs to be right (see ``pairs`` of a `registry.Unit`).
    """

    def register(implementation: T) -> T:
        source = "\n\n".join(map(_source, (*partners, implementation)))
        _register("alternatives", Alternative(task, name, source))
        return implementation

    return register


def edited(task: str, name: str, base: str, edits: tuple[Edit, ...]) -> str:
    """The source of a mistake: its base with the edits. Raises `EditError` if an edit does not fit."""
    try:
        return apply(base_source(task, base), edits)
    except EditError as error:
        raise EditError(f"{task} {name}, an edit of {base or 'the reference solution'}: {error}.") from None


@lru_cache(maxsize=None)
def base_source(task: str, base: str = "") -> str:
    """The source to which edits are applied: the reference solution of a task, or its alternative of that name.

    It has no docstrings and no solution marks, since learners write neither.
    """
    unit, _, wanted = task.partition(".")
    if base:
        found = [entry.source for entry in alternatives(unit) if (entry.task, entry.name) == (task, base)]
    else:
        found = [source for name, source in _reference_sources(unit).items() if name == wanted]
    if not found:
        raise EditError(f"there is no alternative {base!r}" if base else f"the reference solution has no {wanted}")
    return _without_docstrings(found[0]) if not in_c(task) else _without_marks(found[0]).strip() + "\n"


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
        return c_entries(folder, unit)
    return tuple(getattr(_module(folder, unit), "_entries", ()))


def hints(task: str) -> tuple[str, ...]:
    """The hints of a task, in ``autograder/units/<unit>/hints.py``."""
    unit, (task_id, *_) = find_tasks(task)
    return tuple(map(expand, importlib.import_module(f"autograder.units.{unit.name}.hints").HINTS.get(task_id, ())))


def complete_source(entry: Entry) -> str:
    """The entry as a file of its own: the imports of its module, and of its base's, then the implementation."""
    if isinstance(entry, Mistake):
        folders = ["alternatives", "mistakes"] if entry.base else ["mistakes"]
    else:
        folders = ["alternatives"]
    if is_c(entry.unit) and not in_c(entry.task):
        return entry.source
    if is_c(entry.unit):
        heads = [_c_file(folder, entry.unit)[0] for folder in folders]
        if isinstance(entry, Mistake) and entry.edits and not entry.base:
            heads.insert(0, _directives(c_solution(entry.unit)))
        return "".join(heads) + entry.source
    imports = [_imports(_module(folder, entry.unit)) for folder in folders]
    return "\n".join([*imports, "", "", entry.source])


def reference_module(unit: str) -> ModuleType:
    """The reference solution of a unit in Python, be it planned or complete."""
    return importlib.import_module(f"solutions.{BY_NAME[unit].name}")


@lru_cache(maxsize=None)
def earlier_sources(unit: str) -> dict[str, str]:
    """What a notebook may import from `solutions`: the text of each module of an earlier unit, and of what is given.

    It holds no code of the unit itself or of a later one, since submissions may read it.
    """
    earlier = [other.name for other in UNITS[: BY_NAME[unit].number - 1] if other.complete and not is_c(other.name)]
    texts = {name: (ROOT / "solutions" / f"{name}.py").read_text(encoding="utf-8") for name in [*earlier, "given"]}
    return {name: _TESTS.sub("", text) for name, text in texts.items()}  # no later unit uses a test


_TESTS = re.compile(r"^def test_\w+\(.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


# --- units in C -------------------------------------------------------------------------------------------


def is_c(unit: str) -> bool:
    return BY_NAME[unit].language == "c"


def in_c(task: str) -> bool:
    """Whether a task's code is C: in a unit in C, all except a catch-it task and the implementations it tests."""
    unit, _, name = task.partition(".")
    return is_c(unit) and name not in _python_sources(unit)


def c_solution(unit: str) -> str:
    """The text of the reference solution of a unit in C."""
    return (ROOT / "solutions" / "c" / f"{unit}.c").read_text(encoding="utf-8")


def _directives(text: str) -> str:
    """The lines for the preprocessor: what a kernel may need of its file, macros included."""
    return "".join(re.findall(r"^#(?:.*\\\n)*.*\n", text, re.MULTILINE))


def c_entries(folder: str, unit: str) -> tuple[Entry, ...]:
    """The entries of a catalogue file in C. Each is a comment that names it, and below it the code::

        /* softmax_forward: maximum-from-minus-10000
         * why: ...
         * hint: ...
         * section: stable-softmax
         */
        void softmax_forward(float *probs, ...) {
            ...
        }

    Each text may span several lines. A mistake made of edits has no code below the comment: the comment holds one or
    more edits, and the name of the alternative that they start from, unless that is the reference solution::

         * base: plain-loops
         * edit: maximum = -INFINITY  =>  maximum = -10000.0f
         * edit:
         *     float sum = 0.0f;
         *     for (int v = 0; v < V; v++) {
         * =>
         *     float sum = 1e-8f;
         *     for (int v = 0; v < V; v++) {

    A mistake with several variants and one explanation has a placeholder in its edits, which stands for several texts.
    The variants are entries named "maximum-from-a-number", "maximum-from-a-number-variant-2" and so on::

         * each: START = -100.0f; -1e9f
         * edit: maximum = -INFINITY  =>  maximum = START
    """
    return _c_file(folder, unit)[1]


@lru_cache(maxsize=None)
def _c_file(folder: str, unit: str) -> tuple[str, tuple[Entry, ...]]:
    """What a catalogue file in C begins with (for all its entries), and the entries."""
    path = PACKAGE / "units" / unit / f"{folder}.c"
    if not path.is_file():
        return "", ()
    head, *rest = re.split(r"^/\* (\w+): ([\w-]+)\n(.*?)\*/\n", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    found: list[Entry] = []
    for kernel, name, about, source in zip(rest[::4], rest[1::4], rest[2::4], rest[3::4]):
        task = f"{unit}.{kernel}"
        if folder == "alternatives":
            found.append(Alternative(task, name, source))
            continue
        keys = "base|each|edit|why|hint|section"
        parts = re.findall(rf"^ \* ({keys}):(.*?)(?=^ \* (?:{keys}):|\Z)", about, re.M | re.S)
        said = {key: re.sub(r"\s*\n \* ?", " ", text).strip() for key, text in parts if key != "edit"}
        word, _, texts = said.pop("each", "").partition(" = ")
        for number, text in enumerate(texts.split("; "), 1):
            called = name if number == 1 else f"{name}{VARIANT}{number}"
            written = [re.sub(rf"\b{word}\b", text, part) if word else part for key, part in parts if key == "edit"]
            edits = tuple(_c_edit(part, f"{task} {called}") for part in written)
            if edits:
                source = edited(task, called, said.get("base", ""), edits)
            found.append(Mistake(task, called, source, edits=edits, **said))
    return head, tuple(found)


def _c_edit(text: str, where: str) -> Edit:
    """The edit that a comment spells: ``OLD  =>  NEW`` in one line, or two blocks with a line ``=>`` between them."""
    first, *others = text.rstrip().split("\n")
    if first.strip():
        parts = re.split(r"(?:^|  )=>(?:  |$)", " ".join([first.strip(), *(line[2:].strip() for line in others)]))
    else:
        parts = re.split(r"^=>$", "\n".join(line[3:].rstrip() for line in others), flags=re.M)
        parts = [part if part.startswith("\n") else f"\n{part}" for part in parts]
    if len(parts) != 2:
        raise EditError(f"{where}: an edit is 'OLD  =>  NEW', or two blocks with a line '=>' between them: {text!r}")
    return edit(*parts)


# --- units in Python --------------------------------------------------------------------------------------


def _module(folder: str, unit: str) -> ModuleType:
    return importlib.import_module(f"autograder.units.{unit}.{folder}")


def _register(folder: str, entry: Entry) -> None:
    module = _module(folder, entry.unit)  # being imported right now
    module.__dict__.setdefault("_entries", []).append(entry)


@lru_cache(maxsize=None)
def _reference_sources(unit: str) -> dict[str, str]:
    """The functions and classes of a unit's reference solution."""
    if is_c(unit):
        kernels = kernels_of(c_solution(unit)).items()
        return {name: re.sub(r"\A/\*.*?\*/\n", "", text, flags=re.S) for name, text in kernels} | _python_sources(unit)
    return _python_sources(unit)


@lru_cache(maxsize=None)
def _python_sources(unit: str) -> dict[str, str]:
    """The functions and classes of a reference solution in Python; of a unit in C, those of its catch-it tasks."""
    if is_c(unit) and not any(map(is_catch, BY_NAME[unit].task_ids)):
        return {}
    lines, definitions = _definitions(reference_module(unit).__name__)
    return {node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno]) + "\n" for node in definitions}


@lru_cache(maxsize=None)
def reference_uses(unit: str) -> dict[str, frozenset[str]]:
    """For each definition of the reference solution, those that it reaches, itself included."""
    if is_c(unit):  # kernels call no kernels
        return {name: frozenset({name}) for name in BY_NAME[unit].names}
    _, definitions = _definitions(reference_module(unit).__name__)
    names = {node.name for node in definitions}
    uses = {
        node.name: {node.name} | {word.id for word in ast.walk(node) if isinstance(word, ast.Name) and word.id in names}
        for node in definitions
    }
    for _ in names:
        uses = {name: set().union(*(uses[other] for other in reached)) for name, reached in uses.items()}
    return {name: frozenset(reached) for name, reached in uses.items()}


@lru_cache(maxsize=None)
def reference_part(unit: str, names: frozenset[str]) -> str:
    """Some definitions of the reference solution, below its imports and constants.

    Imports from other units are left out: a notebook provides them.
    """
    kept = [
        node
        for node in syntax_tree(inspect.getsource(reference_module(unit))).body
        if (isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in names)
        or isinstance(node, (ast.Import, ast.Assign, ast.AnnAssign))
        or (isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("solutions."))
    ]
    return "\n".join(ast.unparse(node) for node in kept) + "\n"


@lru_cache(maxsize=None)
def fitting(unit: str) -> ModuleType | None:
    """The ``fitting.py`` of a unit in which learners' classes may have constructors of their own.

    It names these ``CLASSES`` and the ``BUILDER``, the one task whose code builds them, and its function ``fit`` makes
    the course's builder fit them.
    """
    there = (PACKAGE / "units" / unit / "fitting.py").is_file()
    return importlib.import_module(f"autograder.units.{unit}.fitting") if there else None


def stub_of(unit: str, name: str) -> str:
    """A definition of the reference solution as a notebook gives it: each solution is a NotImplementedError."""
    return _SOLUTION.sub(r"\1raise NotImplementedError\n", _reference_sources(unit)[name])


_SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION\n.*?(?:^ *### END SOLUTION\n|\Z)", re.MULTILINE | re.DOTALL)
_REMOVED = "\0"  # a line that is left out
_MARK = re.compile(r"^ *(?:### (?:BEGIN|END) SOLUTION|/\* (?:BEGIN|END) SOLUTION \*/)\n", re.MULTILINE)


def _without_marks(source: str) -> str:
    return _MARK.sub("", source)


def _without_docstrings(source: str) -> str:
    """A function or class without docstrings, the blank lines below them, and the marks of the solution."""
    lines = source.split("\n")
    for node in ast.walk(syntax_tree(source)):
        if (
            not isinstance(node, (ast.FunctionDef, ast.ClassDef))
            or ast.get_docstring(node) is None
            or not node.body[1:]
        ):
            continue
        text = node.body[0]
        end = text.end_lineno or text.lineno
        while not lines[end].strip():
            end += 1
        lines[text.lineno - 1 : end] = [_REMOVED] * (end - text.lineno + 1)
    return _without_marks("\n".join(line for line in lines if line is not _REMOVED))


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
