"""Wrong implementations of the tasks of BLEU, each with the misconception behind it.

Per task the most specific come first: when two would give the same results, the first is named.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

from autograder.course.catalogue import edit, mistake

# ---------------------------------------------------------------------------------------------------------------------
# ngram_counts


mistake(
    "bleu.ngram_counts",
    "joined-with-spaces",
    edit("tuple(tokens[start : start + n])", '" ".join(tokens[start : start + n])'),
    section="ngrams",
    why="The tokens of an n-gram were joined to one string. Two different n-grams can then look alike, and tokens that "
    "are no strings cannot be joined at all.",
    hint="Your keys are strings such as 'the cat'. An n-gram is the tuple of its tokens, ('the', 'cat'), also for n = "
    "1: make a tuple instead of joining.",
)

mistake(
    "bleu.ngram_counts",
    "joined-without-spaces",
    edit("tuple(tokens[start : start + n])", '"".join(tokens[start : start + n])'),
    section="ngrams",
    why="The tokens of an n-gram were glued together to one string. 'a' followed by 'bc' and 'ab' followed by 'c' then "
    "become the same n-gram.",
    hint="Your keys are strings with the tokens run together. An n-gram is the tuple of its tokens: tuple(...) keeps "
    "their borders, joining loses them.",
)

mistake(
    "bleu.ngram_counts",
    "unigrams-without-tuple",
    edit(
        "copies = [islice(copy, shift, None) for shift, copy in enumerate(tee(tokens, n))]",
        "if n == 1:\n    return Counter(tokens)",
    ),
    edit("*copies", "*[tokens[i:] for i in range(n)]"),
    base="iterators",
    section="ngrams",
    why="For n = 1 the bare tokens were counted, for the others tuples. The keys of one function then have two types, "
    "and a lookup of the tuple ('the',) finds nothing.",
    hint="For n = 1 your keys are bare tokens, 'the' instead of ('the',). A 1-gram is a tuple of one token; it needs "
    "no case of its own.",
)

mistake(
    "bleu.ngram_counts",
    "distinct-only",
    edit("copies = [islice(copy, shift, None) for shift, copy in enumerate(tee(tokens, n))]", ""),
    edit("zip(*copies)", "set(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))"),
    base="iterators",
    section="ngrams",
    why="Each n-gram was counted once, however often it occurs. Clipping compares counts, so it needs the real ones.",
    hint="All your counts are 1, also for n-grams that occur several times. A set forgets how often something was in "
    "it; count every position.",
)

mistake(
    "bleu.ngram_counts",
    "last-one-missing",
    edit("len(tokens) - n + 1", "len(tokens) - n"),
    section="ngrams",
    why="The loop ends one position too early, so the last n-gram is never counted. A sentence of exactly n tokens "
    "would have none.",
    hint="The n-gram at the end of the sentence is missing from your counts. There are len(tokens) - n + 1 positions "
    "where one can start: try a sentence of exactly n tokens.",
)

mistake(
    "bleu.ngram_counts",
    "first-one-missing",
    edit("range(len(tokens) - n + 1)", "range(1, len(tokens) - n + 1)"),
    section="ngrams",
    why="The loop starts at the second token, so the n-gram at the beginning is never counted. Positions in a list are "
    "numbered from 0.",
    hint="The n-gram at the start of the sentence is missing from your counts. The first one starts at position 0.",
)

mistake(
    "bleu.ngram_counts",
    "shorter-ones-at-the-end",
    edit("len(tokens) - n + 1", "len(tokens)"),
    section="ngrams",
    why="A start was tried at every token, and the last slices are shorter than n. Python cuts a slice off at the end "
    "of a list without a word.",
    hint="Your counts hold tuples with fewer than n tokens, cut off by the end of the sentence. The last n-gram starts "
    "at position len(tokens) - n.",
)

mistake(
    "bleu.ngram_counts",
    "short-sentence-as-ngram",
    edit("len(tokens) - n + 1", "max(1, len(tokens) - n + 1)"),
    section="ngrams",
    why="A sentence shorter than n was counted as one n-gram. It has none: a tuple of fewer than n tokens is no "
    "n-gram.",
    hint="A sentence shorter than n gives you one n-gram, the whole sentence. Such a sentence has no n-grams, so its "
    "counter is empty.",
)

mistake(
    "bleu.ngram_counts",
    "up-to-n",
    edit("copies = [islice(copy, shift, None) for shift, copy in enumerate(tee(tokens, n))]", ""),
    edit("zip(*copies)", "(tuple(tokens[i : i + k]) for k in range(1, n + 1) for i in range(len(tokens) - k + 1))"),
    base="iterators",
    section="ngrams",
    why="All lengths from 1 to n were counted together. BLEU needs a precision for each length by itself, so one call "
    "counts one length.",
    hint="Your counts hold n-grams of every length up to n. Each length gets its own precision, so count length n "
    "only; the loop over the lengths comes in corpus_bleu.",
)

mistake(
    "bleu.ngram_counts",
    "not-overlapping",
    edit("range(len(tokens) - n + 1)", "range(0, len(tokens) - n + 1, n)"),
    section="ngrams",
    why="The sentence was cut into pieces of n tokens that follow one another. N-grams overlap: a new one starts at "
    "every token.",
    hint="You take steps of n, so most n-grams are missing. The window moves on by one token: a sentence of 6 tokens "
    "has 5 bigrams, not 3.",
)

mistake(
    "bleu.ngram_counts",
    "order-lost",
    edit("tokens[start : start + n]", "sorted(tokens[start : start + n])"),
    section="ngrams",
    why="The tokens of each n-gram were sorted. 'dog bites' and 'bites dog' then count as the same, and word order is "
    "the very thing that longer n-grams are there to judge.",
    hint="The tokens inside your n-grams are in alphabetical order, not in that of the sentence. An n-gram keeps the "
    "order of its tokens.",
)

mistake(
    "bleu.ngram_counts",
    "any-n-tokens",
    edit("copies = [islice(copy, shift, None) for shift, copy in enumerate(tee(tokens, n))]", ""),
    edit("zip(*copies)", "itertools.combinations(tokens, n)"),
    base="iterators",
    section="ngrams",
    why="All choices of n tokens were counted, also of tokens that are not neighbours. An n-gram is a run without "
    "gaps.",
    hint="Your counts hold tuples whose tokens are not next to each other in the sentence. An n-gram has no gaps: "
    "slide a window of n tokens along.",
)

mistake(
    "bleu.ngram_counts",
    "wraps-around",
    edit("copies = [islice(copy, shift, None) for shift, copy in enumerate(tee(tokens, n))]", ""),
    edit("zip(*copies)", "(tuple(tokens[(i + k) % len(tokens)] for k in range(n)) for i in range(len(tokens)))"),
    base="iterators",
    section="ngrams",
    why="The sentence was read as a ring, so that n-grams run from its end to its beginning. The first token does not "
    "follow the last one.",
    hint="Your counts hold n-grams that begin at the end of the sentence and go on at its start. Stop where the last "
    "whole window ends; negative indices and % len(tokens) wrap around.",
)

mistake(
    "bleu.ngram_counts",
    "bigrams-whatever-n",
    edit("copies = [islice(copy, shift, None) for shift, copy in enumerate(tee(tokens, n))]", ""),
    edit("zip(*copies)", "zip(tokens, tokens[1:])"),
    base="iterators",
    section="ngrams",
    why="Pairs of neighbours were counted whatever n is. The argument n is the length of the n-grams.",
    hint="You count pairs for every n. Take n tokens at a time.",
)


@mistake(
    "bleu.ngram_counts",
    "padded-with-markers",
    section="ngrams",
    why="Markers were put before the start and behind the end, as n-gram language models do. In BLEU the sentence is "
    "taken as it is, and markers would be matches for free.",
    hint="Your counts hold n-grams with markers that are not in the sentence. BLEU knows no padding: every n-gram lies "
    "inside the sentence.",
)
def ngram_counts(tokens, n):
    padded = ["<s>"] * (n - 1) + tokens + ["</s>"] * (n - 1)
    return Counter(tuple(padded[i : i + n]) for i in range(len(padded) - n + 1))


mistake(
    "bleu.ngram_counts",
    "lower-case",
    edit("if isinstance(tokens, str):", "tokens = [token.lower() for token in tokens]\nif isinstance(tokens, str):"),
    section="bleu-tokenisation",
    why="The tokens were turned into lower case. Tokenisation has been done before, and what it left different is "
    "different: BLEU tells 'May' from 'may'.",
    hint="Tokens with capital letters are in lower case in your n-grams. Take the tokens as they come: changing them "
    "is the tokeniser's business.",
)

mistake(
    "bleu.ngram_counts",
    "punctuation-dropped",
    edit(
        "if isinstance(tokens, str):",
        """
        tokens = [token for token in tokens if any(character.isalnum() for character in token)]
        if isinstance(tokens, str):
        """,
    ),
    section="bleu-tokenisation",
    why="Tokens without letters were left out. Tokenisation has been done before, and its full stops and commas are "
    "tokens like others.",
    hint="Full stops and commas are missing from your n-grams, so words that stood apart have become neighbours. Take "
    "the tokens as they come.",
)

mistake(
    "bleu.ngram_counts",
    "shares-of-the-total",
    edit("Counter()", "Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))"),
    edit("for start in range(0, len(tokens) - n + 1):\n    counts[tuple(tokens[start : start + n])] += 1", ""),
    edit("return counts", "return Counter({ngram: count / counts.total() for ngram, count in counts.items()})"),
    base="loop-that-counts",
    section="ngrams",
    why="The counts were divided by their sum. Clipping and the sums over the corpus need counts; the division comes "
    "last.",
    hint="Your counts are fractions that add up to 1. Return how often each n-gram occurs: division is the last step "
    "of BLEU.",
)

mistake(
    "bleu.ngram_counts",
    "list-instead-of-counter",
    edit("copies = [islice(copy, shift, None) for shift, copy in enumerate(tee(tokens, n))]", ""),
    edit("Counter(zip(*copies))", "[tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]"),
    base="iterators",
    section="ngrams",
    why="The list of all n-grams was returned, not how often each occurs. A list has no counts to compare.",
    hint="You return the n-grams in a list. Put them into a collections.Counter, which counts them.",
)

mistake(
    "bleu.ngram_counts",
    "plain-dictionary",
    edit("counts, window = Counter(), deque(maxlen=n)", "counts = {}"),
    edit("for token in tokens:", "for i in range(len(tokens) - n + 1):"),
    edit("window.append(token)", "ngram = tuple(tokens[i : i + n])"),
    edit("if len(window) == n:\n    counts.update([tuple(window)])", "counts[ngram] = counts.get(ngram, 0) + 1"),
    base="sliding-window",
    section="ngrams",
    why="The counts are in a plain dictionary. A Counter gives 0 for an n-gram that does not occur, and has the "
    "operators & and | that clipping uses; a dictionary raises KeyError.",
    hint="Your counts are right, but they are in a dict. Return a collections.Counter: it answers 0 for what it does "
    "not hold.",
)

mistake(
    "bleu.ngram_counts",
    "tokens-used-up",
    edit("for start in range(0, len(tokens) - n + 1):", "while len(tokens) >= n:"),
    edit("counts[tuple(tokens[start : start + n])] += 1", "counts[tuple(tokens[:n])] += 1\ntokens.pop(0)"),
    base="loop-that-counts",
    section="bleu-pitfalls",
    why="Tokens were taken off the list that was passed in. The list belongs to the caller, who wants to count other "
    "lengths in it afterwards.",
    hint="Your counts are right, but the caller's list is shorter afterwards. A function here never changes its "
    "arguments: use indices or slices instead of pop.",
)

mistake(
    "bleu.ngram_counts",
    "string-accepted",
    edit(
        """
        if isinstance(tokens, str):
            raise TypeError(f"tokens is the string {tokens!r}, whose items are characters; split it into a list of tokens.")
        """,
        "",
    ),
    section="bleu-pitfalls",
    why="A string was accepted in place of a list of tokens. Its items are characters, so the counts are those of "
    "letters, and nothing says so.",
    hint="A string is counted letter by letter. Raise a `TypeError` when `tokens` is a string: who passes one has "
    "forgotten to split it.",
)

mistake(
    "bleu.ngram_counts",
    "n-of-zero-accepted",
    edit('if n < 1:\n    raise ValueError(f"n is {n}, but an n-gram has at least one token.")', ""),
    section="bleu-pitfalls",
    why="An n below 1 was accepted. There are no runs of 0 tokens, and counts of empty tuples hide a wrong call.",
    hint="With `n=0` your function returns something. Raise a `ValueError` when `n` is less than 1.",
)

mistake(
    "bleu.ngram_counts",
    "nothing-refused",
    edit(
        """
        if isinstance(tokens, str):
            raise TypeError(f"tokens is the string {tokens!r}, whose items are characters; split it into a list of tokens.")
        """,
        "",
    ),
    edit('if n < 1:\n    raise ValueError(f"n is {n}, but an n-gram has at least one token.")', ""),
    section="bleu-pitfalls",
    why="Neither a string in place of a list nor an n below 1 is refused. Both are wrong calls that would go unnoticed.",
    hint="Your counts are right, but a string and `n=0` are accepted. Raise the errors that the description names.",
)


# ---------------------------------------------------------------------------------------------------------------------
# modified_precision


mistake(
    "bleu.modified_precision",
    "not-clipped",
    edit(
        "most = reduce(or_, (ngram_counts(reference, n) for reference in references), Counter())",
        "known = set().union(*(ngram_counts(reference, n) for reference in references))",
    ),
    edit("(counts & most).values()", "(count for ngram, count in counts.items() if ngram in known)"),
    base="operators-of-counters",
    section="clipping",
    why="Every n-gram of the candidate that occurs in a reference was counted, however often it is repeated. A "
    "candidate of seven times 'the' would be perfect.",
    hint="Your clipped count is too high where the candidate repeats itself: an n-gram counts at most as often as one "
    "reference has it. Compare counts, not only whether it occurs.",
)

mistake(
    "bleu.modified_precision",
    "references-added-up",
    edit("most |= ngram_counts(reference, n)", "most.update(ngram_counts(reference, n))"),
    edit(
        "(counts & most).total(), counts.total()",
        "sum(min(count, most[ngram]) for ngram, count in counts.items()), sum(counts.values())",
    ),
    section="several-references",
    why="The counts of all references were added before clipping. Each reference is a translation of its own: two that "
    "say 'the' once do not allow 'the the'.",
    hint="With several references your clipped count is too high: you clip by the sum of their counts. The bound for "
    "an n-gram is its largest count in any one reference.",
)


@mistake(
    "bleu.modified_precision",
    "matches-added-up",
    section="several-references",
    why="The matches with each reference were added. An n-gram that two references share is then counted twice, and "
    "the precision may exceed 1.",
    hint="With several references you count a match once for every reference that has it, so clipped can exceed total. "
    "Take the largest count over the references first, then clip once.",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    return sum((counts & ngram_counts(reference, n)).total() for reference in references), counts.total()


@mistake(
    "bleu.modified_precision",
    "best-single-reference",
    section="several-references",
    why="The matches were counted with each reference, and the best of them was taken. The bound is the largest count "
    "of each n-gram by itself: one may come from the first reference, another from the second.",
    hint="You choose the one reference that fits best. In BLEU every n-gram looks for itself in which reference it is "
    "most frequent, so a candidate may mix them.",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    return max((counts & ngram_counts(reference, n)).total() for reference in references), counts.total()


mistake(
    "bleu.modified_precision",
    "first-reference-that-has-it",
    edit("most: Counter = Counter()", "clipped = 0"),
    edit("for reference in references:", "for ngram, count in counts.items():"),
    edit(
        "most |= ngram_counts(reference, n)",
        """
        for reference in references:
            bound = ngram_counts(reference, n)[ngram]
            if bound:
                clipped += min(count, bound)
                break
        """,
    ),
    edit("(counts & most).total()", "clipped"),
    section="several-references",
    why="The search stopped at the first reference that has the n-gram, and its count was the bound. Another reference "
    "may have the n-gram more often, and the largest count is what bounds.",
    hint="Your count depends on the order of the references. Do not stop at the first that has the n-gram; look at all "
    "of them and take the largest count.",
)

mistake(
    "bleu.modified_precision",
    "in-all-references",
    edit("counts = ngram_counts(candidate, n)", ""),
    edit("most: Counter = Counter()", "counts = total = ngram_counts(candidate, n)"),
    edit("most |= ngram_counts(reference, n)", "counts = counts & ngram_counts(reference, n)"),
    edit("counts & most).total(), counts.total", "counts).total(), total.total"),
    section="several-references",
    why="Counts were clipped by the smallest count over the references, so an n-gram has to occur in all of them. "
    "References are different on purpose: one that has the n-gram is enough.",
    hint="More references lower your count: only what all of them share is counted. Take the largest count over the "
    "references, which is | of counters and not &.",
)


@mistake(
    "bleu.modified_precision",
    "first-reference-only",
    section="several-references",
    why="Only the first reference was looked at. The others are right translations too, and what matches them counts.",
    hint="Your count does not change when references are added. Look at all of them, and take the largest count of "
    "each n-gram.",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    return (counts & ngram_counts(references[0], n)).total(), counts.total()


mistake(
    "bleu.modified_precision",
    "last-reference-only",
    edit("most: Counter = Counter()", ""),
    edit("most |= ngram_counts(reference, n)", "clipped = counts & ngram_counts(reference, n)"),
    edit("counts & most", "clipped"),
    section="several-references",
    why="The bound was set anew for every reference, and the last one remained. An assignment in a loop keeps only its "
    "last value.",
    hint="Your count depends on the last reference alone. Keep the larger of the old bound and the new count at every "
    "step of the loop.",
)

mistake(
    "bleu.modified_precision",
    "last-count-wins",
    edit("Counter()", "{}"),
    edit("most |= ngram_counts(reference, n)", "most.update(ngram_counts(reference, n))"),
    edit(
        "(counts & most).total(), counts.total()",
        "sum(min(count, most.get(ngram, 0)) for ngram, count in counts.items()), sum(counts.values())",
    ),
    section="several-references",
    why="The counts of the references were put into one dictionary, where a later reference overwrites an earlier one. "
    "dict.update replaces; the bound is the larger of the two.",
    hint="Where references have the same n-gram in different numbers, the last of them decides in your code. Keep the "
    "largest count.",
)


@mistake(
    "bleu.modified_precision",
    "references-as-one-text",
    section="several-references",
    why="The references were put one behind the other and counted as one text. That adds their counts, and invents "
    "n-grams that run from one reference into the next.",
    hint="With several references your clipped count is too high: you count in one long list. Count each reference by "
    "itself and take the largest count of each n-gram.",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    return (counts & ngram_counts(sum(references, []), n)).total(), counts.total()


@mistake(
    "bleu.modified_precision",
    "distinct-ngrams",
    section="clipping",
    why="Sets of n-grams were compared, so repetitions count neither in the matches nor in the total. Seven times "
    "'the' would be one right word of one.",
    hint="Both your counts ignore repetitions. Count every occurrence in the total, and up to the reference's count in "
    "the matches.",
)
def modified_precision(candidate, references, n):
    counts = set(ngram_counts(candidate, n))
    known = set().union(*(ngram_counts(reference, n) for reference in references))
    return len(counts & known), len(counts)


mistake(
    "bleu.modified_precision",
    "clipped-at-one",
    edit(
        "most = reduce(or_, (ngram_counts(reference, n) for reference in references), Counter())",
        "known = set().union(*(ngram_counts(reference, n) for reference in references))",
    ),
    edit("sum((counts & most).values()), sum(counts.values())", "len(set(counts) & known), counts.total()"),
    base="operators-of-counters",
    section="clipping",
    why="An n-gram counts as one match at most. If a reference has it twice, two occurrences in the candidate are "
    "right.",
    hint="Your matches count an n-gram once, even where candidate and reference both have it several times. Clip at "
    "the reference's count, not at 1.",
)

mistake(
    "bleu.modified_precision",
    "total-of-distinct",
    edit("counts.total()", "len(counts)"),
    section="clipping",
    why="The total is the number of different n-grams, as len of a Counter gives it. Repeated n-grams belong to the "
    "total each time, else repeating costs nothing.",
    hint="Your total is too small where the candidate repeats itself: len(counter) is the number of its keys. Add up "
    "the counts.",
)

mistake(
    "bleu.modified_precision",
    "recall",
    edit("counts = ngram_counts(candidate, n)", ""),
    edit("most: Counter = Counter()", "most = Counter()"),
    edit("counts & most).total(), counts.total", "ngram_counts(candidate, n) & most).total(), most.total"),
    section="clipping",
    why="The total counts the n-grams of the reference. That is recall; precision asks which share of the candidate is "
    "right.",
    hint="Your total is the number of n-grams that the reference has. Precision divides by those of the candidate; "
    "what a short candidate leaves out is the brevity penalty's business.",
)

mistake(
    "bleu.modified_precision",
    "total-in-tokens",
    edit("counts.total()", "len(candidate)"),
    section="ngrams",
    why="The total is the number of tokens, for every n. A sentence of 6 tokens has 6 unigrams but only 3 4-grams, so "
    "even a perfect candidate would not reach 1.",
    hint="Your total is the candidate's length in tokens. For n > 1 there are fewer n-grams than tokens: c - n + 1.",
)

mistake(
    "bleu.modified_precision",
    "negative-total",
    edit("counts.total()", "len(candidate) - n + 1"),
    section="ngrams",
    why="The total was computed as c - n + 1 without looking whether that is negative. A candidate shorter than n "
    "would take n-grams away from the rest of the corpus.",
    hint="For a candidate shorter than n your total is negative. It has no n-grams, which is 0: add up the counts, or "
    "take max(0, ...).",
)

mistake(
    "bleu.modified_precision",
    "total-at-least-one",
    edit("counts.total()", "max(1, counts.total())"),
    section="corpus-and-sentence",
    why="The total was raised to 1 to avoid dividing by zero. Nothing is divided here, and over a corpus the 1 of each "
    "short sentence adds up to n-grams that nobody wrote.",
    hint="For a candidate shorter than n your total is 1. It has no n-grams, so the total is 0; guard the division "
    "where the division is.",
)

mistake(
    "bleu.modified_precision",
    "divided-already",
    edit("(counts & most).total(), counts.total()", "(counts & most).total() / max(1, counts.total())"),
    section="corpus-and-sentence",
    why="The ratio was returned in place of the two counts. BLEU adds the counts of a whole corpus first and divides "
    "once; from a ratio they cannot be recovered.",
    hint="You return one number, the precision. Return the pair (clipped, total): the division comes after the counts "
    "of all sentences have been added.",
)

mistake(
    "bleu.modified_precision",
    "reduced-fraction",
    edit(
        "return (counts & most).total(), counts.total()",
        """
        if not counts:
            return 0, 0
        precision = Fraction((counts & most).total(), counts.total())
        return precision.numerator, precision.denominator
        """,
    ),
    section="corpus-and-sentence",
    why="The two counts went through a Fraction, which cancels common factors: 2 of 4 became 1 of 2. The quotient is "
    "the same, but in sums over a corpus the sentence would lose weight.",
    hint="Your quotient is right, but the counts have been reduced: 1 of 2 where it should be 2 of 4. Return the "
    "counts as they are, since they will be added.",
)

mistake(
    "bleu.modified_precision",
    "swapped-results",
    edit("counts & most).total(), counts.total", "counts).total(), (counts & most).total"),
    section="clipping",
    why="The pair was returned the other way round, total first. The caller would divide the wrong way.",
    hint="Your two results are in the wrong order: first the clipped count, then the total.",
)

mistake(
    "bleu.modified_precision",
    "what-is-left-over",
    edit("counts & most", "counts - most"),
    section="clipping",
    why="The counts of the references were subtracted, so what remains are the n-grams that do not match. The minus of "
    "counters answers another question.",
    hint="Your first count is that of the n-grams which the references do not account for. Keep the smaller of the two "
    "counts of each n-gram, which is & of counters.",
)

mistake(
    "bleu.modified_precision",
    "unigrams-whatever-n",
    edit("ngram_counts(candidate, n)", "ngram_counts(candidate, 1)"),
    edit("ngram_counts(reference, n)", "ngram_counts(reference, 1)"),
    section="ngrams",
    why="Single tokens were compared whatever n is. Only longer n-grams see the order of the words.",
    hint="Your counts are those of n = 1 for every n. Hand n on to ngram_counts, for candidate and references.",
)


@mistake(
    "bleu.modified_precision",
    "all-lengths-up-to-n",
    section="geometric-mean",
    why="The counts of all lengths from 1 to n were added. Each length has a precision of its own, and the geometric "
    "mean combines them later.",
    hint="Your counts hold the shorter n-grams too. Count length n alone: the lengths meet only in the mean.",
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
    "same-position-only",
    section="clipping",
    why="Candidate and reference were compared position by position. An n-gram may stand anywhere: one extra word at "
    "the start would otherwise make everything after it wrong.",
    hint="You compare the n-grams at the same positions. Where it stands does not matter, only how often it occurs.",
)
def modified_precision(candidate, references, n):
    def ngrams(tokens):
        return list(zip(*[tokens[i:] for i in range(n)]))

    own, others = ngrams(candidate), [ngrams(reference) for reference in references]
    matches = sum(any(i < len(other) and other[i] == ngram for other in others) for i, ngram in enumerate(own))
    return matches, len(own)


mistake(
    "bleu.modified_precision",
    "references-used-up",
    edit("for reference in references:", "while references:"),
    edit("ngram_counts(reference, n)", "ngram_counts(references.pop(), n)"),
    section="bleu-pitfalls",
    why="Matched n-grams were crossed out in the references that were passed in. They belong to the caller, who needs "
    "them for the next length of n-gram.",
    hint="Your counts are right, but the references are shorter afterwards. A function here never changes its "
    "arguments: cross out in a copy, or compare counters.",
)


# ---------------------------------------------------------------------------------------------------------------------
# brevity_penalty


mistake(
    "bleu.brevity_penalty",
    "no-penalty",
    edit("if candidate_length == 0:\n    return 0.0", ""),
    edit("math.exp(min(0.0, 1 - reference_length / candidate_length))", "1.0 if candidate_length else 0.0"),
    section="brevity-penalty",
    why="The factor is 1 for every length. A candidate of one safe word would then score as high as a whole "
    "translation.",
    hint="Your factor is 1 for short candidates too. Precision alone does not notice what is left out, so a candidate "
    "shorter than the reference gets exp(1 - r/c).",
)

mistake(
    "bleu.brevity_penalty",
    "ratio-of-lengths",
    edit("candidate_length == 0", "candidate_length >= reference_length and candidate_length > 0"),
    edit("return 0.0", "return 1.0"),
    edit("math.exp(min(0.0, 1 - reference_length / candidate_length))", "candidate_length / max(1, reference_length)"),
    section="brevity-penalty",
    why="The factor is c/r. BLEU's is exp(1 - r/c), which is close to it near 1 and far smaller for very short "
    "candidates.",
    hint="You return c/r for a short candidate. The formula is exp(1 - r/c); the two are close only when c is nearly "
    "r.",
)

mistake(
    "bleu.brevity_penalty",
    "ratio-upside-down",
    edit("reference_length / candidate_length", "candidate_length / reference_length"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="The exponent is 1 - c/r, which is positive for a short candidate. The factor is then above 1 and rewards what "
    "it should punish.",
    hint="Your factor is larger than 1 for short candidates: the ratio is upside down. It is exp(1 - r/c), the "
    "candidate's length below.",
)

mistake(
    "bleu.brevity_penalty",
    "wrong-sign",
    edit("1 - reference_length / candidate_length", "reference_length / candidate_length - 1"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="The exponent is r/c - 1, the wrong way round. It is positive for a short candidate, so the factor exceeds 1 "
    "and grows without bound.",
    hint="Your factor is larger than 1 for short candidates: the sign of the exponent is wrong. It is 1 - r/c, "
    "negative when the candidate is short.",
)

mistake(
    "bleu.brevity_penalty",
    "arguments-swapped",
    edit(
        "return math.exp(min(0.0, 1 - reference_length / candidate_length)",
        """
        if reference_length >= candidate_length:
            return 1.0
        return math.exp(1 - candidate_length / max(1, reference_length)
        """,
    ),
    section="brevity-penalty",
    why="The two lengths changed places: long candidates are punished and short ones are not. Precision already "
    "punishes what is too long, since every extra word is one that may be wrong.",
    hint="You punish candidates that are longer than the reference, and spare the shorter ones. It is the other way "
    "round: look at which length is which.",
)

mistake(
    "bleu.brevity_penalty",
    "long-rewarded",
    edit("if candidate_length == 0:\n    return 0.0", ""),
    edit(
        "math.exp(min(0.0, 1 - reference_length / candidate_length))",
        "math.exp(1 - reference_length / candidate_length) if candidate_length else 0.0",
    ),
    section="brevity-penalty",
    why="exp(1 - r/c) was used for all lengths, so that a candidate longer than the reference gets a factor above 1. "
    "BLEU could then exceed 100; the factor is never more than 1.",
    hint="Your factor is above 1 for candidates longer than the reference. There it is exactly 1: the formula holds "
    "only for shorter ones.",
)

mistake(
    "bleu.brevity_penalty",
    "both-sides-punished",
    edit(
        "return math.exp(min(0.0, 1 - reference_length / candidate_length)",
        "lengths = sorted([candidate_length, max(1, reference_length)])\nreturn math.exp(1 - lengths[1] / lengths[0]",
    ),
    section="brevity-penalty",
    why="Candidates longer than the reference are punished as well. Precision does that already, since every extra "
    "word is one more that may be wrong.",
    hint="Your factor is below 1 for candidates that are longer than the reference. It is a *brevity* penalty: 1 from "
    "the reference's length on.",
)

mistake(
    "bleu.brevity_penalty",
    "difference-of-lengths",
    edit("if candidate_length == 0:\n    return 0.0", ""),
    edit(
        "math.exp(min(0.0, 1 - reference_length / candidate_length))",
        "math.exp(min(0, candidate_length - reference_length)) if candidate_length else 0.0",
    ),
    section="brevity-penalty",
    why="The exponent is c - r, the difference and not the ratio. Missing one word of 30 would cost as much as missing "
    "one of 3.",
    hint="Your exponent is the difference of the lengths. It is 1 - r/c, in which only their ratio counts: over a "
    "corpus of thousands of words a difference would give 0.",
)

mistake(
    "bleu.brevity_penalty",
    "one-left-out",
    edit("1 - reference_length / candidate_length", "-reference_length / candidate_length"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="The exponent is -r/c, without the 1. The factor would jump from 1 to 0.37 where the candidate becomes one "
    "word shorter than the reference.",
    hint="Your factors for short candidates are too small by the factor e: the 1 in exp(1 - r/c) is missing. With it "
    "the curve reaches 1 at c = r.",
)

mistake(
    "bleu.brevity_penalty",
    "exponent-alone",
    edit("if candidate_length == 0:\n    return 0.0", ""),
    edit(
        "math.exp(min(0.0, 1 - reference_length / candidate_length))",
        "min(0.0, 1 - reference_length / candidate_length) if candidate_length else 0.0",
    ),
    section="brevity-penalty",
    why="1 - r/c was returned, the exponent without exp. It is negative for short candidates, and 0 instead of 1 at "
    "equal lengths.",
    hint="You return 1 - r/c, which is the logarithm of the penalty. Put it into exp.",
)

mistake(
    "bleu.brevity_penalty",
    "whole-division",
    edit("reference_length / candidate_length", "reference_length // candidate_length"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="The lengths were divided with //, which drops the rest. For any candidate longer than half the reference r // "
    "c is 1, and there would be no penalty.",
    hint="Your penalty moves in jumps, and is 1 for candidates that are a little short: // divides without rest. Use "
    "/.",
)

mistake(
    "bleu.brevity_penalty",
    "power-of-two",
    edit("math.exp(1 - reference_length / candidate_length)", "2.0 ** (1 - reference_length / candidate_length)"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="The power was taken with base 2. The formula has base e, and the two differ as soon as the exponent is not 0.",
    hint="Your penalty is too mild: 2 ** (1 - r/c) in place of exp(1 - r/c).",
)

mistake(
    "bleu.brevity_penalty",
    "all-or-nothing",
    edit("ratio = reference_length / candidate_length if candidate_length > 0 else math.inf", ""),
    edit("ratio <= 1 else math.exp(1 - ratio)", "candidate_length >= reference_length and candidate_length else 0.0"),
    base="infinite-ratio",
    section="brevity-penalty",
    why="Every short candidate gets 0. The penalty grows with what is missing: one word of many costs little.",
    hint="You return 0 for every candidate that is shorter than the reference. The penalty is gradual, exp(1 - r/c).",
)

mistake(
    "bleu.brevity_penalty",
    "empty-against-empty",
    edit("candidate_length == 0", "candidate_length >= reference_length"),
    edit("return 0.0", "return 1.0"),
    edit(
        "math.exp(min(0.0, 1 - reference_length / candidate_length))",
        "math.exp(1 - reference_length / candidate_length) if candidate_length else 0.0",
    ),
    section="brevity-penalty",
    why="The comparison c >= r came first, so an empty candidate with an empty reference gets 1. The rule is that a "
    "candidate without tokens gets 0, whatever the reference is.",
    hint="brevity_penalty(0, 0) gives 1 in your code. Ask for the empty candidate first: its factor is 0 whatever r "
    "is.",
)

mistake(
    "bleu.brevity_penalty",
    "empty-not-punished",
    edit("candidate_length == 0", "candidate_length == 0 or candidate_length >= reference_length"),
    edit("return 0.0", "return 1.0"),
    edit("min(0.0, 1 - reference_length / candidate_length)", "1 - reference_length / candidate_length"),
    section="brevity-penalty",
    why="An empty candidate gets 1, as a way round the division by zero. It is the shortest of all: its factor is 0, "
    "which is also the limit of exp(1 - r/c).",
    hint="An empty candidate gets the factor 1 in your code. As c goes to 0, exp(1 - r/c) goes to 0: return that.",
)

mistake(
    "bleu.brevity_penalty",
    "division-by-zero",
    edit("candidate_length == 0", "candidate_length > reference_length"),
    edit("return 0.0", "return 1.0"),
    edit("min(0.0, 1 - reference_length / candidate_length)", "1 - reference_length / candidate_length"),
    section="brevity-penalty",
    why="The formula was used for a candidate of length 0. It divides by that length and raises an error, and models "
    "do write empty candidates.",
    hint="brevity_penalty(0, r) divides by zero. Treat the empty candidate first: its factor is 0.",
)

mistake(
    "bleu.brevity_penalty",
    "percent",
    edit(
        "math.exp(min(0.0, 1 - reference_length / candidate_length))",
        "100 * math.exp(min(0.0, 1 - reference_length / candidate_length))",
    ),
    section="brevity-penalty",
    why="The factor was multiplied by 100. Only the final score is given out of 100; a factor of 1 changes nothing and "
    "a factor of 100 does.",
    hint="Your factor runs from 0 to 100. It is a factor, from 0 to 1; the 100 belongs to the score.",
)


# ---------------------------------------------------------------------------------------------------------------------
# closest_reference_length


mistake(
    "bleu.closest_reference_length",
    "references-sorted-in-place",
    edit(
        "return min(map(len, references), key=lambda length: (abs(length - len(candidate)), length)",
        "references.sort(key=len)\nreturn min(map(len, references), key=lambda length: abs(length - len(candidate))",
    ),
    section="bleu-pitfalls",
    why="The references were sorted by length with list.sort. That reorders the caller's list, whose order may mean "
    "something.",
    hint="Your length is right, but the caller's references are in another order afterwards. A function here never "
    "changes its arguments: sorted and min leave the list alone.",
)

mistake(
    "bleu.closest_reference_length",
    "shortest",
    edit(
        "min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))",
        "min(map(len, references))",
    ),
    section="reference-length",
    why="The shortest reference was taken. NIST's version of BLEU once did that; it lets a candidate be as short as "
    "the shortest, also when it is far from it.",
    hint="You return the length of the shortest reference. Take the one nearest to the candidate in length; only of "
    "two that are equally near the shorter one.",
)

mistake(
    "bleu.closest_reference_length",
    "farthest",
    edit(
        "min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))",
        "max(map(len, references), key=lambda length: (abs(length - len(candidate)), -length))",
    ),
    section="reference-length",
    why="The reference whose length differs most from the candidate's was taken. It is the one that differs least that "
    "sets the length, or else a good candidate is compared with the least suitable reference.",
    hint="You return the length that is farthest from the candidate's. The largest difference is max, the smallest is "
    "min.",
)

mistake(
    "bleu.closest_reference_length",
    "longest",
    edit(
        "min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))",
        "max(map(len, references))",
    ),
    section="reference-length",
    why="The longest reference was taken. A candidate as long as another reference would be punished for being short.",
    hint="You return the length of the longest reference. Take the one nearest to the candidate in length.",
)

mistake(
    "bleu.closest_reference_length",
    "first-reference",
    edit("min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))", "len(references[0])"),
    section="reference-length",
    why="The first reference was taken. The order of the references carries no meaning, so the score must not depend "
    "on it.",
    hint="You return the length of the first reference. Compare all of them with the candidate's length.",
)

mistake(
    "bleu.closest_reference_length",
    "average",
    edit(
        "min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))",
        "round(sum(map(len, references)) / len(references))",
    ),
    section="reference-length",
    why="The average length was taken. Perhaps no reference has that length; asked for is the nearest one.",
    hint="You return the average of the lengths. Take the single length that is nearest to the candidate's.",
)

mistake(
    "bleu.closest_reference_length",
    "middle-length",
    edit(
        "min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))",
        "sorted(map(len, references))[len(references) // 2]",
    ),
    section="reference-length",
    why="The median of the lengths was taken, without looking at the candidate. Nearest means nearest to the "
    "candidate.",
    hint="Your result does not depend on the candidate: it is the middle one of the lengths. Take the length with the "
    "smallest distance to the candidate's.",
)

mistake(
    "bleu.closest_reference_length",
    "tie-to-the-longer",
    edit("(abs(length - len(candidate)), length)", "(abs(length - len(candidate)), -length)"),
    section="reference-length",
    why="Of two references that are equally near, the longer one was taken. The rule is the shorter: it gives the "
    "candidate the benefit of the doubt.",
    hint="When a shorter and a longer reference are equally near you take the longer, and the candidate is punished. "
    "Take the shorter.",
)

mistake(
    "bleu.closest_reference_length",
    "tie-to-the-first",
    edit("(abs(length - len(candidate)), length)", "abs(length - len(candidate))"),
    section="reference-length",
    why="Of two references that are equally near, the first in the list was taken, as min does. The score then depends "
    "on the order of the references.",
    hint="Your result changes with the order of the references when two are equally near. min keeps the first of "
    "equals: let the length itself decide second.",
)

mistake(
    "bleu.closest_reference_length",
    "tie-to-the-last",
    edit("best, best_distance = None, None", "best = len(references[0])"),
    edit("length = len(reference)\ndistance = abs(length - len(candidate))", ""),
    edit(
        "best is None or distance < best_distance or (distance == best_distance and length < best)",
        "abs(len(reference) - len(candidate)) <= abs(best - len(candidate))",
    ),
    edit("best, best_distance = length, distance", "best = len(reference)"),
    base="loop",
    section="reference-length",
    why="Of two references that are equally near, the last in the list was taken, since <= replaces equals. The score "
    "then depends on the order of the references.",
    hint="Your result changes with the order of the references when two are equally near. On a tie compare the "
    "lengths, and keep the shorter.",
)

mistake(
    "bleu.closest_reference_length",
    "difference-returned",
    edit(
        "min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))",
        "min(abs(len(reference) - len(candidate)) for reference in references)",
    ),
    section="reference-length",
    why="The smallest difference was returned, not the length that has it. As a reference length it is tiny, so no "
    "candidate would ever be short.",
    hint="You return how far the nearest reference is, not how long it is. The difference only chooses: give it to min "
    "as key.",
)


@mistake(
    "bleu.closest_reference_length",
    "index-returned",
    section="reference-length",
    why="The position of the nearest reference in the list was returned. Asked for is its length.",
    hint="You return which reference is nearest; return how long it is.",
)
def closest_reference_length(candidate, references):
    lengths = [len(reference) for reference in references]
    return min(range(len(lengths)), key=lambda i: (abs(lengths[i] - len(candidate)), lengths[i]))


mistake(
    "bleu.closest_reference_length",
    "reference-returned",
    edit(
        "map(len, references), key=lambda length: (abs(length - len(candidate)), length)",
        "references, key=lambda reference: (abs(len(reference) - len(candidate)), len(reference))",
    ),
    section="reference-length",
    why="The nearest reference was returned, not its length. The brevity penalty compares two numbers.",
    hint="You return the reference itself, a list of tokens. Return its length.",
)


@mistake(
    "bleu.closest_reference_length",
    "not-longer-than-candidate",
    section="reference-length",
    why="Only references that are not longer than the candidate were looked at. A longer one may be nearer, and then "
    "the candidate is short.",
    hint="You never choose a reference that is longer than the candidate. Distance counts in both directions.",
)
def closest_reference_length(candidate, references):
    lengths = [len(reference) for reference in references]
    return max([length for length in lengths if length <= len(candidate)], default=min(lengths))


@mistake(
    "bleu.closest_reference_length",
    "not-shorter-than-candidate",
    section="reference-length",
    why="Only references that are not shorter than the candidate were looked at. A shorter one may be nearer, and then "
    "the candidate is not short.",
    hint="You never choose a reference that is shorter than the candidate. Distance counts in both directions.",
)
def closest_reference_length(candidate, references):
    lengths = [len(reference) for reference in references]
    return min([length for length in lengths if length >= len(candidate)], default=max(lengths))


@mistake(
    "bleu.closest_reference_length",
    "nearest-by-ratio",
    section="reference-length",
    why="The reference whose length has the ratio nearest to 1 was taken. The rule measures the difference in tokens: "
    "from 4 tokens, 2 is nearer than 7.",
    hint="You compare ratios of lengths. Near means a small difference in tokens.",
)
def closest_reference_length(candidate, references):
    length = len(candidate)
    return min(map(len, references), key=lambda other: (max(other, length) / max(1, min(other, length)), other))


@mistake(
    "bleu.closest_reference_length",
    "best-matching-reference",
    section="reference-length",
    why="The reference that shares most tokens with the candidate was taken. The rule looks at lengths alone, not at "
    "words.",
    hint="You choose the reference by its words. Only its length counts here: the nearest one.",
)
def closest_reference_length(candidate, references):
    counts = Counter(candidate)
    return len(max(references, key=lambda reference: sum((counts & Counter(reference)).values())))


@mistake(
    "bleu.closest_reference_length",
    "distinct-tokens",
    section="reference-length",
    why="Different tokens were counted. The length of a sentence counts a repeated token each time.",
    hint="Your lengths are too small where a reference repeats a token: a set holds it once. Use len of the list.",
)
def closest_reference_length(candidate, references):
    lengths = [len(set(reference)) for reference in references]
    return min(lengths, key=lambda length: (abs(length - len(set(candidate))), length))


@mistake(
    "bleu.closest_reference_length",
    "length-in-characters",
    section="reference-length",
    why="Lengths were measured in characters. BLEU counts tokens.",
    hint="Your lengths are in characters. Take the number of tokens, len of the list.",
)
def closest_reference_length(candidate, references):
    length = len("".join(candidate))
    return min((len("".join(reference)) for reference in references), key=lambda other: (abs(other - length), other))


# ---------------------------------------------------------------------------------------------------------------------
# corpus_bleu


mistake(
    "bleu.corpus_bleu",
    "from-zero-to-one",
    edit(
        "100 * brevity_penalty(candidate_length, reference_length)",
        "brevity_penalty(candidate_length, reference_length)",
    ),
    section="geometric-mean",
    why="The score runs from 0 to 1. This course, like sacreBLEU and most papers, gives it out of 100.",
    hint="Your score is a hundredth of what is expected. Multiply by 100.",
)


@mistake(
    "bleu.corpus_bleu",
    "mean-of-sentence-scores",
    section="corpus-and-sentence",
    why="Each sentence was scored by itself, and the scores were averaged. BLEU is defined on the corpus: counts are "
    "added first, and divided once.",
    hint="For one sentence your score is right, for several it is the mean of their scores. Add the counts and the "
    "lengths over the corpus before you divide.",
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


mistake(
    "bleu.corpus_bleu",
    "precisions-averaged",
    edit(
        "clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus",
        "clipped = [(c + plus) / max(1, _ + plus) for c, _ in counts]",
    ),
    edit("clipped == 0", "not any(clipped)"),
    edit("clipped / total", "sum(clipped) / len(clipped)"),
    base="one-more-of-each",
    section="corpus-and-sentence",
    why="The precision of each sentence was taken, and these were averaged for every n. A sentence of 3 words then "
    "weighs as much as one of 30; in BLEU each n-gram has the same weight.",
    hint="You average the precisions of the sentences. Add up the clipped counts and the totals of all sentences, and "
    "divide once for each n.",
)


@mistake(
    "bleu.corpus_bleu",
    "arithmetic-mean",
    section="geometric-mean",
    why="The precisions were averaged arithmetically. BLEU takes the geometric mean, which is lower, and 0 as soon as "
    "one of them is.",
    hint="Your score is too high: you add the precisions and divide by max_n. Average their *logarithms*, then exp.",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    precisions = []
    for n in range(1, max_n + 1):
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        plus = 1 if smooth == "add-k" and n > 1 else 0
        precisions.append((sum(c for c, _ in counts) + plus) / max(1, sum(t for _, t in counts) + plus))
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * sum(precisions) / max_n


mistake(
    "bleu.corpus_bleu",
    "root-twice",
    edit("math.log(clipped / total)", "math.log(clipped / total) / max_n"),
    edit("math.exp(logarithms / max_n)", "math.exp(logarithms) ** (1 / max_n)"),
    section="formula-error",
    why="The mean of the logarithms was taken, and then the max_n-th root once more. The weights 1/max_n are that root "
    "already.",
    hint="Your score is far too high: the root was taken twice. exp of the *mean* logarithm is the geometric mean, "
    "with no further root.",
)

mistake(
    "bleu.corpus_bleu",
    "no-root",
    edit("logarithms = 0.0", "product = 1.0"),
    edit(
        """
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        """,
        "",
    ),
    edit(
        "logarithms += math.log(clipped / total)",
        "product *= (sum(c for c, _ in counts) + plus) / max(1, sum(t for _, t in counts) + plus)",
    ),
    edit("math.exp(logarithms / max_n)", "product"),
    base="one-more-of-each",
    section="geometric-mean",
    why="The precisions were multiplied, and no root was taken. The product of four fractions is far below each of "
    "them, and depends on how many there are.",
    hint="Your score is far too low: it is the product of the precisions. Divide the sum of their logarithms by max_n "
    "before exp.",
)

mistake(
    "bleu.corpus_bleu",
    "halving-weights",
    edit("logarithms = 0.0", "score = 1.0"),
    edit("clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus", ""),
    edit(
        "if clipped == 0:\n    return 0.0",
        "precision = (sum(c for c, _ in counts) + plus) / max(1, sum(t for _, t in counts) + plus)",
    ),
    edit("logarithms += math.log(clipped / total)", "score *= precision ** (0.5**n)"),
    edit("math.exp(logarithms / max_n)", "score"),
    base="one-more-of-each",
    section="geometric-mean",
    why="The precisions were weighted by 1/2, 1/4, 1/8 and so on. BLEU gives every length the same weight, 1/max_n.",
    hint="You weight the lengths by 1/2, 1/4, 1/8, ... All have the same weight, 1/max_n.",
)

mistake(
    "bleu.corpus_bleu",
    "logarithms-of-two-bases",
    edit("math.log(clipped / total)", "math.log2(clipped / total)"),
    section="geometric-mean",
    why="Logarithms of base 2 were averaged, and exp has base e. A power undoes only the logarithm of its own base.",
    hint="Your score is too low: log2 and exp do not belong together. Use math.log with math.exp.",
)


@mistake(
    "bleu.corpus_bleu",
    "lengths-pooled",
    section="geometric-mean",
    why="The counts of all n were added to one precision. There are more short n-grams than long ones, so those "
    "decide; BLEU gives each length its own precision.",
    hint="You divide once for all lengths together. Make a precision for each n, and take their geometric mean.",
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
    section="geometric-mean",
    why="Only n-grams of length max_n were counted. BLEU averages over all lengths from 1 to max_n.",
    hint="You use the precision of the longest n-grams alone. Loop over n from 1 to max_n.",
)
def corpus_bleu(candidates, references, max_n=4, smooth=None):
    counts = [modified_precision(candidate, own, max_n) for candidate, own in zip(candidates, references)]
    plus = 1 if smooth == "add-k" and max_n > 1 else 0
    precision = (sum(c for c, _ in counts) + plus) / max(1, sum(t for _, t in counts) + plus)
    length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))
    return 100 * brevity_penalty(sum(map(len, candidates)), length) * precision


mistake(
    "bleu.corpus_bleu",
    "last-length-missing",
    edit("max_n + 1", "max_n"),
    edit("logarithms / max_n", "logarithms / max(1, max_n - 1)"),
    section="geometric-mean",
    why="The loop over the lengths stops at max_n - 1, since range leaves its end out. The longest n-grams do not "
    "count.",
    hint="Your longest n-grams are missing: range(1, max_n) ends at max_n - 1. Loop up to max_n itself.",
)


@mistake(
    "bleu.corpus_bleu",
    "a-length-without-counts",
    section="geometric-mean",
    why="There is a place for the counts of each length up to max_n, and the loop, whose range leaves its end out, "
    "never fills the last. The 0 in it makes every score 0.",
    hint="Every score is 0, even that of a candidate which is its own reference: for some length you count no match at "
    "all. Does the loop over n reach max_n, and are the counts of n added where you read them?",
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


mistake(
    "bleu.corpus_bleu",
    "no-brevity-penalty",
    edit(
        "length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))",
        "",
    ),
    edit("100 * brevity_penalty(sum(map(len, candidates)), length)", "100"),
    base="one-more-of-each",
    section="brevity-penalty",
    why="The brevity penalty was left out. A corpus of short, safe candidates would score as high as a full "
    "translation.",
    hint="Short candidates are not punished. Multiply by brevity_penalty of the two lengths of the corpus.",
)

mistake(
    "bleu.corpus_bleu",
    "penalty-of-each-sentence",
    edit(
        "length = sum(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))",
        """
        penalties = [
            brevity_penalty(len(c), closest_reference_length(c, own)) for c, own in zip(candidates, references)
        ]
        """,
    ),
    edit("100 * brevity_penalty(sum(map(len, candidates)), length)", "100 * sum(penalties) / len(penalties)"),
    base="one-more-of-each",
    section="corpus-and-sentence",
    why="The brevity penalties of the sentences were averaged. Lengths are added over the corpus first, so that a "
    "short sentence may be made up for by a long one.",
    hint="You average the penalties of the sentences. Add all candidate lengths and all reference lengths, and compute "
    "one penalty.",
)

mistake(
    "bleu.corpus_bleu",
    "lengths-swapped",
    edit("brevity_penalty(sum(map(len, candidates)), length)", "brevity_penalty(length, sum(map(len, candidates)))"),
    base="one-more-of-each",
    section="brevity-penalty",
    why="The two lengths went into brevity_penalty in the wrong order. Long candidates are then punished and short "
    "ones are not.",
    hint="A corpus that is too long is punished in your code, and one that is too short is not: brevity_penalty takes "
    "the candidates' length first.",
)

mistake(
    "bleu.corpus_bleu",
    "first-references-length",
    edit(
        "(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))",
        "(len(own[0]) for own in references)",
    ),
    base="one-more-of-each",
    section="reference-length",
    why="The reference length of the corpus is that of the first references. For each candidate the nearest reference "
    "counts, wherever it stands.",
    hint="With several references your brevity penalty uses the first of each. Add up closest_reference_length over "
    "the corpus.",
)

mistake(
    "bleu.corpus_bleu",
    "shortest-references-length",
    edit(
        "(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))",
        "(min(map(len, own)) for own in references)",
    ),
    base="one-more-of-each",
    section="reference-length",
    why="The reference length of the corpus was made of the shortest references. For each candidate the nearest "
    "counts, which may be a longer one.",
    hint="With several references you penalise too little: you add up the shortest lengths. Add up "
    "closest_reference_length.",
)

mistake(
    "bleu.corpus_bleu",
    "tie-to-the-first-reference",
    edit("closest_reference_length(candidate, own)", "min(map(len, own), key=lambda r: abs(r - len(candidate)))"),
    base="one-more-of-each",
    section="reference-length",
    why="The nearest length was looked for without a rule for ties, so the first of two equally near references sets "
    "it. The score then depends on the order of the references.",
    hint="Your score changes when the references of a candidate change places and two of them are equally near to it. "
    "Use closest_reference_length, where the shorter one counts.",
)

mistake(
    "bleu.corpus_bleu",
    "duplicates-removed",
    edit(
        "logarithms = 0.0",
        """
        pairs = list({tuple(candidate): (candidate, own) for candidate, own in zip(candidates, references)}.values())
        logarithms = 0.0
        """,
    ),
    edit(
        "[modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]",
        "[modified_precision(candidate, own, n) for candidate, own in pairs]",
    ),
    edit(
        "(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))",
        "(closest_reference_length(candidate, own) for candidate, own in pairs)",
    ),
    edit("map(len, candidates)", "(len(candidate) for candidate, _ in pairs)"),
    base="one-more-of-each",
    section="corpus-and-sentence",
    why="The candidates were collected in a dictionary or a set, where equal ones are one. A test set may hold a "
    "sentence twice, and each of them counts.",
    hint="A candidate that occurs twice in the corpus counts once in your code. Go through the lists with zip, without "
    "a set or a dictionary of sentences.",
)

mistake(
    "bleu.corpus_bleu",
    "first-references-only",
    edit("modified_precision(candidate, own, n)", "modified_precision(candidate, own[:1], n)"),
    edit(
        "(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))",
        "(len(own[0]) for own in references)",
    ),
    base="one-more-of-each",
    section="several-references",
    why="Only the first reference of each candidate was used. The others are right translations too.",
    hint="Your score does not change when a second reference is added. Hand all references of a candidate on.",
)

mistake(
    "bleu.corpus_bleu",
    "references-by-stream",
    edit("logarithms = 0.0", "pairs = list(zip(candidates, zip(*references)))\nlogarithms = 0.0"),
    edit(
        "[modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]",
        "[modified_precision(candidate, own, n) for candidate, own in pairs]",
    ),
    edit(
        "(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))",
        "(closest_reference_length(candidate, own) for candidate, own in pairs)",
    ),
    base="one-more-of-each",
    section="sacrebleu-agreement",
    why="The references were read as sacreBLEU takes them: the first list holds the first references of all "
    "candidates. Here references[i] are the references of candidate i.",
    hint="You read references[0] as the first references of the whole corpus, which is sacreBLEU's layout. Here "
    "references[i] belongs to candidates[i].",
)


@mistake(
    "bleu.corpus_bleu",
    "corpus-as-one-sentence",
    section="corpus-and-sentence",
    why="All candidates were put together to one long sentence, and so were the references. N-grams then run across "
    "the borders of sentences, and a word may be matched in another sentence's reference.",
    hint="You join the sentences before counting. Count sentence by sentence, clip there, and add the counts.",
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


mistake(
    "bleu.corpus_bleu",
    "max-n-ignored",
    edit("logarithms = 0.0", "max_n, logarithms = 4, 0.0"),
    section="geometric-mean",
    why="Lengths 1 to 4 were counted whatever max_n says. BLEU-4 is only the default.",
    hint="Your score does not change with max_n. Use it as the end of the loop and as the divisor of the mean.",
)

mistake(
    "bleu.corpus_bleu",
    "weights-of-a-quarter",
    edit("math.log(clipped / total)", "0.25 * math.log(clipped / total)"),
    edit("logarithms / max_n", "logarithms"),
    section="geometric-mean",
    why="Every logarithm got the weight 1/4, also when max_n is not 4. The weights are 1/max_n, so that they add up to "
    "1.",
    hint="With another max_n your mean is off: you still divide by 4. The weight of each length is 1/max_n.",
)

mistake(
    "bleu.corpus_bleu",
    "zero-skipped",
    edit("logarithms = 0.0", "logarithms, used = 0.0, 0"),
    edit("clipped == 0", "clipped > 0"),
    edit("return 0.0", "logarithms, used = logarithms + math.log(clipped / total), used + 1"),
    edit("logarithms += math.log(clipped / total)", ""),
    edit("length = sum(", "if not used:\n    return 0.0\nlength = sum("),
    edit("logarithms / max_n", "logarithms / used"),
    base="one-more-of-each",
    section="bleu-smoothing",
    why="Lengths without a match were left out of the mean. The score then rises where it should be 0: a corpus "
    "without a single matching 4-gram would be judged by its shorter ones.",
    hint="Where no n-gram of some length matches, your score is not 0: you skip that length. Without smoothing one "
    "zero makes the geometric mean 0.",
)

mistake(
    "bleu.corpus_bleu",
    "zero-made-small",
    edit("if clipped == 0:\n    return 0.0", ""),
    edit("clipped / total", "max(clipped, 1e-9) / max(total, 1)"),
    section="bleu-smoothing",
    why="A small number was put in place of a precision of 0, so that the logarithm exists. Its fourth root is not "
    "small at all, and the score depends on the number chosen.",
    hint="Where no n-gram of some length matches, your score should be exactly 0 and is not: the root of a tiny number "
    "is not tiny. Return 0, or smooth when you are told to.",
)

mistake(
    "bleu.corpus_bleu",
    "logarithm-of-zero",
    edit(
        """
        clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus
        if clipped == 0:
            return 0.0
        """,
        "",
    ),
    edit("clipped / total", "(sum(c for c, _ in counts) + plus) / (sum(t for _, t in counts) + plus)"),
    base="one-more-of-each",
    section="bleu-smoothing",
    why="The logarithm of a precision of 0 was taken, which raises an error. Such a corpus has a score: it is 0.",
    hint="Where no n-gram of some length matches, or the corpus is empty, your code raises an error. Return 0.0 before "
    "dividing or taking the logarithm.",
)

mistake(
    "bleu.corpus_bleu",
    "empty-division",
    edit(
        "clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus",
        "clipped = (sum(c for c, _ in counts) + plus) / (sum(t for _, t in counts) + plus)",
    ),
    edit("clipped / total", "clipped"),
    base="one-more-of-each",
    section="corpus-and-sentence",
    why="Zero matches were thought of, but not zero n-grams: for an empty corpus, or candidates that are all too "
    "short, the division raises an error. Both score 0 without smoothing.",
    hint="When there is no n-gram at all you divide by zero. Test the clipped count before you divide: if it is 0, so "
    "is the score.",
)

mistake(
    "bleu.corpus_bleu",
    "empty-candidates-skipped",
    edit(
        "logarithms = 0.0",
        "pairs = [(candidate, own) for candidate, own in zip(candidates, references) if candidate]\nlogarithms = 0.0",
    ),
    edit(
        "[modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]",
        "[modified_precision(candidate, own, n) for candidate, own in pairs]",
    ),
    edit(
        "(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))",
        "(closest_reference_length(candidate, own) for candidate, own in pairs)",
    ),
    base="one-more-of-each",
    section="corpus-and-sentence",
    why="Pairs with an empty candidate were left out. Their references still count as text that was not translated; "
    "otherwise a model does best to keep silent where it is unsure.",
    hint="Empty candidates cost nothing in your code. They have no n-grams, but the length of their references counts "
    "in the brevity penalty.",
)

mistake(
    "bleu.corpus_bleu",
    "short-candidates-skipped",
    edit(
        "logarithms = 0.0",
        """
        pairs = [(candidate, own) for candidate, own in zip(candidates, references) if len(candidate) >= max_n]
        logarithms = 0.0
        """,
    ),
    edit(
        "[modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]",
        "[modified_precision(candidate, own, n) for candidate, own in pairs]",
    ),
    edit(
        "(closest_reference_length(candidate, own) for candidate, own in zip(candidates, references))",
        "(closest_reference_length(candidate, own) for candidate, own in pairs)",
    ),
    edit("map(len, candidates)", "(len(candidate) for candidate, _ in pairs)"),
    base="one-more-of-each",
    section="corpus-and-sentence",
    why="Candidates shorter than max_n were left out. They have no n-grams of that length, but their shorter ones and "
    "their lengths count.",
    hint="Candidates shorter than max_n do not count in your score. They take part with the n-grams that they have, "
    "and with their length.",
)

mistake(
    "bleu.corpus_bleu",
    "max-n-capped-by-length",
    edit("logarithms = 0.0", "max_n = min(max_n, max(map(len, candidates), default=0))\nlogarithms = 0.0"),
    edit("logarithms / max_n", "logarithms / max(1, max_n)"),
    base="one-more-of-each",
    section="bleu-smoothing",
    why="max_n was lowered to the length of the longest candidate. Short corpora then get a score for fewer lengths, "
    "which cannot be compared with others; without smoothing theirs is 0.",
    hint="When all candidates are shorter than max_n you use fewer lengths. All of them count: a length without "
    "n-grams makes the score 0, unless it is smoothed.",
)

mistake(
    "bleu.corpus_bleu",
    "smooth-ignored",
    edit('plus = 1 if smooth == "add-k" and n > 1 else 0', ""),
    edit(
        "sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus",
        "sum(c for c, _ in counts), sum(t for _, t in counts)",
    ),
    base="one-more-of-each",
    section="bleu-smoothing",
    why="The argument smooth was not looked at. With 'add-k' the counts of lengths 2 and up are raised by 1.",
    hint="Your score is the same with smooth='add-k' and without. Then the clipped and total counts are raised by 1 "
    "for every n from 2 on.",
)

mistake(
    "bleu.corpus_bleu",
    "zero-before-smoothing",
    edit('plus = 1 if smooth == "add-k" and n > 1 else 0', ""),
    edit(
        "sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus",
        "sum(c for c, _ in counts), sum(t for _, t in counts)",
    ),
    edit(
        "logarithms += math.log(clipped / total)",
        """
        if smooth == "add-k" and n > 1:
            clipped, total = clipped + 1, total + 1
        logarithms += math.log(clipped / total)
        """,
    ),
    base="one-more-of-each",
    section="bleu-smoothing",
    why="The score was set to 0 for a length without a match before anything was added. Smoothing is there for these "
    "lengths: with 'add-k' a count of 0 becomes 1.",
    hint="Your score with smooth='add-k' is right where every length has a match, and 0 where one has none. Add first, "
    "then look for a 0.",
)

mistake(
    "bleu.corpus_bleu",
    "always-smoothed",
    edit('smooth == "add-k" and n > 1', "n > 1"),
    section="bleu-smoothing",
    why="1 was added whether or not smoothing was asked for. Without it the counts are taken as they are, and the "
    "score is 0 where a length has no match.",
    hint="You add 1 also when smooth is None. Then nothing is added, and a length without a match gives 0.",
)

mistake(
    "bleu.corpus_bleu",
    "unigrams-smoothed-too",
    edit('smooth == "add-k" and n > 1', 'smooth == "add-k"'),
    section="bleu-smoothing",
    why="1 was added to the counts of single tokens as well. A candidate that shares no word with its reference would "
    "then score above 0.",
    hint="With smooth='add-k' you add 1 for n = 1 too. Only the lengths from 2 on are smoothed, so that no common word "
    "still means 0.",
)

mistake(
    "bleu.corpus_bleu",
    "one-added-above-only",
    edit('plus = 1 if smooth == "add-k" and n > 1 else 0', ""),
    edit(
        "clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus",
        """
        clipped, total = sum(c for c, _ in counts), sum(t for _, t in counts)
        if smooth == "add-k" and n > 1:
            clipped += 1
        """,
    ),
    edit("clipped / total", "clipped / max(1, total)"),
    base="one-more-of-each",
    section="bleu-smoothing",
    why="1 was added to the clipped count but not to the total. A perfect candidate would have a precision above 1, "
    "and where there are no n-grams the division fails.",
    hint="With smooth='add-k' your scores are too high, and may exceed 100: the total is raised by 1 as well.",
)

mistake(
    "bleu.corpus_bleu",
    "smoothed-where-zero",
    edit('plus = 1 if smooth == "add-k" and n > 1 else 0', ""),
    edit(
        "clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus",
        """
        clipped, total = sum(c for c, _ in counts), sum(t for _, t in counts)
        if smooth == "add-k" and n > 1 and clipped == 0:
            clipped, total = clipped + 1, total + 1
        """,
    ),
    base="one-more-of-each",
    section="bleu-smoothing",
    why="1 was added only where there was no match. Then one match and none may give the same score; add-k raises the "
    "counts of every length from 2 on.",
    hint="With smooth='add-k' you change only the lengths without a match. Add 1 to clipped and total for every n from "
    "2 on.",
)

mistake(
    "bleu.corpus_bleu",
    "smoothed-in-every-sentence",
    edit('1 if smooth == "add-k" and n > 1 else 0', 'len(counts) if smooth == "add-k" and n > 1 else 0'),
    base="one-more-of-each",
    section="bleu-smoothing",
    why="1 was added in every sentence, before summing. A corpus of 1,000 sentences would gain 1,000 matches that "
    "nobody wrote; add-k adds 1 to the sums.",
    hint="With smooth='add-k' you add 1 for each sentence. Sum over the corpus first, then add 1.",
)

mistake(
    "bleu.corpus_bleu",
    "smoothing-needs-ngrams",
    edit(
        "counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]",
        """
        counts = [modified_precision(candidate, own, n) for candidate, own in zip(candidates, references)]
        clipped, total = sum(c for c, _ in counts), sum(t for _, t in counts)
        """,
    ),
    edit('plus = 1 if smooth == "add-k" and n > 1 else 0', "if total == 0:\n    return 0.0"),
    edit(
        "clipped, total = sum(c for c, _ in counts) + plus, sum(t for _, t in counts) + plus",
        'if smooth == "add-k" and n > 1:\n    clipped, total = clipped + 1, total + 1',
    ),
    base="one-more-of-each",
    section="bleu-smoothing",
    why="A length without any n-gram gave 0 also with add-k. Its smoothed counts are 1 of 1, so it takes part in the "
    "mean with a precision of 1, as in sacreBLEU.",
    hint="With smooth='add-k', candidates that are all shorter than some n score 0 in your code. Add first, test "
    "afterwards: 0 of 0 becomes 1 of 1.",
)

mistake(
    "bleu.corpus_bleu",
    "rounded",
    edit(
        "100 * brevity_penalty(candidate_length, reference_length) * math.exp(logarithms / max_n)",
        "round(100 * brevity_penalty(candidate_length, reference_length) * math.exp(logarithms / max_n), 2)",
    ),
    section="bleu-pitfalls",
    why="The score was rounded. Rounding is for printing: a difference between two systems may be smaller.",
    hint="Your score is right to two decimals. Return it unrounded, and round where you print it.",
)


@mistake(
    "bleu.corpus_bleu",
    "arguments-used-up",
    section="bleu-pitfalls",
    why="Sentences were taken off the lists that were passed in. They belong to the caller, who may score them again "
    "with another max_n.",
    hint="Your score is right, but the caller's lists are empty afterwards. A function here never changes its "
    "arguments: go through them with zip.",
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


mistake(
    "bleu.corpus_bleu",
    "other-number-of-references-accepted",
    edit(
        """
        if len(candidates) != len(references):
            raise ValueError(f"There are {len(candidates)} candidates, but references for {len(references)}.")
        """,
        "",
    ),
    section="bleu-pitfalls",
    why="The numbers of candidates and of lists of references were not compared. `zip` stops at the shorter list, so "
    "part of the corpus is left out, and nothing says so.",
    hint="With fewer references than candidates your function scores only a part. Compare the two lengths, and raise a "
    "`ValueError` if they differ.",
)

mistake(
    "bleu.corpus_bleu",
    "max-n-of-zero-accepted",
    edit('if max_n < 1:\n    raise ValueError(f"max_n is {max_n}, but must be at least 1.")', ""),
    section="bleu-pitfalls",
    why="A max_n below 1 was not refused. Without any precision there is no score, and what comes out is an accident.",
    hint="With `max_n=0` your function does not raise a `ValueError`. Test the argument before you use it.",
)

mistake(
    "bleu.corpus_bleu",
    "unknown-smoothing-accepted",
    edit(
        """
        if smooth not in (None, "add-k"):
            raise ValueError(f'smooth is {smooth!r}, but must be None or "add-k".')
        """,
        "",
    ),
    section="bleu-pitfalls",
    why="A smoothing that does not exist was taken for none. A misspelt name then gives another score than the caller "
    "expects.",
    hint='An unknown `smooth` is accepted. Raise a `ValueError` unless it is `None` or `"add-k"`.',
)

mistake(
    "bleu.corpus_bleu",
    "nothing-refused",
    edit(
        """
        if len(candidates) != len(references):
            raise ValueError(f"There are {len(candidates)} candidates, but references for {len(references)}.")
        """,
        "",
    ),
    edit('if max_n < 1:\n    raise ValueError(f"max_n is {max_n}, but must be at least 1.")', ""),
    edit(
        """
        if smooth not in (None, "add-k"):
            raise ValueError(f'smooth is {smooth!r}, but must be None or "add-k".')
        """,
        "",
    ),
    section="bleu-pitfalls",
    why="No argument is tested: lists of different lengths, a max_n of 0 and an unknown smoothing are all accepted. Each "
    "of them is a wrong call that would go unnoticed.",
    hint="Your scores are right, but wrong arguments are accepted. Raise the errors that the description names.",
)

mistake(
    "bleu.ngram_counts",
    "nothing-refused-by-slices",
    edit(
        'if isinstance(tokens, str):\n    raise TypeError(f"tokens is the string {tokens!r}, whose items are characters; split it into a list of tokens.")',
        "",
    ),
    edit('if n < 1:\n    raise ValueError(f"n is {n}, but an n-gram has at least one token.")', ""),
    edit(
        "Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))",
        "Counter(zip(*(tokens[start:] for start in range(n))))",
    ),
    section="ngrams",
    why="Neither a string nor an n below 1 is refused. A string is silently counted by characters.",
    hint="You accept a string, whose items are characters, and an n below 1. Raise a TypeError and a ValueError.",
)
