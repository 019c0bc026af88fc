"""In which line of a learner's code something happened, in words that the learner knows.

A cell is named by its definitions: its number is not shown in the notebook, and its file is temporary.
"""

from __future__ import annotations

import ast
import linecache
import re
import traceback
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import FrameType, TracebackType

import torch

DRIVER_FILE = "<driver>"
_OWN_FOLDER = __file__.rsplit("/", 1)[0]
_LIBRARIES = tuple(module.__file__.rsplit("/", 1)[0] for module in (torch, traceback) if module.__file__)


@dataclass(frozen=True)
class Line:
    """A line of a file or cell that was being executed."""

    file: str
    number: int
    function: str

    @property
    def text(self) -> str:
        return linecache.getline(self.file, self.number).strip()

    @cached_property
    def definition(self) -> str:
        """The function or class, of those that the file itself holds, in which the line stands; ``""`` for none."""
        definitions = (node for node in _tree(self.file).body if isinstance(node, _DEFINITIONS))
        return next((node.name for node in definitions if _holds(node, self.number)), "")

    @cached_property
    def loop(self) -> int | None:
        """The line in which the loop around this line begins: a `while` before any `for`, which rarely lasts."""
        inside = [node for node in ast.walk(_tree(self.file)) if _holds(node, self.number)]
        function = max((node.lineno for node in inside if isinstance(node, _FUNCTIONS)), default=0)
        loops = {
            kind: max((node.lineno for node in inside if isinstance(node, kind) and node.lineno > function), default=0)
            for kind in (ast.While, ast.For)
        }
        return loops[ast.While] or loops[ast.For] or None

    def __str__(self) -> str:
        where = f"line {self.number} of {self._place}"
        return f"{where}: {self.text}" if self.text else where

    @property
    def _place(self) -> str:
        if not _is_cell(self.file):
            return self.file.rsplit("/", 1)[-1].strip("<>")
        if self.definition:
            return f"your cell `{self.definition}`"
        return self.file.strip("<>") if self.file.startswith("<cell") else "the cell"


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def lines_of_traceback(found: TracebackType | None) -> list[Line]:
    """The learner's lines that led to an exception, the outermost first."""
    return _learners((frame, number) for frame, number in traceback.walk_tb(found))


def lines_of_stack(frame: FrameType | None) -> list[Line]:
    """The learner's lines that are being executed, the outermost first."""
    return _learners(reversed(list(traceback.walk_stack(frame))))


def _learners(frames: Iterator[tuple[FrameType, int]]) -> list[Line]:
    lines = (Line(frame.f_code.co_filename, number, frame.f_code.co_name) for frame, number in frames)
    return [line for line in lines if is_learners(line.file)]


def is_learners(file: str) -> bool:
    """Whether code of this file is neither a driver's, nor this package's, nor a library's."""
    return file != DRIVER_FILE and not file.startswith(_OWN_FOLDER) and not is_library(file)


def is_library(file: str) -> bool:
    return file.startswith(_LIBRARIES) or "site-packages" in file


def where_raised(lines: Sequence[Line], asked: Collection[str]) -> str:
    """Where an exception came from: the line in the cell that defines the ``asked`` name, and the innermost line.

    If no line belongs to such a cell, the innermost line that is the learner's own, not the course's.
    """
    if not lines:
        return ""
    learners = [line for line in lines if not _is_the_courses(line.file)]
    files = {line.file for line in learners if line.definition in asked} or {line.file for line in learners}
    own = next((line for line in reversed(learners) if line.file in files), lines[-1])
    if own.file == lines[-1].file:
        return f"{own}"
    inside = lines[-1].definition or lines[-1].function
    raised = f"{own}; raised in `{inside}`"
    return f"{raised}: {lines[-1].text}" if lines[-1].text else raised  # some files have no text, as generated code


def where_it_was(lines: Sequence[Line]) -> str:
    """Where code was when its time ran out: the line, and the innermost loop around it or around its callers."""
    if not lines:
        return ""
    around = next((line for line in reversed(lines) if line.loop), None)
    if around is None or around.loop is None:
        return f"{lines[-1]}"
    loop = Line(around.file, around.loop, around.function)
    return f"{loop}" if loop == lines[-1] else f"{lines[-1]} (in the loop of {loop})"


def _is_the_courses(file: str) -> bool:
    """Whether it holds the course's code for earlier units."""
    return file.startswith("<solutions.")


def _is_cell(file: str) -> bool:
    return "ipykernel" in file or bool(re.match(r"<(cell|ipython-input)\b", file))


def _tree(file: str) -> ast.Module:
    return _parsed("".join(linecache.getlines(file)))


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _holds(node: ast.AST, number: int) -> bool:
    first = getattr(node, "lineno", None)
    return first is not None and first <= number <= (getattr(node, "end_lineno", None) or first)
