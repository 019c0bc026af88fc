"""The figures of the pages: their numbers and captions, and the versions of one picture for screens and themes.

A cell that draws needs nothing but the alt text of its picture. Its figure gets a number, the beginning of the alt
text as its caption, and the code that drew it, folded, below. A cell can name its figure, and say more than that::

    mystnb:
      figure: {name: one-query, caption: The third word as a query.}
      image: {alt: ...}

Then ``{ref}`one-query` `` reads "Figure 3.1". The number before the point is that of the chapter; pages of no unit
count on their own.

``figures.py`` puts the narrow version of a drawing into the file of the wide one. Here the two become files of their
own, between which the width of the screen decides. A picture with a heat map, in which darker means more, also gets a
dark twin, whose labels are light and whose cells keep their colours; others are inverted by the style sheet.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from autograder.course.registry import BY_NAME

NARROW_SCREEN = 700  # pixels: from here on every column holds the wide version, see figures.WIDE
PICTURE = re.compile(r'<img (?![^>]*\b(?:loading|width)=)(?=[^>]*src="([^"]*_images/[^"]*\.svg)")[^>]*>')
NARROW = re.compile(r'<defs class="narrow">(.*)</defs>\s*</svg>', re.DOTALL)
SVG_SIZE = re.compile(
    r'<svg\b[^>]*?\bheight="([\d.]+)pt"[^>]*?\bwidth="([\d.]+)pt"|<svg\b[^>]*?\bwidth="([\d.]+)pt"[^>]*?\bheight="([\d.]+)pt"'
)
POINT = 4 / 3  # in pixels
SMALLEST, LEGIBLE = 9.5 * POINT, 11  # pixels: labels as they are drawn (figures.SMALLEST), and as they are shown
PHONE = 397  # pixels: a picture of this width can be read in the column of a phone
LIGHT = "#ced6dd"  # the theme's text on dark
BEGINNING = re.compile(r".{40,}?[.!?](?=\s+[A-Z]|$)", re.DOTALL)  # "Two plots." alone says too little


class Captions(SphinxTransform):
    """Make a figure of every picture that a cell draws, number all figures of the page, and fold their code."""

    default_priority = 400

    def apply(self) -> None:
        for cell in list(self.document.findall(_is_cell)):
            figures = [_figure(image) for image in list(cell.findall(nodes.image))]
            if figures and cell.get("hide_mode") == "input" and "tag_solution" not in cell["classes"]:
                figures[-1] += nodes.legend("", _source(cell))
        page = self.env.docname
        unit = BY_NAME.get(posixpath.basename(page))
        numbers: dict[str, str] = {}
        for count, figure in enumerate(self.document.findall(nodes.figure), 1):
            number = f"Figure\u00a0{f'{unit.number}.' if unit else ''}{count}"
            caption = next(figure.findall(nodes.caption), None)
            if caption is None:
                continue
            caption.insert(0, [nodes.strong("", number, classes=["figure-number"]), nodes.Text("\u2002")])
            if not figure["ids"]:
                figure["ids"].append(f"figure-{count}")
            numbers |= dict.fromkeys(figure["ids"], number)
        self.document["figures"] = numbers


def _is_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _figure(image: nodes.image) -> nodes.figure:
    """The figure of a picture, made around what holds its forms if the page has not made one, with a caption."""
    held: nodes.Element = image
    while held.get("nb_element") != "mime_bundle":
        held = held.parent
    figure = held.parent
    if not isinstance(figure, nodes.figure):
        figure = nodes.figure()
        held.replace_self(figure)
        figure += held
    if not any(figure.findall(nodes.caption)):
        words = " ".join(image.get("alt", "").split())
        first = BEGINNING.match(words)
        figure += nodes.caption("", first[0] if first else words)
    return figure


def _source(cell: nodes.Element) -> HideCodeCellNode:
    """The code of a cell, taken out of it, as a fold."""
    fold = HideCodeCellNode(prompt_show="Code", prompt_hide="Code", classes=["figure-code"])
    code = cell.children[0]
    cell.remove(code)
    fold += code
    return fold


def name_numbers(app: Sphinx, document: nodes.document) -> None:
    """Sphinx event ``doctree-read``: references to a figure read as its number."""
    numbers = document.attributes.pop("figures", {})
    labels = app.env.get_domain("std").data["labels"]  # type: ignore[index]
    for name, (page, anchor, _) in list(labels.items()):
        if page == app.env.docname and anchor in numbers:
            labels[name] = (page, anchor, numbers[anchor])


def versions(tag: str, file: Path) -> str:
    """The tag of a picture as it stands in the page: with all versions of the picture, each with its size."""
    if not file.is_file():
        return tag
    themes = {"": ""}
    if "<image" in (drawn := file.read_text(encoding="utf-8")):
        themes = {"": "with-image only-light", "-dark": "with-image only-dark"}
    narrow = NARROW.search(drawn)
    if narrow:
        drawn = drawn[: narrow.start()] + "</svg>\n"
    found = ""
    for suffix, classes in themes.items():
        wide = _written(file, suffix, drawn)
        image = _with_class(tag, classes).replace(file.name, wide.name)
        image = f'<img loading="lazy" {_size(drawn)}{image[5:]}'
        if narrow:
            slim = _written(file, f"-narrow{suffix}", narrow[1])
            address = re.search('src="([^"]*)"', image)[1].replace(wide.name, slim.name)  # type: ignore[index]
            source = f'<source media="(max-width: {NARROW_SCREEN}px)" srcset="{address}" {_size(narrow[1])}>'
            image = f"<picture>{source}{image}</picture>"
        elif _width(drawn) > PHONE:
            least = _width(drawn) * LEGIBLE / SMALLEST  # it scrolls where a column is narrower
            image = image.replace("<img ", f'<img style="min-width: {least:.0f}px" ', 1)
        found += image
    return found


def _written(file: Path, suffix: str, drawn: str) -> Path:
    """A version of a picture in a file of its own, in the colours of its theme."""
    file = file.with_stem(file.stem + suffix)
    if suffix.endswith("-dark"):
        drawn = re.sub("(stroke|fill): #(000000|404040|707070)", rf"\1: {LIGHT}", drawn)
        drawn = drawn.replace("<svg ", f'<svg fill="{LIGHT}" ', 1)
    file.write_text(drawn, encoding="utf-8")
    return file


def _with_class(tag: str, classes: str) -> str:
    if not classes:
        return tag
    return re.sub(' class="', f' class="{classes} ', tag) if ' class="' in tag else f'<img class="{classes}" {tag[5:]}'


def _points(drawn: str) -> tuple[float, float]:
    """Width and height of a drawing."""
    match = SVG_SIZE.search(drawn[:2000])
    if match is None:
        return 0, 0
    height, width = (match[1], match[2]) if match[1] else (match[4], match[3])
    return float(width), float(height)


def _width(drawn: str) -> float:
    return _points(drawn)[0] * POINT


def _size(drawn: str) -> str:
    width, height = _points(drawn)
    return f'width="{width * POINT:.0f}" height="{height * POINT:.0f}" ' if width else ""


def setup(app: Sphinx) -> None:
    app.add_transform(Captions)
    app.connect("doctree-read", name_numbers, priority=900)  # after the names of all labels are known
