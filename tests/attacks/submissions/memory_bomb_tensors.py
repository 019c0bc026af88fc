"""Takes memory for tensors.

points: 4
says: memory
"""
# ruff: noqa

def attention_scores(q, k):
    import torch

    kept = [torch.ones(2**22) for _ in range(10**6)]
    return q @ k.transpose(-2, -1) * 0
