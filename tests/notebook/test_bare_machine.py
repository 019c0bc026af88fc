"""The course where a reader opens it: on a bare machine such as Colab's, and on Binder."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.course import addresses
from autograder.course.registry import COMPLETE, find_unit
from autograder.lms import release

ROOT = addresses.ROOT
BINDER = ROOT / ".binder"
COLAB = ROOT / ".ci" / "colab.txt"  # what Colab has installed, in its versions; and PyTorch, in ours
NOTEBOOKS = {unit.name: f"exercises/{unit.name}/{unit.name}.ipynb" for unit in COMPLETE}


@pytest.fixture(scope="module")
def openings() -> dict[str, list[str]]:
    """The first two cells of every exercise."""
    return {
        unit: ["".join(cell["source"]) for cell in json.loads((ROOT / path).read_text(encoding="utf-8"))["cells"][:2]]
        for unit, path in NOTEBOOKS.items()
    }


def test_every_exercise_links_to_itself_everywhere(openings: dict[str, list[str]]) -> None:
    for unit, (_, opening) in openings.items():
        for place, address in addresses.launch_urls(NOTEBOOKS[unit]).items():
            assert f"[{place}]({address})" in opening
            assert address.endswith(NOTEBOOKS[unit])


def test_all_exercises_begin_with_the_same_cell(openings: dict[str, list[str]]) -> None:
    assert len({first for first, _ in openings.values()}) == 1


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the files of this one as they are now, on the configured branch."""
    folder = tmp_path_factory.mktemp("repository")
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    run("git", "init", "--quiet", f"--initial-branch={addresses.repository_branch()}", cwd=folder)
    run("git", "add", "--all", cwd=folder)
    author = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    run("git", *author, "commit", "--quiet", "--message=As it is now", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of a new environment in which there is what Colab has, and nothing else.

    PyTorch is not copied: a folder of links to its packages is on the environment's path, where pip sees them and
    cannot change them.
    """
    environment, farm = tmp_path_factory.mktemp("bare"), tmp_path_factory.mktemp("packages")
    pins = [line for line in COLAB.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    for package in closure(["torch"]) - {canonicalize_name(Requirement(pin).name) for pin in pins}:
        for top in {file.parts[0] for file in distribution(package).files or () if file.parts[0] not in ("..", "")}:
            source = Path(str(distribution(package).locate_file(top)))
            if source.exists() and top != "__pycache__":
                (farm / top).unlink(missing_ok=True)
                (farm / top).symlink_to(source)
    run(sys.executable, "-m", "venv", str(environment))
    python = environment / "bin" / "python"
    run(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", str(python), *pins)
    purelib = run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
    (Path(purelib) / "colab.pth").write_text(f"{farm}\n")
    return python


def closure(packages: Iterable[str]) -> set[str]:
    """Packages with all that they need here."""
    found: set[str] = set()
    waiting = list(packages)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        found.add(name)
        needs = map(Requirement, distribution(name).requires or ())
        waiting += [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    return found


def run(*command: str, **options) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done


@pytest.fixture(scope="module")
def environment(bare: Path, stand_in: Path) -> dict[str, str]:
    """Variables under which the bare Python runs, and git takes the stand-in for the repository."""
    ours = {"PYTHONPATH", "VIRTUAL_ENV"}  # IPython works in the environment that the second one names
    return {name: value for name, value in os.environ.items() if name not in ours} | {
        "PATH": f"{bare.parent}:{os.environ['PATH']}",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{stand_in.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": addresses.repository_url(),
    }


# Runs on the bare machine: the cells of each notebook in a process of its own, which has PyTorch loaded already.
VISIT = """
import json, os, sys, tempfile
from IPython.core.interactiveshell import InteractiveShell

notebooks = json.load(open(sys.argv[1]))
shell = InteractiveShell.instance()
shell.run_cell(notebooks[0]["cells"][0]).raise_error()
import autograder, torch
print("installed in", autograder.__file__, flush=True)
for notebook in notebooks:
    if os.fork() == 0:
        os.chdir(tempfile.mkdtemp())
        for cell in notebook["cells"]:
            ran = shell.run_cell(cell, store_history=True)
            if ran.error_before_exec or ran.error_in_exec:
                break
        else:
            print("\\n" + notebook["unit"], ran.result.points, ran.result.max_points, flush=True)
            if not ran.result.passed:
                print(ran.result)
        sys.stdout.flush()
        os._exit(0)
    os.wait()
"""


def cells_of(unit: str) -> list[str]:
    """The cells of a unit's notebook up to its first check, with the answer; and one that reads the course's data."""
    cells = [cell for cell in release.source_notebook(find_unit(unit)).cells if cell.cell_type == "code"]
    checks = [index for index, cell in enumerate(cells) if cell.metadata.get("nbgrader", {}).get("grade")]
    begin = [cell.source for cell in cells[: checks[0]] if "demonstration" not in cell.metadata]
    data = [cell.source for cell in cells if "split_text(jargon())" in cell.source]
    return [*begin, *data, cells[checks[0]].source]


def installed_in(python: Path, environment: dict[str, str]) -> set[str]:
    listed = run(str(python), "-m", "pip", "list", "--format", "json", env=environment).stdout
    return {package["name"] for package in json.loads(listed)}


def test_every_notebook_begins_and_checks_on_colab(bare: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """The course is all that the first cell installs; answers in Python and C are checked with no repository near."""
    before = installed_in(bare, environment)
    assert "transformer-workbook" not in before
    notebooks = [{"unit": unit, "cells": cells_of(unit)} for unit in NOTEBOOKS]
    assert any(cell.startswith("%%c") for notebook in notebooks for cell in notebook["cells"])
    assert any("jargon()" in cell for notebook in notebooks for cell in notebook["cells"])
    (tmp_path / "notebooks.json").write_text(json.dumps(notebooks))
    (tmp_path / "visit.py").write_text(VISIT)
    state = {"HOME": str(tmp_path), "AUTOGRADER_STATE": str(tmp_path / "state" / "progress.json")}
    state["AUTOGRADER_SECONDS"] = "0"  # no limit: other tests keep the machine busy
    said = run(str(bare), "visit.py", "notebooks.json", cwd=tmp_path, env=environment | state).stdout
    assert f"installed in {bare.parents[1]}" in said
    assert installed_in(bare, environment) == before | {"transformer-workbook"}
    reached = {unit: (points, most) for unit, points, most in re.findall(r"^(\w+) ([\d.]+) ([\d.]+)$", said, re.M)}
    assert reached.keys() == NOTEBOOKS.keys(), said[-3000:]
    assert {unit for unit, (points, most) in reached.items() if points != most} == set(), said[-5000:]


def test_binder_installs_the_tested_versions() -> None:
    lines = (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    (constraints,) = [line.removeprefix("-c ") for line in lines if line.startswith("-c ")]
    assert (BINDER / constraints).resolve() == ROOT / "constraints.txt"
    pinned = {Requirement(line).name for line in (ROOT / "constraints.txt").read_text().splitlines() if line[0] != "#"}
    packages = [Requirement(line).name for line in lines if line[0] not in "#-"]
    assert packages
    assert not [name for name in packages if canonicalize_name(name) not in pinned]


def test_binder_has_what_the_course_asks_for() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = Requirement("python" + re.search(r'requires-python = "([^"]+)"', project)[1]).specifier
    python = (BINDER / "runtime.txt").read_text(encoding="utf-8").strip().removeprefix("python-")
    assert python in wanted
    assert "gcc" in (BINDER / "apt.txt").read_text(encoding="utf-8").split()  # the last units are in C
    assert os.access(BINDER / "postBuild", os.X_OK)
    run("bash", "-n", str(BINDER / "postBuild"))
