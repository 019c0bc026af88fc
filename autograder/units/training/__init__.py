TITLE = "Batches, teacher forcing, the training loop, the copy task"
TASKS = ("Batch", "copy_task", "bucket_batches", "run_epoch", "test_accumulation")
IMPORTS_COMPILER = True  # optimisers
