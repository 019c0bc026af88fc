TITLE = "Train it for real: German to English, CPU to many GPUs"
TASKS = (
    *("evaluate", "early_stopping", "save_checkpoint", "load_checkpoint", "average_gradients", "training_resources"),
    *("attention_maps", "read_alignment", "train_translator"),
)
IMPORTS_COMPILER = True  # optimisers
COMPANIONS = ("translation_gpu",)
