"""Looking up an entry of the catalogue by name, and what differs between it and the program that it starts from."""

from __future__ import annotations

import difflib

from autograder.course.catalogue import Alternative, Entry, Mistake, alternatives, base_source, mistakes
from autograder.course.catches import find_catch
from autograder.course.registry import is_catch
from autograder.course.slips import FAMILIES


class UnknownEntry(ValueError):
    """A name that no mistake and no alternative of the task has; the text is one sentence."""


def entries(task: str) -> list[Entry]:
    """The mistakes of a task, then its alternatives; of a catch-it task, those that its test is called with."""
    unit = task.partition(".")[0]
    if is_catch(task):
        one = find_catch(task)
        return [one.entry(shown) for shown in (*one.slips, *one.styles)]
    return [entry for entry in (*mistakes(unit), *alternatives(unit)) if entry.task == task]


def find_entry(task: str, name: str) -> Entry:
    """The mistake of that name, or else the alternative; raises `UnknownEntry` with the closest names otherwise."""
    known = entries(task)
    if name in FAMILIES:
        raise UnknownEntry(
            f"{name!r} is no entry of the catalogue, but a kind of slip, derived from right code where no entry fits."
        )
    for entry in known:
        if entry.name == name:
            return entry
    close = difflib.get_close_matches(name, [entry.name for entry in known], n=3, cutoff=0.5)
    near = f"the closest are {', '.join(close)}" if close else f"`autograder show {task}` lists the names"
    raise UnknownEntry(f"There is no mistake of {task} called {name!r}; {near}.")


def base_name(entry: Entry) -> str:
    """What the entry is compared with, in words."""
    return f"alternative {entry.base}" if isinstance(entry, Mistake) and entry.base else "reference solution"


def difference(entry: Entry) -> str:
    """A unified diff from what the entry starts from to the entry."""
    base = base_source(entry.task, entry.base if isinstance(entry, Mistake) else "")
    kind = "alternative" if isinstance(entry, Alternative) else "mistake"
    lines = difflib.unified_diff(
        base.splitlines(), entry.source.splitlines(), base_name(entry), f"{kind} {entry.name}", lineterm=""
    )
    return "\n".join(lines)
