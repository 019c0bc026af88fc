"""The reports: every status, hostile text, and formats that other programs read back."""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import threading
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import pandas
import pytest
from rich.console import Console

from autograder.course.addresses import chapter_url
from autograder.course.registry import BY_NAME
from autograder.judging.results import CheckResult, Diagnosis, Submission, TaskResult
from autograder.reports import ReportError, common, html, junit, likely_misconception, table, terminal, write

ATTENTION, MASKS = BY_NAME["attention"].number, BY_NAME["masks"].number
OVER_QUERIES = Diagnosis(
    "softmax-over-queries",
    "Each row of scores belongs to one query: normalise over the last axis, `dim=-1`.",
    "https://example.org/book/attention.html#rows-are-queries",
)
NO_SCALE = Diagnosis("no-scale", "Divide by `sqrt(d_k)`.", "https://example.org/book/attention.html#why-scale")

# One of each kind of hostile text: markup, terminal control, rich markup, formulas, what XML forbids.
HOSTILE = (
    "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>",
    "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07 \x9b2J\x1b[?25l",
    "[red]not markup[/red] [/] [link=http://evil.example]x[/link] :smile:",
    "null \x00 bell \a backspace \b vertical \v delete \x7f form \f",
    "=cmd()",
    "lone \ud800 surrogate, \udfff, \ufffe and \uffff, reversed \u202etxt\u202c",
    "]]> & &amp; &#0; \"quotes\" 'single' {{ 7 * 7 }} {% raw %} $x$ \\(y\\)",
)


def check(
    status: str, message: str = "", points: int = 1, name: str = "test_it", title: str = "A title"
) -> CheckResult:
    earned = Fraction(points if status == "passed" else 0)
    return CheckResult(
        f"autograder/units/attention/checks.py::{name}", status, earned, Fraction(points), message, title
    )


def task(name: str, *statuses: str, message: str = "Some message.", diagnosis: Diagnosis | None = None) -> TaskResult:
    checks = [
        check(status, "" if status == "passed" else message, name=f"test_{number}", title=f"Check {number} of {name}")
        for number, status in enumerate(statuses)
    ]
    return TaskResult(name, tuple(checks), diagnosis)


def submission(student: str, *tasks: TaskResult, unit: str = "attention", **options) -> Submission:
    return Submission(f"class/{student}/{unit}/{unit}.ipynb", student, unit, tasks, **options)


TASKS = (
    task("attention.softmax", "passed", "failed", "passed", diagnosis=OVER_QUERIES),
    task("attention.attention_scores", "failed", "error", message="Line one\nline two", diagnosis=NO_SCALE),
    task("attention.scaled_dot_product_attention", "timeout", "crashed"),
    task("attention.SelfAttention", "not_attempted", "not_attempted"),
    task("attention.CrossAttention", "passed"),
)
CLASS = (
    submission("bo", *TASKS, seconds=1.25),
    submission("ann", task("attention.softmax", "passed", "passed", "passed"), seconds=0.5),
    submission("cy", task("masks.causal_mask", "failed", "passed"), unit="masks"),
    submission("dee", status="failed", message="The file is not a notebook."),
)


def hostile_class() -> tuple[Submission, ...]:
    """Hostile text wherever a learner can put some."""
    return tuple(
        Submission(
            path=text,
            student=text,
            unit=text,
            tasks=(
                TaskResult("attention.softmax", (check("failed", text, title=text), check("passed", text))),
                TaskResult("attention.x", (check("error", text),), Diagnosis(text, text, f"javascript:{text}")),
            ),
            status=status,
            message=text,
            notes=(text,),
        )
        for text in HOSTILE
        for status in ("graded", "failed")
    )


class Page(HTMLParser):
    """Reads HTML strictly enough to know that all tags are closed, and collects tags and visible text."""

    VOID = frozenset({"meta", "link", "br", "img", "hr", "input"})

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(source)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open[-1:] == [tag], f"</{tag}> closes nothing"
        self.open.pop()

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data

    @property
    def names(self) -> set[str]:
        return {tag for tag, _ in self.tags}

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def assert_self_contained(source: str) -> Page:
    """No script, no event handler, nothing loaded from anywhere; links only to web pages or into the page."""
    page = Page(source)
    assert not page.names & {"script", "img", "iframe", "link", "object", "embed", "form", "base", "font"}
    for _, attributes in page.tags:
        assert not {"src", "srcset", "data", "action", "background", "poster"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
        assert re.match(r"https?://|#", attributes.get("href") or "#")
        assert "url(" not in (attributes.get("style") or "")
    styles = "".join(re.findall(r"<style>(.*?)</style>", source, re.DOTALL))
    assert "url(" not in styles
    assert "@import" not in styles
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {link["href"][1:] for link in page.attributes("a") if link["href"].startswith("#")} <= set(ids)
    return page


def console(encoding: str = "utf-8", width: int = 160) -> Console:
    return Console(file=io.TextIOWrapper(io.BytesIO(), encoding=encoding), width=width, force_terminal=False)


def printed(console: Console) -> str:
    console.file.flush()
    return console.file.buffer.getvalue().decode(console.file.encoding)


# Untrusted text ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE)
def test_clean_leaves_no_control_characters_and_can_be_encoded(text):
    cleaned = common.clean(text)
    assert not [c for c in cleaned if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160]
    cleaned.encode("utf-8")
    assert "\u202e" not in cleaned


def test_clean_removes_whole_escape_sequences_and_keeps_the_text():
    assert common.clean(HOSTILE[1]).split() == ["red", "link"]
    assert common.clean("a\r\nb\rc\td\u2028e") == "a\nb\nc\td\ne"
    assert common.clean("\x1b]never ended, all kept") == "never ended, all kept"
    assert common.clean("Zoë, 学生, שלום") == "Zoë, 学生, שלום"


@pytest.mark.parametrize("unit", ["x", "\x1b]", "\x1b[0", "\x9d", "a\n", "\ud800"])
def test_a_message_of_a_megabyte_is_cut_with_a_notice(unit):
    short = common.shorten(unit * (1_000_000 // len(unit)))
    assert len(short) < common.MESSAGE_LIMIT + 100
    assert short.count("\n") <= common.LINE_LIMIT
    if unit == "x":
        assert short.endswith("[... 998,000 more characters are not shown]")


# The story of a result -----------------------------------------------------------------------------


def test_likely_misconception_is_the_one_that_cost_most():
    assert likely_misconception(CLASS[0]) == "no scale"  # lost 2 points; the softmax lost 1
    assert likely_misconception(CLASS[1]) == ""
    assert likely_misconception(CLASS[3]) == ""


def test_words():
    assert common.overall_status(TASKS) == "partial"
    assert common.overall_status(TASKS[3:4]) == "not_attempted"
    assert common.overall_status((TASKS[2], TASKS[3])) == "timeout"
    assert [common.points_text(Fraction(n, d)) for n, d in ((10, 1), (3, 2), (1, 3), (0, 1))] == [
        "10",
        "1.5",
        "0.33",
        "0",
    ]
    assert common.score_text(TASKS[4:]) == "1 / 1 point"
    assert common.link_label(OVER_QUERIES.link) == f'chapter {ATTENTION}, "Rows are queries"'
    assert common.link_label(chapter_url("attention", "stable-softmax")) == (
        f'chapter {ATTENTION}, "A softmax that does not overflow"'
    )
    assert common.link_label(chapter_url("attention", "no-such-place")) == f'chapter {ATTENTION}, "No such place"'
    assert common.link_label("https://example.org/other.html") == "the book"
    assert common.default_title(TASKS) == f"Unit {ATTENTION}: Self-attention, from dot product to weights"
    assert common.default_title(TASKS[:1]) == "attention.softmax"


def test_marks_in_the_courses_own_words_are_set():
    said = html._marked("a row is *not* a `*column*`, 2 * 3 * 4, f(*a, *b), <b>")
    assert said == "a row is <em>not</em> a <code>*column*</code>, 2 * 3 * 4, f(*a, *b), &lt;b&gt;"


@pytest.mark.parametrize(
    ("in_terminal", "command"), [(False, 'hint("attention.softmax")'), (True, "autograder hint attention.softmax")]
)
def test_next_step_names_the_command(in_terminal, command):
    assert command in common.next_step(TASKS, in_terminal)
    assert "progress" in common.next_step(TASKS[4:], in_terminal)


def test_only_a_task_that_passes_is_called_right_with_what_it_was_given():
    passes = replace(task("attention.x", "passed", "passed"), given=("softmax",))
    fails = replace(task("attention.x", "passed", "failed"), given=("softmax",))
    assert common.given_text(passes).startswith("Right, given `softmax` as the course has it")
    assert common.given_text(fails).startswith("Some checks pass with `softmax` as the course has it")
    assert common.given_text(task("attention.x", "failed")) == ""


def test_every_status_has_a_look():
    statuses = {"passed", "partial", "failed", "not_attempted", "error", "timeout", "crashed", "not_graded"}
    assert set(common.LOOKS) == statuses
    assert all(look.ascii.isascii() for look in common.LOOKS.values())
    assert len({look.word for look in common.LOOKS.values()}) == len(statuses)


# HTML ----------------------------------------------------------------------------------------------


def test_fragment_tells_the_story_in_order():
    page = assert_self_contained(html.feedback_fragment(TASKS))
    text = " ".join(page.text.split())
    assert "3 / 10 points" in text
    for fact in ("◐ Partly passed", "✓ Passed", "○ Not attempted", "(timed out)", "(crashed)", "(error)", "(failed)"):
        assert fact in text
    story = (
        "Looks like: softmax over queries",
        "Each row of scores",
        f'Read: chapter {ATTENTION}, "Rows are',
        "Check 0 of attention.softmax",
    )
    places = [text.index(part) for part in story]
    assert places == sorted(places)
    assert OVER_QUERIES.link in [link["href"] for link in page.attributes("a")]
    assert 'hint("attention.softmax")' in text
    assert "Line one\nline two" in page.text  # newlines are kept, and shown by white-space: pre-wrap
    assert "Check 0 of attention.SelfAttention" not in text  # not attempted: one word says it
    # Of tasks, the first that fails is open; in each task, the first check that fails. The others are folded.
    assert ["open" in one for one in page.attributes("details")] == [
        *(True, True),  # softmax and its check
        *(False, True, False),  # attention_scores and its checks
        *(False, True, False),  # scaled_dot_product_attention and its checks
        False,  # CrossAttention
    ]


SPLIT = Diagnosis(
    "no-transpose", "Swap two axes.", "https://example.org/book/multihead.html#a", "multihead.split_heads"
)
LATER = task("multihead.ablate_head", "failed", message="Your result is (B, T, H, d_head).", diagnosis=SPLIT)


def texts(*tasks: TaskResult) -> tuple[str, str]:
    """A report for the terminal and for a notebook, each on one line."""
    return tuple(" ".join(text.split()) for text in (terminal.text(tasks), Page(html.feedback_fragment(tasks)).text))


def test_a_mistake_of_another_task_is_said_to_be_there():
    for text in texts(LATER):
        assert "Looks like" not in text
        assert "split_heads" in text.partition("no transpose")[0]
        assert "Swap two axes." in text  # the only place where it is explained
        assert 'hint("multihead.split_heads")' in text
    for text in texts(task("multihead.split_heads", "failed", diagnosis=SPLIT), LATER):
        assert text.count("Looks like: no transpose") == 1
        assert text.count("no transpose") == 2
        assert text.count("Swap two axes.") == 1
    rows = (submission("ada", task("multihead.split_heads", "failed", diagnosis=SPLIT), LATER, unit="multihead"),)
    assert html.class_page(rows).count("in multihead.split_heads") == 1
    assert "in multihead.ablate_head" not in html.class_page(rows)


def test_what_is_only_possible_is_no_claim():
    unproven = replace(task("attention.softmax", "error", "failed"), possible=(OVER_QUERIES, NO_SCALE))
    for text in texts(unproven):
        assert "Looks like" not in text
        assert "Perhaps: softmax over queries" in text
        assert "Or perhaps: no scale" in text
        assert text.index("Perhaps") < text.index("If it is yours: Each row") < text.index("If it is yours: Divide")
    assert likely_misconception(submission("ada", unproven)) == ""


def test_fragment_of_one_task_with_a_title():
    page = assert_self_contained(html.feedback_fragment(TASKS[4], title="<b>Mine</b>"))
    assert "<b>Mine</b>" in page.text
    assert "b" not in page.names
    assert "details" not in page.names
    assert "Check 0 of attention.CrossAttention" in page.text
    assert "Everything passes" in page.text


def test_fragment_without_tasks_and_repeated_messages():
    assert "No check was run." in Page(html.feedback_fragment(())).text
    text = Page(html.feedback_fragment(task("attention.softmax", "failed", "failed"))).text
    assert text.count("Some message.") == 1
    assert "The same message as for: Check 0 of attention.softmax" in text


def test_fragment_has_inline_styles_only_and_keeps_mathjax_away():
    page = Page(html.feedback_fragment(TASKS))
    assert "style" not in page.names
    root_tag, root = page.tags[0]
    assert root_tag == "div"
    assert {"tex2jax_ignore", "mathjax_ignore"} <= set(root["class"].split())


def test_symbols_are_hidden_from_screen_readers_and_words_are_not():
    source = html.feedback_fragment(TASKS)
    for symbol in {look.symbol for look in common.LOOKS.values()} & set(source):
        assert re.findall(rf"<span aria-hidden=\"true\"[^>]*>{symbol}</span>", source)
        assert not re.findall(rf"(?<!>){symbol}", source)


def test_html_shows_hostile_text_as_text():
    submissions = hostile_class()
    tasks = [task for submission in submissions for task in submission.tasks]
    for source in (
        html.class_page(submissions, title=HOSTILE[0], note=HOSTILE[0]),
        html.feedback_fragment(tasks, HOSTILE[0]),
    ):
        page = assert_self_contained(source)
        assert HOSTILE[0] in page.text
        assert "[red]not markup[/red]" in page.text
        assert "{{ 7 * 7 }}" in page.text
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", source)
        assert not [link for link in page.attributes("a") if "javascript" in link["href"]]
        source.encode("utf-8")


def test_the_class_page_says_what_the_tests_of_learners_catch():
    tests = {"ann": ("passed", "failed"), "bo": ("passed", "passed"), "cy": ("not_attempted", "not_attempted")}
    submissions = [submission(name, task("attention.test_attention", *got)) for name, got in tests.items()]
    text = " ".join(assert_self_contained(html.class_page(submissions)).text.split())
    caught = text.partition("What the learners' own tests catch")[2].partition("Checks that nobody")[0]
    assert "Check 0 of attention.test_attention attention.test_attention, 2 of 2" in caught
    assert "Check 1 of attention.test_attention attention.test_attention, 1 of 2" in caught
    assert "own tests catch" not in html.class_page(CLASS)


def test_html_of_megabyte_messages_stays_small():
    big = submission(
        "bo", task("attention.softmax", "failed", message="<" * 1_000_000), message="x" * 1_000_000, status="failed"
    )
    fragment = html.feedback_fragment(big.tasks)
    assert len(fragment) < 20_000
    assert "more characters are not shown" in fragment
    assert len(html.class_page([big])) < 40_000


def test_class_page_facts():
    page = assert_self_contained(html.class_page(CLASS, note="Autumn group"))
    text = " ".join(page.text.split())
    for fact in (
        "4 submissions by 4 students; 1 could not be graded.",
        "Autumn group",
        f"Unit {ATTENTION}: Self-attention, from dot product to weights",
        f"Unit {MASKS}: Masks: padding, causal, combined",
        "1 × softmax over queries in attention.softmax",
        "1 × no scale in attention.attention_scores",
        "The file is not a notebook.",
        "Check 0 of attention.CrossAttention attention.CrossAttention, 1 of 1",  # everybody
        "Check 0 of attention.attention_scores attention.attention_scores, 0 of 1",  # nobody
        "2 other checks passed.",
    ):
        assert fact in text
    assert text.index("Students") < text.index("ann") < text.index("bo attention")
    labels = [attributes.get("aria-label", "") for _, attributes in page.tags if attributes.get("role") == "img"]
    assert "not attempted: 0, no points: 0, less than half: 0, half or more: 1, all points: 1" in labels  # softmax
    assert "Histogram. 30 to 40 percent: 1. 90 to 100 percent: 1. " in labels
    assert len([a for a in page.attributes("details") if a.get("class") == "submission"]) == len(CLASS)
    assert page.attributes("html") == [{"lang": "en"}]


def test_class_page_of_nobody_and_of_failures_only():
    assert "There are no submissions." in assert_self_contained(html.class_page([])).text
    assert "could not be graded" in assert_self_contained(html.class_page(CLASS[3:])).text


# Terminal ------------------------------------------------------------------------------------------


def test_text_tells_the_story():
    lines = terminal.text(TASKS, "utf-8").split("\n")
    assert lines[0] == f"Unit {ATTENTION}: Self-attention, from dot product to weights: 3 / 10 points, partly passed"
    assert lines[1:3] == ["◐ attention.softmax: 2 / 3 points, partly passed", "  Looks like: softmax over queries"]
    assert "  ✗ Check 1 of attention.softmax (failed)" in lines
    assert lines[-1].startswith("Next: fix attention.softmax as described above")
    assert "    Line one" in lines
    assert "    line two" in lines
    assert terminal.text(TASKS[4]).split("\n")[0].endswith("attention.CrossAttention: 1 / 1 point, passed")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_terminal_prints_on_any_stream(encoding):
    target = console(encoding)
    terminal.print_tasks(TASKS, target)
    terminal.print_class((*CLASS, submission("Zoë 学生", TASKS[0]), *hostile_class()), target)
    output = printed(target)
    assert "Looks like: softmax over queries" in output
    assert "no scale" in output
    assert ("✓" in output) == (encoding == "utf-8")
    assert encoding == "utf-8" or "+ Check 0 of attention.softmax" in output
    assert terminal.text(TASKS, encoding).encode(encoding)


def test_terminal_shows_hostile_text_as_text():
    target = console()
    submissions = hostile_class()
    terminal.print_class(submissions, target)
    terminal.print_tasks([task for submission in submissions for task in submission.tasks], target)
    output = printed(target)
    for source in (output, terminal.text(submissions[2].tasks), terminal.text(submissions[8].tasks)):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", source)
    assert "[red]not markup[/red] [/] [link=http://evil.example]x[/link] :smile:" in output


def test_print_class_table():
    target = console()
    terminal.print_class(CLASS, target)
    rows = [
        [cell.strip() for cell in line.split("│")[1:-1]]
        for line in printed(target).splitlines()
        if line.startswith("│")
    ]
    assert rows == [
        ["bo", "attention", "3 / 10", "no scale", "◐ Partly passed"],
        ["ann", "attention", "3 / 3", "-", "✓ Passed"],
        ["cy", "masks", "1 / 2", "-", "◐ Partly passed"],
        ["dee", "attention", "-", "-", "✗ Could not be graded"],
    ]
    assert "class/dee/attention/attention.ipynb: The file is not a notebook." in printed(target)
    assert "4 submissions, 1 of them could not be graded." in printed(target)


def test_a_link_is_not_broken_on_a_narrow_terminal():
    target = console(width=40)
    terminal.print_tasks(TASKS, target)
    assert OVER_QUERIES.link in printed(target)


# JUnit XML -----------------------------------------------------------------------------------------


def test_junit_has_a_suite_per_submission_and_a_case_per_check():
    root = ET.fromstring(junit.to_junit(CLASS))
    assert [suite.get("name") for suite in root] == ["bo/attention", "ann/attention", "cy/masks", "dee/attention"]
    counters = [[suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")] for suite in root]
    assert counters == [
        ["10", "2", "3", "2", "1.250"],
        ["3", "0", "0", "0", "0.500"],
        ["2", "1", "0", "0", "0.000"],
        ["1", "0", "1", "0", "0.000"],
    ]
    assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["16", "3", "4", "2"]
    failure = root.find("testsuite/testcase/failure")
    assert failure.get("message") == "Some message."
    assert "Looks like: softmax over queries" in failure.text
    assert {error.get("type") for error in root.iter("error")} == {"error", "timeout", "crashed", "not-graded"}
    assert root[3].find("testcase/error").get("message") == "The file is not a notebook."
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names)


def test_junit_of_hostile_text_is_valid_xml():
    source = junit.to_junit(
        (*hostile_class(), submission("big", task("attention.softmax", "failed", message="<" * 1_000_000)))
    )
    root = ET.fromstring(source)
    assert ET.fromstring(source.encode("utf-8")).get("tests") == root.get("tests")
    assert not re.search("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", source)
    assert "<script>alert(1)</script>" in root.find("testsuite/testcase/failure").text
    assert len(source) < 100_000
    assert len(ET.fromstring(junit.to_junit([]))) == 0


# CSV -----------------------------------------------------------------------------------------------


def test_csv_reads_back_with_pandas():
    frame = pandas.read_csv(io.StringIO(table.to_csv(CLASS)))
    fixed = ["student", "unit", "path", "status", "points", "max_points"]
    assert list(frame.columns) == [*fixed, *(t.id for t in TASKS), "masks.causal_mask", "mistakes", "message"]
    assert list(frame["student"]) == ["bo", "ann", "cy", "dee"]
    assert list(frame["points"]) == [3.0, 3.0, 1.0, 0.0]
    assert frame["attention.softmax"].tolist()[:2] == [2.0, 3.0]
    assert frame["attention.softmax"].isna().tolist()[2:] == [
        True,
        True,
    ]
    assert frame["mistakes"][0] == "softmax-over-queries;no-scale"
    assert frame["status"][3] == "failed"
    assert frame["message"][3] == "The file is not a notebook."


@pytest.mark.parametrize(
    "text", ["=cmd()", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\x00=1", "\x1b[0m=1", "＝1"]
)
def test_csv_holds_no_formula(text):
    (row,) = csv.DictReader(
        io.StringIO(table.to_csv([Submission(text, text, text, message=text)]).removeprefix("\ufeff"))
    )
    for column in ("student", "unit", "path", "message"):
        assert row[column].startswith("'")
        assert row[column].lstrip("' ")[0] in "=+-@＝"


def test_csv_of_hostile_text_keeps_its_shape():
    text = table.to_csv((*hostile_class(), submission("a", message='quote " comma , semicolon ; \n=next line')))
    rows = list(csv.reader(io.StringIO(text)))
    assert len(rows) == 2 * len(HOSTILE) + 2
    assert {len(row) for row in rows} == {len(rows[0])}
    assert text.count("\n") == len(rows)
    text.encode("utf-8")


# Writing -------------------------------------------------------------------------------------------


def test_write_replaces_the_file_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "report.html"
    write(path, "one é")
    path.chmod(0o640)
    write(str(path), "two \ud800")
    assert path.read_text(encoding="utf-8") == "two \\ud800"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_write_follows_a_symbolic_link_and_writes_to_pipes(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write(tmp_path / "link", "text")
    assert (tmp_path / "target").read_text() == "text"
    assert (tmp_path / "link").is_symlink()
    os.mkfifo(tmp_path / "pipe")
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe").read_text()))
    received: list[str] = []
    reader.start()
    write(tmp_path / "pipe", "through")
    reader.join(10)
    assert received == ["through"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing/report.html", "does not exist; create it first"),
        ("file/report.html", "is not a folder"),
        ("", "it is a folder"),
        ("x" * 300, "the name is too long"),
        ("a\0b", "Cannot write"),
    ],
)
def test_write_says_what_is_wrong_in_one_sentence(tmp_path, name, words):
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError) as caught:
        write(f"{tmp_path}/{name}", "text")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "read-only"), (errno.EIO, "give another path")],
)
def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch, number, words):
    path = tmp_path / "report.csv"
    path.write_text("old")

    def fail(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ReportError, match=words):
        write(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_write_respects_permissions(tmp_path):
    path = tmp_path / "report.csv"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(ReportError, match="you may not write there"):
        write(path, "new")
    tmp_path.chmod(0o555)
    with pytest.raises(ReportError, match="you may not write there"):
        write(tmp_path / "other.csv", "new")
    tmp_path.chmod(0o755)
