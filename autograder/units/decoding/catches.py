"""The catch-it task of decoding: what a test of `beam_search` must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "decoding.test_beam",
        gets="beam_search",
        styles=(
            style("open-beam-stays-full", "one in which finished outputs take no room in the beam"),
            style("whole-batch-at-once", "one that searches for all sources at once"),
            style("hypotheses-as-objects", "one in which finished outputs compete with open ones for room in the beam"),
            style("until-the-last-step", "one that never stops before `max_len`"),
            style("stops-when-nothing-can-win", "one that stops when no prefix can win any more"),
            style("lists-of-hypotheses", "one that keeps lists of ids"),
            style(
                "sums-in-float64",
                "one that adds in float64",
                edit("memory.new_zeros(1)", "memory.new_zeros(1, dtype=torch.float64)"),
            ),
            style(
                "one-mask-for-each",
                "one that gives each prefix a mask of its own",
                edit(
                    "causal_mask(length, beams.device)", "causal_mask(length, beams.device).repeat(len(beams), 1, 1, 1)"
                ),
            ),
        ),
        groups=(
            group(
                "several-beginnings",
                "Several prefixes",
                slip(
                    "copies-of-one-beginning",
                    "It never finds more than greedy decoding does. Does your best output begin with the likeliest id?",
                ),
                slip(
                    "beam-too-narrow",
                    "A prefix that you count on is given up too early. How wide is the beam in your test, and how "
                    "much of it do you need?",
                ),
                slip(
                    "one-continuation-of-each-beginning",
                    "After the first id, no two of its prefixes share a parent. Do two of the best prefixes in "
                    "your test share a parent?",
                ),
            ),
            group(
                "bookkeeping",
                "Sums, parents and tokens",
                slip(
                    "last-step-only",
                    "It prefers what is likely now, whatever came before. Which output would be the best one by its "
                    "last id alone?",
                ),
                slip(
                    "wrong-parents",
                    "It appends ids to prefixes that they do not belong to. At which indices are the "
                    "parents of the prefixes that should survive?",
                ),
                slip(
                    "parents-not-followed",
                    "It appends each id to the prefix in the same row, whichever prefix the id belongs to. Do two of "
                    "your prefixes share a parent?",
                ),
            ),
            group(
                "what-ends",
                "What ends",
                slip(
                    "first-finished-wins",
                    "It accepts an output that ends early. Is there a longer and better one in your tables?",
                ),
                slip(
                    "end-not-scored",
                    "Ending costs nothing. Is there an output in your tables that is likely except for its end?",
                ),
                slip(
                    "finished-ones-extended",
                    "It goes on after the end. What comes after EOS in your tables, and would you notice?",
                ),
                slip(
                    "unfinished-compared-too",
                    "It returns an output without an end, although another output has one. Is the output without "
                    "an end the likelier one in your tables?",
                ),
            ),
            group(
                "no-room",
                "The last step, and what is returned",
                slip(
                    "nothing-when-unfinished",
                    "It returns nothing when `max_len` is too small. What should it return then?",
                ),
                slip(
                    "last-token-cut-off",
                    "Part of an output without an end is missing. Does one of your outputs reach `max_len`?",
                ),
                slip(
                    "one-id-too-many",
                    "It goes on writing where there is no room. Which `max_len` would show the difference?",
                ),
                slip(
                    "end-symbol-returned",
                    "Its lists hold an id that is not a word. Do you compare the lists themselves?",
                ),
            ),
            group(
                "the-penalty",
                "The length penalty",
                slip(
                    "no-length-penalty",
                    "The exponent changes nothing. Is there a pair of outputs in your tables for which it should?",
                ),
                slip(
                    "penalty-multiplied",
                    "With a larger exponent it prefers the shorter output. Which one should win?",
                ),
                slip(
                    "start-symbol-counted",
                    "It switches from one output to the other at too large an exponent. At which exponent are "
                    "your two outputs equally good?",
                ),
                slip(
                    "end-symbol-not-counted",
                    "It switches from one output to the other at too small an exponent. At which exponent are "
                    "your two outputs equally good?",
                ),
            ),
            group(
                "each-source",
                "Each source for itself",
                slip("one-result-only", "It returns one list. How many sources are in your batch?"),
                slip("first-source-for-all", "All outputs belong to one source. What do you expect for the others?"),
                slip(
                    "mask-of-the-first-source",
                    "From the second source on, the model sees too little or too much. Where is padding in your "
                    "sources, and would your table answer differently if the model read the padding?",
                ),
                slip(
                    "memory-repeated-in-the-wrong-order",
                    "It is right for a single source. How many are in your batch?",
                ),
            ),
        ),
    ),
)
