"""Follow-through: a task that fails while something that it calls is wrong is judged again with that corrected.

A mistake in an early task shows in every caller, and would cost the points of the whole unit. So the functions that
failing tasks call are replaced by the course's versions, and these tasks are judged again. A task whose checks need
another function that is not written yet is judged in the same way.

Some classes are built by one task's code alone, so that the arguments of their constructors are free: a task that needs
one of them gets all the others as well, and the course's builder fits itself to the learner's (see
`catalogue.fitting`).

Implementations of the course are sent to the learner's process, whose code may keep them. So when a class is graded,
this step comes last, and no task is judged in a process that has been given its solution (see `rounds`).
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.course.catalogue import fitting, is_c, reference_part
from autograder.course.registry import find_unit, is_catch
from autograder.judging.diagnosis import names_a_test_needs, names_reached
from autograder.judging.exchange import installed
from autograder.judging.subject import Subject
from autograder.judging.verdicts import Judgement


def gifts(judgement: Judgement) -> dict[str, tuple[str, ...]]:
    """For each written task that fails, the other failing tasks that contribute to its answers."""
    if is_c(judgement.unit):  # kernels call no kernels
        return {}
    unit = find_unit(judgement.unit)
    failing = {task.partition(".")[2]: task for task in judgement.verdicts if not judgement.passed(task)}
    if len(failing) < 2:
        return {}
    written = {name for name, task in failing.items() if not judgement.missing(task)}
    # A task that could not be judged may be right.
    suspects = failing.keys() - {name for name in written if judgement.waits(failing[name])}
    found = {}
    for name, task in failing.items():
        if task in judgement.tasks and name in written:
            if is_catch(task):
                reached = names_a_test_needs(task)
            else:
                reached = names_reached(judgement.unit, judgement.evidence(task))
            if given := sorted((reached & suspects) - {name} - unit.partners(name)):
                found[task] = tuple(given)
    return found


def rounds(found: Mapping[str, tuple[str, ...]]) -> list[dict[str, tuple[str, ...]]]:
    """The tasks to judge again, in groups: each needs a process of its own, in which no task meets its own solution.

    Each task comes with all names that are replaced for it.
    """
    groups: list[dict[str, tuple[str, ...]]] = []
    given: set[str] = set()
    for task, names in found.items():
        if not groups or task.partition(".")[2] in given:
            groups.append({})
            given = set()
        groups[-1][task] = names
        given.update(around(task, names))
    return groups


def around(task: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """All names to replace for a task that is given ``names``: with a class come the classes that are built with it."""
    unit, _, name = task.partition(".")
    fits = fitting(unit)
    if fits is None or name not in fits.CLASSES or not {*names} & {fits.BUILDER, *fits.CLASSES}:
        return names
    return tuple(sorted({*names, fits.BUILDER, *fits.CLASSES} - {name}))


def handed_over(subject: Subject, unit: str, names: tuple[str, ...]) -> bool:
    """Install the course's versions of ``names``, or with none the learner's own again; returns whether that worked."""
    source = reference_part(unit, frozenset(names)) if names else ""
    fits = fitting(unit)
    free = [name for name in fits.CLASSES if name not in names] if fits and fits.BUILDER in names else []
    uses = (fits.fit, fits.values_by_name, fits.ways_to_build) if fits and free else ()
    return installed(subject, source, names, free, uses)
