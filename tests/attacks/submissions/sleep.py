"""Sleeps longer than it may.

points: 4
says: did not finish within
"""
# ruff: noqa

def attention_scores(q, k):
    import time

    time.sleep(1000)
    return q @ k.transpose(-2, -1) * 0
