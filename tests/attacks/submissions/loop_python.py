"""Never ends.

points: 4
says: did not finish within
"""
# ruff: noqa

def attention_scores(q, k):
    while True:
        pass
    return q @ k.transpose(-2, -1) * 0
