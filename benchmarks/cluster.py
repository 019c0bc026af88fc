"""How long a dask cluster takes for a very large class: ``python benchmarks/cluster.py``.

Nobody has a cluster at hand to try that on, so it is simulated, from processor times that are measured here: what each
of a class of submissions costs in the sandbox and in judging, what one submission costs the command that gives them out
(reading, sending, the result, writing it down), and what it costs dask's scheduler. The last two are measured on a real
scheduler and worker, whose worker answers at once. The result goes to ``book/measurements/cluster.json``;
``--simulate`` keeps the measured times and simulates again.
"""

from __future__ import annotations

import argparse
import datetime
import heapq
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

OUTPUT = ROOT / "book" / "measurements" / "cluster.json"
SUBMISSIONS = 100_000
MACHINES = (1, 8, 32)
PROCESSORS = 16  # of each machine
THREADS = 2  # of each worker process; a machine has as many processes as fill its processors


# --- the simulation ------------------------------------------------------------------------------------------


def simulate(
    times: Sequence[tuple[float, float]],
    client: float,
    scheduler: float,
    in_flight: int,
    workers: int,
    threads: int = THREADS,
    submissions: int = SUBMISSIONS,
) -> float:
    """Seconds until ``workers`` processes with that many threads have graded all submissions.

    ``times``: (seconds in the sandbox, seconds of judging) of measured submissions, from which the class is drawn, the
    same one each time. A thread runs one submission at a time in a sandbox, its process judges one at a time. The
    client, which handles one submission at a time, has at most ``in_flight`` for each thread under way.
    """
    limit = in_flight * workers * threads
    client_free = scheduler_free = 0.0
    judge_free = [0.0] * workers
    free = [(0.0, worker) for worker in range(workers) for _ in range(threads)]
    done: list[float] = []
    for running, judging in random.Random(0).choices(times, k=submissions):
        if len(done) == limit:
            client_free = max(client_free, heapq.heappop(done)) + client / 2
        client_free += client / 2
        scheduler_free = max(scheduler_free, client_free) + scheduler
        thread_free, worker = heapq.heappop(free)
        ran = max(thread_free, scheduler_free) + running
        judge_free[worker] = max(judge_free[worker], ran) + judging
        heapq.heappush(free, (judge_free[worker], worker))
        heapq.heappush(done, judge_free[worker])
    while done:
        client_free = max(client_free, heapq.heappop(done)) + client / 2
    return client_free


def results(measured: dict) -> list[dict]:
    """For each size of cluster: the estimate (all processors always busy), and the simulated time, in seconds."""
    times = [tuple(pair) for pair in measured["times"]]
    one = statistics.fmean(map(sum, times))
    found = []
    for machines in MACHINES:
        processors = machines * PROCESSORS
        seconds = simulate(
            times, measured["client"], measured["scheduler"], measured["in_flight"], processors // THREADS
        )
        estimate = SUBMISSIONS * one / processors
        found.append({"machines": machines, "estimate": round(estimate, 1), "simulated": round(seconds, 1)})
    return found


# --- measuring -----------------------------------------------------------------------------------------------


def submission_times(folder: Path, count: int) -> tuple[list[tuple[float, float]], dict]:
    """Processor seconds in the sandbox and in judging for each of a class, and the last result, packed.

    Each learner has written the catch-it task's test, too.
    """
    from grading import UNIT, answers, solved, written

    from autograder.grading.engine import Servers, grade_with_retries, prepare_process
    from autograder.judging.inputs import DEFAULT_SEED
    from autograder.judging.results import pack
    from autograder.sandbox.session import Limits
    from autograder.submissions.discovery import discover

    others = written()
    test = [source for name, source in solved(UNIT).items() if name not in others]
    for number, answer in enumerate(answers(count + 1)):
        path = folder / f"student-{number:03d}" / UNIT / f"{UNIT}.py"
        path.parent.mkdir(parents=True)
        path.write_text("\n\n\n".join([*answer.values(), *test]), encoding="utf-8")
    times = []
    prepare_process()
    with Servers(jailed=True, compiler=False) as servers:
        servers.current().wait_until_ready()
        for source in discover([folder]):
            before = children_seconds(), time.process_time()
            result = grade_with_retries(servers, source, DEFAULT_SEED, Limits())
            times.append((round(children_seconds() - before[0], 4), round(time.process_time() - before[1], 4)))
    return times[1:], pack(result)  # the first one loads what all need


def children_seconds() -> float:
    """Processor seconds of all processes that this one has started, with those that have ended."""
    import psutil

    spent = 0.0
    for child in psutil.Process().children(recursive=True):
        try:
            spent += sum(child.cpu_times()[:4])
        except psutil.NoSuchProcess:  # counted in its parent from now on
            continue
    return spent


def overheads(folder: Path, count: int, packed: dict) -> tuple[float, float]:
    """Seconds that a submission costs the client and dask's scheduler: processor time, and waiting for the disk."""
    import psutil

    from autograder.grading import cluster
    from autograder.grading.engine import grade_all
    from autograder.grading.journal import journal_for
    from autograder.judging.inputs import DEFAULT_SEED
    from autograder.sandbox.session import Limits
    from autograder.submissions.discovery import Source, discover

    cluster._grade = lambda *_: packed  # what a worker does
    (first, *_) = discover([folder])
    os.environ["AUTOGRADER_STATE"] = str(folder / "state.json")
    with running_cluster(folder) as (address, scheduler):
        process = psutil.Process(scheduler.pid)

        def seconds_for(sent: int) -> tuple[float, float]:
            sources = [Source(first.path, f"student-{sent}-{number}", first.unit) for number in range(sent)]
            before = time.process_time(), sum(process.cpu_times()[:2])
            with journal_for(sources, DEFAULT_SEED, Limits(), True) as journal:
                assert sent == len(grade_all(sources, journal, lambda some: cluster.grade_on_cluster(address, some)))
            return time.process_time() - before[0], sum(process.cpu_times()[:2]) - before[1]

        seconds_for(10)  # what is loaded and connected once
        few, many = seconds_for(10), seconds_for(10 + count)
    client, dask = ((long - short) / count for short, long in zip(few, many))
    return round(client + disk_seconds(folder, json.dumps(packed)), 6), round(dask, 6)


@contextmanager
def running_cluster(folder: Path) -> Iterator[tuple[str, subprocess.Popen]]:
    """The address and the process of a scheduler on this machine, which has one worker."""
    file = folder / "scheduler.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    started = []

    def start(*arguments: object) -> subprocess.Popen:
        command = [sys.executable, "-m", "dask", *map(str, arguments), "--host", "127.0.0.1", "--no-dashboard"]
        started.append(subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.DEVNULL))
        return started[-1]

    try:
        scheduler = start("scheduler", "--port", 0, "--scheduler-file", file)
        while not (file.exists() and file.read_text()):
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        start("worker", address, "--nworkers", 1, "--nthreads", THREADS, "--no-nanny")
        yield address, scheduler
    finally:
        for process in started:
            process.kill()
            process.wait()


def disk_seconds(folder: Path, line: str) -> float:
    """The least time that the disk takes for one line of the journal: a longer time holds other work of the machine."""
    spent = []
    with (folder / "line").open("a", encoding="utf-8") as file:
        for _ in range(50):
            began = time.perf_counter()
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
            spent.append(time.perf_counter() - began)
    return min(spent)


def measure(count: int, sent: int) -> dict:
    import dask
    import torch

    from autograder.grading.cluster import IN_FLIGHT_PER_THREAD
    from benchmarks.machine import processor

    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        times, packed = submission_times(Path(folder), count)
        client, scheduler = overheads(Path(folder), sent, packed)
    return {
        "what": "Grading attention on a dask cluster: processor seconds as measured, and simulated clusters.",
        "command": "python benchmarks/cluster.py" + "".join(f" {word}" for word in sys.argv[1:]),
        "date": datetime.date.today().isoformat(),
        "device": f"{os.cpu_count()} cores, {processor()}",
        "other_load": round(load, 2),
        "versions": {"python": platform.python_version(), "torch": torch.__version__, "dask": dask.__version__},
        "submissions": SUBMISSIONS,
        "processors": PROCESSORS,
        "threads": THREADS,
        "in_flight": IN_FLIGHT_PER_THREAD,
        "times": times,
        "client": client,
        "scheduler": scheduler,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="submissions to measure")
    parser.add_argument("--sent", type=int, default=2000, help="submissions to send through dask")
    parser.add_argument("--simulate", action="store_true", help="keep the measured times")
    options = parser.parse_args()
    if options.simulate:
        measured = json.loads(OUTPUT.read_text(encoding="utf-8"))
    else:
        measured = measure(options.count, options.sent)
    measured["results"] = results(measured)
    OUTPUT.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    for found in measured["results"]:
        print(found)


if __name__ == "__main__":
    main()
