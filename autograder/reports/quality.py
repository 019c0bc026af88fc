"""How well checks and catalogue fit each other, as tables in the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from rich.console import Console
from rich.table import Table

from autograder.course.catalogue import Mistake
from autograder.course.registry import COMPLETE, UnknownUnit, find_unit
from autograder.judging import results
from autograder.judging.quality import Measured, measure, measure_tests
from autograder.judging.results import TaskResult


def table(unit: str, measured: Sequence[Measured], tests: Sequence[TaskResult] = ()) -> Table:
    """One row per task: how many mistakes and alternatives were judged correctly, and which were not.

    ``tests``: results of the course's own tests in catch-it tasks, whose rows count groups of mistakes.
    """
    result = Table("task", "mistakes caught", "named", "alternatives accepted", "not as they should be", title=unit)
    for task in find_unit(unit).written_ids:
        of_task = [item for item in measured if item.entry.task == task]
        wrong = [item for item in of_task if isinstance(item.entry, Mistake)]
        right = [item for item in of_task if not isinstance(item.entry, Mistake)]
        caught = sum(item.result.status != results.PASSED for item in wrong)
        misses = [f"{item.entry.name}: {item.result.status} {item.named}" for item in of_task if not item.right]
        result.add_row(
            task,
            f"{caught}/{len(wrong)}",
            f"{sum(item.right for item in wrong)}/{len(wrong)}",
            f"{sum(item.right for item in right)}/{len(right)}",
            "\n".join(misses),
        )
    for test in tests:
        missed = [check for check in test.checks if check.status != results.PASSED]
        groups = f"{len(test.checks) - len(missed)}/{len(test.checks)} groups"
        told = "\n".join(f"{check.id}: {check.status} {check.message}" for check in missed)
        result.add_row(test.id, groups, "", "", told)
    return result


def main(units: list[str]) -> int:
    """Print the tables; returns the exit code. Several units are measured at a time."""
    console = Console()
    all_right = True
    try:
        chosen = [find_unit(unit).name for unit in units] or [unit.name for unit in COMPLETE]
    except UnknownUnit as error:
        print(error, file=sys.stderr)
        return 2
    with ProcessPoolExecutor(min(len(chosen), os.cpu_count() or 1), get_context("spawn")) as pool:
        for unit, measured, tests in zip(chosen, pool.map(measure, chosen), pool.map(measure_tests, chosen)):
            console.print(table(unit, measured, tests))
            all_right &= all(item.right for item in measured)
            all_right &= all(test.status == results.PASSED for test in tests)
    return 0 if all_right else 1
