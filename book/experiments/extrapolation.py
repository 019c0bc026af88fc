"""Trained on short sequences, tested on long ones: four ways to know positions, and none (chapter "Long context").

The same small decoder learns three tasks, each with pieces of LENGTH positions, and is then tested on pieces LONGEST
long. ``text``: the next character of the course's own text. ``back``: the token BACK positions earlier.
``recall``: the marked token with which the piece began, after ever more noise.
"""

from statistics import mean

import record
import torch
from pages import course_text
from torch.nn import functional as F

from solutions.babygpt import get_batch
from solutions.ladder import split_text
from solutions.long_context import SCHEMES, LongContextModel

WHAT = (
    "Loss (nats per character) or accuracy at every position up to eight times the training length, for learned, "
    "sinusoidal, rotary, ALiBi and no positions, on three tasks, with several seeds"
)
LENGTH, LONGEST = 64, 512
BACK = 5
NOISE, MARKS = 16, 8  # how many tokens of each kind the tasks back and recall have
STEPS = {"text": 400, "back": 300, "recall": 150}
REDUCED_STEPS = {"text": 40, "back": 100, "recall": 90}
TESTED = 24  # pieces, the same for all models
BUCKETS = (16, 32, 64, 96, 128, 192, 256, 384, 512)  # ends of the stretches over which positions are averaged
RATE = 2e-3


def run(reduced=False, corpus=None):
    cases = [(task, scheme) for task in STEPS for scheme in SCHEMES]
    if reduced:
        cases = [("text", "alibi"), ("back", "learned"), ("back", "rope"), ("recall", "none")]
    seeds, steps, longest = (1, REDUCED_STEPS, 256) if reduced else (3, STEPS, LONGEST)
    text = course_text(corpus)
    jobs = [(task, scheme, seed, steps[task], longest, text) for seed in range(seeds) for task, scheme in cases]
    return {
        "length": LENGTH,
        "longest": longest,
        "back": BACK,
        "chance": {"back": 1 / NOISE, "recall": 1 / MARKS},
        "buckets": [end for end in BUCKETS if end <= longest],
        "steps": steps,
        "rows": record.results_of(study, jobs, reduced),
    }


def study(task, scheme, seed, steps, longest, text):
    """One model on one task: for each way to run it on long sequences, a value for each stretch of positions."""
    draw, vocabulary = sampler(task, text)
    torch.manual_seed(seed)
    model = LongContextModel(vocabulary, 64, num_heads=4, num_layers=2, scheme=scheme, max_len=longest)
    generator = torch.Generator().manual_seed(seed)
    fit(model, lambda: draw(LENGTH, 16, generator), steps)
    test = draw(longest, TESTED, torch.Generator().manual_seed(0), held_out=True)
    ways = {"whole past": {}, "window": {"window": LENGTH}}
    if scheme == "rope":
        ways["squeezed"] = {"squeeze": LENGTH / longest}
    curves = {way: score(model, task, *test, **options) for way, options in ways.items()}
    return {"task": task, "scheme": scheme, "seed": seed, "curves": curves}


def fit(model, draw, steps, extra=lambda: 0.0):
    """Train with AdamW; the rate rises for 30 steps and falls in the last third.

    Args:
        model: a `LongContextModel`; changed in place.
        draw: returns ids and targets ``(B, T)``; a target of -1 does not count.
        steps: how many updates.
        extra: called after each forward pass, returns what is added to the loss.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = RATE * min(1, (step + 1) / 30, 3 * (steps - step) / steps)
        ids, targets = draw()
        loss = F.cross_entropy(model(ids).flatten(0, 1), targets.flatten(), ignore_index=-1) + extra()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def sampler(task, text):
    """A function that draws ids and targets ``(B, T)``, and the size of the vocabulary."""
    if task == "text":
        characters, *parts = split_text(text)

        def draw_text(length, size, generator, held_out=False):
            return get_batch(parts[held_out], length, size, generator)

        return draw_text, len(characters)

    def draw(length, size, generator, held_out=False):
        ids = torch.randint(NOISE, (size, length), generator=generator)
        if task == "back":
            targets = ids.roll(BACK, 1)
            targets[:, :BACK] = -1  # nothing stood there: not counted
            return ids, targets
        ids[:, 0] = NOISE + torch.randint(MARKS, (size,), generator=generator)
        return ids, ids[:, :1].expand_as(ids)

    return draw, NOISE + MARKS


@torch.no_grad()
def score(model, task, ids, targets, **options):
    """For each stretch of positions the mean loss (text) or accuracy (the others)."""
    logits = model(ids, **options)
    if task == "text":
        values = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    else:
        values = (logits.argmax(-1) == targets).float()
    ends = [end for end in BUCKETS if end <= ids.shape[1]]
    return [values[:, start:end].mean().item() for start, end in zip((BACK, *ends), ends)]  # back: no answer before


def at(results, task, scheme, way="whole past"):
    """Of every seed: means within the training length and beyond twice it, and the value of the last stretch."""
    rows = [row for row in results["rows"] if (row["task"], row["scheme"]) == (task, scheme)]
    inside = results["buckets"].index(results["length"]) + 1
    beyond = results["buckets"].index(2 * results["length"]) + 1
    curves = [row["curves"][way] for row in rows if way in row["curves"]]
    return [(mean(curve[:inside]), mean(curve[beyond:]), curve[-1]) for curve in curves]


def claims(results):
    def always(test, *which):
        return all(test(*one) for one in at(results, *which))

    holds = {
        "text, ALiBi: the loss far beyond the training length is that within it": always(
            lambda trained, beyond, _: beyond < trained + 0.15, "text", "alibi"
        ),
        "text, ALiBi: hiding all but the training length changes next to nothing": all(
            abs(far[1] - near[1]) < 0.05
            for far, near in zip(at(results, "text", "alibi"), at(results, "text", "alibi", "window"))
        ),
        "recall, no positions: what looks by content alone finds the mark at any distance": always(
            lambda trained, beyond, _: beyond > 0.95, "recall", "none"
        ),
        "recall: a window hides the mark": always(lambda trained, beyond, _: beyond < 0.4, "recall", "none", "window"),
        "back, learned table: beyond its training length it knows next to nothing": always(
            lambda trained, beyond, _: beyond < trained / 2, "back", "learned"
        ),
        "back, RoPE: in a window it answers as well far beyond the training length as within": always(
            lambda trained, beyond, _: beyond > trained - 0.05, "back", "rope", "window"
        ),
    }
    if at(results, "text", "sinusoidal"):  # the reduced form leaves these out
        holds |= {
            "text, learned table: far beyond the training length the loss is higher": always(
                lambda trained, beyond, _: beyond > trained + 0.1, "text", "learned"
            ),
            "text, sinusoidal: far beyond the training length the loss is higher by half a nat or more": always(
                lambda trained, beyond, _: beyond > trained + 0.5, "text", "sinusoidal"
            ),
            "text, RoPE: with the whole past the loss at the end is higher by a nat or more": always(
                lambda trained, beyond, last: last > trained + 1, "text", "rope"
            ),
            "text, RoPE: in a window the loss stays within 0.2": always(
                lambda trained, beyond, last: last < trained + 0.2, "text", "rope", "window"
            ),
            "text: within the training length RoPE has the lowest loss": all(
                max(one[0] for one in at(results, "text", "rope")) < min(one[0] for one in at(results, "text", other))
                for other in SCHEMES
                if other != "rope"
            ),
            "back: learned, sinusoidal and RoPE learn it": all(
                always(lambda trained, *_: trained > 0.9, "back", one) for one in ("learned", "sinusoidal", "rope")
            ),
            "back: without positions and with ALiBi it is not learned": all(
                always(lambda trained, *_: trained < 0.6, "back", one) for one in ("none", "alibi")
            ),
            "recall: all learn it": all(always(lambda trained, *_: trained > 0.95, "recall", one) for one in SCHEMES),
        }
    return holds


if __name__ == "__main__":
    record.main(globals())
