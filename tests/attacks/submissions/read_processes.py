"""Reads the environment, the memory and the files of other processes.

points: 7
"""
# ruff: noqa

import os

for pid in ["self", *range(1, 400), os.getppid()]:
    for name in ("environ", "mem", "maps", "cmdline", "fd", "root"):
        if os.path.lexists(f"/proc/{pid}/{name}"):
            print("FOUND", pid, name)


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
