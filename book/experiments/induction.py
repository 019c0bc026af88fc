"""Induction heads in models of two attention layers: how they form, and what is lost without them.

The chapter is "Induction heads". Sequences of random tokens come twice; the period changes from batch to batch, so that
no fixed distance is right. Controls: a model of one layer, and one whose positions are added to the stream.
"""

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
VOCAB, WIDTH, HEADS, PERIODS = 64, 64, 4, range(8, 21)
MEASURED = 16  # the period of the sequences on which scores and losses are taken
OTHERS = range(4, PERIODS[-1] + 1)  # periods for which the trained model is measured once more
SHOWN = 10  # the period of the sequence whose attention maps are kept
MODELS = {  # name: layers, and whether positions are added to the stream
    "two layers": (2, False),
    "one layer": (1, False),
    "positions in the stream": (2, True),
}


def run(reduced=False):
    seeds, steps, every = (1, 500, 100) if reduced else (5, 1200, 25)
    jobs = [(name, seed, steps, every) for name in MODELS for seed in range(seeds)]
    found = iter(record.results_of(study, jobs, reduced))
    return {
        "vocabulary": VOCAB,
        "width": WIDTH,
        "heads": HEADS,
        "periods": [PERIODS[0], PERIODS[-1]],
        "measured at period": MEASURED,
        "updates": steps,
        "models": {name: [next(found) for _ in range(seeds)] for name in MODELS},
    }


def sequences(size, period, seed):
    return repeated_tokens(size, period, VOCAB, torch.Generator().manual_seed(10**6 + seed))


def study(name, seed, steps, every):
    """Everything about one model; scores and costs are by layer, then by head."""
    num_layers, in_stream = MODELS[name]
    torch.manual_seed(seed)
    model = AttentionOnly(VOCAB, 2 * PERIODS[-1], WIDTH, HEADS, num_layers, in_stream)
    held = sequences(256, MEASURED, 0)
    curve = {"updates": [], "first half": [], "second half": [], "previous": [], "induction": []}

    def look(step):
        if step % every and step > 1:
            return
        losses = half_losses(model, held)
        previous, induction = scores(model, held)
        for key, value in zip(curve, (step, *(round(loss, 4) for loss in losses), previous, induction)):
            curve[key].append(value)

    train_on_repeats(model, PERIODS, steps, seed=seed, after_step=look)
    found = {
        "curve": curve,
        "copying": [rounded(copying_score(model, layer)) for layer in range(num_layers)],
        "second half by period": {
            period: round(half_losses(model, sequences(256, period, period))[1], 4) for period in OTHERS
        },
    }
    return found | (circuit(model, held) if num_layers == 2 else {})


def scores(model, held):
    """The previous-token score on the first half, where a copy will be looked up, and the induction score."""
    weights = attention_weights(model, held)
    previous = [rounded(previous_token_score(one[..., :MEASURED, :MEASURED])) for one in weights]
    return previous, [rounded(induction_score(one, MEASURED)) for one in weights]


def circuit(model, held):
    """What is lost without each head, and which input of layer 1 needs the costliest head of layer 0."""
    losses = half_losses(model, held)
    places = [(layer, head) for layer in (0, 1) for head in range(HEADS)]

    def cost(*silent):
        """The rise of the loss on both halves, in nats per token."""
        changed = half_losses(without_heads(model, silent), held)
        return {half: round(new - old, 4) for half, new, old in zip(("first half", "second half"), changed, losses)}

    silent = [[cost((layer, head)) for head in range(HEADS)] for layer in (0, 1)]
    first = max(range(HEADS), key=lambda head: silent[0][head]["second half"])
    second = induction_score(attention_weights(model, held)[1], MEASURED).argmax().item()

    def score_without(head):
        """The induction score of the induction head when a head of layer 0 is silent."""
        return scores(without_heads(model, [(0, head)]), held)[1][1][second]

    def cost_of_input(role):
        return half_losses(lambda ids: logits_with_input_cut(model, ids, first, role), held)[1] - losses[1]

    weights = attention_weights(model, held)[0]
    maps = attention_weights(model, sequences(1, SHOWN, 0))
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
        "same token": rounded(weights.diagonal(-MEASURED, -2, -1).mean((0, -1))),
        "maps": {"first head": rounded(maps[0][0, first], 3), "second head": rounded(maps[1][0, second], 3)},
    }


def claims(results):
    return {}


if __name__ == "__main__":
    record.main(globals())
