"""Removes all builtins.

points: at most 4
"""
# ruff: noqa

import builtins

vars(builtins).clear()


def attention_scores(q, k):

    return q @ k.transpose(-2, -1) * 0
