"""Python that a page shows has lines of at most 80 columns, and is the same program as before."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from textwrap import dedent

import pytest

from autograder.course.addresses import ROOT

pytest.importorskip("sphinx")
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import narrow_code
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document

WIDTH = narrow_code.WIDTH

WIDE = '''
class Scores(Table):
    """Scores of all queries and keys, with the names that the pages of this chapter give them.

    Args:
        q, k: queries ``(B, T_q, d)`` and keys ``(B, T_k, d)`` of any number of sequences, which may be
            one; neither of them is changed.
        names: for each row a name.

    The sources of this chapter write the scores of one query as a column, and we write them as a
    row. Both are common.
    """

    # The table is drawn when it is first looked at, and then kept, for it takes as long as a page.
    drawn = [[1, 0, 0],
             [0, 1, 0]]

    def forward(self, q, k, dropout=None, names=("one", "two"), scale=None, mask=None):
        scores = q @ k.transpose(-2, -1)  # (B, T_q, T_k): all products of a query and a key
        raise ValueError("a text that is longer than any line of a page, which has eighty columns")
'''

NARROW = '''
class Scores(Table):
    """Scores of all queries and keys, with the names that the pages of this
    chapter give them.

    Args:
        q, k: queries ``(B, T_q, d)`` and keys ``(B, T_k, d)`` of any number of
            sequences, which may be one; neither of them is changed.
        names: for each row a name.

    The sources of this chapter write the scores of one query as a column, and
    we write them as a row. Both are common.
    """

    # The table is drawn when it is first looked at, and then kept, for it takes
    # as long as a page.
    drawn = [[1, 0, 0],
             [0, 1, 0]]

    def forward(
        self, q, k, dropout=None, names=("one", "two"), scale=None, mask=None
    ):
        # (B, T_q, T_k): all products of a query and a key
        scores = q @ k.transpose(-2, -1)
        raise ValueError(
            "a text that is longer than any line of a page, which has eighty columns"
        )
'''


def public_objects() -> Iterator[str]:
    """The source of each public function and class of the solutions, as ``literalinclude`` shows it."""
    for file in sorted((ROOT / "solutions").rglob("*.py")):
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        for node in ast.parse("".join(lines)).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                yield "".join(lines[first - 1 : node.end_lineno])


def program(text: str) -> str:
    """The syntax tree, with the words of its docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            node.body[0] = ast.Expr(ast.Constant(" ".join(ast.get_docstring(node).split())))
    return ast.dump(tree)


def comments(text: str) -> Counter[str]:
    """The words of its comments."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(" ".join(token.string.lstrip("#") for token in tokens if token.type == tokenize.COMMENT).split())


def wide_lines(text: str) -> Iterator[str]:
    """Lines with more than 80 columns, without those in which a string or their author forbids another layout."""
    if "# fmt: skip" in text:
        return iter(())
    lines = text.split("\n")
    excused: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and isinstance(getattr(node, "value", ""), str):
            excused |= {row for row in range(node.lineno, node.end_lineno + 1) if '"' in lines[row - 1]}
    return (line for number, line in enumerate(lines, 1) if len(line) > WIDTH and number not in excused)


def test_the_solutions_fit_and_are_the_same_programs():
    sources = list(public_objects())
    shown = narrow_code.laid_out(sources)
    assert sum(old != new for old, new in zip(sources, shown)) > 100
    assert [line for text in shown for line in wide_lines(text)] == []
    for old, new in zip(sources, shown):
        assert program(new) == program(old)
        assert comments(new) == comments(old)
    assert narrow_code.laid_out(shown) == shown


def test_what_is_wide_is_laid_out_and_the_rest_is_left():
    assert narrow_code.laid_out([WIDE]) == [NARROW]


@pytest.mark.parametrize(
    "text",
    [
        "def short(): return [1,2,   3]\n",
        "!pip install " + "package " * 20 + "\n",
        "if x:\n  " + " + ".join(["a_name"] * 20) + "\n  b\n",  # ruff's indents would not fit the others
        "x = 1  # noqa: " + ", ".join(["F401"] * 20) + "\n",
        'TABLE = """\n' + "a wide row of words  # no comment " * 4 + '\n"""\n',
    ],
    ids=["narrow", "no-python", "other-indents", "pragma", "string"],
)
def test_what_stays(text):
    assert narrow_code.laid_out([text]) == [text]


def test_what_a_notebook_needs_stays():
    call = f"figures.draw({', '.join(['argument'] * 12)})"
    (shown,) = narrow_code.laid_out([f"\n%%writefile file.py\n{call};\n"])
    head, magic, *_, last, end = shown.split("\n")
    assert (head, magic, last, end) == ("", "%%writefile file.py", ");", "")
    assert max(map(len, shown.split("\n"))) <= WIDTH


def test_statements_that_share_a_line_get_lines_of_their_own():
    (shown,) = narrow_code.laid_out([f"if a: b = 1; c = 2\nd = {' + '.join(['a_name'] * 20)}\n"])
    assert shown.startswith("if a:\n    b = 1\n    c = 2\nd = (\n")


def test_a_comment_in_brackets_moves_above_its_row():
    given = """
        pairs = [
            (1, 2),  # as it was
            (3, 4),  # a comment that makes this row of the list wider than the column of a page
        ]
        both = (first +
                second)  # a comment that makes the last row of a statement wider than a page
    """
    wanted = """
        pairs = [
            (1, 2),  # as it was
            # a comment that makes this row of the list wider than the column of a page
            (3, 4),
        ]
        # a comment that makes the last row of a statement wider than a page
        both = (first +
                second)
    """
    assert narrow_code.laid_out([dedent(given)]) == [dedent(wanted)]


def test_a_page_shows_the_layout_where_lines_have_no_numbers():
    document = new_document("page", get_default_settings(Parser))
    plain, numbered, marked, in_c = (
        nodes.literal_block(WIDE, WIDE, language=language, **more)
        for language, more in (
            ("python", {"highlight_args": {"linenostart": 3}}),
            ("ipython3", {"linenos": True}),
            ("python", {"highlight_args": {"hl_lines": [2]}}),
            ("c", {}),
        )
    )
    document += [plain, numbered, marked, in_c]
    narrow_code.NarrowCode(document).apply()
    assert [block.astext() for block in (plain, numbered, marked, in_c)] == [NARROW, WIDE, WIDE, WIDE]
    assert plain.rawsource == NARROW, "else Sphinx does not colour it"
