"""Questions by hand of unit `losses`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "losses.three-classes": Question(
        ask="Three classes have the logits $0$, $\\ln 2$ and $\\ln 5$. What is the loss, in nats, if the target is "
        "class 0, if it is class 1, and if it is class 2? Type three numbers with two decimals.",
        answer="2.08, 1.39, 0.47",
        hint="The exponentials of the logits are 1, 2 and 5. Which probabilities follow, and what is minus the "
        "natural logarithm of each?",
        because="The exponentials sum to 8, so the probabilities are 1/8, 1/4 and 5/8. The losses are ln 8, ln 4 and "
        "ln 1.6.",
        computed="[cross_entropy(torch.tensor([[0, math.log(2), math.log(5)]]), torch.tensor([y])) for y in (0, 1, 2)]",
        tolerance=0.011,
    ),
    "losses.three-pushes": Question(
        ask="Take the same three logits, $0$, $\\ln 2$ and $\\ln 5$. The target is class 2. What are the three "
        "entries of the gradient of the loss, as fractions?",
        answer="1/8, 1/4, -3/8",
        hint="Take the probabilities, which are eighths, and subtract 1 from one of the three.",
        because="The probabilities are 1/8, 2/8 and 5/8. Subtract 1 at the target. The entries sum to 0: what the "
        "target gains, the others lose.",
        computed="torch.autograd.functional.jacobian(lambda z: cross_entropy(z, torch.tensor([2])), "
        "torch.tensor([[0, math.log(2), math.log(5)]]))",
    ),
    "losses.only-words-count": Question(
        ask="A batch has 12 rows, 9 of which have the target `<pad>`. In every row the model gives 4 classes the same "
        "probability. What is the right loss? And what comes out if the losses of padding are set to 0 and the sum is "
        "divided by the number of all rows? Type two numbers with two decimals.",
        answer="1.39, 0.35",
        hint="Every row costs ln 4. How many rows are added up, and by how many is the sum divided in each case?",
        because="Three rows count, and each costs ln 4 = 1.386. Their mean is 1.386. Dividing the sum by 12 instead "
        "of 3 gives a quarter of that.",
        computed="[cross_entropy(torch.zeros(12, 4), torch.tensor([1] * 3 + [0] * 9), 0), 3 * math.log(4) / 12]",
        tolerance=0.011,
    ),
    "losses.four-tokens": Question(
        ask="A model gives the right tokens of a text the probabilities 1/2, 1/2, 1/8 and 1/8. What is its perplexity? "
        "And what is the perplexity of a model that guesses evenly among 7 tokens?",
        answer="4, 7",
        hint="Write each probability as a power of 1/2, and take the mean of the exponents.",
        because="The exponents are 1, 1, 3 and 3, with the mean 2, and 2 to the power of 2 is 4. Guessing evenly "
        "gives each of the 7 tokens the probability 1/7, so the perplexity is 7.",
        computed="[perplexity(8 * math.log(2), 4), perplexity(math.log(7), 1)]",
    ),
    "losses.share-of-four": Question(
        ask="There are 4 classes, and epsilon is 0.2. Smooth over *all* classes: what does the target get, and what "
        "does each of the others get?",
        answer="0.85, 0.05",
        hint="Each class gets a quarter of epsilon. The target gets that on top of what it keeps.",
        because="A quarter of 0.2 is 0.05. The target keeps 0.8 and gets 0.05 back. Together 0.85 + 3 times 0.05 = 1.",
        computed="smooth_labels(torch.tensor([1]), 4, 0.2)[0, [1, 0]]",
    ),
    "losses.row-of-five": Question(
        ask="There are 5 classes, class 0 is padding, and epsilon is 0.3. Smooth *without padding*: what are the five "
        "entries of the row whose target is class 2?",
        answer="0, 0.1, 0.7, 0.1, 0.1",
        hint="How many classes are neither the target nor padding? They share epsilon.",
        because="Padding gets nothing, the target keeps 1 - 0.3, and the three other classes share 0.3. If the target "
        "were padding, all five entries would be 0.",
        computed="(lambda loss: (loss(torch.zeros(1, 5), torch.tensor([2])), loss.true_dist)[1])"
        "(LabelSmoothing(5, 0, 0.3))",
    ),
    "losses.best-ratio": Question(
        ask="There are 6 classes, one of which is padding, and epsilon is 0.2. Smooth *without padding*. At the "
        "lowest point of the loss, by which factor is the target more probable than any other real class? What is the "
        "target's logit then, if the logits of the other real classes are 0? Type two numbers, the second with two "
        "decimals.",
        answer="16, 2.77",
        hint="At the lowest point the prediction equals the smoothed targets. What do the target and one other class "
        "get?",
        because="The target gets 0.8, and four others share 0.2: each of them gets 0.05. 0.8 / 0.05 = 16, and ln 16 = "
        "2.77.",
        computed="(lambda loss: (loss(torch.zeros(1, 6), torch.tensor([1])), [loss.true_dist[0, 1] / "
        "loss.true_dist[0, 2], (loss.true_dist[0, 1] / loss.true_dist[0, 2]).log()])[1])(LabelSmoothing(6, 0, 0.2))",
        tolerance=0.011,
    ),
}
