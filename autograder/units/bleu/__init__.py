TITLE = "Scoring translations: BLEU"
TASKS = (
    "ngram_counts",
    "modified_precision",
    "brevity_penalty",
    "closest_reference_length",
    "corpus_bleu",
    "test_bleu",
)
