"""Repairs: one small change of the learner's own code, after which every check of the task passes.

Where no mistake of the catalogue, no slip and no effect explains the answers, the learner's code may still be one step
away from right code, in a style that nobody foresaw. The changes that make slips of the reference solution
(`autograder.course.slips`) are made in the learner's definition instead, one at a time, and the checks judge each. The
learner reads which line it is and what kind of change; no code is printed.

What this says is true by construction, and it needs nothing that is secret: the process that tries the changes is the
learner's, and holds the learner's code alone.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from autograder.course.catalogue import Mistake, in_c
from autograder.course.registry import is_catch
from autograder.course.slips import changed, changes_of, section_of
from autograder.course.slips.sites import Change, Put
from autograder.course.slips.undone import undoing
from autograder.course.slips.words import FAMILIES, in_words
from autograder.course.source import remove_docstrings, syntax_tree
from autograder.judging.diagnosis import takes_long, work_of
from autograder.judging.exchange import installed
from autograder.judging.implementations import PEAK_UNIT, ROOM, TURN, counting_turns, peak_memory, reference_source
from autograder.judging.results import ERROR, FAILED, PASSED
from autograder.judging.subject import Subject
from autograder.judging.verdicts import Evidence
from autograder.judging.work import MOST_WORK, WORK_OF_ONE
from autograder.sandbox.runtime.requests import Outcome, Request
from autograder.sandbox.session import ForkServerError, SubjectCrashed, SubjectTimeout
from autograder.submissions.definitions import definitions

MOST_NODES = 2500  # of a definition: three times the longest in a solution
MOST_TRIED = 300  # changes of a task
LEAST_TRIED = 12  # the likeliest, however much a check computes
TURNS = 20_000  # of all loops of one changed definition

# What is said where the change is the opposite of the slip: a family, a clause and a question, by the change's family.
_OPPOSITE = {
    "part-left-out": ("part-too-many", "{what} has one part too many", "Which parts does the task ask for here?"),
    "operand-left-out": (
        "part-too-many",
        "{what} should be replaced by one of its two operands",
        "Which operand does the task ask for here?",
    ),
    "old-value-left-out": (
        "part-too-many",
        "{what} also uses the old value, and should not",
        "What should the new value depend on?",
    ),
    "step-left-out": ("step-too-many", "{what} should be left out", "Which steps does the task ask for?"),
    "argument-left-out": (
        "argument-too-many",
        "{what} is passed, and should not be",
        "Which arguments does this call need?",
    ),
    "call-without-argument": (
        "argument-too-many",
        "{what} gets an argument that it should not get",
        "Which arguments does this call need?",
    ),
    "finite-for-infinite": (
        "another-number",
        "{what} stands where another number belongs",
        "Which number does the task ask for here?",
    ),
    "condition-ignored": (
        "condition-too-many",
        "the result should not depend on {what}",
        "What should the result depend on?",
    ),
    "step-added": ("step-missing", "{what} is missing", "Which steps does the task ask for?"),
    "another-scale": (
        "scale-missing",
        "{what} should also be divided or multiplied by the size of an axis, or by the square root of that size",
        "Which scaling does the formula have?",
    ),
    "gradient-cut-off": (
        "gradient-flows-on",
        "gradients pass through {what}, and should not",
        "Through which steps must no gradient flow?",
    ),
    "gradient-recorded": ("gradient-cut-off", *FAMILIES["gradient-cut-off"]),
    "type-or-device": (
        "converted-too-often",
        "{what} should be left out",
        "Which dtype and which device should the value have at this point?",
    ),
    "not-every-item": (
        "not-every-item",
        "{what} covers the wrong items, or the right items in the wrong order",
        "Which items should take part, and in which order?",
    ),
    "type-kept": (
        "another-type",
        "the result should have the dtype of {what}, but has another one",
        "Which step changes the dtype?",
    ),
    "default-shared": (
        "state-kept-between-calls",
        "the default of {what} is made once, and all calls share it",
        "When does Python compute a default?",
    ),
    "attribute-shared": (
        "state-kept-between-calls",
        "{what} belongs to the class, and all instances share this attribute",
        "Where does an instance get attributes of its own?",
    ),
    "another-attribute": ("another-value-used", *FAMILIES["another-value-used"]),
    "another-text": (
        "another-text",
        "{what} is not the one that the task asks for",
        "Which strings does the task name?",
    ),
    "call-moved": (
        "order-of-steps",
        "{what} comes too early or too late",
        "Which steps must come before this call, and which after it?",
    ),
    "argument-copied": (
        "argument-changed",
        "your code changes {what} in place, stores it, or returns it without a copy",
        "Which other code still uses this object: the caller, or a later step?",
    ),
    "value-returned": ("another-value-returned", "the wrong value is returned", "Which value should be returned?"),
}
_OF_A_FUNCTION = {"argument-copied", "default-shared"}  # the line is that of the function
_AS_IT_WAS = {
    "the whole function": "the function in this line",
    "a part of the function": "a `with` block",
}
_ONE_WAY = {"argument-ignored", "argument-changed", "step-twice", "term-as-bound"}  # of these nobody does the opposite
_GROUPS = (  # families of changes, the likeliest first; before them come statements that may be left out
    {"argument-copied", "default-shared", "attribute-shared"},
    {"call-moved"},
    {"another-attribute"},
    {
        "part-left-out",
        "old-value-left-out",
        "step-left-out",
        "argument-left-out",
        "call-without-argument",
        "condition-ignored",
    },
)

STATE_KEPT = (
    "Your code passes every check if its definition is run again before each call. So your code keeps a value from one "
    "call to the next. Where is this value kept: in a default argument, a decorator, the class, an attribute of the "
    "function or a global variable?"
)


@dataclass(frozen=True)
class Workshop:
    """The learner's cells, and a subject that has run them and grades nothing any more."""

    subject: Subject
    cells: Sequence[str]

    def repair(self, task: str, evidence: Sequence[Evidence]) -> Mistake | None:
        """The first change of the learner's definition after which every check passes, in words."""
        definition = None if not self.cells or in_c(task) or is_catch(task) else _definition(self.cells, task)
        if definition is None or not peak_memory() or not all(map(_can_be_tried, evidence)):
            return None  # without a limit of memory, no program that nobody has read is run
        word = task.partition(".")[2]
        tree = ast.Module([definition], [])
        most_memory = peak_memory() + ROOM
        watched = _Watched(self.subject)
        try:
            in_order = _cheapest_failure_first(task, evidence)
            afresh = _DefinedAnew(watched, ast.unparse(tree), word)
            if all(item.passes and item.passes(afresh) for item in in_order):
                return Mistake(task, "state-kept-between-calls", "", STATE_KEPT, STATE_KEPT, section_of(task))
            for change in _affordable(task, in_order[0], _likeliest_first(tree, task)):
                source = _with_loops_that_end(changed(tree, change), most_memory)
                if not installed(watched, source, [word]):
                    continue
                if all(item.passes and item.passes(watched) for item in in_order):
                    return _told(task, change)
                if watched.broken or peak_memory() > most_memory:
                    return None
        except ForkServerError:
            raise
        except Exception:  # code that nobody would write, or forged replies: a missing name must not cost the grade
            return None
        finally:
            installed(self.subject, "", [])
        return None


@dataclass
class _Watched:
    """A subject, and whether it has hung or died: then the changes are worth no more of its time."""

    subject: Subject
    broken: bool = False

    def ask(self, request: Request) -> Outcome:
        try:
            return self.subject.ask(request)
        except (SubjectTimeout, SubjectCrashed):
            self.broken = True
            raise


@dataclass(frozen=True)
class _DefinedAnew:
    """The learner's code, in which the definition of a task is executed again before each request."""

    subject: Subject
    source: str
    name: str

    def ask(self, request: Request) -> Outcome:
        installed(self.subject, self.source, [self.name])
        return self.subject.ask(request)


def _can_be_tried(item: Evidence) -> bool:
    return item.status in (PASSED, FAILED, ERROR) and item.passes is not None and not takes_long([item])


def _cheapest_failure_first(task: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    unit = task.partition(".")[0]
    return sorted(evidence, key=lambda item: (item.status == PASSED, work_of(unit, item)))


def _definition(cells: Sequence[str], task: str) -> ast.FunctionDef | ast.ClassDef | None:
    """The learner's definition that counts, without docstrings; the lines keep their numbers."""
    found = definitions(cells, task.partition(".")[2])
    node = copy.deepcopy(found[-1].node) if found else None
    if node is None or sum(1 for _ in ast.walk(node)) > MOST_NODES:
        return None
    remove_docstrings(node)
    return node


def _likeliest_first(tree: ast.Module, task: str) -> list[Change]:
    """The changes to try, the likeliest first."""
    some = [change for change in changes_of(tree) if change.family not in _ONE_WAY]
    attributes, constants = _attributes(task.partition(".")[0]), _constants(task)
    return sorted([*undoing(tree, attributes, constants), *some], key=_likelihood)


def _likelihood(change: Change) -> tuple[int, int]:
    """For sorting: a learner more likely wrote something too many, or too early, than something else."""
    put = change.puts[0]
    statement = isinstance(put.new, ast.Pass) and isinstance(_old(put), (ast.Expr, ast.If, ast.AugAssign))
    group = next((number for number, families in enumerate(_GROUPS, 1) if change.family in families), 1 + len(_GROUPS))
    return change.rank, 0 if statement else group


def _old(put: Put) -> Any:
    """What stands where something else is put."""
    value = getattr(put.parent, put.field)
    return value if put.index is None else value[put.index]


@lru_cache(maxsize=None)
def _attributes(unit: str) -> dict[str, tuple[str, ...]]:
    """For each variable of the unit's reference solution, the attributes that are read from it."""
    found: dict[str, dict[str, None]] = {}
    for node in ast.walk(syntax_tree(reference_source(unit))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id != "self":
            found.setdefault(node.value.id, {})[node.attr] = None
    return {word: tuple(attributes) for word, attributes in found.items()}


@lru_cache(maxsize=None)
def _constants(task: str) -> tuple[float | str, ...]:
    """The numbers and texts in the reference's definition of a task, each once."""
    unit, _, word = task.partition(".")
    definition = next(node for node in syntax_tree(reference_source(unit)).body if getattr(node, "name", "") == word)
    parents = [node for node in ast.walk(definition) if not _is_text_alone(node)]
    constants = [node for parent in parents for node in ast.iter_child_nodes(parent) if isinstance(node, ast.Constant)]
    values = (node.value for node in constants if not isinstance(node.value, bool))  # before `False` passes for 0
    return tuple(dict.fromkeys(value for value in values if isinstance(value, (int, float, str))))


def _is_text_alone(node: ast.AST) -> bool:
    """Whether a statement is a docstring, or a part of the text of an exception."""
    return isinstance(node, (ast.JoinedStr, ast.FormattedValue)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _affordable(task: str, first: Evidence, changes: Sequence[Change]) -> Sequence[Change]:
    """As many as may be tried on the first check, by a count that no clock changes (see `judging.work`)."""
    number = MOST_WORK // (work_of(task.partition(".")[0], first) + WORK_OF_ONE)
    return changes[: min(MOST_TRIED, max(LEAST_TRIED, number))]


_ENDING = """
import resource

def {turn}(left=[{turns}], most={most}):
    left[0] -= 1
    if left[0] < 0 or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > most:
        raise RuntimeError("a loop without an end")
"""


def _with_loops_that_end(source: str, most_memory: int) -> str:
    """A definition in which all loops together make a limited number of turns, and the process does not grow.

    ``most_memory``: bytes that it may hold (see `implementations.ROOM`).
    """
    tree = counting_turns(source)
    text = ast.unparse(tree)
    ending = _ENDING.format(turn=TURN, turns=TURNS, most=most_memory // PEAK_UNIT)
    return ending + text if TURN in text else text


def _told(task: str, change: Change) -> Mistake:
    """The repair as a mistake: what was wrong before the change, and in which line."""
    kind = _kind(change)
    family, clause, question = _OPPOSITE.get(kind) or (kind, *FAMILIES[kind])
    *others, last = map(str, sorted({*change.lines}))
    where = f"lines {', '.join(others)} and {last}" if others else f"line {last}"
    if change.family in _OF_A_FUNCTION:
        where = f"the function that begins in {where}"
    hint = (
        f"One change in {where} of your cell `{task.partition('.')[2]}` makes every check of this task pass. There, "
        f"{clause}. {question}".format(what=_before(change))
    )
    return Mistake(task, family, "", hint, hint, section_of(task))


def _kind(change: Change) -> str:
    """The key of what is said: the change's family, or a part of it."""
    old = _old(change.puts[0])
    if change.family == "part-left-out":
        return "operand-left-out" if isinstance(old, ast.BinOp) else change.family
    return "value-returned" if isinstance(old, ast.Return) else change.family


def _before(change: Change) -> str:
    """In words, what the change concerns: as it was before."""
    old = _old(change.puts[0]) if change.family in ("another-operation", "another-value-used") else None
    if isinstance(old, (ast.BinOp, ast.Call)):
        return in_words(old, frozenset())
    if isinstance(old, (ast.Name, ast.Attribute)):
        return f"`{ast.unparse(old)}`"
    return _AS_IT_WAS.get(change.what, change.what)
