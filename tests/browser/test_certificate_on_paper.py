"""The certificate on paper, as a learner prints it from a browser."""

from __future__ import annotations

import io
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from autograder import cli
from autograder.course.registry import COMPLETE
from autograder.notebook import store


@pytest.mark.parametrize("done", [False, True], ids=["nothing yet", "everything"])
def test_it_prints_on_one_or_two_pages(done: bool, state_file: Path, browser: Any, tmp_path: Path) -> None:
    if done:
        store.remember_points({task: 1e9 for unit in COMPLETE for task in unit.task_ids})
        store.update("sentence", {"source": "Der alte Mann schläft. " * 10, "translation": "The old man sleeps. " * 10})
    path = tmp_path / "certificate.html"
    assert cli.main(["certificate", "--name", "Ada Lovelace " * 6, "--out", str(path)]) == 0
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    printed = PdfReader(io.BytesIO(page.pdf(format="A4", print_background=True)))
    page.close()
    assert 1 <= len(printed.pages) <= 2
    assert asked == [path.as_uri()]  # nothing else is loaded
    text = unicodedata.normalize("NFKC", " ".join(one.extract_text() for one in printed.pages))  # without ligatures
    assert "Ada Lovelace" in text
    for unit in COMPLETE:
        for task in unit.task_ids:
            assert task.partition(".")[2] in text
    assert ("The old man sleeps." in text) == done
