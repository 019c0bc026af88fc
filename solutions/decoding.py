"""Decoding: from a model's log-probabilities to a text, and without computing anything twice.

Shapes: ``B`` batch, ``T_src`` length of the sources, ``T`` ids written so far, ``V`` vocabulary size, ``H`` heads.
``model`` is a Transformer as `make_model` builds it, or has the same three parts: ``encode(src, src_mask)``,
``decode(memory, src_mask, tgt, tgt_mask)`` and ``generator``, which returns log-probabilities. A model that also has
``decode_step(memory, src_mask, last_ids, cache)`` can compute the newest position alone. Masks are boolean, ``True``
means "may attend".
"""

import math

import torch

from solutions import BOS, EOS, PAD
from solutions.masks import causal_mask
from solutions.transformer import make_model


@torch.no_grad()
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    """Write the most likely next token again and again, for a whole batch.

    Args:
        model: see above. The caller sets its mode (training or evaluation); this function never changes it.
        src: source ids ``(B, T_src)``; encoded once.
        src_mask: ``(B, 1, 1, T_src)``.
        max_len: the most columns that the result may have, the first one included.
        bos_id: the id that every row starts with.
        eos_id: the id that ends a row.

    Returns:
        int64 ``(B, T)`` with ``T <= max_len``: each row is ``bos_id``, the ids that were written, ``eos_id`` if it was
        reached, and then ``PAD``. Nothing is recorded for gradients. Columns of ``PAD`` alone may be there or not.

    Source: Vaswani et al. 2017, section 3 ("one element at a time").
    """
    ### BEGIN SOLUTION
    memory = model.encode(src, src_mask)
    ids = src.new_full((len(src), 1), bos_id)
    finished = torch.zeros(len(src), dtype=torch.bool, device=src.device)
    while ids.shape[1] < max_len and not finished.all():
        hidden = model.decode(memory, src_mask, ids, causal_mask(ids.shape[1], ids.device))  # (B, T, d)
        new = model.generator(hidden[:, -1]).argmax(dim=-1)  # (B,): only the last position says what comes next
        new = new.masked_fill(finished, PAD)
        finished = finished | (new == eos_id)
        ids = torch.cat([ids, new[:, None]], dim=1)
    return ids
    ### END SOLUTION


def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Draw the next token of every row.

    Args:
        logits: scores ``(B, V)``, not changed. Log-probabilities will do as well.
        temperature: the logits are divided by it; 0 takes the largest logit, whatever the filters.
        top_k: only the ``top_k`` largest logits of a row may be drawn; ``None``, or more than ``V``, is no limit.
        top_p: of what ``top_k`` left, renormalised, only the smallest set of most likely tokens whose probabilities
            add up to ``top_p`` or more may be drawn. ``None`` and 1 are no limit.
        generator: a CPU ``torch.Generator`` for the draws; ``None``: PyTorch's default one.

    Returns:
        int64 ``(B,)``: for each row one token, drawn with the probabilities of those that are left, renormalised.

    Raises:
        ValueError: ``top_p`` outside ``(0, 1]``; also a negative temperature, or a ``top_k`` below 1.

    Source: Ackley et al. 1985, equation 5 (temperature); Fan et al. 2018 (top-k); Holtzman et al. 2020,
    section 3.1 (top-p).
    """
    ### BEGIN SOLUTION
    if temperature < 0:
        raise ValueError(f"temperature is {temperature}, but must be 0 or more.")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k is {top_k}, but at least one token must be left.")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p is {top_p}, but must be above 0 and at most 1.")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits.float() / temperature
    if top_k is not None and top_k < logits.shape[-1]:
        smallest_kept = logits.topk(top_k, dim=-1).values[:, -1:]  # (B, 1)
        logits = logits.masked_fill(logits < smallest_kept, float("-inf"))
    probabilities = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, tokens = probabilities.sort(dim=-1, descending=True)
        mass_before = ordered.cumsum(dim=-1) - ordered  # of all that are more likely: 0 for the first
        ordered = ordered.masked_fill(mass_before >= top_p, 0.0)
        probabilities = torch.zeros_like(ordered).scatter(-1, tokens, ordered)  # back to the order of the vocabulary
    drawn = torch.multinomial(probabilities.cpu(), 1, generator=generator)  # it renormalises by itself
    return drawn.squeeze(-1).to(logits.device)
    ### END SOLUTION


class KVCache:
    """Keys and values of the positions that a decoder has read, for each of its layers.

    A new cache is empty. Caches are independent of each other.

    Attributes:
        length: how many positions layer 0 holds, an ``int``; 0 in an empty cache.

    Source: Shazeer 2019, section 2.4 (incremental decoding).
    """

    def __init__(self):
        ### BEGIN SOLUTION
        self.layers = {}
        ### END SOLUTION

    @property
    def length(self):
        """The number of positions in layer 0."""
        ### BEGIN SOLUTION
        return self.layers[0][0].shape[-2] if 0 in self.layers else 0
        ### END SOLUTION

    def update(self, layer, k, v):
        """Append the keys and values of new positions to those of a layer.

        Args:
            layer: number of the layer, from 0.
            k, v: ``(B, H, T_new, d_head)``, for one new position or several. Not changed.

        Returns:
            ``(k, v)``: all keys and all values of that layer so far, each ``(B, H, T, d_head)``, the new ones last.
        """
        ### BEGIN SOLUTION
        if layer in self.layers:
            old_k, old_v = self.layers[layer]
            k, v = torch.cat([old_k, k], dim=-2), torch.cat([old_v, v], dim=-2)
        self.layers[layer] = k, v
        return k, v
        ### END SOLUTION

    def reorder(self, rows):
        """Select rows of the batch, in every layer: a beam search keeps those of the prefixes that survive a step.

        Args:
            rows: int64 ``(B_new,)``: for each new row, the index of the old row that it continues. An index may occur
                several times, or not at all. Not changed.

        What `update` returned before stays as it was, and so does ``length``. In an empty cache nothing happens.
        """
        ### BEGIN SOLUTION
        self.layers = {layer: (k[rows], v[rows]) for layer, (k, v) in self.layers.items()}
        ### END SOLUTION


@torch.no_grad()
def cached_greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    """`greedy_decode`, in which each step runs the decoder on the newest position only.

    Args:
        model: see above. Its ``decode_step(memory, src_mask, last_ids, cache)`` takes the newest ids ``(B,)``, adds
            their keys and values to the cache, and returns the decoder's output at this position, ``(B, d)``. The
            caller sets the model's mode (training or evaluation); this function never changes it.
        src, src_mask, max_len, bos_id, eos_id: as in `greedy_decode`.

    Returns:
        The rows of `greedy_decode`: int64 ``(B, T)`` with ``T <= max_len``; each row is ``bos_id``, the ids that were
        written, ``eos_id`` if it was reached, and then ``PAD``. Nothing is recorded for gradients.

    Source: Shazeer 2019, section 2.4 (incremental decoding).
    """
    ### BEGIN SOLUTION
    memory, cache = model.encode(src, src_mask), KVCache()
    columns = [src.new_full((len(src),), bos_id)]
    finished = torch.zeros(len(src), dtype=torch.bool, device=src.device)
    while len(columns) < max_len and not finished.all():
        hidden = model.decode_step(memory, src_mask, columns[-1], cache)  # (B, d): all that came before is in the cache
        new = model.generator(hidden).argmax(dim=-1).masked_fill(finished, PAD)
        finished = finished | (new == eos_id)
        columns.append(new)
    return torch.stack(columns, dim=1)
    ### END SOLUTION


@torch.no_grad()
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    """Look for the most likely output by keeping several prefixes at each step.

    From the ``beam_size`` best prefixes all continuations by one token are formed, and the ``beam_size`` with the
    largest sums of log-probabilities are kept. One that ends in ``eos_id`` is finished and not continued. Finished
    ones are compared by ``sum / ((5 + length) / 6) ** length_penalty``, where ``length`` counts the ids after
    ``bos_id``, ``eos_id`` included.

    Args:
        model, src, src_mask, bos_id, eos_id: as in ``greedy_decode``.
        max_len: the most ids of an output, ``bos_id`` and ``eos_id`` included.
        beam_size: how many prefixes are kept. 1 is greedy decoding.
        length_penalty: the exponent; 0 compares plain sums, larger values favour long outputs.

    Returns:
        For each source the ids of the best output, a list of ``int`` without ``bos_id``, ``eos_id`` and ``PAD``.
        Outputs that are not finished after ``max_len`` ids count only where no output is finished.

    Source: Sutskever et al. 2014, section 3.2 (search); Wu et al. 2016, section 7 (length penalty).
    """
    ### BEGIN SOLUTION
    memory = model.encode(src, src_mask)
    remembers = hasattr(model, "decode_step")
    outputs = []
    for row in range(len(src)):
        beams = src.new_full((1, 1), bos_id)  # one prefix only: equal prefixes would stay equal
        scores = memory.new_zeros(1)
        cache = KVCache()
        finished: list[tuple[float, list[int]]] = []
        for length in range(1, max_len):  # ids after bos_id once this step is done
            # Index lists repeat what belongs to this source once for each prefix.
            own, own_mask = memory[[row] * len(beams)], src_mask[[row] * len(beams)]
            if remembers:
                newest = model.decode_step(own, own_mask, beams[:, -1], cache)  # (prefixes, d)
            else:
                newest = model.decode(own, own_mask, beams, causal_mask(length, beams.device))[:, -1]
            totals = scores[:, None] + model.generator(newest)  # (prefixes, V)
            room = beam_size - len(finished)
            scores, places = totals.flatten().topk(min(room, totals.numel()))
            parents, new = places // totals.shape[1], places % totals.shape[1]
            beams = torch.cat([beams[parents], new[:, None]], dim=1)
            ended = new == eos_id
            penalty = math.pow((5 + length) / 6, length_penalty)
            finished += zip((scores[ended] / penalty).tolist(), beams[ended].tolist())
            beams, scores = beams[~ended], scores[~ended]
            cache.reorder(parents[~ended])
            if len(beams) == 0:
                break
        _, best = max(finished or zip(scores.tolist(), beams.tolist()))
        outputs.append([token for token in best if token not in (bos_id, eos_id, PAD)])
    return outputs
    ### END SOLUTION


class TableModel:
    """A model for tests of a search: it looks up how likely each next id is. `beam_search` can call it.

    Args:
        likely: a function of the source and of the ids written so far, two tuples of ``int``, the first without
            padding and the second without ``BOS``. It returns the probabilities of the ids that may come next, a
            dictionary. Ids that are not in it have a millionth each, and the special ones among them far less.
        vocab_size: ``V``; the ids 0 to 3 are special.
    """

    def __init__(self, likely, vocab_size=12):
        self.likely = likely
        self.others = dict.fromkeys(range(4), 1e-12) | dict.fromkeys(range(4, vocab_size), 1e-6)

    def encode(self, src, src_mask):
        return src[..., None].float()  # (B, T_src, 1): the memory holds the ids themselves

    def decode(self, memory, src_mask, tgt, tgt_mask):
        hidden = memory.new_zeros(*tgt.shape, len(self.others))  # (B, T, V)
        for row, ids in enumerate(tgt.tolist()):
            source = tuple(memory[row, :, 0][src_mask[row, 0, 0]].int().tolist())
            for t in range(len(ids)):
                row_of_table = self.others | self.likely(source, tuple(ids[1 : t + 1]))
                hidden[row, t] = torch.tensor([row_of_table[token] for token in range(len(row_of_table))]).log()
        return hidden

    def generator(self, hidden):
        return hidden  # log-probabilities already


def test_beam(beam_search):
    """A test of `beam_search`: it returns for a right implementation and raises for a wrong one.

    Args:
        beam_search: the implementation to test, called as in Task 5. It comes in many styles, which differ in when
            they stop and in whether an output that is finished still takes room in the beam.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. Random generators are seeded before each call.
    """
    ### BEGIN SOLUTION
    a, b, c, d, e = range(4, 9)
    tables = {
        # All that follows the likelier first token is unlikely. Two good prefixes begin with b; EOS decides.
        (a,): {
            (): {a: 0.6, b: 0.4},
            (a,): {a: 0.25, b: 0.25, c: 0.25, d: 0.25},
            (b,): {c: 0.52, a: 0.48},
            (b, a): {EOS: 0.9, e: 0.1},
            (b, c): {EOS: 0.15, e: 0.85},
        },
        # What is unlikely at first would be certain later, and of two children of one parent the second is better.
        (b, c): {(): {a: 0.9, b: 0.1}, (a,): {c: 0.55, d: 0.45}, (a, c): {e: 1.0}, (a, d): {EOS: 0.8, e: 0.2}},
        # 0.4 with one id against 0.6 * 0.8 ** 3 with four: equal where the exponent is 0.6244.
        (d,): {
            (): {EOS: 0.4, a: 0.6},
            (a,): {a: 0.8, e: 0.2},
            (a, a): {a: 0.8, e: 0.2},
            (a, a, a): {EOS: 0.8, e: 0.2},
        },
    }
    model = TableModel(lambda source, written: tables[source].get(written, {e: 1.0}))
    src = torch.tensor([[a, PAD], [b, c], [d, PAD]])
    mask = (src != PAD)[:, None, None, :]
    for max_len, penalty, expected in (
        (7, 0.60, [[b, a], [a, d], []]),
        (7, 0.65, [[b, a], [a, d], [a, a, a]]),
        (3, 0.00, [[b, c], [a, c], []]),  # room for two ids: the first two sources have no finished output
    ):
        found = beam_search(model, src, mask, max_len, beam_size=2, length_penalty=penalty)
        assert found == expected, f"max_len {max_len}, length_penalty {penalty}: {found}"
    ### END SOLUTION
