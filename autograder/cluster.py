"""Grading on many machines: the same work, on a ``dask.distributed`` cluster.

Every worker machine needs this package and ``bwrap``, and keeps one fork server for all that it grades. What crosses
the wire is a submission's file (as bytes) one way and its result (as JSON-ready data) the other way. The
coordinator alone writes results. When a worker is lost, dask gives its submissions to another one.
"""

from __future__ import annotations

import atexit
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.checking import DEFAULT_SEED
from autograder.process import Limits
from autograder.report import Submission, pack, unpack
from autograder.submission import Source

if TYPE_CHECKING:
    from autograder.grading import Servers

CONNECT_SECONDS = 15
IN_FLIGHT_PER_THREAD = 4  # enough to keep workers busy, few enough to keep the coordinator's memory small


class ClusterError(RuntimeError):
    """The cluster cannot be used; the text is one sentence for people."""


def grade_on_cluster(
    address: str,
    sources: Sequence[Source],
    seed: int = DEFAULT_SEED,
    limits: Limits = Limits(),
    jailed: bool = True,
) -> Iterator[tuple[int, Submission]]:
    """Like `grading.grade_sources`, on the cluster whose scheduler listens at ``address`` (``tcp://host:port``)."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise ClusterError("Grading on a cluster needs dask: install it with 'pip install distributed'.") from None
    if not sources:
        return
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(f"There is no dask scheduler at {address}; start one with 'dask scheduler'.") from error
    with client:
        threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        if not threads:
            raise ClusterError(f"The scheduler at {address} has no workers; start some with 'dask worker {address}'.")
        waiting = iter(enumerate(sources))

        def submit(index: int, source: Source):
            data = _read(source)
            future = client.submit(_grade, source, data, seed, limits, jailed, pure=False, retries=2)
            indices[future.key] = index
            return future

        indices: dict[object, int] = {}
        first = [submit(index, source) for index, source in _take(waiting, IN_FLIGHT_PER_THREAD * threads)]
        running = as_completed(first, loop=client.loop)
        for future in running:
            index = indices.pop(future.key)
            yield index, _result(future, sources[index])
            for next_index, source in _take(waiting, 1):
                running.add(submit(next_index, source))


def _result(future, source: Source) -> Submission:
    error = future.exception()
    if error is None:
        return unpack(future.result())
    message = f"No worker of the cluster could grade this submission ({type(error).__name__}: {error})."
    return Submission(str(source.path), source.student, source.unit, status="failed", message=message[:500])


def _take(iterator: Iterator[tuple[int, Source]], count: int) -> list[tuple[int, Source]]:
    return [item for _, item in zip(range(count), iterator)]


def _read(source: Source) -> bytes | None:
    """The file's bytes; ``None`` when there is nothing to send (the worker then says what is wrong)."""
    try:
        return source.path.read_bytes() if source.path.is_file() else None
    except OSError:
        return None


# --- on a worker -------------------------------------------------------------------------------------

_lock = threading.Lock()
_servers: dict[bool, Servers] = {}


def _grade(source: Source, data: bytes | None, seed: int, limits: Limits, jailed: bool) -> dict:
    """Grade one submission on this machine. The file lies here only while it is graded."""
    from autograder.grading import grade_with_retries

    servers = _servers_here(jailed)
    if data is None:
        problem = source.problem or f"{source.path.name} cannot be read."
        return pack(grade_with_retries(servers, replace(source, problem=problem), seed, limits))
    with tempfile.TemporaryDirectory(prefix="submission-") as folder:
        copy = Path(folder) / source.path.name
        copy.write_bytes(data)
        submission = grade_with_retries(servers, replace(source, path=copy), seed, limits)
    return pack(replace(submission, path=str(source.path)))


def _servers_here(jailed: bool) -> Servers:
    from autograder.grading import Servers

    with _lock:
        if jailed not in _servers:
            servers = Servers(jailed)
            servers.current().wait_until_ready()
            atexit.register(servers.__exit__)
            _servers[jailed] = servers
        return _servers[jailed]
