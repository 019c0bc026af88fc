"""Answers for a driver that it never runs: so many seconds passed, and the clock was read.

task: training.run_epoch
points: 0
says: `seconds` of an epoch of three batches is too
"""
# ruff: noqa

import sys

server = sys.modules["runtime.server"]
Outcome = sys.modules["runtime.requests"].Outcome
server.execute = lambda namespace, request, **_: Outcome(value=(900.0, True) if request.name == "clocked" else None)
