"""The catch-it task of training: what a test of `run_epoch` with accumulation must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "training.test_accumulation",
        gets="run_epoch",
        styles=(
            style("gradients-divided-before-the-step", "one that divides the gradients just before the step"),
            style("one-backward-pass-for-the-group", "one that makes one backward pass for a whole group"),
            style("weighted-means-and-look-ahead", "one that weights the means of the batches"),
            style("own-result-class-and-closure", "one that passes the optimiser a closure, and returns its own class"),
            style(
                "gradients-kept-in-a-list-and-the-mode-restored",
                "one that keeps the gradients in a list until the step",
            ),
            style("one-loop-for-training-and-evaluation", "one that trains and evaluates in the same loop"),
            style("function-that-steps", "one that makes its steps in an inner function"),
            style(
                "gradients-set-to-zero",
                "one that fills gradients with zeros",
                edit("optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=False)"),
            ),
            style(
                "no-gradients-afterwards",
                "one that removes all gradients at the end",
                edit("return EpochResult(", "model.zero_grad()\nreturn EpochResult("),
            ),
        ),
        groups=(
            group(
                "adding-up",
                "Gradients that add up",
                slip(
                    "cleared-for-each-batch",
                    "Only a part of each group influences its step. Which of your batches would show this?",
                ),
                slip("accumulate-ignored", "Its steps are those of small batches. What is `accumulate` in your test?"),
                slip(
                    "step-after-each-batch",
                    "It moves the parameters more often than it should. Do you compare them with a step of your own?",
                ),
                slip(
                    "one-step-per-epoch",
                    "It is right for a single group. How many groups do your batches make?",
                ),
            ),
            group(
                "whose-tokens",
                "Divided by whose tokens",
                slip(
                    "mean-of-means-accumulated",
                    "It is right where all batches have equally many tokens. How many tokens do yours have?",
                ),
                slip(
                    "not-averaged-over-batches",
                    "Its gradients grow with `accumulate`. How large should they be?",
                ),
                slip(
                    "divided-by-the-last-batch",
                    "It is right where a group is one batch. Which number should divide the gradient of two batches?",
                ),
                slip(
                    "divided-by-tokens-so-far",
                    "Its result depends on the order of the batches in a group. Should it?",
                ),
            ),
            group(
                "the-rest",
                "What is left at the end",
                slip(
                    "rest-dropped",
                    "Its last batches may change nothing. Is your number of batches a multiple of `accumulate`?",
                ),
                slip(
                    "rest-not-divided",
                    "Its last step may be far too long. Is your number of batches a multiple of `accumulate`?",
                ),
                slip(
                    "rest-divided-by-the-group-before",
                    "Its last step may be too short or too long. How many tokens belong to it in your test?",
                ),
                slip(
                    "rest-as-single-batches",
                    "It makes more steps at the end than it should. How many batches are left at the end in your test?",
                ),
            ),
            group(
                "old-gradients",
                "Gradients from before",
                slip(
                    "left-over-gradients-count",
                    "Gradients from before the call influence its first step. Were there any in your test?",
                ),
                slip(
                    "cleared-once-per-epoch",
                    "Its first step is right. How many steps does your test follow?",
                ),
                slip(
                    "gradients-never-cleared",
                    "Each of its steps contains the gradients of all earlier ones. How many steps does your test "
                    "follow?",
                ),
            ),
            group(
                "the-schedule",
                "The schedule",
                slip("scheduler-ignored", "The rate never changes. Do you pass a scheduler?"),
                slip(
                    "scheduler-for-each-batch",
                    "The rate changes too fast. Which rate should the second step have?",
                ),
                slip(
                    "scheduler-before-optimizer",
                    "One of the rates is never used. Which rate belongs to the first step?",
                ),
                slip(
                    "scheduler-not-for-the-rest",
                    "The rate with which the next epoch begins is wrong. Do you look at it?",
                ),
            ),
            group(
                "the-report",
                "What it reports",
                slip("steps-are-batches", "It reports too many steps. How many should there be?"),
                slip(
                    "tokens-of-the-last-step",
                    "It counts too few tokens. How many tokens do all your batches have together?",
                ),
                slip(
                    "mean-of-batch-means",
                    "Its loss is right where all batches have equally many tokens. Do you know the loss per token of "
                    "yours?",
                ),
                slip(
                    "loss-after-the-step",
                    "Its loss is usually lower than it should be. Which parameters give the loss that you expect?",
                ),
            ),
        ),
    ),
)
