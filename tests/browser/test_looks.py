"""How the book presents itself: beside the text, in the dark, to search engines, and without a network."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from visiting import PAGES, SETTLED, soup

from autograder.course import chapter_path
from autograder.course.registry import BY_NAME, STAGES

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


def test_a_page_is_laid_out_to_its_end_without_being_scrolled(page: Any) -> None:
    """Large blocks part by part: the last of the folded mistakes, and what follows them."""
    page.wait_for_load_state("load")
    assert page.locator(".laid-out-later").count() == 0
    hidden = "(box) => box.checkVisibility() && !box.checkVisibility({ contentVisibilityAuto: true })"
    boxes = page.locator(".bd-article section section > *, .bd-article details.held-back")
    assert boxes.count() > 100
    assert [box for box in boxes.element_handles() if box.evaluate(hidden)] == []


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


def test_progress_is_marked_kept_saved_and_loaded(browser: Any, address: str, tmp_path: Path) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto(f"{address}/{ATTENTION}.html")
    mark = ".bd-sidebar-primary .current .reading-mark"
    assert page.locator(mark).count() == 0
    assert not page.locator(".minutes-left").is_visible()
    page.keyboard.press("Control+End")
    page.wait_for_selector(mark)
    assert page.locator(mark).inner_text() == "✓"
    for question in page.locator(".quiz-question").all():
        question.locator("button").first.click()
    questions = page.locator(".quiz-question").count()
    right = page.locator(".quiz-question[data-first=right]").count()
    assert page.locator(mark).inner_text() == f"✓ {right}/{questions}"
    done = page.locator(".task-done").first
    done.scroll_into_view_if_needed()
    page.evaluate(SETTLED)  # what is on the screen now has been read
    left = minutes_left(page)
    done.click()
    minutes = int(re.search(r"(\d+) min", page.locator(".task-box .path-mark").first.inner_text())[1])
    assert minutes_left(page) == left - minutes
    tasks = page.locator(".task-done").count()
    words = f"read, quiz: {right} of {questions}, tasks: 1 of {tasks}"
    assert page.locator(mark).get_attribute("title") == words

    page.goto(f"{address}/book/masks.html")
    kept = page.locator('.bd-sidebar-primary a[href="attention.html"] .reading-mark')
    assert kept.inner_text() == f"✓ {right}/{questions}"
    page.locator(".reader-progress summary").click()
    assert page.locator(".progress-count").inner_text() == "Pages read: 1, passed: 0."
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save as a file").click()
    file = tmp_path / "progress.json"
    saving.value.save_as(file)

    page.goto(f"{address}/book/map.html")  # the cards have it too
    card = page.locator('.course-card-title a[href="attention.html"] .reading-mark')
    assert card.inner_text() == f"✓ {right}/{questions}"
    page.evaluate("localStorage.setItem('workbook-marks', 'not JSON')")
    page.reload()
    assert card.count() == 0
    page.locator(".reader-progress summary").click()
    said = page.locator(".progress-said")
    wrong = {"not JSON": "no file of progress", '{"a": 1}': "no file of progress"}
    wrong[file.read_text().replace('"version": 1', '"version": 2')] = "A newer version"
    for text, complaint in wrong.items():
        bad = tmp_path / "bad.json"
        bad.write_text(text)
        page.locator(".reader-progress input").set_input_files(bad)
        said.get_by_text(complaint).wait_for()
        assert card.count() == 0
    page.locator(".reader-progress input").set_input_files(file)
    said.get_by_text("Loaded. Pages with marks: 1.").wait_for()
    assert card.inner_text() == f"✓ {right}/{questions}"
    context.close()


def minutes_left(page: Any) -> int:
    return int(re.search(r"About (\d+) minutes left", page.locator(".minutes-left").inner_text())[1])


def test_the_list_of_pages_folds_and_remembers(page: Any) -> None:
    opened = ".sidebar-part[open] > summary"
    assert page.locator(opened).all_inner_texts() == [BY_NAME["attention"].stage]
    assert page.locator(".sidebar-part summary").all_inner_texts() == ["Start", *dict(STAGES), "Reference"]
    page.locator(".sidebar-part summary", has_text="Training").click()
    page.locator(".sidebar-part a[href='losses.html']").click()  # it can be seen now
    assert page.locator(opened).all_inner_texts() == ["Training"]
    page.goto(page.url.replace("losses", "masks"))
    assert page.locator(opened).all_inner_texts() == [BY_NAME["masks"].stage, "Training"]
    page.locator(".sidebar-part summary", has_text="Training").click()
    page.reload()
    assert page.locator(opened).all_inner_texts() == [BY_NAME["masks"].stage]


def test_the_ways_to_other_chapters_say_how_long_these_take(site: Path) -> None:
    for link in soup(ATTENTION).select(".prev-next-area a"):
        path = chapter_path.path_of(link["href"].removesuffix(".html"))
        assert link.select_one(".path-mark").get_text() == chapter_path.in_words(path.minutes)


def test_paper_gets_what_is_folded_or_says_that_it_is_left_out(page: Any) -> None:
    folds = page.locator(".bd-article details")
    before = folds.evaluate_all("all => all.map((fold) => fold.open)")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown = folds.evaluate_all(
        "all => all.map((fold) => [fold.open, getComputedStyle(fold.querySelector('summary'), '::after').content])"
    )
    assert {is_open for is_open, _ in shown} == {True, False}
    assert [note for is_open, note in shown if not is_open and "left out" not in note] == []
    assert [note for is_open, note in shown if is_open and "left out" in note] == []
    held_back = page.locator(":is(.bd-article .held-back, .bd-article .tag_solution details.hide):not([open])")
    assert sum(not is_open for is_open, _ in shown) == held_back.count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert folds.evaluate_all("all => all.map((fold) => fold.open)") == before


def test_on_a_phone_nothing_lies_over_the_text_and_formulas_and_notes_fit(page: Any) -> None:
    formula = page.locator(".math.on-phones mjx-container").first
    aside = page.locator(".with-aside").first
    assert not formula.is_visible()
    text, note = (aside.locator(part).bounding_box() for part in ("p >> nth=0", ".aside"))
    assert note["x"] > text["x"] + text["width"] - 1
    page.set_viewport_size({"width": 360, "height": 740})
    assert formula.is_visible()
    assert not page.locator(".math.on-wide-screens mjx-container").first.is_visible()
    text, note = (aside.locator(part).bounding_box() for part in ("p >> nth=0", ".aside"))
    assert note["y"] >= text["y"] + text["height"]
    covered = """() => [...Array(8).keys()].flatMap((row) => [20, 180, 340].map((x) => [x, 120 + row * 80]))
        .map(([x, y]) => document.elementFromPoint(x, y))
        .filter((element) => !element.closest(".bd-main") || getComputedStyle(element).position === "fixed")
        .map((element) => element.outerHTML.slice(0, 80))"""
    for part in (0.2, 0.5, 0.8):
        page.evaluate("part => scrollTo(0, part * document.documentElement.scrollHeight)", part)
        page.evaluate(SETTLED)
        assert page.evaluate(covered) == []


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
    start = page.get_by_role("link", name="Start the course")
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


JUMPS = """window.jumped = 0;
new PerformanceObserver((list) => { for (const jump of list.getEntries()) window.jumped += jump.value; })
  .observe({ type: "layout-shift", buffered: true });"""


@pytest.mark.parametrize("viewport", [{"width": 412, "height": 823}, WIDE], ids=["phone", "wide"])
def test_nothing_jumps_when_the_fonts_come_late(browser: Any, address: str, viewport: dict) -> None:
    context = browser.new_context(viewport=viewport, color_scheme="dark", service_workers="block")
    context.add_init_script(JUMPS)
    page = context.new_page()
    fonts: list[Any] = []
    page.route("**/*.woff2", lambda font: fonts.append(font))
    page.goto(f"{address}/book/bleu.html", wait_until="domcontentloaded")
    page.wait_for_timeout(300)
    assert fonts
    for font in fonts:
        font.continue_()
    page.wait_for_function("document.fonts.check('18px \\'Source Serif 4\\'')")
    page.wait_for_timeout(300)
    assert page.evaluate("window.jumped") < 0.03
    context.close()


def test_the_theme_is_settled_before_the_page_is_painted(browser: Any, address: str) -> None:
    """A reader in the dark sees no white page first, however late the theme's own program comes."""
    context = browser.new_context(color_scheme="dark", service_workers="block")
    page = context.new_page()
    page.route("**/pydata-sphinx-theme.js*", lambda route: route.abort())
    page.goto(f"{address}/book/masks.html")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith('"Source Serif 4"')
    context.close()


def test_words_of_code_in_the_colour_of_all_code_have_no_box_of_their_own(site):
    """These are three fifths of the words: without boxes a page of code is laid out sooner, and looks the same."""
    sheet = (site / "_static" / "pygments.css").read_text(encoding="utf-8")
    for theme in ("light", "dark"):
        rule = rf'^html\[data-theme="{theme}"\] (\.highlight[ .\w]*) {{[^}}]*\bcolor: (#\w+)'
        rules = dict(re.findall(rule, sheet, re.MULTILINE))
        assert {rules[f".highlight .{kind}"] for kind in ("n", "nn", "p", "w")} == {rules[".highlight"]}
        assert rules[".highlight .k"] != rules[".highlight"]
    text = (site / "book" / "attention.html").read_text(encoding="utf-8")
    code = re.search(r"<pre[^>]*>(?:(?!</pre>).)*scaled_dot_product_attention.*?</pre>", text, re.S)
    assert code
    assert not re.search(r'<span class="(?:n|nn|p|w)">|<span></span>', code[0])
    assert '<span class="' in code[0]
