"""Writes a new unit or task, as templates: ``autograder new unit NAME`` and ``autograder new task UNIT.NAME``.

Every placeholder says TODO and what to write there; `autograder doctor` lists those that are left. All texts are made
in memory first. Then all files are written, or none.
"""

from __future__ import annotations

import ast
import json
import keyword
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from autograder.course.addresses import PACKAGE, ROOT, is_checkout, parts_of
from autograder.course.lint import shows_solution
from autograder.course.registry import BY_NAME, STAGES, Unit
from autograder.course.source import kernels_of

WIDTH = 120  # of a line, as ruff formats the repository
LONGEST_NAME = 32  # so that no line of a template grows longer than WIDTH
REGISTRY, TOC = "autograder/course/registry.py", "_toc.yml"
PROTOTYPES, HEADER = "autograder/sandbox/runtime/c/prototypes.py", "solutions/c/kernels.h"
MAKEFILE = "solutions/c/Makefile"

Texts = dict[str, str]  # what files will hold, by their paths from the root of the checkout
Imports = Mapping[str, Sequence[str]]  # names by the module that they come from; none: the module itself


class CannotCreate(ValueError):
    """The unit or task cannot be written; the message is one sentence."""


def new_unit(
    name: str,
    title: str | None = None,
    after: str | None = None,
    before: str | None = None,
    stage: str | None = None,
    language: str = "python",
) -> list[str]:
    """Write the files of a new unit without tasks, and enter it into the course; returns the paths."""
    _demand_checkout()
    _demand_name(name, "unit", r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
    title = _one_line(f"TODO: the title of {name}" if title is None else title, "title")
    if name in BY_NAME:
        raise CannotCreate(f"There is a unit called {name!r} already.")
    parts = parts_of(name, language)
    folders = (f"autograder/units/{name}", f"solutions/{name}", f"solutions/{name}.py", f"solutions/c/{name}.c")
    for path in (*folders, *parts.values()):
        if (ROOT / path).exists():
            raise CannotCreate(f"The name {name!r} is taken: there is {path} already.")
    spot = find_spot(STAGES, after, before, None if stage is None else _one_line(stage, "stage"))
    context = {"unit": name, "dashed": name.replace("_", "-"), "title": title, "language": language}
    texts = {path: _render(f"unit/{_template(part, path)}", context) for part, path in parts.items()}
    texts[REGISTRY] = with_unit(_read(REGISTRY), name, spot)
    texts[TOC] = with_page(_read(TOC), name, spot)
    if language == "c":
        texts[MAKEFILE] = re.sub(r"^(EXERCISES := .*)$", rf"\1 {name}.c", _read(MAKEFILE), flags=re.MULTILINE)
    write_all(texts)
    return list(texts)


def new_task(task: str) -> list[str]:
    """Add a task to its unit, with an entry in every file that has none for it; returns the paths that changed."""
    _demand_checkout()
    unit_name, _, name = task.partition(".")
    unit = BY_NAME.get(unit_name)
    if unit is None:
        raise CannotCreate(
            f"There is no unit called {unit_name!r}; the units are {', '.join(BY_NAME)}. "
            f"`autograder new unit {unit_name or 'NAME'}` makes one."
        )
    if not name:
        raise CannotCreate(f"Give the task as UNIT.NAME, for example {unit_name}.softmax.")
    _demand_name(name, "task", r"[A-Za-z]\w*")
    texts = with_task(unit, name, _read)
    if not texts:
        raise CannotCreate(f"There is a task called {task!r} already, with an entry in every file of its unit.")
    write_all(texts)
    return list(texts)


# --- the order of the course ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spot:
    """Where a unit goes: its stage, whether that is a new one, and its neighbours in the course."""

    stage: str
    is_new: bool
    left: str | None
    right: str | None


def find_spot(
    stages: Sequence[tuple[str, Sequence[str]]], after: str | None, before: str | None, stage: str | None
) -> Spot:
    """After a unit, before a unit, at the end of a stage, or at the end of the course."""
    stage_of = {unit: name for name, units in stages for unit in units}
    order = list(stage_of)
    for option, unit in (("--after", after), ("--before", before)):
        if unit is not None and unit not in stage_of:
            raise CannotCreate(f"There is no unit called {unit!r} for {option}; the units are {', '.join(order)}.")
    if after is not None and before is not None:
        raise CannotCreate("Give --after or --before, not both.")
    if after is not None:
        index = order.index(after) + 1
    elif before is not None:
        index = order.index(before)
    else:
        index = max((order.index(unit) + 1 for unit in order if stage in (None, stage_of[unit])), default=len(order))
    left = order[index - 1] if index else None
    right = order[index] if index < len(order) else None
    there = [stage_of[unit] for unit in (left, right) if unit is not None]
    wanted = stage or (there[-1] if before is not None else there[0])
    is_new = wanted not in dict(stages)
    if is_new and len(there) == 2 and there[0] == there[1]:
        raise CannotCreate(f"The new stage {wanted!r} cannot begin inside the stage {there[0]!r}, after {left}.")
    if not is_new and wanted not in there:
        raise CannotCreate(f"The stage {wanted!r} is not next to {after or before}, which is in {there[0]!r}.")
    return Spot(wanted, is_new, left, right)


def with_unit(text: str, name: str, spot: Spot) -> str:
    """The registry's text with a unit in its list of stages."""
    stages = _assigned(text, "STAGES")
    assert isinstance(stages, ast.Tuple)
    for element in stages.elts:
        stage, units = ast.literal_eval(element)
        if not spot.is_new and stage == spot.stage:
            at = units.index(spot.left) + 1 if spot.left in units else 0
            return _replace(text, element, _literal((stage, (*units[:at], name, *units[at:])), 4))
        if spot.is_new and spot.right in units:
            return _insert_line(text, element.lineno, f"    {_literal((spot.stage, (name,)), 4)},")
    return _insert_line(text, (stages.end_lineno or 0), f"    {_literal((spot.stage, (name,)), 4)},")


def with_page(text: str, name: str, spot: Spot) -> str:
    """The table of contents with the chapter of a unit next to that of its neighbour."""
    neighbour = spot.left or spot.right
    found = re.search(rf"^( *- file: book/){neighbour}\n", text, re.MULTILINE)
    if found is None:
        raise CannotCreate(f"{TOC} has no line 'file: book/{neighbour}', next to which the chapter would go.")
    at = found.end() if spot.left else found.start()
    return f"{text[:at]}{found[1]}{name}\n{text[at:]}"


# --- the entries of a task -----------------------------------------------------------------------------------


def with_task(unit: Unit, name: str, read: Callable[[str], str]) -> Texts:
    """The files of a unit that change when it gets a task: those that have no entry for it yet."""
    in_c, task, parts = unit.language == "c", f"{unit.name}.{name}", parts_of(unit.name, unit.language)
    context = {
        "unit": unit.name,
        "dashed": unit.name.replace("_", "-"),
        "task": task,
        "name": name,
        "snake": re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower(),
        "language": unit.language,
        "is_class": name[0].isupper() and not in_c,
        "number": (*unit.names, name).index(name) + 1,
    }
    texts: Texts = {}

    def entry(part: str, exists: str, add: Callable[[str, str], str], imports: Imports | None = None) -> None:
        """Give a file its entry unless the pattern occurs in it, and import what the entry needs."""
        path = parts[part]
        before = read(path)
        if re.search(exists, before, re.MULTILINE):
            return
        text = add(before, _render(f"task/{_template(part, path)}", context))
        for module, names in (imports or {}).items():
            text = with_import(text, module, names)
        texts[path] = text

    layers: Imports = {"torch": ["nn"]} if context["is_class"] else {}
    if name not in unit.names:
        texts[parts["about"]] = _with_name(read(parts["about"]), name)
    entry("solution", rf"^void {name}\(" if in_c else rf"^(?:def|class) {name}\b", _at_the_end, layers)
    line = _line_to_edit(texts.get(parts["solution"]) or read(parts["solution"]), name, in_c)
    context["line"], context["edit"] = line, _edit(line)
    anchors = re.search(r"^\(([\w-]+)\)=", read(parts["chapter"]), re.MULTILINE)
    context["section"] = anchors[1] if anchors else "todo-section"
    asserts = {
        "autograder.judging.c_assertions" if in_c else "autograder.judging.assertions": (
            ["Call", "check_kernel"] if in_c else ["assert_close"]
        )
    }
    entry("checks", rf'task\(\s*"{task}"', _at_the_end, {"pytest": [], **asserts})
    if in_c:
        for part in ("mistakes", "alternatives"):
            entry(part, rf"^/\* {name}: ", _at_the_end)
        prototype = _render("task/prototype.c.j2", context)
        for path, add in ((PROTOTYPES, _with_prototype), (HEADER, _with_declaration)):
            if f"void {name}(" not in read(path):
                texts[path] = add(read(path), prototype)
    else:
        catalogue = "autograder.course.catalogue"
        entry("mistakes", rf'"{task}"', _at_the_end, {catalogue: ["edit", "mistake"]})
        entry("alternatives", rf'"{task}"', _at_the_end, {catalogue: ["alternative"], **layers})
    entry("hints", rf'"{task}":', _with_hints)
    entry("notebook", rf"^:task: {re.escape(task)}$", lambda text, new: _before(text, "## All together\n", new))
    entry("chapter", shows_solution(name), lambda text, new: _before(text, f"({context['dashed']}-papers)=\n", new))
    return texts


def _with_name(text: str, name: str) -> str:
    """A unit's ``__init__.py`` with one more name in TASKS."""
    node = _assigned(text, "TASKS")
    lines = (node.end_lineno or 0) - node.lineno
    return _replace(text, node, _literal((*ast.literal_eval(node), name), 0, len("TASKS = "), expanded=lines > 0))


def _with_hints(text: str, entry: str) -> str:
    node = _assigned(text, "HINTS")
    start, end = _span(text, node)
    inside = text[start:end].removesuffix("}").rstrip()
    return f"{text[:start]}{inside}\n{entry.rstrip()}\n}}{text[end:]}"


def _with_prototype(text: str, prototype: str) -> str:
    _, end = _span(text, _assigned(text, "PROTOTYPES"))
    return text[: end - 3] + prototype + text[end - 3 :]


def _with_declaration(text: str, prototype: str) -> str:
    return _before(text, "\n#ifndef PLAIN_KERNELS\n", prototype)


def _at_the_end(text: str, entry: str) -> str:
    """Below all else, but above the lines that run a file as a program."""
    if entry.lstrip().startswith("# ") and isinstance(ast.parse(text).body[-1], (ast.Import, ast.ImportFrom, ast.Expr)):
        entry = f"\n{entry.lstrip()}"  # ruff leaves one line between imports (or a docstring) and a comment
    program = re.search(r'^if __name__ == "__main__":\n', text, re.MULTILINE)
    if program is None:
        return f"{text.rstrip()}\n{entry.rstrip()}\n"
    return f"{text[: program.start()].rstrip()}\n{entry.rstrip()}\n\n\n{text[program.start() :]}"


def _before(text: str, mark: str, entry: str) -> str:
    at = text.find(mark)
    if at < 0:  # an author has rearranged the file
        return f"{text.rstrip()}\n\n{entry.strip()}\n"
    return f"{text[:at]}{entry.lstrip()}{text[at:]}"


def _line_to_edit(solution: str, name: str, in_c: bool) -> str:
    """A line that occurs once in a task's reference, as a start for the first mistake."""
    if in_c:
        source = kernels_of(solution).get(name, "")
    else:
        nodes = {getattr(node, "name", None): node for node in ast.parse(solution).body}
        source = ast.get_source_segment(solution, nodes[name]) or ""
    # The mark that closes the last region is a comment after the last statement: a syntax tree leaves it out.
    regions = re.findall(r"BEGIN SOLUTION.*?\n(.*?)\n[^\n]*END SOLUTION", f"{source}\nEND SOLUTION", re.DOTALL)
    lines = [line.strip() for line in "\n".join(regions).splitlines()]
    plain = [re.split(r"\s+(?:#|//)\s", line)[0] for line in lines]
    once = [line for line in plain if re.search(r"[\w)\]];?$", line) and len(line) < 80 and source.count(line) == 1]
    return next((line for line in reversed(once) if line.startswith("return ")), once[-1] if once else "TODO")


def _edit(line: str) -> str:
    """An edit of a line that changes nothing yet, as ruff formats it in an entry of the catalogue."""
    old, new = _quoted(line), _quoted(f"{line}  # TODO: the error")
    short = f"edit({old}, {new})"
    return short if len(short) + 5 <= WIDTH else f"edit(\n        {old},\n        {new},\n    )"


# --- the text of Python files --------------------------------------------------------------------------------


def with_import(text: str, module: str, names: Sequence[str] = ()) -> str:
    """The text with an import, where ruff sorts it to: ``from module import names``, or ``import module``."""
    tree = ast.parse(text)
    found = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    bound = {alias.asname or alias.name for node in found for alias in node.names}
    missing = [name for name in names or [module] if name not in bound]
    if not missing:
        return text
    for node in found:
        if names and isinstance(node, ast.ImportFrom) and node.module == module:
            return _replace(text, node, _import(module, [*map(ast.unparse, node.names), *missing]))
    new, key = _import(module, names), _order(module, bool(names))
    later = [node for node in found if _order(_module_of(node), isinstance(node, ast.ImportFrom)) > key]
    earlier = [node for node in found if node not in later]
    if earlier:
        last = earlier[-1]
        gap = "\n" if _order(_module_of(last), False)[0] != key[0] else ""
        text = _insert_line(text, (last.end_lineno or 0) + 1, f"{gap}{new}")
    elif later:
        gap = "\n" if _order(_module_of(later[0]), False)[0] != key[0] else ""
        text = _insert_line(text, later[0].lineno, f"{new}{gap}")
    else:  # below the docstring
        text = _insert_line(text, (tree.body[0].end_lineno or 0) + 1, f"\n{new}")
    return text


def _module_of(node: ast.Import | ast.ImportFrom) -> str:
    return (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name


def _order(module: str, is_from: bool) -> tuple[int, bool, str]:
    """Sections as ruff has them: the future, the standard library, what is installed, this repository."""
    top = module.partition(".")[0]
    ours = ("autograder", "solutions")
    section = 0 if top == "__future__" else 1 if top in sys.stdlib_module_names else 3 if top in ours else 2
    return section, is_from, module


def _import(module: str, names: Sequence[str]) -> str:
    if not names:
        return f"import {module}"
    ordered = sorted(names, key=lambda name: (not (name.isupper() and len(name) > 1), name[0].islower(), name))
    line = f"from {module} import {', '.join(ordered)}"  # constants, then classes, then functions
    if len(line) <= WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in ordered) + ")"


def _assigned(text: str, name: str) -> ast.expr:
    """The value that a module assigns to a name."""
    for node in ast.parse(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return node.value  # type: ignore[attr-defined]
    raise CannotCreate(f"No {name} = … is found where the new name would go.")


def _literal(value: object, indent: int, before: int = 0, expanded: bool = False) -> str:
    """Texts and tuples of them as ruff formats them; ``before``: characters that stand before it on its line."""
    if isinstance(value, str):
        return _quoted(value)
    assert isinstance(value, tuple)
    line = f"({', '.join(_literal(item, 0) for item in value)}{',' * (len(value) == 1)})"
    if not expanded and "\n" not in line and indent + before + len(line) + 1 <= WIDTH:
        return line
    space = " " * (indent + 4)
    return "(\n" + "".join(f"{space}{_literal(item, indent + 4)},\n" for item in value) + " " * indent + ")"


def _quoted(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return f"'{text}'" if '\\"' in quoted and "'" not in text and "\\" not in text else quoted


def _span(text: str, node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Where a node begins and ends, in characters."""
    lines = text.splitlines(keepends=True)

    def offset(line: int, column: int) -> int:  # columns of a syntax tree count bytes
        return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())

    return offset(node.lineno, node.col_offset), offset(node.end_lineno or 0, node.end_col_offset or 0)


def _replace(text: str, node: ast.expr | ast.stmt, new: str) -> str:
    start, end = _span(text, node)
    return text[:start] + new + text[end:]


def _insert_line(text: str, number: int, line: str) -> str:
    """The text with something above its line of that number."""
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: number - 1], f"{line}\n", *lines[number - 1 :]])


# --- templates and files -------------------------------------------------------------------------------------

# Unusual placeholder marks, since the templates hold braces of Python, C, LaTeX and MyST.
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(PACKAGE / "course" / "templates"),
    variable_start_string="<<",
    variable_end_string=">>",
    block_start_string="<%",
    block_end_string="%>",
    trim_blocks=True,
    keep_trailing_newline=True,
    undefined=jinja2.StrictUndefined,
    autoescape=False,
)


def _template(part: str, path: str) -> str:
    return f"{part}{Path(path).suffix}.j2"


def _render(template: str, context: Mapping[str, object]) -> str:
    return _TEMPLATES.get_template(template).render(context)


def _read(path: str) -> str:
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except OSError as error:
        raise CannotCreate(f"{path} cannot be read ({error.strerror}).") from error


def write_all(texts: Mapping[str, str]) -> None:
    """Write all files or none: first write temporary files, since that can fail."""
    made: list[Path] = []
    ready: list[tuple[Path, Path]] = []
    try:
        for name, text in texts.items():
            path = ROOT / name
            for folder in reversed([parent for parent in path.parents if not parent.exists()]):
                folder.mkdir()
                made.append(folder)
            beside = path.with_name(f".{path.name}.new")
            ready.append((beside, path))
            beside.write_text(text, encoding="utf-8")
            if path.exists():
                shutil.copymode(path, beside)
    except BaseException as error:
        for beside, _ in ready:
            beside.unlink(missing_ok=True)
        for folder in reversed(made):
            folder.rmdir()
        if isinstance(error, OSError):
            raise CannotCreate(f"Nothing was written: {name} cannot be ({error.strerror}).") from error
        raise
    for beside, path in ready:
        os.replace(beside, path)


# --- what is refused -----------------------------------------------------------------------------------------


def _demand_checkout() -> None:
    if not is_checkout():
        raise CannotCreate(
            f"Units are written in a checkout of the repository, but this package is installed in {PACKAGE.parent}: "
            "clone the repository and run the command there."
        )


def _demand_name(name: str, what: str, form: str) -> None:
    if not re.fullmatch(form, name, re.ASCII) or keyword.iskeyword(name):
        example = "kv_cache" if what == "unit" else "softmax or LayerNorm"
        raise CannotCreate(f"{name!r} is no name for a {what}: it must be a Python name such as {example}.")
    if len(name) > LONGEST_NAME:
        raise CannotCreate(f"The name of a {what} has at most {LONGEST_NAME} characters, not {len(name)}.")


def _one_line(text: str, what: str) -> str:
    if not text.strip() or len(text) > 80 or not text.isprintable() or set('"\\') & set(text):
        raise CannotCreate(
            f"The {what} is one line of at most 80 characters without double quotes and backslashes, not {text!r}."
        )
    return text.strip()
