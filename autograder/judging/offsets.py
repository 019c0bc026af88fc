"""A warning that costs no points: offsets in C whose type is too small for large arrays."""

from __future__ import annotations

import re

from autograder.course.catalogue import is_c
from autograder.judging.subject import Subject
from autograder.judging.verdicts import Judgement
from autograder.sandbox.drivers import driver_source, line_of_overflow
from autograder.sandbox.runtime.c import INT_OFFSET
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.session import SubjectCrashed, SubjectTimeout


def int_offsets(judgement: Judgement, subject: Subject) -> list[str]:
    """A sentence for each right kernel that is known to compute an offset as an `int`, with the line."""
    if not is_c(judgement.unit):
        return []
    right = [task.partition(".")[2] for task in judgement.verdicts if judgement.passed(task)]
    if not right:
        return []
    try:
        lines = subject.ask(Request(overflows.__name__, (right,), source=driver_source(overflows))).value
    except (SubjectTimeout, SubjectCrashed):
        return []
    lines = lines if isinstance(lines, list) else []  # the reply may be forged
    return [
        f"`{name}`, {line}: {INT_OFFSET}"
        for name, line in zip(right, lines)
        if isinstance(line, str) and re.fullmatch(r"line \d{1,6} of [\w. -]{1,60}", line)
    ]


def overflows(learner, names):
    """A driver: for each kernel the line in which it computes an offset as an `int`, or an empty text."""
    return [line_of_overflow(learner, name) for name in names]
