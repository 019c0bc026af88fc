"""Make the built pages light: only the icons that they show, and pictures, programs and search when they are needed.

Style sheets that every page needs become one: a page is painted when it has them all, and a phone waits for each.
The theme brings all of Font Awesome (as a program of 1.5 MB and as fonts) and of Bootstrap (as style rules), and loads
the search index on every page; MathJax brings letters of every alphabet. Of fonts and rules, those in use are kept. The
theme also asks each box of a page in turn whether it scrolls and changes it, which costs a layout of the page for each.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pictures
import tinycss2
from fontTools import subset
from fontTools.ttLib import TTFont
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
SLIMMED = "\n/* only what this site uses */\n"  # at the end of that sheet
FORMULA_SHEET, FORMULA_FONTS = "_static/formulas.css", "_static/mathjax/output/chtml/fonts"
CLASSES = re.compile(r'\bclass="([^"]*)"')
CONTENT = re.compile(r'content: ?"((?:\\.|[^"\\])*)"')
ESCAPE = re.compile(r"\\([0-9A-Fa-f]{1,6}) ?|\\(.)")
MADE_BY_PROGRAMS = ("bs-",)  # beginnings of classes that a program puts together
# Bootstrap's program names the classes of all its parts, also of those that no page has.
BOOTSTRAP, PARTS = "bootstrap.js", ("alert", "carousel", "list", "modal", "offcanvas", "popover", "toast")
PROPERTY = re.compile(r"--[\w-]+")
READ = re.compile(r"\bvar\(\s*(--[\w-]+)")
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

# Words of code in the colour of all text: names, punctuation and space, three fifths of the words. And an empty box for
# the first line, which old browsers needed.
PLAIN_WORD = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')
EMPTY_WORD = re.compile(r"(<pre\b[^>]*>)<span></span>")

# The style sheets of every page, in their order, and the one that holds them all.
EVERYWHERE = (
    *("styles/theme.css", THEME_SHEET.removeprefix("_static/"), "pygments.css", "styles/sphinx-book-theme.css"),
    *("togglebutton.css", "copybutton.css", "mystnb.*.css", "drawing.css", "sphinx-design.min.css"),
    *("playgrounds.css", "type.css", "custom.css"),
)
JOINED = "_static/styles/book.css"
_NAMES = "|".join(re.escape(name).replace(r"\*", r"\w+") for name in (*EVERYWHERE, JOINED.removeprefix("_static/")))
SHEET_LINK = re.compile(
    rf'<link (?=[^>]*rel="stylesheet")[^>]*href="(?P<root>[^"]*?)_static/(?:{_NAMES})(?:\?[^"]*)?"[^>]*>\s*'
)
IMPORT = re.compile(r'@import "([^"]+)";')
CHARSET = re.compile(r'@charset "[^"]*";')
LOCAL_URL = re.compile(r"""(\burl\(["']?)(?!data:|#|\w+:|/)""")
# The theme asks for these early, though they wait for the end of the page; they delay what is painted.
EARLY_PROGRAM = re.compile(r'<link rel="preload" as="script"[^>]*>\s*')


def slim(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``."""
    if exception is not None or app.builder.format != "html":
        return
    outdir = Path(app.outdir)
    pages: dict[Path, tuple[str, str]] = {}  # each as it was, and lighter
    for file in sorted(outdir.rglob("*.html")):
        text = file.read_text(encoding="utf-8")
        pages[file] = text, lighter_page(text, file, is_search=file.name == "search.html")
    programs = _programs(outdir)
    texts = [*(lighter for _, lighter in pages.values()), *programs.values()]
    slim_icons(outdir, {name for text in texts for name in ICON_NAME.findall(text)})
    classes = {name for _, lighter in pages.values() for names in CLASSES.findall(lighter) for name in names.split()}
    made = _made_by_programs(programs, classes)
    version = join_sheets(outdir, classes | made, {name for text in texts for name in PROPERTY.findall(text)})
    for file, (text, lighter) in pages.items():
        if (joined := with_one_sheet(lighter, version)) != text:
            file.write_text(joined, encoding="utf-8")
    slim_formula_fonts(outdir)
    script = outdir / THEME_SCRIPT
    script.write_text(SCROLL_SEARCH.sub("[]", script.read_text(encoding="utf-8")), encoding="utf-8")


def lighter_page(text: str, file: Path, is_search: bool) -> str:
    """The page without the program for icons, and with pictures that wait and keep their place free.

    The scripts of a search stand in the page in an order of their own, so the search page keeps all as they are.
    """
    text = ICON_SCRIPT.sub("", text).replace(NO_LIST, NO_LIST.replace('role="list" ', ""))
    text = PLAIN_WORD.sub(r"\1", EMPTY_WORD.sub(r"\1", text))
    text = MAY_SCROLL.sub(r'<\1 tabindex="0"', text)
    if not is_search:
        text = EARLY_PROGRAM.sub("", EARLY_SCRIPT.sub("<script defer ", SEARCH_SCRIPTS.sub("", text)))
    return pictures.PICTURE.sub(lambda match: pictures.versions(match[0], file.parent / match[1]), text)


def slim_icons(outdir: Path, names: set[str]) -> None:
    """Reduce the icons' style rules to those of these names, and their fonts to the glyphs of these rules."""
    sheet = outdir / THEME_SHEET
    css = _original(outdir, THEME_SHEET)
    css = ICON_RULE.sub(lambda rule: rule[0] if names & set(ICON_NAME.findall(rule[1])) else "", css)
    css = FONT_FACE.sub(r'url(\1.woff) format("woff")', css)
    sheets = [css, *(file.read_text(encoding="utf-8") for file in (outdir / "_static").rglob("*.css") if file != sheet)]
    glyphs = {int(code, 16) if code else ord(char) for text in sheets for code, char in GLYPH.findall(text)}
    for font in sorted((outdir / "_static" / "vendor" / "fontawesome" / "webfonts").glob("*.ttf")):
        _subset(font, font.with_suffix(".woff"), glyphs)
    sheet.write_text(css + SLIMMED, encoding="utf-8")


def _original(outdir: Path, sheet: str) -> str:
    """A style sheet as its package has it, also where an earlier build has made it light."""
    kept = outdir.parent / ".book" / Path(sheet).name
    css = (outdir / sheet).read_text(encoding="utf-8")
    if css.endswith(SLIMMED):
        return kept.read_text(encoding="utf-8") if kept.is_file() else css
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(css, encoding="utf-8")
    return css


def _programs(outdir: Path) -> dict[str, str]:
    """The programs of the site's own pages, by their addresses."""
    found = sorted((outdir / "_static").rglob("*.js"))
    own = (file for file in found if "fontawesome" not in file.name and "mathjax" not in file.parts)
    return {file.relative_to(outdir).as_posix(): file.read_text(encoding="utf-8") for file in own}


def _made_by_programs(programs: dict[str, str], classes: set[str]) -> set[str]:
    """The classes that a program may give to parts of the pages, which have these ``classes`` already."""
    missing = {part for part in PARTS if part not in classes}
    made = set[str]()
    for address, program in programs.items():
        words = set(re.findall(r"[\w-]+", program))
        of_bootstrap = address.endswith(BOOTSTRAP)
        made |= {word for word in words if word.partition("-")[0] not in missing} if of_bootstrap else words
    return made


def rules_in_use(css: str, names: set[str]) -> str:
    """A style sheet without the selectors that need a class which is not among ``names``."""

    def is_in_use(rule: Any) -> bool:
        rule.prelude = _selectors_in_use(rule.prelude, names)
        return bool(rule.prelude)

    return tinycss2.serialize(_kept(tinycss2.parse_stylesheet(css, True, True), is_in_use))


def _kept(rules: list, keep: Callable[[Any], bool]) -> list:
    """The rules that ``keep`` wants, which may change them; those inside ``@media`` and ``@supports``, too."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule":
            if not keep(rule):
                continue
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports"):
            rule.content = _kept(tinycss2.parse_rule_list(rule.content, True, True), keep)
            if not rule.content:
                continue
        kept.append(rule)
    return kept


def _selectors_in_use(prelude: list, names: set[str]) -> list:
    """The selectors between commas of which every class is known. What stands in brackets, as in ``:not(.x)``, may be
    anything."""
    selectors: list[list] = [[]]
    for token in prelude:
        if token == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    kept: list = []
    comma = next((token for token in prelude if token == ","), None)
    for selector in selectors:
        pairs = zip(selector, selector[1:])
        classes = [name.value for dot, name in pairs if dot == "." and name.type == "ident"]
        if all(name in names or name.startswith(MADE_BY_PROGRAMS) for name in classes):
            kept += [*([comma] if kept else []), *selector]
    return kept


def join_sheets(outdir: Path, names: set[str], properties: set[str]) -> str:
    """Put the style sheets of every page into one, without what no page needs; its version, which changes with it.

    ``names``: the classes that a page has or a program gives. ``properties``: those that a page or a program names.
    """
    static = outdir / "_static"
    sheets = [file for name in EVERYWHERE for file in sorted(static.glob(name))]
    others = {*static.rglob("*.css")} - {*sheets, outdir / JOINED}
    properties = properties.union(*(READ.findall(file.read_text(encoding="utf-8")) for file in others))
    css = rules_in_use("\n".join(_moved(file, outdir / JOINED) for file in sheets), names)
    css = without_unread_properties(css, properties)
    (outdir / JOINED).write_text(css, encoding="utf-8")
    return hashlib.sha256(css.encode()).hexdigest()[:8]


def without_unread_properties(css: str, read: set[str]) -> str:
    """A style sheet without the declarations of properties that neither it nor anybody else reads.

    One property may read another, so this goes on until all that are left are read.
    """
    while True:
        known = read.union(READ.findall(css))
        shorter = tinycss2.serialize(_kept(tinycss2.parse_stylesheet(css, True, True), partial(_leave_out, known)))
        if shorter == css:
            return css
        css = shorter


def _leave_out(read: set[str], rule: Any) -> bool:
    """Take the declarations of other properties than those that are ``read`` from a rule; the rule itself stays."""
    declared = tinycss2.parse_blocks_contents(rule.content, True, True)
    if all(one.type == "declaration" for one in declared):  # no rules in a rule
        kept = [one for one in declared if not one.name.startswith("--") or one.name in read]
        rule.content = tinycss2.parse_component_value_list(";".join(one.serialize() for one in kept))
    return True


def _moved(sheet: Path, target: Path) -> str:
    """A style sheet with what it imports, and with addresses that hold in another folder."""
    css = CHARSET.sub("", sheet.read_text(encoding="utf-8"))
    way = os.path.relpath(sheet.parent, target.parent)
    css = LOCAL_URL.sub(lambda match: match[1] + ("" if way == "." else f"{way}/"), css)
    return IMPORT.sub(lambda match: _moved(sheet.parent / match[1], target), css)


def with_one_sheet(page: str, version: str) -> str:
    """The page with a link to the one style sheet in place of those that it holds."""
    first = SHEET_LINK.search(page)
    if first is None:
        return page
    link = f'<link rel="stylesheet" type="text/css" href="{first["root"]}{JOINED}?v={version}" />\n'
    return page[: first.start()] + link + SHEET_LINK.sub("", page[first.start() :])


def slim_formula_fonts(outdir: Path) -> None:
    """Reduce MathJax's fonts to the letters of the formulas that are drawn; of none if the browser draws them."""
    sheet = outdir / FORMULA_SHEET
    if not sheet.is_file():
        return
    texts = CONTENT.findall(sheet.read_text(encoding="utf-8"))
    letters = {ord(letter) for text in texts for letter in ESCAPE.sub(_unescaped, text)}
    for font in sorted((outdir / FORMULA_FONTS).rglob("*.woff")):  # copied anew by each build (offline.py)
        with TTFont(font) as opened:
            has = letters & set(opened.getBestCmap() or ())
        if has:  # the other fonts stay: one of them is empty on purpose
            _subset(font, font, has)


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else match[2]


def _subset(font: Path, target: Path, glyphs: set[int]) -> None:
    options = subset.Options(flavor="woff", layout_features=[], notdef_outline=False, hinting=False)
    options.drop_tables += ["FFTM"]  # when the font was made
    loaded = subset.load_font(str(font), options)
    chooser = subset.Subsetter(options)
    chooser.populate(unicodes=glyphs)
    chooser.subset(loaded)
    subset.save_font(loaded, str(target), options)
