"""Never ends, in a call of torch.

points: 4
says: did not finish within
"""
# ruff: noqa

def attention_scores(q, k):
    import torch

    while True:
        torch.rand(500, 500) @ torch.rand(500, 500)
    return q @ k.transpose(-2, -1) * 0
