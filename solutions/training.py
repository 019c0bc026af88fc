"""Training: batches, the copy task, batches of like lengths, the training loop.

Shapes: ``B`` sequences in a batch, ``T_src`` and ``T_tgt`` tokens in them after padding, ``V`` vocabulary size. A
*token* here is one that has to be predicted: an entry of ``tgt_y`` that is no padding.
"""

import copy
import itertools
import time
from typing import NamedTuple

import torch
from torch import nn

from solutions import BOS, PAD
from solutions.masks import decoder_mask, padding_mask


class Batch:
    """What a model needs for one step: ids, what to predict, and masks.

    Args:
        src: source ids ``(B, T_src)``, padded.
        tgt: target ids ``(B, T_tgt)`` from BOS to EOS, padded; ``None`` where there is no target.
        pad_id: the id of padding.

    Attributes:
        src: as given.
        src_mask: ``(B, 1, 1, T_src)``, bool: which source tokens are no padding.
        tgt: what the decoder reads, all target ids but the last: ``(B, T_tgt - 1)``.
        tgt_y: what it has to predict, all target ids but the first: ``(B, T_tgt - 1)``.
        tgt_mask: ``(B, 1, T_tgt - 1, T_tgt - 1)``, bool: for each position of ``tgt`` the positions at or before
            it that are no padding.
        ntokens: ``int``, how many entries of ``tgt_y`` are no padding.

    Without a target, ``tgt``, ``tgt_y`` and ``tgt_mask`` are ``None`` and ``ntokens`` is 0. The ids given are not
    changed.

    Source: Vaswani et al. 2017, sections 3.1 (offset by one position) and 3.2.3 (masks).
    """

    def __init__(self, src, tgt=None, pad_id=PAD):
        ### BEGIN SOLUTION
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())
        ### END SOLUTION

    def to(self, device):
        """The same batch on another device.

        Args:
            device: a ``torch.device`` or its name.

        Returns:
            A new ``Batch`` with every tensor on ``device``; this one stays where it is.
        """
        ### BEGIN SOLUTION
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved
        ### END SOLUTION


def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    """Batches of random sequences, each of which is its own translation.

    Args:
        vocab_size: ``V``, above 4.
        batch_size: sequences in a batch.
        num_batches: how many batches.
        length: ids in a sequence, BOS included.
        generator: ``torch.Generator`` that draws the ids, and advances with each draw; ``None`` is PyTorch's own.

    Yields:
        ``Batch``: source and target are the same, ``(batch_size, length)``. The first id is BOS; each of the others is
        drawn anew, uniformly from 4 to ``V - 1``. There is no EOS and no padding.

    Source: Graves et al. 2014, section 4.1 (copying as a test of a model).
    """
    ### BEGIN SOLUTION
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)  # 0 to 3 are special
        ids[:, 0] = BOS
        yield Batch(ids, ids)
    ### END SOLUTION


def _fill_batches(sizes, max_tokens, generator=None):
    """Fill batches with items of like size: what `bucket_batches` and `solutions.translation.token_batches` share.

    Args:
        sizes: for each item a tuple of lengths, one for each sequence in it; all tuples have the same number.
        max_tokens: the largest padded size of a batch: its number of items, times the sum of its longest lengths.
        generator: ``torch.Generator`` that shuffles the batches; ``None`` leaves them in the order of their sizes.

    Returns:
        ``list[list[int]]``: the indices of the items in each batch.
    """
    ### BEGIN SOLUTION
    batches: list[list[int]] = []
    longest: tuple[int, ...] = ()
    for index in sorted(range(len(sizes)), key=sizes.__getitem__):  # items of the same size stay in their order
        together = tuple(map(max, longest, sizes[index]))  # the longest lengths, once this item has joined
        if not batches or (len(batches[-1]) + 1) * sum(together) > max_tokens:
            batches.append([])
            together = sizes[index]
        batches[-1].append(index)
        longest = together
    if generator is not None:
        batches = [batches[position] for position in torch.randperm(len(batches), generator=generator)]
    return batches
    ### END SOLUTION


def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    """Divide sequences into batches that hold little padding.

    Args:
        lengths: ``list[int]``, how long each sequence is; it is not changed.
        max_tokens: the largest size of a batch, padding included.
        shuffle_generator: ``torch.Generator`` that draws the order of the batches; ``None`` leaves it as it is.

    Returns:
        ``list[list[int]]``: for each batch the indices of its sequences in ``lengths``. Every index occurs once. The
        padded size of each batch, the number of its sequences times the longest of them, is at most ``max_tokens``.
        Sequences of similar length share a batch; how exactly is up to you.

    Raises:
        ValueError: a sequence is longer than ``max_tokens``.

    Source: Vaswani et al. 2017, section 5.1 ("batched together by approximate sequence length").
    """
    ### BEGIN SOLUTION
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but one of the lengths is {max(lengths)}.")
    return _fill_batches([(length,) for length in lengths], max_tokens, shuffle_generator)
    ### END SOLUTION


class EpochResult(NamedTuple):
    """The result of one pass over the batches.

    Attributes:
        loss: mean loss per token, over all tokens of all batches; 0.0 without batches.
        tokens: how many tokens had to be predicted.
        seconds: how long it took.
        steps: how many steps the optimiser made; 0 when evaluating.
    """

    loss: float
    tokens: int
    seconds: float
    steps: int


def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    """Train a model on batches, once through, or evaluate it on them.

    Args:
        batches: any iterable of ``Batch``, perhaps one that can be read only once.
        model: a Transformer: ``model(src, tgt, src_mask, tgt_mask)`` gives ``(B, T, d)``, of which
            ``model.generator`` makes log-probabilities ``(..., V)``.
        loss_fn: takes log-probabilities ``(N, V)`` and target ids ``(N,)``; returns the *sum* of the losses of the
            targets that are no padding.
        optimizer: ``None`` evaluates: in evaluation mode and without gradients.
        scheduler: takes one step after each step of the optimiser, if there is one.
        accumulate: how many batches make one step. Batches left at the end make one too.

    Returns:
        An ``EpochResult``. ``loss`` is a float: the mean of the losses of all tokens, each computed before the step
        that uses it.

    In training mode, the gradient of each step is that of the mean loss per token over all tokens of its batches, as
    if they had been one batch. Gradients left over from before do not count.

    Source: Vaswani et al. 2017, section 5; Ott et al. 2018 (accumulated gradients).
    """
    ### BEGIN SOLUTION
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0

    def summed_loss(batch):
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        return loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())

    with torch.set_grad_enabled(training):
        if training:
            batches = iter(batches)
            while group := list(itertools.islice(batches, accumulate)):
                tokens = sum(batch.ntokens for batch in group)
                optimizer.zero_grad()
                for batch in group:
                    loss = summed_loss(batch)
                    (loss / max(tokens, 1)).backward()  # gradients add up from batch to batch
                    total_loss += loss.item()
                total_tokens += tokens
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
        else:
            for batch in batches:
                total_loss += summed_loss(batch).item()
                total_tokens += batch.ntokens
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)
    ### END SOLUTION


class TinyModel(nn.Module):
    """A model for tests, with the parts that `run_epoch` calls: it guesses each target id from the one before it.

    Args:
        vocab_size: ``V``.
        d_model: width ``d`` of the vectors between the model and its generator.
    """

    def __init__(self, vocab_size=10, d_model=6):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model)
        self.generator = nn.Sequential(nn.Linear(d_model, vocab_size), nn.LogSoftmax(dim=-1))

    def forward(self, src, tgt, src_mask, tgt_mask):
        return self.embed(tgt)


def test_accumulation(run_epoch):
    """A test of `run_epoch` while it trains: it returns for a right implementation and raises for a wrong one.

    Args:
        run_epoch: the implementation to test, called as in Task 4, with an optimiser. It comes in many styles: what
            it returns has the attributes of an `EpochResult`, and gradients are ``None`` or anything afterwards.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. Random generators are seeded before each call.
    """
    ### BEGIN SOLUTION
    loss_fn = nn.NLLLoss(ignore_index=PAD, reduction="sum")
    batches = [Batch(ids, ids) for ids in (torch.randint(4, 10, (rows, 6)) for rows in (1, 4, 2, 3, 1))]
    model = TinyModel()
    twin = copy.deepcopy(model)
    optimizer, twins = (torch.optim.SGD(one.parameters(), lr=0.5) for one in (model, twin))
    scheduler, expected_rates = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5), [0.5, 0.25]
    torch.stack([p.sum() for p in model.parameters()]).sum().backward()  # gradients left over from before
    total = 0.0
    for group, rate in zip((batches[:3], batches[3:]), expected_rates):  # the second one is what is left
        tensors = [(batch, twin(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)) for batch in group]
        losses = [loss_fn(twin.generator(one).flatten(0, 1), batch.src[:, 1:].flatten()) for batch, one in tensors]
        loss = torch.stack(losses).sum()
        twins.zero_grad()
        (loss / sum(batch.ntokens for batch in group)).backward()
        twins.param_groups[0]["lr"] = rate
        twins.step()
        total += loss.item()
    result = run_epoch(batches, model, loss_fn, optimizer, scheduler, accumulate=3)
    torch.testing.assert_close(list(model.parameters()), list(twin.parameters()))
    torch.testing.assert_close(optimizer.param_groups[0]["lr"], 0.125)
    tokens = sum(batch.ntokens for batch in batches)
    torch.testing.assert_close(float(result.loss), total / tokens, rtol=1e-4, atol=1e-4)
    assert (result.tokens, result.steps) == (tokens, 2)
    ### END SOLUTION
