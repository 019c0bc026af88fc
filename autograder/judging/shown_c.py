"""C kernels as a learner's test is called with them: Python functions over a compiled library, without its source."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Collection, Iterable
from pathlib import Path

from autograder.course.catalogue import Entry, c_solution, complete_source
from autograder.course.registry import UNITS
from autograder.course.source import kernels_of
from autograder.sandbox.runtime.c.compiling import compiler
from autograder.sandbox.runtime.c.prototypes import SIGNATURES

_FLAGS = ("-std=gnu11", "-O1", "-w", "-g0", "-s", "-shared", "-fPIC", "-ffp-contract=off")

# What the test's process executes: it keeps the library for itself, and takes the file away at once.
_PROGRAM = """
import ctypes
import os
import tempfile

import numpy

TYPES = {{"float*": numpy.float32, "int*": numpy.int32}}
NUMBERS = {{"int": ctypes.c_int, "long": ctypes.c_long, "float": ctypes.c_float}}


def load(data):
    file, path = tempfile.mkstemp()
    try:
        os.write(file, data)
        os.close(file)
        return ctypes.CDLL(path)
    finally:
        os.unlink(path)


def kernel(library, name, kinds):
    def call(*arguments):
        if len(arguments) != len(kinds):
            raise TypeError(f"{{name}} takes {{len(kinds)}} arguments, not {{len(arguments)}}")
        given = [converted(name, *both) for both in zip(kinds, arguments)]
        getattr(library, name)(*given)

    call.__name__ = call.__qualname__ = name
    return call


def converted(name, kind, value):
    if kind in NUMBERS:
        return NUMBERS[kind](value)
    if value is None:
        return None
    if not isinstance(value, numpy.ndarray) or value.dtype != TYPES[kind] or not value.flags.c_contiguous:
        raise TypeError(f"{{name}} takes arrays of NumPy, contiguous and of type {{TYPES[kind].__name__}}")
    return ctypes.c_void_p(value.ctypes.data)


library = load({library!r})
globals().update({{name: kernel(library, name, kinds) for name, kinds in {signatures!r}.items()}})
"""


def program(wanted: Collection[str], entry: Entry | None = None) -> str:
    """Python code that defines the kernels among these names as functions, the entry in place of what it replaces.

    They take the arguments of the C kernels in their order: numbers, and NumPy arrays that are filled in place, or
    ``None`` for NULL.
    """
    signatures = {name: [part.type for part in parts] for name, parts in SIGNATURES.items() if name in wanted}
    return _PROGRAM.format(library=_library(_source(signatures, entry)), signatures=signatures)


def _source(names: Iterable[str], entry: Entry | None) -> str:
    replaced = entry.task.partition(".")[2] if entry else ""
    solutions = [c_solution(unit.name) for unit in UNITS if unit.language == "c"]
    heads = [line for text in solutions for line in re.findall(r"^#(?:.*\\\n)*.*\n", text, re.MULTILINE)]
    kernels = {name: text for solution in solutions for name, text in kernels_of(solution).items()}
    parts = [kernels[name] for name in names if name != replaced]
    return "\n".join(["".join(heads), *parts, complete_source(entry) if entry else ""])


def _library(source: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "kernels.so"
        command = [*compiler(), *_FLAGS, "-x", "c", "-", "-o", str(made), "-lm"]
        subprocess.run(command, input=source.encode(), capture_output=True, check=True)
        return made.read_bytes()
