"""The course's Llama against that of the package ``transformers``, and a released model out of its file.

Both need packages of the extra ``models``; without them these tests are skipped.
"""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
import torch

from autograder.course.addresses import ROOT
from solutions import gpt2_c
from solutions.decoding import KVCache
from solutions.llama import Llama, LlamaConfig, apply_rope, llama_state
from solutions.smollm import (
    CONTROL,
    NAMES,
    Tokenizer,
    byte_alphabet,
    continued,
    halves_first,
    missing,
    read_gguf,
    smollm_path,
    write_for_c,
)

# vocab_size, d_model, d_ff, num_heads, num_kv_heads, num_layers, base, eps, tied
CONFIGS = (
    (50, 36, 20, 9, 3, 2, 10000.0, 1e-5, True),
    (31, 30, 50, 5, 1, 3, 500.0, 1e-6, False),
    (31, 42, 50, 7, 7, 1, 1e5, 1e-3, True),
    (20, 64, 30, 8, 2, 2, 1e6, 1e-5, False),
)


def of_transformers(config):
    """The package's model of these sizes."""
    transformers = pytest.importorskip("transformers", reason="the extra `models` is not installed")
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.d_model,
            intermediate_size=config.d_ff,
            num_attention_heads=config.num_heads,
            num_key_value_heads=config.num_kv_heads,
            num_hidden_layers=config.num_layers,
            rms_norm_eps=config.eps,
            rope_parameters={"rope_type": "default", "rope_theta": config.base},
            tie_word_embeddings=config.tied,
            max_position_embeddings=8192,
        )
    ).eval()


def both(sizes):
    """The package's model with random weights and gains, and the course's with the same."""
    config = LlamaConfig(*sizes)
    torch.manual_seed(0)
    theirs = of_transformers(config)
    for name, parameter in theirs.named_parameters():
        torch.nn.init.normal_(parameter, mean=float("norm" in name), std=0.3)
    mine = Llama(config).eval()
    mine.load_state_dict(llama_state(theirs.state_dict()))
    return mine, theirs


@pytest.mark.parametrize("sizes", CONFIGS, ids=lambda sizes: f"{sizes[3]}-to-{sizes[4]}")
@torch.no_grad()
def test_the_logits_are_those_of_transformers(sizes):
    mine, theirs = both(sizes)
    ids = torch.randint(sizes[0], (2, 40))
    expected = theirs(ids).logits
    torch.testing.assert_close(mine(ids), expected, rtol=1e-4, atol=1e-4)
    cache = KVCache()
    pieces = [mine(piece, cache) for piece in ids.split([13, 1, 1, 15, 10], dim=1)]
    torch.testing.assert_close(torch.cat(pieces, dim=1), expected, rtol=1e-4, atol=1e-4)
    assert cache.length == 40


@torch.no_grad()
def test_far_positions_are_those_of_transformers():
    mine, theirs = both(CONFIGS[0])
    ids = torch.randint(50, (1, 3000))
    torch.testing.assert_close(mine(ids)[:, -50:], theirs(ids).logits[:, -50:], rtol=1e-3, atol=2e-3)


@torch.no_grad()
def test_in_bfloat16_it_is_as_close_to_float32_as_transformers_is():
    mine, theirs = both(CONFIGS[0])
    ids = torch.randint(50, (2, 600))
    exact = mine(ids)
    errors = [(logits - exact).square().mean() for logits in (mine.bfloat16()(ids), theirs.bfloat16()(ids).logits)]
    assert errors[0] < 2 * errors[1]


# --- the file ----------------------------------------------------------------------------------------------------


def test_halves_first_undoes_what_the_conversion_does():
    """The conversion to GGUF turns halves into neighbours; scores are the same in either layout."""
    heads, width, d = 3, 8, 5
    weight = torch.randn(heads * width, d)
    neighbours = weight.view(heads, 2, width // 2, d).transpose(1, 2).reshape(weight.shape)  # as llama.cpp converts
    assert not torch.equal(neighbours, weight)
    assert torch.equal(halves_first(neighbours, heads), weight)


def test_relative_positions():
    """The score of a turned query and a turned key depends on their distance alone."""
    q, k = torch.randn(2, 1, 16, dtype=torch.float64)
    near, far = (
        apply_rope(q, torch.tensor([start + 7])) @ apply_rope(k, torch.tensor([start])).T for start in (0, 1000)
    )
    torch.testing.assert_close(near, far)


def small_vocabulary():
    alphabet = byte_alphabet()
    letters = sorted(alphabet, key=alphabet.get)
    written = ["<|end|>", "<|start|>", *letters, "Ġt", "he", "Ġthe"]
    kinds = [CONTROL, CONTROL] + [1] * (len(written) - 2)
    return Tokenizer(written, kinds, ["Ġ t", "h e", "Ġt he"])


def test_a_vocabulary_in_its_own_order():
    tokenizer = small_vocabulary()
    ids = tokenizer.encode("<|start|>a the 12<|end|>")
    assert tokenizer.bytes[ids[0]] == b"<|start|>"
    assert [tokenizer.bytes[one] for one in ids] == [b"<|start|>", b"a", b" the", b" ", b"1", b"2", b"<|end|>"]
    for text in ("a the 12", "Straße €\n\t the", "", "  the  3"):
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_text_goes_on_until_the_end_symbol():
    torch.manual_seed(1)
    model = Llama(LlamaConfig(20, 12, 8, 3, 1, 2)).eval()
    new = list(continued(model, [3, 4], 12))
    assert new == list(continued(model, [3, 4], 12, cache=False))
    assert len(new) == 12
    end = new[5]
    assert list(continued(model, [3, 4], 12, end)) == new[: new.index(end)]


def write_gguf(path, sizes, interleave):
    """A small GGUF file of random weights in float32; returns them under the names of checkpoints."""
    gguf = pytest.importorskip("gguf", reason="the extra `models` is not installed")
    config = LlamaConfig(*sizes)
    state = {name: one.detach() for name, one in Llama(config).state_dict().items()}
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_embedding_length(config.d_model)
    writer.add_feed_forward_length(config.d_ff)
    writer.add_head_count(config.num_heads)
    writer.add_head_count_kv(config.num_kv_heads)
    writer.add_block_count(config.num_layers)
    writer.add_rope_freq_base(config.base)
    writer.add_layer_norm_rms_eps(config.eps)
    writer.add_tokenizer_model("gpt2")
    tokenizer = small_vocabulary()
    alphabet = {byte: character for character, byte in byte_alphabet().items()}
    written = ["<|end|>", "<|start|>"] + ["".join(alphabet[byte] for byte in one) for one in tokenizer.bytes[2:]]
    writer.add_token_list(written)
    writer.add_token_types([CONTROL, CONTROL] + [1] * (len(written) - 2))
    writer.add_token_merges(["Ġ t", "h e", "Ġt he"])
    writer.add_eos_token_id(0)
    short = {long: name for name, long in NAMES.items()}
    for name, tensor in state.items():
        for long in sorted(short, key=len, reverse=True):  # whole parts of a name: "norm" is one, and part of another
            name = re.sub(rf"(^|\.){long}(?=\.)", rf"\g<1>{short[long]}", name)
        values = tensor
        if "attn_q" in name or "attn_k" in name:
            values = interleave(values, config.num_heads if "attn_q" in name else config.num_kv_heads)
        writer.add_tensor(name, np.ascontiguousarray(values.numpy()))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return config, state


@pytest.mark.parametrize("tied", [True, False])
def test_a_file_becomes_a_model(tmp_path, tied):
    """Sizes, weights (queries and keys as `apply_rope` pairs them), vocabulary."""

    def interleave(weight, heads):
        return weight.view(heads, 2, -1, weight.shape[-1]).transpose(1, 2).reshape(weight.shape)

    vocabulary = len(small_vocabulary().bytes)
    sizes = (vocabulary, 24, 40, 6, 2, 2, 50.0, 1e-4, tied)
    path = tmp_path / "small.gguf"
    config, state = write_gguf(path, sizes, interleave)
    released = read_gguf(path)
    assert vars(released.config) | {"eps": 0} == vars(config) | {"eps": 0}
    assert abs(released.config.eps - config.eps) < 1e-9
    found = llama_state(released.state)
    assert found.keys() == state.keys()
    assert all(torch.equal(found[name], state[name]) for name in state)
    assert released.tokenizer.encode(" the") == small_vocabulary().encode(" the")


# --- in C ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["fast", "sanitized"])
def program(tmp_path_factory, request):
    """llama.c as the Makefile builds it, and with the sanitizers."""
    folder = tmp_path_factory.mktemp("llama")
    if request.param == "fast":
        return gpt2_c.build(folder, "llama", STRICT="-Werror")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-g", "-fsanitize=address,undefined"]
    path = folder / "llama"
    subprocess.run(["cc", *flags, "-o", path, ROOT / "solutions" / "c" / "llama.c", "-lm"], check=True)
    return path


@pytest.mark.parametrize("sizes", CONFIGS, ids=lambda sizes: f"{sizes[3]}-to-{sizes[4]}")
def test_c_writes_the_same_ids(program, tmp_path, sizes):
    torch.manual_seed(2)
    config = LlamaConfig(*sizes)
    model = Llama(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    path = tmp_path / "model.bin"
    write_for_c(path, config, model.state_dict())
    ids = [3, 1, 4, 1, 5]
    done = subprocess.run([program, path, "20", *map(str, ids)], capture_output=True, text=True, check=True)
    assert list(map(int, done.stdout.split())) == list(continued(model, ids, 20))
    assert "s for an id" in done.stderr


def test_c_says_what_is_wrong(program, tmp_path):
    config = LlamaConfig(9, 8, 6, 2, 1, 1)
    good, short, other = tmp_path / "good", tmp_path / "short", tmp_path / "other"
    write_for_c(good, config, Llama(config).state_dict())
    short.write_bytes(good.read_bytes()[:-5])
    other.write_text("no model")
    long = tmp_path / "long"
    long.write_bytes(good.read_bytes() + b"more")
    for arguments, said in (
        ([], "say: llama MODEL COUNT ID"),
        ([tmp_path / "none", "3", "1"], "cannot be opened"),
        ([other, "3", "1"], "is no model of this program"),
        ([short, "3", "1"], "ends too early"),
        ([long, "3", "1"], "has more numbers"),
        ([good, "0", "1"], "COUNT must be a whole number of 1 or more, but is '0'"),
        ([good, "3", "9"], "ID must be below 9"),
        ([good, "3", "1x"], "ID must be a whole number"),
    ):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert said in done.stderr
        assert done.stderr.count("\n") == 1


# --- the released model --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def smollm():
    if missing():
        pytest.skip(missing())
    released = read_gguf(smollm_path())
    model = Llama(released.config).eval()
    model.load_state_dict(llama_state(released.state))
    return released, model


def test_all_tensors_arrive(smollm):
    released, model = smollm
    assert len(released.state) == 272
    assert sum(one.numel() for one in model.parameters()) == 134_515_008


def test_what_it_says_of_the_transformer(smollm):
    released, model = smollm
    ids = released.tokenizer.encode("The Transformer architecture was introduced in")
    assert released.tokenizer.decode(list(continued(model, ids, 7))) == " 2012 by Microsoft"


def test_it_answers_through_its_own_template(smollm):
    released, model = smollm
    prompt = released.chat("What is the capital of France?")
    assert prompt.endswith("<|im_start|>assistant\n")
    answer = released.tokenizer.decode(list(continued(model, released.tokenizer.encode(prompt), 30, released.end)))
    assert answer == "The capital of France is Paris."


@torch.no_grad()
def test_its_logits_are_those_of_transformers(smollm):
    released, model = smollm
    theirs = of_transformers(released.config)
    missing_keys, extra = theirs.load_state_dict(released.state, strict=False)
    assert (missing_keys, extra) == (["lm_head.weight"], [])
    theirs.tie_weights()
    ids = torch.tensor([released.tokenizer.encode("It was a bright cold day in April, and the clocks were striking")])
    torch.testing.assert_close(model(ids), theirs(ids).logits, rtol=1e-4, atol=1e-3)
