"""Which type of numbers each device computes in, what float16 needs, and the rates of GPUs: decided without a GPU."""

from __future__ import annotations

import contextlib
import dataclasses

import pytest
import torch

from solutions.translation import make_model
from solutions.translator import precision, trainer
from solutions.translator.checkpoints import build_model, load_model, read_run
from solutions.translator.config import TranslationConfig
from solutions.translator.data import load_pairs
from solutions.translator.errors import BadInput
from solutions.translator.precision import ScaledOptimizer, loss_scaler, number_type
from solutions.translator.speed import PEAKS, known_peak, peak_rate
from solutions.translator.tokenizers import TOKENIZERS
from solutions.translator.trainer import train

SMALL = TranslationConfig(
    vocab_size=300, num_layers=1, d_model=16, d_ff=32, num_heads=2, max_tokens=300, steps=8, warmup=4, save_every=3
)
# A GPU's name, its compute capability, and what it computes in.
GPUS = {
    "Tesla P100-PCIE-16GB": ((6, 0), torch.float32),
    "Tesla V100-SXM2-16GB": ((7, 0), torch.float16),
    "Tesla T4": ((7, 5), torch.float16),
    "NVIDIA A100-SXM4-40GB": ((8, 0), torch.bfloat16),
    "NVIDIA L4": ((8, 9), torch.bfloat16),
    "NVIDIA H200": ((9, 0), torch.bfloat16),
}
GPU = torch.device("cuda:0")


@pytest.fixture(scope="module")
def pairs():
    return load_pairs("grammar", "train", 60)


@pytest.fixture(params=GPUS, ids=lambda name: name.replace(" ", "-"))
def gpu(request, monkeypatch):
    """The name of a GPU that seems to be there, and what it should compute in."""
    capability, expected = GPUS[request.param]
    monkeypatch.setattr(torch.cuda, "device", lambda device: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: capability)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device=None: request.param)

    def supported(including_emulation=True):  # as PyTorch's: emulation is support, unless it is left out
        return including_emulation or capability >= (8, 0)

    monkeypatch.setattr(torch.cuda, "is_bf16_supported", supported)
    return request.param, expected


def test_each_gpu_gets_its_type(gpu):
    _, expected = gpu
    assert number_type(GPU) is expected
    settled = SMALL.settled(GPU)
    assert (settled.dtype or torch.float32) is expected
    assert (settled.bf16, settled.fp16) == (expected is torch.bfloat16, expected is torch.float16)


def test_each_gpu_gets_its_type_from_an_older_pytorch(gpu, monkeypatch):
    """Before 2.5, `is_bf16_supported` took no argument, and said True of a T4."""
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    assert number_type(GPU) is gpu[1]


@pytest.mark.parametrize("device", ["cpu", "mps"])
def test_other_devices_compute_in_float32(device):
    assert number_type(torch.device(device)) is torch.float32
    assert SMALL.settled(torch.device(device)).dtype is None


def test_a_choice_is_kept(gpu):
    for name in ("bf16", "fp16"):
        chosen = dataclasses.replace(SMALL, **{name: True}).settled(GPU)
        assert {key: getattr(chosen, key) for key in ("bf16", "fp16")} == {"bf16": False, "fp16": False, name: True}
    assert dataclasses.replace(SMALL, bf16=False, fp16=False).settled(GPU).dtype is None
    with pytest.raises(BadInput, match="choose one of them"):
        dataclasses.replace(SMALL, bf16=True, fp16=True)


def test_the_rate_of_a_gpu_is_that_of_its_data_sheet(gpu):
    name, _ = gpu
    known = known_peak(name)
    assert known is None if "P100" in name else known == peak_rate(GPU, torch.float16)
    assert all(gpu in PEAKS for gpu in ("T4", "L4", "A100", "H100", "H200"))


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("NVIDIA L40S", "L40S"), ("NVIDIA L40", None), ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("NVIDIA H100 80GB HBM3", "H100"), ("NVIDIA A10", None), ("NVIDIA GH200 480GB", None),
    ],
)  # fmt: skip
def test_a_gpu_with_a_similar_name_is_another(name, like):
    assert known_peak(name) == (PEAKS[like] if like else None)


def test_float16_trains_like_float32(pairs):
    whole = train(SMALL, pairs, "cpu").losses
    for own_optimizer in (False, True):  # PyTorch's fused AdamW divides by the scale itself
        half = dataclasses.replace(SMALL, fp16=True, fused_adamw=not own_optimizer)
        assert train(half, pairs, "cpu").losses == pytest.approx(whole, rel=0.03)


def test_a_resumed_run_in_float16_is_the_same(tmp_path, pairs):
    half = dataclasses.replace(SMALL, fp16=True)
    train(dataclasses.replace(half, steps=5), pairs, "cpu", tmp_path)
    assert read_run(tmp_path)["scaler"]["_growth_tracker"] == 5
    assert train(half, pairs, "cpu", tmp_path, resume=True).losses == train(half, pairs, "cpu").losses


def test_a_run_goes_on_in_another_type(tmp_path, pairs):
    """A machine with another GPU goes on with the checkpoints of the first."""
    train(dataclasses.replace(SMALL, steps=5), pairs, "cpu", tmp_path)
    for steps, change in ((7, {"fp16": True}), (8, {})):
        config = dataclasses.replace(SMALL, steps=steps, **change)
        assert train(config, pairs, "cpu", tmp_path, resume=True).steps == steps


def test_a_gradient_that_overflows_costs_one_step():
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = loss_scaler(torch.device("cpu"), enabled=True)
    scaled = ScaledOptimizer(optimizer, scaler)
    scaler.scale(weight.sum() * torch.inf).backward()
    scaled.step()
    assert torch.equal(weight.detach(), torch.ones(3))
    assert scaler.get_scale() == precision.LARGEST_SCALE / 2
    scaled.zero_grad()
    scaler.scale(weight.sum()).backward()
    scaled.step()
    assert torch.equal(weight.detach(), torch.zeros(3))


def test_clipping_means_the_gradient_before_it_was_scaled(pairs, monkeypatch):
    """Catches a limit that is not scaled with the loss: steps would be thousands of times too short."""

    def plain_descent(config, model):  # Adam would hide it: its steps are as long, whatever the gradient's length
        return torch.optim.SGD(model.parameters(), lr=1.0)

    monkeypatch.setattr(trainer, "make_optimizer", plain_descent)
    one = dataclasses.replace(SMALL, steps=1, max_norm=0.1)
    start, whole, half = (
        torch.nn.utils.parameters_to_vector(made.parameters())
        for made in (
            build_model(one, TOKENIZERS["bpe"].train([text for pair in pairs for text in pair], one.vocab_size)),
            train(one, pairs, "cpu").model,
            train(dataclasses.replace(one, fp16=True), pairs, "cpu").model,
        )
    )
    torch.testing.assert_close((half - start).norm(), (whole - start).norm(), rtol=0.01, atol=0)
    assert (whole - start).norm() > 0


def test_a_model_of_ones_own_is_trained_and_loaded(tmp_path, pairs):
    """With other names inside than the course's, as learners may choose them."""

    class Renamed(torch.nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner, self.generator = inner, inner.generator

        def encode(self, *given):
            return self.inner.encode(*given)

        def decode(self, *given):
            return self.inner.decode(*given)

        def forward(self, *given):
            return self.inner(*given)

    def make(*sizes):
        return Renamed(make_model(*sizes))

    result = train(SMALL, pairs, "cpu", tmp_path, make=make)
    assert isinstance(result.model, Renamed)
    assert result.utilisation > 0
    loaded = load_model(tmp_path, average=True, make=make)
    assert isinstance(loaded, Renamed)
