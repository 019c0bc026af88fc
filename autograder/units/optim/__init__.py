TITLE = "AdamW and the warm-up schedule"
TASKS = ("AdamW", "noam_lr", "noam_scheduler", "clip_grad_norm", "test_schedule")
IMPORTS_COMPILER = True  # optimisers
