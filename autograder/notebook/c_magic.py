"""C in a running notebook: the magic ``%%c``, and `run_kernel`, which calls what was written with it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from autograder.course.registry import UNITS
from autograder.sandbox.runtime.c import C_CODE, INT_OFFSET, CCode, call_kernels, line_of_overflow
from autograder.sandbox.runtime.c.calling import KernelFailure
from autograder.sandbox.runtime.c.compiling import NoCompiler


class NotWritten(KernelFailure):
    """A kernel that is missing, or still empty."""

    def __init__(self, name: str):
        super().__init__(f"There is no {name} in your code yet.")
        self.name = name


def write_c(shell: Any, line: str, text: str) -> None:
    """The magic ``%%c [FILE]``: keep the cell's C code, and show the compiler's messages at once.

    A cell that is run again replaces what it held before. ``FILE`` names the code; without it, the cell does.
    """
    code: CCode = shell.user_ns.setdefault(C_CODE, CCode())
    file = line.strip()
    cell = getattr(shell, "parent_header", None) or {}
    key = file or cell.get("metadata", {}).get("cellId") or f"In [{shell.execution_count}]"
    # The line of the magic counts in a cell's line numbers, but not in a file's.
    label = file or f"cell {shell.execution_count}"
    code.add(label, text if file else "\n" + text, key=key)
    try:
        program = code.program()
    except NoCompiler as error:
        print(error)
        return
    # Errors in other cells were shown below those cells.
    here = [said for said in (*program.errors.values(), *program.warnings) if f" of {label}: " in said]
    for said in here or filter(None, [program.problem]):
        print(said)
    for name in [name for name, piece in code.functions().items() if piece.label == label]:
        if line := line_of_overflow(shell.user_ns, name):
            print(f"{line}: {INT_OFFSET}")


def run_kernel(namespace: dict, name: str, *arguments: Any) -> list[Any]:
    """Call a kernel of the notebook: arrays are float32 (ids: int32) tensors, ``None`` is NULL, sizes are numbers.

    Returns the arrays among the arguments, in their order, as the kernel left them; your own tensors are unchanged.
    Raises `KernelFailure` with one sentence for a kernel that is missing, does not compile, or does not return.
    """
    return run_kernels(namespace, name, [arguments])[0]


def run_kernels(namespace: dict, name: str, calls: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Call a kernel several times in one process, as `run_kernel` does once."""
    try:
        return call_kernels(namespace, name, calls)
    except (KeyError, NotImplementedError):
        raise NotWritten(name) from None


def write_kernels(namespace: dict, path: str | os.PathLike, names: Iterable[str]) -> None:
    """Write all C code of a notebook into one file, for a program that is built with it (`solutions.gpt2_c.build`).

    Raises `NotWritten` if one of the kernels ``names`` is missing or empty, `KernelFailure` if the code
    does not compile.
    """
    code = namespace.get(C_CODE, CCode())
    for name in names:
        piece = code.functions().get(name)
        if piece is None or piece.is_stub:
            raise NotWritten(name)
    program = code.program()
    if program.errors or program.problem:
        raise KernelFailure(next(iter(program.errors.values()), program.problem))
    with open(path, "w", encoding="utf-8") as file:
        file.write(code.source())


@contextlib.contextmanager
def when_ready() -> Iterator[None]:
    """For lines that use kernels: if a kernel cannot run, print the reason in one sentence and skip the other lines.

    Reasons: it is not written yet, does not compile or does not return, or there is no compiler.
    """
    try:
        yield
    except NotWritten as error:
        tasks = [task for unit in UNITS for task in unit.task_ids if task.partition(".")[2] == error.name]
        task = tasks[0] if tasks else error.name
        print(f"Nothing to see yet: {task} is still to be written. Come back to this cell when its check passes.")
    except (KernelFailure, NoCompiler) as error:
        print(f"Nothing to see yet: {error}")


def register(shell: Any) -> None:
    """Give a running IPython the magic."""
    shell.register_magic_function(lambda line, cell: write_c(shell, line, cell), magic_kind="cell", magic_name="c")
