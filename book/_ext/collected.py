"""What pages collect from elsewhere in the repository: tables of symbols, screenshots.

Directives
    ``{symbol-tables}``: the tables of symbols of all chapters, each behind a fold.
    ``{formgrader-pictures}``: the screenshots of nbgrader's formgrader, where the browser tests have taken them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from autograder.course.registry import COMPLETE

BOOK = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"^\| symbol \|.*?(?=\n\n)", re.MULTILINE | re.DOTALL)
CAPTIONS = {  # in the order in which they are shown
    "formgrader-submissions-of-the-class": "Manage submissions: each learner with the score and what is left to do",
    "formgrader-a-feedback-page": "Part of a feedback page: a mistake that has a name, and what to read about it",
}


class SymbolTables(SphinxDirective):
    """The tables of symbols of all chapters, each behind a fold."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(self._folds()))

    def _folds(self) -> Iterator[str]:
        for unit in COMPLETE:
            page = BOOK / f"{unit.name}.md"
            self.env.note_dependency(str(page))
            if page.is_file() and (table := TABLE.search(page.read_text(encoding="utf-8"))):
                yield f":::{{dropdown}} {unit.number} · {unit.title}\n[](/book/{unit.name}.md)\n\n{table[0]}\n:::\n"


class FormgraderPictures(SphinxDirective):
    """The screenshots ``static/formgrader-*``; nothing while there are none."""

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # a picture may come or go without any text changing
        return self.parse_text_to_nodes("\n".join(self._figures()))

    def _figures(self) -> Iterator[str]:
        for name, words in CAPTIONS.items():
            picture = BOOK / "static" / f"{name}.png"
            if picture.is_file():
                yield f":::{{figure}} /book/static/{picture.name}\n:alt: {words}\n{words}.\n:::\n"


def setup(app: Sphinx) -> None:
    app.add_directive("symbol-tables", SymbolTables)
    app.add_directive("formgrader-pictures", FormgraderPictures)
