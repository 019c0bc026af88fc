"""The numbers of the chapters, in the list of pages, above and below each chapter, and in what the search finds.

Texts name chapters by number, so readers look for it. A chapter has the number of its unit; Sphinx would count pages,
and some chapters have no unit.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.application import Sphinx

from autograder.course.registry import BY_NAME


def label(page: str) -> str:
    """``"3 · "`` for ``book/attention``; nothing for a page that is no unit's."""
    unit = BY_NAME.get(posixpath.basename(page))
    return f"{unit.number} · " if unit else ""


def number_pages(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Sphinx event ``html-page-context``."""
    if "generate_toctree_html" in context:
        context["generate_toctree_html"] = _numbered_list(context["generate_toctree_html"], page)
    if label(page) and "body" in context:
        context["body"] = context["body"].replace("<h1>", f"<h1>{label(page)}", 1)
    for neighbour in filter(None, (context.get("prev"), context.get("next"))):  # below the text
        target = posixpath.basename(neighbour["link"]).removesuffix(".html")
        neighbour["title"] = label(target) + neighbour["title"]


def number_results(app: Sphinx) -> list[tuple[str, dict, str]]:
    """Sphinx event ``html-collect-pages``, the last before the index of the search is written. Adds no page.

    Pages that an earlier build put into the index have their numbers already.
    """
    index = app.builder.indexer
    for page, title in index._titles.items():
        numbered = label(page) + title.removeprefix(label(page))
        index._titles[page] = numbered
        index._all_titles[page] = [
            (text, anchor) if anchor else (numbered, anchor) for text, anchor in index._all_titles[page]
        ]
    return []


def _numbered_list(make: Callable[..., Any], page: str) -> Callable[..., str]:
    def numbered(*args: Any, **options: Any) -> str:
        soup = BeautifulSoup(str(make(*args, **options)), "html.parser")
        for link in soup.select("li.toctree-l1 > a[href]"):
            target = page if link["href"] == "#" else link["href"].removesuffix(".html")
            link.insert(0, label(target))
        return str(soup)

    return numbered
