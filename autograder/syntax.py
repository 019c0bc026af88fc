"""Syntax trees of Python code, safe to make in several threads, and what of a learner's text is safe to read."""

from __future__ import annotations

import ast
import re
import threading

MAX_CODE = 200_000  # characters, whose syntax tree takes hundreds of times their room
MAX_SEARCHED = 2_000_000  # characters of all text cells, or of all code cells, in which definitions are looked for
MAX_DOTS = 1000  # of a line with imports: Python's parser keeps each beginning of ``a.b.c`` as a name of its own
_DEFINITION = re.compile(r"^(?:(?:async\s+)?def|class)\s+(\w+)|^(\w+)\s*=(?!=)", re.MULTILINE)
_ONE_AT_A_TIME = threading.Lock()


def demand_readable(text: str) -> None:
    """Raises `SyntaxError` for code that takes Python gigabytes or minutes to read, which are the grader's own."""
    if len(text) > MAX_CODE:
        raise SyntaxError(f"more than {MAX_CODE} characters")
    lines = text.replace("\\\n", "").replace("\\\r\n", "").split("\n")
    if any(line.count(".") > MAX_DOTS and "import" in line for line in lines):
        raise SyntaxError(f"an import with more than {MAX_DOTS} dots")


def syntax_tree(text: str) -> ast.Module:
    """`ast.parse`, one at a time: up to Python 3.12 all threads count the depth of their trees in the same place.

    (Two at once raise "SystemError: AST constructor recursion depth mismatch", Python's issue 106905.)
    """
    with _ONE_AT_A_TIME:
        return ast.parse(text)


def defined_names(text: str) -> set[str]:
    """What a piece of code defines at top level, whether or not it is free of syntax errors."""
    return {one or other for one, other in _DEFINITION.findall(text)}
