"""GPT-2's published weights in the course's model, beside the package transformers: logits, texts and tokens."""

from __future__ import annotations

import hashlib
import inspect
import json
import subprocess
import sys

import huggingface_hub
import pytest
import torch

if sys.version_info < (3, 11):
    pytest.skip("the tested version of transformers needs Python 3.11", allow_module_level=True)
import transformers

from solutions import gpt2_c, released
from solutions.decoding import KVCache
from solutions.pretrained import GPT2, GPT2Config, GPT2Tokenizer, byte_letters, generate_text, gpt2_state
from solutions.tokens import train_bpe

TEXT = "Grüße an alle: don't panic, it's 1,024 tokens!\n\n  日本語 and naïve café… \t x = y**2" * 3


def theirs(vocab_size=97, block_size=33, width=15, heads=5, layers=3, seed=0):
    """A random GPT-2 of the package transformers, with biases and gains of order 1."""
    torch.manual_seed(seed)
    config = transformers.GPT2Config(
        vocab_size=vocab_size, n_positions=block_size, n_embd=width, n_head=heads, n_layer=layers,
        bos_token_id=0, eos_token_id=None,
    )  # fmt: skip
    model = transformers.GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(mean=float("ln_" in name and "weight" in name), std=0.3)
    return model


def ours(model, state=None):
    """The course's GPT2 with the same weights."""
    c = model.config
    made = GPT2(GPT2Config(c.vocab_size, c.n_positions, c.n_embd, c.n_head, c.n_layer))
    made.load_state_dict(gpt2_state(state or model.state_dict()))
    return made.eval()


@pytest.mark.parametrize(
    "sizes", [(97, 33, 15, 5, 3), (40, 9, 8, 1, 1), (61, 300, 21, 7, 2), (31, 17, 12, 12, 2), (29, 8, 64, 4, 12)]
)
@torch.no_grad()
def test_logits_are_those_of_transformers(sizes):
    model = theirs(*sizes)
    ids = torch.randint(sizes[0], (2, sizes[1]))
    expected = model(ids).logits
    plain = {
        name.removeprefix("transformer."): one for name, one in model.state_dict().items() if "lm_head" not in name
    }
    for state in (None, plain):
        torch.testing.assert_close(ours(model, state)(ids), expected, rtol=1e-4, atol=1e-4)


@torch.no_grad()
def test_pieces_with_a_cache_are_those_of_transformers():
    model, cache = theirs(), KVCache()
    ids = torch.randint(97, (2, 33))
    mine, past, start = ours(model), None, 0
    for length in (1, 7, 1, 20, 4):
        piece = ids[:, start : start + length]
        reply = model(piece, past_key_values=past, use_cache=True)
        torch.testing.assert_close(mine(piece, cache), reply.logits, rtol=1e-4, atol=1e-4)
        past, start = reply.past_key_values, start + length
    assert cache.length == 33
    with pytest.raises(ValueError, match="34 positions are more than block_size, 33"):
        mine(ids[:, :1], cache)


def files_of(model, folder):
    """The files of a published model, with merges that make its tokens: ``(folder, merges)``."""
    merges = train_bpe(TEXT, model.config.vocab_size - 257)
    assert 257 + len(merges) == model.config.vocab_size
    letters = byte_letters()

    def spelled(token):
        return "".join(letters[byte] for byte in token)

    lines = ["#version: 0.2", *(f"{spelled(left)} {spelled(right)}" for left, right in merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tokens = [*letters.values(), *(spelled(left + right) for left, right in merges), "<|endoftext|>"]
    vocabulary = {token: index for index, token in enumerate(tokens)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    model.save_pretrained(folder)
    return folder


def test_three_programs_write_the_same_tokens(tmp_path):
    """The course's model, the C program and transformers, each from the same files."""
    model = theirs(vocab_size=300, block_size=48, width=24, heads=3, layers=2)
    folder = files_of(model, tmp_path)
    program = gpt2_c.build(tmp_path / "built")
    arguments = [folder / "model.safetensors", folder / "model.bin", "--heads", 3]
    gpt2_c.main([*map(str, arguments), "--vocabulary", str(folder / "vocab.json"), str(folder / "vocabulary.bin")])
    mine, tokenizer = released.load_gpt2(folder)
    tokens = transformers.GPT2Tokenizer.from_pretrained(folder)
    for prompt in ("Grüße", "it's 1,024", "x"):
        ids = tokenizer.encode(prompt)
        assert ids == tokens(prompt)["input_ids"]
        text = generate_text(mine, tokenizer.encode, tokenizer.decode, prompt, 12, temperature=0)
        expected = model.generate(torch.tensor([ids]), max_new_tokens=12, do_sample=False, pad_token_id=0)[0].tolist()
        assert text == tokenizer.decode(expected) == tokens.decode(expected)
        command = [program, "generate", folder / "model.bin", "--ids", ",".join(map(str, ids)), "--new", 12]
        done = subprocess.run([*map(str, command), "--temperature", "0"], capture_output=True, text=True, check=True)
        assert list(map(int, done.stdout.split())) == expected


def test_the_tokeniser_is_that_of_transformers(tmp_path):
    folder = files_of(theirs(vocab_size=310), tmp_path)
    tokenizer = GPT2Tokenizer((folder / "merges.txt").read_text(encoding="utf-8"))
    tokens = transformers.GPT2Tokenizer.from_pretrained(folder)
    for text in (TEXT, " a  b\n\n c", "\x00\x7f\u00ad\u00a0", "😀 ok", "unseen wörds…", ""):
        assert tokenizer.encode(text) == tokens(text)["input_ids"]
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer) == 310
    assert tokenizer.decode([tokenizer.end, 0, tokenizer.end]) == "<|endoftext|>!<|endoftext|>"
    assert [byte for byte, _ in zip(byte_letters(), range(3))] == [33, 34, 35]  # the id 0 is "!"
    assert byte_letters()[ord(" ")] == "Ġ"
    assert byte_letters()[ord("\n")] == "Ċ"
    with pytest.raises(ValueError, match="ids must lie between"):
        tokenizer.decode([310])


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    folder = files_of(theirs(vocab_size=300), tmp_path)
    text = (folder / "merges.txt").read_text(encoding="utf-8")
    (folder / "merges.txt").write_text(text + "a b\n", encoding="utf-8")
    with pytest.raises(ValueError, match="makes 301 tokens, but the model has 300"):
        released.load_gpt2(folder)


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub of our own: what is downloaded from it, and the checksums that are expected."""
    contents = {name: name.encode() * 3 for name in released.SHA256}

    def download(repository, name, *, revision, local_dir):
        assert (repository, revision) == (released.REPOSITORY, released.REVISION)
        (tmp_path / name).write_bytes(contents[name])
        return str(tmp_path / name)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    monkeypatch.setattr(released, "SHA256", sums)
    return contents


def test_a_download_is_checked(hub, tmp_path, capsys):
    released.download_gpt2(tmp_path)
    assert (tmp_path / "merges.txt").read_bytes() == hub["merges.txt"]
    hub["model.safetensors"] += b"!"
    with pytest.raises(ValueError, match=r"model\.safetensors is not the published file"):
        released.download_gpt2(tmp_path)
    with pytest.raises(SystemExit) as ended:
        released.main([str(tmp_path)])
    assert ended.value.code == 1
    assert "Delete it and download it again." in capsys.readouterr().err


def test_the_hub_takes_what_the_download_passes():
    """The real function, which no test calls: there is no network here."""
    inspect.signature(huggingface_hub.hf_hub_download).bind(
        released.REPOSITORY, "merges.txt", revision=released.REVISION, local_dir="folder"
    )


def test_a_missing_package_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ModuleNotFoundError, match="pip install huggingface_hub"):
        released.download_gpt2(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("transformer.h.2.mlp.c_fc.bias"), r"h\.2\.mlp\.c_fc\.bias is missing"),
        (lambda state: state.pop("transformer.wpe.weight"), r"wpe\.weight is missing"),
        (lambda state: state.update({"score.weight": torch.zeros(2, 15)}), r"score\.weight is no tensor of a GPT-2"),
        (lambda state: state.update({"transformer.h.0.attn.c_attn.weight": torch.zeros(45, 15)}), r"\(15, 45\)"),
        (lambda state: state.update({"transformer.wte.weight": torch.zeros(97)}), r"wte\.weight should be a matrix"),
        (lambda state: state.update({"lm_head.weight": torch.zeros(97, 15)}), r"lm_head\.weight differs"),
    ],
)
def test_what_does_not_fit_is_named(change, message):
    state = dict(theirs().state_dict())
    change(state)
    with pytest.raises(ValueError, match=message):
        gpt2_state(state)


@torch.no_grad()
def test_half_precision_stays_near():
    """In bfloat16 the logits are near those in float32, and generation works."""
    model = ours(theirs())
    ids = torch.randint(97, (1, 20))
    exact = model(ids)
    rough = model.to(torch.bfloat16)(ids)
    assert rough.dtype == torch.bfloat16
    torch.testing.assert_close(rough.float(), exact, rtol=0.1, atol=0.1)
