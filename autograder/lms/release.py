"""Exercise notebooks from one source: ``python -m autograder.release`` (``make exercises``).

``python -m autograder.release --course FOLDER UNIT ...`` releases units into an nbgrader course instead; their first
cell installs the version of the course that they were released with. ``--out FOLDER`` writes the notebooks of a release
of the project: their first cells pin a version too, and `check` says in them which tasks have changed since.

``solutions/notebooks/<unit>.md`` (jupytext MyST) holds the narrative and *names* the code it wants. In it,

===================================  =====================================================================
a code cell with                     becomes
===================================  =====================================================================
``:setup:``                          the imports of the unit's module, and those that its own text adds; what comes from
                                     other units is imported from ``autograder.earlier``
``:given: GPT2_SPLIT Config``        those constants, functions or classes, which a learner does not write
``:task: attention.softmax``         that object, pulled out of ``solutions/attention.py``; nbgrader empties it
``:check: attention.softmax``        the locked cell that grades the task; its own text says what is checked
``:write: induction_score``          that object, emptied, in a notebook where nothing is graded
``:include: heat_map.py``            that file of ``solutions/notebooks``
``:by-hand: attention.six-scores``   that question (`autograder.course.by_hand`), and a cell that takes the answer
anything else                        itself: a demonstration, which is not run when grading
===================================  =====================================================================

The heading ``# Exercise: losses`` gets the number of the unit. A text cell that begins with ``+++ {"reflection":
"attention.reflection", "points": 2}`` is a question graded by hand.
What stands between ``:::{traps}`` and ``:::`` is folded until it is opened, after a first try. The path through the
chapter (`autograder.course.chapter_path`) is written below the opening. A link can open a task by the id of its first
cell.
In the text, ``{{points:attention.softmax}}`` is what a task is worth (``{{points}}``: the question itself),
``{{groups:attention.test_attention}}`` the table of what a test has to catch, and
``[words](book:attention#rows-are-queries)`` is a link into the book. So is a reference
(`autograder.course.references`): ``{section}`attention#rows-are-queries` ``.

``{{recorded:measurements/grading:a.b/60:.1f}}`` is what ``book/measurements/grading.json`` has under the keys ``a`` and
``b``, divided by 60, in this format. Code cells may name such numbers too.

A unit may have notebooks beside its own in which nothing is graded (``COMPANIONS`` in its ``__init__.py``). nbgrader
never sees them: they are written into ``exercises/`` alone.

nbgrader turns these source notebooks into those that learners get. The same source gives the same bytes.
The headings of the chapters, which the reports name, are written anew as well.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import itertools
import json
import os
import re
import shutil
import sys
import sysconfig
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode
from nbgrader.apps.api import NbGraderAPI
from traitlets.config import Config

from autograder.course import addresses, by_hand, chapter_path, headings
from autograder.course.catches import find_catch
from autograder.course.references import Reference, UnknownReference, expand
from autograder.course.registry import BY_NAME, COMPANIONS, COMPLETE, Unit, UnknownUnit, find_unit, is_catch
from autograder.course.version import digest_of_checks, digests_of_tasks, pinned, requirement
from autograder.judging import runner
from autograder.lms.grade_ids import grade_id
from autograder.lms.nbgrader import configure
from autograder.lms.stubs import C_MAGIC, ClearSolutionsByName, solution_id
from autograder.sandbox.runtime.c.reading import pieces_of
from autograder.submissions import demonstrations

SOLUTIONS = addresses.ROOT / "solutions"
NARRATIVES = SOLUTIONS / "notebooks"
BOOK = addresses.ROOT / "book"
EXERCISES = addresses.ROOT / "exercises"
COURSE_ROOT = addresses.ROOT / "_build" / "nbgrader"

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# For a notebook in which nothing is graded.
COMPANION_FIRST_CELL = """\
# Run this first. It installs what this notebook needs if it is not there yet, as on Colab; otherwise it does nothing.
try:
    import {modules}
except ModuleNotFoundError:
    %pip install -q "{package}\""""
TRAINING_PROGRAM = "solutions.translator"  # it trains with packages of the extra `translation`
EARLIER, GIVEN = "autograder.earlier", "solutions.given"  # the modules that a setup cell imports from
EARLIER_COMMENT = "# From earlier units: your own code where its check has passed, else the course's."
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
# The empty line makes Markdown work inside the folded part.
TRAPS = r"<details><summary><b>Where it can go wrong: open after your first try</b></summary>\n\n\1\n</details>"
C_BEGIN, C_END = "/* BEGIN SOLUTION */", "/* END SOLUTION */"


class BrokenSource(ValueError):
    """The narrative and the course do not fit together; the message is one sentence for the author."""


# --- the code that a narrative names ---------------------------------------------------------------------


class SolutionModule:
    """A reference module as text: nothing is imported, so a broken one cannot stop a release half-way."""

    def __init__(self, unit: str):
        self.path = SOLUTIONS / f"{unit}.py"
        text = _read(self.path)
        self._lines = text.splitlines()
        try:
            self._tree = ast.parse(text)
        except SyntaxError as error:
            raise BrokenSource(f"{_relative(self.path)}, line {error.lineno}: {error.msg}.") from None

    def imports(self, extra: str = "") -> str:
        """The module's import statements and those of ``extra``; names of other units are the learner's or ours."""
        statements = [node for node in self._tree.body if isinstance(node, ast.ImportFrom)]
        course = [node for node in statements if node.module == "solutions"]
        earlier = [alias for node in statements if _other_unit(node) in BY_NAME for alias in node.names]
        given = [self._lines[node.lineno - 1] for node in statements if node.module == GIVEN]
        constants = [f"{alias.name} = {course_constant(alias.name)!r}" for node in course for alias in node.names]
        # A name with an underscore is written into the answers that use it (see `source`).
        names = {alias.name for alias in earlier if not alias.name.startswith("_")} | _earlier_names(extra)
        others = [line for line in extra.splitlines() if EARLIER not in line]
        parts = ["\n".join([_in_usual_order([*self._own_imports(), *given, *others]), "", *constants]).strip()]
        if names:
            parts.append(f"{EARLIER_COMMENT}\n{_wrapped(sorted(names))}")
        return "\n\n".join(parts)

    def _own_imports(self) -> list[str]:
        """The lines of the imports that have nothing to do with the answers' package."""
        nodes = [node for node in self._tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        nodes = [node for node in nodes if not (getattr(node, "module", "") or "").startswith("solutions")]
        return self._lines[nodes[0].lineno - 1 : nodes[-1].end_lineno] if nodes else []

    def collect(self, names: Iterable[str], found: dict[str, str]) -> None:
        """Add the source of these objects and of all course objects that they use, each before its users."""
        for name in names:
            if name in found:
                continue
            if name in self._elsewhere:
                node = self._elsewhere[name]
                if _other_unit(node):
                    SolutionModule(_other_unit(node)).collect([name], found)
                else:
                    found[name] = f"{name} = {course_constant(name)!r}"
                continue
            definition = self._definition(name)
            used = {inner.id for inner in ast.walk(definition) if isinstance(inner, ast.Name)} - {name}
            self.collect([other for other in self._names() if other in used], found)
            found[name] = _without_marks(self._text(name))

    def given(self, name: str) -> str:
        """The source of an object that a learner does not write, with the helpers that belong to it."""
        return _without_marks(self.source(name))

    def source(self, name: str) -> str:
        """The function or class of that name with its docstring and its solution marks.

        A helper whose name begins with an underscore belongs to the answers that use it: it is written into them.
        """
        used = {inner.id for inner in ast.walk(self._definition(name)) if isinstance(inner, ast.Name)}
        helpers: dict[str, str] = {}
        self.collect([other for other in self._names() if other.startswith("_") and other in used], helpers)
        if not helpers:
            return self._text(name)
        before, begin, after = self._text(name).partition(BEGIN + "\n")
        margin = before.rpartition("\n")[2]
        return before + begin + textwrap.indent("\n\n".join(helpers.values()), margin) + "\n\n" + after

    def _text(self, name: str) -> str:
        node = self._definition(name)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
            return self._block(first, node.lineno)
        return "\n".join(self._lines[node.lineno - 1 : node.end_lineno])

    def _definition(self, name: str) -> ast.stmt:
        if name not in self._defined:
            raise BrokenSource(f"{_relative(self.path)} defines no {name!r}, which the notebook asks for.")
        return self._defined[name]

    @cached_property
    def _defined(self) -> dict[str, ast.stmt]:
        """What the module itself defines, in its order."""
        found: dict[str, ast.stmt] = {}
        for node in self._tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found[node.name] = node
            elif isinstance(node, ast.Assign):
                found |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        return found

    @cached_property
    def _elsewhere(self) -> dict[str, ast.ImportFrom]:
        """The names that it imports from the answers' package, each with its statement."""
        return {
            alias.name: node
            for node in self._tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("solutions")
            for alias in node.names
        }

    def _names(self) -> list[str]:
        return [*self._elsewhere, *self._defined]

    def _block(self, first: int, header: int) -> str:
        # The syntax tree does not hold the comment that closes a solution, so go on as long as lines are indented.
        last = header
        while last < len(self._lines) and (not self._lines[last].strip() or self._lines[last][0] in " )"):
            last += 1
        return "\n".join(self._lines[first:last]).rstrip()


def _earlier_names(text: str) -> set[str]:
    """The further names that a setup cell of a narrative imports from earlier units."""
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom) and node.module == EARLIER]
    return {alias.name for node in nodes for alias in node.names}


def _wrapped(names: list[str]) -> str:
    """The import of names from earlier units, on as many lines as they take."""
    line = f"from {EARLIER} import {', '.join(names)}"
    if len(line) <= 100:
        return line
    listed = textwrap.fill(", ".join(names) + ",", 100, initial_indent="    ", subsequent_indent="    ")
    return f"from {EARLIER} import (\n{listed}\n)"


def _in_usual_order(imports: list[str]) -> str:
    """Import statements, the standard library first, those of one module together."""
    found: dict[tuple[bool, bool, str], set[str]] = {}
    for node in ast.walk(ast.parse("\n".join(imports))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[_third_party(alias.name), False, ast.unparse(alias)] = set()
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found.setdefault((_third_party(module), True, module), set()).update(map(ast.unparse, node.names))
    sections: dict[bool, list[str]] = {}
    for (section, _, module), names in sorted(found.items()):
        line = f"from {module} import {', '.join(sorted(names))}" if names else f"import {module}"
        sections.setdefault(section, []).append(line)
    return "\n\n".join(map("\n".join, sections.values()))


def _third_party(module: str) -> bool:
    return module.partition(".")[0] not in sys.stdlib_module_names


class CSolution:
    """A reference solution in C as text, with the parts that a narrative may name; each part is a cell of its own."""

    def __init__(self, unit: str):
        self.unit = unit
        self.path = SOLUTIONS / "c" / f"{unit}.c"
        self._pieces = pieces_of(_read(self.path), self.path.name)

    def imports(self, extra: str = "") -> str:
        """What stands before the first function: includes and macros."""
        head = itertools.takewhile(lambda piece: not piece.function, self._pieces)
        return _c_cell("\n".join(piece.text for piece in head))

    def given(self, name: str) -> str:
        """A function that a learner does not write: without the marks of a solution."""
        lines = self.source(name).splitlines()
        return "\n".join(line for line in lines if line.strip() not in (C_BEGIN, C_END))

    def source(self, name: str) -> str:
        """The function of that name with the comment above it and its solution marks; a catch-it test is in Python."""
        if is_catch(name):
            return SolutionModule(self.unit).source(name)
        for piece in self._pieces:
            if piece.function == name:
                return _c_cell(piece.text)
        raise BrokenSource(f"{_relative(self.path)} defines no {name!r}, which the notebook asks for.")


def _c_cell(text: str) -> str:
    return f"{C_MAGIC}\n{text}"


def solution_of(unit: Unit) -> SolutionModule | CSolution:
    """The reference solution of a unit as text."""
    return CSolution(unit.name) if unit.language == "c" else SolutionModule(unit.name)


def _without_marks(source: str) -> str:
    """Source in Python without the marks of a solution."""
    return "\n".join(line for line in source.splitlines() if line.strip() not in (BEGIN, END))


def _other_unit(node: ast.ImportFrom) -> str:
    """The unit that ``from solutions.<unit> import …`` names; empty for any other import."""
    package, _, unit = (node.module or "").partition(".")
    return unit if package == "solutions" else ""


def course_constant(name: str) -> object:
    """The value of a constant that ``solutions/__init__.py`` assigns, for example ``PAD``."""
    for node in ast.parse(_read(SOLUTIONS / "__init__.py")).body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], ast.literal_eval(node.value)
            if isinstance(target, ast.Name):
                target, value = ast.Tuple([target]), (value,)
            names = [element.id for element in getattr(target, "elts", []) if isinstance(element, ast.Name)]
            if name in names:
                return value[names.index(name)]
    raise BrokenSource(f"solutions/__init__.py assigns no constant called {name!r}.")


# --- from the narrative to nbgrader's source notebook -------------------------------------------------------


@dataclass(frozen=True)
class Pin:
    """What the first cell of a notebook installs, and what it was released with: digests of checks, or of tasks."""

    package: str  # as pip takes it
    checks: str = ""
    tasks: str = ""


def source_notebook(unit: Unit, pin: Pin | None = None) -> NotebookNode:
    """The instructor's notebook of a unit: narrative, solutions, checks."""
    path = NARRATIVES / f"{unit.name}.md"
    narrative = jupytext.reads(_read(path), fmt="md:myst")
    _demand_every_task_once(unit, narrative, _relative(path))
    module = solution_of(unit)
    made = (part for cell in narrative.cells for part in _cells(unit, module, cell))
    cells = [_code(first_cell(unit, pin)), *made]
    cells[1]["source"] = _opening(cells[1]["source"], unit)
    begins = {f"## Task {task.number}: `{task.name}`": task.cell for task in chapter_path.tasks_of(unit.name).values()}
    for index, cell in enumerate(cells):
        begin = begins.get(cell.source.partition("\n")[0], "")
        cell["id"] = cell.metadata.get("nbgrader", {}).get("grade_id", begin or f"{unit.name}-cell-{index:02d}")
        if begin:
            cell.metadata["id"] = begin  # where Colab looks for the cell that a link names
    return nbformat.from_dict({"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5})


def first_cell(unit: Unit, pin: Pin | None) -> str:
    """A cell that installs the course where it is missing, as on Colab: without a pin, the current repository."""
    package = pin.package if pin else requirement(addresses.repository_branch())
    names = "from autograder import by_hand, check, hint, progress"
    lines = [
        "# Run this first. It installs the course if it is not there yet, as on Colab; otherwise it does nothing.",
        "try:",
        f"    {names}",
        "except ModuleNotFoundError:",
        f'    %pip install -q "{package}"',
        f"    {names}",
    ]
    if pin and pin.tasks:
        lines += ["check(", f'    "{unit.name}",', f'    tasks="{pin.tasks}",', f'    package="{pin.package}",', ")"]
    elif pin:
        lines.append(f'check("{unit.name}", released_with="{pin.checks}", package="{package}")')
    return "\n".join(lines)


def companion_notebook(name: str, package: str = "") -> NotebookNode:
    """A notebook beside that of a unit, in which nothing is graded.

    Its first cell installs ``package``, by default the course as the repository is.

    It takes code from ``solutions/<name>.py`` if there is such a module, and otherwise from the unit's module.
    """
    unit, path = find_unit(COMPANIONS[name]), NARRATIVES / f"{name}.md"
    narrative = jupytext.reads(_read(path), fmt="md:myst")
    module = SolutionModule(name) if (SOLUTIONS / f"{name}.py").is_file() else solution_of(unit)
    trains = any(TRAINING_PROGRAM in cell.source for cell in narrative.cells if cell.cell_type == "code")
    package, modules = package or requirement(addresses.repository_branch()), "autograder"
    if trains:
        package, modules = f"transformer-workbook[translation] @ {package}", "autograder, tokenizers"
    cells = [_code(COMPANION_FIRST_CELL.format(modules=modules, package=package))]
    for cell in narrative.cells:
        if {"task", "check", "reflection"} & cell.metadata.keys():
            raise BrokenSource(f"{_relative(path)} asks for something that is graded: move it to {unit.name}.md.")
        cells += _cells(unit, module, cell)
    heading, _, rest = cells[1]["source"].partition("\n")
    cells[1]["source"] = f"{heading}\n\n{_open_in(f'exercises/{unit.name}/{name}.ipynb')}\n{rest}"
    for index, cell in enumerate(cells):
        cell["id"] = f"{name}-cell-{index:02d}"
        if index and cell.cell_type == "code":  # if somebody grades the file anyway, none of it runs
            cell["metadata"] = nbformat.from_dict(demonstrations.mark(cell.source))
    return nbformat.from_dict({"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5})


def _open_in(path: str) -> str:
    """The line that says where else a notebook of the repository can be opened."""
    links = " · ".join(f"[{service}]({address})" for service, address in addresses.launch_urls(path).items())
    return f"*Open this notebook in:* {links}"


def _opening(text: str, unit: Unit) -> str:
    """The opening of a notebook with its number, and with a line below that says where else it can be opened."""
    heading, _, rest = text.partition("\n")
    kind, _, title = heading.partition(": ")
    if kind != "# Exercise" or not title:
        raise BrokenSource(
            f"The notebook of {unit.name} begins with a heading like '# Exercise: losses', not {heading!r}."
        )
    open_in = _open_in(f"exercises/{unit.name}/{unit.name}.ipynb")
    return f"{kind} {unit.number}: {title}\n\n{open_in}\n{_path(unit)}{rest}"


def _path(unit: Unit) -> str:
    """The path through chapter and notebook, one line for each sitting; nothing for a chapter that has none."""
    lines = []
    for sitting in chapter_path.path_of(unit.name).sittings:
        read = f"read to '{sitting.sections[-1].title}' ({sitting.reading} minutes)"
        done = ", ".join(f"Task {task.number}" for task in sitting.tasks)
        lines.append(f"- {sitting.name}: {read}; do {done} ({sitting.doing} minutes), each where the chapter says so.")
    chapter = addresses.chapter_url(unit.name)
    return "\n".join(["", f"**Your path** ([chapter]({chapter})):", "", *lines, ""]) if lines else ""


def _demand_every_task_once(unit: Unit, narrative: NotebookNode, path: str) -> None:
    """Each task must have one cell to write it in and, later, one that checks it."""
    positions: dict[str, dict[str, int]] = {"task": {}, "check": {}}
    for index, cell in enumerate(narrative.cells):
        for kind, seen in positions.items():
            task = cell.metadata.get(kind)
            if task is None:
                continue
            if task not in unit.task_ids:
                raise BrokenSource(f"{path} has a {kind} cell for {task!r}, which is no task of unit {unit.name!r}.")
            if task in seen:
                raise BrokenSource(f"{path} has two {kind} cells for {task!r}.")
            seen[task] = index
    for task in unit.task_ids:
        for kind, seen in positions.items():
            if task not in seen:
                raise BrokenSource(f"{path} has no {kind} cell for {task!r}.")
        if positions["check"][task] < positions["task"][task]:
            raise BrokenSource(f"{path} checks {task!r} before the cell in which it is written.")
    if not any("reflection" in cell.metadata for cell in narrative.cells):
        raise BrokenSource(f"{path} has no reflection question.")


def _cells(unit: Unit, module: SolutionModule | CSolution, cell: NotebookNode) -> list[NotebookNode]:
    """The cells for a cell of the narrative: one, or for a question by hand its text and its answer cell."""
    if "by-hand" not in cell.metadata:
        return [_cell(unit, module, cell)]
    name = cell.metadata["by-hand"]
    try:
        asked = by_hand.question(name)
    except by_hand.UnknownQuestion as error:
        raise BrokenSource(f"solutions/notebooks/{unit.name}.md: {error}") from None
    how = "Type your answer between the quotes, and run the cell."
    return [_text(f"**By hand.** {asked.ask} {how}"), _demonstration(f'by_hand("{name}", "")')]


def _cell(unit: Unit, module: SolutionModule | CSolution, cell: NotebookNode) -> NotebookNode:
    named = cell.metadata
    if cell.cell_type == "markdown":
        return _reflection(cell) if "reflection" in named else _text(cell.source)
    if "setup" in named:
        return _code(module.imports(cell.source))
    if "given" in named:
        return _code("\n\n\n".join(module.given(name) for name in str(named["given"]).split()))
    if "task" in named:
        return _task(named["task"], module)
    if "check" in named:
        return _check(named["check"], cell.source)
    if "write" in named:
        return _emptied(named["write"], module)
    if "include" in named:
        return _demonstration(_read(NARRATIVES / named["include"]).strip())
    return _demonstration(cell.source)


def _task(task: str, module: SolutionModule | CSolution) -> NotebookNode:
    source = module.source(task.partition(".")[2])
    begin, end = (C_BEGIN, C_END) if source.startswith(C_MAGIC) else (BEGIN, END)
    if begin not in source or source.count(begin) != source.count(end):
        raise BrokenSource(
            f"{_relative(module.path)}: {task!r} needs {begin!r} and {end!r} around what a learner writes."
        )
    return _code(source, _nbgrader(solution_id(task), solution=True))


def _emptied(name: str, module: SolutionModule | CSolution) -> NotebookNode:
    """The cell for an object that is not graded: nbgrader does not process it, so it is emptied here."""
    cell = _code(module.source(name), _nbgrader(solution_id(name), solution=True))
    return ClearSolutionsByName().preprocess_cell(cell, {"language": "python"}, 0)[0]


def _check(task: str, what: str) -> NotebookNode:
    if not what.startswith("# "):
        raise BrokenSource(f"The check cell of {task!r} needs a comment that says what is checked.")
    points = float(runner.max_points(task))
    if not points:
        raise BrokenSource(f"There is no check for {task!r} in autograder/checks, so it is worth no points.")
    return _code(f'{what}\ncheck("{task}")', _nbgrader(grade_id(task), grade=True, locked=True, points=points))


def _reflection(cell: NotebookNode) -> NotebookNode:
    name = cell.metadata["reflection"]
    if BEGIN not in cell.source or END not in cell.source:
        raise BrokenSource(f"The reflection question {name!r} needs a model answer between {BEGIN!r} and {END!r}.")
    points = cell.metadata.get("points")
    if not isinstance(points, (int, float)):
        raise BrokenSource(f"The reflection question {name!r} needs its points, as in {{'points': 2}}.")
    source = cell.source.replace("{{points}}", _plural(points))
    return _text(source, _nbgrader(grade_id(name), grade=True, solution=True, points=float(points)))


def _nbgrader(name: str, *, grade=False, solution=False, locked=False, points: float | None = None) -> dict:
    flags = {
        "schema_version": 3,
        "grade_id": name,
        "grade": grade,
        "solution": solution,
        "locked": locked,
        "task": False,
    }
    return {"nbgrader": flags if points is None else {**flags, "points": points}}


def _code(source: str, metadata: dict | None = None) -> NotebookNode:
    return nbformat.v4.new_code_cell(source, metadata=metadata or {})


def _demonstration(source: str) -> NotebookNode:
    source = _with_records(source)
    return _code(source, demonstrations.mark(source))


def _groups(task: str) -> str:
    """What a test has to catch, as a table: the checks of a catch-it task."""
    rows = [f"| {one.title} | {len(one.slips)} |" for one in find_catch(task).groups]
    return "\n".join(["| check | wrong implementations |", "|---|---|", *rows])


def _text(source: str, metadata: dict | None = None) -> NotebookNode:
    source = _with_records(source)
    source = re.sub(r"^:::\{traps\}\n(.*?)^:::$", TRAPS, source, flags=re.MULTILINE | re.DOTALL)
    source = re.sub(r"\{\{points:([\w.]+)\}\}", lambda match: _plural(runner.max_points(match[1])), source)
    source = re.sub(r"\{\{groups:([\w.]+)\}\}", lambda match: _groups(match[1]), source)
    pages = r"\]\(book:([\w-]+)(?:#([\w-]+))?\)"
    source = re.sub(pages, lambda match: f"]({addresses.chapter_url(match[1], match[2] or '')})", source)
    source = expand(source, _link, quote='"')
    return nbformat.v4.new_markdown_cell(source, metadata=metadata or {})


def _with_records(source: str) -> str:
    """A text with the recorded numbers that it names."""
    return re.sub(r"\{\{recorded:([\w/]+):([\w.-]+)(?:/(\d+))?:([\w.%,]*)\}\}", _recorded, source)


def _recorded(named: re.Match[str]) -> str:
    file, keys, divisor, form = named.groups()
    value = json.loads(_read(BOOK / f"{file}.json"))
    for key in keys.split("."):
        if not isinstance(value, dict) or key not in value:
            raise BrokenSource(f"book/{file}.json has no {keys!r}, which a notebook names.")
        value = value[key]
    return format(value / int(divisor) if divisor else value, form)


def _link(reference: Reference) -> str:
    return f"[{reference.words}]({addresses.chapter_url(reference.page, reference.anchor)})"


def _plural(points: object) -> str:
    return f"{points} point" if points == 1 else f"{points} points"


# --- nbgrader: from source to release ----------------------------------------------------------------------


def build_sources(
    course_root: Path, units: Iterable[str] | None = None, package: str = "", public: bool = False
) -> list[Path]:
    """Write ``<course_root>/source/<unit>/<unit>.ipynb`` for the units, all complete ones by default."""
    paths = []
    for unit in _units(units):
        path = course_root / "source" / unit.name / f"{unit.name}.ipynb"
        _write(path, to_bytes(source_notebook(unit, _pin(unit.name, package, public))))
        paths.append(path)
    return paths


def _pin(unit: str, package: str, public: bool) -> Pin | None:
    if not package:
        return None
    return Pin(package, tasks=digests_of_tasks(unit)) if public else Pin(package, checks=digest_of_checks(unit))


def generate(
    course_root: Path, units: Iterable[str] | None = None, package: str = "", public: bool = False
) -> list[Path]:
    """Build the sources and have nbgrader release them: ``<course_root>/release/<unit>/<unit>.ipynb``.

    The assignments are entered into the gradebook of that course, ``<course_root>/gradebook.db``. Their first cells
    install ``package``, by default the course as its repository is when they run. Where other checks are installed,
    nothing is judged; ``public`` notebooks are judged all the same, and name the tasks that have changed.
    """
    course_root = course_root.resolve()
    chosen = [unit.name for unit in _units(units)]
    build_sources(course_root, chosen, package, public)
    api = NbGraderAPI(config=configure(Config(), root=course_root))
    with scripts_on_path():
        return [_release(api, course_root, unit) for unit in chosen]


@contextlib.contextmanager
def scripts_on_path() -> Iterator[None]:
    """nbgrader starts `alembic` by name, and cannot find it when an environment's Python runs without activation."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + before
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _release(api: NbGraderAPI, course_root: Path, unit: str) -> Path:
    result = api.generate_assignment(unit, force=True)
    if not result["success"]:
        raise BrokenSource(f"nbgrader could not release {unit!r}: {_reason(result)}")
    path = course_root / "release" / unit / f"{unit}.ipynb"
    _write(path, to_bytes(nbformat.read(path, as_version=4)))
    return path


def _reason(result: dict) -> str:
    """The line of nbgrader's log in which the first exception says what it is."""
    text = "\n".join(str(result.get(key) or "") for key in ("log", "error"))
    found = re.search(r"^\s*([\w.]*(?:Error|Exception|Entry)): (.*)$", text, re.MULTILINE)
    return f"{found[1]}: {found[2]}" if found else "it did not say why."


def _units(names: Iterable[str] | None) -> list[Unit]:
    return list(COMPLETE) if names is None else [find_unit(name) for name in names]


# --- files ---------------------------------------------------------------------------------------------------


def to_bytes(notebook: NotebookNode) -> bytes:
    """The notebook as a file that does not depend on the time and place of the build."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.validate(notebook)
    return (nbformat.writes(notebook, version=4).rstrip("\n") + "\n").encode()


def write_exercises(target: Path, course_root: Path, package: str = "") -> list[Path]:
    """Generate the exercises of all complete units into ``target``; returns the files that changed."""
    released = generate(course_root, package=package, public=True)
    made = {target / path.parent.name / path.name: path.read_bytes() for path in released}
    for name, unit in COMPANIONS.items():
        made[target / unit / f"{name}.ipynb"] = to_bytes(companion_notebook(name, package))
    return [path for path, data in made.items() if _write(path, data)]


def stale(target: Path) -> list[str]:
    """Names of the notebooks in ``target`` that differ from a fresh generation, are missing, or should not be there."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "fresh"
        write_exercises(fresh, Path(folder) / "course")
        made, there = _notebooks(fresh), _notebooks(target)
    return sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))


def is_current(unit: Unit, target: Path = EXERCISES) -> bool:
    """Whether the exercise of one unit is what its sources give. Quicker than `stale`: it does not run nbgrader."""
    made = {unit.name: ClearSolutionsByName().preprocess(source_notebook(unit), {})[0]}
    made |= {name: companion_notebook(name) for name in unit.companions}
    paths = {name: target / unit.name / f"{name}.ipynb" for name in made}
    return all(
        path.is_file() and _content(made[name]) == _content(nbformat.read(path, as_version=4))
        for name, path in paths.items()
    )


def _content(notebook: NotebookNode) -> list[tuple]:
    """What the author of a notebook decides in each cell."""
    about = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    return [
        (cell.cell_type, cell.source, grading.get("grade_id"), grading.get("points"))
        for cell, grading in zip(notebook.cells, about)
    ]


def _notebooks(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BrokenSource(f"{_relative(path)} is missing.") from None


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


def _write(path: Path, data: bytes) -> bool:
    """Make a file hold this; True when that changed it."""
    if _holds(path, data):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return True


def _relative(path: Path) -> str:
    return path.relative_to(addresses.ROOT).as_posix() if path.is_relative_to(addresses.ROOT) else str(path)


# --- a class -------------------------------------------------------------------------------------------------


def release_to_class(course_root: Path, units: list[str], package: str) -> None:
    """Release units into a course folder."""
    with scripts_on_path():
        for path in generate(course_root.resolve(), units, package):
            print(f"Released: {path}")
    print(f"Their first cell installs {package}.")


def release_to_public(target: Path, package: str) -> None:
    """Write the exercises with all that lies beside them into a folder, as a release of the project has them."""
    shutil.copytree(EXERCISES, target, ignore=shutil.ignore_patterns(".*", "__pycache__"), dirs_exist_ok=True)
    with tempfile.TemporaryDirectory() as course:
        write_exercises(target, Path(course), package)
    print(f"Written: {target}, whose first cells install {package}.")


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder.release",
        description="Make the exercise notebooks, or release those of some units into an nbgrader course.",
    )
    parser.add_argument("units", metavar="UNIT", nargs="*", help="with --course: what to release")
    parser.add_argument("--course", metavar="FOLDER", type=Path, help="release into this nbgrader course")
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="write the exercises of a release into this folder")
    parser.add_argument("--version", metavar="TAG", help="tag or commit that learners install (by default, this one)")
    parser.add_argument("--package", metavar="NAME", help="what learners install instead, as pip takes it")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not up to date")
    options = parser.parse_args(arguments)
    try:
        if options.course or options.units:
            if not (options.course and options.units):
                raise BrokenSource("Name both the course and the units: --course FOLDER UNIT ...")
            release_to_class(options.course, options.units, options.package or pinned(options.version))
            return 0
        if options.out:
            release_to_public(options.out, options.package or pinned(options.version))
            return 0
        if options.check:
            old = [EXERCISES / name for name in stale(EXERCISES)]
            return _report_stale(old + [headings.TABLE] * (not _holds(headings.TABLE, headings.fresh())))
        changed = []
        if _write(headings.TABLE, headings.fresh()):  # first: the notebooks name sections
            headings.table.cache_clear()
            changed.append(headings.TABLE)
        changed += write_exercises(EXERCISES, COURSE_ROOT)
    except (BrokenSource, UnknownReference, UnknownUnit) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Written: {', '.join(map(_relative, changed))}." if changed else "All is up to date.")
    return 0


def _report_stale(paths: list[Path]) -> int:
    if not paths:
        return 0
    listed = ", ".join(map(_relative, paths))
    print(f"Not what the sources give: {listed}; run `make exercises` and commit the result.", file=sys.stderr)
    return 1
