"""The catch-it task of losses: what a test of `smooth_labels` must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "losses.test_smoothing",
        gets="smooth_labels",
        styles=(
            style("fill-and-scatter", "one that fills all classes and then writes the target's share"),
            style("rows-of-a-smoothed-identity", "one that picks rows from a smoothed identity matrix"),
            style("lists-of-numbers", "one that makes lists of numbers, and prints"),
            style("comparison-with-a-range", "one that compares the targets with a range"),
            style("interpolated-towards-uniform", "one that computes in float64 and rounds at the end"),
            style("added-in-place", "one that adds up row by row"),
            style(
                "not-contiguous",
                "one whose result is a view that is not contiguous",
                edit("+ epsilon / num_classes", "+ (epsilon / num_classes)\nreturn smoothed.mT.contiguous().mT"),
                edit("return (1 - epsilon)", "smoothed = (1 - epsilon)"),
            ),
        ),
        groups=(
            group(
                "which-class",
                "Which class",
                slip(
                    "targets-shifted",
                    "It gives the largest share to a class other than the label. Which index does the first class "
                    "have?",
                ),
                slip(
                    "transposed",
                    "Each of its columns sums to 1. Would you notice with as many rows as classes?",
                ),
                slip(
                    "classes-counted-in-the-targets",
                    "Some of its results have fewer columns than classes. Which classes occur in your targets?",
                ),
            ),
            group(
                "the-target",
                "What the target gets",
                slip(
                    "target-not-included",
                    "Its rows sum to 1, and the target's share is a little too small. Which number should it be, with "
                    "4 classes and an epsilon of 0.2?",
                ),
                slip(
                    "epsilon-and-confidence-exchanged",
                    "It is right for one value of epsilon. Which values do you try?",
                ),
                slip(
                    "half-of-epsilon",
                    "The target keeps too much. Which number should it be, with 4 classes and an epsilon of 0.2?",
                ),
                slip(
                    "target-set-to-confidence",
                    "Its rows sum to a little less than 1. How much of epsilon does the target get?",
                ),
            ),
            group(
                "the-others",
                "What the others get",
                slip(
                    "epsilon-not-divided",
                    "The sums of its rows grow with the number of classes. What are they in your test?",
                ),
                slip(
                    "divided-by-rows",
                    "The numbers of a row change when more rows are added. Does your test have as many rows as "
                    "classes?",
                ),
                slip(
                    "divided-by-v-minus-two",
                    "Its rows sum to more than 1. Over how many classes is epsilon spread?",
                ),
                slip("first-class-left-out", "One class never gets anything. Do you look at all of them?"),
            ),
            group(
                "sums-are-not-enough",
                "More than sums",
                slip(
                    "not-smoothed",
                    "Its rows sum to 1, and the target has the largest share. What should epsilon change?",
                ),
                slip(
                    "renormalised-by-a-softmax",
                    "Its rows sum to 1, and the target has the largest share, which is far too small. Does your "
                    "test compare numbers?",
                ),
                slip(
                    "random-noise",
                    "Its rows sum to 1, and the target usually has the largest share. Are the shares of the other "
                    "classes equal?",
                ),
            ),
            group(
                "every-epsilon",
                "Every epsilon",
                slip(
                    "epsilon-fixed",
                    "It is right for the epsilon that everybody uses. How many values do you try?",
                    edit("one_hot = ", "epsilon = 0.1\none_hot = "),
                ),
                slip(
                    "zero-taken-for-missing",
                    "With one value of epsilon it smooths although it should not. Which value is that?",
                    edit("one_hot = ", "epsilon = epsilon or 0.1\none_hot = "),
                ),
                slip(
                    "uniform-refused",
                    "It raises an error for one value of epsilon that the specification allows. What are the limits "
                    "of epsilon?",
                    edit("one_hot = ", "if not 0 <= epsilon < 1:\n    raise ValueError(epsilon)\none_hot = "),
                ),
            ),
            group(
                "the-type",
                "The type",
                slip(
                    "float64",
                    "Its numbers are right, but they change the type of a model's loss. Which type does your "
                    "test expect?",
                ),
                slip("integers", "Shares below 1 become 0. Does your test look at the type, or at the numbers?"),
            ),
        ),
    ),
)
