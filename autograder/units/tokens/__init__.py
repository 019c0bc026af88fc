TITLE = "Text to ids: vocabularies and byte-pair encoding"
TASKS = ("Vocabulary", "train_bpe", "bpe_encode", "bpe_decode", "test_bpe")
