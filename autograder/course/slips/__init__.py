"""Slips: single small edits of right code, derived mechanically, for wrong answers that no catalogued mistake explains.

The catalogue holds misconceptions that somebody wrote down, and there are always more. Many other wrong answers are one
slip: another axis, a factor that is left out, a condition that is negated. `slips` derives them from the reference
solution of a task. Each is a `Mistake` whose explanation is generated: it names the kind of slip and prints no code.

What derives them (``expressions.py``, ``calls.py``, ``statements.py``) knows Python's syntax and the names of PyTorch's
functions, and nothing of the course's tasks.
"""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autograder.course.catalogue import VARIANT, Mistake, in_c, mistakes, reference_module
from autograder.course.registry import is_catch
from autograder.course.slips.calls import extra_steps, in_calls, masks
from autograder.course.slips.expressions import in_expressions
from autograder.course.slips.sites import Change, sites_of
from autograder.course.slips.statements import ignored_arguments, in_statements
from autograder.course.slips.words import FAMILIES, explanation
from autograder.course.source import remove_docstrings, syntax_tree

__all__ = ["FAMILIES", "Slip", "changed", "changes_of", "explanation", "likeliest_of", "section_of", "slips"]
MOST = 300  # slips of a task, the likeliest first


@dataclass(frozen=True)
class Slip(Mistake):
    """A right program with one slip. ``lines``: the statements of the right program that it changes, by line number.

    ``what``, ``where``: the operation that it changes and the method that holds it, in words.
    """

    lines: tuple[int, ...] = ()
    what: str = ""
    where: str = ""


@lru_cache(maxsize=64)
def slips(task: str) -> tuple[Slip, ...]:
    """The slips of a task, the likeliest first; none where the task is written in C, or is a test."""
    if in_c(task) or is_catch(task):
        return ()
    unit, _, wanted = task.partition(".")
    tree, section = _right_tree(unit, wanted), section_of(task)
    found: dict[str, Slip] = {}
    right = ast.unparse(tree)
    for number, change in enumerate(sorted(changes_of(tree), key=lambda change: change.rank)):
        source = changed(tree, change)
        if source == right or source in found:
            continue
        name = f"{change.family}{VARIANT}slip-{number}"  # no name of the catalogue: the caches know mistakes by name
        hint = explanation(change.family, change.what, change.where)
        found[source] = Slip(
            task, name, source, hint, hint, section, lines=change.lines, what=change.what, where=change.where
        )
        if len(found) == MOST:
            break
    return tuple(found.values())


def likeliest_of(alike: Sequence[Slip]) -> list[Slip]:
    """Of slips with one effect, those of the likeliest kind."""
    return next(some for kind in _LIKELY if (some := [slip for slip in alike if slip.family in kind]))


# A learner more likely left something out than put something else there.
_LIKELY = (
    {"argument-ignored"},
    {
        "part-left-out",
        "old-value-left-out",
        "step-left-out",
        "argument-left-out",
        "call-without-argument",
        "condition-ignored",
    },
    {*FAMILIES}
    - {
        "another-number",
        "finite-for-infinite",
        "another-value-used",
        "step-added",
        "another-scale",
        "step-twice",
        "term-as-bound",
    },
    {*FAMILIES},
)


@lru_cache(maxsize=None)
def section_of(task: str) -> str:
    """The section of the chapter that explains most of the mistakes of a task."""
    sections = Counter(mistake.section for mistake in mistakes(task.partition(".")[0]) if mistake.task == task)
    return sections.most_common(1)[0][0] if sections else ""


def _right_tree(unit: str, name: str) -> ast.Module:
    """The definition of that name in the reference solution, with its decorators and without docstrings."""
    tree = syntax_tree(inspect.getsource(reference_module(unit)))
    kept = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name]
    definition = ast.Module([*kept], [])
    remove_docstrings(definition)
    return definition


def changes_of(tree: ast.Module) -> Iterator[Change]:
    """All changes: each by itself, those of one key at once, and arguments that are ignored."""
    kinds = (in_expressions, in_calls, masks, extra_steps, in_statements)
    single = [change for site in sites_of(tree) for kind in kinds for change in kind(site)]
    yield from single
    together: dict[tuple[str, str], list[Change]] = {}
    for change in single:
        if change.key:
            together.setdefault((change.family, change.key), []).append(change)
    yield from (_at_once(some) for some in together.values() if len(some) > 1)
    for definition in tree.body:
        of_a_class = isinstance(definition, ast.ClassDef)
        for function in definition.body if isinstance(definition, ast.ClassDef) else [definition]:
            if isinstance(function, ast.FunctionDef):
                yield from ignored_arguments(function, function.name if of_a_class else "")


def _at_once(some: Sequence[Change]) -> Change:
    """The same change made everywhere."""
    wheres = {one.where for one in some}
    return Change(
        some[0].family,
        min(one.rank for one in some),
        some[0].what,
        tuple(put for one in some for put in one.puts),
        wheres.pop() if len(wheres) == 1 else "",
        tuple(sorted({line for one in some for line in one.lines})),
    )


def changed(tree: ast.Module, change: Change) -> str:
    """The source of a tree with a change; the tree stays as it is."""
    undo = [put.swap() for put in change.puts]
    source = ast.unparse(tree)
    for put in reversed(undo):
        put.swap()
    return source
