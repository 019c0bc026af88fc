"""Wrong implementations of the tasks of blocks, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

import torch
import torch.nn.functional as F
from torch import nn

from autograder.course.catalogue import edit, mistake
from solutions.blocks import FeedForward as RightFeedForward
from solutions.blocks import SublayerConnection as RightConnection
from solutions.blocks import dropout as right_dropout

# ---------------------------------------------------------------------------------------------------------------------
# gelu


mistake(
    "blocks.gelu",
    "error-function-form",
    edit("torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))", "torch.erf(x / math.sqrt(2))"),
    section="two-gelus",
    why="This is the exact GELU, with the error function. The exercise asks for the form with tanh, which GPT-2 uses "
    "and which differs by up to 0.0005.",
    hint="Your values are those of the other GELU, the one with erf. The two differ by at most 0.0005, which is enough "
    "to miss a checkpoint's numbers: use the formula with tanh.",
)

mistake(
    "blocks.gelu",
    "sigmoid-form",
    edit("0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))", "x * torch.sigmoid(1.702 * x)"),
    section="two-gelus",
    why="This is x times sigmoid(1.702 x), a rougher approximation of the same curve. It differs from the tanh form by "
    "up to 0.02.",
    hint="Your values are those of x * sigmoid(1.702 x). That is the third form in the paper and the roughest; asked "
    "for is the one with tanh.",
)

mistake(
    "blocks.gelu",
    "silu",
    edit("0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))", "x * torch.sigmoid(x)"),
    section="gelu-and-relu",
    why="This is SiLU (swish), x times sigmoid(x). Its curve has a similar shape, but is another function.",
    hint="Your values are those of SiLU, x * sigmoid(x). GELU weighs x by the normal distribution, here through tanh.",
)

mistake(
    "blocks.gelu",
    "relu",
    edit("0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))", "torch.relu(x)"),
    section="gelu-and-relu",
    why="This is ReLU, which is 0 for every negative number. GELU is smooth, and a little below 0 there.",
    hint="Your function is 0 for every negative number, which is ReLU. GELU lets a little of a negative number "
    "through.",
)

mistake(
    "blocks.gelu",
    "misplaced-decimal-point",
    edit("0.044715 * x**3", "0.44715 * x**3"),
    section="two-gelus",
    why="The constant was written 0.44715 in place of 0.044715. The cube then counts ten times as much.",
    hint="Your values are too far from 0 around x = 1: 0.9096 where 0.8412 is right. Look at the constant in front of "
    "the cube, a zero after the point is missing.",
)

mistake(
    "blocks.gelu",
    "no-cube",
    edit("x + 0.044715 * x**3", "x"),
    section="two-gelus",
    why="The cubic term inside tanh was left out. What remains is too small away from 0.",
    hint="At x = 2 you have 1.9210 or so where 1.9546 is right: the cubic term inside tanh is missing.",
)

mistake(
    "blocks.gelu",
    "square-instead-of-cube",
    edit("0.044715 * x**3", "0.044715 * x**2"),
    section="two-gelus",
    why="x was squared where it has to be cubed. A square has no sign, so that the curve is bent for negative numbers.",
    hint="Your values are worst at negative numbers: inside tanh x is squared, and it has to be cubed, which keeps the "
    "sign.",
)

mistake(
    "blocks.gelu",
    "root-forgotten",
    edit("math.sqrt(2 / math.pi)", "2 / math.pi"),
    section="two-gelus",
    why="The factor inside tanh is 2/pi in place of its square root. The curve rises too slowly.",
    hint="Your values are too close to x/2: the factor in front of the bracket is the square root of 2/pi, not 2/pi.",
)

mistake(
    "blocks.gelu",
    "root-upside-down",
    edit("2 / math.pi", "math.pi / 2"),
    section="two-gelus",
    why="The factor inside tanh is sqrt(pi/2) in place of sqrt(2/pi). The curve rises too steeply.",
    hint="Your curve is too steep around 0: the fraction under the root stands upside down, it is 2/pi.",
)

mistake(
    "blocks.gelu",
    "one-forgotten",
    edit('nn.GELU("tanh")(x)', "0.5 * x * torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))"),
    base="module-inside",
    section="two-gelus",
    why="The 1 in front of tanh is missing. The function is then even, positive on both sides of 0.",
    hint="Your function is the same for x and -x. In the bracket, 1 is added to tanh, which takes it from the range -1 "
    "to 1 into the range 0 to 2.",
)

mistake(
    "blocks.gelu",
    "half-forgotten",
    edit("0.5 * x", "x"),
    section="two-gelus",
    why="The factor 0.5 is missing. For large x the result is 2x in place of x.",
    hint="All your values are twice what they should be: 1 + tanh goes up to 2, so the factor 0.5 is needed.",
)

mistake(
    "blocks.gelu",
    "x-forgotten",
    edit("0.5 * x", "0.5"),
    section="gelu-and-relu",
    why="Only the gate was returned, the part between 0 and 1. GELU is x times that gate.",
    hint="Your values lie between 0 and 1 and are 0.5 at x = 0: that is the gate alone. GELU multiplies x by it.",
)

mistake(
    "blocks.gelu",
    "cube-outside-the-bracket",
    edit("math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)", "math.sqrt(2 / math.pi) * x + 0.044715 * x**3"),
    section="two-gelus",
    why="The factor sqrt(2/pi) multiplies x alone, not x plus the cubic term. The bracket is missing.",
    hint="Your values are a little too far from 0 around x = 2: the factor sqrt(2/pi) has to multiply the cubic term "
    "as well, so put both into a bracket.",
)

mistake(
    "blocks.gelu",
    "converts-to-float32",
    edit("return 0.5 * x * (", "x = x.float()\nreturn 0.5 * x * ("),
    section="blocks-pitfalls",
    why="The input was converted to float32 and the result left in it. Float64 input loses half of its digits, and "
    "bfloat16 input comes back in a type that the next layer did not expect.",
    hint="Your result is float32 whatever type came in. Plain tensor arithmetic keeps the type: leave out `.float()`, "
    "or convert back at the end.",
)

mistake(
    "blocks.gelu",
    "argument-changed",
    edit(
        "return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))",
        "gate = 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))\nreturn x.data.mul_(gate)",
    ),
    section="blocks-pitfalls",
    why="The input was multiplied in place. The caller's tensor holds other numbers afterwards.",
    hint="Your result is right, but the tensor that was passed in has changed. A function here never changes its "
    "arguments: use the forms without the underscore.",
)

mistake(
    "blocks.gelu",
    "cut-from-the-graph",
    edit('nn.GELU("tanh")(x)', 'F.gelu(x.detach(), approximate="tanh")'),
    base="module-inside",
    section="blocks-pitfalls",
    why="The result was computed on detached numbers. No gradient passes, so nothing before the activation can learn.",
    hint="Your values are right, but no gradient arrives at `x`: something detaches it (`.detach()`, `.data`, "
    "`torch.tensor`, `.item()`, or `no_grad`). Stay with operations on `x` itself.",
)

mistake(
    "blocks.gelu",
    "tanh-by-two-exponentials",
    edit(
        "return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))",
        """
        a = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1 + (a.exp() - (-a).exp()) / (a.exp() + (-a).exp()))
        """,
    ),
    section="gelu-and-relu",
    why="The tanh was written with two exponentials, as it is defined. For large numbers of either sign one of them "
    "overflows, and inf / inf is NaN.",
    hint="For large `x`, positive or negative, your result is NaN: an exponential overflows. `torch.tanh` does not.",
)

mistake(
    "blocks.gelu",
    "tanh-by-one-exponential",
    edit(
        "return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))",
        """
        e = (2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)).exp()
        return 0.5 * x * (1 + (e - 1) / (e + 1))
        """,
    ),
    section="gelu-and-relu",
    why="The tanh was written as (e^2a - 1) / (e^2a + 1). For large positive numbers the exponential overflows, and "
    "inf / inf is NaN.",
    hint="For large positive `x` your result is NaN: the exponential overflows. `torch.tanh` does not.",
)


# ---------------------------------------------------------------------------------------------------------------------
# LayerNorm


mistake(
    "blocks.LayerNorm",
    "unbiased-standard-deviation",
    edit("x.var(-1, unbiased=False, keepdim=True)", "x.std(-1, keepdim=True)"),
    edit("torch.sqrt(variance + self.eps)", "(variance + self.eps)"),
    base="mean-and-variance-first",
    section="biased-variance",
    why="Deviations were divided by x.std(), which divides by d - 1, plus eps outside the root. That is the form of "
    "several published programs; it is smaller by the factor sqrt((d - 1)/d) and is not what PyTorch does.",
    hint="Your results are too small by the factor sqrt((d - 1)/d): `std` and `var` divide by d - 1 unless told "
    "otherwise. Divide the squares by d, and put eps under the root.",
)

mistake(
    "blocks.LayerNorm",
    "unbiased-variance",
    edit("x.var(-1, unbiased=False, keepdim=True)", "x.var(-1, keepdim=True)"),
    base="mean-and-variance-first",
    section="biased-variance",
    why="The variance divides by d - 1, the estimate for a sample. Layer normalisation divides by d: the vector is not "
    "a sample, it is all there is.",
    hint="Your results are too small by the factor sqrt((d - 1)/d): `var` divides by d - 1 unless told otherwise.",
)

mistake(
    "blocks.LayerNorm",
    "epsilon-outside-the-root",
    edit("x.var(-1, unbiased=False, keepdim=True)", "x.std(-1, unbiased=False, keepdim=True)"),
    edit("torch.sqrt(variance + self.eps)", "(variance + self.eps)"),
    base="mean-and-variance-first",
    section="epsilon-inside-the-root",
    why="eps was added to the standard deviation in place of the variance. For rows of small variance the two are far "
    "apart.",
    hint="Your results are right for ordinary rows and wrong for nearly constant ones: eps belongs under the root, "
    "added to the variance.",
)

mistake(
    "blocks.LayerNorm",
    "no-epsilon",
    edit("self.eps = eps", ""),
    edit("variance = centred.square().mean(-1, keepdim=True)", ""),
    edit("torch.sqrt(variance + self.eps)", "centred.square().mean(-1, keepdim=True).sqrt()"),
    section="epsilon-inside-the-root",
    why="eps was left out. A row whose entries are all equal is then 0/0, which is NaN.",
    hint="Rows of equal numbers come out as NaN, and nearly constant rows are blown up: eps is not used. It is added "
    "to the variance, under the root.",
)

mistake(
    "blocks.LayerNorm",
    "epsilon-fixed",
    edit("self.eps = eps", ""),
    edit("variance + self.eps", "variance + 1e-5"),
    section="epsilon-inside-the-root",
    why="A number was written in place of the argument eps. Another eps is then ignored.",
    hint="Your results do not depend on the argument `eps`. Keep it in `__init__` and use it in `forward`.",
)

mistake(
    "blocks.LayerNorm",
    "other-default-epsilon",
    edit("def __init__(self, d_model, eps=1e-5):", "def __init__(self, d_model, eps=1e-6):"),
    section="epsilon-inside-the-root",
    why="The default of eps is 1e-6, as in some published programs, not 1e-5. For rows of small variance that changes "
    "the result.",
    hint="With an eps that is passed you are right; without one, rows of small variance come out too large. The "
    "default here, and in PyTorch, is 1e-5.",
)

mistake(
    "blocks.LayerNorm",
    "epsilon-squared",
    edit("x.mean(-1, keepdim=True)", "x - x.mean(-1, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "mean.square().mean(-1, keepdim=True)"),
    edit("x - mean) / torch.sqrt(variance + self.eps", "mean) / torch.sqrt(variance + self.eps**2"),
    base="mean-and-variance-first",
    section="epsilon-inside-the-root",
    why="The square of eps was added under the root. With eps = 1e-5 that is 1e-10, next to nothing.",
    hint="Rows of small variance come out too large: eps itself is added to the variance, not its square.",
)

mistake(
    "blocks.LayerNorm",
    "variance-clamped",
    edit("mean = x.mean(-1, keepdim=True)", "centred = x - x.mean(-1, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "centred.square().mean(-1, keepdim=True)"),
    edit("x - mean) / torch.sqrt(variance + self.eps", "centred) / torch.sqrt(variance.clamp(min=self.eps)"),
    base="mean-and-variance-first",
    section="epsilon-inside-the-root",
    why="The variance was raised to eps where it is below, in place of adding eps to it. That keeps the division from "
    "failing but gives other numbers.",
    hint="You use eps as a lower limit of the variance. It is added to the variance of every row.",
)

mistake(
    "blocks.LayerNorm",
    "divided-by-variance",
    edit("mean = x.mean(-1, keepdim=True)", "centred = x - x.mean(-1, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "centred.square().mean(-1, keepdim=True)"),
    edit("x - mean) / torch.sqrt(variance + self.eps)", "centred) / (variance + self.eps)"),
    base="mean-and-variance-first",
    section="layer-normalisation",
    why="Deviations were divided by the variance, without the root. The result then depends on the unit in which x is "
    "measured.",
    hint="Twice as large an input gives you half as large a result: you divide by the variance. Its square root, the "
    "standard deviation, has the unit of x.",
)

mistake(
    "blocks.LayerNorm",
    "mean-of-absolute-deviations",
    edit("centred.square().mean", "centred.abs().mean"),
    edit("torch.sqrt(variance + self.eps)", "(variance + self.eps)"),
    section="biased-variance",
    why="The deviations were divided by their mean size, without squares and root. That is another measure of spread, "
    "smaller than the standard deviation.",
    hint="Your results are too large: you divide by the mean of the absolute deviations. Square them, average, and take "
    "the root.",
)

mistake(
    "blocks.LayerNorm",
    "root-of-the-standard-deviation",
    edit("x.var(-1, unbiased=False, keepdim=True)", "x.std(-1, unbiased=False, keepdim=True)"),
    base="mean-and-variance-first",
    section="layer-normalisation",
    why="A root was taken of the standard deviation, which is a root already. The results are neither of variance 1 "
    "nor independent of the unit of x.",
    hint="Your results have not the variance 1: a second root is taken. The root of the variance is the standard "
    "deviation, so take one of the two, not both.",
)

mistake(
    "blocks.LayerNorm",
    "mean-not-subtracted",
    edit("mean = x.mean(-1, keepdim=True)", ""),
    edit("x - mean", "x"),
    base="mean-and-variance-first",
    section="layer-normalisation",
    why="The entries were divided by the standard deviation, and the mean was left in. The result has the mean of x "
    "over its standard deviation, not 0.",
    hint="The mean of your rows is not 0 before gain and bias: subtract it from x, not only inside the variance.",
)

mistake(
    "blocks.LayerNorm",
    "rms-instead-of-variance",
    edit("x.mean(-1, keepdim=True)", "x.square().mean(-1, keepdim=True)"),
    edit("variance = x.var(-1, unbiased=False, keepdim=True)", ""),
    edit("x - mean) / torch.sqrt(variance + self.eps", "x - x.mean(-1, keepdim=True)) / torch.sqrt(mean + self.eps"),
    base="mean-and-variance-first",
    section="rms-normalisation",
    why="The mean of the squares was used as variance, without subtracting the square of the mean. That mixes layer "
    "normalisation with RMSNorm.",
    hint="Your rows have a variance below 1 whenever their mean is not 0: you divide by the root mean square of x, not "
    "of its deviations from the mean.",
)

mistake(
    "blocks.LayerNorm",
    "normalised-over-the-batch",
    edit("x.mean(-1, keepdim=True)", "x - x.mean(0, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "mean.square().mean(0, keepdim=True)"),
    edit("x - mean", "mean"),
    base="mean-and-variance-first",
    section="which-axis",
    why="Mean and variance were taken along the first axis, over the sequences of the batch. That is what batch "
    "normalisation does; the result of a sequence then depends on its neighbours.",
    hint="Your results for one sequence change with the other sequences of the batch: mean and variance run along the "
    "first axis. Each vector is normalised by itself, along the last axis.",
)

mistake(
    "blocks.LayerNorm",
    "normalised-over-time-too",
    edit(
        "mean = x.mean(-1, keepdim=True)",
        "axes = tuple(range(max(x.ndim - 2, 0), x.ndim))\ncentred = x - x.mean(axes, keepdim=True)",
    ),
    edit("x.var(-1, unbiased=False, keepdim=True)", "centred.square().mean(axes, keepdim=True)"),
    edit("x - mean", "centred"),
    base="mean-and-variance-first",
    section="which-axis",
    why="Mean and variance were taken over the last two axes together. Positions then share their statistics, and a "
    "later token changes an earlier one, which breaks every causal model.",
    hint="Your results for one position change with the other positions: mean and variance run over two axes. Each "
    "vector is normalised by itself, along the last axis alone.",
)

mistake(
    "blocks.LayerNorm",
    "one-mean-for-all",
    edit("mean = x.mean(-1, keepdim=True)\nvariance = x.var(-1, unbiased=False, keepdim=True)", ""),
    edit("x - mean) / torch.sqrt(variance + self.eps", "x - x.mean()) / torch.sqrt(x.var(unbiased=False) + self.eps"),
    base="mean-and-variance-first",
    section="which-axis",
    why="One mean and one variance of the whole tensor were used. Vectors then keep their differences in size, and "
    "every one of them depends on all others.",
    hint="Your mean and variance are single numbers for the whole tensor. Each vector needs its own, along the last "
    "axis with that axis kept.",
)

mistake(
    "blocks.LayerNorm",
    "axis-one",
    edit("x.mean(-1, keepdim=True)", "x - x.mean(1, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "mean.square().mean(1, keepdim=True)"),
    edit("x - mean", "mean"),
    base="mean-and-variance-first",
    section="which-axis",
    why="Mean and variance were taken along axis 1, which is the last one only for a matrix. For (B, T, d) it is time.",
    hint="You normalise along axis 1. For (B, T, d) that is time; count from the end, so that any number of axes may "
    "come before.",
)

mistake(
    "blocks.LayerNorm",
    "three-axes-only",
    edit("x.mean(-1, keepdim=True)", "x - x.mean(2, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "mean.square().mean(2, keepdim=True)"),
    edit("x - mean", "mean"),
    base="mean-and-variance-first",
    section="which-axis",
    why="The last axis was called 2, which is right for (B, T, d) alone. A vector by itself, or a batch of heads, has "
    "its last axis elsewhere.",
    hint="You are right for (B, T, d) and fail for other numbers of axes: the last axis was called 2. Counted from the "
    "end it is -1, whatever comes before.",
)

mistake(
    "blocks.LayerNorm",
    "axis-not-kept",
    edit("x.mean(-1, keepdim=True)", "x - x.mean(-1)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "mean.square().mean(-1)"),
    edit("x - mean", "mean"),
    base="mean-and-variance-first",
    section="which-axis",
    why="The mean dropped the axis that it ran over. What is left does not line up with the vectors, or lines up with "
    "the wrong axis.",
    hint="After a mean along the last axis that axis is gone, so (B, T, d) minus (B, T) does not line up. Keep it with "
    "length 1, `keepdim=True`.",
)

mistake(
    "blocks.LayerNorm",
    "no-gain-and-bias",
    edit(
        "self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta",
        "centred / torch.sqrt(variance + self.eps)",
    ),
    section="gain-and-bias",
    why="gamma and beta exist but are not used. Trained weights then have no effect, and the layer cannot learn "
    "another scale.",
    hint="Your result is the same whatever `gamma` and `beta` hold: multiply by the one and add the other.",
)

mistake(
    "blocks.LayerNorm",
    "no-bias",
    edit(
        "self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta",
        "self.gamma * centred / torch.sqrt(variance + self.eps)",
    ),
    section="gain-and-bias",
    why="beta exists but is not added. The layer then cannot move its output away from mean 0.",
    hint="Your result does not depend on `beta`: it is added at the end.",
)

mistake(
    "blocks.LayerNorm",
    "gain-after-bias",
    edit(
        "self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta",
        "self.gamma * (centred / torch.sqrt(variance + self.eps) + self.beta)",
    ),
    section="gain-and-bias",
    why="beta was added before the multiplication by gamma. The bias is then scaled by the gain, which it is not in "
    "trained weights.",
    hint="You multiply `beta` by `gamma` as well: first the gain, then the bias.",
)

mistake(
    "blocks.LayerNorm",
    "scalar-gain-and-bias",
    edit("self.eps = eps", ""),
    edit("torch.ones(d_model)", "torch.ones(1)"),
    edit("self.beta = nn.Parameter(torch.zeros(d_model))", "self.beta = nn.Parameter(torch.zeros(1))\nself.eps = eps"),
    section="gain-and-bias",
    why="gamma and beta are single numbers for the whole vector. Each entry has its own gain and bias, so the weights "
    "of a trained model do not fit.",
    hint="Your `gamma` and `beta` have shape (1,), one number for all entries. Give each of the d_model entries its "
    "own, shape (d_model,).",
)

mistake(
    "blocks.LayerNorm",
    "plain-tensors",
    edit("self.eps = eps", ""),
    edit("nn.Parameter(torch.ones(d_model))", "torch.ones(d_model)"),
    edit("self.beta = nn.Parameter(torch.zeros(d_model))", "self.beta = torch.zeros(d_model)\nself.eps = eps"),
    section="gain-and-bias",
    why="gamma and beta are plain tensors, not parameters. An optimiser never sees them, and they are not saved with "
    "the model.",
    hint="`gamma` and `beta` are plain tensors, so `parameters()` does not list them and nothing trains them. Wrap "
    "each in `nn.Parameter`.",
)

mistake(
    "blocks.LayerNorm",
    "buffers",
    edit("self.gamma = nn.Parameter(torch.ones(d_model))", 'self.register_buffer("gamma", torch.ones(d_model))'),
    edit("self.beta = nn.Parameter(torch.zeros(d_model))", 'self.register_buffer("beta", torch.zeros(d_model))'),
    edit("mean = x.mean(-1, keepdim=True)", "centred = x - x.mean(-1, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "centred.square().mean(-1, keepdim=True)"),
    edit("x - mean", "centred"),
    base="mean-and-variance-first",
    section="gain-and-bias",
    why="gamma and beta were registered as buffers. A buffer moves and is saved with the model, but is not trained.",
    hint="`gamma` and `beta` are buffers: saved, but not among `parameters()`, so nothing trains them. Make each an "
    "`nn.Parameter`.",
)

mistake(
    "blocks.LayerNorm",
    "random-start",
    edit("self.eps = eps", ""),
    edit("torch.ones(d_model)", "torch.randn(d_model)"),
    edit(
        "self.beta = nn.Parameter(torch.zeros(d_model))",
        "self.beta = nn.Parameter(torch.randn(d_model))\nself.eps = eps",
    ),
    section="gain-and-bias",
    why="gamma and beta start at random numbers. A new layer should do nothing but normalise, so gamma starts at 1 and "
    "beta at 0.",
    hint="A freshly built layer of yours does more than normalise: `gamma` has to start at 1 and `beta` at 0.",
)

mistake(
    "blocks.LayerNorm",
    "gain-starts-at-zero",
    edit("torch.ones(d_model)", "torch.zeros(d_model)"),
    edit("x.mean(-1, keepdim=True)", "x - x.mean(-1, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "mean.square().mean(-1, keepdim=True)"),
    edit("x - mean", "mean"),
    base="mean-and-variance-first",
    section="gain-and-bias",
    why="gamma starts at 0, like beta. A new layer then returns nothing but zeros, and the first steps of training "
    "pass no gradient through it.",
    hint="A freshly built layer of yours returns zeros only: `gamma` multiplies, so it has to start at 1.",
)

mistake(
    "blocks.LayerNorm",
    "statistics-detached",
    edit("mean = x.mean(-1, keepdim=True)", ""),
    edit(
        "variance = x.var(-1, unbiased=False, keepdim=True)",
        """
        with torch.no_grad():
            mean = x.mean(-1, keepdim=True)
            variance = x.var(-1, unbiased=False, keepdim=True)
        """,
    ),
    base="mean-and-variance-first",
    section="layer-normalisation",
    why="Mean and standard deviation were cut from the graph. The forward pass is right, but the gradient leaves out "
    "that both depend on every entry of x.",
    hint="Your values are right and the gradient of `x` is wrong: mean and variance depend on x too, and `no_grad` or "
    "`detach` hides that from autograd.",
)

mistake(
    "blocks.LayerNorm",
    "argument-changed",
    edit("mean = x.mean(-1, keepdim=True)", "x -= x.mean(-1, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "x.square().mean(-1, keepdim=True)"),
    edit("x - mean", "x"),
    base="mean-and-variance-first",
    section="blocks-pitfalls",
    why="The mean was subtracted in place. The residual connection adds x later on, and it is no longer the x that "
    "came in.",
    hint="Your result is right, but the tensor that was passed in has changed. A residual connection still needs it: "
    "use `x - mean`, not `x -= mean`.",
)

mistake(
    "blocks.LayerNorm",
    "converts-to-float32",
    edit("mean = x.mean(-1, keepdim=True)", ""),
    edit("variance = x.var(-1, unbiased=False, keepdim=True)", "x = x.float()"),
    edit(
        "self.gamma * (x - mean) / torch.sqrt(variance + self.eps) + self.beta",
        "F.layer_norm(x, x.shape[-1:], self.gamma.float(), self.beta.float(), self.eps)",
    ),
    base="mean-and-variance-first",
    section="blocks-pitfalls",
    why="The computation was done in float32 and its result left in it. Float64 loses half of its digits, and a model "
    "in bfloat16 meets two types in its next product.",
    hint="Your result is float32 whatever type came in. Computing in another type is fine, but return the type of `x`.",
)

mistake(
    "blocks.LayerNorm",
    "base-class-not-initialised",
    edit("super().__init__()", ""),
    edit("mean = x.mean(-1, keepdim=True)\nvariance = x.var(-1, unbiased=False, keepdim=True)", ""),
    edit(
        "self.gamma * (x - mean) / torch.sqrt(variance + self.eps) + self.beta",
        "F.layer_norm(x, x.shape[-1:], self.gamma, self.beta, self.eps)",
    ),
    base="mean-and-variance-first",
    section="gain-and-bias",
    why="`__init__` assigned parameters without calling `super().__init__()` first. `nn.Module` registers them in "
    "tables that only its own `__init__` creates, so the assignment is refused.",
    hint="Building your layer raises 'cannot assign parameters before Module.__init__() call'. The first line of "
    "`__init__` has to initialise the base class.",
)


@mistake(
    "blocks.LayerNorm",
    "library-names",
    section="gain-and-bias",
    why="The parameters are called weight and bias, as in nn.LayerNorm. Names are part of the interface: this course's "
    "are gamma and beta.",
    hint="There is no `gamma` in your layer. PyTorch calls the two `weight` and `bias`; here they are `gamma` and "
    "`beta`, and weights are copied in by those names.",
)
class LayerNorm(nn.LayerNorm):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps=eps)


mistake(
    "blocks.LayerNorm",
    "statistics-remembered",
    edit("self.eps = eps", "self.eps = eps\nself.kept = {}"),
    edit("mean = x.mean(-1, keepdim=True)", "new = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)"),
    edit("variance = x.var(-1, unbiased=False, keepdim=True)", "mean, variance = self.kept.setdefault(x.shape, new)"),
    base="mean-and-variance-first",
    section="which-axis",
    why="Mean and variance of the first call were kept and used for later inputs of the same shape. Batch "
    "normalisation keeps running averages; a layer norm computes both anew for every vector.",
    hint="The second call of your layer uses mean and variance of the first. They belong to the vector, so compute "
    "them anew in every call and keep nothing.",
)


# ---------------------------------------------------------------------------------------------------------------------
# rms_norm


mistake(
    "blocks.rms_norm",
    "mean-subtracted",
    edit("mean_square = x.square().mean(-1, keepdim=True)", "centred = x - x.mean(-1, keepdim=True)"),
    edit(
        "weight * x / torch.sqrt(mean_square + eps",
        "weight * centred / torch.sqrt(centred.square().mean(-1, keepdim=True) + eps",
    ),
    section="rms-normalisation",
    why="The mean was subtracted first, as in layer normalisation. RMSNorm leaves the mean alone; that is its whole "
    "point.",
    hint="Your rows have mean 0: you have subtracted it, which makes this a layer normalisation without bias. RMSNorm "
    "only divides.",
)

mistake(
    "blocks.rms_norm",
    "standard-deviation",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.var(-1, unbiased=False, keepdim=True) + eps"),
    section="rms-normalisation",
    why="x was divided by its standard deviation, which measures distances from the mean. The root mean square "
    "measures distances from 0.",
    hint="You divide by the standard deviation. That equals the root mean square only for rows of mean 0: take the "
    "mean of the squares of x itself.",
)

mistake(
    "blocks.rms_norm",
    "sum-instead-of-mean",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.square().sum(-1, keepdim=True) + eps"),
    section="rms-normalisation",
    why="x was divided by its length, the root of the sum of the squares. Entries then shrink as vectors grow wider.",
    hint="Your results are too small by the factor sqrt(d): you divide by the length of the vector. The root mean "
    "square has the mean of the squares under the root, not their sum.",
)

mistake(
    "blocks.rms_norm",
    "no-root",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("torch.sqrt(mean_square + eps)", "(x.square().mean(-1, keepdim=True) + eps)"),
    section="rms-normalisation",
    why="x was divided by the mean square, without the root. The result depends on the unit in which x is measured.",
    hint="Twice as large an input gives you half as large a result: the root of the mean square is missing.",
)

mistake(
    "blocks.rms_norm",
    "mean-of-absolute-values",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("torch.sqrt(mean_square + eps)", "(x.abs().mean(-1, keepdim=True) + eps)"),
    section="rms-normalisation",
    why="The mean of the absolute values was used, where the root of the mean of the squares is meant. The two differ "
    "for every row whose entries are not of equal size.",
    hint="You divide by the mean absolute value. Square, take the mean, take the root.",
)

mistake(
    "blocks.rms_norm",
    "epsilon-outside-the-root",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("torch.sqrt(mean_square + eps)", "(x.square().mean(-1, keepdim=True).sqrt() + eps)"),
    section="epsilon-inside-the-root",
    why="eps was added to the root mean square in place of the mean square. For rows of small entries the two are far "
    "apart.",
    hint="Your results are right for ordinary rows and wrong for rows of small numbers: eps is added to the mean "
    "square, under the root.",
)

mistake(
    "blocks.rms_norm",
    "no-epsilon",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("torch.sqrt(mean_square + eps)", "x.square().mean(-1, keepdim=True).sqrt()"),
    section="epsilon-inside-the-root",
    why="eps was left out. A row of zeros is then 0/0, which is NaN.",
    hint="A row of zeros comes out as NaN, and rows of small numbers are blown up: eps is not used. Add it to the mean "
    "square, under the root.",
)


@mistake(
    "blocks.rms_norm",
    "epsilon-fixed",
    section="epsilon-inside-the-root",
    why="A number was written in place of the argument eps. Another eps is then ignored.",
    hint="Your results do not depend on the argument `eps`: use it in place of the number that you wrote.",
)
def rms_norm(x, weight, eps=1e-5):
    return weight * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5)


mistake(
    "blocks.rms_norm",
    "other-default-epsilon",
    edit("def rms_norm(x, weight, eps=1e-5):", "def rms_norm(x, weight, eps=1e-6):"),
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.square().mean(-1, keepdim=True) + eps"),
    section="epsilon-inside-the-root",
    why="The default of eps is 1e-6 or less, as in some published programs, not 1e-5. For rows of small numbers that "
    "changes the result.",
    hint="With an eps that is passed you are right; without one, rows of small numbers come out too large. The default "
    "here is 1e-5.",
)

mistake(
    "blocks.rms_norm",
    "weight-ignored",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("weight * x / torch.sqrt(mean_square + eps", "x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps"),
    section="rms-normalisation",
    why="The gain was not used. Every entry keeps the same scale, and the trained weight has no effect.",
    hint="Your result does not depend on `weight`: multiply by it, entry by entry.",
)


@mistake(
    "blocks.rms_norm",
    "one-plus-weight",
    section="rms-normalisation",
    why="x was scaled by 1 + weight. Some models store the gain that way; here, as in PyTorch, the weight is the gain "
    "itself.",
    hint="You multiply by 1 + weight. That is how some models store their gain; here the weight is the gain.",
)
def rms_norm(x, weight, eps=1e-5):
    return (1 + weight) * x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps)


mistake(
    "blocks.rms_norm",
    "weight-before-the-norm",
    edit("mean_square = x.square().mean(-1, keepdim=True)", "x = weight * x"),
    edit("weight * x / torch.sqrt(mean_square + eps", "x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps"),
    section="rms-normalisation",
    why="x was scaled before the root mean square was taken. The weight then changes the divisor too and partly "
    "cancels.",
    hint="Your weight acts before the division: its size cancels, since the scaled vector is divided by its own size. "
    "Normalise x, then multiply.",
)

mistake(
    "blocks.rms_norm",
    "one-mean-for-all",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.square().mean() + eps"),
    section="which-axis",
    why="One mean square of the whole tensor was used. Vectors keep their differences in size, and each depends on all "
    "others.",
    hint="Your divisor is a single number for the whole tensor. Each vector needs its own: take the mean along the "
    "last axis and keep that axis.",
)

mistake(
    "blocks.rms_norm",
    "wrong-axis",
    edit("mean_square = x.square().mean(-1, keepdim=True)", "axis = -2 if x.ndim > 1 else -1"),
    edit("mean_square + eps", "x.square().mean(axis, keepdim=True) + eps"),
    section="which-axis",
    why="The mean was taken along the axis before the last, which is time. Positions are then mixed, and the entries "
    "of one vector are divided by different numbers.",
    hint="Your mean runs over the positions. Each vector is normalised by itself, along the last axis.",
)

mistake(
    "blocks.rms_norm",
    "axis-not-kept",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.square().mean(-1) + eps"),
    section="which-axis",
    why="The mean dropped the axis that it ran over. What is left does not line up with the vectors, or lines up with "
    "the wrong axis.",
    hint="After a mean along the last axis that axis is gone, so (T, d) divided by (T,) does not line up. Keep it with "
    "length 1, `keepdim=True`.",
)

mistake(
    "blocks.rms_norm",
    "divisor-detached",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.detach().square().mean(-1, keepdim=True) + eps"),
    section="rms-normalisation",
    why="The root mean square was cut from the graph. The forward pass is right, but the gradient leaves out that the "
    "divisor depends on every entry of x.",
    hint="Your values are right and the gradient of `x` is wrong: the divisor depends on x too, and `no_grad` or "
    "`detach` hides that from autograd.",
)

mistake(
    "blocks.rms_norm",
    "argument-changed",
    edit("mean_square = x.square().mean(-1, keepdim=True)", "x /= torch.sqrt(x.square().mean(-1, keepdim=True) + eps)"),
    edit("weight * x / torch.sqrt(mean_square + eps)", "weight * x"),
    section="blocks-pitfalls",
    why="x was divided in place. The residual connection adds x later on, and it is no longer the x that came in.",
    hint="Your result is right, but the tensor that was passed in has changed: use `x / rms`, not `x /= rms`.",
)

mistake(
    "blocks.rms_norm",
    "converts-to-float32",
    edit("mean_square = x.square().mean(-1, keepdim=True)", "x = x.float()"),
    edit(
        "weight * x / torch.sqrt(mean_square + eps",
        "weight.float() * x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps",
    ),
    section="blocks-pitfalls",
    why="The computation was done in float32 and its result left in it. Float64 loses half of its digits, and bfloat16 "
    "comes back in another type.",
    hint="Your result is float32 whatever type came in. Computing in another type is fine, but return the type of `x`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# FeedForward


mistake(
    "blocks.FeedForward",
    "no-activation",
    edit('self.activation = torch.relu if activation == "relu" else gelu', ""),
    edit("self.activation(self.w_1(x))", "self.w_1(x)"),
    base="conditional-activation",
    section="why-non-linear",
    why="The two linear layers follow each other directly. Together they are one linear layer, so the hidden width "
    "buys nothing.",
    hint="Your layer is linear in x: the activation between the two linear layers is missing.",
)

mistake(
    "blocks.FeedForward",
    "activation-last",
    edit(
        "self.w_2(self.dropout(self.activation(self.w_1(x))))",
        "self.activation(self.w_2(self.dropout(self.w_1(x))))",
    ),
    base="conditional-activation",
    section="feed-forward-layer",
    why="The activation came after the second linear layer. The two linear layers then collapse into one, and a ReLU "
    "at the end lets the layer only ever add positive numbers.",
    hint="Your results are never negative (or hardly): the activation stands after `w_2`. It belongs between the two "
    "layers.",
)

mistake(
    "blocks.FeedForward",
    "activation-twice",
    edit(
        "self.w_2(self.dropout(self.activation(self.w_1(x))))",
        "self.activation(self.w_2(self.dropout(self.activation(self.w_1(x)))))",
    ),
    base="conditional-activation",
    section="feed-forward-layer",
    why="The activation was applied after both linear layers. What the layer adds to the residual stream can then "
    "never be negative.",
    hint="Your results are never negative (or hardly): there is a second activation after `w_2`. The layer ends with "
    "the linear map.",
)

mistake(
    "blocks.FeedForward",
    "residual-inside",
    edit(
        "self.w_2(self.dropout(self.activation(self.w_1(x))))",
        "x + self.w_2(self.dropout(self.activation(self.w_1(x))))",
    ),
    base="conditional-activation",
    section="residual-connections",
    why="x was added inside the layer. That is the work of the residual connection around it, so x would be counted "
    "twice.",
    hint="Your layer adds x to its result. The residual connection around it does that; here it would be counted "
    "twice.",
)

mistake(
    "blocks.FeedForward",
    "gelu-with-erf",
    edit('torch.relu if activation == "relu" else gelu', 'F.relu if activation == "relu" else F.gelu'),
    base="conditional-activation",
    section="two-gelus",
    why="The default of F.gelu or nn.GELU was used, which is the form with the error function. Asked for is the form "
    "with tanh.",
    hint='With activation="gelu" you use the form with erf, the default of PyTorch. Use the function of task 1, or '
    "`approximate='tanh'`.",
)

mistake(
    "blocks.FeedForward",
    "always-relu",
    edit('self.activation = torch.relu if activation == "relu" else gelu', ""),
    edit("self.activation(self.w_1(x))", "torch.relu(self.w_1(x))"),
    base="conditional-activation",
    section="gelu-and-relu",
    why="ReLU is used whatever activation says. A model that was trained with GELU then computes something else.",
    hint='With activation="gelu" your layer still uses ReLU: keep the choice in `__init__` and follow it in `forward`.',
)

mistake(
    "blocks.FeedForward",
    "gelu-by-default",
    edit(
        'def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):',
        'def __init__(self, d_model, d_ff, dropout=0.1, activation="gelu"):',
    ),
    section="feed-forward-layer",
    why="The default activation is GELU. Here it is ReLU, as in the Transformer paper.",
    hint='Without the argument `activation` your layer uses GELU; the default is "relu", as in the Transformer paper.',
)

mistake(
    "blocks.FeedForward",
    "unknown-activation-accepted",
    edit(
        """
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is {activation!r}, but must be 'relu' or 'gelu'.")
        """,
        "",
    ),
    edit('torch.relu if activation == "relu" else gelu', 'gelu if activation == "gelu" else torch.relu'),
    base="conditional-activation",
    section="feed-forward-layer",
    why="Any activation other than 'gelu' was taken to mean ReLU. A typing error then trains another model without a "
    "word.",
    hint='An unknown activation such as "swish" is taken for ReLU in silence. Raise a ValueError that names the '
    "argument and says what is allowed.",
)

mistake(
    "blocks.FeedForward",
    "unknown-activation-is-a-key-error",
    edit(
        """
        if activation not in ("relu", "gelu"):
            raise ValueError(f"activation is {activation!r}, but must be 'relu' or 'gelu'.")
        """,
        'self.activation = {"relu": torch.relu, "gelu": gelu}[activation]',
    ),
    edit('self.activation = torch.relu if activation == "relu" else gelu', ""),
    base="conditional-activation",
    section="feed-forward-layer",
    why="The activation was looked up in a dictionary, so an unknown one raises KeyError. The message then shows the "
    "wrong word and not what is allowed.",
    hint="An unknown activation raises KeyError in your code. Asked for is a ValueError with a message that says what "
    "is allowed.",
)

mistake(
    "blocks.FeedForward",
    "no-bias",
    edit("nn.Linear(d_model, d_ff)", "nn.Linear(d_model, d_ff, bias=False)"),
    edit("nn.Linear(d_ff, d_model)", "nn.Linear(d_ff, d_model, bias=False)"),
    section="feed-forward-layer",
    why="The linear layers were built without a bias. The Transformer paper's formula has one in each, and so have the "
    "weights of its descendants up to GPT-2.",
    hint="Your linear layers have no bias, so there is nowhere to put b_1 and b_2. `nn.Linear` has a bias unless you "
    "switch it off.",
)


mistake(
    "blocks.FeedForward",
    "always-four-times",
    edit("nn.Linear(d_model, d_ff)", "nn.Linear(d_model, 4 * d_model)"),
    edit("nn.Linear(d_ff, d_model)", "nn.Linear(4 * d_model, d_model)"),
    section="feed-forward-layer",
    why="The hidden layer is four times as wide as the model, whatever d_ff says. Four is a common choice, not a law.",
    hint="Your hidden layer is 4 d_model wide and the argument `d_ff` is ignored.",
)

mistake(
    "blocks.FeedForward",
    "one-layer-inside-a-sequential",
    edit(
        "self.w_1 = nn.Linear(d_model, d_ff)\nself.w_2 = nn.Linear(d_ff, d_model)\nself.dropout = nn.Dropout(dropout)",
        "",
    ),
    edit(
        'self.activation = torch.relu if activation == "relu" else gelu',
        """
        middle = nn.ReLU() if activation == "relu" else nn.GELU(approximate="tanh")
        self.net = nn.Sequential(nn.Linear(d_model, d_ff), middle, nn.Dropout(dropout), nn.Linear(d_ff, d_model))
        """,
    ),
    edit("self.w_2(self.dropout(self.activation(self.w_1(x))))", "self.net(x)"),
    base="conditional-activation",
    section="feed-forward-layer",
    why="The layers are numbered inside an nn.Sequential and have no names of their own. Weights are copied in by the "
    "names w_1 and w_2.",
    hint="There is no `w_1` in your layer. Names are part of the interface: weights are copied into `w_1` and `w_2`.",
)

mistake(
    "blocks.FeedForward",
    "dropout-after-the-second-layer",
    edit(
        "self.w_2(self.dropout(self.activation(self.w_1(x))))",
        "self.dropout(self.w_2(self.activation(self.w_1(x))))",
    ),
    base="conditional-activation",
    section="where-dropout-goes",
    why="Dropout was put after w_2, as babyGPT has it. Here it belongs between activation and w_2; what leaves the "
    "layer is dropped by the residual connection around it.",
    hint="In training, entries of your output become exactly 0: dropout stands after `w_2`. Here it acts on the hidden "
    "layer, after the activation.",
)

mistake(
    "blocks.FeedForward",
    "dropout-twice",
    edit(
        "self.w_2(self.dropout(self.activation(self.w_1(x))))",
        "self.dropout(self.w_2(self.dropout(self.activation(self.w_1(x)))))",
    ),
    base="conditional-activation",
    section="where-dropout-goes",
    why="Dropout was applied to the hidden layer and again to the output. More is dropped than asked for, and the "
    "output has zeros.",
    hint="In training, entries of your output become exactly 0: there is a second dropout after `w_2`. Only the hidden "
    "layer is dropped here.",
)

mistake(
    "blocks.FeedForward",
    "dropout-before-the-activation",
    edit("self.dropout(self.activation(self.w_1(x)))", "self.activation(self.dropout(self.w_1(x)))"),
    base="conditional-activation",
    section="where-dropout-goes",
    why="Dropout came before the activation. For ReLU that is the same, but GELU of an enlarged number is not the "
    "enlarged GELU.",
    hint="With GELU the entries that stay are not GELU(z) / (1 - p): dropout stands before the activation, and scales "
    "what goes into it.",
)

mistake(
    "blocks.FeedForward",
    "dropout-on-the-input",
    edit("self.dropout(self.activation(self.w_1(x)))", "self.activation(self.w_1(self.dropout(x)))"),
    base="conditional-activation",
    section="where-dropout-goes",
    why="Dropout was applied to x before w_1. That hides the layer's input, not its hidden units.",
    hint="In training your hidden layer is computed from an x with holes: dropout stands before `w_1`. It acts on the "
    "hidden layer, after the activation.",
)

mistake(
    "blocks.FeedForward",
    "no-dropout",
    edit("self.dropout = nn.Dropout(dropout)", ""),
    edit("self.dropout(self.activation(self.w_1(x)))", "self.activation(self.w_1(x))"),
    base="conditional-activation",
    section="where-dropout-goes",
    why="The argument dropout is accepted and never used. The layer is not regularised, whatever the caller passes.",
    hint="In training nothing is dropped: the argument `dropout` is never used. It acts on the hidden layer, after the "
    "activation.",
)

mistake(
    "blocks.FeedForward",
    "dropout-also-in-evaluation",
    edit("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
    edit("self.dropout(self.activation(self.w_1(x)))", "F.dropout(self.activation(self.w_1(x)), self.p)"),
    base="conditional-activation",
    section="only-while-training",
    why="`F.dropout` was called without `training`, whose default is True. Units are then dropped in evaluation too, "
    "and the results are random.",
    hint="Your layer still drops units after `eval()`: `F.dropout` drops unless told otherwise. Pass "
    "`training=self.training`, or use the module `nn.Dropout`.",
)

mistake(
    "blocks.FeedForward",
    "dropout-probability-fixed",
    edit("nn.Dropout(dropout)", "nn.Dropout(0.1)"),
    section="where-dropout-goes",
    why="The probability 0.1 was written down in place of the argument dropout. Another probability is then ignored.",
    hint="You drop a tenth of the hidden units whatever the argument `dropout` says: hand it to the dropout layer.",
)

mistake(
    "blocks.FeedForward",
    "other-default-dropout",
    edit(
        'def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):',
        'def __init__(self, d_model, d_ff, dropout=0.5, activation="relu"):',
    ),
    section="where-dropout-goes",
    why="The default of dropout is 0.5. The course's default is 0.1, as in the Transformer paper.",
    hint="Without the argument `dropout` you drop half of the hidden units; the default is 0.1.",
)

mistake(
    "blocks.FeedForward",
    "arguments-in-another-order",
    edit(
        'def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):',
        'def __init__(self, d_model, d_ff, activation="relu", dropout=0.1):',
    ),
    section="feed-forward-layer",
    why="The activation was put before the dropout probability in the list of arguments. A call that gives both by "
    "position then hands each of them over as the other.",
    hint='`FeedForward(d_model, d_ff, 0.2, "gelu")` fails: your arguments stand in another order. Keep that of the '
    "task, `d_model, d_ff, dropout, activation`.",
)


@mistake(
    "blocks.FeedForward",
    "layers-shared-by-all-modules",
    section="feed-forward-layer",
    why="The layers were kept outside the object, so that all modules of one size have the same weights. Training one "
    "block then changes all others.",
    hint="Two modules of yours share their weights: what changes one changes the other. Make the layers anew in "
    "`__init__`, with `self.w_1 = nn.Linear(...)`.",
)
class FeedForward(RightFeedForward):
    made = {}

    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__(d_model, d_ff, dropout, activation)
        self.w_1, self.w_2 = self.made.setdefault((d_model, d_ff), (self.w_1, self.w_2))


mistake(
    "blocks.FeedForward",
    "whole-positions-dropped",
    edit("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
    edit(
        "return self.w_2(self.dropout(self.activation(self.w_1(x)))",
        """
        hidden = self.activation(self.w_1(x))
        if self.training:
            hidden = hidden * (torch.rand(*x.shape[:-1], 1) >= self.p) / (1 - self.p)
        return self.w_2(hidden
        """,
    ),
    base="conditional-activation",
    section="every-place-by-itself",
    why="One random number was drawn for each position, so that all hidden units of a position are dropped together. "
    "Dropout draws every hidden unit by itself.",
    hint="In training, all hidden units of a position are lost at once: the mask has length 1 on the last axis. Each "
    "unit is dropped by itself.",
)


# ---------------------------------------------------------------------------------------------------------------------
# dropout


mistake(
    "blocks.dropout",
    "p-is-what-stays",
    edit('f"p is {p}, but must be at least 0 and less than 1."', 'f"p is {p}, but must be in [0, 1)."'),
    edit("device = x.device if generator is None else generator.device", ""),
    edit(
        "dropped = torch.rand(x.shape, generator=generator, device=device) < p",
        "keep = torch.rand(x.shape, generator=generator) < p",
    ),
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x * keep / p"),
    section="inverted-dropout",
    why="p was taken for the probability with which an entry stays. With p = 0.1 nine entries in ten are dropped.",
    hint="You keep a share p of the entries and drop the rest. Here, as in PyTorch, p is the share that is dropped.",
)

mistake(
    "blocks.dropout",
    "not-scaled",
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x.masked_fill(dropped.to(x.device), 0.0)"),
    section="inverted-dropout",
    why="Entries were dropped, and the others left as they are. On average the result is then 1 - p times what it is "
    "in evaluation, and the next layer sees another size of input.",
    hint="What stays is not scaled, so your average is (1 - p) x. Divide by 1 - p while training, and the average is "
    "x.",
)

mistake(
    "blocks.dropout",
    "scaled-in-evaluation",
    edit("if not training or p == 0:\n    return x", "if not training:\n    return x * (1 - p)"),
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x.masked_fill(dropped.to(x.device), 0.0)"),
    section="inverted-dropout",
    why="Entries were dropped while training, and everything was multiplied by 1 - p in evaluation. That is the form "
    "of the first paper; inverted dropout scales while training and leaves evaluation alone.",
    hint="With training=False your result is (1 - p) x. Inverted dropout does the scaling while training, by 1/(1 - "
    "p), and nothing afterwards.",
)

mistake(
    "blocks.dropout",
    "scaled-on-both-sides",
    edit("if not training or p == 0:\n    return x", "if not training:\n    return x * (1 - p)"),
    section="inverted-dropout",
    why="What stays was divided by 1 - p while training, and everything was multiplied by 1 - p in evaluation. One of "
    "the two is enough; with both, evaluation is too small.",
    hint="With training=False your result is (1 - p) x, although training has scaled already. In evaluation x is "
    "returned as it is.",
)

mistake(
    "blocks.dropout",
    "multiplied-while-training",
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x.masked_fill(dropped.to(x.device), 0.0) * (1 - p)"),
    section="inverted-dropout",
    why="What stays was multiplied by 1 - p while training. It has to be divided, since fewer entries have to carry "
    "the same sum.",
    hint="What stays comes out smaller than it was: you multiply by 1 - p. Divide, so that the average is x.",
)

mistake(
    "blocks.dropout",
    "divided-by-p",
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x.masked_fill(dropped.to(x.device), 0.0) / (p)"),
    section="inverted-dropout",
    why="What stays was divided by p in place of 1 - p. Only for p = 0.5 are the two the same.",
    hint="What stays is x/p in your result. The share that stays is 1 - p, and that is what to divide by.",
)

mistake(
    "blocks.dropout",
    "always-on",
    edit("if not training or p == 0:\n    return x", ""),
    section="only-while-training",
    why="The argument training was ignored. In evaluation the results are then random.",
    hint="With training=False you still drop entries. In evaluation x is returned as it is.",
)

mistake(
    "blocks.dropout",
    "off-by-default",
    edit("def dropout(x, p, training=True, generator=None):", "def dropout(x, p, training=False, generator=None):"),
    section="only-while-training",
    why="The default of training is False. A call without it then does nothing.",
    hint="Called without `training`, your function drops nothing: its default is True.",
)

mistake(
    "blocks.dropout",
    "training-turned-round",
    edit("not training", "training"),
    section="only-while-training",
    why="Entries are dropped in evaluation and not in training. The condition is turned round.",
    hint="You drop with training=False and return x with training=True: the condition is turned round.",
)

mistake(
    "blocks.dropout",
    "same-for-the-whole-batch",
    edit(
        "torch.rand(x.shape, generator=generator, device=device)",
        "torch.rand(x.shape[1:], generator=generator, device=device)",
    ),
    section="every-place-by-itself",
    why="One mask was drawn for the last axes and used for every sequence of the batch. Entries at the same position "
    "are then dropped together.",
    hint="Every sequence of your batch loses the same entries: the mask was drawn without the first axis. Draw one "
    "number for every entry of x.",
)

mistake(
    "blocks.dropout",
    "whole-vectors",
    edit(
        "torch.rand(x.shape, generator=generator, device=device)",
        "torch.rand(*x.shape[:-1], 1, generator=generator, device=device)",
    ),
    section="every-place-by-itself",
    why="One number was drawn for each position, so that whole vectors are dropped. That removes tokens, not single "
    "entries.",
    hint="Whole vectors of yours become 0: the mask was drawn with length 1 on the last axis. Draw one number for "
    "every entry of x.",
)

mistake(
    "blocks.dropout",
    "same-for-every-vector",
    edit(
        "torch.rand(x.shape, generator=generator, device=device)",
        "torch.rand(x.shape[-1], generator=generator, device=device)",
    ),
    section="every-place-by-itself",
    why="One mask of length d was drawn and used for all vectors. The same entries are then lost at every position.",
    hint="All your vectors lose the same entries: the mask has the shape of the last axis alone. Draw one number for "
    "every entry of x.",
)

mistake(
    "blocks.dropout",
    "numbers-used-twice",
    edit('f"p is {p}, but must be at least 0 and less than 1."', '"p must be in [0, 1)"'),
    edit("not training or p == 0", "not training"),
    edit(
        "device = x.device if generator is None else generator.device",
        "drawn = torch.rand((x.numel() + 1) // 2, generator=generator)",
    ),
    edit(
        "torch.rand(x.shape, generator=generator, device=device)",
        "torch.cat([drawn, drawn])[: x.numel()].reshape(x.shape)",
    ),
    edit("dropped.to(x.device)", "dropped"),
    section="every-place-by-itself",
    why="Random numbers were drawn for half of the entries only and used for the other half as well. Entries that "
    "share a number always live or die together, though each is dropped at the right rate.",
    hint="Entries of yours are always dropped in pairs. Draw one random number for each entry, in the shape of `x`.",
)


@mistake(
    "blocks.dropout",
    "dropped-whenever-there-is-a-generator",
    section="only-while-training",
    why="That a generator was passed was taken as a sign of training. The argument `training` alone decides; a model "
    "hands its generator over in evaluation too.",
    hint="With a generator your function drops entries in evaluation as well. Look at `training` first, whatever the "
    "other arguments are.",
)
def dropout(x, p, training=True, generator=None):
    return right_dropout(x, p, training or generator is not None, generator)


mistake(
    "blocks.dropout",
    "fixed-number-of-zeros",
    edit('f"p is {p}, but must be at least 0 and less than 1."', 'f"p is {p}, but must be in [0, 1)."'),
    edit("device = x.device if generator is None else generator.device", ""),
    edit(
        "dropped = torch.rand(x.shape, generator=generator, device=device) < p",
        "order = torch.randperm(x.numel(), generator=generator).reshape(x.shape)",
    ),
    edit("x.masked_fill(dropped.to(x.device), 0.0)", "x * (order >= round(p * x.numel()))"),
    section="every-place-by-itself",
    why="Exactly the share p of the entries was dropped, chosen by a permutation. Entries are then not independent: "
    "each that is dropped protects the others.",
    hint="The number of zeros is the same in every call. Each entry is dropped by itself, so that number varies.",
)

mistake(
    "blocks.dropout",
    "same-seed-every-time",
    edit('f"p is {p}, but must be at least 0 and less than 1."', 'f"p is {p}, but must be in [0, 1)."'),
    edit(
        "device = x.device if generator is None else generator.device",
        "generator = torch.Generator().manual_seed(0) if generator is None else generator",
    ),
    edit("dropped = torch.rand(x.shape, generator=generator, device=device) < p", ""),
    edit("x.masked_fill(dropped.to(x.device), 0.0)", "x * (torch.rand(x.shape, generator=generator) >= p)"),
    section="every-place-by-itself",
    why="A seed was set inside the function. Every call then drops the same entries, and a model learns to do without "
    "exactly those.",
    hint="Every call of yours drops the same entries, because a seed is set inside the function. Draw from the "
    "generator as it stands.",
)

mistake(
    "blocks.dropout",
    "generator-ignored",
    edit("p < 0.0 or 1.0 <= p", "not 0 <= p < 1"),
    edit('"dropout probability has to be in [0, 1), but got " + repr(p)', 'f"p is {p}, but must be in [0, 1)."'),
    edit("not training", "not training or p == 0"),
    edit("random_tensor = (1 - p) + torch.rand(x.shape, generator=generator, device=x.device)", ""),
    edit("x.div(1 - p) * random_tensor.floor_().to(x.dtype)", "x * (torch.rand(x.shape) >= p) / (1 - p)"),
    base="shifted-and-floored",
    section="inverted-dropout",
    why="Random numbers came from PyTorch's own generator although another was passed. Results then cannot be repeated "
    "by passing a seeded generator.",
    hint="Two generators with the same seed give you different results: `generator` is not handed to the function that "
    "draws.",
)

mistake(
    "blocks.dropout",
    "generator-started-again",
    edit('f"p is {p}, but must be at least 0 and less than 1."', 'f"p is {p}, but must be in [0, 1)."'),
    edit(
        "device = x.device if generator is None else generator.device",
        "if generator is not None:\n    generator.manual_seed(generator.initial_seed())",
    ),
    edit("dropped = torch.rand(x.shape, generator=generator, device=device) < p", ""),
    edit("x.masked_fill(dropped.to(x.device), 0.0)", "x * (torch.rand(x.shape, generator=generator) >= p)"),
    section="every-place-by-itself",
    why="The generator was set back to its seed in every call. Layers that share it then drop the same entries.",
    hint="Two calls with the same generator drop the same entries: it is set back to its seed each time. Draw from it "
    "as it stands.",
)

mistake(
    "blocks.dropout",
    "normal-instead-of-uniform",
    edit(
        "torch.rand(x.shape, generator=generator, device=device)",
        "torch.randn(x.shape, generator=generator, device=device)",
    ),
    section="inverted-dropout",
    why="Normal random numbers were compared with p. Half of them are negative, so far more than the share p is "
    "dropped.",
    hint="You drop more than the share p: `randn` draws normal numbers, half of them below 0. Compare uniform numbers "
    "with p.",
)

mistake(
    "blocks.dropout",
    "noise-added",
    edit("return x", "return x * (1 + math.sqrt(p / (1 - p)) * torch.randn(x.shape, generator=generator).to(x.dtype))"),
    edit("x = x * keep.to(x.dtype) * (1.0 / (1.0 - p))", "return x"),
    edit("keep = torch.bernoulli(torch.full(x.shape, 1.0 - p), generator=generator)", ""),
    edit("if training:", "if not training or p == 0:"),
    edit('ValueError("p")', 'ValueError(f"p is {p}, but must be in [0, 1).")'),
    edit("p >= 0.0 and p < 1.0", "0 <= p < 1"),
    base="bernoulli-tensor",
    section="inverted-dropout",
    why="x was multiplied by normal noise around 1. That is Gaussian dropout, a relative, in which nothing becomes "
    "exactly 0.",
    hint="None of your entries is exactly 0: you multiply by normal noise. Here each entry is either dropped or "
    "scaled.",
)


@mistake(
    "blocks.dropout",
    "any-p-accepted",
    section="inverted-dropout",
    why="p was not checked. With p = 1 the result is 0/0, and with p = 1.5 it has the wrong sign.",
    hint="p = 1, p = -0.1 and p = 1.5 are accepted in silence. Raise a ValueError that names p and says what is "
    "allowed.",
)
def dropout(x, p, training=True, generator=None):
    if not training or p == 0:
        return x
    return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)


mistake(
    "blocks.dropout",
    "p-of-one-accepted",
    edit("return x", "return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)"),
    edit("x = x * keep.to(x.dtype) * (1.0 / (1.0 - p))", "return x"),
    edit("keep = torch.bernoulli(torch.full(x.shape, 1.0 - p), generator=generator)", ""),
    edit("if training:", "if not training or p == 0:"),
    edit('ValueError("p")', 'ValueError(f"p is {p}, but must be in [0, 1].")'),
    edit("p >= 0.0 and p < 1.0", "0 <= p <= 1"),
    base="bernoulli-tensor",
    section="inverted-dropout",
    why="p = 1 was accepted. Dropping everything and dividing by 1 - p is 0/0, which is NaN.",
    hint="p = 1 passes your test. It would drop everything and divide by 0, so it is outside the allowed range.",
)

mistake(
    "blocks.dropout",
    "p-of-zero-refused",
    edit("return x", "return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)"),
    edit("x = x * keep.to(x.dtype) * (1.0 / (1.0 - p))", "return x"),
    edit("keep = torch.bernoulli(torch.full(x.shape, 1.0 - p), generator=generator)", ""),
    edit("if training:", "if not training:"),
    edit('ValueError("p")', 'ValueError(f"p is {p}, but must be in (0, 1).")'),
    edit("p >= 0.0 and p < 1.0", "0 < p < 1"),
    base="bernoulli-tensor",
    section="inverted-dropout",
    why="p = 0 raises an error. It is the way to switch dropout off, and leaves x as it is.",
    hint="p = 0 raises in your function. It means that nothing is dropped, and x comes back as it is.",
)

mistake(
    "blocks.dropout",
    "asserts",
    edit("return x", "return x * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)"),
    edit("x = x * keep.to(x.dtype) * (1.0 / (1.0 - p))", "return x"),
    edit("keep = torch.bernoulli(torch.full(x.shape, 1.0 - p), generator=generator)", ""),
    edit("if training:", "if not training or p == 0:"),
    edit('if not (p >= 0.0 and p < 1.0):\n    raise ValueError("p")', 'assert 0 <= p < 1, "p must be in [0, 1)"'),
    base="bernoulli-tensor",
    section="inverted-dropout",
    why="p was checked with assert. Python leaves assertions out when it runs with -O, and they raise AssertionError, "
    "which says that the program is wrong, not the argument.",
    hint="A p outside [0, 1) raises AssertionError in your function. For wrong arguments raise a ValueError, with a "
    "message that names p.",
)

mistake(
    "blocks.dropout",
    "converts-to-float32",
    edit("return x", "return (x.float() * (torch.rand(x.shape, generator=generator) >= p).float() / (1 - p)).float()"),
    edit("x = x * keep.to(x.dtype) * (1.0 / (1.0 - p))", "return x"),
    edit("keep = torch.bernoulli(torch.full(x.shape, 1.0 - p), generator=generator)", ""),
    edit("if training:", "if not training or p == 0:"),
    edit('ValueError("p")', 'ValueError(f"p is {p}, but must be in [0, 1).")'),
    edit("p >= 0.0 and p < 1.0", "0 <= p < 1"),
    base="bernoulli-tensor",
    section="blocks-pitfalls",
    why="A float32 mask was multiplied with x, and for bfloat16 or float16 the result takes the wider type. The next "
    "layer then meets two types.",
    hint="For x in bfloat16 your result is float32, because the mask is. Make the mask boolean, or give it the dtype "
    "of x.",
)

mistake(
    "blocks.dropout",
    "argument-changed",
    edit("return x", "return x.data.masked_fill_(torch.rand(x.shape, generator=generator) < p, 0.0).div_(1 - p)"),
    edit("x = x * keep.to(x.dtype) * (1.0 / (1.0 - p))", "return x"),
    edit("keep = torch.bernoulli(torch.full(x.shape, 1.0 - p), generator=generator)", ""),
    edit("if training:", "if not training or p == 0:"),
    edit('ValueError("p")', 'ValueError(f"p is {p}, but must be in [0, 1).")'),
    edit("p >= 0.0 and p < 1.0", "0 <= p < 1"),
    base="bernoulli-tensor",
    section="blocks-pitfalls",
    why="Entries were set to 0 in the tensor that was passed in. The caller's tensor has holes afterwards.",
    hint="Your result may be right, but the tensor that was passed in has changed. Use the forms without the "
    "underscore.",
)

mistake(
    "blocks.dropout",
    "cut-from-the-graph",
    edit("return x", "return x.detach() * (torch.rand(x.shape, generator=generator) >= p) / (1 - p)"),
    edit("x = x * keep.to(x.dtype) * (1.0 / (1.0 - p))", "return x"),
    edit("keep = torch.bernoulli(torch.full(x.shape, 1.0 - p), generator=generator)", ""),
    edit("if training:", "if not training or p == 0:"),
    edit('ValueError("p")', 'ValueError(f"p is {p}, but must be in [0, 1).")'),
    edit("p >= 0.0 and p < 1.0", "0 <= p < 1"),
    base="bernoulli-tensor",
    section="blocks-pitfalls",
    why="The result was computed on detached numbers. No gradient passes, so nothing before the dropout can learn.",
    hint="Your values are right, but no gradient arrives at `x`: something detaches it. What stays has the gradient "
    "1/(1 - p), what is dropped 0.",
)

mistake(
    "blocks.dropout",
    "scaled-by-the-share-that-stayed",
    edit('f"p is {p}, but must be at least 0 and less than 1."', 'f"p is {p}, but must be in [0, 1)."'),
    edit("device = x.device if generator is None else generator.device", ""),
    edit(
        "dropped = torch.rand(x.shape, generator=generator, device=device) < p",
        "keep = torch.rand(x.shape, generator=generator) >= p",
    ),
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x * keep * keep.numel() / keep.sum()"),
    section="inverted-dropout",
    why="What stays was divided by the share that happened to stay, not by 1 - p. The mean of the tensor is then kept "
    "exactly, but entries depend on each other's fate, and the expectation is not x.",
    hint="What stays is not x/(1 - p), but a number that varies from call to call: you divide by the share that "
    "happened to stay. The probability of staying is 1 - p.",
)


# ---------------------------------------------------------------------------------------------------------------------
# SublayerConnection


mistake(
    "blocks.SublayerConnection",
    "always-pre",
    edit("self.norm = norm", ""),
    edit('if self.norm == "pre":\n    return x + self.dropout(sublayer(self.norm_layer(x)))', ""),
    edit("self.norm_layer(x + self.dropout(sublayer(x)))", "x + self.dropout(sublayer(self.norm_layer(x)))"),
    section="pre-and-post-norm",
    why="The input of the sublayer is normalised whatever norm says. With norm='post' the sum is to be normalised.",
    hint='With norm="post" you still normalise before the sublayer. Post-norm normalises the sum of x and what the '
    "sublayer returned.",
)

mistake(
    "blocks.SublayerConnection",
    "always-post",
    edit("self.norm = norm", ""),
    edit('if self.norm == "pre":\n    return x + self.dropout(sublayer(self.norm_layer(x)))', ""),
    section="pre-and-post-norm",
    why="The sum is normalised whatever norm says. With norm='pre' the input of the sublayer is to be normalised and "
    "the sum left alone.",
    hint='With norm="pre" you still normalise the sum. Pre-norm normalises what enters the sublayer, and x itself '
    "passes untouched.",
)

mistake(
    "blocks.SublayerConnection",
    "pre-and-post-exchanged",
    edit('self.norm == "pre"', 'self.norm == "post"'),
    section="pre-and-post-norm",
    why="Pre-norm and post-norm have changed places. Pre normalises before the sublayer, post after the sum.",
    hint='Your norm="pre" normalises the sum and your norm="post" the input: the two have changed places.',
)

mistake(
    "blocks.SublayerConnection",
    "post-by-default",
    edit(
        'def __init__(self, d_model, dropout=0.1, norm="pre"):',
        'def __init__(self, d_model, dropout=0.1, norm="post"):',
    ),
    section="pre-and-post-norm",
    why="The default of norm is 'post'. Here it is 'pre', with which deep stacks train more easily.",
    hint='Without the argument `norm` you do post-norm; the default is "pre".',
)

mistake(
    "blocks.SublayerConnection",
    "norm-on-the-branch",
    edit("sublayer(self.norm_layer(x))", "self.norm_layer(sublayer(x))"),
    section="pre-and-post-norm",
    why="What the sublayer returned was normalised before it was added: x + norm(sublayer(x)). That is a third "
    "arrangement; pre-norm normalises what goes in.",
    hint='With norm="pre" you normalise what comes out of the sublayer. It is what goes in that is normalised: '
    "sublayer(norm(x)).",
)

mistake(
    "blocks.SublayerConnection",
    "residual-of-the-normed",
    edit(
        "return x + self.dropout(sublayer(self.norm_layer(x)",
        "x = self.norm_layer(x)\nreturn x + self.dropout(sublayer(x",
    ),
    section="pre-and-post-norm",
    why="The normalised x was added in place of x itself. The residual stream is then normalised at every layer, and "
    "nothing passes untouched.",
    hint='With norm="pre" you add norm(x) to the sublayer\'s output. The shortcut carries x as it came in.',
)

mistake(
    "blocks.SublayerConnection",
    "norm-on-both-sides",
    edit(
        'if self.norm == "pre":\n    return x + self.dropout(sublayer(self.norm_layer(x)))',
        "y = x + self.dropout(sublayer(self.norm_layer(x)))",
    ),
    edit("self.norm_layer(x + self.dropout(sublayer(x)))", 'y if self.norm == "pre" else self.norm_layer(y)'),
    section="pre-and-post-norm",
    why="Post-norm normalises the input of the sublayer as well. Only the sum is to be normalised.",
    hint='With norm="post" the sublayer gets norm(x) in your code; it gets x itself, and only the sum is normalised.',
)

mistake(
    "blocks.SublayerConnection",
    "post-norm-before-the-sum",
    edit("self.norm_layer(x + self.dropout(sublayer(x)))", "x + self.norm_layer(self.dropout(sublayer(x)))"),
    section="pre-and-post-norm",
    why="With post-norm the sublayer's output was normalised and x added afterwards. Post-norm normalises the sum of "
    "both.",
    hint='With norm="post" you normalise the sublayer\'s output and then add x. It is the sum that is normalised.',
)

mistake(
    "blocks.SublayerConnection",
    "no-residual",
    edit("x + self.dropout(sublayer(self.norm_layer(x)))", "self.dropout(sublayer(self.norm_layer(x)))"),
    edit("x + self.dropout(sublayer(x))", "self.dropout(sublayer(x))"),
    section="residual-connections",
    why="x was not added. The sublayer is called, but there is no way around it for the signal or its gradient.",
    hint="Your result is what the sublayer returns: x is not added to it.",
)

mistake(
    "blocks.SublayerConnection",
    "no-normalisation",
    edit("self.norm = norm", ""),
    edit('if self.norm == "pre":\n    return x + self.dropout(sublayer(self.norm_layer(x)))', ""),
    edit("self.norm_layer(x + self.dropout(sublayer(x)))", "x + self.dropout(sublayer(x))"),
    section="pre-and-post-norm",
    why="The norm layer exists but is never used. That is the plain residual connection.",
    hint="Your result does not depend on the weights of `norm_layer`: it is never called.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-on-the-sum",
    edit("x + self.dropout(sublayer(self.norm_layer(x)))", "self.dropout(x + sublayer(self.norm_layer(x)))"),
    edit("x + self.dropout(sublayer(x))", "self.dropout(x + sublayer(x))"),
    section="where-dropout-goes",
    why="Dropout was applied to the sum of x and the sublayer's output. It then makes holes in the shortcut too, and "
    "after a few layers little of x is left.",
    hint="In training, entries of x are lost as well: dropout acts on the sum. It belongs on what the sublayer "
    "returned, before x is added.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-on-the-input",
    edit("self.dropout(sublayer(self.norm_layer(x)))", "sublayer(self.dropout(self.norm_layer(x)))"),
    edit("self.dropout(sublayer(x))", "sublayer(self.dropout(x))"),
    section="where-dropout-goes",
    why="Dropout was applied to what enters the sublayer. It belongs on what the sublayer returns.",
    hint="In training the sublayer gets an input with holes: dropout stands before it. It belongs on what the sublayer "
    "returned.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-after-the-norm",
    edit("self.norm_layer(x + self.dropout(sublayer(x)))", "self.dropout(self.norm_layer(x + sublayer(x)))"),
    section="where-dropout-goes",
    why="With post-norm, dropout was applied to the normalised result. The next layer then gets an input with holes, "
    "also where the shortcut passes.",
    hint='With norm="post" your result has zeros in training: dropout comes last. It belongs on what the sublayer '
    "returned, before x is added.",
)

mistake(
    "blocks.SublayerConnection",
    "no-dropout",
    edit("self.dropout = nn.Dropout(dropout)", ""),
    edit("self.dropout(sublayer(self.norm_layer(x)))", "sublayer(self.norm_layer(x))"),
    edit("self.dropout(sublayer(x))", "sublayer(x)"),
    section="where-dropout-goes",
    why="The argument dropout is accepted and never used. The sublayers are not regularised, whatever the caller "
    "passes.",
    hint="In training nothing is dropped: the argument `dropout` is never used. It acts on what the sublayer returned.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-also-in-evaluation",
    edit("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
    edit("self.dropout(sublayer(self.norm_layer(x)))", "F.dropout(sublayer(self.norm_layer(x)), self.p)"),
    edit("self.dropout(sublayer(x))", "F.dropout(sublayer(x), self.p)"),
    section="only-while-training",
    why="`F.dropout` (or one's own `dropout`) was called without `training`, whose default is True. Entries are then "
    "dropped in evaluation too.",
    hint="Your layer still drops entries after `eval()`: the function drops unless told otherwise. Pass "
    "`training=self.training`, or use the module `nn.Dropout`.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-probability-fixed",
    edit("nn.Dropout(dropout)", "nn.Dropout(0.1)"),
    section="where-dropout-goes",
    why="The probability 0.1 was written down in place of the argument dropout. Another probability is then ignored.",
    hint="You drop a tenth of the entries whatever the argument `dropout` says: hand it to the dropout layer.",
)

mistake(
    "blocks.SublayerConnection",
    "unknown-norm-accepted",
    edit(
        """
        if norm not in ("pre", "post"):
            raise ValueError(f'norm is {norm!r}, but must be "pre" or "post".')
        """,
        "",
    ),
    section="pre-and-post-norm",
    why="Any norm other than 'pre' was taken to mean post-norm. A typing error then builds another model without a "
    "word.",
    hint='An unknown norm such as "before" is taken for one of the two in silence. Raise a ValueError that names the '
    "argument and says what is allowed.",
)

mistake(
    "blocks.SublayerConnection",
    "unknown-norm-gives-nothing",
    edit(
        """
        if norm not in ("pre", "post"):
            raise ValueError(f'norm is {norm!r}, but must be "pre" or "post".')
        """,
        "",
    ),
    edit('if self.norm == "pre":\n    return x + self.dropout(sublayer(self.norm_layer(x)))', ""),
    edit(
        "return self.norm_layer(x + self.dropout(sublayer(x)))",
        """
        if self.norm == "pre":
            return x + self.dropout(sublayer(self.norm_layer(x)))
        elif self.norm == "post":
            return self.norm_layer(x + self.dropout(sublayer(x)))
        """,
    ),
    section="pre-and-post-norm",
    why="For an unknown norm neither branch was taken, and forward returned None. The failure then shows far away from "
    "its cause.",
    hint="For an unknown norm your `forward` falls through both branches and returns None. Raise a ValueError that "
    "says what is allowed.",
)

mistake(
    "blocks.SublayerConnection",
    "other-attribute-name",
    edit("self.norm = norm", "self.kind = norm"),
    edit("self.norm_layer = LayerNorm(d_model)", "self.norm = LayerNorm(d_model)"),
    edit('self.norm == "pre"', 'self.kind == "pre"'),
    edit("self.norm_layer(x)", "self.norm(x)"),
    edit("self.norm_layer(x + self.dropout(sublayer(x)))", "self.norm(x + self.dropout(sublayer(x)))"),
    section="pre-and-post-norm",
    why="The layer is called norm in place of norm_layer. Names are part of the interface: weights are copied in by "
    "them, and `norm` is the argument.",
    hint="There is no `norm_layer` in your module. `norm` is the argument that says where; the layer itself is called "
    "`norm_layer`.",
)

mistake(
    "blocks.SublayerConnection",
    "argument-changed",
    edit(
        "return x + self.dropout(sublayer(self.norm_layer(x)))",
        "x += self.dropout(sublayer(self.norm_layer(x)))\nreturn x",
    ),
    edit(
        "return self.norm_layer(x + self.dropout(sublayer(x))",
        "x += self.dropout(sublayer(x))\nreturn self.norm_layer(x",
    ),
    section="blocks-pitfalls",
    why="The sublayer's output was added in place. The caller's x, which another connection may need, is changed.",
    hint="Your result is right, but the x that was passed in has changed: write `x + ...`, not `x += ...`.",
)


@mistake(
    "blocks.SublayerConnection",
    "sublayer-result-changed",
    section="residual-connections",
    why="`x` was added in place to what the sublayer returned. A sublayer may return its very argument, and then the "
    "caller's `x` is changed.",
    hint="Around a sublayer that returns its argument, your connection changes `x` itself. Write `x + y` and not `y += "
    "x`.",
)
class SublayerConnection(RightConnection):
    def forward(self, x, sublayer):
        if self.norm == "pre":
            return super().forward(x, sublayer)
        summed = self.dropout(sublayer(x))
        summed += x
        return self.norm_layer(summed)


mistake(
    "blocks.SublayerConnection",
    "drops-in-place",
    edit("self.dropout = nn.Dropout(dropout)", "self.dropout = nn.Dropout(dropout)\nself.dropout.inplace = True"),
    section="residual-connections",
    why="The dropout layer was made with `inplace=True`. With post-norm, a sublayer may return its very argument, and "
    "then entries of the caller's `x` are dropped.",
    hint="In training, with post-norm, entries of `x` itself become 0. Leave `inplace=True` out of `nn.Dropout`.",
)

mistake(
    "blocks.SublayerConnection",
    "subtracted",
    edit("x + self.dropout(sublayer(self.norm_layer(x)))", "x - self.dropout(sublayer(self.norm_layer(x)))"),
    edit("x + self.dropout(sublayer(x))", "x - self.dropout(sublayer(x))"),
    section="residual-connections",
    why="The sublayer's output was subtracted from x. A residual connection adds.",
    hint="You subtract what the sublayer returns; the residual connection adds it.",
)

mistake(
    "blocks.SublayerConnection",
    "shortcut-detached",
    edit("x + self.dropout(sublayer(self.norm_layer(x)))", "x.detach() + self.dropout(sublayer(self.norm_layer(x)))"),
    edit("x + self.dropout(sublayer(x))", "x.detach() + self.dropout(sublayer(x))"),
    section="residual-gradients",
    why="x was detached on the shortcut. The forward pass is right, but the gradient can only go through the sublayer, "
    "which is what the shortcut was to avoid.",
    hint="Your values are right and the gradient of `x` is wrong: the shortcut is cut by `detach` or `no_grad`, and "
    "with it the direct way of the gradient.",
)

mistake(
    "blocks.SublayerConnection",
    "first-sublayer-kept",
    edit("self.dropout = nn.Dropout(dropout)", "self.dropout = nn.Dropout(dropout)\nself.sublayers = []"),
    edit(
        'if self.norm == "pre":',
        'self.sublayers.append(sublayer)\nfirst = self.sublayers[0]\nif self.norm == "pre":',
    ),
    edit("sublayer(self.norm_layer(x))", "first(self.norm_layer(x))"),
    edit("sublayer(x)", "first(x)"),
    section="residual-connections",
    why="The sublayer of the first call was stored and used in all later calls. The sublayer is an argument of "
    "forward, and another call may bring another one.",
    hint="Your second call still uses the sublayer of the first one, which is kept in an attribute. Call the one that "
    "is passed.",
)

mistake(
    "blocks.dropout",
    "p-is-what-stays-scaled-by-the-rest",
    edit(" or p == 0", ""),
    edit(") < p", ") >= p"),
    section="inverted-dropout",
    why="Entries were dropped with probability 1 - p and then divided by 1 - p. With p = 0 nothing is left.",
    hint="You keep a share p of the entries and drop the rest. Here, as in PyTorch, p is the share that is dropped.",
)

mistake(
    "blocks.LayerNorm",
    "gain-starts-at-random",
    edit("torch.ones(d_model)", "torch.randn(d_model)"),
    section="gain-and-bias",
    why="The gain was drawn at random. A new layer norm then scales each component by another factor.",
    hint="Your `gamma` starts with random numbers. It starts at 1, so that a new layer norm only normalises.",
)

mistake(
    "blocks.LayerNorm",
    "gain-and-bias-exchanged",
    edit("self.gamma * centred", "self.beta * centred"),
    edit("+ self.beta", "+ self.gamma"),
    section="gain-and-bias",
    why="The bias multiplies and the gain is added. A new layer norm then returns ones.",
    hint="`beta` multiplies and `gamma` is added in your code. The gain `gamma` multiplies, the bias `beta` is added.",
)
