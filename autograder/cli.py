"""The command line: ``autograder list | check | grade | hint | progress``, and for authors ``new | show | doctor``.

Exit codes: 0 done; 1 something is not passed, not complete, or could not be graded; 2 wrong usage. Whatever a
user can get wrong is one sentence on standard error, never a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from autograder.course.registry import BY_NAME, UNITS, Unit, UnknownUnit, find_tasks, find_unit, is_catch
from autograder.lms.visibility import VISIBILITIES

if TYPE_CHECKING:
    from autograder.grading.engine import Results
    from autograder.grading.journal import Journal
    from autograder.judging.results import Submission
    from autograder.submissions.discovery import Source
    from autograder.submissions.gradebooks import Table

UNSAFE = "WARNING: --unsafe: submissions run without a sandbox and can read and change all that you can."


class UsageError(Exception):
    """A mistake in the use of the command; the text is one sentence. Exit code 2."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        _demand_folder()
        return options.run(options)
    except (UsageError, UnknownUnit) as error:
        _say(f"autograder: {error}")
        return 2
    except KeyboardInterrupt as stop:
        print(f"autograder: stopped{f': {stop}' if str(stop) else ''}.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # for example `autograder list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        print(f"autograder: The output cannot be written ({error.strerror}).", file=sys.stderr)
        return 2


def _demand_folder() -> None:
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("The current folder has been removed: change to one that exists.") from None


def _say(text: str) -> None:
    """A line on standard error. File names and exception texts from learners must not control the terminal."""
    from autograder.submissions.text import clean

    print(clean(text), file=sys.stderr)


class _Version(argparse.Action):
    """Looks up the version only for ``--version``."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None):
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"autograder {version('transformer-workbook')}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="autograder", description="Grade exercises of the Transformer Workbook.")
    parser.add_argument("--version", action=_Version, help="show the version and end")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        sub.set_defaults(run=run)
        return sub

    listing = command("list", _list, "show units, tasks and points")
    listing.add_argument("--json", action="store_true", help="as JSON")

    showing = command("show", _show, "show the known mistakes of a task, or one of them whole and as a difference")
    showing.add_argument("task", metavar="UNIT.TASK")
    showing.add_argument("name", metavar="MISTAKE", nargs="?")

    check = command("check", _check, "grade your own file (its code is trusted and run)")
    check.add_argument("file", metavar="FILE", type=Path)
    check.add_argument("--task", metavar="ID", help="one task, for example attention.softmax")
    check.add_argument("--unit", metavar="UNIT", help="the unit, where the file's name does not tell")
    check.add_argument("--seed", metavar="N", type=int, help="draw other inputs")
    for kind in ("JSON", "JUnit"):
        check.add_argument(f"--{kind.lower()}", metavar="FILE", type=Path, help=f"write the report as {kind}, too")

    grade = command("grade", _grade, "grade untrusted submissions: files, folders, or the download of a platform")
    grade.add_argument("paths", metavar="PATH", type=Path, nargs="+")
    grade.add_argument("--unit", metavar="UNIT", help="the unit, where folders and names do not tell")
    grade.add_argument("--roster", metavar="FILE", type=Path, help="a CSV file of all learners: each gets a row")
    for kind in ("JSON", "CSV", "JUnit", "HTML"):
        grade.add_argument(f"--{kind.lower()}", metavar="FILE", type=Path, help=f"write the report as {kind}")
    grade.add_argument("--canvas", metavar="FILE", type=Path, help="write the points of the code as CSV for Canvas")
    grade.add_argument("--gradescope", metavar="FOLDER", type=Path, help="write results.json files for Gradescope")
    grade.add_argument(
        "--return",
        metavar=("TABLE", "FOLDER"),
        type=Path,
        nargs=2,
        dest="returned",
        help="fill grades into Moodle's grading worksheet or Canvas's gradebook (CSV), and write it and feedback files",
    )
    grade.add_argument("--column", metavar="NAME", help="the table's column for the grades, if it is not found")
    grade.add_argument("--similar", metavar="FILE", type=Path, help="write who shares unusual code, as a page (HTML)")
    grade.add_argument("--jobs", metavar="N", type=_positive_int, default=_jobs(), help="how many at a time")
    grade.add_argument("--scheduler", metavar="ADDRESS", help="grade on a dask cluster, for example tcp://host:8786")
    grade.add_argument("--seed", metavar="N", type=int, help="draw other inputs")
    grade.add_argument("--timeout", metavar="S", type=_positive_float, help="seconds that one submission may take")
    grade.add_argument("--memory", metavar="MB", type=_positive_int, help="memory that one submission may use")
    grade.add_argument("--unsafe", action="store_true", help="run submissions without a sandbox")

    gradescope = command("gradescope", _gradescope, "write the autograder of an assignment on Gradescope, a zip file")
    gradescope.add_argument("units", metavar="UNIT", nargs="+", help="what the assignment consists of")
    gradescope.add_argument("--out", metavar="FILE", type=Path, required=True, help="for example autograder.zip")
    gradescope.add_argument(
        "--visibility",
        choices=VISIBILITIES,
        default="visible",
        help="when learners see the tests (by default, at once)",
    )
    _add_package(gradescope, "what to install instead: a wheel, or anything that pip install takes")

    classroom = command("classroom", _classroom, "write a template repository for GitHub Classroom")
    classroom.add_argument("units", metavar="UNIT", nargs="+", help="whose notebooks it holds")
    classroom.add_argument("--out", metavar="FOLDER", type=Path, required=True, help="an empty folder, or a new one")
    _add_package(classroom, "what to install instead: anything that pip install takes")

    doctor = command("doctor", _doctor, "say what a unit still lacks, or whether the sandbox holds")
    doctor.add_argument("unit", metavar="UNIT", nargs="?")
    doctor.add_argument("--sandbox", action="store_true", help="try to break the sandbox from inside")

    new = command("new", _new, "write the files of a new unit or task, as templates")
    kinds = new.add_subparsers(title="what to write", required=True, metavar="unit|task", dest="kind")
    unit = kinds.add_parser("unit", help="a unit without tasks: its folder, solution, notebook and chapter")
    unit.add_argument("name", metavar="NAME", help="for example kv_cache")
    unit.add_argument("--title", metavar="TITLE", help="of the chapter")
    unit.add_argument("--after", metavar="UNIT", help="the unit that it follows (by default, the last one)")
    unit.add_argument("--before", metavar="UNIT", help="the unit that follows it")
    unit.add_argument("--stage", metavar="STAGE", help="the stage that it belongs to, or a new one")
    unit.add_argument("--language", choices=("python", "c"), default="python", help="what its learners write")
    task = kinds.add_parser("task", help="a task, with an entry in each file of its unit")
    task.add_argument("name", metavar="UNIT.NAME", help="for example attention.softmax")

    hint = command("hint", _hint, "show the next of a task's three hints")
    hint.add_argument("task", metavar="TASK")

    progress = command("progress", _progress, "show the map of the course with the points reached in every unit")
    progress.add_argument("--html", metavar="FILE", type=Path, help="write it as a page, too")
    progress.add_argument("--export", metavar="FILE", type=Path, help="write what is stored to a file (JSON)")
    progress.add_argument(
        "--import", metavar="FILE", type=Path, dest="import_file", help="add what --export wrote on another machine"
    )

    certificate = command("certificate", _certificate, "write a page to print: tasks, points, and your own model")
    certificate.add_argument("--name", metavar="NAME", default="", help="as it should stand on the page")
    certificate.add_argument("--sentence", metavar="TEXT", default="", help="what a model of yours has written")
    certificate.add_argument("--out", metavar="FILE", type=Path, required=True, help="the page, HTML")
    return parser


def _add_package(command: argparse.ArgumentParser, text: str) -> None:
    """Options for the course that is installed where the school's own system grades."""
    command.add_argument("--version", metavar="TAG", help="tag or commit installed there (by default, this one)")
    command.add_argument("--package", metavar="NAME", help=text)


def _jobs() -> int:
    """Two more than there are processors: while one submission is judged and one starts, all others can run."""
    return 2 + (os.cpu_count() or 1)


def _positive_int(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _positive_float(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be a positive number")
    return value


def _list(options: argparse.Namespace) -> int:
    from autograder.judging import results
    from autograder.judging.runner import max_points

    units = [
        {
            "number": unit.number,
            "unit": unit.name,
            "title": unit.title,
            "complete": unit.complete,
            "tasks": [
                {"id": task, "max_points": results.number(max_points(task)) if unit.complete else None}
                for task in unit.task_ids
            ],
        }
        for unit in UNITS
    ]
    if options.json:
        print(json.dumps({"schema": results.SCHEMA, "units": units}, indent=2))
        return 0
    for unit in UNITS:
        print(f"{unit.number:>2}  {unit.name}: {unit.title}{'' if unit.complete else ' (planned)'}")
        for task in unit.task_ids if unit.complete else ():
            print(f"      {task}  {results.number(max_points(task)):g} points")
    return 0


def _show(options: argparse.Namespace) -> int:
    _, tasks = find_tasks(options.task)
    if len(tasks) > 1:
        raise UsageError(f"Mistakes belong to one task; choose from {', '.join(tasks)}.")

    from autograder.course import show
    from autograder.course.catches import find_catch
    from autograder.reports import catalogue

    if options.name is None and is_catch(tasks[0]):
        catalogue.print_catch(find_catch(tasks[0]))
        return 0
    if options.name is None:
        catalogue.print_entries(show.entries(options.task))
        return 0
    try:
        catalogue.print_entry(show.find_entry(options.task, options.name))
    except show.UnknownEntry as error:
        raise UsageError(str(error)) from error
    return 0


def _check(options: argparse.Namespace) -> int:
    from autograder.judging import results
    from autograder.notebook import carried, store
    from autograder.sandbox import launch
    from autograder.submissions.discovery import one_source
    from autograder.submissions.files import UnreadableSubmission
    from autograder.submissions.notebooks import read

    _check_files([options.json, options.junit])
    wanted = options.unit or (options.task or "").partition(".")[0]
    if wanted:
        find_unit(wanted)
    source = one_source(options.file, wanted or None)
    if source.problem:
        raise UsageError(source.problem)
    unit, tasks = find_tasks(options.task or source.unit)
    try:
        code = read(source.path.resolve())  # a learner's own symbolic link is followed
    except UnreadableSubmission as error:
        raise UsageError(str(error)) from error
    launch.prestart(jailed=False, compiler=unit.compiler)

    with launch.importing():
        from autograder.grading.engine import grade_code, submission_of
        from autograder.judging.inputs import DEFAULT_SEED
        from autograder.reports import terminal
        from autograder.sandbox.session import ForkServer, Limits

    with _sentences_for_grading_errors(), ForkServer(jailed=False, compiler=unit.compiler) as server:
        server.wait_until_ready()
        seed = DEFAULT_SEED if options.seed is None else options.seed
        graded = grade_code(server, code, unit.name, tasks, seed, Limits())
    for note in (*source.notes, *graded.notes):
        _say(note)
    terminal.print_tasks(graded.tasks)
    store.remember_points({task.id: results.number(task.points) for task in graded.tasks})
    carried.keep(graded.tasks, code.cells)
    if options.json or options.junit:
        _write_reports(options, [submission_of(source, graded)])
    return 0 if all(task.status == results.PASSED for task in graded.tasks) else 1


def _grade(options: argparse.Namespace) -> int:
    from autograder.sandbox import launch
    from autograder.submissions.discovery import discover, need_compiler

    if options.unit:
        find_unit(options.unit)
    for path in options.paths:
        if not os.path.lexists(path):
            raise UsageError(f"There is no file or folder {path}.")
    _check_destinations(options)
    if options.unsafe:
        print(f"autograder: {UNSAFE}", file=sys.stderr)
    sources = discover(options.paths, options.unit)
    if options.roster:
        sources = _on_roster(options, sources)
    table = _table(options, sources) if options.returned else None
    jailed = not options.unsafe
    if options.scheduler is None and not all(source.problem for source in sources):
        launch.prestart(jailed, need_compiler(sources))

    with launch.importing():
        from autograder.grading.cluster import ClusterError, grade_on_cluster
        from autograder.grading.engine import grade_all, grade_sources
        from autograder.grading.journal import JournalError, journal_for
        from autograder.judging.inputs import DEFAULT_SEED
        from autograder.reports import terminal
        from autograder.sandbox.session import Limits

    seed = DEFAULT_SEED if options.seed is None else options.seed
    limits = Limits.of(options.timeout, options.memory)

    def graded(waiting: Sequence[Source]) -> Results:
        if options.scheduler is not None:
            return grade_on_cluster(options.scheduler, waiting, seed, limits, jailed)
        return grade_sources(waiting, options.jobs, seed, limits, jailed)

    try:
        with journal_for(sources, seed, limits, jailed) as journal:
            if journal.known:
                print(f"autograder: going on with an earlier run: {_so_far(journal)}.", file=sys.stderr)
            try:
                with _sentences_for_grading_errors(), _progress_bar(len(sources)) as advance:
                    submissions = grade_all(sources, journal, graded, advance)
            except KeyboardInterrupt:
                hint = f"{_so_far(journal)}, and the same command goes on from there"
                raise KeyboardInterrupt(hint) from None
            _write_reports(options, submissions, sources)
            complete = table is None or _return(options, table, sources, submissions)
            terminal.print_class(submissions)
            sys.stdout.flush()
            journal.remove()  # only after all is written: until then, the same command can repeat it
    except (JournalError, ClusterError) as error:
        raise UsageError(str(error)) from error
    return 0 if complete and all(submission.status == "graded" for submission in submissions) else 1


def _table(options: argparse.Namespace, sources: Sequence[Source]) -> Table:
    """The table of grades of a platform, read before anything is graded."""
    from autograder.submissions.gradebooks import BadTable, read_table

    path, folder = options.returned
    if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"{folder} exists already and is no empty folder: remove it first, or give another name.")
    _check_files([folder / "grades.csv"] if folder.is_dir() else [folder])
    units = sorted({source.unit for source in sources if source.unit})
    if not units:
        raise UsageError(f"There is nothing to grade: {sources[0].problem}")
    if len(units) > 1:
        raise UsageError(f"The table takes the grades of a single unit; name it with --unit: {', '.join(units)}.")
    try:
        return read_table(path, units[0], options.column)
    except BadTable as error:
        raise UsageError(str(error)) from error


def _return(
    options: argparse.Namespace, table: Table, sources: Sequence[Source], submissions: Sequence[Submission]
) -> bool:
    """Write the files that the platform imports, and report what is missing; returns whether everybody has a grade."""
    from autograder import reports
    from autograder.lms.returning import FEEDBACK, GRADES, write_return
    from autograder.submissions.gradebooks import BadTable

    folder = options.returned[1]
    try:
        returned = write_return(folder, table, sources, submissions)
    except (reports.ReportError, BadTable) as error:
        raise UsageError(str(error)) from error
    if returned is None:
        _say(f"autograder: nothing was graded, so {folder} is not written.")
        return False
    if returned.scaled:
        _say(f"autograder: {returned.scaled}")
    if returned.without_grade:
        _say(f"autograder: without a grade, and left as they are in the table: {'; '.join(returned.without_grade)}.")
    if returned.not_in_table:
        _say(f"autograder: graded, but not in the table: {'; '.join(returned.not_in_table)}.")
    print(f"Written for {table.platform}: {folder / GRADES} and {folder / FEEDBACK}.")
    return not (returned.without_grade or returned.not_in_table)


def _on_roster(options: argparse.Namespace, sources: Sequence[Source]) -> list[Source]:
    """The sources, and one for each learner on the roster who handed in nothing; says who is not on it."""
    from autograder.submissions.roster import BadRoster, match, read_roster

    try:
        found, strangers = match(sources, read_roster(options.roster), options.roster, options.unit)
    except BadRoster as error:
        raise UsageError(str(error)) from error
    if strangers:
        _say(f"autograder: not on the roster: {', '.join(strangers)}.")
    return found


def _so_far(journal: Journal) -> str:
    return f"{len(journal.known)} of {len(journal.keys)} submissions are graded"


@contextlib.contextmanager
def _progress_bar(total: int) -> Iterator[Callable[[], None]]:
    """A bar on standard error where that is a terminal; yields what moves it on by one."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("Grading", total=total)
        yield lambda: bar.advance(task)


def _check_destinations(options: argparse.Namespace) -> None:
    """Refuse before grading what could not be written after it."""
    if options.gradescope is not None:
        if not options.gradescope.is_dir():
            raise UsageError(f"There is no folder {options.gradescope} for Gradescope's results; create it first.")
        if not os.access(options.gradescope, os.W_OK):
            raise UsageError(f"The folder {options.gradescope} for Gradescope's results is read-only.")
    if options.column and not options.returned:
        raise UsageError("--column names a column of the table that --return takes: give both.")
    _check_files([options.json, options.csv, options.junit, options.html, options.canvas, options.similar])
    if options.similar and find_spec("copydetect") is None:
        raise UsageError("--similar needs copydetect: install it with 'pip install copydetect'.")


def _check_files(destinations: Sequence[Path | None]) -> None:
    for destination in destinations:
        if destination is None:
            continue
        folder = destination.parent
        if destination.is_dir():
            raise UsageError(f"{destination} is a folder; name a file for the report.")
        if not folder.is_dir():
            raise UsageError(
                f"The report {destination} cannot be written, because there is no folder {folder}; create it first."
            )
        if not os.access(folder, os.W_OK):
            raise UsageError(f"The report {destination} cannot be written, because the folder {folder} is read-only.")


def _write_reports(options: argparse.Namespace, submissions: list[Submission], sources: Sequence[Source] = ()) -> None:
    from autograder import reports
    from autograder.judging.results import to_json
    from autograder.reports.exports import to_canvas, write_gradescope
    from autograder.reports.html import class_page
    from autograder.reports.junit import to_junit
    from autograder.reports.similarity import similar_page
    from autograder.reports.table import to_csv

    renderers: dict[str, Callable[[list[Submission]], str]] = {
        "json": lambda graded: json.dumps(to_json(graded), indent=2, allow_nan=False) + "\n",
        "csv": to_csv,
        "junit": to_junit,
        "html": lambda graded: class_page(graded, similar=_link(options.html, options.similar)),
        "canvas": to_canvas,
        "similar": lambda _: similar_page(sources),
    }
    failures = []
    for kind, render in renderers.items():
        destination = getattr(options, kind, None)
        try:
            if destination is not None:
                reports.write(destination, render(submissions))
        except reports.ReportError as error:  # the other reports can still be written
            failures.append(str(error))
    try:
        if getattr(options, "gradescope", None) is not None:
            write_gradescope(options.gradescope, submissions)
    except reports.ReportError as error:
        failures.append(str(error))
    if failures:
        raise UsageError(" ".join(failures))


def _link(page: Path, other: Path | None) -> str:
    """The address of another page, seen from a page."""
    return quote(Path(os.path.relpath(other, page.parent)).as_posix()) if other else ""


@contextlib.contextmanager
def _sentences_for_grading_errors() -> Iterator[None]:
    """Turns a failure to start the grading process into a usage error."""
    from autograder.sandbox.jail import NoJail
    from autograder.sandbox.session import ForkServerError

    try:
        yield
    except NoJail as error:
        raise UsageError(f"{error} Or grade without a sandbox, at your own risk, with --unsafe.") from error
    except ForkServerError as error:
        raise UsageError(str(error)) from error


def _gradescope(options: argparse.Namespace) -> int:
    units = [find_unit(name).name for name in dict.fromkeys(options.units)]
    if os.path.lexists(options.out):
        raise UsageError(f"{options.out} exists already: remove it first, or give another name.")

    from autograder import reports
    from autograder.course.version import local_wheel, pinned
    from autograder.lms import gradescope

    package = options.package or pinned(options.version)
    wheel = local_wheel(package)
    if wheel and not wheel.is_file():
        raise UsageError(f"There is no file {wheel}: build it with `python -m build --wheel`, or name another.")
    try:
        gradescope.write_zip(options.out, units, package, options.visibility)
    except reports.ReportError as error:
        raise UsageError(str(error)) from error
    print(f"Written: {options.out}, which installs {package}. Upload it as the autograder of the assignment.")
    return 0


def _classroom(options: argparse.Namespace) -> int:
    units = [find_unit(name).name for name in dict.fromkeys(options.units)]
    folder = options.out
    if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"{folder} exists already and is no empty folder: remove it first, or give another name.")

    from autograder.course.addresses import is_checkout
    from autograder.course.version import local_wheel, pinned

    if not is_checkout():
        raise UsageError("classroom makes notebooks from their sources: run it in a checkout of the repository.")
    package = options.package or pinned(options.version)
    if local_wheel(package):
        raise UsageError(f"GitHub does not have the file {package}: name something that pip can download.")
    try:
        from autograder.lms import classroom
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Making notebooks needs more packages ({error}): pip install 'transformer-workbook[nbgrader]'."
        ) from error
    try:
        classroom.write_repository(folder, units, package)
    except OSError as error:
        raise UsageError(f"The folder {folder} cannot be written ({error.strerror or error}).") from error
    except ValueError as error:  # a sentence for the author of a notebook
        raise UsageError(str(error)) from error
    print(f"Written: {folder}, which installs {package}.")
    print("Push it as a repository, mark that as a template, and choose it as the assignment's starter code.")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    if options.sandbox:
        from autograder.sandbox import selftest

        with _sentences_for_grading_errors():
            return 0 if selftest.report() else 1

    from autograder.course import lint
    from autograder.course.addresses import is_checkout

    if not is_checkout():
        raise UsageError("doctor looks at the sources of the course: run it in a checkout of the repository.")
    if options.unit and options.unit not in BY_NAME and options.unit not in lint.unlisted():
        find_unit(options.unit)  # says which units there are
    gaps = [f"{lint.REGISTRY}: put {name!r} into STAGES." for name in lint.unlisted() if options.unit in (None, name)]
    if gaps:
        _print_gaps("the course", gaps)
    units = [BY_NAME[options.unit]] if options.unit in BY_NAME else [] if options.unit else list(BY_NAME.values())
    for unit in units:
        if not unit.complete and not options.unit:
            print(f"{unit.number:>2}  {unit.name}: planned")
            continue
        found = lint.lacking(unit)
        if unit.complete and not found:
            found = _stale_exercise(unit)
        _print_gaps(f"{unit.number:>2}  {unit.name}", found)
        gaps += found
    return 1 if gaps else 0


def _print_gaps(what: str, gaps: Sequence[str]) -> None:
    print(f"{what}: " + (f"lacks {len(gaps)} thing{'s'[: len(gaps) != 1]}" if gaps else "complete"))
    for gap in gaps:
        print(f"      {gap}")


def _stale_exercise(unit: Unit) -> list[str]:
    """The gap that shows only where the packages that make notebooks are installed (the extra ``nbgrader``)."""
    try:
        from autograder.lms import release
    except ModuleNotFoundError as error:
        _say(f"autograder: the exercise of {unit.name} may be out of date, which could not be checked ({error}).")
        return []
    try:
        if release.is_current(unit):
            return []
    except ValueError as error:  # a sentence for the author
        return [str(error)]
    return [f"exercises/{unit.name}/{unit.name}.ipynb: run `make exercises`, because its sources have changed."]


def _new(options: argparse.Namespace) -> int:
    from autograder.course import new

    try:
        if options.kind == "unit":
            written = new.new_unit(
                options.name, options.title, options.after, options.before, options.stage, options.language
            )
            steps = [
                f"`autograder new task {options.name}.NAME` for each thing that a learner writes.",
                f"`autograder doctor {options.name}` says what is missing, and which placeholders (TODO) are left.",
                "`make exercises` updates the chapter numbers in the notebooks of the units that have moved.",
            ]
        else:
            written = new.new_task(options.name)
            unit = options.name.partition(".")[0]
            steps = [
                f"Replace what says TODO in these files; `autograder doctor {unit}` says what is missing.",
                f"`python -m autograder.quality {unit}` says whether the checks catch every mistake.",
            ]
    except new.CannotCreate as error:
        raise UsageError(str(error)) from error
    print("Written:")
    for path in written:
        print(f"  {path}")
    print("Next:")
    for step in steps:
        print(f"  {step}")
    return 0


def _hint(options: argparse.Namespace) -> int:
    from autograder.notebook.hints import next_hint

    _, tasks = find_tasks(options.task)
    if len(tasks) > 1:
        raise UsageError(f"Hints belong to one task; choose from {', '.join(tasks)}.")
    number, count, text = next_hint(options.task)
    print(f"Hint {number} of {count} for {options.task}\n\n{text}")
    return 0


def _progress(options: argparse.Namespace) -> int:
    from autograder import reports
    from autograder.notebook import progress
    from autograder.reports import progress as shown

    if options.import_file:
        try:
            tasks = progress.import_progress(options.import_file)
        except progress.ImportProblem as error:
            raise UsageError(str(error)) from error
        print(f"Taken over from {options.import_file}: {tasks} tasks; the better result of each task counts.")
    found = progress.load()
    try:
        if options.export:
            reports.write(options.export, progress.exported())
        if options.html:
            reports.write(options.html, shown.page(found))
    except reports.ReportError as error:
        raise UsageError(str(error)) from error
    shown.print_progress(found)
    return 0


def _certificate(options: argparse.Namespace) -> int:
    from autograder import reports
    from autograder.notebook import progress, store
    from autograder.reports import certificate

    page = certificate.page(progress.load(), options.name, store.section("sentence"), options.sentence)
    try:
        reports.write(options.out, page)
    except reports.ReportError as error:
        raise UsageError(str(error)) from error
    print(f"Written: {options.out}. Open it in a browser, and print it from there.")
    return 0
