"""Fills all the room that it may write to.

points: 7
"""
# ruff: noqa

import os

total = 0
for folder in (".", "/dev/shm", "/tmp"):
    for number in range(100):
        try:
            with open(f"{folder}/{number}", "wb", buffering=0) as file:
                for _ in range(1000):
                    total += file.write(bytes(2**20))
        except OSError:
            break
if total > 200 * 2**20:
    print("FOUND", total)


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
