"""Questions by hand of unit `training`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "training.six-ids": Question(
        ask="A target has the ids `[2, 7, 5, 9, 3, 0]`: `<bos>`, three words, `<eos>` and padding. Which five ids "
        "does `tgt_y` hold, and what is `ntokens`? Type six numbers.",
        answer="7, 5, 9, 3, 0, 4",
        hint="All ids but the first are predicted. How many of them are not padding?",
        because="The decoder reads 2, 7, 5, 9, 3 and has to predict 7, 5, 9, 3, 0. The last is padding and does not "
        "count.",
        computed="(lambda batch: [*batch.tgt_y[0].tolist(), batch.ntokens])"
        "(Batch(torch.tensor([[2, 7, 5, 9, 3, 0]]), torch.tensor([[2, 7, 5, 9, 3, 0]])))",
    ),
    "training.which-ids": Question(
        ask="With `vocab_size=7`, which ids may follow `<bos>` in `copy_task`?",
        answer="4, 5, 6",
        hint="The ids below 4 are special. What is the largest id of a vocabulary of that size?",
        because="Ids run from 0 to 6, and the first four are special. torch.randint never draws its upper end.",
        computed="sorted(set(next(iter(copy_task(7, 200, 1))).src[:, 1:].flatten().tolist()))",
    ),
    "training.two-buckets": Question(
        ask="The lengths are 4, 10, 2 and 12, and `max_tokens` is 24. What is the padded size of all four as one "
        "batch? Now fill batches from short to long. What are the padded sizes of the two batches, the shorter "
        "sentences first? And how many of their positions hold padding? Type four numbers.",
        answer="48, 8, 24, 4",
        hint="Go from short to long: 2, 4, 10, 12. Would the 10 fit into the first batch?",
        because="All four have the padded size 4 times 12. The 2 and the 4 have 2 times 4; with the 10 they would "
        "have 3 times 10, which is too much. The 10 and the 12 have 2 times 12, which is just allowed. Of these 8 + "
        "24 = 32 positions, 28 hold tokens and 4 hold padding.",
        computed="(lambda lengths: (lambda sizes: [4 * 12, *sizes, sum(sizes) - sum(lengths)])"
        "([len(batch) * max(map(lengths.__getitem__, batch)) for batch in bucket_batches(lengths, 24)]))"
        "([4, 10, 2, 12])",
    ),
    "training.loss-of-two": Question(
        ask="Two batches make one step. The first has 6 tokens and a total loss of 12; the second has 2 tokens and a "
        "total loss of 8. What is the loss per token? And what is the mean of the two batches' means?",
        answer="2.5, 3",
        hint="Add up first, then divide once. For the second question, divide each loss by its own number of tokens "
        "first.",
        because="20 over 8 tokens is 2.5. The means are 2 and 4, and their mean is 3: in this mean, a token of the "
        "second batch weighs three times as much as one of the first.",
        computed="[(12 + 8) / (6 + 2), (12 / 6 + 8 / 2) / 2]",
    ),
    "training.steps-of-an-epoch": Question(
        ask="An epoch has 7 batches, and `accumulate` is 3. How many steps does it make, and how many batches does "
        "the last step have? Now `accumulate` is 8, and a scheduler with a warm-up of 4,000 moves on with each "
        "*batch*. After how many steps of the optimiser is the warm-up over?",
        answer="3, 1, 500",
        hint="What is left at the end makes a step too. In the last question, the scheduler moves 8 times in each "
        "step.",
        because="The steps have 3, 3 and 1 batches. A scheduler that moves 8 times in each step has moved 4,000 times "
        "after an eighth of 4,000 steps.",
        computed="[len(range(0, 7, 3)), 7 % 3, 4000 / 8]",
    ),
}
