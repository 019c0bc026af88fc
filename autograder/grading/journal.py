"""Results as they come, on disk: a run that was killed continues where it stopped.

One line of JSON per graded submission. A later run reuses a line only for the same file with the same content,
unit, seed and limits, and the same version of the grader; an incomplete line is ignored.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import torch

from autograder.course import addresses
from autograder.judging.results import Submission, pack, unpack
from autograder.sandbox.session import Limits
from autograder.submissions.discovery import Source
from autograder.submissions.files import UnreadableSubmission
from autograder.submissions.notebooks import read_files

try:
    import fcntl
except ImportError:  # Windows: two runs at once are not detected
    fcntl = None  # type: ignore[assignment]

FOLDER = "unfinished"


class JournalError(RuntimeError):
    """The journal cannot be used; the text is one sentence for people."""


class Journal:
    """The results of one run, by submission. Only one process has it open.

    ``keys`` are those of the submissions to grade, ``known`` the results of earlier runs.
    Raises `JournalError` when it cannot be written, or another run has it open.
    """

    def __init__(self, path: Path, keys: Sequence[str]):
        self.path = path
        self.keys = keys
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _open_alone(path)
        except OSError as error:
            raise self._unusable(error) from error
        wanted = set(keys)
        self.known = {key: submission for key, submission in _lines(path) if key in wanted}

    def add(self, key: str, submission: Submission) -> None:
        """Write a result; it is on the disk when this returns."""
        # The first line end closes a line that a killed run, or a full disk, may have left unfinished.
        line = "\n" + json.dumps({"key": key, "submission": pack(submission)}) + "\n"
        try:
            _write_all(self._file, line.encode())
            os.fsync(self._file)
        except OSError as error:
            raise self._unusable(error) from error
        self.known[key] = submission

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def remove(self) -> None:
        """Delete the journal once the run is complete and its reports are written."""
        with contextlib.suppress(OSError):
            self.path.unlink()  # while it is locked: no other run can have opened it
        self.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _unusable(self, error: OSError) -> JournalError:
        if isinstance(error, BlockingIOError):
            return JournalError(
                "Another run is grading the same submissions; wait for it to end, then run the command again."
            )
        return JournalError(
            f"Results cannot be kept in {self.path} ({error.strerror or error}); make room there, or make the "
            "folder writable, and run the same command again: what has been graded so far is not lost."
        )


def journal_for(sources: Sequence[Source], seed: int, limits: Limits, jailed: bool) -> Journal:
    """The journal for exactly these submissions, seed and limits."""
    how = (seed, limits, jailed)
    run = _hash((sorted(str(source.path) for source in sources), *how))[:24]
    keys = [_hash((_identity(source), *how, grader_version())) for source in sources]
    try:
        folder = addresses.state_file().parent
    except OSError as error:
        raise JournalError(f"Results cannot be kept while grading. {error.strerror}.") from error
    return Journal(folder / FOLDER / f"{run}.jsonl", keys)


def _identity(source: Source) -> tuple[str, ...]:
    """The file, its content, and the student and unit found for it."""
    try:
        files = read_files(source.path, source.own_folder)
        inside = hashlib.sha256(files.data).hexdigest() + _hash((files.modules, files.notes))
    except UnreadableSubmission as error:
        inside = str(error)
    return (str(source.path), inside, source.student, source.unit, source.problem, *source.notes)


@lru_cache(maxsize=None)
def grader_version() -> str:
    """A hash of everything that results depend on besides the submission: another version may give other results.

    Every file of the two packages counts, whatever its kind: catalogues and solutions in C, tables of headings.
    """
    python, torch_version = sys.version_info[:2], torch.__version__.partition("+")[0]
    digest = hashlib.sha256(f"{python} {torch_version} {addresses.book_url()}".encode())
    for folder in (addresses.PACKAGE, addresses.PACKAGE.parent / "solutions"):
        for file in sorted(folder.rglob("*")):
            inside = file.relative_to(folder)
            if file.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in inside.parts):
                digest.update(inside.as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _hash(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()


def _open_alone(path: Path) -> int:
    """Open a file to append to, for this process alone; raises `BlockingIOError` when another one has it."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            if fcntl is None:
                return file
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):  # a file system without locks
                    raise
            if os.path.exists(path) and os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # a run that has just ended removed it


def _write_all(file: int, data: bytes) -> None:
    while data:  # a nearly full disk may write only a part
        data = data[os.write(file, data) :]


def _lines(path: Path) -> Iterator[tuple[str, Submission]]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
                entry = json.loads(line)
                yield entry["key"], unpack(entry["submission"])
