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
    why="Attention looks at the padding and at nothing else. Your mask is True where a token is padding. What does "
    "True mean in this course's masks?",
    hint="Your mask has the right shape, but it is True at the padding and False at the real tokens. In this course "
    "True means 'may attend', so ask the opposite question about each id.",
)

mistake(
    "masks.padding_mask",
    "pytorch-key-padding-mask",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "ids == pad_id"),
    section="pytorch-convention",
    why="Your mask has the shape (B, T) and is True at the padding, which is PyTorch's `key_padding_mask`. This "
    "course's masks mean the opposite and have two more axes. What does True mean here, and over which axes must the "
    "mask broadcast?",
    hint="You built PyTorch's key_padding_mask: shape (B, T), True at the padding. Here True means 'may attend', and "
    "the mask needs an axis of length 1 for the heads and one for the queries.",
)

mistake(
    "masks.padding_mask",
    "no-broadcast-axes",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "ids != pad_id"),
    section="mask-broadcasting",
    why="Your values are right, but the shape is (B, T). Broadcasting aligns shapes from the right, so the batch "
    "would meet the queries of scores (B, H, T_q, T_k). Which axes are missing between the batch and the keys?",
    hint="Your values are right but the shape is (B, T). Broadcasting aligns axes from the right, so the batch would "
    "meet the queries: give the mask an axis of length 1 for heads and one for queries.",
)

mistake(
    "masks.padding_mask",
    "one-axis-missing",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "(ids != pad_id).unsqueeze(1)"),
    section="mask-broadcasting",
    why="Your mask has the shape (B, 1, T), so each head would get the mask of another sequence. Broadcasting aligns "
    "shapes from the right, and your batch meets the heads of scores (B, H, T_q, T_k). How many axes do the scores "
    "have?",
    hint="Your mask has three axes, (B, 1, T); scores have four, (B, H, T_q, T_k). Aligned from the right, your batch "
    "axis would meet the heads: one more axis of length 1 is missing.",
)

mistake(
    "masks.padding_mask",
    "padding-on-query-axis",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit(":, None, None, :", ":, None, :, None"),
    section="padding-masks",
    why="Padded keys stay visible to real queries, and padded queries see nothing. Your mask has the shape (B, 1, T, "
    "1), with its positions on the axis of the queries. Which axis of the scores holds the keys?",
    hint="Your mask has shape (B, 1, T, 1): its positions lie on the axis of the queries. Padding has to be hidden as "
    "a key, and keys are the last axis of the scores.",
)

mistake(
    "masks.padding_mask",
    "axes-at-the-end",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "(ids != pad_id).unsqueeze(-1).unsqueeze(-1)"),
    section="mask-broadcasting",
    why="Your mask has the shape (B, T, 1, 1), so a position is read as a head. You added the axes of length 1 at "
    "the end. Which axis of the scores holds the keys?",
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
    why="Your mask fails in cross-attention, where queries and keys differ in number. You expanded it to (B, 1, T, "
    "T), one copy of the row for each query. Which length of the query axis fits any number of queries?",
    hint="Your mask has shape (B, 1, T, T), the same row for each of T queries. In cross-attention, queries and keys "
    "differ in number: leave the axis of the queries at length 1 and let broadcasting fill it.",
)

mistake(
    "masks.padding_mask",
    "specials-hidden",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "(ids != pad_id) & (ids > 3)"),
    section="padding-masks",
    why="Your mask hides the ids 1 to 3: the unknown, begin and end tokens. You hid all special tokens, but only "
    "padding carries no information. With which id should you compare?",
    hint="Your mask also hides ids 1 to 3, the unknown, begin and end tokens. Only padding carries no information: "
    "compare with the one id that you are given.",
)

mistake(
    "masks.padding_mask",
    "pad-id-ignored",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "ids != 0"),
    section="padding-masks",
    why="With another padding id, real tokens are hidden and padding stays visible. You compared the ids with 0 and "
    "ignored the argument. Which id does the caller pad with?",
    hint="Your mask is False where the id is 0, also when the call names another pad_id: real tokens are hidden and "
    "padding is seen. Compare with the argument pad_id.",
)

mistake(
    "masks.padding_mask",
    "larger-than-pad-id",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "ids > pad_id"),
    section="padding-masks",
    why="With a padding id above 0, some real tokens are hidden. You treated a token as real when its id is larger "
    "than the padding id. Are ids sizes or names?",
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
    why="Each row has the right number of True entries, but always at the start. You counted the real tokens, which "
    "works only while all padding is at the end. What decides whether a single position is padding?",
    hint="Each row of your mask has the right number of True entries, but always at the start. With padding in front "
    "or in the middle, those positions are wrong. Decide for each position from its own id.",
)

mistake(
    "masks.padding_mask",
    "first-sequence-only",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "(ids[0] != pad_id)[None, None, None, :].expand(ids.shape[0], 1, 1, -1)"),
    section="padding-masks",
    why="Every sequence shows the pattern of the first one, so others see padding or lose real tokens. You built the "
    "mask from one sequence, but lengths differ within a batch. Which axis of the ids must remain in the mask?",
    hint="Every sequence of your mask shows the pattern of the first one. Lengths differ within a batch, so keep the "
    "batch axis of ids in the result.",
)

mistake(
    "masks.padding_mask",
    "integer-mask",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "(ids != pad_id).long()"),
    section="true-means-may-attend",
    why="Your mask holds the integers 1 and 0, which do not behave like a mask: `~` turns 1 into -2. Indexing with "
    "them selects rows 0 and 1. You converted the comparison. Which type does a comparison already have?",
    hint="Your values are 1 and 0 of an integer type. Masks here are boolean, because '~' and '&' mean something else "
    "for integers: return the comparison itself.",
)

mistake(
    "masks.padding_mask",
    "float-mask",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", "(ids != pad_id).float()"),
    section="true-means-may-attend",
    why="Your mask holds the floats 1.0 and 0.0. Multiplied by scores or added to them, such a mask hides nothing "
    "from softmax. Which type does a comparison already have?",
    hint="Your values are the floats 1.0 and 0.0. Masks here are boolean: return the comparison itself, without "
    "converting it.",
)

mistake(
    "masks.padding_mask",
    "additive-mask",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("ids != pad_id", 'torch.zeros(ids.shape).masked_fill(ids == pad_id, float("-inf"))'),
    section="minus-infinity",
    why="Your mask holds 0 at the tokens and -inf at the padding. Minus infinity comes later, in `apply_mask`, and "
    "masks of this course are boolean. Which question should your mask answer for each key?",
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
    why="After the call, the caller's batch holds other ids. You overwrote the padding in the argument. Which "
    "operation finds the padding without changing anything?",
    hint="Your function writes into ids: afterwards the caller's batch holds 0 where it held pad_id. A function here "
    "never changes its arguments; compare instead of assigning.",
)

mistake(
    "masks.padding_mask",
    "numpy-array",
    edit("def padding_mask(ids, pad_id=PAD):", "def padding_mask(ids, pad_id=0):"),
    edit("(ids != pad_id)[:, None, None, :]", "ids.numpy()[:, None, None, :] != pad_id"),
    section="padding-masks",
    why="PyTorch's functions refuse your mask. You compared in NumPy and returned an array, which is not a tensor. "
    "Which object can you compare directly?",
    hint="Your values are right, but the result is a NumPy array. Compare the tensor itself: the result is then a "
    "boolean tensor on the device of `ids`.",
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
    why="Every query sees the future and nothing else. Your mask is True strictly above the diagonal, as PyTorch's "
    "`attn_mask` marks the future. What does True mean in this course's masks?",
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
    why="Time runs backwards: the first query sees every position, and the last sees only itself. You took the upper "
    "triangle, or exchanged rows and columns. Which keys may query i see?",
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
    why="The first query sees nothing, and no query sees its own token. Your diagonal is False, although a query's "
    "own token is already known. What is the last key that query i may see?",
    hint="The diagonal of your mask is False, so the first row is empty and its softmax has no key to give weight to. "
    "A position may attend to itself: j <= i, not j < i.",
)

mistake(
    "masks.causal_mask",
    "one-step-into-the-future",
    edit(
        "torch.ones(size, size, dtype=torch.bool, device=device).tril()",
        "torch.ones(size, size, dtype=torch.bool, device=device).tril(1)",
    ),
    section="causal-masks",
    why="Each query sees the very token that it has to predict, so training only learns to copy. Your triangle "
    "reaches one key too far. What is the last key that query i may see?",
    hint="Your mask is True just above the diagonal: query 0 sees key 1, the token that it has to predict. The last "
    "key a query may see is at its own position.",
)

mistake(
    "masks.causal_mask",
    "own-position-only",
    edit("torch.tril(torch.ones((size, size))).bool().to(device)", "torch.eye(size, dtype=torch.bool, device=device)"),
    base="tril-to-bool",
    section="causal-masks",
    why="Attention mixes nothing, because every query sees only itself. Your mask is True on the diagonal alone. How "
    "many keys may query i see?",
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
    why="A query sees only itself and the position before it. You cut the past down to a band along the diagonal. "
    "Which part of the sequence does a causal mask hide?",
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
    why="Every query sees the future. Your mask is True everywhere, perhaps because the result of cutting out the "
    "triangle was not used. Does that operation change its tensor or return a new one?",
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
    why="Your triangle is right, but the shape is (1, T, T). You added an axis that broadcasting adds by itself. "
    "Which shape does the task ask for?",
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
    why="Your triangle is right, but the shape is (1, 1, T, T), which does not fit scores without a head axis. You "
    "added axes that broadcasting adds by itself. Which shape does the task ask for?",
    hint="Your triangle is right, but the shape is (1, 1, T, T). Broadcasting adds leading axes by itself: return (T, "
    "T).",
)

mistake(
    "masks.causal_mask",
    "integer-mask",
    edit("dtype=torch.bool", "dtype=torch.int64"),
    section="true-means-may-attend",
    why="Your triangle holds the integers 1 and 0, which do not behave like a mask: `~` turns 1 into -2. You chose "
    "an integer type. Which type do masks have here?",
    hint="Your triangle is right, but it holds integers 1 and 0. Masks here are boolean: choose the dtype when you "
    "create the tensor, or compare.",
)

mistake(
    "masks.causal_mask",
    "float-mask",
    edit("torch.ones(size, size, dtype=torch.bool, device=device)", "torch.ones(size, size, device=device)"),
    section="true-means-may-attend",
    why="Your triangle holds the floats 1.0 and 0.0, which cannot be combined with `&` or inverted with `~`. Float "
    "is the default type of a new tensor. Which type do masks have here?",
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
    why="Your mask holds 0 for the past and -inf for the future. Minus infinity comes later, in `apply_mask`, and "
    "masks of this course are boolean. Which question should your mask answer for each key?",
    hint="Your mask holds 0 for the past and -inf for the future. That is what masking does to scores, one step later; "
    "here only say, with True or False, which keys may be attended to.",
)

mistake(
    "masks.causal_mask",
    "device-ignored",
    edit("torch.ones(size, size, dtype=torch.bool, device=device)", "torch.ones(size, size, dtype=torch.bool)"),
    section="causal-masks",
    why="On a GPU your mask meets scores on another device, and PyTorch refuses to combine them. You made it on the "
    "default device. Where should the argument `device` go?",
    hint="Your mask is right, but it stays on the default device when the call names another. Pass the argument device "
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
    why="Your mask is too small for long sequences, and slicing does not complain. You cut it out of a table of "
    "fixed size. From which number can you build it instead?",
    hint="Your mask is right for short sequences and too small for long ones, because it is cut out of a table of "
    "fixed size. Build it from `size`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# decoder_mask


@mistake(
    "masks.decoder_mask",
    "or-for-and",
    section="combined-masks",
    why="Real tokens of the future and padding of the past are visible: [[5, 6, 0]] gives a first row 1 1 0. You "
    "combined the masks so that one permission is enough. How many permissions does a key need?",
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
    section="combined-masks",
    why="The rows of padded queries are empty, and real queries still see padded keys before them. You put the padding "
    "mask on the axis of the queries. Along which axis should padding be hidden?",
    hint="The rows of padded queries are all False in your mask, such as the last row for [[5, 6, 0]]. Real queries "
    "still see padded keys before them. Padding is hidden as a key, along the last axis.",
)

mistake(
    "masks.decoder_mask",
    "padding-on-both-axes",
    edit("def decoder_mask(ids, pad_id=PAD):", "def decoder_mask(ids, pad_id=0):"),
    edit("return padding_mask(ids, pad_id)", "keys = padding_mask(ids, pad_id)\nreturn keys & keys.transpose(-1, -2)"),
    section="padded-queries",
    why="The rows of padded queries are empty: for [[5, 6, 0]] the last row is 0 0 0 instead of 1 1 0. You hid "
    "padding both as key and as query. What happens later to the output of a padded query?",
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
    why="Padding is visible to itself on the diagonal. You let every position attend to itself so that no row is "
    "empty. Which function of this unit handles empty rows?",
    hint="Your mask is True on the whole diagonal, also where the key is padding. The diagonal is no exception: a row "
    "that ends up empty is handled later, by masked_softmax.",
)

mistake(
    "masks.decoder_mask",
    "padding-forgotten",
    edit("keys = (ids != pad_id).view(batch, 1, 1, length).expand(batch, 1, length, length)", ""),
    edit("torch.tril(keys)", "causal_mask(length, device=ids.device).expand(batch, 1, length, length)"),
    base="from-scratch",
    section="combined-masks",
    why="Queries after a padded position attend to the padding. You returned the causal triangle for every sequence. "
    "Which second mask does each sequence need?",
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
    why="The decoder sees the tokens that it has to predict: all rows of a sequence are equal. You masked only the "
    "padding. Which second mask does a decoder need?",
    hint="All rows of a sequence are equal in your mask: the first query sees every later token. Combine the padding "
    "mask with the causal triangle.",
)

mistake(
    "masks.decoder_mask",
    "padding-mask-returned",
    edit("padding_mask(ids, pad_id=pad_id) * causal_mask(ids.shape[1], ids.device)", "padding_mask(ids, pad_id)"),
    base="product-of-masks",
    section="combined-masks",
    why="Your mask has the shape (B, 1, 1, T), one row for all queries. You returned the padding mask, which is "
    "enough only in an encoder. What distinguishes the queries of a decoder?",
    hint="Your mask has shape (B, 1, 1, T), one row for all queries: it is the padding mask alone. A decoder's queries "
    "differ in what they may see: combine the padding mask with the causal triangle.",
)

mistake(
    "masks.decoder_mask",
    "padding-only-at-the-end",
    edit("ids != pad_id)", "torch.arange(length, device=ids.device) < (ids != pad_id).sum(1, keepdim=True))"),
    base="from-scratch",
    section="combined-masks",
    why="With padding in front or in the middle, padding is visible and real tokens are hidden. You reduced each "
    "sentence to its number of real tokens, which is enough only while all padding is at the end. What decides whether "
    "a single position is padding?",
    hint="With padding in front or in the middle, your mask shows padding and hides real tokens. Decide for each "
    "position from its own id, not from the number of real tokens.",
)


@mistake(
    "masks.decoder_mask",
    "all-inverted",
    section="true-means-may-attend",
    why="Queries see only padding and the future. Your combination is right but inverted. What does True mean in "
    "this course's masks?",
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
    why="Your triangle is right, but inside it your mask shows padding and hides the real tokens. One of its two parts "
    "is True at padding. What must True mean in both parts before you combine them?",
    hint="Your triangle is right, but inside it your mask shows padding and hides the real tokens. The padding half is "
    "inverted: both halves must be True for 'may attend'.",
)

mistake(
    "masks.decoder_mask",
    "causal-inverted",
    edit("def decoder_mask(ids, pad_id=PAD):", "def decoder_mask(ids, pad_id=0):"),
    edit("causal_mask(ids.shape[-1], device=ids.device)", "~causal_mask(ids.shape[-1], device=ids.device)"),
    section="true-means-may-attend",
    why="Queries see later tokens and nothing of the past. The causal part of your mask is True for the future. What "
    "must True mean in both parts before you combine them?",
    hint="Your mask is True above the diagonal: queries see later tokens and not the past. The causal half is "
    "inverted: both halves must be True for 'may attend'.",
)


@mistake(
    "masks.decoder_mask",
    "own-position-hidden",
    section="teacher-forcing",
    why="The first row of each sequence is empty, and no query sees its own token. Your triangle leaves out the "
    "diagonal, although the decoder's input is already shifted by one. What is the last key that query i may see?",
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
    why="With another padding id, padding stays visible and the real token 0 is hidden. Your call of `padding_mask` "
    "uses its default. Where should the argument `pad_id` go?",
    hint="With a pad_id other than 0 your mask still hides the positions whose id is 0. Your function takes pad_id; it "
    "must reach the comparison.",
)


@mistake(
    "masks.decoder_mask",
    "batch-lined-up-with-queries",
    section="mask-broadcasting",
    why="For most shapes you get an error, and for B = T a wrong mask without one. You combined (B, T) with (T, T), "
    "and broadcasting aligns sequence b with query b. Which axes does the padding mask need first?",
    hint="You combine (B, T) with (T, T): aligned from the right, sequence b meets query b. That is an error for most "
    "shapes, and silently wrong for B = T. Give the padding mask its axes of length 1 first.",
)
def decoder_mask(ids, pad_id=0):
    return ((ids != pad_id) & causal_mask(ids.shape[-1], device=ids.device))[:, None]


mistake(
    "masks.decoder_mask",
    "head-axis-missing",
    edit("def decoder_mask(ids, pad_id=PAD):", "def decoder_mask(ids, pad_id=0):"),
    edit("padding_mask(ids, pad_id)", "(ids != pad_id)[:, None, :]"),
    section="mask-broadcasting",
    why="Your values are right, but the shape is (B, T, T). Broadcasting aligns the batch with the heads of the "
    "scores, which fails, or is silently wrong when B = H. Which axis is missing?",
    hint="Your values are right, but the shape is (B, T, T). Aligned from the right, the batch would meet the heads, "
    "without an error when B = H: keep an axis of length 1 for the heads.",
)


@mistake(
    "masks.decoder_mask",
    "integer-mask",
    section="combined-masks",
    why="Your positions are right, but they hold the integers 1 and 0, and `~` turns 1 into -2. You multiplied "
    "integers. Which operator combines two boolean masks?",
    hint="Your positions are right, but they hold the integers 1 and 0. Combine the boolean masks with '&' and keep "
    "them boolean.",
)
def decoder_mask(ids, pad_id=0):
    return padding_mask(ids, pad_id).int() * causal_mask(ids.shape[-1], device=ids.device).int()


@mistake(
    "masks.decoder_mask",
    "additive-mask",
    section="minus-infinity",
    why="Your mask holds 0 where a query may look and -inf elsewhere. Minus infinity comes later, in `apply_mask`. "
    "Which type do the two masks that you combine have?",
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
    why="Every sequence shows the padding of the first one. You used a single sequence's ids for the whole batch, "
    "but lengths differ. From whose ids should each mask come?",
    hint="Every sequence of your mask shows the padding of the first one. Lengths differ within a batch, so the mask "
    "of each sequence has to come from its own ids.",
)


@mistake(
    "masks.decoder_mask",
    "empty-rows-opened",
    section="rows-with-nothing",
    why="With padding in front, the first rows allow keys that must stay hidden. You opened rows in which nothing is "
    "allowed. Which function of this unit handles empty rows?",
    hint="With padding in front, the first rows of your mask allow keys that are padding. Such rows stay empty: the "
    "mask is padding *and* causal without exceptions.",
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
    why="If the first token is padding, every query attends to it. You always allowed the first key so that no row "
    "is empty. Which function of this unit handles empty rows?",
    hint="Your mask always allows the first key, also where it is padding. No row needs an exception: the mask is "
    "padding *and* causal, and the softmax deals with empty rows.",
)


@mistake(
    "masks.decoder_mask",
    "numpy-array",
    section="combined-masks",
    why="PyTorch's functions refuse your mask. You combined the masks in NumPy and returned an array, which is not a "
    "tensor. Which operator works on the tensors themselves?",
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
    why="The allowed scores are -inf, and the forbidden ones are kept. `masked_fill` fills where its argument is "
    "True, and in this course True means 'may attend'. Which entries should be filled?",
    hint="Your result is -inf at the allowed positions and keeps the forbidden ones. masked_fill fills where its mask "
    "is True, and in this course True means 'may attend'.",
)

mistake(
    "masks.apply_mask",
    "mask-inverted-and-finite",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores.masked_fill(mask, -1e9)"),
    section="true-means-may-attend",
    why="The allowed scores are -1e9, and the forbidden ones are kept. Two things went wrong: you filled where the "
    "mask is True, and the fill is a finite number. Which entries should be filled, and which value is below every "
    "score? See also {section}`masks#minus-infinity`.",
    hint="Your allowed positions hold -1e9 and the forbidden ones their scores. Two things went wrong: you filled "
    "where the mask is True, and the fill is not minus infinity. See also {section}`masks#minus-infinity`.",
)

mistake(
    "masks.apply_mask",
    "minus-one-billion",
    edit('float("-inf")', "-1e9"),
    section="minus-infinity",
    why="A row that is masked everywhere gives uniform weights over padding, and in float16 your fill is out of "
    "range. You filled with -1e9. Which value is below every score in every float type?",
    hint="Your masked positions hold -1e9. That number is out of range in float16, and a row full of it silently "
    "becomes uniform weights. The fill that is exact in every float type is minus infinity.",
)

mistake(
    "masks.apply_mask",
    "minus-ten-thousand",
    edit('float("-inf")', "-1e4"),
    section="minus-infinity",
    why="Masked positions win the softmax when real scores are very low. You filled with -10000, which a real score "
    "can fall below. Which value is below every score?",
    hint="Your masked positions hold -10000, a number that real scores can fall below. Only minus infinity is below "
    "every score.",
)

mistake(
    "masks.apply_mask",
    "smallest-number-of-the-type",
    edit('float("-inf")', "torch.finfo(scores.dtype).min"),
    section="minus-infinity",
    why="A row that is masked everywhere gives uniform weights over padding. You filled with the lowest finite "
    "number of the type, which is still a number. Which value does the task ask for?",
    hint="Your masked positions hold the lowest finite number of the type. A row full of it gives uniform weights over "
    "padding; the task needs minus infinity itself, which exists in every float type.",
)

mistake(
    "masks.apply_mask",
    "plus-infinity",
    edit('"-inf"', '"inf"'),
    section="minus-infinity",
    why="Softmax gives NaN, because the largest scores are at the masked positions. You filled with plus infinity. "
    "Which sign does a score need to get no weight?",
    hint="Your masked positions hold +inf. Softmax gives weight to large scores. A position that must get no weight "
    "needs the opposite: minus infinity.",
)

mistake(
    "masks.apply_mask",
    "masked-scores-are-zero",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores * mask"),
    section="minus-infinity",
    why="Masked positions get weight, often more than the allowed ones. You gave them a score of 0 or nearly 0, and "
    "exp(0) is 1. Which score has the exponential 0?",
    hint="Your masked positions hold 0, or something as small as 1e-9. Before softmax that is an ordinary score, and "
    "its exponential is exp(0) = 1. A position gets no weight only when its score is minus infinity.",
)

mistake(
    "masks.apply_mask",
    "mask-added-as-number",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores + mask"),
    section="minus-infinity",
    why="The allowed scores are larger by exactly 1, and nothing is hidden. You added the mask as 1 and 0. Which "
    "value does a masked score need?",
    hint="Your allowed scores are larger by exactly 1 and the masked ones are unchanged: the mask was added as a "
    "number. A masked position needs minus infinity.",
)

mistake(
    "masks.apply_mask",
    "zero-times-infinity",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores + (1.0 - mask.to(scores.dtype)) * float("-inf")'),
    section="minus-infinity",
    why="The masked positions are right, but the allowed ones are NaN. You multiplied by minus infinity, and 0 times "
    "infinity is NaN. Which operation chooses a value without multiplying?",
    hint="Your masked positions are right, but the allowed ones are NaN: 0 times -inf is not 0. Choose the value by "
    "the mask instead of multiplying with it.",
)

mistake(
    "masks.apply_mask",
    "softmax-included",
    edit('scores.masked_fill(~mask, float("-inf"))', 'scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)'),
    section="minus-infinity",
    why="Your values lie between 0 and 1. You already applied softmax, and the next step would apply it a second "
    "time. What should this function return?",
    hint="Your values lie between 0 and 1: you return attention weights. This function stops one step earlier, at the "
    "scores with minus infinity in them.",
)

mistake(
    "masks.apply_mask",
    "masked-scores-dropped",
    edit('scores.masked_fill(~mask, float("-inf"))', "scores[mask.expand_as(scores)]"),
    section="minus-infinity",
    why="Your result is one long list, and nobody can tell which score belongs to which query and key. You indexed "
    "with the mask, which drops positions. Which operation keeps the shape?",
    hint="Your result is one long list of the allowed scores. Indexing with a mask drops positions. Masking keeps the "
    "shape and writes minus infinity at the forbidden ones.",
)

mistake(
    "masks.apply_mask",
    "scores-changed",
    edit("scores.masked_fill", "scores.masked_fill_"),
    section="masks-pitfalls",
    why="After the call, the caller's scores hold -inf, and autograd refuses the change for a leaf tensor. You "
    "filled in place. Which form returns a new tensor?",
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
    why="Your values are right, but no gradient reaches the scores, so queries and keys never learn. You detached "
    "the scores before filling them. Which way of filling stays in the graph?",
    hint="Your values are right, but no gradient reaches the scores: detach (or .data) takes the result out of the "
    "graph. Fill without detaching; that makes a new tensor too.",
)

mistake(
    "masks.apply_mask",
    "dtype-lost",
    edit("scores.masked_fill", "scores.float().masked_fill"),
    section="minus-infinity",
    why="Your result is float32 even for scores in float64 or bfloat16. You converted the scores, which loses digits "
    "or mixes types at the next product. Which float types have minus infinity?",
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
    why="A visible score of exactly 0 comes out as -inf. You multiplied by the mask and then replaced every 0, but "
    "scores may be 0 by themselves. Which tensor says where to put -inf?",
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
    why="With as many queries as keys, the wrong pairs are hidden. You exchanged the two axes of a square mask. What do "
    "the rows of a mask stand for?",
    hint="With as many queries as keys, you use the mask transposed. Its rows are queries already, like those of the "
    "scores: use it as it is.",
)


# ---------------------------------------------------------------------------------------------------------------------
# masked_softmax


mistake(
    "masks.masked_softmax",
    "mask-inverted",
    edit("mask.broadcast_to(scores.shape)", "~mask.broadcast_to(scores.shape)"),
    section="true-means-may-attend",
    why="Your weights are 0 where the mask is True and positive where it is False. You used the mask inverted. What "
    "does True mean in this course's masks?",
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
    why="A single row with nothing to attend to still comes out as NaN. You guarded only against a mask that is "
    "False everywhere. Should the check look at the whole mask or at each row?",
    hint="You guard against a mask that is False everywhere, but a single row with nothing to attend to still comes "
    "out as NaN. Each row has to be looked at by itself, along dim.",
)

mistake(
    "masks.masked_softmax",
    "nan-rows",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "apply_mask(scores, mask).softmax(dim)"),
    base="nan-to-num-at-the-end",
    section="rows-with-nothing",
    why="Rows with nothing to attend to are NaN. All their scores are -inf, so their exponentials sum to 0, and 0/0 "
    "is NaN. What should the weights of such a row be?",
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
    why="In rows with nothing to attend to, your weights are equal and sum to 1: they average the padding. You "
    "filled with a finite number, so all scores of such a row are equal. What should the weights of such a row be?",
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
    why="Rows with nothing to attend to see all the forbidden positions. You opened their mask so that softmax has "
    "something to normalise. Which step is missing after the softmax?",
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
    why="Your weights are right, but the gradients of rows with nothing to attend to are NaN. You replaced NaN after "
    "the softmax, and the backward pass still goes through 0/0. What could such a row contain before the softmax?",
    hint="Your weights are right, but the gradients in rows with nothing to attend to are NaN: replacing NaN after "
    "softmax comes too late for the backward pass. Make the row harmless before softmax.",
)

mistake(
    "masks.masked_softmax",
    "masked-after-softmax",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "scores.softmax(dim) * mask"),
    base="nan-to-num-at-the-end",
    section="minus-infinity",
    why="The masked weights are 0, but the others sum to less than 1. You set weights to zero after the softmax, "
    "when the forbidden positions had already taken their share. Where should the mask be applied?",
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
    why="With a large score at a masked position, the allowed weights shrink to almost nothing. You masked after the "
    "softmax and divided by the remaining sum plus an epsilon, which then dominates. Where should the mask be "
    "applied?",
    hint="Your weights are right for small scores. With a large score at a masked position, the allowed weights shrink "
    "to almost nothing. Mask before softmax, then nothing needs dividing.",
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
    why="Rows in which a masked score is by far the largest come out as zeros, although something is allowed. You "
    "subtracted the maximum of all positions, so every allowed exponential underflows. Over which positions should the "
    "maximum run?",
    hint="Rows in which a masked score is by far the largest come out as zeros: the allowed exponentials underflow. "
    "The maximum that you subtract must be that of the allowed positions.",
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
    why="For scores in the hundreds, your weights are NaN or 0. You took the exponential of the scores as they are, "
    "and in float32 exp overflows above 88.7. Which shift leaves the softmax unchanged?",
    hint="For scores in the hundreds your weights are NaN or 0: exp of such a number overflows (or underflows). "
    "Subtract the largest allowed score first, or use a softmax that does.",
)

mistake(
    "masks.masked_softmax",
    "dim-ignored",
    edit("mask.any(dim, keepdim=True)", "mask.any(-1, keepdim=True)"),
    edit("scores.softmax(dim)", "scores.softmax(-1)"),
    section="rows-with-nothing",
    why="For another `dim`, the weights sum to 1 along the wrong axis. Your softmax always runs over the last axis. "
    "Which of your steps work along an axis?",
    hint="For dim=-2 or dim=1 your weights still sum to 1 along the last axis. Pass dim on to everything that works "
    "along an axis: the softmax and the search for empty rows.",
)

mistake(
    "masks.masked_softmax",
    "empty-rows-sought-on-last-axis",
    edit("mask.any(dim, keepdim=True)", "mask.any(-1, keepdim=True)"),
    section="rows-with-nothing",
    why="For `dim=-2` or `dim=1` your result contains NaN. The softmax uses `dim`, but you searched for empty rows "
    "along the last axis. Along which axis must both work?",
    hint="With dim=-2 or dim=1 your result has NaN: softmax uses dim, but empty rows are looked for along the last "
    "axis. Both must work along the same axis.",
)

mistake(
    "masks.masked_softmax",
    "mask-axes-counted-before-broadcasting",
    edit("mask = mask.broadcast_to(scores.shape)", ""),
    section="mask-broadcasting",
    why="With `dim=1` and a mask of fewer axes than the scores, empty rows are not found. You used `dim` on the mask "
    "as it came, and there `dim` means another axis or none. Which shape should the mask have first?",
    hint="With a mask of shape (T_q, T_k) and dim=1 you look for empty rows along the mask's axis 1, which is not axis "
    "1 of the scores. Bring the mask to the shape of the scores first.",
)

mistake(
    "masks.masked_softmax",
    "masked-scores-are-zero",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "(scores * mask).softmax(dim)"),
    base="nan-to-num-at-the-end",
    section="minus-infinity",
    why="Masked positions get positive weights. You gave them a score of 0 before the softmax, and exp(0) is 1. "
    "Which score has the exponential 0?",
    hint="Your masked positions have positive weights: the exponential of a score of 0 is exp(0) = 1. Only a score of "
    "minus infinity gets no weight.",
)

mistake(
    "masks.masked_softmax",
    "mask-added-as-number",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "(scores + mask).softmax(dim)"),
    base="nan-to-num-at-the-end",
    section="minus-infinity",
    why="Masked positions get positive weights. You added the mask as 1 and 0, which makes allowed positions a "
    "little likelier and hides nothing. Which score has the exponential 0?",
    hint="Your masked positions have positive weights: adding True adds 1 to the allowed scores and hides nothing. A "
    "masked position needs a score of minus infinity.",
)

mistake(
    "masks.masked_softmax",
    "mask-ignored",
    edit("apply_mask(scores, mask).softmax(dim).nan_to_num(0.0)", "scores.softmax(dim)"),
    base="nan-to-num-at-the-end",
    section="minus-infinity",
    why="Masked positions get weight: your result is the plain softmax of all scores. You did not use the mask. "
    "Before which step must it act?",
    hint="Your weights are the plain softmax of the scores, masked positions included. The mask has to take those "
    "positions out before the shares are computed.",
)


@mistake(
    "masks.masked_softmax",
    "scores-not-used",
    section="minus-infinity",
    why="All allowed positions have the same weight. You normalised the mask and left out the scores. What decides "
    "the shares among the allowed positions?",
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
    why="After the call, the caller's scores hold -inf, and autograd refuses the change for a leaf tensor. You "
    "filled in place. Which form returns a new tensor?",
    hint="Your weights are right, but the scores that were passed in have changed. A function here never changes its "
    "arguments: use the forms without the underscore.",
)

mistake(
    "masks.masked_softmax",
    "dtype-lost",
    edit("scores.softmax(dim)", "torch.softmax(scores, dim, dtype=torch.float32)"),
    section="minus-infinity",
    why="Your weights are float32 even for scores in float64 or bfloat16, which mixes types at the next product. You "
    "hard-coded the type of the softmax. Which type should the result have?",
    hint="Your weights are float32 also for scores in float64 or bfloat16. Compute in any precision, but return the "
    "dtype of the scores.",
)


@mistake(
    "masks.masked_softmax",
    "mask-transposed",
    section="mask-broadcasting",
    why="With as many queries as keys, the wrong pairs are hidden. You exchanged the two axes of a square mask. What do "
    "the rows of a mask stand for?",
    hint="With as many queries as keys, you use the mask transposed. Its rows are queries already, like those of the "
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
    why="PyTorch would hide the real tokens and attend to the padding. You removed the axes but kept the meaning of "
    "the mask. What does True mean in a `key_padding_mask`?",
    hint="Your shape is right, but True still marks the real tokens. In key_padding_mask True means 'ignore this key'.",
)

mistake(
    "masks.to_key_padding_mask",
    "tilde-on-integers",
    edit("~mask[:, 0, 0, :]", "(~mask[:, 0, 0, :].int()).bool()"),
    section="pytorch-convention",
    why="Your result is True everywhere, so every key is ignored. On integers, `~` flips bits: ~1 is -2 and ~0 is "
    "-1, and both count as true. On which type does `~` mean 'not'?",
    hint="Your result is True everywhere. On integers '~' flips bits, ~1 is -2 and ~0 is -1, and both are true; on a "
    "boolean tensor it means 'not'.",
)

mistake(
    "masks.to_key_padding_mask",
    "all-axes-kept",
    edit("mask[:, 0, 0, :]", "mask"),
    section="pytorch-convention",
    why="Your values are right, but the shape is (B, 1, 1, T). `nn.MultiheadAttention` expects one row per sequence. "
    "Which axes have to go?",
    hint="Your values are right, but the shape is (B, 1, 1, T). key_padding_mask has shape (B, T): remove the two axes "
    "of length 1.",
)

mistake(
    "masks.to_key_padding_mask",
    "one-axis-kept",
    edit("mask[:, 0, 0, :]", "mask.squeeze(1)"),
    section="pytorch-convention",
    why="Your values are right, but the shape is (B, 1, T). You removed one axis of length 1, and there are two. "
    "Which axis is left over?",
    hint="Your values are right, but the shape is (B, 1, T). There are two axes of length 1 to remove: that of the "
    "heads and that of the queries.",
)

mistake(
    "masks.to_key_padding_mask",
    "every-axis-squeezed",
    edit("mask[:, 0, 0, :]", "mask.squeeze()"),
    section="pytorch-convention",
    why="With a batch of one, or with one position, your result lacks an axis. You called `squeeze()` without an "
    "argument, which removes every axis of length 1. Which axes do you want to remove?",
    hint="Your result is right in general, but for B = 1 or T = 1 an axis is missing. squeeze() without arguments "
    "removes every axis of length 1. Name the axes to remove.",
)

mistake(
    "masks.to_key_padding_mask",
    "first-sequence-only",
    edit(":, 0, 0, :", "0, 0"),
    section="pytorch-convention",
    why="Your result has a single row, that of the first sequence. You also indexed the axis of the batch. Which "
    "axes have length 1 by design?",
    hint="Your result has one row, that of the first sequence. Take index 0 on the axes of heads and queries, and keep "
    "the batch axis.",
)

mistake(
    "masks.to_key_padding_mask",
    "flattened",
    edit("mask[:, 0, 0, :]", "mask.flatten()"),
    section="pytorch-convention",
    why="Your result has a single axis of length B*T, and nobody can tell which position belongs to which sequence. "
    "You flattened all axes. Which two axes should remain?",
    hint="Your result has a single axis of length B*T. Keep the batch axis: the result is (B, T), one row per "
    "sequence.",
)

mistake(
    "masks.to_key_padding_mask",
    "time-first",
    edit("mask[:, 0, 0, :]", "mask[:, 0, 0, :].transpose(0, 1)"),
    section="pytorch-convention",
    why="Your result has the shape (T, B). `key_padding_mask` has the batch first, whatever `batch_first` says about "
    "the inputs. Which operation put the positions in front?",
    hint="Your result has shape (T, B). The batch comes first in key_padding_mask, (B, T), whatever the order of the "
    "inputs.",
)

mistake(
    "masks.to_key_padding_mask",
    "attention-mask-shape",
    edit("mask[:, 0, 0, :]", "mask[:, 0].expand(-1, mask.shape[-1], -1)"),
    section="pytorch-convention",
    why="Your result has the shape (B, T, T), one row per query. This is the form of `attn_mask`, while "
    "`key_padding_mask` speaks only of keys. How many rows does each sequence need?",
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
    why="Your result holds 0 and -inf. PyTorch would add it to the scores, but the task asks for the boolean form. "
    "What does True mean in a `key_padding_mask`?",
    hint="Your result holds 0 and -inf, a mask to be added to scores. The task needs the boolean form, True where a "
    "key is to be ignored.",
)

mistake(
    "masks.to_key_padding_mask",
    "float-mask",
    edit("~mask[:, 0, 0, :]", "1.0 - mask[:, 0, 0, :].float()"),
    section="pytorch-convention",
    why="Padding stays visible and even gains weight, without an error. PyTorch adds a float `key_padding_mask` to "
    "the scores, and yours holds 1.0 and 0.0. Which type is read as a mask?",
    hint="Your result holds floats 1.0 and 0.0. PyTorch would add them to the scores, and padding would gain weight "
    "instead of losing it: return a boolean tensor.",
)

mistake(
    "masks.to_key_padding_mask",
    "integer-mask",
    edit("~mask[:, 0, 0, :]", "1 - mask[:, 0, 0, :].int()"),
    section="pytorch-convention",
    why="`nn.MultiheadAttention` refuses your integers. You inverted the mask by arithmetic, which turns booleans "
    "into integers. Which operator inverts a boolean tensor?",
    hint="Your result holds integers 1 and 0, which nn.MultiheadAttention does not take. '1 - mask' is arithmetic; "
    "'not' of a boolean tensor stays boolean.",
)

mistake(
    "masks.to_key_padding_mask",
    "mask-changed",
    edit("~mask[:, 0, 0, :]", "mask.logical_not_()[:, 0, 0, :]"),
    section="masks-pitfalls",
    why="After the call, the model's own mask means the opposite. You inverted it in place. Which form returns a new "
    "tensor?",
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
    why="The allowed weights sum to less than 1. Masked scores of 0 take their share in the softmax before you erase "
    "it. Which score has the exponential 0?",
    hint="Your allowed weights do not sum to 1: masked scores of 0 still take their share. Fill them with -inf.",
)
