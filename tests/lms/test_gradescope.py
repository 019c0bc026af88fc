"""Gradescope: the zip's own two scripts, run in folders as in their container, give a results.json as documented."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import jsonschema
import pytest

from autograder import cli
from autograder.course.addresses import ROOT
from autograder.course.registry import find_unit
from autograder.grading.engine import grade_sources
from autograder.judging.results import number
from autograder.judging.runner import max_points
from autograder.lms import gradescope
from autograder.lms.visibility import VISIBILITIES
from autograder.sandbox.jail import NoJail

# From https://gradescope-autograders.readthedocs.io/en/latest/specs/, "Output format".
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
TEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "max_score": {"type": "number"},
        "status": {"enum": ["passed", "failed"]},
        "name": {"type": "string"},
        "name_format": FORMAT,
        "number": {"type": "string"},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "tags": {"type": "array", "items": {"type": "string"}},
        "visibility": VISIBILITY,
        "extra_data": {"type": "object"},
    },
}
RESULTS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "test_output_format": FORMAT,
        "test_name_format": FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": TEST},
        "leaderboard": {"type": "array", "items": {"type": "object", "required": ["name", "value"]}},
    },
    "anyOf": [{"required": ["score"]}, {"properties": {"tests": {"items": {"required": ["score"]}}}}],
}
# Stand in for what a container gets from the network: the commands are written down, the environment is this one.
STUBS = {
    "apt-get": '#!/bin/sh\necho "apt-get $*" >> "$COMMANDS"\n',
    "python3": """#!/bin/sh
test "$1 $2" = "-m venv" || exit 9
mkdir -p "$3/bin"
cat > "$3/bin/python" <<'END'
#!/bin/sh
if test "$1 $2" = "-m pip"; then echo "$*" >> "$COMMANDS"; else exec "$REAL_PYTHON" "$@"; fi
END
chmod +x "$3/bin/python"
""",
}
EXPONENTIALS = "\n\ndef softmax(x, dim=-1):\n    return x.exp() / x.exp().sum(dim, keepdim=True)\n"


class Container:
    """Folders as Gradescope's container has them, in which the scripts of a zip run."""

    def __init__(self, root: Path, archive: Path):
        self.root, self.commands = root, root / "commands.txt"
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(root / "source")
        for name, text in STUBS.items():
            path = root / "stubs" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755)
        # Gradescope copies the one script, and makes both executable.
        (root / "run_autograder").write_bytes((root / "source" / "run_autograder").read_bytes())
        for script in (root / "source" / "setup.sh", root / "run_autograder"):
            script.chmod(0o755)

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "AUTOGRADER_ROOT": str(self.root),
            "PATH": f"{self.root / 'stubs'}:{os.environ['PATH']}",
            "COMMANDS": str(self.commands),
            "REAL_PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT),
        }
        return subprocess.run(
            [str(self.root / script)], cwd=self.root, env=environment, capture_output=True, text=True, timeout=300
        )

    def graded(self, **files: str) -> dict:
        """The results of a submission of these files, after a check of their form."""
        folder = self.root / "submission"
        folder.mkdir()
        for name, text in files.items():
            (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
        (self.root / "results").mkdir()
        done = self.run("run_autograder")
        assert done.returncode == 0, done.stderr + done.stdout
        results = json.loads((self.root / "results" / "results.json").read_text(encoding="utf-8"))
        jsonschema.validate(results, RESULTS)
        assert results["score"] == pytest.approx(sum(test["score"] for test in results["tests"]))
        return results


@pytest.fixture
def container(tmp_path):
    """Makes a container for units, whose set-up has run."""

    def make(*arguments: str) -> Container:
        archive = tmp_path / "autograder.zip"
        assert cli.main(["gradescope", *arguments, "--out", str(archive)]) == 0
        made = Container(tmp_path / "container", archive)
        done = made.run("source/setup.sh")
        assert done.returncode == 0, done.stderr
        return made

    return make


def most(unit: str) -> float:
    return number(sum(max_points(task) for task in find_unit(unit).task_ids))


def test_a_right_submission_gets_all_points(container, notebook, solution_cells):
    results = container("attention").graded(attention__ipynb=notebook(*solution_cells("attention")))
    assert results["score"] == most("attention") == pytest.approx(sum(test["max_score"] for test in results["tests"]))
    assert {test["status"] for test in results["tests"]} == {"passed"}
    assert results["visibility"] == "visible"


def test_a_half_right_submission_gets_partial_points_and_a_diagnosis(container, notebook, solution_cells):
    made = container("attention", "masks", "--visibility", "after_due_date")
    results = made.graded(my_work__ipynb=notebook(*solution_cells("attention"), EXPONENTIALS))
    assert results["visibility"] == "after_due_date"
    softmax = [test for test in results["tests"] if test["name"].startswith("attention.softmax: ")]
    assert {test["status"] for test in softmax} == {"passed", "failed"}
    assert any("**Looks like: " in test["output"] and "](http" in test["output"] for test in softmax)
    (missing,) = [test for test in results["tests"] if test["name"].startswith("masks")]
    assert (missing["score"], missing["max_score"]) == (0, most("masks"))
    assert "add masks.ipynb or masks.py" in missing["output"]
    assert 0 < results["score"] < most("attention")


@pytest.mark.parametrize(
    "files",
    [
        {"attention__ipynb": "no notebook"},
        {"attention__py": "import os, sys\nos._exit(0)\n"},
        {"attention__py": "print('x'"},
        {"notes__txt": "nothing to grade"},
        {},
    ],
    ids=["no-notebook", "ends-the-process", "no-python", "another-file", "nothing"],
)
def test_a_broken_submission_gets_no_points_and_the_reason(container, files):
    results = container("attention").graded(**files)
    assert results["score"] == 0
    assert sum(test["max_score"] for test in results["tests"]) == pytest.approx(most("attention"))
    assert results["output"] + "".join(test["output"] for test in results["tests"])


def no_sandbox(sources, jailed):
    if jailed:
        raise NoJail("bubblewrap may not make namespaces.")
    return grade_sources(sources, jailed=False)


@pytest.mark.parametrize("sandbox", [True, False], ids=["sandbox", "no-sandbox"])
def test_a_submission_does_not_replace_its_results(tmp_path, monkeypatch, sandbox):
    """Catches results that the submission wrote, and processes of it that go on after the grader has."""
    path = tmp_path / "results" / "results.json"
    late = "import sys, time\nwhile True: time.sleep(0.1); open(sys.argv[1], 'w').write('forged')"
    forged = f"""
import subprocess, sys
open({str(path)!r}, "w").write("forged")
subprocess.Popen([sys.executable, "-c", {late!r}, {str(path)!r}], start_new_session=True)
"""
    for folder in ("submission", "results"):
        (tmp_path / folder).mkdir()
    (tmp_path / "submission" / "attention.py").write_text(forged, encoding="utf-8")
    if not sandbox:
        monkeypatch.setattr(gradescope, "grade_sources", no_sandbox)
    assert gradescope.main(["--root", str(tmp_path), "attention"]) == 0
    time.sleep(1)
    assert json.loads(path.read_text(encoding="utf-8"))["score"] == 0


def test_where_no_sandbox_works_it_grades_without_and_tells_the_instructor(
    tmp_path, monkeypatch, capsys, notebook, solution_cells
):
    monkeypatch.setattr(gradescope, "grade_sources", no_sandbox)
    (tmp_path / "attention.ipynb").write_text(notebook(*solution_cells("attention")), encoding="utf-8")
    (graded,) = gradescope.grade(tmp_path, ["attention"])
    assert number(graded.points) == most("attention")
    assert "graded without it: bubblewrap may not" in capsys.readouterr().out


def test_the_set_up_installs_the_pinned_course_and_what_the_units_need(container):
    made = container("gpt2_forward", "--version", "v9.9.9")
    system, torch, course = made.commands.read_text(encoding="utf-8").splitlines()[1:]
    assert {"python3-venv", "git", "bubblewrap", "gcc"} <= set(system.split())
    assert torch.endswith("download.pytorch.org/whl/cpu torch")
    assert course.endswith("/transformer-workbook@v9.9.9")


def test_a_wheel_travels_in_the_zip(container, tmp_path):
    wheel = tmp_path / "my course-1.0-py3-none-any.whl"
    wheel.write_bytes(b"a private course")
    made = container("attention", "--package", str(wheel))
    assert (made.root / "source" / wheel.name).read_bytes() == wheel.read_bytes()
    assert made.commands.read_text(encoding="utf-8").endswith(f"{made.root}/source/{wheel.name}\n")


def test_the_zip_has_both_scripts_at_its_root_and_executable(tmp_path):
    paths = [tmp_path / "1.zip", tmp_path / "2.zip"]
    for path in paths:
        assert cli.main(["gradescope", "attention", "attention", "--out", str(path)]) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with zipfile.ZipFile(paths[0]) as zipped:
        assert zipped.namelist() == ["setup.sh", "run_autograder"]
        for entry in zipped.infolist():
            assert stat.S_IMODE(entry.external_attr >> 16) == 0o755
            assert zipped.read(entry).startswith(b"#!/usr/bin/env bash\n")
        assert zipped.read("run_autograder").decode().endswith(" attention\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["attentio"], "There is no unit called 'attentio'"),
        (["attention", "--out", "there.zip"], "there.zip exists already"),
        (["attention", "--out", "no/where.zip"], "does not exist"),
        (["attention", "--package", "none.whl"], "There is no file none.whl"),
    ],
)
def test_wrong_usage_is_one_sentence_and_writes_nothing(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("there.zip").write_text("mine", encoding="utf-8")
    assert cli.main(["gradescope", "--out", "new.zip", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"there.zip": "mine"}


def test_the_command_offers_the_visibilities_of_the_export():
    parser = cli._parser()
    for visibility in VISIBILITIES:
        read = parser.parse_args(["gradescope", "attention", "--out", "x", "--visibility", visibility])
        assert read.visibility == visibility
