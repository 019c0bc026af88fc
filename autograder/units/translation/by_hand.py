"""Questions by hand of unit `translation`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "translation.two-and-three-pairs": Question(
        ask="Three pairs have (3, 4), (4, 4) and (5, 7) tokens of source and target. What does a batch of the first "
        "two pairs cost, and what does a batch of all three cost? With a budget of 24, the third pair has to begin a "
        "new batch.",
        answer="16, 36",
        hint="Multiply the number of pairs by the sum of the longest source and the longest target.",
        because="Two pairs of 4 + 4 positions are 16. Three pairs of 5 + 7 positions are 36, more than 24.",
        computed="[2 * (max(3, 4) + max(4, 4)), 3 * (max(3, 4, 5) + max(4, 4, 7))]",
    ),
    "translation.per-token-loss": Question(
        ask="Two micro-batches have 6 and 2 target tokens, and summed losses of 12 and 8. What is the loss per token "
        "of both together, and what is the mean of the two means?",
        answer="2.5, 3",
        hint="For the first, add the losses and add the tokens before you divide.",
        because="Together they have a loss of 20 for 8 tokens, which is 2.5 per token. The means are 2 and 4, and "
        "their mean is 3: the two tokens of the second micro-batch count for as much as the six of the first.",
        computed="[(12 + 8) / (6 + 2), (12 / 6 + 8 / 2) / 2]",
    ),
    "translation.clipped-sum": Question(
        ask="Two micro-batches of a step add the gradients $(3, 0)$ and $(0, 4)$, already divided by all tokens. The "
        "limit `max_norm` is 2.5. Which norm is reported, and what are the two entries of the gradient that is used?",
        answer="5, 1.5, 2",
        hint="Add first. The norm of the sum is a whole number.",
        because="The sum is (3, 4) with the norm 5, which is reported. Half of it has the norm 2.5. If each of the "
        "two gradients were clipped by itself, their sum would have another direction.",
        computed="[5, *(torch.tensor([3.0, 4.0]) * 2.5 / torch.tensor([3.0, 4.0]).norm()).tolist()]",
    ),
    "translation.words-of-a-sentence": Question(
        ask="BLEU counts words, and a full stop is a word of its own. How many words does `The dog sleeps.` have "
        "then? And how many pieces does it have if you cut it at its spaces?",
        answer="4, 3",
        hint="At the spaces, the full stop stays with the last word.",
        because="The four words are The, dog, sleeps and the full stop. If you cut at the spaces, the last piece is "
        "the verb with its full stop. That piece equals no word of a reference that was cut correctly.",
        computed="[len(words('The dog sleeps.')), len('The dog sleeps.'.split())]",
    ),
    "translation.waiting": Question(
        ask="The validation losses so far are 3.1, 2.4, 2.6, 2.4 and 2.5. What is the index of the best one, counted "
        "from 0, and how many validations have brought nothing better since?",
        answer="1, 3",
        hint="Is the second 2.4 better than the first?",
        because="The first 2.4 has the index 1. The three after it, 2.6, 2.4 and 2.5, are not lower. With a patience of "
        "3 the training ends here.",
        computed="[early_stopping([3.1, 2.4, 2.6, 2.4, 2.5], 3)[0], "
        "max(p for p in range(1, 6) if early_stopping([3.1, 2.4, 2.6, 2.4, 2.5], p)[1])]",
    ),
    "translation.numbers-of-adam": Question(
        ask="A model has 1,000,000 parameters. How many numbers must a checkpoint hold for the model and an optimiser "
        "like Adam, with its two moments?",
        answer="3000000",
        hint="Each parameter has two moments.",
        because="Each parameter needs three numbers: itself, its mean gradient and its mean squared gradient. A "
        "checkpoint is three times as large as the weights alone.",
        computed="3 * 10**6",
    ),
    "translation.where-to-go-on": Question(
        ask="A training run writes a checkpoint after every 40 steps. It is killed after step 130. With which step "
        "does it go on, and how many steps does it compute a second time?",
        answer="121, 10",
        hint="What is the last checkpoint that it has written?",
        because="The last checkpoint was written after step 120. So the run goes on with step 121, and steps 121 to "
        "130 are computed again. From a complete checkpoint, these steps give the same results.",
        computed="[130 // 40 * 40 + 1, 130 % 40]",
    ),
    "translation.two-processes": Question(
        ask="Two processes have 10 and 30 target tokens. The gradients of their summed losses for one weight are 4 "
        "and 24. What is the gradient per token over both, and what is the mean of the two processes' own gradients "
        "per token?",
        answer="0.7, 0.6",
        hint="For the first, add the gradients and add the tokens before you divide.",
        because="Together the gradient is 28 for 40 tokens, which is 0.7. The processes' own gradients per token are "
        "0.4 and 0.8, and their mean is 0.6: each token of the first process counts three times as much as one of the "
        "second.",
        computed="[(4 + 24) / (10 + 30), (4 / 10 + 24 / 30) / 2]",
    ),
    "translation.one-layer": Question(
        ask="How many parameters do the four projections of one attention layer of width 4 have, biases included? And "
        "how many of them are weights that multiply something?",
        answer="80, 64",
        hint="A projection has a square matrix of weights, and a bias with one number for each output.",
        because="Four times 16 weights and 4 biases are 80 parameters. The 64 weights multiply, the 16 biases are added.",
        computed="[sum(p.numel() for _ in range(4) for p in nn.Linear(4, 4).parameters()), 4 * 4 * 4]",
    ),
    "translation.shapes-of-maps": Question(
        ask="A model has 2 layers with 3 heads. The source has 5 tokens, the decoder reads 4. What is the shape of "
        "the maps of cross-attention, and what is the shape of the maps of the decoder's own attention? Type eight "
        "numbers.",
        answer="2, 3, 4, 5, 2, 3, 4, 4",
        hint="The axes are layers, heads, queries and keys. In cross-attention, which tokens are the queries, and "
        "which are the keys?",
        because="In cross-attention, the 4 target tokens are the queries and the 5 source tokens are the keys. In the "
        "decoder's own attention, the target tokens are both.",
        computed="[size for kind in ('cross', 'decoder') for size in attention_maps("
        "make_model(9, 9, num_layers=2, d_model=6, d_ff=12, num_heads=3, dropout=0.0), "
        "torch.tensor([[4, 5, 6, 7, 8]]), torch.tensor([[4, 5, 6, 7]]))[kind].shape]",
    ),
    "translation.links": Question(
        ask="Three target positions have the weights $(0.1, 0.3, 0.6)$, $(0.4, 0.4, 0.2)$ and $(0.2, 0.5, 0.3)$. "
        "Which source positions do they link to, counted from 0?",
        answer="2, 0, 1",
        hint="Find the largest weight in each row. Of equal weights, the first counts.",
        because="The largest weights are 0.6 at index 2, 0.4 at 0 and at 1, and 0.5 at index 1.",
        computed="read_alignment(torch.tensor([[0.1, 0.3, 0.6], [0.4, 0.4, 0.2], [0.2, 0.5, 0.3]]))",
    ),
    "translation.steps-of-training": Question(
        ask="A batch holds 50 of 4,000 pairs. How many steps do six epochs have? And how many seconds do they take, "
        "if a step takes 30 milliseconds?",
        answer="480, 14.4",
        hint="First count the steps of one epoch.",
        because="One epoch has 4,000 / 50 = 80 steps, six have 480. At 0.03 seconds each they take 14.4 seconds.",
        computed="[6 * 4000 / 50, 6 * 4000 / 50 * 0.03]",
    ),
}
