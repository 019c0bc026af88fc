"""Hints of warmup: three per task, from a question about the idea to the skeleton of an answer."""

HINTS: dict[str, tuple[str, str, str]] = {
    "warmup.pairwise_distances": (
        "How many differences are there between 3 points and 4 points, and how many numbers does each hold? Which "
        "shape holds all of them? See {section}`warmup#broadcasting`.",
        "Give x an axis of length 1 where y has M, and give y an axis of length 1 where x has N. `None` in an index "
        "adds such an axis: for `a` of shape (5, 2), `a[..., None]` has the shape (5, 2, 1). The difference then has "
        "the shape (N, M, d). Then square, add up along the last axis, and take the root.",
        "difference = x with a new axis in the middle, minus y with a new axis in front    # (N, M, d)\n"
        "return the root of (the squares of difference, added up along the last axis)    # (N, M)",
    ),
    "warmup.pick_rows": (
        "`x[b, t]` is one vector. What does `x[[0, 0, 1], [2, 4, 3]]` give, and which lists would give all the "
        "vectors that ids names? See {section}`warmup#picking`.",
        "Index with two tensors that broadcast: the indices of the sequences, (B, 1), and ids, (B, K). Or use "
        "`torch.gather` along axis 1. Its index has the shape of the result, (B, K, d).",
        "sequences = 0, 1, ..., B - 1 as a column of shape (B, 1)\nreturn x indexed with sequences and ids",
    ),
    "warmup.Scale": (
        "The module owns two tensors. An optimiser changes the first. It must not touch the second, but both are "
        "saved. What does PyTorch call each of them? See {section}`warmup#modules`.",
        "`nn.Parameter` makes a parameter of a tensor, here of d ones. `register_buffer` takes the buffer's name and a "
        "tensor that holds the whole number 0. In `forward`, `self.training` says whether the call counts.",
        "in __init__: gain is a parameter of d ones; seen is a buffer, a tensor of the whole number 0\n"
        "in forward:  if the module is in training mode, add 1 to seen\n"
        "             return x times gain",
    ),
    "warmup.fit_line": (
        "Which five things happen in each step, and in which order? Which of them uses the learning rate? See "
        "{section}`warmup#five-lines`.",
        "Make two tensors with `requires_grad=True`, in the float type of x, and give both to `torch.optim.SGD` with "
        "`lr=lr`. In each step: predict and compute the mean squared error, `zero_grad`, `backward`, `step`. At the "
        "end `.item()` turns a tensor into a float.",
        "slope and intercept: two tensors that require gradients\n"
        "optimizer = SGD of both, with the given lr\n"
        "repeat steps times:\n"
        "    loss = mean of the squares of (slope * x + intercept - y)\n"
        "    gradients to zero, backward, step\n"
        "return slope and intercept as floats",
    ),
    "warmup.vector_jacobian": (
        "`backward()` without an argument needs a loss of one number. What does the argument of `backward(v)` stand "
        "for, and why must it have the shape of f(x)? See {section}`warmup#vector-jacobian`.",
        "Work on `x.detach()`, a new tensor with the same numbers, and set its `requires_grad`. Then nothing is left "
        "behind in x. `torch.autograd.grad` takes the output, the leaf and the gradient that arrives; it returns a "
        "tuple of one gradient.",
        "leaf = x, detached, with gradients required\n"
        "output = f(leaf)\n"
        "return the gradient of output with respect to leaf, with v as the gradient that arrives",
    ),
}
