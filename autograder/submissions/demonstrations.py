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

from autograder.sandbox.runtime.blame import blamed
from autograder.submissions.syntax import demand_readable

KEY = "demonstration"
KEPT_LENGTH = 10_000  # characters; the names of longer cells are not kept, or a class could fill the memory
MAX_BROKEN = 20  # unreadable statements in a cell; a cell with more counts as using every name that it mentions
MAX_READ = 2_000_000  # characters of all cells; in a longer submission, every cell runs
# Code that uses one of these may reach any name without mentioning it.
_REACHES_ALL = {"globals", "locals", "vars", "eval", "exec", "get_ipython"}
_IPYTHON = re.compile(r"=\s*[%!]\w|^\s*(?:>>>|In \[\d*\]:)", re.MULTILINE)  # `x = %time f()`, a pasted session


def mark(source: str) -> dict[str, str]:
    """The metadata that make a cell a demonstration."""
    return {KEY: _digest(source)}


def is_unchanged(metadata: object, source: str) -> bool:
    """Whether a cell is a demonstration as it was released."""
    return isinstance(metadata, Mapping) and metadata.get(KEY) == _digest(source)


def to_execute(sources: Sequence[str], demonstrations: Sequence[bool]) -> list[bool]:
    """For each cell whether it must run: all but the demonstrations that no executed cell needs."""
    if sum(map(len, sources)) > MAX_READ or not any(demonstrations):
        return [True] * len(sources)
    run = [not demonstration for demonstration in demonstrations]
    giving: dict[str, list[int]] = {}  # by name, the demonstrations that bind it
    for index, runs in enumerate(run):
        for name in () if runs else names_in(sources[index])[0]:
            giving.setdefault(name, []).append(index)
    waiting = [index for index, runs in enumerate(run) if runs]
    while waiting:
        _, used = names_in(sources[waiting.pop()])
        if used & _REACHES_ALL:
            return [True] * len(sources)
        needed = {index for name in used for index in giving.pop(name, ()) if not run[index]}
        for index in needed:
            run[index] = True
        waiting += needed
    return run


def left_out(sources: Sequence[str], demonstrations: Sequence[bool]) -> list[str]:
    """The sources, with an empty one in place of each that is not run, so that indices stay the same."""
    return [source if runs else "" for source, runs in zip(sources, to_execute(sources, demonstrations))]


def _digest(source: str) -> str:
    return hashlib.sha256(source.strip().encode("utf-8", "replace")).hexdigest()[:16]


def names_in(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a cell binds, and those that it takes from other cells."""
    return _kept_names(source) if len(source) <= KEPT_LENGTH else _kept_names.__wrapped__(source)


@lru_cache(maxsize=2048)
def _kept_names(source: str) -> tuple[frozenset[str], frozenset[str]]:
    if re.match(r"\s*%%c\b", source):  # C code uses no Python names
        return frozenset(), frozenset()
    try:
        demand_readable(source)
        table, words = _table(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # every word of unreadable code
        every = frozenset(re.findall(r"\w+", source))
        return every, every
    bound = (
        one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported() or one.is_namespace()
    )
    used = set(_referenced(table))
    if not re.search(r"\bvars\b(?!\s*\(\s*[^)\s])", source):  # `vars(object)` reaches only the names of that object
        used.discard("vars")
    return words.union(bound), words.union(used)


def _table(source: str) -> tuple[symtable.SymbolTable, frozenset[str]]:
    """The names of a cell, and all words of its lines that only IPython can read.

    Magics and shell lines are not Python and are left out. So is each statement with a syntax error, as in a run of
    the cell (see `autograder.sandbox.runtime.cells`): it uses no names.
    """
    text = re.sub(r"^(?:[%!?]|([ \t]+)[%!]{1,2}(?=\w)).*$", r"\1pass", source, flags=re.MULTILINE)
    lines, words = text.split("\n"), set[str]()
    for _ in range(MAX_BROKEN):
        try:
            return symtable.symtable("\n".join(lines), "<cell>", "exec"), frozenset(words)
        except SyntaxError as error:
            broken = blamed(lines, error)
            part = "\n".join(lines[broken])
            if not part.strip("\n"):
                raise
            if _IPYTHON.search(part):
                words.update(re.findall(r"\w+", part))
            lines[broken] = [""] * len(lines[broken])
    raise SyntaxError(f"more than {MAX_BROKEN} statements that cannot be read")


def _referenced(table: symtable.SymbolTable) -> Iterator[str]:
    outermost = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (outermost or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _referenced(inner)
