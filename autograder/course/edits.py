"""Edits: a wrong program, written as its differences from a right one.

``edit(old, new)`` puts ``new`` where ``old`` stands. ``old`` must occur exactly once, so that after a
change of the right program an edit fails instead of making another wrong program. Several edits are applied in order.

- A text is a piece of one line, or several lines. Those after the first are indented like the line where the first
  begins, so an edit is written without the indentation of what surrounds it.
- A text that begins with a line break is a block: its common indentation and the line breaks around it are left out.
- A line that an edit empties is removed.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass


class EditError(ValueError):
    """An edit does not fit the program that it is applied to."""


@dataclass(frozen=True)
class Edit:
    """One difference between a wrong program and a right one."""

    old: str
    new: str

    def apply(self, text: str) -> str:
        """The text with this difference; raises `EditError` unless ``old`` occurs exactly once."""
        found = list(_occurrences(text, self.old))
        if len(found) != 1:
            times = f"{len(found)} times" if found else "nowhere"
            raise EditError(f"{self.old!r} occurs {times}, but must occur exactly once")
        ((start, end, indent),) = found
        new = _indented(self.new, indent)
        before, after = text[:start], text[end:]
        if not new and not before.rpartition("\n")[2].strip() and not after.partition("\n")[0].strip():
            return before[: before.rfind("\n") + 1] + after.partition("\n")[2]
        return before + new + after


def edit(old: str, new: str) -> Edit:
    """Put ``new`` where ``old`` stands."""
    return Edit(_block(old), _block(new))


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits, one after the other."""
    for one in edits:
        text = one.apply(text)
    return text


def _block(text: str) -> str:
    return textwrap.dedent(text).strip("\n").rstrip() if text.startswith("\n") else text


def _occurrences(text: str, old: str) -> Iterable[tuple[int, int, str]]:
    """Start and end of each occurrence, and the indentation of the line in which it begins."""
    if not old.strip():
        return
    first = old.partition("\n")[0]
    start = text.find(first)
    while start >= 0:
        line = text[text.rfind("\n", 0, start) + 1 :]
        indent = line[: len(line) - len(line.lstrip(" "))]
        whole = _indented(old, indent)
        if text.startswith(whole, start):
            yield start, start + len(whole), indent
        start = text.find(first, start + 1)


def _indented(text: str, indent: str) -> str:
    first, *others = text.split("\n")
    return "\n".join([first, *(indent + line if line.strip() else "" for line in others)])
