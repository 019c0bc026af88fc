"""What a learner calls in a notebook: `check`, `hint` and `progress`."""

from __future__ import annotations

import html
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from autograder.course.registry import UnknownUnit, find_tasks
from autograder.course.version import digest_of_checks
from autograder.judging import results
from autograder.judging.results import TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet
from autograder.notebook import c_magic, store
from autograder.notebook.c_magic import when_ready as when_ready
from autograder.notebook.c_magic import write_kernels as write_kernels
from autograder.notebook.hints import next_hint
from autograder.notebook.progress import Progress
from autograder.notebook.progress import load as load_progress
from autograder.reports import html as html_report
from autograder.reports import terminal

OTHER_CHECKS = (
    "The checks that are installed here are not those of the course that gave out this notebook, so nothing is "
    'checked. Run this in a cell, then restart the kernel:\n\n%pip install --force-reinstall --no-deps "{package}"'
)


@dataclass(frozen=True)
class Report:
    """The result of `check`. It shows itself as HTML in a notebook and as text elsewhere.

    In a notebook its plain-text form is the score alone, which is what nbgrader reads.
    """

    tasks: tuple[TaskResult, ...]

    @property
    def points(self) -> float:
        return results.number(sum((task.points for task in self.tasks), Fraction(0)))

    @property
    def max_points(self) -> float:
        return results.number(sum((task.max_points for task in self.tasks), Fraction(0)))

    @property
    def passed(self) -> bool:
        return all(task.status == results.PASSED for task in self.tasks)

    def __float__(self) -> float:
        return self.points

    def __str__(self) -> str:
        return terminal.text(self.tasks)

    def __repr__(self) -> str:
        return str(self.points) if _in_notebook() else str(self)

    def _repr_html_(self) -> str:
        return html_report.feedback_fragment(self.tasks)


@dataclass(frozen=True)
class Message:
    """A short text that shows itself."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<div style="white-space: pre-wrap; max-width: 45em">{html.escape(self.text)}</div>'


_other_checks: dict[str, Message] = {}  # by unit, where those that are installed are not the notebook's


def check(
    what: str, namespace: dict[str, Any] | None = None, *, released_with: str = "", package: str = ""
) -> Report | Message | None:
    """Grade a task (``"attention.softmax"``) or a whole unit (``"attention"``) in the running notebook.

    Args:
        what: a task or a unit.
        namespace: where the learner's names are; by default the notebook's (or the caller's) globals.
        released_with: grade nothing, and make sure of the checks that the notebook of this unit was released with.
        package: what to install where there are others.

    Returns:
        A `Report` that shows points, feedback and the likely misconception; a `Message` for an unknown name.
    """
    if released_with:
        _other_checks.pop(what, None)
        if released_with != digest_of_checks(what):
            _other_checks[what] = Message(OTHER_CHECKS.format(package=package))
        return _other_checks.get(what)
    if namespace is None:
        namespace = _learner_namespace()
    if isinstance(what, str) and (message := _other_checks.get(what.partition(".")[0])):
        return message
    try:
        unit, tasks = find_tasks(what)
    except UnknownUnit as error:
        return Message(str(error))
    with quiet():
        graded = run_checks(LocalSubject(namespace), unit.name, tasks)
    store.remember_points({task.id: results.number(task.points) for task in graded})
    return Report(graded)


def hint(task: str) -> Message:
    """Show the next of the three hints of a task."""
    try:
        _, tasks = find_tasks(task)
        if len(tasks) > 1:
            return Message(f"Hints belong to one task; choose from {', '.join(tasks)}.")
        number, count, text = next_hint(task)
    except UnknownUnit as error:
        return Message(str(error))
    return Message(f"Hint {number} of {count} for {task}\n\n{text}")


def run_kernel(name: str, *arguments: Any) -> list[Any]:
    """Call a C kernel that was written in the running notebook; see `c_magic.run_kernel`."""
    return c_magic.run_kernel(_learner_namespace(), name, *arguments)


def progress() -> Progress:
    """Show the map of the course: what is passed, what in part, and what comes next."""
    return load_progress()


def _learner_namespace() -> dict[str, Any]:
    """The namespace of the running notebook, else the globals of whoever called `check`."""
    shell = _shell()
    if shell is not None:
        return shell.user_ns
    return sys._getframe(2).f_globals


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def _in_notebook() -> bool:
    return type(_shell()).__name__ == "ZMQInteractiveShell"


if (_running := _shell()) is not None:
    c_magic.register(_running)
