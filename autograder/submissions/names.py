"""The unit and the owner of a submission, from the names of its file and folders, also in platforms' downloads."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from autograder.course.registry import BY_NAME, COMPANIONS

_LONGEST = 255  # characters of a name on a disk; zip files allow 65,535, and patterns take quadratic time


@dataclass(frozen=True)
class Given:
    """What a platform wrote into the name of a file or folder that a learner uploaded."""

    student: str
    file: str = ""  # the learner's own name for the file
    number: str = ""  # tells learners of one name apart
    attempt: str = ""  # greater for a later attempt, with all its files
    version: tuple[int, ...] = ()  # greater for a later upload of a file of the same name
    late: bool = False
    aliases: tuple[str, ...] = ()  # what else the learner is called in the platform's lists


def _moodle(found: re.Match[str]) -> Given:
    number = found["number"]
    return Given(found["student"], found["file"] or "", number=number, aliases=(f"Participant {number}",))


def _canvas(found: re.Match[str]) -> Given:
    return Given(
        found["student"],
        f"{found['file']}{found['ending']}",
        number=found["number"],
        version=(int(found["upload"]), int(found["again"] or 0)),
        late=bool(found["late"]),
        aliases=(found["number"],),
    )


def _blackboard(found: re.Match[str]) -> Given:
    """A login may contain ``_``, so every longer ending of the text before is an alias for the roster."""
    before = found["before"]
    ends = [before[at + 1 :] for at, letter in enumerate(before) if letter == "_"]
    return Given(found["student"], found["file"] or "", before, attempt=found["when"], aliases=tuple(ends[:9]))


def _brightspace(found: re.Match[str]) -> Given:
    return Given(
        found["student"],
        found["file"] or "",
        number=found["number"],
        attempt=f"{_time(found['when']):%Y-%m-%d-%H-%M}-{found['upload']:>20}",
        aliases=(found["number"],),
    )


def _nbgrader(found: re.Match[str]) -> Given:
    return Given(found["student"], found["file"], attempt=found["when"])


def _gradescope(found: re.Match[str]) -> Given:
    return Given(found["student"])


def _sakai(found: re.Match[str]) -> Given:
    return Given(found["student"], aliases=(found["name"],))


_PLATFORMS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], Given]]] = [
    # Luis García_12345_assignsubmission_file_/homework.ipynb, or all of it in one name
    (
        re.compile(r"(?P<student>.+)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?"),
        _moodle,
    ),
    # hw3_ada_attempt_2026-10-05-09-30-00_attention.ipynb
    (
        re.compile(r"(?P<before>.+_(?P<student>[^_]+))_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+))?"),
        _blackboard,
    ),
    # mueller_late_12345_67890_attention-1.ipynb
    (
        re.compile(
            r"(?P<student>[^\W\d_][^/]*?)(?P<late>_late)?_(?P<number>\d{3,})_(?P<upload>\d{3,})_"
            r"(?P<file>[^/]+?)(?:-(?P<again>\d+))?(?P<ending>\.[^/]+)",
            re.IGNORECASE,
        ),
        _canvas,
    ),
    # 12345-678 - Ada Lovelace - Oct 5, 2026 930 AM/attention.ipynb
    (
        re.compile(
            r"(?P<number>\d+)-(?P<upload>\d+) ?- (?P<student>\S.*?) ?- (?P<when>[^-]*\d{4}\b[^-]*?(?:\d-\d\d ?[AP]M)?)"
            r"(?: ?- ?(?P<file>[^/]+\.\w+))?"
        ),
        _brightspace,
    ),
    # nbgrader's exchange: ada+attention+2026-10-05 09:30:00 UTC+random
    (
        re.compile(r"(?P<student>[^+]+)\+(?P<file>[^+]+)\+(?P<when>\d{4}-\d\d-\d\d[^+]*)(?:\+.*)?"),
        _nbgrader,
    ),
    # Gradescope, where the list of the export is missing
    (re.compile(r"(?P<student>submission_\d+)"), _gradescope),
    # Sakai: Lovelace, Ada(ada)/Submission attachment(s)/attention.ipynb
    (re.compile(r"(?P<name>[^,()]+, [^()]+)\((?P<student>[^()\s]+)\)"), _sakai),
]


def given(name: str) -> Given | None:
    """What a platform says in this name; ``None`` if no platform wrote it."""
    for pattern, read in _PLATFORMS if len(name) <= _LONGEST else ():
        found = pattern.fullmatch(name)
        if found and found["student"].strip():
            return read(found)
    return None


def _time(text: str) -> datetime.datetime:
    """The time that Brightspace writes, such as ``Oct 5, 2026 930 AM``; the earliest of all if it cannot be read."""
    text = " ".join(text.replace(",", " ").replace("-", "").replace(":", "").split())
    for form in ("%b %d %Y %I%M %p", "%B %d %Y %I%M %p", "%d %b %Y %I%M %p", "%d %B %Y %I%M %p", "%d %B %Y %H%M"):
        try:
            return datetime.datetime.strptime(text, form)
        except ValueError:
            continue
    return datetime.datetime.min


# --- units --------------------------------------------------------------------------------------------


def unit_named(name: str) -> str:
    """The unit that a name is equal to; an empty text if none."""
    return name.lower() if name.lower() in BY_NAME else ""


def units_in(name: str) -> list[str]:
    """The units that a name contains (``attention_v2 (1)`` is of ``attention``), as they come."""
    return [found[0] for found in _units(tuple(BY_NAME)).finditer(name.lower())]


def companion_in(name: str) -> str:
    """The notebook in which nothing is graded whose name this one contains; an empty text if none."""
    found = _units(tuple(COMPANIONS)).search(name.lower()) if COMPANIONS else None
    return found[0] if found else ""


@lru_cache(maxsize=4)
def _units(units: tuple[str, ...]) -> re.Pattern[str]:
    # Longest first, so that a unit `gpt2` would not take the files of `gpt2_forward`. A number may follow at once.
    names = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
    return re.compile(rf"(?<![a-z0-9])(?:{names})(?![a-z])")


# --- people -------------------------------------------------------------------------------------------

# Words in names of folders and files that name no person.
_NOBODY = frozenset(
    """
    all an answer answers archive archived assignment assignments attachment attachments attempt aufgabe
    autograded autumn backup backups blackboard brightspace canvas class classes classroom code colab copy course
    courses data desktop doc docs documents download downloaded downloads draft drafts drive exercice exercise
    exercises export exported extracted fall feedback figs figures file files final first fixed folder from github
    gradescope grading group groups handout handouts home homework hw image images img inbound inbox ipynb item
    items jupyter lab labs late latest lecture lectures levels material moodle my nbgrader new notebook notebooks
    of old on one other output outputs part plots problem problems project projects ps py python question release
    report reports results rubric rubrics scratch second section semester session set sheet slides solution
    solutions solved source spring src student students submission submissions submit submitted summer task tasks
    team temp template templates term test the third tmp to transformer tutorial two uebung unit units unpacked
    untitled unzipped upload uploaded uploads ver version week winter wip work workbook working workspace year zip
    übung
    """.split()  # noqa: SIM905
)
# Learners without names: "student 7", "group b"; or as universities number them, "s123456" (but "ws2026" is a term).
_NUMBERED = re.compile(
    r"(?:candidate|group|gruppe|learner|member|pair|participant|person|pupil|student|team|user)[\s_.-]*(?:\d+|[a-z])"
    r"|[a-z]\d{4,}|[a-z]{2,3}\d{5,}"
)
_YEAR_OR_COUNT = re.compile(r"(?:19|20)\d\d|\d{1,2}")


def person(name: str) -> str:
    """The person in a name without its ending: the rest after units, numbers and words for things are removed."""
    lowered = name.lower()
    found = _units(tuple(BY_NAME)).search(lowered) if len(lowered) == len(name) else None
    if found is None:
        return name.strip() if _names_somebody(name) else ""
    around = (name[: found.start()], name[found.end() :])
    return " ".join(part.strip(" _-.,+()") for part in around if _names_somebody(part))


def _names_somebody(text: str) -> bool:
    words = re.findall(r"[^\W\d_]+", text.casefold())
    if _NUMBERED.fullmatch(text.casefold().strip(" _-.,+()")):
        return True
    if words:
        return any(word not in _NOBODY and (len(word) > 1 or not word.isascii()) for word in words)
    return any(not _YEAR_OR_COUNT.fullmatch(number) for number in re.findall(r"\d+", text))


# --- exports of Gradescope ----------------------------------------------------------------------------


def gradescope_export(data: bytes) -> dict[str, list[Given]]:
    """From the file ``submission_metadata.yml`` of an export: for each folder's name, the people who submitted it."""
    import yaml

    try:
        listed = yaml.load(data, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    found: dict[str, list[Given]] = {}
    for folder, about in listed.items() if isinstance(listed, dict) else ():
        members = about.get(":submitters") if isinstance(about, dict) else None
        for member in members if isinstance(members, list) else ():
            entry = member if isinstance(member, dict) else {}
            known = [str(entry[key]) for key in (":name", ":sid", ":email") if entry.get(key)]
            if known:
                found.setdefault(str(folder), []).append(Given(known[0], aliases=tuple(known[1:])))
    return found
