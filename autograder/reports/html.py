"""HTML reports: the feedback fragment that a notebook shows, and the page about a whole class.

Both are self-contained (no script, nothing loaded from anywhere), and jinja2 escapes whatever they show.

The fragment appears in light and dark pages of all kinds, and some of them strip style sheets.
So it has inline styles only, inherits the colour of the text, and tints with translucent colours. Its root has the
classes that keep MathJax away, which would otherwise typeset what stands between dollar signs in a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.judging.results import GRADED, NOT_ATTEMPTED, PASSED, CheckResult, Submission, TaskResult
from autograder.reports.classroom import BINS, GROUPS, in_course_order, summarise
from autograder.reports.common import (
    LOOKS,
    MESSAGE_LIMIT,
    Explanation,
    Look,
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
    readable,
    score_text,
    shorten,
    submission_status,
)
from autograder.submissions.text import clean

CLASS_MESSAGE_LIMIT = 600  # per message: the page of a large class must stay small
STUDENT_LIMIT = 200  # names listed under one misconception


def feedback_fragment(tasks: TaskResult | Iterable[TaskResult], title: str | None = None) -> str:
    """HTML for the result of a check of one or several tasks, to stand inside another page."""
    tasks = as_tasks(tasks)
    views = [TaskView.of(task, tasks, MESSAGE_LIMIT) for task in tasks]
    return render(
        "fragment.html.j2",
        title=one_line(default_title(tasks) if title is None else title),
        look=LOOKS[overall_status(tasks)],
        score=score_text(tasks),
        tasks=views,
        first_failure=next((view.task.id for view in views if view.task.status != PASSED), ""),
        next_step=next_step(tasks),
    )


def class_page(
    submissions: Iterable[Submission], title: str = "Class report", note: str = "", similar: str = ""
) -> str:
    """A complete HTML page about a class: figures per unit, misconceptions, and every submission.

    ``similar``: the address of a page about similar submissions, to link to.
    """
    submissions = in_course_order(submissions)
    return render(
        "class.html.j2",
        title=one_line(title),
        note=one_line(note, 1000),
        similar=similar,
        units=summarise(submissions),
        rows=[Row.of(position, submission) for position, submission in enumerate(submissions, start=1)],
        students=len({submission.student for submission in submissions}),
        not_graded=sum(submission.status != GRADED for submission in submissions),
        groups=GROUPS,
        student_limit=STUDENT_LIMIT,
    )


@dataclass(frozen=True)
class TaskView:
    """What the templates show of one task."""

    task: TaskResult
    look: Look
    score: str
    checks: list[tuple[CheckResult, Look, str]]
    passed: int
    explanations: list[Explanation]

    @classmethod
    def of(cls, task: TaskResult, tasks: Sequence[TaskResult], limit: int) -> TaskView:
        checks = [(check, LOOKS[check.status], message) for check, message in messages(task, limit)]
        if task.status == NOT_ATTEMPTED:
            checks = []  # all checks would show the same message
        passed = sum(check.status == PASSED for check in task.checks)
        return cls(task, LOOKS[task.status], score_text([task]), checks, passed, explanations(task, tasks))


@dataclass(frozen=True)
class Row:
    """What the class page shows of one submission, in the table and below it."""

    anchor: str
    submission: Submission
    look: Look
    graded: bool
    share: int  # percent of the points, for the bar
    misconception: str
    tasks: list[TaskView]

    @classmethod
    def of(cls, position: int, submission: Submission) -> Row:
        maximum = submission.max_points
        return cls(
            anchor=f"submission-{position}",
            submission=submission,
            look=LOOKS[submission_status(submission)],
            graded=submission.status == GRADED,
            share=round(100 * submission.points / maximum) if maximum else 0,
            misconception=likely_misconception(submission),
            tasks=[TaskView.of(task, submission.tasks, CLASS_MESSAGE_LIMIT) for task in submission.tasks],
        )


def _marked(text: str) -> Markup:
    """Escaped text in which what stands between backticks is set as code, and what stands between stars is stressed."""
    parts = re.split(r"`([^`\n]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else _stressed(part) for i, part in enumerate(parts)
    )


def _stressed(text: str) -> Markup:
    parts = re.split(r"(?<![\w*])\*(?=\S)([^*\n]+)(?<=\S)\*(?![\w*])", text)
    return Markup("").join(
        Markup("<em>{}</em>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)
    )


def _web_link(link: str) -> str:
    """The link, if it leads to a web page; ``""`` for anything else, such as ``javascript:``."""
    link = one_line(link, 2000)
    return link if re.match(r"https?://[^\s]+$", link) else ""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        clean=clean,
        given=given_text,
        marked=_marked,
        link_label=link_label,
        one_line=one_line,
        points=points_text,
        readable=readable,
        shorten=shorten,
        title_of=check_title,
        web_link=_web_link,
    )
    environment.globals.update(count=count, bins=BINS)
    return environment


def render(template: str, **values: object) -> str:
    """A template of this folder with its values filled in and escaped."""
    return _environment().get_template(template).render(**values)
