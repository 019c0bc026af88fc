"""Answers with infinity everywhere.

points: 4
"""
# ruff: noqa

def attention_scores(q, k):

    return (q @ k.transpose(-2, -1)).abs() / 0
