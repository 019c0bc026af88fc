"""What a learner's test is called with: one implementation as compiled code that does not reveal which one it is.

The code of the reference solution and of every entry of the catalogue is made alike: no docstrings, annotations, file
names or line numbers, and local variables that are only numbered. What is left is bytecode, by which a test could still
know an implementation that it has seen before; `autograder.judging.trials` says what that gains.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import marshal
from collections.abc import Iterable, Iterator
from functools import lru_cache

import solutions
from autograder.course.catalogue import Entry, complete_source
from autograder.course.catches import Catch, Shown
from autograder.course.source import remove_docstrings, syntax_tree
from autograder.sandbox.drivers import driver_source
from autograder.sandbox.runtime.lines import DRIVER_FILE

_NAMED = (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)


@lru_cache(maxsize=4096)
def code_of(catch: Catch, shown: Shown | None = None) -> bytes:
    """The code that makes an implementation, by default the reference solution, in an empty namespace (`marshal`)."""
    wanted = {*catch.gets, *catch.of}
    if catch.build:
        wanted |= _names(syntax_tree(driver_source(catch.build)))
    entry = catch.entry(shown) if shown else None
    tree = ast.Module(_program(catch.unit, wanted, entry), [])
    return marshal.dumps(compile(_normalised(tree), DRIVER_FILE, "exec", dont_inherit=True))


def _program(unit: str, wanted: set[str], entry: Entry | None = None) -> list[ast.stmt]:
    """The statements of a reference solution that the ``wanted`` names need, with the entry's replacements.

    Statements that a solution imports from another solution or from `given` come before it.
    """
    body = syntax_tree(inspect.getsource(importlib.import_module(f"solutions.{unit}"))).body
    if entry:
        own = syntax_tree(complete_source(entry)).body
        replaced = entry.task.partition(".")[2]
        body = [new for old in body for new in (own if getattr(old, "name", "") == replaced else [old])]
    found: list[ast.stmt] = []
    for node in _reached(body, wanted):
        found += _written_out(node) if isinstance(node, ast.ImportFrom) else [node]
    return found


def _reached(body: list[ast.stmt], wanted: set[str]) -> list[ast.stmt]:
    """The statements without the definitions that nothing wanted uses."""
    definitions = {node.name: node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    waiting, reached = list(wanted), set[str]()
    while waiting:
        name = waiting.pop()
        if name in definitions and name not in reached:
            reached.add(name)
            waiting += _names(definitions[name])
    used = reached.union(wanted, *(_names(definitions[name]) for name in reached))
    for node in body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):  # constants may use functions and other constants
            used |= _names(node)
    return [node for node in body if _is_needed(node, used)]


def _is_needed(node: ast.stmt, used: set[str]) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name in used
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("solutions"):
        return any((alias.asname or alias.name) in used for alias in node.names)
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign))


def _written_out(node: ast.ImportFrom) -> list[ast.stmt]:
    """An import from another solution as the statements that it brings; any other import as it is."""
    package, _, unit = (node.module or "").partition(".")
    if package != "solutions":
        return [node]
    given: list[ast.stmt] = []
    if unit:
        given += _program(unit, {alias.name for alias in node.names})
    for alias in node.names:
        value: ast.expr = ast.Name(alias.name, ast.Load()) if unit else ast.Constant(getattr(solutions, alias.name))
        if not unit or alias.asname:
            given.append(ast.Assign([ast.Name(alias.asname or alias.name, ast.Store())], value))
    return given


def _names(tree: ast.AST) -> set[str]:
    """Every name and attribute in a tree: a build function holds names as attributes."""
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return named | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


# --- code that says nothing about itself -----------------------------------------------------------------------


def _normalised(tree: ast.Module) -> ast.Module:
    """The tree without the parts that are only for human readers."""
    remove_docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    outside = {name for node in tree.body for name in _bound(node)} | vars(builtins).keys()
    for function in _outermost_functions(tree.body):
        _number_locals(function, outside)
    for node in ast.walk(tree):
        for name, value in {"lineno": 1, "end_lineno": 1, "col_offset": 0, "end_col_offset": 0}.items():
            if hasattr(node, name):
                setattr(node, name, value)
    return ast.fix_missing_locations(tree)


def _outermost_functions(body: Iterable[ast.stmt]) -> Iterator[ast.FunctionDef]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from _outermost_functions(node.body)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a top-level statement binds."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    else:
        yield from (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _number_locals(function: ast.FunctionDef, outside: Iterable[str]) -> None:
    """Rename the local variables of a function, and of those inside it, to numbered names."""
    inside = list(ast.walk(function))
    kept = {node.arg for node in inside if isinstance(node, ast.arg)}.union(outside)
    for node in inside:
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Global)):
            kept.update(_bound(node) if not isinstance(node, ast.Global) else node.names)
        if isinstance(node, ast.ClassDef):  # other code uses attributes by name
            kept.update(name for part in node.body for name in _bound(part))
    known: dict[str, str] = {}
    own = [node for node in inside if node is not function and _named(node)]
    for node in own:
        name = getattr(node, _named(node))
        is_given_a_value = not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Store)
        if name and is_given_a_value and name not in kept:
            known.setdefault(name, f"v{len(known)}")
    for node in own:
        name = getattr(node, _named(node))
        setattr(node, _named(node), known.get(name, name))
    for node in inside:
        if isinstance(node, ast.Nonlocal):
            node.names = [known.get(name, name) for name in node.names]


def _named(node: ast.AST) -> str:
    """The attribute of a node that holds the name of a variable."""
    return "id" if isinstance(node, ast.Name) else "name" if isinstance(node, _NAMED) else ""
