"""The folders that learners handed in, made ready for nbgrader.

nbgrader takes only notebooks with the right name, stops at a time that it cannot read, and follows symbolic links.
This module gives notebooks the name that nbgrader expects, and hides files that it must not read.
"""

from __future__ import annotations

import glob
import itertools
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeCollect

from autograder.course.registry import BY_NAME
from autograder.submissions.choice import choose, tasks_written, unit_checked
from autograder.submissions.discovery import candidates_in
from autograder.submissions.files import NOTEBOOK, UnreadableSubmission, content, kind_of, split
from autograder.submissions.names import unit_named
from autograder.submissions.notebooks import parse

TIME = "timestamp.txt"
UNREADABLE_TIME = "timestamp-unreadable.txt"
MAX_TIME = 100  # bytes: nbgrader's date parser takes time quadratic in the length
MAX_LINKS = 100  # in one submission; nbgrader compares each of its files with all of them


def make_ready(converter: Autograde, gradebook: Gradebook, expected: Sequence[str]) -> None:
    """Make ready all submissions that nbgrader is about to grade, and tell nbgrader which ones these are.

    ``expected``: the names of the assignment's notebooks.
    """
    course = converter.coursedir
    pattern = course.format_path(course.submitted_directory, course.student_id, course.assignment_id)
    _leave_links_out(converter)
    for folder in sorted(filter(os.path.isdir, glob.glob(pattern))):
        converter.assignments.pop(folder, None)
        try:
            notebooks = _notebooks_in(converter, gradebook, folder, expected)
        except OSError as error:  # an error in one folder must not stop the others
            converter.log.error("Not graded: %s cannot be read (%s).", folder, error)
            continue
        if notebooks:
            converter.assignments[folder] = notebooks


def _notebooks_in(converter: Autograde, gradebook: Gradebook, folder: str, expected: Sequence[str]) -> list[str]:
    """The notebooks to grade in a submission's folder, once the folder is as nbgrader expects it."""
    course = converter.coursedir
    if "\n" in folder:
        converter.log.error("Not graded: nbgrader stops at a line break in a name, as in %r; rename it.", folder)
        return []
    if not _is_text(folder):
        converter.log.error("Not graded: nbgrader stores no name that is not UTF-8, as in %r; rename it.", folder)
        return []
    if _is_linked(course, Path(folder)):
        converter.log.error("Not graded: %s is reached through a symbolic link, perhaps to another's work.", folder)
        return []
    set_unreadable_time_aside(Path(folder), converter.log)
    if expected and course.notebook_id == "*" and not _tidy(converter, gradebook, Path(folder), expected):
        return []
    # nbgrader takes a name with brackets for a pattern, which matches other names instead.
    return glob.glob(os.path.join(glob.escape(folder), f"{course.notebook_id}.ipynb"))


def _is_linked(course: CourseDirectory, folder: Path) -> bool:
    """Whether a symbolic link leads to this folder, below the one that holds all submissions."""
    everything = Path(course.format_path(course.submitted_directory, "", ""))
    return any(path.is_symlink() for path in (folder, *folder.parents) if everything in path.parents)


class CollectWithoutLinks(ExchangeCollect):
    """nbgrader's step from the exchange, without links and with times that can be read.

    Anybody may hand in under any name. nbgrader warns when the account is another one; here, a submission by somebody
    else does not replace the student's own.
    """

    def _sort_by_timestamp(self, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        own = [record for record in records if self.check_owner and self._is_own(record)]
        return super()._sort_by_timestamp(own or records)

    def _is_own(self, record: dict[str, Any]) -> bool:
        import pwd  # missing on Windows, which has no exchange

        try:
            owner = pwd.getpwuid(os.lstat(os.path.join(self.inbound_path, record["filename"])).st_uid).pw_name
        except KeyError:  # the account is unknown on this machine
            return False
        return owner == record["username"]

    def copy_files(self) -> None:
        for record in self.src_records:  # it is compared with the time of the previous collection
            folder = self.coursedir.format_path(
                self.coursedir.submitted_directory, record["username"], self.coursedir.assignment_id
            )
            set_unreadable_time_aside(Path(folder), self.log)
        super().copy_files()

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        if os.path.islink(src):
            self.log.error("Not collected: %s is a symbolic link, perhaps to another's work.", src)
            return
        own_patterns = self.coursedir.ignore
        self.coursedir.ignore = [*own_patterns, *(glob.escape(os.path.basename(path)) for path in _irregular(src))]
        try:
            super().do_copy(src, dest, log)
        finally:
            self.coursedir.ignore = own_patterns


def _is_text(name: str) -> bool:
    """Whether a name could be decoded. Python keeps other bytes as characters that no database takes."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _leave_links_out(converter: Autograde) -> None:
    """Before the files of a submission are copied, have nbgrader ignore all but the regular ones."""
    course, next_hook = converter.coursedir, converter.pre_convert_hook
    own_patterns = [name for name in course.ignore if not os.path.isabs(name)]  # absolute paths are from an earlier run

    def hook(**about: Any) -> None:
        course.ignore = ["*"]  # if this fails, nbgrader continues: then it ignores all files
        links = _links(os.path.dirname(about["notebooks"][0]), converter.log)
        course.ignore = own_patterns + [glob.escape(path) for path in links]
        if next_hook:
            next_hook(**about)

    converter.pre_convert_hook = hook


def _links(folder: str, log: Any) -> list[str]:
    """Paths that must not be copied to a place that the submission's author can read: links, pipes and so on.

    nbgrader compares every file with every path of this list, and looks through whole folders for one with a bracket
    in it. So a long list, or a strange one, becomes the submission's folder, and nbgrader copies nothing of it.
    """
    beside = [path for path in _irregular(folder) if not path.endswith(".ipynb")]
    for path in beside[:MAX_LINKS]:
        log.warning("%s is left out: it is a symbolic link, or no regular file.", path)
    names = [os.path.relpath(path, folder) for path in beside]
    if len(names) > MAX_LINKS or names != list(map(glob.escape, names)):
        log.warning("Of %s only notebooks are taken.", folder)
        return [folder]
    return beside


def _irregular(folder: str) -> Iterator[str]:
    """Paths in a folder that are neither regular files nor folders: links, pipes and so on."""
    for parent, folders, names in os.walk(folder):
        for path in (os.path.join(parent, name) for name in sorted([*folders, *names])):
            mode = os.lstat(path).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                yield path


def set_unreadable_time_aside(folder: Path, log: Any) -> None:
    """Rename a time file that nbgrader cannot read: it would stop at a bad time, or read an endless file forever."""
    path = folder / TIME
    if not os.path.lexists(path) or _holds_a_time(path):
        return
    names = itertools.chain([UNREADABLE_TIME], (f"timestamp-unreadable-{number}.txt" for number in itertools.count(2)))
    free = next(name for name in names if not os.path.lexists(folder / name))
    log.warning("%s holds no time, so the submission counts as on time; the file is now called %s.", path, free)
    path.rename(folder / free)


def _holds_a_time(path: Path) -> bool:
    if path.lstat().st_size > MAX_TIME:
        return False
    try:
        text = content(path).decode().strip()
        return not text or utils.parse_utc(text) is not None
    except Exception:  # the date parser guesses, and raises many exceptions
        return False


def counting(path: Path) -> tuple[Path, str]:
    """The file that counts for the notebook of this path, as in any grading, and a sentence about any other files."""
    unit = path.stem
    found = [one for one in candidates_in(path.parent)[0] if unit_named(one.stem) in ("", unit)]
    possible = [one for one in found if one.path == path or not _is_copy(path, one.path)]
    if unit not in BY_NAME or len(possible) < 2:
        return path, ""
    index, note = choose(possible, unit)
    return possible[index].path, note


def _is_copy(path: Path, origin: Path) -> bool:
    """Whether one file is a copy of the other, made under the name that nbgrader expects."""
    try:
        return content(path) == notebook_in(origin)
    except UnreadableSubmission:
        return False


def notebook_in(path: Path) -> bytes:
    """A file of any kind, converted to a notebook; raises `UnreadableSubmission`."""
    data = content(path)
    if split(path.name)[1] in ("", NOTEBOOK) or kind_of(path.name, data) == NOTEBOOK:
        return data
    sources = parse(data, path).cells
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{number}") for number, source in enumerate(sources)]
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells)).encode()


def _tidy(converter: Autograde, gradebook: Gradebook, folder: Path, expected: Sequence[str]) -> bool:
    """Give the notebooks of a submission their names; returns whether there is anything to grade."""
    found, problems = candidates_in(folder)
    for problem in problems:
        converter.log.error("%s: %s", folder, problem)
    missing = [name for name in expected if not os.path.lexists(folder / f"{name}.ipynb")]
    known = {folder / f"{name}.ipynb" for name in expected}
    unknown = [one for one in found if one.path not in known]
    for name in missing:
        # Only the contents tell which of several files is meant.
        possible = [one for one in unknown if len(missing) == 1 or _is_of(one.path, name)]
        if possible:
            chosen = possible[choose(possible, name)[0] if name in BY_NAME else -1]
            unknown.remove(chosen)
            _copy_as(converter, chosen.path, folder / f"{name}.ipynb")
    if any(os.path.lexists(folder / f"{name}.ipynb") for name in expected):
        return True
    student = folder.relative_to(folder.parents[1]).parts[0]
    converter.log.warning("Not submitted: there is no notebook in %s, so %s has no points for it.", folder, student)
    if converter.create_student and student not in {known.id for known in gradebook.students}:
        gradebook.add_student(student)  # so that the export lists the student, with 0 points
    return False


def _copy_as(converter: Autograde, chosen: Path, expected: Path) -> None:
    try:
        expected.write_bytes(notebook_in(chosen))
    except (OSError, UnreadableSubmission) as error:
        converter.log.error("%s cannot be graded: copying it to %s failed (%s).", chosen, expected.name, error)
    else:
        converter.log.warning("%s is graded as %s: it was handed in under another name.", chosen, expected.name)


def _is_of(path: Path, name: str) -> bool:
    return name in BY_NAME and (unit_checked(path) == name or tasks_written(path, name) > 0)
