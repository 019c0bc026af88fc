"""Syntax trees of Python code, safe to make in several threads."""

from __future__ import annotations

import ast
import threading

_ONE_AT_A_TIME = threading.Lock()


def syntax_tree(text: str) -> ast.Module:
    """`ast.parse`, one at a time: up to Python 3.12 all threads count the depth of their trees in the same place.

    (Two at once raise "SystemError: AST constructor recursion depth mismatch", Python's issue 106905.)
    """
    with _ONE_AT_A_TIME:
        return ast.parse(text)
