"""Source code as text: syntax trees of Python, safe to make in several threads, and the kernels of a file in C."""

from __future__ import annotations

import ast
import re
import threading

_ONE_AT_A_TIME = threading.Lock()
# A comment that stands right above it, then the function up to the brace in column 1.
_KERNEL = re.compile(r"^(?:/\*(?:[^*]|\*(?!/))*\*/\n)?void (\w+)\(.*?^\}$", re.MULTILINE | re.DOTALL)


def syntax_tree(text: str) -> ast.Module:
    """`ast.parse`, one at a time: up to Python 3.12 all threads count the depth of their trees together.

    (Two at once raise "SystemError: AST constructor recursion depth mismatch", Python's issue 106905.)
    """
    with _ONE_AT_A_TIME:
        return ast.parse(text)


def remove_docstrings(tree: ast.AST) -> None:
    """Take the docstrings out of all functions and classes of a tree, in place; the lines keep their numbers."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]


def kernels_of(text: str) -> dict[str, str]:
    """The functions of one of the course's own files in C, each with the comment above it."""
    return {match.group(1): match.group() for match in _KERNEL.finditer(text)}
