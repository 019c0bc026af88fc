"""The command line, ``python -m solutions.translation``: train, curve, evaluate, translate."""

import argparse
import dataclasses
import os
import sys
from pathlib import Path

import torch

from solutions.bleu import corpus_bleu
from solutions.given import words
from solutions.transformer import count_parameters
from solutions.translation import evaluate, translate
from solutions.translator.checkpoints import LAST, load_model, read_run
from solutions.translator.config import PRESETS, TranslationConfig
from solutions.translator.data import MOST_POSITIONS, load_pairs
from solutions.translator.errors import BadInput, OutOfMemory, WorkerLost, out_of_memory
from solutions.translator.processes import World
from solutions.translator.trainer import train
from solutions.translator.validation import Validation, draw, table, told

SWITCHES = {
    "bf16": "bfloat16 autocast",
    "fp16": "float16 autocast, with a scaled loss",
    "sdpa": "PyTorch's fused attention",
    "kernels": "PyTorch's layer normalisation, and smoothing without a table",
    "compile": "torch.compile",
    "fused_adamw": "PyTorch's AdamW instead of the course's own",
    "tie_weights": "one table for source, target and output",
}
# What a resumed run may change.
FREE = {
    *("steps", "accumulate", "save_every", "keep", "validate_every", "patience", "threads", "bf16", "fp16", "sdpa"),
    *("kernels", "compile"),
}


def at_least(least):
    """The type of an option: a whole number of at least ``least``."""

    def whole_number(text):
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return int(text)

    return whole_number


def parser():
    """The command line's options; those of `train` come from the fields of `TranslationConfig`."""
    top = argparse.ArgumentParser(prog="python -m solutions.translation", description="German to English.")
    commands = top.add_subparsers(dest="command", required=True)

    one = commands.add_parser("train", help="train a model", argument_default=argparse.SUPPRESS)
    one.add_argument("--preset", choices=list(PRESETS), default=None, help="the settings to begin with (tiny)")
    one.add_argument("--out", default="runs/translation", help="the folder for checkpoints (%(default)s)")
    one.add_argument("--resume", action="store_true", default=False, help="go on from the last checkpoint in --out")
    one.add_argument("--data", default=None, help="grammar, software, multi30k or a TSV file (grammar)")
    one.add_argument("--pairs", type=at_least(1), default=None, help="train on so many pairs at most")
    one.add_argument("--test", type=at_least(1), default=500, help="pairs for the evaluation at the end (%(default)s)")
    one.add_argument("--device", default=None, help="cpu, cuda, cuda:1 … (a GPU if there is one)")
    for field in dataclasses.fields(TranslationConfig):
        option = "--" + field.name.replace("_", "-")
        if field.name in SWITCHES:
            one.add_argument(option, action=argparse.BooleanOptionalAction, help=SWITCHES[field.name])
        else:
            kind = int if field.default is None else type(field.default)
            one.add_argument(option, type=kind, metavar=field.name.upper())

    four = commands.add_parser("curve", help="show the validations of a training")
    four.add_argument("folder", help="where its checkpoints are")
    four.add_argument("--picture", metavar="FILE", help="draw them too, into this file (.svg, .png or .pdf)")

    two = commands.add_parser("evaluate", help="score a trained model with BLEU")
    two.add_argument("folder", help="where its checkpoints are")
    two.add_argument("--data", default=None, help="as in train (what it was trained on)")
    two.add_argument("--split", default="test", help="valid, test, held-out (grammar) or all (TSV) (%(default)s)")
    two.add_argument("--limit", type=at_least(1), default=None, help="at most so many pairs")
    two.add_argument("--beam", type=at_least(1), default=1, help="size of the beam; 1 is greedy (%(default)s)")
    two.add_argument("--outputs", help="write source, reference and output to this TSV file")
    two.add_argument("--worst", type=at_least(0), default=3, help="show so many of the worst sentences (%(default)s)")

    three = commands.add_parser("translate", help="translate sentences, or the lines of standard input")
    three.add_argument("folder", help="where the model's checkpoints are")
    three.add_argument("sentences", nargs="*")
    three.add_argument("--beam", type=at_least(1), default=4, help="size of the beam; 1 is greedy (%(default)s)")
    for command in (two, three):
        weights = command.add_mutually_exclusive_group()
        weights.add_argument("--average", action="store_true", help="the mean of the last checkpoints (--keep)")
        weights.add_argument("--best", action="store_true", help="the weights that validated best (--validate-every)")
        command.add_argument("--device", default="cpu", help="(%(default)s)")
    return top


def train_command(options):
    """``train``: settings, data, training, and its result."""
    given = {name: value for name, value in vars(options).items() if name in TranslationConfig.__dataclass_fields__}
    folder = Path(options.out)
    data = ["grammar" if options.data is None else options.data, options.pairs]
    if options.resume:
        saved = read_run(folder)
        kept = ", ".join(sorted({"--" + name.replace("_", "-") for name in given.keys() - FREE}))
        if kept or options.preset:
            raise BadInput(f"A resumed run keeps its settings: leave out {kept or '--preset'}.")
        config = TranslationConfig(**{**saved["config"], **given})
        if options.data is None and options.pairs is None:
            data = saved["data"]
        if len(saved["losses"]) >= config.steps:
            raise BadInput(f"The run in {folder} is complete; --steps gives it more than {config.steps}.")
        if Validation(config, (), saved["curve"]).over:
            raise BadInput(
                f"The run in {folder} has ended early, after {config.patience} validations without a better one; a "
                f"larger --patience lets it go on."
            )
    elif (folder / LAST).exists() and int(os.environ.get("RANK", 0)) == 0:
        raise BadInput(f"There is a run in {folder} already: go on with --resume, or choose another --out.")
    else:
        config = TranslationConfig.preset(options.preset or "tiny", **given)
    if config.threads is not None:
        torch.set_num_threads(config.threads)
    pairs = load_pairs(data[0], "train", data[1])
    tests, untested = {}, ""
    for split in ("test", "held-out") if data[0] == "grammar" else ("test",):
        try:
            tests[split] = load_pairs(data[0], split, options.test)
        except BadInput as error:  # a small file may have none; that is no reason not to train on it
            untested = str(error)
    valid = load_pairs(data[0], "valid", config.validate_pairs) if config.validate_every else None
    result = train(config, pairs, options.device, folder, options.resume, quiet=False, data=data, valid=valid)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    if not result.complete:
        return 130
    if int(os.environ.get("RANK", 0)) > 0:
        return 0
    print(
        f"{result.steps} steps, {result.tokens / max(result.seconds, 1e-9):,.0f} target tokens/s, "
        f"{result.utilisation:.0%} of the device's rate, {result.seconds:.0f} s; "
        f"{count_parameters(result.model)['total']:,} parameters"
    )
    model = result.model
    if result.best:
        ended = "" if result.steps >= config.steps else f"ended early, after step {result.steps}; "
        print(f"{ended}the best weights are judged: {told(result.best)}")
        model = load_model(folder, best=True, device=next(model.parameters()).device)
    for split, pairs in tests.items():
        scores = evaluate(model, pairs)
        print(f"{split}: BLEU {scores['bleu']:.1f}, loss {scores['loss']:.3f} (greedy, {len(pairs)} pairs)")
    if untested:
        print(f"Not evaluated. {untested}")
    return 0


def curve_command(options):
    """``curve``: the validations of a run as a table, and perhaps as a picture."""
    saved = read_run(options.folder)
    if not saved["curve"]:
        raise BadInput(f"The run in {options.folder} was not validated: train with --validate-every.")
    print(table(saved["curve"]))
    best = Validation(TranslationConfig(**saved["config"]), True, saved["curve"]).best
    print(f"best: {told(best)}")
    if options.picture:
        draw(saved["curve"], options.picture, best["step"])
    return 0


def check_lengths(model, texts):
    """Refuse texts that are too long for the model or not UTF-8: a command line may hold any bytes."""
    for number, text in enumerate(texts, 1):
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise BadInput(f"Sentence {number} is not UTF-8.")
    for number, ids in enumerate(model.tokenizer.encode_all(texts), 1):
        if 2 * len(ids) + 12 > MOST_POSITIONS:  # an output may be twice as long, see `translate`
            raise BadInput(f"Sentence {number} has {len(ids)} tokens, which is too long: cut it into sentences.")


def evaluate_command(options):
    """``evaluate``: the scores, the worst sentences, and a file of all outputs."""
    saved = read_run(options.folder)["data"] or ["grammar"]
    source = saved[0] if options.data is None else options.data
    pairs = load_pairs(source, options.split, options.limit)
    model = load_model(options.folder, options.average, World(options.device).device, options.best)
    check_lengths(model, [text for pair in pairs for text in pair])
    if options.outputs:
        Path(options.outputs).open("a").close()  # whether it can be written to: better now than after all the work
    outputs = translate(model, [german for german, _ in pairs], beam_size=options.beam)
    bleu = corpus_bleu([words(output) for output in outputs], [[words(english)] for _, english in pairs])
    print(f"{options.split}: BLEU {bleu:.2f}, loss {evaluate(model, pairs)['loss']:.4f} ({len(pairs)} pairs)")
    rows = [(german, english, output) for (german, english), output in zip(pairs, outputs)]
    if options.outputs:
        lines = ("\t".join(" ".join(text.split()) for text in row) for row in rows)
        Path(options.outputs).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for german, english, output in sorted(rows, key=lambda row: sentence_bleu(row[2], row[1]))[: options.worst]:
        german, english, shown = map(for_terminal, (german, english, output))
        print(
            f"{sentence_bleu(output, english):5.1f}  {german}\n       reference: {english}\n       output:    {shown}"
        )
    return 0


def for_terminal(text):
    """A line of text; for a terminal, with a "?" in place of every character that could control it."""
    if not sys.stdout.isatty():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def sentence_bleu(output, reference):
    """BLEU of one sentence, smoothed, since it may have no match of four words."""
    return corpus_bleu([words(output)], [[words(reference)]], smooth="add-k")


def translate_command(options):
    """``translate``: one line for each sentence."""
    model = load_model(options.folder, options.average, World(options.device).device, options.best)
    try:
        sentences = options.sentences or [line.rstrip("\r\n") for line in sys.stdin]
    except UnicodeDecodeError:
        raise BadInput("Standard input is not UTF-8.") from None
    check_lengths(model, sentences)
    for sentence, output in zip(sentences, translate(model, sentences, beam_size=options.beam)):
        print(for_terminal(output) if sentence.strip() else "")
    return 0


def main(arguments=None):
    """Run the command line; the exit code is 2 for input that has to change, 130 after an interruption."""
    options, more = parser().parse_known_args(arguments)
    if more and (options.command != "translate" or any(one.startswith("-") for one in more)):
        parser().error(f"unrecognized arguments: {' '.join(more)}")
    if more:
        options.sentences += more  # those after an option: argparse ends the list at the first one
    commands = {
        "train": train_command, "curve": curve_command, "evaluate": evaluate_command, "translate": translate_command
    }  # fmt: skip
    command = commands[options.command]
    try:
        return command(options)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or 'A file'}: {error.strerror or error}.", file=sys.stderr)
        return 2
    except (OutOfMemory, WorkerLost) as error:
        print(error, file=sys.stderr)
        return 1
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        print("There is not enough memory: take a smaller model, or smaller batches.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
