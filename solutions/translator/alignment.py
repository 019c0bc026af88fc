"""Attention as an alignment of words: maps per word, and how far they are from known links."""

import re

import torch

from solutions.given import WORD, encode_pairs, normalised, words
from solutions.translation import attention_maps


def word_indices(text, tokenizer):
    """For every token of a text the index of its word in `words`."""
    text = normalised(text)
    starts = [match.start() for match in re.finditer(WORD, text)]
    return [sum(start <= end for start in starts) - 1 for end in tokenizer.ends(text)]


def word_attention(model, german, english, layer=-1, head=None):
    """Cross-attention between the words of a pair.

    Args:
        model: a trained model with a tokeniser.
        german, english: the texts.
        layer: of the decoder.
        head: which; ``None`` is the mean over all heads.

    Returns:
        ``(words of the English text, words of the German text)``: what each English word attends to while it is being
        predicted: the sum over the tokens of a German word, the mean over those of the English one. What goes to EOS
        is left out.
    """
    tokenizer = model.tokenizer
    device = next(model.parameters()).device
    ((source, target),) = encode_pairs([(german, english)], tokenizer)
    maps = attention_maps(model, torch.tensor([source], device=device), torch.tensor([target[:-1]], device=device))
    cross = maps["cross"][layer]
    weights = (cross.mean(0) if head is None else cross[head]).cpu()
    # Row t is what is attended to while BOS or target token t - 1 is read, and token t predicted.
    from_words, to_words = word_indices(english, tokenizer), word_indices(german, tokenizer)
    found = torch.zeros(len(words(english)), len(words(german)))
    for row, word in enumerate(from_words):
        found[word].index_add_(0, torch.tensor(to_words), weights[row, :-1] / from_words.count(word))
    return found


def alignment_error_rate(found, known):
    """One minus the F1 score of a set of links ``(i, j)`` against the known ones: 0 is best (Och and Ney 2003)."""
    found, known = set(found), set(known)
    return 1 - 2 * len(found & known) / max(len(found) + len(known), 1)
