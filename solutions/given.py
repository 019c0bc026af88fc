"""What notebooks are given, and nobody writes: small functions between texts and ids."""

import re
import unicodedata

import torch

from solutions import BOS, EOS, PAD

WORD = r"\w+(?:[-'’]\w+)*|[^\w\s]"


def normalised(text):
    """A text with one spelling for what looks the same: composed letters (NFC), one plain blank between words.

    A file name, a PDF or a web page may give ``"ü"`` as two characters, and blanks that do not break a line.
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def words(text):
    """The words and punctuation marks of a text, in order: ``"Ja, gut."`` gives ``["Ja", ",", "gut", "."]``.

    BLEU counts them, and the alignments of the grammar are indices into this list.
    """
    return re.findall(WORD, normalised(text))


def encode_pairs(pairs, tokenizer):
    """Pairs of texts as pairs of ids: the source ends in EOS, the target runs from BOS to EOS."""
    sources = tokenizer.encode_all([source for source, _ in pairs])
    targets = tokenizer.encode_all([target for _, target in pairs])
    return [([*source, EOS], [BOS, *target, EOS]) for source, target in zip(sources, targets)]


def pad_rows(rows):
    """Lists of ids as one int64 tensor ``(B, T)``, filled up with PAD."""
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])
