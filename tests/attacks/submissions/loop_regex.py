"""Never ends, in a regular expression.

points: 4
says: did not finish within
"""
# ruff: noqa

def attention_scores(q, k):
    import re

    re.match('(a+)+b', 'a' * 60)
    return q @ k.transpose(-2, -1) * 0
