"""The course map: the order of the units and their stages, in one list; everything else about a unit is in its folder.

A unit's number is its position in the list, and nobody types it anywhere else. Points are not kept here either: a task
is worth what its checks are worth (see ``autograder.judging.runner``).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

STAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Warm up", ("warmup",)),
    ("Text becomes vectors", ("tokens", "embeddings")),
    ("Attention", ("attention", "masks", "multihead")),
    ("Whole models", ("blocks", "babygpt", "transformer")),
    ("Training", ("losses", "optim", "training")),
    ("Translation", ("decoding", "bleu", "translation")),
    ("Models of today", ("pretrained", "llama")),
    ("GPT-2 in C", ("gpt2_forward", "gpt2_backward")),
)


@dataclass(frozen=True)
class Unit:
    """One unit of the course: a chapter, a notebook, and the tasks in it.

    ``names``: what a learner writes, in the order of the notebook. ``compiler``: its code touches parts of torch that
    import torch's compiler, which takes seconds. ``complete``: `autograder doctor` finds nothing missing.
    ``companions``: notebooks beside the unit's own, in which nothing is graded and nothing handed in. ``pairs``: names
    that depend on each other's internals, so that a learner's half is never judged with the course's other half.
    ``former``: names that were tasks in an earlier release, whose notebooks still ask for them.
    """

    number: int
    name: str
    title: str
    names: tuple[str, ...]
    stage: str = ""
    complete: bool = False
    compiler: bool = False
    language: str = "python"
    companions: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    former: tuple[str, ...] = ()

    @property
    def task_ids(self) -> tuple[str, ...]:
        """Ids of the form ``<unit>.<name>``, in the order of the notebook."""
        return tuple(f"{self.name}.{name}" for name in self.names)

    @property
    def written_ids(self) -> tuple[str, ...]:
        """The tasks in which a learner writes a function or class; the others are catch-it tasks."""
        return tuple(task for task in self.task_ids if not is_catch(task))

    def partners(self, name: str) -> set[str]:
        """What forms a pair with a name; see ``pairs``."""
        return {other for pair in self.pairs if name in pair for other in pair if other != name}


def is_catch(task: str) -> bool:
    """Whether the learner writes a test in this task, which has to catch mistakes (see `autograder.course.catches`)."""
    return task.rpartition(".")[2].startswith("test_")


def read_units(stages: Iterable[tuple[str, Iterable[str]]]) -> Iterator[Unit]:
    """The units of these stages, numbered from 1, with the settings in their ``__init__.py``."""
    in_order = [(stage, name) for stage, names in stages for name in names]
    for number, (stage, name) in enumerate(in_order, start=1):
        folder = importlib.import_module(f"autograder.units.{name}")
        yield Unit(
            number,
            name,
            folder.TITLE,
            folder.TASKS,
            stage,
            complete=getattr(folder, "COMPLETE", True),
            compiler=getattr(folder, "IMPORTS_COMPILER", False),
            language=getattr(folder, "LANGUAGE", "python"),
            companions=getattr(folder, "COMPANIONS", ()),
            pairs=getattr(folder, "PAIRS", ()),
            former=getattr(folder, "FORMER_TASKS", ()),
        )


UNITS: tuple[Unit, ...] = tuple(read_units(STAGES))
BY_NAME: dict[str, Unit] = {unit.name: unit for unit in UNITS}
COMPLETE: tuple[Unit, ...] = tuple(unit for unit in UNITS if unit.complete)
COMPANIONS: dict[str, str] = {name: unit.name for unit in COMPLETE for name in unit.companions}  # with their units


class UnknownUnit(ValueError):
    """A unit or task that the course does not have, or that cannot be graded yet."""


def find_unit(name: str) -> Unit:
    """The unit of that name, if it can be graded; raises `UnknownUnit` with a sentence otherwise."""
    unit = BY_NAME.get(name)
    gradable = ", ".join(unit.name for unit in COMPLETE)
    if unit is None:
        raise UnknownUnit(f"There is no unit called {name!r}; the units that can be graded are {gradable}.")
    if not unit.complete:
        raise UnknownUnit(f"Unit {name!r} is planned but cannot be graded yet; the units that can be are {gradable}.")
    return unit


def find_tasks(what: str) -> tuple[Unit, tuple[str, ...]]:
    """``"attention"`` -> the unit and all its tasks; ``"attention.softmax"`` -> the unit and that task."""
    if not isinstance(what, str):
        raise UnknownUnit('Give the name of a task or a unit in quotes, for example "attention.softmax".')
    unit = find_unit(what.partition(".")[0])
    if "." not in what:
        return unit, unit.task_ids
    if what.partition(".")[2] in unit.former:
        raise UnknownUnit(
            f"{what} was a task in an earlier release of the course. It gives no points any more: leave its cell out, "
            f"or get the present notebook. The tasks of {unit.name} are {', '.join(unit.task_ids)}."
        )
    if what not in unit.task_ids:
        raise UnknownUnit(f"There is no task called {what!r}; the tasks of {unit.name} are {', '.join(unit.task_ids)}.")
    return unit, (what,)
