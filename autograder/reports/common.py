"""What all reports share: shortening of untrusted text, the words for a status, and the story of a result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from autograder.course.headings import heading
from autograder.course.registry import BY_NAME
from autograder.judging.results import (
    CRASHED,
    ERROR,
    FAILED,
    GRADED,
    NOT_ATTEMPTED,
    PARTIAL,
    PASSED,
    TIMEOUT,
    CheckResult,
    Diagnosis,
    Submission,
    TaskResult,
    task_status,
)
from autograder.judging.verdicts import partly_given, right_given
from autograder.submissions.text import clean

MESSAGE_LIMIT = 2000  # characters of one message that a report shows
LINE_LIMIT = 60  # lines of one message that a report shows
NOT_GRADED = "not_graded"  # how reports call a submission whose status is not "graded"


# Untrusted text ------------------------------------------------------------------------------------


def shorten(text: object, limit: int = MESSAGE_LIMIT) -> str:
    """`clean` text of at most ``limit`` characters and `LINE_LIMIT` lines, and a notice of what was cut."""
    whole = clean(text).strip("\n")
    kept = "\n".join(whole[:limit].split("\n")[:LINE_LIMIT])
    if len(kept) == len(whole):
        return whole
    return f"{kept}\n[... {len(whole) - len(kept):,} more characters are not shown]"


def one_line(text: object, limit: int = 200) -> str:
    """`clean` text on one line of at most ``limit`` characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


# Words ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """How a status is shown: a word and a symbol, so that nothing depends on colour alone."""

    word: str
    symbol: str
    ascii: str
    tone: str  # "good", "part", "bad" or "idle"


LOOKS: dict[str, Look] = {
    PASSED: Look("Passed", "✓", "+", "good"),
    PARTIAL: Look("Partly passed", "◐", "~", "part"),
    FAILED: Look("Failed", "✗", "x", "bad"),
    ERROR: Look("Error", "✗", "x", "bad"),
    TIMEOUT: Look("Timed out", "✗", "x", "bad"),
    CRASHED: Look("Crashed", "✗", "x", "bad"),
    NOT_ATTEMPTED: Look("Not attempted", "○", "-", "idle"),
    NOT_GRADED: Look("Could not be graded", "✗", "!", "bad"),
}


def readable(name: str) -> str:
    """``"softmax-over-queries"`` -> ``"softmax over queries"``."""
    return one_line(name.replace("-", " ").replace("_", " "))


def points_text(points: Fraction) -> str:
    """Points with at most two decimals and no trailing zeros: ``2``, ``1.5``, ``0.33``."""
    return f"{float(points):.2f}".rstrip("0").rstrip(".")


def count(number: int, noun: str) -> str:
    """``1 check``, ``2 checks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def check_title(check: CheckResult) -> str:
    """The line that names a check for people."""
    return one_line(check.title or check.id)


def link_label(link: str) -> str:
    """Name of the chapter section that a link leads to: the chapter by number, then the heading in quotes."""
    page, _, section = link.partition("#")
    unit = BY_NAME.get(page.rsplit("/", 1)[-1].removesuffix(".html"))
    chapter = f"chapter {unit.number}" if unit else "the book"
    name = (unit and heading(unit.name, section)) or readable(section).capitalize()
    return f'{chapter}, "{name}"' if section else chapter


# The story of a result -----------------------------------------------------------------------------


def as_tasks(tasks: TaskResult | Iterable[TaskResult]) -> tuple[TaskResult, ...]:
    """One task result or several, as a tuple."""
    return (tasks,) if isinstance(tasks, TaskResult) else tuple(tasks)


def overall_status(tasks: Sequence[TaskResult]) -> str:
    """One status for several tasks."""
    statuses = [task.status for task in tasks]
    if not statuses:
        return NOT_ATTEMPTED
    return PARTIAL if PARTIAL in statuses else task_status(statuses)


def submission_status(submission: Submission) -> str:
    """Key into `LOOKS` for a whole submission."""
    return overall_status(submission.tasks) if submission.status == GRADED else NOT_GRADED


def score_text(tasks: Sequence[TaskResult]) -> str:
    """For example ``7 / 10 points``."""
    points = sum((task.points for task in tasks), Fraction(0))
    maximum = sum((task.max_points for task in tasks), Fraction(0))
    return f"{points_text(points)} / {points_text(maximum)} point{'' if maximum == 1 else 's'}"


def default_title(tasks: Sequence[TaskResult]) -> str:
    """The task's id for one task; the unit's title for several tasks of one unit."""
    if len(tasks) == 1:
        return tasks[0].id
    units = {task.id.partition(".")[0] for task in tasks}
    unit = BY_NAME.get(units.pop()) if len(units) == 1 else None
    return f"Unit {unit.number}: {unit.title}" if unit else "Your checks"


def messages(task: TaskResult, limit: int = MESSAGE_LIMIT) -> list[tuple[CheckResult, str]]:
    """Each check with the message to show; a message that repeats an earlier one refers to it."""
    first: dict[str, str] = {}  # message -> title of the first check that has it
    shown = []
    for check in task.checks:
        text = "" if check.status == PASSED else shorten(check.message, limit)
        repeated = bool(text) and text in first
        shown.append((check, f"The same message as for: {first[text]}" if repeated else text))
        first.setdefault(text, check_title(check))
    return shown


def given_text(task: TaskResult) -> str:
    """What a task was given to get its points; ``""`` for one that needed nothing."""
    if not task.given:
        return ""
    return right_given(task.given) if task.status == PASSED else partly_given(task.given)


@dataclass(frozen=True)
class Explanation:
    """What a report says about the mistake behind a task's failing checks; code stands between backticks."""

    heading: str
    text: str
    link: str


def explanations(task: TaskResult, tasks: Iterable[TaskResult] = ()) -> list[Explanation]:
    """The mistake that was made, or those that are possible. ``tasks``: all tasks in the report.

    A mistake of another task is explained with that task, and here only if the report does not show it.
    """
    found = task.diagnosis
    if not found:
        return [_possible(diagnosis, first=number == 0) for number, diagnosis in enumerate(task.possible)]
    if not task.elsewhere:
        return [Explanation(f"Looks like: {readable(found.mistake)}", found.hint, found.link)]
    name = found.task.partition(".")[2]
    heading = f"Comes from `{name}`: {readable(found.mistake)}"
    if any(other.id == found.task and other.diagnosis == found for other in tasks):
        return [Explanation(heading, f"This task calls `{name}`. Fix that first, as described there.", "")]
    return [Explanation(heading, f"This task calls `{name}`, where the mistake is. {found.hint}", found.link)]


def _possible(diagnosis: Diagnosis, first: bool) -> Explanation:
    """Several mistakes have one symptom, so this is no more than a suggestion."""
    heading = f"{'Perhaps' if first else 'Or perhaps'}: {readable(diagnosis.mistake)}"
    return Explanation(
        heading,
        f"Your results fit this mistake, and may fit others. If it is yours: {diagnosis.hint}",
        diagnosis.link,
    )


def next_step(tasks: Sequence[TaskResult], in_terminal: bool = False) -> str:
    """What to do now, in one sentence, with code between backticks."""
    task = next((task for task in tasks if task.status != PASSED), None)
    if task is None:
        progress = "autograder progress" if in_terminal else "progress()"
        return f"Everything passes; `{progress}` shows what is left in the course." if tasks else "No check was run."
    wrong = task.elsewhere.task if task.elsewhere else task.id
    hint = f"autograder hint {wrong}" if in_terminal else f'hint("{wrong}")'
    if task.status == NOT_ATTEMPTED:
        return f"Next: write `{task.id.partition('.')[2]}`; `{hint}` shows how to begin."
    if task.diagnosis:
        return f"Next: fix `{wrong}` as described above; `{hint}` shows a hint if that is not enough."
    return f"Next: fix `{wrong}`; `{hint}` shows a hint."


def likely_misconception(submission: Submission) -> str:
    """The diagnosed mistake that cost this submission most points, made readable; ``""`` if there is none."""
    lost: dict[str, Fraction] = {}
    for task in submission.tasks:
        if task.diagnosis:
            mistake = task.diagnosis.mistake
            lost[mistake] = lost.get(mistake, Fraction(0)) + task.max_points - task.points
    return readable(max(lost, key=lost.__getitem__)) if lost else ""  # the first of equals
