TITLE = "Greedy, sampling, beam search, KV cache"
TASKS = ("greedy_decode", "sample_next", "KVCache", "cached_greedy_decode", "beam_search", "test_beam")
