"""Mistakes are known again in whatever order a learner's ``__init__`` makes its parts."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable

import pytest

from autograder.course.catalogue import Mistake, complete_source, mistakes
from autograder.judging.implementations import reference_source
from autograder.judging.quality import Measured
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet

ORDERS: dict[str, Callable[[list], list]] = {
    "reversed": lambda lines: lines[::-1],
    "shuffled": lambda lines: random.Random(7).sample(lines, len(lines)),
}
# A fresh model's own numbers depend on the order in which they are drawn, whatever the checks do.
DRAWN = {"no-xavier"}


def makes_a_part(line: ast.stmt) -> bool:
    """Whether a line of ``__init__`` is ``self.name = ...`` and needs no other part."""
    if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Attribute):
        return False
    return not any(isinstance(node, ast.Name) and node.id == "self" for node in ast.walk(line.value))


def rearranged(source: str, order: Callable[[list], list]) -> str:
    """The code, with the lines of every ``__init__`` that make parts in another order."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            where = [index for index, line in enumerate(node.body) if makes_a_part(line)]
            for index, line in zip(where, order([node.body[index] for index in where])):
                node.body[index] = line
    return ast.unparse(tree)


def measured(mistake: Mistake, order: Callable[[list], list]) -> Measured:
    names: dict = {"__name__": "rearranged"}
    for source in (reference_source(mistake.unit), complete_source(mistake)):
        exec(compile(rearranged(source, order), "<rearranged>", "exec", dont_inherit=True), names)
    return Measured(mistake, run_checks(LocalSubject(names), mistake.unit, [mistake.task])[0])


def test_lines_are_rearranged():
    lines = ("super().__init__()", "self.a = f(n)", "self.b = g(n)")
    source = "class A:\n    def __init__(self, n):\n" + "".join(f"        {line}\n" for line in lines)
    again = rearranged(source, ORDERS["reversed"])
    assert again.index("super") < again.index("self.b") < again.index("self.a")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("unit", ["babygpt", "transformer"])
def test_every_mistake_is_named_in_whatever_order_parts_are_made(unit, order):
    with quiet():
        found = [measured(mistake, ORDERS[order]) for mistake in mistakes(unit) if mistake.name not in DRAWN]
    wrong = [
        f"{item.entry.task} {item.entry.name}: named {item.named or 'nothing'}" for item in found if not item.right
    ]
    assert wrong == []
