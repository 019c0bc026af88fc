"""Hints of unit `blocks`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "blocks.gelu": (
        "GELU multiplies x by a number between 0 and 1: near 1 for large x, near 0 for very negative x. Which "
        "function runs smoothly from -1 to 1, and what do you do to it to make it run from 0 to 1? "
        "({Section}`blocks#gelu-and-relu`.)",
        "Everything happens entry by entry, so the shape never changes and no loop is needed. The usual slips are the "
        "root over 2/pi, the bracket that holds both x and its cube, and the constant 0.044715 (one zero after the "
        "point). `torch.tanh` works on tensors, `math.sqrt` on numbers.",
        "inside = root of (2 / pi), times (x + 0.044715 times x cubed)\nreturn half of x, times (1 + tanh of inside)",
    ),
    "blocks.LayerNorm": (
        "Take one vector, [1, 2, 3, 4]. What must be subtracted so that its mean is 0, and by what must the rest be "
        "divided so that its variance is 1? Which entries of a (B, T, d) tensor belong to one vector? "
        "({Section}`blocks#layer-normalisation`.)",
        "Mean and variance of x with shape (..., d) have shape (..., 1): work along the last axis and keep it "
        "(`keepdim=True`), or they do not line up with x. `var` and `std` divide by d - 1 unless told otherwise; the "
        "mean of the squared deviations divides by d. `gamma` and `beta` are `nn.Parameter`, shape (d_model,).",
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
        "For x of shape (..., d) the mean of the squares has shape (..., 1), so keep the axis. eps is added before the "
        "root is taken. `weight` has shape (d,) and lines up with the last axis by itself.",
        "mean_square = mean of the squares of x along the last axis, axis kept\n"
        "return weight * x / root of (mean_square + eps)",
    ),
    "blocks.FeedForward": (
        "Two linear layers with nothing in between are one linear layer. What has to stand between them, and how wide "
        "is the tensor there? ({Section}`blocks#feed-forward-layer` and {heading}`blocks#why-non-linear`.)",
        "x is (B, T, d_model), after `w_1` it is (B, T, d_ff), after `w_2` (B, T, d_model) again. Dropout stands "
        "directly before `w_2`; as a module, `nn.Dropout` follows `train()` and `eval()` by itself. Check `activation` "
        "in `__init__`, and for GELU use your own function.",
        "in __init__:\n"
        "    if activation is neither of the two: raise ValueError with a sentence\n"
        "    w_1 = linear, d_model -> d_ff; w_2 = linear, d_ff -> d_model; a dropout module\n"
        "in forward:\n"
        "    hidden = activation of w_1 of x\n"
        "    return w_2 of the dropped-out hidden",
    ),
    "blocks.dropout": (
        "If a share p of the entries is lost, what happens to the mean of all? By what must the others be multiplied "
        "so that it stays the same, and when is the best moment for that? ({Section}`blocks#inverted-dropout`.)",
        "You need one uniform random number for every entry, so draw in the shape of x, from `generator`. A comparison "
        "with p gives a boolean mask. Look at the two cases in which nothing happens, and at the values of p that are "
        "refused, first of all: for p = 1 you would divide by 0.",
        "if p is outside [0, 1): raise ValueError with a sentence\n"
        "if not training: return x\n"
        "dropped = uniform random numbers, shape of x, from generator, are less than p\n"
        "return (x with 0 where dropped) / (1 - p)",
    ),
    "blocks.SublayerConnection": (
        "There are two ways to combine four things: the input x, a sublayer, a norm, dropout. In one the norm stands "
        "before the sublayer, in the other behind the sum. In which of them can x pass from the bottom of a deep "
        "stack to its top untouched? ({Section}`blocks#pre-and-post-norm`.)",
        "`sublayer` is an argument of `forward`: call it like a function, once. Dropout acts on what it returns, and "
        "on nothing else. Keep the choice of `norm` as an attribute (under another name than the layer, which is "
        'called `norm_layer`), and refuse what is neither "pre" nor "post".',
        "in __init__:\n"
        "    if norm is neither of the two: raise ValueError with a sentence\n"
        "    keep norm; norm_layer = LayerNorm of d_model; a dropout module\n"
        "in forward:\n"
        "    pre:  return x + dropout of sublayer of norm_layer of x\n"
        "    post: return norm_layer of (x + dropout of sublayer of x)",
    ),
    "blocks.test_layer_norm": (
        "PyTorch has a layer that does the same, `nn.LayerNorm`, with parameters of other names. For which inputs "
        "would a wrong layer give other results than that one? ({Section}`blocks#layer-normalisation`.)",
        "Make both layers of width 4, once without `eps` and once with a large one, such as 0.5. While they are new, "
        "compare them for a batch of shape (2, 3, 4), for the same with tiny entries, and for a matrix of equal "
        "numbers. Then give both the same random gain and bias and compare again, results and gradients. Does `x` stay "
        "what it was, and how many parameters has the layer?",
        "without eps, and with eps = 0.5:\n"
        "    make the layer and nn.LayerNorm; assert that the layer has two parameters\n"
        "    for x of three axes, tiny x, and a matrix of zeros: assert close results\n"
        "    random numbers into weight and bias, and copies of them into gamma and beta\n"
        "    x = a random matrix that wants a gradient; assert close results\n"
        "    sum the results times random numbers: assert close gradients of x\n"
        "    assert that x is what it was",
    ),
}
