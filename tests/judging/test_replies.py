"""What comes back besides values: a driver's complaint, and exceptions of the learner's code."""

from __future__ import annotations

import pytest

from autograder.judging.replies import assert_raises, reply_of
from autograder.judging.subject import Learner, LearnerRaised, LocalSubject
from autograder.sandbox.runtime.requests import Outcome


def complaint(compare, *args, **kwargs) -> str:
    with pytest.raises(AssertionError) as caught:
        compare(*args, **kwargs)
    return str(caught.value)


def raising(*kinds: str):
    def call():
        raise LearnerRaised(Outcome(kinds=kinds, text="said so"))

    return call


def test_raising():
    assert_raises(ValueError, raising("ValueError", "Exception"))
    assert_raises(LookupError, raising("KeyError", "LookupError", "Exception"))
    assert complaint(assert_raises, ValueError, raising("TypeError", "Exception"), "f(-1)") == (
        "f(-1) should raise ValueError, but raised TypeError: said so"
    )
    assert (
        complaint(assert_raises, ValueError, lambda: 5, "f(-1)")
        == "f(-1) should raise ValueError, but raised no error."
    )
    assert "raised no error" in complaint(assert_raises, ValueError, lambda: None)


def test_an_error_of_the_grader_is_not_taken_for_the_learners():
    def call():
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        assert_raises(ValueError, call)


def answer(learner, value):
    return value


def test_a_sentence_in_place_of_a_reply_fails_the_check():
    learner = Learner(LocalSubject({}))
    assert reply_of(learner, answer, (1, 2), parts=2) == (1, 2)
    assert complaint(reply_of, learner, answer, "w_q is missing.") == "w_q is missing."
    for short in (None, 5, (1,)):
        assert "cannot read" in complaint(reply_of, learner, answer, short, parts=2)
