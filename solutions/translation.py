"""Unit 14, translation: train a Transformer for real, from a laptop to many GPUs.

    python -m solutions.translation train --preset tiny --out runs/tiny
    python -m solutions.translation evaluate runs/tiny --average --outputs outputs.tsv
    python -m solutions.translation translate runs/tiny "Der alte Mann macht die Tür auf."
    torchrun --nproc-per-node 2 -m solutions.translation train --preset small --out runs/small

The first part of this file is what a learner writes: batches with a token budget, one training step, the evaluation,
and pictures of attention. The second part is the program around it: data, tokenisers, the loop with its checkpoints,
and the command line.

Shapes: ``B`` sentences in a batch, ``S`` and ``T`` tokens of source and target, ``V`` vocabulary size, ``N`` rows. A
*pair* of texts is ``(german, english)``; a pair of ids is ``(source, target)``, where the source ends in EOS and the
target runs from BOS to EOS (see `encode_pairs`).
"""

import argparse
import contextlib
import copy
import dataclasses
import itertools
import json
import math
import os
import re
import shlex
import signal
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from solutions import BOS, EOS, PAD, UNK
from solutions.bleu import corpus_bleu
from solutions.blocks import LayerNorm
from solutions.decoding import beam_search, greedy_decode
from solutions.losses import LabelSmoothing
from solutions.masks import padding_mask
from solutions.multihead import MultiHeadAttention, merge_heads, split_heads
from solutions.optim import AdamW, noam_scheduler
from solutions.tokens import SPECIALS, Vocabulary, bpe_decode, bpe_encode, train_bpe
from solutions.training import Batch, _fill_batches
from solutions.transformer import count_parameters, make_model

# --- given: from texts to batches, and back -----------------------------------------------------------------------


WORD = r"\w+(?:[-'’]\w+)*|[^\w\s]"


def words(text):
    """The words and punctuation marks of a text, in order: ``"Ja, gut."`` gives ``["Ja", ",", "gut", "."]``.

    BLEU counts them, and the alignments of the grammar are places in this list.
    """
    return re.findall(WORD, text)


def encode_pairs(pairs, tokenizer):
    """Pairs of texts as pairs of ids: the source ends in EOS, the target runs from BOS to EOS."""
    sources = tokenizer.encode_all([source for source, _ in pairs])
    targets = tokenizer.encode_all([target for _, target in pairs])
    return [([*source, EOS], [BOS, *target, EOS]) for source, target in zip(sources, targets)]


def pad_rows(rows):
    """Lists of ids as one int64 tensor ``(B, T)``, filled up with PAD."""
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def make_batch(pairs):
    """A `Batch` of pairs of ids."""
    return Batch(pad_rows([source for source, _ in pairs]), pad_rows([target for _, target in pairs]))


def translate(model, sentences, tokenizer=None, beam_size=1, max_tokens=4096):
    """Translations of some texts, in their order.

    Args:
        model: a Transformer. It is used in evaluation mode, and left in the mode in which it comes.
        sentences: list of texts.
        tokenizer: has ``encode_all`` and ``decode``; ``None``: the model's own, ``model.tokenizer``.
        beam_size: 1 decodes greedily, more is a beam search.
        max_tokens: padded source tokens in a batch.

    Returns:
        A list of texts. An output may have twice as many tokens as the longest source of its batch, and ten more.
    """
    if tokenizer is None:
        tokenizer = model.tokenizer
    there = next(model.parameters()).device
    sources = [[*ids, EOS] for ids in tokenizer.encode_all(sentences)]
    outputs = [""] * len(sources)
    order = sorted(range(len(sources)), key=lambda place: len(sources[place]))
    was_training = model.training
    model.train(False)
    while order:
        count = max(1, max_tokens // len(sources[order[-1]]))
        places, order = order[-count:], order[:-count]  # the longest first
        src = pad_rows([sources[place] for place in places]).to(there)
        max_len = 2 * src.shape[1] + 10
        if beam_size == 1:
            ids = greedy_decode(model, src, padding_mask(src), max_len).tolist()
        else:
            ids = beam_search(model, src, padding_mask(src), max_len, beam_size)
        for place, row in zip(places, ids):
            outputs[place] = tokenizer.decode([token for token in row if token not in (PAD, BOS, EOS)])
    model.train(was_training)
    return outputs


# --- what a learner writes ----------------------------------------------------------------------------------------


def token_batches(pairs, max_tokens, generator=None):
    """Divide pairs of sentences into batches of a limited number of tokens, padding included.

    Args:
        pairs: ``list[tuple[list[int], list[int]]]``, the ids of source and target of each pair; not changed.
        max_tokens: the largest cost of a batch. ``n`` pairs in one batch cost ``n`` times (longest source + longest
            target): all of them are padded to the longest.
        generator: ``torch.Generator`` that shuffles the batches; ``None`` leaves them in the order of their lengths.

    Returns:
        ``list[list[int]]``: for each batch the indices of its pairs in ``pairs``. Every index occurs once. Pairs of
        like length share a batch, so that there is little padding, and batches are filled, so that there are not twice
        as many as needed; how exactly is free. Without pairs it is ``[]``.
        A generator changes the order of the batches and not what is in them: as many as there are, in the order of
        ``torch.randperm(len(batches), generator=generator)``.

    Raises:
        ValueError: a pair alone costs more than ``max_tokens``; the message names its index.

    Source: Vaswani et al. 2017, section 5.1 (batches of about 25,000 source and 25,000 target tokens).
    """
    ### BEGIN SOLUTION
    sizes = [(len(source), len(target)) for source, target in pairs]
    for index, size in enumerate(sizes):
        if sum(size) > max_tokens:
            raise ValueError(f"max_tokens is {max_tokens}, but pair {index} alone costs {sum(size)} tokens.")
    return _fill_batches(sizes, max_tokens, generator)
    ### END SOLUTION


class StepResult(NamedTuple):
    """What came of one step.

    Attributes:
        loss: mean loss per target token, before the step.
        tokens: how many target tokens were predicted.
        norm: the norm of the whole gradient, before clipping.
    """

    loss: float
    tokens: int
    norm: float


def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    """One step of the optimiser, with the gradient of several batches.

    Args:
        model: a Transformer: ``model(src, tgt, src_mask, tgt_mask)`` gives hidden vectors, of which
            ``model.generator`` makes log-probabilities ``(..., V)``. It is put into training mode.
        batches: list of ``Batch``, the micro-batches of this step.
        loss_fn: takes log-probabilities ``(N, V)`` and target ids ``(N,)``; returns the *sum* of the losses of the
            targets that are no padding.
        optimizer: steps once. Gradients left over from before do not count.
        scheduler: steps once, after the optimiser, if there is one.
        max_norm: the gradient of all micro-batches together is clipped to this norm; ``None`` clips nothing.

    Returns:
        A `StepResult` of plain numbers.

    The gradient is that of the mean loss per token over all target tokens of all micro-batches, as if they had been
    one batch.

    Source: Vaswani et al. 2017, section 5; Ott et al. 2018 (accumulation); Pascanu et al. 2013 (clipping).
    """
    ### BEGIN SOLUTION
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = loss_fn(log_probs.flatten(0, -2), batch.tgt_y.flatten()) / max(tokens, 1)
        loss.backward()  # gradients add up from batch to batch
        total += loss.detach()
    # Without a limit this only measures. One number for all parameters: a GPU has to be waited for only once.
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm)
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(float(total), tokens, float(norm))
    ### END SOLUTION


def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    """BLEU of a model's translations, and its loss on the reference translations.

    Args:
        model: a Transformer, as in `training_step`. It is judged in evaluation mode and without gradients, and left in
            the mode in which it comes.
        pairs: list of ``(source, target)`` texts.
        tokenizer: has ``encode_all(list[str]) -> list[list[int]]`` and ``decode(list[int]) -> str``; ``None``: the
            model's own, ``model.tokenizer``.
        beam_size: of the decoding, see `translate`.
        max_tokens: cost of a batch, as in `token_batches`; a single pair may cost more.

    Returns:
        ``{"bleu": float, "loss": float}``. BLEU is that of the whole corpus, from 0 to 100, over the `words` of outputs
        and references. The loss is plain cross-entropy, in nats per target token (EOS counts, BOS and padding do
        not), over all tokens of all pairs. Without pairs both are 0.0.

    Source: Papineni et al. 2002 (BLEU); chapter 9 (tokens that count).
    """
    ### BEGIN SOLUTION
    tokenizer = tokenizer or model.tokenizer
    device = next(model.parameters()).device
    ids = encode_pairs(pairs, tokenizer)
    max_tokens = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    training = model.training
    model.eval()
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, max_tokens):
            batch = make_batch([ids[place] for place in places]).to(device)
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss += F.nll_loss(log_probs.transpose(1, 2), batch.tgt_y, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, max_tokens)
    model.train(training)
    bleu = corpus_bleu([words(output) for output in outputs], [[words(target)] for _, target in pairs])
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}
    ### END SOLUTION


def attention_maps(model, src, tgt):
    """Where every head of every layer looks, for one pair of sentences.

    Args:
        model: a Transformer of unit 8: every attention in it is a `MultiHeadAttention`, whose ``weights`` are those
            of its last call. It is called in evaluation mode and without gradients, and left in the mode in which it
            comes.
        src: source ids ``(1, S)``.
        tgt: ids that the decoder reads, ``(1, T)``.

    Returns:
        A dictionary of three tensors ``(layers, H, T_q, T_k)``: ``"encoder"`` ``(layers, H, S, S)``, ``"decoder"``
        ``(layers, H, T, T)`` and ``"cross"`` ``(layers, H, T, S)``, the layers in the order in which they act.

    Source: Vaswani et al. 2017, figures 3 to 5; Bahdanau et al. 2015, figure 3 (alignments as pictures).
    """
    ### BEGIN SOLUTION
    training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(training)

    def stacked(attentions):
        return torch.stack([attention.weights[0] for attention in attentions])

    return {
        "encoder": stacked(layer.self_attention for layer in model.encoder.layers),
        "decoder": stacked(layer.self_attention for layer in model.decoder.layers),
        "cross": stacked(layer.cross_attention for layer in model.decoder.layers),
    }
    ### END SOLUTION


def read_alignment(weights):
    """For each target position the source position that it attends to most.

    Args:
        weights: attention weights ``(T, S)``, for instance cross-attention averaged over heads.

    Returns:
        A list of ``T`` integers; of equally large weights the first counts.

    Source: Bahdanau et al. 2015, section 5.2.1 (soft alignment); Luong et al. 2015, section 5.4 (one link each).
    """
    ### BEGIN SOLUTION
    return weights.argmax(dim=1).tolist()  # of several maxima it takes the first
    ### END SOLUTION


def train_translator(pairs, seed=0):
    """The whole way, in your own manner: from pairs of sentences to a function that translates.

    Args:
        pairs: list of ``(german, english)`` texts; not changed.
        seed: of everything random. The same seed gives the same translator, whatever was random before.

    Returns:
        ``(model, translate)``: the ``nn.Module`` that was trained, of at most 500,000 parameters, and a function
        ``translate(list[str]) -> list[str]``, which gives one translation for each sentence, in their order, and makes
        them with this model's parameters.

    Graded is the BLEU, over `words`, of what ``translate`` makes of sentences that are not in ``pairs``. Training and
    translating together may take 60 seconds on one core: of processor time, so waiting does not count. ``pairs`` is all
    that there is to train on; the course's grammar is not there when the answer is graded.

    Source: Sutskever et al. 2014, section 3; Vaswani et al. 2017, section 5.
    """
    ### BEGIN SOLUTION
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    epochs = [token_batches(ids, 1100, generator) for _ in range(6)]
    steps = sum(map(len, epochs))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.98))
    # Up in a quarter of the time, then down to nothing: what is left of the time is known here.
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: min(4 * (k + 1), (steps - k) * 4 / 3) / steps)
    for places in itertools.chain.from_iterable(epochs):
        batch = make_batch([ids[place] for place in places])
        training_step(model, [batch], loss_fn, optimizer, scheduler, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator
    ### END SOLUTION


# --- the same model, faster ---------------------------------------------------------------------------------------


class FusedAttention(MultiHeadAttention):
    """A `MultiHeadAttention` that leaves scores, softmax and dropout to one call of PyTorch, and keeps no weights."""

    def forward(self, query, key, value, mask=None):
        """As in `MultiHeadAttention`."""
        # One product where several projections read the same: of all three, or of keys and values.
        if query is key and key is value:
            q, k, v = self.project(query, self.w_q, self.w_k, self.w_v)
        elif key is value:
            (q,), (k, v) = self.project(query, self.w_q), self.project(key, self.w_k, self.w_v)
        else:
            (q,), (k,), (v,) = self.project(query, self.w_q), self.project(key, self.w_k), self.project(value, self.w_v)
        dropout = self.dropout.p if self.training else 0.0
        return self.w_o(merge_heads(F.scaled_dot_product_attention(q, k, v, mask, dropout)))

    def project(self, x, *layers):
        """What these linear layers make of ``x``, each cut into heads."""
        weight = torch.cat([layer.weight for layer in layers])
        bias = torch.cat([layer.bias for layer in layers])
        return [split_heads(part, self.num_heads) for part in F.linear(x, weight, bias).chunk(len(layers), dim=-1)]


class FusedLayerNorm(LayerNorm):
    """A `LayerNorm` that is one call of PyTorch."""

    def forward(self, x):
        """As in `LayerNorm`."""
        return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.eps)


FUSED = {MultiHeadAttention: FusedAttention, LayerNorm: FusedLayerNorm}


@contextlib.contextmanager
def replaced(model, classes):
    """While it lasts, the modules of a model have other classes, with the same parameters."""
    changed = [(module, type(module)) for module in model.modules() if type(module) in classes]
    for module, own in changed:
        module.__class__ = classes[own]
    try:
        yield model
    finally:
        for module, own in changed:
            module.__class__ = own


def faster_classes(config):
    """What `replaced` puts in for the switches of a `TranslationConfig`."""
    attention = {MultiHeadAttention: FusedAttention} if config.sdpa else {}
    return attention | ({LayerNorm: FusedLayerNorm} if config.kernels else {})


def fused(model):
    """A context in which a model computes the same with fewer, larger calls, and keeps no attention weights."""
    return replaced(model, FUSED)


class SmoothedSum(torch.autograd.Function):
    """The part of `LabelSmoothing` that depends on ``x``: minus the sum of ``true_dist * x``, without the table."""

    @staticmethod
    def forward(ctx, x, target, padding, confidence, rest):
        """From two numbers of each row: its sum, and what is at the target."""
        ctx.save_for_backward(target)
        ctx.values = x.shape, x.dtype, padding, confidence, rest
        at_target = x.gather(1, target[:, None]).squeeze(1)
        rows = confidence * at_target + rest * (x.sum(1) - x[:, padding] - at_target)
        return -rows.masked_fill(target == padding, 0.0).sum()

    @staticmethod
    def backward(ctx, gradient):
        """Minus the table, which has three different values, times the gradient of the sum."""
        (target,) = ctx.saved_tensors
        shape, dtype, padding, confidence, rest = ctx.values
        table = torch.full(shape, -rest, dtype=dtype, device=target.device)
        table.scatter_(1, target[:, None], -confidence)
        table[:, padding] = 0
        table *= (gradient * (target != padding))[:, None]
        return table, None, None, None, None


class ClosedLabelSmoothing(LabelSmoothing):
    """`LabelSmoothing` in two passes over the predictions, one on the way there and one on the way back."""

    def forward(self, x, target):
        """As in `LabelSmoothing`, for finite log-probabilities."""
        rest = self.smoothing / (self.size - 2)
        entropy = sum(count * p * math.log(p) for count, p in ((1, 1 - self.smoothing), (self.size - 2, rest)) if p > 0)
        counted = (target != self.padding_idx).sum()
        if not torch.compiler.is_compiling():
            return counted * entropy + SmoothedSum.apply(x, target, self.padding_idx, 1 - self.smoothing, rest)
        # A compiler that sees how the table comes about stores neither it nor the log-probabilities.
        column = torch.arange(self.size, device=x.device)
        table = torch.where(column == target[:, None], 1 - self.smoothing, rest).masked_fill(
            column == self.padding_idx, 0
        )
        return counted * entropy - (table * x).sum(1).masked_fill(target == self.padding_idx, 0).sum()


class Body(nn.Module):
    """A model without its generator as one module, which is what can be compiled and distributed as a whole.

    To `training_step` it looks like a model whose generator has nothing to do: that is left to `BodyLoss`.

    Args:
        model: a Transformer.
        bf16: compute in bfloat16 where PyTorch's autocast finds that safe; parameters stay as they are.
    """

    def __init__(self, model, bf16=False):
        super().__init__()
        self.model = model
        self.bf16 = bf16
        self.generator = nn.Identity()

    def forward(self, src, tgt, src_mask, tgt_mask):
        """Hidden vectors ``(B, T, d)``."""
        with torch.autocast(src.device.type, torch.bfloat16, enabled=self.bf16):
            return self.model(src, tgt, src_mask, tgt_mask)


class BodyLoss(nn.Module):
    """A generator and a loss in one: compiled together, they need no memory for ``N * V`` log-probabilities.

    Args:
        generator: makes log-probabilities ``(N, V)`` of hidden vectors ``(N, d)``.
        loss_fn: as in `training_step`.
        bf16: as in `Body`, for the generator's product; everything after it is float32.
    """

    def __init__(self, generator, loss_fn, bf16=False):
        super().__init__()
        self.generator, self.loss_fn, self.bf16 = generator, loss_fn, bf16

    def forward(self, hidden, target):
        """The loss of hidden vectors ``(N, d)`` and target ids ``(N,)``, a float32 scalar."""
        with torch.autocast(hidden.device.type, torch.bfloat16, enabled=self.bf16):
            log_probs = self.generator(hidden)
        return self.loss_fn(log_probs.float(), target)


def as_set(model, config):
    """A model and its loss as a `TranslationConfig` has them: what `training_step` takes for ``model`` and ``loss_fn``.

    The switches ``sdpa`` and ``kernels`` also need the context of `replaced`, see `faster_classes`.
    """
    smoothing = ClosedLabelSmoothing if config.kernels else LabelSmoothing
    size, device = model.generator.proj.out_features, model.generator.proj.weight.device
    whole = Body(model, bool(config.bf16))
    loss_fn = BodyLoss(model.generator, smoothing(size, PAD, config.smoothing).to(device), bool(config.bf16))
    if config.compile:
        for part in (whole, loss_fn):
            part.compile(dynamic=True)
    return whole, loss_fn


class Distributed(nn.parallel.DistributedDataParallel):
    """PyTorch's data-parallel module, which averages gradients over all processes, with the generator of a `Body`."""

    def __init__(self, module, **options):
        super().__init__(module, **options)
        self.generator = module.generator


# --- tokenisers ---------------------------------------------------------------------------------------------------


class BadInput(ValueError):
    """Something that the caller has to change; the message is one sentence that says what."""


def tokenizers_library():
    """The package ``tokenizers``, which only this tokeniser needs."""
    try:
        import tokenizers
    except ImportError:
        raise BadInput(
            "The package tokenizers is missing: run `pip install tokenizers`, or choose --tokenizer own."
        ) from None
    return tokenizers


class LibraryBPE:
    """Byte-pair encoding of the ``tokenizers`` library, one vocabulary for both languages."""

    kind = "bpe"

    def __init__(self, saved):
        """From what `saved` returned."""
        self.inner = tokenizers_library().Tokenizer.from_str(saved)
        self.inner.encode_special_tokens = True  # "<eos>" in a text is five characters

    @classmethod
    def train(cls, texts, vocab_size):
        """Learn a vocabulary of at most ``vocab_size`` tokens from some texts."""
        library = tokenizers_library()
        inner = library.Tokenizer(library.models.BPE(unk_token=SPECIALS[UNK]))
        inner.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=True)
        inner.decoder = library.decoders.ByteLevel()
        trainer = library.trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=list(SPECIALS), show_progress=False)
        inner.train_from_iterator(texts, trainer)
        return cls(inner.to_str())

    def __len__(self):
        return self.inner.get_vocab_size()

    def encode_all(self, texts):
        """The ids of every text."""
        return [encoding.ids for encoding in self.inner.encode_batch(list(texts))]

    def decode(self, ids):
        """The text of some ids."""
        return self.inner.decode(ids).strip()

    def ends(self, text):
        """For every token of a text the place of its last character."""
        return [end - 1 for _, end in self.inner.encode(text).offsets]

    def saved(self):
        """A string from which it can be built again."""
        return self.inner.to_str()


class OwnBPE:
    """The byte-pair encoding of unit 1; its ids come after those of the special tokens."""

    kind = "own"

    def __init__(self, saved):
        """From what `saved` returned."""
        self.merges = [(bytes.fromhex(left), bytes.fromhex(right)) for left, right in json.loads(saved)]

    @classmethod
    def train(cls, texts, vocab_size):
        """Learn a vocabulary of at most ``vocab_size`` tokens from some texts."""
        if vocab_size < len(SPECIALS) + 256:
            raise BadInput(f"--vocab-size is {vocab_size}, but special tokens and single bytes alone are 260.")
        merges = train_bpe("\n".join(texts), vocab_size - len(SPECIALS) - 256)
        return cls(json.dumps([(left.hex(), right.hex()) for left, right in merges]))

    def __len__(self):
        return len(SPECIALS) + 256 + len(self.merges)

    def encode_all(self, texts):
        """The ids of every text; all texts go through one call, since words repeat."""
        lines: list[list[int]] = [[]]
        for index in bpe_encode("\n".join(" ".join(text.split()) for text in texts), self.merges):
            if index == ord("\n"):
                lines.append([])
            else:
                lines[-1].append(len(SPECIALS) + index)
        return lines if texts else []

    def decode(self, ids):
        """The text of some ids; special tokens have none."""
        return bpe_decode([index - len(SPECIALS) for index in ids if index >= len(SPECIALS)], self.merges)

    def ends(self, text):
        """For every token of a text the place of its last character."""
        ids = [index - len(SPECIALS) for index in self.encode_all([text])[0]]
        return [max(len(bpe_decode(ids[: count + 1], self.merges)) - 1, 0) for count in range(len(ids))]

    def saved(self):
        """A string from which it can be built again."""
        return json.dumps([(left.hex(), right.hex()) for left, right in self.merges])


TOKENIZERS: dict = {"bpe": LibraryBPE, "own": OwnBPE}


# --- data ---------------------------------------------------------------------------------------------------------


def grammar_pairs(n, seed, split="train", construction=None):
    """Pairs of German and English sentences from the course's own grammar: see `solutions.grammar.aligned_pairs`."""
    from solutions import grammar

    return grammar.grammar_pairs(n, seed, split, construction)


def load_pairs(source, split, limit=None):
    """Pairs of texts to train on, or to be judged by.

    Args:
        source: ``"grammar"``, the course's own; ``"multi30k"``, 29,000 captions of pictures, through the package
            ``datasets``; or the path of a TSV file: German, a tab, English in each line, UTF-8.
        split: ``"train"``, ``"valid"`` or ``"test"``; of the grammar also ``"held-out"``; of a file also ``"all"``.
            In a file 1 sentence in 20 is for validation and 1 in 20 for testing, chosen by its German text.
        limit: at most so many pairs; ``None``: all of them, of the grammar 20,000 for training and 1,000 for others.

    Returns:
        ``list[tuple[str, str]]``: ``(german, english)``.

    Raises:
        BadInput: with a sentence that says what is wrong with the source, and where.
    """
    if limit is not None and limit < 1:
        raise BadInput(f"The number of pairs is {limit}, but must be at least 1.")
    if source == "grammar":
        if split not in ("train", "valid", "test", "held-out"):
            raise BadInput(f"The grammar has the splits train, valid, test and held-out, but not {split!r}.")
        return grammar_pairs((20_000 if split == "train" else 1000) if limit is None else limit, 0, split)
    pairs = multi30k_pairs(split) if source == "multi30k" else tsv_pairs(Path(source), split)
    return pairs[:limit]


def multi30k_pairs(split):
    """Multi30k (Elliott et al. 2016), fetched the first time."""
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
    return [(row["de"], row["en"]) for row in rows]


def tsv_pairs(path, split="all"):
    """The pairs of a TSV file, or those of one split of it."""
    if split not in ("train", "valid", "test", "all"):
        raise BadInput(f"A TSV file has the splits train, valid, test and all, but not {split!r}.")
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
        columns = [column.strip() for column in text.split("\t")]
        if len(columns) < 2 or not all(columns[:2]):
            raise BadInput(
                f"{path}, line {number}: a line needs two columns, German and English, with a tab between them."
            )
        pairs.append((columns[0], columns[1]))
    if not pairs:
        raise BadInput(f"{path} is empty: it needs lines of German, a tab, English.")
    part = {0: "test", 1: "valid"}
    # Not the remainder of the checksum itself: the grammar divides by that, and its sentences may stand in a file.
    chosen = [pair for pair in pairs if split in ("all", part.get(zlib.crc32(pair[0].encode()) // 20 % 20, "train"))]
    if not chosen:
        raise BadInput(f"{path}: none of its {len(pairs)} pairs falls into the split {split}; give it more lines.")
    return chosen


# --- settings -----------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class TranslationConfig:
    """Everything that makes a run what it is, apart from its pairs.

    Attributes:
        tokenizer: "bpe" (the library) or "own" (unit 1).
        vocab_size: the most tokens of the vocabulary, which both languages share.
        num_layers, d_model, d_ff, num_heads, dropout, norm, tie_weights: as in ``make_model``.
        smoothing: of the labels.
        max_tokens: cost of a micro-batch, see `token_batches`.
        accumulate: micro-batches for a step, in each process.
        steps: steps of the optimiser in all.
        warmup, factor: of the learning rate, see ``noam_lr``.
        weight_decay, max_norm: of AdamW, and of clipping.
        save_every: steps between checkpoints; 0 makes it a twentieth of all.
        keep: so many of the last checkpoints keep their weights, to be averaged.
        seed: of parameters, batches and dropout.
        threads: of the processor; ``None``: as many as PyTorch takes. With others, sums are rounded in another way.
        bf16: bfloat16 in autocast.
        sdpa: PyTorch's fused attention.
        kernels: PyTorch's layer normalisation, and smoothing without a table.
        compile: ``torch.compile``.
        fused_adamw: PyTorch's AdamW, fused where the device has that, instead of unit 11's.

    The last five change the speed and, but for rounding, nothing else; ``None`` is for ``settled`` to decide.
    """

    tokenizer: str = "bpe"
    vocab_size: int = 1000
    num_layers: int = 2
    d_model: int = 128
    d_ff: int = 256
    num_heads: int = 4
    dropout: float = 0.0
    norm: str = "pre"
    tie_weights: bool = True
    smoothing: float = 0.1
    max_tokens: int = 1536
    accumulate: int = 1
    steps: int = 1500
    warmup: int = 250
    factor: float = 1.0
    weight_decay: float = 0.0
    max_norm: float = 1.0
    save_every: int = 0
    keep: int = 5
    seed: int = 0
    threads: int | None = None
    bf16: bool | None = None
    sdpa: bool = True
    kernels: bool = True
    compile: bool | None = None
    fused_adamw: bool = True

    def __post_init__(self):
        for name in ("num_layers", "d_model", "d_ff", "num_heads", "accumulate", "steps", "warmup", "keep", "threads"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadInput(f"{name} is {value}, but must be at least 1.")
        if self.d_model % self.num_heads:
            raise BadInput(f"num_heads must divide d_model, but {self.num_heads} does not divide {self.d_model}.")
        for name in ("dropout", "smoothing"):
            if not 0 <= getattr(self, name) < 1:
                raise BadInput(f"{name} is {getattr(self, name)}, but must be at least 0 and less than 1.")
        # Turned round, so that "nan" is refused as well.
        if not (0 < self.factor < math.inf and self.max_norm > 0):
            raise BadInput(f"factor is {self.factor} and max_norm {self.max_norm}, but both must be positive.")
        if not (0 <= self.weight_decay < math.inf and self.save_every >= 0):
            raise BadInput(
                f"weight_decay is {self.weight_decay} and save_every {self.save_every}, but neither may be negative."
            )
        if abs(self.seed) >= 2**40:
            raise BadInput(f"seed is {self.seed}, but must lie between -2**40 and 2**40.")
        for name, allowed in (("tokenizer", tuple(TOKENIZERS)), ("norm", ("pre", "post"))):
            if getattr(self, name) not in allowed:
                raise BadInput(f"{name} is {getattr(self, name)!r}, but must be one of {', '.join(allowed)}.")
        if not 32 <= self.vocab_size <= 10**6:
            raise BadInput(f"vocab_size is {self.vocab_size}, but must be from 32 to a million.")

    @classmethod
    def preset(cls, name, **changes):
        """One of `PRESETS`, with some settings changed."""
        if name not in PRESETS:
            raise BadInput(f"There is no preset {name!r}; there are {', '.join(PRESETS)}.")
        return dataclasses.replace(PRESETS[name], **changes)

    def settled(self, device):
        """The same with every ``None`` decided for a device: bfloat16 and compiling where there is a GPU for them."""
        gpu = device.type == "cuda"
        bf16 = gpu and torch.cuda.is_bf16_supported() if self.bf16 is None else self.bf16
        compile_ = gpu and self.d_model >= 512 if self.compile is None else self.compile  # smaller ones end too soon
        save_every = self.save_every or max(1, self.steps // 20)
        return dataclasses.replace(self, bf16=bf16, compile=compile_, save_every=save_every)


PRESETS = {
    # The grammar, on two cores of a laptop, in minutes.
    "tiny": TranslationConfig(),
    # Multi30k, on a GPU in minutes, on a CPU in hours.
    "small": TranslationConfig(
        vocab_size=8000, num_layers=3, d_model=256, d_ff=1024, num_heads=8, dropout=0.1, max_tokens=8192, steps=8000,
        warmup=1000,
    ),
    # The base model of Vaswani et al. 2017, table 3, with its batches of about 25,000 source and target tokens.
    "base": TranslationConfig(
        vocab_size=37_000, num_layers=6, d_model=512, d_ff=2048, num_heads=8, dropout=0.1, max_tokens=50_000,
        steps=100_000, warmup=4000, save_every=1000,
    ),
}  # fmt: skip


# --- speed, measured ----------------------------------------------------------------------------------------------

# Products of bfloat16 matrices, in operations per second, dense, from the data sheets of the makers.
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "L4": 121e12, "RTX 4090": 165e12}


def peak_rate(device, bf16=False):
    """The most operations per second that a device does in products of matrices: known, or measured here."""
    if device.type == "cuda" and bf16:
        for name, rate in PEAKS.items():
            if name in torch.cuda.get_device_name(device):
                return rate
    size = 4096 if device.type == "cuda" else 768
    matrix = torch.ones(size, size, device=device, dtype=torch.bfloat16 if bf16 else torch.float32)
    best = math.inf
    for _ in range(6):
        started = time.perf_counter()
        matrix @ matrix
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        best = min(best, time.perf_counter() - started)
    return 2 * size**3 / best


def step_operations(model, batches):
    """Operations of a training step in products of matrices, padding not counted: what utilisation is measured by.

    A weight makes 2 operations for each token that passes it, and twice as many on the way back; attention adds
    products of queries, keys and values.
    """

    def weights(module):
        return sum(parameter.numel() for parameter in module.parameters() if parameter.dim() == 2)

    cross = sum(weights(layer.cross_attention) for layer in model.decoder.layers)
    reading = weights(model.encoder) + cross // 2  # keys and values of the cross-attention are made of the source
    writing = weights(model.decoder) - cross // 2 + weights(model.generator)
    layers, width = len(model.encoder.layers), model.generator.proj.in_features
    total = 0
    for batch in batches:
        source = (batch.src != PAD).sum(1).double()
        target = (batch.tgt_y != PAD).sum(1).double()
        pairs = source.square() + target.square() / 2 + source * target
        total += 2 * (reading * source + writing * target).sum().item() + 4 * layers * width * pairs.sum().item()
    return 3 * total


class Progress:
    """Says how a training is getting on: as a bar in a terminal, as lines elsewhere."""

    def __init__(self, total, start, peak, quiet=False):
        self.total, self.peak, self.quiet = total, peak, quiet
        self.bar = None
        if not quiet and sys.stderr.isatty():
            from tqdm import tqdm

            self.bar = tqdm(total=total, initial=start, unit="step", dynamic_ncols=True)
        self.every = max(1, total // 40)
        self.started = self.last = time.perf_counter()
        self.start = start
        self.loss, self.steps, self.tokens, self.operations = 0.0, 0, 0, 0.0

    def step(self, done, loss, tokens, operations):
        """After a step: its loss and target tokens, and what it computed."""
        self.loss, self.steps = self.loss + loss, self.steps + 1
        self.tokens, self.operations = self.tokens + tokens, self.operations + operations
        if self.bar is not None:
            self.bar.update()
        now = time.perf_counter()
        if self.quiet or (done < self.total and done % self.every and not (self.bar and now - self.last > 1)):
            return
        seconds = max(now - self.last, 1e-9)
        left = (now - self.started) / (done - self.start) * (self.total - done)
        told = {
            "loss": f"{self.loss / self.steps:.3f}",
            "tokens/s": f"{self.tokens / seconds:,.0f}",
            "MFU": f"{self.operations / seconds / self.peak:.0%}",
        }
        if self.bar is not None:
            self.bar.set_postfix(told)
        else:
            line = ", ".join(f"{name} {value}" for name, value in told.items())
            print(f"step {done} of {self.total}: {line}, {left:.0f} s left", file=sys.stderr, flush=True)
        self.last, self.loss, self.steps, self.tokens, self.operations = now, 0.0, 0, 0, 0.0

    def close(self):
        """Leave the terminal tidy."""
        if self.bar is not None:
            self.bar.close()


# --- checkpoints --------------------------------------------------------------------------------------------------

LAST = "last.pt"


def write_file(path, value):
    """Save a value in whole or not at all: readers see the old file or the new one, whatever happens between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            torch.save(value, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def try_folder(folder):
    """Make a folder for checkpoints, if it is not there, and see whether files can be written to it."""
    probe = folder / f"{os.getpid()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadInput(f"No checkpoints can be written to {folder}: {error.strerror or error}.") from None


def read_file(path):
    """What `write_file` saved; nothing in the file is executed."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise BadInput(f"There is no checkpoint {path}: train one with --out {path.parent}.") from None
    except Exception as error:
        raise BadInput(f"{path} is no checkpoint of this program, or is damaged ({type(error).__name__}).") from None


def read_run(folder):
    """The last checkpoint of a run, if it is one of this program's."""
    saved = read_file(Path(folder) / LAST)
    wanted = {"config", "tokenizer", "fingerprint", "per_step", "data", "losses", "model", "optimizer", "scheduler"}
    known = {field.name for field in dataclasses.fields(TranslationConfig)}
    if not isinstance(saved, dict) or wanted - saved.keys() or set(saved["config"]) - known:
        raise BadInput(f"{Path(folder) / LAST} is no checkpoint of this program, or of another version of it.")
    return saved


def weight_files(folder):
    """The weights that a run kept, from the oldest to the newest."""
    return sorted(Path(folder).glob("weights-*.pt"))


def average_weights(paths):
    """The mean of several checkpoints' weights, parameter by parameter (Vaswani et al. 2017, section 6.1)."""
    paths = list(paths)
    if not paths:
        raise BadInput("There are no weights to average.")
    mean: dict[str, torch.Tensor] = {}
    for path in paths:
        for name, value in read_file(Path(path)).items():
            mean[name] = mean.get(name, 0) + value.double() / len(paths)
    return {name: value.float() for name, value in mean.items()}


def build_model(config, tokenizer):
    """A fresh model of a run, which knows its tokeniser."""
    torch.manual_seed(config.seed)
    size = len(tokenizer)
    model = make_model(
        size, size, config.num_layers, config.d_model, config.d_ff, config.num_heads, config.dropout, config.norm,
        config.tie_weights,
    )  # fmt: skip
    model.tokenizer = tokenizer
    return model


def load_model(folder, average=False, device="cpu"):
    """The trained model of a folder, in evaluation mode; ``average`` takes the mean of the last checkpoints."""
    saved = read_run(folder)
    model = build_model(TranslationConfig(**saved["config"]), TOKENIZERS[saved["tokenizer"][0]](saved["tokenizer"][1]))
    try:
        model.load_state_dict(average_weights(weight_files(folder)) if average else saved["model"])
    except (AttributeError, RuntimeError, TypeError):
        raise BadInput(f"Weights in {folder} do not belong to the model of its last checkpoint.") from None
    return model.to(device).eval()


# --- training -----------------------------------------------------------------------------------------------------


MOST_POSITIONS = 5000  # of a sequence, see `PositionalEncoding`


class TrainResult(NamedTuple):
    """What came of a training.

    Attributes:
        model: the trained model, in evaluation mode; ``model.tokenizer`` is its tokeniser.
        losses: loss per token of every step, from the very first one, also after it was resumed.
        steps: steps that are done.
        complete: whether that is all of them.
        tokens: target tokens that were predicted since it was started or resumed, in all processes.
        seconds: how long that took.
        utilisation: share of the device's largest rate.
    """

    model: nn.Module
    losses: list
    steps: int
    complete: bool
    tokens: int
    seconds: float
    utilisation: float


class WorkerLost(RuntimeError):
    """Another process of the same run has ended."""


class OutOfMemory(RuntimeError):
    """A step did not fit; the message says what to lower."""


def out_of_memory(error):
    """Whether an exception says that there is not enough memory."""
    return isinstance(error, (torch.cuda.OutOfMemoryError, MemoryError)) or "allocate memory" in str(error)


class World:
    """The processes of a run, as ``torchrun`` started them; one alone without it."""

    def __init__(self, device=None):
        self.size = int(os.environ.get("WORLD_SIZE", 1))
        self.rank = int(os.environ.get("RANK", 0))
        gpu = torch.cuda.is_available() and str(device or "cuda").startswith("cuda")
        if device is None or self.size > 1:
            device = f"cuda:{os.environ.get('LOCAL_RANK', 0)}" if gpu else (device or "cpu")
        try:
            self.device = torch.device(device)
            if self.device.type not in ("cpu", "cuda", "mps"):
                raise RuntimeError("cpu, cuda and mps are devices")
            torch.empty(1, device=self.device)
        except (RuntimeError, AssertionError) as error:
            raise BadInput(f"There is no device {device!r} here ({str(error).splitlines()[0]}).") from None
        if self.size > 1:
            if gpu:
                torch.cuda.set_device(self.device)
            if not torch.distributed.is_initialized():
                torch.distributed.init_process_group("nccl" if gpu else "gloo")

    def sum(self, *numbers):
        """Each number, added over all processes."""
        if self.size == 1:
            return list(numbers)
        total = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        torch.distributed.all_reduce(total)
        return total.tolist()

    def first(self, make):
        """What the first process makes, in every process."""
        if self.size == 1:
            return make()
        box = [make() if self.rank == 0 else None]
        torch.distributed.broadcast_object_list(box, 0, device=self.device)
        return box[0]


@contextlib.contextmanager
def interruptible():
    """While it lasts, Ctrl-C and a polite request to end are noted, and nothing is cut off; a second one is."""
    noted: list[int] = []

    def note(number, frame):
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    before = {}
    with contextlib.suppress(ValueError):  # only the main thread may do this
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, note)
    try:
        yield noted
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is note:
                signal.signal(number, handler)


def make_optimizer(config, model):
    """AdamW with the rate of the schedule: PyTorch's, fused if the device has that, or unit 11's."""
    options: dict = {"lr": 1.0, "betas": (0.9, 0.98), "eps": 1e-9, "weight_decay": config.weight_decay}
    if not config.fused_adamw:
        return AdamW(model.parameters(), **options)
    try:
        return torch.optim.AdamW(model.parameters(), fused=True, **options)
    except RuntimeError:
        return torch.optim.AdamW(model.parameters(), **options)


class Stream:
    """The micro-batches of a run, all epochs one after the other, by number.

    What is in each is the same in every epoch; their order is drawn anew. A number says everything, so a run can go on
    from any of them.
    """

    def __init__(self, ids, config, device):
        try:
            self.contents = token_batches(ids, config.max_tokens)
        except ValueError as error:
            raise BadInput(f"{error} Raise --max-tokens, or leave the pair out.") from None
        self.ids, self.seed, self.pin = ids, config.seed, device.type == "cuda"
        self.orders: dict[int, list[int]] = {}

    def batch(self, number):
        """Micro-batch ``number``, in memory from which a GPU can fetch it by itself."""
        epoch, place = divmod(number, len(self.contents))
        if epoch not in self.orders:
            generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
            self.orders = {epoch: torch.randperm(len(self.contents), generator=generator).tolist()}
        batch = make_batch([self.ids[pair] for pair in self.contents[self.orders[epoch][place]]])
        if self.pin:
            for name, value in vars(batch).items():
                if isinstance(value, torch.Tensor):
                    setattr(batch, name, value.pin_memory())
        return batch


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
    """A number that tells lists of pairs apart."""
    return zlib.crc32(json.dumps(ids).encode())


def train(config, pairs, device=None, folder=None, resume=False, quiet=True, data=None):
    """Train a model: alone, or as one of several processes that ``torchrun`` started.

    Args:
        config: a `TranslationConfig`.
        pairs: list of ``(source, target)`` texts.
        device: a device or its name; ``None``: a GPU if there is one.
        folder: where checkpoints go; ``None`` writes none.
        resume: go on from the last checkpoint in ``folder``, exactly as if there had been no interruption.
        quiet: say nothing.
        data: a note about the pairs for the checkpoint, any plain value.

    Returns:
        A `TrainResult`.

    Raises:
        BadInput, OutOfMemory, WorkerLost: with a sentence that says what to do.

    With several processes each computes its share of every step's micro-batches, and all make the same step: the loss
    is divided by the tokens of all. Dropout is drawn by step and process, so only without it do the losses equal
    those of a single process with the same micro-batches.
    """
    if not pairs:
        raise BadInput("There are no pairs to train on.")
    world = World(device)
    config = config.settled(world.device)
    path = None if folder is None else Path(folder) / LAST
    saved = read_run(folder) if resume and path is not None else None
    if path is not None:
        try_folder(path.parent)  # better now than after the first hundred steps

    def make_tokenizer():
        if saved is not None:
            return saved["tokenizer"]
        texts = [text for pair in pairs for text in pair]
        return config.tokenizer, TOKENIZERS[config.tokenizer].train(texts, config.vocab_size).saved()

    kind, state = world.first(make_tokenizer)
    tokenizer = TOKENIZERS[kind](state)
    ids = encode_pairs(pairs, tokenizer)
    longest, place = max((max(map(len, pair)), place) for place, pair in enumerate(ids))
    if longest > MOST_POSITIONS:
        raise BadInput(
            f"A sentence has {longest} tokens; {MOST_POSITIONS} are the most: leave the pair out. "
            f"Its German begins: {pairs[place][0]:.40}"
        )
    try:
        stream = Stream(ids, config, world.device)
    except BadInput as error:  # it names the first one; somebody has to find it in a file
        place = next(place for place, pair in enumerate(ids) if sum(map(len, pair)) > config.max_tokens)
        raise BadInput(f"{error} Its German begins: {pairs[place][0]:.40}") from None
    model = build_model(config, tokenizer).to(world.device)
    optimizer = make_optimizer(config, model)
    scheduler = noam_scheduler(optimizer, config.d_model, config.warmup, config.factor)
    per_step = config.accumulate * world.size
    losses: list[float] = []
    if saved is not None:
        if saved["fingerprint"] != fingerprint(ids):
            raise BadInput(f"These are not the pairs that the run in {folder} began with.")
        if saved["per_step"] != per_step:
            raise BadInput(
                f"A step of the run in {folder} has {saved['per_step']} micro-batches, but --accumulate times "
                f"processes is {per_step}."
            )
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        scheduler.load_state_dict(saved["scheduler"])
        losses = saved["losses"]
    start = done = len(losses)

    whole, loss_fn = as_set(model, config)
    if world.size > 1:
        whole = Distributed(whole, broadcast_buffers=False)

    def save(weights=False):
        """Everything that is needed to go on, and perhaps the weights alone, to be averaged."""
        if folder is None or path is None:
            return
        write_file(
            path,
            {
                "config": dataclasses.asdict(config),
                "tokenizer": (kind, state),
                "fingerprint": fingerprint(ids),
                "per_step": per_step,
                "data": data,
                "losses": losses,
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "scheduler": scheduler.state_dict(),
            },
        )
        if weights:
            write_file(path.parent / f"weights-{done:07}.pt", model.state_dict())
            for old in weight_files(folder)[: -config.keep]:
                old.unlink(missing_ok=True)

    def batches_of(step):
        """This process's micro-batches of a step, by number."""
        return [stream.batch(step * per_step + place) for place in range(world.rank, per_step, world.size)]

    progress = Progress(config.steps, start, peak_rate(world.device, bool(config.bf16)), quiet or world.rank > 0)
    began, tokens_seen, operations = time.perf_counter(), 0, 0.0
    program = "python -m" if world.size == 1 else f"torchrun --nproc-per-node {world.size} -m"
    again = f"{program} solutions.translation train --out {shlex.quote(str(folder))} --resume"
    if device is not None:
        again += f" --device {device}"
    with interruptible() as noted:
        try:
            with replaced(model, faster_classes(config)), ThreadPoolExecutor(1) as pool:
                ahead = pool.submit(batches_of, done)
                while done < config.steps:
                    own = ahead.result()
                    ahead = pool.submit(batches_of, done + 1)  # made while this step is computed
                    tokens = sum(batch.ntokens for batch in own)
                    all_tokens, ends = world.sum(tokens, len(noted))
                    if ends:
                        break
                    work = step_operations(model, own)
                    # Every random number of a step depends on the seed, the step and the process, and on no other step.
                    torch.manual_seed(config.seed * 1_000_003 + done * world.size + world.rank)
                    # Gradients are averaged over processes, so each one's share of the tokens is made up for.
                    share = tokens * world.size / max(all_tokens, 1)
                    result = training_step(
                        whole,
                        [to_device(batch, world.device) for batch in own],
                        lambda log_probs, targets: loss_fn(log_probs, targets) * share,  # noqa: B023
                        optimizer,
                        scheduler,
                        config.max_norm,
                    )
                    losses.append(result.loss)
                    done += 1
                    losses[-1] = world.sum(result.loss / world.size)[0]
                    if not math.isfinite(losses[-1]):
                        raise BadInput(f"The loss of step {done} is {losses[-1]}: lower --factor, or raise --warmup.")
                    tokens_seen += int(all_tokens)
                    operations += work * world.size
                    progress.step(done, losses[-1], int(all_tokens), work * world.size)
                    if world.rank == 0 and (done % config.save_every == 0 or done == config.steps):
                        save(weights=True)
                interrupted = done < config.steps
        except (torch.cuda.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if out_of_memory(error):
                raise OutOfMemory(
                    f"Step {done + 1} did not fit into the memory of {world.device}: lower --max-tokens, now "
                    f"{config.max_tokens}, and raise --accumulate, now {config.accumulate}, to keep the size of a step."
                ) from error
            if world.size > 1 and re.search(
                "connection|peer|socket|gloo|nccl|timed? ?out|reset|pipe", str(error), re.I
            ):
                with contextlib.suppress(ValueError):
                    # torchrun asks all processes to end as soon as one has: this one is about to, but saves first.
                    signal.signal(signal.SIGTERM, signal.SIG_IGN)
                save()
                at = f"its {done} steps are saved in {path}" if path else "nothing is saved"
                raise WorkerLost(f"Another process of this run has ended; {at}. To go on: {again}") from error
            raise
        finally:
            progress.close()
    seconds = time.perf_counter() - began
    if interrupted and world.rank == 0:
        save()
        if path is not None and not quiet:
            print(f"Interrupted after step {done}; saved. To go on: {again}", file=sys.stderr)
    rate = operations / max(seconds, 1e-9) / (progress.peak * world.size)
    return TrainResult(model.eval(), losses, done, not interrupted, tokens_seen, seconds, rate)


# --- looking inside -----------------------------------------------------------------------------------------------


def word_places(text, tokenizer):
    """For every token of a text the place of its word in `words`."""
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
    from_places, to_places = word_places(english, tokenizer), word_places(german, tokenizer)
    found = torch.zeros(len(words(english)), len(words(german)))
    for row, place in enumerate(from_places):
        found[place].index_add_(0, torch.tensor(to_places), weights[row, :-1] / from_places.count(place))
    return found


def alignment_error_rate(found, known):
    """One minus the F1 score of a set of links ``(i, j)`` against the known ones: 0 is best (Och and Ney 2003)."""
    found, known = set(found), set(known)
    return 1 - 2 * len(found & known) / max(len(found) + len(known), 1)


# --- command line -------------------------------------------------------------------------------------------------

SWITCHES = {
    "bf16": "bfloat16 autocast",
    "sdpa": "PyTorch's fused attention",
    "kernels": "PyTorch's layer normalisation, and smoothing without a table",
    "compile": "torch.compile",
    "fused_adamw": "PyTorch's AdamW instead of unit 11's",
    "tie_weights": "one table for source, target and output",
}
# What a resumed run may change.
FREE = {"steps", "accumulate", "save_every", "keep", "threads", "bf16", "sdpa", "kernels", "compile"}


def at_least(least):
    """For options: a whole number that is not smaller."""

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
    one.add_argument("--data", default=None, help="grammar, multi30k or the path of a TSV file (grammar)")
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

    two = commands.add_parser("evaluate", help="score a trained model with BLEU")
    two.add_argument("folder", help="where its checkpoints are")
    two.add_argument("--data", default=None, help="as in train (what it was trained on)")
    two.add_argument("--split", default="test", help="valid, test, held-out (grammar) or all (TSV) (%(default)s)")
    two.add_argument("--limit", type=at_least(1), default=None, help="at most so many pairs")
    two.add_argument("--beam", type=at_least(1), default=1, help="size of the beam; 1 is greedy (%(default)s)")
    two.add_argument("--average", action="store_true", help="average the last checkpoints")
    two.add_argument("--outputs", help="write source, reference and output to this TSV file")
    two.add_argument("--worst", type=at_least(0), default=3, help="show so many of the worst sentences (%(default)s)")

    three = commands.add_parser("translate", help="translate sentences, or the lines of standard input")
    three.add_argument("folder", help="where the model's checkpoints are")
    three.add_argument("sentences", nargs="*")
    three.add_argument("--beam", type=at_least(1), default=4, help="size of the beam; 1 is greedy (%(default)s)")
    three.add_argument("--average", action="store_true", help="average the last checkpoints")
    for command in (two, three):
        command.add_argument("--device", default="cpu", help="(%(default)s)")
    return top


def train_command(options):
    """``train``: settings, data, training, and what came of it."""
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
    result = train(config, pairs, options.device, folder, options.resume, quiet=False, data=data)
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
    for split, pairs in tests.items():
        scores = evaluate(result.model, pairs)
        print(f"{split}: BLEU {scores['bleu']:.1f}, loss {scores['loss']:.3f} (greedy, {len(pairs)} pairs)")
    if untested:
        print(f"Not evaluated. {untested}")
    return 0


def check_lengths(model, texts):
    """Texts are refused that are too long for the model, or no text: a command line may hold any bytes."""
    for place, text in enumerate(texts, 1):
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise BadInput(f"Sentence {place} is not UTF-8.")
    for place, ids in enumerate(model.tokenizer.encode_all(texts), 1):
        if 2 * len(ids) + 12 > MOST_POSITIONS:  # an output may be twice as long, see `translate`
            raise BadInput(f"Sentence {place} has {len(ids)} tokens, which is too long: cut it into sentences.")


def evaluate_command(options):
    """``evaluate``: the scores, the worst sentences, and a file of all outputs."""
    saved = read_run(options.folder)["data"] or ["grammar"]
    source = saved[0] if options.data is None else options.data
    pairs = load_pairs(source, options.split, options.limit)
    model = load_model(options.folder, options.average, World(options.device).device)
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
        print(
            f"{sentence_bleu(output, english):5.1f}  {german}\n       reference: {english}\n       output:    {output}"
        )
    return 0


def sentence_bleu(output, reference):
    """BLEU of one sentence, smoothed, since it may have no match of four words."""
    return corpus_bleu([words(output)], [[words(reference)]], smooth="add-k")


def translate_command(options):
    """``translate``: one line for each sentence."""
    model = load_model(options.folder, options.average, World(options.device).device)
    try:
        sentences = options.sentences or [line.rstrip("\r\n") for line in sys.stdin]
    except UnicodeDecodeError:
        raise BadInput("Standard input is not UTF-8.") from None
    check_lengths(model, sentences)
    for sentence, output in zip(sentences, translate(model, sentences, beam_size=options.beam)):
        print(output if sentence.strip() else "")
    return 0


def main(arguments=None):
    """Run the command line; the exit code is 2 for input that has to change, 130 after an interruption."""
    options, more = parser().parse_known_args(arguments)
    if more and (options.command != "translate" or any(one.startswith("-") for one in more)):
        parser().error(f"unrecognized arguments: {' '.join(more)}")
    if more:
        options.sentences += more  # those after an option: argparse ends the list at the first one
    command = {"train": train_command, "evaluate": evaluate_command, "translate": translate_command}[options.command]
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


if __name__ == "__main__":
    sys.exit(main())
