"""What the search shows of a page: its text, and not the list of its sections, which stands in the same element."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

LEFT_OUT = '[".headerlink", "script", "style"]'
MORE_LEFT_OUT = LEFT_OUT[:-1] + ', "#jb-print-docs-body", ".bd-header-article", ".bd-sidebar-secondary", "footer"]'


def shorten_summaries(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``."""
    if exception is not None or app.builder.format != "html":
        return
    script = Path(app.outdir) / "_static" / "searchtools.js"
    text = script.read_text(encoding="utf-8")
    if MORE_LEFT_OUT in text:  # by an earlier build
        return
    if LEFT_OUT not in text:
        raise ExtensionError(f"{script.name} does not say which elements its summaries leave out.")
    script.write_text(text.replace(LEFT_OUT, MORE_LEFT_OUT), encoding="utf-8")
