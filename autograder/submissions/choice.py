"""Which of several files counts, where one learner handed in more than one for a unit.

Of several attempts on a platform, the latest counts. Within it, the file with the most tasks written counts; among
equal files, the latest upload, then the file that has the unit's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.registry import BY_NAME, COMPANIONS
from autograder.submissions.files import NOTEBOOK, UnreadableSubmission, content, kind_of
from autograder.submissions.names import Given, companion_in, unit_named
from autograder.submissions.notebooks import parse
from autograder.submissions.syntax import MAX_CODE, MAX_SEARCHED, defined_names

MAX_COMPARED = 20  # files of one learner for one unit that are read
_IMPORT = re.compile(r"^from\s+(\w+)\s+import\s+(\*|\([^)]*\)|[^\n]*)", re.MULTILINE)
_MAX_HEAD = 16 * 2**20  # bytes that are searched for check cells
_STUB = re.compile(r"raise NotImplementedError|YOUR CODE HERE")
# A check cell as it was released: check("attention.softmax"), in the JSON of a notebook.
_CHECK = re.compile(rb'check\(\\"([a-z][a-z0-9_]{0,40})\.')


@dataclass(frozen=True)
class Candidate:
    """A file that may count. ``shown``: what to call it; ``stem``: its name without ending, as the learner chose it."""

    path: Path
    kind: str
    shown: str
    stem: str
    upload: Given | None = None


def choose(candidates: Sequence[Candidate], unit: str) -> tuple[int, str]:
    """The index of the file that counts, and a sentence on the others (modules beside a notebook are left out)."""
    latest = _of_latest_attempt(candidates)
    foreign = ".py" if BY_NAME[unit].language == "c" else ".c"
    possible = [one for one in latest if one.kind != foreign] or latest
    possible.sort(key=lambda one: unit_named(one.stem) != unit)  # of very many, those with the unit's name
    written = {one: tasks_written(one.path, unit) if len(possible) > 1 else 0 for one in possible[:MAX_COMPARED]}
    best = max(written, key=lambda one: _merits(one, written[one], unit))
    notes = []
    # Beside a notebook, Python files are modules that it may import.
    rivals = [one for one in latest if one.kind != ".py" or (best.kind == ".py" and written.get(one, 0) > 0)]
    beside = [one for one in rivals if one != best]
    if beside:
        others = _listed([f"{one.shown} ({max(written.get(one, 0), 0)})" for one in beside])
        notes.append(f"Of several files, {best.shown} was graded ({written[best]} tasks written), and not {others}.")
    counted = set(latest)
    earlier = [one.shown for one in candidates if one not in counted]
    if earlier:
        notes.append(f"{best.shown} was graded, the latest upload, and not {_listed(earlier)}.")
    return candidates.index(best), " ".join(notes)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MAX_COMPARED
    return ", ".join(names[:MAX_COMPARED]) + (f" and {more} more" if more > 0 else "")


def _of_latest_attempt(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without earlier attempts, and without earlier uploads of a file of the same name."""
    attempts = [one.upload.attempt for one in candidates if one.upload and one.upload.attempt]
    current = [one for one in candidates if not attempts or (one.upload and one.upload.attempt == max(attempts))]
    newest: dict[str, Candidate] = {}
    for one in sorted(current, key=_version):
        newest[one.upload.file.casefold() if one.upload and one.upload.version else str(one.path)] = one
    kept = set(newest.values())
    return [one for one in current if one in kept]


def _version(candidate: Candidate) -> tuple:
    return candidate.upload.version if candidate.upload else ()


def _merits(candidate: Candidate, written: int, unit: str) -> tuple:
    return max(written, 0), _version(candidate), unit_named(candidate.stem) == unit, candidate.kind == NOTEBOOK


def tasks_written(path: Path, unit: str) -> int:
    """How many of a unit's tasks a file has code for; -1 if it cannot be read."""
    try:
        cells = parse(content(path), path).cells
    except UnreadableSubmission:
        return -1
    names, found, searched = set(BY_NAME[unit].names), set(), 0
    for source in cells:
        searched += len(source)
        if len(source) > MAX_CODE or searched > MAX_SEARCHED or _STUB.search(source):
            continue
        if source.startswith("%%c"):
            found |= {name for name in names if re.search(rf"\b{name}\s*\(", source)}
        else:
            found |= names & (defined_names(source) | _imported_names(source, path))
    return len(found)


def is_companion(path: Path, stem: str) -> bool:
    """Whether a file, which its author calls ``stem``, is a notebook of the course in which nothing is graded.

    A learner may write tasks into it all the same: then it is a submission like any other.
    """
    name = companion_in(stem)
    return bool(name) and tasks_written(path, COMPANIONS[name]) <= 0


def _imported_names(source: str, path: Path) -> set[str]:
    """The names that a cell imports from modules beside the file; of a module that it imports whole, all its names."""
    imported: set[str] = set()
    for module, names in _IMPORT.findall(source)[:MAX_COMPARED]:
        beside = path.with_name(f"{module}.py")
        try:
            defined = defined_names(content(beside)[:MAX_CODE].decode("utf-8", "replace"))
        except UnreadableSubmission:
            continue
        imported |= defined if "*" in names else defined & set(re.findall(r"\w+", names))
    return imported


def unit_checked(path: Path) -> str:
    """The unit whose tasks the check cells of a notebook check most often; ``""`` if there are none."""
    try:
        data = content(path)
    except UnreadableSubmission:
        return ""
    if kind_of(path.name, data) != NOTEBOOK:
        return ""
    found = [name.decode() for name in _CHECK.findall(data[:_MAX_HEAD])]
    known = [name for name in found if name in BY_NAME]
    return max(known, key=known.count, default="")
