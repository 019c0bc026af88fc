"""Hints of unit `multihead`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "multihead.split_heads": (
        "Every head gets all positions, and its own d_head numbers of each. Take `torch.arange(8).view(1, 2, 4)` and "
        "two heads, and write down on paper what head 0 should hold. Which numbers lie next to each other in memory, "
        "and which do not? ({Section}`multihead#split-and-merge`.)",
        "Take two steps. From (B, T, d_model) to (B, T, H, d_head) you cut the last axis and move nothing. Then you "
        "exchange axes 1 and 2. A `view` to (B, H, T, d_head) in one step raises no error, but gives each head whole "
        "positions. d_head is d_model // num_heads, and the remainder has to be 0.",
        "b, t, d_model = the shape of x\n"
        "if d_model cannot be shared evenly: raise ValueError\n"
        "cut = x as (b, t, number of heads, width of a head)\n"
        "return cut with axes 1 and 2 exchanged",
    ),
    "multihead.merge_heads": (
        "Undo `split_heads`: which of its two steps do you undo first? And after that step, do the numbers of one "
        "position lie side by side in memory? ({Section}`multihead#views-and-strides`.)",
        "(B, H, T, d_head) becomes (B, T, H, d_head) by exchanging axes 1 and 2, and then (B, T, H * d_head). `view` "
        "cannot join two axes that do not lie side by side in memory; `reshape` and `flatten` copy if necessary. "
        "Without the exchange the shape is right and the numbers are wrong.",
        "exchanged = x with axes 1 and 2 exchanged        # (B, T, H, d_head)\n"
        "return exchanged with its last two axes made one   # copying if necessary",
    ),
    "multihead.MultiHeadAttention": (
        "Each head is the attention that you know, on its part of the projected width. Which four learned maps are "
        "there? Which of your functions brings queries, keys and values into the shape that "
        "`scaled_dot_product_attention` needs, and which one brings its result back? "
        "({Section}`multihead#one-large-product`.)",
        "Queries come from `query`, keys from `key`, values from `value`, each through its own nn.Linear(d_model, "
        "d_model); T_q and T_k may differ. After splitting they are (B, H, T, d_head). The weights are (B, H, T_q, "
        "T_k), and every mask of the course broadcasts to this shape. Keep the weights in `self.weights`, and apply "
        "dropout to them. You need no scale of your own: `scaled_dot_product_attention` uses the width of a head.",
        "in __init__:\n"
        "    if num_heads does not divide d_model: raise ValueError\n"
        "    w_q, w_k, w_v, w_o = four linear layers; remember num_heads; an nn.Dropout\n"
        "in forward:\n"
        "    q, k, v = each input, projected by its own layer, then split into heads\n"
        "    heads, self.weights = scaled_dot_product_attention(q, k, v, the mask, the dropout)\n"
        "    return w_o of the merged heads",
    ),
    "multihead.attention_parameters": (
        "Write down the shapes of one head's three projections, with their biases. How many heads are there? What "
        "happens to num_heads when you multiply? ({Section}`multihead#counting-heads`.)",
        "A head has three matrices of d_model x d_head and three biases of d_head; `w_o` is d_model x d_model with a "
        "bias of d_model. Biases count only if `bias` is true. The result is an int, and `/` gives a float.",
        "numbers of one linear layer d_model -> d_model = its matrix, and its bias if there is one\n"
        "return that, times the number of layers",
    ),
    "multihead.ablate_head": (
        "The output of the module is a sum over heads, plus one bias. Which numbers of `w_o` does head h meet, and "
        "only head h? ({Section}`multihead#output-projection`.)",
        "`w_o.weight` is stored as (out, in), so the head owns *columns*: h * d_head up to (h + 1) * d_head - 1. Work "
        "on a deep copy, inside torch.no_grad(). After a call with gradients, `module.weights` belongs to a graph, "
        "and PyTorch refuses to deep-copy such a tensor. Leave it out of the copy, but keep it in the original. A "
        "slice beyond the end is empty and raises no error, so check the number of the head yourself.",
        "if there is no such head: raise ValueError\n"
        "ablated = a deep copy of module, without the weights that it keeps\n"
        "with no gradients recorded:\n"
        "    the head's columns of ablated.w_o.weight = 0\n"
        "return ablated",
    ),
    "multihead.test_heads": (
        "Which entries of a position does head 1 get? Say it as a slice of `x`. And what must `merge_heads` return if "
        "you pass it the result of `split_heads`? ({Section}`multihead#split-and-merge`.)",
        "Take `x` of shape (2, 5, 12) and 3 heads, so that batch, heads, positions and head width all differ. Check "
        "the shape of the result, then compare each head with its slice of `x`. Merge the heads again, both as they "
        "are and as a contiguous copy. Finally pass a number of heads that does not divide 12: there must be an error.",
        "heads = x split into 3 heads\n"
        "assert the shape (2, 3, 5, 4), and that each head equals its four columns of x\n"
        "assert that merging gives x, for heads and for heads.contiguous()\n"
        "try to split into 5 heads: return if that raises\n"
        "raise an error of your own, since nothing was refused",
    ),
}
