"""Results as they come, on disk: a run that was killed goes on where it stopped.

One line of JSON per graded submission. A line is taken over by a later run only for the same file with the same
content, unit, seed and limits, graded by the same grader; a line that was cut off by the kill is ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import IO

from autograder import state
from autograder.process import Limits
from autograder.report import Submission, pack, unpack
from autograder.settings import PACKAGE
from autograder.submission import Source

FOLDER = "unfinished"


class JournalError(RuntimeError):
    """The journal cannot be written; the text is one sentence for people."""


class Journal:
    """The results of one run, by submission. Only one process writes to it."""

    def __init__(self, path: Path):
        self.path = path
        self._file: IO[str] | None = None
        self.known = dict(_lines(path))

    def add(self, key: str, submission: Submission) -> None:
        """Write a result; it is on the disk when this returns."""
        try:
            if self._file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self.path.open("a", encoding="utf-8")
                if self.path.stat().st_size:
                    self._file.write("\n")  # ends a line that a killed run may have left unfinished
            self._file.write(json.dumps({"key": key, "submission": pack(submission)}) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise JournalError(
                f"Results cannot be kept in {self.path} ({error.strerror}): make room or the folder writable, and "
                "run the same command again; what has been graded so far is not lost."
            ) from error
        self.known[key] = submission

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """The run is complete, and its reports are written."""
        self.close()
        self.path.unlink(missing_ok=True)


def journal_for(sources: Iterable[Source], seed: int, limits: Limits) -> Journal:
    """The journal of grading just these submissions in just this way."""
    run = hashlib.sha256(repr((sorted(str(source.path) for source in sources), seed, limits)).encode()).hexdigest()[:24]
    return Journal(state.state_file().parent / FOLDER / f"{run}.jsonl")


def key_of(source: Source, seed: int, limits: Limits) -> str:
    """Identifies one result: the file and its content, how it is graded, and by which grader."""
    try:
        content = hashlib.sha256(source.path.read_bytes()).hexdigest()
    except OSError as error:
        content = type(error).__name__
    parts = (str(source.path), content, source.student, source.unit, source.problem, seed, limits, grader_version())
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@lru_cache(maxsize=None)
def grader_version() -> str:
    """A hash of the grader's and the solutions' code: another grader may give other results."""
    digest = hashlib.sha256()
    for folder in (PACKAGE, PACKAGE.parent / "solutions"):
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _lines(path: Path) -> Iterable[tuple[str, Submission]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            entry = json.loads(line)
            yield entry["key"], unpack(entry["submission"])
        except (ValueError, KeyError, TypeError):
            continue
