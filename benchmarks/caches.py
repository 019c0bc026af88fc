"""What each cache of ``autograder.judging.cache`` gains: ``python benchmarks/caches.py``.

A class is graded as a whole, then again without one cache at a time. The processor times of ``autograder grade`` with
all its processes are compared, since these hardly depend on what else the machine does; medians over repetitions. A
cache that gains under 5 % does not pay for its lines. The result goes to ``book/measurements/caches.json``.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import nbformat
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from grading import UNIT, write_submissions  # noqa: E402

from autograder import cli  # noqa: E402
from autograder.judging import cache, runner  # noqa: E402
from benchmarks.machine import processor  # noqa: E402

OUTPUT = ROOT / "book" / "measurements" / "caches.json"


def forget(kept: cache.LruCache) -> Callable[[], None]:
    """Makes a cache one that never holds anything."""
    return lambda: setattr(kept, "put", lambda *_: None)


def ask_in_turn() -> None:
    """No request is sent before the answer to the last one is there."""
    runner._requests = lambda *_: cache.Requests()  # type: ignore[assignment]


SWITCHES: dict[str, Callable[[], None]] = {
    "nothing": lambda: None,
    "the reference's answers": forget(cache.REFERENCE_ANSWERS),
    "verdicts": forget(cache.VERDICTS),
    "mistakes' answers": forget(cache.MISTAKE_ANSWERS),
    "requests ahead (and verdicts)": ask_in_turn,
}


def grade_without(switch: str, folder: Path) -> None:
    """In a process of its own: grade the class without one cache; print the processor seconds."""
    SWITCHES[switch]()
    with contextlib.redirect_stdout(io.StringIO()):
        cli.main(["grade", str(folder), "--jobs", "2"])
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(sum(one.ru_utime + one.ru_stime for one in used))


def processor_seconds(switch: str, folder: Path, state: Path) -> float:
    command = [sys.executable, __file__, "--without", switch, "--folder", str(folder)]
    environment = {**os.environ, "AUTOGRADER_STATE": str(state)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="submissions")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--without", choices=SWITCHES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.without:
        grade_without(options.without, options.folder)
        return
    seconds: dict[str, list[float]] = {switch: [] for switch in SWITCHES}
    with tempfile.TemporaryDirectory() as made:
        released = nbformat.read(ROOT / "exercises" / UNIT / f"{UNIT}.ipynb", as_version=4)
        write_submissions(Path(made, "class"), released, options.count)
        for _ in range(options.repeat):
            for switch, measured in seconds.items():
                measured.append(processor_seconds(switch, Path(made, "class"), Path(made, "state", "progress.json")))
    medians = {switch: statistics.median(measured) for switch, measured in seconds.items()}
    table = Table("without", "processor seconds", "more than with all")
    for switch, median in medians.items():
        table.add_row(switch, f"{median:.1f}", f"{median / medians['nothing'] - 1:+.1%}")
    Console().print(table)
    record = {
        "command": f"python benchmarks/caches.py --count {options.count} --repeat {options.repeat}",
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "python": platform.python_version(),
        "submissions": options.count,
        "processor_seconds": {switch: [round(one, 2) for one in measured] for switch, measured in seconds.items()},
        "more_without": {switch: round(median / medians["nothing"] - 1, 3) for switch, median in medians.items()},
    }
    OUTPUT.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
