"""Numbers as readers write them: a cell says ``7.6e-04``, the prose and the tables say 7.6 × 10 to the power −4.

Code, and what code prints, stays as Python writes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

# As Python formats a float: two digits of the exponent at least. What people type as code has one, as in 1e-5.
NUMBER = re.compile(r"(?<![\w.])(-?)(\d(?:\.\d+)?)e([+-])(\d{2,3})(?![\w.]?\w)")
CELL = re.compile(rf"(<t[dh][^>]*>\s*){NUMBER.pattern}(?=\s*</t[dh]>)")
AS_THEY_ARE = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.FixedTextElement)


class PowersOfTen(SphinxPostTransform):
    """After MyST-NB has put the results of cells into the text (its transforms have priorities up to 10)."""

    default_priority = 500

    def run(self, **options: object) -> None:
        for text in list(self.document.findall(nodes.Text)):
            if NUMBER.search(text) and not _within(text, AS_THEY_ARE):
                text.parent.replace(text, list(_in_powers(str(text))))
        change_tables(self.document, lambda html: CELL.sub(lambda cell: cell[1] + _as_html(*cell.groups()[1:]), html))


def change_tables(document: nodes.document, change: Callable[[str], str]) -> None:
    """Change the HTML of the tables that cells print."""
    for table in document.findall(nodes.raw):
        if "html" in table.get("format", "") and "<table" in table.astext():
            table.rawsource = change(table.astext())
            table.children = [nodes.Text(table.rawsource)]


def _within(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def _in_powers(text: str) -> Iterator[nodes.Node]:
    end = 0
    for number in NUMBER.finditer(text):
        before, power = _parts(*number.groups())
        yield nodes.Text(text[end : number.start()] + before)
        if power:
            yield nodes.superscript(power, power)
        end = number.end()
    yield nodes.Text(text[end:])


def _as_html(*groups: str) -> str:
    before, power = _parts(*groups)
    return before + (f"<sup>{power}</sup>" if power else "")


def _parts(sign: str, digits: str, exponent_sign: str, exponent: str) -> tuple[str, str]:
    """What stands before the exponent, and the exponent; none for a zero."""
    minus = "−" if sign else ""
    if float(digits) == 0:
        return "0", ""
    power = ("−" if exponent_sign == "-" else "") + exponent.lstrip("0")
    if not exponent.lstrip("0"):
        return minus + digits, ""
    return f"{minus}{digits} × 10", power  # no line breaks inside


def setup(app: Sphinx) -> None:
    app.add_post_transform(PowersOfTen)
