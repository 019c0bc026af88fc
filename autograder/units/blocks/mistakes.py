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
    why="Your values differ from a checkpoint's by up to 0.0005. You computed the exact GELU, with the error "
    "function, while GPT-2 uses an approximation. Which function stands in the formula of the task?",
    hint="Your values are those of the other GELU, the one with erf. The two differ by at most 0.0005, which is enough "
    "to miss a checkpoint's numbers: use the formula with tanh.",
)

mistake(
    "blocks.gelu",
    "sigmoid-form",
    edit("0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))", "x * torch.sigmoid(1.702 * x)"),
    section="two-gelus",
    why="Your values are up to 0.02 off. You computed x times sigmoid(1.702 x), the roughest of the three forms in "
    "the paper. Which function stands in the formula of the task?",
    hint="Your values are those of x * sigmoid(1.702 x). That is the roughest of the three forms in the paper; the "
    "task names the one with tanh.",
)

mistake(
    "blocks.gelu",
    "silu",
    edit("0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))", "x * torch.sigmoid(x)"),
    section="gelu-and-relu",
    why="Your curve has a similar shape, but other values. You computed SiLU, which is x times sigmoid(x). By which "
    "distribution does GELU weight x?",
    hint="Your values are those of SiLU, x * sigmoid(x). GELU weighs x by the normal distribution, here through tanh.",
)

mistake(
    "blocks.gelu",
    "relu",
    edit("0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))", "torch.relu(x)"),
    section="gelu-and-relu",
    why="Your function is 0 for every negative number. You computed ReLU, while GELU is smooth and lets a little of a "
    "negative number through. What should your function return at -1?",
    hint="Your function is 0 for every negative number, which is ReLU. GELU lets a little of a negative number "
    "through.",
)

mistake(
    "blocks.gelu",
    "misplaced-decimal-point",
    edit("0.044715 * x**3", "0.44715 * x**3"),
    section="two-gelus",
    why="Your values are too far from 0 around x = 1: 0.9096 instead of 0.8412. You wrote a constant in front of the "
    "cube that is ten times too large. Where does its decimal point belong?",
    hint="Your values are too far from 0 around x = 1: 0.9096 where 0.8412 is right. Look at the constant in front of "
    "the cube: a zero after the point is missing.",
)

mistake(
    "blocks.gelu",
    "no-cube",
    edit("x + 0.044715 * x**3", "x"),
    section="two-gelus",
    why="Your values are too small away from 0: about 1.921 instead of 1.9546 at x = 2. You left out a term inside "
    "tanh. Which power of x is missing?",
    hint="At x = 2 you have 1.9210 or so where 1.9546 is right: the cubic term inside tanh is missing.",
)

mistake(
    "blocks.gelu",
    "square-instead-of-cube",
    edit("0.044715 * x**3", "0.044715 * x**2"),
    section="two-gelus",
    why="Your values are worst at negative numbers. You squared x inside tanh, and a square loses the sign. Which "
    "power stands in the formula?",
    hint="Your values are worst at negative numbers: inside tanh x is squared, and it has to be cubed, which keeps the "
    "sign.",
)

mistake(
    "blocks.gelu",
    "root-forgotten",
    edit("math.sqrt(2 / math.pi)", "2 / math.pi"),
    section="two-gelus",
    why="Your curve rises too slowly, with values too close to x/2. You used 2/pi itself as the factor inside tanh. "
    "What does the formula do with this fraction?",
    hint="Your values are too close to x/2: the factor in front of the bracket is the square root of 2/pi, not 2/pi.",
)

mistake(
    "blocks.gelu",
    "root-upside-down",
    edit("2 / math.pi", "math.pi / 2"),
    section="two-gelus",
    why="Your curve bends too sharply around 0. You inverted the fraction under the root. Which number stands above "
    "the other in the formula?",
    hint="Your curve bends too sharply around 0: the fraction under the root stands upside down.",
)

mistake(
    "blocks.gelu",
    "one-forgotten",
    edit('nn.GELU("tanh")(x)', "0.5 * x * torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))"),
    base="module-inside",
    section="two-gelus",
    why="Your function gives the same value for x and -x. You left out the 1 beside tanh, so the factor that "
    "multiplies x runs from negative to positive values. In which range should this factor lie?",
    hint="Your function is the same for x and -x. In the bracket, 1 is added to tanh, which takes it from the range -1 "
    "to 1 into the range 0 to 2.",
)

mistake(
    "blocks.gelu",
    "half-forgotten",
    edit("0.5 * x", "x"),
    section="two-gelus",
    why="All your values are twice what they should be. You left out a factor: the sum of 1 and tanh goes up to 2. "
    "Which factor brings it back to 1?",
    hint="All your values are twice what they should be: 1 + tanh goes up to 2, so the factor 0.5 is needed.",
)

mistake(
    "blocks.gelu",
    "x-forgotten",
    edit("0.5 * x", "0.5"),
    section="gelu-and-relu",
    why="Your values lie between 0 and 1, with 0.5 at x = 0. You returned only the factor that multiplies x. What "
    "does GELU do with this factor and x?",
    hint="Your values lie between 0 and 1 and are 0.5 at x = 0: you return only a factor. GELU multiplies x by this "
    "factor.",
)

mistake(
    "blocks.gelu",
    "cube-outside-the-bracket",
    edit("math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)", "math.sqrt(2 / math.pi) * x + 0.044715 * x**3"),
    section="two-gelus",
    why="Your values are slightly too far from 0 around x = 2. You multiplied x alone by sqrt(2/pi). Which other term "
    "does it multiply in the formula?",
    hint="Your values are slightly too far from 0 around x = 2. The factor sqrt(2/pi) has to multiply the cubic term "
    "as well: put both terms into a bracket.",
)

mistake(
    "blocks.gelu",
    "converts-to-float32",
    edit("return 0.5 * x * (", "x = x.float()\nreturn 0.5 * x * ("),
    section="blocks-pitfalls",
    why="Your result is float32 whatever type came in. You converted the input, so float64 loses half of its digits, "
    "and bfloat16 meets another type in the next layer. Which type should the result have?",
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
    why="After the call, the caller's tensor holds other numbers. You multiplied the input in place. Which form of "
    "the product makes a new tensor?",
    hint="Your result is right, but the tensor that was passed in has changed. A function here never changes its "
    "arguments: use the forms without the underscore.",
)

mistake(
    "blocks.gelu",
    "cut-from-the-graph",
    edit('nn.GELU("tanh")(x)', 'F.gelu(x.detach(), approximate="tanh")'),
    base="module-inside",
    section="blocks-pitfalls",
    why="Your values are right, but no gradient reaches `x`, so nothing before the activation can learn. You computed "
    "on a detached tensor. Which tensor should the formula use instead?",
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
    why="For numbers of large size, your result is NaN. You wrote tanh with two exponentials, and one of them "
    "overflows, which gives inf / inf. Which function computes tanh without overflow?",
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
    why="For large positive numbers, your result is NaN. You wrote tanh with an exponential, and it overflows, which "
    "gives inf / inf. Which function computes tanh without overflow?",
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
    why="Your results are the right ones times sqrt((d - 1)/d). You divided by `x.std()`, which divides by d - 1, "
    "and added eps outside the root, as several published programs do. What does PyTorch's layer normalisation "
    "divide by?",
    hint="Your results are too small by the factor sqrt((d - 1)/d): `std` and `var` divide by d - 1 unless told "
    "otherwise. Divide the squares by d, and put eps under the root.",
)

mistake(
    "blocks.LayerNorm",
    "unbiased-variance",
    edit("x.var(-1, unbiased=False, keepdim=True)", "x.var(-1, keepdim=True)"),
    base="mean-and-variance-first",
    section="biased-variance",
    why="Your results are the right ones times sqrt((d - 1)/d). You divided the squares by d - 1, which estimates the "
    "variance from a sample. Is the vector a sample, or all there is?",
    hint="Your results are too small by the factor sqrt((d - 1)/d): `var` divides by d - 1 unless told otherwise.",
)

mistake(
    "blocks.LayerNorm",
    "epsilon-outside-the-root",
    edit("x.var(-1, unbiased=False, keepdim=True)", "x.std(-1, unbiased=False, keepdim=True)"),
    edit("torch.sqrt(variance + self.eps)", "(variance + self.eps)"),
    base="mean-and-variance-first",
    section="epsilon-inside-the-root",
    why="Your results are right for ordinary rows and wrong for nearly constant ones. You added eps to the standard "
    "deviation. Where does eps stand in the formula?",
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
    why="Rows of equal numbers come out as NaN, and nearly constant rows are blown up. You left eps out, so such a "
    "row is 0/0. Where does eps stand in the formula?",
    hint="Rows of equal numbers come out as NaN, and nearly constant rows are blown up: eps is not used. It is added "
    "to the variance, under the root.",
)

mistake(
    "blocks.LayerNorm",
    "epsilon-fixed",
    edit("self.eps = eps", ""),
    edit("variance + self.eps", "variance + 1e-5"),
    section="epsilon-inside-the-root",
    why="Your results do not depend on `eps`. You wrote a number instead of the argument. Where should the argument "
    "be kept until `forward` needs it?",
    hint="Your results do not depend on the argument `eps`. Keep it in `__init__` and use it in `forward`.",
)

mistake(
    "blocks.LayerNorm",
    "other-default-epsilon",
    edit("def __init__(self, d_model, eps=1e-5):", "def __init__(self, d_model, eps=1e-6):"),
    section="epsilon-inside-the-root",
    why="Without the argument `eps`, rows of small variance come out too large. Your default is 1e-6, as in some "
    "published programs. Which default does the task give?",
    hint="Your result is right for an eps that is passed; without one, rows of small variance come out too large. The "
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
    why="Rows of small variance come out too large. You added the square of eps, which is almost 0. What does the "
    "formula add to the variance?",
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
    why="Your results are too large for rows whose variance is near eps. You used eps as a lower limit of the "
    "variance. What does the formula do with eps?",
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
    why="Doubling the input halves your result. You divided the deviations by the variance, which has the unit of x "
    "squared. Which measure of spread has the unit of x?",
    hint="Twice as large an input gives you half as large a result: you divide by the variance. Its square root, the "
    "standard deviation, has the unit of x.",
)

mistake(
    "blocks.LayerNorm",
    "mean-of-absolute-deviations",
    edit("centred.square().mean", "centred.abs().mean"),
    edit("torch.sqrt(variance + self.eps)", "(variance + self.eps)"),
    section="biased-variance",
    why="Your results are too large. You divided by the mean absolute deviation, which is usually smaller than the "
    "standard deviation. Which three steps lead from deviations to a standard deviation?",
    hint="Your results are too large: you divide by the mean of the absolute deviations. Square them, average, and take "
    "the root.",
)

mistake(
    "blocks.LayerNorm",
    "root-of-the-standard-deviation",
    edit("x.var(-1, unbiased=False, keepdim=True)", "x.std(-1, unbiased=False, keepdim=True)"),
    base="mean-and-variance-first",
    section="layer-normalisation",
    why="Your rows do not have variance 1, and they depend on the unit of x. You took a root of the standard "
    "deviation, which is already a root. How many roots does the formula contain?",
    hint="Your results do not have variance 1, because you take a second root. The standard deviation already is the "
    "root of the variance, so one root is enough.",
)

mistake(
    "blocks.LayerNorm",
    "mean-not-subtracted",
    edit("mean = x.mean(-1, keepdim=True)", ""),
    edit("x - mean", "x"),
    base="mean-and-variance-first",
    section="layer-normalisation",
    why="The mean of your rows is not 0. You divided by the standard deviation without centring the entries. What "
    "should be subtracted from x before the division?",
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
    why="Your rows have a variance below 1 whenever their mean is not 0. You used the mean of the squares as "
    "variance, which mixes layer normalisation with RMSNorm. From which value does a variance measure distances?",
    hint="Your rows have a variance below 1 whenever their mean is not 0. You divide by the root mean square of x; "
    "take that of its deviations from the mean.",
)

mistake(
    "blocks.LayerNorm",
    "normalised-over-the-batch",
    edit("x.mean(-1, keepdim=True)", "x - x.mean(0, keepdim=True)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "mean.square().mean(0, keepdim=True)"),
    edit("x - mean", "mean"),
    base="mean-and-variance-first",
    section="which-axis",
    why="Your result for one sequence changes with the other sequences of the batch. You took mean and variance "
    "along the first axis, as batch normalisation does. Over which axis is a vector normalised by itself?",
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
    why="Your result for one position changes with other positions, which breaks every causal model. You took mean "
    "and variance over the last two axes together. Over which axis is a vector normalised by itself?",
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
    why="Vectors keep their differences in size, and each depends on all others. You used one mean and one variance "
    "for the whole tensor. How many means does a tensor of N vectors need?",
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
    why="Your rows are normalised over time. You used axis 1, which is the last one only for a matrix. From which "
    "end can axes be counted safely?",
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
    why="Your layer works for (B, T, d) and fails for other numbers of axes. You wrote 2 for the last axis. From "
    "which end can axes be counted safely?",
    hint="Your layer works for (B, T, d) and fails for other numbers of axes, because you wrote 2 for the last axis. "
    "Count it from the end.",
)

mistake(
    "blocks.LayerNorm",
    "axis-not-kept",
    edit("x.mean(-1, keepdim=True)", "x - x.mean(-1)"),
    edit("x.var(-1, unbiased=False, keepdim=True)", "mean.square().mean(-1)"),
    edit("x - mean", "mean"),
    base="mean-and-variance-first",
    section="which-axis",
    why="Your layer fails or uses the wrong axis. You let the mean drop the axis it ran over, so (B, T, d) minus (B, "
    "T) does not line up. How can a reduction keep its axis?",
    hint="After a mean along the last axis that axis is gone, so (B, T, d) minus (B, T) does not line up. Tell the "
    "reduction to keep it with length 1.",
)

mistake(
    "blocks.LayerNorm",
    "no-gain-and-bias",
    edit(
        "self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta",
        "centred / torch.sqrt(variance + self.eps)",
    ),
    section="gain-and-bias",
    why="Trained weights have no effect on your result. You created gamma and beta, but do not use them. What does "
    "each of the two do with a normalised entry?",
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
    why="Your result does not depend on `beta`, so a trained bias has no effect. You did not add the bias. Which step "
    "is missing at the end?",
    hint="Your result does not depend on `beta`. Add it at the end.",
)

mistake(
    "blocks.LayerNorm",
    "gain-after-bias",
    edit(
        "self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta",
        "self.gamma * (centred / torch.sqrt(variance + self.eps) + self.beta)",
    ),
    section="gain-and-bias",
    why="Trained weights give another result. You added `beta` before the multiplication by `gamma`, so the gain "
    "also scales the bias. Which of the two comes first?",
    hint="You multiply `beta` by `gamma` as well: first the gain, then the bias.",
)

mistake(
    "blocks.LayerNorm",
    "scalar-gain-and-bias",
    edit("self.eps = eps", ""),
    edit("torch.ones(d_model)", "torch.ones(1)"),
    edit("self.beta = nn.Parameter(torch.zeros(d_model))", "self.beta = nn.Parameter(torch.zeros(1))\nself.eps = eps"),
    section="gain-and-bias",
    why="The weights of a trained model do not fit your layer. You made gain and bias single numbers for the whole "
    "vector. How many entries should each have?",
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
    why="Training does not change gamma and beta, and they are not saved. You kept them as plain tensors, which "
    "`parameters()` does not list. What turns a tensor into a parameter?",
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
    why="gamma and beta are saved, but training does not change them. You registered them as buffers. Which kind of "
    "tensor does an optimiser receive?",
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
    why="A new layer does more than normalise. You start gamma and beta at random numbers. Which gain and which bias "
    "change nothing?",
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
    why="A new layer returns only zeros, and no gradient passes through it at first. You start gamma at 0. Which gain "
    "changes nothing?",
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
    why="Your values are right, but the gradient of `x` is wrong. You cut mean and variance from the graph, although "
    "both depend on every entry of x. Which steps must be recorded?",
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
    why="After the call, the caller's x has changed, and the residual connection adds the wrong tensor. You "
    "subtracted the mean in place. Which form makes a new tensor?",
    hint="Your result is right, but the tensor that was passed in has changed. A residual connection still needs it. "
    "Subtract in a form that makes a new tensor.",
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
    why="Your result is float32 whatever type came in, so the next product of a bfloat16 model meets two types. You "
    "left the result of a float32 computation as it was. Which type should you return?",
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
    why="Building your layer raises an error about assigning parameters. You assigned them before `nn.Module` had "
    "created the tables in which it registers them. Which call has to come first?",
    hint="Building your layer raises 'cannot assign parameters before Module.__init__() call'. The first line of "
    "`__init__` has to initialise the base class.",
)


@mistake(
    "blocks.LayerNorm",
    "library-names",
    section="gain-and-bias",
    why="Weights cannot be copied into your layer. You used the names of `nn.LayerNorm`, and names are part of the "
    "interface. Which two names does the task give?",
    hint="There is no `gamma` in your layer. PyTorch calls the two parameters `weight` and `bias`; here they are "
    "`gamma` and `beta`, and weights are copied in by those names.",
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
    why="The second call uses the mean and variance of the first. You stored them, as batch normalisation stores "
    "running averages. What does a layer norm compute anew for every vector?",
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
    why="Your rows have mean 0. You subtracted the mean, as layer normalisation does. What does RMSNorm leave out?",
    hint="Your rows have mean 0: you have subtracted it, which makes this a layer normalisation without bias. RMSNorm "
    "only divides.",
)

mistake(
    "blocks.rms_norm",
    "standard-deviation",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.var(-1, unbiased=False, keepdim=True) + eps"),
    section="rms-normalisation",
    why="Your results are right only for rows of mean 0. You divided by the standard deviation, which measures "
    "distances from the mean. From which value does the root mean square measure?",
    hint="You divide by the standard deviation. That equals the root mean square only for rows of mean 0: take the "
    "mean of the squares of x itself.",
)

mistake(
    "blocks.rms_norm",
    "sum-instead-of-mean",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.square().sum(-1, keepdim=True) + eps"),
    section="rms-normalisation",
    why="Your results are sqrt(d) times too small, so entries shrink as vectors grow wider. You divided by the length "
    "of the vector. What turns the sum of the squares into a mean square?",
    hint="Your results are too small by the factor sqrt(d): you divide by the length of the vector. The root mean "
    "square has the mean of the squares under the root, not their sum.",
)

mistake(
    "blocks.rms_norm",
    "no-root",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("torch.sqrt(mean_square + eps)", "(x.square().mean(-1, keepdim=True) + eps)"),
    section="rms-normalisation",
    why="Doubling the input halves your result. You divided by the mean square, which has the unit of x squared. "
    "Which step is missing?",
    hint="Twice as large an input gives you half as large a result: the root of the mean square is missing.",
)

mistake(
    "blocks.rms_norm",
    "mean-of-absolute-values",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("torch.sqrt(mean_square + eps)", "(x.abs().mean(-1, keepdim=True) + eps)"),
    section="rms-normalisation",
    why="Your results are too large wherever entries differ in size. You divided by the mean absolute value. Which "
    "three steps does the name root mean square describe?",
    hint="You divide by the mean absolute value. Square, take the mean, take the root.",
)

mistake(
    "blocks.rms_norm",
    "epsilon-outside-the-root",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("torch.sqrt(mean_square + eps)", "(x.square().mean(-1, keepdim=True).sqrt() + eps)"),
    section="epsilon-inside-the-root",
    why="Your results are right for ordinary rows and wrong for rows of small numbers. You added eps to the root. "
    "Where does eps stand in the formula?",
    hint="Your results are right for ordinary rows and wrong for rows of small numbers: eps is added to the mean "
    "square, under the root.",
)

mistake(
    "blocks.rms_norm",
    "no-epsilon",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("torch.sqrt(mean_square + eps)", "x.square().mean(-1, keepdim=True).sqrt()"),
    section="epsilon-inside-the-root",
    why="A row of zeros comes out as NaN, and rows of small numbers are blown up. You left eps out, so such a row is "
    "0/0. Where does eps stand in the formula?",
    hint="A row of zeros comes out as NaN, and rows of small numbers are blown up: eps is not used. Add it to the mean "
    "square, under the root.",
)


@mistake(
    "blocks.rms_norm",
    "epsilon-fixed",
    section="epsilon-inside-the-root",
    why="Your results do not depend on `eps`. You wrote a number instead of the argument. Where does the argument "
    "belong?",
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
    why="Without the argument `eps`, rows of small numbers come out too large. Your default is 1e-6 or less, as in "
    "some published programs. Which default does the task give?",
    hint="Your result is right for an eps that is passed; without one, rows of small numbers come out too large. The "
    "default here is 1e-5.",
)

mistake(
    "blocks.rms_norm",
    "weight-ignored",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("weight * x / torch.sqrt(mean_square + eps", "x / torch.sqrt(x.square().mean(-1, keepdim=True) + eps"),
    section="rms-normalisation",
    why="Your result does not depend on `weight`, so the trained gain has no effect. You did not use it. Which step "
    "is missing?",
    hint="Your result does not depend on `weight`: multiply by it, entry by entry.",
)


@mistake(
    "blocks.rms_norm",
    "one-plus-weight",
    section="rms-normalisation",
    why="Your result is too large by the normalised x. You scaled by 1 + weight, as some models do that store "
    "the gain minus 1. By what does the formula of the task multiply?",
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
    why="Doubling `weight` hardly changes your result. You scaled x before the root mean square was taken, so the "
    "weight also changes the divisor. Which step should come first?",
    hint="Your weight acts before the division, so its size cancels: the scaled vector is divided by its own size. "
    "Normalise x, then multiply.",
)

mistake(
    "blocks.rms_norm",
    "one-mean-for-all",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.square().mean() + eps"),
    section="which-axis",
    why="Vectors keep their differences in size, and each depends on all others. You used one mean square for the "
    "whole tensor. Over which axis is a vector normalised by itself?",
    hint="Your divisor is a single number for the whole tensor. Each vector needs its own: take the mean along the "
    "last axis and keep that axis.",
)

mistake(
    "blocks.rms_norm",
    "wrong-axis",
    edit("mean_square = x.square().mean(-1, keepdim=True)", "axis = -2 if x.ndim > 1 else -1"),
    edit("mean_square + eps", "x.square().mean(axis, keepdim=True) + eps"),
    section="which-axis",
    why="Positions are mixed, and the entries of one vector are divided by different numbers. You took the mean over "
    "the positions. Over which axis is a vector normalised by itself?",
    hint="Your mean runs over the positions. Each vector is normalised by itself, along the last axis.",
)

mistake(
    "blocks.rms_norm",
    "axis-not-kept",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.square().mean(-1) + eps"),
    section="which-axis",
    why="Your function fails or uses the wrong axis. You let the mean drop the axis it ran over, so (T, d) divided by "
    "(T,) does not line up. How can a reduction keep its axis?",
    hint="After a mean along the last axis that axis is gone, so (T, d) divided by (T,) does not line up. Tell the "
    "reduction to keep it with length 1.",
)

mistake(
    "blocks.rms_norm",
    "divisor-detached",
    edit("mean_square = x.square().mean(-1, keepdim=True)", ""),
    edit("mean_square + eps", "x.detach().square().mean(-1, keepdim=True) + eps"),
    section="rms-normalisation",
    why="Your values are right, but the gradient of `x` is wrong. You cut the divisor from the graph, although it "
    "depends on every entry of x. Which steps must be recorded?",
    hint="Your values are right and the gradient of `x` is wrong: the divisor depends on x too, and `no_grad` or "
    "`detach` hides that from autograd.",
)

mistake(
    "blocks.rms_norm",
    "argument-changed",
    edit("mean_square = x.square().mean(-1, keepdim=True)", "x /= torch.sqrt(x.square().mean(-1, keepdim=True) + eps)"),
    edit("weight * x / torch.sqrt(mean_square + eps)", "weight * x"),
    section="blocks-pitfalls",
    why="After the call, the caller's x has changed, and the residual connection adds the wrong tensor. You divided "
    "in place. Which form makes a new tensor?",
    hint="Your result is right, but the tensor that was passed in has changed. Divide in a form that makes a new "
    "tensor.",
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
    why="Your result is float32 whatever type came in. You left the result of a float32 computation as it was. Which "
    "type should you return?",
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
    why="Your layer is linear in x. You put two linear layers in a row, which are one linear layer, so the hidden "
    "width adds nothing. What belongs between them?",
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
    why="With ReLU your results are never negative. You applied the activation after the second linear layer, so the "
    "two layers collapse into one. Where does the activation belong?",
    hint="Your results are never negative (with GELU, hardly below 0): the activation stands after `w_2`. It belongs "
    "between the two layers.",
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
    why="With ReLU your results are never negative, so the layer can only add to the residual stream. You applied "
    "the activation a second time, after the last layer. With which step does the layer end?",
    hint="Your results are never negative (with GELU, hardly below 0): there is a second activation after `w_2`. The "
    "layer ends with the linear map.",
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
    why="x is counted twice in the residual stream. You added it inside the layer. Which module adds it around the "
    "layer?",
    hint="Your layer adds x to its result. The residual connection around it does that; here it would be counted "
    "twice.",
)

mistake(
    "blocks.FeedForward",
    "gelu-with-erf",
    edit('torch.relu if activation == "relu" else gelu', 'F.relu if activation == "relu" else F.gelu'),
    base="conditional-activation",
    section="two-gelus",
    why='With `activation="gelu"` your hidden units are up to 0.0005 off. You used PyTorch\'s default, the form with '
    "erf. Which form does the task name?",
    hint='With activation="gelu" you use the form with erf, the default of PyTorch. Use your own function from task 1.',
)

mistake(
    "blocks.FeedForward",
    "always-relu",
    edit('self.activation = torch.relu if activation == "relu" else gelu', ""),
    edit("self.activation(self.w_1(x))", "torch.relu(self.w_1(x))"),
    base="conditional-activation",
    section="gelu-and-relu",
    why='With `activation="gelu"` your layer still uses ReLU, so a model trained with GELU gives other results. You '
    "ignored the argument. Where can the choice be kept until `forward`?",
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
    why="Without the argument `activation`, your layer uses GELU. You made GELU the default, but the Transformer paper "
    "uses ReLU. Which default does the task give?",
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
    why='An unknown activation such as "swish" silently becomes ReLU. You did not check the name, so a typing error '
    "trains another model. How should the layer react to a name that it does not know?",
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
    why="An unknown activation ends in a KeyError that does not say what is allowed. You looked the name up in a "
    "dictionary. Which error does the task name, and what should its message say?",
    hint="An unknown activation raises KeyError in your code. Raise a ValueError instead, whose message says what is "
    "allowed.",
)

mistake(
    "blocks.FeedForward",
    "no-bias",
    edit("nn.Linear(d_model, d_ff)", "nn.Linear(d_model, d_ff, bias=False)"),
    edit("nn.Linear(d_ff, d_model)", "nn.Linear(d_ff, d_model, bias=False)"),
    section="feed-forward-layer",
    why="Trained biases cannot be loaded into your layer. You built the linear layers without a bias, but the paper's "
    "formula has one in each. What is the default of `nn.Linear`?",
    hint="Your linear layers have no bias, so there is nowhere to put b_1 and b_2. `nn.Linear` has a bias unless you "
    "switch it off.",
)


mistake(
    "blocks.FeedForward",
    "always-four-times",
    edit("nn.Linear(d_model, d_ff)", "nn.Linear(d_model, 4 * d_model)"),
    edit("nn.Linear(d_ff, d_model)", "nn.Linear(4 * d_model, d_model)"),
    section="feed-forward-layer",
    why="The argument `d_ff` has no effect. You made the hidden layer four times as wide as the model, which is a "
    "common choice but not a rule. Which width does the caller pass?",
    hint="Your hidden layer is 4 d_model wide and the argument `d_ff` is ignored. Use it in both linear layers.",
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
    why="Weights cannot be copied into your layer. You put its parts into an `nn.Sequential`, which numbers them, but "
    "names are part of the interface. Which two names does the task give?",
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
    why="In training, entries of your output become exactly 0. You put dropout after `w_2`, as babyGPT does. Between "
    "which two steps does it belong in this layer?",
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
    why="In training, entries of your output become exactly 0. You applied dropout twice, to the hidden layer and to "
    "the output. Which of the two does this layer need?",
    hint="In training, entries of your output become exactly 0: there is a second dropout after `w_2`. Only the hidden "
    "layer is dropped here.",
)

mistake(
    "blocks.FeedForward",
    "dropout-before-the-activation",
    edit("self.dropout(self.activation(self.w_1(x)))", "self.activation(self.dropout(self.w_1(x)))"),
    base="conditional-activation",
    section="where-dropout-goes",
    why="With GELU, the hidden units that stay have the wrong values. You applied dropout before the activation, and "
    "GELU of an enlarged number is not the enlarged GELU. Which of the two comes first?",
    hint="With GELU the hidden units that stay have the wrong values: dropout stands before the activation, and "
    "scales what goes into it. Exchange the two.",
)

mistake(
    "blocks.FeedForward",
    "dropout-on-the-input",
    edit("self.dropout(self.activation(self.w_1(x)))", "self.activation(self.w_1(self.dropout(x)))"),
    base="conditional-activation",
    section="where-dropout-goes",
    why="In training, your hidden layer is computed from an x with missing entries. You applied dropout to the "
    "input. Which units should be dropped?",
    hint="In training your hidden layer is computed from an x with missing entries: dropout stands before `w_1`. It "
    "acts on the hidden layer, after the activation.",
)

mistake(
    "blocks.FeedForward",
    "no-dropout",
    edit("self.dropout = nn.Dropout(dropout)", ""),
    edit("self.dropout(self.activation(self.w_1(x)))", "self.activation(self.w_1(x))"),
    base="conditional-activation",
    section="where-dropout-goes",
    why="In training nothing is dropped, whatever `dropout` says. You accepted the argument and did not use it. "
    "Which units should be dropped?",
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
    why="After `eval()` your layer still drops units, and its results are random. The functional dropout assumes "
    "training mode unless you say otherwise. How does a module know its mode?",
    hint="Your layer still drops units after `eval()`: `F.dropout` drops unless told otherwise. Use the module "
    "`nn.Dropout`, or tell the function the mode of your module.",
)

mistake(
    "blocks.FeedForward",
    "dropout-probability-fixed",
    edit("nn.Dropout(dropout)", "nn.Dropout(0.1)"),
    section="where-dropout-goes",
    why="A tenth of the hidden units is dropped whatever `dropout` says. You wrote 0.1 as a number. Where should the "
    "argument go?",
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
    why="Without the argument `dropout`, half of the hidden units are dropped. Your default is 0.5. Which default "
    "does the task give?",
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
    why='`FeedForward(d_model, d_ff, 0.2, "gelu")` fails. You put the activation before the dropout, so arguments '
    "that are passed by position are exchanged. Which order does the task give?",
    hint='`FeedForward(d_model, d_ff, 0.2, "gelu")` fails: your arguments stand in another order. Keep that of the '
    "task, `d_model, d_ff, dropout, activation`.",
)


@mistake(
    "blocks.FeedForward",
    "layers-shared-by-all-modules",
    section="feed-forward-layer",
    why="Training one block changes all others of the same size. You kept the layers outside the object, where "
    "modules share them. Where should layers be created?",
    hint="Two modules of yours share their weights: what changes one changes the other. Make new layers for every "
    "object, in `__init__`.",
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
    why="In training, all hidden units of a position are lost together. You drew one random number per position. How "
    "many random numbers does a hidden layer need?",
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
    why="With p = 0.1 nine entries in ten are dropped. You read p as the probability to keep an entry. What does p "
    "mean in PyTorch?",
    hint="You keep a share p of the entries and drop the rest. Here, as in PyTorch, p is the share that is dropped.",
)

mistake(
    "blocks.dropout",
    "not-scaled",
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x.masked_fill(dropped.to(x.device), 0.0)"),
    section="inverted-dropout",
    why="The average of your result is (1 - p) x, so the next layer sees smaller input in training than in "
    "evaluation. You did not scale the entries that stay. Which factor makes the average x?",
    hint="What stays is not scaled, so your average is (1 - p) x. Divide by 1 - p while training, and the average is "
    "x.",
)

mistake(
    "blocks.dropout",
    "scaled-in-evaluation",
    edit("if not training or p == 0:\n    return x", "if not training:\n    return x * (1 - p)"),
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x.masked_fill(dropped.to(x.device), 0.0)"),
    section="inverted-dropout",
    why="In evaluation your result is (1 - p) x. You scaled there, as the first dropout paper does. When does "
    "inverted dropout scale, and by which factor?",
    hint="With training=False your result is (1 - p) x. Inverted dropout does the scaling while training, by 1/(1 - "
    "p), and nothing afterwards.",
)

mistake(
    "blocks.dropout",
    "scaled-on-both-sides",
    edit("if not training or p == 0:\n    return x", "if not training:\n    return x * (1 - p)"),
    section="inverted-dropout",
    why="In evaluation your result is (1 - p) x, although training has already scaled. You compensated on both "
    "sides. Which one of the two is needed in inverted dropout?",
    hint="With training=False your result is (1 - p) x, although training has scaled already. In evaluation x is "
    "returned as it is.",
)

mistake(
    "blocks.dropout",
    "multiplied-while-training",
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x.masked_fill(dropped.to(x.device), 0.0) * (1 - p)"),
    section="inverted-dropout",
    why="The entries that stay become smaller. You multiplied them by 1 - p, but fewer entries have to carry the "
    "same sum. Which operation enlarges them by the right amount?",
    hint="What stays comes out smaller than it was: you multiply by 1 - p. Divide, so that the average is x.",
)

mistake(
    "blocks.dropout",
    "divided-by-p",
    edit("x.masked_fill(dropped.to(x.device), 0.0) / (1 - p)", "x.masked_fill(dropped.to(x.device), 0.0) / (p)"),
    section="inverted-dropout",
    why="The entries that stay come out as x/p, which is right only for p = 0.5. You divided by the share that is "
    "dropped. Which share stays?",
    hint="What stays is x/p in your result. The share that stays is 1 - p, and that is what to divide by.",
)

mistake(
    "blocks.dropout",
    "always-on",
    edit("if not training or p == 0:\n    return x", ""),
    section="only-while-training",
    why="In evaluation your results are random. You ignored the argument `training`. What should the function return "
    "in evaluation?",
    hint="With training=False you still drop entries. In evaluation x is returned as it is.",
)

mistake(
    "blocks.dropout",
    "off-by-default",
    edit("def dropout(x, p, training=True, generator=None):", "def dropout(x, p, training=False, generator=None):"),
    section="only-while-training",
    why="Called without `training`, your function does nothing. Your default is False. Which default does the task "
    "give?",
    hint="Called without `training`, your function drops nothing: its default is True.",
)

mistake(
    "blocks.dropout",
    "training-turned-round",
    edit("not training", "training"),
    section="only-while-training",
    why="Entries are dropped in evaluation and kept in training. Your condition is inverted. In which mode should x "
    "come back unchanged?",
    hint="You drop with training=False and return x with training=True: the condition is inverted.",
)

mistake(
    "blocks.dropout",
    "same-for-the-whole-batch",
    edit(
        "torch.rand(x.shape, generator=generator, device=device)",
        "torch.rand(x.shape[1:], generator=generator, device=device)",
    ),
    section="every-place-by-itself",
    why="Every sequence of the batch loses the same entries. You drew one mask for the last axes and used it for "
    "all. How many random numbers does x need?",
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
    why="Whole vectors become 0, which removes tokens. You drew one number per position. How many random numbers "
    "does x need?",
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
    why="All vectors lose the same entries. You drew one mask of length d. How many random numbers does x need?",
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
    why="Entries are always dropped in pairs. You used each random number for two entries. How many random numbers "
    "does x need?",
    hint="Entries of yours are always dropped in pairs. Draw one random number for each entry, in the shape of `x`.",
)


@mistake(
    "blocks.dropout",
    "dropped-whenever-there-is-a-generator",
    section="only-while-training",
    why="With a generator, your function drops entries even in evaluation. You took the generator as a sign of "
    "training. Which argument alone decides?",
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
    why="The number of zeros is the same in every call. You dropped an exact share by a permutation, so entries are "
    "not independent: each dropped entry protects the others. How should the decision about one entry be made?",
    hint="The number of zeros is the same in every call. Decide about each entry separately; then that number varies.",
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
    why="Every call drops the same entries, and a model learns to do without exactly those. You set a seed inside the "
    "function. From which generator should the numbers come when none is passed?",
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
    why="Two generators with the same seed give different results. You drew from PyTorch's own generator. Where "
    "should the argument go?",
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
    why="Two calls with the same generator drop the same entries. You set it back to its seed each time, so layers "
    "that share it drop alike. In which state should you use the generator?",
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
    why="For small p, far more than the share p is dropped. You compared normal random numbers with p, and half of "
    "those are negative. Which distribution gives a number below p with probability p?",
    hint="For small p, you drop far more than the share p: `randn` draws normal numbers, half of them below 0. Compare "
    "uniform numbers with p.",
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
    why="No entry becomes exactly 0. You multiplied by normal noise around 1, which is Gaussian dropout. Which two "
    "outcomes does an entry have here?",
    hint="None of your entries is exactly 0: you multiply by normal noise. Here each entry is either dropped or "
    "scaled.",
)


@mistake(
    "blocks.dropout",
    "any-p-accepted",
    section="inverted-dropout",
    why="p = 1 gives NaN, p = 1.5 gives only zeros, and there is no error. You did not check p. Which values are "
    "allowed, and how should the function react to others?",
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
    why="With p = 1 your result is NaN. You accepted a p that drops everything and then divides by 0. Does the range "
    "of allowed values include 1?",
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
    why="p = 0 raises an error. You refused the value that switches dropout off. What should the function return in "
    "this case?",
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
    why="A p outside the range ends in an AssertionError, and under `python -O` in no error at all. You checked the "
    "argument with `assert`. Which error does the course use for a wrong argument?",
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
    why="For x in bfloat16 your result is float32, so the next layer meets two types. You multiplied by a float32 "
    "mask. Which types of mask leave the type of x alone?",
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
    why="After the call, the caller's tensor has zeros in it. You dropped entries in place. Which form makes a new "
    "tensor?",
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
    why="Your values are right, but no gradient reaches `x`, so nothing before the dropout can learn. You computed on "
    "a detached tensor. Which gradient should an entry that stays have?",
    hint="Your values are right, but no gradient arrives at `x`: something detaches it. An entry that stays has the "
    "gradient 1/(1 - p), a dropped one 0.",
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
    why="The entries that stay are scaled differently in every call. You divided by the share that happened to stay, "
    "so each entry depends on all the others. Which number is fixed by p?",
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
    why='With `norm="post"` you still normalise before the sublayer. You ignored the argument. Which tensor does '
    "post-norm normalise?",
    hint='With norm="post" you still normalise before the sublayer. Post-norm normalises the sum of x and what the '
    "sublayer returned.",
)

mistake(
    "blocks.SublayerConnection",
    "always-post",
    edit("self.norm = norm", ""),
    edit('if self.norm == "pre":\n    return x + self.dropout(sublayer(self.norm_layer(x)))', ""),
    section="pre-and-post-norm",
    why='With `norm="pre"` you still normalise the sum. You ignored the argument. Which tensor does pre-norm '
    "normalise?",
    hint='With norm="pre" you still normalise the sum. Pre-norm normalises what enters the sublayer, and x itself '
    "passes untouched.",
)

mistake(
    "blocks.SublayerConnection",
    "pre-and-post-exchanged",
    edit('self.norm == "pre"', 'self.norm == "post"'),
    section="pre-and-post-norm",
    why='`norm="pre"` normalises the sum, and `norm="post"` the input. You exchanged the two. Which tensor does each '
    "form normalise?",
    hint='Your norm="pre" normalises the sum and your norm="post" the input: you exchanged the two forms.',
)

mistake(
    "blocks.SublayerConnection",
    "post-by-default",
    edit(
        'def __init__(self, d_model, dropout=0.1, norm="pre"):',
        'def __init__(self, d_model, dropout=0.1, norm="post"):',
    ),
    section="pre-and-post-norm",
    why="Without the argument `norm`, your module does post-norm. You made post-norm the default, although deep stacks "
    "train more easily with the other form. Which default does the task give?",
    hint='Without the argument `norm` you do post-norm; the default is "pre".',
)

mistake(
    "blocks.SublayerConnection",
    "norm-on-the-branch",
    edit("sublayer(self.norm_layer(x))", "self.norm_layer(sublayer(x))"),
    section="pre-and-post-norm",
    why='With `norm="pre"` you normalise what comes out of the sublayer, a third arrangement. What should the '
    "normalised tensor be: the sublayer's input or its output?",
    hint='With norm="pre" you normalise what comes out of the sublayer. Normalise what goes into the sublayer instead.',
)

mistake(
    "blocks.SublayerConnection",
    "residual-of-the-normed",
    edit(
        "return x + self.dropout(sublayer(self.norm_layer(x)",
        "x = self.norm_layer(x)\nreturn x + self.dropout(sublayer(x",
    ),
    section="pre-and-post-norm",
    why='The residual stream is normalised at every layer, and nothing passes untouched. With `norm="pre"` you added '
    "the normalised x. Which x does the shortcut carry?",
    hint='With norm="pre" you add the normalised x to the sublayer\'s output. The shortcut carries x as it came in.',
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
    why='With `norm="post"` the sublayer gets a normalised input. You normalised on both sides. Which single tensor '
    "does post-norm normalise?",
    hint='With norm="post" your sublayer gets a normalised x. Give it x itself, and normalise only the sum.',
)

mistake(
    "blocks.SublayerConnection",
    "post-norm-before-the-sum",
    edit("self.norm_layer(x + self.dropout(sublayer(x)))", "x + self.norm_layer(self.dropout(sublayer(x)))"),
    section="pre-and-post-norm",
    why='With `norm="post"` your result is not normalised. You normalised the output of the sublayer and added x '
    "afterwards. Which tensor should the normalisation receive?",
    hint='With norm="post" you normalise the sublayer\'s output and then add x. Normalise the sum instead.',
)

mistake(
    "blocks.SublayerConnection",
    "no-residual",
    edit("x + self.dropout(sublayer(self.norm_layer(x)))", "self.dropout(sublayer(self.norm_layer(x)))"),
    edit("x + self.dropout(sublayer(x))", "self.dropout(sublayer(x))"),
    section="residual-connections",
    why="Your result is only what the sublayer returns, so signal and gradient have no way around it. You did not "
    "add x. Which step is missing?",
    hint="Your result is what the sublayer returns: x is not added to it. Both forms need this sum.",
)

mistake(
    "blocks.SublayerConnection",
    "no-normalisation",
    edit("self.norm = norm", ""),
    edit('if self.norm == "pre":\n    return x + self.dropout(sublayer(self.norm_layer(x)))', ""),
    edit("self.norm_layer(x + self.dropout(sublayer(x)))", "x + self.dropout(sublayer(x))"),
    section="pre-and-post-norm",
    why="The weights of `norm_layer` have no effect. You built the layer and never called it. Where does each of the "
    "two forms use it?",
    hint="Your result does not depend on the weights of `norm_layer`: it is never called. Both forms need it.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-on-the-sum",
    edit("x + self.dropout(sublayer(self.norm_layer(x)))", "self.dropout(x + sublayer(self.norm_layer(x)))"),
    edit("x + self.dropout(sublayer(x))", "self.dropout(x + sublayer(x))"),
    section="where-dropout-goes",
    why="In training, entries of x are lost as well, and after a few layers little of x is left. You applied dropout "
    "to the sum. On which of its two terms should it act?",
    hint="In training, entries of x are lost as well: dropout acts on the sum. It belongs on what the sublayer "
    "returned, before x is added.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-on-the-input",
    edit("self.dropout(sublayer(self.norm_layer(x)))", "sublayer(self.dropout(self.norm_layer(x)))"),
    edit("self.dropout(sublayer(x))", "sublayer(self.dropout(x))"),
    section="where-dropout-goes",
    why="In training, the sublayer gets an input with missing entries. You applied dropout before the sublayer. On "
    "which tensor should it act?",
    hint="In training the sublayer gets an input with missing entries: dropout stands before it. It belongs on what "
    "the sublayer returned.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-after-the-norm",
    edit("self.norm_layer(x + self.dropout(sublayer(x)))", "self.dropout(self.norm_layer(x + sublayer(x)))"),
    section="where-dropout-goes",
    why='With `norm="post"` your result has zeros in training. You applied dropout last, where it also hits the '
    "shortcut. On which tensor should it act?",
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
    why="In training nothing is dropped, whatever `dropout` says. You accepted the argument and did not use it. On "
    "which tensor should dropout act?",
    hint="In training nothing is dropped: the argument `dropout` is never used. It acts on what the sublayer returned.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-also-in-evaluation",
    edit("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
    edit("self.dropout(sublayer(self.norm_layer(x)))", "F.dropout(sublayer(self.norm_layer(x)), self.p)"),
    edit("self.dropout(sublayer(x))", "F.dropout(sublayer(x), self.p)"),
    section="only-while-training",
    why="After `eval()` your module still drops entries. You called a function that assumes training mode unless you "
    "say otherwise. How does a module know its mode?",
    hint="Your layer still drops entries after `eval()`: the function drops unless told otherwise. Use the module "
    "`nn.Dropout`, or tell the function the mode of your module.",
)

mistake(
    "blocks.SublayerConnection",
    "dropout-probability-fixed",
    edit("nn.Dropout(dropout)", "nn.Dropout(0.1)"),
    section="where-dropout-goes",
    why="A tenth of the entries is dropped whatever `dropout` says. You wrote 0.1 as a number. Where should the "
    "argument go?",
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
    why='An unknown norm such as "before" silently becomes one of the two forms. You did not check the name, so a '
    "typing error builds another model. How should the module react to a name that it does not know?",
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
    why="For an unknown norm your `forward` returns None, and the failure shows far from its cause. You wrote two "
    "branches, and neither applies. When should the error be raised, and what should it say?",
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
    why="Weights cannot be copied into your module. You named the layer `norm`, which is the name of the argument. "
    "Which name does the task give the layer?",
    hint="There is no `norm_layer` in your module. `norm` is the argument that says where to normalise; the layer "
    "itself is called `norm_layer`.",
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
    why="After the call, the caller's x has changed. You added in place. Which form of the sum makes a new tensor?",
    hint="Your result is right, but the x that was passed in has changed. Add in a form that makes a new tensor.",
)


@mistake(
    "blocks.SublayerConnection",
    "sublayer-result-changed",
    section="residual-connections",
    why="Around a sublayer that returns its own argument, your module changes the caller's `x`. You added into what "
    "the sublayer returned. Which form of the sum makes a new tensor?",
    hint="Around a sublayer that returns its argument, your connection changes `x` itself. Add in a form that makes a "
    "new tensor.",
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
    why="In training, with post-norm, entries of the caller's `x` become 0. You made the dropout work in place, but a "
    "sublayer may return its own argument. Which option of the layer causes this?",
    hint="In training, with post-norm, entries of `x` itself become 0. Leave `inplace=True` out of `nn.Dropout`.",
)

mistake(
    "blocks.SublayerConnection",
    "subtracted",
    edit("x + self.dropout(sublayer(self.norm_layer(x)))", "x - self.dropout(sublayer(self.norm_layer(x)))"),
    edit("x + self.dropout(sublayer(x))", "x - self.dropout(sublayer(x))"),
    section="residual-connections",
    why="Your result moves away from x in the wrong direction. You subtracted what the sublayer returns. What does a "
    "residual connection do with it?",
    hint="You subtract what the sublayer returns; the residual connection adds it.",
)

mistake(
    "blocks.SublayerConnection",
    "shortcut-detached",
    edit("x + self.dropout(sublayer(self.norm_layer(x)))", "x.detach() + self.dropout(sublayer(self.norm_layer(x)))"),
    edit("x + self.dropout(sublayer(x))", "x.detach() + self.dropout(sublayer(x))"),
    section="residual-gradients",
    why="Your values are right, but the gradient of `x` is wrong. You detached x on the shortcut, so the gradient "
    "can pass only through the sublayer. What is the shortcut for?",
    hint="Your values are right and the gradient of `x` is wrong: `detach` or `no_grad` cuts the shortcut, "
    "which is the direct path of the gradient.",
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
    why="The second call still uses the sublayer of the first. You stored it in an attribute. Which sublayer does "
    "each call receive?",
    hint="Your second call still uses the sublayer of the first one, which is kept in an attribute. Call the one that "
    "is passed.",
)

mistake(
    "blocks.dropout",
    "p-is-what-stays-scaled-by-the-rest",
    edit(" or p == 0", ""),
    edit(") < p", ") >= p"),
    section="inverted-dropout",
    why="With p = 0 nothing is left. You dropped entries with probability 1 - p. What does p mean in PyTorch?",
    hint="You keep a share p of the entries and drop the rest. Here, as in PyTorch, p is the share that is dropped.",
)

mistake(
    "blocks.LayerNorm",
    "gain-starts-at-random",
    edit("torch.ones(d_model)", "torch.randn(d_model)"),
    section="gain-and-bias",
    why="A new layer scales each entry by another number. You start `gamma` at random numbers. Which gain changes "
    "nothing?",
    hint="Your `gamma` starts with random numbers. It starts at 1, so that a new layer norm only normalises.",
)

mistake(
    "blocks.LayerNorm",
    "gain-and-bias-exchanged",
    edit("self.gamma * centred", "self.beta * centred"),
    edit("+ self.beta", "+ self.gamma"),
    section="gain-and-bias",
    why="A new layer returns ones. You multiplied by the bias and added the gain. Which of the two multiplies?",
    hint="`beta` multiplies and `gamma` is added in your code. The gain `gamma` multiplies, the bias `beta` is added.",
)

mistake(
    "blocks.dropout",
    "p-of-one-gives-zeros",
    edit("p < 1", "p <= 1"),
    edit("/ (1 - p)", "/ (1 - p + (p == 1))"),
    section="inverted-dropout",
    why="With p = 1 your result is all zeros, and there is no error. You allowed the upper limit and returned zeros there, but "
    "no factor restores the average. Is 1 one of the values that the task allows?",
    hint="p = 1 passes your test and gives only zeros. It is outside the allowed range [0, 1): compare with `<`.",
)

mistake(
    "blocks.rms_norm",
    "epsilon-as-a-lower-limit",
    edit("torch.sqrt(mean_square + eps)", "torch.sqrt(mean_square).clamp(min=eps)"),
    section="rms-normalisation",
    why="Rows of small numbers come out too large. You used eps as a lower limit of the root mean square. What does the "
    "formula do with eps?",
    hint="You use eps as a lower limit of the root. It is added to the mean square of every row, inside the root.",
)

mistake(
    "blocks.rms_norm",
    "epsilon-as-a-lower-limit-variant-2",
    edit("mean_square + eps", "mean_square.clamp(min=eps)"),
    section="rms-normalisation",
    why="Rows of small numbers come out too large. You used eps as a lower limit of the mean square. What does the "
    "formula do with eps?",
    hint="You use eps as a lower limit of the mean square. It is added to the mean square of every row.",
)

mistake(
    "blocks.LayerNorm",
    "deviation-clamped",
    edit("torch.sqrt(variance + self.eps)", "torch.sqrt(variance).clamp(min=self.eps)"),
    section="epsilon-inside-the-root",
    why="Rows that hardly vary come out too large. You used eps as a lower limit of the standard deviation. What does the "
    "formula do with eps?",
    hint="You use eps as a lower limit of the standard deviation. It is added to the variance, inside the root.",
)

mistake(
    "blocks.FeedForward",
    "unknown-activation-accepted-variant-2",
    edit("if activation not in activations:", "if False:"),
    edit("activations[activation]", "activations.get(activation, gelu)"),
    section="feed-forward-layer",
    why='An unknown activation such as "swish" silently becomes GELU. You read every name but "relu" as "gelu", so a '
    "typing error trains another model. How should the layer react to a name that it does not know?",
    hint='An unknown activation such as "swish" is taken for GELU in silence. Raise a ValueError that names the '
    "argument and says what is allowed.",
)

mistake(
    "blocks.SublayerConnection",
    "unknown-norm-accepted-variant-2",
    edit('if norm not in ("pre", "post"):', "if False:"),
    edit('self.norm == "pre"', 'self.norm != "post"'),
    section="pre-and-post-norm",
    why='An unknown norm such as "before" silently becomes pre-norm. You read every name but "post" as "pre", so a '
    "typing error builds another model. How should the module react to a name that it does not know?",
    hint='An unknown norm such as "before" is taken for "pre" in silence. Raise a ValueError that names the argument and '
    "says what is allowed.",
)

mistake(
    "blocks.gelu",
    "sigmoid-for-half-of-one-plus-tanh",
    edit(
        "0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))",
        "x * torch.sigmoid(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))",
    ),
    section="two-gelus",
    why="Your values are too close to x/2. You replaced (1 + tanh(u)) / 2 by the sigmoid of u. Which argument must a "
    "sigmoid have to equal (1 + tanh(u)) / 2?",
    hint="Your values are too close to x/2. The sigmoid that equals (1 + tanh(u)) / 2 has twice the argument.",
)

mistake(
    "blocks.rms_norm",
    "width-outside-the-root",
    edit("mean_square = x.square().mean(-1, keepdim=True)", "total = x.square().sum(-1, keepdim=True)"),
    edit("torch.sqrt(mean_square + eps)", "(torch.sqrt(total + eps) / x.shape[-1])"),
    section="rms-normalisation",
    why="Your results are sqrt(d) times too large. You took the root of the sum of the squares and divided it by d afterwards. "
    "Which of the two steps belongs to the mean?",
    hint="Your results are too large by the factor sqrt(d): you divide by d outside the root. Take the mean of the "
    "squares first.",
)
