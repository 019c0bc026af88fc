"""Sleeps a little in every call: timing says nothing and costs no points.

points: 7
"""
# ruff: noqa

import time

time.sleep(0.2)


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
