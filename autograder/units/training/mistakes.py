"""Wrong implementations of unit 9, training, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import copy
import itertools
import random
import time

import torch

from autograder.course.catalogue import mistake
from solutions import BOS, PAD
from solutions.masks import decoder_mask, padding_mask
from solutions.training import Batch, EpochResult

# ---------------------------------------------------------------------------------------------------------------------
# Batch


@mistake(
    "training.Batch",
    "target-not-shifted",
    explanation="The decoder reads the whole target and has to predict the whole target. Each place then sees the "
    "very token it has to predict, so that the loss falls to 0 and nothing is learnt but to copy it.",
    hint="`tgt` and `tgt_y` are both the whole target: every place reads its own answer. The decoder reads all "
    "but the last id and predicts all but the first (chapter 9, 'One sequence, read and predicted').",
    section="teacher-forcing-batch",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt
            self.tgt_y = tgt
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "last-id-kept",
    explanation="The decoder's input keeps its last id, only the first id of the answers was dropped. Input and "
    "answers then have different lengths.",
    hint="`tgt` is one place longer than `tgt_y`: after the last id there is nothing to predict, so the "
    "decoder need not read it. Drop it (chapter 9, 'One sequence, read and predicted').",
    section="teacher-forcing-batch",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "answers-keep-bos",
    explanation="The answers still begin with BOS, which nobody has to predict. They have as many ids as the decoder "
    "reads only if one is dropped.",
    hint="`tgt_y` begins with BOS. The first thing to predict is what comes after it: all ids but the first "
    "(chapter 9, 'One sequence, read and predicted').",
    section="teacher-forcing-batch",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "shifted-the-wrong-way",
    explanation="The decoder reads all but the first id and has to predict all but the last, so it predicts "
    "backwards: what it has already read. When translating, the earlier words are known and the later "
    "ones are not.",
    hint="`tgt` and `tgt_y` are the wrong way round: you let the decoder read the later ids and predict the "
    "earlier ones. Reading starts with BOS (chapter 9, 'One sequence, read and predicted').",
    section="teacher-forcing-batch",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, 1:]
            self.tgt_y = tgt[:, :-1]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "both-without-last",
    explanation="The answers are the same ids as the input. Dropping the last id from both does not move one against "
    "the other.",
    hint="`tgt_y` equals `tgt`: the answers have to stand one place further. Take all ids but the first for "
    "them (chapter 9, 'One sequence, read and predicted').",
    section="teacher-forcing-batch",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, :-1]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "shifted-by-two",
    explanation="The answers start at the third id, two places on. The token after BOS is then never predicted.",
    hint="`tgt_y` starts two ids after `tgt`, and the first word is never predicted. The offset is one "
    "(chapter 9, 'One sequence, read and predicted').",
    section="teacher-forcing-batch",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-2]
            self.tgt_y = tgt[:, 2:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "sequences-shifted",
    explanation="The first axis was cut in place of the second. Sequences are lost, and nothing is shifted.",
    hint="`tgt` has lost a sequence, not a place: the first axis counts the sequences. Cut the second one "
    "(chapter 9, 'One sequence, read and predicted').",
    section="teacher-forcing-batch",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:-1]
            self.tgt_y = tgt[1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "shifted-by-rolling",
    explanation="The answers were made by rolling the target by one place. The roll brings BOS round to the end, "
    "where it has to be predicted.",
    hint="`tgt_y` is as long as the target and ends with BOS: a roll brings the first id round to the end. Cut "
    "it off, and the last id of what the decoder reads (chapter 9, 'One sequence, read and predicted').",
    section="teacher-forcing-batch",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt
            self.tgt_y = tgt.roll(-1, dims=1)
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "source-mask-from-target",
    explanation="The mask of the source was built from the target ids. It has the target's length and hides the wrong "
    "places.",
    hint="`src_mask` follows the padding of the target. Build it from `src` (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src if tgt is None else tgt, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "source-mask-inverted",
    explanation="The mask of the source is True at padding. In this course True means that a place may be attended to.",
    hint="`src_mask` is True where there is padding and False elsewhere: turn it round (chapter 9, 'Masks of a "
    "batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = ~padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "source-mask-without-heads",
    explanation="The mask of the source has the shape (B, 1, T), without a place for the heads. Broadcast against "
    "scores of four axes it puts the sequences where the heads are.",
    hint="`src_mask` has three axes, and scores have four: (B, H, T_q, T_k). It needs a 1 for the heads and a "
    "1 for the queries (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = (src != pad_id).unsqueeze(-2)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "source-mask-two-axes",
    explanation="The mask of the source has the shape (B, T) of the ids. Against scores (B, H, T_q, T_k) it would be "
    "lined up with queries and keys.",
    hint="`src_mask` has the shape of the ids. It has to broadcast to (B, H, T_q, T_k), so it needs two axes "
    "of size 1 in between (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = src != pad_id
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "source-mask-of-numbers",
    explanation="The masks are ones and zeros in place of True and False. Whoever adds or inverts such a mask gets "
    "something else than was meant.",
    hint="`src_mask` holds numbers: a mask is boolean here, as the comparison with the id of padding already "
    "is (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id).long()
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id).long()
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "source-mask-causal",
    explanation="The source got the decoder's mask, so that each of its places sees only what is before it. The whole "
    "source is known, and the encoder may look both ways.",
    hint="`src_mask` has a row for each query and hides what comes later. The encoder may read the whole "
    "source: only its padding is hidden (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = decoder_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-only-padding",
    explanation="The target mask hides padding and not what comes later. Each place then sees its own answer in the "
    "next place.",
    hint="`tgt_mask` lets each place look ahead to the token that it should predict. Combine the padding with "
    "the causal mask (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = padding_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-only-causal",
    explanation="The target mask hides what comes later and not the padding. Places after a padded one then attend to "
    "it.",
    hint="`tgt_mask` shows padding to the places after it. Combine the causal mask with that of the padding "
    "(chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = torch.ones(len(tgt), 1, tgt.shape[1] - 1, tgt.shape[1] - 1).tril().bool()
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-from-answers",
    explanation="The target mask was built from the answers `tgt_y`. The decoder reads `tgt`, whose padding is in "
    "other places.",
    hint="`tgt_mask` hides the padding of `tgt_y`, which stands one place to the left of that of `tgt`. Build "
    "it from what the decoder reads (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt_y, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-too-long",
    explanation="The target mask was built from the whole target. It is one place longer than what the decoder reads.",
    hint="`tgt_mask` has a row and a column too many: build it from `tgt` without its last id (chapter 9, "
    "'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-from-source",
    explanation="The target mask was built from the source ids. It has the source's length and its padding.",
    hint="`tgt_mask` follows the source. Build it from what the decoder reads, `tgt` without its last id "
    "(chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(src, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-strictly-earlier",
    explanation="No place sees itself: the diagonal of the causal mask is False. A place may read its own input, it "
    "has to predict the next one.",
    hint="In `tgt_mask` the diagonal is False, so the first place sees nothing. A place may look at itself: "
    "its answer is the next id (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id).tril(-1)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-upper-triangle",
    explanation="The causal part was turned round: each place sees itself and what comes later, not what came before. "
    "Those are the very places that it must not see.",
    hint="`tgt_mask` shows the future and hides the past: keep the lower triangle, not the upper one (chapter "
    "9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = (
                padding_mask(self.tgt, pad_id) & torch.ones(tgt.shape[1] - 1, tgt.shape[1] - 1).triu().bool()
            )
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-either",
    explanation="The two parts of the target mask were combined by `or`. A place is then visible if only one of them "
    "allows it.",
    hint="`tgt_mask` shows too much: a place must be allowed by the padding mask *and* by the causal one "
    "(chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = (
                padding_mask(self.tgt, pad_id) | torch.ones(tgt.shape[1] - 1, tgt.shape[1] - 1).tril().bool()
            )
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-hides-queries",
    explanation="The rows of padded queries were hidden too. They do no harm, since the loss leaves them out, and "
    "hiding them leaves rows that may attend to nothing.",
    hint="In `tgt_mask` the rows of padded places are all False. Padding is hidden as a key; what a padded "
    "query looks at does not matter (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id) & padding_mask(self.tgt, pad_id).transpose(-2, -1)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-mask-without-heads",
    explanation="The target mask has the shape (B, T, T), without a place for the heads. It does not broadcast to "
    "scores of four axes as it should.",
    hint="`tgt_mask` has three axes, and scores have four: (B, H, T_q, T_k). It needs a 1 for the heads "
    "(chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id).squeeze(1)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "pad-id-fixed",
    explanation="0 was written into the code as the id of padding, and `pad_id` is ignored. With another vocabulary "
    "the masks hide a word and show the padding.",
    hint="With `pad_id=7` you still treat 0 as padding. Use the argument everywhere: in both masks and in the "
    "count (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt)
            self.ntokens = int((self.tgt_y != PAD).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "pad-id-not-in-source-mask",
    explanation="`pad_id` did not reach the mask of the source, which took the usual 0. Padding of the source is then "
    "read like a word.",
    hint="With another `pad_id` your `src_mask` still hides 0: hand the id on to `padding_mask` (chapter 9, "
    "'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "pad-id-not-in-target-mask",
    explanation="`pad_id` did not reach the mask of the target, which took the usual 0. Padding of the target is then "
    "read like a word.",
    hint="With another `pad_id` your `tgt_mask` still hides 0: hand the id on to `decoder_mask` (chapter 9, "
    "'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "pad-id-not-in-count",
    explanation="`pad_id` was used for the masks and forgotten in the count of tokens. Padding is then counted, and "
    "the loss per token comes out too small.",
    hint="With another `pad_id` your masks are right and `ntokens` is not: it compares with 0. Compare with "
    "the argument (chapter 9, 'What counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != PAD).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "pad-id-of-two",
    explanation="The default of `pad_id` is 2, as in some published code. In this course 2 is BOS, and padding is 0.",
    hint="Called without `pad_id` you treat 2 as padding, which is BOS here. The default is `PAD` (chapter 9, "
    "'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=2):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "words-are-larger-than-padding",
    explanation="Padding was told from words by `>` in place of `!=`. That holds only as long as padding has the "
    "smallest id.",
    hint="With `pad_id=7` you treat all smaller ids as padding, words too. Ask whether an id is different, not "
    "whether it is larger (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = (src > pad_id)[:, None, None, :]
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = (self.tgt > pad_id)[:, None, None, :] & torch.ones(
                tgt.shape[1] - 1, tgt.shape[1] - 1
            ).tril().bool()
            self.ntokens = int((self.tgt_y > pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-with-padding",
    explanation="Padding was counted. The loss per token would then depend on how far a batch was filled up.",
    hint="`ntokens` counts every place of `tgt_y`, padding too. Count those that are not `pad_id` (chapter 9, "
    "'What counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = self.tgt_y.numel()

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-of-what-is-read",
    explanation="The tokens of `tgt` were counted, which the decoder reads. BOS is among them, and the last token is "
    "not.",
    hint="`ntokens` counts the ids that are read. Those that are predicted count: those of `tgt_y` (chapter 9, "
    "'What counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-of-whole-target",
    explanation="The tokens of the whole target were counted, BOS included, which nobody predicts. The loss per token "
    "comes out too small.",
    hint="`ntokens` is too large by one for each sequence: BOS is never predicted. Count in `tgt_y` (chapter "
    "9, 'What counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((tgt != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-of-source",
    explanation="The tokens of the source were counted. The loss is a sum over target tokens.",
    hint="`ntokens` counts the source. The loss adds up over what is predicted: count in `tgt_y` (chapter 9, "
    "'What counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((src != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-of-sequences",
    explanation="The sequences were counted and not their tokens. The loss would then be one per sequence, which is "
    "large for long ones.",
    hint="`ntokens` is the number of sequences. Count the ids of `tgt_y` that are no padding (chapter 9, 'What "
    "counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = len(tgt)

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-is-a-tensor",
    explanation="The count is a tensor of one element. It lives on a device, and sums of it make chains of small "
    "operations; a number is wanted.",
    hint="`ntokens` is a tensor. Make a Python number of it with `int(...)` or `.item()` (chapter 9, 'What "
    "counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = (self.tgt_y != pad_id).sum()

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-is-a-float",
    explanation="The count is a float. Tokens are counted in whole numbers.",
    hint="`ntokens` is a float: use `int(...)` (chapter 9, 'What counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = float((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-of-ids",
    explanation="The ids themselves were added in place of the number of places where there is one. An id is a name, "
    "and nothing to add up.",
    hint="`ntokens` is far too large: you add up the ids. Add up whether each of them is different from "
    "`pad_id` (chapter 9, 'What counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int(self.tgt_y[self.tgt_y != pad_id].sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-of-padding",
    explanation="The padding was counted and the words left out. The comparison with the id of padding is the wrong "
    "way round.",
    hint="`ntokens` is the number of padded places. Count those that are *not* `pad_id` (chapter 9, 'What "
    "counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y == pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-of-longest",
    explanation="The longest sequence was counted and not all of them. The others have to be predicted too.",
    hint="`ntokens` is the length of the longest sequence. Add up over all sequences (chapter 9, 'What counts "
    "as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum(1).max())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "target-required",
    explanation="A batch without a target raises an error. When translating there is a source alone.",
    hint="`Batch(src)` fails in your class, since it cuts a target that is not there. Set `tgt`, `tgt_y` and "
    "`tgt_mask` to None and `ntokens` to 0 first (chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = tgt[:, :-1]
        self.tgt_y = tgt[:, 1:]
        self.tgt_mask = decoder_mask(self.tgt, pad_id)
        self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "attributes-missing-without-target",
    explanation="Without a target the attributes `tgt`, `tgt_y`, `tgt_mask` and `ntokens` are not set at all. Whoever "
    "asks for them gets an AttributeError.",
    hint="A batch without a target has no attribute `tgt` in your class. Set all four also then: None, None, "
    "None and 0 (chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "count-none-without-target",
    explanation="`ntokens` is None without a target. It is a number that is added up, so 0 is meant.",
    hint="`Batch(src).ntokens` is None. There are no tokens to predict, which is 0 (chapter 9, 'No target, "
    "other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = None
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "source-as-target",
    explanation="Without a target the source was taken for one. A batch to be translated has no target, and nothing "
    "to count.",
    hint="`Batch(src)` makes a target of the source. Without a target there is none: None, None, None and 0 "
    "(chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        tgt = src if tgt is None else tgt
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "padding-written-over",
    explanation="The padding of the ids given was overwritten, so that whoever holds them finds other ids. Building a "
    "batch should change nothing but the batch.",
    hint="After `Batch(...)` the ids that were handed over have changed. Compare with `pad_id`, and write "
    "nothing into `src` or `tgt` (chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        src[src == pad_id] = PAD
        if tgt is not None:
            tgt[tgt == pad_id] = PAD
        pad_id = PAD
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "last-word-written-over",
    explanation="The last id of every target was overwritten by padding to drop it. The ids that were handed over are "
    "changed, and a word is lost.",
    hint="After `Batch(...)` the targets that were handed over end in padding. A slice drops the last id "
    "without writing (chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt_y = tgt[:, 1:].clone()
            tgt[:, -1] = pad_id
            self.tgt = tgt[:, :-1]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "moves-itself",
    explanation="`to` moves the batch itself and returns it. Whoever still needs the old one finds it elsewhere.",
    hint="`batch.to(device)` changes `batch` itself. Make a new one, `copy.copy(self)` for instance, and set "
    "its tensors (chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = self
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "moves-itself-and-returns-none",
    explanation="`to` moves the batch itself and returns nothing, as if it were a module's method. The call that "
    "stores its result then stores None.",
    hint="`batch.to(device)` returns None. It should return a new batch (chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = self
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))


@mistake(
    "training.Batch",
    "moved-tensors-lost",
    explanation="`Tensor.to` was called and its result thrown away, or called with another device. A tensor does not "
    "move itself, it returns another one.",
    hint="After `batch.to(device)` nothing is on the device: `tensor.to(...)` returns a new tensor, which you "
    "have to keep (chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                value.to(device)
        return moved


@mistake(
    "training.Batch",
    "masks-left-behind",
    explanation="Only the ids were moved. The first attention then finds its scores on one device and the mask on "
    "another.",
    hint="The masks of the moved batch are still on the old device: move every tensor (chapter 9, 'No target, "
    "other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if name in ("src", "tgt", "tgt_y") and value is not None:
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "answers-left-behind",
    explanation="`tgt_y` was not moved. The model runs, and the loss then compares tensors of two devices.",
    hint="`tgt_y` of the moved batch is still on the old device: move every tensor (chapter 9, 'No target, "
    "other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if name != "tgt_y" and isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "source-left-behind",
    explanation="Only the parts of the target were moved, those of the source stayed. The encoder cannot read ids "
    "that lie elsewhere.",
    hint="`src` and `src_mask` of the moved batch are still on the old device: move every tensor (chapter 9, "
    "'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if name.startswith("tgt") and isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "moved-without-count",
    explanation="The moved batch has lost its number of tokens, since only the tensors were carried over. The loss "
    "per token then divides by 0, or by 1.",
    hint="`ntokens` of the moved batch is 0. Carry everything over: what is no tensor stays as it is (chapter "
    "9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = Batch(self.src)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "moving-needs-a-target",
    explanation="`to` fails for a batch without a target, since it moves None. Batches to be translated have none.",
    hint="`Batch(src).to(device)` raises an error: there is no target to move. Skip what is None (chapter 9, "
    "'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name in ("src", "src_mask", "tgt", "tgt_y", "tgt_mask"):
            setattr(moved, name, getattr(self, name).to(device))
        return moved


@mistake(
    "training.Batch",
    "moved-with-another-padding",
    explanation="`to` builds a new batch and forgets `pad_id`. Masks and count of the new one then take 0 for padding.",
    hint="With another `pad_id` the moved batch has other masks and another count: it was built anew with 0 as "
    "padding. Move the masks that you have (chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        if self.tgt is None:
            return Batch(self.src.to(device))
        whole = torch.cat([self.tgt, self.tgt_y[:, -1:]], dim=1)
        return Batch(self.src.to(device), whole.to(device))


@mistake(
    "training.Batch",
    "moved-shifted-again",
    explanation="`to` builds a new batch from `tgt`, which lacks its last id already. Every move then loses one more.",
    hint="The moved batch has lost the last place of `tgt` and `tgt_y`: you cut what was cut before. Move the "
    "tensors that you have (chapter 9, 'No target, other devices').",
    section="batch-device",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        if self.tgt is None:
            return Batch(self.src.to(device))
        return Batch(self.src.to(device), self.tgt.to(device))


@mistake(
    "training.Batch",
    "eos-hidden-from-decoder",
    explanation="The ends of shorter sentences were turned into padding in what the decoder reads. Ids are cut off "
    "at the right, and none is exchanged for another.",
    hint="Your `tgt` has padding where a shorter sentence has EOS. `tgt` holds all target ids but those of the last "
    "column, as they are: what follows EOS is padding and not counted, so that it does no harm there (chapter "
    "9, 'One sequence, read and predicted').",
    section="teacher-forcing-batch",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1].masked_fill(tgt[:, :-1] == 3, pad_id)
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "specials-not-counted",
    explanation="Only words were counted, and EOS left out. EOS is predicted like a word, and has a loss; only "
    "padding has none.",
    hint="`ntokens` is too small where a sentence ends before the last column: EOS counts, and so does every id but "
    "`pad_id` (chapter 9, 'What counts as a token').",
    section="token-count",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y > 3).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


@mistake(
    "training.Batch",
    "diagonal-always-open",
    explanation="Every place may look at itself, padding too. The mask is that of padding and that of order "
    "together, without an exception.",
    hint="In `tgt_mask` padding may look at itself. A row that may look at nothing does no harm: attention gives it "
    "zeros (chapter 9, 'Masks of a batch').",
    section="batch-masks",
)
class Batch:
    def __init__(self, src, tgt=None, pad_id=PAD):
        self.src = src
        self.src_mask = padding_mask(src, pad_id)
        self.tgt = self.tgt_y = self.tgt_mask = None
        self.ntokens = 0
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id) | torch.eye(self.tgt.shape[1], dtype=torch.bool)
            self.ntokens = int((self.tgt_y != pad_id).sum())

    def to(self, device):
        moved = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        return moved


# ---------------------------------------------------------------------------------------------------------------------
# copy_task


@mistake(
    "training.copy_task",
    "batches-and-sequences-swapped",
    explanation="The numbers of batches and of sequences in a batch were exchanged. An epoch then has another number "
    "of steps than was asked for.",
    hint="You give `batch_size` batches of `num_batches` sequences: it is the other way round (chapter 9, 'The "
    "copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(batch_size):
        ids = torch.randint(4, vocab_size, (num_batches, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "one-batch-only",
    explanation="A single batch is given, whatever `num_batches` says. An epoch is then over after one step.",
    hint="You give one batch. Repeat it `num_batches` times, with new ids each time (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(1):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "a-batch-too-many",
    explanation="The count of batches starts at 0 and includes its end. `range(n)` already counts n of them.",
    hint="You give one batch more than `num_batches` (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches + 1):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "bos-comes-on-top",
    explanation="BOS was put in front of `length` ids, so that every sequence has one id more. `length` counts BOS.",
    hint="Your sequences have `length + 1` ids: BOS counts (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids = torch.cat([torch.full((batch_size, 1), BOS), ids], dim=1)
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "eos-at-the-end",
    explanation="The last id was replaced by EOS. The length of the sequences is known here, so they need no end.",
    hint="Your sequences end with EOS. In this task they have a fixed length, and no EOS (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        ids[:, -1] = 3
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "length-fixed",
    explanation="The length 10 was written into the code, and `length` is ignored. Whoever asks for longer sequences "
    "gets these.",
    hint="Your sequences have 10 ids, whatever `length` says (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, 10), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "other-default-length",
    explanation="The default of `length` is not 10. It is part of the signature.",
    hint="Called without `length` you give sequences of another length than 10 (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=8, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "sequences-along-columns",
    explanation="The ids have the shape (length, batch). In this course the batch comes first.",
    hint="`src` has the shape (length, batch): batches come first here (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (length, batch_size), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "no-bos",
    explanation="The first id is a word like the others. The decoder then has no fixed id to start from.",
    hint="The first id of your sequences is random: it should be BOS, from which decoding starts (chapter 9, "
    "'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "one-bos-only",
    explanation="Only the first sequence of a batch begins with BOS. `ids[0, 0]` is a single place.",
    hint="In your batches one sequence begins with BOS and the others do not: `ids[0, 0]` is one place, "
    "`ids[:, 0]` is a column (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[0, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "first-sequence-all-bos",
    explanation="A row was set to BOS in place of a column. The first sequence is then BOS throughout.",
    hint="Your first sequence consists of BOS alone: `ids[0]` is a sequence, `ids[:, 0]` is the first place of "
    "all (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "begins-with-one",
    explanation="Sequences begin with the id 1, as in published code for another vocabulary. In this course 1 stands "
    "for unknown words.",
    hint="Your sequences begin with 1, which is UNK here: use BOS (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = 1
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "begins-with-padding",
    explanation="Sequences begin with the id 0, which is padding. The masks then hide their first place.",
    hint="Your sequences begin with 0, which is padding and masked: use BOS (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = 0
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "ids-from-one",
    explanation="Ids are drawn from 1 up, as in published code for another vocabulary. Here 1 to 3 are special.",
    hint="Among your words there are ids below 4: those are PAD, UNK, BOS and EOS. Draw from 4 up (chapter 9, "
    "'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(1, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "ids-from-zero",
    explanation="Ids are drawn from 0 up. Padding is among them, and is masked and left out of the loss.",
    hint="Among your words there are ids below 4, 0 too, which is padding. Draw from 4 up (chapter 9, 'The "
    "copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(0, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "ids-from-three",
    explanation="Ids are drawn from 3 up, so that EOS stands in the middle of sequences. A decoder that stops at EOS "
    "would stop there.",
    hint="Among your words there is EOS, which is 3. Draw from 4 up (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(3, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "ids-from-five",
    explanation="The smallest word has the id 5. 4 is a word as well.",
    hint="The id 4 never occurs. The special ids are 0 to 3 (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(5, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "last-word-missing",
    explanation="The upper bound was lowered by one. `torch.randint` already leaves out its upper bound.",
    hint="The last word, `vocab_size - 1`, never occurs: the upper bound of `torch.randint` is exclusive "
    "(chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size - 1, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "a-word-too-many",
    explanation="The upper bound was raised by one, and the id `vocab_size` has no row in any table. The embedding "
    "fails as soon as it is drawn.",
    hint="The id `vocab_size` occurs, which no embedding table has a row for: the upper bound of "
    "`torch.randint` is exclusive (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size + 1, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "vocabulary-on-top-of-specials",
    explanation="`vocab_size` was taken as the number of words without the special ids. It counts them.",
    hint="Ids of `vocab_size` and more occur: the vocabulary includes the four special ids (chapter 9, 'The "
    "copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size + 4, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "target-drawn-anew",
    explanation="The target was drawn by itself. There is nothing to learn from a target that has nothing to do with "
    "its source.",
    hint="Your target is another random sequence than the source: it has to be the same (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        other = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        other[:, 0] = BOS
        yield Batch(ids, other)


@mistake(
    "training.copy_task",
    "target-reversed",
    explanation="The target is the source backwards. That is another task, and its first id is not BOS.",
    hint="Your target is the source in reverse. The task is to copy (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids.flip(1))


@mistake(
    "training.copy_task",
    "target-shifted-before",
    explanation="The target was shifted before it came to `Batch`, which shifts it as well. Two shifts are one too "
    "many.",
    hint="In your batches `tgt` starts at the second id: `Batch` does the shifting itself. Hand it the whole "
    "sequence twice (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids[:, 1:])


@mistake(
    "training.copy_task",
    "target-without-last",
    explanation="The target lost its last id before it came to `Batch`, which drops one itself. The last id of the "
    "source is then never asked for.",
    hint="In your batches the last id of the source never has to be predicted: hand `Batch` the whole sequence "
    "twice (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids[:, :-1])


@mistake(
    "training.copy_task",
    "source-without-bos",
    explanation="The source lost its BOS. It is then shorter than asked for.",
    hint="`src` lacks its first id: source and target are the same, BOS included (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids[:, 1:], ids)


@mistake(
    "training.copy_task",
    "source-not-begun",
    explanation="BOS was written into the target only. The source keeps a word in its place.",
    hint="`src` does not begin with BOS, only the target does: both are the same sequence (chapter 9, 'The "
    "copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        target = ids.clone()
        target[:, 0] = BOS
        yield Batch(ids, target)


@mistake(
    "training.copy_task",
    "no-target",
    explanation="The batch was made without a target. There is nothing to learn from a source alone.",
    hint="Your batches have no target: hand `Batch` the ids twice, as source and as target (chapter 9, 'The "
    "copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids)


@mistake(
    "training.copy_task",
    "pairs-in-place-of-batches",
    explanation="Pairs of tensors are given in place of `Batch` objects. Masks and the number of tokens are then "
    "missing.",
    hint="You give pairs of tensors: make a `Batch` of each (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield (ids, ids)


@mistake(
    "training.copy_task",
    "always-the-same-batch",
    explanation="The ids are drawn once, before the loop. Every batch is then the same.",
    hint="All your batches are equal: draw inside the loop, for each batch anew (chapter 9, 'Random, and repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
    ids[:, 0] = BOS
    for _ in range(num_batches):
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "one-sequence-repeated",
    explanation="One sequence is drawn and repeated for the whole batch. A batch then teaches no more than one of its "
    "sequences.",
    hint="All sequences of a batch are equal: draw `batch_size` of them (chapter 9, 'Random, and repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (1, length), generator=generator).repeat(batch_size, 1)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "one-word-repeated",
    explanation="One word is drawn for each sequence and repeated. Such a sequence can be copied without looking at "
    "places.",
    hint="Each of your sequences holds one word again and again: draw every place (chapter 9, 'Random, and "
    "repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, 1), generator=generator).repeat(1, length)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "words-in-order",
    explanation="The ids of a sequence are sorted. The model can then guess much without copying.",
    hint="Your sequences are sorted: words come in any order (chapter 9, 'Random, and repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator).sort(dim=1).values
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "generator-ignored",
    explanation="The generator was not handed on. The same seed then gives other batches.",
    hint="The same seed gives different batches: hand `generator` on to `torch.randint` (chapter 9, 'Random, "
    "and repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length))
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "generator-ignored-and-fixed-seed",
    explanation="A fixed seed was set inside. Every epoch, and whatever else is random in the program, then starts "
    "from the same numbers.",
    hint="Every call gives the same batches: do not set a seed inside. Draw from `generator` (chapter 9, "
    "'Random, and repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    torch.manual_seed(0)
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length))
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "fixed-seed-by-default",
    explanation="Without a generator one with a fixed seed is made. Every epoch then shows the same batches.",
    hint="Two calls without a generator give the same batches: leave `generator=None` to `torch.randint`, "
    "which then draws from PyTorch's own (chapter 9, 'Random, and repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    if generator is None:
        generator = torch.Generator().manual_seed(0)
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "rounded-to-an-id",
    explanation="Numbers between the first and the last id are rounded. To the first and to the last only half as many "
    "are rounded as to each of the others.",
    hint="Your first and your last word occur half as often as the others, for rounding has half an interval there. "
    "`torch.randint` draws whole numbers (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        numbers = torch.rand(batch_size, length, generator=generator)
        ids = (4 + (vocab_size - 5) * numbers).round().long()
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "generator-set-back",
    explanation="The generator is set back to its seed, so that every epoch gets the same batches. Used further, it "
    "should give new ones.",
    hint="A generator that is used further gives the same batches again: do not set it back, it goes on by "
    "itself (chapter 9, 'Random, and repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    if generator is not None:
        generator = torch.Generator().manual_seed(generator.initial_seed())
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "generator-set-back-for-each-batch",
    explanation="The generator is set back for each batch. All batches of an epoch are then equal.",
    hint="All batches drawn with a generator are equal: you set it back in the loop. Let it go on (chapter 9, "
    "'Random, and repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        if generator is not None:
            generator.manual_seed(generator.initial_seed())
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "generator-required",
    explanation="Without a generator the function fails. None is the default, and stands for PyTorch's own generator.",
    hint="Called without a generator your function raises an error. `generator=None` means PyTorch's own "
    "(chapter 9, 'Random, and repeatable').",
    section="copy-task-random",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    generator.get_state()
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids[:, 0] = BOS
        yield Batch(ids, ids)


@mistake(
    "training.copy_task",
    "ids-as-floats",
    explanation="The ids are floating-point numbers. Ids are rows of a table, and an embedding takes whole numbers "
    "only.",
    hint="Your batches hold floating-point numbers: `torch.randint` gives int64, and so should whatever you do with "
    "it (chapter 9, 'The copy task').",
    section="copy-task-data",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    for _ in range(num_batches):
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids = ids.float()
        ids[:, 0] = BOS
        yield Batch(ids, ids)


# ---------------------------------------------------------------------------------------------------------------------
# bucket_batches


@mistake(
    "training.bucket_batches",
    "sum-of-lengths",
    explanation="The lengths of a batch were added up. Padding takes room too: each sequence is filled up to the "
    "longest.",
    hint="Some of your batches are too large once they are padded: you compare the sum of the lengths with "
    "`max_tokens`. What counts is the number of sequences times the longest (chapter 9, 'How large a "
    "batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and sum(lengths[i] for i in current) + lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "number-of-sequences",
    explanation="The number of sequences was compared with `max_tokens`. That is a number of tokens.",
    hint="Your batches hold up to `max_tokens` sequences: the limit is on tokens, padding included (chapter 9, "
    "'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and len(current) + 1 > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "newcomer-not-counted",
    explanation="The size was computed without the sequence that is about to join. Batches overflow by one.",
    hint="Your batches are too large by one sequence: count the one that is about to join (chapter 9, 'How "
    "large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and len(current) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "longest-before-the-newcomer",
    explanation="The size was computed with the longest sequence so far. The one that joins is longer.",
    hint="Some of your batches are too large: the sequence that joins may be the longest. Take its length into "
    "the maximum (chapter 9, 'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[current[-1]] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "length-of-first",
    explanation="The size was computed with the first sequence of the batch, which is the shortest. The longest "
    "decides how wide a batch is.",
    hint="Some of your batches are too large: the size is set by the longest of a batch, and you take its "
    "first (chapter 9, 'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[current[0]] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "mean-length",
    explanation="The size was computed with the mean length so far. Padding fills up to the longest.",
    hint="Some of your batches are too large: a batch is as wide as its longest sequence, not as the mean "
    "(chapter 9, 'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * sum(lengths[i] for i in current) / len(current) > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "unsorted-newcomer-only",
    explanation="Sequences come as they stand, and only the length of the newcomer is looked at. An earlier one may "
    "be longer.",
    hint="Some of your batches are too large: without sorting, the newcomer need not be the longest. Keep the "
    "maximum of the batch (chapter 9, 'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in range(len(lengths)):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "may-exceed-by-one",
    explanation="The limit was compared with one token more. The limit is the largest size that is allowed.",
    hint="Your batches may hold one token more than `max_tokens`: compare with `>` and nothing added (chapter "
    "9, 'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens + 1:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "closed-after-overflow",
    explanation="A batch is closed only once it has become too large, with the sequence that made it so inside. "
    "Whether a sequence fits has to be asked before it joins.",
    hint="Your batches are closed one sequence too late: ask before a sequence joins whether it still fits "
    "(chapter 9, 'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        current.append(index)
        if len(current) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "last-batch-dropped",
    explanation="What is left at the end was never made a batch. Its sequences are lost, the longest ones.",
    hint="Your last batch is missing: after the loop the sequences that were gathered make one more (chapter "
    "9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "last-batch-dropped-unless-full",
    explanation="The last batch is kept only if it is large enough. Every sequence belongs into a batch.",
    hint="Sequences are missing from your batches: the last batch counts even if it is small (chapter 9, "
    "'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current and 2 * len(current) * max(lengths[i] for i in current) > max_tokens:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "newcomer-lost",
    explanation="The sequence that did not fit any more was lost when the batch was closed. It should begin the next "
    "batch.",
    hint="Sequences are missing: the one that no longer fits has to begin the next batch (chapter 9, 'Batches "
    "of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        else:
            current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "newcomer-twice",
    explanation="The sequence that did not fit is put into both batches. It would be learnt twice, and the old batch "
    "is too large.",
    hint="Some places occur twice: the sequence that begins a new batch must not be in the old one (chapter 9, "
    "'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append([*current, index])
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "first-batch-empty",
    explanation="An empty batch is closed before the first sequence has joined. A batch of nothing has no shape, and "
    "its mean loss is 0/0.",
    hint="One of your batches is empty: close a batch only if there is something in it (chapter 9, 'Batches of "
    "like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = [[]]
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "always-a-last-batch",
    explanation="After each sequence that fills its batch exactly, an empty batch may be left at the end, and is "
    "added. A batch of nothing has no shape, and its mean loss is 0/0.",
    hint="One of your batches is empty: add the last one only if there is something in it (chapter 9, 'Batches "
    "of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
        if len(current) * lengths[index] == max_tokens:
            batches.append(current)
            current = []
    batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "one-list-for-all",
    explanation="The list of a batch was emptied with `clear` after it had been added. All batches are then one list, "
    "the last one.",
    hint="Your batches are all the same: `clear()` also empties the list that you have just added. Begin a new "
    "one (chapter 9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current.clear()
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "lengths-in-place-of-places",
    explanation="The batches hold lengths and not the places of the sequences. From a length nobody can tell which "
    "sequence is meant.",
    hint="Your batches hold the lengths. Give the place of each sequence in `lengths` (chapter 9, 'Batches of "
    "like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(lengths[index])
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "places-in-the-sorted-list",
    explanation="The places are those in the sorted list. They name other sequences than those that were measured.",
    hint="Your batches fit the sorted lengths and not `lengths`: sort the places by length, so that each place "
    "keeps its sequence (chapter 9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    ordered = sorted(lengths)
    for index in range(len(ordered)):
        if current and (len(current) + 1) * ordered[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "places-by-lookup",
    explanation="Each place was looked up by its length. Of sequences of the same length the first one is found again "
    "and again.",
    hint="Of sequences of the same length only the first is in your batches, several times: `index` finds the "
    "first. Sort places, not lengths (chapter 9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in [lengths.index(length) for length in sorted(lengths)]:
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "equal-lengths-merged",
    explanation="Places were kept in a dictionary by length. Sequences of the same length overwrite one another.",
    hint="Of sequences of the same length only one is in your batches: a dictionary has room for one of them. "
    "Sort places (chapter 9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in [place for _, place in sorted({length: i for i, length in enumerate(lengths)}.items())]:
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "places-from-one",
    explanation="The places are counted from 1. In Python the first one is 0, and the last one counted from 1 does "
    "not exist.",
    hint="Your places begin at 1: they are indices into `lengths`, from 0 (chapter 9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index + 1)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "first-sequence-forgotten",
    explanation="The places begin at 1, and the sequence at 0 is in no batch. In Python the first place is 0.",
    hint="The place 0 is in none of your batches (chapter 9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(1, len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "generator-of-batches",
    explanation="The batches are yielded one by one. The caller expects a list, with a length.",
    hint="Your function yields: gather the batches in a list and return it (chapter 9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    yield from batches


@mistake(
    "training.bucket_batches",
    "flat-list",
    explanation="One flat list of places is returned, without the division into batches. Nobody can tell where a "
    "batch ends.",
    hint="You return one list of places: return a list of lists, one for each batch (chapter 9, 'Batches of "
    "like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return [index for batch in batches for index in batch]


@mistake(
    "training.bucket_batches",
    "batches-as-tensors",
    explanation="Each batch is a tensor. As indices they are awkward: a list of sentences does not take them.",
    hint="Your batches are tensors: lists of whole numbers are wanted (chapter 9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return [torch.tensor(batch) for batch in batches]


@mistake(
    "training.bucket_batches",
    "lengths-sorted-in-place",
    explanation="`lengths` was sorted in place. Whoever owns the list finds other lengths at its places.",
    hint="After the call `lengths` is sorted: `sort()` changes the list. Use `sorted`, on the places (chapter "
    "9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    batches = []
    current = []
    for index in order:
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    lengths.sort()
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "lengths-used-up",
    explanation="Lengths were marked in the list as they were dealt with. The list belongs to the caller.",
    hint="After the call `lengths` has changed: keep your own notes elsewhere (chapter 9, 'Batches of like length').",
    section="bucketing",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    for index in range(len(lengths)):
        lengths[index] = 0
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "full-batch-refused",
    explanation="A sequence of exactly `max_tokens` tokens is refused. It fits, alone in its batch.",
    hint="A sequence of exactly `max_tokens` tokens raises an error in your function, but it fits: refuse only "
    "what is longer (chapter 9, 'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) >= max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "too-long-accepted",
    explanation="A sequence longer than `max_tokens` gets a batch of its own. The limit is there because memory ends.",
    hint="A sequence longer than `max_tokens` is accepted, alone in a batch that is too large. Raise "
    "ValueError (chapter 9, 'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "too-long-left-out",
    explanation="A sequence longer than `max_tokens` is silently left out. Data that disappear without a word are the "
    "worst kind of error.",
    hint="A sequence longer than `max_tokens` disappears without a word. Raise ValueError (chapter 9, 'How "
    "large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if lengths[index] > max_tokens:
            continue
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "too-long-cut",
    explanation="A sequence longer than `max_tokens` is treated as if it were cut to that length. Nobody cuts it.",
    hint="A sequence longer than `max_tokens` is counted as if it were shorter. Raise ValueError (chapter 9, "
    "'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    lengths = [min(length, max_tokens) for length in lengths]
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "too-long-asserted",
    explanation="The length is tested with `assert`, which raises AssertionError and disappears when Python runs with "
    "-O. Wrong arguments raise ValueError.",
    hint="For a sequence longer than `max_tokens` you raise AssertionError: use `raise ValueError(...)` "
    "(chapter 9, 'How large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    assert max(lengths, default=0) <= max_tokens, "a sequence is too long"
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "too-long-runtime-error",
    explanation="Another kind of error is raised. A wrong argument is a ValueError.",
    hint="For a sequence longer than `max_tokens` you raise RuntimeError: use ValueError (chapter 9, 'How "
    "large a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise RuntimeError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "only-the-first-tested",
    explanation="Only the first sequence is tested for its length. The others may be too long as well.",
    hint="A sequence that is too long raises an error only in the first place: test all (chapter 9, 'How large "
    "a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if lengths and lengths[0] > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "only-the-last-tested",
    explanation="Only the last sequence is tested, as if the list were sorted. The lengths come in any order.",
    hint="A sequence that is too long raises an error only in the last place: test all (chapter 9, 'How large "
    "a batch is').",
    section="padded-size",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if lengths and lengths[-1] > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "not-shuffled",
    explanation="The generator is not used. Every epoch then goes from short to long sequences.",
    hint="With a generator your batches come in the same order as without: shuffle them (chapter 9, 'Shuffle "
    "the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    return batches


@mistake(
    "training.bucket_batches",
    "shuffled-without-generator",
    explanation="The batches are shuffled, but not by the generator that was given. A run cannot be repeated.",
    hint="The same seed gives another order: hand `shuffle_generator` to `torch.randperm` (chapter 9, 'Shuffle "
    "the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches)).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "always-shuffled",
    explanation="The batches are shuffled without a generator too. Who gives none asks for a fixed order, as one does "
    "for a validation set.",
    hint="Without a generator your batches come in another order each time. Shuffle only if there is one (chapter 9, "
    "'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
    return [batches[i] for i in order]


@mistake(
    "training.bucket_batches",
    "shuffled-by-python",
    explanation="Python's own random numbers are used for shuffling. The generator has no say.",
    hint="The same seed gives another order: `random.shuffle` knows nothing of `shuffle_generator`. Draw with "
    "`torch.randperm` (chapter 9, 'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        random.shuffle(batches)
    return batches


@mistake(
    "training.bucket_batches",
    "shuffled-by-the-count",
    explanation="The order is drawn by a new generator with a fixed seed, so that every epoch has the same one. "
    "Whoever passes a generator expects it to decide.",
    hint="Every generator gives the same order: draw from the one that was given (chapter 9, 'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=torch.Generator().manual_seed(0)).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "places-shuffled-after-batching",
    explanation="All places were shuffled after the batches had been made, across them. Short and long ones are then "
    "mixed, and batches overflow.",
    hint="With a generator your batches are too large: you mix their sequences after they were measured. "
    "Shuffle whole batches (chapter 9, 'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        places = [i for batch in batches for i in batch]
        order = iter(torch.randperm(len(places), generator=shuffle_generator).tolist())
        batches = [[places[next(order)] for _ in batch] for batch in batches]
    return batches


@mistake(
    "training.bucket_batches",
    "drawn-with-repetition",
    explanation="The order was drawn with `randint`. Some batches then come twice, and others not at all.",
    hint="With a generator some of your batches come twice and others never: `randint` draws with repetition, "
    "`randperm` without (chapter 9, 'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randint(len(batches), (len(batches),), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "lengths-not-shuffled-along",
    explanation="The places were shuffled and measured by the lengths of the old order. The length of a sequence has "
    "to go where the sequence goes.",
    hint="With a generator your batches are too large: the places are in a new order and the lengths in the "
    "old one (chapter 9, 'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    places = list(range(len(lengths)))
    if shuffle_generator is not None:
        places = torch.randperm(len(lengths), generator=shuffle_generator).tolist()
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(places[index])
    if current:
        batches.append(current)
    return batches


@mistake(
    "training.bucket_batches",
    "last-batch-lost-in-shuffle",
    explanation="The order was drawn for one batch less. One batch is then never seen.",
    hint="With a generator a batch is missing: draw the order of all of them (chapter 9, 'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches) - 1, generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "shuffled-order-returned",
    explanation="The order of the batches was returned in place of the batches. The numbers of the batches are not "
    "the places of the sequences.",
    hint="With a generator you return the order and not the batches in that order (chapter 9, 'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "generator-required",
    explanation="The function fails without a generator. None is the default, and stands for no shuffling.",
    hint="Called without a generator your function raises an error: `None` means not to shuffle (chapter 9, "
    "'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if True:
        shuffle_generator.get_state()
        order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
        batches = [batches[i] for i in order]
    return batches


@mistake(
    "training.bucket_batches",
    "shuffled-inside-batches",
    explanation="The sequences of each batch are shuffled, and the batches stay in the order of their lengths. The "
    "order inside a batch changes nothing, since its losses are added up.",
    hint="With a generator your batches are the same ones in the same order, only shuffled within themselves: "
    "shuffle the list of batches (chapter 9, 'Shuffle the batches').",
    section="bucket-shuffle",
)
def bucket_batches(lengths, max_tokens, shuffle_generator=None):
    if max(lengths, default=0) > max_tokens:
        raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
    batches = []
    current = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        current.append(index)
    if current:
        batches.append(current)
    if shuffle_generator is not None:
        batches = [
            [batch[i] for i in torch.randperm(len(batch), generator=shuffle_generator).tolist()] for batch in batches
        ]
    return batches


# ---------------------------------------------------------------------------------------------------------------------
# run_epoch


@mistake(
    "training.run_epoch",
    "no-evaluation-mode",
    explanation="The model stays in training mode while it is evaluated. Dropout then makes every result a matter of "
    "chance.",
    hint="Without an optimiser your model runs in training mode, with dropout: call `model.eval()` (chapter 9, "
    "'Evaluating').",
    section="evaluating",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    if training:
        model.train()
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "always-training-mode",
    explanation="`model.train()` is called whether there is an optimiser or not. Dropout is then on while evaluating.",
    hint="You put the model into training mode also to evaluate it: call `model.eval()` when there is no "
    "optimiser (chapter 9, 'Evaluating').",
    section="evaluating",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train()
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "only-the-top-in-evaluation-mode",
    explanation="The flag `training` of the model itself was set. Its parts have flags of their own, and those of "
    "dropout are still on.",
    hint="You set `model.training`, which the parts of the model know nothing of: call `model.train(...)` or "
    "`model.eval()` (chapter 9, 'Evaluating').",
    section="evaluating",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.training = training
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "gradients-while-evaluating",
    explanation="The evaluation runs with gradients enabled. It keeps all intermediate results for a backward pass "
    "that never comes.",
    hint="While evaluating, gradients are enabled: run the model under `torch.no_grad()` (chapter 9, 'Evaluating').",
    section="evaluating",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.enable_grad():
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "backward-while-evaluating",
    explanation="The backward pass is made without an optimiser too. The gradients then lie about until the next step.",
    hint="After an evaluation there are gradients: without an optimiser there is no backward pass (chapter 9, "
    "'Evaluating').",
    section="evaluating",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.enable_grad():
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if True:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "gradients-off-for-good",
    explanation="Gradients are switched off for the evaluation, and never on again. The switch belongs to PyTorch, not "
    "to this function: whatever is computed afterwards records no gradients, in any part of the program.",
    hint="After an evaluation nothing records gradients any more. Put `torch.no_grad()` or "
    "`torch.set_grad_enabled(...)` into a `with`, which sets back what it found (chapter 9, 'Evaluating').",
    section="evaluating",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    torch.set_grad_enabled(training)
    if True:
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "parameters-frozen-for-evaluation",
    explanation="The parameters were told to need no gradients for the evaluation. They stay so afterwards, and those "
    "that were frozen on purpose are set free by the next training.",
    hint="After an evaluation your model's parameters need no gradients any more. Leave them alone and evaluate inside "
    "`torch.no_grad()` (chapter 9, 'Evaluating').",
    section="evaluating",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    for parameter in model.parameters():
        parameter.requires_grad_(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "steps-while-evaluating",
    explanation="Groups of batches are counted as steps when evaluating too. A step is one of the optimiser, and "
    "there is none.",
    hint="Without an optimiser you report steps: there are 0 (chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            steps += 1
            if training:
                optimizer.step()
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "evaluation-mode-while-training",
    explanation="The model is never put into training mode. After an evaluation it stays in evaluation mode, and "
    "trains without dropout.",
    hint="You train in whatever mode the model was in, and after an evaluation that is the wrong one: call "
    "`model.train()` (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    if not training:
        model.eval()
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "modes-exchanged",
    explanation="The modes are exchanged: evaluation mode while training, training mode while evaluating. Dropout is "
    "then off where it should be on, and the other way round.",
    hint="You have the two modes the wrong way round: `model.train(...)` takes True for training (chapter 9, "
    "'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(not training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "mean-of-batch-means",
    explanation="The mean losses of the batches were averaged. A small batch then counts as much as a large one.",
    hint="Your loss is the mean of the batches' means. Add up losses and tokens, and divide once, at the end "
    "(chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, seen = 0.0, 0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item() / batch.ntokens
            total_tokens += tokens
            seen += len(group)
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(seen, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "sum-of-losses",
    explanation="The sum of all losses is returned. It grows with the number of tokens.",
    hint="Your loss is a sum: divide it by the number of tokens (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss, total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "sum-of-batch-means",
    explanation="The mean losses of the batches were added up and not divided. The result grows with the number of "
    "batches.",
    hint="Your loss grows with the number of batches: add up the losses themselves, and divide by all tokens "
    "at the end (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item() / batch.ntokens
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss, total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-per-batch",
    explanation="The sum was divided by the number of batches. Batches differ in size.",
    hint="Your loss is per batch: divide by the number of tokens (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, seen = 0.0, 0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            seen += len(group)
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(seen, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-per-sequence",
    explanation="The sum was divided by the number of sequences. A long sequence then counts more than a short one.",
    hint="Your loss is per sequence: divide by the number of tokens (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, sequences = 0.0, 0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
                sequences += len(batch.src)
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(sequences, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-per-place",
    explanation="The sum was divided by all places, padding included. The loss is then smaller for batches with more "
    "padding.",
    hint="Your loss is divided by padding too: divide by `ntokens` (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, places = 0.0, 0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
                places += batch.tgt_y.numel()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(places, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-of-the-last-batch",
    explanation="Only the loss of the last batch is returned. It says little about the epoch.",
    hint="Your loss is that of the last batch: add up over all (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss = loss.item() / batch.ntokens
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss, total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-of-the-last-over-all",
    explanation="The loss is overwritten by each batch and divided by the tokens of all. The result shrinks with the "
    "number of batches.",
    hint="Your loss is that of the last batch, divided by all tokens: add up with `+=` (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss = loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-divided-twice",
    explanation="Each loss was divided by its tokens, and their sum by all tokens again. The result shrinks with the "
    "number of batches.",
    hint="Your loss is far too small: you divide by tokens twice. Add up the sums that `loss_fn` returns "
    "(chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item() / batch.ntokens
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-is-a-tensor",
    explanation="The loss is a tensor that still belongs to the graph of the last backward pass. Whoever keeps it "
    "keeps the graphs of a whole epoch in memory.",
    hint="`loss` of your result is a tensor with a graph behind it: add up `loss.item()` (chapter 9, 'What an "
    "epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss = total_loss + loss
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-after-the-step",
    explanation="The loss of each batch is computed anew after the step. It is then the loss of a model that has seen "
    "the batch already.",
    hint="Your training loss is measured after each step, on what was just learnt: take the loss that you made "
    "the step with (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                loss = loss_fn(model.generator(hidden).flatten(0, 1), batch.tgt_y.flatten())
                total_loss += loss.item()
            total_tokens += tokens
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "no-batches-divides-by-zero",
    explanation="Without batches there are no tokens, and the division fails. A run with an empty test set then ends "
    "in an error.",
    hint="Without batches your function divides by zero: the loss is 0.0 then (chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / total_tokens, total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "no-batches-gives-nan",
    explanation="Without batches the loss is NaN. The exercise asks for 0.0.",
    hint="Without batches your loss is NaN: it should be 0.0 (chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(
        (total_loss / total_tokens if total_tokens else float("nan")), total_tokens, time.perf_counter() - start, steps
    )


@mistake(
    "training.run_epoch",
    "no-batches-gives-none",
    explanation="Without batches the loss is None, which cannot be printed or compared like a number. A number is "
    "wanted in every case.",
    hint="Without batches your loss is None: it should be 0.0 (chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(
        (total_loss / total_tokens if total_tokens else None), total_tokens, time.perf_counter() - start, steps
    )


@mistake(
    "training.run_epoch",
    "tokens-with-padding",
    explanation="Padding is counted among the tokens, in the loss and in the report. Loss and speed then depend on "
    "how far batches are filled up.",
    hint="`tokens` counts padding: add up `batch.ntokens` (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += sum(batch.tgt_y.numel() for batch in group)
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "tokens-of-the-source",
    explanation="The tokens of the source are counted. The loss adds up over the target.",
    hint="`tokens` counts the source: add up `batch.ntokens` (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += sum(int(batch.src_mask.sum()) for batch in group)
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "tokens-that-are-read",
    explanation="The tokens that the decoder reads are counted, BOS among them. The loss adds up over those that are "
    "predicted.",
    hint="`tokens` counts `tgt`: those that are predicted count, `batch.ntokens` (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += sum(int((batch.tgt != 0).sum()) for batch in group)
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "tokens-of-the-last-step",
    explanation="The tokens of the last step are reported, not those of the epoch. Speed and loss per token need "
    "those of the whole epoch.",
    hint="`tokens` is that of the last step: add up over the epoch (chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(
        total_loss / max(total_tokens, 1), tokens if total_tokens else 0, time.perf_counter() - start, steps
    )


@mistake(
    "training.run_epoch",
    "sequences-reported-as-tokens",
    explanation="The number of sequences is reported in place of the number of tokens. A sequence is no measure of "
    "work, since lengths differ.",
    hint="`tokens` of your result is the number of sequences: add up `batch.ntokens` (chapter 9, 'What an "
    "epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, sequences = 0.0, 0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
                sequences += len(batch.src)
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), sequences, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "steps-are-batches",
    explanation="The batches are counted and not the steps of the optimiser. With `accumulate` these differ.",
    hint="`steps` counts batches: count the steps of the optimiser (chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += len(group)
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "result-is-a-tuple",
    explanation="A plain tuple is returned. The fields of an `EpochResult` have names.",
    hint="You return a plain tuple: return `EpochResult(...)`, so that `result.loss` works (chapter 9, 'What "
    "an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return (total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "fields-in-another-order",
    explanation="Tokens and steps are exchanged in the result. Whoever reads `result.tokens` gets the number of steps.",
    hint="`tokens` and `steps` of your result are exchanged: the order is loss, tokens, seconds, steps "
    "(chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), steps, time.perf_counter() - start, total_tokens)


@mistake(
    "training.run_epoch",
    "seconds-are-the-clock",
    explanation="The time of day is returned, not the time that has passed. A time of day is no duration.",
    hint="`seconds` is a time of day: subtract the time at the start (chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.time(), steps)


@mistake(
    "training.run_epoch",
    "seconds-are-milliseconds",
    explanation="The time is in milliseconds. The field is called `seconds`.",
    hint="`seconds` is a thousand times too large (chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, 1000 * (time.perf_counter() - start), steps)


@mistake(
    "training.run_epoch",
    "seconds-zero",
    explanation="No time was measured. Nobody can tell how fast the training is.",
    hint="`seconds` is always 0: subtract the time at the start from the time at the end (chapter 9, 'What an "
    "epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, 0.0, steps)


@mistake(
    "training.run_epoch",
    "seconds-negative",
    explanation="The subtraction is the wrong way round. The later time comes first.",
    hint="`seconds` is negative: the end comes first in the subtraction (chapter 9, 'What an epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, start - time.perf_counter(), steps)


@mistake(
    "training.run_epoch",
    "seconds-per-batch",
    explanation="The clock is started anew for each batch, so that the time of the last one is returned. An epoch has "
    "more than one.",
    hint="`seconds` is the time of the last batch: start the clock once, before the loop (chapter 9, 'What an "
    "epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                start = time.perf_counter()
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "generator-forgotten",
    explanation="The model's vectors go straight into the loss. The generator is what makes log-probabilities of them.",
    hint="Your loss gets vectors of the model's width: `model.generator` turns them into log-probabilities "
    "first (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = hidden
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "probabilities-to-the-loss",
    explanation="The exponentials of the log-probabilities go into the loss, which takes no logarithm itself. A loss "
    "of probabilities is no negative log-likelihood, and may fall below 0.",
    hint="Your loss gets probabilities: hand it what `model.generator` returns, log-probabilities (chapter 9, "
    "'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden).exp()
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "source-and-target-exchanged",
    explanation="Source and target are handed to the model in the wrong order. The model then translates in the wrong "
    "direction.",
    hint="The model gets the target as source: the order is src, tgt, src_mask, tgt_mask (chapter 9, 'One "
    "step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.tgt, batch.src, batch.tgt_mask, batch.src_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "masks-exchanged",
    explanation="The two masks are handed to the model in the wrong order. The source is then masked like a target, "
    "and the target may look ahead.",
    hint="The model gets the target's mask for the source: the order is src, tgt, src_mask, tgt_mask (chapter "
    "9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.tgt_mask, batch.src_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "target-mask-not-passed",
    explanation="The model gets no target mask. One of the course builds it itself, with 0 for padding; another would "
    "look ahead.",
    hint="The model gets no `tgt_mask`: hand it all four (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "reads-the-answers",
    explanation="The decoder gets the answers to read. Each place then sees what it has to predict.",
    hint="Your decoder reads `tgt_y`, the answers: it reads `tgt` (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt_y, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-against-the-input",
    explanation="The predictions are compared with what the decoder has read, not with what comes next. The model "
    "then learns to repeat what it reads.",
    hint="Your loss compares with `tgt`, which the decoder has just read: compare with `tgt_y` (chapter 9, "
    "'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-against-the-source",
    explanation="The predictions are compared with the source. A translation is compared with its target.",
    hint="Your loss compares with the source: compare with `tgt_y` (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.src[:, 1:].flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "loss-not-flattened",
    explanation="Three axes go into the loss, which takes rows of log-probabilities and one target for each. What it "
    "makes of them is an error, or a wrong number.",
    hint="`loss_fn` takes (N, V) and (N,): flatten batch and time into one axis (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs, batch.tgt_y)
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "targets-viewed",
    explanation="`view` was used on the targets. They are a slice of a longer tensor, which `view` cannot flatten.",
    hint="`tgt_y.view(-1)` fails for more than one sequence, since `tgt_y` is a slice: use `flatten()` or "
    "`reshape(-1)` (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.view(-1))
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "targets-transposed",
    explanation="The targets were flattened along the other axis than the log-probabilities. Each row is compared "
    "with another place's answer.",
    hint="Rows and targets do not belong together: you flatten one of them the other way round (chapter 9, "
    "'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.t().flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "batches-counted-beforehand",
    explanation="`len(batches)` was asked for. Any iterable will do, and many can only be gone through.",
    hint="Your function fails for batches that come one by one: a generator has no `len`. Count on the way "
    "(chapter 9, 'What is left at the end').",
    section="accumulation-rest",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    number = len(batches)
    batches = iter(batches[:number])
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "batches-read-twice",
    explanation="The batches are gone through once to count tokens and once to train. A generator is empty the second "
    "time.",
    hint="The second time you go through the batches there are none: they may be readable only once. Count on "
    "the way (chapter 9, 'What is left at the end').",
    section="accumulation-rest",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    total_tokens = sum(batch.ntokens for batch in batches)
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "first-batch-skipped",
    explanation="The first batch was taken out, to look at it, and not used. An iterator does not give it a second "
    "time.",
    hint="Your epoch lacks the first batch: what `next` takes out does not come again (chapter 9, 'One step, "
    "in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    next(batches, None)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "gradient-of-the-sum",
    explanation="The backward pass starts from the sum of the losses. The step is then as many times longer as the "
    "batch has tokens.",
    hint="Your gradients are too large by the number of tokens: divide the loss by it before the backward pass "
    "(chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    loss.backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "gradient-per-sequence",
    explanation="The loss was divided by the number of sequences before the backward pass. A long sequence then "
    "counts more than a short one, and steps grow with the length.",
    hint="Your gradients are per sequence: divide by the number of tokens (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / sum(len(one.src) for one in group)).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "gradient-per-place",
    explanation="The loss was divided by all places before the backward pass, padding included. Steps then become "
    "smaller the more padding a batch has.",
    hint="Your gradients depend on the padding: divide by `ntokens`, which leaves it out (chapter 9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / sum(one.tgt_y.numel() for one in group)).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "gradients-never-cleared",
    explanation="Gradients are never set back. Each step then contains those of all steps before it.",
    hint="Your gradients add up from step to step: call `optimizer.zero_grad()` before the batches of each "
    "step (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                pass
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "cleared-before-the-step",
    explanation="Gradients are set back between the backward pass and the step, which then has none. The model never "
    "changes.",
    hint="Your steps have no gradients: `zero_grad` comes before the backward passes, not between them and the "
    "step (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                pass
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.zero_grad()
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "left-over-gradients-count",
    explanation="Gradients are set back after each step only. What was there before the first one counts in it.",
    hint="Gradients from before the epoch count in your first step: set them back before it too (chapter 9, "
    "'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                pass
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                optimizer.zero_grad()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "cleared-once-per-epoch",
    explanation="Gradients are set back once, before the first batch. From the second step on the older ones count "
    "again.",
    hint="Your first step is right and the others contain the gradients of those before: set them back for "
    "each step (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    if training:
        optimizer.zero_grad()
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "no-step",
    explanation="The optimiser makes no step. Gradients are computed, and nothing is learnt.",
    hint="Your optimiser makes no step: call `optimizer.step()` after the backward passes (chapter 9, 'One "
    "step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                pass
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "step-before-backward",
    explanation="The optimiser steps before the backward passes of its batches. Each step then uses the gradients of "
    "the one before.",
    hint="Your steps are one behind: the backward passes come first, then the step (chapter 9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.step()
                optimizer.zero_grad()
                steps += 1
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "gradients-clipped",
    explanation="The gradients are clipped to a norm of 1, which nobody asked for here. A loop that does so without "
    "being asked cannot be compared with another.",
    hint="Long gradients are shortened in your function: the exercise asks for the gradient as it is (chapter "
    "9, 'One step, in order').",
    section="epoch-order",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "accumulate-ignored",
    explanation="`accumulate` is ignored, and each batch makes a step. The steps are then those of small batches.",
    hint="With `accumulate=3` you still make a step for each batch: gather the gradients of three first "
    "(chapter 9, 'Several batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, 1)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "cleared-for-each-batch",
    explanation="Gradients are set back for each batch, or there is a backward pass for the last one alone. Only the "
    "last batch of a group reaches the step.",
    hint="With `accumulate` only the last batch of each group counts in your step: make a backward pass for "
    "each batch, and do not set the gradients back between them (chapter 9, 'Several batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            for batch in group:
                if training:
                    optimizer.zero_grad()
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "mean-of-means-accumulated",
    explanation="Each batch's mean loss was divided by the number of batches. A token in a small batch then counts "
    "more than one in a large batch.",
    hint="With `accumulate` your gradient is the mean of the batches' means: divide each sum by the tokens of "
    "the whole group (chapter 9, 'Several batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / batch.ntokens / len(group)).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "not-averaged-over-batches",
    explanation="Each batch's mean loss goes into the backward pass as it is. The gradients of a group are then added "
    "up and not averaged.",
    hint="With `accumulate` your gradients are too large by the number of batches: divide each sum by the "
    "tokens of the whole group (chapter 9, 'Several batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / batch.ntokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "rest-divided-by-k",
    explanation="Each batch's mean loss was divided by `accumulate`. That is the mean of means, and for the rest, "
    "which has fewer batches, it is too small as well.",
    hint="With `accumulate=k` you divide means by k: batches differ in tokens, and at the end there are fewer "
    "than k. Divide each sum by the tokens of the whole group (chapter 9, 'Several batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / batch.ntokens / accumulate).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "divided-by-tokens-and-k",
    explanation="The gradient was divided by the tokens of the group and by the number of its batches as well. Once "
    "is enough, since the tokens of the group are those of all its batches.",
    hint="With `accumulate` your gradients are too small by the number of batches: the tokens of the group are "
    "all that you divide by (chapter 9, 'Several batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens / len(group)).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "divided-by-tokens-so-far",
    explanation="Each batch was divided by the tokens of the group up to it. The first ones get too much weight.",
    hint="With `accumulate` the early batches of a group count too much: divide by the tokens of the whole "
    "group. You need to know them beforehand, or to divide the gradients at the end (chapter 9, 'Several "
    "batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            tokens = 0
            for batch in group:
                tokens += batch.ntokens
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "divided-by-the-last-batch",
    explanation="The gradients of a group were divided by the tokens of its last batch. If that one is small, the "
    "step is far too long.",
    hint="With `accumulate` you divide by the tokens of one batch: those of the whole group count (chapter 9, "
    "'Several batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / group[-1].ntokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "divided-by-all-tokens-so-far",
    explanation="The gradients were divided by all tokens since the epoch began. Steps become smaller and smaller.",
    hint="Your gradients become smaller from step to step: the number of tokens to divide by starts anew with "
    "each group (chapter 9, 'Several batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / (total_tokens + tokens)).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "step-after-each-batch",
    explanation="The gradients of a group add up, but the optimiser steps after each of its batches. These are many "
    "steps with gradients that are not meant for them.",
    hint="With `accumulate` your optimiser steps after each batch: it should wait for the whole group (chapter "
    "9, 'Several batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                    optimizer.step()
                    steps += 1
                    if scheduler is not None:
                        scheduler.step()
                total_loss += loss.item()
            total_tokens += tokens
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "first-batch-alone",
    explanation="The step is made whenever `i % accumulate == 0`, as in published code. That is so for the very first "
    "batch, which then makes a step alone, and what is left at the end makes none.",
    hint="With `accumulate=3` your first step comes after one batch: count from 1, or ask for `(i + 1) % "
    "accumulate`. And what is left at the end makes a step too (chapter 9, 'A version that is not "
    "equal').",
    section="accumulation-published",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = list(batches)
    ends = [0, *range(1, len(batches), accumulate), len(batches)]
    groups = [batches[a:b] for a, b in zip(ends, ends[1:])]
    with torch.set_grad_enabled(training):
        for number, group in enumerate(group for group in groups if group):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                if number and len(group) < accumulate:
                    break
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "published-accumulation",
    explanation="Published code was followed: a step whenever `i % accumulate == 0`, each batch divided by its own "
    "tokens, the scheduler once for each batch, and no step for what is left at the end. None of the four "
    "gives what one large batch would.",
    hint="With `accumulate` your first step comes after one batch, gradients are sums of means, and the "
    "schedule runs ahead: this is the published version, which is not equal to one large batch (chapter "
    "9, 'A version that is not equal').",
    section="accumulation-published",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    if training:
        optimizer.zero_grad()
    with torch.set_grad_enabled(training):
        for i, batch in enumerate(batches):
            hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
            loss = loss_fn(model.generator(hidden).flatten(0, 1), batch.tgt_y.flatten())
            if training:
                (loss / batch.ntokens).backward()
                if i % accumulate == 0:
                    optimizer.step()
                    optimizer.zero_grad()
                    steps += 1
                if scheduler is not None:
                    scheduler.step()
            total_loss += loss.item()
            total_tokens += batch.ntokens
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "rest-dropped",
    explanation="What is left at the end, fewer batches than `accumulate`, makes no step. These batches teach nothing.",
    hint="The last batches make no step when they are fewer than `accumulate`: after the loop, what is left "
    "makes one too (chapter 9, 'What is left at the end').",
    section="accumulation-rest",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, waiting, waiting_tokens = 0.0, 0, 0, 0, 0

    def update():
        nonlocal steps, waiting, waiting_tokens
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= waiting_tokens
        optimizer.step()
        optimizer.zero_grad()
        if scheduler is not None:
            scheduler.step()
        steps, waiting, waiting_tokens = steps + 1, 0, 0

    if training:
        optimizer.zero_grad()
    with torch.set_grad_enabled(training):
        for batch in batches:
            hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
            log_probs = model.generator(hidden)
            loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
            total_loss += loss.item()
            total_tokens += batch.ntokens
            if training:
                loss.backward()
                waiting += 1
                waiting_tokens += batch.ntokens
                if waiting == accumulate:
                    update()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "always-a-last-step",
    explanation="A step is made at the end whether anything is left or not. An optimiser with momentum moves even "
    "without gradients.",
    hint="You make a step more than there are groups, without gradients: only what is left makes one (chapter "
    "9, 'What is left at the end').",
    section="accumulation-rest",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, waiting, waiting_tokens = 0.0, 0, 0, 0, 0

    def update():
        nonlocal steps, waiting, waiting_tokens
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= waiting_tokens
        optimizer.step()
        optimizer.zero_grad()
        if scheduler is not None:
            scheduler.step()
        steps, waiting, waiting_tokens = steps + 1, 0, 0

    if training:
        optimizer.zero_grad()
    with torch.set_grad_enabled(training):
        for batch in batches:
            hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
            log_probs = model.generator(hidden)
            loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
            total_loss += loss.item()
            total_tokens += batch.ntokens
            if training:
                loss.backward()
                waiting += 1
                waiting_tokens += batch.ntokens
                if waiting == accumulate:
                    update()
        if training:
            waiting_tokens = max(waiting_tokens, 1)
            update()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "rest-not-divided",
    explanation="What is left at the end makes a step with the sum of its losses. It is too long by as much as there "
    "are tokens.",
    hint="The gradient of your last step is a sum: divide it by its tokens like the others (chapter 9, 'What "
    "is left at the end').",
    section="accumulation-rest",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, waiting, waiting_tokens = 0.0, 0, 0, 0, 0

    def update():
        nonlocal steps, waiting, waiting_tokens
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= waiting_tokens
        optimizer.step()
        optimizer.zero_grad()
        if scheduler is not None:
            scheduler.step()
        steps, waiting, waiting_tokens = steps + 1, 0, 0

    if training:
        optimizer.zero_grad()
    with torch.set_grad_enabled(training):
        for batch in batches:
            hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
            log_probs = model.generator(hidden)
            loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
            total_loss += loss.item()
            total_tokens += batch.ntokens
            if training:
                loss.backward()
                waiting += 1
                waiting_tokens += batch.ntokens
                if waiting == accumulate:
                    update()
        if waiting:
            waiting_tokens = 1
            update()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "rest-divided-by-the-group-before",
    explanation="What is left at the end was divided by the tokens of the last whole group. It has fewer tokens of "
    "its own.",
    hint="The gradient of your last step is divided by the tokens of the group before it: it has its own "
    "(chapter 9, 'What is left at the end').",
    section="accumulation-rest",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, waiting, waiting_tokens = 0.0, 0, 0, 0, 0

    def update():
        nonlocal steps, waiting, waiting_tokens
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= waiting_tokens
        optimizer.step()
        optimizer.zero_grad()
        if scheduler is not None:
            scheduler.step()
        steps, waiting, waiting_tokens = steps + 1, 0, 0

    if training:
        optimizer.zero_grad()
    with torch.set_grad_enabled(training):
        for batch in batches:
            hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
            log_probs = model.generator(hidden)
            loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
            total_loss += loss.item()
            total_tokens += batch.ntokens
            if training:
                loss.backward()
                waiting += 1
                waiting_tokens += batch.ntokens
                if waiting == accumulate:
                    whole = waiting_tokens
                    update()
        if waiting:
            waiting_tokens = whole if steps else waiting_tokens
            update()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "one-batch-too-many-in-a-group",
    explanation="The group is closed when there are more batches than `accumulate`. Groups are then larger by one "
    "than was asked for.",
    hint="With `accumulate=3` your groups hold four batches: ask for `==`, not for `>` (chapter 9, 'Several "
    "batches, one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, waiting, waiting_tokens = 0.0, 0, 0, 0, 0

    def update():
        nonlocal steps, waiting, waiting_tokens
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= waiting_tokens
        optimizer.step()
        optimizer.zero_grad()
        if scheduler is not None:
            scheduler.step()
        steps, waiting, waiting_tokens = steps + 1, 0, 0

    if training:
        optimizer.zero_grad()
    with torch.set_grad_enabled(training):
        for batch in batches:
            hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
            log_probs = model.generator(hidden)
            loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
            total_loss += loss.item()
            total_tokens += batch.ntokens
            if training:
                loss.backward()
                waiting += 1
                waiting_tokens += batch.ntokens
                if waiting > accumulate:
                    update()
        if waiting:
            update()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "one-step-per-epoch",
    explanation="All batches of the epoch make one step. `accumulate` says how many make one.",
    hint="You make one step in the whole epoch: `accumulate` batches make one (chapter 9, 'Several batches, "
    "one step').",
    section="accumulation",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, None)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "rest-as-single-batches",
    explanation="What is left at the end makes a step for each batch. Their steps are then noisier than the others.",
    hint="The last batches make a step each: together they make one (chapter 9, 'What is left at the end').",
    section="accumulation-rest",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            if len(group) < accumulate and len(group) > 1:
                batches = iter(group)
                accumulate = 1
                continue
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "scheduler-for-each-batch",
    explanation="The scheduler steps for each batch. With `accumulate=k` the warm-up is over after a k-th of its "
    "steps.",
    hint="With `accumulate` your schedule runs ahead: the scheduler takes one step after each step of the "
    "optimiser, not after each batch (chapter 9, 'The schedule counts steps').",
    section="epoch-schedule",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    for _ in group:
                        scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "scheduler-before-optimizer",
    explanation="The scheduler steps before the optimiser. The first rate of the schedule is then never used.",
    hint="Your first step runs at the second rate of the schedule: the optimiser steps first, then the "
    "scheduler (chapter 9, 'The schedule counts steps').",
    section="epoch-schedule",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                if scheduler is not None:
                    scheduler.step()
                optimizer.step()
                steps += 1
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "scheduler-for-each-epoch",
    explanation="The scheduler steps once, at the end of the epoch. A warm-up of 4000 steps then takes 4000 epochs.",
    hint="Your rate is the same for the whole epoch: the schedule counts steps of the optimiser, not epochs "
    "(chapter 9, 'The schedule counts steps').",
    section="epoch-schedule",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
    if training and scheduler is not None:
        scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "scheduler-ignored",
    explanation="The scheduler makes no step. The rate stays what it was at the start.",
    hint="Your rate never changes: call `scheduler.step()` after each step of the optimiser (chapter 9, 'The "
    "schedule counts steps').",
    section="epoch-schedule",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "scheduler-required",
    explanation="Without a scheduler the function fails. None is the default, and stands for a rate that stays as it "
    "is.",
    hint="Without a scheduler your function raises an error: call its `step` only if there is one (chapter 9, "
    "'The schedule counts steps').",
    section="epoch-schedule",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "scheduler-not-for-the-rest",
    explanation="The scheduler does not step after the last step of the epoch, which is made for what is left. The "
    "rate of the next step has then been used before.",
    hint="After the step for what is left your scheduler does not step: it steps after every one (chapter 9, "
    "'The schedule counts steps').",
    section="epoch-schedule",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps, waiting, waiting_tokens = 0.0, 0, 0, 0, 0

    def update():
        nonlocal steps, waiting, waiting_tokens
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= waiting_tokens
        optimizer.step()
        optimizer.zero_grad()
        if scheduler is not None and waiting == accumulate:
            scheduler.step()
        steps, waiting, waiting_tokens = steps + 1, 0, 0

    if training:
        optimizer.zero_grad()
    with torch.set_grad_enabled(training):
        for batch in batches:
            hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
            log_probs = model.generator(hidden)
            loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
            total_loss += loss.item()
            total_tokens += batch.ntokens
            if training:
                loss.backward()
                waiting += 1
                waiting_tokens += batch.ntokens
                if waiting == accumulate:
                    update()
        if waiting:
            update()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "scheduler-twice",
    explanation="The scheduler steps twice for each step of the optimiser. Every second rate is skipped.",
    hint="Your schedule runs twice as fast as the steps (chapter 9, 'The schedule counts steps').",
    section="epoch-schedule",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "scheduler-while-evaluating",
    explanation="The scheduler steps although there is no optimiser, and so no step of one. Each evaluation then "
    "moves the schedule on by as many steps as it has batches.",
    hint="Your scheduler moves on while the model is only evaluated: its step belongs behind that of the optimiser, "
    "under the same condition (chapter 9, 'The schedule counts steps').",
    section="epoch-schedule",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
            if scheduler is not None:
                scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "list-begun-again",
    explanation="Every group is taken from the start of the list: `islice` goes through a list anew each time. The "
    "epoch never ends.",
    hint="Your epoch never ends if the batches are a list: each `islice` of a list begins at its start. Make "
    "one iterator first, `iter(batches)` (chapter 9, 'What is left at the end').",
    section="accumulation-rest",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "steps-not-counted",
    explanation="The steps are made and not counted. The result always says 0.",
    hint="`steps` of your result is 0 after training: count each step of the optimiser (chapter 9, 'What an "
    "epoch reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "one-step-counted",
    explanation="The number of steps is set to 1 with `=`. It should be raised by 1 with `+=`.",
    hint="`steps` of your result is 1, however many were made: raise it with `+=` (chapter 9, 'What an epoch "
    "reports').",
    section="epoch-result",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / tokens).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps = 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)


@mistake(
    "training.run_epoch",
    "divided-by-two-tokens-at-least",
    explanation="The number of tokens is raised to 2 to be on the safe side of a division. A single token then has "
    "half its loss.",
    hint="With a single token your loss and gradient are half as large: guard against 0 tokens only (chapter "
    "9, 'Why per token').",
    section="loss-per-token",
)
def run_epoch(batches, model, loss_fn, optimizer=None, scheduler=None, accumulate=1):
    training = optimizer is not None
    model.train(training)
    start = time.perf_counter()
    total_loss, total_tokens, steps = 0.0, 0, 0
    batches = iter(batches)
    with torch.set_grad_enabled(training):
        while group := list(itertools.islice(batches, accumulate)):
            tokens = sum(batch.ntokens for batch in group)
            if training:
                optimizer.zero_grad()
            for batch in group:
                hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
                log_probs = model.generator(hidden)
                loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
                if training:
                    (loss / max(tokens, 2)).backward()
                total_loss += loss.item()
            total_tokens += tokens
            if training:
                optimizer.step()
                steps += 1
                if scheduler is not None:
                    scheduler.step()
    return EpochResult(total_loss / max(total_tokens, 2), total_tokens, time.perf_counter() - start, steps)
