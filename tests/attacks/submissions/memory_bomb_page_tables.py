"""Reads one byte of every 2 MB of a terabyte: no page of it is the process's own, but the tables of the pages are.

A unit in C has no limit on addresses, since sanitizers need terabytes.

task: gpt2_forward.residual_forward
points: 0
says: Too much memory
"""
# ruff: noqa

import mmap
import time

NORESERVE = 0x4000
SIZE = 2**40
kept = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE, prot=mmap.PROT_READ)
total = sum(kept[i] for i in range(0, SIZE, 2**21))
time.sleep(5)
print("FOUND", total, "bytes of memory that nobody counts")
