"""Notes and formulas that take another place on a phone than on a wide screen.

Directive
    ``{side-note}``: a note that the text can do without, beside the paragraph before it; on a phone, below it.

A displayed formula may contain ``\\phonebreak``: on a phone a new line begins there, and nowhere else.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

LOGGER = logging.getLogger(__name__)
BREAK = r"\phonebreak"
WIDE, NARROW = "on-wide-screens", "on-phones"  # custom.css shows one of them


class SideNote(SphinxDirective):
    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        note = nodes.container(classes=["aside"])
        self.state.nested_parse(self.content, self.content_offset, note)
        return [note]


class PlaceAsides(SphinxTransform):
    """Puts a paragraph and its note into one box, which the style sheet divides."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        for note in [box for box in self.document.findall(nodes.container) if "aside" in box["classes"]]:
            place = note.parent.index(note)
            before = note.parent[place - 1] if place else None
            if not isinstance(before, nodes.paragraph):
                LOGGER.warning("{side-note} stands below the paragraph beside which it is shown.", location=note)
                continue
            box = nodes.container(classes=["with-aside"])
            note.parent[place - 1 : place + 1] = [box]
            box += [before, note]


class BreakFormulas(SphinxTransform):
    """Makes two formulas of one with ``\\phonebreak``: on one line, and on several."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        for formula in list(self.document.findall(nodes.math_block)):
            parts = [part.strip() for part in formula.astext().split(BREAK)]
            if len(parts) > 1:
                lines = r" \\ &\quad ".join(parts)
                broken = rf"\begin{{aligned}} &{lines} \end{{aligned}}"
                formula.replace_self([_with(formula, " ".join(parts), WIDE), _with(formula, broken, NARROW)])


def _with(formula: nodes.math_block, tex: str, kind: str) -> nodes.math_block:
    made = formula.copy()
    made["classes"] = [*made["classes"], kind]
    if kind == NARROW:  # number and links stay with the wide formula: a phone hides nothing of it but the drawing
        made["ids"], made["number"], made["label"] = [], None, None
    made += nodes.Text(tex)
    return made


def setup(app: Sphinx) -> None:
    app.add_directive("side-note", SideNote)
    app.add_transform(PlaceAsides)
    app.add_transform(BreakFormulas)
