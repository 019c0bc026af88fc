"""Gradescope: the ``autograder.zip`` of an assignment, and what runs in Gradescope's container for each submission.

The zip, the folders and ``results.json`` have the form of Gradescope's autograder specifications,
https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import argparse
import io
import shlex
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autograder import reports
from autograder.course.registry import find_unit
from autograder.course.version import local_wheel
from autograder.grading.engine import grade_sources
from autograder.judging.results import Submission
from autograder.lms.templates import TEMPLATES
from autograder.lms.visibility import VISIBILITIES
from autograder.reports.exports import to_gradescope
from autograder.sandbox.jail import NoJail
from autograder.sandbox.session import ForkServerError
from autograder.submissions.choice import Candidate, choose, tasks_written, unit_checked
from autograder.submissions.discovery import Source, candidates_in
from autograder.submissions.names import unit_named

SYSTEM_PACKAGES = ("python3", "python3-venv", "git", "bubblewrap")
COMPILER_PACKAGES = ("gcc", "libc6-dev")  # for units in C
STUDENT = "submission"  # Gradescope knows the student


# --- the zip file --------------------------------------------------------------------------------------------


def write_zip(path: Path, units: Sequence[str], package: str, visibility: str = "visible") -> None:
    """Write the file that an instructor uploads as the autograder of an assignment of these units.

    ``package``: what the container installs, as pip takes it; a wheel on this machine goes into the zip. The same
    arguments give the same bytes. Raises `reports.ReportError` when the file cannot be written, and
    `UnknownUnit` for a unit that cannot be graded.
    """
    found = [find_unit(unit) for unit in units]
    wheel = local_wheel(package)
    in_c = any(unit.language == "c" for unit in found)
    values = {
        "packages": " ".join(SYSTEM_PACKAGES + COMPILER_PACKAGES * in_c),
        "package": f'"$root"/source/{shlex.quote(wheel.name)}' if wheel else shlex.quote(package),
        "units": " ".join(unit.name for unit in found),
        "visibility": visibility,
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("setup.sh", "run_autograder"):
            text = TEMPLATES.get_template(f"gradescope/{name}").render(values)
            archive.writestr(_entry(name, executable=True), text)
        if wheel:
            archive.writestr(_entry(wheel.name), wheel.read_bytes())
    reports.write(path, data.getvalue())


def _entry(name: str, executable: bool = False) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # default date, 1980: equal content gives equal bytes
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    return entry


# --- in the container ----------------------------------------------------------------------------------------


def grade(folder: Path, units: Sequence[str]) -> list[Submission]:
    """Grade one person's files, for each unit; a missing unit has no points and a message."""
    sources = _sources(folder, units)
    try:
        return _graded(sources, jailed=True)
    except (NoJail, ForkServerError) as error:
        print(f"The sandbox does not work in this container, so the submission is graded without it: {error}")
        return _graded(sources, jailed=False)


def _graded(sources: Sequence[Source], jailed: bool) -> list[Submission]:
    graded = dict(grade_sources(sources, jailed=jailed))
    return [graded[index] for index in range(len(sources))]


def _sources(folder: Path, units: Sequence[str]) -> list[Source]:
    possible, problems = candidates_in(folder)
    of = {unit: [one for one in possible if len(units) == 1 or _unit_of(one, units) == unit] for unit in units}
    return [_source(folder, unit, of[unit], problems) for unit in units]


def _unit_of(candidate: Candidate, units: Sequence[str]) -> str:
    """The unit, of these, to which a file belongs by its name, check cells or written tasks; ``""`` if none."""
    for unit in (unit_named(candidate.stem), unit_checked(candidate.path)):
        if unit in units:
            return unit
    written = {unit: tasks_written(candidate.path, unit) for unit in units}
    best = max(written, key=written.__getitem__)
    return best if written[best] > 0 else ""


def _source(folder: Path, unit: str, candidates: Sequence[Candidate], problems: Sequence[str]) -> Source:
    ending = "c" if find_unit(unit).language == "c" else "py"
    if not candidates:
        why = f"Nothing for the unit {unit} was handed in: add {unit}.ipynb or {unit}.{ending}, and submit again."
        return Source(folder, STUDENT, unit, " ".join([why, *problems]))
    index, note = choose(candidates, unit)
    source = Source(candidates[index].path, STUDENT, unit, own_folder=True)
    return replace(source, notes=(note,)) if note else source


def main(arguments: Sequence[str] | None = None) -> int:
    """What ``run_autograder`` calls; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m autograder.lms.gradescope", description="Grade one submission.")
    parser.add_argument("units", metavar="UNIT", nargs="+")
    parser.add_argument("--root", metavar="FOLDER", type=Path, required=True, help="Gradescope's folder /autograder")
    parser.add_argument("--visibility", choices=VISIBILITIES, default="visible", help="when learners see the tests")
    options = parser.parse_args(arguments)
    submissions = grade(options.root / "submission", options.units)
    results = options.root / "results" / "results.json"
    results.parent.mkdir(exist_ok=True)
    try:
        reports.write(results, to_gradescope(submissions, options.visibility))
    except reports.ReportError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
