"""The files of a submission: their kinds and contents, on the disk or in a zip file.

A file in a zip file has a path that goes on behind the zip file's, such as ``ada/homework.zip/attention.ipynb``.
Nothing is unpacked onto the disk, so a zip file can write nowhere. Its table of contents and each file that is read
from it have a limit; a zip file in a zip file is not opened.
"""

from __future__ import annotations

import os
import re
import stat
import struct
import zipfile
import zlib
from functools import lru_cache
from pathlib import Path, PurePosixPath

from autograder.submissions.text import readable_name

SUFFIXES = (".ipynb", ".py", ".c")
NOTEBOOK, ZIP = ".ipynb", ".zip"
MAX_BYTES = 256 * 2**20  # of a file, and of the unpacked files of a learner's zip file
MAX_PACKED = 200  # files to grade in a learner's zip file
_MAX_DIRECTORY = 4 * 2**20  # bytes of a zip file's table of contents: some 50,000 files
_MAX_RATIO = 200  # compression of a large file in a zip file: ten for a notebook, a thousand for a zip bomb
_MAX_DEPTH = 50  # folders around a file in a zip file
_LARGE = 16 * 2**20
_HEAD = 2**16  # bytes that are read to find a file's kind
# Browsers and mail programs append an ending or a number to endings that they do not know.
_ENDING = re.compile(r"(\.(?:ipynb|py|c|zip))(?:[ _]?\(\d{1,3}\))?(?:\.(?:json|txt|download))?$", re.IGNORECASE)
_UNTOLD = ("", ".json", ".txt")  # endings of files that may be notebooks


class UnreadableSubmission(ValueError):
    """A file that cannot be read as a submission; the text is one sentence for people."""


class TooLarge(UnreadableSubmission):
    """A file with more bytes than are read."""


def split(name: str) -> tuple[str, str]:
    """A file's name without its ending, and the kind that the ending stands for: one of `SUFFIXES`, `ZIP` or ``""``."""
    ending = _ENDING.search(name)
    return (name[: ending.start()], ending[1].lower()) if ending else (name, "")


def kind_of(name: str, data: bytes) -> str:
    """A file's kind: by its content if that is clear, else by its name. ``data`` may be only the beginning."""
    if data.startswith((b"PK\3\4", b"PK\5\6")):
        return ZIP
    kind = split(name)[1]
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"{") and (b'"cells"' in head or b'"nbformat"' in head):
        return NOTEBOOK
    return "" if kind == ZIP else kind


def kind_on_disk(path: Path) -> str:
    """The kind of a file on the disk, whose name may not show it."""
    name = readable_name(path.name)
    kind = split(name)[1]
    untold = kind == ZIP or (not kind and os.path.splitext(name)[1].lower() in _UNTOLD)
    if untold and os.path.isfile(path) and not path.is_symlink():
        try:
            with path.open("rb") as file:
                return kind_of(name, file.read(_HEAD)) or kind
        except OSError:
            return kind
    return kind


def content(path: Path, most: int = MAX_BYTES) -> bytes:
    """The bytes of a submission's file, if they are not too many; raises `UnreadableSubmission`.

    A symbolic link is not followed: a submission is what its author wrote, not a file of someone else.
    """
    try:
        archive = _archive_around(path)
        return _read_regular_file(path, most) if archive is None else _read_packed(archive, path, most)
    except OSError as error:
        raise UnreadableSubmission(f"{readable_name(path.name)} cannot be read: {error.strerror or error}.") from error


def python_files_beside(path: Path) -> list[Path]:
    """The other Python files in the folder of a file, on the disk or in a zip file; raises `UnreadableSubmission`."""
    archive = _archive_around(path)
    if archive is None:
        found = list(path.parent.glob("*.py"))
    else:
        found = [archive.joinpath(*parts) for parts in packed(archive) if parts[-1].endswith(".py")]
    return [file for file in found if file.parent == path.parent and file != path]


def _archive_around(path: Path) -> Path | None:
    """The zip file that a file is in."""
    return None if os.path.lexists(path) else next(filter(os.path.isfile, path.parents), None)


def _read_regular_file(path: Path, most: int) -> bytes:
    _demand_regular_file(path)
    if path.stat().st_size > most:
        raise TooLarge(
            f"{readable_name(path.name)} is larger than {most // 2**20} MB; clear its outputs and save it again."
        )
    return path.read_bytes()


def _demand_regular_file(path: Path) -> None:
    name = readable_name(path.name)
    if not path.is_file():
        raise UnreadableSubmission(f"{name} is not a regular file.")
    if path.is_symlink():
        raise UnreadableSubmission(f"{name} is a symbolic link, which is not followed: submit the file itself.")


# --- zip files ----------------------------------------------------------------------------------------


def packed(path: Path) -> list[tuple[str, ...]]:
    """The files in a zip file, each as the names of its folders and its own; raises `UnreadableSubmission`."""
    try:
        return list(_table(path))
    except OSError as error:
        raise UnreadableSubmission(f"{readable_name(path.name)} cannot be read: {error.strerror or error}.") from error


def demand_small(path: Path, inside: list[tuple[str, ...]]) -> None:
    """Raises `UnreadableSubmission` if these files of a learner's zip file are too many or too large to look into."""
    table = _table(path)
    size = sum(table[parts].file_size for parts in inside)
    if len(inside) > MAX_PACKED or size > MAX_BYTES:
        raise UnreadableSubmission(
            f"{readable_name(path.name)} holds {len(inside)} notebooks and code files with {size // 2**20} MB: at most "
            f"{MAX_PACKED} and {MAX_BYTES // 2**20} MB are taken from a zip file. Zip the notebook alone."
        )


def _table(path: Path) -> dict[tuple[str, ...], zipfile.ZipInfo]:
    return _opened(path)[1]


def _opened(path: Path) -> tuple[zipfile.ZipFile, dict[tuple[str, ...], zipfile.ZipInfo]]:
    _demand_regular_file(path)
    about = path.stat()
    return _open(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=4)
def _open(path: Path, *_version: int) -> tuple[zipfile.ZipFile, dict[tuple[str, ...], zipfile.ZipInfo]]:
    """A zip file and its table of contents, kept while its files are read one by one."""
    name = readable_name(path.name)
    if _size_of_directory(path) > _MAX_DIRECTORY:
        raise UnreadableSubmission(f"{name} holds too many files; zip the notebooks alone.")
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise UnreadableSubmission(f"{name} is no zip file, or it is damaged; upload it again.") from error
    table = {}
    for info in archive.infolist():
        parts = PurePosixPath(info.filename.replace("\\", "/")).parts
        parts = parts[1:] if parts[:1] == ("/",) else parts
        if 0 < len(parts) <= _MAX_DEPTH and not info.is_dir() and ".." not in parts:
            table[parts] = info
    return archive, table


def _size_of_directory(path: Path) -> int:
    """Bytes of the table of contents, which the library reads as a whole; too many where the file does not say."""
    with path.open("rb") as file:
        file.seek(-min(path.stat().st_size, 22 + 2**16), os.SEEK_END)
        tail = file.read()
    end = tail.rfind(b"PK\5\6")
    if end < 0 or end + 22 > len(tail):
        return 0  # `zipfile` will report that it is no zip file
    if b"PK\6\7" in tail[max(end - 20, 0) : end]:  # Zip64, which stores the size in another record
        return _MAX_DIRECTORY + 1
    return struct.unpack_from("<L", tail, end + 12)[0]


def _read_packed(archive_path: Path, path: Path, most: int) -> bytes:
    archive, table = _opened(archive_path)
    name = f"{readable_name(path.name)} in {readable_name(archive_path.name)}"
    info = table.get(path.relative_to(archive_path).parts)
    if info is None:
        raise UnreadableSubmission(f"{name} is not there.")
    if info.create_system == 3 and stat.S_ISLNK(info.external_attr >> 16):
        raise UnreadableSubmission(f"{name} is a symbolic link, which is not followed: zip the file itself.")
    if info.flag_bits & 1:
        raise UnreadableSubmission(f"{name} is protected by a password; zip it without one.")
    # The read limit holds only for these methods: with others, `zipfile` unpacks more than requested.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableSubmission(f"{name} is packed in a way that is not read here; zip it with another program.")
    bomb = info.file_size > _LARGE and info.file_size > _MAX_RATIO * info.compress_size
    if info.file_size > most or bomb:
        raise TooLarge(
            f"{name} would unpack to {info.file_size // 2**20} MB; clear its outputs, save it and zip it again."
        )
    try:
        return archive.read(info)
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, zlib.error) as error:
        raise UnreadableSubmission(f"{name} is damaged; zip it and upload it again.") from error
