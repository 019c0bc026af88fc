"""What helps a reader: quizzes that answer, the glossary, the map of everything, the screens of progress."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from visiting import PAGES, soup, visit

from autograder.course import addresses, headings
from autograder.course.catalogue import mistakes
from autograder.course.registry import BY_NAME, COMPLETE, UNITS
from autograder.notebook import progress, store
from autograder.reports import progress as shown

STRAIGHT = str.maketrans("‘’“”", "''\"\"")  # quotation marks that a heading is set with
CHAPTERS = [
    *("heads", "induction-heads", "long-trainings", "real-language", "long-context", "outlook", "fast-kernels"),
    "gpt2-program",
]
WITHOUT_A_UNIT = [f"book/{name}" for name in CHAPTERS]
QUIZZES = [f"book/{unit.name}" for unit in COMPLETE] + [*WITHOUT_A_UNIT, "book/index"]


def right(question: Any) -> str:
    """The letter of the right choice, from the page."""
    classes = question.get_attribute("class").split()
    return next(name.removeprefix("quiz-right-") for name in classes if name.startswith("quiz-right-"))


def focus_before(page: Any, selector: str) -> None:
    """Put the focus on what stands before the first of these, so that the next press of Tab leads on from there."""
    page.evaluate(
        "selector => { const before = document.querySelector(selector).previousElementSibling;"
        "before.tabIndex = -1; before.focus() }",
        selector,
    )


def test_a_quiz_is_answered_with_the_keyboard_alone(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "book/masks") as seen:
        page = seen.page
        question = page.locator(".quiz-question").first
        feedback = question.locator(".quiz-feedback")
        assert (feedback.get_attribute("role"), feedback.get_attribute("aria-live")) == ("status", "polite")
        assert feedback.inner_text() == ""
        focus_before(page, ".quiz-question")
        choices = question.locator(".quiz-choices button")
        letters = "abcde"[: choices.count()]
        answer = right(question)
        for place, letter in enumerate(letters):
            page.keyboard.press("Tab")
            assert choices.nth(place).evaluate("button => button === document.activeElement")
            page.keyboard.press("Enter" if place % 2 else "Space")
            assert choices.nth(place).get_attribute("aria-pressed") == "true"
            said = feedback.inner_text()
            assert said.startswith(f"✓ ({letter}) is right" if letter == answer else f"✗ ({letter}) is not right")
            assert len(said) > 40, "no explanation"
        assert question.locator("button[aria-pressed=true]").count() == 1
        page.keyboard.press("Tab")  # on to the answer, which still opens by itself
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
        page.keyboard.press("Enter")
        assert question.locator("details.quiz-answer").evaluate("details => details.open")
        assert not seen.console


def test_the_focus_can_be_seen(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "book/attention") as seen:
        focus_before(seen.page, ".quiz-question")
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate("document.activeElement.matches('.quiz-choices button')")
        assert seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("name", QUIZZES)
def test_every_choice_of_every_quiz_is_explained(site: Path, browser: Any, address: str, name: str) -> None:
    with visit(browser, address, name) as seen:
        said = seen.page.evaluate(
            """() => [...document.querySelectorAll(".quiz-question")].map(question => ({
                 right: [...question.classList].find(name => name.startsWith("quiz-right-")).at(-1),
                 said: [...question.querySelectorAll(".quiz-choices button")].map(button => {
                   button.click();
                   return question.querySelector(".quiz-feedback").innerText;
                 }),
               }))"""
        )
        assert len(said) >= 5
        for question in said:
            verdicts = [text.split(".")[0] for text in question["said"]]
            letters = "abcde"[: len(verdicts)]
            expected = [f"{'✓' if one == question['right'] else '✗'} ({one})" for one in letters]
            assert [verdict[:5] for verdict in verdicts] == expected
            assert min(len(text.partition(" right. ")[2]) for text in question["said"]) > 8, question
        assert not seen.console


@pytest.mark.parametrize(("missed", "start"), [(2, "tokens"), (3, "warmup")])
def test_the_self_test_says_where_to_start(site: Path, browser: Any, address: str, missed: int, start: str) -> None:
    """Its first answers count, each miss leads to a section, and the score to a chapter: click through all of it."""
    with visit(browser, address, "book/index") as seen:
        page = seen.page
        questions, board = page.locator(".quiz-question"), page.locator(".quiz-score")
        number = questions.count()
        assert number == 10
        assert board.locator("li:visible").count() == 2  # before the test both ways can be read
        for index in range(number):
            question = questions.nth(index)
            answer, choices = right(question), question.locator(".quiz-choices button")
            letters = "abcde"[: choices.count()]
            wrong = [letter for letter in letters if letter != answer]
            if index < missed:
                for letter in wrong:
                    choices.nth(letters.index(letter)).click()
                    target = question.locator(".quiz-feedback a").last.get_attribute("href")
                    assert re.fullmatch(r"(?:book/)?warmup\.html#[\w-]+", target), (index, letter, target)
            choices.nth(letters.index(answer)).click()  # after a miss this no longer counts
            if index == 0:
                assert board.get_by_role("status").inner_text() == "0 right at the first try, 9 to go."
        assert board.get_by_role("status").inner_text() == f"{number - missed} right at the first try of {number}."
        (advice,) = board.locator("li:visible").all()
        assert f"begin with chapter {BY_NAME[start].number}" in advice.inner_text().replace("\u00a0", " ")
        advice.locator(f'a[href$="{start}.html"]').first.click()
        assert page.url.endswith(f"/{start}.html")
        assert not seen.console


def test_a_quiz_works_without_javascript(site: Path, browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/book/attention.html")
    question = page.locator(".quiz-question").first
    assert question.locator("li").first.inner_text().startswith("(a)")
    assert question.locator("button").count() == 0
    answer = question.locator("details.quiz-answer")
    assert not answer.locator(".quiz-why").first.is_visible()
    answer.locator("summary").click()
    assert answer.locator(".quiz-why").first.is_visible()
    context.close()


def test_a_page_is_laid_out_whole_when_it_is_loaded(site: Path, browser: Any, address: str) -> None:
    """Not only its first screen: then a picture of the whole page, and its text, have everything."""
    with visit(browser, address, "book/attention") as seen:
        blocks = seen.page.locator(".bd-article section, .bd-article section > *")
        found = blocks.evaluate_all("all => all.map(one => getComputedStyle(one).contentVisibility)")
        assert len(found) > 100
        assert set(found) == {"visible"}
        assert "What the papers say" in seen.page.locator("article").inner_text()


@pytest.mark.parametrize("name", ["book/attention", "book/bleu", "book/references"])
def test_boxes_take_the_focus_when_they_scroll_and_only_then(site: Path, browser: Any, address: str, name: str) -> None:
    """Also after the window became narrower, and wider again."""
    wrong = """() => [...document.querySelectorAll(".bd-article :is(pre, .cell_output, mjx-container[display=true])")]
        .filter(box => box.checkVisibility())
        .filter(box => {
          const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
          return scrolls !== (box.tabIndex === 0);
        })
        .map(box => box.outerHTML.slice(0, 120))"""
    with visit(browser, address, name) as seen:
        for width in (1280, 390, 1280):
            seen.page.set_viewport_size({"width": width, "height": 900})
            seen.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            assert seen.page.evaluate(wrong) == []


def test_every_entry_of_the_glossary_is_linked_from_a_page(site: Path) -> None:
    linked = set()
    for name in PAGES:
        for link in soup(name).select('a[href*="glossary.html#term-"]'):
            linked.add(link["href"].partition("#")[2])
    entries: list[set[str]] = []
    for term in soup("book/glossary").select("dl.glossary > *"):
        if term.name == "dt":
            before = term.find_previous_sibling()
            if before is None or before.name == "dd":
                entries.append(set())
            entries[-1].add(term["id"])
    lonely = [sorted(entry) for entry in entries if not entry & linked]
    assert len(entries) > 100
    assert lonely == [], "no chapter uses these words; see ONLY_ON and ALSO in book/_ext/glossary_links.py"


def test_no_page_links_a_word_twice(site: Path) -> None:
    for name in PAGES:
        targets = [link["href"] for link in soup(name).select("a.glossary-link")]
        assert len(targets) == len(set(targets)), name


@pytest.mark.parametrize("name", PAGES)
def test_no_output_is_the_address_of_an_object(site: Path, name: str) -> None:
    outputs = [output.get_text().strip() for output in soup(name).select(".cell_output")]
    assert [text for text in outputs if re.search(r"\b0x[0-9a-f]{6,}", text)] == []


def test_the_search_shows_text_of_the_pages(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "search") as seen:
        page = seen.page
        page.goto(f"{address}/search.html?q=softmax")
        page.wait_for_function("document.querySelectorAll('#search-results p.context').length > 10")
        shown = page.locator("#search-results p.context").all_inner_texts()
        assert [text for text in shown if "Contents" in text] == []
        titles = page.locator("#search-results li > a").all_inner_texts()
        assert f"{BY_NAME['attention'].number} · Self-attention, from dot product to weights" in titles
        assert [title for title in titles if re.search(r"· .* >.* · ", title)] == []
        meaning = page.locator("#search-results li", has=page.locator("a[href$='#term-softmax']")).locator("p.context")
        assert meaning.inner_text().startswith("The function that turns a row of numbers")
        icon, field = (page.locator(f".bd-search-container {part}").first for part in (".bd-search i", "input"))
        padding = field.evaluate("field => parseFloat(getComputedStyle(field).paddingLeft)")
        left = field.bounding_box()["x"]
        assert icon.bounding_box()["x"] + icon.bounding_box()["width"] <= left + padding
        assert not seen.console


def test_an_address_that_does_not_exist_leads_back(site: Path, browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    assert page.goto(f"{address}/book/no/such-page.html").status == 404
    assert page.locator("h1").inner_text() == "Page not found"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    links = page.locator("a").evaluate_all("links => links.map(link => link.href)")
    assert links
    for link in links:
        path = link.partition(addresses.book_url())[2].lstrip("/") or "index.html"
        assert (site / path).is_file(), link
    elsewhere = addresses.book_url()  # its search is that of the published site, for which the local one stands in

    def local(route: Any) -> None:
        route.fulfill(path=site / route.request.url.partition("?")[0].removeprefix(f"{elsewhere}/"))

    page.route(f"{elsewhere}/**", local)
    field = page.get_by_role("searchbox")
    assert field.input_value() == "such page"
    field.fill("kv cache")
    page.get_by_role("button", name="Search").click()
    page.locator("#search-results li a").first.wait_for()
    assert page.url == f"{elsewhere}/search.html?q=kv+cache"
    page.close()


@pytest.mark.parametrize("name", ["book/tokens", "book/heads"])
def test_chapters_have_their_numbers(site: Path, name: str) -> None:
    """Texts name chapters by number, so the list of pages and the chapter itself say which one that is."""
    listed = {link["href"]: link.get_text() for link in soup(name).select("li.toctree-l1 > a")}
    for unit in UNITS:
        page = f"book/{unit.name}"
        shown = listed["#" if page == name else f"{unit.name}.html"].replace("’", "'")
        assert shown.startswith(f"{unit.number} · {unit.title[:9]}")
        assert soup(page).select_one("article h1").get_text().startswith(f"{unit.number} · ")
    bare = [text for text in listed.values() if not text[0].isdigit()]
    assert len(bare) == len(PAGES) - 1 - len(UNITS)  # the front page is not in the list


def test_the_map_leads_to_everything(site: Path) -> None:
    cards = soup("book/map").select(".course-card")
    assert len(cards) == len(UNITS) + len(WITHOUT_A_UNIT)
    for unit in COMPLETE:
        card = next(card for card in cards if card.get_text().strip().startswith(f"{unit.number} · "))
        links = [link["href"] for link in card.select("a")]
        assert {f"{unit.name}.html", f"{unit.name}.html#{unit.name.replace('_', '-')}-quiz"} <= set(links)
        assert sum("colab.research.google.com" in link for link in links) == 1
        assert sum(link.endswith(f"{unit.name}.ipynb") for link in links) == 2  # Colab, download
        assert [code.get_text() for code in card.select("code")][: len(unit.names)] == list(unit.names)
    everywhere = {link["href"].partition("#")[0] for link in soup("book/map").select("article a[href]")}
    planned = {f"{unit.name}.html" for unit in UNITS if not unit.complete}
    assert {f"{page.rpartition('/')[2]}.html" for page in PAGES} - everywhere - planned == {"map.html"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_of_progress_fits_and_can_be_read(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str, width: int
) -> None:
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "progress.json"))
    store.remember_points({task: 1000.0 for task in COMPLETE[0].task_ids} | {COMPLETE[2].task_ids[0]: 1.0})
    file = tmp_path / "progress.html"
    file.write_text(shown.page(progress.load()), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture = page.locator("svg:visible")
    assert picture.count() == 1
    boxes = picture.locator(".unit")
    assert boxes.count() == len(UNITS)
    overflowing = page.evaluate(
        """() => [...document.querySelectorAll(".unit")].filter(unit => unit.checkVisibility()).filter(unit => {
             const frame = unit.querySelector("rect").getBoundingClientRect();
             return [...unit.querySelectorAll("text")].some(text => text.getBoundingClientRect().right > frame.right);
           }).map(unit => unit.textContent)"""
    )
    assert overflowing == []
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_powers_of_ten_are_written_as_such(site: Path, name: str) -> None:
    article = soup(name).select_one("article")
    for code in article.select("pre, code, script, style"):
        code.decompose()
    assert re.findall(r"(?<![\w.])\d\.?\d*e(?:[-+]0|\+)\d+", article.get_text()) == []


@pytest.mark.parametrize("unit", [unit.name for unit in COMPLETE])
def test_links_of_known_mistakes_name_their_sections(site: Path, unit: str) -> None:
    links = soup(f"book/{unit}").select(".cell_output details td > a")
    listed = [entry for entry in mistakes(unit) if entry.name == entry.family]  # variants share an explanation
    assert len(links) == len(listed)
    for link in links:
        title = link.get_text().translate(STRAIGHT)
        assert title == headings.heading(unit, link["href"].removeprefix("#")).translate(STRAIGHT)
