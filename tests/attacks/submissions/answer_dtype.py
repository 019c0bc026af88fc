"""Answers in another dtype.

points: 4
"""
# ruff: noqa

def attention_scores(q, k):

    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).to(__import__('torch').complex64)
