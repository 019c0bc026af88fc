"""Each task has its verdict once it is written, with the course's parts around it, whatever its constructor takes."""

from __future__ import annotations

import inspect

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell

from autograder.course.addresses import ROOT
from autograder.course.catalogue import base_source, complete_source, mistakes, reference_module
from autograder.course.registry import COMPLETE, find_unit
from autograder.judging.results import PASSED, TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet
from autograder.lms.sample_class import fill, solved
from autograder.notebook.api import Report
from autograder.units.transformer import fitting

PYTHON = [unit.name for unit in COMPLETE if unit.language == "python" and unit.name != "translation"]  # it trains


def judged(unit: str, name: str, cell: str = "") -> TaskResult:
    """The result of one task, right or as in the cell, in a notebook in which nothing else of the unit is written.

    What forms a pair with it is there as well: the two are judged together.
    """
    names: dict = {"__name__": unit}
    exec(compile(inspect.getsource(reference_module(unit)), "<given>", "exec", dont_inherit=True), names)
    for other in {*find_unit(unit).names} - {name} - find_unit(unit).partners(name):
        del names[other]
    exec(compile(cell, f"<cell of {name}>", "exec", dont_inherit=True), names)
    with quiet():
        task = f"{unit}.{name}"
        (result,) = run_checks(LocalSubject(names), unit, [task], cells=[cell or base_source(task)])
    return result


@pytest.mark.parametrize("unit", PYTHON)
def test_whoever_has_written_one_task_alone_gets_its_verdict(unit):
    results = [judged(unit, name) for name in find_unit(unit).names]
    assert [one.id for one in results if one.status != PASSED] == []


@pytest.fixture
def notebook(monkeypatch):
    """A running notebook."""
    shell = InteractiveShell()
    monkeypatch.setattr("autograder.notebook.api._shell", lambda: shell)
    yield shell
    shell.history_manager.end_session()


def test_in_the_released_notebook_every_check_cell_gives_full_points_when_its_turn_comes(notebook):
    """From the top, each cell in turn: what stands below is not there yet."""
    released = nbformat.read(ROOT / "exercises" / "transformer" / "transformer.ipynb", as_version=4)
    cells = [one.source for one in fill(released, solved("transformer")).cells if one.cell_type == "code"]
    passed = []
    for cell in cells[: next(index for index, one in enumerate(cells) if one.strip() == 'check("transformer")')]:
        with quiet():
            result = notebook.run_cell(cell, store_history=True)
        if isinstance(result.result, Report):
            passed += [(task.id, task.status) for task in result.result.tasks]
    assert passed == [(task, PASSED) for task in find_unit("transformer").task_ids]


# Constructors as learners and tutorials write them. `{Kind}`: Encoder or Decoder; `{rest}`: what `forward` takes too.
STACKS = {
    "copies of one layer": """
import copy
class {Kind}(nn.Module):
    def __init__(self, layer, N, norm="pre"):
        super().__init__()
        self.layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(N)])
        self.norm = LayerNorm(layer.connections[0].norm_layer.gamma.shape[0]) if norm == "pre" else None

    def forward(self, x, {rest}):
        for layer in self.layers:
            x = layer(x, {rest})
        return x if self.norm is None else self.norm(x)
""",
    "a list of layers, and a norm": """
class {Kind}(nn.Module):
    def __init__(self, layers, norm):
        super().__init__()
        self.layers, self.norm = layers, norm

    def forward(self, x, {rest}):
        for layer in self.layers:
            x = layer(x, {rest})
        return x if self.norm is None else self.norm(x)
""",
    "other names in another order": """
class {Kind}(nn.Module):
    def __init__(self, dim, heads, depth, ff_dim, *, pre_norm, p=0.1):
        super().__init__()
        style = "pre" if pre_norm else "post"
        self.stack = nn.ModuleList({Kind}Layer(dim, heads, ff_dim, p, style) for _ in range(depth))
        self.last = nn.LayerNorm(dim) if pre_norm else nn.Identity()

    def forward(self, x, {rest}):
        for one in self.stack:
            x = one(x, {rest})
        return self.last(x)
""",
    "names of nobody's, in the usual order": """
class {Kind}(nn.Module):
    def __init__(self, a, b, c, d_, e, f):
        super().__init__()
        self.stack = nn.ModuleList({Kind}Layer(b, c, d_, e, f) for _ in range(a))
        self.last = nn.LayerNorm(b) if f == "pre" else nn.Identity()

    def forward(self, x, {rest}):
        for one in self.stack:
            x = one(x, {rest})
        return self.last(x)
""",
    "whatever is passed": """
class {Kind}(nn.Module):
    def __init__(self, *args):
        super().__init__()
        n, d, *others = args
        self.stack = nn.Sequential(*({Kind}Layer(d, *others) for _ in range(n)))
        self.last = nn.LayerNorm(d) if others[-1] == "pre" else nn.Identity()

    def forward(self, x, {rest}):
        for one in self.stack:
            x = one(x, {rest})
        return self.last(x)
""",
    "layers made by a function": """
class {Kind}(nn.Module):
    def __init__(self, make_layer, num_layers, d_model, pre_norm=True):
        super().__init__()
        self.layers = nn.ModuleList(make_layer() for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()

    def forward(self, x, {rest}):
        for layer in self.layers:
            x = layer(x, {rest})
        return self.norm(x)
""",
}
REST = {"Encoder": "mask", "Decoder": "memory, src_mask, tgt_mask"}
MODELS = {
    "keywords of its own": """
class Transformer(nn.Module):
    def __init__(self, *, generator, source_embedding, target_embedding, enc, dec):
        super().__init__()
        self.a, self.b, self.c, self.d, self.generator = source_embedding, target_embedding, enc, dec, generator

    def encode(self, src, src_mask):
        return self.c(self.a(src), src_mask)

    def decode(self, memory, src_mask, tgt, tgt_mask):
        return self.d(self.b(tgt), memory, src_mask, tgt_mask)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        src_mask = padding_mask(src) if src_mask is None else src_mask
        tgt_mask = decoder_mask(tgt) if tgt_mask is None else tgt_mask
        return self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)
""",
    "all parts made inside": """
class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, num_layers, d_model, d_ff, num_heads, dropout, norm):
        super().__init__()
        sizes = num_layers, d_model, num_heads, d_ff, dropout, norm
        self.encoder, self.decoder = Encoder(*sizes), Decoder(*sizes)
        self.source = nn.Sequential(TokenEmbedding(src_vocab, d_model), PositionalEncoding(d_model, dropout))
        self.target = nn.Sequential(TokenEmbedding(tgt_vocab, d_model), PositionalEncoding(d_model, dropout))
        self.generator = Generator(d_model, tgt_vocab)

    def encode(self, src, src_mask):
        return self.encoder(self.source(src), src_mask)

    def decode(self, memory, src_mask, tgt, tgt_mask):
        return self.decoder(self.target(tgt), memory, src_mask, tgt_mask)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        src_mask = padding_mask(src) if src_mask is None else src_mask
        tgt_mask = decoder_mask(tgt) if tgt_mask is None else tgt_mask
        return self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)
""",
}
STYLES = [(kind, style, text.format(Kind=kind, rest=REST[kind])) for kind in REST for style, text in STACKS.items()]
STYLES += [("Transformer", style, text) for style, text in MODELS.items()]


@pytest.mark.parametrize(("name", "style", "source"), STYLES, ids=[f"{name}, {style}" for name, style, _ in STYLES])
def test_the_course_builds_classes_with_constructors_of_their_own(name, style, source):
    result = judged("transformer", name, source)
    assert (result.status, [check.message for check in result.checks if check.status != PASSED]) == (PASSED, [])
    assert "make_model" in result.given


@pytest.mark.parametrize("name", fitting.CLASSES)
def test_mistakes_of_a_class_alone_are_caught_and_named(name):
    known = [one for one in mistakes("transformer") if one.task == f"transformer.{name}"][::4]  # half a second each
    wrong = []
    for one in known:
        result = judged("transformer", name, complete_source(one))
        named = {result.diagnosis.mistake} if result.diagnosis else {other.mistake for other in result.possible}
        if result.status == PASSED or one.name not in named:
            wrong.append(f"{one.name}: {result.status}, named {named or 'nothing'}")
    assert wrong == []
