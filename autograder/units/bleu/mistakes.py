"""Wrong implementations of unit 12, BLEU, each with the misconception behind it.

Per task the most specific come first: when two would give the same results, the first is named.
"""

# Every entry of a task defines the same name: the redefinitions are the point of this file.

import itertools
import math
from collections import Counter
from fractions import Fraction

from autograder.course.catalogue import mistake

# ---------------------------------------------------------------------------------------------------------------------
# ngram_counts


@mistake(
    "bleu.ngram_counts",
    "joined-with-spaces",
    explanation="The tokens of an n-gram were joined to one string. Two different n-grams can then look alike, and "
    "tokens that are no strings cannot be joined at all.",
    hint="Your keys are strings such as 'the cat'. An n-gram is the tuple of its tokens, ('the', 'cat'), also for n = "
    "1 (chapter 12, 'N-grams'): make a tuple instead of joining.",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


@mistake(
    "bleu.ngram_counts",
    "joined-without-spaces",
    explanation="The tokens of an n-gram were glued together to one string. 'a' followed by 'bc' and 'ab' followed by "
    "'c' then become the same n-gram.",
    hint="Your keys are strings with the tokens run together. An n-gram is the tuple of its tokens (chapter 12, "
    "'N-grams'): tuple(...) keeps their borders, joining loses them.",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter("".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


@mistake(
    "bleu.ngram_counts",
    "unigrams-without-tuple",
    explanation="For n = 1 the bare tokens were counted, for the others tuples. The keys of one function then have two "
    "types, and whoever looks up the tuple ('the',) finds nothing.",
    hint="For n = 1 your keys are bare tokens, 'the' instead of ('the',). A 1-gram is a tuple of one token (chapter "
    "12, 'N-grams'); it needs no case of its own.",
    section="ngrams",
)
def ngram_counts(tokens, n):
    if n == 1:
        return Counter(tokens)
    return Counter(zip(*[tokens[i:] for i in range(n)]))


@mistake(
    "bleu.ngram_counts",
    "distinct-only",
    explanation="Each n-gram was counted once, however often it occurs. Clipping compares counts, so it needs the real "
    "ones.",
    hint="All your counts are 1, also for n-grams that occur several times. A set forgets how often something was in "
    "it; count every place (chapter 12, 'N-grams').",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(set(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)))


@mistake(
    "bleu.ngram_counts",
    "last-one-missing",
    explanation="The loop ends one place too early, so the last n-gram is never counted. A sentence of exactly n "
    "tokens would have none.",
    hint="The n-gram at the end of the sentence is missing from your counts. There are len(tokens) - n + 1 places "
    "where one can start (chapter 12, 'N-grams'): try a sentence of exactly n tokens.",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n))


@mistake(
    "bleu.ngram_counts",
    "first-one-missing",
    explanation="The loop starts at the second token, so the n-gram at the beginning is never counted. Places in a "
    "list are numbered from 0.",
    hint="The n-gram at the start of the sentence is missing from your counts. The first one starts at place 0 "
    "(chapter 12, 'N-grams').",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(1, len(tokens) - n + 1))


@mistake(
    "bleu.ngram_counts",
    "shorter-ones-at-the-end",
    explanation="A start was tried at every token, and the last slices are shorter than n. Python cuts a slice off at "
    "the end of a list without a word.",
    hint="Your counts hold tuples with fewer than n tokens, cut off by the end of the sentence. The last n-gram starts "
    "at place len(tokens) - n (chapter 12, 'N-grams').",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens)))


@mistake(
    "bleu.ngram_counts",
    "short-sentence-as-ngram",
    explanation="A sentence shorter than n was counted as one n-gram. It has none: a tuple of fewer than n tokens is "
    "no n-gram.",
    hint="A sentence shorter than n gives you one n-gram, the whole sentence. Such a sentence has no n-grams, so its "
    "counter is empty (chapter 12, 'N-grams').",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(max(1, len(tokens) - n + 1)))


@mistake(
    "bleu.ngram_counts",
    "up-to-n",
    explanation="All lengths from 1 to n were counted together. BLEU needs a precision for each length by itself, so "
    "one call counts one length.",
    hint="Your counts hold n-grams of every length up to n. Each length gets its own precision, so count length n only "
    "(chapter 12, 'N-grams'); the loop over the lengths comes in corpus_bleu.",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(tuple(tokens[i : i + k]) for k in range(1, n + 1) for i in range(len(tokens) - k + 1))


@mistake(
    "bleu.ngram_counts",
    "not-overlapping",
    explanation="The sentence was cut into pieces of n tokens that follow one another. N-grams overlap: a new one "
    "starts at every token.",
    hint="You take steps of n, so most n-grams are missing. The window moves on by one token (chapter 12, 'N-grams'): "
    "a sentence of 6 tokens has 5 bigrams, not 3.",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(0, len(tokens) - n + 1, n))


@mistake(
    "bleu.ngram_counts",
    "order-lost",
    explanation="The tokens of each n-gram were sorted. 'dog bites' and 'bites dog' then count as the same, and word "
    "order is the very thing that longer n-grams are there to judge.",
    hint="The tokens inside your n-grams are in alphabetical order, not in that of the sentence. An n-gram keeps the "
    "order of its tokens (chapter 12, 'N-grams').",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(tuple(sorted(tokens[i : i + n])) for i in range(len(tokens) - n + 1))


@mistake(
    "bleu.ngram_counts",
    "any-n-tokens",
    explanation="All choices of n tokens were counted, also of tokens that are not neighbours. An n-gram is a run "
    "without gaps.",
    hint="Your counts hold tuples whose tokens are not next to each other in the sentence. An n-gram has no gaps "
    "(chapter 12, 'N-grams'): slide a window of n tokens along.",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(itertools.combinations(tokens, n))


@mistake(
    "bleu.ngram_counts",
    "wraps-around",
    explanation="The sentence was read as a ring, so that n-grams run from its end to its beginning. The first token "
    "does not follow the last one.",
    hint="Your counts hold n-grams that begin at the end of the sentence and go on at its start. Stop where the last "
    "whole window ends (chapter 12, 'N-grams'); negative indices and % len(tokens) wrap around.",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(tuple(tokens[(i + k) % len(tokens)] for k in range(n)) for i in range(len(tokens)))


@mistake(
    "bleu.ngram_counts",
    "bigrams-whatever-n",
    explanation="Pairs of neighbours were counted whatever n is. The argument n is the length of the n-grams.",
    hint="You count pairs for every n. Take n tokens at a time (chapter 12, 'N-grams').",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return Counter(zip(tokens, tokens[1:]))


@mistake(
    "bleu.ngram_counts",
    "padded-with-markers",
    explanation="Markers were put before the start and behind the end, as n-gram language models do. In BLEU the "
    "sentence is taken as it is, and markers would be matches for free.",
    hint="Your counts hold n-grams with markers that are not in the sentence. BLEU knows no padding: every n-gram lies "
    "inside the sentence (chapter 12, 'N-grams').",
    section="ngrams",
)
def ngram_counts(tokens, n):
    padded = ["<s>"] * (n - 1) + tokens + ["</s>"] * (n - 1)
    return Counter(tuple(padded[i : i + n]) for i in range(len(padded) - n + 1))


@mistake(
    "bleu.ngram_counts",
    "lower-case",
    explanation="The tokens were turned into lower case. Tokenisation has been done before, and what it left different "
    "is different: BLEU tells 'May' from 'may'.",
    hint="Tokens with capital letters are in lower case in your n-grams. Take the tokens as they come: changing them "
    "is the tokeniser's business (chapter 12, 'Tokenisation').",
    section="bleu-tokenisation",
)
def ngram_counts(tokens, n):
    tokens = [token.lower() for token in tokens]
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


@mistake(
    "bleu.ngram_counts",
    "punctuation-dropped",
    explanation="Tokens without letters were left out. Tokenisation has been done before, and its full stops and "
    "commas are tokens like others.",
    hint="Full stops and commas are missing from your n-grams, so words that stood apart have become neighbours. Take "
    "the tokens as they come (chapter 12, 'Tokenisation').",
    section="bleu-tokenisation",
)
def ngram_counts(tokens, n):
    tokens = [token for token in tokens if any(character.isalnum() for character in token)]
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


@mistake(
    "bleu.ngram_counts",
    "shares-of-the-total",
    explanation="The counts were divided by their sum. Clipping and the sums over the corpus need counts; the division "
    "comes last.",
    hint="Your counts are fractions that add up to 1. Return how often each n-gram occurs (chapter 12, 'N-grams'): "
    "division is the last step of BLEU.",
    section="ngrams",
)
def ngram_counts(tokens, n):
    counts = Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
    return Counter({ngram: count / counts.total() for ngram, count in counts.items()})


@mistake(
    "bleu.ngram_counts",
    "list-instead-of-counter",
    explanation="The list of all n-grams was returned, not how often each occurs. A list has no counts to compare.",
    hint="You return the n-grams in a list. Put them into a collections.Counter, which counts them (chapter 12, "
    "'N-grams').",
    section="ngrams",
)
def ngram_counts(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


@mistake(
    "bleu.ngram_counts",
    "plain-dictionary",
    explanation="The counts are in a plain dictionary. A Counter gives 0 for an n-gram that does not occur, and has "
    "the operators & and | that clipping uses; a dictionary raises KeyError.",
    hint="Your counts are right, but they are in a dict. Return a collections.Counter: it answers 0 for what it does "
    "not hold (chapter 12, 'N-grams').",
    section="ngrams",
)
def ngram_counts(tokens, n):
    counts = {}
    for i in range(len(tokens) - n + 1):
        ngram = tuple(tokens[i : i + n])
        counts[ngram] = counts.get(ngram, 0) + 1
    return counts


@mistake(
    "bleu.ngram_counts",
    "tokens-used-up",
    explanation="Tokens were taken off the list that was passed in. The list belongs to the caller, who wants to count "
    "other lengths in it afterwards.",
    hint="Your counts are right, but the caller's list is shorter afterwards. A function here never changes its "
    "arguments (chapter 12, 'What goes wrong'): use indices or slices instead of pop.",
    section="bleu-pitfalls",
)
def ngram_counts(tokens, n):
    counts = Counter()
    while len(tokens) >= n:
        counts[tuple(tokens[:n])] += 1
        tokens.pop(0)
    return counts


# ---------------------------------------------------------------------------------------------------------------------
# modified_precision


@mistake(
    "bleu.modified_precision",
    "not-clipped",
    explanation="Every n-gram of the candidate that occurs in a reference was counted, however often it is repeated. "
    "A candidate of seven times 'the' would be perfect.",
    hint="Your clipped count is too high where the candidate repeats itself: an n-gram counts at most as often as one "
    "reference has it. Compare counts, not only whether it occurs (chapter 12, 'Clipping').",
    section="clipping",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    known = set().union(*(ngram_counts(reference, n) for reference in references))
    return sum(count for ngram, count in counts.items() if ngram in known), sum(counts.values())


@mistake(
    "bleu.modified_precision",
    "references-added-up",
    explanation="The counts of all references were added before clipping. Each reference is a translation of its own: "
    "two that say 'the' once do not allow 'the the'.",
    hint="With several references your clipped count is too high: you clip by the sum of their counts. The bound for "
    "an n-gram is its largest count in any one reference (chapter 12, 'Several references').",
    section="several-references",
)
def modified_precision(candidate, references, n):
    counts, allowed = ngram_counts(candidate, n), Counter()
    for reference in references:
        allowed.update(ngram_counts(reference, n))
    return sum(min(count, allowed[ngram]) for ngram, count in counts.items()), sum(counts.values())


@mistake(
    "bleu.modified_precision",
    "matches-added-up",
    explanation="The matches with each reference were added. An n-gram that two references share is then counted "
    "twice, and the precision may exceed 1.",
    hint="With several references you count a match once for every reference that has it, so clipped can exceed total. "
    "Take the largest count over the references first, then clip once (chapter 12, 'Several references').",
    section="several-references",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    return sum((counts & ngram_counts(reference, n)).total() for reference in references), counts.total()


@mistake(
    "bleu.modified_precision",
    "best-single-reference",
    explanation="The matches were counted with each reference, and the best of them was taken. The bound is the "
    "largest count of each n-gram by itself: one may come from the first reference, another from the second.",
    hint="You choose the one reference that fits best. In BLEU every n-gram looks for itself in which reference it is "
    "most frequent, so a candidate may mix them (chapter 12, 'Several references').",
    section="several-references",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    return max((counts & ngram_counts(reference, n)).total() for reference in references), counts.total()


@mistake(
    "bleu.modified_precision",
    "first-reference-that-has-it",
    explanation="The search stopped at the first reference that has the n-gram, and its count was the bound. Another "
    "reference may have the n-gram more often, and the largest count is what bounds.",
    hint="Your count depends on the order of the references. Do not stop at the first that has the n-gram; look at all "
    "of them and take the largest count (chapter 12, 'Several references').",
    section="several-references",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    clipped = 0
    for ngram, count in counts.items():
        for reference in references:
            bound = ngram_counts(reference, n)[ngram]
            if bound:
                clipped += min(count, bound)
                break
    return clipped, counts.total()


@mistake(
    "bleu.modified_precision",
    "in-all-references",
    explanation="Counts were clipped by the smallest count over the references, so an n-gram has to occur in all of "
    "them. References are different on purpose: one that has the n-gram is enough.",
    hint="More references lower your count: only what all of them share is counted. Take the largest count over the "
    "references, which is | of counters and not & (chapter 12, 'Several references').",
    section="several-references",
)
def modified_precision(candidate, references, n):
    counts = total = ngram_counts(candidate, n)
    for reference in references:
        counts = counts & ngram_counts(reference, n)
    return counts.total(), total.total()


@mistake(
    "bleu.modified_precision",
    "first-reference-only",
    explanation="Only the first reference was looked at. The others are right translations too, and what matches them "
    "counts.",
    hint="Your count does not change when references are added. Look at all of them, and take the largest count of "
    "each n-gram (chapter 12, 'Several references').",
    section="several-references",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    return (counts & ngram_counts(references[0], n)).total(), counts.total()


@mistake(
    "bleu.modified_precision",
    "last-reference-only",
    explanation="The bound was set anew for every reference, and the last one remained. An assignment in a loop keeps "
    "only its last value.",
    hint="Your count depends on the last reference alone. Keep the larger of the old bound and the new count at every "
    "step of the loop (chapter 12, 'Several references').",
    section="several-references",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    for reference in references:
        clipped = counts & ngram_counts(reference, n)
    return clipped.total(), counts.total()


@mistake(
    "bleu.modified_precision",
    "last-count-wins",
    explanation="The counts of the references were put into one dictionary, where a later reference overwrites an "
    "earlier one. dict.update replaces; the bound is the larger of the two.",
    hint="Where references have the same n-gram in different numbers, the last of them decides in your code. Keep the "
    "largest count (chapter 12, 'Several references').",
    section="several-references",
)
def modified_precision(candidate, references, n):
    counts, allowed = ngram_counts(candidate, n), {}
    for reference in references:
        allowed.update(ngram_counts(reference, n))
    return sum(min(count, allowed.get(ngram, 0)) for ngram, count in counts.items()), sum(counts.values())


@mistake(
    "bleu.modified_precision",
    "references-as-one-text",
    explanation="The references were put one behind the other and counted as one text. That adds their counts, and "
    "invents n-grams that run from one reference into the next.",
    hint="With several references your clipped count is too high: you count in one long list. Count each reference by "
    "itself and take the largest count of each n-gram (chapter 12, 'Several references').",
    section="several-references",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    return (counts & ngram_counts(sum(references, []), n)).total(), counts.total()


@mistake(
    "bleu.modified_precision",
    "distinct-ngrams",
    explanation="Sets of n-grams were compared, so repetitions count neither in the matches nor in the total. Seven "
    "times 'the' would be one right word of one.",
    hint="Both your counts ignore repetitions. Count every occurrence in the total, and up to the reference's count in "
    "the matches (chapter 12, 'Clipping').",
    section="clipping",
)
def modified_precision(candidate, references, n):
    counts = set(ngram_counts(candidate, n))
    known = set().union(*(ngram_counts(reference, n) for reference in references))
    return len(counts & known), len(counts)


@mistake(
    "bleu.modified_precision",
    "clipped-at-one",
    explanation="An n-gram counts as one match at most. If a reference has it twice, two occurrences in the candidate "
    "are right.",
    hint="Your matches count an n-gram once, even where candidate and reference both have it several times. Clip at "
    "the reference's count, not at 1 (chapter 12, 'Clipping').",
    section="clipping",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    known = set().union(*(ngram_counts(reference, n) for reference in references))
    return len(set(counts) & known), counts.total()


@mistake(
    "bleu.modified_precision",
    "total-of-distinct",
    explanation="The total is the number of different n-grams, as len of a Counter gives it. Repeated n-grams belong "
    "to the total each time, else repeating costs nothing.",
    hint="Your total is too small where the candidate repeats itself: len(counter) is the number of its keys. Add up "
    "the counts (chapter 12, 'Clipping').",
    section="clipping",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, n), Counter()
    for reference in references:
        most |= ngram_counts(reference, n)
    return (counts & most).total(), len(counts)


@mistake(
    "bleu.modified_precision",
    "recall",
    explanation="The total counts the n-grams of the reference. That is recall; precision asks which share of the "
    "candidate is right.",
    hint="Your total is the number of n-grams that the reference has. Precision divides by those of the candidate "
    "(chapter 12, 'Clipping'); what a short candidate leaves out is the brevity penalty's business.",
    section="clipping",
)
def modified_precision(candidate, references, n):
    most = Counter()
    for reference in references:
        most |= ngram_counts(reference, n)
    return (ngram_counts(candidate, n) & most).total(), most.total()


@mistake(
    "bleu.modified_precision",
    "total-in-tokens",
    explanation="The total is the number of tokens, for every n. A sentence of 6 tokens has 6 unigrams but only 3 "
    "4-grams, so even a perfect candidate would not reach 1.",
    hint="Your total is the candidate's length in tokens. For n > 1 there are fewer n-grams than tokens: "
    "c - n + 1 (chapter 12, 'N-grams').",
    section="ngrams",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, n), Counter()
    for reference in references:
        most |= ngram_counts(reference, n)
    return (counts & most).total(), len(candidate)


@mistake(
    "bleu.modified_precision",
    "negative-total",
    explanation="The total was computed as c - n + 1 without looking whether that is negative. A candidate shorter "
    "than n would take n-grams away from the rest of the corpus.",
    hint="For a candidate shorter than n your total is negative. It has no n-grams, which is 0: add up the counts, or "
    "take max(0, ...) (chapter 12, 'N-grams').",
    section="ngrams",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, n), Counter()
    for reference in references:
        most |= ngram_counts(reference, n)
    return (counts & most).total(), len(candidate) - n + 1


@mistake(
    "bleu.modified_precision",
    "total-at-least-one",
    explanation="The total was raised to 1 to avoid dividing by zero. Nothing is divided here, and over a corpus the "
    "1 of each short sentence adds up to n-grams that nobody wrote.",
    hint="For a candidate shorter than n your total is 1. It has no n-grams, so the total is 0; guard the division "
    "where the division is (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, n), Counter()
    for reference in references:
        most |= ngram_counts(reference, n)
    return (counts & most).total(), max(1, counts.total())


@mistake(
    "bleu.modified_precision",
    "divided-already",
    explanation="The ratio was returned in place of the two counts. BLEU adds the counts of a whole corpus first and "
    "divides once; from a ratio they cannot be recovered.",
    hint="You return one number, the precision. Return the pair (clipped, total): the division comes after the counts "
    "of all sentences have been added (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, n), Counter()
    for reference in references:
        most |= ngram_counts(reference, n)
    return (counts & most).total() / max(1, counts.total())


@mistake(
    "bleu.modified_precision",
    "reduced-fraction",
    explanation="The two counts went through a Fraction, which cancels common factors: 2 of 4 became 1 of 2. The "
    "quotient is the same, but in sums over a corpus the sentence would lose weight.",
    hint="Your quotient is right, but the counts have been reduced: 1 of 2 where it should be 2 of 4. Return the "
    "counts as they are, since they will be added (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, n), Counter()
    for reference in references:
        most |= ngram_counts(reference, n)
    if not counts:
        return 0, 0
    precision = Fraction((counts & most).total(), counts.total())
    return precision.numerator, precision.denominator


@mistake(
    "bleu.modified_precision",
    "swapped-results",
    explanation="The pair was returned the other way round, total first. The caller would divide the wrong way.",
    hint="Your two results are in the wrong order: first the clipped count, then the total (chapter 12, 'Clipping').",
    section="clipping",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, n), Counter()
    for reference in references:
        most |= ngram_counts(reference, n)
    return counts.total(), (counts & most).total()


@mistake(
    "bleu.modified_precision",
    "what-is-left-over",
    explanation="The counts of the references were subtracted, so what remains are the n-grams that do not match. "
    "The minus of counters answers another question.",
    hint="Your first count is that of the n-grams which the references do not account for. Keep the smaller of the two "
    "counts of each n-gram, which is & of counters (chapter 12, 'Clipping').",
    section="clipping",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, n), Counter()
    for reference in references:
        most |= ngram_counts(reference, n)
    return (counts - most).total(), counts.total()


@mistake(
    "bleu.modified_precision",
    "unigrams-whatever-n",
    explanation="Single tokens were compared whatever n is. Only longer n-grams see the order of the words.",
    hint="Your counts are those of n = 1 for every n. Hand n on to ngram_counts, for candidate and references "
    "(chapter 12, 'N-grams').",
    section="ngrams",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, 1), Counter()
    for reference in references:
        most |= ngram_counts(reference, 1)
    return (counts & most).total(), counts.total()


@mistake(
    "bleu.modified_precision",
    "all-lengths-up-to-n",
    explanation="The counts of all lengths from 1 to n were added. Each length has a precision of its own, and the "
    "geometric mean combines them later.",
    hint="Your counts hold the shorter n-grams too. Count length n alone (chapter 12, 'The geometric mean'): the "
    "lengths meet only in the mean.",
    section="geometric-mean",
)
def modified_precision(candidate, references, n):
    clipped = total = 0
    for k in range(1, n + 1):
        counts, most = ngram_counts(candidate, k), Counter()
        for reference in references:
            most |= ngram_counts(reference, k)
        clipped, total = clipped + (counts & most).total(), total + counts.total()
    return clipped, total


@mistake(
    "bleu.modified_precision",
    "same-place-only",
    explanation="Candidate and reference were compared place by place. An n-gram may stand anywhere: one extra word at "
    "the start would otherwise make everything after it wrong.",
    hint="You compare the n-grams at the same places. Where it stands does not matter, only how often it occurs "
    "(chapter 12, 'Clipping').",
    section="clipping",
)
def modified_precision(candidate, references, n):
    def ngrams(tokens):
        return list(zip(*[tokens[i:] for i in range(n)]))

    own, others = ngrams(candidate), [ngrams(reference) for reference in references]
    matches = sum(any(i < len(other) and other[i] == ngram for other in others) for i, ngram in enumerate(own))
    return matches, len(own)


@mistake(
    "bleu.modified_precision",
    "references-used-up",
    explanation="Matched n-grams were crossed out in the references that were passed in. They belong to the caller, "
    "who needs them for the next length of n-gram.",
    hint="Your counts are right, but the references are shorter afterwards. A function here never changes its "
    "arguments (chapter 12, 'What goes wrong'): cross out in a copy, or compare counters.",
    section="bleu-pitfalls",
)
def modified_precision(candidate, references, n):
    counts, most = ngram_counts(candidate, n), Counter()
    while references:
        most |= ngram_counts(references.pop(), n)
    return (counts & most).total(), counts.total()


# ---------------------------------------------------------------------------------------------------------------------
# brevity_penalty


@mistake(
    "bleu.brevity_penalty",
    "no-penalty",
    explanation="The factor is 1 for every length. A candidate of one safe word would then score as high as a whole "
    "translation.",
    hint="Your factor is 1 for short candidates too. Precision alone does not notice what is left out, so a candidate "
    "shorter than the reference gets exp(1 - r/c) (chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    return 1.0 if candidate_length else 0.0


@mistake(
    "bleu.brevity_penalty",
    "ratio-of-lengths",
    explanation="The factor is c/r. BLEU's is exp(1 - r/c), which is close to it near 1 and far smaller for very short "
    "candidates.",
    hint="You return c/r for a short candidate. The formula is exp(1 - r/c) (chapter 12, 'The brevity penalty'); the "
    "two are close only when c is nearly r.",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length >= reference_length and candidate_length > 0:
        return 1.0
    return candidate_length / max(1, reference_length)


@mistake(
    "bleu.brevity_penalty",
    "ratio-upside-down",
    explanation="The exponent is 1 - c/r, which is positive for a short candidate. The factor is then above 1 and "
    "rewards what it should punish.",
    hint="Your factor is larger than 1 for short candidates: the ratio is upside down. It is exp(1 - r/c), the "
    "candidate's length below (chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        return 0.0
    return 1.0 if candidate_length >= reference_length else math.exp(1 - candidate_length / reference_length)


@mistake(
    "bleu.brevity_penalty",
    "wrong-sign",
    explanation="The exponent is r/c - 1, the wrong way round. It is positive for a short candidate, so the factor "
    "exceeds 1 and grows without bound.",
    hint="Your factor is larger than 1 for short candidates: the sign of the exponent is wrong. It is 1 - r/c "
    "(chapter 12, 'The brevity penalty'), negative when the candidate is short.",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        return 0.0
    return 1.0 if candidate_length >= reference_length else math.exp(reference_length / candidate_length - 1)


@mistake(
    "bleu.brevity_penalty",
    "arguments-swapped",
    explanation="The two lengths changed places: long candidates are punished and short ones are not. Precision "
    "already punishes what is too long, since every extra word is one that may be wrong.",
    hint="You punish candidates that are longer than the reference, and spare the shorter ones. It is the other way "
    "round (chapter 12, 'The brevity penalty'): look at which length is which.",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        return 0.0
    if reference_length >= candidate_length:
        return 1.0
    return math.exp(1 - candidate_length / max(1, reference_length))


@mistake(
    "bleu.brevity_penalty",
    "long-rewarded",
    explanation="exp(1 - r/c) was used for all lengths, so that a candidate longer than the reference gets a factor "
    "above 1. BLEU could then exceed 100; the factor is never more than 1.",
    hint="Your factor is above 1 for candidates longer than the reference. There it is exactly 1: the formula holds "
    "only for shorter ones (chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    return math.exp(1 - reference_length / candidate_length) if candidate_length else 0.0


@mistake(
    "bleu.brevity_penalty",
    "both-sides-punished",
    explanation="Candidates longer than the reference are punished as well. Precision does that already, since every "
    "extra word is one more that may be wrong.",
    hint="Your factor is below 1 for candidates that are longer than the reference. It is a *brevity* penalty: 1 from "
    "the reference's length on (chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        return 0.0
    lengths = sorted([candidate_length, max(1, reference_length)])
    return math.exp(1 - lengths[1] / lengths[0])


@mistake(
    "bleu.brevity_penalty",
    "difference-of-lengths",
    explanation="The exponent is c - r, the difference and not the ratio. Missing one word of 30 would cost as much as "
    "missing one of 3.",
    hint="Your exponent is the difference of the lengths. It is 1 - r/c, in which only their ratio counts (chapter 12, "
    "'The brevity penalty'): over a corpus of thousands of words a difference would give 0.",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    return math.exp(min(0, candidate_length - reference_length)) if candidate_length else 0.0


@mistake(
    "bleu.brevity_penalty",
    "one-left-out",
    explanation="The exponent is -r/c, without the 1. The factor would jump from 1 to 0.37 where the candidate becomes "
    "one word shorter than the reference.",
    hint="Your factors for short candidates are too small by the factor e: the 1 in exp(1 - r/c) is missing. With it "
    "the curve reaches 1 at c = r (chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        return 0.0
    return 1.0 if candidate_length >= reference_length else math.exp(-reference_length / candidate_length)


@mistake(
    "bleu.brevity_penalty",
    "exponent-alone",
    explanation="1 - r/c was returned, the exponent without exp. It is negative for short candidates, and 0 instead "
    "of 1 at equal lengths.",
    hint="You return 1 - r/c, which is the logarithm of the penalty. Put it into exp (chapter 12, 'The brevity "
    "penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    return min(0.0, 1 - reference_length / candidate_length) if candidate_length else 0.0


@mistake(
    "bleu.brevity_penalty",
    "whole-division",
    explanation="The lengths were divided with //, which drops the rest. For any candidate longer than half the "
    "reference r // c is 1, and there would be no penalty.",
    hint="Your penalty moves in jumps, and is 1 for candidates that are a little short: // divides without rest. Use / "
    "(chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        return 0.0
    return 1.0 if candidate_length >= reference_length else math.exp(1 - reference_length // candidate_length)


@mistake(
    "bleu.brevity_penalty",
    "power-of-two",
    explanation="The power was taken with base 2. The formula has base e, and the two differ as soon as the exponent "
    "is not 0.",
    hint="Your penalty is too mild: 2 ** (1 - r/c) in place of exp(1 - r/c) (chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        return 0.0
    return 1.0 if candidate_length >= reference_length else 2.0 ** (1 - reference_length / candidate_length)


@mistake(
    "bleu.brevity_penalty",
    "all-or-nothing",
    explanation="Every short candidate gets 0. The penalty grows with what is missing: one word of many costs little.",
    hint="You return 0 for every candidate that is shorter than the reference. The penalty is gradual, exp(1 - r/c) "
    "(chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    return 1.0 if candidate_length >= reference_length and candidate_length else 0.0


@mistake(
    "bleu.brevity_penalty",
    "empty-against-empty",
    explanation="The comparison c >= r came first, so an empty candidate with an empty reference gets 1. The rule is "
    "that a candidate without tokens gets 0, whatever the reference is.",
    hint="brevity_penalty(0, 0) gives 1 in your code. Ask for the empty candidate first: its factor is 0 whatever r is "
    "(chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / candidate_length) if candidate_length else 0.0


@mistake(
    "bleu.brevity_penalty",
    "empty-not-punished",
    explanation="An empty candidate gets 1, as a way round the division by zero. It is the shortest of all: its factor "
    "is 0, which is also the limit of exp(1 - r/c).",
    hint="An empty candidate gets the factor 1 in your code. As c goes to 0, exp(1 - r/c) goes to 0: return that "
    "(chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0 or candidate_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / candidate_length)


@mistake(
    "bleu.brevity_penalty",
    "division-by-zero",
    explanation="The formula was used for a candidate of length 0. It divides by that length and raises an error, and "
    "models do write empty candidates.",
    hint="brevity_penalty(0, r) divides by zero. Treat the empty candidate first: its factor is 0 (chapter 12, 'The "
    "brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length > reference_length:
        return 1.0
    return math.exp(1 - reference_length / candidate_length)


@mistake(
    "bleu.brevity_penalty",
    "percent",
    explanation="The factor was multiplied by 100. Only the final score is given out of 100; a factor of 1 changes "
    "nothing and a factor of 100 does.",
    hint="Your factor runs from 0 to 100. It is a factor, from 0 to 1; the 100 belongs to the score (chapter 12, 'The "
    "brevity penalty').",
    section="brevity-penalty",
)
def brevity_penalty(candidate_length, reference_length):
    if candidate_length == 0:
        return 0.0
    return 100 * math.exp(min(0.0, 1 - reference_length / candidate_length))


# ---------------------------------------------------------------------------------------------------------------------
# closest_reference_length


@mistake(
    "bleu.closest_reference_length",
    "references-sorted-in-place",
    explanation="The references were sorted by length with list.sort. That reorders the caller's list, whose order may "
    "mean something.",
    hint="Your length is right, but the caller's references are in another order afterwards. A function here never "
    "changes its arguments (chapter 12, 'What goes wrong'): sorted and min leave the list alone.",
    section="bleu-pitfalls",
)
def closest_reference_length(candidate, references):
    references.sort(key=len)
    return min(map(len, references), key=lambda length: abs(length - len(candidate)))


@mistake(
    "bleu.closest_reference_length",
    "shortest",
    explanation="The shortest reference was taken. NIST's version of BLEU once did that; it lets a candidate be as "
    "short as the shortest, also when it is far from it.",
    hint="You return the length of the shortest reference. Take the one nearest to the candidate in length; only of "
    "two that are equally near the shorter one (chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return min(map(len, references))


@mistake(
    "bleu.closest_reference_length",
    "farthest",
    explanation="The reference whose length differs most from the candidate's was taken. It is the one that differs "
    "least that sets the length, or else a good candidate is compared with the least suitable reference.",
    hint="You return the length that is farthest from the candidate's. The largest difference is max, the smallest is "
    "min (chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return max(map(len, references), key=lambda length: (abs(length - len(candidate)), -length))


@mistake(
    "bleu.closest_reference_length",
    "longest",
    explanation="The longest reference was taken. A candidate as long as another reference would be punished for being "
    "short.",
    hint="You return the length of the longest reference. Take the one nearest to the candidate in length (chapter 12, "
    "'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return max(map(len, references))


@mistake(
    "bleu.closest_reference_length",
    "first-reference",
    explanation="The first reference was taken. The order of the references carries no meaning, so the score must not "
    "depend on it.",
    hint="You return the length of the first reference. Compare all of them with the candidate's length (chapter 12, "
    "'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return len(references[0])


@mistake(
    "bleu.closest_reference_length",
    "average",
    explanation="The average length was taken. Perhaps no reference has that length; asked for is the nearest one.",
    hint="You return the average of the lengths. Take the single length that is nearest to the candidate's (chapter "
    "12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return round(sum(map(len, references)) / len(references))


@mistake(
    "bleu.closest_reference_length",
    "middle-length",
    explanation="The median of the lengths was taken, without looking at the candidate. Nearest means nearest to the "
    "candidate.",
    hint="Your result does not depend on the candidate: it is the middle one of the lengths. Take the length with the "
    "smallest distance to the candidate's (chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return sorted(map(len, references))[len(references) // 2]


@mistake(
    "bleu.closest_reference_length",
    "tie-to-the-longer",
    explanation="Of two references that are equally near, the longer one was taken. The rule is the shorter: it gives "
    "the candidate the benefit of the doubt.",
    hint="When a shorter and a longer reference are equally near you take the longer, and the candidate is punished. "
    "Take the shorter (chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return min(map(len, references), key=lambda length: (abs(length - len(candidate)), -length))


@mistake(
    "bleu.closest_reference_length",
    "tie-to-the-first",
    explanation="Of two references that are equally near, the first in the list was taken, as min does. The score then "
    "depends on the order of the references.",
    hint="Your result changes with the order of the references when two are equally near. min keeps the first of "
    "equals: let the length itself decide second (chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return min(map(len, references), key=lambda length: abs(length - len(candidate)))


@mistake(
    "bleu.closest_reference_length",
    "tie-to-the-last",
    explanation="Of two references that are equally near, the last in the list was taken, since <= replaces equals. "
    "The score then depends on the order of the references.",
    hint="Your result changes with the order of the references when two are equally near. On a tie compare the "
    "lengths, and keep the shorter (chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    best = len(references[0])
    for reference in references:
        if abs(len(reference) - len(candidate)) <= abs(best - len(candidate)):
            best = len(reference)
    return best


@mistake(
    "bleu.closest_reference_length",
    "difference-returned",
    explanation="The smallest difference was returned, not the length that has it. As a reference length it is tiny, "
    "so no candidate would ever be short.",
    hint="You return how far the nearest reference is, not how long it is. The difference only chooses (chapter 12, "
    "'Which reference sets the length'): give it to min as key.",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return min(abs(len(reference) - len(candidate)) for reference in references)


@mistake(
    "bleu.closest_reference_length",
    "index-returned",
    explanation="The place of the nearest reference in the list was returned. Asked for is its length.",
    hint="You return which reference is nearest; return how long it is (chapter 12, 'Which reference sets the "
    "length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    lengths = [len(reference) for reference in references]
    return min(range(len(lengths)), key=lambda i: (abs(lengths[i] - len(candidate)), lengths[i]))


@mistake(
    "bleu.closest_reference_length",
    "reference-returned",
    explanation="The nearest reference was returned, not its length. The brevity penalty compares two numbers.",
    hint="You return the reference itself, a list of tokens. Return its length (chapter 12, 'Which reference sets the "
    "length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    return min(references, key=lambda reference: (abs(len(reference) - len(candidate)), len(reference)))


@mistake(
    "bleu.closest_reference_length",
    "not-longer-than-candidate",
    explanation="Only references that are not longer than the candidate were looked at. A longer one may be nearer, "
    "and then the candidate is short.",
    hint="You never choose a reference that is longer than the candidate. Distance counts in both directions (chapter "
    "12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    lengths = [len(reference) for reference in references]
    return max([length for length in lengths if length <= len(candidate)], default=min(lengths))


@mistake(
    "bleu.closest_reference_length",
    "not-shorter-than-candidate",
    explanation="Only references that are not shorter than the candidate were looked at. A shorter one may be nearer, "
    "and then the candidate is not short.",
    hint="You never choose a reference that is shorter than the candidate. Distance counts in both directions (chapter "
    "12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    lengths = [len(reference) for reference in references]
    return min([length for length in lengths if length >= len(candidate)], default=max(lengths))


@mistake(
    "bleu.closest_reference_length",
    "nearest-by-ratio",
    explanation="The reference whose length has the ratio nearest to 1 was taken. The rule measures the difference in "
    "tokens: from 4 tokens, 2 is nearer than 7.",
    hint="You compare ratios of lengths. Near means a small difference in tokens (chapter 12, 'Which reference sets "
    "the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    length = len(candidate)
    return min(map(len, references), key=lambda other: (max(other, length) / max(1, min(other, length)), other))


@mistake(
    "bleu.closest_reference_length",
    "best-matching-reference",
    explanation="The reference that shares most tokens with the candidate was taken. The rule looks at lengths alone, "
    "not at words.",
    hint="You choose the reference by its words. Only its length counts here: the nearest one (chapter 12, 'Which "
    "reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    counts = Counter(candidate)
    return len(max(references, key=lambda reference: sum((counts & Counter(reference)).values())))


@mistake(
    "bleu.closest_reference_length",
    "distinct-tokens",
    explanation="Different tokens were counted. The length of a sentence counts a repeated token each time.",
    hint="Your lengths are too small where a reference repeats a token: a set holds it once. Use len of the list "
    "(chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    lengths = [len(set(reference)) for reference in references]
    return min(lengths, key=lambda length: (abs(length - len(set(candidate))), length))


@mistake(
    "bleu.closest_reference_length",
    "length-in-characters",
    explanation="Lengths were measured in characters. BLEU counts tokens.",
    hint="Your lengths are in characters. Take the number of tokens, len of the list (chapter 12, 'Which reference "
    "sets the length').",
    section="reference-length",
)
def closest_reference_length(candidate, references):
    length = len("".join(candidate))
    return min((len("".join(reference)) for reference in references), key=lambda other: (abs(other - length), other))


# ---------------------------------------------------------------------------------------------------------------------
# corpus_bleu


@mistake(
    "bleu.corpus_bleu",
    "from-zero-to-one",
    explanation="The score runs from 0 to 1. This course, like sacreBLEU and most papers, gives it out of 100.",
    hint="Your score is a hundredth of what is expected. Multiply by 100 (chapter 12, 'The geometric mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "mean-of-sentence-scores",
    explanation="Each sentence was scored by itself, and the scores were averaged. BLEU is defined on the corpus: "
    "counts are added first, and divided once.",
    hint="For one sentence your score is right, for several it is the mean of their scores. Add the counts and the "
    "lengths over the corpus before you divide (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    scores = []
    for candidate, own in zip(candidates, references):
        logarithms = 0.0
        for n in range(1, max_n + 1):
            clipped, total = modified_precision(candidate, own, n)
            if smooth == "add-k" and n > 1:
                clipped, total = clipped + 1, total + 1
            logarithms += math.log(clipped / total) if clipped else -math.inf
        penalty = brevity_penalty(len(candidate), closest_reference_length(candidate, own))
        scores.append(100 * penalty * math.exp(logarithms / max_n))
    return sum(scores) / max(1, len(scores))


@mistake(
    "bleu.corpus_bleu",
    "precisions-averaged",
    explanation="The precision of each sentence was taken, and these were averaged for every n. A sentence of 3 words "
    "then weighs as much as one of 30; in BLEU each n-gram has the same weight.",
    hint="You average the precisions of the sentences. Add up the clipped counts and the totals of all sentences, and "
    "divide once for each n (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        precisions = [(clipped + plus) / max(1, total + plus) for clipped, total in counts]
        if not any(precisions):
            return 0.0
        logarithms += math.log(sum(precisions) / len(precisions))
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "arithmetic-mean",
    explanation="The precisions were averaged arithmetically. BLEU takes the geometric mean, which is lower, and 0 as "
    "soon as one of them is.",
    hint="Your score is too high: you add the precisions and divide by max_n. Average their *logarithms*, then exp "
    "(chapter 12, 'The geometric mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    precisions = []
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        precisions.append((sum(c for c, _ in counts) + plus) / max(1, sum(t for _, t in counts) + plus))
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * sum(precisions) / max_n


@mistake(
    "bleu.corpus_bleu",
    "root-twice",
    explanation="The mean of the logarithms was taken, and then the max_n-th root once more. The weights 1/max_n are "
    "that root already.",
    hint="Your score is far too high: the root was taken twice. exp of the *mean* logarithm is the geometric mean, "
    "with no further root (chapter 12, 'A root too many').",
    section="formula-error",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total) / max_n
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms) ** (1 / max_n)


@mistake(
    "bleu.corpus_bleu",
    "no-root",
    explanation="The precisions were multiplied, and no root was taken. The product of four fractions is far below "
    "each of them, and depends on how many there are.",
    hint="Your score is far too low: it is the product of the precisions. Divide the sum of their logarithms by max_n "
    "before exp (chapter 12, 'The geometric mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    product = 1.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        product *= (sum(c for c, _ in counts) + plus) / max(1, sum(t for _, t in counts) + plus)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * product


@mistake(
    "bleu.corpus_bleu",
    "halving-weights",
    explanation="The precisions were weighted by 1/2, 1/4, 1/8 and so on. BLEU gives every length the same weight, "
    "1/max_n.",
    hint="You weight the lengths by 1/2, 1/4, 1/8, ... All have the same weight, 1/max_n (chapter 12, 'The geometric "
    "mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    score = 1.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        precision = (sum(c for c, _ in counts) + plus) / max(1, sum(t for _, t in counts) + plus)
        score *= precision ** (0.5**n)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * score


@mistake(
    "bleu.corpus_bleu",
    "logarithms-of-two-bases",
    explanation="Logarithms of base 2 were averaged, and exp has base e. A power undoes only the logarithm of its own "
    "base.",
    hint="Your score is too low: log2 and exp do not belong together. Use math.log with math.exp (chapter 12, 'The "
    "geometric mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log2(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "lengths-pooled",
    explanation="The counts of all n were added to one precision. There are more short n-grams than long ones, so "
    "those decide; BLEU gives each length its own precision.",
    hint="You divide once for all lengths together. Make a precision for each n, and take their geometric mean "
    "(chapter 12, 'The geometric mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    clipped = total = 0
    for n in range(1, max_n + 1):
        for candidate, own in zip(candidates, references):
            one, all_of_it = modified_precision(candidate, own, n)
            clipped, total = clipped + one, total + all_of_it
        if smooth == "add-k" and n > 1:
            clipped, total = clipped + 1, total + 1
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * clipped / max(1, total)


@mistake(
    "bleu.corpus_bleu",
    "highest-length-only",
    explanation="Only n-grams of length max_n were counted. BLEU averages over all lengths from 1 to max_n.",
    hint="You use the precision of the longest n-grams alone. Loop over n from 1 to max_n (chapter 12, 'The geometric "
    "mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    counts = [modified_precision(candidate, own, max_n) for candidate, own in zip(candidates, references)]
    plus = 1 if smooth == "add-k" and max_n > 1 else 0
    precision = (sum(c for c, _ in counts) + plus) / max(1, sum(t for _, t in counts) + plus)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * precision


@mistake(
    "bleu.corpus_bleu",
    "last-length-missing",
    explanation="The loop over the lengths stops at max_n - 1, since range leaves its end out. The longest n-grams do "
    "not count.",
    hint="Your longest n-grams are missing: range(1, max_n) ends at max_n - 1. Loop up to max_n itself (chapter 12, "
    "'The geometric mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max(1, max_n - 1))


@mistake(
    "bleu.corpus_bleu",
    "a-length-without-counts",
    explanation="There is a place for the counts of each length up to max_n, and the loop, whose range leaves its end "
    "out, never fills the last. The 0 in it makes every score 0.",
    hint="Every score is 0, even that of a candidate which is its own reference: for some length you count no match "
    "at all. Does the loop over n reach max_n, and are the counts of n added where you read them (chapter 12, 'The "
    "geometric mean')?",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    clipped, total = [0] * max_n, [0] * max_n
    for candidate, own in zip(candidates, references):
        for n in range(1, max_n):
            matches, number = modified_precision(candidate, own, n)
            clipped[n - 1] += matches
            total[n - 1] += number
    if smooth == "add-k":
        clipped[1:-1] = [count + 1 for count in clipped[1:-1]]
        total[1:-1] = [count + 1 for count in total[1:-1]]
    if min(clipped) == 0:
        return 0.0
    logarithms = sum(math.log(part / whole) for part, whole in zip(clipped, total))
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "no-brevity-penalty",
    explanation="The brevity penalty was left out. A corpus of short, safe candidates would score as high as a full "
    "translation.",
    hint="Short candidates are not punished. Multiply by brevity_penalty of the two lengths of the corpus (chapter 12, "
    "'The brevity penalty').",
    section="brevity-penalty",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    return 100 * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "penalty-of-each-sentence",
    explanation="The brevity penalties of the sentences were averaged. Lengths are added over the corpus first, so "
    "that a short sentence may be made up for by a long one.",
    hint="You average the penalties of the sentences. Add all candidate lengths and all reference lengths, and compute "
    "one penalty (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    penalties = [brevity_penalty(len(c), closest_reference_length(c, own)) for c, own in zip(candidates, references)]
    return 100 * sum(penalties) / len(penalties) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "lengths-swapped",
    explanation="The two lengths went into brevity_penalty in the wrong order. Long candidates are then punished and "
    "short ones are not.",
    hint="A corpus that is too long is punished in your code, and one that is too short is not: brevity_penalty takes "
    "the candidates' length first (chapter 12, 'The brevity penalty').",
    section="brevity-penalty",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(length, sum(map(len, candidates))) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "first-references-length",
    explanation="The reference length of the corpus is that of the first references. For each candidate the nearest "
    "reference counts, wherever it stands.",
    hint="With several references your brevity penalty uses the first of each. Add up closest_reference_length over "
    "the corpus (chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(len(own[0]) for own in references)
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "shortest-references-length",
    explanation="The reference length of the corpus was made of the shortest references. For each candidate the "
    "nearest counts, which may be a longer one.",
    hint="With several references you penalise too little: you add up the shortest lengths. Add up "
    "closest_reference_length (chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(min(map(len, own)) for own in references)
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "tie-to-the-first-reference",
    explanation="The nearest length was looked for without a rule for ties, so the first of two equally near "
    "references sets it. The score then depends on the order of the references.",
    hint="Your score changes when the references of a candidate change places and two of them are equally near to it. "
    "Use closest_reference_length, where the shorter one counts (chapter 12, 'Which reference sets the length').",
    section="reference-length",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(min(map(len, own), key=lambda r: abs(r - len(c))) for c, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "duplicates-removed",
    explanation="The candidates were collected in a dictionary or a set, where equal ones are one. A test set may "
    "hold a sentence twice, and each of them counts.",
    hint="A candidate that occurs twice in the corpus counts once in your code. Go through the lists with zip, without "
    "a set or a dictionary of sentences (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    pairs = list({tuple(candidate): (candidate, own) for candidate, own in zip(candidates, references)}.values())
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in pairs]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in pairs)
    return 100 * brevity_penalty(sum(len(candidate) for candidate, _ in pairs), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "first-references-only",
    explanation="Only the first reference of each candidate was used. The others are right translations too.",
    hint="Your score does not change when a second reference is added. Hand all references of a candidate on (chapter "
    "12, 'Several references').",
    section="several-references",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own[:1], n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(len(own[0]) for own in references)
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "references-by-stream",
    explanation="The references were read as sacreBLEU takes them: the first list holds the first references of all "
    "candidates. Here references[i] are the references of candidate i.",
    hint="You read references[0] as the first references of the whole corpus, which is sacreBLEU's layout. Here "
    "references[i] belongs to candidates[i] (chapter 12, 'Agreement with sacreBLEU').",
    section="sacrebleu-agreement",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    pairs = list(zip(candidates, zip(*references)))
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in pairs]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in pairs)
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "corpus-as-one-sentence",
    explanation="All candidates were put together to one long sentence, and so were the references. N-grams then run "
    "across the borders of sentences, and a word may be matched in another sentence's reference.",
    hint="You join the sentences before counting. Count sentence by sentence, clip there, and add the counts (chapter "
    "12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    whole = [token for candidate in candidates for token in candidate]
    streams = range(max(map(len, references), default=0))
    wholes = [[token for own in references if j < len(own) for token in own[j]] for j in streams]
    logarithms = 0.0
    for n in range(1, max_n + 1):
        clipped, total = modified_precision(whole, wholes, n)
        if smooth == "add-k" and n > 1:
            clipped, total = clipped + 1, total + 1
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    penalty = brevity_penalty(len(whole), closest_reference_length(whole, wholes))
    return 100 * penalty * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "max-n-ignored",
    explanation="Lengths 1 to 4 were counted whatever max_n says. BLEU-4 is only the default.",
    hint="Your score does not change with max_n. Use it as the end of the loop and as the divisor of the mean (chapter "
    "12, 'The geometric mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    max_n, logarithms = 4, 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "weights-of-a-quarter",
    explanation="Every logarithm got the weight 1/4, also when max_n is not 4. The weights are 1/max_n, so that they "
    "add up to 1.",
    hint="With another max_n your mean is off: you still divide by 4. The weight of each length is 1/max_n (chapter "
    "12, 'The geometric mean').",
    section="geometric-mean",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += 0.25 * math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms)


@mistake(
    "bleu.corpus_bleu",
    "zero-skipped",
    explanation="Lengths without a match were left out of the mean. The score then rises where it should be 0: a "
    "corpus without a single matching 4-gram would be judged by its shorter ones.",
    hint="Where no n-gram of some length matches, your score is not 0: you skip that length. Without smoothing one "
    "zero makes the geometric mean 0 (chapter 12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms, used = 0.0, 0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped > 0:
            logarithms, used = logarithms + math.log(clipped / total), used + 1
    if not used:
        return 0.0
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / used)


@mistake(
    "bleu.corpus_bleu",
    "zero-made-small",
    explanation="A small number was put in place of a precision of 0, so that the logarithm exists. Its fourth root is "
    "not small at all, and the score depends on the number chosen.",
    hint="Where no n-gram of some length matches, your score should be exactly 0 and is not: the root of a tiny number "
    "is not tiny. Return 0, or smooth when you are told to (chapter 12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        logarithms += math.log(max(clipped, 1e-9) / max(total, 1))
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "logarithm-of-zero",
    explanation="The logarithm of a precision of 0 was taken, which raises an error. Such a corpus has a score: it is "
    "0.",
    hint="Where no n-gram of some length matches, or the corpus is empty, your code raises an error. Return 0.0 before "
    "dividing or taking the logarithm (chapter 12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        logarithms += math.log((sum(c for c, _ in counts) + plus) / (sum(t for _, t in counts) + plus))
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "empty-division",
    explanation="Zero matches were thought of, but not zero n-grams: for an empty corpus, or candidates that are all "
    "too short, the division raises an error. Both score 0 without smoothing.",
    hint="When there is no n-gram at all you divide by zero. Test the clipped count before you divide: if it is 0, so "
    "is the score (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        precision = (sum(c for c, _ in counts) + plus) / (sum(t for _, t in counts) + plus)
        if precision == 0:
            return 0.0
        logarithms += math.log(precision)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "empty-candidates-skipped",
    explanation="Pairs with an empty candidate were left out. Their references still count as text that was not "
    "translated; otherwise a model does best to keep silent where it is unsure.",
    hint="Empty candidates cost nothing in your code. They have no n-grams, but the length of their references counts "
    "in the brevity penalty (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    pairs = [(candidate, own) for candidate, own in zip(candidates, references) if candidate]
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in pairs]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in pairs)
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "short-candidates-skipped",
    explanation="Candidates shorter than max_n were left out. They have no n-grams of that length, but their shorter "
    "ones and their lengths count.",
    hint="Candidates shorter than max_n do not count in your score. They take part with the n-grams that they have, "
    "and with their length (chapter 12, 'Corpus against sentence').",
    section="corpus-and-sentence",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    pairs = [(candidate, own) for candidate, own in zip(candidates, references) if len(candidate) >= max_n]
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in pairs]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in pairs)
    return 100 * brevity_penalty(sum(len(candidate) for candidate, _ in pairs), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "max-n-capped-by-length",
    explanation="max_n was lowered to the length of the longest candidate. Short corpora then get a score for fewer "
    "lengths, which cannot be compared with others; without smoothing theirs is 0.",
    hint="When all candidates are shorter than max_n you use fewer lengths. All of them count: a length without "
    "n-grams makes the score 0, unless it is smoothed (chapter 12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    max_n = min(max_n, max(map(len, candidates), default=0))
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max(1, max_n))


@mistake(
    "bleu.corpus_bleu",
    "smooth-ignored",
    explanation="The argument smooth was not looked at. With 'add-k' the counts of lengths 2 and up are raised by 1.",
    hint="Your score is the same with smooth='add-k' and without. Then the clipped and total counts are raised by 1 "
    "for every n from 2 on (chapter 12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        clipped, total = sum(c for c, _ in counts), sum(t for _, t in counts)
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "zero-before-smoothing",
    explanation="The score was set to 0 for a length without a match before anything was added. Smoothing is there for "
    "these lengths: with 'add-k' a count of 0 becomes 1.",
    hint="Your score with smooth='add-k' is right where every length has a match, and 0 where one has none. Add first, "
    "then look for a 0 (chapter 12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        clipped, total = sum(c for c, _ in counts), sum(t for _, t in counts)
        if clipped == 0:
            return 0.0
        if smooth == "add-k" and n > 1:
            clipped, total = clipped + 1, total + 1
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "always-smoothed",
    explanation="1 was added whether or not smoothing was asked for. Without it the counts are taken as they are, and "
    "the score is 0 where a length has no match.",
    hint="You add 1 also when smooth is None. Then nothing is added, and a length without a match gives 0 (chapter 12, "
    "'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "unigrams-smoothed-too",
    explanation="1 was added to the counts of single tokens as well. A candidate that shares no word with its "
    "reference would then score above 0.",
    hint="With smooth='add-k' you add 1 for n = 1 too. Only the lengths from 2 on are smoothed, so that no common word "
    "still means 0 (chapter 12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "one-added-above-only",
    explanation="1 was added to the clipped count but not to the total. A perfect candidate would have a precision "
    "above 1, and where there are no n-grams the division fails.",
    hint="With smooth='add-k' your scores are too high, and may exceed 100: the total is raised by 1 as well (chapter "
    "12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        clipped, total = sum(c for c, _ in counts), sum(t for _, t in counts)
        if smooth == "add-k" and n > 1:
            clipped += 1
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / max(1, total))
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "smoothed-where-zero",
    explanation="1 was added only where there was no match. Then one match and none may give the same score; add-k "
    "raises the counts of every length from 2 on.",
    hint="With smooth='add-k' you change only the lengths without a match. Add 1 to clipped and total for every n "
    "from 2 on (chapter 12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        clipped, total = sum(c for c, _ in counts), sum(t for _, t in counts)
        if smooth == "add-k" and n > 1 and clipped == 0:
            clipped, total = clipped + 1, total + 1
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "smoothed-in-every-sentence",
    explanation="1 was added in every sentence, before summing. A corpus of 1,000 sentences would gain 1,000 matches "
    "that nobody wrote; add-k adds 1 to the sums.",
    hint="With smooth='add-k' you add 1 for each sentence. Sum over the corpus first, then add 1 (chapter 12, "
    "'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = len(counts) if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "smoothing-needs-ngrams",
    explanation="A length without any n-gram gave 0 also with add-k. Its smoothed counts are 1 of 1, so it takes part "
    "in the mean with a precision of 1, as in sacreBLEU.",
    hint="With smooth='add-k', candidates that are all shorter than some n score 0 in your code. Add first, test "
    "afterwards: 0 of 0 becomes 1 of 1 (chapter 12, 'Smoothing').",
    section="bleu-smoothing",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        clipped, total = sum(c for c, _ in counts), sum(t for _, t in counts)
        if total == 0:
            return 0.0
        if smooth == "add-k" and n > 1:
            clipped, total = clipped + 1, total + 1
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n)


@mistake(
    "bleu.corpus_bleu",
    "rounded",
    explanation="The score was rounded. Rounding is for printing: a difference between two systems may be smaller.",
    hint="Your score is right to two decimals. Return it unrounded, and round where you print it (chapter 12, 'What "
    "goes wrong').",
    section="bleu-pitfalls",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        logarithms += math.log(clipped / total)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return round(100 * brevity_penalty(sum(map(len, candidates)), length) * math.exp(logarithms / max_n), 2)


@mistake(
    "bleu.corpus_bleu",
    "arguments-used-up",
    explanation="Sentences were taken off the lists that were passed in. They belong to the caller, who may score them "
    "again with another max_n.",
    hint="Your score is right, but the caller's lists are empty afterwards. A function here never changes its "
    "arguments (chapter 12, 'What goes wrong'): go through them with zip.",
    section="bleu-pitfalls",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    clipped, total, lengths = [0] * max_n, [0] * max_n, [0, 0]
    while candidates:
        candidate, own = candidates.pop(), references.pop()
        lengths[0] += len(candidate)
        lengths[1] += closest_reference_length(candidate, own)
        for n in range(1, max_n + 1):
            matches, all_of_it = modified_precision(candidate, own, n)
            clipped[n - 1], total[n - 1] = clipped[n - 1] + matches, total[n - 1] + all_of_it
    if smooth == "add-k":
        clipped[1:], total[1:] = [c + 1 for c in clipped[1:]], [t + 1 for t in total[1:]]
    if 0 in clipped:
        return 0.0
    logarithms = sum(math.log(c / t) for c, t in zip(clipped, total))
    return 100 * brevity_penalty(*lengths) * math.exp(logarithms / max_n)
