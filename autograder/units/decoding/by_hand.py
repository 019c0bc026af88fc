"""Questions by hand of unit `decoding`: what is asked, the answer, a hint, the way to it, and how to compute it."""

from autograder.course.by_hand import Question

BY_HAND = {
    "decoding.three-rows": Question(
        ask="A batch has two rows; the end symbol is 3 and padding is 0. In three steps the model wants to write 7 "
        "and 3, then 3 and 5, then 8 and 8 (first row, second row). Which three ids follow the start symbol in the "
        "first row, and which in the second? Type six numbers.",
        answer="7, 3, 0, 3, 0, 0",
        hint="A row's end symbol is written. What the model wants for that row afterwards is not.",
        because="The first row writes 7 and then its end symbol; the second ends at once. Whatever the model wants "
        "for them later, padding is written.",
        computed="[7, EOS, PAD, EOS, PAD, PAD]",
    ),
    "decoding.half-temperature": Question(
        ask="Three tokens have the probabilities $1/2$, $1/4$ and $1/4$. What are they at the temperature $1/2$? "
        "Fractions will do.",
        answer="2/3, 1/6, 1/6",
        hint="Dividing the logits by one half doubles them, so each probability is squared. What do the squares sum "
        "to?",
        because="The squares are 1/4, 1/16 and 1/16, which sum to 6/16. Divided by that they are 4/6, 1/6 and 1/6.",
        computed="(torch.tensor([0.5, 0.25, 0.25]).log() / 0.5).softmax(-1)",
    ),
    "decoding.two-nuclei": Question(
        ask="Four tokens have the probabilities 0.4, 0.3, 0.2 and 0.1. How many of them may be drawn with top-p "
        "0.75? And how many with top-k 3 and top-p 0.75, if the three that top-k leaves are renormalised first?",
        answer="3, 2",
        hint="Add up from the largest until you reach 0.75. For the second question divide by 0.9 before you add.",
        because="0.4 and 0.3 make 0.7, which is not enough, so three are needed. Renormalised, the first two make "
        "0.7 divided by 0.9, about 0.78, which is enough.",
        computed="[len(set(sample_next(torch.tensor([[0.4, 0.3, 0.2, 0.1]]).log().expand(2000, 4), top_k=k, "
        "top_p=0.75, generator=torch.Generator().manual_seed(0)).tolist())) for k in (None, 3)]",
    ),
    "decoding.nucleus-after-top-k": Question(
        ask="The five tokens of the picture have the probabilities 0.42, 0.27, 0.15, 0.11 and 0.05, and top-p is "
        "0.49. How many tokens may be drawn without top-k, and how many after top-k 3?",
        answer="2, 1",
        hint="After top-k 3 the largest probability is 0.42 divided by 0.84.",
        because="0.42 does not reach 0.49, so a second token is needed. After top-k the largest has 0.42 / 0.84, one "
        "half, which is enough.",
        computed="[len(set(sample_next(torch.tensor([[0.42, 0.27, 0.15, 0.11, 0.05]]).log().expand(2000, 5), "
        "top_k=k, top_p=0.49, generator=torch.Generator().manual_seed(0)).tolist())) for k in (None, 3)]",
    ),
    "decoding.two-survivors": Question(
        ask="For each of the two candidates that survive, the better one first: which prefix (0 or 1) does it "
        "continue, and with which token (0, 1 or 2)? Type four numbers.",
        answer="0, 2, 1, 0",
        hint="Add to each sum the three logarithms of its row. All six results compete with each other.",
        because="The six sums are -2.11, -2.80 and -0.86 for prefix 0, and -1.51, -2.20 and -3.30 for prefix "
        "1. The "
        "largest are -0.86 and -1.51.",
        computed="[part for place in (torch.tensor([[-0.5], [-1.0]]) + torch.tensor([[0.2, 0.1, 0.7], "
        "[0.6, 0.3, 0.1]]).log()).flatten().topk(2).indices.tolist() for part in divmod(place, 3)]",
    ),
    "decoding.short-or-long": Question(
        ask="Output A has a single id after the start symbol, the end symbol, with probability 0.5. Output B has "
        "four ids, with probability 0.8 each. What are the sums $s$ of A and of B, and what are their scores with "
        "$\\alpha = 1$? Type four numbers with two decimals.",
        answer="-0.69, -0.89, -0.69, -0.60",
        hint="The logarithm of 0.5 is about -0.693, that of 0.8 about -0.223. The length of B is 4, so its penalty "
        "is 9/6.",
        because="The sums are ln 0.5 and 4 ln 0.8. The penalty of A is 6/6. That of B is 9/6, and -0.893 divided by "
        "1.5 is -0.595. By the sums A wins; with the penalty B wins.",
        computed="[math.log(0.5), 4 * math.log(0.8), math.log(0.5) / (6 / 6), 4 * math.log(0.8) / (9 / 6)]",
        tolerance=0.011,
    ),
    "decoding.equal-exponent": Question(
        ask="One output is `EOS` alone, with probability 0.4. Another one has four ids, with the probabilities 0.6, "
        "0.8, "
        "0.8 and 0.8. For which exponent $\\alpha$ do both get the same score? Two decimals.",
        answer="0.62",
        hint="The sums are -0.916 and -1.180. Their ratio must be the penalty of the longer one, 1.5 to the power of "
        "the "
        "exponent; the penalty of the shorter one is 1.",
        because="The ratio of the sums is 1.288. Its logarithm divided by that of 1.5 is 0.6244. Below it the short "
        "output "
        "wins, above it the long one.",
        computed="math.log(math.log(0.6 * 0.8**3) / math.log(0.4)) / math.log(9 / 6)",
    ),
    "decoding.scores-with-a-cache": Question(
        ask="A prompt of 3 tokens is read in one call, then 2 more tokens, one in each call. Without a cache, "
        "each call reads all tokens so far. How many scores (entries of the attention weights) does one head of one "
        "layer compute in the three calls together, with a cache and without one?",
        answer="18, 50",
        hint="With a cache the weights have one row for each new position, and one column for each position so far.",
        because="With a cache: 3 times 3, then 1 times 4, then 1 times 5. Without: 9, 16 and 25.",
        computed="[sum(new * total for new, total in ((3, 3), (1, 4), (1, 5))), sum(total * total for total in (3, "
        "4, 5))]",
    ),
    "decoding.positions-processed": Question(
        ask="A batch of 3 rows gets 5 tokens after its start symbol, and no row ends earlier. How many positions does "
        "the decoder process in all 5 steps together, first in `greedy_decode`, then with a cache?",
        answer="45, 15",
        hint="Without a cache, step 1 processes one position of each row, step 2 processes two.",
        because="Without a cache: 3 times (1 + 2 + 3 + 4 + 5). With one, each of the 5 steps processes one position of "
        "each of the 3 rows.",
        computed="[3 * sum(range(1, 6)), 3 * 5]",
    ),
}
