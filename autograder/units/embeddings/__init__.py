TITLE = "Embeddings and positions"
TASKS = (
    "one_hot",
    "embedding_lookup",
    "TokenEmbedding",
    "sinusoidal_positions",
    "gpt2_embed",
    "PositionalEncoding",
    "mean_pool",
    "max_pool",
    "test_positions",
)
