"""Which pages went stale because of a file that their cells use.

jupyter-cache compares the cells of a page and nothing else, so a page would keep old outputs after a
change in ``solutions/``. Here every page has a fingerprint of the repository's files that its cells
import or name. When it changes, the page is read again, and `execution` runs it again.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
EXTENSION = Path(__file__).parent
UNITS = ROOT / "autograder" / "units"
# The files that an imported name loads when it is called. `{unit}`: on a chapter's page its own unit, since the chapter
# shows no other; on other pages any unit.
LOADED = {
    "autograder.course.catalogue.mistakes": "autograder/units/{unit}/mistakes.*",
    "autograder.course.catalogue.alternatives": "autograder/units/{unit}/alternatives.*",
    "autograder.course.catalogue.reference_module": "solutions/{unit}.py",
    "autograder.course.registry": "autograder/units/*/__init__.py",
    "autograder.judging.runner": "autograder/units/{unit}/checks.py",
    "solutions.translation": "solutions/translator/*.py",
}
EVERYTHING = ("autograder/**/*", "solutions/**/*")
SUFFIXES = {".py", ".c", ".h", ".j2", ".css", ".json"}
CELL = re.compile(r"^(`{3,}|:{3,})\s*\{code-cell\}.*?\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)


def page_cells(text: str) -> list[str]:
    """Source of the code cells of a MyST page, options included as they stand."""
    return [match.group(2) for match in CELL.finditer(text)]


def page_files(page: Path) -> set[Path]:
    """The repository's files that the cells of a page use, directly or through others."""
    unit = page.stem if (UNITS / page.stem).is_dir() else "*"
    found: set[Path] = set()
    waiting = [_python(cell) for cell in page_cells(page.read_text(encoding="utf-8"))]
    while waiting:
        modules, texts = _mentioned(waiting.pop())
        files = {file for module in modules for file in _module_files(module, unit)}
        files |= {file for text in texts for file in _named_file(text)}
        waiting += [file.read_text(encoding="utf-8") for file in files - found if file.suffix == ".py"]
        found |= files
    return found


def fingerprint(files: Iterable[Path]) -> str:
    """One hash of the names and contents of files."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(ROOT)}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def stale_pages(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Sphinx event ``env-get-outdated``: name the pages to read again, and note the fingerprint of each."""
    known: dict[str, str] = getattr(env, "workbook_fingerprints", {})
    fresh = {page: fingerprint(page_files(Path(env.doc2path(page)))) for page in env.found_docs}
    fresh[""] = fingerprint(EXTENSION.glob("*.py"))  # of what makes all pages
    env.workbook_fingerprints = fresh  # type: ignore[attr-defined]
    if known.get("") != fresh[""]:
        return sorted(env.found_docs)
    return sorted(page for page in env.found_docs if known.get(page) != fresh[page])


def _python(cell: str) -> str:
    # Cell options (":tags:", or YAML between "---" lines) and magics are no Python; none imports anything of ours.
    code = re.sub(r"\A---\n.*?^---\n", "", cell, flags=re.MULTILINE | re.DOTALL)
    return "\n".join(line for line in code.splitlines() if not re.match(r"\s*[:%!]", line))


@lru_cache(maxsize=None)  # most pages use the same files, and parsing them all takes seconds
def _mentioned(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """The modules that a piece of Python imports, with the names imported from them, and its strings."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # executing the cell will report it better
        return frozenset(), frozenset()
    modules, texts = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.update([node.module, *(f"{node.module}.{name.name}" for name in node.names)])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
    return frozenset(modules), frozenset(texts)


def _module_files(module: str, unit: str) -> Iterator[Path]:
    package, *rest = module.split(".")
    stem = (ROOT if package in ("autograder", "solutions") else BOOK).joinpath(package, *rest)
    files = [file for file in (stem.with_suffix(".py"), stem / "__init__.py") if file.is_file()]
    yield from files
    if module in LOADED:
        yield from ROOT.glob(LOADED[module].format(unit=unit))
    if package == "autograder" and (not rest or (len(rest) == 1 and not files and not stem.is_dir())):
        for pattern in EVERYTHING:  # `check` and its like load checks, mistakes and solutions by name
            yield from (file for file in ROOT.glob(pattern) if file.suffix in SUFFIXES)


def _named_file(text: str) -> list[Path]:
    """A data file that a cell names relative to the book or the repository, or what was recorded, by its name."""
    if re.fullmatch(r"\w+", text):
        recorded = (BOOK / folder / f"{text}.json" for folder in ("experiments", "measurements"))
        return [file for file in recorded if file.is_file()]
    if not re.fullmatch(r"[\w./-]+\.\w+", text) or text.startswith("/"):
        return []
    candidates = (folder.joinpath(text).resolve() for folder in (BOOK, ROOT))
    return [file for file in candidates if file.is_file() and ROOT in file.parents]
