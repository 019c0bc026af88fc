"""Measure five pages of the built book with Lighthouse: ``python book/lighthouse.py`` (``make lighthouse``).

Writes ``book/measurements/lighthouse.json`` and ends with exit status 1 when a score is below 95. Lighthouse comes from
npm and goes to ``_build/lighthouse``. Each page is loaded three times as on a desktop computer; the median counts.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from serving import chromium, serve

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
TOOLS = ROOT / "_build" / "lighthouse"
RECORD = ROOT / "book" / "measurements" / "lighthouse.json"
VERSION = "12.2.3"  # the last that runs on Node.js 20
PAGES = ("book/index", "book/setup", "book/attention", "book/bleu", "book/glossary")
CATEGORIES = ("performance", "accessibility", "best-practices")
RUNS = 3
WANTED = 95


def main() -> int:
    program = TOOLS / "node_modules" / ".bin" / "lighthouse"
    browser = chromium()
    if not (HTML / "book" / "index.html").is_file() or browser is None or shutil.which("npm") is None:
        print("This needs the built book (`make book`), Chromium and npm.", file=sys.stderr)
        return 1
    if not program.exists():
        install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(TOOLS), f"lighthouse@{VERSION}"]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
    with serve(HTML) as address:
        scores = {page: measure([str(program), f"{address}/{page}.html"], browser) for page in PAGES}
    record = {"lighthouse": VERSION, "form": "desktop", "runs": RUNS, "scores": scores}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    low = [page for page, found in scores.items() if min(found.values()) < WANTED]
    for page, found in scores.items():
        print(f"{page:16}", *(f"{name} {score:3.0f}" for name, score in found.items()), sep="  ")
    return 1 if low else 0


def measure(command: list[str], browser: str) -> dict[str, float]:
    """The median score of a page in each category, from 0 to 100."""
    options = ["--preset=desktop", f"--only-categories={','.join(CATEGORIES)}", "--output=json", "--quiet"]
    options += ["--chrome-flags=--headless=new --no-sandbox"]
    environment = os.environ | {"CHROME_PATH": browser}
    found = []
    for _ in range(RUNS):
        done = subprocess.run(command + options, env=environment, check=True, capture_output=True, text=True)
        found.append(json.loads(done.stdout)["categories"])
    return {name: round(100 * statistics.median(one[name]["score"] for one in found), 1) for name in CATEGORIES}


if __name__ == "__main__":
    sys.exit(main())
