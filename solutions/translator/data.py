"""Pairs of sentences from the grammar, software, Multi30k or a file, and the micro-batches made of them."""

import copy
import json
import warnings
import zlib
from pathlib import Path

import torch

from solutions.given import encode_pairs, normalised
from solutions.translation import make_batch, token_batches
from solutions.translator.catalogues import installed_software
from solutions.translator.errors import BadInput

MOST_POSITIONS = 5000  # of a sequence, see `PositionalEncoding`


def grammar_pairs(n, seed, split="train", construction=None):
    """Pairs of German and English sentences from the course's own grammar: see `solutions.grammar.aligned_pairs`."""
    from solutions import grammar

    return grammar.grammar_pairs(n, seed, split, construction)


def load_pairs(source, split, limit=None):
    """Pairs of texts to train on, or to be judged by.

    Args:
        source: ``"grammar"``, the course's own; ``"software"``, the messages of the programs on this machine that are
            translated into German, or with ``"software:fr"`` into another language; ``"multi30k"``, 29,000 captions of
            pictures, through the package ``datasets``; or the path of a TSV file: German, a tab, English in each line,
            UTF-8.
        split: ``"train"``, ``"valid"`` or ``"test"``; of the grammar also ``"held-out"``; of software and files also
            ``"all"``. There 1 sentence in 20 is for validation and 1 in 20 for testing, chosen by its German text.
        limit: at most so many pairs; ``None``: all of them, of the grammar 20,000 for training and 1,000 for others.

    Returns:
        ``list[tuple[str, str]]``: ``(german, english)``.

    Warns:
        UserWarning: some message catalogues could not be read; how many, and what is wrong with the first.

    Raises:
        BadInput: with a sentence that says what is wrong with the source, and where.
    """
    if limit is not None and limit < 1:
        raise BadInput(f"The number of pairs is {limit}, but must be at least 1.")
    if source == "grammar":
        if split not in ("train", "valid", "test", "held-out"):
            raise BadInput(f"The grammar has the splits train, valid, test and held-out, but not {split!r}.")
        return grammar_pairs((20_000 if split == "train" else 1000) if limit is None else limit, 0, split)
    if source == "multi30k":
        return multi30k_pairs(split)[:limit]
    kind, _, language = source.partition(":")
    pairs = software_pairs(language or "de", split) if kind == "software" else tsv_pairs(Path(source), split)
    return pairs[:limit]


def software_pairs(language, split="all"):
    """The pairs of the message catalogues on this machine, or those of one split: see `installed_software`."""
    software = installed_software(language)
    if software.bad:
        warnings.warn(f"Catalogues that were skipped: {len(software.bad)}. The first: {software.bad[0]}", stacklevel=3)
    return pairs_of_split([pair for of in software.pairs.values() for pair in of], split, "Software")


def multi30k_pairs(split):
    """Multi30k (Elliott et al. 2016), downloaded on first use."""
    names = {"train": "train", "valid": "validation", "test": "test"}
    if split not in names:
        raise BadInput(f"Multi30k has the splits train, valid and test, but not {split!r}.")
    try:
        from datasets import load_dataset
    except ImportError:
        raise BadInput("Multi30k needs the package datasets, which is missing: `pip install datasets`.") from None
    try:
        rows = load_dataset("bentrevett/multi30k", split=names[split])
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise BadInput(
            f"Multi30k could not be fetched; without a network use --data grammar or a TSV file ({reason})."
        ) from None
    return [(normalised(row["de"]), normalised(row["en"])) for row in rows]


def tsv_pairs(path, split="all"):
    """The pairs of a TSV (tab-separated values) file, or those of one split of it."""
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
    pairs = []
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise BadInput(f"{path}, line {number}: this is not UTF-8; save the file in that encoding.") from None
        if not text.strip():
            continue
        columns = [normalised(column) for column in text.split("\t")]
        if len(columns) < 2 or not all(columns[:2]):
            raise BadInput(
                f"{path}, line {number}: a line needs two columns, German and English, with a tab between them."
            )
        pairs.append((columns[0], columns[1]))
    if not pairs:
        raise BadInput(f"{path} is empty: it needs lines of German, a tab, English.")
    return pairs_of_split(pairs, split, f"The file {path}")


def pairs_of_split(pairs, split, name):
    """The pairs of a split, chosen by their German text; ``name`` is what error messages call the whole."""
    if split not in ("train", "valid", "test", "all"):
        raise BadInput(f"{name} has the splits train, valid, test and all, but not {split!r}.")
    part = {0: "test", 1: "valid"}
    # Not the remainder of the checksum itself: the grammar divides by that, and its sentences may stand in a file.
    chosen = [pair for pair in pairs if split in ("all", part.get(zlib.crc32(pair[0].encode()) // 20 % 20, "train"))]
    if not chosen:
        raise BadInput(f"{name}: none of its {len(pairs)} pairs falls into the split {split}; it needs more of them.")
    return chosen


class Stream:
    """The micro-batches of a run, all epochs one after the other, by number.

    Every epoch has the same micro-batches, in an order of its own. The number alone determines a micro-batch, so a run
    can go on from any of them.
    """

    def __init__(self, ids, config, device):
        try:
            self.contents = token_batches(ids, config.max_tokens)
        except ValueError as error:
            raise BadInput(f"{error} Raise --max-tokens, or leave the pair out.") from None
        self.ids, self.seed, self.pin = ids, config.seed, device.type == "cuda"
        self.orders: dict[int, list[int]] = {}

    def batch(self, number):
        """Micro-batch ``number``, for a GPU in pinned memory, from which it can be copied without waiting."""
        epoch, position = divmod(number, len(self.contents))
        if epoch not in self.orders:
            generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
            self.orders = {epoch: torch.randperm(len(self.contents), generator=generator).tolist()}
        batch = make_batch([self.ids[pair] for pair in self.contents[self.orders[epoch][position]]])
        if self.pin:
            for name, value in vars(batch).items():
                if isinstance(value, torch.Tensor):
                    setattr(batch, name, value.pin_memory())
        return batch


def checked_stream(pairs, tokenizer, config, device):
    """The `Stream` of pairs of texts; a pair that does not fit is refused with the beginning of its German text."""
    ids = encode_pairs(pairs, tokenizer)
    longest, index = max((max(map(len, pair)), index) for index, pair in enumerate(ids))
    if longest > MOST_POSITIONS:
        raise BadInput(
            f"A sentence has {longest} tokens; {MOST_POSITIONS} are the most: leave the pair out. "
            f"Its German begins: {pairs[index][0]:.40}"
        )
    try:
        return Stream(ids, config, device)
    except BadInput as error:  # it names the first pair that is too large; somebody has to find it in a file
        index = next(index for index, pair in enumerate(ids) if sum(map(len, pair)) > config.max_tokens)
        raise BadInput(f"{error} Its German begins: {pairs[index][0]:.40}") from None


def to_device(batch, device):
    """A batch on a device, without waiting for it to arrive."""
    if device.type == "cpu":
        return batch
    moved = copy.copy(batch)
    for name, value in vars(batch).items():
        if isinstance(value, torch.Tensor):
            setattr(moved, name, value.to(device, non_blocking=True))
    return moved


def fingerprint(ids):
    """A checksum of a list of pairs, to tell whether two lists are the same."""
    return zlib.crc32(json.dumps(ids).encode())
