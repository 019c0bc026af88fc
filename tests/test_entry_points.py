"""What notebooks, configurations and scripts of earlier releases import or run goes on working."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autograder.course.addresses import ROOT


@pytest.mark.parametrize(
    "statement",
    [
        "from autograder import check, differences, hint, progress, run_kernel, when_ready, write_kernels",
        "from autograder.nbgrader import configure",
        "from autograder.c_cells import write_kernels",
    ],
)
def test_statements_of_earlier_releases(statement):
    exec(statement, {})


@pytest.mark.parametrize(
    "module", ["autograder", "autograder.sample_class", "autograder.release", "autograder.quality"]
)
def test_modules_that_are_run(module):
    argument = "no-such-unit" if module == "autograder.quality" else "--help"
    done = subprocess.run(
        [sys.executable, "-m", module, argument], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2 if argument == "no-such-unit" else 0, False)
    assert "usage:" in done.stdout or "There is no unit called" in done.stderr


def test_a_file_of_checks_runs_under_pytest(tmp_path):
    """As CONTRIBUTING says, with a learner's own file."""
    mine = tmp_path / "mine.py"
    mine.write_text("import torch\ndef softmax(x, dim=-1):\n    return torch.softmax(x, dim)\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "autograder/units/attention/checks.py"]
    done = subprocess.run(
        [*command, "-k", "softmax or scores", "--submission", str(mine)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    assert "There is no `attention_scores` in your code yet." in done.stdout
    assert " passed" in done.stdout
