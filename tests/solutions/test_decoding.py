"""Decoding with a cache: the given step of a decoder, for the course's Transformer and for a learner's own."""

from __future__ import annotations

import math
from functools import partial

import pytest
import torch
from torch import nn

from autograder.lms.release import SolutionModule
from autograder.notebook.own_source import own_source
from solutions import BOS, PAD
from solutions.decoding import KVCache, beam_search, cached_greedy_decode, greedy_decode, sample_next
from solutions.embeddings import PositionalEncoding, TokenEmbedding
from solutions.given import Drawing, decode_newest
from solutions.masks import causal_mask, padding_mask
from solutions.transformer import Generator, make_model
from solutions.translation import translate
from solutions.translator.fused import fused

LENGTHS = (9, 4, 1, 7)


class OwnAttention(nn.Module):
    """A `MultiHeadAttention` with one axis order and names of its own; only what the course names has those names."""

    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            w(x).unflatten(-1, (self.h, -1)) for w, x in zip((self.w_q, self.w_k, self.w_v), (query, key, value))
        )
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        self.weights = scores.softmax(-1)
        return self.w_o(torch.einsum("bhqk,bkhd->bqhd", self.weights, v).flatten(2))


class OwnLayer(nn.Module):
    """A decoder layer whose two attentions come in another order, and are called with named arguments."""

    def __init__(self, d_model, h):
        super().__init__()
        self.to_source, self.to_target = OwnAttention(d_model, h), OwnAttention(d_model, h)
        self.first, self.second = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, memory, src_mask, tgt_mask):
        x = x + self.to_source(self.first(x), memory, value=memory, mask=src_mask)
        return x + self.to_target(query=self.second(x), key=self.second(x), value=self.second(x), mask=tgt_mask)


class OwnTransformer(nn.Module):
    """An encoder-decoder that knows nothing of caches."""

    def __init__(self, vocab_size=23, d_model=12, h=3):
        super().__init__()
        self.reads = nn.Sequential(TokenEmbedding(vocab_size, d_model), PositionalEncoding(d_model, 0.0))
        self.writes = nn.Sequential(TokenEmbedding(vocab_size, d_model), PositionalEncoding(d_model, 0.0))
        self.looks, self.stack = OwnAttention(d_model, h), nn.ModuleList(OwnLayer(d_model, h) for _ in range(2))
        self.generator = Generator(d_model, vocab_size)

    def encode(self, src, src_mask):
        x = self.reads(src)
        return x + self.looks(x, x, x, src_mask)

    def decode(self, memory, src_mask, tgt, tgt_mask):
        x = self.writes(tgt)
        for layer in self.stack:
            x = layer(x, memory, src_mask, tgt_mask)
        return x


def own_transformer():
    model = OwnTransformer()
    model.decode_step = partial(decode_newest, model)
    return model


MODELS = {
    "pre-norm": lambda: make_model(20, 23, 2, 12, 20, num_heads=3),
    "post-norm": lambda: make_model(20, 23, 3, 8, 20, num_heads=4, norm="post"),
    "one table": lambda: make_model(23, 23, 1, 12, 20, num_heads=2, tie_weights=True),
    "a learner's": own_transformer,
}


class WithoutSteps:
    """A model that offers what `greedy_decode` needs and no more; counts the positions that its decoder processes."""

    def __init__(self, model):
        self.model, self.generator, self.positions = model, model.generator, 0
        self.encode = model.encode

    def decode(self, memory, src_mask, tgt, tgt_mask):
        self.positions += tgt.numel()
        return self.model.decode(memory, src_mask, tgt, tgt_mask)


class WithSteps(WithoutSteps):
    """Also what `cached_greedy_decode` needs."""

    def decode_step(self, memory, src_mask, last_ids, cache):
        self.positions += last_ids.numel()
        return self.model.decode_step(memory, src_mask, last_ids, cache)


@pytest.fixture(params=MODELS.values(), ids=MODELS.keys())
def model(request):
    """In float64, with parameters large enough that its outputs differ; some rows end."""
    torch.manual_seed(3)
    made = request.param().double().eval()
    for parameter in made.parameters():
        nn.init.normal_(parameter, std=0.7)
    return made


@pytest.fixture
def src():
    torch.manual_seed(4)
    ids = torch.randint(4, 20, (len(LENGTHS), max(LENGTHS)))
    return ids.masked_fill(torch.arange(max(LENGTHS)) >= torch.tensor(LENGTHS)[:, None], PAD)


def stepwise(model, memory, mask, ids, cache):
    """The decoder's outputs ``(B, T, d)``, one position at a time."""
    return torch.stack([model.decode_step(memory, mask, column, cache) for column in ids.unbind(1)], dim=1)


@torch.no_grad()
def test_a_step_is_the_decoder_at_its_newest_position(model, src):
    mask, ids = padding_mask(src), torch.randint(0, 23, (len(src), 8))
    memory, cache = model.encode(src, mask), KVCache()
    everything = model.decode(memory, mask, ids, causal_mask(8))
    torch.testing.assert_close(stepwise(model, memory, mask, ids, cache), everything)
    assert cache.length == 8
    torch.testing.assert_close(model.decode(memory, mask, ids, causal_mask(8)), everything)  # the model is what it was
    assert not any("forward" in vars(module) for module in model.modules())


@torch.no_grad()
def test_a_step_goes_on_where_rows_were_reordered(model, src):
    mask, ids = padding_mask(src), torch.randint(0, 23, (len(src), 5))
    memory, cache, rows = model.encode(src, mask), KVCache(), torch.tensor([2, 0, 0, 3, 1])
    stepwise(model, memory, mask, ids, cache)
    cache.reorder(rows)
    more = torch.randint(0, 23, (len(rows), 3))
    found = stepwise(model, memory[rows], mask[rows], more, cache)
    whole = model.decode(memory[rows], mask[rows], torch.cat([ids[rows], more], dim=1), causal_mask(8))
    torch.testing.assert_close(found, whole[:, 5:])


@torch.no_grad()
def test_keys_of_the_memory_are_computed_once(model, src):
    mask, cache = padding_mask(src), KVCache()
    memory, ids = model.encode(src, mask), torch.randint(4, 20, (len(src), 4))
    first = stepwise(model, memory, mask, ids, cache)
    other = torch.full_like(memory, float("nan"))  # nobody reads it again
    assert model.decode_step(other, mask, ids[:, 0], cache).isfinite().all()
    assert first.isfinite().all()
    sizes = {k.shape[-2] for k, _ in cache.layers.values()}
    assert sizes == {5, src.shape[1]}  # self-attentions have grown, cross-attentions have not


def test_a_failed_step_leaves_the_model_as_it_was(model, src):
    mask = padding_mask(src)
    with pytest.raises(Exception, match=r".+"):
        model.decode_step(model.encode(src, mask), mask, torch.full((len(src),), 999), KVCache())
    assert not any("forward" in vars(module) for module in model.modules())


def test_a_step_beyond_the_longest_text_is_refused(src):
    model, mask = own_transformer(), padding_mask(src)
    model.writes[1] = PositionalEncoding(12, 0.0, max_len=3)
    memory, ids = model.encode(src, mask), torch.full((len(src), 4), BOS)
    with pytest.raises(ValueError, match="4 positions"):
        stepwise(model, memory, mask, ids, KVCache())


@pytest.mark.parametrize("max_len", [1, 2, 14])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_greedy_decoding_with_a_cache_writes_the_same(model, src, max_len, dtype):
    model, mask = model.to(dtype), padding_mask(src)
    plain, counted = WithoutSteps(model), WithSteps(model)
    for eos_id in range(3, 11):  # some rows end early, some late, some never
        found = cached_greedy_decode(counted, src, mask, max_len, eos_id=eos_id)
        assert torch.equal(found, greedy_decode(plain, src, mask, max_len, eos_id=eos_id))
        assert not found.requires_grad
    assert counted.positions <= 8 * len(src) * (max_len - 1)
    assert max_len < 3 or counted.positions < plain.positions


@pytest.mark.parametrize("beam_size", [1, 2, 5])
def test_beam_search_with_a_cache_finds_the_same(model, src, beam_size):
    mask = padding_mask(src)
    plain, counted = WithoutSteps(model), WithSteps(model)
    for eos_id in range(3, 7):
        found = beam_search(counted, src, mask, 10, beam_size, eos_id=eos_id)
        assert found == beam_search(plain, src, mask, 10, beam_size, eos_id=eos_id)
    assert counted.positions < plain.positions / 2


def test_a_step_in_training_mode_drops_out(src):
    torch.manual_seed(0)
    model, mask = make_model(20, 23, 2, 12, 20, num_heads=3, dropout=0.5), padding_mask(src)
    ids = torch.full((len(src), 3), BOS)
    one, other = (stepwise(model, model.encode(src, mask), mask, ids, KVCache()) for _ in range(2))
    assert not torch.equal(one, other)
    one.sum().backward()
    assert all(parameter.grad is not None for parameter in model.decoder.layers[0].self_attention.parameters())


@torch.no_grad()
def test_fused_attention_remembers_too(src):
    torch.manual_seed(0)
    model, mask = make_model(20, 23, 2, 12, 20, num_heads=3).eval(), padding_mask(src)
    expected = greedy_decode(model, src, mask, 9)
    with fused(model):
        assert torch.equal(cached_greedy_decode(model, src, mask, 9), expected)


def test_drawn_outputs_with_a_cache_are_those_without(model, src):
    mask, written = padding_mask(src), []
    for decode in (greedy_decode, cached_greedy_decode):
        generator = torch.Generator().manual_seed(5)
        drawing = Drawing(model, partial(sample_next, temperature=2.0, top_k=9, generator=generator))
        written.append([decode(drawing, src, mask, 12, eos_id=4).tolist() for _ in range(2)])
    assert written[0] == written[1]
    assert written[0][0] != written[0][1]


class Numbers:
    """A tokenizer of texts such as "7 4 5"."""

    def encode_all(self, texts):
        return [[int(number) for number in text.split()] for text in texts]

    def decode(self, ids):
        return " ".join(map(str, ids))


@pytest.mark.parametrize(
    "options", [{}, {"beam_size": 3}, {"draw": partial(sample_next, top_k=5)}], ids=["greedy", "beam", "drawn"]
)
def test_translations_with_a_cache_are_those_without(model, options):
    texts = ["5 6 7", "8 9 10 11 12 13 14", "4", "", "19 18 17 16 15 14 13 12"]
    found = []
    for one in (model, OnlyParts(model)):
        torch.manual_seed(1)
        found.append(translate(one, texts, Numbers(), max_tokens=20, **options))
    assert found[0] == found[1]
    assert any(found[0])


class OnlyParts(nn.Module):
    """A model with the three parts that every way to decode needs, and no step."""

    def __init__(self, model):
        super().__init__()
        self.all, self.generator = model, model.generator
        self.encode, self.decode = model.encode, model.decode


def test_a_transformer_of_ones_own_is_kept_with_its_step():
    """The line that the notebook gives is a part of the class, and needs an import."""
    given = "from solutions.given import decode_newest"
    line = "    decode_step = decode_newest  # given"
    kept = own_source("Transformer", [f"{given}\nfrom torch import nn", f"class Transformer(nn.Module):\n{line}"], {})
    assert given in kept
    assert line in kept
    source = SolutionModule("transformer").source("Transformer").partition("def __init__")[0]
    assert "decode_step = decode_newest" in source  # outside of the marks of a solution
