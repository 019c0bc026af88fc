"""Takes memory for tensors.

Nearly all that is allowed is taken, and the pages that a process copies in the meantime count too. Where the machine is
busy, this is over the limit while another check is running, and the check is lost.

points: at most 4
says: memory
"""
# ruff: noqa

def attention_scores(q, k):
    import torch

    kept = [torch.ones(2**22) for _ in range(10**6)]
    return q @ k.transpose(-2, -1) * 0
