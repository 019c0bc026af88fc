"""Looks for what earlier submissions left: files, processes, changed modules.

points: 7
"""
# ruff: noqa

import os

import torch

for folder in ("/learner", "/dev/shm", "/tmp"):
    for name in os.listdir(folder):
        if not os.path.isdir(os.path.join(folder, name)):
            print("FOUND", folder, name)
if hasattr(torch, "left_by") or "LEFT_BY" in os.environ:
    print("FOUND a change")
torch.left_by = os.environ["LEFT_BY"] = "me"


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
