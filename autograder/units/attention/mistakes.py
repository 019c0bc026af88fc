"""Wrong implementations of the tasks of attention, each with the misconception behind it.

Every entry is wrong in one respect only. Where rows with nothing to attend are not the point, ``nan_to_num`` handles
them; it gives right results and gradients after a ``masked_fill``. When two mistakes give the same results, a report
names the first of them.
"""

from autograder.course.catalogue import edit, mistake

# ---------------------------------------------------------------------------------------------------------------------
# softmax


mistake(
    "attention.softmax",
    "no-max-subtraction",
    edit("(x - x.amax(dim, keepdim=True)).exp()", "torch.exp(x)"),
    section="stable-softmax",
    why="A row with a large score comes out as NaN, and so does a row of very negative scores. You took the "
    "exponential of the scores as they are, but exp(89) overflows float32, and inf / inf and 0 / 0 are NaN. Any shift "
    "of a whole row leaves its softmax unchanged. Which shift keeps exp from overflowing?",
    hint="Your softmax is right for small scores and gives NaN for large ones, because exp overflows. Shifting a whole "
    "row does not change its softmax: shift it so that its largest entry is 0 before you take exp.",
)

mistake(
    "attention.softmax",
    "sign-of-the-exponent",
    edit("(x - x.amax(dim, keepdim=True)).exp()", "(x.amax(dim, keepdim=True) - x).exp()"),
    section="stable-softmax",
    why="The smallest score gets the largest weight, and scores far below the maximum overflow. You subtracted each "
    "score from the maximum. Should the exponents be positive or negative after the shift?",
    hint="Your largest scores get the smallest weights. Subtract the maximum from `x`, not `x` from the maximum.",
)

mistake(
    "attention.softmax",
    "clamped-scores",
    edit("x - x.amax(dim, keepdim=True)", "x.clamp(-80, 80)"),
    section="stable-softmax",
    why="Scores beyond a limit, such as 1000 and 1005, all get the same weight. You clamped them to keep exp from "
    "overflowing. Which shift bounds the exponents without making scores equal?",
    hint="Your softmax no longer overflows, but scores beyond your limit all get the same weight. Nothing has to be "
    "cut off: subtract from each row its own largest entry, and no exponent is above 0.",
)

mistake(
    "attention.softmax",
    "clamped-scores-variant-2",
    edit("x - x.amax(dim, keepdim=True)", "x.clamp(max=80)"),
    section="stable-softmax",
    why="Large scores, such as 1000 and 1001, all get the same weight, and rows of very negative scores come out as "
    "NaN. You limited the scores from above. Which shift bounds the exponents without making scores equal?",
    hint="Large scores such as 1000 and 1001 all get the same weight, because you limit them. No limit is needed: "
    "subtract from each row its own largest entry, and no exponent is above 0.",
)

mistake(
    "attention.softmax",
    "one-maximum-for-all-rows",
    edit("x.amax(dim, keepdim=True)", "x.max()"),
    section="stable-softmax",
    why="Rows far below the largest score of the tensor come out as NaN. You subtracted one maximum from all rows, "
    "so such a row underflows to zeros, and 0 / 0 is NaN. Which maximum should each row use?",
    hint="Rows whose scores are far below those of another row come out as NaN. Subtract from each row its *own* "
    "maximum: take it along `dim` and keep that axis, so that it broadcasts.",
)

mistake(
    "attention.softmax",
    "maximum-along-another-axis",
    edit("x.amax(dim, keepdim=True)", "x.amax(-1, keepdim=True)"),
    section="stable-softmax",
    why="Your softmax is right for the last axis and wrong for every other. You took the maximum along the last axis "
    "and the sum along `dim`, so entries that are divided by one sum were shifted by different amounts. Which entries "
    "have to be shifted alike?",
    hint="Your softmax is right for the last axis and wrong for any other. A shift leaves the result alone only if all "
    "entries that share a sum are shifted alike: does your maximum use `dim`?",
)

mistake(
    "attention.softmax",
    "maximum-along-another-axis-variant-2",
    edit("x.amax(dim, keepdim=True)", "x.amax(0, keepdim=True)"),
    section="stable-softmax",
    why="Your softmax is right for the first axis and wrong for every other. You took the maximum along the first "
    "axis and the sum along `dim`, so entries that are divided by one sum were shifted by different amounts. Which "
    "entries have to be shifted alike?",
    hint="Your softmax is right for the first axis and wrong for any other. A shift leaves the result alone only if all "
    "entries that share a sum are shifted alike: does your maximum use `dim`?",
)

mistake(
    "attention.softmax",
    "subtracts-the-minimum",
    edit("x.amax(dim, keepdim=True)", "x.amin(dim, keepdim=True)"),
    section="stable-softmax",
    why="A row with a wide spread, or with one entry of -inf, comes out as NaN. You subtracted the smallest entry, "
    "so the largest exponent is the whole spread of the row and can overflow. Which entry makes the largest exponent "
    "0?",
    hint="A row with a wide spread, or with one entry of -inf, comes out as NaN. The shift has to make the *largest* "
    "exponent 0, so that exp can only underflow, never overflow.",
)

mistake(
    "attention.softmax",
    "subtracts-the-mean",
    edit("x.amax(dim, keepdim=True)", "x.mean(dim, keepdim=True)"),
    section="stable-softmax",
    why="A row with one entry of -inf, or with one very large score, comes out as NaN. You subtracted the mean, "
    "which centres a row but does not bound its largest exponent. Which entry does bound it?",
    hint="A row with one entry of -inf, or with one very large score, comes out as NaN. Centring a row is not enough: "
    "which number must you subtract so that no exponent is above 0?",
)

mistake(
    "attention.softmax",
    "one-sum-for-all-rows",
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum()"),
    section="stable-softmax",
    why="All your weights together sum to 1, instead of each row separately. You divided by the sum over the whole "
    "tensor. Along which axis should the sum run?",
    hint="Your weights sum to 1 over the whole tensor, not along `dim`: each row has to sum to 1 on its own. Which "
    "axis does your sum run over, and does it keep that axis?",
)

mistake(
    "attention.softmax",
    "always-the-last-axis",
    edit("x.amax(dim, keepdim=True)", "x.amax(-1, keepdim=True)"),
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum(-1, keepdim=True)"),
    section="stable-softmax",
    why="Entries along any axis but the last do not sum to 1. You ignored `dim` and normalised the last axis. Which "
    "two reductions have to follow the argument?",
    hint="Your softmax always normalises the last axis, even when `dim` says otherwise. Use `dim` both for the maximum "
    "and for the sum.",
)

mistake(
    "attention.softmax",
    "softmax-over-queries",
    edit("x.amax(dim, keepdim=True)", "x.amax(-2, keepdim=True)"),
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum(-2, keepdim=True)"),
    section="rows-are-queries",
    why="The weights of a query do not sum to 1. You always normalised the second axis from the end, and for scores "
    "of shape (..., T_q, T_k) this axis holds the queries. Which axis does `dim` name?",
    hint="Your softmax always runs over the second axis from the end. A row of scores belongs to one query, and it is "
    "the row that has to sum to 1; normalise along the axis that `dim` names.",
)

mistake(
    "attention.softmax",
    "always-the-first-axis",
    edit("x.amax(dim, keepdim=True)", "x.amax(0, keepdim=True)"),
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum(0, keepdim=True)"),
    section="stable-softmax",
    why="Entries along any axis but the first do not sum to 1. You ignored `dim` and normalised the first axis. Which "
    "two reductions have to follow the argument?",
    hint="Your softmax always normalises the first axis, even when `dim` says otherwise. Use `dim` both for the "
    "maximum and for the sum.",
)

mistake(
    "attention.softmax",
    "axis-not-kept",
    edit("x.amax(dim, keepdim=True)", "x.amax(dim)"),
    edit("exponentials.sum(dim, keepdim=True)", "exponentials.sum(dim)"),
    section="stable-softmax",
    why="Your function fails, or silently normalises the wrong axis when the shape is square. You let the maximum and "
    "the sum drop the axis that they ran over, so they no longer line up with the rows. How can a reduction keep its "
    "axis?",
    hint="After a reduction along `dim` that axis is gone, so (3, 4) minus (3,) does not line up row by row. Keep it "
    "with length 1 when you reduce; then (3, 4) minus (3, 1) does.",
)

mistake(
    "attention.softmax",
    "returns-logarithms",
    edit("exponentials = (x - x.amax(dim, keepdim=True)).exp()", "shifted = x - x.amax(dim, keepdim=True)"),
    edit("exponentials / exponentials.sum(dim, keepdim=True)", "shifted - shifted.exp().sum(dim, keepdim=True).log()"),
    section="stable-softmax",
    why="Your results are all negative and do not sum to 1. You returned the logarithms of the weights, which cannot "
    "serve as the weights of an average. Between which bounds does a weight lie?",
    hint="Your results are all negative: they are the logarithms of the weights. What multiplies the values has to be "
    "between 0 and 1 and sum to 1 along `dim`.",
)

mistake(
    "attention.softmax",
    "no-exponential",
    edit("torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))", "x / x.sum(dim, keepdim=True)"),
    base="log-sum-exp",
    section="stable-softmax",
    why="Some of your weights are negative or above 1. You divided the scores by their sum, which may even be 0. "
    "Which function makes every score positive and keeps their order?",
    hint="Some of your weights are negative or above 1. Scores may have any sign, so first make them positive in a way "
    "that keeps their order: that is what the exponential is for.",
)

mistake(
    "attention.softmax",
    "epsilon-in-the-denominator",
    edit("exponentials.sum(dim, keepdim=True)", "(exponentials.sum(dim, keepdim=True) + 1e-6)"),
    section="stable-softmax",
    why="Your weights sum to slightly less than 1, which shows in float64. You added a small number to the sum to "
    "avoid dividing by zero. How small can the sum become after the maximum has been subtracted?",
    hint="Your weights sum to slightly less than 1, which shows in float64. Once the maximum is subtracted, one "
    "exponential is exp(0) = 1, so the sum cannot be 0 and needs no epsilon.",
)

mistake(
    "attention.softmax",
    "converts-to-float32",
    edit("x - x.amax(dim, keepdim=True)", "x.float() - x.float().amax(dim, keepdim=True)"),
    section="stable-softmax",
    why="Your result is float32 whatever type came in. You converted the input, so float64 loses half of its digits, "
    "and a bfloat16 model gets a type that its next layer does not expect. Which type should the result have?",
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
    why="After the call, the caller's scores hold other numbers. You subtracted the maximum in place. Which form of "
    "the subtraction makes a new tensor?",
    hint="After the call the tensor that was passed in holds other numbers: an operator such as `-=`, or a method that "
    "ends in an underscore, writes into it. Compute a new tensor instead.",
)

mistake(
    "attention.softmax",
    "cut-off-from-the-graph",
    edit("exponentials = (", "x = x.detach()\nexponentials = ("),
    section="stable-softmax",
    why="Your values are right, but no gradient reaches `x`, so nothing before the softmax can learn. You took the "
    "scores out of the graph before the first step. From which tensor should that step start?",
    hint="Your values are right, but no gradient reaches `x`. Something takes the tensor out of the graph: look for "
    "`detach`, `.data`, `no_grad`, `torch.tensor(...)`, `.item()` or NumPy.",
)

mistake(
    "attention.softmax",
    "tiny-epsilon-in-the-denominator",
    edit("exponentials.sum(dim, keepdim=True)", "(exponentials.sum(dim, keepdim=True) + 1e-8)"),
    section="stable-softmax",
    why="Your weights sum to a tiny bit less than 1, which shows in float64. You added 1e-8 to the sum to avoid "
    "dividing by zero. How small can the sum become after the maximum has been subtracted?",
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
    why="Your weights are right, but computing gradients raises an error. You divided the exponentials in place, "
    "although the backward pass of exp needs them unchanged. Which form of the division makes a new tensor?",
    hint="Your weights are right, but training with them fails: `/=` overwrites the exponentials, which the backward "
    "pass of exp still needs. Use a form of the division that makes a new tensor.",
)

mistake(
    "attention.softmax",
    "minus-infinity-replaced",
    edit("torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))", "torch.softmax(x.nan_to_num(neginf=-100.0), dim)"),
    base="log-sum-exp",
    section="stable-softmax",
    why="An entry of -inf gets a small weight instead of 0, and a large weight if the other scores are near -100. You "
    "replaced it by a number such as -100. What is exp(-inf)?",
    hint="An entry of -inf should get a weight of exactly 0, but yours gets a tiny one. exp(-inf) is 0 already: leave "
    "-inf as it is, and only make sure that the number you subtract is finite.",
)

mistake(
    "attention.softmax",
    "limited-from-below",
    edit("torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))", "torch.softmax(x.clamp_min(-1e4), dim)"),
    base="log-sum-exp",
    section="stable-softmax",
    why="Scores far below zero get equal weights, such as -30000 and -30005. You raised them to a lower limit, so "
    "that no -inf remains. What is exp(-inf), and does a softmax need a limit?",
    hint="Your softmax gives equal weights to scores far below zero, because a limit makes them equal. A softmax "
    "depends on differences alone and needs no limit: subtract the row's maximum, and exp(-inf) is 0 by itself.",
)

mistake(
    "attention.softmax",
    "float64-cut-to-float32",
    edit("torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))", "torch.softmax(x.float(), dim).to(x.dtype)"),
    base="log-sum-exp",
    section="stable-softmax",
    why="Your result has the right type, but in float64 it has only the precision of float32. You computed every "
    "type in float32, which helps bfloat16 and harms float64. For which types is float32 the wider one?",
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
    why="Your scores are too large, all by the same factor. You returned plain dot products, whose spread grows with "
    "the width, so the softmax puts almost all weight on one key. By how much does a sum of d_k products spread?",
    hint="Your scores are too large, all by the same factor. A sum of d_k products spreads in proportion to sqrt(d_k); "
    "divide that out.",
)

mistake(
    "attention.attention_scores",
    "divides-by-the-width",
    edit("math.sqrt(d_k)", "d_k"),
    section="why-scale",
    why="Your scores are the right ones divided by sqrt(d_k), so the softmax comes close to uniform. You divided by "
    "d_k, which is the variance of a dot product. How large is its standard deviation?",
    hint="Your scores are the right ones divided by sqrt(d_k). The *variance* of a dot product is d_k. Divide by its "
    "standard deviation, which is the root of the variance.",
)

mistake(
    "attention.attention_scores",
    "multiplies-by-the-root",
    edit("q @ k.transpose(-2, -1) / math.sqrt(d_k)", "q @ k.transpose(-2, -1) * math.sqrt(d_k)"),
    section="why-scale",
    why="Your scores are the right ones times d_k. You multiplied by the root of the width. What does the formula do "
    "with this root?",
    hint="Your scores are the right ones times d_k: you multiply by the root where the formula divides.",
)

mistake(
    "attention.attention_scores",
    "root-of-the-sequence-length",
    edit("d_k = q.shape[-1]", ""),
    edit("math.sqrt(d_k)", "math.sqrt(k.shape[-2])"),
    section="why-scale",
    why="Your scale changes with the number of keys. You took it from the length of the sequence, but a dot product "
    "sums over the width of the vectors. On which axis of `q` is this width?",
    hint="Your scale changes with the number of keys. The sum in a dot product runs over the width d_k, the *last* "
    "axis of `q`; that is the number under the root.",
)

mistake(
    "attention.attention_scores",
    "width-from-the-second-axis",
    edit("d_k = q.shape[-1]", ""),
    edit("math.sqrt(d_k)", "math.sqrt(q.shape[1])"),
    section="shapes",
    why="Your scale is right for matrices and wrong for a batch or for heads. You read the width from axis 1, which "
    "is then the length or the number of heads. From which end are axes counted safely?",
    hint="Your scale is right for two axes and wrong for more. Count axes from the end: d_k is the last one however "
    "many come before it.",
)

mistake(
    "attention.attention_scores",
    "fixed-width",
    edit("d_k = q.shape[-1]", ""),
    edit("math.sqrt(d_k)", "math.sqrt(512)"),
    section="why-scale",
    why="Your scale does not follow the width of the queries. You wrote the root of 512 as a number, but inside a "
    "head the vectors are narrower than d_model. Where can you read their width?",
    hint="Your scale does not follow the width of the queries that you were given. Read d_k from the last axis of `q`.",
)

mistake(
    "attention.attention_scores",
    "root-cut-to-an-integer",
    edit("math.sqrt(d_k)", "int(math.sqrt(d_k))"),
    section="why-scale",
    why="Your scores are right when d_k is a square number, and too large otherwise. You cut the root to an integer. "
    "Which step loses the fraction?",
    hint="Your scores are right when d_k is a square number and too large otherwise: the root loses its fraction. Look "
    "for `int(...)`, `//` or `isqrt`.",
)

mistake(
    "attention.attention_scores",
    "softmax-already-applied",
    edit("q @ k.transpose(-2, -1) / math.sqrt(d_k)", "torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d_k), dim=-1)"),
    section="rows-are-queries",
    why="Your rows sum to 1. You returned weights, but a mask has to be applied between the scores and the softmax. "
    "After which step should this function stop?",
    hint="Your rows sum to 1: these are weights already. This function ends before the softmax, so that a mask can be "
    "applied to its result.",
)

mistake(
    "attention.attention_scores",
    "keys-times-queries",
    edit("q @ k.transpose(-2, -1)", "k @ q.transpose(-2, -1)"),
    section="rows-are-queries",
    why="Your scores have the shape (..., T_k, T_q), so everything that follows would average over the wrong axis. "
    "You multiplied keys by queries. To which of the two should a row belong?",
    hint="Your scores have shape (..., T_k, T_q). Row i has to belong to query i, so the queries stand on the left of "
    "the matrix product.",
)

mistake(
    "attention.attention_scores",
    "reshape-for-transpose",
    edit("k.transpose(-2, -1)", "k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])"),
    section="shapes",
    why="Your shape is right, and your numbers are wrong. You reshaped the keys to (..., d_k, T_k), which keeps the "
    "numbers in their order and mixes pieces of several keys. Which operation exchanges two axes?",
    hint="Your shape is right and your numbers are wrong. Reshape (or view) does not turn a matrix: reshaped to 3 x 2, "
    "[[1, 2, 3], [4, 5, 6]] is [[1, 2], [3, 4], [5, 6]]. You need the two last axes exchanged.",
)

mistake(
    "attention.attention_scores",
    "transposes-every-axis",
    edit("k.transpose(-2, -1)", "k.T"),
    section="shapes",
    why="Your function works for matrices and fails for a batch. You used `.T`, which reverses all axes, the batch "
    "included. Which two axes have to change places?",
    hint="Your function works for two matrices and fails for a batch: `.T` turns (B, T_k, d_k) into (d_k, T_k, B). "
    "Exchange the two *last* axes and leave the others alone.",
)

mistake(
    "attention.attention_scores",
    "transposes-axes-one-and-two",
    edit("k.transpose(-2, -1)", "k.transpose(1, 2)"),
    section="shapes",
    why="Your function works only with exactly one batch axis. You exchanged axes 1 and 2, and with heads axis 1 "
    "holds the heads. From which end can you name the last two axes?",
    hint="Your function works for three axes only; with heads, axis 1 is the head and axis 2 the position. Name the "
    "two last axes from the end, with negative numbers.",
)


@mistake(
    "attention.attention_scores",
    "cosine-similarity",
    section="dot-product-similarity",
    why="Your scores ignore how long the vectors are. You normalised queries and keys, which gives cosines, but a "
    "long key should be able to draw more attention. What does the formula divide by?",
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
    why="After the call, the caller's queries hold other numbers, and a second call gives another result. You "
    "divided them in place. Which form of the division makes a new tensor?",
    hint="After the call `q` holds other numbers than before: `/=` writes into the tensor that was passed in. Compute "
    "a new tensor instead.",
)

mistake(
    "attention.attention_scores",
    "converts-to-float32",
    edit("q @ k.transpose(-2, -1)", "q.float() @ k.float().transpose(-2, -1)"),
    section="attention-pitfalls",
    why="Your scores are float32 whatever type came in. You converted queries and keys, so float64 loses digits, and "
    "the scores of bfloat16 inputs no longer match the bfloat16 values. Which type should the scores have?",
    hint="Your scores are float32 whatever type came in. Keep the type of `q`: plain tensor arithmetic does, so leave "
    "out `.float()`.",
)

mistake(
    "attention.attention_scores",
    "cut-off-from-the-graph",
    edit("q @ k.transpose(-2, -1)", "q.detach() @ k.transpose(-2, -1)"),
    section="attention-pitfalls",
    why="Your scores are right, but no gradient reaches `q`, so the projection of the queries can never learn. You "
    "detached the queries. Which tensor should the matrix product take instead?",
    hint="Your scores are right, but no gradient reaches `q`. Look for `detach`, `.data`, `no_grad` or "
    "`torch.tensor(...)` between the queries and the scores.",
)

mistake(
    "attention.attention_scores",
    "keys-not-transposed",
    edit("q @ k.transpose(-2, -1)", "q @ k"),
    section="shapes",
    why="Your product fails, or pairs each query with a mixture of all keys. A matrix product pairs rows with "
    "columns, and you multiplied `q` by `k` as it is. How can a row of `q` meet a row of `k`?",
    hint="Your product pairs each query with a *column* of the keys, a mixture of all of them. Exchange the two last "
    "axes of `k` first.",
)

mistake(
    "attention.attention_scores",
    "transposes-axes-zero-and-one",
    edit("k.transpose(-2, -1)", "k.transpose(0, 1)"),
    section="shapes",
    why="Your function works for matrices and fails for a batch. You exchanged axes 0 and 1, and in a batch axis 0 "
    "is the batch. From which end can you name the last two axes?",
    hint="Your function works for two matrices and fails for a batch: `transpose(0, 1)` moves the batch axis. Name the "
    "two last axes from the end, with negative numbers.",
)

mistake(
    "attention.attention_scores",
    "multiplied-entry-by-entry",
    edit("q @ k.transpose(-2, -1)", "q * k"),
    section="dot-product-similarity",
    why="You get an error about sizes, or products of single entries instead of one score for each pair. You used `*`, "
    "which adds nothing up and pairs each query with the key at its own position. Which product compares every query "
    "with every key?",
    hint="`*` multiplies entry by entry and adds nothing up. You need the dot product of every query with every key, "
    "which is the matrix product `@`.",
)

mistake(
    "attention.attention_scores",
    "each-query-with-its-own-key",
    edit("q @ k.transpose(-2, -1)", "(q * k).sum(-1)"),
    section="rows-are-queries",
    why="You get an error about sizes, or a single score for each query. You compared each query with the key at its "
    "own position. How many keys should every query be compared with?",
    hint="You compare query i with key i alone. Every query is compared with every key: T_q rows and T_k columns.",
)

mistake(
    "attention.attention_scores",
    "queries-transposed",
    edit("q @ k.transpose(-2, -1)", "q.transpose(-2, -1) @ k"),
    section="shapes",
    why="Your product fails, or compares components of the vectors instead of positions. You transposed the queries. "
    "Which of the two has to be transposed for the shape (..., T_q, T_k)?",
    hint="You transpose `q` where `k` should be: your result compares components, not positions. It has to have the "
    "shape (..., T_q, T_k).",
)

mistake(
    "attention.attention_scores",
    "half-of-the-width",
    edit("math.sqrt(d_k)", "(d_k ** 1/2)"),
    section="why-scale",
    why="You divide by half of d_k instead of its root. Python computes a power before a division, so only the 1 is "
    "in your exponent. How can you write the exponent as a single number?",
    hint="You divide by half of d_k: `d_k ** 1/2` is `(d_k ** 1) / 2`. Write the exponent as one decimal number, or "
    "take a root from `math`.",
)

mistake(
    "attention.attention_scores",
    "divides-by-twice-the-width",
    edit("/ math.sqrt(d_k)", "/ d_k ** 1/2"),
    section="why-scale",
    why="You divide by d_k and then by 2. Python computes a power first and then divides from left to right. How can "
    "you write the root as a single number?",
    hint="You divide by d_k and then by 2: in `/ d_k ** 1/2` the power is computed first. Write the exponent as one "
    "decimal number, or take a root from `math`.",
)

mistake(
    "attention.attention_scores",
    "fixed-width-of-a-head",
    edit("d_k = q.shape[-1]", ""),
    edit("math.sqrt(d_k)", "math.sqrt(64)"),
    section="why-scale",
    why="Your scale does not follow the width of the queries. You wrote the root of 64 as a number, which fits only "
    "the heads of the paper's base model. Where can you read their width?",
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
    why="Your weights sum to 1 but are too sharp. You did not divide the dot products by sqrt(d_k) before the softmax. "
    "Which of your functions already does this?",
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
    why="Your rows sum to 1 / sqrt(d_k), so the output is not an average of the values. You divided the weights "
    "instead of the scores. On which side of the softmax does the scale belong?",
    hint="Your rows sum to 1 / sqrt(d_k), not to 1. The scale belongs to the scores, inside the softmax.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "scaled-twice",
    edit("attention_scores(q, k)", "attention_scores(q, k) / math.sqrt(q.shape[-1])"),
    base="nan-to-num-at-the-end",
    section="why-scale",
    why="Your weights sum to 1 but are too even. You divided the scores by sqrt(d_k) twice, once in `attention_scores` "
    "and once here. Which of your two functions should do it?",
    hint="Your weights sum to 1 but are too even: in all, the scores are divided by d_k. Either `attention_scores` "
    "divides by d_k and not by its root, or it divides by the root and you divide once more.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "softmax-over-queries",
    edit("softmax(scores)", "softmax(scores, dim=-2)"),
    base="nan-to-num-at-the-end",
    section="rows-are-queries",
    why="Your weights sum to 1 over the queries, so the weights of one query do not. You normalised axis -2. Does a "
    "row of scores belong to a query or to a key?",
    hint="Your weights sum to 1 over the *queries*: softmax ran over `dim=-2`. Each row of scores belongs to one "
    "query, so normalise over the last axis.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-inverted",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(mask, float("-inf"))'),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Your weights are zero exactly where they should not be. You removed the scores where the mask is True. What "
    "does True mean in this course's masks?",
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
    why="Your weights are the same with and without a mask, so every query sees padding and the future. You never "
    "used the argument. Before which step must forbidden scores be removed?",
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
    why="Forbidden weights are zero, but the rest of each row sums to less than 1, so the output shrinks. You masked "
    "after the softmax. Before which step must you mask, so that the allowed keys share the whole weight?",
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
    why="Forbidden keys still get weight, as if their score were 0. You multiplied scores by the mask, and exp(0) is "
    "1. Which score has the exponential 0?",
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
    why="Forbidden keys still get weight. You added the boolean mask, so allowed scores gain 1 and nothing is "
    "forbidden. Which value does a forbidden score need?",
    hint="Forbidden keys still get weight; allowed ones have only gained 1 in score. A boolean mask is not added: use "
    "it to choose where a score becomes minus infinity.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-without-head-axis",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(~mask.unsqueeze(1), float("-inf"))'),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Your mask acts on the wrong axes, or does not fit the scores. You inserted an axis for heads, but the mask "
    "already broadcasts to the scores. To which shape should the mask broadcast?",
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
    why="Your weights are zero above the diagonal, although no mask forbids those keys. You always applied a causal "
    "mask. Who decides which keys a query may see?",
    hint="Your weights are zero above the diagonal, although no mask forbids those keys. Apply only the mask that is "
    "passed in.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "fill-not-low-enough",
    edit('float("-inf")', "-1e4"),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Your masking fails when the allowed scores are very low, and a row with nothing allowed becomes uniform. "
    "You filled forbidden scores with -10000, which real scores can fall below. Which value is below every score?",
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
    why="A query that may attend to nothing gets the same weight on every key, padding included. You filled "
    "forbidden scores with a large negative number, so in such a row all scores are equal. What should its weights "
    "be?",
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
    why="A query that may attend to nothing attends to everything. You added the same large negative number to all "
    "its scores, and the softmax depends only on differences. What should its weights be?",
    hint="A query that may attend to nothing attends to everything: all its scores are lowered by the same number. Such "
    "a row has to end as zeros.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "nan-where-nothing-is-allowed",
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="nothing-to-attend",
    why="A query that may attend to nothing gives NaN, which spreads to everything computed from it. You took the "
    "softmax of a row of minus infinities, which is 0 / 0. How can you find such rows and treat them separately?",
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
    why="Your output is clean, but the weights of a query that may attend to nothing are still NaN, and so are the "
    "gradients of the values. You replaced NaN after the product. Which tensor should be repaired before it "
    "multiplies the values?",
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
    why="For a query that may attend to nothing, your output is zero but its weights are uniform. You set the output "
    "to zero afterwards, so the weights that you return do not produce that output. Which of the two follows from the "
    "other?",
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
    why="Your results are right, but your gradients are NaN. You took the softmax of a row in which nothing is "
    "allowed, and the backward pass meets its NaN even after you replaced it. What could such a row contain before "
    "the softmax?",
    hint="Your results are right and your gradients are NaN: the softmax of a row in which nothing is allowed was "
    "computed, and its NaN comes back in the backward pass. Give such a row harmless scores *before* the softmax.",
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
    why="After the call, the caller's mask holds other values, and the next layer that uses it is misled. You set its "
    "rows in which nothing is allowed to True, in place. On which tensor can you safely do this?",
    hint="After the call the mask that was passed in holds other values. Masks are shared by all layers: work on a "
    "copy, or build a new mask.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "changes-the-queries",
    edit("scores = attention_scores(q, k)", "q /= math.sqrt(q.shape[-1])\nscores = q @ k.transpose(-2, -1)"),
    base="nan-to-num-at-the-end",
    section="attention-pitfalls",
    why="After the call, the caller's queries hold other numbers, and a second call gives another result. You scaled "
    "them in place. Which form of the division makes a new tensor?",
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
    why="Your function works for float32 and fails for bfloat16. You added a float32 mask, so the weights become "
    "float32, and these cannot multiply bfloat16 values. From where can the mask take its type?",
    hint="Your function works for float32 and fails for bfloat16: a new tensor is float32 unless you say otherwise. "
    "Create it with the dtype of the scores, or better, fill the scores directly.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "converts-to-float32",
    edit("attention_scores(q, k)", "attention_scores(q.float(), k.float())"),
    edit("weights @ v", "weights @ v.float()"),
    base="nan-to-num-at-the-end",
    section="attention-pitfalls",
    why="Output and weights are float32 whatever type came in. You converted the inputs, so float64 loses digits, "
    "and a bfloat16 model gets a type that its next layer refuses. Which type should the results have?",
    hint="Output and weights are float32 whatever type came in. Keep the type of the input: leave out `.float()`, or "
    "convert back at the end.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "cut-off-from-the-graph",
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores.detach()).nan_to_num(0.0)"),
    base="nan-to-num-at-the-end",
    section="attention-pitfalls",
    why="Your results are right, but gradients reach only `v`, so the model can never learn where to look. You "
    "detached the scores. Which step is not recorded?",
    hint="Your results are right, but no gradient reaches `q` and `k`. Look for `detach`, `.data` or `no_grad` "
    "between them and the output.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "weights-times-keys",
    edit("weights @ v", "weights @ k"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="Your output is an average of the keys, and `v` has no influence. You multiplied the weights by the keys. "
    "Which tensor decides how much is passed on, and which one is passed on?",
    hint="Your output is an average of the keys: `v` is never used. The keys decide *how much*, the values are *what* "
    "is passed on.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "uniform-average",
    edit("attention_scores(q, k)", "torch.zeros_like(attention_scores(q, k))"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="All allowed keys get the same weight, whatever the queries are. You did not use the scores, so the output "
    "is a plain mean of the values. From what should the weights be computed?",
    hint="All allowed keys get the same weight: queries and keys play no part. The weights have to be the softmax of "
    "their scores.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "returns-output-only",
    edit("weights @ v, weights", "weights @ v"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="You return one tensor where callers unpack two. You left out the weights, which show where each query looks. "
    "What should the pair contain?",
    hint="You return one tensor, but the task needs two. Return the pair `(output, weights)`.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "results-exchanged",
    edit("weights @ v, weights", "weights, weights @ v"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="The caller gets the weights as output and the output as weights. You returned the two results in the wrong "
    "order. Which one comes first?",
    hint="Your two results are right but exchanged: the output comes first, the weights second.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "returns-scores",
    edit("weights @ v, weights", "weights @ v, scores"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="Your output is right, but the rows of your second result do not sum to 1. You returned the masked scores. "
    "Which tensor multiplied the values?",
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
    why="Your function raises an error when it is called without dropout. You called `dropout` even when it is None, "
    "its default. When may you call it?",
    hint="Your function raises \"'NoneType' object is not callable\": without dropout the argument is None. Call "
    "`dropout` only when one is passed.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "dropout-ignored",
    edit("if dropout is not None:\n    weights = dropout(weights)", ""),
    base="nan-to-num-at-the-end",
    section="attention-dropout",
    why="Your result is the same with and without dropout. You never used the argument. To which tensor should it be "
    "applied?",
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
    why="The returned weights times `v` are not your output. You applied dropout for the output and returned the "
    "weights from before. Which weights multiplied the values?",
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
    why="The returned weights times `v` are not your output. You called dropout twice, and each call draws anew. How "
    "can both results use the same draw?",
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
    why="Your weights are untouched by dropout, but single numbers of the output are zero. You applied dropout to the "
    "output, but attention dropout removes whole links between a query and a key. Between which two steps does it "
    "belong?",
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
    why="Dropout sets none of your weights to 0. You applied dropout to the scores, but a score of 0 still earns "
    "weight in the softmax. On which tensor should dropout act instead?",
    hint="Dropout sets none of your weights to 0. A score of 0 still earns weight; drop *weights*, after the softmax.",
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
    why="With dropout, your rows still sum to exactly 1. You normalised them again, although dropout has already "
    "scaled up what it keeps. What should the sum of a row be on average?",
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
    why="With as many queries as keys, later keys are hidden although no mask was given. You assumed that the input "
    "is a sequence to be continued. Who decides which keys a query may see?",
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
    why="With as many queries as keys, key i is hidden from query j instead of key j from query i. You transposed "
    "square masks. What do the rows of a mask stand for?",
    hint="With as many queries as keys, your mask acts like its transpose: key i is hidden from query j where query i should "
    "not see key j. The mask's rows are queries already.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-inverted-and-nan",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(mask, float("-inf"))'),
    edit("softmax(scores).nan_to_num(0.0)", "softmax(scores)"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Your weights are zero exactly where they should not be, and a row in which all keys are allowed becomes "
    "NaN. You removed the scores where the mask is True. What does True mean in this course's masks?",
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
    why="Your weights go to exactly the wrong keys. You lowered the scores to -1e9 where the mask is True. What does "
    "True mean in this course's masks?",
    hint="Your weights are zero exactly where they should not be: the mask is read the wrong way round. True means "
    "'may attend' here, so forbid what is *not* True.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "mask-inverted-in-the-fill",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(mask, float("-inf"))'),
    section="masking-scores",
    why="Your weights are zero exactly where they should not be, and NaN where all keys are allowed. `masked_fill` "
    "fills where its argument is True, and you passed the mask of the allowed keys. Which entries should be filled?",
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
    why="Your weights vanish when a forbidden score is far above the allowed ones. You masked after the softmax, "
    "when that score had already taken the whole row, and 0 stays 0 however you divide. Before which step should a "
    "forbidden key be removed?",
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
    why="Your weights vanish when a forbidden score is far above the allowed ones. You masked after the softmax and "
    "divided by the remaining sum plus a small number, which is then larger than the sum. Before which step should a "
    "forbidden key be removed?",
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
    why="Your weights are NaN where the mask leaves nothing of a row, or where a forbidden score took the whole row. "
    "You masked after the softmax and divided by the remaining sum, which is 0 there. Before which step should a "
    "forbidden key be removed?",
    hint="Your weights are NaN where the mask leaves nothing of a row. Mask the *scores*, before the softmax, and "
    "treat rows with nothing allowed separately.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "softmax-over-axis-one",
    edit("softmax(scores)", "softmax(scores, dim=1)"),
    base="nan-to-num-at-the-end",
    section="rows-are-queries",
    why="Your weights are right for matrices and wrong for a batch. You normalised axis 1, which then holds the "
    "queries or the heads. Which axis always holds the keys?",
    hint="Your weights are right for two axes and wrong for a batch: `dim=1` is then another axis. Normalise over the "
    "last axis, counted from the end.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "weights-transposed",
    edit("weights @ v", "weights.transpose(-2, -1) @ v"),
    base="nan-to-num-at-the-end",
    section="weighted-average",
    why="With as many queries as keys your output is wrong, and otherwise the last product fails. You transposed the "
    "weights before this product. To which query does row i of the weights belong?",
    hint="Your weights are right, but they are transposed when they meet the values. Multiply the weights by `v` as "
    "they are.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "truth-of-a-mask",
    edit("if mask is not None:", "if mask:"),
    base="nan-to-num-at-the-end",
    section="masking-scores",
    why="Your function raises an error about the truth value of a tensor. You used the mask itself as a condition, but "
    "a tensor with several entries is neither true nor false. How can you ask whether a mask was given at all?",
    hint="Your function raises an error: the truth value of a tensor is ambiguous. Ask only whether a mask was given: "
    "compare the argument with its default.",
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
    why="Your module cannot load trained weights: they include biases, and it has none. You switched the bias off in "
    "your linear layers, but this course's attention has one, as GPT-2 does. What is the default of `nn.Linear`?",
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
    why="Saved weights do not fit your module. You kept the projections as bare matrices, without a bias and without "
    "the parameter names of a linear layer. Which module brings all of these?",
    hint="`w_q`, `w_k` and `w_v` are matrices, not layers. Make each an `nn.Linear`: it holds weight and bias, and is "
    "called like a function.",
)

mistake(
    "attention.SelfAttention",
    "base-class-not-initialised",
    edit("super().__init__()", ""),
    section="self-attention",
    why="Building your module raises an error about assigning a module. You assigned layers before `nn.Module` had "
    "created the tables in which it registers them. Which call has to come before the first assignment?",
    hint="Building your module raises 'cannot assign module before Module.__init__() call'. The first line of "
    "`__init__` has to initialise the base class, and the layers come after it.",
)

mistake(
    "attention.SelfAttention",
    "one-projection-for-all",
    edit("self.w_q = nn.Linear(d_model, d_model)\nself.w_k = nn.Linear(d_model, d_model)", ""),
    edit("self.w_v = nn.Linear(d_model, d_model)", "self.w_q = self.w_k = self.w_v = nn.Linear(d_model, d_model)"),
    section="queries-keys-values",
    why="Your scores are symmetric, and most positions favour themselves. You made queries, keys and values with one "
    "layer. How many layers do three different roles need?",
    hint="Queries, keys and values come out of the same layer. They play three different parts, so each needs a layer "
    "with weights of its own.",
)

mistake(
    "attention.SelfAttention",
    "keys-share-the-query-layer",
    edit("self.w_k = nn.Linear(d_model, d_model)", "self.w_k = self.w_q"),
    section="queries-keys-values",
    why="Your scores are symmetric: position i scores j exactly as j scores i. You used one layer for queries and "
    "keys. How many layers do these two roles need?",
    hint="`w_q` and `w_k` are the same layer, so your scores are symmetric. Give the keys a layer of their own.",
)

mistake(
    "attention.SelfAttention",
    "queries-and-keys-exchanged",
    edit("self.w_q(x), self.w_k(x)", "self.w_k(x), self.w_q(x)"),
    section="queries-keys-values",
    why="Row i of your weights compares key i with every query. You exchanged queries and keys, so the scores are "
    "transposed. In which order does the attention function take its arguments?",
    hint="Your scores are transposed before the softmax: queries and keys have changed places. The order of arguments "
    "is queries, keys, values.",
)

mistake(
    "attention.SelfAttention",
    "values-not-projected",
    edit("self.w_v(x)", "x"),
    section="queries-keys-values",
    why="Your weights are right, but the output averages `x` itself. You did not project the values, so `w_v` has no "
    "influence and no gradient. What should be averaged?",
    hint="Your weights are right, but the output averages `x` itself and `w_v` is never used. Project the values too.",
)

mistake(
    "attention.SelfAttention",
    "keys-used-as-values",
    edit("self.w_v(x)", "self.w_k(x)"),
    section="queries-keys-values",
    why="Your weights are right, but the output averages the keys, and `w_v` is never used. You used the keys twice, "
    "but the key by which a position is found and the value that it passes on are learned separately. Which layer "
    "makes the values?",
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
    why="Your result is the same with and without a mask. You take the mask in `forward` and do not pass it on. Which "
    "function needs it?",
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
    why="Your weights are zero exactly where they should not be. You inverted the mask before you passed it on. What "
    "does True mean in this course's masks?",
    hint="Your weights are zero exactly where they should not be: the mask is inverted once too often. Pass it on as "
    "it is.",
)

mistake(
    "attention.SelfAttention",
    "mask-unsqueezed",
    edit(
        "return scaled_dot_product_attention(",
        "mask = None if mask is None else mask.unsqueeze(1)\nreturn scaled_dot_product_attention(",
    ),
    section="masking-scores",
    why="Your mask acts on the wrong axes of the scores, or does not fit them. You inserted an axis for heads, but "
    "here there is only one head. Which shape do the scores have?",
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
    why="Your weights are zero above the diagonal, although no mask was given. You built in a causal mask, but an "
    "encoder looks both ways. Who decides which positions may be seen?",
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
    why="Your weights sum to 1 over the queries, so the weights of one query do not. In scores of shape (B, T, T), "
    "you normalised axis 1. Which axis holds the keys?",
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
    why="Your positions attend across the batch instead of along the sequence, and masks may not fit. You exchanged "
    "the first two axes, as for layers that expect the sequence first. Which axis of (B, T, d_model) is the batch?",
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
    why="Your weights are right, and your output is too large by exactly `x`. You added the input to the output, "
    "which is a residual connection. Which part of the Transformer does this?",
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
    why="In training mode some of your weights are 0, and every call gives another output. You built a dropout into "
    "the class. Which layers does the task give this class?",
    hint="In training mode some of your weights are 0 and the others too large: your class applies dropout, but the "
    "task does not. Leave it out.",
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
    why="A call without a mask still follows the mask of an earlier call. You stored the mask on the module. What "
    "does a mask of None mean?",
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
    why="You return one tensor where callers unpack two. You left out the weights, which show where each position "
    "looks. What should the pair contain?",
    hint="`forward` returns one tensor, but the task needs two. Return the pair `(output, weights)`.",
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
    why="A new module lacks its layers, and what it computes changes with every call. You created the layers in "
    "`forward`: they are random each time, and the optimiser never trains them. Where are layers created, and under "
    "which names?",
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
    why="The second call still answers for the input of the first. You stored what the first call computed. Which of "
    "your results depend on `x`?",
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
    why="Your weights vanish when a forbidden score is far above the allowed ones. You masked after the softmax, "
    "when that score had already taken the whole row. Before which step should a forbidden key be removed?",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax, or call `scaled_dot_product_attention`, which does so.",
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
    why="Your module cannot load trained weights: they include biases, and it has none. You switched the bias off in "
    "your linear layers, but this course's attention has one. What is the default of `nn.Linear`?",
    hint="Your linear layers have no bias, so there is nowhere to put the biases of trained weights. `nn.Linear` has a "
    "bias unless you switch it off.",
)

mistake(
    "attention.CrossAttention",
    "sources-exchanged",
    edit("self.w_q(x), self.w_k(memory), self.w_v(memory)", "self.w_q(memory), self.w_k(x), self.w_v(x)"),
    section="cross-attention",
    why="Your output has as many rows as the memory and carries the content of `x`. You exchanged the two inputs. "
    "Which of them asks, and which one answers?",
    hint="Your output has as many rows as the memory: the two inputs have changed places. `x` asks (queries), the "
    "memory answers (keys and values).",
)

mistake(
    "attention.CrossAttention",
    "queries-from-memory",
    edit("self.w_q(x)", "self.w_q(memory)"),
    section="cross-attention",
    why="Your output does not depend on `x` and has as many rows as the memory. The memory attends to itself, "
    "because you took the queries from it as well. For which positions should the output have a row?",
    hint="Your output does not depend on `x`, and has as many rows as the memory. The queries come from `x`: one row "
    "of output for each of its positions.",
)

mistake(
    "attention.CrossAttention",
    "memory-ignored",
    edit("self.w_k(memory), self.w_v(memory)", "self.w_k(x), self.w_v(x)"),
    section="cross-attention",
    why="Your output does not change when the memory does. You took queries, keys and values from `x`, which is "
    "self-attention. Which of the three should come from the memory?",
    hint="Your output does not change when the memory does: this is self-attention. Keys and values come from the "
    "memory.",
)

mistake(
    "attention.CrossAttention",
    "keys-from-x",
    edit("self.w_k(memory)", "self.w_k(x)"),
    section="cross-attention",
    why="Your keys describe other tokens than your values do, and with different lengths they do not even pair up. "
    "You took the keys from `x` and the values from the memory. From where should a key and its value come?",
    hint="Your keys come from `x` and your values from the memory. A key and its value describe the same token, so "
    "both come from the memory.",
)

mistake(
    "attention.CrossAttention",
    "values-from-x",
    edit("self.w_v(memory)", "self.w_v(x)"),
    section="cross-attention",
    why="Your weights average values made from `x`, and with different lengths the product fails. You took the values "
    "from `x`, but the weights say which tokens of the memory to read. From where should the values come?",
    hint="Your weights are right, but they average values made from `x`. The weights choose tokens of the memory, so "
    "the values have to come from the memory too.",
)

mistake(
    "attention.CrossAttention",
    "layers-exchanged",
    edit("self.w_q(x), self.w_k(memory)", "self.w_k(x), self.w_q(memory)"),
    section="queries-keys-values",
    why="Trained weights give wrong results in your module, although the shapes agree. You made the queries with `w_k` "
    "and the keys with `w_q`. What do the names of the layers say?",
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
    why="Your weights are right, but the output averages the keys, and `w_v` is never used. You used the keys twice, "
    "but the key by which a token is found and the value that it passes on are learned separately. Which layer makes "
    "the values?",
    hint="Your weights are right, but the output averages the keys and `w_v` is never used. Project the memory a "
    "second time, with `w_v`.",
)

mistake(
    "attention.CrossAttention",
    "values-not-projected",
    edit("self.w_v(memory)", "memory"),
    section="queries-keys-values",
    why="Your weights are right, but the output averages the memory itself. You did not project the values, so `w_v` "
    "has no influence and no gradient. What should be averaged?",
    hint="Your weights are right, but the output averages the memory itself and `w_v` is never used. Project the "
    "values too.",
)

mistake(
    "attention.CrossAttention",
    "memory-not-projected",
    edit("self.w_k(memory), self.w_v(memory)", "memory, memory"),
    section="queries-keys-values",
    why="Your output averages the memory itself, and `w_k` and `w_v` have no influence. You used the memory "
    "unprojected as keys and values. What turns a memory into keys and values?",
    hint="Only the queries are projected; the memory goes in as it is. The memory has to pass through `w_k` to become "
    "keys, and through `w_v` to become values.",
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
    why="Your weights have T_q + T_k columns, so masks do not fit. You joined `x` to the memory before making keys and "
    "values, but looking at `x` is the task of self-attention. What does cross-attention look at?",
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
    why="Your result is the same with and without a mask, so padding in the memory is read like real tokens. You take "
    "the mask in `forward` and do not pass it on. Which function needs it?",
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
    why="Your weights are zero exactly where they should not be. You inverted the mask before you passed it on. What "
    "does True mean in this course's masks?",
    hint="Your weights are zero exactly where they should not be: the mask is inverted once too often. Pass it on as "
    "it is.",
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
    why="Your weights sum to 1 but are too sharp. You did not divide the dot products by sqrt(d_k) before the softmax. "
    "Which of your functions already does this?",
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
    why="You return one tensor where callers unpack two. You left out the weights, which show the source words that "
    "each target word looks at. What should the pair contain?",
    hint="`forward` returns one tensor, but the task needs two. Return the pair `(output, weights)`.",
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
    why="The second call still attends to the memory of the first. You stored its keys and values. Which of your "
    "results depend on the memory of this call?",
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
    why="With as many queries as keys, your mask acts like its transpose. You exchanged its axes when it is square. What do "
    "its rows and its columns stand for?",
    hint="With as many queries as keys, your mask acts like its transpose. Its rows are the positions of `x` and its columns "
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
    why="Your weights vanish when a forbidden score is far above the allowed ones. You masked after the softmax, "
    "when that score had already taken the whole row. Before which step should a forbidden key be removed?",
    hint="Your weights vanish when a forbidden score is far above the allowed ones. Mask the *scores*, before the "
    "softmax, or call `scaled_dot_product_attention`, which does so.",
)

mistake(
    "attention.SelfAttention",
    "keys-made-by-the-query-layer",
    edit("self.w_k(x)", "self.w_q(x)"),
    section="queries-keys-values",
    why="Your scores are symmetric, and `w_k` has no influence. You made the keys with `w_q`. Which layer makes the "
    "keys?",
    hint="Your keys come from `w_q`, and `w_k` has no influence. Each of the three layers makes what its name says.",
)

mistake(
    "attention.SelfAttention",
    "keys-and-values-exchanged",
    edit("self.w_k(x), self.w_v(x)", "self.w_v(x), self.w_k(x)"),
    section="queries-keys-values",
    why="Trained weights give wrong results in your module, although the shapes agree. You made the keys with `w_v` "
    "and the values with `w_k`. In which order does the attention function take its arguments?",
    hint="`w_v` makes your keys and `w_k` your values. The order of arguments is queries, keys, values.",
)

mistake(
    "attention.CrossAttention",
    "keys-and-values-exchanged",
    edit("self.w_k(memory), self.w_v(memory)", "self.w_v(memory), self.w_k(memory)"),
    section="queries-keys-values",
    why="Trained weights give wrong results in your module, although keys and values do come from the memory. You "
    "made the keys with `w_v` and the values with `w_k`. In which order does the attention function take its "
    "arguments?",
    hint="`w_v` makes your keys and `w_k` your values. The order of arguments is queries, keys, values.",
)

mistake(
    "attention.attention_scores",
    "divides-by-the-fourth-root",
    edit("math.sqrt(d_k)", "d_k**0.25"),
    section="why-scale",
    why="Your scores are too large: the right ones times the fourth root of d_k. You divided the product by this root "
    "only once. The fourth root would be right if you divided the queries and the keys by it, each before the "
    "product. Which root scales the product?",
    hint="You divide by the fourth root of d_k. The product of a query and a key is divided by the square root.",
)

mistake(
    "attention.softmax",
    "base-two",
    edit("(x - x.amax(dim, keepdim=True)).exp()", "2 ** (x - x.amax(dim, keepdim=True))"),
    section="stable-softmax",
    why="Your weights are too even, although the rows sum to 1. You took powers of 2, so differences of scores count "
    "for less. Which base does the softmax use?",
    hint="Your weights are too even: you take powers of 2. The softmax takes `exp`.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "scaled-by-the-width-of-the-values",
    edit("attention_scores(q, k)", "q @ k.mT / v.shape[-1] ** 0.5"),
    section="why-scale",
    why="Your weights depend on how wide the values are. You divided the scores by the root of that width. Which vectors "
    "make a score?",
    hint="You scale by the width of `v`, which takes no part in the scores. Use the width of the queries.",
)

mistake(
    "attention.CrossAttention",
    "values-made-from-the-keys",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory)",
        "keys = self.w_k(memory)\nreturn scaled_dot_product_attention(self.w_q(x), keys, self.w_v(keys)",
    ),
    section="queries-keys-values",
    why="Your weights are right, but the output averages other values. You applied `w_v` to the keys, so each value is "
    "projected twice. From which tensor should the values be made?",
    hint="Your weights are right, and your values pass through `w_k` before `w_v`. Make them from `memory` itself.",
)

mistake(
    "attention.CrossAttention",
    "scaled-twice",
    edit("self.w_q(x)", "self.w_q(x) / math.sqrt(x.shape[-1])"),
    section="why-scale",
    why="Your weights sum to 1 but are too even. You scaled the queries, and the attention function scales their products "
    "again. By which number is a score divided in all?",
    hint="Your scores are divided by the width and not by its root: `scaled_dot_product_attention` scales already. Pass "
    "the queries as they are.",
)

mistake(
    "attention.SelfAttention",
    "values-made-from-the-keys",
    edit(
        "return scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x)",
        "keys = self.w_k(x)\nreturn scaled_dot_product_attention(self.w_q(x), keys, self.w_v(keys)",
    ),
    section="queries-keys-values",
    why="Your weights are right, but the output averages other values. You applied `w_v` to the keys, so each value is "
    "projected twice. From which tensor should the values be made?",
    hint="Your weights are right, and your values pass through `w_k` before `w_v`. Make them from `x` itself.",
)

mistake(
    "attention.SelfAttention",
    "scaled-twice",
    edit("self.w_q(x)", "self.w_q(x) / math.sqrt(x.shape[-1])"),
    section="why-scale",
    why="Your weights sum to 1 but are too even. You scaled the queries, and the attention function scales their products "
    "again. By which number is a score divided in all?",
    hint="Your scores are divided by the width and not by its root: `scaled_dot_product_attention` scales already. Pass "
    "the queries as they are.",
)

mistake(
    "attention.scaled_dot_product_attention",
    "scores-of-zero-forbidden",
    edit('scores.masked_fill(~mask, float("-inf"))', '(scores * mask).masked_fill(scores * mask == 0, float("-inf"))'),
    section="masking-scores",
    why="Where an allowed query and key are perpendicular, your weight is 0. You treated every score of 0 as "
    "forbidden, but an allowed score may be 0, too. Which tensor says for certain what is forbidden?",
    hint="You hide every score that is 0, and an allowed one may be 0 as well. The mask says what to hide, not the "
    "scores.",
)

mistake(
    "attention.SelfAttention",
    "queries-not-projected",
    edit("self.w_q(x)", "x"),
    section="queries-keys-values",
    why="Your weights are wrong, and `w_q` has no influence. You used `x` itself as the queries. Which layer turns a token "
    "into its query?",
    hint="Your queries are the tokens themselves and `w_q` is never used. Project the queries too.",
)

mistake(
    "attention.SelfAttention",
    "keys-not-projected",
    edit("self.w_k(x)", "x"),
    section="queries-keys-values",
    why="Your weights are wrong, and `w_k` has no influence. You used `x` itself as the keys. Which layer turns a token into "
    "its key?",
    hint="Your keys are the tokens themselves and `w_k` is never used. Project the keys too.",
)

mistake(
    "attention.SelfAttention",
    "no-scale",
    edit("self.w_q(x)", "self.w_q(x) * math.sqrt(x.shape[-1])"),
    section="why-scale",
    why="Your weights sum to 1 but are too sharp. You did not divide the dot products by sqrt(d_k) before the softmax. "
    "Which of your functions already does this?",
    hint="Your weights sum to 1 but are too sharp: the scores were not divided by the root of the width. "
    "`scaled_dot_product_attention` does it for you.",
)

mistake(
    "attention.CrossAttention",
    "queries-not-projected",
    edit("self.w_q(x)", "x"),
    section="queries-keys-values",
    why="Your weights are wrong, and `w_q` has no influence. You used `x` itself as the queries. Which layer turns a token "
    "into its query?",
    hint="Your queries are the tokens themselves and `w_q` is never used. Project the queries too.",
)

mistake(
    "attention.CrossAttention",
    "keys-not-projected",
    edit("self.w_k(memory)", "memory"),
    section="queries-keys-values",
    why="Your weights are wrong, and `w_k` has no influence. You used the memory itself as the keys. Which layer turns a "
    "token into its key?",
    hint="Your keys are the memory itself and `w_k` is never used. Project the keys too.",
)
