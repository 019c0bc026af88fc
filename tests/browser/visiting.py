"""Opening pages of the built book in a browser, and reading their source."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bs4 import BeautifulSoup
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
PAGES = sorted(parse_toc_yaml(ROOT / "_toc.yml"))
COMPLAINTS = ("error", "warning")


@dataclass
class Visit:
    """One page, open in the browser, and what went wrong while it loaded."""

    page: Any
    refused: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    loaded: set[str] = field(default_factory=set)


@contextmanager
def visit(
    browser: Any, address: str, name: str, formulas: bool = True, query: str = "", **options: Any
) -> Iterator[Visit]:
    """Open a page with every request off the site refused, and wait until its formulas are drawn.

    Args:
        formulas: ``False``: do not wait for them.
        query: what stands behind the address, from the question mark on.
        options: of the browser's context, for example ``has_touch=True``.
    """
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"} | options))
    page = context.new_page()
    seen = Visit(page)

    def guard(route: Any) -> None:
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            seen.refused.append(route.request.url)
            route.abort()

    context.route("**/*", guard)
    page.on("requestfailed", lambda request: seen.failed.append(request.url))
    page.on("response", lambda answer: seen.failed.append(answer.url) if answer.status >= 400 else None)
    page.on("response", lambda answer: seen.loaded.add(urlsplit(answer.url).path.lstrip("/")))
    page.on("pageerror", lambda error: seen.console.append(str(error)))
    page.on("console", lambda message: seen.console.append(message.text) if message.type in COMPLAINTS else None)
    page.goto(f"{address}/{name}.html{query}", wait_until="load")
    if formulas and page.locator("script[src*=mathjax]").count():  # built without Node.js: the browser draws them
        page.wait_for_function("window.MathJax?.startup?.promise !== undefined")
        page.evaluate("() => MathJax.startup.promise")
    yield seen
    context.close()


@functools.cache
def soup(name: str) -> BeautifulSoup:
    return BeautifulSoup((HTML / f"{name}.html").read_text(encoding="utf-8"), "lxml")


@functools.cache
def anchors(name: str) -> frozenset[str]:
    """All that a link to this page may name after the ``#``."""
    ids = {tag["id"] for tag in soup(name).select("[id]")}
    return frozenset(ids | {tag["name"] for tag in soup(name).select("a[name]")})


def formulas_in(name: str) -> int:
    return len(soup(name).select("span.math, div.math"))
