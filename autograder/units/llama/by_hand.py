"""Questions by hand of unit `llama`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "llama.two-norms": Question(
        ask="Take the vector $(7, 1)$ with gains of 1, and ignore $\\epsilon$. What does LayerNorm return for it, and "
        "what does RMSNorm return? Type four numbers.",
        answer="1, -1, 7/5, 1/5",
        hint="The mean is 4 and the standard deviation 3. The mean square is (49 + 1) / 2 = 25.",
        because="LayerNorm subtracts 4, which leaves 3 and -3, and divides by 3. RMSNorm divides 7 and 1 by the "
        "root of 25.",
        computed="[*F.layer_norm(torch.tensor([7.0, 1.0]), (2,)).tolist(), "
        "*RMSNorm(2)(torch.tensor([7.0, 1.0])).tolist()]",
    ),
    "llama.turned-pair": Question(
        ask="A head is 4 wide, and $\\text{base} = 4/\\pi^2$, chosen so that the second pair turns by $\\pi/2$ for "
        "each "
        "position. Ignore the first pair: its entries are 0. Turn $(0, 3, 0, 1)$ at position 1. What is the result? "
        "Type four numbers.",
        answer="0, -1, 0, 3",
        hint="Entries 1 and 3 are the second pair: (a, b) = (3, 1). At a right angle the cosine is 0 and the sine 1.",
        because="(a cos - b sin, a sin + b cos) = (-1, 3) goes back to the entries 1 and 3.",
        computed="apply_rope(torch.tensor([[0.0, 3, 0, 1]]), torch.tensor([1]), 4 / math.pi**2)",
    ),
    "llama.angles": Question(
        ask="Let $d_{\\text{head}} = 4$ and $\\text{base} = 100$. By how many radians is each of the two pairs "
        "turned at "
        "position 5?",
        answer="5, 1/2",
        hint="The frequencies are 100 to the power of -2i/4, for i = 0 and 1.",
        because="100 to the power of 0 is 1, and to the power of -1/2 it is 1/10. Multiply both by 5.",
        computed="[5 * 100 ** (-2 * i / 4) for i in range(2)]",
    ),
    "llama.gate": Question(
        ask="Let $d = d_{\\text{ff}} = 1$ with all three weights equal to 1. What is the output for $x = 2$, and for "
        "$x = -2$? The sigmoid of 2 is 0.8808.",
        answer="3.523, 0.477",
        hint="Gate and up are both x. The sigmoid of -2 is 1 - 0.8808.",
        because="silu(2) times 2 is 2 times 0.8808 times 2. silu(-2) times -2 is 4 times 0.1192.",
        computed="[F.silu(torch.tensor(x)) * x for x in (2.0, -2.0)]",
    ),
    "llama.which-key-head": Question(
        ask="There are 6 query heads and 2 key heads. Which key heads do the query heads 0 to 5 use? Type six numbers.",
        answer="0, 0, 0, 1, 1, 1",
        hint="Neighbouring query heads share a key head. A group has 6 / 2 = 3 query heads.",
        because="Head h uses key head h // 3.",
        computed="torch.arange(2).repeat_interleave(3)",
    ),
    "llama.cache-bytes": Question(
        ask="A model has 32 layers, 32 query heads and 8 key heads of width 128. Keys and values are kept with 2 "
        "bytes a "
        "number. How many KiB (1,024 bytes) does its cache take for each position? And with 32 key heads?",
        answer="128, 512",
        hint="Keys and values are two numbers for each layer, key head and entry.",
        because="2 times 32 times 8 times 128 numbers are 65,536, or 128 KiB at 2 bytes. With 32 key heads it is "
        "four times "
        "as much.",
        computed="[2 * 32 * heads * 128 * 2 / 1024 for heads in (8, 32)]",
    ),
    "llama.parameters-of-a-block": Question(
        ask="A model has $d = 24$, 6 query heads, 2 key heads and $d_{\\text{ff}} = 10$. How many parameters does one "
        "block have?",
        answer="2304",
        hint="Queries and output are 24 by 24, keys and values 8 by 24, three matrices 10 by 24, and two gains of 24.",
        because="2 times 576 + 2 times 192 + 3 times 240 + 48 = 1,152 + 384 + 720 + 48.",
        computed="[sum(one.numel() for one in LlamaBlock(LlamaConfig(9, 24, 10, 6, 2, 1)).parameters())]",
    ),
    "llama.at-position-one": Question(
        ask="What is `apply_rope` of $(1, 0, 0, 0)$ at position 0, and at position 1, entry by entry? $\\cos 1 = "
        "0.540$ and "
        "$\\sin 1 = 0.841$. Type eight numbers.",
        answer="1, 0, 0, 0, 0.540, 0, 0.841, 0",
        hint="Entry 0 has its partner in the second half of the vector. The first pair has the frequency 1.",
        because="At position 0 nothing turns. At position 1 the pair of the entries 0 and 2 is turned by 1 radian.",
        computed="apply_rope(torch.eye(4)[[0, 0]], torch.arange(2))",
    ),
    "llama.own-head": Question(
        ask="A model has a vocabulary of 10 tokens and the width 4. How many more parameters does it have with an "
        "output head of its own than with a tied one?",
        answer="40",
        hint="A head maps 4 numbers to 10 logits, without a bias.",
        because="The table of tokens has 10 rows of 4 numbers, and a head of its own is as large.",
        computed="[sum(one.numel() for one in Llama(LlamaConfig(10, 4, 6, 2, 1, 1, tied=False)).parameters()) "
        "- sum(one.numel() for one in Llama(LlamaConfig(10, 4, 6, 2, 1, 1)).parameters())]",
    ),
    "llama.how-many-tensors": Question(
        ask="How many tensors does the checkpoint of a tied model with 30 layers have?",
        answer="272",
        hint="Count the weights of one layer: two norms, four projections of the attention, three of SwiGLU.",
        because="Nine in each of 30 layers are 270, and the table of tokens and the last norm are two more.",
        computed="[len(Llama(LlamaConfig(5, 4, 6, 2, 1, 30)).state_dict())]",
    ),
}
