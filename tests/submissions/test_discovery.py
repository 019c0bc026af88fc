"""Whose a submission is and of which unit, in the folders that learning platforms and people make, and zip files."""

from __future__ import annotations

import io
import json
import os
import stat
import time
import zipfile
from pathlib import Path

import pytest

from autograder.course.addresses import ROOT
from autograder.submissions import files
from autograder.submissions.discovery import discover, one_source
from autograder.submissions.files import UnreadableSubmission, content
from autograder.submissions.names import given, person
from autograder.submissions.notebooks import read

NB = "{}"


def told(*paths: Path, unit: str | None = None) -> list[tuple[str, str]]:
    """Student and unit of all sources without a problem, sorted."""
    return sorted((source.student, source.unit) for source in discover(paths, unit) if not source.problem)


def cells(*sources: str) -> str:
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


BLANK = cells(*(f'def {name}():\n    raise NotImplementedError("x")' for name in ("softmax", "attention_scores")))
HALF = cells("def softmax(x):\n    return x")
WHOLE = cells("def softmax(x):\n    return x", "def attention_scores(q, k):\n    return q")

# --- layouts ------------------------------------------------------------------------------------------

LAYOUTS = {
    "nbgrader": (["c/ada/attention/attention.ipynb", "c/bob/masks/masks.ipynb"], "ada attention, bob masks"),
    "nbgrader's exchange": (
        ["c/ada+attention+2026-10-05 09:30:00 UTC+x1/attention.ipynb",
         "c/ada+attention+2026-10-06 09:30:00 UTC+y/a.ipynb"],
        "ada attention",
    ),
    "unit first": (
        ["c/attention/ada/attention.ipynb", "c/attention/grace/attention.ipynb", "c/masks/ada/masks.ipynb"],
        "ada attention, ada masks, grace attention",
    ),
    "unit first, one learner": (["class/masks/ada/masks.ipynb"], "ada masks"),
    "unit first, one learner in a folder of any name": (["nlp24/masks/ada/masks.ipynb"], "ada masks"),
    "unit first, the unit's folder alone": (["masks/ada/masks.ipynb"], "ada masks"),
    "unit first, in groups": (
        ["c/rot/attention/ada/a.ipynb", "c/rot/attention/bob/a.ipynb", "c/blau/attention/eve/x.ipynb",
         "c/blau/attention/kim/x.ipynb", "c/rot/masks/ada/masks.ipynb"],
        "ada attention, ada masks, bob attention, eve attention, kim attention",
    ),
    "unit first, files": (["class/attention/ada.ipynb"], "ada attention"),
    "folders between": (["c/kim/hw3/submission/attention.ipynb"], "kim attention"),
    "a learner's folder alone": (["kim/hw3/submission/attention.ipynb"], "kim attention"),
    "folders below": (
        ["c/patel/attention/old/attention.ipynb", "c/kim/attention/x.ipynb"], "kim attention, patel attention"
    ),
    "modules in a unit's folder": (
        ["class/attention/attention.ipynb", "class/attention/torch.py", "class/attention/json.py"], "class attention"
    ),
    "Moodle": (
        ["m/Luis García_12345_assignsubmission_file_/attention.ipynb",
         "m/Ada L_12346_assignsubmission_file/masks.ipynb",
         "m/Ada L_12346_assignsubmission_onlinetext_/onlinetext.html"],
        "Ada L masks, Luis García attention",
    ),
    "Moodle, one late submission": (["moodle/masks/Ada L_123456_assignsubmission_file_/homework.ipynb"], "Ada L masks"),
    "Moodle, a folder in it": (["m/Ada L_1_assignsubmission_file_/masks/work/masks.ipynb"], "Ada L masks"),
    "Moodle, without folders": (
        ["m/Ada L_1_assignsubmission_file_masks.ipynb", "m/Bo_2_assignsubmission_file_my masks.ipynb"],
        "Ada L masks, Bo masks",
    ),
    "Moodle, two of one name": (
        ["m/Jan Li_1_assignsubmission_file_/masks.ipynb", "m/Jan Li_2_assignsubmission_file_/masks.ipynb"],
        "Jan Li 1 masks, Jan Li 2 masks",
    ),
    "Canvas": (
        ["canvas/mueller_late_12345_67890_attention-1.ipynb", "canvas/mueller_12345_67890_attention.ipynb",
         "canvas/kim_LATE_22345_67891_masks.ipynb", "canvas/li_32345_67892_my homework attention.ipynb"],
        "kim masks, li attention, mueller attention",
    ),
    "Canvas, in the unit's folder": (["attention/mueller_12345_67890_homework.ipynb"], "mueller attention"),
    "Blackboard": (
        ["bb/hw3_ada_attempt_2026-10-05-09-30-00_attention.ipynb", "bb/hw3_ada_attempt_2026-10-05-09-30-00.txt",
         "bb/hw3_ada_attempt_2026-10-06-09-30-00_attention.ipynb",
         "bb/hw 3_bob_attempt_2026-10-05-09-30-00_masks.ipynb"],
        "ada attention, bob masks",
    ),
    "Blackboard, logins with a _": (
        ["bb/hw3_ada_li_attempt_2026-10-05-09-30-00_masks.ipynb",
         "bb/hw3_bo_li_attempt_2026-10-05-09-30-00_masks.ipynb"],
        "li hw3_ada_li masks, li hw3_bo_li masks",
    ),
    "Brightspace": (
        ["b/12345-678 - Ada Lovelace - Oct 5, 2026 930 AM/attention.ipynb", "b/index.html",
         "b/12345-679 - Ada Lovelace - Oct 5, 2026 1030 AM/attention.ipynb",
         "b/12346-680 - Jean-Luc Roy- 5 October, 2026 9-30 AM/masks.ipynb"],
        "Ada Lovelace attention, Jean-Luc Roy masks",
    ),
    "Sakai": (["s/attention/Lovelace, Ada(ada)/Submission attachment(s)/x.ipynb"], "ada attention"),
    "Teams": (["Student Work/Submitted files/Ada L/HW 3/Version 2/attention.ipynb"], "Ada L attention"),
    "Gradescope without its list": (["g/submission_1/attention.ipynb", "g/submission_2/attention.ipynb"],
                                    "submission_1 attention, submission_2 attention"),
    "GitHub Classroom": (
        ["hw3-submissions/hw3-ada/attention.ipynb", "hw3-submissions/hw3-bob/exercises/attention/attention.ipynb"],
        "ada attention, bob attention",
    ),
    "GitHub Classroom, called like the unit": (["attention-submissions/attention-ada/homework.ipynb"], "ada attention"),
    "numbered groups": (
        ["c/group 1/attention/a.ipynb", "c/group 2/attention/a.ipynb"], "group 1 attention, group 2 attention"
    ),
    "numbers of learners": (["c/4711001/attention/attention.ipynb"], "4711001 attention"),
    "a flat folder": (
        ["inbox/ada_attention_final.ipynb", "inbox/ada_masks (1).ipynb", "inbox/attention - Bob Li.ipynb"],
        "Bob Li attention, ada attention, ada masks",
    ),
    "one section in a folder of its own": (
        ["c/section 1/ada/attention/attention.ipynb", "c/bob/attention/attention.ipynb"],
        "ada attention, bob attention",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("names", "expected"), LAYOUTS.values(), ids=LAYOUTS)
def test_layouts(tmp_path, write, names, expected):
    for name in names:
        write(name, NB)
    found = told(tmp_path / names[0].partition("/")[0])
    assert ", ".join(f"{student} {unit}" for student, unit in found) == expected


@pytest.mark.parametrize(("names", "expected"), LAYOUTS.values(), ids=LAYOUTS)
def test_layouts_in_a_zip_file(tmp_path, names, expected):
    top = names[0].partition("/")[0]
    with zipfile.ZipFile(tmp_path / f"{top}.zip", "w") as archive:
        for name in names:
            archive.writestr(name.removeprefix(f"{top}/"), NB)
            archive.writestr(f"__MACOSX/{name}", "x")
    found = told(tmp_path / f"{top}.zip")
    assert ", ".join(f"{student} {unit}" for student, unit in found) == expected


@pytest.mark.parametrize("pattern", ["class/*", "class/*/attention", "class/*/attention/*.ipynb"])
def test_what_a_pattern_gives_is_understood_as_a_class(tmp_path, write, pattern):
    write("class/alice/attention/attention.ipynb", HALF)
    write("class/mallory/attention/alice/attention/attention.ipynb", WHOLE)
    write("class/mallory/attention/alice.ipynb", WHOLE)
    write("class/kim/attention/my work.ipynb", NB)
    given_paths = sorted(tmp_path.glob(pattern), reverse=True)
    assert told(*given_paths) == [("alice", "attention"), ("kim", "attention"), ("mallory", "attention")]
    assert [source.student for source in discover(given_paths)] == ["mallory", "kim", "alice"]


def test_unit_folders_and_zip_files_side_by_side(tmp_path, write, packed):
    for name in ("attention/ada/a.ipynb", "attention/bob/a.ipynb", "masks/ada/masks.ipynb"):
        write(f"nlp24/{name}", NB)
    assert told(tmp_path / "nlp24" / "attention", tmp_path / "nlp24" / "masks") == [
        ("ada", "attention"),
        ("ada", "masks"),
        ("bob", "attention"),
    ]
    zips = [
        packed("z/ada.zip", {"attention.ipynb": NB}),
        packed("z/mallory.zip", {"ada/attention/attention.ipynb": NB}),
    ]
    assert told(*zips) == [("ada", "attention"), ("mallory", "attention")]


def test_thousands_of_files_given_one_by_one(tmp_path, write):
    paths = [write(f"class/s{number}x/attention/attention.ipynb", NB) for number in range(1000)]
    started = time.process_time()
    assert len(told(*paths)) == 1000
    assert time.process_time() - started < 10


def test_an_export_of_gradescope_says_who_handed_in(tmp_path, write):
    write(
        "export/assignment_1_export/submission_metadata.yml",
        "---\nsubmission_1:\n  :submitters:\n  - :name: Ada L\n    :sid: '17'\n    :email: ada@x.org\n"
        "  - :name: Bo\nsubmission_2:\n  :submitters: 5\n",
    )
    write("export/assignment_1_export/submission_1/attention.ipynb", NB)
    write("export/assignment_1_export/submission_2/attention.ipynb", NB)
    found = discover([tmp_path / "export"])
    assert [(one.student, one.aliases) for one in found] == [
        ("Ada L", ("17", "ada@x.org")),
        ("Bo", ()),
        ("submission_2", ()),
    ]


# --- nobody hands in for another ----------------------------------------------------------------------

OTHERS = "c/alice/attention/attention.ipynb"
CLAIMS = [
    "c/mallory/attention/alice/attention/attention.ipynb",
    "c/mallory/attention/alice/attention.ipynb",
    "c/mallory/alice/attention/attention.ipynb",
    "c/mallory/alice_attention.ipynb",
    "c/mallory/attention/Alice_1_assignsubmission_file_/attention.ipynb",
    "c/mallory/alice_12345_67890_attention.ipynb",
    "c/mallory/attention/hw_alice_attempt_2026-10-05-09-30-00_attention.ipynb",
    "c/mallory/alice+attention+2030-01-01 00:00:00 UTC/attention.ipynb",
    "c/mallory/attention/12345-678 - alice - Oct 5, 2026 930 AM/attention.ipynb",
]


@pytest.mark.parametrize("name", CLAIMS)
def test_what_lies_in_a_learners_folder_is_that_learners(tmp_path, write, name):
    write(OTHERS, WHOLE)
    write(name, WHOLE)
    assert told(tmp_path / "c") == [("alice", "attention"), ("mallory", "attention")]
    write(name.replace("alice", "bob").replace("Alice", "Bob"), WHOLE)  # two together are no class either
    assert told(tmp_path / "c") == [("alice", "attention"), ("mallory", "attention")]


def test_a_learners_folder_alone(tmp_path, write):
    write("mallory/attention/attention.py", "x = 1")
    write("mallory/attention/alice/attention/attention.py", "x = 1")
    assert told(tmp_path / "mallory") == [("mallory", "attention")]


def test_a_learners_zip_file_is_one_learners(tmp_path, write, packed):
    write(OTHERS, WHOLE)
    packed("c/mallory/attention/alice.zip", {"alice/attention/attention.ipynb": WHOLE, "attention.ipynb": BLANK})
    assert told(tmp_path / "c") == [("alice", "attention"), ("mallory", "attention")]
    write("m/Alice_1_assignsubmission_file_/attention.ipynb", WHOLE)
    packed("m/Mallory_2_assignsubmission_file_/x.zip", {"Alice_1_assignsubmission_file_/attention.ipynb": WHOLE})
    assert told(tmp_path / "m") == [("Alice", "attention"), ("Mallory", "attention")]


def test_a_list_of_gradescope_in_a_learners_folder_is_nothing(tmp_path, write):
    write("c/bob/attention/attention.ipynb", WHOLE)
    write("c/mallory/submission_metadata.yml", "submission_1:\n  :submitters:\n  - :name: bob\n")
    write("c/mallory/submission_1/attention.ipynb", WHOLE)
    assert told(tmp_path / "c") == [("bob", "attention"), ("mallory", "attention")]


def test_names_of_several_platforms_in_one_folder(tmp_path, write):
    write(OTHERS, WHOLE)
    for name in (
        "hw_x_attempt_2026-10-05-09-30-00_attention.ipynb",
        "1-2 - x - Oct 5, 2026 930 AM - attention.ipynb",
        "x_12345_67890_attention.ipynb",
        "x_1_assignsubmission_file_attention.ipynb",
        "attention.ipynb",
    ):
        write(f"c/mallory/attention/{name}", WHOLE)
    assert told(tmp_path / "c") == [("alice", "attention"), ("mallory", "attention")]


def test_deep_folders_in_a_zip_file(tmp_path, packed):
    started = time.process_time()
    packed("c/ada/attention/x.zip", {f"{'a/' * 30_000}{number}.ipynb": WHOLE for number in range(10)})
    assert "no notebook" in problems(tmp_path / "c")["ada"]
    assert told(tmp_path / "c" / "ada" / "attention" / "x.zip") == []
    assert time.process_time() - started < 3


def test_thousands_of_files_of_one_learner(tmp_path, write):
    for number in range(2000):
        write(f"c/ada/attention/{number:05}.ipynb", WHOLE)
    write("c/ada/attention/attention.ipynb", WHOLE)
    started = time.process_time()
    source = only(tmp_path / "c")
    assert (source.path.name, len(source.notes[0]) < 2000) == ("attention.ipynb", True)
    assert time.process_time() - started < 5


def test_names_of_any_length_are_read_in_time():
    started = time.process_time()
    for name in ("1-1 - " + "- 2026" * 40, "a_" * 127, "1_" * 10_000, "x_attempt_" * 10_000, "-" * 255):
        given(name)
        person(name)
    assert time.process_time() - started < 2


# --- every file and everybody has a row ----------------------------------------------------------------


def problems(folder: Path, unit: str | None = None) -> dict[str, str]:
    return {source.student: source.problem for source in discover([folder], unit) if source.problem}


def test_a_notebook_whose_unit_cannot_be_told_has_a_row(tmp_path, write):
    write("m/Luis García_12345_assignsubmission_file_/my homework.ipynb", NB)
    write("m/Ada L_12346_assignsubmission_file_/attention.ipynb", NB)
    assert "say it with --unit" in problems(tmp_path / "m")["Luis García"]
    assert told(tmp_path / "m", unit="attention") == [("Ada L", "attention"), ("Luis García", "attention")]


def test_the_check_cells_tell_the_unit_of_a_notebook(tmp_path, write):
    write("m/Luis García_12345_assignsubmission_file_/my homework.ipynb", cells('check("attention.softmax")'))
    (source,) = discover([tmp_path / "m"])
    assert (source.student, source.unit, source.problem) == ("Luis García", "attention", "")
    assert "check cells" in source.notes[0]


def test_modules_beside_a_submission_have_no_row(tmp_path, write):
    write("c/ada/attention.ipynb", NB)
    write("c/ada/model.py", "x = 1")
    write("c/bob/model.py", "x = 1")
    assert told(tmp_path / "c") == [("ada", "attention")]
    assert set(problems(tmp_path / "c")) == {"bob"}


def test_folders_with_nothing_to_grade_have_a_row(tmp_path, write):
    write("c/ada/attention/attention.ipynb", NB)
    write("c/bob/attention/report.pdf", b"%PDF")
    write("c/eve/report.docx", b"PK")
    (tmp_path / "c" / "kim").mkdir()
    (tmp_path / "c" / "figures").mkdir()  # nobody's
    found = problems(tmp_path / "c")
    assert set(found) == {"bob", "eve", "kim"}
    assert "report.pdf" in found["bob"]
    assert "report.docx" in found["eve"]
    assert {source.unit for source in discover([tmp_path / "c"])} == {"attention"}
    write("u/attention/ada/attention.ipynb", NB)
    (tmp_path / "u" / "attention" / "zoe").mkdir()
    assert set(problems(tmp_path / "u")) == {"zoe"}


def test_files_of_another_unit_are_not_of_the_one_asked_for(tmp_path, write):
    write("levels/patel/masks.ipynb", NB)
    write("levels/patel/attention.ipynb", NB)
    write("levels/kim/masks/masks.ipynb", NB)
    assert told(tmp_path / "levels", unit="attention") == [("patel", "attention")]


# --- several files of one learner ----------------------------------------------------------------------


def only(folder: Path):
    (source,) = discover([folder])
    return source


def test_the_notebook_with_the_most_tasks_written_counts(tmp_path, write):
    write("c/dubois/attention/attention.ipynb", BLANK)
    write("c/dubois/attention/attention-copy.ipynb", WHOLE)
    source = only(tmp_path / "c")
    assert source.path.name == "attention-copy.ipynb"
    assert "attention.ipynb (0)" in source.notes[0]
    write("c/dubois/attention/attention.ipynb", HALF)
    assert only(tmp_path / "c").path.name == "attention-copy.ipynb"
    write("c/dubois/attention/attention.ipynb", WHOLE)
    source = only(tmp_path / "c")
    assert (source.path.name, "attention-copy.ipynb (2)" in source.notes[0]) == ("attention.ipynb", True)


def test_the_latest_attempt_counts_and_is_named(tmp_path, write):
    write("canvas/mueller_late_12345_67890_attention-1.ipynb", HALF)
    write("canvas/mueller_12345_67890_attention.ipynb", WHOLE)
    source = only(tmp_path / "canvas")
    assert source.path.name == "mueller_late_12345_67890_attention-1.ipynb"
    assert "not mueller_12345_67890_attention.ipynb" in source.notes[0]
    assert "late" in source.notes[1]
    write("bb/hw3_ada_attempt_2026-10-05-09-30-00_attention.ipynb", WHOLE)
    write("bb/hw3_ada_attempt_2026-10-15-09-30-00_attention.ipynb", HALF)
    assert "2026-10-15" in only(tmp_path / "bb").path.name
    write("d/1-2 - Ada - Oct 5, 2026 930 AM/attention.ipynb", WHOLE)
    write("d/1-1 - Ada - Oct 5, 2026 1230 PM/attention.ipynb", HALF)
    assert "1230 PM" in str(only(tmp_path / "d").path)


@pytest.mark.parametrize("line", ["from model import softmax, attention_scores", "from model import *",
                                  "from model import (softmax,\n    attention_scores)"])  # fmt: skip
def test_a_notebook_counts_with_what_it_imports_from_beside(tmp_path, write, line):
    write("c/ada/attention/homework.ipynb", cells("import torch", line))
    write("c/ada/attention/model.py", "def softmax(x):\n    return x\n\ndef attention_scores(q, k):\n    return q\n")
    source = only(tmp_path / "c")
    assert (source.path.name, source.notes) == ("homework.ipynb", ())
    write("c/ada/attention/homework.ipynb", BLANK)
    assert only(tmp_path / "c").path.name == "model.py"


def test_solutions_in_a_clone_of_the_course_are_nobodys_work(tmp_path, write):
    write("hw3-submissions/hw3-ada/exercises/attention/attention.ipynb", HALF)
    write("hw3-submissions/hw3-ada/solutions/attention.py", "def softmax(x): pass\ndef attention_scores(q, k): pass\n")
    write("hw3-submissions/hw3-ada/autograder/units/attention/alternatives.py", "def softmax(x): pass\n")
    source = only(tmp_path / "hw3-submissions")
    assert (source.student, source.path.name, source.notes) == ("ada", "attention.ipynb", ())


def test_two_files_of_one_attempt(tmp_path, write):
    write("canvas/mueller_12345_67890_attention.ipynb", WHOLE)
    write("canvas/mueller_12345_67891_attention notes.ipynb", BLANK)
    assert only(tmp_path / "canvas").path.name == "mueller_12345_67890_attention.ipynb"


# --- what a file is ------------------------------------------------------------------------------------

NAMES = ["attention.ipynb.json", "attention.ipynb.txt", "attention.IPYNB", "attention.ipynb (1).txt", "attention.json",
         "attention.txt", "attention", "Attention (2).Ipynb", "attention.py"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_under_any_ending(tmp_path, write, name):
    path = write(f"c/safari/attention/{name}", WHOLE)
    assert told(tmp_path / "c") == [("safari", "attention")]
    assert len(read(path).cells) == 2
    source = one_source(path)
    assert (source.unit, source.problem) == ("attention", "")


@pytest.mark.parametrize("name", ["attention.PY", "attention.py.txt"])
def test_code_under_any_ending(tmp_path, write, name):
    path = write(f"c/safari/attention/{name}", "def softmax(x):\n    return x")
    assert told(tmp_path / "c") == [("safari", "attention")]
    assert read(path).cells == ["def softmax(x):\n    return x\n"]


def test_what_is_no_submission_is_left_alone(tmp_path, write):
    write("c/ada/attention/attention.ipynb", NB)
    for name in ("data.json", "notes.txt", "README", "attention.html", "attention.ipynb.html"):
        write(f"c/ada/attention/{name}", '{"x": 1}')
    assert told(tmp_path / "c") == [("ada", "attention")]
    assert len(discover([tmp_path / "c"])) == 1


# --- zip files -----------------------------------------------------------------------------------------


@pytest.fixture
def packed(tmp_path):
    """Writes a zip file with this in it; values may be bytes, text or (ZipInfo's attributes, text)."""

    def put(name: str, inside: dict, compression: int = zipfile.ZIP_DEFLATED) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w", compression) as archive:
            for member, value in inside.items():
                archive.writestr(member, value)
        return path

    return put


@pytest.mark.parametrize(
    "inside", ["attention.ipynb", "my work/attention.ipynb", "homework.ipynb", "a/b/attention.IPYNB"]
)
def test_a_learners_zip_file(tmp_path, packed, inside):
    path = packed("c/ada/attention/homework.zip", {inside: WHOLE, "__MACOSX/._attention.ipynb": "x", "plot.png": "x"})
    (source,) = discover([tmp_path / "c"])
    assert (source.student, source.unit, source.problem) == ("ada", "attention", "")
    assert source.path == path / inside
    assert len(read(source.path).cells) == 2
    assert one_source(path, "attention").problem == ""


def test_zip_files_by_name(tmp_path, packed):
    packed("inbox/ada_attention.zip", {"x.ipynb": WHOLE})
    packed("inbox/mueller_12345_67890_homework.ZIP", {"attention/x.ipynb": WHOLE, "masks.ipynb": NB})
    assert told(tmp_path / "inbox") == [("ada", "attention"), ("mueller", "attention"), ("mueller", "masks")]


def linked(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info


def test_zip_files_that_cannot_be_graded_say_so(tmp_path, write, packed):
    write("c/a/attention/x.zip", b"PK\3\4 nonsense")
    write("c/b/attention/x.zip", b"<html>")
    packed("c/c/attention/x.zip", {"report.pdf": b"%PDF"})
    packed("c/d/attention/x.zip", {"inner.zip": b"PK\3\4"})
    packed("c/e/attention/x.zip", {f"{number}.ipynb": NB for number in range(files.MAX_PACKED + 1)})
    packed("c/f/attention/x.zip", {})
    found = problems(tmp_path / "c")
    assert set(found) == set("abcdef")
    assert "damaged" in found["a"]
    assert "damaged" in found["b"]
    assert "no notebook" in found["c"]
    assert "zip file in the zip file" in found["d"]
    assert "at most" in found["e"]
    assert "no notebook" in found["f"]


def unreadable(path: Path) -> str:
    with pytest.raises(UnreadableSubmission) as caught:
        content(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_a_zip_file_must_not_do(tmp_path, write, packed):
    write("secret.ipynb", WHOLE)
    climbing = packed("c/a.zip", {"../secret.ipynb": BLANK, "/etc/attention.ipynb": HALF, "..\\x.ipynb": BLANK})
    assert [source.path.name for source in discover([climbing])] == ["attention.ipynb"]
    assert b"softmax" in content(climbing / "etc" / "attention.ipynb")
    assert "not there" in unreadable(climbing / "secret.ipynb")
    link = packed("c/b.zip", {linked("attention.ipynb"): "../secret.ipynb"})
    assert "symbolic link" in unreadable(link / "attention.ipynb")
    bomb = packed("c/bomb.zip", {"attention.ipynb": bytes(64 * 2**20)})
    assert bomb.stat().st_size < 2**17
    assert "would unpack" in unreadable(bomb / "attention.ipynb")
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):  # of which the library unpacks without a limit
        path = packed(f"c/{method}.zip", {"attention.ipynb": bytes(2**20)}, method)
        assert "another program" in unreadable(path / "attention.ipynb")
    locked = bytearray(packed("c/locked.zip", {"attention.ipynb": WHOLE}).read_bytes())
    locked[locked.find(b"PK\1\2") + 8] |= 1
    assert "password" in unreadable(write("c/locked.zip", bytes(locked)) / "attention.ipynb")
    damaged = bytearray(packed("c/damaged.zip", {"attention.ipynb": WHOLE}).read_bytes())
    damaged[60:70] = bytes(10)
    assert "damaged" in unreadable(write("c/damaged.zip", bytes(damaged)) / "attention.ipynb")
    os.symlink(climbing, tmp_path / "c" / "link.zip")
    assert "symbolic link" in unreadable(tmp_path / "c" / "link.zip" / "etc" / "attention.ipynb")


def test_the_size_that_a_zip_file_declares_is_a_limit(write, packed):
    """A file in it that is longer than the table of contents says."""
    data = bytearray(packed("a.zip", {"attention.ipynb": bytes(64 * 2**20)}).read_bytes())
    at = data.find(b"PK\1\2")
    data[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    assert "damaged" in unreadable(write("a.zip", bytes(data)) / "attention.ipynb")


def test_a_table_of_contents_without_end(tmp_path, write):
    """Reading it would take gigabytes: it is looked at before it is read."""
    with io.BytesIO() as stream:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            for number in range(60_000):
                archive.writestr(f"{number:040}.txt", b"")
        data = stream.getvalue()
    write("c/ada/attention/x.zip", data)
    assert "too many files" in problems(tmp_path / "c")["ada"]


def test_a_zip_file_under_another_name(write, packed):
    data = packed("a.zip", {"attention.ipynb": WHOLE}).read_bytes()
    with pytest.raises(UnreadableSubmission, match="is a zip file"):
        read(write("attention.ipynb", data))
    assert len(read(write("b.zip", WHOLE)).cells) == 2


@pytest.mark.parametrize(
    "students",
    [
        ("student0", "student1", "student10"),
        ("student-000",),
        ("student-000", "ada"),
        ("s123456", "s123457"),
        ("group1", "Gruppe 2"),
        ("team_a", "team_b"),
        ("01", "02"),
        ("1", "ada"),
        ("a", "b"),
        ("week", "test", "final"),
        ("李", "王"),
    ],
    ids=", ".join,
)
@pytest.mark.parametrize("file", ["attention.py", "homework.ipynb", "my_attention_final_v2.py"])
def test_in_the_usual_layout_any_name_is_a_student(tmp_path, write, notebook, students, file):
    """``STUDENT/UNIT/file``: people without names, too; none of them may swallow the others."""
    for student in students:
        write(f"class/{student}/attention/{file}", "x = 1" if file.endswith(".py") else notebook("x = 1"))
    found = discover([tmp_path / "class"])
    assert sorted(source.student for source in found) == sorted(students)
    assert {source.problem for source in found} == {""}


# --- notebooks in which nothing is graded ---------------------------------------------------------------

GPU = (ROOT / "exercises" / "translation" / "translation_gpu.ipynb").read_text(encoding="utf-8")
STEP = cells("def evaluate(model, pairs, *others):\n    return None")
BESIDE = {
    "in the learner's folder": ("class/ada", "translation.ipynb", "translation_gpu.ipynb"),
    "as nbgrader has it": ("class/ada/translation", "translation.ipynb", "translation_gpu.ipynb"),
    "in a clone of the course": ("class/hw-ada/exercises/translation", "translation.ipynb", "translation_gpu.ipynb"),
    "downloaded twice": ("class/ada", "translation (1).ipynb", "Translation_GPU (1).ipynb"),
    "uploaded to Canvas": ("class", "ada_12345_67890_translation.ipynb", "ada_12345_67891_translation_gpu.ipynb"),
}


@pytest.mark.parametrize("packed_up", [False, True], ids=["files", "zip"])
@pytest.mark.parametrize(("folder", "handed_in", "companion"), BESIDE.values(), ids=BESIDE)
def test_a_companion_beside_the_submission_is_none(tmp_path, write, folder, handed_in, companion, packed_up):
    """The submission is what it would be alone: no other student, no other file, no note."""

    def found(names):
        if not packed_up:
            for name in names:
                write(f"{folder}/{name}", GPU if name == companion else STEP)
            return discover([tmp_path / "class"])
        with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
            for name in names:
                archive.writestr(f"{folder}/{name}".removeprefix("class/"), GPU if name == companion else STEP)
        return discover([tmp_path / "class.zip"])

    alone = found([handed_in])
    assert [(one.unit, one.path.name, one.problem, one.notes) for one in alone] == [("translation", handed_in, "", ())]
    assert found([handed_in, companion]) == alone


def test_a_companion_in_a_learners_own_zip_file_is_none(tmp_path, packed):
    packed("class/ada.zip", {"translation/translation.ipynb": STEP, "translation/translation_gpu.ipynb": GPU})
    packed("class/bob.zip", {"translation/translation_gpu.ipynb": GPU})
    ada, bob = discover([tmp_path / "class"])
    assert (ada.student, ada.path.name, ada.problem, ada.notes) == ("ada", "translation.ipynb", "", ())
    assert bob.problem.startswith("bob.zip holds no notebook")


def test_a_companion_alone_is_nothing_handed_in(tmp_path, write):
    path = write("class/ada/translation/translation_gpu.ipynb", GPU)
    write("class/bob/translation/translation.ipynb", STEP)
    ada, bob = sorted(discover([tmp_path / "class"]), key=lambda source: source.student)
    assert ada.problem == (
        f"Nothing was submitted: there is no notebook in {path.parent} (translation_gpu.ipynb cannot be graded)."
    )
    assert bob.problem == ""
    assert one_source(path).problem == "Nothing in translation_gpu.ipynb is graded: hand in translation.ipynb."


def test_tasks_that_were_written_into_a_companion_count(tmp_path, write):
    path = write("class/ada/translation/translation_gpu.ipynb", STEP)
    (source,) = discover([tmp_path / "class"])
    assert (source.path, source.problem) == (path, "")
    assert one_source(path).problem == ""
