"""Wrong implementations of the tasks of llama: what learners write, and what to tell them.

More specific mistakes come before more general ones.
"""

import torch
import torch.nn.functional as F
from torch import nn

from autograder.course.catalogue import edit, mistake
from solutions.blocks import LayerNorm

# ---------------------------------------------------------------------------------------------------------------------
# RMSNorm

MEAN = "wide.square().mean(dim=-1, keepdim=True)"


mistake(
    "llama.RMSNorm",
    "mean-subtracted",
    edit("normed = wide", "wide = wide - wide.mean(dim=-1, keepdim=True)\nnormed = wide"),
    section="llama-rmsnorm",
    why="Your results have the mean 0. You subtracted the mean, as LayerNorm does. What does RMSNorm leave out?",
    hint="Your results have the mean 0. RMSNorm only divides: what LayerNorm subtracts stays in.",
)

mistake(
    "llama.RMSNorm",
    "over-the-positions",
    edit("dim=-1", "dim=-2"),
    section="llama-rmsnorm",
    why="Your vectors share a root mean square across positions. You took the mean along axis -2. Which axis is the "
    "width?",
    hint="Your vectors share their root mean squares across positions. Take the mean over the last axis, the width.",
)

mistake(
    "llama.RMSNorm",
    "axis-zero",
    edit("dim=-1", "dim=0"),
    section="llama-rmsnorm",
    why="Your vectors share a root mean square across the batch. You took the mean along axis 0, which is the width "
    "only where x is a single vector. From which end can the width be counted?",
    hint="Your vectors share their root mean squares across the batch. The width is the last axis, -1.",
)

mistake(
    "llama.RMSNorm",
    "over-everything",
    edit(".mean(dim=-1, keepdim=True)", ".mean()"),
    section="llama-rmsnorm",
    why="The result for a vector depends on all other vectors in the batch. You took one mean square of the whole "
    "tensor. Over which axis is a vector normalised by itself?",
    hint="All your vectors are divided by one number. Each has its own: take the mean over the last axis alone.",
)

mistake(
    "llama.RMSNorm",
    "over-positions-and-width",
    edit("dim=-1", "dim=tuple(range(1, x.dim())) or -1"),
    section="llama-rmsnorm",
    why="A position's result depends on later positions. You took the mean over positions and width together. Over "
    "which axis is a vector normalised by itself?",
    hint="All positions of your sequences are divided by one number. Take the mean over the last axis alone.",
)

mistake(
    "llama.RMSNorm",
    "axis-one",
    edit("dim=-1", "dim=min(1, x.dim() - 1)"),
    section="llama-rmsnorm",
    why="Your norm is right for matrices and wrong for (B, T, d). You took the mean along axis 1. From which end can "
    "the width be counted?",
    hint="Your norm is right for matrices alone. The width is the last axis, -1, however many axes come before it.",
)

mistake(
    "llama.RMSNorm",
    "axis-lost",
    edit(", keepdim=True", ""),
    section="llama-rmsnorm",
    why="Your norm fails, or uses the wrong axis in a square shape. You took the mean without keeping its axis. How "
    "can a reduction keep the axis?",
    hint="Your mean square has no axis left for the width. Keep it with keepdim=True, so each vector meets its own mean.",
)

mistake(
    "llama.RMSNorm",
    "sum-of-squares",
    edit(".mean(", ".sum("),
    section="llama-rmsnorm",
    why="Your vectors have the length 1, so entries shrink as the width grows. You added up the squares. What turns "
    "their sum into the quantity in the name?",
    hint="Your vectors have the length 1. Divide by the root of the *mean* of the squares: then the mean square is 1, "
    "whatever the width.",
)

mistake(
    "llama.RMSNorm",
    "mean-of-absolute-values",
    edit("wide.square().mean", "wide.abs().mean"),
    edit("torch.rsqrt(", "torch.reciprocal("),
    section="llama-rmsnorm",
    why="Your results are too large wherever entries differ in size. You divided by the mean absolute value. Which "
    "three steps does the name root mean square describe?",
    hint="You divide by the mean absolute value. Square first, take the mean, then the root.",
)

mistake(
    "llama.RMSNorm",
    "divided-by-the-standard-deviation",
    edit("wide.square().mean(dim=-1, keepdim=True)", "wide.var(dim=-1, keepdim=True, correction=0)"),
    section="llama-rmsnorm",
    why="Your divisor does not see the mean of a vector. You divided by the standard deviation, which measures "
    "distances from the mean. From which value does the root mean square measure?",
    hint="Your divisor does not see the mean of a vector. Take the mean of the squares, without subtracting anything.",
)

mistake(
    "llama.RMSNorm",
    "square-of-the-mean",
    edit("wide.square().mean(dim=-1, keepdim=True)", "wide.mean(dim=-1, keepdim=True).square()"),
    section="llama-rmsnorm",
    why="Positive and negative entries cancel in your divisor. You squared the mean. Which of the two steps comes "
    "first?",
    hint="You square the mean. Square every entry, then take the mean.",
)

mistake(
    "llama.RMSNorm",
    "no-root",
    edit("torch.rsqrt(", "torch.reciprocal("),
    section="llama-rmsnorm",
    why="Doubling the input halves your result. You divided by the mean square. Which step is missing?",
    hint="Twice as large an input gives half as large a result. Divide by the *root* of the mean square.",
)

mistake(
    "llama.RMSNorm",
    "multiplied",
    edit("torch.rsqrt(", "torch.sqrt("),
    section="llama-rmsnorm",
    why="Your results grow with the square of the input. You multiplied by the root mean square. Which operation "
    "normalises?",
    hint="Your results grow with the square of the input. Divide by the root, or multiply by `torch.rsqrt`.",
)

mistake(
    "llama.RMSNorm",
    "epsilon-outside-the-root",
    edit("torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)", f"1 / ({MEAN}.sqrt() + self.eps)"),
    section="llama-rmsnorm",
    why="Rows of small numbers come out too large. You added eps to the root. Where does eps stand in the formula?",
    hint="Rows of small numbers come out too large: add eps to the mean square, before the root.",
)

mistake(
    "llama.RMSNorm",
    "no-epsilon",
    edit(" + self.eps", ""),
    section="llama-rmsnorm",
    why="A vector of zeros gives NaN, and small vectors are blown up. You left eps out. Where does it stand in the "
    "formula?",
    hint="A vector of zeros gives NaN. Add eps to the mean square.",
)

mistake(
    "llama.RMSNorm",
    "epsilon-fixed",
    edit("self.eps = eps", "self.eps = 1e-5"),
    section="llama-rmsnorm",
    why="Released models give other results: the argument eps has no effect. You wrote a number instead. Where should "
    "the argument be kept?",
    hint="RMSNorm(d, eps) does not use its second argument. Keep it in `self.eps`.",
)

mistake(
    "llama.RMSNorm",
    "other-default-epsilon",
    edit("eps=1e-5", "eps=1e-6"),
    section="llama-rmsnorm",
    why="Without the argument, rows of small numbers come out too large. Your default of eps is that of some "
    "libraries. Which default does the task give?",
    hint="Rows of small numbers come out too large where no eps is given. The default is 1e-5.",
)

mistake(
    "llama.RMSNorm",
    "no-weight",
    edit("self.weight * normed", "normed"),
    section="llama-rmsnorm",
    why="Changing `weight` changes nothing. You made the gain and did not use it. Which step is missing?",
    hint="Changing `weight` changes nothing in your output. Multiply by it, after the division.",
)

mistake(
    "llama.RMSNorm",
    "weight-before-the-norm",
    edit("normed = wide", "wide = wide * self.weight\nnormed = wide"),
    edit("self.weight * normed", "normed"),
    section="llama-rmsnorm",
    why="A gain that is the same for all entries cancels. You applied it before the root mean square was taken. "
    "Which step should come first?",
    hint="Your weight takes part in the root mean square. Divide first, then multiply by the weight.",
)

mistake(
    "llama.RMSNorm",
    "weight-plus-one",
    edit("torch.ones(d)", "torch.zeros(d)"),
    edit("self.weight * normed", "(1 + self.weight) * normed"),
    section="llama-rmsnorm",
    why="A Llama's checkpoint gives wrong results. You stored the gain as its distance from 1, as Gemma does. What "
    "does a Llama store?",
    hint="Your output is scaled by 1 + weight. A Llama multiplies by the weight, which starts at 1.",
)

mistake(
    "llama.RMSNorm",
    "weight-starts-at-zero",
    edit("torch.ones(d)", "torch.zeros(d)"),
    section="llama-rmsnorm",
    why="A new norm returns zeros. Your gain starts at 0. Which gain changes nothing?",
    hint="A new norm returns zeros. Start the weight at ones.",
)

mistake(
    "llama.RMSNorm",
    "one-weight-for-all",
    edit("torch.ones(d)", "torch.ones(1)"),
    section="llama-rmsnorm",
    why="A checkpoint does not fit. Your norm has a single gain for the whole vector. How many gains does a vector "
    "of width d need?",
    hint="Your weight has the shape (1,). It should be (d,), one gain for each entry.",
)

mistake(
    "llama.RMSNorm",
    "not-a-parameter",
    edit("nn.Parameter(torch.ones(d))", "torch.ones(d)"),
    section="llama-rmsnorm",
    why="No optimiser finds the gain, no checkpoint holds it, and `.to()` leaves it behind. You kept it as a plain "
    "tensor. What turns a tensor into a parameter?",
    hint="`weight` is no parameter. Wrap it in nn.Parameter.",
)

mistake(
    "llama.RMSNorm",
    "squared-in-sixteen-bits",
    edit("x.to(torch.promote_types(x.dtype, torch.float32))", "x"),
    section="llama-rmsnorm-halves",
    why="In float16, numbers of 1,000 come out as zeros. Their squares overflow, because you computed in the type of "
    "x. In which type should the mean square be computed?",
    hint="In float16, numbers of 1,000 come out as zeros: their squares overflow. Compute the mean square in float32.",
)

mistake(
    "llama.RMSNorm",
    "float64-cut-to-float32",
    edit("x.to(torch.promote_types(x.dtype, torch.float32))", "x.float()"),
    section="llama-rmsnorm-halves",
    why="Your float64 results have seven digits. You converted every input to float32. For which types is float32 "
    "the wider one?",
    hint="Your float64 results have seven digits. Widen 16-bit types only; `torch.promote_types` does that.",
)

mistake(
    "llama.RMSNorm",
    "always-float32",
    edit("self.weight * normed).to(x.dtype)", "self.weight * normed).float()"),
    section="llama-rmsnorm-halves",
    why="The next layer of a bfloat16 model refuses your result. You left it in float32. Which type should the "
    "result have?",
    hint="Your result is float32 for every input. Convert it back to the type of x.",
)

mistake(
    "llama.RMSNorm",
    "root-detached",
    edit("+ self.eps)", "+ self.eps).detach()"),
    section="llama-rmsnorm",
    why="Your outputs are right, but the gradient for x is not. You detached the divisor, which depends on x. Which "
    "steps must be recorded?",
    hint="Your outputs are right, but the gradient for x misses the part through the root. Do not detach it.",
)

# ---------------------------------------------------------------------------------------------------------------------
# apply_rope

TURN = "return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)"


mistake(
    "llama.apply_rope",
    "neighbours-as-pairs",
    edit("a, b = x.chunk(2, dim=-1)", "a, b = x[..., 0::2], x[..., 1::2]"),
    edit(TURN, "return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)"),
    section="llama-rope-pairs",
    why="A released checkpoint gives wrong results. You turned neighbouring entries as pairs, as the paper does. "
    "Which entry does a checkpoint pair with entry i?",
    hint="You pair neighbouring entries. Here entry i is turned with entry i + d_head/2.",
)

mistake(
    "llama.apply_rope",
    "neighbours-in-halves-out",
    edit("a, b = x.chunk(2, dim=-1)", "a, b = x[..., 0::2], x[..., 1::2]"),
    section="llama-rope-pairs",
    why="Your entries are permuted. You took each pair from two neighbours, but wrote its results into the two "
    "halves. Which layout should both steps use?",
    hint="You read entries 2i and 2i + 1, and write i and i + d_head/2. Read and write the two halves.",
)

mistake(
    "llama.apply_rope",
    "halves-in-neighbours-out",
    edit(TURN, "return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)"),
    section="llama-rope-pairs",
    why="Your entries are permuted, even at position 0. You took each pair from the two halves, but wrote its results "
    "next to each other. Which layout should both steps use?",
    hint="You read entries i and i + d_head/2, and write 2i and 2i + 1. Read and write the two halves.",
)

mistake(
    "llama.apply_rope",
    "turned-backwards",
    edit(TURN, "return torch.cat([a * cos + b * sin, b * cos - a * sin], dim=-1)"),
    section="llama-rope",
    why="Every pair turns the other way, and only the vectors show it, not the scores. You used minus the angle. "
    "Which of the two sums has the minus?",
    hint="Your pairs turn the other way. The first entry becomes a cos - b sin, the second a sin + b cos.",
)

mistake(
    "llama.apply_rope",
    "no-minus",
    edit("a * cos - b * sin", "a * cos + b * sin"),
    section="llama-rope",
    why="Your vectors change their lengths, and scores depend on more than distances. You lost the minus of a "
    "rotation. Which of the two sums has it?",
    hint="Your vectors change their lengths. A rotation has one minus: a cos - b sin.",
)

mistake(
    "llama.apply_rope",
    "halves-exchanged",
    edit("[a * cos - b * sin, a * sin + b * cos]", "[a * sin + b * cos, a * cos - b * sin]"),
    section="llama-rope-pairs",
    why="At position 0, where nothing turns, your halves change places. You wrote them in the wrong order. Which "
    "half comes first?",
    hint="At position 0 nothing turns, and yet your halves change places. The first half is a cos - b sin.",
)

mistake(
    "llama.apply_rope",
    "exponent-not-doubled",
    edit("torch.arange(0, d_head, 2, dtype=wide, device=x.device)", "torch.arange(d_head // 2, dtype=wide)"),
    section="llama-rope",
    why="All pairs but the first turn too fast. Your exponent is -i/d_head. Which factor is missing?",
    hint="Your pairs turn too fast, all but the first. The exponent of pair i is -2i / d_head.",
)

mistake(
    "llama.apply_rope",
    "exponent-doubled-twice",
    edit("device=x.device) / d_head", "device=x.device) / (d_head // 2)"),
    section="llama-rope",
    why="All pairs but the first turn too slowly. You divided 2i by the number of pairs. By which number should it "
    "be divided?",
    hint="Your pairs turn too slowly, all but the first. The exponent of pair i is -2i / d_head.",
)

mistake(
    "llama.apply_rope",
    "exponent-without-minus",
    edit("base**-steps", "base**steps"),
    section="llama-rope",
    why="Later pairs turn by hundreds or thousands of radians per position. Your frequencies grow with i. Which sign "
    "does the exponent need?",
    hint="Your later pairs turn by hundreds or thousands of radians per position. The exponent is negative.",
)

mistake(
    "llama.apply_rope",
    "one-frequency",
    edit("base**-steps", "base**-steps[:1]"),
    section="llama-rope",
    why="Distances that differ by whole turns look nearly alike. You turned all pairs at the same speed. On what "
    "should the frequency of a pair depend?",
    hint="All your pairs turn by the same angle. Pair i has the frequency base ** (-2i / d_head).",
)

mistake(
    "llama.apply_rope",
    "frequencies-reversed",
    edit("base**-steps", "base**-steps.flip(0)"),
    section="llama-rope",
    why="Your last pair turns fastest. You reversed the frequencies. Which pair has the frequency 1?",
    hint="Your last pair turns fastest. Pair 0 has the frequency 1, and the later ones are slower.",
)

mistake(
    "llama.apply_rope",
    "positions-counted-anew",
    edit("positions.to(x.device, wide)[:, None]", "torch.arange(x.shape[-2], dtype=wide)[:, None]"),
    section="llama-rope-positions",
    why="With a cache every new token is at position 0. You counted positions from 0 and ignored the argument. Which "
    "numbers should the angles use?",
    hint="Your result does not depend on `positions`. Use them instead of 0, 1, 2 and so on.",
)

mistake(
    "llama.apply_rope",
    "only-the-first-position",
    edit("positions.to(x.device, wide)[:, None]", "(positions[0] + torch.arange(x.shape[-2])).to(wide)[:, None]"),
    section="llama-rope-positions",
    why="Positions with gaps, or in another order, give wrong results. You used the first and counted on. Which "
    "position belongs to each vector?",
    hint="You use positions[0] only. Each vector has a position of its own.",
)

mistake(
    "llama.apply_rope",
    "positions-from-one",
    edit("positions.to(x.device, wide)", "(positions + 1).to(x.device, wide)"),
    section="llama-rope-positions",
    why="At position 0 your vector changes. You added 1 to every position. Which angle belongs to position 0?",
    hint="At position 0 your vector changes. Its angles should all be 0 there.",
)

mistake(
    "llama.apply_rope",
    "base-fixed",
    edit("base**-steps", "10000.0**-steps"),
    section="llama-rope",
    why="A long-context model gives wrong results: the argument `base` has no effect. You wrote a number instead. "
    "Where should the argument be used?",
    hint="Your result does not depend on `base`. The frequencies are powers of this argument.",
)

mistake(
    "llama.apply_rope",
    "other-default-base",
    edit("base=10000.0", "base=500000.0"),
    section="llama-rope",
    why="Without the argument, your pairs turn too slowly. Your default base is that of Llama 3. Which default does "
    "the task give?",
    hint="Without an argument, your pairs turn too slowly. The default of base is 10000.",
)

mistake(
    "llama.apply_rope",
    "angles-in-degrees",
    edit("base**-steps", "base**-steps * math.pi / 180"),
    edit("d_head = x.shape[-1]", "import math\nd_head = x.shape[-1]"),
    section="llama-rope",
    why="Your pairs hardly turn. You converted the angles as if they were degrees. In which unit are they already?",
    hint="Your pairs hardly turn. position * frequency is an angle in radians.",
)

mistake(
    "llama.apply_rope",
    "whole-turns",
    edit("base**-steps", "base**-steps * 6.283185307179586"),
    section="llama-rope",
    why="Your first pair never moves. You took the frequencies as whole turns and multiplied by 2 pi. In which unit "
    "are they already?",
    hint="Your first pair never moves. The frequency is in radians: leave out the factor 2 pi.",
)

mistake(
    "llama.apply_rope",
    "angles-in-sixteen-bits",
    edit("wide = torch.promote_types(x.dtype, torch.float32)", "wide = x.dtype"),
    section="llama-rope-halves",
    why="In bfloat16, distant positions coincide: 257 becomes 256. You computed the angles in the type of x. In "
    "which type should they be computed?",
    hint="In bfloat16, far positions are rounded to others. Compute angles in float32, then convert cos and sin.",
)

mistake(
    "llama.apply_rope",
    "always-float32",
    edit(
        "cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)",
        "cos, sin = angles.float().cos(), angles.float().sin()",
    ),
    edit(TURN, "return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).float()"),
    section="llama-rope-halves",
    why="Queries and values have different types. Your result is float32 for every input. Which type should it have?",
    hint="Your result is float32 whatever x is. Convert cos and sin, or the result, to the type of x.",
)

mistake(
    "llama.apply_rope",
    "half-of-the-pairs",
    edit("base**-steps", "base**-steps * (torch.arange(d_head // 2) < d_head // 4)"),
    section="llama-rope",
    why="Half of your pairs never turn. You turned only the first half of them, as some models do. How many pairs does "
    "a Llama turn?",
    hint="Some of your pairs never turn. All d_head/2 pairs should.",
)

mistake(
    "llama.apply_rope",
    "first-half-only",
    edit("[a * cos - b * sin, a * sin + b * cos]", "[a * cos - b * sin, b]"),
    section="llama-rope",
    why="The second half of your result is that of x. You replaced only the first entry of each pair. What does a "
    "rotation change?",
    hint="The second half of your result is that of x. It should be a sin + b cos.",
)

mistake(
    "llama.apply_rope",
    "new-first-half-used",
    edit(TURN, "a = a * cos - b * sin\nb = a * sin + b * cos\nreturn torch.cat([a, b], dim=-1)"),
    section="llama-rope",
    why="The second half of your result is wrong. You overwrote the first half before the second had used it. Which "
    "values do both sums need?",
    hint="You overwrite `a` before the second half has used it. Keep the old values until both are computed.",
)

mistake(
    "llama.apply_rope",
    "in-place",
    edit(TURN, "a_new, b_new = a * cos - b * sin, a * sin + b * cos\na.copy_(a_new)\nb.copy_(b_new)\nreturn x"),
    section="llama-rope",
    why="After the call, the caller's x has changed, and autograd may need its old numbers. You wrote into the "
    "argument. What should be returned instead?",
    hint="Your function changes x. Return a new tensor.",
)

mistake(
    "llama.apply_rope",
    "added-to-the-vector",
    edit(TURN, "return x + torch.cat([cos, sin], dim=-1)"),
    section="llama-rope",
    why="Your vectors are shifted instead of turned. You added cosines and sines, as sinusoidal positions do. Which "
    "operation does a rotation use?",
    hint="You add cosines and sines to x. Turn each pair by its angle: that multiplies.",
)

mistake(
    "llama.apply_rope",
    "heads-as-positions",
    edit(
        "a, b = x.chunk(2, dim=-1)",
        "if x.dim() > 3:\n    cos, sin = cos[:, None], sin[:, None]\na, b = x.chunk(2, dim=-1)",
    ),
    section="llama-rope-positions",
    why="The call fails, or head h is turned as if it were position h. You took x as (B, T, H, d_head). Which axis "
    "holds the positions, counted from the end?",
    hint="You turn along axis -3. The positions are the second-last axis of x, (..., T, d_head).",
)

mistake(
    "llama.apply_rope",
    "odd-width-cut",
    edit(
        'raise ValueError(f"x must have an even last axis, since its entries are turned in pairs, but it is {d_head}.")',
        "return torch.cat([apply_rope(x[..., :-1], positions, base), x[..., -1:]], dim=-1)",
    ),
    section="llama-rope-pairs",
    why="An odd width passes, and its last entry never turns. You left this entry out, but an odd width cannot be "
    "split into pairs. How should the function react?",
    hint="An odd d_head is accepted without an error. Raise a ValueError.",
)

mistake(
    "llama.apply_rope",
    "odd-width-not-checked",
    edit("if d_head % 2 != 0:", "if False:"),
    section="llama-rope-pairs",
    why="An odd width ends in a message about halves of different sizes. You did not check it. When can you do so, "
    "and what should the message say?",
    hint="For an odd d_head PyTorch raises an error in the middle of your code. Check the width first, and raise a ValueError.",
)

# ---------------------------------------------------------------------------------------------------------------------
# SwiGLU

FORWARD = "self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))"


mistake(
    "llama.SwiGLU",
    "gelu",
    edit("F.silu(", "F.gelu("),
    section="llama-swiglu",
    why="Your gate goes through GELU, which makes GEGLU. Which activation does the Swi in SwiGLU stand for?",
    hint="Your gate is GELU. SwiGLU uses silu(z) = z sigmoid(z).",
)

mistake(
    "llama.SwiGLU",
    "relu",
    edit("F.silu(", "F.relu("),
    section="llama-swiglu",
    why="Negative gates are closed for good. You used ReLU, which makes ReGLU. Which activation does SwiGLU have?",
    hint="Your gate is a ReLU. SwiGLU uses silu(z) = z sigmoid(z).",
)

mistake(
    "llama.SwiGLU",
    "sigmoid",
    edit("F.silu(", "torch.sigmoid("),
    section="llama-swiglu",
    why="Your gate lies between 0 and 1. You used a sigmoid alone, as the first gated layers did. By what does SiLU "
    "multiply the sigmoid?",
    hint="Your gate lies between 0 and 1. silu(z) is z * sigmoid(z).",
)

mistake(
    "llama.SwiGLU",
    "quick-gelu",
    edit("F.silu(self.gate_proj(x))", "self.gate_proj(x) * torch.sigmoid(1.702 * self.gate_proj(x))"),
    section="llama-swiglu",
    why="Your gate is too steep. You put 1.702 times the input into the sigmoid, an approximation of GELU. Which "
    "factor does SiLU have there?",
    hint="There is a factor inside your sigmoid. silu(z) is z * sigmoid(z).",
)

mistake(
    "llama.SwiGLU",
    "gate-and-up-exchanged",
    edit(FORWARD, "self.down_proj(F.silu(self.up_proj(x)) * self.gate_proj(x))"),
    section="llama-swiglu",
    why="A checkpoint gives wrong results. You applied the activation to the wrong branch. Which of the two is the "
    "gate?",
    hint="You apply silu to up(x). It belongs to gate(x).",
)

mistake(
    "llama.SwiGLU",
    "activation-on-both",
    edit("* self.up_proj(x)", "* F.silu(self.up_proj(x))"),
    section="llama-swiglu",
    why="Your second branch is not linear. You applied the activation twice. Which branch should have one?",
    hint="You apply silu twice. Only the gate has an activation.",
)

mistake(
    "llama.SwiGLU",
    "activation-on-the-product",
    edit(FORWARD, "self.down_proj(F.silu(self.gate_proj(x) * self.up_proj(x)))"),
    section="llama-swiglu",
    why="The product of your branches goes through the activation. You applied it too late. To which tensor does it "
    "belong?",
    hint="You apply silu to the product. Apply it to gate(x), then multiply by up(x).",
)

mistake(
    "llama.SwiGLU",
    "no-activation",
    edit("F.silu(self.gate_proj(x))", "self.gate_proj(x)"),
    section="llama-swiglu",
    why="Your layer is a product of two linear maps. The gate has no activation. Which one does SwiGLU have?",
    hint="Your gate is linear. Put it through silu.",
)

mistake(
    "llama.SwiGLU",
    "added",
    edit(" * self.up_proj(x)", " + self.up_proj(x)"),
    section="llama-swiglu",
    why="Your gate cannot close: where it is 0, everything passes. You added the branches. Which operation does a "
    "gate use?",
    hint="You add the branches. Multiply them entry by entry.",
)

mistake(
    "llama.SwiGLU",
    "up-left-out",
    edit(" * self.up_proj(x)", ""),
    section="llama-swiglu",
    why="Your output does not depend on `up_proj`. You made the layer and did not use it. What does the gate multiply?",
    hint="Your output does not depend on `up_proj`. Multiply silu(gate(x)) by up(x).",
)

mistake(
    "llama.SwiGLU",
    "gate-used-twice",
    edit("self.up_proj(x)", "self.gate_proj(x)"),
    section="llama-swiglu",
    why="Your output does not depend on `up_proj`. Both branches use `gate_proj`. How many maps does the layer have?",
    hint="Your output does not depend on `up_proj`. The second branch is up(x).",
)

mistake(
    "llama.SwiGLU",
    "with-biases",
    edit("self.gate_proj = nn.Linear(d_model, d_ff, bias=False)", "self.gate_proj = nn.Linear(d_model, d_ff)"),
    edit("self.up_proj = nn.Linear(d_model, d_ff, bias=False)", "self.up_proj = nn.Linear(d_model, d_ff)"),
    edit("self.down_proj = nn.Linear(d_ff, d_model, bias=False)", "self.down_proj = nn.Linear(d_ff, d_model)"),
    section="llama-swiglu",
    why="No checkpoint fills your biases. A Llama has none in its linear layers. Which argument of the layers "
    "controls this?",
    hint="Your layers have biases. Build them with bias=False.",
)

mistake(
    "llama.SwiGLU",
    "bias-in-down",
    edit("self.down_proj = nn.Linear(d_ff, d_model, bias=False)", "self.down_proj = nn.Linear(d_ff, d_model)"),
    section="llama-swiglu",
    why="No checkpoint fills the bias of your `down_proj`. No linear layer of a Llama has one. Which argument of the "
    "layer controls this?",
    hint="`down_proj` has a bias. Build it with bias=False.",
)

mistake(
    "llama.SwiGLU",
    "two-thirds-of-the-width",
    edit("super().__init__()", "super().__init__()\nd_ff = 2 * d_ff // 3"),
    section="llama-swiglu",
    why="Your layers are narrower than requested. You took two thirds of d_ff, as the paper does to keep the number of "
    "parameters equal. Has the caller done this already?",
    hint="Your layers are narrower than d_ff. Use d_ff as it comes.",
)

mistake(
    "llama.SwiGLU",
    "residual-inside",
    edit("return self.down_proj", "return x + self.down_proj"),
    section="llama-swiglu",
    why="Your output contains x itself. You added it inside the layer. Which module adds the residual?",
    hint="Your output contains x itself. The residual belongs to the block.",
)

mistake(
    "llama.SwiGLU",
    "activation-after-down",
    edit(FORWARD, "F.silu(self.down_proj(self.gate_proj(x) * self.up_proj(x)))"),
    section="llama-swiglu",
    why="What your sublayer adds goes through an activation. You applied it at the end. To which tensor does it "
    "belong?",
    hint="You apply silu at the end. It belongs to gate(x).",
)

mistake(
    "llama.SwiGLU",
    "dropout-while-training",
    edit(
        "return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))",
        "return F.dropout(self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x)), 0.1, self.training)",
    ),
    section="llama-swiglu",
    why="In training mode your outputs differ from call to call. You added a dropout. How much does a Llama drop?",
    hint="In training mode your outputs differ from call to call. Take the dropout out.",
)

# ---------------------------------------------------------------------------------------------------------------------
# GroupedQueryAttention

REPEAT = "k, v = (one.repeat_interleave(group, dim=1) for one in (k, v))"
ATTEND = "heads, _ = scaled_dot_product_attention(q, k, v, positions <= new[:, None])"
ROPE = "q, k = apply_rope(q, new, self.base), apply_rope(k, positions, self.base)"


mistake(
    "llama.GroupedQueryAttention",
    "repeat-in-place-of-repeat-interleave",
    edit("one.repeat_interleave(group, dim=1)", "one.repeat(1, group, 1, 1)"),
    section="llama-groups",
    why="Query head 1 meets key head 1. You repeated the key heads as a whole, but neighbouring query heads share "
    "one. In which order should the heads be repeated?",
    hint="Query head 1 meets key head 1. It shares head 0 with query head 0: use `repeat_interleave`.",
)

mistake(
    "llama.GroupedQueryAttention",
    "values-repeated-otherwise",
    edit(REPEAT, "k, v = k.repeat_interleave(group, dim=1), v.repeat(1, group, 1, 1)"),
    section="llama-groups",
    why="Weights of one head average the values of another. You repeated keys and values in two different orders. "
    "Which order should both have?",
    hint="Your keys and values are repeated in two ways. Both need `repeat_interleave`.",
)

mistake(
    "llama.GroupedQueryAttention",
    "one-group-for-all",
    edit("(one.repeat_interleave(group, dim=1) for", "(one[:, :1].expand(-1, self.num_heads, -1, -1) for"),
    section="llama-groups",
    why="All query heads use key head 0, and the others do nothing. You gave all of them one key head, which is "
    "multi-query attention. Which key head belongs to query head h?",
    hint="Only your first key head is used. Query head h uses key head h // (H / G).",
)

mistake(
    "llama.GroupedQueryAttention",
    "not-causal",
    edit(", positions <= new[:, None])", ")"),
    section="llama-groups",
    why="Every position sees those it should predict. You have no mask. Which keys may a query see?",
    hint="Your outputs change when later positions change. A query may attend to keys at its position or before.",
)

mistake(
    "llama.GroupedQueryAttention",
    "own-position-hidden",
    edit("positions <= new[:, None]", "positions < new[:, None]"),
    section="llama-groups",
    why="Position 0 attends to nothing. Your mask hides a position from itself. What is the last key that a query "
    "may see?",
    hint="Your position 0 attends to nothing. A position may also attend to itself.",
)

mistake(
    "llama.GroupedQueryAttention",
    "mask-turned-round",
    edit("positions <= new[:, None]", "positions >= new[:, None]"),
    section="llama-groups",
    why="Positions see the future and not the past. Your mask is inverted. What does True mean in this course's masks?",
    hint="Your positions see what comes after them. True means 'may attend': keys at the position or before.",
)

mistake(
    "llama.GroupedQueryAttention",
    "mask-of-the-new-alone",
    edit("positions <= new[:, None]", "positions <= positions[: x.shape[1], None]"),
    section="llama-cache",
    why="With a cache, your first new position sees key 0 only. You took the first rows of the mask. Which rows "
    "belong to the new positions?",
    hint="With a cache, your first new position sees key 0 only. Take the rows of the mask that belong to the new "
    "positions.",
)

mistake(
    "llama.GroupedQueryAttention",
    "no-mask-with-a-cache",
    edit("positions <= new[:, None])", "None if cache is not None else positions <= new[:, None])"),
    section="llama-cache",
    why="Several new positions on a cache see each other's future. With a cache you use no mask, which is right for a "
    "single new position. Which rows of the mask do several new positions need?",
    hint="Several new positions on a cache see each other's future. Mask them, too.",
)

mistake(
    "llama.GroupedQueryAttention",
    "causal-from-the-first-key",
    edit("positions <= new[:, None])", "None if x.shape[1] == 1 else positions <= positions[: x.shape[1], None])"),
    section="llama-cache",
    why="If several new positions come after a filled cache, their queries see only a part of the past. You used the "
    "mask of an empty cache, as `is_causal=True` does. It puts the first query at position 0. At which position is "
    "the first query after a filled cache?",
    hint="After a filled cache, your new positions see only a part of the past, because your mask begins at position "
    "0. Shift the mask by the number of positions that the cache already held.",
)

mistake(
    "llama.GroupedQueryAttention",
    "positions-restart",
    edit("new = positions[-x.shape[1] :]", "new = positions[: x.shape[1]]"),
    edit("positions <= new[:, None]", "positions <= positions[-x.shape[1] :, None]"),
    section="llama-cache",
    why="With a cache, queries are at position 0 again. You turned them as if nothing had been read. Where should "
    "their positions continue?",
    hint="With a cache, your queries are at position 0 again. They go on where the cache ends.",
)

mistake(
    "llama.GroupedQueryAttention",
    "keys-restart",
    edit(
        "positions = torch.arange(start, start + time)",
        "positions = torch.arange(time)",
    ),
    base="turned-before-the-cache",
    section="llama-cache",
    why="With a cache, keys of different pieces lie at the same positions. You turned every piece from position 0. "
    "Where do positions go on?",
    hint="With a cache, every piece of yours starts at position 0. Positions go on where the cache ends.",
)

mistake(
    "llama.GroupedQueryAttention",
    "length-after-layer-zero",
    edit("start = cache.length if layer == 0 else cache.length - time", "start = cache.length"),
    edit("causal_mask(start + time)[start:]", "causal_mask(start + time)[-time:, -k.shape[-2] :]"),
    base="turned-before-the-cache",
    section="llama-cache",
    why="Layer 0 is right, and layer 1 is wrong where pieces differ in length. You used the length of the cache in "
    "every layer, but it is that of layer 0, which has been updated by then. What has to be subtracted in later "
    "layers?",
    hint="Layer 0 is right and layer 1 is not. cache.length is that of layer 0, which has been updated by then. In "
    "later layers, subtract the new positions.",
)

mistake(
    "llama.GroupedQueryAttention",
    "turned-again-and-again",
    edit(
        "k, v = cache.update(layer, k, v)",
        "k, v = cache.update(layer, k, v)\nk = apply_rope(k, torch.arange(start + time), self.base)",
    ),
    base="turned-before-the-cache",
    section="llama-cache",
    why="With a cache, keys end at twice their position. You turned them before storing and again after reading. "
    "Which of the two is enough?",
    hint="With a cache, your keys are turned twice. Turn them before the cache or after it, not both.",
)

mistake(
    "llama.GroupedQueryAttention",
    "cache-of-all-heads",
    edit(f"group = self.num_heads // self.num_kv_heads\n{REPEAT}", ""),
    edit("if cache is not None:", f"group = self.num_heads // self.num_kv_heads\n{REPEAT}\nif cache is not None:"),
    section="llama-cache",
    why="Your cache is as large as without groups. You repeated keys and values before storing them. When should "
    "they be repeated?",
    hint="Your cache holds num_heads heads. Keep num_kv_heads, and repeat what comes out: the small cache is the point.",
)

mistake(
    "llama.GroupedQueryAttention",
    "layer-ignored",
    edit("cache.update(layer, k, v)", "cache.update(0, k, v)"),
    section="llama-cache",
    why="A layer attends to the keys of other layers. You store everything as layer 0. Which argument tells the "
    "layers apart?",
    hint="You call cache.update with layer 0 always. Pass `layer` on.",
)

mistake(
    "llama.GroupedQueryAttention",
    "cache-ignored",
    edit("if cache is not None:\n    k, v = cache.update(layer, k, v)", ""),
    section="llama-cache",
    why="With a cache, pieces know nothing of each other. You do not use the cache. Which call stores new keys and "
    "returns all of them?",
    hint="With a cache, your pieces know nothing of each other. Store the new keys and values with `cache.update`, and "
    "use what it returns.",
)

mistake(
    "llama.GroupedQueryAttention",
    "update-not-used",
    edit("k, v = cache.update(layer, k, v)", "cache.update(layer, k, v)"),
    section="llama-cache",
    why="With a cache, new positions see only each other. You filled it and threw away what it returns. What does "
    "`update` return?",
    hint="cache.update returns all keys and values so far. Use them instead of the new ones.",
)

mistake(
    "llama.GroupedQueryAttention",
    "values-turned-too",
    edit(ROPE, ROPE + "\nv = apply_rope(v, positions, self.base)"),
    section="llama-groups",
    why="What attention reads from a position changes with the position. You also turned the values. Which tensors "
    "enter the scores?",
    hint="You turn q, k and v. Turn queries and keys only.",
)

mistake(
    "llama.GroupedQueryAttention",
    "only-queries-turned",
    edit(ROPE, "q = apply_rope(q, new, self.base)"),
    section="llama-groups",
    why="Scores depend on where the query stands, not on the distance. You turned only the queries. Which other "
    "tensor has positions?",
    hint="Your keys are not turned. Turn queries and keys, each by its own position.",
)

mistake(
    "llama.GroupedQueryAttention",
    "only-keys-turned",
    edit(ROPE, "k = apply_rope(k, positions, self.base)"),
    section="llama-groups",
    why="Scores depend on where the key stands, not on the distance. You turned only the keys. Which other tensor "
    "has positions?",
    hint="Your queries are not turned. Turn queries and keys, each by its own position.",
)

mistake(
    "llama.GroupedQueryAttention",
    "no-positions",
    edit(ROPE, ""),
    section="llama-groups",
    why="Your attention reads a bag of words. You turned nothing, and a Llama has no other positions. Which two "
    "tensors should be turned?",
    hint="Your attention does not know positions. Turn queries and keys with `apply_rope`.",
)

mistake(
    "llama.GroupedQueryAttention",
    "turned-before-the-heads-are-split",
    edit(
        "q = split_heads(self.q_proj(x), self.num_heads)",
        "turned = apply_rope(self.q_proj(x), torch.arange(x.shape[1]), self.base)\nq = split_heads(turned, self.num_heads)",
    ),
    edit(
        "k = split_heads(self.k_proj(x), self.num_kv_heads)",
        "turned = apply_rope(self.k_proj(x), torch.arange(x.shape[1]), self.base)\nk = split_heads(turned, self.num_kv_heads)",
    ),
    edit(ROPE, ""),
    section="llama-groups",
    why="Each head has frequencies of its own, and the two entries of a pair lie in different heads. You turned the "
    "whole width. Which step comes before turning?",
    hint="You turn (B, T, d). Split into heads first: each head is turned by itself.",
)

mistake(
    "llama.GroupedQueryAttention",
    "base-ignored",
    edit(ROPE, "q, k = apply_rope(q, new), apply_rope(k, positions)"),
    section="llama-groups",
    why="A long-context model gives wrong results: `base` has no effect. You did not pass it on. Which calls need it?",
    hint="Your attention does not depend on `base`. Pass it to `apply_rope`, for queries and keys.",
)

mistake(
    "llama.GroupedQueryAttention",
    "base-for-queries-alone",
    edit("apply_rope(k, positions, self.base)", "apply_rope(k, positions)"),
    section="llama-groups",
    why="Scores do not depend on the distance alone. You turned queries and keys with different bases. Which base "
    "should both have?",
    hint="Your keys are turned with the default base. Pass `base` for both.",
)

mistake(
    "llama.GroupedQueryAttention",
    "no-scale",
    edit("scale = 1 / math.sqrt(q.shape[-1])", "scale = 1.0"),
    base="turned-before-the-cache",
    section="llama-groups",
    why="Your weights are far too sharp. You did not scale the scores. By the root of which width should they be "
    "divided?",
    hint="Your weights are too sharp. Scores are divided by the root of the width of a head.",
)

mistake(
    "llama.GroupedQueryAttention",
    "scale-of-the-model",
    edit("scale = 1 / math.sqrt(q.shape[-1])", "scale = 1 / math.sqrt(x.shape[-1])"),
    base="turned-before-the-cache",
    section="llama-groups",
    why="Your weights are too even. You divided by the root of the model's width. How wide are the vectors that you "
    "multiply?",
    hint="Your weights are too even. The scale is that of a head, not of the model.",
)

mistake(
    "llama.GroupedQueryAttention",
    "with-biases",
    edit("self.q_proj = nn.Linear(d_model, d_model, bias=False)", "self.q_proj = nn.Linear(d_model, d_model)"),
    edit("self.k_proj = nn.Linear(d_model, kv_width, bias=False)", "self.k_proj = nn.Linear(d_model, kv_width)"),
    edit("self.v_proj = nn.Linear(d_model, kv_width, bias=False)", "self.v_proj = nn.Linear(d_model, kv_width)"),
    section="llama-groups",
    why="No checkpoint fills the biases of your projections. A Llama has none anywhere. Which argument of the layers "
    "controls this?",
    hint="Your projections have biases. Build them with bias=False.",
)

mistake(
    "llama.GroupedQueryAttention",
    "keys-of-full-width",
    edit("kv_width = num_kv_heads * (d_model // num_heads)", "kv_width = d_model"),
    edit(
        "k = split_heads(self.k_proj(x), self.num_kv_heads)",
        "k = split_heads(self.k_proj(x), self.num_heads)[:, : self.num_kv_heads]",
    ),
    edit(
        "v = split_heads(self.v_proj(x), self.num_kv_heads)",
        "v = split_heads(self.v_proj(x), self.num_heads)[:, : self.num_kv_heads]",
    ),
    section="llama-groups",
    why="Most of what your key and value projections compute is thrown away. They are as wide as the model. How many "
    "outputs do the key heads need together?",
    hint="`k_proj` and `v_proj` are too wide. They have num_kv_heads * d_head outputs.",
)

mistake(
    "llama.GroupedQueryAttention",
    "wide-key-heads",
    edit("kv_width = num_kv_heads * (d_model // num_heads)", "kv_width = d_model // num_kv_heads"),
    section="llama-groups",
    why="`k_proj` has a wrong number of outputs. You divided the width of the model by the number of key heads. How "
    "wide is a key head compared with a query head?",
    hint="`k_proj` has a wrong number of outputs: num_kv_heads heads of d_head each.",
)

mistake(
    "llama.GroupedQueryAttention",
    "no-output-projection",
    edit("return self.o_proj(merge_heads(heads))", "return merge_heads(heads)"),
    section="llama-groups",
    why="The heads are never mixed, and `o_proj` has no effect. You made the layer and did not use it. After which "
    "step does it come?",
    hint="Your output does not depend on `o_proj`. Apply it to the merged heads.",
)

mistake(
    "llama.GroupedQueryAttention",
    "heads-reshaped",
    edit("merge_heads(heads)", "heads.reshape(x.shape)"),
    section="llama-groups",
    why="Each row of your output mixes positions of one head. You reshaped without exchanging axes. Which function "
    "of an earlier unit merges heads?",
    hint="Your output mixes positions. Use `merge_heads`, which exchanges heads and positions first.",
)

mistake(
    "llama.GroupedQueryAttention",
    "uneven-groups-accepted",
    edit(
        'if num_heads % num_kv_heads != 0:\n    raise ValueError(f"num_kv_heads must divide num_heads, but {num_kv_heads} does not divide {num_heads}.")',
        "",
    ),
    section="llama-groups",
    why="`GroupedQueryAttention(24, 6, 4)` is built and fails later, far from its cause. You did not check the "
    "groups. When should the error be raised?",
    hint="GroupedQueryAttention(24, 6, 4) is built without an error. Raise a ValueError in __init__.",
)

mistake(
    "llama.GroupedQueryAttention",
    "dropout-while-training",
    edit(
        "return self.o_proj(merge_heads(heads))",
        "return F.dropout(self.o_proj(merge_heads(heads)), 0.1, self.training)",
    ),
    section="llama-groups",
    why="In training mode your outputs differ from call to call. You added a dropout. How much does a Llama drop?",
    hint="In training mode your outputs differ from call to call. Take the dropout out.",
)

mistake(
    "llama.GroupedQueryAttention",
    "counts-positions-itself",
    edit(
        "self.o_proj = nn.Linear(num_heads * d_head, d_model, bias=False)",
        "self.o_proj = nn.Linear(num_heads * d_head, d_model, bias=False)\nself.read = 0",
    ),
    edit("positions = torch.arange(start, start + time)", "positions = torch.arange(self.read, self.read + time)"),
    edit("k, v = cache.update(layer, k, v)", "k, v = cache.update(layer, k, v)\nself.read = k.shape[-2]"),
    base="turned-before-the-cache",
    section="llama-cache",
    why="Two texts with two caches disturb each other's positions. Your module counts what it has read. Which object "
    "knows how far a text has been read?",
    hint="Between two pieces of a text, your module reads another text, and the positions go wrong. Do not count in "
    "the module: the cache says how many positions it holds.",
)

# ---------------------------------------------------------------------------------------------------------------------
# LlamaBlock

ATTENTION = "x = x + self.self_attn(self.input_layernorm(x), cache, layer)"
FEED = "return x + self.mlp(self.post_attention_layernorm(x))"


mistake(
    "llama.LlamaBlock",
    "no-residual-around-attention",
    edit(ATTENTION, "x = self.self_attn(self.input_layernorm(x), cache, layer)"),
    section="llama-block",
    why="Your block forgets its input after the attention, and a deep model does not train. There is no residual "
    "path around it. What should happen to the attention's result?",
    hint="Your block forgets its input after the attention. Add the result to x.",
)

mistake(
    "llama.LlamaBlock",
    "no-residual-around-feed-forward",
    edit(FEED, "return self.mlp(self.post_attention_layernorm(x))"),
    section="llama-block",
    why="Your block returns only what the feed-forward layer computes. There is no residual path around it. What "
    "should happen to its result?",
    hint="Your block returns the feed-forward layer's result alone. Add it to what came in.",
)

mistake(
    "llama.LlamaBlock",
    "post-norm",
    edit(ATTENTION, "x = self.input_layernorm(x + self.self_attn(x, cache, layer))"),
    edit(FEED, "return self.post_attention_layernorm(x + self.mlp(x))"),
    section="llama-block",
    why="Your residual path passes through both norms. You normalise after each addition, as the Transformer of 2017 "
    "does, but a Llama is pre-norm. Which tensor should each norm read?",
    hint="You normalise after the addition. Each norm stands in front of its sublayer.",
)

mistake(
    "llama.LlamaBlock",
    "norm-of-the-result",
    edit(FEED, "return x + self.post_attention_layernorm(self.mlp(x))"),
    section="llama-block",
    why="Your second norm comes after the feed-forward layer, although its name says that the attention precedes it. "
    "You normalised what the layer returns. Which tensor should this norm read?",
    hint="`post_attention_layernorm` normalises what the feed-forward layer reads, not what it returns.",
)

mistake(
    "llama.LlamaBlock",
    "attention-result-normed",
    edit(
        ATTENTION,
        "x = x + self.post_attention_layernorm(self.self_attn(self.input_layernorm(x), cache, layer))",
    ),
    edit(FEED, "return x + self.mlp(x)"),
    section="llama-block",
    why="Your feed-forward layer reads numbers that are not normalised. You applied the second norm to the "
    "attention's result. In front of which sublayer does it belong?",
    hint="Your feed-forward layer reads numbers that are not normed. `post_attention_layernorm` stands in front of it.",
)

mistake(
    "llama.LlamaBlock",
    "parallel",
    edit(ATTENTION, "start = x\nx = x + self.self_attn(self.input_layernorm(x), cache, layer)"),
    edit(FEED, "return x + self.mlp(self.post_attention_layernorm(start))"),
    section="llama-block",
    why="Your feed-forward layer does not see what attention found. Both sublayers read the same input, as in some "
    "models. Which tensor should the second one read?",
    hint="Your feed-forward layer reads the block's input. It comes after the attention, and reads its result.",
)

mistake(
    "llama.LlamaBlock",
    "second-residual-from-the-start",
    edit(ATTENTION, "start = x\nx = x + self.self_attn(self.input_layernorm(x), cache, layer)"),
    edit(FEED, "return start + self.mlp(self.post_attention_layernorm(x))"),
    section="llama-block",
    why="What the attention added is lost. You added the feed-forward result to the block's input. To which sum "
    "should it be added?",
    hint="Your block adds the feed-forward result to its input. Add it to the sum after the attention.",
)

mistake(
    "llama.LlamaBlock",
    "normed-residual",
    edit(ATTENTION, "x = self.input_layernorm(x)\nx = x + self.self_attn(x, cache, layer)"),
    section="llama-block",
    why="The residual path is normalised. Before the attention, you overwrote x with its normed form and added to it. "
    "Which x should the path carry?",
    hint="You overwrite x with its normed form. Norm only what the sublayer reads.",
)

mistake(
    "llama.LlamaBlock",
    "normed-second-residual",
    edit(FEED, "x = self.post_attention_layernorm(x)\nreturn x + self.mlp(x)"),
    section="llama-block",
    why="The residual path is normalised. Before the feed-forward layer, you overwrote x with its normed form and "
    "added to it. Which x should the path carry?",
    hint="You overwrite x with its normed form. Norm only what the sublayer reads.",
)

mistake(
    "llama.LlamaBlock",
    "norms-exchanged",
    edit(ATTENTION, "x = x + self.self_attn(self.post_attention_layernorm(x), cache, layer)"),
    edit(FEED, "return x + self.mlp(self.input_layernorm(x))"),
    section="llama-block",
    why="A checkpoint gives wrong results: your two norms are exchanged, and their gains differ. Which of them comes "
    "before the attention? What do their names say?",
    hint="Your two norms are exchanged: `input_layernorm` comes before the attention.",
)

mistake(
    "llama.LlamaBlock",
    "one-norm-for-both",
    edit(FEED, "return x + self.mlp(self.input_layernorm(x))"),
    section="llama-block",
    why="`post_attention_layernorm` is never used. You let one norm serve both sublayers. Which norm belongs to which "
    "sublayer?",
    hint="`post_attention_layernorm` is never used. It stands in front of the feed-forward layer.",
)

mistake(
    "llama.LlamaBlock",
    "feed-forward-first",
    edit(
        f"{ATTENTION}\n{FEED}",
        "x = x + self.mlp(self.post_attention_layernorm(x))\n"
        "return x + self.self_attn(self.input_layernorm(x), cache, layer)",
    ),
    section="llama-block",
    why="Your sublayers are in the wrong order. You called the feed-forward layer first. Which one comes first?",
    hint="Your sublayers are in the wrong order: attention, then feed-forward layer.",
)

mistake(
    "llama.LlamaBlock",
    "cache-not-passed",
    edit("self.input_layernorm(x), cache, layer)", "self.input_layernorm(x))"),
    section="llama-block",
    why="With a cache, pieces of a text know nothing of each other. Your block does not pass it on. Which call needs "
    "it?",
    hint="With a cache, your block's pieces know nothing of each other. Pass cache and layer to the attention.",
)

mistake(
    "llama.LlamaBlock",
    "layer-not-passed",
    edit("cache, layer)", "cache)"),
    section="llama-block",
    why="All layers write into layer 0 of the cache. Your block passes the cache without the number of its layer. "
    "Which call needs the number?",
    hint="Your block passes the cache, but not `layer`. All layers then write into layer 0.",
)

mistake(
    "llama.LlamaBlock",
    "default-epsilon",
    edit(
        "self.input_layernorm = RMSNorm(config.d_model, config.eps)", "self.input_layernorm = RMSNorm(config.d_model)"
    ),
    edit(
        "self.post_attention_layernorm = RMSNorm(config.d_model, config.eps)",
        "self.post_attention_layernorm = RMSNorm(config.d_model)",
    ),
    section="llama-block",
    why="Released models give slightly wrong results. Your norms use the default eps. Where does the model keep its "
    "own value?",
    hint="Your norms use the default eps. Pass config.eps.",
)

mistake(
    "llama.LlamaBlock",
    "default-base",
    edit("config.num_kv_heads, config.base)", "config.num_kv_heads)"),
    section="llama-block",
    why="Rotary positions turn at the wrong speed. Your attention uses the default base. Where does the model keep "
    "its own value?",
    hint="Your attention uses the default base. Pass config.base.",
)

mistake(
    "llama.LlamaBlock",
    "ungrouped",
    edit("config.num_kv_heads, config.base)", "config.num_heads, config.base)"),
    section="llama-block",
    why="Your block has as many key heads as query heads. You did not use the configured number. Which constructor "
    "needs it?",
    hint="Your block has as many key heads as query heads. Pass config.num_kv_heads.",
)

mistake(
    "llama.LlamaBlock",
    "layer-norm",
    edit(
        "self.input_layernorm = RMSNorm(config.d_model, config.eps)",
        "self.input_layernorm = nn.LayerNorm(config.d_model, config.eps, bias=False)",
    ),
    edit(
        "self.post_attention_layernorm = RMSNorm(config.d_model, config.eps)",
        "self.post_attention_layernorm = nn.LayerNorm(config.d_model, config.eps, bias=False)",
    ),
    section="llama-block",
    why="Your norms subtract the mean. You used LayerNorm, as the names in the checkpoints suggest. Which norm does "
    "a Llama really have?",
    hint="The names say layernorm, but a Llama's norms are RMSNorm.",
)

mistake(
    "llama.LlamaBlock",
    "dropout-while-training",
    edit(
        "return x + self.mlp(self.post_attention_layernorm(x))",
        "return x + nn.functional.dropout(self.mlp(self.post_attention_layernorm(x)), 0.1, self.training)",
    ),
    section="llama-block",
    why="In training mode your outputs differ from call to call. You added a dropout. How much does a Llama drop?",
    hint="In training mode your outputs differ from call to call. Take the dropout out.",
)

mistake(
    "llama.LlamaBlock",
    "feed-forward-sees-attention-alone",
    edit(ATTENTION, "h = self.self_attn(self.input_layernorm(x), cache, layer)"),
    edit(FEED, "return x + h + self.mlp(self.post_attention_layernorm(h))"),
    section="llama-block",
    why="Your feed-forward layer does not see the block's input. You gave it the result of attention before the "
    "addition. What does it read in a pre-norm block?",
    hint="Your feed-forward layer reads what attention returned. Add the input first, and give it the sum.",
)

# ---------------------------------------------------------------------------------------------------------------------
# Llama

HEAD = "return F.linear(x, self.embed_tokens.weight) if self.lm_head is None else self.lm_head(x)"


mistake(
    "llama.Llama",
    "no-last-norm",
    edit("x = self.norm(x)", ""),
    section="llama-model",
    why="Your logits do not depend on `norm`. You made the last norm and did not use it, so the residual stream is "
    "never normalised. After which step does it belong?",
    hint="Your logits do not depend on `norm`. Apply it after the last block.",
)

mistake(
    "llama.Llama",
    "norm-first",
    edit("x = self.norm(x)", ""),
    edit("x = self.embed_tokens(ids)", "x = self.norm(self.embed_tokens(ids))"),
    section="llama-model",
    why="The last norm acts on the embeddings. You applied it before the blocks. After which step does it belong?",
    hint="`norm` stands before your blocks. It belongs after them.",
)

mistake(
    "llama.Llama",
    "one-block-again-and-again",
    edit(
        "nn.ModuleList(LlamaBlock(config) for _ in range(config.num_layers))",
        "nn.ModuleList([LlamaBlock(config)] * config.num_layers)",
    ),
    section="llama-model",
    why="All layers share their weights. A list times a number repeats a single block. How do you build separate "
    "objects?",
    hint="Your layers are one block, num_layers times. Build a new one for each.",
)

mistake(
    "llama.Llama",
    "plain-list",
    edit(
        "nn.ModuleList(LlamaBlock(config) for _ in range(config.num_layers))",
        "[LlamaBlock(config) for _ in range(config.num_layers)]",
    ),
    section="llama-model",
    why="Your blocks are neither trained nor loaded. PyTorch does not look into a plain list. Which container does "
    "it look into?",
    hint="Your blocks have no parameters as PyTorch sees it. Put them into an nn.ModuleList.",
)

mistake(
    "llama.Llama",
    "one-block-too-few",
    edit("range(config.num_layers)", "range(config.num_layers - 1)"),
    section="llama-model",
    why="Your model has one block too few. Your range ends one number too early. How many numbers does a range up to n "
    "have?",
    hint="Count your blocks: there should be config.num_layers.",
)

mistake(
    "llama.Llama",
    "blocks-reversed",
    edit("enumerate(self.layers)", "reversed(list(enumerate(self.layers)))"),
    section="llama-model",
    why="Your blocks run from the last to the first. You reversed them. Which block reads the embeddings?",
    hint="Your blocks run in the wrong order. Layer 0 comes first.",
)

mistake(
    "llama.Llama",
    "always-layer-zero",
    edit("x = layer(x, cache, number)", "x = layer(x, cache)"),
    section="llama-model",
    why="With a cache, all blocks read each other's keys. You did not tell the blocks their numbers, so all of them "
    "write into layer 0. What should each call of a block receive?",
    hint="With a cache, all your layers are layer 0. Pass each block its number.",
)

mistake(
    "llama.Llama",
    "layers-from-one",
    edit("enumerate(self.layers)", "enumerate(self.layers, start=1)"),
    section="llama-model",
    why="The length of the cache stays 0. You counted the layers from 1. Which layer does the length belong to?",
    hint="cache.length stays 0, since your layers are counted from 1. Count from 0.",
)

mistake(
    "llama.Llama",
    "cache-not-passed",
    edit("x = layer(x, cache, number)", "x = layer(x)"),
    section="llama-model",
    why="Each piece of a text is read as if it were the beginning. You did not pass the cache to the blocks. Which "
    "call needs it?",
    hint="Your cache stays empty. Pass it to every block.",
)

mistake(
    "llama.Llama",
    "embeddings-scaled",
    edit("x = self.embed_tokens(ids)", "x = self.embed_tokens(ids) * self.embed_tokens.embedding_dim**0.5"),
    section="llama-model",
    why="Your embeddings are larger than the rows of the table. You multiplied them by the root of d, as the "
    "Transformer of 2017 does. How does a Llama use the rows of its table?",
    hint="Your embeddings are scaled. A Llama takes rows of the table as they are.",
)

mistake(
    "llama.Llama",
    "positions-added",
    edit(
        "x = self.embed_tokens(ids)",
        "x = self.embed_tokens(ids)\nx = x + torch.arange(ids.shape[1], device=x.device)[:, None].sin()",
    ),
    section="llama-model",
    why="The same token gets another embedding at each position. You added positions to the embeddings, a step that a "
    "Llama does not have. Which part of a Llama uses positions?",
    hint="You add positions to the embeddings. A Llama has them in its attention alone.",
)

mistake(
    "llama.Llama",
    "never-tied",
    edit("None if config.tied else nn.Linear", "nn.Linear"),
    section="llama-model",
    why="A tied model has V times d parameters that no checkpoint fills. You always build a head. Which table makes "
    "the logits when the model is tied?",
    hint="Your tied model has a head of its own. Where config.tied is true, the table of tokens makes the logits.",
)

mistake(
    "llama.Llama",
    "always-tied",
    edit("None if config.tied else nn.Linear(config.d_model, config.vocab_size, bias=False)", "None"),
    section="llama-model",
    why="A model that is not tied has no head of its own. You ignored the setting `tied`. Which layer should such a "
    "model have?",
    hint="Where config.tied is false, the model needs an `lm_head` of its own.",
)

mistake(
    "llama.Llama",
    "head-with-bias",
    edit("nn.Linear(config.d_model, config.vocab_size, bias=False)", "nn.Linear(config.d_model, config.vocab_size)"),
    section="llama-model",
    why="No checkpoint fills the bias of your head. No linear layer of a Llama has one. Which argument of the layer "
    "controls this?",
    hint="`lm_head` has a bias. Build it with bias=False.",
)

mistake(
    "llama.Llama",
    "own-head-not-used",
    edit(HEAD, "return F.linear(x, self.embed_tokens.weight)"),
    section="llama-model",
    why="Your head gets no gradient, and loading one changes nothing. The logits always come from the token table. "
    "When should the head make them?",
    hint="Your `lm_head` has no influence on the logits. Where `config.tied` is false, the head makes the logits.",
)

mistake(
    "llama.Llama",
    "copied-head",
    edit(
        "self.lm_head.weight = self.embed_tokens.weight",
        "self.lm_head.weight = nn.Parameter(self.embed_tokens.weight.detach().clone())",
    ),
    base="one-parameter-for-both",
    section="llama-model",
    why="From the first training step on, head and table differ. You made a copy. What makes two modules use one "
    "parameter?",
    hint="Your head is a copy of the table. Tied means one and the same parameter.",
)

mistake(
    "llama.Llama",
    "last-position-only",
    edit(
        "return F.linear(x, self.embed_tokens.weight) if",
        "x = x[:, -1:]\nreturn F.linear(x, self.embed_tokens.weight) if",
    ),
    section="llama-model",
    why="Training and scoring a text are impossible. You returned the logits of the last position only. For which "
    "positions are they needed?",
    hint="Your logits have one position. Return (B, T, V).",
)

mistake(
    "llama.Llama",
    "probabilities",
    edit(
        HEAD,
        "x = F.linear(x, self.embed_tokens.weight) if self.lm_head is None else self.lm_head(x)\nreturn x.softmax(dim=-1)",
    ),
    section="llama-model",
    why="Your rows sum to 1. You returned probabilities, and losses and samplers would apply the softmax again. What "
    "do they expect?",
    hint="Your rows sum to 1. Return logits, without a softmax.",
)

mistake(
    "llama.Llama",
    "default-epsilon",
    edit("self.norm = RMSNorm(config.d_model, config.eps)", "self.norm = RMSNorm(config.d_model)"),
    section="llama-model",
    why="Released models give slightly wrong results. Your last norm uses the default eps. Where does the model keep "
    "its own value?",
    hint="Your last norm uses the default eps. Pass config.eps.",
)

mistake(
    "llama.Llama",
    "dropout-while-training",
    edit("x = self.norm(x)", "x = F.dropout(self.norm(x), 0.1, self.training)"),
    section="llama-model",
    why="In training mode your outputs differ from call to call. You added a dropout. How much does a Llama drop?",
    hint="In training mode your outputs differ from call to call. Take the dropout out.",
)

mistake(
    "llama.Llama",
    "batch-axis-squeezed",
    edit("x = self.norm(x)", "x = self.norm(x).squeeze(0)"),
    section="llama-model",
    why="For a batch of one, a caller indexes positions instead of sequences. You removed the first axis. Which "
    "shape should the logits always have?",
    hint="For ids of shape (1, 4) your logits have two axes. They are (B, T, V) for every B: do not squeeze.",
)

# ---------------------------------------------------------------------------------------------------------------------
# llama_state

MISSING = 'if name not in state:\n        raise ValueError(f"{name} is missing from the checkpoint.")'


mistake(
    "llama.llama_state",
    "prefix-kept",
    edit("name.removeprefix(prefix): state[name]", "name: state[name]"),
    edit(
        '"lm_head.weight" in found and torch.equal(found["lm_head.weight"], found["embed_tokens.weight"])',
        '"lm_head.weight" in found and torch.equal(found["lm_head.weight"], found["model.embed_tokens.weight"])',
    ),
    section="llama-names",
    why="Nothing loads: your names still begin with `model.`. This model has no part of that name. What should happen "
    "to the prefix?",
    hint="Your names begin with `model.`. This model's do not.",
)

mistake(
    "llama.llama_state",
    "head-always-dropped",
    edit(
        'if "lm_head.weight" in found and torch.equal(found["lm_head.weight"], found["embed_tokens.weight"]):\n'
        '    del found["lm_head.weight"]',
        'found.pop("lm_head.weight", None)',
    ),
    section="llama-names",
    why="A model that is not tied loses its head. You always drop it. With which table should it be compared first?",
    hint="You drop a head that is not tied. Drop it only where it equals the table of tokens.",
)

mistake(
    "llama.llama_state",
    "head-always-kept",
    edit(
        'if "lm_head.weight" in found and torch.equal(found["lm_head.weight"], found["embed_tokens.weight"]):\n'
        '    del found["lm_head.weight"]',
        "",
    ),
    section="llama-names",
    why="A tied model refuses your result, because it has no head. You always keep it. When should it be dropped?",
    hint="You keep a head that equals the table of tokens. There the model is tied: drop it.",
)

mistake(
    "llama.llama_state",
    "head-refused",
    edit('    wanted["lm_head.weight"] = "vd"', "    pass"),
    section="llama-names",
    why="Every checkpoint with a head is refused. You treat it as an extra tensor. In which two cases does it occur?",
    hint="You refuse lm_head.weight. It is known: kept where it differs from the table, dropped where it is tied.",
)

mistake(
    "llama.llama_state",
    "missing-not-noticed",
    edit(
        f"for name in wanted:\n    {MISSING}", "wanted = {name: axes for name, axes in wanted.items() if name in state}"
    ),
    edit(
        'torch.equal(found["lm_head.weight"], found["embed_tokens.weight"])',
        'torch.equal(found["lm_head.weight"], found.get("embed_tokens.weight", torch.zeros(0)))',
    ),
    section="llama-names",
    why="The model keeps random numbers in one part and talks nonsense. You did not notice that a tensor is missing. "
    "How should the function react?",
    hint="A checkpoint that lacks a tensor passes. Raise a ValueError that names what is missing.",
)

mistake(
    "llama.llama_state",
    "missing-is-a-key-error",
    edit(f"for name in wanted:\n    {MISSING}", ""),
    section="llama-names",
    why="A missing tensor ends in a KeyError from inside your code. You did not look for it first. Which error does "
    "the task ask for, and what should it name?",
    hint="A missing tensor raises KeyError. Look before you take, and raise a ValueError with the name.",
)

mistake(
    "llama.llama_state",
    "message-without-a-name",
    edit('f"{name} is missing from the checkpoint."', '"A tensor is missing from the checkpoint."'),
    edit(
        'f"{name} is in the checkpoint, but a Llama has no such tensor."', '"There are more tensors than a Llama has."'
    ),
    section="llama-names",
    why="The reader of your message cannot tell which of hundreds of tensors it is about. You named none. Which name "
    "should the message hold?",
    hint="Your messages name no tensor. Put the name into the message.",
)

mistake(
    "llama.llama_state",
    "first-layer-only",
    edit("for number in range(max(numbers, default=-1) + 1):", "for number in sorted(set(numbers)):"),
    section="llama-names",
    why="A checkpoint that lacks one of its layers passes. You looked only for layers that occur. If the last one is "
    "layer 2, which layers have to exist?",
    hint="A checkpoint without layer 1 of 3 passes. All layers up to the last one must be there.",
)

mistake(
    "llama.llama_state",
    "extra-not-noticed",
    edit(
        'for name in state:\n    if name not in wanted and not name.endswith("rotary_emb.inv_freq"):\n'
        '        raise ValueError(f"{name} is in the checkpoint, but a Llama has no such tensor.")',
        "",
    ),
    section="llama-names",
    why="A checkpoint of another model loads and gives wrong results. You ignored tensors without a counterpart. How "
    "should the function react to one?",
    hint="A checkpoint with a bias passes. Raise a ValueError that names the tensor.",
)

mistake(
    "llama.llama_state",
    "biases-not-noticed",
    edit('not name.endswith("rotary_emb.inv_freq")', 'not name.endswith(("rotary_emb.inv_freq", "bias"))'),
    section="llama-names",
    why="A checkpoint with biases loads and gives wrong results. You dropped them as if they did not matter. Which "
    "tensors may be left out?",
    hint="A checkpoint with a bias passes. Refuse every tensor that this model has no counterpart for.",
)

mistake(
    "llama.llama_state",
    "extra-kept",
    edit(
        'for name in state:\n    if name not in wanted and not name.endswith("rotary_emb.inv_freq"):\n'
        '        raise ValueError(f"{name} is in the checkpoint, but a Llama has no such tensor.")',
        "extra = {name: one for name, one in state.items() if name not in wanted}",
    ),
    edit(
        "found = {name.removeprefix(prefix): state[name] for name in wanted}",
        "found = {name.removeprefix(prefix): state[name] for name in wanted} | extra",
    ),
    section="llama-names",
    why="The error comes later, from loading. You passed on tensors without a counterpart. When should the function "
    "react to them?",
    hint="A checkpoint with an extra tensor passes. Raise a ValueError that names it.",
)

mistake(
    "llama.llama_state",
    "shapes-not-noticed",
    edit("if state[name].shape != shape:", "if False:"),
    section="llama-names",
    why="A transposed or truncated matrix passes. You did not compare shapes. From which tensors do the expected "
    "shapes follow?",
    hint="A matrix of a wrong shape passes. Compare every shape with the one that follows from the other tensors.",
)

mistake(
    "llama.llama_state",
    "number-of-entries-compared",
    edit("if state[name].shape != shape:", "if state[name].numel() != torch.Size(shape).numel():"),
    section="llama-names",
    why="A transposed matrix passes, because it has as many entries. You counted them. What should be compared?",
    hint="A transposed matrix passes. Compare shapes, not numbers of entries.",
)

mistake(
    "llama.llama_state",
    "transposed",
    edit(
        "found = {name.removeprefix(prefix): state[name] for name in wanted}",
        'found = {name.removeprefix(prefix): state[name].T if "proj" in name else state[name] for name in wanted}',
    ),
    section="llama-names",
    why="Your projections are transposed. You treated them like GPT-2's published weights. In which layout does a "
    "Llama store its projections?",
    hint="Your projections are transposed. Checkpoints of Llama store (out, in) already.",
)

mistake(
    "llama.llama_state",
    "gate-and-up-exchanged",
    edit(
        "return found",
        'swapped = {"gate": "up", "up": "gate"}\n'
        'return {re.sub("(gate|up)_proj", lambda word: f"{swapped[word[1]]}_proj", name): found[name] for name in found}',
    ),
    section="llama-names",
    why="Your `gate_proj` holds `up_proj`, and nothing complains, because the shapes agree. You exchanged two names. "
    "Which part of a name should change?",
    hint="Your gate_proj holds up_proj. Names keep their meaning: only the prefix goes.",
)

mistake(
    "llama.llama_state",
    "one-digit-layers",
    edit(r"layers\.(\d+)\.", r"layers\.(\d)\."),
    section="llama-names",
    why="A checkpoint of 12 layers is refused. You read layer numbers as a single digit. How many digits may they "
    "have?",
    hint="A checkpoint of 12 layers is refused. Layer numbers may have several digits.",
)

mistake(
    "llama.llama_state",
    "argument-changed",
    edit(
        "return found", "for name in list(state):\n    state[name.removeprefix(prefix)] = state.pop(name)\nreturn found"
    ),
    section="llama-names",
    why="After the call, the caller's dictionary has other names. You renamed its entries in place. What can you "
    "build instead?",
    hint="Your function changes `state`. Build a new dict.",
)

mistake(
    "llama.llama_state",
    "converted-to-float32",
    edit("name.removeprefix(prefix): state[name] for", "name.removeprefix(prefix): state[name].float() for"),
    section="llama-names",
    why="A bfloat16 model doubles its memory. You converted all tensors. Which type should they have?",
    hint="Your tensors are float32 whatever they were. Pass them on as they are.",
)

mistake(
    "llama.llama_state",
    "head-nearly-equal",
    edit(
        'torch.equal(found["lm_head.weight"], found["embed_tokens.weight"])',
        'torch.allclose(found["lm_head.weight"], found["embed_tokens.weight"], atol=0.1)',
    ),
    section="llama-names",
    why="A head that was trained further is lost. You treated one that is close to the table as tied. When are two "
    "tensors the same?",
    hint="You drop a head that differs from the table a little. Only an equal one is tied: compare with `torch.equal`.",
)

mistake(
    "llama.apply_rope",
    "angles-of-neighbours",
    edit(
        TURN,
        "angles = angles.repeat_interleave(2, dim=-1)\n"
        "return (x * angles.cos() + torch.cat([-b, a], dim=-1) * angles.sin()).to(x.dtype)",
    ),
    section="llama-rope-pairs",
    why="Your vectors change their lengths. You repeated each angle for two neighbours, but paired the two halves, so the "
    "entries of a pair turn by different angles. Which two entries share an angle?",
    hint="You repeat each angle twice in a row, but entry i is paired with entry i + d_head/2. Both of them need angle i.",
)

mistake(
    "llama.apply_rope",
    "angles-of-halves-for-neighbours",
    edit(
        TURN,
        "angles = torch.cat([angles, angles], dim=-1)\n"
        "turned = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)\n"
        "return (x * angles.cos() + turned * angles.sin()).to(x.dtype)",
    ),
    section="llama-rope-pairs",
    why="Your vectors change their lengths. You arranged the angles for two halves, but paired neighbours, so the entries of "
    "a pair turn by different angles. Which two entries share an angle?",
    hint="Your angles belong to two halves, and your pairs are neighbours. Entry i is paired with entry i + d_head/2.",
)

mistake(
    "llama.apply_rope",
    "last-exponent-is-one",
    edit("device=x.device) / d_head", "device=x.device) / max(d_head - 2, 1)"),
    section="llama-rope",
    why="All pairs but the first turn too slowly. You let the exponents run up to 1 inclusive. By which number is 2i "
    "divided?",
    hint="Your last pair has the frequency 1 / base. The exponent of pair i is -2i / d_head, which ends just above -1.",
)

mistake(
    "llama.apply_rope",
    "positions-from-the-first-one",
    edit("positions.to(x.device, wide)", "(positions - positions[0]).to(x.device, wide)"),
    section="llama-rope-positions",
    why="The first vector never turns, so with a cache new queries do not fit the old keys. You counted positions from the "
    "first one given. When do only differences matter?",
    hint="You subtract the first position. Scores depend on differences, but queries and keys may come in different calls: "
    "use the positions as they are.",
)

mistake(
    "llama.RMSNorm",
    "epsilon-as-a-lower-limit",
    edit(f"{MEAN} + self.eps", f"{MEAN}.clamp(min=self.eps)"),
    section="llama-rmsnorm",
    why="Vectors of small numbers come out too large. You used eps as a lower limit of the mean square. What does the "
    "formula do with eps?",
    hint="You use eps as a lower limit. It is added to the mean square of every vector.",
)

mistake(
    "llama.GroupedQueryAttention",
    "scaled-twice",
    edit(
        "q = split_heads(self.q_proj(x), self.num_heads)",
        "q = split_heads(self.q_proj(x), self.num_heads)\nq = q / q.shape[-1] ** 0.5",
    ),
    section="llama-groups",
    why="Your weights are too even. You scaled the queries, and the attention function scales their products again. By which "
    "number is a score divided in all?",
    hint="Your scores are divided by the width of a head and not by its root. `scaled_dot_product_attention` scales already.",
)

mistake(
    "llama.apply_rope",
    "sine-and-cosine-exchanged",
    edit("angles.cos().to(x.dtype), angles.sin()", "angles.sin().to(x.dtype), angles.cos()"),
    section="llama-rope",
    why="At position 0, where nothing turns, your halves change places, and the new first half is negated. You took "
    "the sine for the cosine. Which of the two is 1 at an angle of 0?",
    hint="At position 0 nothing turns, and yet your vector changes. cos(0) is 1 and sin(0) is 0.",
)

mistake(
    "llama.apply_rope",
    "minus-in-both-sums",
    edit("a * sin + b * cos", "a * sin - b * cos"),
    section="llama-rope",
    why="At position 0 the second half of your vector changes its sign. You put a minus into both sums, which mirrors pairs. "
    "How many does a rotation have?",
    hint="At position 0 your second half changes its sign. A rotation has one minus: the second entry is a sin + b cos.",
)

mistake(
    "llama.LlamaBlock",
    "argument-changed",
    edit(ATTENTION, "x += self.self_attn(self.input_layernorm(x), cache, layer)"),
    section="llama-block",
    why="After the call, the caller's x has changed, and training may fail. You added in place. Which form of the sum makes a "
    "new tensor?",
    hint="Your block changes its argument: `+=` writes into it. Make a new tensor.",
)

mistake(
    "llama.llama_state",
    "last-layer-by-its-spelling",
    edit("int(match[1])", "match[1]"),
    edit("range(max(numbers, default=-1) + 1)", 'range(int(max(numbers, default="-1")) + 1)'),
    section="llama-names",
    why="A checkpoint of 12 layers is refused. You compared layer numbers as texts, where 9 comes after 11. When should you "
    "convert them?",
    hint="A checkpoint of 12 layers is refused, because texts are compared letter by letter. Convert layer numbers to int "
    "before you compare.",
)
