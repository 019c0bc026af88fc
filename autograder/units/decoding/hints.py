"""Hints of unit `decoding`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "decoding.greedy_decode": (
        "The model says, for every position, what may come next. Which position's answer do you need, and what of the "
        "work stays the same from step to step? And what should a row do that has written its end symbol while its "
        "neighbours go on? ({Section}`decoding#decoding-loop` and {heading}`decoding#finished-rows`.)",
        "Start with a column of `bos_id`, (B, 1), and a boolean for each row, (B,). `model.decode` wants the "
        "memory, the source mask, all ids so far and `causal_mask(T)`; `model.generator` makes (B, V) of its last "
        "position, `hidden[:, -1]`. The order matters: first put `PAD` into the rows that were finished before, "
        "then mark those that end now, or the end symbol itself gets lost. max_len counts the first column, too.",
        "memory = encode once\n"
        "ids = a column of bos_id; finished = all False\n"
        "while there is room and some row is not finished:\n"
        "    hidden = decode(memory, source mask, ids, causal mask)\n"
        "    new = argmax of the generator at the last position\n"
        "    new = PAD where finished\n"
        "    finished = finished, or new is the end\n"
        "    ids = ids with new as one more column",
    ),
    "decoding.sample_next": (
        "All three knobs change which tokens may be drawn, or how likely each is. Which of them changes the shape of "
        "the distribution, and which only cut off its tail? Why does it matter which of them comes first? "
        "({Section}`decoding#decoding-temperature`, {heading}`decoding#top-k`, {heading}`decoding#top-p` and "
        "{heading}`decoding#filter-order`.)",
        "Logits are (B, V), and each row has its own threshold: (B, 1). `topk` does not take more than V. For "
        "top-p, `sort` in descending order returns values *and* the order; a token stays when the mass *before* "
        "it is still below p, so the first always does. The mask that you get is in sorted order: bring it back "
        "with `scatter`. Temperature 0 must not divide. `torch.multinomial` takes weights and the generator, and "
        "returns (B, 1).",
        "refuse top_p outside (0, 1]; temperature 0: return the argmax\n"
        "logits = logits / temperature\n"
        "if top_k: logits below the k-th largest of their row become minus infinity\n"
        "probabilities = softmax\n"
        "if top_p: sort; mass before each token; zero where it has reached top_p; back to the old order\n"
        "draw one token for each row, return (B,)",
    ),
    "decoding.beam_search": (
        "Greedy decoding cannot take a step back. If you may keep a few beginnings instead of one, how do you compare "
        "them, and how do you compare outputs of different length at the end? ({Section}`decoding#beam-idea` and "
        "{heading}`decoding#length-penalty`.)",
        "Take one source at a time. With n beginnings, scores are (n,) and log-probabilities (n, V): their sum "
        "`scores[:, None] + log_probs` has all candidates, and in `flatten().topk(...)` a place stands for parent "
        "`place // V` and token `place % V`. Start with one beginning, not with copies. What ends leaves the "
        "beam, with its sum divided by ((5 + length) / 6) ** length_penalty, where length counts the end but not "
        "the start. The memory and the mask of the row are needed once for each beginning.",
        "memory = encode once\n"
        "for each source:\n"
        "    one beginning [bos_id] with score 0; nothing finished\n"
        "    max_len - 1 times, while there are beginnings:\n"
        "        scores of all continuations: sum so far + log-probability\n"
        "        keep the best (beam_size less what is finished): parents and tokens\n"
        "        what ends: sum / penalty into finished; the others stay\n"
        "    best of finished, or of the beginnings if nothing finished\n"
        "    its ids without the special ones",
    ),
    "decoding.KVCache": (
        "When a decoder reads one more token, which keys and values change, and which are what they were? And when a "
        "search gives up one beginning and continues another one twice, what becomes of their keys? "
        "({Section}`decoding#kv-cache` and {heading}`decoding#kv-cache-reorder`.)",
        "Keys and values are (B, H, T, d_head): time is axis -2. Every layer has its own, and every cache has its "
        "own layers, so make the store in `__init__`. The first call may bring a whole prompt, later ones single "
        "positions. Return everything, the new positions last. `length` is read without brackets, and is 0 before "
        "the first call. In `reorder`, `k[rows]` fetches rows of the first axis into a new tensor.",
        "in __init__: an empty dictionary\n"
        "length: 0 without layer 0, else the size of its keys along time (with @property)\n"
        "in update:\n"
        "    if the layer is known: k = old k with k behind it, v likewise\n"
        "    remember both; return both\n"
        "in reorder: for every layer, remember keys and values indexed with rows",
    ),
    "decoding.cached_greedy_decode": (
        "Write down for which positions `greedy_decode` runs the decoder in step 1, 2 and 3. Which of these does it "
        "run again, and what of them does the next step really need? ({Section}`decoding#cached-decoding`.)",
        "Start from your `greedy_decode`. Encode once, make one `KVCache` before the loop, and replace "
        "`model.decode` by `model.decode_step`. It gets the newest ids alone, (B,), adds their keys and values to the "
        "cache by itself, and returns (B, d), so there is no last position to pick. What becomes of rows that end "
        "stays as it was.",
        "memory = encode once; cache = a new one\n"
        "ids = a column of bos_id; finished = all False\n"
        "while there is room and some row is not finished:\n"
        "    hidden = decode_step(memory, source mask, the newest ids, cache)\n"
        "    new = argmax of the generator, PAD where finished\n"
        "    finished = finished, or new is the end\n"
        "    ids = ids with new as one more column",
    ),
    "decoding.test_beam": (
        "A search is right when it finds the output that you know to be the best. In a table of your own you know all "
        "probabilities. In which table does greedy decoding miss the best output? And for which exponent are a short "
        "and a long output equally good? ({Section}`decoding#beam-idea` and {heading}`decoding#length-penalty`.)",
        "Use `beam_size=2`. Three tables are enough. In the first, the likelier first id goes on with four equal ids, "
        "and the other one with two, of which the second best can end cheaply. In the second, both that are kept after "
        "two steps continue the same id, and the worse of them ends. In the third, EOS alone competes with four ids: "
        "work out the exponent at which they are equal, and call the search with one just below it and one just above. "
        "Put the three sources into one batch, of different lengths. Call it once more with so little room that "
        "nothing ends.",
        "tables = {source: {ids so far: {next id: probability}}}, for three sources\n"
        "model = TableModel(a function that looks up tables[source], with one id that goes on for ever as default)\n"
        "src, mask = the three sources with padding, and where there is none\n"
        "for max_len, length_penalty and the outputs that you expect:\n"
        "    assert that the search finds them: just below and just above the exponent, and with little room",
    ),
}
