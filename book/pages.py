"""What chapters share besides drawing: plain numbers, a unit's mistakes, the course's own text, recorded results."""

import json
import re
from html import escape
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
from IPython.display import HTML

from autograder.course.catalogue import c_solution, mistakes
from autograder.course.references import expand
from autograder.course.source import kernels_of
from autograder.judging.implementations import namespace

BOOK = Path(__file__).parent


def rounded(tensor, digits=4):
    """A tensor as nested lists of numbers with at most so many decimals, to print on one line."""
    scale = 10**digits
    return tensor.double().mul(scale).round().div(scale).tolist()


def table(rows, digits=None):
    """A list of dictionaries as a table, one row each; with so many ``digits`` after the point."""
    form = None if digits is None else f"%.{digits}f"
    return HTML(pd.DataFrame(rows).to_html(index=False, border=0, justify="left", float_format=form))


def pitfalls(unit):
    """The mistakes of a unit that the grader knows by name: for each task a table that opens, after a first try."""
    folds = []
    for task, entries in groupby(mistakes(unit), key=lambda entry: entry.task):
        rows = [
            f"<tr><td>{entry.name.replace('-', ' ')}</td><td>{_with_code(entry.why)}</td>"
            f'<td><a class="reference internal" href="#{entry.section}">section</a></td></tr>'
            for entry in entries
            if entry.name == entry.family  # variants of one slip have one explanation
        ]
        head = "<tr><th>mistake</th><th>what was done, and why it is wrong</th><th>read</th></tr>"
        table = f'<table class="dataframe table"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'
        summary = f"<code>{task.partition('.')[2]}</code>: {len(rows)} known mistakes. Open after your first try."
        folds.append(f"<details class='held-back'><summary>{summary}</summary>{table}</details>")
    return HTML("".join(folds))


def with_mistake(task, name):
    """The names of a unit's reference solution with a known mistake in it, for a debugging story.

    Args:
        task: for example ``"attention.scaled_dot_product_attention"``.
        name: of the mistake in ``autograder/units/<unit>/mistakes.py``.
    """
    return SimpleNamespace(**namespace(_mistake(task, name)))


def source_with_mistake(task, name):
    """The reference solution of a unit in C with a known mistake in one kernel; arguments as of `with_mistake`."""
    entry = _mistake(task, name)
    whole = c_solution(entry.unit)
    return whole.replace(kernels_of(whole)[task.partition(".")[2]], entry.source)


def _mistake(task, name):
    unit = task.partition(".")[0]
    (entry,) = [entry for entry in mistakes(unit) if (entry.task, entry.name) == (task, name)]
    return entry


def _with_code(text):
    """Text as HTML, with `code` set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def course_text(path=None):
    """The text that the course's small models learn from: the prose of its own chapters.

    Code, formulas, tables, directives and links are left out, and each paragraph is one line, so that what
    remains is English. The chapters come in alphabetical order; adding to one changes the text.

    Args:
        path: another text file to use in its place.
    """
    if path is not None:
        return Path(path).read_text(encoding="utf-8")
    return "\n".join(prose(page.read_text(encoding="utf-8")) for page in sorted(BOOK.glob("*.md")))


def prose(markdown):
    """The sentences of a MyST page, in ASCII, one paragraph on a line."""
    text = re.sub(r"\A---\n.*?\n---\n", "", expand(markdown), flags=re.DOTALL)
    text = re.sub(r"^(`{3,}|:{3,}).*?^\1\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\$\$.*?\$\$(\s*\([\w-]+\))?", "", text, flags=re.DOTALL)
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return "\n".join(_plain(part) for part in paragraphs if re.match(r"[A-Z].*\w{3}.*[.:?!]$", part))


def _plain(text):
    """One paragraph without markup."""
    text = re.sub(r"\s*\{cite(:t)?\}`[^`]*`", "", text)
    text = re.sub(r"\{[\w:]+\}`([^`<]*)[^`]*`", r"\1", text)  # a role: keep its words
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\$[^$]*\$", "x", text)
    text = re.sub(r"[*`_]|<[^>]+>", "", text)
    for fancy, simple in {"“": '"', "”": '"', "’": "'", "–": "-", "—": "-", "…": "...", "×": "x"}.items():
        text = text.replace(fancy, simple)
    return text.encode("ascii", "ignore").decode()


def recorded(name):
    """The result of the experiment ``book/experiments/<name>.py`` as it was recorded (see ``record.py`` there)."""
    return json.loads((BOOK / "experiments" / f"{name}.json").read_text(encoding="utf-8"))


def measurement(name):
    """What a benchmark measured, ``book/measurements/<name>.json``; ``None`` if there is no such file."""
    path = BOOK / "measurements" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def provenance(result):
    """One sentence that says where and how recorded numbers came about, to print under them."""
    return (
        f"Recorded on {result['date']} in {result['seconds']:.0f} s on {result['device']}, torch "
        f"{result['versions']['torch']}, with: {result['command']}"
    )
