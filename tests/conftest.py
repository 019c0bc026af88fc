"""Shared fixtures: one fork server for the whole run, notebooks on disk, and a state file of the test's own."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
from pathlib import Path

import pytest
from sampled import SAMPLED

from autograder.course import registry
from autograder.course.addresses import ROOT
from autograder.course.registry import BY_NAME
from autograder.sandbox import jail
from autograder.sandbox.session import ForkServer, Limits, ProcessSubject

TESTS = Path(__file__).parent

# Before anything imports torch, and for the kernels that tests start: threads of several processes on the same cores
# spin for each other, and a training of two seconds takes minutes.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Background jobs of some shells and services start with interrupts ignored, and so does all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Files and folders that take more than half a minute: builds of books, browsers, classes, clusters, whole catalogues.
SLOW = (
    "attacks/",
    "book/test_build.py",
    "browser/",
    "course/test_catalogue.py",
    "grading/test_cluster.py",
    "grading/test_journal.py",
    "lms/test_classroom.py",
    "lms/test_gradescope.py",
    "lms/test_nbgrader",
    "solutions/test_gpt2_c.py",
    "units/test_order_of_parts.py",
)


# Files whose units share nothing: each unit's tests go to whichever worker is free, the heaviest units first. Those of
# one unit stay together, whatever their file: they find the answers of the unit's mistakes in the cache.
BY_UNIT = ("course/test_catalogue.py", "judging/test_follow.py", "units/test_order_of_parts.py")
HEAVIEST = ("transformer", "translation", "training", "gpt2_backward", "gpt2_forward", "babygpt", "decoding", "warmup")


def pytest_addoption(parser):
    parser.addoption("--sample", action="store_true", help="leave out most cases of the tests in tests/sampled.py")


def pytest_collection_modifyitems(config, items):
    """What takes long comes first, so that no worker is left alone with it; files that read the built book come last.

    `make test` builds the book while the others run.
    """
    if config.getoption("sample"):
        _sample(config, items)
    readers = {item.path for item in items if "site" in item.fixturenames}
    items.sort(key=lambda item: (item.path in readers, *_heaviest_first(item)))
    for item in items:
        if _file(item).startswith(SLOW):
            item.add_marker("slow")


def _sample(config, items):
    """Keep as many cases of each test as `SAMPLED` says, spread evenly over the order of the course.

    Those of the heaviest units are the first to be left out: one of them takes as long as ten others.
    """
    cases: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(_test(item), []).append(item)
    kept = {item for (file, name), all_ in cases.items() for item in _some(all_, SAMPLED.get(file, {}).get(name))}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def _some(cases: list[pytest.Item], wanted: int | None) -> list[pytest.Item]:
    """As many of a test's cases as are wanted; all, if nothing is said of it."""
    if wanted is None or wanted >= len(cases):
        return cases
    light = [item for item in cases if not _is_heavy(item)]
    pool = light if len(light) >= wanted else cases
    return [pool[number * len(pool) // wanted] for number in range(wanted)]


def _is_heavy(item: pytest.Item) -> bool:
    return bool(set(HEAVIEST) & set(re.split(r"[\[\]-]", item.nodeid)))


def _test(item: pytest.Item) -> tuple[str, str]:
    """A test's file and name, the same for all of its cases."""
    return _file(item), item.originalname if isinstance(item, pytest.Function) else item.name


def _file(item: pytest.Item) -> str:
    """Where a test stands, under `tests/` if it does."""
    return item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else item.path.as_posix()


def _heaviest_first(item: pytest.Item) -> tuple[bool, int]:
    unit = _unit(item.nodeid)
    return not _file(item).startswith(SLOW), HEAVIEST.index(unit) if unit in HEAVIEST else len(HEAVIEST)


def _unit(nodeid: str) -> str:
    """The unit that a test of a file in `BY_UNIT` is about, as its first parameter says."""
    name = re.split(r"[\]-]", nodeid.rpartition("[")[2])[0]
    return name if nodeid.partition("::")[0].endswith(BY_UNIT) and name in BY_NAME else ""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """One worker runs the tests of a file, which share what is expensive to set up, or those of a unit (`BY_UNIT`)."""
    from xdist.scheduler import LoadScopeScheduling  # only where tests run in several processes

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _unit(nodeid) or nodeid.partition("::")[0]

    return Scheduling(config, log)


def pytest_terminal_summary(terminalreporter):
    """How many mistakes were caught and named, and alternatives accepted, in the units that were measured."""
    for report in (*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")):
        for name, table in report.user_properties:
            if name == "quality" and report.when == "call":
                terminalreporter.write_line(table)


@pytest.fixture(scope="session")
def server():
    """A fork server without a jail. Importing torch takes seconds, so all tests share it."""
    with ForkServer() as started:
        started.wait_until_ready()
        yield started


@pytest.fixture(scope="module")
def jailed():
    """A fork server in a jail."""
    try:
        server = ForkServer(jailed=True, compiler=False)
    except jail.NoJail:
        pytest.skip("there is no sandbox on this host")
    with server:
        server.wait_until_ready()
        yield server


@pytest.fixture(scope="session", autouse=True)
def _state_away_from_home(tmp_path_factory):
    """No test, and no subprocess of one, touches the progress of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_STATE", str(tmp_path_factory.mktemp("state") / "progress.json"))
        yield


@pytest.fixture
def planned(monkeypatch) -> registry.Unit:
    """A unit of the course map that nobody has written yet."""
    unit = registry.Unit(len(registry.UNITS) + 1, "diffusion", "Noise, and back", ("add_noise", "denoise"))
    monkeypatch.setitem(registry.BY_NAME, unit.name, unit)
    return unit


@pytest.fixture
def state_file(tmp_path, monkeypatch) -> Path:
    """A state file for one test alone; it does not exist yet."""
    path = tmp_path / "state" / "progress.json"
    monkeypatch.setenv("AUTOGRADER_STATE", str(path))
    return path


@pytest.fixture
def keep_own_code(state_file):
    """Keeps code for all tasks of a unit as if it had passed, and returns the tasks.

    It stands in for what a learner writes: the reference solution as one cell of a notebook.
    """
    from autograder.judging.results import PASSED, CheckResult, TaskResult
    from autograder.notebook import carried

    def imported(match: re.Match) -> str:
        names = match[2].split(", ")
        tasks = [name for name in names if name in carried.TASK_OF]
        others = [name for name in names if name not in carried.TASK_OF]
        lines = [f"from {carried.EARLIER} import {', '.join(tasks)}"] if tasks else []
        return "\n".join([*lines, *([f"{match[1]} {', '.join(others)}"] if others else [])])

    def keep(unit: str) -> list[str]:
        text = (ROOT / "solutions" / f"{unit}.py").read_text(encoding="utf-8")
        text = re.sub(r"^(from solutions(?:\.\w+)? import) (\w+(?:, \w+)*)$", imported, text, flags=re.MULTILINE)
        text = text.replace("### BEGIN SOLUTION", "by = 'a learner'").replace("### END SOLUTION", "")
        tasks = [task for task in registry.find_unit(unit).task_ids if not task.partition(".")[2].startswith("test_")]
        check = CheckResult("a/1", PASSED, 1, 1, "", "a title")
        carried.keep([TaskResult(task, (check,)) for task in tasks], [text])
        return tasks

    return keep


@pytest.fixture
def subject(server):
    """Makes subjects from cells; every one is closed after the test."""
    made = []

    def make(*cells: str, check: float = 5.0, total: float = 60.0, memory_mb: int = 2048) -> ProcessSubject:
        made.append(ProcessSubject(server, list(cells), Limits(check, total, memory_mb)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def _cell(source: str | list | None, kind: str = "code", **extra) -> dict:
    cell = {"cell_type": kind, "metadata": {}, "source": source, **extra}
    if kind == "code":
        cell = {"outputs": [], "execution_count": None, **cell}
    return cell


@pytest.fixture(scope="session")
def cell():
    """Makes one notebook cell as it stands in the file."""
    return _cell


@pytest.fixture(scope="session")
def notebook():
    """Makes the text of a notebook; strings become code cells."""

    def make(*cells: str | dict, **extra) -> str:
        ready = [_cell(one) if isinstance(one, str) else one for one in cells]
        return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": ready, **extra})

    return make


@pytest.fixture
def write(tmp_path):
    """Writes a file (and its folders) under the test's own folder; text as UTF-8."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


@pytest.fixture(scope="session")
def solution_cells():
    """The reference solution of a unit as notebook cells: the imports, then one cell for each definition."""

    def cells(unit: str, tests: bool = True) -> list[str]:
        """``tests``: those of catch-it tasks too, which take most of the time of grading."""
        text = (ROOT / "solutions" / f"{unit}.py").read_text(encoding="utf-8")
        found = [ast.get_source_segment(text, node) or "" for node in ast.parse(text).body]
        return [one for one in found if tests or not one.startswith("def test_")]

    return cells
