"""The catch-it task of multihead: what a test of `split_heads` and `merge_heads` must accept and catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "multihead.test_heads",
        gets=("split_heads", "merge_heads"),
        styles=(
            style("view-and-permute", "one that splits with `view` and `permute`"),
            style("unflatten", "one that splits with `unflatten`"),
            style("chunks-stacked", "one that splits into chunks and stacks them"),
            style("number-by-number", "one that copies the numbers column by column"),
            style("split-by-width-with-einsum", "one that splits with `einsum`"),
            style("strides-by-hand", "one that sets the strides of its heads by hand"),
            style("contiguous-then-view", "one that merges a contiguous copy with `view`"),
            style("concatenates-heads", "one that merges by concatenation"),
            style("permute-and-reshape", "one that merges with `permute` and `reshape`"),
            style("filled-in-place", "one that merges into an empty tensor, head by head"),
            style("einsum", "one that merges with `einsum`"),
            style(
                "split_heads.any-uneven-width",
                "one that raises an error other than `ValueError` for a width that the heads cannot share evenly",
                edit("raise ValueError(", "raise RuntimeError("),
            ),
        ),
        groups=(
            group(
                "which-numbers",
                "Which numbers a head gets",
                slip(
                    "split_heads.reshaped-without-transpose",
                    "The shape is right, but a head gets numbers of some positions only. Does your test look at "
                    "numbers?",
                ),
                slip(
                    "split_heads.heads-interleaved",
                    "A head gets numbers that are not adjacent in `x`. Which columns does your test expect in head 0?",
                ),
                slip(
                    "split_heads.heads-reversed",
                    "Every head is right, but the heads are in another order. Which head comes first?",
                ),
                slip(
                    "split_heads.sequence-cut-into-heads",
                    "A head sees only some of the positions. How many rows should a head have, and how many "
                    "numbers per row?",
                ),
            ),
            group(
                "order-of-axes",
                "The order of the axes",
                slip(
                    "split_heads.heads-and-positions-not-exchanged",
                    "Two of its axes are swapped. Would your test notice with as many heads as positions?",
                ),
                slip(
                    "split_heads.last-axes-exchanged",
                    "Two of its axes are swapped. Are all sizes in your test different?",
                ),
                slip(
                    "split_heads.heads-before-the-batch",
                    "The batch axis is not where it should be. How many sentences and how many heads does your test "
                    "have?",
                ),
                slip(
                    "split_heads.heads-joined-to-the-batch",
                    "Its result has three axes. How does your test find out?",
                ),
            ),
            group(
                "how-many-heads",
                "How many heads, and how wide",
                slip(
                    "split_heads.head-count-as-width",
                    "It is right where the number of heads equals the width of a head. Which numbers and widths have "
                    "you tried?",
                ),
                slip(
                    "split_heads.every-head-gets-all",
                    "The heads together hold more numbers than `x` does. Which size do you expect for the last axis?",
                ),
                slip(
                    "split_heads.rest-dropped",
                    "It accepts a width that the heads cannot share evenly. What does the specification promise then?",
                ),
            ),
            group(
                "the-way-back",
                "The way back",
                slip(
                    "merge_heads.reshaped-without-transpose",
                    "After merging, a position holds numbers of several positions. What should merging return for "
                    "heads that you have just split?",
                ),
                slip(
                    "merge_heads.heads-interleaved",
                    "After merging, each position has its numbers in another order. What do you compare the result "
                    "with?",
                ),
                slip(
                    "merge_heads.heads-reversed",
                    "After merging, each position has its numbers in another order. What do you compare the result "
                    "with?",
                ),
                slip(
                    "merge_heads.heads-averaged",
                    "After merging, there are fewer numbers than before. Which shape do you expect?",
                ),
                slip(
                    "merge_heads.batch-and-positions-exchanged",
                    "After merging, the batch axis is not where it was. Are there as many sentences as positions in "
                    "your test?",
                ),
            ),
            group(
                "any-layout",
                "Heads from elsewhere",
                slip(
                    "merge_heads.view-of-a-transposed-tensor",
                    "It merges what `split_heads` returns, and raises an error for other tensors of the same shape. "
                    "Where do the heads that you merge come from?",
                ),
            ),
        ),
    ),
)
