"""Finding the submissions in files and folders: whose each is (`submissions.owners`), and of which unit."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course.registry import BY_NAME, COMPANIONS
from autograder.submissions.choice import Candidate, choose, is_companion, unit_checked
from autograder.submissions.files import (
    NOTEBOOK,
    SUFFIXES,
    ZIP,
    UnreadableSubmission,
    content,
    demand_small,
    kind_on_disk,
    packed,
    split,
)
from autograder.submissions.names import Given, companion_in, given, gradescope_export, unit_named, units_in
from autograder.submissions.owners import Item, Owners, Way
from autograder.submissions.text import readable_name, readable_path

ENDINGS = f"{', '.join(SUFFIXES)} files, and zip files of them,"
_EXERCISES = "exercises"
_COURSE = {_EXERCISES, "autograder", "solutions"}  # in a clone of the course, learners' work is only in its exercises
_SKIPPED_FOLDERS = {"__pycache__", "__macosx", "node_modules", "site-packages", "venv"}


@dataclass(frozen=True)
class Source:
    """One file to grade, with student and unit; ``problem``: why it cannot be graded, if that is known already.

    ``notes`` are for the learner and the teacher; ``aliases`` are other names by which a roster may know the student.
    ``own_folder``: whether all files in the file's folder belong to the same learner.
    """

    path: Path
    student: str
    unit: str
    problem: str = ""
    notes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    own_folder: bool = False


def need_compiler(sources: Iterable[Source]) -> bool:
    """Whether the code of any source's unit makes torch import its compiler."""
    return any(source.unit in BY_NAME and BY_NAME[source.unit].compiler for source in sources)


def discover(paths: Iterable[Path], unit: str | None = None) -> list[Source]:
    """The submissions under the given files and folders, each with its student and unit.

    Every file that could be graded has a source, or is named in the notes of the one that counts instead.
    Hidden folders, checkpoints and files of other kinds are ignored, unless they are all that somebody handed in.
    """
    roots = list(dict.fromkeys(Path(os.path.abspath(path)) for path in paths))
    folders = {path for path in roots if _is_folder(path)}
    roots = [path for path in roots if folders.isdisjoint(path.parents)]
    found: list[Source] = []
    for top, members in _grouped(roots, folders).items():
        if top in members and top not in folders:
            found.append(_Tree(top, members, unit).single())
        else:
            found += _Tree(top, members, unit).sources()
    given_at = {root: index for index, root in enumerate(roots)}
    found.sort(key=lambda source: min(given_at.get(path, len(roots)) for path in (source.path, *source.path.parents)))
    return _without_shared_folders(found)


def _grouped(roots: Sequence[Path], folders: set[Path]) -> dict[Path, list[Path]]:
    """The given paths, grouped by the folder to which they belong: ``ada bob``, ``*/attention`` and
    ``*/attention/*.ipynb`` are parts of a class, in which nobody hands in work in the name of another.
    """
    unit_folders = {root: root if root in folders else root.parent for root in roots}
    unit_folders = {root: folder for root, folder in unit_folders.items() if unit_named(folder.name)}
    learners: dict[Path, set[Path]] = defaultdict(set)  # by their parent folder
    for folder in unit_folders.values():
        learners[folder.parent.parent].add(folder.parent)
    beside = Counter(root.parent for root in folders.intersection(roots))
    groups: dict[Path, list[Path]] = defaultdict(list)
    for root in roots:
        around = unit_folders[root].parent.parent if root in unit_folders else root
        if len(learners.get(around, ())) > 1 and (root in folders or kind_on_disk(root)):
            groups[around].append(root)
        else:
            groups[root.parent if root in folders and beside[root.parent] > 1 else root].append(root)
    return groups


def _without_shared_folders(sources: Sequence[Source]) -> list[Source]:
    """The sources, with ``own_folder`` false where files of several learners share a folder."""
    students: dict[Path, dict[Path, str]] = defaultdict(dict)
    for source in sources:
        students[source.path.parent][source.path] = source.student
    shared = {folder for folder, owners in students.items() if len(set(owners.values())) > 1}
    return [replace(source, own_folder=False) if source.path.parent in shared else source for source in sources]


def one_source(path: Path, unit: str | None = None) -> Source:
    """The submission in a learner's own file, which may be a zip file of it."""
    if os.path.isdir(path):
        return Source(path, "", unit or "", f"{readable_path(path)} is a folder: name the file in it.")
    found = discover([path], unit)
    possible = [source for source in found if not source.problem]
    if len(possible) > 1:
        names = ", ".join(readable_name(source.path.name) for source in possible)
        return replace(
            possible[0], problem=f"{path.name} holds several submissions ({names}): unpack it, and name one."
        )
    return (possible or found)[0]


def candidates_in(folder: Path) -> tuple[list[Candidate], list[str]]:
    """All gradable files in one learner's folder for one unit, and the problems of the others."""
    items = list(_Tree(folder, [folder], None).items(folder))
    inside = len(folder.parts)
    possible = [
        Candidate(item.path, item.kind, "/".join(map(readable_name, item.path.parts[inside:])), item.stem)
        for item in items
        if not item.problem
    ]
    return possible, [item.problem for item in items if item.problem]


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path) or kind_on_disk(path) == ZIP


@dataclass(frozen=True)
class _Owned:
    """An item with its owner: the name, and the index of the part of the way that gives it (``index``)."""

    item: Item
    index: int
    student: str
    given: Given | None = None
    unit: str = ""
    notes: tuple[str, ...] = ()

    @property
    def person(self) -> tuple[Way, str, str]:
        """A key: items have the same one if a platform names one person, or if they are in one person's folder."""
        if self.given:
            return (), self.student.casefold(), self.given.number
        return self.item.way[: self.index], self.student, ""

    @property
    def shown(self) -> str:
        """What to call the file when its owner is known."""
        return "/".join(map(readable_name, self.item.path.parts[min(self.index + 1, len(self.item.way) - 1) :]))


class _Tree:
    """The files under some folders that lie side by side in ``top``, or under ``top`` itself."""

    def __init__(self, top: Path, roots: Sequence[Path], unit: str | None):
        self._top, self._roots, self._unit = top, roots, unit
        self._depth = len(top.parts) - 1  # the index of the folder `top` in every way
        self._folders: dict[Way, list[str]] = {}  # all folders seen, each with its files that cannot be graded
        self._exported: dict[str, list[Given]] = {}  # the submissions of an export from Gradescope
        self._owners = Owners(self._depth, self._exported)

    def single(self) -> Source:
        """The source for the one file that was given."""
        path, name = self._top, readable_name(self._top.name)
        kind = kind_on_disk(path)
        item = self._item(path, kind)
        owned = self._owned(item, self._owners.first_guess(item.way, False, set()))
        unit = self._unit or owned.unit
        if not os.path.lexists(path):
            problem = f"There is no file or folder {readable_path(path)}."
        elif not kind:
            problem = f"{name} is not a submission: only {ENDINGS} are graded."
        elif is_companion(path, path.name):
            problem = f"Nothing in {name} is graded: hand in {COMPANIONS[companion_in(path.name)]}.ipynb."
        elif not unit:
            problem = _untold(name)
        else:
            problem = ""
        return Source(path, owned.student, unit, problem, owned.notes, _aliases(owned), self._has_own_folder(owned))

    def sources(self) -> list[Source]:
        items = [item for root in self._roots for item in self.items(root)]
        items += [item for item in self._empty_unit_folders(items) if self._is_wanted(item)]
        indices = self._owners.of(items)
        owned = [self._owned(item, index) for item, index in zip(items, indices)]
        found = [*self._choices(owned), *self._empty_handed(owned)]
        if not found:
            wanted = f" of unit {self._unit}" if self._unit else ""
            text = f"There is no submission{wanted} in {readable_path(self._top)} (looked for {', '.join(SUFFIXES)})."
            return [Source(self._top, readable_name(self._top.name), self._unit or "", text)]
        return found

    # --- the files ------------------------------------------------------------------------------------

    def items(self, root: Path) -> Iterator[Item]:
        if not os.path.isdir(root):
            yield from self._in_given_zip(root) if kind_on_disk(root) == ZIP else self._of_file(root)
            return
        for folder, folders, names in os.walk(root):
            here = Path(folder)
            folders[:] = sorted(name for name in folders if not _is_skipped(name))
            if set(folders) >= _COURSE:
                folders[:] = [_EXERCISES]
            self._folders.update({(*_way(here), readable_name(name)): [] for name in folders})
            self._read_export(here, names)
            for name in sorted(names):
                yield from filter(self._is_wanted, self._of_file(here / name))

    def _of_file(self, path: Path) -> list[Item]:
        if path.name.startswith((".", "~")):
            return []
        kind = kind_on_disk(path)
        if not kind or (kind != ZIP and is_companion(path, path.name)):
            self._folders.setdefault(_way(path.parent), []).append(readable_name(path.name))
            return []
        return self._in_zip(path) if kind == ZIP else [self._item(path, kind)]

    def _item(self, path: Path, kind: str, problem: str = "") -> Item:
        way = _way(path)
        about = given(way[-1])
        return Item(path, way, way[:-1], split(about.file if about and about.file else way[-1])[0], kind, problem)

    def _in_zip(self, path: Path) -> list[Item]:
        """What a learner's zip file holds; the zip file itself, with the reason, if that cannot be graded."""
        around = self._item(path, ZIP)
        try:
            inside = _to_grade(packed(path))
            demand_small(path, inside)
            inside = [parts for parts in inside if not is_companion(path.joinpath(*parts), parts[-1])]
        except UnreadableSubmission as error:
            return [replace(around, problem=str(error))]
        if not inside:
            return [replace(around, problem=f"{around.way[-1]} holds no notebook: only {ENDINGS} are graded.")]
        return [
            replace(
                around,
                path=path.joinpath(*parts),
                folders=(*around.folders, around.stem, *parts[:-1]),
                stem=split(parts[-1])[0],
                kind=split(parts[-1])[1],
                problem=_problem_in_zip(parts[-1], around.way[-1]),
            )
            for parts in inside
        ]

    def _in_given_zip(self, path: Path) -> Iterator[Item]:
        """The items in a zip file that was given directly, such as a whole class's: it is treated as a folder."""
        top = (*_way(path)[:-1], split(readable_name(path.name))[0])
        try:
            inside = packed(path)
        except UnreadableSubmission as error:
            yield replace(self._item(path, ZIP, str(error)), way=top)
            return
        for parts in inside:
            if any(map(_is_skipped, parts[:-1])):
                continue
            if parts[-1] == _EXPORT and len(parts) <= 2:
                self._exported.update(gradescope_export(content(path.joinpath(*parts))))
            folder = (*top, *parts[:-1])
            self._folders.update({folder[:end]: [] for end in range(len(top) + 1, len(folder) + 1)})
        for parts in _to_grade(inside):
            if is_companion(path.joinpath(*parts), parts[-1]):
                continue
            item = self._item(path.joinpath(*parts), split(parts[-1])[1], _problem_in_zip(parts[-1], path.name))
            item = replace(item, way=(*top, *parts), folders=(*top, *parts[:-1]))
            if self._is_wanted(item):
                yield item

    def _empty_unit_folders(self, items: Sequence[Item]) -> Iterator[Item]:
        """An item with a problem for each folder that has a unit's name and holds no file to grade."""
        inhabited = {item.way[:end] for item in items for end in range(len(item.way))} | {
            folder[:-1] for folder in self._folders
        }
        for folder in self._folders:
            if unit_named(folder[-1]) and folder not in inhabited:
                path = Path(*folder)
                yield Item(path, (*folder, ""), folder, "", "", self._nothing_in(path, folder))

    def _nothing_in(self, path: Path, folder: Way) -> str:
        if path.is_symlink():
            return f"{folder[-1]} is a symbolic link, which is not followed: submit the folder itself."
        other = self._folders.get(folder, [])
        found = f" ({', '.join(other[:3])}{' and more' if len(other) > 3 else ''} cannot be graded)" if other else ""
        return f"Nothing was submitted: there is no notebook in {readable_path(path)}{found}."

    def _read_export(self, folder: Path, names: Sequence[str]) -> None:
        """Read the owners in an export from Gradescope; only from its top folder, where no learner can write."""
        if _EXPORT in names and self._top in (folder, folder.parent):
            try:
                self._exported.update(gradescope_export(content(folder / _EXPORT)))
            except UnreadableSubmission:
                return

    # --- the units ------------------------------------------------------------------------------------

    def _is_wanted(self, item: Item) -> bool:
        """Whether an item may belong to the wanted unit, by its folders and name."""
        if self._unit is None:
            return True
        told, by_folder = self._unit_by_names(item), unit_named(item.folders[-1])
        return told in ("", self._unit) or (not by_folder and self._unit in units_in(item.stem))

    def _unit_by_names(self, item: Item) -> str:
        around = item.folders[max(self._depth - 1, 0) :]
        exact = [unit_named(name) for name in (*around[-1:], item.stem, *reversed(around))]
        inside = [unit for name in (item.stem, *reversed(item.folders[self._depth :])) for unit in units_in(name)]
        return next(filter(None, [*exact, *inside]), "")

    def _owned(self, item: Item, index: int) -> _Owned:
        owned = _Owned(item, index, *self._owners.who(item.way, index), unit=self._unit or self._unit_by_names(item))
        if owned.unit or item.problem or item.kind != NOTEBOOK:
            return owned
        unit = unit_checked(item.path)
        note = f"Neither a folder nor the file's name says the unit; its check cells are those of {unit}."
        return replace(owned, unit=unit, notes=(note,) if unit else ())

    # --- one source for each person and unit ----------------------------------------------------------

    def _choices(self, owned: Sequence[_Owned]) -> Iterator[Source]:
        """A source for each person and unit, and one for each file whose unit cannot be told."""
        groups: dict[tuple, list[_Owned]] = defaultdict(list)
        with_unit = {one.person for one in owned if one.unit}
        for one in owned:
            if one.unit:
                groups[(one.person, one.unit)].append(one)
            elif one.item.kind == NOTEBOOK or one.person not in with_unit:  # otherwise it is a module of another file
                groups[(one.person, one.item.path)].append(one)
        names: dict[tuple[str, str], set[str]] = defaultdict(set)  # the platform's numbers of people with one name
        for group in groups.values():
            if group[0].given:
                names[group[0].student.casefold(), group[0].unit].add(group[0].given.number)
        for group in groups.values():
            first = group[0]
            if first.given and len(names[first.student.casefold(), first.unit]) > 1:
                group = [replace(one, student=f"{one.student} {first.given.number}".strip()) for one in group]
            yield from self._of_group(group)

    def _of_group(self, group: Sequence[_Owned]) -> Iterator[Source]:
        readable = [one for one in group if not one.item.problem]
        candidates = [
            Candidate(one.item.path, one.item.kind, one.shown, one.item.stem, _upload(one)) for one in readable
        ]
        best, note = choose(candidates, group[0].unit) if len(readable) > 1 else (0, "")
        one = (readable or group)[best]
        notes = [*one.notes, note, *(other.item.problem for other in group if readable and other.item.kind)]
        if (upload := _upload(one)) and upload.late:
            notes.append("The platform marked it as late.")
        problem = one.item.problem or ("" if one.unit else _untold(readable_name(one.item.path.name)))
        members: list[Given | None] = [*self._exported.get(one.item.way[one.index], [])]
        for member in members or [None]:  # a group that handed in together
            who = replace(one, student=member.student, given=member) if member else one
            own = self._has_own_folder(one)
            yield Source(one.item.path, who.student, one.unit, problem, tuple(filter(None, notes)), _aliases(who), own)

    def _has_own_folder(self, one: _Owned) -> bool:
        """Whether all files in the folder belong to one learner, who owns it, a folder around it, or the zip file."""
        way = one.item.way
        by_folder = one.index < len(way) - 1 and (one.index > self._depth or self._owners.may_name(way, one.index))
        return by_folder or len(one.item.path.parts) > len(way)

    def _empty_handed(self, owned: Sequence[_Owned]) -> Iterator[Source]:
        """A source, with the reason, for each folder beside those of learners in which there is nothing to grade."""
        inhabited = {one.item.way[:end] for one in owned for end in range(len(one.item.way) + 1)}
        beside = {
            one.item.way[: one.index]
            for one in owned
            if one.index < len(one.item.way) - 1 and self._owners.may_name(one.item.way, one.index)
        }
        known = {one.student.casefold() for one in owned}
        units = list({one.unit for one in owned if one.unit})
        for folder in self._folders:
            if (
                folder in inhabited
                or folder[:-1] not in beside
                or not self._owners.may_name((*folder, ""), len(folder) - 1)
            ):
                continue
            student, about = self._owners.who((*folder, ""), len(folder) - 1)
            unit = self._unit or unit_named(folder[-2]) or (units[0] if len(units) == 1 else "")
            if not (about and student.casefold() in known):
                path = Path(*folder)
                yield Source(
                    path, student, unit, self._nothing_in(path, folder), aliases=about.aliases if about else ()
                )


_EXPORT = "submission_metadata.yml"


def _way(path: Path) -> Way:
    return tuple(map(readable_name, path.parts))


def _is_skipped(folder: str) -> bool:
    return folder.startswith(".") or folder.lower() in _SKIPPED_FOLDERS


def _to_grade(inside: Iterable[Way]) -> list[Way]:
    """Those of the files in a zip file that may be submissions."""
    return sorted(
        parts
        for parts in inside
        if split(parts[-1])[1] and not parts[-1].startswith((".", "~")) and not any(map(_is_skipped, parts[:-1]))
    )


def _problem_in_zip(name: str, archive: str) -> str:
    if split(name)[1] == ZIP:
        return f"{name} is a zip file in the zip file {archive}, which is not opened: unpack {archive} first."
    return ""


def _untold(name: str) -> str:
    return f"The unit of {name} cannot be told from its folder or name; say it with --unit UNIT."


def _upload(owned: _Owned) -> Given | None:
    """The platform's data on this upload, from the name of the file or of a folder around it."""
    return given(owned.item.way[-1]) or owned.given


def _aliases(owned: _Owned) -> tuple[str, ...]:
    return owned.given.aliases if owned.given else ()
