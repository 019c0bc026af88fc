"""How much a unit's reference solution computes for some requests, as a number that no clock changes.

Hundreds of slips are run on one check. What this may cost is bounded by a number of them, and that number follows from
the work for one: every machine then tries the same slips, however fast it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch.overrides import TorchFunctionMode

from autograder.judging.cache import ENTRY_BYTES, WORK
from autograder.judging.implementations import Turns, names_that_count, turns_allowed
from autograder.judging.subject import LocalSubject
from autograder.sandbox.runtime.requests import Request

WORK_OF_ONE = 100  # to compile a slip, in the unit of `work`
CHEAP = 100  # a check with no more work than that allows all slips
MOST_WORK = 60_000  # for all slips of a task in one check: about half a second
WORK_TO_VERIFY = 240_000  # for those that explain this check, which are few, in all others


class _Operations(TorchFunctionMode):
    """Counts the operations on tensors, as Python calls them; the backward pass is one.

    (A `TorchDispatchMode` would count all exactly. It imports torch's compiler, which takes a second.)
    """

    def __init__(self) -> None:
        super().__init__()
        self.number = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.number += 1
        return func(*args, **(kwargs or {}))


def work(unit: str, requests: Sequence[Request], key: bytes) -> int:
    """The operations on tensors and the turns of loops that the requests take; ``key``: a hash of them."""
    known = WORK.get(key)
    if known is None:
        turns, operations = Turns(), _Operations()
        subject = LocalSubject(names_that_count(unit, turns))
        with operations:
            for request in requests:
                subject.ask(request)
        known = operations.number + turns.number
        WORK.put(key, known, ENTRY_BYTES)
    return known


@contextmanager
def loops_end(work_of_one: int) -> Iterator[None]:
    """Inside, a slip whose loops turn more often than right code has turns and operations raises an exception.

    The later turns of such a loop may cost more than the first ones: decoding reads all that it has written.
    """
    token = turns_allowed.set(100 + work_of_one)
    try:
        yield
    finally:
        turns_allowed.reset(token)
