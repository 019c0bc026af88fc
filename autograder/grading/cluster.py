"""Grading on many machines: the same work, on a ``dask.distributed`` cluster.

Every worker machine needs this package and ``bwrap``, and keeps one fork server for all that it grades. The
coordinator sends a submission's file (as bytes) with the modules beside it, and receives its result (as JSON-ready
data). Only the coordinator writes results. When a worker is lost, dask gives its submissions to another one.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import re
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autograder.grading.journal import grader_version
from autograder.judging.inputs import DEFAULT_SEED
from autograder.judging.results import Submission, pack, unpack
from autograder.sandbox.jail import NoJail
from autograder.sandbox.session import ForkServerError, Limits
from autograder.submissions.discovery import Source
from autograder.submissions.files import UnreadableSubmission
from autograder.submissions.notebooks import Files, read_files

if TYPE_CHECKING:
    from autograder.grading.engine import Results, Servers

CONNECT_SECONDS = 15
FIRST_WORKER_SECONDS = 15.0  # in a new cluster, the scheduler starts before the workers
LOOK_SECONDS = 5.0  # how often to look for workers that joined meanwhile
NO_WORKERS_SECONDS = 60.0  # time for a lost worker to be restarted
IN_FLIGHT_PER_THREAD = 4  # enough to keep workers busy, few enough to keep the coordinator's memory small
_TIMEOUTS = (TimeoutError, asyncio.TimeoutError)  # two classes up to Python 3.10
_ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://(\[[\da-fA-F:]+\]|[^\s/:]+):\d{1,5}")


class ClusterError(RuntimeError):
    """The cluster cannot be used; the text is one sentence for people."""


def grade_on_cluster(
    address: str,
    sources: Sequence[Source],
    seed: int = DEFAULT_SEED,
    limits: Limits = Limits(),
    jailed: bool = True,
) -> Results:
    """Like `grading.grade_sources`, on the cluster whose scheduler listens at ``address`` (``tcp://host:port``).

    Raises `ClusterError` when it cannot be used, or no longer.
    """
    if not sources:
        return
    with _connected(address) as client, _sentence_when_gone(address):
        _inspect(client, address, jailed)
        threads, looked = 1, -LOOK_SECONDS
        waiting = iter(enumerate(sources))
        running: dict[Any, int] = {}  # a future: the index of its file
        while True:
            if time.monotonic() > looked + LOOK_SECONDS:
                threads, looked = max(1, sum(client.nthreads().values())), time.monotonic()
            for index, source in _take(waiting, IN_FLIGHT_PER_THREAD * threads - len(running)):
                source, files = _with_files(source)
                work = (source, files, seed, limits, jailed, grader_version())
                running[client.submit(_grade, *work, pure=False)] = index
            if not running:
                return
            for future in _finished(client, list(running)):
                index = running.pop(future)
                yield index, _result(future, sources[index])


def _connected(address: str):
    """A client of the scheduler."""
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError("Grading on a cluster needs dask: install it with 'pip install distributed'.") from None
    if not _ADDRESS.fullmatch(address):
        raise ClusterError(f"{address!r} is not the address of a scheduler: write it like tcp://host:8786.")
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # this module reports each problem in one sentence
    try:
        return Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, RuntimeError, *_TIMEOUTS) as error:
        raise ClusterError(
            f"There is no dask scheduler at {address} ({type(error).__name__}); start one with 'dask scheduler'."
        ) from error


def _inspect(client, address: str, jailed: bool) -> None:
    """Refuse a cluster without workers, or with a worker that would grade differently from this machine."""
    with contextlib.suppress(*_TIMEOUTS):
        client.wait_for_workers(1, timeout=FIRST_WORKER_SECONDS)
    answers = client.run(_why_not, jailed, grader_version(), on_error="return")
    if not answers:
        raise ClusterError(
            f"The scheduler at {address} has no workers; start some with 'dask worker {address}' on other machines."
        )
    for worker, answer in sorted(answers.items()):
        if not isinstance(answer, str):
            answer = f"it lacks this package, or cannot load it ({answer}); install the same one there"
        if answer:
            raise ClusterError(f"The worker {worker} cannot grade: {answer}".rstrip(".") + ".")


class _Gone(Exception):
    """No worker is left."""


@contextlib.contextmanager
def _sentence_when_gone(address: str) -> Iterator[None]:
    try:
        yield
    except (_Gone, CancelledError, OSError, *_TIMEOUTS) as error:
        raise ClusterError(
            f"The cluster at {address} is gone: its scheduler has ended, or all its workers; start it again and run "
            "the same command, which goes on where this one stopped."
        ) from error


def _finished(client, futures: list) -> list:
    """The futures that are done, once some are."""
    from distributed import wait

    workers = True
    while True:
        try:
            return list(wait(futures, timeout=NO_WORKERS_SECONDS, return_when="FIRST_COMPLETED").done)
        except _TIMEOUTS:
            if not (workers or client.nthreads()):
                raise _Gone from None
            workers = bool(client.nthreads())


def _result(future, source: Source) -> Submission:
    from autograder.grading.engine import not_graded

    error = future.exception()
    if error is None:
        return unpack(future.result())
    if isinstance(error, (ClusterError, NoJail, ForkServerError)):  # a worker that joined later, or stopped working
        raise ClusterError(f"A worker of the cluster cannot grade: {error}")
    why = f"No worker of the cluster could grade this submission ({type(error).__name__}: {error})."
    return not_graded(source, why[:500])


def _take(iterator: Iterator[tuple[int, Source]], count: int) -> list[tuple[int, Source]]:
    return [item for _, item in zip(range(count), iterator)]


def _with_files(source: Source) -> tuple[Source, Files | None]:
    """The source and its files to send; if they cannot be read, the source says why."""
    if source.problem:
        return source, None
    try:
        return source, read_files(source.path, source.own_folder)
    except UnreadableSubmission as error:
        return replace(source, problem=str(error)), None


# --- on a worker -------------------------------------------------------------------------------------

_lock = threading.Lock()
_servers: dict[bool, Servers] = {}


def _why_not(jailed: bool, version: str) -> str:
    """Why this machine cannot grade for the coordinator; an empty text when it can."""
    if version != grader_version():
        return "it has another version of this package, or of torch; install the same one everywhere"
    try:
        _servers_here(jailed)
    except (NoJail, ForkServerError) as error:
        return str(error)
    return ""


def _grade(
    source: Source, files: Files | None, seed: int, limits: Limits, jailed: bool, version: str
) -> dict[str, Any]:
    """Grade one submission on this machine, where its file is never written to a disk."""
    from autograder.grading.engine import grade_with_retries

    reason = _why_not(jailed, version)
    if reason:
        raise ClusterError(reason)
    return pack(grade_with_retries(_servers_here(jailed), source, seed, limits, files))


def _servers_here(jailed: bool) -> Servers:
    from autograder.grading.engine import Servers, prepare_process

    with _lock:
        if jailed not in _servers:
            prepare_process()
            servers = Servers(jailed)
            servers.current().wait_until_ready()
            atexit.register(servers.__exit__)
            _servers[jailed] = servers
        return _servers[jailed]
