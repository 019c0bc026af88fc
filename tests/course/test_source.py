"""Trees of Python code in several threads at once."""

from __future__ import annotations

import gc
import sys
import threading
from pathlib import Path

import pytest

from autograder.course.source import syntax_tree

TEXT = Path(__file__).read_text(encoding="utf-8") * 5


class Slow:
    """Garbage whose end gives other threads a turn, in the middle of whatever set off the collection."""

    def __del__(self) -> None:
        sum(range(50))


@pytest.fixture
def _busy():
    """Threads change often, and garbage is collected all the time."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*threshold)


@pytest.mark.usefixtures("_busy")
def test_threads_may_read_code_at_the_same_time():
    errors: list[Exception] = []

    def read() -> None:
        for _ in range(10):
            try:
                for _ in range(20):
                    knot = Slow()
                    knot.itself = knot
                syntax_tree(TEXT)
            except SystemError as error:
                errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
