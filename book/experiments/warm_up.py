"""What a warm-up does to pre-norm and to post-norm, at several heights of the schedule.

The small language models of ``pre_post_norm.py``, trained by the course's AdamW along the course's
schedule, with its rise and without it: then the rate is at its peak from the first step on, and falls along the same
curve from step WARMUP. Everything else is the same.
"""

import record
import torch
from pages import course_text
from pre_post_norm import BATCH, LAYERS, LENGTH, WIDTH, Model, batch, encode, loss_of
from torch.optim.lr_scheduler import LambdaLR

from solutions.data import jargon
from solutions.optim import AdamW, noam_lr, noam_scheduler

WHAT = (
    "Held-out loss (nats per character) of small language models with pre-norm and post-norm, trained along the "
    "schedule of the 2017 paper with and without its warm-up, for several peaks of the learning rate."
)
WARMUP, STEPS = 50, 150
PEAKS = (3e-3, 1e-2, 3e-2)
NORMS = ("pre", "post")
EVERY = 10  # steps whose training losses are averaged for the curves


def train(data, norm, peak, warm_up, seed, steps):
    """The loss on held-out text at the end, and training losses, each the mean of EVERY steps."""
    training, validation, vocabulary = data
    torch.manual_seed(seed)
    model = Model(vocabulary, norm)
    optimizer = AdamW(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0)
    factor = peak / noam_lr(WARMUP, WIDTH, WARMUP)
    if warm_up:
        scheduler = noam_scheduler(optimizer, WIDTH, WARMUP, factor)
    else:
        scheduler = LambdaLR(optimizer, lambda done: noam_lr(max(done + 1, WARMUP), WIDTH, WARMUP, factor))
    generator = torch.Generator().manual_seed(seed)
    losses = []
    for _ in range(steps):
        loss = loss_of(model, batch(training, generator, BATCH))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    held_out = batch(validation, torch.Generator().manual_seed(0), 64)  # the same for all
    with torch.no_grad():
        final = loss_of(model, held_out).item()
    return final, torch.tensor(losses).view(-1, EVERY).mean(-1).tolist()


def run(reduced=False, corpus=None):
    """Final losses and curves for every norm, peak and seed, with and without warm-up."""
    # The reduced form must not depend on the text of the chapters, which changes with every edit.
    data = encode(jargon()[:200_000] if reduced else course_text(corpus))
    cases = [("pre", 3e-2), ("post", 1e-2)] if reduced else [(norm, peak) for norm in NORMS for peak in PEAKS]
    seeds, steps = (1, 90) if reduced else (5, STEPS)
    rows = []
    for norm, peak in cases:
        for warm_up in (False, True):
            finals, curves = zip(*(train(data, norm, peak, warm_up, seed, steps) for seed in range(seeds)))
            final = record.spread(list(finals))
            rows.append({"norm": norm, "peak": peak, "warm_up": warm_up, "final": final, "curves": list(curves)})
    shares = torch.bincount(data[0]) / len(data[0])
    return {
        "layers": LAYERS,
        "width": WIDTH,
        "length": LENGTH,
        "warmup": WARMUP,
        "steps": steps,
        "every": EVERY,
        "characters": len(data[0]) + len(data[1]),
        "frequencies alone": torch.special.entr(shares).sum().item(),  # the loss of knowing nothing but these
        "rows": rows,
    }


def row(results, norm, peak, warm_up):
    """One row, or ``None``: the reduced form leaves some out."""
    found = [one for one in results["rows"] if (one["norm"], one["peak"], one["warm_up"]) == (norm, peak, warm_up)]
    return found[0] if found else None


def values(results, *which):
    return row(results, *which)["final"]["values"]


def pairs(results, norm, peak):
    """For every seed the final loss with warm-up and without it."""
    return zip(values(results, norm, peak, True), values(results, norm, peak, False))


def lower_with_warm_up(results, norm, peak):
    return all(warm < cold for warm, cold in pairs(results, norm, peak))


def stuck(results, norm, peak, warm_up):
    """How many seeds end near the loss of knowing nothing but how frequent each character is."""
    return sum(value > results["frequencies alone"] - 0.15 for value in values(results, norm, peak, warm_up))


def claims(results):
    holds = {
        "post-norm at the middle peak: with warm-up it ends below itself without it, with every seed": (
            lower_with_warm_up(results, "post", 1e-2)
        ),
        "post-norm at the middle peak without warm-up learns no more than frequencies, with most seeds": (
            2 * stuck(results, "post", 1e-2, False) > len(values(results, "post", 1e-2, False))
        ),
    }
    if row(results, "pre", 3e-3, True):
        holds["pre-norm at the highest peak: with warm-up it ends below itself without it, with every seed"] = (
            lower_with_warm_up(results, "pre", 3e-2)
        )
        holds["post-norm at the middle peak with warm-up learns more than frequencies, with every seed"] = (
            stuck(results, "post", 1e-2, True) == 0
        )
        holds["at the lowest peak both norms end higher with warm-up than without it, with every seed"] = not any(
            warm < cold for norm in NORMS for warm, cold in pairs(results, norm, 3e-3)
        )
        holds[
            "pre-norm learns more than frequencies at every peak, with and without warm-up, with every seed"
        ] = not any(stuck(results, "pre", peak, warm_up) for peak in PEAKS for warm_up in (False, True))
        holds["post-norm at the highest peak ends above pre-norm, with and without warm-up, with every seed"] = all(
            min(values(results, "post", 3e-2, warm_up)) > max(values(results, "pre", 3e-2, warm_up))
            for warm_up in (False, True)
        )
    return holds


if __name__ == "__main__":
    record.main(globals())
