"""Questions by hand: answers are what the reference computes, and are judged however people type them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import torch

from autograder import by_hand as ask
from autograder.course import by_hand
from autograder.course.addresses import ROOT
from autograder.course.catalogue import is_c, reference_module
from autograder.course.registry import COMPLETE

QUESTIONS = {name: asked for unit in COMPLETE for name, asked in by_hand.questions(unit.name).items()}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_answer_is_what_the_reference_computes(name: str) -> None:
    unit, asked = name.partition(".")[0], QUESTIONS[name]
    names = {} if is_c(unit) else vars(reference_module(unit))
    computed = eval(asked.computed, {**names, "torch": torch, "math": math})
    flat = torch.as_tensor(computed, dtype=torch.float64).flatten().tolist()
    assert len(flat) == len(asked.expected)
    for one, other in zip(flat, asked.expected):
        assert one == other or abs(one - other) <= asked.tolerance
    assert by_hand.judge(asked, flat).right


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_asked_somewhere_and_does_not_answer_itself(name: str) -> None:
    unit, asked = name.partition(".")[0], QUESTIONS[name]
    shown = [
        (ROOT / "book" / f"{unit}.md").read_text(encoding="utf-8"),
        (ROOT / "solutions" / "notebooks" / f"{unit}.md").read_text(encoding="utf-8"),
    ]
    assert f"{{by-hand}} {name}\n" in shown[0] or f":by-hand: {name}\n" in shown[1]
    assert asked.answer not in asked.ask
    assert asked.answer not in asked.hint
    assert not set("$*") & set(asked.hint + asked.because), "a notebook prints both as they are"


THREE = by_hand.Question("?", "1/6, 1/3, 1/2", "h", "b", "")
ONE = by_hand.Question("?", "-3", "h", "b", "")
HIDDEN = by_hand.Question("?", "0, -inf", "h", "b", "")
MILLIONS = by_hand.Question("?", "-7087872", "h", "b", "")
PAIR = by_hand.Question("?", "7, 872", "h", "b", "")
RIGHT = [
    (THREE, "1/6, 1/3, 1/2"),
    (MILLIONS, "-7,087,872"),
    (MILLIONS, " −7,087,872.0 "),
    (MILLIONS, -7087872),
    (PAIR, "7,872"),  # two numbers are asked for, so the comma separates them
    (THREE, " [0.17; .33; 0.5] "),
    (THREE, "1 / 6 1/3 2/4"),
    (THREE, [1 / 6, Fraction(1, 3), 0.5]),
    (THREE, torch.tensor([1 / 6, 1 / 3, 1 / 2])),
    (ONE, -3),
    (ONE, "−3.0"),
    (ONE, "-3e0"),
    (HIDDEN, "(0, -∞)"),
]
NOT_RIGHT = [
    (THREE, "1/3, 1/3, 1/3", "Not yet: 1 of 3 are right."),
    (THREE, "1/6, 1/3", "The question asks for 3 numbers; you typed 2."),
    (ONE, "3", "Not yet."),
    (ONE, "3, 4", "The question asks for 1 number; you typed 2."),
    (MILLIONS, "-7,087,8720", "The question asks for 1 number; you typed 3."),
    (MILLIONS, "-7, 087, 872", "The question asks for 1 number; you typed 3."),
    (MILLIONS, [-7, 87, 872], "The question asks for 1 number; you typed 3."),
    (MILLIONS, "7,087,872", "Not yet."),
    (ONE, "three", "'three' is not a number. Type numbers such as 0.25, 1/4 or -3."),
    (ONE, "1/0", "'1/0' is not a number. Type numbers such as 0.25, 1/4 or -3."),
    (HIDDEN, "0, inf", "Not yet: 1 of 2 are right."),
    (ONE, "", "Type your answer first: numbers or fractions, separated by commas."),
    (ONE, None, "Type your answer first: numbers or fractions, separated by commas."),
]


@pytest.mark.parametrize(("asked", "typed"), RIGHT)
def test_right_answers_in_many_forms(asked: by_hand.Question, typed: object) -> None:
    assert by_hand.judge(asked, typed).right


@pytest.mark.parametrize(("asked", "typed", "said"), NOT_RIGHT)
def test_what_is_said_to_other_answers(asked: by_hand.Question, typed: object, said: str) -> None:
    reply = by_hand.judge(asked, typed)
    assert not reply.right
    assert reply.text == said


def test_in_a_notebook_the_second_miss_gets_a_hint_and_the_solution_comes_on_demand() -> None:
    name = "attention.three-weights"
    asked = QUESTIONS[name]
    first, second = str(ask(name, "1, 2, 3")), str(ask(name, "3, 2, 1"))
    assert first == "Not yet: 0 of 3 are right."
    assert asked.hint in second
    assert asked.answer not in first + second
    assert asked.because in str(ask(name, solution=True))
    assert str(ask(name, asked.answer)).startswith("Right. Answer: 1/6, 1/3, 1/2.")
    assert str(ask("attention.nothing", "1")).startswith("There is no question by hand called 'attention.nothing'.")
    assert str(ask("nowhere", "1")).startswith("There is no question by hand called 'nowhere'.")
