"""Questions by hand of unit `attention`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "attention.three-weights": Question(
        ask="Take the scores $0$, $\\ln 2$ and $\\ln 3$. What are the three weights, as fractions?",
        answer="1/6, 1/3, 1/2",
        hint="The exponentials of the scores are whole numbers. What do they sum to?",
        because="The exponentials are 1, 2 and 3. They sum to 6, and each is divided by 6.",
        computed="softmax(torch.tensor([0, math.log(2), math.log(3)]))",
    ),
    "attention.six-scores": Question(
        ask="The queries are $(1, 0, 0, 0)$ and $(1, 1, 0, 0)$. The keys are $(2, 0, 0, 0)$, $(0, 4, 0, 0)$ and "
        "$(1, 1, 1, 1)$. What are the six scores: first the three of query 0, then those of query 1?",
        answer="1, 0, 1/2, 1, 2, 1",
        hint="A score is a dot product divided by the root of the width. The width is 4.",
        because="The dot products are 2, 0 and 1 for query 0, and 2, 4 and 2 for query 1. Each is divided by 2, the "
        "root of the width 4. Query 0 prefers key 0; query 1 prefers key 1.",
        computed="attention_scores(torch.tensor([[1., 0, 0, 0], [1, 1, 0, 0]]), "
        "torch.tensor([[2., 0, 0, 0], [0, 4, 0, 0], [1, 1, 1, 1]]))",
    ),
    "attention.average-of-two": Question(
        ask="One query has the scores $0$ and $\\ln 3$ for two keys. Their values are $(0, 8)$ and $(4, 0)$. What are "
        "the two entries of the output?",
        answer="3, 2",
        hint="The exponentials are 1 and 3, so the weights are quarters.",
        because="The weights are 1/4 and 3/4. One quarter of (0, 8) is (0, 2); three quarters of (4, 0) are (3, 0).",
        computed="softmax(torch.tensor([0, math.log(3)])) @ torch.tensor([[0., 8], [4, 0]])",
    ),
    "attention.two-tokens": Question(
        ask="In the example above, which weights does query 0 give to key 0 and to key 1? And what is the output of "
        "query 0? Type four numbers with two decimals: two weights, then two entries of the output.",
        answer="0.33, 0.67, 2.34, 3.34",
        hint="The dot products of query 0 are 1 and 2. Divide both by 1.414 before you take exponentials: you get "
        "about 2.03 and 4.11.",
        because="The scores are 0.707 and 1.414, their exponentials 2.028 and 4.113, which sum to 6.141. The weights "
        "are 0.330 and 0.670. The output is 0.330 times (1, 2) plus 0.670 times (3, 4), closer to the second value.",
        computed="[part for tensor in reversed(scaled_dot_product_attention(torch.eye(2), "
        "torch.tensor([[1., 1], [2, 0]]), torch.tensor([[1., 2], [3, 4]]))) for part in tensor[0].tolist()]",
        tolerance=0.011,
    ),
    "attention.forbidden-key": Question(
        ask="A row has the scores $\\ln 3$, $0$ and $5$, and the third key is forbidden. What are the three weights?",
        answer="3/4, 1/4, 0",
        hint="The forbidden score becomes minus infinity before the softmax. What is the exponential of that?",
        because="The exponentials are 3, 1 and 0, which sum to 4. The forbidden key takes no share at all.",
        computed="softmax(torch.tensor([math.log(3), 0, -math.inf]))",
    ),
    "attention.rows-of-weights": Question(
        ask="`nn.Linear` computes $x W^\\top + b$, with $W$ of shape `(d_out, d_in)` and $b$ of shape `(d_out,)`. The "
        "rows of $W$ are $(1, 2)$ and $(3, 4)$, and $b = (10, 20)$. What does the layer return for $x = (1, 1)$?",
        answer="13, 27",
        hint="Each row of W makes one entry of the result: the dot product of that row with x, plus an entry of b.",
        because="The first row gives 1 + 2 = 3, the second 3 + 4 = 7; the biases add 10 and 20.",
        computed="torch.nn.functional.linear(torch.ones(2), torch.tensor([[1., 2], [3, 4]]), torch.tensor([10., 20]))",
    ),
    "attention.case-for-a-test": Question(
        ask="Two keys, $(1, 0)$ and $(0, 1)$, and the query $(\\sqrt 2 \\ln 3, 0)$ have $d_k = 2$. Which two "
        "weights does the query get?",
        answer="3/4, 1/4",
        hint="The root of 2 in the query cancels the root of the width, so the scores are ln 3 and 0.",
        because="The scores are ln 3 and 0, their exponentials 3 and 1, which sum to 4.",
        computed="softmax(attention_scores(torch.tensor([[math.sqrt(2) * math.log(3), 0.]]), torch.eye(2)))",
    ),
    "attention.shapes-across": Question(
        ask="A batch has 2 sentences, with 3 queries each, 5 tokens of memory each, and width 4. What is the shape of "
        "the weights, and then that of the output? Type six numbers.",
        answer="2, 3, 5, 2, 3, 4",
        hint="There is one weight for each query and each token of the memory. How many outputs does a query get?",
        because="The weights have one row for each query and one column for each token of the memory. The output has "
        "one row for each query, and the width of the values.",
        computed="[size for tensor in reversed(CrossAttention(4)(torch.zeros(2, 3, 4), torch.zeros(2, 5, 4))) "
        "for size in tensor.shape]",
    ),
}
