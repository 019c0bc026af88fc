"""Checks of the unit on losses. Expected values come from loops over numbers, not from the reference.

First comes what several tasks share, then each task with its drivers, helpers and checks, from basic to subtle. Each
check looks at one mechanism. Numbers by which a loss could be divided (rows, classes, counted targets) differ in nearly
all cases; a square matrix is there on purpose.
"""

import math

import pytest
import torch

from autograder.judging.assertions import assert_close, assert_equal, assert_python_number
from autograder.judging.replies import LearnerRaised, assert_raises
from autograder.units.support.drivers import weighted_gradients

# ---------------------------------------------------------------------------------------------------------------------
# What several tasks share


def targets_with(rng, number, classes, *always):
    """Random targets, each of ``always`` among them at a random index."""
    targets = rng.integers(0, classes, number)
    indices = rng.uniform(number).argsort()[: len(always)]
    targets[indices] = torch.tensor(always)
    return targets


# ---------------------------------------------------------------------------------------------------------------------
# cross_entropy


def loss_and_arguments(learner, logits, targets, ignore_index):
    """The loss, and the arguments as the call left them."""
    options = {} if ignore_index is None else {"ignore_index": ignore_index}
    return learner.cross_entropy(logits, targets, **options), logits, targets


def mean_nll(logits, targets, ignore_index=None):
    """The mean loss, computed row by row in Python's floats, as a scalar in the logits' dtype."""
    losses = []
    for row, target in zip(logits.double().tolist(), targets.tolist()):
        if target != ignore_index:
            losses.append(math.log(sum(math.exp(logit - max(row)) for logit in row)) + max(row) - row[target])
    return torch.tensor(sum(losses) / max(len(losses), 1), dtype=logits.dtype)


def check_loss(learner, logits, targets, ignore_index=None, tolerance=(None, None)):
    shape = tuple(logits.shape)
    what = f"cross_entropy(logits {shape}, targets {targets.tolist()}, ignore_index={ignore_index})"
    loss, *_ = learner.run(loss_and_arguments, logits, targets, ignore_index)
    assert_close(loss, mean_nll(logits, targets, ignore_index), what, *tolerance)


@pytest.mark.task("losses.cross_entropy", points=2)
def test_mean_of_rows(learner, reference, rng):
    """The loss is minus the log-probability of the target, averaged over the rows."""
    # Class 0 is always among the targets: catches ignoring padding unasked. The square catches a mix-up of its axes.
    for number, classes in ((5, 7), (6, 3), (4, 4), (2, 9)):
        check_loss(learner, 2 * rng.normal(number, classes), targets_with(rng, number, classes, 0, classes - 1))
    check_loss(learner, rng.normal(1, 6), rng.integers(0, 6, 1))


@pytest.mark.task("losses.cross_entropy", points=2)
def test_large_logits(learner, reference, rng):
    """The loss is right for logits of 10,000, and for rows that lie far apart."""
    for dtype in (torch.float32, torch.float64):
        # Near 10,000, neighbouring float32 numbers are 0.001 apart, which shows in some right forms.
        tolerance = (1e-3, 5e-3) if dtype == torch.float32 else (None, 1e-8)
        noise = rng.normal(4, 5, dtype=dtype)
        for centres in ((1e4, 1e4, 1e4, 1e4), (-1e4, -1e4, -1e4, -1e4), (1e4, 0, -1e4, 100)):
            logits = noise + torch.tensor(centres, dtype=dtype)[:, None]
            check_loss(learner, logits, rng.integers(0, 5, 4), tolerance=tolerance)
        # A target whose probability is nearly 0: catches logarithms of 0, and limits of any size.
        for gap in (50.0, 200.0, 1e4):
            logits, targets = noise.clone(), rng.integers(0, 5, 4)
            logits[1, targets[1]] -= gap
            logits[2, (targets[2] + 1) % 5] += gap
            check_loss(learner, logits, targets, tolerance=tolerance)


@pytest.mark.task("losses.cross_entropy", points=2)
def test_ignore_index(learner, reference, rng):
    """Rows whose target is ignore_index count neither in the sum nor in the divisor."""
    number, classes = 9, 6
    # 3 is a class in the middle, 0 is padding and counts as false in Python, and -100 is no class: code that looks up
    # every target fails with it. Classes 0, 1 and 3 are always among the targets, ignored or not.
    for ignored in (3, 0, classes - 1, -100):
        targets = targets_with(rng, number, classes, 0, 3, 1, ignored, ignored)
        check_loss(learner, 2 * rng.normal(number, classes), targets, ignored)
    # An ignore_index that does not occur among the targets.
    check_loss(learner, rng.normal(4, classes), targets_with(rng, 4, classes - 1, 0, 2), classes - 1)


def loss_and_gradient(learner, logits, targets, ignore_index):
    """The loss, and its gradient with respect to the logits."""
    logits = logits.clone().requires_grad_()
    options = {} if ignore_index is None else {"ignore_index": ignore_index}
    loss = learner.cross_entropy(logits, targets, **options)
    return loss, weighted_gradients(loss, None, [logits])[0]


@pytest.mark.task("losses.cross_entropy", points=1)
def test_nothing_counted(learner, reference, rng):
    """If every target is ignored the loss is 0, with finite gradients."""
    # Other float types catch a 0 in a new tensor, which PyTorch makes in float32.
    for ignored, dtype in ((0, torch.float32), (2, torch.bfloat16), (-100, torch.float64)):
        logits, targets = rng.normal(4, 5, dtype=dtype), torch.full((4,), ignored)
        targets[int(rng.integers(0, 4, 1))] = 4  # first with one that counts
        check_loss(learner, logits, targets, ignored)
        targets[:] = ignored
        loss, gradient = learner.run(loss_and_gradient, logits, targets, ignored, uses=(weighted_gradients,))
        where = f"when all targets are {ignored}, which is ignore_index"
        assert_equal(loss, torch.zeros((), dtype=dtype), f"the loss {where}")
        assert_equal(gradient, torch.zeros_like(logits), f"the gradient {where}")


def mean_nll_gradient(logits, targets, ignore_index=None):
    """Softmax minus one-hot, divided by the number of counted rows; 0 in the rows that do not count."""
    gradient = torch.zeros_like(logits)
    counted = [i for i, target in enumerate(targets.tolist()) if target != ignore_index]
    for i in counted:
        gradient[i] = logits[i].softmax(0)
        gradient[i, targets[i]] -= 1
    return gradient / max(len(counted), 1)


@pytest.mark.task("losses.cross_entropy", points=1)
def test_loss_gradient(learner, reference, rng):
    """The gradient is softmax minus one-hot, divided by the number of counted rows."""
    for ignored in (None, -100, 0):
        logits = rng.normal(7, 4, dtype=torch.float64)
        targets = targets_with(rng, 7, 4, 1, 3, 0 if ignored is None else ignored)
        got = learner.run(loss_and_gradient, logits, targets, ignored, uses=(weighted_gradients,))
        expected = mean_nll(logits, targets, ignored), mean_nll_gradient(logits, targets, ignored)
        where = f"ignore_index={ignored}"
        assert_close(got, expected, (f"the loss ({where})", f"the gradient for the logits ({where})"))
    # Where the model is sure and wrong, the gradient is largest: catches limits, which make it 0.
    logits = rng.normal(3, 4, dtype=torch.float64)
    targets = rng.integers(0, 4, 3)
    logits[0, targets[0]] -= 60
    _, gradient = learner.run(loss_and_gradient, logits, targets, None, uses=(weighted_gradients,))
    assert_close(gradient, mean_nll_gradient(logits, targets), "the gradient where the target is very improbable")


@pytest.mark.task("losses.cross_entropy", points=1)
def test_loss_types_and_arguments(learner, reference, rng):
    """Keeps the float type, and leaves the arguments unchanged."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        logits, targets = rng.normal(6, 5, dtype=dtype), targets_with(rng, 6, 5, -100, -100, 0)
        loss, *after = learner.run(loss_and_arguments, logits, targets, -100)
        assert_close(loss, mean_nll(logits, targets, -100), f"cross_entropy of {dtype} logits")
        assert_equal(tuple(after), (logits, targets), ("logits after the call", "targets after the call"))


# ---------------------------------------------------------------------------------------------------------------------
# perplexity


def assert_float(got, expected, what, tolerance):
    """The result is a Python float, not a tensor, and has this value."""
    assert_python_number(got, expected, what, tolerance, kind="float")


@pytest.mark.task("losses.perplexity", points=2)
def test_exponential_of_the_mean(learner, reference, rng):
    """The exponential of the mean, with e as its base."""
    for tokens in (7, 1, 40, 333):
        total = tokens * float(rng.uniform(1, low=0.5, high=6, dtype=torch.float64))
        # 1e-5: a detour through float32 is a style, not a mistake.
        assert_float(
            learner.perplexity(total, tokens), math.e ** (total / tokens), f"perplexity({total}, {tokens})", 1e-5
        )
    assert_float(learner.perplexity(0.0, 5), 1.0, "perplexity(0.0, 5)", 1e-9)


@pytest.mark.task("losses.perplexity", points=1)
def test_large_losses(learner, reference, rng):
    """Large losses give large numbers, and inf beyond the range of a float."""
    tokens = int(rng.integers(2, 9, 1))
    # Up to a mean of 70 even float32 holds the result; from 710 on no float does.
    for mean in (30.0, 70.0, 720.0, 5000.0):
        expected = math.exp(mean) if mean < 700 else math.inf
        got = learner.perplexity(mean * tokens, tokens)
        assert_float(got, expected, f"perplexity({mean * tokens}, {tokens})", 1e-4)


@pytest.mark.task("losses.perplexity", points=1)
def test_no_tokens(learner, reference, rng):
    """0 tokens are an error."""
    for total in (float(rng.uniform(1, low=1, high=9)), 0.0):
        # First with tokens: catches code that raises whatever it gets.
        assert_float(learner.perplexity(total, 3), math.exp(total / 3), f"perplexity({total}, 3)", 1e-5)
        what = f"perplexity({total}, 0)"
        try:
            learner.perplexity(total, 0)
        except LearnerRaised as raised:
            # Python's own error for a division by 0 says what is wrong as well.
            if not {"ValueError", "TypeError", "ZeroDivisionError"} & set(raised.kinds):
                raise AssertionError(f"{what} should raise ValueError, but raised {raised.kind}.") from None
        else:
            raise AssertionError(f"{what} raised no error, but should raise ValueError: 0 tokens have no mean.")


# ---------------------------------------------------------------------------------------------------------------------
# smooth_labels


@pytest.mark.task("losses.smooth_labels", points=1)
def test_rows_sum_to_one(learner, reference, rng):
    """Every row sums to 1."""
    for number, classes, epsilon in ((4, 6, 0.1), (3, 2, 0.3), (5, 40, 0.25)):
        labels = learner.smooth_labels(targets_with(rng, number, classes, classes - 1), classes, epsilon)
        what = f"smooth_labels with {number} targets, {classes} classes and epsilon {epsilon}"
        assert_close(labels, torch.zeros(number, classes), what, atol=math.inf)  # for now only type and shape
        assert_close(labels.sum(-1), torch.ones(number), f"the sums of the rows of {what}")


@pytest.mark.task("losses.smooth_labels", points=2)
def test_shares(learner, reference, rng):
    """Epsilon is shared by all classes, the target included."""
    # One target, then one class: catches axes of length 1 that are squeezed away.
    for number, classes, epsilon in ((4, 6, 0.1), (7, 3, 0.4), (5, 5, 0.2), (1, 8, 0.05), (3, 1, 0.3)):
        # If there are several, the last class does not occur: catches counting the classes in the targets.
        targets = targets_with(rng, number, max(classes - 1, 1), 0)
        labels = learner.smooth_labels(targets, classes, epsilon)
        expected = [
            [epsilon / classes + (1 - epsilon if c == target else 0) for c in range(classes)]
            for target in targets.tolist()
        ]
        what = f"smooth_labels({targets.tolist()}, {classes}, {epsilon})"
        assert_close(labels, torch.tensor(expected), what, atol=1e-6)


@pytest.mark.task("losses.smooth_labels", points=1)
def test_no_smoothing_and_nothing_but(learner, reference, rng):
    """Epsilon 0 gives one-hot rows, epsilon 1 uniform ones."""
    targets = targets_with(rng, 5, 4, 0, 3)
    one_hot = torch.tensor([[float(c == target) for c in range(4)] for target in targets.tolist()])
    assert_close(learner.smooth_labels(targets, 4, 0.0), one_hot, f"smooth_labels({targets.tolist()}, 4, 0.0)")
    uniform = torch.full((5, 4), 0.25)
    assert_close(learner.smooth_labels(targets, 4, 1.0), uniform, f"smooth_labels({targets.tolist()}, 4, 1.0)")


def labels_and_targets(learner, targets, num_classes, epsilon):
    """The smoothed labels, and the targets as the call left them."""
    return learner.smooth_labels(targets, num_classes, epsilon), targets


@pytest.mark.task("losses.smooth_labels", points=1)
def test_labels_type_and_argument(learner, reference, rng):
    """Returns float32, and leaves the targets as they were."""
    targets = targets_with(rng, 6, 5, 0, 4)
    labels, after = learner.run(labels_and_targets, targets, 5, 0.2)
    expected = 0.8 * (targets[:, None] == torch.arange(5)) + 0.2 / 5
    assert_close(labels, expected, "smooth_labels(targets, 5, 0.2)")
    assert_equal(after, targets, "targets after the call")


# ---------------------------------------------------------------------------------------------------------------------
# LabelSmoothing


def smoothing_loss(learner, arguments, x, target, earlier):
    """The loss, the kept targets, and the arguments after the call; ``earlier``: targets of a call that comes first."""
    module = learner.LabelSmoothing(*arguments)
    if earlier is not None:
        module(x.clone(), earlier)
        module.eval()  # a loss has no mode: catches smoothing in training only
    loss = module(x, target)
    return loss, getattr(module, "true_dist", None), x, target


def padded_distribution(target, size, padding_idx, smoothing):
    """The smoothed targets without padding, entry by entry."""

    def probability(row, column):
        if padding_idx in (row, column):
            return 0.0
        return 1 - smoothing if column == row else smoothing / (size - 2)

    return torch.tensor([[probability(row, c) for c in range(size)] for row in target.tolist()], dtype=torch.float64)


def log_probabilities(rng, number, size, dtype=torch.float32, scale=2):
    return (scale * rng.normal(number, size, dtype=torch.float64)).log_softmax(-1).to(dtype)


def smoothing_named(arguments, target):
    shown = ", ".join(map(str, arguments))
    return f"LabelSmoothing({shown}) for targets {target.tolist()}"


@pytest.mark.task("losses.LabelSmoothing", points=2)
def test_true_dist(learner, reference, rng):
    """The target gets 1 - smoothing, padding nothing, and the others share the smoothing."""
    for number, size, smoothing in ((4, 7, 0.1), (6, 5, 0.4), (3, 3, 0.2)):
        target = 1 + targets_with(rng, number, size - 1, 0)  # no padding among the targets
        arguments, x = (size, 0, smoothing), log_probabilities(rng, number, size)
        _, true_dist, *_ = learner.run(smoothing_loss, arguments, x, target, None)
        expected = padded_distribution(target, *arguments).float()
        assert_close(true_dist, expected, f"true_dist of {smoothing_named(arguments, target)}", atol=1e-6)


def divergence(x, distribution):
    """The divergence, summed over the entries where the distribution is not 0."""
    pairs = zip(distribution.flatten().tolist(), x.double().flatten().tolist())
    return torch.tensor(sum(p * (math.log(p) - log_q) for p, log_q in pairs if p > 0), dtype=x.dtype)


def check_smoothing(learner, arguments, x, target, earlier=None, tolerance=(None, None), kept=True):
    """The loss, and with ``kept`` also ``true_dist``; ``arguments`` may lack the smoothing, which is 0 then."""
    loss, true_dist, *after = learner.run(smoothing_loss, arguments, x, target, earlier)
    expected = padded_distribution(target, *arguments[:2], arguments[2] if len(arguments) > 2 else 0.0)
    what = smoothing_named(arguments, target)
    if kept:
        assert_close(true_dist, expected.to(x.dtype), f"true_dist of {what}", *tolerance)
    assert_close(loss, divergence(x, expected), f"the loss of {what}", *tolerance)
    return after


@pytest.mark.task("losses.LabelSmoothing", points=2)
def test_divergence(learner, reference, rng):
    """The loss is the divergence from the smoothed targets, added over rows and classes."""
    for number, size, smoothing in ((4, 6, 0.1), (7, 5, 0.4), (1, 9, 0.3)):
        target = 1 + rng.integers(0, size - 1, number)
        check_smoothing(learner, (size, 0, smoothing), log_probabilities(rng, number, size), target, kept=False)
    # A model that is very sure, of whatever class: catches limits, and probabilities that have become 0.
    target = 1 + rng.integers(0, 6, 5)
    check_smoothing(learner, (7, 0, 0.2), log_probabilities(rng, 5, 7, scale=100), target, kept=False)
    # A model that predicts the targets exactly has the loss 0, not their entropy. (The clamp avoids log 0 for padding.)
    target = 1 + rng.integers(0, 4, 6)
    exact = padded_distribution(target, 5, 0, 0.4).float().clamp(min=1e-9).log()
    check_smoothing(learner, (5, 0, 0.4), exact, target, kept=False)


@pytest.mark.task("losses.LabelSmoothing", points=1)
def test_padding_targets(learner, reference, rng):
    """Rows of padding are zero and add nothing, whether none, one, several or all rows are padding."""
    size, smoothing = 6, 0.3
    some = rng.uniform(5).argsort()
    # Row 0 alone: code that adds up the numbers of the padding rows, or asks whether one of them is true, finds none.
    for padded in (some[:1], some[:0], [0], some[:3], some):
        target = 1 + rng.integers(0, size - 1, 5)
        target[padded] = 0
        x = log_probabilities(rng, 5, size)
        x[1] = x[1].roll(-int(x[1].argmax()))  # the model predicts padding: catches leaving that row out
        check_smoothing(learner, (size, 0, smoothing), x, target)


@pytest.mark.task("losses.LabelSmoothing", points=1)
def test_padding_idx(learner, reference, rng):
    """Padding may be another class than 0."""
    for size, padding_idx in ((6, 5), (7, 2), (4, 1)):
        target = targets_with(rng, 6, size, padding_idx, 0, padding_idx, 3)
        check_smoothing(learner, (size, padding_idx, 0.2), log_probabilities(rng, 6, size), target)


@pytest.mark.task("losses.LabelSmoothing", points=1)
def test_smoothing_of_zero_and_one(learner, reference, rng):
    """Without smoothing, which is the default, the loss is the summed cross-entropy; with 1 the target gets nothing."""
    for smoothing in ((), (0.0,), (1.0,)):
        target = targets_with(rng, 5, 6, 0, 2, 4)
        check_smoothing(learner, (6, 0, *smoothing), log_probabilities(rng, 5, 6), target)


def smoothing_gradient(learner, arguments, logits, target):
    """The loss of the logits' log-softmax, and its gradient for the logits."""
    logits = logits.clone().requires_grad_()
    loss = learner.LabelSmoothing(*arguments)(logits.log_softmax(-1), target)
    return loss, weighted_gradients(loss, None, [logits])[0]


@pytest.mark.task("losses.LabelSmoothing", points=1)
def test_smoothing_gradient(learner, reference, rng):
    """Gradients reach the prediction, and are 0 in rows of padding."""
    for smoothing in (0.1, 0.0):
        logits, target = rng.normal(6, 5, dtype=torch.float64), targets_with(rng, 6, 5, 0, 1, 0, 3)
        arguments = (5, 0, smoothing)
        distribution = padded_distribution(target, *arguments)
        expected = (
            divergence(logits.log_softmax(-1), distribution),
            logits.softmax(-1) * distribution.sum(-1, keepdim=True) - distribution,
        )
        what = smoothing_named(arguments, target)
        got = learner.run(smoothing_gradient, arguments, logits, target, uses=(weighted_gradients,))
        assert_close(got, expected, (f"the loss of {what}", f"the gradient for the logits of {what}"))


@pytest.mark.task("losses.LabelSmoothing", points=1)
def test_size(learner, reference, rng):
    """A size of 3 is enough, a smaller one is an error."""
    target = torch.tensor([1, 2, 0, 2])
    check_smoothing(learner, (3, 0, 0.1), log_probabilities(rng, 4, 3), target)
    for size in (2, 1):
        arguments = (size, 0, 0.1)
        x, target = log_probabilities(rng, 3, size), rng.integers(0, size, 3)
        assert_raises(
            ValueError,
            lambda: learner.run(smoothing_loss, arguments, x, target, None),
            f"LabelSmoothing(size={size}, padding_idx=0, smoothing=0.1)",
        )


@pytest.mark.task("losses.LabelSmoothing", points=1)
def test_smoothing_types_and_arguments(learner, reference, rng):
    """A second call in evaluation mode is right too, in the prediction's float type; arguments stay unchanged."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x, target = log_probabilities(rng, 4, 5, dtype), targets_with(rng, 4, 5, 0, 1, 2)
        # A sum of products in bfloat16 has several roundings: 1e-1. float64 shows shares that were made in float32.
        tolerance = (1e-1, 1e-1) if dtype == torch.bfloat16 else (None, None)
        after = check_smoothing(learner, (5, 0, 0.1), x, target, earlier=target.flip(0), tolerance=tolerance)
        assert_equal(tuple(after), (x, target), ("x after the call", "target after the call"))
