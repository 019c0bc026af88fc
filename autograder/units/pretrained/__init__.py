TITLE = "GPT-2's weights in your code"
TASKS = ("GPT2", "gpt2_state", "generate_text")
PAIRS = (("GPT2", "gpt2_state"),)  # names inside the class are free, and only this function knows them
COMPLETE = True
