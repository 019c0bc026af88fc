"""The source of one function or class of a learner and of all their code that it needs, from the cells that were run.

Nothing is executed here. If a name is assigned more than once, the last assignment counts, as in the notebook.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autograder.course.source import syntax_tree
from autograder.submissions.demonstrations import names_in
from autograder.submissions.syntax import MAX_SEARCHED, demand_readable

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MAGIC_THAT_RUNS = re.compile(r"\s*%%(?:time|timeit|capture|prun)\b")


@dataclass(frozen=True)
class Part:
    """A top-level statement: its text, the names that it binds, and those that it takes from elsewhere."""

    text: str
    gives: frozenset[str]
    takes: frozenset[str]
    defines: bool = False  # it is a function or a class
    fresh: bool = True  # it binds the names anew; else it changes their values, as ``table["a"] = 1`` does


def own_source(name: str, cells: Sequence[str], given_by: Mapping[str, str]) -> str:
    """The source of ``name`` as a program of its own, or an empty text if the cells do not define it.

    ``given_by``: for names from elsewhere, the statement that imports them. Definitions of these names in the cells
    are left out.
    """
    if sum(map(len, cells)) > MAX_SEARCHED:
        return ""
    parts, bound = _read(tuple(cells))
    if not any(parts[index].defines for index in bound.get(name, ())):
        return ""
    needed, brought, waiting = set[int](), set[str](), [name]
    while waiting:
        wanted = waiting.pop()
        if wanted in given_by and wanted != name:
            brought.add(given_by[wanted])
            continue
        new = set(bound.get(wanted, ())) - needed
        needed |= new
        waiting += [other for index in sorted(new) for other in sorted(parts[index].takes)]
    always = {index for index, part in enumerate(parts) if part.text.startswith("from __future__")}
    texts = [*sorted(brought), *(parts[index].text for index in sorted(needed))]
    return "\n\n".join([*dict.fromkeys(parts[index].text for index in sorted(always)), *dict.fromkeys(texts)]) + "\n"


@lru_cache(maxsize=1)
def _read(cells: tuple[str, ...]) -> tuple[list[Part], dict[str, list[int]]]:
    """The statements of the cells, and where each name gets its value: once for all tasks of a unit."""
    parts = list(_parts(cells))
    return parts, _bound(parts)


def _bound(parts: Sequence[Part]) -> dict[str, list[int]]:
    """For each name the statements that make its value: the last that binds it, and later ones that change it."""
    found: dict[str, list[int]] = {}
    for index, part in enumerate(parts):
        for name in part.gives:
            if part.fresh:
                found[name] = [index]
            elif name in found:
                found[name].append(index)
    return found


def _parts(cells: Iterable[str]) -> Iterator[Part]:
    for cell in cells:
        text = _without_magics(cell)
        try:
            demand_readable(text)
            body = syntax_tree(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in body:
            yield from _parts_of(node, text.split("\n"))


def _without_magics(cell: str) -> str:
    """A cell as Python; empty if its magic makes it something else, such as C or a file."""
    first, _, rest = cell.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n").partition("\n")
    if first.lstrip().startswith("%%"):
        return _without_magics(rest) if _MAGIC_THAT_RUNS.match(first) else ""
    lines = [first, *rest.split("\n")]
    return "\n".join("" if re.match(r"[%!?]|\S.*\?$", line) else line for line in lines)


def _parts_of(node: ast.stmt, lines: Sequence[str]) -> Iterator[Part]:
    """A statement as parts: an import gives each of its names by itself."""
    if isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_future(node):
        for alias in node.names:
            text = ast.unparse(type(node)(**{**vars(node), "names": [alias]}))
            yield Part(text, frozenset({(alias.asname or alias.name).partition(".")[0]}), frozenset())
        return
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
    text = "\n".join(lines[first - 1 : node.end_lineno])
    gives, takes = names_in(text)
    changed = frozenset(_changed(node))
    yield Part(text, changed or gives, takes, isinstance(node, _DEFINITIONS), fresh=not changed)


def _is_future(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _changed(node: ast.stmt) -> Iterator[str]:
    """The names whose values an assignment changes instead of replacing them: ``x += 1``, ``x[0] = 1``."""
    if isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.Assign) and not any(isinstance(target, ast.Name) for target in node.targets):
        targets = [target for target in node.targets if isinstance(target, (ast.Subscript, ast.Attribute))]
    else:
        return
    for target in targets:
        base: ast.expr = target
        while isinstance(base, (ast.Subscript, ast.Attribute)):
            base = base.value
        if isinstance(base, ast.Name):
            yield base.id
