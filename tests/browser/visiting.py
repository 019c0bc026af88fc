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
NO_WORKER = "Service Worker registration blocked by Playwright"  # it says so itself


# Resolves once the page has not scrolled for some frames, so that all that watches the scrolling has been told.
SETTLED = """() => new Promise(done => {
    let [last, still] = [NaN, 0];
    const look = () => {
        still = scrollY === last ? still + 1 : 0;
        last = scrollY;
        if (still > 5) done();
        else requestAnimationFrame(look);
    };
    look();
})"""


@dataclass
class Visit:
    """One page, open in the browser, and what went wrong while it loaded."""

    page: Any
    refused: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    loaded: set[str] = field(default_factory=set)


@dataclass(eq=False)
class Tab:
    """A tab that visits use one after the other: a new tab would compile all scripts again."""

    page: Any
    seen: Visit
    address: str = ""

    def request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:", "about:")):
            self.seen.refused.append(request.url)

    def response(self, answer: Any) -> None:
        self.seen.loaded.add(urlsplit(answer.url).path.lstrip("/"))
        if answer.status >= 400:
            self.seen.failed.append(answer.url)

    def message(self, message: Any) -> None:
        if message.type in COMPLAINTS and message.text != NO_WORKER:
            self.seen.console.append(message.text)

    def begin(self, address: str, **options: Any) -> Visit:
        """As new: nothing seen, and the screen and colours of its context."""
        self.address, self.seen = address, Visit(self.page)
        self.page.set_viewport_size(options["viewport"])
        self.page.emulate_media(media="null", color_scheme=options["color_scheme"])
        return self.seen

    def end(self) -> None:
        """Leave nothing for the next visit: what the page has stored, where requests are led, where the mouse is."""
        self.seen = Visit(self.page)  # pictures that have not come are given up now, which is no failure of the page
        self.page.evaluate("addEventListener('pagehide', () => { localStorage.clear(); sessionStorage.clear() })")
        self.page.goto("about:blank")
        self.page.unroute_all()
        self.page.context.unroute_all()
        self.page.mouse.move(0, 0)


FREE: dict[tuple[Any, str], list[Tab]] = {}  # by browser, and the options of the context


def open_tab(browser: Any, options: dict[str, Any]) -> Tab:
    page = browser.new_context(service_workers="block", **options).new_page()
    tab = Tab(page, Visit(page))
    page.on("request", tab.request)
    page.on("requestfailed", lambda request: tab.seen.failed.append(request.url))
    page.on("response", tab.response)
    page.on("pageerror", lambda error: tab.seen.console.append(str(error)))
    page.on("console", tab.message)
    return tab


@contextmanager
def visit(
    browser: Any, address: str, name: str, formulas: bool = True, query: str = "", fresh: bool = False, **options: Any
) -> Iterator[Visit]:
    """Open a page without the service worker, and wait until its formulas are drawn.

    The browser finds no host but this machine; what a page asks of others is refused and recorded.

    Args:
        formulas: ``False``: do not wait for them.
        query: what stands behind the address, from the question mark on.
        fresh: in a tab of its own: one that has seen pages also reports the fonts that these had loaded.
        options: of the browser's context, for example ``has_touch=True``.
    """
    options = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"} | options
    free = FREE.setdefault((browser, repr(sorted(options.items()))), [])
    tab = free.pop() if free and not fresh else open_tab(browser, options)
    seen = tab.begin(address, **options)
    page = seen.page
    page.goto(f"{address}/{name}.html{query}", wait_until="load")
    if formulas and page.locator("script[src*=mathjax]").count():  # built without Node.js: the browser draws them
        page.wait_for_function("window.MathJax?.startup?.promise !== undefined")
        page.evaluate("() => MathJax.startup.promise")
    yield seen
    if fresh:
        page.context.close()
        return
    tab.end()
    free.append(tab)


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
