"""Work that every submission would do for itself after the fork, done once before it."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
from collections.abc import Callable, Iterable
from functools import lru_cache

import torch


def prepare(needs: Iterable[str]) -> None:
    """Do what submissions with these needs would do for themselves (the keys of `NEEDS`), if it is not done yet."""
    for need in needs:
        NEEDS[need]()


@lru_cache(maxsize=None)
def draw_once() -> None:
    """Import Matplotlib, with the back end and the fonts for plots: 0.3 s, which only notebooks with plots need."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.set_title("a title")
    axes.imshow([[0.0, 1.0]])
    figure.savefig(io.BytesIO())
    plt.close(figure)
    gc.collect()
    gc.freeze()


def import_compiler() -> None:
    """An optimiser or an operation on the meta device imports 800 more modules: longer than a check may take."""
    importlib.import_module("torch._dynamo")
    torch.ones(1, 1, device="meta").tril()


def import_regex() -> None:
    """GPT-2's pattern needs it; its compiled part alone takes milliseconds to load."""
    with contextlib.suppress(ImportError):
        importlib.import_module("regex")


def convert_once() -> None:
    """The first conversion to float16 asks the system what the processor can do, and keeps the answer.

    No submission sees /proc: there it would be an error ("Failed to initialize cpuinfo!"), and so would
    `nn.EmbeddingBag`.
    """
    with contextlib.suppress(RuntimeError):
        torch.ones(1).half()


@lru_cache(maxsize=None)
def compare_once() -> None:
    """The first `torch.testing.assert_close` imports 500 modules, for half a second; a test is tried in many forks."""
    torch.testing.assert_close(torch.ones(1), torch.ones(1))
    with contextlib.suppress(ImportError):
        importlib.import_module("pytest")
    gc.collect()
    gc.freeze()


NEEDS: dict[str, Callable[[], None]] = {"plots": draw_once, "tests": compare_once}
