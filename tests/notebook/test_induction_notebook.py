"""The notebook on induction heads, run from top to bottom: as it is released, and with everything written."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.course import addresses
from autograder.lms.release import SolutionModule
from autograder.notebook import trials

NOTEBOOK = addresses.ROOT / "exercises" / "multihead" / "induction_heads.ipynb"
WRITTEN = ("previous_token_score", "induction_score", "test_induction_score")
QUICK = ("range(8, 21), 1000,", "range(8, 21), 50,")


def cell(notebook: nbformat.NotebookNode, text: str) -> nbformat.NotebookNode:
    """The one cell of code that holds a text."""
    (found,) = (cell for cell in notebook.cells if cell.cell_type == "code" and text in cell.source)
    return found


def run(folder, monkeypatch, answers: dict[str, str]) -> tuple[str, int]:
    """What the notebook prints with these answers after a short training, and how many pictures it draws."""
    monkeypatch.setenv("AUTOGRADER_STATE", str(folder / "state" / "progress.json"))
    monkeypatch.setenv("PYTHONPATH", str(addresses.ROOT))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for name, answer in answers.items():
        cell(notebook, f'raise NotImplementedError("{name}")').source = answer
    training = cell(notebook, QUICK[0])
    training.source = training.source.replace(*QUICK)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for one in notebook.cells for output in one.get("outputs", ())]
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    return "".join(output.text for output in outputs if output.output_type == "stream"), pictures


@pytest.fixture(scope="module")
def solved() -> dict[str, str]:
    module = SolutionModule("induction_heads")
    return {name: module.given(name) for name in WRITTEN}


def test_as_released_every_cell_runs_and_says_what_is_missing(tmp_path, monkeypatch):
    said, pictures = run(tmp_path, monkeypatch, {})
    assert "MultiHeadAttention: the course's" in said
    for name in WRITTEN[:2]:
        assert f"{name} is still to be written" in said
    assert "Your test is not written yet." in said
    assert pictures == 0


def test_with_everything_written_it_finds_and_takes_away_heads(tmp_path, monkeypatch, solved):
    said, pictures = run(tmp_path, monkeypatch, solved)
    assert said.count("Right.\n") == 2
    assert "previous-token score, layer 0:" in said
    assert pictures == 3
    assert f"Your test accepts {len(trials.RIGHT)} right implementations." in said
    assert "It accepts a wrong one" not in said
    assert "still to be written" not in said


def test_a_wrong_score_is_told_what_came(tmp_path, monkeypatch, solved):
    swapped = solved["induction_score"].replace("1 - period", "-period")
    with pytest.raises(Exception, match=r"heads that look 3, 4, 5 and 6 back: \[0.0, 0.0, 1.0, 0.0\], and should be"):
        run(tmp_path, monkeypatch, {**solved, "induction_score": swapped})
