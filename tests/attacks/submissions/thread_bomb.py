"""Starts threads without end.

points: 4
says: thread|processes
"""
# ruff: noqa

def attention_scores(q, k):
    import threading
    import time

    threading.stack_size(65536)
    while True:
        threading.Thread(target=time.sleep, args=(1000,)).start()
