"""Never ends, in a call of C that keeps the interpreter.

points: 4
says: did not finish within
"""
# ruff: noqa

def attention_scores(q, k):
    import ctypes

    ctypes.PyDLL(None).sleep(10**6)
    return q @ k.transpose(-2, -1) * 0
