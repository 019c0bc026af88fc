"""Hints of unit `transformer`: for each task a question about the idea, then shapes and the trap, then a skeleton."""

HINTS = {
    "transformer.EncoderLayer": (
        "A layer has two sublayers, and each is inside a residual connection. What does the connection of "
        "{unit}`blocks` already do, and what is left for you? ({Section}`transformer#tf-encoder-layer`.)",
        "You need one MultiHeadAttention, one FeedForward and two SublayerConnections; all of them get `dropout`, the "
        "connections also `norm`. A connection calls its sublayer with one argument, but attention needs four: wrap "
        "it in a function of one argument. Use that argument, not the outer x, for queries, keys and values.",
        "in __init__: attention, feed_forward, and a connection for each\n"
        "in forward:\n"
        "    x = first connection(x, a function of y that attends from y to y, with the mask)\n"
        "    return second connection(x, feed_forward)",
    ),
    "transformer.DecoderLayer": (
        "The layer has two attentions. In which of them are the keys target positions, and in which source positions? "
        "A mask says which keys a query may attend to. So which mask belongs to which attention? "
        "({Section}`transformer#tf-decoder-layer`.)",
        "Three sublayers, three connections, in this order: self-attention with `tgt_mask`, cross-attention with "
        "`src_mask`, feed-forward network. In the cross-attention the query is (B, T_tgt, d). Key and value "
        "are the memory, (B, T_src, d), which is not normalised again.",
        "in __init__: self_attention, cross_attention, feed_forward, three connections\n"
        "in forward:\n"
        "    x = first connection(x, y -> self_attention from y to y, tgt_mask)\n"
        "    x = second connection(x, y -> cross_attention from y to memory, src_mask)\n"
        "    return third connection(x, feed_forward)",
    ),
    "transformer.Encoder": (
        "In a pre-norm layer the shortcut is never normalised. What does this mean for the size of the vectors after "
        "the last layer, and what do they need? ({Section}`transformer#tf-stacks`.)",
        "`nn.ModuleList` registers the layers, a plain list does not. Each entry needs a new layer: multiplying a "
        'list repeats one object. The last norm is there for "pre" only.',
        "in __init__: a ModuleList of num_layers new layers; a norm, or nothing\n"
        "in forward:\n"
        "    for each layer: x = what it returns for x and the mask\n"
        "    return x, normalised if pre",
    ),
    "transformer.Decoder": (
        "What changes from layer to layer, and what stays the same for all of them: x, the memory, the masks? "
        "({Section}`transformer#tf-stacks`.)",
        "The loop is that of the encoder, but each layer also gets the memory and both masks. Do not overwrite "
        "`memory` in the loop.",
        "for each layer: x = what it returns for x, the memory and both masks\nreturn x, normalised if pre",
    ),
    "transformer.Generator": (
        "The steps are one score for each word, then probabilities, then their logarithms. Which of the last two "
        "steps can underflow, and how do you do both at once? ({Section}`transformer#tf-generator`.)",
        "`proj` is an nn.Linear from d_model to vocab_size, with bias. The words are on the last axis. Any number of "
        "axes may come before it, so count it from the end.",
        "return log_softmax of proj(x) over the last axis",
    ),
    "transformer.Transformer": (
        "Follow a sentence through figure 1 of the paper. Which of the two masks is used twice? "
        "({Section}`transformer#tf-flow`.)",
        "You choose the arguments of `__init__`: take the parts from make_model. `encode` embeds the source and runs "
        "the encoder. `decode` embeds the target and runs the decoder with memory, src_mask, tgt_mask. `forward` "
        "returns (B, T_tgt, d): it does not call the generator. Test for each mask separately whether it is None.",
        "forward:\n"
        "    src_mask = padding mask of src, if None\n"
        "    tgt_mask = decoder mask of tgt, if None\n"
        "    memory = encode the source with its mask\n"
        "    return what decode makes of the memory and the target, with both masks",
    ),
    "transformer.make_model": (
        "Which parameters should be shared, and which never? How do you find out whether two names stand for one "
        "parameter? ({Section}`transformer#tf-tying` and {heading}`transformer#tf-sharing`.)",
        "Call nn.init.xavier_uniform_ for every parameter with two axes, the tables too. The weight of an embedding "
        "has the shape (V, d), and so does the weight of nn.Linear(d, V). Assign the parameter itself, without a "
        "transpose or a copy. Check the sizes first, and pass `dropout` to PositionalEncoding as well.",
        "if tied and the sizes differ: ValueError that names both\n"
        "embeddings = token embedding, then positional encoding, for each side\n"
        "model = Transformer(encoder, decoder, embeddings, generator)\n"
        "if tied: the other two weights become the first table's parameter\n"
        "xavier for every matrix\n"
        "return model",
    ),
    "transformer.shift_right": (
        "To predict the word at position t, which words may the decoder have read? So what stands at position t of "
        "its input? ({Section}`transformer#tf-shift`.)",
        "The result has the shape, type and device of `targets`, and `targets` does not change. Time is the last "
        "axis, for (B, T) and for (T,): use `...`.",
        "start = a column of bos_id, like the first column of targets\n"
        "return start and all columns but the last, side by side",
    ),
    "transformer.count_parameters": (
        "With tied weights, three parts hold one table. In which of them should it count, so that the parts add up to "
        "the total? ({Section}`transformer#tf-count`.)",
        "`model.named_children()` gives the parts, `part.parameters()` their tensors, `numel()` the numbers in one. "
        "Keep a set of the tensors that you have counted: tensors are hashed by identity. `model.parameters()` gives "
        "each tensor once, including those of the model itself.",
        "seen = empty set\n"
        "for each part: count what is not in seen, then add it to seen\n"
        "total = numbers in all parameters of the model",
    ),
    "transformer.test_padding_is_ignored": (
        "You can give the model a sentence alone, without padding, or in a batch with longer ones. Which numbers must "
        "be the same both times? ({Section}`transformer#three-shapes`.)",
        "Draw ids from 4 to 11 for a batch of three pairs, then overwrite the ends of sources and targets with "
        "`pad_id`, in each row from a different position. Cut each pair to its own lengths and call the model with "
        "that pair alone. Compare this result with the pair's row in the result for the batch, up to the end of the "
        "target. Then fill one source entirely with padding: everything must still be finite.",
        "src (3, 6) and tgt (3, 5) = random ids from 4 to 11; lengths = three pairs of lengths\n"
        "for each row: overwrite what comes after its lengths with pad_id\n"
        "together = model of src and tgt\n"
        "for each row: alone = model of that row, cut to its lengths, in a batch of one\n"
        "    assert that alone is close to the row of together, up to the length of the target\n"
        "fill the source of row 0 with pad_id; assert that the result is finite",
    ),
}
