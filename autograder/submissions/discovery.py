"""Finding the submissions in files and folders: whose each is, and of which unit."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course.registry import BY_NAME

SUFFIXES = (".ipynb", ".py", ".c")
_SKIPPED_FOLDERS = {"__pycache__", "__MACOSX", "node_modules"}


@dataclass(frozen=True)
class Source:
    """One file to grade, whose it is and of which unit; ``problem`` when it is clear already that it cannot be.

    ``own_folder``: all that lies in the file's folder is of the same learner.
    """

    path: Path
    student: str
    unit: str
    problem: str = ""
    own_folder: bool = False


def need_compiler(sources: Iterable[Source]) -> bool:
    """Whether any is of a unit whose code makes torch import its compiler."""
    return any(source.unit in BY_NAME and BY_NAME[source.unit].compiler for source in sources)


def discover(paths: Iterable[Path], unit: str | None = None, ignored: list[Path] | None = None) -> list[Source]:
    """The submissions under the given files and folders, each with its student and unit.

    A folder called like a unit holds one learner's work on it (``STUDENT/UNIT/…``): its file of the unit's
    name counts, or its only notebook; several files without that name are taken one by one. Any other file is
    a submission of its own. Hidden folders, checkpoints and files of other kinds are ignored; files of these kinds
    whose unit cannot be told are added to ``ignored``.
    """
    ignored = [] if ignored is None else ignored
    found: list[Source] = []
    for path in paths:
        absolute = Path(os.path.abspath(path))
        found += _in_folder(absolute, unit, ignored) if absolute.is_dir() else [_file(absolute, unit)]
    unique = {(source.path, source.unit): source for source in found}
    return _without_shared_folders(unique.values())


def _without_shared_folders(sources: Collection[Source]) -> list[Source]:
    """The same, where a folder in which several learners' files lie is nobody's own."""
    learners: dict[Path, set[str]] = {}
    for source in sources:
        learners.setdefault(source.path.parent, set()).add(source.student)
    return [
        replace(source, own_folder=source.own_folder and len(learners[source.path.parent]) == 1) for source in sources
    ]


def _in_folder(folder: Path, unit: str | None, ignored: list[Path]) -> list[Source]:
    found: list[Source] = []
    passed: dict[Path, Path] = {}
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS and not name.startswith("."))
        here = Path(root)
        files = sorted(here / name for name in names if name.endswith(SUFFIXES) and not name.startswith((".", "~")))
        name, owner = _unit_name(here), here
        if here.parent in passed:  # the one folder in a unit's folder: what is in it belongs to that
            owner = passed[here.parent]
            name = _unit_name(owner)
        if name and not files and len(folders) == 1:
            passed[here] = owner
        elif name:
            if unit in (None, name):
                found += _of_unit_folder(here, files, folders, name, student_of(owner))
        else:
            told = [file for file in files if unit or unit_of(file)]
            found += [_file(file, unit, shared=len(files) > 1 or here == folder) for file in told]
            ignored += [file for file in files if file not in told]
    if not found:
        wanted = f" of unit {unit}" if unit else ""
        found.append(
            Source(
                folder,
                folder.name,
                unit or "",
                f"There is no submission{wanted} in {folder} (looked for {', '.join(SUFFIXES)}).",
            )
        )
    return found


def _of_unit_folder(folder: Path, files: list[Path], folders: list[str], unit: str, student: str) -> list[Source]:
    named = [
        file
        for file in files
        if file.stem == unit and file.suffix != (".py" if BY_NAME[unit].language == "c" else ".c")
    ]
    notebooks = [file for file in files if file.suffix == ".ipynb"]
    if named or len(files) == 1:
        return [Source((named or files)[0], student, unit, own_folder=True)]
    if len(notebooks) == 1:
        return [Source(notebooks[0], student, unit, own_folder=True)]
    if files:
        return [Source(file, f"{student}/{file.stem}", unit) for file in files]
    if folders:  # the walk goes on into them
        return []
    return [Source(folder, student, unit, f"Nothing was submitted: there is no notebook in {folder}.")]


def _file(path: Path, unit: str | None, shared: bool = True) -> Source:
    """One file. Its own name tells whose it is, unless it is called like a unit, or is alone in a learner's folder."""
    name = unit or unit_of(path) or ""
    by_folder = path.stem.lower() in BY_NAME or (not shared and not _unit_name(path.parent))
    owner = student_of(path.parent) if by_folder else path.stem
    if not os.path.lexists(path):
        problem = f"There is no file or folder {path}."
    elif path.suffix not in SUFFIXES:
        problem = f"{path.name} is not a submission: only {', '.join(SUFFIXES)} files are graded."
    elif not name:
        problem = f"The unit of {path.name} cannot be told from its folder or name; say it with --unit UNIT."
    else:
        problem = ""
    return Source(path, owner, name, problem, own_folder=by_folder)


def unit_of(path: Path) -> str | None:
    """The unit a file belongs to, by its folder or by its name (``attention_v2 (1).ipynb`` is of ``attention``)."""
    exact = next((name.lower() for name in (path.parent.name, path.stem) if name.lower() in BY_NAME), None)
    if exact:
        return exact
    # Longest first, so that a unit `gpt2` would not take the files of `gpt2_forward`. A number may follow at once.
    names = "|".join(map(re.escape, sorted(BY_NAME, key=len, reverse=True)))
    found = re.search(rf"(?<![a-z0-9])(?:{names})(?![a-z])", path.stem.lower())
    return found[0] if found else None


def _unit_name(folder: Path) -> str:
    """The unit that a folder is called like; an empty text if none."""
    return folder.name.lower() if folder.name.lower() in BY_NAME else ""


def student_of(folder: Path) -> str:
    """The nearest folder at or above this one that is not called like a unit."""
    for part in [folder, *folder.parents]:
        if part.name and not _unit_name(part):
            return part.name
    return folder.name
