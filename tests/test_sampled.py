"""`make test` runs some cases of the tests that do the same for every unit; continuous integration runs all."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from sampled import SAMPLED

from autograder.course.addresses import ROOT

TESTS = ROOT / "tests"


@pytest.mark.parametrize(("file", "name"), [(file, name) for file, names in SAMPLED.items() for name in names])
def test_a_sampled_test_exists(file: str, name: str) -> None:
    assert f"\ndef {name}(" in (TESTS / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(("options", "sampled"), [((), False), (("--sample",), True)])
def test_as_many_cases_are_run_as_the_table_says(options: tuple[str, ...], sampled: bool) -> None:
    file, name = "judging/test_runner.py", "test_another_seed_gives_other_inputs_and_the_same_scores"
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *options, f"{TESTS / file}::{name}"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    units = re.findall(r"scores\[(\w+)\]", listed)
    assert len(units) == SAMPLED[file][name] if sampled else len(units) > 15
    assert not sampled or "deselected" in listed


def test_continuous_integration_runs_all_cases() -> None:
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "exec make test SAMPLE=\n" in run
    shown = subprocess.run(
        ["make", "--dry-run", "checks", "SAMPLE="], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    assert "pytest" in shown
    assert "--sample" not in shown
