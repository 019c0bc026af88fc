"""Hints of unit `masks`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "masks.padding_mask": (
        "Padding fills short sequences and carries no meaning. Which question about one id tells whether a query may "
        "attend to it? Is the answer True or False for a real token?",
        "Scores have shape (B, H, T_q, T_k), and ids have shape (B, T). Your mask is about the keys, the last axis of "
        "the scores. Broadcasting aligns axes from the right. So B comes first, T comes last, and two axes of length "
        "1 stand between them: (B, 1, 1, T).",
        "keep = compare every id with pad_id (True where they differ)      # (B, T), boolean\n"
        "return keep with an axis for heads and an axis for queries added  # (B, 1, 1, T)",
    ),
    "masks.causal_mask": (
        "A decoder predicts each token from those before it. Which positions are known at position i? Is position i "
        "itself one of them?",
        "Draw the (T, T) table for T = 3, rows for queries and columns for keys. Row 0 has one True, row 1 two, row 2 "
        "three: which triangle is that, and does it contain the diagonal? The dtype is torch.bool. Pass device to the "
        "function that makes the tensor.",
        "table = all True, size x size, boolean, on device\n"
        "return its lower triangle, diagonal included\n"
        "# or: positions = 0 .. size-1;  return (key position <= query position) as a table",
    ),
    "masks.decoder_mask": (
        "In a decoder a key can be forbidden for two reasons: it is padding, or it lies in the future. If one of your "
        "two masks says no, what must the combination say?",
        "padding_mask gives (B, 1, 1, T), causal_mask gives (T, T). Combined element by element, they broadcast to (B, "
        "1, T, T). Work out [[5, 6, 0]] by hand: the rows are 1 0 0, 1 1 0 and 1 1 0. The last row belongs to a padded "
        "query and is no exception.",
        "keys = padding mask of ids, with this pad_id         # (B, 1, 1, T)\n"
        "past = causal mask for T positions, on ids' device   # (T, T)\n"
        "return keys and past, element by element             # (B, 1, T, T)",
    ),
    "masks.apply_mask": (
        "Softmax gives each key a share proportional to exp(score). For which score is that share exactly 0, in every "
        "float type?",
        "scores (..., T_q, T_k) keep their shape, dtype and values where the mask is True. The mask may have fewer "
        "axes or axes of length 1; masked_fill and torch.where both broadcast it. masked_fill fills where its mask is "
        "True: is that your mask? The scores that the caller passed must not change.",
        "forbidden = the opposite of mask\nreturn a new tensor: minus infinity where forbidden, scores elsewhere",
    ),
    "masks.masked_softmax": (
        "Take a row in which every score is minus infinity. What is the sum of its exponentials, and what does "
        "softmax then divide by? What should such a row give instead?",
        "A row has nothing to attend to if no entry along dim is allowed. Find such rows as a boolean tensor shaped "
        "like scores, but with length 1 along dim. Broadcast the mask to the shape of the scores first. If you "
        "replace NaN at the end, it can stay in the gradient. So give the softmax finite scores in those rows, and "
        "set their weights to 0 afterwards.",
        "mask = mask, broadcast to the shape of scores\n"
        "nothing = rows along dim without any True (keep the axis)\n"
        "scores = apply_mask(scores, mask), but 0 in the rows with nothing\n"
        "weights = softmax of scores along dim\n"
        "return weights, but 0 in the rows with nothing",
    ),
    "masks.to_key_padding_mask": (
        "In this course True means 'may attend'. What does True mean in the key_padding_mask of nn.MultiheadAttention?",
        "You get (B, 1, 1, T) and return (B, T): remove the axes of heads and queries. Which axes would a bare "
        "squeeze() remove from a batch of one sequence, or of one position?",
        "keep = mask without its axes 1 and 2  # (B, T)\nreturn the opposite of keep           # True means: ignore",
    ),
    "masks.test_decoder_mask": (
        "An entry of the mask answers one question: may this query see this key? The answer can be no for two "
        "reasons: the key is padding, or it comes after the query. For which positions and ids does only one of the "
        "two reasons hold? ({Section}`masks#combined-masks`.)",
        "Three sentences of four ids are enough, if one begins with padding, one ends with padding, and one is all "
        "padding. Check the shape and the type of the mask. Then go through all entries in loops: the key must not "
        "come after the query, and its id must not be the padding id. Do it all once more with another padding id.",
        "for two padding ids:\n"
        "    mask = the mask of your ids\n"
        "    assert its shape and its type\n"
        "    for every sentence, query and key:\n"
        "        assert that the entry is (key <= query and the id of the key is not the padding id)",
    ),
}
