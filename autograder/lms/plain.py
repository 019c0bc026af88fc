"""Notebooks of a course's own, which have none of this course's tasks, run in the sandbox like any other code.

Their check cells are plain code, mostly assertions, and the outcome gives the points, as in nbgrader itself. Check
cells share a process with the learner's code, so, as in nbgrader, a learner can deceive them on purpose.
"""

from __future__ import annotations

import ast
import base64
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.inputtransformer2 import TransformerManager

from autograder.course.source import syntax_tree

if TYPE_CHECKING:
    from autograder.sandbox.session import ForkServer, Limits

MAX_FILES = 20 * 2**20  # bytes of all files beside a notebook
_CHUNK = 300 * 2**10  # bytes of a file that one cell writes
_VALUE = "_value_of_check_"


@dataclass(frozen=True)
class Outcome:
    """What a cell printed, how it failed, and the value with which a check ended, as text."""

    output: str
    error: str
    value: str = ""


def with_value_kept(source: str, number: int) -> str:
    """A check cell that also stores its last value, which a notebook would show, for `values_kept`."""
    try:
        text = TransformerManager().transform_cell(source)
        *_, last = syntax_tree(text).body
    except (SyntaxError, ValueError):  # a syntax error, or text that is no code
        return source
    if not isinstance(last, ast.Expr) or source.rstrip().endswith(";"):
        return source
    lines = text.encode().splitlines(keepends=True)[: last.end_lineno]
    before = b"".join(lines[: last.lineno - 1]) + lines[last.lineno - 1][: last.col_offset]
    expression = ast.get_source_segment(text, last) or ""
    return f"{before.decode()}{_VALUE}{number} = (\n{expression}\n)"


def values_kept(learner: Any, name: str, count: int) -> list[str]:
    """The driver that returns these values as text."""
    found = []
    for number in range(count):
        try:
            value = getattr(learner, f"{name}{number}")
            found.append("" if value is None else repr(value)[:1000])
        except Exception:
            found.append("")
    return found


def run(server: ForkServer, sources: Sequence[str], files: Sequence[str], limits: Limits) -> list[Outcome]:
    """Run cells, after those that write ``files``."""
    from autograder.judging.subject import Learner, LearnerRaised, NotAttempted
    from autograder.sandbox.session import ProcessSubject, SubjectCrashed, SubjectTimeout

    nothing_said = (SubjectCrashed, SubjectTimeout, LearnerRaised, NotAttempted)  # the cells' reports say why

    with ProcessSubject(server, [*files, *sources], limits) as session:
        values: Any = None
        with contextlib.suppress(*nothing_said):
            session.load()
            values = Learner(session).run(values_kept, _VALUE, len(sources))
        reports = session.reports[len(files) :]
    if not isinstance(values, list) or len(values) != len(sources):
        values = [""] * len(sources)
    return [Outcome(report.output, report.error, str(value)) for report, value in zip(reports, values)]


def files_in(folder: Path, log: Any) -> list[str]:
    """Cells that write the files which stand beside a notebook, so that its code finds them."""
    cells: list[str] = []
    left = MAX_FILES
    for path in _regular_files(folder):
        left -= path.stat().st_size
        if left < 0:
            log.warning(
                "%s is missing when the notebook runs: all files together have more than %d MB.", path, MAX_FILES >> 20
            )
            continue
        cells += _writing(path.relative_to(folder).as_posix(), path.read_bytes())
    return cells


def _regular_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix != ".ipynb":
            yield path


def _writing(name: str, data: bytes) -> Iterator[str]:
    for start in range(0, max(1, len(data)), _CHUNK):
        text = base64.b64encode(data[start : start + _CHUNK]).decode()
        yield "\n".join(
            [
                "import base64, pathlib",
                f"pathlib.Path({name!r}).parent.mkdir(parents=True, exist_ok=True)",
                f"with open({name!r}, {'ab' if start else 'wb'!r}) as file:",
                f"    file.write(base64.b64decode({text!r}))",
                "del base64, pathlib, file",
            ]
        )
