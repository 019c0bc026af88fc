"""Wrong implementations of unit 3, attention, each with the misconception behind it.

Every entry is wrong in one respect only. Where rows with nothing to attend are not the point, they are handled by
``nan_to_num``, which is right after ``masked_fill``. When two would give the same results, the first is named.
"""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import math

import torch
from torch import nn

from autograder.course.catalogue import mistake

# ---------------------------------------------------------------------------------------------------------------------
# softmax


@mistake(
    "attention.softmax",
    "no-max-subtraction",
    explanation="The exponential was taken of the scores as they are. exp(89) is already too large for float32, so a "
    "large score becomes inf, inf / inf is NaN, and a row of very negative scores becomes 0 / 0.",
    hint="Your softmax is right for small scores and gives NaN for large ones, because exp overflows. Shifting a "
    "whole row does not change its softmax: shift it so that its largest entry is 0 before you take exp (chapter 3, "
    "'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x)
    return exponentials / exponentials.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "clamped-scores",
    explanation="Scores were cut off at a fixed value to keep exp from overflowing. All scores beyond the limit "
    "become equal, so 1000 and 1005 get the same weight.",
    hint="Your softmax no longer overflows, but scores beyond your limit all get the same weight. Nothing has to be "
    "cut off: subtract from each row its own largest entry, and no exponent is above 0 (chapter 3, 'A softmax that "
    "does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x.clamp(-80, 80))
    return exponentials / exponentials.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "one-maximum-for-all-rows",
    explanation="The largest entry of the whole tensor was subtracted, not the largest of each row. A row far below "
    "that maximum underflows to zeros, and 0 / 0 is NaN.",
    hint="Rows whose scores are far below those of another row come out as NaN. Subtract from each row its *own* "
    "maximum: take it along `dim` and keep that axis, so that it broadcasts (chapter 3, 'A softmax that does not "
    "overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.max())
    return exponentials / exponentials.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "maximum-along-another-axis",
    explanation="The maximum was taken along the last axis whatever `dim` is, while the sum follows `dim`. Entries "
    "that are normalised together were then shifted by different amounts, which does change the result.",
    hint="Your softmax is right for the last axis and wrong for any other. A shift leaves the result alone only if "
    "all entries that share a sum are shifted alike: does your maximum use `dim`? (chapter 3, 'A softmax that does "
    "not overflow')",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amax(-1, keepdim=True))
    return exponentials / exponentials.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "subtracts-the-minimum",
    explanation="The smallest entry of each row was subtracted. The largest exponent is then the whole spread of the "
    "row, which still overflows, and a row that holds -inf becomes NaN.",
    hint="A row with a wide spread, or with one entry of -inf, comes out as NaN. The shift has to make the *largest* "
    "exponent 0, so that exp can only underflow, never overflow (chapter 3, 'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amin(dim, keepdim=True))
    return exponentials / exponentials.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "subtracts-the-mean",
    explanation="The mean of each row was subtracted. That centres the row but does not bound its largest exponent, "
    "and a single -inf makes the mean -inf and the row NaN.",
    hint="A row with one entry of -inf, or with one very large score, comes out as NaN. Centring a row is not enough: "
    "which number must you subtract so that no exponent is above 0? (chapter 3, 'A softmax that does not overflow')",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.mean(dim, keepdim=True))
    return exponentials / exponentials.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "one-sum-for-all-rows",
    explanation="The exponentials were divided by the sum over the whole tensor. All weights together sum to 1, "
    "instead of each row on its own.",
    hint="Your weights sum to 1 over the whole tensor, not along `dim`: each row has to sum to 1 on its own. Which "
    "axis does your sum run over, and does it keep that axis? (chapter 3, 'A softmax that does not overflow')",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amax(dim, keepdim=True))
    return exponentials / exponentials.sum()


@mistake(
    "attention.softmax",
    "always-the-last-axis",
    explanation="The argument `dim` was ignored and the last axis normalised. Entries along any other `dim` do not "
    "sum to 1.",
    hint="Your softmax always normalises the last axis, even when `dim` says otherwise. Use `dim` both for the "
    "maximum and for the sum (chapter 3, 'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amax(-1, keepdim=True))
    return exponentials / exponentials.sum(-1, keepdim=True)


@mistake(
    "attention.softmax",
    "softmax-over-queries",
    explanation="The second axis from the end was normalised whatever `dim` is. For scores of shape (..., T_q, T_k) "
    "that axis runs over the queries, so a query's weights do not sum to 1.",
    hint="Your softmax always runs over the second axis from the end. A row of scores belongs to one query, and it is "
    "the row that has to sum to 1; normalise along the axis that `dim` names (chapter 3, 'Rows are queries').",
    section="rows-are-queries",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amax(-2, keepdim=True))
    return exponentials / exponentials.sum(-2, keepdim=True)


@mistake(
    "attention.softmax",
    "always-the-first-axis",
    explanation="The argument `dim` was ignored and the first axis normalised. For more than one axis that mixes what "
    "belongs to different rows.",
    hint="Your softmax always normalises the first axis, even when `dim` says otherwise. Use `dim` both for the "
    "maximum and for the sum (chapter 3, 'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amax(0, keepdim=True))
    return exponentials / exponentials.sum(0, keepdim=True)


@mistake(
    "attention.softmax",
    "axis-not-kept",
    explanation="Maximum and sum dropped the axis that they ran over. What is left no longer lines up with the rows: "
    "PyTorch refuses it, or silently broadcasts it along the wrong axis when the shape is square.",
    hint="After a reduction along `dim` that axis is gone, so (3, 4) minus (3,) does not line up row by row. Keep it "
    "with length 1 when you reduce; then (3, 4) minus (3, 1) does (chapter 3, 'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amax(dim))
    return exponentials / exponentials.sum(dim)


@mistake(
    "attention.softmax",
    "returns-logarithms",
    explanation="The logarithm of the softmax was returned. Logarithms are negative and do not sum to 1, so they "
    "cannot serve as the weights of an average.",
    hint="Your results are all negative: they are the logarithms of the weights. What multiplies the values has to be "
    "between 0 and 1 and sum to 1 along `dim` (chapter 3, 'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()


@mistake(
    "attention.softmax",
    "no-exponential",
    explanation="The scores themselves were divided by their sum. Negative scores then give negative weights, and a "
    "sum near 0 blows them up.",
    hint="Some of your weights are negative or above 1. Scores may have any sign, so first make them positive in a "
    "way that keeps their order: that is what the exponential is for (chapter 3, 'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    return x / x.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "epsilon-in-the-denominator",
    explanation="A small number was added to the sum so as not to divide by zero. The weights then sum to a little "
    "less than 1, and after the maximum was subtracted the sum is at least 1 anyway.",
    hint="Your weights sum to slightly less than 1, which shows in float64. Once the maximum is subtracted, one "
    "exponential is exp(0) = 1, so the sum cannot be 0 and needs no epsilon (chapter 3, 'A softmax that does not "
    "overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amax(dim, keepdim=True))
    return exponentials / (exponentials.sum(dim, keepdim=True) + 1e-6)


@mistake(
    "attention.softmax",
    "converts-to-float32",
    explanation="The input was converted to float32 and the result left in it. Float64 input loses half of its "
    "digits, and bfloat16 input comes back in a type that the next layer did not expect.",
    hint="Your result is float32 whatever type came in. Return the type of `x`: plain tensor arithmetic keeps it, so "
    "leave out `.float()`, or convert back at the end (chapter 3, 'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x.float() - x.float().amax(dim, keepdim=True))
    return exponentials / exponentials.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "changes-its-argument",
    explanation="The maximum was subtracted in place. The caller's own tensor of scores is changed behind its back.",
    hint="After the call the tensor that was passed in holds other numbers: an operator such as `-=`, or a method "
    "that ends in an underscore, writes into it. Compute a new tensor instead (chapter 3, 'A softmax that does not "
    "overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    x -= x.amax(dim, keepdim=True)
    exponentials = torch.exp(x)
    return exponentials / exponentials.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "cut-off-from-the-graph",
    explanation="The scores were detached from the graph before the computation. The values are right, but no "
    "gradient flows back, so nothing before the softmax could ever learn.",
    hint="Your values are right, but no gradient reaches `x`. Something takes the tensor out of the graph: look for "
    "`detach`, `.data`, `no_grad`, `torch.tensor(...)`, `.item()` or NumPy (chapter 3, 'A softmax that does not "
    "overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    x = x.detach()
    exponentials = torch.exp(x - x.amax(dim, keepdim=True))
    return exponentials / exponentials.sum(dim, keepdim=True)


@mistake(
    "attention.softmax",
    "tiny-epsilon-in-the-denominator",
    explanation="1e-8 was added to the sum so as not to divide by zero. The weights then sum to a little less than 1, "
    "which float64 can tell, and after the maximum was subtracted the sum is at least 1 anyway.",
    hint="Your weights sum to a tiny bit less than 1, which shows in float64. Once the maximum is subtracted, one "
    "exponential is exp(0) = 1, so the sum cannot be 0 and needs no epsilon, however small (chapter 3, 'A softmax "
    "that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amax(dim, keepdim=True))
    return exponentials / (exponentials.sum(dim, keepdim=True) + 1e-8)


@mistake(
    "attention.softmax",
    "divided-in-place",
    explanation="The exponentials were divided with `/=`, which overwrites them. The backward pass of exp needs them "
    "as they were, so PyTorch refuses to compute gradients.",
    hint="Your weights are right, but training with them fails: `/=` overwrites the exponentials, which the backward "
    "pass of exp still needs. Write the division as a new tensor, `e / e.sum(...)` (chapter 3, 'A softmax that does "
    "not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    exponentials = torch.exp(x - x.amax(dim, keepdim=True))
    exponentials /= exponentials.sum(dim, keepdim=True)
    return exponentials


@mistake(
    "attention.softmax",
    "minus-infinity-replaced",
    explanation="Entries of -inf were replaced by a number such as -100. exp(-100) is small but not 0, and beside "
    "scores of -100 it is not even small.",
    hint="An entry of -inf should get a weight of exactly 0, and gets a tiny one. exp(-inf) is 0 already: leave -inf "
    "as it is, and only make sure that the number you subtract is finite (chapter 3, 'A softmax that does not "
    "overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    return torch.softmax(x.nan_to_num(neginf=-100.0), dim)


@mistake(
    "attention.softmax",
    "limited-from-below",
    explanation="Scores were raised to at least -10000, so that no -inf is left. All scores below the limit become "
    "equal, so -30000 and -30005 get the same weight.",
    hint="Your softmax gives equal weights to scores far below zero, because a limit makes them equal. A softmax "
    "depends on differences alone and needs no limit: subtract the row's maximum, and exp(-inf) is 0 by itself "
    "(chapter 3, 'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    return torch.softmax(x.clamp_min(-1e4), dim)


@mistake(
    "attention.softmax",
    "float64-cut-to-float32",
    explanation="Scores of every type were computed in float32 and converted back. For bfloat16 that is a gain; "
    "float64 loses half of its digits on the way.",
    hint="The dtype of your result is right, but in float64 it has the precision of float32. Widen only the narrow "
    "types, or compute in the type that `x` has (chapter 3, 'A softmax that does not overflow').",
    section="stable-softmax",
)
def softmax(x, dim=-1):
    return torch.softmax(x.float(), dim).to(x.dtype)


# ---------------------------------------------------------------------------------------------------------------------
# attention_scores


@mistake(
    "attention.attention_scores",
    "no-scale",
    explanation="The dot products were returned without dividing by sqrt(d_k). Their spread grows with the width, so "
    "for wide keys the softmax puts almost all weight on one of them.",
    hint="Your scores are too large, all by the same factor. A sum of d_k products spreads in proportion to "
    "sqrt(d_k); divide that out (chapter 3, 'Why divide by the square root of d_k?').",
    section="why-scale",
)
def attention_scores(q, k):
    return q @ k.transpose(-2, -1)


@mistake(
    "attention.attention_scores",
    "divides-by-the-width",
    explanation="The dot products were divided by d_k, not by its square root. That shrinks the scores as the width "
    "grows, and the softmax comes close to uniform.",
    hint="Your scores are too small, by a factor of sqrt(d_k). The *variance* of a dot product is d_k; its standard "
    "deviation, by which we divide, is the root of that (chapter 3, 'Why divide by the square root of d_k?').",
    section="why-scale",
)
def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1]


@mistake(
    "attention.attention_scores",
    "multiplies-by-the-root",
    explanation="The dot products were multiplied by sqrt(d_k). The spread that the scale should remove is squared "
    "instead.",
    hint="Your scores are too large by a factor of d_k: you multiply by the root where the formula divides (chapter "
    "3, 'Why divide by the square root of d_k?').",
    section="why-scale",
)
def attention_scores(q, k):
    return q @ k.transpose(-2, -1) * math.sqrt(q.shape[-1])


@mistake(
    "attention.attention_scores",
    "root-of-the-sequence-length",
    explanation="The scale was taken from the number of keys. A dot product sums over the width of the vectors, and "
    "its size has nothing to do with how many keys there are.",
    hint="Your scale changes with the number of keys. The sum in a dot product runs over the width d_k, the *last* "
    "axis of `q`; that is the number under the root (chapter 3, 'Why divide by the square root of d_k?').",
    section="why-scale",
)
def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(k.shape[-2])


@mistake(
    "attention.attention_scores",
    "width-from-the-second-axis",
    explanation="The width was read from axis 1. That is the last axis for matrices only; in a batch it is the "
    "sequence length, and with heads the number of heads.",
    hint="Your scale is right for two axes and wrong for more. Count axes from the end: d_k is the last one however "
    "many come before it (chapter 3, 'Shapes at every step').",
    section="shapes",
)
def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[1])


@mistake(
    "attention.attention_scores",
    "fixed-width",
    explanation="The scale was written as a number, the root of 512. It fits one model only, and inside a head even "
    "that model's vectors are narrower than d_model.",
    hint="Your scale does not follow the width of the queries that you were given. Read d_k from the last axis of `q` "
    "(chapter 3, 'Why divide by the square root of d_k?').",
    section="why-scale",
)
def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(512)


@mistake(
    "attention.attention_scores",
    "root-cut-to-an-integer",
    explanation="The square root was cut down to a whole number. It is right for widths such as 4, 16 or 64 and too "
    "small for all others.",
    hint="Your scores are right when d_k is a square number and too large otherwise: the root loses its fraction. "
    "Look for `int(...)`, `//` or `isqrt` (chapter 3, 'Why divide by the square root of d_k?').",
    section="why-scale",
)
def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / int(math.sqrt(q.shape[-1]))


@mistake(
    "attention.attention_scores",
    "softmax-already-applied",
    explanation="The softmax of the scores was returned. Scores are what goes into the softmax; masks have to be "
    "applied between the two.",
    hint="Your rows sum to 1: these are weights already. This function ends before the softmax, so that a mask can be "
    "applied to its result (chapter 3, 'Rows are queries').",
    section="rows-are-queries",
)
def attention_scores(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@mistake(
    "attention.attention_scores",
    "keys-times-queries",
    explanation="The product was taken the other way round, keys times queries. Its rows belong to keys, so "
    "everything that follows would average over the wrong axis.",
    hint="Your scores have shape (..., T_k, T_q). Row i has to belong to query i, so the queries stand on the left of "
    "the matrix product (chapter 3, 'Rows are queries').",
    section="rows-are-queries",
)
def attention_scores(q, k):
    return k @ q.transpose(-2, -1) / math.sqrt(q.shape[-1])


@mistake(
    "attention.attention_scores",
    "reshape-for-transpose",
    explanation="The keys were brought to shape (..., d_k, T_k) by reshaping. Reshaping keeps the numbers in their "
    "order and only cuts the line differently, so the columns mix pieces of several keys.",
    hint="Your shape is right and your numbers are wrong. Reshape (or view) does not turn a matrix: reshaped to 3 x "
    "2, [[1, 2, 3], [4, 5, 6]] is [[1, 2], [3, 4], [5, 6]]. You need the two last axes exchanged (chapter 3, 'Shapes "
    "at every step').",
    section="shapes",
)
def attention_scores(q, k):
    return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2]) / math.sqrt(q.shape[-1])


@mistake(
    "attention.attention_scores",
    "transposes-every-axis",
    explanation="The keys were transposed with `.T`, which reverses all axes. That is the same as exchanging the two "
    "last ones for a matrix, but not for a batch.",
    hint="Your function works for two matrices and fails for a batch: `.T` turns (B, T_k, d_k) into (d_k, T_k, B). "
    "Exchange the two *last* axes and leave the others alone (chapter 3, 'Shapes at every step').",
    section="shapes",
)
def attention_scores(q, k):
    return q @ k.T / math.sqrt(q.shape[-1])


@mistake(
    "attention.attention_scores",
    "transposes-axes-one-and-two",
    explanation="Axes 1 and 2 of the keys were exchanged. These are the two last axes only when there is exactly one "
    "batch axis before them.",
    hint="Your function works for three axes only; with heads, axis 1 is the head and axis 2 the position. Name the "
    "two last axes from the end, with negative numbers (chapter 3, 'Shapes at every step').",
    section="shapes",
)
def attention_scores(q, k):
    return q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])


@mistake(
    "attention.attention_scores",
    "cosine-similarity",
    explanation="Queries and keys were brought to length 1 first, which gives cosines. Scaled dot-product attention "
    "keeps the lengths: a long key is meant to be able to draw more attention.",
    hint="Your scores ignore how long the vectors are: they are cosines. Take the dot product of the vectors as they "
    "are and divide by sqrt(d_k) alone (chapter 3, 'The dot product as similarity').",
    section="dot-product-similarity",
)
def attention_scores(q, k):
    return (q / q.norm(dim=-1, keepdim=True)) @ (k / k.norm(dim=-1, keepdim=True)).transpose(-2, -1)


@mistake(
    "attention.attention_scores",
    "changes-its-argument",
    explanation="The queries were divided in place. The caller's tensor is changed, and a second call with it gives "
    "another result.",
    hint="After the call `q` holds other numbers than before: `/=` writes into the tensor that was passed in. Compute "
    "a new tensor instead (chapter 3, 'What goes wrong').",
    section="attention-pitfalls",
)
def attention_scores(q, k):
    q /= math.sqrt(q.shape[-1])
    return q @ k.transpose(-2, -1)


@mistake(
    "attention.attention_scores",
    "converts-to-float32",
    explanation="Queries and keys were converted to float32. Float64 input loses half of its digits, and bfloat16 "
    "input comes back in another type than the values have.",
    hint="Your scores are float32 whatever type came in. Keep the type of `q`: plain tensor arithmetic does, so leave "
    "out `.float()` (chapter 3, 'What goes wrong').",
    section="attention-pitfalls",
)
def attention_scores(q, k):
    return q.float() @ k.float().transpose(-2, -1) / math.sqrt(q.shape[-1])


@mistake(
    "attention.attention_scores",
    "cut-off-from-the-graph",
    explanation="The queries were detached from the graph. The values are right, but no gradient reaches the queries, "
    "so their projection could never learn.",
    hint="Your values are right, but no gradient reaches `q`. Look for `detach`, `.data`, `no_grad` or "
    "`torch.tensor(...)` on the way from the queries to the scores (chapter 3, 'What goes wrong').",
    section="attention-pitfalls",
)
def attention_scores(q, k):
    return q.detach() @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


# ---------------------------------------------------------------------------------------------------------------------
# scaled_dot_product_attention


@mistake(
    "attention.scaled_dot_product_attention",
    "no-scale",
    explanation="The softmax was taken of the plain dot products. Without the division by sqrt(d_k) the weights come "
    "out too sharp.",
    hint="Your weights sum to 1 but are too sharp: the scores were not divided by sqrt(d_k) before the softmax. Leave "
    "the dot products and the division to `attention_scores` (chapter 3, 'Why divide by the square root of d_k?').",
    section="why-scale",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "scale-after-softmax",
    explanation="The weights were divided by sqrt(d_k), not the scores. The rows then sum to 1 / sqrt(d_k), so the "
    "output is no average of the values.",
    hint="Your rows sum to 1 / sqrt(d_k), not to 1. The scale belongs to the scores, inside the softmax (chapter 3, "
    "'Why divide by the square root of d_k?').",
    section="why-scale",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0) / math.sqrt(q.shape[-1])
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "scaled-twice",
    explanation="The scores were divided by sqrt(d_k) a second time, after `attention_scores` had done it. Dividing "
    "twice is dividing by d_k, and the weights come out too even.",
    hint="Your weights sum to 1 but are too even: in all, the scores are divided by d_k. Either `attention_scores` "
    "divides by d_k and not by its root, or it divides by the root and you divide once more (chapter 3, 'Why divide "
    "by the square root of d_k?').",
    section="why-scale",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "softmax-over-queries",
    explanation="The softmax ran over axis -2, the queries. The weights of one query then do not sum to 1, while "
    "those of one key do.",
    hint="Your weights sum to 1 over the *queries*: softmax ran over `dim=-2`. Each row of scores belongs to one "
    "query, so normalise over the last axis (chapter 3, 'Rows are queries').",
    section="rows-are-queries",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores, dim=-2).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "mask-inverted",
    explanation="Scores were removed where the mask is True. In this course True means 'may attend', so exactly the "
    "wrong keys are left.",
    hint="Your weights are zero exactly where they should not be: the mask is read the wrong way round. True means "
    "'may attend' here, so minus infinity belongs where it is *not* True (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "mask-ignored",
    explanation="The mask was accepted and never used. Every query attends to every key, padding and future included.",
    hint="Your weights are the same with and without a mask: `mask` is never used. Forbidden scores have to be taken "
    "out before the softmax (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    weights = softmax(attention_scores(q, k))
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "mask-after-softmax",
    explanation="Forbidden weights were set to zero after the softmax. What is left of a row no longer sums to 1, so "
    "the output shrinks with every masked key.",
    hint="Your forbidden weights are zero, but the rest of each row sums to less than 1. Take the forbidden *scores* "
    "out before the softmax; then the softmax shares the whole weight among the keys that are left (chapter 3, 'Masks "
    "act on the scores').",
    section="masking-scores",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    weights = softmax(attention_scores(q, k))
    if mask is not None:
        weights = weights * mask
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "scores-times-mask",
    explanation="Scores were multiplied by the mask, so forbidden ones became 0. A score of 0 is an ordinary score: "
    "exp(0) = 1 still earns weight, and so does a fill of 1e-9 (meant to be -1e9).",
    hint="Forbidden keys still get weight, as if their score were 0. Zero is an ordinary score; the score whose "
    "exponential is 0 is minus infinity (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores * mask
    weights = softmax(scores)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "mask-added-as-zero-and-one",
    explanation="The boolean mask was added to the scores, which adds 1 where attention is allowed. That favours "
    "allowed keys a little and forbids none: masks that are added hold 0 and -inf.",
    hint="Forbidden keys still get weight; allowed ones have only gained 1 in score. A boolean mask is not added: use "
    "it to choose where a score becomes minus infinity (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores + mask
    weights = softmax(scores)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "mask-without-head-axis",
    explanation="An axis was inserted into the mask at place 1, for heads. A mask that already broadcasts to the "
    "scores then lines up with the wrong axes.",
    hint="You insert an axis into the mask. The masks given here already broadcast to (..., T_q, T_k) as they are; "
    "use them unchanged (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask.unsqueeze(1), float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "always-causal",
    explanation="A causal mask was applied whether or not one was given. Attention is general; who may look where is "
    "the caller's decision, passed as `mask`.",
    hint="Your weights are zero above the diagonal although nobody forbade it. Apply only the mask that is passed in "
    "(chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    if mask is not None:
        allowed = allowed & mask
    weights = softmax(scores.masked_fill(~allowed, float("-inf"))).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "fill-not-low-enough",
    explanation="Forbidden scores were set to -10000, a number that real scores can fall below. Where the allowed "
    "scores are lower still, the forbidden keys get all the weight, and a row with nothing allowed becomes uniform.",
    hint="Your masking fails when the allowed scores are very low: -10000 is then the largest of the row. Only minus "
    "infinity is below every score, in every float type (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e4)
    weights = softmax(scores)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "uniform-where-nothing-is-allowed",
    explanation="Forbidden scores were set to a large negative number such as -1e9. In a row with nothing allowed all "
    "scores are then equal, and the softmax spreads the weight evenly over keys that must not be seen.",
    hint="A query that may attend to nothing gets the same weight on every key, padding included. Such a row has to "
    "end as zeros: find it with the mask and erase its weights after the softmax (chapter 3, 'A query that may attend "
    "to nothing').",
    section="nothing-to-attend",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = softmax(scores)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "nan-where-nothing-is-allowed",
    explanation="Forbidden scores were set to minus infinity, and a row with nothing allowed was not treated apart. "
    "The softmax of such a row is 0 / 0, and one NaN spreads to everything computed from it.",
    hint="A query that may attend to nothing gives NaN. Find such rows with the mask, give them harmless scores "
    "before the softmax, and erase their weights after it (chapter 3, 'A query that may attend to nothing').",
    section="nothing-to-attend",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "nan-removed-from-output-only",
    explanation="NaN was replaced in the output, while the weights kept it. Whoever looks at the weights still finds "
    "NaN, and so do the gradients of the values.",
    hint="Your output is clean, but the weights of a query that may attend to nothing are still NaN. Clean up the "
    "weights before they multiply the values; the output then needs no repair (chapter 3, 'A query that may attend to "
    "nothing').",
    section="nothing-to-attend",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores)
    if dropout is not None:
        weights = dropout(weights)
    return (weights @ v).nan_to_num(0.0), weights


@mistake(
    "attention.scaled_dot_product_attention",
    "zero-output-with-uniform-weights",
    explanation="The output of a query that may attend to nothing was set to zero, while its weights stayed uniform. "
    "The weights that are returned are then not those that the output was made with.",
    hint="For a query that may attend to nothing your output is zero, but its weights are not. Erase the weights; the "
    "output follows by itself (chapter 3, 'A query that may attend to nothing').",
    section="nothing-to-attend",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = softmax(scores)
    if dropout is not None:
        weights = dropout(weights)
    output = weights @ v
    if mask is not None:
        output = output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
    return output, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "nan-in-gradients",
    explanation="Minus infinity was added to forbidden scores and the NaN of an empty row replaced after the "
    "softmax. The values are right, but the backward pass goes through the NaN and reaches queries and keys.",
    hint="Your values are right and your gradients are NaN: the softmax of an empty row was computed, and its NaN "
    "comes back in the backward pass. Give such a row harmless scores *before* the softmax (chapter 3, 'A query that "
    "may attend to nothing').",
    section="nothing-to-attend",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "writes-into-the-mask",
    explanation="Rows of the mask with nothing allowed were set to True in place, so that the softmax has something "
    "to work with. The idea is sound, but the caller's mask is changed, and the next layer that uses it is misled.",
    hint="After the call the mask that was passed in holds other values. Masks are shared by all layers: work on a "
    "copy, or build a new mask (chapter 3, 'What goes wrong').",
    section="attention-pitfalls",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is None:
        weights = softmax(scores)
    else:
        nothing = ~mask.any(-1)
        mask[nothing] = True
        weights = softmax(scores.masked_fill(~mask, float("-inf"))).masked_fill(nothing.unsqueeze(-1), 0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "changes-the-queries",
    explanation="The queries were scaled in place. The caller's tensor is changed, and a second call with it gives "
    "another result.",
    hint="After the call `q` holds other numbers than before: `/=`, or a method that ends in an underscore, writes "
    "into the tensor that was passed in. Compute a new tensor instead (chapter 3, 'What goes wrong').",
    section="attention-pitfalls",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    q /= math.sqrt(q.shape[-1])
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "float32-mask",
    explanation="The mask was turned into a float32 tensor of 0 and -inf and added. That turns bfloat16 scores into "
    "float32 weights, which cannot be multiplied with bfloat16 values.",
    hint="Your function works for float32 and fails for other types: a new tensor is float32 unless you say "
    "otherwise. Create it with the dtype of the scores, or better, fill the scores directly (chapter 3, 'What goes "
    "wrong').",
    section="attention-pitfalls",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        nothing = ~mask.any(-1, keepdim=True)
        scores = scores + torch.zeros(mask.shape).masked_fill(~mask & ~nothing, float("-inf"))
    weights = softmax(scores)
    if mask is not None:
        weights = weights.masked_fill(nothing, 0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "converts-to-float32",
    explanation="Queries, keys and values were converted to float32 and the results left in it. Float64 loses half of "
    "its digits, and a bfloat16 model gets a type that its next layer refuses.",
    hint="Output and weights are float32 whatever type came in. Keep the type of the input: leave out `.float()`, or "
    "convert back at the end (chapter 3, 'What goes wrong').",
    section="attention-pitfalls",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q.float(), k.float())
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v.float(), weights


@mistake(
    "attention.scaled_dot_product_attention",
    "cut-off-from-the-graph",
    explanation="The weights were computed without recording a graph. The values are right, but gradients reach only "
    "`v`, so the model could never learn where to look.",
    hint="Your values are right, but no gradient reaches `q` and `k`. Look for `detach`, `.data` or `no_grad` between "
    "them and the output (chapter 3, 'What goes wrong').",
    section="attention-pitfalls",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    with torch.no_grad():
        scores = attention_scores(q, k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "weights-times-keys",
    explanation="The weights multiplied the keys. Keys are there to be compared with; what is averaged is the values.",
    hint="Your output is an average of the keys: `v` is never used. The keys decide *how much*, the values are *what* "
    "is passed on (chapter 3, 'The output is a weighted average of the values').",
    section="weighted-average",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ k, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "uniform-average",
    explanation="Every value got the same weight, whatever the scores say. The output is then a plain mean of the "
    "allowed values, and queries and keys have no influence.",
    hint="All allowed keys get the same weight: queries and keys play no part. The weights have to be the softmax of "
    "their scores (chapter 3, 'The output is a weighted average of the values').",
    section="weighted-average",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = torch.zeros_like(attention_scores(q, k))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "returns-output-only",
    explanation="The output alone was returned. The weights are part of the result too: they show where each query "
    "looked.",
    hint="You return one tensor where two are asked for. Return the pair `(output, weights)` (chapter 3, 'The output "
    "is a weighted average of the values').",
    section="weighted-average",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v


@mistake(
    "attention.scaled_dot_product_attention",
    "results-exchanged",
    explanation="Weights and output were returned in the wrong order. Every caller unpacks the output first.",
    hint="Your two results are right but exchanged: the output comes first, the weights second (chapter 3, 'The "
    "output is a weighted average of the values').",
    section="weighted-average",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights, weights @ v


@mistake(
    "attention.scaled_dot_product_attention",
    "returns-scores",
    explanation="The masked scores were returned in place of the weights. Scores have any size and sign; weights are "
    "what multiplied the values.",
    hint="Your output is right, but the second result holds scores, not weights: its rows do not sum to 1. Return "
    "what you multiplied `v` with (chapter 3, 'The output is a weighted average of the values').",
    section="weighted-average",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, scores


@mistake(
    "attention.scaled_dot_product_attention",
    "dropout-called-when-none",
    explanation="`dropout` was called without asking whether there is one. Its default is None, and None cannot be "
    "called.",
    hint="Your function raises \"'NoneType' object is not callable\": without dropout the argument is None. Call it "
    "only when it is something (chapter 3, 'Dropout on the weights').",
    section="attention-dropout",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = dropout(softmax(scores).nan_to_num(0.0))
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "dropout-ignored",
    explanation="The argument `dropout` was never used. The function gives the same result with and without it.",
    hint="Your result is the same with and without dropout: the argument is never used. Apply it to the weights when "
    "it is not None (chapter 3, 'Dropout on the weights').",
    section="attention-dropout",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "weights-from-before-dropout",
    explanation="Dropout was applied for the output, but the weights from before it were returned. The weights that "
    "are returned should be those that multiplied the values.",
    hint="Your output is right, but your weights are those from before dropout, so weights @ v is not the output. "
    "Return what really multiplied `v` (chapter 3, 'Dropout on the weights').",
    section="attention-dropout",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    dropped = weights if dropout is None else dropout(weights)
    return dropped @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "dropout-called-twice",
    explanation="Dropout was called once for the output and once more for the returned weights. Each call draws anew, "
    "so the two results belong to different draws.",
    hint="Your weights @ v is not your output: dropout draws again on every call. Call it once, keep the result, and "
    "use it for both (chapter 3, 'Dropout on the weights').",
    section="attention-dropout",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is None:
        return weights @ v, weights
    return dropout(weights) @ v, dropout(weights)


@mistake(
    "attention.scaled_dot_product_attention",
    "dropout-on-output",
    explanation="Dropout was applied to the output. That erases single numbers of the result, where attention dropout "
    "erases whole links between a query and a key.",
    hint="Your weights are not touched by dropout, but your output is. Dropout goes between the softmax and the "
    "product with `v` (chapter 3, 'Dropout on the weights').",
    section="attention-dropout",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    output = weights @ v
    if dropout is not None:
        output = dropout(output)
    return output, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "dropout-on-scores",
    explanation="Dropout was applied to the scores, before the softmax. A dropped score becomes 0, which is an "
    "ordinary score with its share of the weight, and the kept ones are blown up.",
    hint="With dropout no weight of yours becomes 0. A score of 0 still earns weight; drop *weights*, after the "
    "softmax (chapter 3, 'Dropout on the weights').",
    section="attention-dropout",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if dropout is not None:
        scores = dropout(scores)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "renormalised-after-dropout",
    explanation="The rows were divided by their sum again after dropout. Dropout already makes up for what it drops "
    "by enlarging what it keeps, on average; forcing the sum to 1 undoes that.",
    hint="With dropout your rows still sum to exactly 1. They should not: dropout has scaled the kept weights itself, "
    "so use them as they are (chapter 3, 'Dropout on the weights').",
    section="attention-dropout",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = softmax(scores).nan_to_num(0.0)
    if dropout is not None:
        weights = dropout(weights)
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "causal-where-lengths-agree",
    explanation="Without a mask, and with as many queries as keys, the future was hidden. Attention does not know "
    "that its input is a sequence to be continued; whoever calls it passes a mask if there is something to hide.",
    hint="With as many queries as keys, your attention hides later keys although no mask was given. Hide what the "
    "mask forbids, and nothing else (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is None and scores.shape[-1] == scores.shape[-2]:
        mask = torch.ones_like(scores, dtype=torch.bool).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores).nan_to_num()
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


@mistake(
    "attention.scaled_dot_product_attention",
    "mask-transposed",
    explanation="The mask was transposed where it is square, so that its rows became keys. Rows are queries, in the "
    "mask as in the scores.",
    hint="With as many queries as keys, your mask acts transposed: key i is hidden from query j where query i should "
    "not see key j. The mask's rows are queries already (chapter 3, 'Rows are queries').",
    section="rows-are-queries",
)
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    scores = attention_scores(q, k)
    if mask is not None:
        if mask.shape[-1] == mask.shape[-2]:
            mask = mask.transpose(-1, -2)
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores).nan_to_num()
    if dropout is not None:
        weights = dropout(weights)
    return weights @ v, weights


# ---------------------------------------------------------------------------------------------------------------------
# SelfAttention


@mistake(
    "attention.SelfAttention",
    "no-bias",
    explanation="The three linear layers were built without a bias. This course's attention layers have one, as those "
    "of the GPT-2 checkpoints do.",
    hint="Your linear layers have no bias, so there is nowhere to put the biases of trained weights. `nn.Linear` has "
    "a bias unless you switch it off (chapter 3, 'Self-attention').",
    section="self-attention",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.SelfAttention",
    "plain-matrices",
    explanation="The projections were kept as bare matrices. The exercise asks for `nn.Linear`, which brings the "
    "bias, a sensible initialisation, and the parameter names that checkpoints use.",
    hint="`w_q`, `w_k` and `w_v` are matrices, not layers. Make each an `nn.Linear`: it holds weight and bias, and is "
    "called like a function (chapter 3, 'Self-attention').",
    section="self-attention",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Parameter(torch.eye(d_model))
        self.w_k = nn.Parameter(torch.eye(d_model))
        self.w_v = nn.Parameter(torch.eye(d_model))

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(x @ self.w_q, x @ self.w_k, x @ self.w_v, mask)


@mistake(
    "attention.SelfAttention",
    "base-class-not-initialised",
    explanation="`__init__` assigned layers without calling `super().__init__()` first. `nn.Module` registers layers "
    "in tables that only its own `__init__` creates, so the assignment is refused.",
    hint="Building your module raises 'cannot assign module before Module.__init__() call'. The first line of "
    "`__init__` has to initialise the base class, and the layers come after it (chapter 3, 'Self-attention').",
    section="self-attention",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.SelfAttention",
    "one-projection-for-all",
    explanation="One linear layer serves for queries, keys and values. The scores are then symmetric: i attends to j "
    "as j to i, and every position mostly to itself.",
    hint="Queries, keys and values come out of the same layer. They play three different parts, so each needs a layer "
    "with weights of its own (chapter 3, 'Queries, keys and values').",
    section="queries-keys-values",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = self.w_k = self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.SelfAttention",
    "keys-share-the-query-layer",
    explanation="Queries and keys share one linear layer. The scores are then symmetric, so no position can look at "
    "another without being looked at in the same measure.",
    hint="`w_q` and `w_k` are the same layer, so your scores are symmetric. Build a layer of its own for the keys "
    "(chapter 3, 'Queries, keys and values').",
    section="queries-keys-values",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = self.w_q
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.SelfAttention",
    "queries-and-keys-exchanged",
    explanation="Queries and keys were passed in the wrong order. The score matrix comes out transposed, so each row "
    "holds how much the others look for this position instead of what it looks for.",
    hint="Your scores are transposed before the softmax: queries and keys have changed places. The order of arguments "
    "is queries, keys, values (chapter 3, 'Queries, keys and values').",
    section="queries-keys-values",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_k(x), self.w_q(x), self.w_v(x), mask)


@mistake(
    "attention.SelfAttention",
    "values-not-projected",
    explanation="The input itself was averaged, in place of its values. `w_v` then has no influence and no gradient.",
    hint="Your weights are right, but the output averages `x` itself and `w_v` is never used. Project the values too "
    "(chapter 3, 'Queries, keys and values').",
    section="queries-keys-values",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), x, mask)


@mistake(
    "attention.SelfAttention",
    "keys-used-as-values",
    explanation="The keys were averaged as if they were values. What a position is found by and what it passes on are "
    "learned separately.",
    hint="Your weights are right, but the output averages the keys and `w_v` is never used. The third argument is the "
    "values (chapter 3, 'Queries, keys and values').",
    section="queries-keys-values",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_k(x), mask)


@mistake(
    "attention.SelfAttention",
    "mask-ignored",
    explanation="`forward` accepts a mask and does not pass it on. Every position attends to every other, padding and "
    "future included.",
    hint="Your result is the same with and without a mask: `forward` takes it and never hands it to the attention "
    "function (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x))


@mistake(
    "attention.SelfAttention",
    "mask-inverted",
    explanation="The mask was inverted before it was passed on. True means 'may attend' everywhere in this course, so "
    "nothing has to be turned round.",
    hint="Your weights are zero exactly where they should not be: the mask is turned round once too often. Pass it on "
    "as it is (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        mask = None if mask is None else ~mask
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.SelfAttention",
    "mask-unsqueezed",
    explanation="An axis for heads was inserted into the mask, but there is only one head here. The mask then lines "
    "up with the wrong axes of the scores (B, T, T).",
    hint="Your scores have shape (B, T, T) and your mask one axis more than it should. With a single head the mask is "
    "passed on as it is (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        mask = None if mask is None else mask.unsqueeze(1)
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.SelfAttention",
    "always-causal",
    explanation="A causal mask was built in. Self-attention in an encoder looks both ways; who may look where is the "
    "caller's decision, passed as `mask`.",
    hint="Your weights are zero above the diagonal although no mask was given. Apply only the mask that is passed in "
    "(chapter 3, 'Self-attention').",
    section="self-attention",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        mask = causal if mask is None else causal & mask
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.SelfAttention",
    "softmax-over-queries",
    explanation="The softmax ran over axis 1 of the scores (B, T, T), the queries. The weights of one query then do "
    "not sum to 1.",
    hint="Your weights sum to 1 over the *queries*: in scores of shape (B, T, T), `dim=1` is the query axis. "
    "Normalise the last axis, or call `scaled_dot_product_attention` (chapter 3, 'Rows are queries').",
    section="rows-are-queries",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        scores = attention_scores(self.w_q(x), self.w_k(x))
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = softmax(scores, dim=1).nan_to_num(0.0)
        return weights @ self.w_v(x), weights


@mistake(
    "attention.SelfAttention",
    "sequence-first",
    explanation="Batch and sequence axes were exchanged, as for layers that want the sequence first. Each position "
    "then attends to the same position of the other sequences of the batch.",
    hint="Your positions attend across the batch, not along the sequence. The input is (B, T, d_model), batch first: "
    "leave the axes where they are (chapter 3, 'Shapes at every step').",
    section="shapes",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        x = x.transpose(0, 1)
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        return output.transpose(0, 1), weights


@mistake(
    "attention.SelfAttention",
    "input-added",
    explanation="The input was added to the output. The residual connection is a part of the block around attention "
    "and not of attention itself.",
    hint="Your weights are right, and your output is too large by exactly `x`. The residual connection comes later, "
    "in the block (chapter 3, 'Self-attention').",
    section="self-attention",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        return x + output, weights


@mistake(
    "attention.SelfAttention",
    "drops-weights-in-training",
    explanation="A dropout was built in, as in larger models. This class has no dropout: in training mode its weights "
    "no longer sum to 1, and every call gives another output.",
    hint="In training mode some of your weights are 0 and the others too large: there is a dropout in your class, and "
    "nobody asked for one. Leave it out (chapter 3, 'Dropout on the weights').",
    section="attention-dropout",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask, self.drop)


@mistake(
    "attention.SelfAttention",
    "keeps-the-last-mask",
    explanation="The mask was stored on the module and is used again when a call has none. Without a mask every "
    "position may attend to every other one, whatever the call before was told.",
    hint="A call without a mask still follows the mask of the call before. Use the argument `mask` itself and store "
    "nothing: `None` means that all may attend (chapter 3, 'Self-attention').",
    section="self-attention",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.mask = None

    def forward(self, x, mask=None):
        if mask is not None:
            self.mask = mask
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), self.mask)


@mistake(
    "attention.SelfAttention",
    "returns-output-only",
    explanation="`forward` returned the output alone. The weights are asked for too, so that one can see where each "
    "position looks.",
    hint="`forward` returns one tensor where two are asked for. Return the pair `(output, weights)` (chapter 3, "
    "'Self-attention').",
    section="self-attention",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)[0]


@mistake(
    "attention.SelfAttention",
    "layers-made-in-forward",
    explanation="The linear layers were created in `forward`, or have other names than the task says. Layers made in "
    "`forward` are new and random at every call, unknown to `parameters()`, and never trained.",
    hint="A new module of yours has no `w_q`. Are your layers called `w_q`, `w_k` and `w_v`, and are they created in "
    "`__init__`? Layers that are created in `forward` are new at every call (chapter 3, 'Self-attention').",
    section="self-attention",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.d_model = d_model

    def forward(self, x, mask=None):
        self.w_q = nn.Linear(self.d_model, self.d_model)
        self.w_k = nn.Linear(self.d_model, self.d_model)
        self.w_v = nn.Linear(self.d_model, self.d_model)
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.SelfAttention",
    "keeps-the-first-input",
    explanation="What the first call computed was stored, and used again for every later input of the same shape. "
    "Another sentence has other queries, keys and values.",
    hint="The second call of your module still answers for the input of the first. Whatever depends on `x` has to be "
    "computed anew in every `forward` (chapter 3, 'Self-attention').",
    section="self-attention",
)
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.known = None

    def forward(self, x, mask=None):
        if self.known is None or self.known[0].shape != x.shape:
            self.known = self.w_q(x), self.w_k(x), self.w_v(x)
        return scaled_dot_product_attention(*self.known, mask)


# ---------------------------------------------------------------------------------------------------------------------
# CrossAttention


@mistake(
    "attention.CrossAttention",
    "no-bias",
    explanation="The three linear layers were built without a bias. This course's attention layers have one.",
    hint="Your linear layers have no bias, so there is nowhere to put the biases of trained weights. `nn.Linear` has "
    "a bias unless you switch it off (chapter 3, 'Cross-attention').",
    section="cross-attention",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)


@mistake(
    "attention.CrossAttention",
    "sources-exchanged",
    explanation="Queries were taken from the memory, keys and values from `x`. The output then has one row for each "
    "position of the memory, and carries the content of `x` instead of the memory's.",
    hint="Your output has as many rows as the memory: the two inputs have changed places. `x` asks (queries), the "
    "memory answers (keys and values) (chapter 3, 'Cross-attention').",
    section="cross-attention",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(memory), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.CrossAttention",
    "queries-from-memory",
    explanation="The queries were taken from the memory too, so the memory attends to itself. `x` has no influence, "
    "and the output has the memory's length.",
    hint="Your output does not depend on `x`, and has as many rows as the memory. The queries come from `x`: one row "
    "of output for each of its positions (chapter 3, 'Cross-attention').",
    section="cross-attention",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(memory), self.w_k(memory), self.w_v(memory), mask)


@mistake(
    "attention.CrossAttention",
    "memory-ignored",
    explanation="Queries, keys and values were all taken from `x`. That is self-attention, and nothing of the memory "
    "reaches the output.",
    hint="Your output does not change when the memory does: this is self-attention. Keys and values come from the "
    "memory (chapter 3, 'Cross-attention').",
    section="cross-attention",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)


@mistake(
    "attention.CrossAttention",
    "keys-from-x",
    explanation="The keys were taken from `x`, the values from the memory. Key j and value j then belong to different "
    "tokens, and for different lengths they do not even pair up.",
    hint="Your keys come from `x` and your values from the memory. A key and its value describe the same token, so "
    "both come from the memory (chapter 3, 'Cross-attention').",
    section="cross-attention",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(memory), mask)


@mistake(
    "attention.CrossAttention",
    "values-from-x",
    explanation="The values were taken from `x`, the keys from the memory. The weights say which tokens of the memory "
    "to read, but what is read is something else.",
    hint="Your weights are right, but they average values made from `x`. What is found in the memory is also read "
    "from the memory (chapter 3, 'Cross-attention').",
    section="cross-attention",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(x), mask)


@mistake(
    "attention.CrossAttention",
    "layers-exchanged",
    explanation="The queries were made by `w_k` and the keys by `w_q`. The shapes agree, but trained weights loaded "
    "into these layers do each other's work.",
    hint="Your inputs are right and your layers are crossed: `w_k` makes the queries and `w_q` the keys. The names "
    "say which layer makes what (chapter 3, 'Queries, keys and values').",
    section="queries-keys-values",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_k(x), self.w_q(memory), self.w_v(memory), mask)


@mistake(
    "attention.CrossAttention",
    "values-share-the-key-layer",
    explanation="The values were made by the layer of the keys. What a token is found by and what it passes on are "
    "learned separately, and `w_v` is never used.",
    hint="Your weights are right, but the output averages the keys and `w_v` is never used. Project the memory a "
    "second time, with `w_v` (chapter 3, 'Queries, keys and values').",
    section="queries-keys-values",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        keys = self.w_k(memory)
        return scaled_dot_product_attention(self.w_q(x), keys, keys, mask)


@mistake(
    "attention.CrossAttention",
    "values-not-projected",
    explanation="The memory itself was averaged, in place of its values. `w_v` then has no influence and no gradient.",
    hint="Your weights are right, but the output averages the memory itself and `w_v` is never used. Project the "
    "values too (chapter 3, 'Queries, keys and values').",
    section="queries-keys-values",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), memory, mask)


@mistake(
    "attention.CrossAttention",
    "memory-not-projected",
    explanation="The memory was used as keys and values as it is. `w_k` and `w_v` then have no influence, so the "
    "decoder cannot learn what to look for in it.",
    hint="Only the queries are projected; the memory goes in as it is. It has to pass `w_k` to become keys and `w_v` "
    "to become values (chapter 3, 'Queries, keys and values').",
    section="queries-keys-values",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(x), memory, memory, mask)


@mistake(
    "attention.CrossAttention",
    "x-joined-to-memory",
    explanation="Keys and values were made from `x` and the memory joined together. Cross-attention looks at the "
    "memory alone; looking at `x` is the work of self-attention.",
    hint="Your weights have T_q + T_k columns: you join `x` to the memory before making keys and values. Only the "
    "memory is looked at here (chapter 3, 'Cross-attention').",
    section="cross-attention",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        both = torch.cat([x, memory], dim=1)
        return scaled_dot_product_attention(self.w_q(x), self.w_k(both), self.w_v(both), mask)


@mistake(
    "attention.CrossAttention",
    "mask-ignored",
    explanation="`forward` accepts a mask and does not pass it on. Padding in the memory is read like real tokens.",
    hint="Your result is the same with and without a mask: `forward` takes it and never hands it to the attention "
    "function (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory))


@mistake(
    "attention.CrossAttention",
    "mask-inverted",
    explanation="The mask was inverted before it was passed on. True means 'may attend' everywhere in this course, so "
    "nothing has to be turned round.",
    hint="Your weights are zero exactly where they should not be: the mask is turned round once too often. Pass it on "
    "as it is (chapter 3, 'Masks act on the scores').",
    section="masking-scores",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        mask = None if mask is None else ~mask
        return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)


@mistake(
    "attention.CrossAttention",
    "no-scale",
    explanation="The softmax was taken of the plain dot products. Without the division by sqrt(d_k) the weights come "
    "out too sharp.",
    hint="Your weights sum to 1 but are too sharp: the scores were not divided by the root of the width. "
    "`scaled_dot_product_attention` does it for you (chapter 3, 'Why divide by the square root of d_k?').",
    section="why-scale",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        scores = self.w_q(x) @ self.w_k(memory).transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = softmax(scores).nan_to_num(0.0)
        return weights @ self.w_v(memory), weights


@mistake(
    "attention.CrossAttention",
    "returns-output-only",
    explanation="`forward` returned the output alone. The weights are asked for too: in translation they show which "
    "source word each target word looks at.",
    hint="`forward` returns one tensor where two are asked for. Return the pair `(output, weights)` (chapter 3, "
    "'Cross-attention').",
    section="cross-attention",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)[0]


@mistake(
    "attention.CrossAttention",
    "keeps-the-first-memory",
    explanation="Keys and values of the first memory were stored, and used again for every later one of the same "
    "shape. Another sentence has another memory.",
    hint="The second call of your module still attends to the memory of the first. Keys and values have to be "
    "computed from the `memory` of this call (chapter 3, 'Cross-attention').",
    section="cross-attention",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.known = None

    def forward(self, x, memory, mask=None):
        if self.known is None or self.known[0].shape != memory.shape:
            self.known = self.w_k(memory), self.w_v(memory)
        return scaled_dot_product_attention(self.w_q(x), *self.known, mask)


@mistake(
    "attention.CrossAttention",
    "mask-transposed",
    explanation="The mask was transposed where it is square, so that its rows became places of the memory. Rows are "
    "queries, columns are keys.",
    hint="With as many queries as keys, your mask acts transposed. Its rows are the positions of `x` and its columns "
    "those of `memory` already: hand it on as it is (chapter 3, 'Rows are queries').",
    section="rows-are-queries",
)
class CrossAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)

    def forward(self, x, memory, mask=None):
        if mask is not None and mask.shape[-1] == mask.shape[-2]:
            mask = mask.transpose(-1, -2)
        return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)
