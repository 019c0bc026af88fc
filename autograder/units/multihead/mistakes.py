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
    why="Your result has the right shape, but the heads hold different positions. You reshaped in one step, which "
    "deals out the numbers in the order of memory. Which axis should be split first, and which two axes change "
    "places afterwards?",
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
    why="The heads of one position would attend to each other, instead of the positions of one head. You split the "
    "width and left the axes as (B, T, H, d_head). Which two axes must be last?",
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
    why="Your head 0 holds every H-th entry of a position instead of the first d_head. Trained weights are stored so "
    "that a head owns neighbouring entries. When you split the last axis in two, which of the two sizes comes first?",
    hint="Your head 0 holds every H-th entry of a position where it should hold the first d_head. When you cut the "
    "last axis in two, which of the two comes first, H or d_head?",
)

mistake(
    "multihead.split_heads",
    "head-count-as-width",
    edit("x.reshape(b, t, num_heads, d_model // num_heads)", "x.reshape(b, t, d_model // num_heads, num_heads)"),
    section="split-and-merge",
    why="You get d_model / num_heads heads of width num_heads, which goes unnoticed with 8 heads in a width of 64. "
    "You exchanged the two sizes. Which number does the argument give: heads or entries?",
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
    why="Each of your heads is (d_head, T), with a column for each position. You exchanged the last two axes, too, "
    "which belongs in the product of queries and keys. What should a row of a head stand for?",
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
    why="Your result is (H, B, T, d_head), and masks of shape (B, 1, T_q, T_k) no longer fit. You put the heads "
    "before the batch. Which axis comes first everywhere in this course?",
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
    why="Your result has three axes, (B * H, T, d_head), and masks with a batch axis no longer fit. You merged the "
    "batch and the heads. How many axes should the result have?",
    hint="Your result has three axes, (B * H, T, d_head). Keep the heads on an axis of their own behind the batch: (B, "
    "H, T, d_head).",
)

mistake(
    "multihead.split_heads",
    "sequence-cut-into-heads",
    edit("x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)", "torch.stack(x.chunk(num_heads, dim=1), dim=1)"),
    base="unflatten",
    section="split-and-merge",
    why="Each head sees only a part of the sequence, at full width. You cut the positions into pieces. Which axis "
    "should be shared out among the heads?",
    hint="Your heads hold different stretches of the sequence. Cut the *last* axis: each head gets all T positions, "
    "and d_head numbers of each.",
)


@mistake(
    "multihead.split_heads",
    "rest-dropped",
    section="split-and-merge",
    why="With a width of 10 and 4 heads, the last 2 entries vanish without a message. You dropped what could not be "
    "shared evenly, so a model would lose part of every vector. How should the function react instead?",
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
    why="Your heads are right but in reverse order, so copied weights meet the wrong head. You began with the last "
    "part of the width. Which entries belong to head 0?",
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
    why="Each of your heads is as wide as the model. You gave every head a copy of the whole width, which costs H "
    "times as much. How should the width be shared?",
    hint="Each of your heads is as wide as the model. The width is shared out: d_model / num_heads for each head.",
)


# ---------------------------------------------------------------------------------------------------------------------
# merge_heads


mistake(
    "multihead.merge_heads",
    "reshaped-without-transpose",
    edit("return x.transpose(1, 2).flatten(2)", "b, h, t, d_head = x.shape\nreturn x.reshape(b, t, h * d_head)"),
    section="split-and-merge",
    why="Your result has the right shape, but a row holds several positions of one head, so later positions leak "
    "into earlier ones. You reshaped in one step, while memory still holds all of head 0 first. Which two axes must "
    "change places before you join the last two?",
    hint="Your result has the right shape and the wrong numbers: a row holds several positions of one head. Exchange H "
    "and T first, then join the last two axes.",
)

mistake(
    "multihead.merge_heads",
    "view-of-a-transposed-tensor",
    edit("x.transpose(1, 2).contiguous()", "x.transpose(1, 2)"),
    base="contiguous-then-view",
    section="views-and-strides",
    why="Your function fails on some inputs with an error about strides. You used `view`, which never moves numbers. "
    "After a transpose the heads of a position are not adjacent in memory. Which operation copies when it must?",
    hint="`view` cannot join H and d_head here, because the transpose has left them far apart in memory. Use `reshape` "
    "or `flatten`, which copy when they must, or call `contiguous()` first.",
)

mistake(
    "multihead.merge_heads",
    "heads-interleaved",
    edit("x.transpose(1, 2)", "x.permute(0, 2, 3, 1)"),
    section="split-and-merge",
    why="Your rows alternate between the heads: entry 0 of all heads, then entry 1. You joined the axes in the wrong "
    "order. Which axis must stand directly before d_head?",
    hint="Your rows alternate between the heads. Head 0 comes whole, then head 1: the axis H must stand directly "
    "before d_head when you join the two.",
)

mistake(
    "multihead.merge_heads",
    "heads-added-up",
    edit("x.transpose(1, 2).flatten(2)", "x.sum(1)"),
    section="output-projection",
    why="Your result is only d_head wide. You added the heads up, and a sum cannot be taken apart again. How can a "
    "position keep what each head found?",
    hint="Your result is only d_head wide, because the heads are added up. They are put side by side: H * d_head "
    "numbers for each position.",
)

mistake(
    "multihead.merge_heads",
    "heads-averaged",
    edit("x.transpose(1, 2).flatten(2)", "x.mean(1)"),
    section="output-projection",
    why="Your result is only d_head wide. You averaged the heads, so what one head found can no longer be separated "
    "from the rest. How can a position keep what each head found?",
    hint="Your result is only d_head wide, because the heads are averaged. They are put side by side: H * d_head "
    "numbers for each position.",
)

mistake(
    "multihead.merge_heads",
    "not-joined",
    edit("x.transpose(1, 2).flatten(2)", "x.transpose(1, 2)"),
    section="split-and-merge",
    why="Your result still has four axes. You exchanged heads and positions and stopped there, but the output "
    "projection expects one vector per position. Which two axes remain to be joined?",
    hint="Your result still has four axes. Join the last two, H and d_head, into one of width H * d_head.",
)

mistake(
    "multihead.merge_heads",
    "last-axes-exchanged",
    edit("x.transpose(1, 2).contiguous().view", "x.transpose(2, 3).reshape"),
    base="contiguous-then-view",
    section="split-and-merge",
    why="Your shape is right, but your rows mix positions. You exchanged the last two axes instead of "
    "heads and positions. Which two axes of (B, H, T, d_head) have to change places?",
    hint="You exchange the last two axes. H and T have to change places: axes 1 and 2 of (B, H, T, d_head).",
)

mistake(
    "multihead.merge_heads",
    "heads-as-positions",
    edit("x.transpose(1, 2).flatten(2)", "x.flatten(1, 2)"),
    section="split-and-merge",
    why="Your result is H times as long as the sequence. You joined the heads along the positions. How often should "
    "each position appear in the result?",
    hint="Your result is H times as long as the sequence. Join the heads along the width, not along the positions.",
)

mistake(
    "multihead.merge_heads",
    "batch-and-positions-exchanged",
    edit("x.transpose(1, 2)", "x.permute(2, 0, 1, 3)"),
    section="split-and-merge",
    why="Your result is (T, B, d). You put the sequence first, as some libraries do. Which axis comes first everywhere "
    "in this course?",
    hint="Your result is (T, B, d): the batch and the positions have changed places. The batch stays in front.",
)

mistake(
    "multihead.merge_heads",
    "heads-reversed",
    edit("x.transpose(1, 2).flatten(2)", "torch.cat(list(x.unbind(1))[::-1], dim=-1)"),
    section="split-and-merge",
    why="Your rows hold the heads in reverse order, so the columns of `w_o` read the wrong heads. You began with the "
    "last head. Which head comes first in `split_heads`?",
    hint="Your rows hold the heads in reverse order. Head 0 comes first, in the order in which `split_heads` made "
    "them.",
)

mistake(
    "multihead.merge_heads",
    "only-the-first-head",
    edit("x.transpose(1, 2).flatten(2)", "x[:, 0]"),
    section="split-and-merge",
    why="Your result is only d_head wide. You returned the first head and threw the others away. How many heads "
    "should each row contain?",
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
    why="Your output has the right shape and the wrong numbers, and with a causal mask the future leaks in. You "
    "split the projections by one reshape, so a head holds whole positions. Which axis should be split first, and "
    "which two change places afterwards?",
    hint="Your output has the right shape and the wrong numbers. The projections are cut into heads by one reshape, "
    "which deals out positions; cut the last axis into (H, d_head) first, then exchange T and H.",
)

mistake(
    "multihead.MultiHeadAttention",
    "merged-without-transpose",
    edit("merge_heads(heads)", "heads.reshape(query.shape)"),
    section="split-and-merge",
    why="Your weights are right, but a row of the output mixes several positions of one head. You joined the heads "
    "by a reshape alone. Which two axes must change places first?",
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
    why="Weights that were trained elsewhere do not fit your heads. Head h got the entries h, h + H, h + 2H, while "
    "trained heads own neighbouring entries. When you split the last axis in two, which of the two sizes comes first?",
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
    why="Your weights are (B, T, H, H): at each position the heads attend to each other, and no position looks at "
    "another. You did not exchange positions and heads before the product. Which two axes of `q` must be last?",
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
    why="Your weights have a single head, whatever `num_heads` is. You ignored the argument, so each query has one "
    "row of weights for everything it needs. What must be split before the attention?",
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
    why="Your weights have d_model / num_heads heads, which goes unnoticed with 8 heads of width 8. You exchanged "
    "the number of heads and their width. Which of the two is `num_heads`?",
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
    why="Your weights are too even. You divided by the root of the model width, but the vectors that you multiply "
    "are narrower. How wide are they?",
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
    why="Your weights sum to 1 but are too sharp. You did not divide the dot products by anything, and their spread "
    "grows with the width of a head. Which of your functions already applies the scale?",
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
    why="Your columns sum to 1, not your rows. You took the softmax over axis 2 of (B, H, T_q, T_k), the queries. Over "
    "which axis does a query share out its attention?",
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
    why="For each pair of positions, the weights of your heads sum to 1. You took the softmax over the axis of the "
    "heads, so they compete with each other. Over which axis does each head share out its attention?",
    hint="For each pair of positions the weights of your heads sum to 1. Every head has rows of its own: normalise "
    "over the keys, the last axis.",
)

mistake(
    "multihead.MultiHeadAttention",
    "no-output-projection",
    edit("self.w_o(merge_heads(heads))", "merge_heads(heads)"),
    section="output-projection",
    why="Each part of the output comes from a single head, and `w_o` has no effect. You returned the merged heads as "
    "they are. Which layer mixes what the heads have found?",
    hint="`w_o` has no effect on your output. After merging, the heads have to go through this layer, which mixes "
    "them.",
)

mistake(
    "multihead.MultiHeadAttention",
    "output-layer-of-the-queries",
    edit("self.w_o(merge_heads(heads))", "self.w_q(merge_heads(heads))"),
    section="output-projection",
    why="`w_o` has no effect on your output. You passed the merged heads through `w_q`. How many layers does the "
    "module have, and which one comes last?",
    hint="`w_o` has no effect on your output: the merged heads pass through `w_q`. There are four layers, and the last "
    "one is `w_o`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "output-projection-before-merging",
    edit("self.w_v(value)", "self.w_o(self.w_v(value))"),
    edit("self.w_o(merge_heads(heads))", "merge_heads(heads)"),
    section="output-projection",
    why="The heads are never mixed. You applied the output projection to the values, before the heads averaged "
    "anything. After which step should it come?",
    hint="You apply `w_o` to the values, before the heads have averaged anything. It comes last, after the heads have "
    "been put side by side.",
)

mistake(
    "multihead.MultiHeadAttention",
    "values-from-the-key-layer",
    edit("self.w_v(value)", "self.w_k(value)"),
    section="three-inputs",
    why="`w_v` has no effect and gets no gradient. You made the values with `w_k`. Keys decide how a position is "
    "found, and values decide what it passes on. Which layer makes each of them?",
    hint="`w_v` has no effect on your output: the values come out of `w_k`. Keys decide how a position is found, and "
    "values what it passes on: each has its own layer.",
)

mistake(
    "multihead.MultiHeadAttention",
    "keys-and-values-exchanged",
    edit("self.w_k(key)", "self.w_v(key)"),
    edit("self.w_v(value)", "self.w_k(value)"),
    section="three-inputs",
    why="Trained weights give wrong results in your module, although the shapes agree. `w_v` makes your keys and "
    "`w_k` your values. What do the letters of the layers stand for?",
    hint="Your keys come out of `w_v` and your values out of `w_k`. The letter in a layer's name stands for what the "
    "layer makes.",
)

mistake(
    "multihead.MultiHeadAttention",
    "queries-and-keys-exchanged",
    edit("self.w_q(query)", "self.w_k(query)"),
    edit("self.w_k(key)", "self.w_q(key)"),
    section="three-inputs",
    why="Trained weights give wrong results in your module, although the shapes agree. `w_k` makes your queries and "
    "`w_q` your keys. What do the letters of the layers stand for?",
    hint="Your queries come out of `w_k` and your keys out of `w_q`. The letter in a layer's name stands for what the "
    "layer makes.",
)

mistake(
    "multihead.MultiHeadAttention",
    "self-attention-only",
    edit("self.w_k(key)", "self.w_k(query)"),
    edit("self.w_v(value)", "self.w_v(query)"),
    section="three-inputs",
    why="The arguments `key` and `value` have no effect, so attention between encoder and decoder fails. You made "
    "everything from `query`. Which argument belongs to each projection?",
    hint="The arguments `key` and `value` have no effect on your output: you make everything from `query`. Keys come "
    "from `key` and values from `value`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "values-from-the-keys",
    edit("self.w_v(value)", "self.w_v(key)"),
    section="three-inputs",
    why="The argument `value` has no effect. You made the values from `key`, and the two are often the same tensor, "
    "but not always. Which argument belongs to `w_v`?",
    hint="The argument `value` has no effect on your output. Apply `w_v` to `value`, not to `key`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "keys-from-the-values",
    edit("self.w_k(key)", "self.w_k(value)"),
    section="three-inputs",
    why="The argument `key` has no effect. You made the keys from `value`, and the two are often the same tensor, "
    "but not always. Which argument belongs to `w_k`?",
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
    why="Your module fails when `key` is longer or shorter than `query`. You split keys and values with the length "
    "of the queries. Which length do they have?",
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
    why="Your result is the same with and without a mask, so padding and the future are visible. `forward` takes the "
    "mask and does not pass it on. Which function needs it?",
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
    why="Your weights are zero exactly where they should not be. You inverted the mask before you passed it on. What "
    "does True mean in this course's masks?",
    hint="Your weights are zero exactly where they should not be: you invert the mask. Pass it on as it is.",
)

mistake(
    "multihead.MultiHeadAttention",
    "two-axes-read-as-padding",
    edit(
        "q = split_heads(",
        "if mask is not None and mask.dim() == 2:\n    mask = mask[:, None, None, :]\nq = split_heads(",
    ),
    section="masks-for-heads",
    why="A causal mask is read as padding. You treated a mask of two axes as (B, T_k), as some libraries do. Which "
    "two axes does such a mask have in this course?",
    hint="You read a mask of two axes as (B, T_k). Here it is (T_q, T_k), the same for all sequences, as a causal mask "
    "is. Pass the mask on as it is.",
)

mistake(
    "multihead.MultiHeadAttention",
    "two-axes-read-by-their-sizes",
    edit(
        "q = split_heads(",
        "if mask is not None and mask.shape == key.shape[:2]:\n    mask = mask[:, None, None, :]\nq = split_heads(",
    ),
    section="masks-for-heads",
    why="With as many queries as sequences, a causal mask turns into one of padding. You guessed the meaning of a "
    "mask from its sizes, which cannot tell the two apart. Which two axes does such a mask always have here?",
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
    why="With a mask of four axes you get a result of five, or an error. You inserted an axis for heads, and the "
    "mask already has one. Which shape do masks have when they arrive?",
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
    why="Padding of one sequence acts on a head instead, or the shapes clash. You removed the axis of length 1 from "
    "the mask, so its batch axis lines up with the heads. What does this axis of length 1 mean?",
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
    why="All sequences of the batch are masked like the first one. You indexed the batch axis of the mask. Which "
    "axes can broadcasting handle by itself?",
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
    why="All heads are masked like the first one. A mask of shape (B, H, T_q, T_k) may differ between heads, and you "
    "used only its first head. Which axes can broadcasting handle by itself?",
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
    why="Early positions never look at later ones, even without a mask. You built in a causal mask, but an encoder "
    "looks both ways. Who decides which keys may be seen?",
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
    why="With a mask your rows sum to less than 1. You erased weights after the softmax, when the forbidden keys had "
    "already taken their share. Where does the mask belong?",
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
    why="Forbidden keys still get weight. You added the mask to the scores as 0 and 1, which only favours the "
    "allowed keys. Which value does a forbidden score need?",
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
    why="A query that may attend to nothing comes out as NaN, which spreads through the output. All its scores are "
    "-inf, and their softmax is 0 / 0. Which of your functions already handles such a row?",
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
    why="A query that may attend to nothing reads a uniform average of what it may not see. You filled forbidden "
    "scores with -1e9, so in such a row all scores are equal. What should its weights be?",
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
    why="The output of a query that may attend to nothing is 0. You set it to 0 after `w_o`. What does a linear "
    "layer return when its input is 0?",
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
    why="`self.weights` is (B, T_q, T_k). You averaged over the heads, as PyTorch's module does by default, and lost "
    "how they differ. How many axes should the weights keep?",
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
    why="`self.weights` holds numbers below 0 or above 1. You stored the scores from before the softmax. Which "
    "tensor multiplied the values?",
    hint="`self.weights` holds numbers below 0 or above 1: these are scores. Keep what the softmax makes of them.",
)

mistake(
    "multihead.MultiHeadAttention",
    "weights-not-kept",
    edit("heads, self.weights", "heads, _"),
    section="stored-weights",
    why="`self.weights` is missing or None after a call. You used the weights and forgot them, but they show what "
    "the heads look at. Which function returns them?",
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
    why="After a second call, `self.weights` still holds the weights of the first. You stored them only once. Which "
    "call should they belong to?",
    hint="After a second call, `self.weights` still holds the weights of the first. Store them on every call.",
)

mistake(
    "multihead.MultiHeadAttention",
    "returns-a-pair",
    edit("self.w_o(merge_heads(heads))", "self.w_o(merge_heads(heads)), self.weights"),
    section="stored-weights",
    why="`forward` returns a pair where callers expect one tensor. You returned the weights along with the output. "
    "Where does this class keep its weights?",
    hint="`forward` returns a pair, and the task needs one tensor. Return the output; the weights go to "
    "`self.weights`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "head-outputs-dropped",
    edit("scaled_dot_product_attention(q, k, v, mask, self.dropout)", "scaled_dot_product_attention(q, k, v, mask)"),
    edit("merge_heads(heads)", "self.dropout(merge_heads(heads))"),
    section="stored-weights",
    why="In training mode all attention weights are kept, and single numbers of the heads' outputs are erased. You "
    "applied dropout to the outputs of the heads, but it should cut connections between queries and keys. On which "
    "tensor should it act?",
    hint="In training your dropout erases single numbers of what the heads found. It should act on the attention "
    "weights: pass it on to `scaled_dot_product_attention`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "heads-dropped-before-they-merge",
    edit("scaled_dot_product_attention(q, k, v, mask, self.dropout)", "scaled_dot_product_attention(q, k, v, mask)"),
    edit("merge_heads(heads)", "merge_heads(self.dropout(heads))"),
    section="stored-weights",
    why="In training mode all attention weights are kept, and single numbers of the heads' outputs are erased. You "
    "applied dropout to the outputs of the heads, but it should cut connections between queries and keys. On which "
    "tensor should it act?",
    hint="In training your dropout erases single numbers of what the heads found. It should act on the attention "
    "weights: pass it on to `scaled_dot_product_attention`.",
)


@mistake(
    "multihead.MultiHeadAttention",
    "drops-in-evaluation",
    section="stored-weights",
    why="In evaluation mode your module still drops weights, and each call gives another result. The functional "
    "dropout assumes training mode unless you say otherwise. How does a module know its mode?",
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
    why="No weight is dropped in training, whatever `dropout` says. You accepted the argument and did not use it. On "
    "which tensor should dropout act?",
    hint="With dropout=0.4, no weight of your module is dropped in training. Make an `nn.Dropout` with this rate and "
    "pass it to `scaled_dot_product_attention`.",
)
class MultiHeadAttention(RightAttention):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__(d_model, num_heads)


@mistake(
    "multihead.MultiHeadAttention",
    "probability-of-keeping",
    section="stored-weights",
    why="With `dropout=0.4` your module drops 60 % of its weights. You read the argument as the share that is kept. "
    "What does `nn.Dropout` expect?",
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
    why="A module built without the argument `dropout` drops weights in training. Your default is 0.1. Which default "
    "does the task give?",
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
    why="Trained biases cannot be loaded into your module. You built the linear layers without a bias, but this "
    "course's attention has one. What is the default of `nn.Linear`?",
    hint="Your linear layers have no bias. `nn.Linear` has one by default: leave it in.",
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
    why="Your projections are H times too large. You gave every head the full width, but the paper divides the width "
    "among the heads. Which shape does each layer then have?",
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
    why="There is room for only one head in your projections. You made them d_head wide. How many numbers do all "
    "heads need together?",
    hint="`w_q`, `w_k` and `w_v` are d_head wide: room for one head only. One layer holds the rows of all heads, so it "
    "is d_model by d_model.",
)

mistake(
    "multihead.MultiHeadAttention",
    "one-layer-for-all-three",
    edit("self.weights = None", "self.weights = None\nself.w_q = self.w_k = self.w_v"),
    section="one-large-product",
    why="In self-attention your queries equal your keys, and a weight that is copied into one projection appears in "
    "all three. You used one layer as `w_q`, `w_k` and `w_v`. How many layers do three separate maps need?",
    hint="Your three projections are one and the same layer. Make four layers: queries, keys, values and the output "
    "each need a map of their own.",
)


@mistake(
    "multihead.MultiHeadAttention",
    "uneven-heads-accepted",
    section="split-and-merge",
    why="`MultiHeadAttention(10, 4)` builds a module that fails, or loses part of the width, when it is called. You "
    "did not check that the heads divide d_model. When should the error be raised?",
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
    why="A number of heads that does not divide d_model ends in an AssertionError, and under `python -O` in no error "
    "at all. You checked the argument with `assert`. Which error does the course use for a wrong argument?",
    hint="A number of heads that does not divide d_model ends in an AssertionError. Test the numbers yourself and "
    "raise a ValueError, with a message that names both.",
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
    why="Your output is the right one plus `query`. You added the residual connection, which belongs to the block "
    "around attention ({chapter}`blocks`). What should this module return?",
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
    why="Your positions attend to other sequences of the batch. You exchanged the first two axes, as for layers that "
    "expect the sequence first. Which axis comes first everywhere in this course?",
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
    why="The second call still attends to the keys of the first. You stored keys and values and used them again. "
    "Which of your results depend on the arguments of this call?",
    hint="The second call of your module still attends to the keys of the first. Compute keys and values from the "
    "arguments of this call.",
)


@mistake(
    "multihead.MultiHeadAttention",
    "keeps-the-first-mask",
    section="masks-for-heads",
    why="A later call still follows the mask of an earlier one, although its padding is elsewhere. You stored the "
    "mask in the module. What should a call without a mask do?",
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
    why="Training one module changes all others of the same width. You kept the layers outside the object, where "
    "modules share them. Where should layers be created?",
    hint="Two modules of yours share their weights: what changes one changes the other. Make new layers in `__init__`, "
    "and store them on the object.",
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
    why="Your module changes when another one with a different number of heads is built. You stored the number of "
    "heads on the class. Where should a module store what belongs to it alone?",
    hint="Your module changes when another one with a different number of heads is built: the number of heads is kept "
    "on the class. Keep it on the object.",
)

mistake(
    "multihead.MultiHeadAttention",
    "scaled-twice",
    edit(
        "v = split_heads(self.w_v(value), self.num_heads)  # (B, H, T_k, d_head)",
        "v = split_heads(self.w_v(value), self.num_heads)\nq = q / math.sqrt(q.shape[-1])  # (B, H, T_k, d_head)",
    ),
    section="head-width-scale",
    why="Your weights are too even. You divided the queries by the root of the head's width, and "
    "`scaled_dot_product_attention` divides again. Which of the two should do it?",
    hint="Your weights are too even: the scale is applied twice. `scaled_dot_product_attention` divides by the root of "
    "the head's width; leave the scale to this function.",
)

mistake(
    "multihead.MultiHeadAttention",
    "output-bias-forgotten",
    edit("self.w_o(merge_heads(heads))", "merge_heads(heads) @ self.w_o.weight.T"),
    section="output-projection",
    why="Your output lacks the bias of `w_o`. You multiplied by its weight alone. What does calling the layer add?",
    hint="Your output lacks the bias of `w_o`. Call the layer instead of using its weight alone.",
)

mistake(
    "multihead.MultiHeadAttention",
    "output-weight-transposed",
    edit("self.w_o(merge_heads(heads))", "merge_heads(heads) @ self.w_o.weight + self.w_o.bias"),
    section="output-projection",
    why="`w_o` acts with its rows and columns exchanged. You multiplied by its weight, which is stored as (out, in). "
    "What does calling the layer do with this matrix?",
    hint="`w_o` acts with its rows and columns exchanged. Its weight is stored as (out, in). Call the layer, which "
    "takes care of that.",
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
    why="When the allowed scores are very low, the forbidden keys get all the weight. You filled with -10000, which "
    "is a score like any other. Which value is below every score?",
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
    why="In training all heads and sequences lose the same weights. You drew one pattern and used it everywhere. How "
    "many random numbers does a tensor of weights need?",
    hint="In training your heads all lose the same weights. Draw a number for every weight, with an `nn.Dropout` on "
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
    why="In float64 your result is right to only seven digits. You converted to float32 inside. Which type should all "
    "steps have?",
    hint="In float64 your result is right to seven digits only, because you convert to float32 inside. Keep the type "
    "of the input.",
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
    why="No gradient reaches `w_q` and `w_k`, so they never learn where to look. You detached the weights before "
    "they multiplied the values. Which copy of the weights may be detached?",
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
    why="Your weights vanish when a forbidden score is far above the allowed ones. You masked after the softmax, "
    "when that score had already taken the whole row. Where does the mask belong?",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax: `scaled_dot_product_attention` does so if you pass it the mask.",
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
    why="Your weights vanish when a forbidden score is far above the allowed ones. You masked after the softmax and "
    "divided by the remaining sum plus a small number, which then dominates. Where does the mask belong?",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax; then no epsilon is needed.",
)

mistake(
    "multihead.MultiHeadAttention",
    "scaled-by-a-constant",
    edit("math.sqrt(q.shape[-1])", "math.sqrt(64)"),
    base="scores-written-out",
    section="head-width-scale",
    why="Your scale does not follow the width of a head. You wrote the root of 64 as a number, which fits only heads "
    "of width 64, as in the paper. Where can you read the width?",
    hint="Your scale does not follow the width of a head. Divide by the root of the length of the last axis of `q`.",
)

mistake(
    "multihead.MultiHeadAttention",
    "scaled-by-the-number-of-heads",
    edit("math.sqrt(q.shape[-1])", "math.sqrt(self.num_heads)"),
    base="scores-written-out",
    section="head-width-scale",
    why="Your scale changes with the number of heads. You divided by its root, but a dot product sums over the width "
    "of a head. Where can you read that width?",
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
    why="Your count is a quarter too small. You counted queries, keys and values only. Which projection is missing?",
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
    why="Your count grows with the number of heads. You gave each head projections of full width. To how many numbers "
    "does a head project when the heads share the width?",
    hint="Your count grows with the number of heads. A head projects to d_model / num_heads numbers, not to d_model: "
    "what does that make for all heads together?",
)

mistake(
    "multihead.attention_parameters",
    "everything-times-heads",
    edit("4 * d_model", "num_heads * 4 * d_model"),
    base="four-layers",
    section="counting-heads",
    why="Your count is num_heads times too large. You multiplied a whole attention by the number of heads. What do "
    "the heads share?",
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
    why="Your count is too small, and it shrinks as the number of heads grows. You counted the projections of a single "
    "head. How many heads are there, and what cancels?",
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
    why="Your count of `w_o` is too small. You assumed that it reads a single head. How wide are all heads side by "
    "side?",
    hint="Your count of `w_o` is too small: it reads the heads side by side, H * d_head = d_model numbers, and not "
    "those of one head.",
)

mistake(
    "multihead.attention_parameters",
    "biases-forgotten",
    edit("d_model + bool(bias)", "d_model"),
    base="four-layers",
    section="counting-heads",
    why="Your count is too small when there are biases. You counted only the matrices. How many biases does each of "
    "the four layers have?",
    hint="Your count leaves out the biases. With bias=True each of the four layers has d_model of them.",
)

mistake(
    "multihead.attention_parameters",
    "biases-always-counted",
    edit("bool(bias)", "1"),
    base="four-layers",
    section="counting-heads",
    why="With `bias=False` your count still contains biases. You did not use the argument. How many biases does a "
    "layer with `bias=False` have?",
    hint="With bias=False your count still contains 4 * d_model biases. Add them only if `bias` is true.",
)

mistake(
    "multihead.attention_parameters",
    "three-biases",
    edit("4 * d_model * (d_model + bool(bias))", "4 * d_model * d_model + 3 * d_model * bool(bias)"),
    base="four-layers",
    section="counting-heads",
    why="Your count is d_model too small when there are biases. You counted them for queries, keys and values. Which "
    "layer is missing?",
    hint="Your count is d_model too small when there are biases: the bias of `w_o` is missing.",
)

mistake(
    "multihead.attention_parameters",
    "one-bias-for-all",
    edit("4 * d_model * (d_model + bool(bias))", "4 * d_model * d_model + d_model * bool(bias)"),
    base="four-layers",
    section="counting-heads",
    why="Your count is 3 * d_model too small when there are biases. You counted one bias for all four layers. Which "
    "layers share a bias?",
    hint="With biases your count is 3 * d_model too small: each of the four layers has a bias of its own.",
)

mistake(
    "multihead.attention_parameters",
    "a-bias-is-one-number",
    edit("4 * d_model * (d_model + bool(bias)", "4 * (d_model * d_model + bool(bias)"),
    base="four-layers",
    section="counting-heads",
    why="Your count is too small when there are biases. You counted one number per bias. How many outputs does a "
    "layer have, and what does each get?",
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
    why="Without the argument `bias`, your count leaves the biases out. Your default is False, but the class of this "
    "unit has biases. Which default does the task give?",
    hint="Without the argument `bias` you leave the biases out. Its default is True.",
)

mistake(
    "multihead.attention_parameters",
    "a-float",
    edit("d_model // num_heads", "d_model / num_heads"),
    edit("of_a_head = 3 * d_head * (d_model + bool(bias))", ""),
    edit("num_heads * of_a_head", "num_heads * 3 * d_head * (d_model + bool(bias))"),
    section="counting-heads",
    why="Your number is right, but it is a float. In Python the division `/` always gives a float. Which operator "
    "divides whole numbers?",
    hint="Your number is right but a float. The division `/` always gives a float in Python; divide with `//`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# ablate_head


mistake(
    "multihead.ablate_head",
    "changes-the-original",
    edit("copy.deepcopy(without_weights)", "module"),
    section="switch-off-a-head",
    why="After the call, the original module is changed, so there is nothing to compare with. You erased the columns "
    "in the module that was passed in. On which object should you work?",
    hint="After the call the original module is changed too. Make a copy first and change that.",
)

mistake(
    "multihead.ablate_head",
    "shallow-copy",
    edit("copy.deepcopy(without_weights)", "copy.copy(module)"),
    section="switch-off-a-head",
    why="Erasing columns in your copy erases them in the original. You used `copy.copy`, which makes a new shell "
    "around the same parameters. Which copy duplicates the parameters, too?",
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
    why="Training the copy would change the original. You made a new `w_o` and shared the other three layers. Which "
    "parameters should a copy own?",
    hint="Your copy shares `w_q`, `w_k` and `w_v` with the original. A copy has parameters of its own, all of them.",
)

mistake(
    "multihead.ablate_head",
    "kept-weights-not-copied",
    edit("without_weights.weights = None", ""),
    section="switch-off-a-head",
    why="Your function works on a new module and fails on one that has been called. After a call with gradients the "
    "stored weights belong to a graph, and PyTorch does not deep-copy such a tensor. What can you leave out of the "
    "copy?",
    hint="Your function works on a new module and fails on one that has been called: `module.weights` belongs to a "
    "graph, and PyTorch does not deep-copy that. Leave the kept weights out of the copy, or keep them detached.",
)

mistake(
    "multihead.ablate_head",
    "original-forgets-its-weights",
    edit("without_weights = copy.copy(module)", "without_weights = module"),
    section="switch-off-a-head",
    why="After the call, the original has lost its `weights`. You deleted them so that the module could be copied. "
    "How can you copy without touching the original?",
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
    why="Part of the output of all heads is erased. You set rows of `w_o.weight` to zero, and the matrix is stored "
    "as (out, in). Which of its slices reads a single head?",
    hint="You erase part of the output of *all* heads. `w_o.weight` is stored as (out, in): its columns read the head, "
    "not its rows.",
)

mistake(
    "multihead.ablate_head",
    "output-bias-erased",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0\nablated.w_o.bias.zero_()",
    ),
    section="switch-off-a-head",
    why="Your copy has lost the bias of `w_o`, which every output has. You erased it along with the columns. Does "
    "this bias belong to a head?",
    hint="Your copy has lost the bias of `w_o`. It is added whatever the heads do: leave it in.",
)

mistake(
    "multihead.ablate_head",
    "a-single-column",
    edit("ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0", "ablated.w_o.weight[:, head] = 0"),
    section="switch-off-a-head",
    why="The head still contributes. You erased a single column, the one with the number of the head. How many "
    "columns does a head own, and where do they begin?",
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
    why="All heads lose a little. You erased every H-th column, as if the heads were interleaved. Which columns "
    "belong to head h?",
    hint="You erase every H-th column, which takes a little from all heads. Head h owns neighbouring columns, h * "
    "d_head up to (h + 1) * d_head - 1.",
)

mistake(
    "multihead.ablate_head",
    "all-columns",
    edit("ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0", "ablated.w_o.weight.zero_()"),
    section="switch-off-a-head",
    why="In your copy no head contributes anything. You erased the whole weight of `w_o`, which is right only for a "
    "module with a single head. Which columns belong to the named head?",
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
    why="Your copy keeps the named head and erases all others. Your selection is inverted. Which heads should go on "
    "working?",
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
    why="Your copy has lost the head before the named one. You counted the heads from 1. At which column does head 0 "
    "begin?",
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
    why="The head still contributes the average of its values. You erased its queries, so all its scores are 0 and "
    "its weights uniform. Which layer reads what the head found?",
    hint="Your head still contributes: without queries it attends to all keys alike, and hands on the average of its "
    "values. Erase what the output layer reads from the head.",
)

mistake(
    "multihead.ablate_head",
    "value-bias-left",
    edit(
        "ablated.w_o.weight[:, head * d_head : (head + 1) * d_head] = 0",
        "ablated.w_v.weight[head * d_head : (head + 1) * d_head] = 0",
    ),
    section="switch-off-a-head",
    why="The head still contributes a constant. You erased its rows of `w_v.weight` and left its part of the bias. The "
    "weights of a query sum to 1, so they pass this bias on in full. What else makes the head's values?",
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
    why="Part of what all heads read is erased. You set columns of `w_v.weight` to zero, and the matrix is stored as "
    "(out, in). In which layer does a head own columns?",
    hint="You erase part of what *all* heads read. `w_v.weight` is stored as (out, in), so the head owns rows there. "
    "It owns columns only in `w_o`.",
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
    why="The other heads are larger than they were. You scaled them up to make up for the missing one, as dropout "
    "does. What should an ablation do to them?",
    hint="Your other heads are larger than they were. Switch the one head off and leave the others alone.",
)

mistake(
    "multihead.ablate_head",
    "any-head-accepted",
    edit("if not 0 <= head < module.num_heads:", "if not 0 <= head:"),
    section="switch-off-a-head",
    why="A head that does not exist gives an unchanged copy and no message. You did not check its number, and a "
    "slice beyond the last column is empty. How should the function react instead?",
    hint="A head that does not exist must raise a ValueError. Your slice is empty there, and the result is an "
    "unchanged copy.",
)

mistake(
    "multihead.ablate_head",
    "one-head-too-many",
    edit("head < module.num_heads", "head <= module.num_heads"),
    section="switch-off-a-head",
    why="With H heads, your check accepts head H. Heads are counted from 0, so the last one is H - 1. Which comparison "
    "lets H through?",
    hint="With H heads, head H must raise a ValueError: they are counted from 0, so the last is H - 1. On which side "
    "of your comparison does H itself fall?",
)

mistake(
    "multihead.ablate_head",
    "another-error",
    edit("raise ValueError(", "raise IndexError("),
    section="switch-off-a-head",
    why="A head that does not exist ends in an IndexError. The value of an argument is wrong here. Which error does "
    "the course use for that?",
    hint="A head that does not exist raises an IndexError in your function. Check the number yourself and raise a "
    "ValueError that says which numbers are allowed.",
)


@mistake(
    "multihead.ablate_head",
    "in-single-precision",
    section="switch-off-a-head",
    why="The copy of a float64 module is float32 and no longer fits its input. You built a new module, which has "
    "PyTorch's default type. From where can the copy take its type?",
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
    why="The copy of a module in evaluation mode drops weights at random. You built a new module, which starts in "
    "training mode. From where can the copy take its mode?",
    hint="The copy of a module in evaluation mode is in training mode, and drops weights. Take the mode over from the "
    "original, or use `copy.deepcopy`.",
)

mistake(
    "multihead.ablate_head",
    "copy-in-evaluation-mode",
    edit("return ablated", "return ablated.eval()"),
    section="switch-off-a-head",
    why="The copy of a module in training mode keeps training without dropout. You put it into evaluation mode. Who "
    "should decide about the mode?",
    hint="The copy of a module in training mode is in evaluation mode. A copy has the mode of the original: leaving "
    "training mode is up to the caller.",
)

mistake(
    "multihead.ablate_head",
    "original-in-evaluation-mode",
    edit("copy.copy(module)", "copy.copy(module.eval())"),
    section="switch-off-a-head",
    why="After the call, the original keeps training without dropout. You switched it to evaluation mode before "
    "copying. Which mode should the original have afterwards?",
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
    why="Your copy still computes what the original does. You set a copy of the columns to zero: indexing with a "
    "list, or cloning, makes a new tensor. Which assignment reaches the parameter itself?",
    hint="Your copy still computes what the original does. You set a *copy* of the columns to zero; assign to a slice "
    "of the parameter itself.",
)

mistake(
    "multihead.MultiHeadAttention",
    "key-and-value-arguments-exchanged",
    edit("self.w_k(key)", "self.w_k(value)"),
    edit("self.w_v(value)", "self.w_v(key)"),
    section="three-inputs",
    why="Your output is wrong when `key` and `value` differ, and in self-attention nothing shows. You made the keys "
    "from `value` and the values from `key`. Which argument belongs to each projection?",
    hint="Your keys come from `value` and your values from `key`. Each projection reads the argument of its name.",
)
