"""The page that a static host shows for an address that the site does not have: ``404.html``.

The host shows it at any depth, so it needs no other file, and its links are whole addresses.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from sphinx.application import Sphinx

PLACES = {"": "Front page", "book/map.html": "What you will build", "search.html": "Search"}
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found — {title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 34rem; margin: 15vh auto; padding: 0 1rem; font: 1.1rem/1.6 system-ui, sans-serif; }}
</style>
</head>
<body>
<main>
<h1>Page not found</h1>
<p>{title} has no page at this address. It may have moved: the search finds it by its words.</p>
<ul>
{links}
</ul>
</main>
</body>
</html>
"""


def write_page(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``."""
    if exception is not None or app.builder.format != "html":
        return
    site = app.config.html_baseurl.rstrip("/")
    links = "\n".join(f'<li><a href="{site}/{place}">{text}</a></li>' for place, text in PLACES.items())
    page = PAGE.format(title=escape(app.config.html_title), links=links)
    (Path(app.outdir) / "404.html").write_text(page, encoding="utf-8")
