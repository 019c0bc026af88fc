"""Repairs: what no other step names, but one change of the learner's own code would put right."""

from __future__ import annotations

import ast
import time

import pytest
import torch

from autograder.course.slips import changed, changes_of
from autograder.course.slips.undone import undoing
from autograder.course.slips.words import FAMILIES
from autograder.grading.engine import grade_code
from autograder.judging import diagnosis, implementations, repairs
from autograder.judging.exchange import installed
from autograder.judging.repairs import Workshop
from autograder.judging.results import TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet
from autograder.sandbox.runtime.requests import Outcome
from autograder.submissions.notebooks import Code


def notebook_of(unit: str) -> dict:
    """The namespace of a notebook in which the reference's code ran."""
    names: dict = {"__name__": unit}
    exec(compile(implementations.reference_source(unit), f"<{unit}>", "exec", dont_inherit=True), names)
    return names


def checked(task: str, *cells: str) -> TaskResult:
    """The result of a task for cells that ran after those with the reference's code."""
    unit, _, name = task.partition(".")
    names = notebook_of(unit)
    for cell in cells:
        exec(compile(cell, "<cell>", "exec", dont_inherit=True), names)
    own = names[name]
    with quiet():
        (result,) = run_checks(LocalSubject(names, own={name}), unit, [task], cells=cells)
    assert names[name] is own
    assert "_replaced" not in names
    return result


RESIDUAL = """import torch

class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        for name in ("w_q", "w_k", "w_v"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def forward(self, x, memory, mask=None):
        queries = self.w_q(x)
        keys, values = self.w_k(memory), self.w_v(memory)
        found, weights = scaled_dot_product_attention(queries, keys, values, mask)
        return x + found, weights
"""
IN_FLOAT32 = """
def softmax(x, dim=-1):
    return torch.nn.functional.softmax(x, dim=dim, dtype=torch.float32)
"""
TWICE_THE_FACTOR = """
def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):
    def rate(finished_steps):
        current = finished_steps + 1
        return factor * noam_lr(current, d_model, warmup=warmup, factor=factor)

    return torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=rate)
"""
WIDTH_OF_A_HEAD = """
def attention_parameters(d_model, num_heads, bias=True):
    width = d_model // num_heads
    matrices = num_heads * 3 * (d_model * width) + d_model * d_model
    biases = 3 * width + d_model if bias else 0
    return matrices + biases
"""
STOPS_EARLY = """
def fit_line(x, y, steps=500, lr=0.1):
    w = nn.Parameter(torch.zeros(1, dtype=x.dtype, device=x.device))
    b = nn.Parameter(torch.zeros(1, dtype=x.dtype, device=x.device))
    sgd = torch.optim.SGD([w, b], lr=lr)
    last = float("inf")
    for _ in range(steps):
        sgd.zero_grad()
        loss = torch.mean((y - (w * x + b)) ** 2)
        loss.backward()
        sgd.step()
        if abs(last - loss.item()) < 1e-6:
            break
        last = loss.item()
    return float(w), float(b)
"""
STEPS_FIRST = """
def fit_line(x, y, steps=500, lr=0.1):
    line = torch.zeros(2, dtype=x.dtype, device=x.device, requires_grad=True)
    sgd = torch.optim.SGD([line], lr=lr)
    features = torch.stack([x, torch.ones_like(x)], dim=1)
    for step in range(steps):
        error = features @ line - y
        loss = torch.mean(error * error)
        sgd.step()
        sgd.zero_grad()
        loss.backward()
    a, b = line.tolist()
    return a, b
"""
FOUND = {
    "residual": ("attention.CrossAttention", RESIDUAL, "part-too-many", 13, "a sum that uses `x`"),
    "factor": ("optim.noam_scheduler", TWICE_THE_FACTOR, "part-too-many", 5, "a product that uses `factor`"),
    "width": ("multihead.attention_parameters", WIDTH_OF_A_HEAD, "another-value-used", 5, "`width`"),
    "too early": ("warmup.fit_line", STEPS_FIRST, "order-of-steps", 9, "a call"),
    "break": ("warmup.fit_line", STOPS_EARLY, "step-too-many", 12, "an `if` with"),
}


@pytest.mark.parametrize(("task", "code", "family", "line", "what"), FOUND.values(), ids=FOUND)
def test_one_change_away(task, code, family, line, what):
    result = checked(task, code)
    assert result.points < result.max_points
    assert result.diagnosis is not None
    assert (result.diagnosis.mistake, result.diagnosis.task) == (family, task)
    assert f"One change in line {line} of your cell `{task.partition('.')[2]}` makes" in result.diagnosis.hint
    assert what in result.diagnosis.hint
    assert result.diagnosis.hint.endswith("?")


REMEMBERED = """
def pairwise_distances(x, y, known={}):
    key = tuple(x.shape), tuple(y.shape)
    if key not in known:
        known[key] = (x[:, None] - y[None]).square().sum(-1).sqrt()
    return known[key]
"""
OF_THE_CLASS = """
class KVCache:
    store = {}

    def __init__(self):
        pass

    @property
    def length(self):
        return self.store[0][0].shape[2] if 0 in self.store else 0

    def update(self, layer, k, v):
        if layer in self.store:
            k = torch.cat([self.store[layer][0], k], dim=2)
            v = torch.cat([self.store[layer][1], v], dim=2)
        self.store[layer] = (k, v)
        return k, v

    def reorder(self, rows):
        self.store = {layer: (k[rows], v[rows]) for layer, (k, v) in self.store.items()}
"""


@pytest.mark.parametrize(
    ("task", "code"), [("warmup.pairwise_distances", REMEMBERED), ("decoding.KVCache", OF_THE_CLASS)], ids=str
)
def test_what_outlives_a_call(task, code, monkeypatch):
    monkeypatch.setattr(diagnosis, "mistakes", lambda unit: ())
    result = checked(task, code)
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == "state-kept-between-calls"


IN_PLACE = """
def softmax(x, dim=-1):
    x -= x.detach().amax(dim, keepdim=True)
    powers = torch.exp(x)
    return powers / powers.sum(dim, keepdim=True)
"""


def test_an_argument_that_is_changed(monkeypatch):
    monkeypatch.setattr(diagnosis, "mistakes", lambda unit: ())
    monkeypatch.setattr(diagnosis, "slips", lambda task: ())
    result = checked("attention.softmax", IN_PLACE)
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == "argument-changed"
    assert "your code changes `x` in place" in result.diagnosis.hint


def test_every_change_that_undoes_a_slip_is_a_program():
    for code in (OF_THE_CLASS, REMEMBERED):
        tree = ast.parse(code)
        before = ast.unparse(tree)
        made = {changed(tree, change) for change in undoing(tree, {"known": ("keys",)}, (0.5, "text"))}
        assert len(made) > 3
        for source in made:
            compile(source, "<changed>", "exec")
        assert ast.unparse(tree) == before


def test_the_same_when_a_class_is_graded(jailed):
    task, code, family, line, _ = FOUND["factor"]
    cells = ["import torch", implementations.reference_source("optim"), code]
    graded = grade_code(jailed, Code(cells), "optim", [task])
    (result,) = graded.tasks
    alone = checked(task, code)
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == family
    assert f"One change in line {line} of" in result.diagnosis.hint
    assert result.points == alone.points


def test_nothing_that_is_tried_is_judged(jailed):
    """Changed code runs in a process of its own, and what it does there reaches no verdict."""
    task, code, *_ = FOUND["factor"]
    counting = code.replace(
        "    def rate(finished_steps):",
        "    import builtins\n    builtins.calls = getattr(builtins, 'calls', 0) + 1\n"
        "    if builtins.calls > 50:\n        raise RuntimeError('tried often')\n    def rate(finished_steps):",
    )
    cells = ["import torch", implementations.reference_source("optim")]
    before = grade_code(jailed, Code([*cells, code]), "optim", [task]).tasks[0]
    after = grade_code(jailed, Code([*cells, counting]), "optim", [task]).tasks[0]
    assert [check.status for check in after.checks] == [check.status for check in before.checks]
    assert after.points == before.points


@pytest.mark.parametrize("end", ["import os\n    os._exit(3)", "while True:\n        pass", "raise SystemExit"])
def test_code_that_ends_or_never_ends_where_it_is_changed(jailed, end):
    """The code ends its process in most cases: no change of it may stop the grader."""
    code = f"""
def softmax(x, dim=-1):
    if x.dim() == 2 and dim == -1:
        return torch.nn.functional.softmax(x, dim=dim) * 2
    {end}
"""
    started = time.monotonic()
    (result,) = grade_code(jailed, Code(["import torch", code]), "attention", ["attention.softmax"]).tasks
    assert result.points == 0
    assert time.monotonic() - started < 60


def test_two_mistakes_are_not_one_change_away():
    task, code, *_ = FOUND["factor"]
    two = code.replace("finished_steps + 1", "max(finished_steps + 7, 3)")
    result = checked(task, two)
    assert result.diagnosis is None or "One change in" not in result.diagnosis.hint


def test_without_cells_nothing_is_tried():
    task, code, *_ = FOUND["residual"]
    names = notebook_of("attention")
    exec(code, names)
    (result,) = run_checks(LocalSubject(names), "attention", [task])
    assert result.diagnosis is None
    assert result.points < result.max_points


def test_a_part_that_is_wrong_comes_first():
    """What fails because it calls wrong code has no line of its own that is wrong."""
    wrong = IN_FLOAT32
    result = checked("attention.scaled_dot_product_attention", wrong, RESIDUAL)
    assert result.diagnosis is None or "One change in" not in result.diagnosis.hint


@pytest.mark.parametrize(
    "cell",
    [
        "def softmax(x, dim=-1):\n    return " + "-" * 3000 + "x",
        "def softmax(x, dim=-1):\n    return x" + " + x" * 3000,
        "def softmax(x, dim=-1:\n    return x",
        "softmax = lambda x, dim=-1: x",
        "def softmax(x, dim=-1):\n    match dim:\n        case -1:\n            return x",
        "async def softmax(x, dim=-1):\n    return x",
        "def softmax(x, dim=-1):\n    yield x",
        "",
    ],
    ids=["deep", "long", "broken", "lambda", "match", "async", "generator", "empty"],
)
def test_code_of_another_form(jailed, cell):
    cells = [implementations.reference_source("attention"), cell]
    (result,) = grade_code(jailed, Code(cells), "attention", ["attention.softmax"]).tasks
    assert result.diagnosis is None or "One change in" not in result.diagnosis.hint


def test_loops_of_a_changed_definition_end():
    most = implementations.peak_memory() + implementations.ROOM
    source = repairs._with_loops_that_end("def f(x):\n    while True:\n        x = x + 1", most)
    names: dict = {}
    exec(source, names)
    with pytest.raises(RuntimeError, match="without an end"):
        names["f"](0)
    assert repairs._with_loops_that_end("def f(x):\n    return x", most) == "def f(x):\n    return x"


def test_a_loop_that_doubles_a_text_ends_before_the_memory_does():
    most = implementations.peak_memory() + 50 * 2**20
    names: dict = {}
    exec(repairs._with_loops_that_end("def f(x):\n    while True:\n        x = x + x", most), names)
    with pytest.raises(RuntimeError, match="without an end"):
        names["f"](b"12")
    turns = implementations.Turns(most_memory=implementations.peak_memory() - 1)
    with pytest.raises(implementations.TooManyTurns):
        turns()


def test_every_change_can_be_told():
    """Each family of changes is told as what was wrong before, or never tried."""
    for family in FAMILIES:
        assert family in repairs._ONE_WAY or repairs._OPPOSITE.get(family) or "{what}" in FAMILIES[family][0]
    tree = ast.parse(RESIDUAL)
    for change in repairs._likeliest_first(tree, "attention.CrossAttention"):
        hint = repairs._told("attention.CrossAttention", change).hint
        assert "{" not in hint
        assert hint.endswith("?")
        assert "`None`" not in hint
    assert {change.family for change in changes_of(tree)} & repairs._ONE_WAY


def test_the_name_is_of_what_was_wrong():
    """The value that the learner used is named, not the one that belongs there."""
    hint = checked(*FOUND["width"][:2]).diagnosis.hint  # type: ignore[union-attr]
    assert "`width` is used" in hint
    assert "`d_model`" not in hint


def test_a_worse_definition_is_put_back():
    names = notebook_of("attention")
    subject = LocalSubject(names)
    own = names["softmax"]
    assert installed(subject, "def softmax(x, dim=-1):\n    return x", ["softmax"])
    assert names["softmax"] is not own
    assert not installed(subject, "def softmax(x:", ["softmax"])
    assert installed(subject, "", [])
    assert names["softmax"] is own


class Forging:
    """A subject whose replies hold tensors wherever a text or a list of names belongs."""

    def ask(self, request):
        return Outcome.from_wire({"value": torch.ones(3), "text": torch.ones(2), "stub": torch.ones(2), "kinds": 3})


def test_forged_replies_are_no_exchange():
    assert not installed(Forging(), "x = 1", ["x"])
    assert not installed(Forging(), "", [])
    assert Forging().ask(None).text == ""


def test_a_workshop_without_a_definition_finds_nothing():
    assert Workshop(LocalSubject({}), ["x = 1"]).repair("attention.softmax", []) is None


def test_a_change_of_a_default_is_in_the_line_of_the_definition():
    tree = ast.parse("\n\ndef double(x, by=3):\n    return x * by\n")
    assert {line for change in changes_of(tree) for line in change.lines} == {3, 4}
