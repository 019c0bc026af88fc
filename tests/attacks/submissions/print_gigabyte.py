"""Prints a gigabyte.

points: 7
"""
# ruff: noqa

import os
import sys

text = "x" * 2**20
for _ in range(512):
    print(text)
    sys.stderr.write(text)
os.write(1, b"x" * 2**20)
sys.__stdout__.write(text)


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
