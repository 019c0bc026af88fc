"""Wrong implementations of the tasks of warmup, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

import torch

from autograder.course.catalogue import edit, mistake

# ---------------------------------------------------------------------------------------------------------------------
# pairwise_distances

mistake(
    "warmup.pairwise_distances",
    "root-forgotten",
    edit(".sqrt()", ""),
    base="square-sum-root",
    section="broadcasting",
    why="The squares of the differences were added up and returned. That is the square of the distance.",
    hint="Your distance of (0, 0) from (3, 4) is 25: it is the square of the right one. Take the root at the end.",
)

mistake(
    "warmup.pairwise_distances",
    "sum-of-absolute-differences",
    edit("dim=-1", "ord=1, dim=-1"),
    section="reductions",
    why="The sizes of the differences were added up. That is another distance, in which the way from (0, 0) to (3, 4) "
    "goes along the axes and is 7 long.",
    hint="Your distance of (0, 0) from (3, 4) is 7. Square the differences before you add them up, and take the root.",
)

mistake(
    "warmup.pairwise_distances",
    "largest-difference-only",
    edit("dim=-1", "ord=torch.inf, dim=-1"),
    section="reductions",
    why="Only the largest difference of a pair was kept. The others are part of the distance, too.",
    hint="Your distance of (0, 0) from (3, 4) is 4: only the larger difference counts. All coordinates do.",
)

mistake(
    "warmup.pairwise_distances",
    "signed-differences-added",
    edit("torch.linalg.vector_norm(difference, dim=-1)", "difference.sum(-1)"),
    section="reductions",
    why="The differences were added up with their signs, so that some of them cancel. Squares do not cancel.",
    hint="Some of your distances are negative. Square the differences before you add them up, and take the root.",
)

mistake(
    "warmup.pairwise_distances",
    "mean-of-squares",
    edit(".sum(-1)", ".mean(-1)"),
    base="square-sum-root",
    section="reductions",
    why="The squares of the differences were averaged. A distance is the root of their sum.",
    hint="Your distances are too small, by the root of the number of coordinates: a mean stands where a sum belongs.",
)

mistake(
    "warmup.pairwise_distances",
    "sum-over-the-points-of-y",
    edit("dim=-1", "dim=1"),
    section="reductions",
    why="The differences have the axes (N, M, d), and the sum ran over M. What is summed over disappears: coordinates "
    "should, and points should not.",
    hint="Look at the shape of your result: it holds N times d numbers. Axis 1 is that of the points of y; the "
    "coordinates are the last axis.",
)

mistake(
    "warmup.pairwise_distances",
    "sum-over-the-points-of-x",
    edit("dim=-1", "dim=0"),
    section="reductions",
    why="The differences have the axes (N, M, d), and the sum ran over N. What is summed over disappears: coordinates "
    "should, and points should not.",
    hint="Look at the shape of your result: it holds M times d numbers. Axis 0 is that of the points of x; the "
    "coordinates are the last axis.",
)

mistake(
    "warmup.pairwise_distances",
    "points-of-y-in-rows",
    edit("x[:, None, :] - y[None, :, :]", "x[None, :, :] - y[:, None, :]"),
    section="broadcasting",
    why="The new axes were put the wrong way round, so that the rows of the result belong to y. Entry (n, m) is about "
    "x[n] and y[m].",
    hint="Your result is transposed: shape (M, N). The first axis belongs to x, so give x its new axis in the middle.",
)

mistake(
    "warmup.pairwise_distances",
    "axis-kept",
    edit("dim=-1", "dim=-1, keepdim=True"),
    section="reductions",
    why="The sum kept its axis, with length 1. That helps where the result goes on to be broadcast; here it is an axis "
    "too many.",
    hint="Your result has the shape (N, M, 1). Leave `keepdim` out, or drop the last axis with `.squeeze(-1)`.",
)

mistake(
    "warmup.pairwise_distances",
    "axes-of-one-point-lost",
    edit("(difference, dim=-1)", "(difference, dim=-1).squeeze()"),
    section="reductions",
    why="`squeeze()` without an argument removes every axis of length 1. With a single point in x or y, that is an axis "
    "that belongs to the result.",
    hint="With one point in x or y your result lacks an axis. `squeeze()` removes all axes of length 1; name the one "
    "that you mean, or do without.",
)

mistake(
    "warmup.pairwise_distances",
    "rows-repeated-in-one-order",
    edit("x.repeat_interleave(y.shape[0], dim=0)", "x.repeat(y.shape[0], 1)"),
    edit("y.repeat(x.shape[0], 1)", "y.repeat_interleave(x.shape[0], dim=0)"),
    base="repeated-rows",
    section="broadcasting",
    why="The rows were repeated so that x changes fastest, and then cut into rows as if y did. A reshape never moves a "
    "number, so the pairs end up in the wrong entries.",
    hint="Your distances are right but stand in the wrong entries. Under (N, M) the index of y changes fastest. Better: "
    "let broadcasting make the pairs.",
)

mistake(
    "warmup.pairwise_distances",
    "distances-within-x",
    edit("y[None, :, :]", "x[None, :, :]"),
    section="broadcasting",
    why="The points of x were compared with each other, and y was not used. Every entry needs one point of each set.",
    hint="Your result has the shape (N, N) and a diagonal of zeros: y does not occur in it.",
)

mistake(
    "warmup.pairwise_distances",
    "number-added-under-the-root",
    edit(".sum(-1)", ".sum(-1).add(1e-6)"),
    base="square-sum-root",
    section="gradient-of-a-root",
    why="A small number was added under the root, to keep its gradient finite. It changes all small distances: that of "
    "a point from itself is no longer 0.",
    hint="Equal points get the distance 0.001: something small is added under the root. "
    "`torch.linalg.vector_norm` has a finite gradient there without it.",
)

mistake(
    "warmup.pairwise_distances",
    "epsilon-of-the-library",
    edit(", eps=0.0", ""),
    base="library-without-its-epsilon",
    section="gradient-of-a-root",
    why="`F.pairwise_distance` adds 1e-6 to every difference unless told otherwise. Its distances are off from the sixth "
    "digit on.",
    hint="In float64 your distances agree to six digits only. `F.pairwise_distance` adds a number to every difference; "
    "look at its argument `eps`.",
)

mistake(
    "warmup.pairwise_distances",
    "gradient-cut",
    edit("torch.linalg.vector_norm(difference, dim=-1)", "torch.linalg.vector_norm(difference, dim=-1).detach()"),
    section="autograd",
    why="The result was detached, or computed outside of PyTorch. Nothing that stands before it can be trained then.",
    hint="No gradient reaches x and y. Leave out `detach`, `no_grad`, `.data`, NumPy and `.item()`.",
)

mistake(
    "warmup.pairwise_distances",
    "computed-in-float32",
    edit("y[None, :, :]", "y[None, :, :].float()"),
    edit("x[:, None, :]", "x[:, None, :].float()"),
    section="shapes-and-types",
    why="The points were cast to float32, whatever they were. float64 loses its digits, and the next operation meets "
    "another type than it expects.",
    hint="Your result is float32 for points of any type. Leave the type as it comes.",
)

mistake(
    "warmup.pairwise_distances",
    "argument-reshaped-in-place",
    edit("x[:, None, :]", "x.unsqueeze_(1)"),
    section="in-place",
    why="`unsqueeze_` ends in an underscore and changes the tensor that it is called on. That tensor belongs to the "
    "caller.",
    hint="After the call x has another shape. Methods that end in an underscore work in place; use the one without.",
)


@mistake(
    "warmup.pairwise_distances",
    "loop-over-points",
    section="broadcasting",
    why="A loop went over the points. The numbers are right, but every round starts its own operations: with 1,000 "
    "points that takes hundreds of times as long as one operation on all pairs.",
    hint="Your distances are right, and a loop computes them. Give x and y axes of length 1, and one subtraction makes "
    "all differences.",
)
def pairwise_distances(x, y):
    return torch.stack([(point - y).square().sum(-1).sqrt() for point in x])


# ---------------------------------------------------------------------------------------------------------------------
# pick_rows

mistake(
    "warmup.pick_rows",
    "index-not-expanded",
    edit(".expand(-1, -1, x.shape[-1])", ""),
    base="gather",
    section="picking",
    why="`gather` does not broadcast: its result has the shape of the index. With an index of shape (B, K, 1) it takes "
    "only the first number of each vector.",
    hint="Your result has the shape (B, K, 1): the first number of each vector. Expand the index to (B, K, d).",
)

mistake(
    "warmup.pick_rows",
    "every-sequence-for-every-row-of-ids",
    edit("x[sequences, ids]", "x[:, ids]"),
    section="picking",
    why="A colon takes all sequences, and ids then picks from each of them for every row of ids: shape (B, B, K, d). "
    "Two index tensors that broadcast go together entry by entry.",
    hint="Your result has an axis too many: each row of ids was applied to every sequence. Put the number of the "
    "sequence where your colon is.",
)

mistake(
    "warmup.pick_rows",
    "first-row-of-ids-for-all",
    edit("x[sequences, ids]", "x[:, ids[0]]"),
    section="picking",
    why="One row of ids was used for all sequences. Each sequence has a row of its own.",
    hint="Your first sequence is right, and the others are picked at its positions.",
)

mistake(
    "warmup.pick_rows",
    "always-from-the-first-sequence",
    edit("x[sequences, ids]", "x[0][ids]"),
    section="picking",
    why="All rows were picked from the first sequence, as if the batch had only one. The number of the sequence is part "
    "of the position.",
    hint="All your vectors come from sequence 0. The number of the sequence is part of the index.",
)

mistake(
    "warmup.pick_rows",
    "offset-of-the-wrong-size",
    edit("length * torch.arange(batch)", "ids.shape[1] * torch.arange(batch)"),
    base="flat-with-offsets",
    section="picking",
    why="In the flat table sequence b begins at row b * T. It was taken to begin at b * K, the number of picks.",
    hint="Sequence 0 is right, and the later ones are shifted. How many rows of the flat table does one sequence fill?",
)

mistake(
    "warmup.pick_rows",
    "sequence-numbers-along-the-wrong-axis",
    edit("torch.arange(len(x), device=x.device)[:, None]", "torch.arange(len(x), device=x.device)"),
    section="picking",
    why="The numbers of the sequences have the shape (B,), which broadcasts against the last axis of ids: that of the "
    "picks. Where B and K are equal, nothing fails.",
    hint="Pick k is taken from sequence k. Make a column of the sequence numbers, shape (B, 1).",
)

mistake(
    "warmup.pick_rows",
    "gathered-along-the-width",
    edit("(x, 1, index)", "(x, 2, index)"),
    base="gather",
    section="picking",
    why="`gather` ran along axis 2, the numbers of a vector. The positions of a sequence are axis 1.",
    hint="Your result mixes numbers within a vector. Which axis of x do the ids count along?",
)

mistake(
    "warmup.pick_rows",
    "gathered-along-the-batch",
    edit("(x, 1, index)", "(x, 0, index)"),
    base="gather",
    section="picking",
    why="`gather` ran along axis 0, the sequences of the batch. The positions of a sequence are axis 1.",
    hint="Your vectors come from other sequences. Which axis of x do the ids count along?",
)

mistake(
    "warmup.pick_rows",
    "counted-from-one",
    edit("x[sequences, ids]", "x[sequences, ids - 1]"),
    section="picking",
    why="One was subtracted from the ids, as if positions were counted from 1. Position 0 then becomes -1, the last.",
    hint="Each vector is the one before the right one. Positions count from 0, in ids as in x.",
)

mistake(
    "warmup.pick_rows",
    "order-lost",
    edit("x[sequences, ids]", "x[sequences, ids.sort(dim=1).values]"),
    section="picking",
    why="The vectors came in the order of the sequence, as a mask or a sorted list of positions would give them. The "
    "order of ids counts.",
    hint="You have the right vectors in the order of their positions. Row k of the result belongs to ids[b, k].",
)

mistake(
    "warmup.pick_rows",
    "axes-swapped",
    edit("x[sequences, ids]", "x.transpose(1, 2)[sequences, :, ids].transpose(1, 2)"),
    section="picking",
    why="The result has its axes in the order (B, d, K). The picks stand before the width.",
    hint="Your numbers are right, and the last two axes of the result are swapped.",
)

mistake(
    "warmup.pick_rows",
    "ids-changed-in-place",
    edit("return x", "ids += offsets\nreturn x"),
    edit("[ids + offsets]", "[ids]"),
    base="flat-with-offsets",
    section="in-place",
    why="`ids += offsets` writes into the tensor of the caller. The caller still needs the old positions.",
    hint="After the call ids holds other numbers. `ids = ids + offsets` makes a new tensor; `+=` changes the old one.",
)

mistake(
    "warmup.pick_rows",
    "gradient-of-picks-cut",
    edit("x[sequences, ids]", "x.detach()[sequences, ids]"),
    section="autograd",
    why="The vectors were detached, or copied into a new tensor with `torch.tensor`. No gradient finds its way back.",
    hint="No gradient reaches x. Indexing is differentiable by itself: leave out `detach`, `no_grad` and `torch.tensor`.",
)

mistake(
    "warmup.pick_rows",
    "picks-cast-to-float32",
    edit("x[sequences, ids]", "x[sequences, ids].float()"),
    section="shapes-and-types",
    why="The result was cast to float32. It should have the type of x.",
    hint="Your result is float32 for an x of any type. Leave the type as it comes.",
)

# ---------------------------------------------------------------------------------------------------------------------
# Scale

mistake(
    "warmup.Scale",
    "gain-is-a-plain-tensor",
    edit("nn.Parameter(torch.ones(d))", "torch.ones(d, requires_grad=True)"),
    section="modules",
    why="gain was kept as a plain tensor. A module keeps track of parameters only: an optimiser that gets "
    "`module.parameters()` never sees it, and the state_dict lacks it.",
    hint="Your module has no parameters, so training would not change gain. Wrap the tensor in `nn.Parameter`.",
)

mistake(
    "warmup.Scale",
    "gain-is-a-buffer",
    edit("self.gain = nn.Parameter(torch.ones(d))", 'self.register_buffer("gain", torch.ones(d))'),
    section="modules",
    why="gain was registered as a buffer. Buffers are saved, but no optimiser changes them.",
    hint="gain is saved but not trained: it is a buffer. What is learned is a parameter.",
)

mistake(
    "warmup.Scale",
    "gain-is-frozen",
    edit("nn.Parameter(torch.ones(d))", "nn.Parameter(torch.ones(d), requires_grad=False)"),
    section="modules",
    why="gain is a parameter that asks for no gradient. Training leaves it as it is.",
    hint="gain gets no gradient: `requires_grad=False` freezes it.",
)

mistake(
    "warmup.Scale",
    "gain-starts-at-zero",
    edit("torch.ones(d)", "torch.zeros(d)"),
    section="modules",
    why="gain starts at 0. A new module should change nothing, and a gain of 0 wipes out its input.",
    hint="A new module of yours returns zeros. gain starts as ones.",
)

mistake(
    "warmup.Scale",
    "gain-starts-at-random",
    edit("torch.ones(d)", "torch.randn(d)"),
    section="modules",
    why="gain starts with random numbers. Weight matrices need them; a gain does not, and starts at 1.",
    hint="Each new module of yours scales differently. gain starts as ones.",
)

mistake(
    "warmup.Scale",
    "one-gain-for-all",
    edit("torch.ones(d)", "torch.ones(1)"),
    section="modules",
    why="There is one gain for all coordinates. Each coordinate has a gain of its own.",
    hint="gain has the shape (1,), and broadcasting hides it. It should have the shape (d,).",
)

mistake(
    "warmup.Scale",
    "seen-is-an-attribute",
    edit('self.register_buffer("seen", torch.tensor(0))', "self.seen = torch.tensor(0)"),
    section="modules",
    why="seen was kept as a plain attribute. It is not in the state_dict, so the count is lost when the model is "
    "saved, and it stays behind when the module moves to a GPU.",
    hint="The state_dict lacks seen: a tensor that is assigned to an attribute is not tracked. Use `register_buffer`.",
)

mistake(
    "warmup.Scale",
    "seen-is-a-python-number",
    edit('self.register_buffer("seen", torch.tensor(0))', "self.seen = 0"),
    section="modules",
    why="seen was kept as a Python number. It is not in the state_dict, so the count is lost when the model is saved.",
    hint="The state_dict lacks seen, which is a plain number. Register a tensor with `register_buffer`.",
)

mistake(
    "warmup.Scale",
    "seen-is-a-parameter",
    edit(
        'self.register_buffer("seen", torch.tensor(0))',
        "self.seen = nn.Parameter(torch.tensor(0), requires_grad=False)",
    ),
    section="modules",
    why="seen was made a parameter without gradient. It then counts among the parameters of the model; what is not "
    "learned but saved is a buffer.",
    hint="`parameters()` yields seen, which nobody trains. Use `register_buffer`.",
)

mistake(
    "warmup.Scale",
    "seen-is-a-float",
    edit("torch.tensor(0)", "torch.tensor(0.0)"),
    section="modules",
    why="seen is a float. Then `.to(torch.bfloat16)` turns the count into a bfloat16, which cannot hold 257.",
    hint="seen has a float type and would change with the module's. `torch.tensor(0)`, without the point, is int64.",
)

mistake(
    "warmup.Scale",
    "seen-is-not-saved",
    edit('"seen", torch.tensor(0)', '"seen", torch.tensor(0), persistent=False'),
    section="modules",
    why="`persistent=False` keeps a buffer out of the state_dict. That suits what can be computed again, and a count "
    "cannot.",
    hint="The state_dict lacks seen: the buffer is not persistent.",
)

mistake(
    "warmup.Scale",
    "seen-has-an-axis",
    edit("torch.tensor(0)", "torch.zeros(1, dtype=torch.int64)"),
    section="shapes-and-types",
    why="seen has the shape (1,). One number is a tensor without axes, of shape ().",
    hint="seen is a list of one number. `torch.tensor(0)` has no axis.",
)

mistake(
    "warmup.Scale",
    "counts-in-both-modes",
    edit("if self.training:", "if True:"),
    section="train-and-eval",
    why="Every call was counted. Calls in evaluation mode are not to change the module at all.",
    hint="Your count rises in evaluation mode, too. `self.training` says in which mode the module is.",
)

mistake(
    "warmup.Scale",
    "counts-in-evaluation-mode",
    edit("if self.training:", "if not self.training:"),
    section="train-and-eval",
    why="The condition is the wrong way round. Calls in evaluation mode were counted, and those in training mode were "
    "not.",
    hint="Your count rises after `eval()` and rests after `train()`. It should be the other way round.",
)

mistake(
    "warmup.Scale",
    "counts-where-gradients-are-recorded",
    edit("if self.training:", "if torch.is_grad_enabled():"),
    section="train-and-eval",
    why="The mode of the module was confused with the recording of gradients. `eval()` does not stop the recording, "
    "and `no_grad()` does not change the mode.",
    hint="Your count follows `torch.no_grad()`. Whether a module is in training mode is in `self.training`.",
)

mistake(
    "warmup.Scale",
    "counts-rows",
    edit("self.seen += 1", "self.seen += len(x)"),
    section="train-and-eval",
    why="The rows of the input were counted. seen counts calls.",
    hint="Your count rises by more than 1 with each call: it depends on the size of the input.",
)

mistake(
    "warmup.Scale",
    "never-counts",
    edit("self.seen += 1", "seen = self.seen + 1  # noqa: F841"),
    section="train-and-eval",
    why="The new count went into a local variable. That variable is gone when the call is over.",
    hint="seen stays 0. The sum has to be written back into `self.seen`.",
)

mistake(
    "warmup.Scale",
    "stops-at-one",
    edit("self.seen += 1", "self.seen.fill_(1)"),
    section="train-and-eval",
    why="seen was set to 1 with each call. So it says whether there was a call, not how many.",
    hint="seen never exceeds 1. Add to what it holds.",
)

mistake(
    "warmup.Scale",
    "gain-added",
    edit("x * self.gain", "x + self.gain"),
    section="modules",
    why="gain was added. It is a factor.",
    hint="A new module of yours adds 1 to its input. Multiply.",
)

mistake(
    "warmup.Scale",
    "gain-along-another-axis",
    edit("x * self.gain", "(x.transpose(0, -1) * self.gain).transpose(0, -1)"),
    section="broadcasting",
    why="gain was broadcast along the first axis. Shapes are aligned at their ends: gain belongs to the last axis, and "
    "no transpose is needed.",
    hint="Rows are scaled in place of coordinates. `x * self.gain` already meets the last axis.",
)

mistake(
    "warmup.Scale",
    "gain-summed-over",
    edit("x * self.gain", "x @ self.gain"),
    section="broadcasting",
    why="The product was a dot product, which multiplies and adds up. The last axis is lost.",
    hint="Your result lacks the last axis. `@` adds up what it multiplies; `*` does not.",
)

mistake(
    "warmup.Scale",
    "gain-detached",
    edit("x * self.gain", "x * self.gain.detach()"),
    section="autograd",
    why="gain was detached, or read through `.data`. The numbers are right, and no gradient reaches gain.",
    hint="gain gets no gradient, so it would never be trained. Use `self.gain` as it is.",
)

mistake(
    "warmup.Scale",
    "input-scaled-in-place",
    edit("x * self.gain", "x.mul_(self.gain.detach())"),
    section="in-place",
    why="`mul_` writes into the input. The input belongs to the caller.",
    hint="After the call the input holds other numbers. `x * self.gain` makes a new tensor.",
)

# ---------------------------------------------------------------------------------------------------------------------
# fit_line

mistake(
    "warmup.fit_line",
    "gradients-never-cleared",
    edit("optimizer.zero_grad()", ""),
    section="five-lines",
    why="`backward` adds to what `grad` holds. Without `zero_grad` every step uses the sum of all gradients so far, and "
    "the line overshoots again and again.",
    hint="Your line swings around the right one and never settles. Gradients add up until you clear them.",
)

mistake(
    "warmup.fit_line",
    "gradients-cleared-before-the-step",
    edit("optimizer.zero_grad()\nloss.backward()\n", "loss.backward()\noptimizer.zero_grad()\n"),
    section="five-lines",
    why="The gradients were cleared after `backward` and before `step`, or `step` came before `backward` in each "
    "round. Then `step` finds none and does nothing.",
    hint="Your line stays where it starts: when `step` runs, there is no gradient. Order: zero_grad, backward, step.",
)

mistake(
    "warmup.fit_line",
    "rate-ignored",
    edit("lr=lr)\n", "lr=0.1)\n"),
    section="five-lines",
    why="The learning rate was written into the program. The argument `lr` has no effect.",
    hint="Your steps are equally long for every `lr`. Hand the argument on to the optimiser.",
)

mistake(
    "warmup.fit_line",
    "rate-of-the-library",
    edit(", lr=lr)\n", ")\n"),
    section="five-lines",
    why="The optimiser got no learning rate and took its default, 0.001. The argument `lr` has no effect.",
    hint="Your line is far from the best one after 500 steps, for every `lr`. Hand the argument on to the optimiser.",
)

mistake(
    "warmup.fit_line",
    "steps-ignored",
    edit("range(steps)", "range(500)"),
    section="five-lines",
    why="The number of steps was written into the program. The argument `steps` has no effect.",
    hint="Your loop makes 500 steps, whatever `steps` says.",
)

mistake(
    "warmup.fit_line",
    "one-step-less",
    edit("range(steps)", "range(1, steps)"),
    section="five-lines",
    why="The loop counts from 1 and stops before `steps`. So it makes one step less.",
    hint="With `steps=1` nothing moves. `range(1, n)` has n - 1 numbers.",
)

mistake(
    "warmup.fit_line",
    "one-step-more",
    edit("range(steps)", "range(steps + 1)"),
    section="five-lines",
    why="The loop makes one step more than `steps`. After 0 steps nothing should have moved.",
    hint="With `steps=0` the line moves already. `range(n)` has n numbers.",
)

mistake(
    "warmup.fit_line",
    "tensors-returned",
    edit("slope.item(), intercept.item()", "slope, intercept"),
    section="five-lines",
    why="The parameters themselves were returned. The caller can then change them, and keeps the graph alive.",
    hint="You return tensors. `.item()` makes a Python number of a tensor with one entry.",
)

mistake(
    "warmup.fit_line",
    "intercept-first",
    edit("slope.item(), intercept.item()", "intercept.item(), slope.item()"),
    section="five-lines",
    why="The two numbers were returned in the other order. The slope comes first.",
    hint="Your slope is the right intercept, and the other way round.",
)

mistake(
    "warmup.fit_line",
    "squares-added-up",
    edit(".mean()", ".sum()"),
    section="five-lines",
    why="The squared errors were added up. Their gradient grows with the number of points, and a rate of 0.1 is then "
    "far too large: the line diverges.",
    hint="Your numbers explode: the gradient is that of the sum over all points. Take the mean.",
)

mistake(
    "warmup.fit_line",
    "intercept-not-trained",
    edit("[slope, intercept]", "[slope]"),
    section="five-lines",
    why="The intercept is not among what the optimiser changes, or not part of the prediction. It stays at its start.",
    hint="Your slope is right and your intercept stays where it started. Hand both to the optimiser.",
)

mistake(
    "warmup.fit_line",
    "absolute-errors",
    edit(".square()", ".abs()"),
    section="five-lines",
    why="The sizes of the errors were averaged. That is another line, and its gradient does not get smaller as the "
    "line gets better, so steps of fixed length never settle.",
    hint="Your line is close to the right one and goes on jumping. Square the errors.",
)

mistake(
    "warmup.fit_line",
    "errors-with-their-signs",
    edit(".square()", ""),
    section="five-lines",
    why="The errors were averaged with their signs. There is no least value: the intercept falls for ever.",
    hint="Your loss can be made as negative as one likes. Square the errors before you average them.",
)

mistake(
    "warmup.fit_line",
    "every-prediction-against-every-target",
    edit("y[:, None])", "y)"),
    base="linear-layer",
    section="broadcasting",
    why="Predictions of shape (N, 1) were compared with targets of shape (N,). Broadcasting makes all N times N pairs, "
    "and the best line for those is level.",
    hint="Your slope is 0 and your intercept the mean of y: (N, 1) and (N,) broadcast to (N, N). Compare equal shapes.",
)

mistake(
    "warmup.fit_line",
    "x-from-y",
    edit("(slope * x + intercept - y)", "(slope * y + intercept - x)"),
    section="five-lines",
    why="x was predicted from y. That is another line.",
    hint="Your slope belongs to the line that predicts x. Predict y.",
)

mistake(
    "warmup.fit_line",
    "another-optimizer",
    edit("torch.optim.SGD", "torch.optim.Adam"),
    section="five-lines",
    why="The optimiser is Adam, whose steps are about as long as the learning rate, whatever the gradient. Asked for "
    "is `torch.optim.SGD`.",
    hint="Your steps do not shrink as the line gets better. Use `torch.optim.SGD`.",
)

mistake(
    "warmup.fit_line",
    "momentum-added",
    edit("lr=lr)\n", "lr=lr, momentum=0.9)\n"),
    section="five-lines",
    why="The optimiser got a momentum, so each step also continues the ones before it. Asked for is plain gradient "
    "descent.",
    hint="Your line overshoots: later steps add to earlier ones. Give the optimiser nothing but the rate.",
)

mistake(
    "warmup.fit_line",
    "weights-decayed",
    edit("lr=lr)\n", "lr=lr, weight_decay=0.01)\n"),
    section="five-lines",
    why="The optimiser got a weight decay, which pulls both numbers towards 0. The best line is then out of reach.",
    hint="Both numbers are a little too small in size. Give the optimiser nothing but the rate.",
)

mistake(
    "warmup.fit_line",
    "started-again-in-each-step",
    edit(
        "loss = (slope",
        "with torch.no_grad():\n    slope.zero_()\n    intercept.zero_()\nloss = (slope",
    ),
    section="five-lines",
    why="The parameters were made anew in each round of the loop. So every round starts from 0, and only the last one "
    "counts.",
    hint="More steps change nothing: each round starts again. Make the parameters before the loop.",
)

mistake(
    "warmup.fit_line",
    "stops-at-a-small-loss",
    edit("optimizer.step()", "optimizer.step()\nif loss < 1e-3:\n    break"),
    section="five-lines",
    why="The loop stopped as soon as the loss was small. How small is small depends on the points; asked for is a "
    "number of steps.",
    hint="Where the points lie on a line, you stop before you are there. Make all the steps.",
)

mistake(
    "warmup.fit_line",
    "targets-standardised",
    edit("slope = torch.zeros(", "y = (y - y.mean()) / y.std()\nslope = torch.zeros("),
    section="five-lines",
    why="y was standardised too. The line through other points is another line, and its intercept is 0.",
    hint="Your intercept is always 0: the line belongs to a standardised y. Use y as it is.",
)

mistake(
    "warmup.fit_line",
    "line-in-float32",
    edit("dtype=x.dtype, device=x.device, requires_grad=True)\n", "device=x.device, requires_grad=True)\n"),
    section="shapes-and-types",
    why="The parameters are float32 whatever x is. A line through float64 points is then right to seven digits only.",
    hint="For float64 points your line is right to seven digits. Make the parameters with `dtype=x.dtype`.",
)


@mistake(
    "warmup.fit_line",
    "solved-in-one-go",
    section="five-lines",
    why="The best line was computed from its formula. It is right, and it is not what the loop finds after few steps.",
    hint="`steps` and `lr` have no effect. This line can be had from a formula, but a network's parameters cannot: "
    "write the loop.",
)
def fit_line(x, y, steps=500, lr=0.1):
    line = torch.linalg.lstsq(torch.stack([x, torch.ones_like(x)], 1), y[:, None]).solution
    return line[0].item(), line[1].item()


# ---------------------------------------------------------------------------------------------------------------------
# vector_jacobian

mistake(
    "warmup.vector_jacobian",
    "ones-in-place-of-v",
    edit("f(leaf), leaf, v)", "f(leaf).sum(), leaf)"),
    section="vector-jacobian",
    why="The outputs were added up and differentiated. That is the product with a vector of ones; v was not used.",
    hint="Your result does not depend on v: it is right for a v of ones only.",
)

mistake(
    "warmup.vector_jacobian",
    "mean-of-the-weighted-outputs",
    edit(".sum()", ".mean()"),
    base="weighted-sum",
    section="vector-jacobian",
    why="The weighted outputs were averaged. That divides every derivative by their number.",
    hint="Your result is too small by the number of outputs. Add up, do not average.",
)

mistake(
    "warmup.vector_jacobian",
    "times-v-afterwards",
    edit(
        "(product,) = torch.autograd.grad(f(leaf), leaf, v)",
        "product = v * torch.autograd.grad(f(leaf).sum(), leaf)[0]",
    ),
    section="vector-jacobian",
    why="The outputs were differentiated with ones, and the result was multiplied by v. That is right only if each "
    "output depends on the input of the same index and on no other.",
    hint="You multiply by v at the end. v weighs the outputs, so it must go in where they are: before the derivatives "
    "are added up.",
)

mistake(
    "warmup.vector_jacobian",
    "v-added-up",
    edit(
        "(product,) = torch.autograd.grad(f(leaf), leaf, v)",
        "product = v.sum() * torch.autograd.grad(f(leaf).sum(), leaf)[0]",
    ),
    section="vector-jacobian",
    why="The entries of v were added up and used as one factor. Each output has a weight of its own.",
    hint="Your result depends on the sum of v only. Each output has its own entry of v.",
)

mistake(
    "warmup.vector_jacobian",
    "v-counted-twice",
    edit("f(leaf), leaf, v)", "f(leaf) * v, leaf, v)"),
    section="vector-jacobian",
    why="The outputs were weighted with v, and v was also handed to autograd. So each weight is squared.",
    hint="Your result is right for a v of ones and twos get counted as fours. Use one of the two ways.",
)

mistake(
    "warmup.vector_jacobian",
    "jacobian-times-vector",
    edit("torch.tensordot(v, jacobian, dims=v.dim())", "torch.tensordot(jacobian, v, dims=v.dim())"),
    base="whole-jacobian",
    section="vector-jacobian",
    why="The Jacobian was multiplied from the other side: J v says how the outputs change when the input moves along v. "
    "`backward` computes v J, from the outputs to the input.",
    hint="Your sum runs over the inputs. Entry i of the result is the sum over all outputs j of v[j] times the "
    "derivative of output j with respect to input i.",
)

mistake(
    "warmup.vector_jacobian",
    "whole-jacobian-returned",
    edit("torch.tensordot(v, jacobian, dims=v.dim())", "jacobian"),
    base="whole-jacobian",
    section="vector-jacobian",
    why="All derivatives were returned, with the axes of the outputs in front. The product with v removes these axes.",
    hint="Your result has the axes of f(x) and of x. Multiply by v and add up over those of f(x).",
)

mistake(
    "warmup.vector_jacobian",
    "gradient-left-in-x",
    edit("leaf = x.detach().requires_grad_()", ""),
    edit(
        "(product,) = torch.autograd.grad(f(leaf), leaf, v)\nreturn product",
        "x.requires_grad_()\nx.grad = None\nf(x).backward(v)\nreturn x.grad",
    ),
    section="vector-jacobian",
    why="`backward` was called on x itself. Its gradient stays in `x.grad`, and the next `backward` adds to it.",
    hint="After the call `x.grad` holds your result. Work on a tensor of its own: `x.detach()`, which then asks for "
    "gradients.",
)

mistake(
    "warmup.vector_jacobian",
    "copied-but-not-detached",
    edit("x.detach().clone()", "x.clone()"),
    base="backward-on-a-copy",
    section="autograd",
    why="A clone of a tensor that asks for gradients is a result, and no leaf. `backward` goes on to x, fills `x.grad`, "
    "and leaves the `grad` of the clone empty.",
    hint="Where x asks for gradients, you return None and `x.grad` is filled: a clone still belongs to the graph of x. "
    "Detach it.",
)

mistake(
    "warmup.vector_jacobian",
    "added-to-an-earlier-gradient",
    edit("leaf = x.detach().requires_grad_()", "asks = x.requires_grad"),
    edit(
        "(product,) = torch.autograd.grad(f(leaf), leaf, v)\nreturn product",
        "f(x.requires_grad_()).backward(v)\nproduct = x.grad.clone()\nx.grad = None\nx.requires_grad_(asks)\nreturn product",
    ),
    section="vector-jacobian",
    why="`backward` adds to what `x.grad` holds. When there is a gradient from elsewhere, the result is the sum of "
    "both, and clearing it afterwards loses the other one.",
    hint="If `x.grad` holds something already, it is in your result, and gone afterwards. Work on a detached copy.",
)

mistake(
    "warmup.vector_jacobian",
    "gradient-of-the-caller-cleared",
    edit("return product", "x.grad = None\nreturn product"),
    section="vector-jacobian",
    why="`x.grad` was cleared to leave nothing behind. A gradient from elsewhere, which the caller still needs, is gone "
    "then.",
    hint="After the call an earlier `x.grad` is gone. You put nothing there, so leave it alone.",
)

mistake(
    "warmup.vector_jacobian",
    "x-made-to-ask-for-gradients",
    edit("x.detach().requires_grad_()", "x.requires_grad_()"),
    section="in-place",
    why="`requires_grad_` ends in an underscore: it changed the tensor of the caller. All its later operations are "
    "recorded now.",
    hint="After the call `x.requires_grad` is True. Detach first, and set it on the detached tensor.",
)

mistake(
    "warmup.vector_jacobian",
    "one-number-needs-no-v",
    edit("f(leaf), leaf, v)", "f(leaf), leaf, v if v.dim() else None)"),
    section="vector-jacobian",
    why="For a single output v was left out. A loss may be weighted too, and its weight is v.",
    hint="Where f gives one number, your result does not depend on v. It is a factor there.",
)

mistake(
    "warmup.vector_jacobian",
    "first-output-only",
    edit("f(leaf), leaf, v)", "f(leaf).flatten()[0], leaf, v.flatten()[0])"),
    section="vector-jacobian",
    why="Only the first output was differentiated. All outputs count, each with its weight.",
    hint="Your result depends on v[0] only. Hand over all outputs and all of v.",
)

mistake(
    "warmup.vector_jacobian",
    "derivatives-at-another-point",
    edit("x.detach()", "torch.zeros_like(x)"),
    section="vector-jacobian",
    why="The derivatives were taken at 0, or where the function is linear. They depend on x.",
    hint="Your result does not depend on x. Take the derivatives where x is.",
)

mistake(
    "warmup.vector_jacobian",
    "x-and-v-swapped",
    edit("leaf = x.detach()", "leaf = v.detach()"),
    edit("f(leaf), leaf, v)", "f(leaf), leaf, x)"),
    section="vector-jacobian",
    why="x and v were swapped. The derivatives were taken at v and weighted with x.",
    hint="You call f with v. f wants x, and v weighs what comes out.",
)

mistake(
    "warmup.vector_jacobian",
    "v-brought-to-length-one",
    edit("f(leaf), leaf, v)", "f(leaf), leaf, v / v.norm())"),
    section="vector-jacobian",
    why="v was divided by its length, as for the derivative along a direction. v is a gradient that arrives, and its "
    "length counts.",
    hint="Twice the v gives the same result. It should give twice the result.",
)

mistake(
    "warmup.vector_jacobian",
    "product-in-float32",
    edit("x.detach().requires_grad_()", "x.detach().float().requires_grad_()"),
    edit("f(leaf), leaf, v)", "f(leaf), leaf, v.float())"),
    section="shapes-and-types",
    why="The input was cast to float32. The result should have the type of x.",
    hint="Your result is float32 for an x of any type. Leave the type as it comes.",
)


mistake(
    "warmup.vector_jacobian",
    "finite-differences",
    edit(
        "(product,) = torch.autograd.grad(f(leaf), leaf, v)",
        "steps = 1e-3 * torch.eye(x.numel(), dtype=x.dtype).view(-1, *x.shape)\n"
        "product = torch.stack([((f(x + h) - f(x - h)) * v).sum() for h in steps]).view_as(x).detach() / 2e-3",
    ),
    section="vector-jacobian",
    why="The derivatives were estimated from small steps. That calls f once for every number in x, and is right to a "
    "few digits only.",
    hint="Your result agrees to a few digits. Let autograd differentiate: it is exact, and needs one call of f.",
)
