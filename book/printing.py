"""The whole book for paper and for e-readers: ``python book/printing.py pdf`` and ``python book/printing.py epub``.

Both are made from the built pages (``make book``), in the order of ``_toc.yml``: what a reader of the site sees is what
stands in ``_build/print/transformer-workbook.pdf`` and ``.epub``. The PDF is printed by Chromium; formulas in the EPUB
are MathML.
"""

from __future__ import annotations

import argparse
import mimetypes
import re
import sys
import uuid
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from bs4 import BeautifulSoup, Comment, Tag
from sphinx_external_toc.parsing import Document, parse_toc_yaml

BOOK = Path(__file__).resolve().parent
ROOT = BOOK.parent
HTML = ROOT / "_build" / "html"
OUT = ROOT / "_build" / "print"
NAME = "transformer-workbook"
SHEET = BOOK / "static" / "print.css"

sys.path.insert(0, str(ROOT))
from autograder.course import addresses  # noqa: E402

# What only a screen needs: links to a heading itself, buttons, programs, folding marks, and the drawing of a formula
# for whom MathML is enough.
ONLY_ON_SCREEN = (
    ".headerlink, .only-on-screen, script, noscript, style, link, button, .sd-summary-icon, .sd-summary-state-marker, "
    ".sd-octicon, p.expanded, svg.drawing-narrow, picture source, picture:has(.only-dark), .only-dark"
)
HELD_BACK = ".held-back, .tag_solution details.hide"
HERE = "http://book/"  # stands for the root of the site while links are resolved


@dataclass
class Page:
    """One page of the book: its name (``book/masks``), its title, and its text as a tree."""

    name: str
    title: str
    article: Tag

    @property
    def id(self) -> str:
        return self.name.replace("/", "-")


def pages(chosen: Sequence[str] = ()) -> list[Page]:
    """All pages in reading order, or those of these names."""
    return [_page(name) for name in names() if not chosen or name in chosen]


def names() -> list[str]:
    """The names of all pages in reading order."""
    toc = parse_toc_yaml(ROOT / "_toc.yml")

    def below(document: Document) -> Iterator[str]:
        yield document.docname
        for tree in document.subtrees:
            for item in tree.items:
                yield from below(toc[str(item)])

    return list(below(toc.root))


def _page(name: str) -> Page:
    file = HTML / f"{name}.html"
    if not file.is_file():
        sys.exit(f"The book is not built ({file.relative_to(ROOT)} is missing): run `make book`.")
    article = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser").select_one("article.bd-article")
    assert article is not None, f"{name} has no article"
    for element in article.select(ONLY_ON_SCREEN):
        element.decompose()
    for comment in article.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    hold_back(article)
    heading = article.find("h1")
    return Page(name, heading.get_text(strip=True) if heading else name, article)


def hold_back(article: Tag) -> None:
    """Move what a reader opens only after trying (solutions, answers, traps) to the end of its chapter."""
    kept = [fold for fold in article.select(HELD_BACK) if not fold.find_parent(class_="held-back")]
    if not kept:
        return
    soup = BeautifulSoup("", "html.parser")
    end = soup.new_tag("section", id="held-back")
    title = soup.new_tag("h2")
    title.string = "Solutions and answers"
    end.append(title)
    for number, fold in enumerate(kept, start=1):
        note, entry = soup.new_tag("p", id=f"held-back-{number}-asked"), soup.new_tag("div", id=f"held-back-{number}")
        there, back, words = soup.new_tag("a"), soup.new_tag("a"), soup.new_tag("p")
        there["href"], back["href"] = f"#{entry['id']}", f"#{note['id']}"
        there.string, back.string = f"{_summary(fold)}: at the end of this chapter", _where(fold)
        note.append(there)
        words.append(back)
        fold.replace_with(note)
        entry.append(words)
        entry.append(fold)
        end.append(entry)
    (article.find("section") or article).append(end)


def _summary(fold: Tag) -> str:
    summary = fold.find("summary")
    return " ".join(summary.get_text().split()) if summary else "More"


def _where(fold: Tag) -> str:
    """The heading above a fold, with what it is: a number in a quiz, or else its own words."""
    heading = fold.find_previous(["h1", "h2", "h3"])
    question = fold.find_parent(class_="quiz-question")
    number = question.find("strong") if question else None
    words = number.get_text() if number else _summary(fold)
    return f"{_bare(heading) if heading else ''}: {words}"


def _bare(heading: Tag) -> str:
    """The words of a heading without the mark behind them: minutes, or that it goes deeper."""
    shown = [part.get_text() for part in heading.contents if "path-mark" not in _classes(part)]
    return " ".join("".join(shown).split())


def _classes(part: Any) -> list[str]:
    return part.get("class", []) if isinstance(part, Tag) else []


def resolve(page: Page, address: str) -> tuple[str, str]:
    """The page or file of the site (without ``.html``) and the anchor that a link leads to; ("", address) elsewhere."""
    target, anchor = urldefrag(urljoin(f"{HERE}{page.name}.html", address))
    if not target.startswith(HERE):
        return "", address
    return unquote(urlsplit(target).path).lstrip("/").removesuffix(".html"), unquote(anchor)


def links(page: Page, known: set[str], inside: str) -> None:
    """Point the links of a page to the same book (``inside`` is a template for page and anchor) or to the site."""
    for link in page.article.select("a[href]"):
        target, anchor = resolve(page, link["href"])
        if target in known:
            link["href"] = inside.format(
                page=target.replace("/", "-"), anchor=anchor, hash=f"#{anchor}" if anchor else ""
            )
        elif target:
            file = target if Path(target).suffix else f"{target}.html"
            link["href"] = f"{addresses.book_url()}/{file}" + (f"#{anchor}" if anchor else "")
        for attribute in ("download", "target", "title"):
            link.attrs.pop(attribute, None)


def pictures(page: Page) -> Iterator[tuple[Tag, Path]]:
    """The pictures of a page and their files."""
    for image in page.article.select("img[src]"):
        source = urlsplit(urljoin(f"{HERE}{page.name}.html", image["src"]))
        yield image, HTML / unquote(source.path).lstrip("/")


# --- PDF -------------------------------------------------------------------------------------------------


def pdf(chosen: Sequence[str], target: Path) -> None:
    """Print the book with Chromium: page numbers, bookmarks, and a table of contents that links."""
    from serving import serve

    target.parent.mkdir(parents=True, exist_ok=True)
    book = pages(chosen)
    source = HTML / "_print.html"  # beside what it shows; gone when it is printed
    source.write_text(one_page(book), encoding="utf-8")
    try:
        with serve(HTML) as address:
            _print(f"{address}/{source.name}", target)
        headings = BeautifulSoup(source.read_text(encoding="utf-8"), "html.parser").find_all(re.compile("^h[1-6]$"))
        finish(target, [(heading.get_text(), _bare(heading)) for heading in headings])
    finally:
        source.unlink()


def finish(target: Path, headings: Sequence[tuple[str, str]]) -> None:
    """Name the bookmarks of a PDF and pack it: Chromium does neither well.

    It repeats the words of lines that it laid out twice. It has no bookmarks for some headings, so each gets the next
    one that begins and ends alike: ``headings`` has what is printed of each, and the words to show. And it writes every
    object as plain text, which is most of what it writes.
    """
    import pikepdf

    waiting = iter(headings)
    with pikepdf.open(target, allow_overwriting_input=True) as document:
        for bookmark in _below(document.Root.Outlines):
            words = next((words for printed, words in waiting if _alike(str(bookmark.Title), printed)), None)
            if words is None:
                break
            bookmark.Title = words
        # Linearised: a viewer shows the first page before it has the last.
        document.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate, linearize=True)


def _alike(bookmark: str, heading: str) -> bool:
    """Whether both begin and end with the same letters."""
    one, other = ("".join(text.split()) for text in (bookmark, heading))
    return one.startswith(other[:6]) and one.endswith(other[-6:])


def _below(node: Any) -> Iterator[Any]:
    """The bookmarks below one, or below their root, in the order of the document."""
    child = node.get("/First")
    while child is not None:
        yield child
        yield from _below(child)
        child = child.get("/Next")


def one_page(book: Sequence[Page]) -> str:
    """The whole book as one HTML page; the ids of a page carry its name, so that no two are the same."""
    known = {page.name for page in book}
    for page in book:
        for element in page.article.select("[id]"):
            element["id"] = f"{page.id}--{element['id']}"
        links(page, known, "#{page}--{anchor}")
        for link in page.article.select('a[href$="--"]'):
            link["href"] = link["href"].removesuffix("--")
        for image, file in pictures(page):
            image["src"] = file.relative_to(HTML).as_posix()
            image.attrs.pop("loading", None)
        for details in page.article.select("details"):
            details["open"] = ""
    sheets = BeautifulSoup((HTML / f"{book[0].name}.html").read_text(encoding="utf-8"), "html.parser").select(
        "link[rel=stylesheet]"
    )
    styles = dict.fromkeys(resolve(book[0], sheet["href"])[0] for sheet in sheets)
    styles["_static/formulas.css"] = None
    contents = "".join(f'<li><a href="#{page.id}">{escape(page.title)}</a></li>' for page in book)
    articles = "".join(
        f'<article class="bd-article" id="{page.id}">{page.article.decode_contents()}</article>' for page in book
    )
    title, author = (escape(text) for text in title_and_author())
    head = "".join(f'<link rel="stylesheet" href="{style}">' for style in styles)
    return (
        '<!DOCTYPE html><html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f'<title>{title}</title>{head}<link rel="stylesheet" href="_static/print.css"></head><body>'
        f'<header class="front"><p class="title">{title}</p><p>{author}</p>'
        f'<p><a href="{addresses.book_url()}">{addresses.book_url()}</a></p></header>'
        f'<nav class="contents"><h1>Contents</h1><ul>{contents}</ul></nav>{articles}</body></html>'
    )


def title_and_author() -> tuple[str, str]:
    import yaml

    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return config["title"], config["author"]


def _print(address: str, target: Path) -> None:
    from playwright.sync_api import sync_playwright
    from serving import chromium

    executable = chromium()
    if executable is None:
        sys.exit("Chromium is missing: run `apt-get install chromium`.")
    number = '<div style="width: 100%; text-align: center; font: 8pt sans-serif"><span class="pageNumber"></span></div>'
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = browser.new_page(color_scheme="light")
        page.set_default_timeout(300_000)
        page.goto(address, wait_until="networkidle")
        page.evaluate("document.fonts.ready")
        page.pdf(
            path=str(target),
            format="A4",
            margin={"top": "20mm", "bottom": "20mm", "left": "18mm", "right": "18mm"},
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=number,
            print_background=True,
            outline=True,
            tagged=True,
        )
        browser.close()


# --- EPUB ------------------------------------------------------------------------------------------------

XHTML = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">'
    '<head><title>{title}</title><link rel="stylesheet" type="text/css" href="book.css"/></head>'
    "<body>{body}</body></html>\n"
)
CONTAINER = (
    '<?xml version="1.0"?>\n<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>'
    "</container>\n"
)
NOT_IN_XHTML = ("align", "border", "valign", "nowrap", "loading", "focusable")
MODIFIED = "2026-01-01T00:00:00Z"


def epub(chosen: Sequence[str], target: Path) -> None:
    """Write the book as an EPUB 3."""
    book = pages(chosen)
    files: dict[str, bytes] = {"book.css": epub_css().encode()}
    for page in book:
        links(page, {page.name for page in book}, "{page}.xhtml{hash}")
        for image, file in pictures(page):
            files[f"images/{file.name}"] = (
                _with_unique_ids(file.read_bytes()) if file.suffix == ".svg" else file.read_bytes()
            )
            image["src"] = f"images/{file.name}"
        files[f"{page.id}.xhtml"] = XHTML.format(title=escape(page.title), body=_xhtml(page)).encode()
    files["nav.xhtml"] = _navigation(book).encode()
    files["package.opf"] = _package(book, files).encode()
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")  # first, and not compressed
        archive.writestr("META-INF/container.xml", CONTAINER)
        for name, data in files.items():
            archive.writestr(f"book/{name}", data)


def _with_unique_ids(picture: bytes) -> bytes:
    """Matplotlib gives equal images inside one figure the same id; the first one keeps it."""
    seen: set[bytes] = set()

    def keep_first(match: re.Match[bytes]) -> bytes:
        if match[1] in seen:
            return b""
        seen.add(match[1])
        return match[0]

    return re.sub(rb'\sid="([^"]*)"', keep_first, picture)


def _xhtml(page: Page) -> str:
    article = page.article
    for formula in article.select("mjx-container"):
        formula.replace_with(formula.select_one("math").extract())
    for paragraph in article.select("summary p"):
        paragraph.unwrap()
    for element in article.find_all(True):
        _conform(element)
    return article.decode_contents(formatter="minimal")


def _conform(element: Tag) -> None:
    """Take from an element what EPUB does not allow."""
    for attribute in [name for name in element.attrs if name in NOT_IN_XHTML or name.startswith(("data-mjx", "on"))]:
        del element[attribute]
    if str(element.get("role", "")).startswith("doc-"):  # deprecated where Sphinx uses them
        del element["role"]
    if element.name == "svg":
        element["xmlns"] = "http://www.w3.org/2000/svg"
        if "viewbox" in element.attrs:
            element["viewBox"] = element.attrs.pop("viewbox")
    elif element.name == "details":
        element["open"] = "open"
    elif element.name in ("input", "canvas"):
        element.decompose()
    elif element.name == "tt":
        element.name = "code"
    for attribute in ("width", "height"):
        if (
            element.name not in ("img", "svg", "rect")
            and attribute in element.attrs
            and element.find_parent(["svg", "math"]) is None
        ):
            del element[attribute]


def epub_css() -> str:
    pygments = (HTML / "_static" / "pygments.css").read_text(encoding="utf-8")
    light = "\n".join(
        rule.replace('html[data-theme="light"] ', "") for rule in pygments.splitlines() if "dark" not in rule
    )
    return (BOOK / "static" / "epub.css").read_text(encoding="utf-8") + light


def _navigation(book: Sequence[Page]) -> str:
    items = "".join(f'<li><a href="{page.id}.xhtml">{escape(page.title)}</a></li>' for page in book)
    return XHTML.format(title="Contents", body=f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{items}</ol></nav>')


def _package(book: Sequence[Page], files: dict[str, bytes]) -> str:
    title, author = (escape(text) for text in title_and_author())
    items = []
    for number, name in enumerate(files):
        kind = {".xhtml": "application/xhtml+xml"}.get(Path(name).suffix) or mimetypes.guess_type(name)[0]
        text = files[name][:-1] if name.endswith(".xhtml") else b""
        found = [word for word, mark in (("mathml", b"<math"), ("svg", b"<svg")) if mark in text]
        found += ["nav"] if name == "nav.xhtml" else []
        properties = f' properties="{" ".join(found)}"' if found else ""
        ident = name.removesuffix(".xhtml") if name.endswith(".xhtml") else f"file-{number}"
        items.append(f'<item id="{ident}" href="{name}" media-type="{kind}"{properties}/>')
    spine = "".join(f'<itemref idref="{page.id}"/>' for page in book)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<dc:identifier id="id">urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, addresses.book_url())}</dc:identifier>'
        f"<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator><dc:language>en</dc:language>"
        f'<meta property="dcterms:modified">{MODIFIED}</meta></metadata>'
        f"<manifest>{''.join(items)}</manifest><spine>{spine}</spine></package>\n"
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("pdf", "epub"))
    parser.add_argument("pages", nargs="*", help="only these pages, for example book/masks")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    target = options.out or OUT / f"{NAME}.{options.kind}"
    {"pdf": pdf, "epub": epub}[options.kind](options.pages, target)
    print(f"{target.relative_to(ROOT) if target.is_relative_to(ROOT) else target}: {target.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
