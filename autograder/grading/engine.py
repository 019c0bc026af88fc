"""Grading submissions: from files to `results.Submission` objects, several at a time, in a fixed order.

A submission passes through five steps, each a function of the previous result: read (``submissions.notebooks``),
run (``sandbox.session``), judge (``judging.runner``), diagnose (``judging.diagnosis``), report (``reports``).
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TypeVar

import torch

from autograder.course.catalogue import earlier_sources
from autograder.course.registry import UnknownUnit, find_unit
from autograder.grading.journal import Journal
from autograder.judging.diagnosis import diagnose
from autograder.judging.follow import gifts, rounds
from autograder.judging.inputs import DEFAULT_SEED
from autograder.judging.offsets import int_offsets
from autograder.judging.repairs import Workshop
from autograder.judging.results import NOT_ATTEMPTED, Submission, TaskResult
from autograder.judging.runner import follow_through, judge, prepare_unit
from autograder.sandbox.jail import NoJail
from autograder.sandbox.session import CellReport, ForkServer, ForkServerError, Limits, ProcessSubject
from autograder.submissions.definitions import settle
from autograder.submissions.discovery import Source, need_compiler
from autograder.submissions.files import UnreadableSubmission
from autograder.submissions.notebooks import Code, Files, read_files
from autograder.submissions.syntax import MAX_SEARCHED
from autograder.submissions.text import readable_path

ATTEMPTS = 3
MAX_NOTES = 20  # notes on failed cells, per submission
WAITED = (
    "It uses a name that a later cell defines, so it was run again at the end this time; move it below that cell, "
    "or it fails when the notebook is run from the top."
)

_IMPORTS_THE_COURSE = re.compile(r"\b(?:earlier|solutions)\b").search

Result = TypeVar("Result")
Results = Generator[tuple[int, Submission], None, None]  # in order of completion: the index of a file, and its result


@dataclass(frozen=True)
class Graded:
    """The result of grading cells: verdicts, a report on each cell, and notes for the learner."""

    tasks: tuple[TaskResult, ...]
    cells: tuple[CellReport, ...]
    notes: tuple[str, ...]
    seconds: float


def grade_code(
    server: ForkServer,
    code: Code,
    unit: str,
    tasks: Iterable[str] | None = None,
    seed: int = DEFAULT_SEED,
    limits: Limits = Limits(),
) -> Graded:
    """Run code in a process of its own, judge it there, diagnose what fails."""
    started = time.monotonic()
    sources, settled = settle(code.cells, unit)
    sanitizers = find_unit(unit).language == "c"
    texts = [*sources, *code.modules.values()]
    course = earlier_sources(unit) if any(map(_IMPORTS_THE_COURSE, texts)) else {}
    with ProcessSubject(server, sources, limits, sanitizers=sanitizers, modules=code.modules, course=course) as session:
        judgement = judge(session, unit, tasks, seed, sources)
        cells = tuple(session.reports)
        offsets = int_offsets(judgement, session)
        for number, found in enumerate(rounds(gifts(judgement))):
            if number:
                session.close()  # the next request starts a fresh process
            judgement = follow_through(judgement, session, found, seed)
        if server.has_ended():
            raise ForkServerError("The grading process has ended unexpectedly.")
        session.close()  # what is tried on the learner's code needs a process that judges nothing
        graded = diagnose(judgement, Workshop(session, sources).repair)
    notes = (*code.notes, *settled, *_cell_notes(cells), *offsets, *_lost_answers(graded, code.prose))
    return Graded(graded, cells, notes, time.monotonic() - started)


def _cell_notes(reports: Sequence[CellReport]) -> list[str]:
    """One sentence for each cell that failed or had to wait; errors that unwritten stubs raise are left out."""
    notes = [
        f"Code cell {number}: {cell.error or WAITED}"
        for number, cell in enumerate(reports, 1)
        if (cell.error or cell.waited) and not cell.error.startswith("NotImplementedError")
    ]
    more = len(notes) - MAX_NOTES
    return notes if more <= 0 else [*notes[:MAX_NOTES], f"There are notes on {more} more code cells."]


def _lost_answers(graded: Sequence[TaskResult], prose: Sequence[str]) -> list[str]:
    """Tasks that are missing from the code although a text cell holds their definition."""
    notes = []
    searched = list(_beginning(prose, MAX_SEARCHED))
    for task in graded:
        name = task.id.partition(".")[2]
        defined = re.compile(rf"^[ \t]*(?:def|class)\s+{re.escape(name)}\b", re.MULTILINE)
        if task.status == NOT_ATTEMPTED and any(defined.search(text) for text in searched):
            notes.append(
                f"`{name}` is written in a text (Markdown) cell, so it never runs: change the cell's type to code."
            )
    return notes


def _beginning(texts: Iterable[str], length: int) -> Iterator[str]:
    """The first texts, up to this total ``length``: a long search would delay all other submissions."""
    for text in texts:
        yield text[:length]
        length = max(0, length - len(text))


def grade_source(
    server: ForkServer,
    source: Source,
    seed: int = DEFAULT_SEED,
    limits: Limits = Limits(),
    files: Files | None = None,
) -> Submission:
    """Grade one file; whatever is wrong with it becomes a submission of status ``"failed"``.

    ``files``: what was handed in, where that is on another machine.
    """
    try:
        if source.problem:
            raise UnreadableSubmission(source.problem)
        find_unit(source.unit)
        code = (files or read_files(source.path, source.own_folder)).code(source.path)
        graded = grade_code(server, code, source.unit, None, seed, limits)
    except (UnreadableSubmission, UnknownUnit) as error:
        return not_graded(source, str(error))
    except (ForkServerError, NoJail):
        raise
    except Exception as error:  # an error of the grader must not cost others their grades
        return not_graded(
            source,
            f"The grader itself failed on this submission ({type(error).__name__}: {error!s:.200}): grade it by hand, "
            "and please report it.",
        )
    return submission_of(source, graded)


def submission_of(source: Source, graded: Graded) -> Submission:
    """The result for a file that was graded, as reports show it."""
    notes = (*source.notes, *graded.notes)
    return Submission(
        readable_path(source.path),
        source.student,
        source.unit,
        graded.tasks,
        message="\n".join(notes) or None,
        seconds=graded.seconds,
        notes=notes,
    )


def not_graded(source: Source, why: str) -> Submission:
    """The result for a file that cannot be graded."""
    path = readable_path(source.path)
    return Submission(path, source.student, source.unit, status="failed", message=why, notes=source.notes)


def prepare_process() -> None:
    """Apply the process-wide settings of grading; call it first, and only in processes that do nothing else.

    Neither setting is for speed. (A shorter switch interval gained none: 18.4 s of processor time against 18.1 s.)
    """
    torch.set_num_threads(1)  # scores must not depend on the number of threads in a sum
    warnings.simplefilter("ignore")  # catalogued mistakes that the diagnosis runs may warn


class DiedEachTime(RuntimeError):
    """The grading process died whenever it graded a submission; the text is one sentence for people."""


class Servers:
    """The fork server that all threads share, replaced when it dies; suspected submissions get servers of their own."""

    def __init__(self, jailed: bool, compiler: bool = True):
        self._jailed = jailed
        self._lock = threading.Lock()
        self._alone = threading.Lock()
        self._closed = False
        self._compiler = compiler
        self._server = ForkServer(jailed, compiler)

    def current(self) -> ForkServer:
        with self._lock:
            return self._server

    def replace(self, dead: ForkServer) -> None:
        with self._lock:
            if self._server is dead and not self._closed:
                dead.close()
                self._server = ForkServer(self._jailed, self._compiler)
                self._server.wait_until_ready()

    @contextlib.contextmanager
    def one_alone(self) -> Iterator[ForkServer]:
        """A fresh server for one submission alone."""
        with self._alone, ForkServer(self._jailed, self._compiler) as server:
            if self._closed:
                raise ForkServerError("Grading has been stopped.")
            server.wait_until_ready()
            yield server

    def run(self, grade: Callable[[ForkServer], Result]) -> Result:
        """What ``grade`` returns. It is called again when the grading process dies, but not more than `ATTEMPTS` times.

        After the first death it gets a process of its own: otherwise others that share the process would be blamed.
        Raises `DiedEachTime`.
        """
        server = self.current()
        try:
            return grade(server)
        except ForkServerError:
            self.replace(server)
        for _ in range(ATTEMPTS - 1):
            with self.one_alone() as server, contextlib.suppress(ForkServerError):
                return grade(server)
        raise DiedEachTime(
            f"The grading process died {ATTEMPTS} times on this submission, so it was left out; grade it by hand."
        )

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        self._server.close()


def grade_with_retries(
    servers: Servers, source: Source, seed: int, limits: Limits, files: Files | None = None
) -> Submission:
    """Grade one file; one on which the grading process keeps dying becomes a submission of status ``"failed"``."""
    try:
        return servers.run(lambda server: grade_source(server, source, seed, limits, files))
    except DiedEachTime as error:
        return not_graded(source, str(error))


def grade_sources(
    sources: Sequence[Source],
    jobs: int = 1,
    seed: int = DEFAULT_SEED,
    limits: Limits = Limits(),
    jailed: bool = True,
) -> Results:
    """Grade files, ``jobs`` at a time; yields each result as it comes, with the index of its file.

    Raises `NoJail` or `ForkServerError` when there is no process to grade in.
    """
    if not sources:
        return
    prepare_process()
    # The servers close first, so that the threads of an interrupted run have nothing left to wait for.
    with ThreadPoolExecutor(max_workers=jobs) as pool, Servers(jailed, need_compiler(sources)) as servers:
        units = {source.unit for source in sources if not source.problem}
        for unit in units:
            _prepare(unit, seed)  # while the server imports torch
        server = servers.current()
        server.wait_until_ready()
        futures = {
            pool.submit(grade_with_retries, servers, source, seed, limits): index
            for index, source in enumerate(sources)
        }
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()


def grade_all(
    sources: Sequence[Source],
    journal: Journal,
    graded: Callable[[Sequence[Source]], Results],
    progress: Callable[[], None] = lambda: None,
) -> list[Submission]:
    """Grade what the journal does not hold yet, and journal it; the results of all, in the order of the files.

    ``graded`` does the work, here or on other machines: it yields indices into the files it is given, and results.
    """
    waiting = [index for index, key in enumerate(journal.keys) if key not in journal.known]
    for _ in range(len(sources) - len(waiting)):
        progress()
    with contextlib.closing(graded([sources[index] for index in waiting])) as results:
        for index, submission in results:
            journal.add(journal.keys[waiting[index]], submission)
            progress()
    return [journal.known[key] for key in journal.keys]


def _prepare(unit: str, seed: int) -> None:
    with contextlib.suppress(UnknownUnit):  # `grade_source` reports it in the submission's result
        prepare_unit(unit, seed)
