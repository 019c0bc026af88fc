TITLE = "Train it for real: German to English, CPU to many GPUs"
TASKS = (
    "evaluate",
    "early_stopping",
    "save_checkpoint",
    "load_checkpoint",
    "average_gradients",
    "training_resources",
    "attention_maps",
    "read_alignment",
    "train_translator",
)
FORMER_TASKS = ("token_batches", "training_step")  # unit training asks for them; they are given here
IMPORTS_COMPILER = True  # PyTorch's optimisers import it
COMPANIONS = ("translation_gpu",)
