"""Mistakes are known again in whatever order a learner's ``__init__`` makes its parts."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Callable

import pytest

from autograder.course.catalogue import Mistake, complete_source, mistakes
from autograder.judging.implementations import reference_source
from autograder.judging.quality import Measured, defined
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet

SEED = 20_26  # that of tests/course/test_catalogue.py: the answers of a unit's mistakes are cached, each with its seed

ORDERS: dict[str, Callable[[list], list]] = {
    "reversed": lambda lines: lines[::-1],
    "shuffled": lambda lines: random.Random(7).sample(lines, len(lines)),
}
# They show in the numbers that a fresh model draws, which depend on the order whatever the checks do. (One of them
# shows in an exception, which counts only if all that passes is alike as well, those numbers among it.)
DRAWN = {
    *("layers-start-equal", "pytorch-default-start", "tables-not-xavier", "xavier-normal", "encoder-not-initialised"),
    *("decoder-not-initialised", "normal-with-a-small-deviation", "unequal-vocabularies-asserted"),
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
    return judged(mistake, names)


def judged(mistake: Mistake, names: dict) -> Measured:
    return Measured(
        mistake, run_checks(LocalSubject(names, own=defined(mistake)), mistake.unit, [mistake.task], SEED)[0]
    )


def test_lines_are_rearranged():
    lines = ("super().__init__()", "self.a = f(n)", "self.b = g(n)")
    source = "class A:\n    def __init__(self, n):\n" + "".join(f"        {line}\n" for line in lines)
    again = rearranged(source, ORDERS["reversed"])
    assert again.index("super") < again.index("self.b") < again.index("self.a")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("unit", ["babygpt", "transformer"])
def test_mistakes_are_named_in_whatever_order_parts_are_made(unit, order):
    known = [mistake for mistake in mistakes(unit) if mistake.name not in DRAWN]
    every = 6 if unit == "transformer" else 3  # each takes up to half a second: others in each order
    with quiet():
        found = [measured(mistake, ORDERS[order]) for mistake in known[[*ORDERS].index(order) :: every]]
    wrong = [
        f"{item.entry.task} {item.entry.name}: named {item.named or 'nothing'}" for item in found if not item.right
    ]
    assert wrong == []


# Other names, and another order, than those of the reference; a network of its own class.
FAMILIAR = """
class FeedForward(nn.Module):
    def __init__(self, n_embd, dropout):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd), nn.Dropout(dropout)
        )

    def forward(self, x):
        return self.net(x)


class Block(nn.Module):
    def __init__(self, n_embd, n_head, block_size, dropout=0.0):
        super().__init__()
        {lines}

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        return x + self.ffwd(self.ln2(x))
"""
LINES = {
    "sa": "self.sa = MultiHead(n_head, n_embd, n_embd // n_head, block_size, dropout)",
    "ffwd": "self.ffwd = FeedForward(n_embd, dropout)",
    "ln1": "self.ln1 = nn.LayerNorm(n_embd)",
    "ln2": "self.ln2 = nn.LayerNorm(n_embd)",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("order", ["sa ffwd ln1 ln2", "ln1 sa ln2 ffwd", "ln2 ln1 ffwd sa"])
def test_mistakes_around_a_block_of_another_style_are_named(order):
    block = FAMILIAR.format(lines="\n        ".join(LINES[name] for name in order.split()))
    wrong = []
    for mistake in mistakes("babygpt"):
        if mistake.task == "babygpt.BabyGPT":
            names: dict = {"__name__": "familiar"}
            for source in (reference_source("babygpt"), block, complete_source(mistake)):
                exec(compile(source, "<familiar>", "exec", dont_inherit=True), names)
            with quiet():
                item = judged(mistake, names)
            wrong += [] if item.right else [f"{mistake.name}: {item.named or 'nothing'}"]
    assert wrong == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("bias", [True, False])
def test_a_model_without_positions_is_known_whatever_else_is_free(bias):
    source = f"""
class BabyGPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.lm_head = nn.Linear(config.n_embed, config.vocab_size, bias={bias})
        self.ln_f = nn.LayerNorm(config.n_embed)
        self.pos = nn.Embedding(config.block_size, config.n_embed)
        self.tok = nn.Embedding(config.vocab_size, config.n_embed)
        sizes = (config.n_embed, config.num_heads, config.block_size, config.dropout)
        self.blocks = nn.Sequential(*(Block(*sizes) for _ in range(config.num_layers)))

    def forward(self, ids, targets=None):
        logits = self.lm_head(self.ln_f(self.blocks(self.tok(ids))))
        loss = None if targets is None else F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss
"""
    names: dict = {"__name__": "familiar"}
    for text in (reference_source("babygpt"), source):
        exec(compile(text, "<familiar>", "exec", dont_inherit=True), names)
    with quiet():
        (result,) = run_checks(LocalSubject(names), "babygpt", ["babygpt.BabyGPT"])
    assert result.diagnosis
    assert result.diagnosis.mistake == "no-positions"
