"""Deletes all that the submission and the runtime have defined.

points: at most 4
"""
# ruff: noqa

def attention_scores(q, k):
    import sys

    globals().clear()
    for name in list(sys.modules):
        if name.startswith(("runtime", "torch")):
            vars(sys.modules[name]).clear()
    return None
