"""A page that a learner prints: passed tasks, the learner's share of each model, and a sentence by such a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from autograder.reports.html import render
from autograder.reports.progress import Progress, own_parts, summary
from autograder.submissions.text import clean

MOST_LETTERS = 300  # shown of a sentence
MOST_OF_NAME = 80
NO_SENTENCE = (
    "There is no sentence of your own model yet. The check of translation.train_translator keeps one when it passes. "
    'To show what another of your models writes, call certificate("Your name", sentence="...").'
)


@dataclass(frozen=True)
class Sentence:
    """What a learner's own model said: a text that it wrote, or its translation of ``source``."""

    text: str = ""
    source: str = ""


def page(progress: Progress, name: str, kept: Mapping[str, Any], written: str = "", day: date | None = None) -> str:
    """The certificate as HTML.

    Args:
        progress: what was reached.
        name: of the learner; empty leaves a line to write it on.
        kept: ``source`` and ``translation`` of a sentence that the learner's translator was checked with, if any.
        written: a text that another model of the learner's wrote, shown instead of the translation.
        day: today by default.
    """
    day = day or date.today()
    return render(
        "certificate.html.j2",
        name=_line(name, MOST_OF_NAME),
        day=f"{day.day} {day:%B %Y}",
        summary=summary(progress),
        own_parts=own_parts(progress),
        units=[found for found in progress.units if found.worth],
        sentence=_sentence(kept, written),
        no_sentence=NO_SENTENCE,
    )


def _sentence(kept: Mapping[str, Any], written: str) -> Sentence:
    if written.strip():
        return Sentence(_line(written, MOST_LETTERS))
    source, text = (kept.get(key) for key in ("source", "translation"))
    if not (isinstance(source, str) and isinstance(text, str)):
        return Sentence()
    return Sentence(_line(text, MOST_LETTERS), _line(source, MOST_LETTERS))


def _line(text: str, most: int) -> str:
    """The text on one line, without invisible characters."""
    return " ".join(clean(text).split())[:most]
