"""What the search shows of a page: its text, and of a word in the glossary what it means.

The text is shown without the list of the page's sections, which stands in the same element.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

LEFT_OUT = '[".headerlink", "script", "style"]'
MORE_LEFT_OUT = LEFT_OUT[:-1] + ', "#jb-print-docs-body", ".bd-header-article", ".bd-sidebar-secondary", "footer"]'
OF_AN_ANCHOR = "if (anchorContent) return anchorContent.textContent;"
WITH_DEFINITION = """if (anchorContent) {
        let meaning = anchorContent;
        while (meaning?.tagName === "DT") meaning = meaning.nextElementSibling;
        const more = meaning && meaning !== anchorContent ? `: ${meaning.textContent}` : "";
        return anchorContent.textContent + more;
      }"""
CHANGES = {LEFT_OUT: MORE_LEFT_OUT, OF_AN_ANCHOR: WITH_DEFINITION}


def write_glossary(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Sphinx event ``env-updated``: pages with words of the glossary are written in every build.

    The index of the search forgets the words of those that are not.
    """
    return sorted({page for (kind, _), (page, _) in env.get_domain("std").objects.items() if kind == "term"})


def improve_summaries(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``."""
    if exception is not None or app.builder.format != "html":
        return
    script = Path(app.outdir) / "_static" / "searchtools.js"
    text = script.read_text(encoding="utf-8")
    for old, new in CHANGES.items():
        if new in text:  # by an earlier build
            continue
        if old not in text:
            raise ExtensionError(f"{script.name} has changed: it does not contain {old!r}.")
        text = text.replace(old, new)
    script.write_text(text, encoding="utf-8")
