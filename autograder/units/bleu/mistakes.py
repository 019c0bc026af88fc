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
    why="Your keys are strings such as 'the cat', so two different n-grams can look alike, and tokens that are no "
    "strings fail. You joined the tokens. Which type keeps the borders between them?",
    hint="Your keys are strings such as 'the cat'. An n-gram is the tuple of its tokens, ('the', 'cat'), also for n = "
    "1: make a tuple instead of joining.",
)

mistake(
    "bleu.ngram_counts",
    "joined-without-spaces",
    edit("tuple(tokens[start : start + n])", '"".join(tokens[start : start + n])'),
    section="ngrams",
    why="'a', 'bc' and 'ab', 'c' become the same n-gram. You joined the tokens without a border. Which type keeps "
    "the borders between them?",
    hint="Your keys are strings with the tokens run together. An n-gram is the tuple of its tokens: a tuple keeps "
    "their borders, and joining loses them.",
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
    why="A lookup of ('the',) finds nothing. You counted bare tokens for n = 1, and tuples otherwise. What is a 1-gram "
    "when an n-gram is a tuple?",
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
    why="All your counts are 1. You went through a set, which forgets how often an n-gram occurs. Which positions "
    "should be counted?",
    hint="All your counts are 1, also for n-grams that occur several times. A set forgets how often something was in "
    "it; count every position.",
)

mistake(
    "bleu.ngram_counts",
    "last-one-missing",
    edit("len(tokens) - n + 1", "len(tokens) - n"),
    section="ngrams",
    why="The n-gram at the end of the sentence is missing. Your loop ends one position too early. At how many "
    "positions can an n-gram start in a sentence of exactly n tokens?",
    hint="The n-gram at the end of the sentence is missing from your counts. There are len(tokens) - n + 1 positions "
    "where one can start: try a sentence of exactly n tokens.",
)

mistake(
    "bleu.ngram_counts",
    "first-one-missing",
    edit("range(len(tokens) - n + 1)", "range(1, len(tokens) - n + 1)"),
    section="ngrams",
    why="The n-gram at the start of the sentence is missing. Your loop begins at the second token. From which number "
    "are positions counted?",
    hint="The n-gram at the start of the sentence is missing from your counts. The first one starts at position 0.",
)

mistake(
    "bleu.ngram_counts",
    "shorter-ones-at-the-end",
    edit("len(tokens) - n + 1", "len(tokens)"),
    section="ngrams",
    why="Your counts hold tuples with fewer than n tokens. You started a window at every token, and slices at the end "
    "of a list come out short without an error. At which position does the last n-gram start?",
    hint="Your counts hold tuples with fewer than n tokens, cut off by the end of the sentence. The last n-gram starts "
    "at position len(tokens) - n.",
)

mistake(
    "bleu.ngram_counts",
    "short-sentence-as-ngram",
    edit("len(tokens) - n + 1", "max(1, len(tokens) - n + 1)"),
    section="ngrams",
    why="A sentence shorter than n gives one n-gram, the whole sentence. You made sure that there is at least one. "
    "How many runs of n tokens does it contain?",
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
    why="Your counts hold n-grams of every length up to n. You looped over the lengths, but BLEU needs a precision for "
    "each length separately. Which length should one call count?",
    hint="Your counts hold n-grams of every length up to n. Each length gets its own precision, so count length n "
    "only; the loop over the lengths comes in corpus_bleu.",
)

mistake(
    "bleu.ngram_counts",
    "not-overlapping",
    edit("range(len(tokens) - n + 1)", "range(0, len(tokens) - n + 1, n)"),
    section="ngrams",
    why="Most n-grams are missing. You cut the sentence into pieces of n tokens, but n-grams overlap. By how many "
    "tokens does the window move on?",
    hint="You take steps of n, so most n-grams are missing. The window moves on by one token: a sentence of 6 tokens "
    "has 5 bigrams, not 3.",
)

mistake(
    "bleu.ngram_counts",
    "order-lost",
    edit("tokens[start : start + n]", "sorted(tokens[start : start + n])"),
    section="ngrams",
    why="'dog bites' and 'bites dog' count as the same. You sorted the tokens of each n-gram, but longer n-grams are "
    "there to judge word order. In which order do the tokens stand?",
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
    why="Your counts hold tokens that are not neighbours. You counted all choices of n tokens. What is an n-gram: a "
    "choice or a run without gaps?",
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
    why="Your counts hold n-grams that begin at the end of the sentence and go on at its start. You treated the "
    "sentence as a ring. Where does the last whole window end?",
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
    why="You count pairs for every n. You did not use the argument. How many tokens does an n-gram have?",
    hint="You count pairs for every n. Take n tokens at a time.",
)


@mistake(
    "bleu.ngram_counts",
    "padded-with-markers",
    section="ngrams",
    why="Your counts hold n-grams with markers that are not in the sentence, and these match for free. You padded "
    "it, as n-gram language models do. Where does every n-gram of BLEU lie?",
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
    why="'May' and 'may' count as the same. You turned the tokens into lower case, but tokenisation has already been "
    "done. Which changes to tokens belong here?",
    hint="Tokens with capital letters are in lower case in your n-grams. Take the tokens as they come: changing them "
    "is the task of the tokeniser.",
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
    why="Words that stood apart become neighbours. You left out full stops and commas, which are tokens like others. "
    "Which changes to tokens belong here?",
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
    why="Your counts are fractions. You divided them by their sum, but clipping and corpus sums need counts. When "
    "does BLEU divide?",
    hint="Your counts are fractions that add up to 1. Return how often each n-gram occurs: BLEU divides only after all "
    "counts are summed.",
)

mistake(
    "bleu.ngram_counts",
    "list-instead-of-counter",
    edit("copies = [islice(copy, shift, None) for shift, copy in enumerate(tee(tokens, n))]", ""),
    edit("Counter(zip(*copies))", "[tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]"),
    base="iterators",
    section="ngrams",
    why="You return the n-grams in a list, which has no counts to compare. You left out the last step. Which class "
    "counts its items?",
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
    why="Your counts raise KeyError for an n-gram that does not occur. You used a plain dictionary. Which class "
    "answers 0 and has the operators that clipping uses?",
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
    why="After the call, the caller's list is shorter. You took tokens off it. How can you move a window along "
    "without changing the list?",
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
    why="A string is counted letter by letter, and nothing says so. You did not check the type, and the items of a "
    "string are characters. How should the function react to a call like this?",
    hint="A string is counted letter by letter. Raise a `TypeError` when `tokens` is a string: a caller who passes one "
    "forgot to split it.",
)

mistake(
    "bleu.ngram_counts",
    "n-of-zero-accepted",
    edit('if n < 1:\n    raise ValueError(f"n is {n}, but an n-gram has at least one token.")', ""),
    section="bleu-pitfalls",
    why="With n = 0 your function counts empty tuples, which hides a wrong call. You did not check n. Which values "
    "are allowed?",
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
    why="Your counts are right, but a string and an n below 1 are accepted. You checked neither argument, so wrong "
    "calls go unnoticed. Which two errors does the task name?",
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
    why="Seven times 'the' would be a perfect candidate. You counted every n-gram that occurs in a reference, however "
    "often it is repeated. How often may one n-gram count?",
    hint="Your clipped count is too high where the candidate repeats itself: an n-gram counts at most as often as it "
    "occurs in any single reference. Compare counts, not only whether it occurs.",
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
    why="With several references your clipped count is too high. You added up their counts, so two that say 'the' "
    "once allow 'the the'. Which count of an n-gram should bound it?",
    hint="With several references your clipped count is too high: you clip by the sum of their counts. The bound for "
    "an n-gram is its largest count in any one reference.",
)


@mistake(
    "bleu.modified_precision",
    "matches-added-up",
    section="several-references",
    why="Your precision may exceed 1. You added the matches with each reference, so a shared n-gram counts twice. "
    "What should be combined first: the references or the matches?",
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
    why="Your clipped count is too low with several references. You chose the single reference that fits best, but "
    "different n-grams may have their largest counts in different references. Should the largest count be taken per "
    "reference or per n-gram?",
    hint="You choose the one reference that fits best. In BLEU each n-gram is clipped by the reference in which it is "
    "most frequent, so a candidate may mix references.",
)
def modified_precision(candidate, references, n):
    counts = ngram_counts(candidate, n)
    return max((counts & ngram_counts(reference, n)).total() for reference in references), counts.total()


mistake(
    "bleu.modified_precision",
    "reference-of-the-nearest-length",
    edit("in references:", "in [min(references, key=lambda one: (abs(len(one) - len(candidate)), len(one)))]:"),
    section="several-references",
    why="Your clipped count is too low when an n-gram occurs more often in a reference of another length. You used "
    "only the reference nearest in length, as the brevity penalty does. Which references can account for an n-gram?",
    hint="Your count uses only the reference whose length is closest to the candidate's. That rule belongs to the "
    "brevity penalty: for clipping, take the largest count of each n-gram over all references.",
)


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
    why="Your count depends on the order of the references. You stopped at the first that has the n-gram. Which of "
    "their counts bounds it?",
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
    why="More references lower your count. You used the smallest count, so an n-gram has to occur in all of them. "
    "How many references have to contain it?",
    hint="More references lower your count: only what all of them share is counted. Take the largest count over the "
    "references, which is | of counters and not &.",
)


@mistake(
    "bleu.modified_precision",
    "first-reference-only",
    section="several-references",
    why="Your count does not change when references are added. You looked only at the first. Which references are "
    "right translations?",
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
    why="Your count depends on the last reference alone. You set the bound anew for each of them. What should happen "
    "to the old bound?",
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
    why="When references differ in how often they have an n-gram, the last one decides. You merged their counts, and "
    "a later one overwrites an earlier one. Which of the two should stay?",
    hint="Where references contain the same n-gram different numbers of times, the last of them decides in your code. "
    "Keep the largest count.",
)


@mistake(
    "bleu.modified_precision",
    "references-as-one-text",
    section="several-references",
    why="Your clipped count is too high, and n-grams run from one reference into the next. You joined the references "
    "into one text. How should each be counted?",
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
    why="Seven times 'the' would be one right word of one. You compared sets, which forget repetitions. Which "
    "occurrences count in the total, and up to which number in the matches?",
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
    why="An n-gram that candidate and reference both contain twice counts once. You clipped at 1. At which number "
    "should you clip?",
    hint="Your matches count an n-gram once, even where candidate and reference both have it several times. Clip at "
    "the reference's count, not at 1.",
)

mistake(
    "bleu.modified_precision",
    "total-of-distinct",
    edit("counts.total()", "len(counts)"),
    section="clipping",
    why="Your total is too small when the candidate repeats itself, so repeating costs nothing. You counted "
    "different n-grams. What should be added up?",
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
    why="Your quotient is recall, because you counted the reference's n-grams as total. The brevity penalty judges "
    "what a short candidate leaves out. Whose n-grams does a precision divide by?",
    hint="Your total is the number of n-grams that the reference has. Precision divides by those of the candidate; the "
    "brevity penalty judges what a short candidate leaves out.",
)

mistake(
    "bleu.modified_precision",
    "total-in-tokens",
    edit("counts.total()", "len(candidate)"),
    section="ngrams",
    why="Even a perfect candidate does not reach 1 for n > 1. You divided by its number of tokens. How many n-grams "
    "does a sentence of c tokens have?",
    hint="Your total is the candidate's length in tokens. For n > 1 there are fewer n-grams than tokens: c - n + 1.",
)

mistake(
    "bleu.modified_precision",
    "negative-total",
    edit("counts.total()", "len(candidate) - n + 1"),
    section="ngrams",
    why="A candidate shorter than n takes n-grams away from the rest of the corpus. Your total is negative for it. "
    "How many n-grams does it have?",
    hint="For a candidate shorter than n your total is negative. It has no n-grams, which is 0: add up the counts, or "
    "take max(0, ...).",
)

mistake(
    "bleu.modified_precision",
    "total-at-least-one",
    edit("counts.total()", "max(1, counts.total())"),
    section="corpus-and-sentence",
    why="Short sentences add n-grams that nobody wrote. You raised the total to 1 to avoid dividing by zero. Where "
    "in BLEU does the division happen?",
    hint="For a candidate shorter than n your total is 1. It has no n-grams, so the total is 0; guard the division "
    "where the division is.",
)

mistake(
    "bleu.modified_precision",
    "divided-already",
    edit("(counts & most).total(), counts.total()", "(counts & most).total() / max(1, counts.total())"),
    section="corpus-and-sentence",
    why="Your result is one number. You divided, but BLEU adds the counts of a whole corpus first, and a ratio no "
    "longer holds them. Which pair should be returned?",
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
    why="In sums over a corpus some sentences lose weight. You reduced 2 of 4 to 1 of 2. Which two numbers will be "
    "added up?",
    hint="Your quotient is right, but the counts have been reduced: 1 of 2 where it should be 2 of 4. Return the "
    "counts as they are, since they will be added.",
)

mistake(
    "bleu.modified_precision",
    "swapped-results",
    edit("counts & most).total(), counts.total", "counts).total(), (counts & most).total"),
    section="clipping",
    why="The caller divides the total by the clipped count. You returned the pair in the wrong order. Which number "
    "comes first?",
    hint="Your two results are in the wrong order: first the clipped count, then the total.",
)

mistake(
    "bleu.modified_precision",
    "what-is-left-over",
    edit("counts & most", "counts - most"),
    section="clipping",
    why="Your first count is that of the n-grams that do not match. You subtracted the references' counts. Which of "
    "the two counts of an n-gram should be kept?",
    hint="Your first count is that of the n-grams which the references do not account for. Keep the smaller of the two "
    "counts of each n-gram, which is & of counters.",
)

mistake(
    "bleu.modified_precision",
    "unigrams-whatever-n",
    edit("ngram_counts(candidate, n)", "ngram_counts(candidate, 1)"),
    edit("ngram_counts(reference, n)", "ngram_counts(reference, 1)"),
    section="ngrams",
    why="Your counts are the same for every n. You compared single tokens, which cannot see word order. Where should "
    "n be passed on?",
    hint="Your counts are those of n = 1 for every n. Hand n on to ngram_counts, for candidate and references.",
)


@mistake(
    "bleu.modified_precision",
    "all-lengths-up-to-n",
    section="geometric-mean",
    why="Your counts include shorter n-grams. You added up all lengths, but each has a precision of its own. Where "
    "are the precisions of the lengths combined?",
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
    why="One extra word at the start makes everything after it wrong. You compared n-grams position by position. "
    "Does their position matter?",
    hint="You compare the n-grams at the same positions. Where an n-gram stands does not matter, only how often it "
    "occurs.",
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
    why="After the call, the caller's references are gone, and the next length finds nothing. You removed from the "
    "lists that were passed in. On what can you work instead?",
    hint="Your counts are right, but the caller's references are no longer complete afterwards. A function here never "
    "changes its arguments: loop over the list, or work on a copy.",
)


# ---------------------------------------------------------------------------------------------------------------------
# brevity_penalty


mistake(
    "bleu.brevity_penalty",
    "no-penalty",
    edit("if candidate_length == 0:\n    return 0.0", ""),
    edit("math.exp(min(0.0, 1 - reference_length / candidate_length))", "1.0 if candidate_length else 0.0"),
    section="brevity-penalty",
    why="A candidate of one safe word scores as high as a whole translation. Your factor is always 1. Which "
    "candidates should be punished?",
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
    why="Very short candidates are punished too little. You returned c/r, which is close to the penalty only if c is "
    "nearly r. Which function of the ratio does the formula have?",
    hint="You return c/r for a short candidate. The formula is exp(1 - r/c); the two are close only when c is nearly "
    "r.",
)

mistake(
    "bleu.brevity_penalty",
    "ratio-upside-down",
    edit("reference_length / candidate_length", "candidate_length / reference_length"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="Your factor is above 1 for short candidates. You inverted the ratio in the exponent. Which length belongs "
    "in the denominator?",
    hint="Your factor is larger than 1 for short candidates: the ratio is upside down. It is exp(1 - r/c), with "
    "the candidate's length in the denominator.",
)

mistake(
    "bleu.brevity_penalty",
    "wrong-sign",
    edit("1 - reference_length / candidate_length", "reference_length / candidate_length - 1"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="Your factor grows without bound for short candidates. You gave the exponent the wrong sign. Which sign should "
    "it have when the candidate is short?",
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
    why="Long candidates are punished and short ones are not. You exchanged the two lengths. Which of them is the "
    "candidate's?",
    hint="You punish candidates that are longer than the reference, and spare the shorter ones. It should be the other "
    "way round: check which length is which.",
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
    why="Candidates longer than the reference get a factor above 1, so BLEU may exceed 100 with several references. "
    "You used the formula for all lengths. Which factor do long candidates get?",
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
    why="Candidates longer than the reference are punished twice, because precision already does it. You made the "
    'penalty symmetric. What does "brevity" mean?',
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
    why="For a large corpus that is slightly too short, your factor is almost 0. Your exponent is the difference of "
    "the lengths. Which relation of two lengths does not depend on the size of the corpus?",
    hint="Your exponent is the difference of the lengths. It is 1 - r/c, in which only their ratio counts: with a "
    "difference, a large corpus that is slightly too short gets almost 0.",
)

mistake(
    "bleu.brevity_penalty",
    "one-left-out",
    edit("1 - reference_length / candidate_length", "-reference_length / candidate_length"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="Your factor jumps to 0.37 when one word is missing. You left out a term of the exponent. Which value must the "
    "exponent have at equal lengths?",
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
    why="Your factor is negative for short candidates and 0 at equal lengths. You returned the exponent. Which step "
    "is missing?",
    hint="You return 1 - r/c, which is the logarithm of the penalty. Put it into exp.",
)

mistake(
    "bleu.brevity_penalty",
    "whole-division",
    edit("reference_length / candidate_length", "reference_length // candidate_length"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="Your penalty moves in jumps, and slightly short candidates escape it. You used `//`, which drops the fraction "
    "of the quotient. Which division keeps it?",
    hint="Your penalty moves in jumps, and is 1 for candidates that are a little short: // drops the fraction of the "
    "quotient. Use the division that keeps it.",
)

mistake(
    "bleu.brevity_penalty",
    "power-of-two",
    edit("math.exp(1 - reference_length / candidate_length)", "2.0 ** (1 - reference_length / candidate_length)"),
    base="longer-ones-first",
    section="brevity-penalty",
    why="Your penalty is too mild. You raised 2 to the exponent. Which base does the formula have?",
    hint="Your penalty is too mild: you raise 2 to the exponent. Raise e to it, as exp does.",
)

mistake(
    "bleu.brevity_penalty",
    "all-or-nothing",
    edit("ratio = reference_length / candidate_length if candidate_length > 0 else math.inf", ""),
    edit("ratio <= 1 else math.exp(1 - ratio)", "candidate_length >= reference_length and candidate_length else 0.0"),
    base="infinite-ratio",
    section="brevity-penalty",
    why="Every short candidate gets 0. You made the penalty all or nothing, but it should grow with what is missing. "
    "How much does one word of many cost?",
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
    why="An empty candidate with an empty reference gets 1. You compared the lengths first. Which rule does the task "
    "give for a candidate without tokens?",
    hint="brevity_penalty(0, 0) gives 1 in your code. Test for the empty candidate first: its factor is 0 whatever r "
    "is.",
)

mistake(
    "bleu.brevity_penalty",
    "empty-not-punished",
    edit("candidate_length == 0", "candidate_length == 0 or candidate_length >= reference_length"),
    edit("return 0.0", "return 1.0"),
    edit("min(0.0, 1 - reference_length / candidate_length)", "1 - reference_length / candidate_length"),
    section="brevity-penalty",
    why="An empty candidate gets the factor 1. You avoided the division by zero by returning 1. To which limit "
    "does the penalty go as the candidate becomes shorter?",
    hint="An empty candidate gets the factor 1 in your code. As c goes to 0, exp(1 - r/c) goes to 0: return that.",
)

mistake(
    "bleu.brevity_penalty",
    "division-by-zero",
    edit("candidate_length == 0", "candidate_length > reference_length"),
    edit("return 0.0", "return 1.0"),
    edit("min(0.0, 1 - reference_length / candidate_length)", "1 - reference_length / candidate_length"),
    section="brevity-penalty",
    why="An empty candidate divides by zero, and models do write empty ones. You used the formula for it. To which "
    "limit does the penalty go as the candidate becomes shorter?",
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
    why="Your factor runs from 0 to 100. You multiplied it, although only the final score is out of 100. Which "
    "factor leaves a score unchanged?",
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
    why="After the call, the caller's references are in another order. You sorted the list in place. Which functions "
    "leave a list alone?",
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
    why="A candidate is compared with a short reference even when another one is nearer. You took the shortest length, "
    "as NIST's version of BLEU once did. With which length should each reference be compared?",
    hint="You return the length of the shortest reference. Take the one nearest to the candidate in length. The "
    "shorter one counts only if two are equally near.",
)

mistake(
    "bleu.closest_reference_length",
    "farthest",
    edit(
        "min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))",
        "max(map(len, references), key=lambda length: (abs(length - len(candidate)), -length))",
    ),
    section="reference-length",
    why="A good candidate is compared with the least suitable reference. You took the largest difference of lengths. "
    "Which difference is wanted?",
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
    why="A candidate as long as another reference is punished for being short. You took the longest. With which length "
    "should each reference be compared?",
    hint="You return the length of the longest reference. Take the one nearest to the candidate in length.",
)

mistake(
    "bleu.closest_reference_length",
    "first-reference",
    edit("min(map(len, references), key=lambda length: (abs(length - len(candidate)), length))", "len(references[0])"),
    section="reference-length",
    why="Your score depends on the order of the references, which carries no meaning. You took the first. Which of "
    "their lengths is wanted?",
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
    why="You return a length that perhaps no reference has. You averaged. Which single length is wanted?",
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
    why="Your result does not depend on the candidate. You took the median of the lengths. Which number should the "
    "chosen length be near?",
    hint="Your result does not depend on the candidate: it is the middle one of the lengths. Take the length with the "
    "smallest distance to the candidate's.",
)

mistake(
    "bleu.closest_reference_length",
    "tie-to-the-longer",
    edit("(abs(length - len(candidate)), length)", "(abs(length - len(candidate)), -length)"),
    section="reference-length",
    why="When a shorter and a longer reference are equally near, the candidate is punished. You took the longer one. "
    "Which one does the rule prefer?",
    hint="When a shorter and a longer reference are equally near you take the longer, and the candidate is punished. "
    "Take the shorter.",
)

mistake(
    "bleu.closest_reference_length",
    "tie-to-the-first",
    edit("(abs(length - len(candidate)), length)", "abs(length - len(candidate))"),
    section="reference-length",
    why="When two references are equally near, your result depends on their order. You took a minimum, which keeps the "
    "first of equals. What should decide between them?",
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
    why="When two references are equally near, your result depends on their order. Your comparison lets the last of "
    "equals win. What should decide between them?",
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
    why="No candidate is ever short. You returned the smallest difference instead of the length that has it. What "
    "should the difference be used for?",
    hint="You return how far the nearest reference is, not how long it is. The difference only chooses: give it to min "
    "as key.",
)


@mistake(
    "bleu.closest_reference_length",
    "index-returned",
    section="reference-length",
    why="Your result says which reference is nearest. You returned its index, which is not a length. What does the "
    "brevity penalty compare?",
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
    why="Your result is a list of tokens. You returned the nearest reference itself, which is not a length. What does "
    "the brevity penalty compare?",
    hint="You return the reference itself, a list of tokens. Return its length.",
)


@mistake(
    "bleu.closest_reference_length",
    "not-longer-than-candidate",
    section="reference-length",
    why="You never choose a reference that is longer than the candidate, although it may be nearer. You looked in "
    "one direction only. Does distance have a sign?",
    hint="You never choose a reference that is longer than the candidate. Distance counts in both directions.",
)
def closest_reference_length(candidate, references):
    lengths = [len(reference) for reference in references]
    return max([length for length in lengths if length <= len(candidate)], default=min(lengths))


@mistake(
    "bleu.closest_reference_length",
    "not-shorter-than-candidate",
    section="reference-length",
    why="You never choose a reference that is shorter than the candidate, although it may be nearer. You looked in "
    "one direction only. Does distance have a sign?",
    hint="You never choose a reference that is shorter than the candidate. Distance counts in both directions.",
)
def closest_reference_length(candidate, references):
    lengths = [len(reference) for reference in references]
    return min([length for length in lengths if length >= len(candidate)], default=max(lengths))


@mistake(
    "bleu.closest_reference_length",
    "nearest-by-ratio",
    section="reference-length",
    why="From 4 tokens, you call 7 nearer than 2. You compared ratios of lengths. How does the rule measure distance?",
    hint="You compare ratios of lengths. Near means a small difference in tokens.",
)
def closest_reference_length(candidate, references):
    length = len(candidate)
    return min(map(len, references), key=lambda other: (max(other, length) / max(1, min(other, length)), other))


@mistake(
    "bleu.closest_reference_length",
    "best-matching-reference",
    section="reference-length",
    why="Your length depends on the words of the references. You took the one that shares most tokens with the "
    "candidate. What does the rule look at?",
    hint="You choose the reference by its words. Only its length counts here: the nearest one.",
)
def closest_reference_length(candidate, references):
    counts = Counter(candidate)
    return len(max(references, key=lambda reference: sum((counts & Counter(reference)).values())))


@mistake(
    "bleu.closest_reference_length",
    "distinct-tokens",
    section="reference-length",
    why="Your lengths are too small where a token is repeated. You counted different tokens. How long is a sentence "
    "that repeats a token?",
    hint="Your lengths are too small where a reference repeats a token: a set holds it once. Use len of the list.",
)
def closest_reference_length(candidate, references):
    lengths = [len(set(reference)) for reference in references]
    return min(lengths, key=lambda length: (abs(length - len(set(candidate))), length))


@mistake(
    "bleu.closest_reference_length",
    "length-in-characters",
    section="reference-length",
    why="Your lengths are far too large. You counted characters. Which unit does BLEU count?",
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
    why="Your score is a hundredth of what is expected. You returned a number from 0 to 1. On which scale do "
    "sacreBLEU and this course give the score?",
    hint="Your score is a hundredth of what is expected. Multiply by 100.",
)


@mistake(
    "bleu.corpus_bleu",
    "mean-of-sentence-scores",
    section="corpus-and-sentence",
    why="Your score is right for one sentence and wrong for several. You averaged the scores of sentences. What "
    "should be added up over the corpus before you divide?",
    hint="For one sentence your score is right; for several it is the mean of their scores. Add the counts and the "
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
    why="A sentence of 3 words weighs as much as one of 30. You averaged the precisions of sentences. What should be "
    "added up over the corpus before you divide?",
    hint="You average the precisions of the sentences. Add up the clipped counts and the totals of all sentences, and "
    "divide once for each n.",
)


@mistake(
    "bleu.corpus_bleu",
    "arithmetic-mean",
    section="geometric-mean",
    why="Your score is too high, and it is above 0 when one precision is 0. You took the arithmetic mean. Which mean "
    "does BLEU take?",
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
    why="Your score is far too high. You took the root twice: the mean of the logarithms already contains it. Which "
    "step is superfluous?",
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
    why="Your score is far too low, and it depends on how many lengths there are. You multiplied the precisions and "
    "took no root. What should the sum of logarithms be divided by?",
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
    why="Short n-grams dominate your score. You weighted the lengths by 1/2, 1/4, 1/8. Which weight does BLEU give "
    "each length?",
    hint="You weight the lengths by 1/2, 1/4, 1/8, ... All have the same weight, 1/max_n.",
)

mistake(
    "bleu.corpus_bleu",
    "logarithms-of-two-bases",
    edit("math.log(clipped / total)", "math.log2(clipped / total)"),
    section="geometric-mean",
    why="Your score is too low. You averaged logarithms to base 2 and raised e to the result. Which base undoes "
    "which logarithm?",
    hint="Your score is too low: log2 and exp do not belong together. Use a logarithm and a power of the same base.",
)


@mistake(
    "bleu.corpus_bleu",
    "lengths-pooled",
    section="geometric-mean",
    why="Short n-grams dominate your score, because there are more of them. You added the counts of all lengths. How "
    "many precisions does BLEU have?",
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
    why="Your score is that of the longest n-grams alone. You left out the shorter ones. Over which lengths does "
    "BLEU average?",
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
    why="The longest n-grams do not count. You ended the range at `max_n`, and a range leaves its end out. Up to which "
    "length should the loop run?",
    hint="Your longest n-grams are missing: range(1, max_n) ends at max_n - 1. Loop up to max_n itself.",
)


@mistake(
    "bleu.corpus_bleu",
    "a-length-without-counts",
    section="geometric-mean",
    why="Every score is 0, even that of a candidate that is its own reference. Your list has an entry for each "
    "length, and the loop never fills the last. Does the loop reach `max_n`?",
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
    why="A corpus of short, safe candidates scores as high as a full translation. You left out the brevity penalty. "
    "Which two lengths of the corpus does it compare?",
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
    why="A long sentence cannot make up for a short one. You averaged the penalties of the sentences. What should be "
    "added up over the corpus first?",
    hint="You average the penalties of the sentences. Add all candidate lengths and all reference lengths, and compute "
    "one penalty.",
)

mistake(
    "bleu.corpus_bleu",
    "lengths-swapped",
    edit("brevity_penalty(sum(map(len, candidates)), length)", "brevity_penalty(length, sum(map(len, candidates)))"),
    base="one-more-of-each",
    section="brevity-penalty",
    why="A corpus that is too long is punished, and one that is too short is not. You exchanged the two lengths. "
    "Which one does `brevity_penalty` take first?",
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
    why="With several references your penalty depends on their order. You used the lengths of the first ones. Which "
    "function finds the right length for each candidate?",
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
    why="With several references you punish too little. You added up the shortest lengths. Which function finds the "
    "right length for each candidate?",
    hint="With several references you penalise too little: you add up the shortest lengths. Add up "
    "closest_reference_length.",
)

mistake(
    "bleu.corpus_bleu",
    "tie-to-the-first-reference",
    edit("closest_reference_length(candidate, own)", "min(map(len, own), key=lambda r: abs(r - len(candidate)))"),
    base="one-more-of-each",
    section="reference-length",
    why="Your score depends on the order of the references when two are equally near. You looked for the nearest "
    "length without a rule for ties. Which function has this rule?",
    hint="Your score depends on the order of the references when two of them are equally near to the candidate. Use "
    "closest_reference_length, where the shorter one counts.",
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
    why="A candidate that occurs twice in the corpus counts once. You collected candidates in a dictionary or a set. "
    "How can you go through two lists together?",
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
    why="Your score does not change when a second reference is added. You used only the first of each candidate. "
    "Which references are right translations?",
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
    why="Candidates are compared with references of other candidates. You read the lists as sacreBLEU lays them out. "
    "What does `references[i]` hold here?",
    hint="You read references[0] as the first references of the whole corpus, which is sacreBLEU's layout. Here "
    "references[i] belongs to candidates[i].",
)


@mistake(
    "bleu.corpus_bleu",
    "corpus-as-one-sentence",
    section="corpus-and-sentence",
    why="N-grams run across sentences, and a word may match another sentence's reference. You joined the corpus into "
    "one text. At which level should matches be counted?",
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
    why="Your score does not change with `max_n`. You always count lengths 1 to 4. In which two steps does the "
    "argument belong?",
    hint="Your score does not change with max_n. Use it as the end of the loop and as the divisor of the mean.",
)

mistake(
    "bleu.corpus_bleu",
    "weights-of-a-quarter",
    edit("math.log(clipped / total)", "0.25 * math.log(clipped / total)"),
    edit("logarithms / max_n", "logarithms"),
    section="geometric-mean",
    why="With another `max_n` your weights do not add up to 1. You always used a quarter. Which weight does each of "
    "`max_n` lengths have?",
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
    why="A corpus without a single matching 4-gram does not score 0. You left lengths without a match out of the "
    "mean. What is a geometric mean with a factor of 0?",
    hint="Where no n-gram of some length matches, your score is not 0: you skip that length. Without smoothing one "
    "zero makes the geometric mean 0.",
)

mistake(
    "bleu.corpus_bleu",
    "zero-made-small",
    edit("if clipped == 0:\n    return 0.0", ""),
    edit("clipped / total", "max(clipped, 1e-9) / max(total, 1)"),
    section="bleu-smoothing",
    why="Where no n-gram of some length matches, your score is not 0. You replaced the precision by a small number, "
    "whose root is not small. What is a geometric mean with a factor of 0?",
    hint="Where no n-gram of some length matches, your score should be exactly 0 and is not: the root of a tiny number "
    "is not tiny. Return 0; smooth only when `smooth` says so.",
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
    why="Where no n-gram of some length matches, your code raises an error. You took the logarithm of 0. Which score "
    "does such a corpus have?",
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
    why="An empty corpus divides by zero. You divide before you know that there are any n-grams. Which number can you "
    "test first?",
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
    why="Empty candidates cost nothing, so a model gains by leaving out whatever is hard. You skipped the pairs with "
    "an empty candidate. What do their references contribute to the lengths?",
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
    why="Short candidates do not count at all. You left out those shorter than `max_n`. What do they still contribute?",
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
    why="Short corpora get a score that cannot be compared with others. You lowered `max_n` to the longest "
    "candidate. Which score does a length without n-grams give?",
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
    why='Your score is the same with and without smoothing. You did not use the argument. What does "add-k" change, '
    "and from which length on?",
    hint="Your score is the same with and without smoothing. With 'add-k' the clipped and total counts are raised by 1 "
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
    why='With "add-k", lengths without a match still give 0. You tested for 0 before adding. Which of the two comes '
    "first?",
    hint="Your score with smooth='add-k' is right where every length has a match, and 0 where one has none. Add first, "
    "then look for a 0.",
)

mistake(
    "bleu.corpus_bleu",
    "always-smoothed",
    edit('smooth == "add-k" and n > 1', "n > 1"),
    section="bleu-smoothing",
    why="Without smoothing, a length without a match does not give 0. You always add 1. Which value of the argument "
    "turns smoothing on?",
    hint="You add 1 also when smooth is None. Then nothing is added, and a length without a match gives 0.",
)

mistake(
    "bleu.corpus_bleu",
    "unigrams-smoothed-too",
    edit('smooth == "add-k" and n > 1', 'smooth == "add-k"'),
    section="bleu-smoothing",
    why='With "add-k", a candidate that shares no word with its reference scores above 0. You also smoothed single '
    "tokens. From which length on is 1 added?",
    hint="With smooth='add-k' you add 1 for n = 1 too. Only the lengths from 2 on are smoothed, so that a candidate "
    "without a common word still gets 0.",
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
    why='With "add-k", scores may exceed 100. You raised the clipped count alone. Which other count is raised?',
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
    why='With "add-k", one match and no match give almost the same score. You added 1 only where there was none. For '
    "which lengths is 1 added?",
    hint="With smooth='add-k' you change only the lengths without a match. Add 1 to clipped and total for every n from "
    "2 on.",
)

mistake(
    "bleu.corpus_bleu",
    "smoothed-in-every-sentence",
    edit('1 if smooth == "add-k" and n > 1 else 0', 'len(counts) if smooth == "add-k" and n > 1 else 0'),
    base="one-more-of-each",
    section="bleu-smoothing",
    why='With "add-k", a corpus of 1,000 sentences gains 1,000 matches that nobody wrote. You added 1 in every '
    "sentence. When should it be added?",
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
    why='With "add-k", candidates that are all too short score 0. You returned before adding, but 0 of 0 becomes 1 '
    "of 1. Which of the two comes first?",
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
    why="Two systems with slightly different scores look equal. You rounded the result. Where does rounding belong?",
    hint="Your score is right to two decimals. Return it unrounded, and round where you print it.",
)


@mistake(
    "bleu.corpus_bleu",
    "arguments-used-up",
    section="bleu-pitfalls",
    why="After the call, the caller's lists are empty. You took sentences off them. How can you go through two lists "
    "without changing them?",
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
    why="A part of the corpus is left out, and nothing says so. You did not compare the lists, and `zip` stops at the "
    "shorter one. What should be compared first?",
    hint="With fewer references than candidates your function scores only a part. Compare the two lengths, and raise a "
    "`ValueError` if they differ.",
)

mistake(
    "bleu.corpus_bleu",
    "max-n-of-zero-accepted",
    edit('if max_n < 1:\n    raise ValueError(f"max_n is {max_n}, but must be at least 1.")', ""),
    section="bleu-pitfalls",
    why="With `max_n=0` your code divides by zero, and with -1 it returns a score without any precision. You did not "
    "check the argument. Which values are allowed?",
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
    why="A misspelt `smooth` silently turns smoothing off. You did not check the argument, so the caller gets another "
    "score than expected. Which values are allowed?",
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
    why="Lists of different lengths, a negative `max_n` and an unknown smoothing are all accepted. You checked none of "
    "these arguments. Which errors does the task name?",
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
    why="A string is silently counted by characters, and an n below 1 is accepted. You check neither argument. Which "
    "two errors does the task name?",
    hint="You accept a string, whose items are characters, and an n below 1. Raise a TypeError and a ValueError.",
)

mistake(
    "bleu.brevity_penalty",
    "empty-reference-punished",
    edit("candidate_length == 0", "candidate_length == 0 or reference_length == 0"),
    section="brevity-penalty",
    why="A candidate with tokens gets 0 where the reference is empty. You return 0 if either length is 0. Is a candidate "
    "shorter than a reference without tokens?",
    hint="brevity_penalty(3, 0) gives 0 in your code. Only an empty candidate is a special case. A candidate that is "
    "longer than the reference gets the factor 1.",
)
