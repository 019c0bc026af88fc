"""The statement of a cell to drop for a syntax error: the other statements are run, and read, without it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

# The first line of a top-level statement.
_BEGINNING = re.compile(r"(?![\s)\]}#]|(?:else|elif|except|finally)\b).")


def blamed(lines: Sequence[str], error: SyntaxError) -> slice:
    """The lines of the top-level statement that is to blame for an error."""
    starts = [
        number
        for number, line in enumerate(lines, 1)
        if _BEGINNING.match(line) and not (number > 1 and lines[number - 2].startswith("@"))
    ]
    told = re.search(r"\bon line (\d+)$", error.msg or "")  # "expected an indented block after … on line 3"
    number = int(told[1]) if told else error.lineno or 1
    position = bisect_right(starts, number)
    if (error.msg or "").startswith("expected 'except'") and number in starts:  # reported at the next statement
        position -= 1
    borders = [1, *starts, len(lines) + 1]
    return slice(borders[position] - 1, borders[position + 1] - 1)
