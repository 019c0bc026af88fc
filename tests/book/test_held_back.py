"""On paper and in the e-book, what a reader opens only after trying stands at the end of its chapter."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from autograder.course.addresses import ROOT

PAGE = """<article class="bd-article"><section id="top"><h1>Chapter</h1>
<section id="one"><h2>One <span class="path-mark">3 min</span></h2>
<div class="by-hand"><p>How much?</p>
<details class="held-back by-hand-solution"><summary>Show the solution</summary><p>Seven.</p></details></div>
<p>Go on.</p></section>
<section id="quiz"><h2>Quiz</h2><div class="quiz-question"><p><strong>1.</strong> Which?</p>
<details class="held-back quiz-answer"><summary>Answer</summary><p><strong>(b)</strong> So.</p></details></div>
</section>
<section id="code"><h2>Code</h2><div class="cell tag_solution"><details class="hide"><summary>Show these lines</summary>
<pre>x = 1</pre></details><pre>1</pre></div>
<details class="hide"><summary>Show code</summary><pre>plot()</pre></details></section>
</section></article>"""


@pytest.fixture
def article(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    import printing

    article = BeautifulSoup(PAGE, "html.parser").select_one("article")
    printing.hold_back(article)
    return article


def test_folds_move_to_the_end_and_links_lead_there_and_back(article) -> None:
    end = article.select_one("#held-back")
    assert [entry.select_one("p > a").get_text() for entry in end.select("div[id]")] == [
        "One: Show the solution",
        "Quiz: 1.",
        "Code: Show these lines",
    ]
    before = article.get_text().partition("Solutions and answers")[0]
    assert "Seven." not in before
    assert "So." not in before
    assert "x = 1" not in before
    assert "plot()" in before  # hidden for being long, not for being an answer
    links = [link["href"] for link in article.select("a")]
    assert len(links) == 6
    assert all(article.select(f'[id="{link[1:]}"]') for link in links)


def test_a_page_without_folds_gets_no_such_end(article) -> None:
    import printing

    plain = BeautifulSoup("<article><section><h1>A</h1><details>b</details></section></article>", "html.parser").article
    printing.hold_back(plain)
    assert "Solutions" not in plain.get_text()
