"""Who is in the class: a list of learners as a CSV file, written by hand or exported by Canvas or Moodle."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.submissions.discovery import Source
from autograder.submissions.files import UnreadableSubmission, content
from autograder.submissions.notebooks import decode
from autograder.submissions.text import readable_name

# Columns for a learner's name in reports: the first one that a row fills counts.
_KEYS = (
    "sis login id", "login", "login id", "username", "user name", "student id", "student", "id", "sis user id",
    "id number", "email address", "email", "mail", "name", "full name",
)  # fmt: skip
_ALIASES = (*_KEYS, "identifier", "display name", "preferred name")
_FIRST = ("first name", "firstname", "given name", "forename")
_LAST = ("last name", "lastname", "surname", "family name")
_NOBODY = {"points possible", "student, test", "test student"}  # rows of Canvas
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


class BadRoster(ValueError):
    """The file is no list of learners; the text is one sentence."""


@dataclass(frozen=True)
class Learner:
    """One row: what to call the learner, all names by which a submission may call them, and the row itself."""

    student: str
    names: frozenset[str]
    row: Mapping[str, str] = field(default_factory=dict, compare=False)


def read_roster(path: Path) -> list[Learner]:
    """The learners in a CSV file; raises `BadRoster`."""
    try:
        data = content(path.resolve())
    except UnreadableSubmission as error:
        raise BadRoster(f"The roster cannot be read: {error}") from error
    name = readable_name(path.name)
    if data.startswith(b"PK"):
        raise BadRoster(f"The roster {name} is a spreadsheet: save it as CSV.")
    text = decode(data)
    header, _, _ = text.partition("\n")
    separator = max(",;\t", key=header.count)
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise BadRoster(f"The roster {name} is no CSV file ({error}).") from error
    learners = {learner.student: learner for learner in map(_learner, rows) if learner}
    if not learners:
        raise BadRoster(
            f"The roster {name} names nobody: it needs a first line with a column called student, login, id, email or "
            "SIS Login ID, and a line for each learner."
        )
    return list(learners.values())


def _learner(row: dict) -> Learner | None:
    cells = {
        key.strip().casefold().replace("_", " "): value.strip()
        for key, value in row.items()
        if isinstance(key, str) and isinstance(value, str) and value.strip()
    }
    if any(isinstance(key, str) and key.strip().casefold() == "sis login id" for key in row):  # Canvas's: names
        cells["name"] = cells.pop("student", "")
    first, last = (next((cells[key] for key in keys if key in cells), "") for keys in (_FIRST, _LAST))
    names = [cells[key] for key in _ALIASES if key in cells]
    names += [f"{first} {last}", f"{last} {first}"] if first and last else []
    student = next((cells[key] for key in _KEYS if cells.get(key)), f"{first} {last}".strip())
    if not student or any(name.casefold() in _NOBODY for name in names):
        return None
    return Learner(student, frozenset(form for name in names for form in _forms(name)), row)


def _forms(name: str) -> set[str]:
    """A name as folders and files spell it: without accents, case, spaces and commas, either way round."""
    first, comma, last = name.partition(",")
    orders = [name, f"{last} {first}"] if comma else [name, " ".join(reversed(name.rsplit(None, 1)))]
    orders += [name.partition("@")[0]] if "@" in name else []
    orders += [order.translate(_UMLAUTS) for order in orders]
    return set(filter(None, map(_plain, [*orders, *map(_plain_letters, orders)])))


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _plain_letters(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))


def match(
    sources: Sequence[Source], roster: Sequence[Learner], path: Path, unit: str | None
) -> tuple[list[Source], list[str]]:
    """The sources under the names of the roster, with one more for each learner and unit without any.

    Also returns the students who are not on the roster.
    """
    known = _by_name(roster)
    found, strangers = [], []
    for source in sources:
        learner = _find(known, source)
        if learner:
            found.append(replace(source, student=learner.student))
            continue
        found.append(replace(source, notes=(*source.notes, "This learner is not on the roster.")))
        if source.student not in strangers and (source.unit or not source.path.is_dir()):
            strangers.append(source.student)
    units = [unit] if unit else list(dict.fromkeys(source.unit for source in found if source.unit)) or [""]
    present = {(source.student, source.unit) for source in found}
    without_unit = {source.student for source in found if not source.unit}
    for learner in roster:
        for wanted in units:
            if (learner.student, wanted) not in present and not (len(units) == 1 and learner.student in without_unit):
                what = f" for {wanted}" if wanted else ""
                problem = f"{learner.student} is on the roster and handed in nothing{what}."
                found.append(Source(path, learner.student, wanted, problem))
    return found, strangers


def who_is_who(roster: Sequence[Learner], students: Iterable[str]) -> dict[str, Learner]:
    """The learners by the names under which the students are known; other learners by their own names."""
    known = _by_name(roster)
    found = {student: learner for student in students if (learner := known.get(_plain(student)))}
    return found | {learner.student: learner for learner in roster if learner not in found.values()}


def _by_name(roster: Iterable[Learner]) -> dict[str, Learner | None]:
    """Each name with the one learner who has it; ``None`` where several have."""
    by_name: dict[str, set[Learner]] = defaultdict(set)
    for learner in roster:
        for name in learner.names:
            by_name[name].add(learner)
    return {name: next(iter(learners)) if len(learners) == 1 else None for name, learners in by_name.items()}


def _find(known: dict[str, Learner | None], source: Source) -> Learner | None:
    """By the platform's number first, since two learners may have one name."""
    names = [*map(_plain, source.aliases), _plain(source.student), *sorted(_forms(source.student))]
    return next((learner for learner in map(known.get, names) if learner), None)
