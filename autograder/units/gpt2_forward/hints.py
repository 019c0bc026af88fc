"""Hints of unit `gpt2_forward`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "gpt2_forward.encoder_forward": (
        "Two tables, one vector from each: which number picks the row of `wte`, and which one the row of `wpe`? Does "
        "the second sequence of a batch begin at position 0 again, or where the first one ended? "
        "({Section}`gpt2_forward#tokens-and-places`.)",
        "In C an array has no rows, only a beginning. Entry (b, t, c) of an array (B, T, C) comes after b * T + t "
        "whole rows of C entries, and after c more entries. At which index is the id of (b, t)? How many entries of "
        "wte come before the row of this id, and how many of wpe before row t?",
        "for each b, each t:\n"
        "    id = entry (b, t) of inp\n"
        "    for each c:\n"
        "        out[row (b, t), c] = wte[row id, c] + wpe[row t, c]",
    ),
    "gpt2_forward.layernorm_forward": (
        "Each position's vector is normalised separately, over its own C channels. How many means are there? And why "
        "is the variance of a row near 4096 lost when you subtract the squared mean from the mean of the squares? "
        "({Section}`gpt2_forward#rows-far-from-zero`.)",
        "Row (b, t) comes after b * T + t rows of C entries, and its mean and rstd after as many entries. You need "
        "three loops over c: one for the mean, one for the mean of (x - mean)^2, with divisor C, and one for the "
        "output. The epsilon is 1e-5f, inside sqrtf, and rstd is 1 over that root.",
        "for each row:\n"
        "    m = the sum of x[c], divided by C\n"
        "    v = the sum of (x[c] - m)^2, divided by C\n"
        "    s = 1 / root of (v + 1e-5)\n"
        "    for each c: y[c] = x[c] less m, times s, times the weight of c, plus the bias of c\n"
        "    keep m in mean and s in rstd",
    ),
    "gpt2_forward.matmul_forward": (
        "One output channel is one dot product: a row of the input with a row of the weight. How many dot products "
        "are there for one position, and how many in all? What is the bias when the pointer is NULL? "
        "({Section}`gpt2_forward#linear-kernel`.)",
        "Three row lengths meet here: rows of `inp` have C entries, rows of `weight` have C entries (there are OC of "
        "them), rows of `out` have OC entries. Start each sum at the bias of its channel, or at 0 "
        "if the pointer is NULL. Reading through NULL ends the program.",
        "for each row of inp, each o < OC:\n"
        "    sum = bias[o] if there is a bias, else 0\n"
        "    for each c: add x[c] times entry (o, c) of weight to sum\n"
        "    out[that row, o] = sum",
    ),
    "gpt2_forward.attention_forward": (
        "For one sequence, one head and one query you compute scores, weights and a weighted sum. Over which "
        "positions does each of the three loops run, if position t may not look ahead? From which number do you start "
        "the search for the largest score, if all scores may be far below 0? "
        "({Section}`gpt2_forward#attention-kernel`.)",
        "A position of `inp` has three blocks of C entries: q, k and v. In each block, head h begins after h heads of "
        "hs = C / NH channels. How far from the beginning of `inp` is head h of the key of position u? In preatt and "
        "att, (B, NH, T, T), a step of t skips T entries, a step of h skips T rows, and a step of b skips NH heads. "
        "Write 0 to att where u > t, and set out to 0 before you add to it.",
        "for each b, h, t:\n"
        "    for u <= t: preatt[u] = (q . k of u) / root of hs, and keep the largest\n"
        "    for u <= t: att[u] = exp(preatt[u] - largest), and keep their sum\n"
        "    for all u: att[u] = att[u] / sum if u <= t, else 0\n"
        "    the head's part of out = 0; for u <= t: add att[u] * (v of u) to it",
    ),
    "gpt2_forward.gelu_forward": (
        "GELU multiplies each number by a curve that runs from 0 to 1. Large numbers pass, and very negative ones "
        "vanish. Which of the two published forms does GPT-2 use? ({Section}`gpt2_forward#gelu-kernel`.)",
        "Apply the formula above the function to each of the N entries; sqrt(2 / pi) is about 0.79788456. Use tanhf: "
        "exponentials of your own overflow for large x. In C, 1 / 2 is 0, so write fractions as floats.",
        "for each n:\n"
        "    x = inp[n]\n"
        "    cube = x to the third power, times 0.044715\n"
        "    out[n] = half of x, times (1 + tanh of s * (x + cube)), where s is the root of 2 / pi",
    ),
    "gpt2_forward.residual_forward": (
        "The stream around the layer does not change, and the output of the layer joins it. Which single operation "
        "does that? ({Section}`gpt2_forward#residual-kernel`.)",
        "Each array is N numbers in a row, so one loop is enough. `out` holds no meaningful value before the call: "
        "assign to it, and do not add. The last entry is N - 1.",
        "for each n < N:\n    out[n] = the sum of both inputs at n",
    ),
    "gpt2_forward.softmax_forward": (
        "The vocabulary has V tokens, but a row has Vp columns: the rest is padding. Which columns may take part in "
        "the maximum and in the sum? What is written to the others? ({Section}`gpt2_forward#padded-vocabulary`.)",
        "Rows are Vp long, padding included, and b * T + t of them come before row (b, t). All loops over logits run "
        "to V only; then columns V to Vp - 1 of `probs` become 0. The search for the largest logit starts at the first "
        "one, or at -INFINITY: all of them may be below -10000.",
        "for each row:\n"
        "    largest = the largest of the V logits\n"
        "    for v < V: p[v] = exp(z[v] - largest), and keep their sum\n"
        "    for v < V: p[v] = p[v] / sum\n"
        "    for V <= v < Vp: p[v] = 0",
    ),
    "gpt2_forward.crossentropy_forward": (
        "If the model gives the right token the probability 1, how large should the loss be? And if the probability "
        "is 0? Which function has these values? ({Section}`gpt2_forward#crossentropy-kernel`.)",
        "Every position has a row of Vp probabilities, of which you need one: the column of its target. How many rows "
        "come before that of position (b, t)? The logarithm is the natural one, logf.",
        "for each b, t:\n"
        "    p = probs[row (b, t), column of its target]\n"
        "    losses[(b, t)] = minus the logarithm of p",
    ),
}
