"""Progress: the picture, the terminal, and taking it to another machine."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from autograder import cli
from autograder.course.registry import COMPLETE, UNITS
from autograder.judging.results import number
from autograder.judging.runner import max_points
from autograder.notebook import progress, store
from autograder.reports import course_map
from autograder.reports import progress as shown

FIRST, SECOND, THIRD = COMPLETE[:3]


def worth(task: str) -> float:
    return number(max_points(task))


@pytest.fixture
def begun(state_file: Path) -> progress.Progress:
    """The first unit is passed, the third begun."""
    store.remember_points({task: worth(task) for task in FIRST.task_ids} | {THIRD.task_ids[0]: 1.0})
    return progress.load()


def svg(markup: str) -> BeautifulSoup:
    found = BeautifulSoup(markup, "html.parser").find("svg")
    assert found is not None
    return found


def test_each_unit_is_passed_next_partly_open_or_planned(begun):
    kinds = {found.unit.name: begun.kind(found) for found in begun.units}
    assert [kinds[unit.name] for unit in (FIRST, SECOND, THIRD)] == ["passed", "next", "partly"]
    assert {kinds[unit.name] for unit in COMPLETE[3:]} == {"open"}
    assert {kinds[unit.name] for unit in UNITS if not unit.complete} <= {"planned"}
    assert begun.next_task == SECOND.task_ids[0]


def test_next_is_the_first_task_that_is_not_whole(state_file):
    store.remember_points({FIRST.task_ids[0]: worth(FIRST.task_ids[0]) - 1})
    assert progress.load().next_task == FIRST.task_ids[0]


def test_when_all_is_done_nothing_comes_next(state_file):
    store.remember_points({task: 1e9 for unit in COMPLETE for task in unit.task_ids})
    found = progress.load()
    assert (found.next_unit, found.points) == (None, found.max_points)
    assert "Nothing is left" in found._repr_html_()


def test_the_picture_says_everything_in_words(begun):
    picture = svg(begun._repr_html_())
    boxes = picture.select(".unit")
    heads = [box.select_one(".head").get_text() for box in boxes]
    assert len(boxes) == len(UNITS)
    assert [re.search(r"passed|next|points|planned", head) is not None for head in heads] == [True] * len(UNITS)
    assert "passed" in heads[FIRST.number - 1]
    assert "next" in heads[SECOND.number - 1]
    assert f"1 of {sum(map(worth, THIRD.task_ids)):g} points" in heads[THIRD.number - 1]
    for unit, head in zip(UNITS, heads):
        assert f"{unit.title} ({head.partition(' · ')[2]})" in picture["aria-label"]


def test_states_differ_by_more_than_colour():
    frames = {
        kind: re.sub(r"#\w+|currentColor", "colour", frame)
        for kind, (frame, _) in course_map.LOOKS.items()
        if kind != "ready"
    }
    symbols = [look[0] for look in shown.LOOKS.values()]
    assert len(set(frames.values())) == len(frames)
    assert len(set(symbols)) == len(symbols)


def test_the_table_holds_every_task(begun):
    rows = BeautifulSoup(begun._repr_html_(), "html.parser").select("tbody tr")
    assert len(rows) == sum(1 + len(unit.names) for unit in COMPLETE)
    first = next(row for row in rows if row.find("td").get_text() == THIRD.names[0])
    assert f"1 / {worth(THIRD.task_ids[0]):g}" in first.get_text()
    assert "partly passed" in first.get_text()


def test_a_fragment_loads_nothing_and_runs_nothing(begun):
    for html in (begun._repr_html_(), shown.page(begun)):
        assert not re.search(r"<script|<link|<img|\bon\w+=|url\(", html)


def test_pictures_differ_in_width_only(begun):
    wide, narrow = BeautifulSoup(shown.page(begun), "html.parser").select("svg")
    assert wide["aria-label"] == narrow["aria-label"]
    assert int(wide["viewbox"].split()[2]) > 2 * int(narrow["viewbox"].split()[2])


@pytest.fixture
def run(capsys):
    def call(*arguments: object) -> tuple[int, str, str]:
        code = cli.main(["progress", *map(str, arguments)])
        return (code, *capsys.readouterr())

    return call


def test_the_command_writes_a_page_and_an_export(begun, run, tmp_path):
    html, export = tmp_path / "progress.html", tmp_path / "progress.json"
    code, output, errors = run("--html", html, "--export", export)
    assert (code, errors) == (0, "")
    assert f"{sum(map(worth, FIRST.task_ids)):g} points, passed" in output
    assert f"Next: {SECOND.task_ids[0]}" in output
    assert html.read_text().startswith("<!doctype html>")
    assert json.loads(export.read_text())["points"][THIRD.task_ids[0]] == 1.0


def test_an_export_is_taken_over_elsewhere_and_the_better_result_counts(begun, run, tmp_path, monkeypatch):
    export = tmp_path / "progress.json"
    store.update("hints", {SECOND.task_ids[0]: 2})
    run("--export", export)
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "elsewhere" / "progress.json"))
    store.remember_points({THIRD.task_ids[0]: 2.0, THIRD.task_ids[1]: 1.0})
    code, output, _ = run("--import", export)
    assert (code, f"{len(FIRST.task_ids) + 1} tasks" in output) == (0, True)
    points = store.section("points")
    assert (points[THIRD.task_ids[0]], points[THIRD.task_ids[1]]) == (2.0, 1.0)
    assert progress.load().units[FIRST.number - 1].passed
    assert store.section("hints")[SECOND.task_ids[0]] == 2


SPOILED = {
    "nothing": "",
    "no JSON": "points",
    "a list": "[]",
    "another file": '{"points": {}}',
    "deep": "[" * 100_000,
    "a later schema": '{"course": "transformer-workbook", "schema": 2, "points": {}}',
    "not text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("content", SPOILED.values(), ids=SPOILED.keys())
def test_what_is_no_export_is_refused_in_a_sentence(begun, run, write, content):
    before = store.load()
    code, output, errors = run("--import", write("progress.json", content))
    assert (code, output) == (2, "")
    assert errors.startswith("autograder: ")
    assert errors.count("\n") == 1
    assert store.load() == before


def test_values_that_cannot_be_true_are_cut_or_left_out(state_file, run, write):
    task, other = FIRST.task_ids[:2]
    values = {"points": {task: 1e6, other: "all", "no.task": 3}, "hints": {task: -1, other: True}}
    export = write("progress.json", json.dumps({"course": "transformer-workbook", "schema": 1} | values))
    assert run("--import", export)[0] == 0
    assert store.section("points") == {task: worth(task), other: 0.0}
    assert store.section("hints") == {}


@pytest.mark.parametrize("option", ["--html", "--export", "--import"])
def test_a_file_that_cannot_be_used_is_one_sentence(run, tmp_path, option):
    code, _, errors = run(option, tmp_path / "nowhere" / "file")
    assert code == 2
    assert errors.startswith("autograder: ")
    assert errors.count("\n") == 1


def test_the_map_needs_every_unit_once():
    boxes = [course_map.Box(unit, "open", "open") for unit in UNITS]
    with pytest.raises(ValueError, match="each once and in its order"):
        course_map.in_stages(boxes[:-1])
