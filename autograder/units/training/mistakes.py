"""Wrong implementations of the tasks of training, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

import random
import time

import torch

from autograder.course.catalogue import edit, mistake
from solutions import BOS
from solutions.training import Batch, EpochResult

# ---------------------------------------------------------------------------------------------------------------------
# Batch


mistake(
    "training.Batch",
    "target-not-shifted",
    edit("tgt[:, :-1]", "tgt"),
    edit("tgt[:, 1:]", "tgt"),
    section="teacher-forcing-batch",
    why="The decoder reads the whole target and has to predict the whole target. Each position then sees the very "
    "token it has to predict, so that the loss falls to 0 and nothing is learnt but to copy it.",
    hint="`tgt` and `tgt_y` are both the whole target: every position reads its own answer. The decoder reads all but "
    "the last id and predicts all but the first.",
)

mistake(
    "training.Batch",
    "last-id-kept",
    edit("tgt[:, :-1]", "tgt"),
    section="teacher-forcing-batch",
    why="The decoder's input keeps its last id, only the first id of the answers was dropped. Input and answers then "
    "have different lengths.",
    hint="`tgt` is one position longer than `tgt_y`: after the last id there is nothing to predict, so the decoder "
    "need not read it. Drop it.",
)

mistake(
    "training.Batch",
    "answers-keep-bos",
    edit("tgt[:, 1:]", "tgt"),
    section="teacher-forcing-batch",
    why="The answers still begin with BOS, which nobody has to predict. They have as many ids as the decoder reads "
    "only if one is dropped.",
    hint="`tgt_y` begins with BOS. The first thing to predict is what comes after it: all ids but the first.",
)

mistake(
    "training.Batch",
    "shifted-the-wrong-way",
    edit("tgt[:, :-1]", "tgt[:, 1:]"),
    edit("self.tgt_y = tgt[:, 1:]", "self.tgt_y = tgt[:, :-1]"),
    section="teacher-forcing-batch",
    why="The decoder reads all but the first id and has to predict all but the last, so it predicts backwards: what it "
    "has already read. When translating, the earlier words are known and the later ones are not.",
    hint="`tgt` and `tgt_y` are the wrong way round: you let the decoder read the later ids and predict the earlier "
    "ones. Reading starts with BOS.",
)

mistake(
    "training.Batch",
    "both-without-last",
    edit("tgt[:, 1:]", "tgt[:, :-1]"),
    section="teacher-forcing-batch",
    why="The answers are the same ids as the input. Dropping the last id from both does not move one against the "
    "other.",
    hint="`tgt_y` equals `tgt`: the answers have to stand one position further. Take all ids but the first for them.",
)

mistake(
    "training.Batch",
    "shifted-by-two",
    edit(":, :-1", ":, :-2"),
    edit("tgt[:, 1:]", "tgt[:, 2:]"),
    section="teacher-forcing-batch",
    why="The answers start at the third id, two positions on. The token after BOS is then never predicted.",
    hint="`tgt_y` starts two ids after `tgt`, and the first word is never predicted. The offset is one.",
)

mistake(
    "training.Batch",
    "sequences-shifted",
    edit(":, :-1", ":-1"),
    edit("tgt[:, 1:]", "tgt[1:]"),
    section="teacher-forcing-batch",
    why="The first axis was cut in place of the second. Sequences are lost, and nothing is shifted.",
    hint="`tgt` has lost a sequence, not a position: the first axis counts the sequences. Cut the second one.",
)

mistake(
    "training.Batch",
    "shifted-by-rolling",
    edit("tgt[:, :-1]", "tgt"),
    edit("tgt[:, 1:]", "tgt.roll(-1, dims=1)"),
    section="teacher-forcing-batch",
    why="The answers were made by rolling the target by one position. The roll brings BOS round to the end, where it "
    "has to be predicted.",
    hint="`tgt_y` is as long as the target and ends with BOS: a roll brings the first id round to the end. Cut it off, "
    "and the last id of what the decoder reads.",
)

mistake(
    "training.Batch",
    "source-mask-from-target",
    edit("padding_mask(src, pad_id)", "padding_mask(src if tgt is None else tgt, pad_id)"),
    section="batch-masks",
    why="The mask of the source was built from the target ids. It has the target's length and hides the wrong "
    "positions.",
    hint="`src_mask` follows the padding of the target. Build it from `src`.",
)

mistake(
    "training.Batch",
    "source-mask-inverted",
    edit("padding_mask(src, pad_id)", "~padding_mask(src, pad_id)"),
    section="batch-masks",
    why="The mask of the source is True at padding. In this course True means that a position may be attended to.",
    hint="`src_mask` is True where there is padding and False elsewhere: turn it round.",
)

mistake(
    "training.Batch",
    "source-mask-without-heads",
    edit("padding_mask(src, pad_id)", "(src != pad_id).unsqueeze(-2)"),
    section="batch-masks",
    why="The mask of the source has the shape (B, 1, T), without an axis for the heads. Broadcast against scores of "
    "four axes it puts the sequences where the heads are.",
    hint="`src_mask` has three axes, and scores have four: (B, H, T_q, T_k). It needs a 1 for the heads and a 1 for "
    "the queries.",
)

mistake(
    "training.Batch",
    "source-mask-two-axes",
    edit("padding_mask(src, pad_id)", "src != pad_id"),
    section="batch-masks",
    why="The mask of the source has the shape (B, T) of the ids. Against scores (B, H, T_q, T_k) it would be lined up "
    "with queries and keys.",
    hint="`src_mask` has the shape of the ids. It has to broadcast to (B, H, T_q, T_k), so it needs two axes of size 1 "
    "in between.",
)

mistake(
    "training.Batch",
    "source-mask-of-numbers",
    edit("padding_mask(src, pad_id)", "padding_mask(src, pad_id).long()"),
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt, pad_id).long()"),
    section="batch-masks",
    why="The masks are ones and zeros in place of True and False. Code that adds or inverts such a mask gets a wrong "
    "result.",
    hint="`src_mask` holds numbers: a mask is boolean here, as the comparison with the id of padding already is.",
)

mistake(
    "training.Batch",
    "source-mask-causal",
    edit("padding_mask(src, pad_id)", "decoder_mask(src, pad_id)"),
    section="batch-masks",
    why="The source got the decoder's mask, so that each of its positions sees only what is before it. The whole "
    "source is known, and the encoder may look both ways.",
    hint="`src_mask` has a row for each query and hides what comes later. The encoder may read the whole source: only "
    "its padding is hidden.",
)

mistake(
    "training.Batch",
    "target-mask-only-padding",
    edit("decoder_mask(self.tgt, pad_id)", "padding_mask(self.tgt, pad_id)"),
    section="batch-masks",
    why="The target mask hides padding and not what comes later. Each position then sees its own answer in the next "
    "position.",
    hint="`tgt_mask` lets each position look ahead to the token that it should predict. Combine the padding with the "
    "causal mask.",
)

mistake(
    "training.Batch",
    "target-mask-only-causal",
    edit("decoder_mask(self.tgt, pad_id)", "torch.ones(len(tgt), 1, tgt.shape[1] - 1, tgt.shape[1] - 1).tril().bool()"),
    section="batch-masks",
    why="The target mask hides what comes later and not the padding. Positions after a padded one then attend to it.",
    hint="`tgt_mask` shows padding to the positions after it. Combine the causal mask with that of the padding.",
)

mistake(
    "training.Batch",
    "target-mask-from-answers",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt_y, pad_id)"),
    section="batch-masks",
    why="The target mask was built from the answers `tgt_y`. The decoder reads `tgt`, whose padding is in other "
    "positions.",
    hint="`tgt_mask` hides the padding of `tgt_y`, which stands one position to the left of that of `tgt`. Build it "
    "from what the decoder reads.",
)

mistake(
    "training.Batch",
    "target-mask-too-long",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(tgt, pad_id)"),
    section="batch-masks",
    why="The target mask was built from the whole target. It is one position longer than what the decoder reads.",
    hint="`tgt_mask` has a row and a column too many: build it from `tgt` without its last id.",
)

mistake(
    "training.Batch",
    "target-mask-from-source",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(src, pad_id)"),
    section="batch-masks",
    why="The target mask was built from the source ids. It has the source's length and its padding.",
    hint="`tgt_mask` follows the source. Build it from what the decoder reads, `tgt` without its last id.",
)

mistake(
    "training.Batch",
    "target-mask-strictly-earlier",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt, pad_id).tril(-1)"),
    section="batch-masks",
    why="No position sees itself: the diagonal of the causal mask is False. A position may read its own input, it has "
    "to predict the next one.",
    hint="In `tgt_mask` the diagonal is False, so the first position sees nothing. A position may look at itself: its "
    "answer is the next id.",
)

mistake(
    "training.Batch",
    "target-mask-upper-triangle",
    edit(
        "decoder_mask(self.tgt, pad_id)",
        "padding_mask(self.tgt, pad_id) & torch.ones(tgt.shape[1] - 1, tgt.shape[1] - 1).triu().bool()",
    ),
    section="batch-masks",
    why="The causal part was turned round: each position sees itself and what comes later, not what came before. Those "
    "are the very positions that it must not see.",
    hint="`tgt_mask` shows the future and hides the past: keep the lower triangle, not the upper one.",
)

mistake(
    "training.Batch",
    "target-mask-either",
    edit(
        "decoder_mask(self.tgt, pad_id)",
        "padding_mask(self.tgt, pad_id) | torch.ones(tgt.shape[1] - 1, tgt.shape[1] - 1).tril().bool()",
    ),
    section="batch-masks",
    why="The two parts of the target mask were combined by `or`. A position is then visible if only one of them allows "
    "it.",
    hint="`tgt_mask` shows too much: a position must be allowed by the padding mask *and* by the causal one.",
)

mistake(
    "training.Batch",
    "target-mask-hides-queries",
    edit(
        "decoder_mask(self.tgt, pad_id)",
        "decoder_mask(self.tgt, pad_id) & padding_mask(self.tgt, pad_id).transpose(-2, -1)",
    ),
    section="batch-masks",
    why="The rows of padded queries were hidden too. They do no harm, since the loss leaves them out, and hiding them "
    "leaves rows that may attend to nothing.",
    hint="In `tgt_mask` the rows of padded positions are all False. Padding is hidden as a key; what a padded query "
    "looks at does not matter.",
)

mistake(
    "training.Batch",
    "target-mask-without-heads",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt, pad_id).squeeze(1)"),
    section="batch-masks",
    why="The target mask has the shape (B, T, T), without an axis for the heads. It does not broadcast to scores of "
    "four axes as it should.",
    hint="`tgt_mask` has three axes, and scores have four: (B, H, T_q, T_k). It needs a 1 for the heads.",
)

mistake(
    "training.Batch",
    "pad-id-fixed",
    edit("padding_mask(src, pad_id)", "padding_mask(src)"),
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt)"),
    edit("self.tgt_y != pad_id", "self.tgt_y != PAD"),
    section="batch-masks",
    why="0 was written into the code as the id of padding, and `pad_id` is ignored. With another vocabulary the masks "
    "hide a word and show the padding.",
    hint="With `pad_id=7` you still treat 0 as padding. Use the argument everywhere: in both masks and in the count.",
)

mistake(
    "training.Batch",
    "pad-id-not-in-source-mask",
    edit("padding_mask(src, pad_id)", "padding_mask(src)"),
    section="batch-masks",
    why="`pad_id` did not reach the mask of the source, which took the usual 0. Padding of the source is then read "
    "like a word.",
    hint="With another `pad_id` your `src_mask` still hides 0: hand the id on to `padding_mask`.",
)

mistake(
    "training.Batch",
    "pad-id-not-in-target-mask",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt)"),
    section="batch-masks",
    why="`pad_id` did not reach the mask of the target, which took the usual 0. Padding of the target is then read "
    "like a word.",
    hint="With another `pad_id` your `tgt_mask` still hides 0: hand the id on to `decoder_mask`.",
)

mistake(
    "training.Batch",
    "pad-id-not-in-count",
    edit("self.tgt_y != pad_id", "self.tgt_y != PAD"),
    section="token-count",
    why="`pad_id` was used for the masks and forgotten in the count of tokens. Padding is then counted, and the loss "
    "per token comes out too small.",
    hint="With another `pad_id` your masks are right and `ntokens` is not: it compares with 0. Compare with the "
    "argument.",
)

mistake(
    "training.Batch",
    "pad-id-of-two",
    edit("def __init__(self, src, tgt=None, pad_id=PAD):", "def __init__(self, src, tgt=None, pad_id=2):"),
    section="batch-masks",
    why="The default of `pad_id` is 2, as in some published code. In this course 2 is BOS, and padding is 0.",
    hint="Called without `pad_id` you treat 2 as padding, which is BOS here. The default is `PAD`.",
)

mistake(
    "training.Batch",
    "words-are-larger-than-padding",
    edit("padding_mask(src, pad_id)", "(src > pad_id)[:, None, None, :]"),
    edit(
        "decoder_mask(self.tgt, pad_id)",
        "(self.tgt > pad_id)[:, None, None, :] & torch.ones(\n    tgt.shape[1] - 1, tgt.shape[1] - 1\n).tril().bool()",
    ),
    edit("self.tgt_y != pad_id", "self.tgt_y > pad_id"),
    section="batch-masks",
    why="Padding was told from words by `>` in place of `!=`. That holds only as long as padding has the smallest id.",
    hint="With `pad_id=7` you treat all smaller ids as padding, words too. Ask whether an id is different, not whether "
    "it is larger.",
)

mistake(
    "training.Batch",
    "count-with-padding",
    edit("int((self.tgt_y != pad_id).sum())", "self.tgt_y.numel()"),
    section="token-count",
    why="Padding was counted. The loss per token would then depend on how far a batch was filled up.",
    hint="`ntokens` counts every position of `tgt_y`, padding too. Count those that are not `pad_id`.",
)

mistake(
    "training.Batch",
    "count-of-what-is-read",
    edit("self.tgt_y != pad_id", "self.tgt != pad_id"),
    section="token-count",
    why="The tokens of `tgt` were counted, which the decoder reads. BOS is among them, and the last token is not.",
    hint="`ntokens` counts the ids that are read. Those that are predicted count: those of `tgt_y`.",
)

mistake(
    "training.Batch",
    "count-of-whole-target",
    edit("self.tgt_y != pad_id", "tgt != pad_id"),
    section="token-count",
    why="The tokens of the whole target were counted, BOS included, which nobody predicts. The loss per token comes "
    "out too small.",
    hint="`ntokens` is too large by one for each sequence: BOS is never predicted. Count in `tgt_y`.",
)

mistake(
    "training.Batch",
    "count-of-source",
    edit("self.tgt_y != pad_id", "src != pad_id"),
    section="token-count",
    why="The tokens of the source were counted. The loss is a sum over target tokens.",
    hint="`ntokens` counts the source. The loss adds up over what is predicted: count in `tgt_y`.",
)

mistake(
    "training.Batch",
    "count-of-sequences",
    edit("int((self.tgt_y != pad_id).sum())", "len(tgt)"),
    section="token-count",
    why="The sequences were counted and not their tokens. The loss would then be one per sequence, which is large for "
    "long ones.",
    hint="`ntokens` is the number of sequences. Count the ids of `tgt_y` that are no padding.",
)

mistake(
    "training.Batch",
    "count-is-a-tensor",
    edit("int((self.tgt_y != pad_id).sum())", "(self.tgt_y != pad_id).sum()"),
    section="token-count",
    why="The count is a tensor of one element. It lives on a device, and sums of it make chains of small operations; a "
    "number is wanted.",
    hint="`ntokens` is a tensor. Make a Python number of it with `int(...)` or `.item()`.",
)

mistake(
    "training.Batch",
    "count-is-a-float",
    edit("int((self.tgt_y != pad_id).sum())", "float((self.tgt_y != pad_id).sum())"),
    section="token-count",
    why="The count is a float. Tokens are counted in whole numbers.",
    hint="`ntokens` is a float: use `int(...)`.",
)

mistake(
    "training.Batch",
    "count-of-ids",
    edit("self.tgt_y != pad_id", "self.tgt_y[self.tgt_y != pad_id]"),
    section="token-count",
    why="The ids themselves were added in place of the number of positions where there is one. An id is a name, and "
    "nothing to add up.",
    hint="`ntokens` is far too large: you add up the ids. Add up whether each of them is different from `pad_id`.",
)

mistake(
    "training.Batch",
    "count-of-padding",
    edit("self.tgt_y != pad_id", "self.tgt_y == pad_id"),
    section="token-count",
    why="The padding was counted and the words left out. The comparison with the id of padding is the wrong way round.",
    hint="`ntokens` is the number of padded positions. Count those that are *not* `pad_id`.",
)

mistake(
    "training.Batch",
    "count-of-longest",
    edit("(self.tgt_y != pad_id).sum", "(self.tgt_y != pad_id).sum(1).max"),
    section="token-count",
    why="The longest sequence was counted and not all of them. The others have to be predicted too.",
    hint="`ntokens` is the length of the longest sequence. Add up over all sequences.",
)

mistake(
    "training.Batch",
    "target-required",
    edit(
        "self.src_mask = padding_mask(src, pad_id)",
        "self.src_mask = padding_mask(src, pad_id)\nself.tgt = tgt[:, :-1]\nself.tgt_y = tgt[:, 1:]",
    ),
    edit("self.tgt = self.tgt_y = self.tgt_mask = None", "self.tgt_mask = decoder_mask(self.tgt, pad_id)"),
    edit("self.ntokens = 0", "self.ntokens = int((self.tgt_y != pad_id).sum())"),
    edit(
        """
        if tgt is not None:
            self.tgt = tgt[:, :-1]
            self.tgt_y = tgt[:, 1:]
            self.tgt_mask = decoder_mask(self.tgt, pad_id)
            self.ntokens = int((self.tgt_y != pad_id).sum())
        """,
        "",
    ),
    section="batch-device",
    why="A batch without a target raises an error. When translating there is a source alone.",
    hint="`Batch(src)` fails in your class, since it cuts a target that is not there. Set `tgt`, `tgt_y` and "
    "`tgt_mask` to None and `ntokens` to 0 first.",
)

mistake(
    "training.Batch",
    "attributes-missing-without-target",
    edit("self.tgt = self.tgt_y = self.tgt_mask = None\nself.ntokens = 0", ""),
    section="batch-device",
    why="Without a target the attributes `tgt`, `tgt_y`, `tgt_mask` and `ntokens` are not set at all. Code that reads "
    "them gets an AttributeError.",
    hint="A batch without a target has no attribute `tgt` in your class. Set all four also then: None, None, None and "
    "0.",
)

mistake(
    "training.Batch",
    "count-none-without-target",
    edit("self.ntokens = 0", "self.ntokens = None"),
    section="batch-device",
    why="`ntokens` is None without a target. It is a number that is added up, so 0 is meant.",
    hint="`Batch(src).ntokens` is None. There are no tokens to predict, which is 0.",
)

mistake(
    "training.Batch",
    "source-as-target",
    edit("self.ntokens = 0", "self.ntokens = 0\ntgt = src if tgt is None else tgt"),
    section="batch-device",
    why="Without a target the source was taken for one. A batch to be translated has no target, and nothing to count.",
    hint="`Batch(src)` makes a target of the source. Without a target there is none: None, None, None and 0.",
)

mistake(
    "training.Batch",
    "padding-written-over",
    edit(
        "self.src = src",
        """
        src[src == pad_id] = PAD
        if tgt is not None:
            tgt[tgt == pad_id] = PAD
        pad_id = PAD
        self.src = src
        """,
    ),
    section="batch-device",
    why="The padding of the ids given was overwritten, so the caller finds other ids in its tensor. Building a batch "
    "should change nothing but the batch.",
    hint="After `Batch(...)` the ids that were handed over have changed. Compare with `pad_id`, and write nothing into "
    "`src` or `tgt`.",
)

mistake(
    "training.Batch",
    "last-word-written-over",
    edit("self.tgt_y = tgt[:, 1:]", ""),
    edit("self.tgt = tgt[:, :-1]", "self.tgt_y = tgt[:, 1:].clone()\ntgt[:, -1] = pad_id\nself.tgt = tgt[:, :-1]"),
    section="batch-device",
    why="The last id of every target was overwritten by padding to drop it. The ids that were handed over are changed, "
    "and a word is lost.",
    hint="After `Batch(...)` the targets that were handed over end in padding. A slice drops the last id without "
    "writing.",
)

mistake(
    "training.Batch",
    "moves-itself",
    edit("copy.copy(self)", "self"),
    section="batch-device",
    why="`to` moves the batch itself and returns it. A caller that still needs the old batch finds it on the other "
    "device.",
    hint="`batch.to(device)` changes `batch` itself. Make a new one, `copy.copy(self)` for instance, and set its "
    "tensors.",
)

mistake(
    "training.Batch",
    "moves-itself-and-returns-none",
    edit("copy.copy(self)", "self"),
    edit("return moved", ""),
    section="batch-device",
    why="`to` moves the batch itself and returns nothing, as if it were a module's method. The call that stores its "
    "result then stores None.",
    hint="`batch.to(device)` returns None. It should return a new batch.",
)

mistake(
    "training.Batch",
    "moved-tensors-lost",
    edit("setattr(moved, name, value.to(device))", "value.to(device)"),
    section="batch-device",
    why="`Tensor.to` was called and its result thrown away, or called with another device. A tensor does not move "
    "itself, it returns another one.",
    hint="After `batch.to(device)` nothing is on the device: `tensor.to(...)` returns a new tensor, which you have to "
    "keep.",
)

mistake(
    "training.Batch",
    "masks-left-behind",
    edit("isinstance(value, torch.Tensor)", 'name in ("src", "tgt", "tgt_y") and value is not None'),
    section="batch-device",
    why="Only the ids were moved. The first attention then finds its scores on one device and the mask on another.",
    hint="The masks of the moved batch are still on the old device: move every tensor.",
)

mistake(
    "training.Batch",
    "answers-left-behind",
    edit("isinstance(value, torch.Tensor)", 'name != "tgt_y" and isinstance(value, torch.Tensor)'),
    section="batch-device",
    why="`tgt_y` was not moved. The model runs, and the loss then compares tensors of two devices.",
    hint="`tgt_y` of the moved batch is still on the old device: move every tensor.",
)

mistake(
    "training.Batch",
    "source-left-behind",
    edit("isinstance(value, torch.Tensor)", 'name.startswith("tgt") and isinstance(value, torch.Tensor)'),
    section="batch-device",
    why="Only the parts of the target were moved, those of the source stayed. The encoder cannot read ids that lie "
    "elsewhere.",
    hint="`src` and `src_mask` of the moved batch are still on the old device: move every tensor.",
)

mistake(
    "training.Batch",
    "moved-without-count",
    edit("copy.copy(self)", "Batch(self.src)"),
    section="batch-device",
    why="The moved batch has lost its number of tokens, since only the tensors were carried over. The loss per token "
    "then divides by 0, or by 1.",
    hint="`ntokens` of the moved batch is 0. Carry everything over: what is no tensor stays as it is.",
)

mistake(
    "training.Batch",
    "moving-needs-a-target",
    edit("for name, value in vars(self).items():", 'for name in ("src", "src_mask", "tgt", "tgt_y", "tgt_mask"):'),
    edit(
        "if isinstance(value, torch.Tensor):\n    setattr(moved, name, value.to(device))",
        "setattr(moved, name, getattr(self, name).to(device))",
    ),
    section="batch-device",
    why="`to` fails for a batch without a target, since it moves None. Batches to be translated have none.",
    hint="`Batch(src).to(device)` raises an error: there is no target to move. Skip what is None.",
)

mistake(
    "training.Batch",
    "moved-with-another-padding",
    edit("moved = copy.copy(self)", "if self.tgt is None:\n    return Batch(self.src.to(device))"),
    edit(
        """
        for name, value in vars(self).items():
            if isinstance(value, torch.Tensor):
                setattr(moved, name, value.to(device))
        """,
        "whole = torch.cat([self.tgt, self.tgt_y[:, -1:]], dim=1)",
    ),
    edit("return moved", "return Batch(self.src.to(device), whole.to(device))"),
    section="batch-device",
    why="`to` builds a new batch and forgets `pad_id`. Masks and count of the new one then take 0 for padding.",
    hint="With another `pad_id` the moved batch has other masks and another count: it was built anew with 0 as "
    "padding. Move the masks that you have.",
)

mistake(
    "training.Batch",
    "moved-shifted-again",
    edit("moved = copy.copy(self)", ""),
    edit("for name, value in vars(self).items():", "if self.tgt is None:"),
    edit(
        "if isinstance(value, torch.Tensor):\n    setattr(moved, name, value.to(device))",
        "return Batch(self.src.to(device))",
    ),
    edit("return moved", "return Batch(self.src.to(device), self.tgt.to(device))"),
    section="batch-device",
    why="`to` builds a new batch from `tgt`, which lacks its last id already. Every move then loses one more.",
    hint="The moved batch has lost the last position of `tgt` and `tgt_y`: you cut what was cut before. Move the "
    "tensors that you have.",
)

mistake(
    "training.Batch",
    "eos-hidden-from-decoder",
    edit("tgt[:, :-1]", "tgt[:, :-1].masked_fill(tgt[:, :-1] == 3, pad_id)"),
    section="teacher-forcing-batch",
    why="The ends of shorter sentences were turned into padding in what the decoder reads. Ids are cut off at the "
    "right, and none is exchanged for another.",
    hint="Your `tgt` has padding where a shorter sentence has EOS. `tgt` holds all target ids but those of the last "
    "column, as they are: what follows EOS is padding and not counted, so that it does no harm there.",
)

mistake(
    "training.Batch",
    "specials-not-counted",
    edit("self.tgt_y != pad_id", "self.tgt_y > 3"),
    section="token-count",
    why="Only words were counted, and EOS left out. EOS is predicted like a word, and has a loss; only padding has "
    "none.",
    hint="`ntokens` is too small where a sentence ends before the last column: EOS counts, and so does every id but "
    "`pad_id`.",
)

mistake(
    "training.Batch",
    "diagonal-always-open",
    edit(
        "decoder_mask(self.tgt, pad_id)",
        "decoder_mask(self.tgt, pad_id) | torch.eye(self.tgt.shape[1], dtype=torch.bool)",
    ),
    section="batch-masks",
    why="Every position may look at itself, padding too. The mask is that of padding and that of order together, "
    "without an exception.",
    hint="In `tgt_mask` padding may look at itself. A row that may look at nothing does no harm: attention gives it "
    "zeros.",
)


# ---------------------------------------------------------------------------------------------------------------------
# copy_task


mistake(
    "training.copy_task",
    "batches-and-sequences-swapped",
    edit("range(num_batches)", "range(batch_size)"),
    edit("(batch_size, length)", "(num_batches, length)"),
    section="copy-task-data",
    why="The numbers of batches and of sequences in a batch were exchanged. An epoch then has another number of steps "
    "than was asked for.",
    hint="You give `batch_size` batches of `num_batches` sequences: it is the other way round.",
)

mistake(
    "training.copy_task",
    "one-batch-only",
    edit("range(num_batches)", "range(1)"),
    section="copy-task-data",
    why="A single batch is given, whatever `num_batches` says. An epoch is then over after one step.",
    hint="You give one batch. Repeat it `num_batches` times, with new ids each time.",
)

mistake(
    "training.copy_task",
    "a-batch-too-many",
    edit("range(num_batches)", "range(num_batches + 1)"),
    section="copy-task-data",
    why="The count of batches starts at 0 and includes its end. `range(n)` already counts n of them.",
    hint="You give one batch more than `num_batches`.",
)

mistake(
    "training.copy_task",
    "bos-comes-on-top",
    edit("ids[:, 0] = BOS", "ids = torch.cat([torch.full((batch_size, 1), BOS), ids], dim=1)"),
    section="copy-task-data",
    why="BOS was put in front of `length` ids, so that every sequence has one id more. `length` counts BOS.",
    hint="Your sequences have `length + 1` ids: BOS counts.",
)

mistake(
    "training.copy_task",
    "eos-at-the-end",
    edit("ids[:, 0] = BOS", "ids[:, 0] = BOS\nids[:, -1] = 3"),
    section="copy-task-data",
    why="The last id was replaced by EOS. The length of the sequences is known here, so they need no end.",
    hint="Your sequences end with EOS. In this task they have a fixed length, and no EOS.",
)

mistake(
    "training.copy_task",
    "length-fixed",
    edit("(batch_size, length)", "(batch_size, 10)"),
    section="copy-task-data",
    why="The length 10 was written into the code, and `length` is ignored. A caller who wants longer sequences gets "
    "these.",
    hint="Your sequences have 10 ids, whatever `length` says.",
)

mistake(
    "training.copy_task",
    "other-default-length",
    edit(
        "def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):",
        "def copy_task(vocab_size, batch_size, num_batches, length=8, generator=None):",
    ),
    section="copy-task-data",
    why="The default of `length` is not 10. It is part of the signature.",
    hint="Called without `length` you give sequences of another length than 10.",
)

mistake(
    "training.copy_task",
    "sequences-along-columns",
    edit("(batch_size, length)", "(length, batch_size)"),
    section="copy-task-data",
    why="The ids have the shape (length, batch). In this course the batch comes first.",
    hint="`src` has the shape (length, batch): batches come first here.",
)

mistake(
    "training.copy_task",
    "no-bos",
    edit("ids[:, 0] = BOS", ""),
    section="copy-task-data",
    why="The first id is a word like the others. The decoder then has no fixed id to start from.",
    hint="The first id of your sequences is random: it should be BOS, from which decoding starts.",
)

mistake(
    "training.copy_task",
    "one-bos-only",
    edit("ids[:, 0]", "ids[0, 0]"),
    section="copy-task-data",
    why="Only the first sequence of a batch begins with BOS. `ids[0, 0]` is a single position.",
    hint="In your batches one sequence begins with BOS and the others do not: `ids[0, 0]` is one position, `ids[:, 0]` "
    "is a column.",
)

mistake(
    "training.copy_task",
    "first-sequence-all-bos",
    edit("ids[:, 0]", "ids[0]"),
    section="copy-task-data",
    why="A row was set to BOS in place of a column. The first sequence is then BOS throughout.",
    hint="Your first sequence consists of BOS alone: `ids[0]` is a sequence, `ids[:, 0]` is the first position of all.",
)

mistake(
    "training.copy_task",
    "begins-with-one",
    edit("ids[:, 0] = BOS", "ids[:, 0] = 1"),
    section="copy-task-data",
    why="Sequences begin with the id 1, as in published code for another vocabulary. In this course 1 stands for "
    "unknown words.",
    hint="Your sequences begin with 1, which is UNK here: use BOS.",
)

mistake(
    "training.copy_task",
    "begins-with-padding",
    edit("ids[:, 0] = BOS", "ids[:, 0] = 0"),
    section="copy-task-data",
    why="Sequences begin with the id 0, which is padding. The masks then hide their first position.",
    hint="Your sequences begin with 0, which is padding and masked: use BOS.",
)

mistake(
    "training.copy_task",
    "ids-from-one",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(1, vocab_size, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="Ids are drawn from 1 up, as in published code for another vocabulary. Here 1 to 3 are special.",
    hint="Among your words there are ids below 4: those are PAD, UNK, BOS and EOS. Draw from 4 up.",
)

mistake(
    "training.copy_task",
    "ids-from-zero",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(0, vocab_size, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="Ids are drawn from 0 up. Padding is among them, and is masked and left out of the loss.",
    hint="Among your words there are ids below 4, 0 too, which is padding. Draw from 4 up.",
)

mistake(
    "training.copy_task",
    "ids-from-three",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(3, vocab_size, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="Ids are drawn from 3 up, so that EOS stands in the middle of sequences. A decoder that stops at EOS would "
    "stop there.",
    hint="Among your words there is EOS, which is 3. Draw from 4 up.",
)

mistake(
    "training.copy_task",
    "ids-from-five",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(5, vocab_size, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="The smallest word has the id 5. 4 is a word as well.",
    hint="The id 4 never occurs. The special ids are 0 to 3.",
)

mistake(
    "training.copy_task",
    "last-word-missing",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size - 1, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="The upper bound was lowered by one. `torch.randint` already leaves out its upper bound.",
    hint="The last word, `vocab_size - 1`, never occurs: the upper bound of `torch.randint` is exclusive.",
)

mistake(
    "training.copy_task",
    "a-word-too-many",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size + 1, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="The upper bound was raised by one, and the id `vocab_size` has no row in any table. The embedding fails as "
    "soon as it is drawn.",
    hint="The id `vocab_size` occurs, which no embedding table has a row for: the upper bound of `torch.randint` is "
    "exclusive.",
)

mistake(
    "training.copy_task",
    "vocabulary-on-top-of-specials",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size + 4, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="`vocab_size` was taken as the number of words without the special ids. It counts them.",
    hint="Ids of `vocab_size` and more occur: the vocabulary includes the four special ids.",
)

mistake(
    "training.copy_task",
    "target-drawn-anew",
    edit(
        "ids[:, 0] = BOS",
        """
        ids[:, 0] = BOS
        other = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        other[:, 0] = BOS
        """,
    ),
    edit("Batch(ids, ids)", "Batch(ids, other)"),
    section="copy-task-data",
    why="The target was drawn by itself. There is nothing to learn from a target that has nothing to do with its "
    "source.",
    hint="Your target is another random sequence than the source: it has to be the same.",
)

mistake(
    "training.copy_task",
    "target-reversed",
    edit("Batch(ids, ids)", "Batch(ids, ids.flip(1))"),
    section="copy-task-data",
    why="The target is the source backwards. That is another task, and its first id is not BOS.",
    hint="Your target is the source in reverse. The task is to copy.",
)

mistake(
    "training.copy_task",
    "target-shifted-before",
    edit("Batch(ids, ids)", "Batch(ids, ids[:, 1:])"),
    section="copy-task-data",
    why="The target was shifted before it came to `Batch`, which shifts it as well. Two shifts are one too many.",
    hint="In your batches `tgt` starts at the second id: `Batch` does the shifting itself. Hand it the whole sequence "
    "twice.",
)

mistake(
    "training.copy_task",
    "target-without-last",
    edit("Batch(ids, ids)", "Batch(ids, ids[:, :-1])"),
    section="copy-task-data",
    why="The target lost its last id before it came to `Batch`, which drops one itself. The last id of the source is "
    "then never asked for.",
    hint="In your batches the last id of the source never has to be predicted: hand `Batch` the whole sequence twice.",
)

mistake(
    "training.copy_task",
    "source-without-bos",
    edit("Batch(ids, ids)", "Batch(ids[:, 1:], ids)"),
    section="copy-task-data",
    why="The source lost its BOS. It is then shorter than asked for.",
    hint="`src` lacks its first id: source and target are the same, BOS included.",
)

mistake(
    "training.copy_task",
    "source-not-begun",
    edit(
        "words = torch.randint(low=4, high=vocab_size, size=(batch_size, length - 1), generator=generator)",
        "ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)\ntarget = ids.clone()",
    ),
    edit("src = torch.cat([torch.full((batch_size, 1), BOS), words], dim=1)", "target[:, 0] = BOS"),
    edit("Batch(src, src.clone(), PAD)", "Batch(ids, target)"),
    base="bos-in-front",
    section="copy-task-data",
    why="BOS was written into the target only. The source keeps a word in its place.",
    hint="`src` does not begin with BOS, only the target does: both are the same sequence.",
)

mistake(
    "training.copy_task",
    "no-target",
    edit("Batch(ids, ids)", "Batch(ids)"),
    section="copy-task-data",
    why="The batch was made without a target. There is nothing to learn from a source alone.",
    hint="Your batches have no target: hand `Batch` the ids twice, as source and as target.",
)

mistake(
    "training.copy_task",
    "pairs-in-place-of-batches",
    edit("Batch(ids, ids)", "(ids, ids)"),
    section="copy-task-data",
    why="Pairs of tensors are given in place of `Batch` objects. Masks and the number of tokens are then missing.",
    hint="You give pairs of tensors: make a `Batch` of each.",
)


@mistake(
    "training.copy_task",
    "always-the-same-batch",
    section="copy-task-random",
    why="The ids are drawn once, before the loop. Every batch is then the same.",
    hint="All your batches are equal: draw inside the loop, for each batch anew.",
)
def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):
    ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
    ids[:, 0] = BOS
    for _ in range(num_batches):
        yield Batch(ids, ids)


mistake(
    "training.copy_task",
    "one-sequence-repeated",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size, (1, length), generator=generator).repeat(batch_size, 1)",
    ),
    section="copy-task-random",
    why="One sequence is drawn and repeated for the whole batch. A batch then teaches no more than one of its "
    "sequences.",
    hint="All sequences of a batch are equal: draw `batch_size` of them.",
)

mistake(
    "training.copy_task",
    "one-word-repeated",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size, (batch_size, 1), generator=generator).repeat(1, length)",
    ),
    section="copy-task-random",
    why="One word is drawn for each sequence and repeated. Such a sequence can be copied without looking at positions.",
    hint="Each of your sequences holds one word again and again: draw every position.",
)

mistake(
    "training.copy_task",
    "words-in-order",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator).sort(dim=1).values",
    ),
    section="copy-task-random",
    why="The ids of a sequence are sorted. The model can then guess much without copying.",
    hint="Your sequences are sorted: words come in any order.",
)

mistake(
    "training.copy_task",
    "generator-ignored",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size, (batch_size, length))",
    ),
    section="copy-task-random",
    why="The generator was not handed on. The same seed then gives other batches.",
    hint="The same seed gives different batches: hand `generator` on to `torch.randint`.",
)

mistake(
    "training.copy_task",
    "generator-ignored-and-fixed-seed",
    edit("for _ in range(num_batches):", "torch.manual_seed(0)\nfor _ in range(num_batches):"),
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size, (batch_size, length))",
    ),
    section="copy-task-random",
    why="A fixed seed was set inside. Every epoch, and whatever else is random in the program, then starts from the "
    "same numbers.",
    hint="Every call gives the same batches: do not set a seed inside. Draw from `generator`.",
)

mistake(
    "training.copy_task",
    "fixed-seed-by-default",
    edit(
        "for _ in range(num_batches):",
        "if generator is None:\n    generator = torch.Generator().manual_seed(0)\nfor _ in range(num_batches):",
    ),
    section="copy-task-random",
    why="Without a generator one with a fixed seed is made. Every epoch then shows the same batches.",
    hint="Two calls without a generator give the same batches: leave `generator=None` to `torch.randint`, which then "
    "draws from PyTorch's own.",
)

mistake(
    "training.copy_task",
    "rounded-to-an-id",
    edit(
        "ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        """
        numbers = torch.rand(batch_size, length, generator=generator)
        ids = (4 + (vocab_size - 5) * numbers).round().long()
        """,
    ),
    section="copy-task-data",
    why="Numbers between the first and the last id are rounded. To the first and to the last only half as many are "
    "rounded as to each of the others.",
    hint="Your first and your last word occur half as often as the others, for rounding has half an interval there. "
    "`torch.randint` draws whole numbers.",
)

mistake(
    "training.copy_task",
    "generator-set-back",
    edit(
        "for _ in range(num_batches):",
        """
        if generator is not None:
            generator = torch.Generator().manual_seed(generator.initial_seed())
        for _ in range(num_batches):
        """,
    ),
    section="copy-task-random",
    why="The generator is set back to its seed, so that every epoch gets the same batches. Used further, it should "
    "give new ones.",
    hint="A generator that is used further gives the same batches again: do not set it back, it goes on by itself.",
)

mistake(
    "training.copy_task",
    "generator-set-back-for-each-batch",
    edit(
        "ids = torch.randint(",
        "if generator is not None:\n    generator.manual_seed(generator.initial_seed())\nids = torch.randint(",
    ),
    section="copy-task-random",
    why="The generator is set back for each batch. All batches of an epoch are then equal.",
    hint="All batches drawn with a generator are equal: you set it back in the loop. Let it go on.",
)

mistake(
    "training.copy_task",
    "generator-required",
    edit("for _ in range(num_batches):", "generator.get_state()\nfor _ in range(num_batches):"),
    section="copy-task-random",
    why="Without a generator the function fails. None is the default, and stands for PyTorch's own generator.",
    hint="Called without a generator your function raises an error. `generator=None` means PyTorch's own.",
)

mistake(
    "training.copy_task",
    "ids-as-floats",
    edit(
        "ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)  # 0 to 3 are special",
        """
        ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)
        ids = ids.float()  # 0 to 3 are special
        """,
    ),
    section="copy-task-data",
    why="The ids are floating-point numbers. Ids are rows of a table, and an embedding takes whole numbers only.",
    hint="Your batches hold floating-point numbers: `torch.randint` gives int64, and so should whatever you do with "
    "it.",
)


# ---------------------------------------------------------------------------------------------------------------------
# bucket_batches


mistake(
    "training.bucket_batches",
    "sum-of-lengths",
    edit("(len(current) + 1) * lengths[index]", "sum(lengths[i] for i in current) + lengths[index]"),
    base="one-list-at-a-time",
    section="padded-size",
    why="The lengths of a batch were added up. Padding takes room too: each sequence is filled up to the longest.",
    hint="Some of your batches are too large once they are padded: you compare the sum of the lengths with "
    "`max_tokens`. What counts is the number of sequences times the longest.",
)

mistake(
    "training.bucket_batches",
    "number-of-sequences",
    edit("(len(current) + 1) * lengths[index]", "len(current) + 1"),
    base="one-list-at-a-time",
    section="padded-size",
    why="The number of sequences was compared with `max_tokens`. That is a number of tokens.",
    hint="Your batches hold up to `max_tokens` sequences: the limit is on tokens, padding included.",
)

mistake(
    "training.bucket_batches",
    "newcomer-not-counted",
    edit("len(current) + 1", "len(current)"),
    base="one-list-at-a-time",
    section="padded-size",
    why="The size was computed without the sequence that is about to join. Batches overflow by one.",
    hint="Your batches are too large by one sequence: count the one that is about to join.",
)

mistake(
    "training.bucket_batches",
    "longest-before-the-newcomer",
    edit("lengths[index]", "lengths[current[-1]]"),
    base="one-list-at-a-time",
    section="padded-size",
    why="The size was computed with the longest sequence so far. The one that joins is longer.",
    hint="Some of your batches are too large: the sequence that joins may be the longest. Take its length into the "
    "maximum.",
)

mistake(
    "training.bucket_batches",
    "length-of-first",
    edit("lengths[index]", "lengths[current[0]]"),
    base="one-list-at-a-time",
    section="padded-size",
    why="The size was computed with the first sequence of the batch, which is the shortest. The longest decides how "
    "wide a batch is.",
    hint="Some of your batches are too large: the size is set by the longest of a batch, and you take its first.",
)

mistake(
    "training.bucket_batches",
    "mean-length",
    edit("(len(current) + 1) * lengths[index]", "(len(current) + 1) * sum(lengths[i] for i in current) / len(current)"),
    base="one-list-at-a-time",
    section="padded-size",
    why="The size was computed with the mean length so far. Padding fills up to the longest.",
    hint="Some of your batches are too large: a batch is as wide as its longest sequence, not as the mean.",
)

mistake(
    "training.bucket_batches",
    "unsorted-newcomer-only",
    edit("sorted(range(len(lengths)), key=lambda i: lengths[i])", "range(len(lengths))"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Sequences come as they stand, and only the length of the newcomer is looked at. An earlier one may be longer.",
    hint="Some of your batches are too large: without sorting, the newcomer need not be the longest. Keep the maximum "
    "of the batch.",
)

mistake(
    "training.bucket_batches",
    "may-exceed-by-one",
    edit("(len(current) + 1) * lengths[index] > max_tokens", "(len(current) + 1) * lengths[index] > max_tokens + 1"),
    base="one-list-at-a-time",
    section="padded-size",
    why="The limit was compared with one token more. The limit is the largest size that is allowed.",
    hint="Your batches may hold one token more than `max_tokens`: compare with `>` and nothing added.",
)

mistake(
    "training.bucket_batches",
    "closed-after-overflow",
    edit("current.append(index)", ""),
    edit(
        "if current and (len(current) + 1) * lengths[index] > max_tokens",
        "current.append(index)\nif len(current) * lengths[index] > max_tokens",
    ),
    base="one-list-at-a-time",
    section="padded-size",
    why="A batch is closed only once it has become too large, with the sequence that made it so inside. Whether a "
    "sequence fits has to be asked before it joins.",
    hint="Your batches are closed one sequence too late: ask before a sequence joins whether it still fits.",
)

mistake(
    "training.bucket_batches",
    "last-batch-dropped",
    edit("if current:\n    batches.append(current)", ""),
    base="one-list-at-a-time",
    section="bucketing",
    why="What is left at the end was never made a batch. Its sequences are lost, the longest ones.",
    hint="Your last batch is missing: after the loop the sequences that were gathered make one more.",
)

mistake(
    "training.bucket_batches",
    "last-batch-dropped-unless-full",
    edit("if current:", "if current and 2 * len(current) * max(lengths[i] for i in current) > max_tokens:"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The last batch is kept only if it is large enough. Every sequence belongs into a batch.",
    hint="Sequences are missing from your batches: the last batch counts even if it is small.",
)

mistake(
    "training.bucket_batches",
    "newcomer-lost",
    edit(
        """
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        """,
        "",
    ),
    edit(
        "current.append(index)",
        """
        if current and (len(current) + 1) * lengths[index] > max_tokens:
            batches.append(current)
            current = []
        else:
            current.append(index)
        """,
    ),
    base="one-list-at-a-time",
    section="bucketing",
    why="The sequence that did not fit any more was lost when the batch was closed. It should begin the next batch.",
    hint="Sequences are missing: the one that no longer fits has to begin the next batch.",
)

mistake(
    "training.bucket_batches",
    "newcomer-twice",
    edit("batches.append(current)\ncurrent = []", "batches.append([*current, index])\ncurrent = []"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The sequence that did not fit is put into both batches. It would be learnt twice, and the old batch is too "
    "large.",
    hint="Some positions occur twice: the sequence that begins a new batch must not be in the old one.",
)

mistake(
    "training.bucket_batches",
    "first-batch-empty",
    edit("batches = []", "batches = [[]]"),
    base="one-list-at-a-time",
    section="bucketing",
    why="An empty batch is closed before the first sequence has joined. A batch of nothing has no shape, and its mean "
    "loss is 0/0.",
    hint="One of your batches is empty: close a batch only if there is something in it.",
)

mistake(
    "training.bucket_batches",
    "always-a-last-batch",
    edit(
        "current.append(index)",
        """
        current.append(index)
        if len(current) * lengths[index] == max_tokens:
            batches.append(current)
            current = []
        """,
    ),
    edit("if current:\n    batches.append(current)", "batches.append(current)"),
    base="one-list-at-a-time",
    section="bucketing",
    why="After each sequence that fills its batch exactly, an empty batch may be left at the end, and is added. A "
    "batch of nothing has no shape, and its mean loss is 0/0.",
    hint="One of your batches is empty: add the last one only if there is something in it.",
)

mistake(
    "training.bucket_batches",
    "one-list-for-all",
    edit("batches.append(current)\ncurrent = []", "batches.append(current)\ncurrent.clear()"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The list of a batch was emptied with `clear` after it had been added. All batches are then one list, the last "
    "one.",
    hint="Your batches are all the same: `clear()` also empties the list that you have just added. Begin a new one.",
)

mistake(
    "training.bucket_batches",
    "lengths-in-place-of-positions",
    edit("current.append(index)", "current.append(lengths[index])"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The batches hold lengths and not the positions of the sequences. From a length nobody can tell which sequence "
    "is meant.",
    hint="Your batches hold the lengths. Give the position of each sequence in `lengths`.",
)

mistake(
    "training.bucket_batches",
    "positions-in-the-sorted-list",
    edit(
        "current = []\nfor index in sorted(range(len(lengths)), key=lambda i: lengths[i]):",
        "current = []\nordered = sorted(lengths)\nfor index in range(len(ordered)):",
    ),
    edit("lengths[index]", "ordered[index]"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The positions are those in the sorted list. They name other sequences than those that were measured.",
    hint="Your batches fit the sorted lengths and not `lengths`: sort the positions by length, so that each position "
    "keeps its sequence.",
)

mistake(
    "training.bucket_batches",
    "positions-by-lookup",
    edit(
        "sorted(range(len(lengths)), key=lambda i: lengths[i])",
        "[lengths.index(length) for length in sorted(lengths)]",
    ),
    base="one-list-at-a-time",
    section="bucketing",
    why="Each position was looked up by its length. Of sequences of the same length the first one is found again and "
    "again.",
    hint="Of sequences of the same length only the first is in your batches, several times: `index` finds the first. "
    "Sort positions, not lengths.",
)

mistake(
    "training.bucket_batches",
    "equal-lengths-merged",
    edit(
        "sorted(range(len(lengths)), key=lambda i: lengths[i])",
        "[position for _, position in sorted({length: i for i, length in enumerate(lengths)}.items())]",
    ),
    base="one-list-at-a-time",
    section="bucketing",
    why="Positions were kept in a dictionary by length. Sequences of the same length overwrite one another.",
    hint="Of sequences of the same length only one is in your batches: a dictionary has room for one of them. Sort "
    "positions.",
)

mistake(
    "training.bucket_batches",
    "positions-from-one",
    edit("current.append(index)", "current.append(index + 1)"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The positions are counted from 1. In Python the first one is 0, and the last one counted from 1 does not "
    "exist.",
    hint="Your positions begin at 1: they are indices into `lengths`, from 0.",
)

mistake(
    "training.bucket_batches",
    "first-sequence-forgotten",
    edit("range(len(lengths))", "range(1, len(lengths))"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The positions begin at 1, and the sequence at 0 is in no batch. In Python the first position is 0.",
    hint="The position 0 is in none of your batches.",
)

mistake(
    "training.bucket_batches",
    "generator-of-batches",
    edit("return batches", "yield from batches"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The batches are yielded one by one. The caller expects a list, with a length.",
    hint="Your function yields: gather the batches in a list and return it.",
)

mistake(
    "training.bucket_batches",
    "flat-list",
    edit("return batches", "return [index for batch in batches for index in batch]"),
    base="one-list-at-a-time",
    section="bucketing",
    why="One flat list of positions is returned, without the division into batches. Nobody can tell where a batch "
    "ends.",
    hint="You return one list of positions: return a list of lists, one for each batch.",
)

mistake(
    "training.bucket_batches",
    "batches-as-tensors",
    edit("return batches", "return [torch.tensor(batch) for batch in batches]"),
    base="one-list-at-a-time",
    section="bucketing",
    why="Each batch is a tensor. As indices they are awkward: a list of sentences does not take them.",
    hint="Your batches are tensors: lists of whole numbers are wanted.",
)

mistake(
    "training.bucket_batches",
    "lengths-sorted-in-place",
    edit("if shuffle_generator is not None:", "lengths.sort()\nif shuffle_generator is not None:"),
    edit("sorted(range(len(lengths)), key=lambda i: lengths[i])", "order"),
    edit("batches = []", "order = sorted(range(len(lengths)), key=lambda i: lengths[i])\nbatches = []"),
    base="one-list-at-a-time",
    section="bucketing",
    why="`lengths` was sorted in place. The caller finds the lengths of its list in another order.",
    hint="After the call `lengths` is sorted: `sort()` changes the list. Use `sorted`, on the positions.",
)

mistake(
    "training.bucket_batches",
    "lengths-used-up",
    edit(
        "if shuffle_generator is not None:",
        "for index in range(len(lengths)):\n    lengths[index] = 0\nif shuffle_generator is not None:",
    ),
    base="one-list-at-a-time",
    section="bucketing",
    why="Lengths were marked in the list as they were dealt with. The list belongs to the caller.",
    hint="After the call `lengths` has changed: keep your own notes elsewhere.",
)

mistake(
    "training.bucket_batches",
    "full-batch-refused",
    edit("max(lengths, default=0) > max_tokens", "max(lengths, default=0) >= max_tokens"),
    base="one-list-at-a-time",
    section="padded-size",
    why="A sequence of exactly `max_tokens` tokens is refused. It fits, alone in its batch.",
    hint="A sequence of exactly `max_tokens` tokens raises an error in your function, but it fits: refuse only what is "
    "longer.",
)

mistake(
    "training.bucket_batches",
    "too-long-accepted",
    edit(
        """
        if max(lengths, default=0) > max_tokens:
            raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
        """,
        "",
    ),
    base="one-list-at-a-time",
    section="padded-size",
    why="A sequence longer than `max_tokens` gets a batch of its own. The limit is there because memory ends.",
    hint="A sequence longer than `max_tokens` is accepted, alone in a batch that is too large. Raise ValueError.",
)

mistake(
    "training.bucket_batches",
    "too-long-left-out",
    edit(
        """
        if max(lengths, default=0) > max_tokens:
            raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
        """,
        "",
    ),
    edit("if current and (", "if lengths[index] > max_tokens:\n    continue\nif current and ("),
    base="one-list-at-a-time",
    section="padded-size",
    why="A sequence longer than `max_tokens` is silently left out. Data that disappear without a word are the worst "
    "kind of error.",
    hint="A sequence longer than `max_tokens` disappears without a word. Raise ValueError.",
)

mistake(
    "training.bucket_batches",
    "too-long-cut",
    edit(
        """
        if max(lengths, default=0) > max_tokens:
            raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
        """,
        "lengths = [min(length, max_tokens) for length in lengths]",
    ),
    base="one-list-at-a-time",
    section="padded-size",
    why="A sequence longer than `max_tokens` is treated as if it were cut to that length. Nobody cuts it.",
    hint="A sequence longer than `max_tokens` is counted as if it were shorter. Raise ValueError.",
)

mistake(
    "training.bucket_batches",
    "too-long-asserted",
    edit(
        """
        if max(lengths, default=0) > max_tokens:
            raise ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")
        """,
        'assert max(lengths, default=0) <= max_tokens, "a sequence is too long"',
    ),
    base="one-list-at-a-time",
    section="padded-size",
    why="The length is tested with `assert`, which raises AssertionError and disappears when Python runs with -O. "
    "Wrong arguments raise ValueError.",
    hint="For a sequence longer than `max_tokens` you raise AssertionError: use `raise ValueError(...)`.",
)

mistake(
    "training.bucket_batches",
    "too-long-runtime-error",
    edit(
        'ValueError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")',
        'RuntimeError(f"max_tokens is {max_tokens}, but a length is {max(lengths)}")',
    ),
    base="one-list-at-a-time",
    section="padded-size",
    why="Another kind of error is raised. A wrong argument is a ValueError.",
    hint="For a sequence longer than `max_tokens` you raise RuntimeError: use ValueError.",
)

mistake(
    "training.bucket_batches",
    "only-the-first-tested",
    edit("max(lengths, default=0) > max_tokens", "lengths and lengths[0] > max_tokens"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Only the first sequence is tested for its length. The others may be too long as well.",
    hint="A sequence that is too long raises an error only in the first position: test all.",
)

mistake(
    "training.bucket_batches",
    "only-the-last-tested",
    edit("max(lengths, default=0) > max_tokens", "lengths and lengths[-1] > max_tokens"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Only the last sequence is tested, as if the list were sorted. The lengths come in any order.",
    hint="A sequence that is too long raises an error only in the last position: test all.",
)

mistake(
    "training.bucket_batches",
    "not-shuffled",
    edit(
        """
        if shuffle_generator is not None:
            order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
            batches = [batches[i] for i in order]
        """,
        "",
    ),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The generator is not used. Every epoch then goes from short to long sequences.",
    hint="With a generator your batches come in the same order as without: shuffle them.",
)

mistake(
    "training.bucket_batches",
    "shuffled-without-generator",
    edit("torch.randperm(len(batches), generator=shuffle_generator)", "torch.randperm(len(batches))"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The batches are shuffled, but not by the generator that was given. A run cannot be repeated.",
    hint="The same seed gives another order: hand `shuffle_generator` to `torch.randperm`.",
)

mistake(
    "training.bucket_batches",
    "always-shuffled",
    edit(
        """
        if shuffle_generator is not None:
            order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
            batches = [batches[i] for i in order]
        """,
        "order = torch.randperm(len(batches), generator=shuffle_generator).tolist()",
    ),
    edit("return batches", "return [batches[i] for i in order]"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The batches are shuffled without a generator too. A caller who passes none wants a fixed order, as is usual "
    "for a validation set.",
    hint="Without a generator your batches come in another order each time. Shuffle only if there is one.",
)

mistake(
    "training.bucket_batches",
    "shuffled-by-python",
    edit("order = torch.randperm(len(batches), generator=shuffle_generator).tolist()", ""),
    edit("batches = [batches[i] for i in order]", "random.shuffle(batches)"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="Python's own random numbers are used for shuffling. The generator has no say.",
    hint="The same seed gives another order: `random.shuffle` knows nothing of `shuffle_generator`. Draw with "
    "`torch.randperm`.",
)

mistake(
    "training.bucket_batches",
    "shuffled-by-the-count",
    edit("generator=shuffle_generator", "generator=torch.Generator().manual_seed(0)"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The order is drawn by a new generator with a fixed seed, so that every epoch has the same one. A caller who "
    "passes a generator expects it to decide.",
    hint="Every generator gives the same order: draw from the one that was given.",
)

mistake(
    "training.bucket_batches",
    "positions-shuffled-after-batching",
    edit(
        "order = torch.randperm(len(batches), generator=shuffle_generator).tolist()",
        """
        positions = [i for batch in batches for i in batch]
        order = iter(torch.randperm(len(positions), generator=shuffle_generator).tolist())
        """,
    ),
    edit("[batches[i] for i in order]", "[[positions[next(order)] for _ in batch] for batch in batches]"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="All positions were shuffled after the batches had been made, across them. Short and long ones are then mixed, "
    "and batches overflow.",
    hint="With a generator your batches are too large: you mix their sequences after they were measured. Shuffle whole "
    "batches.",
)

mistake(
    "training.bucket_batches",
    "drawn-with-repetition",
    edit(
        "torch.randperm(len(batches), generator=shuffle_generator)",
        "torch.randint(len(batches), (len(batches),), generator=shuffle_generator)",
    ),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The order was drawn with `randint`. Some batches then come twice, and others not at all.",
    hint="With a generator some of your batches come twice and others never: `randint` draws with repetition, "
    "`randperm` without.",
)

mistake(
    "training.bucket_batches",
    "lengths-not-shuffled-along",
    edit(
        "batches = []",
        """
        positions = list(range(len(lengths)))
        if shuffle_generator is not None:
            positions = torch.randperm(len(lengths), generator=shuffle_generator).tolist()
        batches = []
        """,
    ),
    edit("current.append(index)", "current.append(positions[index])"),
    edit(
        """
        if shuffle_generator is not None:
            order = torch.randperm(len(batches), generator=shuffle_generator).tolist()
            batches = [batches[i] for i in order]
        """,
        "",
    ),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The positions were shuffled and measured by the lengths of the old order. The length of a sequence has to go "
    "where the sequence goes.",
    hint="With a generator your batches are too large: the positions are in a new order and the lengths in the old "
    "one.",
)

mistake(
    "training.bucket_batches",
    "last-batch-lost-in-shuffle",
    edit("len(batches)", "len(batches) - 1"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The order was drawn for one batch less. One batch is then never seen.",
    hint="With a generator a batch is missing: draw the order of all of them.",
)

mistake(
    "training.bucket_batches",
    "shuffled-order-returned",
    edit("batches[i]", "[i]"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The order of the batches was returned in place of the batches. The numbers of the batches are not the "
    "positions of the sequences.",
    hint="With a generator you return the order and not the batches in that order.",
)

mistake(
    "training.bucket_batches",
    "generator-required",
    edit("shuffle_generator is not None", "True"),
    edit("order = torch.randperm(", "shuffle_generator.get_state()\norder = torch.randperm("),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The function fails without a generator. None is the default, and stands for no shuffling.",
    hint="Called without a generator your function raises an error: `None` means not to shuffle.",
)

mistake(
    "training.bucket_batches",
    "shuffled-inside-batches",
    edit("order = torch.randperm(len(batches), generator=shuffle_generator).tolist()", ""),
    edit(
        "[batches[i] for i in order]",
        """
        [
            [batch[i] for i in torch.randperm(len(batch), generator=shuffle_generator).tolist()] for batch in batches
        ]
        """,
    ),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The sequences of each batch are shuffled, and the batches stay in the order of their lengths. The order "
    "inside a batch changes nothing, since its losses are added up.",
    hint="With a generator your batches are the same ones in the same order, only shuffled within themselves: shuffle "
    "the list of batches.",
)


# ---------------------------------------------------------------------------------------------------------------------
# run_epoch


mistake(
    "training.run_epoch",
    "no-evaluation-mode",
    edit("model.train(training)", "if training:\n    model.train()"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="The model stays in training mode while it is evaluated. Dropout then makes every result a matter of chance.",
    hint="Without an optimiser your model runs in training mode, with dropout: call `model.eval()`.",
)

mistake(
    "training.run_epoch",
    "always-training-mode",
    edit("model.train(training)", "model.train()"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="`model.train()` is called whether there is an optimiser or not. Dropout is then on while evaluating.",
    hint="You put the model into training mode also to evaluate it: call `model.eval()` when there is no optimiser.",
)

mistake(
    "training.run_epoch",
    "only-the-top-in-evaluation-mode",
    edit("model.train(training)", "model.training = training"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="The flag `training` of the model itself was set. Its parts have flags of their own, and those of dropout are "
    "still on.",
    hint="You set `model.training`, which the parts of the model know nothing of: call `model.train(...)` or "
    "`model.eval()`.",
)

mistake(
    "training.run_epoch",
    "gradients-while-evaluating",
    edit("torch.set_grad_enabled(training)", "torch.enable_grad()"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="The evaluation runs with gradients enabled. It keeps all intermediate results for a backward pass that never "
    "comes.",
    hint="While evaluating, gradients are enabled: run the model under `torch.no_grad()`.",
)

mistake(
    "training.run_epoch",
    "backward-while-evaluating",
    edit("torch.set_grad_enabled(training)", "torch.enable_grad()"),
    edit("if training:\n    (loss / max(tokens, 1)).backward()", "if True:\n    (loss / max(tokens, 1)).backward()"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="The backward pass is made without an optimiser too. The gradients then lie about until the next step.",
    hint="After an evaluation there are gradients: without an optimiser there is no backward pass.",
)

mistake(
    "training.run_epoch",
    "gradients-off-for-good",
    edit("batches = iter(batches)", "batches = iter(batches)\ntorch.set_grad_enabled(training)"),
    edit("with torch.set_grad_enabled(training):", "if True:"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="Gradients are switched off for the evaluation, and never on again. The switch belongs to PyTorch, not to this "
    "function: whatever is computed afterwards records no gradients, in any part of the program.",
    hint="After an evaluation nothing records gradients any more. Put `torch.no_grad()` or "
    "`torch.set_grad_enabled(...)` into a `with`, which sets back what it found.",
)

mistake(
    "training.run_epoch",
    "parameters-frozen-for-evaluation",
    edit(
        "model.train(training)",
        "model.train(training)\nfor parameter in model.parameters():\n    parameter.requires_grad_(training)",
    ),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="The parameters were told to need no gradients for the evaluation. They stay so afterwards, and those that "
    "were frozen on purpose are set free by the next training.",
    hint="After an evaluation your model's parameters need no gradients any more. Leave them alone and evaluate inside "
    "`torch.no_grad()`.",
)

mistake(
    "training.run_epoch",
    "steps-while-evaluating",
    edit("steps += 1", ""),
    edit("total_tokens += tokens", "total_tokens += tokens\nsteps += 1"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Groups of batches are counted as steps when evaluating too. A step is one of the optimiser, and there is "
    "none.",
    hint="Without an optimiser you report steps: there are 0.",
)

mistake(
    "training.run_epoch",
    "evaluation-mode-while-training",
    edit("model.train(training)", "if not training:\n    model.eval()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The model is never put into training mode. After an evaluation it stays in evaluation mode, and trains "
    "without dropout.",
    hint="You train in whatever mode the model was in, and after an evaluation that is the wrong one: call "
    "`model.train()`.",
)

mistake(
    "training.run_epoch",
    "modes-exchanged",
    edit("model.train(training)", "model.train(not training)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The modes are exchanged: evaluation mode while training, training mode while evaluating. Dropout is then off "
    "where it should be on, and the other way round.",
    hint="You have the two modes the wrong way round: `model.train(...)` takes True for training.",
)

mistake(
    "training.run_epoch",
    "mean-of-batch-means",
    edit("total_loss, total_tokens, steps = 0.0, 0, 0", "total_loss, total_tokens, steps, seen = 0.0, 0, 0, 0"),
    edit("loss.item()", "loss.item() / batch.ntokens"),
    edit("total_tokens += tokens", "total_tokens += tokens\nseen += len(group)"),
    edit("max(total_tokens, 1)", "max(seen, 1)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The mean losses of the batches were averaged. A small batch then counts as much as a large one.",
    hint="Your loss is the mean of the batches' means. Add up losses and tokens, and divide once, at the end.",
)

mistake(
    "training.run_epoch",
    "sum-of-losses",
    edit("total_loss / max(total_tokens, 1)", "total_loss"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The sum of all losses is returned. It grows with the number of tokens.",
    hint="Your loss is a sum: divide it by the number of tokens.",
)

mistake(
    "training.run_epoch",
    "sum-of-batch-means",
    edit("loss.item()", "loss.item() / batch.ntokens"),
    edit("total_loss / max(total_tokens, 1)", "total_loss"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The mean losses of the batches were added up and not divided. The result grows with the number of batches.",
    hint="Your loss grows with the number of batches: add up the losses themselves, and divide by all tokens at the "
    "end.",
)

mistake(
    "training.run_epoch",
    "loss-per-batch",
    edit("total_loss, total_tokens, steps = 0.0, 0, 0", "total_loss, total_tokens, steps, seen = 0.0, 0, 0, 0"),
    edit("total_tokens += tokens", "total_tokens += tokens\nseen += len(group)"),
    edit("max(total_tokens, 1)", "max(seen, 1)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The sum was divided by the number of batches. Batches differ in size.",
    hint="Your loss is per batch: divide by the number of tokens.",
)

mistake(
    "training.run_epoch",
    "loss-per-sequence",
    edit("total_loss, total_tokens, steps = 0.0, 0, 0", "total_loss, total_tokens, steps, sequences = 0.0, 0, 0, 0"),
    edit("total_loss += loss.item()", "total_loss += loss.item()\nsequences += len(batch.src)"),
    edit("max(total_tokens, 1)", "max(sequences, 1)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The sum was divided by the number of sequences. A long sequence then counts more than a short one.",
    hint="Your loss is per sequence: divide by the number of tokens.",
)

mistake(
    "training.run_epoch",
    "loss-per-position",
    edit("total_loss, total_tokens, steps = 0.0, 0, 0", "total_loss, total_tokens, steps, positions = 0.0, 0, 0, 0"),
    edit("total_loss += loss.item()", "total_loss += loss.item()\npositions += batch.tgt_y.numel()"),
    edit("max(total_tokens, 1)", "max(positions, 1)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The sum was divided by all positions, padding included. The loss is then smaller for batches with more "
    "padding.",
    hint="Your loss is divided by padding too: divide by `ntokens`.",
)

mistake(
    "training.run_epoch",
    "loss-of-the-last-batch",
    edit("total_loss += loss.item()", "total_loss = loss.item() / batch.ntokens"),
    edit("total_loss / max(total_tokens, 1)", "total_loss"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Only the loss of the last batch is returned. It says little about the epoch.",
    hint="Your loss is that of the last batch: add up over all.",
)

mistake(
    "training.run_epoch",
    "loss-of-the-last-over-all",
    edit("total_loss += loss.item()", "total_loss = loss.item()"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The loss is overwritten by each batch and divided by the tokens of all. The result shrinks with the number of "
    "batches.",
    hint="Your loss is that of the last batch, divided by all tokens: add up with `+=`.",
)

mistake(
    "training.run_epoch",
    "loss-divided-twice",
    edit("loss.item()", "loss.item() / batch.ntokens"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Each loss was divided by its tokens, and their sum by all tokens again. The result shrinks with the number of "
    "batches.",
    hint="Your loss is far too small: you divide by tokens twice. Add up the sums that `loss_fn` returns.",
)

mistake(
    "training.run_epoch",
    "loss-is-a-tensor",
    edit("total_loss += loss.item()", "total_loss = total_loss + loss"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The loss is a tensor that still belongs to the graph of the last backward pass. If you keep it, you keep the "
    "graphs of a whole epoch in memory.",
    hint="`loss` of your result is a tensor with a graph behind it: add up `loss.item()`.",
)

mistake(
    "training.run_epoch",
    "loss-after-the-step",
    edit("total_loss += loss.item()", ""),
    edit("total_tokens += tokens", ""),
    edit(
        """
        if training:
            optimizer.step()
            steps += 1
            if scheduler is not None:
                scheduler.step()
        """,
        """
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
        """,
    ),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The loss of each batch is computed anew after the step. It is then the loss of a model that has seen the "
    "batch already.",
    hint="Your training loss is measured after each step, on what was just learnt: take the loss that you made the "
    "step with.",
)

mistake(
    "training.run_epoch",
    "no-batches-divides-by-zero",
    edit("max(total_tokens, 1)", "total_tokens"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Without batches there are no tokens, and the division fails. A run with an empty test set then ends in an "
    "error.",
    hint="Without batches your function divides by zero: the loss is 0.0 then.",
)

mistake(
    "training.run_epoch",
    "no-batches-gives-nan",
    edit("total_loss / max(total_tokens, 1)", 'total_loss / total_tokens if total_tokens else float("nan")'),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Without batches the loss is NaN. The exercise asks for 0.0.",
    hint="Without batches your loss is NaN: it should be 0.0.",
)

mistake(
    "training.run_epoch",
    "no-batches-gives-none",
    edit("total_loss / max(total_tokens, 1)", "total_loss / total_tokens if total_tokens else None"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Without batches the loss is None, which cannot be printed or compared like a number. A number is wanted in "
    "every case.",
    hint="Without batches your loss is None: it should be 0.0.",
)

mistake(
    "training.run_epoch",
    "tokens-with-padding",
    edit("total_tokens += tokens", "total_tokens += sum(batch.tgt_y.numel() for batch in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Padding is counted among the tokens, in the loss and in the report. Loss and speed then depend on how far "
    "batches are filled up.",
    hint="`tokens` counts padding: add up `batch.ntokens`.",
)

mistake(
    "training.run_epoch",
    "tokens-of-the-source",
    edit("total_tokens += tokens", "total_tokens += sum(int(batch.src_mask.sum()) for batch in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The tokens of the source are counted. The loss adds up over the target.",
    hint="`tokens` counts the source: add up `batch.ntokens`.",
)

mistake(
    "training.run_epoch",
    "tokens-that-are-read",
    edit("total_tokens += tokens", "total_tokens += sum(int((batch.tgt != 0).sum()) for batch in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The tokens that the decoder reads are counted, BOS among them. The loss adds up over those that are "
    "predicted.",
    hint="`tokens` counts `tgt`: those that are predicted count, `batch.ntokens`.",
)

mistake(
    "training.run_epoch",
    "tokens-of-the-last-step",
    edit("total_tokens, time.perf_counter() - start", "tokens if total_tokens else 0, time.perf_counter() - start"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The tokens of the last step are reported, not those of the epoch. Speed and loss per token need those of the "
    "whole epoch.",
    hint="`tokens` is that of the last step: add up over the epoch.",
)

mistake(
    "training.run_epoch",
    "sequences-reported-as-tokens",
    edit("total_loss, total_tokens, steps = 0.0, 0, 0", "total_loss, total_tokens, steps, sequences = 0.0, 0, 0, 0"),
    edit("total_loss += loss.item()", "total_loss += loss.item()\nsequences += len(batch.src)"),
    edit(
        "EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)",
        "EpochResult(total_loss / max(total_tokens, 1), sequences, time.perf_counter() - start, steps)",
    ),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The number of sequences is reported in place of the number of tokens. A sequence is no measure of work, since "
    "lengths differ.",
    hint="`tokens` of your result is the number of sequences: add up `batch.ntokens`.",
)

mistake(
    "training.run_epoch",
    "steps-are-batches",
    edit("steps += 1", "steps += len(group)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The batches are counted and not the steps of the optimiser. With `accumulate` these differ.",
    hint="`steps` counts batches: count the steps of the optimiser.",
)

mistake(
    "training.run_epoch",
    "result-is-a-tuple",
    edit(
        "EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)",
        "(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)",
    ),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="A plain tuple is returned. The fields of an `EpochResult` have names.",
    hint="You return a plain tuple: return `EpochResult(...)`, so that `result.loss` works.",
)

mistake(
    "training.run_epoch",
    "fields-in-another-order",
    edit(
        "EpochResult(total_loss / max(total_tokens, 1), total_tokens, time.perf_counter() - start, steps)",
        "EpochResult(total_loss / max(total_tokens, 1), steps, time.perf_counter() - start, total_tokens)",
    ),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Tokens and steps are exchanged in the result. `result.tokens` is then the number of steps.",
    hint="`tokens` and `steps` of your result are exchanged: the order is loss, tokens, seconds, steps.",
)

mistake(
    "training.run_epoch",
    "seconds-are-the-clock",
    edit("time.perf_counter() - start", "time.time()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The time of day is returned, not the time that has passed. A time of day is no duration.",
    hint="`seconds` is a time of day: subtract the time at the start.",
)

mistake(
    "training.run_epoch",
    "seconds-are-milliseconds",
    edit("time.perf_counter() - start", "1000 * (time.perf_counter() - start)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The time is in milliseconds. The field is called `seconds`.",
    hint="`seconds` is a thousand times too large.",
)

mistake(
    "training.run_epoch",
    "seconds-zero",
    edit("time.perf_counter() - start", "0.0"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="No time was measured. Nobody can tell how fast the training is.",
    hint="`seconds` is always 0: subtract the time at the start from the time at the end.",
)

mistake(
    "training.run_epoch",
    "seconds-negative",
    edit("time.perf_counter() - start", "start - time.perf_counter()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The subtraction is the wrong way round. The later time comes first.",
    hint="`seconds` is negative: the end comes first in the subtraction.",
)

mistake(
    "training.run_epoch",
    "seconds-per-batch",
    edit("hidden = model(", "start = time.perf_counter()\nhidden = model("),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The clock is started anew for each batch, so that the time of the last one is returned. An epoch has more "
    "than one.",
    hint="`seconds` is the time of the last batch: start the clock once, before the loop.",
)

mistake(
    "training.run_epoch",
    "generator-forgotten",
    edit("model.generator(hidden)", "hidden"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The model's vectors go straight into the loss. The generator is what makes log-probabilities of them.",
    hint="Your loss gets vectors of the model's width: `model.generator` turns them into log-probabilities first.",
)

mistake(
    "training.run_epoch",
    "probabilities-to-the-loss",
    edit("model.generator(hidden)", "model.generator(hidden).exp()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The exponentials of the log-probabilities go into the loss, which takes no logarithm itself. A loss of "
    "probabilities is no negative log-likelihood, and may fall below 0.",
    hint="Your loss gets probabilities: hand it what `model.generator` returns, log-probabilities.",
)

mistake(
    "training.run_epoch",
    "source-and-target-exchanged",
    edit(
        "model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)",
        "model(batch.tgt, batch.src, batch.tgt_mask, batch.src_mask)",
    ),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Source and target are handed to the model in the wrong order. The model then translates in the wrong "
    "direction.",
    hint="The model gets the target as source: the order is src, tgt, src_mask, tgt_mask.",
)

mistake(
    "training.run_epoch",
    "masks-exchanged",
    edit("batch.src_mask, batch.tgt_mask", "batch.tgt_mask, batch.src_mask"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The two masks are handed to the model in the wrong order. The source is then masked like a target, and the "
    "target may look ahead.",
    hint="The model gets the target's mask for the source: the order is src, tgt, src_mask, tgt_mask.",
)

mistake(
    "training.run_epoch",
    "target-mask-not-passed",
    edit("model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", "model(batch.src, batch.tgt, batch.src_mask)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The model gets no target mask. One of the course builds it itself, with 0 for padding; another would look "
    "ahead.",
    hint="The model gets no `tgt_mask`: hand it all four.",
)

mistake(
    "training.run_epoch",
    "reads-the-answers",
    edit(
        "model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)",
        "model(batch.src, batch.tgt_y, batch.src_mask, batch.tgt_mask)",
    ),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The decoder gets the answers to read. Each position then sees what it has to predict.",
    hint="Your decoder reads `tgt_y`, the answers: it reads `tgt`.",
)

mistake(
    "training.run_epoch",
    "loss-against-the-input",
    edit("batch.tgt_y.flatten", "batch.tgt.flatten"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The predictions are compared with what the decoder has read, not with what comes next. The model then learns "
    "to repeat what it reads.",
    hint="Your loss compares with `tgt`, which the decoder has just read: compare with `tgt_y`.",
)

mistake(
    "training.run_epoch",
    "loss-against-the-source",
    edit("batch.tgt_y.flatten", "batch.src[:, 1:].flatten"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The predictions are compared with the source. A translation is compared with its target.",
    hint="Your loss compares with the source: compare with `tgt_y`.",
)

mistake(
    "training.run_epoch",
    "loss-not-flattened",
    edit("log_probs.flatten(0, 1), batch.tgt_y.flatten()", "log_probs, batch.tgt_y"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Three axes go into the loss, which takes rows of log-probabilities and one target for each. What it makes of "
    "them is an error, or a wrong number.",
    hint="`loss_fn` takes (N, V) and (N,): flatten batch and time into one axis.",
)

mistake(
    "training.run_epoch",
    "targets-viewed",
    edit("batch.tgt_y.flatten()", "batch.tgt_y.view(-1)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="`view` was used on the targets. They are a slice of a longer tensor, which `view` cannot flatten.",
    hint="`tgt_y.view(-1)` fails for more than one sequence, since `tgt_y` is a slice: use `flatten()` or "
    "`reshape(-1)`.",
)

mistake(
    "training.run_epoch",
    "targets-transposed",
    edit("batch.tgt_y.flatten", "batch.tgt_y.t().flatten"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The targets were flattened along the other axis than the log-probabilities. Each row is compared with another "
    "position's answer.",
    hint="Rows and targets do not belong together: you flatten one of them the other way round.",
)

mistake(
    "training.run_epoch",
    "batches-counted-beforehand",
    edit(
        "total_loss, total_tokens, steps = 0.0, 0, 0",
        "total_loss, total_tokens, steps = 0.0, 0, 0\nnumber = len(batches)",
    ),
    edit("iter(batches)", "iter(batches[:number])"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation-rest",
    why="`len(batches)` was asked for. Any iterable will do, and many can only be gone through.",
    hint="Your function fails for batches that come one by one: a generator has no `len`. Count on the way.",
)

mistake(
    "training.run_epoch",
    "batches-read-twice",
    edit(
        "total_loss, total_tokens, steps = 0.0, 0, 0",
        "total_loss, total_tokens, steps = 0.0, 0, 0\ntotal_tokens = sum(batch.ntokens for batch in batches)",
    ),
    edit("total_tokens += tokens", ""),
    base="one-loop-for-training-and-evaluation",
    section="accumulation-rest",
    why="The batches are gone through once to count tokens and once to train. A generator is empty the second time.",
    hint="The second time you go through the batches there are none: they may be readable only once. Count on the way.",
)

mistake(
    "training.run_epoch",
    "first-batch-skipped",
    edit("batches = iter(batches)", "batches = iter(batches)\nnext(batches, None)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The first batch was taken out, to look at it, and not used. An iterator does not give it a second time.",
    hint="Your epoch lacks the first batch: what `next` takes out does not come again.",
)

mistake(
    "training.run_epoch",
    "gradient-of-the-sum",
    edit("loss / max(tokens, 1)", "loss"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The backward pass starts from the sum of the losses. The step is then as many times longer as the batch has "
    "tokens.",
    hint="Your gradients are too large by the number of tokens: divide the loss by it before the backward pass.",
)

mistake(
    "training.run_epoch",
    "gradient-per-sequence",
    edit("max(tokens, 1)", "sum(len(one.src) for one in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The loss was divided by the number of sequences before the backward pass. A long sequence then counts more "
    "than a short one, and steps grow with the length.",
    hint="Your gradients are per sequence: divide by the number of tokens.",
)

mistake(
    "training.run_epoch",
    "gradient-per-position",
    edit("max(tokens, 1)", "sum(one.tgt_y.numel() for one in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The loss was divided by all positions before the backward pass, padding included. Steps then become smaller "
    "the more padding a batch has.",
    hint="Your gradients depend on the padding: divide by `ntokens`, which leaves it out.",
)

mistake(
    "training.run_epoch",
    "gradients-never-cleared",
    edit("optimizer.zero_grad()", "pass"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Gradients are never set back. Each step then contains those of all steps before it.",
    hint="Your gradients add up from step to step: call `optimizer.zero_grad()` before the batches of each step.",
)

mistake(
    "training.run_epoch",
    "cleared-before-the-step",
    edit("optimizer.zero_grad()", "pass"),
    edit("optimizer.step()", "optimizer.zero_grad()\noptimizer.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Gradients are set back between the backward pass and the step, which then has none. The model never changes.",
    hint="Your steps have no gradients: `zero_grad` comes before the backward passes, not between them and the step.",
)

mistake(
    "training.run_epoch",
    "left-over-gradients-count",
    edit("optimizer.zero_grad()", "pass"),
    edit("optimizer.step()", "optimizer.step()\noptimizer.zero_grad()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Gradients are set back after each step only. What was there before the first one counts in it.",
    hint="Gradients from before the epoch count in your first step: set them back before it too.",
)

mistake(
    "training.run_epoch",
    "cleared-once-per-epoch",
    edit("if training:\n    optimizer.zero_grad()", ""),
    edit("batches = iter(batches)", "batches = iter(batches)\nif training:\n    optimizer.zero_grad()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Gradients are set back once, before the first batch. From the second step on the older ones count again.",
    hint="Your first step is right and the others contain the gradients of those before: set them back for each step.",
)

mistake(
    "training.run_epoch",
    "no-step",
    edit("optimizer.step()", "pass"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The optimiser makes no step. Gradients are computed, and nothing is learnt.",
    hint="Your optimiser makes no step: call `optimizer.step()` after the backward passes.",
)

mistake(
    "training.run_epoch",
    "step-before-backward",
    edit("optimizer.zero_grad()", "optimizer.step()\noptimizer.zero_grad()\nsteps += 1"),
    edit("optimizer.step()\nsteps += 1", ""),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The optimiser steps before the backward passes of its batches. Each step then uses the gradients of the one "
    "before.",
    hint="Your steps are one behind: the backward passes come first, then the step.",
)

mistake(
    "training.run_epoch",
    "gradients-clipped",
    edit("optimizer.step()", "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\noptimizer.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The gradients are clipped to a norm of 1, which nobody asked for here. A loop that does so without being "
    "asked cannot be compared with another.",
    hint="Long gradients are shortened in your function: the exercise asks for the gradient as it is.",
)

mistake(
    "training.run_epoch",
    "accumulate-ignored",
    edit("itertools.islice(batches, accumulate)", "itertools.islice(batches, 1)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="`accumulate` is ignored, and each batch makes a step. The steps are then those of small batches.",
    hint="With `accumulate=3` you still make a step for each batch: gather the gradients of three first.",
)

mistake(
    "training.run_epoch",
    "cleared-for-each-batch",
    edit("if training:\n    optimizer.zero_grad()", ""),
    edit("hidden = model(", "if training:\n    optimizer.zero_grad()\nhidden = model("),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="Gradients are set back for each batch, or there is a backward pass for the last one alone. Only the last "
    "batch of a group reaches the step.",
    hint="With `accumulate` only the last batch of each group counts in your step: make a backward pass for each "
    "batch, and do not set the gradients back between them.",
)

mistake(
    "training.run_epoch",
    "mean-of-means-accumulated",
    edit("loss / max(tokens, 1)", "loss / batch.ntokens / len(group)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="Each batch's mean loss was divided by the number of batches. A token in a small batch then counts more than "
    "one in a large batch.",
    hint="With `accumulate` your gradient is the mean of the batches' means: divide each sum by the tokens of the "
    "whole group.",
)

mistake(
    "training.run_epoch",
    "not-averaged-over-batches",
    edit("max(tokens, 1)", "batch.ntokens"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="Each batch's mean loss goes into the backward pass as it is. The gradients of a group are then added up and "
    "not averaged.",
    hint="With `accumulate` your gradients are too large by the number of batches: divide each sum by the tokens of "
    "the whole group.",
)

mistake(
    "training.run_epoch",
    "rest-divided-by-k",
    edit("loss / max(tokens, 1)", "loss / batch.ntokens / accumulate"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="Each batch's mean loss was divided by `accumulate`. That is the mean of means, and for the rest, which has "
    "fewer batches, it is too small as well.",
    hint="With `accumulate=k` you divide means by k: batches differ in tokens, and at the end there are fewer than k. "
    "Divide each sum by the tokens of the whole group.",
)

mistake(
    "training.run_epoch",
    "divided-by-tokens-and-k",
    edit("loss / max(tokens, 1)", "loss / tokens / len(group)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="The gradient was divided by the tokens of the group and by the number of its batches as well. Once is enough, "
    "since the tokens of the group are those of all its batches.",
    hint="With `accumulate` your gradients are too small by the number of batches: the tokens of the group are all "
    "that you divide by.",
)

mistake(
    "training.run_epoch",
    "divided-by-tokens-so-far",
    edit("for batch in group:", "tokens = 0\nfor batch in group:"),
    edit("hidden = model(", "tokens += batch.ntokens\nhidden = model("),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="Each batch was divided by the tokens of the group up to it. The first ones get too much weight.",
    hint="With `accumulate` the early batches of a group count too much: divide by the tokens of the whole group. You "
    "need to know them beforehand, or to divide the gradients at the end.",
)

mistake(
    "training.run_epoch",
    "divided-by-the-last-batch",
    edit("max(tokens, 1)", "group[-1].ntokens"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="The gradients of a group were divided by the tokens of its last batch. If that one is small, the step is far "
    "too long.",
    hint="With `accumulate` you divide by the tokens of one batch: those of the whole group count.",
)

mistake(
    "training.run_epoch",
    "divided-by-all-tokens-so-far",
    edit("max(tokens, 1)", "(total_tokens + tokens)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="The gradients were divided by all tokens since the epoch began. Steps become smaller and smaller.",
    hint="Your gradients become smaller from step to step: the number of tokens to divide by starts anew with each "
    "group.",
)

mistake(
    "training.run_epoch",
    "step-after-each-batch",
    edit(
        "(loss / max(tokens, 1)).backward()",
        """
        (loss / max(tokens, 1)).backward()
        optimizer.step()
        steps += 1
        if scheduler is not None:
            scheduler.step()
        """,
    ),
    edit(
        """
        if training:
            optimizer.step()
            steps += 1
            if scheduler is not None:
                scheduler.step()
        """,
        "",
    ),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="The gradients of a group add up, but the optimiser steps after each of its batches. These are many steps with "
    "gradients that are not meant for them.",
    hint="With `accumulate` your optimiser steps after each batch: it should wait for the whole group.",
)

mistake(
    "training.run_epoch",
    "first-batch-alone",
    edit(
        "batches = iter(batches)",
        """
        batches = list(batches)
        ends = [0, *range(1, len(batches), accumulate), len(batches)]
        groups = [batches[a:b] for a, b in zip(ends, ends[1:])]
        """,
    ),
    edit(
        "while group := list(itertools.islice(batches, accumulate)):",
        "for number, group in enumerate(group for group in groups if group):",
    ),
    edit("optimizer.step()", "if number and len(group) < accumulate:\n    break\noptimizer.step()"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation-published",
    why="The step is made whenever `i % accumulate == 0`, as in published code. That is so for the very first batch, "
    "which then makes a step alone, and what is left at the end makes none.",
    hint="With `accumulate=3` your first step comes after one batch: count from 1, or ask for `(i + 1) % accumulate`. "
    "And what is left at the end makes a step too.",
)


@mistake(
    "training.run_epoch",
    "published-accumulation",
    section="accumulation-published",
    why="Published code was followed: a step whenever `i % accumulate == 0`, each batch divided by its own tokens, the "
    "scheduler once for each batch, and no step for what is left at the end. None of the four gives what one large "
    "batch would.",
    hint="With `accumulate` your first step comes after one batch, gradients are sums of means, and the schedule runs "
    "ahead: this is the published version, which is not equal to one large batch.",
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


mistake(
    "training.run_epoch",
    "rest-dropped",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit("if waiting:\n    update()", ""),
    base="function-that-steps",
    section="accumulation-rest",
    why="What is left at the end, fewer batches than `accumulate`, makes no step. These batches teach nothing.",
    hint="The last batches make no step when they are fewer than `accumulate`: after the loop, what is left makes one "
    "too.",
)

mistake(
    "training.run_epoch",
    "always-a-last-step",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit("if waiting:\n    update()", "if training:\n    waiting_tokens = max(waiting_tokens, 1)\n    update()"),
    base="function-that-steps",
    section="accumulation-rest",
    why="A step is made at the end whether anything is left or not. An optimiser with momentum moves even without "
    "gradients.",
    hint="You make a step more than there are groups, without gradients: only what is left makes one.",
)

mistake(
    "training.run_epoch",
    "rest-not-divided",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit("if waiting:\n    update()", "if waiting:\n    waiting_tokens = 1\n    update()"),
    base="function-that-steps",
    section="accumulation-rest",
    why="What is left at the end makes a step with the sum of its losses. It is too long by as much as there are "
    "tokens.",
    hint="The gradient of your last step is a sum: divide it by its tokens like the others.",
)

mistake(
    "training.run_epoch",
    "rest-divided-by-the-group-before",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit(
        "if waiting == accumulate:\n    update()",
        "if waiting == accumulate:\n    whole = waiting_tokens\n    update()",
    ),
    edit(
        "if waiting:\n    update()",
        "if waiting:\n    waiting_tokens = whole if steps else waiting_tokens\n    update()",
    ),
    base="function-that-steps",
    section="accumulation-rest",
    why="What is left at the end was divided by the tokens of the last whole group. It has fewer tokens of its own.",
    hint="The gradient of your last step is divided by the tokens of the group before it: it has its own.",
)

mistake(
    "training.run_epoch",
    "one-batch-too-many-in-a-group",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit("waiting == accumulate", "waiting > accumulate"),
    base="function-that-steps",
    section="accumulation",
    why="The group is closed when there are more batches than `accumulate`. Groups are then larger by one than was "
    "asked for.",
    hint="With `accumulate=3` your groups hold four batches: ask for `==`, not for `>`.",
)

mistake(
    "training.run_epoch",
    "one-step-per-epoch",
    edit("itertools.islice(batches, accumulate)", "itertools.islice(batches, None)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="All batches of the epoch make one step. `accumulate` says how many make one.",
    hint="You make one step in the whole epoch: `accumulate` batches make one.",
)

mistake(
    "training.run_epoch",
    "rest-as-single-batches",
    edit(
        "tokens = sum(",
        """
        if len(group) < accumulate and len(group) > 1:
            batches = iter(group)
            accumulate = 1
            continue
        tokens = sum(
        """,
    ),
    base="one-loop-for-training-and-evaluation",
    section="accumulation-rest",
    why="What is left at the end makes a step for each batch. Their steps are then noisier than the others.",
    hint="The last batches make a step each: together they make one.",
)

mistake(
    "training.run_epoch",
    "scheduler-for-each-batch",
    edit("scheduler.step()", "for _ in group:\n    scheduler.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="The scheduler steps for each batch. With `accumulate=k` the warm-up is over after a k-th of its steps.",
    hint="With `accumulate` your schedule runs ahead: the scheduler takes one step after each step of the optimiser, "
    "not after each batch.",
)

mistake(
    "training.run_epoch",
    "scheduler-before-optimizer",
    edit("optimizer.step()\nsteps += 1", ""),
    edit(
        "if scheduler is not None:\n    scheduler.step()",
        """
        if scheduler is not None:
            scheduler.step()
        optimizer.step()
        steps += 1
        """,
    ),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="The scheduler steps before the optimiser. The first rate of the schedule is then never used.",
    hint="Your first step runs at the second rate of the schedule: the optimiser steps first, then the scheduler.",
)

mistake(
    "training.run_epoch",
    "scheduler-for-each-epoch",
    edit("if scheduler is not None:\n    scheduler.step()", ""),
    edit("return EpochResult(", "if training and scheduler is not None:\n    scheduler.step()\nreturn EpochResult("),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="The scheduler steps once, at the end of the epoch. A warm-up of 4000 steps then takes 4000 epochs.",
    hint="Your rate is the same for the whole epoch: the schedule counts steps of the optimiser, not epochs.",
)

mistake(
    "training.run_epoch",
    "scheduler-ignored",
    edit("if scheduler is not None:\n    scheduler.step()", ""),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="The scheduler makes no step. The rate stays what it was at the start.",
    hint="Your rate never changes: call `scheduler.step()` after each step of the optimiser.",
)

mistake(
    "training.run_epoch",
    "scheduler-required",
    edit("if scheduler is not None:\n    scheduler.step()", "scheduler.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="Without a scheduler the function fails. None is the default, and stands for a rate that stays as it is.",
    hint="Without a scheduler your function raises an error: call its `step` only if there is one.",
)

mistake(
    "training.run_epoch",
    "scheduler-not-for-the-rest",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit("scheduler is not None", "scheduler is not None and waiting == accumulate"),
    base="function-that-steps",
    section="epoch-schedule",
    why="The scheduler does not step after the last step of the epoch, which is made for what is left. The rate of the "
    "next step has then been used before.",
    hint="After the step for what is left your scheduler does not step: it steps after every one.",
)

mistake(
    "training.run_epoch",
    "scheduler-twice",
    edit("scheduler.step()", "scheduler.step()\nscheduler.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="The scheduler steps twice for each step of the optimiser. Every second rate is skipped.",
    hint="Your schedule runs twice as fast as the steps.",
)

mistake(
    "training.run_epoch",
    "scheduler-while-evaluating",
    edit(
        """
        if training:
            optimizer.step()
            steps += 1
            if scheduler is not None:
                scheduler.step()
        """,
        """
        if training:
            optimizer.step()
            steps += 1
        if scheduler is not None:
            scheduler.step()
        """,
    ),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="The scheduler steps although there is no optimiser, and so no step of one. Each evaluation then moves the "
    "schedule on by as many steps as it has batches.",
    hint="Your scheduler moves on while the model is only evaluated: its step belongs behind that of the optimiser, "
    "under the same condition.",
)

mistake(
    "training.run_epoch",
    "list-begun-again",
    edit("batches = iter(batches)", ""),
    base="one-loop-for-training-and-evaluation",
    section="accumulation-rest",
    why="Every group is taken from the start of the list: `islice` goes through a list anew each time. The epoch never "
    "ends.",
    hint="Your epoch never ends if the batches are a list: each `islice` of a list begins at its start. Make one "
    "iterator first, `iter(batches)`.",
)

mistake(
    "training.run_epoch",
    "steps-not-counted",
    edit("steps += 1", ""),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The steps are made and not counted. The result always says 0.",
    hint="`steps` of your result is 0 after training: count each step of the optimiser.",
)

mistake(
    "training.run_epoch",
    "one-step-counted",
    edit("steps += 1", "steps = 1"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The number of steps is set to 1 with `=`. It should be raised by 1 with `+=`.",
    hint="`steps` of your result is 1, however many were made: raise it with `+=`.",
)

mistake(
    "training.run_epoch",
    "divided-by-two-tokens-at-least",
    edit("max(tokens, 1)", "max(tokens, 2)"),
    edit("max(total_tokens, 1)", "max(total_tokens, 2)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="The number of tokens is raised to 2 to be on the safe side of a division. A single token then has half its "
    "loss.",
    hint="With a single token your loss and gradient are half as large: guard against 0 tokens only.",
)

mistake(
    "training.run_epoch",
    "scheduler-ahead-of-the-step",
    edit(
        "total_loss += loss.item()",
        "total_loss += loss.item()\nif scheduler is not None and batch is not group[-1]:\n    scheduler.step()",
    ),
    section="epoch-schedule",
    why="The scheduler steps after every batch, also where the optimiser waits for more. With `accumulate=k` the "
    "first step already has the rate of step k.",
    hint="With `accumulate` your schedule runs ahead: the scheduler takes one step after each step of the optimiser, "
    "not after each batch.",
)

mistake(
    "training.run_epoch",
    "evaluates-as-in-training",
    edit("model.train(training)", "model.train()"),
    edit("torch.set_grad_enabled(training)", "torch.enable_grad()"),
    section="evaluating",
    why="While evaluating, the model is in training mode and gradients are recorded. Dropout then makes the loss "
    "random, and the graph costs memory.",
    hint="Without an optimiser you still train, except for the steps: call `model.eval()` and turn gradients off.",
)

mistake(
    "training.copy_task",
    "last-word-missing-after-the-start",
    edit(
        "ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "words = torch.randint(4, vocab_size - 1, (batch_size, length - 1), generator=generator)",
    ),
    edit("ids[:, 0] = BOS", "ids = torch.nn.functional.pad(words, (1, 0), value=BOS)"),
    section="copy-task-data",
    why="The upper bound was lowered by one. `torch.randint` already leaves out its upper bound.",
    hint="The last word, `vocab_size - 1`, never occurs: the upper bound of `torch.randint` is exclusive.",
)

mistake(
    "training.copy_task",
    "target-backwards",
    edit("yield Batch(ids, ids)", "target = ids.flip(1)\nids[:, 0] = target[:, 0] = BOS\nyield Batch(ids, target)"),
    edit("ids[:, 0] = BOS\ntarget", "target"),
    section="copy-task-data",
    why="The target is the source backwards. The task is to copy it.",
    hint="Your target runs backwards. In the copy task, target and source are the same.",
)
