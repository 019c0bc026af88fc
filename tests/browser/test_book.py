"""The built book in a real browser, with the network cut off.

Chromium may reach the local server that holds the site, and nothing else: every other request is refused and
recorded. Whoever has no built book or no Chromium gets a failure that says what to run, never a skip.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urldefrag, urlencode, urljoin, urlsplit

import pytest
from visiting import HTML, PAGES, ROOT, Visit, anchors, formulas_in, soup, visit

from autograder.course import addresses
from autograder.course.catalogue import mistakes
from autograder.course.registry import BY_NAME, COMPLETE, UNITS

SCHEMES = ("light", "dark")
WIDTHS = {"desktop": 1280, "phone": 390}
HERE = Path(__file__).parent
FAINT_TEXT = (HERE / "faint_text.js").read_text(encoding="utf-8")
TOO_WIDE = (HERE / "too_wide.js").read_text(encoding="utf-8")
BARRIERS = (HERE / "barriers.js").read_text(encoding="utf-8")
AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
# Rules of axe-core that look at the colours around each of thousands of words, which takes it most of a minute. Every
# page's colours are looked at by FAINT_TEXT; axe-core has the last word on those pages that have all kinds of things.
COLOURS = ["color-contrast", "link-in-text-block"]
ALL_KINDS = ["book/index", "book/attention", "book/glossary"]
AT_ONCE = "*, ::before, ::after { transition: none !important }"  # else a theme's colours fade over into the other's
ANY_PAGE = 700_000  # bytes that a static host sends at most
FIRST_LOAD = 350 * 1024  # bytes that a static host sends for a chapter to whoever has seen no page before
# What a learner may look for, and the chapter that has to be among the first results.
SEARCHES = {
    "softmax": "attention",
    "causal mask": "masks",
    "multi-head": "multihead",
    "byte-pair": "tokens",
    "positional encoding": "embeddings",
    "dropout": "blocks",
    "label smoothing": "losses",
    "warm-up": "optim",
    "bleu": "bleu",
    "beam search": "decoding",
}

sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "book")]
import serving  # noqa: E402
import verify  # noqa: E402


@dataclass
class Findings:
    """What one visit to a page showed: loading it, then looking at it on two screens and in two themes."""

    refused: list[str]
    failed: list[str]
    console: list[str]
    drawn: int
    broken: int
    too_wide: dict[str, list[str]]
    faint: dict[str, list[str]]
    barriers: list[str]
    bytes: int


@pytest.fixture(scope="module")
def findings(site: Path, browser: Any, address: str) -> Callable[[str], Findings]:
    """Visits a page on the first question about it, and remembers."""
    return functools.cache(lambda name: look_at(browser, address, name))


def look_at(browser: Any, address: str, name: str) -> Findings:
    with visit(browser, address, name) as seen:
        page = seen.page
        drawn, broken = page.locator("mjx-container").count(), page.locator("mjx-merror").count()
        size = bytes_of(seen)
        page.evaluate("document.querySelectorAll('img').forEach(image => { image.loading = 'eager' })")
        page.add_style_tag(content=AT_ONCE)
        page.evaluate(AXE)
        faint, too_wide, barriers = {}, {}, []
        screens = list(zip(SCHEMES, WIDTHS.items()))
        for scheme, (device, width) in screens:
            turn(page, scheme, width)
            faint[scheme] = page.evaluate(FAINT_TEXT)
            full = page.evaluate("Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
            too_wide[device] = (page.evaluate(TOO_WIDE) or [f"{full} pixels"]) if full > width else []
        for scheme, (_, width) in reversed(screens):
            turn(page, scheme, width)
            barriers += page.evaluate(BARRIERS, [] if name in ALL_KINDS else COLOURS)
        return Findings(seen.refused, seen.failed, seen.console, drawn, broken, too_wide, faint, barriers, size)


def turn(page: Any, scheme: str, width: int) -> None:
    """Show the page in this theme and width."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)


@pytest.mark.parametrize("name", PAGES)
def test_page_opens_without_the_network(findings: Callable[[str], Findings], name: str) -> None:
    found, formulas = findings(name), formulas_in(name)
    assert not found.refused, f"{name} asks other sites for {found.refused}"
    assert not found.failed, f"{name} cannot load {found.failed}"
    assert not found.console, f"{name} complains in the console: {found.console}"
    assert found.drawn >= formulas, f"{name} has {formulas} formulas, of which {found.drawn} are drawn"
    assert not found.broken, f"{name} has {found.broken} formulas that MathJax does not understand"


@pytest.mark.parametrize("device", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_page_does_not_scroll_sideways(findings: Callable[[str], Findings], name: str, device: str) -> None:
    too_wide = findings(name).too_wide[device]
    assert not too_wide, f"{name} is wider than {WIDTHS[device]} pixels: {too_wide}"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", PAGES)
def test_text_is_readable_in_both_themes(findings: Callable[[str], Findings], name: str, scheme: str) -> None:
    faint = findings(name).faint[scheme]
    assert not faint, f"{name}, {scheme}: contrast below 4.5 in {faint}"


@pytest.mark.parametrize("name", PAGES)
def test_nothing_keeps_a_reader_out(findings: Callable[[str], Findings], name: str) -> None:
    """axe-core finds no serious or critical violation: wide and light, then narrow and dark."""
    barriers = findings(name).barriers
    assert not barriers, f"{name}: {barriers}"


def bytes_of(seen: Visit) -> int:
    """What a static host sends of all that was loaded."""
    files = [path for path in seen.loaded if (HTML / path).is_file()]
    return sum(serving.size_as_sent(path, (HTML / path).read_bytes()) for path in files)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_little(findings: Callable[[str], Findings], name: str) -> None:
    size = findings(name).bytes
    assert 50_000 < size < ANY_PAGE, f"{name} loads {size:,} bytes"


def test_a_first_visit_of_a_chapter_loads_little(
    findings: Callable[[str], Findings], browser: Any, address: str
) -> None:
    """The heaviest four, each in a browser that has seen no page."""
    chapters = [name for name in PAGES if name.removeprefix("book/") in BY_NAME]
    for name in sorted(chapters, key=lambda name: findings(name).bytes)[-4:]:
        with visit(browser, address, name, fresh=True) as seen:
            size = bytes_of(seen)
        assert 50_000 < size < FIRST_LOAD, f"{name} loads {size:,} bytes"


@pytest.mark.parametrize("name", PAGES)
def test_internal_links_lead_somewhere(site: Path, name: str) -> None:
    here = f"http://site/{name}.html"
    for link in soup(name).select("a[href]"):
        target, anchor = urldefrag(urljoin(here, link["href"]))
        parts = urlsplit(target)
        if parts.netloc != "site" or parts.scheme != "http":
            continue
        file = site / unquote(parts.path).lstrip("/")
        assert file.is_file(), f"{name} links to {link['href']}, which does not exist"
        if anchor and file.suffix == ".html":
            there = anchors(str(file.relative_to(site).with_suffix("")))
            assert unquote(anchor) in there, f"{name} links to {link['href']}, but there is no such anchor"


@pytest.mark.parametrize("name", PAGES)
def test_pictures_have_a_text_alternative(site: Path, name: str) -> None:
    article = soup(name).select_one(".bd-article") or soup(name)
    for image in article.select("img"):
        text = (image.get("alt") or "").strip()
        assert text, f"{name}: {image.get('src')} has no alt text"
        # Sphinx puts the file's path where an author gave nothing.
        assert not text.endswith((".png", ".svg")), f"{name}: the alt text of {image.get('src')} is only its file name"
    for drawing in article.select("figure svg"):
        assert drawing.get("aria-label") or drawing.find("title"), f"{name}: a drawing has neither a label nor a title"


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_exercise_buttons_lead_to_the_notebook(site: Path, unit: str) -> None:
    path = f"exercises/{unit}/{unit}.ipynb"
    found = soup(f"book/{unit}").select("p.exercise-links:not(.task-box > *) a")
    links = {link.get_text(strip=True): link["href"] for link in found}
    download = links.pop("Download for JupyterLab")
    github = f"{addresses.repository_url()}/blob/{addresses.repository_branch()}/{path}"
    places = addresses.launch_urls(path)
    assert links == {f"Open in {place}": places[place] for place in places} | {"View on GitHub": github}
    copy = (site / "book" / download).resolve()
    assert copy.read_bytes() == (ROOT / path).read_bytes(), "the downloadable notebook is out of date: run `make book`."


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_the_box_of_a_task_opens_the_notebook_at_that_task(site: Path, unit: str) -> None:
    """Colab looks for a cell by the id in its metadata."""
    path = f"exercises/{unit}/{unit}.ipynb"
    cells = json.loads((ROOT / path).read_text(encoding="utf-8"))["cells"]
    texts = {cell["metadata"].get("id"): "".join(cell["source"]) for cell in cells}
    for box in soup(f"book/{unit}").select(".task-box"):
        address, _, cell = box.select_one('a[href*="#scrollTo="]')["href"].partition("#scrollTo=")
        assert address == addresses.launch_urls(path)["Colab"]
        assert texts[cell].startswith("## Task ")
        assert f": `{box['id'].partition('.')[2]}`\n" in texts[cell]


@pytest.mark.parametrize("name", PAGES)
def test_every_page_can_be_launched_from_its_header(site: Path, name: str) -> None:
    unit = name.removeprefix("book/")
    exercise = f"exercises/{unit}/{unit}.ipynb"
    wanted = addresses.launch_urls(exercise if unit in {unit.name for unit in COMPLETE} else f"{name}.md")
    links = [link["href"] for link in soup(name).select(".dropdown-launch-buttons a")]
    assert links == [address for address in wanted.values() if address.endswith(".ipynb") or "colab" not in address]


@pytest.mark.parametrize("name", PAGES)
def test_links_into_the_repository_lead_to_a_file_of_it(site: Path, name: str) -> None:
    for link in soup(name).select("a[href]"):
        if (path := path_in_repository(link["href"])) is not None:
            assert (ROOT / path).exists(), f"{name} links to {link['href']}, but the repository has no {path}"


def path_in_repository(address: str) -> str | None:
    """The file or folder of the repository that an address shows, edits or opens anywhere; None for other addresses."""
    owner_and_name, branch = (
        addresses.repository_url().removeprefix("https://github.com/"),
        addresses.repository_branch(),
    )
    if f"/{owner_and_name}/" not in address:
        return None
    parts = urlsplit(address)
    if parts.netloc == "mybinder.org":
        assert parts.path == f"/v2/gh/{owner_and_name}/{branch}"
        return parse_qs(parts.query)["urlpath"][0].removeprefix("lab/tree/")
    _, _, rest = parts.path.partition(f"{owner_and_name}/")
    kind, _, path = rest.partition("/")
    if kind not in ("blob", "tree", "edit", "raw"):
        return None
    assert path.startswith(f"{branch}/"), f"{address} leaves the configured branch"
    return unquote(path.removeprefix(f"{branch}/"))


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_feedback_can_link_to_every_section(site: Path, unit: str) -> None:
    sections = {mistake.section for mistake in mistakes(unit)}
    sections |= {f"{unit.replace('_', '-')}-{part}" for part in ("pitfalls", "quiz", "exercise", "papers")}
    missing = sorted(sections - anchors(f"book/{unit}"))
    assert not missing, f"book/{unit}.md lacks the targets {missing}"


def test_course_map_shows_every_unit_once_and_links_complete_ones(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "book/index") as seen:
        for width in WIDTHS.values():
            seen.page.set_viewport_size({"width": width, "height": 900})
            shown = seen.page.locator(".course-drawing svg:visible")
            counts = [shown.locator(what).count() for what in (".unit", "a.ready", ".planned")]
            assert counts == [len(UNITS), len(COMPLETE), len(UNITS) - len(COMPLETE)]


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    assert verify.site_problems(ROOT) == []


def test_front_page_is_found_from_the_root(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "index") as seen:
        seen.page.wait_for_url("**/book/index.html")
        assert "Transformer Workbook" in seen.page.locator("article h1").inner_text()


@pytest.mark.parametrize("term", SEARCHES)
def test_search_finds_what_a_learner_looks_for(site: Path, browser: Any, address: str, term: str) -> None:
    with visit(browser, address, "search") as seen:
        seen.page.goto(f"{address}/search.html?{urlencode({'q': term})}")
        results = seen.page.locator("#search-results li > a")
        results.first.wait_for()
        found = [urlsplit(results.nth(index).get_attribute("href")).path for index in range(min(5, results.count()))]
        assert any(path.endswith(f"book/{SEARCHES[term]}.html") for path in found), f"{term!r} finds {found}"
        assert not seen.refused
