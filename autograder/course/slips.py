"""Slips: single small edits of right code, derived mechanically, for wrong answers that no catalogued mistake explains.

The catalogue holds misconceptions that somebody wrote down, and its tail is long. Many other wrong answers are one slip:
another axis, a factor that is left out, a condition that is negated. `slips` derives them from the reference solution of
a task by a fixed set of operators. Each is a `Mistake` with a generated explanation, which names the kind of slip and
never prints code.

The operators know Python's syntax and the names of PyTorch's functions, and nothing of the course's tasks.
"""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from autograder.course.catalogue import VARIANT, Mistake, in_c, mistakes, reference_module
from autograder.course.registry import is_catch
from autograder.course.source import syntax_tree

MOST = 300  # slips of a task, the likeliest first: a bound on the number, so that the same slips are tried everywhere


@dataclass(frozen=True)
class Slip(Mistake):
    """A right program with one slip. ``lines``: the statements of the right program that it changes, as line numbers.

    ``what``, ``where``: the operation that it changes and the method that holds it, in words.
    """

    lines: tuple[int, ...] = ()
    what: str = ""
    where: str = ""


@lru_cache(maxsize=64)
def slips(task: str) -> tuple[Slip, ...]:
    """The slips of a task, the likeliest first; none for code in C and for tests, which are no formulas."""
    if in_c(task) or is_catch(task):
        return ()
    unit, _, wanted = task.partition(".")
    tree = _right_tree(unit, wanted)
    section = section_of(task)
    right = ast.unparse(tree)
    seen = {right}
    found = []
    for number, change in enumerate(sorted(_changes(tree), key=lambda change: change.rank)):
        with_slip = _with(tree, change)
        if with_slip in seen:
            continue
        seen.add(with_slip)
        name = f"{change.family}{VARIANT}slip-{number}"
        hint = explanation(change.family, change.what, change.where)
        words = {"lines": change.lines, "what": change.what, "where": change.where}
        found.append(Slip(task, name, with_slip + "\n", hint, hint, section, **words))
        if len(found) == MOST:
            break
    return tuple(found)


@lru_cache(maxsize=None)
def section_of(task: str) -> str:
    """The section of the chapter that explains most of the mistakes of a task."""
    sections = Counter(mistake.section for mistake in mistakes(task.partition(".")[0]) if mistake.task == task)
    return sections.most_common(1)[0][0] if sections else ""


def _right_tree(unit: str, name: str) -> ast.Module:
    """The definition of that name in the reference solution, with its decorators and without docstrings."""
    text = inspect.getsource(reference_module(unit))
    kept = [node for node in syntax_tree(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name]
    for definition in kept:
        for node in ast.walk(definition):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return ast.Module(list(kept), [])


# --- one change of a tree -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Put:
    """Put ``new`` into a field of a node, or into one position of a field that is a list."""

    parent: ast.AST
    field: str
    index: int | None
    new: Any

    def swap(self) -> _Put:
        """Put it there, and return what brings the old one back."""
        value = getattr(self.parent, self.field)
        if self.index is None:
            setattr(self.parent, self.field, self.new)
            return _Put(self.parent, self.field, None, value)
        old = value[self.index]
        value[self.index] = self.new
        return _Put(self.parent, self.field, self.index, old)


@dataclass(frozen=True)
class _Change:
    """A slip as a change of the tree; a lower ``rank`` is likelier. ``what``: the operation that it changes, in words.

    ``key``: equal for changes that a learner would make everywhere at once.
    """

    family: str
    rank: int
    what: str
    puts: tuple[_Put, ...]
    where: str
    lines: tuple[int, ...]
    key: str = ""


def _with(tree: ast.Module, change: _Change) -> str:
    """The source of the tree with a change."""
    undo = [put.swap() for put in change.puts]
    try:
        return ast.unparse(tree)
    except Exception:  # not a program
        return ast.unparse(ast.Module([], []))
    finally:
        for put in reversed(undo):
            put.swap()


def explanation(family: str, what: str, where: str = "") -> str:
    """What a learner reads about a slip of a family."""
    clause, question = _FAMILIES[family]
    within = f" in `{where}`" if where else ""
    return f"Your values equal those of a right answer with one slip{within}: {clause.format(what=what)}. {question}"


# --- what is said about them ------------------------------------------------------------------------------------------

# For each family: what differs from the right answer, and a question that leads out.
_FAMILIES = {
    "sides-exchanged": ("the two sides of {what} are exchanged", "Which side comes first?"),
    "opposite-sign": ("{what} has the opposite sign", "Which sign does each term have?"),
    "part-left-out": ("a part of {what} is missing", "Which terms and factors does the formula have?"),
    "another-operation": ("{what} is computed where another operation belongs", "Which operation does the text ask for?"),
    "step-left-out": ("{what} is left out", "Which steps lead from the arguments to the result, and is each of them there?"),
    "step-added": ("{what} takes part once more than it should", "Which steps does the formula have, and which does a part already do?"),
    "another-scale": ("{what} is scaled by one more power of a width", "By what should it be divided, and does a part already do so?"),
    "bound-for-a-term": ("{what} becomes a lower bound", "Is the small number added, or is it a limit?"),
    "applied-twice": ("{what} is applied twice", "How often does this step occur?"),
    "another-axis": ("{what} concerns another axis", "What does each axis hold at this step?"),
    "another-number": ("{what} is another one", "Which numbers does the text name, and where does each belong?"),
    "off-by-one": ("{what} is off by one", "Where does the range begin, where does it end, and is its end included?"),
    "another-comparison": ("{what} is another one, for instance at equality", "What should happen when both sides are equal?"),
    "condition-negated": ("{what} is negated", "In which case should this apply?"),
    "condition-ignored": ("{what} has no effect", "Which cases must be treated differently?"),
    "argument-ignored": ("{what} is ignored, so it makes no difference", "What should change when this argument changes?"),
    "argument-left-out": ("{what} is not passed on", "Which arguments does each call need?"),
    "arguments-exchanged": ("the arguments of {what} are exchanged", "Which argument plays which part?"),
    "another-value-used": ("{what} is used where another value belongs", "Which of your values does this step need?"),
    "order-of-steps": ("two steps are done in the other order, {what} among them", "Which step needs the result of which?"),
    "order-of-operations": ("{what} groups its operations differently", "What exactly does each operation apply to?"),
    "inside-or-outside-a-loop": ("{what} on the wrong side of a loop", "How often should this step happen?"),
    "not-every-item": ("{what} misses an item, or takes the items in another order", "Which items take part?"),
    "argument-changed": ("{what} changes an argument in place", "Who else may still hold the tensor that you were given?"),
    "gradient-cut-off": ("no gradient passes through {what}", "Through which steps must gradients flow?"),
    "gradient-recorded": ("gradients are recorded in {what}", "Which results need no gradients?"),
    "type-or-device": ("{what} is left out", "Which type and which device should the result have?"),
}
# Where several slips have one effect, a learner more likely left something out than put something else there.
_LIKELY = (
    {"argument-ignored"},
    {"part-left-out", "step-left-out", "argument-left-out", "condition-ignored"},
    {*_FAMILIES} - {"another-number", "another-value-used", "step-added", "another-scale", "applied-twice", "bound-for-a-term"},
    {*_FAMILIES},
)


def likeliest_of(alike: Sequence[Slip]) -> list[Slip]:
    """Of slips with one effect, those of the likeliest kind."""
    return next(some for kind in _LIKELY if (some := [slip for slip in alike if slip.family in kind]))


_OPERATIONS = {
    ast.Add: "a sum", ast.Sub: "a difference", ast.Mult: "a product", ast.Div: "a quotient", ast.MatMult: "a matrix product",
    ast.FloorDiv: "a rounded quotient", ast.Mod: "a remainder", ast.Pow: "a power", ast.BitAnd: "a logical and",
    ast.BitOr: "a logical or", ast.BitXor: "a logical xor",
}  # fmt: skip
_CALLS = {
    "sum": "a sum", "mean": "a mean", "max": "a maximum", "amax": "a maximum", "min": "a minimum", "amin": "a minimum",
    "argmax": "an argmax", "argmin": "an argmin", "exp": "an exponential", "log": "a logarithm", "sqrt": "a square root",
    "rsqrt": "a reciprocal root", "square": "a square", "softmax": "a softmax", "log_softmax": "a log-softmax",
    "sigmoid": "a sigmoid", "tanh": "a hyperbolic tangent", "relu": "a ReLU", "gelu": "a GELU", "silu": "a SiLU",
    "transpose": "a transpose", "permute": "a permutation of axes", "reshape": "a reshape", "view": "a view",
    "flatten": "a flattening", "masked_fill": "a masked fill", "where": "a choice by a mask", "tril": "a lower triangle",
    "triu": "an upper triangle", "zeros": "a tensor of zeros", "ones": "a tensor of ones", "arange": "a range",
    "range": "a range", "cat": "a concatenation", "stack": "a stack", "var": "a variance", "std": "a standard deviation",
    "cumsum": "a running sum", "dropout": "dropout", "sin": "a sine", "cos": "a cosine", "floor": "a rounding",
    "ceil": "a rounding", "round": "a rounding", "abs": "an absolute value", "any": "a test of any entry",
    "all": "a test of all entries", "gather": "a gather", "scatter": "a scatter", "scatter_": "a scatter", "sort": "a sort",
    "sorted": "a sort", "topk": "a selection of the largest", "multinomial": "a draw", "roll": "a shift",
    "len": "a length", "clamp": "a clamp", "detach": "a detached copy", "clone": "a copy", "copy": "a copy",
    "zero_grad": "the step that empties gradients", "backward": "a backward pass", "eval": "the switch to evaluation",
    "train": "the switch to training", "matmul": "a matrix product", "mul": "a product", "add": "a sum", "div": "a quotient",
    "sub": "a difference", "repeat": "a repetition", "repeat_interleave": "a repetition", "expand": "an expansion",
    "unsqueeze": "a new axis", "squeeze": "a dropped axis", "pow": "a power", "outer": "an outer product",
    "isnan": "a test for NaN", "randint": "a draw", "rand": "a draw", "randn": "a draw", "hypot": "a norm",
    "vector_norm": "a norm", "norm": "a normalisation", "append": "an appended item", "zip": "a pairing",
}  # fmt: skip


def _called(call: ast.Call) -> str:
    """The last word of the name of what is called."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


# --- where a node is ---------------------------------------------------------------------------------------------------


@dataclass
class _Scope:
    """A function: its parameters (but self), the names that it assigns, and the attributes of its class by kind."""

    name: str = ""
    parameters: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    public: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Site:
    """A node, the field that holds it, its function, and the statement that it belongs to."""

    node: Any
    parent: ast.AST
    field: str
    index: int | None
    scope: _Scope
    line: int

    def put(self, new: Any) -> _Put:
        return _Put(self.parent, self.field, self.index, new)

    def change(self, family: str, rank: int, what: str, new: Any, key: str = "") -> _Change:
        return _Change(family, rank, what, (self.put(new),), self.scope.name, (self.line,), key)

    def about(self, node: ast.AST | None = None) -> str:
        """An operation in words, with a name that the learner knows, too."""
        node = node or self.node
        if isinstance(node, ast.BinOp):
            words = _OPERATIONS.get(type(node.op), "an operation")
        elif isinstance(node, ast.Call):
            words = _CALLS.get(_called(node), "a call")
        elif isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
            words = "a condition"
        elif isinstance(node, ast.Subscript):
            words = "an index"
        elif isinstance(node, ast.Constant):
            words = "a number"
        else:
            words = "a value"
        known = [word.id for word in ast.walk(node) if isinstance(word, ast.Name) and word.id in self.scope.public]
        return f"{words} with `{known[0]}`" if known else words


_Operator = Callable[[_Site], Iterator[_Change]]


def _changes(tree: ast.Module) -> Iterator[_Change]:
    """All changes, each by itself, and each kind at once at all the places where it is possible."""
    single = [change for site in _sites(tree) for operator in _OPERATORS for change in operator(site)]
    yield from single
    together: dict[tuple[str, str], list[_Change]] = {}
    for change in single:
        if change.key:
            together.setdefault((change.family, change.key), []).append(change)
    for (family, key), some in together.items():
        if len(some) > 1:
            puts = tuple(put for one in some for put in one.puts)
            lines = tuple(sorted({line for one in some for line in one.lines}))
            wheres = {one.where for one in some}
            where = wheres.pop() if len(wheres) == 1 else ""
            yield _Change(family, min(one.rank for one in some), some[0].what, puts, where, lines, key)
    for node in tree.body:
        functions = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in functions:
            if isinstance(function, ast.FunctionDef):
                yield from _ignored_arguments(function, function is not node)


def _sites(tree: ast.Module) -> Iterator[_Site]:
    for definition in tree.body:
        attributes = _attributes(definition)
        yield from _below(definition, _Scope(attributes=attributes), 0)


def _below(node: ast.AST, scope: _Scope, line: int) -> Iterator[_Site]:
    """The sites below a node, in the order of the text."""
    if isinstance(node, ast.FunctionDef) and not scope.parameters:
        scope = _scope_of(node, scope)
    for name, value in ast.iter_fields(node):
        if name in ("returns", "annotation", "type_params", "bases"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                its_line = child.lineno if isinstance(child, ast.stmt) else line
                yield _Site(child, node, name, index, scope, its_line)
                yield from _below(child, scope, its_line)


def _scope_of(function: ast.FunctionDef, outer: _Scope) -> _Scope:
    arguments = function.args
    parameters = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if one.arg != "self"]
    assigned = [node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    names = tuple(dict.fromkeys([*parameters, *assigned]))
    where = function.name if outer.attributes or function.args.args[:1] and function.args.args[0].arg == "self" else ""
    return _Scope(where, tuple(parameters), names, outer.attributes, frozenset(parameters))


def _attributes(definition: ast.AST) -> dict[str, str]:
    """The attributes that a class assigns to ``self``, each with what it is made by."""
    found = {}
    for node in ast.walk(definition) if isinstance(definition, ast.ClassDef) else ():
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
                    made = node.value
                    found[target.attr] = f"{ast.unparse(made.func)}()" if isinstance(made, ast.Call) else type(made).__name__
    return found


def _is_load(site: _Site) -> bool:
    return isinstance(site.node, ast.expr) and isinstance(getattr(site.node, "ctx", ast.Load()), ast.Load)


def _constant(value: Any) -> ast.expr:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


# --- operators on expressions --------------------------------------------------------------------------------------------


def _binary(site: _Site) -> Iterator[_Change]:
    node = site.node
    if not isinstance(node, ast.BinOp):
        return
    left, right, op, about = node.left, node.right, node.op, site.about()
    if isinstance(op, (ast.Sub, ast.Div, ast.MatMult, ast.FloorDiv, ast.Pow, ast.Mod)):
        yield site.change("sides-exchanged", 0, about, ast.BinOp(right, op, left), "both")
    for kept, name in ((left, "right"), (right, "left")):
        if isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.BitAnd, ast.BitOr, ast.Mod, ast.MatMult)):
            rank = 0 if not isinstance(op, ast.MatMult) and not (name == "left" and isinstance(op, (ast.Pow, ast.Mod))) else 2
            yield site.change("part-left-out", rank, about, kept, f"{type(op).__name__} {name}")
    for other, family, rank in _OTHER_OPERATIONS.get(type(op), ()):
        yield site.change(family, rank, about, ast.BinOp(left, other(), right), other.__name__)
    if isinstance(op, ast.Add) and isinstance(right, (ast.Name, ast.Attribute, ast.Constant)):
        bound = ast.Call(ast.Attribute(left, "clamp", ast.Load()), [], [ast.keyword("min", right)])
        yield site.change("bound-for-a-term", 1, f"a term of {about}", bound)
    if isinstance(op, (ast.Div, ast.FloorDiv)):
        for by in (1, -1, 2, -2):
            yield site.change("off-by-one", 1, f"the divisor of {about}", ast.BinOp(left, op, _plus(right, by)))
    if isinstance(op, ast.FloorDiv):
        up = ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), left), ast.FloorDiv(), right))
        yield site.change("another-operation", 1, about, up)
    # (a - b) / c as a - b / c, and the other way round
    if isinstance(left, ast.BinOp) and type(left.op) is not type(op):
        yield site.change("order-of-operations", 1, about, ast.BinOp(left.left, left.op, ast.BinOp(left.right, op, right)))
    if isinstance(right, ast.BinOp) and type(right.op) is not type(op):
        yield site.change("order-of-operations", 1, about, ast.BinOp(ast.BinOp(left, op, right.left), right.op, right.right))
    if isinstance(left, ast.BinOp) and type(left.op) is type(op) and isinstance(op, (ast.Div, ast.Sub)):
        yield site.change("order-of-operations", 1, about, ast.BinOp(left.left, op, ast.BinOp(left.right, op, right)))
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult) and isinstance(op, ast.Div):
        yield site.change("order-of-operations", 1, about, ast.BinOp(left.right, ast.Div(), ast.BinOp(left.left, ast.Mult(), right)))
    # f(a) + b as f(a + b)
    for one, other, first in ((left, right, True), (right, left, False)):
        inner = _operand(one)
        if inner is not None:
            arguments = (inner, other) if first else (other, inner)
            yield site.change("order-of-operations", 2, about, _with_operand(one, ast.BinOp(arguments[0], op, arguments[1])))


_OTHER_OPERATIONS: dict[type, tuple[tuple[type, str, int], ...]] = {
    ast.Add: ((ast.Sub, "opposite-sign", 0), (ast.Mult, "another-operation", 2)),
    ast.Sub: ((ast.Add, "opposite-sign", 0),),
    ast.Mult: ((ast.Div, "another-operation", 0), (ast.Add, "another-operation", 2)),
    ast.Div: ((ast.Mult, "another-operation", 0), (ast.FloorDiv, "another-operation", 1)),
    ast.FloorDiv: ((ast.Div, "another-operation", 1),),
    ast.MatMult: ((ast.Mult, "another-operation", 1),),
    ast.BitAnd: ((ast.BitOr, "another-operation", 0),),
    ast.BitOr: ((ast.BitAnd, "another-operation", 0),),
    ast.Pow: ((ast.Mult, "another-operation", 1),),
}


def _operand(node: ast.expr) -> ast.expr | None:
    """What a call works on: the object of a method, or the first argument of a function."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "self":
            return node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None
        return node.func.value
    return node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None


def _with_operand(node: ast.expr, operand: ast.expr) -> ast.expr:
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Attribute) and _operand(node) is node.func.value:
        return ast.Call(ast.Attribute(operand, node.func.attr, ast.Load()), node.args, node.keywords)
    return ast.Call(node.func, [operand, *node.args[1:]], node.keywords)


def _is_module(node: ast.expr) -> bool:
    """Whether a name stands for a module, as far as its spelling says."""
    if isinstance(node, ast.Attribute):
        return _is_module(node.value) and node.attr in ("nn", "functional", "init", "linalg", "optim", "autograd", "utils", "random")
    return isinstance(node, ast.Name) and node.id in _MODULES


_MODULES = {"torch", "math", "F", "nn", "copy", "itertools", "random", "os", "time", "dataclasses", "regex", "re", "sys"}


def _compare(site: _Site) -> Iterator[_Change]:
    node = site.node
    if not isinstance(node, ast.Compare):
        return
    about = "a comparison" + site.about().removeprefix("a condition")
    for position, op in enumerate(node.ops):
        for other, family in _OTHER_COMPARISONS.get(type(op), ()):
            ops = [*node.ops[:position], other(), *node.ops[position + 1 :]]
            yield site.change(family, 0, about, ast.Compare(node.left, ops, node.comparators), other.__name__)
    if len(node.ops) > 1:
        yield site.change("condition-ignored", 1, about, ast.Compare(node.left, node.ops[:1], node.comparators[:1]))
        yield site.change("condition-ignored", 1, about, ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:]))
    elif not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        for by in (1, -1):
            yield site.change("off-by-one", 2, about, ast.Compare(node.left, node.ops, [_plus(node.comparators[0], by)]))


_OTHER_COMPARISONS: dict[type, tuple[tuple[type, str], ...]] = {
    ast.Lt: ((ast.LtE, "another-comparison"), (ast.Gt, "condition-negated"), (ast.GtE, "condition-negated")),
    ast.LtE: ((ast.Lt, "another-comparison"), (ast.GtE, "condition-negated"), (ast.Gt, "condition-negated")),
    ast.Gt: ((ast.GtE, "another-comparison"), (ast.Lt, "condition-negated"), (ast.LtE, "condition-negated")),
    ast.GtE: ((ast.Gt, "another-comparison"), (ast.LtE, "condition-negated"), (ast.Lt, "condition-negated")),
    ast.Eq: ((ast.NotEq, "condition-negated"), (ast.GtE, "another-comparison"), (ast.LtE, "another-comparison")),
    ast.NotEq: ((ast.Eq, "condition-negated"), (ast.Gt, "another-comparison"), (ast.Lt, "another-comparison")),
    ast.Is: ((ast.IsNot, "condition-negated"),),
    ast.IsNot: ((ast.Is, "condition-negated"),),
    ast.In: ((ast.NotIn, "condition-negated"),),
    ast.NotIn: ((ast.In, "condition-negated"),),
}


def _plus(node: ast.expr, by: int) -> ast.expr:
    """A number plus a small one, as one constant where it is one."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _constant(node.value + by)
    return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(abs(by)))


def _unary_and_boolean(site: _Site) -> Iterator[_Change]:
    node = site.node
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            yield site.change("opposite-sign", 0, site.about(node.operand), node.operand)
        elif isinstance(node.op, (ast.Not, ast.Invert)):
            yield site.change("condition-negated", 0, site.about(), node.operand)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield site.change("another-operation", 0, site.about(), ast.BoolOp(other, node.values))
        for position in range(len(node.values)):
            rest = node.values[:position] + node.values[position + 1 :]
            yield site.change("condition-ignored", 0, site.about(), rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest))
    elif isinstance(node, ast.IfExp):
        yield site.change("condition-ignored", 0, site.about(node.test), node.body)
        yield site.change("condition-ignored", 0, site.about(node.test), node.orelse)
        yield site.change("condition-negated", 0, site.about(node.test), ast.IfExp(node.test, node.orelse, node.body))
    elif isinstance(node, ast.comprehension):
        for position, test in enumerate(node.ifs):
            rest = node.ifs[:position] + node.ifs[position + 1 :]
            what = site.about(test)
            put = _Put(node, "ifs", None, rest)
            yield _Change("condition-ignored", 0, what, (put,), site.scope.name, (site.line,))
            put = _Put(node, "ifs", position, ast.UnaryOp(ast.Not(), test))
            yield _Change("condition-negated", 1, what, (put,), site.scope.name, (site.line,))


# Names of functions and methods that are taken for each other.
_CONFUSED = [
    ("sum", "mean"), ("max", "min"), ("amax", "amin"), ("argmax", "argmin"), ("sqrt", "rsqrt"), ("sqrt", "square"),
    ("square", "abs"), ("tril", "triu"), ("softmax", "log_softmax"), ("zeros", "ones"), ("zeros_like", "ones_like"),
    ("sin", "cos"), ("floor", "ceil"), ("var", "std"), ("any", "all"), ("cat", "stack"), ("sigmoid", "tanh"),
    ("relu", "gelu"), ("ReLU", "GELU"), ("gelu", "silu"), ("silu", "sigmoid"), ("relu", "sigmoid"), ("randn", "rand"),
    ("repeat", "repeat_interleave"), ("repeat", "tile"), ("uniform_", "normal_"), ("xavier_uniform_", "xavier_normal_"),
    ("xavier_uniform_", "kaiming_uniform_"), ("zeros_", "ones_"), ("append", "extend"), ("log", "log2"), ("log", "log10"),
    ("log", "log1p"), ("exp", "expm1"), ("exp", "exp2"), ("LayerNorm", "BatchNorm1d"), ("Softmax", "LogSoftmax"),
    ("softmax", "sigmoid"), ("transpose", "view"), ("flatten", "squeeze"), ("chunk", "split"), ("unsqueeze", "squeeze"),
    ("mul_", "add_"), ("add_", "sub_"), ("cumsum", "cumprod"), ("cumsum", "sum"), ("vector_norm", "sum"), ("outer", "matmul"),
    ("floor", "round"), ("prod", "sum"), ("startswith", "endswith"), ("removeprefix", "removesuffix"), ("keys", "values"),
    ("zip", "product"), ("topk", "sort"), ("step", "zero_grad"), ("train", "eval"), ("median", "mean"), ("lstrip", "strip"),
    ("numel", "__len__"), ("view", "transpose"),
]  # fmt: skip
_OTHERS: dict[str, list[str]] = {}
for _one, _other in _CONFUSED:
    _OTHERS.setdefault(_one, []).append(_other)
    _OTHERS.setdefault(_other, []).append(_one)
_TYPES = {"float", "long", "double", "half", "to", "type_as", "int", "bool", "type", "contiguous", "cpu"}
_GRADIENTS = {"detach", "requires_grad_", "item", "tolist"}
_IN_PLACE = {"masked_fill", "clamp", "add", "sub", "mul", "div", "exp", "log", "scatter", "index_fill", "tril", "triu", "sqrt", "square"}


def _call(site: _Site) -> Iterator[_Change]:
    node = site.node
    if not isinstance(node, ast.Call):
        return
    name, about, operand = _called(node), site.about(), _operand(node)
    if operand is not None:
        family = "type-or-device" if name in _TYPES else "step-left-out"
        what = "a change of type or device" if name in _TYPES else about
        yield site.change(family, 0, what, operand, name)
        if name not in _TYPES and not name[:1].isupper():
            yield site.change("applied-twice", 2, about, _with_operand(node, node))
        if _operand(operand) is not None:  # f(g(x)) as g(f(x))
            innermost = _operand(operand)
            assert innermost is not None
            yield site.change("order-of-steps", 1, about, _with_operand(operand, _with_operand(node, innermost)))
        if isinstance(operand, ast.BinOp):  # f(a + b) as f(a) + b
            a, b, op = operand.left, operand.right, operand.op
            yield site.change("order-of-operations", 1, about, ast.BinOp(_with_operand(node, a), op, b))
            yield site.change("order-of-operations", 1, about, ast.BinOp(a, op, _with_operand(node, b)))
            yield site.change("order-of-operations", 2, about, ast.BinOp(_with_operand(node, a), op, _with_operand(node, b)))
            if isinstance(op, ast.Add):
                outside = ast.Call(ast.Attribute(_with_operand(node, a), "clamp", ast.Load()), [], [ast.keyword("min", b)])
                yield site.change("bound-for-a-term", 1, f"a term of {about}", outside)
    for other in _OTHERS.get(name, ()):
        yield site.change("another-operation", 0, about, ast.Call(_renamed(node.func, other), node.args, node.keywords), f"{name} {other}")
    if name in _IN_PLACE and isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
        yield site.change("argument-changed", 1, about, ast.Call(_renamed(node.func, name + "_"), node.args, node.keywords))
    if name in ("tril", "triu") and isinstance(node.func, ast.Attribute) and len(node.args) == _is_module(node.func.value):
        for diagonal in (1, -1):
            yield site.change("off-by-one", 0, f"the diagonal of {about}", ast.Call(node.func, [*node.args, _constant(diagonal)], node.keywords))
    yield from _arguments(site, about)


def _extra_steps(site: _Site) -> Iterator[_Change]:
    """An argument, or a result, that goes through one more step."""
    node = site.node
    if isinstance(site.parent, ast.Call) and site.field == "args" and isinstance(node, (ast.Name, ast.Call, ast.Attribute, ast.BinOp)):
        function = site.parent.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "self":
            kind = site.scope.attributes.get(function.attr, "")
            for other, its_kind in site.scope.attributes.items():
                if other != function.attr and kind == its_kind and kind.endswith("()"):
                    more = ast.Call(ast.Attribute(_name("self"), other, ast.Load()), [node], [])
                    yield site.change("step-added", 1, f"`self.{other}`", more)
        if not _is_module(getattr(function, "value", function)) and _called(site.parent) not in ("range", "len", "int", "zip", "list"):
            yield from _scaled(site)
    if isinstance(site.parent, ast.BinOp) and isinstance(site.parent.op, ast.MatMult) and site.field == "left":
        yield from _scaled(site)
    result = site.field == "value" and isinstance(site.parent, ast.Return)
    first = isinstance(site.parent, ast.Tuple) and site.index == 0 and site.line == getattr(site.parent, "lineno", -1)
    if (result or first) and isinstance(node, ast.expr) and not isinstance(node, (ast.Constant, ast.Tuple)):
        yield from _scaled(site)
        for method, arguments, words in _MORE:
            more = ast.Call(ast.Attribute(node, method, ast.Load()), [_constant(one) for one in arguments], [])
            yield site.change("step-added", 1, words, more)
        yield site.change("condition-negated", 1, "the result", ast.UnaryOp(ast.Invert(), node))


_MORE = (
    ("softmax", (-1,), "a softmax"), ("log_softmax", (-1,), "a log-softmax"), ("transpose", (-1, -2), "a transpose"),
    ("unsqueeze", (0,), "a new axis"), ("unsqueeze", (1,), "a new axis"), ("squeeze", (), "a dropped axis"),
    ("flatten", (), "a flattening"), ("sqrt", (), "a square root"), ("exp", (), "an exponential"),
    ("mean", (), "a mean"), ("sum", (), "a sum"), ("relu", (), "a ReLU"), ("nan_to_num", (0.0,), "a replacement of NaN"),
    ("float", (), "a conversion to float32"), ("long", (), "a conversion to integers"),
)  # fmt: skip


def _scaled(site: _Site) -> Iterator[_Change]:
    """A value that is divided or multiplied by the root of its width once more."""
    node = site.node
    width = ast.Subscript(ast.Attribute(node, "shape", ast.Load()), _constant(-1), ast.Load())
    root = ast.BinOp(width, ast.Pow(), ast.Constant(0.5))
    for op in (ast.Div(), ast.Mult()):
        for size in (root, width):
            yield site.change("another-scale", 2, site.about(), ast.BinOp(node, op, size))


def _renamed(function: ast.expr, name: str) -> ast.expr:
    return ast.Attribute(function.value, name, ast.Load()) if isinstance(function, ast.Attribute) else _name(name)


def _arguments(site: _Site, about: str) -> Iterator[_Change]:
    node = site.node
    for one in range(len(node.args)):
        for other in range(one + 1, len(node.args)):
            args = list(node.args)
            args[one], args[other] = args[other], args[one]
            yield site.change("arguments-exchanged", 0 if other == one + 1 else 1, about, ast.Call(node.func, args, node.keywords))
        rest = node.args[:one] + node.args[one + 1 :]
        rank = 0 if one == len(node.args) - 1 else 1
        what = site.about(node.args[one]).replace("a value with ", "") if isinstance(node.args[one], ast.Name) else f"an argument of {about}"
        yield site.change("argument-left-out", rank, what, ast.Call(node.func, rest, node.keywords), f"{_called(node)} {one}")
    for position, keyword in enumerate(node.keywords):
        if keyword.arg:
            rest = node.keywords[:position] + node.keywords[position + 1 :]
            family = "another-axis" if keyword.arg in ("dim", "keepdim", "axis", "dims") else "argument-left-out"
            what = about if family == "another-axis" else f"an argument of {about}"
            yield site.change(family, 0, what, ast.Call(node.func, node.args, rest), f"{_called(node)} {keyword.arg}")
    operand = _operand(node)
    if operand is not None and node.args and operand is not node.args[0]:  # a.f(b) as b.f(a)
        first = node.args[0]
        if isinstance(first, (ast.Name, ast.Call, ast.Attribute)) and isinstance(operand, (ast.Name, ast.Call, ast.Attribute)):
            args = [operand, *node.args[1:]]
            yield site.change("arguments-exchanged", 1, about, ast.Call(ast.Attribute(first, _called(node), ast.Load()), args, node.keywords))


_AXES = (-1, -2, 0, 1, 2, -3)
_WITH_AXES = {
    "sum", "mean", "max", "min", "amax", "amin", "argmax", "argmin", "softmax", "log_softmax", "transpose", "permute",
    "flatten", "cat", "stack", "any", "all", "cumsum", "sort", "topk", "gather", "scatter", "scatter_", "unsqueeze",
    "squeeze", "chunk", "split", "var", "std", "size", "roll", "logsumexp", "norm", "vector_norm", "repeat_interleave",
    "index_select", "unflatten", "movedim", "swapaxes", "narrow", "LogSoftmax", "Softmax", "unbind", "select", "prod",
    "normalize", "cumprod", "index_copy", "flip",
}  # fmt: skip


def _number(site: _Site) -> Iterator[_Change]:
    node, sign = site.node, 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    elif isinstance(site.parent, ast.UnaryOp) and isinstance(site.parent.op, ast.USub):
        return
    if not isinstance(node, ast.Constant) or isinstance(node.value, (str, bytes)) or node.value in (None, ...):
        return
    if isinstance(node.value, bool):
        what = f"the switch `{site.parent.arg}`" if isinstance(site.parent, ast.keyword) else "a switch"
        family = "another-axis" if isinstance(site.parent, ast.keyword) and site.parent.arg == "keepdim" else "another-number"
        yield site.change(family, 0, what, ast.Constant(not node.value), f"bool {getattr(site.parent, 'arg', '')}")
        return
    value = sign * node.value
    call = site.parent if isinstance(site.parent, ast.Call) else None
    keyword = site.parent.arg if isinstance(site.parent, ast.keyword) else ""
    in_shape = isinstance(site.parent, ast.Subscript) and isinstance(site.parent.value, ast.Attribute) and site.parent.value.attr == "shape"
    if keyword in ("dim", "dims", "axis", "dim0", "dim1") or (call and _called(call) in _WITH_AXES) or in_shape:
        what = site.about(call) if call else "a size" if in_shape else "an operation"
        for other in _AXES:
            if other != value:
                yield site.change("another-axis", 0, what, _constant(other), f"axis {value} {other}")
        return
    if isinstance(value, int):
        inside_index = isinstance(site.parent, (ast.Subscript, ast.Slice, ast.Tuple))
        for other, rank in ((value + 1, 0), (value - 1, 0), (0, 1), (1, 1), (-value, 1), (2 * value, 2), (-1, 2)):
            if other != value:
                family = "off-by-one" if abs(other - value) == 1 else "another-number"
                what = "an index or a bound" if inside_index or family == "off-by-one" else "a number"
                yield site.change(family, rank, what, _constant(other), f"{value} {other}")
    elif isinstance(value, float):
        for other, rank in ((0.0, 0), (1.0, 0), (-value, 0), (1 - value, 1), (2 * value, 1), (value / 2, 1), (10 * value, 1), (value / 10, 1), (value * value, 1), (1 / value if value else 0.5, 1), (value / 1000, 2), (value * 1000, 2)):
            if other != value:
                yield site.change("another-number", rank, f"a number, {'1' if value == 1 else 'or its place'}" if False else "a number", _constant(other), f"{value} {other}")


def _infinity(site: _Site) -> Iterator[_Change]:
    """Other values for minus infinity."""
    text = ast.unparse(site.node) if isinstance(site.node, (ast.Call, ast.UnaryOp, ast.Attribute)) else ""
    if text in ("float('-inf')", "-math.inf", "-torch.inf", "float('inf')", "math.inf"):
        for other in (-1e9, 0.0, -1e4, 1e-9, 1e9, -1e20, -1.0, 1.0):
            yield site.change("another-number", 0, "minus infinity" if "-" in text else "infinity", _constant(other), "inf")
        if "-" in text:
            yield site.change("opposite-sign", 0, "an infinity", ast.Call(_name("float"), [ast.Constant("inf")], []))


def _string(site: _Site) -> Iterator[_Change]:
    if isinstance(site.parent, ast.keyword) and site.parent.arg == "reduction" and isinstance(site.node, ast.Constant):
        for other in ("sum", "mean", "batchmean", "none"):
            if other != site.node.value:
                yield site.change("another-operation", 0, "a reduction", ast.Constant(other))


def _subscript(site: _Site) -> Iterator[_Change]:
    node = site.node
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield site.change("step-left-out", 1, site.about(), node.value)
        index = node.slice
        if isinstance(index, ast.Tuple):
            for one in range(len(index.elts)):
                for other in range(one + 1, len(index.elts)):
                    elements = list(index.elts)
                    elements[one], elements[other] = elements[other], elements[one]
                    swapped = ast.Subscript(node.value, ast.Tuple(elements, ast.Load()), ast.Load())
                    yield site.change("another-axis", 1, site.about(), swapped)
                rest = index.elts[:one] + index.elts[one + 1 :]
                yield site.change("another-axis", 1, site.about(), ast.Subscript(node.value, ast.Tuple(rest, ast.Load()), ast.Load()))
        elif isinstance(index, (ast.Name, ast.BinOp)):
            for by in (1, -1):
                yield site.change("off-by-one", 1, site.about(), ast.Subscript(node.value, _plus(index, by), ast.Load()))
    if isinstance(node, ast.Slice):
        what = "a bound of a slice"
        for bound in ("lower", "upper"):
            value = getattr(node, bound)
            if value is None:
                continue
            yield site.change("off-by-one", 1, what, ast.Slice(**{"lower": node.lower, "upper": node.upper, "step": node.step, bound: None}))
            if not isinstance(value, (ast.Constant, ast.UnaryOp)):
                for by in (1, -1):
                    yield site.change("off-by-one", 0, what, ast.Slice(**{"lower": node.lower, "upper": node.upper, "step": node.step, bound: _plus(value, by)}))
        if node.lower is not None and node.upper is None:
            yield site.change("not-every-item", 0, "a slice", ast.Slice(None, node.lower, node.step))
            yield site.change("not-every-item", 0, "a slice", ast.Slice(None, ast.UnaryOp(ast.USub(), node.lower), node.step))
        if node.upper is not None and node.lower is None:
            yield site.change("not-every-item", 0, "a slice", ast.Slice(node.upper, None, node.step))
            yield site.change("not-every-item", 0, "a slice", ast.Slice(ast.UnaryOp(ast.USub(), node.upper), None, node.step))


def _names(site: _Site) -> Iterator[_Change]:
    """One name used for another, and one attribute of the same kind for another."""
    node, scope = site.node, site.scope
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in scope.names:
        for other in scope.names:
            if other != node.id and not (isinstance(site.parent, ast.Call) and site.field == "func"):
                known = other in scope.parameters
                rank = 0 if known and node.id in scope.parameters else 1 if known else 2
                what = f"`{other}`" if known else "one value"
                yield site.change("another-value-used", rank, what, _name(other), f"{node.id} {other}")
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self" and isinstance(node.ctx, ast.Load):
        kind = scope.attributes.get(node.attr)
        for other, its_kind in scope.attributes.items():
            if other != node.attr and kind == its_kind and kind:
                yield site.change("another-value-used", 0, f"`self.{other}`", ast.Attribute(node.value, other, ast.Load()), f"{node.attr} {other}")
        if node.attr == "training":
            for value in (True, False):
                yield site.change("condition-ignored", 0, "the mode of the module", ast.Constant(value))
    if isinstance(node, ast.Attribute) and node.attr == "T":
        yield site.change("step-left-out", 0, "a transpose", node.value)


def _sequence(site: _Site) -> Iterator[_Change]:
    """Elements of a tuple or list exchanged, or left out."""
    node = site.node
    if not isinstance(node, (ast.Tuple, ast.List)) or isinstance(site.parent, ast.Subscript) or len(node.elts) < 2 or len(node.elts) > 6:
        return
    for one in range(len(node.elts)):
        for other in range(one + 1, len(node.elts)):
            elements = list(node.elts)
            elements[one], elements[other] = elements[other], elements[one]
            yield site.change("arguments-exchanged", 1, "a tuple or list", type(node)(elements, node.ctx))
        if isinstance(node.ctx, ast.Load):
            rest = node.elts[:one] + node.elts[one + 1 :]
            yield site.change("part-left-out", 2, "a tuple or list", type(node)(rest, node.ctx))


def _masks(site: _Site) -> Iterator[_Change]:
    """A mask the other way round."""
    node = site.node
    if isinstance(node, ast.Call) and _called(node) in ("masked_fill", "masked_fill_", "where") and node.args:
        first = node.args[0]
        if not (isinstance(first, ast.UnaryOp) and isinstance(first.op, ast.Invert)):
            args = [ast.UnaryOp(ast.Invert(), first), *node.args[1:]]
            yield site.change("condition-negated", 0, "a mask", ast.Call(node.func, args, node.keywords))


def _gradients(site: _Site) -> Iterator[_Change]:
    node = site.node
    if isinstance(node, ast.Call) and _called(node) not in ("range", "len") and isinstance(site.parent, (ast.BinOp, ast.Call, ast.Return, ast.Assign)):
        cut = ast.Call(ast.Attribute(node, "detach", ast.Load()), [], [])
        yield site.change("gradient-cut-off", 2, site.about(), cut)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in site.scope.names and isinstance(site.parent, ast.BinOp):
        cut = ast.Call(ast.Attribute(node, "detach", ast.Load()), [], [])
        yield site.change("gradient-cut-off", 2, site.about(), cut)


# --- operators on statements ------------------------------------------------------------------------------------------


def _statement(site: _Site) -> Iterator[_Change]:
    node = site.node
    if not isinstance(node, ast.stmt) or isinstance(node, (ast.FunctionDef, ast.ClassDef)) or site.index is None:
        return
    block = getattr(site.parent, site.field)
    if not isinstance(node, ast.Return) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        yield site.change("step-left-out", 0, _statement_in_words(site), ast.Pass())
    if isinstance(node, ast.If):
        about = site.about(node.test)
        for value in (True, False):
            yield _Change("condition-ignored", 0, about, (_Put(node, "test", None, ast.Constant(value)),), site.scope.name, (site.line,))
        yield _Change("condition-negated", 0, about, (_Put(node, "test", None, ast.UnaryOp(ast.Not(), node.test)),), site.scope.name, (site.line,))
    if isinstance(node, (ast.With,)):
        yield _Change("gradient-recorded" if "grad" in ast.unparse(node.items[0]) else "step-left-out", 0, "a block", (_Put(site.parent, site.field, None, [*block[: site.index], *node.body, *block[site.index + 1 :]]),), site.scope.name, (site.line,))
    if isinstance(node, ast.AugAssign):
        other = {ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.Mult: ast.Div(), ast.Div: ast.Mult(), ast.BitOr: ast.BitAnd(), ast.BitAnd: ast.BitOr()}.get(type(node.op))
        if other:
            yield _Change("opposite-sign" if isinstance(node.op, (ast.Add, ast.Sub)) else "another-operation", 0, "a step that updates a value", (_Put(node, "op", None, other),), site.scope.name, (site.line,))
        yield site.change("part-left-out", 0, "a step that updates a value", ast.Assign([node.target], node.value, lineno=site.line))
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name) and isinstance(value, ast.BinOp) and isinstance(value.left, ast.Name) and target.id == value.left.id:
            yield site.change("argument-changed", 1, "an update", ast.AugAssign(target, value.op, value.right))
    if isinstance(node, ast.Return) and node.value is not None:
        value = node.value
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        for name in site.scope.names:
            if not isinstance(value, ast.Name):
                yield site.change("another-value-used", 1, "another value" if name not in site.scope.parameters else f"`{name}`", ast.Return(_name(name)))
        if not isinstance(value, (ast.Constant, ast.Name, ast.Tuple)):
            yield site.change("opposite-sign", 2, "the result", ast.Return(ast.UnaryOp(ast.USub(), value)))
        if len(parts) > 1:
            for part in parts:
                yield site.change("part-left-out", 1, "the result", ast.Return(part))
    following = block[site.index + 1] if site.index + 1 < len(block) else None
    if following is not None and not isinstance(node, ast.Return):
        exchanged = [*block[: site.index], following, node, *block[site.index + 2 :]]
        yield _Change("order-of-steps", 1, _statement_in_words(site), (_Put(site.parent, site.field, None, exchanged),), site.scope.name, (site.line, following.lineno))
    if isinstance(node, (ast.For, ast.While)):
        yield from _loop(site, block)
    if isinstance(node, (ast.Continue, ast.Break)):
        yield site.change("not-every-item", 1, "a loop", ast.Break() if isinstance(node, ast.Continue) else ast.Continue())


def _statement_in_words(site: _Site) -> str:
    node = site.node
    value = getattr(node, "value", None)
    if isinstance(node, ast.Raise) or isinstance(node, ast.If) and any(isinstance(one, ast.Raise) for one in node.body):
        return "a refusal of wrong arguments"
    if isinstance(node, ast.If):
        return "a case" + site.about(node.test).removeprefix("a condition")
    return site.about(value) if value is not None else "a step"


def _loop(site: _Site, block: list[ast.stmt]) -> Iterator[_Change]:
    """Items of a loop left out, and steps moved over its edge."""
    loop, at = site.node, site.index
    assert at is not None
    if isinstance(loop, ast.For):
        items = ast.Call(_name("list"), [loop.iter], [])
        for piece in (ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Slice(ast.Constant(1)), ast.Slice(None, ast.Constant(1)), ast.Slice(None, None, ast.UnaryOp(ast.USub(), ast.Constant(1)))):
            put = _Put(loop, "iter", None, ast.Subscript(items, piece, ast.Load()))
            yield _Change("not-every-item", 1, "a loop", (put,), site.scope.name, (site.line,))
    for position, step in enumerate(loop.body):
        rest = loop.body[:position] + loop.body[position + 1 :]
        emptied = _Put(loop, "body", None, rest or [ast.Pass()])
        for moved in ([*block[:at], step, loop, *block[at + 1 :]], [*block[:at], loop, step, *block[at + 1 :]]):
            puts = (emptied, _Put(site.parent, site.field, None, moved))
            yield _Change("inside-or-outside-a-loop", 1, "one step is", puts, site.scope.name, (step.lineno,))
    if at:
        before = block[at - 1]
        puts = (_Put(loop, "body", None, [before, *loop.body]), _Put(site.parent, site.field, None, [*block[: at - 1], *block[at:]]))
        yield _Change("inside-or-outside-a-loop", 1, "one step is", puts, site.scope.name, (before.lineno,))
    if at + 1 < len(block):
        after = block[at + 1]
        puts = (_Put(loop, "body", None, [*loop.body, after]), _Put(site.parent, site.field, None, [*block[: at + 1], *block[at + 2 :]]))
        yield _Change("inside-or-outside-a-loop", 1, "one step is", puts, site.scope.name, (after.lineno,))


def _decorators(site: _Site) -> Iterator[_Change]:
    node = site.node
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        put = _Put(node, "decorator_list", None, [])
        if "no_grad" in ast.unparse(node.decorator_list[0]):
            yield _Change("gradient-recorded", 0, "the whole function", (put,), node.name, (node.lineno,))


def _ignored_arguments(function: ast.FunctionDef, method: bool) -> Iterator[_Change]:
    """An argument that is replaced by its default, or by another number, as soon as the function begins."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = list(zip(positional[::-1], arguments.defaults[::-1]))[::-1]
    pairs += [(one, default) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults) if default is not None]
    where = function.name if method else ""
    for argument, default in pairs:
        values: list[ast.expr] = [default]
        if isinstance(default, (ast.Constant, ast.UnaryOp)):
            text = ast.unparse(default)
            if text in ("True", "False"):
                values.append(ast.Constant(text == "False"))
            elif text.lstrip("-").isdigit() and argument.arg in ("dim", "axis"):
                values += [_constant(other) for other in _AXES if str(other) != text]
        for value in values:
            first = ast.Assign([ast.Name(argument.arg, ast.Store())], value, lineno=function.lineno)
            put = _Put(function, "body", None, [first, *function.body])
            yield _Change("argument-ignored", 0, f"`{argument.arg}`", (put,), where, (function.lineno,))


_OPERATORS: Sequence[_Operator] = (
    _binary, _compare, _unary_and_boolean, _call, _number, _infinity, _string, _subscript, _names, _sequence, _masks,
    _gradients, _extra_steps, _statement, _decorators,
)  # fmt: skip


def kinds() -> Iterable[str]:
    """The names of all families."""
    return _FAMILIES
