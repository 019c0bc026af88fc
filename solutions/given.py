"""Code that notebooks are given: functions between texts and ids, and the step of a model that decoding calls."""

import contextlib
import functools
import itertools
import re
import unicodedata

import torch
from torch import nn
from torch.nn import functional as F

from solutions import BOS, EOS, PAD
from solutions.attention import scaled_dot_product_attention
from solutions.multihead import merge_heads, split_heads

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


def decode_newest(model, memory, src_mask, last_ids, cache):
    """What ``model.decode`` returns at the newest position, computed for that position alone.

    It works for every Transformer that is built of `MultiHeadAttention` and `PositionalEncoding`, yours included,
    whatever its layers are called. While it runs, these two kinds of modules behave differently: the newest position
    has the number ``cache.length``, a self-attention also reads the keys and values of all earlier positions, and a
    cross-attention computes those of the memory at the first step only. Embeddings, norms, feed-forward networks and
    the order of all these are the model's own.

    Args:
        model: a Transformer as `make_model` builds it.
        memory: what ``model.encode`` returned, ``(B, T_src, d)``.
        src_mask: ``(B, 1, 1, T_src)``.
        last_ids: the newest id of every row, ``(B,)``; at the first step the start symbol.
        cache: a `KVCache`, empty at the first step, which gets the keys and values of this position. Layer ``2 i``
            holds those of self-attention ``i`` and layer ``2 i + 1`` those of cross-attention ``i``. After
            ``cache.reorder(rows)``, pass ``memory[rows]`` and ``src_mask[rows]``.

    Returns:
        ``(B, d)``.

    Source: Shazeer 2019, section 2.4 (incremental decoding).
    """
    start = cache.length
    numbers = itertools.count(), itertools.count()  # of self-attentions and of cross-attentions, in the order of calls

    def add_position(own_forward, module, x):
        return own_forward(F.pad(x, (0, 0, start, 0)))[:, start:]

    def attend(own_forward, module, query, key, value, mask=None):
        crosses = key.data_ptr() == memory.data_ptr()
        layer = 2 * next(numbers[crosses]) + crosses
        if start == 0:
            own_forward(query, key, value, mask)  # leaves its weights (B, H, T_q, T_k) behind, which tell H
        heads = getattr(module, "num_heads", None) or module.weights.shape[1]
        q = split_heads(module.w_q(query), heads)  # (B, H, 1, d_head)
        if crosses and start > 0:
            k, v = cache.update(layer, q[:, :, :0], q[:, :, :0])  # no new position: what is there
        else:
            k, v = cache.update(layer, split_heads(module.w_k(key), heads), split_heads(module.w_v(value), heads))
        dropout = next((part for part in module.children() if isinstance(part, nn.Dropout)), None)
        mixed, module.weights = scaled_dot_product_attention(q, k, v, mask if crosses else None, dropout)
        return module.w_o(merge_heads(mixed))

    with contextlib.ExitStack() as changed:
        for module in model.modules():
            if isinstance(getattr(module, "pe", None), torch.Tensor):
                changed.enter_context(_other_forward(module, add_position))
            elif all(hasattr(module, name) for name in ("w_q", "w_k", "w_v", "w_o")):
                changed.enter_context(_other_forward(module, attend))
        alone = torch.ones(1, 1, dtype=torch.bool, device=last_ids.device)
        return model.decode(memory, src_mask, last_ids[:, None], alone)[:, -1]


class Drawing:
    """A model whose likeliest token is a token that was drawn: decoding it greedily draws an output.

    Args:
        model: a Transformer; everything but its generator is used as it is.
        draw: a function from log-probabilities ``(B, V)`` to ids ``(B,)``, such as `sample_next` with its options.
    """

    def __init__(self, model, draw):
        self.model, self.draw = model, draw

    def __getattr__(self, name):
        return getattr(self.model, name)

    def generator(self, hidden):
        """Hidden vectors ``(B, d)`` to ``(B, V)``: 1 at the id that was drawn, else 0."""
        log_probs = self.model.generator(hidden)
        return F.one_hot(self.draw(log_probs), log_probs.shape[-1])


@contextlib.contextmanager
def _other_forward(module, forward):
    """While it lasts, calling ``module(...)`` means ``forward(own_forward, module, ...)``."""
    before = vars(module).get("forward")
    module.forward = functools.partial(forward, module.forward, module)
    try:
        yield
    finally:
        del module.forward
        if before is not None:
            module.forward = before
