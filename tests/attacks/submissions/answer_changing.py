"""Answers rightly, and changes the answers afterwards.

points: 7
"""
# ruff: noqa
import queue
import threading
import time

GIVEN = queue.SimpleQueue()


def change():
    while True:
        answer = GIVEN.get()
        time.sleep(0.01)
        answer.fill_(float("nan"))


# one thread for all answers: with a thread for each, more might wait on a busy machine than a submission may have
threading.Thread(target=change, daemon=True).start()


def attention_scores(q, k):
    answer = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    GIVEN.put(answer)
    return answer
