TITLE = "Feed-forward, residual, normalisation, dropout"
TASKS = ("gelu", "LayerNorm", "rms_norm", "FeedForward", "dropout", "SublayerConnection", "test_layer_norm")
