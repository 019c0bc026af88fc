"""Questions by hand on a page: the same replies as in a notebook, with the keyboard alone, and without JavaScript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from visiting import visit

from autograder.course import by_hand

NAME = "attention.three-weights"
ASKED = by_hand.question(NAME)
TYPED = [
    "1/6, 1/3, 1/2",
    "[0.17; .33; 0.5]",
    "1 / 6 1/3 2/4",
    "1/3, 1/3, 1/3",
    "1/6",
    "a, b, c",
    "1/0, 1, 1",
    "−1, ∞, 1e3",
    "  ",
]
TYPED_MILLIONS = ["7,087,872", " −7,087,872.0 ", "7, 087, 872", "7,087,8720", "7087872", "0,087"]


@pytest.fixture
def box(site: Path, browser: Any, address: str):
    with visit(browser, address, "book/attention") as seen:
        yield seen.page.locator(f'[id="by-hand-{NAME}"]')
        assert not seen.console


def test_a_question_is_answered_with_the_keyboard_alone(box: Any) -> None:
    field, said = box.get_by_label("Your answer"), box.locator(".by-hand-said")
    hint, solution = box.locator(".by-hand-hint"), box.locator(".by-hand-solution")
    assert (said.get_attribute("role"), said.get_attribute("aria-live")) == ("status", "polite")
    assert not hint.is_visible()
    assert not solution.evaluate("fold => fold.open")
    field.focus()

    def answer(text: str) -> str:
        field.fill(text)
        box.page.keyboard.press("Enter")
        return said.inner_text()

    assert answer("1, 2, 3") == "✗ Not yet: 0 of 3 are right."
    assert not hint.is_visible()
    assert answer("1, 2, 3") == "✗ Not yet: 0 of 3 are right. A hint is open below."
    assert ASKED.hint in hint.inner_text()
    assert answer(ASKED.answer) == "✓ Right."
    assert ASKED.because in solution.inner_text()


def test_the_page_and_the_notebook_judge_alike(box: Any) -> None:
    for question, answers in ((ASKED, TYPED), (by_hand.question("pretrained.numbers-of-a-layer"), TYPED_MILLIONS)):
        asked = {"answer": by_hand.parts(question.answer), "tolerance": question.tolerance}
        for typed in answers:
            reply = by_hand.judge(question, typed)
            shown = box.page.evaluate(f"text => byHand.judge({json.dumps(asked)}, text)", typed)
            assert shown == {"right": reply.right, "text": reply.text, "miss": reply.miss}, typed


def test_without_javascript_hint_and_solution_open_by_themselves(site: Path, browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/book/attention.html")
    box = page.locator(f'[id="by-hand-{NAME}"]')
    assert box.locator("input").count() == 0
    for fold, text in ((".by-hand-hint", ASKED.hint), (".by-hand-solution", ASKED.because)):
        assert text not in box.locator(fold).inner_text()
        box.locator(f"{fold} summary").click()
        assert text in box.locator(fold).inner_text()
    context.close()


def test_the_outline_shows_the_path(site: Path, browser: Any, address: str) -> None:
    with visit(browser, address, "book/attention") as seen:
        outline = seen.page.locator("nav.page-toc").inner_text()
        assert "Going deeper" in outline
        assert "min" in outline
        assert seen.page.locator(".chapter-path").count() == 1
        for link in seen.page.locator(".chapter-path a").all():
            assert seen.page.locator(f'[id="{(link.get_attribute("href") or "").lstrip("#")}"]').count() == 1
