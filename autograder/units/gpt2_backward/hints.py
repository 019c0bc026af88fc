"""Hints of unit `gpt2_backward`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "gpt2_backward.encoder_backward": (
        "In the forward pass a row of `wte` is read wherever its token stands, and a row of `wpe` once in every "
        "sequence. What is the gradient of something that is used several times? "
        "({Section}`gpt2_backward#table-gradients`.)",
        "Grow one number of `wte` by 0.1: which numbers of `out` grow, and by how much? Ask the same about `wpe`. The "
        "addresses are those of the forward pass: dout has a row for every position of every sequence, dwte one for "
        "every token, dwpe one for every position.",
        "dwte[i, c] gets the sum of dout[b, t, c] over all (b, t) with inp[b, t] = i; dwpe[t, c] gets the sum of "
        "dout[b, t, c] over all b.\n\n"
        "for each b, t, c:\n"
        "    d = dout[row (b, t), c]\n"
        "    add d to dwte[row of the token, c]\n"
        "    add d to dwpe[row t, c]",
    ),
    "gpt2_backward.layernorm_backward": (
        "An entry of the input moves its own output, and also the mean and the standard deviation of its row, which "
        "move all others. How many paths lead back to that entry? ({Section}`gpt2_backward#layernorm-gradients`.)",
        "Call the normalised input n = (inp - mean) * rstd. The gradient that arrives at n is g = dout * weight. "
        "Three paths lead from an entry of the row to the outputs: directly, through mean, through rstd. "
        "Differentiate each. The derivative of mean is 1 / C; in that of rstd the mean drops out, since deviations "
        "add up to 0. Then sum over all outputs of the row. Each sum over the row is one number that you need before "
        "you write to dinp.",
        "dinp[c] gets rstd * (g[c] - the mean of g - n[c] * the mean of g * n), both means over the row; dbias and "
        "dweight get the sums over all positions of dout and of dout * n.\n\n"
        "for each row:\n"
        "    mean_g = the mean of g, mean_gn = the mean of g * n\n"
        "    for each c:\n"
        "        add dout to dbias[c], dout * n to dweight[c]\n"
        "        add rstd * (g - mean_g - n * mean_gn) to dinp[c]",
    ),
    "gpt2_backward.matmul_backward": (
        "Each output is a sum of products, input times weight, and a bias. What is the derivative of a product with "
        "respect to one of its factors? Which outputs use each weight, and which use each input? "
        "({Section}`gpt2_backward#linear-gradients`.)",
        "In out[row, o] the factor of inp[row, c] is weight[o, c], and the factor of weight[o, c] is inp[row, c]. So "
        "list all outputs in which one input occurs: they differ in o alone. The outputs of one weight, or of one "
        "bias, differ in the row alone. Rows of dout have OC entries; rows of inp and of weight have C.",
        "dinp[row, c] gets the sum over o of dout[row, o] * weight[o, c]; dweight[o, c] the sum over all rows of "
        "dout[row, o] * inp[row, c]; dbias[o] the sum over all rows of dout[row, o].\n\n"
        "for each row, each o:\n"
        "    d = dout[row, o]\n"
        "    add d to dbias[o], if there is a bias\n"
        "    for each c: add d * weight[o, c] to dinp[row, c], and d * inp[row, c] to dweight[o, c]",
    ),
    "gpt2_backward.attention_backward": (
        "Go through the forward pass from its end: weighted sum, softmax, dot products. For which inputs does each of "
        "them have a gradient? Why does one score move all weights of its row? "
        "({Section}`gpt2_backward#attention-gradients`.)",
        "Take one head and one query t, and the positions u <= t. The first and the last step are products, like a "
        "linear layer: each factor gets the gradient that arrives, times the other factor. For the softmax, "
        "differentiate weight w with respect to score u, once for w = u and once for another w. Multiply that by the "
        "gradient that arrives at each weight, and sum over w. The addresses in dinp are those of q, k and v in inp.",
        "For u <= t: datt[u] gets dout . v[u], dv[u] gets att[u] * dout, dpreatt[u] gets att[u] * (datt[u] - the sum "
        "over w <= t of att[w] * datt[w]), dq gets dpreatt[u] * k[u] / sqrt(hs), dk[u] gets dpreatt[u] * q / sqrt(hs)."
        "\n\n"
        "for each b, h, t:\n"
        "    for u <= t: add dout . v of u to datt[u]; add att[u] * dout to dv of u\n"
        "    sum = the sum of att[u] * datt[u]\n"
        "    for u <= t: add att[u] * (datt[u] - sum) to dpreatt[u]\n"
        "    for u <= t: add scale * dpreatt[u] * (k of u) to dq; the same with q to dk of u",
    ),
    "gpt2_backward.gelu_backward": (
        "GELU is a product, 0.5 * x times (1 + tanh of something). What does the product rule give, and the chain "
        "rule for what stands inside the tanh? ({Section}`gpt2_backward#gelu-slope`.)",
        "Let u be the argument of the tanh. The product rule gives two terms: one in which x is differentiated, and "
        "one in which tanh(u) is. The derivative of tanh can be written with tanh itself. The order of the "
        "arguments is dinp, inp, dout, and the result is added.",
        "With u = s * (x + 0.044715 * x^3) and s = sqrt(2 / pi), the derivative of u is s * (1 + 3 * 0.044715 * x^2).\n"
        "\n"
        "for each n:\n"
        "    x = inp[n], th = tanh of u\n"
        "    slope = half of (1 + th), plus half of x * (1 - th * th) * (the derivative of u)\n"
        "    add dout[n] * slope to dinp[n]",
    ),
    "gpt2_backward.residual_backward": (
        "The output is a sum of two inputs. When one of them grows by a little, by how much does the output grow? "
        "({Section}`gpt2_backward#two-ways-one-gradient`.)",
        "If inp1 alone grows by 0.1, out grows by as much, whatever inp2 is. So is the gradient divided between the "
        "inputs? dinp1 and dinp2 already hold gradients, so add to them.",
        "Both inputs get the whole gradient.\n\n"
        "for each n < N:\n    add dout[n] to dinp1[n]\n    add dout[n] to dinp2[n]",
    ),
    "gpt2_backward.crossentropy_softmax_backward": (
        "Work out the derivative of -log(softmax(z)[y]) with respect to one z[v], once for v = y and once for another "
        "v. What remains of the exponentials? ({Section}`gpt2_backward#loss-gradient`.)",
        "The loss of a position is -z[y] + log(sum over w < V of exp(z[w])). Differentiate both terms: one of your "
        "arrays already holds the derivative of the second. Then multiply by dlosses of the position. Rows are Vp "
        "long, but only the first V columns get a gradient. Do not divide by B * T: the caller has put that into "
        "dlosses.",
        "The gradient of a logit is its probability, minus 1 at the target's column, times dlosses.\n\n"
        "for each b, t:\n"
        "    for each v < V:\n"
        "        one = 1 if v is the target, else 0\n"
        "        add (probs[row, v] - one) * dlosses[b, t] to dlogits[row, v]",
    ),
    "gpt2_backward.adamw_update": (
        "Every parameter has two running averages, one of its gradient and one of the gradient's square. Both start "
        "at 0: why are they too small at first, and by which factor? And what makes AdamW differ from Adam with a "
        "penalty in the loss? ({Section}`gpt2_backward#adamw-in-c`.)",
        "Update m and v in place and store them uncorrected. Corrected copies of both go into the step only. t is 1 "
        "at the first step. Add eps to the root. The decay is a share of the parameter as it was before the step, "
        "and never enters the gradient.",
        "for each i:\n"
        "    m = beta1 * m + (1 - beta1) * gradient\n"
        "    v = beta2 * v + (1 - beta2) * gradient squared\n"
        "    corrected m = m / (1 - beta1^t), corrected v = v / (1 - beta2^t)\n"
        "    step = corrected m / (root of corrected v, plus eps)\n"
        "    subtract lr times (step + weight_decay times the parameter) from the parameter",
    ),
    "gpt2_backward.test_gradients": (
        "A gradient says how a number changes when another one moves. So you need no formula: what can you do with the "
        "forward kernel alone, or with PyTorch's layer norm, to know `dinp`, `dweight` and `dbias`? "
        "({Section}`gpt2_backward#checking-gradients`.)",
        "Take B = 2, T = 3 and C = 5, and random numbers for everything, `weight` and `bias` too; make one row hardly "
        "vary. `F.layer_norm(x, (C,), w, b)` in float64 and `torch.autograd.grad(output, inputs, dout)` give the right "
        "output and the right gradients. Call the forward kernel on zeros and compare `out`. Then pass its `mean` and "
        "`rstd` to the backward kernel, with three gradients that begin with ones. At the end each must be 1 more than "
        "PyTorch's gradient. float32 arrays of NumPy share their memory with tensors: `tensor.numpy()`, "
        "`torch.from_numpy(array)`.",
        "B, T, C = 2, 3, 5; random inp, dout, weight, bias; one row of inp times 0.01\n"
        "expected, slopes = PyTorch's layer norm in float64, and its gradients for dout\n"
        "out, mean, rstd = zeros (np.float32); forward(out, mean, rstd, inp, weight, bias, B, T, C)\n"
        "assert that out is close to expected\n"
        "dinp, dweight, dbias = ones (np.float32)\n"
        "backward(dinp, dweight, dbias, dout, inp, weight, mean, rstd, B, T, C)\n"
        "assert that each of the three is close to its slope + 1",
    ),
}
