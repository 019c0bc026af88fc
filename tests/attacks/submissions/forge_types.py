"""Sends tensors where texts belong, and the reverse.

points: at most 4
"""
# ruff: noqa

import gc
import json
import socket
import struct

def reply(text, binary=b""):
    one = next(one for one in gc.get_objects() if type(one) is socket.socket and one.fileno() >= 0)
    one.sendall(struct.pack(">II", len(text), len(binary)) + text + binary)


def attention_scores(q, k):
    tensor = {'tensor': 8, 'dtype': 'float32', 'shape': [2]}
    reply(json.dumps({'dict': [['text', tensor], ['kinds', {'list': [tensor, 5]}], ['missing', tensor]]}).encode(), b'x' * 24)
    return q @ k.transpose(-2, -1) * 0
