"""Opens files and sockets without end.

points: 7
"""
# ruff: noqa

import socket

kept = []
try:
    while len(kept) < 5000:
        kept += [open("/dev/null"), *socket.socketpair()]
    print("FOUND", len(kept))
except OSError:
    pass
del kept


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
