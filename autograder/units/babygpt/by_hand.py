"""Questions by hand of unit `babygpt`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "babygpt.possible-starts": Question(
        ask="A text has the ten tokens $0, 1, \\dots, 9$, and pieces have four tokens. How many starts are possible, "
        "and which are the first and the last of them?",
        answer="6, 0, 5",
        hint="A piece and its answers together take five tokens. Where must they start to end at token 9?",
        because="The last possible piece is 5, 6, 7, 8, with the answers 6, 7, 8, 9. A start at 6 would leave the "
        "last position without an answer. In N tokens there are N - T starts, 0 to N - T - 1.",
        computed="[len((x := get_batch(torch.arange(10), 4, 5000)[0][:, 0]).unique()), x.min(), x.max()]",
    ),
    "babygpt.cost-of-guessing": Question(
        ask="A vocabulary has 64 tokens, and a model finds all of them equally likely. What does a token cost: in "
        "bits, and in nats (with two decimals)?",
        answer="6, 4.16",
        hint="The cost is the logarithm of 64: base 2 for bits, natural for nats.",
        because="64 is 2 to the power of 6, so 6 bits. One bit is 0.693 nats, and 6 times that is 4.16.",
        computed="[math.log2(64), math.log(64)]",
    ),
    "babygpt.running-average": Question(
        ask="All scores of a causal head are 0, and the values at three positions are $1$, $3$ and $8$. What does the "
        "head return at each of the three positions?",
        answer="1, 2, 4",
        hint="Position 1 may attend to positions 0 and 1, and gives them equal weights.",
        because="Equal scores give equal weights over the past: 1, then (1 + 3) / 2, then (1 + 3 + 8) / 3.",
        computed="torch.ones(3, 3).tril().div(torch.arange(1., 4)[:, None]) @ torch.tensor([1., 3, 8])",
    ),
    "babygpt.side-by-side": Question(
        ask="For one position, head 0 returns $(5, 6)$ and head 1 returns $(7, 8)$. Which row of four numbers goes "
        "into `proj`?",
        answer="5, 6, 7, 8",
        hint="The features of a head stay together, and the heads come in the order of the list.",
        because="Heads are put side by side along the last axis. 5, 7, 6, 8 would interleave their features.",
        computed="torch.cat([torch.tensor([[5, 6]]), torch.tensor([[7, 8]])], dim=-1)",
    ),
    "babygpt.constant-added": Question(
        ask="The same constant $c$ is added to every feature of $x$. The result of a layer normalisation $N$ does not "
        "change. By which multiple of $c$ does each feature of the output grow: for $x + A(N(x))$, and for $N(x) + "
        "A(N(x))$, where $A$ is any sublayer?",
        answer="1, 0",
        hint="Replace x by x + c in each formula, and use that N(x + c) = N(x).",
        because="In pre-norm the branch stays the same, and the shortcut carries c. In the other form x enters only "
        "through the norm, so c is lost on the way.",
        computed="[round((BLOCK(X + 2) - BLOCK(X)).mean().item() / 2, 3) for BLOCK in [Block(8, 2, 4).eval()] for X "
        "in [torch.randn(1, 4, 8)]] + [0]",
    ),
    "babygpt.fake-transpose": Question(
        ask="Logits of shape $(B, T, V) = (1, 2, 3)$ hold the rows $(1, 2, 3)$ and $(4, 5, 6)$. After `view(1, 3, "
        "2)`, which three numbers are taken for the logits of position 0?",
        answer="1, 3, 5",
        hint="A view keeps the order 1, 2, 3, 4, 5, 6 and cuts it into rows of two. Position 0 is the first column.",
        because="The rows of the view are (1, 2), (3, 4) and (5, 6), so the column of position 0 mixes both "
        "positions. transpose(1, 2) would give 1, 2, 3.",
        computed="torch.arange(1, 7).view(1, 2, 3).view(1, 3, 2)[0, :, 0]",
    ),
    "babygpt.temperature": Question(
        ask="Two tokens have the logits $0$ and $\\ln 3$. What is the probability of the second one at the "
        "temperature $\\tau = 1$, and what is it at $\\tau = \\tfrac12$? Type two fractions.",
        answer="3/4, 9/10",
        hint="At half the temperature the difference of the logits doubles, and twice ln 3 is ln 9.",
        because="The exponentials are 1 and 3 at temperature 1, and 1 and 9 at one half. The second token gets 3 of "
        "4, then 9 of 10.",
        computed="[torch.tensor([0, math.log(3)]).div(t).softmax(-1)[1] for t in (1, 0.5)]",
    ),
    "babygpt.running-means": Question(
        ask="In the running means of a sequence, entry $t$ is the mean of all entries up to $t$. What are the three "
        "running means of $(1, 3, 8)$? And what are they after the last entry has been changed to $2$? Type six "
        "numbers.",
        answer="1, 2, 4, 1, 2, 2",
        hint="The second mean is that of 1 and 3, in both cases.",
        because="The means are 1, (1 + 3) / 2 and (1 + 3 + 8) / 3; then 1, 2 and (1 + 3 + 2) / 3. Only the last one "
        "has changed: the others see nothing of the last entry.",
        computed="torch.tensor([[1., 3, 8], [1, 3, 2]]).cumsum(-1) / torch.arange(1, 4)",
    ),
}
