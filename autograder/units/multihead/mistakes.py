"""Wrong implementations of the tasks of many heads, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

import math

from torch.nn import functional as F

from autograder.course.catalogue import edit, mistake
from solutions.attention import scaled_dot_product_attention
from solutions.multihead import MultiHeadAttention as RightAttention
from solutions.multihead import ablate_head as right_ablate
from solutions.multihead import merge_heads as right_merge
from solutions.multihead import split_heads as right_split

# ---------------------------------------------------------------------------------------------------------------------
# split_heads


mistake(
    "multihead.split_heads",
    "reshaped-without-transpose",
    edit(
        "x.reshape(b, t, num_heads, d_model // num_heads).transpose(1, 2)",
        "x.reshape(b, num_heads, t, d_model // num_heads)",
    ),
    section="split-and-merge",
    why="The tensor was reshaped to (B, H, T, d_head) in one step. The numbers are then dealt out in the order in "
    "which they lie in memory, so a head gets whole positions of some of the sequence in place of a part of every "
    "position.",
    hint="Your result has the right shape and the wrong numbers: your heads hold different positions. First cut the "
    "last axis in two, (B, T, H, d_head), and then exchange T and H.",
)

mistake(
    "multihead.split_heads",
    "heads-and-positions-not-exchanged",
    edit(
        "x.reshape(b, t, num_heads, d_model // num_heads).transpose(1, 2)",
        "x.reshape(b, t, num_heads, d_model // num_heads)",
    ),
    section="split-and-merge",
    why="The width was cut into heads, and the axes were left as (B, T, H, d_head). A product over the last two axes "
    "would then let the heads of one position attend to each other, in place of the positions of one head.",
    hint="Your result is (B, T, H, d_head): positions and heads still have to change places, so that the last two axes "
    "of each head are (T, d_head).",
)

mistake(
    "multihead.split_heads",
    "heads-interleaved",
    edit(
        "x.reshape(b, t, num_heads, d_model // num_heads).transpose(1, 2)",
        "x.reshape(b, t, d_model // num_heads, num_heads).permute(0, 3, 1, 2)",
    ),
    section="split-and-merge",
    why="The width was cut into d_head groups of H numbers, so that head h got the entries h, h + H, h + 2H and so on. "
    "Here head h owns neighbouring entries, h * d_head up to (h + 1) * d_head - 1; trained weights are stored in that "
    "order.",
    hint="Your head 0 holds every H-th entry of a position where it should hold the first d_head. When you cut the "
    "last axis in two, which of the two comes first, H or d_head?",
)

mistake(
    "multihead.split_heads",
    "head-count-as-width",
    edit("x.reshape(b, t, num_heads, d_model // num_heads)", "x.reshape(b, t, d_model // num_heads, num_heads)"),
    section="split-and-merge",
    why="The width of a head and the number of heads changed places: there are d_model / num_heads heads of width "
    "num_heads. For 8 heads in a width of 64 nobody would notice.",
    hint="You make d_model / num_heads heads of width num_heads. It is the other way round: num_heads heads of width "
    "d_model / num_heads.",
)

mistake(
    "multihead.split_heads",
    "last-axes-exchanged",
    edit(
        "x.reshape(b, t, num_heads, d_model // num_heads).transpose(1, 2)",
        "x.reshape(b, t, num_heads, d_model // num_heads).permute(0, 2, 3, 1)",
    ),
    section="split-and-merge",
    why="The last two axes were exchanged as well, which leaves each head as (d_head, T). That is the shape of "
    "transposed keys, which belongs into the product with the queries and not into the split.",
    hint="Each of your heads is (d_head, T), with a column for each position. Rows are positions everywhere in this "
    "course: exchange T and H, and nothing else.",
)

mistake(
    "multihead.split_heads",
    "heads-before-the-batch",
    edit("b, t, d_model = x.shape", ""),
    edit("d_model % num_heads", "x.shape[-1] % num_heads"),
    edit("x.reshape(b, t, num_heads, d_model // num_heads).transpose(1, 2)", "torch.stack(x.chunk(num_heads, dim=-1))"),
    section="split-and-merge",
    why="The heads were put in front of the batch, as (H, B, T, d_head). The batch comes first in this course, and "
    "masks of shape (B, 1, T_q, T_k) rely on it.",
    hint="Your result is (H, B, T, d_head), with the heads in front. The batch stays first: (B, H, T, d_head).",
)

mistake(
    "multihead.split_heads",
    "heads-joined-to-the-batch",
    edit(
        "x.reshape(b, t, num_heads, d_model // num_heads).transpose(1, 2)",
        "x.reshape(b, t, num_heads, -1).transpose(1, 2).flatten(0, 1)",
    ),
    section="split-and-merge",
    why="Batch and heads were made one axis, (B * H, T, d_head). Some code works that way inside, but then masks with "
    "a batch axis no longer fit, and the task needs four axes.",
    hint="Your result has three axes, (B * H, T, d_head). Keep the heads on an axis of their own behind the batch: (B, "
    "H, T, d_head).",
)

mistake(
    "multihead.split_heads",
    "sequence-cut-into-heads",
    edit("x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)", "torch.stack(x.chunk(num_heads, dim=1), dim=1)"),
    base="unflatten",
    section="split-and-merge",
    why="The sequence was cut into H pieces and the width left whole. Every head must see every position, only fewer "
    "numbers of each.",
    hint="Your heads hold different stretches of the sequence. Cut the *last* axis: each head gets all T positions, "
    "and d_head numbers of each.",
)


@mistake(
    "multihead.split_heads",
    "rest-dropped",
    section="split-and-merge",
    why="Where the number of heads does not divide the width, the entries that were left over were dropped without a "
    "word. A model would lose part of every vector.",
    hint="A width of 10 cut into 4 heads must be an error, and your function drops the last 2 entries. Raise a "
    "ValueError when the width cannot be divided evenly.",
)
def split_heads(x, num_heads):
    b, t, d_model = x.shape
    d_head = d_model // num_heads
    return x[..., : num_heads * d_head].reshape(b, t, num_heads, d_head).transpose(1, 2)


mistake(
    "multihead.split_heads",
    "heads-reversed",
    edit("x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)", "right_split(x, num_heads).flip(1)"),
    base="unflatten",
    section="split-and-merge",
    why="The heads came out in reverse order, the last part of the width first. Copied weights then meet the wrong "
    "head.",
    hint="Your heads are right and stand in reverse order. Head 0 holds the first d_head entries of each position.",
)

mistake(
    "multihead.split_heads",
    "every-head-gets-all",
    edit("x.shape[-1] % num_heads", "x.shape[-1] % num_heads != 0"),
    edit('"uneven"', '"num_heads must divide the width"'),
    edit("torch.stack(x.chunk(num_heads, dim=-1), dim=1)", "x.unsqueeze(1).expand(-1, num_heads, -1, -1)"),
    base="chunks-stacked",
    section="one-large-product",
    why="Every head got a copy of the whole width. H heads of full width cost H times as much, and their outputs no "
    "longer fit side by side into d_model.",
    hint="Each of your heads is as wide as the model. The width is shared out: d_model / num_heads for each head.",
)


# ---------------------------------------------------------------------------------------------------------------------
# merge_heads


mistake(
    "multihead.merge_heads",
    "reshaped-without-transpose",
    edit("return x.transpose(1, 2).flatten(2)", "b, h, t, d_head = x.shape\nreturn x.reshape(b, t, h * d_head)"),
    section="split-and-merge",
    why="The tensor was reshaped to (B, T, d) in one step. Memory still holds all of head 0 first, so each row of the "
    "result mixes different positions of one head; later positions leak into earlier ones.",
    hint="Your result has the right shape and the wrong numbers: a row holds several positions of one head. Exchange H "
    "and T first, then join the last two axes.",
)

mistake(
    "multihead.merge_heads",
    "view-of-a-transposed-tensor",
    edit("x.transpose(1, 2).contiguous()", "x.transpose(1, 2)"),
    base="contiguous-then-view",
    section="views-and-strides",
    why="`view` was called right after `transpose`. A view never moves numbers, and after the transpose the heads of a "
    "position no longer lie side by side in memory; that it works on a tensor fresh from `split_heads` is luck.",
    hint="`view` cannot join H and d_head here, because the transpose has left them far apart in memory. Use `reshape` "
    "or `flatten`, which copy when they must, or call `contiguous()` first.",
)

mistake(
    "multihead.merge_heads",
    "heads-interleaved",
    edit("x.transpose(1, 2)", "x.permute(0, 2, 3, 1)"),
    section="split-and-merge",
    why="The entries of the heads were put alternately: entry 0 of all heads, then entry 1 of all heads. The heads "
    "belong one after the other, as `split_heads` took them apart.",
    hint="Your rows alternate between the heads. Head 0 comes whole, then head 1: the axis H must stand directly "
    "before d_head when you join the two.",
)

mistake(
    "multihead.merge_heads",
    "heads-added-up",
    edit("x.transpose(1, 2).flatten(2)", "x.sum(1)"),
    section="output-projection",
    why="The heads were added up, which leaves d_head numbers for each position. Side by side they keep what each has "
    "found; a sum cannot be taken apart again.",
    hint="Your result is only d_head wide, because the heads are added up. They are put side by side: H * d_head "
    "numbers for each position.",
)

mistake(
    "multihead.merge_heads",
    "heads-averaged",
    edit("x.transpose(1, 2).flatten(2)", "x.mean(1)"),
    section="output-projection",
    why="The mean over the heads was taken, which leaves d_head numbers for each position. What one head found is then "
    "blurred with what all others found.",
    hint="Your result is only d_head wide, because the heads are averaged. They are put side by side: H * d_head "
    "numbers for each position.",
)

mistake(
    "multihead.merge_heads",
    "not-joined",
    edit("x.transpose(1, 2).flatten(2)", "x.transpose(1, 2)"),
    section="split-and-merge",
    why="Heads and positions changed places, and the last two axes were left apart, (B, T, H, d_head). The output "
    "projection wants one vector for each position.",
    hint="Your result still has four axes. Join the last two, H and d_head, into one of width H * d_head.",
)

mistake(
    "multihead.merge_heads",
    "last-axes-exchanged",
    edit("x.transpose(1, 2).contiguous().view", "x.transpose(2, 3).reshape"),
    base="contiguous-then-view",
    section="split-and-merge",
    why="The last two axes were exchanged, positions and entries, in place of heads and positions. The result has as "
    "many rows as it should only when T equals H * d_head by chance.",
    hint="You exchange the last two axes. What has to change places is H and T, axes 1 and 2 of (B, H, T, d_head).",
)

mistake(
    "multihead.merge_heads",
    "heads-as-positions",
    edit("x.transpose(1, 2).flatten(2)", "x.flatten(1, 2)"),
    section="split-and-merge",
    why="The heads were joined along the sequence, (B, H * T, d_head). Each position must come out once, with what all "
    "heads found there.",
    hint="Your result is H times as long as the sequence. Join the heads along the width, not along the positions.",
)

mistake(
    "multihead.merge_heads",
    "batch-and-positions-exchanged",
    edit("x.transpose(1, 2)", "x.permute(2, 0, 1, 3)"),
    section="split-and-merge",
    why="The sequence axis came first in the result, (T, B, d). Sequence first is a convention of other libraries, "
    "while the batch comes first in this course.",
    hint="Your result is (T, B, d): the batch and the positions have changed places. The batch stays in front.",
)

mistake(
    "multihead.merge_heads",
    "heads-reversed",
    edit("x.transpose(1, 2).flatten(2)", "torch.cat(list(x.unbind(1))[::-1], dim=-1)"),
    section="split-and-merge",
    why="The heads were put side by side in reverse order, the last one first. The columns of `w_o` that belong to "
    "head 0 then read another head.",
    hint="Your rows hold the heads in reverse order. Head 0 comes first, as `split_heads` took them apart.",
)

mistake(
    "multihead.merge_heads",
    "only-the-first-head",
    edit("x.transpose(1, 2).flatten(2)", "x[:, 0]"),
    section="split-and-merge",
    why="The first head alone was returned. The other heads were computed and thrown away.",
    hint="Your result is only d_head wide: it is head 0, and the others are missing. Put all of them side by side.",
)


# ---------------------------------------------------------------------------------------------------------------------
# MultiHeadAttention


mistake(
    "multihead.MultiHeadAttention",
    "heads-by-reshape-alone",
    edit(
        "q = split_heads(self.w_q(query), self.num_heads)",
        "q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)",
    ),
    edit("k = split_heads(self.w_k(key), self.num_heads)", "b, _, d_model = q.shape"),
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)",
        "q, k, v = (x.reshape(b, self.num_heads, -1, d_model // self.num_heads) for x in (q, k, v))",
    ),
    section="split-and-merge",
    why="The projections were reshaped to (B, H, T, d_head) without exchanging axes. A head then holds some whole "
    "positions in place of a part of every position, and with a causal mask the future leaks in.",
    hint="Your output has the right shape and the wrong numbers. The projections are cut into heads by one reshape, "
    "which deals out positions; cut the last axis into (H, d_head) first, then exchange T and H.",
)

mistake(
    "multihead.MultiHeadAttention",
    "merged-without-transpose",
    edit("merge_heads(heads)", "heads.reshape(query.shape)"),
    section="split-and-merge",
    why="The heads were joined by a reshape of (B, H, T, d_head), without exchanging axes. A row of the output then "
    "mixes several positions of one head.",
    hint="Your weights are right and your output is not. The heads are joined by a reshape alone; exchange heads and "
    "positions first.",
)

mistake(
    "multihead.MultiHeadAttention",
    "heads-interleaved",
    edit("q = split_heads(self.w_q(query), self.num_heads)", ""),
    edit("k = split_heads(self.w_k(key), self.num_heads)", "q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)"),
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)",
        "q, k, v = (x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2) for x in (q, k, v))",
    ),
    edit("merge_heads(heads)", "heads.permute(0, 2, 3, 1).flatten(2)"),
    section="split-and-merge",
    why="Head h got the entries h, h + H, h + 2H of each position. Such a model trains as well as any other, but "
    "weights that were trained elsewhere do not fit: there head h owns neighbouring rows of `w_q`, `w_k` and `w_v`.",
    hint="Your heads are made of every H-th entry of the projections. Head h owns the entries h * d_head up to (h + 1) "
    "* d_head - 1, side by side.",
)

mistake(
    "multihead.MultiHeadAttention",
    "heads-attend-to-heads",
    edit("q = split_heads(self.w_q(query), self.num_heads)", ""),
    edit("k = split_heads(self.w_k(key), self.num_heads)", "q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)"),
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)",
        "q, k, v = (x.unflatten(-1, (self.num_heads, -1)) for x in (q, k, v))",
    ),
    edit("scaled_dot_product_attention(q, k, v, mask, self.dropout)", "scaled_dot_product_attention(q, k, v)"),
    edit("merge_heads(heads)", "heads.flatten(2)"),
    section="split-and-merge",
    why="Positions and heads were not exchanged before the product, so the scores were (B, T, H, H): the heads of one "
    "position attended to each other. No position ever looks at another one.",
    hint="Your weights are (B, T, H, H): at each position the heads attend to each other. Exchange positions and heads "
    "before you compute scores, so that the last two axes of `q` are (T_q, d_head).",
)

mistake(
    "multihead.MultiHeadAttention",
    "one-head-only",
    edit("q = split_heads(self.w_q(query), self.num_heads)", ""),
    edit(
        "k = split_heads(self.w_k(key), self.num_heads)",
        "q, k, v = (x.unsqueeze(1) for x in (self.w_q(query), self.w_k(key), self.w_v(value)))",
    ),
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)",
        "if mask is not None and mask.shape[0] != 1 and mask.dim() == 4:\n    mask = mask[:, :1]",
    ),
    edit("merge_heads(heads)", "heads.squeeze(1)"),
    section="one-large-product",
    why="The number of heads was ignored: there is one attention of full width. Then each query has a single row of "
    "weights for everything that it needs to know.",
    hint="Your weights have one head, whatever `num_heads` is. Cut queries, keys and values into heads before you "
    "attend.",
)

mistake(
    "multihead.MultiHeadAttention",
    "head-count-as-width",
    edit("q = split_heads(self.w_q(query), self.num_heads)", "count = self.w_q.in_features // self.num_heads"),
    edit(
        "k = split_heads(self.w_k(key), self.num_heads)",
        "q, k, v = (split_heads(x, count) for x in (self.w_q(query), self.w_k(key), self.w_v(value)))",
    ),
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)",
        "if mask is not None and mask.dim() == 4:\n    mask = mask[:, :1]",
    ),
    section="split-and-merge",
    why="The number of heads and the width of a head changed places. With 8 heads of width 8 nothing is to be seen, "
    "with other numbers the heads are others.",
    hint="Your weights have d_model / num_heads heads. There are `num_heads` of them, each d_model / num_heads wide.",
)

mistake(
    "multihead.MultiHeadAttention",
    "scaled-by-the-model-width",
    edit("q.shape[-1]", "query.shape[-1]"),
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "scores.softmax(-1).nan_to_num(0.0)"),
    edit("self.weights @ v", "self.dropout(self.weights) @ v"),
    base="scores-written-out",
    section="head-width-scale",
    why="The scores were divided by sqrt(d_model). The vectors that are multiplied are d_head wide, so their dot "
    "products spread by sqrt(d_head), and the larger divisor makes all weights too equal.",
    hint="Your weights are too even: you divide by the root of the model width. The vectors that you multiply are "
    "those of one head; divide by the root of *their* width.",
)

mistake(
    "multihead.MultiHeadAttention",
    "no-scale",
    edit("q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])", "q @ k.transpose(-2, -1)"),
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "scores.softmax(-1).nan_to_num(0.0)"),
    edit("self.weights @ v", "self.dropout(self.weights) @ v"),
    base="scores-written-out",
    section="head-width-scale",
    why="The dot products were not divided by anything. Their spread grows with the width of a head, and the weights "
    "come out too sharp.",
    hint="Your weights sum to 1 but are too sharp: the scores were not divided by the root of the head's width. "
    "`scaled_dot_product_attention` does it for you.",
)

mistake(
    "multihead.MultiHeadAttention",
    "softmax-over-queries",
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "scores.softmax(2).nan_to_num(0.0)"),
    edit("self.weights @ v", "self.dropout(self.weights) @ v"),
    base="scores-written-out",
    section="split-and-merge",
    why="The softmax ran over axis 2 of (B, H, T_q, T_k), the queries. The weights of one query then do not sum to 1.",
    hint="Your columns sum to 1, not your rows. The axes are (B, H, T_q, T_k), and each query shares out its attention "
    "among the keys: the *last* axis.",
)

mistake(
    "multihead.MultiHeadAttention",
    "softmax-over-heads",
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "scores.softmax(1).nan_to_num(0.0)"),
    edit("self.weights @ v", "self.dropout(self.weights) @ v"),
    base="scores-written-out",
    section="split-and-merge",
    why="The softmax ran over the axis of the heads. The heads then compete with each other for every pair of "
    "positions, while each should share out its own attention among the keys.",
    hint="For each pair of positions your heads sum to 1. Every head has rows of its own: normalise over the keys, the "
    "last axis.",
)

mistake(
    "multihead.MultiHeadAttention",
    "no-output-projection",
    edit("self.w_o(merge_heads(heads))", "merge_heads(heads)"),
    section="output-projection",
    why="The merged heads were returned as they are, without `w_o`. Each part of the output then comes from a single "
    "head, and nothing mixes what they have found.",
    hint="`w_o` has no effect on your output. After merging, the heads go through it: it is what mixes them.",
)

mistake(
    "multihead.MultiHeadAttention",
    "output-layer-of-the-queries",
    edit("self.w_o(merge_heads(heads))", "self.w_q(merge_heads(heads))"),
    section="output-projection",
    why="The merged heads went through `w_q` a second time, and `w_o` was not used. The output projection is a layer "
    "of its own.",
    hint="`w_o` has no effect on your output: the merged heads pass through `w_q`. There are four layers, and the last "
    "one is `w_o`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "output-projection-before-merging",
    edit("self.w_v(value)", "self.w_o(self.w_v(value))"),
    edit("self.w_o(merge_heads(heads))", "merge_heads(heads)"),
    section="output-projection",
    why="The output projection was applied to the values before they were averaged. Each head then reads only its own "
    "part of the result, and the heads are never mixed.",
    hint="You apply `w_o` to the values, before the heads have averaged anything. It comes last, after the heads have "
    "been put side by side.",
)

mistake(
    "multihead.MultiHeadAttention",
    "values-from-the-key-layer",
    edit("self.w_v(value)", "self.w_k(value)"),
    section="three-inputs",
    why="The values were made by `w_k`. `w_v` then has no influence and gets no gradient.",
    hint="`w_v` has no effect on your output: the values come out of `w_k`. What a position is found by and what it "
    "hands over are two different maps.",
)

mistake(
    "multihead.MultiHeadAttention",
    "keys-and-values-exchanged",
    edit("self.w_k(key)", "self.w_v(key)"),
    edit("self.w_v(value)", "self.w_k(value)"),
    section="three-inputs",
    why="`w_v` made the keys and `w_k` made the values. The shapes agree, but trained weights that are copied in land "
    "in the wrong position.",
    hint="Your keys come out of `w_v` and your values out of `w_k`. Each layer has its own letter.",
)

mistake(
    "multihead.MultiHeadAttention",
    "queries-and-keys-exchanged",
    edit("self.w_q(query)", "self.w_k(query)"),
    edit("self.w_k(key)", "self.w_q(key)"),
    section="three-inputs",
    why="`w_k` made the queries and `w_q` made the keys. The shapes agree, but trained weights that are copied in land "
    "in the wrong position.",
    hint="Your queries come out of `w_k` and your keys out of `w_q`. Each layer has its own letter.",
)

mistake(
    "multihead.MultiHeadAttention",
    "self-attention-only",
    edit("self.w_k(key)", "self.w_k(query)"),
    edit("self.w_v(value)", "self.w_v(query)"),
    section="three-inputs",
    why="Keys and values were made from `query`; the arguments `key` and `value` were ignored. That works inside an "
    "encoder, where all three are the same, and fails between encoder and decoder.",
    hint="The arguments `key` and `value` have no effect on your output: you make everything from `query`. Keys come "
    "from `key` and values from `value`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "values-from-the-keys",
    edit("self.w_v(value)", "self.w_v(key)"),
    section="three-inputs",
    why="The values were made from `key`, and the argument `value` was ignored. Often the two are the same tensor, but "
    "they need not be.",
    hint="The argument `value` has no effect on your output. Apply `w_v` to `value`, not to `key`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "keys-from-the-values",
    edit("self.w_k(key)", "self.w_k(value)"),
    section="three-inputs",
    why="The keys were made from `value`, and the argument `key` was ignored. Often the two are the same tensor, but "
    "they need not be.",
    hint="The argument `key` has no effect on your output. Apply `w_k` to `key`, not to `value`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "length-of-the-queries-for-all",
    edit(
        "q = split_heads(self.w_q(query), self.num_heads)",
        """
        b, t, d_model = query.shape
        shape = b, t, self.num_heads, d_model // self.num_heads
        q = self.w_q(query).view(shape).transpose(1, 2)
        """,
    ),
    edit("split_heads(self.w_k(key), self.num_heads)", "self.w_k(key).view(shape).transpose(1, 2)"),
    edit("split_heads(self.w_v(value), self.num_heads)", "self.w_v(value).view(shape).transpose(1, 2)"),
    section="three-inputs",
    why="Keys and values were cut into heads with the length of the queries. That fails as soon as the two sequences "
    "have different lengths.",
    hint="Your module fails when `key` is longer or shorter than `query`: you reshape keys with T_q. They have a "
    "length of their own, T_k.",
)

mistake(
    "multihead.MultiHeadAttention",
    "mask-ignored",
    edit(
        "scaled_dot_product_attention(q, k, v, mask, self.dropout)",
        "scaled_dot_product_attention(q, k, v, None, self.dropout)",
    ),
    section="masks-for-heads",
    why="`forward` accepts a mask and does not pass it on. Padding and future positions are read like any other.",
    hint="Your result is the same with and without a mask: `forward` takes it and never hands it to the attention "
    "function.",
)

mistake(
    "multihead.MultiHeadAttention",
    "mask-inverted",
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)  # (B, H, T_k, d_head)",
        """
        v = split_heads(self.w_v(value), self.num_heads)
        mask = None if mask is None else ~mask  # (B, H, T_k, d_head)
        """,
    ),
    section="masks-for-heads",
    why="The mask was inverted before it was passed on. True means 'may attend' everywhere in this course, so nothing "
    "has to be turned round.",
    hint="Your weights are zero exactly where they should not be: the mask is turned round once too often. Pass it on "
    "as it is.",
)

mistake(
    "multihead.MultiHeadAttention",
    "two-axes-read-as-padding",
    edit(
        "q = split_heads(",
        "if mask is not None and mask.dim() == 2:\n    mask = mask[:, None, None, :]\nq = split_heads(",
    ),
    section="masks-for-heads",
    why="A mask of two axes was read as (B, T_k), one row for each sequence, as some libraries do. In this course it "
    "is (T_q, T_k), one row for each query, and padding comes with four axes.",
    hint="You read a mask of two axes as (B, T_k). Here it is (T_q, T_k), the same for all sequences, as a causal mask "
    "is; hand it on as it is.",
)

mistake(
    "multihead.MultiHeadAttention",
    "two-axes-read-by-their-sizes",
    edit(
        "q = split_heads(",
        "if mask is not None and mask.shape == key.shape[:2]:\n    mask = mask[:, None, None, :]\nq = split_heads(",
    ),
    section="masks-for-heads",
    why="A mask of two axes was read as (B, T_k) wherever its sizes allow that. With as many queries as sequences they "
    "always do, and a causal mask turns into one of padding.",
    hint="With as many queries as sequences you take the mask (T_q, T_k) for one of padding. Sizes cannot tell the two "
    "apart: a mask of two axes is always (T_q, T_k) here.",
)

mistake(
    "multihead.MultiHeadAttention",
    "mask-unsqueezed",
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)  # (B, H, T_k, d_head)",
        """
        v = split_heads(self.w_v(value), self.num_heads)
        mask = None if mask is None else mask.unsqueeze(1)  # (B, H, T_k, d_head)
        """,
    ),
    section="masks-for-heads",
    why="An axis was inserted into a mask that has one for the heads already. The mask (B, 1, 1, T_k) becomes (B, 1, "
    "1, 1, T_k), and its batch axis no longer meets that of the scores.",
    hint="With a mask of four axes you get a result of five, or an error. The masks of this course have an axis for "
    "the heads already: hand them on as they are.",
)

mistake(
    "multihead.MultiHeadAttention",
    "mask-loses-its-head-axis",
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)  # (B, H, T_k, d_head)",
        """
        v = split_heads(self.w_v(value), self.num_heads)
        if mask is not None and mask.dim() == 4 and mask.shape[1] == 1:
            mask = mask.squeeze(1)  # (B, H, T_k, d_head)
        """,
    ),
    section="masks-for-heads",
    why="The head axis was taken out of the mask before it was passed on. What is left, (B, 1, T_k), lines up with "
    "heads where it should line up with sequences.",
    hint="The axis of length 1 in the mask is there on purpose: it means 'the same for all heads'. Without it the "
    "batch axis of the mask meets the heads. Hand the mask on as it is.",
)

mistake(
    "multihead.MultiHeadAttention",
    "mask-of-the-first-sequence",
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)  # (B, H, T_k, d_head)",
        """
        v = split_heads(self.w_v(value), self.num_heads)
        if mask is not None and mask.dim() == 4:
            mask = mask[:1]  # (B, H, T_k, d_head)
        """,
    ),
    section="masks-for-heads",
    why="The mask of the first sequence was used for the whole batch. Each sequence has its own padding.",
    hint="All sequences of your batch are masked like the first one. Do not index the batch axis of the mask: it "
    "broadcasts by itself.",
)

mistake(
    "multihead.MultiHeadAttention",
    "mask-of-the-first-head",
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)  # (B, H, T_k, d_head)",
        """
        v = split_heads(self.w_v(value), self.num_heads)
        if mask is not None and mask.dim() == 4:
            mask = mask[:, :1]  # (B, H, T_k, d_head)
        """,
    ),
    section="masks-for-heads",
    why="The mask of the first head was used for all heads. A mask (B, H, T_q, T_k) may say something else for each "
    "head.",
    hint="With a mask (B, H, T_q, T_k) all your heads are masked like the first one. Hand the mask on as it is.",
)

mistake(
    "multihead.MultiHeadAttention",
    "always-causal",
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)  # (B, H, T_k, d_head)",
        """
        v = split_heads(self.w_v(value), self.num_heads)
        causal = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).tril()
        mask = causal if mask is None else mask & causal  # (B, H, T_k, d_head)
        """,
    ),
    section="masks-for-heads",
    why="A causal mask was built in. Attention in an encoder, and from a decoder to an encoder, looks both ways; who "
    "may look where is the business of the mask that is passed.",
    hint="Your early positions never look at later ones, even without a mask: a causal mask is built in. Take it out, "
    "and use only the `mask` that is passed.",
)

mistake(
    "multihead.MultiHeadAttention",
    "mask-after-softmax",
    edit(
        "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])\nself.weights = scores.softmax(-1)",
    ),
    edit("scores = scores.masked_fill(~mask, -math.inf)", "self.weights = self.weights * mask"),
    edit("self.weights = self.dropout(scores.softmax(-1).nan_to_num(0.0))", ""),
    edit("self.weights @ v", "self.dropout(self.weights) @ v"),
    base="scores-written-out",
    section="masks-for-heads",
    why="Weights were erased after the softmax. The forbidden keys have already taken their share, so the rest sums to "
    "less than 1.",
    hint="With a mask your rows no longer sum to 1: the mask comes after the softmax. `scaled_dot_product_attention` "
    "takes the mask and applies it to the scores.",
)

mistake(
    "multihead.MultiHeadAttention",
    "mask-added-as-numbers",
    edit("scores.masked_fill(~mask, -math.inf)", "scores + mask"),
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "scores.softmax(-1)"),
    edit("self.weights @ v", "self.dropout(self.weights) @ v"),
    base="scores-written-out",
    section="masks-for-heads",
    why="The mask was added to the scores as 0 and 1. That only makes allowed keys e times as heavy, and hides "
    "nothing.",
    hint="Forbidden keys still get weight: you add the boolean mask to the scores, which counts True as 1. Forbidden "
    "scores have to become -inf; hand the mask to `scaled_dot_product_attention`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "nothing-to-attend-gives-nan",
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "scores.softmax(-1)"),
    edit("self.weights @ v", "self.dropout(self.weights) @ v"),
    base="scores-written-out",
    section="masks-for-heads",
    why="A row of the mask that allows nothing was not provided for. Its scores are all -inf, their softmax is 0 / 0, "
    "and the NaN spreads through the output.",
    hint="A query that may attend to nothing comes out as NaN. Its weights are 0 in every head, and its output is the "
    "bias of `w_o`; your `scaled_dot_product_attention` does that.",
)

mistake(
    "multihead.MultiHeadAttention",
    "nothing-to-attend-gives-uniform",
    edit("-math.inf", "-1e9"),
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "scores.softmax(-1)"),
    edit("self.weights @ v", "self.dropout(self.weights) @ v"),
    base="scores-written-out",
    section="masks-for-heads",
    why="Forbidden scores were set to -1e9 in place of -inf. Where everything is forbidden all scores are equal then, "
    "and the query reads a uniform average of what it may not see.",
    hint="A query that may attend to nothing gets equal weights for all keys. Its weights should be 0 in every head, "
    "which makes its output the bias of `w_o`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "nothing-to-attend-gives-zero",
    edit("self.w_o(merge_heads(heads))", "output * (self.weights.sum((1, -1)) > 0).unsqueeze(-1).to(output.dtype)"),
    edit(
        "heads, self.weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)",
        """
        heads, self.weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)
        output = self.w_o(merge_heads(heads))
        """,
    ),
    section="masks-for-heads",
    why="The output of a query that may attend to nothing was set to 0 after `w_o`. Its heads are 0, and `w_o` then "
    "adds its bias, as it does everywhere.",
    hint="A query that may attend to nothing leaves your module as zeros. Its heads are zero, but they still pass "
    "through `w_o`, so what comes out is its bias.",
)

mistake(
    "multihead.MultiHeadAttention",
    "weights-averaged",
    edit(
        "heads, self.weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)",
        "heads, weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)\nself.weights = weights.mean(1)",
    ),
    section="stored-weights",
    why="The mean of the weights over the heads was kept, as PyTorch's own module returns it by default. What makes "
    "heads interesting is that they differ.",
    hint="`self.weights` is (B, T_q, T_k): the heads are averaged. Keep the weights of every head, (B, H, T_q, T_k).",
)

mistake(
    "multihead.MultiHeadAttention",
    "scores-kept",
    edit(
        "heads, self.weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)",
        """
        heads, _ = scaled_dot_product_attention(q, k, v, mask, self.dropout)
        self.weights = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        """,
    ),
    section="stored-weights",
    why="The scores before the softmax were kept as `self.weights`. They may be negative and do not sum to 1.",
    hint="`self.weights` holds numbers below 0 or above 1: these are scores. Keep what the softmax makes of them.",
)

mistake(
    "multihead.MultiHeadAttention",
    "weights-not-kept",
    edit("heads, self.weights", "heads, _"),
    section="stored-weights",
    why="The weights were used and then forgotten. You need the weights to see what the heads look at.",
    hint="`self.weights` is missing or None after a call. Keep there what `scaled_dot_product_attention` returns as "
    "its second result.",
)

mistake(
    "multihead.MultiHeadAttention",
    "weights-of-the-first-call",
    edit(
        "heads, self.weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)",
        """
        heads, weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)
        if self.weights is None:
            self.weights = weights
        """,
    ),
    section="stored-weights",
    why="The weights were kept once, on the first call, and not again. `self.weights` are those of the last call.",
    hint="After a second call, `self.weights` still holds the weights of the first. Store them on every call.",
)

mistake(
    "multihead.MultiHeadAttention",
    "returns-a-pair",
    edit("self.w_o(merge_heads(heads))", "self.w_o(merge_heads(heads)), self.weights"),
    section="stored-weights",
    why="`forward` returned the weights along with the output. This class returns the output alone and keeps the "
    "weights in `self.weights`.",
    hint="`forward` returns a pair, and the task needs one tensor. Return the output; the weights go to "
    "`self.weights`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "head-outputs-dropped",
    edit("scaled_dot_product_attention(q, k, v, mask, self.dropout)", "scaled_dot_product_attention(q, k, v, mask)"),
    edit("merge_heads(heads)", "self.dropout(merge_heads(heads))"),
    section="stored-weights",
    why="Dropout acted on the outputs of the heads and not on the weights. What `dropout` is meant to cut is the "
    "connection from a query to a key.",
    hint="In training your dropout erases numbers of the output one by one. It should act on the attention weights: "
    "pass it on to `scaled_dot_product_attention`.",
)


@mistake(
    "multihead.MultiHeadAttention",
    "drops-in-evaluation",
    section="stored-weights",
    why="`F.dropout` was called without saying whether the module is training. Its default is `training=True`, so it "
    "drops in evaluation as well.",
    hint="In evaluation mode your module still drops weights, and each call gives another result. Use an `nn.Dropout`, "
    "or hand `self.training` to `F.dropout`.",
)
class MultiHeadAttention(RightAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads)
        self.rate = dropout

    def forward(self, query, key, value, mask=None):
        q = right_split(self.w_q(query), self.num_heads)
        k = right_split(self.w_k(key), self.num_heads)
        v = right_split(self.w_v(value), self.num_heads)
        heads, self.weights = scaled_dot_product_attention(q, k, v, mask, lambda w: F.dropout(w, self.rate))
        return self.w_o(right_merge(heads))


@mistake(
    "multihead.MultiHeadAttention",
    "dropout-forgotten",
    section="stored-weights",
    why="The argument `dropout` was accepted and not used. Nothing is dropped while training.",
    hint="With dropout=0.4, no weight of your module is dropped in training. Make an `nn.Dropout(dropout)` and hand it "
    "to `scaled_dot_product_attention`.",
)
class MultiHeadAttention(RightAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads)


@mistake(
    "multihead.MultiHeadAttention",
    "probability-of-keeping",
    section="stored-weights",
    why="`dropout` was taken as the probability of keeping a weight. It is the probability of losing it.",
    hint="With dropout=0.4 your module drops 60 % of its weights. `dropout` is the share that is lost, not the share "
    "that stays.",
)
class MultiHeadAttention(RightAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, 1 - dropout if dropout else 0.0)


mistake(
    "multihead.MultiHeadAttention",
    "drops-by-default",
    edit(
        "def __init__(self, d_model, num_heads, dropout=0.0):",
        "def __init__(self, d_model, num_heads, dropout=0.1):",
    ),
    section="stored-weights",
    why="The default of `dropout` is 0.1 in place of 0. A module built without that argument must not drop anything.",
    hint="A module built as MultiHeadAttention(d_model, num_heads) drops weights while training. The default of "
    "`dropout` is 0.0.",
)

mistake(
    "multihead.MultiHeadAttention",
    "no-bias",
    edit(
        "self.weights = None",
        """
        self.weights = None
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        """,
    ),
    section="one-large-product",
    why="The four linear layers were built without a bias. This course's attention layers have one.",
    hint="Your linear layers have no bias. `nn.Linear(d_model, d_model)` has one by default: leave it in.",
)

mistake(
    "multihead.MultiHeadAttention",
    "full-width-heads",
    edit(
        "self.weights = None",
        """
        self.weights = None
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, num_heads * d_model) for _ in range(3))
        self.w_o = nn.Linear(num_heads * d_model, d_model)
        """,
    ),
    section="one-large-product",
    why="Every head got the full width d_model, so the projections are H times as large. The paper divides the width "
    "among the heads, so that many heads have as many parameters as one.",
    hint="Your projections are H times too large: each head has the full width. The heads share it, d_model / "
    "num_heads each, so every layer is d_model by d_model.",
)

mistake(
    "multihead.MultiHeadAttention",
    "projections-of-one-head",
    edit(
        "self.weights = None",
        """
        self.weights = None
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model // num_heads) for _ in range(3))
        """,
    ),
    section="one-large-product",
    why="The projections were made d_head wide, enough for a single head. All heads together need d_model numbers.",
    hint="`w_q`, `w_k` and `w_v` are d_head wide: room for one head only. One layer holds the rows of all heads, so it "
    "is d_model by d_model.",
)

mistake(
    "multihead.MultiHeadAttention",
    "one-layer-for-all-three",
    edit("self.weights = None", "self.weights = None\nself.w_q = self.w_k = self.w_v"),
    section="one-large-product",
    why="One and the same layer serves as `w_q`, `w_k` and `w_v`. Queries then equal keys, and whatever is copied into "
    "one is in all three.",
    hint="Your three projections are one and the same layer. Make four layers: what a position asks, what it is found "
    "by and what it hands over are learned separately.",
)


@mistake(
    "multihead.MultiHeadAttention",
    "uneven-heads-accepted",
    section="split-and-merge",
    why="A number of heads that does not divide d_model was accepted when the module was built. The heads would then "
    "be unequal, or part of the width would be lost.",
    hint="MultiHeadAttention(10, 4) must raise a ValueError when it is built: 10 cannot be shared evenly among 4 "
    "heads.",
)
class MultiHeadAttention(RightAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, 1, dropout)
        self.num_heads = num_heads


@mistake(
    "multihead.MultiHeadAttention",
    "uneven-heads-by-assert",
    section="split-and-merge",
    why="The number of heads was checked with `assert`. Python leaves assertions out when it runs with -O, and an "
    "AssertionError says nothing of a wrong argument; the course asks for ValueError.",
    hint="An uneven number of heads ends in an AssertionError. Write `if …: raise ValueError(…)`, with a message that "
    "names both numbers.",
)
class MultiHeadAttention(RightAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        assert d_model % num_heads == 0
        super().__init__(d_model, num_heads, dropout)


mistake(
    "multihead.MultiHeadAttention",
    "input-added",
    edit("self.w_o(merge_heads(heads))", "query + self.w_o(merge_heads(heads))"),
    section="output-projection",
    why="The input was added to the output. The residual connection belongs to the block around attention "
    "({chapter}`blocks`).",
    hint="Your output is the right one plus `query`. Leave the addition to the block around it ({chapter}`blocks`).",
)

mistake(
    "multihead.MultiHeadAttention",
    "sequence-first",
    edit("self.w_q(query)", "self.w_q(query.transpose(0, 1))"),
    edit("self.w_k(key)", "self.w_k(key.transpose(0, 1))"),
    edit("self.w_v(value)", "self.w_v(value.transpose(0, 1))"),
    edit("self.w_o(merge_heads(heads))", "self.w_o(merge_heads(heads)).transpose(0, 1)"),
    section="three-inputs",
    why="Batch and sequence axes were exchanged, as for layers that want the sequence first. Each position then "
    "attends to the same position of other sequences.",
    hint="Your positions attend to other *sequences* of the batch. In this course the batch is axis 0 and the sequence "
    "axis 1; do not exchange them.",
)

mistake(
    "multihead.MultiHeadAttention",
    "keeps-the-first-memory",
    edit("self.weights = None", "self.weights = None\nself.known = None"),
    edit("k = split_heads(self.w_k(key), self.num_heads)", ""),
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)",
        """
        if self.known is None or self.known[2] != key.shape:
            k = split_heads(self.w_k(key), self.num_heads)
            v = split_heads(self.w_v(value), self.num_heads)
            self.known = k, v, key.shape
        """,
    ),
    edit(
        "scaled_dot_product_attention(q, k, v, mask, self.dropout)",
        "scaled_dot_product_attention(q, self.known[0], self.known[1], mask, self.dropout)",
    ),
    section="three-inputs",
    why="Keys and values of the first call were kept and used again for later ones of the same shape. Another sentence "
    "has other keys.",
    hint="The second call of your module still attends to the keys of the first. Compute keys and values from the "
    "arguments of this call.",
)


@mistake(
    "multihead.MultiHeadAttention",
    "keeps-the-first-mask",
    section="masks-for-heads",
    why="The mask of the first call was kept in the module and used again for later calls. Another batch has its "
    "padding at other positions.",
    hint="A later call of your module still follows the mask of an earlier one. Use the mask that this call got, and "
    "none if it got none.",
)
class MultiHeadAttention(RightAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        self.mask = None

    def forward(self, query, key, value, mask=None):
        if self.mask is None:
            self.mask = mask
        return super().forward(query, key, value, self.mask)


@mistake(
    "multihead.MultiHeadAttention",
    "layers-shared-by-all-modules",
    section="one-large-product",
    why="The four layers were kept outside the object, one set for each width, so that all modules of that width have "
    "the same weights. Training one module then changes all others.",
    hint="Two modules of yours share their weights: what changes one changes the other. Make the layers anew in "
    "`__init__`, with `self.w_q = nn.Linear(...)`.",
)
class MultiHeadAttention(RightAttention):
    made = {}

    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads, dropout)
        for name in ("w_q", "w_k", "w_v", "w_o"):
            setattr(self, name, self.made.setdefault((d_model, name), getattr(self, name)))


mistake(
    "multihead.MultiHeadAttention",
    "head-count-shared-by-all-modules",
    edit("self.weights = None", "self.weights = None\nMultiHeadAttention.heads = num_heads"),
    edit("split_heads(self.w_q(query), self.num_heads)", "split_heads(self.w_q(query), MultiHeadAttention.heads)"),
    edit("split_heads(self.w_k(key), self.num_heads)", "split_heads(self.w_k(key), MultiHeadAttention.heads)"),
    edit("split_heads(self.w_v(value), self.num_heads)", "split_heads(self.w_v(value), MultiHeadAttention.heads)"),
    section="one-large-product",
    why="The number of heads was kept on the class and not on the object. The module that was built last then decides "
    "it for all, as in a model whose layers have different numbers of heads.",
    hint="Your module changes when another one with other heads is built: the number of heads is kept on the class. "
    "Write `self.num_heads = num_heads`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "scaled-twice",
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)  # (B, H, T_k, d_head)",
        "v = split_heads(self.w_v(value), self.num_heads)\nq = q / math.sqrt(q.shape[-1])  # (B, H, T_k, d_head)",
    ),
    section="head-width-scale",
    why="The queries were divided by sqrt(d_head), and `scaled_dot_product_attention` then divides the scores again. "
    "Together that divides by d_head, and the weights come out too even.",
    hint="Your weights are too even: the scale is applied twice. `scaled_dot_product_attention` divides by the root of "
    "the head's width by itself; leave it to that.",
)

mistake(
    "multihead.MultiHeadAttention",
    "output-bias-forgotten",
    edit("self.w_o(merge_heads(heads))", "merge_heads(heads) @ self.w_o.weight.T"),
    section="output-projection",
    why="The merged heads were multiplied by the weight of `w_o`, and its bias was left out. A linear layer adds its "
    "bias.",
    hint="Your output lacks the bias of `w_o`. Call the layer, `self.w_o(...)`, in place of using its weight alone.",
)

mistake(
    "multihead.MultiHeadAttention",
    "output-weight-transposed",
    edit("self.w_o(merge_heads(heads))", "merge_heads(heads) @ self.w_o.weight + self.w_o.bias"),
    section="output-projection",
    why="The merged heads were multiplied by `w_o.weight` without transposing it. The matrix is stored as (out, in), "
    "so a linear layer multiplies by its transpose.",
    hint="`w_o` acts with its rows and columns exchanged. Its weight is stored as (out, in); call the layer, "
    "`self.w_o(...)`, and it does the right thing.",
)

mistake(
    "multihead.MultiHeadAttention",
    "masked-with-ten-thousand",
    edit("-math.inf", "-10000.0"),
    edit(
        "self.weights = self.dropout(scores.softmax(-1).nan_to_num(0.0))",
        """
        self.weights = scores.softmax(-1)
        if mask is not None:
            self.weights = self.weights.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        """,
    ),
    edit("self.weights @ v", "self.dropout(self.weights) @ v"),
    base="scores-written-out",
    section="masks-for-heads",
    why="Forbidden scores were set to -10000. A score of an allowed key may lie below that, and then the forbidden "
    "keys get all the weight.",
    hint="For very low scores your forbidden keys get all the weight: -10000 is a score like any other. Only -inf is "
    "below every score; hand the mask to `scaled_dot_product_attention`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "one-dropout-for-all-heads",
    edit(
        "heads, self.weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)",
        """
        heads, self.weights = scaled_dot_product_attention(q, k, v, mask)
        if self.training:
            pattern = self.dropout(torch.ones_like(self.weights[0, 0]))
            heads = (self.weights * pattern) @ v
        """,
    ),
    section="stored-weights",
    why="One pattern of dropped weights was drawn and used for every head and every sequence. Each weight is dropped "
    "or kept on its own.",
    hint="In training your heads all lose the same weights. Draw for every weight by itself, with an `nn.Dropout` on "
    "the whole tensor (B, H, T_q, T_k).",
)

mistake(
    "multihead.MultiHeadAttention",
    "single-precision-inside",
    edit("scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])", "q, k, v = q.float(), k.float(), v.float()"),
    edit(
        "if mask is not None:\n    scores = scores.masked_fill(~mask, -math.inf)",
        "heads, weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)",
    ),
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "weights.to(query.dtype)"),
    edit("merge_heads(self.weights @ v)", "merge_heads(heads).to(query.dtype)"),
    base="scores-written-out",
    section="head-width-scale",
    why="Queries, keys and values were converted to float32 on the way. In float64 that loses half of the digits, in "
    "bfloat16 the types no longer match.",
    hint="In float64 your result is right to seven digits only, because you convert to float32 on the way. Keep the "
    "type of the input.",
)

mistake(
    "multihead.MultiHeadAttention",
    "cut-off-from-gradients",
    edit(
        "heads, self.weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)",
        "_, weights = scaled_dot_product_attention(q, k, v, mask, self.dropout)\nself.weights = weights.detach()",
    ),
    edit("merge_heads(heads)", "merge_heads(self.weights @ v)"),
    section="stored-weights",
    why="The weights were detached before they multiplied the values. `w_q` and `w_k` then get no gradient and never "
    "learn where to look.",
    hint="No gradient reaches `w_q` and `w_k`: the weights are detached before they are used. Detach what you keep if "
    "you like, not what multiplies the values.",
)

mistake(
    "multihead.MultiHeadAttention",
    "renormalised-after-the-mask",
    edit(
        "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])",
        "weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)",
    ),
    edit(
        "scores = scores.masked_fill(~mask, -math.inf)",
        """
        weights = weights * mask
        total = weights.sum(-1, keepdim=True)
        weights = weights / torch.where(total > 0, total, 1)
        """,
    ),
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "self.dropout(weights)"),
    base="scores-written-out",
    section="masks-for-heads",
    why="Forbidden weights were set to zero after the softmax, and the rest divided by its sum. If a forbidden score is "
    "far above the others, it has taken the whole row, and the allowed weights are 0 before they are divided.",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax: `scaled_dot_product_attention` takes the mask and does.",
)

mistake(
    "multihead.MultiHeadAttention",
    "renormalised-with-epsilon",
    edit(
        "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])",
        "weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)",
    ),
    edit(
        "scores = scores.masked_fill(~mask, -math.inf)",
        "weights = weights * mask\nweights = weights / (weights.sum(-1, keepdim=True) + 1e-12)",
    ),
    edit("self.dropout(scores.softmax(-1).nan_to_num(0.0))", "self.dropout(weights)"),
    base="scores-written-out",
    section="masks-for-heads",
    why="Forbidden weights were set to zero after the softmax, and the rest divided by its sum and a small number. If a "
    "forbidden score is far above the others, the sum is smaller than that number, and the row vanishes.",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax; then no epsilon is needed.",
)

mistake(
    "multihead.MultiHeadAttention",
    "scaled-by-a-constant",
    edit("math.sqrt(q.shape[-1])", "math.sqrt(64)"),
    base="scores-written-out",
    section="head-width-scale",
    why="The scale was written as 8, the root of 64. It fits the heads of the paper's base model and no others.",
    hint="Your scale does not follow the width of a head. It is the root of `d_model // num_heads`, the last axis of `q`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "scaled-by-the-number-of-heads",
    edit("math.sqrt(q.shape[-1])", "math.sqrt(self.num_heads)"),
    base="scores-written-out",
    section="head-width-scale",
    why="The scores were divided by the root of the number of heads. A dot product is a sum over the width of a head.",
    hint="You divide by the root of the number of heads. Divide by the root of the width of a head, the last axis of `q`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# attention_parameters


mistake(
    "multihead.attention_parameters",
    "output-projection-forgotten",
    edit("4 * d_model", "3 * d_model"),
    base="four-layers",
    section="counting-heads",
    why="Only queries, keys and values were counted. The output projection `w_o` is a fourth matrix of the same size.",
    hint="Your count is a quarter too small: `w_o` is missing. There are four projections.",
)

mistake(
    "multihead.attention_parameters",
    "every-head-of-full-width",
    edit(
        "4 * d_model * (d_model + bool(bias))",
        "3 * num_heads * d_model * (d_model + bool(bias)) + d_model * (d_model + bool(bias))",
    ),
    base="four-layers",
    section="counting-heads",
    why="Each head was given projections of full width, so the count grows with the number of heads. The heads share "
    "the width: each has d_model / num_heads columns.",
    hint="Your count grows with the number of heads. A head projects to d_model / num_heads numbers, not to d_model: "
    "what does that make for all heads together?",
)

mistake(
    "multihead.attention_parameters",
    "everything-times-heads",
    edit("4 * d_model", "num_heads * 4 * d_model"),
    base="four-layers",
    section="counting-heads",
    why="The count of a single attention was multiplied by the number of heads. But the heads share one width, and one "
    "output projection.",
    hint="Your count is num_heads times too large. The heads share the width d_model, and there is one output "
    "projection for all.",
)

mistake(
    "multihead.attention_parameters",
    "one-head-only",
    edit(
        "4 * d_model * (d_model + bool(bias))",
        "3 * (d_model // num_heads) * (d_model + bool(bias)) + d_model * (d_model + bool(bias))",
    ),
    base="four-layers",
    section="counting-heads",
    why="The projections of a single head were counted. There are num_heads of them.",
    hint="You count the projections of one head. Multiply by the number of heads, and the number of heads cancels.",
)

mistake(
    "multihead.attention_parameters",
    "output-from-one-head",
    edit(
        "4 * d_model * (d_model + bool(bias))",
        "3 * d_model * (d_model + bool(bias)) + d_model * (d_model // num_heads + bool(bias))",
    ),
    base="four-layers",
    section="counting-heads",
    why="The output projection was counted as d_head by d_model. It reads all heads side by side, so it is d_model by "
    "d_model.",
    hint="Your count of `w_o` is too small: it reads the heads side by side, H * d_head = d_model numbers, and not "
    "those of one head.",
)

mistake(
    "multihead.attention_parameters",
    "biases-forgotten",
    edit("d_model + bool(bias)", "d_model"),
    base="four-layers",
    section="counting-heads",
    why="Only the matrices were counted, whatever `bias` says. With a bias each of the four layers has d_model numbers "
    "more.",
    hint="Your count leaves out the biases. With bias=True each of the four layers has d_model of them.",
)

mistake(
    "multihead.attention_parameters",
    "biases-always-counted",
    edit("bool(bias)", "1"),
    base="four-layers",
    section="counting-heads",
    why="The biases were counted even with bias=False. The argument was not looked at.",
    hint="With bias=False your count still contains 4 * d_model biases. Add them only if `bias` is true.",
)

mistake(
    "multihead.attention_parameters",
    "three-biases",
    edit("4 * d_model * (d_model + bool(bias))", "4 * d_model * d_model + 3 * d_model * bool(bias)"),
    base="four-layers",
    section="counting-heads",
    why="Biases were counted for queries, keys and values, and not for the output projection. All four layers have "
    "one.",
    hint="Your count is d_model too small when there are biases: that of `w_o` is missing.",
)

mistake(
    "multihead.attention_parameters",
    "one-bias-for-all",
    edit("4 * d_model * (d_model + bool(bias))", "4 * d_model * d_model + d_model * bool(bias)"),
    base="four-layers",
    section="counting-heads",
    why="One bias of width d_model was counted for all four layers. Each layer has its own.",
    hint="With biases your count is 3 * d_model too small: each of the four layers has a bias of its own.",
)

mistake(
    "multihead.attention_parameters",
    "a-bias-is-one-number",
    edit("4 * d_model * (d_model + bool(bias)", "4 * (d_model * d_model + bool(bias)"),
    base="four-layers",
    section="counting-heads",
    why="A bias was counted as one number for each layer. A layer with d_model outputs has d_model biases.",
    hint="You count one number for each bias. A bias is a vector with an entry for each output: d_model numbers.",
)

mistake(
    "multihead.attention_parameters",
    "no-bias-by-default",
    edit(
        "def attention_parameters(d_model, num_heads, bias=True):",
        "def attention_parameters(d_model, num_heads, bias=False):",
    ),
    base="four-layers",
    section="counting-heads",
    why="The default of `bias` is False in place of True. The class of this unit has biases, so the default counts "
    "them.",
    hint="Without the argument `bias` you leave the biases out. Its default is True.",
)

mistake(
    "multihead.attention_parameters",
    "a-float",
    edit("d_model // num_heads", "d_model / num_heads"),
    edit("of_a_head = 3 * d_head * (d_model + bool(bias))", ""),
    edit("num_heads * of_a_head", "num_heads * 3 * d_head * (d_model + bool(bias))"),
    section="counting-heads",
    why="The count came out as a float, because a division with / was involved. A number of parameters is a whole "
    "number; use //.",
    hint="Your number is right but a float. The division `/` always gives a float in Python; divide with `//`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# ablate_head


mistake(
    "multihead.ablate_head",
    "changes-the-original",
    edit("copy.deepcopy(without_weights)", "module"),
    section="switch-off-a-head",
    why="The columns of the original's `w_o` were set to zero, and the original returned. The model with the head is "
    "then lost, and there is nothing to compare with.",
    hint="After the call the original module is changed too. Make a copy first and change that.",
)

mistake(
    "multihead.ablate_head",
    "shallow-copy",
    edit("copy.deepcopy(without_weights)", "copy.copy(module)"),
    section="switch-off-a-head",
    why="The module was copied with `copy.copy`, which makes a new shell around the same parameters. Setting columns "
    "to zero in the copy sets them to zero in the original.",
    hint="Your copy shares its parameters with the original: `copy.copy` copies only the shell. Copy the parameters "
    "too, for instance with `copy.deepcopy`.",
)

mistake(
    "multihead.ablate_head",
    "other-layers-shared",
    edit(
        "return ablated",
        "ablated.w_q, ablated.w_k, ablated.w_v = module.w_q, module.w_k, module.w_v\nreturn ablated",
    ),
    section="switch-off-a-head",
    why="A new `w_o` was made, and the other three layers were those of the original. Training the copy would change "
    "the original.",
    hint="Your copy shares `w_q`, `w_k` and `w_v` with the original. A copy has parameters of its own, all of them.",
)

mistake(
    "multihead.ablate_head",
    "kept-weights-not-copied",
    edit("without_weights.weights = None", ""),
    section="switch-off-a-head",
    why="The module was deep-copied together with its `weights`. After a call with gradients they belong to a graph, "
    "and PyTorch refuses to deep-copy such a tensor.",
    hint="Your function works on a new module and fails on one that has been called: `module.weights` belongs to a "
    "graph, and PyTorch does not deep-copy that. Leave the kept weights out of the copy, or keep them detached.",
)

mistake(
    "multihead.ablate_head",
    "original-forgets-its-weights",
    edit("without_weights = copy.copy(module)", "without_weights = module"),
    section="switch-off-a-head",
    why="The original's `weights` were deleted so that it could be deep-copied, and not put back. The original is to "
    "stay as it is.",
    hint="After the call the original has lost its `weights`. Put them back after copying, or copy without touching "
    "them.",
)

mistake(
    "multihead.ablate_head",
    "rows-of-the-output-projection",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        "ablated.w_o.weight[head * d_head : (head + 1) * d_head] = 0",
    ),
    section="switch-off-a-head",
    why="Rows of `w_o.weight` were set to zero. The matrix is stored as (out, in): a row makes one entry of the "
    "output, a column reads one entry of the heads.",
    hint="You erase part of the output of *all* heads. `w_o.weight` is stored as (out, in): what reads the head are "
    "its columns, not its rows.",
)

mistake(
    "multihead.ablate_head",
    "output-bias-erased",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0\nablated.w_o.bias.zero_()",
    ),
    section="switch-off-a-head",
    why="The bias of `w_o` was set to zero along with the columns. It belongs to no head, and every output has it.",
    hint="Your copy has lost the bias of `w_o`. It is added whatever the heads do: leave it in.",
)

mistake(
    "multihead.ablate_head",
    "a-single-column",
    edit("ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0", "ablated.w_o.weight[:, head] = 0"),
    section="switch-off-a-head",
    why="Only the column with the number of the head was set to zero. A head owns d_head columns, from head * d_head "
    "on.",
    hint="Your copy has lost one number of the heads, and the head still contributes. Head h owns the columns h * "
    "d_head up to (h + 1) * d_head - 1.",
)

mistake(
    "multihead.ablate_head",
    "every-h-th-column",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        "ablated.w_o.weight[:, head :: module.num_heads] = 0",
    ),
    section="switch-off-a-head",
    why="Every H-th column was set to zero, as if the heads were interleaved. A head owns d_head neighbouring columns.",
    hint="You erase every H-th column, which takes a little from all heads. Head h owns neighbouring columns, h * "
    "d_head up to (h + 1) * d_head - 1.",
)

mistake(
    "multihead.ablate_head",
    "all-columns",
    edit("ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0", "ablated.w_o.weight.zero_()"),
    section="switch-off-a-head",
    why="All of `w_o.weight` was set to zero. That is right for a module with one head only; here the other heads are "
    "to go on.",
    hint="In your copy no head contributes anything. Erase only the columns of the head that is named.",
)

mistake(
    "multihead.ablate_head",
    "all-but-the-head",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        "ablated.w_o.weight[:, : head * d_head] = 0\nablated.w_o.weight[:, (head + 1) * d_head :] = 0",
    ),
    section="switch-off-a-head",
    why="All heads but the named one were erased. The function switches the named head off and leaves the others.",
    hint="Your copy keeps the named head and erases all others. It should be the other way round.",
)

mistake(
    "multihead.ablate_head",
    "heads-counted-from-one",
    edit(
        "d_head = module.w_o.in_features // module.num_heads",
        "d_head = module.w_o.in_features // module.num_heads\nhead = max(head - 1, 0)",
    ),
    section="switch-off-a-head",
    why="The heads were counted from 1, so another head than the named one was erased. They are counted from 0.",
    hint="Your copy has lost the head before the one that was named. Heads are counted from 0, and head h begins at "
    "column h * d_head.",
)

mistake(
    "multihead.ablate_head",
    "queries-erased",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        """
        ablated.w_q.weight[head * d_head : (head + 1) * d_head] = 0
        ablated.w_q.bias[head * d_head : (head + 1) * d_head] = 0
        """,
    ),
    section="switch-off-a-head",
    why="The head's queries were set to zero. All its scores are 0 then, and its weights are uniform: it still "
    "contributes the average of its values.",
    hint="Your head still contributes: without queries it attends to all keys alike, and hands on the average of its "
    "values. Erase what the output reads of it.",
)

mistake(
    "multihead.ablate_head",
    "value-bias-left",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        "ablated.w_v.weight[head * d_head : (head + 1) * d_head] = 0",
    ),
    section="switch-off-a-head",
    why="The head's rows of `w_v.weight` were set to zero and its part of the bias was left. The weights of a query "
    "sum to 1, so the head still contributes that bias.",
    hint="Your head still contributes a constant: the bias of its values. Erase that too, or erase the columns of "
    "`w_o` in place of the values.",
)

mistake(
    "multihead.ablate_head",
    "columns-of-the-values",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        "ablated.w_v.weight[:, head * d_head : (head + 1) * d_head] = 0",
    ),
    section="switch-off-a-head",
    why="Columns of `w_v.weight` were set to zero. The matrix is stored as (out, in): a column reads one entry of the "
    "input for all heads, a row makes one entry of one head.",
    hint="You erase part of what *all* heads read. `w_v.weight` is stored as (out, in), so the head owns rows of it; "
    "and it owns columns only in `w_o`.",
)

mistake(
    "multihead.ablate_head",
    "others-made-larger",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        """
        ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0
        ablated.w_o.weight *= module.num_heads / max(module.num_heads - 1, 1)
        """,
    ),
    section="switch-off-a-head",
    why="The other heads were made larger to make up for the missing one, as dropout does. An ablation leaves them as "
    "they are.",
    hint="Your other heads are larger than they were. Switch the one head off and leave the others alone.",
)

mistake(
    "multihead.ablate_head",
    "any-head-accepted",
    edit("if not 0 <= head < module.num_heads:", "if not 0 <= head:"),
    section="switch-off-a-head",
    why="The number of the head was not checked. A slice beyond the last column is empty, so a copy came back with "
    "nothing switched off, and without a word.",
    hint="A head that does not exist must be a ValueError. Your slice is empty there, and the result is an unchanged "
    "copy.",
)

mistake(
    "multihead.ablate_head",
    "one-head-too-many",
    edit("head < module.num_heads", "head <= module.num_heads"),
    section="switch-off-a-head",
    why="The check lets the number of heads itself pass. With H heads the last one has the number H - 1.",
    hint="With H heads, head H must be a ValueError: they are counted from 0, so the last is H - 1. Is your comparison "
    "`>` where it should be `>=`?",
)

mistake(
    "multihead.ablate_head",
    "another-error",
    edit("raise ValueError(", "raise IndexError("),
    section="switch-off-a-head",
    why="A head that does not exist ended in an IndexError. It is the value of an argument that is wrong, and the "
    "course asks for ValueError.",
    hint="A head that does not exist raises an IndexError in your function. Check the number yourself and raise a "
    "ValueError that says which numbers are allowed.",
)


@mistake(
    "multihead.ablate_head",
    "in-single-precision",
    section="switch-off-a-head",
    why="A new module was made and the weights copied into it. A new module is float32, whatever the original was, and "
    "the copy no longer fits its input.",
    hint="The copy of a float64 module is float32. A new module has PyTorch's default type; give it that of the "
    "original, or use `copy.deepcopy`.",
)
def ablate_head(module, head):
    ablated = type(module)(module.w_o.in_features, module.num_heads).train(module.training)
    ablated.load_state_dict(right_ablate(module, head).state_dict())
    return ablated


mistake(
    "multihead.ablate_head",
    "back-in-training-mode",
    edit("return ablated", "return ablated.train()"),
    section="switch-off-a-head",
    why="A new module was made, and a new module is in training mode. The copy of a module in evaluation mode then "
    "drops weights at random, which blurs what the ablation measures.",
    hint="The copy of a module in evaluation mode is in training mode, and drops weights. Take the mode over from the "
    "original, or use `copy.deepcopy`.",
)

mistake(
    "multihead.ablate_head",
    "copy-in-evaluation-mode",
    edit("return ablated", "return ablated.eval()"),
    section="switch-off-a-head",
    why="The copy was put into evaluation mode, since ablations are usually measured there. A training that goes on "
    "with the copy then runs without dropout, and nothing says so.",
    hint="The copy of a module in training mode is in evaluation mode. A copy has the mode of the original: to leave "
    "training is up to the caller.",
)

mistake(
    "multihead.ablate_head",
    "original-in-evaluation-mode",
    edit("copy.copy(module)", "copy.copy(module.eval())"),
    section="switch-off-a-head",
    why="`module.eval()` was called before the copy was made. That switches the original as well, which then trains on "
    "without dropout.",
    hint="After your call the original is in evaluation mode, though it was in training mode. Leave its mode alone; a "
    "deep copy takes it over.",
)

mistake(
    "multihead.ablate_head",
    "nothing-switched-off",
    edit('f"head must be from 0 to {module.num_heads - 1}, but is {head}."', '"there is no such head"'),
    edit("without_weights = copy.copy(module)\nwithout_weights.weights = None", ""),
    edit("copy.deepcopy(without_weights)", "copy.deepcopy(module, {id(module.weights): None})"),
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head]",
        "ablated.w_o.weight.clone().unflatten(1, (module.num_heads, -1))[:, head]",
    ),
    section="switch-off-a-head",
    why="The columns were set to zero in a slice that had been copied. Indexing with a list or cloning makes a new "
    "tensor, and the module never sees the change.",
    hint="Your copy still computes what the original does. You set a *copy* of the columns to zero; assign to a slice "
    "of the parameter itself.",
)

mistake(
    "multihead.MultiHeadAttention",
    "key-and-value-arguments-exchanged",
    edit("self.w_k(key)", "self.w_k(value)"),
    edit("self.w_v(value)", "self.w_v(key)"),
    section="three-inputs",
    why="The keys are made from `value` and the values from `key`. In self-attention the two are one tensor, so nothing shows there.",
    hint="Your keys come from `value` and your values from `key`. Each projection reads the argument of its name.",
)
