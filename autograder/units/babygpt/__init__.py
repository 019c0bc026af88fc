TITLE = "BabyGPT: one model, ten steps"
TASKS = ("get_batch", "Head", "MultiHead", "Block", "BabyGPT", "generate", "test_no_peeking")
