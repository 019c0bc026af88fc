"""Questions by hand of unit `warmup`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "warmup.three-distances": Question(
        ask="How far is the point $(1, 2)$ from $(4, 6)$, from $(1, 2)$ and from $(1, -1)$? Type three numbers.",
        answer="5, 0, 3",
        hint="Subtract the coordinates first. The differences of the first pair are 3 and 4.",
        because="The differences are (3, 4), (0, 0) and (0, -3). The root of 9 + 16 is 5, and the other distances are "
        "0 and 3.",
        computed="pairwise_distances(torch.tensor([[1., 2]]), torch.tensor([[4., 6], [1, 2], [1, -1]]))",
    ),
    "warmup.four-picked": Question(
        ask="A batch has two sequences of three vectors of width 1: first 10, 11, 12, then 20, 21, 22. Which four "
        "numbers "
        "does `ids = [[2, 0], [1, 1]]` pick, row by row?",
        answer="12, 10, 21, 21",
        hint="The first row of ids belongs to the first sequence, the second row to the second. Positions begin at 0.",
        because="Positions 2 and 0 of the first sequence are 12 and 10. Position 1 of the second is 21, and it is "
        "picked "
        "twice.",
        computed="pick_rows(torch.tensor([[[10], [11], [12]], [[20], [21], [22]]]), torch.tensor([[2, 0], [1, 1]]))",
    ),
    "warmup.calls-counted": Question(
        ask="A new `Scale(2)` is called twice in training mode, and then once in evaluation mode. It is called once "
        "more in training mode, under `torch.no_grad()`. No optimiser has run. What does its `state_dict` hold: the "
        "two numbers of `gain`, then `seen`?",
        answer="1, 1, 3",
        hint="Which calls are made in training mode? Whether gradients are recorded does not matter here.",
        because="Nothing has changed gain, which starts with ones. Three of the four calls were made in training mode.",
        computed="(lambda scale: [scale(torch.ones(2)), scale(torch.ones(2)), scale.eval()(torch.ones(2)), "
        "scale.train()(torch.ones(2))] and [*scale.gain.tolist(), scale.seen.item()])(Scale(2))",
    ),
    "warmup.backwards": Question(
        ask="Take $\\ell = (wx + b - y)^2$ with $w = 3$, $x = 2$, $b = 1$ and $y = 4$. What are the gradients of $w$ "
        "and of "
        "$b$?",
        answer="12, 6",
        hint="The prediction is 7. What is the error, and what is the derivative of its square?",
        because="The error is 3, so the square passes on 6. The sum passes 6 to b and to the product, which "
        "multiplies it by x = 2.",
        computed="vector_jacobian(lambda line: (line[0] * 2 + line[1] - 4) ** 2, torch.tensor([3., 1.]), "
        "torch.tensor(1.))",
    ),
    "warmup.one-step": Question(
        ask="The points are $(-1, 0)$ and $(1, 4)$. A line starts with slope 0 and intercept 0, and the loss is the "
        "mean "
        "of the squared errors. What are slope and intercept after one step with a learning rate of 0.1?",
        answer="0.4, 0.4",
        hint="Both derivatives are -4. For the slope: the mean of 2 times error times x, over both points.",
        because="The errors are 0 and -4. The derivative for the slope is the mean of 0 and 2 times -4 times 1, that "
        "is -4. For the intercept it is the mean of 0 and 2 times -4, also -4. Each number moves by 0.1 times 4.",
        computed="(fit_line(torch.tensor([-1., 1.]), torch.tensor([0., 4.]), steps=1, lr=0.1))",
    ),
    "warmup.two-products": Question(
        ask="For $f(x_1, x_2) = (x_1 x_2,\\; x_1 + x_2)$ at $(2, 3)$ and $v = (1, 10)$, what are the two numbers of "
        "$vJ$?",
        answer="13, 12",
        hint="The rows of the Jacobian are (3, 2) and (1, 1). The second row is multiplied by 10.",
        because="3 times 1 plus 1 times 10 is 13; 2 times 1 plus 1 times 10 is 12.",
        computed="vector_jacobian(lambda x: torch.stack([x.prod(), x.sum()]), torch.tensor([2., 3.]), "
        "torch.tensor([1., 10.]))",
    ),
}
