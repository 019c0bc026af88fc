"""How the checks of all units are written: no helper twice, one rule for names, the tasks in their order."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.addresses import ROOT
from autograder.course.registry import COMPLETE, find_unit

UNITS = [unit.name for unit in COMPLETE]
FOLDER = ROOT / "autograder" / "units"
LONGEST = 50  # lines: a function that is longer has parts that deserve names
SMALLEST = 20  # nodes of a syntax tree: what is smaller may come up twice by chance


def definitions(path: Path) -> list[ast.FunctionDef | ast.ClassDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]


def files() -> Iterator[Path]:
    yield from (FOLDER / unit / "checks.py" for unit in UNITS)
    yield from sorted((FOLDER / "support").glob("*.py"))


def normalised(node: ast.AST) -> ast.Module:
    """The body without docstrings, in which its own variables are called by the order of their first occurrence."""
    copy = ast.parse(ast.unparse(ast.Module(node.body, [])))
    for part in ast.walk(copy):
        body = getattr(part, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                body[:1] = [] if len(body) > 1 else [ast.Pass()]
    own = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    own |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    known: dict[str, str] = {}
    for part in ast.walk(copy):
        if isinstance(part, ast.Name) and part.id in own:
            part.id = known.setdefault(part.id, f"name{len(known)}")
        elif isinstance(part, ast.arg):
            part.arg = known.setdefault(part.arg, f"name{len(known)}")
    return copy


def repeated(nodes: dict[str, ast.FunctionDef | ast.ClassDef]) -> list[list[str]]:
    """The names of those whose bodies are the same, except for what they call things."""
    found = defaultdict(list)
    for name, node in nodes.items():
        body = normalised(node)
        if sum(1 for _ in ast.walk(body)) >= SMALLEST:
            found[ast.dump(body)].append(name)
    return [names for names in found.values() if len(names) > 1]


def test_no_function_stands_twice():
    nodes = {
        f"{path.parent.name}/{path.name}:{node.name}": node
        for path in files()
        for node in definitions(path)
        if not node.name.startswith("test_")
    }
    assert len(nodes) > 250
    assert repeated(nodes) == []


def test_a_function_that_stands_twice_under_other_names_is_found():
    one, other, third = (
        ast.parse(
            f'def {name}({a}):\n    """{name}"""\n    {b} = [x + 1 for x in {a}]\n    return sum({b}), {more}({b})'
        )
        for name, a, b, more in (("f", "xs", "ys", "max"), ("g", "values", "found", "max"), ("h", "xs", "ys", "ys"))
    )
    nodes = {tree.body[0].name: tree.body[0] for tree in (one, other, third)}
    assert repeated(nodes) == [["f", "g"]]


@pytest.mark.parametrize("unit", UNITS)
def test_names_have_no_underscores_in_front(unit):
    tree = ast.parse((FOLDER / unit / "checks.py").read_text(encoding="utf-8"))
    named = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    named |= {
        part.id
        for node in tree.body
        for part in ast.walk(node)
        if isinstance(node, ast.Assign) and isinstance(part, ast.Name)
    }
    assert [name for name in sorted(named) if name.startswith("_")] == []


@pytest.mark.parametrize("unit", UNITS)
def test_tasks_come_in_the_order_of_the_unit_and_everything_is_used(unit):
    nodes = definitions(FOLDER / unit / "checks.py")
    tasks = [
        node.decorator_list[0].args[0].value.removeprefix(f"{unit}.") for node in nodes if node.name.startswith("test_")
    ]
    assert list(dict.fromkeys(tasks)) == [task.partition(".")[2] for task in find_unit(unit).written_ids]
    assert tasks == sorted(tasks, key=list(dict.fromkeys(tasks)).index), "the checks of a task stand together"
    used = {
        part.id
        for node in ast.parse((FOLDER / unit / "checks.py").read_text(encoding="utf-8")).body
        for part in ast.walk(node)
        if isinstance(part, ast.Name)
    }
    assert [node.name for node in nodes if not node.name.startswith("test_") and node.name not in used] == []


def test_no_function_is_longer_than_a_screen():
    long = {
        f"{path.parent.name}:{part.name}": lines
        for path in files()
        for node in definitions(path)
        for part in ast.walk(node)
        if isinstance(part, ast.FunctionDef) and (lines := part.end_lineno - part.lineno + 1) > LONGEST
    }
    assert long == {}


def test_every_search_for_inputs_has_an_end():
    endless = [
        f"{path.parent.name}:{part.lineno}"
        for path in files()
        for part in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(part, ast.While) and isinstance(part.test, ast.Constant)
    ]
    assert endless == []
