"""Hints of unit `babygpt`: for each task a question about the idea, then shapes and the trap, then a skeleton."""

HINTS = {
    "babygpt.get_batch": (
        "Every position of a piece is a question: which token comes next? Where in the text is the answer to the last "
        "position? How many tokens of text do a piece and all its answers take? ({Section}`babygpt#next-token` and "
        "{heading}`babygpt#babygpt-batches`.)",
        "Draw one start for each row with `torch.randint`, whose upper bound itself is never drawn, and pass it the "
        "generator. A piece and its answers take block_size + 1 tokens, so in N tokens there is room for N - "
        "block_size starts. Both results are int64, (batch_size, block_size).",
        "starts = batch_size random integers from 0 to len(data) - block_size - 1\n"
        "x = for every start: block_size tokens of data from there, stacked\n"
        "y = the same, from start + 1\n"
        "return x, y",
    ),
    "babygpt.Head": (
        "This is the attention of {chapter}`attention` with the causal mask of {chapter}`masks`: queries, keys and "
        "values come from the same x. What must a position not see, and at which step of the computation do you hide "
        "it? ({Section}`babygpt#v3-self-attention`.)",
        "In `__init__` you need three `nn.Linear` from n_embed to head_size without bias, the lower triangle as a "
        "buffer (`register_buffer`), and a dropout. In `forward` the scores are (B, T, T), divided by the root of "
        "head_size, not of n_embed. T may be smaller than block_size, so cut T rows and columns out of the triangle. "
        "The order is: scores, mask, softmax over the last axis, dropout, values.",
        "in __init__: key, query, value; buffer tril (block_size, block_size); dropout\n"
        "in forward:\n"
        "    scores = attention_scores(queries of x, keys of x)\n"
        "    scores = scores with -inf where tril, cut to (T, T), is False\n"
        "    weights = dropout(softmax of the scores over the last axis)\n"
        "    return weights @ values of x",
    ),
    "babygpt.MultiHead": (
        "Several heads read the same x, and each finds something different. How do you keep their results apart, and "
        "which layer then combines them? ({Section}`babygpt#v4-heads` and {heading}`babygpt#v8-projections`.)",
        "Every head maps (B, T, n_embed) to (B, T, head_size). Side by side along the last axis they are (B, T, "
        "num_heads * head_size); `proj` leads from there back to n_embed. A plain Python list hides parameters from "
        "PyTorch: use `nn.ModuleList`, with a new Head for each entry. Dropout comes last, and each head gets the "
        "dropout probability too.",
        "in __init__:\n"
        "    heads = nn.ModuleList of num_heads new Heads\n"
        "    proj = linear layer, num_heads * head_size -> n_embed\n"
        "    a dropout\n"
        "in forward:\n"
        "    out = outputs of all heads on x, concatenated along the last axis\n"
        "    return the dropout of what proj makes of out",
    ),
    "babygpt.Block": (
        "A block lets positions communicate, then lets each of them compute. If all its parameters were 0, what "
        "should it return? And what is normalised: the input of the shortcut, or the input of the sublayer? "
        "({Section}`babygpt#v7-residual` and {heading}`babygpt#v9-layer-norm`.)",
        "You need two `nn.LayerNorm(n_embed)`, a MultiHead whose heads have the width n_embed // num_heads, and a "
        "network: linear, ReLU, linear, of widths n_embed, 4 * n_embed, n_embed. Do not overwrite x with its "
        "normalised form: you add the result to x itself.",
        "in __init__: two norms, the attention, the network (with a dropout at its end)\n"
        "in forward:\n"
        "    x = x + attention(first norm of x)\n"
        "    x = x + network(second norm of x)\n"
        "    return x",
    ),
    "babygpt.BabyGPT": (
        "A position's vector must say which token is there, and at which position. After the blocks it says what the "
        "model expects next. How do numbers of width n_embed become one score for each token of the vocabulary? "
        "({Section}`babygpt#babygpt-whole` and {heading}`babygpt#language-model-loss`.)",
        "Two `nn.Embedding` tables, one for tokens and one for positions 0 to T - 1, give (B, T, C) + (T, C). The "
        "blocks go into `nn.Sequential` or `nn.ModuleList`, each made anew. `F.cross_entropy` wants logits (N, V) "
        "and targets (N,), so flatten B and T together; `view(B, V, T)` would scramble them. It takes the softmax "
        "and the mean itself.",
        "in __init__: token table, position table, num_layers blocks, last norm, linear layer to vocab_size\n"
        "in forward:\n"
        "    x = token vectors + position vectors\n"
        "    x = x through all blocks, one after the other\n"
        "    logits = linear layer(last norm(x))\n"
        "    loss = None without targets, else cross-entropy of the flattened logits and targets\n"
        "    return logits, loss",
    ),
    "babygpt.generate": (
        "The model scores the next token at every position at once. Which position's scores do you need to continue a "
        "text? And how much of a long text can the model read? ({Section}`babygpt#babygpt-generating` and "
        "{heading}`babygpt#babygpt-temperature`.)",
        "Give the model the last block_size tokens and take the logits of its last position, (B, V). Divide them by "
        "the temperature, take the softmax over V, and draw one token for each row with `torch.multinomial` and the "
        "generator. The draw is (B, 1), ready for `torch.cat` along time. At temperature 0 take the argmax, and do "
        "not divide. Remember `model.training` before you change it.",
        "refuse a negative temperature; remember the mode; evaluate, without gradients\n"
        "max_new_tokens times:\n"
        "    logits = those of the last position, given the last block_size tokens\n"
        "    new = argmax if temperature is 0, else one draw from the softmax of logits / temperature\n"
        "    ids = ids with new at the end\n"
        "restore the mode; return ids",
    ),
    "babygpt.test_no_peeking": (
        "A position's logits may depend on the tokens up to it in the same sequence, and on nothing else. What could "
        "you give the model so that it has only these tokens? ({Section}`masks#teacher-forcing`.)",
        "Draw a batch of three sequences of full length and compute their logits. Then cut one sequence off after $t$ "
        "tokens and give it to the model alone. Its logits must be close to the first $t$ logits from the batch, for "
        "every sequence and every $t$. Finally call the model with the batch again.",
        "ids = random tokens, three sequences of block_size\n"
        "whole = the logits of all three\n"
        "for each sequence, for t from 1 to block_size:\n"
        "    alone = the logits of the first t tokens of that sequence, in a batch of one\n"
        "    assert that alone is close to the first t rows that the sequence has in whole\n"
        "assert that another call with ids gives whole again",
    ),
}
