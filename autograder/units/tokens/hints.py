"""Hints of unit `tokens`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "tokens.Vocabulary": (
        "An embedding table has one row for each id, from 0 up. Which tokens must be in every table, whatever the "
        "texts were? Which tokens would you give up first if the table had too few rows for all?",
        "id_to_token is a list, so a token's id is its index; token_to_id is the inverse. One key can sort by falling "
        "count and rising token, if it negates one of the two. encode has to cut a text as from_texts did, so the "
        "object must remember `tokenize`. A Python list accepts the index -1; your decode must not.",
        "counts = how often each token occurs in all texts together\n"
        "tokens = those with count >= min_freq that are not special, sorted by (-count, token)\n"
        "id_to_token = the four special tokens, then tokens, cut at max_size\n"
        "token_to_id = {token: index}\n"
        "encode: the id of each token, or UNK; BOS before and EOS after, if the arguments say so\n"
        "decode: check the range of every id, leave out special ids if the argument says so, join with spaces",
    ),
    "tokens.train_bpe": (
        "Take 'abab' and 'ab'. Which pair of neighbours is the most frequent, and what do the two words look like "
        "after the merge? What do you have to count again then, and why?",
        "Work on lists of `bytes`. A piece begins as single bytes: encode it, and make a `bytes` of length 1 from each "
        "number. A merge replaces two neighbours by left + right. Tuples compare as you need: max over (count, pair) "
        "takes the greater pair in a tie. 'aaa' holds the pair (a, a) at two positions; merging from left to right "
        "gives aa|a. If no pair is left, stop before you take a maximum.",
        "pieces = the pieces of GPT2_SPLIT, each a list of single bytes\n"
        "repeat num_merges times:\n"
        "    counts = for every piece, for every two neighbours: one more\n"
        "    stop if counts is empty\n"
        "    best = the pair with the greatest (count, pair); append it to merges\n"
        "    in every piece, from left to right: put left + right where the pair stands",
    ),
    "tokens.bpe_encode": (
        "Training merged the pairs in a certain order. Suppose that you cut a new word differently, for example by "
        "the longest token that fits. Would the model meet the tokens that it has seen in training?",
        "Give each pair its index in the list of merges as a rank. In a piece, look at all neighbours that have a "
        "rank. Merge the pair with the lowest rank first; if it occurs several times, merge its leftmost occurrence. "
        "Then look again, because the merged part has new neighbours. Ids come last: a single byte is its own id, "
        "merge i is 256 + i.",
        "rank = {pair: index in merges}\n"
        "for each piece of GPT2_SPLIT:\n"
        "    parts = its single bytes\n"
        "    while some pair of neighbours has a rank:\n"
        "        merge the one with the lowest rank\n"
        "    add the id of every part to the result",
    ),
    "tokens.bpe_decode": (
        "A token may end in the middle of a character. When do you know enough to turn bytes into text?",
        "Write down the bytes of every id: 256 entries of one byte each, then left + right for each merge. "
        "bytes.decode turns the joined bytes into a string. By default it raises for invalid bytes: look up the "
        "values of its argument `errors`.",
        "spelled = [the 256 single bytes], then left + right for every merge\n"
        "data = the spelled bytes of all ids, joined\n"
        "return data, decoded as UTF-8, with U+FFFD for what is invalid",
    ),
    "tokens.test_bpe": (
        "You need texts for which you know the merges, and merges for which you know the ids. What is the smallest "
        "text in which two pairs are equally frequent? And which two merges compete for the same byte? "
        "({Section}`tokens#bpe-by-hand`.)",
        "For training: `banana banana` has a tie, `hi ab ab ab` a repeated word, `a b a b a b` a pair that would "
        "cross pieces, and `é` consists of two bytes. For encoding: with the merges (b, c), (a, b) and (bc, d), "
        "what becomes of `abcd`? For decoding: encode a text with spaces at both ends and letters beyond English, and "
        "decode it, with and without merges. Decode a lone byte 0xC3, too. At the end, check that your list of merges "
        "has not changed.",
        "assert the merges of four small texts, worked out by hand\n"
        "assert the ids of `abcd` under merges that compete, and of a text in which a merge would cross pieces\n"
        "assert that the merges are what they were\n"
        "for some texts, with no merges and with yours: assert that decoding gives the text\n"
        "assert that half a character is decoded to U+FFFD, and that -1 merges are refused",
    ),
}
