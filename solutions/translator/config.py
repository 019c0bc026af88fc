"""The settings of a run, and presets of them."""

import dataclasses
import math

import torch

from solutions.translator.errors import BadInput
from solutions.translator.precision import number_type
from solutions.translator.tokenizers import TOKENIZERS


@dataclasses.dataclass(frozen=True)
class TranslationConfig:
    """Everything that makes a run what it is, apart from its pairs.

    Attributes:
        tokenizer: "bpe" (the library) or "own" (`solutions.tokens`).
        vocab_size: the most tokens of the vocabulary, which both languages share.
        num_layers, d_model, d_ff, num_heads, dropout, norm, tie_weights: as in ``make_model``.
        table_start: how the rows of the embeddings start: "xavier", as ``make_model`` leaves them, or "normal", drawn
            from N(0, 1 / d_model), so that a row times the square root of d_model has entries of variance 1.
        smoothing: of the labels.
        max_tokens: cost of a micro-batch, see `token_batches`.
        accumulate: micro-batches for a step, in each process.
        steps: steps of the optimiser in all.
        warmup, factor: of the learning rate, see ``noam_lr``.
        weight_decay, max_norm: of AdamW, and of clipping.
        save_every: steps between checkpoints; 0 makes it a twentieth of all.
        keep: so many of the last checkpoints keep their weights, to be averaged.
        validate_every: steps between validations, which keep the best weights; 0 never validates.
        validate_pairs: pairs of the validation split that are used.
        best_by: which of the two scores chooses the best weights, "loss" or "bleu".
        patience: the run ends early after so many validations without a better one; 0 never ends it.
        seed: of parameters, batches and dropout.
        threads: of the processor; ``None``: as many as PyTorch takes. Another number rounds sums in another way.
        bf16: bfloat16 in autocast.
        fp16: float16 in autocast, with a scaled loss.
        sdpa: PyTorch's fused attention.
        kernels: PyTorch's layer normalisation, and smoothing without a table.
        compile: ``torch.compile``.
        fused_adamw: PyTorch's AdamW, fused where the device has that, instead of the course's own.

    The last six change the speed and, up to rounding, nothing else; ``None`` is for ``settled`` to decide.
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
    table_start: str = "xavier"
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
    validate_every: int = 0
    validate_pairs: int = 200
    best_by: str = "loss"
    patience: int = 0
    seed: int = 0
    threads: int | None = None
    bf16: bool | None = None
    fp16: bool | None = None
    sdpa: bool = True
    kernels: bool = True
    compile: bool | None = None
    fused_adamw: bool = True

    def __post_init__(self):
        whole = ("num_layers", "d_model", "d_ff", "num_heads", "accumulate", "steps", "warmup", "keep", "threads")
        for name in (*whole, "validate_pairs"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadInput(f"{name} is {value}, but must be at least 1.")
        if self.d_model % self.num_heads:
            raise BadInput(f"num_heads must divide d_model, but {self.num_heads} does not divide {self.d_model}.")
        for name in ("dropout", "smoothing"):
            if not 0 <= getattr(self, name) < 1:
                raise BadInput(f"{name} is {getattr(self, name)}, but must be at least 0 and less than 1.")
        # Negated conditions, so that NaN is refused as well.
        if not (0 < self.factor < math.inf and self.max_norm > 0):
            raise BadInput(f"factor is {self.factor} and max_norm {self.max_norm}, but both must be positive.")
        if not (0 <= self.weight_decay < math.inf and self.save_every >= 0):
            raise BadInput(
                f"weight_decay is {self.weight_decay} and save_every {self.save_every}, but neither may be negative."
            )
        if min(self.validate_every, self.patience) < 0:
            raise BadInput(
                f"validate_every is {self.validate_every} and patience {self.patience}, but neither may be negative."
            )
        if self.patience and not self.validate_every:
            raise BadInput(f"patience is {self.patience}, but without validate_every there is nothing to wait for.")
        if abs(self.seed) >= 2**40:
            raise BadInput(f"seed is {self.seed}, but must lie between -2**40 and 2**40.")
        for name, allowed in (
            ("tokenizer", tuple(TOKENIZERS)),
            ("norm", ("pre", "post")),
            ("best_by", ("loss", "bleu")),
            ("table_start", ("xavier", "normal")),
        ):
            if getattr(self, name) not in allowed:
                raise BadInput(f"{name} is {getattr(self, name)!r}, but must be one of {', '.join(allowed)}.")
        if self.bf16 and self.fp16:
            raise BadInput("bf16 and fp16 are two types for the same numbers: choose one of them.")
        if not 32 <= self.vocab_size <= 10**6:
            raise BadInput(f"vocab_size is {self.vocab_size}, but must be from 32 to a million.")

    @property
    def dtype(self):
        """What autocast computes in; ``None``: there is no autocast, and all is float32."""
        return torch.bfloat16 if self.bf16 else torch.float16 if self.fp16 else None

    @classmethod
    def preset(cls, name, **changes):
        """One of `PRESETS`, with some settings changed."""
        if name not in PRESETS:
            raise BadInput(f"There is no preset {name!r}; there are {', '.join(PRESETS)}.")
        return dataclasses.replace(PRESETS[name], **changes)

    def settled(self, device):
        """The same with every ``None`` decided for a device: the fastest type of numbers, and compiling on a GPU."""
        gpu = device.type == "cuda"
        fastest = number_type(device)
        bf16 = (fastest is torch.bfloat16 and not self.fp16) if self.bf16 is None else self.bf16
        fp16 = (fastest is torch.float16 and not bf16) if self.fp16 is None else self.fp16
        compile_ = gpu and self.d_model >= 512 if self.compile is None else self.compile  # smaller ones do not repay it
        save_every = self.save_every or max(1, self.steps // 20)
        return dataclasses.replace(self, bf16=bf16, fp16=fp16, compile=compile_, save_every=save_every)


# With one table for source, target and output, rows that start from N(0, 1 / d_model) translate better than the short
# ones of `make_model`: see book/experiments/tying.json.
PRESETS = {
    # The grammar, on two cores of a laptop, in minutes.
    "tiny": TranslationConfig(table_start="normal"),
    # Multi30k, on a GPU in minutes, on a CPU in hours.
    "small": TranslationConfig(
        vocab_size=8000, num_layers=3, d_model=256, d_ff=1024, num_heads=8, dropout=0.1, max_tokens=8192, steps=8000,
        warmup=1000, table_start="normal",
    ),
    # The base model of Vaswani et al. 2017, table 3; its batches have about 25,000 source and 25,000 target tokens.
    "base": TranslationConfig(
        vocab_size=37_000, num_layers=6, d_model=512, d_ff=2048, num_heads=8, dropout=0.1, max_tokens=50_000,
        steps=100_000, warmup=4000, save_every=1000, table_start="normal",
    ),
}  # fmt: skip
