"""Questions by hand of unit `bleu`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "bleu.roses": Question(
        ask="Take the bigrams of `a rose is a rose is a rose`. How many are there, how many different ones, and how "
        "often does `a rose` occur?",
        answer="7, 3, 3",
        hint="Eight tokens form seven pairs of neighbours. Write the pairs one below the other.",
        because="The pairs are a rose, rose is, is a, a rose, rose is, is a, a rose: seven pairs of three kinds, and "
        "a rose comes three times.",
        computed="(lambda counts: [counts.total(), len(counts), counts['a', 'rose']])(ngram_counts('a rose is a rose "
        "is a rose'.split(), 2))",
    ),
    "bleu.clipped": Question(
        ask="The candidate is `a a a b c c`. The references are `a b b` and `a a c`. How many unigrams of the "
        "candidate count as matches after clipping, and how many does it have?",
        answer="4, 6",
        hint="For each word take the larger count of the two references. At most that many occurrences count.",
        because="The references allow a twice, b twice and c once. The candidate has a three times, b once and c "
        "twice, so 2 + 1 + 1 count.",
        computed="modified_precision(list('aaabcc'), [list('abb'), list('aac')], 1)",
    ),
    "bleu.three-penalties": Question(
        ask="What is the penalty for $c = 5$ and $r = 10$ (two decimals), for $c = 10$ and $r = 5$, and for $c = 0$ "
        "and $r = 7$?",
        answer="0.37, 1, 0",
        hint="Half the length makes the exponent 1 - 2. A candidate that is longer than its reference is not punished.",
        because="The first is e to the power of -1, about 0.368, which is less than one half. A long candidate gets "
        "1, an empty one 0.",
        computed="[brevity_penalty(5, 10), brevity_penalty(10, 5), brevity_penalty(0, 7)]",
    ),
    "bleu.nearest": Question(
        ask="Which length counts for a candidate of 10 tokens with references of 12, 4 and 8 tokens? And for one of "
        "6 tokens with references of 9 and 2?",
        answer="8, 9",
        hint="Two references of the first candidate are equally near. Then the shorter one counts.",
        because="12 and 8 are both 2 away from 10, and the shorter is 8. For the second candidate, 9 is 3 away from "
        "6, and 2 is 4 away.",
        computed="[closest_reference_length([0] * 10, [[0] * 12, [0] * 4, [0] * 8]), closest_reference_length([0] * "
        "6, [[0] * 9, [0] * 2])]",
    ),
    "bleu.last-word": Question(
        ask="The reference is *the cat sat on the mat today*, the candidate *the cat sat on the mat now*. How many "
        "of its unigrams, bigrams, trigrams and 4-grams match?",
        answer="6, 5, 4, 3",
        hint="Only the n-grams that contain the last word are lost. How many of each length contain it?",
        because="The last word is in one n-gram of each length. So one of 7, of 6, of 5 and of 4 is lost. A wrong "
        "word in the middle costs more.",
        computed="[modified_precision('the cat sat on the mat now'.split(), ['the cat sat on the mat "
        "today'.split()], n)[0] for n in (1, 2, 3, 4)]",
    ),
    "bleu.no-pair": Question(
        ask="The candidate is `a b`, its only reference `b a`. How many of its tokens match, and how many of its "
        "pairs? "
        "What are the scores for $N = 2$, without smoothing and with `add-k`? Type four numbers, the "
        "scores with two decimals.",
        answer="2, 0, 0, 70.71",
        hint="Without a matching pair the product is 0. Smoothing turns 0 of 1 pairs into 1 of 2.",
        because="Both tokens match, the pair does not. With add-k the precisions are 2/2 and 1/2, and 100 times the "
        "root of one half is 70.71.",
        computed="[modified_precision(list('ab'), [list('ba')], n)[0] for n in (1, 2)] "
        "+ [corpus_bleu([list('ab')], [[list('ba')]], 2, smooth) for smooth in (None, 'add-k')]",
    ),
    "bleu.two-scores": Question(
        ask="A candidate of 9 tokens, as long as its reference, has 8 unigrams and 4 of its 8 bigrams right. What is "
        "its BLEU with $N = 2$? And a corpus has two candidates, as long as their references: 1 of 2 words is right "
        "in the first, 9 of 10 in the second. What is its BLEU with $N = 1$? Two decimals each.",
        answer="66.67, 83.33",
        hint="The product of 8/9 and 4/8 is 4/9. For the corpus, add before you divide.",
        because="The root of 4/9 is 2/3. The corpus has 10 of 12 words right; the mean of one half and nine tenths "
        "would be another number.",
        computed="[100 * math.sqrt(8 / 9 * 4 / 8), corpus_bleu([list('ax'), list('bcdefghijx')], [[list('ab')], "
        "[list('bcdefghijk')]], max_n=1)]",
    ),
}
