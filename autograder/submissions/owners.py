"""The owner of a file, from the names of the folders above it and its own.

Folders with the name of a unit are nobody's, nor are those whose names only say what is in them ("submissions",
"week 3", "old"). Of the others, a learner's is

1. the outermost that a platform named (`names.given`): Moodle, Canvas, Blackboard, Brightspace, Sakai, nbgrader;
2. else the innermost above the unit's folder, ``class/ada/attention/…``;
3. else the outermost below the unit's folder, ``attention/ada/…``;
4. else the file itself, ``inbox/ada_attention.ipynb``.

All files in a learner's folder are that learner's, whatever their names: nobody hands in work in the name of another by
putting a folder of that name into their own. A folder is a learner's if a file in it shows so by the rules above, or if
a folder or file beside it is a learner's. A zip file counts as one file, so all in it is of one learner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.submissions.files import NOTEBOOK, split
from autograder.submissions.names import Given, given, person, unit_named

_CLASSROOM = "-submissions"  # GitHub Classroom puts the repositories hw3-ada, hw3-bob into a folder hw3-submissions

Way = tuple[str, ...]  # the names of all folders down to a file, and its own


@dataclass(frozen=True)
class Item:
    """A file that may be a submission. ``way`` leads from the root to it, or to the zip file that it is in.

    ``folders`` and ``stem`` give its unit: the folders around it, also in a zip file, and its name without ending.
    """

    path: Path
    way: Way
    folders: Way
    stem: str
    kind: str
    problem: str = ""


class Owners:
    """Which parts of the ways to the files below a folder name their owners.

    ``depth``: the index of that folder in every way. ``exported``: who submitted what, from a list of the platform's.
    """

    def __init__(self, depth: int, exported: Mapping[str, Sequence[Given]]):
        self._depth, self._exported = depth, exported
        self._laid_out: set[Way] = set()

    def of(self, items: Sequence[Item]) -> list[int]:
        """For each item, which part of its way names the owner."""
        people: dict[Way, set[str]] = defaultdict(set)  # by folder, the people whom names of its files may name
        notebooks = {item.way[:-1] for item in items if item.kind == NOTEBOOK}
        for item in items:
            if item.kind == NOTEBOOK or item.way[:-1] not in notebooks:  # beside a notebook, others may be its modules
                people[item.way[:-1]].add(person(split(item.way[-1])[0]))
        crowds, self._laid_out = self._crowds(items), self._in_the_usual_layout(items)
        shared = {folder for folder, names in people.items() if len(names - {""}) > 1}
        first = [self.first_guess(item.way, item.way[:-1] in shared, crowds) for item in items]
        first = self._with_modules(items, first, shared)
        learners = {item.way[: at + 1] for item, at in zip(items, first) if self.may_name(item.way, at)}
        around = {way[:-1] for way in learners}
        return [self._enclosing(item.way, at, learners, around) for item, at in zip(items, first)]

    def _with_modules(self, items: Sequence[Item], first: Sequence[int], shared: set[Way]) -> list[int]:
        """The same indices, but in a unit's folder, files that name nobody belong to the notebook's owner."""
        of_folder: dict[Way, int] = {}
        for item, at in zip(items, first):
            if unit_named(item.way[-2]) and at < len(item.way) - 1 and (item.kind == NOTEBOOK or unit_named(item.stem)):
                of_folder[item.way[:-1]] = at
        return [
            of_folder.get(item.way[:-1], at)
            if not given(item.way[-1]) and (item.kind != NOTEBOOK or item.way[:-1] not in shared)
            else at
            for item, at in zip(items, first)
        ]

    def first_guess(self, way: Way, is_shared: bool, crowds: set[Way]) -> int:
        """The index by the rules at the top of this module. ``is_shared``: files beside it name several people."""
        top, last = self._depth, len(way) - 1
        for index in range(max(top - 1, 0), last + 1):
            if self._given(way[index]):
                return index
        unit = next((index for index in range(max(top - 1, 0), last) if unit_named(way[index])), last)
        people = [index for index in range(top + 1, last) if person(way[index])]
        above = [index for index in people if index < unit]
        below = [index for index in people if index > unit]
        by_name = bool(person(split(way[last])[0]))
        if by_name and is_shared and not (above and unit == last - 1):
            return last
        if above and way[:unit] not in crowds:
            return above[-1]
        if below:
            return below[0]
        if above:
            return above[-1]
        if way[: top + 2] in self._laid_out and not by_name:
            return top + 1
        root_is_person = top < last and bool(person(way[top]))
        if by_name and not (root_is_person and unit == last - 1):
            return last
        return top if root_is_person else self._nobody(way)

    def _nobody(self, way: Way) -> int:
        """The index if no name is a person's: the folder below the given one, else that one, else the one around it."""
        top, last = self._depth, len(way) - 1
        for index in range(top + 1, last):
            if not unit_named(way[index]):
                return index
        if top < last and not unit_named(way[top]):
            return top
        above = [index for index in range(min(top, last - 1), 0, -1) if not unit_named(way[index])]
        return next((index for index in above[:3] if person(way[index])), above[0] if above else last)

    def _in_the_usual_layout(self, items: Sequence[Item]) -> set[Way]:
        """Folders in the usual layout for learners, several side by side: ``01/attention/…``, ``02/attention/…``."""
        top = self._depth
        beside: dict[str, set[Way]] = defaultdict(set)  # by unit
        for item in items:
            if len(item.way) == top + 4 and unit_named(item.way[top + 2]) and not unit_named(item.way[top + 1]):
                beside[unit_named(item.way[top + 2])].add(item.way[: top + 2])
        return set().union(*(folders for folders in beside.values() if len(folders) > 1))

    def _crowds(self, items: Sequence[Item]) -> set[Way]:
        """The folders in which a unit's folder holds those of several people, and no file: ``masks/{ada,bob}/…``."""
        people: dict[Way, set[str]] = defaultdict(set)
        for item in items:
            for index in range(self._depth, len(item.way) - 1):
                if unit_named(item.way[index]):
                    people[item.way[: index + 1]].add(item.way[index + 1] if index + 2 < len(item.way) else "")
        return {way[:-1] for way, names in people.items() if "" not in names and sum(map(bool, map(person, names))) > 1}

    def _enclosing(self, way: Way, at: int, learners: set[Way], around: set[Way]) -> int:
        """The outermost folder on the way that is a learner's: it, or a folder beside it, is known to be one."""
        top = self._depth
        for index in range(top + 1, at):
            if self.may_name(way, index) and (way[: index + 1] in learners or way[:index] in around):
                return index
        own = top < at and unit_named(way[top + 1]) and way[: top + 1] in learners
        return top if own and sum(len(other) > top + 1 for other in learners) == 1 else at

    def may_name(self, way: Way, index: int) -> bool:
        return bool(self._given(way[index]) or person(way[index] if index < len(way) - 1 else split(way[index])[0]))

    def _given(self, name: str) -> Given | None:
        exported = self._exported.get(name)
        return exported[0] if exported else given(name)

    def who(self, way: Way, index: int) -> tuple[str, Given | None]:
        name = way[index]
        about = self._given(name)
        if about:
            return about.student.strip(), about
        if index == len(way) - 1:
            name = split(name)[0]
        slug = way[index - 1].removesuffix(_CLASSROOM) if way[index - 1].endswith(_CLASSROOM) else ""
        if slug and name.startswith(f"{slug}-"):
            return name[len(slug) + 1 :], None
        return person(name) or name, None
