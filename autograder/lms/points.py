"""The points of a repository, reported to GitHub Classroom: ``python -m autograder.lms.points FOLDER UNIT ...``.

GitHub Classroom reads the points from a notice with the title "Autograding report", as its own action writes it
(https://github.com/classroom-resources/autograding-grading-reporter). The folder holds ``UNIT.json``, written by
``autograder check --json``; without that file, a unit has no points.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from autograder.course.registry import UnknownUnit, find_unit
from autograder.judging.results import number
from autograder.judging.runner import max_points


def reached(folder: Path, unit: str) -> dict[str, float]:
    """The points of every task of a unit."""
    points = dict.fromkeys(find_unit(unit).task_ids, 0.0)
    file = folder / f"{unit}.json"
    if file.is_file():
        (submission,) = json.loads(file.read_text(encoding="utf-8"))["submissions"]
        points |= {task["id"]: task["points"] for task in submission["tasks"]}
    return points


def main(arguments: Sequence[str] | None = None) -> int:
    """What the workflow calls; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m autograder.lms.points", description="Report points to GitHub.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where the reports of the units are")
    parser.add_argument("units", metavar="UNIT", nargs="+")
    options = parser.parse_args(arguments)
    try:
        points = {task: value for unit in options.units for task, value in reached(options.folder, unit).items()}
    except UnknownUnit as error:
        print(error, file=sys.stderr)
        return 2
    most = {task: max_points(task) for task in points}
    total, possible = number(Fraction(sum(points.values()))), number(sum(most.values(), Fraction(0)))
    print(f"::notice title=Autograding complete::Points {total:g}/{possible:g}")
    print(f"::notice title=Autograding report::{json.dumps({'totalPoints': total, 'maxPoints': possible})}")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")  # a file, which GitHub shows on the page of the run
    if summary:
        rows = [f"| {task} | {points[task]:g} | {number(most[task]):g} |" for task in points]
        table = ["| Task | Points | Of |", "|---|---|---|", *rows, f"| all | {total:g} | {possible:g} |", ""]
        with open(summary, "a", encoding="utf-8") as file:
            file.write("\n".join(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
