"""Changes its arguments, as if the grader kept them.

points: 4
"""
# ruff: noqa

def attention_scores(q, k):
    q.zero_()
    k.zero_()
    return q @ k.transpose(-2, -1)
