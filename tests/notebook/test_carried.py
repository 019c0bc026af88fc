"""A learner's own code, kept when it passes and used by the notebooks of later units."""

from __future__ import annotations

import importlib
import multiprocessing
import re
from pathlib import Path

import pytest
import torch

from autograder import cli, earlier
from autograder.course.addresses import ROOT
from autograder.course.registry import COMPLETE, find_unit
from autograder.judging import results
from autograder.judging.results import CheckResult, TaskResult
from autograder.notebook import api, carried, store
from autograder.notebook.own_source import own_source
from solutions import gpt2_c
from solutions.babygpt import BabyGPTConfig

SOLUTIONS = ROOT / "solutions"

SOFTMAX = """\
import torch
SHIFT = 0.0

def exponentials(x, dim):
    return torch.exp(x - x.amax(dim, keepdim=True) + SHIFT)

def softmax(x, dim=-1):
    e = exponentials(x, dim)
    return e / e.sum(dim, keepdim=True)
"""


@pytest.fixture
def notebook(monkeypatch):
    """Runs cells as a notebook does, and checks them there; returns the report."""

    def run(what: str, *cells: str):
        names: dict = {"__name__": "__main__"}
        for number, cell in enumerate(cells):
            exec(compile(cell, f"<cell {number}>", "exec"), names)
        monkeypatch.setattr(api, "_cells_run", lambda: list(cells))
        return api.check(what, names)

    return run


@pytest.fixture
def kept(state_file) -> Path:
    """The folder with the learner's code."""
    return state_file.parent / store.CODE


def passed(*tasks: str) -> list[TaskResult]:
    one = CheckResult("a/1", results.PASSED, 1, 1, "", "a title")
    return [TaskResult(task, (one,)) for task in tasks]


# --- keeping -----------------------------------------------------------------------------------------------------


def test_what_passes_is_kept_with_what_it_needs_and_nothing_else(kept, notebook):
    assert notebook("attention.softmax", "import math\nother = 5", SOFTMAX, "def unused():\n    return other").passed
    text = (kept / "attention.py").read_text(encoding="utf-8")
    assert re.search(r"^# %% attention\.softmax: passed on \d{4}-\d\d-\d\d$", text, re.MULTILINE)
    for line in SOFTMAX.strip().splitlines():
        assert line in text
    assert "unused" not in text
    assert "math" not in text
    names: dict = {}
    exec(text, names)  # a program of its own
    assert torch.equal(names["softmax"](torch.zeros(2)), torch.tensor([0.5, 0.5]))


def test_what_does_not_pass_overwrites_nothing(kept, notebook):
    notebook("attention.softmax", SOFTMAX)
    before = (kept / "attention.py").read_bytes()
    assert not notebook("attention.softmax", SOFTMAX.replace("keepdim=True)\n", "keepdim=True) * 1.1\n")).passed
    assert (kept / "attention.py").read_bytes() == before
    assert notebook("attention.softmax", SOFTMAX.replace("exponentials", "powers")).passed
    assert "powers" in (kept / "attention.py").read_text(encoding="utf-8")


def test_other_tasks_of_the_unit_are_imported_not_copied(kept, notebook):
    scores = "import math\ndef attention_scores(q, k):\n    return q @ k.mT / math.sqrt(k.shape[-1])"
    whole = (
        "def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):\n"
        "    s = attention_scores(q, k)\n"
        "    if mask is not None:\n"
        "        s = s.masked_fill(~mask, float('-inf'))\n"
        "    w = softmax(s)\n"
        "    used = w if dropout is None else dropout(w)\n"
        "    return used @ v, w\n"
    )
    cells = (SOFTMAX, scores, whole)
    carried.keep(passed(*(f"attention.{name}" for name in ("softmax", "scaled_dot_product_attention"))), cells)
    text = carried.stored("attention")["attention.scaled_dot_product_attention"].text
    assert text.startswith("from autograder.earlier import attention_scores\n\nfrom autograder.earlier import softmax")
    assert "exponentials" not in text


@pytest.mark.parametrize(
    ("cells", "there", "not_there"),
    [
        (["def f():\n    return 1", "def f():\n    return 2"], ["return 2"], ["return 1"]),
        (
            ["a = [1]", "a.append(2)\na[0] = 3\na += [4]", "def f():\n    return a"],
            ["a = [1]", "a[0] = 3", "a += [4]"],
            [],
        ),
        (["a = 1", "a += 1", "a = 5", "def f():\n    return a"], ["a = 5"], ["a += 1", "a = 1"]),
        (["%matplotlib inline\nimport os, sys as s\n!ls", "def f():\n    return s"], ["import sys as s"], ["os", "%"]),
        (["%%time\nb = 1", "%%c\nvoid f() {}", "def f(x=b):\n    return x"], ["b = 1"], ["void"]),
        (["try:\n    import json as j\nexcept ImportError:\n    j = None\ndef f():\n    return j"], ["except"], []),
        (["from __future__ import annotations\ndef f(x: T):\n    return x"], ["from __future__"], []),
        (["def broken(:", "@deco\ndef f():\n    pass", "def deco(g):\n    return g"], ["@deco\ndef f", "def deco"], []),
        (["def g(n):\n    return f(n - 1)\ndef f(n):\n    return n and g(n)"], ["def g", "def f"], []),
        (["class Base:\n    pass\nclass f(Base):\n    size = WIDTH\nWIDTH = 3"], ["class Base", "WIDTH = 3"], []),
    ],
)
def test_source_with_its_needs(cells, there, not_there):
    text = own_source("f", cells, {})
    for part in there:
        assert part in text
    for part in not_there:
        assert part not in text


@pytest.mark.parametrize("cells", [[], ["f = 3"], ["from autograder.earlier import f"], ["def g():\n    pass"]])
def test_what_is_not_the_learners_own_is_not_kept(cells):
    assert own_source("f", cells, {}) == ""


def test_the_command_line_keeps_what_passes_too(kept, tmp_path, capsys):
    file = tmp_path / "attention.py"
    file.write_text(SOFTMAX, encoding="utf-8")
    cli.main(["check", str(file), "--task", "attention.softmax"])
    assert "attention.softmax" in carried.stored("attention")


def write_many(number: int) -> None:
    for turn in range(20):
        source = f"def gelu(x):\n    return {number}, {turn}\n" + "# long\n" * 500
        carried.keep(
            passed(f"blocks.{'gelu' if number % 2 else 'rms_norm'}"), [source, source.replace("gelu", "rms_norm")]
        )
        store.remember_points({f"blocks.{number}": float(turn)})


def test_notebooks_that_write_at_a_time_lose_nothing(kept):
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_many, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert set(carried.stored("blocks")) == {"blocks.gelu", "blocks.rms_norm"}
    assert store.section("points") == {f"blocks.{number}": 19.0 for number in range(4)}
    assert [path.name for path in kept.iterdir()] == ["blocks.py"]


def test_a_folder_that_cannot_be_written_to_keeps_nothing_and_says_nothing(tmp_path, monkeypatch, notebook):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "file" / "progress.json"))
    assert notebook("attention.softmax", SOFTMAX).passed
    assert carried.stored("attention") == {}


# --- bringing in ---------------------------------------------------------------------------------------------------


def test_own_code_where_it_passed_and_the_courses_elsewhere(state_file, notebook, capsys):
    notebook("attention.softmax", SOFTMAX)
    capsys.readouterr()
    names: dict = {}
    exec("from autograder.earlier import causal_mask, softmax", names)
    mine, theirs = names["softmax"], names["causal_mask"]
    assert capsys.readouterr().out.splitlines() == [
        "causal_mask: the course's",
        f"softmax: {carried.stored('attention')['attention.softmax'].whose}",
    ]
    assert mine.__globals__["SHIFT"] == 0
    assert theirs is importlib.import_module("solutions.masks").causal_mask
    assert earlier.softmax is mine  # the same object, however often it is imported


def test_a_learner_may_edit_what_is_kept(state_file, notebook, capsys):
    notebook("attention.softmax", SOFTMAX)
    path = carried.stored("attention")["attention.softmax"].path
    path.write_text(path.read_text("utf-8").replace("SHIFT = 0.0", "SHIFT = 1.5"), encoding="utf-8")
    assert earlier.softmax.__globals__["SHIFT"] == 1.5
    path.write_text(path.read_text("utf-8").replace("SHIFT = 1.5", "SHIFT = 1 +"), encoding="utf-8")
    capsys.readouterr()
    assert earlier.softmax is importlib.import_module("solutions.attention").softmax
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"softmax: the course's, since yours in {path} does not run (SyntaxError")


def test_kept_code_that_calls_itself_in_a_circle_ends(state_file, capsys):
    cells = ["def Encoder():\n    return Decoder\n", "def Decoder():\n    return Encoder\n"]
    carried.keep(passed("transformer.Encoder", "transformer.Decoder"), cells)
    assert earlier.Encoder()() is importlib.import_module("solutions.transformer").Encoder


def test_a_file_that_was_edited_keeps_every_part_when_another_passes(state_file, capsys):
    carried.keep(passed("blocks.gelu"), ["def gelu(x):\n    return 1\n"])
    path = carried.stored("blocks")["blocks.gelu"].path
    path.write_text(re.sub(r": passed on .*", "", path.read_text("utf-8")), encoding="utf-8")
    carried.keep(passed("blocks.rms_norm"), ["def rms_norm(x):\n    return 2\n"])
    capsys.readouterr()
    assert (earlier.gelu(0), earlier.rms_norm(0)) == (1, 2)
    assert capsys.readouterr().out.splitlines()[0] == "gelu: yours"


@pytest.mark.parametrize("name", ["nonsense", "encoder_forward"])
def test_a_name_that_is_no_task_is_a_sentence(name):
    with pytest.raises(ImportError, match=f"has no '{name}': it gives what you write"):
        getattr(earlier, name)


# --- C ----------------------------------------------------------------------------------------------------------------


def test_kernels_of_both_kinds_make_one_file(state_file, tmp_path, capsys):
    own = "%%c\n#include <math.h>\n#define HALF 0.5f\nstatic float half(float x) { return HALF * x; }\n"
    kernel = "%%c\nvoid residual_forward(float *out, const float *a, const float *b, int n) {\n" + (
        "    for (int i = 0; i < n; i++) out[i] = 2 * half(a[i]) + b[i];\n}\n"
    )
    carried.keep(passed("gpt2_forward.residual_forward"), [own, kernel])
    api.write_earlier_kernels("gpt2_forward", tmp_path / "forward.c")
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said if "yours" in line] == ["residual_forward"]
    assert len(said) == len(find_unit("gpt2_forward").names)
    text = (tmp_path / "forward.c").read_text("utf-8")
    assert text.count("void residual_forward(") == 1
    assert text.count("void encoder_forward(") == 1
    assert "2 * half(a[i])" in text
    gpt2_c.build(tmp_path, "gpt2-plain", FORWARD=tmp_path / "forward.c")
    assert (tmp_path / "gpt2-plain").is_file()


def test_without_own_kernels_the_file_is_the_courses(state_file, tmp_path):
    for unit in ("gpt2_forward", "gpt2_backward"):
        api.write_earlier_kernels(unit, tmp_path / f"{unit}.c")
    gpt2_c.build(tmp_path, "gpt2-plain", FORWARD=tmp_path / "gpt2_forward.c", BACKWARD=tmp_path / "gpt2_backward.c")
    assert (tmp_path / "gpt2-plain").is_file()


@pytest.mark.parametrize(("unit", "said"), [("attention", "is not in C"), ("gpt2", "There is no unit called 'gpt2'")])
def test_a_unit_without_kernels_is_a_sentence(unit, said, tmp_path):
    assert said in str(api.write_earlier_kernels(unit, tmp_path / "out.c"))
    assert not (tmp_path / "out.c").exists()


def test_gpt2_is_built_from_own_kernels_alone(state_file, tmp_path, capsys):
    """Both files are kept as a learner would have written them, in one cell each, and linked into the program."""
    files = {}
    for unit in ("gpt2_forward", "gpt2_backward"):
        text = (SOLUTIONS / "c" / f"{unit}.c").read_text("utf-8")
        own = text.replace("/* BEGIN SOLUTION */", "int mine = 1;\n    (void)mine;").replace("/* END SOLUTION */", "")
        tasks = [task for task in find_unit(unit).task_ids if ".test_" not in task]
        carried.keep(passed(*tasks), ["%%c\n" + own])
        files[unit] = tmp_path / f"my {unit}.c"
        api.write_earlier_kernels(unit, files[unit])
        assert files[unit].read_text("utf-8").count("int mine = 1;") == len(tasks)
    assert "the course's" not in capsys.readouterr().out
    gpt2_c.build(tmp_path, "gpt2-plain", FORWARD=files["gpt2_forward"], BACKWARD=files["gpt2_backward"])
    assert (tmp_path / "gpt2-plain").is_file()


# --- the whole course ------------------------------------------------------------------------------------------------


def is_own(thing: object) -> bool:
    return getattr(thing, "__module__", "").startswith(f"{store.CODE}.")


def test_the_models_can_be_built_of_own_parts_alone(state_file, keep_own_code, capsys):
    """Each unit's code is kept as if it had passed; then the last notebooks' models are made of nothing else."""
    for unit in COMPLETE:
        if unit.language != "c":
            kept = keep_own_code(unit.name)
            assert set(carried.stored(unit.name)) == set(kept)
    capsys.readouterr()
    model = earlier.make_model(11, 11, num_layers=1, d_model=8, d_ff=16, num_heads=2)
    parts = [part for part in model.modules() if not type(part).__module__.startswith("torch.")]
    assert len(parts) > 10
    assert [type(part) for part in parts if not is_own(part)] == []
    functions = {name: getattr(earlier, name) for name in ("scaled_dot_product_attention", "generate", "BabyGPT")}
    assert [name for name, thing in functions.items() if not is_own(thing)] == []
    translator = earlier.train_translator.__globals__
    for name in ("Vocabulary", "make_model", "LabelSmoothing", "token_batches", "training_step", "greedy_decode"):
        assert is_own(translator[name]), name
    babygpt = functions["BabyGPT"](BabyGPTConfig(9, block_size=4, n_embed=6, num_heads=2, num_layers=1))
    own = {type(part).__name__ for part in babygpt.modules() if is_own(type(part))}
    assert own == {"BabyGPT", "Block", "MultiHead", "Head"}
    assert functions["generate"](babygpt, torch.tensor([[1, 2]]), 3).shape == (1, 5)
    said = capsys.readouterr().out
    assert "the course's" not in said
    src = torch.tensor([[4, 5, 3]])
    ids = earlier.greedy_decode(model, src, earlier.padding_mask(src), 5)
    assert ids.shape[0] == 1
