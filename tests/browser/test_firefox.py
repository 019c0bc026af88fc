"""The built book in Firefox: its scripts and style sheets must work in a browser other than Chromium, too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from firefox import Firefox

# Figures near the screen are there: a page that is left while one of them loads its model complains.
FIGURES_STAND = """[...document.querySelectorAll('.pg-app:empty')]
    .every((app) => app.parentElement.getBoundingClientRect().top > innerHeight + 800)"""
SHOWN = ("book/index", "book/attention", "book/glossary", "book/gpt2_forward")


@pytest.fixture(scope="module")
def firefox(site: Path, address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.fail("Firefox is missing: run `apt-get install firefox-esr`.", pytrace=False)
    opened = Firefox(program, tmp_path_factory.mktemp("firefox"))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_opens_without_complaint_and_fits(firefox: Firefox, address: str, name: str) -> None:
    firefox.complaints.clear()
    for width in (360, 1280):
        firefox.screen(width, 800)
        firefox.open(f"{address}/{name}.html")
        firefox.wait(FIGURES_STAND)
        assert firefox.ask("document.documentElement.scrollWidth") <= width
    assert firefox.ask("document.querySelector('article h1').checkVisibility()")
    assert firefox.complaints == []


def test_a_quiz_answers_and_the_list_of_pages_folds(firefox: Firefox, address: str) -> None:
    firefox.open(f"{address}/book/attention.html")
    firefox.wait("document.querySelector('.quiz-choices button')")
    firefox.click(".quiz-choices button")
    assert firefox.ask("document.querySelector('.quiz-feedback').innerText")[0] in "✓✗"
    assert firefox.ask("document.querySelector('.sidebar-part[open] .current > a').innerText.includes('◦')")
    before = firefox.ask("document.querySelectorAll('.sidebar-part[open]').length")
    firefox.click(".sidebar-part:not([open]) > summary")
    assert firefox.ask("document.querySelectorAll('.sidebar-part[open]').length") == before + 1


def test_a_figure_can_be_played_with(firefox: Firefox, address: str) -> None:
    firefox.open(f"{address}/book/attention.html")
    firefox.wait("document.querySelector('.playground input')")
    computed = "[...document.querySelectorAll('.playground td:not(:has(input))')].map((c) => c.textContent).join()"
    before = firefox.ask(computed)
    firefox.click(".playground td input")
    firefox.press("ArrowUp")
    firefox.wait(f"{computed} !== {json.dumps(before)}")


def test_the_search_finds_while_typing(firefox: Firefox, address: str) -> None:
    firefox.open(f"{address}/book/attention.html")
    firefox.press("Control", "k")
    if not firefox.ask(
        "document.getElementById('pst-search-dialog').open"
    ):  # the window may not have had the focus yet
        firefox.click("article h1")
        firefox.press("Control", "k")
    firefox.wait("document.getElementById('pst-search-dialog').open")
    firefox.type("kv cache")
    firefox.wait("document.querySelector('.search-choices a')")
    firefox.press("Enter")
    firefox.wait("!location.pathname.endsWith('/attention.html')")


def test_the_dark_theme_is_dark(firefox: Firefox, address: str) -> None:
    firefox.open(f"{address}/book/attention.html")
    for _ in range(3):  # light, dark, as the system is
        if firefox.ask("document.documentElement.dataset.theme") == "dark":
            break
        firefox.click(".theme-switch-button")
    ground = firefox.ask("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    ink = firefox.ask("getComputedStyle(document.querySelector('article p')).color.match(/\\d+/g).map(Number)")
    assert max(ground[:3]) < 60 < 180 < min(ink[:3])
