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
from autograder.course.registry import COMPLETE

ROOT = addresses.ROOT
BINDER = ROOT / ".binder"
# What Colab has installed of all that the course needs.
COLAB_HAS = ("torch", "numpy", "matplotlib", "ipython")
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

    Nothing of it is copied: a folder of links to the installed packages is on the environment's path, where pip sees
    the packages and cannot change them.
    """
    environment, farm = tmp_path_factory.mktemp("bare"), tmp_path_factory.mktemp("packages")
    for package in closure(COLAB_HAS):
        for top in {file.parts[0] for file in distribution(package).files or () if file.parts[0] not in ("..", "")}:
            source = Path(str(distribution(package).locate_file(top)))
            if source.exists() and top != "__pycache__":
                (farm / top).unlink(missing_ok=True)
                (farm / top).symlink_to(source)
    run(sys.executable, "-m", "venv", str(environment))
    python = environment / "bin" / "python"
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
        "PIP_CONSTRAINT": str(ROOT / "constraints.txt"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{stand_in.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": addresses.repository_url(),
    }


def test_the_first_cell_installs_the_course_on_a_bare_machine(
    openings: dict[str, list[str]], bare: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    missing = "import importlib.util as u, torch, IPython; print(u.find_spec('autograder'), u.find_spec('pytest'))"
    assert run(str(bare), "-c", missing, cwd=tmp_path, env=environment).stdout.split() == ["None", "None"]
    first, _ = openings["attention"]
    use = (
        "import autograder, torch\n"
        "print('installed in', autograder.__file__)\n"
        "def softmax(x, dim=-1):\n    return torch.softmax(x, dim)\n"
        "print(check('attention.softmax'))\nhint('attention.scaled_dot_product_attention')"
    )
    script = tmp_path / "notebook.py"
    script.write_text(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        f"for cell in ({first!r}, {use!r}):\n"
        "    shell.run_cell(cell).raise_error()\n"
    )
    said = run(str(bare), str(script), cwd=tmp_path, env=environment).stdout
    assert f"installed in {bare.parents[1]}" in said
    assert "Hint 1 of 3" in said
    assert re.search(r"attention\.softmax.*4 */ *4", said), said


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
