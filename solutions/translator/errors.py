"""What can go wrong with a run; each message is a sentence that says what to do."""

import re

import torch


class BadInput(ValueError):
    """Something that the caller has to change; the message is one sentence that says what."""


class WorkerLost(RuntimeError):
    """Another process of the same run has ended."""


class OutOfMemory(RuntimeError):
    """A step did not fit; the message says what to lower."""


def out_of_memory(error):
    """Whether an exception says that there is not enough memory."""
    return isinstance(error, (torch.cuda.OutOfMemoryError, MemoryError)) or "allocate memory" in str(error)


# gloo reports a lost connection as a plain RuntimeError, so only the words of the message can tell.
CONNECTION_LOST = re.compile("connection|peer|socket|gloo|nccl|timed? ?out|reset|pipe", re.IGNORECASE)


def worker_lost(error):
    """Whether an exception from among several processes says that another one has ended."""
    return CONNECTION_LOST.search(str(error)) is not None
