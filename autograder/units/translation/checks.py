"""Checks of unit 14, translation. Small models that are made here; a Transformer only for its attention.

Within a task they go from basic to subtle, and each looks at one mechanism. The capstone is one check that trains, with
seconds of its own.
"""

from fractions import Fraction
from functools import lru_cache

import pytest
import torch
from torch import nn

from autograder.judging.assertions import PartlyRight, assert_close, assert_equal
from autograder.judging.replies import reply_of
from autograder.sandbox.drivers import OutOfTime, processor_time
from solutions import BOS, EOS, PAD
from solutions.bleu import corpus_bleu
from solutions.grammar import grammar_pairs
from solutions.translation import words

# ---------------------------------------------------------------------------------------------------------------------
# Drivers: they run beside the learner's code and hold no expected value.


def divide(learner, lengths, max_tokens, seeds):
    """The batches for each seed (None: without a generator), and whether the pairs are what they were.

    PyTorch's own generator, and Python's, stand elsewhere for every run; the generator that is given has been used.
    """
    import random

    pairs = [([5] * source, [6] * target) for source, target in lengths]
    before = [(list(source), list(target)) for source, target in pairs]
    runs = []
    for number, seed in enumerate(seeds):
        torch.manual_seed(1000 + number)
        random.seed(1000 + number)
        more = () if seed is None else (torch.Generator().manual_seed(seed),)
        if more:
            torch.rand(1, generator=more[0])
        runs.append(learner.token_batches(pairs, max_tokens, *more))
    return runs, pairs == before


def refused(learner, cases):
    """For each case whether its pairs are refused, whatever the error says."""
    found, token_batches = [], learner.token_batches
    for lengths, max_tokens in cases:
        try:
            token_batches([([5] * source, [6] * target) for source, target in lengths], max_tokens)
            found.append(False)
        except ValueError:
            found.append(True)
    return found


def refusals(learner, cases):
    """For each case the classes of the error raised and its text, or what was returned."""
    replies, token_batches = [], learner.token_batches  # taken here, so that a missing one is no refusal
    for lengths, max_tokens in cases:
        try:
            replies.append(token_batches([([5] * source, [6] * target) for source, target in lengths], max_tokens))
        except Exception as error:
            replies.append([[kind.__name__ for kind in type(error).__mro__], str(error)])
    return replies


def step(learner, parts, weights, wanted, training=False, rates=None, left_over=0.0, max_norm=None):
    """One step of a small model on some batches; of what happened, what is wanted.

    ``parts`` holds source and target of each batch. The optimiser is gradient descent, which notes gradients and
    rates; ``rates`` are set by a scheduler of PyTorch. Every gradient is ``left_over`` before.
    """
    from types import SimpleNamespace

    notes: dict = {"modes": [], "gradients": [], "rates": []}

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.source, self.target, out = (nn.Parameter(one.clone()) for one in weights)
            self.generator = nn.Sequential(nn.Linear(out.shape[1], out.shape[0], bias=False), nn.LogSoftmax(-1))
            self.generator[0].weight = out
            self.inner = nn.Dropout(0.0)

        def forward(self, src, tgt, src_mask=None, tgt_mask=None):
            notes["modes"].append([self.training, self.inner.training])
            keep = (
                (src_mask if src_mask is not None else src == src)[..., -1, :].reshape(len(src), -1, 1).to(weights[0])
            )
            before = tgt_mask[:, 0].to(weights[0]) if tgt_mask is not None else torch.ones(1, 1, 1).to(weights[0])
            read = (keep * self.source[src]).sum(1, keepdim=True) / keep.sum(1, keepdim=True)
            known = before.expand(len(tgt), tgt.shape[1], tgt.shape[1]) @ self.target[tgt]
            return self.inner(torch.tanh(read + known))

    class Descent(torch.optim.SGD):
        def step(self, closure=None):
            found = [torch.zeros_like(one) if one.grad is None else one.grad for one in model.parameters()]
            notes["gradients"].append(torch.cat([one.flatten() for one in found]))
            notes["rates"].append(float(self.param_groups[0]["lr"]))
            return super().step(closure)

    def loss_fn(log_probs, targets):
        if log_probs.dim() != 2 or targets.dim() != 1:
            shapes = f"{tuple(log_probs.shape)} and {tuple(targets.shape)}"
            raise ValueError(f"loss_fn takes log-probabilities (N, V) and targets (N,), but got {shapes}")
        return -(log_probs.gather(1, targets.unsqueeze(1)).squeeze(1) * (targets != 0)).sum()

    batches = []
    for src, tgt in parts:
        keep = (tgt[:, :-1] != 0)[:, None, None, :]
        batch = SimpleNamespace(src=src, src_mask=(src != 0)[:, None, None, :], tgt=tgt[:, :-1], tgt_y=tgt[:, 1:])
        batch.tgt_mask = keep & torch.ones(keep.shape[-1], keep.shape[-1], dtype=torch.bool).tril()
        batch.ntokens = int((batch.tgt_y != 0).sum())
        batch.to = lambda *_, batch=batch, **__: batch
        batches.append(batch)
    model = Model().train(training)
    optimizer = Descent(model.parameters(), lr=0.5)
    scheduler = None if rates is None else torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: rates[done])
    for one in model.parameters():
        one.grad = torch.full_like(one, left_over) if left_over else None
    options = {} if max_norm is None else {"max_norm": max_norm}
    result = learner.training_step(model, batches, loss_fn, optimizer, scheduler, **options)
    if not hasattr(result, "loss"):
        raise TypeError(f"training_step should return a StepResult, but returned a {type(result).__name__}")
    if any(name in ("loss", "tokens", "norm") for name in wanted):
        notes["loss"], notes["tokens"], notes["norm"] = result.loss, result.tokens, result.norm
        notes["kinds"] = [type(one).__name__ for one in (result.loss, result.tokens, result.norm)]
    notes["scheduled"] = scheduler.last_epoch if scheduler is not None else None
    notes["parameters"] = torch.cat([one.detach().flatten() for one in model.parameters()])
    return [notes[name] for name in wanted]


def judge(learner, tables, words, pairs, training=False, whose="model", **options):
    """What evaluate says of a model that translates word by word, and how it leaves things.

    ``tables`` score the next word: by the source word in its place, and by the word before. The tokeniser comes with
    the model, or (``whose`` is "given") as an argument, and then that of the model knows other words. It does not tell
    capitals from small letters, so ids that are equal do not mean words that are.
    """
    import re

    class Tokenizer:
        def __init__(self, words):
            self.words = words
            self.places = {word.lower(): place for place, word in enumerate(words, 4)}

        def encode_all(self, texts):
            return [[self.places.get(word, 1) for word in re.findall(r"\w+|[^\w\s]", text.lower())] for text in texts]

        def encode(self, text):
            return self.encode_all([text])[0]

        def decode(self, ids):
            text = " ".join(self.words[one - 4] if one >= 4 else "?" for one in ids if one not in (0, 2, 3))
            return re.sub(r" (?=[.,])", "", text)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.by_source, self.by_last = (nn.Parameter(one.clone()) for one in tables)
            self.generator = nn.LogSoftmax(-1)
            self.seen = set()

        def encode(self, src, src_mask=None):
            self.seen.add((self.training, torch.is_grad_enabled()))
            return self.by_source[src] * (src != 0).unsqueeze(-1)

        def decode(self, memory, src_mask, tgt, tgt_mask=None):
            missing = max(0, tgt.shape[1] - memory.shape[1])
            here = nn.functional.pad(memory, (0, 0, 0, missing))[:, : tgt.shape[1]]
            scores = here + self.by_last[tgt]
            return scores.roll(1, -1) if self.training else scores

        def forward(self, src, tgt, src_mask=None, tgt_mask=None):
            return self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)

    model = Model().train(training)
    model.tokenizer = Tokenizer(words if whose == "model" else words[::-1])
    given = {} if whose == "model" else {"tokenizer": Tokenizer(words)}
    pairs = [tuple(pair) for pair in pairs]
    before = list(pairs)
    result = learner.evaluate(model, pairs, **given, **options)
    grown = any(one.grad is not None for one in model.parameters())
    return result, sorted(model.seen), model.training, grown, pairs == before


def draw_maps(learner, sizes, sentences, seed, training=False, dropout=0.0):
    """The maps of some pairs of sentences, what is left to gradients, and the model's mode afterwards."""
    model = learner.make_model(13, 17, **sizes, dropout=dropout)
    generator = torch.Generator().manual_seed(seed)
    for one in model.parameters():
        one.data = 0.6 * torch.randn(one.shape, generator=generator)
    model.train(training)
    maps = [learner.attention_maps(model, src, tgt) for src, tgt in sentences]
    tensors = [one for found in maps if isinstance(found, dict) for one in found.values()]
    recorded = any(isinstance(one, torch.Tensor) and one.requires_grad for one in tensors)
    modes = sorted({part.training for part in model.modules()})
    if not all(one.requires_grad for one in model.parameters()):
        modes.append("frozen parameters")
    return maps, recorded, modes


def align(learner, weights):
    """The alignment, and the weights afterwards."""
    return learner.read_alignment(weights), weights


def try_out(learner, german, english, seed, given):
    """Two small trainings, the same but for where all random generators stand before; then some questions.

    A sentence says that what was returned is no model with a function that translates. Both trainings and all
    translations may take the seconds of processor time that are ``given``.
    """
    import random
    import sys

    pairs = list(zip(german, english))
    before = list(pairs)
    results = []
    grammar = sys.modules.get("solutions.grammar")  # in a notebook it is there, in the sandbox it is not
    aligned_pairs = getattr(grammar, "aligned_pairs", None)

    def refuse(*_, **__):
        raise RuntimeError("train on `pairs` alone: the grammar is not there when your answer is graded")

    try:
        if grammar is not None:
            vars(grammar)["aligned_pairs"] = refuse
        with processor_time(given, f"two trainings on {len(german)} pairs"):
            for number in range(2):
                random.seed(100 + number)
                torch.manual_seed(200 + number)
                results.append(learner.train_translator(pairs, seed))
            first, again = results
            if not isinstance(first, (tuple, list)) or len(first) != 2:
                kind = type(first).__name__
                return f"train_translator should return (model, translate), but returned a {kind}."
            model, translate = first
            if not isinstance(model, nn.Module):
                return f"train_translator should return (model, translate): the model is a {type(model).__name__}."
            if isinstance(translate, nn.Module) or not callable(translate):
                return f"train_translator should return (model, translate): translate is a {type(translate).__name__}."
            outputs = translate(list(german))
            if not isinstance(outputs, (tuple, list)):
                return f"translate should return a list of texts, but returned a {type(outputs).__name__}."
            if not all(isinstance(one, str) for one in outputs):
                kinds = " and ".join(sorted({type(one).__name__ for one in outputs} - {"str"}))
                return f"translate should return a list of texts, but there are items of the type {kinds} in it."
            return {
                "pairs": pairs == before,
                "number": len(outputs) == len(german),
                "twice": list(translate(list(german))) == list(outputs),
                "turned round": list(translate(list(german[::-1]))) == list(outputs[::-1]),
                "again": list(again[1](list(german))) == list(outputs),
                "unchanged": list(outputs) == list(german),
                "parameters": sum(one.numel() for one in {*model.parameters()}),
            }
    finally:
        if grammar is not None:
            vars(grammar)["aligned_pairs"] = aligned_pairs


def train_and_translate(learner, pairs, sentences, seed, given):
    """The translations, the parameters of the model, and whether the translations need them.

    ``pairs`` and ``sentences`` come as one text each, a line for each sentence: thousands of texts are slow to send.
    """
    with processor_time(given, "training and translating"):
        model, translate = learner.train_translator([tuple(line.split("\t")) for line in pairs.splitlines()], seed)
        outputs = list(translate(sentences.splitlines()))
    number = sum(one.numel() for one in {*model.parameters()})
    needed = True
    try:
        with processor_time(10), torch.no_grad():
            for one in model.parameters():
                one.zero_()
            needed = list(translate(sentences.splitlines()[:20])) != outputs[:20]
    except (OutOfTime, Exception):
        pass  # without its parameters it may never end, or fail: so it needs them
    return outputs, number, needed


# ---------------------------------------------------------------------------------------------------------------------
# Inputs and assertions


def _lengths(rng, number, low, high):
    """Lengths of source and target, which differ by a few tokens either way."""
    sources = rng.integers(low, high, number).tolist()
    return [(source, max(2, source + int(more))) for source, more in zip(sources, rng.integers(-2, 4, number))]


def _cost(lengths, batch):
    return len(batch) * sum(max(lengths[place][side] for place in batch) for side in (0, 1))


def _batches(learner, lengths, max_tokens, seeds=(None,)):
    """The runs of `divide`: lists of lists of places, in which every pair occurs once."""
    runs, unchanged = reply_of(learner, divide, lengths, max_tokens, seeds, parts=2)
    for batches in runs:
        right = isinstance(batches, (list, tuple)) and all(isinstance(batch, (list, tuple)) for batch in batches)
        if not right or not all(type(place) is int for batch in batches for place in batch):
            raise AssertionError(f"token_batches should return a list of lists of places, but returned {batches}.")
        found = sorted(place for batch in batches for place in batch)
        missing = sorted(set(range(len(lengths))) - set(found))
        assert not missing, f"The pairs {missing} of {len(lengths)} are in no batch: {batches}."
        assert found == list(range(len(lengths))), f"Pairs occur twice, or are not there at all: {batches}."
        assert all(batches), f"A batch is empty: {batches}."
    return runs, unchanged


def _check_costs(lengths, max_tokens, batches):
    for batch in batches:
        source, target = (max(lengths[place][side] for place in batch) for side in (0, 1))
        assert _cost(lengths, batch) <= max_tokens, (
            f"The batch {batch} holds {len(batch)} pairs; the longest source has {source} tokens, the longest target "
            f"{target}. That makes {len(batch)} * ({source} + {target}) = {_cost(lengths, batch)} tokens, more than "
            f"max_tokens={max_tokens}."
        )


def _oracle(lengths, max_tokens):
    """Batches of sorted pairs, each as full as can be: how many, and what they cost together."""
    batches: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda place: lengths[place]):
        if not batches or _cost(lengths, [*batches[-1], place]) > max_tokens:
            batches.append([])
        batches[-1].append(place)
    return len(batches), sum(_cost(lengths, batch) for batch in batches)


SOURCE_WORDS, TARGET_WORDS, WIDTH = 9, 11, 3


def _ids(rng, rows, columns):
    """Ids from 4 to 8 after BOS; each row ends in EOS and padding in another place."""
    ids = rng.integers(4, 9, rows, columns)
    ids[:, 0] = BOS
    for row in range(rows):
        end = columns - row % (columns - 2)
        ids[row, end - 1], ids[row, end:] = EOS, PAD
    return ids


def _parts(rng, number):
    """Micro-batches that differ in rows, in lengths and in how much of them is padding."""
    return [(_ids(rng, rows, 6 - rows % 3), _ids(rng, rows, 4 + rows)) for rows in (2, 5, 3, 4)[:number]]


def _step(learner, reference, rng, number, wanted, **options):
    """What a step of the learner's noted, and one of the reference."""
    shapes = ((SOURCE_WORDS, WIDTH), (TARGET_WORDS, WIDTH), (TARGET_WORDS, WIDTH))
    weights = [1.5 * rng.normal(*shape, dtype=torch.float64) for shape in shapes]
    parts = _parts(rng, number)
    replies = (
        reply_of(one, step, parts, weights, wanted, parts=len(wanted), **options) for one in (learner, reference)
    )
    return tuple(replies)


def _check_gradient(learner, reference, rng, number, **options):
    """The gradient at the moment of the one step."""
    (got,), (expected,) = _step(learner, reference, rng, number, ["gradients"], **options)
    told = "".join(f", {name}={value}" for name, value in options.items())
    assert len(got) == 1, f"With {number} micro-batches{told} the optimiser makes {len(got)} steps instead of one."
    what = f"the gradient of all parameters, with {number} micro-batches{told}, when the optimiser steps"
    assert_close(got[0], expected[0], what, 1e-5, 1e-8)


WORDS = ["Haus", "Baum", "Hund", "rot", "alt", "sieht", "ein", "die", "der", "nicht", ",", "."]


def _texts(rng, number):
    """What a model of word tables is to translate, with references that differ from it here and there."""
    size = len(WORDS) + 4
    by_source = rng.normal(size, size, dtype=torch.float64)
    by_source[:, :4] -= 9
    means = [*range(5, size), 4]  # each word means the next one
    for word, meaning in zip(range(4, size), means):
        by_source[word, meaning] += 4
    by_source[EOS, EOS] += 30
    by_last = 0.8 * rng.normal(size, size, dtype=torch.float64)
    pairs = []
    for index in range(number):
        source = rng.integers(4, size - 1, 4 + 7 * index % 9).tolist()
        target = [means[word - 4] if rng.uniform(1).item() > 0.15 else 4 for word in source]
        target += [int(rng.integers(4, size - 1, 1))] * (index % 3 == 0)
        texts = [" ".join(WORDS[word - 4] for word in ids) for ids in (source, target)]
        pairs.append(tuple(text.replace(" ,", ",").replace(" .", ".") for text in texts))
        if index % 3 == 1:  # "Rot" is another word than "rot"
            pairs[-1] = pairs[-1][0], pairs[-1][1][:1].swapcase() + pairs[-1][1][1:]
    return [by_source, by_last], pairs


def _scores(learner, reference, rng, names, number=9, **options):
    """What evaluate says, by name, of the learner's and of the reference."""
    tables, pairs = _texts(rng, number)
    got, expected = (reply_of(one, judge, tables, WORDS, pairs, parts=5, **options)[0] for one in (learner, reference))
    if not isinstance(got, dict) or not {"bleu", "loss"} <= got.keys():
        raise AssertionError(f'evaluate should return {{"bleu": ..., "loss": ...}}, but returned {got!r:.200}.')
    for name in names:
        assert type(got[name]) in (float, int), f'"{name}" should be a float, but is a {type(got[name]).__name__}.'
    return tuple(got[name] for name in names), tuple(expected[name] for name in names)


SIZES = {"num_layers": 3, "d_model": 8, "d_ff": 5, "num_heads": 4}


def _maps(learner, reference, rng, number=1, **options):
    """The maps of so many pairs of sentences, gradients and modes; then the maps of the reference."""
    sentences = []
    for index in range(number):
        sentences.append((rng.integers(4, 13, 1, 7 + index), rng.integers(4, 17, 1, 5 + index)))
        sentences[-1][1][0, 0] = BOS
    request = (SIZES, sentences, int(rng.integers(0, 10**6, 1)))
    found, recorded, modes = reply_of(learner, draw_maps, *request, parts=3, **options)
    for maps in found:
        if not isinstance(maps, dict) or not {"encoder", "decoder", "cross"} <= maps.keys():
            raise AssertionError(
                'attention_maps should return a dictionary with "encoder", "decoder" and "cross", '
                f"but returned {sorted(maps) if isinstance(maps, dict) else type(maps).__name__}."
            )
    return found, recorded, modes, reply_of(reference, draw_maps, *request)[0]


def _check_map(learner, reference, rng, name):
    found, _, _, expected = _maps(learner, reference, rng)
    assert_close(found[0][name], expected[0][name], f'attention_maps(model, src, tgt)["{name}"]')


# ---------------------------------------------------------------------------------------------------------------------
# token_batches


@pytest.mark.task("translation.token_batches", points=1)
def test_each_once(learner, reference, rng):
    """Every pair is in one batch, once."""
    for count, low, high, max_tokens in ((13, 2, 12, 60), (40, 3, 9, 70), (7, 5, 6, 30), (1, 4, 5, 20)):
        _batches(learner, _lengths(rng, count, low, high), max_tokens)


@pytest.mark.task("translation.token_batches", points=2)
def test_budget(learner, reference, rng):
    """No batch costs more than max_tokens, padding of source and target included."""
    for count, low, high, max_tokens in ((23, 2, 15, 61), (30, 1, 40, 90), (12, 5, 6, 34), (26, 7, 12, 100)):
        lengths = _lengths(rng, count, low, high)
        (batches,), _ = _batches(learner, lengths, max_tokens)
        _check_costs(lengths, max_tokens, batches)
    # The longest source and the longest target belong to different pairs; then equal pairs, of which one more would
    # make max_tokens + 1.
    for lengths, max_tokens in (([(3, 9), (9, 3), (3, 9), (9, 3)], 30), ([(2, 8), (3, 2)], 21), ([(5, 5)] * 7, 29)):
        (batches,), _ = _batches(learner, lengths, max_tokens)
        _check_costs(lengths, max_tokens, batches)


@pytest.mark.task("translation.token_batches", points=2)
def test_little_padding(learner, reference, rng):
    """Pairs of like length share a batch, so that few batches with little padding will do."""
    cases = [(120, 2, 30, 240), (90, 2, 12, 110), (60, 5, 9, 400)]
    several = [(_lengths(rng, count, low, high), max_tokens) for count, low, high, max_tokens in cases]
    # One pair is long, and comes first, from whichever end one begins: it is nothing to the batches after its own.
    several += [([(5, 5)] * 20 + [odd] + [(5, 5)] * 20, 130) for odd in ((1, 60), (60, 1))]
    for lengths, max_tokens in several:
        count = len(lengths)
        (batches,), _ = _batches(learner, lengths, max_tokens)
        _check_costs(lengths, max_tokens, batches)
        number, cost = _oracle(lengths, max_tokens)
        tokens = sum(map(sum, lengths))
        assert len(batches) <= 2 * number + 1, (
            f"{count} pairs of {tokens} tokens make {len(batches)} batches with max_tokens={max_tokens}; "
            f"{number} will do."
        )
        total = sum(_cost(lengths, batch) for batch in batches)
        assert total <= 1.25 * cost, (
            f"{count} pairs of {tokens} tokens cost {total} tokens with their padding; {cost} will do, if pairs of "
            "like length share a batch."
        )


@pytest.mark.task("translation.token_batches", points=1)
def test_exactly_full(learner, reference, rng):
    """A pair that costs max_tokens is allowed, and has a batch to itself."""
    cases = [([(3, 4), (7, 5), (5, 6), (2, 2)], 12), ([(4, 3)], 7), ([(2, 2), (2, 2), (4, 4)], 8)]
    for (lengths, max_tokens), error in zip(cases, reply_of(learner, refused, cases, parts=len(cases))):
        assert error is False, (
            f"token_batches with pairs of the lengths {lengths} and max_tokens={max_tokens} raises ValueError; but no "
            f"pair costs more than {max_tokens}, and one that costs exactly as much is allowed."
        )
        (batches,), _ = _batches(learner, lengths, max_tokens)
        _check_costs(lengths, max_tokens, batches)


@pytest.mark.task("translation.token_batches", points=1)
def test_too_long(learner, reference, rng):
    """A pair that alone costs more than max_tokens is an error that names its place."""
    cases = [
        ([(3, 4), (8, 5), (5, 6)], 12, 1),
        ([(2, 3), (1, 1), (3, 3), (30, 10)], 39, 3),
        ([(20, 13), (1, 1)], 32, 0),
    ]
    replies = reply_of(learner, refusals, [case[:2] for case in cases], parts=len(cases))
    for (lengths, max_tokens, place), reply in zip(cases, replies):
        what = f"token_batches with pairs of the lengths {lengths} and max_tokens={max_tokens}"
        raised = isinstance(reply, (list, tuple)) and len(reply) == 2 and isinstance(reply[1], str)
        assert raised, f"{what} should raise ValueError, but returned {reply}."
        assert {"ValueError", "TypeError"} & {*reply[0]}, f"{what} should raise ValueError, but raised {reply[0][0]}."
        words = "".join(letter if letter.isalnum() else " " for letter in reply[1]).split()
        assert str(place) in words, f"{what}: the message does not name the place {place}, but says: {reply[1]}"
    _batches(learner, [(3, 4), (6, 6), (5, 6)], 12)


@pytest.mark.task("translation.token_batches", points=1)
def test_no_pairs(learner, reference, rng):
    """Without pairs there are no batches; with one there is one."""
    for seeds in ([None], [3]):
        (batches,), _ = _batches(learner, [], 10, seeds)
        assert_equal(list(batches), [], "token_batches([], 10)")
        (batches,), _ = _batches(learner, [(4, 3)], 10, seeds)
        assert_equal([list(batch) for batch in batches], [[0]], "token_batches of one pair")


@pytest.mark.task("translation.token_batches", points=1)
def test_pairs_stay(learner, reference, rng):
    """The list of pairs is not changed, with a generator or without."""
    lengths = [(9, 8), (2, 3), (7, 6), (2, 2), (11, 9), (5, 6), (3, 3), (8, 8)]
    for seeds in ([None], [4]):
        _, unchanged = _batches(learner, lengths, 40, seeds)
        assert unchanged is True, "After the call the list of pairs is not what it was."


@pytest.mark.task("translation.token_batches", points=2)
def test_shuffle(learner, reference, rng):
    """A generator changes the order of the batches, as torch.randperm draws it, and nothing else."""
    lengths = _lengths(rng, 70, 4, 15)
    seeds = [None, 1, 2, 3, 1, None]
    runs, _ = _batches(learner, lengths, 60, seeds)
    plain, *shuffled, last = [[list(batch) for batch in batches] for batches in runs]
    assert_equal(last, plain, "the batches without a generator, asked for a second time")
    for seed, batches in zip(seeds[1:], shuffled):
        _check_costs(lengths, 60, batches)
        assert_equal(
            sorted(sorted(batch) for batch in batches),
            sorted(sorted(batch) for batch in plain),
            "what is in the batches with a generator, against those without",
        )
        generator = torch.Generator().manual_seed(seed)
        torch.rand(1, generator=generator)  # as in `divide`
        expected = [sorted(plain[place]) for place in torch.randperm(len(plain), generator=generator).tolist()]
        assert_equal([sorted(batch) for batch in batches], expected, "the batches in the order of torch.randperm")


# ---------------------------------------------------------------------------------------------------------------------
# training_step


@pytest.mark.task("translation.training_step", points=1)
def test_loss(learner, reference, rng):
    """The loss is that of all target tokens, divided by their number; numbers are plain ones."""
    for number in (1, 3):
        got, expected = _step(learner, reference, rng, number, ["kinds", "loss", "tokens"])
        names = ("loss", "tokens", "norm")
        for name, kind, right in zip(names, got[0], ("float", "int", "float")):
            assert kind == right, f"StepResult.{name} should be a plain {right}, but is a {kind}."
        what = f"with {number} micro-batches"
        assert_equal(got[2], expected[2], f"StepResult.tokens {what}")
        assert_close(got[1], expected[1], f"StepResult.loss {what}", 1e-5)


@pytest.mark.task("translation.training_step", points=1)
def test_training_mode(learner, reference, rng):
    """The whole model is in training mode, for every micro-batch."""
    for training in (False, True):
        (modes,), _ = _step(learner, reference, rng, 3, ["modes"], training=training)
        assert len(modes) == 3, f"With 3 micro-batches the model is called {len(modes)} times."
        assert all(all(mode) for mode in modes), "While it is trained, the model is in evaluation mode."


@pytest.mark.task("translation.training_step", points=1)
def test_one_batch(learner, reference, rng):
    """With one batch, the gradient is that of its loss per token."""
    _check_gradient(learner, reference, rng, 1)


@pytest.mark.task("translation.training_step", points=1)
def test_left_over_gradients(learner, reference, rng):
    """Gradients from before the step do not count."""
    _check_gradient(learner, reference, rng, 1, left_over=0.7)


@pytest.mark.task("translation.training_step", points=2)
def test_accumulation(learner, reference, rng):
    """Several micro-batches make one step, with the gradient of all their tokens as one batch."""
    for number in (2, 3, 4):
        _check_gradient(learner, reference, rng, number)


@pytest.mark.task("translation.training_step", points=2)
def test_clipping(learner, reference, rng):
    """The gradient of all micro-batches together is clipped to max_norm."""
    for number, max_norm in ((1, 0.05), (3, 0.02)):
        _check_gradient(learner, reference, rng, number, max_norm=max_norm)


@pytest.mark.task("translation.training_step", points=1)
def test_short_gradients_stay(learner, reference, rng):
    """A gradient that is shorter than max_norm stays as it is."""
    for number, max_norm in ((1, 50.0), (3, 1000.0)):
        _check_gradient(learner, reference, rng, number, max_norm=max_norm)


@pytest.mark.task("translation.training_step", points=1)
def test_norm(learner, reference, rng):
    """`norm` is that of the whole gradient before clipping, also where nothing is clipped."""
    for number, max_norm in ((2, 0.03), (3, 70.0), (2, None)):
        (got,), (expected,) = _step(learner, reference, rng, number, ["norm"], max_norm=max_norm)
        assert_close(got, expected, f"StepResult.norm with {number} micro-batches and max_norm={max_norm}", 1e-5)


@pytest.mark.task("translation.training_step", points=2)
def test_scheduler(learner, reference, rng):
    """The scheduler steps once, after the optimiser."""
    rates = [round(float(rate), 3) for rate in rng.uniform(6, low=0.2, high=2.0)]
    for number in (1, 3):
        wanted = ["rates", "scheduled", "parameters"]
        got, expected = _step(learner, reference, rng, number, wanted, rates=rates)
        what = f"with {number} micro-batches"
        assert len(got[0]) == 1, f"The optimiser makes {len(got[0])} steps {what} instead of one."
        assert_close(got[0][0], expected[0][0], f"the rate at which the optimiser steps {what}")
        assert_equal(got[1], 1, f"the number of steps of the scheduler {what}")
        assert_close(got[2], expected[2], f"the parameters after the step {what}", 1e-5, 1e-8)


# ---------------------------------------------------------------------------------------------------------------------
# evaluate


@pytest.mark.task("translation.evaluate", points=2)
def test_bleu(learner, reference, rng):
    """BLEU is that of all translations together, each against its own reference."""
    for number in (6, 11):
        got, expected = _scores(learner, reference, rng, ["bleu"], number)
        assert_close(got[0], expected[0], f'evaluate(...)["bleu"] of {number} pairs', 1e-6)


@pytest.mark.task("translation.evaluate", points=2)
def test_loss_per_token(learner, reference, rng):
    """The loss is the cross-entropy of all target tokens, divided by their number."""
    for number, options in ((1, {}), (7, {}), (9, {"max_tokens": 30})):
        got, expected = _scores(learner, reference, rng, ["loss"], number, **options)
        assert_close(got[0], expected[0], f'evaluate(...)["loss"] of {number} pairs', 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_evaluation_mode(learner, reference, rng):
    """The model is judged in evaluation mode and without gradients, whatever its mode before."""
    tables, pairs = _texts(rng, 7)
    for training in (True, False):
        result, seen, *_ = reply_of(learner, judge, tables, WORDS, pairs, training, parts=5)
        assert seen, "The model's encoder was not used."
        assert not any(mode for mode, _ in seen), "While it is judged, the model is in training mode."
        assert not any(recorded for _, recorded in seen), "While it is judged, the model runs with gradients enabled."
        expected = reply_of(reference, judge, tables, WORDS, pairs, training)[0]
        right = isinstance(result, dict) and {"bleu", "loss"} <= result.keys()
        assert right, "evaluate should return a dictionary."
        assert_close(result["loss"], expected["loss"], f'"loss" of a model that came with training={training}', 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_mode_stays(learner, reference, rng):
    """The model's mode is afterwards what it was before; pairs and parameters are left alone."""
    tables, pairs = _texts(rng, 5)
    for training in (False, True):
        _, seen, after, grown, unchanged = reply_of(learner, judge, tables, WORDS, pairs, training, parts=5)
        assert seen, "The model's encoder was not used."
        assert after is training, f"The model came with training={training} and is left with training={after}."
        assert not grown, "After the evaluation there are gradients."
        assert unchanged is True, "After the evaluation the list of pairs is not what it was."


@pytest.mark.task("translation.evaluate", points=1)
def test_tokenizer(learner, reference, rng):
    """A tokenizer that is given counts, and not that of the model."""
    got, expected = _scores(learner, reference, rng, ["bleu", "loss"], whose="given")
    assert_close(got, expected, ('"bleu" with a tokenizer', '"loss" with a tokenizer'), 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_beam_size(learner, reference, rng):
    """The beam's size reaches the decoding."""
    for beam_size in (2, 3):
        got, expected = _scores(learner, reference, rng, ["bleu"], 8, beam_size=beam_size)
        assert_close(got[0], expected[0], f'"bleu" with beam_size={beam_size}', 1e-6)


@pytest.mark.task("translation.evaluate", points=1)
def test_long_pairs(learner, reference, rng):
    """A pair that costs more than max_tokens is judged all the same."""
    got, expected = _scores(learner, reference, rng, ["bleu", "loss"], max_tokens=5)
    assert_close(got, expected, ('"bleu" with max_tokens=5', '"loss" with max_tokens=5'), 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_nothing_to_judge(learner, reference, rng):
    """Without pairs both scores are 0."""
    got, _ = _scores(learner, reference, rng, ["bleu", "loss"], 0)
    assert_close(got, (0.0, 0.0), ('"bleu" without pairs', '"loss" without pairs'))
    got, expected = _scores(learner, reference, rng, ["loss"], 2)
    assert_close(got[0], expected[0], '"loss" of 2 pairs', 1e-5)


# ---------------------------------------------------------------------------------------------------------------------
# attention_maps


@pytest.mark.task("translation.attention_maps", points=1)
def test_shapes(learner, reference, rng):
    """Three maps, each (layer, head, query, key)."""
    found, *_ = _maps(learner, reference, rng)
    shapes = {"encoder": (3, 4, 7, 7), "decoder": (3, 4, 5, 5), "cross": (3, 4, 5, 7)}
    for name, shape in shapes.items():
        got = found[0][name]
        what = f'attention_maps(model, src, tgt)["{name}"]'
        assert isinstance(got, torch.Tensor), f"{what} should be a tensor, but is a {type(got).__name__}."
        assert got.shape == shape, f"{what} should have the shape {shape}, but has {tuple(got.shape)}."
        assert bool((got.sum(-1) - 1).abs().max() < 1e-3), f"{what}: the weights of a query do not add up to 1."


@pytest.mark.task("translation.attention_maps", points=1)
def test_encoder(learner, reference, rng):
    """The encoder's maps, all layers and heads."""
    _check_map(learner, reference, rng, "encoder")


@pytest.mark.task("translation.attention_maps", points=1)
def test_decoder(learner, reference, rng):
    """The decoder's own maps, which never look ahead."""
    _check_map(learner, reference, rng, "decoder")


@pytest.mark.task("translation.attention_maps", points=1)
def test_cross(learner, reference, rng):
    """The maps from the decoder to the encoder."""
    _check_map(learner, reference, rng, "cross")


@pytest.mark.task("translation.attention_maps", points=1)
def test_without_dropout(learner, reference, rng):
    """Maps of a model that is being trained are those of evaluation mode."""
    found, _, _, expected = _maps(learner, reference, rng, training=True, dropout=0.5)
    for name, right in expected[0].items():
        assert_close(found[0][name], right, f'"{name}" of a model with dropout, in training mode')


@pytest.mark.task("translation.attention_maps", points=1)
def test_model_stays(learner, reference, rng):
    """The model's mode is afterwards what it was before."""
    for training in (True, False):
        found, _, modes, _ = _maps(learner, reference, rng, training=training)
        assert isinstance(found[0]["cross"], torch.Tensor), '"cross" should be a tensor.'
        assert found[0]["cross"].shape == (3, 4, 5, 7), '"cross" has the wrong shape.'
        assert modes == [training], f"The model came with training={training} and is left with {modes}."


@pytest.mark.task("translation.attention_maps", points=1)
def test_no_gradients(learner, reference, rng):
    """The maps belong to no graph of gradients."""
    found, recorded, *_ = _maps(learner, reference, rng)
    assert isinstance(found[0]["cross"], torch.Tensor), '"cross" should be a tensor.'
    assert found[0]["cross"].shape == (3, 4, 5, 7), '"cross" has the wrong shape.'
    assert not recorded, "The maps are recorded for gradients."


@pytest.mark.task("translation.attention_maps", points=1)
def test_next_sentence(learner, reference, rng):
    """A second pair of sentences has maps of its own, and those of the first stay."""
    found, _, _, expected = _maps(learner, reference, rng, 3)
    for index, (maps, right) in enumerate(zip(found, expected), 1):
        for name, values in right.items():
            assert_close(maps[name], values, f'"{name}" of pair {index} of 3')


# ---------------------------------------------------------------------------------------------------------------------
# read_alignment


def _alignment(learner, weights):
    links, after = reply_of(learner, align, weights, parts=2)
    right = isinstance(links, (list, tuple)) and all(type(link) is int for link in links)
    assert right, f"read_alignment should return a list of integers, but returned {links!r:.200}."
    return list(links), after


def _weights(rng, *shape, dtype=torch.float32):
    return rng.normal(*shape, dtype=dtype).softmax(-1)


@pytest.mark.task("translation.read_alignment", points=1)
def test_strongest(learner, reference, rng):
    """For each target position, the source position with the largest weight."""
    for targets, sources in ((5, 7), (8, 3), (6, 6)):
        weights = _weights(rng, targets, sources)
        expected = [max(range(sources), key=row.__getitem__) for row in weights.tolist()]
        assert_equal(_alignment(learner, weights)[0], expected, f"read_alignment of weights ({targets}, {sources})")


@pytest.mark.task("translation.read_alignment", points=1)
def test_any_order(learner, reference, rng):
    """Links may cross, meet in one source position, and leave others out."""
    for expected in ([3, 2, 1, 0], [4, 4, 4], [0, 5, 0, 5, 2], [6, 0, 6]):
        weights = 0.1 * _weights(rng, len(expected), 7)
        for target, source in enumerate(expected):
            weights[target, source] = 0.8
        assert_equal(_alignment(learner, weights)[0], expected, "read_alignment of weights (T, 7)")


@pytest.mark.task("translation.read_alignment", points=1)
def test_ties(learner, reference, rng):
    """Of equally large weights, the first counts."""
    weights = torch.tensor([[0.1, 0.4, 0.1, 0.4], [0.25] * 4, [0.5, 0.0, 0.5, 0.0], [0.2, 0.2, 0.3, 0.3]])
    firsts, order = torch.tensor([1, 0, 0, 2]), rng.uniform(4).argsort()
    for rows in (order, order[1:]):
        assert_equal(
            _alignment(learner, weights[rows])[0], firsts[rows].tolist(), "read_alignment of weights with ties"
        )


@pytest.mark.task("translation.read_alignment", points=1)
def test_faint(learner, reference, rng):
    """The largest weight counts even if it is small, or hardly larger than the next."""
    for more in (1e-3, 1e-5):  # the second is lost in bfloat16
        weights = torch.full((4, 60), 1 / 60)
        places = rng.integers(1, 60, 4).tolist()
        for target, source in enumerate(places):
            weights[target, source] += more
        assert_equal(_alignment(learner, weights)[0], places, "read_alignment of nearly uniform weights")
    assert_equal(_alignment(learner, torch.tensor([[1.0], [1.0]]))[0], [0, 0], "read_alignment of weights (2, 1)")


@pytest.mark.task("translation.read_alignment", points=1)
def test_weights_stay(learner, reference, rng):
    """The weights are not changed, whatever their dtype."""
    for dtype in (torch.float64, torch.bfloat16):
        weights = _weights(rng, 4, 6, dtype=torch.float64).to(dtype)
        links, after = _alignment(learner, weights)
        assert_equal(after, weights, "the weights after the call")
        assert_equal(links, weights.double().argmax(1).tolist(), f"read_alignment of weights in {dtype}")


# ---------------------------------------------------------------------------------------------------------------------
# train_translator


PARAMETERS = 500_000
# Learners are told 60 seconds. On a busy machine the same work takes more processor time (caches and cores are shared),
# and many times as long by the clock: so the grader gives twice as much, and waits five times as long as that.
SECONDS = 60.0
GIVEN = 2 * SECONDS  # of processor time
PATIENCE = 5 * GIVEN  # of the clock, for an answer that sleeps instead of computing
LONGEST = 7  # words and punctuation marks of a sentence
THRESHOLDS = (20, 40, 60, 80)


@lru_cache(maxsize=8)
def _short_pairs(n, seed, split):
    """Pairs of few words. Nothing in one split is in another."""
    pairs = grammar_pairs(3 * n + 150, seed, split)  # more than a third is short
    short = [(german, english) for german, english in pairs if len(words(german)) <= LONGEST]
    assert len(short) >= n, "The grammar gave too few short sentences."
    return short[:n]


def _check_manners(learner, rng):
    """That train_translator returns what it should, tried out on a few pairs."""
    pairs = _short_pairs(24, int(rng.integers(0, 10**6, 1)), "train")
    german, english = (list(texts) for texts in zip(*pairs))
    request = (german, english, int(rng.integers(0, 1000, 1)), 2 * GIVEN)  # it may take as many steps as for all pairs
    said = reply_of(learner, try_out, *request, seconds=PATIENCE)
    assert isinstance(said, dict), "What train_translator returned could not be tried out."
    number = said.get("parameters")
    assert type(number) is int, "The parameters of the model could not be counted."
    assert number <= PARAMETERS, f"The model has {number:,} parameters; {PARAMETERS:,} are allowed."
    assert number > 0, "The model has no parameters, so nothing of it was trained."
    complaints = {
        "pairs": "After train_translator the list of pairs is not what it was.",
        "number": "translate should return one translation for each sentence.",
        "twice": "translate says something else when it is called a second time: is the model in evaluation mode?",
        "turned round": "Sentences in another order should give their own translations, in that order.",
        "again": "Trained a second time with the same seed, it translates in another way.",
    }
    for name, complaint in complaints.items():
        assert said.get(name) is True, complaint
    assert said.get("unchanged") is not True, "translate returns the German sentences as they are."


@pytest.mark.task("translation.train_translator", points=8)
def test_translator(learner, reference, rng):
    """BLEU of at least 20, 40, 60, 80 on sentences that it has never seen: 2 points each."""
    _check_manners(learner, rng)
    pairs = _short_pairs(4000, int(rng.integers(0, 10**6, 1)), "train")
    hidden = _short_pairs(150, int(rng.integers(0, 10**6, 1)), "test")
    lines = "\n".join("\t".join(pair) for pair in pairs)
    sentences = "\n".join(german for german, _ in hidden)
    request = (lines, sentences, int(rng.integers(0, 1000, 1)), GIVEN)
    outputs, number, needed = reply_of(learner, train_and_translate, *request, parts=3, seconds=PATIENCE)
    right = isinstance(outputs, list) and all(isinstance(one, str) for one in outputs) and len(outputs) == len(hidden)
    assert right, "translate should return a list with one text for each sentence."
    assert type(number) is int and number <= PARAMETERS, (
        f"The model has {number} parameters; {PARAMETERS:,} are allowed."
    )
    bleu = corpus_bleu([words(one) for one in outputs], [[words(english)] for _, english in hidden])
    reached = sum(bleu >= threshold for threshold in THRESHOLDS)
    assert needed is True or not reached, (
        "The translations do not depend on the parameters of the model that you return: return the one that translates."
    )
    if reached < len(THRESHOLDS):
        raise PartlyRight(
            f"BLEU is {bleu:.1f} on {len(hidden)} sentences that were not in the pairs; the next points come at "
            f"{THRESHOLDS[reached]}. For example: {hidden[0][0]!r} became {outputs[0][:100]!r}.",
            Fraction(reached, len(THRESHOLDS)),
        )
