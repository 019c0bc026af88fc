"""Grading submissions: from files to `report.Submission` objects, several at a time, in a fixed order."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch

from autograder import report
from autograder.checking import DEFAULT_SEED, load_checks, run_checks
from autograder.process import CellReport, ForkServer, ForkServerError, Limits, ProcessSubject
from autograder.registry import UnknownUnit, find_unit
from autograder.report import Submission, TaskResult
from autograder.submission import Source, UnreadableSubmission, read


@dataclass(frozen=True)
class Graded:
    """The result of grading cells: verdicts, what became of each cell, and notes for the learner."""

    tasks: tuple[TaskResult, ...]
    cells: tuple[CellReport, ...]
    notes: tuple[str, ...]
    seconds: float


def grade_cells(
    server: ForkServer,
    cells: Sequence[str],
    unit: str,
    tasks: Iterable[str] | None = None,
    prose: Sequence[str] = (),
    seed: int = DEFAULT_SEED,
    limits: Limits = Limits(),
) -> Graded:
    """Grade code cells in a process of their own. ``prose``: the text cells, searched for lost answers."""
    started = time.monotonic()
    with ProcessSubject(server, cells, limits) as subject:
        results = run_checks(subject, unit, tasks, seed)
        reports = tuple(subject.reports)
    notes = (*_cell_notes(reports), *_lost_answers(results, prose))
    return Graded(results, reports, notes, time.monotonic() - started)


def _cell_notes(reports: Sequence[CellReport]) -> list[str]:
    """One sentence for each cell that failed; the unwritten stubs' own complaints are no news."""
    return [
        f"Code cell {number}: {cell.error}"
        for number, cell in enumerate(reports, 1)
        if cell.error and not cell.error.startswith("NotImplementedError")
    ]


def _lost_answers(results: Sequence[TaskResult], prose: Sequence[str]) -> list[str]:
    """Tasks that are missing from the code although a text cell holds their definition."""
    notes = []
    for task in results:
        name = task.id.partition(".")[2]
        defined = re.compile(rf"^\s*(?:def|class)\s+{re.escape(name)}\b", re.MULTILINE)
        if task.status == report.NOT_ATTEMPTED and any(defined.search(text) for text in prose):
            notes.append(
                f"`{name}` is written in a text (Markdown) cell, so it never runs: change the cell's type to code."
            )
    return notes


def grade_source(server: ForkServer, source: Source, seed: int = DEFAULT_SEED, limits: Limits = Limits()) -> Submission:
    """Grade one file; whatever is wrong with it becomes a submission of status ``"failed"``."""
    try:
        if source.problem:
            raise UnreadableSubmission(source.problem)
        find_unit(source.unit)
        code = read(source.path)
        graded = grade_cells(server, code.cells, source.unit, None, code.prose, seed, limits)
    except (UnreadableSubmission, UnknownUnit) as error:
        return Submission(str(source.path), source.student, source.unit, status="failed", message=str(error))
    return Submission(
        str(source.path),
        source.student,
        source.unit,
        graded.tasks,
        message="\n".join(graded.notes) or None,
        seconds=graded.seconds,
        notes=graded.notes,
    )


def grade_sources(
    sources: Sequence[Source],
    jobs: int = 1,
    seed: int = DEFAULT_SEED,
    limits: Limits = Limits(),
    jailed: bool = True,
) -> Iterator[Submission]:
    """Grade files, ``jobs`` at a time; results come in the order of the files, whatever finishes first.

    Raises `NoJail` or `ForkServerError` when there is no process to grade in.
    """
    warnings.simplefilter("ignore")  # catalogued mistakes, run for the diagnosis, may provoke some
    torch.set_num_threads(1)  # scores must not depend on how many threads share a sum
    with ForkServer(jailed) as server:
        for unit in {source.unit for source in sources if not source.problem}:
            _import_checks(unit)  # while the server imports torch
        server.wait_until_ready()
        with ThreadPoolExecutor(max_workers=jobs) as pool:
            futures = [pool.submit(grade_source, server, source, seed, limits) for source in sources]
            try:
                for future in futures:
                    yield future.result()
            finally:
                for future in futures:
                    future.cancel()


def _import_checks(unit: str) -> None:
    try:
        load_checks(unit)
    except UnknownUnit:
        pass  # said again, in its place, by `grade_source`


__all__ = ["ForkServerError", "Graded", "grade_cells", "grade_source", "grade_sources"]
