"""Questions by hand of unit `pretrained`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "pretrained.numbers-of-a-layer": Question(
        ask="How many numbers does one layer of the smallest GPT-2 hold, with width $d = 768$? Count all weights and "
        "biases of its two norms, its attention and its feed-forward layers.",
        answer="7087872",
        hint="The matrices hold 3, 1, 4 and 4 times d squared numbers. What do the biases and the norms hold, in units "
        "of d?",
        because="The matrices have 12 times d squared numbers. The biases have 3 + 1 + 4 + 1 times d, and the two "
        "norms 4 times d: 13 times d together. 12 times 589,824 plus 13 times 768 is 7,087,872.",
        computed="sum(one.numel() for one in GPT2(GPT2Config(1, 1, 768, 12, 1)).parameters()) - 4 * 768",
    ),
    "pretrained.row-of-the-mask": Question(
        ask="The cache holds 3 positions, and 2 new tokens are read at once. What is the shape of the mask, and how "
        "many of its entries are `True`, row by row? Type four numbers.",
        answer="2, 5, 4, 5",
        hint="The new tokens stand at positions 3 and 4. Each may attend to itself and all positions before it.",
        because="There is a row for each new token and a column for each of the 5 positions. Position 3 sees 4 positions, "
        "position 4 sees 5.",
        computed="[2, 5, *causal_mask(5)[3:].sum(1).tolist()]",
    ),
    "pretrained.column-of-c-attn": Question(
        ask="In the smallest GPT-2, $d = 768$ and a head has 64 channels. Which column of `c_attn.weight`, counted from "
        "0, gives the first channel of the keys of head 2, the third head?",
        answer="896",
        hint="The first d columns are queries. The keys of head 0 begin after them.",
        because="The keys begin at column 768, and head 2 begins 128 columns later: 896.",
        computed="torch.arange(3 * 768).chunk(3)[1].view(12, 64)[2, 0].item()",
    ),
    "pretrained.positions-read": Question(
        ask="A prompt has 7 tokens, and 5 new tokens are generated. How many positions does the model read in all "
        "with a cache, and how many without?",
        answer="11, 45",
        hint="The last new token is written but never read. Without a cache, each step reads the whole text so far.",
        because="With a cache, the model reads the 7 tokens of the prompt and 4 of the new ones. Without a cache, it "
        "reads 7 + 8 + 9 + 10 + 11.",
        computed="[7 + 4, sum(range(7, 12))]",
    ),
}
