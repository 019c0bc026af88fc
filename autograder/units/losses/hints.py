"""Hints of unit `losses`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "losses.cross_entropy": (
        "The loss of one row is minus the logarithm of the probability that the model gives to the target. Write that "
        "probability as a softmax and take its logarithm on paper: which two terms are left? Which of them has an "
        "exponential, and what keeps it from overflowing? ({Section}`losses#from-logits`.)",
        "`logits` is (N, V) and `targets` (N,). Log-probabilities are (N, V), and `gather` picks one from each row if "
        "its index is (N, 1). A target of -100 is no index, so drop the ignored rows before you pick, with a boolean "
        "mask. Compare `ignore_index` with None, since 0 counts as false. Divide by the number of rows that are left, "
        "but never by 0.",
        "if ignore_index is given:\n"
        "    keep only the rows whose target differs from it\n"
        "shifted = logits less the largest of their row\n"
        "log_probs = shifted less the logarithm of each row's sum of exponentials of shifted\n"
        "nll = minus the log_probs at the targets\n"
        "return sum of nll / (number of rows, at least 1)",
    ),
    "losses.perplexity": (
        "A model that chooses evenly among 50 words gives every word the probability 1/50. What is its mean loss in "
        "nats, and which function turns that into 50 again? ({Section}`losses#perplexity-of-a-text`.)",
        "First the mean, then the exponential: `total_nll / num_tokens` is a small number, `exp(total_nll)` is not. "
        "`math.exp` raises OverflowError from about 710 on. Which result is right there? And what is a mean over 0 "
        "tokens?",
        "if there is no token: raise a ValueError that names num_tokens\n"
        "try to return exp of the mean\n"
        "if that overflows: return infinity",
    ),
    "losses.smooth_labels": (
        "Mix two distributions: all weight on the label, and the same weight on every class. How much of each do you "
        "take, if you take epsilon away from the label? How much does the label get back? "
        "({Section}`losses#smoothed-targets`.)",
        "`F.one_hot(targets, num_classes)` is (N, C) and holds whole numbers, so call `.float()` first. A row then "
        "sums to (1 - epsilon) + C times what you add to each class, and this sum should be 1.",
        "one_hot = one-hot rows of the targets, as float32\n"
        "return (1 - epsilon) times one_hot, plus the share of every class",
    ),
    "losses.LabelSmoothing": (
        "Here a target gets exactly 1 - smoothing, and padding gets nothing. How many classes are left to share the "
        "smoothing? If the target of a row is padding, the row has no right answer. What should that row look like? "
        "({Section}`losses#smoothing-with-padding`.)",
        "Build `true_dist` (N, size) in four steps: the same share everywhere; 1 - smoothing at the targets "
        "(`scatter_` along axis 1); 0 in the padding *column*; 0 in the padding *rows*. Find the rows with a boolean "
        "mask, which works for none, some and all. The divergence is the sum of p (log p - x), where 0 log 0 is 0. "
        "`F.kl_div` handles that case. Which `reduction` adds everything up?",
        "in __init__:\n"
        "    refuse a size below 3; keep the three arguments\n"
        "in forward:\n"
        "    true_dist = like x, filled with smoothing / (how many classes share it)\n"
        "    1 - smoothing at each target; 0 in the column of padding; 0 in rows whose target is padding\n"
        "    keep it as self.true_dist\n"
        "    return the divergence of x from true_dist, summed",
    ),
    "losses.test_smoothing": (
        "Take 4 classes and an epsilon of 0.2. Which number should stand at the label, and which at each of the other "
        "classes? ({Section}`losses#smoothed-targets`.)",
        "Compute the whole expected tensor with the formula, for more classes than rows. Choose targets that include "
        "class 0 but not the last class. Compare with `torch.testing.assert_close`, which checks shape and type as "
        "well. Do it for an epsilon of 0, for one of 1, and for one in between that is not 0.1.",
        "targets = four labels out of 5 classes: class 0 among them, class 4 not\n"
        "for epsilon 0, 0.3 and 1:\n"
        "    expected = (1 - epsilon) * the rows of the identity matrix + epsilon / 5\n"
        "    assert that smooth_labels(targets, 5, epsilon) is close to it",
    ),
}
