"""Checks of the unit on tokens. Expected values come from slow, plain oracles here, not from the reference.

First comes what several tasks share, then each task with its drivers, helpers and checks, from basic to subtle. Texts
are made of random words, so that no answer can be known beforehand. No two merges of an oracle make the same bytes,
because the task leaves open which id such bytes would get.
"""

import re
import string
from collections import Counter

import pytest

from autograder.judging.assertions import assert_equal
from autograder.judging.replies import assert_raises
from autograder.units.support.search import first_found
from solutions.tokens import GPT2_SPLIT

# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def shuffled(rng, items):
    """The items in a random order, as a list."""
    items = list(items)
    return [items[i] for i in rng.uniform(len(items)).argsort().tolist()]


def some_letters(rng, count):
    """Different small letters."""
    return shuffled(rng, string.ascii_lowercase)[:count]


def some_words(rng, count, letters=string.ascii_lowercase):
    """Different words of two to five letters."""
    words = {}
    while len(words) < count:
        chosen = rng.integers(0, len(letters), int(rng.integers(2, 6))).tolist()
        words["".join(letters[i] for i in chosen)] = True
    return list(words)


def english(rng, count=30, letters=6):
    """A text like English for BPE: few letters, words that repeat and share parts, a comma and a full stop."""
    words = some_words(rng, 12, some_letters(rng, letters))
    text = " ".join(words[i] for i in (12 * rng.uniform(count) ** 2).long().tolist())
    return text.replace(f" {words[0]} ", f" {words[0]}, ", 1) + "."


def pieces_of(text):
    """The pieces of a text as lists of single bytes."""
    return [[bytes([byte]) for byte in piece.encode()] for piece in GPT2_SPLIT.findall(text)]


def merged(parts, pair):
    """The parts with the pair merged wherever it occurs, from left to right."""
    result, i = [], 0
    while i < len(parts):
        here = tuple(parts[i : i + 2]) == pair
        result.append(b"".join(pair) if here else parts[i])
        i += 2 if here else 1
    return result


def learned(text, num_merges):
    """The merges of a text, and the frequencies of the pairs at each step."""
    pieces, merges, steps = pieces_of(text), [], []
    while len(merges) < num_merges:
        counts = Counter(pair for parts in pieces for pair in zip(parts, parts[1:]))
        if not counts:
            break
        most = max(counts.values())
        merges.append(max(pair for pair, times in counts.items() if times == most))
        steps.append(counts)
        pieces = [merged(parts, merges[-1]) for parts in pieces]
    return merges, steps


def without_doubt(merges):
    """Whether no two merges make the same bytes, so that every token has exactly one id."""
    return len({left + right for left, right in merges}) == len(merges)


def text_where(make, num_merges, suits=lambda merges, steps: True):
    """The first text from ``make`` whose merges are `without_doubt` and pass ``suits``, and those merges."""

    def draw():
        text = make()
        merges, steps = learned(text, num_merges)
        return (text, merges) if without_doubt(merges) and suits(merges, steps) else None

    return first_found(draw)


def call(learner, name, arguments, pattern):
    import regex

    # GPT2_SPLIT is given: a submission without the cell that defines it is graded all the same.
    learner._namespace.setdefault("GPT2_SPLIT", regex.compile(pattern))
    return getattr(learner, name)(*arguments), arguments


def result_of(learner, name, *arguments):
    """What a function of BPE returns. The function must not change a list that it is given."""
    got, after = learner.run(call, name, arguments, GPT2_SPLIT.pattern)
    for before, now in zip(arguments, after):
        if isinstance(before, list):
            assert_equal(now, before, f"A list given to {name}, after the call (a function must not change it)")
    return got


def assert_results(learner, name, requests, wanted):
    """A function of BPE returns these results. All calls come first, so that the diagnosis sees every result."""
    got = [result_of(learner, name, *arguments) for arguments in requests]
    for arguments, result, expected in zip(requests, got, wanted):
        assert_equal(result, expected, f"{name}({', '.join(map(repr, arguments))})")


# ---------------------------------------------------------------------------------------------------------------------
# Vocabulary


SPECIALS = ["<pad>", "<unk>", "<bos>", "<eos>"]


def build_vocabulary(learner, texts, tokenize=None, min_freq=1, max_size=None, encode=(), decode=()):
    ways = {"letters": list, "lines": str.splitlines, "commas": lambda text: text.split(",")}
    options = {"min_freq": min_freq, "max_size": max_size}
    if tokenize is not None:
        options["tokenize"] = ways[tokenize]
    vocabulary = learner.Vocabulary.from_texts(texts, **options)

    def call(method, given, more):
        """Options come as a dict of keywords, or as a list of arguments by position."""
        return method(given, **more) if isinstance(more, dict) else method(given, *more)

    return (
        [call(vocabulary.encode, text, more) for text, more in encode],
        [call(vocabulary.decode, ids, more) for ids, more in decode],
        vocabulary.id_to_token,
        vocabulary.token_to_id,
        len(vocabulary),
    )


def assert_vocabulary(learner, tokens, texts, **options):
    """The vocabulary holds the special tokens and then these, in this order, in its list and in its dictionary."""
    *_, id_to_token, token_to_id, length = learner.run(build_vocabulary, texts, **options)
    code = {"letters": "list", "lines": "str.splitlines", "commas": "lambda text: text.split(',')"}
    shown = "".join(f", {name}={code.get(value, value)}" for name, value in options.items())
    what = f"Vocabulary.from_texts({texts}{shown})"
    wanted = [*SPECIALS, *tokens]
    assert_equal(id_to_token, wanted, f"{what}.id_to_token")
    assert_equal(token_to_id, {token: i for i, token in enumerate(wanted)}, f"{what}.token_to_id")
    assert_equal(length, len(wanted), f"len({what})")


@pytest.mark.task("tokens.Vocabulary", points=1)
def test_ids_by_frequency(learner, reference, rng):
    """The special tokens are 0 to 3, then come the tokens by falling frequency."""
    words = sorted(some_words(rng, 5))
    ranked = [words[3], words[0], words[4], words[1], words[2]]
    # The rare ones are in several texts, the frequent ones in one: catches counting texts.
    texts = [" ".join(shuffled(rng, [ranked[0]] * 7 + [ranked[3]]))]
    texts += [" ".join(shuffled(rng, [word] * times + ranked[3:])) for word, times in ((ranked[1], 5), (ranked[2], 4))]
    assert_vocabulary(learner, ranked, texts)


def texts_of(rng, frequencies, count=3):
    """Some texts in which each word occurs as often as ``frequencies`` says, in a random order."""
    words = shuffled(rng, (word for word, times in frequencies.items() for _ in range(times)))
    return [" ".join(words[i::count]) for i in range(count)]


@pytest.mark.task("tokens.Vocabulary", points=1)
def test_equal_frequencies(learner, reference, rng):
    """Equally frequent tokens come in code-point order."""
    first, second, third = sorted(some_words(rng, 3))
    # Python compares code points. Capitals come before all small letters: catches comparing in lower case. A combining
    # accent makes another token: catches normalising.
    words = [first.upper(), third.capitalize(), first, second, third, f"ß{first}", f"é{first}", f"e\u0301{first}"]
    tokens = sorted([*"059", *words, "～", "😀"])
    texts = texts_of(rng, dict.fromkeys(tokens, 2))
    assert_vocabulary(learner, tokens, texts)
    assert_vocabulary(learner, tokens, [" ".join(shuffled(rng, tokens))])


@pytest.mark.task("tokens.Vocabulary", points=1)
def test_limits(learner, reference, rng):
    """min_freq occurrences are enough; max_size counts the special tokens and keeps the most frequent ones."""
    words = sorted(some_words(rng, 6))
    ranked = [words[3], words[0], words[4], words[1], words[5], words[2]]
    frequencies = dict(zip(ranked, [6, 4, 4, 3, 2, 1]))
    # The rarest come first in the texts, and of two equals the one that sorts second: catches cutting before sorting.
    texts = [" ".join(words[2:3] + words[5:6] * 2 + words[4:5]), *texts_of(rng, dict(zip(ranked[:4], [6, 4, 3, 3])))]
    for min_freq in (2, 3, 5):  # 2 and 3: one word occurs exactly that often
        kept = [word for word in ranked if frequencies[word] >= min_freq]
        assert_vocabulary(learner, kept, texts, min_freq=min_freq)
    for max_size in (5, 8, 6, 100, 4):  # 6: the limit falls between equally frequent ones; 4: only the special ones
        assert_vocabulary(learner, ranked[: max_size - 4], texts, max_size=max_size)
    assert_vocabulary(learner, ranked[:4], texts, min_freq=3, max_size=9)
    assert_vocabulary(learner, [], texts, min_freq=7)
    assert_vocabulary(learner, [], [])


@pytest.mark.task("tokens.Vocabulary", points=1)
def test_encode(learner, reference, rng):
    """Known tokens get their ids, unknown ones UNK; BOS and EOS are added on request."""
    a, b, c, unknown, other = some_words(rng, 5)
    texts = [" ".join([a, a, a, b, b, c])]
    requests = [
        (f"{c} {a}  {b}\n{a}", {}),
        (f"{a} {unknown} {b} {other} {unknown}", {}),
        (f"{unknown} {b}", {"add_bos": True}),
        (f"{b} {unknown}", {"add_eos": True}),
        (c, {"add_bos": True, "add_eos": True}),
        ("", {}),
        ("", {"add_bos": True, "add_eos": True}),
        (f"{c} {a.upper()} {b.capitalize()}", {}),  # other words: catches encoding in lower case
        (f"{a} {c}", [True, False]),
        (c, [False, True]),
    ]
    got, _, id_to_token, token_to_id, length = learner.run(build_vocabulary, texts, encode=requests)
    wanted = [[6, 4, 5, 4], [4, 1, 5, 1, 1], [2, 1, 5], [5, 1, 3], [2, 6, 3], [], [2, 3], [6, 1, 1], [2, 4, 6], [6, 3]]
    for (text, options), ids, expected in zip(requests, got, wanted):
        shown = "".join(f", {name}=True" if isinstance(options, dict) else f", {name}" for name in options)
        assert_equal(ids, expected, f"encode({text!r}{shown}) after Vocabulary.from_texts({texts})")
    after = "after encoding unknown tokens"  # catches a vocabulary that grows
    assert_equal(length, 7, f"The length of the vocabulary {after}")
    assert_equal((id_to_token, len(token_to_id)), ([*SPECIALS, a, b, c], 7), f"id_to_token and token_to_id {after}")


@pytest.mark.task("tokens.Vocabulary", points=1)
def test_special_tokens_in_texts(learner, reference, rng):
    """A token that is spelled like a special token is that special token."""
    a, b = some_words(rng, 2)
    texts = [f"<unk> <unk> <unk> {a} <eos>", f"<pad> {b} {b} <bos> <eos>"]
    assert_vocabulary(learner, [b, a], texts)
    assert_vocabulary(learner, [b], texts, max_size=5)
    assert_vocabulary(learner, ["<mask>", "<UNK>", "unk"], ["<UNK> <mask> unk <mask> <unk>"])  # these are words
    requests = [(f"<bos> {a} <pad> <unk> {b} <eos>", {}), (f"{b} <eos>", {"add_bos": True})]
    got, *_ = learner.run(build_vocabulary, texts, encode=requests)
    for ids, wanted, (text, _) in zip(got, [[2, 5, 0, 1, 4, 3], [2, 4, 3]], requests):
        assert_equal(ids, wanted, f"The ids of {text!r} after Vocabulary.from_texts({texts})")


@pytest.mark.task("tokens.Vocabulary", points=1)
def test_other_tokens_than_words(learner, reference, rng):
    """A `tokenize` that is passed cuts the texts, and later every text that is encoded."""
    a, *others = some_letters(rng, 3)
    b, c = sorted(others)
    # One space in two texts: catches counting texts, and joining them with a space before counting.
    texts = [f"{a}{a}{b}{a} {b}{c}", f"{a}{c}{a}"]
    assert_vocabulary(learner, [a, b, c, " "], texts, tokenize="letters")
    encode, decode = [(f"{c} {b}?{a}", {"add_eos": True})], [([4, 7, 5, 7], {})]
    (ids,), (text,), *_ = learner.run(build_vocabulary, texts, tokenize="letters", encode=encode, decode=decode)
    assert_equal(ids, [6, 7, 5, 1, 4, 3], f"encode('{c} {b}?{a}', add_eos=True) with tokenize=list")
    assert_equal(text, f"{a}   {b}  ", "decode([4, 7, 5, 7]) with tokenize=list, where 7 is a space")
    one, two = some_words(rng, 2)
    both = f"{one} {two}"
    texts, request = [f"{both},{two},{both}", f"{both},{two}"], f"{two},{one},{both}"
    (ids,), *_ = learner.run(build_vocabulary, texts, tokenize="commas", encode=[(request, {})])
    assert_equal(ids, [5, 1, 4], f"encode({request!r}) with a tokenize that cuts texts at commas")


def arguments_after_use(learner, texts, ids):
    vocabulary = learner.Vocabulary.from_texts(texts)
    vocabulary.decode(ids)
    vocabulary.decode(ids, skip_special=False)
    return texts, ids


@pytest.mark.task("tokens.Vocabulary", points=1)
def test_decode(learner, reference, rng):
    """decode joins tokens by single spaces, with or without the special tokens."""
    a, b, c = some_words(rng, 3)
    texts = [" ".join([a, a, a, b, b, c])]
    requests = [
        ([6, 4, 5, 4], {}),
        ([2, 4, 1, 6, 3, 5, 0, 0], {}),  # a token after EOS: catches stopping there
        ([2, 4, 1, 6, 3, 0], {"skip_special": False}),
        ([2, 1, 3], {}),
        ([], {}),
    ]
    wanted = [f"{c} {a} {b} {a}", f"{a} {c} {b}", f"<bos> {a} <unk> {c} <eos> <pad>", "", ""]
    _, got, *_ = learner.run(build_vocabulary, texts, decode=requests)
    for (ids, options), text, expected in zip(requests, got, wanted):
        shown = "".join(f", {name}={value}" for name, value in options.items())
        assert_equal(text, expected, f"decode({ids}{shown}) after Vocabulary.from_texts({texts})")
    texts_with_brackets = [f"<b> {a}> <s> <b>"]
    _, (got,), *_ = learner.run(build_vocabulary, texts_with_brackets, decode=[([2, 4, 5, 6, 3], {})])
    what = f"decode([2, 4, 5, 6, 3]) after Vocabulary.from_texts({texts_with_brackets})"
    assert_equal(got, f"<b> <s> {a}>", what)
    for ids in ([2, 4, 1, 6, 3], [6, 3, 0, 0]):
        after = learner.run(arguments_after_use, texts, ids)
        assert_equal(after, (texts, ids), ["The texts, after from_texts,", f"The ids {ids}, after decode(ids),"])


def decode_ids(learner, texts, ids, skip_special):
    return learner.Vocabulary.from_texts(texts).decode(ids, skip_special=skip_special)


@pytest.mark.task("tokens.Vocabulary", points=1)
def test_ids_out_of_range(learner, reference, rng):
    """An id that the vocabulary does not have raises ValueError."""
    a, b = some_words(rng, 2)
    # Negative ids catch code that waits for an IndexError: a list counts them from its end.
    for ids in ([4, 6], [6], [4, 5 + int(rng.integers(2, 1000)), 5], [-1], [4, -2, 5]):
        for skip in (True, False):
            what = f"decode({ids}, skip_special={skip}) with a vocabulary of 6 tokens"
            assert_raises(ValueError, lambda: learner.run(decode_ids, [f"{a} {b}"], ids, skip), what)
    _, (got,), *_ = learner.run(build_vocabulary, [f"{a} {a} {b}"], decode=[([5, 4, 0], {})])
    assert_equal(got, f"{b} {a}", f"decode([5, 4, 0]) after Vocabulary.from_texts({[f'{a} {a} {b}']})")


def build_two_vocabularies(learner, texts, more_texts):
    first = learner.Vocabulary.from_texts(texts)
    second = learner.Vocabulary.from_texts(more_texts)
    return first.id_to_token, first.token_to_id, second.id_to_token, second.token_to_id


def encode_with_two_tokenizers(learner, texts, text):
    """The ids of a text from two vocabularies, of words and of letters, encoded after both were built."""
    words = learner.Vocabulary.from_texts(texts)
    letters = learner.Vocabulary.from_texts(texts, list, 1, 8)
    return words.encode(text), letters.encode(text), len(letters)


@pytest.mark.task("tokens.Vocabulary", points=1)
def test_two_vocabularies(learner, reference, rng):
    """Two vocabularies are independent of each other."""
    a, b, c, d = some_words(rng, 4)
    texts, more_texts = [f"{a} {b} {a}"], [f"{c} {d} {d} {a} {d} {c}"]
    *first, second, second_ids = learner.run(build_two_vocabularies, texts, more_texts)
    one, two = (
        f"from the {nth} of two vocabularies, from_texts({of})"
        for nth, of in (("first", texts), ("second", more_texts))
    )
    assert_equal(first[0], [*SPECIALS, a, b], f"id_to_token {one}")
    assert_equal(first[1], dict(zip([*SPECIALS, a, b], range(6))), f"token_to_id {one}")
    assert_equal(second, [*SPECIALS, d, c, a], f"id_to_token {two}")
    assert_equal(second_ids, dict(zip([*SPECIALS, d, c, a], range(7))), f"token_to_id {two}")
    e, f, g, h = sorted(some_letters(rng, 4))
    texts, text = [f"{e}{f} {e}{f} {g}{h}{e}", f"{e}{f}{e}"], f"{g}{h}{e} {e}{f}"
    got = learner.run(encode_with_two_tokenizers, texts, text)
    # A size of 8 leaves room for four characters: e, f, the space and g, which occur 5, 3, 2 and 1 times.
    wanted = ([6, 4], [7, 1, 4, 6, 4, 5], 8)
    what = (f"{text!r} from a vocabulary of words", f"{text!r} from a second one, from_texts(texts, list, 1, 8)")
    assert_equal(got, wanted, (*(f"The ids of {one}" for one in what), "The size of the second vocabulary"))


# ---------------------------------------------------------------------------------------------------------------------
# train_bpe


def tied(counts):
    """How many pairs share the highest frequency."""
    return list(counts.values()).count(max(counts.values()))


def assert_merges(learner, *requests):
    """Requests are a text and a number of merges."""
    assert_results(learner, "train_bpe", requests, [learned(text, number)[0] for text, number in requests])


@pytest.mark.task("tokens.train_bpe", points=1)
def test_most_frequent_pair(learner, reference, rng):
    """Each step merges the most frequent pair; these texts have no ties."""

    def make():
        return " ".join(texts_of(rng, dict(zip(some_words(rng, 4, some_letters(rng, 4)), [9, 6, 3, 1]))))

    def suits(merges, steps):
        # Some merge builds on another: catches counting only once, before the first merge.
        return all(tied(counts) == 1 for counts in steps) and any(len(left + right) > 2 for left, right in merges)

    text, _ = text_where(make, 4, suits)
    assert_merges(learner, (text, 4), (text, 1))


@pytest.mark.task("tokens.train_bpe", points=1)
def test_every_place_counts(learner, reference, rng):
    """A pair counts wherever it occurs, overlaps included, and as often as its word occurs."""
    a, b, c, d, e = some_letters(rng, 5)
    assert_merges(
        learner,
        # 'aa' occurs three times in 'aaaa', more often than 'bc': catches leaving overlaps out.
        (f"{a * 4} {b}{c} {b}{c}", 1),
        (f"{b}{c} {a * 3} {a * 3}{d} {b}{c},{b}{c}", 1),
        # 'de' occurs three times in one word: catches counting words.
        (f"{a}{d}{e}{d}{e}{d}{e} {b}{c} {b}{c}", 1),
        # 'bc' is in two different words, 'de' in one that occurs four times: catches counting each word once.
        (f"{d}{e},{d}{e} {a}{b}{c},{d}{e} {b}{c},{d}{e}", 1),
    )


@pytest.mark.task("tokens.train_bpe", points=2)
def test_ties(learner, reference, rng):
    """Of equally frequent pairs the lexicographically greater one is merged."""
    a, b, c, d = sorted(some_letters(rng, 4))
    texts = [
        text_where(lambda: english(rng, 9, 4), 12, lambda _, steps: any(tied(counts) > 1 for counts in steps))[0]
        for _ in range(3)
    ]
    assert_merges(
        learner,
        (f"{a}{d},{b}{a},{c}{b}", 1),
        (f"{c}{b},{b}{a},{a}{d}", 1),
        (f"{a}{b},{a}{d},{a}{c}", 1),
        # First 'ab' is merged. Then (b'ab', b'a') is greater than (b'a', b'd'): catches comparing 'aba' with 'ad'.
        (f"{a}{b},{a}{b}{a},{a}{d}", 2),
        # And (b'c', b'a') is greater than (b'ab', b'a'): catches comparing ids, among which the new one is greatest.
        (f"{a}{b},{a}{b}{a},{c}{a}", 2),
        *((text, 12) for text in texts),
    )


def doubtless(text, num_merges):
    """How many merges, up to ``num_merges``, a text gives before two of them make the same bytes."""
    merges, _ = learned(text, num_merges)
    return max(number for number in range(len(merges) + 1) if without_doubt(merges[:number]))


@pytest.mark.task("tokens.train_bpe", points=1)
def test_left_to_right(learner, reference, rng):
    """The pair is merged wherever it occurs, from left to right, and nothing gets lost."""
    a, b, c, d = some_letters(rng, 4)
    texts = (
        f"{a * 5}{b}",  # aa|aa|a|b: catches merging from the right, and overlapping merges
        f"{a * 3}{c} {a * 3}{d} {a * 3}{b}",
        f"{b}{a}{c}{a}{c}{d} {b}{a}{c}{a}{c}{d}",  # catches merging the first occurrence alone
        f"{d}{a}{b} {d}{a}{b} {d}{a}{b}{c}{a}{b} {c}{a}{b}",  # the pair comes last: catches losing it
        # 'da' is merged first, then 'ab', which 'da'|'b' does not hold: catches replacing text.
        f"{d}{a},{d}{a},{d}{a},{d}{a}{b},{a}{b},{a}{b}",
    )
    assert_merges(learner, *((text, doubtless(text, 6)) for text in texts))


@pytest.mark.task("tokens.train_bpe", points=1)
def test_cut_first(learner, reference, rng):
    """No merge reaches across two pieces of GPT2_SPLIT; the space in front of a word is part of it."""
    a, b, c = some_letters(rng, 3)
    texts = (
        f"{a}{b} {a}{b} {a}{b}. {c}{b}! {c}{b}?",  # the space belongs to the word after it
        f"{a}1{a}1{a}1{b}{c} 20267 20267",  # letters and digits are separated; digits stay together
        f"we'll say {a}'ll, and it's {b}'s; don't. IT'S {a}'S",  # 'll and 's are pieces of their own, 'S is not
        f"{a}{b}\n\n{a}{b}\n\n\n{a}{c}\n\n\n\t  {a}{c}   ",  # runs of white space
        f"{a}{b}\r\n\r\n{a}{c}\r\n\r\n{b}",  # line ends of other systems
        f"{a.upper()}{b} {a}{b} {a.upper()}{b} {a.upper()}{b}",  # capitals are other bytes
    )
    assert_merges(learner, *((text, doubtless(text, 14)) for text in texts))


@pytest.mark.task("tokens.train_bpe", points=1)
def test_bytes(learner, reference, rng):
    """Merges join bytes: a character beyond ASCII is several bytes."""
    a, b = some_letters(rng, 2)
    letter = rng.choice(["é", "ö", "ß", "ñ"])
    texts = (
        f"{a}{letter} {letter}{letter}{b} {letter}",
        f"{a}€{b} €€, 😀😀 {a}😀",
        f"東京 東京都 {a}京",
        f"e\u0301{a} e\u0301 ﬁ",
    )
    assert_merges(learner, *((text, doubtless(text, 6)) for text in texts))


@pytest.mark.task("tokens.train_bpe", points=1)
def test_nothing_left(learner, reference, rng):
    """Training ends when no pair is left, and not before: a pair that occurs only once is merged too."""
    a, b, c, d = some_letters(rng, 4)
    assert_merges(learner, *((text, 50) for text in (f"{a}{b}{c} {d}", f"{a}{b} {a}{b}", a, "", f"{a},{b}.{c}")))


@pytest.mark.task("tokens.train_bpe", points=1)
def test_number_of_merges(learner, reference, rng):
    """As many merges as requested; none for 0; a negative number raises ValueError."""
    text, _ = text_where(lambda: english(rng, 40), 15)
    assert_merges(learner, (text, 15), (text, 7), (text, 0))
    for num_merges in (-1, -int(rng.integers(2, 100))):
        what = f"train_bpe(text, {num_merges})"
        assert_raises((ValueError, TypeError), lambda: result_of(learner, "train_bpe", text, num_merges), what)


# ---------------------------------------------------------------------------------------------------------------------
# bpe_encode


def encoded(text, merges):
    """The ids of a text: every merge in the order of learning, in each piece."""
    numbers = {bytes([byte]): byte for byte in range(256)}
    pieces = pieces_of(text)
    for i, pair in enumerate(merges):
        numbers[b"".join(pair)] = 256 + i
        pieces = [merged(parts, pair) for parts in pieces]
    return [numbers[part] for parts in pieces for part in parts]


def assert_ids(learner, texts, *several_merges):
    """Each text is encoded with each of the lists of merges."""
    requests = [(text, merges) for merges in several_merges for text in texts]
    assert_results(learner, "bpe_encode", requests, [encoded(text, merges) for text, merges in requests])


@pytest.mark.task("tokens.bpe_encode", points=1)
def test_bytes_without_merges(learner, reference, rng):
    """Without merges the ids are the bytes of the text."""
    a, b, c = some_words(rng, 3)
    assert_ids(learner, (f"{a} {b}, {c}!", f" {c}\n\t{a}  ", f"{a} € é{b} 😀", "", "\0\x7f\r\n"), [])


@pytest.mark.task("tokens.bpe_encode", points=1)
def test_ids_of_merges(learner, reference, rng):
    """Merge i has the id 256 + i."""
    a, b, c, d = some_letters(rng, 4)
    merges = [(left.encode(), right.encode()) for left, right in ((a, b), (c, d), (" ", a))]
    # Every merge by itself: nothing here is merged twice, and no merge competes with another.
    assert_ids(learner, (f"{a}{b}", f"{c}{d}{a}{b}", f"{c} {a}{c}{d}.{d}"), merges)


@pytest.mark.task("tokens.bpe_encode", points=2)
def test_earliest_learned_first(learner, reference, rng):
    """Of the merges that are present, the earliest-learned one is applied, until no merge is present."""
    a, b, c, d = (letter.encode() for letter in some_letters(rng, 4))
    word = (a + b + c + d).decode()
    # (b, c) or (c, d) was learned first: catches taking the leftmost, the longest, or the latest.
    assert_ids(
        learner,
        (word, word[:3], word * 2, f"{word}{word[1:]} {word[:3]}", word[::-1] + word),
        [(b, c), (a, b), (c, d)],
        [(b, c), (c, d), (a, b), (a, b + c), (a + b + c, d)],
        [(c, d), (a, b), (b, c), (a + b, c + d)],
        [(b, c), (d, a), (b + c, d), (b + c + d, a)],
        [(b, c), (a, b), (a + b, c)],  # 'abc' is a|bc although there is a token for it: catches looking words up
    )
    for _ in range(3):
        text, merges = text_where(lambda: english(rng, 40, 5), 18)
        letters = sorted({*text} - set(" .,"))
        assert_ids(learner, (text, " ".join(some_words(rng, 10, letters))), merges)


@pytest.mark.task("tokens.bpe_encode", points=1)
def test_runs_of_one_letter(learner, reference, rng):
    """Equal neighbours are merged from left to right."""
    letter = rng.choice(string.ascii_lowercase)
    single = letter.encode()
    merges = [(single, single), (single * 2, single * 2), (single * 4, single)]
    assert_ids(learner, [letter * length for length in (2, 3, 5, 7, 8, 13)], merges[:1], merges)


@pytest.mark.task("tokens.bpe_encode", points=1)
def test_encode_cut_first(learner, reference, rng):
    """No merge is applied across two pieces, and white space is kept."""
    a, b, c = some_letters(rng, 3)
    # 's is one piece, 'S is two; and é is a letter: catches a pattern that takes it for punctuation.
    pairs = (f"{a}1", f"{b} ", f"{c}.", f" {a}", "  ", "\n\n", "'s", "'S")
    merges = [(pair[:1].encode(), pair[1:].encode()) for pair in pairs] + [(a.encode(), b"\xc3"), (b"\xa9", b.encode())]
    texts = (f"{a}1{b} {a}{c}.", f"{b} {b}   {a}", f"{a}\n\n\n{b}\n\n", f"  {c}. {a}1 ", f"{b}'s{a} '{b}'S {c}")
    texts += (f"{a}é{b} é{b}",)
    assert_ids(learner, texts, merges)


@pytest.mark.task("tokens.bpe_encode", points=1)
def test_texts_never_seen(learner, reference, rng):
    """Merges learned from one text encode any other, and stay as they were."""
    text, merges = text_where(lambda: english(rng, 30) + " café, naïve; 東京 東京 😀😀", 25)
    others = (text[::-1], "Ünïcödé: e\u0301 ﬁ 東 京都 😀", f"CAPITALS\t{text[:20]}\r\n12345", text)
    assert_ids(learner, others, merges)


# ---------------------------------------------------------------------------------------------------------------------
# bpe_decode


def assert_texts(learner, merges, *pairs):
    """Pairs of ids and the text that they stand for."""
    requests = [(ids, merges) for ids, _ in pairs]
    assert_results(learner, "bpe_decode", requests, [text for _, text in pairs])


@pytest.mark.task("tokens.bpe_decode", points=1)
def test_decode_bytes_and_merges(learner, reference, rng):
    """An id below 256 is that byte; the id of a merge is its left part and then its right part."""
    a, b, c, d = (letter.encode() for letter in some_letters(rng, 4))
    merges = [(a, b), (c, d), (a + b, c), (b" ", a + b + c), (c + d, c + d)]
    spelled = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    several = [[*a, *d], [256], [257, 259, *b], [260, 258, 256, *c], shuffled(rng, range(256, 261))]
    assert_texts(learner, merges, *((ids, b"".join(spelled[i] for i in ids).decode()) for ids in several))
    assert_texts(learner, [], (list(b"no merges"), "no merges"))


@pytest.mark.task("tokens.bpe_decode", points=1)
def test_characters_in_several_tokens(learner, reference, rng):
    """A character whose bytes lie in different tokens is put together."""
    word = rng.choice(some_words(rng, 3))
    texts = (f"é{word}", f"{word} €", f"😀{word}", "東京")
    assert_texts(learner, [], *((list(text.encode()), text) for text in texts))
    # Id 256 is the last byte of one character and the first of the next; id 257 is the two bytes of a single é.
    assert_texts(
        learner,
        [(b"\xa9", b"\xc3"), (b"\xc3", b"\xa9")],
        ([0xC3, 256, 0xA9], "éé"),
        ([*word.encode(), 257], f"{word}é"),
    )


@pytest.mark.task("tokens.bpe_decode", points=1)
def test_invalid_bytes(learner, reference, rng):
    """Bytes that are no valid UTF-8 become U+FFFD, wherever they are."""
    word = rng.choice(some_words(rng, 3))
    data = word.encode()
    pairs = (
        ([*data, 0xFF], f"{word}\ufffd"),
        ([0x80, *data], f"\ufffd{word}"),
        ([*data, 0xC3, *data], f"{word}\ufffd{word}"),
        ([*data, *"€".encode()[:2]], f"{word}\ufffd"),  # a character that is not finished yet
        ([256, *data], f"\ufffd{word[0]}{word}"),
        ([257, 0xC3, *data], f"é\ufffd{word}"),
        ([*"é€".encode(), 0xFF], "é€\ufffd"),  # catches decoding each token alone as soon as one byte is invalid
        ([*data, 0xED, 0xA0, 0x80, *data], f"{word}\ufffd{word}"),  # half of a pair of surrogates
        ([*"é€".encode(), 0xFF], "é€\ufffd"),  # catches decoding each token alone where some byte is invalid
    )
    merges = [(b"\xfe", data[:1]), (b"\xc3", b"\xa9")]
    got = [result_of(learner, "bpe_decode", ids, merges) for ids, _ in pairs]
    for (ids, text), result in zip(pairs, got):
        # Several bad bytes in a row may become one U+FFFD or more.
        result = re.sub("\ufffd+", "\ufffd", result) if isinstance(result, str) else result
        assert_equal(result, text, f"bpe_decode({ids}, {merges})")


@pytest.mark.task("tokens.bpe_decode", points=2)
def test_round_trip(learner, reference, rng):
    """Decoding gives the encoded text back exactly, white space and strange characters included."""
    text, merges = text_where(lambda: english(rng, 30), 20)
    texts = (
        text,
        f"  {text[:30]}\n\n ",  # catches stripping
        f"<bos> {text[:20]}</w><|endoftext|>\n",  # none of these is special to byte pairs
        " ".join([text] * 3),
        f"{text[:9]}\r\n{text[5:15]}\r\t\0",
        f"\ufeff{text[:12]} e\u0301 é ﬁ Å \u00a0 \u2028 \U0010ffff",  # a byte-order mark; letters that look alike
        "",
    )
    assert_texts(learner, merges, *((encoded(one, merges), one) for one in texts))
