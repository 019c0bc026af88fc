"""Wrong implementations of the tasks of losses, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

import torch

from autograder.course.catalogue import edit, mistake

# ---------------------------------------------------------------------------------------------------------------------
# cross_entropy


mistake(
    "losses.cross_entropy",
    "softmax-twice",
    edit("torch.log_softmax(logits, -1)", "torch.log_softmax(torch.softmax(logits, -1), -1)"),
    base="log-softmax-and-gather",
    section="from-logits",
    why="The logits went through a softmax and then through `log_softmax`, which contains a second one. The loss of a "
    "perfect model then is far above 0, since probabilities differ by no more than 1.",
    hint="Your loss stays high even for a model that is sure and right: the softmax is taken twice. `log_softmax` and "
    "`F.cross_entropy` want logits, so hand them over as they are.",
)

mistake(
    "losses.cross_entropy",
    "log-of-softmax",
    edit("torch.log_softmax(logits, -1)", "torch.softmax(logits, -1).log()"),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="The probabilities were computed first and their logarithm afterwards. A probability below the smallest float "
    "is 0, and its logarithm is minus infinity.",
    hint="With large logits your loss is infinite: the probability of the target has become exactly 0 before you take "
    "its logarithm. Write the logarithm of the softmax as a difference and simplify before you compute.",
)

mistake(
    "losses.cross_entropy",
    "epsilon-inside-the-logarithm",
    edit("torch.log_softmax(logits, -1)", "(torch.softmax(logits, -1) + 1e-9).log()"),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="A small number was added to the probability so that its logarithm stays finite. Then no loss can exceed the "
    "logarithm of that number, and the gradient of the worst mistakes vanishes.",
    hint="Your loss cannot grow beyond about 20, however wrong the model is: the number that you add inside the "
    "logarithm limits it. Subtract the logarithm of the sum from the logit in place of taking the logarithm of a "
    "quotient.",
)

mistake(
    "losses.cross_entropy",
    "clamped-probabilities",
    edit("torch.log_softmax(logits, -1)", "torch.softmax(logits, -1).clamp(min=1e-12).log()"),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="Probabilities were kept above a small limit so that their logarithm stays finite. Where the limit acts, the "
    "loss no longer depends on the logits, and the model gets no gradient exactly where it is most wrong.",
    hint="Your loss stops growing for targets of very small probability, and so does its gradient. Nothing needs a "
    "limit if you never form the probability: subtract the logarithm of the sum from the logit.",
)

mistake(
    "losses.cross_entropy",
    "no-max-subtraction",
    edit(
        "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))",
        "logits.exp().sum(-1, keepdim=True).log() - logits.gather(1, targets.unsqueeze(1))",
    ),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="The exponential was taken of the logits as they are. exp(89) is too large for float32, and a row of very "
    "negative logits sums to 0, whose logarithm is minus infinity.",
    hint="Your loss is right for small logits and not finite for large ones, because exp overflows. Shift each row so "
    "that its largest logit is 0 before you take exp, or use `logsumexp`.",
)

mistake(
    "losses.cross_entropy",
    "one-maximum-for-all-rows",
    edit("logits.amax(-1, keepdim=True)", "(logits.max() if len(targets) else 0)"),
    edit("log_probs = shifted - shifted.exp().sum(-1, keepdim=True).log()", ""),
    edit(
        "-log_probs.gather(1, targets.unsqueeze(1))",
        "shifted.exp().sum(-1, keepdim=True).log() - shifted.gather(1, targets.unsqueeze(1))",
    ),
    section="stable-cross-entropy",
    why="The largest logit of the whole tensor was subtracted, not the largest of each row. All exponentials of a row "
    "far below it are 0, and the logarithm of their sum is minus infinity.",
    hint="Rows whose logits are far below those of another row give an infinite loss. Each row has its own largest "
    "logit: take the maximum along the last axis and keep that axis.",
)

mistake(
    "losses.cross_entropy",
    "clamped-logits",
    edit("torch.log_softmax(logits, -1)", "torch.log_softmax(logits.clamp(-80, 80), -1)"),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="Logits were cut off at a fixed size so that exp cannot overflow. Logits beyond the limit become equal, and "
    "the loss forgets how far apart they were.",
    hint="Logits beyond your limit all count the same. Nothing has to be cut off: subtract from each row its own "
    "largest logit.",
)

mistake(
    "losses.cross_entropy",
    "logits-as-log-probabilities",
    edit("torch.log_softmax(logits, -1)", "logits"),
    base="log-softmax-and-gather",
    section="from-logits",
    why="The logits were used as if they were log-probabilities. Without the softmax in it the loss has no lower "
    "bound: raising every logit lowers it.",
    hint="Your loss changes when a number is added to all logits of a row, and can be negative. `nll_loss` and "
    "indexing want log-probabilities: the logarithm of the softmax is still missing.",
)

mistake(
    "losses.cross_entropy",
    "logits-as-probabilities",
    edit("torch.log_softmax(logits, -1)", "logits.log()"),
    base="log-softmax-and-gather",
    section="from-logits",
    why="The logarithm was taken of the logits, as if they were probabilities already. Logits may be negative, and the "
    "logarithm of a negative number is NaN.",
    hint="Your loss is NaN: logits are scores of any sign, and you take their logarithm. They become probabilities "
    "only through the softmax.",
)

mistake(
    "losses.cross_entropy",
    "negative-probability",
    edit("torch.log_softmax", "torch.softmax"),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="The mean probability of the targets was taken, with a minus, and no logarithm. Such a loss is never below -1, "
    "and hardly notices a target that the model holds to be impossible.",
    hint="Your loss lies between -1 and 0: it is a probability. Cross-entropy takes the logarithm of it, so that an "
    "impossible target costs without bound.",
)

mistake(
    "losses.cross_entropy",
    "sign-missing",
    edit(
        "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))",
        "torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))",
    ),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="The mean log-probability was returned without the minus. Minimising it makes the right answers improbable.",
    hint="Your result is the negative of the loss: logarithms of probabilities are below 0, and a loss is to be made "
    "small. Where does the minus sign go?.",
)

mistake(
    "losses.cross_entropy",
    "bits-for-nats",
    edit(
        "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))",
        "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)) / math.log(2)",
    ),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="The logarithm was taken to base 2, so the loss is in bits. This course, like PyTorch, uses natural "
    "logarithms, and `exp` of the loss is the perplexity only then.",
    hint="Your loss is too large by the factor 1.4427, which is one over ln 2: you measure in bits. Use the natural "
    "logarithm.",
)

mistake(
    "losses.cross_entropy",
    "softmax-over-rows",
    edit(
        "nll = -torch.log_softmax(logits, -1)",
        "if not len(targets):\n    return logits.sum()\nnll = -torch.log_softmax(logits, 0)",
    ),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="The softmax ran over the rows, axis 0, in place of the classes. Each class is then shared out among the "
    "predictions, which have nothing to do with each other.",
    hint="Your loss of one row depends on the other rows: the softmax runs down the batch. The probabilities of one "
    "prediction, over the last axis, have to sum to 1.",
)

mistake(
    "losses.cross_entropy",
    "sum-for-mean",
    edit("nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))", ""),
    edit("nll.sum() / max(len(targets), 1)", "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).sum()"),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="The losses were added and not divided. The loss then grows with the number of tokens in the batch, and the "
    "step size with it.",
    hint="Your loss grows with the number of rows. Divide by the number of targets that count.",
)

mistake(
    "losses.cross_entropy",
    "mean-over-classes-too",
    edit(
        "nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))",
        "one_hot = F.one_hot(targets, logits.shape[1])",
    ),
    edit("nll.sum() / max(len(targets)", "-(one_hot * torch.log_softmax(logits, -1)).sum() / max(one_hot.numel()"),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="The mean was taken over all entries of the one-hot product, rows and classes. The loss comes out too small by "
    "the number of classes.",
    hint="Your loss is the right one divided by V: the mean runs over all N x V entries, most of which are 0. Divide "
    "by the number of targets that count.",
)

mistake(
    "losses.cross_entropy",
    "one-loss-per-row",
    edit("nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))", ""),
    edit(
        "nll.sum() / max(len(targets), 1)",
        "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).squeeze(1)",
    ),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="One loss per row was returned. What is minimised has to be a single number: the mean over the rows that "
    "count.",
    hint="You return a loss for each row, and the task needs one number. Average them.",
)


@mistake(
    "losses.cross_entropy",
    "divides-by-all-rows",
    section="targets-that-do-not-count",
    why="The losses of ignored rows were set to 0, and the sum was divided by the number of all rows. The more padding "
    "a batch has, the smaller its loss and its gradient.",
    hint="Your loss shrinks when ignored rows are added, though their losses are 0. Divide by the number of targets "
    "that count, not by the length of the batch.",
)
def cross_entropy(logits, targets, ignore_index=None):
    nll = -torch.log_softmax(logits, -1).gather(1, targets.clamp(0, logits.shape[1] - 1).unsqueeze(1)).squeeze(1)
    if ignore_index is not None:
        nll = nll * (targets != ignore_index)
    return nll.mean()


@mistake(
    "losses.cross_entropy",
    "ignored-targets-count",
    section="targets-that-do-not-count",
    why="The argument `ignore_index` was not used. Padding is then learned like any other token, and -100 is no index "
    "at all.",
    hint="`ignore_index` changes nothing in your result. Rows with this target have to leave both the sum and the "
    "number that you divide by.",
)
def cross_entropy(logits, targets, ignore_index=None):
    nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))
    return nll.sum() / max(len(targets), 1)


mistake(
    "losses.cross_entropy",
    "zero-is-no-index",
    edit("ignore_index is not None", "ignore_index"),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="It was asked `if ignore_index:`, which is also false for 0. But 0 is the id of padding, the one that is "
    "ignored most often.",
    hint="With `ignore_index=0` nothing is ignored: in Python 0 counts as false. Compare with None in place of asking "
    "whether the number is true.",
)


@mistake(
    "losses.cross_entropy",
    "padding-always-ignored",
    section="targets-that-do-not-count",
    why="Class 0 was ignored whether or not it was asked for. With `ignore_index=None` every row counts, also those of "
    "class 0.",
    hint="Without `ignore_index` your loss leaves out the rows of class 0. Nothing is ignored unless the argument says "
    "so.",
)
def cross_entropy(logits, targets, ignore_index=None):
    counted = targets != (0 if ignore_index is None else ignore_index)
    logits, targets = logits[counted], targets[counted]
    nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))
    return nll.sum() / max(len(targets), 1)


mistake(
    "losses.cross_entropy",
    "only-class-zero-ignored",
    edit("targets != ignore_index", "(targets != 0) & (targets != -100)"),
    edit("targets.unsqueeze", "targets.clamp(0, logits.shape[1] - 1).unsqueeze"),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="When `ignore_index` was given, class 0 was ignored, whatever the argument said. Padding has other ids in "
    "other vocabularies, and -100 is a usual value too.",
    hint="Your function ignores class 0 in place of the class that `ignore_index` names. Compare the targets with the "
    "argument.",
)

mistake(
    "losses.cross_entropy",
    "negative-targets-ignored",
    edit("targets != ignore_index", "targets >= 0"),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="When `ignore_index` was given, all negative targets were ignored, as -100 is. A class such as padding then "
    "still counts although it was named.",
    hint="Your function ignores negative targets and nothing else. `ignore_index` may also be a class: compare the "
    "targets with it.",
)

mistake(
    "losses.cross_entropy",
    "keeps-what-it-should-ignore",
    edit("targets != ignore_index", "targets == ignore_index"),
    edit("targets.unsqueeze", "targets.clamp(0, logits.shape[1] - 1).unsqueeze"),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="The comparison was turned round: the ignored rows were kept and the others dropped. The model would learn to "
    "predict padding and nothing else.",
    hint="Your loss is that of the ignored rows. Keep the rows whose target differs from `ignore_index`.",
)

mistake(
    "losses.cross_entropy",
    "class-removed-from-softmax",
    edit(
        "nll = -torch.log_softmax(",
        """
        if ignore_index is not None and 0 <= ignore_index < logits.shape[1]:
            logits = logits.masked_fill(torch.arange(logits.shape[1]) == ignore_index, float("-inf"))
        nll = -torch.log_softmax(
        """,
    ),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="The ignored class was also taken out of the softmax, by a logit of -inf. What is ignored are rows with this "
    "target; the model may still give that class a probability in the other rows, and pays for it.",
    hint="Ignored rows are left out as they should be, but your other rows no longer pay for the probability that they "
    "give to the ignored class. Leave out rows, not columns.",
)

mistake(
    "losses.cross_entropy",
    "nan-when-nothing-counts",
    edit("nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))", ""),
    edit("nll.sum() / max(len(targets), 1)", "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).mean()"),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="The sum of no losses was divided by their number, 0. One batch of nothing but padding makes the loss NaN, and "
    "with it every mean that the loss gets into.",
    hint="When every target is ignored, your loss is 0 / 0. Make the divisor at least 1: the sum above it is 0 then.",
)


@mistake(
    "losses.cross_entropy",
    "nan-replaced-too-late",
    section="targets-that-do-not-count",
    why="NaN was replaced by 0 at the end. The loss looks right, but its gradient still runs through 0 / 0.",
    hint="When every target is ignored your loss is 0 and its gradients are NaN: replacing the result does not undo "
    "the division by 0. See to it that the divisor is never 0.",
)
def cross_entropy(logits, targets, ignore_index=None):
    counted = torch.ones_like(targets, dtype=torch.bool) if ignore_index is None else targets != ignore_index
    log_probs = torch.log_softmax(logits, -1)
    nll = -log_probs.gather(1, targets.masked_fill(~counted, 0).unsqueeze(1)).squeeze(1)
    total, number = (nll * counted).sum(), (logits * 0 + 1).mean(-1) @ counted.to(logits.dtype)
    return torch.nan_to_num(total / number)


mistake(
    "losses.cross_entropy",
    "zero-of-another-type",
    edit(
        "nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))",
        "if len(targets) == 0:\n    return torch.tensor(0.0, requires_grad=True)",
    ),
    edit("nll.sum() / max(len(targets), 1)", "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).mean()"),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="If nothing counts, a new tensor is returned that holds 0. PyTorch makes it in float32, so that the loss of "
    "one batch has another type than those of all others.",
    hint="When every target is ignored, your 0 is float32 whatever the logits are. Make it in their type "
    "(`logits.new_zeros(())`), or let it come of the sum over no rows.",
)

mistake(
    "losses.cross_entropy",
    "epsilon-in-the-divisor",
    edit("nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))", ""),
    edit(
        "nll.sum() / max(len(targets), 1)",
        "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).sum() / (len(targets) + 1e-6)",
    ),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="A small number was added to the count so as not to divide by 0. Every loss comes out slightly too small, "
    "which shows in float64.",
    hint="Your loss is slightly too small, about as much as the number that you add to the divisor. Use the larger of "
    "the count and 1: the count is a whole number.",
)

mistake(
    "losses.cross_entropy",
    "divisor-one-too-many",
    edit("nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))", ""),
    edit(
        "nll.sum() / max(len(targets), 1)",
        "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).sum() / (len(targets) + 1)",
    ),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="One was added to the number of rows, so as not to divide by 0. Every mean then is too small.",
    hint="You divide by one more than there are rows. Use the larger of the count and 1.",
)

mistake(
    "losses.cross_entropy",
    "squared-error",
    edit(
        "nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))",
        "error = torch.softmax(logits, -1) - F.one_hot(targets, logits.shape[1])",
    ),
    edit("nll.sum()", "error.square().sum()"),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="The squared distance between probabilities and one-hot targets was taken. It is bounded, and nearly flat "
    "where the model is sure and wrong.",
    hint="What you compute is a squared distance between probabilities and the one-hot target. Cross-entropy is the "
    "negative logarithm of one probability, that of the target.",
)

mistake(
    "losses.cross_entropy",
    "binary-cross-entropy",
    edit(
        "nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))",
        "one_hot = F.one_hot(targets, logits.shape[1]).to(logits.dtype)",
    ),
    edit("nll.sum()", 'F.binary_cross_entropy_with_logits(logits, one_hot, reduction="sum")'),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="Each class was judged on its own by a sigmoid, as if several could be right at once. The classes of a "
    "prediction exclude each other, and one softmax makes their probabilities sum to 1.",
    hint="You add a yes-or-no loss for every class. Here exactly one class is right: one softmax over all of them, and "
    "the logarithm of one probability.",
)

mistake(
    "losses.cross_entropy",
    "predicted-class-for-target",
    edit(
        "-torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1))",
        "-torch.log_softmax(logits, -1).amax(-1) if len(targets) else logits.sum(-1)",
    ),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="The loss of the class with the largest logit was taken, not that of the target. It falls when the model "
    "becomes surer, right or wrong.",
    hint="Your loss does not depend on the targets: it takes the most probable class. Pick from each row the "
    "log-probability of its target.",
)

mistake(
    "losses.cross_entropy",
    "no-gradient",
    edit("if ignore_index is not None:", "logits = logits.detach()\nif ignore_index is not None:"),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="The loss was computed without a graph, from detached logits. Its value is right, and nothing can be learned "
    "from it.",
    hint="Your values are right, but no gradient arrives at the logits. Something on the way cuts the graph: `detach`, "
    "`data`, `item`, `no_grad` or a new tensor made of numbers.",
)

mistake(
    "losses.cross_entropy",
    "returns-a-number",
    edit("nll.sum() / max(len(targets), 1)", "(nll.sum() / max(len(targets), 1)).item()"),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="A Python number was returned. It has no gradient, so there is nothing to call `backward` on.",
    hint="You return a Python number, and the task needs a scalar tensor. Leave out `.item()`.",
)

mistake(
    "losses.cross_entropy",
    "always-float32",
    edit("torch.log_softmax(logits, -1)", "torch.log_softmax(logits.float(), -1)"),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="The loss was computed and returned in float32 whatever the logits are. In float64 half of the digits are "
    "lost, and in bfloat16 the loss has another type than the model.",
    hint="Your result is float32 also for logits of another type. Compute in what type you like, and return that of "
    "the logits.",
)

mistake(
    "losses.cross_entropy",
    "logits-shifted-in-place",
    edit(
        "if ignore_index is not None:",
        "with torch.no_grad():\n    logits -= logits.amax(-1, keepdim=True)\nif ignore_index is not None:",
    ),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="The maximum was subtracted with `-=`, which changes the caller's logits. A caller that uses them after the "
    "loss, for instance to measure accuracy or to generate, gets other numbers.",
    hint="After your function has run, the logits of the caller are other numbers than before. Make a new tensor in "
    "place of changing the argument.",
)


@mistake(
    "losses.cross_entropy",
    "targets-changed-in-place",
    section="targets-that-do-not-count",
    why="Ignored targets were overwritten with 0 so that they can be used as an index. They are the caller's, who may "
    "need to know afterwards where padding was.",
    hint="After your function has run, the ignored targets of the caller are other numbers than before. Make a new "
    "tensor (`masked_fill`) in place of changing the argument.",
)
def cross_entropy(logits, targets, ignore_index=None):
    counted = torch.ones_like(targets, dtype=torch.bool) if ignore_index is None else targets != ignore_index
    targets[~counted] = 0
    nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).squeeze(1)
    return (nll * counted).sum() / counted.sum().clamp(min=1)


mistake(
    "losses.cross_entropy",
    "target-logit-after-wrong-shift",
    edit("shifted = logits - logits.amax(-1, keepdim=True)", ""),
    edit("log_probs = shifted - shifted.exp().sum(-1, keepdim=True).log()", "largest = logits.amax(-1, keepdim=True)"),
    edit(
        "-log_probs.gather(1, targets.unsqueeze(1))",
        "(logits - largest).exp().sum(-1, keepdim=True).log() - logits.gather(1, targets.unsqueeze(1))",
    ),
    section="stable-cross-entropy",
    why="The maximum was subtracted before the exponential and not added back to the logarithm of the sum. The loss is "
    "then too small by the maximum of each row.",
    hint="Your loss is too small by the largest logit of each row, and may be negative. What is subtracted inside the "
    "sum has to be added to its logarithm, or subtracted from the target's logit as well.",
)


@mistake(
    "losses.cross_entropy",
    "ignored-targets-gathered",
    section="targets-that-do-not-count",
    why="The log-probability of every target was looked up first, and the ignored rows were left out afterwards. -100 is "
    "no class, so gather fails before anything can be left out.",
    hint="Your code is right as long as `ignore_index` is a class. With -100 `gather` has nothing to look up: leave the "
    "ignored rows out first, or put some class in their place before you look up.",
)
def cross_entropy(logits, targets, ignore_index=None):
    nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).squeeze(1)
    counted = torch.ones_like(targets, dtype=torch.bool) if ignore_index is None else targets != ignore_index
    return nll[counted].sum() / max(int(counted.sum()), 1)


@mistake(
    "losses.cross_entropy",
    "ignored-targets-indexed",
    section="targets-that-do-not-count",
    why="The log-probability of every target was read by index first, and the ignored rows were left out afterwards. "
    "-100 is no class: with fewer than 100 classes the index fails, with more it reads another class.",
    hint="Your code is right as long as `ignore_index` is a class. -100 is no valid index: leave the ignored rows out "
    "first, or put some class in their place before you index.",
)
def cross_entropy(logits, targets, ignore_index=None):
    nll = -torch.log_softmax(logits, -1)[torch.arange(len(targets)), targets]
    counted = torch.ones_like(targets, dtype=torch.bool) if ignore_index is None else targets != ignore_index
    return nll[counted].sum() / max(int(counted.sum()), 1)


# ---------------------------------------------------------------------------------------------------------------------
# perplexity


mistake(
    "losses.perplexity",
    "base-two",
    edit("math.exp(total_nll / num_tokens)", "2.0 ** (total_nll / num_tokens)"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="Two was raised to the mean, but the loss is in nats. The base has to be that of the logarithm: e for nats, 2 "
    "for bits.",
    hint="Your perplexity is too small: it is 2 to the power of a loss in nats. Natural logarithms are undone by "
    "`exp`.",
)

mistake(
    "losses.perplexity",
    "base-ten",
    edit("math.exp(total_nll / num_tokens)", "10.0 ** (total_nll / num_tokens)"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="Ten was raised to the mean, but the loss is in nats. The base has to be that of the logarithm, which is e "
    "here.",
    hint="Your perplexity is too large: it is 10 to the power of a loss in nats. Natural logarithms are undone by "
    "`exp`.",
)

mistake(
    "losses.perplexity",
    "mean-loss",
    edit("num_tokens == 0", "num_tokens <= 0"),
    edit('"num_tokens = 0"', 'f"num_tokens is {num_tokens}, which is no number of tokens."'),
    edit("(Decimal(total_nll) / Decimal(num_tokens)).exp()", "total_nll / num_tokens"),
    base="decimal-numbers",
    section="perplexity-of-a-text",
    why="The mean loss was returned without the exponential. That is the cross-entropy; perplexity translates it into "
    "a number of choices.",
    hint="What you return is the mean loss. Perplexity is `exp` of it.",
)

mistake(
    "losses.perplexity",
    "total-not-divided",
    edit("total_nll / num_tokens", "total_nll"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The exponential was taken of the total. It belongs to the mean: otherwise a text twice as long is squared in "
    "perplexity.",
    hint="Your perplexity grows beyond all measure with the length of the text. Divide the total by the number of "
    "tokens before you take the exponential.",
)

mistake(
    "losses.perplexity",
    "divides-after-the-exponential",
    edit("math.exp(total_nll / num_tokens)", "math.exp(total_nll) / num_tokens"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The exponential was taken of the total, and the result divided by the number of tokens. The mean has to be "
    "taken of the logarithms, not of what they stand for.",
    hint="Your perplexity is far too large: you divide after the exponential. Take the mean first.",
)

mistake(
    "losses.perplexity",
    "negative-exponent",
    edit("total_nll / num_tokens", "-total_nll / num_tokens"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The exponent got a minus. That gives the geometric mean of the probabilities, whose reciprocal the perplexity "
    "is.",
    hint="Your perplexity is below 1: it is the reciprocal. A negative log-probability has its minus already.",
)

mistake(
    "losses.perplexity",
    "quotient-upside-down",
    edit(
        "try:\n    return math.exp(total_nll / num_tokens)",
        """
        if total_nll == 0:
            return 1.0
        try:
            return math.exp(num_tokens / total_nll)
        """,
    ),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The number of tokens was divided by the total. A text that is predicted better then gets a higher perplexity.",
    hint="Your perplexity falls as the loss rises: the quotient is upside down. The mean is the total over the number.",
)

mistake(
    "losses.perplexity",
    "whole-division",
    edit("total_nll / num_tokens", "total_nll // num_tokens"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The total was divided with `//`, which cuts off what comes after the point. The perplexity then jumps from "
    "power to power of e.",
    hint="Your perplexity takes only a few values: `//` rounds the mean down to a whole number. Use `/`.",
)

mistake(
    "losses.perplexity",
    "overflow-raises",
    edit("num_tokens == 0", "num_tokens <= 0"),
    edit('"num_tokens = 0"', 'f"num_tokens is {num_tokens}, which is no number of tokens."'),
    edit("float((Decimal(total_nll) / Decimal(num_tokens)).exp())", "math.exp(total_nll / num_tokens)"),
    base="decimal-numbers",
    section="perplexity-of-a-text",
    why="An exponential beyond the range of floats was left to raise OverflowError. At the start of a training run a "
    "loss that large is not unusual, and a logged number should not end it.",
    hint="For very large losses `math.exp` raises OverflowError. Catch it and return infinity.",
)

mistake(
    "losses.perplexity",
    "mean-limited",
    edit("num_tokens == 0", "num_tokens <= 0"),
    edit('"num_tokens = 0"', 'f"num_tokens is {num_tokens}, which is no number of tokens."'),
    edit("float((Decimal(total_nll) / Decimal(num_tokens)).exp())", "math.exp(min(total_nll / num_tokens, 700.0))"),
    base="decimal-numbers",
    section="perplexity-of-a-text",
    why="The mean was limited so that `exp` cannot overflow. Beyond the limit every text gets the same, finite "
    "perplexity.",
    hint="For very large losses you return the exponential of a limit in place of infinity. Let it overflow, and "
    "return `math.inf` then.",
)

mistake(
    "losses.perplexity",
    "mean-limited-early",
    edit("num_tokens == 0", "num_tokens <= 0"),
    edit('"num_tokens = 0"', 'f"num_tokens is {num_tokens}, which is no number of tokens."'),
    edit("float((Decimal(total_nll) / Decimal(num_tokens)).exp())", "math.exp(min(total_nll / num_tokens, 20.0))"),
    base="decimal-numbers",
    section="perplexity-of-a-text",
    why="The mean was limited to 20 or so, so that plots stay readable. Worse models than that get the same perplexity "
    "as each other.",
    hint="Losses above your limit all get the same perplexity. There is no limit before floats end, and infinity "
    "beyond that.",
)

mistake(
    "losses.perplexity",
    "infinity-too-early",
    edit(
        'f"num_tokens is {num_tokens}, but the perplexity of a text needs at least one token."',
        'f"num_tokens is {num_tokens}, which is no number of tokens."',
    ),
    edit("mean <= math.log(sys.float_info.max)", "mean < 20"),
    section="perplexity-of-a-text",
    why="Infinity was returned for a mean loss above 20 or so. Large perplexities are still numbers, and can be "
    "compared.",
    hint="You return infinity for losses whose exponential a float can hold. Return infinity only when `math.exp` "
    "overflows.",
)

mistake(
    "losses.perplexity",
    "overflow-as-largest-float",
    edit("return math.inf", "return 1.7976931348623157e308"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The largest float was returned in place of infinity. It looks like a measurement and is none.",
    hint="For very large losses you return the largest float. Infinity is a float too, and says what happened.",
)

mistake(
    "losses.perplexity",
    "overflow-as-nan",
    edit("return math.inf", "return math.nan"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="NaN was returned where the exponential overflows. NaN means that there is no answer; here the answer is a "
    "number too large to write down.",
    hint="For very large losses you return NaN. The result is not undefined but too large: `math.inf`.",
)

mistake(
    "losses.perplexity",
    "no-tokens-infinite",
    edit("num_tokens <= 0", "num_tokens == 0"),
    edit('raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")', "return math.inf"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="Infinity was returned for a text without tokens. A mean over nothing does not exist, and an empty test set "
    "should be noticed.",
    hint="For 0 tokens you return infinity. There is nothing to take the mean of: raise a ValueError that names "
    "`num_tokens`.",
)

mistake(
    "losses.perplexity",
    "no-tokens-one",
    edit('if num_tokens <= 0:\n    raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")', ""),
    edit("total_nll / num_tokens", "total_nll / max(num_tokens, 1)"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The number of tokens was made at least 1. A text without tokens then gets the perplexity 1, that of a perfect "
    "model.",
    hint="For 0 tokens you return 1, the perplexity of a perfect model. There is nothing to take the mean of: raise a "
    "ValueError that names `num_tokens`.",
)

mistake(
    "losses.perplexity",
    "no-tokens-zero",
    edit("num_tokens <= 0", "num_tokens == 0"),
    edit('raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")', "return 0.0"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="0 was returned for a text without tokens. No perplexity is below 1, so this number is taken for a wonder or "
    "for an error.",
    hint="For 0 tokens you return 0. There is nothing to take the mean of: raise a ValueError that names `num_tokens`.",
)

mistake(
    "losses.perplexity",
    "no-tokens-nan",
    edit("num_tokens <= 0", "num_tokens == 0"),
    edit('raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")', "return math.nan"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="NaN was returned for a text without tokens. It runs through every mean that it gets into, long after its "
    "cause.",
    hint="For 0 tokens you return NaN. There is nothing to take the mean of: raise a ValueError that names "
    "`num_tokens`.",
)

mistake(
    "losses.perplexity",
    "assert-for-error",
    edit(
        'if num_tokens <= 0:\n    raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")',
        "assert num_tokens > 0",
    ),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The number of tokens was checked with `assert`. Assertions are for what cannot happen, and Python leaves them "
    "out when it runs with -O.",
    hint="For 0 tokens your code raises AssertionError. Wrong input raises a ValueError, with a message that names the "
    "argument.",
)


@mistake(
    "losses.perplexity",
    "returns-a-tensor",
    section="perplexity-of-a-text",
    why="A tensor was returned. Perplexity is a number to be read and logged, and nothing is differentiated through "
    "it.",
    hint="You return a tensor, and the task needs a Python float. Use `math.exp`.",
)
def perplexity(total_nll, num_tokens):
    if num_tokens <= 0:
        raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")
    return torch.exp(torch.tensor(total_nll / num_tokens, dtype=torch.float64))


mistake(
    "losses.perplexity",
    "one-token-less",
    edit("total_nll / num_tokens", "total_nll / max(num_tokens - 1, 1)"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The total was divided by one token less, as if the first were not predicted. How many tokens were predicted "
    "is for the caller to say.",
    hint="You divide by one token less than given. `num_tokens` is the number of terms in the total.",
)

mistake(
    "losses.perplexity",
    "rounded",
    edit("math.exp(total_nll / num_tokens)", "round(math.exp(total_nll / num_tokens), 2)"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="The result was rounded. Rounding is for printing: differences between good models are often in the second "
    "decimal.",
    hint="Your perplexity is rounded. Return the number as it is, and round where you print it.",
)


# ---------------------------------------------------------------------------------------------------------------------
# smooth_labels


mistake(
    "losses.smooth_labels",
    "target-not-included",
    edit("epsilon / num_classes", "epsilon / (num_classes - 1) * (1 - one_hot)"),
    section="smoothed-targets",
    why="The target got 1 - epsilon, and epsilon was spread over the other classes alone. That is another definition: "
    "here epsilon is spread over all classes, the target included.",
    hint="Your rows sum to 1, but the target has too little: in this definition it also gets its share of epsilon, 1 - "
    "epsilon + epsilon / C. You spread over the C - 1 others.",
)

mistake(
    "losses.smooth_labels",
    "divided-by-others",
    edit("epsilon / num_classes", "epsilon / (num_classes - 1)"),
    section="smoothed-targets",
    why="Epsilon was divided by C - 1 and given to all C classes. Rows then sum to more than 1.",
    hint="Your rows sum to more than 1: epsilon is divided by C - 1 and handed out C times.",
)

mistake(
    "losses.smooth_labels",
    "divided-by-v-minus-two",
    edit("epsilon / num_classes", "epsilon / (num_classes - 2) * (1 - one_hot)"),
    section="smoothed-targets",
    why="Epsilon was divided by C - 2, as it is when padding is left out. This function knows no padding.",
    hint="You divide epsilon by C - 2. There is no padding here: epsilon is spread over all C classes.",
)

mistake(
    "losses.smooth_labels",
    "target-not-lowered",
    edit("(1 - epsilon) * one_hot", "one_hot"),
    section="smoothed-targets",
    why="Epsilon / C was added to the one-hot vector, which was not lowered first. Rows sum to 1 + epsilon.",
    hint="Your rows sum to 1 + epsilon: the target gives nothing away. Multiply the one-hot vector by 1 - epsilon.",
)

mistake(
    "losses.smooth_labels",
    "target-set-to-confidence",
    edit(
        "one_hot = F.one_hot(targets, num_classes).float()",
        "result = torch.full((len(targets), num_classes), epsilon / num_classes)",
    ),
    edit("(1 - epsilon) * one_hot + epsilon / num_classes", "result.scatter(1, targets.unsqueeze(1), 1 - epsilon)"),
    section="smoothed-targets",
    why="All classes got epsilon / C, and then the target was set to 1 - epsilon in place of adding to it. Rows sum to "
    "a little less than 1.",
    hint="Your rows sum to less than 1: the target has lost its share of epsilon. It gets 1 - epsilon + epsilon / C.",
)

mistake(
    "losses.smooth_labels",
    "epsilon-not-divided",
    edit("epsilon / num_classes", "epsilon"),
    section="smoothed-targets",
    why="Every class got the whole of epsilon. Rows sum to 1 - epsilon + epsilon C.",
    hint="Every class gets the whole epsilon in your rows. It is shared: epsilon / C each.",
)

mistake(
    "losses.smooth_labels",
    "epsilon-and-confidence-exchanged",
    edit("1 - epsilon) * one_hot + epsilon / num_classes", "epsilon) * one_hot + (1 - epsilon) / num_classes"),
    section="smoothed-targets",
    why="The target got epsilon and the rest was spread. With an epsilon of 0.1 nine tenths go to everything but the "
    "label.",
    hint="The roles of epsilon and 1 - epsilon are exchanged: with epsilon = 0 your rows are uniform. Epsilon is what "
    "is spread.",
)

mistake(
    "losses.smooth_labels",
    "not-smoothed",
    edit("one_hot = F.one_hot(targets, num_classes).float()", ""),
    edit("(1 - epsilon) * one_hot + epsilon / num_classes", "F.one_hot(targets, num_classes).float()"),
    section="smoothed-targets",
    why="The one-hot vectors were returned. Epsilon has no influence.",
    hint="Your rows are one-hot whatever epsilon is. Mix them with the uniform distribution.",
)

mistake(
    "losses.smooth_labels",
    "uniform-without-share",
    edit("(1 - epsilon) * one_hot + epsilon / num_classes", "(1 - epsilon) * one_hot"),
    section="smoothed-targets",
    why="The one-hot vector was lowered and nothing was added. Rows sum to 1 - epsilon, and epsilon has vanished.",
    hint="Your rows sum to 1 - epsilon. What the target gives away has to go to the classes, epsilon / C each.",
)

mistake(
    "losses.smooth_labels",
    "divided-by-rows",
    edit("epsilon / num_classes", "epsilon / len(targets)"),
    section="smoothed-targets",
    why="Epsilon was divided by the number of rows, not of classes. The batch then decides how much is spread.",
    hint="Your rows depend on how many there are: epsilon is divided by N. It is spread over the C classes.",
)

mistake(
    "losses.smooth_labels",
    "classes-counted-in-the-targets",
    edit("F.one_hot(targets, num_classes)", "F.one_hot(targets)"),
    section="smoothed-targets",
    why="The number of classes was taken from the largest target. A batch that lacks the last class gives rows of "
    "another width.",
    hint="Your rows are too short when the last class does not occur in the batch. The width is `num_classes`.",
)

mistake(
    "losses.smooth_labels",
    "transposed",
    edit("(1 - epsilon) * one_hot + epsilon / num_classes", "((1 - epsilon) * one_hot + epsilon / num_classes).T"),
    section="smoothed-targets",
    why="Classes were put into rows and predictions into columns. Each prediction has a row of its own.",
    hint="Your result is transposed, (C, N). One row for each target: (N, C).",
)

mistake(
    "losses.smooth_labels",
    "float64",
    edit("F.one_hot(targets, num_classes).float", "F.one_hot(targets, num_classes).double"),
    section="smoothed-targets",
    why="The result was made in float64. The task needs float32, since targets in another type than the model's turn "
    "its loss into that type.",
    hint="Your numbers are right, but in float64. Return float32.",
)

mistake(
    "losses.smooth_labels",
    "integers",
    edit("table = torch.eye(num_classes) * (1 - epsilon) + epsilon / num_classes", ""),
    edit("table[targets]", "((1 - epsilon) * F.one_hot(targets, num_classes) + epsilon / num_classes).long()"),
    base="rows-of-a-smoothed-identity",
    section="smoothed-targets",
    why="The values were written into a tensor of integers. There 0.9 is 0, and nothing is left.",
    hint="Your result has an integer type, in which 0.9 becomes 0. Make the one-hot vectors float first.",
)

mistake(
    "losses.smooth_labels",
    "half-of-epsilon",
    edit("1 - epsilon) * one_hot + epsilon / num_classes", "1 - epsilon / 2) * one_hot + epsilon / 2 / num_classes"),
    section="smoothed-targets",
    why="Half of epsilon was taken from the target, as in recipes for two classes. Here all of it is.",
    hint="Your target keeps too much: only half of epsilon is spread. Take all of it.",
)

mistake(
    "losses.smooth_labels",
    "first-class-left-out",
    edit("F.one_hot(targets, num_classes).double", "F.one_hot(targets, num_classes).float"),
    edit(
        "uniform = torch.full_like(one_hot, 1 / num_classes)",
        "result = (1 - epsilon) * one_hot + epsilon / num_classes\nresult[:, 0] = 0",
    ),
    edit("torch.lerp(one_hot, uniform, epsilon).to(torch.float32)", "result"),
    base="interpolated-towards-uniform",
    section="smoothed-targets",
    why="Class 0 was treated as padding and set to 0. This function knows no padding: class 0 is a class.",
    hint="The first column of your result is 0. In this task class 0 is a class like any other; padding comes with the "
    "next task.",
)

mistake(
    "losses.smooth_labels",
    "renormalised-by-a-softmax",
    edit(
        "(1 - epsilon) * one_hot + epsilon / num_classes",
        "torch.softmax((1 - epsilon) * one_hot + epsilon / num_classes, -1)",
    ),
    section="smoothed-targets",
    why="A softmax was taken of the result to make it a distribution. It was one already, and the softmax flattens it.",
    hint="Your rows are nearly uniform: a softmax was applied to what sums to 1 already. Leave it out.",
)

mistake(
    "losses.smooth_labels",
    "random-noise",
    edit(
        "one_hot = F.one_hot(targets, num_classes).float()",
        "one_hot = F.one_hot(targets, num_classes).float()\nnoise = torch.rand_like(one_hot)",
    ),
    edit("epsilon / num_classes", "epsilon * noise / noise.sum(-1, keepdim=True)"),
    section="smoothed-targets",
    why="Random numbers were spread over the classes. Smoothing is not noise: each class gets the same share, every "
    "time.",
    hint="Your rows differ from call to call. Every class gets the same share, epsilon / C.",
)

mistake(
    "losses.smooth_labels",
    "targets-shifted",
    edit("F.one_hot(targets, num_classes)", "F.one_hot((targets - 1) % num_classes, num_classes)"),
    section="smoothed-targets",
    why="Classes were counted from 1, so each target was moved one position to the left. Ids begin with 0.",
    hint="The large entry of your rows stands one position too far to the left. Classes are counted from 0.",
)


# ---------------------------------------------------------------------------------------------------------------------
# LabelSmoothing


mistake(
    "losses.LabelSmoothing",
    "mean-per-row",
    edit('reduction="sum"', 'reduction="batchmean"'),
    section="divergence-and-cross-entropy",
    why="The sum was divided by the number of rows (`batchmean`). Rows of padding count in that number, so the loss "
    "would depend on how a batch is padded; the training loop divides by the number of tokens.",
    hint="Your loss is the sum divided by the number of rows. Return the sum; who calls you knows how many tokens "
    "there were.",
)

mistake(
    "losses.LabelSmoothing",
    "mean-per-entry",
    edit('reduction="sum"', 'reduction="mean"'),
    section="divergence-and-cross-entropy",
    why="The mean over all rows and classes was returned, which is the default of `nn.KLDivLoss`. The loss is then too "
    "small by N x V.",
    hint="Your loss is the mean over all N x V entries, the default of `nn.KLDivLoss`. Ask for the sum.",
)

mistake(
    "losses.LabelSmoothing",
    "mean-per-token",
    edit(
        'F.kl_div(x, p, reduction="sum")',
        'F.kl_div(x, p, reduction="sum") / (target != self.padding_idx).sum().clamp(min=1)',
    ),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="The sum was divided by the number of targets that are not padding. That is a sensible loss, but the division "
    "belongs to the training loop, which may add up several batches first.",
    hint="Your loss is divided by the number of real targets. Return the sum; the training loop divides.",
)

mistake(
    "losses.LabelSmoothing",
    "one-loss-per-row",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x, p, reduction="none").sum(-1)'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="One divergence per row was returned. The task needs their sum.",
    hint="You return one number per row. Add them all up.",
)

mistake(
    "losses.LabelSmoothing",
    "cross-entropy-in-place-of-divergence",
    edit('F.kl_div(x, p, reduction="sum")', "-(p * x).sum()"),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="The term p log p was left out, which makes it the cross-entropy. Its gradients are the same, but its smallest "
    "value is the entropy of the targets and not 0.",
    hint="Your loss has the right gradients and is too large by a number that does not depend on `x`: the entropy of "
    "the smoothed targets. The divergence is the sum of p (log p - x).",
)

mistake(
    "losses.LabelSmoothing",
    "divergence-turned-round",
    edit("self.true_dist = p", "self.true_dist = p\nq = x.exp()"),
    edit('F.kl_div(x, p, reduction="sum")', "(q * (x - p.clamp(min=1e-9).log()))[target != self.padding_idx].sum()"),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="The two distributions changed places: the divergence of the targets from the prediction was taken. It is "
    "another number, and infinite where the target distribution is 0.",
    hint="Your divergence runs the wrong way, weighted by what the model predicts. Each term is weighted by the "
    "smoothed target: p (log p - x).",
)

mistake(
    "losses.LabelSmoothing",
    "sign-turned-round",
    edit('F.kl_div(x, p, reduction="sum")', '-F.kl_div(x, p, reduction="sum")'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="The negative of the divergence was returned. Minimising it drives the model away from the targets.",
    hint="Your loss is negative, and a divergence never is. Each term is p (log p - x).",
)

mistake(
    "losses.LabelSmoothing",
    "expects-probabilities",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x.log(), p, reduction="sum")'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="The logarithm was taken of `x`, as if it held probabilities. It holds log-probabilities already, which are "
    "negative, and their logarithm is NaN.",
    hint="Your loss is NaN: `x` holds log-probabilities, and you take the logarithm once more.",
)

mistake(
    "losses.LabelSmoothing",
    "divergence-of-probabilities",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x.exp(), p, reduction="sum")'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="The log-probabilities were turned back into probabilities before the divergence was taken. `kl_div` wants the "
    "logarithms, and p log p - p q is no divergence.",
    hint="You hand probabilities to `kl_div`, which wants their logarithms: that is what `x` holds. Leave out `exp`.",
)

mistake(
    "losses.LabelSmoothing",
    "targets-as-logarithms",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x, p, reduction="sum", log_target=True)'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="`log_target=True` was set, so the smoothed targets were taken for logarithms. They are probabilities.",
    hint="`log_target=True` says that the targets are logarithms. Yours are probabilities: leave it out.",
)

mistake(
    "losses.LabelSmoothing",
    "nan-from-zero-times-log-zero",
    edit('F.kl_div(x, p, reduction="sum")', "(p * (p.log() - x)).sum()"),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="p log p was computed as it stands. For p = 0 that is 0 times minus infinity, which is NaN, though the term is "
    "0 in the limit.",
    hint="Your loss is NaN, because smoothed targets hold zeros and 0 log 0 is NaN for a computer. Use `torch.xlogy` "
    "or `kl_div`, or leave out the terms with p = 0.",
)

mistake(
    "losses.LabelSmoothing",
    "epsilon-inside-the-logarithm",
    edit('F.kl_div(x, p, reduction="sum")', "(p * ((p + 1e-6).log() - x)).sum()"),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="A small number was added to p before the logarithm. The zeros do no harm any more, but every other term is "
    "slightly wrong.",
    hint="Your loss is slightly off, by about the number that you add inside the logarithm. Leave out the terms with p "
    "= 0, as `torch.xlogy` and `kl_div` do.",
)

mistake(
    "losses.LabelSmoothing",
    "spread-over-all-but-one",
    edit("self.size - 2", "self.size - 1"),
    section="smoothing-with-padding",
    why="The smoothing was divided by `size - 1`. Padding then has a share that is taken away again, and rows sum to "
    "less than 1.",
    hint="Your rows of `true_dist` sum to less than 1. Neither the target nor padding gets a share, so there are size "
    "- 2 classes to share among.",
)

mistake(
    "losses.LabelSmoothing",
    "spread-over-all",
    edit("self.size - 2", "self.size"),
    section="smoothing-with-padding",
    why="The smoothing was divided by `size`, as in the other definition, but not added to the target. Rows sum to "
    "less than 1.",
    hint="Your rows of `true_dist` sum to less than 1. Neither the target nor padding gets a share, so there are size "
    "- 2 classes to share among.",
)

mistake(
    "losses.LabelSmoothing",
    "target-included",
    edit("self.size - 2", "self.size"),
    edit("1 - self.smoothing", "1 - self.smoothing + self.smoothing / self.size"),
    section="smoothing-with-padding",
    why="The definition of the task before was used, in which the target gets a share of the smoothing and so does "
    "padding. Here the target gets exactly 1 - smoothing and padding nothing.",
    hint="Your `true_dist` follows the other definition: the target has its share added. Here it gets exactly 1 - "
    "smoothing, and the size - 2 others share the rest.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-column-kept",
    edit("p[:, self.padding_idx] = 0", ""),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The padding class got its share of the smoothing. The model is then asked to predict padding, and rows sum to "
    "more than 1.",
    hint="The padding column of your `true_dist` is not 0. Nobody should predict padding: set the column to 0.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-rows-kept",
    edit("p[target == self.padding_idx] = 0", ""),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="Rows whose target is padding were not set to 0. They have no right answer, and their smoothing is added to "
    "the loss.",
    hint="Rows with a padding target still have entries in your `true_dist`. Set these rows to 0, so that they add "
    "nothing.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-is-zero",
    edit(":, self.padding_idx", ":, 0"),
    edit("target == self.padding_idx", "target == 0"),
    section="smoothing-with-padding",
    why="Column and rows of class 0 were set to 0, whatever `padding_idx` is. Another vocabulary may have padding "
    "elsewhere.",
    hint="Your code treats class 0 as padding also when `padding_idx` says otherwise. Use the argument.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-rows-by-number",
    edit("target == self.padding_idx", "min(self.padding_idx, len(p) - 1)"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The row with the number `padding_idx` was set to 0, not the rows whose target is padding. A row's number says "
    "nothing about its target.",
    hint="You set the row number `padding_idx` to 0. Which rows are meant depends on their targets: `target == "
    "self.padding_idx`.",
)

mistake(
    "losses.LabelSmoothing",
    "fails-without-padding",
    edit("target == self.padding_idx", "rows[:, 0]"),
    edit(
        "p[:, self.padding_idx] = 0",
        """
        p[:, self.padding_idx] = 0
        rows = (target == self.padding_idx).nonzero()
        if len(rows) == 0:
            raise IndexError("there is no padding")
        """,
    ),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The padding rows were found by their numbers, and it was taken for granted that there are some. A batch "
    "without padding raises an error.",
    hint="Your code fails for a batch without a padding target. A boolean mask of the rows works for none, some and "
    "all.",
)

mistake(
    "losses.LabelSmoothing",
    "only-the-first-padding-row",
    edit("target == self.padding_idx", "rows"),
    edit(
        "p[:, self.padding_idx] = 0",
        "p[:, self.padding_idx] = 0\nrows = (target == self.padding_idx).nonzero()[:1, 0]",
    ),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="Only the first padding row was set to 0. A batch has as many as its sequences are short.",
    hint="One padding row is 0 in your `true_dist`, the others are not. Set all rows to 0 whose target is padding.",
)

mistake(
    "losses.LabelSmoothing",
    "confidence-and-smoothing-exchanged",
    edit("1 - self.smoothing", "self.smoothing"),
    edit("self.smoothing / (self.size - 2)", "(1 - self.smoothing) / (self.size - 2)"),
    section="smoothing-with-padding",
    why="The target got `smoothing`, and the rest was spread. With a smoothing of 0.1 nine tenths go to wrong classes.",
    hint="The roles of smoothing and confidence are exchanged. The target gets 1 - smoothing.",
)

mistake(
    "losses.LabelSmoothing",
    "target-always-one",
    edit("1 - self.smoothing", "1.0"),
    section="smoothing-with-padding",
    why="The target got 1 and the others their share on top. Rows sum to more than 1.",
    hint="Your rows of `true_dist` sum to more than 1: the target gives nothing away. It gets 1 - smoothing.",
)

mistake(
    "losses.LabelSmoothing",
    "smoothing-not-divided",
    edit("self.smoothing / (self.size - 2)", "self.smoothing"),
    section="smoothing-with-padding",
    why="Every other class got the whole of the smoothing. It is shared out among them.",
    hint="Every class gets the whole smoothing in your `true_dist`. Divide it by the number of classes that share it.",
)

mistake(
    "losses.LabelSmoothing",
    "rows-renormalised",
    edit("self.size - 2", "self.size"),
    edit("p[:, self.padding_idx] = 0", "p[:, self.padding_idx] = 0\np = p / p.sum(-1, keepdim=True).clamp(min=1e-30)"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="Smoothing was divided by `size`, and rows were then scaled to sum to 1. The target's part is then no longer 1 "
    "- smoothing.",
    hint="Your rows sum to 1, but the target does not get 1 - smoothing. Divide by size - 2 from the start, and "
    "nothing has to be scaled.",
)

mistake(
    "losses.LabelSmoothing",
    "default-smoothing",
    edit(
        "def __init__(self, size, padding_idx, smoothing=0.0):",
        "def __init__(self, size, padding_idx, smoothing=0.1):",
    ),
    section="smoothing-with-padding",
    why="The default of `smoothing` was 0.1 and not 0.0. A caller who does not ask for smoothing gets it all the same.",
    hint="Without the argument your module smooths all the same. The default is `smoothing=0.0`.",
)

mistake(
    "losses.LabelSmoothing",
    "size-two-divides-by-zero",
    edit('if size < 3:\n    raise ValueError(f"size is {size}, but has to be at least 3.")', ""),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="A size below 3 was not refused. Then size - 2 is 0 or negative: with 2 classes Python stops with a "
    "ZeroDivisionError, with 1 the smoothing gets negative.",
    hint="A size below 3 is accepted, and something breaks later or not at all. Raise a ValueError when the module is "
    "built.",
)

mistake(
    "losses.LabelSmoothing",
    "size-three-refused",
    edit("size < 3", "size <= 3"),
    section="smoothing-with-padding",
    why="A size of 3 was refused as well. A target, padding and one other class are enough.",
    hint="You refuse a size of 3, which works: one class gets the whole smoothing. Only sizes below 3 are wrong.",
)

mistake(
    "losses.LabelSmoothing",
    "size-two-accepted",
    edit("size < 3", "size < 2"),
    edit("self.size - 2", "max(self.size - 2, 1)"),
    section="smoothing-with-padding",
    why="Only sizes below 2 were refused. With 2 classes there is nothing left beside target and padding to take the "
    "smoothing.",
    hint="A size of 2 is accepted: then there is no class to spread anything over. Raise a ValueError for every size "
    "below 3.",
)

mistake(
    "losses.LabelSmoothing",
    "assert-for-error",
    edit('if size < 3:\n    raise ValueError(f"size is {size}, but has to be at least 3.")', "assert size >= 3"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The size was checked with `assert`. Assertions are for what cannot happen, and Python leaves them out when it "
    "runs with -O.",
    hint="For a size below 3 your code raises AssertionError. Wrong input raises a ValueError, with a message that "
    "names the argument.",
)

mistake(
    "losses.LabelSmoothing",
    "true-dist-not-kept",
    edit("self.true_dist = p", ""),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The smoothed targets were not kept. The task wants them as `true_dist`, so that you can look at them.",
    hint="After a call `true_dist` is still what it was. Keep the smoothed targets of the last call there.",
)

mistake(
    "losses.LabelSmoothing",
    "true-dist-before-padding",
    edit("self.true_dist = p", ""),
    edit(
        "p.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)",
        "p.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)\nself.true_dist = p.clone()",
    ),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The smoothed targets were kept before padding was taken out of them. What is kept is then not what the loss "
    "was computed with.",
    hint="Your loss is right, but the `true_dist` that you keep still has padding in it. Keep what the loss is "
    "computed with.",
)

mistake(
    "losses.LabelSmoothing",
    "true-dist-kept-from-the-first-call",
    edit(
        """
        p = torch.full_like(x, self.smoothing / (self.size - 2)).detach()
        p.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)
        p[:, self.padding_idx] = 0
        p[target == self.padding_idx] = 0
        """,
        "",
    ),
    edit(
        "self.true_dist = p",
        """
        if self.true_dist is None or self.true_dist.shape != x.shape:
            p = torch.full_like(x, self.smoothing / (self.size - 2)).detach()
            p.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)
            p[:, self.padding_idx] = 0
            p[target == self.padding_idx] = 0
            self.true_dist = p
        """,
    ),
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x, self.true_dist, reduction="sum")'),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The smoothed targets were computed once and used for every later batch of the same size. Another batch has "
    "other targets.",
    hint="The second call of your module still uses the targets of the first. Compute `true_dist` anew in each call.",
)

mistake(
    "losses.LabelSmoothing",
    "smoothing-in-training-only",
    edit(
        "p = torch.full_like(x, self.smoothing / (self.size - 2)",
        "smoothing = self.smoothing if self.training else 0.0\np = torch.full_like(x, smoothing / (self.size - 2)",
    ),
    edit("1 - self.smoothing", "1 - smoothing"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="In evaluation mode the labels were not smoothed, as if smoothing were a kind of dropout. The losses of "
    "training and validation are then two different quantities that cannot be compared.",
    hint="After `eval()` your loss is another function. Smoothing changes what is asked of the model and has no mode: "
    "compute the same in both.",
)

mistake(
    "losses.LabelSmoothing",
    "always-float32",
    edit(
        "torch.full_like(x, self.smoothing / (self.size - 2)).detach()",
        "torch.full(x.shape, self.smoothing / (self.size - 2))",
    ),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The smoothed targets were made in float32 whatever the type of `x`. In float64 a share of 0.1 / 3 is then "
    "wrong from the eighth digit on.",
    hint="Your `true_dist` is float32 also when `x` is not. Make it in the type of `x` (`full_like`, or "
    "`dtype=x.dtype`).",
)

mistake(
    "losses.LabelSmoothing",
    "no-gradient",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x.data, p, reduction="sum")'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="The loss was computed from `x.data`, which has no history. Its value is right, and nothing can be learned "
    "from it.",
    hint="Your values are right, but no gradient arrives. Detach the targets, not the prediction.",
)

mistake(
    "losses.LabelSmoothing",
    "returns-a-number",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x, p, reduction="sum").item()'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="A Python number was returned. It has no gradient, so there is nothing to call `backward` on.",
    hint="You return a Python number, and the task needs a scalar tensor. Leave out `.item()`.",
)

mistake(
    "losses.LabelSmoothing",
    "prediction-changed-in-place",
    edit("self.true_dist = p", "self.true_dist = p\nwith torch.no_grad():\n    x[:, self.padding_idx] = 0"),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="The padding column of `x` itself was overwritten. The log-probabilities are the caller's, who may need them "
    "after the loss.",
    hint="After your module has run, the caller's log-probabilities are other numbers than before. Change `true_dist`, "
    "not `x`.",
)

mistake(
    "losses.LabelSmoothing",
    "targets-changed-in-place",
    edit("p = torch.full_like(", "padding = target == self.padding_idx\np = torch.full_like("),
    edit("p[target == self.padding_idx] = 0", "p[padding] = 0\ntarget[padding] = (self.padding_idx + 1) % self.size"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="Padding targets were overwritten with another class. They are the caller's, who counts tokens with them.",
    hint="After your module has run, the caller's targets are other numbers than before. Make a new tensor in place of "
    "changing the argument.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-class-removed-from-rows",
    edit("p[:, self.padding_idx] = 0", "p[:, self.padding_idx] = 0\np[x.argmax(-1) == self.padding_idx] = 0"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="Rows in which the model's most probable class is padding were set to 0. It is the target that decides whether "
    "a row counts.",
    hint="You leave out rows in which the model predicts padding. Leave out those whose *target* is padding.",
)

mistake(
    "losses.LabelSmoothing",
    "confidence-without-padding-share",
    edit(
        "p.scatter_(1, target.unsqueeze(1), 1 - self.smoothing)",
        "p = (1 - self.smoothing) * F.one_hot(target, self.size).to(x.dtype) + p",
    ),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="Rows were made by `(1 - smoothing) * one_hot + smoothing / (size - 2)`, so that the target got a share on "
    "top. Rows sum to more than 1.",
    hint="The target gets 1 - smoothing and a share on top in your `true_dist`. It gets exactly 1 - smoothing.",
)

mistake(
    "losses.cross_entropy",
    "softmax-by-hand-before-the-logarithm",
    edit(
        "log_probs = shifted - shifted.exp().sum(-1, keepdim=True).log()",
        "log_probs = (logits.exp() / logits.exp().sum(-1, keepdim=True)).log()",
    ),
    section="stable-cross-entropy",
    why="The softmax was written out without subtracting the maximum. The exponential of a large logit is infinite, "
    "and infinity divided by infinity is NaN.",
    hint="Large logits give NaN: `exp` overflows, and inf / inf is NaN. Subtract the row's maximum first, and take the "
    "logarithm of the sum, not of a probability.",
)

mistake(
    "losses.cross_entropy",
    "ignored-targets-become-class-zero",
    edit("logits, targets = logits[counted], targets[counted]", "targets = targets.masked_fill(~counted, 0)"),
    section="targets-that-do-not-count",
    why="Ignored targets were replaced by class 0, and their rows still count. The replacement only avoids an error of indexing.",
    hint="The rows to be ignored count as if class 0 were right. Leave them out of the sum and out of the divisor.",
)
