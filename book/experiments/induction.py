"""Induction heads in models of two attention layers: how they form, and what is lost without them.

The chapter is "Induction heads". Sequences of random tokens come twice; the period changes from batch to batch, so that
no fixed distance is right. Controls: a model of one layer, and one whose positions are added to the stream.
"""

import time
from typing import NamedTuple

import record
import torch
from pages import rounded

from solutions.induction_heads import (
    AttentionOnly,
    attention_weights,
    copying_score,
    half_losses,
    induction_score,
    logits_with_input_cut,
    previous_token_score,
    repeated_tokens,
    train_on_repeats,
    without_heads,
)

WHAT = (
    "Loss on the second half of repeated random sequences (nats per token), previous-token and induction score of each "
    "head over the training, and the rise of the loss without each head"
)
WIDTH, HEADS = 64, 4
SHOWN = 10  # the period of the sequence whose attention maps are kept


class Sizes(NamedTuple):
    """How much is asked of a model, and how long it learns."""

    vocabulary: int
    periods: range
    measured: int  # the period of the sequences on which scores and losses are taken
    updates: int
    every: int  # so many updates lie between two looks at the scores


FULL = Sizes(vocabulary=64, periods=range(8, 21), measured=16, updates=1200, every=25)
REDUCED = Sizes(vocabulary=32, periods=range(4, 11), measured=8, updates=600, every=100)
MODELS = {  # name: layers, and whether positions are added to the stream
    "two layers": (2, False),
    "one layer": (1, False),
    "positions in the stream": (2, True),
}


def run(reduced=False):
    seeds, sizes = (1, REDUCED) if reduced else (5, FULL)
    jobs = [(name, seed, sizes) for name in MODELS for seed in range(seeds)]
    found = record.results_of(study, jobs, reduced)
    studies = iter(one for one, _ in found)
    return {
        "vocabulary": sizes.vocabulary,
        "width": WIDTH,
        "heads": HEADS,
        "periods": [sizes.periods[0], sizes.periods[-1]],
        "measured at period": sizes.measured,
        "updates": sizes.updates,
        "models": {name: [next(studies) for _ in range(seeds)] for name in MODELS},
        "seconds": round(sum(seconds for _, seconds in found), 1),  # of one processor, whatever runs beside it
    }


def sequences(sizes, size, period, seed):
    return repeated_tokens(size, period, sizes.vocabulary, torch.Generator().manual_seed(10**6 + seed))


def study(name, seed, sizes):
    """Everything about one model, and the seconds that it took; scores and costs are by layer, then by head."""
    started = time.process_time()
    num_layers, in_stream = MODELS[name]
    torch.manual_seed(seed)
    model = AttentionOnly(sizes.vocabulary, 2 * sizes.periods[-1], WIDTH, HEADS, num_layers, in_stream)
    held = sequences(sizes, 256, sizes.measured, 0)
    curve = {"updates": [], "first half": [], "second half": [], "previous": [], "induction": []}

    def look(step):
        if step % sizes.every and step > 1:
            return
        losses = half_losses(model, held)
        previous, induction = scores(model, held)
        for key, value in zip(curve, (step, *(round(loss, 4) for loss in losses), previous, induction)):
            curve[key].append(value)

    train_on_repeats(model, sizes.periods, sizes.updates, seed=seed, after_step=look)
    found = {
        "curve": curve,
        "copying": [rounded(copying_score(model, layer)) for layer in range(num_layers)],
        "second half by period": {
            period: round(half_losses(model, sequences(sizes, 256, period, period))[1], 4)
            for period in range(4, sizes.periods[-1] + 1)
        },
    }
    if num_layers == 2:
        found |= circuit(model, held, sequences(sizes, 1, SHOWN, 0))
    return found, time.process_time() - started


def scores(model, held):
    """The previous-token score on the first half, where a copy will be looked up, and the induction score."""
    weights, period = attention_weights(model, held), held.shape[1] // 2
    previous = [rounded(previous_token_score(one[..., :period, :period])) for one in weights]
    return previous, [rounded(induction_score(one, period)) for one in weights]


def circuit(model, held, example):
    """What is lost without each head, and which input of layer 1 needs the costliest head of layer 0."""
    losses, weights = half_losses(model, held), attention_weights(model, held)
    places = [(layer, head) for layer in (0, 1) for head in range(HEADS)]

    def cost(*silent):
        """The rise of the loss on both halves, in nats per token."""
        changed = half_losses(without_heads(model, silent), held)
        return {half: round(new - old, 4) for half, new, old in zip(("first half", "second half"), changed, losses)}

    silent = [[cost((layer, head)) for head in range(HEADS)] for layer in (0, 1)]
    first = max(range(HEADS), key=lambda head: silent[0][head]["second half"])
    second = induction_score(weights[1], held.shape[1] // 2).argmax().item()

    def score_without(head):
        """The induction score of the induction head when a head of layer 0 is silent."""
        return scores(without_heads(model, [(0, head)]), held)[1][1][second]

    def cost_of_input(role):
        return half_losses(lambda ids: logits_with_input_cut(model, ids, first, role), held)[1] - losses[1]

    maps = attention_weights(model, example)
    return {
        "first head": first,  # the costliest of layer 0
        "second head": second,  # the one of layer 1 with the highest induction score
        "silent": silent,
        "both silent": cost((0, first), (1, second)),
        "others of layer 0 silent": cost(*(place for place in places[:HEADS] if place != (0, first))),
        "others of layer 1 silent": cost(*(place for place in places[HEADS:] if place != (1, second))),
        "layer 1 silent": cost(*places[HEADS:]),
        "induction score without": [round(score_without(head), 4) for head in range(HEADS)],
        "input cut": {role: round(cost_of_input(role), 4) for role in ("query", "key", "value")},
        "same token": rounded(weights[0].diagonal(-held.shape[1] // 2, -2, -1).mean((0, -1))),
        "maps": {"first head": rounded(maps[0][0, first], 3), "second head": rounded(maps[1][0, second], 3)},
    }


def claims(results):
    """What the chapter says. In the reduced form the heads are half formed, so there the numbers are only compared."""
    two, one, in_stream = (results["models"][name] for name in MODELS)

    def last(run, key="second half"):
        return run["curve"][key][-1]

    def without_first(run):
        return run["silent"][0][run["first head"]]["second half"]

    def without_second(run):
        return run["silent"][1][run["second head"]]["second half"]

    def scores_without(run):
        """The induction score without the first head, and the lowest without another one of layer 0."""
        first = run["first head"]
        found = run["induction score without"]
        return found[first], min(score for head, score in enumerate(found) if head != first)

    found = {
        "with one layer, more than twice as much of the second half is lost as with two": (
            min(map(last, one)) > 2 * max(map(last, two))
        ),
        "the costliest head of layer 0 is the one that looks at the previous token most": all(
            last(run, "previous")[0][run["first head"]] == max(last(run, "previous")[0]) for run in two
        ),
        "it costs more than all others of its layer together": all(
            without_first(run) > run["others of layer 0 silent"]["second half"] for run in two
        ),
        "the best induction head alone costs less than half of what all of layer 1 cost": all(
            without_second(run) < run["layer 1 silent"]["second half"] / 2 for run in two
        ),
        "without the previous-token head the induction score is lower than without any other head of its layer": all(
            score < others for score, others in map(scores_without, two)
        ),
        "the keys need it, more than ten times as much as queries and values": all(
            run["input cut"]["key"] > 10 * max(run["input cut"]["query"], run["input cut"]["value"]) for run in two
        ),
    }
    if results["vocabulary"] != FULL.vocabulary:
        return found

    def first_below(run, limit):
        return next(step for step, loss in zip(run["curve"]["updates"], run["curve"]["second half"]) if loss < limit)

    def looks_at_the_same_token(run):
        return run["same token"][run["first head"]] > 0.9

    def reader(run):
        return max(run["input cut"], key=run["input cut"].get)

    return found | {
        "two layers lose less than 0.1 nats per token, one layer more than 2.5": (
            max(map(last, two)) < 0.1 and min(map(last, one)) > 2.5
        ),
        "from a loss of 3 to one of 1 it takes at most 300 updates": all(
            first_below(run, 1) - first_below(run, 3) <= 300 for run in two
        ),
        "the first head has a previous-token score above 0.95, all of layer 1 an induction score above 0.85": all(
            last(run, "previous")[0][run["first head"]] > 0.95 and min(last(run, "induction")[1]) > 0.85 for run in two
        ),
        "the first head costs more than 1 nat per token, the others of its layer less than 0.2": all(
            without_first(run) > 1 and run["others of layer 0 silent"]["second half"] < 0.2 for run in two
        ),
        "heads of the one layer copy far more often than by chance": all(
            sum(run["copying"][0]) / HEADS > 10 / FULL.vocabulary for run in one
        ),
        "with positions in the stream there is a model whose first head looks at the same token": any(
            map(looks_at_the_same_token, in_stream)
        ),
        "there the queries read the first head, in all other models the keys": all(
            reader(run) == ("query" if looks_at_the_same_token(run) else "key") for run in (*two, *in_stream)
        ),
        "a period of 4 is lost, the periods of the training are not": all(
            run["second half by period"]["4"] > 2
            and max(run["second half by period"][str(period)] for period in FULL.periods) < 0.3
            for run in two
        ),
    }


if __name__ == "__main__":
    record.main(globals())
