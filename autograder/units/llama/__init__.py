TITLE = "From GPT-2 to Llama"
TASKS = (
    "RMSNorm",
    "apply_rope",
    "test_rope",
    "SwiGLU",
    "GroupedQueryAttention",
    "LlamaBlock",
    "Llama",
    "llama_state",
)
COMPLETE = True
