"""Questions by hand of unit `multihead`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "multihead.which-numbers": Question(
        ask="Two positions of width 4 hold the numbers $(0, 1, 2, 3)$ and $(4, 5, 6, 7)$. They are split into two heads. "
        "What does head 0 hold, and then head 1? Type eight numbers; within a head, position 0 comes first.",
        answer="0, 1, 4, 5, 2, 3, 6, 7",
        hint="Every head has both positions. The first half of each vector belongs to head 0.",
        because="Head 0 has the entries 0 and 1 of both positions, which are 0, 1 and 4, 5. Head 1 has the entries 2 "
        "and 3 of both. If the numbers were cut in the order of memory, head 0 would get all four "
        "numbers of position 0.",
        computed="split_heads(torch.arange(8).view(1, 2, 4), 2)",
    ),
    "multihead.steps-in-memory": Question(
        ask="Attention returns a new tensor of shape `(2, 3, 5, 4)`: batch, heads, positions, width of a head. Look "
        "at one position. How many steps in memory is it from one entry of head 0 to the next? And how many from the "
        "last entry of head 0 to the first entry of head 1?",
        answer="1, 17",
        hint="One head takes 5 times 4 numbers. At one position, entry 0 of head 1 lies a whole head after entry 0 of "
        "head 0. You start at entry 3.",
        because="Neighbouring entries are 1 step apart. Head 1 begins 20 numbers after head 0, and the last entry of head 0 "
        "is 3 numbers after its first: 20 - 3 = 17. No single stride describes the joined axis.",
        computed="(lambda x: [x.stride(3), x.stride(1) - 3 * x.stride(3)])(torch.zeros(2, 3, 5, 4))",
    ),
    "multihead.side-by-side": Question(
        ask="One query attends to two keys in two heads of width 2. Head 0 has the scores $(\\ln 3, 0)$, head 1 has "
        "$(0, \\ln 3)$. The values are $(4, 0 \\mid 0, 8)$ and $(0, 4 \\mid 4, 0)$, where the bar marks the cut. What "
        "do the two heads return, side by side? Type four numbers.",
        answer="3, 1, 3, 2",
        hint="The weights are quarters. Head 0 averages the left halves of the values, head 1 the right halves.",
        because="Head 0 has the weights 3/4 and 1/4: three quarters of (4, 0) and one quarter of (0, 4) are (3, 1). Head 1 "
        "has 1/4 and 3/4: one quarter of (0, 8) and three quarters of (4, 0) are (3, 2).",
        computed="torch.einsum('hk,khc->hc', torch.tensor([[3.0, 1.0], [1.0, 3.0]]) / 4, "
        "torch.tensor([[[4.0, 0], [0, 8]], [[0, 4], [4, 0]]]))",
    ),
    "multihead.one-wide-head": Question(
        ask="The query, the keys and the values are the same as before, but there is one head of width 4. What are "
        "its two weights and the four entries of its output?",
        answer="1/2, 1/2, 2, 2, 2, 4",
        hint="Before the division both dot products are the same number. What is the softmax of two equal scores?",
        because="Each key agrees with the query in one half, so both scores are equal and each weight is 1/2. The output "
        "is the plain mean of both values.",
        computed="(lambda c: [part for tensor in reversed(scaled_dot_product_attention(torch.tensor([[c, 0, 0, c]]), "
        "torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1]]), torch.tensor([[4.0, 0, 0, 8], [0, 4, 4, 0]]))) "
        "for part in tensor[0].tolist()])(math.sqrt(2) * math.log(3))",
    ),
    "multihead.numbers-learned": Question(
        ask="Let $d = 6$, with biases. How many numbers does one linear layer from 6 to 6 have? How many do the three "
        "projections of *one* head of width 3 have? And how many does the whole module with two heads have? Type "
        "three numbers.",
        answer="42, 63, 168",
        hint="A layer from 6 to 3 has 6 times 3 weights and 3 biases. The module has two heads and one output layer.",
        because="6 times 6 weights and 6 biases are 42. One projection of a head has 18 + 3 = 21 numbers, and three "
        "projections have 63. Two heads have 126, and the output layer adds 42.",
        computed="[sum(part.numel() for part in nn.Linear(6, 6).parameters()), "
        "3 * sum(part.numel() for part in nn.Linear(6, 3).parameters()), attention_parameters(6, 2)]",
    ),
    "multihead.columns-of-a-head": Question(
        ask="A module has $d = 12$ and 3 heads. `w_o.weight` is stored as `(out, in)`. Counted from 0, which of its "
        "columns is the first that reads head 1, and which is the last?",
        answer="4, 7",
        hint="The columns are the inputs of the layer: the merged heads, side by side.",
        because="Each head is 4 wide. Head 0 arrives in the columns 0 to 3, head 1 in the columns 4 to 7.",
        computed="(ablate_head(MultiHeadAttention(12, 3), 1).w_o.weight == 0).all(0).nonzero().flatten()[[0, -1]]",
    ),
    "multihead.entries-of-a-head": Question(
        ask="A vector of width 6 is cut into 3 heads. Which two of its entries, counted from 0, belong to head 1?",
        answer="2, 3",
        hint="Neighbouring entries belong together, and head 0 has the first two.",
        because="Each head has two neighbouring entries: 0 and 1, then 2 and 3, then 4 and 5.",
        computed="split_heads(torch.arange(6).view(1, 1, 6), 3)[0, 1, 0]",
    ),
}
