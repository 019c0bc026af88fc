TITLE = "The full encoder-decoder"
TASKS = (
    "EncoderLayer",
    "DecoderLayer",
    "Encoder",
    "Decoder",
    "Generator",
    "Transformer",
    "make_model",
    "shift_right",
    "count_parameters",
    "test_padding_is_ignored",
)
