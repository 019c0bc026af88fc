"""What a token costs with and without a cache of keys and values: one step after T tokens, and whole outputs.

The model is the course's Transformer with random weights: what its numbers are makes no difference to the time.
"""

import random
import time
from statistics import median

import record
import torch
from torch import nn

from solutions.decoding import KVCache, beam_search, cached_greedy_decode, greedy_decode, sample_next
from solutions.masks import causal_mask, padding_mask
from solutions.transformer import make_model

WHAT = (
    "Seconds of one thread to choose one more token after T tokens, with the decoder reading all T again or, with a "
    "cache, only the last one, for several T; seconds for a token when whole outputs of several lengths are written, "
    "greedily for a batch and by a beam search; and bytes in the cache."
)
WIDTH, HEADS, LAYERS, VOCABULARY, SOURCE = 256, 4, 4, 1000, 20
LENGTHS = (64, 128, 256, 512, 1024)  # of the text before a step
OUTPUTS = (16, 128)  # tokens of an output
BATCH, BEAM = 8, 4
NEVER = -1  # an end symbol that no model writes: all outputs are equally long


class WithoutSteps:
    """The same model for those who know of no cache: nothing but ``encode``, ``decode`` and ``generator``."""

    def __init__(self, model):
        self.encode, self.decode, self.generator = model.encode, model.decode, model.generator


def greedy(model, src, length):
    """Rows of ids, with a cache where the model has steps."""
    decode = cached_greedy_decode if hasattr(model, "decode_step") else greedy_decode
    return decode(model, src, padding_mask(src), length + 1, eos_id=NEVER).tolist()


def beam(model, src, length):
    """The same, found by a beam search."""
    return beam_search(model, src, padding_mask(src), length + 1, BEAM, eos_id=NEVER)


@torch.no_grad()
def drawn(model, src, length):
    """The same, drawn with one seed."""
    mask, generator = padding_mask(src), torch.Generator().manual_seed(0)
    memory, cache, ids = model.encode(src, mask), KVCache(), src.new_full((len(src), 1), 2)
    for size in range(1, length + 1):
        if hasattr(model, "decode_step"):
            hidden = model.decode_step(memory, mask, ids[:, -1], cache)
        else:
            hidden = model.decode(memory, mask, ids, causal_mask(size))[:, -1]
        new = sample_next(model.generator(hidden), top_k=20, generator=generator)
        ids = torch.cat([ids, new[:, None]], dim=1)
    return ids.tolist()


@torch.no_grad()
def one_step(model, length, cached):
    """Seconds for the choice of the token after ``length`` others: the thread's own, without its waits for a core."""
    memory, mask = torch.randn(1, SOURCE, WIDTH), torch.ones(1, 1, 1, SOURCE, dtype=torch.bool)
    ids, cache = torch.randint(4, VOCABULARY, (1, length)), KVCache()
    for layer in range(2 * LAYERS):  # of the decoder's two kinds of attention in turn
        there = SOURCE if layer % 2 else length - 1
        cache.update(layer, *torch.randn(2, 1, HEADS, there, WIDTH // HEADS))
    started = time.thread_time()
    if cached:
        hidden = model.decode_step(memory, mask, ids[:, -1], cache)
    else:
        hidden = model.decode(memory, mask, ids, causal_mask(length))[:, -1]
    model.generator(hidden).argmax(dim=-1)
    return time.thread_time() - started


def one_output(model, how, length, cached):
    """Seconds for each step of an output of ``length`` tokens, the source's encoding included."""
    src = torch.randint(4, VOCABULARY, (BATCH if how is greedy else 1, SOURCE))
    started = time.thread_time()
    how(model if cached else WithoutSteps(model), src, length)
    return (time.thread_time() - started) / length


def measured(cases, repetitions, function):
    """The seconds of every case, repeated in an order that changes each time; the first round warms up."""
    seconds = {case: [] for case in cases}
    for repetition in range(repetitions + 1):
        random.Random(repetition).shuffle(cases)
        for case in cases:
            taken = function(*case)
            if repetition:
                seconds[case].append(taken)
    return seconds


def slope(lengths, seconds):
    """Of the straight line through the logarithms: 1 where twice the length takes twice as long."""
    x, y = torch.tensor(lengths).double().log(), torch.tensor(seconds).double().log()
    return (((x - x.mean()) * (y - y.mean())).sum() / (x - x.mean()).square().sum()).item()


def same_outputs(model, sources):
    """For each way of decoding whether all outputs are the same with the cache as without."""
    plain = WithoutSteps(model)
    rows = torch.arange(1, SOURCE + 1) <= torch.randint(3, SOURCE + 1, (sources, 1))  # with padding
    src = torch.randint(4, VOCABULARY, (sources, SOURCE)) * rows
    pairs = {"greedy": greedy, "beam": beam, "drawn": drawn}
    return {name: how(model, src, 20) == how(plain, src, 20) for name, how in pairs.items()}


def run(reduced=False):
    """Seconds of every repetition, what a cache holds, and whether the outputs are the same."""
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model = make_model(VOCABULARY, VOCABULARY, LAYERS, WIDTH, 4 * WIDTH, HEADS).eval()
    for parameter in model.generator.parameters():
        nn.init.normal_(parameter)  # so that outputs are no repetitions of one token
    lengths, outputs, repetitions = ((64, 256, 1024), (8, 64), 3) if reduced else (LENGTHS, OUTPUTS, 15)
    steps = measured(
        [(length, cached) for length in lengths for cached in (False, True)],
        repetitions,
        lambda length, cached: one_step(model, length, cached),
    )
    ways = {"greedy": greedy, "beam": beam}
    written = measured(
        [(how, length, cached) for how in ways for length in outputs for cached in (False, True)],
        1 if reduced else 3,
        lambda how, length, cached: one_output(model, ways[how], length, cached),
    )
    same = same_outputs(model, 4 if reduced else 16)
    torch.set_num_threads(threads)
    medians = {cached: [median(steps[length, cached]) for length in lengths] for cached in (False, True)}
    return {
        "width": WIDTH,
        "heads": HEADS,
        "layers": LAYERS,
        "source": SOURCE,
        "batch": BATCH,
        "beam size": BEAM,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "rows": [{"length": case[0], "cached": case[1], "seconds": steps[case]} for case in sorted(steps)],
        "outputs": [
            {"how": how, "length": length, "cached": cached, "seconds": written[how, length, cached]}
            for how, length, cached in sorted(written)
        ],
        "slopes": {"without": slope(lengths, medians[False]), "with": slope(lengths, medians[True])},
        "bytes per token": 2 * LAYERS * WIDTH * 4,  # keys and values of all self-attentions, float32
        "bytes per source token": 2 * LAYERS * WIDTH * 4,  # of all cross-attentions, once
        "same outputs": same,
    }


def claims(results):
    times = {(row["length"], row["cached"]): row["seconds"] for row in results["rows"]}
    lengths = sorted({length for length, _ in times})
    longest = lengths[-1]
    # Of the fastest repetitions: what else the machine does can only make one slower.
    slopes = {cached: slope(lengths, [min(times[length, cached]) for length in lengths]) for cached in (False, True)}
    outputs = {(row["how"], row["length"], row["cached"]): min(row["seconds"]) for row in results["outputs"]}
    last = max(length for _, length, _ in outputs)
    return {
        "greedily, drawn and by a beam search, outputs with a cache are those without it": all(
            results["same outputs"].values()
        ),
        "at the longest text every step with a cache is faster than every step without": (
            max(times[longest, True]) < min(times[longest, False])
        ),
        "without a cache the cost of a step grows about as fast as the text, or faster (slope above 0.7)": (
            slopes[False] > 0.7
        ),
        "with a cache it grows far more slowly (slope below 0.5)": slopes[True] < 0.5,
        "the longest outputs cost less than half as much for a token with a cache, greedily and with a beam": all(
            outputs[how, last, True] < outputs[how, last, False] / 2 for how in ("greedy", "beam")
        ),
    }


if __name__ == "__main__":
    record.main(globals())
