"""Cells of an exercise notebook that only show something: left out when grading, unless something needs them.

A plot, a worked example, a small training run: such cells are the course's own, and what a learner is graded on does
not depend on them. The release marks them with a hash of their text. A marked cell that is unchanged is not executed
when grading, which saves most of the time that a notebook takes. One that the learner has edited is the learner's,
and is executed; so is one that defines a name which an executed cell uses.
"""

from __future__ import annotations

import hashlib
import re
import symtable
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

KEY = "demonstration"
# Whoever uses one of these may reach any name without writing it down.
_REACHES_ALL = {"globals", "locals", "vars", "eval", "exec", "get_ipython"}


def mark(source: str) -> dict[str, str]:
    """The metadata that make a cell a demonstration."""
    return {KEY: _digest(source)}


def is_unchanged(metadata: object, source: str) -> bool:
    """Whether a cell is a demonstration as it was released."""
    return isinstance(metadata, Mapping) and metadata.get(KEY) == _digest(source)


def to_execute(sources: Sequence[str], demonstrations: Sequence[bool]) -> list[bool]:
    """For each cell whether it must run: all but the demonstrations that no executed cell needs."""
    run = [not demonstration for demonstration in demonstrations]
    waiting = [index for index, runs in enumerate(run) if runs]
    while waiting:
        used = _used(sources[waiting.pop()])
        for index, runs in enumerate(run):
            if not runs and (used & _REACHES_ALL or used & _bound(sources[index])):
                run[index] = True
                waiting.append(index)
    return run


def _digest(source: str) -> str:
    return hashlib.sha256(source.strip().encode("utf-8", "replace")).hexdigest()[:16]


@lru_cache(maxsize=4096)
def _used(source: str) -> frozenset[str]:
    """The names that a cell takes from outside itself; every word of one that cannot be read."""
    try:
        return frozenset(_referenced(_table(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(re.findall(r"\w+", source))


@lru_cache(maxsize=4096)
def _bound(source: str) -> frozenset[str]:
    """The names that a demonstration gives a value to; it is the course's own, so it can be read."""
    symbols = _table(source).get_symbols()
    return frozenset(
        symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
    )


def _table(source: str) -> symtable.SymbolTable:
    """The names of a cell. Magics and shell lines are no Python; they are left out."""
    lines = ("pass" if re.match(r"[%!?]", line) else line for line in source.splitlines())
    return symtable.symtable("\n".join(lines), "<cell>", "exec")


def _referenced(table: symtable.SymbolTable) -> Iterator[str]:
    outermost = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (outermost or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _referenced(inner)
