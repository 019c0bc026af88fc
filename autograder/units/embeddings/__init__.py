TITLE = "Embeddings and positions"
TASKS = (
    "one_hot",
    "embedding_lookup",
    "TokenEmbedding",
    "sinusoidal_positions",
    "PositionalEncoding",
    "gpt2_embed",
    "mean_pool",
    "max_pool",
    "test_positions",
)
