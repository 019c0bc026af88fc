"""Questions by hand of unit `optim`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "optim.three-steps": Question(
        ask="A parameter starts at $p = 1$, and its gradient is always 0.1. AdamW has $\\eta = 0.1$, $\\lambda = 0.1$, "
        "$\\beta = (0.9, 0.999)$, and an $\\varepsilon$ too small to matter. Where is $p$ after one, two and three "
        "steps? Type three numbers with three decimals.",
        answer="0.890, 0.781, 0.673",
        hint="The corrected means of a gradient that never changes are that gradient and its square. How long is the "
        "step then, and by what does the decay multiply p?",
        because="The quotient of the corrected means is 0.1 / 0.1 = 1. So each step multiplies p by 0.99 and "
        "subtracts 0.1: 0.99 - 0.1 = 0.89, then 0.8811 - 0.1 = 0.7811, then 0.7733 - 0.1 = 0.6733.",
        computed="(lambda p: [(setattr(p, 'grad', torch.tensor([0.1])), optimizer.step(), p.item())[2] "
        "for optimizer in [AdamW([p], lr=0.1, weight_decay=0.1)] for _ in range(3)])"
        "(torch.nn.Parameter(torch.ones(1)))",
        tolerance=0.0011,
    ),
    "optim.two-means": Question(
        ask="With $\\beta_1 = 1/2$ the first two gradients of a parameter are 8 and 4. What is $m$ after the first "
        "step, and what is $\\hat m$? And what are $m$ and $\\hat m$ after the second? Type four numbers.",
        answer="4, 8, 4, 16/3",
        hint="Half of the old mean is kept, half of the gradient comes in. The corrections divide by 1 - 1/2 and by "
        "1 - 1/4.",
        because="First m = 0 + 8/2 = 4, corrected 4 / (1/2) = 8. Then m = 4/2 + 4/2 = 4, corrected 4 / (3/4) = 16/3. "
        "The second corrected value is a mean of 8 and 4 in which the newer gradient counts twice.",
        computed="[0.5 * 8, 0.5 * 8 / (1 - 0.5), 0.25 * 8 + 0.5 * 4, (0.25 * 8 + 0.5 * 4) / (1 - 0.5**2)]",
    ),
    "optim.nothing-but-decay": Question(
        ask="The gradient of the loss is 0, and $p = 1$, $\\eta = 0.1$, $\\lambda = 0.5$. Where is $p$ after the first "
        "step of AdamW? And after the first step of Adam with L2, which adds $\\lambda p$ to the gradient? "
        "($\\varepsilon$ is too small to matter.)",
        answer="0.95, 0.9",
        hint="AdamW multiplies by 1 minus the product of rate and strength. With L2 the gradient is 0.5: how long is "
        "the first step of Adam, whatever the size of the gradient?",
        because="AdamW subtracts 0.1 times 0.5. With L2 the gradient is 0.5, and the first step of Adam is as long as "
        "the rate. That step would be as long for any other strength: the division cancels it.",
        computed="[(setattr(p, 'grad', torch.zeros(1)), optimizer([p], lr=0.1, weight_decay=0.5).step(), p.item())[2] "
        "for optimizer in (AdamW, torch.optim.Adam) for p in [torch.nn.Parameter(torch.ones(1))]]",
    ),
    "optim.five-rates": Question(
        ask="Take $d = 1$, a factor of 1 and $w = 4$, so that $w^{-3/2} = 1/8$. What are the rates of the steps 1, 2, "
        "4, 9 and 16, as fractions?",
        answer="1/8, 1/4, 1/2, 1/3, 1/4",
        hint="For step k, the two branches are one over the root of k, and k / 8. Take the smaller one.",
        because="Up to step 4 the rising branch is the smaller one: 1/8, 2/8, 4/8. From then on the smaller one is "
        "one over the root: 1/3 at step 9 and 1/4 at step 16.",
        computed="[noam_lr(k, 1, 4) for k in (1, 2, 4, 9, 16)]",
    ),
    "optim.what-is-n": Question(
        ask="You create `LambdaLR(optimizer, function)`, then call `optimizer.step()` and `scheduler.step()` twice "
        "each. In all, `function` is called three times. With which numbers?",
        answer="0, 1, 2",
        hint="The function is called once when the scheduler is created. How many steps are finished then?",
        because="Each number counts the finished steps: none when the scheduler is created, then one, then two.",
        computed="(lambda asked, optimizer: (lambda scheduler: (optimizer.step(), scheduler.step(), optimizer.step(), "
        "scheduler.step(), asked)[-1])(torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: asked.append(n) or 1.0)))"
        "([], torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0))",
    ),
    "optim.first-rates": Question(
        ask="Take $d = 1$ and $w = 4$ again. With `LambdaLR(optimizer, lambda n: noam_lr(n, 1, 4))`, at which rates do "
        "the first three steps run?",
        answer="1/8, 1/8, 1/4",
        hint="Before the three steps the function gets 0, 1 and 2, and 0 counts as 1.",
        because="The function gets the number of finished steps. Step 0 counts as 1, so the first rate is used twice, "
        "and each later step uses the rate that belongs to the step before it.",
        computed="[noam_lr(n, 1, 4) for n in (0, 1, 2)]",
    ),
    "optim.two-gradients": Question(
        ask="Two parameters have the gradients $(2, 0)$ and $(1, 2)$, and `max_norm` is 1. What is the norm of both "
        "together? And what are the four entries after clipping? Type five numbers.",
        answer="3, 2/3, 0, 1/3, 2/3",
        hint="The squares of all four entries sum to 9.",
        because="The norm is the root of 4 + 0 + 1 + 4. It is more than 1, so every entry is divided by 3.",
        computed="(lambda both: [clip_grad_norm(both, 1.0), *torch.cat([p.grad for p in both]).tolist()])"
        "([(setattr(p, 'grad', torch.tensor(g)), p)[1] for g in ([2.0, 0.0], [1.0, 2.0]) "
        "for p in [torch.nn.Parameter(torch.zeros(2))]])",
    ),
}
