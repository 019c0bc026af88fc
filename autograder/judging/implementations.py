"""The course's own implementations, ready to be called: reference solutions, alone or with a catalogue entry on top."""

from __future__ import annotations

import ast
import contextlib
import inspect
import os
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import TypeVar

from autograder.course.catalogue import Entry, c_solution, complete_source, is_c, reference_module
from autograder.course.registry import find_unit, is_catch
from autograder.course.slips import Slip
from autograder.course.source import syntax_tree
from autograder.sandbox.runtime.c import C_CODE, CCode

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

T = TypeVar("T", bound=Entry)


def reference_names(unit: str) -> dict:
    """The namespace of a unit's reference solution."""
    if not is_c(unit):
        return vars(reference_module(unit))
    with_tests = any(map(is_catch, find_unit(unit).task_ids))
    return {**(vars(reference_module(unit)) if with_tests else {}), **c_namespace(c_solution(unit))}


def namespace(entry: Entry) -> dict:
    """The reference solution's namespace with the entry on top, as a submission would have it."""
    return _namespace_of_slip(entry) if isinstance(entry, Slip) else _namespace(entry)


@lru_cache(maxsize=None)
def _namespace(entry: Entry) -> dict:
    if is_c(entry.unit):
        return c_namespace(complete_source(entry))  # kernels do not call each other
    names: dict = {"__name__": f"{entry.unit}_{entry.name}"}
    exec(_reference_code(entry.unit), names)
    exec(_compiled(complete_source(entry), entry.name), names)
    return names


# The turns of all loops of one slip together. The course's own code needs fewer than a tenth of it for all checks.
turns_allowed: ContextVar[int] = ContextVar("turns_allowed", default=100_000)


ROOM = 2**30  # bytes by which the process may grow while derived programs run: a loop can double a text in each turn


class TooManyTurns(Exception):
    """The loops of a slip have turned too often, or have made too much: they may never end."""


PEAK_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes, of ``ru_maxrss``


def peak_memory() -> int:
    """The most bytes that this process has held in memory so far; 0 where the system does not say."""
    if resource is None:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * PEAK_UNIT


@dataclass
class Turns:
    """Counts the turns of loops, and ends loops that turn too often."""

    number: int = 0
    most_memory: int = field(default_factory=lambda: peak_memory() + ROOM)

    def __call__(self) -> None:
        self.number += 1
        if self.number > turns_allowed.get() or peak_memory() > self.most_memory:
            raise TooManyTurns


@lru_cache(maxsize=8)  # each is asked for one check after the other; there are hundreds
def _namespace_of_slip(slip: Slip) -> dict:
    """As `namespace`, with loops that end: a slip may leave out the step that leads out of one."""
    names = names_that_count(slip.unit, Turns())
    del names[slip.task.partition(".")[2]]
    with contextlib.suppress(Exception):  # else the name is missing, and no answer is explained
        exec(_code_that_ends(slip.source, slip.name), names)
    return names


def names_that_count(unit: str, turns: Turns) -> dict:
    """The namespace of a unit's reference solution with loops whose turns are counted."""
    names: dict = {"__name__": unit, TURN: turns}
    exec(_reference_code_that_ends(unit), names)
    return names


TURN = "__turn__"


def counting_turns(source: str) -> ast.Module:
    """The syntax tree of code in which each turn of a loop calls what is called `TURN`."""
    tree = syntax_tree(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.While)):
            node.body.insert(0, ast.Expr(ast.Call(ast.Name(TURN, ast.Load()), [], [])))
    return ast.fix_missing_locations(tree)


def _code_that_ends(source: str, name: str) -> CodeType:
    return compile(counting_turns(source), f"<{name}>", "exec", dont_inherit=True)


@lru_cache(maxsize=None)
def _reference_code_that_ends(unit: str) -> CodeType:
    return _code_that_ends(reference_source(unit), unit)


def prepared_ahead(entries: Sequence[T]) -> Iterator[T]:
    """The entries of a unit, in order; in C the next ones are compiled meanwhile, since compiling is slow."""
    if not entries or not is_c(entries[0].unit):
        yield from entries
        return
    ahead = os.cpu_count() or 1
    with ThreadPoolExecutor(ahead) as pool:
        compiling = deque(pool.submit(_compile, entry) for entry in entries[:ahead])
        for number, entry in enumerate(entries):
            compiling.popleft().result()
            compiling.extend(pool.submit(_compile, following) for following in entries[number + ahead :][:1])
            yield entry


def _compile(entry: Entry) -> None:
    namespace(entry)[C_CODE].program()


@lru_cache(maxsize=64)
def c_namespace(text: str) -> dict:
    """The namespace of a notebook whose only code is this C code, of the course or its catalogue."""
    code = CCode(initialised=True)
    code.add("the code", text)
    return {C_CODE: code}


def reference_source(unit: str) -> str:
    """The text of a unit's reference solution in Python."""
    return inspect.getsource(reference_module(unit))


@lru_cache(maxsize=None)
def _reference_code(unit: str) -> CodeType:
    return _compiled(reference_source(unit), unit)


def _compiled(source: str, name: str) -> CodeType:
    """Compile without this file's own ``from __future__ import annotations``, which would change a dataclass."""
    return compile(source, f"<{name}>", "exec", dont_inherit=True)
