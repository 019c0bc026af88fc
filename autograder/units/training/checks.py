"""Checks of unit 9, training. What is expected comes from the ids themselves, or from `one_batch_per_step` below.

Within a task they go from basic to subtle, and each looks at one mechanism. Numbers of batches, sequences and tokens
always differ, and so do the batches among themselves. What is left to chance is judged by statistics; each says how
often it would fail a right answer by chance, always less than once in 10^9.
"""

import pytest
import torch
from torch import nn

from autograder.judging.assertions import assert_boolean_mask, assert_close, assert_equal
from autograder.judging.replies import LearnerRaised, NotAttempted, reply_of
from solutions import BOS, EOS, PAD

# ---------------------------------------------------------------------------------------------------------------------
# Drivers: they run beside the learner's code and hold no expected value.


def build(learner, args, options, names):
    """The named attributes of a batch, and the arguments as the call left them."""
    batch = learner.Batch(*args, **options)
    return [getattr(batch, name) for name in names], args


def move(learner, args, device, pretend):
    """A batch on another device: whether it is another object, where the tensors of both lie, and the other's count.

    The device "meta" is there on every machine; its tensors have a shape and no values. Who looks at values on the
    way cannot go there. For them, ``pretend`` gives tensors that stay here and only remember where they were sent.
    """
    names = ("src", "src_mask", "tgt", "tgt_y", "tgt_mask")

    class Traveller(torch.Tensor):
        place = "cpu"

        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            options = dict(kwargs or {})
            everything = [*args, *options.values()]
            nested = [part for one in everything if isinstance(one, (list, tuple)) for part in one]
            place = max((one.place for one in [*everything, *nested] if isinstance(one, cls)), default="cpu")
            if function is torch.Tensor.__deepcopy__:
                function, args = torch.Tensor.clone, args[:1]
            elif function is torch.Tensor.to:
                where = [one for one in everything[1:] if isinstance(one, (str, torch.device))]
                if where:
                    place = str(where[0])
                    args = (args[0],)
                    options = {}
                    function = torch.Tensor.clone
            result = super().__torch_function__(function, types, args, options)
            for one in result if isinstance(result, (list, tuple)) else [result]:
                if isinstance(one, cls):
                    one.place = place
            return result

    def place(tensor):
        if not isinstance(tensor, torch.Tensor):
            return type(tensor).__name__
        return tensor.place if isinstance(tensor, Traveller) else tensor.device.type

    if pretend:
        args = [one.as_subclass(Traveller) for one in args]
    batch = learner.Batch(*args)
    moved = batch.to(device)
    places = [[place(getattr(one, name, None)) for name in names] for one in (batch, moved)]
    shapes = [list(getattr(getattr(moved, name, None), "shape", [])) for name in names]
    return moved is not batch, places, shapes, getattr(moved, "ntokens", None)


def stay(learner, args, device):
    """The attributes of a batch that was sent to where it was."""
    moved = learner.Batch(*args).to(device)
    return [getattr(moved, name) for name in ("src", "src_mask", "tgt", "tgt_y", "tgt_mask", "ntokens")]


def copies(learner, args, options, seeds, most):
    """For each seed one run of the copy task: sources, decoder inputs and targets of at most so many batches.

    A seed of None goes without a generator, one of "same" takes the generator of the run before. PyTorch's own
    generator stands elsewhere for every run.
    """
    import itertools

    runs = []
    generator = None
    for number, seed in enumerate(seeds):
        torch.manual_seed(1000 + number)
        if seed != "same":
            generator = None if seed is None else torch.Generator().manual_seed(seed)
        more = {} if generator is None else {"generator": generator}
        batches = itertools.islice(learner.copy_task(*args, **options, **more), most)
        runs.append([(batch.src, batch.tgt, batch.tgt_y) for batch in batches])
    return runs


def bucket(learner, lengths, max_tokens, seeds):
    """The batches for each seed (None: without a generator), and the lengths afterwards."""
    runs = []
    for number, seed in enumerate(seeds):
        torch.manual_seed(1000 + number)
        more = () if seed is None else (torch.Generator().manual_seed(seed),)
        runs.append(learner.bucket_batches(lengths, max_tokens, *more))
    return runs, lengths


def refusals(learner, cases):
    """For each pair of lengths and limit the classes of the error raised, or what was returned."""
    replies, bucket_batches = [], learner.bucket_batches  # taken here, so that a missing one is no refusal
    for lengths, max_tokens in cases:
        try:
            replies.append(bucket_batches(lengths, max_tokens))
        except Exception as error:
            replies.append([kind.__name__ for kind in type(error).__mro__])
    return replies


def epoch(learner, parts, weights, wanted, train=True, mode=None, rates=None, left_over=0.0, once=True, **options):
    """One epoch of a small model on batches, to be read ``once`` or a list; of what happened, what is wanted.

    ``parts`` holds source and target of each batch. The optimiser is gradient descent, which notes gradients and
    rates; ``rates`` are set by a scheduler of PyTorch. Every gradient is ``left_over`` before. The model comes in
    training mode or not, as ``mode`` says, or else in the wrong one.
    """
    from types import SimpleNamespace

    notes: dict = {"modes": [], "gradients": [], "rates": []}

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.source, self.target, out, bias = (nn.Parameter(one.clone()) for one in weights)
            self.generator = nn.Sequential(nn.Linear(out.shape[1], out.shape[0]), nn.LogSoftmax(-1))
            self.generator[0].weight, self.generator[0].bias = out, bias
            self.inner = nn.Dropout(0.0)

        def forward(self, src, tgt, src_mask=None, tgt_mask=None):
            notes["modes"].append([self.training, self.inner.training, torch.is_grad_enabled()])
            if len(notes["modes"]) > 40:
                raise RuntimeError(f"the model is called again and again, for {len(parts)} batches")
            keep, before = src_mask[:, 0].to(self.source), tgt_mask[:, 0].to(self.source)
            read = keep @ self.source[src] / keep.sum(-1, keepdim=True).clamp(min=1)
            known = before @ self.target[tgt] / before.sum(-1, keepdim=True).clamp(min=1)
            return self.inner(torch.tanh(read + known))

    class Descent(torch.optim.SGD):
        def step(self, closure=None):
            with torch.enable_grad():
                loss = closure() if closure is not None else None
            found = [torch.zeros_like(one) if one.grad is None else one.grad for one in model.parameters()]
            notes["gradients"].append(torch.cat([one.flatten() for one in found]))
            notes["rates"].append(float(self.param_groups[0]["lr"]))
            super().step()
            return loss

    def loss_fn(log_probs, targets):
        if log_probs.dim() != 2 or targets.dim() != 1:
            shapes = f"{tuple(log_probs.shape)} and {tuple(targets.shape)}"
            raise ValueError(f"loss_fn takes log-probabilities (N, V) and targets (N,), but got {shapes}")
        return -(log_probs.gather(1, targets.unsqueeze(1)).squeeze(1) * (targets != 0)).sum()

    def batches():
        for src, tgt in parts:
            keep = (tgt[:, :-1] != 0)[:, None, None, :]
            batch = SimpleNamespace(src=src, src_mask=(src != 0)[:, None, None, :], tgt=tgt[:, :-1], tgt_y=tgt[:, 1:])
            batch.tgt_mask = keep & torch.ones(keep.shape[-1], keep.shape[-1], dtype=torch.bool).tril()
            batch.ntokens = int((batch.tgt_y != 0).sum())
            batch.to = lambda *_, batch=batch, **__: batch
            yield batch

    model = Model().train(not train if mode is None else mode)
    descent = Descent(model.parameters(), lr=0.5)
    optimizer = descent if train else None
    scheduler = None
    if rates is not None:
        scheduler = torch.optim.lr_scheduler.LambdaLR(descent, lambda done: rates[done])
    for one in model.parameters():
        one.grad = torch.full_like(one, left_over) if left_over else None
    given = batches() if once else list(batches())
    result = learner.run_epoch(given, model, loss_fn, optimizer, scheduler, **options)
    notes["recorded"] = torch.is_grad_enabled(), all(one.requires_grad for one in model.parameters())
    notes["loss"] = result.loss
    notes["tokens"] = result.tokens
    notes["steps"] = result.steps
    notes["graph"] = isinstance(result.loss, torch.Tensor) and result.loss.requires_grad
    notes["scheduled"] = scheduler.last_epoch if scheduler is not None else None
    notes["parameters"] = torch.cat([one.detach().flatten() for one in model.parameters()])
    notes["grown"] = any(one.grad is not None and bool(one.grad.any()) for one in model.parameters())
    return [notes[name] for name in wanted]


def clocked(learner, number, train):
    """What an epoch of so many batches says of its seconds, on a clock that every call of the model sets 100 s on.

    The learner's functions see that clock in place of the module time, or of what they took from it. Who measures in
    another way measures the time that really passes.
    """
    import time
    from types import SimpleNamespace

    passed, reads = [0.0], []

    def clock():
        reads.append(passed[0])
        return 1e6 + passed[0]

    class Clock:
        def __getattr__(self, name):
            right = getattr(time, name)
            if name not in ("time", "perf_counter", "monotonic", "process_time"):
                return right if not name.endswith("_ns") else lambda: int(1e9 * clock())
            return clock

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.generator = nn.Parameter(torch.zeros(5)), nn.LogSoftmax(-1)

        def forward(self, src, tgt, src_mask=None, tgt_mask=None):
            passed[0] += 100.0
            return self.weight.expand(*tgt.shape, 5)

    ids, mask = torch.full((2, 3), 4), torch.ones(2, 1, 1, 3, dtype=torch.bool)
    batch = SimpleNamespace(src=ids, src_mask=mask, tgt=ids, tgt_y=ids, tgt_mask=mask.expand(2, 1, 3, 3), ntokens=6)
    batch.to = lambda *_, **__: batch
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1) if train else None
    names = getattr(learner.run_epoch, "__globals__", {})
    clocks = {id(getattr(time, name)): name for name in ("time", "perf_counter", "monotonic", "process_time")}
    right = {name: one for name, one in names.items() if one is time or id(one) in clocks}
    start = time.perf_counter()
    try:
        for name, one in right.items():
            names[name] = Clock() if one is time else getattr(Clock(), clocks[id(one)])
        result = learner.run_epoch(iter([batch] * number), model, lambda p, y: -p[:, 4].sum(), optimizer)
    finally:
        names.update(right)
    seconds = float(result.seconds)
    least, most = (0.9 * passed[0], 1.1 * passed[0]) if reads else (0.0, 1.1 * (time.perf_counter() - start) + 0.1)
    if seconds == 0:
        return "0"
    if seconds < least:
        return "negative" if seconds < 0 else "too small"
    return "right" if seconds <= most else "a time of day" if seconds >= 1e6 else "too large"


# ---------------------------------------------------------------------------------------------------------------------
# Oracles


class Result:
    """What `epoch` reads of a result."""

    def __init__(self, loss, tokens, steps):
        self.loss, self.tokens, self.steps, self.seconds = loss, tokens, steps, 0.0


class Oracle:
    """What a driver takes for a learner's code."""

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


# ---------------------------------------------------------------------------------------------------------------------
# Inputs and assertions


def _ids(rng, rows, columns, pad=PAD, padded=True):
    """Ids from 4 to 8 after BOS; rows end in EOS and padding, each in other places, and one has padding inside."""
    ids = rng.integers(4, 9, rows, columns)
    ids[:, 0] = BOS
    if padded:
        for row in range(rows):
            end = columns - row % (columns - 2)
            ids[row, end - 1], ids[row, end:] = EOS, pad
        ids[rows - 1, 2] = pad
    return ids


def _attribute(learner, args, name, options=None):
    (value,), _ = reply_of(learner, build, args, options or {}, [name], parts=2)
    return value


def _masks(src, tgt, pad=PAD):
    """The two masks by hand, place by place."""
    rows, size = tgt.shape[0], tgt.shape[1] - 1
    target = torch.zeros(rows, 1, size, size, dtype=torch.bool)
    for row in range(rows):
        for query in range(size):
            for key in range(query + 1):
                target[row, 0, query, key] = int(tgt[row, key]) != pad
    return (src != pad).reshape(src.shape[0], 1, 1, src.shape[1]), target


def _runs(learner, args, seeds, options=None, most=20):
    """Of each run the sources, the decoder's inputs and the targets, one batch after the other."""
    runs = reply_of(learner, copies, args, options or {}, seeds, most, parts=len(seeds))
    for run in runs:
        if not run:
            raise AssertionError("copy_task gave no batches.")
        for batch in run:
            if not all(isinstance(part, torch.Tensor) and part.dim() == 2 for part in batch):
                raise AssertionError("src, tgt and tgt_y of every batch should be tensors of shape (batch, length).")
    return runs


def _batches(learner, lengths, max_tokens, seeds=(None,)):
    """The runs of `bucket`, all of them lists of lists of whole numbers."""
    runs, after = reply_of(learner, bucket, lengths, max_tokens, seeds, parts=2)
    for run in runs:
        right = isinstance(run, (list, tuple)) and all(isinstance(batch, (list, tuple)) for batch in run)
        if not right or not all(type(index) is int for batch in run for index in batch):
            raise AssertionError(f"bucket_batches should return a list of lists of whole numbers, but returned {run}.")
    return runs, after


def _check_each_once(lengths, batches):
    found = sorted(index for batch in batches for index in batch)
    missing = sorted(set(range(len(lengths))) - set(found))
    twice = sorted({index for index in found if found.count(index) > 1})
    assert not missing, f"The places {missing} of {len(lengths)} lengths {lengths} are in no batch: {batches}."
    assert not twice, f"The places {twice} occur more than once: {batches}."
    assert len(found) == len(lengths), f"There are places that {len(lengths)} lengths do not have: {batches}."
    assert all(batches), f"A batch is empty: {batches}."


def _check_size(lengths, max_tokens, batches):
    for batch in batches:
        longest = max((lengths[index] for index in batch if 0 <= index < len(lengths)), default=0)
        assert len(batch) * longest <= max_tokens, (
            f"The batch {batch} holds {len(batch)} sequences of which the longest has {longest} tokens: that makes "
            f"{len(batch) * longest} places, more than max_tokens={max_tokens}."
        )


SOURCE_WORDS, TARGET_WORDS, WIDTH = 9, 11, 3


def _weights(rng, dtype=torch.float64):
    shapes = ((SOURCE_WORDS, WIDTH), (TARGET_WORDS, WIDTH), (TARGET_WORDS, WIDTH), (TARGET_WORDS,))
    return [1.5 * rng.normal(*shape, dtype=dtype) for shape in shapes]


def _parts(rng, number):
    """Batches that differ in rows, in lengths and in how much of them is padding; one alone has one token."""
    if number == 1:
        return [(_ids(rng, 3, 5), torch.tensor([[BOS, 7, PAD], [BOS, PAD, PAD], [BOS, PAD, PAD]]))]
    return [
        (_ids(rng, rows, 6 - rows % 3), _ids(rng, rows, 4 + index % 4))
        for index, rows in enumerate((2, 5, 3, 4, 1, 6, 2)[:number])
    ]


def _notes(learner, rng, number, wanted, dtype=torch.float64, **options):
    """What an epoch of the learner's noted."""
    return reply_of(learner, epoch, _parts(rng, number), _weights(rng, dtype), wanted, parts=len(wanted), **options)


def _epoch(learner, rng, number, wanted, dtype=torch.float64, **options):
    """What the learner's epoch and the oracle's noted."""
    parts, weights = _parts(rng, number), _weights(rng, dtype)
    got = reply_of(learner, epoch, parts, weights, wanted, parts=len(wanted), **options)
    return got, epoch(Oracle, parts, weights, wanted, **options)


def _check_loss(got, graph, expected, what, tolerance=1e-5):
    assert graph is not True, f"{what} still belongs to a graph of gradients: a float, from .item(), is wanted."
    assert_close(got, float(expected), what, tolerance, 1e-9)


def _check_gradients(learner, rng, number, **options):
    """Gradients at the moment of every step."""
    (got,), (expected,) = _epoch(learner, rng, number, ["gradients"], **options)
    what = f"with {number} batches" + (f" and accumulate={options['accumulate']}" if "accumulate" in options else "")
    assert len(got) == len(expected), f"The optimiser should make {len(expected)} steps {what}, but makes {len(got)}."
    names = [f"the gradient of all parameters at step {i + 1} {what}" for i in range(len(expected))]
    assert_close(tuple(got), tuple(expected), names)


# ---------------------------------------------------------------------------------------------------------------------
# Batch


@pytest.mark.task("training.Batch", points=1)
def test_offset(learner, reference, rng):
    """The decoder reads all but the last id, and predicts all but the first."""
    # The third has places that are padding in every row: they stay.
    for rows, columns, length, padded in ((3, 7, 5, 0), (1, 4, 2, 0), (3, 6, 7, 2)):
        src, tgt = _ids(rng, rows, columns, padded=False), _ids(rng, rows, length, padded=False)
        src[:, columns - padded :], tgt[:, length - padded :] = PAD, PAD
        (kept, read, predicted), _ = reply_of(learner, build, [src, tgt], {}, ["src", "tgt", "tgt_y"], parts=2)
        names = ("Batch.src", "Batch.tgt", "Batch.tgt_y")
        assert_equal((kept, read, predicted), (src, tgt[:, :-1], tgt[:, 1:]), names)


@pytest.mark.task("training.Batch", points=1)
def test_source_mask(learner, reference, rng):
    """The source mask hides the padding of the source."""
    src, tgt = _ids(rng, 4, 6), _ids(rng, 4, 5)
    assert_boolean_mask(_attribute(learner, [src, tgt], "src_mask"), _masks(src, tgt)[0], "Batch.src_mask")


@pytest.mark.task("training.Batch", points=2)
def test_target_mask(learner, reference, rng):
    """The target mask belongs to tgt: no padding, and nothing that comes later."""
    src, tgt = _ids(rng, 5, 4), _ids(rng, 5, 7)
    tgt[1, 3] = PAD  # padding inside, by which the mask of tgt and that of tgt_y differ
    assert_boolean_mask(_attribute(learner, [src, tgt], "tgt_mask"), _masks(src, tgt)[1], "Batch.tgt_mask")


@pytest.mark.task("training.Batch", points=1)
def test_ntokens(learner, reference, rng):
    """Counts the ids to predict, padding left out, as an int."""
    for rows, columns, padded in ((4, 6, True), (6, 5, True), (2, 3, False)):
        src, tgt = _ids(rng, rows, 8), _ids(rng, rows, columns, padded=padded)
        got = _attribute(learner, [src, tgt], "ntokens")
        if type(got) is not int:
            kind = "tensor" if isinstance(got, torch.Tensor) else type(got).__name__
            raise AssertionError(f"Batch.ntokens should be an int, but is a {kind}.")
        assert_equal(got, int((tgt[:, 1:] != PAD).sum()), f"Batch.ntokens of the target {tgt.tolist()}")


@pytest.mark.task("training.Batch", points=1)
def test_pad_id(learner, reference, rng):
    """Another id may stand for padding; 0 is a word then."""
    names = ("src_mask", "tgt_mask", "ntokens")
    for how in ("by name", "by position"):
        src, tgt = _ids(rng, 4, 5, pad=7), _ids(rng, 4, 6, pad=7)
        src[0, 1] = tgt[0, 2] = 0
        args, options = ([src, tgt], {"pad_id": 7}) if how == "by name" else ([src, tgt, 7], {})
        got, _ = reply_of(learner, build, args, options, names, parts=2)
        expected = (*_masks(src, tgt, 7), int((tgt[:, 1:] != 7).sum()))
        assert_equal(tuple(got), expected, [f"Batch(..., pad_id=7, {how}).{name}" for name in names])


@pytest.mark.task("training.Batch", points=1)
def test_without_target(learner, reference, rng):
    """Without a target there is a source and its mask, and nothing else."""
    names = ("src", "src_mask", "tgt", "tgt_y", "tgt_mask", "ntokens")
    src = _ids(rng, 3, 5)
    for args in ([src], [src, None]):
        got, _ = reply_of(learner, build, args, {}, names, parts=2)
        assert_equal(tuple(got[:2]), (src, _masks(src, src)[0]), [f"Batch(src).{name}" for name in names[:2]])
        for name, value in zip(names[2:5], got[2:5]):
            assert value is None, f"Batch(src).{name} should be None."
        assert_equal(got[5], 0, "Batch(src).ntokens")


@pytest.mark.task("training.Batch", points=1)
def test_arguments(learner, reference, rng):
    """The ids that were given stay what they were."""
    for pad in (PAD, 7):
        args = [_ids(rng, 4, 5, pad), _ids(rng, 4, 7, pad)]
        args[0][:, 0] = 8  # nobody says that a source begins with BOS
        (read, _), after = reply_of(learner, build, args, {"pad_id": pad}, ["tgt", "tgt_y"], parts=2)
        assert_equal(tuple(after), tuple(args), ("the source ids after the call", "the target ids after the call"))
        assert_equal(read, args[1][:, :-1], "Batch.tgt")


@pytest.mark.task("training.Batch", points=2)
def test_to(learner, reference, rng):
    """to(device) gives a new batch with all tensors there; the old one stays where it is."""
    names = ("src", "src_mask", "tgt", "tgt_y", "tgt_mask")
    src, tgt = _ids(rng, 3, 6), _ids(rng, 3, 5)
    try:
        reply = reply_of(learner, move, [src, tgt], "meta", False, parts=4)
    except (LearnerRaised, NotAttempted):  # looks at values, which that device has none of
        reply = reply_of(learner, move, [src, tgt], "meta", True, parts=4)
    new, (old_places, new_places), shapes, count = reply
    assert new is True, "Batch.to(device) should return a new Batch, but returned the same object."
    for name, place, shape, expected in zip(names, new_places, shapes, (src, None, tgt[:, 1:], tgt[:, 1:], None)):
        assert place == "meta", f"After moved = batch.to('meta'), moved.{name} is on {place!r}."
        if expected is not None:
            assert shape == list(expected.shape), f"moved.{name} should have the shape {list(expected.shape)}."
    for name, place in zip(names, old_places):
        assert place == "cpu", (
            f"After batch.to('meta'), batch.{name} itself is on {place!r}: it should stay on the CPU."
        )
    assert_equal(count, int((tgt[:, 1:] != PAD).sum()), "ntokens of the batch that was moved")


@pytest.mark.task("training.Batch", points=1)
def test_to_keeps_everything(learner, reference, rng):
    """What is moved is what was there, with and without a target."""
    names = ("src", "src_mask", "tgt", "tgt_y", "tgt_mask", "ntokens")
    for pad, target in ((PAD, True), (7, True), (PAD, False)):
        src, tgt = _ids(rng, 4, 6, pad), _ids(rng, 4, 5, pad)
        args = [src, tgt, pad] if target else [src]
        got = reply_of(learner, stay, args, "cpu", parts=6)
        masks = _masks(src, tgt, pad)
        expected = (src, masks[0], tgt[:, :-1], tgt[:, 1:], masks[1], int((tgt[:, 1:] != pad).sum()))
        shown = [f"batch.to('cpu').{name}" for name in names]
        if target:
            assert_equal(tuple(got), expected, shown)
        else:
            assert_equal((*got[:2], got[5]), (*expected[:2], 0), [shown[0], shown[1], shown[5]])
            for name, value in zip(shown[2:5], got[2:5]):
                assert value is None, f"{name} of a batch without a target should be None."


# ---------------------------------------------------------------------------------------------------------------------
# copy_task


@pytest.mark.task("training.copy_task", points=1)
def test_sizes(learner, reference, rng):
    """As many batches, sequences and ids as were asked for; ten ids by default."""
    for args, options, length in (([9, 5, 3], {"length": 7}, 7), ([12, 2, 4], {}, 10), ([8, 3, 1, 6], {}, 6)):
        (run,) = _runs(learner, args, [1], options)
        call = f"copy_task({', '.join(map(str, args))}{''.join(f', {k}={v}' for k, v in options.items())})"
        assert_equal(len(run), args[2], f"the number of batches of {call}")
        for src, _, _ in run:
            assert_equal(list(src.shape), [args[1], length], f"the shape of src of {call}")


@pytest.mark.task("training.copy_task", points=1)
def test_begins(learner, reference, rng):
    """Every sequence begins with BOS, and no other id is below 4 or beyond the vocabulary."""
    for vocab_size in (6, 14):
        (run,) = _runs(learner, [vocab_size, 30, 2], [2], {"length": 9})
        for src, _, _ in run:
            assert not src.is_floating_point(), f"Ids are whole numbers, but src has dtype {src.dtype}."
            assert_equal(src[:, 0], torch.full_like(src[:, 0], BOS), "the first ids of src")
            words = src[:, 1:]
            assert bool((words >= 4).all()), f"After BOS, src holds the id {int(words.min())}: ids are from 4 up."
            assert bool((words < vocab_size).all()), (
                f"With vocab_size={vocab_size}, src holds the id {int(words.max())}: the largest is vocab_size - 1."
            )


@pytest.mark.task("training.copy_task", points=1)
def test_all_words(learner, reference, rng):
    """Every id from 4 to the last occurs in every place, each as often as the others, whatever stands beside it."""
    # 3 words, 150 rows: one word is missing in one of 6 places with a probability below 18 * (2/3)^150 < 10^-24.
    (run,) = _runs(learner, [7, 150, 1], [3], {"length": 7})
    for place in range(1, min(7, run[0][0].shape[1])):
        found = sorted(set(run[0][0][:, place].tolist()))
        assert_equal(found, [4, 5, 6], f"the ids in place {place} of 150 sequences with vocab_size=7")
    # 7 words, 3000 drawn: the statistic for equally likely ones has 6 degrees of freedom, and is beyond 55 by chance
    # less than once in 10^9. Of 2700 neighbours 1 in 7 are equal, with a standard deviation of 0.0067: 7 of them.
    (run,) = _runs(learner, [11, 300, 1], [4], {"length": 11})
    words = run[0][0][:, 1:]
    assert_equal(list(words.shape), [300, 10], "the shape of src without BOS, of copy_task(11, 300, 1, length=11)")
    counts = torch.bincount(words.flatten() - 4, minlength=7)
    assert float(((counts - 3000 / 7) ** 2 / (3000 / 7)).sum()) < 55, (
        f"In 3000 places the ids 4 to 10 occur {counts.tolist()} times: they are not equally likely."
    )
    alike = (words[:, 1:] == words[:, :-1]).double().mean().item()
    assert abs(alike - 1 / 7) < 0.047, (
        f"Of neighbouring ids {alike:.1%} are equal, and 1 in 7 was expected: each should be drawn by itself."
    )


@pytest.mark.task("training.copy_task", points=1)
def test_target_is_source(learner, reference, rng):
    """The target is the source: what the decoder reads and what it has to predict."""
    (run,) = _runs(learner, [30, 4, 3], [4], {"length": 8})
    for src, tgt, tgt_y in run:
        names = ("tgt (the source without its last id)", "tgt_y (the source without its first)")
        assert_equal((tgt, tgt_y), (src[:, :-1], src[:, 1:]), names)


@pytest.mark.task("training.copy_task", points=1)
def test_all_differ(learner, reference, rng):
    """Batches differ, and so do the sequences of a batch and the ids of a sequence; so does the next epoch."""
    # 96 words and 11 places: two sequences are equal with a probability of 96^-11 < 10^-21, for 30 of them below
    # 10^-18. A sequence holds one id only with a probability of 96^-10, one of 30 below 10^-18.
    first, second = _runs(learner, [100, 5, 3], [None, None], {"length": 12})
    rows = [tuple(row) for run in (first, second) for src, _, _ in run for row in src.tolist()]
    assert len(set(rows)) == len(rows), f"Of {len(rows)} random sequences {len(rows) - len(set(rows))} repeat others."
    assert all(len(set(row)) > 2 for row in rows), "A sequence holds one id again and again."


@pytest.mark.task("training.copy_task", points=1)
def test_generator(learner, reference, rng):
    """The generator alone decides, and goes on from where it stands."""
    args, options = [50, 3, 2], {"length": 9}  # another seed gives the same ids with a probability of 46^-48
    once, again, more, other = ([src for src, _, _ in run] for run in _runs(learner, args, [5, 5, "same", 6], options))
    names = [f"src of batch {i}, drawn a second time with the same seed" for i in range(len(once))]
    assert_equal(tuple(again), tuple(once), names)
    for name, run in (("the same generator, used further,", more), ("a generator with another seed", other)):
        same = len(run) == len(once) and all(map(torch.equal, run, once))
        assert not same, f"{name} gives the same batches as before."


# ---------------------------------------------------------------------------------------------------------------------
# bucket_batches


@pytest.mark.task("training.bucket_batches", points=1)
def test_each_once(learner, reference, rng):
    """Every place occurs in one batch, once."""
    for count, low, high, max_tokens in ((13, 1, 12, 30), (40, 3, 9, 24), (7, 5, 6, 11), (1, 4, 5, 9)):
        lengths = rng.integers(low, high, count).tolist()
        ((batches,), _) = _batches(learner, lengths, max_tokens)
        _check_each_once(lengths, batches)


@pytest.mark.task("training.bucket_batches", points=2)
def test_padded_size(learner, reference, rng):
    """No batch is larger than max_tokens, padding included."""
    for count, low, high, max_tokens in ((23, 2, 15, 31), (30, 1, 40, 40), (12, 5, 6, 17), (26, 7, 12, 60)):
        lengths = rng.integers(low, high, count).tolist()
        ((batches,), _) = _batches(learner, lengths, max_tokens)
        _check_each_once(lengths, batches)
        _check_size(lengths, max_tokens, batches)
    # Long ones among short ones; and equal ones, of which one more would make max_tokens + 1.
    for lengths, max_tokens in (([1, 1, 1, 9], 12), ([9, 1, 1, 1], 12), ([3, 1, 8, 2, 7, 1, 6], 12), ([5] * 7, 14)):
        ((batches,), _) = _batches(learner, lengths, max_tokens)
        _check_each_once(lengths, batches)
        _check_size(lengths, max_tokens, batches)


@pytest.mark.task("training.bucket_batches", points=1)
def test_exactly_full(learner, reference, rng):
    """A sequence of max_tokens tokens is allowed, and has a batch to itself."""
    for lengths, max_tokens in (([3, 12, 5, 12, 2], 12), ([7], 7), ([4, 4, 4, 8], 8)):
        ((batches,), _) = _batches(learner, lengths, max_tokens)
        _check_each_once(lengths, batches)
        _check_size(lengths, max_tokens, batches)


@pytest.mark.task("training.bucket_batches", points=1)
def test_too_long(learner, reference, rng):
    """A sequence longer than max_tokens is an error, wherever it stands."""
    cases = [([3, 13, 5], 12), ([13, 1], 12), ([2, 6, 40], 39), ([20, 13], 12)]
    for (lengths, max_tokens), reply in zip(cases, reply_of(learner, refusals, cases, parts=len(cases))):
        what = f"bucket_batches({lengths}, {max_tokens})"
        kinds = reply if isinstance(reply, (list, tuple)) and "Exception" in reply else ()
        assert kinds, f"{what} should raise ValueError, but returned {reply}."
        assert {"ValueError", "TypeError"} & {*kinds}, f"{what} should raise ValueError, but raised {kinds[0]}."
    ((batches,), _) = _batches(learner, [3, 11, 5], 12)
    _check_each_once([3, 11, 5], batches)


@pytest.mark.task("training.bucket_batches", points=1)
def test_lengths_stay(learner, reference, rng):
    """The list of lengths is not changed, with a generator or without; without one the order is always the same."""
    lengths = [9, 2, 7, 2, 11, 5, 3, 8]
    for seeds in ([None], [4]):
        (batches,), after = _batches(learner, lengths, 20, seeds)
        assert_equal(after, lengths, "lengths after the call")
        _check_each_once(lengths, batches)
    # Without a generator nothing is left to chance.
    lengths = rng.integers(4, 9, 60).tolist()
    (once, again), _ = _batches(learner, lengths, 25, [None, None])
    assert_equal(again, once, "the batches, asked for a second time without a generator")


@pytest.mark.task("training.bucket_batches", points=2)
def test_shuffle(learner, reference, rng):
    """A generator shuffles: it alone decides, and every batch is as it should be."""
    # Lengths occur several times, so that who shuffles among equals only shuffles too. With six seeds a right answer
    # gives six equal orders of 20 batches or more with a probability below (1/20!)^5.
    lengths = rng.integers(4, 9, 60).tolist()
    seeds = [1, 2, 3, 4, 5, 6, 1]
    runs, _ = _batches(learner, lengths, 25, seeds)
    for batches in runs:
        _check_each_once(lengths, batches)
        _check_size(lengths, 25, batches)
    as_sets = [[set(batch) for batch in batches] for batches in runs]
    assert any(sets != as_sets[0] for sets in as_sets[1:6]), (
        "Six generators with different seeds give the same batches in the same order."
    )
    assert_equal(runs[6], runs[0], "the batches, asked for a second time with the same seed")


# ---------------------------------------------------------------------------------------------------------------------
# run_epoch


@pytest.mark.task("training.run_epoch", points=1)
def test_loss_per_token(learner, reference, rng):
    """The loss is that of all tokens, divided by their number."""
    for number, dtype in ((3, torch.float64), (4, torch.float32)):
        got, expected = _epoch(learner, rng, number, ["loss", "graph"], dtype, train=False)
        _check_loss(*got, expected[0], f"the loss of {number} batches, without an optimiser,", 1e-4)


@pytest.mark.task("training.run_epoch", points=1)
def test_counts_when_evaluating(learner, reference, rng):
    """Without an optimiser there are tokens, and no steps."""
    for number in (1, 4):
        got, expected = _epoch(learner, rng, number, ["tokens", "steps"], train=False)
        assert_equal(tuple(got), tuple(expected), [f"{name} of {number} batches" for name in ("tokens", "steps")])


@pytest.mark.task("training.run_epoch", points=1)
def test_evaluation_mode(learner, reference, rng):
    """Without an optimiser the whole model is in evaluation mode, gradients are off, and parameters stay."""
    parts, weights, wanted = _parts(rng, 3), _weights(rng), ["modes", "grown", "parameters", "recorded"]
    for mode in (False, True):
        modes, grown, after, recorded = reply_of(
            learner, epoch, parts, weights, wanted, parts=4, train=False, mode=mode
        )
        assert modes, "The model was not called."
        assert not any(one[0] or one[1] for one in modes), "While evaluating, the model is in training mode."
        assert not any(one[2] for one in modes), "While evaluating, the model runs with gradients enabled."
        assert grown is False, "After evaluating there are gradients."
        assert tuple(recorded) == (True, True), "After evaluating no gradients are recorded any more, " + (
            "for the parameters of the model." if recorded[0] else "whatever is computed."
        )
        assert_equal(after, torch.cat([one.flatten() for one in weights]), "the parameters after evaluating")


@pytest.mark.task("training.run_epoch", points=1)
def test_schedule_when_evaluating(learner, reference, rng):
    """Without an optimiser the schedule stays where it is."""
    rates = [1.0, 0.9, 0.8, 0.7, 0.6]
    for accumulate in (1, 2):
        try:
            got = _notes(learner, rng, 3, ["scheduled", "steps"], train=False, rates=rates, accumulate=accumulate)
        except LearnerRaised as raised:  # who refuses a scheduler without an optimiser is right as well
            assert {"ValueError", "TypeError"} & {*raised.kinds}, f"Your code raised {raised.kind}: {raised.text}"
            continue
        names = ("steps of the scheduler while evaluating", "steps while evaluating")
        assert_equal(tuple(got), (0, 0), names)
    got, expected = _epoch(learner, rng, 2, ["tokens"], train=False)
    assert_equal(got[0], expected[0], "tokens while evaluating")


@pytest.mark.task("training.run_epoch", points=1)
def test_training_mode(learner, reference, rng):
    """With an optimiser the whole model is in training mode, for every batch."""
    (modes,) = _notes(learner, rng, 4, ["modes"])
    assert len(modes) == 4, f"With 4 batches the model is called {len(modes)} times."
    assert all(mode[0] and mode[1] for mode in modes), "While training, the model is in evaluation mode."


@pytest.mark.task("training.run_epoch", points=1)
def test_one_step_per_batch(learner, reference, rng):
    """Each batch makes a step, with the gradient of its loss per token."""
    _check_gradients(learner, rng, 4)


@pytest.mark.task("training.run_epoch", points=1)
def test_result_of_training(learner, reference, rng):
    """Loss per token, tokens and steps of an epoch of training, and the parameters afterwards."""
    for number, options in ((3, {"once": False}), (5, {"accumulate": 2})):
        wanted = ["loss", "graph", "tokens", "steps", "parameters"]
        (loss, graph, *got), (expected, _, *rest) = _epoch(learner, rng, number, wanted, **options)
        _check_loss(loss, graph, expected, "the loss of an epoch of training")
        assert_equal(tuple(got[:2]), tuple(rest[:2]), ("tokens", "steps"))
        assert_close(got[2], rest[2], "the parameters after an epoch of training")


@pytest.mark.task("training.run_epoch", points=1)
def test_left_over_gradients(learner, reference, rng):
    """Gradients from before the epoch do not count."""
    _check_gradients(learner, rng, 3, left_over=0.7, accumulate=2)


@pytest.mark.task("training.run_epoch", points=2)
def test_accumulated_gradient(learner, reference, rng):
    """Three batches make one step, with the gradient of all their tokens as one batch."""
    for number, accumulate in ((3, 3), (4, 2)):
        _check_gradients(learner, rng, number, accumulate=accumulate)


@pytest.mark.task("training.run_epoch", points=1)
def test_rest(learner, reference, rng):
    """What is left at the end makes a step too, divided by its own tokens."""
    for number, accumulate in ((5, 3), (2, 4)):
        _check_gradients(learner, rng, number, accumulate=accumulate)


@pytest.mark.task("training.run_epoch", points=2)
def test_scheduler(learner, reference, rng):
    """The scheduler takes one step after each step of the optimiser."""
    rates = [round(float(rate), 3) for rate in rng.uniform(12, low=0.2, high=2.0)]
    for number, options in ((3, {}), (4, {"accumulate": 2}), (5, {"accumulate": 3})):
        (used, steps), (expected, wanted) = _epoch(learner, rng, number, ["rates", "scheduled"], rates=rates, **options)
        assert isinstance(used, list), "The rates could not be read."
        what = f"with {number} batches" + (f" and accumulate={options['accumulate']}" if options else "")
        assert len(used) == len(expected), f"The optimiser makes {len(used)} steps {what}, not {len(expected)}."
        for i, (rate, right) in enumerate(zip(used, expected)):
            assert_close(rate, right, f"the rate at which step {i + 1} of the optimiser is made {what}")
        assert_equal(steps, wanted, f"the number of steps of the scheduler {what}")


@pytest.mark.task("training.run_epoch", points=1)
def test_no_batches(learner, reference, rng):
    """Without batches the loss is 0.0, and there is no step."""
    for train in (False, True):
        got = _notes(learner, rng, 0, ["loss", "tokens", "steps"], train=train)
        names = [f"{name} of an epoch without batches" for name in ("loss", "tokens", "steps")]
        assert_close(tuple(got), (0.0, 0, 0), names)
    _check_gradients(learner, rng, 1)


@pytest.mark.task("training.run_epoch", points=1)
def test_seconds(learner, reference, rng):
    """`seconds` is how long the whole epoch took."""
    for train in (False, True):
        verdict = learner.run(clocked, 3, train)
        assert verdict == "right", f"`seconds` of an epoch of three batches is {verdict}."
