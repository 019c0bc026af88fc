"""References to units, chapters and sections as roles: ``{chapter}`attention` `` is a link that reads "chapter N".

The roles are those that `autograder.course.references` describes, which also gives their words. Names that the course
does not have are warnings, so the build fails.
"""

from __future__ import annotations

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from autograder.course import headings, references, registry

LOGGER = logging.getLogger(__name__)


class ReferenceToChapter(SphinxRole):
    """One of the roles; Sphinx resolves the link that it makes."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        for source in (registry.__file__, str(headings.TABLE)):
            self.env.note_dependency(source)
        kind = self.rawtext.strip(":{").partition("`")[0].rstrip(":}")  # as it was written, with its capital
        try:
            found = references.resolve(kind, self.text)
        except references.UnknownReference as error:
            LOGGER.warning("%s", error, location=self.get_location())
            return [nodes.Text(self.text)], []
        reftype, target = ("ref", found.anchor) if found.anchor else ("doc", f"/book/{found.page}")
        link = addnodes.pending_xref(
            self.rawtext,
            refdomain="std",
            reftype=reftype,
            reftarget=target,
            refdoc=self.env.docname,
            refexplicit=True,
            refwarn=True,
        )
        self.set_source_info(link)
        words = found.words.replace(" ", "\u00a0", 1)  # the number stands on the line of its word
        link += nodes.inline("", words, classes=["std", f"std-{reftype}"])
        return [link], []


def setup(app: Sphinx) -> None:
    for kind in references.KINDS:
        app.add_role(kind, ReferenceToChapter())
