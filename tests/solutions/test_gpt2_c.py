"""GPT-2 in C: kernels against PyTorch in float64, training against PyTorch, files, and the program's errors."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.nn.functional import cross_entropy, gelu, layer_norm, linear

from autograder.course.addresses import ROOT
from solutions import gpt2_c
from solutions.gpt2_c import GPT2, CModel, Config, Kernels, kinds, write_checkpoint

# Threads that wait do not spin: on cores that others use as well, two threads in small loops take minutes.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

SOURCE = ROOT / "solutions" / "c"
TINY = Config(max_seq_len=20, vocab_size=29, num_layers=2, num_heads=3, channels=15, padded_vocab_size=33)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Builds a target of the Makefile, once."""
    folder = tmp_path_factory.mktemp("gpt2")
    return lambda target="gpt2": gpt2_c.build(folder, target, MAKEFLAGS="-j2", STRICT="-Werror")


@pytest.fixture(scope="session")
def plain(tmp_path_factory):
    """The two files of the exercises, compiled as the exercise says, with OpenMP and without."""
    made = {}
    for unit in ("gpt2_forward", "gpt2_backward"):
        for openmp in ([], ["-fopenmp"]):
            path = tmp_path_factory.mktemp(unit) / f"{unit}.so"
            flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", *openmp, "-shared", "-fPIC"]
            subprocess.run(["cc", *flags, "-o", path, SOURCE / f"{unit}.c", "-lm"], check=True)
            made[unit] = path
    return made


class Both:
    """The kernels of the two exercise files under one name."""

    def __init__(self, paths):
        self.files = [Kernels(path) for path in paths.values()]

    def __getattr__(self, name):
        for file in self.files:
            if hasattr(file.library, name):
                return getattr(file, name)
        raise AttributeError(name)


@pytest.fixture(scope="session", params=["plain", "fast", "fast, two threads"])
def kernels(request, built, plain):
    if request.param == "plain":
        return Both(plain)
    fast = Kernels(built("libgpt2.so"))
    fast.use_threads(2 if "two" in request.param else 1)
    return fast


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


def unwritten(*shape):
    return torch.full(shape, float("nan"))


def assert_same(actual, expected, what, tolerance=2e-6):
    """Finite everywhere, with an error that is small relative to the norm of the expected tensor."""
    expected = expected.detach()
    assert torch.isfinite(actual).all(), what
    error = (actual.double() - expected).norm() / expected.norm().clamp_min(1e-30)
    assert error < tolerance, f"{what}: relative error {error:.1e}"


def leaves(*tensors):
    return [tensor.double().requires_grad_() for tensor in tensors]


# Small, odd, and larger than every block and tile, in one dimension or another.
LINEAR = [(1, 1, 1, 1), (2, 3, 5, 7), (1, 5, 33, 2), (3, 131, 17, 70), (1, 101, 405, 23), (2, 9, 1601, 49)]
LINEAR += [(1, 2401, 3, 5), (1, 7, 5, 2311)]


@pytest.mark.parametrize(("b", "t", "c", "oc"), LINEAR)
@pytest.mark.parametrize("biased", [True, False])
def test_matmul(kernels, rng, b, t, c, oc, biased):
    x, w, bias, dout = (torch.randn(s, generator=rng) for s in ((b, t, c), (oc, c), (oc,), (b, t, oc)))
    out = unwritten(b, t, oc)
    kernels.matmul_forward(out, x, w, bias if biased else None, b, t, c, oc)
    x64, w64, bias64 = leaves(x, w, bias)
    expected = linear(x64, w64, bias64 if biased else None)
    assert_same(out, expected, "out")

    expected.backward(dout.double())
    before = [torch.randn(s, generator=rng) for s in (x.shape, w.shape, bias.shape)]
    dx, dw, dbias = (tensor.clone() for tensor in before)
    kernels.matmul_backward(dx, dw, dbias if biased else None, dout, x, w, b, t, c, oc)
    assert_same(dx, x64.grad + before[0], "dinp")
    assert_same(dw, w64.grad + before[1], "dweight")
    assert_same(dbias, (bias64.grad if biased else 0) + before[2], "dbias")


@pytest.mark.parametrize(("b", "t", "c"), [(1, 1, 2), (2, 3, 5), (3, 70, 67), (1, 5, 768)])
def test_layernorm(kernels, rng, b, t, c):
    x = torch.randn(b, t, c, generator=rng) * 3 + 20
    weight, bias, dout = (torch.randn(s, generator=rng) for s in ((c,), (c,), (b, t, c)))
    out, mean, rstd = unwritten(b, t, c), unwritten(b, t), unwritten(b, t)
    kernels.layernorm_forward(out, mean, rstd, x, weight, bias, b, t, c)
    x64, weight64, bias64 = leaves(x, weight, bias)
    expected = layer_norm(x64, (c,), weight64, bias64)
    assert_same(mean, x64.mean(-1), "mean")
    assert_same(rstd, (x64.var(-1, unbiased=False) + 1e-5).rsqrt(), "rstd", 2e-5)
    assert_same(out, expected, "out", 2e-5)

    expected.backward(dout.double())
    before = [torch.randn(s, generator=rng) for s in (x.shape, weight.shape, bias.shape)]
    dx, dweight, dbias = (tensor.clone() for tensor in before)
    kernels.layernorm_backward(dx, dweight, dbias, dout, x, weight, mean, rstd, b, t, c)
    assert_same(dx, x64.grad + before[0], "dinp", 2e-5)
    assert_same(dweight, weight64.grad + before[1], "dweight", 2e-5)
    assert_same(dbias, bias64.grad + before[2], "dbias")


@pytest.mark.parametrize(("b", "t", "c", "nh"), [(1, 1, 1, 1), (2, 7, 15, 3), (1, 97, 10, 2), (2, 300, 44, 4)])
@pytest.mark.parametrize("far_below_zero", [False, True])
def test_attention(kernels, rng, b, t, c, nh, far_below_zero):
    x = torch.randn(b, t, 3 * c, generator=rng)
    if far_below_zero:  # all scores about -20,000 and less
        x[..., :c] = 200 + x[..., :c] / 100
        x[..., c : 2 * c] = -200 + x[..., c : 2 * c] / 100
    out, preatt, att = unwritten(b, t, c), unwritten(b, nh, t, t), unwritten(b, nh, t, t)
    kernels.attention_forward(out, preatt, att, x, b, t, c, nh)

    (x64,) = leaves(x)
    q, k, v = (part.unflatten(-1, (nh, -1)).transpose(1, 2) for part in x64.chunk(3, -1))
    seen = torch.ones(t, t).tril().bool()
    scores = q @ k.transpose(-2, -1) / (c // nh) ** 0.5
    weights = scores.masked_fill(~seen, float("-inf")).softmax(-1)
    expected = (weights @ v).transpose(1, 2).flatten(-2)
    tolerance = 2e-2 if far_below_zero else 3e-6  # float32 has few digits left of -20,000
    assert (att[..., ~seen] == 0).all(), "the future"
    assert_same(preatt[..., seen], scores[..., seen], "preatt")
    assert_same(att, weights, "att", tolerance)
    assert_same(out, expected, "out", tolerance)

    dout = torch.randn(b, t, c, generator=rng)
    before = torch.randn(x.shape, generator=rng)
    dx, dpreatt, datt = before.clone(), torch.zeros(b, nh, t, t), torch.zeros(b, nh, t, t)
    expected.backward(dout.double())
    kernels.attention_backward(dx, dpreatt, datt, dout, x, att, b, t, c, nh)
    if not far_below_zero:
        assert_same(dx, x64.grad + before, "dinp", 3e-6)
        d_weights = (dout.double().unflatten(-1, (nh, -1)).transpose(1, 2) @ v.transpose(-2, -1)) * seen
        assert_same(datt, d_weights, "datt", 3e-6)


def test_attention_goes_on_where_it_stopped(built, rng):
    kernels = Kernels(built("libgpt2.so"))
    t, c, nh = 103, 12, 3
    x = torch.randn(1, t, 3 * c, generator=rng)
    whole, parts, att = unwritten(1, t, c), unwritten(1, t, c), unwritten(1, nh, t, t)
    kernels.attention_forward(whole, None, att, x, 1, t, c, nh)
    for start, end in ((0, 1), (1, 90), (90, 91), (91, t)):
        seen = x[:, :end].contiguous()
        kernels.attention_forward_from(parts, None, unwritten(1, nh, end, end), seen, 1, end, c, nh, start)
    assert_same(parts, whole.double(), "out")


@pytest.mark.parametrize("n", [1, 7, 4097, 9001])
def test_gelu_and_residual(kernels, rng, n):
    x, y, dout = (torch.randn(n, generator=rng) * 3 for _ in range(3))
    x[: n // 2 : 3] *= 30  # tanh is exactly 1 or -1 there
    out = unwritten(n)
    (x64,) = leaves(x)
    expected = gelu(x64, approximate="tanh")
    expected.backward(dout.double())
    kernels.gelu_forward(out, x, n)
    assert_same(out, expected, "gelu")
    dx = y.clone()
    kernels.gelu_backward(dx, x, dout, n)
    assert_same(dx, x64.grad + y, "gelu's gradient")

    kernels.residual_forward(out, x, y, n)
    assert torch.equal(out, x + y)
    dx, dy = x.clone(), y.clone()
    kernels.residual_backward(dx, dy, dout, n)
    assert torch.equal(dx, x + dout)
    assert torch.equal(dy, y + dout)


@pytest.mark.parametrize(("b", "t", "v", "vp"), [(1, 1, 1, 1), (2, 3, 5, 8), (2, 7, 67, 67), (1, 5, 1000, 1024)])
@pytest.mark.parametrize("shift", [0.0, -20000.0, 1000.0])
def test_softmax_and_crossentropy(kernels, rng, b, t, v, vp, shift):
    logits = torch.randn(b, t, vp, generator=rng) * 4 + shift
    logits[..., v:] = 1e9  # the padding counts for nothing
    targets = torch.randint(v, (b, t), generator=rng, dtype=torch.int32)
    probs, losses = unwritten(b, t, vp), unwritten(b, t)
    kernels.softmax_forward(probs, logits, b, t, v, vp)
    kernels.crossentropy_forward(losses, probs, targets, b, t, vp)
    (z,) = leaves(logits[..., :v])
    expected = cross_entropy(z.flatten(0, 1), targets.flatten().long(), reduction="none").view(b, t)
    assert (probs[..., v:] == 0).all()
    assert_same(probs[..., :v], z.softmax(-1), "probs")
    assert ((losses - expected).abs() < 2e-5 * (1 + expected)).all()

    dlosses = torch.randn(b, t, generator=rng)
    expected.backward(dlosses.double())
    before = torch.randn(b, t, vp, generator=rng)
    dlogits = before.clone()
    kernels.crossentropy_softmax_backward(dlogits, dlosses, probs, targets, b, t, v, vp)
    assert torch.equal(dlogits[..., v:], before[..., v:])
    assert_same(dlogits[..., :v], z.grad + before[..., :v], "dlogits")


@pytest.mark.parametrize(("b", "t", "c", "v"), [(1, 1, 1, 1), (3, 5, 7, 4), (2, 30, 130, 11)])
def test_encoder(kernels, rng, b, t, c, v):
    tokens = torch.randint(v, (b, t), generator=rng, dtype=torch.int32)
    wte, wpe, dout = (torch.randn(s, generator=rng) for s in ((v, c), (t + 2, c), (b, t, c)))
    out = unwritten(b, t, c)
    kernels.encoder_forward(out, tokens, wte, wpe, b, t, c)
    assert torch.equal(out, wte[tokens.long()] + wpe[:t])
    wte64, wpe64 = leaves(wte, wpe)
    (wte64[tokens.long()] + wpe64[:t]).backward(dout.double())
    dwte, dwpe = wte.clone(), wpe.clone()
    kernels.encoder_backward(dwte, dwpe, dout, tokens, b, t, c)
    assert_same(dwte, wte64.grad + wte, "dwte")
    assert_same(dwpe, wpe64.grad + wpe, "dwpe")


@pytest.mark.parametrize("n", [1, 9, 5003])
def test_adamw(kernels, rng, n):
    params = torch.randn(n, generator=rng)
    m, v = torch.zeros(n), torch.zeros(n)
    (expected,) = leaves(params.clone())
    # The rates as the C function gets them: in float32, 0.999 is a little more, and 1 - 0.999 a thousandth of 1% less.
    lr, beta1, beta2, eps, decay = torch.tensor([0.1, 0.9, 0.999, 1e-8, 0.3]).tolist()
    optimizer = torch.optim.AdamW([expected], lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=decay)
    for t in range(1, 6):
        grads = torch.randn(n, generator=rng)
        expected.grad = grads.double()
        optimizer.step()
        kernels.adamw_update(params, grads, m, v, n, lr, beta1, beta2, eps, decay, t)
    assert_same(params, expected, "params")


# --- the model against PyTorch -----------------------------------------------------------------------------------


def model_of(config, seed=0):
    """A model in PyTorch whose biases and norms are not at their start, where much would not show."""
    torch.manual_seed(seed)
    model = GPT2(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def bits_equal(one, other):
    return torch.equal(one.view(torch.int32), other.view(torch.int32))


def test_ten_steps_as_in_pytorch(built, tmp_path):
    """Losses within 1e-5 and every gradient within 1e-4 of PyTorch, and the same bits by one thread and by two."""
    config = Config(max_seq_len=30, vocab_size=77, num_layers=2, num_heads=3, channels=66, padded_vocab_size=90)
    b, t = 3, 23
    model = model_of(config)
    write_checkpoint(tmp_path / "model.bin", model)
    runs = [CModel(built("libgpt2.so"), tmp_path / "model.bin", b, t) for _ in range(2)]
    optimizer = gpt2_c.adamw(model, lr=1e-3)
    for step in range(1, 11):
        batch = torch.randint(config.vocab_size, (b, t + 1))
        tokens, targets = batch[:, :-1], batch[:, 1:]
        optimizer.zero_grad()
        _, loss = model(tokens, targets)
        loss.backward()
        losses = []
        for threads, run in zip((1, 2), runs):
            run.threads(threads)
            losses.append(run.forward(tokens, targets))
            run.backward(tokens, targets)
            run.update(step, lr=1e-3)
        assert abs(losses[0] - loss.item()) < 1e-5
        assert losses[0] == losses[1]
        for name, tensors in kinds(model):
            ours = [run.tensor("grads", name) for run in runs]
            assert bits_equal(*ours), name
            assert bits_equal(*(run.tensor("params", name) for run in runs)), name
            expected = torch.stack([tensor.grad.flatten() for tensor in tensors])
            assert (ours[0] - expected).norm() < 1e-4 * expected.norm(), f"{name} in step {step}"
        optimizer.step()
    for run in runs:
        run.close()


# --- files -------------------------------------------------------------------------------------------------------


def test_a_checkpoint_goes_round_bit_for_bit(tmp_path):
    model = model_of(TINY)
    with torch.no_grad():
        model.wte.weight[0, 0] = float("nan")  # bits are kept, whatever they mean
        model.wte.weight[-1, 0] = -0.0
    write_checkpoint(tmp_path / "a.bin", model)
    again = gpt2_c.read_checkpoint(tmp_path / "a.bin")
    assert again.config == TINY
    for (name, ours), (_, theirs) in zip(kinds(model), kinds(again)):
        assert all(bits_equal(*pair) for pair in zip(ours, theirs)), name
    write_checkpoint(tmp_path / "b.bin", again)
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()


def test_a_checkpoint_byte_by_byte(tmp_path):
    """The format of the public trainer: header, then the tensors by kind, each kind for all layers."""
    model = model_of(TINY)
    write_checkpoint(tmp_path / "model.bin", model)
    raw = (tmp_path / "model.bin").read_bytes()
    header = struct.unpack("<256i", raw[:1024])
    assert header[:8] == (20240326, 3, 20, 29, 2, 3, 15, 33)
    assert not any(header[8:])
    order = "wte wpe ln1w ln1b qkvw qkvb attprojw attprojb ln2w ln2b fcw fcb fcprojw fcprojb lnfw lnfb"
    assert " ".join(name for name, _ in kinds(model)) == order
    floats = torch.tensor(struct.unpack(f"<{(len(raw) - 1024) // 4}f", raw[1024:]))
    assert torch.equal(floats, torch.cat([tensor.flatten() for _, tensors in kinds(model) for tensor in tensors]))
    first, second = (layer.ln1.weight for layer in model.layers)
    start = 33 * 15 + 20 * 15
    assert torch.equal(floats[start : start + 30], torch.cat([first, second]))


def test_gpt2s_own_sizes():
    """124,439,808 parameters, and 124,475,904 with the vocabulary padded."""
    for padded, count in ((50257, 124439808), (50304, 124475904)):
        with torch.device("meta"):
            assert sum(p.numel() for p in GPT2(Config(1024, 50257, 12, 12, 768, padded)).parameters()) == count


@pytest.mark.parametrize("prefix", ["transformer.", ""])
def test_a_hugging_face_gpt2_converts(prefix):
    model = model_of(
        Config(max_seq_len=9, vocab_size=29, num_layers=2, num_heads=2, channels=128, padded_vocab_size=128)
    )
    with torch.no_grad():
        model.wte.weight[29:] = 0
    state = gpt2_c.to_hugging_face(model)
    assert state["transformer.h.1.attn.c_attn.weight"].shape == (128, 384)
    assert state["transformer.wte.weight"].shape == (29, 128)
    state["transformer.h.0.attn.bias"] = torch.ones(1, 1, 9, 9)  # a buffer that such files hold
    state = {name.replace("transformer.", prefix): tensor for name, tensor in state.items()}
    again = gpt2_c.from_hugging_face(state)
    assert again.config == model.config
    for (_, ours), (_, theirs) in zip(kinds(model), kinds(again)):
        assert all(map(torch.equal, ours, theirs))


def test_a_model_with_these_names_written_from_outside_computes_the_same():
    """Conv1D layers as Hugging Face's: x @ weight + bias, weight (in, out)."""
    model = model_of(Config(max_seq_len=9, vocab_size=29, num_layers=1, num_heads=2, channels=128))
    state = {name.removeprefix("transformer."): tensor for name, tensor in gpt2_c.to_hugging_face(model).items()}
    tokens = torch.arange(7)[None]

    def norm(x, name):
        return layer_norm(x, (128,), state[f"{name}.weight"], state[f"{name}.bias"])

    def conv1d(x, name):
        return x @ state[f"h.0.{name}.weight"] + state[f"h.0.{name}.bias"]

    x = state["wte.weight"][tokens] + state["wpe.weight"][:7]
    q, k, v = (
        p.unflatten(-1, (2, 64)).transpose(1, 2) for p in conv1d(norm(x, "h.0.ln_1"), "attn.c_attn").chunk(3, -1)
    )
    att = (q @ k.transpose(-2, -1) / 8).masked_fill(~torch.ones(7, 7).tril().bool(), float("-inf")).softmax(-1)
    x = x + conv1d((att @ v).transpose(1, 2).flatten(-2), "attn.c_proj")
    x = x + conv1d(gelu(conv1d(norm(x, "h.0.ln_2"), "mlp.c_fc"), approximate="tanh"), "mlp.c_proj")
    expected = norm(x, "ln_f") @ state["wte.weight"].T
    torch.testing.assert_close(model(tokens), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("transformer.wte.weight"), "no tensor called wte.weight"),
        (lambda state: state.pop("transformer.h.1.ln_2.bias"), "h.1.ln_2.bias"),
        (lambda state: state.update({"lm_head.weight": torch.zeros(29, 128)}), "lm_head"),
        (lambda state: state.update({"transformer.h.0.mlp.c_fc.weight": torch.zeros(512, 128)}), "c_fc.weight has the"),
    ],
)
def test_what_is_no_gpt2_says_so(change, message):
    state = gpt2_c.to_hugging_face(model_of(Config(9, 29, 2, 2, 128)))
    change(state)
    with pytest.raises(ValueError, match=message):
        gpt2_c.from_hugging_face(state)


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
def test_a_hugging_face_file_becomes_a_checkpoint(write, tmp_path, name, capsys):
    model = model_of(Config(9, 29, 1, 2, 128, 128))
    with torch.no_grad():
        model.wte.weight[29:] = 0
    state = {name: tensor.contiguous() for name, tensor in gpt2_c.to_hugging_face(model).items()}
    if name.endswith(".bin"):
        torch.save(state, tmp_path / name)
    else:
        write(name, safetensors(state))
    vocabulary = write("vocab.json", json.dumps({"<|endoftext|>": 28} | {chr(97 + i): i for i in range(28)}))
    files = [tmp_path / name, tmp_path / "out.bin", "--vocabulary", vocabulary, tmp_path / "v.bin"]
    gpt2_c.main(list(map(str, files)))
    assert "out.bin" in capsys.readouterr().out
    again = gpt2_c.read_checkpoint(tmp_path / "out.bin")
    assert all(torch.equal(ours, theirs) for ours, theirs in zip(model.parameters(), again.parameters()))
    assert struct.unpack("<4i", (tmp_path / "v.bin").read_bytes()[:16]) == (20240328, 2, 29, 28)


def test_a_file_that_does_not_convert_says_why(write, capsys):
    path = write("model.safetensors", struct.pack("<Q", 2) + b"{}")
    with pytest.raises(SystemExit):
        gpt2_c.main([str(path), "out.bin"])
    assert "no tensor called wte.weight" in capsys.readouterr().err


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 548105171\n"
PAGE = b"\n<!DOCTYPE html><html><head><title>Sign in</title>"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *((name, b"", "is empty") for name in ("m.safetensors", "m.bin")),
        *((name, POINTER, "is a Git LFS pointer") for name in ("m.safetensors", "m.bin")),
        *((name, PAGE, "is a web page") for name in ("m.safetensors", "m.bin")),
        ("m.safetensors", b"\x02\0\0\0\0\0\0\0[]", "header cannot be read"),
        ("m.safetensors", b"\x03\0\0\0\0\0\0\0{]}", "header cannot be read"),
        ("m.safetensors", b"PK\x03\x04" + bytes(range(60, 90)), "truncated, or no safetensors"),
        ("m.bin", b"PK\x03\x04" + bytes(60), "truncated, or was not written by torch.save"),
        ("m.bin", bytes(300), "truncated, or was not written by torch.save"),
        ("missing.bin", None, "No such file"),
    ],
)
def test_what_is_no_model_at_all_says_so(write, tmp_path, capsys, name, content, message):
    path = tmp_path / name if content is None else write(name, content)
    assert_one_sentence(capsys, path, message, path, tmp_path / "out.bin")
    assert not (tmp_path / "out.bin").exists()


def assert_one_sentence(capsys, path, message, *arguments):
    """The converter ends with one line that names the file."""
    with pytest.raises(SystemExit) as ended:
        gpt2_c.main(list(map(str, arguments)))
    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert said.startswith(str(path)), said
    assert message in said
    assert said.count("\n") == 1


def safetensors(state):
    """The bytes of a safetensors file."""
    numbers, about = b"", {"__metadata__": {"format": "pt"}}
    for key, tensor in state.items():
        begin, numbers = len(numbers), numbers + gpt2_c._floats(tensor)
        about[key] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [begin, len(numbers)]}
    text = json.dumps(about).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def test_a_converter_that_cannot_write_says_so_first(write, tmp_path, capsys):
    model = write("m.safetensors", b"not even read")
    missing = tmp_path / "missing" / "out.bin"
    assert_one_sentence(capsys, missing, "No such file", model, missing)
    assert_one_sentence(capsys, tmp_path, "this is a folder", model, tmp_path)
    assert_one_sentence(capsys, missing, "No such file", model, tmp_path / "o", "--vocabulary", "v.json", missing)
    assert [path.name for path in tmp_path.iterdir()] == ["m.safetensors"]


def test_a_truncated_model_says_so(write, tmp_path, capsys):
    state = gpt2_c.to_hugging_face(model_of(Config(9, 29, 1, 2, 128, 128)))
    whole = safetensors(state)
    torch.save(state, tmp_path / "whole.bin")
    saved = (tmp_path / "whole.bin").read_bytes()
    for name, content in (
        ("a.safetensors", whole[:-1]), ("b.safetensors", whole[: len(whole) // 2]), ("c.safetensors", whole[:300]),
        ("d.safetensors", whole[:3]), ("a.bin", saved[:-1]), ("b.bin", saved[: len(saved) // 2]), ("c.bin", saved[:9]),
    ):  # fmt: skip
        path = write(name, content)
        assert_one_sentence(capsys, path, "truncated", path, tmp_path / "out.bin")
    torch.save([1, 2], tmp_path / "list.bin")
    assert_one_sentence(capsys, tmp_path / "list.bin", "no named tensors", tmp_path / "list.bin", tmp_path / "out.bin")
    odd = write("odd.safetensors", safetensors({"wte.weight": torch.zeros(3), "wpe.weight": torch.zeros(2, 2)}))
    assert_one_sentence(capsys, odd, "not two matrices", odd, tmp_path / "out.bin")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        (POINTER.decode(), "is a Git LFS pointer"),
        ("{", "is no JSON, or is truncated"),
        ('{"version": "1.0", "model": {"vocab": {}}}', "the vocab.json beside it is meant"),
        ('{"\u2581the": 0}', "has a character that is no byte"),
        ('{"a": 0, "b": 0}', "a number, counted from 0"),
        ('{"a": [0]}', "a number, counted from 0"),
        ("[1]", "a number, counted from 0"),
        ('{"a": 0}', "has 1 tokens, but the model has 29"),
    ],
)
def test_another_vocabulary_says_so(write, tmp_path, capsys, content, message):
    """Nothing is written then, not even the model."""
    model = write("m.safetensors", safetensors(gpt2_c.to_hugging_face(model_of(Config(9, 29, 1, 2, 128, 128)))))
    path = write("vocab.json", content.encode())
    arguments = (model, tmp_path / "out.bin", "--vocabulary", path, tmp_path / "out.vocabulary")
    assert_one_sentence(capsys, path, message, *arguments)
    assert list(tmp_path.glob("out*")) == []


def test_tokens_go_round(tmp_path):
    ids = [0, 65535, 7, 7]
    gpt2_c.write_tokens(tmp_path / "tokens.bin", ids)
    raw = (tmp_path / "tokens.bin").read_bytes()
    assert struct.unpack("<3i", raw[:12]) == (20240520, 1, 4)
    assert struct.unpack("<4H", raw[1024:]) == tuple(ids)
    assert gpt2_c.read_tokens(tmp_path / "tokens.bin").tolist() == ids
    for wrong in ([1], [1, -1], [1, 65536]):
        with pytest.raises(ValueError, match=r"tokens|ids"):
            gpt2_c.write_tokens(tmp_path / "tokens.bin", wrong)


def test_gpt2s_vocabulary_in_bytes():
    """Ids in order; a space is written as U+0120, a new line as U+010A, an é as the two letters of its bytes."""
    found = gpt2_c.hugging_face_tokens({"\u0120the": 2, "!": 0, "\u010a": 1, "Ã©": 3})
    assert found == [b"!", b"\n", b" the", "é".encode()]


# --- the program -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A folder with a checkpoint, tokens and a vocabulary."""
    folder = tmp_path_factory.mktemp("tiny")
    write_checkpoint(folder / "model.bin", model_of(TINY))
    gpt2_c.write_tokens(
        folder / "tokens.bin", torch.randint(29, (500,), generator=torch.Generator().manual_seed(1)).tolist()
    )
    gpt2_c.write_vocabulary(folder / "vocabulary.bin", [bytes([97 + i]) for i in range(26)] + [b" ", b"ab", b"abc"])
    return folder


def call(program, *arguments, **options):
    """Runs the program; what it printed and its exit code."""
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60, **options)


def refused(program, *arguments, **options):
    """What the program says when it ends with a sentence. What it held at that moment is no leak."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = call(program, *arguments, env=environment, **options)
    assert done.returncode == 1, done.stdout + done.stderr
    *_, last = done.stderr.splitlines()
    assert last.startswith("gpt2: ")
    return last


def train(program, folder, *arguments, **options):
    return call(program, "train", "--tokens", folder / "tokens.bin", *arguments, **options)


FEW = ("--batch", "3", "--length", "13", "--warmup", "2")


def test_training_that_goes_on_is_training_that_never_stopped(built, tiny, tmp_path):
    start = ("--from", tiny / "model.bin", *FEW, "--steps", "9")
    assert train(built(), tiny, *start, "--out", tmp_path / "a.bin", "--log", tmp_path / "a.csv").returncode == 0
    first = train(built(), tiny, *start, "--out", tmp_path / "b.bin", "--stop-at", 4, "--log", tmp_path / "b.csv")
    assert first.returncode == 0
    assert (tmp_path / "a.bin").read_bytes() != (tmp_path / "b.bin").read_bytes()
    again = train(built(), tiny, "--out", tmp_path / "b.bin", "--resume", "--log", tmp_path / "b.csv", "--threads", 2)
    assert again.returncode == 0, again.stderr
    for end in ("bin", "bin.state", "csv"):
        assert (tmp_path / f"a.{end}").read_bytes() == (tmp_path / f"b.{end}").read_bytes(), end
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 9


def test_the_program_trains_as_pytorch_does(built, tiny, tmp_path):
    """Batches one after the other from the start of the file, as the public trainer takes them."""
    done = train(built(), tiny, "--from", tiny / "model.bin", "--out", tmp_path / "out.bin", "--sequential",
                 "--batch", 3, "--length", 13, "--steps", 14, "--warmup", 0, "--last-lr", 1, "--lr", 1e-3,
                 "--log", tmp_path / "log.csv")  # fmt: skip
    assert done.returncode == 0, done.stderr
    losses = [float(line.split(",")[1]) for line in (tmp_path / "log.csv").read_text().splitlines()]
    model, ids = model_of(TINY), gpt2_c.read_tokens(tiny / "tokens.bin")
    optimizer = gpt2_c.adamw(model, lr=1e-3)
    for step, found in enumerate(losses):
        start = step % (499 // 39) * 39  # 12 batches, then from the start again
        piece = ids[start : start + 40]
        optimizer.zero_grad()
        _, loss = model(piece[:-1].view(3, 13), piece[1:].view(3, 13))
        assert abs(found - loss.item()) < 1e-5, f"step {step}"
        loss.backward()
        optimizer.step()
    again = gpt2_c.read_checkpoint(tmp_path / "out.bin")
    for (name, ours), (_, theirs) in zip(kinds(model), kinds(again)):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-5, msg=name)


def test_the_plain_kernels_run_the_same_program(built, tiny, tmp_path):
    logs = []
    for target in ("gpt2", "gpt2-plain"):
        log = tmp_path / f"{target}.csv"
        done = train(built(target), tiny, "--from", tiny / "model.bin", *FEW, "--steps", 5, "--out", tmp_path / target,
                     "--log", log)  # fmt: skip
        assert done.returncode == 0, done.stderr
        logs.append([float(line.split(",")[1]) for line in log.read_text().splitlines()])
    assert logs[0] == pytest.approx(logs[1], abs=1e-5)
    texts = [
        call(built(target), "generate", tiny / "model.bin", "--ids", "1,2", "--temperature", 0).stdout
        for target in ("gpt2", "gpt2-plain")
    ]
    assert texts[0] == texts[1]


def test_the_likeliest_continuation_is_pytorchs(built, tiny):
    model = gpt2_c.read_checkpoint(tiny / "model.bin")
    ids = [3, 1, 4]
    while len(ids) < TINY.max_seq_len:
        with torch.no_grad():
            ids.append(model(torch.tensor([ids]))[0, -1].argmax().item())
    done = call(built(), "generate", tiny / "model.bin", "--ids", "3, 1 4", "--temperature", 0)
    assert done.returncode == 0, done.stderr
    assert list(map(int, done.stdout.split())) == ids


def test_sampling_follows_the_probabilities(built, tmp_path):
    """A model whose logits do not depend on the tokens: one run is 5,000 draws from one distribution."""
    model = GPT2(Config(max_seq_len=5001, vocab_size=29, num_layers=1, num_heads=1, channels=8))
    with torch.no_grad():
        model.wte.weight.normal_()
        model.lnf.weight.zero_()
        model.lnf.bias.normal_(std=0.3)
    write_checkpoint(tmp_path / "model.bin", model)
    with torch.no_grad():
        logits = model(torch.tensor([[0]]))[0, -1]

    def counts(temperature, *options):
        arguments = (tmp_path / "model.bin", "--ids", 0, "--temperature", temperature, *options)
        drawn = call(built(), "generate", *arguments).stdout.split()[1:]
        return torch.tensor(list(map(int, drawn))).bincount(minlength=29)

    def surprise(found, expected):
        return ((found - expected).square() / expected).sum()

    # For 28 degrees of freedom the statistic has mean 28 and standard deviation 7.5; beyond 100 a chance below 1e-9.
    found, chances = counts(0.7), logits.div(0.7).softmax(-1)
    assert found.sum() == 5000
    assert surprise(found, 5000 * chances) < 100
    assert surprise(found, 5000 * logits.softmax(-1)) > 100
    likely = logits.topk(4).indices
    found = counts(1, "--top-k", 4)
    assert found[likely].sum() == 5000
    assert surprise(found[likely], 5000 * logits[likely].softmax(-1)) < 60
    assert not torch.equal(counts(1, "--seed", 2, "--top-k", 4), found)


def test_text_in_and_out(built, tiny):
    done = call(built(), "generate", tiny / "model.bin", "--vocabulary", tiny / "vocabulary.bin", "--prompt", "zabc ab",
                "--print-ids", "--new", 1)  # fmt: skip
    assert list(map(int, done.stdout.split()))[:-1] == [25, 28, 26, 27]
    done = call(built(), "generate", tiny / "model.bin", "--vocabulary", tiny / "vocabulary.bin", "--prompt", "zabc ab")
    assert done.stdout.startswith("zabc ab")


@pytest.mark.parametrize(
    "text",
    [
        "The model's weights, don't they?\n\n  Two  spaces, 3.14 and 1024!",
        "naïve café — 漢字",
        " x",
        "a\n",
        "'ll''s 's",
        "\t\t a",
    ],
)
def test_text_to_tokens_as_in_unit_1(built, tmp_path, text):
    from solutions.tokens import bpe_encode, train_bpe

    merges = train_bpe("the model's weights, and the model's café: they don't. 1024 10 spaces   \n\n" * 3, 40)
    gpt2_c.write_vocabulary(tmp_path / "v.bin", gpt2_c.bpe_tokens(merges))
    write_checkpoint(tmp_path / "m.bin", GPT2(Config(99, 256 + len(merges), 1, 1, 2)))
    arguments = (tmp_path / "m.bin", "--vocabulary", tmp_path / "v.bin", "--prompt", text, "--new", 1, "--print-ids")
    done = call(built(), "generate", *arguments)
    assert done.returncode == 0, done.stderr
    found = list(map(int, done.stdout.split()))[:-1]
    if text.isascii():
        assert found == bpe_encode(text, merges)
    assert b"".join(gpt2_c.bpe_tokens(merges)[i] for i in found) == text.encode()


def test_long_words_are_tokens_at_once(built, tmp_path):
    """A text without a blank is one piece (Chinese, Thai, a long address), with the tokens of `bpe_encode`."""
    from solutions.tokens import bpe_encode, train_bpe

    program, generator = built(), random.Random(0)
    characters = [chr(0x4E00 + i) for i in range(300)]
    chinese = "".join(generator.choices(characters, k=600))
    letters = "".join(generator.choices("abc", k=900))
    words = [text[i : i + 6] for text in (chinese, letters) for i in range(0, len(text), 6)]
    merges = train_bpe(" ".join(words), 500)  # long tokens, but from short words
    random_ids = list(range(256 + len(merges), 40_000))  # as many tokens as there are in GPT-2's vocabulary, or nearly
    fillers = [index.to_bytes(3, "big") + b"\xff" for index in random_ids]
    gpt2_c.write_vocabulary(tmp_path / "v.bin", [*gpt2_c.bpe_tokens(merges), *fillers])
    write_checkpoint(tmp_path / "m.bin", GPT2(Config(2000, 40_000, 1, 1, 2)))
    for text in (chinese, letters, "".join(generator.choices("abcab'  ,1", k=900)), chinese[:9] + letters[:9]):
        arguments = (tmp_path / "m.bin", "--vocabulary", tmp_path / "v.bin", "--prompt", text, "--new", 1)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = call(program, "generate", *arguments, "--print-ids")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0, done.stderr
        assert list(map(int, done.stdout.split()))[:-1] == bpe_encode(text, merges)
        assert after.ru_utime - before.ru_utime < 0.5  # it was half a minute; the model's own work takes a little
    done = call(program, "generate", tmp_path / "m.bin", "--vocabulary", tmp_path / "v.bin", "--prompt", "xq" * 60_000)
    assert "the prompt has more tokens than the model's max_seq_len, 2000" in done.stderr


def test_a_terminal_gets_no_control_characters(built, tmp_path):
    """A model that always says the same byte, for some bytes: a file gets it as it is, a terminal a '?'."""
    for byte, shown in ((0x1B, b"?"), (0x00, b"?"), (0x9B, b"?"), (0x7F, b"?"), (ord("\n"), b"\r\n"), (ord("~"), b"~")):
        model = GPT2(Config(8, 256, 1, 1, 8))
        with torch.no_grad():
            model.wte.weight.zero_()
            model.wte.weight[byte] = 1
            model.lnf.weight.zero_()
            model.lnf.bias.fill_(1)
        write_checkpoint(tmp_path / "m.bin", model)
        command = (built(), "generate", tmp_path / "m.bin", "--prompt", "aé", "--new", "2", "--temperature", "0")
        assert subprocess.run(command, capture_output=True).stdout == "aé".encode() + bytes([byte, byte]) + b"\n"
        ours, theirs = os.openpty()
        with open(ours, "rb", buffering=0) as terminal:
            subprocess.run(command, stdout=theirs, stderr=subprocess.DEVNULL, check=True)
            os.close(theirs)
            wanted, said = "aé".encode() + 2 * shown + b"\r\n", b""
            while len(said) < len(wanted):  # it comes in pieces
                said += terminal.read(100)
            assert said == wanted


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("where", ["wte", "wpe", "lnf"])
def test_a_model_that_is_not_finite_writes_nothing(built, tmp_path, number, where):
    model = model_of(TINY)
    with torch.no_grad():
        {"wte": model.wte.weight[7], "wpe": model.wpe.weight[0], "lnf": model.lnf.bias}[where][3] = number
    write_checkpoint(tmp_path / "m.bin", model)
    said = refused(built("gpt2-sanitize"), "generate", tmp_path / "m.bin", "--ids", "7,2")
    assert "the logits of token 2 are not finite" in said
    assert "m.bin is damaged" in said


@pytest.mark.parametrize("out", ["missing/model.bin", "folder"])
def test_what_cannot_be_saved_is_not_trained(built, tiny, tmp_path, out):
    (tmp_path / "folder").mkdir()
    done = train(built(), tiny, "--out", tmp_path / out, "--overwrite", "--steps", 100_000_000)
    assert done.returncode == 1
    assert f"cannot write {tmp_path / out}" in done.stderr
    assert "parameters" not in done.stderr  # which is said when training begins


def test_inspect_says_what_is_there(built, tiny):
    done = call(built(), "inspect", tiny / "model.bin", "--hex", 2, "--batch", 2)
    assert done.returncode == 0
    assert "num_layers 2, num_heads 3, channels 15, padded_vocab_size 33" in done.stdout
    lines = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line}
    assert lines["qkvw"][1:5] == ["2", "675", "1350", str(1024 + 4 * (33 * 15 + 20 * 15 + 4 * 15))]
    assert lines["00000000"][1:5] == ["c6d73401", "03000000", "14000000", "1d000000"]
    assert "500 tokens" in call(built(), "inspect", tiny / "tokens.bin").stdout
    assert "29 tokens" in call(built(), "inspect", tiny / "vocabulary.bin").stdout


def start_endless_training(program, folder, *options):
    """A training that has done its first step."""
    command = [program, "train", "--tokens", folder / "tokens.bin", "--steps", 100_000_000, *options]
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    assert "parameters" in process.stderr.readline()
    assert "step" in process.stderr.readline()
    return process


def test_memory_is_what_training_needs(built, tmp_path):
    """One allocation; the whole process takes at most a tenth more, and 20 MB for code, libraries and packed tiles."""
    config = Config(max_seq_len=128, vocab_size=300, num_layers=4, num_heads=4, channels=128)
    write_checkpoint(tmp_path / "model.bin", GPT2(config))
    gpt2_c.write_tokens(tmp_path / "tokens.bin", [i % 300 for i in range(5000)])
    shown = call(built(), "inspect", tmp_path / "model.bin", "--batch", 16).stdout
    needed = float(next(line for line in shown.splitlines() if line.startswith("all ")).split()[-1])
    process = start_endless_training(
        built(), tmp_path, "--from", tmp_path / "model.bin", "--batch", 16, "--out", tmp_path / "out"
    )
    status = Path(f"/proc/{process.pid}/status").read_text()
    process.kill()
    process.communicate()
    most = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024 / 1e6
    assert needed > 100
    assert 0.9 * needed < most < 1.1 * needed + 20


def test_ctrl_c_saves(built, tiny, tmp_path):
    options = ("--from", tiny / "model.bin", "--batch", 3, "--out", tmp_path / "out.bin", "--log", tmp_path / "log.csv")
    process = start_endless_training(built(), tiny, *options)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Interrupted after step" in said
    steps = len((tmp_path / "log.csv").read_text().splitlines())
    assert 0 < steps < 100000000
    more = train(built(), tiny, "--resume", "--out", tmp_path / "out.bin", "--steps", steps + 1)
    assert more.returncode == 0, more.stderr
    assert f"after step {steps + 1} of" in more.stderr


def test_no_room_on_the_disk(built, tiny, tmp_path):
    """The checkpoint that was there stays, and no half of a new one is left."""
    out = tmp_path / "out.bin"
    assert train(built(), tiny, "--from", tiny / "model.bin", *FEW, "--steps", 1, "--out", out).returncode == 0
    before = out.read_bytes()

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    done = train(built(), tiny, "--resume", "--steps", 3, "--out", out, preexec_fn=small_files)
    assert done.returncode == 1
    assert "cannot write" in done.stderr
    assert "File too large" in done.stderr
    assert out.read_bytes() == before
    assert list(tmp_path.glob("*.part")) == []


def header(*start):
    return struct.pack(f"<{len(start)}i", *start) + bytes(1024 - 4 * len(start))


GOOD = (20240326, 3, 20, 29, 2, 3, 15, 33)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "truncated"),
        (header(*GOOD)[:1000], "truncated"),
        (header(*GOOD), "truncated"),
        (header(123, *GOOD[1:]), "magic number 123"),
        (header(20240326, 1, *GOOD[2:]), "version 1"),
        (header(20240326, 5, *GOOD[2:]), "version 5"),
        (header(*GOOD[:3], 40, *GOOD[4:]), "padded_vocab_size is smaller"),
        (header(*GOOD[:5], 4, *GOOD[6:]), "num_heads does not divide"),
        (header(*GOOD[:4], -1, *GOOD[5:]), "at least 1"),
        (header(*GOOD[:5], 0, *GOOD[6:]), "at least 1"),
        (header(20240326, 3, 1 << 20, 1 << 20, 1 << 20, 1, 1 << 20, 1 << 24), "truncated"),
        (header(20240326, 3, *[2**31 - 1] * 6), "too large"),
        (header(20240520, 1, 7) + bytes(14), "a file of tokens, not a checkpoint"),
    ],
)
def test_a_wrong_checkpoint_is_a_sentence(built, tiny, tmp_path, content, message):
    path = tmp_path / "wrong.bin"
    path.write_bytes(content)
    commands = [
        ("generate", path, "--ids", 1),
        ("train", "--tokens", tiny / "tokens.bin", "--out", tmp_path / "out.bin", "--from", path),
    ]
    if content[:4] != struct.pack("<i", 20240520):  # inspect takes files of tokens as well
        commands.append(("inspect", path))
    for arguments in commands:
        assert message in refused(built("gpt2-sanitize"), *arguments)
    with pytest.raises(ValueError, match=r"truncated|starts with|cannot be right"):
        gpt2_c.read_checkpoint(path)


def test_a_truncated_or_longer_checkpoint(built, tiny, tmp_path):
    whole = (tiny / "model.bin").read_bytes()
    for content, message in ((whole[:-4], "truncated"), (whole + b"\0", "too long")):
        (tmp_path / "wrong.bin").write_bytes(content)
        assert message in refused(built(), "generate", tmp_path / "wrong.bin", "--ids", 1)
        with pytest.raises(ValueError, match=message):
            gpt2_c.read_checkpoint(tmp_path / "wrong.bin")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("generate missing.bin --ids 1", "cannot open missing.bin: No such file"),
        ("generate . --ids 1", ". is not a file"),
        ("generate model.bin", "--vocabulary"),
        ("generate model.bin --ids 1,29", "token 1 is 29, but the model's vocab_size is 29"),
        ("generate model.bin --ids -1", "token 0 is -1"),
        ("generate model.bin --ids x", "not 'x'"),
        ("generate model.bin --ids 1 --new 20", "max_seq_len, 20"),
        ("generate model.bin --ids 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "max_seq_len, 20"),
        ("generate model.bin --vocabulary tokens.bin", "is not a vocabulary"),
        ("generate model.bin --vocabulary vocabulary.bin --prompt Ü", "no token for the byte 0xc3"),
        ("generate model.bin --prompt", "--prompt needs a value"),
        ("generate", "which file?"),
        ("generate model.bin --heat 3", "no option --heat"),
        ("train --tokens tokens.bin", "--out is missing"),
        ("train --tokens tokens.bin --out o --from model.bin --length 21", "max_seq_len is 20"),
        ("train --tokens tokens.bin --out o --vocab-size 28", "the model's vocab_size is 28"),
        ("train --tokens tokens.bin --out o --length 20 --batch 30 --sequential --from model.bin", "a batch needs 601"),
        ("train --tokens tokens.bin --out o --channels 10 --heads 3", "num_heads does not divide"),
        ("train --tokens model.bin --out o", "is not a file of tokens"),
        ("train --tokens missing --out o", "cannot open missing"),
        (
            "train --tokens tokens.bin --out no/such/folder/o --from model.bin --steps 1",
            "cannot write no/such/folder/o",
        ),
        ("train --tokens tokens.bin --out model.bin", "model.bin exists"),
        ("train --tokens tokens.bin --out o --resume", "cannot open o.state"),
        ("train --tokens tokens.bin --out o --steps -1", "--steps lies between"),
        ("train --tokens tokens.bin --out o --resume --lr 0.1", "--lr has no effect with --resume"),
        ("train --tokens tokens.bin --out o --resume --from model.bin", "--from has no effect with --resume"),
        ("train --tokens tokens.bin --out o --from model.bin --heads 3", "--heads has no effect with --from"),
        ("train --tokens tokens.bin --out o --validate-every 3", "--validate-every has no effect without"),
        ("generate model.bin --ids 1 --prompt a", "--prompt has no effect beside --ids"),
        ("generate model.bin --ids 1 --temperature 0 --top-k 2", "--top-k has no effect with --temperature 0"),
        ("generate model.bin --ids 1 --temperature 0 --seed 2", "--seed has no effect with --temperature 0"),
        ("inspect model.bin --length 3", "--length has no effect without --batch"),
        ("inspect tokens.bin --batch 3", "--batch has no effect for a file that is no checkpoint"),
        ("train --tokens tokens.bin --out o --lr nan", "--lr lies between"),
        ("train --tokens tokens.bin --out o --batch 999999 --channels 4000", "too large"),
        ("train --tokens tokens.bin --out o --from model.bin --lr 1000 --steps 400 --weight-decay 900", "smaller --lr"),
        ("think", "no command 'think'"),
    ],
)
def test_a_wrong_command_is_a_sentence(built, tiny, arguments, message):
    assert message in refused(built("gpt2-sanitize"), *arguments.split(), cwd=tiny)
    assert not (tiny / "o").exists()


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (b"", "truncated"),
        (header(20240520, 1, 5) + bytes(8), "truncated"),
        (header(20240520, 1, 5) + bytes(12), "too long"),
        (header(20240520, 1, -5), "too short"),
        (header(20240520, 2, 5) + bytes(10), "not a file of tokens"),
        (header(20240520, 1, 60) + struct.pack("<60H", *[0] * 59, 29), "token 59 of"),
        (header(20240520, 1, 20) + bytes(40), "a batch needs 21"),
    ],
)
def test_a_wrong_file_of_tokens_is_a_sentence(built, tiny, tmp_path, tokens, message):
    (tmp_path / "tokens.bin").write_bytes(tokens)
    arguments = ("--tokens", tmp_path / "tokens.bin", "--from", tiny / "model.bin", "--out", tmp_path / "out.bin")
    assert message in refused(built("gpt2-sanitize"), "train", *arguments)


def test_a_wrong_vocabulary_is_a_sentence(built, tiny, tmp_path):
    whole = (tiny / "vocabulary.bin").read_bytes()
    for content, message in (
        (whole[:-1], "truncated"),
        (whole[:1030], "truncated"),
        (header(20240328, 2, 7), "truncated"),
    ):
        (tmp_path / "v.bin").write_bytes(content)
        arguments = (tiny / "model.bin", "--vocabulary", tmp_path / "v.bin")
        assert message in refused(built("gpt2-sanitize"), "generate", *arguments)


def test_the_sanitizers_find_nothing(built, tiny, tmp_path):
    """Every command, every kernel, forward and backward, with two threads and shapes that fit no tile."""
    sanitize = built("gpt2-sanitize")
    done = train(sanitize, tiny, "--from", tiny / "model.bin", *FEW, "--steps", 2, "--out", tmp_path / "a.bin",
                 "--threads", 2, "--validation", tiny / "tokens.bin", "--save-every", 1)  # fmt: skip
    assert done.returncode == 0, done.stderr
    more = train(sanitize, tiny, "--resume", "--steps", 3, "--out", tmp_path / "a.bin")
    assert more.returncode == 0, more.stderr
    sizes = ("--channels", 20, "--heads", 2, "--layers", 1, "--batch", 2, "--length", 101, "--max-seq-len", 105)
    new = train(sanitize, tiny, "--out", tmp_path / "b.bin", *sizes, "--steps", 1)
    assert new.returncode == 0, new.stderr
    for arguments in (("generate", tmp_path / "b.bin", "--ids", 1, "--top-k", 3),
                      ("generate", tiny / "model.bin", "--vocabulary", tiny / "vocabulary.bin", "--prompt", "ab c"),
                      ("inspect", tmp_path / "a.bin", "--hex", 4, "--batch", 2), ("inspect", tmp_path / "a.bin.state"),
                      ("train", "--help"), ("--help",)):  # fmt: skip
        done = call(sanitize, *arguments)
        assert done.returncode == 0, done.stderr


def test_the_builds_small_model_trains_and_writes(built):
    """`make gpt2`, but short; with the program that these tests have built already."""
    folder = built().parent
    command = [sys.executable, ROOT / "book" / "small_gpt2.py", "--steps", "2", "--merges", "3", "--folder", folder]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # What it writes after two steps need not be UTF-8.
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment)
    assert done.returncode == 0, done.stderr
    assert "validation loss" in done.stderr
    assert "\nhacker: A person who" in done.stdout
    assert gpt2_c.read_checkpoint(folder / "jargon.bin").config.vocab_size == 259


def test_help_names_every_option(built):
    for command in ("train", "generate", "inspect"):
        done = call(built(), command, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"Usage: gpt2 {command}" in done.stdout


def test_the_learners_own_kernels_run_the_program(built, tiny, tmp_path):
    """Even from a file that is older than what was built before from another one."""
    right = (SOURCE / "gpt2_forward.c").read_text()
    wrong = right.replace("* weight[c] + bias[c]", "* weight[c] - bias[c]")
    texts = []
    for name, content in (("mine.c", right), ("wrong.c", wrong), ("mine.c", right)):
        path = tmp_path / name
        path.write_text(content)
        os.utime(path, (0, 0))
        program = gpt2_c.build(tmp_path / "build", "gpt2-plain", FORWARD=path, PLAIN="-O1", MAKEFLAGS="-j2")
        texts.append(call(program, "generate", tiny / "model.bin", "--ids", "1,2", "--temperature", 0).stdout)
    assert texts[0] == texts[2] != texts[1]
    assert texts[0] == call(built(), "generate", tiny / "model.bin", "--ids", "1,2", "--temperature", 0).stdout


def test_paths_may_have_spaces(tiny, tmp_path):
    """The folder, the learner's file, and a clone of the course: "My Course", a synchronised folder, an apostrophe."""
    clone = tmp_path / "my course" / "Ada's work book"
    shutil.copytree(SOURCE, clone / "solutions" / "c")
    mine = clone / "my forward.c"
    mine.write_text((SOURCE / "gpt2_forward.c").read_text())
    program = gpt2_c.build(clone / "my build", "gpt2-plain", FORWARD=mine, PLAIN="-O1", MAKEFLAGS="-j2")
    assert program == clone / "my build" / "gpt2-plain"
    assert call(program, "generate", tiny / "model.bin", "--ids", "1,2").returncode == 0
    make = ["make", "-C", clone / "solutions" / "c", "PLAIN=-O1", "-j2", "plain", f"FORWARD={mine}"]
    for _ in range(2):  # the second time nothing is left to do
        done = subprocess.run(make, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        built_at = (clone / "_build" / "c" / "gpt2-plain").stat().st_mtime_ns
    mine.write_text(mine.read_text() + "#error wrong\n")
    done = subprocess.run(make, capture_output=True, text=True)
    assert "#error wrong" in done.stderr
    assert (clone / "_build" / "c" / "gpt2-plain").stat().st_mtime_ns == built_at
    done = subprocess.run([*make[:3], f"BUILD={clone}"], capture_output=True, text=True)
    assert "has a space in its path" in done.stderr


def test_a_missing_compiler_is_a_sentence(tmp_path):
    with pytest.raises(RuntimeError, match=r"no C compiler 'no-such-cc'.*apt-get install gcc"):
        gpt2_c.build(tmp_path, CC="no-such-cc")


@pytest.mark.parametrize("variables", [{"OPENMP": ""}, {"ARCH": ""}, {"ARCH": "-mavx512f"}, {"ARCH": "-mno-avx"}])
def test_every_width_and_no_threads_compile(tmp_path, variables):
    gpt2_c.build(tmp_path, "fast/gemm.o", STRICT="-Werror", **variables)
    gpt2_c.build(tmp_path, "fast/gpt2.o", STRICT="-Werror", **variables)
