"""JUnit XML: one testsuite per submission, one testcase per check, for continuous-integration servers."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

from autograder.judging.results import (
    FAILED,
    GRADED,
    NOT_ATTEMPTED,
    PARTIAL,
    PASSED,
    CheckResult,
    Submission,
    TaskResult,
)
from autograder.reports.common import LOOKS, check_title, explanations, one_line, shorten
from autograder.submissions.text import clean

# error, timeout and crash are all "error"
_ELEMENTS = {FAILED: "failure", PARTIAL: "failure", NOT_ATTEMPTED: "skipped"}
_COUNTERS = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def to_junit(submissions: Iterable[Submission]) -> str:
    """The report as an XML document, valid whatever the messages hold."""
    submissions = tuple(submissions)
    root = ET.Element("testsuites", name="autograder")
    for submission in submissions:
        root.append(_suite(submission))
    _count(root)
    root.set("time", f"{sum(submission.seconds for submission in submissions):.3f}")
    ET.indent(root)
    # No encoding is declared: XML without one is UTF-8, and parsers then also take it as str.
    return f'<?xml version="1.0"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(submission: Submission) -> ET.Element:
    student = one_line(submission.student)
    suite = ET.Element("testsuite", name=f"{student}/{one_line(submission.unit)}")
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", name="path", value=clean(submission.path))
    for task in submission.tasks:
        for check in task.checks:
            suite.append(_case(student, task, check))
    if submission.status != GRADED:
        message = submission.message or "This submission could not be graded."
        _add_outcome(_new_case(student, "grading"), "error", "not-graded", message, into=suite)
    if submission.notes:
        ET.SubElement(suite, "system-out").text = shorten("\n".join(submission.notes))
    _count(suite)
    suite.set("time", f"{submission.seconds:.3f}")
    return suite


def _new_case(classname: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=clean(classname), name=one_line(name))


def _case(student: str, task: TaskResult, check: CheckResult) -> ET.Element:
    # The student is part of the class name: servers tell test cases apart by class name and name only.
    case = _new_case(f"{student}.{task.id}", check.id)
    if check.status == PASSED:
        return case
    look = LOOKS.get(check.status)
    message = f"{check_title(check)}\n{check.message}"
    for found in explanations(task):
        message += f"\n{found.heading}. {found.text} {found.link}"
    element = _ELEMENTS.get(check.status, "error")
    return _add_outcome(case, element, check.status, message, summary=check.message or (look.word if look else ""))


def _add_outcome(
    case: ET.Element, element: str, kind: str, message: str, summary: str | None = None, into: ET.Element | None = None
) -> ET.Element:
    short = one_line(message if summary is None else summary)
    outcome = ET.SubElement(case, element, type=kind, message=short)
    outcome.text = shorten(message)
    if into is not None:
        into.append(case)
    return case


def _count(element: ET.Element) -> None:
    for counter, tag in _COUNTERS.items():
        element.set(counter, str(sum(1 for _ in element.iter(tag))))
