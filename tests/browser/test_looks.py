"""How the book presents itself: beside the text, in the dark, to search engines, and without a network."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from visiting import PAGES, soup

ATTENTION = "book/attention"
WIDE = {"width": 1440, "height": 900}


@pytest.fixture
def page(browser: Any, address: str):
    context = browser.new_context(viewport=WIDE)
    opened = context.new_page()
    opened.goto(f"{address}/{ATTENTION}.html")
    yield opened
    context.close()


def test_the_outline_follows_jumps(page: Any) -> None:
    """Catches an outline that moves only when a heading crosses the screen: after a jump it stays where it was."""
    page.evaluate("document.getElementById('rows-are-queries').scrollIntoView()")
    page.wait_for_function("document.querySelector('.reading-now')?.textContent.startsWith('Rows are queries')")
    page.keyboard.press("Control+End")
    page.wait_for_function("scrollY > 10000")
    last = page.locator(".page-toc a.nav-link").last.inner_text()
    page.wait_for_function("(last) => document.querySelector('.reading-now')?.innerText === last", arg=last)
    box = page.locator(".page-toc .reading-now").bounding_box()
    assert 0 <= box["y"] <= WIDE["height"] - box["height"]  # it is on the screen itself
    page.evaluate("scrollTo(0, document.getElementById('rows-are-queries').offsetTop)")
    page.wait_for_function("!document.querySelector('.reading-now')?.innerText.startsWith('What the papers')")
    assert page.locator(".page-toc .reading-now").count() == 1


def test_a_word_of_the_glossary_shows_its_meaning_to_mouse_and_keyboard(page: Any) -> None:
    link, card = page.locator("a.glossary-link[aria-describedby]").first, page.locator("#meaning-card")
    assert not card.is_visible()
    link.hover()
    meaning = card.inner_text()
    assert re.fullmatch(r"[A-Z].{20,}[.!?]", meaning, re.S)
    page.mouse.move(0, 0)
    assert not card.is_visible()
    link.focus()
    assert card.inner_text() == meaning
    page.keyboard.press("Escape")
    assert not card.is_visible()


def test_meanings_are_in_the_page_without_javascript(site: Path) -> None:
    links = soup(ATTENTION).select("a.glossary-link")
    assert sum(bool(link.get("title")) for link in links) > len(links) / 2


def test_what_was_read_and_answered_is_marked_and_kept(browser: Any, address: str) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto(f"{address}/{ATTENTION}.html")
    mark = ".bd-sidebar-primary .current .reading-mark"
    assert page.locator(mark).count() == 0
    page.keyboard.press("Control+End")
    page.wait_for_selector(mark)
    assert page.locator(mark).inner_text() == "✓"
    for question in page.locator(".quiz-question").all():
        question.locator("button").first.click()
    questions = page.locator(".quiz-question").count()
    right = page.locator(".quiz-question[data-first=right]").count()
    assert page.locator(mark).inner_text() == f"✓ {right}/{questions}"
    page.goto(f"{address}/book/masks.html")
    kept = page.locator('.bd-sidebar-primary a[href="attention.html"] .reading-mark')
    assert kept.inner_text() == f"✓ {right}/{questions}"
    assert kept.get_attribute("title") == f"read, quiz: {right} of {questions}"
    page.evaluate("localStorage.setItem('workbook-marks', 'not JSON')")
    page.reload()
    assert kept.count() == 0
    context.close()


def test_a_right_and_a_wrong_choice_differ_in_more_than_colour(page: Any) -> None:
    question = page.locator(".quiz-question").first
    looks = set()
    for button in question.locator("button").all():
        button.click()
        style = "(b) => [getComputedStyle(b).borderTopStyle, getComputedStyle(b, '::after').content].join()"
        looks.add((button.evaluate(style), "quiz-chosen-right" in button.get_attribute("class")))
    assert len({look for look, _ in looks}) == len({right for _, right in looks}) == 2


@pytest.mark.parametrize("kind", ["drawing", "heat map"])
def test_pictures_in_the_dark(browser: Any, address: str, kind: str) -> None:
    """All take the page's ground. A heat map, in which darker means more, shows its dark twin and is not inverted."""
    context = browser.new_context(color_scheme="dark", viewport=WIDE)
    page = context.new_page()
    page.goto(f"{address}/{ATTENTION}.html")
    pictures = page.locator(f".cell_output img{'.with-image' if kind == 'heat map' else ':not(.with-image)'}")
    assert pictures.count() > 1
    for picture in pictures.all():
        style = picture.evaluate("(i) => [getComputedStyle(i).backgroundColor, getComputedStyle(i).filter]")
        assert style == ["rgba(0, 0, 0, 0)", "none" if kind == "heat map" else "invert(1) hue-rotate(180deg)"]
        if kind == "heat map":
            assert picture.is_visible() == ("only-dark" in picture.get_attribute("class"))
    context.close()


def test_the_text_stands_in_its_own_fonts_at_a_measure_that_reads_well(page: Any) -> None:
    page.evaluate("document.fonts.ready")
    assert page.evaluate(
        "document.fonts.check('18px \"Source Serif 4\"') && document.fonts.check('14px \"JetBrains Mono\"')"
    )
    paragraph = page.locator("section > p").first
    width, size = paragraph.evaluate("(p) => [p.clientWidth, parseFloat(getComputedStyle(p).fontSize)]")
    letters = page.evaluate(
        """([text, size]) => { const pen = document.createElement('canvas').getContext('2d');
        pen.font = `${size}px "Source Serif 4"`; return pen.measureText(text).width / text.length; }""",
        [paragraph.inner_text(), size],
    )
    assert 60 <= width / letters <= 76
    assert page.locator("section > h2").first.evaluate("(h) => getComputedStyle(h).fontSize") == "26px"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_it_is(site: Path, name: str) -> None:
    found = soup(name)
    head = {tag.get("property") or tag.get("name"): tag["content"] for tag in found.select("meta[content]")}
    title = head["og:title"]
    assert found.title.get_text() in (f"{title} · The Transformer Workbook", title)
    assert 40 <= len(head["description"]) <= 160
    assert head["og:description"] == head["description"]
    assert head["og:url"].endswith(f"/{name}.html")
    assert len(found.select("meta[name=viewport]")) == 1
    card = site / "_static" / "cards" / head["og:image"].rpartition("/")[2]
    with Image.open(card) as picture:
        assert picture.size == (1200, 630)
        assert len(picture.convert("L").getcolors(256)) > 20  # something is drawn


def test_titles_and_descriptions_are_all_different(site: Path) -> None:
    pages = [soup(name) for name in PAGES]
    assert len({page.title.get_text() for page in pages}) == len(pages)
    assert len({page.select_one("meta[name=description]")["content"] for page in pages}) == len(pages)


def test_the_sitemap_lists_every_page_and_robots_name_it(site: Path) -> None:
    listed = [element.text for element in ElementTree.parse(site / "sitemap.xml").iter() if element.tag.endswith("loc")]
    base = listed[0].partition("/book/")[0]
    assert sorted(listed) == sorted(f"{base}/{name}.html" for name in PAGES)
    assert f"Sitemap: {base}/sitemap.xml" in (site / "robots.txt").read_text(encoding="utf-8")
    manifest = json.loads((site / "manifest.webmanifest").read_text(encoding="utf-8"))
    assert (site / manifest["start_url"]).is_file()
    assert all((site / icon["src"]).is_file() for icon in manifest["icons"])


def test_the_whole_book_can_be_read_after_one_visit(browser: Any, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/book/index.html")
    page.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    page.wait_for_function("navigator.serviceWorker.controller !== null", timeout=60_000)
    context.set_offline(True)
    for name in (ATTENTION, "book/gpt2_forward", "book/glossary"):
        page.goto(f"{address}/{name}.html")
        assert page.locator("section > h1").is_visible()
        assert page.evaluate("[...document.images].every((i) => i.loading === 'lazy' || i.naturalWidth > 0)")
    context.set_offline(False)
    page.goto(f"{address}/{ATTENTION}.html?offline=off")  # the way out
    page.wait_for_function("caches.keys().then((names) => names.length === 0)")
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    context.close()


def test_the_front_page_can_be_played_with_and_diagnoses(browser: Any, address: str) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto(f"{address}/book/index.html")
    start = page.get_by_role("link", name="Start", exact=True)
    assert start.bounding_box()["y"] < WIDE["height"]
    page.get_by_text("what does the grader say?").click()
    said = page.locator(".diagnosed").inner_text()
    assert "softmax-over-queries" in said
    page.locator(".diagnosed a").last.click()
    assert "#" in page.url
    assert ATTENTION in page.url
    page.go_back()
    start.click()
    assert page.url.endswith("/book/warmup.html")
    context.close()
