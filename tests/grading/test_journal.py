"""Runs that are killed, stopped, or out of disk: in the end every submission is graded once, with the same result."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from autograder import cli
from autograder.grading import engine, journal
from autograder.grading.engine import grade_all, grade_sources
from autograder.grading.journal import Journal, JournalError, journal_for
from autograder.judging.results import CheckResult, Submission, TaskResult
from autograder.sandbox.session import Limits
from autograder.submissions.discovery import Source, discover

SEED = 20261128
KILLS = 10
PATIENCE = 120.0
UNIT = "attention"
SUBMISSIONS = 18
OPTIONS = ["--timeout", "6"]

# --- running the command as a process of its own -------------------------------------------------------
# A fork of a process that has torch already is as real as `python -m autograder`, and starts in no time.

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["autograder.cli", "autograder.grading.engine", f"autograder.units.{UNIT}.checks"])


def _command(place: Path, arguments: list[str]) -> None:
    os.environ["AUTOGRADER_STATE"] = str(place / "state" / "progress.json")
    tempfile.tempdir = str(place / "temporary")
    journal.grader_version = lambda: "this one"  # also when someone works on the grader while its tests run
    with (place / "log").open("w") as log, contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
        sys.exit(cli.main(arguments))


class Run:
    """``autograder grade`` in a process, with its journal and temporary files under ``place``."""

    def __init__(self, place: Path, *arguments: object):
        self.place = place
        (place / "temporary").mkdir(parents=True, exist_ok=True)
        self.process = _processes.Process(
            target=_command, args=(place, ["grade", *map(str, arguments), *OPTIONS]), daemon=True
        )
        self.process.start()

    def finish(self) -> int:
        self.process.join(PATIENCE)
        assert self.process.exitcode is not None, "the run does not end"
        return self.process.exitcode

    @property
    def said(self) -> str:
        return (self.place / "log").read_text()

    def wait_for(self, results: int) -> None:
        """Until the journal holds so many results."""
        deadline = time.monotonic() + PATIENCE
        while len(journal_lines(self.place)) < results and self.process.is_alive():
            assert time.monotonic() < deadline, "no results come"
            time.sleep(0.005)

    def kill(self) -> None:
        """``kill -9``; nothing of the run may be left a moment later."""
        family = descendants(self.process.pid)
        self.process.kill()
        self.process.join()
        deadline = time.monotonic() + PATIENCE
        while left := [pid for pid, born in family.items() if started(pid) == born]:
            assert time.monotonic() < deadline, f"left behind: {left}"
            time.sleep(0.02)


def journal_lines(place: Path) -> list[dict]:
    """The whole lines of the only journal there is."""
    entries = []
    for file in (place / "state" / journal.FOLDER).glob("*.jsonl"):
        for line in file.read_bytes().splitlines():
            with contextlib.suppress(ValueError):  # the last one may be cut off
                entries.append(json.loads(line))
    return entries


def started(pid: int) -> str:
    """When a process was started; empty when it has ended (also if its parent has not noticed yet)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def descendants(pid: int) -> dict[int, str]:
    """All running processes below one, each with its start time."""
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                for child in map(int, task.read_text().split()):
                    found[child] = started(child)
                    waiting.append(child)
    return {child: born for child, born in found.items() if born}


def mounts() -> list[str]:
    return Path("/proc/self/mountinfo").read_text().splitlines()


@pytest.fixture(scope="module")
def klass(tmp_path_factory, solution_cells) -> Path:
    """Eighteen submissions: right, slow, endless, deadly, wrong, unreadable, nothing; one whose messages vary."""
    right = "\n\n\n".join(solution_cells(UNIT, tests=False))
    kinds = {
        "right": "",
        "slow": "import time\ntime.sleep(0.3)\n",
        "deadly": "import os\nos._exit(3)\n",
        "wrong": "def softmax(x, dim=-1):\n    return x.exp() / x.exp().sum(dim, keepdim=True)\n",
        "varying": "def attention_scores(*_):\n    raise ValueError(set('abcdefgh'), object(), softmax)\n",
    }
    folder = tmp_path_factory.mktemp("class")
    texts = {f"{kind}{number}": f"{right}\n\n\n{extra}" for kind, extra in kinds.items() for number in range(3)}
    # It sleeps: the processor is for the others.
    texts["endless"] = f"{right}\n\n\nimport time\nwhile True:\n    time.sleep(1)\n"
    texts["empty"] = ""
    for student, text in texts.items():
        (folder / student / UNIT).mkdir(parents=True)
        (folder / student / UNIT / f"{UNIT}.py").write_text(text)
    (folder / "unreadable" / UNIT).mkdir(parents=True)
    (folder / "unreadable" / UNIT / f"{UNIT}.ipynb").write_text("{")
    return folder


def results(report: Path) -> str:
    """A JSON report without its times, in the order of the paths."""
    submissions = json.loads(report.read_text())["submissions"]
    for submission in submissions:
        assert submission.pop("seconds") >= 0
    return json.dumps(sorted(submissions, key=lambda one: one["path"]), indent=1)


@pytest.fixture(scope="module")
def undisturbed(klass, tmp_path_factory) -> str:
    place = tmp_path_factory.mktemp("undisturbed")
    run = Run(place, klass, "--jobs", 1, "--json", place / "report.json")
    assert run.finish() == 1, run.said  # one of them is unreadable
    return results(place / "report.json")


def test_scores_do_not_depend_on_order_or_jobs(klass, undisturbed, tmp_path):
    folders = sorted(klass.iterdir())
    random.Random(SEED).shuffle(folders)
    run = Run(tmp_path, *folders, "--jobs", 4, "--json", tmp_path / "report.json")
    assert run.finish() == 1, run.said
    assert results(tmp_path / "report.json") == undisturbed
    assert not any(f'"status": "{word}"' in undisturbed for word in ("crashed", "timeout"))


def test_a_run_killed_ten_times_grades_everything_once(klass, undisturbed, tmp_path):
    chance = random.Random(SEED)
    before = mounts()
    report = tmp_path / "report.json"
    held = 0
    for _ in range(KILLS):
        run = Run(tmp_path, klass, "--jobs", 2, "--json", report)
        if chance.choice([False, True, True, True]):
            run.wait_for(held + 1)
            time.sleep(chance.uniform(0, 0.1))
        else:  # while it starts
            time.sleep(chance.uniform(0, 1.5))
        run.kill()
        assert run.process.exitcode == -signal.SIGKILL
        assert not report.exists()
        assert len(journal_lines(tmp_path)) >= held, "results were lost"
        held = len(journal_lines(tmp_path))
    assert not list((tmp_path / "temporary").iterdir())
    assert mounts() == before

    # To the end, but with a report that cannot be written: the results have to stay.
    run = Run(tmp_path, klass, "--jobs", 2, "--json", "/dev/full")
    assert run.finish() == 2
    assert f"{held} of {SUBMISSIONS} submissions are graded" in run.said
    assert "the disk is full" in run.said
    times = Counter(entry["key"] for entry in journal_lines(tmp_path))
    assert len(times) == SUBMISSIONS
    assert set(times.values()) == {1}

    run = Run(tmp_path, klass, "--jobs", 2, "--json", report)
    assert run.finish() == 1, run.said
    assert f"{SUBMISSIONS} of {SUBMISSIONS} submissions are graded" in run.said
    assert results(report) == undisturbed
    assert not list((tmp_path / "state" / journal.FOLDER).iterdir()), "a complete run leaves no journal"
    assert not list((tmp_path / "temporary").iterdir())


def test_without_a_jail_a_killed_run_leaves_nothing_either(klass, tmp_path):
    run = Run(tmp_path, klass / "slow0", klass / "endless", "--unsafe", "--jobs", 2)
    run.wait_for(1)
    assert list((tmp_path / "temporary").iterdir())
    run.kill()
    deadline = time.monotonic() + 10
    while list((tmp_path / "temporary").iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_ctrl_c_ends_the_run_at_once_and_keeps_what_is_graded(klass, tmp_path, state_file, write):
    for_ever = write(f"for-ever/{UNIT}/{UNIT}.py", "while True:\n    pass\n" * 9)  # each is cut off after ten seconds
    paths = [klass / "right0", for_ever, klass / "right1"]
    run = Run(tmp_path, *paths, "--jobs", 2, "--timeout", 100)
    run.wait_for(2)
    time.sleep(0.5)  # on the disk is a moment before counted
    family = descendants(run.process.pid)
    stopped = time.monotonic()
    os.kill(run.process.pid, signal.SIGINT)
    assert run.finish() == 130
    assert time.monotonic() - stopped < 8, "it waited for the endless one"
    assert "stopped: 2 of 3 submissions are graded, and the same command goes on from there." in run.said
    assert "Traceback" not in run.said
    assert [pid for pid, born in family.items() if started(pid) == born] == []
    assert len(journal_lines(tmp_path)) == 2


# --- the journal itself, without any grading -----------------------------------------------------------


@pytest.fixture
def course(write, state_file) -> Path:
    """Five small submissions."""
    files = [write(f"course/s{number}/{UNIT}/{UNIT}.py", f"x = {number}\n") for number in range(5)]
    return files[0].parents[2]


@pytest.fixture
def graded(monkeypatch) -> list[str]:
    """Puts something quick in the place of grading; the students that it graded."""
    students: list[str] = []

    def grade(sources, *_):
        for index, source in enumerate(sources):
            students.append(source.student)
            yield index, result_of(source)

    monkeypatch.setattr(engine, "grade_sources", grade)
    return students


def result_of(source: Source) -> Submission:
    check = CheckResult(
        f"{UNIT}.softmax.x", "failed", Fraction(1, 3), Fraction(2), "wrong \u2028\x85\ud800 " * 100, "T"
    )
    return Submission(str(source.path), source.student, UNIT, (TaskResult(f"{UNIT}.softmax", (check,)),), notes=("n",))


@pytest.fixture
def grade(capsys, graded):
    """Grades in this process: exit code, what was said, and who was graded."""

    def run(*arguments: object) -> tuple[int, str, list[str]]:
        graded.clear()
        capsys.readouterr()
        code = cli.main(["grade", *map(str, arguments)])
        error = capsys.readouterr().err
        assert "Traceback" not in error
        return code, error, list(graded)

    return run


def open_journal(course: Path, seed: int = 1, limits: Limits = Limits(), jailed: bool = True) -> Journal:
    return journal_for(discover([course]), seed, limits, jailed)


def fill(course: Path) -> None:
    with open_journal(course) as one:
        grade_all(discover([course]), one, lambda sources: ((i, result_of(s)) for i, s in enumerate(sources)))


def test_results_come_back_as_they_were(course):
    fill(course)
    sources = discover([course])
    with open_journal(course) as again:
        assert [again.known[key] for key in again.keys] == [result_of(source) for source in sources]


def test_what_has_changed_is_graded_again(course, monkeypatch):
    fill(course)

    def known(**options) -> int:
        with open_journal(course, **options) as one:
            return len(one.known)

    assert known() == 5
    assert known(seed=2) == known(jailed=False) == known(limits=Limits(memory_mb=1)) == 0
    (course / "s3" / UNIT / f"{UNIT}.py").write_text("x = 'changed'\n")
    assert known() == 4
    monkeypatch.setattr(journal, "grader_version", lambda: "another")
    assert known() == 0


@pytest.fixture
def version(tmp_path, monkeypatch):
    """The grader's version, worked out anew, of two packages that a test may change."""
    monkeypatch.setattr(journal.addresses, "PACKAGE", tmp_path / "autograder")

    def now() -> str:
        journal.grader_version.cache_clear()
        return journal.grader_version()

    yield now
    journal.grader_version.cache_clear()


DECIDING = (
    "autograder/units/a/checks.py",
    "autograder/units/c/mistakes.c",
    "autograder/course/headings.json",
    "solutions/a.py",
    "solutions/c/kernels.h",
)


@pytest.mark.parametrize("changed", DECIDING)
def test_the_version_is_that_of_all_that_decides(write, tmp_path, version, changed):
    for name in DECIDING:
        write(name, "1\n")
    seen = [version()]
    write(changed, "2\n")
    seen.append(version())
    (tmp_path / changed).rename(tmp_path / (changed + "_of_another_name"))
    seen.append(version())
    assert len(set(seen)) == 3


def test_the_version_is_that_of_torch_and_python(version, monkeypatch):
    seen = [version()]
    monkeypatch.setattr(journal.torch, "__version__", "0.1+cpu")
    seen.append(version())
    monkeypatch.setattr(journal.torch, "__version__", "0.1+cu999")
    assert version() == seen[-1]
    monkeypatch.setattr(journal.sys, "version_info", (3, 99, 0))
    seen.append(version())
    assert len(set(seen)) == 3


@pytest.mark.parametrize("left", ["autograder/__pycache__/a.cpython-311.pyc", "solutions/.ipynb_checkpoints/a.py"])
def test_what_a_run_leaves_is_no_other_version(write, version, left):
    write("solutions/a.py", "1\n")
    before = version()
    write(left, "1\n")
    assert version() == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-40],
        lambda data: data + b'{"key": "x", "submission',
        lambda data: data + b"\0" * 5000,
        lambda data: data + b"\xff\xfe\x80\n[]\n7\nnull\n{}\n",
        lambda data: data + b'{"key": "x", "submission": 1}\n{"key": [], "submission": {"tasks": [], "notes": 3}}\n',
        lambda data: data.replace(b'"1/3"', b'"1/0"', 1),
    ],
)
def test_a_damaged_journal_costs_only_its_damaged_lines(course, damage):
    fill(course)
    with open_journal(course) as one:
        one.path.write_bytes(damage(one.path.read_bytes()))
    with open_journal(course) as damaged:
        assert len(damaged.known) in (4, 5)
    fill(course)
    with open_journal(course) as mended:
        assert len(mended.known) == 5


def test_two_runs_at_the_same_time(course, grade):
    with open_journal(course, seed=7):
        code, said, students = grade(course, "--seed", 7)
        assert (code, students) == (2, [])
        assert said.count("\n") == 1
        assert "Another run is grading the same submissions" in said
    assert grade(course, "--seed", 7)[0] == 0


def test_a_run_waits_for_no_journal_that_another_one_has_just_removed(course, monkeypatch):
    first = open_journal(course)
    really_open = os.open

    def open_then_lose_it(*arguments, **options):
        monkeypatch.setattr(os, "open", really_open)
        file = really_open(*arguments, **options)
        first.remove()
        return file

    monkeypatch.setattr(os, "open", open_then_lose_it)
    with open_journal(course) as second:
        assert second.path.exists()
        second.add(second.keys[0], result_of(discover([course])[0]))
        assert second.path.stat().st_size > 0


def test_pipes_and_links_among_the_submissions_stop_nothing(course, tmp_path, grade):
    for name, make in {"pipe": os.mkfifo, "link": lambda path: path.symlink_to("/dev/zero")}.items():
        (course / name / UNIT).mkdir(parents=True)
        make(course / name / UNIT / f"{UNIT}.py")
    assert len(grade(course)[2]) == 7


def test_a_stopped_run_says_so(course, grade, monkeypatch, capsys):
    quick = engine.grade_sources

    def stop_after_two(sources, *_):
        for number, item in enumerate(quick(sources)):
            if number == 2:
                raise KeyboardInterrupt
            yield item

    monkeypatch.setattr(engine, "grade_sources", stop_after_two)
    code, said, _ = grade(course)
    assert code == 130
    assert said.splitlines() == [
        "autograder: stopped: 2 of 5 submissions are graded, and the same command goes on from there."
    ]
    monkeypatch.setattr(engine, "grade_sources", quick)
    code, said, students = grade(course)
    assert (code, len(students)) == (0, 3)
    assert "going on with an earlier run: 2 of 5 submissions are graded." in said
    assert len(grade(course)[2]) == 5, "a complete run is not gone on with"


# --- disks ---------------------------------------------------------------------------------------------


@contextlib.contextmanager
def small_file_system(place: Path, options: str):
    """A small file system in memory, mounted at ``place``; yields what mounts it again with other options."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], check=True)
    try:
        yield lambda more: subprocess.run(["mount", "-o", f"remount,{more}", place], check=True)
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@contextlib.contextmanager
def small_files(size: int):
    """No file may grow beyond this size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def can_mount() -> bool:
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return os.geteuid() == 0 and subprocess.run(probe, capture_output=True, check=False).returncode == 0


needs_mount = pytest.mark.skipif(not can_mount(), reason="only root may mount; the limit on file sizes is tested")


def one_sentence(said: str) -> str:
    lines = [line for line in said.splitlines() if "going on" not in line]
    assert len(lines) == 1, said
    return lines[0]


@needs_mount
def test_a_full_disk_for_the_results(course, grade, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "disk" / "progress.json"))
    with small_file_system(tmp_path / "disk", "size=8k") as remount:
        code, said, students = grade(course)
        assert code == 2
        assert "No space left on device" in one_sentence(said)
        assert "not lost" in said
        assert 1 < len(students) < 5
        remount("size=1m")
        code, _, again = grade(course)
        assert code == 0
        assert sorted([*students[:-1], *again]) == [f"s{number}" for number in range(5)]


def test_no_room_for_the_results(course, grade):
    with small_files(4000):
        code, said, students = grade(course)
    assert code == 2
    assert "File too large" in one_sentence(said)
    assert 1 < len(students) < 5
    code, _, again = grade(course)
    assert code == 0
    assert sorted([*students[:-1], *again]) == [f"s{number}" for number in range(5)]


@needs_mount
def test_a_read_only_place_for_the_results(course, grade, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "disk" / "progress.json"))
    with small_file_system(tmp_path / "disk", "ro"):
        code, said, students = grade(course)
    assert (code, students) == (2, [])
    assert "Results cannot be kept in" in one_sentence(said)


def test_a_file_where_the_results_should_be_kept(course, grade, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "state" / "progress.json"))
    (tmp_path / "state").write_text("")
    code, said, students = grade(course)
    assert (code, students) == (2, [])
    assert "Results cannot be kept in" in one_sentence(said)


REPORTS = ("--json", "--csv", "--junit", "--html", "--canvas")


@needs_mount
@pytest.mark.parametrize("option", REPORTS)
def test_a_full_disk_for_a_report(course, grade, tmp_path, option):
    with small_file_system(tmp_path / "disk", "size=8k") as remount:
        (tmp_path / "disk" / "filler").write_bytes(b"x" * 8192)
        report = tmp_path / "disk" / "report"
        code, said, students = grade(course, option, report)
        assert (code, len(students)) == (2, 5)
        assert "the disk is full" in one_sentence(said)
        assert [file.name for file in report.parent.iterdir()] == ["filler"]
        remount("size=4m")
        code, _, students = grade(course, option, report)
        assert (code, students) == (0, [])
        assert report.stat().st_size > 0


@needs_mount
def test_a_full_disk_for_gradescope(course, grade, tmp_path):
    with small_file_system(tmp_path / "disk", "size=8k"):
        code, said, students = grade(course, "--gradescope", tmp_path / "disk")
        assert (code, len(students)) == (2, 5)
        assert "the disk is full" in one_sentence(said)
    (tmp_path / "disk").chmod(0o755)
    code, _, students = grade(course, "--gradescope", tmp_path / "disk")
    assert (code, students) == (0, [])


def test_no_room_for_a_report(course, grade, tmp_path):
    fill_options = (course, "--html", tmp_path / "report.html")
    grade(course)
    with small_files(20_000):
        code, said, students = grade(*fill_options)
    assert (code, len(students)) == (2, 5)
    assert "Cannot write" in one_sentence(said)
    assert not (tmp_path / "report.html").exists()
    code, _, students = grade(*fill_options)
    assert (code, students) == (0, [])


@needs_mount
@pytest.mark.parametrize("option", [*REPORTS, "--gradescope"])
def test_a_read_only_folder_for_a_report_is_refused_before_grading(course, grade, tmp_path, option):
    with small_file_system(tmp_path / "disk", "ro"):
        target = tmp_path / "disk" if option == "--gradescope" else tmp_path / "disk" / "report"
        code, said, students = grade(course, option, target)
    assert (code, students) == (2, [])
    assert "read-only" in one_sentence(said)


def test_a_terminal_that_takes_nothing_keeps_the_results(course, grade, monkeypatch):
    with contextlib.suppress(OSError), open("/dev/full", "w") as full, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        code, said, students = grade(course)
    assert (code, len(students)) == (2, 5)
    assert "No space left on device" in one_sentence(said)


# --- a grading process that dies -----------------------------------------------------------------------


def test_who_kills_the_grading_process_is_left_out_and_nobody_else(write, solution_cells):
    """Without a jail, a submission can kill the process that all others come from."""
    right = "\n\n\n".join(solution_cells(UNIT))
    killer = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)\n"
    paths = [write(f"class/{name}/{UNIT}.py", text) for name, text in {"ann": killer, "ben": right}.items()]
    done = dict(grade_sources(discover(paths), jobs=1, jailed=False))
    assert [done[index].status for index in range(2)] == ["failed", "graded"]
    assert "died 3 times on this submission" in (done[0].message or "")
    assert done[1].points == done[1].max_points


class FakeServer:
    """Stands in for a fork server: it can die."""

    made = 0

    def __init__(self, jailed: bool, compiler: bool):
        FakeServer.made += 1
        self.dead = False

    def close(self) -> None:
        pass

    def wait_until_ready(self) -> None:
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        pass


def test_deaths_are_counted_for_each_submission_alone(course, monkeypatch):
    """The shared process dies while everyone uses it; then each goes on alone, and only the culprit dies again."""
    sources = discover([course])
    together = threading.Barrier(len(sources), timeout=10)
    first = set(source.student for source in sources)
    deaths: Counter[str] = Counter()

    def grade_source(server, source, *_):
        if source.student in first:
            first.discard(source.student)
            together.wait()
            deaths[source.student] += 1
            raise engine.ForkServerError
        if source.student in ("s1", "s3") and deaths[source.student] < (3 if source.student == "s1" else 2):
            deaths[source.student] += 1
            raise engine.ForkServerError
        return result_of(source)

    monkeypatch.setattr(engine, "ForkServer", FakeServer)
    monkeypatch.setattr(engine, "grade_source", grade_source)
    done = dict(grade_sources(sources, jobs=5))
    assert {source.student: done[i].status for i, source in enumerate(sources)} == {
        "s0": "graded",
        "s1": "failed",
        "s2": "graded",
        "s3": "graded",
        "s4": "graded",
    }
    assert deaths["s1"] == 3


def test_the_journal_refuses_more_when_it_is_closed(course):
    one = open_journal(course)
    one.close()
    with pytest.raises(JournalError):
        one.add(one.keys[0], replace(result_of(discover([course])[0]), student="late"))
