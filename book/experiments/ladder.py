"""The ladder of BabyGPT: ten models, from a bigram table to BabyGPT, trained alike on the course's own text."""

import record
import torch
from pages import course_text

from solutions.babygpt import generate
from solutions.ladder import RUNGS, LadderModel, held_out_loss, rung, split_text, train

WHAT = (
    "Held-out loss (nats per character) of the ten steps from a bigram model to BabyGPT, trained alike on the course's "
    "own text, with parameters, learning curves and samples"
)
SIZES = {"block_size": 32, "n_embed": 32}
PROMPT = "The "


def run(reduced=False, corpus=None):
    seeds, steps, every = (1, 120, 40) if reduced else (3, 500, 100)
    text = course_text(corpus)
    jobs = [(text, name, seed, steps, every) for name in RUNGS for seed in range(seeds)]
    runs = record.results_of(train_one, jobs, reduced)
    characters, training, validation = split_text(text)
    return {
        **SIZES,
        "steps": steps,
        "batch_size": 16,
        "learning_rate": 3e-3,
        "characters": {"training": len(training), "held out": len(validation), "different": len(characters)},
        "rungs": {name: summary([one for one in runs if one["name"] == name]) for name in RUNGS},
    }


def train_one(text, name, seed, steps, every):
    """One model of one step of the ladder, with one seed."""
    characters, training, validation = split_text(text)
    torch.manual_seed(seed)
    model = LadderModel(rung(name, len(characters), **SIZES))
    curve = [[0, held_out_loss(model, validation)]]

    def look(step):
        if step % every == 0:
            curve.append([step, held_out_loss(model, validation)])

    losses = train(model, training, steps, seed=seed, after_step=look)
    prompt = torch.tensor([[characters.index(letter) for letter in PROMPT]])
    ids = generate(model, prompt, 120, generator=torch.Generator().manual_seed(0))[0]
    return {
        "name": name,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "training": sum(losses[-every:]) / every,
        "curve": curve,
        "sample": "".join(characters[index] for index in ids.tolist()),
    }


def summary(runs):
    """The runs of one step, all seeds together."""
    return {
        "parameters": runs[0]["parameters"],
        "held out": record.spread([one["curve"][-1][1] for one in runs]),
        "training": record.spread([one["training"] for one in runs]),
        "curves": [one["curve"] for one in runs],
        "sample": runs[0]["sample"],
    }


def claims(results):
    loss = {name: one["held out"]["mean"] for name, one in results["rungs"].items()}
    return {
        "position vectors alone do not help a bigram model (v2 is not better than v1 by 0.05)": loss["v2"]
        > loss["v1"] - 0.05,
        "three blocks without shortcuts are worse than one without them (v6 above v5)": loss["v6"] > loss["v5"],
        "shortcuts make three blocks better than one (v7 below v5)": loss["v7"] < loss["v5"],
        "shortcuts are the largest step of all (v6 to v7)": loss["v6"] - loss["v7"]
        == max(loss[one] - loss[next_] for one, next_ in zip(list(loss), list(loss)[1:])),
        "attention without a shortcut is no great gain on a bigram model (v3, v4 not below v1 by 0.1)": min(
            loss["v3"], loss["v4"]
        )
        > loss["v1"] - 0.1,
        "three blocks without shortcuts are the worst of all (v6)": loss["v6"] == max(loss.values()),
        "the last two steps, layer normalisation and dropout, do not pay (v10 not below v8 by 0.05)": loss["v10"]
        > loss["v8"] - 0.05,
    }


if __name__ == "__main__":
    record.main(globals())
