"""Checks of the unit on BLEU. Expected values come from counting windows one at a time, not from the reference.

First comes what several tasks share, then each task with its drivers, helpers and checks, from basic to subtle. The
sentences are random, of few words, so that n-grams repeat.
"""

import itertools
import math

import pytest

from autograder.judging.assertions import assert_equal, assert_python_number
from autograder.judging.replies import assert_refused, reply_of
from autograder.units.support.drivers import call_and_look_back, refusal, refusal_in_short

# Case and punctuation carry meaning: catches code that tokenises again.
WORDS = ["may", "May", "I", "go", ",", "."]


# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def sentence(rng, length, words=WORDS):
    """Random tokens."""
    return [rng.choice(words) for _ in range(length)]


def windows(tokens, n):
    """All runs of ``n`` neighbours, in order."""
    return [tuple(tokens[i : i + n]) for i in range(len(tokens)) if i + n <= len(tokens)]


def assert_number(got, expected, what, tolerance=1e-9):
    """The result is a Python number, not a tensor, and has this value."""
    assert_python_number(got, expected, what, 1e-12, tolerance)


def refusals(learner, name, calls):
    """For each call: how the function refused it, or what it returned."""
    function = getattr(learner, name)  # outside the calls, so that a missing function is no refusal
    return [refusal_in_short(lambda args=args: function(*args)) for args in calls]


def assert_all_refused(learner, name, calls):
    """Each call, the arguments by position, raises ValueError or TypeError."""
    outcomes = reply_of(learner, refusals, name, calls, parts=len(calls), uses=(refusal, refusal_in_short))
    for args, outcome in zip(calls, outcomes):
        kinds = ("TypeError", "ValueError") if isinstance(args[0], str) else ("ValueError", "TypeError")
        assert_refused(outcome, f"{name}({', '.join(map(repr, args))})", kinds)  # shows the first, accepts both


def assert_left_alone(after, before, name):
    if after != before:
        raise AssertionError(f"{name} changed its arguments: {before!r} became {after!r}. Work on a copy.")


# ---------------------------------------------------------------------------------------------------------------------
# ngram_counts


def counted(tokens, n):
    return {window: windows(tokens, n).count(window) for window in windows(tokens, n)}


def assert_counts(got, expected, what):
    """Counts of n-grams. An entry of 0 counts as none, as it does for a Counter."""
    if not isinstance(got, dict):
        raise AssertionError(f"{what} should be a Counter, but is {type(got).__name__}.")
    wrong = [key for key in got if not isinstance(key, tuple)]
    if wrong:
        raise AssertionError(f"{what} should have tuples of tokens as its keys, but has the key {wrong[0]!r}.")
    assert_equal({key: count for key, count in got.items() if count != 0}, expected, what)


@pytest.mark.task("bleu.ngram_counts", points=1)
def test_windows(learner, reference, rng):
    """Every run of n neighbours is counted, for n from 1 to 5."""
    # The first and the last token occur once: catches starting late and stopping early. Two sentences of the
    # same length with n = 2: catches results that are cached by anything but the tokens.
    for n in (2, 3, 1, 4, 2, 5):
        tokens = ["<first>", *sentence(rng, 7), "<last>"]
        assert_counts(learner.ngram_counts(tokens, n), counted(tokens, n), f"ngram_counts({tokens}, {n})")


@pytest.mark.task("bleu.ngram_counts", points=1)
def test_repeated_ngrams(learner, reference, rng):
    """An n-gram that occurs several times is counted each time."""
    for n in (1, 2, 3):
        tokens = sentence(rng, 12, words=["the", "cat"])  # two words: catches counting once, and sorting
        tokens += tokens[:5]
        assert_counts(learner.ngram_counts(tokens, n), counted(tokens, n), f"ngram_counts({tokens}, {n})")


@pytest.mark.task("bleu.ngram_counts", points=1)
def test_short_sentences(learner, reference, rng):
    """Sentences of n tokens have one n-gram; shorter and empty ones have none."""
    tokens = sentence(rng, 4)
    for length, n in ((4, 4), (3, 4), (1, 1), (1, 2), (2, 5), (0, 1), (0, 3)):
        what = f"ngram_counts({tokens[:length]}, {n})"
        assert_counts(learner.ngram_counts(tokens[:length], n), counted(tokens[:length], n), what)


def kinds_of_counts(learner, tokens, n):
    """The names of the class of the result and of its base classes, and the result."""
    counts = learner.ngram_counts(tokens, n)
    return [kind.__name__ for kind in type(counts).__mro__], counts


@pytest.mark.task("bleu.ngram_counts", points=1)
def test_counter(learner, reference, rng):
    """The result is a Counter whose keys are tuples."""
    tokens = sentence(rng, 8)
    kinds, counts = learner.run(kinds_of_counts, tokens, 2)
    assert_counts(counts, counted(tokens, 2), f"ngram_counts({tokens}, 2)")
    if not isinstance(kinds, (tuple, list)) or "Counter" not in kinds:
        raise AssertionError(
            f"ngram_counts({tokens}, 2) should return a collections.Counter, which gives 0 for what it lacks, but "
            "returned another kind of dict."
        )


@pytest.mark.task("bleu.ngram_counts", points=1)
def test_tokens_and_wrong_input(learner, reference, rng):
    """The list of tokens is left as it was; a string, and n below 1, are refused."""
    tokens = sentence(rng, 8)
    counts, after, _ = learner.run(call_and_look_back, "ngram_counts", [tokens, 3])
    assert_counts(counts, counted(tokens, 3), f"ngram_counts({tokens}, 3)")
    assert_left_alone(after, [tokens, 3], "ngram_counts")
    assert_all_refused(learner, "ngram_counts", [(" ".join(tokens), 2), ("tac", 1), (tokens, 0), (tokens, -1)])


# ---------------------------------------------------------------------------------------------------------------------
# modified_precision


def clipped_and_total(candidate, references, n):
    """How many n-grams match, each at most as often as it occurs in any single reference; and how many there are."""
    own, others = windows(candidate, n), [windows(reference, n) for reference in references]
    matches = [min(own.count(window), max(other.count(window) for other in others)) for window in set(own)]
    return sum(matches), len(own)


def assert_pair(got, expected, what):
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        raise AssertionError(f"{what} should be a pair (clipped, total), but is {got!r}.")
    for item, wanted, name in zip(got, expected, ("clipped", "total")):
        assert_number(item, wanted, f"{name} of {what}")


@pytest.mark.task("bleu.modified_precision", points=2)
def test_one_reference(learner, reference, rng):
    """Clipped and total counts for one reference."""
    for n in (1, 2, 3):
        # 'the' occurs 3 times in the reference and 5 times in the candidate: catches clipping at 1, and not clipping.
        base = sentence(rng, 5, words=["a", "b"])
        candidate = [*base, "the", "the", "a", "the", "the", "the", "cat", *base]
        one = ["a", "the", "the", "the", *base, "The", "sat", *base[:3]]
        what = f"modified_precision({candidate}, [{one}], {n})"
        assert_pair(learner.modified_precision(candidate, [one], n), clipped_and_total(candidate, [one], n), what)


@pytest.mark.task("bleu.modified_precision", points=1)
def test_only_repeats(learner, reference, rng):
    """A candidate that repeats one word (the example of Papineni et al.)."""
    word, other = rng.choice([["the", "cat"], ["a", "dog"], ["le", "chat"]])
    references = [[word, other, "is", "on", word, "mat"], ["there", "is", "one", other, "on", word, "mat"]]
    # 2 of 7: catches 7 (no clipping), 3 (counts added) and 1 (sets). Then 1 of 5 and of 7: catches references that are
    # kept, and results that are cached by the length of the candidate.
    fewer = references[1:]
    for count, given, clipped in (
        (7, references, 2),
        (4, references, 2),
        (2, references, 2),
        (5, fewer, 1),
        (7, fewer, 1),
        (7, [[other, "sat", "there"]], 0),  # a single reference again, but a different one
    ):
        got = learner.modified_precision([word] * count, given, 1)
        assert_pair(got, (clipped, count), f"modified_precision({[word] * count}, {given}, 1)")


@pytest.mark.task("bleu.modified_precision", points=2)
def test_several_references(learner, reference, rng):
    """Each n-gram is clipped by the reference that has it most often."""
    for n, number in ((2, 3), (1, 3), (1, 2), (3, 4)):
        base = sentence(rng, 6, words=["the", "cat", "sat"])
        # The candidate has n-grams of several references, and some of them more often than any reference. The second
        # reference fits best. The candidate's end, z and base[0], occurs only across the border of two references.
        candidate = [*base, "x", "x", "x", *base, "y", "y", "y", "y", "z", base[0]]
        references = [
            [*base, "y", "y", "y", "y", "z"],
            [*base, *base, "x", "x", "z"],
            ["z", "x", "x", *base[:4]],
            ["x"],
        ]
        references = references[:number]
        got = learner.modified_precision(candidate, references, n)
        expected = clipped_and_total(candidate, references, n)
        assert_pair(got, expected, f"modified_precision({candidate}, {references}, {n})")


@pytest.mark.task("bleu.modified_precision", points=1)
def test_short_candidates(learner, reference, rng):
    """Candidates of n tokens, of fewer and of none are right, and references shorter than n."""
    tokens = sentence(rng, 4, words=["p", "q", "r"])
    for length, others, n in (
        (4, [tokens], 4),
        (3, [tokens], 4),
        (1, [tokens, ["s"]], 3),
        (0, [tokens], 1),
        (0, [[]], 2),
        (4, [tokens[:1], []], 2),
    ):
        what = f"modified_precision({tokens[:length]}, {others}, {n})"
        got = learner.modified_precision(tokens[:length], others, n)
        assert_pair(got, clipped_and_total(tokens[:length], others, n), what)


@pytest.mark.task("bleu.modified_precision", points=1)
def test_sentences_unchanged(learner, reference, rng):
    """Candidate and references are left as they were."""
    candidate = sentence(rng, 8, words=["a", "b"])
    # The references are sorted neither by words nor by length: catches sorting them.
    references = [["b", *sentence(rng, 8, words=["a", "b"])], ["a", *sentence(rng, 6, words=["b", "c"]), "b"]]
    got, after, _ = learner.run(call_and_look_back, "modified_precision", [candidate, references, 2])
    expected = clipped_and_total(candidate, references, 2)
    assert_pair(got, expected, f"modified_precision({candidate}, {references}, 2)")
    assert_left_alone(after, [candidate, references, 2], "modified_precision")


# ---------------------------------------------------------------------------------------------------------------------
# brevity_penalty


@pytest.mark.task("bleu.brevity_penalty", points=2)
def test_shorter(learner, reference, rng):
    """The penalty is below 1 for candidates that are shorter than the reference."""
    reference_length = int(rng.integers(20, 30))
    # The first candidate is less than half as long: there the quotient of // is more than 1.
    for length in (reference_length // 2 - 1, reference_length - 1, reference_length - 4, 3, 1):
        expected = math.e ** ((length - reference_length) / length)
        what = f"brevity_penalty({length}, {reference_length})"
        assert_number(learner.brevity_penalty(length, reference_length), expected, what)


@pytest.mark.task("bleu.brevity_penalty", points=1)
def test_long_enough(learner, reference, rng):
    """The penalty is exactly 1 for candidates that are as long as the reference, or longer."""
    length = int(rng.integers(5, 20))
    for more in (7, 1, 0, 3 * length):
        got = learner.brevity_penalty(length + more, length)
        assert_number(got, 1.0, f"brevity_penalty({length + more}, {length})")


@pytest.mark.task("bleu.brevity_penalty", points=1)
def test_empty(learner, reference, rng):
    """0 for an empty candidate, 1 for an empty reference, 0 for both."""
    length = int(rng.integers(4, 12))
    for lengths, expected in (((length, length), 1.0), ((0, length), 0.0), ((length, 0), 1.0), ((0, 0), 0.0)):
        assert_number(learner.brevity_penalty(*lengths), expected, f"brevity_penalty{lengths}", tolerance=0.0)


# ---------------------------------------------------------------------------------------------------------------------
# closest_reference_length


def nearest(candidate, references):
    """The closest reference length, found by stepping away from the candidate's length, downwards first."""
    lengths = [len(reference) for reference in references]
    for distance in itertools.count():
        for length in (len(candidate) - distance, len(candidate) + distance):
            if length in lengths:
                return length


def check_closest(learner, rng, length, lengths):
    candidate, references = sentence(rng, length), [sentence(rng, other) for other in lengths]
    got = learner.closest_reference_length(candidate, references)
    what = f"closest_reference_length for a candidate of {length} tokens and references of {lengths} tokens"
    assert_number(got, nearest(candidate, references), what)
    if isinstance(got, float):
        raise AssertionError(f"{what} should be an int, but is the float {got}.")


@pytest.mark.task("bleu.closest_reference_length", points=1)
def test_nearest(learner, reference, rng):
    """The nearest of several lengths, longer or shorter."""
    # The nearest is never the first or the last of the list, and mostly neither the shortest nor the longest.
    length = int(rng.integers(9, 13))
    for offsets in ((-5, 2, 4, -7), (6, -8, -2, 3), (7, 3, 2, 5), (-4, -2, -6), (-3, 1, -5, 9)):
        check_closest(learner, rng, length, [length + offset for offset in offsets])


@pytest.mark.task("bleu.closest_reference_length", points=1)
def test_ties(learner, reference, rng):
    """Of two lengths that are equally near, the shorter one counts, in whatever order they come."""
    length = int(rng.integers(8, 12))
    for offsets in ((2, -2), (-3, 3), (4, 6, -4, -7), (-1, 1, 5), (1, 5, -1), (-2, 2, -2)):
        check_closest(learner, rng, length, [length + offset for offset in offsets])


@pytest.mark.task("bleu.closest_reference_length", points=1)
def test_special_lengths(learner, reference, rng):
    """One reference, an empty candidate, an empty reference; 2 is nearer to 4 than 7 is."""
    for length, lengths in ((5, [9]), (0, [6, 3, 8]), (4, [7, 2]), (1, [5, 0]), (3, [0, 8]), (2, [0, 4]), (6, [6, 6])):
        check_closest(learner, rng, length, lengths)


@pytest.mark.task("bleu.closest_reference_length", points=1)
def test_references_unchanged(learner, reference, rng):
    """The references are left as they were, in their order."""
    candidate, references = sentence(rng, 7), [sentence(rng, length) for length in (10, 4, 9, 12, 3)]
    got, after, _ = learner.run(call_and_look_back, "closest_reference_length", [candidate, references])
    what = "closest_reference_length for a candidate of 7 tokens and references of [10, 4, 9, 12, 3] tokens"
    assert_number(got, 9, what)
    assert_left_alone(after, [candidate, references], "closest_reference_length")


# ---------------------------------------------------------------------------------------------------------------------
# corpus_bleu


def noisy_copy(rng, tokens, changes):
    """The tokens with some of them replaced."""
    changed = rng.uniform(len(tokens)).argsort()[:changes].tolist()
    others = [[word for word in WORDS if word != token] for token in tokens]
    return [rng.choice(others[index]) if index in changed else token for index, token in enumerate(tokens)]


def candidate_of(rng, length, extra=0):
    """A candidate for one reference: its first ``length`` tokens changed a little, then ``extra`` new ones."""
    reference = sentence(rng, length + max(0, -extra))
    return noisy_copy(rng, reference[:length], 2) + sentence(rng, max(0, extra)), reference


def corpus(rng, shapes):
    """Candidates with one reference each; ``shapes`` are pairs (length, how many tokens longer than the reference).

    Two tokens of a long sentence are changed, so that n-grams of every length match, but not all of them.
    """
    pairs = [candidate_of(rng, length, extra) for length, extra in shapes]
    return [candidate for candidate, _ in pairs], [[reference] for _, reference in pairs]


def score(candidates, references, max_n=4, plus=0):
    """BLEU as a product and a root; ``plus`` is added to the counts of n > 1."""
    product = 1.0
    for n in range(1, max_n + 1):
        pairs = [clipped_and_total(candidate, own, n) for candidate, own in zip(candidates, references)]
        clipped, total = (sum(column) + (plus if n > 1 else 0) for column in zip(*pairs))
        product *= clipped / total if clipped else 0.0
    c, r = sum(map(len, candidates)), sum(nearest(candidate, own) for candidate, own in zip(candidates, references))
    penalty = 1.0 if c >= r else math.e ** ((c - r) / c) if c else 0.0
    return 100 * penalty * product ** (1 / max_n)


def assert_score(learner, candidates, references, expected, what, **options):
    got = learner.corpus_bleu(candidates, references, **options)
    assert_number(got, expected, f"corpus_bleu of {what}", tolerance=1e-6)


@pytest.mark.task("bleu.corpus_bleu", points=2)
def test_one_sentence(learner, reference, rng):
    """One candidate, as long as its reference: the geometric mean of four precisions."""
    for length in (16, 20):
        candidates, references = corpus(rng, [(length, 0)])
        assert_score(learner, candidates, references, score(candidates, references), "one sentence")
    perfect = [sentence(rng, 9)]
    assert_score(learner, perfect, [perfect], 100.0, "a candidate that is its own reference")


@pytest.mark.task("bleu.corpus_bleu", points=1)
def test_several_sentences(learner, reference, rng):
    """Counts are added over the corpus before they are divided."""
    # The lengths differ a lot, so that a mean over the sentences is not the quotient of the sums.
    candidates, references = corpus(rng, [(20, 0), (8, 0), (12, 0)])
    candidates.append(sentence(rng, 6, words=["x", "y", "z"]))  # matches nothing: its score alone is 0
    references.append([sentence(rng, 6)])
    assert_score(learner, candidates, references, score(candidates, references), "four sentences")
    candidates.append(candidates[1])  # catches counting each candidate once
    references.append(references[1])
    assert_score(learner, candidates, references, score(candidates, references), "five sentences, two of them the same")


@pytest.mark.task("bleu.corpus_bleu", points=1)
def test_lengths_of_the_corpus(learner, reference, rng):
    """The brevity penalty compares the lengths of the whole corpus."""
    # One too long, one too short: catches a penalty for each sentence.
    for shapes in (((16, 5), (10, -1)), ((18, -3), (9, 0)), ((12, 3), (14, -6), (10, -2))):
        candidates, references = corpus(rng, shapes)
        assert_score(learner, candidates, references, score(candidates, references), "sentences that differ in length")


@pytest.mark.task("bleu.corpus_bleu", points=1)
def test_references_of_each(learner, reference, rng):
    """Candidates may have several references, and need not have equally many."""
    for numbers in ((3, 1, 2), (2, 2)):  # equally many: catches the layout of sacreBLEU
        candidates, references = [], []
        for number in numbers:
            candidate = sentence(rng, 14)
            # None of the references is as long as the candidate, and the nearest is longer and comes last.
            own = [noisy_copy(rng, candidate, 4) + sentence(rng, 5), noisy_copy(rng, candidate, 3)[:10]]
            own.append(noisy_copy(rng, candidate, 3) + sentence(rng, 1))
            candidates.append(candidate)
            references.append(own[-number:])
        assert_score(
            learner,
            candidates,
            references,
            score(candidates, references),
            f"candidates with {' and '.join(map(str, numbers))} references",
        )
    candidate = sentence(rng, 14)
    own = [noisy_copy(rng, candidate, 3) + sentence(rng, 3), noisy_copy(rng, candidate, 3)[:11]]
    for order in (own, own[::-1]):  # equally near: catches taking the first or the last of them
        assert_score(learner, [candidate], [order], score([candidate], [order]), "a candidate between two references")


@pytest.mark.task("bleu.corpus_bleu", points=1)
def test_max_n(learner, reference, rng):
    """Other values of max_n than 4."""
    for max_n in (2, 3, 1, 5):
        candidates, references = corpus(rng, [(18, 0), (20, -2)])
        expected = score(candidates, references, max_n)
        assert_score(learner, candidates, references, expected, f"two sentences, max_n={max_n}", max_n=max_n)


@pytest.mark.task("bleu.corpus_bleu", points=1)
def test_no_match(learner, reference, rng):
    """The score is 0 when, for some length, no n-gram matches or there is no n-gram."""
    words = ["a", "b", "c", "d", "e", "f"]
    rest = sentence(rng, 3)
    for what, candidate, one in (
        ("a candidate with no 4-gram in common", [*words[:3], "x", *rest], [*words[:3], "y", *rest]),
        ("a candidate with no word in common", words, ["x", "y", "z", *rest]),
        ("a candidate of three tokens, which are right", rest, rest),
        ("an empty candidate", [], words),
        ("an empty candidate with an empty reference", [], []),
    ):
        assert_score(learner, [candidate], [[one]], 0.0, what)
    # The same words with max_n = 3 do not score 0.
    candidate, one = [*words[:3], "x", *rest], [*words[:3], "y", *rest]
    assert_score(
        learner,
        [candidate],
        [[one]],
        score([candidate], [[one]], 3),
        "a candidate with no 4-gram in common, max_n=3",
        max_n=3,
    )


@pytest.mark.task("bleu.corpus_bleu", points=2)
def test_add_k(learner, reference, rng):
    """smooth="add-k" adds 1 to the counts of n = 2 and up, once for the corpus."""
    for max_n, shapes in (
        (4, [(14, 0), (11, 0)]),
        (4, [(9, -1), (12, 0), (7, 1)]),
        (3, [(10, 0), (8, -2)]),
        (5, [(17, 0), (13, 1)]),
    ):
        candidates, references = corpus(rng, shapes)
        expected = score(candidates, references, max_n, plus=1)
        what = f"{len(shapes)} sentences, smooth='add-k', max_n={max_n}"
        assert_score(learner, candidates, references, expected, what, max_n=max_n, smooth="add-k")


@pytest.mark.task("bleu.corpus_bleu", points=1)
def test_add_k_without_match(learner, reference, rng):
    """smooth="add-k" handles n-grams without a match, no n-grams at all, and no common word."""
    words = sentence(rng, 3, words=["a", "b", "c"])
    for what, candidate, one in (
        ("a candidate with no 4-gram in common", [*words, "x", *words], [*words, "y", *words]),
        ("a candidate with only single words in common", ["a", "x", "b", "y", "c"], ["c", "u", "a", "v", "w"]),
        ("a candidate of one token, which is right", ["a"], ["a"]),  # 0 of 0 becomes 1 of 1
        ("a candidate of three tokens, which are right", words, words),
        ("a candidate with two of the four tokens", words[:2], [*words, "d"]),
        (
            "a candidate with no word in common",
            ["x", "y", "z", "x", "y"],
            ["a", "b", "c", "d", "e"],
        ),  # unigrams are not smoothed
        ("an empty candidate", [], words),
    ):
        expected = score([candidate], [[one]], plus=1)
        assert_score(learner, [candidate], [[one]], expected, f"{what}, smoothed", smooth="add-k")


@pytest.mark.task("bleu.corpus_bleu", points=1)
def test_empty_and_short_ones(learner, reference, rng):
    """Empty and short candidates among others count with their length; an empty corpus scores 0."""
    candidates, references = corpus(rng, [(16, 0), (12, 1)])
    candidates[1:1], references[1:1] = [[]], [[sentence(rng, 4)]]
    assert_score(learner, candidates, references, score(candidates, references), "three sentences, one of them empty")
    candidates[1], references[1] = ["x", ","], [[",", "x", "."]]
    expected = score(candidates, references)
    assert_score(learner, candidates, references, expected, "three sentences, one of them of two tokens")
    for smooth in (None, "add-k"):
        assert_score(learner, [], [], 0.0, f"an empty corpus, smooth={smooth!r}", smooth=smooth)


@pytest.mark.task("bleu.corpus_bleu", points=1)
def test_corpus_and_wrong_input(learner, reference, rng):
    """The lists stay as they were; lists of different lengths, max_n below 1 and unknown smoothing are refused."""
    candidates, references = corpus(rng, [(12, 0), (15, -1)])
    references[0].append(sentence(rng, 3))
    got, after, _ = learner.run(call_and_look_back, "corpus_bleu", [candidates, references])
    assert_number(got, score(candidates, references), "corpus_bleu of two sentences", tolerance=1e-6)
    assert_left_alone(after, [candidates, references], "corpus_bleu")
    calls = [(candidates, references[:1]), (candidates[:1], references)]  # zip would not complain
    calls += [(candidates, references, max_n, smooth) for max_n in (0, -1) for smooth in (None, "add-k")]
    calls += [(candidates, references, 4, smooth) for smooth in ("add-one", "exp", "")]
    assert_all_refused(learner, "corpus_bleu", calls)
