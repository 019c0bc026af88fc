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
    why="Your distance between (0, 0) and (3, 4) is 25 instead of 5. You returned the sum of the squared "
    "differences, which is the square of the distance. Which step of the formula is missing?",
    hint="Your distance of (0, 0) from (3, 4) is 25: it is the square of the right one. Take the root at the end.",
)

mistake(
    "warmup.pairwise_distances",
    "small-number-under-the-root",
    edit(".sqrt()", ".add(1e-8).sqrt()"),
    base="square-sum-root",
    section="broadcasting",
    why="Two equal points are 0.0001 apart instead of 0. You added a small number under the root, which keeps the "
    "gradient finite and changes the distance. What is the distance between two equal points?",
    hint="Two equal points are 0.0001 apart in your result. Leave the small number under the root out.",
)

mistake(
    "warmup.pairwise_distances",
    "sum-of-absolute-differences",
    edit("dim=-1", "ord=1, dim=-1"),
    section="reductions",
    why="Your distance between (0, 0) and (3, 4) is 7 instead of 5. You added the absolute differences, which "
    "measures a walk along the axes (the Manhattan distance). What does the straight line need?",
    hint="Your distance of (0, 0) from (3, 4) is 7. Square the differences before you add them up, and take the root.",
)

mistake(
    "warmup.pairwise_distances",
    "largest-difference-only",
    edit("dim=-1", "ord=torch.inf, dim=-1"),
    section="reductions",
    why="Your distance between (0, 0) and (3, 4) is 4 instead of 5. You kept only the largest difference of each "
    "pair of points. Which coordinates take part in a distance?",
    hint="Your distance of (0, 0) from (3, 4) is 4: only the larger difference counts in it. All coordinates should "
    "count.",
)

mistake(
    "warmup.pairwise_distances",
    "signed-differences-added",
    edit("torch.linalg.vector_norm(difference, dim=-1)", "difference.sum(-1)"),
    section="reductions",
    why="Some of your distances are negative or far too small. You added the differences with their signs, so "
    "positive and negative ones cancel. What makes a difference positive before the sum?",
    hint="Some of your distances are negative. Square the differences before you add them up, and take the root.",
)

mistake(
    "warmup.pairwise_distances",
    "mean-of-squares",
    edit(".sum(-1)", ".mean(-1)"),
    base="square-sum-root",
    section="reductions",
    why="Your distances are too small, and the error grows with the number of coordinates. You averaged the squared "
    "differences, but a distance is the root of their sum. Which reduction does the formula name?",
    hint="Your distances are the right ones divided by the root of the number of coordinates. A distance needs the sum "
    "of the squares, not their mean.",
)

mistake(
    "warmup.pairwise_distances",
    "sum-over-the-points-of-y",
    edit("dim=-1", "dim=1"),
    section="reductions",
    why="Your result holds N times d numbers instead of N times M. The differences have the axes (N, M, d), and you "
    "summed over M, the points of y. Which of the three axes should disappear?",
    hint="Look at the shape of your result: it holds N times d numbers. Axis 1 is that of the points of y; the "
    "coordinates are the last axis.",
)

mistake(
    "warmup.pairwise_distances",
    "sum-over-the-points-of-x",
    edit("dim=-1", "dim=0"),
    section="reductions",
    why="Your result holds M times d numbers instead of N times M. The differences have the axes (N, M, d), and you "
    "summed over N, the points of x. Which of the three axes should disappear?",
    hint="Look at the shape of your result: it holds M times d numbers. Axis 0 is that of the points of x; the "
    "coordinates are the last axis.",
)

mistake(
    "warmup.pairwise_distances",
    "points-of-y-in-rows",
    edit("x[:, None, :] - y[None, :, :]", "x[None, :, :] - y[:, None, :]"),
    section="broadcasting",
    why="Your result is transposed: its rows belong to y. You exchanged the positions of the new axes of x and y. "
    "Which tensor must vary along the first axis so that entry (n, m) compares x[n] with y[m]?",
    hint="Your result is transposed: shape (M, N). The first axis belongs to x, so give x its new axis in the middle.",
)

mistake(
    "warmup.pairwise_distances",
    "axis-kept",
    edit("dim=-1", "dim=-1, keepdim=True"),
    section="reductions",
    why="Your result has a third axis of length 1. You kept the axis that was summed over, which helps only when the "
    "result is broadcast afterwards. Does anything here need that axis?",
    hint="Your result has the shape (N, M, 1). Leave `keepdim` out, or drop the last axis with `.squeeze(-1)`.",
)

mistake(
    "warmup.pairwise_distances",
    "axes-of-one-point-lost",
    edit("(difference, dim=-1)", "(difference, dim=-1).squeeze()"),
    section="reductions",
    why="With a single point in x or y, your result lacks an axis. You called `squeeze()` without an argument, which "
    "removes every axis of length 1. Which axis should go?",
    hint="With one point in x or y your result lacks an axis. `squeeze()` removes all axes of length 1; name the axis "
    "that you want to remove, or leave `squeeze` out.",
)

mistake(
    "warmup.pairwise_distances",
    "rows-repeated-in-one-order",
    edit("x.repeat_interleave(y.shape[0], dim=0)", "x.repeat(y.shape[0], 1)"),
    edit("y.repeat(x.shape[0], 1)", "y.repeat_interleave(x.shape[0], dim=0)"),
    base="repeated-rows",
    section="broadcasting",
    why="Your distances are right but stand in the wrong entries. You repeated the rows so that the index of x "
    "changes fastest, while the shape (N, M) expects the index of y to change fastest. In which order does a reshape "
    "read numbers?",
    hint="Your distances are right but stand in the wrong entries. In the shape (N, M) the index of y changes "
    "fastest. Let broadcasting make the pairs instead.",
)

mistake(
    "warmup.pairwise_distances",
    "distances-within-x",
    edit("y[None, :, :]", "x[None, :, :]"),
    section="broadcasting",
    why="Your result has the shape (N, N) and zeros on its diagonal. You compared the points of x with each other, and "
    "y never appears. Which set of points should each axis stand for?",
    hint="Your result has the shape (N, N) and a diagonal of zeros: y does not occur in it. Subtract the points of y "
    "from those of x.",
)

mistake(
    "warmup.pairwise_distances",
    "number-added-under-the-root",
    edit(".sum(-1)", ".sum(-1).add(1e-6)"),
    base="square-sum-root",
    section="gradient-of-a-root",
    why="The distance of a point from itself is not 0, and all small distances are too large. You added a small "
    "number under the root to keep its gradient finite. Which function of the library has a finite gradient at 0 "
    "without this?",
    hint="Your equal points are at distance 0.001, because you add a small number under the root. "
    "`torch.linalg.vector_norm` has a finite gradient there without it.",
)

mistake(
    "warmup.pairwise_distances",
    "epsilon-of-the-library",
    edit(", eps=0.0", ""),
    base="library-without-its-epsilon",
    section="gradient-of-a-root",
    why="Your distances are wrong from about the sixth digit on. You used `F.pairwise_distance`, which adds 1e-6 to "
    "every difference by default. Which of its arguments controls this?",
    hint="In float64 your distances agree to six digits only. `F.pairwise_distance` adds a number to every difference; "
    "look at its argument `eps`.",
)

mistake(
    "warmup.pairwise_distances",
    "gradient-cut",
    edit("torch.linalg.vector_norm(difference, dim=-1)", "torch.linalg.vector_norm(difference, dim=-1).detach()"),
    section="autograd",
    why="No gradient reaches x and y, so nothing before this function can be trained. You detached the result, or "
    "computed it outside PyTorch. Which step leaves the graph?",
    hint="No gradient reaches x and y. Leave out `detach`, `no_grad`, `.data`, NumPy and `.item()`.",
)

mistake(
    "warmup.pairwise_distances",
    "computed-in-float32",
    edit("y[None, :, :]", "y[None, :, :].float()"),
    edit("x[:, None, :]", "x[:, None, :].float()"),
    section="shapes-and-types",
    why="Your result is float32 even for float64 points, so digits are lost and the next operation may fail on mixed "
    "types. You cast the points to float32. Does the computation need a cast at all?",
    hint="Your result is float32 for points of any type. Keep the type of the points.",
)

mistake(
    "warmup.pairwise_distances",
    "argument-reshaped-in-place",
    edit("x[:, None, :]", "x.unsqueeze_(1)"),
    section="in-place",
    why="After the call, the caller's x has another shape. You used `unsqueeze_`, which works in place, as its last "
    "underscore says. Which variant returns a new view instead?",
    hint="After the call x has another shape. Methods that end in an underscore work in place; use the one without.",
)


mistake(
    "warmup.pairwise_distances",
    "one-number",
    edit("torch.linalg.vector_norm(difference, dim=-1)", "difference.square().sum().sqrt()"),
    section="broadcasting",
    why="You get one number instead of a table. You summed the squares of all differences, also those of different "
    "pairs. Over which axis should you sum for a single pair?",
    hint="Your result is one number, but every pair of points has a distance of its own. Sum over the coordinates alone.",
)


@mistake(
    "warmup.pairwise_distances",
    "loop-over-points",
    section="broadcasting",
    why="Your numbers are right, but the number of operations grows with the number of points. You wrote a loop, which "
    "starts separate operations in every round. How can broadcasting form all the pairs in one operation?",
    hint="Your distances are right, but a loop computes them. Give x and y axes of length 1, and one subtraction makes "
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
    why="You get only the first number of each vector, in the shape (B, K, 1). `gather` does not broadcast: its "
    "result has the shape of the index. What shape must the index have to select whole vectors?",
    hint="Your result has the shape (B, K, 1): the first number of each vector. Expand the index to (B, K, d).",
)

mistake(
    "warmup.pick_rows",
    "every-sequence-for-every-row-of-ids",
    edit("x[sequences, ids]", "x[:, ids]"),
    section="picking",
    why="Your result has an axis too many: (B, B, K, d). You put a colon first, which selects all sequences for every "
    "row of ids. How do two index tensors work together entry by entry?",
    hint="Your result has an axis too many: each row of ids was applied to every sequence. Put the indices of the "
    "sequences where your colon is.",
)

mistake(
    "warmup.pick_rows",
    "first-row-of-ids-for-all",
    edit("x[sequences, ids]", "x[:, ids[0]]"),
    section="picking",
    why="The first sequence is right, and the others are picked at its positions. You used one row of ids for the "
    "whole batch. Which row of ids belongs to sequence b?",
    hint="Your first sequence is right, and the others are picked at its positions. Each sequence has its own row of "
    "ids.",
)

mistake(
    "warmup.pick_rows",
    "always-from-the-first-sequence",
    edit("x[sequences, ids]", "x[0][ids]"),
    section="picking",
    why="All your vectors come from sequence 0. You indexed positions of one sequence, as if the batch had no others. "
    "What else must the index say?",
    hint="All your vectors come from sequence 0. The index of the sequence must stand before the position.",
)

mistake(
    "warmup.pick_rows",
    "offset-of-the-wrong-size",
    edit("length * torch.arange(batch)", "ids.shape[1] * torch.arange(batch)"),
    base="flat-with-offsets",
    section="picking",
    why="Sequence 0 is right, and later sequences are shifted. You assumed that sequence b begins at row b * K of "
    "the flat table, where K is the number of picks. How many rows does one sequence fill?",
    hint="Sequence 0 is right, and the later ones are shifted. How many rows of the flat table does one sequence fill?",
)

mistake(
    "warmup.pick_rows",
    "sequence-numbers-along-the-wrong-axis",
    edit("torch.arange(len(x), device=x.device)[:, None]", "torch.arange(len(x), device=x.device)"),
    section="picking",
    why="Pick k is taken from sequence k, and nothing fails when B equals K. You gave the sequence indices the shape "
    "(B,), which broadcasts along the last axis of ids, the picks. Which shape aligns them with the first axis?",
    hint="Pick k is taken from sequence k. Make a column of the sequence indices, of shape (B, 1).",
)

mistake(
    "warmup.pick_rows",
    "gathered-along-the-width",
    edit("(x, 1, index)", "(x, 2, index)"),
    base="gather",
    section="picking",
    why="Each row of your result repeats one number, or an error says that an index is out of bounds. You gathered "
    "along axis 2, the width of the vectors. Along which axis of x do the ids count?",
    hint="Each row of your result repeats one number of a vector, unless an index is out of bounds. Which axis of x do "
    "the ids count along?",
)

mistake(
    "warmup.pick_rows",
    "gathered-along-the-batch",
    edit("(x, 1, index)", "(x, 0, index)"),
    base="gather",
    section="picking",
    why="Your vectors come from other sequences, or an error says that an index is out of bounds. You gathered along "
    "axis 0, the sequences. Along which axis of x do the ids count?",
    hint="Your vectors come from other sequences, unless an index is out of bounds. Which axis of x do the ids count "
    "along?",
)

mistake(
    "warmup.pick_rows",
    "counted-from-one",
    edit("x[sequences, ids]", "x[sequences, ids - 1]"),
    section="picking",
    why="Each vector is the one before the right one, and position 0 gives the last. You subtracted one from the "
    "ids, as if positions were counted from 1. Where do the positions of x begin?",
    hint="Each vector is the one before the right one. Positions count from 0, in ids as in x.",
)

mistake(
    "warmup.pick_rows",
    "order-lost",
    edit("x[sequences, ids]", "x[sequences, ids.sort(dim=1).values]"),
    section="picking",
    why="You return the right vectors in the order of their positions in the sequence. Sorting the ids, or using a "
    "mask, loses the order of ids. Which id does row k of the result belong to?",
    hint="Your vectors are right, but they stand in the order of their positions in x. Row k of the result belongs to "
    "ids[b, k].",
)

mistake(
    "warmup.pick_rows",
    "axes-swapped",
    edit("x[sequences, ids]", "x.transpose(1, 2)[sequences, :, ids].transpose(1, 2)"),
    section="picking",
    why="Your numbers are right, but the last two axes are swapped: (B, d, K). You put the picks last, but the width "
    "comes last. Which of your operations moved the axes?",
    hint="Your numbers are right, but the last two axes of the result are swapped. The shape should be (B, K, d).",
)

mistake(
    "warmup.pick_rows",
    "ids-changed-in-place",
    edit("return x", "ids += offsets\nreturn x"),
    edit("[ids + offsets]", "[ids]"),
    base="flat-with-offsets",
    section="in-place",
    why="After the call, the caller's ids hold other numbers. You used `+=`, which writes into the tensor that was "
    "passed in. Which form of the sum makes a new tensor?",
    hint="After the call ids holds other numbers, since `+=` writes into it. Compute the sum as a new tensor.",
)

mistake(
    "warmup.pick_rows",
    "gradient-of-picks-cut",
    edit("x[sequences, ids]", "x.detach()[sequences, ids]"),
    section="autograd",
    why="No gradient reaches x. You detached the vectors or copied them with `torch.tensor`, which leaves the graph. "
    "Is indexing alone differentiable?",
    hint="No gradient reaches x. Indexing is differentiable by itself: leave out `detach`, `no_grad` and `torch.tensor`.",
)

mistake(
    "warmup.pick_rows",
    "picks-cast-to-float32",
    edit("x[sequences, ids]", "x[sequences, ids].float()"),
    section="shapes-and-types",
    why="Your result is float32 for an x of any type. You cast it at the end, although picking rows changes no "
    "number. Which type should the result have?",
    hint="Your result is float32 for an x of any type. Keep the type of x.",
)

# ---------------------------------------------------------------------------------------------------------------------
# Scale

mistake(
    "warmup.Scale",
    "gain-is-a-plain-tensor",
    edit("nn.Parameter(torch.ones(d))", "torch.ones(d, requires_grad=True)"),
    section="modules",
    why="Training never changes gain, and the state_dict lacks it. You assigned a plain tensor, which a module does "
    "not track. What turns a tensor into a parameter?",
    hint="Your module has no parameters, so training would not change gain. Wrap the tensor in `nn.Parameter`.",
)

mistake(
    "warmup.Scale",
    "gain-is-a-buffer",
    edit("self.gain = nn.Parameter(torch.ones(d))", 'self.register_buffer("gain", torch.ones(d))'),
    section="modules",
    why="gain is saved, but training never changes it. You registered it as a buffer, and optimisers receive only "
    "parameters. Is gain learned or only stored?",
    hint="gain is saved but not trained: it is a buffer. What is learned is a parameter.",
)

mistake(
    "warmup.Scale",
    "gain-is-frozen",
    edit("nn.Parameter(torch.ones(d))", "nn.Parameter(torch.ones(d), requires_grad=False)"),
    section="modules",
    why="gain never changes during training. It is a parameter, but you switched its gradient off. Which argument "
    "freezes it?",
    hint="gain gets no gradient: `requires_grad=False` freezes it. Leave that argument out.",
)

mistake(
    "warmup.Scale",
    "gain-starts-at-zero",
    edit("torch.ones(d)", "torch.zeros(d)"),
    section="modules",
    why="A new module returns zeros. You start gain at 0, which erases the input. Which factor leaves a number "
    "unchanged?",
    hint="A new module of yours returns zeros. Let gain start as ones, which leave the input as it is.",
)

mistake(
    "warmup.Scale",
    "gain-starts-at-random",
    edit("torch.ones(d)", "torch.randn(d)"),
    section="modules",
    why="Every new module scales its input differently. You start gain with random numbers, as for weight matrices. "
    "Which value of gain leaves the input unchanged?",
    hint="Each new module of yours scales differently. Let gain start as ones, which leave the input as it is.",
)

mistake(
    "warmup.Scale",
    "one-gain-for-all",
    edit("torch.ones(d)", "torch.ones(1)"),
    section="modules",
    why="All coordinates are scaled by the same number. You gave gain a single entry, and broadcasting hides this. How "
    "many gains does an input of width d need?",
    hint="gain has the shape (1,), and broadcasting hides this. Give gain one entry for each of the d coordinates.",
)

mistake(
    "warmup.Scale",
    "seen-is-an-attribute",
    edit('self.register_buffer("seen", torch.tensor(0))', "self.seen = torch.tensor(0)"),
    section="modules",
    why="The count is lost when the model is saved, and it stays behind when the module moves to a GPU. You assigned a "
    "tensor to a plain attribute, which a module does not track. What does a module offer for state that is saved but "
    "not learned?",
    hint="The state_dict lacks seen: a tensor that is assigned to an attribute is not tracked. Use `register_buffer`.",
)

mistake(
    "warmup.Scale",
    "seen-is-a-python-number",
    edit('self.register_buffer("seen", torch.tensor(0))', "self.seen = 0"),
    section="modules",
    why="The count is lost when the model is saved. You kept seen as a Python number, and a state_dict holds only "
    "tensors that the module tracks. What does a module offer for state that is saved but not learned?",
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
    why="`parameters()` yields seen, although it is not trained. You made it a parameter without a gradient. What does "
    "a module offer for state that is saved but not learned?",
    hint="`parameters()` yields seen, which is not trained. Use `register_buffer`.",
)

mistake(
    "warmup.Scale",
    "seen-is-a-float",
    edit("torch.tensor(0)", "torch.tensor(0.0)"),
    section="modules",
    why="After `.to(torch.bfloat16)` the count never rises above 256, since bfloat16 cannot hold 257. You made seen a "
    "float, and `.to` converts every float tensor of a module. Which type suits a count?",
    hint="seen has a float type, so `.to` changes it with the module. A number without a decimal point gives an int64 "
    "tensor.",
)

mistake(
    "warmup.Scale",
    "seen-is-not-saved",
    edit('"seen", torch.tensor(0)', '"seen", torch.tensor(0), persistent=False'),
    section="modules",
    why="The count is lost when the model is saved. You made the buffer not persistent, which suits only what can be "
    "computed again. Can a count be computed again?",
    hint="The state_dict lacks seen: the buffer is not persistent. Leave that argument at its default.",
)

mistake(
    "warmup.Scale",
    "seen-has-an-axis",
    edit("torch.tensor(0)", "torch.zeros(1, dtype=torch.int64)"),
    section="shapes-and-types",
    why="seen has the shape (1,) instead of (). You created it with an axis. How many axes does a single number have?",
    hint="seen has the shape (1,). A tensor made from a number without brackets has no axis.",
)

mistake(
    "warmup.Scale",
    "counts-in-both-modes",
    edit("if self.training:", "if True:"),
    section="train-and-eval",
    why="The count rises in evaluation mode, too. You count every call, but a call in evaluation mode should not "
    "change the module. Which attribute tells the two modes apart?",
    hint="Your count rises in evaluation mode, too. `self.training` says in which mode the module is.",
)

mistake(
    "warmup.Scale",
    "counts-in-evaluation-mode",
    edit("if self.training:", "if not self.training:"),
    section="train-and-eval",
    why="The count rises after `eval()` and stays the same after `train()`. You reversed the condition. In which mode "
    "should a call be counted?",
    hint="Your count rises after `eval()` and stays the same after `train()`. Reverse your condition.",
)

mistake(
    "warmup.Scale",
    "counts-where-gradients-are-recorded",
    edit("if self.training:", "if torch.is_grad_enabled():"),
    section="train-and-eval",
    why="The count follows `torch.no_grad()` instead of the mode of the module. You asked whether gradients are "
    "recorded, which is independent of training mode. Which of the two does the task name?",
    hint="Your count follows `torch.no_grad()`. `self.training` says whether the module is in training mode.",
)

mistake(
    "warmup.Scale",
    "counts-rows",
    edit("self.seen += 1", "self.seen += len(x)"),
    section="train-and-eval",
    why="The count rises by more than 1 per call. You added the number of rows in the input. What does seen count: "
    "rows or calls?",
    hint="Your count rises by more than 1 with each call: it depends on the size of the input. Count calls, not rows.",
)

mistake(
    "warmup.Scale",
    "never-counts",
    edit("self.seen += 1", "seen = self.seen + 1  # noqa: F841"),
    section="train-and-eval",
    why="seen stays 0. You put the new count into a local variable, which is gone when the call ends. Where must the "
    "sum be stored?",
    hint="seen stays 0. The sum has to be written back into `self.seen`.",
)

mistake(
    "warmup.Scale",
    "stops-at-one",
    edit("self.seen += 1", "self.seen.fill_(1)"),
    section="train-and-eval",
    why="seen never exceeds 1. You set it to 1 at each call, which records whether there was a call but not how "
    "many. How does the old count enter the new one?",
    hint="seen never exceeds 1. Add 1 to the number that it holds.",
)

mistake(
    "warmup.Scale",
    "count-kept-beside-the-buffer",
    edit("self.gain =", "self.calls = 0\nself.gain ="),
    edit("self.seen += 1", "self.calls += 1\nself.seen.fill_(self.calls)"),
    section="modules",
    why="The loaded count is lost at the next call. You count in a plain Python number and copy this number into seen, "
    "but `load_state_dict` restores only what the module tracks. From which count should the next call go on?",
    hint="After `load_state_dict`, the next call replaces the loaded count with your own number of calls. Keep only "
    "one count: the buffer.",
)

mistake(
    "warmup.Scale",
    "gain-added",
    edit("x * self.gain", "x + self.gain"),
    section="modules",
    why="A new module adds 1 to its input. You added gain to the input. What does a gain do to a number?",
    hint="A new module of yours adds 1 to its input. Multiply the input by gain.",
)

mistake(
    "warmup.Scale",
    "gain-along-another-axis",
    edit("x * self.gain", "(x.transpose(0, -1) * self.gain).transpose(0, -1)"),
    section="broadcasting",
    why="Whole rows of a square input are scaled instead of coordinates, and other shapes raise an error. You "
    "broadcast gain along the first axis, but shapes are aligned at their ends. Which axis does a tensor of shape (d,) "
    "meet by itself?",
    hint="Your rows are scaled instead of coordinates. Broadcasting aligns gain with the last axis by itself.",
)

mistake(
    "warmup.Scale",
    "gain-summed-over",
    edit("x * self.gain", "x @ self.gain"),
    section="broadcasting",
    why="Your result lacks the last axis. You used `@`, a dot product, which multiplies and then adds up. Which "
    "product works entry by entry?",
    hint="Your result lacks the last axis. `@` adds up the products. Multiply entry by entry.",
)

mistake(
    "warmup.Scale",
    "gain-detached",
    edit("x * self.gain", "x * self.gain.detach()"),
    section="autograd",
    why="The numbers are right, but gain is never trained. You detached it or read it through `.data`, so no "
    "gradient reaches it. What happens if you use the parameter itself?",
    hint="gain gets no gradient, so it would never be trained. Use `self.gain` as it is.",
)

mistake(
    "warmup.Scale",
    "input-scaled-in-place",
    edit("x * self.gain", "x.mul_(self.gain.detach())"),
    section="in-place",
    why="After the call, the caller's input holds other numbers. You used `mul_`, which works in place. Which product "
    "makes a new tensor?",
    hint="After the call the input holds other numbers. `mul_` writes into it. Use a product that makes a new tensor.",
)

# ---------------------------------------------------------------------------------------------------------------------
# fit_line

mistake(
    "warmup.fit_line",
    "gradients-never-cleared",
    edit("optimizer.zero_grad()", ""),
    section="five-lines",
    why="Your line swings around the right one and never settles. You never cleared the gradients, so each step uses "
    "the sum of all so far. What must happen between two steps?",
    hint="Your line swings around the right one and never settles. Gradients add up until you clear them.",
)

mistake(
    "warmup.fit_line",
    "gradients-cleared-before-the-step",
    edit("optimizer.zero_grad()\nloss.backward()\n", "loss.backward()\noptimizer.zero_grad()\n"),
    section="five-lines",
    why="Your line stays where it starts. You cleared the gradients before `step` could use them, or called `step` "
    "before `backward`. In which order must the three calls come?",
    hint="Your line stays where it starts: when `step` runs, there is no gradient. Clear the gradients before "
    "`backward`, and step after it.",
)

mistake(
    "warmup.fit_line",
    "rate-ignored",
    edit("lr=lr)\n", "lr=0.1)\n"),
    section="five-lines",
    why="The steps are the same for every `lr`. You wrote a fixed learning rate into the code. Where should the "
    "argument go?",
    hint="Your steps are equally long for every `lr`. Hand the argument on to the optimiser.",
)

mistake(
    "warmup.fit_line",
    "rate-of-the-library",
    edit(", lr=lr)\n", ")\n"),
    section="five-lines",
    why="After 500 steps the line is still far from the best one, for every `lr`. You passed the optimiser no learning "
    "rate, so it used its default, 0.001. Where should the argument go?",
    hint="Your line is far from the best one after 500 steps, for every `lr`. Hand the argument on to the optimiser.",
)

mistake(
    "warmup.fit_line",
    "steps-ignored",
    edit("range(steps)", "range(500)"),
    section="five-lines",
    why="The number of steps is the same whatever `steps` says. You wrote a fixed number into the loop. What should "
    "control its length?",
    hint="Your loop makes 500 steps, whatever `steps` says. Let that argument set its length.",
)

mistake(
    "warmup.fit_line",
    "one-step-less",
    edit("range(steps)", "range(1, steps)"),
    section="five-lines",
    why="With `steps=1` nothing moves. You count from 1 and stop before `steps`, so the loop makes one step too few. "
    "How many numbers does such a range hold?",
    hint="With `steps=1` nothing moves. A range from 1 to n has only n - 1 numbers; start at 0.",
)

mistake(
    "warmup.fit_line",
    "one-step-more",
    edit("range(steps)", "range(steps + 1)"),
    section="five-lines",
    why="With `steps=0` the line already moves. You made the loop one step longer than `steps`. How many numbers does "
    "your range hold?",
    hint="With `steps=0` the line already moves. A range up to n, without a start, has n numbers: do not add 1.",
)

mistake(
    "warmup.fit_line",
    "tensors-returned",
    edit("slope.item(), intercept.item()", "slope, intercept"),
    section="five-lines",
    why="Your result is two tensors that require gradients, so autograd records what the caller computes with them. "
    "You returned the parameters themselves. What turns a tensor with one entry into a Python number?",
    hint="You return tensors. `.item()` turns a tensor with one entry into a Python number.",
)

mistake(
    "warmup.fit_line",
    "intercept-first",
    edit("slope.item(), intercept.item()", "intercept.item(), slope.item()"),
    section="five-lines",
    why="Your slope is the right intercept, and your intercept is the right slope. You returned the two numbers in "
    "the wrong order. Which one comes first?",
    hint="Your slope is the right intercept, and your intercept the right slope. Return the slope first.",
)

mistake(
    "warmup.fit_line",
    "squares-added-up",
    edit(".mean()", ".sum()"),
    section="five-lines",
    why="With more than ten points, your numbers explode. You added the squared errors, so the gradient grows with the "
    "number of points, and the learning rate becomes far too large. Which reduction is independent of that number?",
    hint="With more than ten points your numbers explode: the gradient is that of the sum over all points. Take the "
    "mean.",
)

mistake(
    "warmup.fit_line",
    "intercept-not-trained",
    edit("[slope, intercept]", "[slope]"),
    section="five-lines",
    why="The slope is right, and the intercept stays where it started. You did not pass the intercept to the "
    "optimiser, or did not use it in the prediction. Where must a parameter appear to be trained?",
    hint="Your slope is right and your intercept stays where it started. Hand both to the optimiser.",
)

mistake(
    "warmup.fit_line",
    "absolute-errors",
    edit(".square()", ".abs()"),
    section="five-lines",
    why="Your line comes close to the right one and does not reach it. You averaged absolute errors, whose gradient "
    "does not shrink as the line improves. Which error has a gradient that does?",
    hint="Your line comes close to the right one and does not reach it. Square the errors, so that the gradient "
    "shrinks with them.",
)

mistake(
    "warmup.fit_line",
    "errors-with-their-signs",
    edit(".square()", ""),
    section="five-lines",
    why="Your intercept never settles, and the loss becomes more and more negative. You averaged the errors with their "
    "signs, so there is no smallest value. What makes each error count as positive?",
    hint="Your loss falls below 0 and never stops falling. Square the errors before you average them.",
)

mistake(
    "warmup.fit_line",
    "every-prediction-against-every-target",
    edit("y[:, None])", "y)"),
    base="linear-layer",
    section="broadcasting",
    why="Your slope is 0, and your intercept is the mean of y. You compared shapes (N, 1) and (N,), which broadcast to "
    "all N times N pairs, whose best line is level. Which shapes should be compared?",
    hint="Your slope is 0 and your intercept the mean of y: (N, 1) and (N,) broadcast to (N, N). Compare equal shapes.",
)

mistake(
    "warmup.fit_line",
    "x-from-y",
    edit("(slope * x + intercept - y)", "(slope * y + intercept - x)"),
    section="five-lines",
    why="Your numbers belong to the line that predicts x from y, or they overflow. You exchanged the two in the error. "
    "Which of them is the target?",
    hint="Your numbers overflow, or belong to the line that predicts x from y. Multiply the slope by x, and compare "
    "with y.",
)

mistake(
    "warmup.fit_line",
    "another-optimizer",
    edit("torch.optim.SGD", "torch.optim.Adam"),
    section="five-lines",
    why="Your steps do not shrink as the line gets better. You used Adam, whose steps are about as long as the "
    "learning rate, whatever the gradient. Which optimiser does the task name?",
    hint="Your steps do not shrink as the line gets better. Use `torch.optim.SGD`.",
)

mistake(
    "warmup.fit_line",
    "momentum-added",
    edit("lr=lr)\n", "lr=lr, momentum=0.9)\n"),
    section="five-lines",
    why="Your line overshoots: each step continues the steps before it. You gave the optimiser a momentum, but the "
    "task is plain gradient descent. Which settings does that need?",
    hint="Your line overshoots: later steps add to earlier ones. Give the optimiser no setting but the learning rate.",
)

mistake(
    "warmup.fit_line",
    "weights-decayed",
    edit("lr=lr)\n", "lr=lr, weight_decay=0.01)\n"),
    section="five-lines",
    why="Both numbers are a little too small in size. You gave the optimiser a weight decay, which pulls them "
    "towards 0. Does the task ask for this pull?",
    hint="Both numbers are a little too small in size. Give the optimiser no setting but the learning rate.",
)

mistake(
    "warmup.fit_line",
    "started-again-in-each-step",
    edit(
        "loss = (slope",
        "with torch.no_grad():\n    slope.zero_()\n    intercept.zero_()\nloss = (slope",
    ),
    section="five-lines",
    why="More steps change nothing. You reset the parameters in each round of the loop, so only the last round "
    "counts. What belongs before the loop rather than in it?",
    hint="More steps change nothing: each round starts again. Make the parameters before the loop.",
)

mistake(
    "warmup.fit_line",
    "stops-at-a-small-loss",
    edit("optimizer.step()", "optimizer.step()\nif loss < 1e-3:\n    break"),
    section="five-lines",
    why="Training ends before `steps` is reached, and the line is not yet as good as it should be. You stop once the "
    "loss is small, but how small is small enough depends on the points. What does the task set instead?",
    hint="For points on a line, you stop before the line is exact. Make all the steps.",
)

mistake(
    "warmup.fit_line",
    "targets-standardised",
    edit("slope = torch.zeros(", "y = (y - y.mean()) / y.std()\nslope = torch.zeros("),
    section="five-lines",
    why="Your intercept is always 0. You standardised y, and the line through the standardised points is another "
    "line. Which targets should the line fit?",
    hint="Your intercept is always 0: the line belongs to a standardised y. Use y as it is.",
)

mistake(
    "warmup.fit_line",
    "line-in-float32",
    edit("dtype=x.dtype, device=x.device, requires_grad=True)\n", "device=x.device, requires_grad=True)\n"),
    section="shapes-and-types",
    why="For float64 points, your line is right to only seven digits. You made float32 parameters, whatever the type "
    "of x. From which tensor should they take their type?",
    hint="For float64 points your line is right to seven digits. Make the parameters in the type of x.",
)


@mistake(
    "warmup.fit_line",
    "solved-in-one-go",
    section="five-lines",
    why="`steps` and `lr` have no effect. You computed the best line from its formula, and a network's parameters have "
    "no such formula. What should each of the steps do to the line?",
    hint="`steps` and `lr` have no effect. A formula gives this line, but no formula gives the parameters of a "
    "network: write the loop.",
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
    why="Your result does not depend on v. You added up the outputs before differentiating, which is the product "
    "with a vector of ones. Where should the weights of the outputs enter?",
    hint="Your result does not depend on v: it is right for a v of ones only. Pass v to autograd as the gradient that "
    "arrives.",
)

mistake(
    "warmup.vector_jacobian",
    "mean-of-the-weighted-outputs",
    edit(".sum()", ".mean()"),
    base="weighted-sum",
    section="vector-jacobian",
    why="Your result is the right one divided by the number of outputs. You averaged the weighted outputs, which "
    "divides every derivative. Which reduction does a matrix product use?",
    hint="Your result is the right one divided by the number of outputs. Add the weighted outputs up instead of "
    "averaging them.",
)

mistake(
    "warmup.vector_jacobian",
    "times-v-afterwards",
    edit(
        "(product,) = torch.autograd.grad(f(leaf), leaf, v)",
        "product = v * torch.autograd.grad(f(leaf).sum(), leaf)[0]",
    ),
    section="vector-jacobian",
    why="Your result is right only when each output depends on the input of the same index alone, and differing sizes "
    "raise an error. You multiplied by v after the derivatives had been added up. Does v weigh outputs or inputs?",
    hint="You multiply by v at the end. v weighs the outputs, so it must enter before the derivatives are added up.",
)

mistake(
    "warmup.vector_jacobian",
    "v-added-up",
    edit(
        "(product,) = torch.autograd.grad(f(leaf), leaf, v)",
        "product = v.sum() * torch.autograd.grad(f(leaf).sum(), leaf)[0]",
    ),
    section="vector-jacobian",
    why="Your result depends only on the sum of v. You used that sum as one factor for all outputs. Which weight "
    "belongs to output j?",
    hint="Your result depends on the sum of v only. Each output has its own entry of v.",
)

mistake(
    "warmup.vector_jacobian",
    "v-counted-twice",
    edit("f(leaf), leaf, v)", "f(leaf) * v, leaf, v)"),
    section="vector-jacobian",
    why="Your result is right for a v of ones, but a 2 in v counts as 4. You weighted the outputs with v and also "
    "passed v to autograd. Which of the two would be enough?",
    hint="Your result is right for a v of ones, but a 2 in v counts as 4. Use v only once.",
)

mistake(
    "warmup.vector_jacobian",
    "jacobian-times-vector",
    edit("torch.tensordot(v, jacobian, dims=v.dim())", "torch.tensordot(jacobian, v, dims=v.dim())"),
    base="whole-jacobian",
    section="vector-jacobian",
    why="Where f(x) and x differ in size you get an error, and elsewhere a wrong product. You computed J v, which says "
    "how the outputs change when the input moves along v, while `backward` computes v J. Over which axes of the "
    "Jacobian should you sum?",
    hint="Your sum runs over the inputs. Entry i of the result is the sum over all outputs j of v[j] times the "
    "derivative of output j with respect to input i.",
)

mistake(
    "warmup.vector_jacobian",
    "whole-jacobian-returned",
    edit("torch.tensordot(v, jacobian, dims=v.dim())", "jacobian"),
    base="whole-jacobian",
    section="vector-jacobian",
    why="Your result has the axes of f(x) in front of those of x. You returned all derivatives, without the product "
    "with v. Which axes does this product remove?",
    hint="Your result has the axes of f(x) and of x. Multiply by v and add up over the axes of f(x).",
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
    why="After the call, `x.grad` holds your result, and the next `backward` adds to it. You called `backward` on x "
    "itself. How can you work on a tensor of your own?",
    hint="After the call `x.grad` holds your result. Detach x, and let the detached tensor require gradients.",
)

mistake(
    "warmup.vector_jacobian",
    "copied-but-not-detached",
    edit("x.detach().clone()", "x.clone()"),
    base="backward-on-a-copy",
    section="autograd",
    why="When x requires gradients, you return None, and `x.grad` is filled. A clone still belongs to the graph of x "
    "and is not a leaf, so `backward` stores no gradient in it. What cuts a tensor off from its graph?",
    hint="When x requires gradients, you return None, and `x.grad` is filled: a clone still belongs to the graph of x. "
    "Detach the copy.",
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
    why="If `x.grad` already holds a gradient, it is added to your result and lost afterwards. `backward` "
    "accumulates in `x.grad`. How can you differentiate without touching x?",
    hint="If `x.grad` already holds a gradient, your result includes it, and `x.grad` is empty afterwards. Work on a "
    "detached copy.",
)

mistake(
    "warmup.vector_jacobian",
    "gradient-of-the-caller-cleared",
    edit("return product", "x.grad = None\nreturn product"),
    section="vector-jacobian",
    why="After the call, an earlier gradient in `x.grad` is gone, although the caller still needs it. You cleared it "
    "to leave nothing behind. Did your function put anything there?",
    hint="After the call an earlier `x.grad` is gone. You put nothing there, so leave it alone.",
)

mistake(
    "warmup.vector_jacobian",
    "x-made-to-ask-for-gradients",
    edit("x.detach().requires_grad_()", "x.requires_grad_()"),
    section="in-place",
    why="After the call, `x.requires_grad` is True, so everything the caller does with x is recorded. "
    "`requires_grad_` works in place. On which tensor can you safely set it?",
    hint="After the call `x.requires_grad` is True. Detach first, and set it on the detached tensor.",
)

mistake(
    "warmup.vector_jacobian",
    "gradients-switched-off-for-x",
    edit("return product", "x.requires_grad_(False)\nreturn product"),
    section="in-place",
    why="After the call, `x.requires_grad` is False, even if it was True before. You switched it off to clean up, so a "
    "parameter of the caller no longer learns. On which tensor can you set this flag without touching x?",
    hint="After your call, `x.requires_grad` is False, even if it was True before. Leave x alone: differentiate at a "
    "detached tensor of your own.",
)

mistake(
    "warmup.vector_jacobian",
    "one-number-needs-no-v",
    edit("f(leaf), leaf, v)", "f(leaf), leaf, v if v.dim() else None)"),
    section="vector-jacobian",
    why="When f returns one number, your result does not depend on v. You left v out in this case, but a single "
    "output also has a weight. What does v multiply here?",
    hint="When f returns one number, your result does not depend on v. Pass v in this case too: it multiplies the "
    "gradient.",
)

mistake(
    "warmup.vector_jacobian",
    "first-output-only",
    edit("f(leaf), leaf, v)", "f(leaf).flatten()[0], leaf, v.flatten()[0])"),
    section="vector-jacobian",
    why="Your result depends only on v[0]. You differentiated the first output alone. Which outputs contribute to "
    "the product?",
    hint="Your result depends on v[0] only. Differentiate all outputs, weighted with all of v.",
)

mistake(
    "warmup.vector_jacobian",
    "derivatives-at-another-point",
    edit("x.detach()", "torch.zeros_like(x)"),
    section="vector-jacobian",
    why="Your result does not depend on x. You took the derivatives at 0 instead, and they differ from point to point. "
    "At which point should you take them?",
    hint="Your result does not depend on x. Take the derivatives at x.",
)

mistake(
    "warmup.vector_jacobian",
    "x-and-v-swapped",
    edit("leaf = x.detach()", "leaf = v.detach()"),
    edit("f(leaf), leaf, v)", "f(leaf), leaf, x)"),
    section="vector-jacobian",
    why="Where f(x) and x differ in shape you get an error, and elsewhere a wrong product. You called f with v and "
    "weighted the result with x. Which one is the input of f, and which one weighs the outputs?",
    hint="You call f with v. The input of f is x, and v weighs the outputs.",
)

mistake(
    "warmup.vector_jacobian",
    "v-brought-to-length-one",
    edit("f(leaf), leaf, v)", "f(leaf), leaf, v / v.norm())"),
    section="vector-jacobian",
    why="Doubling v leaves your result unchanged. You divided v by its length, as for a derivative along a "
    "direction, but v is a gradient that arrives from later operations. Does its length carry information?",
    hint="Doubling v should double your result, but leaves it unchanged. Use v as it is.",
)

mistake(
    "warmup.vector_jacobian",
    "product-in-float32",
    edit("x.detach().requires_grad_()", "x.detach().float().requires_grad_()"),
    edit("f(leaf), leaf, v)", "f(leaf), leaf, v.float())"),
    section="shapes-and-types",
    why="Your result is float32 for an x of any type. You cast the input. Which type should the result have?",
    hint="Your result is float32 for an x of any type. Keep the type of x.",
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
    why="Your result agrees to only a few digits, and f is called twice for every number in x. You estimated the "
    "derivatives from small steps. What does autograd offer instead?",
    hint="Your result agrees to only a few digits. Let autograd differentiate: it is exact and needs one call of f.",
)
