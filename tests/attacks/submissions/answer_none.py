"""Answers with nothing.

points: 4
"""
# ruff: noqa

def attention_scores(q, k):

    return None
