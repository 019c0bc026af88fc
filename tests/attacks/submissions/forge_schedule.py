"""Answers that the scheduler is of the right class, with rates of zeros.

task: optim.noam_scheduler
points: 0
says: rates
"""
# ruff: noqa

import sys

import torch

server = sys.modules["runtime.server"]
Outcome = sys.modules["runtime.requests"].Outcome


def execute(namespace, request, **_):
    steps, groups = request.args[1:3]
    zeros = torch.zeros(steps, groups, dtype=torch.float64)
    return Outcome(value=[["torch.optim.lr_scheduler.LambdaLR"], zeros, zeros])


server.execute = execute
