"""Take the picture of the front page that the README shows: ``python book/screenshot.py``.

Writes ``_build/screenshot.png`` from the built book. The README's copy is ``book/static/screenshot.png``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from serving import chromium

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "_build" / "html" / "book" / "index.html"
PICTURE = ROOT / "_build" / "screenshot.png"
WIDTH, HEIGHT, SCALE = 1680, 1120, 1200 / 1680  # the picture has 1200 x 800 pixels
MAX_BYTES = 300_000


def main() -> int:
    browser = chromium()
    if not PAGE.is_file():
        return _stop("The book is not built: run `make book`.")
    if browser is None:
        return _stop("Chromium is missing: run `apt-get install chromium`.")
    take(browser)
    if PICTURE.stat().st_size > MAX_BYTES:
        return _stop(f"The picture has {PICTURE.stat().st_size:,} bytes, more than {MAX_BYTES:,}.")
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size:,} bytes")
    return 0


def take(browser: str) -> None:
    """Open the page without a network and save what a reader sees first."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = running.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE, color_scheme="light"
        )
        page.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
        page.goto(PAGE.as_uri())
        page.wait_for_load_state("networkidle")
        page.screenshot(path=str(PICTURE))
        running.close()


def _stop(reason: str) -> int:
    print(reason, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
