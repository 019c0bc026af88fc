"""Asks for the largest send buffers that the system allows, and fills them: each would hold megabytes.

points: at most 4
says: memory
"""
# ruff: noqa

import os
import socket
import time


def attention_scores(q, k):
    for _ in range(8):
        if os.fork() == 0:
            kept = []
            for _ in range(50):
                pair = socket.socketpair()
                kept.append(pair)
                for one in pair:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**30)
                    one.setblocking(False)
                    try:
                        while True:
                            one.send(bytes(2**16))
                    except BlockingIOError:
                        pass
            time.sleep(60)
    time.sleep(6)
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
