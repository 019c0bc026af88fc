"""What of a learner's text is safe to read, and what it defines."""

from __future__ import annotations

import re

MAX_CODE = 200_000  # characters, whose syntax tree takes hundreds of times their room
MAX_SEARCHED = 2_000_000  # characters of all text cells, or of all code cells, in which definitions are looked for
MAX_DOTS = 1000  # of a line with imports: Python's parser keeps each beginning of ``a.b.c`` as a name of its own
_DEFINITION = re.compile(r"^(?:(?:async\s+)?def|class)\s+(\w+)|^(\w+)\s*=(?!=)", re.MULTILINE)


def demand_readable(text: str) -> None:
    """Raises `SyntaxError` for code that takes Python gigabytes or minutes to read, which are the grader's own."""
    if len(text) > MAX_CODE:
        raise SyntaxError(f"more than {MAX_CODE} characters")
    lines = text.replace("\\\n", "").replace("\\\r\n", "").split("\n")
    if any(line.count(".") > MAX_DOTS and "import" in line for line in lines):
        raise SyntaxError(f"an import with more than {MAX_DOTS} dots")


def defined_names(text: str) -> set[str]:
    """What a piece of code defines at top level, whether or not it is free of syntax errors."""
    return {one or other for one, other in _DEFINITION.findall(text)}
