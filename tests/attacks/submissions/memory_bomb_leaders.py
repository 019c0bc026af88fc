"""Takes memory in processes whose first thread has ended: such a process shows none under its own number.

points: at most 4
says: memory
"""
# ruff: noqa

import ctypes
import os
import platform
import threading
import time

EXIT = {"x86_64": 60, "aarch64": 93}.get(platform.machine(), 1)


def take():
    time.sleep(1)
    kept = bytearray(b"x") * (150 * 2**20)
    time.sleep(60)
    return kept


children = []
started = time.monotonic()


def attention_scores(q, k):
    while len(children) < 6:
        children.append(os.fork())
        if children[-1] == 0:
            threading.Thread(target=take).start()
            ctypes.CDLL(None).syscall(EXIT, 0)  # ends this thread alone
            time.sleep(60)
    time.sleep(4 if time.monotonic() < started + 10 else 0)
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
