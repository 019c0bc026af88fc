"""GPT-2 as it was published: download its files, check them, and bring them into the model of this course.

``python -m solutions.released FOLDER`` downloads them and lets the model write; `load_gpt2` reads them from there.
"""

import argparse
import hashlib
import json
from pathlib import Path

from solutions.gpt2_c import load_state
from solutions.pretrained import GPT2, GPT2Config, GPT2Tokenizer, generate_text, gpt2_state

REPOSITORY = "openai-community/gpt2"
REVISION = "607a30d783dfa663caf39e06633721c8d4cfcd7e"  # of that repository, so that the files are always the same
SHA256 = {
    "merges.txt": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    "vocab.json": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
    "model.safetensors": "248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707",
}


def checksum(path):
    """The SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    return digest.hexdigest()


def check_file(path, expected):
    """Raise `ValueError` unless a file has this SHA-256."""
    found = checksum(path)
    if found != expected:
        raise ValueError(
            f"{path} is not the published file: its SHA-256 is {found[:12]}…, not {expected[:12]}…. "
            "Delete it and download it again."
        )


def download_gpt2(folder, names=tuple(SHA256)):
    """Download files of the smallest GPT-2 into a folder, with a progress bar, and check them; what is there stays.

    Raises:
        ModuleNotFoundError: the package ``huggingface_hub`` is not installed.
        ValueError: a file is damaged, or not the published one.
    """
    try:
        from huggingface_hub import hf_hub_download
    except ModuleNotFoundError:
        raise ModuleNotFoundError("To download models, install huggingface_hub: pip install huggingface_hub") from None
    for name in names:
        hf_hub_download(REPOSITORY, name, revision=REVISION, local_dir=folder)
        check_file(Path(folder) / name, SHA256[name])


def load_gpt2(folder, num_heads=None):
    """A published GPT-2 in the model of this course, and its tokeniser.

    Args:
        folder: holds ``model.safetensors`` and ``merges.txt``; ``config.json``, where it is there, tells how many heads
            the model has.
        num_heads: ``None``: as ``config.json`` says, or else as many as make heads of width 64.

    Returns:
        ``(model, tokenizer)``: a `GPT2` in evaluation mode, and a `GPT2Tokenizer`.

    Raises:
        ValueError: a file is damaged or holds another model; the message says which, and what to do.
    """
    folder = Path(folder)
    state = load_state(folder / "model.safetensors")
    sizes = {name.removeprefix("transformer."): tensor.shape for name, tensor in state.items()}
    mapped = gpt2_state(state)
    (vocab_size, width), block_size = sizes["wte.weight"], sizes["wpe.weight"][0]
    if num_heads is None and (folder / "config.json").is_file():
        num_heads = json.loads((folder / "config.json").read_text(encoding="utf-8"))["n_head"]
    layers = sum(name.endswith("ln_1.weight") for name in sizes)
    model = GPT2(GPT2Config(vocab_size, block_size, width, num_heads or max(1, width // 64), layers))
    model.load_state_dict(mapped)
    tokenizer = GPT2Tokenizer((folder / "merges.txt").read_text(encoding="utf-8"))
    if len(tokenizer) != vocab_size:
        raise ValueError(
            f"{folder / 'merges.txt'} makes {len(tokenizer)} tokens, but the model has {vocab_size}: "
            "the two files are of different models."
        )
    return model.eval(), tokenizer


def main(arguments=None):
    """Download the smallest GPT-2 (548 MB), check its files, and let the model of this course go on with a text."""
    parser = argparse.ArgumentParser(prog="python -m solutions.released", description=main.__doc__)
    parser.add_argument("folder", help="where the files go; what is there already is not downloaded again")
    parser.add_argument("--prompt", default="The Transformer is", help="the beginning of the text (%(default)s)")
    parser.add_argument("--new", type=int, default=40, help="tokens to add (%(default)s)")
    options = parser.parse_args(arguments)
    try:
        download_gpt2(options.folder)
        model, tokenizer = load_gpt2(options.folder)
        text = generate_text(model, tokenizer.encode, tokenizer.decode, options.prompt, options.new, temperature=0)
    except (ModuleNotFoundError, ValueError, OSError) as error:
        parser.exit(1, f"{error}\n")
    print(f"The files in {options.folder} are the published ones. The most likely text:\n\n{text}")


if __name__ == "__main__":
    main()
