"""GitHub Classroom: the commands of the generated workflow, run as GitHub runs them, report the right points."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import nbformat
import pytest
import yaml

from autograder import cli
from autograder.course.addresses import ROOT
from autograder.course.registry import find_unit
from autograder.judging.results import number
from autograder.judging.runner import max_points
from autograder.lms import points

UNITS = ("attention", "gpt2_forward")
WORKFLOW = ".github/workflows/classroom.yml"
STUBS = {  # stand in for the machine's Python after the installation, which is this one
    "pip": '#!/bin/sh\necho "$*" >> "$INSTALLED"\n',
    "autograder": '#!/bin/sh\nexec "$REAL_PYTHON" -m autograder "$@"\n',
    "python": '#!/bin/sh\nexec "$REAL_PYTHON" "$@"\n',
}


def most(unit: str) -> float:
    return number(sum(max_points(task) for task in find_unit(unit).task_ids))


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("template") / "exercises"
    assert cli.main(["classroom", *UNITS, "--out", str(folder), "--version", "v9.9.9"]) == 0
    return folder


class Runner:
    """Runs the steps of the workflow that are commands; those after a failed one only if they are to run always."""

    def __init__(self, repository: Path, scratch: Path):
        self.repository, self.summary, self.installed = repository, scratch / "summary.md", scratch / "installed.txt"
        self.codes: dict[str, int] = {}
        self.output = ""
        for name, text in STUBS.items():
            path = scratch / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{scratch / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "REAL_PYTHON": sys.executable,
            "INSTALLED": str(self.installed),
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }

    def run(self) -> dict:
        """What GitHub Classroom is told in the end."""
        (job,) = yaml.safe_load((self.repository / WORKFLOW).read_text(encoding="utf-8"))["jobs"].values()
        for step in job["steps"]:
            if "run" not in step or (any(self.codes.values()) and step.get("if") != "always()"):
                continue
            done = subprocess.run(
                ["bash", "-e", "-c", step["run"]],
                cwd=self.repository,
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=300,
            )
            self.codes[step.get("name", step["run"])] = done.returncode
            self.output += done.stdout + done.stderr
        assert "Traceback" not in self.output
        (report,) = re.findall(r"^::notice title=Autograding report::(.*)$", self.output, re.MULTILINE)
        return json.loads(report)


def solve(notebook: Path, *cells: str) -> None:
    """Write answers into a notebook as a learner does: behind the cells that it has."""
    found = nbformat.read(notebook, as_version=4)
    found.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(found, notebook)


@pytest.fixture
def clone(repository, tmp_path) -> Path:
    """A learner's own copy of the repository."""
    folder = tmp_path / "clone"
    subprocess.run(["cp", "-r", str(repository), str(folder)], check=True)
    return folder


def test_the_repository_is_complete_and_pinned(repository):
    files = {path.relative_to(repository).as_posix() for path in repository.rglob("*") if path.is_file()}
    notebooks = {f"{unit}/{unit}.ipynb" for unit in UNITS}
    assert files == {*notebooks, "README.md", "requirements.txt", ".gitignore", WORKFLOW, "gpt2_forward/tiny.bin"}
    for file in ("requirements.txt", *notebooks):
        assert "/transformer-workbook@v9.9.9" in (repository / file).read_text(encoding="utf-8")
    readme = (repository / "README.md").read_text(encoding="utf-8")
    for unit in UNITS:
        assert f"({unit}/{unit}.ipynb)" in readme
        assert f"| {most(unit):g} |" in readme


def test_the_notebooks_hold_no_answers(repository):
    text = (repository / "attention" / "attention.ipynb").read_text(encoding="utf-8")
    assert "BEGIN SOLUTION" not in text
    assert text.count("raise NotImplementedError") >= len(find_unit("attention").task_ids)


def test_an_unsolved_notebook_has_no_points(clone, tmp_path):
    runner = Runner(clone, tmp_path)
    assert runner.run() == {"totalPoints": 0, "maxPoints": sum(map(most, UNITS))}
    assert {name: code for name, code in runner.codes.items() if code} == dict.fromkeys(UNITS, 1)
    assert runner.installed.read_text(encoding="utf-8").endswith("install --requirement requirements.txt\n")


def test_a_solved_notebook_has_its_points(clone, tmp_path, solution_cells):
    solve(clone / "attention" / "attention.ipynb", *solution_cells("attention"))
    (clone / "gpt2_forward" / "gpt2_forward.ipynb").write_text("a merge conflict", encoding="utf-8")
    runner = Runner(clone, tmp_path)
    assert runner.run() == {"totalPoints": most("attention"), "maxPoints": sum(map(most, UNITS))}
    assert (runner.codes["attention"], runner.codes["gpt2_forward"], runner.codes["Points"]) == (0, 2, 0)
    suite = ET.parse(clone / "results" / "attention.xml").getroot()
    assert int(suite.get("tests")) > len(find_unit("attention").task_ids)
    assert suite.get("failures") == suite.get("errors") == suite.get("skipped") == "0"
    assert f"| all | {most('attention'):g} | {sum(map(most, UNITS)):g} |" in runner.summary.read_text(encoding="utf-8")


def test_part_of_the_points_is_reported(tmp_path, solution_cells, capsys):
    wrong = "def softmax(x, dim=-1):\n    return x.exp() / x.exp().sum(dim, keepdim=True)\n"
    file = tmp_path / "attention.py"
    file.write_text("\n\n".join([*solution_cells("attention"), wrong]), encoding="utf-8")
    assert cli.main(["check", str(file), "--json", str(tmp_path / "attention.json")]) == 1
    (submission,) = json.loads((tmp_path / "attention.json").read_text(encoding="utf-8"))["submissions"]
    capsys.readouterr()
    assert points.main([str(tmp_path), "attention"]) == 0
    assert f'"totalPoints": {submission["points"]}' in capsys.readouterr().out
    assert 0 < submission["points"] < submission["max_points"] == most("attention")


def test_check_says_before_grading_that_a_report_cannot_be_written(tmp_path, capsys):
    (tmp_path / "attention.py").write_text("", encoding="utf-8")
    report = tmp_path / "nowhere" / "report.xml"
    assert cli.main(["check", str(tmp_path / "attention.py"), "--junit", str(report)]) == 2
    output = capsys.readouterr()
    assert "create it first" in output.err
    assert output.out == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["attentio"], "There is no unit called 'attentio'"),
        (["attention", "--out", "full"], "full exists already"),
        (["attention", "--out", "full/mine.txt"], "mine.txt exists already"),
        (["attention", "--out", "no/where"], "cannot be written"),
        (["attention", "--package", "mine.whl"], "GitHub does not have the file mine.whl"),
    ],
)
def test_wrong_usage_is_one_sentence_and_writes_nothing(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("full").mkdir()
    Path("full/mine.txt").write_text("mine", encoding="utf-8")
    assert cli.main(["classroom", "--out", "new", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["full", "mine.txt"]
