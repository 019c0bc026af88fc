"""Sites: the nodes of a syntax tree with all that a change of them has to know."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.course.slips.words import in_words


@dataclass(frozen=True)
class Put:
    """Put ``new`` into a field of a node, or at one index of a field that is a list."""

    parent: ast.AST
    field: str
    index: int | None
    new: Any

    def swap(self) -> Put:
        """Put it there, and return what brings the old one back."""
        value = getattr(self.parent, self.field)
        if self.index is None:
            setattr(self.parent, self.field, self.new)
            return Put(self.parent, self.field, None, value)
        old, value[self.index] = value[self.index], self.new
        return Put(self.parent, self.field, self.index, old)


@dataclass(frozen=True)
class Change:
    """A slip as a change of the tree; a lower ``rank`` is likelier. ``what``: the operation that it changes, in words.

    ``where``: the method that holds it. ``key``: equal for changes that a learner may make everywhere at once.
    """

    family: str
    rank: int
    what: str
    puts: tuple[Put, ...]
    where: str
    lines: tuple[int, ...]
    key: str = ""


@dataclass(frozen=True)
class Scope:
    """A function: its parameters (without ``self``), all its names, and its class's attributes by what makes them."""

    name: str = ""
    parameters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Site:
    """A node, the field that holds it, its function, and the line of its statement."""

    node: Any
    parent: ast.AST
    field: str
    index: int | None
    scope: Scope
    line: int

    @property
    def block(self) -> list[ast.stmt]:
        """The statements among which a statement stands."""
        return getattr(self.parent, self.field)

    def replaced(self, family: str, rank: int, what: str, new: ast.AST, key: str = "") -> Change:
        """Another node in its place."""
        put = Put(self.parent, self.field, self.index, new)
        return Change(family, rank, what, (put,), self.scope.name, (self.line,), key)

    def changed(self, family: str, rank: int, what: str, *fields: tuple[ast.AST, str, Any]) -> Change:
        """Other values in some fields of nodes."""
        puts = tuple(Put(node, name, None, new) for node, name, new in fields)
        return Change(family, rank, what, puts, self.scope.name, (self.line,))

    def words(self, node: ast.AST | None = None, unnamed: str = "") -> str:
        """The operation in words that tell nothing but the names of parameters, which a learner knows."""
        return in_words(node or self.node, frozenset(self.scope.parameters), unnamed)

    def condition(self, node: ast.AST) -> str:
        """The same for what is true or false; a name, a call or an index alone is "a condition"."""
        return self.words(node, "a condition")


def sites_of(tree: ast.Module) -> Iterator[Site]:
    """All sites of a definition, in the order of the text."""
    for definition in tree.body:
        yield from _below(definition, Scope(attributes=_attributes(definition)), definition.lineno)


def _below(node: ast.AST, scope: Scope, line: int) -> Iterator[Site]:
    if isinstance(node, ast.FunctionDef) and not scope.names:
        scope = _scope_of(node, scope)
    for name, value in ast.iter_fields(node):
        if name in ("returns", "annotation", "bases"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                its_line = child.lineno if isinstance(child, ast.stmt) else line
                yield Site(child, node, name, index, scope, its_line)
                yield from _below(child, scope, its_line)


def _scope_of(function: ast.FunctionDef, outer: Scope) -> Scope:
    given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    parameters = tuple(one.arg for one in given if one.arg != "self")
    words = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    assigned = [word.id for word in words if isinstance(word.ctx, ast.Store)]
    method = function.name if any(one.arg == "self" for one in given) else ""
    return Scope(method, parameters, tuple(dict.fromkeys([*parameters, *assigned])), outer.attributes)


def _attributes(definition: ast.AST) -> dict[str, str]:
    """The attributes that a class assigns to ``self``, each with what it is made by."""
    found = {}
    for node in ast.walk(definition):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Attribute) and is_of_self(target) and isinstance(node, ast.Assign):
                made = node.value
                found[target.attr] = (
                    f"{ast.unparse(made.func)}()" if isinstance(made, ast.Call) else type(made).__name__
                )
    return found


def is_of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


# --- nodes ------------------------------------------------------------------------------------------------------------


def constant(value: Any) -> ast.expr:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def name(word: str) -> ast.Name:
    return ast.Name(word, ast.Load())


def method(node: ast.expr, word: str, *args: ast.expr) -> ast.Call:
    """A method of a value, called."""
    return ast.Call(ast.Attribute(node, word, ast.Load()), [*args], [])


def indexed(node: ast.expr, index: ast.expr) -> ast.Subscript:
    return ast.Subscript(node, index, ast.Load())


def plus(node: ast.expr, by: int) -> ast.expr:
    """A value plus a small number, as one constant where it is one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return constant(node.value + by)
    return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by)))


def exchanged(items: list, one: int, other: int) -> list:
    """A list with two items exchanged."""
    copy = list(items)
    copy[one], copy[other] = copy[other], copy[one]
    return copy


def without(items: list, index: int) -> list:
    return items[:index] + items[index + 1 :]
