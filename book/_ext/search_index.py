"""What the search answers with: the sections of the book, its glossary, its tasks and its references.

The documents are read from the written pages, without code cells, outputs and figures. They go into a script, which
``static/search.js`` loads when a reader first wants to search: a script, because a page that is opened from a disk
(``file://``) may not fetch anything else. The index itself is made in the browser by MiniSearch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString, Tag
from sphinx.application import Sphinx

SCRIPT = "_static/search/documents.js"
NAME = "WORKBOOK_SEARCH"  # the global variable that the script sets
GLOSSARY, REFERENCES = "book/glossary", "book/references"
HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
# What a reader does not look for: code and what it prints, pictures, buttons, what only repeats headings, and answers
# that the page keeps folded.
LEFT_OUT = (
    "div.cell, div[class*='highlight-'], div.playground, div.course-map, div.chapter-path, figure, svg, img, script, "
    "style, noscript, button, summary, .headerlink, .path-mark, .exercise-links, .quiz-score, .toctree-wrapper, "
    ".held-back:not(.traps)"
)
BLANK = " \n\u2061\u2062\u2063"  # also the signs of MathML that nobody sees
DRAWN = re.compile(r"<mjx-math\b.*?</mjx-math>", re.DOTALL)  # most of a page, and beside it stands MathML
AFTER_AUTHORS = re.compile(r"(?<!\b\w)\. ")  # a full stop that is not an initial's
# Other words for what the book calls by another name. Abbreviations and their long forms are in the glossary as well.
SYNONYMS = {
    "backprop": "backward pass",
    "backpropagation": "backward pass",
    "bpe": "byte-pair encoding",
    "causal": "mask future",
    "ffn": "feed-forward",
    "flashattention": "flash attention",
    "future tokens": "causal mask",
    "gqa": "grouped-query attention",
    "kv cache": "key value cache",
    "layernorm": "layer normalisation",
    "layer norm": "layer normalisation",
    "look ahead": "causal mask",
    "lr": "learning rate",
    "mha": "multi-head attention",
    "mixed precision": "bfloat16",
    "mlp": "feed-forward",
    "moe": "mixture of experts",
    "nan": "nothing attend",
    "nucleus": "top-p",
    "numerical stability": "softmax overflow",
    "position embedding": "learned positions",
    "positional embedding": "learned positions",
    "positional encoding": "sines and cosines",
    "resnet": "residual",
    "rmsnorm": "root mean square normalisation",
    "rope": "rotary",
    "rotary": "rotation",
    "skip connection": "residual",
    "sqrt": "square root",
    "subword": "byte-pair",
    "tied embeddings": "tied weights",
    "warmup": "warm-up",
    "weight sharing": "weight tying",
    "weight tying": "tied weights",
}


def write_script(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``, once the formulas are drawn."""
    if exception is None and app.builder.format == "html":
        write_documents(Path(app.outdir))


def write_documents(outdir: Path) -> None:
    """Write the script with all documents of a built site."""
    documents = [document for page in _pages(outdir) for document in documents_of(outdir, page)]
    data = json.dumps({"documents": documents, "synonyms": SYNONYMS}, ensure_ascii=False, separators=(",", ":"))
    script = outdir / SCRIPT
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(f"window.{NAME} = {data};\n", encoding="utf-8")


def _pages(outdir: Path) -> list[str]:
    """Names of the pages, without ``.html``, in the order of the list of chapters."""
    written = sorted(f"book/{file.stem}" for file in (outdir / "book").glob("*.html"))
    if not written:
        return []
    soup = _soup(outdir / f"{written[0]}.html")
    links = [str(link["href"]).partition("#")[0] for link in soup.select("nav.bd-docs-nav a.internal")]
    order = {href.rpartition("/")[2].removesuffix(".html"): place for place, href in enumerate(links)}
    return sorted(written, key=lambda page: order.get(page.partition("/")[2], -1))


def _soup(file: Path) -> BeautifulSoup:
    return BeautifulSoup(DRAWN.sub("", file.read_text(encoding="utf-8")), "lxml")


def documents_of(outdir: Path, page: str) -> list[dict[str, str]]:
    """All documents of one page.

    Returns:
        For each its kind, ``address`` (page and anchor), ``title``, ``page`` (the page's heading, which has the
        chapter's number), ``text``, and ``names`` (tasks and cited authors).
    """
    article = _soup(outdir / f"{page}.html").select_one("article.bd-article")
    top = article.find("section") if article else None
    if article is None or not isinstance(top, Tag):
        return []
    for part in article.select(LEFT_OUT):
        part.decompose()
    _write_formulas(article)
    heading = _title_of(top)
    made = [_document("term", page, *term) for term in _terms(article)] if page == GLOSSARY else []
    made += [_document("reference", page, *entry) for entry in _references(article)] if page == REFERENCES else []
    made += [_document("task", page, *task) for task in _tasks(article)]
    if page not in (GLOSSARY, REFERENCES):
        made += [_document("section", page, *section) for section in _sections(top)]
    return [{**document, "page": heading} for document in made]


def _document(kind: str, page: str, anchor: str, title: str, text: str, names: str = "") -> dict[str, str]:
    return {"kind": kind, "address": f"{page}.html#{anchor}", "title": title, "text": text, "names": names}


def _sections(top: Tag) -> Iterator[tuple[str, str, str, str]]:
    """Anchor, heading, prose and cited works of every section, each without the sections inside it."""
    for section in reversed([top, *top.find_all("section")]):  # the inner ones first: each is taken out when it is read
        title = _title_of(section)
        if heading := section.find(HEADINGS, recursive=False):
            heading.decompose()
        cited = " ".join(link.get_text(" ") for link in section.select("a[href*='references.html#']"))
        yield _anchor(section), title, _text(section), cited
        section.extract()


def _tasks(article: Tag) -> Iterator[tuple[str, str, str, str]]:
    """Anchor, title, text and id of every task; the boxes are taken out of the sections around them."""
    for box in article.select(".task-box[id]"):
        title = _title_of(box)
        for heading in box.extract().select(".task-title"):
            heading.decompose()
        yield _anchor(box), title, _text(box), _anchor(box)


def _terms(article: Tag) -> Iterator[tuple[str, str, str]]:
    """Anchor, word and meaning of every entry of the glossary; words of one meaning each have an entry."""
    for word in article.select("dl.glossary > dt"):
        meaning = word.find_next_sibling("dd")
        yield _anchor(word), _text(word), _text(meaning) if meaning else ""


def _references(article: Tag) -> Iterator[tuple[str, str, str, str]]:
    """Anchor, label, text and authors of every work that the book cites."""
    for entry in article.select(".citation[id]"):
        label = _text(entry.select_one(".label")).strip("[] ")
        text = _text(entry.find("p"))
        yield _anchor(entry), label, text, AFTER_AUTHORS.split(text, maxsplit=1)[0]


def _anchor(tag: Tag) -> str:
    return str(tag.get("id", ""))


def _title_of(section: Tag) -> str:
    """The heading of a section, or of a box with a task, without what the book adds to it."""
    heading = section.find(HEADINGS, recursive=False) or section.select_one(".task-title")
    if heading is None:
        return ""
    words = BeautifulSoup(str(heading), "lxml")
    for extra in words.select(".headerlink, .path-mark"):
        extra.decompose()
    _write_formulas(words)
    text = _text(words).removeprefix("Now do ")
    return text[:1].upper() + text[1:]


def _text(tag: Tag | BeautifulSoup | None) -> str:
    """The words of an element, with single spaces; blocks stand apart and the parts of a word do not."""
    if tag is None:
        return ""
    blocks = tag.find_all(["p", "li", "dt", "dd", "td", "th", "div", "br"])
    for block in blocks:
        block.insert_after(NavigableString(" "))
    return " ".join(tag.get_text().split())


def _write_formulas(tag: Tag | BeautifulSoup) -> None:
    """Turn formulas in the text into words to search for: ``sqrt(d_k)``. Those that stand alone are left out.

    They are drawn, or TeX in a build without Node.js.
    """
    for formula in tag.select("div.math"):
        formula.decompose()
    for formula in tag.select("mjx-container"):
        math = formula.select_one("mjx-assistive-mml math")
        formula.replace_with(_written(math) if math else "")
    for formula in tag.select("span.math"):
        if "\\" in formula.get_text():
            formula.string = _written_tex(formula.get_text()).strip()


def _written(math: Tag) -> str:
    parts = [_written(child) if isinstance(child, Tag) else str(child).strip(BLANK) for child in math.children]
    parts = [part for part in parts if part]
    if math.name in ("msubsup", "munderover") and len(parts) == 3:
        return f"{parts[0]}_{parts[1]}^{parts[2]}"
    joined = {"msub": "_", "munder": "_", "msup": "^", "mover": "^", "mfrac": "/"}.get(math.name, "").join(parts)
    if math.name == "msqrt":
        return f"sqrt({joined})"
    return f" {joined} " if math.name in ("mtext", "mtr", "mtd") else joined


def _written_tex(tex: str) -> str:
    tex = re.sub(r"\\[()\[\]]|\\(?:begin|end)\{\w+\*?\}|\\(?:text|mathrm|operatorname|mathbf)\b|[&$]", " ", tex)
    return re.sub(r"\\(\w+)", r" \1", tex).replace("{", "(").replace("}", ")").replace("_(", "_").replace(" (", "(")
