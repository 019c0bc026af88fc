"""What the search knows of a page: from the page as it is written to its documents."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from autograder.course.addresses import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import search_index

HEADING = '<a class="headerlink" href="#x">#</a>'
MATHML = (
    "<mjx-container><mjx-math>drawn</mjx-math><mjx-assistive-mml><math><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>"
    "</math></mjx-assistive-mml></mjx-container>"
)
PAGE = f"""<article class="bd-article"><section id="masks"><h1>5 · Masks{HEADING}</h1><p>Why hide?</p>
<section id="causal"><h2>Causal masks <span class="path-mark">3 min</span>{HEADING}</h2>
<p>Divide by <span class="math">FORMULA</span>, says <a href="references.html#id2">Vaswani et al., 2017</a>.</p>
<div class="cell"><pre>import matplotlib</pre></div><div class="math">\\[x = 1\\]</div>
<details class="held-back answer"><summary>Answer</summary><p>Forty-two.</p></details>
<div class="task-box" id="masks.causal_mask"><p class="task-title">Now do task 2: <code>causal_mask</code></p>
<p>Hide.</p></div></section></section></article>"""
GLOSSARY = f"""<article class="bd-article"><section id="glossary"><h1>Glossary{HEADING}</h1><dl class="glossary">
<dt id="term-BPE">BPE{HEADING}</dt><dt id="term-pair">pair</dt><dd><p>Merges.</p></dd></dl></section></article>"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "glossary.html").write_text(GLOSSARY, encoding="utf-8")
    return tmp_path


def documents(site: Path) -> dict[str, dict[str, str]]:
    search_index.write_documents(site)
    script = (site / search_index.SCRIPT).read_text(encoding="utf-8")
    written = json.loads(script.removeprefix(f"window.{search_index.NAME} = ").removesuffix(";\n"))
    return {document["address"].removeprefix("book/"): document for document in written["documents"]}


@pytest.mark.parametrize("formula", [MATHML, "\\(\\sqrt{d_k}\\)"])
def test_a_section_has_its_own_prose(site: Path, formula: str) -> None:
    (site / "book" / "masks.html").write_text(PAGE.replace("FORMULA", formula), encoding="utf-8")
    found = documents(site)
    section = found["masks.html#causal"]
    assert section["title"] == "Causal masks"
    assert section["page"] == "5 · Masks"
    assert section["text"] == "Divide by sqrt(d_k), says Vaswani et al., 2017."
    assert "Vaswani" in section["names"]
    assert found["masks.html#masks"]["text"] == "Why hide?"
    task = found["masks.html#masks.causal_mask"]
    assert (task["title"], task["text"], task["names"]) == ("Task 2: causal_mask", "Hide.", "masks.causal_mask")


def test_each_word_of_an_entry_has_its_meaning(site: Path) -> None:
    found = documents(site)
    assert {address: (one["title"], one["text"]) for address, one in found.items()} == {
        "glossary.html#term-BPE": ("BPE", "Merges."),
        "glossary.html#term-pair": ("pair", "Merges."),
    }


def test_a_site_without_chapters_has_no_documents(tmp_path: Path) -> None:
    assert documents(tmp_path) == {}
