"""Reports of graded work: HTML, terminal, JUnit XML and CSV, all from the data in ``autograder.judging.results``.

One module per format, and nothing in a report is trusted: names, paths and messages come from learners'
files, so every format cleans and escapes them (see ``autograder.reports.common``).
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path

from autograder.reports.common import likely_misconception, one_line

__all__ = ["ReportError", "likely_misconception", "write"]


class ReportError(Exception):
    """A report could not be written; the text is one sentence that says what is wrong and what to do."""


def write(path: str | os.PathLike[str], text: str | bytes) -> None:
    """Write a report whole or not at all: a reader sees the old file or the new one, never half of it.

    Folders are not created. A device or pipe such as ``/dev/stdout`` is written to directly.
    Raises `ReportError` whenever the file could not be written.
    """
    try:
        # A lone surrogate must not cost the whole report.
        data = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
        if _is_stream(path):
            Path(path).write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)  # through a symbolic link, not over it
    except (OSError, ValueError) as error:
        raise ReportError(_sentence(path, error)) from error


def _is_stream(path: str | os.PathLike[str]) -> bool:
    if os.fspath(path).startswith("/dev/"):
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _replace(path: Path, data: bytes) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.exists() and not os.access(path, os.W_OK):  # replacing would not ask for this permission
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        # "x" creates the file with the rights that the user's umask asks for.
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            os.chmod(temporary, stat.S_IMODE(path.stat().st_mode))
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sentence(path: str | os.PathLike[str], error: Exception) -> str:
    folder = os.path.dirname(os.path.abspath(os.fspath(path))) if "\0" not in os.fspath(path) else ""
    number = getattr(error, "errno", None)
    reasons = {
        errno.ENOENT: f"the folder {folder} does not exist; create it first, or give another path",
        errno.ENOTDIR: f"{folder} is not a folder; give another path",
        errno.EISDIR: "it is a folder; give the name of a file in it",
        errno.EACCES: "you may not write there; change the permissions, or give another path",
        errno.EPERM: "you may not write there; change the permissions, or give another path",
        errno.EROFS: "that file system is read-only; give a path on another one",
        errno.ENOSPC: "the disk is full; free some space, or give a path on another disk",
        errno.EDQUOT: "your disk quota is used up; free some space, or give a path on another disk",
        errno.ENAMETOOLONG: "the name is too long; give a shorter one",
    }
    other = getattr(error, "strerror", None) or str(error) or type(error).__name__
    reason = reasons.get(number) if number is not None else None
    return one_line(f"Cannot write {os.fspath(path)!r}: {reason or f'{other}; give another path'}.", 1000)
