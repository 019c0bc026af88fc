"""Questions by hand of unit `gpt2_forward`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "gpt2_forward.address-of-an-entry": Question(
        ask="An array has the shape `(4, 5, 6)`. How many entries stand in memory before entry $(3, 1, 2)$?",
        answer="98",
        hint="Count whole rows first: 3 sequences of 5 rows, and 1 row more. Each row is 6 long.",
        because="There are 3 times 5 plus 1 rows before it, which is 16, with 6 entries each: 96. In its own row 2 "
        "entries come before it.",
        computed="torch.arange(4 * 5 * 6).view(4, 5, 6)[3, 1, 2]",
    ),
    "gpt2_forward.two-rows-meet": Question(
        ask="`wte` has the rows $(10, 20)$, $(30, 40)$, $(50, 60)$, and `wpe` the rows $(1, 2)$, $(3, 4)$. The ids are "
        "$(2, 0)$ in the first sequence and $(0, 0)$ in the second. Which eight numbers does `out` hold, in the order "
        "of memory?",
        answer="51, 62, 13, 24, 11, 22, 13, 24",
        hint="Each sequence begins with row 0 of wpe. The id chooses the row of wte.",
        because="The first sequence is row 2 of wte plus row 0 of wpe, then row 0 plus row 1. The second is row 0 plus "
        "row 0, then row 0 plus row 1.",
        computed="torch.tensor([[10., 20], [30, 40], [50, 60]])[torch.tensor([[2, 0], [0, 0]])] "
        "+ torch.tensor([[1., 2], [3, 4]])",
    ),
    "gpt2_forward.norm-of-a-row": Question(
        ask="A row of four channels is $(2, 4, 4, 6)$; weights are 1, biases 0. What are its `mean`, its `rstd` and "
        "the first entry of `out`, with two decimals?",
        answer="4, 0.71, -1.41",
        hint="The squared distances from the mean are 4, 0, 0 and 4. Divide their sum by the number of channels.",
        because="The variance is 8 / 4 = 2, and one over its root is 0.707. The first entry lies 2 below the mean, and "
        "-2 times 0.707 is -1.414. The small number in the root does not show in these digits.",
        computed="(lambda x, s: [x.mean(), s, (x[0] - x.mean()) * s])(torch.tensor([2., 4, 4, 6]), 2.00001**-0.5)",
    ),
    "gpt2_forward.two-output-channels": Question(
        ask="A linear layer has `C = 3` and `OC = 2`. In memory, `weight` is $1, 0, -1, \\tfrac12, \\tfrac12, "
        "\\tfrac12$ and `bias` is $10, 20$. What does the layer return for the row $(1, 2, 3)$?",
        answer="8, 23",
        hint="The first C numbers of weight are the row of the first output channel.",
        because="The first row gives 1 - 3 = -2, the second (1 + 2 + 3) / 2 = 3. The biases add 10 and 20.",
        computed="torch.tensor([1., 0, -1, .5, .5, .5]).view(2, 3) @ torch.tensor([1., 2, 3]) "
        "+ torch.tensor([10., 20])",
    ),
    "gpt2_forward.values-of-head-3": Question(
        ask="One sequence with `C = 8` and `NH = 4` has `T = 3` positions, so its packed array has the shape "
        "`(1, 3, 24)`. At which two indices in memory is the *value* of head 3 at position 2?",
        answer="70, 71",
        hint="Skip two whole positions, then queries and keys, then three heads. How wide is a head?",
        because="Two positions take 48 numbers, queries and keys 16, and three heads of width 2 take 6: the value "
        "begins at 48 + 16 + 6 = 70.",
        computed="torch.arange(3 * 24).view(3, 3, 4, 2)[2, 2, 3]",
    ),
    "gpt2_forward.weights-of-the-past": Question(
        ask="A head has the scaled scores $0$, $\\ln 3$ and $\\ln 5$ in the row of query 1, for the keys 0, 1 and 2. "
        "What does that row of `att` hold?",
        answer="1/4, 3/4, 0",
        hint="Query 1 may attend to keys 0 and 1. What does the sum of exponentials run over?",
        because="The exponentials of the past are 1 and 3, which sum to 4. Key 2 is the future: its weight is exactly "
        "0, and it has no part in the sum.",
        computed="torch.tensor([0, math.log(3), -math.inf]).softmax(0)",
    ),
    "gpt2_forward.gelu-far-away": Question(
        ask="What does GELU return for $0$, for $100$ and for $-100$?",
        answer="0, 100, 0",
        hint="Far from 0 the hyperbolic tangent is 1 or -1.",
        because="At 0 the factor x is 0. At 100 the bracket is 1 + 1 = 2, and half of 100 times 2 is 100. At -100 "
        "the bracket is 1 - 1 = 0.",
        computed="torch.nn.functional.gelu(torch.tensor([0., 100, -100]), approximate='tanh')",
    ),
    "gpt2_forward.entries-of-a-sum": Question(
        ask="The residual stream has the shape `(2, 3, 4)`. Which $N$ does `residual_forward` get, and what is the "
        "last index that it writes?",
        answer="24, 23",
        hint="Count all entries. An index starts at 0.",
        because="There are 2 times 3 times 4 entries, and the indices run from 0 to one less than their number.",
        computed="[torch.zeros(2, 3, 4).numel(), torch.zeros(2, 3, 4).numel() - 1]",
    ),
    "gpt2_forward.padding-takes-part": Question(
        ask="A row of logits has three tokens and one column of padding: `V = 3` and `Vp = 4`. All logits are 0. What "
        "is the probability of a token if the padding takes part by mistake, and what is it if the padding is kept "
        "out?",
        answer="1/4, 1/3",
        hint="The exponential of 0 is 1. How many such terms does the sum have?",
        because="With the padding, the sum has four terms of 1; without it, three.",
        computed="[torch.zeros(4).softmax(0)[0], torch.zeros(3).softmax(0)[0]]",
    ),
    "gpt2_forward.price-of-a-half": Question(
        ask="What does a position cost, in nats with two decimals, if the right token had the probability $1$, "
        "$\\tfrac12$ or $\\tfrac18$?",
        answer="0, 0.69, 2.08",
        hint="Minus the natural logarithm of a half is 0.693. An eighth is a half of a half of a half.",
        because="Minus ln 1 is 0, minus ln of a half is 0.693, and an eighth costs three times as much.",
        computed="[-math.log(p) for p in (1, 1 / 2, 1 / 8)]",
    ),
}
