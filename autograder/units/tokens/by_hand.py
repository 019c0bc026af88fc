"""Questions by hand of unit `tokens`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

_COUNTS = "[sum(list(zip(p, p[1:])).count(pair) for p in {pieces}) for pair in {pairs}]"

BY_HAND = {
    "tokens.lengths": Question(
        ask="The text `né €` has an *é* of one code point. How many code points does the text have, and how many "
        "bytes in UTF-8?",
        answer="4, 7",
        hint="The space counts. A letter of ASCII takes one byte; look at the table for the other two characters.",
        because="There are four code points: n, é, the space and €. They take 1 + 2 + 1 + 3 = 7 bytes.",
        computed="[len('n\\u00e9 \\u20ac'), len('n\\u00e9 \\u20ac'.encode())]",
    ),
    "tokens.first-ids": Question(
        ask="A vocabulary is built from three texts: `the cat saw the dog`, `a dog saw a cat` and `the end`. Which ids do "
        "the words *a*, *cat*, *dog*, *end*, *saw* and *the* get? Type six numbers in this order of the words.",
        answer="5, 6, 7, 9, 8, 4",
        hint="Count first. The most frequent word gets the id 4; words that occur equally often come in the order of their "
        "code points.",
        because='The word "the" occurs three times and gets 4. The words "a", "cat", "dog" and "saw" occur twice each '
        'and get 5 to 8 in this order. The word "end" occurs once and gets 9.',
        computed="Vocabulary.from_texts(['the cat saw the dog', 'a dog saw a cat', 'the end'])"
        ".encode('a cat dog end saw the')",
    ),
    "tokens.banana": Question(
        ask="The text `banana bandana` has the pieces `banana` and `·bandana`; the dot is the space. How often do the "
        "pairs *a, n* and *n, a* and *b, a* occur in it? The most frequent of all pairs is merged. How many tokens do "
        "both pieces have together after that? Type four numbers.",
        answer="4, 3, 2, 10",
        hint="Count in both pieces. They have 6 and 7 + 1 bytes; each merged occurrence of a pair saves one token.",
        because="The pair a, n occurs twice in each piece. The pair n, a occurs twice in the first piece and once in "
        "the second, and b, a once in each. The merge of a, n saves four of the 14 tokens.",
        computed=_COUNTS.format(pieces="('banana', ' bandana')", pairs="(('a', 'n'), ('n', 'a'), ('b', 'a'))")
        + " + [len(bpe_encode('banana bandana', train_bpe('banana bandana', 1)))]",
    ),
    "tokens.pairs-of-a-text": Question(
        ask="The text `abab ab aaa` has the pieces `abab`, `·ab` and `·aaa`; the dot is the space. How often do the "
        "pairs *a, b* and *b, a* and *a, a* and *space, a* occur in it? Type four numbers.",
        answer="3, 1, 2, 2",
        hint="No pair lies in two pieces. Every occurrence counts, also where two occurrences overlap.",
        because="The pair a, b occurs twice in the first piece and once in the second. In aaa the pair a, a occurs "
        "twice, but only one of the two can be merged. Two pieces begin with a space and an a.",
        computed=_COUNTS.format(
            pieces="('abab', ' ab', ' aaa')", pairs="(('a', 'b'), ('b', 'a'), ('a', 'a'), (' ', 'a'))"
        ),
    ),
    "tokens.earliest-merge": Question(
        ask="Three merges were learned, in this order: *b, c*, then *a, b*, then *bc, d*. The byte of the letter *a* is 97, "
        "and merge $i$, counted from 0, has the id $256 + i$. Which two ids does the word `abcd` get?",
        answer="97, 258",
        hint="The earliest-learned merge that is present is applied first, wherever its pair is. Is the pair a, b "
        "still there afterwards?",
        because="The merge of b and c was learned first: a|bc|d. Now the pair a, b is gone, and the pair bc, d is "
        "there: a|bcd. The letter a keeps the id of its byte, and merge 2 has the id 258.",
        computed="bpe_encode('abcd', [(b'b', b'c'), (b'a', b'b'), (b'bc', b'd')])",
    ),
    "tokens.euro": Question(
        ask="The sign *€* has three bytes. Here it has three ids, one for each byte. A program decodes each id by itself and "
        "puts U+FFFD for bytes that are not valid UTF-8. How many characters come back? And how many, if all bytes are joined first?",
        answer="3, 1",
        hint="No single one of the three bytes is a character.",
        because="Each byte by itself is invalid and becomes one U+FFFD. All three bytes together are the one sign.",
        computed="[len(''.join(bpe_decode([byte], []) for byte in '\\u20ac'.encode())), "
        "len(bpe_decode(list('\\u20ac'.encode()), []))]",
    ),
    "tokens.a-tie": Question(
        ask="The text `hi ab ab` has the pieces `hi`, `·ab` and `·ab`. How often does each of these pairs occur in "
        "it: first *h, i*, second *space, a*, third *a, b*? And which of the three, 1, 2 or 3, is merged first? Type "
        "four numbers.",
        answer="1, 2, 2, 3",
        hint="Two pairs are equally frequent. The greater pair of bytes wins, and the space is smaller than every letter.",
        because="The pairs space, a and a, b both occur twice. The letter a is greater than the space, so a, b is "
        "merged.",
        computed=_COUNTS.format(pieces="('hi', ' ab', ' ab')", pairs="(('h', 'i'), (' ', 'a'), ('a', 'b'))")
        + " + [[(b'h', b'i'), (b' ', b'a'), (b'a', b'b')].index(train_bpe('hi ab ab', 1)[0]) + 1]",
    ),
}
