"""The catch-it task of tokens: what a test of byte-pair encoding must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "tokens.test_bpe",
        gets=("train_bpe", "bpe_encode", "bpe_decode"),
        styles=(
            style("every-piece-by-itself", "one that trains on a list of all pieces"),
            style("ids", "one that trains on ids"),
            style("counts-updated", "one that updates its counts of pairs while it trains"),
            style("recursive", "one that trains by recursion"),
            style("own-pattern-and-prints", "one that writes its own pattern for the pieces, and prints"),
            style("strings-of-latin-1", "one that trains on strings in place of bytes"),
            style("parts-replaced-in-the-lists", "one that merges inside its lists"),
            style("merge-after-merge", "one that encodes merge after merge"),
            style("lowest-rank", "one that encodes by the lowest rank"),
            style("pairs-of-ids", "one that encodes with pairs of ids"),
            style("recursive-with-warnings", "one that encodes by recursion, and warns"),
            style("piece-by-piece", "one that encodes piece by piece"),
            style("dictionary", "one that decodes with a dictionary"),
            style("arithmetic", "one that decodes by arithmetic on the ids"),
            style("unfolded", "one that decodes each id down to its bytes"),
            style("incremental", "one that decodes token after token and keeps the bytes of an unfinished character"),
            style("one-mark-per-bad-byte", "one that writes U+FFFD for each invalid byte"),
            style(
                "bpe_encode.from-a-generator",
                "one that builds the list of ids from a generator",
                edit(
                    "return [index for piece in GPT2_SPLIT.findall(text) for index in encode_piece(piece)]",
                    "return list(index for piece in GPT2_SPLIT.finditer(text) for index in "
                    "encode_piece(piece.group()))",
                ),
            ),
        ),
        groups=(
            group(
                "text-comes-back",
                "The text comes back",
                slip(
                    "bpe_encode.spaces-lost",
                    'Encoded and decoded, "a b" is "ab". What stands between the words of your text?',
                ),
                slip(
                    "bpe_encode.space-added-in-front",
                    "Encoded and decoded, a text is one character longer. What do you compare it with?",
                ),
                slip(
                    "bpe_decode.joined-with-spaces",
                    "Encoded and decoded, a text is longer than it was. What do you compare it with?",
                ),
                slip(
                    "bpe_decode.text-stripped",
                    "Encoded and decoded, a text may be shorter. How does your text begin and end?",
                ),
            ),
            group(
                "bytes",
                "Bytes, not characters",
                slip("train_bpe.characters-not-bytes", 'It is right for English. What does it learn from "é"?'),
                slip("bpe_encode.characters-not-bytes", 'It is right for English. Which ids may stand for "€"?'),
                slip(
                    "bpe_encode.unknown-characters-dropped", "It is right for English. Which letters are in your text?"
                ),
                slip(
                    "bpe_decode.token-by-token",
                    "It is right for English, and for other texts once enough merges are known. With how few merges "
                    "have you tried it?",
                ),
                slip("bpe_decode.bytes-as-characters", "It is right for English. Which letters are in your text?"),
            ),
            group(
                "which-pair",
                "Which pair is learned",
                slip(
                    "ties-to-the-smaller",
                    "In some texts it learns another pair than it should. What if two pairs are equally frequent?",
                ),
                slip(
                    "each-word-once",
                    "A word that occurs ten times weighs as much as one that occurs once. What is repeated in your "
                    "text?",
                ),
                slip(
                    "counted-once-for-all",
                    "Its first merge is right, and no token is ever longer than two bytes. How many merges do you "
                    "look at?",
                ),
                slip(
                    "joined-instead-of-pairs",
                    "It returns what each merge makes, but not which two parts it joins. What should an entry of the "
                    "list be?",
                ),
            ),
            group(
                "order-of-merges",
                "Which merge is applied first",
                slip(
                    "latest-merge-first",
                    "Where two merges compete for a byte, the wrong one wins. Do any of your merges compete?",
                ),
                slip(
                    "leftmost-merge-first",
                    "Where two merges compete for a byte, the wrong one may win. Do any of your merges compete?",
                ),
                slip(
                    "longest-token-first",
                    "It gives few tokens, but not the tokens that the merges make in their order. Can you choose "
                    "merges for which you know the ids?",
                ),
                slip(
                    "one-pass",
                    "It stops while there is still something to merge. Can one of your merges use what another one "
                    "makes?",
                ),
            ),
            group(
                "inside-pieces",
                "Never across pieces",
                slip(
                    "train_bpe.text-not-cut",
                    "It learns a pair whose bytes belong to two words. In which text would such a pair be the most "
                    "frequent one?",
                ),
                slip(
                    "bpe_encode.text-not-cut",
                    "It merges a byte with one of the next word. Which merge would show that?",
                ),
            ),
            group(
                "edges",
                "The edges",
                slip(
                    "error-when-nothing-is-left",
                    "For some texts, a large number of merges raises an error. How short was your shortest text?",
                ),
                slip(
                    "negative-accepted",
                    "It accepts a number of merges that makes no sense. What should happen instead?",
                ),
                slip(
                    "invalid-bytes-raise",
                    "Some ids cannot be decoded at all. What if they stop in the middle of a character?",
                ),
                slip(
                    "merges-used-up",
                    "A text is encoded differently the second time. What do you look at after the first call?",
                ),
            ),
        ),
    ),
)
