"""Hints of unit `tokens`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "tokens.Vocabulary": (
        "An embedding table has one row for each id, from 0 up. Which tokens must be in every table, whatever the "
        "texts were? And which ones would you give up first if the table may only have so many rows?",
        "id_to_token is a list, so a token's id is its place; token_to_id is the same the other way round. Sorting by "
        "falling count and rising token is one key: (-count, token). encode has to cut a text as from_texts did, so "
        "the object must remember `tokenize`. A Python list accepts the place -1; your decode must not.",
        "counts = how often each token occurs in all texts together\n"
        "tokens = those with count >= min_freq that are not special, sorted by (-count, token)\n"
        "id_to_token = the four special tokens, then tokens, cut at max_size\n"
        "token_to_id = {token: place}\n"
        "encode: token_to_id.get(token, UNK) for each token; BOS before, EOS behind, where asked for\n"
        "decode: check the range of every id, leave out special ids if asked to, join with spaces",
    ),
    "tokens.train_bpe": (
        "Take 'abab' and 'ab'. Which pair of neighbours is the most frequent one, and what do the two words look like "
        "after it was merged? What has to be counted anew then, and why?",
        "Work on lists of `bytes`: a piece begins as single bytes, bytes([byte]) for each byte of piece.encode(), and "
        "a merge puts left + right in the place of two. Tuples compare as you need it: max over (count, pair) takes "
        "the greater pair in a tie. Mind 'aaa': it holds the pair twice, and merged from left to right it is aa|a. "
        "When no pair is left there is nothing to take the maximum of.",
        "pieces = the pieces of GPT2_SPLIT, each a list of single bytes\n"
        "repeat num_merges times:\n"
        "    counts = for every piece, for every two neighbours: one more\n"
        "    stop if counts is empty\n"
        "    best = the pair with the greatest (count, pair); append it to merges\n"
        "    in every piece, from left to right: put left + right where the pair stands",
    ),
    "tokens.bpe_encode": (
        "Training merged the pairs in a certain order. If you cut a new word differently, by taking the longest piece "
        "that fits for example, would the model meet the tokens that it has seen in training?",
        "Give every pair its place in the list of merges, a rank. In a piece, look at all neighbours that have a "
        "rank: the lowest one goes first, and of several equal ones the leftmost. Then look again, because the merged "
        "part has new neighbours. Ids come last: a single byte is its own id, merge i is 256 + i.",
        "rank = {pair: place in merges}\n"
        "for each piece of GPT2_SPLIT:\n"
        "    parts = its single bytes\n"
        "    while some pair of neighbours has a rank:\n"
        "        merge the one with the lowest rank\n"
        "    add the id of every part to the result",
    ),
    "tokens.bpe_decode": (
        "A token may end in the middle of a character. At which moment do you know enough to turn bytes into text?",
        "Write down the bytes of every id: 256 entries of one byte each, then left + right for each merge. Joined "
        "bytes become a string with bytes.decode, which by default raises where they make no sense: look up what its "
        "argument `errors` can be.",
        "spelled = [the 256 single bytes], then left + right for every merge\n"
        "data = the spelled bytes of all ids, joined\n"
        "return data, decoded as UTF-8, with U+FFFD for what is invalid",
    ),
    "tokens.test_bpe": (
        "You need texts for which you know the merges, and merges for which you know the ids. What is the smallest "
        "text in which two pairs are equally frequent? And which two merges compete for the same byte? "
        "({Section}`tokens#bpe-by-hand`.)",
        "For training: `banana banana` has a tie, `hi ab ab ab` a repeated word, `a b a b a b` a pair that would cross "
        "pieces, and `é` two bytes and nothing more. For encoding: with the merges (b, c), (a, b) and (bc, d), "
        "what becomes of `abcd`? For decoding: encode a text with spaces at both ends and letters beyond English, and "
        "decode it, with and without merges. Then a lone byte 0xC3. Look at your list of merges again in the end.",
        "assert the merges of four small texts, worked out by hand\n"
        "assert the ids of `abcd` under merges that compete, and of a text in which one would cross pieces\n"
        "assert that the merges are what they were\n"
        "for some texts, with no merges and with yours: assert that decoding gives the text\n"
        "assert that half a character is decoded to U+FFFD, and that -1 merges are refused",
    ),
}
