"""The list of pages beside the text: in parts that fold, with the numbers of the chapters.

A part is a caption of ``_toc.yml``. Where a part holds units, the stages of the course divide it; a chapter without a
unit stands in the stage of the chapter before it. The part of the page that is read is open. Without JavaScript the
parts fold as well; ``static/progress.js`` keeps which ones a reader opened, and marks what was read.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import chapter_numbers
from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

from autograder.course.registry import BY_NAME


def fold_list(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Sphinx event ``html-page-context``."""
    if "generate_toctree_html" in context:
        context["generate_toctree_html"] = _folded(context["generate_toctree_html"], page)


def _folded(make: Callable[..., Any], page: str) -> Callable[..., str]:
    return lambda *args, **options: folded(str(make(*args, **options)), page)


def folded(html: str, page: str) -> str:
    """The theme's list of pages, with numbers and in parts; ``page``: the one that it stands on."""
    soup = BeautifulSoup(html, "html.parser")
    parts: dict[str, list[Tag]] = {}
    for caption in soup.select("p.caption"):
        name = caption.get_text(strip=True)
        for item in caption.find_next_sibling("ul").find_all("li", class_="toctree-l1", recursive=False):
            link = item.a
            target = page if link["href"] == "#" else link["href"].removesuffix(".html")
            link.insert(0, chapter_numbers.label(target))
            unit = BY_NAME.get(target.rpartition("/")[2])
            name = unit.stage if unit else name
            parts.setdefault(name, []).append(item)
    return "".join(_part(name, items) for name, items in parts.items())


def _part(name: str, items: list[Tag]) -> str:
    is_open = " open" if any("current" in item["class"] for item in items) else ""
    return (
        f'<details class="sidebar-part"{is_open}><summary>{escape(name)}</summary>'
        f'<ul class="nav bd-sidenav">{"".join(map(str, items))}</ul></details>'
    )
