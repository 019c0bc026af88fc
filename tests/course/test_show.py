"""`autograder show`: a mistake looked up by name, whole and as a difference."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from autograder.cli import main
from autograder.course import show
from autograder.course.catalogue import mistakes
from autograder.course.catches import find_catch
from autograder.reports import catalogue


def shown(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(["show", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """Wide enough for every line."""
    monkeypatch.setenv("COLUMNS", "500")


def test_a_mistake_is_shown_whole_and_as_a_difference(capsys):
    code, out, _ = shown(capsys, "attention.softmax", "one-maximum-for-all-rows")
    assert code == 0
    whole, _, difference = out.partition("Compared with the reference solution:")
    assert "exponentials = (x - x.max()).exp()" in whole
    assert "return exponentials / exponentials.sum(dim, keepdim=True)" in whole
    assert "-    exponentials = (x - x.amax(dim, keepdim=True)).exp()" in difference
    assert "+    exponentials = (x - x.max()).exp()" in difference
    (entry,) = [one for one in mistakes("attention") if one.name == "one-maximum-for-all-rows"]
    said = " ".join(out.split())
    assert entry.why in said
    assert entry.hint in said
    assert entry.link in said
    assert "\x1b" not in out, "no colour where the output is no terminal"


def test_in_a_terminal_it_is_in_colour():
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=120)
    catalogue.print_entry(show.find_entry("attention.softmax", "one-maximum-for-all-rows"), console)
    assert "\x1b[" in console.file.getvalue()


def test_a_mistake_in_c_is_compared_with_its_base(capsys):
    code, out, _ = shown(capsys, "gpt2_forward.encoder_forward", "same-ids-in-every-sequence")
    assert code == 0
    assert "Compared with the alternative plain-loops:" in out
    assert "-            const float *token = wte + inp[b * T + t] * C;" in out
    assert "+            const float *token = wte + inp[t] * C;" in out


def test_a_mistake_that_is_written_out_is_compared_with_the_reference_solution():
    entry = next(one for one in mistakes("attention") if not one.edits)
    assert show.base_name(entry) == "reference solution"
    assert f"+++ mistake {entry.name}" in show.difference(entry)


def test_an_alternative_can_be_shown(capsys):
    code, out, _ = shown(capsys, "attention.softmax", "library-call")
    assert code == 0
    assert "F.softmax(x, dim=dim)" in out
    assert "Why:" not in out


def test_without_a_name_all_are_listed_with_why(capsys):
    code, out, _ = shown(capsys, "attention.softmax")
    assert code == 0
    listed = {line.partition(" ")[0] for line in out.split("\n\n")[0].splitlines()}
    assert listed == {entry.name for entry in mistakes("attention") if entry.task == "attention.softmax"}
    assert "A row with a large score comes out as NaN" in " ".join(out.split())
    assert "library-call" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("attention.softmax", "one-maximum-for-all"), "the closest are one-maximum-for-all-rows"),
        (("attention.softmax", "zzz"), "`autograder show attention.softmax` lists the names"),
        (("attention",), "Mistakes belong to one task; choose from attention.softmax, "),
        (("attention.softmin",), "There is no task called 'attention.softmin'"),
        (("attentoin.softmax", "x"), "There is no unit called 'attentoin'"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(arguments, message, capsys):
    code, out, err = shown(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_a_catch_it_task_is_shown_with_its_groups_and_styles(capsys):
    code, out, _ = shown(capsys, "attention.test_attention")
    assert code == 0
    before, _, styles = out.partition("Right, and to be accepted")
    for group in find_catch("attention.test_attention").groups:
        assert group.title in before
        assert all(slip.name in before and slip.words in before for slip in group.slips)
    assert "one that goes through the queries in a loop" in styles
    code, out, _ = shown(capsys, "attention.test_attention", "no-scale")
    assert code == 0
    assert "attention.scaled_dot_product_attention  no-scale" in out
    assert "results-in-a-list" in shown(capsys, "attention.test_attention", "results-in-a-lst")[2]


def test_a_kind_of_slip_has_no_entry_and_says_so(capsys):
    """A report may name one; whoever looks it up learns where it comes from."""
    code, out, err = shown(capsys, "attention.softmax", "another-axis")
    assert (code, out) == (2, "")
    assert "'another-axis' is no entry of the catalogue, but a kind of slip" in err
