TITLE = "GPT-2 in C: backward pass, AdamW, training, sampling"
TASKS = (
    "encoder_backward",
    "layernorm_backward",
    "matmul_backward",
    "gelu_backward",
    "residual_backward",
    "crossentropy_softmax_backward",
    "attention_backward",
    "adamw_update",
    "test_gradients",
)
LANGUAGE = "c"
