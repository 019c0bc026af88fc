"""A small GPT-2 that has read the Jargon File, trained by the C program (``make gpt2``).

Writes into ``_build/gpt2``: the program ``gpt2``, the text as tokens (byte pairs), what each token is, and the trained
checkpoint. Then ``gpt2 generate`` has something to say without any download.
"""

import argparse
import datetime
import json
import os
import platform
import resource
import subprocess
import time
from pathlib import Path

import torch

from solutions.data import jargon
from solutions.gpt2_c import bpe_tokens, build, read_checkpoint, read_tokens, write_tokens, write_vocabulary
from solutions.ladder import split_lines
from solutions.tokens import bpe_encode, train_bpe

BOOK = Path(__file__).resolve().parent
FOLDER = BOOK.parent / "_build" / "gpt2"
MEASUREMENT = BOOK / "measurements" / "small_gpt2.json"
SIZES = ("--layers", 3, "--heads", 4, "--channels", 128, "--max-seq-len", 128)
TRAINING = ("--batch", 4, "--lr", 1e-3, "--validate-every", 1000, "--overwrite")
PAIRS_FROM = 60_000  # characters; the byte pairs of a part are nearly those of the whole, and found in seconds
PROMPT, TEMPERATURE = "hacker: A person who", 0.3  # lower than usual: a model this small has few words to choose from


def run(*command):
    """One command, shown as it would be typed."""
    words = [str(word) for word in command]
    print("$", " ".join(word if " " not in word else f'"{word}"' for word in words), flush=True)
    subprocess.run(words, check=True)


@torch.no_grad()
def validation_loss(folder):
    """Nats per token of the checkpoint in ``folder``, by PyTorch, and how many tokens the loss is of."""
    model = read_checkpoint(folder / "jargon.bin")
    ids, length = read_tokens(folder / "validation.bin"), model.config.max_seq_len
    count = (len(ids) - 1) // length
    before, after = (ids[shift : shift + count * length].view(count, length) for shift in (0, 1))
    losses = [model(*pair)[1] for pair in zip(before.split(1), after.split(1))]
    return torch.stack(losses).mean().item(), count * length


def processor_seconds():
    """Processor time so far, of this process and of the programs that it has run."""
    return sum(sum(resource.getrusage(whose)[:2]) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def record(folder, options, seconds, sample):
    """What README says of this program: its loss, its time and a text that it wrote."""
    from benchmarks.machine import processor

    loss, tokens = validation_loss(folder)
    characters = len(split_lines(jargon())[1]) / len(read_tokens(folder / "validation.bin"))
    MEASUREMENT.write_text(json.dumps({
        "what": "The small GPT-2 of `make gpt2`: validation loss (nats), its seconds, and a text that it wrote.",
        "command": "python book/small_gpt2.py --record",
        "date": datetime.date.today().isoformat(),
        "device": f"{processor()}, {os.cpu_count()} cores",
        "load_before": options.load,
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "steps": options.steps,
        "tokens measured": tokens,
        "characters in a token": characters,
        "loss of a token": loss,
        "loss of a character": loss / characters,
        "seconds": round(seconds, 1),
        "processor seconds": round(processor_seconds(), 1),
        "temperature": TEMPERATURE,
        "sample": sample,
    }, indent=1) + "\n", encoding="utf-8")  # fmt: skip
    print(f"Written: {MEASUREMENT.relative_to(BOOK.parent)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--steps", type=int, default=4000, help="steps of training, some forty in a second of one core (%(default)s)"
    )
    parser.add_argument("--merges", type=int, default=1536, help="tokens beside the 256 bytes (%(default)s)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where everything goes (%(default)s)")
    parser.add_argument("--record", action="store_true", help=f"write {MEASUREMENT.name}, which README quotes")
    options = parser.parse_args()
    options.load = os.getloadavg()[0]
    folder, started = options.folder, time.perf_counter()
    program = build(folder)

    training, validation = split_lines(jargon())
    merges = train_bpe(training[:PAIRS_FROM], options.merges)
    vocabulary = folder / "vocabulary.bin"
    write_vocabulary(vocabulary, bpe_tokens(merges))
    files = {"tokens": training, "validation": validation}
    for name, text in files.items():
        ids = bpe_encode(text, merges)
        write_tokens(folder / f"{name}.bin", ids)
        print(f"{name}: {len(text):,} characters of the Jargon File are {len(ids):,} tokens.")

    out = folder / "jargon.bin"
    given = [part for name in files for part in (f"--{name}", folder / f"{name}.bin")]
    run(program, "train", *given, "--out", out, *SIZES, *TRAINING, "--steps", options.steps,
        "--vocab-size", 256 + len(merges))  # fmt: skip
    generate = program, "generate", out, "--vocabulary", vocabulary, "--prompt", PROMPT, "--temperature", TEMPERATURE
    run(*generate)
    if options.record:
        seconds = time.perf_counter() - started
        sample = subprocess.run(list(map(str, generate)), capture_output=True, text=True, check=True).stdout
        record(folder, options, seconds, sample.strip())


if __name__ == "__main__":
    main()
