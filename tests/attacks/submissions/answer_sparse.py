"""Answers with a sparse tensor.

points: 4
"""
# ruff: noqa

def attention_scores(q, k):

    return (q @ k.transpose(-2, -1)).to_sparse()
