"""Slips in expressions: operators, comparisons, conditions, numbers, indices, names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.course.slips.sites import Change, Site, constant, exchanged, indexed, is_of_self, name, plus, without
from autograder.course.slips.words import called


def in_expressions(site: Site) -> Iterator[Change]:
    """The slips that replace an expression which is no call."""
    node = site.node
    if isinstance(node, ast.BinOp):
        yield from _binary(site)
        yield from _grouped(site)
    elif isinstance(node, ast.Compare):
        yield from _compared(site)
    elif isinstance(node, (ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.comprehension)):
        yield from _conditions(site)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield from _indices(site)
    elif isinstance(node, ast.Slice):
        yield from _slices(site)
    elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
        yield from _names(site)
    elif isinstance(node, (ast.Tuple, ast.List)):
        yield from _sequences(site)
    yield from _numbers(site)
    yield from _infinities(site)


# --- operators --------------------------------------------------------------------------------------------------------

_OTHER = "another-operation"
_IN_ORDER = (ast.Sub, ast.Div, ast.MatMult, ast.FloorDiv, ast.Pow, ast.Mod)
_OTHER_OPERATORS: dict[type[ast.operator], tuple[tuple[type[ast.operator], str, int], ...]] = {
    ast.Add: ((ast.Sub, "opposite-sign", 0), (ast.Mult, _OTHER, 2)),
    ast.Sub: ((ast.Add, "opposite-sign", 0),),
    ast.Mult: ((ast.Div, _OTHER, 0), (ast.Add, _OTHER, 2)),
    ast.Div: ((ast.Mult, _OTHER, 0), (ast.FloorDiv, _OTHER, 1)),
    ast.FloorDiv: ((ast.Div, _OTHER, 1),),
    ast.MatMult: ((ast.Mult, _OTHER, 1),),
    ast.BitAnd: ((ast.BitOr, _OTHER, 0),),
    ast.BitOr: ((ast.BitAnd, _OTHER, 0),),
    ast.Pow: ((ast.Mult, _OTHER, 1),),
}


def _binary(site: Site) -> Iterator[Change]:
    """The sides exchanged, one of them left out, another operator, a divisor beside the right one."""
    left, right, op, words = site.node.left, site.node.right, site.node.op, site.words()
    if isinstance(op, _IN_ORDER):
        yield site.replaced("sides-exchanged", 0, words, ast.BinOp(right, op, left), "both")
    unlikely = isinstance(op, ast.MatMult)
    yield site.replaced("part-left-out", 2 if unlikely else 0, words, left, f"{type(op).__name__} right")
    unlikely = isinstance(op, (ast.MatMult, ast.Pow, ast.Mod))
    yield site.replaced("part-left-out", 2 if unlikely else 0, words, right, f"{type(op).__name__} left")
    for other, family, rank in _OTHER_OPERATORS.get(type(op), ()):
        another = ast.BinOp(left, other(), right)
        yield site.replaced(family, rank, site.words(another) if family == _OTHER else words, another, other.__name__)
    if isinstance(op, ast.FloorDiv):  # rounded up
        rounded = ast.BinOp(ast.UnaryOp(ast.USub(), left), op, right)
        yield site.replaced(_OTHER, 1, "a division that rounds up", ast.UnaryOp(ast.USub(), rounded))
    if isinstance(op, (ast.Div, ast.FloorDiv)):
        for by in (1, -1, 2, -2):
            divided = ast.BinOp(left, op, plus(right, by))
            yield site.replaced("off-by-one", 1, f"the divisor of {words}", divided)
    if isinstance(op, ast.Add) and isinstance(right, (ast.Name, ast.Attribute, ast.Constant)):
        bound = ast.Call(ast.Attribute(left, "clamp", ast.Load()), [], [ast.keyword("min", right)])
        yield site.replaced("term-as-bound", 1, words, bound)


def _grouped(site: Site) -> Iterator[Change]:
    """(a - b) / c as a - b / c, a / (b * c) as a / b * c, and so on."""
    left, right, op = site.node.left, site.node.right, site.node.op
    found = []
    if isinstance(left, ast.BinOp) and (type(left.op) is not type(op) or isinstance(op, (ast.Div, ast.Sub))):
        found.append(ast.BinOp(left.left, left.op, ast.BinOp(left.right, op, right)))
    if isinstance(right, ast.BinOp) and type(right.op) is not type(op):
        found.append(ast.BinOp(ast.BinOp(left, op, right.left), right.op, right.right))
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult) and isinstance(op, ast.Div):
        found.append(ast.BinOp(left.right, op, ast.BinOp(left.left, ast.Mult(), right)))
    for other in found:
        yield site.replaced("order-of-operations", 1, site.words(), other)


# --- conditions -------------------------------------------------------------------------------------------------------

_BESIDE, _NOT = "another-comparison", "condition-negated"
_OTHER_COMPARISONS: dict[type[ast.cmpop], tuple[tuple[type[ast.cmpop], str], ...]] = {
    ast.Lt: ((ast.LtE, _BESIDE), (ast.Gt, _NOT), (ast.GtE, _NOT)),
    ast.LtE: ((ast.Lt, _BESIDE), (ast.GtE, _NOT), (ast.Gt, _NOT)),
    ast.Gt: ((ast.GtE, _BESIDE), (ast.Lt, _NOT), (ast.LtE, _NOT)),
    ast.GtE: ((ast.Gt, _BESIDE), (ast.LtE, _NOT), (ast.Lt, _NOT)),
    ast.Eq: ((ast.NotEq, _NOT), (ast.GtE, _BESIDE), (ast.LtE, _BESIDE)),
    ast.NotEq: ((ast.Eq, _NOT), (ast.Gt, _BESIDE), (ast.Lt, _BESIDE)),
    ast.Is: ((ast.IsNot, _NOT),),
    ast.IsNot: ((ast.Is, _NOT),),
    ast.In: ((ast.NotIn, _NOT),),
    ast.NotIn: ((ast.In, _NOT),),
}


def _compared(site: Site) -> Iterator[Change]:
    node, words = site.node, site.words()
    for position, op in enumerate(node.ops):
        for other, family in _OTHER_COMPARISONS.get(type(op), ()):
            ops = [*node.ops[:position], other(), *node.ops[position + 1 :]]
            yield site.replaced(family, 0, words, ast.Compare(node.left, ops, node.comparators), other.__name__)
    first, *others = node.comparators
    if others:
        yield site.replaced("condition-ignored", 1, words, ast.Compare(node.left, node.ops[:1], [first]))
        yield site.replaced("condition-ignored", 1, words, ast.Compare(first, node.ops[1:], others))
    elif not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        for by in (1, -1):
            yield site.replaced("off-by-one", 2, words, ast.Compare(node.left, node.ops, [plus(first, by)]))


def _conditions(site: Site) -> Iterator[Change]:
    node = site.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert)):
        yield site.replaced("condition-negated", 0, site.condition(node.operand), node.operand)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        place = isinstance(site.parent, (ast.Subscript, ast.Slice))
        family, words = (
            ("from-the-other-end", "an index or a bound") if place else ("opposite-sign", site.words(node.operand))
        )
        yield site.replaced(family, 0, words, node.operand)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield site.replaced("and-or-exchanged", 0, site.words(), ast.BoolOp(other, node.values))
        for position in range(len(node.values)):
            rest = without(node.values, position)
            left = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            yield site.replaced("condition-ignored", 0, "a part of " + site.words(), left)
    elif isinstance(node, ast.IfExp):
        words = site.condition(node.test)
        yield site.replaced("condition-ignored", 0, words, node.body)
        yield site.replaced("condition-ignored", 0, words, node.orelse)
        yield site.replaced("condition-negated", 0, words, ast.IfExp(node.test, node.orelse, node.body))
    elif isinstance(node, ast.comprehension):
        for position, test in enumerate(node.ifs):
            negated = [*node.ifs[:position], ast.UnaryOp(ast.Not(), test), *node.ifs[position + 1 :]]
            yield site.changed("condition-ignored", 0, site.condition(test), (node, "ifs", without(node.ifs, position)))
            yield site.changed("condition-negated", 1, site.condition(test), (node, "ifs", negated))


# --- numbers ----------------------------------------------------------------------------------------------------------

AXES = (-1, -2, 0, 1, 2, -3)
_REDUCE = "sum mean max min amax amin argmax argmin softmax log_softmax any all var std logsumexp norm vector_norm prod"
_SHAPE = "transpose permute flatten cat stack unsqueeze squeeze chunk split size unflatten movedim swapaxes unbind"
_PICK = "sort topk gather scatter scatter_ roll index_select narrow select index_copy flip repeat_interleave"
_ALONG_AXES = {
    *_REDUCE.split(),
    *_SHAPE.split(),
    *_PICK.split(),
    "cumsum",
    "cumprod",
    "Softmax",
    "LogSoftmax",
    "normalize",
}
_OF_PYTHON = {"min", "max", "sum", "any", "all"}  # their numbers are values, not axes
_BOUNDED = {"range", "arange", "randint", "tril", "triu", "narrow", "islice"}
_OF_AN_AXIS = {"dim", "dims", "axis", "dim0", "dim1", "keepdim"}


def _numbers(site: Site) -> Iterator[Change]:
    node, parent, sign = site.node, site.parent, 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    elif isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub):
        return
    if not isinstance(node, ast.Constant) or not isinstance(node.value, (int, float)):
        return
    keyword = parent.arg or "" if isinstance(parent, ast.keyword) else ""
    if isinstance(node.value, bool):
        family = "axis-kept-or-dropped" if keyword == "keepdim" else "another-switch"
        what = f"the switch `{keyword}`" if keyword else "a constant"
        yield site.replaced(family, 0, what, ast.Constant(not node.value), f"bool {keyword}")
        return
    value = sign * node.value
    of_python = isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id in _OF_PYTHON
    in_call = isinstance(parent, ast.Call) and called(parent) in _ALONG_AXES and not of_python
    in_shape = isinstance(parent, ast.Subscript) and isinstance(parent.value, ast.Attribute)
    in_shape = in_shape and parent.value.attr == "shape"  # type: ignore[attr-defined]
    if keyword in _OF_AN_AXIS or in_call or in_shape:
        what = site.words(parent) if in_call else "a size" if in_shape else "an operation"
        for axis in AXES:
            yield site.replaced("another-axis", 0, what, constant(axis), f"axis {value} {axis}")
    elif isinstance(value, int):
        bounds = isinstance(parent, (ast.Subscript, ast.Slice)) or (
            isinstance(parent, ast.Call) and called(parent) in _BOUNDED
        )
        for number, rank in ((value + 1, 0), (value - 1, 0), (0, 1), (1, 1), (-value, 1), (2 * value, 2), (-1, 2)):
            by_one = bounds and abs(number - value) == 1
            family, what = ("off-by-one", "an index or a bound") if by_one else ("another-number", "a number")
            yield site.replaced(family, rank, what, constant(number), f"{value} {number}")
    else:
        yield from _fractions(site, value)


def _fractions(site: Site, value: float) -> Iterator[Change]:
    others = [0.0, 1.0, -value, 1 - value, 2 * value, value / 2, 10 * value, value / 10, value * value]
    others += [1000 * value, value / 1000, *([1 / value] if value else [])]
    for position, other in enumerate(others):
        yield site.replaced(
            "another-number", 0 if position < 3 else 1, "a number", constant(other), f"{value} {position}"
        )


def _infinities(site: Site) -> Iterator[Change]:
    text = ast.unparse(site.node) if isinstance(site.node, (ast.Call, ast.UnaryOp)) else ""
    if text in ("float('-inf')", "-math.inf", "-torch.inf"):
        for other in (-1e9, 0.0, -1e4, 1e-9, 1e9, -1e20, -1.0, 1.0):
            yield site.replaced("finite-for-infinite", 0, "minus infinity", constant(other), f"inf {other}")
        plus_infinity = ast.Call(name("float"), [ast.Constant("inf")], [])
        yield site.replaced("opposite-sign", 0, "an infinity", plus_infinity)
    if isinstance(site.parent, ast.keyword) and site.parent.arg == "reduction" and isinstance(site.node, ast.Constant):
        for word in ("sum", "mean", "batchmean", "none"):
            yield site.replaced(_OTHER, 0, "a reduction", ast.Constant(word))


# --- indices and names ------------------------------------------------------------------------------------------------


def _indices(site: Site) -> Iterator[Change]:
    node, index, words = site.node, site.node.slice, site.words()
    yield site.replaced("step-left-out", 1, words, node.value)
    if isinstance(index, ast.Tuple):
        for one in range(len(index.elts)):
            for other in range(one + 1, len(index.elts)):
                swapped = ast.Tuple(exchanged(index.elts, one, other), ast.Load())
                yield site.replaced("another-axis", 1, words, indexed(node.value, swapped))
            rest = ast.Tuple(without(index.elts, one), ast.Load())
            yield site.replaced("another-axis", 1, words, indexed(node.value, rest))
    elif isinstance(index, (ast.Name, ast.BinOp)):
        for by in (1, -1):
            yield site.replaced("off-by-one", 1, words, indexed(node.value, plus(index, by)))


def _slices(site: Site) -> Iterator[Change]:
    lower, upper, step = site.node.lower, site.node.upper, site.node.step
    for bound, other in ((lower, upper), (upper, lower)):
        if bound is None:
            continue
        at_start = bound is lower
        moved: list[ast.expr | None] = [None]
        if not isinstance(bound, (ast.Constant, ast.UnaryOp)):
            moved += [plus(bound, 1), plus(bound, -1)]
        for new in moved:
            piece = ast.Slice(new, other, step) if at_start else ast.Slice(other, new, step)
            family, rank, what = ("off-by-one", 0, "a bound of a slice") if new else ("not-every-item", 1, "a slice")
            yield site.replaced(family, rank, what, piece)
        if other is None:  # [n:] as [:n], [:-n]; [:n] as [n:], [-n:]
            for end in (bound, ast.UnaryOp(ast.USub(), bound)):
                piece = ast.Slice(None, end, step) if at_start else ast.Slice(end, None, step)
                yield site.replaced("not-every-item", 0, "a slice", piece)


def _names(site: Site) -> Iterator[Change]:
    """One name used for another; one attribute for another that is made alike."""
    node, scope = site.node, site.scope
    if isinstance(node, ast.Name):
        is_called = isinstance(site.parent, ast.Call) and site.field == "func"
        for other in scope.names if node.id in scope.names and not is_called else ():
            known = other in scope.parameters
            rank = 2 if not known else 0 if node.id in scope.parameters else 1
            what = f"`{other}`" if known else "one value"
            yield site.replaced("another-value-used", rank, what, name(other), f"{node.id} {other}")
        if node.id in scope.parameters and isinstance(site.parent, ast.Call) and not is_called:
            for number in (1, 0):
                yield site.replaced("another-value-used", 2, "a fixed number", constant(number), f"{node.id} {number}")
        return
    if node.attr == "T":
        yield site.replaced("step-left-out", 0, "a transpose", node.value)
    if not is_of_self(node):
        return
    kind = scope.attributes.get(node.attr)
    for other, its_kind in scope.attributes.items():
        if other != node.attr and kind == its_kind:
            new = ast.Attribute(node.value, other, ast.Load())
            yield site.replaced("another-value-used", 0, f"`self.{other}`", new, f"{node.attr} {other}")
    if node.attr == "training":
        for value in (True, False):
            yield site.replaced("condition-ignored", 0, "the mode of the module", ast.Constant(value))


def _sequences(site: Site) -> Iterator[Change]:
    """Elements of a tuple or list exchanged, or one of them left out."""
    node = site.node
    if isinstance(site.parent, ast.Subscript) or not 2 <= len(node.elts) <= 6:
        return
    what = "a tuple" if isinstance(node, ast.Tuple) else "a list"
    for one in range(len(node.elts)):
        for other in range(one + 1, len(node.elts)):
            swapped = type(node)(exchanged(node.elts, one, other), node.ctx)
            yield site.replaced("arguments-exchanged", 1, what, swapped)
        if isinstance(node.ctx, ast.Load):
            yield site.replaced("part-left-out", 2, what, type(node)(without(node.elts, one), node.ctx))
