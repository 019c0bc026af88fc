"""A small GPT-2 that has read this course, trained by the C program: ``make gpt2``, or ``python book/small_gpt2.py``.

Writes into ``_build/gpt2``: the program ``gpt2``, the course's text as tokens (byte pairs), what each token is, and the
trained checkpoint. Then ``gpt2 generate`` has something to say without any download.
"""

import argparse
import subprocess
from pathlib import Path

from pages import course_text

from solutions.gpt2_c import bpe_tokens, build, write_tokens, write_vocabulary
from solutions.tokens import bpe_encode, train_bpe

FOLDER = Path(__file__).resolve().parent.parent / "_build" / "gpt2"
SIZES = ("--layers", 4, "--heads", 4, "--channels", 128, "--max-seq-len", 128)
TRAINING = ("--batch", 8, "--lr", 2e-3, "--validate-every", 100, "--overwrite")


def run(*command):
    """One command, shown as it would be typed."""
    words = [str(word) for word in command]
    print("$", " ".join(word if " " not in word else f'"{word}"' for word in words), flush=True)
    subprocess.run(words, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=500, help="steps of training, about ten in a second (%(default)s)")
    parser.add_argument("--merges", type=int, default=256, help="tokens beside the 256 bytes (%(default)s)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where everything goes (%(default)s)")
    options = parser.parse_args()
    folder = options.folder
    program = build(folder)

    text = course_text()
    merges = train_bpe(text, options.merges)
    ids = bpe_encode(text, merges)
    held_out = len(ids) // 10
    write_tokens(folder / "training.bin", ids[:-held_out])
    write_tokens(folder / "validation.bin", ids[-held_out:])
    write_vocabulary(folder / "vocabulary.bin", bpe_tokens(merges))
    print(f"{len(text):,} characters of this course are {len(ids):,} tokens, {256 + len(merges)} different ones.")

    files = (
        "--tokens",
        folder / "training.bin",
        "--validation",
        folder / "validation.bin",
        "--out",
        folder / "course.bin",
    )
    run(program, "train", *files, *SIZES, *TRAINING, "--steps", options.steps, "--vocab-size", 256 + len(merges))
    run(
        program,
        "generate",
        folder / "course.bin",
        "--vocabulary",
        folder / "vocabulary.bin",
        "--prompt",
        "The attention",
    )


if __name__ == "__main__":
    main()
