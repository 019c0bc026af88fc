"""Raises KeyboardInterrupt.

points: 4
says: KeyboardInterrupt
"""
# ruff: noqa

def attention_scores(q, k):
    raise KeyboardInterrupt
    return q @ k.transpose(-2, -1) * 0
