"""The list of a class, in the forms in which people and platforms write it, and who is found on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.submissions.discovery import Source, discover
from autograder.submissions.roster import BadRoster, match, read_roster

OWN = "student,name\nada,Ada Lovelace\nbob,\n"
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,hw1 (9)\n"
    "    Points Possible,,,,,23\n"
    '"Lovelace, Ada",12345,u1,ada,NLP,\n'
    '"Müller, Jan",12346,u2,jmueller,NLP,\n'
    '"Student, Test",1,,,NLP,\n'
)
MOODLE = (
    '\ufeff"First name","Last name","ID number","Email address"\nLuis,García,,luis@x.org\nAda,Lovelace,17,ada@x.org\n'
)
MOODLE_GRADES = (
    "Identifier;Full name;Email address;Status\n"
    "Participant 11;Jan Li;jan1@x.org;-\n"
    "Participant 12;Jan Li;jan2@x.org;-\n"
)


def students(write, text: str | bytes) -> list[str]:
    return [learner.student for learner in read_roster(write("roster.csv", text))]


FORMS = {
    "student": (OWN, ["ada", "bob"]),
    "id, and nothing else": ("id\n17\n18\n", ["17", "18"]),
    "login": ("Name;Login\nAda Lovelace;ada\n", ["ada"]),
    "tabs": ("login\tname\nada\tAda Lovelace\n", ["ada"]),
    "Canvas": (CANVAS, ["ada", "jmueller"]),
    "Moodle": (MOODLE, ["luis@x.org", "17"]),
    "Moodle's worksheet": (MOODLE_GRADES, ["jan1@x.org", "jan2@x.org"]),
    "names alone": ("First name,Last name\nAda,Lovelace\n", ["Ada Lovelace"]),
    "UTF-16": (OWN.encode("utf-16"), ["ada", "bob"]),
    "Latin-1": ("student\nzoë\n".encode("latin-1"), ["zoë"]),
    "twice, and empty lines": ("student,name\r\nada,\r\n,\r\n\r\nada,\r\n", ["ada"]),
}


@pytest.mark.parametrize(("text", "expected"), FORMS.values(), ids=FORMS)
def test_forms(write, text, expected):
    assert students(write, text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "names nobody"), ("ada\nbob\n", "names nobody"), ("student\n", "names nobody"), (b"PK\3\4", "save it as CSV"),
     ("student\n" + "x" * 200_000, "no CSV file")],
)  # fmt: skip
def test_what_is_no_roster(write, text, said):
    with pytest.raises(BadRoster, match=said):
        students(write, text)
    with pytest.raises(BadRoster, match="not a regular file"):
        read_roster(Path("nowhere.csv"))


def matched(
    write, roster: str, names: list[str], unit: str | None = None
) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Student, unit and problem of all that becomes a row, and the strangers."""
    for name in names:
        write(f"class/{name}", "{}")
    path = write("roster.csv", roster)
    found, strangers = match(discover([path.parent / "class"], unit), read_roster(path), path, unit)
    return [(source.student, source.unit, source.problem) for source in found], strangers


def nothing(student: str, unit: str) -> tuple[str, str, str]:
    return student, unit, f"{student} is on the roster and handed in nothing for {unit}."


def test_who_handed_in_nothing_has_a_row(write):
    names = ["ada/attention/attention.ipynb", "ada/masks/masks.ipynb", "eve/attention/attention.ipynb"]
    rows, strangers = matched(write, OWN, names)
    assert rows == [
        ("ada", "attention", ""),
        ("ada", "masks", ""),
        ("eve", "attention", ""),
        nothing("bob", "attention"),
        nothing("bob", "masks"),
    ]
    assert strangers == ["eve"]


def test_canvas_is_matched_by_its_numbers(write):
    names = ["lovelaceada_12345_900_attention.ipynb", "whoever_LATE_12346_901_attention.ipynb"]
    rows, strangers = matched(write, CANVAS, names)
    assert (rows, strangers) == ([("ada", "attention", ""), ("jmueller", "attention", "")], [])


def test_moodle_is_matched_by_names(write):
    rows, strangers = matched(write, MOODLE, ["Luis García_5_assignsubmission_file_/attention.ipynb"])
    assert (rows, strangers) == ([("luis@x.org", "attention", ""), nothing("17", "attention")], [])


def test_blackboard_is_matched_by_logins_with_a_line_in_them(write):
    names = [f"hw 3_{login}_attempt_2026-10-05-09-30-00_masks.ipynb" for login in ("ada_li", "bo_li")]
    rows, strangers = matched(write, "login\nada_li\nbo_li\n", names)
    assert (rows, strangers) == ([("ada_li", "masks", ""), ("bo_li", "masks", "")], [])


def test_two_of_one_name_are_told_apart_by_number(write):
    names = [f"Jan Li_{number}_assignsubmission_file_/attention.ipynb" for number in (11, 12)]
    rows, _ = matched(write, MOODLE_GRADES, names)
    assert rows == [("jan1@x.org", "attention", ""), ("jan2@x.org", "attention", "")]


@pytest.mark.parametrize(
    "folder", ["Ada Lovelace", "Lovelace, Ada", "ada_lovelace", "lovelaceada", "ADA", "Ada-Lovelace", "ada@x.org"]
)
def test_spellings_of_a_name(write, folder):
    rows, strangers = matched(
        write, 'login,name,email\nada,"Lovelace, Ada",ada@x.org\n', [f"{folder}/attention/attention.ipynb"]
    )
    assert (rows, strangers) == ([("ada", "attention", "")], [])


@pytest.mark.parametrize("folder", ["Zoë Müller", "Zoe Mueller", "zoe_muller", "Zoe\u0308 Mu\u0308ller"])
def test_accents(write, folder):
    rows, strangers = matched(write, "id,name\n1,Zoë Müller\n", [f"{folder}/attention/attention.ipynb"])
    assert (rows, strangers) == ([("1", "attention", "")], [])


def test_a_name_of_two_learners_is_nobodys(write):
    rows, strangers = matched(write, "id,name\n1,Jan Li\n2,Jan Li\n", ["Jan Li/attention/attention.ipynb"])
    assert [row[0] for row in rows] == ["Jan Li", "1", "2"]
    assert strangers == ["Jan Li"]


def test_a_notebook_of_an_unknown_unit_is_handed_in(write):
    names = ["ada/attention/attention.ipynb", "bob/homework.ipynb"]
    rows, strangers = matched(write, OWN, names)
    assert [row[:2] for row in rows] == [("ada", "attention"), ("bob", "")]
    assert strangers == []


def test_a_class_that_handed_in_nothing(write):
    (write("class/x.txt", "").parent / "x").mkdir()
    rows, _ = matched(write, OWN, [], "masks")
    assert rows[1:] == [nothing("ada", "masks"), nothing("bob", "masks")]


def test_sources_are_otherwise_as_they_were():
    source = Source(Path("x.ipynb"), "Ada", "attention", "broken", ("note",), ("17",))
    (found,), strangers = match([source], [], Path("r.csv"), None)
    assert found == replace(source, notes=("note", "This learner is not on the roster."))
    assert strangers == ["Ada"]
