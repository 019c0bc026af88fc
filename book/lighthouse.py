"""Measure six pages of the built book with Lighthouse: ``python book/lighthouse.py`` (``make lighthouse``).

Writes ``book/measurements/lighthouse.json`` and ends with exit status 1 when a score is below 97. Lighthouse comes from
npm and goes to ``_build/lighthouse``. Each page is loaded five times as on a desktop computer and five times as on a
phone; the medians count. ``python book/lighthouse.py 1`` loads each once and records nothing.
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
PAGES = ("book/index", "book/setup", "book/attention", "book/bleu", "book/gpt2_forward", "book/glossary")
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
FORMS = {"desktop": ["--preset=desktop"], "phone": []}  # a phone is what Lighthouse takes for granted
RUNS = 5
WANTED = 97


def main() -> int:
    program = TOOLS / "node_modules" / ".bin" / "lighthouse"
    browser = chromium()
    if not (HTML / "book" / "index.html").is_file() or browser is None or shutil.which("npm") is None:
        print("This needs the built book (`make book`), Chromium and npm.", file=sys.stderr)
        return 1
    if not program.exists():
        install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(TOOLS), f"lighthouse@{VERSION}"]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
    runs = int(sys.argv[1]) if sys.argv[1:] else RUNS
    scores: dict[str, dict[str, dict[str, float]]] = {form: {} for form in FORMS}
    with serve(HTML) as address:
        for form, options in FORMS.items():
            for page in PAGES:
                found = measure([str(program), f"{address}/{page}.html", *options], browser, runs)
                scores[form][page] = found
                print(
                    f"{form:8}{page:18}",
                    *(f"{name} {score:3.0f}" for name, score in found.items()),
                    sep="  ",
                    flush=True,
                )
    if runs == RUNS:
        record = {"lighthouse": VERSION, "runs": runs, "scores": scores}
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return int(min(score for pages in scores.values() for found in pages.values() for score in found.values()) < WANTED)


def measure(command: list[str], browser: str, runs: int) -> dict[str, float]:
    """The median score of a page in each category, from 0 to 100."""
    options = [f"--only-categories={','.join(CATEGORIES)}", "--output=json", "--quiet"]
    options += ["--chrome-flags=--headless=new --no-sandbox"]
    environment = os.environ | {"CHROME_PATH": browser}
    found = []
    for _ in range(runs):
        done = subprocess.run(command + options, env=environment, check=True, capture_output=True, text=True)
        found.append(json.loads(done.stdout)["categories"])
    return {name: round(100 * statistics.median(one[name]["score"] for one in found), 1) for name in CATEGORIES}


if __name__ == "__main__":
    sys.exit(main())
