"""From GPT-2 to Llama, one change at a time, in the same small language model (chapter "From GPT-2 to Llama")."""

import time
from statistics import mean

import record
import torch
from extrapolation import fit
from pages import course_text
from torch import nn
from torch.nn import functional as F

from solutions.babygpt import get_batch
from solutions.ladder import split_text
from solutions.llama import Llama, LlamaConfig, RMSNorm, SwiGLU, apply_rope

WHAT = (
    "Held-out loss (nats per character), parameters, bytes of the cache for each position and training seconds of a "
    "small GPT-2 that becomes a Llama in steps of one change, with several seeds"
)
LENGTH, WIDTH, HEADS, KV_HEADS, LAYERS = 64, 48, 6, 2, 2
# Each arm has all the changes up to its own; the last one goes beyond.
ARMS = ("GPT-2", "RMSNorm", "rotary positions", "SwiGLU", "grouped queries", "no biases", "head of its own")


class Attention(nn.Module):
    """Causal attention of which half is old and half is new."""

    def __init__(self, kv_heads, rotary):
        super().__init__()
        self.kv_heads, self.rotary = kv_heads, rotary
        self.q = nn.Linear(WIDTH, WIDTH)
        self.k, self.v = (nn.Linear(WIDTH, kv_heads * WIDTH // HEADS) for _ in range(2))
        self.o = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (
            layer(x).unflatten(-1, (heads, -1)).transpose(1, 2)
            for layer, heads in ((self.q, HEADS), (self.k, self.kv_heads), (self.v, self.kv_heads))
        )
        if self.rotary:
            positions = torch.arange(x.shape[1])
            q, k = apply_rope(q, positions), apply_rope(k, positions)
        k, v = (one.repeat_interleave(HEADS // self.kv_heads, dim=1) for one in (k, v))
        return self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class BiasedSwiGLU(SwiGLU):
    """SwiGLU with the biases that GPT-2 would give it."""

    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        self.gate_proj, self.up_proj = nn.Linear(d_model, d_ff), nn.Linear(d_model, d_ff)
        self.down_proj = nn.Linear(d_ff, d_model)


class OnTheWay(nn.Module):
    """A small GPT-2 with the first ``changes`` of `ARMS`; all linear layers have biases."""

    def __init__(self, vocab_size, changes):
        super().__init__()
        norm = RMSNorm if "RMSNorm" in changes else nn.LayerNorm
        rotary = "rotary positions" in changes
        self.tokens = nn.Embedding(vocab_size, WIDTH)
        self.positions = None if rotary else nn.Embedding(LENGTH, WIDTH)
        kv_heads = KV_HEADS if "grouped queries" in changes else HEADS
        self.attention = nn.ModuleList(Attention(kv_heads, rotary) for _ in range(LAYERS))
        self.feed_forward = nn.ModuleList(
            BiasedSwiGLU(WIDTH, 8 * WIDTH // 3)
            if "SwiGLU" in changes
            else nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU("tanh"), nn.Linear(4 * WIDTH, WIDTH))
            for _ in range(LAYERS)
        )
        self.norms = nn.ModuleList(norm(WIDTH) for _ in range(2 * LAYERS + 1))

    def forward(self, ids):
        x = self.tokens(ids)
        if self.positions is not None:
            x = x + self.positions.weight[: ids.shape[1]]
        norms = iter(self.norms)
        for attention, feed_forward in zip(self.attention, self.feed_forward):
            x = x + attention(next(norms)(x))
            x = x + feed_forward(next(norms)(x))
        return F.linear(next(norms)(x), self.tokens.weight)


def build(arm, vocab_size):
    """The model of an arm; every matrix and table starts small, as in GPT-2."""
    if arm in ("no biases", "head of its own"):
        sizes = (vocab_size, WIDTH, 8 * WIDTH // 3, HEADS, KV_HEADS, LAYERS)
        model = Llama(LlamaConfig(*sizes, tied=arm == "no biases"))
    else:
        model = OnTheWay(vocab_size, ARMS[: ARMS.index(arm) + 1])
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.02)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model


def run(reduced=False, corpus=None):
    seeds, steps = (1, 20) if reduced else (3, 160)
    jobs = [(arm, seed, steps, course_text(corpus)) for seed in range(seeds) for arm in ARMS]
    rows = record.results_of(study, jobs, reduced=True)  # one process: the seconds are compared
    return {"length": LENGTH, "width": WIDTH, "heads": HEADS, "kv_heads": KV_HEADS, "steps": steps, "rows": rows}


def study(arm, seed, steps, text):
    """One model: trained, and tested on held-out text in pieces."""
    characters, training, validation = split_text(text)
    torch.manual_seed(seed)
    model = build(arm, len(characters))
    generator = torch.Generator().manual_seed(seed)
    started = time.process_time()
    fit(model, lambda: get_batch(training, LENGTH, 12, generator), steps)
    seconds = time.process_time() - started
    pieces = validation.unfold(0, LENGTH + 1, LENGTH)
    with torch.no_grad():
        loss = F.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten()).item()
    kv_heads = KV_HEADS if ARMS.index(arm) >= ARMS.index("grouped queries") else HEADS
    return {
        "arm": arm,
        "seed": seed,
        "loss": loss,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "cache_bytes": 4 * 2 * LAYERS * kv_heads * (WIDTH // HEADS),  # float32, keys and values
        "seconds": seconds,
    }


def of(results, arm, what):
    """One number of every seed."""
    return [row[what] for row in results["rows"] if row["arm"] == arm]


def claims(results):
    def first(arm, what):
        return of(results, arm, what)[0]

    holds = {
        "RMSNorm has fewer parameters than LayerNorm": first("RMSNorm", "parameters") < first("GPT-2", "parameters"),
        "rotary positions need no table": first("rotary positions", "parameters")
        == first("RMSNorm", "parameters") - LENGTH * WIDTH,
        "grouped queries shrink the cache by the size of a group": first("SwiGLU", "cache_bytes")
        == first("grouped queries", "cache_bytes") * HEADS // KV_HEADS,
        "without biases there are fewer parameters": first("no biases", "parameters")
        < first("grouped queries", "parameters"),
        "a head of its own adds a table": first("head of its own", "parameters") > first("no biases", "parameters"),
    }
    if results["steps"] > 100:  # the reduced form learns too little to compare losses
        losses = {arm: of(results, arm, "loss") for arm in ARMS}
        holds["rotary positions lower the loss, with every seed"] = all(
            new < old for new, old in zip(losses["rotary positions"], losses["RMSNorm"])
        )
        holds["no other change up to the biases moves the mean loss by more than 0.05"] = all(
            abs(mean(losses[arm]) - mean(losses[before])) < 0.05
            for before, arm in zip(ARMS[:5], ARMS[1:5])
            if arm != "rotary positions"
        )
        holds["without biases the loss is higher in so short a training, by 0.03 to 0.15 on average"] = (
            0.03 < mean(losses["no biases"]) - mean(losses["grouped queries"]) < 0.15
        )
        holds["the Llama ends below the GPT-2 on average, and with a head of its own with every seed"] = mean(
            losses["no biases"]
        ) < mean(losses["GPT-2"]) and max(losses["head of its own"]) < min(losses["GPT-2"])
    return holds


if __name__ == "__main__":
    torch.set_num_threads(1)
    record.main(globals())
