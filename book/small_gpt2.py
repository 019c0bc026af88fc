"""A small GPT-2 that has read the Jargon File, trained by the C program. ``make gpt2`` calls this.

Writes into ``_build/gpt2``: the program ``gpt2``, the text as tokens (byte pairs), what each token is, and the trained
checkpoint. Then ``gpt2 generate`` has something to say without any download.
"""

import argparse
import subprocess
from pathlib import Path

from solutions.data import jargon
from solutions.gpt2_c import bpe_tokens, build, write_tokens, write_vocabulary
from solutions.ladder import split_lines
from solutions.tokens import bpe_encode, train_bpe

FOLDER = Path(__file__).resolve().parent.parent / "_build" / "gpt2"
SIZES = ("--layers", 4, "--heads", 4, "--channels", 128, "--max-seq-len", 128)
TRAINING = ("--batch", 8, "--lr", 4e-3, "--validate-every", 100, "--overwrite")
PAIRS_FROM = 100_000  # characters; the byte pairs of a part are nearly those of the whole, and found in seconds
PROMPT = "hacker: A person who"


def run(*command):
    """One command, shown as it would be typed."""
    words = [str(word) for word in command]
    print("$", " ".join(word if " " not in word else f'"{word}"' for word in words), flush=True)
    subprocess.run(words, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=600, help="steps of training, about ten in a second (%(default)s)")
    parser.add_argument("--merges", type=int, default=512, help="tokens beside the 256 bytes (%(default)s)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where everything goes (%(default)s)")
    options = parser.parse_args()
    folder = options.folder
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
    run(program, "generate", out, "--vocabulary", vocabulary, "--prompt", PROMPT)


if __name__ == "__main__":
    main()
