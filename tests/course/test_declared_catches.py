"""Declarations of catch-it tasks: what is wrong with one is said in a sentence for its author."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from autograder.course import lint
from autograder.course.catches import BrokenCatch, Catch, catch, catches, edit, faults, find_catch, group, slip, style
from autograder.course.edits import EditError
from autograder.course.registry import BY_NAME, COMPLETE, is_catch

ATTENTION = find_catch("attention.test_attention")


def with_slips(*slips) -> Catch:
    return replace(ATTENTION, groups=(group("all", "All", *slips),))


def test_what_is_declared_is_complete():
    assert list(faults(ATTENTION)) == []
    for unit in COMPLETE:
        declared = [one.task for one in catches(unit.name)]
        assert declared == [task for task in unit.task_ids if is_catch(task)]
        assert set(unit.written_ids) | set(declared) == set(unit.task_ids)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (
            with_slips(slip("no-such-slip", "What?")),
            "no mistakes of .* have the name 'no-such-slip'",
        ),
        (with_slips(slip("no-scale", " ")), "describe 'no-scale' in words"),
        (with_slips(slip("no-scale", "What?"), slip("no-scale", "Why?")), "'no-scale' is listed twice"),
        (with_slips(), "every group needs a mistake"),
        (replace(ATTENTION, styles=ATTENTION.styles[1:]), "'nan-to-num-after-masked-fill', is in no style"),
        (with_slips(slip("my-own", "What?", edit("no such text", "x"))), "occurs nowhere, but must occur exactly once"),
        (
            catch("gpt2_backward.test_it", gets="layernorm_backward", styles=(), groups=()),
            "layernorm_backward is in C, and a test gets Python: write that into solutions/gpt2_backward.py",
        ),
    ],
    ids=["unknown", "no words", "twice", "empty", "style missing", "edit", "in C"],
)
def test_faults_are_said(broken, said):
    assert any(re.search(said, fault) for fault in faults(broken)), list(faults(broken))


def test_an_entry_that_two_functions_have_needs_the_name_of_one():
    heads = find_catch("multihead.test_heads")
    with pytest.raises(BrokenCatch, match="2 mistakes of split_heads, merge_heads have the name 'heads-reversed'"):
        replace(heads, groups=(group("all", "All", slip("heads-reversed", "?")),)).entry(slip("heads-reversed", "?"))
    assert heads.entry(slip("merge_heads.heads-reversed", "?")).task == "multihead.merge_heads"
    with pytest.raises(BrokenCatch, match="say which function it edits"):
        heads.entry(slip("new", "?", edit("a", "b")))
    with pytest.raises(EditError):
        heads.entry(slip("split_heads.new", "?", edit("no such text", "b")))


@pytest.mark.parametrize("options", [{}, {"gets": "f", "build": print, "of": "f"}, {"build": print}])
def test_what_a_test_gets_is_said_once(options):
    with pytest.raises(BrokenCatch, match="say either what the test gets"):
        catch("attention.test_attention", styles=(style("a", "one that ..."),), groups=(), **options)


def test_the_doctor_asks_for_a_declaration(monkeypatch):
    monkeypatch.setattr(lint, "catches", lambda unit: ())
    gaps = list(lint._catches(BY_NAME["attention"]))
    assert gaps == [
        "autograder/units/attention/catches.py: list attention.test_attention once in CATCHES, not 0 times."
    ]
