"""Reading the code out of a submission, however it arrives.

A notebook is read as JSON, not through a schema: lost metadata, missing or duplicate cell ids and old
formats do not matter, since tasks are found by the names that the code defines.
"""

from __future__ import annotations

import ast
import codecs
import contextlib
import io
import json
import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.course.source import syntax_tree
from autograder.submissions.demonstrations import is_unchanged, left_out
from autograder.submissions.files import (
    NOTEBOOK,
    ZIP,
    TooLarge,
    UnreadableSubmission,
    content,
    kind_of,
    python_files_beside,
)
from autograder.submissions.syntax import MAX_CODE, MAX_SEARCHED, demand_readable
from autograder.submissions.text import readable_name

MAX_PARTS = 2_000_000  # lists and objects in a notebook's JSON: each takes some twenty times the room of its text
MAX_VALUES = 10_000_000  # items of all lists and objects together: sixty bytes each
MAX_KEYS = 2_000_000  # keys of the objects: parsing more takes seconds, during which no other submission is graded
MAX_CELLS = 10_000
MAX_MODULES = 50  # Python files beside a submission's
MAX_MODULES_BYTES = 1_000_000  # of all these modules together
MAX_SOURCE = 4 * MAX_CODE  # bytes: a longer file has more characters than that, in every encoding
MAX_LINES = 10_000  # each piece of a Python file is padded with one empty line for every line before it

# Encodings that a Python file may declare: Python's others take seconds, or do not encode text.
_ENCODINGS = {
    *(f"iso8859-{number}" for number in range(1, 17) if number != 12),
    *(f"cp{number}" for number in (437, 850, 852, 866, 932, 936, 949, 950, *range(1250, 1259))),
    *("ascii", "big5", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk", "koi8-r", "koi8-u", "mac-roman", "shift_jis"),
}


@dataclass
class Code:
    """The code cells of a submission (empty: not to be run), its text cells, and notes on what was corrected.

    ``modules``: the texts, by name, of the modules beside its file, from which cells may import.
    """

    cells: list[str]
    prose: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    modules: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Files:
    """What was handed in: the bytes of a submission's file, the modules beside it, and notes on those left out."""

    data: bytes
    modules: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def code(self, path: Path) -> Code:
        """The code in these files, if the submission's file has this name; raises `UnreadableSubmission`."""
        code = parse(self.data, path)
        return replace(code, modules=self.modules, notes=[*code.notes, *self.notes])


def read(path: Path) -> Code:
    """The code of a notebook or a Python file that has its folder to itself; raises `UnreadableSubmission`."""
    return read_files(path, own_folder=True).code(path)


def read_files(path: Path, own_folder: bool) -> Files:
    """A submission's file and, in a folder of its own, the modules beside it; raises `UnreadableSubmission`."""
    data = content(path)
    return Files(data, *modules_beside(path)) if own_folder else Files(data)


def modules_beside(path: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """The texts of the Python files in a submission's folder, by name, and notes on those that are left out."""
    modules, notes, room = dict[str, str](), list[str](), MAX_MODULES_BYTES
    files = sorted(file for file in python_files_beside(path) if file.stem.isidentifier())
    for file in files[:MAX_MODULES]:
        try:
            data = content(file, room)
        except TooLarge:
            why = f"All such files together may have {MAX_MODULES_BYTES:,} bytes."
        except UnreadableSubmission as error:
            why = str(error)
        else:
            modules[file.stem] = decode(data)
            room -= len(data)
            continue
        notes.append(f"{file.name} beside the notebook cannot be imported. {why}")
    if len(files) > MAX_MODULES:
        notes.append(f"Of {len(files)} Python files beside the notebook, only the first {MAX_MODULES} can be imported.")
    return modules, tuple(notes)


def parse(data: bytes, path: Path) -> Code:
    """The code in the bytes of a file of this name; raises `UnreadableSubmission`."""
    name = readable_name(path.name)
    kind = kind_of(name, data)
    if kind == NOTEBOOK:
        return read_notebook(data, name)
    if kind == ZIP:
        raise UnreadableSubmission(f"{name} is a zip file: give it the ending .zip, or unpack it.")
    text = _decode_source(data[: MAX_SOURCE + 1])
    if kind == ".c":
        return read_c(text, name)
    if len(text) > MAX_CODE or max(text.count("\n"), text.count("\r")) > MAX_LINES:
        raise UnreadableSubmission(
            f"{name} is too long: at most {MAX_LINES:,} lines and {MAX_CODE:,} characters of Python are graded."
        )
    return Code(split_python(text))


def read_c(text: str, name: str) -> Code:
    """A C file, as the cell of a notebook that holds it."""
    if len(text) > MAX_CODE:
        raise UnreadableSubmission(f"{name} is too long: at most {MAX_CODE:,} characters of C are graded.")
    label = re.sub(r"[^\w.-]", "_", name)
    return Code([f"%%c {label}\n{text}"])


def read_notebook(data: bytes, name: str = "The notebook") -> Code:
    """The cells of a notebook of any format version."""
    if not data.strip():
        raise UnreadableSubmission(f"{name} is empty (0 bytes of content); upload it again.")
    parts, values, keys = data.count(b"[") + data.count(b"{"), data.count(b","), data.count(b":")
    if parts > MAX_PARTS or values > MAX_VALUES or keys > MAX_KEYS:
        raise UnreadableSubmission(f"{name} has too many parts; clear its outputs and save it again.")
    try:
        document = json.loads(decode(data))
    except (ValueError, RecursionError) as error:
        raise UnreadableSubmission(
            f"{name} is not a notebook ({_why_not_json(data, error)}); download it again as .ipynb."
        ) from error
    cells = cells_of(document)
    if cells is None:
        raise UnreadableSubmission(f"{name} is JSON, but not a notebook (it has no list of cells).")
    if len(cells) > MAX_CELLS:
        raise UnreadableSubmission(f"{name} has {len(cells):,} cells: at most {MAX_CELLS:,} are graded.")
    code, shown, searched = Code([]), [], 0
    for cell in cells:
        if not isinstance(cell, dict):
            continue
        text = source_text(cell)
        if cell.get("cell_type") == "code":
            code.cells.append(text)
            shown.append(is_unchanged(cell.get("metadata"), text))
            continue
        searched += len(text)
        if searched <= MAX_SEARCHED and (names := _definitions(text)):
            code.cells.append(text)
            shown.append(False)
            what = ", ".join(f"`{name}`" for name in names)
            code.notes.append(
                f"The definition of {what} stands in a text (Markdown) cell. It was run as code this time; "
                "change the cell's type to code, or it never runs for you."
            )
        else:
            code.prose.append(text)
    code.cells = left_out(code.cells, shown)
    return code


def _definitions(text: str) -> list[str]:
    """The definitions in a text cell that is entirely Python: probably a code cell whose type was changed."""
    if not re.search(r"^(async def|def|class)\b", text, re.MULTILINE):
        return []
    try:
        demand_readable(text)
        body = syntax_tree(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))]


def cells_of(document: object) -> list | None:
    """The cells of a notebook of any format version, as they are; ``None`` when it is no notebook."""
    if not isinstance(document, dict):
        return None
    if isinstance(document.get("cells"), list):
        return document["cells"]
    sheets = document.get("worksheets")  # notebook format 3 and older
    if isinstance(sheets, list):
        parts = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        return [cell for part in parts if isinstance(part, list) for cell in part]
    return None


def source_text(cell: dict) -> str:
    """The text of a cell of any format version."""
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        return "".join(part for part in source if isinstance(part, str))
    return source if isinstance(source, str) else ""


def decode(data: bytes, encoding: str = "latin-1") -> str:
    """UTF-8 (with or without a mark), UTF-16 with a mark, else the given encoding."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(encoding)


def _decode_source(data: bytes) -> str:
    """A Python or C file of bounded size, which may declare one of the usual encodings."""
    with contextlib.suppress(SyntaxError, LookupError, UnicodeError):
        declared, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if codecs.lookup(declared).name in _ENCODINGS:
            return decode(data, declared)
    return decode(data)


def _why_not_json(data: bytes, error: Exception) -> str:
    if b"<<<<<<<" in data and b">>>>>>>" in data:
        return "it holds the marks of an unresolved merge conflict"
    if data.lstrip()[:1] == b"<":
        return "it is a web page"
    if isinstance(error, json.JSONDecodeError):
        return f"its JSON breaks off or is damaged at line {error.lineno}"
    return "its JSON is damaged"


def split_python(text: str) -> list[str]:
    """A Python file in pieces that are executed one by one, so that one that fails does not lose the others.

    The pieces are the file's ``# %%`` cells where it has any, else its top-level statements; in a file with a
    syntax error, its blocks, as far as they can be told apart.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    try:
        demand_readable(text)
        statements = syntax_tree(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _percent_cells(text) or _blocks(text)
    return _percent_cells(text) or _statements(text, statements)


def _percent_cells(text: str) -> list[str]:
    """The cells of a file that has any: they begin at a comment ``# %%``."""
    if not re.search(r"^# ?%%", text, re.MULTILINE):
        return []
    return [piece for piece in re.split(r"^(?=# ?%%)", text, flags=re.MULTILINE) if piece.strip()]


def _statements(text: str, statements: Sequence[ast.stmt]) -> list[str]:
    """One piece for each top-level statement; those that share a line stay together."""
    spans: list[tuple[int, int]] = []
    for node in statements:
        start = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        end = node.end_lineno or start
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    lines = text.split("\n")  # Python's line count: splitlines() splits at more characters
    return [_keep_line_numbers(lines, start, end) for start, end in spans]


def _blocks(text: str) -> list[str]:
    """Pieces that begin at an unindented ``def``, ``class``, decorator or import; line numbers are kept."""
    lines = text.split("\n")
    starts = [
        number for number, line in enumerate(lines, 1) if re.match(r"(async def|def|class|import|from|@)\b|@", line)
    ]
    starts = [start for start in starts if start == 1 or not lines[start - 2].startswith("@")]
    borders = sorted({1, *starts, len(lines) + 1})
    return [_keep_line_numbers(lines, start, end - 1) for start, end in zip(borders, borders[1:])]


def _keep_line_numbers(lines: Sequence[str], first: int, last: int) -> str:
    return "\n" * (first - 1) + "\n".join(lines[first - 1 : last]) + "\n"
