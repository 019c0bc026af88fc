"""References to units, chapters and sections, in every text of the course: nobody types a number or a heading.

=====================================  ===========================================================
in a text                              reads
=====================================  ===========================================================
``{chapter}`attention` ``              chapter N, with the number of the unit
``{unit}`attention` ``                 unit N
``{section}`attention#why-scale` ``    chapter N, 'Why divide by the square root of d_k?'
``{heading}`attention#why-scale` ``    'Why divide by the square root of d_k?': the next section of a chapter just named
``{Chapter}`attention` ``              Chapter N: a capital where a sentence begins; the others have one, too
``{chapter}`heads` ``                  the chapter 'What heads learn': a chapter without a unit has no number
=====================================  ===========================================================

The number comes from the registry, the heading from the chapter (`autograder.course.headings`). Where a reference
becomes a link, ``{chapter}`attention#why-scale` `` says no more than the chapter, and leads to the section. Hints,
mistakes, titles of checks and notebooks are expanded here; on the pages of the book the same references are roles
(``book/_ext/chapter_references.py``).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from autograder.course.headings import heading, table
from autograder.course.registry import BY_NAME

KINDS = ("chapter", "unit", "section", "heading")
_MARKUP = re.compile(rf"\{{({'|'.join(KINDS)})\}}`([^`]*)`", re.IGNORECASE)


class UnknownReference(ValueError):
    """A reference to something that the course does not have; the message is one sentence for the author."""


@dataclass(frozen=True)
class Reference:
    """What a reference says, and the page and the anchor that it leads to."""

    words: str
    page: str
    anchor: str


def expand(
    text: str, write: Callable[[Reference], str] = lambda reference: reference.words, *, quote: str = "'"
) -> str:
    """The text with every reference in it written out, by default in plain words.

    Args:
        text: a text of the course.
        write: makes a `Reference` into text, for example into a link.
        quote: the mark around headings.

    Raises:
        UnknownReference: the course has no such chapter or section.
    """
    return _MARKUP.sub(lambda found: write(resolve(found[1], found[2], quote=quote)), text)


def resolve(kind: str, target: str, *, quote: str = "'") -> Reference:
    """What ``{kind}`target` `` stands for; raises `UnknownReference` like `expand`."""
    page, _, anchor = target.partition("#")
    wanted, unit, title, section = kind.lower(), BY_NAME.get(page), heading(page), heading(page, anchor)
    if unit is None and wanted == "unit":
        raise _unknown(kind, target, "unit", page, BY_NAME)
    if unit is None and not title:
        raise _unknown(kind, target, "chapter", page, [*BY_NAME, *table()])
    if anchor and not section:
        raise _unknown(kind, target, f"section of {page}", anchor, table().get(page, ()))
    if wanted in ("section", "heading") and not anchor:
        raise UnknownReference(f"{{{kind}}}`{target}` needs a section, as in {{{kind}}}`attention#why-scale`.")
    chapter = f"chapter {unit.number}" if unit else f"the chapter {quote}{title}{quote}"
    words = {
        "chapter": chapter,
        "unit": f"unit {unit.number}" if unit else "",
        "section": f"{chapter}, {quote}{section}{quote}",
        "heading": f"{quote}{section}{quote}",
    }[wanted]
    return Reference(words[0].upper() + words[1:] if kind[0].isupper() else words, page, anchor)


def _unknown(kind: str, target: str, what: str, name: str, known: Iterable[str]) -> UnknownReference:
    near = difflib.get_close_matches(name, list(known), n=1)
    meant = f"; did you mean {near[0]!r}?" if near else "."
    advice = " A new heading is known once `python -m autograder.release` has read the chapters."
    return UnknownReference(f"{{{kind}}}`{target}`: there is no {what} called {name!r}{meant}{advice}")
