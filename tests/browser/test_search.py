"""The search: the right section first, while typing, by keyboard, and without a network or a server."""

from __future__ import annotations

import functools
import gzip
import json
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from visiting import HTML, visit

from autograder.course.registry import COMPLETE

DOCUMENTS = "_static/search/documents.js"
LARGEST = 400_000  # bytes of the documents as a host sends them, compressed
ON_DEMAND = {"_static/search/minisearch.js", "_static/search/ranking.js", DOCUMENTS}
AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
CHOICES = "#search-choices a"
SECTION = "book/attention.html#why-divide-by-the-square-root-of-d-k"
# What a reader types, and the first answer: where two are right, both.
FIRST = {
    "atention": "book/glossary.html#term-attention",
    "sotfmax": "book/glossary.html#term-softmax",
    "backprop": "book/glossary.html#term-backward-pass",
    "positional encoding": "book/embeddings.html#sines-and-cosines",
    "layernorm": "book/blocks.html#layer-normalisation",
    "LayerNorm": "book/blocks.html#layer-normalisation",
    "layer normalization": "book/blocks.html#layer-normalisation book/glossary.html#term-layer-normalisation",
    "mask future tokens": "book/masks.html#causal-masks",
    "why divide by square root": SECTION,
    "sqrt(d_k)": SECTION,
    "-inf": "book/masks.html#minus-infinity book/glossary.html#term-minus-infinity",
    "teacher forcing": "book/glossary.html#term-teacher-forcing",
    "KV cache": "book/decoding.html#the-kv-cache book/glossary.html#term-KV-cache",
    "beam search": "book/decoding.html#beam-search book/glossary.html#term-beam-search",
    "GELU": "book/glossary.html#term-GELU",
    "softmax overflow": "book/attention.html#a-softmax-that-does-not-overflow",
    "label smoothing": "book/glossary.html#term-label-smoothing",
    "vaswani": "book/references.html#id2",
    "attention.softmax": "book/attention.html#attention.softmax",
    "decoding.beam_search": "book/decoding.html#decoding.beam_search",
    "noam_lr": "book/optim.html#optim.noam_lr",
    "noam": "book/optim.html#optim.noam_lr book/optim.html#optim.noam_scheduler",
    "noam schedule": "book/optim.html#optim.noam_scheduler book/optim.html#optim.noam_lr",
    "bleu brevity penalty": "book/bleu.html#the-brevity-penalty book/glossary.html#term-brevity-penalty",
    "rope": "book/glossary.html#term-RoPE book/long-context.html#rope-turn-queries-and-keys",
    "weight tying": "book/glossary.html#term-weight-tying",
    "weight sharing": "book/glossary.html#term-weight-tying book/glossary.html#term-tied-weights",
    "causal masks": "book/masks.html#causal-masks",
    "BPE": "book/glossary.html#term-byte-pair-encoding book/glossary.html#term-BPE",
    "cross entropy": "book/glossary.html#term-cross-entropy",
    "residual connection": "book/blocks.html#residual-connections",
    "skip connection": "book/blocks.html#residual-connections book/glossary.html#term-residual-connection",
    "gradient clipping": "book/glossary.html#term-gradient-clipping",
    "perplexity": "book/losses.html#perplexity book/glossary.html#term-perplexity",
    "top-p": "book/decoding.html#top-p",
    "nucleus sampling": "book/decoding.html#top-p book/glossary.html#term-top-p-sampling",
    "flash attention": "book/outlook.html#flash-attention-never-write-the-matrix-down",
    "numerical stability": "book/attention.html#a-softmax-that-does-not-overflow",
    "colab": "book/setup.html#in-google-colab",
}
# What has been typed so far, and what must already be among the first five.
SO_FAR = {
    "sof": "book/glossary.html#term-softmax",
    "brevity pen": "book/bleu.html#the-brevity-penalty",
    "divide by the squ": SECTION,
    "masks.ca": "book/masks.html#masks.causal_mask",
}


@pytest.fixture(scope="module")
def asked(site: Path, browser: Any, address: str) -> Iterator[Callable[[str], list[str]]]:
    """Types a query into the dialogue of a chapter, and returns the addresses of the choices."""
    with visit(browser, address, "book/attention") as seen:
        page = seen.page
        page.keyboard.press("Control+k")
        field = page.locator("#pst-search-dialog input")

        def ask(query: str) -> list[str]:
            field.fill("")
            page.wait_for_function("!document.querySelector('#search-choices a')")
            field.fill(query)
            page.locator(CHOICES).first.wait_for()
            hrefs = page.locator(CHOICES).evaluate_all("links => links.map(link => link.href)")
            return [href.removeprefix(f"{address}/") for href in hrefs]

        yield ask
        assert not seen.refused
        assert not seen.console


@pytest.mark.parametrize("query", FIRST)
def test_the_first_answer_is_the_right_one(asked: Callable[[str], list[str]], query: str) -> None:
    found = asked(query)
    assert found[0] in FIRST[query].split(), f"{query!r} finds {found[:4]}"


@pytest.mark.parametrize("query", SO_FAR)
def test_half_a_query_has_its_answer(asked: Callable[[str], list[str]], query: str) -> None:
    assert SO_FAR[query] in asked(query)[:5]


def test_every_task_is_found_by_its_id(site: Path, asked: Callable[[str], list[str]]) -> None:
    ids = [next(iter(unit.task_ids)) for unit in COMPLETE]
    assert [found[0].partition("#")[2] for found in map(asked, ids)] == ids


def test_documents_are_prose_and_their_addresses_exist(site: Path) -> None:
    """Catches plotting code, answers that the page keeps folded, and links that lead to the top of a page."""
    script = (site / DOCUMENTS).read_bytes()
    assert len(gzip.compress(script)) < LARGEST
    documents = json.loads(script.decode().partition(" = ")[2].strip().removesuffix(";"))["documents"]
    addresses = [document["address"] for document in documents]
    assert len(addresses) == len(set(addresses))
    parts = [address.partition("#") for address in addresses]
    assert [anchor for page, _, anchor in parts if anchor not in anchors_of(page)] == []
    code = re.compile(r"import torch|import matplotlib|plt\.|figure\.savefig|\.set_xlabel\(|def \w+\(self")
    assert [document["address"] for document in documents if code.search(document["text"])] == []
    assert [document["address"] for document in documents if not document["title"]] == []


@functools.cache
def anchors_of(page: str) -> set[str]:
    return set(re.findall(r'\bid="([^"]+)"', (HTML / page).read_text(encoding="utf-8")))


@pytest.mark.parametrize("width", [390, 1440])
def test_enter_puts_the_section_on_the_screen(site: Path, browser: Any, address: str, width: int) -> None:
    """From another page and within the page; nothing is marked there, and the address has no query."""
    for start in ("book/optim", "book/attention"):
        with visit(browser, address, start, viewport={"width": width, "height": 800}) as seen:
            page = seen.page
            page.keyboard.press("Control+k")
            page.keyboard.type("why divide by square root", delay=5)
            page.keyboard.press("Enter")
            page.wait_for_url(f"{address}/{SECTION}")
            heading = "document.getElementById('why-divide-by-the-square-root-of-d-k')?.getBoundingClientRect().top"
            page.wait_for_function(f"{heading} >= 0 && {heading} < 300")
            page.wait_for_timeout(1000)  # until the sections above have been laid out
            assert 0 <= page.evaluate(heading) < 300
            assert not page.locator("#pst-search-dialog").is_visible()
            assert page.get_by_text("Hide Search Matches").count() == 0
            assert page.locator(".bd-article .highlighted").count() == 0
            assert not seen.console


def test_arrows_choose_and_the_choice_is_announced(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "book/index") as seen:
        page = seen.page
        page.locator(".bd-sidebar-primary .search-button__button").click()
        field = page.locator("#pst-search-dialog input")
        assert field.get_attribute("aria-expanded") == "false"
        field.press_sequentially("softmax")
        page.locator(f"{CHOICES}[aria-selected=true]").wait_for()
        assert field.get_attribute("aria-expanded") == "true"

        def chosen() -> int:
            announced = page.locator(f"#{field.get_attribute('aria-activedescendant')}")
            assert announced.get_attribute("aria-selected") == "true"
            return page.locator(CHOICES).evaluate_all("all => all.findIndex(one => one.ariaSelected === 'true')")

        assert chosen() == 0
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        assert chosen() == 2
        page.keyboard.press("ArrowUp")
        assert chosen() == 1
        wanted = page.locator(CHOICES).nth(1).evaluate("link => link.href")
        page.keyboard.press("Enter")
        page.wait_for_url(wanted)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_choices_have_no_barriers(site: Path, browser: Any, address: str, scheme: str) -> None:
    with visit(browser, address, "book/index", color_scheme=scheme) as seen:
        seen.page.keyboard.press("Control+k")
        seen.page.keyboard.type("softmax")
        seen.page.locator(CHOICES).first.wait_for()
        seen.page.evaluate(AXE)
        found = seen.page.evaluate("axe.run('#pst-search-dialog').then(({ violations }) => violations)")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_what_is_nowhere_is_said_to_be(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "book/index") as seen:
        seen.page.keyboard.press("Control+k")
        seen.page.keyboard.type("qqqqxxxxzzzz")
        seen.page.get_by_text("Nothing found for “qqqqxxxxzzzz”.").wait_for()
        assert seen.page.locator(CHOICES).count() == 0
        seen.page.keyboard.press("Escape")
        assert not seen.page.locator("#pst-search-dialog").is_visible()


def test_a_page_loads_the_search_when_it_is_used(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "book/attention") as seen:
        assert not ON_DEMAND & seen.loaded
        seen.page.keyboard.press("Control+k")
        seen.page.keyboard.type("softmax")
        seen.page.locator(CHOICES).first.wait_for()
        assert seen.loaded >= ON_DEMAND
    assert (site / "_static" / "search.js").stat().st_size < 10_000


def test_it_works_from_a_disk(site: Path, browser: Any) -> None:
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(f"{site.resolve().as_uri()}/book/index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("KV cache")
    page.locator(CHOICES).first.wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**/book/*.html#*")
    page.goto(f"{site.resolve().as_uri()}/search.html?q=atention")
    first = page.locator("#search-results li > a").first
    first.wait_for()
    assert first.get_attribute("href").endswith("#term-attention")
    context.close()


def test_the_page_of_results_follows_the_field(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "search") as seen:
        page = seen.page
        page.goto(f"{address}/search.html?{urlencode({'q': 'layernorm'})}")
        page.locator("#search-results a[href$='#layer-normalisation']").wait_for()
        page.locator(".bd-search-container input").fill("brevity penalty")
        page.locator("#search-results a[href$='#the-brevity-penalty']").wait_for()
        assert page.locator("#search-results a[href$='#layer-normalisation']").count() == 0
        assert page.locator("#search-results mark").count() > 0
        assert page.locator("#search-results a[href*='highlight']").count() == 0
        assert not seen.console


@pytest.mark.parametrize("missing", ["_static/search.js", DOCUMENTS])
def test_sphinx_answers_when_the_search_cannot_be_loaded(site: Path, browser: Any, address: str, missing: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    context.route(f"**/{missing}*", lambda route: route.abort())
    page.goto(f"{address}/book/attention.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("softmax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=softmax")
    first = page.locator("#search-results li > a").first
    first.wait_for()
    assert first.inner_text().strip()
    context.close()
