"""BLEU: how much of a translation is found in reference translations (Papineni et al. 2002).

A sentence is a list of tokens (strings, or anything hashable). ``c`` is the length of the candidate, the
translation to be scored; ``r`` that of a reference, a translation made by a person; ``n`` the length of an n-gram.
"""

import math
from collections import Counter


def ngram_counts(tokens, n):
    """How often each run of ``n`` neighbouring tokens occurs.

    Args:
        tokens: a list of tokens.
        n: length of the runs, at least 1.

    Returns:
        ``Counter`` from tuples of ``n`` tokens to counts. Runs overlap: there are ``len(tokens) - n + 1`` of them, and
        none when the sentence is shorter than ``n``.

    Raises:
        TypeError: ``tokens`` is a string, whose items are characters.
        ValueError: ``n`` is less than 1.

    Source: Papineni et al. 2002, section 2.1.
    """
    ### BEGIN SOLUTION
    if isinstance(tokens, str):
        raise TypeError(f"tokens is the string {tokens!r}, whose items are characters; split it into a list of tokens.")
    if n < 1:
        raise ValueError(f"n is {n}, but an n-gram has at least one token.")
    return Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))
    ### END SOLUTION


def modified_precision(candidate, references, n):
    """How many n-grams of the candidate the references can account for, and how many it has.

    Args:
        candidate: a list of tokens.
        references: a list of lists of tokens, at least one.
        n: length of the n-grams.

    Returns:
        ``(clipped, total)``, two counts. In ``clipped``, an n-gram counts at most as often as it occurs in any single
        reference; ``total`` counts all n-grams of the candidate, repeated ones each time.
        Both are 0 when the candidate is shorter than ``n``.

    Source: Papineni et al. 2002, section 2.1 (modified n-gram precision).
    """
    ### BEGIN SOLUTION
    counts = ngram_counts(candidate, n)
    most: Counter = Counter()
    for reference in references:
        most |= ngram_counts(reference, n)  # of two counters, | keeps the larger count and & the smaller
    return (counts & most).total(), counts.total()
    ### END SOLUTION


def brevity_penalty(candidate_length, reference_length):
    """The factor that makes up for what a short candidate gains in precision.

    Args:
        candidate_length: ``c``, in tokens.
        reference_length: ``r``, in tokens.

    Returns:
        1 where ``c >= r``, else ``exp(1 - r / c)``; 0 where ``c`` is 0, whatever ``r`` is.

    Source: Papineni et al. 2002, section 2.3.
    """
    ### BEGIN SOLUTION
    if candidate_length == 0:
        return 0.0
    return math.exp(min(0.0, 1 - reference_length / candidate_length))
    ### END SOLUTION


def closest_reference_length(candidate, references):
    """The length of the reference that is nearest to the candidate in length.

    Args:
        candidate: a list of tokens.
        references: a list of lists of tokens, at least one, in any order.

    Returns:
        That length, an ``int``. When a shorter and a longer reference are equally near, the shorter one counts.

    Source: Papineni et al. 2002, section 2.2.2 (best match length); the rule for ties is that of sacreBLEU (Post 2018).
    """
    ### BEGIN SOLUTION
    return min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))
    ### END SOLUTION


def corpus_bleu(candidates, references, max_n=4, smooth=None):
    """BLEU of a whole corpus.

    Args:
        candidates: a list of candidates, each a list of tokens.
        references: ``references[i]`` is the list of references of ``candidates[i]``, each a list of tokens. Their
            number may differ from candidate to candidate.
        max_n: n-grams of length 1 to ``max_n`` count, all with the same weight.
        smooth: ``None``, or ``"add-k"``: clipped and total counts of the lengths 2 and up are raised by 1, after they
            have been summed over the corpus.

    Returns:
        A float from 0 to 100. Counts and lengths are summed over the corpus before anything is divided. The score is 0
        where, for some length ``n``, the count of matches (after smoothing) is 0, and for an empty corpus.

    Raises:
        ValueError: candidates and references differ in number, ``max_n`` is less than 1, or ``smooth`` is invalid.

    Source: Papineni et al. 2002, section 2.3; smoothing: Lin and Och 2004, as sacreBLEU does it.
    """
    ### BEGIN SOLUTION
    if len(candidates) != len(references):
        raise ValueError(f"There are {len(candidates)} candidates, but references for {len(references)}.")
    if max_n < 1:
        raise ValueError(f"max_n is {max_n}, but must be at least 1.")
    if smooth not in (None, "add-k"):
        raise ValueError(f'smooth is {smooth!r}, but must be None or "add-k".')
    pairs = list(zip(candidates, references))
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, its_own, n) for candidate, its_own in pairs]
        clipped, total = (sum(column) for column in zip((0, 0), *counts))
        if smooth == "add-k" and n > 1:
            clipped, total = clipped + 1, total + 1
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    candidate_length = sum(map(len, candidates))
    reference_length = sum(closest_reference_length(candidate, its_own) for candidate, its_own in pairs)
    return 100 * brevity_penalty(candidate_length, reference_length) * math.exp(logarithms / max_n)
    ### END SOLUTION


def test_bleu(corpus_bleu):
    """A test of `corpus_bleu`: it returns for a right implementation and raises for a wrong one.

    Args:
        corpus_bleu: the implementation to test, called as in Task 5. It comes in many styles: its scores differ by
            rounding, and a score of 0 may be an ``int``.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. Random generators are seeded before each call.
    """
    ### BEGIN SOLUTION
    candidates = [list("abcd"), list("aag")]
    references = [[list("abxdef"), list("d")], [list("ghik"), list("ag")]]  # 2 and 4 are equally far from 3
    penalty = math.exp(1 - 8 / 7)  # 4 + 3 tokens, and references of 6 + 2
    swapped = [[list("ab")], [[list("ba")]], 2]  # both tokens match, and no pair of them
    for arguments, expected in (
        ((candidates, references, 1), 100 * penalty * 5 / 7),  # a, b, d of 4 tokens and a, g of 3
        ((candidates, references, 2), 100 * penalty * math.sqrt(5 / 7 * 2 / 5)),
        ((candidates, references, 2, "add-k"), 100 * penalty * math.sqrt(5 / 7 * 3 / 6)),
        ((*swapped,), 0),
        ((*swapped, "add-k"), 100 * math.sqrt(2 / 2 * 1 / 2)),
    ):
        score = corpus_bleu(*arguments)
        assert math.isclose(score, expected, abs_tol=1e-6), f"{arguments}: {score}, not {expected}"
    ### END SOLUTION
