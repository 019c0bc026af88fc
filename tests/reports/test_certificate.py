"""The certificate: what stands on it, and that nothing of a name or a sentence is taken for more than text."""

from __future__ import annotations

from datetime import date

import pytest
from bs4 import BeautifulSoup

import autograder
from autograder import cli
from autograder.course.models import IN_C, TOP, parts_of_models
from autograder.course.registry import COMPLETE, find_unit
from autograder.judging.results import number
from autograder.judging.runner import max_points
from autograder.notebook import progress, store
from autograder.reports import certificate
from autograder.reports import progress as shown

DAY = date(2026, 11, 3)
HOSTILE = "</p><script>alert(1)</script>\x1b[31m\u202e{{ 7 * 7 }}"


@pytest.fixture
def begun(state_file) -> progress.Progress:
    tasks = find_unit("attention").task_ids
    store.remember_points({task: number(max_points(task)) for task in tasks})
    return progress.load()


def read(page: str) -> BeautifulSoup:
    return BeautifulSoup(page, "html.parser")


def quotes(page: str) -> list[str]:
    return [quote.get_text() for quote in read(page).find_all("blockquote")]


def test_tasks_points_date_and_name(begun):
    page = read(certificate.page(begun, "Ada Lovelace", {}, day=DAY))
    text = " ".join(page.get_text(" ").split())
    assert page.select_one(".name").get_text() == "Ada Lovelace"
    assert "3 November 2026" in text
    assert f"{begun.points:g} of {begun.max_points:g} points" in text
    for unit in COMPLETE:
        for task in unit.task_ids:
            sign = "✓" if unit.name == "attention" else "○"
            assert f"{sign} {task.partition('.')[2]}" in text


@pytest.mark.parametrize("where", ["name", "source", "translation", "written"])
def test_whatever_is_typed_is_text(begun, where):
    kept = {"source": "Ja.", "translation": "Yes."}
    arguments = ("Ada", {**kept, where: HOSTILE}, "") if where in kept else ("Ada", kept, "")
    name, kept, written = {"name": (HOSTILE, kept, ""), "written": ("Ada", kept, HOSTILE)}.get(where, arguments)
    page = read(certificate.page(begun, name, kept, written))
    assert page.find("script") is None
    assert "alert(1)" in page.get_text()
    assert not {"\x1b", "\u202e"} & set(str(page))
    assert "49" not in page.select_one("header" if where == "name" else "blockquote, header").get_text().split()


def test_a_sentence_of_ones_own_model_or_what_is_missing(begun):
    assert "train_translator keeps one when it passes" in certificate.page(begun, "", {})
    kept = {"source": "Der Hund schläft.", "translation": "The dog sleeps."}
    assert quotes(certificate.page(begun, "", kept)) == ["Der Hund schläft.", "The dog sleeps."]
    assert quotes(certificate.page(begun, "", kept, "twenty-one")) == ["twenty-one"]
    assert "train_translator" in certificate.page(begun, "", {"source": 5, "translation": None})  # an edited file


def test_from_a_notebook_and_from_the_command_line(begun, tmp_path, capsys):
    said = autograder.certificate("Ada", tmp_path / "one.html")
    assert str(said).startswith(f"Written: {tmp_path / 'one.html'}.")
    assert cli.main(["certificate", "--name", "Ada", "--out", str(tmp_path / "two.html")]) == 0
    assert (tmp_path / "one.html").read_text("utf-8") == (tmp_path / "two.html").read_text("utf-8")
    assert "does not exist" in str(autograder.certificate("Ada", tmp_path / "no" / "one.html"))
    assert cli.main(["certificate", "--out", str(tmp_path / "no" / "one.html")]) == 2
    assert "does not exist" in capsys.readouterr().err


# --- parts of models ----------------------------------------------------------------------------------------------


def test_the_parts_of_a_model_are_what_it_uses_all_the_way_down():
    parts = parts_of_models()
    assert list(parts) == [*TOP, IN_C]
    assert set(parts["BabyGPT"]) >= {"attention.attention_scores", "masks.causal_mask", "babygpt.Head"}
    assert "babygpt.get_batch" not in parts["BabyGPT"]
    assert set(parts["the Transformer"]) >= {"attention.softmax", "multihead.split_heads", "blocks.LayerNorm"}
    assert set(parts["the Transformer"]) < set(parts["the translator"])
    assert {task.partition(".")[0] for task in parts[IN_C]} == {u.name for u in COMPLETE if u.language == "c"}


def test_progress_says_what_share_of_each_model_is_ones_own(begun):
    said = shown.own_parts(begun)
    own = set(find_unit("attention").task_ids)
    for model, parts in parts_of_models().items():
        assert f"{len(own & set(parts))} of the {len(parts)} parts of {model}" in said
    assert said in begun._repr_html_()
