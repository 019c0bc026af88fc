"""Questions by hand of unit `masks`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "masks.real-keys": Question(
        ask="A batch has two sentences with the ids $(5, 6, 0)$ and $(7, 0, 0)$, and 0 is padding. Write 1 for a key "
        "that may be attended to and 0 for one that may not: six numbers, one sentence after the other.",
        answer="1, 1, 0, 1, 0, 0",
        hint="In this course a mask says what is allowed. Real tokens are allowed, padding is not.",
        because="The tokens 5, 6 and 7 are real, so their entries are 1. The three padding tokens get 0.",
        computed="padding_mask(torch.tensor([[5, 6, 0], [7, 0, 0]]), 0)",
    ),
    "masks.keys-of-each-row": Question(
        ask="Draw the causal mask for four tokens. How many keys may each of the queries 0 to 3 attend to? And how "
        "many entries of a causal mask for ten tokens are `True`? Type five numbers.",
        answer="1, 2, 3, 4, 55",
        hint="Query 0 may attend to itself. Each later query may attend to one more key.",
        because="Query i may attend to the keys 0 to i, which are i + 1 keys. For ten tokens, 1 + 2 + ... + 10 = 55.",
        computed="[*causal_mask(4).sum(-1).tolist(), causal_mask(10).sum().item()]",
    ),
    "masks.short-sentence": Question(
        ask="A decoder reads the ids $(5, 6, 0)$, in which 0 is padding. Write down its mask with 1 for `True`: nine "
        "numbers, row after row.",
        answer="1, 0, 0, 1, 1, 0, 1, 1, 0",
        hint="An entry is true under two conditions: the key is not padding, and it is not in the future of the "
        "query. The query itself may be padding.",
        because="Key 2 is padding, so the last column is 0 throughout. The rest is the lower triangle. The last row "
        "belongs to a padded query, which may still attend to both real tokens.",
        computed="decoder_mask(torch.tensor([[5, 6, 0]]), 0)",
    ),
    "masks.masked-scores": Question(
        ask="A query has the scores 2, 1 and 3, and its third key is hidden. Which three scores must the softmax get? "
        "Type `inf` for infinity, with a sign where it needs one.",
        answer="2, 1, -inf",
        hint="The exponential of the third score must be exactly 0. The other two scores stay as they are.",
        because="Only the exponential of minus infinity is exactly 0. A score of 0 would have the exponential 1.",
        computed="apply_mask(torch.tensor([2.0, 1.0, 3.0]), torch.tensor([True, True, False]))",
    ),
    "masks.all-hidden": Question(
        ask="A program hides keys with the score $-10^9$. In one row all three keys are hidden. Which three weights "
        "does the softmax give?",
        answer="1/3, 1/3, 1/3",
        hint="The three scores are equal. Does the softmax depend on how large they are?",
        because="A softmax does not change when all scores of a row are shifted, so three equal scores give three equal "
        "weights. The query averages over keys that are all forbidden.",
        computed="torch.full((3,), -1e9).softmax(-1)",
    ),
    "masks.two-of-three": Question(
        ask="Three scores have the exponentials 1, 3 and 5, and the third key is hidden. What are the three weights?",
        answer="1/4, 3/4, 0",
        hint="The hidden key takes no part in the sum.",
        because="The exponentials of the allowed keys sum to 4. The hidden key gets 0.",
        computed="masked_softmax(torch.tensor([1.0, 3.0, 5.0]).log(), torch.tensor([True, True, False]))",
    ),
    "masks.keys-to-ignore": Question(
        ask="Take the two sentences $(5, 6, 0)$ and $(7, 0, 0)$ again, in which 0 is padding. What is their "
        "`key_padding_mask` in PyTorch's convention? Type six numbers, 1 for `True`.",
        answer="0, 0, 1, 0, 1, 1",
        hint="In this argument of PyTorch, True means that a key is ignored.",
        because="The padding tokens are to be ignored, so they get 1. It is the padding mask with both values swapped.",
        computed="to_key_padding_mask(padding_mask(torch.tensor([[5, 6, 0], [7, 0, 0]]), 0))",
    ),
    "masks.padding-first": Question(
        ask="Take the ids $(0, 5, 6)$, in which 0 is padding. Write down the three rows of the decoder's mask: nine "
        "numbers, 1 for `True`.",
        answer="0, 0, 0, 0, 1, 0, 0, 1, 1",
        hint="The first column is padding. Which keys does that leave to query 0?",
        because="Key 0 is padding, so the first column is 0. Query 0 has no other key that is not in its future: its "
        "row is empty, and no exception is made for it.",
        computed="decoder_mask(torch.tensor([[0, 5, 6]]), 0)",
    ),
}
