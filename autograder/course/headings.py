"""The headings of the sections that known mistakes lead to, by unit and anchor: what a link into the book is called.

The table ``headings.json`` travels with the package, because the book does not. ``python -m autograder.release``
writes it from the chapters.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from autograder.course.addresses import ROOT
from autograder.course.registry import COMPLETE

TABLE = Path(__file__).parent / "headings.json"
_SECTION = re.compile(r"^((?:\([\w-]+\)=\n+)+)#+ +(.+)$", re.MULTILINE)
_ANCHOR = re.compile(r"\(([\w-]+)\)=")


def heading(unit: str, anchor: str) -> str:
    """The heading of a section of a unit's chapter; nothing where the table has none."""
    return _table().get(unit, {}).get(anchor, "")


@lru_cache(maxsize=None)
def _table() -> dict[str, dict[str, str]]:
    return json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}


def sections_of(chapter: str) -> dict[str, str]:
    """Anchors and headings of a chapter's text, in its order."""
    return {
        anchor: heading.replace("`", "").strip()
        for anchors, heading in _SECTION.findall(chapter)
        for anchor in _ANCHOR.findall(anchors)
    }


def fresh() -> bytes:
    """The table as the chapters of a checkout give it, as a file."""
    from autograder.course.catalogue import mistakes  # here: who reads the table need not load the catalogue

    table = {}
    for unit in COMPLETE:
        sections = sections_of((ROOT / "book" / f"{unit.name}.md").read_text(encoding="utf-8"))
        wanted = {mistake.section for mistake in mistakes(unit.name)}
        table[unit.name] = {anchor: heading for anchor, heading in sections.items() if anchor in wanted}
    return (json.dumps(table, ensure_ascii=False, indent=1) + "\n").encode()
