"""The code of the catalogue's mistakes stays small: a mistake is what differs from a right program."""

from __future__ import annotations

import ast
import re

import pytest

from autograder.course.addresses import PACKAGE
from autograder.course.registry import COMPLETE

LIMIT = 11_000  # lines of code in all files of mistakes: 26,406 when each was a whole program, of two units fewer


def code_lines(text: str, language: str) -> int:
    """How many lines of a file of mistakes are code: edits with their bases, and programs that are written out."""
    return sum(map(_of_comment_and_program, _c_entries(text))) if language == "c" else len(_python_lines(text))


def _python_lines(text: str) -> set[int]:
    lines = text.split("\n")
    found: set[int] = set()
    top = ast.parse(text).body
    for node in [*top, *(inner for loop in top if isinstance(loop, ast.For) for inner in loop.body)]:
        code: list[ast.AST] = []
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            code = [node]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            code = [*node.value.args[2:], *(word for word in node.value.keywords if word.arg == "base")]
        for part in code:
            found |= {number for number in range(part.lineno, part.end_lineno + 1) if lines[number - 1].strip()}
    return found


def _c_entries(text: str) -> list[tuple[str, str]]:
    parts = re.split(r"^/\* \w+: [\w-]+\n(.*?)\*/\n", text, flags=re.M | re.S)
    return list(zip(parts[1::2], parts[2::2]))


def _of_comment_and_program(entry: tuple[str, str]) -> int:
    comment, program = entry
    fields = re.findall(r"^ \* (\w+):(.*?)(?=^ \* \w+:|\Z)", comment, re.M | re.S)
    code = "".join(f"{key}:{text}" for key, text in fields if key in ("base", "edit"))
    return sum(bool(line.strip(" *")) for line in [*code.split("\n"), *program.split("\n")])


def test_the_code_of_all_mistakes_is_small(record_property):
    sizes = {}
    for unit in COMPLETE:
        path = PACKAGE / "units" / unit.name / f"mistakes.{'c' if unit.language == 'c' else 'py'}"
        sizes[unit.name] = code_lines(path.read_text(encoding="utf-8"), unit.language)
    print("\n".join(f"{size:6,} {name}" for name, size in sizes.items()))
    print(f"{sum(sizes.values()):6,} lines of code in all mistakes, of at most {LIMIT:,}")
    assert all(size > 100 for size in sizes.values())  # or else they were not found
    assert sum(sizes.values()) <= LIMIT


PYTHON = '''
@mistake("a.b", "written-out", section="s", why="One. Two.", hint="Do.")
def b(x):

    return x


mistake(
    "a.b",
    "edits",
    edit("x", "y"),
    edit(
        """
        x

        """,
        "z",
    ),
    base="other",
    section="s",
    why="One. Two.",
    hint="Do.",
)
'''
IN_C = """
#include <math.h>

/* b: written-out
 * why: One. Two.
 * hint: Do.
 */
void b(void) {

}

/* b: edits
 * base: other
 * edit: x  =>  y
 * edit:
 *     x
 * =>
 *     y
 * why: One.
 * Two.
 */
"""


@pytest.mark.parametrize(("text", "language", "lines"), [(PYTHON, "python", 2 + 8), (IN_C, "c", 2 + 6)])
def test_what_counts_as_code(text, language, lines):
    assert code_lines(text, language) == lines
