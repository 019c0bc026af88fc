"""The package as it is published: without the repository, all commands of a learner and a teacher work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
SOLUTION = "solutions/attention.py"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the wheel and what it depends on, and no repository."""
    folder, uv = tmp_path_factory.mktemp("environment"), [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, str(folder)], check=True, timeout=100)
    install = [*uv, "pip", "install", "--python", str(folder / "bin" / "python"), "--no-deps", str(wheel)]
    subprocess.run(install, check=True, timeout=100)
    (packages,) = folder.glob("lib/python3*/site-packages")
    # Its folder alone: what that folder's own .pth files add, such as this repository, stays out.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder / "bin" / "python"


def run(python: Path, folder: Path, *arguments: str, module: str = "autograder") -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "OMP_NUM_THREADS": "1"}
    command = [str(python), "-m", module, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200, check=False
    )


def test_the_wheel_holds_the_course_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        tops = {name.split("/")[0] for name in names}
        assert {top for top in tops if not top.endswith(".dist-info")} == {"autograder", "solutions"}
        assert not [name for name in names if "__pycache__" in name or "/tests/" in name]
        assert "autograder/_config.yml" in names
        assert sum(info.compress_size for info in archive.infolist()) < 4e6


def test_a_learner_and_a_teacher_can_work_with_it(installed: Path, tmp_path: Path) -> None:
    """Catches data files that only a checkout has: headings, hints, settings, templates, C sources."""
    where = run(installed, tmp_path, "list", "--json")
    assert where.returncode == 0, where.stderr
    assert len(json.loads(where.stdout)["units"]) > 10
    (tmp_path / "attention.py").write_text(
        (ROOT / SOLUTION).read_text(encoding="utf-8").replace("dim, keepdim=True", "-1, keepdim=True"), encoding="utf-8"
    )
    checked = run(installed, tmp_path, "check", "attention.py", "--task", "attention.softmax")
    assert checked.returncode == 1, checked.stderr
    assert "always the last axis" in checked.stdout
    graded = run(installed, tmp_path, "grade", "attention.py", "--json", "grades.json", "--html", "report.html")
    assert graded.returncode == 0, graded.stderr
    (submission,) = json.loads((tmp_path / "grades.json").read_text(encoding="utf-8"))["submissions"]
    assert 0 < submission["points"] < submission["max_points"]
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "exp" in run(installed, tmp_path, "show", "attention.softmax", "always-the-last-axis").stdout
    assert len(run(installed, tmp_path, "hint", "attention.softmax").stdout) > 40
    assert re.fullmatch(r"autograder \d+\.\d+\.\d+\n", run(installed, tmp_path, "--version").stdout)
    refused = run(installed, tmp_path, "doctor", "attention")
    assert refused.returncode == 2
    assert "checkout" in refused.stderr


def test_a_school_s_system_can_grade_with_it(installed: Path, tmp_path: Path) -> None:
    """What Gradescope's container and GitHub's machine have is the wheel alone."""
    made = run(installed, tmp_path, "gradescope", "attention", "--out", "autograder.zip")
    assert made.returncode == 0, made.stderr
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "attention.py").write_text((ROOT / SOLUTION).read_text(encoding="utf-8"), "utf-8")
    graded = run(installed, tmp_path, "--root", str(tmp_path), "attention", module="autograder.lms.gradescope")
    assert graded.returncode == 0, graded.stderr
    results = json.loads((tmp_path / "results" / "results.json").read_text(encoding="utf-8"))
    assert results["score"] == sum(test["max_score"] for test in results["tests"]) > 0
    reported = run(installed, tmp_path, str(tmp_path), "attention", module="autograder.lms.points")
    assert "::Points 0/" in reported.stdout
    refused = run(installed, tmp_path, "classroom", "attention", "--out", "exercises")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "checkout" in refused.stderr


def test_one_version_is_named_everywhere() -> None:
    found = {
        name: re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)[1]
        for name, pattern in {
            "pyproject.toml": r'^version = "(.+)"$',
            "CITATION.cff": r"^version: (.+)$",
            "kubernetes.yaml": r"/transformer-workbook:(\S+)$",
        }.items()
    }
    assert len(set(found.values())) == 1, found


def test_a_tag_that_is_not_the_version_is_refused() -> None:
    done = subprocess.run([ROOT / ".ci" / "tag", "v99.0.0"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.fullmatch(r"The tag is v99\.0\.0, but the newest version in \S+ is \S+: make them equal\.\n", done.stderr)


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("github-workflows", ".github/workflows/*.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
        ("dependabot", ".github/dependabot.yml"),
        ("compose-spec", "compose.yaml"),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_files_for_other_programs_fit_their_schemas(schema: str, pattern: str) -> None:
    pytest.importorskip("check_jsonschema")
    files = list(map(str, ROOT.glob(pattern)))
    assert files
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_every_step_of_a_workflow_can_be_run_here(workflow: Path) -> None:
    """Catches a step that calls a target, a script or a file that is not there, and actions without a version."""
    read = yaml.safe_load(workflow.read_text(encoding="utf-8"))
    assert {"name", "permissions", "jobs"} <= read.keys()
    for job in read["jobs"].values():
        assert "runs-on" in job
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"])
                continue
            for command in step["run"].splitlines():
                demand_runnable(command)


def demand_runnable(command: str) -> None:
    """Its targets, scripts and tests are there."""
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    words = command.replace("sudo ", "").split()
    if words[0] == "make":
        assert set(words[1:]) <= targets, command
    if words[0].startswith(".ci/"):
        assert os.access(ROOT / words[0], os.X_OK), command
    assert all((ROOT / word).exists() for word in words if word.startswith("tests/")), command


def test_a_container_for_development_is_set_up_by_make() -> None:
    """Catches a command, a port or a system package that the Makefile does not have."""
    read = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    commands = {name: read[name] for name in ("onCreateCommand", "postCreateCommand")}
    for command in commands.values():
        demand_runnable(command)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert read["forwardPorts"] == [int(re.search(r"^PORT \?= (\d+)$", makefile, re.MULTILINE)[1])]
    assert "/.venv/bin/python" in read["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert {"bwrap", "cc"} <= set(commands["onCreateCommand"].split())


def test_issue_forms_can_be_read() -> None:
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) >= 3
    for form in forms:
        read = yaml.safe_load(form.read_text(encoding="utf-8"))
        if form.stem == "config":
            continue
        assert {"name", "description", "body"} <= read.keys()
        fields = [field["id"] for field in read["body"]]
        assert len(set(fields)) == len(fields)
