"""A learner's own code, carried from one unit to the next.

`keep` stores the source of what passed its checks, one file for each unit, which the learner can read and edit.
`bring_in` gives it to the notebooks of later units; where there is none, it gives the course's.
"""

from __future__ import annotations

import contextlib
import linecache
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.course.catalogue import c_solution, is_c, reference_module
from autograder.course.registry import COMPLETE, UnknownUnit, find_unit
from autograder.course.source import kernels_of
from autograder.judging.results import PASSED, TaskResult
from autograder.notebook import store
from autograder.notebook.own_source import own_source
from autograder.sandbox.runtime.c import CCode

EARLIER = "autograder.earlier"  # the module that later notebooks import from
TASK_OF = {
    name: f"{unit.name}.{name}"
    for unit in COMPLETE
    if unit.language != "c"
    for name in unit.names
    if not name.startswith("test_")  # later units use no tests of earlier ones
}
COURSES = "the course's"  # the origin that is shown for code that is not the learner's
HEAD = "head"  # of a file in C: includes, macros and helpers, which all its kernels share
_COMMENT = {".py": ("# ", ""), ".c": ("/* ", " */")}
_INTRODUCTION = (
    "Your own code of the unit {unit}: what passed its checks. Notebooks of later units use it.",
    "You may read and edit it. A task that passes again replaces its own part.",
)
_MARK = re.compile(r"^(?:# |/\* )%% (\S+?)(?:: passed on (\d{4}-\d\d-\d\d))?(?: \*/)?$", re.MULTILINE)


@dataclass(frozen=True)
class Kept:
    """The code of one task: its text, the day on which it passed, and where it stands."""

    text: str
    day: str
    path: Path
    line: int  # of its first line in the file

    @property
    def whose(self) -> str:
        """The origin as shown: "yours, passed on 3 Nov 2026". A file that the learner has edited may lack the day."""
        with contextlib.suppress(ValueError):
            day = date.fromisoformat(self.day)
            return f"yours, passed on {day.day} {day:%b %Y}"
        return "yours"


# --- keeping ---------------------------------------------------------------------------------------------------


def keep(tasks: Iterable[TaskResult], cells: Sequence[str], code: CCode | None = None) -> None:
    """Store the source of the tasks that passed. If the folder is not writable, nothing is kept.

    Args:
        tasks: results of one unit.
        cells: the cells that were run, in this order.
        code: for a unit in C, the code that its notebook holds; by default, that of the cells.
    """
    passed = [task.id for task in tasks if task.status == PASSED]
    if not passed:
        return
    unit = passed[0].partition(".")[0]
    found = _kernels(passed, code or _c_code(cells)) if is_c(unit) else _python(passed, cells)
    if not found:
        return
    with contextlib.suppress(OSError), store.writing():
        before = {name: (kept.text, kept.day) for name, kept in stored(unit).items()}
        days = {text: day for text, day in before.values()}  # unchanged code keeps its day
        today = date.today().isoformat()
        new = {name: (text, days.get(text) or today) for name, text in found.items()}
        store.write(_path(unit), _file(unit, {**before, **new}))


def _python(passed: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    unit = passed[0].partition(".")[0]
    # Other tasks of the unit are imported: the learner's own once they have passed, until then the course's.
    given_by = {name: f"from {EARLIER} import {name}" for name in find_unit(unit).names}
    found = {task: own_source(task.partition(".")[2], cells, given_by).strip("\n") for task in passed}
    return {task: text for task, text in found.items() if text}


def _kernels(passed: Sequence[str], code: CCode) -> dict[str, str]:
    pieces = code.functions()
    names = {task: task.partition(".")[2] for task in passed}
    found = {task: pieces[name].text for task, name in names.items() if name in pieces}
    return {HEAD: code.head(), **found} if found else {}


def _c_code(cells: Iterable[str]) -> CCode:
    """The C code of cells that begin with ``%%c``."""
    code = CCode()
    for number, cell in enumerate(cells, 1):
        magic, _, text = cell.partition("\n")
        if magic.split()[:1] == ["%%c"]:
            code.add(f"cell {number}", text)
    return code


def _file(unit: str, texts: dict[str, tuple[str, str]]) -> str:
    start, end = _COMMENT[_suffix(unit)]
    parts = ["\n".join(f"{start}{line.format(unit=unit)}{end}" for line in _INTRODUCTION)]
    for name in [HEAD, *find_unit(unit).task_ids]:
        if name in texts:
            text, day = texts[name]
            parts.append(f"{start}%% {name}{f': passed on {day}' if day and name != HEAD else ''}{end}\n{text}")
    return "\n\n".join(parts) + "\n"


# --- what is kept ----------------------------------------------------------------------------------------------


def stored(unit: str) -> dict[str, Kept]:
    """The kept code of a unit, by task; empty if its file is missing or unreadable."""
    try:
        path = _path(unit)
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    marks = list(_MARK.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return {
        mark[1]: Kept(text[mark.end() + 1 : end].rstrip("\n"), mark[2] or "", path, text.count("\n", 0, mark.end()) + 2)
        for mark, end in zip(marks, ends)
    }


def _suffix(unit: str) -> str:
    return ".c" if is_c(unit) else ".py"


def _path(unit: str) -> Path:
    return store.code_file(unit, _suffix(unit))


# --- bringing in -----------------------------------------------------------------------------------------------

_loaded: dict[tuple[str, str], Any] = {}  # by task and text: one class stays one class while a notebook runs
_loading: set[str] = set()


def bring_in(name: str) -> Any:
    """What a learner wrote under this name where it has passed, else the course's; a line says which.

    Raises `ImportError` for a name that is no task of a unit in Python.
    """
    task = TASK_OF.get(name)
    if task is None:
        raise ImportError(f"{EARLIER} has no {name!r}: it gives what you write in the units of the course.")
    unit = task.partition(".")[0]
    kept = stored(unit).get(task)
    if kept is None or task in _loading:
        return _course(unit, name, "")
    try:
        value = _own(task, kept)
    except (Exception, SystemExit) as error:
        return _course(unit, name, f", since yours in {kept.path} does not run ({type(error).__name__}: {error})")
    if not _loading:  # no line for what the learner's code itself imports
        print(f"{name}: {kept.whose}")
    return value


def _course(unit: str, name: str, why: str) -> Any:
    if why or not _loading:
        print(f"{name}: {COURSES}{why}")
    return getattr(reference_module(unit), name)


def _own(task: str, kept: Kept) -> Any:
    """Execute the kept source of a task in a module of its own, and take the name from there."""
    if (task, kept.text) in _loaded:
        return _loaded[task, kept.text]
    module = ModuleType(f"{store.CODE}.{task}")
    module.__file__ = str(kept.path)
    linecache.checkcache(str(kept.path))
    code = compile("\n" * (kept.line - 1) + kept.text, str(kept.path), "exec", dont_inherit=True)
    sys.modules[module.__name__] = module  # classes are looked up by the names of their modules
    _loading.add(task)
    try:
        exec(code, vars(module))
        value = getattr(module, task.partition(".")[2])
    finally:
        _loading.discard(task)
    _loaded[task, kept.text] = value
    return value


# --- C ---------------------------------------------------------------------------------------------------------


def kernels(unit: str) -> str:
    """A complete file of the kernels of a unit in C: the learner's where they have passed, else the course's."""
    if find_unit(unit).language != "c":
        raise UnknownUnit(f"The unit {unit!r} is not in C: its code is imported from {EARLIER}.")
    kept, code = stored(unit), CCode()
    own = [name for name in find_unit(unit).names if f"{unit}.{name}" in kept]
    course = kernels_of(c_solution(unit))
    for name in course:
        print(f"{name}: {kept[f'{unit}.{name}'].whose if name in own else COURSES}")
    if course.keys() - set(own):
        code.add(COURSES, c_solution(unit))
    if own:  # of two kernels with one name, the second counts
        code.add(
            "yours",
            "\n\n".join(kept[name].text for name in (HEAD, *(f"{unit}.{name}" for name in own)) if name in kept),
        )
    return code.source()
