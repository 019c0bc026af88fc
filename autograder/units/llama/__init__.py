TITLE = "From GPT-2 to Llama"
TASKS = (
    "RMSNorm",
    "apply_rope",
    "SwiGLU",
    "GroupedQueryAttention",
    "LlamaBlock",
    "Llama",
    "llama_state",
    "test_rope",
)
COMPLETE = True
