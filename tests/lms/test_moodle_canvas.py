"""A class of four goes from Moodle's and Canvas's download through the grader and back into their imports.

The importers here do what the platforms' own code does: they find a learner by number, never by name.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import nbformat
import pytest
from sandboxed import Borrowed

from autograder import cli
from autograder.course.registry import find_unit
from autograder.grading import engine
from autograder.judging.runner import max_points
from autograder.sandbox import launch

UNIT = "attention"
FULL = float(sum(map(max_points, find_unit(UNIT).task_ids)))
WRONG = "\n\ndef softmax(x, dim=-1):\n    return x.exp() / x.exp().sum(dim, keepdim=True)\n"
WORKSHEET = (
    '\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",'
    '"Last modified (submission)","Last modified (grade)","Feedback comments"\r\n'
    '"Participant 11","Zoë O_Neil",zoe@x.org,"Submitted for grading",,100.00,Yes,"Monday, 5 October 2026",-,\r\n'
    '"Participant 12","Jan Li",jan1@x.org,"Submitted for grading - 1 day late",,100.00,Yes,"Tuesday, 6 October",-,\r\n'
    '"Participant 13","Jan Li",jan2@x.org,"Submitted for grading",,100.00,Yes,"Monday, 5 October 2026",-,"See me"\r\n'
    '"Participant 14","Max, the ""Late""",max@x.org,"No submission",41.00,100.00,Yes,-,"Sunday, 4 October 2026",\r\n'
)
GRADEBOOK = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (70),attention (71),Current Score\r\n"
    ",,,,,Manual Posting,,\r\n"
    f"    Points Possible,,,,,10,{FULL:g},(read only)\r\n"
    '"Müller, Zoë",101,u1,zoe,NLP,9.5,,95\r\n'
    '"o_neil, Ann",102,u2,ann,NLP,8,3,80\r\n'
    '"Li, Jan",103,u3,jan,NLP,7,,70\r\n'
    '"Late, Max",104,u4,max,NLP,6,5,60\r\n'
    '"Student, Test",105,,f00,NLP,,,\r\n'
)


@pytest.fixture
def _one_server(server, monkeypatch):
    monkeypatch.setattr(engine, "ForkServer", lambda *_, **__: Borrowed(server))
    monkeypatch.setattr(launch, "prestart", lambda *_, **__: None)


@pytest.fixture
def grade(write, tmp_path, capsys):
    """Grades zip files, given by name and content, with a table of grades: exit code, what was said, and points."""

    def run(table: str | bytes, *options: str, **downloads: dict[str, str | bytes] | bytes):
        paths = [
            write(f"{name}.zip", data if isinstance(data, bytes) else zipped(data)) for name, data in downloads.items()
        ]
        report = tmp_path / "report.json"
        capsys.readouterr()
        command = ["grade", *paths, "--unit", UNIT, "--unsafe", "--json", report]
        command += ["--return", write("table.csv", table), tmp_path / "back", *options]
        code = cli.main(list(map(str, command)))
        said = capsys.readouterr()
        assert "Traceback" not in said.err + said.out
        graded = json.loads(report.read_text("utf-8"))["submissions"] if report.exists() else []
        return code, said.err, {entry["path"].rpartition(".zip/")[2]: entry["points"] for entry in graded}

    return run


def zipped(files: dict[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def unzipped(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def into_moodle(folder: Path, participants: set[int]) -> tuple[dict[int, str], dict[int, dict[str, str]]]:
    """Grades and feedback files by participant, as `importgradeslib.php` and `importziplib.php` find them."""
    rows = list(csv.DictReader(io.StringIO((folder / "grades.csv").read_text("utf-8-sig"), newline="")))
    assert {"Identifier", "Grade", "Last modified (grade)"} <= rows[0].keys()
    grades = {int(row["Identifier"][len("Participant ") :]): row["Grade"] for row in rows}
    files: dict[int, dict[str, str]] = {}
    for name, data in unzipped(folder / "feedback.zip").items():
        parts = name.split("/")
        while parts:
            about = parts.pop(0).split("_", 4)
            if len(about) >= 4 and about[1].isdigit() and int(about[1]) in participants:
                assert about[2:4] == ["assignsubmission", "file"]
                rest = "/".join([*about[4:], *parts]).lstrip("/")
                files.setdefault(int(about[1]), {})[rest] = data.decode()
                break
        else:
            raise AssertionError(f"Moodle ignores {name}")
    return grades, files


def into_canvas(folder: Path, uploads: dict[str, str]) -> tuple[dict[str, str], dict[str, tuple[str, bytes]]]:
    """Grades by ID and feedback by learner, as `gradebook_importer.rb` and `abstract_assignment.rb` find them.

    ``uploads``: whose each uploaded file is, of the attempt that counts.
    """
    rows = list(csv.reader(io.StringIO((folder / "grades.csv").read_text("utf-8"), newline="")))
    header, posting, possible, *students = rows
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "attention (71)"]
    assert not any(posting)
    assert (possible[0].strip(), possible[5]) == ("Points Possible", f"{FULL:g}")
    files = {}
    for name, data in unzipped(folder / "feedback.zip").items():
        user, upload = [part for part in name.split("_") if part != "LATE" and part.isdigit()][:2]
        assert uploads[upload] == user, f"Canvas ignores {name}"
        files[user] = (name.rpartition(f"_{upload}_")[2], data)
    return {row[1]: row[5] for row in students}, files


@pytest.fixture(scope="module")
def right(notebook, solution_cells) -> str:
    return notebook(*solution_cells(UNIT))


@pytest.fixture(scope="module")
def wrong(notebook, solution_cells) -> str:
    return notebook(*solution_cells(UNIT), WRONG)


@pytest.mark.usefixtures("_one_server")
def test_moodle(grade, right, wrong, tmp_path):
    download = {
        "Zoë O Neil_11_assignsubmission_file_/my_attention_2.ipynb": right,
        "Zoë O Neil_11_assignsubmission_file_/Jan Li_12_assignsubmission_file_.ipynb": "no notebook",
        "Jan Li_12_assignsubmission_file_/attention.ipynb": right,  # the late attempt has replaced the first one
        "Jan Li_13_assignsubmission_file_/attention.ipynb": wrong,
    }
    code, said, points = grade(WORKSHEET, class_=download)
    assert code == 1, said
    assert f"attention is worth {FULL:g} points here and 100 in Moodle, so grades are scaled." in said
    assert 'without a grade, and left as they are in the table: Participant 14, Max, the "Late".' in said

    grades, files = into_moodle(tmp_path / "back", {11, 12, 13, 14})
    part = points["Jan Li_13_assignsubmission_file_/attention.ipynb"]
    assert 0 < part < FULL
    assert {11: grades[11], 12: grades[12], 14: grades[14]} == {11: "100", 12: "100", 14: "41.00"}
    assert float(grades[13]) == pytest.approx(100 * part / FULL, abs=0.005)
    assert files.keys() == {11, 12, 13}
    assert all(page.keys() == {"attention-feedback.html"} for page in files.values())
    page = files[13]["attention-feedback.html"]
    assert "attention.softmax" in page
    assert "overflow" in page.lower()  # the diagnosis
    assert f"{FULL:g}" in files[12]["attention-feedback.html"]

    rows = list(csv.reader(io.StringIO((tmp_path / "back" / "grades.csv").read_text("utf-8-sig"), newline="")))
    before = list(csv.reader(io.StringIO(WORKSHEET.removeprefix("\ufeff"), newline="")))
    assert [row[:4] + row[5:] for row in rows] == [row[:4] + row[5:] for row in before]  # nothing else has changed


@pytest.mark.usefixtures("_one_server")
def test_canvas(grade, right, wrong, solution_cells, tmp_path):
    code = "\n\n\n".join(solution_cells(UNIT))
    first = {"müllerzoë_101_9001_attention.ipynb": right, "o_neilann_102_9002_attention.ipynb": right}
    second = {
        "müllerzoë_101_9001_attention.ipynb": right,
        "o_neilann_LATE_102_9005_attention-1.ipynb": wrong,
        "lijan_103_9003_my_7_homework.py": code,
    }
    done, said, points = grade(GRADEBOOK, first=first, second=second)
    assert done == 1, said
    assert "scaled" not in said
    assert "left as they are in the table: Late, Max." in said

    uploads = {"9001": "101", "9005": "102", "9003": "103"}
    grades, files = into_canvas(tmp_path / "back", uploads)
    part = points["o_neilann_LATE_102_9005_attention-1.ipynb"]
    assert 0 < part < FULL
    assert float(grades.pop("102")) == pytest.approx(part, abs=0.005)  # the late attempt, which is the last
    assert grades == {"101": f"{FULL:g}", "103": f"{FULL:g}", "104": "5", "105": ""}
    assert {user: name for user, (name, _) in files.items()} == {
        "101": "attention.ipynb",
        "102": "attention-1.ipynb",
        "103": "my_7_homework.py",
    }
    book = nbformat.reads(files["102"][1].decode(), as_version=4)
    nbformat.validate(book)
    assert "attention.softmax" in book.cells[0].source
    assert "overflow" in book.cells[0].source.lower()
    lines = files["103"][1].decode().splitlines()
    assert lines[0] == f"# # attention: {FULL:g} of {FULL:g} points"
    assert all(line.startswith("#") for line in lines)


BROKEN = {
    "no identifiers": (
        WORKSHEET.replace("Participant ", ""),
        (),
        "neither Moodle's grading worksheet, whose first column, Identifier, holds a number for each learner",
    ),
    "no assignment": (GRADEBOOK.replace("attention (71)", "Project (72)"), (), "has no column attention: name the"),
    "that column neither": (GRADEBOOK, ("--column", "Project"), "(there are Homework 1 (70), attention (71))"),
    "a scale": (WORKSHEET.replace("100.00", "good"), (), "choose points as the type of its grade"),
    "no grades": (WORKSHEET.replace("Grade,", "Bewertung,"), (), "has no column Grade: name the one for the grades"),
    "a spreadsheet": (b"PK\3\4", (), "save the table of grades as CSV"),
    "empty": ("", (), "neither Moodle's grading worksheet"),
    "no CSV": (WORKSHEET + '"', (), "is no CSV file"),
}


@pytest.mark.parametrize(("table", "options", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_table_that_cannot_be_filled_in_is_one_sentence_before_anything_is_graded(
    grade, tmp_path, table, options, sentence
):
    code, said, _ = grade(table, *options, class_={"Jan Li_12_assignsubmission_file_/attention.ipynb": "{}"})
    assert code == 2
    assert sentence in said
    assert not (tmp_path / "back").exists()
    assert not (tmp_path / "report.json").exists()


@pytest.mark.usefixtures("_one_server")
def test_a_worksheet_in_another_language(grade, tmp_path):
    german = WORKSHEET.replace("Identifier", "ID").replace("Participant ", "Teilnehmer/in")
    german = german.replace("Grade,", "Bewertung,", 1).replace("100.00", '"100,00"')
    download = {"Jan Li_12_assignsubmission_file/attention.py": "x = 1"}  # as of Moodle 4.1, with no _ at the end
    grade(german, "--column", "Bewertung", class_=download)
    rows = list(csv.reader(io.StringIO((tmp_path / "back" / "grades.csv").read_text("utf-8-sig"), newline="")))
    assert [row[4] for row in rows] == ["Bewertung", "", "0", "", "41.00"]


def test_a_download_that_is_no_zip_file_and_a_folder_that_is_not_empty(grade, tmp_path, write):
    code, said, _ = grade(WORKSHEET, class_=b"PK\3\4 half a download")
    assert (code, (tmp_path / "back").exists()) == (1, False)
    assert "nothing was graded, so" in said
    kept = write("back/grades.csv", "mine")
    code, said, _ = grade(WORKSHEET, class_={"Jan Li_12_assignsubmission_file_/attention.ipynb": "{}"})
    assert (code, kept.read_text()) == (2, "mine")
    assert "is no empty folder" in said


@pytest.mark.usefixtures("_one_server")
def test_who_is_not_in_the_table_is_named(grade, tmp_path):
    download = {"Jan Li_12_assignsubmission_file_/attention.py": "x = 1", "ada/attention/attention.py": "x = 1"}
    code, said, _ = grade(WORKSHEET, class_=download)
    assert code == 1, said
    assert "graded, but not in the table: ada." in said
    assert into_moodle(tmp_path / "back", {12})[1].keys() == {12}


@pytest.mark.usefixtures("_one_server")
def test_the_table_of_another_course(grade, tmp_path):
    code, said, points = grade(GRADEBOOK, class_={"Jan Li_12_assignsubmission_file_/attention.py": "x = 1"})
    assert (code, list(points.values())) == (2, [0])
    assert "none of the learners who were graded" in said
    assert not (tmp_path / "back").exists()
