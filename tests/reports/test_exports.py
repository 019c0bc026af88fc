"""Exports: what Gradescope and Canvas document is what is written, whatever students are called."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import pytest

from autograder.course.registry import find_unit
from autograder.judging.results import CheckResult, Diagnosis, Submission, TaskResult, number
from autograder.judging.runner import max_points
from autograder.reports.exports import to_canvas, to_gradescope, write_gradescope

# The fields of a results.json, from Gradescope's autograder documentation ("Output format"): name and kind.
RESULTS = {
    "score": float,
    "execution_time": float,
    "output": str,
    "output_format": str,
    "test_output_format": str,
    "test_name_format": str,
    "visibility": str,
    "stdout_visibility": str,
    "extra_data": dict,
    "tests": list,
    "leaderboard": list,
}
TEST = {
    "score": float,
    "max_score": float,
    "status": str,
    "name": str,
    "name_format": str,
    "number": str,
    "output": str,
    "output_format": str,
    "tags": list,
    "visibility": str,
    "extra_data": dict,
}
FORMATS = {"text", "html", "simple_format", "md", "ansi"}
VISIBILITIES = {"hidden", "after_due_date", "after_published", "visible"}
HOSTILE = [
    "../../etc/passwd",
    "/absolute",
    "..",
    ".hidden",
    "a/b",
    "a_b",
    "A_B",
    "con\nnew,line\t\"quoted\"; 'x'",
    '=HYPERLINK("http://evil")',
    "+1",
    "@sum",
    "名前 Zoë",
    "\u202eevil",
    "nul\0byte",
    "\ud800",
    "x" * 500,
    "🎓" * 300,
    "",
]


def submission(student: str, unit: str = "attention", path: str = "p", passed: int = 1, **more) -> Submission:
    checks = tuple(
        CheckResult(
            f"{unit}.x.{i}", "passed" if i < passed else "timeout", Fraction(i < passed), Fraction(1), "<b>m", "T"
        )
        for i in range(3)
    )
    task = TaskResult(f"{unit}.x", checks, Diagnosis("no-scale", "Divide.", "https://book/x.html#why"))
    return Submission(path, student, unit, (task,), seconds=1.23456, **more)


def failed(student: str) -> Submission:
    return Submission("p", student, "attention", status="failed", message="It is \x1b[31mno\x1b[0m notebook.")


def validate(text: str) -> dict:
    """A results.json as Gradescope documents it."""
    data = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    check_fields(data, RESULTS)
    assert "score" in data or data["tests"]
    for test in data["tests"]:
        check_fields(test, TEST)
        assert 0 <= test["score"] <= test["max_score"]
        assert test["status"] in ("passed", "failed")
    return data


def check_fields(data: dict, documented: dict) -> None:
    for name, value in data.items():
        assert isinstance(value, documented[name]), name
        assert not name.endswith("_format") or value in FORMATS
        assert "visibility" not in name or value in VISIBILITIES


def test_gradescope():
    data = validate(to_gradescope([submission("ada", message="Code cell 1: no")]))
    assert (data["score"], data["execution_time"], data["output"]) == (1.0, 1.235, "Code cell 1: no")
    assert data["score"] == sum(test["score"] for test in data["tests"])
    assert [test["status"] for test in data["tests"]] == ["passed", "failed", "failed"]
    diagnosed, repeated = (test["output"] for test in data["tests"][1:])
    assert diagnosed.startswith("**Looks like: no scale**\n\nDivide.\n\nRead [")  # the diagnosis once, as Markdown
    assert diagnosed.endswith("](https://book/x.html#why).\n\n```text\n<b>m\n```")
    assert repeated == "```text\nThe same message as for: T\n```"


def test_gradescope_shows_a_message_as_text_whatever_it_holds():
    """Catches messages that end their block of code and go on as Markdown, with images for example."""
    hostile = "````\n![](http://evil.example/x)\n```\n<script>"
    task = TaskResult("attention.x", (CheckResult("a", "failed", Fraction(0), Fraction(1), hostile, "T"),))
    (test,) = validate(to_gradescope([Submission("p", "ada", "attention", (task,))]))["tests"]
    assert test["output"] == f"`````text\n{hostile}\n`````"


def test_gradescope_for_what_could_not_be_graded():
    data = validate(to_gradescope([failed("ada")]))
    assert (data["score"], data["output"]) == (0.0, "It is no notebook.")
    (lost,) = data["tests"]  # so that the points of the assignment stay the same
    assert lost["name"] == "attention: could not be graded"
    assert lost["max_score"] == number(sum(max_points(task) for task in find_unit("attention").task_ids))


def test_gradescope_writes_a_file_for_everyone(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    everyone = [submission(name) for name in HOSTILE]
    everyone += [submission("ada", path="1"), submission("ada", path="2"), submission("ada", "masks"), failed("bob")]
    write_gradescope(folder, everyone)
    files = sorted(folder.iterdir())
    assert len(files) == len(everyone)
    assert len({file.name.casefold() for file in files}) == len(files)  # also where case does not count
    assert [path.name for path in tmp_path.iterdir()] == ["results"]
    assert not [file for file in files if file.name.startswith(".") or len(file.name.encode()) > 255]
    for name in ("ada.attention.json", "ada.masks.json", "bob.attention.json", "名前 Zoë.attention.json"):
        assert (folder / name).is_file()
    for file in files:
        validate(file.read_text(encoding="utf-8"))
    write_gradescope(folder, everyone)
    assert sorted(folder.iterdir()) == files, "the same submissions, the same names"


def canvas(*submissions: Submission) -> list[list[str]]:
    text = to_canvas(submissions)
    assert text.encode("utf-8", "strict").startswith(b"\xef\xbb\xbfStudent,")  # Canvas cannot read a quote there
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True))


def test_canvas():
    rows = canvas(
        submission("ben", "masks", passed=3),
        submission("ada", "attention", passed=1),
        submission("ada", "attention", passed=2),
        submission("ada", "attention", passed=0),
        failed("carl"),
    )
    # The columns that Canvas's gradebook import asks for, in its order; the units become assignments.
    assert rows == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "attention", "masks"],
        ["    Points Possible", "", "", "", "", "3.0", "3.0"],
        ["ada", "", "", "ada", "", "2.0", ""],
        ["ben", "", "", "ben", "", "", "3.0"],
        ["carl", "", "", "carl", "", "", ""],
    ]


def test_canvas_with_hostile_names():
    rows = canvas(*(submission(name) for name in HOSTILE))
    assert len(rows) == 2 + len(HOSTILE)
    for row in rows[2:]:
        assert len(row) == len(rows[0]) == 6
        assert row[0] == row[3]
        assert row[5] == "1.0"
        assert not row[0].lstrip().startswith(("=", "+", "-", "@"))
        assert not set(row[0]) & set("\n\r\t\0\x1b\u202e")


def test_canvas_with_nobody_graded():
    assert canvas(failed("ada")) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"],
        ["    Points Possible", "", "", "", ""],
        ["ada", "", "", "ada", ""],
    ]
