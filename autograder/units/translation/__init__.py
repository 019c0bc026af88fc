TITLE = "Train it for real: German to English, CPU to many GPUs"
TASKS = ("token_batches", "training_step", "evaluate", "attention_maps", "read_alignment", "train_translator")
IMPORTS_COMPILER = True  # optimisers
COMPANIONS = ("translation_gpu",)
