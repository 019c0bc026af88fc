"""Which pages went stale because of a file that their cells use.

jupyter-cache compares the cells of a page and nothing else, so a page would keep old outputs after a
change in ``solutions/``. Here every page has a fingerprint of the repository's files that its cells
import or name; when it changes, the cached run of that page is dropped and the page is read again.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from jupyter_cache import get_cache
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
EXTENSION = Path(__file__).parent
AUTOGRADER = ("autograder/**/*.py", "autograder/**/*.j2", "autograder/**/*.css", "solutions/*.py")
MISTAKES = ROOT / "autograder" / "mistakes"
CELL = re.compile(r"^(`{3,}|:{3,})\s*\{code-cell\}.*?\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)


def page_cells(text: str) -> list[str]:
    """Source of the code cells of a MyST page, options included as they stand."""
    return [match.group(2) for match in CELL.finditer(text)]


def page_files(page: Path) -> set[Path]:
    """The repository's files that the cells of a page use, directly or through others."""
    found: set[Path] = set()
    waiting = [file for cell in page_cells(page.read_text(encoding="utf-8")) for file in _uses(_parse_cell(cell))]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        if file.suffix == ".py":
            waiting += _uses_of(file.read_text(encoding="utf-8"))
    if any(MISTAKES.glob(f"{page.stem}.*")):  # a unit's chapter shows its own mistakes and no others
        found = {file for file in found if file.parent != MISTAKES or file.stem == page.stem}
    return found


def fingerprint(files: Iterable[Path]) -> str:
    """One hash of the names and contents of files."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(ROOT)}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def stale_pages(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Sphinx event ``env-get-outdated``: drop stale cached runs and name the pages to read again."""
    known = _load(app)
    extension = fingerprint(EXTENSION.glob("*.py"))
    fresh: dict[str, str] = {"": extension}
    stale = []
    for page in sorted(env.found_docs):
        source = Path(env.doc2path(page))
        fresh[page] = fingerprint(page_files(source))
        if known.get(page) != fresh[page]:
            _drop_cached(app, source)
            stale.append(page)
    app.workbook_fingerprints = fresh  # type: ignore[attr-defined]
    return stale if known.get("") == extension else sorted(env.found_docs)


def save_fingerprints(app: Sphinx, exception: Exception | None) -> None:
    """Sphinx event ``build-finished``: remember the fingerprints of what was built."""
    fresh = getattr(app, "workbook_fingerprints", None)
    if exception is None and fresh is not None:
        _state_file(app).parent.mkdir(parents=True, exist_ok=True)
        _state_file(app).write_text(json.dumps(fresh, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _state_file(app: Sphinx) -> Path:
    return Path(app.outdir).parent / ".book" / "dependencies.json"


def _load(app: Sphinx) -> dict[str, str]:
    try:
        return json.loads(_state_file(app).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def _drop_cached(app: Sphinx, page: Path) -> None:
    cache = get_cache(str(app.config.nb_execution_cache_path or Path(app.outdir).parent / ".jupyter_cache"))
    own = page.relative_to(ROOT).parts
    for record in cache.list_cache_records():
        if Path(record.uri).parts[-len(own) :] == own:  # the cache may come from another copy of the repository
            cache.remove_cache(record.pk)


def _parse_cell(cell: str) -> ast.AST:
    # Cell options (":tags:", or YAML between "---" lines) and magics are no Python; none imports anything of ours.
    code = re.sub(r"\A---\n.*?^---\n", "", cell, flags=re.MULTILINE | re.DOTALL)
    return _parse("\n".join(line for line in code.splitlines() if not re.match(r"\s*[:%!]", line)))


def _parse(source: str) -> ast.AST:
    try:
        return ast.parse(source)
    except SyntaxError:  # executing the cell will report it better
        return ast.Module(body=[], type_ignores=[])


@lru_cache(maxsize=None)
def _uses_of(source: str) -> list[Path]:
    """`_uses` of a whole file; most pages use the same ones, and parsing them all takes seconds."""
    return _uses(_parse(source))


def _uses(tree: ast.AST) -> list[Path]:
    """Files of the repository that a piece of Python imports or names in a string."""
    files: list[Path] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            files += _named_file(node.value)
        else:
            for module in _imported(node):
                files += _module_files(module)
    return files


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module
        yield from (f"{node.module}.{name.name}" for name in node.names)


def _module_files(module: str) -> list[Path]:
    package = module.partition(".")[0]
    if package == "autograder":
        return _autograder_files(ROOT.joinpath(*module.split(".")))
    folder = ROOT if package == "solutions" else BOOK
    stem = folder.joinpath(*module.split("."))
    return [file for file in (stem.with_suffix(".py"), stem / "__init__.py") if file.is_file()]


def _autograder_files(stem: Path) -> list[Path]:
    if stem.parent.with_suffix(".py").is_file():  # a name in a module, which was seen already
        return []
    if not stem.with_suffix(".py").is_file():  # `check` and its like load checks, mistakes and solutions by name
        return [file for pattern in AUTOGRADER for file in ROOT.glob(pattern)]
    catalogue = [*MISTAKES.glob("*.py"), *MISTAKES.glob("*.c")] if stem.name == "catalogue" else ()  # by name
    return [stem.with_suffix(".py"), *catalogue]


def _named_file(text: str) -> list[Path]:
    """A data file that a cell names relative to the book or the repository, or what was recorded, by its name."""
    if re.fullmatch(r"\w+", text):
        recorded = (BOOK / folder / f"{text}.json" for folder in ("experiments", "measurements"))
        return [file for file in recorded if file.is_file()]
    if not re.fullmatch(r"[\w./-]+\.\w+", text) or text.startswith("/"):
        return []
    candidates = (folder.joinpath(text).resolve() for folder in (BOOK, ROOT))
    return [file for file in candidates if file.is_file() and ROOT in file.parents]
