TITLE = "Self-attention, from dot product to weights"
TASKS = (
    "softmax",
    "attention_scores",
    "scaled_dot_product_attention",
    "SelfAttention",
    "CrossAttention",
    "test_attention",
)
