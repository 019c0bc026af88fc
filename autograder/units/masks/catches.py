"""The catch-it task of masks: what a test of `decoder_mask` must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "masks.test_decoder_mask",
        gets="decoder_mask",
        styles=(
            style("logical-and", "one that combines the two masks with `torch.logical_and`"),
            style("from-scratch", "one that uses neither `padding_mask` nor `causal_mask`"),
            style("loops", "one that fills the mask entry by entry"),
            style("product-of-masks", "one that multiplies the two masks"),
            style("forbidden-united", "one that marks what is forbidden and inverts it at the end"),
            style("one-sequence-at-a-time", "one that makes the mask of each sequence and stacks them"),
            style(
                "lower-triangle-of-the-expanded-padding-mask",
                "one that takes the lower triangle of an expanded padding mask",
            ),
            style(
                "not-contiguous",
                "one whose result is a view that is not contiguous",
                edit(
                    "return padding_mask(ids, pad_id) & causal_mask(ids.shape[-1], device=ids.device)",
                    "both = padding_mask(ids, pad_id) & causal_mask(ids.shape[-1], device=ids.device)\n"
                    "return both.mT.contiguous().mT",
                ),
            ),
        ),
        groups=(
            group(
                "shape-and-type",
                "Shape and type",
                slip(
                    "head-axis-missing",
                    "Its mask does not line up with the scores of several heads. How many axes do you expect?",
                ),
                slip(
                    "padding-mask-returned",
                    "Every query gets the same row of its mask. How large is each axis of a right mask?",
                ),
                slip("integer-mask", "The entries of `~mask` are -1 and -2. Which type do you expect?"),
                slip(
                    "additive-mask",
                    "Its allowed entries are 0, and the others are not. What does your test check about the value of "
                    "an entry?",
                ),
            ),
            group(
                "the-future",
                "Nothing of the future",
                slip(
                    "causal-forgotten",
                    "A query sees what comes after it. Which pairs of query and key does your test look at?",
                ),
                slip(
                    "causal-inverted",
                    "A query sees what comes after it and nothing that came before. Which entry would show this?",
                ),
                slip(
                    "own-position-hidden",
                    "The first query sees nothing at all, not even when its token is real. What may it see?",
                ),
            ),
            group(
                "padding",
                "No padding",
                slip(
                    "padding-forgotten",
                    "Padding can be seen where it lies in the past. Where is the padding in your ids?",
                ),
                slip(
                    "padding-inverted",
                    "Padding can be seen, and real tokens cannot. Which of the two does your test look at?",
                ),
                slip(
                    "padding-on-query-axis",
                    "Padded keys are visible, and padded queries see nothing. Does your test know which axis is which?",
                ),
                slip(
                    "first-sequence-only", "It is right for a batch of one sentence. What is in your second sentence?"
                ),
                slip("pad-id-not-passed-on", "It is right for the usual padding id. Have you tried another one?"),
            ),
            group(
                "both-at-once",
                "Both conditions together",
                slip(
                    "or-for-and",
                    "A key can be seen although one of the two conditions forbids it. Is there a key in your ids that "
                    "only one condition forbids?",
                ),
                slip(
                    "all-inverted",
                    "Each entry is the opposite of what it should be. What does `True` mean in your test?",
                ),
            ),
            group(
                "no-exceptions",
                "No exceptions",
                slip("diagonal-kept", "A padded position may see itself. What does the specification say about that?"),
                slip(
                    "empty-rows-opened",
                    "A query that may attend to nothing attends to something. Is there such a query in your ids?",
                ),
                slip(
                    "first-key-always-allowed",
                    "Every query sees one particular key, even where this key is padding. Is it ever padding in "
                    "your ids?",
                ),
                slip(
                    "padding-on-both-axes",
                    "A padded query sees nothing, though real tokens precede it. Does your test look at the rows of "
                    "padded queries?",
                ),
            ),
        ),
    ),
)
