"""Overflows the stack of C.

points: 4
says: crashed|ended|Error|finish
"""
# ruff: noqa

def attention_scores(q, k):
    import sys

    sys.setrecursionlimit(10**9)
    def deeper(x):
        return repr(x)
    value = []
    for _ in range(10**6):
        value = [value]
    deeper(value)
    return sorted([1], key=lambda _: attention_scores(q, k))
    return q @ k.transpose(-2, -1) * 0
