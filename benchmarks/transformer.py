"""How fast the Transformer of this course trains: ``python benchmarks/transformer.py``.

One run on one machine, the same sizes and the same batches for all, with one thread and with two: our model as
`solutions.translation` trains it; the same model as the units write it, all switches off; ``torch.nn.Transformer`` with
what PyTorch offers around it; and a plain composition, as tutorials that annotate the paper have it. They take turns,
step by step; the median round counts, each in a process of its own. Also measured: what batches of like lengths save.

Where there is a GPU, the base model's training in bfloat16 is measured too, as a share of the GPU's rate. The result
goes to ``book/measurements/transformer.json``.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import datetime
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from autograder.machine import processor  # noqa: E402
from solutions import PAD, translation  # noqa: E402
from solutions.embeddings import PositionalEncoding, TokenEmbedding  # noqa: E402
from solutions.losses import LabelSmoothing  # noqa: E402
from solutions.optim import AdamW, noam_scheduler  # noqa: E402
from solutions.transformer import make_model  # noqa: E402

OUTPUT = ROOT / "book" / "measurements" / "transformer.json"
# Those of the preset that a CPU trains.
VOCABULARY = 1000
SIZES = {"num_layers": 2, "d_model": 128, "d_ff": 256, "num_heads": 4, "dropout": 0.0}
SMOOTHING, MAX_TOKENS = 0.1, 1536
AS_LONG_AS_IT_RUNS = contextlib.ExitStack()

# What is promised, and of which figure.
TARGETS = {"times_nn_transformer": 1.0, "times_plain": 1.3, "utilisation_gpu": 0.4}


# --- contenders: each gives a function that does one step on a batch and returns the loss before it ----------------


def ours():
    """With every switch that pays on this device; what `train` does for a step."""
    model = make_model(VOCABULARY, VOCABULARY, **SIZES)
    optimizer = translation.make_optimizer(translation.TranslationConfig(), model)
    loss_fn = translation.ClosedLabelSmoothing(VOCABULARY, PAD, SMOOTHING)
    AS_LONG_AS_IT_RUNS.enter_context(translation.fused(model))
    return step_of(translation.LogProbs(model), loss_fn, optimizer)


def units():
    """The same model as the units write it, with unit 10's loss and unit 11's optimiser."""
    model = make_model(VOCABULARY, VOCABULARY, **SIZES)
    optimizer = AdamW(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    return step_of(model, LabelSmoothing(VOCABULARY, PAD, SMOOTHING), optimizer)


def step_of(model, loss_fn, optimizer):
    scheduler = noam_scheduler(optimizer, SIZES["d_model"], 400)
    return lambda batch: translation.training_step(model, [batch], loss_fn, optimizer, scheduler, 1.0).loss


class LibraryTransformer(nn.Module):
    """``torch.nn.Transformer`` with embeddings, positions and output, as its documentation puts it to use."""

    def __init__(self):
        super().__init__()
        width = SIZES["d_model"]
        self.source = nn.Sequential(TokenEmbedding(VOCABULARY, width), PositionalEncoding(width, SIZES["dropout"]))
        self.target = nn.Sequential(TokenEmbedding(VOCABULARY, width), PositionalEncoding(width, SIZES["dropout"]))
        layers = SIZES["num_layers"]
        self.inner = nn.Transformer(
            width,
            SIZES["num_heads"],
            layers,
            layers,
            SIZES["d_ff"],
            SIZES["dropout"],
            batch_first=True,
            norm_first=True,
        )
        self.output = nn.Linear(width, VOCABULARY)

    def forward(self, src, tgt):
        """Logits."""
        future = nn.Transformer.generate_square_subsequent_mask(tgt.shape[1], device=tgt.device, dtype=torch.bool)
        padding = src == PAD
        hidden = self.inner(
            self.source(src),
            self.target(tgt),
            tgt_mask=future,
            tgt_is_causal=True,
            src_key_padding_mask=padding,
            tgt_key_padding_mask=tgt == PAD,
            memory_key_padding_mask=padding,
        )
        return self.output(hidden)


def nn_transformer():
    """With PyTorch's smoothed cross-entropy and its fused AdamW."""
    model = LibraryTransformer().train()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    optimizer = translation.make_optimizer(translation.TranslationConfig(), model)
    scheduler = noam_scheduler(optimizer, SIZES["d_model"], 400)

    def step(batch):
        optimizer.zero_grad()
        logits = model(batch.src, batch.tgt).flatten(0, 1)
        loss = F.cross_entropy(logits, batch.tgt_y.flatten(), ignore_index=PAD, label_smoothing=SMOOTHING)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        return loss.item()

    return step


class PlainNorm(nn.Module):
    """Layer normalisation with the standard deviation, written out."""

    def __init__(self, width):
        super().__init__()
        self.gain, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return self.gain * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + self.bias


class PlainAttention(nn.Module):
    """Four linear layers; scores, a large negative number where there is a mask, softmax, dropout, values."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.linears = nn.ModuleList(nn.Linear(width, width) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        self.kept = None

    def forward(self, query, key, value, mask):
        count = query.size(0)
        q, k, v = (
            linear(x).view(count, -1, self.heads, self.size).transpose(1, 2)
            for linear, x in zip(self.linears, (query, key, value))
        )
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.size)
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        self.kept = self.dropout(scores.softmax(dim=-1))
        mixed = torch.matmul(self.kept, v).transpose(1, 2).contiguous().view(count, -1, self.heads * self.size)
        return self.linears[-1](mixed)


class PlainLayer(nn.Module):
    """An encoder layer, or a decoder layer with cross-attention: pre-norm, as the annotated code has it."""

    def __init__(self, cross):
        super().__init__()
        width, heads, dropout = SIZES["d_model"], SIZES["num_heads"], SIZES["dropout"]
        attention = PlainAttention(width, heads, dropout)
        self.attentions = nn.ModuleList(copy.deepcopy(attention) for _ in range(1 + cross))
        self.network = nn.Sequential(
            nn.Linear(width, SIZES["d_ff"]), nn.ReLU(), nn.Dropout(dropout), nn.Linear(SIZES["d_ff"], width)
        )
        self.norms = nn.ModuleList(PlainNorm(width) for _ in range(2 + cross))
        self.dropouts = nn.ModuleList(nn.Dropout(dropout) for _ in range(2 + cross))

    def forward(self, x, mask, memory=None, memory_mask=None):
        y = self.norms[0](x)
        x = x + self.dropouts[0](self.attentions[0](y, y, y, mask))
        if memory is not None:
            x = x + self.dropouts[1](self.attentions[1](self.norms[1](x), memory, memory, memory_mask))
        return x + self.dropouts[-1](self.network(self.norms[-1](x)))


class PlainTransformer(nn.Module):
    """Encoder and decoder of such layers."""

    def __init__(self):
        super().__init__()
        width, layers = SIZES["d_model"], SIZES["num_layers"]
        self.source = nn.Sequential(TokenEmbedding(VOCABULARY, width), PositionalEncoding(width, SIZES["dropout"]))
        self.target = nn.Sequential(TokenEmbedding(VOCABULARY, width), PositionalEncoding(width, SIZES["dropout"]))
        self.encoder = nn.ModuleList(PlainLayer(False) for _ in range(layers))
        self.decoder = nn.ModuleList(PlainLayer(True) for _ in range(layers))
        self.norms = nn.ModuleList(PlainNorm(width) for _ in range(2))
        self.output = nn.Linear(width, VOCABULARY)

    def forward(self, src, tgt, src_mask, tgt_mask):
        """Log-probabilities."""
        x, y = self.source(src), self.target(tgt)
        for layer in self.encoder:
            x = layer(x, src_mask)
        memory = self.norms[0](x)
        for layer in self.decoder:
            y = layer(y, tgt_mask, memory, src_mask)
        return torch.log_softmax(self.output(self.norms[1](y)), dim=-1)


def plain():
    """With masks made anew for each batch, a table of smoothed targets, and plain Adam."""
    model = PlainTransformer().train()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    scheduler = noam_scheduler(optimizer, SIZES["d_model"], 400)
    divergence = nn.KLDivLoss(reduction="sum")

    def smoothed(log_probs, target):
        table = log_probs.data.clone().fill_(SMOOTHING / (VOCABULARY - 2))
        table.scatter_(1, target.unsqueeze(1), 1 - SMOOTHING)
        table[:, PAD] = 0
        table.index_fill_(0, torch.nonzero(target == PAD).squeeze(1), 0.0)
        return divergence(log_probs, table.clone().detach())

    def step(batch):
        length = batch.tgt.size(-1)
        future = torch.triu(torch.ones(1, length, length), diagonal=1).type(torch.uint8) == 0
        src_mask, tgt_mask = (batch.src != PAD).unsqueeze(-2), (batch.tgt != PAD).unsqueeze(-2) & future
        log_probs = model(batch.src, batch.tgt, src_mask, tgt_mask)
        loss = smoothed(log_probs.contiguous().view(-1, VOCABULARY), batch.tgt_y.contiguous().view(-1))
        loss = loss / (batch.tgt_y != PAD).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        scheduler.step()
        return loss.item()

    return step


# --- batches ------------------------------------------------------------------------------------------------------


def pairs_of_ids(count):
    """Grammar sentences in ids, up to the size of the vocabulary."""
    pairs = translation.grammar_pairs(count, 0)
    tokenizer = translation.LibraryBPE.train([text for pair in pairs for text in pair], VOCABULARY)
    return translation.encode_pairs(pairs, tokenizer)


def mixed_batches(ids, max_tokens):
    """Batches of the same budget in which lengths come as they come."""
    batches: list[list[int]] = []
    longest = [0, 0]
    order = list(range(len(ids)))
    random.Random(0).shuffle(order)
    for place in order:
        together = [max(known, len(part)) for known, part in zip(longest, ids[place])]
        if not batches or (len(batches[-1]) + 1) * sum(together) > max_tokens:
            batches.append([])
            together = [len(part) for part in ids[place]]
        batches[-1].append(place)
        longest = together
    return batches


def padding_share(ids, batches):
    """The share of all places in some batches that hold padding."""
    real = sum(len(part) for batch in batches for place in batch for part in ids[place])
    padded = sum(len(batch) * sum(max(len(ids[p][side]) for p in batch) for side in (0, 1)) for batch in batches)
    return 1 - real / padded


def chosen(ids, bucketed, steps):
    """So many batches, drawn from all lengths."""
    places = translation.token_batches(ids, MAX_TOKENS) if bucketed else mixed_batches(ids, MAX_TOKENS)
    random.Random(1).shuffle(places)
    return [translation.make_batch([ids[place] for place in batch]) for batch in places[:steps]]


# --- measuring ----------------------------------------------------------------------------------------------------


def measure(steps: int, pairs: int) -> dict:
    """Seconds and target tokens of each step but the first two, and the losses of all, of every contender.

    They take turns, step by step and each time with another one first: whatever else the machine does meets all alike.
    """
    torch.manual_seed(0)
    ids = pairs_of_ids(pairs)
    alike, mixed = chosen(ids, True, steps), chosen(ids, False, steps)
    runs = [
        ("ours", ours(), alike),
        ("units", units(), alike),
        ("nn_transformer", nn_transformer(), alike),
        ("plain", plain(), alike),
        ("mixed", ours(), mixed),
    ]
    found = {name: {"losses": [], "seconds": [], "tokens": []} for name, _, _ in runs}
    for number in range(steps):
        for name, step, batches in runs[number % len(runs) :] + runs[: number % len(runs)]:
            started = time.perf_counter()
            found[name]["losses"].append(step(batches[number]))
            if number >= 2:
                found[name]["seconds"].append(time.perf_counter() - started)
                found[name]["tokens"].append(batches[number].ntokens)
    return found


def in_a_process(threads: int, options: argparse.Namespace) -> dict:
    """Call this script for one measurement."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    arguments = ["--measure", str(options.steps), str(options.pairs)]
    done = subprocess.run([sys.executable, __file__, *arguments], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"A measurement failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def by_threads(threads: int, options: argparse.Namespace) -> dict:
    """Every contender with so many threads; ``mixed`` is ours without batches of like lengths."""
    runs = []
    for turn in range(options.rounds):
        print(f"{threads} threads, round {turn + 1} of {options.rounds} …", flush=True)
        runs.append(in_a_process(threads, options))
    speeds = [{name: sum(row["tokens"]) / sum(row["seconds"]) for name, row in run.items()} for run in runs]
    rows = {
        name: {
            "tokens_per_second": statistics.median(speed[name] for speed in speeds),
            "all_tokens_per_second": [round(speed[name], 1) for speed in speeds],
            "first_and_last_loss": [row["losses"][0], row["losses"][-1]],
        }
        for name, row in runs[0].items()
    }
    # The ratio within a round, since a machine's speed changes from one round to the next.
    times = {
        f"times_{name}": statistics.median(speed["ours"] / speed[name] for speed in speeds)
        for name in rows
        if name != "ours"
    }
    return {"contenders": rows, **times}


def on_gpu(steps: int = 40) -> dict | None:
    """The base model in bfloat16, compiled, on random sentences: tokens per second and share of the GPU's rate."""
    if not torch.cuda.is_available():
        return None
    draw = random.Random(0)
    config = translation.TranslationConfig.preset("base", steps=steps, save_every=steps, max_tokens=50_000)
    device = torch.device("cuda")
    torch.manual_seed(0)
    model = make_model(37_000, 37_000, tie_weights=True).to(device)
    optimizer = translation.make_optimizer(config, model)
    scheduler = noam_scheduler(optimizer, 512)
    loss_fn = translation.ClosedLabelSmoothing(37_000, PAD, SMOOTHING)
    rows = [[draw.randrange(4, 37_000) for _ in range(draw.randint(26, 30))] for _ in range(800)]
    batch = translation.make_batch([(row, row) for row in rows]).to(device)
    whole = translation.LogProbs(model, bf16=True)
    with translation.fused(model):
        whole.compile(dynamic=False)
        for _ in range(5):
            translation.training_step(whole, [batch], loss_fn, optimizer, scheduler, 1.0)
        torch.cuda.synchronize()
        started = time.perf_counter()
        for _ in range(steps):
            translation.training_step(whole, [batch], loss_fn, optimizer, scheduler, 1.0)
        torch.cuda.synchronize()
        seconds = (time.perf_counter() - started) / steps
    rate = translation.step_operations(model, [batch]) / seconds
    return {
        "device": torch.cuda.get_device_name(),
        "tokens_per_second": batch.ntokens / seconds,
        "operations_per_second": rate,
        "utilisation": rate / translation.peak_rate(device, True),
    }


def document(options: argparse.Namespace) -> dict:
    """Everything measured, with where, when and how."""
    load = os.getloadavg()[0]
    results = {str(threads): by_threads(threads, options) for threads in options.threads}
    gpu = on_gpu()
    ids = pairs_of_ids(options.pairs)
    worst = {name: min(row[name] for row in results.values()) for name in ("times_nn_transformer", "times_plain")}
    return {
        "what": "Training of a Transformer: target tokens per second of ours, of nn.Transformer and of a plain one; on "
        "one machine in one run.",
        "command": " ".join(["python", "benchmarks/transformer.py", *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "device": f"{os.cpu_count()} cores, {processor()}",
        "load_before": load,
        "versions": {"python": platform.python_version(), "torch": str(torch.__version__)},
        "sizes": {**SIZES, "vocabulary": VOCABULARY, "max_tokens": MAX_TOKENS},
        "padding_share": {
            "bucketed": padding_share(ids, translation.token_batches(ids, MAX_TOKENS)),
            "mixed": padding_share(ids, mixed_batches(ids, MAX_TOKENS)),
        },
        "by_threads": results,
        "gpu": gpu,
        "targets": TARGETS,
        "reached": {**worst, "utilisation_gpu": gpu and gpu["utilisation"]},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="(%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="processes, one after the other (%(default)s)")
    parser.add_argument("--steps", type=int, default=40, help="steps in a round, the first two not timed (%(default)s)")
    parser.add_argument("--pairs", type=int, default=4000, help="pairs that the batches are made of (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="where the result goes (%(default)s)")
    options = parser.parse_args()
    if options.steps < 3:
        parser.error("--steps must be at least 3: the first two are not timed")
    result = document(options)
    options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for threads, found in result["by_threads"].items():
        print(f"\n{threads} threads")
        for name, row in found["contenders"].items():
            print(f"  {name:15} {row['tokens_per_second']:8,.0f} target tokens/s   {row['all_tokens_per_second']}")
    share = result["padding_share"]
    print(f"\npadding: {share['bucketed']:.0%} in batches of like lengths, {share['mixed']:.0%} in mixed ones")
    for name, target in TARGETS.items():
        reached = result["reached"][name]
        said = (
            "not measured: no GPU here" if reached is None else f"{reached:.2f}: {'yes' if reached >= target else 'NO'}"
        )
        print(f"{name:22} at least {target:g}   {said}")
    print(f"Written: {options.output}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*map(int, sys.argv[2:]))))
    else:
        main()
