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
    why="The mean is subtracted first, as LayerNorm does. RMSNorm leaves the mean where it is.",
    hint="Your results have the mean 0. RMSNorm only divides: what LayerNorm subtracts stays in.",
)

mistake(
    "llama.RMSNorm",
    "over-the-positions",
    edit("dim=-1", "dim=-2"),
    section="llama-rmsnorm",
    why="The mean square is taken over the positions, axis -2. Each position has a root mean square of its own.",
    hint="Your vectors share their root mean squares across positions. Take the mean over the last axis, the width.",
)

mistake(
    "llama.RMSNorm",
    "axis-zero",
    edit("dim=-1", "dim=0"),
    section="llama-rmsnorm",
    why="The mean is taken over axis 0, which is the batch. It is the width only where a vector comes alone.",
    hint="Your vectors share their root mean squares across the batch. The width is the last axis, -1.",
)

mistake(
    "llama.RMSNorm",
    "over-everything",
    edit(".mean(dim=-1, keepdim=True)", ".mean()"),
    section="llama-rmsnorm",
    why="One mean square is taken of the whole tensor. A vector's size then depends on all the others in the batch.",
    hint="All your vectors are divided by one number. Each has its own: take the mean over the last axis alone.",
)

mistake(
    "llama.RMSNorm",
    "over-positions-and-width",
    edit("dim=-1", "dim=tuple(range(1, x.dim())) or -1"),
    section="llama-rmsnorm",
    why="The mean square runs over everything but the batch. A position's result then depends on later positions.",
    hint="All positions of your sequences are divided by one number. Take the mean over the last axis alone.",
)

mistake(
    "llama.RMSNorm",
    "axis-one",
    edit("dim=-1", "dim=min(1, x.dim() - 1)"),
    section="llama-rmsnorm",
    why="The mean is taken over axis 1. That is the width of a matrix only; in (B, T, d) it is the positions.",
    hint="Your norm is right for matrices alone. The width is the last axis, -1, however many axes come before it.",
)

mistake(
    "llama.RMSNorm",
    "axis-lost",
    edit(", keepdim=True", ""),
    section="llama-rmsnorm",
    why="The mean loses its axis, so it broadcasts along the wrong one, or not at all. In a square shape nobody notices.",
    hint="Your mean square has no axis left for the width. Keep it with keepdim=True, so each vector meets its own mean.",
)

mistake(
    "llama.RMSNorm",
    "sum-of-squares",
    edit(".mean(", ".sum("),
    section="llama-rmsnorm",
    why="The squares are added up, not averaged. The results shrink as the width grows, to vectors of length 1.",
    hint="Your vectors have the length 1. Divide by the root of the *mean* of the squares: entries keep the size 1.",
)

mistake(
    "llama.RMSNorm",
    "mean-of-absolute-values",
    edit("wide.square().mean", "wide.abs().mean"),
    edit("torch.rsqrt(", "torch.reciprocal("),
    section="llama-rmsnorm",
    why="The vector is divided by the mean of its absolute values. The root mean square is larger, except for equal "
    "entries.",
    hint="You divide by the mean absolute value. Square first, take the mean, then the root.",
)

mistake(
    "llama.RMSNorm",
    "divided-by-the-standard-deviation",
    edit("wide.square().mean(dim=-1, keepdim=True)", "wide.var(dim=-1, keepdim=True, correction=0)"),
    section="llama-rmsnorm",
    why="The vector is divided by its standard deviation, which measures the distance from the mean. The root mean square measures the distance from 0.",
    hint="Your divisor does not see the mean of a vector. Take the mean of the squares, without subtracting anything.",
)

mistake(
    "llama.RMSNorm",
    "square-of-the-mean",
    edit("wide.square().mean(dim=-1, keepdim=True)", "wide.mean(dim=-1, keepdim=True).square()"),
    section="llama-rmsnorm",
    why="The mean is squared, not the entries. Positive and negative entries then cancel.",
    hint="You square the mean. Square every entry, then take the mean.",
)

mistake(
    "llama.RMSNorm",
    "no-root",
    edit("torch.rsqrt(", "torch.reciprocal("),
    section="llama-rmsnorm",
    why="The vector is divided by the mean square itself. An input twice as large then gives half the result.",
    hint="Twice as large an input gives half as large a result. Divide by the *root* of the mean square.",
)

mistake(
    "llama.RMSNorm",
    "multiplied",
    edit("torch.rsqrt(", "torch.sqrt("),
    section="llama-rmsnorm",
    why="The vector is multiplied by its root mean square. That makes large vectors larger.",
    hint="Your results grow with the square of the input. Divide by the root, or multiply by `torch.rsqrt`.",
)

mistake(
    "llama.RMSNorm",
    "epsilon-outside-the-root",
    edit("torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)", f"1 / ({MEAN}.sqrt() + self.eps)"),
    section="llama-rmsnorm",
    why="eps is added to the root. Inside it, eps bounds the division much earlier, and released weights count on that.",
    hint="Rows of small numbers come out too large: add eps to the mean square, before the root.",
)

mistake(
    "llama.RMSNorm",
    "no-epsilon",
    edit(" + self.eps", ""),
    section="llama-rmsnorm",
    why="eps is missing. A vector of zeros is then divided by 0, and small vectors are blown up.",
    hint="A vector of zeros gives NaN. Add eps to the mean square.",
)

mistake(
    "llama.RMSNorm",
    "epsilon-fixed",
    edit("self.eps = eps", "self.eps = 1e-5"),
    section="llama-rmsnorm",
    why="The argument eps is ignored. Released models use other values than the default.",
    hint="RMSNorm(d, eps) does not use its second argument. Keep it in `self.eps`.",
)

mistake(
    "llama.RMSNorm",
    "other-default-epsilon",
    edit("eps=1e-5", "eps=1e-6"),
    section="llama-rmsnorm",
    why="The default of eps is 1e-6, as in some libraries. In this course it is 1e-5.",
    hint="Rows of small numbers differ where no eps is given. The default is 1e-5.",
)

mistake(
    "llama.RMSNorm",
    "no-weight",
    edit("self.weight * normed", "normed"),
    section="llama-rmsnorm",
    why="The gain is made, but not used. The model cannot scale a single entry.",
    hint="Changing `weight` changes nothing in your output. Multiply by it, after the division.",
)

mistake(
    "llama.RMSNorm",
    "weight-before-the-norm",
    edit("normed = wide", "wide = wide * self.weight\nnormed = wide"),
    edit("self.weight * normed", "normed"),
    section="llama-rmsnorm",
    why="The gain is applied first and takes part in the mean square. A gain for all entries alike then cancels.",
    hint="Your weight takes part in the root mean square. Divide first, then multiply by the weight.",
)

mistake(
    "llama.RMSNorm",
    "weight-plus-one",
    edit("torch.ones(d)", "torch.zeros(d)"),
    edit("self.weight * normed", "(1 + self.weight) * normed"),
    section="llama-rmsnorm",
    why="The gain is stored as its distance from 1, as in Gemma. A Llama's checkpoint stores the gain itself.",
    hint="Your output is scaled by 1 + weight. A Llama multiplies by the weight, which starts at 1.",
)

mistake(
    "llama.RMSNorm",
    "weight-starts-at-zero",
    edit("torch.ones(d)", "torch.zeros(d)"),
    section="llama-rmsnorm",
    why="The gain starts at 0, so an untrained norm returns zeros. It has to start at 1.",
    hint="A new norm returns zeros. Start the weight at ones.",
)

mistake(
    "llama.RMSNorm",
    "one-weight-for-all",
    edit("torch.ones(d)", "torch.ones(1)"),
    section="llama-rmsnorm",
    why="There is one gain for the whole vector. Every entry has its own.",
    hint="Your weight has the shape (1,). It should be (d,), one gain for each entry.",
)

mistake(
    "llama.RMSNorm",
    "not-a-parameter",
    edit("nn.Parameter(torch.ones(d))", "torch.ones(d)"),
    section="llama-rmsnorm",
    why="The gain is a plain tensor. No optimiser finds it, no checkpoint holds it, and `.to()` leaves it behind.",
    hint="`weight` is no parameter. Wrap it in nn.Parameter.",
)

mistake(
    "llama.RMSNorm",
    "squared-in-sixteen-bits",
    edit("x.to(torch.promote_types(x.dtype, torch.float32))", "x"),
    section="llama-rmsnorm-halves",
    why="The mean square is computed in the type of x. In float16 squares above 65,504 are infinite, and the result is 0.",
    hint="In float16, numbers of 1,000 come out as zeros: their squares overflow. Compute the mean square in float32.",
)

mistake(
    "llama.RMSNorm",
    "float64-cut-to-float32",
    edit("x.to(torch.promote_types(x.dtype, torch.float32))", "x.float()"),
    section="llama-rmsnorm-halves",
    why="Every input is converted to float32, float64 as well. That loses half of its digits.",
    hint="Your float64 results have seven digits. Widen 16-bit types only; `torch.promote_types` does that.",
)

mistake(
    "llama.RMSNorm",
    "always-float32",
    edit("self.weight * normed).to(x.dtype)", "self.weight * normed).float()"),
    section="llama-rmsnorm-halves",
    why="The result stays in float32. The next layer, in bfloat16, then refuses it.",
    hint="Your result is float32 for every input. Convert it back to the type of x.",
)

mistake(
    "llama.RMSNorm",
    "root-detached",
    edit("+ self.eps)", "+ self.eps).detach()"),
    section="llama-rmsnorm",
    why="The root mean square is detached from the graph. The gradient then misses how it depends on x.",
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
    why="Neighbours 2i and 2i + 1 are turned as pairs, as in the paper. Released checkpoints pair i with i + d_head/2.",
    hint="You pair neighbouring entries. Here entry i is turned with entry i + d_head/2.",
)

mistake(
    "llama.apply_rope",
    "neighbours-in-halves-out",
    edit("a, b = x.chunk(2, dim=-1)", "a, b = x[..., 0::2], x[..., 1::2]"),
    section="llama-rope-pairs",
    why="Pairs are read as neighbours and written as halves. That mixes the two layouts and permutes the entries.",
    hint="You read entries 2i and 2i + 1, and write i and i + d_head/2. Read and write the two halves.",
)

mistake(
    "llama.apply_rope",
    "turned-backwards",
    edit(TURN, "return torch.cat([a * cos + b * sin, b * cos - a * sin], dim=-1)"),
    section="llama-rope",
    why="Every pair is turned by minus its angle. Scores come out the same, so that only the vectors show it.",
    hint="Your pairs turn the other way. The first entry becomes a cos - b sin, the second a sin + b cos.",
)

mistake(
    "llama.apply_rope",
    "no-minus",
    edit("a * cos - b * sin", "a * cos + b * sin"),
    section="llama-rope",
    why="The minus sign is missing. This is no rotation: lengths change, and scores depend on more than distances.",
    hint="Your vectors change their lengths. A rotation has one minus: a cos - b sin.",
)

mistake(
    "llama.apply_rope",
    "halves-exchanged",
    edit("[a * cos - b * sin, a * sin + b * cos]", "[a * sin + b * cos, a * cos - b * sin]"),
    section="llama-rope-pairs",
    why="The two halves of the result are exchanged. Queries and keys agree, but no checkpoint fits.",
    hint="At position 0 nothing turns, and yet your halves change places. The first half is a cos - b sin.",
)

mistake(
    "llama.apply_rope",
    "exponent-not-doubled",
    edit("torch.arange(0, d_head, 2, dtype=wide, device=x.device)", "torch.arange(d_head // 2, dtype=wide)"),
    section="llama-rope",
    why="Pair i turns by base^(-i/d_head). The exponent is -2i/d_head, so that the last pair almost reaches 1/base.",
    hint="Your pairs turn too fast, all but the first. The exponent of pair i is -2i / d_head.",
)

mistake(
    "llama.apply_rope",
    "exponent-doubled-twice",
    edit("device=x.device) / d_head", "device=x.device) / (d_head // 2)"),
    section="llama-rope",
    why="The exponent is -4i/d_head, since 2i is divided by the number of pairs. It has to be divided by the width.",
    hint="Your pairs turn too slowly, all but the first. The exponent of pair i is -2i / d_head.",
)

mistake(
    "llama.apply_rope",
    "exponent-without-minus",
    edit("base**-steps", "base**steps"),
    section="llama-rope",
    why="The frequencies grow with i, up to base radians per position. They have to fall.",
    hint="Your later pairs turn thousands of times per position. The exponent is negative.",
)

mistake(
    "llama.apply_rope",
    "one-frequency",
    edit("base**-steps", "base**-steps[:1]"),
    section="llama-rope",
    why="All pairs turn at the same speed. Then distances that differ by whole turns look alike.",
    hint="All your pairs turn by the same angle. Pair i has the frequency base ** (-2i / d_head).",
)

mistake(
    "llama.apply_rope",
    "frequencies-reversed",
    edit("base**-steps", "base**-steps.flip(0)"),
    section="llama-rope",
    why="The frequencies are in reverse order, so that the last pair turns fastest. Checkpoints have the first one.",
    hint="Your last pair turns fastest. Pair 0 has the frequency 1, and the later ones are slower.",
)

mistake(
    "llama.apply_rope",
    "positions-counted-anew",
    edit("positions.to(x.device, wide)[:, None]", "torch.arange(x.shape[-2], dtype=wide)[:, None]"),
    section="llama-rope-positions",
    why="The positions are counted from 0, whatever was passed. With a cache every new token is then at position 0.",
    hint="Your result does not depend on `positions`. Use them, in place of 0, 1, 2 and so on.",
)

mistake(
    "llama.apply_rope",
    "only-the-first-position",
    edit("positions.to(x.device, wide)[:, None]", "(positions[0] + torch.arange(x.shape[-2])).to(wide)[:, None]"),
    section="llama-rope-positions",
    why="Positions are counted on from the first one. They may have gaps, and come in any order.",
    hint="You use positions[0] only. Each vector has a position of its own.",
)

mistake(
    "llama.apply_rope",
    "positions-from-one",
    edit("positions.to(x.device, wide)", "(positions + 1).to(x.device, wide)"),
    section="llama-rope-positions",
    why="1 is added to every position. Distances stay the same, but position 0 has to leave a vector as it is.",
    hint="At position 0 your vector changes. Its angles should all be 0 there.",
)

mistake(
    "llama.apply_rope",
    "base-fixed",
    edit("base**-steps", "10000.0**-steps"),
    section="llama-rope",
    why="The argument base is ignored. Long-context models have a larger one, SmolLM2 100,000.",
    hint="Your result does not depend on `base`.",
)

mistake(
    "llama.apply_rope",
    "other-default-base",
    edit("base=10000.0", "base=500000.0"),
    section="llama-rope",
    why="The default base is that of Llama 3. In this course, as in the paper, it is 10,000.",
    hint="Without an argument, your pairs turn too slowly. The default of base is 10000.",
)

mistake(
    "llama.apply_rope",
    "angles-in-degrees",
    edit("base**-steps", "base**-steps * math.pi / 180"),
    edit("d_head = x.shape[-1]", "import math\nd_head = x.shape[-1]"),
    section="llama-rope",
    why="The angles are converted as if they were degrees. They are radians already.",
    hint="Your pairs hardly turn. position * frequency is an angle in radians.",
)

mistake(
    "llama.apply_rope",
    "whole-turns",
    edit("base**-steps", "base**-steps * 6.283185307179586"),
    section="llama-rope",
    why="The frequencies are taken as turns and multiplied by 2 pi. Then pair 0 comes back to its start at every position.",
    hint="Your first pair never moves. The frequency is in radians: leave out the factor 2 pi.",
)

mistake(
    "llama.apply_rope",
    "angles-in-sixteen-bits",
    edit("wide = torch.promote_types(x.dtype, torch.float32)", "wide = x.dtype"),
    section="llama-rope-halves",
    why="The angles are computed in the type of x. In bfloat16, 257 is 256, so that positions far out coincide.",
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
    why="The result is float32 for every input. Queries and values then have different types.",
    hint="Your result is float32 whatever x is. Convert cos and sin, or the result, to the type of x.",
)

mistake(
    "llama.apply_rope",
    "half-of-the-pairs",
    edit("base**-steps", "base**-steps * (torch.arange(d_head // 2) < d_head // 4)"),
    section="llama-rope",
    why="Only half of the pairs are turned, as some models do. A Llama turns all.",
    hint="Some of your pairs never turn. All d_head/2 of them do.",
)

mistake(
    "llama.apply_rope",
    "first-half-only",
    edit("[a * cos - b * sin, a * sin + b * cos]", "[a * cos - b * sin, b]"),
    section="llama-rope",
    why="Only the first entry of each pair is replaced. A rotation changes both.",
    hint="The second half of your result is that of x. It should be a sin + b cos.",
)

mistake(
    "llama.apply_rope",
    "new-first-half-used",
    edit(TURN, "a = a * cos - b * sin\nb = a * sin + b * cos\nreturn torch.cat([a, b], dim=-1)"),
    section="llama-rope",
    why="The second half is computed from the first half's new value. Both come from the old values.",
    hint="You overwrite `a` before the second half has used it. Keep the old values until both are computed.",
)

mistake(
    "llama.apply_rope",
    "in-place",
    edit(TURN, "a_new, b_new = a * cos - b * sin, a * sin + b * cos\na.copy_(a_new)\nb.copy_(b_new)\nreturn x"),
    section="llama-rope",
    why="The argument is overwritten. Whoever passed it still needs it, and autograd too.",
    hint="Your function changes x. Return a new tensor.",
)

mistake(
    "llama.apply_rope",
    "added-to-the-vector",
    edit(TURN, "return x + torch.cat([cos, sin], dim=-1)"),
    section="llama-rope",
    why="Cosines and sines are added, as sinusoidal positions are. RoPE multiplies: it turns the vector.",
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
    why="x is taken as (B, T, H, d_head), so that heads are turned by positions. Here positions are axis -2.",
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
    why="The last entry of an odd width is left as it is. An odd width cannot be cut into pairs, and is an error.",
    hint="An odd d_head goes through without a word. Raise a ValueError.",
)

mistake(
    "llama.apply_rope",
    "odd-width-not-checked",
    edit("if d_head % 2 != 0:", "if False:"),
    section="llama-rope-pairs",
    why="An odd width is not looked for, so some later line raises an error by chance. Its message is about halves of different sizes, and not about the width.",
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
    why="The gate goes through GELU. That is GEGLU; the Swi in SwiGLU is Swish, also called SiLU.",
    hint="Your gate is GELU. SwiGLU uses silu(z) = z sigmoid(z).",
)

mistake(
    "llama.SwiGLU",
    "relu",
    edit("F.silu(", "F.relu("),
    section="llama-swiglu",
    why="The gate goes through the ReLU. That is ReGLU, whose negative gates are closed for good.",
    hint="Your gate is a ReLU. SwiGLU uses silu(z) = z sigmoid(z).",
)

mistake(
    "llama.SwiGLU",
    "sigmoid",
    edit("F.silu(", "torch.sigmoid("),
    section="llama-swiglu",
    why="The gate is a sigmoid alone, as in the first gated layers (GLU). SiLU multiplies it by its own input.",
    hint="Your gate lies between 0 and 1. silu(z) is z * sigmoid(z).",
)

mistake(
    "llama.SwiGLU",
    "quick-gelu",
    edit("F.silu(self.gate_proj(x))", "self.gate_proj(x) * torch.sigmoid(1.702 * self.gate_proj(x))"),
    section="llama-swiglu",
    why="The sigmoid gets 1.702 times its input, an approximation of GELU. SiLU has no such factor.",
    hint="There is a factor inside your sigmoid. silu(z) is z * sigmoid(z).",
)

mistake(
    "llama.SwiGLU",
    "gate-and-up-exchanged",
    edit(FORWARD, "self.down_proj(F.silu(self.up_proj(x)) * self.gate_proj(x))"),
    section="llama-swiglu",
    why="The activation is on the wrong branch. A model trained from scratch would not mind; a checkpoint does.",
    hint="You apply silu to up(x). It belongs to gate(x).",
)

mistake(
    "llama.SwiGLU",
    "activation-on-both",
    edit("* self.up_proj(x)", "* F.silu(self.up_proj(x))"),
    section="llama-swiglu",
    why="Both branches go through SiLU. The second one is linear.",
    hint="You apply silu twice. Only the gate has an activation.",
)

mistake(
    "llama.SwiGLU",
    "activation-on-the-product",
    edit(FORWARD, "self.down_proj(F.silu(self.gate_proj(x) * self.up_proj(x)))"),
    section="llama-swiglu",
    why="The product goes through SiLU. The activation belongs to the gate, before the product.",
    hint="You apply silu to the product. Apply it to gate(x), then multiply by up(x).",
)

mistake(
    "llama.SwiGLU",
    "no-activation",
    edit("F.silu(self.gate_proj(x))", "self.gate_proj(x)"),
    section="llama-swiglu",
    why="The gate has no activation. The layer is then a product of two linear maps.",
    hint="Your gate is linear. Put it through silu.",
)

mistake(
    "llama.SwiGLU",
    "added",
    edit(" * self.up_proj(x)", " + self.up_proj(x)"),
    section="llama-swiglu",
    why="The two branches are added. A gate multiplies: where it is 0, nothing passes.",
    hint="You add the branches. Multiply them entry by entry.",
)

mistake(
    "llama.SwiGLU",
    "up-left-out",
    edit(" * self.up_proj(x)", ""),
    section="llama-swiglu",
    why="up_proj is made, but not used. This is an ordinary feed-forward layer with SiLU.",
    hint="Your output does not depend on `up_proj`. Multiply silu(gate(x)) by up(x).",
)

mistake(
    "llama.SwiGLU",
    "gate-used-twice",
    edit("self.up_proj(x)", "self.gate_proj(x)"),
    section="llama-swiglu",
    why="Both branches use gate_proj. They are two maps with weights of their own.",
    hint="Your output does not depend on `up_proj`. The second branch is up(x).",
)

mistake(
    "llama.SwiGLU",
    "with-biases",
    edit("self.gate_proj = nn.Linear(d_model, d_ff, bias=False)", "self.gate_proj = nn.Linear(d_model, d_ff)"),
    edit("self.up_proj = nn.Linear(d_model, d_ff, bias=False)", "self.up_proj = nn.Linear(d_model, d_ff)"),
    edit("self.down_proj = nn.Linear(d_ff, d_model, bias=False)", "self.down_proj = nn.Linear(d_ff, d_model)"),
    section="llama-swiglu",
    why="The linear layers have biases. A Llama has none, and its checkpoint holds none.",
    hint="Your layers have biases. Build them with bias=False.",
)

mistake(
    "llama.SwiGLU",
    "bias-in-down",
    edit("self.down_proj = nn.Linear(d_ff, d_model, bias=False)", "self.down_proj = nn.Linear(d_ff, d_model)"),
    section="llama-swiglu",
    why="down_proj has a bias. No linear layer of a Llama has one.",
    hint="`down_proj` has a bias. Build it with bias=False.",
)

mistake(
    "llama.SwiGLU",
    "two-thirds-of-the-width",
    edit("super().__init__()", "super().__init__()\nd_ff = 2 * d_ff // 3"),
    section="llama-swiglu",
    why="d_ff is cut to two thirds inside. That keeps parameters equal, but whoever chooses d_ff has done it already.",
    hint="Your layers are narrower than d_ff. Use d_ff as it comes.",
)

mistake(
    "llama.SwiGLU",
    "residual-inside",
    edit("return self.down_proj", "return x + self.down_proj"),
    section="llama-swiglu",
    why="The input is added inside the layer. The block adds it, so that it would count twice.",
    hint="Your output contains x itself. The residual belongs to the block.",
)

mistake(
    "llama.SwiGLU",
    "activation-after-down",
    edit(FORWARD, "F.silu(self.down_proj(self.gate_proj(x) * self.up_proj(x)))"),
    section="llama-swiglu",
    why="The activation comes last. The output of a sublayer is linear, so that it can be added to the residual stream.",
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
    why="Something is dropped out while training. A Llama has no dropout: its outputs are the same in both modes.",
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
    why="`repeat` lays out all key heads, then all again: query head h meets key head h % G. Neighbours share a head.",
    hint="Query head 1 meets key head 1. It shares head 0 with query head 0: use `repeat_interleave`.",
)

mistake(
    "llama.GroupedQueryAttention",
    "values-repeated-otherwise",
    edit(REPEAT, "k, v = k.repeat_interleave(group, dim=1), v.repeat(1, group, 1, 1)"),
    section="llama-groups",
    why="Keys are shared by neighbours, values by heads G apart. Weights of one head then average another head's values.",
    hint="Your keys and values are repeated in two ways. Both need `repeat_interleave`.",
)

mistake(
    "llama.GroupedQueryAttention",
    "one-group-for-all",
    edit("(one.repeat_interleave(group, dim=1) for", "(one[:, :1].expand(-1, self.num_heads, -1, -1) for"),
    section="llama-groups",
    why="All query heads use key head 0. That is multi-query attention; the other key heads do nothing.",
    hint="Only your first key head is used. Query head h uses key head h // (H / G).",
)

mistake(
    "llama.GroupedQueryAttention",
    "not-causal",
    edit(", positions <= new[:, None])", ")"),
    section="llama-groups",
    why="There is no mask. Every position sees those after it, which are what it should predict.",
    hint="Your outputs change when later positions change. A query may attend to keys at its position or before.",
)

mistake(
    "llama.GroupedQueryAttention",
    "own-position-hidden",
    edit("positions <= new[:, None]", "positions < new[:, None]"),
    section="llama-groups",
    why="A position may not attend to itself. The first one then attends to nothing.",
    hint="Your position 0 attends to nothing. A position sees itself: use <=.",
)

mistake(
    "llama.GroupedQueryAttention",
    "mask-turned-round",
    edit("positions <= new[:, None]", "positions >= new[:, None]"),
    section="llama-groups",
    why="The mask allows the future and hides the past. In this course True means 'may attend'.",
    hint="Your positions see what comes after them. True means 'may attend': keys at the position or before.",
)

mistake(
    "llama.GroupedQueryAttention",
    "mask-of-the-new-alone",
    edit("positions <= new[:, None]", "positions <= positions[: x.shape[1], None]"),
    section="llama-cache",
    why="The mask starts at row 0, as if nothing had been read before. New positions then miss most of the cache.",
    hint="With a cache, your first new position sees key 0 only. Its row of the mask is that of its position.",
)

mistake(
    "llama.GroupedQueryAttention",
    "no-mask-with-a-cache",
    edit("positions <= new[:, None])", "None if cache is not None else positions <= new[:, None])"),
    section="llama-cache",
    why="With a cache there is no mask. That is right for one new position, and lets several see each other's future.",
    hint="Several new positions on a cache see each other's future. Mask them, too.",
)

mistake(
    "llama.GroupedQueryAttention",
    "positions-restart",
    edit("new = positions[-x.shape[1] :]", "new = positions[: x.shape[1]]"),
    edit("positions <= new[:, None]", "positions <= positions[-x.shape[1] :, None]"),
    section="llama-cache",
    why="Queries are turned as if they began at position 0. With a cache, positions go on where it ends.",
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
    why="Every piece is turned from position 0 on. Keys of different pieces then lie at the same positions.",
    hint="With a cache, every piece of yours starts at position 0. Positions go on where the cache ends.",
)

mistake(
    "llama.GroupedQueryAttention",
    "length-after-layer-zero",
    edit("start = cache.length if layer == 0 else cache.length - time", "start = cache.length"),
    edit("causal_mask(start + time)[start:]", "causal_mask(start + time)[-time:, -k.shape[-2] :]"),
    base="turned-before-the-cache",
    section="llama-cache",
    why="cache.length counts the positions of layer 0, which has the new ones already when layer 1 reads it. From layer 1 "
    "on, all new positions are too far by their number.",
    hint="Layer 0 is right and layer 1 is not. cache.length is that of layer 0, which has been updated by then.",
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
    why="Keys are turned before they go into the cache, and again when they come out. They end at twice their position.",
    hint="With a cache, your keys are turned twice. Turn them before the cache or after it, not both.",
)

mistake(
    "llama.GroupedQueryAttention",
    "cache-of-all-heads",
    edit(f"group = self.num_heads // self.num_kv_heads\n{REPEAT}", ""),
    edit("if cache is not None:", f"group = self.num_heads // self.num_kv_heads\n{REPEAT}\nif cache is not None:"),
    section="llama-cache",
    why="Keys and values are repeated before they are kept. The cache is then as large as without groups.",
    hint="Your cache holds num_heads heads. Keep num_kv_heads, and repeat what comes out: the small cache is the point.",
)

mistake(
    "llama.GroupedQueryAttention",
    "layer-ignored",
    edit("cache.update(layer, k, v)", "cache.update(0, k, v)"),
    section="llama-cache",
    why="All layers keep their keys and values as layer 0. A layer then attends to the keys of others.",
    hint="You call cache.update with layer 0 always. Pass `layer` on.",
)

mistake(
    "llama.GroupedQueryAttention",
    "cache-ignored",
    edit("if cache is not None:\n    k, v = cache.update(layer, k, v)", ""),
    section="llama-cache",
    why="The cache is not used. A new position sees nothing of what was read before.",
    hint="With a cache, your pieces know nothing of each other. Call cache.update(layer, k, v), and use what it returns.",
)

mistake(
    "llama.GroupedQueryAttention",
    "update-not-used",
    edit("k, v = cache.update(layer, k, v)", "cache.update(layer, k, v)"),
    section="llama-cache",
    why="The cache is filled, but what it returns is thrown away. New positions attend to each other only.",
    hint="cache.update returns all keys and values so far. Use them in place of the new ones.",
)

mistake(
    "llama.GroupedQueryAttention",
    "values-turned-too",
    edit(ROPE, ROPE + "\nv = apply_rope(v, positions, self.base)"),
    section="llama-groups",
    why="The values are turned as well. Positions belong into the scores; what is read stays as it is.",
    hint="You turn q, k and v. Turn queries and keys only.",
)

mistake(
    "llama.GroupedQueryAttention",
    "only-queries-turned",
    edit(ROPE, "q = apply_rope(q, new, self.base)"),
    section="llama-groups",
    why="Only the queries are turned. Scores then depend on where the query stands, and not on the distance.",
    hint="Your keys are not turned. Both are, each by its own position.",
)

mistake(
    "llama.GroupedQueryAttention",
    "only-keys-turned",
    edit(ROPE, "k = apply_rope(k, positions, self.base)"),
    section="llama-groups",
    why="Only the keys are turned. Scores then depend on where the key stands, and not on the distance.",
    hint="Your queries are not turned. Both are, each by its own position.",
)

mistake(
    "llama.GroupedQueryAttention",
    "no-positions",
    edit(ROPE, ""),
    section="llama-groups",
    why="Nothing is turned. A Llama has no other positions, so that it reads a bag of words.",
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
    why="The whole width is turned before it is cut into heads. Each head then has frequencies of its own, and pairs lie "
    "in two heads.",
    hint="You turn (B, T, d). Split into heads first: each head is turned by itself.",
)

mistake(
    "llama.GroupedQueryAttention",
    "base-ignored",
    edit(ROPE, "q, k = apply_rope(q, new), apply_rope(k, positions)"),
    section="llama-groups",
    why="base is not passed on to the rotary positions. Long-context models have another base.",
    hint="Your attention does not depend on `base`. Pass it to `apply_rope`, for queries and keys.",
)

mistake(
    "llama.GroupedQueryAttention",
    "base-for-queries-alone",
    edit("apply_rope(k, positions, self.base)", "apply_rope(k, positions)"),
    section="llama-groups",
    why="Queries and keys are turned with different bases. Scores then do not depend on the distance alone.",
    hint="Your keys are turned with the default base. Pass `base` for both.",
)

mistake(
    "llama.GroupedQueryAttention",
    "no-scale",
    edit("scale = 1 / math.sqrt(q.shape[-1])", "scale = 1.0"),
    base="turned-before-the-cache",
    section="llama-groups",
    why="The scores are not divided by the root of d_head. The softmax is then far too sharp.",
    hint="Your weights are too sharp. Scores are divided by the root of the width of a head.",
)

mistake(
    "llama.GroupedQueryAttention",
    "scale-of-the-model",
    edit("scale = 1 / math.sqrt(q.shape[-1])", "scale = 1 / math.sqrt(x.shape[-1])"),
    base="turned-before-the-cache",
    section="llama-groups",
    why="The scores are divided by the root of d_model. Each head has the width d_head.",
    hint="Your weights are too even. The scale is that of a head, not of the model.",
)

mistake(
    "llama.GroupedQueryAttention",
    "with-biases",
    edit("self.q_proj = nn.Linear(d_model, d_model, bias=False)", "self.q_proj = nn.Linear(d_model, d_model)"),
    edit("self.k_proj = nn.Linear(d_model, kv_width, bias=False)", "self.k_proj = nn.Linear(d_model, kv_width)"),
    edit("self.v_proj = nn.Linear(d_model, kv_width, bias=False)", "self.v_proj = nn.Linear(d_model, kv_width)"),
    section="llama-groups",
    why="Queries, keys and values have biases. A Llama has none anywhere.",
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
    why="The projections of keys and values are as wide as the model. Most of what they compute is thrown away.",
    hint="`k_proj` and `v_proj` are too wide. They have num_kv_heads * d_head outputs.",
)

mistake(
    "llama.GroupedQueryAttention",
    "wide-key-heads",
    edit("kv_width = num_kv_heads * (d_model // num_heads)", "kv_width = d_model // num_kv_heads"),
    section="llama-groups",
    why="The width of keys is d_model / num_kv_heads. There are num_kv_heads heads, each as wide as a query head.",
    hint="`k_proj` has a wrong number of outputs: num_kv_heads heads of d_head each.",
)

mistake(
    "llama.GroupedQueryAttention",
    "no-output-projection",
    edit("return self.o_proj(merge_heads(heads))", "return merge_heads(heads)"),
    section="llama-groups",
    why="o_proj is made, but not used. The heads stand side by side and are never mixed.",
    hint="Your output does not depend on `o_proj`. Apply it to the merged heads.",
)

mistake(
    "llama.GroupedQueryAttention",
    "heads-reshaped",
    edit("merge_heads(heads)", "heads.reshape(x.shape)"),
    section="llama-groups",
    why="The heads are reshaped without the transpose. Each row of the result then mixes positions of one head.",
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
    why="A number of key heads that does not divide the query heads is accepted. It fails later, far from its cause.",
    hint="GroupedQueryAttention(24, 6, 4) is built without a word. Raise a ValueError in __init__.",
)

mistake(
    "llama.GroupedQueryAttention",
    "dropout-while-training",
    edit(
        "return self.o_proj(merge_heads(heads))",
        "return F.dropout(self.o_proj(merge_heads(heads)), 0.1, self.training)",
    ),
    section="llama-groups",
    why="Something is dropped out while training. A Llama has no dropout: its outputs are the same in both modes.",
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
    why="The module counts the positions that it has read. Two texts with two caches then disturb each other's positions.",
    hint="Between two pieces of a text, your module reads another text, and the positions go wrong. They belong to the cache: ask it for what it holds.",
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
    why="What the attention finds replaces its input. Without the residual path, a deep model does not train.",
    hint="Your block forgets its input after the attention. Add the result to x.",
)

mistake(
    "llama.LlamaBlock",
    "no-residual-around-feed-forward",
    edit(FEED, "return self.mlp(self.post_attention_layernorm(x))"),
    section="llama-block",
    why="The feed-forward layer's result replaces its input. It should be added.",
    hint="Your block returns the feed-forward layer's result alone. Add it to what came in.",
)

mistake(
    "llama.LlamaBlock",
    "post-norm",
    edit(ATTENTION, "x = self.input_layernorm(x + self.self_attn(x, cache, layer))"),
    edit(FEED, "return self.post_attention_layernorm(x + self.mlp(x))"),
    section="llama-block",
    why="The norms come after the additions, as in 2017. A Llama has them before each sublayer (pre-norm).",
    hint="You normalise after the addition. Each norm stands in front of its sublayer.",
)

mistake(
    "llama.LlamaBlock",
    "norm-of-the-result",
    edit(FEED, "return x + self.post_attention_layernorm(self.mlp(x))"),
    section="llama-block",
    why="The second norm comes after the feed-forward layer. Despite its name it comes before: it is named after what "
    "precedes it.",
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
    why="The second norm is applied to what the attention returns. It belongs in front of the feed-forward layer.",
    hint="Your feed-forward layer reads numbers that are not normed. `post_attention_layernorm` stands in front of it.",
)

mistake(
    "llama.LlamaBlock",
    "parallel",
    edit(ATTENTION, "start = x\nx = x + self.self_attn(self.input_layernorm(x), cache, layer)"),
    edit(FEED, "return x + self.mlp(self.post_attention_layernorm(start))"),
    section="llama-block",
    why="Both sublayers read the same input, as in some models. In a Llama the feed-forward layer reads what the "
    "attention has found.",
    hint="Your feed-forward layer reads the block's input. It comes after the attention, and reads its result.",
)

mistake(
    "llama.LlamaBlock",
    "second-residual-from-the-start",
    edit(ATTENTION, "start = x\nx = x + self.self_attn(self.input_layernorm(x), cache, layer)"),
    edit(FEED, "return start + self.mlp(self.post_attention_layernorm(x))"),
    section="llama-block",
    why="The second addition starts from the block's input. What the attention added is lost from the residual stream.",
    hint="Your block adds the feed-forward result to its input. Add it to the sum after the attention.",
)

mistake(
    "llama.LlamaBlock",
    "normed-residual",
    edit(ATTENTION, "x = self.input_layernorm(x)\nx = x + self.self_attn(x, cache, layer)"),
    section="llama-block",
    why="The normed input is what the result is added to. The residual path must carry x as it came.",
    hint="You overwrite x with its normed form. Norm only what the sublayer reads.",
)

mistake(
    "llama.LlamaBlock",
    "normed-second-residual",
    edit(FEED, "x = self.post_attention_layernorm(x)\nreturn x + self.mlp(x)"),
    section="llama-block",
    why="The normed sum is what the second result is added to. The residual path must carry the sum as it is.",
    hint="You overwrite x with its normed form. Norm only what the sublayer reads.",
)

mistake(
    "llama.LlamaBlock",
    "norms-exchanged",
    edit(ATTENTION, "x = x + self.self_attn(self.post_attention_layernorm(x), cache, layer)"),
    edit(FEED, "return x + self.mlp(self.input_layernorm(x))"),
    section="llama-block",
    why="Each norm stands before the other's sublayer. Their gains differ.",
    hint="Your two norms are exchanged: `input_layernorm` comes before the attention.",
)

mistake(
    "llama.LlamaBlock",
    "one-norm-for-both",
    edit(FEED, "return x + self.mlp(self.input_layernorm(x))"),
    section="llama-block",
    why="One norm serves both sublayers. Each has its own gain.",
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
    why="The feed-forward layer comes first. The attention does.",
    hint="Your sublayers are in the wrong order: attention, then feed-forward layer.",
)

mistake(
    "llama.LlamaBlock",
    "cache-not-passed",
    edit("self.input_layernorm(x), cache, layer)", "self.input_layernorm(x))"),
    section="llama-block",
    why="The cache stops at the block. The attention then sees each piece alone.",
    hint="With a cache, your block's pieces know nothing of each other. Pass cache and layer to the attention.",
)

mistake(
    "llama.LlamaBlock",
    "layer-not-passed",
    edit("cache, layer)", "cache)"),
    section="llama-block",
    why="The attention never learns which layer it is. All blocks then share the cache of layer 0.",
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
    why="config.eps is not passed to the norms. Released models have values of their own.",
    hint="Your norms use the default eps. Pass config.eps.",
)

mistake(
    "llama.LlamaBlock",
    "default-base",
    edit("config.num_kv_heads, config.base)", "config.num_kv_heads)"),
    section="llama-block",
    why="config.base is not passed to the attention. Its rotary positions then turn at the wrong speed.",
    hint="Your attention uses the default base. Pass config.base.",
)

mistake(
    "llama.LlamaBlock",
    "ungrouped",
    edit("config.num_kv_heads, config.base)", "config.num_heads, config.base)"),
    section="llama-block",
    why="config.num_kv_heads is not used. Every query head then has keys and values of its own.",
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
    why="The norms are LayerNorms, as their names in the checkpoints suggest. They are RMSNorms, and keep the mean.",
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
    why="Something is dropped out while training. A Llama has no dropout: its outputs are the same in both modes.",
    hint="In training mode your outputs differ from call to call. Take the dropout out.",
)

# ---------------------------------------------------------------------------------------------------------------------
# Llama

HEAD = "return F.linear(x, self.embed_tokens.weight) if self.lm_head is None else self.lm_head(x)"


mistake(
    "llama.Llama",
    "no-last-norm",
    edit("x = self.norm(x)", ""),
    section="llama-model",
    why="The last norm is made, but not used. In a pre-norm model the residual stream has never been normed by then.",
    hint="Your logits do not depend on `norm`. Apply it after the last block.",
)

mistake(
    "llama.Llama",
    "norm-first",
    edit("x = self.norm(x)", ""),
    edit("x = self.embed_tokens(ids)", "x = self.norm(self.embed_tokens(ids))"),
    section="llama-model",
    why="The last norm is applied to the embeddings. It belongs after the last block.",
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
    why="A list times a number repeats one and the same block. All layers then share their weights.",
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
    why="The blocks stand in a plain list. PyTorch finds none of their parameters there.",
    hint="Your blocks have no parameters as PyTorch sees it. Put them into an nn.ModuleList.",
)

mistake(
    "llama.Llama",
    "one-block-too-few",
    edit("range(config.num_layers)", "range(config.num_layers - 1)"),
    section="llama-model",
    why="There is one block too few. range(n) has n numbers already.",
    hint="Count your blocks: there should be config.num_layers.",
)

mistake(
    "llama.Llama",
    "blocks-reversed",
    edit("enumerate(self.layers)", "reversed(list(enumerate(self.layers)))"),
    section="llama-model",
    why="The blocks are called from the last to the first. Block 0 reads the embeddings.",
    hint="Your blocks run in the wrong order. Layer 0 comes first.",
)

mistake(
    "llama.Llama",
    "always-layer-zero",
    edit("x = layer(x, cache, number)", "x = layer(x, cache)"),
    section="llama-model",
    why="The blocks do not learn their numbers. All write into layer 0 of the cache, and read each other's keys.",
    hint="With a cache, all your layers are layer 0. Pass each block its number.",
)

mistake(
    "llama.Llama",
    "layers-from-one",
    edit("enumerate(self.layers)", "enumerate(self.layers, start=1)"),
    section="llama-model",
    why="Layers are counted from 1. cache.length is that of layer 0, which then stays empty.",
    hint="cache.length stays 0, since your layers are counted from 1. Count from 0.",
)

mistake(
    "llama.Llama",
    "cache-not-passed",
    edit("x = layer(x, cache, number)", "x = layer(x)"),
    section="llama-model",
    why="The cache is not passed to the blocks. Each piece is then read as if it were the beginning.",
    hint="Your cache stays empty. Pass it to every block.",
)

mistake(
    "llama.Llama",
    "embeddings-scaled",
    edit("x = self.embed_tokens(ids)", "x = self.embed_tokens(ids) * self.embed_tokens.embedding_dim**0.5"),
    section="llama-model",
    why="The embeddings are multiplied by the root of d, as in 2017. A Llama takes them as they are.",
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
    why="Positions are added to the embeddings as well. RoPE in the attention is all that a Llama has.",
    hint="You add positions to the embeddings. A Llama has them in its attention alone.",
)

mistake(
    "llama.Llama",
    "never-tied",
    edit("None if config.tied else nn.Linear", "nn.Linear"),
    section="llama-model",
    why="The model has a head of its own even where it is tied. That costs V times d parameters, which no checkpoint has.",
    hint="Your tied model has a head of its own. Where config.tied is true, the table of tokens makes the logits.",
)

mistake(
    "llama.Llama",
    "always-tied",
    edit("None if config.tied else nn.Linear(config.d_model, config.vocab_size, bias=False)", "None"),
    section="llama-model",
    why="config.tied is ignored. Larger models have a head of their own.",
    hint="Where config.tied is false, the model needs an `lm_head` of its own.",
)

mistake(
    "llama.Llama",
    "head-with-bias",
    edit("nn.Linear(config.d_model, config.vocab_size, bias=False)", "nn.Linear(config.d_model, config.vocab_size)"),
    section="llama-model",
    why="The head has a bias. No linear layer of a Llama has one.",
    hint="`lm_head` has a bias. Build it with bias=False.",
)

mistake(
    "llama.Llama",
    "own-head-not-used",
    edit(HEAD, "return F.linear(x, self.embed_tokens.weight)"),
    section="llama-model",
    why="`lm_head` is built where `config.tied` is false, but the logits come from the table of tokens. The head then gets no gradient, and a loaded one changes nothing.",
    hint="Your `lm_head` has no influence on the logits. Where `config.tied` is false, return `self.lm_head(x)`.",
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
    why="The head starts as a copy of the table. From the first training step or loaded checkpoint on they differ.",
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
    why="Only the last position gets logits. Training needs all of them, and so does whoever scores a text.",
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
    why="The model returns probabilities. Losses and sampling expect logits, and would apply the softmax again.",
    hint="Your rows sum to 1. Return logits, without a softmax.",
)

mistake(
    "llama.Llama",
    "default-epsilon",
    edit("self.norm = RMSNorm(config.d_model, config.eps)", "self.norm = RMSNorm(config.d_model)"),
    section="llama-model",
    why="config.eps does not reach the last norm. All norms of a model share one value.",
    hint="Your last norm uses the default eps. Pass config.eps.",
)

mistake(
    "llama.Llama",
    "dropout-while-training",
    edit("x = self.norm(x)", "x = F.dropout(self.norm(x), 0.1, self.training)"),
    section="llama-model",
    why="Something is dropped out while training. A Llama has no dropout: its outputs are the same in both modes.",
    hint="In training mode your outputs differ from call to call. Take the dropout out.",
)

mistake(
    "llama.Llama",
    "batch-axis-squeezed",
    edit("x = self.norm(x)", "x = self.norm(x).squeeze(0)"),
    section="llama-model",
    why="A batch of one sequence loses its first axis. Whoever generates one text then indexes positions instead of sequences.",
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
    why="The names keep their prefix. This model has no part called `model`, so that nothing loads.",
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
    why="lm_head.weight is dropped always. Where it differs from the table, the model needs it.",
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
    why="A tied lm_head.weight is kept. A tied model has no such parameter, and refuses it.",
    hint="You keep a head that equals the table of tokens. There the model is tied: drop it.",
)

mistake(
    "llama.llama_state",
    "head-refused",
    edit('    wanted["lm_head.weight"] = "vd"', "    pass"),
    section="llama-names",
    why="lm_head.weight is refused as an extra tensor. It belongs to every model that is not tied.",
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
    why="A missing tensor goes unnoticed. The model keeps its random start there, and talks nonsense.",
    hint="A checkpoint without a tensor passes. Raise a ValueError that names what is missing.",
)

mistake(
    "llama.llama_state",
    "missing-is-a-key-error",
    edit(f"for name in wanted:\n    {MISSING}", ""),
    section="llama-names",
    why="A missing tensor raises a KeyError from the inside. The contract is a ValueError that says what is missing.",
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
    why="The error does not say which tensor it is about. Among hundreds, nobody can find it.",
    hint="Your messages name no tensor. Put the name into the message.",
)

mistake(
    "llama.llama_state",
    "first-layer-only",
    edit("for number in range(max(numbers, default=-1) + 1):", "for number in sorted(set(numbers)):"),
    section="llama-names",
    why="Only layers that occur are looked for. A layer that is missing as a whole then goes unnoticed.",
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
    why="A tensor that has no counterpart is dropped without a word. A model with biases would load, and be wrong.",
    hint="A checkpoint with a bias passes. Raise a ValueError that names the tensor.",
)

mistake(
    "llama.llama_state",
    "biases-not-noticed",
    edit('not name.endswith("rotary_emb.inv_freq")', 'not name.endswith(("rotary_emb.inv_freq", "bias"))'),
    section="llama-names",
    why="Biases are dropped without a word. A checkpoint that has them belongs to another model.",
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
    why="Tensors without a counterpart are passed on. The error then comes later, from load_state_dict.",
    hint="A checkpoint with an extra tensor passes. Raise a ValueError that names it.",
)

mistake(
    "llama.llama_state",
    "shapes-not-noticed",
    edit("if state[name].shape != shape:", "if False:"),
    section="llama-names",
    why="Shapes are not compared. A transposed or truncated matrix is handed on.",
    hint="A matrix of a wrong shape passes. Compare every shape with what the other tensors ask for.",
)

mistake(
    "llama.llama_state",
    "number-of-entries-compared",
    edit("if state[name].shape != shape:", "if state[name].numel() != torch.Size(shape).numel():"),
    section="llama-names",
    why="Only the number of entries is compared. A transposed matrix has as many.",
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
    why="The projections are transposed, as GPT-2's have to be. A Llama's are stored as nn.Linear has them.",
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
    why="gate_proj and up_proj are exchanged. They have one shape, so nothing complains.",
    hint="Your gate_proj holds up_proj. Names keep their meaning: only the prefix goes.",
)

mistake(
    "llama.llama_state",
    "one-digit-layers",
    edit(r"layers\.(\d+)\.", r"layers\.(\d)\."),
    section="llama-names",
    why="Layer numbers are read as one digit. From layer 10 on, tensors are taken for strangers.",
    hint="A checkpoint of 12 layers is refused. Layer numbers may have several digits.",
)

mistake(
    "llama.llama_state",
    "argument-changed",
    edit(
        "return found", "for name in list(state):\n    state[name.removeprefix(prefix)] = state.pop(name)\nreturn found"
    ),
    section="llama-names",
    why="The argument is renamed in place. The caller finds other names in it afterwards.",
    hint="Your function changes `state`. Build a new dict.",
)

mistake(
    "llama.llama_state",
    "converted-to-float32",
    edit("name.removeprefix(prefix): state[name] for", "name.removeprefix(prefix): state[name].float() for"),
    section="llama-names",
    why="All tensors are converted to float32. That is the caller's choice, and doubles the memory of a bfloat16 model.",
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
    why="A head that is close to the table is taken for tied. One that was trained further is then lost.",
    hint="You drop a head that differs from the table a little. Only an equal one is tied: compare with `torch.equal`.",
)
