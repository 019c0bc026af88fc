"""Follow-through: a task that fails while something that it calls is wrong is judged once more, that put right.

A slip in an early task shows in all that calls it, and would cost the points of the whole unit. So what failing tasks
call is replaced by the course's version, and they are judged again.

Implementations of the course travel to where the learner's code runs, which may keep them. So in a class this comes
last of all that a process grades, and no task is judged in a process that has been given its solution (see `rounds`).
"""

from __future__ import annotations

from collections.abc import Mapping

from autograder.course.catalogue import is_c, reference_part
from autograder.judging.diagnosis import names_reached
from autograder.judging.subject import Subject
from autograder.judging.verdicts import Judgement
from autograder.sandbox.drivers import driver_source
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.session import SubjectCrashed, SubjectTimeout


def gifts(judgement: Judgement) -> dict[str, tuple[str, ...]]:
    """For each written task that fails, what takes part in its answers and fails as well."""
    if is_c(judgement.unit):  # kernels call no kernels
        return {}
    failing = {task.partition(".")[2]: task for task in judgement.verdicts if not judgement.passed(task)}
    if len(failing) < 2:
        return {}
    found = {}
    for name, task in failing.items():
        if task in judgement.tasks and not judgement.missing(task):
            reached = names_reached(judgement.unit, judgement.evidence(task))
            if given := sorted(reached & failing.keys() - {name}):
                found[task] = tuple(given)
    return found


def rounds(found: Mapping[str, tuple[str, ...]]) -> list[dict[str, tuple[str, ...]]]:
    """The tasks to judge again, in groups: each needs a process of its own, in which no task meets its own solution."""
    groups: list[dict[str, tuple[str, ...]]] = []
    given: set[str] = set()
    for task, names in found.items():
        if not groups or task.partition(".")[2] in given:
            groups.append({})
            given = set()
        groups[-1][task] = names
        given.update(names)
    return groups


def handed_over(subject: Subject, unit: str, names: tuple[str, ...]) -> bool:
    """Put the course's versions of ``names`` in place, the learner's own with none; whether that could be done."""
    source = reference_part(unit, frozenset(names)) if names else ""
    try:
        outcome = subject.ask(Request(give.__name__, (source, list(names)), source=driver_source(give)))
    except (SubjectTimeout, SubjectCrashed):
        return False
    return outcome.value == list(names)


def give(learner, source, names):
    """A driver: put the course's versions of ``names`` in place of the learner's; without any, the learner's again.

    What the course's versions call besides is the learner's: given with the notebook, or right.
    """
    own = learner._namespace
    for name, value in own.pop("_replaced", {}).items():
        if value is None:
            own.pop(name, None)
        else:
            own[name] = value
    if not names:
        return []
    course = dict(own)
    exec(source, course)
    own["_replaced"] = {name: own.get(name) for name in names}
    own.update({name: course[name] for name in names})
    return list(names)
