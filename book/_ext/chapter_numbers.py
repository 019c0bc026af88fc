"""The numbers of the chapters, in the list of pages and above each chapter.

Texts say "chapter 4", so readers look for it. A chapter has the number of its unit; Sphinx would count pages, and
some chapters have no unit.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.application import Sphinx

from autograder.registry import BY_NAME


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


def _numbered_list(make: Callable[..., Any], page: str) -> Callable[..., str]:
    def numbered(*args: Any, **options: Any) -> str:
        soup = BeautifulSoup(str(make(*args, **options)), "html.parser")
        for link in soup.select("li.toctree-l1 > a[href]"):
            target = page if link["href"] == "#" else link["href"].removesuffix(".html")
            link.insert(0, label(target))
        return str(soup)

    return numbered
