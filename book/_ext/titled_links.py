"""Links of the tables of mistakes: a cell prints "section", the page says which, as ``{ref}`` does in the text."""

from __future__ import annotations

import re
from html import escape

from powers import change_tables
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

LINK = re.compile(r'(<a class="reference internal" href="#([\w-]+)">)section(?=</a>)')


class TitledLinks(SphinxPostTransform):
    """After MyST-NB has put the results of cells into the text (its transforms have priorities up to 10)."""

    default_priority = 500

    def run(self, **options: object) -> None:
        labels = self.env.get_domain("std").labels
        titles = {anchor: title for anchor, (page, _, title) in labels.items() if page == self.env.docname}
        change_tables(
            self.document,
            lambda html: LINK.sub(lambda link: link[1] + escape(titles.get(link[2], "section")), html),
        )


def setup(app: Sphinx) -> None:
    app.add_post_transform(TitledLinks)
