"""What a token costs with and without a cache of keys and values, by the number of tokens before it.

A decoder-only model of the size of a small GPT, with random weights: what its numbers are makes no difference to the
time. Each measurement is one step, the choice of one further token.
"""

import random
import time

import record
import torch
from torch import nn

from solutions.attention import scaled_dot_product_attention
from solutions.decoding import KVCache
from solutions.multihead import merge_heads, split_heads

WHAT = (
    "Seconds on one thread to choose one more token after T tokens, reading all T again or, with a cache, only the "
    "last one, for several T; and bytes in the cache."
)
WIDTH, HEADS, LAYERS, VOCABULARY = 256, 4, 4, 1000
LENGTHS = (64, 128, 256, 512, 1024)


class Block(nn.Module):
    """A pre-norm block whose attention can go on from a cache."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.to_qkv, self.to_out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.network = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x, cache):
        """``x`` ``(B, T_new, d)``: the positions that the cache does not hold yet."""
        q, k, v = (split_heads(part, HEADS) for part in self.to_qkv(self.norm_1(x)).chunk(3, dim=-1))
        k, v = cache.update(self.layer, k, v)
        length, new = k.shape[-2], q.shape[-2]
        mask = torch.arange(length) <= torch.arange(length - new, length)[:, None]  # causal: the rows of the new ones
        heads, _ = scaled_dot_product_attention(q, k, v, mask)
        x = x + self.to_out(merge_heads(heads))
        return x + self.network(self.norm_2(x))


class Decoder(nn.Module):
    """Token and position vectors, blocks, scores of the next token."""

    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(2 * max(LENGTHS), WIDTH)
        self.blocks = nn.ModuleList(Block(layer) for layer in range(LAYERS))
        self.norm, self.to_logits = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

    def forward(self, new, cache):
        """Logits ``(B, V)`` after the last of the ids ``(B, T_new)``, which follow what the cache holds."""
        places = torch.arange(cache.length, cache.length + new.shape[1])
        x = self.tokens(new) + self.positions(places)
        for block in self.blocks:
            x = block(x, cache)
        return self.to_logits(self.norm(x[:, -1]))


@torch.no_grad()
def write(model, prompt, count, cached):
    """The prompt ``(B, T)`` and ``count`` tokens more, always the most likely one."""
    ids, cache = prompt, KVCache()
    new = ids
    for _ in range(count):
        logits = model(new, cache) if cached else model(ids, KVCache())
        new = logits.argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, new], dim=1)
    return ids


@torch.no_grad()
def one_step(model, length, cached):
    """Seconds for the choice of the token after ``length`` others: the thread's own, without its waits for a core."""
    ids = torch.randint(VOCABULARY, (1, length))
    cache = KVCache()
    if cached:
        model(ids[:, :-1], cache)
    started = time.thread_time()
    model(ids[:, -1:] if cached else ids, cache)
    return time.thread_time() - started


def slope(lengths, seconds):
    """Of the straight line through the logarithms: 1 where twice the length takes twice as long."""
    x, y = torch.tensor(lengths).double().log(), torch.tensor(seconds).double().log()
    return (((x - x.mean()) * (y - y.mean())).sum() / (x - x.mean()).square().sum()).item()


def median(values):
    return torch.tensor(values).median().item()


def run(reduced=False):
    """Seconds of every repetition, in an order that changes each time, and what a cache holds."""
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model = Decoder().eval()
    lengths, repetitions = ((64, 256, 1024), 5) if reduced else (LENGTHS, 15)
    cases = [(length, cached) for length in lengths for cached in (False, True)]
    seconds = {case: [] for case in cases}
    for repetition in range(repetitions + 1):
        random.Random(repetition).shuffle(cases)
        for case in cases:
            taken = one_step(model, *case)
            if repetition:  # the first round warms up
                seconds[case].append(taken)
    prompt = torch.randint(VOCABULARY, (2, 5))
    same = torch.equal(write(model, prompt, 20, True), write(model, prompt, 20, False))
    torch.set_num_threads(threads)
    rows = [
        {"length": length, "cached": cached, "seconds": seconds[length, cached]} for length, cached in sorted(cases)
    ]
    medians = {cached: [median(seconds[length, cached]) for length in lengths] for cached in (False, True)}
    return {
        "width": WIDTH,
        "heads": HEADS,
        "layers": LAYERS,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "rows": rows,
        "slopes": {"without": slope(lengths, medians[False]), "with": slope(lengths, medians[True])},
        "bytes per token": 2 * LAYERS * WIDTH * 4,  # keys and values, all layers, float32
        "same text": same,
    }


def claims(results):
    times = {(row["length"], row["cached"]): row["seconds"] for row in results["rows"]}
    lengths = sorted({length for length, _ in times})
    longest = lengths[-1]
    # Of the fastest repetitions: what else the machine does can only make one slower.
    slopes = {cached: slope(lengths, [min(times[length, cached]) for length in lengths]) for cached in (False, True)}
    return {
        "with a cache and without it the text is the same": results["same text"],
        "at the longest text every step with a cache is faster than every step without": (
            max(times[longest, True]) < min(times[longest, False])
        ),
        "without a cache the cost of a step grows about as fast as the text, or faster (slope above 0.7)": (
            slopes[False] > 0.7
        ),
        "with a cache it grows far more slowly (slope below 0.5)": slopes[True] < 0.5,
    }


if __name__ == "__main__":
    record.main(globals())
