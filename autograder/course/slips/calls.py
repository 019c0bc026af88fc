"""Slips in calls: a step left out, added or exchanged with another, and wrong arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.course.slips.sites import Change, Site, constant, exchanged, indexed, is_of_self, method, name, without
from autograder.course.slips.words import called

# Names of functions and methods that are taken for each other.
_CONFUSED = """
    sum/mean max/min amax/amin argmax/argmin sqrt/rsqrt sqrt/square square/abs tril/triu softmax/log_softmax sin/cos
    zeros/ones zeros_like/ones_like zeros_/ones_ floor/ceil floor/round var/std any/all cat/stack sigmoid/tanh relu/gelu
    ReLU/GELU gelu/silu silu/sigmoid relu/sigmoid randn/rand repeat/repeat_interleave uniform_/normal_ append/extend
    xavier_uniform_/xavier_normal_ xavier_uniform_/kaiming_uniform_ log/log2 log/log10 log/log1p exp/expm1 exp/exp2
    Softmax/LogSoftmax softmax/sigmoid transpose/view flatten/squeeze unsqueeze/squeeze mul_/add_ add_/sub_ cumsum/sum
    cumsum/cumprod vector_norm/sum prod/sum startswith/endswith removeprefix/removesuffix keys/values median/mean
    train/eval topk/sort lstrip/strip
"""
_OTHERS: dict[str, list[str]] = {}
for _one, _, _other in (pair.partition("/") for pair in _CONFUSED.split()):
    _OTHERS.setdefault(_one, []).append(_other)
    _OTHERS.setdefault(_other, []).append(_one)
_TYPES = {"float", "long", "double", "half", "to", "type_as", "int", "bool", "type", "contiguous", "cpu"}
_CHANGES = "masked_fill clamp add sub mul div exp log scatter index_fill tril triu sqrt square"
_IN_PLACE = {*_CHANGES.split()}
_IMPORTED = "torch math F nn copy itertools random os time dataclasses regex re sys"
_MODULES = {*_IMPORTED.split()}
_PARTS_OF_TORCH = {"nn", "functional", "init", "linalg", "optim", "autograd", "utils", "random"}


def _is_module(node: ast.AST | None) -> bool:
    """Whether a name stands for a module, as far as its spelling says."""
    if isinstance(node, ast.Attribute):
        return _is_module(node.value) and node.attr in _PARTS_OF_TORCH
    return isinstance(node, ast.Name) and node.id in _MODULES


def _operand(node: ast.AST) -> ast.expr | None:
    """What a call works on: the object of a method, or the first argument of a function or of a layer of ``self``."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value) and not is_of_self(node.func):
        return node.func.value
    return node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None


def _on(call: ast.Call, operand: ast.expr) -> ast.Call:
    """The same call on another operand."""
    if isinstance(call.func, ast.Attribute) and _operand(call) is call.func.value:
        return ast.Call(ast.Attribute(operand, call.func.attr, ast.Load()), call.args, call.keywords)
    return ast.Call(call.func, [operand, *call.args[1:]], call.keywords)


def _named(call: ast.Call, word: str) -> ast.Call:
    """The same call of a function or method of another name."""
    function = call.func
    other = ast.Attribute(function.value, word, ast.Load()) if isinstance(function, ast.Attribute) else name(word)
    return ast.Call(other, call.args, call.keywords)


def in_calls(site: Site) -> Iterator[Change]:
    """The slips that replace a call, and those that draw a term into a call."""
    if isinstance(site.node, ast.BinOp):
        yield from _terms_drawn_in(site)
    if not isinstance(site.node, ast.Call):
        return
    node, word, words = site.node, called(site.node), site.words()
    yield from _steps(site)
    for other in _OTHERS.get(word, ()):
        another = _named(node, other)
        yield site.replaced("another-operation", 0, site.words(another), another, f"{word} {other}")
    a_method = isinstance(node.func, ast.Attribute) and not _is_module(node.func.value)
    if a_method and word in _IN_PLACE:
        yield site.replaced("argument-changed", 1, words, _named(node, f"{word}_"))
    if word in ("tril", "triu") and len(node.args) == (not a_method):
        for diagonal in (1, -1):
            moved = ast.Call(node.func, [*node.args, constant(diagonal)], node.keywords)
            yield site.replaced("off-by-one", 0, f"the diagonal of {words}", moved)
    yield from _arguments(site)


def _steps(site: Site) -> Iterator[Change]:
    """f(x) as x, f(f(x)); f(g(x)) as g(f(x)); f(a + b) as f(a) + b."""
    node, word, words, operand = site.node, called(site.node), site.words(), _operand(site.node)
    if operand is None:
        return
    if word in _TYPES:
        yield site.replaced("type-or-device", 0, "a change of type or device", operand, word)
    else:
        yield site.replaced("step-left-out", 0, words, operand, word)
        if not word[:1].isupper():
            yield site.replaced("step-twice", 2, words, _on(node, node))
    innermost = _operand(operand)
    if isinstance(operand, ast.Call) and innermost is not None:
        yield site.replaced("order-of-steps", 1, words, _on(operand, _on(node, innermost)))
    if isinstance(operand, ast.BinOp):
        left, right, op = operand.left, operand.right, operand.op
        for rank, one, other in ((1, _on(node, left), right), (1, left, _on(node, right))):
            yield site.replaced("order-of-operations", rank, words, ast.BinOp(one, op, other))
        both = ast.BinOp(_on(node, left), op, _on(node, right))
        yield site.replaced("order-of-operations", 2, words, both)
        if isinstance(op, ast.Add):
            bound = ast.Call(ast.Attribute(_on(node, left), "clamp", ast.Load()), [], [ast.keyword("min", right)])
            yield site.replaced("term-as-bound", 1, words, bound)


def _terms_drawn_in(site: Site) -> Iterator[Change]:
    """f(a) + b as f(a + b)."""
    left, right, op = site.node.left, site.node.right, site.node.op
    for call, is_left in ((left, True), (right, False)):
        inner = _operand(call)
        if isinstance(call, ast.Call) and inner is not None:
            together = ast.BinOp(inner, op, right) if is_left else ast.BinOp(left, op, inner)
            yield site.replaced("order-of-operations", 2, site.words(), _on(call, together))


# What it means to leave out a keyword that says which axis an operation works on, or whether that axis stays.
_WITHOUT_KEYWORD = {**dict.fromkeys(("dim", "dims", "axis"), "another-axis"), "keepdim": "axis-kept-or-dropped"}


def _arguments(site: Site) -> Iterator[Change]:
    """Two arguments exchanged, or one left out."""
    node, word, words = site.node, called(site.node), site.words()
    for one, argument in enumerate(node.args):
        for other in range(one + 1, len(node.args)):
            swapped = ast.Call(node.func, exchanged(node.args, one, other), node.keywords)
            yield site.replaced("arguments-exchanged", 0 if other == one + 1 else 1, words, swapped)
        if word in ("float", "int"):
            continue  # nobody writes `float()` for a number that has a name
        rest = ast.Call(node.func, without(node.args, one), node.keywords)
        known = isinstance(argument, ast.Name) and argument.id in site.scope.parameters
        family, what = ("argument-left-out", f"`{argument.id}`") if known else ("call-without-argument", words)
        yield site.replaced(family, int(one < len(node.args) - 1), what, rest, f"{word} {one}")
    for position, keyword in enumerate(node.keywords):
        if keyword.arg:
            family = _WITHOUT_KEYWORD.get(keyword.arg, "call-without-argument")
            rest = ast.Call(node.func, node.args, without(node.keywords, position))
            yield site.replaced(family, 0, words, rest, f"{word} {keyword.arg}")
    operand = _operand(node)
    if operand is not None and node.args and operand is not node.args[0]:  # a.f(b) as b.f(a)
        first = node.args[0]
        if all(isinstance(side, (ast.Name, ast.Call, ast.Attribute)) for side in (first, operand)):
            turned = ast.Call(ast.Attribute(first, word, ast.Load()), [operand, *node.args[1:]], node.keywords)
            yield site.replaced("arguments-exchanged", 1, words, turned)


def masks(site: Site) -> Iterator[Change]:
    """A mask the other way round, and values cut off from the gradients."""
    node = site.node
    if isinstance(node, ast.Call) and called(node) in ("masked_fill", "masked_fill_", "where") and node.args:
        first, *others = node.args
        if not (isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.Invert)):
            negated = ast.Call(node.func, [ast.UnaryOp(ast.Invert(), first), *others], node.keywords)
            yield site.replaced("condition-negated", 0, "a mask", negated)
    of_call = isinstance(node, ast.Call) and isinstance(site.parent, (ast.BinOp, ast.Call, ast.Return, ast.Assign))
    of_name = isinstance(node, ast.Name) and node.id in site.scope.names and isinstance(site.parent, ast.BinOp)
    if (of_call and called(node) not in ("range", "len")) or of_name:
        yield site.replaced("gradient-cut-off", 2, site.words(), method(node, "detach"))


# --- one more step ----------------------------------------------------------------------------------------------------

_MORE: tuple[tuple[str, tuple, str], ...] = (
    ("softmax", (-1,), "a softmax"),
    ("log_softmax", (-1,), "a log-softmax"),
    ("transpose", (-1, -2), "a transpose"),
    ("unsqueeze", (0,), "an unsqueeze"),
    ("unsqueeze", (1,), "an unsqueeze"),
    ("squeeze", (), "a squeeze"),
    ("flatten", (), "a flattening"),
    ("sqrt", (), "a square root"),
    ("exp", (), "an exponential"),
    ("mean", (), "a mean"),
    ("sum", (), "a sum"),
    ("relu", (), "a ReLU"),
    ("nan_to_num", (0.0,), "a replacement of NaN"),
    ("float", (), "a conversion to float32"),
    ("long", (), "a conversion to integers"),
)


def extra_steps(site: Site) -> Iterator[Change]:
    """An argument, a factor or a result that goes through one more step."""
    node, parent = site.node, site.parent
    if isinstance(parent, ast.Call) and site.field == "args" and isinstance(node, ast.expr):
        function = parent.func
        if is_of_self(function):
            yield from _other_layers(site, function.attr)  # type: ignore[attr-defined]
        plain = called(parent) in ("range", "len", "int", "zip", "list", "super")
        if not plain and not _is_module(getattr(function, "value", function)) and not isinstance(node, ast.Starred):
            yield from _scaled(site)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.MatMult) and site.field == "left":
        yield from _scaled(site)
    if not isinstance(node, ast.expr) or isinstance(node, (ast.Constant, ast.Slice, ast.Starred, ast.Tuple)):
        return
    first_of_several = isinstance(parent, ast.Tuple) and site.index == 0 and isinstance(parent.ctx, ast.Load)
    if isinstance(parent, ast.Return) or first_of_several:
        yield from _scaled(site)
        for word, arguments, words in _MORE:
            more = method(node, word, *map(constant, arguments))
            yield site.replaced("step-added", 1, words, more)
        yield site.replaced("condition-negated", 1, "the result", ast.UnaryOp(ast.Invert(), node))
        yield site.replaced("opposite-sign", 2, "the result", ast.UnaryOp(ast.USub(), node))


def _other_layers(site: Site, layer: str) -> Iterator[Change]:
    """self.f(x) as self.f(self.g(x)), for layers that are made alike."""
    kind = site.scope.attributes.get(layer, "")
    for other, its_kind in site.scope.attributes.items():
        if other != layer and kind == its_kind and kind.endswith("()"):
            more = ast.Call(ast.Attribute(name("self"), other, ast.Load()), [site.node], [])
            yield site.replaced("step-added", 1, f"`self.{other}`", more)


def _scaled(site: Site) -> Iterator[Change]:
    """A value that is divided or multiplied by its width, or by the root of that, once more."""
    if isinstance(site.node, ast.Constant):
        return
    width = indexed(ast.Attribute(site.node, "shape", ast.Load()), constant(-1))
    for op in (ast.Div(), ast.Mult()):
        for size in (ast.BinOp(width, ast.Pow(), ast.Constant(0.5)), width):
            yield site.replaced("another-scale", 2, site.words(unnamed="a value"), ast.BinOp(site.node, op, size))
