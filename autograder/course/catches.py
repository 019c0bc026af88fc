"""Catch-it tasks: the learner writes a test, which has to accept right implementations and catch wrong ones.

The file ``catches.py`` of a unit's folder lists them. Each names what the test gets, the styles of right
implementations, each in words, and the groups of mistakes, each of which is a check worth one point::

    CATCHES = (
        catch(
            "attention.test_attention",
            gets="scaled_dot_product_attention",
            styles=(style("query-by-query", "one that goes through the queries in a loop"), ...),
            groups=(
                group("the-scale", "The scale", slip("no-scale", "With wider queries, its weights grow sharper. ...")),
                ...
            ),
        ),
    )

A slip is a mistake of the unit's catalogue, a style is one of its alternatives. An entry
that only this task needs is written there as edits of the reference solution, or of the alternative ``base``::

    style("named-result", "one that returns a named tuple", edit("return weights @ v, weights", "return ..."))

Where several of the functions have an entry of the same name, it is called ``"bpe_encode.loops"``. The learner never
reads the name of a mistake. For a mistake that the test does not catch, ``symptom`` gives its visible effect and a
question, and never the answer.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from autograder.course.addresses import PACKAGE
from autograder.course.catalogue import Alternative, Entry, Mistake, alternatives, edited, in_c, mistakes
from autograder.course.edits import Edit, edit
from autograder.course.references import expand

__all__ = ["Catch", "Group", "Shown", "catch", "catches", "edit", "find_catch", "group", "slip", "style"]


class BrokenCatch(ValueError):
    """A catch-it task does not fit the catalogue; the message is one sentence for the author."""


@dataclass(frozen=True)
class Shown:
    """An implementation that a test is called with: an entry of the catalogue, or edits that stand here.

    ``words``: for a right one its style, as the end of "a right implementation: ..."; for a wrong one its symptom.
    """

    name: str
    words: str
    edits: tuple[Edit, ...] = ()
    base: str = ""


@dataclass(frozen=True)
class Group:
    """Mistakes that one check asks for: it is passed when the test catches all of them."""

    id: str
    title: str
    slips: tuple[Shown, ...]


@dataclass(frozen=True)
class Catch:
    """A catch-it task.

    ``gets``: the names that the test is called with, in this order. ``build``: instead, a function of the
    implementation's names that returns the arguments as a tuple, such as a built model (its source travels: it imports
    what it needs). ``of``: the names that the styles and slips belong to, if not ``gets``.
    """

    task: str
    gets: tuple[str, ...]
    styles: tuple[Shown, ...]
    groups: tuple[Group, ...]
    build: Callable[[Any], tuple] | None = None
    of: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        return self.task.partition(".")[0]

    @property
    def name(self) -> str:
        return self.task.partition(".")[2]

    @property
    def slips(self) -> tuple[Shown, ...]:
        return tuple(one for part in self.groups for one in part.slips)

    def entry(self, shown: Shown) -> Entry:
        """The implementation behind a style or a slip; raises `BrokenCatch` unless there is exactly one."""
        kind = Alternative if shown in self.styles else Mistake
        tasks, name = self._tasks(shown.name)
        if shown.edits:
            if len(tasks) > 1:
                raise BrokenCatch(f"{self.task} {shown.name}: say which function it edits, as in {tasks[0]}.NAME.")
            task = f"{self.unit}.{tasks[0]}"
            source = edited(task, name, shown.base, shown.edits)
            if kind is Alternative:
                return Alternative(task, name, source)
            return Mistake(task, name, source, base=shown.base, edits=shown.edits)
        known = alternatives(self.unit) if kind is Alternative else mistakes(self.unit)
        found = [entry for entry in known if entry.name == name and entry.task.partition(".")[2] in tasks]
        if len(found) != 1:
            what = "alternatives" if kind is Alternative else "mistakes"
            there = f"{len(found) or 'no'} {what} of {', '.join(tasks)} have the name {name!r}"
            raise BrokenCatch(f"{self.task}: {there}, but exactly one must.")
        return found[0]

    def _tasks(self, name: str) -> tuple[tuple[str, ...], str]:
        """The functions to which an entry of this name may belong, and the name alone."""
        owner, dot, rest = name.partition(".")
        return ((owner,), rest) if dot else (self.of, name)


def catch(
    task: str,
    *,
    gets: str | tuple[str, ...] = (),
    styles: tuple[Shown, ...],
    groups: tuple[Group, ...],
    build: Callable[[Any], tuple] | None = None,
    of: str | tuple[str, ...] = (),
) -> Catch:
    """A catch-it task; see `Catch`. Raises `BrokenCatch` unless it has ``gets``, or else ``build`` and ``of``."""
    gets, of = (gets,) if isinstance(gets, str) else gets, (of,) if isinstance(of, str) else of
    if bool(gets) == bool(build) or not (gets or of):
        raise BrokenCatch(f"{task}: say either what the test gets, or how it is built and of which tasks (of=...).")
    return Catch(task, gets, styles, groups, build, of or gets)


def group(name: str, title: str, *slips: Shown) -> Group:
    """The mistakes of one check: its id, its title in words, and what must be caught."""
    return Group(name, expand(title), slips)


def slip(name: str, symptom: str, *edits: Edit, base: str = "") -> Shown:
    """A mistake that a test has to catch, with its visible effect and a question."""
    return Shown(name, expand(symptom), edits, base)


def style(name: str, words: str, *edits: Edit, base: str = "") -> Shown:
    """A right implementation, and its style in words: "one that ..."."""
    return Shown(name, expand(words), edits, base)


@lru_cache(maxsize=None)
def catches(unit: str) -> tuple[Catch, ...]:
    """The catch-it tasks of a unit, in the order of its file; none where there is no such file."""
    if not (PACKAGE / "units" / unit / "catches.py").is_file():
        return ()
    return tuple(importlib.import_module(f"autograder.units.{unit}.catches").CATCHES)


def find_catch(task: str) -> Catch:
    """The declaration of a catch-it task; raises `BrokenCatch` where there is none."""
    for one in catches(task.partition(".")[0]):
        if one.task == task:
            return one
    raise BrokenCatch(f"{task} is declared in no catches.py.")


def faults(one: Catch) -> Iterator[str]:
    """What is wrong or missing in a declaration, one sentence each."""
    shown = [*one.styles, *one.slips]
    for name in sorted({other.name for other in shown if [item.name for item in shown].count(other.name) > 1}):
        yield f"{one.task}: {name!r} is listed twice."
    for name in one.of:
        if in_c(f"{one.unit}.{name}"):
            yield f"{one.task}: {name} is in C, and a test gets Python: write that into solutions/{one.unit}.py."
    described = set()
    for other in shown:
        try:
            described.add((one.entry(other).task, one.entry(other).name))
        except ValueError as error:
            yield str(error)
        if not other.words.strip():
            yield f"{one.task}: describe {other.name!r} in words."
    for entry in alternatives(one.unit):
        if entry.task.partition(".")[2] in one.of and (entry.task, entry.name) not in described:
            yield f"{one.task}: the alternative {entry.task}, {entry.name!r}, is in no style=: describe it in words."
    if not one.groups or not all(part.slips for part in one.groups):
        yield f"{one.task}: every group needs a mistake to catch."
