"""Hints of unit `bleu`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "bleu.ngram_counts": (
        "Slide a window of n tokens along a sentence of 6. At which indices can it start, and how many are there for "
        "n = 1, for n = 6, and for n = 7?",
        "The keys are tuples of n tokens, for n = 1 too. A slice of a list is a list, which cannot be a key. There "
        "are len(tokens) - n + 1 windows. If that is 0 or less, range gives nothing and the counter stays empty.",
        "return a Counter of\n"
        "    the tuple of tokens from start to start + n\n"
        "    for every start from 0, as many as there are windows",
    ),
    "bleu.modified_precision": (
        "A candidate says 'the' seven times. One reference says it twice, another once. How many of the seven can a "
        "reader of the references justify, and how many n-grams does the candidate have in all?",
        "Count the n-grams of the candidate and of each reference. For every n-gram first find its largest count in "
        "any one reference, then take the smaller of that and the candidate's count. Counters do both: | keeps the "
        "larger count, & the smaller. The total is the sum of the candidate's counts, with each repetition.",
        "counts = n-grams of the candidate\n"
        "most = empty counter\n"
        "for each reference: most = the larger count of each n-gram, of most and of the reference\n"
        "return the sum of the smaller counts of counts and most,  the sum of counts",
    ),
    "bleu.brevity_penalty": (
        "A candidate of the single word 'the' has a perfect unigram precision. What should happen to its score? In a "
        "candidate that is longer than its reference, precision already counts the extra words as wrong. What should "
        "happen to the score of that candidate?",
        "There are three cases: c = 0 gives 0, c at least r gives exactly 1, and in between the factor is an "
        "exponential of the ratio. Try c = 5, r = 10: the exponent must be negative. Which case do you have to test "
        "first, so that you never divide by zero?",
        "if there are no candidate tokens: return 0\n"
        "if the candidate is at least as long as the reference: return 1\n"
        "return exp of (1 minus the ratio of reference length to candidate length)",
    ),
    "bleu.closest_reference_length": (
        "Three references have 4, 8 and 12 tokens, the candidate 10. Which of them are nearest, and which length do "
        "you take? Would your answer change if the references came in another order?",
        "Return a length, not a difference. min takes a key, and a key may be a pair. The second entry of the pair "
        "decides if the first entries are equal.",
        "lengths = the length of every reference\n"
        "return the smallest of lengths, compared by\n"
        "    first: how far it is from the candidate's length\n"
        "    then: the length itself",
    ),
    "bleu.corpus_bleu": (
        "One sentence has 1 of 2 bigrams right, another 9 of 10. The mean of the two precisions is 0.7. Is this the "
        "precision of both together, or is it 10 of 12? Which of the two lets a short sentence weigh as much as a long "
        "one?",
        "For each n add clipped and total over all sentences. With 'add-k' and n > 1 raise both sums by 1. If the "
        "clipped sum is 0, the score is 0. Average the logarithms of the precisions over max_n, and take exp once; "
        "there is no further root. The lengths for the brevity penalty are sums over the corpus too; references[i] is "
        "a list of references.",
        "for n from 1 to max_n (included):\n"
        "    clipped, total = sums of modified_precision over the pairs of candidate and references\n"
        "    when smoothing and n > 1: both + 1\n"
        "    when clipped is 0: return 0.0\n"
        "    add the logarithm of clipped / total\n"
        "c, r = sum of candidate lengths, sum of closest reference lengths\n"
        "return 100 * penalty(c, r) * exp(sum of logarithms / max_n)",
    ),
    "bleu.test_bleu": (
        "You need a corpus so small that you can count its matches on paper. How many sentences must it have so that "
        "sums over the corpus differ from means over sentences? And which lengths must the references of a candidate "
        "have so that only one of them is the right one to compare with? ({Section}`bleu#bleu-by-hand`.)",
        "Take two candidates of different length, such as 4 and 3 tokens, with two references each. For one candidate "
        "the nearer reference is not the shortest. For the other both are equally near, and the shorter one stands "
        "last. Keep the corpus shorter than its references. Work out clipped and total for n = 1 and n = 2, and write "
        "the scores as formulas, with smoothing and without. Then add a candidate whose tokens all match but whose "
        "pairs do not. Compare with `math.isclose`, with an `abs_tol` for the score 0.",
        "make two candidates, and two references for each\n"
        "penalty = exp(1 - r / c), with r and c that you counted\n"
        "for max_n 1 and 2, and for 2 with 'add-k':\n"
        "    expected = 100 * penalty * the root of the product of the fractions that you counted\n"
        "    assert that the implementation's score is close to expected\n"
        "for a candidate with no matching pair: assert 0, and with 'add-k' the score that you work out",
    ),
}
