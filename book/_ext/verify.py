"""What must be true of the book before and after a build; each problem is one sentence."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from dependencies import page_cells
from lxml import html as markup
from sphinx_external_toc.parsing import parse_toc_yaml

# Attributes through which a browser fetches something by itself (a link to click is no such thing).
FETCHED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}
FETCHING_LINKS = {"stylesheet", "preload", "prefetch", "preconnect", "modulepreload", "icon", "manifest"}
REMOTE = re.compile(r"\s*(https?:)?//", re.IGNORECASE)
REMOTE_IN_CSS = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)


def pages(root: Path) -> list[str]:
    """Names of all pages in the table of contents, for example ``book/index``."""
    return sorted(parse_toc_yaml(root / "_toc.yml"))


def require_sources(root: Path) -> None:
    """Raise `FileNotFoundError` when the table of contents names a page that is not there."""
    missing = [f"{page}.md" for page in pages(root) if not source(root, page).is_file()]
    if missing:
        raise FileNotFoundError(f"_toc.yml names {' and '.join(missing)}, which does not exist.")


def source(root: Path, page: str) -> Path:
    return root / f"{page}.md"


def execution_problems(root: Path) -> list[str]:
    """Cells that raised or ran out of time, each with its page and place."""
    return [_failed_cell(root, page, data) for page, data in sorted(_execution(root).items()) if not data["succeeded"]]


def site_problems(root: Path) -> list[str]:
    """What is missing from the built site, or fetched from elsewhere."""
    html = root / "_build" / "html"
    problems = []
    for page in pages(root):
        file = html / f"{page}.html"
        if not file.is_file():
            problems.append(f"{page}.md was not built: there is no {file.relative_to(root)}.")
            continue
        tree = markup.document_fromstring(file.read_bytes(), parser=markup.HTMLParser(encoding="utf-8"))
        if page_cells(source(root, page).read_text(encoding="utf-8")):
            if page not in _execution(root):
                problems.append(f"{page}.md has code cells that were not executed.")
            elif not tree.find_class("cell_output"):
                problems.append(f"{page}.md has code cells, but the built page shows no output.")
        problems += [f"{page}.html fetches {address} from another site." for address in _remote(tree)]
    for sheet in sorted(html.rglob("*.css")):
        addresses = REMOTE_IN_CSS.findall(sheet.read_text(encoding="utf-8", errors="replace"))
        problems += [f"{sheet.relative_to(html)} fetches {address} from another site." for address in addresses]
    return problems


def _execution(root: Path) -> dict[str, dict]:
    file = root / "_build" / ".book" / "execution.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _failed_cell(root: Path, page: str, data: dict) -> str:
    """For example: ``book/masks.md, cell 3 (line 120, "x = y"): NameError: name 'y' is not defined``."""
    traceback = re.sub(r"\x1b\[[0-9;]*m", "", data["traceback"] or "")
    last = [line for line in traceback.splitlines() if line.strip()] or [str(data["error"])]
    match = re.search(r"^-{10,}\n(.*?)^-{10,}$", traceback, re.MULTILINE | re.DOTALL)
    cell = _as_written(match.group(1).strip()) if match else ""
    place = f"{page}.md{_place(source(root, page).read_text(encoding='utf-8'), cell)}"
    if "Timeout" in str(data["error"]):
        return f"{place}: the cell ran longer than execute.timeout in _config.yml allows."
    return f"{place}: {last[-1].strip()}"


def _as_written(shown: str) -> str:
    """The source of a cell as an error message shows it: a time-out shows a list of its first lines."""
    try:
        lines = ast.literal_eval(shown)
    except (SyntaxError, ValueError):
        return shown
    return "\n".join(lines) if isinstance(lines, list) else shown


def _place(text: str, cell: str) -> str:
    if not cell:
        return ""
    first = cell.splitlines()[0]
    for number, candidate in enumerate(page_cells(text), start=1):
        if cell in candidate:
            line = text[: text.index(candidate) + candidate.index(cell)].count("\n") + 1
            return f', cell {number} (line {line}, "{first}")'
    return f', the cell "{first}"'


def _remote(tree: markup.HtmlElement) -> Iterator[str]:
    for tag in tree.iter("*"):
        yield from (address for address in _fetched(tag) if REMOTE.match(address))
        yield from REMOTE_IN_CSS.findall(tag.get("style", ""))
        if tag.tag == "style":
            yield from REMOTE_IN_CSS.findall("".join(tag.itertext()))


def _fetched(tag: markup.HtmlElement) -> Iterator[str]:
    if tag.tag == "link" and FETCHING_LINKS.intersection(tag.get("rel", "").lower().split()):
        yield tag.get("href", "")
    for attribute in FETCHED.get(tag.tag, ()):
        yield tag.get(attribute, "")
