"""Hints of unit `blocks`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "blocks.gelu": (
        "GELU multiplies x by a number between 0 and 1: near 1 for large x, near 0 for very negative x. Which "
        "function runs smoothly from -1 to 1, and how do you change it so that it runs from 0 to 1? "
        "({Section}`blocks#gelu-and-relu`.)",
        "Everything happens entry by entry, so the shape never changes and no loop is needed. Check three things: the "
        "root of 2/pi, the bracket that holds both x and its cube, and the constant 0.044715 (one zero after the "
        "point). `torch.tanh` works on tensors, `math.sqrt` on numbers.",
        "inside = root of (2 / pi), times (x + 0.044715 times x cubed)\nreturn half of x, times (1 + tanh of inside)",
    ),
    "blocks.LayerNorm": (
        "Take one vector, [1, 2, 3, 4]. What do you subtract so that its mean is 0, and by what do you divide the "
        "rest so that its variance is 1? Which entries of a (B, T, d) tensor belong to one vector? "
        "({Section}`blocks#layer-normalisation`.)",
        "Mean and variance of x with shape (..., d) have shape (..., 1): work along the last axis and keep it "
        "(`keepdim=True`), so that they broadcast against x. `var` and `std` divide by d - 1 unless told otherwise; "
        "the mean of the squared deviations divides by d. `gamma` and `beta` are `nn.Parameter`, shape (d_model,).",
        "in __init__:\n"
        "    keep eps; gamma = parameter of ones; beta = parameter of zeros\n"
        "in forward:\n"
        "    centred = x - mean of x along the last axis\n"
        "    variance = mean of the squares of centred along the last axis\n"
        "    return gamma * centred / root of (variance + eps) + beta",
    ),
    "blocks.rms_norm": (
        "RMSNorm divides by the root mean square. Read the last three words from right to left: that is the order of "
        "the operations. What does layer normalisation do that is missing here? ({Section}`blocks#rms-normalisation`.)",
        "For x of shape (..., d) the mean of the squares has shape (..., 1), so keep the axis. eps is added before "
        "the root is taken. `weight` has shape (d,) and broadcasts along the last axis.",
        "mean_square = mean of the squares of x along the last axis, axis kept\n"
        "return weight * x / root of (mean_square + eps)",
    ),
    "blocks.FeedForward": (
        "Two linear layers with nothing in between are one linear layer. What has to stand between them, and how wide "
        "is the tensor there? ({Section}`blocks#feed-forward-layer` and {heading}`blocks#why-non-linear`.)",
        "x is (B, T, d_model), after `w_1` it is (B, T, d_ff), after `w_2` (B, T, d_model) again. Dropout stands "
        "directly before `w_2`. `nn.Dropout` is a module, so it follows `train()` and `eval()` by itself. Check "
        "`activation` in `__init__`, and use your own function for GELU.",
        "in __init__:\n"
        "    if activation is neither of the two: raise ValueError with a sentence\n"
        "    w_1 = linear, d_model -> d_ff; w_2 = linear, d_ff -> d_model; a dropout module\n"
        "in forward:\n"
        "    hidden = activation of w_1 of x\n"
        "    return w_2 of the dropped-out hidden",
    ),
    "blocks.dropout": (
        "If you drop a share p of the entries, what happens to the mean of them all? By which factor do you multiply "
        "the others so that the mean stays the same? Is it simpler to do this in training or in evaluation? "
        "({Section}`blocks#inverted-dropout`.)",
        "You need one uniform random number for each entry, so draw in the shape of x, from `generator`. A comparison "
        "with p gives a boolean mask. First handle the values of p that you refuse (for p = 1 you would divide by 0), "
        "and the two cases in which nothing happens.",
        "if p is outside [0, 1): raise ValueError with a sentence\n"
        "if not training: return x\n"
        "dropped = uniform random numbers, shape of x, from generator, are less than p\n"
        "return (x with 0 where dropped) / (1 - p)",
    ),
    "blocks.SublayerConnection": (
        "There are two ways to combine four things: the input x, a sublayer, a norm, dropout. In one the norm stands "
        "before the sublayer, in the other after the sum. In which of them does x pass unchanged from the bottom of a "
        "deep stack to its top? ({Section}`blocks#pre-and-post-norm`.)",
        "`sublayer` is an argument of `forward`: call it like a function, once. Dropout acts on what it returns, and "
        "on nothing else. Keep the choice of `norm` as an attribute, under another name than the layer `norm_layer`. "
        'Refuse a `norm` that is neither "pre" nor "post".',
        "in __init__:\n"
        "    if norm is neither of the two: raise ValueError with a sentence\n"
        "    keep norm; norm_layer = LayerNorm of d_model; a dropout module\n"
        "in forward:\n"
        "    pre:  return x + dropout of sublayer of norm_layer of x\n"
        "    post: return norm_layer of (x + dropout of sublayer of x)",
    ),
    "blocks.test_layer_norm": (
        "PyTorch has a layer that does the same, `nn.LayerNorm`, with parameters of other names. For which inputs "
        "would a wrong layer differ from it? ({Section}`blocks#layer-normalisation`.)",
        "Make both layers of width 4, once without `eps` and once with a large one, such as 0.5. While they are new, "
        "compare them for a batch of shape (2, 3, 4), for the same batch with tiny entries, and for a matrix of equal "
        "numbers. Then give both the same random gain and bias, and compare results and gradients. Does `x` change, "
        "and how many parameters does the layer have?",
        "without eps, and with eps = 0.5:\n"
        "    make the layer and nn.LayerNorm; assert that the layer has two parameters\n"
        "    for x of three axes, tiny x, and a matrix of zeros: assert close results\n"
        "    random numbers into weight and bias, and copies of them into gamma and beta\n"
        "    x = a random matrix that requires a gradient; assert close results\n"
        "    sum the results times random numbers: assert close gradients of x\n"
        "    assert that x is what it was",
    ),
}
