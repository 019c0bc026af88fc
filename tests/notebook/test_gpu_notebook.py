"""The notebook for GPUs, run from top to bottom on a processor: in its reduced form, interrupted, and in float16.

What only a GPU can show is in ``tests/solutions/test_gpu.py``; which one computes in which type, in
``tests/solutions/test_precision.py``.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import metadata
from pathlib import Path

import nbformat
import pytest
import torch
from nbclient import NotebookClient
from packaging.requirements import Requirement

from autograder.course import addresses
from autograder.course.version import requirement
from autograder.notebook import store
from solutions.given import encode_pairs
from solutions.translation import make_batch
from solutions.translator.checkpoints import build_model
from solutions.translator.config import TranslationConfig
from solutions.translator.data import load_pairs
from solutions.translator.errors import BadInput
from solutions.translator.speed import step_operations
from solutions.translator.tokenizers import TOKENIZERS

NOTEBOOK = addresses.ROOT / "exercises" / "translation" / "translation_gpu.ipynb"
IN_FLOAT16 = ("DTYPE = number_type(DEVICE)", "DTYPE = torch.float16")
# A model with other names inside than the course's, and with a number that does not fit into float16.
OWN = """
def make_model(*sizes, **named):
    import torch
    from solutions.transformer import make_model

    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.mine = make_model(*sizes, **named)
            self.generator = self.mine.generator

        def encode(self, *given):
            return self.mine.encode(*given)

        def decode(self, *given):
            return self.mine.decode(*given)

        def forward(self, *given):
            hidden = self.mine(*given)
            never = (hidden @ hidden.mT).masked_fill(torch.tensor(False), -1e9)
            return hidden + 0 * never.sum().to(hidden.dtype)

    return Mine()
"""


def cell(notebook: nbformat.NotebookNode, text: str) -> int:
    """The index of the one cell that holds a text."""
    (index,) = (index for index, cell in enumerate(notebook.cells) if text in cell.source)
    return index


def run(folder: Path, *changes: tuple[str, str], again: str = "") -> str:
    """What the notebook prints in this folder; ``again``: from the cell with that text on, everything runs twice."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for old, new in changes:
        changed = notebook.cells[cell(notebook, old)]
        changed.source = changed.source.replace(old, new)
    if again:
        repeated = notebook.cells[cell(notebook, again) :]
        notebook.cells += [nbformat.from_dict({**one, "id": f"{one.id}-again"}) for one in repeated]
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for one in notebook.cells for output in one.get("outputs", ())]
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    assert pictures == 1 + bool(again)
    return "".join(output.text for output in outputs if output.output_type == "stream")


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine on which somebody begins: no code of their own, and steps of seconds."""
    monkeypatch.setenv("WORKBOOK_QUICK", "1")
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "state" / "progress.json"))
    monkeypatch.setenv("PYTHONPATH", str(addresses.ROOT))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return tmp_path


def test_it_runs_and_goes_on_after_a_disconnect(bare):
    said = run(bare, ('"steps": 12', '"steps": 6'))
    assert "make_model: the course's" in said
    assert "starts, 6 steps in all" in said
    assert said.count("\n  reference: ") == 10

    folder = bare / "runs" / "grammar-tiny-quick-course-1"
    first = json.loads((folder / "outcome.json").read_text())
    assert first["bleu"] >= 0
    assert first["judged_by"] == 10
    assert 0 < first["share"] < 1

    # A new session, on a GPU that computes in float16: it goes on, and running it again changes nothing.
    said = run(bare, IN_FLOAT16, again="read_run(FOLDER)")
    assert "torch.float16 with a scaled loss" in said
    assert "goes on after step 6, 12 steps in all" in said
    assert "goes on after step 12" in said
    assert "complete before" in said
    second = json.loads((folder / "outcome.json").read_text())
    assert second["type"] == "torch.float16"
    saved = torch.load(folder / "last.pt", weights_only=True)
    assert len(saved["losses"]) == 12
    assert saved["scaler"]["_growth_tracker"] == 6  # steps without an overflow, in the second session


def test_it_trains_the_learners_own_model_on_two_devices(bare):
    path = bare / "state" / store.CODE / "transformer.py"
    path.parent.mkdir(parents=True)
    path.write_text(f"# %% transformer.make_model: passed on 2026-11-03\n{OWN}", encoding="utf-8")
    said = run(bare, IN_FLOAT16, ("PROCESSES = max(1, torch.cuda.device_count())", "PROCESSES = 2"))
    assert "make_model: yours, passed on 3 Nov 2026" in said
    assert "This model does not work in torch.float16, so it trains in float32." in said
    folder = bare / "runs" / "grammar-tiny-quick-own-2"
    saved = torch.load(folder / "last.pt", weights_only=True)
    assert len(saved["losses"]) == 12
    assert saved["per_step"] == 2
    assert any(name.startswith("mine.") for name in saved["model"])
    assert json.loads((folder / "outcome.json").read_text())["processes"] == 2


def test_its_first_cell_installs_what_it_trains_with():
    (line,) = re.findall(r'%pip install -q "(.*)"', nbformat.read(NOTEBOOK, as_version=4).cells[0].source)
    wanted = Requirement(line)
    project = metadata("transformer-workbook")
    assert wanted.name == project["Name"]
    assert wanted.extras == {"translation"} <= set(project.get_all("Provides-Extra"))
    assert wanted.url == requirement(addresses.repository_branch())


def test_the_arithmetic_that_it_derives_is_what_the_program_counts():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    source = notebook.cells[cell(notebook, "def operations_of_a_pair(")].source.partition("texts =")[0]
    names: dict = {}
    exec(source, names)
    pairs = load_pairs("grammar", "train", 40)
    config = TranslationConfig.preset("tiny", vocab_size=300)
    tokenizer = TOKENIZERS["bpe"].train([text for pair in pairs for text in pair], config.vocab_size)
    model = build_model(config, tokenizer)
    for pair in encode_pairs(pairs, tokenizer):
        counted = step_operations(model, [make_batch([pair])])
        derived = names["operations_of_a_pair"](config, len(tokenizer), len(pair[0]), len(pair[1]) - 1)
        assert derived == pytest.approx(counted, rel=1e-6)


def test_without_a_network_the_grammar_takes_the_place_of_multi30k():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    source = notebook.cells[cell(notebook, 'SOURCE = "multi30k"')].source
    names = {"os": __import__("os"), "torch": torch, "DEVICE": torch.device("cuda"), "DTYPE": torch.float16}
    said: list[str] = []

    def no_network(source, split, limit=None):
        if source == "multi30k":
            raise BadInput("Multi30k could not be fetched.")
        return load_pairs(source, split, 30)

    source = source.replace("from solutions.translator.data import load_pairs", "")
    names |= {"load_pairs": no_network, "PROCESSES": 2, "print": lambda *words, **_: said.append(words)}
    exec(source, names)
    assert names["SOURCE"] == "grammar"
    assert said[0] == ("Multi30k could not be fetched. The course's own grammar takes its place.",)
    config = names["CONFIG"]
    assert (config.steps, config.d_model, config.fp16, config.bf16) == (2000, 256, True, False)
    assert config.max_tokens == TranslationConfig.preset("small").max_tokens // 2
