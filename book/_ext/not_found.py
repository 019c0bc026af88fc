"""The page that a static host shows for an address that the site does not have: ``404.html``.

The host shows it at any depth, so it needs no other file, and its links are whole addresses. Its search field holds the
words of the address that was asked for.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from sphinx.application import Sphinx

PLACES = {"": "Front page", "book/map.html": "What you will build", "book/glossary.html": "Glossary"}
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Page not found — {title}</title>
<style>
:root {{ color-scheme: light dark; --blue: #0072b2; --link: light-dark(#00507d, #8ecdf5); }}
body {{ max-width: 36rem; margin: 12vh auto; padding: 0 1rem; font: 1.125rem/1.6 "Source Serif 4", Georgia, serif; }}
h1 {{ font-weight: 600; }}
a {{ color: var(--link); }}
form {{ display: flex; flex-wrap: wrap; gap: 0.6rem; margin: 1.5rem 0; }}
input, button {{ min-height: 2.75rem; padding: 0.3rem 0.8rem; border: 2px solid var(--blue); border-radius: 0.4rem;
  font: inherit; }}
input {{ flex: 1 1 14rem; min-width: 0; }}
button {{ background: var(--blue); color: #fff; cursor: pointer; }}
:focus-visible {{ outline: 3px solid #e69f00; outline-offset: 2px; }}
</style>
</head>
<body>
<main>
<h1>Page not found</h1>
<p>{title} has no page at this address. It may have moved: look for it by its words.</p>
<form action="{site}/search.html" role="search">
<input type="search" name="q" aria-label="Search the book" required>
<button>Search</button>
</form>
<ul>
{links}
</ul>
</main>
<script>
const last = location.pathname.split("/").filter(Boolean).pop() ?? "";
document.querySelector("input").value = decodeURI(last).replace(/\\.html?$/, "").replace(/[-_]+/g, " ").trim();
</script>
</body>
</html>
"""


def write_page(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``."""
    if exception is not None or app.builder.format != "html":
        return
    (Path(app.outdir) / "404.html").write_text(page(app.config.html_title, app.config.html_baseurl), encoding="utf-8")


def page(title: str, address: str) -> str:
    """The page of a site with this title, at this address."""
    site = address.rstrip("/")
    links = "\n".join(f'<li><a href="{site}/{place}">{text}</a></li>' for place, text in PLACES.items())
    return PAGE.format(title=escape(title), site=site, links=links)
