"""Right implementations of the tasks of training, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import contextlib
import copy
import heapq
import itertools
import random
import time
import warnings
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import torch
from torch import nn

from autograder.course.catalogue import alternative
from solutions import BOS, PAD
from solutions.masks import causal_mask, decoder_mask, padding_mask
from solutions.training import Batch, EpochResult

# ---------------------------------------------------------------------------------------------------------------------
# Batch


@alternative("training.Batch", "masks-by-hand-and-every-field-moved")
class Batch:
    """A batch of sentences with its masks."""

    def __init__(self, src: torch.Tensor, tgt: torch.Tensor | None = None, pad_id: int = PAD) -> None:
        self.src = src
        self.src_mask = (src != pad_id).unsqueeze(1).unsqueeze(2)
        self.pad_id = pad_id
        if tgt is None:
            self.tgt, self.tgt_y, self.tgt_mask, self.ntokens = None, None, None, 0
            return
        self.tgt = tgt[:, :-1].contiguous()
        self.tgt_y = tgt[:, 1:].contiguous()
        self.tgt_mask = self.make_std_mask(self.tgt, pad_id)
        self.ntokens = (self.tgt_y != pad_id).sum().item()

    @staticmethod
    def make_std_mask(tgt, pad):
        size = tgt.size(-1)
        later = torch.triu(torch.ones(1, 1, size, size, device=tgt.device), diagonal=1)
        return (tgt != pad)[:, None, None, :] & (later == 0)

    def to(self, device):
        new = Batch.__new__(Batch)
        new.src, new.src_mask = self.src.to(device), self.src_mask.to(device)
        new.tgt = self.tgt if self.tgt is None else self.tgt.to(device)
        new.tgt_y = self.tgt_y if self.tgt_y is None else self.tgt_y.to(device)
        new.tgt_mask = self.tgt_mask if self.tgt_mask is None else self.tgt_mask.to(device)
        new.ntokens, new.pad_id = self.ntokens, self.pad_id
        return new


@alternative("training.Batch", "built-anew-on-the-device")
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self._whole = tgt
        self._pad_id = pad_id
        self.src = src
        self.src_mask = padding_mask(src, pad_id=pad_id)
        has_target = tgt is not None
        self.tgt = tgt[..., :-1] if has_target else None
        self.tgt_y = tgt[..., 1:] if has_target else None
        self.tgt_mask = decoder_mask(self.tgt, pad_id=pad_id) if has_target else None
        self.ntokens = int(self.tgt_y.ne(pad_id).sum()) if has_target else 0

    def to(self, device):
        target = None if self._whole is None else self._whole.to(device)
        return type(self)(self.src.to(device), target, self._pad_id)


@alternative("training.Batch", "properties")
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src, self.target, self.pad_id = src.clone(), None if tgt is None else tgt.clone(), pad_id

    @property
    def src_mask(self):
        return padding_mask(self.src, self.pad_id)

    @property
    def tgt(self):
        return None if self.target is None else self.target[:, : self.target.shape[1] - 1]

    @property
    def tgt_y(self):
        return None if self.target is None else self.target.narrow(1, 1, self.target.shape[1] - 1)

    @property
    def tgt_mask(self):
        return None if self.target is None else decoder_mask(self.tgt, self.pad_id)

    @property
    def ntokens(self):
        return 0 if self.target is None else sum(id != self.pad_id for row in self.tgt_y.tolist() for id in row)

    def to(self, device):
        moved = copy.deepcopy(self)
        moved.src = moved.src.to(device=device)
        if moved.target is not None:
            moved.target = moved.target.to(device=device)
        return moved


@alternative("training.Batch", "a-namespace")
class Batch(SimpleNamespace):
    def __init__(self, src, tgt=None, pad_id=PAD):
        super().__init__(src=src, src_mask=torch.ne(src, pad_id)[:, None, None])
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt, self.tgt_y = tgt[:, :-1], tgt[:, 1:]
            self.tgt_mask = padding_mask(self.tgt, pad_id) & causal_mask(self.tgt.size(1), self.tgt.device)
            self.ntokens = torch.count_nonzero(self.tgt_y - pad_id).item()

    def to(self, device):
        other = type(self).__new__(type(self))
        other.__dict__.update({k: v.to(device) if torch.is_tensor(v) else v for k, v in self.__dict__.items()})
        return other


@alternative("training.Batch", "masks-in-loops")
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        print("a batch of", len(src), "sequences")
        self.src = src
        self.src_mask = torch.zeros(len(src), 1, 1, src.shape[1], dtype=torch.bool)
        for i, row in enumerate(src):
            for j, word in enumerate(row):
                self.src_mask[i, 0, 0, j] = bool(word != pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            rows, length = tgt.shape
            self.tgt = torch.stack([row[: length - 1] for row in tgt])
            self.tgt_y = torch.stack([row[1:] for row in tgt])
            self.tgt_mask = torch.zeros(rows, 1, length - 1, length - 1).bool()
            for i in range(rows):
                for q in range(length - 1):
                    for k in range(q + 1):
                        self.tgt_mask[i, 0, q, k] = bool(tgt[i, k] != pad_id)
                self.ntokens += sum(1 for word in self.tgt_y[i] if word != pad_id)

    def to(self, device):
        moved = copy.copy(self)
        moved.src = self.src.to(device, non_blocking=True)
        moved.src_mask = self.src_mask.to(device, non_blocking=True)
        if self.tgt is not None:
            moved.tgt = self.tgt.to(device, non_blocking=True)
            moved.tgt_y = self.tgt_y.to(device, non_blocking=True)
            moved.tgt_mask = self.tgt_mask.to(device, non_blocking=True)
        return moved


@alternative("training.Batch", "slots-and-a-named-tuple-inside")
class Batch:
    FIELDS = namedtuple("FIELDS", "src src_mask tgt tgt_y tgt_mask ntokens")
    __slots__ = ("_fields",)

    def __init__(self, src, tgt=None, pad_id=PAD):
        if tgt is None:
            self._fields = Batch.FIELDS(src, padding_mask(src, pad_id), None, None, None, 0)
        else:
            read, answers = tgt[:, :-1], tgt[:, 1:]
            count = int((answers != pad_id).long().sum())
            masks = padding_mask(src, pad_id), decoder_mask(read, pad_id)
            self._fields = Batch.FIELDS(src, masks[0], read, answers, masks[1], count)

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "_fields"), name)

    def to(self, device):
        moved = object.__new__(Batch)
        moved._fields = Batch.FIELDS(*(one.to(device) if hasattr(one, "to") else one for one in self._fields))
        return moved


@alternative("training.Batch", "row-by-row")
class Batch:
    """Rows one by one, put together again, and moved by making a new batch of what was given."""

    def __init__(self, src, tgt=None, pad_id=PAD):
        self.given, self.pad_id = tgt, pad_id
        self.src = src
        self.src_mask = torch.stack([row != pad_id for row in src])[:, None, None]
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = torch.stack([row[:-1] for row in tgt])
            self.tgt_y = torch.stack([row[1:] for row in tgt])
            position = torch.arange(self.tgt.shape[1], device=tgt.device)
            self.tgt_mask = (self.tgt != pad_id)[:, None, None] & (position <= position[:, None])
            self.ntokens = sum(word != pad_id for row in self.tgt_y.tolist() for word in row)

    def to(self, device):
        return Batch(self.src.to(device), None if self.given is None else self.given.to(device), self.pad_id)


# ---------------------------------------------------------------------------------------------------------------------
# copy_task


@alternative("training.copy_task", "bos-in-front")
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        words = torch.randint(low=4, high=vocab_size, size=(batch_size, length - 1), generator=generator)
        src = torch.cat([torch.full((batch_size, 1), BOS), words], dim=1)
        yield Batch(src, src.clone(), PAD)


@alternative("training.copy_task", "a-list-of-batches")
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    data = torch.randint(4, vocab_size, (num_batches, batch_size, length), generator=generator)
    data[..., 0] = BOS
    return [Batch(src=one.clone(), tgt=one.clone()) for one in data]


@alternative("training.copy_task", "uniform-numbers-scaled")
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    done = 0
    while done < num_batches:
        shares = torch.rand(batch_size, length, generator=generator, dtype=torch.float64)
        ids = 4 + (shares * (vocab_size - 4)).floor().long()
        ids = torch.where(torch.arange(length) == 0, BOS, ids)
        done += 1
        yield Batch(ids, ids)


@alternative("training.copy_task", "multinomial-row-by-row")
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    weights = torch.ones(vocab_size)
    weights[:4] = 0
    for _ in range(num_batches):
        rows = []
        for _ in range(batch_size):
            words = torch.multinomial(weights, length - 1, replacement=True, generator=generator)
            rows.append([BOS, *words.tolist()])
        yield Batch(torch.tensor(rows), torch.tensor(rows))


@alternative("training.copy_task", "a-class-that-iterates")
class copy_task:
    def __init__(self, vocab_size, batch_size, num_batches, length=10, generator=None):
        self.shape, self.top, self.left, self.generator = (batch_size, length), vocab_size, num_batches, generator

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        ids = torch.empty(self.shape, dtype=torch.long).random_(4, self.top, generator=self.generator)
        ids[:, :1] = BOS
        return Batch(ids, ids)


# ---------------------------------------------------------------------------------------------------------------------
# bucket_batches


@alternative("training.bucket_batches", "longest-first")
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    if order and lengths[order[0]] > max_tokens:
        raise ValueError(f"the sequence {order[0]} has {lengths[order[0]]} tokens, more than {max_tokens=}")
    batches, start = [], 0
    while start < len(order):
        room = max_tokens // max(lengths[order[start]], 1)
        batches.append(order[start : start + room])
        start += room
    if shuffle_generator is not None:
        batches = [batches[i] for i in torch.randperm(len(batches), generator=shuffle_generator)]
    return batches


@alternative("training.bucket_batches", "shuffled-before-a-stable-sort")
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    n = len(lengths)
    for i, length in enumerate(lengths):
        if length > max_tokens:
            raise ValueError(f"lengths[{i}] = {length} is above max_tokens = {max_tokens}")
    order = list(range(n)) if shuffle_generator is None else torch.randperm(n, generator=shuffle_generator).tolist()
    order.sort(key=lengths.__getitem__)
    batches, batch = [], []
    for i in order:
        trial = [*batch, i]
        if len(trial) * max(lengths[j] for j in trial) <= max_tokens:
            batch = trial
        else:
            batches.append(batch)
            batch = [i]
    return [*batches, batch] if batch else batches


@alternative("training.bucket_batches", "unsorted-with-a-running-maximum")
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    order = range(len(lengths))
    if shuffle_generator is not None:
        order = torch.randperm(len(lengths), generator=shuffle_generator).tolist()
    result: list[list[int]] = []
    longest = 0
    for i in order:
        if lengths[i] > max_tokens:
            raise ValueError("a sequence is longer than max_tokens")
        new_longest = max(longest, lengths[i])
        if result and (len(result[-1]) + 1) * new_longest <= max_tokens:
            result[-1].append(i)
            longest = new_longest
        else:
            result.append([i])
            longest = lengths[i]
    return result


@alternative("training.bucket_batches", "buckets-by-exact-length")
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    buckets: dict[int, list[int]] = {}
    for position, length in enumerate(lengths):
        buckets.setdefault(length, []).append(position)
    if buckets and max(buckets) > max_tokens:
        raise ValueError(f"{max(buckets)} > {max_tokens}")
    batches = []
    for length, positions in buckets.items():
        size = max_tokens // length if length else len(positions)
        batches.extend(positions[i : i + size] for i in range(0, len(positions), size))
    if shuffle_generator is not None:
        keys = torch.rand(len(batches), generator=shuffle_generator).tolist()
        batches = [batch for _, batch in sorted(zip(keys, batches))]
    return batches


@alternative("training.bucket_batches", "one-sequence-a-batch")
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if any(length > max_tokens for length in lengths):
        raise ValueError("too long")
    order = torch.arange(len(lengths))
    if shuffle_generator is not None:
        order = order[torch.randperm(len(lengths), generator=shuffle_generator)]
    return [[int(i)] for i in order]


@alternative("training.bucket_batches", "python-random-seeded-from-the-generator")
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    heap = [(length, position) for position, length in enumerate(lengths)]
    heapq.heapify(heap)
    batches: list[list[int]] = []
    while heap:
        length, position = heapq.heappop(heap)
        if length > max_tokens:
            raise ValueError(f"max_tokens={max_tokens} is too small for a sequence of {length} tokens")
        if batches and (len(batches[-1]) + 1) * length <= max_tokens:
            batches[-1] += [position]
        else:
            batches += [[position]]
    if shuffle_generator is not None:
        seed = torch.randint(2**31, (1,), generator=shuffle_generator).item()
        random.Random(seed).shuffle(batches)
    return batches


@alternative("training.bucket_batches", "fixed-number-by-the-longest-of-all")
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if not lengths:
        return []
    longest = max(lengths)
    if longest > max_tokens:
        raise ValueError(f"a sequence of {longest} tokens does not fit into {max_tokens}")
    positions = torch.tensor(lengths).argsort()
    if shuffle_generator is not None:
        positions = positions[torch.randperm(len(positions), generator=shuffle_generator)]
    return [part.tolist() for part in positions.split(max(1, max_tokens // max(1, longest)))]


@alternative("training.bucket_batches", "one-list-at-a-time")
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


# ---------------------------------------------------------------------------------------------------------------------
# run_epoch


@alternative("training.run_epoch", "gradients-divided-before-the-step")
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    began = time.time()
    if optimizer is None:
        model.eval()
    else:
        model.train()
        optimizer.zero_grad()
    nll, tokens, steps, in_group, group_tokens = 0.0, 0, 0, 0, 0

    def step():
        nonlocal steps, in_group, group_tokens
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad.div_(group_tokens)
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        optimizer.zero_grad(set_to_none=True)
        steps, in_group, group_tokens = steps + 1, 0, 0

    for batch in batches:
        with torch.set_grad_enabled(optimizer is not None):
            out = model.forward(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
            out = model.generator(out)
            loss = loss_fn(out.contiguous().view(-1, out.size(-1)), batch.tgt_y.contiguous().view(-1))
        nll += float(loss)
        tokens += batch.ntokens
        if optimizer is not None:
            loss.backward()
            in_group += 1
            group_tokens += batch.ntokens
            if in_group == accumulate:
                step()
    if in_group:
        step()
    return EpochResult(nll / tokens if tokens else 0.0, tokens, time.time() - began, steps)


@alternative("training.run_epoch", "one-backward-pass-for-the-group")
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    start = time.monotonic()
    batches = list(batches)
    if optimizer is None:
        model.eval()
        with torch.no_grad():
            outputs = [(b, model.generator(model(b.src, b.tgt, b.src_mask, b.tgt_mask))) for b in batches]
            total = sum(loss_fn(logp.flatten(0, 1), b.tgt_y.flatten()).item() for b, logp in outputs)
        count = sum(b.ntokens for b in batches)
        return EpochResult(total / count if count else 0.0, count, time.monotonic() - start, 0)
    model.train()
    losses, steps = [], 0
    for i in range(0, len(batches), accumulate):
        group = batches[i : i + accumulate]
        total = 0
        for b in group:
            logp = model.generator(model(b.src, b.tgt, src_mask=b.src_mask, tgt_mask=b.tgt_mask))
            total = total + loss_fn(logp.reshape(-1, logp.shape[-1]), b.tgt_y.reshape(-1))
        for p in model.parameters():
            p.grad = None
        (total / sum(b.ntokens for b in group)).backward()
        optimizer.step()
        if scheduler:
            scheduler.step()
        steps += 1
        losses.append(total.detach())
    count = sum(b.ntokens for b in batches)
    mean = (torch.stack(losses).sum() / count).item() if losses else 0.0
    return EpochResult(loss=mean, tokens=count, seconds=time.monotonic() - start, steps=steps)


@alternative("training.run_epoch", "weighted-means-and-look-ahead")
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    start = time.perf_counter()
    mode = contextlib.nullcontext() if optimizer else torch.inference_mode()
    model.train(mode=bool(optimizer))
    result = SimpleNamespace(loss=torch.zeros((), dtype=torch.float64), tokens=0, steps=0)
    with mode:
        for _, pairs in itertools.groupby(enumerate(batches), key=lambda pair: pair[0] // accumulate):
            group = [batch for _, batch in pairs]
            weight = sum(batch.ntokens for batch in group)
            if optimizer:
                model.zero_grad()
            for batch in group:
                predicted = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
                mean = loss_fn(predicted.flatten(end_dim=1), batch.tgt_y.flatten()) / batch.ntokens
                if optimizer:
                    mean.mul(batch.ntokens / weight).backward()
                result.loss += mean.detach() * batch.ntokens
            result.tokens += weight
            if optimizer:
                optimizer.step()
                result.steps += 1
                scheduler and scheduler.step()
    result.loss /= max(result.tokens, 1)
    return EpochResult(result.loss.item(), result.tokens, time.perf_counter() - start, result.steps)


@alternative("training.run_epoch", "own-result-class-and-closure")
def run_epoch(batches, model: nn.Module, loss_fn, optimizer=None, scheduler=None, accumulate: int = 1):
    @dataclass
    class Result:
        loss: float = 0.0
        tokens: int = 0
        seconds: float = 0.0
        steps: int = 0

    result, total, waiting = Result(), 0.0, []
    start = time.perf_counter()
    (model.eval if optimizer is None else model.train)()

    def forward(batch):
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        return loss_fn(model.generator(hidden).flatten(0, 1), batch.tgt_y.reshape(-1))

    def update():
        nonlocal total
        tokens = sum(batch.ntokens for batch in waiting)
        losses = []

        def closure():
            optimizer.zero_grad()
            for batch in waiting:
                loss = forward(batch)
                (loss / tokens).backward()
                losses.append(loss.item())
            return torch.tensor(sum(losses) / tokens)

        optimizer.step(closure)
        if scheduler is not None:
            scheduler.step()
        total += sum(losses)
        result.steps += 1
        waiting.clear()

    for batch in batches:
        result.tokens += batch.ntokens
        if optimizer is None:
            with torch.no_grad():
                total += forward(batch).item()
            continue
        waiting.append(batch)
        if len(waiting) == accumulate:
            update()
    if waiting:
        update()
    result.loss = total / result.tokens if result.tokens else 0.0
    result.seconds = time.perf_counter() - start
    return result


@alternative("training.run_epoch", "gradients-kept-in-a-list-and-the-mode-restored")
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    warnings.warn("training" if optimizer else "evaluating", stacklevel=2)
    before, start = model.training, time.process_time()
    model.train(optimizer is not None)
    params = [p for p in model.parameters() if p.requires_grad]
    device = params[0].device
    total, tokens, steps = 0.0, 0, 0
    sums, count, seen = None, 0, 0

    def apply():
        for p, g in zip(params, sums):
            p.grad = g / count
        optimizer.step()
        if scheduler is not None:
            scheduler.step()

    for batch in batches:
        batch = batch.to(device)
        with torch.set_grad_enabled(optimizer is not None):
            logp = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss = loss_fn(logp.flatten(0, 1), batch.tgt_y.flatten())
        total, tokens = total + loss.item(), tokens + batch.ntokens
        if optimizer is None:
            continue
        grads = torch.autograd.grad(loss, params, allow_unused=True)
        grads = [torch.zeros_like(p) if g is None else g for p, g in zip(params, grads)]
        sums = grads if sums is None else [a + b for a, b in zip(sums, grads)]
        count, seen = count + batch.ntokens, seen + 1
        if seen % accumulate == 0:
            apply()
            sums, count, steps = None, 0, steps + 1
    if sums is not None:
        apply()
        steps += 1
    model.train(before)
    return EpochResult(total / max(1, tokens), tokens, time.process_time() - start, steps)


@alternative("training.run_epoch", "one-loop-for-training-and-evaluation")
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / max(tokens, 1)).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@alternative("training.run_epoch", "function-that-steps")
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, waiting, waiting_tokens = 0.0, 0, 0, 0, 0

    def update():
        nonlocal steps, waiting, waiting_tokens
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= max(waiting_tokens, 1)
        optimizer.step()
        optimizer.zero_grad()
        if scheduler is not None:
            scheduler.step()
        steps, waiting, waiting_tokens = steps + 1, 0, 0

    if training:
        optimizer.zero_grad()
    with torch.set_grad_enabled(training):
        for batch in batches:
            hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
            log_probs = model.generator(hidden)
            loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
            total_loss += loss.item()
            total_tokens += batch.ntokens
            if training:
                loss.backward()
                waiting += 1
                waiting_tokens += batch.ntokens
                if waiting == accumulate:
                    update()
        if waiting:
            update()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)
