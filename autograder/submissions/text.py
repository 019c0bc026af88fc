"""Untrusted text, made safe to store and to show."""

from __future__ import annotations

import os
import re
from pathlib import Path

# Terminal escape sequences (ECMA-48): control sequences, control strings, two-character escapes.
# A sequence stops where another begins, and lengths are bounded: hostile text costs linear time.
_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9b-\x9f]{0,256}(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]{0,4}[0-~]"
)
# What is left of control characters, and the marks that reorder text on the screen.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
_NOT_TEXT = re.compile("[\ud800-\udfff\ufffe\uffff]")  # cannot be encoded, or illegal in XML
_LINE_ENDS = re.compile("\r\n?|[\x85\u2028\u2029]")


def clean(text: object) -> str:
    """Text safe for a terminal, XML and HTML escaping: no control characters but newline and tab."""
    text = _ESCAPES.sub("", str(text))
    text = _LINE_ENDS.sub("\n", text)
    return _NOT_TEXT.sub("\ufffd", _INVISIBLE.sub("", text))


def readable_name(name: str) -> str:
    """A file's or folder's name as people wrote it, whatever the locale of this process.

    Python reads names by the locale. Where that is not UTF-8 (``LC_ALL=C``), other characters stay undecoded bytes,
    which no report can hold. A name that is not UTF-8 either is read as Latin-1.
    """
    try:
        data = os.fsencode(name)
    except UnicodeEncodeError:  # it never came from the file system: a name in a zip file
        return name
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def readable_path(path: Path) -> str:
    """The same for a whole path."""
    return str(Path(*map(readable_name, path.parts)))
