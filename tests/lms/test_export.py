"""Exports from nbgrader's gradebook: the numbers that Canvas, Moodle and a spreadsheet get are the gradebook's."""

from __future__ import annotations

import csv
import datetime
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nbgrader")

from courses import EARNED, FULL, UNIT, Course, source_of, written
from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin, LateSubmissionPlugin

from autograder.course import addresses
from autograder.lms.export import Canvas, Csv, GradesExport, Moodle
from autograder.lms.sample_class import fill, find_mistake, is_reflection

NOON = datetime.datetime(2030, 1, 1, 12, 0)
DAY = datetime.timedelta(days=1)
ALL = sum(EARNED.values())
WRONG = written(UNIT, find_mistake("attention.softmax", "softmax-over-queries"))
OWN_NOTEBOOK = "own"


class TenPercentADay(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return 0.1 * score * -(-total_seconds_late // 86_400)


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    """Released: two units, of which one was handed in. Somebody was late, somebody handed in twice, Zoë wrote."""
    root = tmp_path_factory.mktemp("export") / "course"
    course = Course(root, AssignLatePenalties={"plugin_class": TenPercentADay})
    released = course.release(UNIT, attention=source_of(UNIT))[UNIT]
    course.release("masks", masks=source_of("masks"))
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment(UNIT, duedate=NOON)
        gradebook.update_or_create_student("Zoë", first_name="Zoë", last_name="Müller", email="zoe@example.org")
        gradebook.update_or_create_student("absent")
    right, wrong = fill(released, written(UNIT)), fill(released, WRONG)
    for cell in filter(is_reflection, right.cells):
        cell.source += "\n\nBecause every query has a row."
    course.submit("Zoë", when=NOON - DAY, attention=right)
    course.submit("late", when=NOON + 1.5 * DAY, attention=right)
    course.submit("again", when=NOON - 2 * DAY, attention=right)
    course.autograde()
    course.submit("again", when=NOON - DAY, attention=wrong)
    course.autograde()
    give_written_points(course, {"Zoë": 1.5, "late": 2})
    return course


def give_written_points(course: Course, points: dict[str, float]) -> None:
    """As the formgrader does: after the penalty has been computed."""
    with Gradebook(course.db_url) as gradebook:
        for student, score in points.items():
            grade = gradebook.find_grade("attention-reflection", UNIT, UNIT, student)
            grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.db.commit()


def exported(course: Course, kind: type[GradesExport], **options) -> list[list[str]]:
    path = course.root / "exported.csv"
    with Gradebook(course.db_url) as gradebook:
        kind(parent=course.api, to=str(path), **options).export(gradebook)
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")  # by which spreadsheets know UTF-8
    assert data[3:4] != b'"'  # which Canvas could not read there
    return list(csv.reader(data.decode("utf-8-sig").splitlines()))


def by_student(rows: list[list[str]], key: str) -> dict[str, dict[str, str]]:
    header, *others = rows
    return {row[header.index(key)]: dict(zip(header, row)) for row in others}


def in_gradebook(course: Course) -> dict[str, float]:
    """What nbgrader's own export says of the unit."""
    path = course.root / "grades.csv"
    with Gradebook(course.db_url) as gradebook:
        CsvExportPlugin(parent=course.api, to=str(path)).export(gradebook)
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["assignment"] == UNIT]
    return {row["student_id"]: float(row["score"]) for row in rows}


def test_all_exports_say_what_the_gradebook_says(course):
    canvas = by_student(exported(course, Canvas), "SIS Login ID")
    moodle = by_student(exported(course, Moodle), "Username")
    table = by_student(exported(course, Csv), "student_id")
    expected = in_gradebook(course)
    assert set(expected) == {"Zoë", "late", "again", "absent"} == set(canvas) - {""} == set(moodle) == set(table)
    assert expected["Zoë"] == ALL + 1.5
    assert 0 < expected["again"] < ALL
    assert expected["absent"] == 0
    for student, points in expected.items():
        assert float(canvas[student][UNIT]) == float(moodle[student][UNIT]) == float(table[student]["points"]) == points


def test_written_points_do_not_escape_the_penalty(course):
    exported(course, Csv)
    row = by_student(exported(course, Csv), "student_id")["late"]
    assert (float(row["raw_points"]), float(row["late_penalty"])) == (ALL + 2, pytest.approx(0.2 * (ALL + 2)))
    assert float(row["points"]) == pytest.approx(0.8 * (ALL + 2)) == pytest.approx(in_gradebook(course)["late"])


def test_the_feedback_page_has_the_penalty_on_written_points(course):
    course.api.coursedir.student_id = "late"
    result = course.api.generate_feedback(UNIT, "late", force=True)
    assert result["success"], result
    page = (course.root / "feedback" / "late" / UNIT / f"{UNIT}.html").read_text("utf-8")
    assert f"(Score: {0.8 * (ALL + 2)}" in page


def test_the_table_has_a_column_for_each_task_and_question(course):
    rows = by_student(exported(course, Csv), "student_id")
    assert {task: float(rows["Zoë"][task]) for task in EARNED} == EARNED
    assert float(rows["Zoë"]["attention-reflection"]) == 1.5
    assert rows["Zoë"]["submitted"] == "2029-12-31 12:00:00"
    assert float(rows["again"]["attention.softmax"]) < EARNED["attention.softmax"]
    assert rows["absent"]["attention.softmax"] == ""


def test_latest_or_best_by_choice(course):
    latest = by_student(exported(course, Canvas), "SIS Login ID")
    best = by_student(exported(course, Canvas, attempts="best"), "SIS Login ID")
    assert float(latest["again"][UNIT]) < float(best["again"][UNIT]) == ALL
    others = {"Zoë", "late", "absent"}
    assert {name: best[name][UNIT] for name in others} == {name: latest[name][UNIT] for name in others}


def test_the_best_of_two_late_ones_has_paid_for_written_points(tmp_path):
    course = Course(tmp_path / "course", AssignLatePenalties={"plugin_class": TenPercentADay})
    released = course.release(UNIT, attention=source_of(UNIT))[UNIT]
    with Gradebook(course.db_url) as gradebook:
        gradebook.update_or_create_assignment(UNIT, duedate=NOON)
    course.submit("late", when=NOON + 0.5 * DAY, attention=fill(released, written(UNIT)))
    course.autograde()
    give_written_points(course, {"late": 2})
    course.submit("late", when=NOON + 1.5 * DAY, attention=fill(released, WRONG))
    course.autograde()
    row = by_student(exported(course, Csv, attempts="best"), "student_id")["late"]
    assert float(row["points"]) == pytest.approx(0.9 * (ALL + 2))


def test_neither_latest_nor_best_is_one_sentence(course, caplog):
    with pytest.raises(SystemExit):
        exported(course, Canvas, attempts="bset")
    assert "GradesExport.attempts is latest or best, and not bset." in caplog.text


def test_grading_the_same_submission_again_replaces_its_result(course):
    before = exported(course, Csv, attempts="best")
    course.autograde(student="again", force=True)
    assert exported(course, Csv, attempts="best") == before


def test_what_nobody_handed_in_is_no_zero_and_is_named(course, caplog):
    header, possible, *_ = exported(course, Canvas)
    assert header[5:] == [UNIT]
    assert possible[0].strip() == "Points Possible"
    assert float(possible[5]) == sum(FULL.values()) + 2
    assert "Left out, because nobody has handed it in: masks." in caplog.text


def test_a_roster_says_who_is_who_elsewhere(course, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text(
        "student_id;Student;ID;SIS User ID;Section;attention (77);Email address\n"
        "Zoë;Müller, Zoë;4711;S1;A;;z@example.org\nlate;Late, Lea;4712;S2;B;;\nnew;New, Nina;4713;S3;B;;\n",
        encoding="utf-8-sig",
    )
    rows = exported(course, Canvas, roster=str(roster))
    assert rows[0][5:] == ["attention (77)"]
    canvas = by_student(rows, "ID")
    assert (canvas["4711"]["Student"], canvas["4711"]["SIS User ID"]) == ("Müller, Zoë", "S1")
    assert float(canvas["4711"]["attention (77)"]) == ALL + 1.5
    assert float(canvas["4713"]["attention (77)"]) == 0  # nobody has seen them yet
    moodle = by_student(exported(course, Moodle, roster=str(roster)), "Username")
    assert (moodle["Zoë"]["Email address"], moodle["Zoë"]["First name"]) == ("z@example.org", "Zoë")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "The roster cannot be read: "),
        (b"PK\x03\x04", "is a spreadsheet: save it as CSV"),
        (b"colour,size\nx,y\n", "names nobody: it needs a first line with a column called student"),
    ],
)
def test_a_roster_that_cannot_be_read_is_one_sentence(course, tmp_path, caplog, data, said):
    if data is not None:
        (tmp_path / "roster.csv").write_bytes(data)
    with pytest.raises(SystemExit):
        exported(course, Canvas, roster=str(tmp_path / "roster.csv"))
    assert said in caplog.text


def test_the_command_as_the_guide_gives_it(course):
    command = [sys.executable, "-m", "nbgrader", "export", "--exporter=autograder.nbgrader.Moodle", "--to=moodle.csv"]
    configuration = "from autograder.nbgrader import configure\nconfigure(get_config())\n"
    (course.root / "nbgrader_config.py").write_text(configuration)
    options = {"env": {"PYTHONPATH": str(addresses.ROOT), "HOME": str(course.root)}, "cwd": course.root}
    done = subprocess.run([*command, "--GradesExport.attempts=best"], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    text = Path(course.root, "moodle.csv").read_text("utf-8-sig")
    assert text.splitlines()[0] == f"First name,Last name,Username,ID number,Email address,{UNIT}"
    done = subprocess.run([*command, "--GradesExport.roster=no.csv"], capture_output=True, text=True, **options)
    assert done.returncode == 1
    assert "The roster cannot be read: no.csv" in done.stderr
    assert "Traceback" not in done.stderr
