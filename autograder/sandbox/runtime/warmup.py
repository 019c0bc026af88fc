"""Work that every submission would do for itself after the fork, done once before it."""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Iterable

import matplotlib
import matplotlib.pyplot as plt
import torch

from .requests import compiled_driver

matplotlib.use("Agg")


def draw_once() -> None:
    """Load the back end and the fonts for plots (0.03 s of the 0.11 s that a notebook with one plot takes)."""
    figure, axes = plt.subplots()
    axes.set_title("a title")
    axes.imshow([[0.0, 1.0]])
    figure.savefig(io.BytesIO())
    plt.close(figure)


def import_compiler() -> None:
    """An optimiser or an operation on the meta device imports 800 more modules: longer than a check may take."""
    importlib.import_module("torch._dynamo")
    torch.ones(1, 1, device="meta").tril()


def convert_once() -> None:
    """The first conversion to float16 asks the system what the processor can do, and keeps the answer.

    No submission sees /proc: there it would be an error ("Failed to initialize cpuinfo!"), and so would
    `nn.EmbeddingBag`.
    """
    with contextlib.suppress(RuntimeError):
        torch.ones(1).half()


def compile_drivers(sources: Iterable[str]) -> None:
    """Compile the drivers of the checks to come (0.013 s a submission for a unit with 92 requests)."""
    for source in sources:
        with contextlib.suppress(SyntaxError):
            compiled_driver(source)
