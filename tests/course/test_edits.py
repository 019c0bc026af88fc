"""Edits: a wrong program as what differs from a right one."""

from __future__ import annotations

import pytest

from autograder.course import catalogue
from autograder.course.catalogue import Mistake, mistake
from autograder.course.edits import EditError, apply, edit
from autograder.judging import implementations
from autograder.sandbox.runtime.c import C_CODE

RIGHT = """\
def mean(values):
    total = 0
    for value in values:
        if value is not None:
            total += value
    return total / len(values)
"""


def test_a_piece_of_a_line_is_replaced():
    assert edit("total / len(values)", "total").apply(RIGHT) == RIGHT.replace("total / len(values)", "total")


@pytest.mark.parametrize(
    ("old", "times"), [("minus", "nowhere"), ("total", "3 times"), ("", "nowhere"), (" ", "nowhere")]
)
def test_what_is_replaced_must_occur_exactly_once(old, times):
    with pytest.raises(EditError, match=f"occurs {times}, but must occur exactly once"):
        edit(old, "x").apply(RIGHT)


def test_lines_are_written_without_the_indentation_around_them():
    changed = edit("if value is not None:\n    total += value", "total += value\ncount += 1").apply(RIGHT)
    assert changed == RIGHT.replace(
        "        if value is not None:\n            total += value\n",
        "        total += value\n        count += 1\n",
    )


def test_lines_that_are_indented_otherwise_do_not_match():
    with pytest.raises(EditError):
        edit("if value is not None:\ntotal += value", "pass").apply(RIGHT)


def test_a_block_loses_its_own_indentation():
    one = edit(
        """
        for value in values:
            if value is not None:
        """,
        """
        for value in reversed(values):
            if value:
        """,
    )
    assert one == edit(
        "for value in values:\n    if value is not None:", "for value in reversed(values):\n    if value:"
    )
    assert "        if value:\n" in one.apply(RIGHT)


def test_a_line_of_which_nothing_is_left_is_removed():
    assert edit("total = 0", "").apply(RIGHT) == RIGHT.replace("    total = 0\n", "")
    assert edit(" / len(values)", "").apply(RIGHT) == RIGHT.replace(" / len(values)", "")
    assert edit("return total / len(values)", "").apply(RIGHT).endswith("total += value\n")


def test_edits_are_applied_one_after_the_other():
    edits = [edit("total = 0", "total = start = 0"), edit("start = 0", "start = 1")]
    assert "total = start = 1" in apply(RIGHT, edits)


def test_an_edit_that_does_not_fit_names_the_mistake_what_it_replaces_and_the_count(monkeypatch):
    catalogue.alternatives("attention")
    monkeypatch.setattr(catalogue, "_register", lambda *entry: pytest.fail("it was registered"))
    told = {"section": "stable-softmax", "why": "", "hint": ""}
    with pytest.raises(
        EditError, match=r"attention\.softmax wrong, an edit of the reference solution: 'x\.amin' occurs nowhere"
    ):
        mistake("attention.softmax", "wrong", edit("x.amin", "x"), **told)
    with pytest.raises(EditError, match=r"an edit of log-sum-exp: 'x' occurs \d times"):
        mistake("attention.softmax", "wrong", edit("x", "y"), base="log-sum-exp", **told)
    with pytest.raises(EditError, match="there is no alternative 'log-sum'"):
        mistake("attention.softmax", "wrong", edit("x", "y"), base="log-sum", **told)
    with pytest.raises(EditError, match=r"a base .* without edits"):
        mistake("attention.softmax", "wrong", base="log-sum-exp", **told)


def test_a_mistake_is_edits_or_a_body_and_not_both(monkeypatch):
    monkeypatch.setattr(catalogue, "_register", lambda *entry: None)
    decorate = mistake(
        "attention.softmax", "wrong", edit("keepdim=True)).exp()", "keepdim=False)).exp()"), section="", why="", hint=""
    )
    with pytest.raises(EditError, match="not both"):
        decorate(RIGHT)


def test_a_base_has_no_docstring_and_no_marks_of_the_solution():
    for task in ("attention.SelfAttention", "gpt2_forward.softmax_forward"):
        source = catalogue.base_source(task)
        assert "SOLUTION" not in source
        assert "Source:" not in source
    assert catalogue.base_source("attention.SelfAttention").startswith(
        "class SelfAttention(nn.Module):\n    def __init__"
    )
    assert catalogue.base_source("gpt2_forward.softmax_forward").startswith("void softmax_forward(")


C_FILE = """\
/* Wrong. */
#include <math.h>

/* residual_forward: one-line
 * edit: inp1[n] + inp2[n]  =>  inp1[n] - inp2[n]
 * why: One. Two
 * lines.
 * hint: Do.
 * section: a
 */

/* residual_forward: blocks
 * edit:
 *     for (int n = 0; n < N; n++) {
 *         out[n] = inp1[n] + inp2[n];
 * =>
 *     for (int n = 1; n < N; n++) {
 *         out[n] = inp1[n] + inp2[n];
 * edit: PARALLEL_FOR  =>
 * why: One. Two.
 * hint: Do.
 * section: b
 */

/* residual_forward: written-out
 * why: One. Two.
 * hint: Do.
 * section: c
 */
void residual_forward(float *out, const float *inp1, const float *inp2, int N) {}
"""


def entries_of(text, tmp_path, monkeypatch) -> list[Mistake]:
    folder = tmp_path / "units" / "gpt2_forward"
    folder.mkdir(parents=True)
    (folder / "mistakes.c").write_text(text, encoding="utf-8")
    monkeypatch.setattr(catalogue, "PACKAGE", tmp_path)
    catalogue._c_file.cache_clear()
    try:
        return list(catalogue.c_entries("mistakes", "gpt2_forward"))
    finally:
        catalogue._c_file.cache_clear()


def test_edits_in_c(tmp_path, monkeypatch):
    one_line, blocks, written = entries_of(C_FILE, tmp_path, monkeypatch)
    right = catalogue.base_source("gpt2_forward.residual_forward")
    assert one_line.source == right.replace("inp1[n] + inp2[n]", "inp1[n] - inp2[n]")
    assert one_line.why == "One. Two lines."
    assert blocks.source == right.replace("n = 0", "n = 1").replace("    PARALLEL_FOR\n", "")
    assert written.edits == ()
    assert written.source.startswith("void residual_forward(")


def test_an_edit_of_the_reference_solution_in_c_compiles():
    """Macros of the solution's file, such as PARALLEL_FOR, come with it."""
    one = edit("inp1[n] + inp2[n]", "inp1[n] - inp2[n]")
    task = "gpt2_forward.residual_forward"
    entry = Mistake(task, "difference", catalogue.edited(task, "difference", "", (one,)), edits=(one,))
    assert "PARALLEL_FOR" in entry.source
    program = implementations.namespace(entry)[C_CODE].program()
    assert not program.errors
    assert not program.problem


@pytest.mark.parametrize("spelt", ["inp1[n] => inp2[n]", "inp1[n]  =>  a  =>  b", "inp1[n]"])
def test_an_edit_in_c_that_cannot_be_read(spelt, tmp_path, monkeypatch):
    text = C_FILE.replace("inp1[n] + inp2[n]  =>  inp1[n] - inp2[n]", spelt)
    with pytest.raises(EditError, match="residual_forward one-line: an edit is 'OLD  =>  NEW'"):
        entries_of(text, tmp_path, monkeypatch)
