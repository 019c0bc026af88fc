"""Replaces the serialiser, which then sends pickles.

points: at most 4
says: not an answer|not JSON
"""
# ruff: noqa

import pickle
import struct
import sys

class Evil:
    def __reduce__(self):
        return (print, ("owned",))

def encode(value):
    data = pickle.dumps(Evil())
    return struct.pack(">II", len(data), 0) + data

sys.modules["runtime.wire"].encode = encode


def attention_scores(q, k):

    return q @ k.transpose(-2, -1) * 0
