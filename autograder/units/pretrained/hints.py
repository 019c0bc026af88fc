"""Hints of pretrained: three per task, from a question about the idea to the skeleton of an answer."""

HINTS: dict[str, tuple[str, str, str]] = {
    "pretrained.GPT2": (
        "Which of your earlier parts does GPT-2 consist of, and in which order does a vector pass through them? With "
        "a cache, at which position does the first new token stand, and which of the cached positions may it see? "
        "({Section}`pretrained#gpt2-model`, {heading}`pretrained#positions-with-cache` and "
        "{heading}`pretrained#mask-with-cache`.)",
        "`start` is `cache.length`, or 0 without a cache, and `end` is `start + T`; compare `end` with `block_size` "
        "first. `causal_mask` has a row for each position up to `end`: keep the rows of the new ones. Your "
        "`MultiHeadAttention` projects and attends in one call, so with a cache call its parts: `w_q`, `w_k`, `w_v`, "
        "`split_heads`, then `cache.update`, `scaled_dot_product_attention`, `merge_heads`, `w_o`. Build "
        "`FeedForward` without dropout and with GELU.",
        "start, end = ...; ValueError if end is more than block_size\n"
        "x = token vectors + the position vectors of start to end\n"
        "for number, layer in enumerate(layers):\n"
        "    q, k, v = heads of the projections of norm_1(x)\n"
        "    if there is a cache: k, v = what the cache returns for this layer\n"
        "    x = x + w_o(merged heads of attention(q, k, v, the last rows of the mask))\n"
        "    x = x + feed_forward(norm_2(x))\n"
        "return last norm of x, times the transposed token table",
    ),
    "pretrained.gpt2_state": (
        "Print the names and shapes of your own model's `state_dict()` beside the published ones. Which pairs differ "
        "in the name only, which in the layout, and which one of theirs becomes three of yours? "
        "({Section}`pretrained#published-names`, {heading}`pretrained#conv1d-layout` and "
        "{heading}`pretrained#c-attn`.)",
        "Begin with a new dict, without the prefix. Take d from `wte.weight`, count the layers, and write down "
        "the shape that every name should have. Compare names and shapes before you change any layout. Three equal "
        "parts of `c_attn` belong to queries, keys and values: rows of the transposed matrix, and entries of the bias. "
        "The masks are exactly `h.{i}.attn.bias` and `h.{i}.attn.masked_bias`.",
        "given = names without the prefix\n"
        "drop the masks of each layer, and an lm_head.weight that equals wte.weight; ValueError if it differs\n"
        "shapes = {every name that should be there: its shape}\n"
        "for each name in shapes or in given: missing, extra or misshapen -> ValueError with the name\n"
        "ours = {our name: given[their name], transposed if it is the matrix of a linear layer}\n"
        "w_q, w_k, w_v = the three parts of c_attn, transposed",
    ),
    "pretrained.generate_text": (
        "The model reads the prompt once. What does it have to read at the next step, if the cache holds everything "
        "before? And how many tokens may follow a prompt before the block is full? "
        "({Section}`pretrained#text-with-the-cache` and {heading}`pretrained#end-of-the-block`.)",
        "Keep two lists: all ids, and the ids that the model has not read, at first the whole prompt. The model needs "
        "`(1, T)`. Pass the last position of its logits to your `sample_next`, with temperature, `top_k` and generator "
        "(check the order of its arguments). The new tokens have the room that the prompt leaves in the block. If that "
        "room is negative, raise ValueError.",
        "ids = list of encode(prompt); room = block_size minus their number\n"
        "ValueError if room is negative\n"
        "cache = a new one; unread = ids\n"
        "repeat min(max_new_tokens, room) times:\n"
        "    logits = model(unread as (1, T), cache)\n"
        "    new = sample_next(logits of the last position, ...)\n"
        "    unread = [new]; ids = ids + unread\n"
        "return the text of ids",
    ),
}
