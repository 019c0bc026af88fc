"""What a submission's cells define: where, whether it is the released stub, and which of several definitions counts."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.course.catalogue import in_c, is_c, reference_uses, stub_of
from autograder.course.registry import BY_NAME, COMPLETE
from autograder.course.source import syntax_tree
from autograder.submissions.syntax import MAX_SEARCHED, defined_names, demand_readable

_ALIKE = 0.75  # similarity of two names by `difflib`: one letter of four may differ
_C_FUNCTION = re.compile(r"^\s*(?:static\s+)?void\s+(\w+)\s*\(", re.MULTILINE)


@dataclass(frozen=True)
class Definition:
    """Where a name is defined: the index of the cell, and its node if it is a function or class."""

    cell: int
    node: ast.FunctionDef | ast.ClassDef | None


def definitions(cells: Sequence[str], name: str) -> list[Definition]:
    """All definitions of a name at top level, in the order of the cells; of a cell, the last one."""
    return [Definition(index, _node(cells[index], name)) for index in _cells_with(cells, name)]


def settle(cells: Sequence[str], unit: str) -> tuple[list[str], list[str]]:
    """The cells without released stubs that would undo a definition above them, and notes on names defined twice."""
    settled = list(cells)
    notes: list[str] = []
    if is_c(unit) or sum(map(len, cells)) > MAX_SEARCHED:
        return settled, notes
    counts: dict[str, int] = {}
    for cell in cells:
        for name in defined_names(cell):
            counts[name] = counts.get(name, 0) + 1
    for name in BY_NAME[unit].names:
        if counts.get(name, 0) > 1:
            notes += _settle_one(settled, unit, name)
    return settled, notes


def _settle_one(cells: list[str], unit: str, name: str) -> list[str]:
    """Remove the stubs of a name that is written in another cell; returns a note on which definition counts."""
    found = definitions(cells, name)
    stubs = [one for one in found if one.node and is_stub(unit, one.node)]
    written = [one for one in found if one not in stubs]
    if not written:
        return []
    for stub in stubs:
        cells[stub.cell] = _blanked(cells[stub.cell], stub.node)
    if len({_text(cells, one) for one in written}) > 1:
        return [f"`{name}` is defined in code cells {_listed(written)}: the last one counts."]
    if stubs and stubs[-1].cell > written[-1].cell:
        return [
            f"`{name}` is written in code cell {written[-1].cell + 1}, which counts; the stub of it that still stands "
            f"in code cell {stubs[-1].cell + 1} was left out. Delete that stub, or it replaces your definition in your "
            "notebook."
        ]
    return []


def is_stub(unit: str, node: ast.AST) -> bool:
    """Whether a definition is the one that was released, with nothing written in it."""
    name = getattr(node, "name", "")
    if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or name not in BY_NAME[unit].names:
        return False
    return _bare(node, decorated=False) == _bare(syntax_tree(stub_of(unit, name)).body[0], decorated=False)


def left_raises(node: ast.FunctionDef | ast.ClassDef) -> list[tuple[str, int]]:
    """Each ``raise NotImplementedError`` in a definition: the function that it is in, and its line.

    The function's name is empty if the function holds more than the ``raise``: a learner wrote code above it.
    """
    functions = [inner for inner in ast.walk(node) if isinstance(inner, ast.FunctionDef)]
    return [
        (function.name if len(_body(function)) == 1 else "", line.lineno)
        for function in functions
        for line in function.body
        if isinstance(line, ast.Raise) and "NotImplementedError" in ast.dump(line)
    ]


def alike(cells: Sequence[str], unit: str, name: str) -> str | None:
    """A definition whose name resembles this one and is no name of the course: perhaps a spelling mistake."""
    if sum(map(len, cells)) > MAX_SEARCHED:
        return None
    is_kernel = in_c(f"{unit}.{name}")
    taken = reference_uses(unit).keys() | {other for unit in COMPLETE for other in unit.names}  # the course's names
    found = [
        other
        for cell in cells
        for other in (_C_FUNCTION.findall(cell) if is_kernel else sorted(defined_names(cell)))
        if other not in taken and _is_alike(other, name)
    ]
    return found[-1] if found else None


def _is_alike(one: str, other: str) -> bool:
    plain, wanted = (re.sub(r"[_\d]", "", name).lower() for name in (one, other))
    return wanted in plain or difflib.SequenceMatcher(None, plain, wanted).ratio() >= _ALIKE


def _cells_with(cells: Iterable[str], name: str) -> list[int]:
    return [index for index, cell in enumerate(cells) if name in cell and name in defined_names(cell)]


def _node(cell: str, name: str) -> ast.FunctionDef | ast.ClassDef | None:
    try:
        demand_readable(cell)
        body = syntax_tree(cell).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    named = [node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name]
    return named[-1] if named else None


def _bare(node: ast.AST, decorated: bool = True) -> str:
    """A definition as text, without docstrings, positions and a stub's message.

    ``decorated``: with the decorators of the definition itself. A notebook shows them, and `stub_of` leaves them out.
    """
    tree = syntax_tree(ast.unparse(node))
    outermost = tree.body[0]
    if not decorated and isinstance(outermost, (ast.FunctionDef, ast.ClassDef)):
        outermost.decorator_list = []
    for inner in ast.walk(tree):
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            inner.body = _body(inner)
        if isinstance(inner, ast.Raise) and "NotImplementedError" in ast.dump(inner):
            inner.exc = ast.Name("NotImplementedError", ast.Load())
    return ast.dump(tree)


def _body(node: ast.FunctionDef | ast.ClassDef) -> list[ast.stmt]:
    """The statements of a definition without its docstring."""
    return node.body[1:] or node.body if ast.get_docstring(node) is not None else node.body


def _text(cells: Sequence[str], one: Definition) -> str:
    return _bare(one.node) if one.node else cells[one.cell]


def _blanked(cell: str, node: ast.FunctionDef | ast.ClassDef | None) -> str:
    """A cell without a definition; the lines below it keep their numbers."""
    assert node is not None
    lines = cell.split("\n")
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    last = node.end_lineno or first
    lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)


def _listed(found: Sequence[Definition]) -> str:
    *others, last = (str(one.cell + 1) for one in found)
    return f"{', '.join(others)} and {last}"
