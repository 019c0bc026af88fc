"""Questions by hand of unit `transformer`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "transformer.both-kinds": Question(
        ask="The vector is $(1, 3)$. The attention of a layer returns what it reads, and the network returns 0; there "
        "is no dropout. What does a pre-norm layer return for the vector, and what does a post-norm layer return? "
        "Type four numbers. (A norm with gain 1 and bias 0 turns any pair whose second number is larger into $(-1, "
        "1)$.)",
        answer="0, 4, -1, 1",
        hint="The pre-norm attention reads (-1, 1), and what it returns is added to the vector. The post-norm "
        "attention reads the vector itself, and the sum is normalised.",
        because="Pre-norm: (1, 3) plus (-1, 1) is (0, 4), and the network adds nothing. Post-norm: (1, 3) plus (1, 3) "
        "is (2, 6), which the norm turns into (-1, 1). The network adds nothing, and the second norm changes nothing.",
        computed="[number for kind in ('pre', 'post') for number in (lambda connection: "
        "connection(connection(torch.tensor([1., 3]), lambda y: y), lambda y: 0 * y))(SublayerConnection(2, 0.0, "
        "kind)).tolist()]",
    ),
    "transformer.silent-layer": Question(
        ask="Both sublayers of a layer return 0. What does a pre-norm layer return for the vector $(2, 8)$, and what "
        "does a post-norm layer return? Type four numbers.",
        answer="2, 8, -1, 1",
        hint="Is the norm applied to the input of the sublayer, or to the sum? The mean of the vector is 5, its "
        "deviation 3.",
        because="A pre-norm layer adds 0 to the vector and passes it on. A post-norm layer normalises the sum: (2 - "
        "5) / 3 and (8 - 5) / 3.",
        computed="[number for kind in ('pre', 'post') for number in SublayerConnection(2, 0.0, "
        "kind)(torch.tensor([2., 8]), lambda y: 0 * y).tolist()]",
    ),
    "transformer.cross-scores": Question(
        ask="A batch of 2 targets of 4 positions reads sources of 6 positions, with 8 heads. What is the shape of the "
        "scores in the self-attention of the decoder layer, and what is it in the cross-attention? Type eight numbers.",
        answer="2, 8, 4, 4, 2, 8, 4, 6",
        hint="Rows are queries, columns are keys. Where do the keys of the cross-attention come from?",
        because="The queries are the 4 target positions in both cases. The keys are the 4 target positions in the "
        "self-attention and the 6 source positions in the cross-attention, so only the source mask fits there.",
        computed="[size for keys in (4, 6) for size in (torch.zeros(2, 8, 4, 3) @ torch.zeros(2, 8, 3, keys)).shape]",
    ),
    "transformer.added-up": Question(
        ask="A pre-norm encoder of 3 layers reads the vector $(0, 0)$, and each of its sublayers returns $(-1, 1)$, "
        "whatever it reads. What leaves the third layer, and what leaves the stack? Type four numbers.",
        answer="-6, 6, -1, 1",
        hint="A layer has two sublayers, and each adds its result. The stack ends in a norm.",
        because="Six sublayers add (-1, 1) each, which makes (-6, 6). The last norm divides by the deviation, 6.",
        computed="[*(6 * torch.tensor([-1., 1])).tolist(), *LayerNorm(2)(6 * torch.tensor([-1., 1])).tolist()]",
    ),
    "transformer.weights-of-a-stack": Question(
        ask="A decoder has 3 layers with 2 heads. The target has 4 positions, the memory 6. How many attention "
        "weights are computed for one sentence in all cross-attentions together, and how many in all self-attentions?",
        answer="144, 96",
        hint="Every layer reads the same memory, with a weight for each head, query and key.",
        because="3 layers times 2 heads times 4 queries times 6 keys are 144; with 4 keys they are 96.",
        computed="[3 * 2 * (torch.ones(4, 5) @ torch.ones(5, keys)).numel() for keys in (6, 4)]",
    ),
    "transformer.log-quarters": Question(
        ask="Two words have the logits $0$ and $\\ln 3$. What does the generator return for them? Type two numbers "
        "with two decimals.",
        answer="-1.39, -0.29",
        hint="The probabilities are quarters. The generator returns their natural logarithms.",
        because="The exponentials are 1 and 3, so the probabilities are 1/4 and 3/4, with the logarithms -1.386 and "
        "-0.288.",
        computed="torch.tensor([0, 3.0]).clamp(min=1).log().log_softmax(-1)",
    ),
    "transformer.who-may-be-read": Question(
        ask="The source is `4 5 <pad>`, the target is `2 6 7`. How many entries of the source mask are true, and how "
        "many of the target mask?",
        answer="2, 6",
        hint="The source mask has an entry for each source position; the target mask has one for each pair of target "
        "positions.",
        because="Two source positions are real. The three target queries may read 1, 2 and 3 keys.",
        computed="[padding_mask(torch.tensor([[4, 5, 0]])).sum(), decoder_mask(torch.tensor([[2, 6, 7]])).sum()]",
    ),
    "transformer.xavier-bounds": Question(
        ask="How far from 0 does Xavier's uniform distribution reach for a matrix of 4 rows and 2 columns, and how "
        "far for a table of 10 tokens of width 14?",
        answer="1, 0.5",
        hint="Divide 6 by the sum of both lengths, then take the root.",
        because="The root of 6/6 is 1; the root of 6/24 is one half. A larger table starts with smaller numbers.",
        computed="[math.sqrt(6 / sum(shape)) for shape in ((4, 2), (10, 14))]",
    ),
    "transformer.read-so-far": Question(
        ask="The decoder is to write `4 5 3`, where 3 is the end symbol; the start symbol is 2. What does it read?",
        answer="2, 4, 5",
        hint="Before it writes its first word it has read only the start symbol. Before the second it has read the "
        "first.",
        because="The start comes first, and each word moves one position to the right. The end symbol is written and "
        "never read.",
        computed="shift_right(torch.tensor([4, 5, 3]))",
    ),
    "transformer.mean-of-real": Question(
        ask="A sentence has the vectors 2 and 4, of width 1, and two positions of padding follow, with the vector 0. "
        "What "
        "is the mean of its real vectors? And what is the mean over all four positions, which reads the padding?",
        answer="3, 1.5",
        hint="Divide by the number of positions that take part: first two, then four.",
        because="6 divided by 2 is 3, and 6 divided by 4 is 1.5. With more padding the second mean changes again.",
        computed="[torch.tensor([2., 4]).mean(), torch.tensor([2., 4, 0, 0]).mean()]",
    ),
    "transformer.tied-once": Question(
        ask="How many parameters does a linear layer from 3 to 5 have? A model has an embedding table of 10 tokens of "
        "width 4, and an output layer from 4 to 10 with bias, whose weight is that table. How many parameters does it "
        "have?",
        answer="20, 50",
        hint="The table is one parameter with two names. The bias of the output layer comes on top.",
        because="3 times 5 weights and 5 biases are 20. The table has 40 numbers, counted once, and the bias 10.",
        computed="[count_parameters(nn.Linear(3, 5))['total'], 10 * 4 + 10]",
    ),
}
