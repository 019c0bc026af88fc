"""Crashes with a segmentation fault.

points: 4
says: crashed Python
"""
# ruff: noqa

def attention_scores(q, k):
    import ctypes

    ctypes.string_at(0)
    return q @ k.transpose(-2, -1) * 0
