"""Whether a learner's text is safe to parse, and the names that it defines."""

from __future__ import annotations

import re

MAX_CODE = 200_000  # characters; the syntax tree takes hundreds of times their memory
MAX_SEARCHED = 2_000_000  # characters of all text cells, or of all code cells, that are searched for definitions
MAX_DOTS = 1000  # in a line with imports: Python's parser stores every prefix of ``a.b.c`` as a name
_DEFINITION = re.compile(r"^(?:(?:async\s+)?def|class)\s+(\w+)|^(\w+)\s*=(?!=)", re.MULTILINE)


def demand_readable(text: str) -> None:
    """Raises `SyntaxError` for code that would cost the grader gigabytes or minutes to parse."""
    if len(text) > MAX_CODE:
        raise SyntaxError(f"more than {MAX_CODE} characters")
    lines = text.replace("\\\n", "").replace("\\\r\n", "").split("\n")
    if any(line.count(".") > MAX_DOTS and "import" in line for line in lines):
        raise SyntaxError(f"an import with more than {MAX_DOTS} dots")


def defined_names(text: str) -> set[str]:
    """The names that a piece of code defines at top level, even if it has syntax errors."""
    return {one or other for one, other in _DEFINITION.findall(text)}
