"""Questions by hand of unit `embeddings`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "embeddings.three-vectors": Question(
        ask="The vocabulary has four words, and the ids are $2$, $0$ and $2$. What are the three one-hot vectors? "
        "Type twelve numbers, row by row.",
        answer="0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0",
        hint="Every row has four entries and a single 1. Entries are counted from 0.",
        because="Id 2 has its 1 in the third entry, id 0 in the first. The two rows of id 2 are equal.",
        computed="one_hot(torch.tensor([2, 0, 2]), 4)",
    ),
    "embeddings.two-rows": Question(
        ask="A table has the rows $(1, 2)$, $(3, 4)$ and $(5, 6)$. Multiply the one-hot vectors of the ids $2$ and "
        "$0$ by it. What are the two rows of the product? Type four numbers.",
        answer="5, 6, 1, 2",
        hint="The one-hot vector of id 2 is (0, 0, 1). Which row of the table is multiplied by 1?",
        because="All terms of the sum but one are zero, so each product is a row of the table: row 2, then row 0.",
        computed="embedding_lookup(torch.tensor([2, 0]), torch.tensor([[1., 2], [3, 4], [5, 6]]))",
    ),
    "embeddings.summed-gradient": Question(
        ask="A table has three rows of width 1. The ids $2, 0, 2$ are looked up, and the gradients $1$, $10$ and "
        "$100$ arrive at the three vectors. Which gradients do the rows 0, 1 and 2 of the table get?",
        answer="10, 0, 101",
        hint="Id 2 is at the first and at the last position, and id 1 does not occur.",
        because="A row gets the sum over all the positions that hold its id: 10 for row 0, nothing for row 1, and 1 "
        "plus 100 for row 2.",
        computed="[g for E in [torch.zeros(3, 1, requires_grad=True)] for g in "
        "torch.autograd.grad((embedding_lookup(torch.tensor([2, 0, 2]), E) * torch.tensor([[1.], [10], "
        "[100]])).sum(), E)[0]]",
    ),
    "embeddings.scaled-length": Question(
        ask="A row of width 4 has the entries $(0.5, -0.5, 0.5, 0.5)$, of size $1/\\sqrt 4$. How long is the row, and "
        "how long is it after the multiplication by $\\sqrt d$?",
        answer="1, 2",
        hint="The length is the root of the sum of the four squares.",
        because="Four times 0.25 is 1, so the length is 1. The factor is the root of 4.",
        computed="[torch.full((4,), 0.5).norm(), (torch.full((4,), 0.5) * math.sqrt(4)).norm()]",
    ),
    "embeddings.two-waves": Question(
        ask="What are rows 0 and 1 of the table for $d = 4$? Type eight numbers with two decimals, row by row.",
        answer="0, 1, 0, 1, 0.84, 0.54, 0.01, 1",
        hint="Row 1 is the sine and cosine of 1, then the sine and cosine of 1/100.",
        because="At position 0 all sines are 0 and all cosines 1. At position 1 the angles are 1 and 0.01: sin 1 is "
        "0.841, cos 1 is 0.540, sin 0.01 is 0.010, and cos 0.01 is nearly 1.",
        computed="sinusoidal_positions(2, 4)",
    ),
    "embeddings.odd-width": Question(
        ask="Let $d = 3$. What are the three entries of row 0, and which exponent does $10000$ have in the divisor of "
        "the last column? Type four numbers or fractions.",
        answer="0, 1, 0, 2/3",
        hint="The columns are sine, cosine, sine. The last one begins pair i = 1, and d in the exponent is 3.",
        because="The sine of 0 is 0 and its cosine is 1. The last column is a sine with the exponent 2 i / d = 2 / 3; "
        "its cosine is missing.",
        computed="[*sinusoidal_positions(1, 3)[0], 2 / 3]",
    ),
    "embeddings.word-plus-place": Question(
        ask="Let $C = 1$. The rows of `wte` are $10$ and $20$, those of `wpe` are $1$, $2$, $3$ and $4$, and the ids "
        "are $1, 0, 1$. Which three numbers does `gpt2_embed` return?",
        answer="21, 12, 23",
        hint="Id 1 chooses the second row of wte. The position chooses the row of wpe, counted from 0.",
        because="The sums are 20 + 1, 10 + 2 and 20 + 3. The two tokens with id 1 differ by their positions. The last "
        "row of wpe is not used.",
        computed="gpt2_embed(torch.tensor([[1, 0, 1]]), torch.tensor([[10.], [20]]), torch.tensor([[1.], [2], [3], "
        "[4]]))",
    ),
    "embeddings.two-sentences": Question(
        ask="A table of five positions has one column, and row $p$ holds the number $p$. It is added to a batch of two "
        "sequences of three tokens, in which all numbers are zero. What are the six results, sequence by sequence?",
        answer="0, 1, 2, 0, 1, 2",
        hint="Three of the five rows are needed. Do they follow the tokens of a sequence, or the sequences of the "
        "batch?",
        because="The table is cut to three rows along axis 1, and every sequence gets the same three.",
        computed="(torch.zeros(2, 3, 1) + torch.arange(5.)[None, :, None][:, :3])[..., 0]",
    ),
    "embeddings.kept-mean": Question(
        ask="A sentence has two tokens, with the vectors $(1, -4)$ and $(3, -2)$, and one padded position that holds "
        "$(0, 0)$. What does `mean_pool` return? Type two numbers.",
        answer="2, -3",
        hint="Two tokens are real. By which number do you divide?",
        because="The means are (1 + 3) / 2 and (-4 - 2) / 2. Dividing by the three positions would give 1.33 and -2.",
        computed="mean_pool(torch.tensor([[[1., -4], [3, -2], [0, 0]]]), torch.tensor([[True, True, False]]))",
    ),
    "embeddings.kept-maximum": Question(
        ask="A sentence has two tokens, with the vectors $(3, -4)$ and $(1, -2)$, and one padded position that holds "
        "$(0, 0)$. What does `max_pool` return? Type two numbers.",
        answer="3, -2",
        hint="Look at each component by itself, and leave the padding out.",
        because="The first entry is the larger of 3 and 1, the second the larger of -4 and -2. With the padding the "
        "second entry would be 0.",
        computed="max_pool(torch.tensor([[[3., -4], [1, -2], [0, 0]]]), torch.tensor([[True, True, False]]))",
    ),
}
