"""The one style sheet of all pages holds what some page needs, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from autograder.course.addresses import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import slim


@pytest.fixture
def outdir(tmp_path: Path) -> Path:
    """A site with a style sheet of the theme and a program."""
    for address, text in (
        (slim.THEME_SHEET, ".card { color: red } .modal-body { color: red } .absent, p { color: var(--ink) }"),
        ("_static/custom.css", ":root { --ink: #000; --paper: var(--white); --white: #fff; --size: 1px; --deep: 2 }"),
        ("_static/print.css", "p { width: var(--size) }"),
        ("_static/scripts/bootstrap.js", 'add("modal-body"); add("collapsing"); read("--deep")'),
    ):
        (outdir := tmp_path / address).parent.mkdir(parents=True, exist_ok=True)
        outdir.write_text(text, encoding="utf-8")
    return tmp_path


def joined(outdir: Path, names: set[str], properties: set[str]) -> str:
    slim.join_sheets(outdir, names, properties)
    return (outdir / slim.JOINED).read_text(encoding="utf-8")


def test_rules_for_classes_of_no_page_are_left_out(outdir: Path) -> None:
    css = joined(outdir, {"card"}, set())
    assert ".card" in css
    assert ".absent" not in css
    assert "p{color:" in css.replace(" ", "")
    assert joined(outdir, {"card"}, set()) == css  # another build changes nothing


def test_properties_that_nobody_reads_are_left_out(outdir: Path) -> None:
    css = joined(outdir, set(), {"--deep"})
    assert "--ink:" in css  # another rule reads it
    assert "--size:" in css  # another sheet does
    assert "--deep:" in css  # a program does
    assert "--paper" not in css
    assert "--white" not in css  # what read it is gone


def test_a_value_with_semicolons_stays_whole() -> None:
    css = 'a{background:url("data:image/svg+xml;utf8,<svg>")!important;--x:";"}b{c:var(--x)}'
    assert slim.without_unread_properties(css, set()) == css
    assert slim.without_unread_properties("@media print{a{--x:1;b:c}}", set()) == "@media print{a{b:c}}"


def test_parts_of_bootstrap_come_with_a_page_that_has_them(outdir: Path) -> None:
    programs = slim._programs(outdir)
    assert {"collapsing", "modal-body"} & slim._made_by_programs(programs, {"collapse"}) == {"collapsing"}
    assert {"collapsing", "modal-body"} <= slim._made_by_programs(programs, {"modal"})
    own = {"_static/own.js": programs["_static/scripts/bootstrap.js"]}
    assert "modal-body" in slim._made_by_programs(own, set())  # our own program means it
