"""Checks of the unit on training. Expected values come from the ids themselves, or from a plain epoch, `Oracle`.

Each task stands with its drivers, helpers and checks, from basic to subtle. Each check looks at one mechanism. Numbers
of batches, sequences and tokens always differ, and so do the batches among themselves. Random behaviour is judged by
its statistics. A comment at each such limit says how often a right answer would fail by chance: always less than once
in 10^9.
"""

import math

import pytest
import torch
from torch import nn

from autograder.judging.assertions import assert_boolean_mask, assert_close, assert_equal, describe
from autograder.judging.replies import LearnerRaised, NotAttempted, assert_refused, reply_of
from autograder.units.support.drivers import (
    NotingDescent,
    all_parameters,
    batches_of,
    generator_from,
    refusal,
    refusal_in_short,
    summed_loss,
)
from autograder.units.support.oracles import decoder_mask_by_hand, padded_ids, padding_mask_by_hand
from autograder.units.support.statistics import chi_square, share_of
from solutions import BOS, PAD

# ---------------------------------------------------------------------------------------------------------------------
# Batch


def build(learner, args, options, names):
    """The named attributes of a batch, and the arguments as the call left them."""
    batch = learner.Batch(*args, **options)
    return [getattr(batch, name) for name in names], args


def random_ids(rng, rows, columns, pad=PAD, padded=True):
    """Ids as `padded_ids` makes them; if they are padded, the last row has padding inside too."""
    ids = padded_ids(rng, rows, columns, pad, padded)
    if padded:
        ids[rows - 1, 2] = pad
    return ids


@pytest.mark.task("training.Batch", points=1)
def test_offset(learner, reference, rng):
    """The decoder reads all but the last id, and predicts all but the first."""
    # The third batch has positions that are padding in every row: catches cutting them off.
    for rows, columns, length, padded in ((3, 7, 5, 0), (1, 4, 2, 0), (3, 6, 7, 2)):
        src, tgt = random_ids(rng, rows, columns, padded=False), random_ids(rng, rows, length, padded=False)
        src[:, columns - padded :], tgt[:, length - padded :] = PAD, PAD
        (kept, read, predicted), _ = reply_of(learner, build, [src, tgt], {}, ["src", "tgt", "tgt_y"], parts=2)
        names = [f"{name} of Batch(src, tgt) with a tgt of shape {(rows, length)}" for name in ("src", "tgt", "tgt_y")]
        assert_equal((kept, read, predicted), (src, tgt[:, :-1], tgt[:, 1:]), names)


def attribute_of(learner, args, name, options=None):
    (value,), _ = reply_of(learner, build, args, options or {}, [name], parts=2)
    return value


def masks_by_hand(src, tgt, pad=PAD):
    """The masks of a batch: that of the source, and that of the target without its last id."""
    return padding_mask_by_hand(src, pad), decoder_mask_by_hand(tgt[:, :-1], pad)


@pytest.mark.task("training.Batch", points=1)
def test_source_mask(learner, reference, rng):
    """The source mask hides the padding of the source."""
    src, tgt = random_ids(rng, 4, 6), random_ids(rng, 4, 5)
    assert_boolean_mask(
        attribute_of(learner, [src, tgt], "src_mask"), masks_by_hand(src, tgt)[0], "src_mask of Batch(src, tgt)"
    )


@pytest.mark.task("training.Batch", points=2)
def test_target_mask(learner, reference, rng):
    """The target mask is that of tgt: it hides padding, and what comes later."""
    src, tgt = random_ids(rng, 5, 4), random_ids(rng, 5, 7)
    tgt[1, 3] = PAD  # padding inside, by which the mask of tgt and that of tgt_y differ
    assert_boolean_mask(
        attribute_of(learner, [src, tgt], "tgt_mask"), masks_by_hand(src, tgt)[1], "tgt_mask of Batch(src, tgt)"
    )


@pytest.mark.task("training.Batch", points=1)
def test_ntokens(learner, reference, rng):
    """ntokens is an int: how many of the ids to predict are not padding."""
    for rows, columns, padded in ((4, 6, True), (6, 5, True), (2, 3, False)):
        src, tgt = random_ids(rng, rows, 8), random_ids(rng, rows, columns, padded=padded)
        got = attribute_of(learner, [src, tgt], "ntokens")
        if type(got) is not int:
            kind = "tensor" if isinstance(got, torch.Tensor) else type(got).__name__
            raise AssertionError(f"ntokens of Batch(src, tgt) should be an int, but is a {kind}.")
        assert_equal(got, int((tgt[:, 1:] != PAD).sum()), f"ntokens of Batch(src, tgt) with the target {tgt.tolist()}")


@pytest.mark.task("training.Batch", points=1)
def test_pad_id(learner, reference, rng):
    """Another id may stand for padding; 0 is a word then."""
    names = ("src_mask", "tgt_mask", "ntokens")
    for how in ("by name", "by position"):
        src, tgt = random_ids(rng, 4, 5, pad=7), random_ids(rng, 4, 6, pad=7)
        src[0, 1] = tgt[0, 2] = 0
        args, options = ([src, tgt], {"pad_id": 7}) if how == "by name" else ([src, tgt, 7], {})
        got, _ = reply_of(learner, build, args, options, names, parts=2)
        expected = (*masks_by_hand(src, tgt, 7), int((tgt[:, 1:] != 7).sum()))
        assert_equal(tuple(got), expected, [f"Batch(..., pad_id=7, {how}).{name}" for name in names])


@pytest.mark.task("training.Batch", points=1)
def test_without_target(learner, reference, rng):
    """Without a target there is a source and its mask, and nothing else."""
    names = ("src", "src_mask", "tgt", "tgt_y", "tgt_mask", "ntokens")
    src = random_ids(rng, 3, 5)
    for args in ([src], [src, None]):
        got, _ = reply_of(learner, build, args, {}, names, parts=2)
        assert_equal(tuple(got[:2]), (src, masks_by_hand(src, src)[0]), [f"Batch(src).{name}" for name in names[:2]])
        for name, value in zip(names[2:5], got[2:5]):
            assert value is None, (
                f"Batch(src).{name} should be None, since there is no target, but is {describe(value)}."
            )
        assert_equal(got[5], 0, "Batch(src).ntokens")


@pytest.mark.task("training.Batch", points=1)
def test_arguments(learner, reference, rng):
    """The ids passed to Batch stay unchanged."""
    for pad in (PAD, 7):
        args = [random_ids(rng, 4, 5, pad), random_ids(rng, 4, 7, pad)]
        args[0][:, 0] = 8  # a source need not begin with BOS
        (read, _), after = reply_of(learner, build, args, {"pad_id": pad}, ["tgt", "tgt_y"], parts=2)
        assert_equal(tuple(after), tuple(args), ("the source ids after the call", "the target ids after the call"))
        assert_equal(read, args[1][:, :-1], "tgt of Batch(src, tgt)")


class Traveller(torch.Tensor):
    """A tensor that stays here and only remembers the device that it was sent to."""

    sent_to = "cpu"

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        options = dict(kwargs or {})
        everything = [*args, *options.values()]
        nested = [part for one in everything if isinstance(one, (list, tuple)) for part in one]
        device = max((one.sent_to for one in [*everything, *nested] if isinstance(one, cls)), default="cpu")
        if function is torch.Tensor.__deepcopy__:
            function, args = torch.Tensor.clone, args[:1]
        elif function is torch.Tensor.to:
            devices = [one for one in everything[1:] if isinstance(one, (str, torch.device))]
            if devices:
                device = str(devices[0])
                function, args, options = torch.Tensor.clone, (args[0],), {}
        result = super().__torch_function__(function, types, args, options)
        for one in result if isinstance(result, (list, tuple)) else [result]:
            if isinstance(one, cls):
                one.sent_to = device
        return result


def device_of(value):
    """The device of a tensor; the type of anything else."""
    if not isinstance(value, torch.Tensor):
        return type(value).__name__
    return value.sent_to if isinstance(value, Traveller) else value.device.type


def move(learner, args, device, pretend):
    """A batch on another device: whether it is another object, the devices of all tensors, and the new one's count.

    Every machine has the device "meta"; its tensors have a shape and no values. Code that looks at values fails
    there: for it, ``pretend`` gives tensors that only remember the device they were sent to.
    """
    names = ("src", "src_mask", "tgt", "tgt_y", "tgt_mask")
    if pretend:
        args = [one.as_subclass(Traveller) for one in args]
    batch = learner.Batch(*args)
    moved = batch.to(device)
    devices = [[device_of(getattr(one, name, None)) for name in names] for one in (batch, moved)]
    shapes = [list(getattr(getattr(moved, name, None), "shape", [])) for name in names]
    return moved is not batch, devices, shapes, getattr(moved, "ntokens", None)


@pytest.mark.task("training.Batch", points=2)
def test_to(learner, reference, rng):
    """to(device) gives a new batch with all tensors on that device; the old one stays where it is."""
    names = ("src", "src_mask", "tgt", "tgt_y", "tgt_mask")
    src, tgt = random_ids(rng, 3, 6), random_ids(rng, 3, 5)
    try:
        reply = reply_of(learner, move, [src, tgt], "meta", False, parts=4, uses=(Traveller, device_of))
    except (LearnerRaised, NotAttempted):  # the code looks at values, and tensors on that device have none
        reply = reply_of(learner, move, [src, tgt], "meta", True, parts=4, uses=(Traveller, device_of))
    new, (old_devices, new_devices), shapes, count = reply
    assert new is True, "Batch.to(device) should return a new Batch, but returned the same object."
    for name, device, shape, expected in zip(names, new_devices, shapes, (src, None, tgt[:, 1:], tgt[:, 1:], None)):
        assert device == "meta", (
            f"After moved = batch.to('meta'), moved.{name} should be on 'meta', but is on {device!r}."
        )
        if expected is not None:
            assert shape == list(expected.shape), (
                f"After moved = batch.to('meta'), moved.{name} should have shape {list(expected.shape)}, not {shape}."
            )
    for name, device in zip(names, old_devices):
        assert device == "cpu", (
            f"After batch.to('meta'), batch.{name} itself is on {device!r}: it should stay on the CPU."
        )
    assert_equal(count, int((tgt[:, 1:] != PAD).sum()), "moved.ntokens after moved = batch.to(device)")


def stay(learner, args, device):
    """The attributes of a batch that was sent to the device that it is on."""
    moved = learner.Batch(*args).to(device)
    return [getattr(moved, name) for name in ("src", "src_mask", "tgt", "tgt_y", "tgt_mask", "ntokens")]


@pytest.mark.task("training.Batch", points=1)
def test_to_keeps_everything(learner, reference, rng):
    """A moved batch holds the same values as before, with and without a target."""
    names = ("src", "src_mask", "tgt", "tgt_y", "tgt_mask", "ntokens")
    for pad, target in ((PAD, True), (7, True), (PAD, False)):
        src, tgt = random_ids(rng, 4, 6, pad), random_ids(rng, 4, 5, pad)
        args = [src, tgt, pad] if target else [src]
        got = reply_of(learner, stay, args, "cpu", parts=6)
        masks = masks_by_hand(src, tgt, pad)
        expected = (src, masks[0], tgt[:, :-1], tgt[:, 1:], masks[1], int((tgt[:, 1:] != pad).sum()))
        shown = [f"batch.to('cpu').{name}" for name in names]
        if target:
            assert_equal(tuple(got), expected, shown)
        else:
            assert_equal((*got[:2], got[5]), (*expected[:2], 0), [shown[0], shown[1], shown[5]])
            for name, value in zip(shown[2:5], got[2:5]):
                assert value is None, f"{name} of a batch without a target should be None, but is {describe(value)}."


# ---------------------------------------------------------------------------------------------------------------------
# copy_task


def copies(learner, args, options, seeds, most):
    """For each seed one run of the copy task: sources, decoder inputs and targets of at most ``most`` batches.

    A seed of None means no generator, "same" the generator of the run before. PyTorch's own generator has another state
    for every run.
    """
    import itertools

    runs = []
    generator = None
    for number, seed in enumerate(seeds):
        torch.default_generator.manual_seed(1000 + number)
        if seed != "same":
            generator = None if seed is None else torch.Generator().manual_seed(seed)
        more = {} if generator is None else {"generator": generator}
        batches = itertools.islice(learner.copy_task(*args, **options, **more), most)
        runs.append([(batch.src, batch.tgt, batch.tgt_y) for batch in batches])
    return runs


def copy_runs(learner, args, seeds, options=None, most=20):
    """Of each run the sources, the decoder's inputs and the targets, one batch after the other."""
    runs = reply_of(learner, copies, args, options or {}, seeds, most, parts=len(seeds))
    for run in runs:
        if not run:
            call = f"copy_task({', '.join(map(str, args))}, ...)"
            raise AssertionError(f"{call} gave no batches. Does your function yield each of them?")
        for batch in run:
            if not all(isinstance(part, torch.Tensor) and part.dim() == 2 for part in batch):
                raise AssertionError(
                    "src, tgt and tgt_y of every batch of copy_task should be tensors of shape (batch, length), "
                    f"but of one batch they are {', '.join(map(describe, batch))}."
                )
    return runs


@pytest.mark.task("training.copy_task", points=1)
def test_sizes(learner, reference, rng):
    """There are as many batches, sequences and ids as requested; ten ids by default."""
    for args, options, length in (([9, 5, 3], {"length": 7}, 7), ([12, 2, 4], {}, 10), ([8, 3, 1, 6], {}, 6)):
        (run,) = copy_runs(learner, args, [1], options)
        call = f"copy_task({', '.join(map(str, args))}{''.join(f', {k}={v}' for k, v in options.items())})"
        assert_equal(len(run), args[2], f"the number of batches of {call}")
        for src, _, _ in run:
            assert_equal(list(src.shape), [args[1], length], f"the shape of src of {call}")


@pytest.mark.task("training.copy_task", points=1)
def test_begins(learner, reference, rng):
    """Every sequence begins with BOS, and no other id is below 4 or beyond the vocabulary."""
    for vocab_size in (6, 14):
        (run,) = copy_runs(learner, [vocab_size, 30, 2], [2], {"length": 9})
        for src, _, _ in run:
            call = f"copy_task({vocab_size}, 30, 2, length=9)"
            assert not src.is_floating_point(), f"src of {call} should hold whole numbers, but has dtype {src.dtype}."
            assert_equal(src[:, 0], torch.full_like(src[:, 0], BOS), f"the first ids of src of {call}")
            words = src[:, 1:]
            assert bool((words >= 4).all()), (
                f"After BOS, src of {call} holds the id {int(words.min())}, but the ids of words start at 4."
            )
            assert bool((words < vocab_size).all()), (
                f"src of {call} holds the id {int(words.max())}, but the largest id is vocab_size - 1."
            )


@pytest.mark.task("training.copy_task", points=1)
def test_all_words(learner, reference, rng):
    """Every id from 4 to the last occurs at every position, as often as the others, whatever its neighbours are."""
    # 3 words, 150 rows: one word is missing at one of 6 positions with a probability below 18 * (2/3)^150 < 10^-24.
    (run,) = copy_runs(learner, [7, 150, 1], [3], {"length": 7})
    for position in range(1, min(7, run[0][0].shape[1])):
        found = sorted(set(run[0][0][:, position].tolist()))
        assert_equal(found, [4, 5, 6], f"the ids at position {position} of 150 sequences with vocab_size=7")
    # 7 words, 3000 drawn: the statistic for equally likely ones has 6 degrees of freedom, and is beyond 55 by chance
    # less than once in 10^9. Of 2700 neighbours 1 in 7 are equal, with a standard deviation of 0.0067; the limit is 7
    # standard deviations.
    (run,) = copy_runs(learner, [11, 300, 1], [4], {"length": 11})
    words = run[0][0][:, 1:]
    assert_equal(list(words.shape), [300, 10], "the shape of src without BOS, of copy_task(11, 300, 1, length=11)")
    counts = torch.bincount(words.flatten() - 4, minlength=7)
    assert chi_square(counts, 3000 / 7) < 55, (
        f"At the 3,000 positions of copy_task(11, 300, 1, length=11), the ids 4 to 10 occur {counts.tolist()} times. "
        "They should be equally likely."
    )
    alike = share_of(words[:, 1:] == words[:, :-1])
    assert abs(alike - 1 / 7) < 0.047, (
        f"In copy_task(11, 300, 1, length=11), {alike:.1%} of neighbouring ids are equal, instead of 1 in 7. "
        "Each id should be drawn independently."
    )


@pytest.mark.task("training.copy_task", points=1)
def test_target_is_source(learner, reference, rng):
    """The target is the source: the decoder reads it, and has to predict it."""
    (run,) = copy_runs(learner, [30, 4, 3], [4], {"length": 8})
    for src, tgt, tgt_y in run:
        names = ("tgt (the source without its last id)", "tgt_y (the source without its first id)")
        assert_equal((tgt, tgt_y), (src[:, :-1], src[:, 1:]), names)


@pytest.mark.task("training.copy_task", points=1)
def test_all_differ(learner, reference, rng):
    """Batches differ, and so do the sequences of a batch and the ids of a sequence; so does the next epoch."""
    # 96 words and 11 positions: two sequences are equal with a probability of 96^-11 < 10^-21, for 30 of them below
    # 10^-18. A sequence holds one id only with a probability of 96^-10, one of 30 below 10^-18.
    first, second = copy_runs(learner, [100, 5, 3], [None, None], {"length": 12})
    rows = [tuple(row) for run in (first, second) for src, _, _ in run for row in src.tolist()]
    assert len(set(rows)) == len(rows), (
        f"Of {len(rows)} sequences of copy_task(100, 5, 3, length=12), {len(rows) - len(set(rows))} repeat others. "
        "Each should be drawn anew."
    )
    assert all(len(set(row)) > 2 for row in rows), (
        "After BOS, a sequence of copy_task(100, 5, 3, length=12) only repeats one id. Each id should be drawn anew."
    )


@pytest.mark.task("training.copy_task", points=1)
def test_generator(learner, reference, rng):
    """The generator alone decides the ids, and continues from its state."""
    args, options = [50, 3, 2], {"length": 9}  # another seed gives the same ids with a probability of 46^-48
    once, again, more, other = (
        [src for src, _, _ in run] for run in copy_runs(learner, args, [5, 5, "same", 6], options)
    )
    names = [f"src of batch {i}, drawn a second time with the same seed" for i in range(len(once))]
    assert_equal(tuple(again), tuple(once), names)
    for name, run in (("the same generator in a second call", more), ("a generator with another seed", other)):
        same = len(run) == len(once) and all(map(torch.equal, run, once))
        assert not same, f"copy_task with {name} should give other batches, but gives the same ones."


# ---------------------------------------------------------------------------------------------------------------------
# bucket_batches


def bucket(learner, lengths, max_tokens, seeds):
    """The batches for each seed (None: without a generator), and the lengths afterwards."""
    runs = []
    for number, seed in enumerate(seeds):
        torch.default_generator.manual_seed(1000 + number)
        runs.append(learner.bucket_batches(lengths, max_tokens, *generator_from(seed)))
    return runs, lengths


def bucketed(learner, lengths, max_tokens, seeds=(None,)):
    """The runs of `bucket`, all of them lists of lists of whole numbers."""
    runs, after = reply_of(learner, bucket, lengths, max_tokens, seeds, parts=2, uses=(generator_from,))
    for run in runs:
        right = isinstance(run, (list, tuple)) and all(isinstance(batch, (list, tuple)) for batch in run)
        if not right or not all(type(index) is int for batch in run for index in batch):
            raise AssertionError(f"bucket_batches should return a list of lists of whole numbers, but returned {run}.")
    return runs, after


def check_each_once(lengths, batches):
    found = sorted(index for batch in batches for index in batch)
    missing = sorted(set(range(len(lengths))) - set(found))
    twice = sorted({index for index in found if found.count(index) > 1})
    assert not missing, f"The indices {missing} of {len(lengths)} lengths {lengths} are in no batch: {batches}."
    assert not twice, f"The indices {twice} of {len(lengths)} lengths occur more than once: {batches}."
    assert len(found) == len(lengths), (
        f"Some indices in the batches belong to none of the {len(lengths)} lengths: {batches}."
    )
    assert all(batches), f"bucket_batches should return no empty batch, but returned {batches}."


@pytest.mark.task("training.bucket_batches", points=1)
def test_each_once(learner, reference, rng):
    """Every index occurs in one batch, once."""
    for count, low, high, max_tokens in ((13, 1, 12, 30), (40, 3, 9, 24), (7, 5, 6, 11), (1, 4, 5, 9)):
        lengths = rng.integers(low, high, count).tolist()
        ((batches,), _) = bucketed(learner, lengths, max_tokens)
        check_each_once(lengths, batches)


def check_size(lengths, max_tokens, batches):
    for batch in batches:
        longest = max((lengths[index] for index in batch if 0 <= index < len(lengths)), default=0)
        assert len(batch) * longest <= max_tokens, (
            f"The batch {batch} holds {len(batch)} sequences, and the longest has {longest} tokens. With padding, that "
            f"makes {len(batch) * longest} positions, more than max_tokens={max_tokens}."
        )


@pytest.mark.task("training.bucket_batches", points=2)
def test_padded_size(learner, reference, rng):
    """No batch is larger than max_tokens, padding included."""
    for count, low, high, max_tokens in ((23, 2, 15, 31), (30, 1, 40, 40), (12, 5, 6, 17), (26, 7, 12, 60)):
        lengths = rng.integers(low, high, count).tolist()
        ((batches,), _) = bucketed(learner, lengths, max_tokens)
        check_each_once(lengths, batches)
        check_size(lengths, max_tokens, batches)
    # Long ones among short ones; and equal ones, where one more makes max_tokens + 1: catches a limit one too high.
    for lengths, max_tokens in (([1, 1, 1, 9], 12), ([9, 1, 1, 1], 12), ([3, 1, 8, 2, 7, 1, 6], 12), ([5] * 7, 14)):
        ((batches,), _) = bucketed(learner, lengths, max_tokens)
        check_each_once(lengths, batches)
        check_size(lengths, max_tokens, batches)


@pytest.mark.task("training.bucket_batches", points=1)
def test_exactly_full(learner, reference, rng):
    """A sequence of max_tokens tokens is allowed, and has a batch to itself."""
    for lengths, max_tokens in (([3, 12, 5, 12, 2], 12), ([7], 7), ([4, 4, 4, 8], 8)):
        ((batches,), _) = bucketed(learner, lengths, max_tokens)
        check_each_once(lengths, batches)
        check_size(lengths, max_tokens, batches)


def refusals(learner, cases):
    """For each pair of lengths and limit how it is refused, or what was returned."""
    bucket_batches = learner.bucket_batches  # taken here, so that a missing one is no refusal
    return [refusal_in_short(lambda: bucket_batches(lengths, max_tokens)) for lengths, max_tokens in cases]


@pytest.mark.task("training.bucket_batches", points=1)
def test_too_long(learner, reference, rng):
    """A sequence longer than max_tokens is an error, wherever it is."""
    cases = [([3, 13, 5], 12), ([13, 1], 12), ([2, 6, 40], 39), ([20, 13], 12)]
    outcomes = reply_of(learner, refusals, cases, parts=len(cases), uses=(refusal, refusal_in_short))
    for (lengths, max_tokens), outcome in zip(cases, outcomes):
        assert_refused(outcome, f"bucket_batches({lengths}, {max_tokens})", ("ValueError", "TypeError"), str)
    ((batches,), _) = bucketed(learner, [3, 11, 5], 12)
    check_each_once([3, 11, 5], batches)


@pytest.mark.task("training.bucket_batches", points=1)
def test_lengths_stay(learner, reference, rng):
    """The list of lengths is not changed. Without a generator, the order of the batches is always the same."""
    lengths = [9, 2, 7, 2, 11, 5, 3, 8]
    for seeds in ([None], [4]):
        (batches,), after = bucketed(learner, lengths, 20, seeds)
        assert_equal(after, lengths, "lengths after the call")
        check_each_once(lengths, batches)
    # Without a generator nothing is left to chance.
    lengths = rng.integers(4, 9, 60).tolist()
    (once, again), _ = bucketed(learner, lengths, 25, [None, None])
    assert_equal(again, once, "the batches of a second call without a generator")


@pytest.mark.task("training.bucket_batches", points=2)
def test_shuffle(learner, reference, rng):
    """A generator shuffles the batches: it alone decides their order, and every batch stays valid."""
    # Lengths occur several times, so that shuffling only among equal lengths counts as well. With six seeds a right
    # answer gives six equal orders of 20 batches or more with a probability below (1/20!)^5.
    lengths = rng.integers(4, 9, 60).tolist()
    seeds = [1, 2, 3, 4, 5, 6, 1]
    runs, _ = bucketed(learner, lengths, 25, seeds)
    for batches in runs:
        check_each_once(lengths, batches)
        check_size(lengths, 25, batches)
    as_sets = [[set(batch) for batch in batches] for batches in runs]
    assert any(sets != as_sets[0] for sets in as_sets[1:6]), (
        "bucket_batches returns the same batches in the same order for six generators with different seeds. "
        "A generator should shuffle the batches."
    )
    assert_equal(runs[6], runs[0], "the batches of a second call with the same seed")


# ---------------------------------------------------------------------------------------------------------------------
# run_epoch


def epoch(learner, parts, weights, wanted, train=True, mode=None, rates=None, left_over=0.0, once=True, **options):
    """One epoch of a small model. Returns the notes on it whose names are in ``wanted``.

    ``parts`` holds source and target of each batch. With ``once`` the batches can be read only once; otherwise they are
    a list. ``rates`` are set by a scheduler of PyTorch. Every gradient is ``left_over`` before the epoch. The model
    comes in the ``mode`` given, or else in the wrong one.
    """
    model = AveragingModel(weights, most_calls=40).train(not train if mode is None else mode)
    descent = NotingDescent(model.parameters(), lr=0.5)
    scheduler = None
    if rates is not None:
        scheduler = torch.optim.lr_scheduler.LambdaLR(descent, lambda done: rates[done])
    for one in model.parameters():
        one.grad = torch.full_like(one, left_over) if left_over else None
    batches = batches_of(parts) if once else list(batches_of(parts))
    result = learner.run_epoch(batches, model, summed_loss, descent if train else None, scheduler, **options)
    notes = {
        "modes": model.modes,
        "gradients": descent.gradients,
        "rates": descent.rates,
        "recorded": (torch.is_grad_enabled(), all(one.requires_grad for one in model.parameters())),
        "loss": result.loss,
        "tokens": result.tokens,
        "steps": result.steps,
        "graph": isinstance(result.loss, torch.Tensor) and result.loss.requires_grad,
        "scheduled": scheduler.last_epoch if scheduler is not None else None,
        "parameters": all_parameters(model),
        "grown": any(one.grad is not None and bool(one.grad.any()) for one in model.parameters()),
    }
    return [notes[name] for name in wanted]


class AveragingModel(nn.Module):
    """Averages the vectors of the source, and those of the target up to each position; notes its modes."""

    def __init__(self, weights, most_calls):
        super().__init__()
        self.source, self.target, out, bias = (nn.Parameter(one.clone()) for one in weights)
        self.generator = nn.Sequential(nn.Linear(out.shape[1], out.shape[0]), nn.LogSoftmax(-1))
        self.generator[0].weight, self.generator[0].bias = out, bias
        self.inner = nn.Dropout(0.0)
        self.modes, self.most_calls = [], most_calls

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        self.modes.append([self.training, self.inner.training, torch.is_grad_enabled()])
        if len(self.modes) > self.most_calls:
            raise RuntimeError(f"the model is called again and again, more than {self.most_calls} times")
        keep, before = src_mask[:, 0].to(self.source), tgt_mask[:, 0].to(self.source)
        read = keep @ self.source[src] / keep.sum(-1, keepdim=True).clamp(min=1)
        known = before @ self.target[tgt] / before.sum(-1, keepdim=True).clamp(min=1)
        return self.inner(torch.tanh(read + known))


EPOCH_USES = (batches_of, summed_loss, NotingDescent, all_parameters, AveragingModel)


class Result:
    """An epoch's result, as `epoch` reads it."""

    def __init__(self, loss, tokens, steps):
        self.loss, self.tokens, self.steps, self.seconds = loss, tokens, steps, 0.0


class Oracle:
    """Stands for a learner's code in the driver `epoch`."""

    @staticmethod
    def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
        """All tokens that belong to one step go through the loss together, as one batch."""
        batches = list(batches)
        model.train(optimizer is not None)
        losses, steps = [], 0
        for first in range(0, len(batches), accumulate):
            group = batches[first : first + accumulate]
            parts = [
                model.generator(model(one.src, one.tgt, one.src_mask, one.tgt_mask)).flatten(0, 1) for one in group
            ]
            loss = loss_fn(torch.cat(parts), torch.cat([one.tgt_y.flatten() for one in group]))
            losses.append(loss.detach())
            if optimizer is None:
                continue
            model.zero_grad()
            (loss / sum(one.ntokens for one in group)).backward()
            optimizer.step()
            steps += 1
            if scheduler is not None:
                scheduler.step()
        tokens = sum(one.ntokens for one in batches)
        return Result(float(sum(losses)) / max(tokens, 1), tokens, steps)


SOURCE_WORDS, TARGET_WORDS, WIDTH = 9, 11, 3


def random_weights(rng, dtype=torch.float64):
    shapes = ((SOURCE_WORDS, WIDTH), (TARGET_WORDS, WIDTH), (TARGET_WORDS, WIDTH), (TARGET_WORDS,))
    return [1.5 * rng.normal(*shape, dtype=dtype) for shape in shapes]


def random_parts(rng, number):
    """Batches that differ in rows, in lengths and in padding; a batch that is alone has one token to predict."""
    if number == 1:
        return [(random_ids(rng, 3, 5), torch.tensor([[BOS, 7, PAD], [BOS, PAD, PAD], [BOS, PAD, PAD]]))]
    return [
        (random_ids(rng, rows, 6 - rows % 3), random_ids(rng, rows, 4 + index % 4))
        for index, rows in enumerate((2, 5, 3, 4, 1, 6, 2)[:number])
    ]


def both_epochs(learner, rng, number, wanted, dtype=torch.float64, **options):
    """What happened in the learner's epoch, and in the oracle's."""
    parts, weights = random_parts(rng, number), random_weights(rng, dtype)
    got = reply_of(learner, epoch, parts, weights, wanted, parts=len(wanted), uses=EPOCH_USES, **options)
    return got, epoch(Oracle, parts, weights, wanted, **options)


def check_loss(got, graph, expected, what, tolerance=1e-5):
    assert graph is not True, f"{what} still belongs to a graph of gradients. It should be a float: use .item()."
    assert_close(got, float(expected), what, tolerance, 1e-9)


@pytest.mark.task("training.run_epoch", points=1)
def test_loss_per_token(learner, reference, rng):
    """The loss is that of all tokens, divided by their number."""
    for number, dtype in ((3, torch.float64), (4, torch.float32)):
        got, expected = both_epochs(learner, rng, number, ["loss", "graph"], dtype, train=False)
        check_loss(*got, expected[0], f"the loss of {number} batches, without an optimiser,", 1e-4)


@pytest.mark.task("training.run_epoch", points=1)
def test_counts_when_evaluating(learner, reference, rng):
    """Without an optimiser there are tokens, and no steps."""
    for number in (1, 4):
        got, expected = both_epochs(learner, rng, number, ["tokens", "steps"], train=False)
        assert_equal(tuple(got), tuple(expected), [f"{name} of {number} batches" for name in ("tokens", "steps")])


@pytest.mark.task("training.run_epoch", points=1)
def test_evaluation_mode(learner, reference, rng):
    """Without an optimiser the whole model is in evaluation mode, gradients are off, and parameters stay."""
    parts, weights, wanted = random_parts(rng, 3), random_weights(rng), ["modes", "grown", "parameters", "recorded"]
    for mode in (False, True):
        modes, grown, after, recorded = reply_of(
            learner, epoch, parts, weights, wanted, parts=4, uses=EPOCH_USES, train=False, mode=mode
        )
        call = "run_epoch(batches, model, loss_fn) without an optimiser"
        assert modes, f"{call} did not call the model."
        assert not any(one[0] or one[1] for one in modes), (
            f"{call} runs the model, or a part of it, in training mode. It should be in evaluation mode."
        )
        assert not any(one[2] for one in modes), f"{call} runs the model with gradients enabled. They should be off."
        assert grown is False, f"{call} leaves gradients in the parameters. An evaluation needs no backward pass."
        assert tuple(recorded) == (True, True), f"After {call}, no gradients are recorded any more " + (
            "for the parameters of the model." if recorded[0] else "for any computation."
        )
        assert_equal(after, torch.cat([one.flatten() for one in weights]), "the parameters after evaluating")


def notes_of(learner, rng, number, wanted, dtype=torch.float64, **options):
    """What happened in an epoch of the learner's."""
    request = random_parts(rng, number), random_weights(rng, dtype), wanted
    return reply_of(learner, epoch, *request, parts=len(wanted), uses=EPOCH_USES, **options)


@pytest.mark.task("training.run_epoch", points=1)
def test_schedule_when_evaluating(learner, reference, rng):
    """Without an optimiser the schedule makes no step."""
    rates = [1.0, 0.9, 0.8, 0.7, 0.6]
    for accumulate in (1, 2):
        try:
            got = notes_of(learner, rng, 3, ["scheduled", "steps"], train=False, rates=rates, accumulate=accumulate)
        except LearnerRaised as raised:  # refusing a scheduler without an optimiser is right as well
            assert {"ValueError", "TypeError"} & {*raised.kinds}, f"Your code raised {raised.kind}: {raised.text}"
            continue
        names = ("steps of the scheduler while evaluating", "steps while evaluating")
        assert_equal(tuple(got), (0, 0), names)
    got, expected = both_epochs(learner, rng, 2, ["tokens"], train=False)
    assert_equal(got[0], expected[0], "tokens while evaluating")


@pytest.mark.task("training.run_epoch", points=1)
def test_training_mode(learner, reference, rng):
    """With an optimiser the whole model is in training mode, for every batch."""
    (modes,) = notes_of(learner, rng, 4, ["modes"])
    assert len(modes) == 4, f"With 4 batches, run_epoch should call the model 4 times, but calls it {len(modes)} times."
    assert all(mode[0] and mode[1] for mode in modes), (
        "With an optimiser, run_epoch runs the model, or a part of it, in evaluation mode. Training mode is needed."
    )


def check_step_gradients(learner, rng, number, **options):
    """Gradients at the moment of every step."""
    (got,), (expected,) = both_epochs(learner, rng, number, ["gradients"], **options)
    what = f"with {number} batches" + (f" and accumulate={options['accumulate']}" if "accumulate" in options else "")
    assert len(got) == len(expected), (
        f"The number of steps of the optimiser {what} should be {len(expected)}, but is {len(got)}."
    )
    names = [f"the gradient of all parameters at step {i + 1} {what}" for i in range(len(expected))]
    assert_close(tuple(got), tuple(expected), names)


@pytest.mark.task("training.run_epoch", points=1)
def test_one_step_per_batch(learner, reference, rng):
    """For each batch there is a step, with the gradient of its loss per token."""
    check_step_gradients(learner, rng, 4)


@pytest.mark.task("training.run_epoch", points=1)
def test_result_of_training(learner, reference, rng):
    """Loss per token, tokens and steps of an epoch of training, and the parameters afterwards."""
    for number, options in ((3, {"once": False}), (5, {"accumulate": 2})):
        wanted = ["loss", "graph", "tokens", "steps", "parameters"]
        (loss, graph, *got), (expected, _, *rest) = both_epochs(learner, rng, number, wanted, **options)
        check_loss(loss, graph, expected, "the loss of an epoch of training")
        assert_equal(tuple(got[:2]), tuple(rest[:2]), [f"{one} of an epoch of training" for one in ("tokens", "steps")])
        assert_close(got[2], rest[2], "the parameters after an epoch of training")


@pytest.mark.task("training.run_epoch", points=1)
def test_left_over_gradients(learner, reference, rng):
    """Gradients from before the epoch do not count."""
    check_step_gradients(learner, rng, 3, left_over=0.7, accumulate=2)


@pytest.mark.task("training.run_epoch", points=2)
def test_accumulated_gradient(learner, reference, rng):
    """With accumulate=3, three batches make one step, with the gradient of all their tokens as one batch."""
    for number, accumulate in ((3, 3), (4, 2)):
        check_step_gradients(learner, rng, number, accumulate=accumulate)


@pytest.mark.task("training.run_epoch", points=1)
def test_rest(learner, reference, rng):
    """The batches left at the end make a step too, and its gradient is divided by their own tokens."""
    for number, accumulate in ((5, 3), (2, 4)):
        check_step_gradients(learner, rng, number, accumulate=accumulate)


@pytest.mark.task("training.run_epoch", points=2)
def test_scheduler(learner, reference, rng):
    """The scheduler takes one step after each step of the optimiser."""
    rates = [round(float(rate), 3) for rate in rng.uniform(12, low=0.2, high=2.0)]
    for number, options in ((3, {}), (4, {"accumulate": 2}), (5, {"accumulate": 3})):
        (used, steps), (expected, wanted) = both_epochs(
            learner, rng, number, ["rates", "scheduled"], rates=rates, **options
        )
        assert isinstance(used, list), "run_epoch with a scheduler: the rates that its steps used could not be read."
        what = f"with {number} batches" + (f" and accumulate={options['accumulate']}" if options else "")
        assert len(used) == len(expected), (
            f"The number of steps of the optimiser {what} should be {len(expected)}, but is {len(used)}."
        )
        for i, (rate, right) in enumerate(zip(used, expected)):
            assert_close(rate, right, f"the rate at which step {i + 1} of the optimiser is made {what}")
        assert_equal(steps, wanted, f"the number of steps of the scheduler {what}")


@pytest.mark.task("training.run_epoch", points=1)
def test_no_batches(learner, reference, rng):
    """Without batches the loss is 0.0, and there is no step."""
    for train in (False, True):
        got = notes_of(learner, rng, 0, ["loss", "tokens", "steps"], train=train)
        names = [f"{name} of an epoch without batches" for name in ("loss", "tokens", "steps")]
        assert_close(tuple(got), (0.0, 0, 0), names)
    check_step_gradients(learner, rng, 1)


def clocked(learner, steps, train, really=False):
    """The seconds that an epoch says it took, and whether it read a clock that stands for the module ``time``.

    Every call of the model, one for each batch, advances that clock by the next of ``steps``. The learner's functions
    see it in place of the module, or of what they took from it. Code that measures in another way measures the time
    that really passes: with ``really``, the model computes for that long.
    """
    import time
    from types import SimpleNamespace

    clock, coming = Clock(), iter(steps)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.generator = nn.Parameter(torch.zeros(5)), nn.LogSoftmax(-1)

        def forward(self, src, tgt, src_mask=None, tgt_mask=None):
            seconds = next(coming, 0.0)
            clock.passed += seconds
            end = time.process_time() + seconds
            while really and time.process_time() < end:
                pass
            return self.weight.expand(*tgt.shape, 5)

    ids, mask = torch.full((2, 3), 4), torch.ones(2, 1, 1, 3, dtype=torch.bool)
    batch = SimpleNamespace(src=ids, src_mask=mask, tgt=ids, tgt_y=ids, tgt_mask=mask.expand(2, 1, 3, 3), ntokens=6)
    batch.to = lambda *_, **__: batch
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1) if train else None
    names = getattr(learner.run_epoch, "__globals__", {})
    replaced = clocks_of(names, clock)
    right = {name: names[name] for name in replaced}
    try:
        names.update(replaced)
        result = learner.run_epoch(iter([batch] * len(steps)), model, lambda p, y: -p[:, 4].sum(), optimizer)
    finally:
        names.update(right)
    return float(result.seconds), clock.was_read


class Clock:
    """Stands for the module ``time``: its clocks stand still until ``passed`` is raised, and notice being read."""

    def __init__(self):
        self.passed, self.was_read = 0.0, False

    def read(self):
        self.was_read = True
        return 1e6 + self.passed

    def __getattr__(self, name):
        import time

        right = getattr(time, name)
        if name in ("time", "perf_counter", "monotonic", "process_time"):
            return self.read
        return (lambda: int(1e9 * self.read())) if name.endswith("_ns") else right


def clocks_of(names, clock):
    """Those of a function's global names that stand for a clock or the module ``time``, each with a stand-in."""
    import time

    kinds = {id(getattr(time, kind)): kind for kind in ("time", "perf_counter", "monotonic", "process_time")}
    found = {name: kinds.get(id(one)) for name, one in names.items() if one is time or id(one) in kinds}
    return {name: getattr(clock, kind) if kind else clock for name, kind in found.items()}


@pytest.mark.task("training.run_epoch", points=1)
def test_seconds(learner, reference, rng):
    """`seconds` is how long the whole epoch took."""
    for train in (False, True):
        steps = rng.uniform(3, low=50, high=150).tolist()
        seconds, was_read = reply_of(learner, clocked, steps, train, parts=2, uses=(Clock, clocks_of))
        least, most = 0.9 * sum(steps), 1.1 * sum(steps)
        if was_read is not True and seconds != 0:  # what really passed, which differs from run to run
            steps = [0.05] * 3
            seconds, _ = reply_of(learner, clocked, steps, train, True, parts=2, uses=(Clock, clocks_of))
            least, most = 0.9 * sum(steps), 30.0  # more than a request may take; as milliseconds it would be 150
        said = seconds if type(seconds) is float else math.nan
        assert least <= said <= most, f"`seconds` of an epoch of three batches is {how_wrong(said, least)}."


def how_wrong(seconds, least):
    """What is wrong with a number of seconds that is below ``least`` or far too large."""
    if seconds == 0:
        return "0"
    if seconds < least:
        return "negative" if seconds < 0 else "too small"
    return "a time of day" if seconds >= 1e6 else "too large"
