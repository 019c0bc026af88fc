"""What a learner calls in a notebook: `check`, `hint`, `by_hand` and `progress`."""

from __future__ import annotations

import html
import os
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from autograder.course import by_hand as questions
from autograder.course.registry import UnknownUnit, find_tasks
from autograder.course.version import changed_tasks, digest_of_checks
from autograder.judging import results
from autograder.judging.inputs import DEFAULT_SEED, seed_for
from autograder.judging.results import TaskResult
from autograder.judging.runner import load_checks, run_checks
from autograder.judging.subject import quiet
from autograder.notebook import c_magic, carried, store
from autograder.notebook import differences as gradients
from autograder.notebook.c_magic import when_ready as when_ready
from autograder.notebook.c_magic import write_kernels as write_kernels
from autograder.notebook.hints import next_hint
from autograder.notebook.progress import Progress
from autograder.notebook.progress import load as load_progress
from autograder.notebook.waiting import Interrupted, LimitedSubject, Shown
from autograder.reports import ReportError, terminal, write
from autograder.reports import html as html_report
from autograder.reports.certificate import page as certificate_page
from autograder.sandbox.runtime.c import C_CODE
from autograder.sandbox.runtime.requests import Outcome, Request

CHANGED = (
    "The task or the checks of {tasks} have changed since this notebook was released. Get the newest notebook from the "
    "course. Or, to continue with this one, run this in a cell and restart the kernel:\n\n%pip install "
    '--force-reinstall --no-deps "{package}"'
)
OTHER_CHECKS = (
    "The installed checks are not those of the course that gave out this notebook, so nothing is checked. Run this "
    'in a cell, then restart the kernel:\n\n%pip install --force-reinstall --no-deps "{package}"'
)


@dataclass(frozen=True)
class Report:
    """The result of `check`. It shows itself as HTML in a notebook and as text elsewhere.

    In a notebook its plain-text form is the score alone, which is what nbgrader reads.
    """

    tasks: tuple[TaskResult, ...]
    note: str = ""

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
        return "\n\n".join(filter(None, (self.note, terminal.text(self.tasks))))

    def __repr__(self) -> str:
        return str(self.points) if _in_notebook() else str(self)

    def _repr_html_(self) -> str:
        note = Message(self.note)._repr_html_() if self.note else ""
        return note + html_report.feedback_fragment(self.tasks)


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


TRANSLATOR = "translation.train_translator"
SECONDS = 10.0  # the limit for one call of a learner's code, the same as in grading
_other_checks: dict[str, Message] = {}  # by unit, if the notebook was released with other checks
_changed: dict[str, str] = {}  # by task, a note that it has changed since the release


def check(
    what: str,
    namespace: dict[str, Any] | None = None,
    seconds: float | None = None,
    *,
    released_with: str = "",
    tasks: str = "",
    package: str = "",
) -> Report | Message | None:
    """Grade a task (``"attention.softmax"``) or a whole unit (``"attention"``) in the running notebook.

    Args:
        what: a task or a unit.
        namespace: where the learner's names are; by default the notebook's (or the caller's) globals.
        seconds: how long one call of your code may take; by default ``AUTOGRADER_SECONDS`` of the environment, or
            else 10. With 0 there is no limit.
        released_with: grade nothing; compare the installed checks with those of this release of the unit's notebook.
        tasks: grade nothing, and note which tasks have changed since the notebook of this unit was released.
        package: what to install if the checks differ.

    Returns:
        A `Report` that shows points, feedback and the likely misconception; a `Message` for an unknown name.
    """
    if released_with:
        _other_checks.pop(what, None)
        if released_with != digest_of_checks(what):
            _other_checks[what] = Message(OTHER_CHECKS.format(package=package))
        return _other_checks.get(what)
    if tasks:
        for task in changed_tasks(what, tasks):
            _changed[task] = CHANGED.format(tasks=task, package=package)
        return None
    if namespace is None:
        namespace = _learner_namespace()
    if isinstance(what, str) and (message := _other_checks.get(what.partition(".")[0])):
        return message
    try:
        unit, asked = find_tasks(what)
    except UnknownUnit as error:
        return Message(str(error))
    shown = Shown(_show_line())
    limit = _seconds() if seconds is None else seconds
    translations: list[tuple[str, str]] = []
    subject = LimitedSubject(namespace, limit, _teller(shown, unit.name, asked), _listener(translations))
    try:
        with shown, quiet():
            cells = _cells_run()
            graded = run_checks(subject, unit.name, asked, cells=cells)
    except KeyboardInterrupt as raised:
        raise Interrupted(raised) from None
    store.remember_points({task.id: results.number(task.points) for task in graded})
    carried.keep(graded, cells, namespace.get(C_CODE))
    if translations and any(task.id == TRANSLATOR and task.points for task in graded):
        store.update("sentence", dict(zip(("source", "translation"), translations[0])))
    return Report(graded, "\n\n".join(_changed[task.id] for task in graded if task.id in _changed))


def _seconds() -> float:
    """The time limit that the environment sets, else the usual one."""
    try:
        return max(0.0, float(os.environ["AUTOGRADER_SECONDS"]))
    except (KeyError, ValueError):
        return SECONDS


def _teller(shown: Shown, unit: str, tasks: tuple[str, ...]) -> Callable[[Request], None]:
    """Shows which check is running. The seed of a request tells that, since every check has its own seed."""
    checks = [check for check in load_checks(unit) if check.task in tasks]
    doing = {
        seed_for(DEFAULT_SEED, check.id): f"Check {number} of {len(checks)}: {check.task}, {check.title}"
        for number, check in enumerate(checks, 1)
    }

    def tell(request: Request) -> None:
        shown.doing = doing.get(request.seed, shown.doing)

    return tell


def _listener(translations: list[tuple[str, str]]) -> Callable[[Request, Outcome], None]:
    """Records how the learner's translator translates the sentences of its check."""

    def listen(request: Request, outcome: Outcome) -> None:
        if request.name == "train_and_translate" and isinstance(outcome.value, (tuple, list)):
            _, sentences, *_ = request.args
            outputs, *_ = outcome.value
            pairs = zip(sentences.splitlines(), map(str, outputs))
            translations.extend((source, text) for source, text in pairs if text.strip())

    return listen


def _show_line() -> Callable[[str], None]:
    """How to show one text in place of another: below the cell, or in the terminal's last line."""
    if _in_notebook():
        return _LineBelowCell().show
    terminal = sys.stderr  # kept, since `quiet` replaces `sys.stderr`

    def show(text: str) -> None:
        if terminal.isatty():
            print(f"\r\x1b[K{text[:100]}", end="", file=terminal, flush=True)

    return show


class _LineBelowCell:
    """A line among a cell's outputs whose text can be replaced."""

    _handle: Any = None

    def show(self, text: str) -> None:
        from IPython.display import display  # in a notebook only

        line = {"text/plain": text}
        if self._handle:
            self._handle.update(line, raw=True)
        else:
            self._handle = display(line, raw=True, display_id=True)


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


_misses: Counter[str] = Counter()  # wrong answers by question, since the notebook started


def by_hand(question: str, answer: object = "", *, solution: bool = False) -> Message:
    """Say whether an answer that you worked out by hand is right.

    Args:
        question: its name, for example ``"attention.three-weights"``.
        answer: numbers or fractions in quotes, separated by commas: ``"1/4, 0.75"``.
        solution: show the answer and the way to it instead.
    """
    try:
        asked = questions.question(question)
    except questions.UnknownQuestion as error:
        return Message(str(error))
    if solution:
        return Message(questions.solution(asked))
    reply = questions.judge(asked, answer)
    _misses[question] += reply.miss
    if reply.right:
        return Message(f"{reply.text} {questions.solution(asked)}")
    if reply.miss and _misses[question] > 1:
        return Message(
            f'{reply.text} A hint: {questions.hint(asked)}\n\nTo see the solution: by_hand("{question}", solution=True)'
        )
    return Message(reply.text)


def run_kernel(name: str, *arguments: Any) -> list[Any]:
    """Call a C kernel that was written in the running notebook; see `c_magic.run_kernel`."""
    return c_magic.run_kernel(_learner_namespace(), name, *arguments)


def differences(name: str) -> None:
    """Print the gradients of a backward kernel of the running notebook beside finite differences; see `differences`."""
    try:
        with c_magic.when_ready():
            print(gradients.table(_learner_namespace(), name))
    except ValueError as error:
        print(error)


def write_earlier_kernels(unit: str, path: str | os.PathLike) -> Message | None:
    """Write the C kernels of an earlier unit into a file: yours where they have passed, else the course's.

    Returns a `Message` for a unit that has no kernels.
    """
    try:
        text = carried.kernels(unit)
    except UnknownUnit as error:
        return Message(str(error))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return None


def progress() -> Progress:
    """Show the map of the course: what is passed, what in part, and what comes next."""
    return load_progress()


def certificate(name: str = "", out: str | os.PathLike = "certificate.html", sentence: str = "") -> Message:
    """Write a page to print: what you have passed, and a sentence of your own model.

    Args:
        name: your name, as it should appear on the page.
        out: the file, HTML.
        sentence: a text that a model of yours has written; by default, a translation by your translator.
    """
    try:
        write(out, certificate_page(load_progress(), str(name), store.section("sentence"), str(sentence)))
    except ReportError as error:
        return Message(str(error))
    return Message(f"Written: {os.fspath(out)}. Open it in a browser, and print it from there.")


def _learner_namespace() -> dict[str, Any]:
    """The namespace of the running notebook, else the globals of whoever called `check`."""
    shell = _shell()
    if shell is not None:
        return shell.user_ns
    return sys._getframe(2).f_globals


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def _cells_run() -> list[str]:
    """The cells that were run in the running notebook, in this order, as they were typed."""
    shell = _shell()
    return list(shell.history_manager.input_hist_raw) if shell else []


def _in_notebook() -> bool:
    return type(_shell()).__name__ == "ZMQInteractiveShell"


if (_running := _shell()) is not None:
    c_magic.register(_running)
