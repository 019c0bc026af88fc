"""Python that a page shows, laid out in lines of at most 80 columns.

The repository's lines have up to 120 columns, and a box of a page shows 81 to 90. A block with a wider line gets new
line breaks on the page alone: the repository's files and the cells that run keep theirs. In such a block

* ruff lays out each statement that has a wide line; all other statements keep their line breaks;
* a comment at the end of a wide line moves above the line;
* wide comments and docstrings are filled again, and an entry of ``Args:`` continues four columns deeper than its name.

Strings keep their length. A block stays as it is if its lines are numbered or emphasised, or if another layout would
change its syntax tree. The white space of docstrings does not count for that.
"""

from __future__ import annotations

import ast
import importlib.util
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
WIDTH = 80  # columns
PYTHON = {"python", "python3", "py", "ipython", "ipython3"}
HEAD = re.compile(r"\A(?:[ \t]*\n|%%(?:capture|time|writefile)\b.*\n)*")  # what may precede the Python of a cell
FULL = 90  # columns: if a line and the first word of the next one have more, the author broke a sentence there
MARK = re.compile(r"#+[:!]?")
PRAGMA = re.compile(r"# *(?:type|noqa|fmt|ruff|mypy|pragma|pylint)\b")
SECTION = re.compile(r" *(?:Args|Arguments|Attributes|Fields|Raises):$")
ENTRY = re.compile(r" *[*`\w., ]{1,60}?: ")
BULLET = re.compile(r" *((?:[-*•]|\d+[.)]) +)")
ALIGNED = re.compile(r"\S {3,}\S|^ *(?:>>>|\.\.\.) ")  # tables, drawings, examples
# Code, short brackets and short quotations stay in one piece.
WORD = re.compile(r"""(?:``.+?``|`[^`]+`|\([^()]{1,20}\)|(?<!")"[^"]{1,20}"|\S)+""")
QUOTES = ('"""', "'''")
OUTSIDE_STATEMENTS = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class NarrowCode(SphinxTransform):
    """Lays out the Python of a page that Sphinx reads. Sphinx stores the result with the page."""

    default_priority = 600

    def apply(self, **_: object) -> None:
        blocks = [node for node in self.document.findall(nodes.literal_block) if _may_change(node)]
        for node, text in zip(blocks, laid_out(node.astext() for node in blocks)):
            node.rawsource = text  # Sphinx colours only what equals its source
            node.children = []
            node += nodes.Text(text)


def _may_change(node: nodes.literal_block) -> bool:
    has_marks = node.get("linenos") or node.get("highlight_args", {}).get("hl_lines")
    return node.get("language") in PYTHON and not has_marks


def laid_out(texts: Iterable[str], width: int = WIDTH) -> list[str]:
    """Pieces of Python, each in lines of at most so many columns where that is possible."""
    found = list(texts)
    wide: dict[int, str] = {}  # the Python of those that have a wide line
    for index, text in enumerate(found):
        code = HEAD.sub("", text, count=1)
        if _widest(code.split("\n")) > width and _tree(code):
            wide[index] = code
    new = {index: _with_short_texts(code, width) for index, code in wide.items()}
    still = [index for index, code in new.items() if _widest(code.split("\n")) > width]
    for index, formatted in zip(still, _formatted([new[index] for index in still], width)):
        new[index] = _with_short_texts(_with_short_statements(new[index], formatted, width), width)
    for index, code in wide.items():
        if _tree(new[index]) == _tree(code):
            found[index] = found[index].removesuffix(code) + new[index]
    return found


def _widest(rows: Sequence[str]) -> int:
    return max(map(len, rows))


def _tree(text: str) -> str:
    """The syntax tree, written out; empty if this is no Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ""
    for docstring in _docstrings(tree):
        docstring.value = " ".join(docstring.value.split())
    return ast.dump(tree)


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0].value if isinstance(node.body[0], ast.Expr) else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first


# --- statements -------------------------------------------------------------------------------------------------


def _formatted(texts: Sequence[str], width: int) -> list[str]:
    """What ruff makes of each text. One process does all of them."""
    if not texts or not _has_ruff():
        return list(texts)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.py") for number in range(len(texts))]
        for file, text in zip(files, texts):
            file.write_text(text, encoding="utf-8")
        command = ["ruff", "format", "--isolated", "--config", f"line-length={width}", "--quiet", "--no-cache", folder]
        subprocess.run([sys.executable, "-m", *command], check=True)
        return [file.read_text(encoding="utf-8") for file in files]


@lru_cache(maxsize=None)
def _has_ruff() -> bool:
    if importlib.util.find_spec("ruff"):
        return True
    LOGGER.info("ruff is not installed: wide statements keep their line breaks.")
    return False


def _with_short_statements(text: str, formatted: str, width: int) -> str:
    """The text, in which statements with wide lines look as ruff formatted them."""
    old, new = _statements(text), _statements(formatted)
    if len(old) != len(new):  # ruff gave each of several statements on a line a line of its own
        return formatted
    rows, laid = text.split("\n"), formatted.split("\n")
    for (first, last), (start, end) in reversed(list(zip(old, new))):
        given, made = rows[first - 1 : last], laid[start - 1 : end]
        if _widest(given) > width and _widest(made) < _widest(given):
            if given[-1].endswith(";") and not made[-1].endswith(";"):  # in a notebook it hides the value
                made[-1] += ";"
            rows[first - 1 : last] = made
    merged = "\n".join(rows)
    return merged if _tree(merged) else text  # ruff's indents do not fit among others


def _statements(text: str) -> list[tuple[int, int]]:
    """First and last row of each simple statement, and of the head of each compound one."""
    found, first = [], 0
    for token in _tokens(text):
        if token.type == tokenize.NEWLINE:
            found.append((first, token.start[0]))
            first = 0
        elif not first and token.type not in OUTSIDE_STATEMENTS:
            first = token.start[0]
    return found


@lru_cache(maxsize=2)
def _tokens(text: str) -> tuple[tokenize.TokenInfo, ...]:
    return tuple(tokenize.generate_tokens(io.StringIO(text).readline))


# --- comments and docstrings ------------------------------------------------------------------------------------


def _with_short_texts(text: str, width: int) -> str:
    """The text, which has to be Python, with wide comments and docstrings in more lines."""
    rows = text.split("\n")
    instead: dict[int, list[str]] = {}  # of the row with this number
    above: dict[int, list[str]] = {}
    for first, last in _groups_of_comments(text, rows):
        filled = _filled_comment([row.strip() for row in rows[first - 1 : last]], _indent(rows[first - 1]), width)
        instead |= {row: [] for row in range(first, last + 1)} | {first: filled}
    for row, place, comment in _comments_at_ends(text, rows, width):
        above.setdefault(place, []).extend(_filled_comment([comment], _indent(rows[place - 1]), width))
        instead[row] = [rows[row - 1].removesuffix(comment).rstrip()]
    for node in _docstrings(ast.parse(text)):
        first, last = node.lineno, node.end_lineno or node.lineno
        lines = rows[first - 1 : last]
        if lines[0].lstrip().lstrip("rRuU").startswith(QUOTES) and lines[-1].endswith(QUOTES):
            instead |= {row: [] for row in range(first, last + 1)} | {first: _filled(lines, width)}
    return "\n".join(
        line for number, row in enumerate(rows, 1) for line in [*above.get(number, []), *instead.get(number, [row])]
    )


def _groups_of_comments(text: str, rows: list[str]) -> Iterator[tuple[int, int]]:
    """First and last row of each group of comments that have lines of their own, one indent and one mark."""
    group: list[int] = []
    shape = ""
    for token in _tokens(text):
        row, column = token.start
        before = rows[row - 1][:column] if token.type == tokenize.COMMENT else "else"
        if before.strip():
            continue
        if group and (row, before + _mark(token.string)) != (group[-1] + 1, shape):
            yield group[0], group[-1]
            group = []
        group.append(row)
        shape = before + _mark(token.string)
    if group:
        yield group[0], group[-1]


def _comments_at_ends(text: str, rows: list[str], width: int) -> Iterator[tuple[int, int, str]]:
    """The comments at the ends of wide lines: row, the row above which there is room for it, and the comment."""
    starts = [first for first, _ in _statements(text)]
    depth, in_string = 0, set[int]()  # rows that begin within a string
    for token in _tokens(text):
        (row, column), (end, _) = token.start, token.end
        if token.type == tokenize.OP and token.string in "([{":
            depth += 1
        elif token.type == tokenize.OP and token.string in ")]}":
            depth -= 1
        elif token.type != tokenize.COMMENT:
            in_string.update(range(row + 1, end + 1))
        elif len(rows[row - 1]) > width and rows[row - 1][:column].strip() and not PRAGMA.match(token.string):
            inside = depth and row not in in_string
            yield row, row if inside else max(start for start in starts if start <= row), token.string


def _mark(comment: str) -> str:
    return MARK.match(comment)[0]  # type: ignore[index]


def _filled_comment(comments: list[str], indent: int, width: int) -> list[str]:
    mark = _mark(comments[0])
    texts = [comment.removeprefix(mark).removeprefix(" ") for comment in comments]
    before = f"{' ' * indent}{mark} "
    return [(before + text).rstrip() for text in _filled(texts, width - len(before))]


def _filled(lines: list[str], width: int) -> list[str]:
    """Lines of prose in at most so many columns. Paragraphs without a wide line stay as they are."""
    found: list[str] = []
    for paragraph, hang in _paragraphs(lines):
        if hang is None or _widest(paragraph) <= width:
            found += paragraph
        else:
            found += _broken(paragraph, hang, width)
    return found


def _paragraphs(lines: list[str]) -> Iterator[tuple[list[str], int | None]]:
    """Lines that belong together, and by how much deeper than the first the others are; None: not to be changed."""
    paragraph, hang = [lines[0]], _hang(lines[0], section=None)
    section = code = None  # the indents of the heading and of the line ending in "::" under which a line stands
    for line in lines[1:]:
        if hang is not None and _goes_on(paragraph, hang, line):
            paragraph.append(line)
            continue
        yield paragraph, hang
        before, indent = paragraph[-1], _indent(line)
        if before.endswith("::"):
            code = _indent(paragraph[0])
        if line.strip():
            code = code if code is not None and indent > code else None
            section = section if section is not None and indent > section else None
        paragraph, hang = [line], None if code is not None else _hang(line, section)
        if SECTION.match(line):
            section = indent
    yield paragraph, hang


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _hang(line: str, section: int | None) -> int | None:
    if not line.strip() or ALIGNED.search(line):
        return None
    if bullet := BULLET.match(line):
        return len(bullet[1])
    return 4 if section is not None and _indent(line) == section + 4 and ENTRY.match(line) else 0


def _goes_on(paragraph: list[str], hang: int, line: str) -> bool:
    """Whether the line continues the paragraph."""
    words = line.split()
    if not words or words[0] in QUOTES or paragraph[0].strip() in QUOTES or ALIGNED.search(line):
        return False
    if _indent(line) != _indent(paragraph[0]) + hang:
        return False
    if hang:
        return True
    if BULLET.match(line) or SECTION.match(line):
        return False
    before = paragraph[-1]
    return len(f"{before} {words[0]}") > FULL or (words[0][0].islower() and before[-1] not in ".:!?")


def _broken(paragraph: list[str], hang: int, width: int) -> list[str]:
    """A paragraph in lines of at most so many columns. It ends with a lone word only if all else costs a line more."""
    first = " " * _indent(paragraph[0])
    rest = first + " " * hang
    pieces = WORD.findall(" ".join(line.strip() for line in paragraph))
    words = [word for piece in pieces for word in ([piece] if len(rest + piece) <= width else piece.split())]
    best = _greedy(words, first, rest, width)
    for less in range(width - 1, width - 20, -1):
        shorter = _greedy(words, first, rest, less)
        if " " in best[-1].strip() or len(shorter) > len(best):
            break
        best = shorter
    return best


def _greedy(words: list[str], first: str, rest: str, width: int) -> list[str]:
    lines = [first + words[0]]
    for word in words[1:]:
        if len(f"{lines[-1]} {word}") > width:
            lines.append(rest + word)
        else:
            lines[-1] += f" {word}"
    return lines


def setup(app: Sphinx) -> None:
    app.add_transform(NarrowCode)
