"""Checks of the unit on translation. They use small models that are made here; a Transformer only for its attention.

Each task stands with its drivers, helpers and checks, from basic to subtle. Each check looks at one mechanism. The
capstone, train_translator, is one check that trains, with a time limit of its own.
"""

from fractions import Fraction
from functools import lru_cache

import pytest
import torch
from torch import nn

from autograder.judging.assertions import PartlyRight, assert_close, assert_equal
from autograder.judging.replies import assert_refused, reply_of
from autograder.sandbox.drivers import OutOfTime, processor_time
from autograder.units.support.drivers import (
    NotingDescent,
    all_parameters,
    batches_of,
    generator_from,
    refusal,
    summed_loss,
)
from autograder.units.support.oracles import padded_ids
from solutions import BOS, EOS
from solutions.bleu import corpus_bleu
from solutions.grammar import grammar_pairs
from solutions.translation import words

# ---------------------------------------------------------------------------------------------------------------------
# evaluate


class WordTokenizer:
    """A word is one token, whatever its case, and so is a punctuation mark: equal ids do not mean equal words."""

    def __init__(self, words):
        self.words = words
        self.ids = {word.lower(): number for number, word in enumerate(words, 4)}

    def encode_all(self, texts):
        import re

        return [[self.ids.get(word, 1) for word in re.findall(r"\w+|[^\w\s]", text.lower())] for text in texts]

    def encode(self, text):
        return self.encode_all([text])[0]

    def decode(self, ids):
        import re

        text = " ".join(self.words[one - 4] if one >= 4 else "?" for one in ids if one not in (0, 2, 3))
        return re.sub(r" (?=[.,])", "", text)


class WordModel(nn.Module):
    """Translates word by word: tables score the next word by the source word at its position and by the word before.

    Notes in which mode it encodes, and whether gradients are recorded then. In training mode its scores are wrong.
    """

    def __init__(self, tables):
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


def judge(learner, tables, words, pairs, training=False, whose="model", **options):
    """The scores that evaluate gives a model that translates word by word, and what it leaves behind.

    The tokeniser comes with the model, or (``whose`` is "given") as an argument; then that of the model knows other
    words. Returns the scores, the modes that the model noted, its mode afterwards, whether there are gradients, and
    whether the pairs are what they were.
    """
    model = WordModel(tables).train(training)
    model.tokenizer = WordTokenizer(words if whose == "model" else words[::-1])
    given = {} if whose == "model" else {"tokenizer": WordTokenizer(words)}
    pairs = [tuple(pair) for pair in pairs]
    before = list(pairs)
    result = learner.evaluate(model, pairs, **given, **options)
    grown = any(one.grad is not None for one in model.parameters())
    return result, sorted(model.seen), model.training, grown, pairs == before


def judged(subject, *request, **options):
    """The reply of `judge`."""
    return reply_of(subject, judge, *request, parts=5, uses=(WordTokenizer, WordModel), **options)


WORDS = ["Haus", "Baum", "Hund", "rot", "alt", "sieht", "ein", "die", "der", "nicht", ",", "."]


def texts_and_tables(rng, number):
    """Tables of a model that translates word by word; and pairs of a text and a reference that differs a little."""
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


def both_scores(learner, reference, rng, names, number=9, **options):
    """The scores with these names: from the learner's evaluate, and from the reference's."""
    tables, pairs = texts_and_tables(rng, number)
    got, expected = (judged(one, tables, WORDS, pairs, **options)[0] for one in (learner, reference))
    if not isinstance(got, dict) or not {"bleu", "loss"} <= got.keys():
        raise AssertionError(f'evaluate should return {{"bleu": ..., "loss": ...}}, but returned {got!r:.200}.')
    for name in names:
        assert type(got[name]) in (float, int), f'"{name}" should be a float, but is a {type(got[name]).__name__}.'
    return tuple(got[name] for name in names), tuple(expected[name] for name in names)


@pytest.mark.task("translation.evaluate", points=2)
def test_bleu(learner, reference, rng):
    """BLEU is that of all translations together, each against its own reference."""
    for number in (6, 11):
        got, expected = both_scores(learner, reference, rng, ["bleu"], number)
        assert_close(got[0], expected[0], f'evaluate(...)["bleu"] of {number} pairs', 1e-6)


@pytest.mark.task("translation.evaluate", points=2)
def test_loss_per_token(learner, reference, rng):
    """The loss is the cross-entropy of all target tokens, divided by their number."""
    for number, options in ((1, {}), (7, {}), (9, {"max_tokens": 30})):
        got, expected = both_scores(learner, reference, rng, ["loss"], number, **options)
        assert_close(got[0], expected[0], f'evaluate(...)["loss"] of {number} pairs', 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_evaluation_mode(learner, reference, rng):
    """The model is judged in evaluation mode and without gradients, whatever its mode before."""
    tables, pairs = texts_and_tables(rng, 7)
    for training in (True, False):
        result, seen, *_ = judged(learner, tables, WORDS, pairs, training)
        assert seen, "The model's encoder was not used."
        assert not any(mode for mode, _ in seen), "While it is judged, the model is in training mode."
        assert not any(recorded for _, recorded in seen), "While it is judged, the model runs with gradients enabled."
        expected = judged(reference, tables, WORDS, pairs, training)[0]
        right = isinstance(result, dict) and {"bleu", "loss"} <= result.keys()
        assert right, "evaluate should return a dictionary."
        assert_close(result["loss"], expected["loss"], f'"loss" of a model that came with training={training}', 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_mode_stays(learner, reference, rng):
    """The model's mode afterwards is that from before; pairs and parameters are left alone."""
    tables, pairs = texts_and_tables(rng, 5)
    for training in (False, True):
        _, seen, after, grown, unchanged = judged(learner, tables, WORDS, pairs, training)
        assert seen, "The model's encoder was not used."
        assert after is training, f"The model came with training={training} and is left with training={after}."
        assert not grown, "After the evaluation there are gradients."
        assert unchanged is True, "After the evaluation the list of pairs is not what it was."


@pytest.mark.task("translation.evaluate", points=1)
def test_tokenizer(learner, reference, rng):
    """A tokenizer that is passed is used in place of the model's."""
    got, expected = both_scores(learner, reference, rng, ["bleu", "loss"], whose="given")
    assert_close(got, expected, ('"bleu" with a tokenizer', '"loss" with a tokenizer'), 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_beam_size(learner, reference, rng):
    """beam_size is passed on to the decoding."""
    for beam_size in (2, 3):
        got, expected = both_scores(learner, reference, rng, ["bleu"], 8, beam_size=beam_size)
        assert_close(got[0], expected[0], f'"bleu" with beam_size={beam_size}', 1e-6)


@pytest.mark.task("translation.evaluate", points=1)
def test_long_pairs(learner, reference, rng):
    """A pair that costs more than max_tokens is judged all the same."""
    got, expected = both_scores(learner, reference, rng, ["bleu", "loss"], max_tokens=5)
    assert_close(got, expected, ('"bleu" with max_tokens=5', '"loss" with max_tokens=5'), 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_nothing_to_judge(learner, reference, rng):
    """Without pairs both scores are 0."""
    got, _ = both_scores(learner, reference, rng, ["bleu", "loss"], 0)
    assert_close(got, (0.0, 0.0), ('"bleu" without pairs', '"loss" without pairs'))
    got, expected = both_scores(learner, reference, rng, ["loss"], 2)
    assert_close(got[0], expected[0], '"loss" of 2 pairs', 1e-5)


# ---------------------------------------------------------------------------------------------------------------------
# attention_maps


def draw_maps(learner, sizes, sentences, seed, training=False, dropout=0.0):
    """The maps of some pairs of sentences, whether they record gradients, and the model's modes afterwards."""
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


SIZES = {"num_layers": 3, "d_model": 8, "d_ff": 5, "num_heads": 4}


def both_maps(learner, reference, rng, number=1, **options):
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


@pytest.mark.task("translation.attention_maps", points=1)
def test_shapes(learner, reference, rng):
    """Three maps, each (layer, head, query, key)."""
    found, *_ = both_maps(learner, reference, rng)
    shapes = {"encoder": (3, 4, 7, 7), "decoder": (3, 4, 5, 5), "cross": (3, 4, 5, 7)}
    for name, shape in shapes.items():
        got = found[0][name]
        what = f'attention_maps(model, src, tgt)["{name}"]'
        assert isinstance(got, torch.Tensor), f"{what} should be a tensor, but is a {type(got).__name__}."
        assert got.shape == shape, f"{what} should have the shape {shape}, but has {tuple(got.shape)}."
        assert bool((got.sum(-1) - 1).abs().max() < 1e-3), f"{what}: the weights of a query do not add up to 1."


def check_map(learner, reference, rng, name):
    found, _, _, expected = both_maps(learner, reference, rng)
    assert_close(found[0][name], expected[0][name], f'attention_maps(model, src, tgt)["{name}"]')


@pytest.mark.task("translation.attention_maps", points=1)
def test_encoder(learner, reference, rng):
    """The encoder's maps, all layers and heads."""
    check_map(learner, reference, rng, "encoder")


@pytest.mark.task("translation.attention_maps", points=1)
def test_decoder(learner, reference, rng):
    """The decoder's own maps, which never look ahead."""
    check_map(learner, reference, rng, "decoder")


@pytest.mark.task("translation.attention_maps", points=1)
def test_cross(learner, reference, rng):
    """The maps from the decoder to the encoder."""
    check_map(learner, reference, rng, "cross")


@pytest.mark.task("translation.attention_maps", points=1)
def test_without_dropout(learner, reference, rng):
    """Maps of a model in training mode are those of evaluation mode."""
    found, _, _, expected = both_maps(learner, reference, rng, training=True, dropout=0.5)
    for name, right in expected[0].items():
        assert_close(found[0][name], right, f'"{name}" of a model with dropout, in training mode')


@pytest.mark.task("translation.attention_maps", points=1)
def test_model_stays(learner, reference, rng):
    """The model's mode afterwards is that from before."""
    for training in (True, False):
        found, _, modes, _ = both_maps(learner, reference, rng, training=training)
        assert isinstance(found[0]["cross"], torch.Tensor), '"cross" should be a tensor.'
        assert found[0]["cross"].shape == (3, 4, 5, 7), '"cross" has the wrong shape.'
        assert modes == [training], f"The model came with training={training} and is left with {modes}."


@pytest.mark.task("translation.attention_maps", points=1)
def test_no_gradients(learner, reference, rng):
    """The maps are detached from the graph of gradients."""
    found, recorded, *_ = both_maps(learner, reference, rng)
    assert isinstance(found[0]["cross"], torch.Tensor), '"cross" should be a tensor.'
    assert found[0]["cross"].shape == (3, 4, 5, 7), '"cross" has the wrong shape.'
    assert not recorded, "The maps are recorded for gradients."


@pytest.mark.task("translation.attention_maps", points=1)
def test_next_sentence(learner, reference, rng):
    """A second pair of sentences gets its own maps, and those of the first stay unchanged."""
    found, _, _, expected = both_maps(learner, reference, rng, 3)
    for index, (maps, right) in enumerate(zip(found, expected), 1):
        for name, values in right.items():
            assert_close(maps[name], values, f'"{name}" of pair {index} of 3')


# ---------------------------------------------------------------------------------------------------------------------
# read_alignment


def align(learner, weights):
    """The alignment, and the weights afterwards."""
    return learner.read_alignment(weights), weights


def alignment_of(learner, weights):
    links, after = reply_of(learner, align, weights, parts=2)
    right = isinstance(links, (list, tuple)) and all(type(link) is int for link in links)
    assert right, f"read_alignment should return a list of integers, but returned {links!r:.200}."
    return list(links), after


def random_weights(rng, *shape, dtype=torch.float32):
    return rng.normal(*shape, dtype=dtype).softmax(-1)


@pytest.mark.task("translation.read_alignment", points=1)
def test_strongest(learner, reference, rng):
    """For each target position, the source position with the largest weight."""
    for targets, sources in ((5, 7), (8, 3), (6, 6)):
        weights = random_weights(rng, targets, sources)
        expected = [max(range(sources), key=row.__getitem__) for row in weights.tolist()]
        assert_equal(alignment_of(learner, weights)[0], expected, f"read_alignment of weights ({targets}, {sources})")


@pytest.mark.task("translation.read_alignment", points=1)
def test_any_order(learner, reference, rng):
    """Links may cross, meet in one source position, and leave others out."""
    for expected in ([3, 2, 1, 0], [4, 4, 4], [0, 5, 0, 5, 2], [6, 0, 6]):
        weights = 0.1 * random_weights(rng, len(expected), 7)
        for target, source in enumerate(expected):
            weights[target, source] = 0.8
        assert_equal(alignment_of(learner, weights)[0], expected, "read_alignment of weights (T, 7)")


@pytest.mark.task("translation.read_alignment", points=1)
def test_ties(learner, reference, rng):
    """Of equally large weights, the first counts."""
    weights = torch.tensor([[0.1, 0.4, 0.1, 0.4], [0.25] * 4, [0.5, 0.0, 0.5, 0.0], [0.2, 0.2, 0.3, 0.3]])
    firsts, order = torch.tensor([1, 0, 0, 2]), rng.uniform(4).argsort()
    for rows in (order, order[1:]):
        assert_equal(
            alignment_of(learner, weights[rows])[0], firsts[rows].tolist(), "read_alignment of weights with ties"
        )


@pytest.mark.task("translation.read_alignment", points=1)
def test_faint(learner, reference, rng):
    """The largest weight counts even if it is small, or hardly larger than the next."""
    for more in (1e-3, 1e-5):  # the second is lost in bfloat16
        weights = torch.full((4, 60), 1 / 60)
        sources = rng.integers(1, 60, 4).tolist()
        for target, source in enumerate(sources):
            weights[target, source] += more
        assert_equal(alignment_of(learner, weights)[0], sources, "read_alignment of nearly uniform weights")
    assert_equal(alignment_of(learner, torch.tensor([[1.0], [1.0]]))[0], [0, 0], "read_alignment of weights (2, 1)")


@pytest.mark.task("translation.read_alignment", points=1)
def test_weights_stay(learner, reference, rng):
    """The weights are not changed, whatever their dtype."""
    for dtype in (torch.float64, torch.bfloat16):
        weights = random_weights(rng, 4, 6, dtype=torch.float64).to(dtype)
        links, after = alignment_of(learner, weights)
        assert_equal(after, weights, "the weights after the call")
        assert_equal(links, weights.double().argmax(1).tolist(), f"read_alignment of weights in {dtype}")


# ---------------------------------------------------------------------------------------------------------------------
# train_translator


def complaint_about_translator(result):
    """What is wrong with what train_translator returned, in a sentence; ``""`` if it is a model and a function."""
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        return f"train_translator should return (model, translate), but returned a {type(result).__name__}."
    model, translate = result
    if not isinstance(model, nn.Module):
        return f"train_translator should return (model, translate): the model is a {type(model).__name__}."
    if isinstance(translate, nn.Module) or not callable(translate):
        return f"train_translator should return (model, translate): translate is a {type(translate).__name__}."
    return ""


def complaint_about_texts(outputs):
    """What is wrong with what translate returned, in a sentence; ``""`` if it is a list of texts."""
    if not isinstance(outputs, (tuple, list)):
        return f"translate should return a list of texts, but returned a {type(outputs).__name__}."
    if not all(isinstance(one, str) for one in outputs):
        kinds = " and ".join(sorted({type(one).__name__ for one in outputs} - {"str"}))
        return f"translate should return a list of texts, but there are items of the type {kinds} in it."
    return ""


class NoGrammar:
    """A context in which the course's grammar, where there is one (in a notebook), makes no pairs."""

    def __enter__(self):
        import sys

        self.grammar = sys.modules.get("solutions.grammar")
        if self.grammar is not None:
            self.aligned_pairs = self.grammar.aligned_pairs
            self.grammar.aligned_pairs = self.refuse

    def refuse(self, *_, **__):
        raise RuntimeError("train on `pairs` alone: the grammar is not there when your answer is graded")

    def __exit__(self, *_):
        if self.grammar is not None:
            self.grammar.aligned_pairs = self.aligned_pairs


def try_out(learner, german, english, seed, given):
    """Two small trainings, the same except that all random generators have other states; then some readings.

    They are the pairs afterwards, the translations ``first``, a ``second`` time, of the sentences ``turned`` round and
    by the model that was trained ``again``, and the number of parameters. Both trainings and all translations may take
    ``given`` seconds of processor time together.
    """
    import random

    pairs = list(zip(german, english))
    results = []
    with NoGrammar(), processor_time(given, f"two trainings on {len(german)} pairs"):
        for number in range(2):
            random.seed(100 + number)
            torch.manual_seed(200 + number)
            results.append(learner.train_translator(pairs, seed))
        if complaint := complaint_about_translator(results[0]):
            return complaint
        (model, translate), again = results
        outputs = translate(list(german))
        if complaint := complaint_about_texts(outputs):
            return complaint
        return {
            "pairs": pairs,
            "first": outputs,
            "second": list(translate(list(german))),
            "turned": list(translate(list(german[::-1]))),
            "again": list(again[1](list(german))),
            "parameters": sum(one.numel() for one in {*model.parameters()}),
        }


def train_and_translate(learner, pairs, sentences, seed, given):
    """The translations, the number of parameters of the model, and the first translations when all of them are 0.

    ``pairs`` and ``sentences`` come as one text each, a line for each sentence: thousands of texts are slow to send.
    """
    with processor_time(given, "training and translating"):
        model, translate = learner.train_translator([tuple(line.split("\t")) for line in pairs.splitlines()], seed)
        outputs = list(translate(sentences.splitlines()))
    number = sum(one.numel() for one in {*model.parameters()})
    without = None
    try:
        with processor_time(10), torch.no_grad():
            for one in model.parameters():
                one.zero_()
            without = list(translate(sentences.splitlines()[:20]))
    except (OutOfTime, Exception):
        pass  # without its parameters it may never end, or fail: so it needs them
    return outputs, number, without


PARAMETERS = 500_000
# Learners are told 60 seconds. On a busy machine the same work takes more processor time (caches and cores are shared),
# and many times as long by the clock: so the grader gives twice as much, and waits five times as long as that.
SECONDS = 60.0
GIVEN = 2 * SECONDS  # of processor time
PATIENCE = 5 * GIVEN  # of the clock, for an answer that sleeps instead of computing
LONGEST = 7  # words and punctuation marks of a sentence
THRESHOLDS = (20, 40, 60, 80)


@lru_cache(maxsize=8)
def short_pairs(n, seed, split):
    """Pairs of few words. Nothing in one split is in another."""
    pairs = grammar_pairs(3 * n + 150, seed, split)  # more than a third is short
    short = [(german, english) for german, english in pairs if len(words(german)) <= LONGEST]
    assert len(short) >= n, "The grammar gave too few short sentences."
    return short[:n]


def check_manners(learner, rng):
    """train_translator returns what it should, tried out on a few pairs."""
    pairs = short_pairs(24, int(rng.integers(0, 10**6, 1)), "train")
    german, english = (list(texts) for texts in zip(*pairs))
    request = (german, english, int(rng.integers(0, 1000, 1)), 2 * GIVEN)  # it may take as many steps as for all pairs
    uses = (complaint_about_translator, complaint_about_texts, NoGrammar)
    said = reply_of(learner, try_out, *request, seconds=PATIENCE, uses=uses)
    assert isinstance(said, dict), "What train_translator returned could not be tried out."
    number = said.get("parameters")
    assert type(number) is int, "The parameters of the model could not be counted."
    assert number <= PARAMETERS, f"The model has {number:,} parameters; {PARAMETERS:,} are allowed."
    assert number > 0, "The model has no parameters, so nothing of it was trained."
    outputs = said.get("first")
    assert isinstance(outputs, (list, tuple)), "What translate returned could not be read."
    assert said.get("pairs") == pairs, "After train_translator the list of pairs is not what it was."
    assert len(outputs) == len(german), "translate should return one translation for each sentence."
    complaints = {
        "second": "translate says something else when it is called a second time: is the model in evaluation mode?",
        "turned": "Sentences in another order should give their own translations, in that order.",
        "again": "Trained a second time with the same seed, it translates in another way.",
    }
    for name, complaint in complaints.items():
        assert said.get(name) == list(outputs[:: -1 if name == "turned" else 1]), complaint
    assert list(outputs) != german, "translate returns the German sentences as they are."


@pytest.mark.task("translation.train_translator", points=8)
def test_translator(learner, reference, rng):
    """BLEU of at least 20, 40, 60, 80 on sentences that it has never seen: 2 points each."""
    check_manners(learner, rng)
    pairs = short_pairs(4000, int(rng.integers(0, 10**6, 1)), "train")
    hidden = short_pairs(150, int(rng.integers(0, 10**6, 1)), "test")
    lines = "\n".join("\t".join(pair) for pair in pairs)
    sentences = "\n".join(german for german, _ in hidden)
    request = (lines, sentences, int(rng.integers(0, 1000, 1)), GIVEN)
    outputs, number, without = reply_of(learner, train_and_translate, *request, parts=3, seconds=PATIENCE)
    right = isinstance(outputs, list) and all(isinstance(one, str) for one in outputs) and len(outputs) == len(hidden)
    assert right, "translate should return a list with one text for each sentence."
    assert type(number) is int and number <= PARAMETERS, (
        f"The model has {number} parameters; {PARAMETERS:,} are allowed."
    )
    bleu = corpus_bleu([words(one) for one in outputs], [[words(english)] for _, english in hidden])
    reached = sum(bleu >= threshold for threshold in THRESHOLDS)
    assert without != outputs[:20] or not reached, (
        "The translations do not depend on the parameters of the model that you return: return the one that translates."
    )
    if reached < len(THRESHOLDS):
        raise PartlyRight(
            f"BLEU is {bleu:.1f} on {len(hidden)} sentences that were not in the pairs; the next points come at "
            f"{THRESHOLDS[reached]}. For example: {hidden[0][0]!r} became {outputs[0][:100]!r}.",
            Fraction(reached, len(THRESHOLDS)),
        )
