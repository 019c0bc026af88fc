"""How fast the Transformer of this course trains: ``python benchmarks/transformer.py``.

One run on one machine, the same sizes and the same batches for all, with one thread and with two: our model as
`solutions.translation` trains it; the same model as the units write it, all switches off; ``torch.nn.Transformer`` with
what PyTorch offers around it; and a plain composition, as in tutorials that annotate the paper. They take turns,
step by step; the median round counts, each in a process of its own. Also measured: what batches of like lengths save.
The result goes to ``book/measurements/transformer.json``.

``python benchmarks/transformer.py --gpu`` compares them on a GPU, with the sizes of the paper's base model: target
tokens per second, and the share of the GPU's rate that they use; with each switch of the program turned, and with
batches of several sizes. That goes to ``book/measurements/transformer_gpu.json``.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import dataclasses
import datetime
import json
import math
import os
import platform
import random
import re
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

from benchmarks.machine import processor  # noqa: E402
from solutions import PAD, translation  # noqa: E402
from solutions.embeddings import PositionalEncoding, TokenEmbedding  # noqa: E402
from solutions.optim import noam_scheduler  # noqa: E402
from solutions.transformer import make_model  # noqa: E402
from solutions.translator.config import TranslationConfig  # noqa: E402
from solutions.translator.data import grammar_pairs, to_device  # noqa: E402
from solutions.translator.fused import faster_classes, replaced, wrap_for_config  # noqa: E402
from solutions.translator.speed import peak_rate, step_operations  # noqa: E402
from solutions.translator.tokenizers import LibraryBPE  # noqa: E402
from solutions.translator.trainer import make_optimizer  # noqa: E402

FOLDER = ROOT / "book" / "measurements"
SMOOTHING, MAX_TOKENS = 0.1, 1536
AS_LONG_AS_IT_RUNS = contextlib.ExitStack()

# What is promised, and of which figure.
TARGETS = {"times_nn_transformer": 1.0, "times_plain": 1.3}
TARGETS_GPU = {**TARGETS, "utilisation": 0.4}
UNTIMED = 8  # steps in which a GPU's kernels are compiled and chosen


@dataclasses.dataclass(frozen=True)
class Setting:
    """What all contenders train, and where: those of the preset that a CPU trains, unless others are given."""

    vocabulary: int = 1000
    num_layers: int = 2
    d_model: int = 128
    d_ff: int = 256
    num_heads: int = 4
    dropout: float = 0.0
    device: str = "cpu"
    bf16: bool = False
    compile: bool = False

    def model(self):
        """Our model."""
        sizes = (self.num_layers, self.d_model, self.d_ff, self.num_heads, self.dropout)
        return make_model(self.vocabulary, self.vocabulary, *sizes).to(self.device)

    def scheduler(self, optimizer):
        """Rates that change nothing of the time."""
        return noam_scheduler(optimizer, self.d_model, 400)

    def autocast(self):
        """The context in which peers compute; ours makes its own."""
        return torch.autocast(torch.device(self.device).type, torch.bfloat16, enabled=self.bf16)


CPU = Setting()
# The base model of Vaswani et al. 2017.
BASE = Setting(37_000, 6, 512, 2048, 8, 0.1, "cuda", bf16=True)


# --- contenders: each gives a function that does one step on a batch and returns the loss before it ----------------


def ours(setting, **switches):
    """What `train` does for a step, with every switch that pays on a CPU, or with some turned."""
    model = setting.model()
    config = TranslationConfig(bf16=setting.bf16, compile=setting.compile)
    config = dataclasses.replace(config, smoothing=SMOOTHING, **switches)
    AS_LONG_AS_IT_RUNS.enter_context(replaced(model, faster_classes(config)))
    whole, loss_fn = wrap_for_config(model, config)
    return step_of(setting, whole, loss_fn, make_optimizer(config, model))


def units(setting):
    """The same model as the units write it, with the loss and the optimiser of the units on them."""
    return ours(dataclasses.replace(setting, bf16=False, compile=False), **ALL_OFF)


ALL_OFF = {"sdpa": False, "kernels": False, "fused_adamw": False}


def step_of(setting, model, loss_fn, optimizer):
    scheduler = setting.scheduler(optimizer)
    return lambda batch: translation.training_step(model, [batch], loss_fn, optimizer, scheduler, 1.0).loss


class LibraryTransformer(nn.Module):
    """``torch.nn.Transformer`` with embeddings, positions and output, as its documentation puts it to use."""

    def __init__(self, setting):
        super().__init__()
        width, layers = setting.d_model, setting.num_layers
        self.source, self.target = embeddings(setting), embeddings(setting)
        self.inner = nn.Transformer(
            width, setting.num_heads, layers, layers, setting.d_ff, setting.dropout, batch_first=True, norm_first=True
        )
        self.output = nn.Linear(width, setting.vocabulary)

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


def embeddings(setting):
    """Vectors of tokens, with positions added."""
    return nn.Sequential(
        TokenEmbedding(setting.vocabulary, setting.d_model), PositionalEncoding(setting.d_model, setting.dropout)
    )


def fresh(model, setting):
    """A peer as it starts, on its device, and compiled if that is the setting."""
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    model.to(setting.device).train()
    if setting.compile:
        model.compile(dynamic=True)
    return model


def nn_transformer(setting):
    """With PyTorch's smoothed cross-entropy and its fused AdamW."""
    model = fresh(LibraryTransformer(setting), setting)
    optimizer = make_optimizer(TranslationConfig(), model)
    scheduler = setting.scheduler(optimizer)

    def step(batch):
        optimizer.zero_grad()
        with setting.autocast():
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
    """An encoder layer, or a decoder layer with cross-attention: pre-norm, as in the annotated code."""

    def __init__(self, setting, cross):
        super().__init__()
        width, hidden, dropout = setting.d_model, setting.d_ff, setting.dropout
        attention = PlainAttention(width, setting.num_heads, dropout)
        self.attentions = nn.ModuleList(copy.deepcopy(attention) for _ in range(1 + cross))
        self.network = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, width))
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

    def __init__(self, setting):
        super().__init__()
        self.source, self.target = embeddings(setting), embeddings(setting)
        self.encoder = nn.ModuleList(PlainLayer(setting, False) for _ in range(setting.num_layers))
        self.decoder = nn.ModuleList(PlainLayer(setting, True) for _ in range(setting.num_layers))
        self.norms = nn.ModuleList(PlainNorm(setting.d_model) for _ in range(2))
        self.output = nn.Linear(setting.d_model, setting.vocabulary)

    def forward(self, src, tgt, src_mask, tgt_mask):
        """Log-probabilities."""
        x, y = self.source(src), self.target(tgt)
        for layer in self.encoder:
            x = layer(x, src_mask)
        memory = self.norms[0](x)
        for layer in self.decoder:
            y = layer(y, tgt_mask, memory, src_mask)
        return torch.log_softmax(self.output(self.norms[1](y)), dim=-1)


def plain(setting):
    """With masks made anew for each batch, a table of smoothed targets, and plain Adam."""
    vocabulary = setting.vocabulary
    model = fresh(PlainTransformer(setting), setting)
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    scheduler = setting.scheduler(optimizer)
    divergence = nn.KLDivLoss(reduction="sum")

    def smoothed(log_probs, target):
        table = log_probs.data.clone().fill_(SMOOTHING / (vocabulary - 2))
        table.scatter_(1, target.unsqueeze(1), 1 - SMOOTHING)
        table[:, PAD] = 0
        table.index_fill_(0, torch.nonzero(target == PAD).squeeze(1), 0.0)
        return divergence(log_probs, table.clone().detach())

    def step(batch):
        length = batch.tgt.size(-1)
        future = torch.triu(torch.ones(1, length, length), diagonal=1).type(torch.uint8) == 0
        src_mask = (batch.src != PAD).unsqueeze(-2)
        tgt_mask = (batch.tgt != PAD).unsqueeze(-2) & future.to(setting.device)
        with setting.autocast():
            log_probs = model(batch.src, batch.tgt, src_mask, tgt_mask)
        loss = smoothed(log_probs.contiguous().view(-1, vocabulary), batch.tgt_y.contiguous().view(-1))
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
    pairs = grammar_pairs(count, 0)
    tokenizer = LibraryBPE.train([text for pair in pairs for text in pair], CPU.vocabulary)
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
    """The share of all positions in some batches that hold padding."""
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
    return in_turns(
        {
            "ours": (ours(CPU), alike),
            "units": (units(CPU), alike),
            "nn_transformer": (nn_transformer(CPU), alike),
            "plain": (plain(CPU), alike),
            "mixed": (ours(CPU), mixed),
        },
        steps,
        untimed=2,
    )


def in_turns(runs: dict, steps: int, untimed: int) -> dict:
    """Losses, and seconds and target tokens of all steps but the first, of runs ``(step function, batches)``.

    The loss is a Python number, so once it is there, the step has ended on the device as well.
    """
    found: dict = {name: {"losses": [], "seconds": [], "tokens": []} for name in runs}
    order = list(runs)
    for number in range(steps):
        for name in order[number % len(order) :] + order[: number % len(order)]:
            step, batches = runs[name]
            batch = batches[number % len(batches)]
            started = time.perf_counter()
            found[name]["losses"].append(step(batch))
            if number >= untimed:
                found[name]["seconds"].append(time.perf_counter() - started)
                found[name]["tokens"].append(batch.ntokens)
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


# --- on a GPU -----------------------------------------------------------------------------------------------------


def random_batch(setting, max_tokens, seed=0):
    """A batch of sentences of like lengths, random words of 26 to 30 tokens, as large as the budget allows."""
    draw = random.Random(seed)

    def row(length):
        return [draw.randrange(4, setting.vocabulary) for _ in range(length)]

    lengths = [30] + [draw.randint(26, 30) for _ in range(max_tokens // 60 - 1)]
    batch = translation.make_batch([(row(length), row(length)) for length in lengths])
    return to_device(batch, torch.device(setting.device))


def summary(found: dict, batch, operations: float, peak: float) -> dict:
    """Median and range of the target tokens per second of every run, and the share of the device's rate."""
    rows = {}
    for name, row in found.items():
        rates = [tokens / seconds for tokens, seconds in zip(row["tokens"], row["seconds"])]
        middle = statistics.median(rates)
        rows[name] = {
            "tokens_per_second": middle,
            "from_to": [min(rates), max(rates)],
            "utilisation": middle / batch.ntokens * operations / peak,
            "first_and_last_loss": [row["losses"][0], row["losses"][-1]],
        }
    return rows


# What names of kernels say, the first that fits.
KINDS = {
    "attention": "fmha|flash|sdpa|cudnn_generated",
    "products of matrices": "nvjet|gemm|cutlass|cublas|splitK",
    "optimiser and clipping": "multi_tensor|adam",
    "everything else": "",
}


def milliseconds_by_kind(step, batch, steps: int = 3) -> dict:
    """What a GPU does in a step, in milliseconds: the sum over kernels of a kind, and the time without any."""
    from torch.profiler import ProfilerActivity, profile

    step(batch)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        started = time.perf_counter()
        for _ in range(steps):
            step(batch)
        torch.cuda.synchronize()
        seconds = time.perf_counter() - started
    found = dict.fromkeys(KINDS, 0.0)
    for event in profiled.key_averages():
        if event.device_type == torch.autograd.DeviceType.CUDA and not event.is_user_annotation:
            kind = next(kind for kind, names in KINDS.items() if re.search(names, event.key))
            found[kind] += event.self_device_time_total / 1000 / steps
    return found | {"idle": 1000 * seconds / steps - sum(found.values())}


def on_gpu(options: argparse.Namespace, setting: Setting = BASE) -> dict:
    """The base model on a GPU: contenders and switches, in turns; sizes of batches; where the time of a step goes."""
    device = torch.device(setting.device)
    peak = peak_rate(device, torch.bfloat16 if setting.bf16 else None)
    compiled = dataclasses.replace(setting, compile=True)
    no_bf16 = dataclasses.replace(setting, bf16=False)
    batches = [random_batch(setting, options.max_tokens, seed) for seed in range(3)]
    operations = step_operations(setting.model(), batches[:1])
    torch.manual_seed(0)
    steps = {
        "ours": ours(compiled),
        "ours, not compiled": ours(setting),
        "nn_transformer": nn_transformer(setting),
        "nn_transformer, compiled": nn_transformer(compiled),
        "plain": plain(setting),
        "plain, float32": plain(no_bf16),
        "compiled, without sdpa": ours(compiled, sdpa=False),
        "compiled, without dropout": ours(dataclasses.replace(compiled, dropout=0.0)),
        "not compiled, without sdpa": ours(setting, sdpa=False),
        "not compiled, without kernels": ours(setting, kernels=False),
        "not compiled, without fused_adamw": ours(setting, fused_adamw=False),
        "not compiled, without bf16": ours(no_bf16),
        "all off": units(setting),
    }
    for name, step in steps.items():
        print(f"{name}: getting ready …", flush=True)
        for number in range(UNTIMED):
            step(batches[number % len(batches)])
    print("measuring …", flush=True)
    found = in_turns({name: (step, batches) for name, step in steps.items()}, options.steps, 1)
    rows = summary(found, batches[0], operations, peak)
    kinds = milliseconds_by_kind(steps["ours"], batches[0]) if setting.device == "cuda" else {}
    sizes = []
    for max_tokens in options.sizes:
        print(f"batches of {max_tokens:,} tokens …", flush=True)
        batch = random_batch(setting, max_tokens)
        found = in_turns({"ours": (steps["ours"], [batch])}, UNTIMED + options.steps, UNTIMED)
        needed = step_operations(setting.model(), [batch])
        sizes.append({"max_tokens": max_tokens} | summary(found, batch, needed, peak)["ours"])
    rate = {name: row["tokens_per_second"] for name, row in rows.items()}
    return {
        "what": "Training of the base Transformer on a GPU: target tokens per second, and the share of the rate of its "
        "data sheet; contenders and switches in turns on the same batches; sizes of batches; milliseconds of a step.",
        "command": " ".join(["python", "benchmarks/transformer.py", *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "device": torch.cuda.get_device_name() if setting.device == "cuda" else setting.device,
        "versions": {"python": platform.python_version(), "torch": str(torch.__version__), "cuda": torch.version.cuda},
        "sizes": {**dataclasses.asdict(setting), "max_tokens": options.max_tokens},
        "operations_per_step": operations,
        "peak": peak,
        "runs": rows,
        "milliseconds": kinds,
        "batches": sizes,
        "targets": TARGETS_GPU,
        "reached": {
            "times_nn_transformer": rate["ours"] / max(rate["nn_transformer"], rate["nn_transformer, compiled"]),
            "times_plain": rate["ours"] / rate["plain"],
            "utilisation": max(row["utilisation"] for row in sizes),
        },
    }


def gpu_main(options: argparse.Namespace) -> None:
    """Measure, write and print what a GPU does."""
    if not torch.cuda.is_available():
        raise SystemExit(
            "There is no GPU here, so --gpu has nothing to measure; leave it out to measure the processor."
        )
    try:
        result = on_gpu(options)
    except torch.cuda.OutOfMemoryError:
        raise SystemExit("A step did not fit into the GPU's memory: lower --max-tokens and --sizes.") from None
    write(result, options.output or FOLDER / "transformer_gpu.json")
    for name, row in [*result["runs"].items(), *((f"{row['max_tokens']:,} tokens", row) for row in result["batches"])]:
        print(f"  {name:35} {row['tokens_per_second']:10,.0f} target tokens/s   {row['utilisation']:.1%}")
    for kind, milliseconds in result["milliseconds"].items():
        print(f"  {kind:35} {milliseconds:10.2f} ms")
    print_targets(TARGETS_GPU, result["reached"])


# --- on a CPU -----------------------------------------------------------------------------------------------------


def document(options: argparse.Namespace) -> dict:
    """Everything measured, with where, when and how."""
    load = os.getloadavg()[0]
    results = {str(threads): by_threads(threads, options) for threads in options.threads}
    ids = pairs_of_ids(options.pairs)
    return {
        "what": "Training of a Transformer: target tokens per second of ours, of nn.Transformer and of a plain one; on "
        "one machine in one run.",
        "command": " ".join(["python", "benchmarks/transformer.py", *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "device": f"{os.cpu_count()} cores, {processor()}",
        "load_before": load,
        "versions": {"python": platform.python_version(), "torch": str(torch.__version__)},
        "sizes": {**dataclasses.asdict(CPU), "max_tokens": MAX_TOKENS},
        "padding_share": {
            "bucketed": padding_share(ids, translation.token_batches(ids, MAX_TOKENS)),
            "mixed": padding_share(ids, mixed_batches(ids, MAX_TOKENS)),
        },
        "by_threads": results,
        "targets": TARGETS,
        "reached": {name: min(row[name] for row in results.values()) for name in TARGETS},
    }


def cpu_main(options: argparse.Namespace) -> None:
    """Measure, write and print what the processor does."""
    result = document(options)
    write(result, options.output or FOLDER / "transformer.json")
    for threads, found in result["by_threads"].items():
        print(f"\n{threads} threads")
        for name, row in found["contenders"].items():
            print(f"  {name:15} {row['tokens_per_second']:8,.0f} target tokens/s   {row['all_tokens_per_second']}")
    share = result["padding_share"]
    print(f"\npadding: {share['bucketed']:.0%} in batches of like lengths, {share['mixed']:.0%} in mixed ones")
    print_targets(TARGETS, result["reached"])


def write(result: dict, path: Path) -> None:
    """Keep a result."""
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"Written: {path}")


def print_targets(targets: dict, reached: dict) -> None:
    """What is promised, and whether it is kept."""
    for name, target in targets.items():
        verdict = "yes" if reached[name] >= target else "NO"
        print(f"{name:22} at least {target:g}   {reached[name]:.2f}: {verdict}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gpu", action="store_true", help="measure the GPU instead of the processor")
    parser.add_argument("--steps", type=int, default=40, help="steps in a round (%(default)s)")
    parser.add_argument("--output", type=Path, help="where the result goes (a file in book/measurements)")
    cpu = parser.add_argument_group("on a processor")
    cpu.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="(%(default)s)")
    cpu.add_argument("--rounds", type=int, default=5, help="processes, one after the other (%(default)s)")
    cpu.add_argument("--pairs", type=int, default=4000, help="pairs that the batches are made of (%(default)s)")
    gpu = parser.add_argument_group("on a GPU")
    gpu.add_argument("--max-tokens", type=int, default=50_000, help="size of a batch (%(default)s)")
    gpu.add_argument("--sizes", type=int, nargs="+", default=[3125, 12_500, 50_000, 100_000], help="(%(default)s)")
    options = parser.parse_args()
    if options.steps < 3:
        parser.error("--steps must be at least 3: the first two are not timed")
    gpu_main(options) if options.gpu else cpu_main(options)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*map(int, sys.argv[2:]))))
    else:
        main()
