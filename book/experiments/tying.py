"""One table or three, and how its rows start: a small translator trained four ways, three times each.

`make_model` starts every matrix Xavier-uniform. The rows of an embedding are then short: with V rows of d numbers their
entries have the variance 2 / (V + d), which is small where V is large. The other start draws them from N(0, 1 / d), so
that after the factor of sqrt(d) they are as large as the positional encoding that is added to them. All else is equal:
sizes, pairs, batches, schedule, seeds.
"""

import dataclasses

import record
from record import spread

from solutions import translation
from solutions.translator.checkpoints import build_model
from solutions.translator.config import TranslationConfig
from solutions.translator.data import load_pairs
from solutions.translator.tokenizers import LibraryBPE
from solutions.translator.trainer import train

WHAT = (
    "BLEU and test loss (nats per target token) of a small translator on the grammar with one table for source, "
    "target and output (tied) or three, whose rows start Xavier-uniform or from N(0, 1/d), over three seeds."
)
CONFIG = TranslationConfig(
    vocab_size=800, num_layers=2, d_model=64, d_ff=128, max_tokens=1024, steps=700, warmup=150, factor=0.6,
    validate_every=350, validate_pairs=100, threads=1,
)  # fmt: skip
AT_MOST_SECONDS = 2400  # by the clock of a machine that has other work too
PAIRS, JUDGED, SEEDS = 8000, 150, (0, 1, 2)
ARMS = {
    f"{tied}, {start}": {"tie_weights": tied == "tied", "table_start": start}
    for tied in ("tied", "untied")
    for start in ("xavier", "normal")
}


def run(reduced=False):
    config, count, seeds = CONFIG, PAIRS, SEEDS
    if reduced:
        config = dataclasses.replace(config, num_layers=1, d_model=16, d_ff=32, max_tokens=300, steps=6, warmup=4)
        config = dataclasses.replace(config, validate_every=3, validate_pairs=6)
        count, seeds = 100, (0, 1)
    pairs, valid = load_pairs("grammar", "train", count), load_pairs("grammar", "valid", config.validate_pairs)
    judged = {split: load_pairs("grammar", split, 6 if reduced else JUDGED) for split in ("test", "held-out")}
    arms = {}
    for name, changes in ARMS.items():
        runs = [trained(dataclasses.replace(config, seed=seed, **changes), pairs, valid, judged) for seed in seeds]
        arms[name] = {key: spread([one[key] for one in runs]) for key in ("bleu", "held-out bleu", "loss")}
        arms[name] |= {"curves": [one["curve"] for one in runs], "parameters": runs[0]["parameters"]}
    tokenizer = LibraryBPE.train([text for pair in pairs for text in pair], config.vocab_size)
    return {
        "reduced": reduced,
        "settings": dataclasses.asdict(config),
        "pairs": count,
        "vocabulary": len(tokenizer),
        "seeds": list(seeds),
        "arms": arms,
        "at the start": {
            name: start(dataclasses.replace(config, **changes), tokenizer) for name, changes in ARMS.items()
        },
    }


def trained(config, pairs, valid, judged):
    """One training, and what its last weights can do."""
    result = train(config, pairs, "cpu", valid=valid)
    scores = {split: translation.evaluate(result.model, of_split) for split, of_split in judged.items()}
    return {
        "bleu": scores["test"]["bleu"],
        "held-out bleu": scores["held-out"]["bleu"],
        "loss": scores["test"]["loss"],
        "curve": [[row["step"], round(row["validation loss"], 4)] for row in result.curve],
        "parameters": sum(parameter.numel() for parameter in result.model.parameters()),
    }


def start(config, tokenizer):
    """The standard deviation of what enters the encoder, without positions, and of the first logits."""
    model = build_model(config, tokenizer).eval()
    table, output = model.src_embed[0].embed.weight, model.generator.proj.weight
    return {
        "embedded": (table * config.d_model**0.5).std().item(),
        # The last layer normalisation makes hidden vectors of d numbers of variance 1.
        "logits": (output.std() * config.d_model**0.5).item(),
    }


def claims(results):
    arms, begun = results["arms"], results["at the start"]

    def values(name, score="bleu"):
        return arms[name][score]["values"]

    found = {
        "untied models have two tables more": (
            arms["untied, xavier"]["parameters"] - arms["tied, xavier"]["parameters"]
            == 2 * results["settings"]["d_model"] * results["vocabulary"]
        ),
        "drawn from N(0, 1/d), what enters the encoder has a deviation of 1, up to a twentieth": all(
            abs(begun[name]["embedded"] - 1) < 0.05 for name in ARMS if "normal" in name
        ),
    }
    if results["reduced"]:
        return found
    tied, repaired, three, three_normal = ARMS
    return found | {
        "from the Xavier start every run with three tables scores higher than every tied one": (
            min(values(three)) > max(values(tied))
        ),
        "tied, every run that starts from N(0, 1/d) scores higher than every one from the Xavier start": (
            min(values(repaired)) > max(values(tied))
        ),
        "tied and from N(0, 1/d), the BLEU of the runs overlaps with that of three tables from the Xavier start": (
            max(values(repaired)) > min(values(three))
        ),
        "the loss of tied runs from N(0, 1/d) stays above that of three tables": (
            min(values(repaired, "loss")) > max(values(three, "loss"))
        ),
        "with three tables the BLEU of both starts overlaps": (
            max(values(three)) > min(values(three_normal)) and max(values(three_normal)) > min(values(three))
        ),
    }


if __name__ == "__main__":
    record.main(globals())
