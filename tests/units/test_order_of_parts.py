"""Mistakes are known again in whatever order a learner's ``__init__`` makes its parts."""

from __future__ import annotations

import ast
import itertools
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
# They show in the numbers that a fresh model draws, which depend on the order whatever the checks do.
DRAWN = {
    *("layers-start-equal", "pytorch-default-start", "tables-not-xavier", "xavier-normal", "encoder-not-initialised"),
    *("seed-set-inside", "layers-in-a-plain-list"),
}


def makes_a_part(line: ast.stmt) -> bool:
    """Whether a line of ``__init__`` is ``self.name = ...`` and needs no other part."""
    if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Attribute):
        return False
    names_self = [isinstance(node, ast.Name) and node.id == "self" for node in ast.walk(line)]
    return sum(names_self) == 1 and isinstance(line.targets[0].value, ast.Name)


def rearranged(source: str, order: Callable[[list], list]) -> str:
    """The code, with those lines of every ``__init__`` in another order that make parts and follow each other."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            runs = [(makes, list(lines)) for makes, lines in itertools.groupby(node.body, makes_a_part)]
            node.body = [line for makes, lines in runs for line in (order(last_of_each(lines)) if makes else lines)]
    return ast.unparse(tree)


def last_of_each(lines: list) -> list[ast.stmt]:
    """Without parts that are made once more, as in some mistakes."""
    return list({line.targets[0].attr: line for line in lines}.values())


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
