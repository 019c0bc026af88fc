"""The training itself: from pairs of sentences to a model, step by step, interrupted and resumed."""

import contextlib
import dataclasses
import math
import shlex
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from solutions.optim import AdamW, noam_scheduler
from solutions.transformer import make_model
from solutions.translation import training_step
from solutions.translator.checkpoints import BEST, LAST, build_model, read_run, try_folder, weight_files, write_file
from solutions.translator.data import checked_stream, fingerprint, to_device
from solutions.translator.errors import BadInput, OutOfMemory, WorkerLost, out_of_memory, worker_lost
from solutions.translator.fused import Distributed, faster_classes, replaced, wrap_for_config
from solutions.translator.precision import ScaledOptimizer, loss_scaler
from solutions.translator.processes import World, interruptible
from solutions.translator.speed import Progress, peak_rate, step_operations
from solutions.translator.tokenizers import TOKENIZERS
from solutions.translator.validation import Validation, told


class TrainResult(NamedTuple):
    """The result of a training.

    Attributes:
        model: the trained model, in evaluation mode; ``model.tokenizer`` is its tokeniser.
        losses: loss per token of every step, from the very first one, also after it was resumed.
        steps: steps that are done.
        complete: whether that is all of them, or validation has ended the run.
        tokens: target tokens that were predicted since it was started or resumed, in all processes.
        seconds: how long that took, validation left out.
        utilisation: share of the device's largest rate.
        curve: for each validation its step, both losses and BLEU, see `Validation`.
        best: the row of the curve whose weights are kept in ``best.pt``; ``None`` if nothing was validated.
    """

    model: nn.Module
    losses: list
    steps: int
    complete: bool
    tokens: int
    seconds: float
    utilisation: float
    curve: list
    best: dict | None


def train(config, pairs, device=None, folder=None, resume=False, quiet=True, data=None, valid=None, make=make_model):
    """Train a model: alone, or as one of several processes that ``torchrun`` started.

    Args:
        config: a `TranslationConfig`.
        pairs: list of ``(source, target)`` texts.
        device: a device or its name; ``None``: a GPU if there is one.
        folder: where checkpoints go; ``None`` writes none.
        resume: go on from the last checkpoint in ``folder``, exactly as if there had been no interruption.
        quiet: say nothing.
        data: a note about the pairs for the checkpoint, any plain value.
        make: builds the model, called as ``make_model`` is: a learner's own, for instance.
        valid: pairs to validate on, for ``config.validate_every``; they are not trained on.

    Returns:
        A `TrainResult`.

    Raises:
        BadInput, OutOfMemory, WorkerLost: with a sentence that says what to do.

    With several processes each computes its share of every step's micro-batches, and all make the same step: the loss
    is divided by the tokens of all. Dropout is drawn by step and process, so only without it do the losses equal
    those of a single process with the same micro-batches.
    """
    return Trainer(config, pairs, device, folder, resume, quiet, data, valid, make).run()


def make_optimizer(config, model):
    """AdamW with the rate of the schedule: PyTorch's, fused if the device has that, or the course's own."""
    options: dict = {"lr": 1.0, "betas": (0.9, 0.98), "eps": 1e-9, "weight_decay": config.weight_decay}
    if not config.fused_adamw:
        return AdamW(model.parameters(), **options)
    try:
        return torch.optim.AdamW(model.parameters(), fused=True, **options)
    except RuntimeError:
        return torch.optim.AdamW(model.parameters(), **options)


class Trainer:
    """A run: what it is made of, and how far it is. The arguments are those of `train`."""

    def __init__(
        self,
        config,
        pairs,
        device=None,
        folder=None,
        resume=False,
        quiet=True,
        data=None,
        valid=None,
        make=make_model,
    ):
        if not pairs:
            raise BadInput("There are no pairs to train on.")
        if config.validate_every and not valid:
            raise BadInput("There are no pairs to validate on: leave out validate_every, or give the data more lines.")
        self.world = World(device)
        self.config = config.settled(self.world.device)
        self.device, self.quiet, self.data = device, quiet, data
        self.folder = None if folder is None else Path(folder)
        saved = read_run(self.folder) if resume and self.folder is not None else None
        if self.folder is not None:
            try_folder(self.folder)  # better now than after the first hundred steps

        self.saved_tokenizer = self.world.first(lambda: saved["tokenizer"] if saved else self.learnt_tokenizer(pairs))
        kind, state = self.saved_tokenizer
        tokenizer = TOKENIZERS[kind](state)
        self.stream = checked_stream(pairs, tokenizer, self.config, self.world.device)
        self.model = build_model(self.config, tokenizer, make).to(self.world.device)
        with torch.device("meta"):  # the course's model of the same size, whose parts `step_operations` knows
            self.counted = build_model(self.config, tokenizer)
        self.scaler = loss_scaler(self.world.device, bool(self.config.fp16))
        self.optimizer = make_optimizer(self.config, self.model)
        self.scheduler = noam_scheduler(self.optimizer, self.config.d_model, self.config.warmup, self.config.factor)
        self.losses: list[float] = []
        self.validation = Validation(self.config, valid, saved["curve"] if saved else ())
        self.over = False  # whether validation has ended the run: known in every process
        if saved:
            self.restore(saved)

        self.whole, self.loss_fn = wrap_for_config(self.model, self.config)
        if self.world.size > 1:
            self.whole = Distributed(self.whole, broadcast_buffers=False)
        self.tokens, self.operations = 0, 0.0  # since it was started or resumed, in all processes

    @property
    def done(self):
        """How many steps are done, those before it was resumed included."""
        return len(self.losses)

    @property
    def per_step(self):
        """Micro-batches in a step, those of all processes together."""
        return self.config.accumulate * self.world.size

    @property
    def valid_fingerprint(self):
        """The `fingerprint` of the pairs to validate on."""
        return fingerprint([list(pair) for pair in self.validation.pairs or ()])

    def learnt_tokenizer(self, pairs):
        """The kind of the tokeniser, and what it learns from the texts, as a checkpoint has them."""
        texts = [text for pair in pairs for text in pair]
        kind = self.config.tokenizer
        return kind, TOKENIZERS[kind].train(texts, self.config.vocab_size).saved()

    # --- checkpoints ---

    def restore(self, saved):
        """Go on where a checkpoint ends, if it belongs to the same pairs and to steps of the same size."""
        if saved["fingerprint"] != fingerprint(self.stream.ids):
            raise BadInput(f"These are not the pairs that the run in {self.folder} began with.")
        if saved["curve"] and self.config.validate_every and saved["valid_fingerprint"] != self.valid_fingerprint:
            raise BadInput(f"These are not the pairs on which the run in {self.folder} was validated.")
        if saved["per_step"] != self.per_step:
            raise BadInput(
                f"A step of the run in {self.folder} has {saved['per_step']} micro-batches, but --accumulate times "
                f"processes is {self.per_step}."
            )
        try:
            self.model.load_state_dict(saved["model"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.scheduler.load_state_dict(saved["scheduler"])
            self.scaler.load_state_dict(saved.get("scaler") or self.scaler.state_dict())
        except (AttributeError, KeyError, RuntimeError, TypeError, ValueError):
            raise BadInput(f"{self.folder}/{LAST} is damaged: its numbers do not fit its settings.") from None
        self.losses = saved["losses"]

    def save(self, weights=False):
        """Write everything that is needed to go on, and perhaps the weights alone, to be averaged."""
        if self.folder is None:
            return
        everything = {
            "config": dataclasses.asdict(self.config),
            "tokenizer": self.saved_tokenizer,
            "fingerprint": fingerprint(self.stream.ids),
            "per_step": self.per_step,
            "data": self.data,
            "losses": self.losses,
            "curve": self.validation.curve,
            "valid_fingerprint": self.valid_fingerprint,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
            "scaler": self.scaler.state_dict(),
        }
        write_file(self.folder / LAST, everything)
        if weights:
            write_file(self.folder / f"weights-{self.done:07}.pt", self.model.state_dict())
            for old in weight_files(self.folder)[: -self.config.keep]:
                old.unlink(missing_ok=True)

    def resume_command(self):
        """What to type to go on with this run."""
        size = self.world.size
        program = "python -m" if size == 1 else f"torchrun --nproc-per-node {size} -m"
        device = "" if self.device is None else f" --device {self.device}"
        return f"{program} solutions.translation train --out {shlex.quote(str(self.folder))} --resume{device}"

    # --- steps ---

    def run(self):
        """Take the steps that are left, and return the result."""
        peak = peak_rate(self.world.device, self.config.dtype)
        progress = Progress(self.config.steps, self.done, peak, self.quiet or self.world.rank > 0)
        began = time.perf_counter()
        with interruptible() as signals:
            try:
                self.take_steps(progress, signals)
            except (MemoryError, RuntimeError) as error:
                if out_of_memory(error):
                    raise OutOfMemory(self.what_to_lower()) from error
                if self.world.size > 1 and worker_lost(error):
                    raise WorkerLost(self.saved_alone()) from error
                raise
            finally:
                progress.close()
        seconds = time.perf_counter() - began - progress.left_out
        complete = bool(self.over) or self.done >= self.config.steps
        if not complete and self.world.rank == 0:
            self.save()
            if self.folder is not None and not self.quiet:
                message = f"Interrupted after step {self.done}; saved. To go on: {self.resume_command()}"
                print(message, file=sys.stderr)
        rate = self.operations / max(seconds, 1e-9) / (peak * self.world.size)
        model, curve, best = self.model.eval(), self.validation.curve, self.validation.best
        return TrainResult(model, self.losses, self.done, complete, self.tokens, seconds, rate, curve, best)

    def take_steps(self, progress, signals):
        """Step after step, until all are done, validation has ended the run, or a process has noted a signal."""
        with replaced(self.model, faster_classes(self.config)), ThreadPoolExecutor(1) as pool:
            ahead = pool.submit(self.batches_of, self.done)
            while self.done < self.config.steps:
                own = ahead.result()
                ahead = pool.submit(self.batches_of, self.done + 1)  # made while this step is computed
                own_tokens, over = sum(batch.ntokens for batch in own), self.validation.over
                all_tokens, ends, self.over = self.world.sum(own_tokens, len(signals), over)
                if ends or self.over:
                    break
                operations = step_operations(self.counted, own) * self.world.size
                self.step(own, all_tokens)
                self.tokens += int(all_tokens)
                self.operations += operations
                progress.step(self.done, self.losses[-1], int(all_tokens), operations)
                if self.world.rank == 0:
                    self.keep_what_is_due(progress)

    def keep_what_is_due(self, progress):
        """After a step, in the first process: validate, and write checkpoints, if it is time."""
        weights = self.done % self.config.save_every == 0 or self.done == self.config.steps
        validated = self.validation.is_due(self.done)
        if validated:
            began = time.perf_counter()
            is_best = self.validation.judge(self.model, self.losses)
            progress.leave_out(time.perf_counter() - began)
            progress.say(told(self.validation.curve[-1]) + (", the best so far" if is_best else ""))
            if is_best and self.folder is not None:
                write_file(self.folder / BEST, {"step": self.done, "model": self.model.state_dict()})
        if weights or validated:  # so that the curve never lacks the row of the best weights
            self.save(weights)

    def batches_of(self, step):
        """This process's micro-batches of a step, by number."""
        first = step * self.per_step
        return [self.stream.batch(first + own) for own in range(self.world.rank, self.per_step, self.world.size)]

    def step(self, batches, all_tokens):
        """One step, with this process's micro-batches; the number of target tokens is that of all processes."""
        size = self.world.size
        # Every random number of a step depends on the seed, the step and the process, and on no other step.
        torch.manual_seed(self.config.seed * 1_000_003 + self.done * size + self.world.rank)
        # Gradients are averaged over processes, so each loss is weighted by its process's share of the tokens.
        share = sum(batch.ntokens for batch in batches) * size / max(all_tokens, 1)
        scale = self.scaler.get_scale()  # 1.0 unless it is float16
        result = training_step(
            self.whole,
            [to_device(batch, self.world.device) for batch in batches],
            lambda log_probs, targets: self.scaler.scale(self.loss_fn(log_probs, targets) * share),
            ScaledOptimizer(self.optimizer, self.scaler),
            self.scheduler,
            self.config.max_norm * scale,  # clipped before they are divided by the scale: the direction is the same
        )
        self.losses.append(result.loss / scale)  # the step is made, even if the exchange of its losses fails
        (self.losses[-1],) = self.world.sum(self.losses[-1] / size)
        if not math.isfinite(self.losses[-1]):
            raise BadInput(f"The loss of step {self.done} is {self.losses[-1]}: lower --factor, or raise --warmup.")

    # --- when a step fails ---

    def what_to_lower(self):
        """A step did not fit into memory: a sentence about the settings that decide how much it takes."""
        return (
            f"Step {self.done + 1} did not fit into the memory of {self.world.device}: lower --max-tokens, now "
            f"{self.config.max_tokens}, and raise --accumulate, now {self.config.accumulate}, to keep the size of a "
            f"step."
        )

    def saved_alone(self):
        """Another process has ended: save what this one has, and a sentence that says how to go on."""
        with contextlib.suppress(ValueError):
            # torchrun asks all processes to end as soon as one has: this one is about to, but saves first.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.save()
        kept = f"its {self.done} steps are saved in {self.folder / LAST}" if self.folder else "nothing is saved"
        return f"Another process of this run has ended; {kept}. To go on: {self.resume_command()}"
