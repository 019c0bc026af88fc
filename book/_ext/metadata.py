"""What a page says of itself to others: to search engines, chats that show a card for a link, and browsers.

Each page gets a title with its number, a description (its first paragraph), an Open Graph card that is drawn here, and
the colour of the browser's bar. The site gets a sitemap, a `robots.txt`, a manifest, an icon for phones, and a service
worker that keeps the whole book for readers without a network.
"""

from __future__ import annotations

import hashlib
import json
import re
from html import escape
from pathlib import Path
from textwrap import wrap

from docutils import nodes
from sphinx.application import Sphinx

from autograder.course.registry import BY_NAME

CARDS = "cards"  # in _static
WIDTH, HEIGHT = 1200, 630  # pixels of a card: what chats and networks show whole
DESCRIPTION = 160  # characters: more is cut by those who show it
BLUE = "#0072b2"
ICON = "touch-icon.png"
VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*>')
MANIFEST = "manifest.webmanifest"
WORKER = "service-worker.js"
# Not kept for reading without a network: sources, downloads, and what only programs read.
NOT_KEPT = (
    *("_sources/", "_downloads/", "objects.inv", ".", "robots.txt", "sitemap.xml", WORKER),
    *(f"_static/{WORKER}", f"_static/{CARDS}/", "_static/locales/"),
)

HEAD = """<meta name="description" content="{description}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="{site}">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{description}">
<meta property="og:url" content="{url}">
<meta property="og:image" content="{card}">
<meta property="og:image:width" content="{width}">
<meta property="og:image:height" content="{height}">
<meta property="og:image:alt" content="{title}, a page of {site}">
<meta name="twitter:card" content="summary_large_image">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#121212" media="(prefers-color-scheme: dark)">
<script>
  // The font of the text, before the style sheet that names it has come. A page opened as a file may not preload one.
  if (location.protocol !== "file:") document.head.append(Object.assign(document.createElement("link"), {{
    rel: "preload", href: "{static}/fonts/source-serif-4-latin-400-normal.woff2", as: "font", type: "font/woff2",
    crossOrigin: "" }}));
</script>
<link rel="apple-touch-icon" href="{static}/{icon}">
<link rel="manifest" href="{root}/{manifest}">
"""


def describe(doctree: nodes.document | None) -> str:
    """The first paragraph of a page, cut after a word."""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        text = " ".join(paragraph.astext().split())
        if len(text) >= 40 and isinstance(paragraph.parent, nodes.section):
            return text if len(text) <= DESCRIPTION else text[: DESCRIPTION - 1].rpartition(" ")[0].rstrip(",;:") + "…"
    return ""


def full_title(page: str, title: str) -> str:
    """``"4 Self-attention"`` for a chapter, the title alone for other pages."""
    unit = BY_NAME.get(page.rpartition("/")[2])
    return f"{unit.number} {title}" if unit else title


def add_head(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """Sphinx event ``html-page-context``."""
    if app.builder.format != "html" or "title" not in context:
        return
    site = app.config.html_title
    title = full_title(page, _title_of(app, page) or _plain(context["title"]))
    base = app.config.html_baseurl.rstrip("/")
    root = "/".join([".."] * page.count("/")) or "."
    described = describe(doctree) or f"{title}: a page of {site}, a book, exercises and a grader."
    head = HEAD.format(
        description=escape(described),
        site=escape(site),
        title=escape(title),
        url=f"{base}/{page}.html",
        card=f"{base}/_static/{CARDS}/{_card_name(page)}",
        width=WIDTH,
        height=HEIGHT,
        static=f"{root}/_static",
        root=root,
        icon=ICON,
        manifest=MANIFEST,
    )
    context["metatags"] = context.get("metatags", "") + "\n" + head


def _title_of(app: Sphinx, page: str) -> str:
    """The heading of a page; nothing for one that Sphinx makes itself, such as the search."""
    return app.env.titles[page].astext() if page in app.env.titles else ""


def _plain(title: str) -> str:
    return re.sub(r"<[^>]*>", "", title)


def _card_name(page: str) -> str:
    return page.replace("/", "-") + ".png"


def write_site_files(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``, the last: the list of files must be whole."""
    if exception is not None or app.builder.format != "html":
        return
    outdir, base = Path(app.outdir), app.config.html_baseurl.rstrip("/")
    site = app.config.html_title
    for file in outdir.rglob("*.html"):
        _title_page(file, site)
    pages = sorted(page for page in app.env.found_docs if (outdir / f"{page}.html").is_file())
    draw_cards(outdir / "_static" / CARDS, {page: full_title(page, _title_of(app, page)) for page in pages}, site)
    draw_icon(outdir / "_static" / ICON)
    (outdir / "sitemap.xml").write_text(sitemap(base, pages), encoding="utf-8")
    (outdir / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {base}/sitemap.xml\n", encoding="utf-8")
    (outdir / MANIFEST).write_text(json.dumps(manifest(site), indent=1), encoding="utf-8")
    write_worker(outdir)


def _title_page(file: Path, site: str) -> None:
    """The title with the chapter's number, once the name of the site, and one rule for the width of the screen."""
    text = file.read_text(encoding="utf-8")

    def title(match: re.Match[str]) -> str:
        own = re.split(r"\s+(?:&#8212;|—|·)\s+" + re.escape(site), match[1])[0].strip()
        # An earlier build may have put the number there.
        own = full_title(file.stem, own.removeprefix(full_title(file.stem, "")))
        return f"<title>{own}</title>" if own == site else f"<title>{own} · {site}</title>"

    new = re.sub(r"<title>(.*?)</title>", title, text, count=1, flags=re.S)
    first, *others = VIEWPORT.findall(new) or [""]
    if others:  # the theme and its parents write one each
        new = VIEWPORT.sub("", new).replace("<meta charset", f"{first.strip()}\n<meta charset", 1)
    if new != text:
        file.write_text(new, encoding="utf-8")


def sitemap(base: str, pages: list[str]) -> str:
    """The addresses of all pages, in the form of https://www.sitemaps.org/protocol.html."""
    urls = "".join(f"<url><loc>{escape(f'{base}/{page}.html')}</loc></url>\n" for page in pages)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{urls}</urlset>\n"


def manifest(site: str) -> dict[str, object]:
    """The web app manifest (https://www.w3.org/TR/appmanifest/)."""
    return {
        "name": site,
        "short_name": "Workbook",
        "start_url": "book/index.html",
        "display": "minimal-ui",
        "background_color": "#ffffff",
        "theme_color": BLUE,
        "icons": [{"src": f"_static/{ICON}", "sizes": "180x180", "type": "image/png"}],
    }


def draw_cards(folder: Path, titles: dict[str, str], site: str) -> None:
    """One picture for each page, ``WIDTH`` by ``HEIGHT`` pixels. One that shows the same title is left as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "titles.json"
    drawn = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    for page, title in titles.items():
        if drawn.get(page) != title or not (folder / _card_name(page)).is_file():
            _draw_card(folder / _card_name(page), title, site)
    kept.write_text(json.dumps(titles), encoding="utf-8")


def _draw_card(file: Path, title: str, site: str) -> None:
    figure, axes = _canvas(WIDTH, HEIGHT, "white")
    _draw_logo(axes, 80, 430, 120)
    lines = wrap(title, 34)[:4]
    size = 40 if len(lines) < 3 else 32
    axes.text(80, 370, "\n".join(lines), size=size, va="top", color="#14181e", weight="bold", linespacing=1.3)
    axes.text(230, 490, site, size=26, va="center", color=BLUE)
    axes.text(80, 60, "Read it, build it, have it checked at once.", size=19, va="center", color="#404040")
    figure.savefig(file, dpi=100)


def draw_icon(file: Path) -> None:
    """The logo on 180 by 180 pixels, as phones want it."""
    if file.is_file():
        return
    figure, axes = _canvas(180, 180, BLUE)
    _draw_logo(axes, 0, 0, 180)
    figure.savefig(file, dpi=100)


def _canvas(width: int, height: int, ground: str):
    from matplotlib.figure import Figure  # only a build that draws needs it

    figure = Figure(figsize=(width / 100, height / 100), facecolor=ground)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.axis("off")
    return figure, axes


# The squares of static/logo.svg: x and y from the lower left, in thirty-seconds of its width, and their opacity.
SQUARES = ((6, 20, 1), (6, 13, 0.55), (13, 13, 1), (6, 6, 0.3), (13, 6, 0.55), (20, 6, 1))


def _draw_logo(axes, left: float, bottom: float, size: float) -> None:
    from matplotlib.patches import Rectangle

    unit = size / 32
    axes.add_patch(Rectangle((left, bottom), size, size, color=BLUE, lw=0))
    for x, y, opacity in SQUARES:
        corner = left + x * unit, bottom + y * unit
        axes.add_patch(Rectangle(corner, 6 * unit, 6 * unit, color="white", alpha=opacity, lw=0))


def write_worker(outdir: Path) -> None:
    """The service worker, with a list of all files and their version: a hash of what they contain."""
    names = sorted(file.relative_to(outdir).as_posix() for file in outdir.rglob("*") if file.is_file())
    kept = [name for name in names if not name.startswith(NOT_KEPT) and not name.endswith(".map")]
    version = hashlib.blake2b(digest_size=8)
    for name in kept:
        version.update(name.encode() + (outdir / name).read_bytes())
    worker = (Path(__file__).parents[1] / "static" / WORKER).read_text(encoding="utf-8")
    filled = worker.replace('"VERSION"', json.dumps(version.hexdigest())).replace('["FILES"]', json.dumps(kept))
    (outdir / WORKER).write_text(filled, encoding="utf-8")
