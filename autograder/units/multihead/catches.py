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
            style("strides-by-hand", "one whose heads are a view with strides of its own"),
            style("contiguous-then-view", "one that merges a contiguous copy with `view`"),
            style("concatenates-heads", "one that merges by concatenation"),
            style("permute-and-reshape", "one that merges with `permute` and `reshape`"),
            style("filled-in-place", "one that merges into an empty tensor, head by head"),
            style("einsum", "one that merges with `einsum`"),
            style(
                "split_heads.any-uneven-width",
                "one that refuses an uneven width with an error of another class",
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
                    "Every head is right, but the heads are in another order. Which one comes first?",
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
                    "Two of its axes have changed places. Would your test notice with as many heads as positions?",
                ),
                slip(
                    "split_heads.last-axes-exchanged",
                    "Two of its axes have changed places. Is every size in your test another one?",
                ),
                slip(
                    "split_heads.heads-before-the-batch",
                    "The batch is not where it should be. How many sentences are in yours, and how many heads?",
                ),
                slip(
                    "split_heads.heads-joined-to-the-batch",
                    "It returns three axes. How does your test find out how many there are?",
                ),
            ),
            group(
                "how-many-heads",
                "How many heads, and how wide",
                slip(
                    "split_heads.head-count-as-width",
                    "It is right where there are as many heads as each is wide. Which numbers and widths of "
                    "heads have you tried?",
                ),
                slip(
                    "split_heads.every-head-gets-all",
                    "The heads together hold more numbers than `x` does. What is the size of the last axis?",
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
                    "Merged, the numbers of a position belong to several. What should come of heads that you have "
                    "just split?",
                ),
                slip(
                    "merge_heads.heads-interleaved",
                    "Merged, each position has its numbers in another order. What do you compare the result with?",
                ),
                slip(
                    "merge_heads.heads-reversed",
                    "Merged, each position has its numbers in another order. What do you compare the result with?",
                ),
                slip(
                    "merge_heads.heads-averaged",
                    "Merged, there are fewer numbers than before. Which shape do you expect?",
                ),
                slip(
                    "merge_heads.batch-and-positions-exchanged",
                    "Merged, the batch is not where it was. Are there as many sentences as positions in your test?",
                ),
            ),
            group(
                "any-layout",
                "Heads from elsewhere",
                slip(
                    "merge_heads.view-of-a-transposed-tensor",
                    "It merges what `split_heads` returns, and raises an error for other tensors of the same shape. "
                    "Where do "
                    "the heads come from that you merge?",
                ),
            ),
        ),
    ),
)
