"""Questions by hand of unit `gpt2_backward`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "gpt2_backward.rows-of-a-table": Question(
        ask="One sequence has the tokens 1, 3, 1, and the gradients $(1, 2)$, $(3, 4)$, $(5, 6)$ arrive at its "
        "positions. `dwte` was cleared. What do its rows 1 and 3 hold afterwards? Type four numbers.",
        answer="6, 8, 3, 4",
        hint="Token 1 occurs at two positions.",
        because="Row 1 collects from positions 0 and 2: (1 + 5, 2 + 6). Row 3 gets what arrives at position 1.",
        computed="torch.zeros(4, 2).index_add(0, torch.tensor([1, 3, 1]), torch.tensor([[1., 2], [3, 4], [5, 6]]))"
        "[[1, 3]]",
    ),
    "gpt2_backward.norm-of-two-channels": Question(
        ask="A row has two channels, $(3, 5)$, the weights are $(1, 1)$, and the gradient $(1, 0)$ arrives. What are "
        "the two entries of `dinp`?",
        answer="0, 0",
        hint="What does a layer norm return for 3 and 5, and what does it return for 30 and 50?",
        because="A layer norm of two channels gives -1 and 1 for every row whose second number is larger. The output "
        "does not change when the input does, so dinp is 0.",
        computed="torch.autograd.functional.jacobian(lambda x: torch.nn.functional.layer_norm(x, (2,)), "
        "torch.tensor([3., 5]))[0]",
    ),
    "gpt2_backward.three-gradients": Question(
        ask="A linear layer sees one position, `inp` $(2, 3)$. The rows of `weight` are $(1, 10)$ and $(100, 1000)$, "
        "and the gradient $(1, -1)$ arrives. What are `dinp`, `dweight` and `dbias`? Type eight numbers, in this "
        "order.",
        answer="-99, -990, 2, 3, -2, -3, 1, -1",
        hint="An input is used by both outputs, each with its own weight. A weight is used with one input.",
        because="dinp is the first row of weight minus the second. dweight has the input times 1 in its first row and "
        "the input times -1 in its second. dbias is what arrives.",
        computed="torch.cat([torch.tensor([1., -1]) @ torch.tensor([[1., 10], [100, 1000]]), "
        "torch.outer(torch.tensor([1., -1]), torch.tensor([2., 3])).flatten(), torch.tensor([1., -1])])",
    ),
    "gpt2_backward.scores-of-a-row": Question(
        ask="A row of attention weights is $(\\tfrac14, \\tfrac34)$, and $\\texttt{d}a = (8, 4)$ arrives at it. What "
        "are the two entries of $\\texttt{d}s$?",
        answer="3/4, -3/4",
        hint="First average what arrives, with the weights of the row. The average is 5.",
        because="The average is 8/4 + 3 = 5. The entries are 1/4 times (8 - 5) and 3/4 times (4 - 5). They add up to "
        "0, since adding a constant to all scores changes nothing.",
        computed="torch.tensor([.25, .75]) * (torch.tensor([8., 4]) - 5)",
    ),
    "gpt2_backward.slopes-far-away": Question(
        ask="What is the slope of GELU at $0$, at $9$ and at $-9$?",
        answer="1/2, 1, 0",
        hint="Where the hyperbolic tangent is flat, the second term of the product rule is 0.",
        because="At 0 the first term is a half and the second has the factor x. Far to the right GELU is x itself, "
        "far to the left it is 0.",
        computed="torch.autograd.functional.jacobian(lambda x: torch.nn.functional.gelu(x, approximate='tanh').sum(), "
        "torch.tensor([0., 9, -9]))",
    ),
    "gpt2_backward.both-ways": Question(
        ask="A gradient of 6 arrives at a residual connection. `dinp1` holds 1 already, `dinp2` holds 0. What do the "
        "two hold afterwards?",
        answer="7, 6",
        hint="By how much does out grow when inp1 alone grows by 1?",
        because="Both derivatives are 1, so both get all of the 6, and what they held before stays in the sum.",
        computed="[1 + 6, 0 + 6]",
    ),
    "gpt2_backward.first-gradient": Question(
        ask="The probabilities are $(0.7, 0.2, 0.1)$, the target is token 1, and $0.5$ arrives in `dlosses`. What are "
        "the three entries of `dlogits`?",
        answer="0.35, -0.4, 0.05",
        hint="Subtract 1 at the target before you multiply.",
        because="The differences are 0.7, -0.8 and 0.1, and each is multiplied by 0.5. They add up to 0. Only the "
        "entry of the target is negative, so the logit of the target should grow.",
        computed="0.5 * (torch.tensor([.7, .2, .1]) - torch.tensor([0., 1, 0]))",
    ),
    "gpt2_backward.first-step": Question(
        ask="A parameter is $p = 4$, its gradient $g = -3$, and it is the first step: $\\eta = 0.1$, $\\lambda = 0.5$, "
        "$\\beta = (0.9, 0.999)$, $\\varepsilon$ negligible. What are $m$, $v$ and $p$ afterwards?",
        answer="-0.3, 0.009, 3.9",
        hint="The corrected m is the gradient, and the root of the corrected v is the size of the gradient. What is "
        "their quotient?",
        because="m is 0.1 times -3, v is 0.001 times 9. The corrected quotient is -1, the decay adds 0.5 times 4 = 2, "
        "so p moves by -0.1 times 1.",
        computed="[0.1 * -3, 0.001 * 9, 4 - 0.1 * (-1 + 0.5 * 4)]",
        tolerance=0.0006,
    ),
}
