"""Takes memory without end, in one process.

points: 4
says: MemoryError|memory
"""
# ruff: noqa

def attention_scores(q, k):
    kept = []
    while True:
        kept.append(bytearray(2**24))
