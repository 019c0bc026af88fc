"""Recorded experiments: longer than a page may run, so their results are kept beside them.

A script ``book/experiments/<name>.py`` defines

- ``WHAT``: one sentence that says what is measured, with units;
- ``run(reduced=False, **options) -> dict``: the results, as plain numbers, lists and dictionaries, with every seed's
  value and not only the mean. ``reduced=True`` is the same experiment, small enough for a test (under 20 s);
- ``AT_MOST_SECONDS``, if it takes longer than ten minutes: such a script keeps what is finished, so that it goes on
  after an interruption, and its results have ``seconds``, of all runs together;
- ``claims(results) -> dict[str, bool]``: what the chapter says of the results, each as a sentence and whether it holds;

and ends with ``record.main(globals())`` under ``if __name__ == "__main__":``. Then

    python book/experiments/<name>.py              runs it and writes <name>.json (``make experiments`` runs all)
    python book/experiments/<name>.py --reduced    runs the small form and prints it
    python book/experiments/<name>.py --corpus T   for an experiment on text: another text, and nothing is written

A number among the options of ``run`` is an option here too (``--minutes 90``), and with it nothing is written.

A test runs the reduced form of every script, and checks its claims on that form and on the recorded result.
"""

from __future__ import annotations

import argparse
import datetime
import inspect
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import torch

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parent.parent)]  # as on a page: figures, pages, solutions

from benchmarks.machine import processor  # noqa: E402


def main(script: dict) -> None:
    """The command line of an experiment; ``script`` is the script's ``globals()``."""
    name = Path(script["__file__"]).stem
    parser = argparse.ArgumentParser(prog=f"python book/experiments/{name}.py", description=script["WHAT"])
    parser.add_argument("--reduced", action="store_true", help="the small form that the tests run; writes nothing")
    takes_text = "corpus" in inspect.signature(script["run"]).parameters
    if takes_text:
        parser.add_argument("--corpus", metavar="PATH", help="train on this text; writes nothing")
    numbers = {
        option: parameter.default
        for option, parameter in inspect.signature(script["run"]).parameters.items()
        if type(parameter.default) in (int, float)
    }
    for option, default in numbers.items():
        parser.add_argument(
            f"--{option}", type=type(default), metavar="N", help=f"({default}); with another number writes nothing"
        )
    options = parser.parse_args()
    if takes_text and options.corpus and not Path(options.corpus).is_file():
        parser.error(f"there is no file {options.corpus!r} to train on; give the path of a text file")
    started = time.perf_counter()
    extra = {"corpus": options.corpus} if takes_text else {}
    extra |= {option: getattr(options, option) for option in numbers if getattr(options, option) is not None}
    try:
        results = script["run"](reduced=options.reduced, **extra)
    except KeyboardInterrupt:
        parser.exit(130, "Interrupted; nothing was written.\n")
    for claim, holds in script["claims"](results).items():
        print(f"{'holds' if holds else 'DOES NOT HOLD'}: {claim}")
    if options.reduced or any(extra.values()):
        print(json.dumps(results, indent=1))
        return
    path = FOLDER / f"{name}.json"
    path.write_text(json.dumps(document(script["WHAT"], name, results, started), indent=1) + "\n", encoding="utf-8")
    print(f"Written: {path.relative_to(FOLDER.parent.parent)}")


def document(what: str, name: str, results: dict, started: float) -> dict:
    """The results with where, when and how they came about."""
    return {
        "what": what,
        "command": f"python book/experiments/{name}.py",
        "date": datetime.date.today().isoformat(),
        "seconds": results.pop("seconds", round(time.perf_counter() - started, 1)),
        "cpu_seconds": round(sum(os.times()[:4]), 1),  # of this process and of those that have ended
        "device": device(),
        "versions": {"python": platform.python_version(), "torch": str(torch.__version__)},
        "results": results,
    }


def device() -> str:
    """Processor, cores and threads, or the name of the GPU."""
    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    return f"{processor()}, {os.cpu_count()} cores, {torch.get_num_threads()} threads"


def results_of(function: Callable[..., Any], jobs: Sequence[tuple], reduced: bool = False) -> list:
    """``function`` of the arguments of every job: in two processes of one thread each, or here in the reduced form."""
    if reduced:
        return [function(*job) for job in jobs]
    with ProcessPoolExecutor(max_workers=2, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        return list(pool.map(function, *zip(*jobs)))


def encode(text: str) -> tuple[torch.Tensor, int]:
    """Character ids ``(N,)`` of a text of ``N`` characters, and how many different characters there are."""
    ids = {character: index for index, character in enumerate(sorted(set(text)))}
    return torch.tensor([ids[character] for character in text]), len(ids)


def spread(values: list[float]) -> dict[str, object]:
    """Mean, standard deviation (unbiased; 0 of one value) and the values themselves."""
    return {"mean": mean(values), "std": stdev(values) if len(values) > 1 else 0.0, "values": values}
