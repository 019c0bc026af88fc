"""Translation: train a Transformer for real, from a laptop to many GPUs.

    python -m solutions.translation train --preset tiny --out runs/tiny
    python -m solutions.translation evaluate runs/tiny --average --outputs outputs.tsv
    python -m solutions.translation translate runs/tiny "Der alte Mann macht die Tür auf."
    torchrun --nproc-per-node 2 -m solutions.translation train --preset small --out runs/small

This file is what a learner writes: the evaluation, when to stop, checkpoints, the gradient of several processes, what a
training costs, and pictures of attention. Two parts are given: batches with a token budget, and one training step.
`solutions.translator` is the program around it: data, tokenisers, the loop, and the command line.

Shapes: ``B`` sentences in a batch, ``S`` and ``T`` tokens of source and target, ``V`` vocabulary size, ``N`` rows. A
*pair* of texts is ``(german, english)``; a pair of ids is ``(source, target)``, where the source ends in EOS and the
target runs from BOS to EOS (see `encode_pairs`).
"""

import itertools
import math
import os
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

# Also what a learner may want for a translator of their own.
from solutions import BOS, EOS, PAD
from solutions.bleu import corpus_bleu
from solutions.decoding import beam_search, cached_greedy_decode, greedy_decode
from solutions.given import Drawing, encode_pairs, normalised, pad_rows, words
from solutions.losses import LabelSmoothing
from solutions.masks import padding_mask
from solutions.optim import AdamW, noam_scheduler
from solutions.tokens import Vocabulary, bpe_decode, bpe_encode, train_bpe
from solutions.training import Batch, _fill_batches
from solutions.transformer import count_parameters, make_model

# --- given: batches, a step, and the way back to texts ---------------------------------------------------------------


def make_batch(pairs):
    """A `Batch` of pairs of ids."""
    return Batch(pad_rows([source for source, _ in pairs]), pad_rows([target for _, target in pairs]))


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
        A generator changes the order of the batches and not what is in them: the order is that of
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
    """The result of one step.

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
    # Without a limit this only measures. One norm of all parameters makes the program wait for a GPU only once.
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm)
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(float(total), tokens, float(norm))
    ### END SOLUTION


def translate(model, sentences, tokenizer=None, beam_size=1, max_tokens=4096, draw=None):
    """Translations of some texts, in their order.

    Args:
        model: a Transformer. It is used in evaluation mode, and left in the mode in which it comes. One with a
            ``decode_step`` decodes with a cache, which gives the same outputs in less time.
        sentences: list of texts.
        tokenizer: has ``encode_all`` and ``decode``; ``None``: the model's own, ``model.tokenizer``.
        beam_size: 1 decodes greedily, more is a beam search.
        max_tokens: padded source tokens in a batch.
        draw: chooses the next tokens ``(B,)`` from log-probabilities ``(B, V)``, such as `sample_next` with options;
            ``None``: the most likely ones. A beam search draws nothing.

    Returns:
        A list of texts. An output may have twice as many tokens as the longest source of its batch, and ten more.
    """
    if tokenizer is None:
        tokenizer = model.tokenizer
    there = next(model.parameters()).device
    sources = [[*ids, EOS] for ids in tokenizer.encode_all(sentences)]
    outputs = [""] * len(sources)
    order = sorted(range(len(sources)), key=lambda index: len(sources[index]))
    was_training = model.training
    model.train(False)
    greedy = cached_greedy_decode if hasattr(model, "decode_step") else greedy_decode
    while order:
        count = max(1, max_tokens // len(sources[order[-1]]))
        indices, order = order[-count:], order[:-count]  # the longest first
        src = pad_rows([sources[index] for index in indices]).to(there)
        max_len = 2 * src.shape[1] + 10
        if beam_size == 1:
            chosen = model if draw is None else Drawing(model, draw)
            ids = greedy(chosen, src, padding_mask(src), max_len).tolist()
        else:
            ids = beam_search(model, src, padding_mask(src), max_len, beam_size)
        for index, row in zip(indices, ids):
            outputs[index] = tokenizer.decode([token for token in row if token not in (PAD, BOS, EOS)])
    model.train(was_training)
    return outputs


# --- what a learner writes ----------------------------------------------------------------------------------------


def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    """BLEU of a model's translations, and its loss on the reference translations.

    Args:
        model: a Transformer, as in `training_step`. It is used in evaluation mode and without gradients; afterwards it
            is in the same mode as before.
        pairs: list of ``(source, target)`` texts.
        tokenizer: has ``encode_all(list[str]) -> list[list[int]]`` and ``decode(list[int]) -> str``; ``None``: the
            model's own, ``model.tokenizer``.
        beam_size: of the decoding, see `translate`.
        max_tokens: cost of a batch, as in `token_batches`; a single pair may cost more.

    Returns:
        ``{"bleu": float, "loss": float}``. BLEU is that of the whole corpus, from 0 to 100, over the `words` of outputs
        and references. The loss is plain cross-entropy, in nats per target token (EOS counts, BOS and padding do
        not), over all tokens of all pairs. Without pairs both are 0.0.

    Source: Papineni et al. 2002 (BLEU); the chapter on training (tokens that count).
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


def early_stopping(losses, patience):
    """Which of several validations was the best, and whether a training should end after the last of them.

    Args:
        losses: ``list[float]``, the validation losses so far, one for each validation, in order; not changed.
        patience: how many validations in a row may bring nothing better; at least 1.

    Returns:
        ``(best, stop)``. ``best`` is the index of the lowest loss, the first of equal ones; ``None`` without any. NaN
        is never the best. ``stop`` is whether the last ``patience`` validations have all come without a loss lower than
        the lowest before them. Without a best one there is no stop, however many losses there are.

    Raises:
        ValueError: ``patience`` is less than 1.

    Source: Prechelt 1998 (early stopping; the rule that counts strips without progress).
    """
    ### BEGIN SOLUTION
    if patience < 1:
        raise ValueError(f"patience is {patience}, but must be at least 1.")
    best = None
    for index, loss in enumerate(losses):
        if not math.isnan(loss) and (best is None or loss < losses[best]):
            best = index
    return best, best is not None and len(losses) - 1 - best >= patience
    ### END SOLUTION


def save_checkpoint(path, model, optimizer, scheduler, position):
    """Write down everything that the next step of a training depends on, in whole or not at all.

    Args:
        path: of the file, a ``str`` or ``Path``. A checkpoint that is there already is replaced.
        model, optimizer, scheduler: have ``state_dict()``. They are left as they are, and so are PyTorch's generators.
        position: how far the training is in the order of its data; any plain value.

    The file holds one dictionary, as ``torch.save`` writes it: under "model", "optimizer" and "scheduler" what their
    ``state_dict()`` gives, under "random" the state of PyTorch's generator on the CPU (``torch.get_rng_state()``),
    under "position" the position. ``torch.load(path, weights_only=True)`` reads it.

    When writing fails half-way, because the disk is full or the process is killed, the old file is still there and
    whole: the new one is written beside it, under another name, and renamed when it is complete. The error is passed
    on.

    Source: the notes of PyTorch on saving and loading a general checkpoint; ``os.replace`` of the standard library.
    """
    ### BEGIN SOLUTION
    everything = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "random": torch.get_rng_state(),
        "position": position,
    }
    beside = f"{path}.part"
    torch.save(everything, beside)
    os.replace(beside, path)  # at once: whoever looks finds the old file or the new one
    ### END SOLUTION


def load_checkpoint(path, model, optimizer, scheduler):
    """Go back to a checkpoint: the next step is the one that would have come next, to the last bit.

    Args:
        path: of a file as `save_checkpoint` writes it.
        model, optimizer, scheduler: made as for the training that was saved, perhaps used since. They are filled with
            what the file holds; the optimiser goes on with the parameters of this model.

    Returns:
        The position that was saved.

    PyTorch's generator on the CPU gets its saved state. Nothing in the file is executed (``weights_only=True``).

    Source: the notes of PyTorch on saving and loading a general checkpoint, and on reproducibility.
    """
    ### BEGIN SOLUTION
    saved = torch.load(path, weights_only=True)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    scheduler.load_state_dict(saved["scheduler"])
    torch.set_rng_state(saved["random"])
    return saved["position"]
    ### END SOLUTION


def average_gradients(model, tokens, all_reduce):
    """Turn the gradients of one process into those of all processes together. Every process calls it, at the same time.

    Args:
        model: the process's copy of the model. Each ``grad`` is the gradient of the *sum* of the losses of this
            process, of whatever shape its batch was; ``None`` where the losses of this process did not use a parameter.
        tokens: how many target tokens those losses belong to. It differs from process to process and may be 0.
        all_reduce: ``all_reduce(tensor)`` replaces what is in a tensor by the sum over all processes, as
            ``torch.distributed.all_reduce`` does. It returns nothing. All processes must call it equally often, with
            tensors of the same shapes and dtypes in the same order; otherwise they wait for each other without end.

    Returns:
        ``int``: the target tokens of all processes together.

    Afterwards every ``grad`` is the gradient of the mean loss per target token over all processes, as if one process
    had computed all batches; a parameter that only some processes use has it in all of them. Where no process
    has a token, gradients are 0.

    Source: Li et al. 2020, section 2 (data parallelism); Ott et al. 2018 (batches of unequal size).
    """
    ### BEGIN SOLUTION
    total = torch.tensor(tokens, device=next(model.parameters()).device)
    all_reduce(total)
    for parameter in model.parameters():
        if not parameter.requires_grad:
            continue
        if parameter.grad is None:  # another process may have one, and waits for this one
            parameter.grad = torch.zeros_like(parameter)
        all_reduce(parameter.grad)
        parameter.grad /= max(total.item(), 1)
    return total.item()
    ### END SOLUTION


class Resources(NamedTuple):
    """What a training step of a language model takes.

    Attributes:
        parameters: how many the model has.
        activation_bytes: what a step keeps for the backward pass, in bytes.
        operations: floating-point operations of the step, forward and backward.
        utilisation: the share of what the devices can do in the time that the step took, from 0 to 1.
    """

    parameters: int
    activation_bytes: int
    operations: int
    utilisation: float


def training_resources(num_layers, d_model, num_heads, vocab_size, rows, length, seconds, peak, devices=1):
    """What one training step of a model like GPT-2 takes.

    The model has ``L`` layers. Each has four projections of ``d`` to ``d`` numbers, a feed-forward part of ``d`` to
    ``4 d`` and back, all with biases, and two layer normalisations with gain and bias. One more normalisation follows.
    One table of ``V`` rows is embedding and output layer at once; another has a row for each of ``T`` positions.

    Args:
        num_layers, d_model, num_heads, vocab_size: ``L``, ``d``, ``H`` and ``V``.
        rows, length: ``B`` sequences of ``T`` tokens in a step, on all devices together.
        seconds: how long a step takes, as measured.
        peak: operations per second that one device could do.
        devices: how many share the step.

    Returns:
        `Resources`. Three are integers:

        * parameters: all of them; the table that is used twice counts once.
        * activation_bytes: numbers of 16 bits and masks of dropout of one byte take ``34 B T d + 5 B H T^2`` bytes in
          each layer (Korthikanti et al. 2023, equation 1).
        * operations: ``6 N + 12 L d T`` for each of the ``B T`` tokens (Chowdhery et al. 2023, appendix B). ``N``
          counts the weights that multiply something: those of the projections and of the feed-forward parts, and the
          output layer. A lookup in a table multiplies nothing; biases and normalisations are left out. The second term
          is for queries with keys, and attention weights with values.
        * utilisation: these operations, divided by those that all devices could have done in ``seconds``.
    """
    ### BEGIN SOLUTION
    tokens = rows * length
    weights = 12 * num_layers * d_model**2
    output = vocab_size * d_model
    small = num_layers * 13 * d_model + 2 * d_model  # biases, gains and biases of normalisations
    operations = (6 * (weights + output) + 12 * num_layers * d_model * length) * tokens
    return Resources(
        parameters=weights + small + output + length * d_model,
        activation_bytes=num_layers * tokens * (34 * d_model + 5 * num_heads * length),
        operations=operations,
        utilisation=operations / (seconds * peak * devices),
    )
    ### END SOLUTION


def attention_maps(model, src, tgt):
    """Where every head of every layer looks, for one pair of sentences.

    Args:
        model: a Transformer as `make_model` builds it: every attention in it is a `MultiHeadAttention`, whose
            ``weights`` are those of its last call. It is called in evaluation mode and without gradients, and left in
            the mode in which it comes.
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

    The grade is the BLEU, over `words`, of what ``translate`` makes of sentences that are not in ``pairs``. Training
    and translating together may take 60 seconds on one core: of processor time, so waiting does not count. ``pairs`` is
    all that there is to train on; the course's grammar is not there when the answer is graded.

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
    # The rate rises for a quarter of the steps, then falls to 0: the number of steps is known here.
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


# --- the program around it: `solutions.translator` ----------------------------------------------------------------

# Names that the program adds to this module, and the module that defines each. The program is built on the functions
# above and nothing here needs it, so it is imported only when one of these names is used.
PROGRAM = {
    "TranslationConfig": "config",
    "grammar_pairs": "data",
    "load_pairs": "data",
    "TrainResult": "trainer",
    "train": "trainer",
}


def __getattr__(name):
    """A name of `PROGRAM`."""
    import importlib  # here, since the notebook takes its imports from the top of this file

    if name not in PROGRAM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"solutions.translator.{PROGRAM[name]}"), name)


if __name__ == "__main__":
    import runpy

    runpy.run_module("solutions.translator", run_name="__main__")
