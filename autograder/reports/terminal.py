"""Reports for the terminal, with rich, and as plain text.

Untrusted text goes into ``rich.text.Text`` objects only, which rich never reads as markup, and is cleaned of
control characters first. Where the stream cannot show a character, an ASCII form of it is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from textwrap import indent

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.judging.results import GRADED, NOT_ATTEMPTED, PASSED, Submission, TaskResult
from autograder.reports.common import (
    LOOKS,
    Explanation,
    as_tasks,
    check_title,
    count,
    default_title,
    explanations,
    given_text,
    likely_misconception,
    link_label,
    messages,
    next_step,
    one_line,
    overall_status,
    points_text,
    score_text,
    shorten,
    submission_status,
)
from autograder.submissions.text import clean

_STYLES = {"good": "green", "part": "yellow", "bad": "red", "idle": "dim"}
_Line = tuple[str, str]  # rich style, text


def print_tasks(tasks: TaskResult | Iterable[TaskResult], console: Console | None = None) -> None:
    """Print the result of a check of one or several tasks."""
    console = console or Console()
    for style, line in _lines(as_tasks(tasks), console.encoding, in_terminal=True):
        _print(console, line, style)


def text(tasks: TaskResult | Iterable[TaskResult], encoding: str | None = None) -> str:
    """The result of a check as plain text for a stream of that encoding (default: that of the output)."""
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    return "\n".join(encodable(line, encoding) for _, line in _lines(as_tasks(tasks), encoding, in_terminal=False))


def print_class(submissions: Iterable[Submission], console: Console | None = None) -> None:
    """Print one row per submission, then why some could not be graded."""
    console = console or Console()
    submissions = tuple(submissions)
    table = Table()
    for column in ("Student", "Unit", "Points", "Most likely misconception", "Status"):
        # Folding, because rich marks shortened text with a character that not every stream has.
        table.add_column(column, overflow="fold", justify="right" if column == "Points" else "left")
    for submission in submissions:
        table.add_row(*_cells(submission, console.encoding))
    console.print(table)
    failed = [submission for submission in submissions if submission.status != GRADED]
    for submission in failed:
        message = one_line(submission.message or "no reason was given", 500)
        _print(console, f"{one_line(submission.path)}: {message}", "red")
    summary = count(len(submissions), "submission")
    _print(console, f"{summary}, {len(failed)} of them could not be graded." if failed else f"{summary} graded.")


def _cells(submission: Submission, encoding: str) -> Iterator[Text]:
    look = LOOKS[submission_status(submission)]
    graded = submission.status == GRADED
    yield _text(one_line(submission.student), encoding)
    yield _text(one_line(submission.unit), encoding)
    yield _text(f"{points_text(submission.points)} / {points_text(submission.max_points)}" if graded else "-", encoding)
    yield _text(likely_misconception(submission) or "-", encoding)
    yield _text(f"{_symbol(submission_status(submission), encoding)} {look.word}", encoding, _STYLES[look.tone])


def _lines(tasks: tuple[TaskResult, ...], encoding: str, in_terminal: bool) -> Iterator[_Line]:
    """The report line by line, each with its rich style."""
    if len(tasks) > 1:
        yield "bold", f"{default_title(tasks)}: {score_text(tasks)}, {LOOKS[overall_status(tasks)].word.lower()}"
    for task in tasks:
        yield from _task_lines(task, tasks, encoding)
    yield "", next_step(tasks, in_terminal).replace("`", "")


def _task_lines(task: TaskResult, tasks: tuple[TaskResult, ...], encoding: str) -> Iterator[_Line]:
    look = LOOKS[task.status]
    heading = f"{_symbol(task.status, encoding)} {task.id}: {score_text([task])}, {look.word.lower()}"
    yield f"bold {_STYLES[look.tone]}", heading
    if given := given_text(task):
        yield "", f"  {given}".replace("`", "")
    for explanation in explanations(task, tasks):
        yield from _explanation_lines(explanation)
    if task.status == NOT_ATTEMPTED:
        return
    for check, message in messages(task):
        look = LOOKS[check.status]
        word = "" if check.status == PASSED else f" ({look.word.lower()})"
        yield _STYLES[look.tone], f"  {_symbol(check.status, encoding)} {check_title(check)}{word}"
        if message:
            yield "", indent(message, "    ")


def _explanation_lines(explanation: Explanation) -> Iterator[_Line]:
    yield "bold", f"  {explanation.heading}"
    yield "", indent(shorten(explanation.text), "    ")
    if explanation.link:
        yield "", f"    Read: {link_label(explanation.link)}, {one_line(explanation.link)}"


def _symbol(status: str, encoding: str) -> str:
    look = LOOKS[status]
    return look.symbol if encodable(look.symbol, encoding) == look.symbol else look.ascii


def encodable(line: str, encoding: str) -> str:
    """The text with whatever the stream cannot encode written as ``\\u...``, tabs and controls gone."""
    line = clean(line).expandtabs(4)
    try:
        return line.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:  # an encoding that Python does not know
        return line.encode("ascii", "backslashreplace").decode("ascii")


def _print(console: Console, line: str, style: str = "") -> None:
    # Wrapping is left to the terminal, so that a link stays whole.
    console.print(_text(line, console.encoding, style), soft_wrap=True)


def _text(line: str, encoding: str, style: str = "") -> Text:
    return Text(encodable(line, encoding), style=style, overflow="fold")
