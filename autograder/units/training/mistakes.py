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
    why="The loss falls to 0, and the model only learns to copy. You let the decoder read and predict the whole "
    "target, so each position sees its own answer. Which id need not be read, and which need not be predicted?",
    hint="`tgt` and `tgt_y` are both the whole target: every position reads its own answer. The decoder reads all but "
    "the last id and predicts all but the first.",
)

mistake(
    "training.Batch",
    "last-id-kept",
    edit("tgt[:, :-1]", "tgt"),
    section="teacher-forcing-batch",
    why="`tgt` is one position longer than `tgt_y`. You dropped only the first id of the answers. After which id is "
    "there nothing left to predict?",
    hint="`tgt` is one position longer than `tgt_y`: after the last id there is nothing to predict, so the decoder "
    "need not read it. Drop it.",
)

mistake(
    "training.Batch",
    "answers-keep-bos",
    edit("tgt[:, 1:]", "tgt"),
    section="teacher-forcing-batch",
    why="`tgt_y` begins with BOS, which the decoder never has to predict. You dropped no id from the answers. What is "
    "the first thing to predict?",
    hint="`tgt_y` begins with BOS. The first thing to predict is what comes after it: all ids but the first.",
)

mistake(
    "training.Batch",
    "shifted-the-wrong-way",
    edit("tgt[:, :-1]", "tgt[:, 1:]"),
    edit("self.tgt_y = tgt[:, 1:]", "self.tgt_y = tgt[:, :-1]"),
    section="teacher-forcing-batch",
    why="The decoder reads the later ids and predicts the earlier ones. You exchanged input and answers, but in "
    "translation the earlier words are known. With which id does reading start?",
    hint="You exchanged `tgt` and `tgt_y`: your decoder reads the later ids and predicts the earlier ones. Reading "
    "starts with BOS.",
)

mistake(
    "training.Batch",
    "both-without-last",
    edit("tgt[:, 1:]", "tgt[:, :-1]"),
    section="teacher-forcing-batch",
    why="`tgt_y` equals `tgt`. You dropped the last id from both, which does not shift one against the other. By how "
    "much should the answers be ahead?",
    hint="`tgt_y` equals `tgt`: the answers must be one position ahead. Drop the first id from them, not the last.",
)

mistake(
    "training.Batch",
    "shifted-by-two",
    edit(":, :-1", ":, :-2"),
    edit("tgt[:, 1:]", "tgt[:, 2:]"),
    section="teacher-forcing-batch",
    why="The word after BOS is never predicted. You start the answers two ids after the input. By how much should the "
    "answers be ahead?",
    hint="`tgt_y` starts two ids after `tgt`, and the first word is never predicted. The offset is one.",
)

mistake(
    "training.Batch",
    "sequences-shifted",
    edit(":, :-1", ":-1"),
    edit("tgt[:, 1:]", "tgt[1:]"),
    section="teacher-forcing-batch",
    why="`tgt` has lost a sequence, and nothing is shifted. You cut the first axis. Which axis counts the positions?",
    hint="`tgt` has lost a sequence, not a position, since the first axis counts the sequences. Cut the second axis.",
)

mistake(
    "training.Batch",
    "shifted-by-rolling",
    edit("tgt[:, :-1]", "tgt"),
    edit("tgt[:, 1:]", "tgt.roll(-1, dims=1)"),
    section="teacher-forcing-batch",
    why="`tgt_y` ends with BOS. You rolled the target, which brings the first id round to the end. What should "
    "happen to an id that leaves the sequence?",
    hint="`tgt_y` is as long as the target and ends with BOS: a roll brings the first id round to the end. Drop an id "
    "on each side instead: the first of the answers, the last of the input.",
)

mistake(
    "training.Batch",
    "source-mask-from-target",
    edit("padding_mask(src, pad_id)", "padding_mask(src if tgt is None else tgt, pad_id)"),
    section="batch-masks",
    why="The wrong positions of the source are hidden. You built its mask from the target's ids. Which ids does the "
    "encoder read?",
    hint="`src_mask` follows the padding of the target. Build it from `src`.",
)

mistake(
    "training.Batch",
    "source-mask-inverted",
    edit("padding_mask(src, pad_id)", "~padding_mask(src, pad_id)"),
    section="batch-masks",
    why="The encoder attends only to padding. You made the source mask True there. What does True mean in this "
    "course's masks?",
    hint="`src_mask` is True where there is padding and False elsewhere: invert it.",
)

mistake(
    "training.Batch",
    "source-mask-without-heads",
    edit("padding_mask(src, pad_id)", "(src != pad_id).unsqueeze(-2)"),
    section="batch-masks",
    why="Sequences line up with heads in the scores. You gave the source mask three axes, but scores have four. Which "
    "axis is missing?",
    hint="`src_mask` has three axes, and scores have four: (B, H, T_q, T_k). It needs an axis of length 1 for the "
    "heads and another one for the queries.",
)

mistake(
    "training.Batch",
    "source-mask-two-axes",
    edit("padding_mask(src, pad_id)", "src != pad_id"),
    section="batch-masks",
    why="Your source mask lines up with queries and keys, because you gave it the shape of the ids. Scores have the "
    "shape (B, H, T_q, T_k). Which two axes are missing?",
    hint="`src_mask` has the shape of the ids. It has to broadcast to (B, H, T_q, T_k), so it needs two axes of size 1 "
    "in between.",
)

mistake(
    "training.Batch",
    "source-mask-of-numbers",
    edit("padding_mask(src, pad_id)", "padding_mask(src, pad_id).long()"),
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt, pad_id).long()"),
    section="batch-masks",
    why="Code that inverts your mask gets wrong results. You converted the masks into ones and zeros. Which type "
    "does a comparison already have?",
    hint="Your masks hold numbers, but masks are boolean here. The comparison with `pad_id` already gives booleans.",
)

mistake(
    "training.Batch",
    "source-mask-causal",
    edit("padding_mask(src, pad_id)", "decoder_mask(src, pad_id)"),
    section="batch-masks",
    why="The encoder cannot look ahead in the source. You gave it the decoder's mask. Which of the two sentences has "
    "a future to hide?",
    hint="`src_mask` has a row for each query and hides what comes later. The encoder may read the whole source: only "
    "its padding is hidden.",
)

mistake(
    "training.Batch",
    "target-mask-only-padding",
    edit("decoder_mask(self.tgt, pad_id)", "padding_mask(self.tgt, pad_id)"),
    section="batch-masks",
    why="Each position sees its own answer in the next position. You hid only the padding in the target mask. Which "
    "second mask does a decoder need?",
    hint="`tgt_mask` lets each position look ahead to the token that it should predict. Combine the padding with the "
    "causal mask.",
)

mistake(
    "training.Batch",
    "target-mask-only-causal",
    edit("decoder_mask(self.tgt, pad_id)", "torch.ones(len(tgt), 1, tgt.shape[1] - 1, tgt.shape[1] - 1).tril().bool()"),
    section="batch-masks",
    why="Padding is visible to the positions after it. You hid only the future in the target mask. Which second mask "
    "does a decoder need?",
    hint="`tgt_mask` shows padding to the positions after it. Combine the causal mask with the padding mask.",
)

mistake(
    "training.Batch",
    "target-mask-from-answers",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt_y, pad_id)"),
    section="batch-masks",
    why="The wrong positions of the decoder's input are hidden. You built the mask from the answers, whose padding "
    "is elsewhere. Which ids does the decoder read?",
    hint="`tgt_mask` hides the padding of `tgt_y`, which is one position to the left of the padding of `tgt`. Build "
    "the mask from what the decoder reads.",
)

mistake(
    "training.Batch",
    "target-mask-too-long",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(tgt, pad_id)"),
    section="batch-masks",
    why="Your target mask is one position too long. You built it from the whole target. Which ids does the decoder "
    "read?",
    hint="`tgt_mask` has one row and one column too many: build it from `tgt` without its last id.",
)

mistake(
    "training.Batch",
    "target-mask-from-source",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(src, pad_id)"),
    section="batch-masks",
    why="Your target mask follows the source's length and padding. You built it from the source's ids. Which ids "
    "does the decoder read?",
    hint="`tgt_mask` follows the source. Build it from what the decoder reads, `tgt` without its last id.",
)

mistake(
    "training.Batch",
    "target-mask-strictly-earlier",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt, pad_id).tril(-1)"),
    section="batch-masks",
    why="The first position of the target sees nothing. You made the diagonal of the mask False. May a position read "
    "its own input?",
    hint="In `tgt_mask` the diagonal is False, so the first position sees nothing. A position may attend to itself, "
    "since its answer is the next id.",
)

mistake(
    "training.Batch",
    "target-mask-upper-triangle",
    edit(
        "decoder_mask(self.tgt, pad_id)",
        "padding_mask(self.tgt, pad_id) & torch.ones(tgt.shape[1] - 1, tgt.shape[1] - 1).triu().bool()",
    ),
    section="batch-masks",
    why="Each position sees the future and not the past. You kept the upper triangle. Which positions may a decoder "
    "see?",
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
    why="Positions are visible although one of the two masks forbids them. You combined the masks so that one "
    "permission is enough. How many permissions does a key need?",
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
    why="The rows of padded positions allow nothing. You hid padded positions as queries as well as keys. What happens "
    "later to the output of a padded query?",
    hint="In `tgt_mask` the rows of padded positions are all False. Hide padding as a key only: the output of a padded "
    "query is not used.",
)

mistake(
    "training.Batch",
    "target-mask-without-heads",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt, pad_id).squeeze(1)"),
    section="batch-masks",
    why="Sequences line up with heads in the scores. You gave the target mask three axes, but scores have four. Which "
    "axis is missing?",
    hint="`tgt_mask` has three axes, and scores have four: (B, H, T_q, T_k). It needs an axis of length 1 for the "
    "heads.",
)

mistake(
    "training.Batch",
    "pad-id-fixed",
    edit("padding_mask(src, pad_id)", "padding_mask(src)"),
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt)"),
    edit("self.tgt_y != pad_id", "self.tgt_y != PAD"),
    section="batch-masks",
    why="With another padding id, a word is hidden and padding is visible. You wrote 0 into the code. In which three "
    "places does the argument belong?",
    hint="With `pad_id=7` you still treat 0 as padding. Use the argument everywhere: in both masks and in the count.",
)

mistake(
    "training.Batch",
    "pad-id-not-in-source-mask",
    edit("padding_mask(src, pad_id)", "padding_mask(src)"),
    section="batch-masks",
    why="With another padding id, padding of the source is read like a word. You did not pass the argument to the "
    "source's mask. Which call needs it?",
    hint="With another `pad_id` your `src_mask` still hides 0: pass the id to `padding_mask`.",
)

mistake(
    "training.Batch",
    "pad-id-not-in-target-mask",
    edit("decoder_mask(self.tgt, pad_id)", "decoder_mask(self.tgt)"),
    section="batch-masks",
    why="With another padding id, padding of the target is read like a word. You did not pass the argument to the "
    "target's mask. Which call needs it?",
    hint="With another `pad_id` your `tgt_mask` still hides 0: pass the id to `decoder_mask`.",
)

mistake(
    "training.Batch",
    "pad-id-not-in-count",
    edit("self.tgt_y != pad_id", "self.tgt_y != PAD"),
    section="token-count",
    why="With another padding id, padding is counted, and the loss per token is too small. You compared with 0 in "
    "the count. With what should the ids be compared?",
    hint="With another `pad_id` your masks are right and `ntokens` is not: it compares with 0. Compare with the "
    "argument.",
)

mistake(
    "training.Batch",
    "pad-id-of-two",
    edit("def __init__(self, src, tgt=None, pad_id=PAD):", "def __init__(self, src, tgt=None, pad_id=2):"),
    section="batch-masks",
    why="Without `pad_id`, your class treats BOS as padding. Your default is 2, as in some published code. Which "
    "default does the task give?",
    hint="Without `pad_id`, your class treats 2 as padding, which is BOS here. The default is `PAD`.",
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
    why="With a padding id above 0, words with smaller ids are treated as padding. You tested whether an id is larger. "
    "Are ids sizes or names?",
    hint="With `pad_id=7` you treat all smaller ids as padding, words too. Test whether an id differs from it, not "
    "whether it is larger.",
)

mistake(
    "training.Batch",
    "count-with-padding",
    edit("int((self.tgt_y != pad_id).sum())", "self.tgt_y.numel()"),
    section="token-count",
    why="The loss per token depends on how far a batch was padded. You counted every position of the answers. Which "
    "of them should count?",
    hint="`ntokens` counts every position of `tgt_y`, padding too. Count those that are not `pad_id`.",
)

mistake(
    "training.Batch",
    "count-of-what-is-read",
    edit("self.tgt_y != pad_id", "self.tgt != pad_id"),
    section="token-count",
    why="Your count is too large by one for each sentence with padding. You counted the ids that the decoder reads, "
    "BOS included. Over which ids does the loss run?",
    hint="`ntokens` counts the ids that the decoder reads. Count those that it predicts, in `tgt_y`.",
)

mistake(
    "training.Batch",
    "count-of-whole-target",
    edit("self.tgt_y != pad_id", "tgt != pad_id"),
    section="token-count",
    why="Your count is too large by one per sequence. You counted the whole target, BOS included. Over which ids "
    "does the loss run?",
    hint="`ntokens` is too large by one for each sequence: BOS is never predicted. Count in `tgt_y`.",
)

mistake(
    "training.Batch",
    "count-of-source",
    edit("self.tgt_y != pad_id", "src != pad_id"),
    section="token-count",
    why="Your count is that of the source. You counted its ids, but the loss is a sum over target tokens. Over which "
    "ids does it run?",
    hint="`ntokens` counts the source. The loss is a sum over the ids to predict: count in `tgt_y`.",
)

mistake(
    "training.Batch",
    "count-of-sequences",
    edit("int((self.tgt_y != pad_id).sum())", "len(tgt)"),
    section="token-count",
    why="Long sequences get a large loss. You counted sequences. By what should the sum of losses be divided?",
    hint="`ntokens` is the number of sequences. Count the ids of `tgt_y` that are no padding.",
)

mistake(
    "training.Batch",
    "count-is-a-tensor",
    edit("int((self.tgt_y != pad_id).sum())", "(self.tgt_y != pad_id).sum()"),
    section="token-count",
    why="Your count is a tensor, which lives on a device and adds small operations to every sum. You returned the sum "
    "as it was. What turns it into a plain Python number?",
    hint="`ntokens` is a tensor. Turn the sum into a Python number, with `int` for example.",
)

mistake(
    "training.Batch",
    "count-is-a-float",
    edit("int((self.tgt_y != pad_id).sum())", "float((self.tgt_y != pad_id).sum())"),
    section="token-count",
    why="Your count is a float. You converted it, but tokens are counted in whole numbers. Which type should the count "
    "have?",
    hint="`ntokens` is a float: convert the sum with `int` instead.",
)

mistake(
    "training.Batch",
    "count-of-ids",
    edit("self.tgt_y != pad_id", "self.tgt_y[self.tgt_y != pad_id]"),
    section="token-count",
    why="Your count is far too large. You added up the ids themselves. What should be added up: ids, or the "
    "results of a comparison?",
    hint="`ntokens` is far too large: you add up the ids. Count those that differ from `pad_id`.",
)

mistake(
    "training.Batch",
    "count-of-padding",
    edit("self.tgt_y != pad_id", "self.tgt_y == pad_id"),
    section="token-count",
    why="Your count is the number of padded positions. You inverted the comparison. Which positions should count?",
    hint="`ntokens` is the number of padded positions. Count those that are *not* `pad_id`.",
)

mistake(
    "training.Batch",
    "count-of-longest",
    edit("(self.tgt_y != pad_id).sum", "(self.tgt_y != pad_id).sum(1).max"),
    section="token-count",
    why="Your count is the length of the longest sequence. You took a maximum, but the other sequences are predicted, "
    "too. Which reduction counts them all?",
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
    why="A batch without a target raises an error, although translation has only a source. You always cut the "
    "target. What should the attributes be when there is none?",
    hint="`Batch(src)` fails in your class, since it cuts a target that is not there. Set `tgt`, `tgt_y` and "
    "`tgt_mask` to None and `ntokens` to 0 first.",
)

mistake(
    "training.Batch",
    "attributes-missing-without-target",
    edit("self.tgt = self.tgt_y = self.tgt_mask = None\nself.ntokens = 0", ""),
    section="batch-device",
    why="Code that reads a batch without a target gets an AttributeError. You set the target's attributes only when "
    "there is one. What should they be otherwise?",
    hint="A batch without a target has no attribute `tgt` in your class. Set all four in every case: three to None, "
    "`ntokens` to 0.",
)

mistake(
    "training.Batch",
    "count-none-without-target",
    edit("self.ntokens = 0", "self.ntokens = None"),
    section="batch-device",
    why="The count of a batch without a target cannot be added up. You set it to None. How many tokens are "
    "there to predict?",
    hint="`Batch(src).ntokens` is None. There are no tokens to predict, so the count is 0.",
)

mistake(
    "training.Batch",
    "source-as-target",
    edit("self.ntokens = 0", "self.ntokens = 0\ntgt = src if tgt is None else tgt"),
    section="batch-device",
    why="A batch to be translated gets a target. You used the source as one. What should the target's attributes be "
    "when there is none?",
    hint="`Batch(src)` makes a target of the source. Leave the three tensors of the target at None, and `ntokens` at "
    "0.",
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
    why="After building a batch, the caller's ids have changed. You overwrote the padding. Which operation finds "
    "padding without writing?",
    hint="After `Batch(...)` the caller's ids have changed. Compare with `pad_id`, and write nothing into `src` or "
    "`tgt`.",
)

mistake(
    "training.Batch",
    "last-word-written-over",
    edit("self.tgt_y = tgt[:, 1:]", ""),
    edit("self.tgt = tgt[:, :-1]", "self.tgt_y = tgt[:, 1:].clone()\ntgt[:, -1] = pad_id\nself.tgt = tgt[:, :-1]"),
    section="batch-device",
    why="After building a batch, the caller's targets end in padding, and a word is lost. You overwrote the last id "
    "to drop it. Which operation drops an id without writing?",
    hint="After `Batch(...)` the caller's targets end in padding. A slice drops the last id without writing.",
)

mistake(
    "training.Batch",
    "moves-itself",
    edit("copy.copy(self)", "self"),
    section="batch-device",
    why="A caller that still needs the old batch finds it on the other device. You moved the batch itself. Which "
    "object should hold the moved tensors?",
    hint="`batch.to(device)` changes `batch` itself. Make a shallow copy of the batch, and set the copy's tensors.",
)

mistake(
    "training.Batch",
    "moves-itself-and-returns-none",
    edit("copy.copy(self)", "self"),
    edit("return moved", ""),
    section="batch-device",
    why="The caller stores None. You changed the batch itself in `to` and returned nothing. What should `to` return?",
    hint="`batch.to(device)` returns None. It should return a new batch.",
)

mistake(
    "training.Batch",
    "moved-tensors-lost",
    edit("setattr(moved, name, value.to(device))", "value.to(device)"),
    section="batch-device",
    why="After `batch.to(device)` nothing is on the device. A tensor does not move itself, and you threw the moved "
    "one away. What does `Tensor.to` return?",
    hint="After `batch.to(device)` nothing is on the device: `tensor.to(...)` returns a new tensor, which you have to "
    "keep.",
)

mistake(
    "training.Batch",
    "masks-left-behind",
    edit("isinstance(value, torch.Tensor)", 'name in ("src", "tgt", "tgt_y") and value is not None'),
    section="batch-device",
    why="The first attention finds scores on one device and masks on another. You moved only the ids. Which tensors "
    "of a batch have to move?",
    hint="The masks of the moved batch are still on the old device: move every tensor.",
)

mistake(
    "training.Batch",
    "answers-left-behind",
    edit("isinstance(value, torch.Tensor)", 'name != "tgt_y" and isinstance(value, torch.Tensor)'),
    section="batch-device",
    why="The loss compares tensors on two devices. You did not move `tgt_y`. Which tensors of a batch have to move?",
    hint="`tgt_y` of the moved batch is still on the old device: move every tensor.",
)

mistake(
    "training.Batch",
    "source-left-behind",
    edit("isinstance(value, torch.Tensor)", 'name.startswith("tgt") and isinstance(value, torch.Tensor)'),
    section="batch-device",
    why="The encoder cannot read ids that are on another device. You moved only the target's parts. Which tensors of a "
    "batch have to move?",
    hint="`src` and `src_mask` of the moved batch are still on the old device: move every tensor.",
)

mistake(
    "training.Batch",
    "moved-without-count",
    edit("copy.copy(self)", "Batch(self.src)"),
    section="batch-device",
    why="The loss per token of a moved batch is wrong. You carried over only the tensors, so the count is lost. What "
    "should happen to attributes that are not tensors?",
    hint="`ntokens` of the moved batch is 0. Copy every attribute; those that are not tensors stay as they are.",
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
    why="Moving a batch without a target raises an error. You move attributes that are None. Which attributes should "
    "be skipped?",
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
    why="With another padding id, a moved batch has other masks and another count. You built a new batch and forgot "
    "the id. Which tensors already hold the right masks?",
    hint="With another `pad_id` the moved batch has other masks and another count: you built it again with 0 as "
    "padding. Move the masks of the old batch.",
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
    why="Every move loses one more position. You built a new batch from a target that had already been cut. Which "
    "tensors already hold the right parts?",
    hint="The moved batch has lost the last position of `tgt` and `tgt_y`: you cut a target that was already cut. Move "
    "the tensors of the old batch.",
)

mistake(
    "training.Batch",
    "eos-hidden-from-decoder",
    edit("tgt[:, :-1]", "tgt[:, :-1].masked_fill(tgt[:, :-1] == 3, pad_id)"),
    section="teacher-forcing-batch",
    why="Where a shorter sentence ends, your decoder reads padding instead of EOS. You replaced an id. Which ids "
    "does the cut remove, and which does it change?",
    hint="Your `tgt` has padding where a shorter sentence has EOS. Drop the last column and change no id. EOS does no "
    "harm there: what is predicted after it is padding, which is not counted.",
)

mistake(
    "training.Batch",
    "specials-not-counted",
    edit("self.tgt_y != pad_id", "self.tgt_y > 3"),
    section="token-count",
    why="Your count is too small by one for each sentence that ends in EOS. You counted only words, but EOS is "
    "predicted like a word. Which id alone does not count?",
    hint="`ntokens` is too small by one for each sentence that ends in EOS: EOS counts, and so does every id but "
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
    why="Padding may attend to itself. You opened the diagonal so that no row is empty. What does attention do with a "
    "row that may attend to nothing?",
    hint="In `tgt_mask` padding may attend to itself. A row that may attend to nothing does no harm: attention gives "
    "it zeros.",
)


# ---------------------------------------------------------------------------------------------------------------------
# copy_task


mistake(
    "training.copy_task",
    "batches-and-sequences-swapped",
    edit("range(num_batches)", "range(batch_size)"),
    edit("(batch_size, length)", "(num_batches, length)"),
    section="copy-task-data",
    why="An epoch has another number of steps than requested. You exchanged the number of batches and their size. "
    "Which of the two does the loop count?",
    hint="You give `batch_size` batches of `num_batches` sequences. Exchange the two numbers.",
)

mistake(
    "training.copy_task",
    "one-batch-only",
    edit("range(num_batches)", "range(1)"),
    section="copy-task-data",
    why="An epoch is over after one step. You give a single batch. How many does the caller ask for?",
    hint="You give one batch. Give `num_batches` of them, with new ids each time.",
)

mistake(
    "training.copy_task",
    "a-batch-too-many",
    edit("range(num_batches)", "range(num_batches + 1)"),
    section="copy-task-data",
    why="You give one batch too many. Your range holds one number too many. How many should it hold?",
    hint="You give one batch more than `num_batches`. End the range one earlier.",
)

mistake(
    "training.copy_task",
    "bos-comes-on-top",
    edit("ids[:, 0] = BOS", "ids = torch.cat([torch.full((batch_size, 1), BOS), ids], dim=1)"),
    section="copy-task-data",
    why="Your sequences have `length + 1` ids. You put BOS in front of a full sequence. Does `length` count BOS?",
    hint="Your sequences have `length + 1` ids. BOS is one of the `length` ids: overwrite the first id with it.",
)

mistake(
    "training.copy_task",
    "eos-at-the-end",
    edit("ids[:, 0] = BOS", "ids[:, 0] = BOS\nids[:, -1] = 3"),
    section="copy-task-data",
    why="Your sequences end with EOS. You replaced the last id, but the length is fixed here. Does a sequence of "
    "known length need an end?",
    hint="Your sequences end with EOS. In this task they have a fixed length, and no EOS.",
)

mistake(
    "training.copy_task",
    "length-fixed",
    edit("(batch_size, length)", "(batch_size, 10)"),
    section="copy-task-data",
    why="Your sequences have 10 ids whatever `length` says. You wrote the number into the code. Where should the "
    "argument be used?",
    hint="Your sequences have 10 ids, whatever `length` says. Use the argument in the shape.",
)

mistake(
    "training.copy_task",
    "other-default-length",
    edit(
        "def copy_task(vocab_size, batch_size, num_batches, length=10, generator=None):",
        "def copy_task(vocab_size, batch_size, num_batches, length=8, generator=None):",
    ),
    section="copy-task-data",
    why="Without `length`, your sequences do not have the length that the task says. You chose another default. Which "
    "default does the task give?",
    hint="Without `length`, your sequences do not have 10 ids. Change the default.",
)

mistake(
    "training.copy_task",
    "sequences-along-columns",
    edit("(batch_size, length)", "(length, batch_size)"),
    section="copy-task-data",
    why="`src` has the shape (length, batch). You exchanged the two sizes. Which axis comes first everywhere in this "
    "course?",
    hint="`src` has the shape (length, batch): batches come first here.",
)

mistake(
    "training.copy_task",
    "no-bos",
    edit("ids[:, 0] = BOS", ""),
    section="copy-task-data",
    why="The decoder has no fixed id to start from: your first id is random. You drew all positions. Which id begins "
    "every sequence?",
    hint="The first id of your sequences is random: it should be BOS, from which decoding starts.",
)

mistake(
    "training.copy_task",
    "one-bos-only",
    edit("ids[:, 0]", "ids[0, 0]"),
    section="copy-task-data",
    why="Only one sequence of each batch begins with BOS. You set a single position. How do you select a whole column?",
    hint="In your batches only one sequence begins with BOS. `ids[0, 0]` is a single position: set the whole first "
    "column.",
)

mistake(
    "training.copy_task",
    "first-sequence-all-bos",
    edit("ids[:, 0]", "ids[0]"),
    section="copy-task-data",
    why="Your first sequence consists of BOS alone. You set a row. How do you select a column?",
    hint="Your first sequence consists of BOS alone: `ids[0]` is a whole sequence. Set the first position of all "
    "sequences.",
)

mistake(
    "training.copy_task",
    "begins-with-one",
    edit("ids[:, 0] = BOS", "ids[:, 0] = 1"),
    section="copy-task-data",
    why="Your sequences begin with the unknown word. You used the id 1, as published code for another vocabulary "
    "does. Which id does BOS have here?",
    hint="Your sequences begin with 1, which is UNK here: use BOS.",
)

mistake(
    "training.copy_task",
    "begins-with-padding",
    edit("ids[:, 0] = BOS", "ids[:, 0] = 0"),
    section="copy-task-data",
    why="The masks hide the first position of your sequences. You began with the id of padding. Which id begins "
    "every sequence?",
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
    why="Special ids appear among your words. You drew from 1, as published code for another vocabulary does. Which "
    "is the first id of a word here?",
    hint="Among your words are the ids 1, 2 and 3, which are UNK, BOS and EOS. Draw from 4 up.",
)

mistake(
    "training.copy_task",
    "ids-from-zero",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(0, vocab_size, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="Padding appears among your words, and it is masked and left out of the loss. You drew from 0. Which is the "
    "first id of a word here?",
    hint="Among your words are ids below 4, which are special: 0 is padding. Draw from 4 up.",
)

mistake(
    "training.copy_task",
    "ids-from-three",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(3, vocab_size, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="EOS appears in the middle of your sequences, where a decoder would stop. You drew from 3. Which is the "
    "first id of a word here?",
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
    why="The id 4 never occurs. You drew from 5. Which ids are special in this course?",
    hint="The id 4 never occurs. The special ids are 0 to 3: draw from 4 up.",
)

mistake(
    "training.copy_task",
    "last-word-missing",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size - 1, (batch_size, length), generator=generator)",
    ),
    section="copy-task-data",
    why="The last word never occurs. You lowered the upper bound. Does `torch.randint` include its upper bound?",
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
    why="An id occurs that has no row in any table, and the embedding fails. You raised the upper bound. Does "
    "`torch.randint` include its upper bound?",
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
    why="Ids of `vocab_size` and more occur. You read the argument as the number of words. Does it include the "
    "special ids?",
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
    why="There is nothing to learn: your target has nothing to do with the source. You drew it separately. What is "
    "the target of the copy task?",
    hint="Your target is not the source but another random sequence. Use the same ids for both.",
)

mistake(
    "training.copy_task",
    "target-reversed",
    edit("Batch(ids, ids)", "Batch(ids, ids.flip(1))"),
    section="copy-task-data",
    why="Your target is the source in reverse. You flipped it, which is another task, and its first id is not BOS. "
    "What is the target of the copy task?",
    hint="Your target is the source in reverse. The task is to copy.",
)

mistake(
    "training.copy_task",
    "target-shifted-before",
    edit("Batch(ids, ids)", "Batch(ids, ids[:, 1:])"),
    section="copy-task-data",
    why="`tgt` starts at the second id. You shifted the target, and `Batch` shifts it again. Which of the two should "
    "do it?",
    hint="In your batches `tgt` starts at the second id: `Batch` does the shifting itself. Pass it the whole sequence "
    "twice.",
)

mistake(
    "training.copy_task",
    "target-without-last",
    edit("Batch(ids, ids)", "Batch(ids, ids[:, :-1])"),
    section="copy-task-data",
    why="The last id of the source never has to be predicted. You dropped it from the target, and `Batch` drops one "
    "more. Which of the two should do it?",
    hint="In your batches the last id of the source never has to be predicted: pass `Batch` the whole sequence twice.",
)

mistake(
    "training.copy_task",
    "source-without-bos",
    edit("Batch(ids, ids)", "Batch(ids[:, 1:], ids)"),
    section="copy-task-data",
    why="`src` lacks its first id and is too short. You removed BOS from the source. Which ids do source and target "
    "share?",
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
    why="`src` does not begin with BOS. You wrote it only into the target. Which ids do source and target share?",
    hint="`src` does not begin with BOS, only the target does: both are the same sequence.",
)

mistake(
    "training.copy_task",
    "no-target",
    edit("Batch(ids, ids)", "Batch(ids)"),
    section="copy-task-data",
    why="There is nothing to learn from your batches, because they have no target. You passed a single tensor. Which "
    "two tensors does a `Batch` for training need?",
    hint="Your batches have no target: pass `Batch` the ids twice, as source and as target.",
)

mistake(
    "training.copy_task",
    "pairs-in-place-of-batches",
    edit("Batch(ids, ids)", "(ids, ids)"),
    section="copy-task-data",
    why="Masks and counts are missing from your batches. You give pairs of tensors. Which class adds masks and counts?",
    hint="You give pairs of tensors: make a `Batch` from each pair.",
)


@mistake(
    "training.copy_task",
    "always-the-same-batch",
    section="copy-task-random",
    why="All batches are equal. You drew the ids once, before the loop. What has to happen for each batch?",
    hint="All your batches are equal: draw inside the loop, once for each batch.",
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
    why="All sequences of a batch are equal, so it teaches no more than one of them. You drew one and repeated it. "
    "How many sequences should be drawn?",
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
    why="Each sequence repeats one word and can be copied without looking at positions. You drew one word per "
    "sequence. How many words should be drawn?",
    hint="Each of your sequences repeats one word: draw a word for every position.",
)

mistake(
    "training.copy_task",
    "words-in-order",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator).sort(dim=1).values",
    ),
    section="copy-task-random",
    why="Your sequences are sorted, so the model can guess much without copying. You ordered the ids. In which order "
    "should the words come?",
    hint="Your sequences are sorted: leave the words in the order in which you draw them.",
)

mistake(
    "training.copy_task",
    "generator-ignored",
    edit(
        "torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "torch.randint(4, vocab_size, (batch_size, length))",
    ),
    section="copy-task-random",
    why="The same seed gives different batches. You did not pass the generator on. Which call needs it?",
    hint="The same seed gives different batches: pass `generator` to `torch.randint`.",
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
    why="Every call gives the same batches, and all other random numbers of the program repeat, too. You set a seed "
    "inside. From which generator should you draw?",
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
    why="Two calls without a generator give the same batches. You made one with a fixed seed. What does None mean "
    "for PyTorch's functions?",
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
    why="Your first and last words occur half as often as the others. You rounded random numbers, and only half an "
    "interval is rounded to each end. Which function draws whole numbers?",
    hint="Your first and your last word occur half as often as the others, since only half an interval is rounded to "
    "each of them. `torch.randint` draws whole numbers.",
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
    why="A second call with the same generator gives the same batches again. You reset the generator to its seed. In "
    "which state should you use it?",
    hint="A second call with the same generator gives the same batches again. Do not reset it: it continues from its "
    "state.",
)

mistake(
    "training.copy_task",
    "generator-set-back-for-each-batch",
    edit(
        "ids = torch.randint(",
        "if generator is not None:\n    generator.manual_seed(generator.initial_seed())\nids = torch.randint(",
    ),
    section="copy-task-random",
    why="All batches drawn with a generator are equal. You reset the generator in the loop. In which state should you "
    "use it?",
    hint="All batches drawn with a generator are equal: you reset it in the loop. Let it continue from its state.",
)

mistake(
    "training.copy_task",
    "generator-required",
    edit("for _ in range(num_batches):", "generator.get_state()\nfor _ in range(num_batches):"),
    section="copy-task-random",
    why="Called without a generator, your function fails. You call its methods without a test for None. What does None "
    "mean for PyTorch's functions?",
    hint="Called without a generator your function raises an error. `generator=None` means PyTorch's own generator.",
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
    why="An embedding refuses your batches, because they hold floats. You converted the ids. Which type does "
    "`torch.randint` give?",
    hint="Your batches hold floating-point numbers: `torch.randint` gives int64, so do not convert its result.",
)

mistake(
    "training.copy_task",
    "always-the-same-batch-variant-2",
    edit("yield Batch(src, src.clone(), PAD)", "yield from [Batch(src, src.clone(), PAD)] * num_batches\nreturn"),
    base="bos-in-front",
    section="copy-task-random",
    why="The model sees the same sequences in every step and learns them by heart. You drew once, before the loop. Where "
    "should new ids be drawn?",
    hint="All your batches hold the same sequences. Draw inside the loop.",
)

# ---------------------------------------------------------------------------------------------------------------------
# bucket_batches


mistake(
    "training.bucket_batches",
    "sum-of-lengths",
    edit("(len(current) + 1) * lengths[index]", "sum(lengths[i] for i in current) + lengths[index]"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Some batches are too large once they are padded. You added up the lengths, but each sequence is padded to "
    "the longest. How large is a padded batch?",
    hint="Some of your batches are too large once they are padded: you compare the sum of the lengths with "
    "`max_tokens`. The padded size is the number of sequences times the longest length.",
)

mistake(
    "training.bucket_batches",
    "number-of-sequences",
    edit("(len(current) + 1) * lengths[index]", "len(current) + 1"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Batches hold up to `max_tokens` sequences. You compared their number with a limit on tokens. How large is a "
    "padded batch?",
    hint="Your batches hold up to `max_tokens` sequences: the limit is on tokens, padding included.",
)

mistake(
    "training.bucket_batches",
    "newcomer-not-counted",
    edit("len(current) + 1", "len(current)"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Your batches have one sequence too many. You computed the size without the one that is about to join. Which "
    "sequences should count?",
    hint="Your batches have one sequence too many: count the one that is about to join.",
)

mistake(
    "training.bucket_batches",
    "longest-before-the-newcomer",
    edit("lengths[index]", "lengths[current[-1]]"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Some batches are too large. You used the longest sequence so far, but the one that joins may be longer. "
    "Which lengths should the maximum include?",
    hint="Some of your batches are too large: the sequence that joins may be the longest. Include its length in the "
    "maximum.",
)

mistake(
    "training.bucket_batches",
    "length-of-first",
    edit("lengths[index]", "lengths[current[0]]"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Some batches are too large. You used the first sequence of a batch, which is the shortest. Which one "
    "decides how wide a batch is?",
    hint="Some of your batches are too large: you use the first sequence of a batch, but the longest one sets its "
    "width.",
)

mistake(
    "training.bucket_batches",
    "pays-for-the-shortest",
    edit(
        "room = max_tokens // max(lengths[order[start]], 1)",
        """
        room = 1
        while start + room < len(order) and (room + 1) * lengths[order[start + room]] <= max_tokens:
            room += 1
        """,
    ),
    base="longest-first",
    section="padded-size",
    why="Some batches exceed `max_tokens` once they are padded. You went from the longest sequence to the shortest, and "
    "multiplied the count by the length of the newest one. To which length is every sequence of the batch padded?",
    hint="Some of your batches are too large once they are padded. Going from long to short, the first sequence of a "
    "batch sets the length of all.",
)

mistake(
    "training.bucket_batches",
    "mean-length",
    edit("(len(current) + 1) * lengths[index]", "(len(current) + 1) * sum(lengths[i] for i in current) / len(current)"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Some batches are too large. You used the mean length. To which length does padding fill up?",
    hint="Some of your batches are too large: a batch is as wide as its longest sequence, not as the mean.",
)

mistake(
    "training.bucket_batches",
    "unsorted-newcomer-only",
    edit("sorted(range(len(lengths)), key=lambda i: lengths[i])", "range(len(lengths))"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Some batches are too large. You took the sequences unsorted and looked only at the one that joins. Which "
    "sequence of a batch decides how wide it is?",
    hint="Some of your batches are too large: without sorting, the sequence that joins need not be the longest. Keep "
    "the maximum of the batch.",
)

mistake(
    "training.bucket_batches",
    "may-exceed-by-one",
    edit("(len(current) + 1) * lengths[index] > max_tokens", "(len(current) + 1) * lengths[index] > max_tokens + 1"),
    base="one-list-at-a-time",
    section="padded-size",
    why="Batches hold up to one token more than `max_tokens`. You allow one too many in the comparison. What is the "
    "largest size that is allowed?",
    hint="Your batches may hold one token more than `max_tokens`: compare with `max_tokens` itself.",
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
    why="Batches are too large by their last sequence. You close a batch only after a sequence that does not fit has "
    "joined. When should you test whether it fits?",
    hint="Your batches are closed one sequence too late: test whether a sequence fits before it joins.",
)

mistake(
    "training.bucket_batches",
    "last-batch-dropped",
    edit("if current:\n    batches.append(current)", ""),
    base="one-list-at-a-time",
    section="bucketing",
    why="The longest sequences are missing. You never made a batch of what was left at the end. What should happen "
    "after the loop?",
    hint="Your last batch is missing: after the loop, the sequences that are left make one more.",
)

mistake(
    "training.bucket_batches",
    "last-batch-dropped-unless-full",
    edit("if current:", "if current and 2 * len(current) * max(lengths[i] for i in current) > max_tokens:"),
    base="one-list-at-a-time",
    section="bucketing",
    why="Sequences are missing. You keep the last batch only when it is large enough. Which sequences belong in a "
    "batch?",
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
    why="Sequences are missing. When a batch was full, you closed it and lost the sequence that no longer fitted. "
    "Which batch should it begin?",
    hint="Sequences are missing: the one that no longer fits has to begin the next batch.",
)

mistake(
    "training.bucket_batches",
    "newcomer-twice",
    edit("batches.append(current)\ncurrent = []", "batches.append([*current, index])\ncurrent = []"),
    base="one-list-at-a-time",
    section="bucketing",
    why="Some indices occur twice, and batches are too large. You put the sequence that no longer fits into both "
    "batches. In which one does it belong?",
    hint="Some indices occur twice: the sequence that begins a new batch must not be in the old one.",
)

mistake(
    "training.bucket_batches",
    "first-batch-empty",
    edit("batches = []", "batches = [[]]"),
    base="one-list-at-a-time",
    section="bucketing",
    why="Your first batch is empty, and its mean loss would be 0/0. You closed a batch before any sequence had "
    "joined. When may a batch be closed?",
    hint="One of your batches is empty: close a batch only if it holds a sequence.",
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
    why="Your last batch may be empty, and its mean loss would be 0/0. You always add what is left at the end. When "
    "may it be added?",
    hint="One of your batches is empty: add the last one only if it holds a sequence.",
)

mistake(
    "training.bucket_batches",
    "one-list-for-all",
    edit("batches.append(current)\ncurrent = []", "batches.append(current)\ncurrent.clear()"),
    base="one-list-at-a-time",
    section="bucketing",
    why="All batches are the same list. You emptied it after adding it, which also empties what you added. How do "
    "you begin a new list?",
    hint="Your batches are all the same: `clear()` also empties the list that you have just added. Begin a new list.",
)

mistake(
    "training.bucket_batches",
    "lengths-in-place-of-positions",
    edit("current.append(index)", "current.append(lengths[index])"),
    base="one-list-at-a-time",
    section="bucketing",
    why="Your batches hold lengths, which do not say which sequences are meant. You added the length instead of the "
    "index. Which number identifies a sequence?",
    hint="Your batches hold the lengths. Give the index of each sequence in `lengths`.",
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
    why="Your batches name other sequences than those that were measured. You used indices into the sorted list. What "
    "should be sorted: lengths or indices?",
    hint="Your batches fit the sorted lengths and not `lengths`: sort the indices by length, so that each index keeps "
    "its sequence.",
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
    why="Of equally long sequences only the first appears, several times. You looked each index up by its length. What "
    "should be sorted: lengths or indices?",
    hint="Of sequences of the same length only the first is in your batches, several times: `index` finds the first. "
    "Sort indices, not lengths.",
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
    why="Of equally long sequences only one appears. You stored indices in a dictionary by length, where they "
    "overwrite each other. What should be sorted: lengths or indices?",
    hint="Of sequences of the same length only one is in your batches: a dictionary has room for one of them. Sort "
    "indices.",
)

mistake(
    "training.bucket_batches",
    "positions-from-one",
    edit("current.append(index)", "current.append(index + 1)"),
    base="one-list-at-a-time",
    section="bucketing",
    why="Your indices are one too large, and the last does not exist. You counted from 1. From which number do indices "
    "count in Python?",
    hint="Your indices begin at 1, but `lengths` is indexed from 0.",
)

mistake(
    "training.bucket_batches",
    "first-sequence-forgotten",
    edit("range(len(lengths))", "range(1, len(lengths))"),
    base="one-list-at-a-time",
    section="bucketing",
    why="Index 0 is in no batch. You start the range at 1. From which number do indices count in Python?",
    hint="Index 0 is in none of your batches. Start your range at 0.",
)

mistake(
    "training.bucket_batches",
    "generator-of-batches",
    edit("return batches", "yield from batches"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The caller expects a list with a length and gets a generator. You yield the batches one by one. What should "
    "be returned?",
    hint="Your function yields batches: gather the batches in a list and return it.",
)

mistake(
    "training.bucket_batches",
    "flat-list",
    edit("return batches", "return [index for batch in batches for index in batch]"),
    base="one-list-at-a-time",
    section="bucketing",
    why="The result does not show where a batch ends. You returned one flat list of indices. What should each element "
    "of the result be?",
    hint="You return one list of indices: return a list of lists, one for each batch.",
)

mistake(
    "training.bucket_batches",
    "batches-as-tensors",
    edit("return batches", "return [torch.tensor(batch) for batch in batches]"),
    base="one-list-at-a-time",
    section="bucketing",
    why="Your batches are tensors, whose entries are tensors too and not Python integers. You converted the lists. "
    "Which type does the task ask for?",
    hint="Your batches are tensors: leave them as lists of Python integers.",
)

mistake(
    "training.bucket_batches",
    "lengths-sorted-in-place",
    edit("if shuffle_generator is not None:", "lengths.sort()\nif shuffle_generator is not None:"),
    edit("sorted(range(len(lengths)), key=lambda i: lengths[i])", "order"),
    edit("batches = []", "order = sorted(range(len(lengths)), key=lambda i: lengths[i])\nbatches = []"),
    base="one-list-at-a-time",
    section="bucketing",
    why="After the call, the caller's `lengths` are sorted. You sorted the list in place. Which function returns a "
    "new list?",
    hint="After the call `lengths` is sorted: `sort()` changes the list. Use `sorted`, on the indices.",
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
    why="After the call, the caller's `lengths` have changed. You marked sequences in the list. Where can you keep "
    "your own notes?",
    hint="After the call `lengths` has changed: keep your own notes elsewhere.",
)

mistake(
    "training.bucket_batches",
    "full-batch-refused",
    edit("max(lengths, default=0) > max_tokens", "max(lengths, default=0) >= max_tokens"),
    base="one-list-at-a-time",
    section="padded-size",
    why="A sequence of exactly `max_tokens` tokens is refused, although it fits alone. You also reject equality in the "
    "comparison. Which lengths are too long?",
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
    why="A sequence longer than `max_tokens` gets a batch above the limit, which memory may not hold. You did not "
    "check the lengths. How should the function react instead?",
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
    why="A sequence longer than `max_tokens` disappears, and the caller does not notice. You skipped it. How should "
    "the function react instead?",
    hint="A sequence longer than `max_tokens` disappears without an error. Raise ValueError.",
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
    why="A sequence longer than `max_tokens` is counted as if it were shorter. You shortened its length, but the "
    "sequence itself stays long. How should the function react instead?",
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
    why="A sequence that is too long raises AssertionError, and no error at all under `python -O`. You checked with "
    "`assert`. Which error does the course use for wrong arguments?",
    hint="For a sequence longer than `max_tokens` you raise AssertionError: raise ValueError instead.",
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
    why="A sequence that is too long raises RuntimeError. You chose this error, although the value of an argument is "
    "wrong. Which error does the course use for that?",
    hint="For a sequence longer than `max_tokens` you raise RuntimeError: raise ValueError instead.",
)

mistake(
    "training.bucket_batches",
    "only-the-first-tested",
    edit("max(lengths, default=0) > max_tokens", "lengths and lengths[0] > max_tokens"),
    base="one-list-at-a-time",
    section="padded-size",
    why="A sequence that is too long raises an error only when it is the first in the list. You tested no other "
    "sequence. Which lengths should be tested?",
    hint="A sequence that is too long raises an error only when it is the first in the list: test all lengths.",
)

mistake(
    "training.bucket_batches",
    "only-the-last-tested",
    edit("max(lengths, default=0) > max_tokens", "lengths and lengths[-1] > max_tokens"),
    base="one-list-at-a-time",
    section="padded-size",
    why="A sequence that is too long raises an error only when it is the last in the list. You tested as if the list "
    "were sorted. Which lengths should be tested?",
    hint="A sequence that is too long raises an error only when it is the last in the list: test all lengths.",
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
    why="Every epoch goes from short to long sequences. You did not use the generator. What should it do with the "
    "list of batches?",
    hint="With a generator your batches come in the same order as without: shuffle them.",
)

mistake(
    "training.bucket_batches",
    "shuffled-without-generator",
    edit("torch.randperm(len(batches), generator=shuffle_generator)", "torch.randperm(len(batches))"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The same seed gives another order, so a run cannot be repeated. You shuffled without the generator. Which "
    "call needs it?",
    hint="The same seed gives another order: pass `shuffle_generator` to `torch.randperm`.",
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
    why="Without a generator, the order changes each time, although a validation set needs a fixed one. You always "
    "shuffle. When should you shuffle?",
    hint="Without a generator your batches come in another order each time. Shuffle only if there is one.",
)

mistake(
    "training.bucket_batches",
    "shuffled-by-python",
    edit("order = torch.randperm(len(batches), generator=shuffle_generator).tolist()", ""),
    edit("batches = [batches[i] for i in order]", "random.shuffle(batches)"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="The same seed gives another order. You shuffled with Python's own random numbers. Which generator should "
    "decide?",
    hint="The same seed gives another order: `random.shuffle` does not use `shuffle_generator`. Draw with "
    "`torch.randperm`.",
)

mistake(
    "training.bucket_batches",
    "shuffled-by-the-count",
    edit("generator=shuffle_generator", "generator=torch.Generator().manual_seed(0)"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="Every generator gives the same order. You made a new one with a fixed seed. Which generator should decide?",
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
    why="With a generator, some batches are too large. You shuffled indices across batches after the batches had been "
    "measured. What may be shuffled without changing a batch?",
    hint="With a generator some of your batches are too large: you exchange their sequences after measuring them. "
    "Shuffle whole batches.",
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
    why="With a generator, some batches come twice and others never. You drew their order with repetition. Which "
    "function draws a permutation?",
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
    why="With a generator, some batches are too large. You shuffled the indices and measured them by the lengths of "
    "the old order. What has to stay together when indices are shuffled?",
    hint="With a generator some of your batches are too large: the indices are in a new order, but the lengths in the "
    "old one. Shuffle whole batches instead.",
)

mistake(
    "training.bucket_batches",
    "last-batch-lost-in-shuffle",
    edit("len(batches)", "len(batches) - 1"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="With a generator, a batch is missing. You drew the order for one batch too few. How many batches are there?",
    hint="With a generator a batch is missing: draw the order of all of them.",
)

mistake(
    "training.bucket_batches",
    "shuffled-order-returned",
    edit("batches[i]", "[i]"),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="With a generator, you return indices of batches instead of batches. You returned the order itself. What "
    "should the order be applied to?",
    hint="With a generator you return the order itself. Return the batches in that order.",
)

mistake(
    "training.bucket_batches",
    "generator-required",
    edit("shuffle_generator is not None", "True"),
    edit("order = torch.randperm(", "shuffle_generator.get_state()\norder = torch.randperm("),
    base="one-list-at-a-time",
    section="bucket-shuffle",
    why="Called without a generator, your function fails. You call its methods without a test for None. What does None "
    "mean here?",
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
    why="With a generator, batches come in the order of their lengths. You shuffled the sequences within each batch, "
    "which leaves the order of the batches as it was. What should be shuffled?",
    hint="With a generator your batches keep their order, and only the sequences within each are shuffled. Shuffle the "
    "list of batches.",
)

mistake(
    "training.bucket_batches",
    "closed-after-overflow-variant-2",
    edit("current.append(index)", ""),
    edit(
        "if current and (len(current) + 1) * lengths[index] > max_tokens",
        "current.append(index)\nif len(current) * lengths[index] >= max_tokens",
    ),
    base="one-list-at-a-time",
    section="padded-size",
    why="Some of your batches are too large. You let a sequence join and only then tested whether the batch was full. "
    "When must the size be tested?",
    hint="Some of your batches are too large, since you test the size after a sequence has joined. Test it before.",
)

# ---------------------------------------------------------------------------------------------------------------------
# run_epoch


mistake(
    "training.run_epoch",
    "no-evaluation-mode",
    edit("model.train(training)", "if training:\n    model.train()"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="Evaluation results are random. You left the model in training mode, with dropout. Which mode does evaluation "
    "need?",
    hint="Without an optimiser your model runs in training mode, with dropout. Put it into evaluation mode first.",
)

mistake(
    "training.run_epoch",
    "always-training-mode",
    edit("model.train(training)", "model.train()"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="Evaluation results are random. You always put the model into training mode. What does a missing optimiser "
    "mean?",
    hint="You put the model into training mode even to evaluate it. Choose evaluation mode when there is no optimiser.",
)

mistake(
    "training.run_epoch",
    "only-the-top-in-evaluation-mode",
    edit("model.train(training)", "model.training = training"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="Evaluation results are random. You set a flag of the model, but its parts have flags of their own. Which "
    "methods change the mode of all parts?",
    hint="You set `model.training`, which does not reach the parts of the model. Call the methods `train` or `eval`, "
    "which reach them all.",
)

mistake(
    "training.run_epoch",
    "gradients-while-evaluating",
    edit("torch.set_grad_enabled(training)", "torch.enable_grad()"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="Evaluation needs far too much memory. You leave gradients on, so a graph is recorded for a backward pass that "
    "never comes. What switches recording off for a while?",
    hint="While evaluating, gradients are enabled: run the model under `torch.no_grad()`.",
)

mistake(
    "training.run_epoch",
    "backward-while-evaluating",
    edit("torch.set_grad_enabled(training)", "torch.enable_grad()"),
    edit("if training:\n    (loss / max(tokens, 1)).backward()", "if True:\n    (loss / max(tokens, 1)).backward()"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="After an evaluation the parameters hold gradients, which another loop may add to its own. You made a backward "
    "pass without an optimiser. When is one needed?",
    hint="After an evaluation the parameters hold gradients. Make the backward pass only with an optimiser.",
)

mistake(
    "training.run_epoch",
    "gradients-off-for-good",
    edit("batches = iter(batches)", "batches = iter(batches)\ntorch.set_grad_enabled(training)"),
    edit("with torch.set_grad_enabled(training):", "if True:"),
    base="one-loop-for-training-and-evaluation",
    section="evaluating",
    why="After an evaluation nothing in the program records gradients any more. You switched recording off and never "
    "on again. Which form of this switch restores the earlier state?",
    hint="After an evaluation nothing records gradients any more. Put `torch.no_grad()` or "
    "`torch.set_grad_enabled(...)` into a `with` statement, which restores the earlier state.",
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
    why="After an evaluation the parameters no longer require gradients, and the next training unfreezes those that "
    "were frozen on purpose. You changed `requires_grad`. What switches recording off without touching parameters?",
    hint="After an evaluation your model's parameters no longer require gradients. Leave `requires_grad` alone, and "
    "evaluate under `torch.no_grad()`.",
)

mistake(
    "training.run_epoch",
    "steps-while-evaluating",
    edit("steps += 1", ""),
    edit("total_tokens += tokens", "total_tokens += tokens\nsteps += 1"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="You report steps for an evaluation. You counted groups of batches. Whose steps should be counted?",
    hint="Without an optimiser you report steps. Count only those of the optimiser, so that an evaluation has 0.",
)

mistake(
    "training.run_epoch",
    "evaluation-mode-while-training",
    edit("model.train(training)", "if not training:\n    model.eval()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="After an evaluation, training goes on without dropout. You never put the model into training mode. When "
    "should you do so?",
    hint="You train in whatever mode the model was in, which is evaluation mode after an evaluation. Put it into "
    "training mode first.",
)

mistake(
    "training.run_epoch",
    "modes-exchanged",
    edit("model.train(training)", "model.train(not training)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Dropout is off in training and on in evaluation. You exchanged the modes. What does True mean for "
    "`model.train`?",
    hint="You exchanged the two modes: `model.train(...)` takes True for training.",
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
    why="A small batch counts as much as a large one. You averaged the means of the batches. Which two numbers "
    "should be added up over the epoch?",
    hint="Your loss is the mean of the batches' means. Add up losses and tokens, and divide once, at the end.",
)

mistake(
    "training.run_epoch",
    "sum-of-losses",
    edit("total_loss / max(total_tokens, 1)", "total_loss"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Your loss grows with the number of tokens. You returned the sum. By what should it be divided?",
    hint="Your loss is a sum: divide it by the number of tokens.",
)

mistake(
    "training.run_epoch",
    "sum-of-batch-means",
    edit("loss.item()", "loss.item() / batch.ntokens"),
    edit("total_loss / max(total_tokens, 1)", "total_loss"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Your loss grows with the number of batches. You added up the means of the batches. Which two numbers should "
    "be added up over the epoch?",
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
    why="Your loss depends on the size of the batches. You divided by their number. By what should the sum be divided?",
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
    why="A long sequence counts more than a short one. You divided by the number of sequences. By what should the "
    "sum be divided?",
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
    why="Your loss shrinks with more padding. You divided by all positions. Which attribute of a batch leaves the "
    "padding out?",
    hint="Your loss is divided by padding too: divide by `ntokens`.",
)

mistake(
    "training.run_epoch",
    "loss-of-the-last-batch",
    edit("total_loss += loss.item()", "total_loss = loss.item() / batch.ntokens"),
    edit("total_loss / max(total_tokens, 1)", "total_loss"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Your loss says little about the epoch: it is that of the last batch. You overwrote it each time. What "
    "should happen to the losses of all batches?",
    hint="Your loss is that of the last batch: add up the losses of all batches.",
)

mistake(
    "training.run_epoch",
    "loss-of-the-last-over-all",
    edit("total_loss += loss.item()", "total_loss = loss.item()"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Your loss shrinks with the number of batches. You overwrote the sum with each batch and divided by all "
    "tokens. What should happen to the losses of all batches?",
    hint="Your loss is that of the last batch, divided by all tokens: add up the losses of all batches.",
)

mistake(
    "training.run_epoch",
    "loss-divided-twice",
    edit("loss.item()", "loss.item() / batch.ntokens"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Your loss is far too small. You divided each loss by its tokens and their sum by all tokens. How often "
    "should you divide?",
    hint="Your loss is far too small: you divide by tokens twice. Add up the sums that `loss_fn` returns.",
)

mistake(
    "training.run_epoch",
    "loss-is-a-tensor",
    edit("total_loss += loss.item()", "total_loss = total_loss + loss"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="The graphs of a whole epoch stay in memory. You added up tensors that belong to a graph. Which method takes "
    "a plain number out of a tensor?",
    hint="`loss` of your result is a tensor that belongs to a graph: add up plain numbers, taken with `.item()`.",
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
    why="Your training loss is too good. You measured it after each step, on a batch that the model had just seen. "
    "Which loss was the step made with?",
    hint="Your training loss is measured after each step, on the batch that was just learned. Add up the loss from "
    "which the step was made.",
)

mistake(
    "training.run_epoch",
    "no-batches-divides-by-zero",
    edit("max(total_tokens, 1)", "total_tokens"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="An empty test set ends in a division by zero. You divided by the number of tokens, which is 0 without "
    "batches. What should the loss be then?",
    hint="Without batches your function divides by zero. Return a loss of 0.0 in this case.",
)

mistake(
    "training.run_epoch",
    "no-batches-gives-nan",
    edit("total_loss / max(total_tokens, 1)", 'total_loss / total_tokens if total_tokens else float("nan")'),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Without batches your loss is NaN. You returned it for an empty epoch. What does the task ask for instead?",
    hint="Without batches your loss is NaN: it should be 0.0.",
)

mistake(
    "training.run_epoch",
    "no-batches-gives-none",
    edit("total_loss / max(total_tokens, 1)", "total_loss / total_tokens if total_tokens else None"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Without batches your loss is None, which cannot be printed or compared like a number. You returned it for "
    "an empty epoch. What does the task ask for instead?",
    hint="Without batches your loss is None: it should be 0.0.",
)

mistake(
    "training.run_epoch",
    "tokens-with-padding",
    edit("total_tokens += tokens", "total_tokens += sum(batch.tgt_y.numel() for batch in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Loss and speed depend on how far batches were padded. You counted padding among the tokens. Which attribute "
    "of a batch leaves it out?",
    hint="`tokens` counts padding: add up `batch.ntokens`.",
)

mistake(
    "training.run_epoch",
    "tokens-of-the-source",
    edit("total_tokens += tokens", "total_tokens += sum(int(batch.src_mask.sum()) for batch in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Your tokens are those of the source. You counted them, although the loss is a sum over the target. Which "
    "attribute of a batch counts what is predicted?",
    hint="`tokens` counts the source: add up `batch.ntokens`.",
)

mistake(
    "training.run_epoch",
    "tokens-that-are-read",
    edit("total_tokens += tokens", "total_tokens += sum(int((batch.tgt != 0).sum()) for batch in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Your tokens include BOS. You counted what the decoder reads. Which attribute of a batch counts what is "
    "predicted?",
    hint="`tokens` counts the ids of `tgt`, which are read: add up `batch.ntokens`, the ids to predict.",
)

mistake(
    "training.run_epoch",
    "tokens-of-the-last-step",
    edit("total_tokens, time.perf_counter() - start", "tokens if total_tokens else 0, time.perf_counter() - start"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Your tokens are those of the last step. You returned its count, but the result describes the whole epoch. "
    "What should happen to the counts of all steps?",
    hint="`tokens` is that of the last step: add up the tokens of the whole epoch.",
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
    why="Your tokens are a number of sequences, which is no measure of work when lengths differ. You counted the "
    "wrong unit. Which attribute of a batch counts what is predicted?",
    hint="`tokens` of your result is the number of sequences: add up `batch.ntokens`.",
)

mistake(
    "training.run_epoch",
    "steps-are-batches",
    edit("steps += 1", "steps += len(group)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="With `accumulate` your result has too many steps. You counted batches. Whose steps should be counted?",
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
    why="Callers cannot read `result.loss`. You returned a plain tuple. Which class gives the fields their names?",
    hint="You return a plain tuple: return an `EpochResult`, so that `result.loss` works.",
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
    why="`result.tokens` is the number of steps. You exchanged two fields. In which order does `EpochResult` take "
    "them?",
    hint="`tokens` and `steps` of your result are exchanged: the order is loss, tokens, seconds, steps.",
)

mistake(
    "training.run_epoch",
    "seconds-are-the-clock",
    edit("time.perf_counter() - start", "time.time()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="`seconds` is a time of day. You returned the clock instead of a duration. What should be subtracted from it?",
    hint="`seconds` is a time of day: subtract the time at the start.",
)

mistake(
    "training.run_epoch",
    "seconds-are-milliseconds",
    edit("time.perf_counter() - start", "1000 * (time.perf_counter() - start)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="`seconds` is a thousand times too large. You measured in milliseconds. Which unit does the name of the field "
    "mean?",
    hint="`seconds` is a thousand times too large. Leave the time in the unit that the clock gives.",
)

mistake(
    "training.run_epoch",
    "seconds-zero",
    edit("time.perf_counter() - start", "0.0"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="`seconds` is always 0, so the speed of training cannot be computed. You measured nothing. At which two "
    "moments should you read the clock?",
    hint="`seconds` is always 0: subtract the time at the start from the time at the end.",
)

mistake(
    "training.run_epoch",
    "seconds-negative",
    edit("time.perf_counter() - start", "start - time.perf_counter()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="`seconds` is negative. You subtracted the end from the start. Which of the two is larger?",
    hint="`seconds` is negative: subtract the start from the end.",
)

mistake(
    "training.run_epoch",
    "seconds-per-batch",
    edit("hidden = model(", "start = time.perf_counter()\nhidden = model("),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="`seconds` covers only the last batch. You restarted the clock for each batch. When should it be started?",
    hint="`seconds` is the time of the last batch: start the clock once, before the loop.",
)

mistake(
    "training.run_epoch",
    "generator-forgotten",
    edit("model.generator(hidden)", "hidden"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="`loss_fn` receives vectors of the model's width. You left out a part of the model. Which part turns them into "
    "log-probabilities?",
    hint="`loss_fn` gets vectors of the model's width: `model.generator` turns them into log-probabilities first.",
)

mistake(
    "training.run_epoch",
    "probabilities-to-the-loss",
    edit("model.generator(hidden)", "model.generator(hidden).exp()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Your loss is below 0. You passed `loss_fn` probabilities, and it takes no logarithm itself. What does the "
    "generator return?",
    hint="`loss_fn` gets probabilities. Pass it the log-probabilities that `model.generator` returns.",
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
    why="Your model translates in the wrong direction. You exchanged source and target. In which order does the "
    "model take its four arguments?",
    hint="The model gets the target as source: the order is src, tgt, src_mask, tgt_mask.",
)

mistake(
    "training.run_epoch",
    "masks-exchanged",
    edit("batch.src_mask, batch.tgt_mask", "batch.tgt_mask, batch.src_mask"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The source is masked like a target, and the target may look ahead. You exchanged the two masks. In which "
    "order does the model take its four arguments?",
    hint="The model gets the target's mask for the source: the order is src, tgt, src_mask, tgt_mask.",
)

mistake(
    "training.run_epoch",
    "target-mask-not-passed",
    edit("model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", "model(batch.src, batch.tgt, batch.src_mask)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Some models look ahead in your loop. You passed no target mask and relied on a default. Which four tensors "
    "of a batch does a model need?",
    hint="The model gets no `tgt_mask`: pass it all four tensors.",
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
    why="Each position sees what it has to predict. You passed the answers to the decoder. Which of the two targets "
    "should it read?",
    hint="Your decoder reads `tgt_y`, the answers. It should read `tgt`.",
)

mistake(
    "training.run_epoch",
    "loss-against-the-input",
    edit("batch.tgt_y.flatten", "batch.tgt.flatten"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The model learns to repeat what it reads. You compared the predictions with the decoder's input. Which of "
    "the two targets holds the answers?",
    hint="Your loss compares with `tgt`, which the decoder has just read: compare with `tgt_y`.",
)

mistake(
    "training.run_epoch",
    "loss-against-the-source",
    edit("batch.tgt_y.flatten", "batch.src[:, 1:].flatten"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The model learns to copy the source. You compared the predictions with it. With what is a translation "
    "compared?",
    hint="Your loss compares with the source: compare with `tgt_y`.",
)

mistake(
    "training.run_epoch",
    "loss-not-flattened",
    edit("log_probs.flatten(0, 1), batch.tgt_y.flatten()", "log_probs, batch.tgt_y"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="`loss_fn` fails or returns a wrong number. You passed tensors with three and two axes, and it expects rows "
    "of log-probabilities with one target each. Which axes should become one?",
    hint="`loss_fn` takes (N, V) and (N,): flatten batch and time into one axis.",
)

mistake(
    "training.run_epoch",
    "targets-viewed",
    edit("batch.tgt_y.flatten()", "batch.tgt_y.view(-1)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Your code fails for more than one sequence. You used `view`, which cannot flatten a slice such as the "
    "targets. Which method copies when it must?",
    hint="`tgt_y.view(-1)` fails for more than one sequence, since `tgt_y` is a slice: use `flatten()` or "
    "`reshape(-1)`.",
)

mistake(
    "training.run_epoch",
    "targets-transposed",
    edit("batch.tgt_y.flatten", "batch.tgt_y.t().flatten"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Each row is compared with another position's answer. You flattened the targets in another order than the "
    "log-probabilities. Which axis must come first in both?",
    hint="Your rows and targets do not match, since you transpose the targets before flattening them. Flatten both in "
    "the same order.",
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
    why="Your function fails for batches from a generator. You called `len`, and a generator has no length. When can "
    "you count the batches?",
    hint="Your function fails for batches from a generator, which has no `len`. Count batches as you read them.",
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
    why="The second time you go through the batches, there are none. You read them twice, but a generator can be read "
    "only once. When can you count tokens?",
    hint="The second time you go through the batches there are none, since a generator can be read only once. Count "
    "tokens as you read the batches.",
)

mistake(
    "training.run_epoch",
    "first-batch-skipped",
    edit("batches = iter(batches)", "batches = iter(batches)\nnext(batches, None)"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Your epoch lacks its first batch. You took it out of the iterator and the loop does not see it again. What "
    "should happen to a batch that was taken out?",
    hint="Your epoch lacks the first batch: `next` has taken it out of the iterator. Use it, or leave `next` out.",
)

mistake(
    "training.run_epoch",
    "gradient-of-the-sum",
    edit("loss / max(tokens, 1)", "loss"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Your steps are far too long, and longer for larger batches. You start the backward pass from the sum of the "
    "losses. By what should this sum be divided first?",
    hint="Your gradients are multiplied by the number of tokens: divide the loss by that number before the backward "
    "pass.",
)

mistake(
    "training.run_epoch",
    "gradient-per-sequence",
    edit("max(tokens, 1)", "sum(len(one.src) for one in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Long sequences count more, and steps grow with their length. You divided by the number of sequences before "
    "the backward pass. By what should the loss be divided?",
    hint="Your gradients are per sequence: divide by the number of tokens.",
)

mistake(
    "training.run_epoch",
    "gradient-per-position",
    edit("max(tokens, 1)", "sum(one.tgt_y.numel() for one in group)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="Steps become smaller with more padding. You divided by all positions before the backward pass. Which "
    "attribute of a batch leaves the padding out?",
    hint="Your gradients depend on the padding: divide by `ntokens`, which leaves it out.",
)

mistake(
    "training.run_epoch",
    "gradients-never-cleared",
    edit("optimizer.zero_grad()", "pass"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Each step contains the gradients of all steps before it. You never cleared the gradients. When should they be "
    "cleared?",
    hint="Your gradients add up from step to step: clear them before the batches of each step.",
)

mistake(
    "training.run_epoch",
    "cleared-before-the-step",
    edit("optimizer.zero_grad()", "pass"),
    edit("optimizer.step()", "optimizer.zero_grad()\noptimizer.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="The model never changes. You cleared the gradients between the backward pass and the step. When should they "
    "be cleared?",
    hint="Your steps have no gradients: `zero_grad` comes before the backward passes, not between them and the step.",
)

mistake(
    "training.run_epoch",
    "left-over-gradients-count",
    edit("optimizer.zero_grad()", "pass"),
    edit("optimizer.step()", "optimizer.step()\noptimizer.zero_grad()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Gradients from before the epoch count in your first step. You cleared them only after each step. When "
    "should they be cleared for the first time?",
    hint="Gradients from before the epoch count in your first step: clear them before that step, too.",
)

mistake(
    "training.run_epoch",
    "left-over-gradients-count-variant-2",
    edit("model.train()\noptimizer.zero_grad()", "model.train()"),
    base="gradients-divided-before-the-step",
    section="epoch-order",
    why="Gradients from before the epoch count in your first step. You cleared them only after each step. When "
    "should they be cleared for the first time?",
    hint="Gradients from before the epoch count in your first step: clear them before that step, too.",
)

mistake(
    "training.run_epoch",
    "cleared-once-per-epoch",
    edit("if training:\n    optimizer.zero_grad()", ""),
    edit("batches = iter(batches)", "batches = iter(batches)\nif training:\n    optimizer.zero_grad()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Your first step is right, but the others contain older gradients. You cleared the gradients once per epoch. "
    "How often should they be cleared?",
    hint="Your first step is right, but the others contain older gradients. Clear the gradients for each step.",
)

mistake(
    "training.run_epoch",
    "no-step",
    edit("optimizer.step()", "pass"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Gradients are computed, but the model never changes. You never call the optimiser's step. When should it "
    "come?",
    hint="Your optimiser makes no step: let it step after the backward passes.",
)

mistake(
    "training.run_epoch",
    "step-before-backward",
    edit("optimizer.zero_grad()", "optimizer.step()\noptimizer.zero_grad()\nsteps += 1"),
    edit("optimizer.step()\nsteps += 1", ""),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Each step uses the gradients of the step before. You stepped before the backward passes. Which of the two "
    "comes first?",
    hint="Each of your steps uses the gradients of the step before. Make the backward passes first, then the step.",
)

mistake(
    "training.run_epoch",
    "gradients-clipped",
    edit("optimizer.step()", "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\noptimizer.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-order",
    why="Large gradients are scaled down, so your steps differ from those of the task. You clipped the gradients. "
    "Which gradients should the step use?",
    hint="Your function scales large gradients down. Use the gradient as it is, without clipping.",
)

mistake(
    "training.run_epoch",
    "accumulate-ignored",
    edit("itertools.islice(batches, accumulate)", "itertools.islice(batches, 1)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="`accumulate` has no effect, and each batch makes a step. You ignored the argument. How many batches should "
    "one step wait for?",
    hint="With `accumulate=3` you still make a step for each batch: gather the gradients of three first.",
)

mistake(
    "training.run_epoch",
    "cleared-for-each-batch",
    edit("if training:\n    optimizer.zero_grad()", ""),
    edit("hidden = model(", "if training:\n    optimizer.zero_grad()\nhidden = model("),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="With `accumulate`, only the last batch of a group counts. You cleared the gradients between its batches, or "
    "made a single backward pass. What should happen to the gradients within a group?",
    hint="With `accumulate` only the last batch of each group counts. Make a backward pass for each batch, and do not "
    "clear the gradients between them.",
)

mistake(
    "training.run_epoch",
    "mean-of-means-accumulated",
    edit("loss / max(tokens, 1)", "loss / batch.ntokens / len(group)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="With `accumulate`, a token in a small batch counts more than one in a large batch. You averaged the means "
    "of the batches. By how many tokens should each sum be divided?",
    hint="With `accumulate` your gradient is the mean of the batches' means: divide each sum by the tokens of the "
    "whole group.",
)

mistake(
    "training.run_epoch",
    "not-averaged-over-batches",
    edit("max(tokens, 1)", "batch.ntokens"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="With `accumulate`, your gradients grow with the number of batches in a group. You added up the means of the "
    "batches. By how many tokens should each sum be divided?",
    hint="With `accumulate` your gradients grow with the number of batches in a group: divide each sum by the tokens "
    "of the whole group.",
)

mistake(
    "training.run_epoch",
    "rest-divided-by-k",
    edit("loss / max(tokens, 1)", "loss / batch.ntokens / accumulate"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="With `accumulate=k`, tokens in small batches count too much, and a last group of fewer batches counts too "
    "little. You divided means by k. By how many tokens should each sum be divided?",
    hint="With `accumulate=k` you divide means by k: batches differ in tokens, and at the end there are fewer than k. "
    "Divide each sum by the tokens of the whole group.",
)

mistake(
    "training.run_epoch",
    "divided-by-tokens-and-k",
    edit("loss / max(tokens, 1)", "loss / tokens / len(group)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="With `accumulate`, your gradients are too small. You divided by the number of batches in addition to the "
    "tokens of the group. How often should you divide?",
    hint="With `accumulate` your gradients are also divided by the number of batches. Divide by the tokens of the "
    "group alone.",
)

mistake(
    "training.run_epoch",
    "divided-by-tokens-so-far",
    edit("for batch in group:", "tokens = 0\nfor batch in group:"),
    edit("hidden = model(", "tokens += batch.ntokens\nhidden = model("),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="With `accumulate`, the early batches of a group count too much. You divided by the tokens up to each of "
    "them. Which number of tokens does the whole group share?",
    hint="With `accumulate` the early batches of a group count too much: divide by the tokens of the whole group. You "
    "need to know them beforehand, or to divide the gradients at the end.",
)

mistake(
    "training.run_epoch",
    "divided-by-the-last-batch",
    edit("max(tokens, 1)", "group[-1].ntokens"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="With `accumulate`, your step is far too long when the last batch is small. You divided by its tokens alone. "
    "Which number of tokens does the whole group share?",
    hint="With `accumulate` you divide by the tokens of one batch. Divide by those of the whole group.",
)

mistake(
    "training.run_epoch",
    "divided-by-all-tokens-so-far",
    edit("max(tokens, 1)", "(total_tokens + tokens)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="Your gradients become smaller from step to step. You divided by all tokens since the epoch began. When should "
    "this number start again from 0?",
    hint="Your gradients become smaller from step to step: count the tokens to divide by from 0 in each group.",
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
    why="With `accumulate`, your optimiser steps after each batch, with gradients that are not complete. You did not "
    "wait for the whole group. When is a group complete?",
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
    why="With `accumulate`, your first step comes after a single batch, and what is left at the end makes none. You "
    "stepped at indices divisible by `accumulate`, as published code does. From which number should batches be "
    "counted?",
    hint="With `accumulate=3` your first step comes after one batch: count batches from 1. Let the batches left at the "
    "end make a step too.",
)


@mistake(
    "training.run_epoch",
    "published-accumulation",
    section="accumulation-published",
    why="Your first step comes early, each batch has its own divisor, the schedule runs ahead, and the last batches "
    "make no step. You followed published code. What would one large batch do in each case?",
    hint="With `accumulate` your first step comes after one batch, gradients are sums of means, and the schedule runs "
    "ahead. Compare each of these with one large batch.",
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
    why="The last batches teach nothing when there are fewer than `accumulate`. You left them without a step. What "
    "should happen after the loop?",
    hint="The last batches make no step when they are fewer than `accumulate`. After the loop, let them make one too.",
)

mistake(
    "training.run_epoch",
    "always-a-last-step",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit("if waiting:\n    update()", "if training:\n    waiting_tokens = max(waiting_tokens, 1)\n    update()"),
    base="function-that-steps",
    section="accumulation-rest",
    why="You make one step too many: there are no gradients left, and the schedule moves on. You always step after the "
    "loop. When is this step needed?",
    hint="You make one step more than there are groups. Step after the loop only if batches are left.",
)

mistake(
    "training.run_epoch",
    "rest-not-divided",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit("if waiting:\n    update()", "if waiting:\n    waiting_tokens = 1\n    update()"),
    base="function-that-steps",
    section="accumulation-rest",
    why="Your last step is far too long. You did not divide the gradient of what was left. By how many tokens should "
    "this gradient be divided?",
    hint="The gradient of your last step is a sum: divide it by the tokens of its own batches.",
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
    why="Your last step has the wrong length. You divided the gradient of what was left by the tokens of the group "
    "before. By which tokens should it be divided?",
    hint="The gradient of your last step is divided by the tokens of the group before it. Use the tokens of its own "
    "batches.",
)

mistake(
    "training.run_epoch",
    "one-batch-too-many-in-a-group",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit("waiting == accumulate", "waiting > accumulate"),
    base="function-that-steps",
    section="accumulation",
    why="With `accumulate=3` your groups hold four batches. You closed a group one batch too late. How many batches "
    "does a full group have?",
    hint="With `accumulate=3` your groups hold four batches: close a group as soon as it holds `accumulate` batches.",
)

mistake(
    "training.run_epoch",
    "one-step-per-epoch",
    edit("itertools.islice(batches, accumulate)", "itertools.islice(batches, None)"),
    base="one-loop-for-training-and-evaluation",
    section="accumulation",
    why="You make one step in the whole epoch. You put all batches into a single group. How many batches should one "
    "step wait for?",
    hint="You make one step in the whole epoch. Make one after every `accumulate` batches.",
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
    why="The last batches make a noisy step each. You treated what was left as single batches. How many steps should "
    "these batches make together?",
    hint="The last batches make a step each. Let them make one step together.",
)

mistake(
    "training.run_epoch",
    "scheduler-for-each-batch",
    edit("scheduler.step()", "for _ in group:\n    scheduler.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="With `accumulate=k` your warm-up is over too early. You step the scheduler for each batch. Whose steps does a "
    "schedule count?",
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
    why="The first rate of the schedule is never used. You step the scheduler before the optimiser. Which of the two "
    "comes first?",
    hint="Your first step runs at the second rate of the schedule: the optimiser steps first, then the scheduler.",
)

mistake(
    "training.run_epoch",
    "scheduler-for-each-epoch",
    edit("if scheduler is not None:\n    scheduler.step()", ""),
    edit("return EpochResult(", "if training and scheduler is not None:\n    scheduler.step()\nreturn EpochResult("),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="The rate is the same for the whole epoch, so a warm-up of 4,000 steps takes 4,000 epochs. You step the "
    "scheduler once per epoch. Whose steps does a schedule count?",
    hint="Your rate is the same for the whole epoch: the schedule counts steps of the optimiser, not epochs.",
)

mistake(
    "training.run_epoch",
    "scheduler-ignored",
    edit("if scheduler is not None:\n    scheduler.step()", ""),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="The rate never changes. You never step the scheduler. When should it step?",
    hint="Your rate never changes: step the scheduler after each step of the optimiser.",
)

mistake(
    "training.run_epoch",
    "scheduler-required",
    edit("if scheduler is not None:\n    scheduler.step()", "scheduler.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="Without a scheduler your function fails. You call its method without a test for None. What does None mean "
    "here?",
    hint="Without a scheduler your function raises an error: call its `step` only if there is one.",
)

mistake(
    "training.run_epoch",
    "scheduler-not-for-the-rest",
    edit("max(waiting_tokens, 1)", "waiting_tokens"),
    edit("scheduler is not None", "scheduler is not None and waiting == accumulate"),
    base="function-that-steps",
    section="epoch-schedule",
    why="The last rate of an epoch is used once more in the next. You do not step the scheduler for the batches left "
    "at the end. After which steps of the optimiser should it step?",
    hint="Your scheduler does not step after the last, smaller group. Step it after every step of the optimiser.",
)

mistake(
    "training.run_epoch",
    "scheduler-twice",
    edit("scheduler.step()", "scheduler.step()\nscheduler.step()"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-schedule",
    why="Every second rate is skipped. You step the scheduler twice for each step of the optimiser. How often should "
    "it step?",
    hint="Your schedule runs twice as fast as the steps. Step the scheduler once for each of them.",
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
    why="Each evaluation moves the schedule on. You step the scheduler without an optimiser. Which condition do both "
    "steps share?",
    hint="Your scheduler moves on while the model is only evaluated: its step belongs after that of the optimiser, "
    "under the same condition.",
)

mistake(
    "training.run_epoch",
    "list-begun-again",
    edit("batches = iter(batches)", ""),
    base="one-loop-for-training-and-evaluation",
    section="accumulation-rest",
    why="Your epoch never ends when the batches are a list. `islice` begins at the start of a list each time. Which "
    "object remembers how far you have read?",
    hint="Your epoch never ends if the batches are a list: each `islice` of a list begins at its start. Make one "
    "iterator of them before the loop.",
)

mistake(
    "training.run_epoch",
    "steps-not-counted",
    edit("steps += 1", ""),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Your result always says 0 steps. You made the steps but did not count them. Where should the count be raised?",
    hint="`steps` of your result is 0 after training: count each step of the optimiser.",
)

mistake(
    "training.run_epoch",
    "one-step-counted",
    edit("steps += 1", "steps = 1"),
    base="one-loop-for-training-and-evaluation",
    section="epoch-result",
    why="Your result says 1 step, however many were made. You set the count instead of raising it. Which operator adds "
    "to a count?",
    hint="`steps` of your result is 1, however many were made: add 1 for each step.",
)

mistake(
    "training.run_epoch",
    "divided-by-two-tokens-at-least",
    edit("max(tokens, 1)", "max(tokens, 2)"),
    edit("max(total_tokens, 1)", "max(total_tokens, 2)"),
    base="one-loop-for-training-and-evaluation",
    section="loss-per-token",
    why="With a single token, your loss and gradient are half of the right ones. You made every divisor at least 2. "
    "For which number of tokens alone is a guard needed?",
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
    why="With `accumulate=k`, the first step already has the rate of step k. You step the scheduler after every batch. "
    "Whose steps does a schedule count?",
    hint="With `accumulate` your schedule runs ahead: the scheduler takes one step after each step of the optimiser, "
    "not after each batch.",
)

mistake(
    "training.run_epoch",
    "evaluates-as-in-training",
    edit("model.train(training)", "model.train()"),
    edit("torch.set_grad_enabled(training)", "torch.enable_grad()"),
    section="evaluating",
    why="Your evaluation loss is random, and the graph costs memory. Without an optimiser you stay in training mode "
    "and record gradients. Which two settings differ in an evaluation?",
    hint="Without an optimiser, your model stays in training mode and records gradients. Choose evaluation mode and "
    "turn gradients off.",
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
    why="The last word never occurs. You lowered the upper bound. Does `torch.randint` include its upper bound?",
    hint="The last word, `vocab_size - 1`, never occurs: the upper bound of `torch.randint` is exclusive.",
)

mistake(
    "training.copy_task",
    "target-backwards",
    edit("yield Batch(ids, ids)", "target = ids.flip(1)\nids[:, 0] = target[:, 0] = BOS\nyield Batch(ids, target)"),
    edit("ids[:, 0] = BOS\ntarget", "target"),
    section="copy-task-data",
    why="Your target runs backwards. You reversed the words, which is another task. What is the target of the copy "
    "task?",
    hint="Your target runs backwards. In the copy task, target and source are the same.",
)

mistake(
    "training.copy_task",
    "one-tensor-refilled",
    edit(
        "for _ in range(num_batches):",
        "ids = torch.empty(batch_size, length, dtype=torch.long)\nfor _ in range(num_batches):",
    ),
    edit(
        "ids = torch.randint(4, vocab_size, (batch_size, length), generator=generator)",
        "ids.random_(4, vocab_size, generator=generator)",
    ),
    section="copy-task-random",
    why="If a caller keeps your batches, they all show the ids of the last batch. You made one tensor before the loop "
    "and overwrite it for every batch. What happens to an earlier batch when you write new ids into this tensor?",
    hint="Batches that are kept in a list all become equal, because they share one tensor. Make a new one for each "
    "batch.",
)

mistake(
    "training.copy_task",
    "one-tensor-refilled-variant-2",
    edit("for _ in range(num_batches):", "ids = torch.full((batch_size, length), BOS)\nfor _ in range(num_batches):"),
    edit(
        "ids = torch.randint(4, vocab_size, (batch_size, length)",
        "ids[:, 1:] = torch.randint(4, vocab_size, (batch_size, length - 1)",
    ),
    section="copy-task-random",
    why="If a caller keeps your batches, they all show the ids of the last batch. You write every draw into the same "
    "tensor. What happens to an earlier batch when you write new ids into this tensor?",
    hint="Batches that are kept in a list all become equal, because they share one tensor. Make a new one for each "
    "batch.",
)
