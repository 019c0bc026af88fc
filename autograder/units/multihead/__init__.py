TITLE = "Many heads"
TASKS = ("split_heads", "merge_heads", "MultiHeadAttention", "attention_parameters", "ablate_head", "test_heads")
COMPANIONS = ("induction_heads",)
