"""Checks of the unit on translation, on small models that are defined here; only attention maps need a Transformer.

Each task stands with its drivers, helpers and checks, from basic to subtle. Each check looks at one mechanism. The
capstone, train_translator, is one check that trains, with a time limit of its own.
"""

from fractions import Fraction
from functools import lru_cache

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from autograder.judging.assertions import PartlyRight, assert_close, assert_equal
from autograder.judging.replies import assert_refused, reply_of
from autograder.sandbox.drivers import OutOfTime, processor_time
from autograder.units.support.drivers import fill_parameters, refusal
from solutions import BOS, EOS
from solutions.bleu import corpus_bleu
from solutions.grammar import grammar_pairs
from solutions.translation import words

# ---------------------------------------------------------------------------------------------------------------------
# evaluate


class WordTokenizer:
    """A word is one token, whatever its case, and so is a punctuation mark. Equal ids do not mean equal words."""

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

    The tokeniser is the model's own. If ``whose`` is "given", it is passed as an argument instead, and the model's own
    gives the words other ids. Returns the scores, the modes that the model noted, its mode afterwards, whether there
    are gradients, and whether the pairs are unchanged.
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
    # 90: several batches with much and with little padding, which catches means weighted by the padded size.
    for number, options in ((1, {}), (7, {}), (9, {"max_tokens": 30}), (9, {"max_tokens": 90})):
        got, expected = both_scores(learner, reference, rng, ["loss"], number, **options)
        assert_close(got[0], expected[0], f'evaluate(...)["loss"] of {number} pairs', 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_evaluation_mode(learner, reference, rng):
    """The model is evaluated in evaluation mode and without gradients, whatever its mode before."""
    tables, pairs = texts_and_tables(rng, 7)
    for training in (True, False):
        result, seen, *_ = judged(learner, tables, WORDS, pairs, training)
        assert seen, "evaluate(model, pairs) did not call the model's encoder."
        assert not any(mode for mode, _ in seen), (
            "During evaluate(model, pairs) the model runs in training mode. It should be in evaluation mode."
        )
        assert not any(recorded for _, recorded in seen), (
            "During evaluate(model, pairs) the model runs with gradients enabled. They should be off."
        )
        expected = judged(reference, tables, WORDS, pairs, training)[0]
        right = isinstance(result, dict) and {"bleu", "loss"} <= result.keys()
        assert right, f'evaluate should return {{"bleu": ..., "loss": ...}}, but returned {result!r:.200}.'
        what = f'"loss" of evaluate(model, pairs) for a model that came with training={training}'
        assert_close(result["loss"], expected["loss"], what, 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_mode_stays(learner, reference, rng):
    """The model's mode is the same after the call as before it; pairs and parameters are left alone."""
    tables, pairs = texts_and_tables(rng, 5)
    for training in (False, True):
        _, seen, after, grown, unchanged = judged(learner, tables, WORDS, pairs, training)
        assert seen, "evaluate(model, pairs) did not call the model's encoder."
        assert after is training, (
            f"The model had training={training} before evaluate, but has training={after} after it. "
            "Restore the mode that it had."
        )
        assert not grown, (
            "After evaluate(model, pairs) the parameters have gradients. An evaluation needs no backward pass."
        )
        assert unchanged is True, "evaluate changed the list of pairs. It should only read it."


@pytest.mark.task("translation.evaluate", points=1)
def test_tokenizer(learner, reference, rng):
    """A tokeniser that is passed is used instead of the model's own."""
    got, expected = both_scores(learner, reference, rng, ["bleu", "loss"], whose="given")
    assert_close(got, expected, ('"bleu" of evaluate with a tokenizer', '"loss" of evaluate with a tokenizer'), 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_beam_size(learner, reference, rng):
    """beam_size is passed on to the decoding."""
    for beam_size in (2, 3):
        got, expected = both_scores(learner, reference, rng, ["bleu"], 8, beam_size=beam_size)
        assert_close(got[0], expected[0], f'"bleu" of evaluate with beam_size={beam_size}', 1e-6)


@pytest.mark.task("translation.evaluate", points=1)
def test_long_pairs(learner, reference, rng):
    """A pair with more than max_tokens tokens is scored like any other."""
    got, expected = both_scores(learner, reference, rng, ["bleu", "loss"], max_tokens=5)
    assert_close(got, expected, ('"bleu" of evaluate with max_tokens=5', '"loss" of evaluate with max_tokens=5'), 1e-5)


@pytest.mark.task("translation.evaluate", points=1)
def test_nothing_to_judge(learner, reference, rng):
    """Without pairs both scores are 0, and the model's mode is unchanged."""
    got, _ = both_scores(learner, reference, rng, ["bleu", "loss"], 0)
    assert_close(got, (0.0, 0.0), ('"bleu" of evaluate without pairs', '"loss" of evaluate without pairs'))
    tables, _ = texts_and_tables(rng, 0)
    _, _, after, *_ = judged(learner, tables, WORDS, [], True)
    assert after is True, "A model in training mode is in evaluation mode after evaluate(model, []). Restore its mode."
    got, expected = both_scores(learner, reference, rng, ["loss"], 2)
    assert_close(got[0], expected[0], '"loss" of evaluate for 2 pairs', 1e-5)


# ---------------------------------------------------------------------------------------------------------------------
# early_stopping


def stop_early(learner, cases):
    """What early_stopping returns for each list of losses, and the list afterwards."""
    early_stopping = learner.early_stopping
    kept = [list(losses) for losses, _ in cases]
    return [early_stopping(losses, patience) for losses, (_, patience) in zip(kept, cases)], kept


def check_stops(learner, reference, cases, part):
    """Compares the index of the best validation (part 0), or whether to stop (part 1)."""
    got, _ = reply_of(learner, stop_early, cases, parts=2)
    expected, _ = reply_of(reference, stop_early, cases, parts=2)
    for (losses, patience), found, right in zip(cases, got, expected):
        shown = ", ".join(f"{loss:g}" for loss in losses)
        what = f"early_stopping([{shown}], {patience})"
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise AssertionError(f"{what} should return (best, stop), but returned {found!r:.100}.")
        kinds = (int, type(None)) if part == 0 else (bool,)
        if type(found[part]) not in kinds:
            kind = type(found[part]).__name__
            raise AssertionError(f"{what}[{part}] should be {kinds[0].__name__}, but is {kind}.")
        assert found[part] == right[part], f"{what}[{part}] should be {right[part]}, but is {found[part]}."


def random_losses(rng, number):
    """Losses that fall, with noise, and rise again."""
    noise = rng.uniform(number, low=-0.4, high=0.4).tolist()
    return [round(3 + abs(index - number / 2) / number + more, 2) for index, more in enumerate(noise)]


@pytest.mark.task("translation.early_stopping", points=1)
def test_lowest(learner, reference, rng):
    """The best validation is the one with the lowest loss."""
    cases = [(random_losses(rng, number), 3) for number in (1, 5, 8, 13)]
    cases += [([2.0, 1.99999, 2.5], 2), ([1e-6, 3e-7, 1e-7, 2e-7], 3)]  # any lower loss counts, even by 1e-5
    cases += [([4.0, 3.0, 9.0, 8.0], 5), ([5.0, 2.0, 6.0, 7.0, 1.5, 4.0], 2), ([-1.0, -3.0, -2.0], 1)]
    check_stops(learner, reference, cases, 0)


@pytest.mark.task("translation.early_stopping", points=1)
def test_first_of_equal_ones(learner, reference, rng):
    """Of equal losses the first is the best: the others are no progress."""
    for losses in ([2.0, 2.0], [3.0, 1.5, 1.5, 1.5], [4.0, 0.0, 5.0, 0.0]):
        check_stops(learner, reference, [(losses, 1)], 0)
        check_stops(learner, reference, [(losses, len(losses) - 2 or 1)], 1)


@pytest.mark.task("translation.early_stopping", points=2)
def test_patience(learner, reference, rng):
    """The run ends as soon as `patience` validations in a row have brought nothing better."""
    losses = [5.0, 4.0, 4.5, 4.2, 4.3, 4.1, 3.9, 4.0]
    cases = [(losses[:number], patience) for patience in (1, 2, 3, 4, 5) for number in range(1, len(losses) + 1)]
    cases += [(random_losses(rng, number), patience) for number in (6, 9) for patience in (1, 2, 4)]
    check_stops(learner, reference, cases, 1)


@pytest.mark.task("translation.early_stopping", points=1)
def test_not_a_number(learner, reference, rng):
    """NaN is never the best; without any loss there is no best one, and no stop."""
    nan = float("nan")
    cases = [([nan, 3.0, 2.0], 2), ([3.0, nan, 2.5, nan], 1), ([nan, nan], 1), ([], 1), ([nan, nan, 4.0], 2)]
    for part in (0, 1):
        check_stops(learner, reference, cases, part)


def refused_patience(learner, values):
    """How each patience is refused."""
    early_stopping = learner.early_stopping
    return [refusal(lambda: early_stopping([3.0, 2.0], patience)) for patience in values]


@pytest.mark.task("translation.early_stopping", points=1)
def test_patience_below_one(learner, reference, rng):
    """A patience below 1 is an error; the list of losses is not changed."""
    outcomes = reply_of(learner, refused_patience, [0, -2], parts=2, uses=(refusal,))
    for patience, outcome in zip((0, -2), outcomes):
        assert_refused(outcome, f"early_stopping([3.0, 2.0], {patience})", ("ValueError",), str)
    losses = random_losses(rng, 7)
    _, kept = reply_of(learner, stop_early, [(losses, 2)], parts=2)
    assert kept == [losses], f"early_stopping({losses}, 2) changed the list of losses to {kept[0]}. Only read it."


# ---------------------------------------------------------------------------------------------------------------------
# save_checkpoint


class Training:
    """A model with its optimiser and scheduler; every step reads the next row of the data.

    ``falling``: the learning rate falls with every step. ``plateau``: a `ReduceLROnPlateau` sets the rate instead.
    """

    def __init__(self, seed, data, dropout=0.5, falling=True, plateau=False):
        torch.default_generator.manual_seed(seed)
        self.data, self.rates = data, []
        # Batch normalisation has buffers, which belong in a checkpoint.
        layers = nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Dropout(dropout), nn.Linear(6, 3)
        self.model = nn.Sequential(*layers)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.05)
        schedules, self.plateau = torch.optim.lr_scheduler, plateau
        if plateau:  # has counts and a best loss of its own
            self.scheduler = schedules.ReduceLROnPlateau(self.optimizer, mode="max", factor=0.5, patience=3)
        else:
            self.scheduler = schedules.LambdaLR(self.optimizer, lambda k: 1 / (1 + k) if falling else 1.0)
        self.parts = self.model, self.optimizer, self.scheduler

    def go(self, position, number):
        for index in range(position, position + number):
            self.optimizer.zero_grad()
            self.model(self.data[index % len(self.data)]).square().sum().backward()
            self.rates.append(self.optimizer.param_groups[0]["lr"])
            self.optimizer.step()
            self.scheduler.step(*([1.0 / (1 + index)] if self.plateau else []))
        return self


def flattened(value, path=""):
    """Every number and tensor in nested dictionaries and lists, by its path."""
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, (list, tuple)):
        parts = enumerate(value)
    else:
        return {path: value.detach().clone() if isinstance(value, torch.Tensor) else value}
    found = {}
    for name, part in parts:
        found |= flattened(part, f"{path}.{name}" if path else str(name))
    return found


def saved_file(learner, seed, data, steps, position):
    """What save_checkpoint writes after some steps, and what the training does afterwards."""
    import pathlib
    import tempfile

    training = Training(seed, data).go(0, steps)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "last.pt"
        learner.save_checkpoint(path, *training.parts, position)
        training.go(steps, 2)
        if not path.exists():
            return {
                "complaint": "After save_checkpoint(path, ...) there is no file under `path`. Is the new file renamed?"
            }
        try:
            saved = torch.load(path, weights_only=True)
        except Exception as error:
            return {"complaint": f"torch.load(path, weights_only=True) cannot read the file ({type(error).__name__})."}
    if not isinstance(saved, dict):
        return {"complaint": f"The file of save_checkpoint should hold a dictionary, not a {type(saved).__name__}."}
    return {"complaint": "", "after": [one.detach() for one in training.model.parameters()], **flattened(saved)}


def both_files(learner, reference, rng, steps, position):
    """What both save after ``steps`` steps of the same training."""
    request = int(rng.integers(1, 1000, 1)), rng.normal(5, 3, 4), steps, position
    got, expected = (reply_of(one, saved_file, *request, uses=(Training, flattened)) for one in (learner, reference))
    assert isinstance(got, dict), "The file that was saved could not be read."
    assert not got["complaint"], got["complaint"]
    return got, expected


def check_saved(learner, reference, rng, name, position=None):
    """The file has an entry of this name, with the right contents."""
    for steps in (1, 4):
        got, expected = both_files(learner, reference, rng, steps, steps if position is None else position)
        wanted = {path: value for path, value in expected.items() if path.partition(".")[0] == name}
        found = {path: value for path, value in got.items() if path.partition(".")[0] == name}
        assert found, f'The file that save_checkpoint wrote has no entry "{name}".'
        missing = sorted(wanted.keys() - found.keys())
        assert not missing, (
            f'The entry "{name}" of the file that save_checkpoint wrote lacks {missing[0].partition(".")[2] or name}.'
        )
        for path, value in wanted.items():
            assert_equal(found[path], value, f'"{path}" in the file, after {steps} steps')


@pytest.mark.task("translation.save_checkpoint", points=1)
def test_model_saved(learner, reference, rng):
    """The file holds what the model's `state_dict` gives, buffers and dtypes included."""
    check_saved(learner, reference, rng, "model")


@pytest.mark.task("translation.save_checkpoint", points=1)
def test_optimizer_saved(learner, reference, rng):
    """The file holds the state of the optimiser: its options and its moments."""
    check_saved(learner, reference, rng, "optimizer")


@pytest.mark.task("translation.save_checkpoint", points=1)
def test_scheduler_saved(learner, reference, rng):
    """The file holds the state of the scheduler."""
    check_saved(learner, reference, rng, "scheduler")


@pytest.mark.task("translation.save_checkpoint", points=1)
def test_random_state_saved(learner, reference, rng):
    """The file holds the state of PyTorch's generator at the time of the call."""
    check_saved(learner, reference, rng, "random")


@pytest.mark.task("translation.save_checkpoint", points=1)
def test_position_saved(learner, reference, rng):
    """The file holds the position as it was passed, a number or any other plain value."""
    for position in (None, [3, 17], {"epoch": 2, "batch": 5}):
        check_saved(learner, reference, rng, "position", position)


@pytest.mark.task("translation.save_checkpoint", points=1)
def test_training_is_left_alone(learner, reference, rng):
    """A training that saves continues like one that does not: mode, random numbers, weights."""
    got, expected = both_files(learner, reference, rng, 3, 3)
    for found, right in zip(got["after"], expected["after"]):
        assert_equal(found, right, "a parameter, two steps after save_checkpoint")


def save_twice_with_a_witness(learner, seed, data):
    """Save twice to one path. In between the file gets a second name; returns the position under this name afterwards.

    The second name, a hard link, shows what happens to the old file: it stays whole if the new file takes its place,
    and changes if it is written over. Renaming from another folder fails, as it does between disks.
    """
    import os
    import tempfile
    from unittest import mock

    def between_disks(rename):
        def checked(source, target, **options):
            home = os.path.dirname(os.path.abspath(target))
            if not os.path.abspath(source).startswith(home + os.sep):
                raise OSError(18, "Invalid cross-device link")
            return rename(source, target, **options)

        return checked

    training = Training(seed, data).go(0, 2)
    with tempfile.TemporaryDirectory() as folder:
        path, witness = (os.path.join(folder, name) for name in ("last.pt", "witness"))
        renames = {name: between_disks(getattr(os, name)) for name in ("replace", "rename")}
        with mock.patch.multiple(os, **renames):
            try:
                learner.save_checkpoint(path, *training.parts, 2)
                os.link(path, witness)
                learner.save_checkpoint(path, *training.go(2, 1).parts, 3)
            except OSError as error:
                if error.errno != 18:
                    raise
                return ["another disk"]
        return [torch.load(witness, weights_only=True)["position"]]


@pytest.mark.task("translation.save_checkpoint", points=1)
def test_renamed_beside_the_old_one(learner, reference, rng):
    """The new file is written in the folder of the old one, and takes its place in one step, by renaming."""
    request = int(rng.integers(1, 1000, 1)), rng.normal(5, 3, 4)
    (found,) = reply_of(learner, save_twice_with_a_witness, *request, parts=1, uses=(Training,))
    assert found != "another disk", (
        "save_checkpoint writes the new file in another folder than `path`. That folder may be on another disk, and "
        "then renaming fails."
    )
    assert found == 2, (
        "save_checkpoint wrote the new file over the old one. A crash in the middle of writing leaves half a file."
    )


def save_on_a_full_disk(learner, seed, data):
    """Save twice, then once more while writing fails half-way. Returns the error, and what the path holds."""
    import os
    import tempfile
    from unittest import mock

    def broken(value, file, *_, **__):
        text = b"half of a checkpoint"
        if isinstance(file, (str, os.PathLike)):
            with open(file, "wb") as opened:
                opened.write(text)
        else:
            file.write(text)
        raise OSError(28, "No space left on device")

    training = Training(seed, data).go(0, 2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        learner.save_checkpoint(path, *training.parts, 2)
        learner.save_checkpoint(path, *training.go(2, 1).parts, 3)
        raised = ""
        with mock.patch.object(torch, "save", broken):
            try:
                learner.save_checkpoint(path, *training.go(3, 1).parts, 4)
            except OSError as error:
                raised = str(error)
        if not os.path.exists(path):
            return raised, None
        try:
            return raised, torch.load(path, weights_only=True)["position"]
        except Exception:
            return raised, "nothing that can be read"


@pytest.mark.task("translation.save_checkpoint", points=1)
def test_whole_or_not_at_all(learner, reference, rng):
    """A checkpoint replaces the old one. If writing fails half-way, the old one stays whole, and an error is raised."""
    request = int(rng.integers(1, 1000, 1)), rng.normal(5, 3, 4)
    raised, found = reply_of(learner, save_on_a_full_disk, *request, parts=2, uses=(Training,))
    assert found is not None, (
        "Writing failed half-way (a full disk), and no file is left under the path. The old checkpoint should be there."
    )
    assert found == 3, (
        "Writing failed half-way (a full disk). The path should still hold the checkpoint of position 3, "
        f"but holds {found}."
    )
    assert "No space" in str(raised), (
        "Writing failed half-way (a full disk), but save_checkpoint raised no error. The error should reach the caller."
    )


# ---------------------------------------------------------------------------------------------------------------------
# load_checkpoint


def resume(learner, seed, data, steps, more, position, **options):
    """Continue a training from a file. Returns what load_checkpoint returned, then rates, weights, random numbers.

    ``straight`` is the training that was not interrupted.
    """
    import os
    import tempfile

    straight = Training(seed, data, **options).go(0, steps)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        names = ("model", "optimizer", "scheduler")
        saved = {name: part.state_dict() for name, part in zip(names, straight.parts)}
        torch.save({**saved, "random": torch.get_rng_state(), "position": position}, path)
        straight.go(steps, more)
        fresh = Training(seed + 1, data, **options).go(0, 2)  # other objects, which have made two steps
        returned = learner.load_checkpoint(path, *fresh.parts)
    state = flattened(fresh.model.state_dict())
    drawn = torch.get_rng_state()
    training = fresh.model.training
    fresh.go(steps, more)
    return {
        "returned": returned,
        "model": state,
        "drawn": drawn,
        "mode": training,
        "rates": fresh.rates[2:],
        "weights": [one.detach() for one in fresh.model.parameters()],
        "straight": [one.detach() for one in straight.model.parameters()],
    }


def resumed(learner, reference, rng, position=3, **options):
    """The replies of both to the same request."""
    request = int(rng.integers(1, 1000, 1)), rng.normal(7, 3, 4), 3, 4, position
    uses = (Training, flattened)
    replies = [reply_of(one, resume, *request, uses=uses, **options) for one in (learner, reference)]
    assert isinstance(replies[0], dict), "What load_checkpoint left behind could not be read."
    return replies


def check_loaded(learner, reference, rng):
    """The model has the weights and buffers of the file. Returns the replies of both."""
    got, expected = resumed(learner, reference, rng)
    for name, value in expected["model"].items():
        assert_equal(got["model"][name], value, f"{name} after load_checkpoint")
    return got, expected


@pytest.mark.task("translation.load_checkpoint", points=1)
def test_model_loaded(learner, reference, rng):
    """The model has the weights and buffers of the file, and the same mode as before."""
    got, _ = check_loaded(learner, reference, rng)
    assert got["mode"] is True, (
        "The model was in training mode before load_checkpoint, but is in evaluation mode after it. Leave it alone."
    )


@pytest.mark.task("translation.load_checkpoint", points=1)
def test_optimizer_loaded(learner, reference, rng):
    """The optimiser continues with the moments of the file, on the parameters of the model."""
    got, expected = resumed(learner, reference, rng, dropout=0.0, falling=False)
    for found, right in zip(got["weights"], expected["straight"]):
        assert_equal(found, right, "a parameter, four steps after load_checkpoint, without dropout, at a constant rate")


@pytest.mark.task("translation.load_checkpoint", points=1)
def test_scheduler_loaded(learner, reference, rng):
    """The learning rates continue where the file left them."""
    got, expected = resumed(learner, reference, rng)
    assert_equal(got["rates"], expected["rates"], "the learning rates of the four steps after load_checkpoint")
    got, expected = resumed(learner, reference, rng, plateau=True)
    what = "the learning rates of the four steps after load_checkpoint, with ReduceLROnPlateau"
    assert_equal(got["rates"], expected["rates"], what)


@pytest.mark.task("translation.load_checkpoint", points=1)
def test_random_state_loaded(learner, reference, rng):
    """PyTorch's generator has the state that was saved."""
    got, expected = resumed(learner, reference, rng)
    assert_equal(got["drawn"], expected["drawn"], "the state of PyTorch's generator after load_checkpoint")


@pytest.mark.task("translation.load_checkpoint", points=1)
def test_position_returned(learner, reference, rng):
    """The position is returned as it was saved."""
    for position in (3, 0, [2, 11]):
        got, _ = resumed(learner, reference, rng, position)
        assert_equal(got["returned"], position, f"what load_checkpoint returns for the position {position}")


@pytest.mark.task("translation.load_checkpoint", points=2)
def test_to_the_last_bit(learner, reference, rng):
    """With dropout, and a rate that falls, all parameters are those of a training without interruption."""
    for _ in range(2):
        got, expected = resumed(learner, reference, rng)
        for found, right in zip(got["weights"], expected["straight"]):
            assert_equal(found, right, "a parameter, four steps after load_checkpoint")


def load_a_trap(learner, seed, data):
    """Load a file that would execute code. Returns whether the code was executed."""
    import os
    import sys
    import tempfile

    class Trap:
        def __reduce__(self):
            return exec, ("import sys; sys.sprung = True",)

    training = Training(seed, data)
    load_checkpoint = learner.load_checkpoint
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "last.pt")
        torch.save({"model": Trap(), "optimizer": {}, "scheduler": {}, "random": torch.get_rng_state()}, path)
        try:
            load_checkpoint(path, *training.parts)
        except NotImplementedError:
            raise
        except Exception:
            pass
    sprung = hasattr(sys, "sprung")
    if sprung:
        del sys.sprung
    return [sprung]


@pytest.mark.task("translation.load_checkpoint", points=1)
def test_nothing_is_executed(learner, reference, rng):
    """A file that would execute code when it is read is refused."""
    request = int(rng.integers(1, 1000, 1)), rng.normal(5, 3, 4)
    (sprung,) = reply_of(learner, load_a_trap, *request, parts=1, uses=(Training,))
    assert sprung is False, (
        "A file can hold code, and load_checkpoint executed it. Read the file with `weights_only=True`."
    )
    check_loaded(learner, reference, rng)  # catches functions that read nothing


# ---------------------------------------------------------------------------------------------------------------------
# average_gradients


class Exchange:
    """An `all_reduce` among threads, each of which stands for a process.

    Real processes exchange tensors through network sockets, which the sandbox refuses. Here calls that do not fit each
    other end at once with a complaint, where real processes would wait for ever.
    """

    def __init__(self, size):
        import threading

        self.size, self.turn, self.waiting, self.ended, self.complaint = size, 0, {}, set(), ""
        self.condition = threading.Condition()

    def all_reduce(self, rank, tensor):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"all_reduce takes a tensor, but got a {type(tensor).__name__}")
        with self.condition:
            turn = self.turn
            self.waiting[rank] = tensor
            self.settle()
            self.condition.wait_for(lambda: self.turn > turn or self.complaint, 60)
            if self.complaint:
                raise RuntimeError(self.complaint)

    def end(self, rank):
        with self.condition:
            self.ended.add(rank)
            self.settle()

    def settle(self):
        """Once every process waits or has ended: add up, or complain."""
        if not self.waiting or len(self.waiting) + len(self.ended) < self.size:
            return
        tensors = [self.waiting[rank] for rank in sorted(self.waiting)]
        kinds = [f"{tuple(one.shape)} in {one.dtype}" for one in tensors]
        if self.ended:
            self.complaint = (
                "one process waits in all_reduce, but another one no longer calls it, so the wait never ends"
            )
        elif len(set(kinds)) > 1:
            self.complaint = f"processes call all_reduce with different tensors at the same time: {' and '.join(kinds)}"
        else:
            total = sum(one.detach().clone() for one in tensors)
            for one in tensors:
                one.detach().copy_(total)
        self.turn += 1
        self.waiting = {}
        self.condition.notify_all()


class SharedModel(nn.Module):
    """A table, tied to the output or not, and a bias that only batches with word 7 use; one parameter is frozen."""

    def __init__(self, numbers, tied):
        super().__init__()
        self.table, self.out = nn.Embedding(9, 3), nn.Linear(3, 9)
        self.rare, self.frozen = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(3), requires_grad=False)
        if tied:
            self.out.weight = self.table.weight
        self.to(numbers.dtype)
        fill_parameters(self.parameters(), numbers)

    def summed_loss(self, src, tgt):
        """The sum of the losses of all targets but padding, for ids ``(B, S)`` and ``(B, T)``."""
        hidden = torch.tanh(self.table(src).mean(1, keepdim=True) + self.frozen * self.table(tgt.roll(1, 1)))
        if (src == 7).any():
            hidden = hidden + self.rare
        return F.cross_entropy(self.out(hidden).transpose(1, 2), tgt, ignore_index=0, reduction="sum")


def backward_passes(model, parts):
    """The gradients of summed losses of some batches, and how many targets they have."""
    for src, tgt in parts:
        model.summed_loss(src, tgt).backward()
    return sum(int((tgt != 0).sum()) for _, tgt in parts)


def average(learner, numbers, tied, shares):
    """Every process, a thread, makes its backward passes and calls average_gradients.

    Returns what was wrong with the exchange, and for each process what is returned, all gradients by name, and the
    parameters.
    """
    import threading

    average_gradients = learner.average_gradients
    exchange, replies, errors = Exchange(len(shares)), {}, {}

    def process(rank):
        try:
            model = SharedModel(numbers, tied)
            tokens = backward_passes(model, shares[rank])
            returned = average_gradients(model, tokens, lambda tensor: exchange.all_reduce(rank, tensor))
            gradients = {name: one.grad for name, one in model.named_parameters() if one.requires_grad}
            replies[rank] = returned, gradients, [one.detach() for one in model.parameters()]
        except BaseException as error:
            errors[rank] = error
        finally:
            exchange.end(rank)

    threads = [threading.Thread(target=process, args=(rank,), daemon=True) for rank in range(len(shares))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    own = [errors[rank] for rank in sorted(errors) if str(errors[rank]) != exchange.complaint]
    if own:  # the others failed because this one did
        raise own[0]
    return exchange.complaint, [replies.get(rank) for rank in range(len(shares))]


def shares_of(rng, sizes):
    """For each process batches of these sizes ``(B, S, T)``: ids without word 7, the last targets padding."""
    shares = []
    for batches in sizes:
        share = []
        for rows, source, target in batches:
            tgt = rng.integers(1, 9, rows, target)
            tgt[0, target // 2 + 1 :] = 0
            share.append((rng.integers(1, 7, rows, source), tgt))
        shares.append(share)
    return shares


UNEQUAL = ([[(2, 5, 3)], [(7, 3, 8)]], [[(1, 2, 6), (3, 4, 2)], [(5, 6, 7)], [(2, 3, 4)]])


def check_average(learner, rng, shares, tied=False, dtype=torch.float64, told=""):
    """All gradients in every process are those of one process with all batches."""
    numbers = rng.normal(50, dtype=dtype)
    uses = (fill_parameters, Exchange, SharedModel, backward_passes)
    complaint, replies = reply_of(learner, average, numbers, tied, shares, parts=2, uses=uses)
    assert not complaint, f"With {len(shares)} processes{told} average_gradients fails to exchange: {complaint}."
    model = SharedModel(numbers, tied)
    tokens = backward_passes(model, [part for share in shares for part in share])
    for rank, (_, gradients, after) in enumerate(replies):
        for name, one in model.named_parameters():
            if not one.requires_grad:
                continue
            right = torch.zeros_like(one) if one.grad is None else one.grad / max(tokens, 1)
            got = gradients.get(name) if isinstance(gradients, dict) else None
            if got is None and one.grad is None:
                continue
            what = f"the gradient of {name} in process {rank} of {len(shares)}{told}"
            assert got is not None, f"{what} is None, but should be a tensor."
            assert_close(got, right, what, 1e-9 if dtype == torch.float64 else 1e-5, 1e-12)
        for got, right in zip(after, model.parameters()):
            assert_equal(got, right.detach(), f"a parameter of process {rank} after average_gradients")
    return [reply[0] for reply in replies], tokens


@pytest.mark.task("translation.average_gradients", points=3)
def test_unequal_tokens(learner, reference, rng):
    """With unequal numbers of tokens and shapes, all gradients are those of one process with all batches."""
    for sizes in UNEQUAL:
        check_average(learner, rng, shares_of(rng, sizes))


@pytest.mark.task("translation.average_gradients", points=1)
def test_all_tokens_returned(learner, reference, rng):
    """The number of tokens of all processes is returned in each of them."""
    for sizes in UNEQUAL:
        returned, tokens = check_average(learner, rng, shares_of(rng, sizes))
        for rank, number in enumerate(returned):
            what = f"what average_gradients returns in process {rank}"
            assert type(number) is int, f"{what} should be an int, but is a {type(number).__name__}."
            assert_equal(number, tokens, what)


@pytest.mark.task("translation.average_gradients", points=1)
def test_unused_in_one_process(learner, reference, rng):
    """A parameter that only one process has used has its gradient in all of them."""
    for owner in (0, 1):
        shares = shares_of(rng, UNEQUAL[owner])
        shares[owner][0][0][0, 1] = 7
        check_average(learner, rng, shares, told=" (only one process uses `rare`)")


@pytest.mark.task("translation.average_gradients", points=1)
def test_process_without_tokens(learner, reference, rng):
    """A process without a single token takes part, and has the gradients of the others."""
    for sizes in ([[(2, 4, 3)], []], [[], [(3, 2, 5)], [(1, 3, 4)]]):
        check_average(learner, rng, shares_of(rng, sizes), told=" (one of them has no tokens)")


@pytest.mark.task("translation.average_gradients", points=1)
def test_no_tokens_at_all(learner, reference, rng):
    """Where no process has a token, the gradients are 0 or None, and never NaN."""
    # With tokens too, so that an answer that never does anything scores nothing.
    check_average(learner, rng, shares_of(rng, [[(2, 3, 4)], [(3, 2, 5)]]))
    returned, _ = check_average(learner, rng, [[], []], told=" without any tokens")
    for rank, number in enumerate(returned):
        assert_equal(number, 0, f"what average_gradients returns in process {rank} without any tokens")


@pytest.mark.task("translation.average_gradients", points=1)
def test_tied_table(learner, reference, rng):
    """A table that two modules share counts once."""
    check_average(learner, rng, shares_of(rng, UNEQUAL[0]), tied=True, told=" (with tied tables)")


@pytest.mark.task("translation.average_gradients", points=1)
def test_one_process_alone(learner, reference, rng):
    """A process alone has the gradient of its mean loss per token, in float32 too."""
    for dtype in (torch.float64, torch.float32):
        check_average(learner, rng, shares_of(rng, [[(4, 3, 6), (2, 5, 2)]]), dtype=dtype)


# ---------------------------------------------------------------------------------------------------------------------
# training_resources


def costs(learner, cases):
    """The fields of what training_resources returns for each case."""
    training_resources = learner.training_resources
    results = [training_resources(**case) for case in cases]
    for one in results:
        if not hasattr(one, "utilisation"):
            return f"training_resources should return Resources, but returned a {type(one).__name__}."
    names = ("parameters", "activation_bytes", "operations", "utilisation")
    return [{name: getattr(one, name) for name in names} for one in results]


def random_case(rng, **changes):
    """A model and a step in which all sizes differ."""
    heads = int(rng.integers(2, 6, 1))
    case = {
        "num_layers": int(rng.integers(3, 9, 1)),
        "d_model": heads * int(rng.integers(7, 12, 1)),
        "num_heads": heads,
        "vocab_size": int(rng.integers(500, 900, 1)),
        "rows": int(rng.integers(10, 17, 1)),
        "length": int(rng.integers(90, 130, 1)),
        "seconds": float(rng.uniform(1, low=0.1, high=0.9)),
        "peak": float(rng.uniform(1, low=2e9, high=9e9)),
    }
    return {**case, **changes}


def both_costs(learner, reference, cases, name):
    """The values of one field, of the learner's and of the reference's; integers where they should be."""
    got, expected = (reply_of(one, costs, cases, parts=len(cases)) for one in (learner, reference))
    wanted = float if name == "utilisation" else int
    for one in got:
        kind = type(one[name])
        assert kind is wanted, f"Resources.{name} should be {wanted.__name__}, but is {kind.__name__}."
    return [one[name] for one in got], [one[name] for one in expected]


@pytest.mark.task("translation.training_resources", points=2)
def test_parameters(learner, reference, rng):
    """All parameters are counted, and the table with two uses counts once."""
    gpt2 = {"num_layers": 12, "d_model": 768, "num_heads": 12, "vocab_size": 50257, "length": 1024}
    cases = [random_case(rng), random_case(rng), random_case(rng, **gpt2)]
    got, expected = both_costs(learner, reference, cases, "parameters")
    for number, right, case in zip(got, expected, cases):
        sizes = ", ".join(f"{name}={case[name]}" for name in ("num_layers", "d_model", "vocab_size", "length"))
        assert number == right, (
            f"For {sizes}, training_resources should count {right:,} parameters, but counts {number:,}."
        )


@pytest.mark.task("translation.training_resources", points=2)
def test_activation_bytes(learner, reference, rng):
    """The activations of all layers are counted, in bytes."""
    cases = [random_case(rng), random_case(rng, rows=3, length=257), random_case(rng, rows=16, devices=4)]
    got, expected = both_costs(learner, reference, cases, "activation_bytes")
    for number, right, case in zip(got, expected, cases):
        names = ("num_layers", "d_model", "num_heads", "rows", "length", "devices")
        sizes = ", ".join(f"{name}={case[name]}" for name in names if name in case)
        assert_equal(number, right, f"Resources.activation_bytes for {sizes}")


def terms_of(values, cases):
    """Operations per token for products with weights, and for attention, from steps with rows of T and of 2 T."""
    short, long = (Fraction(value, case["rows"] * case["length"]) for value, case in zip(values, cases))
    return float(2 * short - long), float(long - short)


def check_operations(learner, reference, rng, part, what):
    for _ in range(2):
        case = random_case(rng)
        cases = [case, {**case, "length": 2 * case["length"]}]
        values = both_costs(learner, reference, cases, "operations")
        got, expected = (terms_of(one, cases)[part] for one in values)
        sizes = ", ".join(f"{name}={case[name]}" for name in ("num_layers", "d_model", "vocab_size", "length"))
        assert_close(got, expected, f"{what} ({sizes})", 1e-9)


@pytest.mark.task("translation.training_resources", points=2)
def test_products_with_weights(learner, reference, rng):
    """For each token, each weight that multiplies something takes six operations."""
    check_operations(
        learner, reference, rng, 0, "the part of Resources.operations, for a token, that does not grow with T"
    )


@pytest.mark.task("translation.training_resources", points=1)
def test_attention_term(learner, reference, rng):
    """For each token, attention takes operations in proportion to the length."""
    check_operations(learner, reference, rng, 1, "the part of Resources.operations, for a token, that grows with T")


@pytest.mark.task("translation.training_resources", points=1)
def test_operations_of_a_step(learner, reference, rng):
    """The operations are those of all tokens of the step."""
    cases = [random_case(rng), random_case(rng, rows=2)]
    got, expected = both_costs(learner, reference, cases, "operations")
    assert_equal(got, expected, "Resources.operations of two steps")


@pytest.mark.task("translation.training_resources", points=2)
def test_utilisation(learner, reference, rng):
    """utilisation is the share of what all devices together could have done."""
    for devices in (1, 8):
        case = random_case(rng, devices=devices)
        (operations,), _ = both_costs(learner, reference, [case], "operations")
        (got,), _ = both_costs(learner, reference, [case], "utilisation")
        right = operations / (case["seconds"] * case["peak"] * devices)
        assert_close(got, right, f"Resources.utilisation of your own operations with devices={devices}", 1e-9)


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
LENGTHS = ((7, 5), (8, 6), (9, 9))  # of the third pair nobody can tell the maps apart by their shapes


def both_maps(learner, reference, rng, lengths=LENGTHS[:1], sizes=SIZES, **options):
    """The maps of pairs of sentences of these ``lengths``, gradients and modes; then the maps of the reference."""
    sentences = []
    for source, target in lengths:
        sentences.append((rng.integers(4, 13, 1, source), rng.integers(4, 17, 1, target)))
        sentences[-1][1][0, 0] = BOS
    request = (sizes, sentences, int(rng.integers(0, 10**6, 1)))
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
    """There are three maps, each with the axes layer, head, query and key, also where one of these has length 1."""
    cases = ((3, 4, 7, 5), (1, 1, 6, 4), (2, 1, 1, 1))
    for layers, heads, source, target in cases:
        sizes = {**SIZES, "num_layers": layers, "num_heads": heads}
        found, *_ = both_maps(learner, reference, rng, [(source, target)], sizes)
        lengths = {"encoder": (source, source), "decoder": (target, target), "cross": (target, source)}
        for name, (queries, keys) in lengths.items():
            got, shape = found[0][name], (layers, heads, queries, keys)
            what = f'attention_maps(model, src, tgt)["{name}"]'
            assert isinstance(got, torch.Tensor), f"{what} should be a tensor, but is a {type(got).__name__}."
            assert got.shape == shape, f"{what} should have the shape {shape}, but has {tuple(got.shape)}."
            assert bool((got.sum(-1) - 1).abs().max() < 1e-3), (
                f"{what} should have weights that add up to 1 for each query."
            )


def check_map(learner, reference, rng, name):
    found, _, _, expected = both_maps(learner, reference, rng)
    assert_close(found[0][name], expected[0][name], f'attention_maps(model, src, tgt)["{name}"]')


@pytest.mark.task("translation.attention_maps", points=1)
def test_encoder(learner, reference, rng):
    """The encoder's maps are right, for all layers and heads."""
    check_map(learner, reference, rng, "encoder")


@pytest.mark.task("translation.attention_maps", points=1)
def test_decoder(learner, reference, rng):
    """The maps of the decoder's self-attention are right, and never look ahead."""
    check_map(learner, reference, rng, "decoder")


@pytest.mark.task("translation.attention_maps", points=1)
def test_cross(learner, reference, rng):
    """The maps of the decoder's cross-attention are right."""
    check_map(learner, reference, rng, "cross")


@pytest.mark.task("translation.attention_maps", points=1)
def test_without_dropout(learner, reference, rng):
    """Maps of a model in training mode are those of evaluation mode."""
    found, _, _, expected = both_maps(learner, reference, rng, training=True, dropout=0.5)
    for name, right in expected[0].items():
        assert_close(found[0][name], right, f'"{name}" of a model with dropout, in training mode')


@pytest.mark.task("translation.attention_maps", points=1)
def test_model_stays(learner, reference, rng):
    """The model's mode is the same after the call as before it."""
    for training in (True, False):
        found, _, modes, _ = both_maps(learner, reference, rng, training=training)
        assert isinstance(found[0]["cross"], torch.Tensor), '"cross" of attention_maps should be a tensor.'
        shape = tuple(found[0]["cross"].shape)
        assert shape == (3, 4, 5, 7), f'"cross" of attention_maps should have the shape (3, 4, 5, 7), but has {shape}.'
        assert modes == [training], (
            f"Before attention_maps the modules of the model had training={training}; after it they have "
            f"training={' and '.join(map(str, modes))}. Restore the mode."
        )


@pytest.mark.task("translation.attention_maps", points=1)
def test_no_gradients(learner, reference, rng):
    """The maps require no gradients."""
    found, recorded, *_ = both_maps(learner, reference, rng)
    assert isinstance(found[0]["cross"], torch.Tensor), '"cross" of attention_maps should be a tensor.'
    shape = tuple(found[0]["cross"].shape)
    assert shape == (3, 4, 5, 7), f'"cross" of attention_maps should have the shape (3, 4, 5, 7), but has {shape}.'
    assert not recorded, (
        "The maps that attention_maps returns require gradients. Call the model without recording gradients."
    )


@pytest.mark.task("translation.attention_maps", points=1)
def test_next_sentence(learner, reference, rng):
    """A second pair of sentences gets its own maps, and those of the first stay unchanged."""
    found, _, _, expected = both_maps(learner, reference, rng, LENGTHS)
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
    """Each target position gets the source position with the largest weight."""
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
        return f"translate should return a list of texts, but it holds items of type {kinds}."
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

    The readings are the pairs afterwards, the number of parameters, and translations of the same sentences: the
    ``first``, a ``second`` time, in reverse order (``turned``), and by the model that was trained ``again``. Both
    trainings and all translations may take ``given`` seconds of processor time together.
    """
    import random

    pairs = list(zip(german, english))
    results = []
    with NoGrammar(), processor_time(given, f"two trainings on {len(german)} pairs"):
        for number in range(2):
            random.seed(100 + number)
            torch.default_generator.manual_seed(200 + number)
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
    """The translations, the number of the model's parameters, and the first translations with all parameters set to 0.

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
        pass  # without its parameters it fails or runs on, so it does use them
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
    assert isinstance(said, dict), (
        "What train_translator returned could not be called: it should be (model, translate)."
    )
    number = said.get("parameters")
    assert type(number) is int, "The parameters of the model could not be counted."
    assert number <= PARAMETERS, f"The model has {number:,} parameters; {PARAMETERS:,} are allowed."
    assert number > 0, "The model that train_translator returned has no parameters. Return the one that was trained."
    outputs = said.get("first")
    assert isinstance(outputs, (list, tuple)), "What translate returned could not be read."
    assert said.get("pairs") == pairs, "train_translator changed the list of pairs. Work on a copy."
    assert len(outputs) == len(german), (
        f"For {len(german)} sentences, translate should return as many translations, but returned {len(outputs)}."
    )
    complaints = {
        "second": "A second call of translate gives other translations: is the model in evaluation mode?",
        "turned": "For sentences in another order, translate should return translations in that order, but does not.",
        "again": "Trained a second time with the same seed, the model translates differently. Is all of it seeded?",
    }
    for name, complaint in complaints.items():
        assert said.get(name) == list(outputs[:: -1 if name == "turned" else 1]), complaint
    assert list(outputs) != german, "translate returns the German sentences as they are, instead of translations."


@pytest.mark.task("translation.train_translator", points=8)
def test_translator(learner, reference, rng):
    """BLEU is at least 20, 40, 60, 80 on sentences that the model has never seen: 2 points each."""
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
        "The translations do not depend on the parameters of the model that train_translator returned. Return the "
        "model that translates."
    )
    if reached < len(THRESHOLDS):
        raise PartlyRight(
            f"BLEU is {bleu:.1f} on {len(hidden)} sentences that were not in the pairs; the next points come at "
            f"{THRESHOLDS[reached]}. For example: {hidden[0][0]!r} became {outputs[0][:100]!r}.",
            Fraction(reached, len(THRESHOLDS)),
        )
