"""The catch-it task of attention: what a test of `scaled_dot_product_attention` must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "attention.test_attention",
        gets="scaled_dot_product_attention",
        styles=(
            style("nan-to-num-after-masked-fill", "one that masks with minus infinity and replaces NaN afterwards"),
            style("lowest-number-then-zeros", "one that masks with the lowest finite number and sets zeros afterwards"),
            style("minus-a-billion-times-mask", "one that scales the queries before the product"),
            style("query-by-query", "one that goes through the queries in a loop"),
            style("fused-kernel-without-dropout", "one that calls PyTorch's fused attention"),
            style("masked-log-sum-exp", "one that computes the weights from a log-sum-exp"),
            style("library-with-unit-values", "one that computes the weights from unit vectors as values"),
            style("sink-for-empty-rows", "one with an extra column for rows that may attend to nothing"),
            style("keys-times-queries-transposed-back", "one whose weights are a transposed view, not contiguous"),
            style("nan-to-num-at-the-end", "one that replaces NaN in the weights at the end"),
            style(
                "results-in-a-list",
                "one that returns its two results in a list",
                edit("return weights @ v, weights", "return [weights @ v, weights]"),
            ),
            style(
                "named-results",
                "one that returns its two results in a named tuple",
                edit(
                    "return weights @ v, weights",
                    'from collections import namedtuple\nreturn namedtuple("Result", "out att")(weights @ v, weights)',
                ),
            ),
            style(
                "sums-in-float64",
                "one that computes in float64 and rounds at the end",
                edit("weights = softmax(scores)\n", "weights = softmax(scores.double()).to(scores.dtype)\n"),
                edit("weights @ v,", "(weights.double() @ v.double()).to(v.dtype),"),
            ),
        ),
        groups=(
            group(
                "the-scale",
                "The scale of the scores",
                slip(
                    "no-scale",
                    "The wider the queries and keys are, the closer its weights come to 0 and 1. Which number should "
                    "your test expect for two vectors that you can multiply by hand?",
                ),
                slip(
                    "scaled-twice",
                    "Its weights are more even than they should be, and the more so the wider the queries are. Does "
                    "your test know how large a weight must be, or only that the weights sum to 1?",
                ),
                slip(
                    "scale-after-softmax",
                    "The weights of a query do not sum to 1 when queries have more than one entry. Do you look at the "
                    "sums, for queries wider than one?",
                ),
            ),
            group(
                "which-axis",
                "Which axis sums to 1",
                slip(
                    "softmax-over-queries",
                    "The weights of one key, over all queries, sum to 1. Which sums does your test check, and would it "
                    "notice with as many queries as keys?",
                ),
                slip(
                    "softmax-over-axis-one",
                    "It is right for one sentence without a batch axis, and wrong for a batch. How many axes do the "
                    "tensors in your test have?",
                ),
                slip(
                    "weights-times-keys",
                    "Its output does not change when the values do. Which of your inputs could be exchanged without "
                    "your test noticing?",
                ),
            ),
            group(
                "the-mask",
                "Who may attend to whom",
                slip("mask-ignored", "The same result comes back with and without a mask. Is there one in your test?"),
                slip(
                    "mask-inverted",
                    "It gives weight 0 to some keys that the mask allows. Does your test compare the positions "
                    "of the zeros with the mask?",
                ),
                slip(
                    "mask-after-softmax",
                    "With a mask, the weights of a query sum to less than 1. What should they sum to?",
                ),
                slip(
                    "scores-times-mask",
                    "A key that the mask forbids still gets some weight. How much does your test allow?",
                ),
            ),
            group(
                "nothing-to-attend",
                "A query that may attend to nothing",
                slip(
                    "nan-where-nothing-is-allowed",
                    "For some mask its weights are not a number. Which kind of row have you not tried?",
                ),
                slip(
                    "uniform-where-nothing-is-allowed",
                    "For a row of the mask that is all False, it weighs all keys alike. What does the specification "
                    "promise for such a row?",
                ),
                slip(
                    "nan-removed-from-output-only",
                    "The output is fine for every mask, but the weights are not. Do you look at both?",
                ),
                slip(
                    "zero-output-with-uniform-weights",
                    "Where nothing is allowed, the output is zero, but the weights that it returns are not. Which of "
                    "the two does your test look at?",
                ),
            ),
            group(
                "both-results",
                "Both results",
                slip(
                    "results-exchanged", "It returns the right two results in the wrong order. Which one comes first?"
                ),
                slip(
                    "returns-scores",
                    "Its output is right, but its second result is not what multiplied the values. Does your "
                    "test use the second result at all?",
                ),
                slip("returns-output-only", "It returns one tensor. How does your test take the result apart?"),
            ),
            group(
                "changes-its-input",
                "Leaves its arguments alone",
                slip(
                    "changes-the-queries",
                    "A second call with the same tensors gives another result. What does `q` hold after the first?",
                ),
                slip(
                    "writes-into-the-mask",
                    "After some calls, one of the tensors that you passed has changed, although the result is "
                    "right. Which tensor does your test not look at again?",
                ),
            ),
        ),
    ),
)
