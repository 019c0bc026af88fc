"""Wrong implementations of the tasks of masks, each with the misconception behind it.

Per task the most specific come first: when two would give the same results, the first is named.
"""

import torch

from autograder.course.catalogue import edit, mistake

# ---------------------------------------------------------------------------------------------------------------------
# padding_mask


mistake(
    "masks.padding_mask",
    "padding-is-true",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "ids == pad_id"),
    section="true-means-may-attend",
    why="The mask is True where a token is padding. In this course True means 'may attend', so attention would look at "
    "the padding and at nothing else.",
    hint="Your mask has the right shape, but it is True at the padding and False at the real tokens. In this course "
    "True means 'may attend', so turn the question that you ask of each id round.",
)

mistake(
    "masks.padding_mask",
    "pytorch-key-padding-mask",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "ids == pad_id"),
    section="pytorch-convention",
    why="The result has shape (B, T) and is True at padding, as nn.MultiheadAttention wants its key_padding_mask. This "
    "course's masks are the opposite, True for 'may attend', and carry two axes to broadcast over heads and queries.",
    hint="You built PyTorch's key_padding_mask: shape (B, T), True at the padding. Here True means 'may attend', and "
    "the mask needs an axis of length 1 for the heads and one for the queries.",
)

mistake(
    "masks.padding_mask",
    "no-broadcast-axes",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "ids != pad_id"),
    section="mask-broadcasting",
    why="The mask was left at shape (B, T). Against scores (B, H, T_q, T_k) its batch axis would be lined up with the "
    "queries, because broadcasting aligns axes from the right.",
    hint="Your values are right but the shape is (B, T). Broadcasting aligns axes from the right, so the batch would "
    "meet the queries: give the mask an axis of length 1 for heads and one for queries.",
)

mistake(
    "masks.padding_mask",
    "one-axis-missing",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "(ids != pad_id).unsqueeze(1)"),
    section="mask-broadcasting",
    why="Only one axis was added, giving (B, 1, T). Against scores (B, H, T_q, T_k) the batch axis would be lined up "
    "with the heads, so a head would get the mask of a sequence.",
    hint="Your mask has three axes, (B, 1, T); scores have four, (B, H, T_q, T_k). Aligned from the right, your batch "
    "axis would meet the heads: one more axis of length 1 is missing.",
)

mistake(
    "masks.padding_mask",
    "padding-on-query-axis",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit(":, None, None, :", ":, None, :, None"),
    section="padded-queries",
    why="The positions lie on the query axis, shape (B, 1, T, 1). Such a mask empties the rows of padded queries and "
    "leaves the padded keys in everybody's sight.",
    hint="Your mask has shape (B, 1, T, 1): its positions lie on the axis of the queries. Padding has to be hidden as "
    "a key, and keys are the last axis of the scores.",
)

mistake(
    "masks.padding_mask",
    "axes-at-the-end",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "(ids != pad_id).unsqueeze(-1).unsqueeze(-1)"),
    section="mask-broadcasting",
    why="The two axes of length 1 were added at the end, shape (B, T, 1, 1). The positions then lie on the axis of the "
    "heads, not on that of the keys.",
    hint="Your mask has shape (B, T, 1, 1): the axes of length 1 are at the end, so a position would be read as a "
    "head. The keys are the last axis of the scores, so the positions must be last too.",
)

mistake(
    "masks.padding_mask",
    "expanded-over-queries",
    edit("rows = [[[[token != pad_id for token in row]]] for row in ids.tolist()]", "length = ids.shape[1]"),
    edit("torch.tensor(rows, device=ids.device)", "(ids != pad_id)[:, None, None, :].expand(-1, 1, length, length)"),
    base="list-of-rows",
    section="mask-broadcasting",
    why="The mask was expanded to (B, 1, T, T), one copy per query. The number of queries is not known here: in "
    "cross-attention it differs from the number of keys, and an axis of length 1 fits any.",
    hint="Your mask has shape (B, 1, T, T), the same row for each of T queries. In cross-attention there are other "
    "numbers of queries than keys: leave that axis at length 1 and let broadcasting fill it.",
)

mistake(
    "masks.padding_mask",
    "specials-hidden",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "(ids != pad_id) & (ids > 3)"),
    section="padding-masks",
    why="All special tokens were hidden, not only padding. The begin, end and unknown tokens carry information and are "
    "attended to like any other.",
    hint="Your mask also hides ids 1 to 3, the unknown, begin and end tokens. Only padding carries no information: "
    "compare with the one id that you are given.",
)

mistake(
    "masks.padding_mask",
    "pad-id-ignored",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "ids != 0"),
    section="padding-masks",
    why="The ids were compared with 0 (or used as truth values) whatever pad_id says. Other tokenizers pad with "
    "another id, and then 0 is a real token.",
    hint="Your mask is False where the id is 0, also when the call names another pad_id: real tokens are hidden and "
    "padding is seen. Compare with the argument pad_id.",
)

mistake(
    "masks.padding_mask",
    "larger-than-pad-id",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "ids > pad_id"),
    section="padding-masks",
    why="A token was taken as real where its id is larger than pad_id. That holds only for pad_id 0: with any other, "
    "the real tokens below it are hidden.",
    hint="Your mask hides the real tokens whose id is smaller than pad_id; with pad_id 0 there are none, so you did "
    "not notice. Ids are names, not sizes: test for being different.",
)

mistake(
    "masks.padding_mask",
    "padding-only-at-the-end",
    edit(
        "batch, length = ids.size()",
        "lengths = (ids != pad_id).sum(dim=1)\npositions = torch.arange(ids.shape[1], device=ids.device)",
    ),
    edit("(~(ids == pad_id)).view(batch, 1, 1, length)", "(positions[None, :] < lengths[:, None])[:, None, None, :]"),
    base="view",
    section="padding-masks",
    why="The real tokens were counted and the first so many positions marked True. That is right only where all "
    "padding is at the end; with padding in front, the wrong positions are hidden.",
    hint="Each row of yours has the right number of True, but always at the start: with padding in front or in the "
    "middle they sit at the wrong positions. Decide for each position from its own id.",
)

mistake(
    "masks.padding_mask",
    "first-sequence-only",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "(ids[0] != pad_id)[None, None, None, :].expand(ids.shape[0], 1, 1, -1)"),
    section="padding-masks",
    why="The mask was built from the first sequence and used for the whole batch. The sequences of a batch have "
    "different lengths, so the others get padding in sight or lose real tokens.",
    hint="Every sequence of your mask shows the pattern of the first one. Lengths differ within a batch, so keep the "
    "batch axis of ids in the result.",
)

mistake(
    "masks.padding_mask",
    "integer-mask",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "(ids != pad_id).long()"),
    section="true-means-may-attend",
    why="The mask holds the integers 1 and 0. Integers do not act as a mask: '~' turns 1 into -2, and indexing with "
    "them picks rows 0 and 1.",
    hint="Your values are 1 and 0 of an integer type. Masks here are boolean, because '~' and '&' mean something else "
    "for integers: return the comparison itself.",
)

mistake(
    "masks.padding_mask",
    "float-mask",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "(ids != pad_id).float()"),
    section="true-means-may-attend",
    why="The mask holds the floats 1.0 and 0.0. A float mask invites multiplying or adding it to the scores, and "
    "neither hides anything from softmax.",
    hint="Your values are the floats 1.0 and 0.0. Masks here are boolean: return the comparison itself, without "
    "converting it.",
)

mistake(
    "masks.padding_mask",
    "additive-mask",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", 'torch.zeros(ids.shape).masked_fill(ids == pad_id, float("-inf"))'),
    section="minus-infinity",
    why="The result is a float tensor of 0 and -inf, to be added to the scores. Masks of this course are boolean; "
    "minus infinity comes in later, in apply_mask.",
    hint="Your mask holds 0 at the tokens and -inf at the padding. That is what masking does to scores, one step "
    "later; here only say, with True or False, which keys may be attended to.",
)

mistake(
    "masks.padding_mask",
    "ids-changed",
    edit("batch, length = ids.size()", "keep = ids != pad_id\nids[~keep] = 0"),
    edit("(~(ids == pad_id)).view(batch, 1, 1, length)", "keep[:, None, None, :]"),
    base="view",
    section="padding-masks",
    why="The padding ids in the argument were overwritten with 0 before comparing. The ids belong to the caller, who "
    "will find other tokens in the batch than before.",
    hint="Your function writes into ids: afterwards the caller's batch holds 0 where it held pad_id. A function here "
    "never changes its arguments; compare instead of assigning.",
)

mistake(
    "masks.padding_mask",
    "numpy-array",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "ids.numpy()[:, None, None, :] != pad_id"),
    section="padding-masks",
    why="The comparison was made in NumPy and the result was returned as an array. It has no device, and PyTorch's "
    "functions refuse it.",
    hint="Your values are right, but the result is a NumPy array. Compare the tensor itself, `ids != pad_id`: that is "
    "a boolean tensor on the device of `ids`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# causal_mask


mistake(
    "masks.causal_mask",
    "future-is-true",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device).tril()",
        "torch.ones(size, size, dtype=torch.bool, device=device).triu(1)",
    ),
    section="true-means-may-attend",
    why="The mask is True strictly above the diagonal: it marks the future, as nn.MultiheadAttention wants its "
    "attn_mask. In this course True means 'may attend', so every query would see only what it must not see.",
    hint="Your mask is True exactly for the future, above the diagonal. In this course True means 'may attend': return "
    "the complement.",
)

mistake(
    "masks.causal_mask",
    "upper-triangle",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device).tril",
        "torch.ones(size, size, dtype=torch.bool, device=device).triu",
    ),
    section="causal-masks",
    why="The upper triangle was taken instead of the lower, or rows and columns were swapped. Row i belongs to query "
    "i, and here it sees itself and everything after it.",
    hint="In your mask row 0 sees every position and the last row only itself: time runs backwards. Rows are queries "
    "and columns are keys, and a query sees keys up to its own position.",
)

mistake(
    "masks.causal_mask",
    "own-position-hidden",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device).tril()",
        "torch.ones(size, size, dtype=torch.bool, device=device).tril(-1)",
    ),
    section="causal-masks",
    why="The diagonal is False: a query sees what came before it but not itself. Its own token is already known, and "
    "the first query would see nothing at all.",
    hint="The diagonal of your mask is False, so the first row is empty and its softmax has nothing to share out. A "
    "position may attend to itself: j <= i, not j < i.",
)

mistake(
    "masks.causal_mask",
    "one-step-into-the-future",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device).tril()",
        "torch.ones(size, size, dtype=torch.bool, device=device).tril(1)",
    ),
    section="causal-masks",
    why="The triangle reaches one position too far, so query i sees key i+1. That key is the very token to be "
    "predicted at position i, so training would only learn to copy it.",
    hint="Your mask is True just above the diagonal: query 0 sees key 1, the token that it has to predict. The last "
    "key a query may see is at its own position.",
)

mistake(
    "masks.causal_mask",
    "own-position-only",
    edit("torch.tril(torch.ones((size, size))).bool().to(device)", "torch.eye(size, dtype=torch.bool, device=device)"),
    base="tril-to-bool",
    section="causal-masks",
    why="Only the diagonal is True, so a query sees itself and nothing else. It may see all earlier positions too, and "
    "without them attention mixes nothing.",
    hint="Your mask is True on the diagonal alone. A query may see every key up to and including its own position, so "
    "row i has i+1 positions that are True.",
)

mistake(
    "masks.causal_mask",
    "previous-position-only",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device).tril()",
        "torch.ones(size, size, dtype=torch.bool, device=device).tril().triu(-1)",
    ),
    section="causal-masks",
    why="Besides itself a query sees only the position just before it. A causal mask hides the future alone: all of "
    "the past stays visible.",
    hint="Your rows have at most two positions that are True, a band along the diagonal. Nothing in the past is hidden "
    "by a causal mask, so the whole triangle is True.",
)

mistake(
    "masks.causal_mask",
    "nothing-hidden",
    edit(
        "return torch.ones(size, size, dtype=torch.bool, device=device).tril()",
        "mask = torch.ones(size, size, dtype=torch.bool, device=device)\nmask.tril()\nreturn mask",
    ),
    section="causal-masks",
    why="The mask is True everywhere, so the triangle was never cut out. Every query sees the future.",
    hint="Your mask is True everywhere: nothing is hidden. Row i must be False from column i+1 on; note that tril and "
    "masked_fill return a new tensor, so a result that is not used is lost.",
)

mistake(
    "masks.causal_mask",
    "batch-axis-added",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device)",
        "torch.ones(1, size, size, dtype=torch.bool, device=device)",
    ),
    section="mask-broadcasting",
    why="The mask got a leading axis, shape (1, T, T). The task asks for (T, T), which broadcasts against scores with "
    "or without a head axis.",
    hint="Your triangle is right, but the shape is (1, T, T). A causal mask is the same for every batch and head, and "
    "broadcasting adds leading axes by itself: return (T, T).",
)

mistake(
    "masks.causal_mask",
    "batch-and-head-axes-added",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device).tril()",
        "torch.ones(size, size, dtype=torch.bool, device=device).tril()[None, None]",
    ),
    section="mask-broadcasting",
    why="The mask got axes for batch and head, shape (1, 1, T, T). The task asks for (T, T), which broadcasts to the "
    "same result and also fits scores that have no head axis.",
    hint="Your triangle is right, but the shape is (1, 1, T, T). Broadcasting adds leading axes by itself: return (T, "
    "T).",
)

mistake(
    "masks.causal_mask",
    "integer-mask",
    edit("dtype=torch.bool", "dtype=torch.int64"),
    section="true-means-may-attend",
    why="The triangle holds the integers 1 and 0. Integers do not act as a mask: '~' turns 1 into -2, and '&' with a "
    "boolean mask gives integers again.",
    hint="Your triangle is right, but it holds integers 1 and 0. Masks here are boolean: choose the dtype when you "
    "create the tensor, or compare.",
)

mistake(
    "masks.causal_mask",
    "float-mask",
    edit("torch.ones(size, size, dtype=torch.bool, device=device)", "torch.ones(size, size, device=device)"),
    section="true-means-may-attend",
    why="The triangle holds the floats 1.0 and 0.0, the default type of torch.ones. A float mask cannot be combined "
    "with '&' or turned round with '~'.",
    hint="Your triangle is right, but it holds floats 1.0 and 0.0, the default type of torch.ones. Masks here are "
    "boolean: choose the dtype, or compare.",
)

mistake(
    "masks.causal_mask",
    "additive-mask",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device).tril()",
        'torch.full((size, size), float("-inf"), device=device).triu(1)',
    ),
    section="minus-infinity",
    why="The result holds 0 and -inf, to be added to the scores, like PyTorch's generate_square_subsequent_mask. Masks "
    "of this course are boolean; minus infinity comes in later, in apply_mask.",
    hint="Your mask holds 0 for the past and -inf for the future. That is what masking does to scores, one step later; "
    "here only say, with True or False, which keys may be attended to.",
)

mistake(
    "masks.causal_mask",
    "device-ignored",
    edit("torch.ones(size, size, dtype=torch.bool, device=device)", "torch.ones(size, size, dtype=torch.bool)"),
    section="causal-masks",
    why="The mask was made on the default device whatever the argument says. On a GPU it would meet scores that live "
    "elsewhere, and PyTorch refuses to combine the two.",
    hint="Your mask is right, but it stays on the default device when the call names another. Hand the argument device "
    "on to the function that makes the tensor.",
)

mistake(
    "masks.causal_mask",
    "table-of-fixed-size",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device).tril()",
        "torch.ones(64, 64, dtype=torch.bool, device=device).tril()[:size, :size]",
    ),
    section="causal-masks",
    why="The mask was cut out of a table of a fixed size. For longer sequences the slice is silently too small.",
    hint="Your mask is right for short sequences and too small for long ones, because it is cut out of a table of "
    "fixed size. Build it from `size`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# decoder_mask


@mistake(
    "masks.decoder_mask",
    "or-for-and",
    section="combined-masks",
    why="The two masks were combined with 'or' (or added), so one permission is enough. A key must be a real token and "
    "must not be in the future: both have to agree.",
    hint="Your mask lets real tokens of the future through, and padding of the past: [[5, 6, 0]] gives a first row 1 1 "
    "0. A key needs both permissions, so combine the masks with 'and'.",
)
def decoder_mask(ids, pad_id=0):
    return padding_mask(ids, pad_id) | causal_mask(ids.shape[-1], device=ids.device)


mistake(
    "masks.decoder_mask",
    "padding-on-query-axis",
    edit("def decoder_mask(ids, pad_id=PAD):", "def decoder_mask(ids, pad_id=0):"),
    edit("padding_mask(ids, pad_id)", "padding_mask(ids, pad_id).transpose(-1, -2)"),
    section="padded-queries",
    why="The padding mask was put on the query axis, so the rows of padded queries are empty and padded keys are "
    "hidden from nobody. Padding has to be hidden as a key; what a padded query computes is dropped by the loss.",
    hint="The rows of padded queries are all False in your mask, as the last row for [[5, 6, 0]], and later queries "
    "still see padded keys. Padding is hidden as a key, along the last axis.",
)

mistake(
    "masks.decoder_mask",
    "padding-on-both-axes",
    edit("def decoder_mask(ids, pad_id=PAD):", "def decoder_mask(ids, pad_id=0):"),
    edit("return padding_mask(ids, pad_id)", "keys = padding_mask(ids, pad_id)\nreturn keys & keys.transpose(-1, -2)"),
    section="padded-queries",
    why="Padding was masked as a key and as a query, which empties the rows of padded queries. Those rows need no "
    "treatment: nobody reads them, and an empty row is only a chance for NaN.",
    hint="The rows of padded queries are all False in your mask: for [[5, 6, 0]] the last row is 0 0 0 and should be 1 "
    "1 0. Hide padding as a key only; the loss drops what padded queries compute.",
)

mistake(
    "masks.decoder_mask",
    "diagonal-kept",
    edit("future = torch.ones(length, length, dtype=torch.bool, device=ids.device).triu(1)", ""),
    edit("padding = ids.eq(pad_id)[:, None, None, :]", "own = torch.eye(length, dtype=torch.bool, device=ids.device)"),
    edit("~(padding | future)", "padding_mask(ids, pad_id) & causal_mask(length, device=ids.device) | own"),
    base="forbidden-united",
    section="padded-queries",
    why="Every position may attend to itself, padding included, so that no row is empty. The mask is exactly padding "
    "and causal: the diagonal is no exception, and empty rows are masked_softmax's business.",
    hint="Your mask is True on the whole diagonal, also where the key is padding. There is no exception for it: a row "
    "that ends up empty is handled later, by masked_softmax.",
)

mistake(
    "masks.decoder_mask",
    "padding-forgotten",
    edit("keys = (ids != pad_id).view(batch, 1, 1, length).expand(batch, 1, length, length)", ""),
    edit("torch.tril(keys)", "causal_mask(length, device=ids.device).expand(batch, 1, length, length)"),
    base="from-scratch",
    section="combined-masks",
    why="Only the causal mask was returned, repeated for the batch. Queries after a padded position would attend to "
    "the padding.",
    hint="Your mask is the full triangle for every sequence: padded keys are visible to the queries at and after them. "
    "Combine the triangle with what padding_mask says about each sequence.",
)

mistake(
    "masks.decoder_mask",
    "causal-forgotten",
    edit("keys = (ids != pad_id).view(batch, 1, 1, length).expand(batch, 1, length, length)", ""),
    edit("torch.tril(keys)", "padding_mask(ids, pad_id).expand(batch, 1, length, length)"),
    base="from-scratch",
    section="combined-masks",
    why="Only padding was masked, the same row for every query. The decoder would see the tokens that it has to "
    "predict.",
    hint="All rows of a sequence are equal in your mask: the first query sees every later token. Combine the padding "
    "mask with the causal triangle.",
)

mistake(
    "masks.decoder_mask",
    "padding-mask-returned",
    edit("padding_mask(ids, pad_id=pad_id) * causal_mask(ids.shape[1], ids.device)", "padding_mask(ids, pad_id)"),
    base="product-of-masks",
    section="combined-masks",
    why="The padding mask was returned as it is, shape (B, 1, 1, T). That is the mask of an encoder: in a decoder each "
    "query has its own row, so the query axis has length T.",
    hint="Your mask has shape (B, 1, 1, T), one row for all queries: it is the padding mask alone. A decoder's queries "
    "differ in what they may see; combine it with the causal triangle.",
)


@mistake(
    "masks.decoder_mask",
    "all-inverted",
    section="true-means-may-attend",
    why="The combined mask was turned round, so True marks what must not be seen. In this course True means 'may "
    "attend'.",
    hint="Your mask is right but inverted: True where the key is padding or lies in the future. In this course True "
    "means 'may attend'.",
)
def decoder_mask(ids, pad_id=0):
    return ~(padding_mask(ids, pad_id) & causal_mask(ids.shape[-1], device=ids.device))


mistake(
    "masks.decoder_mask",
    "padding-inverted",
    edit("def decoder_mask(ids, pad_id=PAD):", "def decoder_mask(ids, pad_id=0):"),
    edit("padding_mask(ids, pad_id)", "(ids == pad_id)[:, None, None, :]"),
    section="true-means-may-attend",
    why="The padding half is True at padding, so the combination keeps padded keys of the past and hides every real "
    "token. Both halves must mean 'may attend' before they are combined.",
    hint="Your mask shows padding and hides the real tokens, within the right triangle. The padding half is inverted: "
    "both halves must be True for 'may attend'.",
)

mistake(
    "masks.decoder_mask",
    "causal-inverted",
    edit("def decoder_mask(ids, pad_id=PAD):", "def decoder_mask(ids, pad_id=0):"),
    edit("causal_mask(ids.shape[-1], device=ids.device)", "~causal_mask(ids.shape[-1], device=ids.device)"),
    section="true-means-may-attend",
    why="The causal half is True for the future (a triu that was not turned round), so a query sees real tokens that "
    "come after it and nothing before. Both halves must mean 'may attend' before they are combined.",
    hint="Your mask is True above the diagonal: queries see later tokens and not the past. The causal half is "
    "inverted: both halves must be True for 'may attend'.",
)


@mistake(
    "masks.decoder_mask",
    "own-position-hidden",
    section="teacher-forcing",
    why="The triangle leaves out the diagonal, so no query sees its own token. The decoder's input is already shifted "
    "by one, so position i may be seen at position i, and without it the first row is empty.",
    hint="The diagonal of your mask is False everywhere, and the first row of each sequence is empty. The shift by one "
    "is already in the decoder's input, so a position may attend to itself.",
)
def decoder_mask(ids, pad_id=0):
    length = ids.shape[-1]
    return padding_mask(ids, pad_id) & torch.ones(length, length, dtype=torch.bool, device=ids.device).tril(-1)


mistake(
    "masks.decoder_mask",
    "pad-id-not-passed-on",
    edit("def decoder_mask(ids, pad_id=PAD):", "def decoder_mask(ids, pad_id=0):"),
    edit("padding_mask(ids, pad_id)", "padding_mask(ids)"),
    section="combined-masks",
    why="pad_id was not handed on to padding_mask, which then uses its default 0. With another padding id, padding "
    "stays visible and the real token 0 is hidden.",
    hint="With a pad_id other than 0 your mask still hides the positions whose id is 0. Your function takes pad_id; it "
    "must reach the comparison.",
)


@mistake(
    "masks.decoder_mask",
    "batch-lined-up-with-queries",
    section="mask-broadcasting",
    why="The padding mask (B, T) was combined with the triangle (T, T) before an axis was added, so row b of the batch "
    "met query b. That is an error unless B is 1 or T, and then it is silently wrong.",
    hint="You combine (B, T) with (T, T): aligned from the right, sequence b meets query b, an error for most shapes "
    "and wrong for B = T. Give the padding mask its axes of length 1 first.",
)
def decoder_mask(ids, pad_id=0):
    return ((ids != pad_id) & causal_mask(ids.shape[-1], device=ids.device))[:, None]


mistake(
    "masks.decoder_mask",
    "head-axis-missing",
    edit("def decoder_mask(ids, pad_id=PAD):", "def decoder_mask(ids, pad_id=0):"),
    edit("padding_mask(ids, pad_id)", "(ids != pad_id)[:, None, :]"),
    section="mask-broadcasting",
    why="The result has shape (B, T, T). Against scores (B, H, T, T) its batch axis would be lined up with the heads: "
    "an error, or, when B equals H, masks applied by head number.",
    hint="Your values are right, but the shape is (B, T, T). Aligned from the right, the batch would meet the heads, "
    "silently when B = H: keep an axis of length 1 for the heads.",
)


@mistake(
    "masks.decoder_mask",
    "integer-mask",
    section="combined-masks",
    why="The two masks were turned into integers and multiplied. The positions are right, but masks are boolean: '~' "
    "of an integer 1 is -2.",
    hint="Your positions are right, but they hold the integers 1 and 0. Combine the boolean masks with '&' and keep "
    "them boolean.",
)
def decoder_mask(ids, pad_id=0):
    return padding_mask(ids, pad_id).int() * causal_mask(ids.shape[-1], device=ids.device).int()


@mistake(
    "masks.decoder_mask",
    "additive-mask",
    section="minus-infinity",
    why="The result is a float tensor of 0 and -inf, to be added to the scores. Masks of this course are boolean; "
    "minus infinity comes in later, in apply_mask.",
    hint="Your mask holds 0 where a query may look and -inf elsewhere. That is what masking does to scores, one step "
    "later; here only combine the two boolean masks.",
)
def decoder_mask(ids, pad_id=0):
    keep = padding_mask(ids, pad_id) & causal_mask(ids.shape[-1], device=ids.device)
    return torch.zeros(keep.shape).masked_fill(~keep, float("-inf"))


mistake(
    "masks.decoder_mask",
    "first-sequence-only",
    edit(
        "keys = (ids != pad_id).view(batch, 1, 1, length).expand(batch, 1, length, length)",
        "one = padding_mask(ids[:1], pad_id) & causal_mask(length, device=ids.device)",
    ),
    edit("torch.tril(keys)", "one.expand(batch, 1, length, length)"),
    base="from-scratch",
    section="combined-masks",
    why="The padding of the first sequence was used for the whole batch. The sequences of a batch have different "
    "lengths.",
    hint="Every sequence of your mask shows the padding of the first one. Lengths differ within a batch, so the mask "
    "of each sequence has to come from its own ids.",
)


@mistake(
    "masks.decoder_mask",
    "empty-rows-opened",
    section="rows-with-nothing",
    why="Rows in which nothing is allowed were given an exception. The mask says who may attend to whom; what a row "
    "with nothing means is the business of the softmax.",
    hint="With padding in front, the first rows of your mask allow keys that padding or the future forbids. Such rows "
    "stay empty: the mask is padding *and* causal without exceptions.",
)
def decoder_mask(ids, pad_id=0):
    causal = causal_mask(ids.shape[1], ids.device)
    both = padding_mask(ids, pad_id) & causal
    return torch.where(both.any(-1, keepdim=True), both, causal)


mistake(
    "masks.decoder_mask",
    "first-key-always-allowed",
    edit("batch, length = ids.shape", "both = padding_mask(ids, pad_id) & causal_mask(ids.shape[1], ids.device)"),
    edit("keys = (ids != pad_id).view(batch, 1, 1, length).expand(batch, 1, length, length)", "both[..., 0] = True"),
    edit("torch.tril(keys)", "both"),
    base="from-scratch",
    section="rows-with-nothing",
    why="The first key was allowed to every query, so that no row is empty. If the first token is padding, every query "
    "then attends to padding.",
    hint="Your mask always allows the first key, also where it is padding. No row needs an exception: the mask is "
    "padding *and* causal, and the softmax deals with empty rows.",
)


@mistake(
    "masks.decoder_mask",
    "numpy-array",
    section="combined-masks",
    why="The masks were combined in NumPy and the result was returned as an array. It has no device, and PyTorch's "
    "functions refuse it.",
    hint="Your values are right, but the result is a NumPy array. Tensors can be combined with `&` as well, and stay "
    "on their device.",
)
def decoder_mask(ids, pad_id=0):
    return (padding_mask(ids, pad_id) & causal_mask(ids.shape[1], ids.device)).numpy()


# ---------------------------------------------------------------------------------------------------------------------
# apply_mask


mistake(
    "masks.apply_mask",
    "mask-inverted",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(mask, float("-inf"))'),
    section="true-means-may-attend",
    why="masked_fill fills where its mask is True, and it was given the mask as it is. Here True means 'may attend', "
    "so exactly the allowed scores were lost.",
    hint="Your result is -inf at the allowed positions and keeps the forbidden ones. masked_fill fills where it is "
    "told True, while our True means 'may attend'.",
)

mistake(
    "masks.apply_mask",
    "mask-inverted-and-finite",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores.masked_fill(mask, -1e9)"),
    section="true-means-may-attend",
    why="The allowed scores were filled with -1e9: the mask was given to masked_fill without turning it round, and the "
    "fill is a finite number. True means 'may attend' here, and only minus infinity is below every score.",
    hint="Your allowed positions hold -1e9 and the forbidden ones their scores. Two things at once: masked_fill fills "
    "where it is told True, and the fill should be minus infinity. See also {section}`masks#minus-infinity`.",
)

mistake(
    "masks.apply_mask",
    "minus-one-billion",
    edit('float("-inf")', "-1e9"),
    section="minus-infinity",
    why="The fill value is -1e9, not minus infinity. It does not fit into float16, and in a row where everything is "
    "masked it makes softmax spread the weights evenly over the padding.",
    hint="Your masked positions hold -1e9. That number is out of range in float16, and a row full of it becomes "
    "uniform weights, silently: the fill that is exact in every float type is minus infinity.",
)

mistake(
    "masks.apply_mask",
    "minus-ten-thousand",
    edit('float("-inf")', "-1e4"),
    section="minus-infinity",
    why="The fill value is -10000, not minus infinity. A real score can be lower than that, and then the masked "
    "positions win the softmax.",
    hint="Your masked positions hold -10000, a number that real scores can fall below. Only minus infinity is below "
    "every score.",
)

mistake(
    "masks.apply_mask",
    "smallest-number-of-the-type",
    edit('float("-inf")', "torch.finfo(scores.dtype).min"),
    section="minus-infinity",
    why="The fill value is the lowest finite number of the float type. It is still a number: a row full of it becomes "
    "uniform weights after softmax, and the function has to put minus infinity there.",
    hint="Your masked positions hold the lowest finite number of the type. A row full of it gives uniform weights over "
    "padding; asked for is minus infinity itself, which exists in every float type.",
)

mistake(
    "masks.apply_mask",
    "plus-infinity",
    edit('"-inf"', '"inf"'),
    section="minus-infinity",
    why="The fill value is plus infinity: the sign was lost. Softmax would look for the largest scores among the "
    "masked positions, and give NaN.",
    hint="Your masked positions hold +inf. Softmax gives weight to large scores, so what must get none is the "
    "opposite: minus infinity.",
)

mistake(
    "masks.apply_mask",
    "masked-scores-are-zero",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores * mask"),
    section="minus-infinity",
    why="The scores were multiplied by the mask, or filled with 0 or with 1e-9 (where -1e9 was meant). A score of "
    "about 0 is an ordinary score: softmax gives it the share exp(0) = 1, often more than the allowed positions get.",
    hint="Your masked positions hold 0, or something as small as 1e-9. Before softmax that is an ordinary score, whose "
    "share is exp(0) = 1; a position gets no weight only when its score is minus infinity.",
)

mistake(
    "masks.apply_mask",
    "mask-added-as-number",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores + mask"),
    section="minus-infinity",
    why="The mask was added to the scores as 1 and 0. That raises the allowed scores by 1 and hides nothing.",
    hint="Your allowed scores are larger by exactly 1 and the masked ones are unchanged: the mask was added as a "
    "number. What must be added (or filled in) at a masked position is minus infinity.",
)

mistake(
    "masks.apply_mask",
    "zero-times-infinity",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores + (1.0 - mask.to(scores.dtype)) * float("-inf")'),
    section="minus-infinity",
    why="The mask was turned into a bias by multiplying (1 - mask) with -inf. Where the mask is True that is 0 * -inf, "
    "which is NaN, not 0.",
    hint="Your masked positions are right, but the allowed ones are NaN: 0 times -inf is not 0. Choose the value by "
    "the mask instead of multiplying with it.",
)

mistake(
    "masks.apply_mask",
    "softmax-included",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)'),
    section="minus-infinity",
    why="The result was already sent through softmax. The function is to return scores; softmax comes after it, and "
    "twice is wrong.",
    hint="Your values lie between 0 and 1: you return attention weights. This function stops one step earlier, at the "
    "scores with minus infinity in them.",
)

mistake(
    "masks.apply_mask",
    "masked-scores-dropped",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores[mask.expand_as(scores)]"),
    section="minus-infinity",
    why="The scores were indexed with the mask, which drops the masked positions and flattens the rest. The shape, and "
    "with it which score belongs to which query and key, is lost.",
    hint="Your result is one long list of the allowed scores. Indexing with a mask drops positions; masking keeps the "
    "shape and writes minus infinity into them.",
)

mistake(
    "masks.apply_mask",
    "scores-changed",
    edit("scores.masked_fill", "scores.masked_fill_"),
    section="masks-pitfalls",
    why="The fill happened in place (masked_fill_, or assigning to scores[...]). The caller's scores are overwritten, "
    "which spoils them for any later use, and autograd refuses it for a leaf tensor.",
    hint="Your result is right, but the scores that were passed in hold -inf afterwards. A function here never changes "
    "its arguments: use the form that returns a new tensor, without the underscore.",
)

mistake(
    "masks.apply_mask",
    "gradient-cut",
    edit(
        'return scores.masked_fill(~mask, float("-inf"))',
        'copy = scores.clone().detach()\ncopy[~mask.expand_as(copy)] = float("-inf")\nreturn copy',
    ),
    section="masks-pitfalls",
    why="The scores were detached before they were filled. The numbers are right, but no gradient reaches the scores, "
    "so the queries and keys behind them never learn.",
    hint="Your values are right, but no gradient reaches the scores: detach (or .data) takes the result out of the "
    "graph. Fill without detaching; that makes a new tensor too.",
)

mistake(
    "masks.apply_mask",
    "dtype-lost",
    edit("scores.masked_fill", "scores.float().masked_fill"),
    section="minus-infinity",
    why="The result is float32 whatever the scores are. A model in bfloat16 or float64 would mix types at the next "
    "product, or silently lose digits.",
    hint="Your result is float32 also when the scores are float64 or bfloat16. Minus infinity exists in every float "
    "type, so nothing needs converting.",
)

mistake(
    "masks.apply_mask",
    "zeros-taken-for-masked",
    edit(
        'return scores.masked_fill(~mask, float("-inf"))',
        'hidden = scores * mask\nreturn hidden.masked_fill(hidden == 0, float("-inf"))',
    ),
    section="minus-infinity",
    why="Scores were multiplied by the mask, and every 0 was then replaced by -inf. A score may be 0 without being "
    "masked: that of orthogonal vectors, or of a query of zeros.",
    hint="A score of exactly 0 that may be seen comes out as -inf. Ask the mask where to put -inf, not the scores.",
)

mistake(
    "masks.apply_mask",
    "mask-transposed",
    edit(
        "return scores.masked_fill(",
        "if mask.shape[-1] == mask.shape[-2]:\n    mask = mask.transpose(-1, -2)\nreturn scores.masked_fill(",
    ),
    section="mask-broadcasting",
    why="The mask was transposed where it is square, so that its rows became keys. Rows are queries, in the mask as in "
    "the scores.",
    hint="With as many queries as keys, your mask acts transposed. Its rows are queries already, like those of the "
    "scores: use it as it is.",
)


# ---------------------------------------------------------------------------------------------------------------------
# masked_softmax


mistake(
    "masks.masked_softmax",
    "mask-inverted",
    edit("mask.broadcast_to(scores.shape)", "~mask.broadcast_to(scores.shape)"),
    section="true-means-may-attend",
    why="The mask was used the wrong way round, so the weights lie on the forbidden positions. In this course True "
    "means 'may attend'.",
    hint="Your weights are 0 where the mask is True and positive where it is False. In this course True means 'may "
    "attend'.",
)

mistake(
    "masks.masked_softmax",
    "guard-for-the-whole-batch",
    edit(
        "return apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)",
        "if not mask.any():\n    return torch.zeros_like(scores)\nreturn apply_mask(scores, mask).softmax(dim)",
    ),
    base="nan-to-num-at-the-end",
    section="rows-with-nothing",
    why="Zeros are returned only when nothing at all is allowed, in the whole tensor. One empty row among others still "
    "becomes NaN.",
    hint="You guard against a mask that is False everywhere, but a single row with nothing to attend to still comes "
    "out as NaN. Each row has to be looked at by itself, along dim.",
)

mistake(
    "masks.masked_softmax",
    "nan-rows",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "apply_mask(scores, mask).softmax(dim)"),
    base="nan-to-num-at-the-end",
    section="rows-with-nothing",
    why="Softmax was applied to rows that are -inf throughout. The sum of their exponentials is 0, so the weights are "
    "0/0, NaN.",
    hint="The rows with nothing to attend to are NaN: their exponentials sum to 0, and 0/0 has no value. Find those "
    "rows and make their weights 0.",
)

mistake(
    "masks.masked_softmax",
    "uniform-rows",
    edit('weights = scores.masked_fill(~mask, float("-inf")).softmax(dim)', ""),
    edit("torch.nan_to_num(weights, nan=0.0)", "scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim)"),
    base="nan-replaced",
    section="rows-with-nothing",
    why="Masked positions were filled with a huge negative number (-1e9, or the lowest of the type), not with -inf. "
    "Where everything is masked all scores are equal, and softmax spreads the weights evenly over forbidden positions.",
    hint="In the rows with nothing to attend to, your weights are all equal and sum to 1: they average the padding. A "
    "finite fill hides the problem; those rows have to become 0.",
)

mistake(
    "masks.masked_softmax",
    "empty-rows-see-everything",
    edit('weights = scores.masked_fill(~mask, float("-inf")).softmax(dim)', "mask = mask.broadcast_to(scores.shape)"),
    edit("torch.nan_to_num(weights, nan=0.0)", "apply_mask(scores, mask | ~mask.any(dim, keepdim=True)).softmax(dim)"),
    base="nan-replaced",
    section="rows-with-nothing",
    why="Where a row allows nothing, its mask was opened so that softmax has something to share out. The row then "
    "attends to all the forbidden positions.",
    hint="The rows with nothing to attend to hold an ordinary softmax over all positions, as if they were not masked. "
    "Opening such a row avoids NaN, but its weights must then be set to 0.",
)

mistake(
    "masks.masked_softmax",
    "nan-gradients",
    edit(
        "return apply_mask(scores, mask)",
        'bias = torch.zeros_like(scores).masked_fill(~mask, float("-inf"))\nreturn (scores + bias)',
    ),
    base="nan-to-num-at-the-end",
    section="rows-with-nothing",
    why="-inf was added to the scores and NaN replaced by 0 after softmax. The forward pass looks right, but the "
    "gradient still passes through 0/0 and arrives as NaN.",
    hint="Your weights are right, but the gradients in rows with nothing to attend to are NaN: replacing NaN after "
    "softmax comes too late for the backward pass. Make the row harmless before softmax.",
)

mistake(
    "masks.masked_softmax",
    "masked-after-softmax",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "scores.softmax(dim) * mask"),
    base="nan-to-num-at-the-end",
    section="minus-infinity",
    why="Softmax ran over all positions and the forbidden weights were set to 0 afterwards. The weights that are left "
    "no longer sum to 1.",
    hint="Your masked weights are 0, but the others sum to less than 1: their share went to the masked positions. Mask "
    "before softmax, so that the allowed positions share all of it.",
)

mistake(
    "masks.masked_softmax",
    "renormalised-with-epsilon",
    edit('scores.masked_fill(~mask, float("-inf")).softmax(dim)', "scores.softmax(dim) * mask"),
    edit("torch.nan_to_num(weights, nan=0.0)", "weights / (weights.sum(dim, keepdim=True) + 1e-9)"),
    base="nan-replaced",
    section="minus-infinity",
    why="Softmax ran over all positions, the forbidden weights were set to 0, and the rest divided by their sum plus a "
    "small epsilon. When a masked score is the largest by far, the rest underflows and the epsilon decides the result.",
    hint="Your weights are right for small scores, but with a large score at a masked position the allowed weights "
    "shrink to almost nothing and no longer sum to 1. Mask before softmax, then nothing needs dividing.",
)

mistake(
    "masks.masked_softmax",
    "maximum-of-masked-scores",
    edit(
        "wide = scores.double().masked_fill(~mask, -1e300)",
        "powers = (scores - scores.amax(dim, keepdim=True)).exp() * mask\ntotal = powers.sum(dim, keepdim=True)",
    ),
    edit("(wide.softmax(dim) * mask).to(scores.dtype)", "powers / total.masked_fill(total == 0, 1.0)"),
    base="computed-in-float64",
    section="minus-infinity",
    why="For stability the largest score was subtracted, but the largest of all positions, masked ones included. When "
    "that one is masked and far above the rest, every allowed exponential underflows to 0.",
    hint="Rows whose largest score is masked come out as zeros although something is allowed: the exponentials "
    "underflow. The maximum that you subtract must be that of the allowed positions.",
)

mistake(
    "masks.masked_softmax",
    "no-maximum-subtracted",
    edit(
        "wide = scores.double().masked_fill(~mask, -1e300)",
        'powers = scores.masked_fill(~mask, float("-inf")).exp()\ntotal = powers.sum(dim, keepdim=True)',
    ),
    edit("(wide.softmax(dim) * mask).to(scores.dtype)", "powers / total.masked_fill(total == 0, 1.0)"),
    base="computed-in-float64",
    section="minus-infinity",
    why="The exponentials were taken of the scores as they are. In float32 exp overflows above 88.7, and inf/inf is "
    "NaN.",
    hint="For scores in the hundreds your weights are NaN or 0: exp of such a number overflows (or underflows). "
    "Subtract the largest allowed score first, or use a softmax that does.",
)

mistake(
    "masks.masked_softmax",
    "dim-ignored",
    edit("mask.any(dim, keepdim=True)", "mask.any(-1, keepdim=True)"),
    edit("scores.softmax(dim)", "scores.softmax(-1)"),
    section="rows-with-nothing",
    why="Softmax always runs over the last axis, whatever dim says. For another dim the weights sum to 1 along the "
    "wrong axis.",
    hint="For dim=-2 or dim=1 your weights still sum to 1 along the last axis. Hand dim on to everything that works "
    "along an axis: the softmax and the search for empty rows.",
)

mistake(
    "masks.masked_softmax",
    "empty-rows-sought-on-last-axis",
    edit("mask.any(dim, keepdim=True)", "mask.any(-1, keepdim=True)"),
    section="rows-with-nothing",
    why="Softmax runs along dim, but rows with nothing allowed were looked for along the last axis. For another dim, "
    "what is empty along dim stays -inf throughout and becomes NaN.",
    hint="With dim=-2 or dim=1 your result has NaN: softmax uses dim, but empty rows are looked for along the last "
    "axis. Both must work along the same axis.",
)

mistake(
    "masks.masked_softmax",
    "mask-axes-counted-before-broadcasting",
    edit("mask = mask.broadcast_to(scores.shape)", ""),
    section="mask-broadcasting",
    why="dim was used on the mask as it came, before it had the shape of the scores. A mask with fewer axes counts "
    "them differently, so dim means another axis there, or none.",
    hint="With a mask of shape (T_q, T_k) and dim=1 you look for empty rows along the mask's axis 1, which is not axis "
    "1 of the scores. Bring the mask to the shape of the scores first.",
)

mistake(
    "masks.masked_softmax",
    "masked-scores-are-zero",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "(scores * mask).softmax(dim)"),
    base="nan-to-num-at-the-end",
    section="minus-infinity",
    why="Masked scores were set to 0 (or multiplied by the mask) before softmax. exp(0) is 1, so the forbidden "
    "positions get a share like any other.",
    hint="Your masked positions have positive weights: a score of 0 has the share exp(0) = 1. Only minus infinity gets "
    "none.",
)

mistake(
    "masks.masked_softmax",
    "mask-added-as-number",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "(scores + mask).softmax(dim)"),
    base="nan-to-num-at-the-end",
    section="minus-infinity",
    why="The mask was added to the scores as 1 and 0 before softmax. That makes allowed positions a little likelier "
    "and hides nothing.",
    hint="Your masked positions have positive weights: adding True adds 1 to the allowed scores and leaves the rest. "
    "What is masked needs a score of minus infinity.",
)

mistake(
    "masks.masked_softmax",
    "mask-ignored",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "scores.softmax(dim)"),
    base="nan-to-num-at-the-end",
    section="minus-infinity",
    why="The softmax ran over all scores and the mask was never used. Forbidden positions get weight.",
    hint="Your weights are the plain softmax of the scores, masked positions included. The mask has to take those "
    "positions out before the shares are computed.",
)


@mistake(
    "masks.masked_softmax",
    "scores-not-used",
    section="minus-infinity",
    why="The allowed positions share the weight equally: only the mask was normalised. The scores decide the shares; "
    "the mask only says who takes part.",
    hint="All your allowed positions have the same weight: you normalised the mask and left out the scores. The shares "
    "are proportional to exp(score).",
)
def masked_softmax(scores, mask, dim=-1):
    allowed = mask.broadcast_to(scores.shape).to(scores.dtype)
    return allowed / allowed.sum(dim, keepdim=True).clamp(min=1.0)


mistake(
    "masks.masked_softmax",
    "scores-changed",
    edit(
        "scores = apply_mask(scores, mask).masked_fill(nothing, 0.0)",
        'scores.masked_fill_(~mask, float("-inf")).masked_fill_(nothing, 0.0)',
    ),
    section="masks-pitfalls",
    why="The scores were filled in place. The caller's scores hold -inf afterwards, and autograd refuses it for a leaf "
    "tensor.",
    hint="Your weights are right, but the scores that were passed in have changed. A function here never changes its "
    "arguments: use the forms without the underscore.",
)

mistake(
    "masks.masked_softmax",
    "dtype-lost",
    edit("scores.softmax(dim)", "torch.softmax(scores, dim, dtype=torch.float32)"),
    section="minus-infinity",
    why="The softmax was computed and returned in float32 whatever the scores are. A model in bfloat16 or float64 "
    "would mix types at the next product.",
    hint="Your weights are float32 also for scores in float64 or bfloat16. Compute in what precision you like, but "
    "return the dtype of the scores.",
)


@mistake(
    "masks.masked_softmax",
    "mask-transposed",
    section="mask-broadcasting",
    why="The mask was transposed where it is square, so that its rows became keys. Rows are queries, in the mask as in "
    "the scores.",
    hint="With as many queries as keys, your mask acts transposed. Its rows are queries already, like those of the "
    "scores: use it as it is.",
)
def masked_softmax(scores, mask, dim=-1):
    if mask.shape[-1] == mask.shape[-2]:
        mask = mask.transpose(-1, -2)
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim).nan_to_num()


# ---------------------------------------------------------------------------------------------------------------------
# to_key_padding_mask


mistake(
    "masks.to_key_padding_mask",
    "not-inverted",
    edit("~mask[:, 0, 0, :]", "mask[:, 0, 0, :]"),
    section="pytorch-convention",
    why="The axes were removed but the meaning was kept, True for 'may attend'. PyTorch's key_padding_mask is True for "
    "'ignore', so it would hide the real tokens and attend to the padding.",
    hint="Your shape is right, but True still marks the real tokens. In key_padding_mask True means 'ignore this key'.",
)

mistake(
    "masks.to_key_padding_mask",
    "tilde-on-integers",
    edit("~mask[:, 0, 0, :]", "(~mask[:, 0, 0, :].int()).bool()"),
    section="pytorch-convention",
    why="The mask was turned into integers before '~', which then flips bits: ~1 is -2 and ~0 is -1. Both count as "
    "True, so every key is ignored.",
    hint="Your result is True everywhere. On integers '~' flips bits, ~1 is -2 and ~0 is -1, and both are true; on a "
    "boolean tensor it means 'not'.",
)

mistake(
    "masks.to_key_padding_mask",
    "all-axes-kept",
    edit("mask[:, 0, 0, :]", "mask"),
    section="pytorch-convention",
    why="The mask was inverted but kept its four axes, (B, 1, 1, T). nn.MultiheadAttention wants one row per sequence, "
    "(B, T).",
    hint="Your values are right, but the shape is (B, 1, 1, T). key_padding_mask has shape (B, T): remove the two axes "
    "of length 1.",
)

mistake(
    "masks.to_key_padding_mask",
    "one-axis-kept",
    edit("mask[:, 0, 0, :]", "mask.squeeze(1)"),
    section="pytorch-convention",
    why="Only one of the two axes of length 1 was removed, leaving (B, 1, T). nn.MultiheadAttention wants (B, T).",
    hint="Your values are right, but the shape is (B, 1, T): there are two axes of length 1 to remove, that of the "
    "heads and that of the queries.",
)

mistake(
    "masks.to_key_padding_mask",
    "every-axis-squeezed",
    edit("mask[:, 0, 0, :]", "mask.squeeze()"),
    section="pytorch-convention",
    why="squeeze() without an axis removes every axis of length 1. With a batch of one, or one position, it takes the "
    "batch or the position axis as well.",
    hint="Your result is right in general, but for B = 1 or T = 1 an axis is missing: squeeze() without arguments "
    "removes every axis of length 1. Name the axes to remove.",
)

mistake(
    "masks.to_key_padding_mask",
    "first-sequence-only",
    edit(":, 0, 0, :", "0, 0"),
    section="pytorch-convention",
    why="Index 0 was taken on the batch axis, so only the first sequence is left. Every sequence has its own padding.",
    hint="Your result has one row, that of the first sequence. Take index 0 on the axes of heads and queries, and keep "
    "the batch axis.",
)

mistake(
    "masks.to_key_padding_mask",
    "flattened",
    edit("mask[:, 0, 0, :]", "mask.flatten()"),
    section="pytorch-convention",
    why="All axes were flattened into one of length B*T. Which position belongs to which sequence is lost.",
    hint="Your result has a single axis of length B*T. Keep the batch axis: the result is (B, T), one row per "
    "sequence.",
)

mistake(
    "masks.to_key_padding_mask",
    "time-first",
    edit("mask[:, 0, 0, :]", "mask[:, 0, 0, :].transpose(0, 1)"),
    section="pytorch-convention",
    why="The result is (T, B), time first. key_padding_mask is (B, T) always, even where the module's batch_first is "
    "False.",
    hint="Your result has shape (T, B). The batch comes first in key_padding_mask, (B, T), whatever the order of the "
    "inputs.",
)

mistake(
    "masks.to_key_padding_mask",
    "attention-mask-shape",
    edit("mask[:, 0, 0, :]", "mask[:, 0].expand(-1, mask.shape[-1], -1)"),
    section="pytorch-convention",
    why="The mask was expanded to one row per query, (B, T, T), as attn_mask has it. key_padding_mask speaks of keys "
    "only, (B, T).",
    hint="Your result has shape (B, T, T), one row per query: that is the form of attn_mask. key_padding_mask has one "
    "row per sequence.",
)

mistake(
    "masks.to_key_padding_mask",
    "additive-mask",
    edit("batch, _, _, length = mask.shape", "keep = mask[:, 0, 0, :]"),
    edit("mask.reshape(batch, length) == False", 'torch.zeros(keep.shape).masked_fill(~keep, float("-inf"))'),
    base="view",
    section="pytorch-convention",
    why="The result is a float tensor of 0 and -inf. PyTorch takes that too, by adding it to the scores, but the asked "
    "form is the boolean one, which cannot be confused with numbers.",
    hint="Your result holds 0 and -inf, a mask to be added to scores. Asked for is the boolean form, True where a key "
    "is to be ignored.",
)

mistake(
    "masks.to_key_padding_mask",
    "float-mask",
    edit("~mask[:, 0, 0, :]", "1.0 - mask[:, 0, 0, :].float()"),
    section="pytorch-convention",
    why="The result holds the floats 1.0 and 0.0. PyTorch adds a float key_padding_mask to the scores, so padding "
    "would gain 1 and stay visible, without an error.",
    hint="Your result holds floats 1.0 and 0.0. PyTorch would add them to the scores, and padding would gain weight "
    "instead of losing it: return a boolean tensor.",
)

mistake(
    "masks.to_key_padding_mask",
    "integer-mask",
    edit("~mask[:, 0, 0, :]", "1 - mask[:, 0, 0, :].int()"),
    section="pytorch-convention",
    why="The result holds the integers 1 and 0. nn.MultiheadAttention takes boolean or float masks only.",
    hint="Your result holds integers 1 and 0, which nn.MultiheadAttention does not take. '1 - mask' is arithmetic; "
    "'not' of a boolean tensor stays boolean.",
)

mistake(
    "masks.to_key_padding_mask",
    "mask-changed",
    edit("~mask[:, 0, 0, :]", "mask.logical_not_()[:, 0, 0, :]"),
    section="masks-pitfalls",
    why="The mask was inverted in place (logical_not_). The model's own mask means the opposite afterwards.",
    hint="Your result is right, but the mask that was passed in is inverted afterwards. A function here never changes "
    "its arguments: use the form without the underscore.",
)

mistake(
    "masks.masked_softmax",
    "masked-scores-are-zero-then-weights",
    edit(
        "scores = apply_mask(scores, mask).masked_fill(nothing, 0.0)\nreturn scores.softmax(dim).masked_fill(nothing, 0.0)",
        "return (scores * mask).softmax(dim) * mask",
    ),
    section="minus-infinity",
    why="Masked scores were set to 0 before the softmax, and 0 is an ordinary score. The allowed weights then sum to less than 1.",
    hint="Your allowed weights do not sum to 1: masked scores of 0 still take their share. Fill them with -inf.",
)
