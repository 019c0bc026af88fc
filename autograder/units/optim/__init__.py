TITLE = "AdamW and the warm-up schedule"
TASKS = ("noam_lr", "AdamW", "noam_scheduler", "clip_grad_norm", "test_schedule")
IMPORTS_COMPILER = True  # optimisers
