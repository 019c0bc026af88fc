"""Executing a submission's cells, one by one, as a notebook would, but with nothing that can wait or shout.

Magics and shell lines are understood and do nothing (cell magics that only time or capture run their body),
``input()`` answers with an empty line, plots are drawn on no screen, output is kept up to a limit.
"""

from __future__ import annotations
import __future__

import ast
import asyncio
import builtins
import contextlib
import io
import linecache
import sys
import traceback
import types
from dataclasses import dataclass
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from .requests import steady

MAX_OUTPUT = 10_000
_FUTURE_FLAGS = __future__.annotations.compiler_flag
_RUN_BODY = {"time", "timeit", "capture", "prun", "python", "python3", "pypy"}


@dataclass(frozen=True)
class CellResult:
    """What a cell printed (shortened) and the error it ended with, if any."""

    output: str = ""
    error: str = ""


class BoundedOutput(io.TextIOBase):
    """Standard output that keeps the beginning and counts the rest."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._kept = 0
        self.dropped = 0

    def write(self, text: str) -> int:
        room = MAX_OUTPUT - self._kept
        self._parts.append(text[:room])
        self._kept += min(len(text), room)
        self.dropped += max(0, len(text) - room)
        return len(text)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def text(self) -> str:
        note = f"\n[{self.dropped} more characters were left out]" if self.dropped else ""
        return "".join(self._parts) + note


class QuietShell:
    """Stands in for IPython's shell: magics and shell commands are skipped."""

    def __init__(self, runner: CellRunner):
        self._runner = runner
        self.user_ns = runner.namespace

    def run_cell_magic(self, name: str, line: str, body: str) -> None:
        words = line.split()
        file = next((word for word in words if word.endswith(".c")), "")
        if name == "c" or (name == "writefile" and file):
            self._runner.add_c(body, file, append="-a" in words)
        elif name in _RUN_BODY:
            self._runner.run_source(body, f"<body of %%{name}>")
        else:
            print(f"[%%{name} is skipped when grading]")

    def run_line_magic(self, name: str, line: str, *_: Any, **__: Any) -> None:
        if name in ("time", "timeit") and line:
            self._runner.run_source(line, f"<line of %{name}>")

    def system(self, *_: Any, **__: Any) -> None:
        print("[shell commands are skipped when grading]")

    def getoutput(self, *_: Any, **__: Any) -> list[str]:
        return []

    def __getattr__(self, name: str) -> Any:
        return _accept_anything


def _accept_anything(*_: Any, **__: Any) -> None:
    """For whatever else a notebook may call: it does nothing."""


class CellRunner:
    """A namespace in which cells are executed."""

    def __init__(self) -> None:
        self._module = types.ModuleType("__main__")
        self._module.__dict__["__builtins__"] = builtins
        self.namespace = self._module.__dict__
        self._transform = TransformerManager().transform_cell
        self._cell = 0
        self._future = 0  # `from __future__ import …` holds for the cells after it as well

    def prepare(self) -> None:
        """Make this process look like a notebook's kernel to the code that is about to run."""
        sys.modules["__main__"] = self._module
        shell = QuietShell(self)
        for name, value in {
            "get_ipython": lambda: shell,
            "display": lambda *values, **_: print(*values),
            "input": lambda prompt="": "",
        }.items():
            setattr(builtins, name, value)
        sys.modules.update(_stand_ins())

    def run(self, index: int, source: str) -> CellResult:
        """Execute one cell. Its error is reported, not raised; what it defined before the error stays."""
        self._cell = index
        output = BoundedOutput()
        stdout, stderr = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = output
        try:
            self.run_source(source, f"<cell {index}>")
            return CellResult(output.text())
        except BaseException as error:
            return CellResult(output.text(), _describe(error, f"<cell {index}>"))
        finally:
            sys.stdout, sys.stderr = stdout, stderr

    def add_c(self, text: str, file: str, append: bool) -> None:
        """Keep the C code of a cell, or of the file that it is written to; it is compiled when it is first called."""
        from . import c  # where there is no C code, nothing of it is needed

        code = self.namespace.setdefault(c.C_CODE, c.CCode())
        # The line of the magic is a line of the cell, but not of the file.
        code.add(file or f"cell {self._cell}", text if file else "\n" + text, append)

    def run_source(self, source: str, filename: str) -> None:
        stripped = source.lstrip("\n")  # IPython drops empty lines before the code; line numbers need them
        text = "\n" * (len(source) - len(stripped)) + self._transform(stripped)
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | self._future
        code = compile(text, filename, "exec", flags=flags, dont_inherit=True)
        self._future |= code.co_flags & _FUTURE_FLAGS
        result = eval(code, self.namespace)
        if asyncio.iscoroutine(result):
            asyncio.run(result)


def _describe(error: BaseException, filename: str) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    where = f" in line {line}" if line else ""
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}{where}: {steady(text)}"[:500]


# The ids that every unit shares (a test holds them to those of the solutions).
SPECIAL_IDS = {"PAD": 0, "UNK": 1, "BOS": 2, "EOS": 3}


def _stand_ins() -> dict[str, types.ModuleType]:
    """The project's packages, as far as learner code needs them to be there.

    Check cells run like any other cell, and must neither grade anything here nor fail.
    """
    autograder, solutions = types.ModuleType("autograder"), types.ModuleType("solutions")
    vars(autograder).update(
        dict.fromkeys(("check", "hint", "progress", "run_kernel", "write_kernels"), _accept_anything)
    )
    vars(autograder)["when_ready"] = lambda: contextlib.suppress(Exception)  # what uses kernels finds none here
    vars(solutions).update(SPECIAL_IDS, __path__=[])
    return {"autograder": autograder, "solutions": solutions}
