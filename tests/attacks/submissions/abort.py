"""Aborts its process.

points: 4
says: ended the Python process|crashed
"""
# ruff: noqa

def attention_scores(q, k):
    import os

    os.abort()
    return q @ k.transpose(-2, -1) * 0
