TITLE = "Cross-entropy, perplexity, label smoothing"
TASKS = ("cross_entropy", "perplexity", "smooth_labels", "LabelSmoothing", "test_smoothing")
