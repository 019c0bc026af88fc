"""Text cells of learners as harmless HTML: for nbgrader's feedback pages and its formgrader.

nbconvert shows the HTML in a text cell as it is, so a learner's script would run in the grader's browser, with the
grader's rights in nbgrader. `autograder.lms.restore` marks the text cells that are not the course's own; here they
are cleaned after they became HTML, so that formulas and code stay what they are.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import Any

import nh3
from jinja2 import pass_context
from jinja2.runtime import Context
from nbconvert.exporters import HTMLExporter
from nbconvert.filters import Highlight2HTML
from nbconvert.filters.markdown_mistune import InvalidNotebook
from traitlets.config import Configurable

from autograder.lms.marks import BY_LEARNER
from autograder.lms.restore import PICTURE

BLOCKS = {"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "div"}
TABLES = {"table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
INLINE = {"code", "em", "strong", "b", "i", "u", "s", "del", "ins", "sub", "sup", "kbd", "mark", "a", "img", "span"}
TAGS = BLOCKS | TABLES | INLINE
WITH_CLASS = {"class"}  # of coloured code and of links to headings
ALIGNED = {"style"}
ATTRIBUTES = {
    "*": set[str](),
    "a": {"href", "title"} | WITH_CLASS,
    "img": {"src", "alt", "title", "width", "height"},
    **dict.fromkeys(("span", "div", "pre", "code"), WITH_CLASS),
    **dict.fromkeys(("th", "td"), ALIGNED),
}
MAX_MARKDOWN = 20_000  # characters of one cell, without pictures: Markdown takes quadratic time for unclosed marks
MAX_COLOURED, MAX_LINE = 10_000, 1000  # characters of one cell and of one line: colouring code is quadratic too
MAX_TAGS = 10_000  # in one cell: nested tags take quadratic time, 0.2 s for this number
_NO_TAG = re.compile(rf"<(?!/?(?:{'|'.join(sorted(TAGS))})\b[^<>]*>|!--)", re.IGNORECASE)
_IGNORED_IN_ADDRESS = re.compile(r"[\x00-\x20]")  # browsers ignore most of these; here they all hide nothing


def clean(text: str) -> str:
    """HTML without active content; tags that are not allowed are shown as text."""
    if text.count("<") > MAX_TAGS:
        return f"<pre>{html.escape(text)}</pre>"
    # The cleaner would drop those tags. Only the cleaner makes the text harmless.
    return _cleaner().clean(_NO_TAG.sub("&lt;", text))


@lru_cache(maxsize=1)
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_may_stay,
        url_schemes={"http", "https", "mailto", "data"},
        filter_style_properties={"text-align"},  # of the columns of tables
        link_rel=None,
    )


def _may_stay(tag: str, name: str, value: str) -> str | None:
    # A picture may hold its data; a page that is a link's data would be the learner's own.
    is_data = _IGNORED_IN_ADDRESS.sub("", value).lower().startswith("data:")
    return None if is_data and (tag, name) != ("img", "src") else value


@pass_context
class MarkdownToHarmlessHtml(Configurable):
    """nbconvert's filter, which here also makes a learner's text harmless.

    A text that lost a picture or is too long is shown as its source.
    """

    parent: HTMLExporter

    def __call__(self, context: Context, source: str) -> str:
        try:
            is_long = len(PICTURE.sub("", source)) > MAX_MARKDOWN
            text = _as_it_is(source) if is_long else self.parent.markdown2html(context, source)
        except InvalidNotebook:
            text = _as_it_is(source)
        return _hide(clean(text)) if context.get("cell", {}).get("metadata", {}).get(BY_LEARNER) else text


class HighlightWithinBounds(Highlight2HTML):
    """nbconvert's filter, which here shows code that is too long without colours."""

    def __call__(self, source: str, language: str | None = None, metadata: Any = None) -> str:
        if len(source) > MAX_COLOURED or any(len(line) > MAX_LINE for line in source.splitlines()):
            return f'<div class="highlight">{_hide(_as_it_is(source))}</div>'
        return super().__call__(source, language=language, metadata=metadata)


def _as_it_is(source: str) -> str:
    return f"<pre>{html.escape(source)}</pre>"


def _hide(text: str) -> str:
    """Hide brackets from nbconvert's last filter, which would search for their ends; a browser shows the same text."""
    return text.replace("[", "&#91;")
