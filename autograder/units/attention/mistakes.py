"""Wrong implementations of the tasks of attention, each with the misconception behind it.

Every entry is wrong in one respect only. Where rows with nothing to attend are not the point, they are handled by
``nan_to_num``, which is right after ``masked_fill``. When two would give the same results, the first is named.
"""

from autograder.course.catalogue import edit, mistake

# ---------------------------------------------------------------------------------------------------------------------
# softmax


mistake(
    "attention.softmax",
    "no-max-subtraction",
    edit("(x - x.amax(dim, keepdim=True)).exp()", "torch.exp(x)"),
    section="stable-softmax",
    why="The exponential was taken of the scores as they are. exp(89) is already too large for float32, so a large "
    "score becomes inf, inf / inf is NaN, and a row of very negative scores becomes 0 / 0.",
    hint="Your softmax is right for small scores and gives NaN for large ones, because exp overflows. Shifting a whole "
    "row does not change its softmax: shift it so that its largest entry is 0 before you take exp.",
)

mistake(
    "attention.softmax",
    "sign-of-the-exponent",
    edit("(x - x.amax(dim, keepdim=True)).exp()", "(x.amax(dim, keepdim=True) - x).exp()"),
    section="stable-softmax",
    why="The score was subtracted from the maximum. The smallest score then gets the largest weight, and exp overflows "
    "for distant scores.",
    hint="Your largest scores get the smallest weights. Subtract the maximum from `x`, not `x` from the maximum.",
)

mistake(
    "attention.softmax",
    "clamped-scores",
    edit("x - x.amax(dim, keepdim=True)", "x.clamp(-80, 80)"),
    section="stable-softmax",
    why="Scores were cut off at a fixed value to keep exp from overflowing. All scores beyond the limit become equal, "
    "so 1000 and 1005 get the same weight.",
    hint="Your softmax no longer overflows, but scores beyond your limit all get the same weight. Nothing has to be "
    "cut off: subtract from each row its own largest entry, and no exponent is above 0.",
)

mistake(
    "attention.softmax",
    "one-maximum-for-all-rows",
    edit("x.amax(dim, keepdim=True)", "x.max()"),
    section="stable-softmax",
    why="The largest entry of the whole tensor was subtracted, not the largest of each row. A row far below that "
    "maximum underflows to zeros, and 0 / 0 is NaN.",
    hint="Rows whose scores are far below those of another row come out as NaN. Subtract from each row its *own* "
    "maximum: take it along `dim` and keep that axis, so that it broadcasts.",
)

mistake(
    "attention.softmax",
    "maximum-along-another-axis",
    edit("x.amax(dim, keepdim=True)", "x.amax(-1, keepdim=True)"),
    section="stable-softmax",
    why="The maximum was taken along the last axis whatever `dim` is, while the sum follows `dim`. Entries that are "
    "normalised together were then shifted by different amounts, which does change the result.",
    hint="Your softmax is right for the last axis and wrong for any other. A shift leaves the result alone only if all "
    "entries that share a sum are shifted alike: does your maximum use `dim`?",
)

mistake(
    "attention.softmax",
    "maximum-along-another-axis-variant-2",
    edit("x.amax(dim, keepdim=True)", "x.amax(0, keepdim=True)"),
    section="stable-softmax",
    why="The maximum was taken along the first axis whatever `dim` is, while the sum follows `dim`. Entries that are "
    "normalised together were then shifted by different amounts, which does change the result.",
    hint="Your softmax is right for the first axis and wrong for any other. A shift leaves the result alone only if all "
    "entries that share a sum are shifted alike: does your maximum use `dim`?",
)

mistake(
    "attention.softmax",
    "subtracts-the-minimum",
    edit("x.amax(dim, keepdim=True)", "x.amin(dim, keepdim=True)"),
    section="stable-softmax",
    why="The smallest entry of each row was subtracted. The largest exponent is then the whole spread of the row, "
    "which still overflows, and a row that holds -inf becomes NaN.",
    hint="A row with a wide spread, or with one entry of -inf, comes out as NaN. The shift has to make the *largest* "
    "exponent 0, so that exp can only underflow, never overflow.",
)

mistake(
    "attention.softmax",
    "subtracts-the-mean",
    edit("x.amax(dim, keepdim=True)", "x.mean(dim, keepdim=True)"),
    section="stable-softmax",
    why="The mean of each row was subtracted. That centres the row but does not bound its largest exponent, and a "
    "single -inf makes the mean -inf and the row NaN.",
    hint="A row with one entry of -inf, or with one very large score, comes out as NaN. Centring a row is not enough: "
    "which number must you subtract so that no exponent is above 0?",
)

mistake(
    "attention.softmax",
    "one-sum-for-all-rows",
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum()"),
    section="stable-softmax",
    why="The exponentials were divided by the sum over the whole tensor. All weights together sum to 1, instead of "
    "each row on its own.",
    hint="Your weights sum to 1 over the whole tensor, not along `dim`: each row has to sum to 1 on its own. Which "
    "axis does your sum run over, and does it keep that axis?",
)

mistake(
    "attention.softmax",
    "always-the-last-axis",
    edit("x.amax(dim, keepdim=True)", "x.amax(-1, keepdim=True)"),
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum(-1, keepdim=True)"),
    section="stable-softmax",
    why="The argument `dim` was ignored and the last axis normalised. Entries along any other `dim` do not sum to 1.",
    hint="Your softmax always normalises the last axis, even when `dim` says otherwise. Use `dim` both for the maximum "
    "and for the sum.",
)

mistake(
    "attention.softmax",
    "softmax-over-queries",
    edit("x.amax(dim, keepdim=True)", "x.amax(-2, keepdim=True)"),
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum(-2, keepdim=True)"),
    section="rows-are-queries",
    why="The second axis from the end was normalised whatever `dim` is. For scores of shape (..., T_q, T_k) that axis "
    "runs over the queries, so a query's weights do not sum to 1.",
    hint="Your softmax always runs over the second axis from the end. A row of scores belongs to one query, and it is "
    "the row that has to sum to 1; normalise along the axis that `dim` names.",
)

mistake(
    "attention.softmax",
    "always-the-first-axis",
    edit("x.amax(dim, keepdim=True)", "x.amax(0, keepdim=True)"),
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum(0, keepdim=True)"),
    section="stable-softmax",
    why="The argument `dim` was ignored and the first axis normalised. For more than one axis that mixes what belongs "
    "to different rows.",
    hint="Your softmax always normalises the first axis, even when `dim` says otherwise. Use `dim` both for the "
    "maximum and for the sum.",
)

mistake(
    "attention.softmax",
    "axis-not-kept",
    edit("x.amax(dim, keepdim=True)", "x.amax(dim)"),
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum(dim)"),
    section="stable-softmax",
    why="Maximum and sum dropped the axis that they ran over. What is left no longer lines up with the rows: PyTorch "
    "refuses it, or silently broadcasts it along the wrong axis when the shape is square.",
    hint="After a reduction along `dim` that axis is gone, so (3, 4) minus (3,) does not line up row by row. Keep it "
    "with length 1 when you reduce; then (3, 4) minus (3, 1) does.",
)

mistake(
    "attention.softmax",
    "returns-logarithms",
    edit("exponentials = (x - x.amax(dim, keepdim=True)).exp()", "shifted = x - x.amax(dim, keepdim=True)"),
    edit("exponentials / exponentials.sum(dim, keepdim=True)", "shifted - shifted.exp().sum(dim, keepdim=True).log()"),
    section="stable-softmax",
    why="The logarithm of the softmax was returned. Logarithms are negative and do not sum to 1, so they cannot serve "
    "as the weights of an average.",
    hint="Your results are all negative: they are the logarithms of the weights. What multiplies the values has to be "
    "between 0 and 1 and sum to 1 along `dim`.",
)

mistake(
    "attention.softmax",
    "no-exponential",
    edit("torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))", "x / x.sum(dim, keepdim=True)"),
    base="log-sum-exp",
    section="stable-softmax",
    why="The scores themselves were divided by their sum. Negative scores then give negative weights, and a sum near 0 "
    "blows them up.",
    hint="Some of your weights are negative or above 1. Scores may have any sign, so first make them positive in a way "
    "that keeps their order: that is what the exponential is for.",
)

mistake(
    "attention.softmax",
    "epsilon-in-the-denominator",
    edit("exponentials.sum(dim, keepdim=True)", "(exponentials.sum(dim, keepdim=True) + 1e-6)"),
    section="stable-softmax",
    why="A small number was added to the sum so as not to divide by zero. The weights then sum to a little less than "
    "1, and after the maximum was subtracted the sum is at least 1 anyway.",
    hint="Your weights sum to slightly less than 1, which shows in float64. Once the maximum is subtracted, one "
    "exponential is exp(0) = 1, so the sum cannot be 0 and needs no epsilon.",
)

mistake(
    "attention.softmax",
    "converts-to-float32",
    edit("x - x.amax(dim, keepdim=True)", "x.float() - x.float().amax(dim, keepdim=True)"),
    section="stable-softmax",
    why="The input was converted to float32 and the result left in it. Float64 input loses half of its digits, and "
    "bfloat16 input comes back in a type that the next layer did not expect.",
    hint="Your result is float32 whatever type came in. Return the type of `x`: plain tensor arithmetic keeps it, so "
    "leave out `.float()`, or convert back at the end.",
)

mistake(
    "attention.softmax",
    "changes-its-argument",
    edit(
        "exponentials = (x - x.amax(dim, keepdim=True)).exp()",
        "x -= x.amax(dim, keepdim=True)\nexponentials = torch.exp(x)",
    ),
    section="stable-softmax",
    why="The maximum was subtracted in place. The caller's own tensor of scores is changed behind its back.",
    hint="After the call the tensor that was passed in holds other numbers: an operator such as `-=`, or a method that "
    "ends in an underscore, writes into it. Compute a new tensor instead.",
)

mistake(
    "attention.softmax",
    "cut-off-from-the-graph",
    edit("exponentials = (", "x = x.detach()\nexponentials = ("),
    section="stable-softmax",
    why="The scores were detached from the graph before the computation. The values are right, but no gradient flows "
    "back, so nothing before the softmax could ever learn.",
    hint="Your values are right, but no gradient reaches `x`. Something takes the tensor out of the graph: look for "
    "`detach`, `.data`, `no_grad`, `torch.tensor(...)`, `.item()` or NumPy.",
)

mistake(
    "attention.softmax",
    "tiny-epsilon-in-the-denominator",
    edit("exponentials.sum(dim, keepdim=True)", "(exponentials.sum(dim, keepdim=True) + 1e-8)"),
    section="stable-softmax",
    why="1e-8 was added to the sum so as not to divide by zero. The weights then sum to a little less than 1, which "
    "float64 can tell, and after the maximum was subtracted the sum is at least 1 anyway.",
    hint="Your weights sum to a tiny bit less than 1, which shows in float64. Once the maximum is subtracted, one "
    "exponential is exp(0) = 1, so the sum cannot be 0 and needs no epsilon, however small.",
)

mistake(
    "attention.softmax",
    "divided-in-place",
    edit(
        "exponentials = (x - x.amax(dim, keepdim=True)).exp()",
        "exponentials = torch.exp(x - x.amax(dim, keepdim=True))\nexponentials /= exponentials.sum(dim, keepdim=True)",
    ),
    edit("exponentials / exponentials.sum(dim, keepdim=True)", "exponentials"),
    section="stable-softmax",
    why="The exponentials were divided with `/=`, which overwrites them. The backward pass of exp needs them as they "
    "were, so PyTorch refuses to compute gradients.",
    hint="Your weights are right, but training with them fails: `/=` overwrites the exponentials, which the backward "
    "pass of exp still needs. Write the division as a new tensor, `e / e.sum(...)`.",
)

mistake(
    "attention.softmax",
    "minus-infinity-replaced",
    edit("torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))", "torch.softmax(x.nan_to_num(neginf=-100.0), dim)"),
    base="log-sum-exp",
    section="stable-softmax",
    why="Entries of -inf were replaced by a number such as -100. exp(-100) is small but not 0, and beside scores of "
    "-100 it is not even small.",
    hint="An entry of -inf should get a weight of exactly 0, and gets a tiny one. exp(-inf) is 0 already: leave -inf "
    "as it is, and only make sure that the number you subtract is finite.",
)

mistake(
    "attention.softmax",
    "limited-from-below",
    edit("torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))", "torch.softmax(x.clamp_min(-1e4), dim)"),
    base="log-sum-exp",
    section="stable-softmax",
    why="Scores were raised to at least -10000, so that no -inf is left. All scores below the limit become equal, so "
    "-30000 and -30005 get the same weight.",
    hint="Your softmax gives equal weights to scores far below zero, because a limit makes them equal. A softmax "
    "depends on differences alone and needs no limit: subtract the row's maximum, and exp(-inf) is 0 by itself.",
)

mistake(
    "attention.softmax",
    "float64-cut-to-float32",
    edit("torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))", "torch.softmax(x.float(), dim).to(x.dtype)"),
    base="log-sum-exp",
    section="stable-softmax",
    why="Scores of every type were computed in float32 and converted back. For bfloat16 that is a gain; float64 loses "
    "half of its digits on the way.",
    hint="The dtype of your result is right, but in float64 it has the precision of float32. Widen only the narrow "
    "types, or compute in the type that `x` has.",
)


# ---------------------------------------------------------------------------------------------------------------------
# attention_scores


mistake(
    "attention.attention_scores",
    "no-scale",
    edit("d_k = q.shape[-1]", ""),
    edit("q @ k.transpose(-2, -1) / math.sqrt(d_k)", "q @ k.transpose(-2, -1)"),
    section="why-scale",
    why="The dot products were returned without dividing by sqrt(d_k). Their spread grows with the width, so for wide "
    "keys the softmax puts almost all weight on one of them.",
    hint="Your scores are too large, all by the same factor. A sum of d_k products spreads in proportion to sqrt(d_k); "
    "divide that out.",
)

mistake(
    "attention.attention_scores",
    "divides-by-the-width",
    edit("math.sqrt(d_k)", "d_k"),
    section="why-scale",
    why="The dot products were divided by d_k, not by its square root. That shrinks the scores as the width grows, and "
    "the softmax comes close to uniform.",
    hint="Your scores are too small, by a factor of sqrt(d_k). The *variance* of a dot product is d_k; its standard "
    "deviation, by which we divide, is the root of that.",
)

mistake(
    "attention.attention_scores",
    "multiplies-by-the-root",
    edit("q @ k.transpose(-2, -1) / math.sqrt(d_k)", "q @ k.transpose(-2, -1) * math.sqrt(d_k)"),
    section="why-scale",
    why="The dot products were multiplied by sqrt(d_k). The spread that the scale should remove is squared instead.",
    hint="Your scores are the right ones times d_k: you multiply by the root where the formula divides.",
)

mistake(
    "attention.attention_scores",
    "root-of-the-sequence-length",
    edit("d_k = q.shape[-1]", ""),
    edit("math.sqrt(d_k)", "math.sqrt(k.shape[-2])"),
    section="why-scale",
    why="The scale was taken from the number of keys. A dot product sums over the width of the vectors, and its size "
    "has nothing to do with how many keys there are.",
    hint="Your scale changes with the number of keys. The sum in a dot product runs over the width d_k, the *last* "
    "axis of `q`; that is the number under the root.",
)

mistake(
    "attention.attention_scores",
    "width-from-the-second-axis",
    edit("d_k = q.shape[-1]", ""),
    edit("math.sqrt(d_k)", "math.sqrt(q.shape[1])"),
    section="shapes",
    why="The width was read from axis 1. That is the last axis for matrices only; in a batch it is the sequence "
    "length, and with heads the number of heads.",
    hint="Your scale is right for two axes and wrong for more. Count axes from the end: d_k is the last one however "
    "many come before it.",
)

mistake(
    "attention.attention_scores",
    "fixed-width",
    edit("d_k = q.shape[-1]", ""),
    edit("math.sqrt(d_k)", "math.sqrt(512)"),
    section="why-scale",
    why="The scale was written as a number, the root of 512. It fits one model only, and inside a head even that "
    "model's vectors are narrower than d_model.",
    hint="Your scale does not follow the width of the queries that you were given. Read d_k from the last axis of `q`.",
)

mistake(
    "attention.attention_scores",
    "root-cut-to-an-integer",
    edit("math.sqrt(d_k)", "int(math.sqrt(d_k))"),
    section="why-scale",
    why="The square root was cut down to a whole number. It is right for widths such as 4, 16 or 64 and too small for "
    "all others.",
    hint="Your scores are right when d_k is a square number and too large otherwise: the root loses its fraction. Look "
    "for `int(...)`, `//` or `isqrt`.",
)

mistake(
    "attention.attention_scores",
    "softmax-already-applied",
    edit("q @ k.transpose(-2, -1) / math.sqrt(d_k)", "torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d_k), dim=-1)"),
    section="rows-are-queries",
    why="The softmax of the scores was returned. Scores are what goes into the softmax; masks have to be applied "
    "between the two.",
    hint="Your rows sum to 1: these are weights already. This function ends before the softmax, so that a mask can be "
    "applied to its result.",
)

mistake(
    "attention.attention_scores",
    "keys-times-queries",
    edit("q @ k.transpose(-2, -1)", "k @ q.transpose(-2, -1)"),
    section="rows-are-queries",
    why="The product was taken the other way round, keys times queries. Its rows belong to keys, so everything that "
    "follows would average over the wrong axis.",
    hint="Your scores have shape (..., T_k, T_q). Row i has to belong to query i, so the queries stand on the left of "
    "the matrix product.",
)

mistake(
    "attention.attention_scores",
    "reshape-for-transpose",
    edit("k.transpose(-2, -1)", "k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])"),
    section="shapes",
    why="The keys were brought to shape (..., d_k, T_k) by reshaping. Reshaping keeps the numbers in their order and "
    "only cuts the line differently, so the columns mix pieces of several keys.",
    hint="Your shape is right and your numbers are wrong. Reshape (or view) does not turn a matrix: reshaped to 3 x 2, "
    "[[1, 2, 3], [4, 5, 6]] is [[1, 2], [3, 4], [5, 6]]. You need the two last axes exchanged.",
)

mistake(
    "attention.attention_scores",
    "transposes-every-axis",
    edit("k.transpose(-2, -1)", "k.T"),
    section="shapes",
    why="The keys were transposed with `.T`, which reverses all axes. That is the same as exchanging the two last ones "
    "for a matrix, but not for a batch.",
    hint="Your function works for two matrices and fails for a batch: `.T` turns (B, T_k, d_k) into (d_k, T_k, B). "
    "Exchange the two *last* axes and leave the others alone.",
)

mistake(
    "attention.attention_scores",
    "transposes-axes-one-and-two",
    edit("k.transpose(-2, -1)", "k.transpose(1, 2)"),
    section="shapes",
    why="Axes 1 and 2 of the keys were exchanged. These are the two last axes only when there is exactly one batch "
    "axis before them.",
    hint="Your function works for three axes only; with heads, axis 1 is the head and axis 2 the position. Name the "
    "two last axes from the end, with negative numbers.",
)


@mistake(
    "attention.attention_scores",
    "cosine-similarity",
    section="dot-product-similarity",
    why="Queries and keys were brought to length 1 first, which gives cosines. Scaled dot-product attention keeps the "
    "lengths: a long key is meant to be able to draw more attention.",
    hint="Your scores ignore how long the vectors are: they are cosines. Take the dot product of the vectors as they "
    "are and divide by sqrt(d_k) alone.",
)
def attention_scores(q, k):
    return (q / q.norm(dim=-1, keepdim=True)) @ (k / k.norm(dim=-1, keepdim=True)).transpose(-2, -1)


mistake(
    "attention.attention_scores",
    "changes-its-argument",
    edit("d_k = q.shape[-1]", "q /= math.sqrt(q.shape[-1])"),
    edit("q @ k.transpose(-2, -1) / math.sqrt(d_k)", "q @ k.transpose(-2, -1)"),
    section="attention-pitfalls",
    why="The queries were divided in place. The caller's tensor is changed, and a second call with it gives another "
    "result.",
    hint="After the call `q` holds other numbers than before: `/=` writes into the tensor that was passed in. Compute "
    "a new tensor instead.",
)

mistake(
    "attention.attention_scores",
    "converts-to-float32",
    edit("q @ k.transpose(-2, -1)", "q.float() @ k.float().transpose(-2, -1)"),
    section="attention-pitfalls",
    why="Queries and keys were converted to float32. Float64 input loses half of its digits, and bfloat16 input comes "
    "back in another type than the values have.",
    hint="Your scores are float32 whatever type came in. Keep the type of `q`: plain tensor arithmetic does, so leave "
    "out `.float()`.",
)

mistake(
    "attention.attention_scores",
    "cut-off-from-the-graph",
    edit("q @ k.transpose(-2, -1)", "q.detach() @ k.transpose(-2, -1)"),
    section="attention-pitfalls",
    why="The queries were detached from the graph. The values are right, but no gradient reaches the queries, so their "
    "projection could never learn.",
    hint="Your values are right, but no gradient reaches `q`. Look for `detach`, `.data`, `no_grad` or "
    "`torch.tensor(...)` on the way from the queries to the scores.",
)

mistake(
    "attention.attention_scores",
    "keys-not-transposed",
    edit("q @ k.transpose(-2, -1)", "q @ k"),
    section="shapes",
    why="Queries and keys were multiplied as they are. A matrix product pairs rows with columns, so the keys have to "
    "be transposed for a row of `q` to meet a row of `k`.",
    hint="Your product pairs each query with a *column* of the keys, a mixture of all of them. Exchange the two last "
    "axes of `k` first.",
)

mistake(
    "attention.attention_scores",
    "transposes-axes-zero-and-one",
    edit("k.transpose(-2, -1)", "k.transpose(0, 1)"),
    section="shapes",
    why="Axes 0 and 1 of the keys were exchanged. These are the two last axes only for a matrix; in a batch, axis 0 is "
    "the batch.",
    hint="Your function works for two matrices and fails for a batch: `transpose(0, 1)` moves the batch axis. Name the "
    "two last axes from the end: `transpose(-2, -1)`.",
)

mistake(
    "attention.attention_scores",
    "multiplied-entry-by-entry",
    edit("q @ k.transpose(-2, -1)", "q * k"),
    section="dot-product-similarity",
    why="Queries and keys were multiplied entry by entry. A dot product also adds up the products, and every query is "
    "compared with every key.",
    hint="`*` multiplies entry by entry and adds nothing up. You need the dot product of every query with every key, "
    "which is the matrix product `@`.",
)

mistake(
    "attention.attention_scores",
    "each-query-with-its-own-key",
    edit("q @ k.transpose(-2, -1)", "(q * k).sum(-1)"),
    section="rows-are-queries",
    why="Each query was compared with the key at its own position only. Attention compares every query with every key, "
    "which gives a matrix of scores.",
    hint="You compare query i with key i alone. Every query is compared with every key: T_q rows and T_k columns.",
)

mistake(
    "attention.attention_scores",
    "queries-transposed",
    edit("q @ k.transpose(-2, -1)", "q.transpose(-2, -1) @ k"),
    section="shapes",
    why="The queries were transposed instead of the keys. The result then has one entry for each pair of components, "
    "added up over positions.",
    hint="You transpose `q` where `k` should be: your result compares components, not positions. It has to have the "
    "shape (..., T_q, T_k).",
)

mistake(
    "attention.attention_scores",
    "half-of-the-width",
    edit("math.sqrt(d_k)", "(d_k ** 1/2)"),
    section="why-scale",
    why="`d_k ** 1/2` was meant to be the root. Python computes the power first, so it is (d_k ** 1) / 2, half of the "
    "width.",
    hint="You divide by half of d_k: `d_k ** 1/2` is `(d_k ** 1) / 2`. Write `d_k ** 0.5` or `math.sqrt(d_k)`.",
)

mistake(
    "attention.attention_scores",
    "divides-by-twice-the-width",
    edit("/ math.sqrt(d_k)", "/ d_k ** 1/2"),
    section="why-scale",
    why="`/ d_k ** 1/2` was meant to divide by the root. Python computes the power first and then divides from left to "
    "right, by d_k and then by 2.",
    hint="You divide by d_k and then by 2: in `/ d_k ** 1/2` the power is computed first. Write `d_k ** 0.5` or "
    "`math.sqrt(d_k)`.",
)

mistake(
    "attention.attention_scores",
    "fixed-width-of-a-head",
    edit("d_k = q.shape[-1]", ""),
    edit("math.sqrt(d_k)", "math.sqrt(64)"),
    section="why-scale",
    why="The scale was written as 8, the root of 64. It fits the heads of the paper's base model and no others.",
    hint="Your scale does not follow the width of the queries that you were given. Read d_k from the last axis of `q`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# scaled_dot_product_attention


mistake(
    "attention.scaled_dot_product_attention",
    "no-scale",
    edit("attention_scores(q, k)", "q @ k.transpose(-2, -1)"),
    base="nan-to-num-at-the-end",
    section="why-scale",
    why="The softmax was taken of the plain dot products. Without the division by sqrt(d_k) the weights come out too "
    "sharp.",
    hint="Your weights sum to 1 but are too sharp: the scores were not divided by sqrt(d_k) before the softmax. Leave "
    "the dot products and the division to `attention_scores`.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "scale-after-softmax",
    edit("attention_scores(q, k)", "q @ k.transpose(-2, -1)"),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores).nan_to_num(0.0) / math.sqrt(q.shape[-1])"),
    base="nan-to-num-at-the-end",
    section="why-scale",
    why="The weights were divided by sqrt(d_k), not the scores. The rows then sum to 1 / sqrt(d_k), so the output is "
    "no average of the values.",
    hint="Your rows sum to 1 / sqrt(d_k), not to 1. The scale belongs to the scores, inside the softmax.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "scaled-twice",
    edit("attention_scores(q, k)", "attention_scores(q, k) / math.sqrt(q.shape[-1])"),
    base="nan-to-num-at-the-end",
    section="why-scale",
    why="The scores were divided by sqrt(d_k) a second time, after `attention_scores` had done it. Dividing twice is "
    "dividing by d_k, and the weights come out too even.",
    hint="Your weights sum to 1 but are too even: in all, the scores are divided by d_k. Either `attention_scores` "
    "divides by d_k and not by its root, or it divides by the root and you divide once more.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "softmax-over-queries",
    edit("softmax(scores)", "softmax(scores, dim=-2)"),
    base="nan-to-num-at-the-end",
    section="rows-are-queries",
    why="The softmax ran over axis -2, the queries. The weights of one query then do not sum to 1, while those of one "
    "key do.",
    hint="Your weights sum to 1 over the *queries*: softmax ran over `dim=-2`. Each row of scores belongs to one "
    "query, so normalise over the last axis.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-inverted",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(mask, float("-inf"))'),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Scores were removed where the mask is True. In this course True means 'may attend', so exactly the wrong keys "
    "are left.",
    hint="Your weights are zero exactly where they should not be: the mask is read the wrong way round. True means "
    "'may attend' here, so minus infinity belongs where it is *not* True.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-ignored",
    edit(
        'scores = attention_scores(q, k)\nif mask is not None:\n    scores = scores.masked_fill(~mask, float("-inf"))',
        "",
    ),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(attention_scores(q, k))"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="The mask was accepted and never used. Every query attends to every key, padding and future included.",
    hint="Your weights are the same with and without a mask: `mask` is never used. Forbidden scores have to be taken "
    "out before the softmax.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-after-softmax",
    edit("scores = attention_scores(q, k)", "weights = softmax(attention_scores(q, k))"),
    edit('scores = scores.masked_fill(~mask, float("-inf"))', "weights = weights * mask"),
    edit("weights = softmax(scores).nan_to_num(0.0)", ""),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Forbidden weights were set to zero after the softmax. What is left of a row no longer sums to 1, so the "
    "output shrinks with every masked key.",
    hint="Your forbidden weights are zero, but the rest of each row sums to less than 1. Take the forbidden *scores* "
    "out before the softmax; then the softmax shares the whole weight among the keys that are left.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "scores-times-mask",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores * mask"),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Scores were multiplied by the mask, so forbidden ones became 0. A score of 0 is an ordinary score: exp(0) = 1 "
    "still earns weight, and so does a fill of 1e-9 (meant to be -1e9).",
    hint="Forbidden keys still get weight, as if their score were 0. Zero is an ordinary score; the score whose "
    "exponential is 0 is minus infinity.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-added-as-zero-and-one",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores + mask"),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="The boolean mask was added to the scores, which adds 1 where attention is allowed. That favours allowed keys "
    "a little and forbids none: masks that are added hold 0 and -inf.",
    hint="Forbidden keys still get weight; allowed ones have only gained 1 in score. A boolean mask is not added: use "
    "it to choose where a score becomes minus infinity.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-without-head-axis",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(~mask.unsqueeze(1), float("-inf"))'),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="An axis was inserted into the mask at position 1, for heads. A mask that already broadcasts to the scores "
    "then lines up with the wrong axes.",
    hint="You insert an axis into the mask. The masks given here already broadcast to (..., T_q, T_k) as they are; use "
    "them unchanged.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "always-causal",
    edit(
        "scores = attention_scores(q, k)",
        """
        scores = attention_scores(q, k)
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        """,
    ),
    edit('scores = scores.masked_fill(~mask, float("-inf"))', "allowed = allowed & mask"),
    edit("softmax(scores)", 'softmax(scores.masked_fill(~allowed, float("-inf")))'),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="A causal mask was applied whether or not one was given. Attention is general; who may look where is the "
    "caller's decision, passed as `mask`.",
    hint="Your weights are zero above the diagonal although nobody forbade it. Apply only the mask that is passed in.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "fill-not-low-enough",
    edit('float("-inf")', "-1e4"),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Forbidden scores were set to -10000, a number that real scores can fall below. Where the allowed scores are "
    "lower still, the forbidden keys get all the weight, and a row with nothing allowed becomes uniform.",
    hint="Your masking fails when the allowed scores are very low: -10000 is then the largest of the row. Only minus "
    "infinity is below every score, in every float type.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "uniform-where-nothing-is-allowed",
    edit('float("-inf")', "-1e9"),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="nothing-to-attend",
    why="Forbidden scores were set to a large negative number such as -1e9. In a row with nothing allowed all scores "
    "are then equal, and the softmax spreads the weight evenly over keys that must not be seen.",
    hint="A query that may attend to nothing gets the same weight on every key, padding included. Such a row has to "
    "end as zeros: find it with the mask and erase its weights after the softmax.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "number-added-to-forbidden-scores",
    edit("nothing = ~mask.any(-1, keepdim=True)", ""),
    edit('scores.masked_fill(~mask, float("-inf")).masked_fill(nothing, 0.0)', "scores + ~mask * -10000.0"),
    edit("softmax(scores).masked_fill(nothing, 0.0)", "softmax(scores)"),
    section="nothing-to-attend",
    why="A large negative number was added to the forbidden scores. In a row with nothing allowed all scores are "
    "lowered alike, and the softmax is that of the row without a mask.",
    hint="A query that may attend to nothing attends to everything: all its scores are lowered by the same number. Such "
    "a row has to end as zeros.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "nan-where-nothing-is-allowed",
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="nothing-to-attend",
    why="Forbidden scores were set to minus infinity, and a row with nothing allowed was not treated apart. The "
    "softmax of such a row is 0 / 0, and one NaN spreads to everything computed from it.",
    hint="A query that may attend to nothing gives NaN. Find such rows with the mask, give them harmless scores before "
    "the softmax, and erase their weights after it.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "nan-removed-from-output-only",
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    edit("weights @ v", "(weights @ v).nan_to_num(0.0)"),
    base="nan-to-num-at-the-end",
    section="nothing-to-attend",
    why="NaN was replaced in the output, while the weights kept it. NaN is still in the weights, and from there it "
    "reaches the gradients of the values.",
    hint="Your output is clean, but the weights of a query that may attend to nothing are still NaN. Clean up the "
    "weights before they multiply the values; the output then needs no repair.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "zero-output-with-uniform-weights",
    edit('float("-inf")', "-1e9"),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    edit(
        "return weights @ v, weights",
        """
        output = weights @ v
        if mask is not None:
            output = output.masked_fill(~mask.any(-1, keepdim=True), 0.0)
        return output, weights
        """,
    ),
    base="nan-to-num-at-the-end",
    section="nothing-to-attend",
    why="The output of a query that may attend to nothing was set to zero, while its weights stayed uniform. The "
    "weights that are returned are then not those that the output was made with.",
    hint="For a query that may attend to nothing your output is zero, but its weights are not. Erase the weights; the "
    "output follows by itself.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "nan-in-gradients",
    edit(
        'scores.masked_fill(~mask, float("-inf"))',
        'scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, float("-inf"))',
    ),
    base="nan-to-num-at-the-end",
    section="nothing-to-attend",
    why="Minus infinity was added to forbidden scores and the NaN of an empty row replaced after the softmax. The "
    "values are right, but the backward pass goes through the NaN and reaches queries and keys.",
    hint="Your values are right and your gradients are NaN: the softmax of an empty row was computed, and its NaN "
    "comes back in the backward pass. Give such a row harmless scores *before* the softmax.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "writes-into-the-mask",
    edit("mask.any(-1, keepdim=True)", "mask.any(-1)"),
    edit('scores = scores.masked_fill(~mask, float("-inf")).masked_fill(nothing, 0.0)', "mask[nothing] = True"),
    edit(
        "softmax(scores).masked_fill(nothing, 0.0)",
        'softmax(scores.masked_fill(~mask, float("-inf"))).masked_fill(nothing.unsqueeze(-1), 0.0)',
    ),
    section="attention-pitfalls",
    why="Rows of the mask with nothing allowed were set to True in place, so that the softmax has something to work "
    "with. The idea is sound, but the caller's mask is changed, and the next layer that uses it is misled.",
    hint="After the call the mask that was passed in holds other values. Masks are shared by all layers: work on a "
    "copy, or build a new mask.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "changes-the-queries",
    edit("scores = attention_scores(q, k)", "q /= math.sqrt(q.shape[-1])\nscores = q @ k.transpose(-2, -1)"),
    base="nan-to-num-at-the-end",
    section="attention-pitfalls",
    why="The queries were scaled in place. The caller's tensor is changed, and a second call with it gives another "
    "result.",
    hint="After the call `q` holds other numbers than before: `/=`, or a method that ends in an underscore, writes "
    "into the tensor that was passed in. Compute a new tensor instead.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "float32-mask",
    edit(
        'scores = scores.masked_fill(~mask, float("-inf"))',
        """
        nothing = ~mask.any(-1, keepdim=True)
        scores = scores + torch.zeros(mask.shape).masked_fill(~mask & ~nothing, float("-inf"))
        """,
    ),
    edit(
        "weights = softmax(scores).nan_to_num(0.0)",
        "weights = softmax(scores)\nif mask is not None:\n    weights = weights.masked_fill(nothing, 0.0)",
    ),
    base="nan-to-num-at-the-end",
    section="attention-pitfalls",
    why="The mask was turned into a float32 tensor of 0 and -inf and added. That turns bfloat16 scores into float32 "
    "weights, which cannot be multiplied with bfloat16 values.",
    hint="Your function works for float32 and fails for other types: a new tensor is float32 unless you say otherwise. "
    "Create it with the dtype of the scores, or better, fill the scores directly.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "converts-to-float32",
    edit("attention_scores(q, k)", "attention_scores(q.float(), k.float())"),
    edit("weights @ v", "weights @ v.float()"),
    base="nan-to-num-at-the-end",
    section="attention-pitfalls",
    why="Queries, keys and values were converted to float32 and the results left in it. Float64 loses half of its "
    "digits, and a bfloat16 model gets a type that its next layer refuses.",
    hint="Output and weights are float32 whatever type came in. Keep the type of the input: leave out `.float()`, or "
    "convert back at the end.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "cut-off-from-the-graph",
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores.detach()).nan_to_num(0.0)"),
    base="nan-to-num-at-the-end",
    section="attention-pitfalls",
    why="The weights were computed without recording a graph. The values are right, but gradients reach only `v`, so "
    "the model could never learn where to look.",
    hint="Your values are right, but no gradient reaches `q` and `k`. Look for `detach`, `.data` or `no_grad` between "
    "them and the output.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "weights-times-keys",
    edit("weights @ v", "weights @ k"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="The weights multiplied the keys. Keys are there to be compared with; what is averaged is the values.",
    hint="Your output is an average of the keys: `v` is never used. The keys decide *how much*, the values are *what* "
    "is passed on.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "uniform-average",
    edit("attention_scores(q, k)", "torch.zeros_like(attention_scores(q, k))"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="Every value got the same weight, whatever the scores say. The output is then a plain mean of the allowed "
    "values, and queries and keys have no influence.",
    hint="All allowed keys get the same weight: queries and keys play no part. The weights have to be the softmax of "
    "their scores.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "returns-output-only",
    edit("weights @ v, weights", "weights @ v"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="The output alone was returned. The weights are part of the result too: they show where each query looked.",
    hint="You return one tensor, and the task needs two. Return the pair `(output, weights)`.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "results-exchanged",
    edit("weights @ v, weights", "weights, weights @ v"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="Weights and output were returned in the wrong order. Every caller unpacks the output first.",
    hint="Your two results are right but exchanged: the output comes first, the weights second.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "returns-scores",
    edit("weights @ v, weights", "weights @ v, scores"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="The masked scores were returned in place of the weights. Scores have any size and sign; weights are what "
    "multiplied the values.",
    hint="Your output is right, but the second result holds scores, not weights: its rows do not sum to 1. Return what "
    "you multiplied `v` with.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "dropout-called-when-none",
    edit("softmax(scores).nan_to_num(0.0)", "dropout(softmax(scores).nan_to_num(0.0))"),
    edit("if dropout is not None:\n    weights = dropout(weights)", ""),
    base="nan-to-num-at-the-end",
    section="attention-dropout",
    why="`dropout` was called without asking whether there is one. Its default is None, and None cannot be called.",
    hint="Your function raises \"'NoneType' object is not callable\": without dropout the argument is None. Call it "
    "only when it is something.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "dropout-ignored",
    edit("if dropout is not None:\n    weights = dropout(weights)", ""),
    base="nan-to-num-at-the-end",
    section="attention-dropout",
    why="The argument `dropout` was never used. The function gives the same result with and without it.",
    hint="Your result is the same with and without dropout: the argument is never used. Apply it to the weights when "
    "it is not None.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "weights-from-before-dropout",
    edit(
        "if dropout is not None:\n    weights = dropout(weights)",
        "dropped = weights if dropout is None else dropout(weights)",
    ),
    edit("weights @ v", "dropped @ v"),
    base="nan-to-num-at-the-end",
    section="attention-dropout",
    why="Dropout was applied for the output, but the weights from before it were returned. The weights that are "
    "returned should be those that multiplied the values.",
    hint="Your output is right, but your weights are those from before dropout, so weights @ v is not the output. "
    "Return what really multiplied `v`.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "dropout-called-twice",
    edit("weights @ v, weights", "dropout(weights) @ v, dropout(weights)"),
    edit("weights = dropout(weights)", "return weights @ v, weights"),
    edit("dropout is not None", "dropout is None"),
    base="nan-to-num-at-the-end",
    section="attention-dropout",
    why="Dropout was called once for the output and once more for the returned weights. Each call draws anew, so the "
    "two results belong to different draws.",
    hint="Your weights @ v is not your output: dropout draws again on every call. Call it once, keep the result, and "
    "use it for both.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "dropout-on-output",
    edit("weights @ v", "output"),
    edit("weights = dropout(weights)", "output = dropout(output)"),
    edit(
        "weights = softmax(scores).nan_to_num(0.0)",
        "weights = softmax(scores).nan_to_num(0.0)\noutput = weights @ v",
    ),
    base="nan-to-num-at-the-end",
    section="attention-dropout",
    why="Dropout was applied to the output. That erases single numbers of the result, where attention dropout erases "
    "whole links between a query and a key.",
    hint="Your weights are not touched by dropout, but your output is. Dropout goes between the softmax and the "
    "product with `v`.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "dropout-on-scores",
    edit(
        "scores = attention_scores(q, k)",
        "scores = attention_scores(q, k)\nif dropout is not None:\n    scores = dropout(scores)",
    ),
    edit("if dropout is not None:\n    weights = dropout(weights)", ""),
    base="nan-to-num-at-the-end",
    section="attention-dropout",
    why="Dropout was applied to the scores, before the softmax. A dropped score becomes 0, which is an ordinary score "
    "with its share of the weight, and the kept ones are blown up.",
    hint="With dropout no weight of yours becomes 0. A score of 0 still earns weight; drop *weights*, after the "
    "softmax.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "renormalised-after-dropout",
    edit(
        "weights = dropout(weights)",
        "weights = dropout(weights)\nweights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)",
    ),
    base="nan-to-num-at-the-end",
    section="attention-dropout",
    why="The rows were divided by their sum again after dropout. Dropout already makes up for what it drops by "
    "enlarging what it keeps, on average; forcing the sum to 1 undoes that.",
    hint="With dropout your rows still sum to exactly 1. They should not: dropout has scaled the kept weights itself, "
    "so use them as they are.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "causal-where-lengths-agree",
    edit(
        "scores = attention_scores(q, k)",
        """
        scores = attention_scores(q, k)
        if mask is None and scores.shape[-1] == scores.shape[-2]:
            mask = torch.ones_like(scores, dtype=torch.bool).tril()
        """,
    ),
    edit('float("-inf")', "-math.inf"),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores).nan_to_num()"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Without a mask, and with as many queries as keys, the future was hidden. Attention does not know that its "
    "input is a sequence to be continued; the caller passes a mask if there is something to hide.",
    hint="With as many queries as keys, your attention hides later keys although no mask was given. Hide what the mask "
    "forbids, and nothing else.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-transposed",
    edit(
        'scores = scores.masked_fill(~mask, float("-inf")',
        """
        if mask.shape[-1] == mask.shape[-2]:
            mask = mask.transpose(-1, -2)
        scores = scores.masked_fill(~mask, -math.inf
        """,
    ),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores).nan_to_num()"),
    base="nan-to-num-at-the-end",
    section="rows-are-queries",
    why="The mask was transposed where it is square, so that its rows became keys. Rows are queries, in the mask as in "
    "the scores.",
    hint="With as many queries as keys, your mask acts transposed: key i is hidden from query j where query i should "
    "not see key j. The mask's rows are queries already.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-inverted-and-nan",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(mask, float("-inf"))'),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Scores were removed where the mask is True, and a row in which all may attend became NaN. In this course True "
    "means 'may attend'.",
    hint="Your weights are zero exactly where they should not be: the mask is read the wrong way round. True means "
    "'may attend' here, so minus infinity belongs where it is *not* True.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-inverted-and-finite",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores.masked_fill(mask, -1e9)"),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Scores were set to -1e9 where the mask is True. In this course True means 'may attend', so exactly the wrong "
    "keys are left.",
    hint="Your weights are zero exactly where they should not be: the mask is read the wrong way round. True means "
    "'may attend' here, so forbid what is *not* True.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-inverted-in-the-fill",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(mask, float("-inf"))'),
    section="masking-scores",
    why="Rows with nothing to attend were found rightly, but scores were removed where the mask is True. In this course "
    "True means 'may attend'.",
    hint="Your weights are zero exactly where they should not be: `masked_fill` fills where its mask is True. Minus "
    "infinity belongs where `mask` is *not* True.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "renormalised-after-the-mask",
    edit("scores = attention_scores(q, k)", "weights = softmax(attention_scores(q, k))"),
    edit(
        'scores = scores.masked_fill(~mask, float("-inf"))',
        """
        weights = weights * mask
        total = weights.sum(-1, keepdim=True)
        weights = weights / torch.where(total == 0, torch.ones_like(total), total)
        """,
    ),
    edit("weights = softmax(scores).nan_to_num(0.0)", ""),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Forbidden weights were set to zero after the softmax, and the rest divided by its sum. If a forbidden score is "
    "far above the others, it has taken the whole row, and the allowed weights are 0 before they are divided.",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax; then a forbidden key never takes part.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "renormalised-with-epsilon",
    edit("scores = attention_scores(q, k)", "weights = softmax(attention_scores(q, k))"),
    edit(
        'scores = scores.masked_fill(~mask, float("-inf"))',
        "weights = weights * mask\nweights = weights / (weights.sum(-1, keepdim=True) + 1e-9)",
    ),
    edit("weights = softmax(scores).nan_to_num(0.0)", ""),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Forbidden weights were set to zero after the softmax, and the rest divided by its sum and a small number. If a "
    "forbidden score is far above the others, the sum is smaller than that number, and the row vanishes.",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax; then a forbidden key never takes part, and no epsilon is needed.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "renormalised-to-nan",
    edit("scores = attention_scores(q, k)", "weights = softmax(attention_scores(q, k))"),
    edit(
        'scores = scores.masked_fill(~mask, float("-inf"))',
        "weights = weights * mask\nweights = weights / weights.sum(-1, keepdim=True)",
    ),
    edit("weights = softmax(scores).nan_to_num(0.0)", ""),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Forbidden weights were set to zero after the softmax, and the rest divided by its sum. Where nothing is left, "
    "because nothing was allowed or because a forbidden score had taken the whole row, that is 0 / 0.",
    hint="Your weights are NaN where the mask leaves nothing of a row. Mask the *scores*, before the softmax, and treat "
    "rows with nothing allowed apart.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "softmax-over-axis-one",
    edit("softmax(scores)", "softmax(scores, dim=1)"),
    base="nan-to-num-at-the-end",
    section="rows-are-queries",
    why="The softmax ran over axis 1. For a matrix that is the axis of the keys, but in a batch it is that of the "
    "queries, and with heads that of the heads.",
    hint="Your weights are right for two axes and wrong for a batch: `dim=1` is then another axis. Normalise over the "
    "last one, `dim=-1`.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "weights-transposed",
    edit("weights @ v", "weights.transpose(-2, -1) @ v"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="The weights were transposed before they multiplied the values. Row i of the weights belongs to query i "
    "already, and its entries to the values.",
    hint="Your weights are right, but they are transposed when they meet the values. Multiply `weights @ v` as they are.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "truth-of-a-mask",
    edit("if mask is not None:", "if mask:"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="`if mask:` asks whether the tensor is true. A tensor of several entries is neither true nor false, so PyTorch "
    "raises an error.",
    hint="Your function raises that the truth of a tensor is ambiguous. Ask whether there is a mask: `if mask is not "
    "None`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# SelfAttention


mistake(
    "attention.SelfAttention",
    "no-bias",
    edit("self.w_q = nn.Linear(d_model, d_model)", "self.w_q = nn.Linear(d_model, d_model, bias=False)"),
    edit("self.w_k = nn.Linear(d_model, d_model)", "self.w_k = nn.Linear(d_model, d_model, bias=False)"),
    edit("self.w_v = nn.Linear(d_model, d_model)", "self.w_v = nn.Linear(d_model, d_model, bias=False)"),
    section="self-attention",
    why="The three linear layers were built without a bias. This course's attention layers have one, as those of the "
    "GPT-2 checkpoints do.",
    hint="Your linear layers have no bias, so there is nowhere to put the biases of trained weights. `nn.Linear` has a "
    "bias unless you switch it off.",
)

mistake(
    "attention.SelfAttention",
    "plain-matrices",
    edit("self.w_q = nn.Linear(d_model, d_model)", "self.w_q = nn.Parameter(torch.eye(d_model))"),
    edit("self.w_k = nn.Linear(d_model, d_model)", "self.w_k = nn.Parameter(torch.eye(d_model))"),
    edit("self.w_v = nn.Linear(d_model, d_model)", "self.w_v = nn.Parameter(torch.eye(d_model))"),
    edit("self.w_q(x), self.w_k(x), self.w_v(x)", "x @ self.w_q, x @ self.w_k, x @ self.w_v"),
    section="self-attention",
    why="The projections were kept as bare matrices. The exercise asks for `nn.Linear`, which brings the bias, a "
    "sensible initialisation, and the parameter names that checkpoints use.",
    hint="`w_q`, `w_k` and `w_v` are matrices, not layers. Make each an `nn.Linear`: it holds weight and bias, and is "
    "called like a function.",
)

mistake(
    "attention.SelfAttention",
    "base-class-not-initialised",
    edit("super().__init__()", ""),
    section="self-attention",
    why="`__init__` assigned layers without calling `super().__init__()` first. `nn.Module` registers layers in tables "
    "that only its own `__init__` creates, so the assignment is refused.",
    hint="Building your module raises 'cannot assign module before Module.__init__() call'. The first line of "
    "`__init__` has to initialise the base class, and the layers come after it.",
)

mistake(
    "attention.SelfAttention",
    "one-projection-for-all",
    edit("self.w_q = nn.Linear(d_model, d_model)\nself.w_k = nn.Linear(d_model, d_model)", ""),
    edit("self.w_v = nn.Linear(d_model, d_model)", "self.w_q = self.w_k = self.w_v = nn.Linear(d_model, d_model)"),
    section="queries-keys-values",
    why="One linear layer serves for queries, keys and values. The scores are then symmetric: i attends to j as j to "
    "i, and every position mostly to itself.",
    hint="Queries, keys and values come out of the same layer. They play three different parts, so each needs a layer "
    "with weights of its own.",
)

mistake(
    "attention.SelfAttention",
    "keys-share-the-query-layer",
    edit("self.w_k = nn.Linear(d_model, d_model)", "self.w_k = self.w_q"),
    section="queries-keys-values",
    why="Queries and keys share one linear layer. The scores are then symmetric, so no position can look at another "
    "without being looked at in the same measure.",
    hint="`w_q` and `w_k` are the same layer, so your scores are symmetric. Build a layer of its own for the keys.",
)

mistake(
    "attention.SelfAttention",
    "queries-and-keys-exchanged",
    edit("self.w_q(x), self.w_k(x)", "self.w_k(x), self.w_q(x)"),
    section="queries-keys-values",
    why="Queries and keys were passed in the wrong order. The score matrix comes out transposed, so each row holds how "
    "much the others look for this position instead of what it looks for.",
    hint="Your scores are transposed before the softmax: queries and keys have changed places. The order of arguments "
    "is queries, keys, values.",
)

mistake(
    "attention.SelfAttention",
    "values-not-projected",
    edit("self.w_v(x)", "x"),
    section="queries-keys-values",
    why="The input itself was averaged, in place of its values. `w_v` then has no influence and no gradient.",
    hint="Your weights are right, but the output averages `x` itself and `w_v` is never used. Project the values too.",
)

mistake(
    "attention.SelfAttention",
    "keys-used-as-values",
    edit("self.w_v(x)", "self.w_k(x)"),
    section="queries-keys-values",
    why="The keys were averaged as if they were values. What a position is found by and what it passes on are learned "
    "separately.",
    hint="Your weights are right, but the output averages the keys and `w_v` is never used. The third argument is the "
    "values.",
)

mistake(
    "attention.SelfAttention",
    "mask-ignored",
    edit(
        "scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)",
        "scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x))",
    ),
    section="masking-scores",
    why="`forward` accepts a mask and does not pass it on. Every position attends to every other, padding and future "
    "included.",
    hint="Your result is the same with and without a mask: `forward` takes it and never hands it to the attention "
    "function.",
)

mistake(
    "attention.SelfAttention",
    "mask-inverted",
    edit(
        "return scaled_dot_product_attention(",
        "mask = None if mask is None else ~mask\nreturn scaled_dot_product_attention(",
    ),
    section="masking-scores",
    why="The mask was inverted before it was passed on. True means 'may attend' everywhere in this course, so nothing "
    "has to be turned round.",
    hint="Your weights are zero exactly where they should not be: the mask is turned round once too often. Pass it on "
    "as it is.",
)

mistake(
    "attention.SelfAttention",
    "mask-unsqueezed",
    edit(
        "return scaled_dot_product_attention(",
        "mask = None if mask is None else mask.unsqueeze(1)\nreturn scaled_dot_product_attention(",
    ),
    section="masking-scores",
    why="An axis for heads was inserted into the mask, but there is only one head here. The mask then lines up with "
    "the wrong axes of the scores (B, T, T).",
    hint="Your scores have shape (B, T, T) and your mask one axis more than it should. With a single head the mask is "
    "passed on as it is.",
)

mistake(
    "attention.SelfAttention",
    "always-causal",
    edit(
        "return scaled_dot_product_attention(",
        """
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        mask = causal if mask is None else causal & mask
        return scaled_dot_product_attention(
        """,
    ),
    section="self-attention",
    why="A causal mask was built in. Self-attention in an encoder looks both ways; who may look where is the caller's "
    "decision, passed as `mask`.",
    hint="Your weights are zero above the diagonal although no mask was given. Apply only the mask that is passed in.",
)

mistake(
    "attention.SelfAttention",
    "softmax-over-queries",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)",
        """
        scores = attention_scores(self.w_q(x), self.w_k(x))
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = softmax(scores, dim=1).nan_to_num(0.0)
        return weights @ self.w_v(x), weights
        """,
    ),
    section="rows-are-queries",
    why="The softmax ran over axis 1 of the scores (B, T, T), the queries. The weights of one query then do not sum to "
    "1.",
    hint="Your weights sum to 1 over the *queries*: in scores of shape (B, T, T), `dim=1` is the query axis. Normalise "
    "the last axis, or call `scaled_dot_product_attention`.",
)

mistake(
    "attention.SelfAttention",
    "sequence-first",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)",
        """
        x = x.transpose(0, 1)
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        return output.transpose(0, 1), weights
        """,
    ),
    section="shapes",
    why="Batch and sequence axes were exchanged, as for layers that want the sequence first. Each position then "
    "attends to the same position of the other sequences of the batch.",
    hint="Your positions attend across the batch, not along the sequence. The input is (B, T, d_model), batch first: "
    "leave the axes where they are.",
)

mistake(
    "attention.SelfAttention",
    "input-added",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)",
        """
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        return x + output, weights
        """,
    ),
    section="self-attention",
    why="The input was added to the output. The residual connection is a part of the block around attention and not of "
    "attention itself.",
    hint="Your weights are right, and your output is too large by exactly `x`. The residual connection comes later, in "
    "the block.",
)

mistake(
    "attention.SelfAttention",
    "drops-weights-in-training",
    edit(
        "self.w_v = nn.Linear(d_model, d_model)",
        "self.w_v = nn.Linear(d_model, d_model)\nself.drop = nn.Dropout(0.1)",
    ),
    edit(
        "scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)",
        "scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask, self.drop)",
    ),
    section="attention-dropout",
    why="A dropout was built in, as in larger models. This class has no dropout: in training mode its weights no "
    "longer sum to 1, and every call gives another output.",
    hint="In training mode some of your weights are 0 and the others too large: there is a dropout in your class, and "
    "nobody asked for one. Leave it out.",
)

mistake(
    "attention.SelfAttention",
    "keeps-the-last-mask",
    edit("self.w_v = nn.Linear(d_model, d_model)", "self.w_v = nn.Linear(d_model, d_model)\nself.mask = None"),
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)",
        """
        if mask is not None:
            self.mask = mask
        return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), self.mask)
        """,
    ),
    section="self-attention",
    why="The mask was stored on the module and is used again when a call has none. Without a mask every position may "
    "attend to every other one, whatever the call before was told.",
    hint="A call without a mask still follows the mask of the call before. Use the argument `mask` itself and store "
    "nothing: `None` means that all may attend.",
)

mistake(
    "attention.SelfAttention",
    "returns-output-only",
    edit(
        "scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)",
        "scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)[0]",
    ),
    section="self-attention",
    why="`forward` returned the output alone. The task needs the weights too: they show where each position looks.",
    hint="`forward` returns one tensor, and the task needs two. Return the pair `(output, weights)`.",
)

mistake(
    "attention.SelfAttention",
    "layers-made-in-forward",
    edit("self.w_q = nn.Linear(d_model, d_model)\nself.w_k = nn.Linear(d_model, d_model)", ""),
    edit("self.w_v = nn.Linear(d_model, d_model)", "self.d_model = d_model"),
    edit(
        "return scaled_dot_product_attention(",
        """
        self.w_q = nn.Linear(self.d_model, self.d_model)
        self.w_k = nn.Linear(self.d_model, self.d_model)
        self.w_v = nn.Linear(self.d_model, self.d_model)
        return scaled_dot_product_attention(
        """,
    ),
    section="self-attention",
    why="The linear layers were created in `forward`, or have other names than the task says. Layers made in `forward` "
    "are new and random at every call, unknown to `parameters()`, and never trained.",
    hint="A new module of yours has no `w_q`. Are your layers called `w_q`, `w_k` and `w_v`, and are they created in "
    "`__init__`? Layers that are created in `forward` are new at every call.",
)

mistake(
    "attention.SelfAttention",
    "keeps-the-first-input",
    edit("self.w_v = nn.Linear(d_model, d_model)", "self.w_v = nn.Linear(d_model, d_model)\nself.known = None"),
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)",
        """
        if self.known is None or self.known[0].shape != x.shape:
            self.known = self.w_q(x), self.w_k(x), self.w_v(x)
        return scaled_dot_product_attention(*self.known, mask)
        """,
    ),
    section="self-attention",
    why="What the first call computed was stored, and used again for every later input of the same shape. Another "
    "sentence has other queries, keys and values.",
    hint="The second call of your module still answers for the input of the first. Whatever depends on `x` has to be "
    "computed anew in every `forward`.",
)

mistake(
    "attention.SelfAttention",
    "renormalised-after-the-mask",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)",
        """
        weights = softmax(attention_scores(self.w_q(x), self.w_k(x)))
        if mask is not None:
            weights = weights * mask
            total = weights.sum(-1, keepdim=True)
            weights = weights / torch.where(total == 0, torch.ones_like(total), total)
        return weights @ self.w_v(x), weights
        """,
    ),
    section="masking-scores",
    why="Forbidden weights were set to zero after the softmax, and the rest divided by its sum. If a forbidden score is "
    "far above the others, it has taken the whole row, and the allowed weights are 0 before they are divided.",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax, or call `scaled_dot_product_attention`, which does.",
)


# ---------------------------------------------------------------------------------------------------------------------
# CrossAttention


mistake(
    "attention.CrossAttention",
    "no-bias",
    edit("self.w_q = nn.Linear(d_model, d_model)", "self.w_q = nn.Linear(d_model, d_model, bias=False)"),
    edit("self.w_k = nn.Linear(d_model, d_model)", "self.w_k = nn.Linear(d_model, d_model, bias=False)"),
    edit("self.w_v = nn.Linear(d_model, d_model)", "self.w_v = nn.Linear(d_model, d_model, bias=False)"),
    section="cross-attention",
    why="The three linear layers were built without a bias. This course's attention layers have one.",
    hint="Your linear layers have no bias, so there is nowhere to put the biases of trained weights. `nn.Linear` has a "
    "bias unless you switch it off.",
)

mistake(
    "attention.CrossAttention",
    "sources-exchanged",
    edit("self.w_q(x), self.w_k(memory), self.w_v(memory)", "self.w_q(memory), self.w_k(x), self.w_v(x)"),
    section="cross-attention",
    why="Queries were taken from the memory, keys and values from `x`. The output then has one row for each position "
    "of the memory, and carries the content of `x` instead of the memory's.",
    hint="Your output has as many rows as the memory: the two inputs have changed places. `x` asks (queries), the "
    "memory answers (keys and values).",
)

mistake(
    "attention.CrossAttention",
    "queries-from-memory",
    edit("self.w_q(x)", "self.w_q(memory)"),
    section="cross-attention",
    why="The queries were taken from the memory too, so the memory attends to itself. `x` has no influence, and the "
    "output has the memory's length.",
    hint="Your output does not depend on `x`, and has as many rows as the memory. The queries come from `x`: one row "
    "of output for each of its positions.",
)

mistake(
    "attention.CrossAttention",
    "memory-ignored",
    edit("self.w_k(memory), self.w_v(memory)", "self.w_k(x), self.w_v(x)"),
    section="cross-attention",
    why="Queries, keys and values were all taken from `x`. That is self-attention, and nothing of the memory reaches "
    "the output.",
    hint="Your output does not change when the memory does: this is self-attention. Keys and values come from the "
    "memory.",
)

mistake(
    "attention.CrossAttention",
    "keys-from-x",
    edit("self.w_k(memory)", "self.w_k(x)"),
    section="cross-attention",
    why="The keys were taken from `x`, the values from the memory. Key j and value j then belong to different tokens, "
    "and for different lengths they do not even pair up.",
    hint="Your keys come from `x` and your values from the memory. A key and its value describe the same token, so "
    "both come from the memory.",
)

mistake(
    "attention.CrossAttention",
    "values-from-x",
    edit("self.w_v(memory)", "self.w_v(x)"),
    section="cross-attention",
    why="The values were taken from `x`, the keys from the memory. The weights say which tokens of the memory to read, "
    "but what is read is something else.",
    hint="Your weights are right, but they average values made from `x`. What is found in the memory is also read from "
    "the memory.",
)

mistake(
    "attention.CrossAttention",
    "layers-exchanged",
    edit("self.w_q(x), self.w_k(memory)", "self.w_k(x), self.w_q(memory)"),
    section="queries-keys-values",
    why="The queries were made by `w_k` and the keys by `w_q`. The shapes agree, but trained weights loaded into these "
    "layers do each other's work.",
    hint="Your inputs are right and your layers are crossed: `w_k` makes the queries and `w_q` the keys. The names say "
    "which layer makes what.",
)

mistake(
    "attention.CrossAttention",
    "values-share-the-key-layer",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory)",
        "keys = self.w_k(memory)\nreturn scaled_dot_product_attention(self.w_q(x), keys, keys",
    ),
    section="queries-keys-values",
    why="The values were made by the layer of the keys. What a token is found by and what it passes on are learned "
    "separately, and `w_v` is never used.",
    hint="Your weights are right, but the output averages the keys and `w_v` is never used. Project the memory a "
    "second time, with `w_v`.",
)

mistake(
    "attention.CrossAttention",
    "values-not-projected",
    edit("self.w_v(memory)", "memory"),
    section="queries-keys-values",
    why="The memory itself was averaged, in place of its values. `w_v` then has no influence and no gradient.",
    hint="Your weights are right, but the output averages the memory itself and `w_v` is never used. Project the "
    "values too.",
)

mistake(
    "attention.CrossAttention",
    "memory-not-projected",
    edit("self.w_k(memory), self.w_v(memory)", "memory, memory"),
    section="queries-keys-values",
    why="The memory was used as keys and values as it is. `w_k` and `w_v` then have no influence, so the decoder "
    "cannot learn what to look for in it.",
    hint="Only the queries are projected; the memory goes in as it is. It has to pass `w_k` to become keys and `w_v` "
    "to become values.",
)

mistake(
    "attention.CrossAttention",
    "x-joined-to-memory",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory)",
        """
        both = torch.cat([x, memory], dim=1)
        return scaled_dot_product_attention(self.w_q(x), self.w_k(both), self.w_v(both)
        """,
    ),
    section="cross-attention",
    why="Keys and values were made from `x` and the memory joined together. Cross-attention looks at the memory alone; "
    "looking at `x` is the work of self-attention.",
    hint="Your weights have T_q + T_k columns: you join `x` to the memory before making keys and values. Only the "
    "memory is looked at here.",
)

mistake(
    "attention.CrossAttention",
    "mask-ignored",
    edit(
        "scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)",
        "scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory))",
    ),
    section="masking-scores",
    why="`forward` accepts a mask and does not pass it on. Padding in the memory is read like real tokens.",
    hint="Your result is the same with and without a mask: `forward` takes it and never hands it to the attention "
    "function.",
)

mistake(
    "attention.CrossAttention",
    "mask-inverted",
    edit(
        "return scaled_dot_product_attention(",
        "mask = None if mask is None else ~mask\nreturn scaled_dot_product_attention(",
    ),
    section="masking-scores",
    why="The mask was inverted before it was passed on. True means 'may attend' everywhere in this course, so nothing "
    "has to be turned round.",
    hint="Your weights are zero exactly where they should not be: the mask is turned round once too often. Pass it on "
    "as it is.",
)

mistake(
    "attention.CrossAttention",
    "no-scale",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)",
        """
        scores = self.w_q(x) @ self.w_k(memory).transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = softmax(scores).nan_to_num(0.0)
        return weights @ self.w_v(memory), weights
        """,
    ),
    section="why-scale",
    why="The softmax was taken of the plain dot products. Without the division by sqrt(d_k) the weights come out too "
    "sharp.",
    hint="Your weights sum to 1 but are too sharp: the scores were not divided by the root of the width. "
    "`scaled_dot_product_attention` does it for you.",
)

mistake(
    "attention.CrossAttention",
    "returns-output-only",
    edit(
        "scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)",
        "scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)[0]",
    ),
    section="cross-attention",
    why="`forward` returned the output alone. The task needs the weights too: in translation they show which source "
    "word each target word looks at.",
    hint="`forward` returns one tensor, and the task needs two. Return the pair `(output, weights)`.",
)

mistake(
    "attention.CrossAttention",
    "keeps-the-first-memory",
    edit("self.w_v = nn.Linear(d_model, d_model)", "self.w_v = nn.Linear(d_model, d_model)\nself.known = None"),
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)",
        """
        if self.known is None or self.known[0].shape != memory.shape:
            self.known = self.w_k(memory), self.w_v(memory)
        return scaled_dot_product_attention(self.w_q(x), *self.known, mask)
        """,
    ),
    section="cross-attention",
    why="Keys and values of the first memory were stored, and used again for every later one of the same shape. "
    "Another sentence has another memory.",
    hint="The second call of your module still attends to the memory of the first. Keys and values have to be computed "
    "from the `memory` of this call.",
)

mistake(
    "attention.CrossAttention",
    "mask-transposed",
    edit(
        "return scaled_dot_product_attention(",
        """
        if mask is not None and mask.shape[-1] == mask.shape[-2]:
            mask = mask.transpose(-1, -2)
        return scaled_dot_product_attention(
        """,
    ),
    section="rows-are-queries",
    why="The mask was transposed where it is square, so that its rows became positions of the memory. Rows are "
    "queries, columns are keys.",
    hint="With as many queries as keys, your mask acts transposed. Its rows are the positions of `x` and its columns "
    "those of `memory` already: hand it on as it is.",
)

mistake(
    "attention.CrossAttention",
    "renormalised-after-the-mask",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)",
        """
        weights = softmax(attention_scores(self.w_q(x), self.w_k(memory)))
        if mask is not None:
            weights = weights * mask
            total = weights.sum(-1, keepdim=True)
            weights = weights / torch.where(total == 0, torch.ones_like(total), total)
        return weights @ self.w_v(memory), weights
        """,
    ),
    section="masking-scores",
    why="Forbidden weights were set to zero after the softmax, and the rest divided by its sum. If a forbidden score is "
    "far above the others, it has taken the whole row, and the allowed weights are 0 before they are divided.",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax, or call `scaled_dot_product_attention`, which does.",
)

mistake(
    "attention.SelfAttention",
    "keys-made-by-the-query-layer",
    edit("self.w_k(x)", "self.w_q(x)"),
    section="queries-keys-values",
    why="The keys were made by `w_q`, so `w_k` is never used. The scores are then symmetric: each position looks at "
    "another as much as it is looked at.",
    hint="Your keys come from `w_q`, and `w_k` has no influence. Each of the three layers makes what its name says.",
)

mistake(
    "attention.SelfAttention",
    "keys-and-values-exchanged",
    edit("self.w_k(x), self.w_v(x)", "self.w_v(x), self.w_k(x)"),
    section="queries-keys-values",
    why="The keys were made by `w_v` and the values by `w_k`. The shapes agree, but trained weights loaded into these "
    "layers do each other's work.",
    hint="`w_v` makes your keys and `w_k` your values. The order of arguments is queries, keys, values.",
)

mistake(
    "attention.CrossAttention",
    "keys-and-values-exchanged",
    edit("self.w_k(memory), self.w_v(memory)", "self.w_v(memory), self.w_k(memory)"),
    section="queries-keys-values",
    why="The keys were made by `w_v` and the values by `w_k`. Both read the memory, but trained weights loaded into "
    "these layers do each other's work.",
    hint="`w_v` makes your keys and `w_k` your values. The order of arguments is queries, keys, values.",
)

mistake(
    "attention.attention_scores",
    "divides-by-the-fourth-root",
    edit("math.sqrt(d_k)", "d_k**0.25"),
    section="why-scale",
    why="The scores were divided by the fourth root of d_k. That root belongs to queries and keys each, when both are scaled before the product.",
    hint="You divide by the fourth root of d_k. The product of a query and a key is divided by the square root.",
)

mistake(
    "attention.softmax",
    "base-two",
    edit("(x - x.amax(dim, keepdim=True)).exp()", "2 ** (x - x.amax(dim, keepdim=True))"),
    section="stable-softmax",
    why="Powers of 2 were taken for powers of e. Rows still sum to 1, but differences of scores count for less.",
    hint="Your weights are too even: you take powers of 2. The softmax takes `exp`.",
)
