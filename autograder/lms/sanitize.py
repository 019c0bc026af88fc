"""Text cells of learners as HTML that can do nothing: for nbgrader's feedback pages and its formgrader.

nbconvert shows the HTML in a text cell as it is, so a learner's script would run in the browser of whoever grades, with
all that nbgrader allows them. `autograder.lms.restore` marks the text cells that are not the course's own; here they
are cleaned after they became HTML, so that formulas and code stay what they are.
"""

from __future__ import annotations

import html
from functools import lru_cache
from typing import Any

from bleach.css_sanitizer import CSSSanitizer
from bleach.sanitizer import Cleaner
from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import InvalidNotebook

from autograder.lms.restore import BY_LEARNER

BLOCKS = {"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "div"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
INLINE = {"code", "em", "strong", "b", "i", "u", "s", "del", "ins", "sub", "sup", "kbd", "mark", "a", "img", "span"}
WITH_CLASS = {"a", "span", "div", "pre", "code"}  # of coloured code and of links to headings
ATTRIBUTES = {"a": {"href", "title"}, "img": {"src", "alt", "title", "width", "height"}}

_nbconverts_markdown2html = HTMLExporter.markdown2html


def clean(text: str) -> str:
    """HTML without anything that acts; tags that are not allowed are shown as text."""
    return _cleaner().clean(text)


@lru_cache(maxsize=1)
def _cleaner() -> Cleaner:
    styles = CSSSanitizer(allowed_css_properties=["text-align"])  # of the columns of tables
    protocols = {"http", "https", "mailto", "data"}
    return Cleaner(tags=BLOCKS | TABLES | INLINE, attributes=_may_stay, protocols=protocols, css_sanitizer=styles)


def _may_stay(tag: str, name: str, value: str) -> bool:
    if name == "class":
        return tag in WITH_CLASS
    if name == "style":
        return tag in ("th", "td")
    # A picture may hold its data; a page that is a link's data would be the learner's own.
    is_data = value.strip().lower().startswith("data:")
    return name in ATTRIBUTES.get(tag, ()) and (not is_data or (tag, name) == ("img", "src"))


@pass_context
def markdown2html(exporter: HTMLExporter, context: Any, source: str) -> str:
    """nbconvert's filter, but a learner's text is made harmless. One with a picture that was lost is shown as it is."""
    try:
        text = _nbconverts_markdown2html(exporter, context, source)
    except InvalidNotebook:
        text = f"<pre>{html.escape(source)}</pre>"
    return clean(text) if context.get("cell", {}).get("metadata", {}).get(BY_LEARNER) else text
