"""The line that a message names is the learner's own, by the name of what the cell defines."""

from __future__ import annotations

import linecache

import pytest

from autograder.sandbox.runtime.requests import Outcome, Request, execute

GIVEN = """import torch


def attend(q):
    x = 1
    return q @ q.missing
"""
OWN = """def split(x):
    return x.view(3, 0, 7)


class Layer:
    def forward(self, q):
        return attend(q)
"""


@pytest.fixture
def names():
    found: dict = {}
    for file, source in (("<cell 1>", GIVEN), ("/tmp/ipykernel_7/12345.py", OWN)):
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), found)
    yield found
    for file in ("<cell 1>", "/tmp/ipykernel_7/12345.py"):
        linecache.cache.pop(file, None)


def asked(names: dict, call: str) -> Outcome:
    return execute(names, Request("go", (), {}, f"def go(learner):\n    return {call}\n"))


def test_the_line_of_a_cell_is_named_by_what_it_defines(names):
    outcome = asked(names, "learner.split(torch.zeros(2))")
    assert outcome.where == "line 2 of your cell `split`: return x.view(3, 0, 7)"


def test_where_given_code_fails_the_learner_s_own_line_comes_first(names):
    where = asked(names, "learner.Layer().forward(torch.zeros(2))").where
    assert where == "line 7 of your cell `Layer`: return attend(q); raised in `attend`: return q @ q.missing"


def test_where_the_course_s_code_fails_the_learner_s_own_line_comes_first(names):
    """Also where the check asked for something else, as one that builds a whole model asks for its builder alone."""
    exec(compile(GIVEN.replace("attend", "parts"), "<solutions.blocks>", "exec"), names)
    names["attend"] = names["parts"]
    where = asked(names, "getattr(learner, 'La' + 'yer')().forward(torch.zeros(2))").where
    assert where == "line 7 of your cell `Layer`: return attend(q); raised in `parts`"


def test_a_line_without_text_is_left_out(names):
    linecache.cache["<cell 1>"] = (0, None, [], "<cell 1>")
    where = asked(names, "learner.Layer().forward(torch.zeros(2))").where
    assert where == "line 7 of your cell `Layer`: return attend(q); raised in `attend`"


def test_what_was_called_itself_is_where_it_was(names):
    where = asked(names, "learner.attend(torch.zeros(2))").where
    assert where == "line 6 of your cell `attend`: return q @ q.missing"


def test_the_beginning_of_what_is_printed_is_kept():
    names: dict = {}
    exec("def f():\n    for i in range(1000):\n        print('line', i)\n    return 1", names)
    outcome = execute(names, Request("f"))
    assert outcome.value == 1
    assert outcome.printed.startswith("line 0\nline 1\n")
    assert len(outcome.printed) == 500
    assert "printed" not in execute({"f": lambda: 1}, Request("f")).to_wire()
