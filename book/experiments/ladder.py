"""The ladder of BabyGPT: ten models, from a bigram table to BabyGPT, trained alike on the Jargon File."""

import hashlib
import json
from functools import partial
from itertools import pairwise
from time import process_time

import record
import torch
from pages import course_text

from solutions.babygpt import generate
from solutions.data import jargon
from solutions.ladder import RUNGS, LadderModel, held_out_loss, rung, split_text, train

WHAT = (
    "Validation loss (nats per character) of the ten steps from a bigram model to BabyGPT, trained alike on the Jargon "
    "File for few and for many updates, each with a learning rate tuned for it, with parameters, learning curves and "
    "samples; and of the last two steps on a twentieth of the text"
)
AT_MOST_SECONDS = 2 * 3600  # of one core. Each run is kept as it ends: interrupt it, and it goes on the next time
SIZES = {"block_size": 32, "n_embed": 64}
BATCH = 16
TRIALS = {500: (500, (3e-3, 1e-2, 3e-2)), 5000: (1000, (3e-3, 1e-2))}  # how the rates for so many were tuned
TUNING_SEED = 1000  # no reported run has it
SHORT, SHORT_UPDATES = 20, 2000  # the short text is one part in so many
WATCHED = 10_000  # a learning curve is of the first characters of the held-out text; the losses are of all of it
PROMPT = "hacker: "
SAMPLE = 200  # characters, of models with as many updates at least
JOURNAL = record.FOLDER.parent.parent / "_build" / "experiments" / "ladder.jsonl"


def run(reduced=False, corpus=None):
    torch.set_num_threads(1)
    text = course_text(corpus) if corpus else jargon()
    text = text[:40_000] if reduced else text
    seeds, short, trials = (1, 10, {10: (1, (1e-2,)), 60: (1, (1e-2,))}) if reduced else (5, SHORT_UPDATES, TRIALS)
    one = partial(train_one, split_text(text)) if reduced or corpus else Journal(text)
    tuned = {steps: {name: tune(one, name, *trials[steps]) for name in RUNGS} for steps in trials}

    few, many = tuned
    runs: dict[int | str, list[dict]] = {few: [], many: [], "short": []}
    order = [(few, seed) for seed in range(seeds)]  # what takes longest comes last, seed by seed
    order += [(length, seed) for seed in range(seeds) for length in (many, "short")]
    try:
        for length, seed in order:
            if length == "short":
                found = {name: one(name, seed, short, 1e-2, SHORT) for name in ("v9", "v10")}
            else:
                found = {name: one(name, seed, length, tuned[length][name]["rate"]) for name in RUNGS}
            runs[length].append(found)
    except KeyboardInterrupt:  # what is finished is recorded
        if not all(runs.values()):
            raise
    return {
        **SIZES,
        "updates": [str(steps) for steps in trials],
        "batch_size": BATCH,
        "tuning": {str(steps): {"updates": trials[steps][0], **tuned[steps]} for steps in trials},
        "characters": characters_of(text),
        "rungs": {name: {str(steps): summary(runs[steps], name) for steps in trials} for name in RUNGS},
        "short": {"part": SHORT, "updates": short, **{name: summary(runs["short"], name) for name in ("v9", "v10")}},
        **({"seconds": one.seconds()} if isinstance(one, Journal) else {}),
    }


def characters_of(text):
    """How many characters there are to learn from and held out, and how many different ones."""
    characters, training, validation = split_text(text)
    return {"training": len(training), "held out": len(validation), "different": len(characters)}


def tune(one, name, updates, rates):
    """The validation loss of one step of the ladder with each learning rate, and the rate of the lowest."""
    losses = [one(name, TUNING_SEED, updates, rate)["held out"] for rate in rates]
    return {"rate": rates[losses.index(min(losses))], "rates": list(rates), "losses": losses}


def train_one(split, name, seed, updates, rate, part=1):
    """One model of one step of the ladder; ``part``: it learns from one part in so many of the text."""
    characters, training, validation = split
    started, every = process_time(), max(updates // 10, 1)
    torch.manual_seed(seed)
    model = LadderModel(rung(name, len(characters), **SIZES))
    curve = []

    def look(step):
        if step % every == 0:
            curve.append([step, held_out_loss(model, validation[:WATCHED])])

    look(0)
    data = training[: len(training) // part]
    losses = train(model, data, updates, BATCH, rate, seed, look, decay=True)
    prompt = torch.tensor([[characters.index(letter) for letter in PROMPT]])
    ids = generate(model, prompt, min(SAMPLE, updates), 0.8, torch.Generator().manual_seed(0))[0]
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "held out": held_out_loss(model, validation),
        "training": sum(losses[-every:]) / every,
        "curve": curve,
        "sample": "".join(characters[index] for index in ids.tolist()),
        "seconds": process_time() - started,
    }


class Journal:
    """`train_one`, whose results are kept in a file, one on a line, as they come; what is there is not run again."""

    def __init__(self, text):
        self.split = split_text(text)
        self.text = hashlib.sha256(text.encode()).hexdigest()
        self.used: list[dict] = []
        JOURNAL.parent.mkdir(parents=True, exist_ok=True)
        lines = JOURNAL.read_text(encoding="utf-8").splitlines(keepends=True) if JOURNAL.exists() else []
        lines = [line for line in lines if line.endswith("\n")]  # the last one may have been cut off
        JOURNAL.write_text("".join(lines), encoding="utf-8")
        self.known = dict(map(json.loads, lines))

    def __call__(self, *arguments):
        key = json.dumps([self.text, SIZES, BATCH, *arguments])
        if key not in self.known:
            self.known[key] = train_one(self.split, *arguments)
            with JOURNAL.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, self.known[key]]) + "\n")
            print(*arguments, f"{self.known[key]['held out']:.3f}", flush=True)
        self.used.append(self.known[key])
        return self.known[key]

    def seconds(self):
        """Processor time of all runs that were asked for."""
        return round(sum(result["seconds"] for result in self.used), 1)


def summary(runs, name):
    """The runs of one step of the ladder with one number of updates, all seeds together."""
    runs = [one[name] for one in runs]
    return {
        "parameters": runs[0]["parameters"],
        "held out": record.spread([one["held out"] for one in runs]),
        "training": record.spread([one["training"] for one in runs]),
        "curves": [one["curve"] for one in runs],
        "sample": runs[0]["sample"],
    }


def claims(results):
    few, many = results["updates"]

    def loss(name, steps=many, what="held out"):
        return results["rungs"][name][steps][what]["mean"]

    falls = {after: loss(before) - loss(after) for before, after in pairwise(RUNGS)}
    found = {
        "position vectors alone do not help a bigram model (v2 not below v1 by 0.05)": falls["v2"] < 0.05,
        "three blocks without shortcuts are the worst of all (v6)": max(RUNGS, key=loss) == "v6",
        "shortcuts are the largest step of all (v6 to v7)": max(falls, key=falls.get) == "v7",
        "more updates lower the loss of every step but v6": all(
            loss(name) < loss(name, few) for name in RUNGS if name != "v6"
        ),
    }
    if int(many) < 5000:
        return found
    short = results["short"]
    largest = {name: results["tuning"][few][name]["losses"][-1] for name in RUNGS}
    return found | {
        "after few updates one head hardly beats a table of pairs (v3 not below v1 by 0.1)": loss("v1", few)
        - loss("v3", few)
        < 0.1,
        "after many updates one head does, four do better, and a feed-forward network helps them (by 0.1 each)": min(
            falls[name] for name in ("v3", "v4", "v5")
        )
        > 0.1,
        "three blocks with shortcuts beat one block (v7 below v5 by 0.1)": loss("v5") - loss("v7") > 0.1,
        "only the shortcuts are worth more than the longer training of the finished model": loss("v10", few)
        - loss("v10")
        > max(fall for name, fall in falls.items() if name != "v7"),
        "v6 stays where it was after few updates (within 0.1)": abs(loss("v6", few) - loss("v6")) < 0.1,
        "each of the last three steps changes the loss by less than 0.15": max(
            abs(falls[name]) for name in ("v8", "v9", "v10")
        )
        < 0.15,
        "with the largest rate v7 and v8 diverge (above 10), v9 and v10 do not (below 3)": min(
            largest["v7"], largest["v8"]
        )
        > 10
        and max(largest["v9"], largest["v10"]) < 3,
        "v9 has not learned its text by heart (training loss within 0.1 of the held-out loss)": abs(
            loss("v9") - loss("v9", what="training")
        )
        < 0.1,
        "on a short text it has (training loss lower by 0.3), and dropout lowers the held-out loss": short["v9"][
            "held out"
        ]["mean"]
        - short["v9"]["training"]["mean"]
        > 0.3
        and short["v10"]["held out"]["mean"] < short["v9"]["held out"]["mean"],
    }


if __name__ == "__main__":
    record.main(globals())
