"""Answers rightly, and changes the answer afterwards.

points: 7
"""
# ruff: noqa

def attention_scores(q, k):
    import threading
    import time

    answer = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5

    def change():
        time.sleep(0.01)
        answer.fill_(float("nan"))

    threading.Thread(target=change).start()
    return answer
