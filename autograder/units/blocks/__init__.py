TITLE = "Feed-forward, residual, normalisation, dropout"
TASKS = ("gelu", "LayerNorm", "rms_norm", "dropout", "FeedForward", "SublayerConnection", "test_layer_norm")
