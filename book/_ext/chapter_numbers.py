"""The numbers of the chapters, above and below each chapter, and in what the search finds (`sidebar` lists them).

Texts name chapters by number, so readers look for it. A chapter has the number of its unit; Sphinx would count pages,
and some chapters have no unit.
"""

from __future__ import annotations

import posixpath

import sittings
from docutils import nodes
from sphinx.application import Sphinx

from autograder.course.registry import BY_NAME


def label(page: str) -> str:
    """``"3 · "`` for ``book/attention``; nothing for a page that is no unit's."""
    unit = BY_NAME.get(posixpath.basename(page))
    return f"{unit.number} · " if unit else ""


def number_pages(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Sphinx event ``html-page-context``."""
    if label(page) and "body" in context:
        context["body"] = context["body"].replace("<h1>", f"<h1>{label(page)}", 1)
    for neighbour in filter(None, (context.get("prev"), context.get("next"))):  # below the text
        target = posixpath.basename(neighbour["link"]).removesuffix(".html")
        time = sittings.time_of(target)
        neighbour["title"] = label(target) + neighbour["title"] + (f" {sittings.mark(time)}" if time else "")


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
