"""Hints of unit `attention`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "attention.softmax": (
        "Softmax turns scores of any size and sign into weights: positive, and summing to 1 along one axis. What "
        "makes any number positive and keeps the order? And what happens to that function at 1000? Try adding 5 to "
        "all scores of a row by hand: how do the weights change? ({Section}`attention#stable-softmax`.)",
        "For `x` of shape (3, 4) and `dim=1` you need one maximum and one sum for each of the 3 rows. Reduce along "
        "`dim` and keep that axis (`keepdim=True`), so that the result has shape (3, 1) and broadcasts against the "
        "rows. `amax` and `sum` both take `dim` and `keepdim`.",
        "largest = the maximum of x along dim, axis kept\n"
        "e = exp(x - largest)            # the largest exponent in each row is now 0\n"
        "return e / (the sum of e along dim, axis kept)",
    ),
    "attention.attention_scores": (
        "One score says how well one query fits one key: their dot product. With T_q queries and T_k keys there are "
        "T_q x T_k of them. Which single operation computes all these dot products at once? And why would scores grow "
        "with the width if you did not divide them? ({Section}`attention#why-scale`.)",
        "`q` is (..., T_q, d_k) and `k` is (..., T_k, d_k); you want (..., T_q, T_k). A matrix product needs d_k on "
        "the inside: (T_q, d_k) @ (d_k, T_k). So exchange the two *last* axes of `k`, counted from the end because "
        "there may be any number of axes before them. The width is the size of the last axis of `q`.",
        "d_k = the size of q's last axis\nreturn q @ (k with its last two axes exchanged) / (the square root of d_k)",
    ),
    "attention.scaled_dot_product_attention": (
        "Each query gets a weighted average of the values; its weights are the softmax of its scores. A mask has to "
        "act before the softmax: which score has the exponential 0? Then think of a query that may attend to nothing. "
        "What is the softmax of a row in which every score is that number? ({Section}`attention#nothing-to-attend`.)",
        "Scores and weights are (..., T_q, T_k), `v` is (..., T_k, d_v), the output (..., T_q, d_v). The mask is True "
        "where attention is allowed, and broadcasts to the scores. Its `any` along the last axis is False for the rows "
        "that allow nothing. Give those rows a finite score before the softmax and the weight 0 after it. Dropout, if "
        "there is any, comes after the softmax. Return the weights that multiply `v`.",
        "scores = the scaled scores of q and k\n"
        "if there is a mask:\n"
        "    nothing = the rows in which the mask allows no key, last axis kept\n"
        "    scores = scores with -inf where not allowed, then 0 in the rows `nothing`\n"
        "weights = softmax of scores over the keys, with 0 in the rows `nothing`\n"
        "if there is a dropout: apply it to the weights\n"
        "return the weights times v, and the weights",
    ),
    "attention.SelfAttention": (
        "Queries, keys and values are three views of the same sequence, each made by a linear layer of its own. You "
        "have written the rest already. Which weights does the layer have to learn, then? "
        "({Section}`attention#queries-keys-values`.)",
        "In `__init__` create `self.w_q`, `self.w_k` and `self.w_v`, each an `nn.Linear` from d_model to d_model, "
        "bias included. In `forward`, `x` is (B, T, d_model), and so are its queries, keys and values; the weights "
        "are (B, T, T). Pass the mask on unchanged.",
        "in __init__:\n"
        "    w_q, w_k, w_v = three linear layers, d_model -> d_model\n"
        "in forward:\n"
        "    return scaled_dot_product_attention(queries of x, keys of x, values of x, mask)",
    ),
    "attention.CrossAttention": (
        "One sequence asks, the other one answers. Which of queries, keys and values belong to the one that asks, and "
        "which to the memory that is searched? How many rows does the output have, then? "
        "({Section}`attention#cross-attention`.)",
        "The layers are those of self-attention. `x` is (B, T_q, d_model), `memory` is (B, T_k, d_model); the output "
        "has one row for each position of `x`, (B, T_q, d_model), and the weights are (B, T_q, T_k). A key and its "
        "value describe the same token, so both come from the same sequence.",
        "in __init__:\n"
        "    w_q, w_k, w_v = three linear layers, d_model -> d_model\n"
        "in forward:\n"
        "    return scaled_dot_product_attention(queries of x, keys of memory, values of memory, mask)",
    ),
    "attention.test_attention": (
        "A test needs inputs, and an answer that you are sure of. For random `q`, `k` and `v` you can compute the "
        "right weights yourself, by the formula. Which sizes should differ, so that a mix-up of two axes shows? And "
        "which row of a mask is special? ({Section}`attention#nothing-to-attend`.)",
        "Take `q` (2, 3, 4), `k` (2, 5, 4) and `v` (2, 5, 6), and a random mask (2, 3, 5) in which one row is all "
        "False. Compute the expected weights without calling the implementation: scores, minus infinity where the "
        "mask is False, softmax, zeros in the row that is all False. Compare both results with "
        "`torch.testing.assert_close`, once with the mask and once without. Clone all four tensors first, and compare "
        "them with their clones at the end.",
        "make q, k, v and a mask with one row that is all False; clone them\n"
        "for the mask None, and then for your mask:\n"
        "    expected = the weights, by your own formula\n"
        "    output, weights = the implementation's results\n"
        "    assert that weights are close to expected, and output to expected @ v\n"
        "assert that q, k, v and the mask equal their clones",
    ),
}
