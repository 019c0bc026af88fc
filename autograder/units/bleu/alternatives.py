"""Right implementations of the tasks of BLEU, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.

import math
import statistics
import warnings
from collections import Counter, defaultdict, deque
from fractions import Fraction
from functools import reduce
from itertools import islice, tee
from operator import or_

import torch

from autograder.course.catalogue import alternative

# ---------------------------------------------------------------------------------------------------------------------
# ngram_counts


@alternative("bleu.ngram_counts", "zip-of-shifted-lists")
def ngram_counts(tokens: list[str], n: int) -> Counter:
    if isinstance(tokens, str):
        raise TypeError("tokens must be a list, not a string")
    if n < 1:
        raise ValueError(f"n is {n}")
    return Counter(zip(*[tokens[shift:] for shift in range(n)]))


@alternative("bleu.ngram_counts", "loop-that-counts")
def ngram_counts(tokens, n):
    if n <= 0 or isinstance(tokens, (str, bytes)):
        raise ValueError(f"cannot count {n}-grams of {tokens!r}")
    counts = Counter()
    for start in range(0, len(tokens) - n + 1):
        counts[tuple(tokens[start : start + n])] += 1
    return counts


@alternative("bleu.ngram_counts", "sliding-window")
def ngram_counts(tokens, n):
    if isinstance(tokens, str):
        raise TypeError("tokens must be a list, not a string")
    if n < 1:
        raise ValueError(f"n is {n}")
    counts, window = Counter(), deque(maxlen=n)
    for token in tokens:
        window.append(token)
        if len(window) == n:
            counts.update([tuple(window)])
    return counts


@alternative("bleu.ngram_counts", "iterators")
def ngram_counts(tokens, n):
    if n <= 0 or isinstance(tokens, (str, bytes)):
        raise ValueError(f"cannot count {n}-grams of {tokens!r}")
    copies = [islice(copy, shift, None) for shift, copy in enumerate(tee(tokens, n))]
    return Counter(zip(*copies))


@alternative("bleu.ngram_counts", "filtered-slices-with-prints")
def ngram_counts(tokens, n):
    if isinstance(tokens, str):
        raise TypeError("tokens must be a list, not a string")
    if n < 1:
        raise ValueError(f"n is {n}")
    print("tokens", tokens)
    slices = (tuple(tokens[i : i + n]) for i in range(len(tokens)))
    return Counter(piece for piece in slices if len(piece) == n)


@alternative("bleu.ngram_counts", "dictionary-made-a-counter")
def ngram_counts(tokens, n):
    if n <= 0 or isinstance(tokens, (str, bytes)):
        raise ValueError(f"cannot count {n}-grams of {tokens!r}")
    counts = defaultdict(int)
    index = 0
    while index + n <= len(tokens):
        counts[tuple(tokens[index + k] for k in range(n))] += 1
        index += 1
    return Counter(counts)


@alternative("bleu.ngram_counts", "subclass-of-counter")
def ngram_counts(tokens, n):
    if isinstance(tokens, str):
        raise TypeError("tokens must be a list, not a string")
    if n < 1:
        raise ValueError(f"n is {n}")

    class NGrams(Counter):
        def __repr__(self):
            return f"{len(self)} different n-grams"

    if len(tokens) < n:
        return NGrams()
    return NGrams([tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)])


# ---------------------------------------------------------------------------------------------------------------------
# modified_precision


@alternative("bleu.modified_precision", "operators-of-counters")
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    most = reduce(or_, (ngram_counts(reference, n) for reference in references), Counter())
    return sum((counts & most).values()), sum(counts.values())


@alternative("bleu.modified_precision", "min-and-max")
def modified_precision(candidate: list[str], references: list[list[str]], n: int) -> tuple[int, int]:
    counts = ngram_counts(candidate, n)
    others = [ngram_counts(reference, n) for reference in references]
    clipped = sum(min(count, max(other[ngram] for other in others)) for ngram, count in counts.items())
    return clipped, max(0, len(candidate) - n + 1)


@alternative("bleu.modified_precision", "bounds-in-a-dictionary")
def modified_precision(candidate, references, n):
    bound = {}
    for reference in references:
        for ngram, count in ngram_counts(reference, n).items():
            if count > bound.get(ngram, 0):
                bound[ngram] = count
    clipped = total = 0
    for ngram, count in ngram_counts(candidate, n).items():
        total += count
        clipped += min(count, bound.get(ngram, 0))
    return clipped, total


@alternative("bleu.modified_precision", "no-helper")
def modified_precision(candidate, references, n):
    def windows(tokens):
        return [tokens[i : i + n] for i in range(len(tokens) - n + 1)]

    own, others = windows(candidate), [windows(reference) for reference in references]
    clipped, seen = 0, []
    for window in own:
        if window not in seen:
            seen.append(window)
            clipped += min(own.count(window), max(other.count(window) for other in others))
    return clipped, len(own)


@alternative("bleu.modified_precision", "crossed-out-one-by-one")
def modified_precision(candidate, references, n):
    most = Counter()
    for reference in references:
        most = most | ngram_counts(reference, n)
    pool, clipped, total = dict(most), 0, 0
    for i in range(len(candidate) - n + 1):
        ngram = tuple(candidate[i : i + n])
        total += 1
        if pool.get(ngram, 0) > 0:
            pool[ngram] -= 1
            clipped += 1
    return clipped, total


@alternative("bleu.modified_precision", "what-remains-subtracted")
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    missing = counts
    for reference in references:
        missing = missing & (counts - ngram_counts(reference, n))
    total = sum(counts.values())
    return [total - sum(missing.values()), total]


@alternative("bleu.modified_precision", "floats")
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    clipped = 0.0
    for ngram in counts:
        clipped += float(min(counts[ngram], max(ngram_counts(reference, n)[ngram] for reference in references)))
    return clipped, float(sum(counts.values()))


# ---------------------------------------------------------------------------------------------------------------------
# brevity_penalty


@alternative("bleu.brevity_penalty", "three-cases")
def brevity_penalty(candidate_length: int, reference_length: int) -> float:
    if candidate_length == 0:
        return 0
    if candidate_length > reference_length:
        return 1
    return math.exp(1 - reference_length / candidate_length)


@alternative("bleu.brevity_penalty", "smaller-of-two")
def brevity_penalty(candidate_length, reference_length):
    if not candidate_length:
        return 0.0
    return min(1.0, math.e ** (1.0 - reference_length / candidate_length))


@alternative("bleu.brevity_penalty", "error-caught")
def brevity_penalty(candidate_length, reference_length):
    try:
        return math.exp(-max(0, reference_length - candidate_length) / candidate_length)
    except ZeroDivisionError:
        return 0.0


@alternative("bleu.brevity_penalty", "infinite-ratio")
def brevity_penalty(candidate_length, reference_length):
    ratio = reference_length / candidate_length if candidate_length > 0 else math.inf
    return 1.0 if ratio <= 1 else math.exp(1 - ratio)


@alternative("bleu.brevity_penalty", "tensor-inside")
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        warnings.warn("an empty candidate", stacklevel=2)
        return 0.0
    exponent = torch.tensor(1 - reference_length / candidate_length, dtype=torch.float64)
    return exponent.clamp(max=0).exp().item()


@alternative("bleu.brevity_penalty", "power-of-the-number-e")
def brevity_penalty(candidate_length, reference_length):
    c, r = candidate_length, reference_length
    return int(c > 0) if c >= r else (pow(math.e, (c - r) / c) if c else 0)


@alternative("bleu.brevity_penalty", "longer-ones-first")
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        return 0.0
    return 1.0 if candidate_length >= reference_length else math.exp(1 - reference_length / candidate_length)


# ---------------------------------------------------------------------------------------------------------------------
# closest_reference_length


@alternative("bleu.closest_reference_length", "sorted-first")
def closest_reference_length(candidate: list[str], references: list[list[str]]) -> int:
    lengths = sorted(len(reference) for reference in references)
    return min(lengths, key=lambda length: abs(length - len(candidate)))


@alternative("bleu.closest_reference_length", "pairs")
def closest_reference_length(candidate, references):
    return min((abs(len(candidate) - len(reference)), len(reference)) for reference in references)[1]


@alternative("bleu.closest_reference_length", "loop")
def closest_reference_length(candidate, references):
    best, best_distance = None, None
    for reference in references:
        length = len(reference)
        distance = abs(length - len(candidate))
        if best is None or distance < best_distance or (distance == best_distance and length < best):
            best, best_distance = length, distance
    return best


@alternative("bleu.closest_reference_length", "half-a-token-off")
def closest_reference_length(candidate, references):
    # No two lengths are equally near to a number that is a little below the candidate's length.
    return min((len(reference) for reference in references), key=lambda length: abs(length - (len(candidate) - 0.25)))


@alternative("bleu.closest_reference_length", "widening-search")
def closest_reference_length(candidate, references):
    lengths = {len(reference) for reference in references}
    distance = 0
    while True:
        for length in (len(candidate) - distance, len(candidate) + distance):
            if length in lengths:
                return length
        distance += 1


@alternative("bleu.closest_reference_length", "reference-first")
def closest_reference_length(candidate, references):
    by_length = sorted(references, key=len)
    return len(min(by_length, key=lambda reference: abs(len(reference) - len(candidate))))


# ---------------------------------------------------------------------------------------------------------------------
# corpus_bleu


@alternative("bleu.corpus_bleu", "one-pass-over-the-corpus")
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    if len(candidates) != len(references):
        raise ValueError(f"{len(candidates)} candidates, {len(references)} lists of references")
    if max_n < 1 or smooth not in (None, "add-k"):
        raise ValueError(f"max_n={max_n}, smooth={smooth!r}")
    clipped, total = [0] * max_n, [0] * max_n
    candidate_length = reference_length = 0
    for candidate, its_references in zip(candidates, references):
        candidate_length += len(candidate)
        reference_length += closest_reference_length(candidate, its_references)
        for n in range(1, max_n + 1):
            matches, all_of_it = modified_precision(candidate, its_references, n)
            clipped[n - 1] += matches
            total[n - 1] += all_of_it
    if smooth == "add-k":
        for n in range(2, max_n + 1):
            clipped[n - 1] += 1
            total[n - 1] += 1
    if min(clipped) == 0:
        return 0.0
    mean = sum(math.log(c) - math.log(t) for c, t in zip(clipped, total)) / max_n
    return 100.0 * brevity_penalty(candidate_length, reference_length) * math.exp(mean)


@alternative("bleu.corpus_bleu", "product-and-root")
def corpus_bleu(candidates: list, references: list, max_n: int = 4, smooth: str | None = None) -> float:
    if smooth not in {None, "add-k"}:
        raise ValueError(f"unknown smoothing: {smooth}")
    if not max_n >= 1 or len(references) != len(candidates):
        raise ValueError("max_n, candidates and references do not fit")
    product = 1.0
    for n in range(1, max_n + 1):
        pairs = [modified_precision(c, r, n) for c, r in zip(candidates, references)]
        matches, ngrams = sum(p[0] for p in pairs), sum(p[1] for p in pairs)
        if smooth is not None and n >= 2:
            matches += 1
            ngrams += 1
        product *= matches / ngrams if ngrams else 0.0
    bp = brevity_penalty(
        sum(len(c) for c in candidates), sum(closest_reference_length(c, r) for c, r in zip(candidates, references))
    )
    return 100 * bp * product ** (1 / max_n)


@alternative("bleu.corpus_bleu", "penalty-in-the-exponent")
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    if len(candidates) != len(references):
        raise ValueError(f"{len(candidates)} candidates, {len(references)} lists of references")
    if max_n < 1 or smooth not in (None, "add-k"):
        raise ValueError(f"max_n={max_n}, smooth={smooth!r}")
    c = sum(map(len, candidates))
    r = sum(closest_reference_length(*pair) for pair in zip(candidates, references))
    if c == 0:
        return 0
    exponent = min(0.0, 1 - r / c)
    for n in range(1, max_n + 1):
        matches = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = int(smooth == "add-k" and n > 1)
        top, bottom = sum(m for m, _ in matches) + plus, sum(t for _, t in matches) + plus
        exponent += (math.log(top / bottom) if top else -math.inf) / max_n
    return math.exp(exponent) * 100


@alternative("bleu.corpus_bleu", "geometric-mean-of-fractions")
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    if smooth not in {None, "add-k"}:
        raise ValueError(f"unknown smoothing: {smooth}")
    if not max_n >= 1 or len(references) != len(candidates):
        raise ValueError("max_n, candidates and references do not fit")
    precisions = []
    for n in range(1, max_n + 1):
        above, below = (1, 1) if smooth == "add-k" and n > 1 else (0, 0)
        for candidate, own in zip(candidates, references):
            one, other = modified_precision(candidate, own, n)
            above, below = above + one, below + other
        if above == 0:
            return 0.0
        precisions.append(Fraction(above, below))
    length = sum(closest_reference_length(c, own) for c, own in zip(candidates, references))
    return 100 * statistics.geometric_mean(map(float, precisions)) * brevity_penalty(sum(map(len, candidates)), length)


@alternative("bleu.corpus_bleu", "no-helper")
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    if len(candidates) != len(references):
        raise ValueError(f"{len(candidates)} candidates, {len(references)} lists of references")
    if max_n < 1 or smooth not in (None, "add-k"):
        raise ValueError(f"max_n={max_n}, smooth={smooth!r}")
    statistics_of = torch.zeros(2 * max_n + 2, dtype=torch.float64)
    for candidate, own in zip(candidates, references):
        lengths = sorted(len(reference) for reference in own)
        statistics_of[0] += len(candidate)
        statistics_of[1] += min(lengths, key=lambda length: abs(length - len(candidate)))
        for n in range(1, max_n + 1):
            counts = Counter(zip(*[candidate[i:] for i in range(n)]))
            most = Counter()
            for reference in own:
                most |= Counter(zip(*[reference[i:] for i in range(n)]))
            statistics_of[2 * n] += sum((counts & most).values())
            statistics_of[2 * n + 1] += sum(counts.values())
    clipped, total = statistics_of[2::2], statistics_of[3::2]
    if smooth == "add-k":
        clipped[1:] += 1
        total[1:] += 1
    if (clipped == 0).any():
        return 0.0
    c, r = statistics_of[:2].tolist()
    penalty = 1.0 if c >= r else math.exp(1 - r / c)
    return (100 * penalty * (clipped / total).log().mean().exp()).item()


@alternative("bleu.corpus_bleu", "zero-by-an-exception")
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    if smooth not in {None, "add-k"}:
        raise ValueError(f"unknown smoothing: {smooth}")
    if not max_n >= 1 or len(references) != len(candidates):
        raise ValueError("max_n, candidates and references do not fit")

    def precision(n):
        pairs = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        added = 1 if (smooth == "add-k" and n > 1) else 0
        return (sum(pair[0] for pair in pairs) + added) / (sum(pair[1] for pair in pairs) + added)

    try:
        logs = [math.log(precision(n)) for n in range(1, max_n + 1)]
    except (ValueError, ZeroDivisionError):
        return 0.0
    print("log precisions", logs)
    r = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(len(candidate) for candidate in candidates), r) * math.exp(sum(logs) / len(logs))


@alternative("bleu.corpus_bleu", "roots-multiplied")
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    if len(candidates) != len(references):
        raise ValueError(f"{len(candidates)} candidates, {len(references)} lists of references")
    if max_n < 1 or smooth not in (None, "add-k"):
        raise ValueError(f"max_n={max_n}, smooth={smooth!r}")
    clipped, total = Counter(), Counter()
    for candidate, own in zip(candidates, references):
        for n in range(1, max_n + 1):
            matches, ngrams = modified_precision(candidate, own, n)
            clipped[n] += matches
            total[n] += ngrams
    smoothed = {n: 1 if smooth == "add-k" and n > 1 else 0 for n in range(1, max_n + 1)}
    score = 1.0
    for n, plus in smoothed.items():
        if clipped[n] + plus == 0:
            return 0.0
        score *= ((clipped[n] + plus) / (total[n] + plus)) ** (1 / max_n)
    c, r = sum(map(len, candidates)), sum(closest_reference_length(x, y) for x, y in zip(candidates, references))
    return 100 * score * brevity_penalty(c, r)


@alternative("bleu.corpus_bleu", "one-more-of-each")
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    if smooth not in {None, "add-k"}:
        raise ValueError(f"unknown smoothing: {smooth}")
    if not max_n >= 1 or len(references) != len(candidates):
        raise ValueError("max_n, candidates and references do not fit")
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)
