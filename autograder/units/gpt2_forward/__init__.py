TITLE = "GPT-2 in C: memory layout and the forward pass"
TASKS = (
    "encoder_forward",
    "layernorm_forward",
    "matmul_forward",
    "gelu_forward",
    "residual_forward",
    "attention_forward",
    "softmax_forward",
    "crossentropy_forward",
)
LANGUAGE = "c"
