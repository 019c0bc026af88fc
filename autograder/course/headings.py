"""The headings of the chapters and of their sections, by page and anchor: the texts of links into the book.

The table ``headings.json`` travels with the package, because the book does not. ``python -m autograder.release``
writes it from the chapters.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

import yaml

from autograder.course.addresses import ROOT

TABLE = Path(__file__).parent / "headings.json"
TITLE = ""  # the anchor under which the table has the heading of the chapter itself
PART = "The units"  # the part of the book that holds the chapters, as ``_toc.yml`` calls it
_CHAPTER = re.compile(r"^# +(.+)$", re.MULTILINE)
_SECTION = re.compile(r"^((?:\([\w-]+\)=\n+)+)#+ +(.+)$", re.MULTILINE)
_ANCHOR = re.compile(r"\(([\w-]+)\)=")


def heading(page: str, anchor: str = TITLE) -> str:
    """The heading of a section of a chapter, or of the chapter; nothing where the table has none."""
    return table().get(page, {}).get(anchor, "")


@lru_cache(maxsize=None)
def table() -> dict[str, dict[str, str]]:
    """The headings by page and anchor, as the file has them."""
    return json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}


def chapters() -> list[str]:
    """The pages of a checkout's book that are chapters, in the order of ``_toc.yml``: those of units, and others."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [
        chapter["file"] for part in toc.get("parts", []) if part["caption"] == PART for chapter in part["chapters"]
    ]
    return [file.removeprefix("book/") for file in files]


def sections_of(chapter: str) -> dict[str, str]:
    """Anchors and headings of a chapter's text, in its order; its own heading comes first."""
    title = _CHAPTER.search(chapter)
    found = {TITLE: title[1]} if title else {}
    found |= {anchor: words for anchors, words in _SECTION.findall(chapter) for anchor in _ANCHOR.findall(anchors)}
    return {anchor: words.replace("`", "").strip() for anchor, words in found.items()}


def fresh() -> bytes:
    """The contents of the table's file, made from the chapters of a checkout."""
    texts = {page: (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8") for page in chapters()}
    made = {page: sections_of(text) for page, text in texts.items()}
    return (json.dumps(made, ensure_ascii=False, indent=1) + "\n").encode()
