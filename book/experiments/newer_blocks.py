"""RMSNorm, SwiGLU and a mixture of experts in the same small language model (chapter "Long context")."""

import time
from functools import partial
from statistics import mean

import record
import torch
from extrapolation import fit
from pages import course_text
from torch import nn
from torch.nn import functional as F

from solutions.babygpt import get_batch
from solutions.ladder import split_text
from solutions.long_context import (
    LongContextModel,
    MixtureOfExperts,
    RMSNorm,
    SwiGLU,
    balance_loss,
    expert_loads,
    two_layers,
)

WHAT = (
    "Held-out loss (nats per character), parameters and training seconds of small language models that differ in one "
    "part: RMSNorm, SwiGLU, a wider layer, or a mixture of experts with and without a balance loss, with several seeds"
)
LENGTH, WIDTH = 64, 48
EXPERTS = 4
BALANCE = 0.01  # the factor of the balance loss


def wide(d_model):
    """As many parameters as all experts together."""
    inside = 4 * EXPERTS * d_model
    return nn.Sequential(nn.Linear(d_model, inside), nn.ReLU(), nn.Linear(inside, d_model))


def swiglu(d_model):
    return SwiGLU(d_model, 8 * d_model // 3)


def mixture(d_model):
    return MixtureOfExperts([two_layers(d_model) for _ in range(EXPERTS)], d_model)


ARMS: dict[str, dict] = {
    "LayerNorm, ReLU": {},
    "RMSNorm": {"norm": RMSNorm},
    "SwiGLU": {"feed_forward": swiglu},
    "four times as wide": {"feed_forward": wide},
    "mixture": {"feed_forward": mixture},
    "mixture, balanced": {"feed_forward": mixture},
}


def run(reduced=False, corpus=None):
    seeds, steps = (1, 25) if reduced else (3, 300)
    jobs = [(arm, seed, steps, course_text(corpus)) for seed in range(seeds) for arm in ARMS]
    return {"experts": EXPERTS, "width": WIDTH, "steps": steps, "rows": record.results_of(study, jobs, reduced)}


def study(arm, seed, steps, text):
    characters, training, validation = split_text(text)
    torch.manual_seed(seed)
    model = LongContextModel(len(characters), WIDTH, num_heads=4, num_layers=2, scheme="rope", **ARMS[arm])
    routed = watch(model)

    def extra():
        balance = sum(balance_loss(*choice) for choice in routed) if arm == "mixture, balanced" else 0.0
        routed.clear()
        return BALANCE * balance

    generator = torch.Generator().manual_seed(seed)
    started = time.perf_counter()
    fit(model, lambda: get_batch(training, LENGTH, 12, generator), steps, extra)
    seconds = time.perf_counter() - started
    pieces = validation.unfold(0, LENGTH + 1, LENGTH)
    with torch.no_grad():
        held_out = F.cross_entropy(model(pieces[:, :-1]).flatten(0, 1), pieces[:, 1:].flatten()).item()
    return {
        "arm": arm,
        "seed": seed,
        "loss": held_out,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "seconds": seconds,
        "loads": [sorted(expert_loads(chosen, EXPERTS).tolist(), reverse=True) for _, chosen in routed],
    }


def watch(model):
    """A list to which every call of `route` of a mixture in the model is added."""
    routed = []

    def route(layer, x):
        routed.append(MixtureOfExperts.route(layer, x))
        return routed[-1]

    for layer in model.feed_forward:
        if isinstance(layer, MixtureOfExperts):
            layer.route = partial(route, layer)
    return routed


def of(results, arm, what):
    """One number of every seed."""
    return [row[what] for row in results["rows"] if row["arm"] == arm]


def claims(results):
    base = of(results, "LayerNorm, ReLU", "parameters")[0]
    busiest, balanced = (
        [max(load[0] for load in loads) for loads in of(results, arm, "loads")]
        for arm in ("mixture", "mixture, balanced")
    )
    holds = {
        "the balance loss makes the busiest expert's share smaller, with every seed": all(
            with_loss < without for with_loss, without in zip(balanced, busiest)
        ),
        "SwiGLU has as many parameters, within 1 %": abs(of(results, "SwiGLU", "parameters")[0] / base - 1) < 0.01,
        "the mixture has as many parameters as the layer four times as wide, within 1 %": abs(
            of(results, "mixture", "parameters")[0] / of(results, "four times as wide", "parameters")[0] - 1
        )
        < 0.01,
    }
    if results["steps"] > 100:  # the reduced form learns too little to compare losses
        losses = {arm: of(results, arm, "loss") for arm in ARMS}
        for arm in ("RMSNorm", "SwiGLU"):
            holds[f"{arm} ends within 0.03 of the first model on average"] = (
                abs(mean(losses[arm]) - mean(losses["LayerNorm, ReLU"])) < 0.03
            )
        holds["the layer four times as wide ends lowest, with every seed"] = all(
            min(values) == losses["four times as wide"][seed] for seed, values in enumerate(zip(*losses.values()))
        )
        holds["the mixture ends no lower than 0.03 below the first model, on average"] = (
            mean(losses["mixture"]) > mean(losses["LayerNorm, ReLU"]) - 0.03
        )
    return holds


if __name__ == "__main__":
    record.main(globals())
