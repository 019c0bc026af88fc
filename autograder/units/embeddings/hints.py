"""Hints of unit `embeddings`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "embeddings.one_hot": (
        "An id is the name of a word. How would you write that name as a row of vocab_size numbers, so that no two "
        "words are closer to each other than any other two?",
        "ids are (...), and every id becomes a vector of width V along a new *last* axis: (..., V). The width is "
        "vocab_size, not the largest id of the batch, and the dtype is float32. PyTorch has a function for this. "
        "Which dtype does it return?",
        "vectors = one-hot vectors of ids with vocab_size classes   # (..., V), integers; refuses ids out of range\n"
        "return vectors as float32\n"
        "# or: zeros of shape (..., V), and a 1 scattered along the last axis at each id",
    ),
    "embeddings.embedding_lookup": (
        "Multiply the vector 0 0 1 0 by a table with four rows. Which row comes out, and how many of the "
        "multiplications did you need?",
        "table is (V, d) and has one row per id; ids are (...), the result is (..., d) in the table's dtype. Indexing "
        "takes rows and passes gradients on. If you multiply one-hot vectors instead, convert *them* to the dtype of "
        "the table.",
        "return the rows of table at ids            # (..., d): index the first axis with ids\n"
        "# or: (one-hot vectors of ids, in the dtype of table) @ table",
    ),
    "embeddings.TokenEmbedding": (
        "If the same table also makes the logits, the numbers of a row are small, about 1 / sqrt(d_model) each. By "
        "which factor do you multiply them to bring them to size 1?",
        "The layer is nn.Embedding(number of rows, width of a row), and its name is embed. Scale what it returns, "
        "(B, T, d_model), in every call; the weights themselves stay as they are. The factor is the root of d_model.",
        "in __init__:  self.embed = an nn.Embedding, vocab_size rows of width d_model\n"
        "in forward:   vectors = the embedding of ids          # (B, T, d_model)\n"
        "              return vectors times the square root of d_model",
    ),
    "embeddings.sinusoidal_positions": (
        "Think of the hands of several clocks. What do the sine and the cosine of *one* angle tell you together that "
        "the sine alone does not, and why do you want hands of different speeds?",
        "Make the positions a column, (max_len, 1). The 2i of the formula is arange(0, d, 2), which is already "
        "doubled. The angles are (max_len, ceil(d / 2)). Even columns get the sines of the angles. Odd columns get "
        "the cosines of the first d // 2 angles; for an odd d that is one fewer.",
        "position = 0 .. max_len-1 as a column                        # (max_len, 1)\n"
        "even = 0, 2, 4, ... below d_model                            # (ceil(d/2),)\n"
        "angles = position / 10000 ** (even / d_model)                # (max_len, ceil(d/2))\n"
        "table = zeros (max_len, d_model)\n"
        "even columns of table = sines of angles\n"
        "odd columns of table = cosines of the first d_model // 2 columns of angles",
    ),
    "embeddings.PositionalEncoding": (
        "The table is the same for every sequence and is never trained, but it has to move to the GPU with the "
        "module. Is that a parameter, a plain attribute, or a third thing?",
        "pe is (1, max_len, d_model), and x is (B, T, d_model) with T <= max_len. Compare T with max_len first. Cut "
        "the table along axis 1, cast it to the dtype of x, add it, and apply dropout to the sum. Do not write into "
        "x, and do not assign to self.pe in forward.",
        "in __init__:  a dropout module; register the table, with an axis in front, as the buffer 'pe'\n"
        "in forward:   if x has more positions than pe: raise ValueError naming both numbers\n"
        "              positions = first T rows of pe, in the dtype of x      # (1, T, d_model)\n"
        "              return dropout of (x + positions)",
    ),
    "embeddings.gpt2_embed": (
        "Two sequences in a batch hold the same word, at position 2 and at position 5. Which parts of their vectors "
        "are equal, and from which table does each part come?",
        "ids is (B, T). Words: rows of wte at ids, (B, T, C). Positions: the first T rows of wpe, (T, C), which "
        "broadcasting adds to every sequence. Compare T with the rows of wpe before anything else: a wpe with a "
        "single row would broadcast to any T.",
        "T = length of the sequences, the second axis of ids\n"
        "if T is more than the rows of wpe: raise ValueError naming both numbers\n"
        "return (rows of wte at ids) + (first T rows of wpe)    # (B, T, C) + (T, C)",
    ),
    "embeddings.mean_pool": (
        "A sentence of two tokens was padded to five. Which vectors belong in the sum, and by which number do you "
        "divide it?",
        "keep is (B, T) and needs a last axis of length 1 to broadcast to hidden, (B, T, d). Sum along axis 1 with "
        "the padded positions at zero; the count is (B, 1). Where the count is 0, divide by 1: 0 / 1 is the right "
        "result, and no NaN arises.",
        "kept = hidden, but 0 where keep is False          # (B, T, d)\n"
        "count = how many positions are kept, at least 1   # (B, 1)\n"
        "return sum of kept over the positions / count     # (B, d)",
    ),
    "embeddings.max_pool": (
        "All the values of a component are negative. What must stand at the padded positions, so that they never win, "
        "however small the real values are?",
        "Fill a *new* tensor with minus infinity where keep is False, and take the maximum along axis 1: values, not "
        "indices. A sequence with nothing kept then becomes minus infinity, but should be zeros. How do you find "
        "these rows?",
        "filled = hidden, but minus infinity where keep is False    # (B, T, d)\n"
        "largest = maximum of filled over the positions             # (B, d)\n"
        "return largest, but 0 in the rows where nothing is kept",
    ),
    "embeddings.test_positions": (
        "The formula gives every entry of the table from its row and its column. Which columns hold sines, and which "
        "power of 10000 do two neighbours share? ({Section}`embeddings#sinusoidal-positions`.)",
        "Compute each entry with `math.sin` and `math.cos` in two loops, and compare with a tolerance of 0.0001. Do "
        "it for an even and an odd width, and for more than two positions. Check the shape and the type, float32, "
        "first.",
        "for an even and an odd width:\n"
        "    table = the table; assert its shape and its type\n"
        "    for every position and column:\n"
        "        angle = position / 10000 ** (the even column at or before this one / width)\n"
        "        assert that the entry is close to the sine (even columns) or the cosine (odd ones)",
    ),
}
