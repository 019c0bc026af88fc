"""Questions by hand of unit `blocks`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "blocks.hidden-unit": Question(
        ask="A hidden unit has the weights $(0.5, 0.2, 0.1)$ and the bias $0.01$. What is its value for $x = (0.1, "
        "0.2, 0.3)$, before the activation?",
        answer="0.13",
        hint="Multiply entry by entry, add the three products, and then add the bias.",
        because="The products are 0.05, 0.04 and 0.03. They sum to 0.12, and the bias adds 0.01.",
        computed="torch.tensor([0.1, 0.2, 0.3]) @ torch.tensor([0.5, 0.2, 0.1]) + 0.01",
        tolerance=0.0011,
    ),
    "blocks.feed-forward": Question(
        ask="One position is $x = (-4, 1)$. The weights are $W_1 = \\begin{pmatrix} 1 & -2 \\\\ 3 & 1 \\end{pmatrix}$ "
        "and $W_2 = \\begin{pmatrix} 1 & 0 \\\\ -1 & 1 \\end{pmatrix}$; there are no biases, and the activation is "
        "ReLU. What are the two entries of the result?",
        answer="-9, 9",
        hint="x is a row, so the first entry of x W1 uses the first column of W1: (-4) times 1 plus 1 times 3.",
        because="x W1 is (-1, 9), and ReLU turns it into (0, 9). The product with W2 is (-9, 9). Without ReLU the "
        "result would be (-10, 9); with another ReLU at the end it would be (0, 9).",
        computed="(torch.tensor([-4., 1]) @ torch.tensor([[1., -2], [3, 1]])).relu() @ torch.tensor([[1., 0], [-1, "
        "1]])",
    ),
    "blocks.gelu-far-out": Question(
        ask="What does `gelu` return for $10$, $0$ and $-10$, to two decimals? Look at the bracket $1 + "
        "\\tanh[\\dots]$ first.",
        answer="10, 0, 0",
        hint="The tanh of a large number is 1, and that of a very negative number is -1. What is the bracket then?",
        because="For x = 10 the bracket is 2, and half of 10 times 2 is 10. For x = -10 the bracket is 0. At 0 the "
        "factor x is 0. Far from 0, GELU is therefore ReLU.",
        computed="gelu(torch.tensor([10., 0, -10]))",
    ),
    "blocks.layer-norm": Question(
        ask="What does a new `LayerNorm(4)`, with $\\gamma = 1$ and $\\beta = 0$, return for $(1, 2, 3, 4)$? Neglect "
        "$\\varepsilon$, and type four numbers with two decimals.",
        answer="-1.34, -0.45, 0.45, 1.34",
        hint="The mean is 2.5. Square the four deviations, and divide the sum of the squares by 4, not by 3.",
        because="The deviations are -1.5, -0.5, 0.5 and 1.5. Their squares sum to 5, so the variance is 1.25, and its "
        "root is 1.118. Dividing by 3 in place of 4, as std() does, would give 1.16 at the end.",
        computed="LayerNorm(4)(torch.tensor([1., 2, 3, 4])).detach()",
    ),
    "blocks.rms": Question(
        ask="What does `rms_norm` return for $(3, 4)$, with the weights $w = (1, 1)$? Type two numbers with two "
        "decimals.",
        answer="0.85, 1.13",
        hint="The mean of the squares 9 and 16 is 12.5. Divide by its root, about 3.536.",
        because="3 / 3.536 is 0.849, and 4 / 3.536 is 1.131. Dividing by the length 5 would give 0.6 and 0.8, which "
        "is the right result divided by the root of 2.",
        computed="rms_norm(torch.tensor([3., 4]), torch.ones(2))",
    ),
    "blocks.scaled-up": Question(
        ask="Ten entries are all 1, and dropout sets each of them to 0 with the probability $p = 0.2$. What is the "
        "sum of those that stay, on average, if nothing is scaled? And by which factor must they be multiplied so "
        "that the sum is 10 again?",
        answer="8, 5/4",
        hint="Two of the ten are lost on average.",
        because="Eight stay, so their sum is 8. The factor is 10 / 8, which is 1 / (1 - 0.2).",
        computed="[10 * (1 - 0.2), dropout(torch.ones(100), 0.2).max()]",
    ),
    "blocks.two-layers-deep": Question(
        ask="Two layers follow each other, and in each of them $\\partial F/\\partial x = 0.5$ (with $d = 1$). By "
        "which factor is the gradient multiplied on its way through both: without shortcuts, and with them?",
        answer="1/4, 9/4",
        hint="With a shortcut, one layer multiplies the gradient by 1 + 0.5.",
        because="Without shortcuts the factor is 0.5 times 0.5, with them 1.5 times 1.5. Neither is 1: the shortcut "
        "alone does not keep the size.",
        computed="[0.5**2, (1 + 0.5) ** 2]",
    ),
    "blocks.pre-and-post": Question(
        ask="Let $x = (1, 3)$, and let $F$ double its input. What is pre-norm's result, and what is post-norm's? A "
        "norm turns the smaller of two entries into $-1$ and the larger into $1$. Type four numbers.",
        answer="-1, 5, -1, 1",
        hint="In pre-norm F gets (-1, 1), and its result is added to (1, 3).",
        because="Pre-norm: (1, 3) plus twice (-1, 1) is (-1, 5). Post-norm: (1, 3) plus (2, 6) is (3, 9), and the "
        "norm turns it into (-1, 1).",
        computed="torch.cat([SublayerConnection(2, 0.0, norm)(torch.tensor([[[1., 3]]]), lambda x: 2 * x).flatten() "
        "for norm in ('pre', 'post')]).detach()",
    ),
    "blocks.tiny-variance": Question(
        ask="A vector has the entries $(0.002, 0, -0.002, 0)$, and $\\varepsilon = 10^{-5}$. By which factor is "
        "$\\varepsilon$ larger than the variance? Into which number does a new `LayerNorm(4)` turn the first entry, "
        "and which number would it be with $\\varepsilon = 0$? Type three numbers, the last two with two decimals.",
        answer="5, 0.58, 1.41",
        hint="The mean is 0, so the variance is the sum of the squares divided by 4: two millionths.",
        because="0.00001 / 0.000002 is 5. With epsilon the divisor is the root of 0.000012, about 0.00346; without it "
        "the root of 0.000002, about 0.00141.",
        computed="[1e-5 / 2e-6, *(LayerNorm(4, eps)(torch.tensor([0.002, 0, -0.002, 0]))[0].item() for eps in (1e-5, "
        "0.0))]",
    ),
}
