TITLE = "Greedy, sampling, beam search, KV cache"
TASKS = ("greedy_decode", "sample_next", "beam_search", "KVCache", "test_beam")
