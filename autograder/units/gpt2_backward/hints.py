"""Hints of unit `gpt2_backward`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "gpt2_backward.encoder_backward": (
        "In the forward pass a row of `wte` is read wherever its token stands, and a row of `wpe` once in every "
        "sequence. What is the gradient of something that is used several times? "
        "({Section}`gpt2_backward#table-gradients`.)",
        "The addresses are those of the forward pass: row (b, t) of dout begins at (b * T + t) * C, the token's row of "
        "dwte at inp[b * T + t] * C, the place's row of dwpe at t * C. Both rows get the whole gradient, with `+=`.",
        "for each b, t, c:\n"
        "    d = dout[row (b, t), c]\n"
        "    add d to dwte[row of the token, c]\n"
        "    add d to dwpe[row t, c]",
    ),
    "gpt2_backward.layernorm_backward": (
        "An entry of the input moves its own output, and also the mean and the standard deviation of its row, which "
        "move all others. How many paths lead back to it, then? ({Section}`gpt2_backward#layernorm-gradients`.)",
        "For each row keep n = (inp - mean) * rstd and g = dout * weight in mind. You need two means over the row "
        "before you can write anything to dinp: that of g, and that of g * n. dbias and dweight are sums over all "
        "positions, of dout and of dout * n.",
        "for each row:\n"
        "    mean_g = the mean of g, mean_gn = the mean of g * n\n"
        "    for each c:\n"
        "        add dout to dbias[c], dout * n to dweight[c]\n"
        "        add rstd * (g - mean_g - n * mean_gn) to dinp[c]",
    ),
    "gpt2_backward.matmul_backward": (
        "Each output is a sum of products, input times weight, and a bias. What is the derivative of a product with "
        "respect to one of its factors? Who uses each weight, and who each input? "
        "({Section}`gpt2_backward#linear-gradients`.)",
        "For one position and one output channel, with d = dout[row, o]: the row of dinp gets d times row o of the "
        "weight, row o of dweight gets d times the row of inp, dbias[o] gets d, if dbias is not NULL. All with `+=`. "
        "Rows of dout have OC entries, rows of inp and of weight C.",
        "for each row, each o:\n"
        "    d = dout[row, o]\n"
        "    add d to dbias[o], if there is a bias\n"
        "    for each c: add d * weight[o, c] to dinp[row, c], and d * inp[row, c] to dweight[o, c]",
    ),
    "gpt2_backward.attention_backward": (
        "Go through the forward pass from its end: weighted sum, softmax, dot products. Which two things does each of "
        "them have a gradient for? Why does one score move all weights of its row? "
        "({Section}`gpt2_backward#attention-gradients`.)",
        "For one head and one query t, over the places u <= t: datt[u] = dout . v[u] and dv[u] gets att[u] * dout. "
        "Then the sum of att * datt over the row, and dpreatt[u] = att[u] * (datt[u] - sum). At last dq gets "
        "dpreatt[u] * k[u] / sqrt(hs), and dk[u] gets dpreatt[u] * q / sqrt(hs). The addresses in dinp are those of "
        "q, k and v in inp.",
        "for each b, h, t:\n"
        "    for u <= t: add dout . v of u to datt[u]; add att[u] * dout to dv of u\n"
        "    sum = the sum of att[u] * datt[u]\n"
        "    for u <= t: add att[u] * (datt[u] - sum) to dpreatt[u]\n"
        "    for u <= t: add scale * dpreatt[u] * (k of u) to dq; the same with q to dk of u",
    ),
    "gpt2_backward.gelu_backward": (
        "GELU is a product, 0.5 * x times (1 + tanh of something). What does the product rule give, and the chain "
        "rule for what stands inside the tanh? ({Section}`gpt2_backward#gelu-slope`.)",
        "With u = s * (x + 0.044715 * x^3) and s = sqrt(2 / pi): the derivative of tanh u is 1 - tanh(u)^2, and that "
        "of u is s * (1 + 3 * 0.044715 * x^2). The order of the arguments is dinp, inp, dout, and the result is added.",
        "for each n:\n"
        "    x = inp[n], th = tanh of u\n"
        "    slope = half of (1 + th), plus half of x * (1 - th * th) * (the derivative of u)\n"
        "    add dout[n] * slope to dinp[n]",
    ),
    "gpt2_backward.residual_backward": (
        "The output is a sum of two inputs. When one of them grows by a little, by how much does the output grow? "
        "({Section}`gpt2_backward#two-ways-one-gradient`.)",
        "Both inputs get the whole of dout: a sum does not share a gradient out. Something stands in dinp1 and dinp2 "
        "already, so use `+=`.",
        "for each n < N:\n    add dout[n] to dinp1[n]\n    add dout[n] to dinp2[n]",
    ),
    "gpt2_backward.crossentropy_softmax_backward": (
        "Work out the derivative of -log(softmax(z)[y]) with respect to one z[v], once for v = y and once for another "
        "v. What is left of all the exponentials? ({Section}`gpt2_backward#loss-gradient`.)",
        "The gradient of a logit is its probability, minus 1 at the target's column, times dlosses of the position. "
        "Rows are Vp long, but only the first V columns get anything. No 1 / (B * T) here: the caller has put it into "
        "dlosses.",
        "for each b, t:\n"
        "    for each v < V:\n"
        "        one = 1 if v is the target, else 0\n"
        "        add (probs[row, v] - one) * dlosses[b, t] to dlogits[row, v]",
    ),
    "gpt2_backward.adamw_update": (
        "Two averages run along with every parameter, one of its gradient and one of the gradient's square. Both "
        "start at 0: why are they too small at first, and by which factor? And what makes AdamW differ from Adam with "
        "a penalty in the loss? ({Section}`gpt2_backward#adamw-in-c`.)",
        "m and v are updated in place and kept as they are; the corrected copies m / (1 - beta1^t) and "
        "v / (1 - beta2^t) go into the step only. t is 1 at the first step. eps is added to the root. The decay is "
        "lr * weight_decay * the parameter as it was, and never touches the gradient.",
        "for each i:\n"
        "    m[i] = beta1 * m[i] + (1 - beta1) * gradient\n"
        "    v[i] = beta2 * v[i] + (1 - beta2) * gradient squared\n"
        "    step = corrected m / (root of corrected v, plus eps)\n"
        "    params[i] -= lr * (step + weight_decay * params[i])",
    ),
}
