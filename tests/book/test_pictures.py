"""Figures can be read on every screen: what ``figures.py`` draws, and the versions of it that a page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from autograder.course.registry import BY_NAME

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
LEGIBLE = 11  # pixels
# The narrowest column that a page gives to a picture on screens of 360 to 700 pixels, and on wider ones.
PHONE_COLUMN, COLUMN = 320, 605
FONT_SIZE = re.compile(r"scale\(([\d.]+) -[\d.]+\)")  # of a label, in hundreds of points; its indices are smaller


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch):
    for folder in (ROOT / "book", ROOT / "book" / "_ext"):
        monkeypatch.syspath_prepend(str(folder))
    import pictures

    return pictures


@pytest.fixture
def figures(pictures):
    pytest.importorskip("matplotlib").use("agg")
    import figures

    yield figures
    figures.plt.close("all")


def shown(pictures, tmp_path: Path, svg: str):
    """The tag of a picture in a page, and the files that it names."""
    file = tmp_path / "_images" / "drawn.svg"
    file.parent.mkdir()
    file.write_text(svg)
    tag = pictures.versions('<img alt="Drawn" src="../_images/drawn.svg" />', file)
    assert pictures.PICTURE.sub("", tag) == tag, "a second build finds nothing left to do"
    return BeautifulSoup(tag, "html.parser")


def text_size(tag, folder: Path) -> float:
    """The smallest text of a picture in its narrowest column, in pixels."""
    narrow = tag.name == "source" or not tag.find_parent("picture")
    least = re.search(r"min-width: (\d+)px", tag.get("style", ""))  # narrower, it scrolls
    column = max(PHONE_COLUMN if narrow else COLUMN, int(least[1]) if least else 0)
    file = folder / Path(tag.get("srcset") or tag["src"]).name
    sizes = [float(size) * 100 * 4 / 3 for size in FONT_SIZE.findall(file.read_text(encoding="utf-8"))]
    width = float(tag["width"])
    return min(sizes, default=LEGIBLE) * min(1, column / width)


@pytest.mark.parametrize("columns", [1, 3])
def test_a_plot_has_a_narrow_version_with_the_same_labels_below_each_other(figures, pictures, tmp_path, columns):
    fig, axes = figures.plot(columns=columns, width=5, sharey=True, squeeze=False)
    for number, ax in enumerate(axes.flat):
        ax.plot([0, 1], [0, 1])
        ax.set(title=f"panel {number}", xlabel=r"$\sqrt{d_k}$")
        ax.text(0.5, 0.5, "small", fontsize=6)
    page = shown(pictures, tmp_path, figures.svg(fig))
    source, image = page.select_one("source"), page.select_one("img")
    assert float(source["width"]) < 400 < float(image["width"]) < 720
    assert columns == 1 or float(source["height"]) > 2 * float(image["height"])
    for tag in (source, image):
        assert text_size(tag, tmp_path / "_images") >= LEGIBLE
        drawing = (tmp_path / "_images" / Path(tag.get("srcset") or tag["src"]).name).read_text()
        assert drawing.count("<svg") == 1
        assert all(f"<!-- panel {number} -->" in drawing for number in range(columns))


def test_a_heat_map_has_a_dark_twin_whose_cells_keep_their_ink(figures, pictures, tmp_path):
    fig, ax = figures.plot(width=3)
    figures.heatmap(ax, [[0.0, 1.0]], ["row"], ["one", "two"])
    light, dark = shown(pictures, tmp_path, figures.svg(fig)).select("img")
    assert "only-light" in light["class"]
    assert "only-dark" in dark["class"]
    drawing = (tmp_path / "_images" / Path(dark["src"]).name).read_text()
    assert f'<svg fill="{pictures.LIGHT}"' in drawing
    assert "#000000" not in drawing
    assert figures.ON_CELL in drawing


def test_a_diagram_draws_both_versions_itself(figures, pictures, tmp_path):
    words = {True: "below", False: "beside"}
    fig = figures.diagram(lambda ax, narrow: ax.text(1, 1, words[narrow]), (6, 2), (3, 4))
    page = shown(pictures, tmp_path, figures.svg(fig))
    for tag, word in ((page.select_one("source"), "below"), (page.select_one("img"), "beside")):
        assert f"<!-- {word} -->" in (tmp_path / "_images" / Path(tag.get("srcset") or tag["src"]).name).read_text()


@pytest.fixture(scope="module")
def pages() -> dict[str, BeautifulSoup]:
    """The pages with figures, by name."""
    files = {file.stem: file.read_text(encoding="utf-8") for file in sorted((HTML / "book").glob("*.html"))}
    return {name: BeautifulSoup(text, "lxml") for name, text in files.items() if "<figure" in text}


def test_figures_are_numbered_in_their_chapter_and_have_a_caption_with_their_code(pages):
    assert pages, "The book is not built: run `make book`."
    for name, page in pages.items():
        unit = BY_NAME.get(name)
        numbers = [number.get_text() for number in page.select("figcaption .figure-number")]
        assert numbers == [f"Figure\u00a0{f'{unit.number}.' if unit else ''}{i + 1}" for i in range(len(numbers))], name
        for image in page.select(".cell_output img"):
            assert image.find_parent("figure"), f"{name}: {image['src']} has no number"
        for caption in page.select(".cell_output figcaption"):
            assert len(caption.select_one(".caption-text").get_text()) > 30, f"{name}: {caption.get_text()}"
        drawn = page.select(".cell_output figure")
        assert len(page.select("figcaption .figure-code pre")) >= len(drawn) / 2, name


def test_a_reference_to_a_figure_reads_as_its_number(pages):
    page = pages["attention"]
    number = page.select_one("#query-of-bank .figure-number").get_text()
    assert [link.get_text() for link in page.select('a.reference[href="#query-of-bank"]')] == [number]


def test_no_text_of_a_figure_is_too_small_on_any_screen(pages):
    """All pictures of all pages, from 360 to 1440 pixels: their sizes follow from their files and from the column."""
    small, found = [], 0
    for name, page in pages.items():
        for tag in page.select(".cell_output :is(source, img)"):
            if ".svg" in (tag.get("srcset") or tag["src"]):
                found += 1
                size = text_size(tag, HTML / "_images")
                if size < LEGIBLE:
                    small.append(f"{name} {Path(tag.get('srcset') or tag['src']).name[:12]}: {size:.1f}")
    assert found, "The book is not built: run `make book`."
    assert not small, small
