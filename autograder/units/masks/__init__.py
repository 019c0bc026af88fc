TITLE = "Masks: padding, causal, combined"
TASKS = (
    "padding_mask",
    "causal_mask",
    "decoder_mask",
    "apply_mask",
    "masked_softmax",
    "to_key_padding_mask",
    "test_decoder_mask",
)
IMPORTS_COMPILER = True  # causal_mask is checked on the meta device, whose operations import it
