"""Make the built pages light: only the icons that they show, and pictures, programs and search when they are needed.

The theme brings all of Font Awesome (as a program of 1.5 MB and as fonts), and loads the search index on every page. It
also asks each box of a page in turn whether it scrolls and changes it, which costs a layout of the page for each.
"""

from __future__ import annotations

import re
from pathlib import Path

import pictures
from fontTools import subset
from sphinx.application import Sphinx

ICON_SCRIPT = re.compile(r"\s*<script[^>]*/fontawesome\.js[^>]*></script>")
SEARCH_SCRIPTS = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>')
# None of these is needed before the page is read; deferred programs keep their order.
EARLY_SCRIPT = re.compile(
    r'<script (?=(?:data-[^>]*? )?src="[^"]*_static/(?:scripts/)?'
    r"(?:doctools|sphinx_highlight|clipboard\.min|copybutton|sphinx-book-theme|togglebutton|design-tabs)\.js)"
)
ICON_RULE = re.compile(r'((?:\.fa-[\w-]+:{1,2}before,?)+)\{content:"[^"]*"\}')
ICON_NAME = re.compile(r"\bfa-[\w-]+")
FONT_FACE = re.compile(r'url\(([^)]*)\.woff2\) ?format\("woff2"\), ?url\([^)]*\.ttf\) ?format\("truetype"\)')
GLYPH = re.compile(r"\\([ef][0-9a-f]{3})\b|([\ue000-\uf8ff])")
NO_LIST = '<div role="list" class="citation-list">'  # what stands in it are entries of a bibliography, not of a list
THEME_SHEET = "_static/styles/pydata-sphinx-theme.css"
THEME_SCRIPT = "_static/scripts/pydata-sphinx-theme.js"
# The theme's search for boxes that scroll; static/scrolling.js does it instead, and asks all before it changes any.
SCROLL_SEARCH = re.compile(
    r'document\.querySelectorAll\(\["pre",[^\]]*\]\.join\(", "\)\)(?=\.forEach\(\w+=>\{\w+\.tabIndex=)'
)
# Whatever may scroll takes the focus until that script knows which of them do.
MAY_SCROLL = re.compile(
    r'<(?=pre>|div class="(?:cell_output|output|math|pst-scrollable-table-container)\b'
    r'|mjx-container (?![^>]*\btabindex=)[^>]*\bdisplay="true")([\w-]+)'
)


def slim(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``."""
    if exception is not None or app.builder.format != "html":
        return
    outdir = Path(app.outdir)
    for file in sorted(outdir.rglob("*.html")):
        text = file.read_text(encoding="utf-8")
        lighter = lighter_page(text, file, is_search=file.name == "search.html")
        if lighter != text:
            file.write_text(lighter, encoding="utf-8")
    slim_icons(outdir)
    script = outdir / THEME_SCRIPT
    script.write_text(SCROLL_SEARCH.sub("[]", script.read_text(encoding="utf-8")), encoding="utf-8")


def lighter_page(text: str, file: Path, is_search: bool) -> str:
    """The page without the program for icons, and with pictures that wait and keep their place free.

    The scripts of a search stand in the page in an order of their own, so the search page keeps all as they are.
    """
    text = ICON_SCRIPT.sub("", text).replace(NO_LIST, NO_LIST.replace('role="list" ', ""))
    text = MAY_SCROLL.sub(r'<\1 tabindex="0"', text)
    if not is_search:
        text = EARLY_SCRIPT.sub("<script defer ", SEARCH_SCRIPTS.sub("", text))
    return pictures.PICTURE.sub(lambda match: pictures.versions(match[0], file.parent / match[1]), text)


def slim_icons(outdir: Path) -> None:
    """Reduce the icons' style rules to those in use, and their fonts to the glyphs of these rules."""
    sheet = outdir / THEME_SHEET
    css = sheet.read_text(encoding="utf-8")
    if not FONT_FACE.search(css):  # done by an earlier build
        return
    names = _icons_in(outdir)
    css = ICON_RULE.sub(lambda rule: rule[0] if names & set(ICON_NAME.findall(rule[1])) else "", css)
    css = FONT_FACE.sub(r'url(\1.woff) format("woff")', css)
    sheets = [css, *(file.read_text(encoding="utf-8") for file in (outdir / "_static").rglob("*.css") if file != sheet)]
    glyphs = {int(code, 16) if code else ord(char) for text in sheets for code, char in GLYPH.findall(text)}
    for font in sorted((outdir / "_static" / "vendor" / "fontawesome" / "webfonts").glob("*.ttf")):
        _subset(font, font.with_suffix(".woff"), glyphs)
    sheet.write_text(css, encoding="utf-8")


def _icons_in(outdir: Path) -> set[str]:
    scripts = (
        file
        for file in (outdir / "_static").rglob("*.js")
        if "fontawesome" not in file.name and "mathjax" not in file.parts
    )
    files = [*outdir.rglob("*.html"), *scripts]
    return {name for file in files for name in ICON_NAME.findall(file.read_text(encoding="utf-8"))}


def _subset(font: Path, target: Path, glyphs: set[int]) -> None:
    options = subset.Options(flavor="woff", layout_features=[], notdef_outline=False, hinting=False)
    loaded = subset.load_font(str(font), options)
    chooser = subset.Subsetter(options)
    chooser.populate(unicodes=glyphs)
    chooser.subset(loaded)
    subset.save_font(loaded, str(target), options)
