"""The course map: every unit with the names that a learner writes in it.

A unit is listed as complete only when `autograder doctor` finds nothing missing in it. Points are not
kept here: a task is worth what its checks are worth (see ``autograder.checking``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    """One unit of the course: a chapter, a notebook, and the tasks in it.

    ``compiler``: its code touches parts of torch that import torch's compiler, which takes seconds.
    """

    number: int
    name: str
    title: str
    names: tuple[str, ...]
    complete: bool = False
    compiler: bool = False
    language: str = "python"

    @property
    def task_ids(self) -> tuple[str, ...]:
        """Ids of the form ``<unit>.<name>``, in the order of the notebook."""
        return tuple(f"{self.name}.{name}" for name in self.names)


def _unit(number: int, name: str, title: str, names: str, **options) -> Unit:
    return Unit(number, name, title, tuple(names.split()), **options)


UNITS: tuple[Unit, ...] = (
    _unit(
        1,
        "tokens",
        "Text to ids: vocabularies and byte-pair encoding",
        "Vocabulary train_bpe bpe_encode bpe_decode",
        complete=True,
    ),
    _unit(
        2,
        "embeddings",
        "Embeddings and positions",
        "one_hot embedding_lookup TokenEmbedding sinusoidal_positions PositionalEncoding gpt2_embed mean_pool max_pool",
        complete=True,
    ),
    _unit(
        3,
        "attention",
        "Self-attention, from dot product to weights",
        "softmax attention_scores scaled_dot_product_attention SelfAttention CrossAttention",
        complete=True,
    ),
    _unit(
        4,
        "masks",
        "Masks: padding, causal, combined",
        "padding_mask causal_mask decoder_mask apply_mask masked_softmax to_key_padding_mask",
        complete=True,
        compiler=True,  # the meta device
    ),
    _unit(
        5,
        "multihead",
        "Many heads",
        "split_heads merge_heads MultiHeadAttention attention_parameters ablate_head",
        complete=True,
    ),
    _unit(
        6,
        "blocks",
        "Feed-forward, residual, normalisation, dropout",
        "gelu LayerNorm rms_norm FeedForward dropout SublayerConnection",
        complete=True,
    ),
    _unit(
        7,
        "babygpt",
        "BabyGPT: one model, ten steps",
        "get_batch Head MultiHead Block BabyGPT generate",
        complete=True,
    ),
    _unit(
        8,
        "transformer",
        "The full encoder-decoder",
        "EncoderLayer DecoderLayer Encoder Decoder Generator Transformer make_model shift_right count_parameters",
        complete=True,
    ),
    _unit(
        9,
        "training",
        "Batches, teacher forcing, the training loop, the copy task",
        "Batch copy_task bucket_batches run_epoch",
        complete=True,
        compiler=True,  # optimisers
    ),
    _unit(
        10,
        "losses",
        "Cross-entropy, perplexity, label smoothing",
        "cross_entropy perplexity smooth_labels LabelSmoothing",
        complete=True,
    ),
    _unit(
        11,
        "optim",
        "AdamW and the warm-up schedule",
        "noam_lr AdamW noam_scheduler clip_grad_norm",
        complete=True,
        compiler=True,  # optimisers
    ),
    _unit(
        12,
        "bleu",
        "Scoring translations: BLEU",
        "ngram_counts modified_precision brevity_penalty closest_reference_length corpus_bleu",
        complete=True,
    ),
    _unit(
        13,
        "decoding",
        "Greedy, sampling, beam search, KV cache",
        "greedy_decode sample_next beam_search KVCache",
        complete=True,
    ),
    _unit(
        14,
        "translation",
        "Train it for real: German to English, CPU to many GPUs",
        "token_batches training_step evaluate attention_maps read_alignment train_translator",
        complete=True,
        compiler=True,  # optimisers
    ),
    _unit(
        15,
        "gpt2_forward",
        "GPT-2 in C: memory layout and the forward pass",
        "encoder_forward layernorm_forward matmul_forward attention_forward gelu_forward residual_forward "
        "softmax_forward crossentropy_forward",
        language="c",
        complete=True,
    ),
    _unit(
        16,
        "gpt2_backward",
        "GPT-2 in C: backward pass, AdamW, training, sampling",
        "encoder_backward layernorm_backward matmul_backward attention_backward gelu_backward residual_backward "
        "crossentropy_softmax_backward adamw_update",
        language="c",
        complete=True,
    ),
)

BY_NAME: dict[str, Unit] = {unit.name: unit for unit in UNITS}
COMPLETE: tuple[Unit, ...] = tuple(unit for unit in UNITS if unit.complete)


class UnknownUnit(ValueError):
    """A unit or task that the course does not have, or that cannot be graded yet."""


def find_unit(name: str) -> Unit:
    """The unit of that name, if it can be graded; raises `UnknownUnit` with a sentence otherwise."""
    unit = BY_NAME.get(name)
    gradable = ", ".join(unit.name for unit in COMPLETE)
    if unit is None:
        raise UnknownUnit(f"There is no unit called {name!r}; the units that can be graded are {gradable}.")
    if not unit.complete:
        raise UnknownUnit(f"Unit {name!r} is planned but cannot be graded yet; the units that can be are {gradable}.")
    return unit


def find_tasks(what: str) -> tuple[Unit, tuple[str, ...]]:
    """``"attention"`` -> the unit and all its tasks; ``"attention.softmax"`` -> the unit and that task."""
    if not isinstance(what, str):
        raise UnknownUnit('Give the name of a task or a unit in quotes, for example "attention.softmax".')
    unit = find_unit(what.partition(".")[0])
    if "." not in what:
        return unit, unit.task_ids
    if what not in unit.task_ids:
        raise UnknownUnit(f"There is no task called {what!r}; the tasks of {unit.name} are {', '.join(unit.task_ids)}.")
    return unit, (what,)
