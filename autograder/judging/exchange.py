"""Other definitions in place of a learner's, in the process that holds the learner's code, and back again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograder.judging.subject import Subject
from autograder.sandbox.drivers import driver_source
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.session import SubjectCrashed, SubjectTimeout


def installed(
    subject: Subject,
    source: str,
    names: Sequence[str],
    free: Sequence[str] = (),
    uses: tuple[Callable[..., Any], ...] = (),
) -> bool:
    """Define ``names`` as in ``source``, or with no names restore the learner's own; returns whether that worked.

    ``free`` ones are classes of the learner's to which the driver ``fit``, one of ``uses``, fits what is defined.
    """
    request = Request(exchange.__name__, (source, list(names), list(free)), source=driver_source(exchange, uses))
    try:
        found = subject.ask(request).value
    except (SubjectTimeout, SubjectCrashed):
        return False
    return isinstance(found, list) and found == list(names)  # a forged reply may hold anything


def exchange(learner, source, names, free):
    """A driver: replace the learner's versions of ``names`` by those of ``source``; without any, restore the learner's.

    Other names that these call are the learner's: given with the notebook, or right. ``free`` ones are classes of the
    learner's whose constructors may take other arguments than the course's.
    """
    own = learner._namespace
    for name, value in own.pop("_replaced", {}).items():
        if value is None:
            own.pop(name, None)
        else:
            own[name] = value
    if not names:
        return []
    others = dict(own)
    exec(source, others)
    if free:
        fit(others, [name for name in free if name in own])  # type: ignore[name-defined]  # noqa: F821, travels with it
    own["_replaced"] = {name: own.get(name) for name in names}
    own.update({name: others[name] for name in names})
    return list(names)
