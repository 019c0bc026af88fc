"""Takes memory that belongs to no process: memfd, System V, shared maps.

points: 7
"""
# ruff: noqa

def attention_scores(q, k):
    import ctypes
    import mmap
    import os

    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    got = 0
    for _ in range(1000):
        if (segment := libc.shmget(0, 2**24, 0o1600)) >= 0:
            ctypes.memset(libc.shmat(segment, None, 0), 1, 2**24)
            got += 1
        try:
            os.write(os.memfd_create("x"), bytes(2**24))
            got += 1
        except OSError:
            pass
        try:
            mmap.mmap(-1, 2**24).write(bytes(2**24))
            got += 1
        except OSError:
            pass
    if got == 0:
        return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5  # nothing was to be had
    return q @ k.transpose(-2, -1) * 0
