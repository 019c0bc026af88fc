TITLE = "Greedy, sampling, beam search, KV cache"
TASKS = ("greedy_decode", "sample_next", "beam_search", "KVCache", "cached_greedy_decode", "test_beam")
