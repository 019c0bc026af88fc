"""The built book on a local server, and Chromium to read it with."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from visiting import HTML, PAGES


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site."""
    missing = [page for page in PAGES if not (HTML / f"{page}.html").is_file()]
    if missing:
        pytest.fail(f"The book is not built ({missing[0]}.html is missing): run `make book`.", pytrace=False)
    return HTML


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Address of a local server of the site."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, from the system."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        pytest.fail("Chromium is missing: run `apt-get install chromium`.", pytrace=False)
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        pytest.fail("Playwright is missing: run `pip install playwright`.", pytrace=False)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield chromium
        chromium.close()
