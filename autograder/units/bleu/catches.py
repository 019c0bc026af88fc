"""The catch-it task of BLEU: what a test of `corpus_bleu` must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "bleu.test_bleu",
        gets="corpus_bleu",
        styles=(
            style("one-pass-over-the-corpus", "one that goes through the corpus once and counts all lengths"),
            style("product-and-root", "one that multiplies the precisions and takes a root"),
            style("penalty-in-the-exponent", "one that adds the penalty's logarithm in the exponent"),
            style("geometric-mean-of-fractions", "one that computes with exact fractions"),
            style("no-helper", "one that keeps its counts in a tensor"),
            style("zero-by-an-exception", "one that detects a score of 0 by an exception"),
            style("roots-multiplied", "one that takes the root of each precision"),
            style("one-more-of-each", "one that smooths while it adds up"),
            style(
                "longest-first",
                "one that begins with the longest n-grams",
                edit("range(1, max_n + 1)", "range(max_n, 0, -1)"),
            ),
            style(
                "number-of-numpy",
                "one that returns a NumPy float",
                edit("logarithms = 0.0", "import numpy\nlogarithms = 0.0"),
                edit("return 100 * brevity_penalty(", "return numpy.float64(100) * brevity_penalty("),
            ),
        ),
        groups=(
            group(
                "the-mean",
                "The mean of the precisions",
                slip(
                    "from-zero-to-one",
                    "A perfect translation does not score 100. What is the score of your smallest corpus, as a number?",
                ),
                slip(
                    "arithmetic-mean",
                    "Its scores are too high where the precisions differ. Do you know each precision of your corpus, "
                    "and how they combine into a score?",
                ),
                slip(
                    "no-root",
                    "Its scores are too low for every `max_n` but one. For which `max_n` do you know the score?",
                ),
                slip("max-n-ignored", "Its score is right for one `max_n`. How many have you tried?"),
            ),
            group(
                "sums-first",
                "Sums over the corpus",
                slip(
                    "mean-of-sentence-scores",
                    "It is right for a corpus of one sentence. How many sentences does yours have, and do they differ?",
                ),
                slip(
                    "precisions-averaged",
                    "In its precisions a short sentence weighs as much as a long one. How long are your candidates?",
                ),
                slip(
                    "corpus-as-one-sentence",
                    "A token is counted as right because another sentence's reference has it. Do your sentences share "
                    "tokens?",
                ),
            ),
            group(
                "short-candidates",
                "The brevity penalty",
                slip(
                    "no-brevity-penalty",
                    "Leaving words out costs nothing. Is your corpus shorter than its references?",
                ),
                slip(
                    "lengths-swapped",
                    "A corpus that is longer than its references loses points, and a shorter one does not. Is your "
                    "corpus shorter than its references?",
                ),
                slip(
                    "penalty-of-each-sentence",
                    "A long sentence cannot make up for a short one. Is one of your candidates shorter than its "
                    "reference, and another one longer?",
                ),
            ),
            group(
                "several-references",
                "Several references",
                slip(
                    "first-references-only",
                    "Its score stays the same whatever some of the references say. Which of your matches come from a "
                    "second reference?",
                ),
                slip(
                    "shortest-references-length",
                    "With several references its score can be too high. How long are the references in your corpus?",
                ),
                slip(
                    "tie-to-the-first-reference",
                    "Its score depends on the order of the references. Have you tried yours in another order?",
                ),
            ),
            group(
                "no-match",
                "No match of some length",
                slip(
                    "zero-skipped",
                    "A corpus without a single matching pair scores too high. What should its score be?",
                ),
                slip(
                    "zero-made-small",
                    "A corpus without a single matching pair has a small score. How close to the right number must "
                    "this score be in your test?",
                ),
                slip(
                    "logarithm-of-zero",
                    "For a corpus without a single matching pair it raises an error. Is such a corpus in your test?",
                ),
                slip(
                    "always-smoothed",
                    "Without `smooth`, its score can be too high. Do you know the score of an imperfect translation?",
                ),
            ),
            group(
                "smoothing",
                "Smoothing",
                slip("smooth-ignored", "Its score is the same whatever `smooth` is. Do you call it with both values?"),
                slip(
                    "zero-before-smoothing",
                    "Its smoothed score is 0 where it should not be. When does smoothing matter most?",
                ),
                slip(
                    "unigrams-smoothed-too",
                    "Its smoothed scores are a little off. Which counts are raised, and which stay as they are?",
                ),
                slip(
                    "smoothed-in-every-sentence",
                    "Its smoothed score is right for one sentence. How many have you tried?",
                ),
            ),
        ),
    ),
)
