"""What the translator's tiny preset learns of German, which weights and decoding are best, and what makes it fast."""

import dataclasses
import statistics
import tempfile
import time

import record
import torch

from solutions import translation
from solutions.grammar import HELD_OUT, aligned_pairs
from solutions.optim import noam_scheduler
from solutions.translator.alignment import alignment_error_rate, word_attention
from solutions.translator.checkpoints import build_model, load_model
from solutions.translator.cli import sentence_bleu
from solutions.translator.config import TranslationConfig
from solutions.translator.data import Stream, grammar_pairs, load_pairs
from solutions.translator.fused import faster_classes, replaced, wrap_for_config
from solutions.translator.tokenizers import LibraryBPE
from solutions.translator.trainer import make_optimizer, train

WHAT = (
    "BLEU of the tiny preset on the grammar, in distribution and on held-out constructions, with tied and untied "
    "tables, greedy and with a beam of 4, from the last weights and from averaged ones; alignments read off its "
    "cross-attention; and training speed (target tokens per second) with each switch turned."
)
BEAM = 4
SWITCHES = ("sdpa", "kernels", "fused_adamw", "bf16", "compile")


def run(reduced=False):
    config, count = TranslationConfig.preset("tiny", table_start="xavier"), 200  # tying.py compares the starts
    if reduced:
        config = dataclasses.replace(config, num_layers=1, d_model=32, d_ff=64, max_tokens=400, steps=24, warmup=10)
        count = 6
    pairs = load_pairs("grammar", "train", 300 if reduced else None)
    jobs = [(dataclasses.replace(config, tie_weights=tied), pairs, count) for tied in (True, False)]
    tied, untied = record.results_of(trained, jobs, reduced)
    return {
        "reduced": reduced,
        "pairs": len(pairs),
        "judged_by": count,
        "beam": BEAM,
        "runs": {"tied": tied, "untied": untied},
        "speed": speed(config, pairs, reduced),
    }


def claims(results):
    tied, speeds = results["runs"]["tied"], results["speed"]["tokens_per_second"]

    def bleu(split, read="greedy", run="tied"):
        return results["runs"][run]["bleu"][read][split]

    found = {
        "sacreBLEU gives the same score for the saved outputs": all(
            abs(sacrebleu_of(tied["outputs"][split]) - bleu(split)) < 1e-6 for split in ("test", "held-out")
        ),
        "tied tables save two tables of parameters": (
            results["runs"]["untied"]["parameters"] - tied["parameters"] == 2 * tied["vocabulary"] * tied["width"]
        ),
        "no switch changes the loss of the first step by more than a hundredth": all(
            abs(loss - results["speed"]["first_loss"]["as it is"]) < 0.01 * loss
            for loss in results["speed"]["first_loss"].values()
        ),
    }
    if results["reduced"]:
        return found
    return found | {
        "greedy decoding reaches at least 60 BLEU in distribution": bleu("test") >= 60,
        "held-out constructions are translated worse than others": all(
            bleu("held-out", read, run) < bleu("test", read, run) for run in ("tied", "untied") for read in tied["bleu"]
        ),
        "links read off the best layer's cross-attention are better than those of a diagonal": (
            min(tied["alignment_error_rate"]["layers"]) < tied["alignment_error_rate"]["diagonal"]
        ),
        "with everything at hand training is faster than with everything off": (
            statistics.median(speeds["as it is"]) > statistics.median(speeds["all off"])
        ),
    }


def sacrebleu_of(rows):
    """The score of ``(german, english, output)`` rows, by another program."""
    import sacrebleu

    outputs, references = [row[2] for row in rows], [[row[1] for row in rows]]
    return sacrebleu.corpus_bleu(outputs, references, smooth_method="none").score


# --- quality ------------------------------------------------------------------------------------------------------


def trained(config, pairs, count):
    """One training, and what its model can do."""
    with tempfile.TemporaryDirectory() as folder:
        cpu = time.process_time()
        result = train(config, pairs, "cpu", folder)
        cpu = time.process_time() - cpu
        models = {"": result.model, "averaged, ": load_model(folder, average=True)}
    judged = {split: load_pairs("grammar", split, count) for split in ("test", "held-out")}
    bleu: dict = {}
    for name, model in models.items():
        for read, beam in (("greedy", 1), (f"beam of {BEAM}", BEAM)):
            bleu[name + read] = {
                split: translation.evaluate(model, of_split, beam_size=beam)["bleu"]
                for split, of_split in judged.items()
            }
    model = result.model
    outputs = {
        split: [[*pair, output] for pair, output in zip(of, translation.translate(model, [german for german, _ in of]))]
        for split, of in judged.items()
    }
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "vocabulary": len(model.tokenizer),
        "width": config.d_model,
        "settings": dataclasses.asdict(config),
        "steps": result.steps,
        "target_tokens": result.tokens,
        "seconds": result.seconds,
        "cpu_seconds": cpu,
        "losses": [round(loss, 4) for loss in result.losses[:: max(1, result.steps // 100)]],
        "bleu": bleu,
        "loss": {split: translation.evaluate(model, of)["loss"] for split, of in judged.items()},
        "bleu_by_construction": {
            name: translation.evaluate(model, grammar_pairs(count // 2, 0, "held-out", name))["bleu"]
            for name in HELD_OUT
        },
        "alignment_error_rate": alignments(model, aligned_pairs(count // 2, 0, "test")),
        "outputs": outputs,
        "worst": {split: worst(rows) for split, rows in outputs.items()},
    }


def worst(rows, count=5):
    """The rows whose sentence BLEU is lowest, with it."""
    scored = [[sentence_bleu(output, english), german, english, output] for german, english, output in rows]
    return sorted(scored)[:count]


def alignments(model, pairs):
    """Links read off each decoder layer's mean cross-attention, one for each English word, against the known ones."""

    def mean_error(links_of):
        errors = [alignment_error_rate(links_of(pair), pair.alignment) for pair in pairs]
        return statistics.mean(errors)

    def read(layer):
        def links_of(pair):
            weights = word_attention(model, pair.german, pair.english, layer)
            return {(i, j) for j, i in enumerate(translation.read_alignment(weights))}

        return links_of

    def diagonal(pair):
        count, length = len(translation.words(pair.german)), len(translation.words(pair.english))
        return {(round(j * (count - 1) / max(length - 1, 1)), j) for j in range(length)}

    layers = [mean_error(read(layer)) for layer in range(len(model.decoder.layers))]
    return {"layers": layers, "diagonal": mean_error(diagonal)}


# --- speed --------------------------------------------------------------------------------------------------------


def speed(config, pairs, reduced):
    """Target tokens per second of some steps, of every round: as it is, with each switch turned, with all off."""
    cases: dict = {"as it is": {}}
    for switch in SWITCHES[: 4 if reduced else 5]:
        on = switch in ("sdpa", "kernels", "fused_adamw")
        cases[f"{'without' if on else 'with'} {switch}"] = {switch: not on}
    cases["all off"] = dict.fromkeys(("sdpa", "kernels", "fused_adamw"), False)
    tokenizer = LibraryBPE.train([text for pair in pairs for text in pair], config.vocab_size)
    ids = translation.encode_pairs(pairs, tokenizer)
    stream = Stream(ids, config, torch.device("cpu"))
    rates: dict = {name: [] for name in cases}
    losses: dict = {}
    for _ in range(1 if reduced else 3):
        for name, switches in cases.items():
            loss, rate = steps_of(dataclasses.replace(config, **switches), tokenizer, stream, 6 if reduced else 20)
            rates[name].append(rate)
            losses[name] = loss
    return {"threads": torch.get_num_threads(), "tokens_per_second": rates, "first_loss": losses}


def steps_of(config, tokenizer, stream, count):
    """The first loss, and the target tokens per second of all steps but the first five (or the first)."""
    model = build_model(config, tokenizer)
    optimizer = make_optimizer(config, model)
    scheduler = noam_scheduler(optimizer, config.d_model, config.warmup, config.factor)
    whole, loss_fn = wrap_for_config(model, config)
    left_out = 5 if count > 10 else 1
    with replaced(model, faster_classes(config)):
        results, seconds = [], []
        for number in range(count):
            started = time.perf_counter()
            results.append(
                translation.training_step(whole, [stream.batch(number)], loss_fn, optimizer, scheduler, config.max_norm)
            )
            seconds.append(time.perf_counter() - started)
    return results[0].loss, sum(result.tokens for result in results[left_out:]) / sum(seconds[left_out:])


if __name__ == "__main__":
    record.main(globals())
