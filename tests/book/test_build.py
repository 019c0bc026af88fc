"""How the book is built: what makes a page run again, and what stops a build.

The builds here are of a small book in a temporary copy of the repository, made by the real ``book/build.py``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "book")]
import build  # noqa: E402

HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  name: python3
  display_name: Python 3
---
"""
PAGES = {
    "index": "# Front page\n\n```{course-map}\n```\n",
    "attention": HEADER
    + "# Attention\n\n```{code-cell} ipython3\n---\nmystnb:\n  markdown_format: gfm\n---\n"
    + "from helper import WORD\n\nprint(WORD)\n```\n",
    "masks": HEADER + "# Masks\n\n```{code-cell} ipython3\nprint(1 + 1)\n```\n",
}


class SmallBook:
    """A copy of what a build needs, with three short pages."""

    def __init__(self, root: Path):
        self.root = root
        ignored = shutil.ignore_patterns("__pycache__", "*.md")
        for folder in ("book", "autograder", "solutions"):
            shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
        shutil.copyfile(ROOT / "_config.yml", root / "_config.yml")
        (root / "_toc.yml").write_text(
            "format: jb-book\nroot: book/index\nchapters:\n- file: book/attention\n- file: book/masks\n"
        )
        self.write("helper.py", 'from deeper import WORD\n\n__all__ = ["WORD"]\n')
        self.write("deeper.py", 'WORD = "first"\n')
        for name, text in PAGES.items():
            self.write(f"{name}.md", text)

    def write(self, name: str, text: str) -> None:
        (self.root / "book" / name).write_text(text, encoding="utf-8")

    def build(self) -> tuple[int, set[str], str]:
        """Exit status, the pages that were executed, and what was said."""
        done = subprocess.run(
            [sys.executable, "book/build.py"], cwd=self.root, capture_output=True, text=True, timeout=300, check=False
        )
        executed = set(re.findall(r"book/(\w+)\.md: executing", done.stdout))
        return done.returncode, executed, done.stdout + done.stderr

    def html(self, page: str) -> str:
        return (self.root / "_build" / "html" / "book" / f"{page}.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> SmallBook:
    """The small book, built once."""
    made = SmallBook(tmp_path_factory.mktemp("small-book"))
    status, executed, said = made.build()
    assert (status, executed) == (0, {"attention", "masks"}), said
    return made


def test_nothing_runs_when_nothing_changed(book: SmallBook) -> None:
    assert book.build()[:2] == (0, set())


def test_only_the_page_whose_cells_changed_runs(book: SmallBook) -> None:
    """New prose on another page is in the book, although the cells of that page are not run again."""
    book.write("masks.md", PAGES["masks"].replace("1 + 1", "40 + 2"))
    book.write("attention.md", PAGES["attention"] + "\nOne more sentence.\n")
    status, executed, said = book.build()
    assert (status, executed) == (0, {"masks"}), said
    assert "42" in book.html("masks")
    assert "One more sentence." in book.html("attention")


def test_a_page_runs_again_when_a_file_that_it_imports_through_another_changes(book: SmallBook) -> None:
    book.write("deeper.py", 'WORD = "second"\n')
    status, executed, said = book.build()
    assert (status, executed) == (0, {"attention"}), said
    assert "second" in book.html("attention")


def test_cells_that_raise_or_never_end_are_named_every_time(book: SmallBook) -> None:
    config = (book.root / "_config.yml").read_text()
    good = {page: (book.root / "book" / f"{page}.md").read_text() for page in ("attention", "masks")}
    (book.root / "_config.yml").write_text(config.replace("timeout: 120", "timeout: 5"))
    book.write("attention.md", good["attention"] + "\n```{code-cell} ipython3\nprint(undefined_name)\n```\n")
    book.write(
        "masks.md", good["masks"] + "\n```{code-cell} ipython3\nimport time\n\nwhile True:\n    time.sleep(1)\n```\n"
    )
    first = book.build()
    book.write("masks.md", good["masks"])
    second = book.build()  # must not be green because that page did not change
    book.write("attention.md", good["attention"])
    (book.root / "_config.yml").write_text(config)
    raised = r'book/attention\.md, cell 2 \(line \d+, "print\(undefined_name\)"\): NameError: '
    for status, _, said in (first, second):
        assert status == 1
        assert re.search(raised, said), said
    never_ends = r'book/masks\.md, cell 2 \(line \d+, "import time"\): the cell ran longer'
    assert re.search(never_ends, first[2]), first[2]
    assert "masks.md, cell" not in second[2]


def test_an_interrupted_build_keeps_what_was_executed(book: SmallBook) -> None:
    book.write("attention.md", PAGES["attention"] + "\n```{code-cell} ipython3\nprint('one more')\n```\n")
    good = (book.root / "book" / "masks.md").read_text()
    book.write("masks.md", good + "\n```{code-cell} ipython3\nimport time\n\ntime.sleep(100)\n```\n")
    process = subprocess.Popen(
        [sys.executable, "book/build.py"],
        cwd=book.root,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    said = ""
    while "attention.md: executed" not in said:
        said += process.stdout.readline()
        assert process.poll() is None, said
    assert "masks.md: executed" not in said, "the pages run side by side"
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
    assert "interrupted" in process.communicate(timeout=60)[0]
    assert process.returncode == 130
    book.write("masks.md", good)
    assert book.build()[:2] == (0, set())


def test_a_page_whose_kernel_dies_is_named(book: SmallBook) -> None:
    good = (book.root / "book" / "masks.md").read_text()
    book.write("masks.md", good + "\n```{code-cell} ipython3\nimport os\n\nos._exit(1)\n```\n")
    status, _, said = book.build()
    book.write("masks.md", good)
    assert status == 1
    assert "book/masks.md: nbclient.exceptions.DeadKernelError: Kernel died" in said


def test_broken_links_stop_the_build(book: SmallBook) -> None:
    complaints = {
        "```{exercise-links} nothing\n```": r"exercises/nothing/nothing\.ipynb does not exist",
        "{repo}`no/such/file.py`": r"There is no no/such/file\.py in the repository",
        "[](no-such-page.md)": r"no-such-page",
    }
    book.write("index.md", "\n\n".join([PAGES["index"], *complaints, ""]))
    status, _, said = book.build()
    book.write("index.md", PAGES["index"])
    assert status == 1
    assert [complaint for complaint in complaints.values() if not re.search(complaint, said)] == [], said


def test_a_page_that_loads_from_another_site_stops_the_build(book: SmallBook) -> None:
    book.write("index.md", PAGES["index"] + '\n<script src="https://example.org/x.js"></script>\n')
    status, _, said = book.build()
    book.write("index.md", PAGES["index"])
    assert status == 1
    assert "book/index.html fetches https://example.org/x.js from another site." in said


def test_a_missing_page_is_named(book: SmallBook) -> None:
    page = book.root / "book" / "masks.md"
    text = page.read_text()
    page.unlink()
    status, _, said = book.build()
    page.write_text(text)
    assert status == 1
    assert "_toc.yml names book/masks.md, which does not exist." in said


def test_another_jupyter_book_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "book"))
    import build

    monkeypatch.setattr(build, "version", lambda _: "2.1.0")
    with pytest.raises(build.BookError, match=r"Jupyter Book 2\.1\.0 cannot read _config\.yml"):
        build.require_jupyter_book()


def test_formulas_are_drawn_where_there_is_node_and_left_to_the_browser_elsewhere(
    book: SmallBook, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if shutil.which("node") is None:
        pytest.fail("Node.js is missing: run `apt-get install nodejs`.", pytrace=False)
    good = (book.root / "book" / "masks.md").read_text()
    book.write("masks.md", good + "\nFor all $a < b$ in $\\mathbb{R}$:\n\n$$\n\\frac{a}{b} < 1\n$$\n")
    assert book.build()[0] == 0
    drawn = book.html("masks")
    assert drawn.count("<mjx-container") == drawn.count("<math ") == 3
    assert "tex-chtml" not in drawn
    assert "MJX" in (book.root / "_build" / "html" / "_static" / "formulas.css").read_text()

    import formulas

    monkeypatch.setattr(formulas, "node", lambda: None)
    page = tmp_path / "html" / "page.html"
    page.parent.mkdir()
    page.write_text(
        '<span class="math notranslate nohighlight">\\(a < b\\)</span><script src="/mathjax/x.js"></script>'
    )
    formulas.draw_pages(SimpleNamespace(outdir=page.parent, builder=SimpleNamespace(format="html", name="html")), None)
    assert "mathjax" in page.read_text()
    book.write("masks.md", good)


def test_formulas_of_an_earlier_build_are_not_drawn_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import formulas

    def build(tex: str) -> str:
        page = tmp_path / "html" / "page.html"
        (page.parent / "_static").mkdir(parents=True, exist_ok=True)
        span = '<span class="math notranslate nohighlight">'
        page.write_text(f'<head></head>{span}\\({tex}\\)</span><script src="/mathjax/x.js"></script>')
        formulas.draw_pages(
            SimpleNamespace(outdir=page.parent, builder=SimpleNamespace(format="html", name="html")), None
        )
        return page.read_text()

    first = build("a &lt; b")
    assert "<mjx-container" in first
    asked = []
    draw = formulas.draw
    monkeypatch.setattr(formulas, "draw", lambda new: asked.append(new) or draw(new))
    assert build("a &lt; b") == first
    assert asked == []
    assert "<mjx-container" in build("c")
    assert asked == [[("a < b", False), ("c", False)]], "the style sheet is for both"
    monkeypatch.setattr(formulas, "version", lambda package: "another")
    build("c")
    assert asked[1:] == [[("c", False)]], "another MathJax draws anew"


def test_a_formula_that_mathjax_does_not_understand_stops_the_build(book: SmallBook) -> None:
    good = (book.root / "book" / "masks.md").read_text()
    book.write("masks.md", good + "\n$\\nosuchcommand{x}$\n")
    status, _, said = book.build()
    book.write("masks.md", good)
    assert status == 1
    assert "MathJax does not understand the formula \\nosuchcommand{x}" in said


def test_links_derive_from_the_two_settings(book: SmallBook) -> None:
    config = (book.root / "_config.yml").read_text()
    moved = config.replace("github.com/transformer-workbook/transformer-workbook", "github.com/else/where")
    moved = moved.replace("branch: main", "branch: trunk")
    (book.root / "_config.yml").write_text(moved)
    notebooks = ("masks/masks.ipynb", "translation/translation_gpu.ipynb")  # of a unit, and of one beside a unit's
    for name in notebooks:
        (book.root / "exercises" / name).parent.mkdir(parents=True, exist_ok=True)
        (book.root / "exercises" / name).write_text(json.dumps({"cells": []}))
    links = "".join(f"```{{exercise-links}} {name}\n```\n\n" for name in ("masks", "translation_gpu"))
    book.write("index.md", f"# Front\n\n{links}{{repo}}`solutions/masks.py`\n")
    status, _, said = book.build()
    html = book.html("index")
    (book.root / "_config.yml").write_text(config)
    book.write("index.md", PAGES["index"])
    assert status == 0, said
    path = "else/where/blob/trunk"
    for name in notebooks:
        assert f"https://colab.research.google.com/github/{path}/exercises/{name}" in html
    assert f"https://github.com/{path}/solutions/masks.py" in html
    assert "https://github.com/transformer-workbook/" not in html


def test_a_reader_waits_for_a_build_and_not_for_other_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "BUILD", tmp_path)
    done = threading.Event()

    def read() -> None:
        with build.alone(shared=True):
            done.set()

    reader = threading.Thread(target=read)
    with build.alone():
        reader.start()
        assert not done.wait(0.2)
    reader.join(60)
    assert done.is_set()
    with build.alone(shared=True):
        read()
