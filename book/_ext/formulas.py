"""Draw the formulas while the book is built, so that a page shows them at once and loads no program to do it.

MathJax draws them in Node.js. Where there is no Node.js the pages stay as Sphinx wrote them, and the reader's
browser draws the formulas with the copy of MathJax that ``offline.py`` puts into the site.
"""

from __future__ import annotations

import html
import json
import posixpath
import re
import shutil
import subprocess
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import offline
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)

Formula = tuple[str, bool]  # TeX, and whether it stands on a line of its own

PROGRAM = Path(__file__).with_name("formulas.js")
SHEET = "_static/formulas.css"
FONTS = "mathjax/output/chtml/fonts/woff-v2"  # as seen from the style sheet
TEX = re.compile(r"\\\((?P<inline>.*?)\\\)|\\\[(?P<block>.*?)\\\]", re.DOTALL)
SPAN = re.compile(r'(<(span|div) class="(?:[\w-]+ )*math notranslate nohighlight"[^>]*>)(.*?)(</\2>)', re.DOTALL)
# Sphinx's two script elements: the settings and the program.
MATHJAX_SCRIPTS = re.compile(
    r"\s*<script[^>]*>window\.MathJax = [^<]*</script>|\s*<script[^>]*/mathjax/[^>]*></script>"
)
HIDDEN_LABEL = "mjx-assistive-mml"  # for those who hear the page; hidden by the style sheet
ASSISTIVE_CSS = f"""
{HIDDEN_LABEL} {{
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip: rect(1px, 1px, 1px, 1px);
  white-space: nowrap;
}}
/* Heard wherever it is, but laid out on the screen alone; what answers a click is read out at once. */
mjx-container:not(.quiz-feedback *) > {HIDDEN_LABEL} {{ content-visibility: auto; }}
mjx-container {{ position: relative; }}
"""


def draw_pages(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``: put drawn formulas in the place of their TeX in all pages."""
    if exception is not None or app.builder.format != "html" or node() is None:
        return
    outdir = Path(app.outdir)
    pages = {file: file.read_text(encoding="utf-8") for file in sorted(outdir.rglob("*.html"))}
    pages = {file: text for file, text in pages.items() if "/mathjax/" in text}
    if not pages:
        return
    known = outdir.parent / ".book" / f"drawn-{app.builder.name}.json"
    css, drawn = _drawn_before(known)
    new = {formula for text in pages.values() for formula in formulas_in(text)} - drawn.keys()
    if new or not css:
        css, drawn = draw(sorted(drawn.keys() | new))  # the sheet is for all pages, the unchanged too
    if wrong := _not_understood(drawn):
        LOGGER.warning("MathJax does not understand the formula %s", " and ".join(wrong))
        app.statuscode = 1  # Sphinx has counted the warnings already
        return
    (outdir / SHEET).write_text(css + ASSISTIVE_CSS, encoding="utf-8")
    for file, text in pages.items():
        up = posixpath.relpath(SHEET, file.relative_to(outdir).parent.as_posix())
        file.write_text(_with_drawings(text, drawn, up), encoding="utf-8")
    known.parent.mkdir(parents=True, exist_ok=True)
    kept = {"by": _drawing_program(), "css": css, "drawn": [*drawn.items()]}
    known.write_text(json.dumps(kept), encoding="utf-8")


def _drawn_before(known: Path) -> tuple[str, dict[Formula, dict[str, str]]]:
    """The style sheet and the formulas of earlier builds, if the same program drew them."""
    kept = json.loads(known.read_text(encoding="utf-8")) if known.is_file() else {}
    if kept.get("by") != _drawing_program():
        return "", {}
    return kept["css"], {(tex, display): shown for (tex, display), shown in kept["drawn"]}


def _drawing_program() -> list[str]:
    return [version(offline.PACKAGE), PROGRAM.read_text(encoding="utf-8")]


def node() -> str | None:
    """The program of Node.js, if there is one."""
    return shutil.which("node") or shutil.which("nodejs")


def formulas_in(page: str) -> list[Formula]:
    """The formulas of a page that are still TeX."""
    return [_formula(match) for span in SPAN.finditer(page) for match in TEX.finditer(span[3])]


def draw(formulas: Iterable[Formula]) -> tuple[str, dict[Formula, dict[str, str]]]:
    """Style sheet for the formulas, and of each one its HTML and its MathML."""
    formulas = list(formulas)
    command = [str(node()), str(PROGRAM), str(offline.mathjax_folder()), FONTS]
    done = subprocess.run(command, input=json.dumps(formulas), capture_output=True, text=True, timeout=300, check=False)
    if done.returncode or not done.stdout:
        raise ExtensionError(f"MathJax could not draw the formulas: {done.stderr.strip()[-500:]}")
    answer = json.loads(done.stdout)
    return answer["css"], dict(zip(formulas, answer["drawn"]))


def _not_understood(drawn: dict[Formula, dict[str, str]]) -> list[str]:
    # MathJax shows an unknown command in red instead of an error.
    return [tex for (tex, _), shown in drawn.items() if re.search(r'<merror|mathcolor="red">\\', shown["mathml"])]


def _formula(match: re.Match[str]) -> Formula:
    inline = match["inline"]
    return html.unescape(match["block"] if inline is None else inline).strip(), inline is None


def _with_drawings(page: str, drawn: dict[Formula, dict[str, str]], sheet: str) -> str:
    def in_span(span: re.Match[str]) -> str:
        return span[1] + TEX.sub(lambda match: _element(drawn[_formula(match)]), span[3]) + span[4]

    page = SPAN.sub(in_span, MATHJAX_SCRIPTS.sub("", page))
    return page.replace("</head>", f'<link rel="stylesheet" type="text/css" href="{sheet}" />\n</head>', 1)


def _element(shown: dict[str, str]) -> str:
    """The drawing, which a screen reader skips, and the same in MathML, which it reads."""
    seen = shown["html"].replace("<mjx-math ", '<mjx-math aria-hidden="true" ', 1)
    return seen.replace("</mjx-container>", f"<{HIDDEN_LABEL}>{shown['mathml']}</{HIDDEN_LABEL}></mjx-container>")
