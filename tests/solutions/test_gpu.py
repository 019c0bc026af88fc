"""What only a GPU can show: the units' code on it, and training there. Skipped where there is none.

Needs nothing but PyTorch, its few neighbours and pytest: ``python -m pytest --noconftest tests/solutions/test_gpu.py``.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from solutions import PAD, translation
from solutions.babygpt import BabyGPT, BabyGPTConfig, generate
from solutions.blocks import dropout, rms_norm
from solutions.decoding import beam_search, cached_greedy_decode, greedy_decode
from solutions.embeddings import mean_pool
from solutions.losses import LabelSmoothing, cross_entropy, smooth_labels
from solutions.masks import masked_softmax, padding_mask
from solutions.optim import AdamW, clip_grad_norm, noam_scheduler
from solutions.training import Batch, copy_task, run_epoch
from solutions.transformer import make_model
from solutions.translator.checkpoints import load_model
from solutions.translator.config import TranslationConfig
from solutions.translator.data import load_pairs
from solutions.translator.errors import BadInput, OutOfMemory
from solutions.translator.fused import ClosedLabelSmoothing
from solutions.translator.precision import number_type
from solutions.translator.trainer import train

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")

ROOT = Path(__file__).resolve().parents[2]
SMALL = TranslationConfig(
    vocab_size=300, num_layers=1, d_model=16, d_ff=32, num_heads=2, max_tokens=300, steps=8, warmup=4, save_every=3,
    bf16=False, fp16=False, compile=False,
)  # fmt: skip


@pytest.fixture(scope="module")
def pairs():
    return load_pairs("grammar", "train", 60)


def on_both(compute):
    """What a function of a device gives on the processor and on the GPU, with the same random numbers before it."""
    found = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(0)
        found.append(compute(device))
    torch.testing.assert_close(found[1].cpu(), found[0], rtol=1e-3, atol=1e-4)
    assert found[1].device.type == "cuda"


# --- the units ----------------------------------------------------------------------------------------------------


def batch_of_ids():
    src = torch.randint(4, 50, (3, 7))
    tgt = torch.randint(4, 50, (3, 6))
    src[1, 5:] = PAD
    tgt[2, 4:] = PAD
    return Batch(src, tgt)


def test_the_transformer_gives_the_same():
    def compute(device):
        batch = batch_of_ids().to(device)
        model = make_model(50, 50, 2, 16, 32, 4, dropout=0.0).to(device)
        return model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))

    on_both(compute)


def test_masks_are_built_where_the_ids_are():
    def compute(device):
        batch = batch_of_ids().to(device)
        return make_model(50, 50, 1, 16, 32, 4, dropout=0.0).to(device)(batch.src, batch.tgt)

    on_both(compute)


@pytest.mark.parametrize(
    "decode", [greedy_decode, cached_greedy_decode, lambda *given: beam_search(*given, beam_size=3)]
)
def test_decoding_gives_the_same(decode):
    def compute(device):
        src = batch_of_ids().src.to(device)
        found = decode(make_model(50, 50, 1, 16, 32, 4).to(device).eval(), src, padding_mask(src), 9)
        rows = found.tolist() if isinstance(found, torch.Tensor) else [list(row) for row in found]
        return translation.pad_rows(rows).to(device)

    on_both(compute)


def test_babygpt_gives_the_same():
    def compute(device):
        ids = torch.randint(0, 11, (2, 5)).to(device)
        model = BabyGPT(BabyGPTConfig(11, 8, 12, 3, 2, 0.0)).to(device)
        return model(ids, ids)[1]

    on_both(compute)


def test_babygpt_writes_the_same_text():
    """Draws are made on the processor, so one seed gives one text on every device."""

    def compute(device):
        model = BabyGPT(BabyGPTConfig(11, 8, 12, 3, 2, 0.0)).to(device)
        ids = torch.zeros(2, 1, dtype=torch.long, device=device)
        return generate(model, ids, 12, generator=torch.Generator().manual_seed(3))

    on_both(compute)


@pytest.mark.parametrize(
    "compute",
    [
        lambda x, ids: masked_softmax(x, x > -0.5),
        lambda x, ids: rms_norm(x, x[0]),
        lambda x, ids: mean_pool(x[None], (ids > 3)[None]),
        lambda x, ids: cross_entropy(x, ids, ignore_index=2),
        lambda x, ids: smooth_labels(ids, 9, 0.1),
        lambda x, ids: LabelSmoothing(9, PAD, 0.1)(x.log_softmax(-1), ids),
        lambda x, ids: ClosedLabelSmoothing(9, PAD, 0.1)(x.log_softmax(-1), ids),
        lambda x, ids: dropout(x, 0.0),
    ],
)
def test_functions_stay_on_the_device(compute):
    on_both(lambda device: compute(torch.randn(5, 9).to(device), torch.randint(0, 9, (5,)).to(device)))


def test_optimiser_and_clipping_give_the_same():
    def compute(device):
        weight = torch.nn.Parameter(torch.randn(4, 3).to(device))
        optimizer = AdamW([weight], lr=0.1)
        for _ in range(5):
            weight.grad = weight.detach().sin()
            clip_grad_norm([weight], 0.5)
            optimizer.step()
        return weight.detach()

    on_both(compute)


def test_an_epoch_gives_the_same():
    def compute(device):
        model = make_model(12, 12, 1, 16, 32, 4, dropout=0.0).to(device)
        optimizer = AdamW(model.parameters(), lr=1.0)
        batches = [batch.to(device) for batch in copy_task(12, 4, 5, generator=torch.Generator().manual_seed(1))]
        loss_fn = LabelSmoothing(12, PAD, 0.1).to(device)
        result = run_epoch(batches, model, loss_fn, optimizer, noam_scheduler(optimizer, 16, 10))
        return torch.tensor(result.loss, device=device)

    on_both(compute)


def test_attention_maps_are_there():
    model = make_model(50, 50, 2, 16, 32, 4).cuda()
    ids = torch.randint(4, 50, (1, 6), device="cuda")
    maps = translation.attention_maps(model, ids, ids[:, :5])
    assert {name: tuple(value.shape) for name, value in maps.items()} == {
        "encoder": (2, 4, 6, 6), "decoder": (2, 4, 5, 5), "cross": (2, 4, 5, 6)
    }  # fmt: skip


# --- training -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cpu_losses(pairs):
    return train(SMALL, pairs, "cpu").losses


def test_losses_are_those_of_the_processor(pairs, cpu_losses):
    assert train(SMALL, pairs, "cuda").losses == pytest.approx(cpu_losses, rel=1e-3)


@pytest.mark.parametrize(
    "change",
    [
        {"bf16": True},
        {"fp16": True},
        {"compile": True},
        {"bf16": True, "compile": True},
        {"fp16": True, "fused_adamw": False},
        {"sdpa": False},
        {"kernels": False},
    ],
)
def test_a_switch_changes_little(pairs, cpu_losses, change):
    losses = train(dataclasses.replace(SMALL, **change), pairs, "cuda").losses
    assert losses == pytest.approx(cpu_losses, rel=0.03 if {"bf16", "fp16"} & change.keys() else 2e-3)


def test_a_run_goes_on_where_it_stopped_and_its_model_on_a_processor(tmp_path, pairs):
    whole = train(SMALL, pairs, "cuda")
    train(dataclasses.replace(SMALL, steps=5), pairs, "cuda", tmp_path)
    rest = train(SMALL, pairs, "cuda", tmp_path, resume=True)
    assert rest.losses == pytest.approx(whole.losses, rel=1e-3)
    sentences = [german for german, _ in pairs[:5]]
    assert translation.translate(load_model(tmp_path), sentences) == translation.translate(rest.model, sentences)


def test_a_step_that_does_not_fit_names_the_setting(pairs):
    wide = dataclasses.replace(SMALL, d_model=512, d_ff=2048, num_layers=6, num_heads=8)
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(0.002)
    try:
        with pytest.raises(OutOfMemory, match="lower --max-tokens, now 300"):
            train(wide, pairs, "cuda")
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


def test_a_gpu_that_is_not_there_is_named(pairs):
    with pytest.raises(BadInput, match="There is no device 'cuda:77' here"):
        train(SMALL, pairs, "cuda:77")


def run(*command):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", *map(str, command)], env=environment, cwd=ROOT, capture_output=True, text=True
    )


def test_the_program_chooses_the_gpu(tmp_path):
    folder = tmp_path / "run"
    size = ("--d-model", 32, "--d-ff", 64, "--steps", 20, "--pairs", 300, "--test", 20)
    done = run("solutions.translation", "train", "--out", folder, *size)
    assert done.returncode == 0, done.stderr
    assert "of the device's rate" in done.stdout
    done = run("solutions.translation", "evaluate", folder, "--limit", 20, "--device", "cuda")
    assert done.returncode == 0, done.stderr
    assert "BLEU" in done.stdout


def test_the_notebook_trains_on_the_gpu(tmp_path, monkeypatch):
    """In its reduced form, and in the type of numbers that this GPU takes."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("WORKBOOK_QUICK", "1")
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "progress.json"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(ROOT / "exercises" / "translation" / "translation_gpu.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    (path,) = tmp_path.glob("runs/*/outcome.json")
    outcome = json.loads(path.read_text(encoding="utf-8"))
    assert outcome["device"] == torch.cuda.get_device_name()
    assert outcome["type"] == str(number_type(torch.device("cuda:0")))
    assert 0 < outcome["share"] < 1


def test_more_processes_than_gpus_are_refused(tmp_path):
    count = torch.cuda.device_count() + 1
    done = run(
        "torch.distributed.run", "--nproc-per-node", count, "-m", "solutions.translation", "train", "--out", tmp_path,
        "--steps", 2, "--pairs", 100,
    )  # fmt: skip
    assert done.returncode != 0
    assert f"There is no device 'cuda:{count - 1}' here" in done.stderr
