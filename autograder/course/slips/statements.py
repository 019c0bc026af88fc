"""Slips in statements: one left out or moved, a branch or a loop that is wrong, an argument that is ignored."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.course.slips.expressions import AXES
from autograder.course.slips.sites import Change, Put, Site, constant, indexed, name, without

_OTHER_UPDATES: dict[type[ast.operator], tuple[type[ast.operator], str]] = {
    ast.Add: (ast.Sub, "opposite-sign"),
    ast.Sub: (ast.Add, "opposite-sign"),
    ast.Mult: (ast.Div, "another-operation"),
    ast.Div: (ast.Mult, "another-operation"),
    ast.BitOr: (ast.BitAnd, "another-operation"),
    ast.BitAnd: (ast.BitOr, "another-operation"),
}


def in_statements(site: Site) -> Iterator[Change]:
    """The slips that replace a statement, or move it."""
    node = site.node
    if isinstance(node, ast.FunctionDef) and any("no_grad" in ast.unparse(one) for one in node.decorator_list):
        yield site.changed("gradient-recorded", 0, "the whole function", (node, "decorator_list", []))
    if not isinstance(node, ast.stmt) or isinstance(node, (ast.FunctionDef, ast.ClassDef)) or site.index is None:
        return
    if not isinstance(node, ast.Return):
        yield site.replaced("step-left-out", 0, _in_words(site), ast.Pass())
        yield from _exchanged_with_the_next(site)
    if isinstance(node, ast.If):
        words = site.condition(node.test)
        for value in (True, False):
            yield site.changed("condition-ignored", 0, words, (node, "test", ast.Constant(value)))
        yield site.changed("condition-negated", 0, words, (node, "test", ast.UnaryOp(ast.Not(), node.test)))
    elif isinstance(node, ast.With):
        family = "gradient-recorded" if "grad" in ast.unparse(node.items[0]) else "step-left-out"
        inside = [*site.block[: site.index], *node.body, *site.block[site.index + 1 :]]
        what = "a part of the function" if family == "gradient-recorded" else "a `with` block"
        yield site.changed(family, 0, what, (site.parent, site.field, inside))
    elif isinstance(node, (ast.Assign, ast.AugAssign)):
        yield from _assigned(site)
    elif isinstance(node, ast.Return) and node.value is not None:
        yield from _returned(site)
    elif isinstance(node, (ast.For, ast.While)):
        yield from _items(site)
        yield from _moved_over_the_edge(site)
    elif isinstance(node, (ast.Continue, ast.Break)):
        other = ast.Break() if isinstance(node, ast.Continue) else ast.Continue()
        yield site.replaced("not-every-item", 1, "a loop", other)


def _in_words(site: Site) -> str:
    node = site.node
    if isinstance(node, ast.Raise) or (
        isinstance(node, ast.If) and any(isinstance(one, ast.Raise) for one in node.body)
    ):
        return "a refusal of wrong arguments"
    if isinstance(node, ast.If):
        return f"an `if` with {site.condition(node.test)}"
    value = getattr(node, "value", None)
    return site.words(value) if isinstance(value, (ast.BinOp, ast.Call)) else "a step"


def _exchanged_with_the_next(site: Site) -> Iterator[Change]:
    assert site.index is not None
    before, after = site.block[: site.index], site.block[site.index + 1 :]
    if after:
        turned = (Put(site.parent, site.field, None, [*before, after[0], site.node, *after[1:]]),)
        lines = (site.line, after[0].lineno)
        yield Change("order-of-steps", 1, _in_words(site), turned, site.scope.name, lines)


def _assigned(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.AugAssign):
        what = "an update of a variable"
        if type(node.op) in _OTHER_UPDATES:
            other, family = _OTHER_UPDATES[type(node.op)]
            yield site.changed(family, 0, what, (node, "op", other()))
        yield site.replaced("old-value-left-out", 0, what, ast.Assign([node.target], node.value, lineno=site.line))
        return
    target, value = node.targets[0], node.value
    if isinstance(value, ast.BinOp) and ast.unparse(value.left) == ast.unparse(target):
        yield site.replaced("argument-changed", 1, "an update", ast.AugAssign(target, value.op, value.right))


def _returned(site: Site) -> Iterator[Change]:
    """Another value returned, or a part of the result."""
    value = site.node.value
    for word in site.scope.names if not isinstance(value, ast.Name) else ():
        what = f"`{word}`" if word in site.scope.parameters else "a variable"
        yield site.replaced("another-value-used", 1, what, ast.Return(name(word)))
    for part in value.elts if isinstance(value, ast.Tuple) and len(value.elts) > 1 else ():
        yield site.replaced("part-left-out", 1, "the result", ast.Return(part))


def _items(site: Site) -> Iterator[Change]:
    """The first or the last item of a loop left out, the first alone, or all in reverse."""
    loop = site.node
    if isinstance(loop, ast.For):
        items = ast.Call(name("list"), [loop.iter], [])
        for lower, upper, step in ((None, -1, None), (1, None, None), (None, 1, None), (None, None, -1)):
            piece = ast.Slice(*(None if bound is None else constant(bound) for bound in (lower, upper, step)))
            yield site.changed("not-every-item", 1, "a loop", (loop, "iter", indexed(items, piece)))


def _moved_over_the_edge(site: Site) -> Iterator[Change]:
    """A statement moved out of a loop, or into it."""
    loop, at, block = site.node, site.index, site.block
    assert at is not None
    before, after = block[:at], block[at + 1 :]
    moves: list[tuple[ast.stmt, list[ast.stmt], list[ast.stmt]]] = []  # what moves; then the loop's body, and the block
    for position, step in enumerate(loop.body):
        rest = without(loop.body, position) or [ast.Pass()]
        moves += [(step, rest, [*before, step, loop, *after]), (step, rest, [*before, loop, step, *after])]
    if before:
        moves.append((before[-1], [before[-1], *loop.body], [*before[:-1], loop, *after]))
    if after:
        moves.append((after[0], [*loop.body, after[0]], [*before, loop, *after[1:]]))
    for moved, body, around in moves:
        puts = (Put(loop, "body", None, body), Put(site.parent, site.field, None, around))
        yield Change("edge-of-a-loop", 1, "a step", puts, site.scope.name, (moved.lineno,))


def ignored_arguments(function: ast.FunctionDef, where: str) -> Iterator[Change]:
    """An argument that is replaced by its default, or by another number, as soon as the function begins."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    pairs = list(zip(positional[len(positional) - len(given.defaults) :], given.defaults))
    pairs += [(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults) if default is not None]
    for argument, default in pairs:
        values = [default]
        if isinstance(default, ast.Constant) and isinstance(default.value, bool):
            values.append(ast.Constant(not default.value))
        elif argument.arg in ("dim", "axis"):
            values += map(constant, AXES)
        for value in values:
            first = ast.Assign([ast.Name(argument.arg, ast.Store())], value, lineno=function.lineno)
            puts = (Put(function, "body", None, [first, *function.body]),)
            yield Change("argument-ignored", 0, f"`{argument.arg}`", puts, where, (function.lineno,))
