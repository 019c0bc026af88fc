"""Hints of unit `decoding`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "decoding.greedy_decode": (
        "The model says, for every position, what may come next. Which position's answer do you need, and which part "
        "of the work is the same in every step? What should a row do after its end symbol, while other rows continue? "
        "({Section}`decoding#decoding-loop` and {heading}`decoding#finished-rows`.)",
        "Start with a column of `bos_id`, (B, 1), and a boolean for each row, (B,). `model.decode` needs the memory, "
        "the source mask, all ids so far and `causal_mask(T)`. `model.generator` turns the last position of the "
        "decoder's output into (B, V). The order matters: first put `PAD` into the rows that were finished before, "
        "then mark the rows that end now. Otherwise the end symbol is lost. max_len counts the first column, too.",
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
        "The temperature, `top_k` and `top_p` change which tokens may be drawn, or how likely each is. Which of them "
        "changes the shape of the distribution, and which only cut off its tail? Why does their order matter? "
        "({Section}`decoding#decoding-temperature`, {heading}`decoding#top-k`, {heading}`decoding#top-p` and "
        "{heading}`decoding#filter-order`.)",
        "Logits are (B, V), and each row has its own threshold: (B, 1). `topk` accepts at most V. For top-p, `sort` "
        "in descending order returns values *and* indices. A token stays if the mass *before* it is below p, so the "
        "first token always stays. The mask is then in sorted order: undo the sorting with `scatter`. At temperature "
        "0, do not divide. `torch.multinomial` takes weights and the generator, and returns (B, 1).",
        "refuse top_p outside (0, 1]; temperature 0: return the argmax\n"
        "logits = logits / temperature\n"
        "if top_k: logits below the k-th largest of their row become minus infinity\n"
        "probabilities = softmax\n"
        "if top_p: sort; mass before each token; zero where it has reached top_p; back to the old order\n"
        "draw one token for each row, return (B,)",
    ),
    "decoding.beam_search": (
        "Greedy decoding cannot take a step back. If you keep a few prefixes instead of one, how do you compare "
        "them? And how do you compare outputs of different length at the end? ({Section}`decoding#beam-idea` and "
        "{heading}`decoding#length-penalty`.)",
        "Take one source at a time. With n prefixes, scores are (n,) and log-probabilities (n, V). Add the scores as a "
        "column, (n, 1): the sums of shape (n, V) are all candidates. In the flattened sums each parent has V "
        "consecutive candidates: what do an index's quotient and remainder by V tell you? Start with one prefix, not "
        "with copies. A finished output leaves the beam, with its sum divided by the length penalty. Its length counts "
        "the end symbol but not the start symbol. Repeat the memory and the mask of the source once for each prefix.",
        "memory = encode once\n"
        "for each source:\n"
        "    one prefix [bos_id] with score 0; nothing finished\n"
        "    max_len - 1 times, while there are prefixes:\n"
        "        scores of all continuations: sum so far + log-probability\n"
        "        keep the best (beam_size less what is finished): parents and tokens\n"
        "        outputs that end: sum / penalty into finished; the others stay\n"
        "    best of finished, or of the prefixes if nothing finished\n"
        "    its ids without the special ones",
    ),
    "decoding.KVCache": (
        "When a decoder reads one more token, which keys and values are new, and which do not change? When a search "
        "drops one prefix and continues another one twice, what must happen to their keys? "
        "({Section}`decoding#kv-cache` and {heading}`decoding#kv-cache-reorder`.)",
        "Keys and values are (B, H, T, d_head): time is axis -2. Every layer has its own, and every cache has its "
        "own layers, so make the store in `__init__`. The first call may bring a whole prompt, later ones single "
        "positions. Return everything, the new positions last. `length` is read without brackets, and is 0 before "
        "the first call. In `reorder`, an index of row numbers fetches rows into a new tensor.",
        "in __init__: an empty dictionary\n"
        "length: 0 without layer 0, else the size of its keys along time (with @property)\n"
        "in update:\n"
        "    if the layer is known: k = old k with the new k after it, v likewise\n"
        "    remember both; return both\n"
        "in reorder: for every layer, remember keys and values indexed with rows",
    ),
    "decoding.cached_greedy_decode": (
        "Write down for which positions `greedy_decode` runs the decoder in steps 1, 2 and 3. Which positions does it "
        "compute again, and which of their tensors does the next step need? ({Section}`decoding#cached-decoding`.)",
        "Start from your `greedy_decode`. Encode once, make one `KVCache` before the loop, and replace `model.decode` "
        "by `model.decode_step`. It gets the newest ids alone, (B,), and adds their keys and values to the cache by "
        "itself. It returns (B, d), so there is no last position to pick. Handle rows that end as before.",
        "memory = encode once; cache = a new one\n"
        "ids = a column of bos_id; finished = all False\n"
        "while there is room and some row is not finished:\n"
        "    hidden = decode_step(memory, source mask, the newest ids, cache)\n"
        "    new = argmax of the generator, PAD where finished\n"
        "    finished = finished, or new is the end\n"
        "    ids = ids with new as one more column",
    ),
    "decoding.test_beam": (
        "A search is right if it finds the output that you know to be the best. In a table of your own you know all "
        "probabilities. In which table does greedy decoding miss the best output? And for which exponent are a short "
        "and a long output equally good? ({Section}`decoding#beam-idea` and {heading}`decoding#length-penalty`.)",
        "Use `beam_size=2`. Three tables are enough. In the first, four equally likely ids follow the likelier first "
        "id. Two ids follow the other first id, and after the less likely of the two the end is nearly certain. In the "
        "second, both prefixes that are kept after two steps begin with the same id, and after the worse of them the "
        "end is likely. In the third, EOS alone competes with an output of four ids. Work out the exponent at which "
        "both have the same score, and call the search with one just below it and one just above. Put the three "
        "sources into one batch, with different lengths. Call the search once more with so little room that nothing "
        "ends.",
        "tables = {source: {ids so far: {next id: probability}}}, for three sources\n"
        "model = TableModel(a function that looks up tables[source]; for other ids so far, one id is certain)\n"
        "src, mask = the three sources, padded to one length, and a mask that is true except at padding\n"
        "for max_len, length_penalty and the outputs that you expect:\n"
        "    assert that the search finds them: just below and just above the exponent, and with little room",
    ),
}
