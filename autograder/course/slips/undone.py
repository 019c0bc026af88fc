"""Slips undone: changes of wrong code that may put it right, beside those that make slips of right code.

A learner's function may change its arguments, share what each call or each instance should have for itself, read
another attribute, lose a type, or take a step too early. Each change here undoes one of these.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from autograder.course.slips.sites import Change, Put, Site, method, name, sites_of
from autograder.course.source import syntax_tree

_MUTABLE = (ast.Dict, ast.List, ast.Set, ast.Call)
_Function = ast.FunctionDef


def undoing(
    tree: ast.Module, attributes: Mapping[str, Sequence[str]], constants: Sequence[float | str]
) -> Iterator[Change]:
    """All such changes of a definition.

    Args:
        tree: the definition.
        attributes: for each name of a variable, those that right code reads.
        constants: the numbers and texts in right code.
    """
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            yield from _arguments_copied(node)
            yield from _defaults_made_anew(node)
        if isinstance(node, ast.ClassDef):
            yield from _attributes_of_instances(node)
        if isinstance(node, (_Function, ast.For, ast.While, ast.If, ast.With)):
            yield from _calls_moved(node)
    for site in sites_of(tree):
        yield from _other_attributes(site, attributes)
        yield from _other_constants(site, constants)
        yield from _type_kept(site)


def _begins_with(function: _Function, source: str) -> Put:
    return Put(function, "body", None, [*syntax_tree(source).body, *function.body])


def _arguments_copied(function: _Function) -> Iterator[Change]:
    """Each argument is copied as soon as the function begins."""
    given = function.args
    for word in (one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs) if one.arg != "self"):
        put = _begins_with(function, f"{word} = {word}.clone() if hasattr({word}, 'clone') else {word}.copy()")
        yield Change("argument-copied", 0, f"`{word}`", (put,), function.name, (function.lineno,))


def _defaults_made_anew(function: _Function) -> Iterator[Change]:
    """A default that can be changed is made in each call."""
    given = function.args
    with_default = [*given.posonlyargs, *given.args][-len(given.defaults) or None :]
    for index, (argument, default) in enumerate(zip(with_default, given.defaults)):
        if isinstance(default, _MUTABLE):
            word = argument.arg
            made = _begins_with(function, f"if {word} is None:\n    {word} = {ast.unparse(default)}")
            puts = (Put(given, "defaults", index, ast.Constant(None)), made)
            yield Change("default-shared", 0, f"`{word}`", puts, function.name, (function.lineno,))


def _attributes_of_instances(definition: ast.ClassDef) -> Iterator[Change]:
    """What belongs to the class is made for each instance."""
    start = next((one for one in definition.body if isinstance(one, _Function) and one.name == "__init__"), None)
    if start is None:
        return
    for one in definition.body:
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and isinstance(one.value, _MUTABLE):
            word = one.targets[0].id
            put = _begins_with(start, f"self.{word} = {ast.unparse(one.value)}")
            yield Change("attribute-shared", 0, f"`{word}`", (put,), "", (one.lineno,))


def _calls_moved(node: _Function | ast.For | ast.While | ast.If | ast.With) -> Iterator[Change]:
    """A call that is made for what it does, such as a step of an optimiser, stands elsewhere in its block."""
    block = node.body
    for index, step in enumerate(block):
        rest = [*block[:index], *block[index + 1 :]]
        for to in range(len(block)) if isinstance(step, ast.Expr) else ():
            if to not in (index, index + 1):  # moved by one down is another one moved up
                put = Put(node, "body", None, [*rest[:to], step, *rest[to:]])
                yield Change("call-moved", 0, "a call", (put,), "", (step.lineno,))


def _other_attributes(site: Site, attributes: Mapping[str, Sequence[str]]) -> Iterator[Change]:
    """Another attribute of the same variable."""
    node = site.node
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in site.scope.names:
        for other in attributes.get(node.value.id, ()):
            put = ast.Attribute(node.value, other, ast.Load())
            yield site.replaced("another-attribute", 0, f"`{node.value.id}.{node.attr}`", put)


def _other_constants(site: Site, constants: Sequence[float | str]) -> Iterator[Change]:
    """Another number or text."""
    node = site.node
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, str):
        for other in constants:
            same_kind = isinstance(other, str) == isinstance(node.value, str)
            if same_kind and other != node.value:
                if isinstance(other, str):
                    yield site.replaced("another-text", 2, "a string", ast.Constant(other))
                else:
                    yield site.replaced("another-number", 1, "a number", ast.Constant(other))


def _type_kept(site: Site) -> Iterator[Change]:
    """The result gets the type of an argument."""
    if isinstance(site.parent, ast.Return) and not isinstance(site.node, (ast.Constant, ast.Tuple)):
        for word in site.scope.parameters:
            typed = method(site.node, "to", ast.Attribute(name(word), "dtype", ast.Load()))
            yield site.replaced("type-kept", 1, f"`{word}`", typed)
