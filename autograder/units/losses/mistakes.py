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
    why="Your loss stays high even for a model that is sure and right. You took a softmax before `log_softmax`, "
    "which contains one, and probabilities differ by at most 1. What does `log_softmax` expect?",
    hint="Your loss stays high even for a model that is sure and right: the softmax is taken twice. `log_softmax` and "
    "`F.cross_entropy` want logits, so hand them over as they are.",
)

mistake(
    "losses.cross_entropy",
    "log-of-softmax",
    edit("torch.log_softmax(logits, -1)", "torch.softmax(logits, -1).log()"),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="Your loss is infinite when the target's logit is far below the largest. You computed the probability first, "
    "and it was rounded to 0 before you took its logarithm. How can the logarithm be computed without forming the "
    "probability?",
    hint="Your loss is infinite when the target's logit is far below the largest: its probability is rounded to 0 "
    "before you take the logarithm. Write the logarithm of the softmax as a difference and simplify before you "
    "compute.",
)

mistake(
    "losses.cross_entropy",
    "epsilon-inside-the-logarithm",
    edit("torch.log_softmax(logits, -1)", "(torch.softmax(logits, -1) + 1e-9).log()"),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="Your loss cannot exceed about 21, and the gradient of the worst mistakes vanishes. You added a small number "
    "inside the logarithm. How can the logarithm be computed without forming the probability?",
    hint="Your loss cannot grow beyond about 21, however wrong the model is: the number that you add inside the "
    "logarithm limits it. Subtract the logarithm of the sum from the logit instead of taking the logarithm of a "
    "quotient.",
)

mistake(
    "losses.cross_entropy",
    "clamped-probabilities",
    edit("torch.log_softmax(logits, -1)", "torch.softmax(logits, -1).clamp(min=1e-12).log()"),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="Your loss stops growing for very improbable targets, so the model gets no gradient exactly where it is most "
    "wrong. You limited the probabilities from below. How can the logarithm be computed without forming the "
    "probability?",
    hint="Your loss stops growing for targets of very small probability, and their gradient is 0. Nothing needs a "
    "limit if you never form the probability: subtract the logarithm of the sum from the logit.",
)

mistake(
    "losses.cross_entropy",
    "probabilities-clamped-at-both-ends",
    edit("torch.log_softmax(logits, -1)", "torch.softmax(logits, -1).clamp(1e-7, 1 - 1e-7).log()"),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="Your loss never exceeds about 16.1, and very improbable targets get no gradient. You clamped the "
    "probabilities to keep the logarithm finite. How can the logarithm be computed without forming the probability?",
    hint="Your loss never exceeds about 16.1, because you clamp the probabilities. Simplify the logarithm of the "
    "softmax on paper first: in the result, nothing needs a limit.",
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
    why="Your loss is right for small logits and not finite for large ones. You took the exponential of the logits "
    "as they are, and exp(89) is too large for float32. Which shift of a row leaves the loss unchanged?",
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
    why="A row far below the largest logit of the tensor gives a loss of minus infinity. You subtracted one maximum "
    "from all rows, so all exponentials of such a row are 0. Which maximum should each row use?",
    hint="Rows whose logits are far below those of another row give a loss of minus infinity. Each row has its own "
    "largest logit: take the maximum along the last axis and keep that axis.",
)

mistake(
    "losses.cross_entropy",
    "clamped-logits",
    edit("torch.log_softmax(logits, -1)", "torch.log_softmax(logits.clamp(-80, 80), -1)"),
    base="log-softmax-and-gather",
    section="stable-cross-entropy",
    why="Logits beyond a limit all count the same, and the loss forgets how far apart they were. You clamped them to "
    "keep exp from overflowing. Which shift bounds the exponents without changing differences?",
    hint="Logits beyond your limit all count the same. Nothing has to be cut off: subtract from each row its own "
    "largest logit.",
)

mistake(
    "losses.cross_entropy",
    "logits-as-log-probabilities",
    edit("torch.log_softmax(logits, -1)", "logits"),
    base="log-softmax-and-gather",
    section="from-logits",
    why="Your loss can be negative, and it changes when a constant is added to a row of logits. You used logits as "
    "log-probabilities. Which step turns one into the other?",
    hint="Your loss changes when a number is added to all logits of a row, and can be negative. `nll_loss` and "
    "indexing want log-probabilities: the logarithm of the softmax is still missing.",
)

mistake(
    "losses.cross_entropy",
    "logits-as-probabilities",
    edit("torch.log_softmax(logits, -1)", "logits.log()"),
    base="log-softmax-and-gather",
    section="from-logits",
    why="Your loss is NaN. You took the logarithm of logits, which may be negative. Which step turns logits into "
    "probabilities?",
    hint="Your loss is NaN: logits are scores of any sign, and you take their logarithm. They become probabilities "
    "only through the softmax.",
)

mistake(
    "losses.cross_entropy",
    "negative-probability",
    edit("torch.log_softmax", "torch.softmax"),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="Your loss lies between -1 and 0, and an impossible target costs hardly anything. You took the negative "
    "probability of the target. Which function of the probability grows without bound as it goes to 0?",
    hint="Your loss lies between -1 and 0: it is the negative of a probability. Cross-entropy takes the logarithm of "
    "the probability, so that an impossible target costs without bound.",
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
    why="Minimising your loss makes the right answers improbable. You returned the mean log-probability without the "
    "minus. Which sign does a loss need?",
    hint="Your result is the negative of the loss: logarithms of probabilities are below 0, and training makes the "
    "loss small. Where does the minus sign go?",
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
    why="Your loss is 1.4427 times too large. You took logarithms to base 2, which measures in bits. Which logarithm "
    "do this course and PyTorch use?",
    hint="Your loss is multiplied by 1.4427, which is one over ln 2: you measure in bits. Use the natural logarithm.",
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
    why="The loss of one row depends on the other rows. Your softmax runs down the batch. Over which axis do the "
    "probabilities of one prediction sum to 1?",
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
    why="Your loss grows with the number of tokens, and the step size with it. You added the losses and did not "
    "divide. By which number should the sum be divided?",
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
    why="Your loss is the right one divided by the number of classes. You averaged over rows and classes, and most "
    "of these entries are 0. Which entries should be counted?",
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
    why="You return one loss per row, but minimising needs a single number. The last reduction is missing. Over "
    "which rows should you average?",
    hint="You return a loss for each row, and the task needs one number. Average them.",
)


@mistake(
    "losses.cross_entropy",
    "divides-by-all-rows",
    section="targets-that-do-not-count",
    why="Your loss and its gradient shrink with every row of padding. You set the ignored losses to 0 but divided by "
    "the number of all rows. Which rows should the divisor count?",
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
    why="The model learns padding like any other token. You did not use `ignore_index`. From which two parts of the "
    "mean must ignored rows be excluded?",
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
    why="With `ignore_index=0` nothing is ignored. You asked whether the number is true, and 0 counts as false. How "
    "can you ask whether an argument was given at all?",
    hint="With `ignore_index=0` nothing is ignored: in Python 0 counts as false. Ask whether the argument is None, not "
    "whether the number is true.",
)


@mistake(
    "losses.cross_entropy",
    "padding-always-ignored",
    section="targets-that-do-not-count",
    why="Without `ignore_index`, your loss leaves out the rows of class 0. You always treat this class as padding. "
    "Which rows count when the argument is None?",
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
    why="Your function ignores class 0 instead of the class that `ignore_index` names. You wrote the number into the "
    "code. With what should the targets be compared?",
    hint="Your function ignores class 0 instead of the class that `ignore_index` names. Compare the targets with the "
    "argument.",
)

mistake(
    "losses.cross_entropy",
    "negative-targets-ignored",
    edit("targets != ignore_index", "targets >= 0"),
    base="log-softmax-and-gather",
    section="targets-that-do-not-count",
    why="A class that `ignore_index` names still counts. You ignore all negative targets and nothing else. With what "
    "should the targets be compared?",
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
    why="The model learns to predict padding and nothing else. You kept the ignored rows and dropped the others. "
    "Which rows differ from `ignore_index`?",
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
    why="Rows that count no longer pay for the probability they give to the ignored class. You removed this class "
    "from the softmax. Does `ignore_index` name rows or columns to leave out?",
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
    why="When every target is ignored, your loss is NaN, and one such batch spoils every mean. You divided 0 by 0. "
    "What is the smallest divisor that changes no other batch?",
    hint="When every target is ignored, your loss is 0 / 0. Make the divisor at least 1: the sum over no rows is 0.",
)


@mistake(
    "losses.cross_entropy",
    "nan-replaced-too-late",
    section="targets-that-do-not-count",
    why="When every target is ignored, your loss is 0, but its gradients are NaN. You replaced the result after the "
    "division by 0. How can this division be avoided?",
    hint="When every target is ignored your loss is 0 and its gradients are NaN: replacing the result does not undo "
    "the division by 0. Make sure that the divisor is never 0.",
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
    why="When every target is ignored, your loss is float32 whatever the logits are. You returned a new tensor of "
    "PyTorch's default type. From where can the 0 take its type?",
    hint="When every target is ignored, your 0 is float32 whatever the logits are. Take its type from the logits, or "
    "let the sum over no rows produce it.",
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
    why="Your loss is slightly too small, which shows in float64. You added a small number to the count to avoid "
    "dividing by 0. How can you change a count of 0 and leave every other count as it is?",
    hint="Your loss is slightly too small, because you add a small number to the divisor. Use the larger of the count "
    "and 1: the count is a whole number.",
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
    why="Your loss is too small, as if there were one row more. You added 1 to the count to avoid dividing by 0. How "
    "can you change a count of 0 and leave every other count as it is?",
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
    why="Your loss is bounded, and it is nearly flat where the model is sure and wrong. You took the squared "
    "distance between probabilities and one-hot targets. Which single probability does cross-entropy look at?",
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
    why="Your loss treats each class as a question of its own, as if several could be right at once. You used a "
    "sigmoid for every class. Which function makes the probabilities of exclusive classes sum to 1?",
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
    why="Your loss does not depend on the targets. You took the log-probability of the most probable class, so it "
    "falls when the model becomes surer, right or wrong. Which entry of each row counts?",
    hint="Your loss does not depend on the targets: it takes the most probable class. Pick from each row the "
    "log-probability of its target.",
)

mistake(
    "losses.cross_entropy",
    "no-gradient",
    edit("if ignore_index is not None:", "logits = logits.detach()\nif ignore_index is not None:"),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="Your values are right, but nothing can be learned from them. You computed from detached logits. Which step "
    "leaves the graph?",
    hint="Your values are right, but no gradient arrives at the logits. Something on the way cuts the graph: `detach`, "
    "`data`, `item`, `no_grad` or a new tensor made of numbers.",
)

mistake(
    "losses.cross_entropy",
    "returns-a-number",
    edit("nll.sum() / max(len(targets), 1)", "(nll.sum() / max(len(targets), 1)).item()"),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="`backward` cannot be called on your result. You returned a Python number, which has no gradient. What "
    "should a scalar loss be?",
    hint="You return a Python number, and the task needs a scalar tensor. Leave out `.item()`.",
)

mistake(
    "losses.cross_entropy",
    "always-float32",
    edit("torch.log_softmax(logits, -1)", "torch.log_softmax(logits.float(), -1)"),
    base="log-softmax-and-gather",
    section="cross-entropy-formula",
    why="Your result is float32 even for logits of another type. In float64 half of the digits are lost, and a "
    "bfloat16 model gets a loss of another type. Which type should the result have?",
    hint="Your result is float32 also for logits of another type. Compute in any type, and return the type of the "
    "logits.",
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
    why="After the call, the caller's logits have changed, so accuracy or text computed from them is wrong. You "
    "subtracted in place. Which form makes a new tensor?",
    hint="After your function has run, the logits of the caller are other numbers than before. Make a new tensor "
    "instead of changing the argument.",
)


@mistake(
    "losses.cross_entropy",
    "targets-changed-in-place",
    section="targets-that-do-not-count",
    why="After the call, the caller cannot tell where the padding was. You overwrote the ignored targets to use them "
    "as an index. On which tensor should you do this?",
    hint="After your function has run, the ignored targets of the caller are other numbers than before. Make a new "
    "tensor (`masked_fill`) instead of changing the argument.",
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
    why="Your loss is too small by the largest logit of each row, and may be negative. You subtracted the maximum "
    "inside the sum and nowhere else. How can the shift be made up for?",
    hint="Your loss is too small by the largest logit of each row, and may be negative. What is subtracted inside the "
    "sum has to be added to its logarithm, or subtracted from the target's logit as well.",
)


@mistake(
    "losses.cross_entropy",
    "ignored-targets-gathered",
    section="targets-that-do-not-count",
    why="With `ignore_index=-100` your code fails, although it is right when `ignore_index` is a class. You looked "
    "up every target first, and -100 is no class. When should the ignored rows be dealt with?",
    hint="Your code is right as long as `ignore_index` is a class. With -100 `gather` has nothing to look up: leave "
    "the ignored rows out first, or put some class in their place before you look up.",
)
def cross_entropy(logits, targets, ignore_index=None):
    nll = -torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).squeeze(1)
    counted = torch.ones_like(targets, dtype=torch.bool) if ignore_index is None else targets != ignore_index
    return nll[counted].sum() / max(int(counted.sum()), 1)


@mistake(
    "losses.cross_entropy",
    "ignored-targets-indexed",
    section="targets-that-do-not-count",
    why="With `ignore_index=-100` your code fails if there are fewer than 100 classes. You indexed with every target "
    "first. When should the ignored rows be dealt with?",
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
    why="Your perplexity is too small. You raised 2 to a loss in nats. Which base undoes a natural logarithm?",
    hint="Your perplexity is too small: it is 2 to the power of a loss in nats. Natural logarithms are undone by "
    "`exp`.",
)

mistake(
    "losses.perplexity",
    "base-ten",
    edit("math.exp(total_nll / num_tokens)", "10.0 ** (total_nll / num_tokens)"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="Your perplexity is too large. You raised 10 to a loss in nats. Which base undoes a natural logarithm?",
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
    why="Your result is a mean loss, which says nothing about a number of choices. The last step is missing. Which "
    "function undoes a natural logarithm?",
    hint="What you return is the mean loss. Perplexity is `exp` of it.",
)

mistake(
    "losses.perplexity",
    "total-not-divided",
    edit("total_nll / num_tokens", "total_nll"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="Your perplexity grows beyond all measure with the length of the text. You took the exponential of the "
    "total. Which number should stand in the exponent?",
    hint="Your perplexity grows beyond all measure with the length of the text. Divide the total by the number of "
    "tokens before you take the exponential.",
)

mistake(
    "losses.perplexity",
    "limit-for-the-total",
    edit("if mean <= math.log(sys.float_info.max)", "if total_nll <= math.log(sys.float_info.max)"),
    section="perplexity-of-a-text",
    why="Every long text gets an infinite perplexity. You compared the total with the largest exponent. Which number "
    "stands in the exponent?",
    hint="Every long text gets an infinite perplexity. What may be too large for `exp` is the mean, not the total.",
)

mistake(
    "losses.perplexity",
    "divides-after-the-exponential",
    edit("math.exp(total_nll / num_tokens)", "math.exp(total_nll) / num_tokens"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="Your perplexity is far too large. You divided after the exponential, but the mean belongs to the "
    "logarithms. Which of the two steps comes first?",
    hint="Your perplexity is far too large: you divide after the exponential. Take the mean first.",
)

mistake(
    "losses.perplexity",
    "negative-exponent",
    edit("total_nll / num_tokens", "-total_nll / num_tokens"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="Your perplexity is below 1. You put a minus into the exponent, which gives the geometric mean of the "
    "probabilities instead of its reciprocal. Which sign does a negative log-likelihood already have?",
    hint="Your perplexity is below 1: it is the reciprocal of the right value. A negative log-probability has its "
    "minus already.",
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
    why="Your perplexity falls as the loss rises. You divided the number of tokens by the total. Which quotient is a "
    "mean?",
    hint="Your perplexity falls as the loss rises: the quotient is upside down. The mean is the total over the number.",
)

mistake(
    "losses.perplexity",
    "whole-division",
    edit("total_nll / num_tokens", "total_nll // num_tokens"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="Your perplexity jumps between a few values. `//` rounds the mean down to a whole number. Which division "
    "keeps the fraction?",
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
    why="A very large loss ends the training run with an OverflowError. You let `math.exp` raise it, which happens "
    "from a mean of about 710 on. Which float can stand for a number that is too large?",
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
    why="Very large losses all get the same, finite perplexity. You limited the mean so that exp cannot overflow. "
    "Which float can stand for a number that is too large?",
    hint="For very large losses you return the exponential of a limit instead of infinity. Let it overflow, and return "
    "`math.inf` then.",
)

mistake(
    "losses.perplexity",
    "mean-limited-early",
    edit("num_tokens == 0", "num_tokens <= 0"),
    edit('"num_tokens = 0"', 'f"num_tokens is {num_tokens}, which is no number of tokens."'),
    edit("float((Decimal(total_nll) / Decimal(num_tokens)).exp())", "math.exp(min(total_nll / num_tokens, 20.0))"),
    base="decimal-numbers",
    section="perplexity-of-a-text",
    why="Bad models all get the same perplexity. You limited the mean at 20 or so. Up to which size can a float hold "
    "the result?",
    hint="Losses above your limit all get the same perplexity. A float holds the result up to a mean of about 709; "
    "beyond that, return infinity.",
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
    why="You return infinity for perplexities that a float can hold. Your limit comes too early, although large "
    "perplexities can still be compared. When exactly does the exponential overflow?",
    hint="You return infinity for losses whose exponential a float can hold. Return infinity only when `math.exp` "
    "overflows.",
)

mistake(
    "losses.perplexity",
    "overflow-as-largest-float",
    edit("return math.inf", "return 1.7976931348623157e308"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="For very large losses you return the largest float, which looks like a measurement. The result is too large "
    "to be written down. Which float says so?",
    hint="For very large losses you return the largest float. Infinity is a float too, and says what happened.",
)

mistake(
    "losses.perplexity",
    "overflow-as-nan",
    edit("return math.inf", "return math.nan"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="For very large losses you return NaN, which means that there is no answer. The answer exists but is too "
    "large to be written down. Which float says so?",
    hint="For very large losses you return NaN. The result is not undefined but too large: `math.inf`.",
)

mistake(
    "losses.perplexity",
    "no-tokens-infinite",
    edit("num_tokens <= 0", "num_tokens == 0"),
    edit('raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")', "return math.inf"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="An empty test set goes unnoticed: for 0 tokens you return infinity. A mean over nothing does not exist. How "
    "should the function react instead?",
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
    why="A text without tokens gets the perplexity 1, that of a perfect model. You raised the number of tokens to 1. "
    "How should the function react instead?",
    hint="An empty text, with a total of 0, gets 1, the perplexity of a perfect model. There is nothing to take the "
    "mean of: raise a ValueError that names `num_tokens`.",
)

mistake(
    "losses.perplexity",
    "no-tokens-zero",
    edit("num_tokens <= 0", "num_tokens == 0"),
    edit('raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")', "return 0.0"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="A text without tokens gets the perplexity 0, although no perplexity is below 1. A mean over nothing does not "
    "exist. How should the function react instead?",
    hint="For 0 tokens you return 0. There is nothing to take the mean of: raise a ValueError that names `num_tokens`.",
)

mistake(
    "losses.perplexity",
    "no-tokens-nan",
    edit("num_tokens <= 0", "num_tokens == 0"),
    edit('raise ValueError(f"num_tokens is {num_tokens}, which is no number of tokens.")', "return math.nan"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="A text without tokens gives NaN, which spoils every later mean far from its cause. A mean over nothing does "
    "not exist. How should the function react instead?",
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
    why="For 0 tokens you raise AssertionError, and under `python -O` nothing at all. You checked the argument with "
    "`assert`. Which error does the course use for wrong input?",
    hint="For 0 tokens your code raises AssertionError. Wrong input raises a ValueError, with a message that names the "
    "argument.",
)


@mistake(
    "losses.perplexity",
    "returns-a-tensor",
    section="perplexity-of-a-text",
    why="You return a tensor, although a perplexity is only read and logged. Nothing is differentiated through it. "
    "Which module of Python computes with plain numbers?",
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
    why="Your perplexity is too large for short texts. You divided by one token less, as if the first were not "
    "predicted. What does `num_tokens` count?",
    hint="You divide by one token less than given. `num_tokens` is the number of terms in the total.",
)

mistake(
    "losses.perplexity",
    "rounded",
    edit("math.exp(total_nll / num_tokens)", "round(math.exp(total_nll / num_tokens), 2)"),
    base="overflow-caught",
    section="perplexity-of-a-text",
    why="Two good models get the same perplexity, because differences in later decimals are lost. You rounded the "
    "result. Where does rounding belong?",
    hint="Your perplexity is rounded. Return the number as it is, and round where you print it.",
)


# ---------------------------------------------------------------------------------------------------------------------
# smooth_labels


mistake(
    "losses.smooth_labels",
    "target-not-included",
    edit("epsilon / num_classes", "epsilon / (num_classes - 1) * (1 - one_hot)"),
    section="smoothed-targets",
    why="Your rows sum to 1, but the target has too little. You spread epsilon over the other classes alone. Which "
    "classes share epsilon in this definition?",
    hint="Your rows sum to 1, but the target has too little: in this definition it also gets its share of epsilon, 1 - "
    "epsilon + epsilon / C. You spread over the C - 1 others.",
)

mistake(
    "losses.smooth_labels",
    "divided-by-others",
    edit("epsilon / num_classes", "epsilon / (num_classes - 1)"),
    section="smoothed-targets",
    why="Your rows sum to more than 1. You divided epsilon by C - 1 and gave a share to all C classes. How many "
    "classes share it?",
    hint="Your rows sum to more than 1: epsilon is divided by C - 1 and handed out C times. Divide by the number of "
    "classes that get a share.",
)

mistake(
    "losses.smooth_labels",
    "divided-by-v-minus-two",
    edit("epsilon / num_classes", "epsilon / (num_classes - 2) * (1 - one_hot)"),
    section="smoothed-targets",
    why="Your target has too little. You divided epsilon by C - 2, as when padding is left out. How many classes "
    "share epsilon here?",
    hint="You divide epsilon by C - 2. There is no padding here: epsilon is spread over all C classes.",
)

mistake(
    "losses.smooth_labels",
    "target-not-lowered",
    edit("(1 - epsilon) * one_hot", "one_hot"),
    section="smoothed-targets",
    why="Your rows sum to 1 + epsilon. You added the shares without taking anything from the target. How much does "
    "the target give away?",
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
    why="Your rows sum to less than 1. You set the target to 1 - epsilon after the shares were given, so it lost its "
    "own. What should happen to the target's share?",
    hint="Your rows sum to less than 1: the target has lost its share of epsilon. It gets 1 - epsilon + epsilon / C.",
)

mistake(
    "losses.smooth_labels",
    "epsilon-not-divided",
    edit("epsilon / num_classes", "epsilon"),
    section="smoothed-targets",
    why="Your rows sum to far more than 1. Every class got the whole epsilon. How is it shared?",
    hint="Every class gets the whole epsilon in your rows. It is shared: epsilon / C each.",
)

mistake(
    "losses.smooth_labels",
    "epsilon-and-confidence-exchanged",
    edit("1 - epsilon) * one_hot + epsilon / num_classes", "epsilon) * one_hot + (1 - epsilon) / num_classes"),
    section="smoothed-targets",
    why="With an epsilon of 0.1, nine tenths are spread over all classes. You exchanged epsilon and 1 - epsilon. Which "
    "of the two is spread?",
    hint="The roles of epsilon and 1 - epsilon are exchanged: with epsilon = 0 your rows are uniform. Epsilon is what "
    "is spread.",
)

mistake(
    "losses.smooth_labels",
    "not-smoothed",
    edit("one_hot = F.one_hot(targets, num_classes).float()", ""),
    edit("(1 - epsilon) * one_hot + epsilon / num_classes", "F.one_hot(targets, num_classes).float()"),
    section="smoothed-targets",
    why="Your rows are one-hot whatever epsilon is. You did not use it. With which distribution should the one-hot "
    "vectors be mixed?",
    hint="Your rows are one-hot whatever epsilon is. Mix them with the uniform distribution.",
)

mistake(
    "losses.smooth_labels",
    "uniform-without-share",
    edit("(1 - epsilon) * one_hot + epsilon / num_classes", "(1 - epsilon) * one_hot"),
    section="smoothed-targets",
    why="Your rows sum to 1 - epsilon. You lowered the target and added nothing. Where should the amount go that the "
    "target gives away?",
    hint="Your rows sum to 1 - epsilon. What the target gives away has to go to the classes, epsilon / C each.",
)

mistake(
    "losses.smooth_labels",
    "divided-by-rows",
    edit("epsilon / num_classes", "epsilon / len(targets)"),
    section="smoothed-targets",
    why="Your rows depend on the size of the batch. You divided epsilon by the number of rows. Over which axis is it "
    "spread?",
    hint="Your rows depend on how many there are: epsilon is divided by N. It is spread over the C classes.",
)

mistake(
    "losses.smooth_labels",
    "classes-counted-in-the-targets",
    edit("F.one_hot(targets, num_classes)", "F.one_hot(targets)"),
    section="smoothed-targets",
    why="Your rows are too short when the last class does not occur in the batch. You took the number of classes from "
    "the largest target. Which argument sets the width?",
    hint="Your rows are too short when the last class does not occur in the batch. The width is `num_classes`.",
)

mistake(
    "losses.smooth_labels",
    "transposed",
    edit("(1 - epsilon) * one_hot + epsilon / num_classes", "((1 - epsilon) * one_hot + epsilon / num_classes).T"),
    section="smoothed-targets",
    why="Your result has the shape (C, N). You gave each class a row. What does each target need: a row or a column?",
    hint="Your result is transposed, (C, N). Each target needs one row: (N, C).",
)

mistake(
    "losses.smooth_labels",
    "float64",
    edit("F.one_hot(targets, num_classes).float", "F.one_hot(targets, num_classes).double"),
    section="smoothed-targets",
    why="Your numbers are right, but in float64, and they would turn the loss of a float32 model into that type. "
    "Which type does the task ask for?",
    hint="Your numbers are right, but in float64. Return float32.",
)

mistake(
    "losses.smooth_labels",
    "integers",
    edit("table = torch.eye(num_classes) * (1 - epsilon) + epsilon / num_classes", ""),
    edit("table[targets]", "((1 - epsilon) * F.one_hot(targets, num_classes) + epsilon / num_classes).long()"),
    base="rows-of-a-smoothed-identity",
    section="smoothed-targets",
    why="Your rows hold only zeros unless epsilon is 0. You wrote fractions into integers, where 0.9 becomes 0. Which "
    "type can hold the values?",
    hint="Your result has an integer type, in which 0.9 becomes 0. Make the one-hot vectors float first.",
)

mistake(
    "losses.smooth_labels",
    "half-of-epsilon",
    edit("1 - epsilon) * one_hot + epsilon / num_classes", "1 - epsilon / 2) * one_hot + epsilon / 2 / num_classes"),
    section="smoothed-targets",
    why="Your target keeps too much. You spread only half of epsilon. How much of it is spread here?",
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
    why="The first column of your result is 0. You treated class 0 as padding, which this task does not have. Which "
    "classes get a share?",
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
    why="Your rows are far too flat. You applied a softmax to rows that already sum to 1. What must still be done "
    "with such rows?",
    hint="Your rows are far too flat: a softmax was applied to what sums to 1 already. Leave it out.",
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
    why="Your rows differ from call to call. You spread random shares, but smoothing is not noise. Which share does "
    "each class get?",
    hint="Your rows differ from call to call. Every class gets the same share, epsilon / C.",
)

mistake(
    "losses.smooth_labels",
    "targets-shifted",
    edit("F.one_hot(targets, num_classes)", "F.one_hot((targets - 1) % num_classes, num_classes)"),
    section="smoothed-targets",
    why="The large entry of each row is one index too early. You counted the classes from 1. Which class has the "
    "index 0?",
    hint="The large entry of your rows stands one position too far to the left. Classes are counted from 0.",
)


# ---------------------------------------------------------------------------------------------------------------------
# LabelSmoothing


mistake(
    "losses.LabelSmoothing",
    "mean-per-row",
    edit('reduction="sum"', 'reduction="batchmean"'),
    section="divergence-and-cross-entropy",
    why="Your loss depends on how a batch is padded. You divided the sum by the number of rows, padding included. "
    "Which reduction does the training loop expect from you?",
    hint="Your loss is the sum divided by the number of rows. Return the sum; the caller knows how many tokens there "
    "were.",
)

mistake(
    "losses.LabelSmoothing",
    "mean-per-entry",
    edit('reduction="sum"', 'reduction="mean"'),
    section="divergence-and-cross-entropy",
    why="Your loss is far too small. You averaged over all N x V entries, which is the default of `nn.KLDivLoss`. "
    "Which reduction does the training loop expect from you?",
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
    why="The training loop divides a second time. You divided by the number of real targets, but the loop may add up "
    "several batches first. Which reduction does it expect from you?",
    hint="Your loss is divided by the number of real targets. Return the sum; the training loop divides.",
)

mistake(
    "losses.LabelSmoothing",
    "one-loss-per-row",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x, p, reduction="none").sum(-1)'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="You return one number per row, but the task asks for one number. The last reduction is missing. Which one "
    "is it?",
    hint="You return one number per row. Add them all up.",
)

mistake(
    "losses.LabelSmoothing",
    "cross-entropy-in-place-of-divergence",
    edit('F.kl_div(x, p, reduction="sum")', "-(p * x).sum()"),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="Your gradients are right, but the loss of a perfect prediction is not 0. You left out the term p log p, "
    "which makes this a cross-entropy. Which terms does a divergence have?",
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
    why="Your loss is weighted by what the model predicts, and it is huge where a target is 0. You exchanged the two "
    "distributions. Which of them weights the terms?",
    hint="Your divergence runs the wrong way, weighted by what the model predicts. Each term is weighted by the "
    "smoothed target: p (log p - x).",
)

mistake(
    "losses.LabelSmoothing",
    "sign-turned-round",
    edit('F.kl_div(x, p, reduction="sum")', '-F.kl_div(x, p, reduction="sum")'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="Your loss is negative, and minimising it drives the model away from the targets. You returned the "
    "divergence with the wrong sign. Which value can a divergence never fall below?",
    hint="Your loss is negative, and a divergence never is. Each term is p (log p - x).",
)

mistake(
    "losses.LabelSmoothing",
    "expects-probabilities",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x.log(), p, reduction="sum")'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="Your loss is NaN. You took the logarithm of `x`, which already holds log-probabilities. What does `kl_div` "
    "expect as its first argument?",
    hint="Your loss is NaN: `x` holds log-probabilities, and you take the logarithm once more.",
)

mistake(
    "losses.LabelSmoothing",
    "divergence-of-probabilities",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x.exp(), p, reduction="sum")'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="Your loss is not 0 for a perfect prediction. You turned `x` back into probabilities before the divergence. "
    "What does `kl_div` expect as its first argument?",
    hint="You hand probabilities to `kl_div`, which wants their logarithms: that is what `x` holds. Leave out `exp`.",
)

mistake(
    "losses.LabelSmoothing",
    "targets-as-logarithms",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x, p, reduction="sum", log_target=True)'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="Your loss is far off. You told `kl_div` that the smoothed targets are logarithms. What are they?",
    hint="`log_target=True` says that the targets are logarithms. Yours are probabilities: leave it out.",
)

mistake(
    "losses.LabelSmoothing",
    "nan-from-zero-times-log-zero",
    edit('F.kl_div(x, p, reduction="sum")', "(p * (p.log() - x)).sum()"),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="Your loss is NaN. You computed p log p as it stands, and 0 times minus infinity is NaN. What is the limit "
    "of this term, and which function knows it?",
    hint="Your loss is NaN, because smoothed targets hold zeros and 0 log 0 is NaN in floating point. Use "
    "`torch.xlogy` or `kl_div`, or leave out the terms with p = 0.",
)

mistake(
    "losses.LabelSmoothing",
    "epsilon-inside-the-logarithm",
    edit('F.kl_div(x, p, reduction="sum")', "(p * ((p + 1e-6).log() - x)).sum()"),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="Your loss is slightly off. You added a small number inside the logarithm, which also changes the terms that "
    "need no help. Which terms do need special care?",
    hint="Your loss is slightly off: the number that you add inside the logarithm changes every term. Leave out the "
    "terms with p = 0, as `torch.xlogy` and `kl_div` do.",
)

mistake(
    "losses.LabelSmoothing",
    "spread-over-all-but-one",
    edit("self.size - 2", "self.size - 1"),
    section="smoothing-with-padding",
    why="Your rows of `true_dist` sum to less than 1. You shared the smoothing among `size - 1` classes and took "
    "padding's share away again. How many classes keep a share?",
    hint="Your rows of `true_dist` sum to less than 1. Neither the target nor padding gets a share, so there are size "
    "- 2 classes to share among.",
)

mistake(
    "losses.LabelSmoothing",
    "spread-over-all",
    edit("self.size - 2", "self.size"),
    section="smoothing-with-padding",
    why="Your rows of `true_dist` sum to less than 1. You shared the smoothing among all classes, but the target and "
    "padding keep nothing of it. How many classes keep a share?",
    hint="Your rows of `true_dist` sum to less than 1. Neither the target nor padding gets a share, so there are size "
    "- 2 classes to share among.",
)

mistake(
    "losses.LabelSmoothing",
    "target-included",
    edit("self.size - 2", "self.size"),
    edit("1 - self.smoothing", "1 - self.smoothing + self.smoothing / self.size"),
    section="smoothing-with-padding",
    why="Your `true_dist` gives the target too much. You used the definition of the earlier task, where the target "
    "also gets a share. What exactly does the target get here?",
    hint="Your `true_dist` follows the definition of the earlier task: the target has its share added. Here it gets "
    "exactly 1 - smoothing, and the size - 2 others share the rest.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-column-kept",
    edit("p[:, self.padding_idx] = 0", ""),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The model is asked to predict padding, and rows sum to more than 1. You left padding its share of the "
    "smoothing. What should its column hold?",
    hint="The padding column of your `true_dist` is not 0. The model should never predict padding: set the column to "
    "0.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-rows-kept",
    edit("p[target == self.padding_idx] = 0", ""),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="Rows of padding add to the loss, although they have no right answer. You did not clear them. What should "
    "rows with a padding target hold?",
    hint="Rows with a padding target still have entries in your `true_dist`. Set these rows to 0, so that they add "
    "nothing.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-is-zero",
    edit(":, self.padding_idx", ":, 0"),
    edit("target == self.padding_idx", "target == 0"),
    section="smoothing-with-padding",
    why="Class 0 is treated as padding when padding is elsewhere. You wrote the number into the code. Which argument "
    "says where padding is?",
    hint="Your code treats class 0 as padding also when `padding_idx` says otherwise. Use the argument.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-rows-by-number",
    edit("target == self.padding_idx", "min(self.padding_idx, len(p) - 1)"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="The wrong row is cleared. You used `padding_idx` as a row index. What decides whether a row is padding?",
    hint="You set the row with the index `padding_idx` to 0. Whether a row is padding depends on its target, so "
    "compare the targets with `padding_idx`.",
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
    why="A batch without padding raises an error. You took it for granted that there are padding rows. Which way of "
    "selecting rows works for none, some and all?",
    hint="Your code fails for a batch without a padding target. A boolean mask of the rows works for none, some and "
    "all.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-in-row-0-overlooked",
    edit("target == self.padding_idx", "rows"),
    edit(
        "p[:, self.padding_idx] = 0",
        "p[:, self.padding_idx] = 0\nrows = (target == self.padding_idx).nonzero()[:, 0]\nrows = rows if rows.sum() > 0 else rows[:0]",
    ),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="If row 0 is the only padding row, it adds to the loss. You checked whether the indices of the padding rows "
    "add up to more than 0. What is this sum if row 0 is the only padding row?",
    hint="If row 0 is the only padding row, it is not cleared, because the sum of the row indices is then 0. Leave "
    "out the check: an empty tensor of row indices clears nothing.",
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
    why="Only the first padding row is cleared, and the others add to the loss. You cleared a single row. Which rows "
    "have a padding target?",
    hint="One padding row is 0 in your `true_dist`, the others are not. Set every row whose target is padding to 0.",
)

mistake(
    "losses.LabelSmoothing",
    "confidence-and-smoothing-exchanged",
    edit("1 - self.smoothing", "self.smoothing"),
    edit("self.smoothing / (self.size - 2)", "(1 - self.smoothing) / (self.size - 2)"),
    section="smoothing-with-padding",
    why="With a smoothing of 0.1, nine tenths go to wrong classes. You exchanged smoothing and 1 - smoothing. "
    "Which of the two does the target get?",
    hint="The roles of smoothing and 1 - smoothing are exchanged. The target gets 1 - smoothing.",
)

mistake(
    "losses.LabelSmoothing",
    "target-always-one",
    edit("1 - self.smoothing", "1.0"),
    section="smoothing-with-padding",
    why="Your rows of `true_dist` sum to more than 1. The target keeps 1, and the others get their share on top. How "
    "much does the target give away?",
    hint="Your rows of `true_dist` sum to more than 1: the target gives nothing away. It gets 1 - smoothing.",
)

mistake(
    "losses.LabelSmoothing",
    "smoothing-not-divided",
    edit("self.smoothing / (self.size - 2)", "self.smoothing"),
    section="smoothing-with-padding",
    why="Your rows of `true_dist` sum to far more than 1. Every other class got the whole smoothing. Among how many "
    "classes is it shared?",
    hint="Every class gets the whole smoothing in your `true_dist`. Divide it by the number of classes that share it.",
)

mistake(
    "losses.LabelSmoothing",
    "rows-renormalised",
    edit("self.size - 2", "self.size"),
    edit("p[:, self.padding_idx] = 0", "p[:, self.padding_idx] = 0\np = p / p.sum(-1, keepdim=True).clamp(min=1e-30)"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="Your rows sum to 1, but the target does not get exactly 1 - smoothing. You used the wrong divisor and "
    "scaled the rows afterwards. Among how many classes is the smoothing shared?",
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
    why="Without the argument `smoothing`, your module smooths all the same. Your default is 0.1. Which default does "
    "the task give?",
    hint="Without the argument `smoothing` your module smooths all the same. The default is `smoothing=0.0`.",
)

mistake(
    "losses.LabelSmoothing",
    "size-two-divides-by-zero",
    edit('if size < 3:\n    raise ValueError(f"size is {size}, but has to be at least 3.")', ""),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="A size of 2 ends in a ZeroDivisionError, and a size of 1 in negative shares. You accept sizes that leave no "
    "class to share. When should the error be raised?",
    hint="A size below 3 is accepted, and something breaks later or not at all. Raise a ValueError when the module is "
    "built.",
)

mistake(
    "losses.LabelSmoothing",
    "size-three-refused",
    edit("size < 3", "size <= 3"),
    section="smoothing-with-padding",
    why="A size of 3 is refused, although it works. A target, padding and one other class are enough. Which sizes "
    "are too small?",
    hint="You refuse a size of 3, which works: one class gets the whole smoothing. Only sizes below 3 are wrong.",
)

mistake(
    "losses.LabelSmoothing",
    "size-two-accepted",
    edit("size < 3", "size < 2"),
    edit("self.size - 2", "max(self.size - 2, 1)"),
    section="smoothing-with-padding",
    why="A size of 2 is accepted, although no class is left to take the smoothing. Your limit is one too low. Which "
    "sizes are too small?",
    hint="A size of 2 is accepted: then there is no class to spread anything over. Raise a ValueError for every size "
    "below 3.",
)

mistake(
    "losses.LabelSmoothing",
    "assert-for-error",
    edit('if size < 3:\n    raise ValueError(f"size is {size}, but has to be at least 3.")', "assert size >= 3"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="For a size below 3 you raise AssertionError, and under `python -O` nothing at all. You checked the argument "
    "with `assert`. Which error does the course use for wrong input?",
    hint="For a size below 3 your code raises AssertionError. Wrong input raises a ValueError, with a message that "
    "names the argument.",
)

mistake(
    "losses.LabelSmoothing",
    "true-dist-not-kept",
    edit("self.true_dist = p", ""),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="After a call, `true_dist` is still what it was. You did not store the smoothed targets. Where does the task "
    "want them?",
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
    why="The stored `true_dist` still has padding in it. You stored it before the padding was removed. Which version "
    "was the loss computed with?",
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
    why="The second call uses the targets of the first. You stored the smoothed targets and used them again. On what "
    "do they depend?",
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
    why="Training and validation losses cannot be compared. You smoothed only in training mode, as if smoothing were "
    "a kind of dropout. Should the loss depend on the mode?",
    hint="After `eval()` your loss is another function. Smoothing is part of the loss, which has no mode: compute the "
    "same in both.",
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
    why="In float64 your shares are wrong from the eighth digit on. You made the targets in float32. From which "
    "tensor can they take their type?",
    hint="Your `true_dist` is float32 also when `x` is not. Make it in the type of `x` (`full_like`, or "
    "`dtype=x.dtype`).",
)

mistake(
    "losses.LabelSmoothing",
    "no-gradient",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x.data, p, reduction="sum")'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="Your values are right, but nothing can be learned from them. You detached `x` before the divergence. Which of "
    "the two may be detached: targets or prediction?",
    hint="Your values are right, but no gradient arrives. Detach the targets, not the prediction.",
)

mistake(
    "losses.LabelSmoothing",
    "returns-a-number",
    edit('F.kl_div(x, p, reduction="sum")', 'F.kl_div(x, p, reduction="sum").item()'),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="`backward` cannot be called on your result. You returned a Python number, which has no gradient. What "
    "should a scalar loss be?",
    hint="You return a Python number, and the task needs a scalar tensor. Leave out `.item()`.",
)

mistake(
    "losses.LabelSmoothing",
    "prediction-changed-in-place",
    edit("self.true_dist = p", "self.true_dist = p\nwith torch.no_grad():\n    x[:, self.padding_idx] = 0"),
    base="distribution-in-place",
    section="divergence-and-cross-entropy",
    why="After the call, the caller's log-probabilities have changed. You overwrote a column of `x`. Which tensor "
    "may you change?",
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
    why="After the call, the caller counts padding as tokens. You overwrote the padding targets. On which tensor "
    "should you work?",
    hint="After your module has run, the caller's targets are other numbers than before. Make a new tensor instead of "
    "changing the argument.",
)

mistake(
    "losses.LabelSmoothing",
    "padding-class-removed-from-rows",
    edit("p[:, self.padding_idx] = 0", "p[:, self.padding_idx] = 0\np[x.argmax(-1) == self.padding_idx] = 0"),
    base="distribution-in-place",
    section="smoothing-with-padding",
    why="Rows in which the model predicts padding do not count. You looked at the prediction to find padding. What "
    "decides whether a row counts?",
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
    why="Your rows of `true_dist` sum to more than 1. The target gets 1 - smoothing and a share on top. What exactly "
    "should it get?",
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
    why="Large logits give NaN. You wrote the softmax out, and infinity divided by infinity is NaN. Which shift of a "
    "row leaves the softmax unchanged?",
    hint="Large logits give NaN: `exp` overflows, and inf / inf is NaN. Subtract the row's maximum first, and take the "
    "logarithm of the sum, not of a probability.",
)

mistake(
    "losses.cross_entropy",
    "ignored-targets-become-class-zero",
    edit("logits, targets = logits[counted], targets[counted]", "targets = targets.masked_fill(~counted, 0)"),
    section="targets-that-do-not-count",
    why="Ignored rows count as if class 0 were right. You replaced their targets to avoid an indexing error and went "
    "no further. From which two parts of the mean must they be excluded?",
    hint="The rows to be ignored count as if class 0 were right. Leave them out of the sum and out of the divisor.",
)

for number, limit in enumerate((100.0, 50.0, 709.0), 2):
    mistake(
        "losses.perplexity",
        f"mean-limited-variant-{number}",
        edit("math.exp(mean) if mean <= math.log(sys.float_info.max) else math.inf", f"math.exp(min(mean, {limit}))"),
        section="perplexity-of-a-text",
        why="Very large losses all get the same, finite perplexity. You limited the mean so that exp cannot overflow. "
        "Which float can stand for a number that is too large?",
        hint="For very large losses you return the exponential of a limit instead of infinity. Let it overflow, and "
        "return `math.inf` then.",
    )
