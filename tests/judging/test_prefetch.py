"""Answers collected before a check runs: the same verdicts as asking in turn, and no judgement done twice."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from autograder.course.catalogue import alternatives, complete_source, mistakes
from autograder.course.registry import find_unit
from autograder.judging import runner
from autograder.judging.assertions import assert_equal
from autograder.judging.cache import LruCache
from autograder.judging.results import CRASHED, FAILED, PASSED, TIMEOUT
from autograder.judging.runner import Check, run_checks
from autograder.judging.subject import LocalSubject
from autograder.sandbox import session
from autograder.sandbox.runtime import wire
from autograder.sandbox.runtime.requests import Request

UNIT = "masks"
ENTRIES = [*alternatives(UNIT)[::5], *mistakes(UNIT)[::9]]


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch):
    monkeypatch.setattr(runner, "VERDICTS", LruCache(2**20))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.task}-{entry.name}")
def test_asked_first_or_in_turn_the_result_is_the_same(entry, subject):
    source = complete_source(entry)
    namespace: dict = {}
    exec(compile(source, "<cell 1>", "exec"), namespace)
    in_turn = run_checks(LocalSubject(namespace), UNIT, [entry.task])
    first, again = (run_checks(subject(source), UNIT, [entry.task]) for _ in range(2))
    assert first == again
    assert [(one.status, one.points) for one in first[0].checks] == [
        (one.status, one.points) for one in in_turn[0].checks
    ]
    assert first[0].diagnosis == in_turn[0].diagnosis


def judged(monkeypatch) -> list[str]:
    """The ids of the checks that are judged from now on."""
    found: list[str] = []
    judge = runner._result_of
    monkeypatch.setattr(runner, "_result_of", lambda check, *rest: found.append(check.id) or judge(check, *rest))
    return found


def test_the_same_answers_are_judged_once(subject, monkeypatch):
    seen = judged(monkeypatch)
    entries = [alternatives(UNIT)[0], mistakes(UNIT)[0]]
    for entry in entries:
        run_checks(subject(complete_source(entry)), UNIT, [entry.task])
    assert seen
    seen.clear()
    for entry in entries:
        run_checks(subject("# written otherwise\n" + complete_source(entry)), UNIT, [entry.task])
    assert seen == []


def test_another_seed_is_another_question(subject, monkeypatch):
    entry = alternatives(UNIT)[0]
    run_checks(subject(complete_source(entry)), UNIT, [entry.task])
    seen = judged(monkeypatch)
    run_checks(subject(complete_source(entry)), UNIT, [entry.task], seed=5)
    assert seen


# --- checks of our own, on functions that a submission defines ---------------------------------------------------


MASK = "import os, time, torch\ndef causal_mask(size, device=None):\n    {}\n    return torch.ones(size, {})"


def results(monkeypatch, learner, *functions):
    """Statuses and messages of checks given as functions; the reference is that of `masks`."""
    task = find_unit(UNIT).task_ids[0]
    checks = tuple(Check(f"{task}.{one.__name__}", task, Fraction(1), one.__name__, one) for one in functions)
    monkeypatch.setattr(runner, "load_checks", lambda unit: checks)
    return [(one.status, one.message) for one in run_checks(learner, UNIT, [task])[0].checks]


def follows_the_answer(learner, reference, rng):
    """A check whose second request depends on the first answer, so the learner's differs from the reference's."""
    size = learner.causal_mask(2).shape[0]
    assert_equal(tuple(learner.causal_mask(size + 1).shape), (size + 1, size + 1), "the shape")


def test_a_check_may_ask_what_was_not_prefetched(subject, monkeypatch):
    code = MASK.format("size = 5 if size == 2 else size", "size")
    assert results(monkeypatch, subject(code), follows_the_answer) == [(PASSED, "")]
    assert results(monkeypatch, subject(code.replace("else size", "else 7")), follows_the_answer)[0][0] == FAILED


def asks_twice(learner, reference, rng):
    assert_equal(tuple(learner.causal_mask(2).shape), (2, 2), "the first shape")
    assert_equal(tuple(learner.causal_mask(3).shape), (3, 3), "the second shape")


def asks_once(learner, reference, rng):
    assert_equal(tuple(learner.causal_mask(4).shape), (4, 4), "the shape")


def test_what_fails_before_the_crash_has_failed(subject, monkeypatch):
    """As when asking in turn: the request that kills the process would never have been sent."""
    wrong, right = (MASK.format("size == 3 and os._exit(3)", width) for width in ("1", "size"))
    assert [one[0] for one in results(monkeypatch, subject(wrong), asks_twice, asks_once)] == [FAILED, FAILED]
    assert [one[0] for one in results(monkeypatch, subject(right), asks_twice, asks_once)] == [CRASHED, PASSED]


def test_what_was_answered_counts_also_if_the_process_is_gone_before_all_is_sent(subject, monkeypatch):
    send = session.ProcessSubject._send

    def slowly(self, *frame, **options):
        time.sleep(0.5)
        return send(self, *frame, **options)

    monkeypatch.setattr(session.ProcessSubject, "_send", slowly)
    wrong = MASK.format("size == 3 and os._exit(3)", "1")
    assert [one[0] for one in results(monkeypatch, subject(wrong), asks_twice, asks_once)] == [FAILED, FAILED]


def test_the_next_check_runs_while_one_is_judged_and_keeps_its_own_answers(subject, monkeypatch):
    """One check asks something else in between: after the next one's requests were sent, before they are used."""
    code = MASK.format("size = 5 if size == 2 else size", "size")
    right = results(monkeypatch, subject(code), follows_the_answer, asks_once, follows_the_answer)
    assert right == [(PASSED, "")] * 3
    wrong = code.replace("return torch", "return torch.ones(9, 9) if size == 4 else torch")
    found = results(monkeypatch, subject(wrong), follows_the_answer, asks_once, follows_the_answer)
    assert [status for status, _ in found] == [PASSED, FAILED, PASSED]


@pytest.mark.parametrize("end", ["os._exit(3)", "time.sleep(60)"])
def test_what_ends_the_process_ahead_of_its_check_costs_no_other(subject, monkeypatch, end):
    """Size 4 belongs to the last check, which is sent while the first one still asks."""
    code = MASK.format(f"size == 4 and {end}\n    size = 5 if size == 2 else size", "size")
    found = results(monkeypatch, subject(code, check=0.5), follows_the_answer, asks_once)
    assert [status for status, _ in found] == [PASSED, TIMEOUT if "sleep" in end else CRASHED]


def test_what_was_sent_for_a_check_that_is_not_judged_answers_no_other(subject):
    learner = subject("def echo(text):\n    return text")
    one, two, three = (wire.encode(Request("echo", (text,)).to_wire()) for text in ("one", "two", "three"))
    assert [learner.outcome(reply).value for reply in learner.ask_frames([one], then=[two])] == ["one"]
    assert learner.ask(Request("echo", ("between",))).value == "between"
    assert [learner.outcome(reply).value for reply in learner.ask_frames([three])] == ["three"]


def test_a_timeout_is_one(subject, monkeypatch):
    code = MASK.format("size == 3 and time.sleep(60)", "size")
    found = results(monkeypatch, subject(code, check=0.5), asks_twice, asks_once)
    assert [one[0] for one in found] == [TIMEOUT, TIMEOUT]
    assert "did not finish within 0.5 seconds" in found[0][1]


def test_answers_of_one_submission_are_bounded(subject, monkeypatch):
    monkeypatch.setattr("autograder.sandbox.session.MAX_RECEIVED", 100_000)
    code = MASK.format("size = 100", "size")
    found = results(monkeypatch, subject(code), asks_twice, asks_once)
    assert CRASHED in [one[0] for one in found]
    assert any("more than" in one[1] for one in found)


def test_many_large_requests_are_asked_ahead_of_their_answers(subject, monkeypatch):
    """More than both sides' buffers hold, in both directions: nobody waits for the other for ever."""
    asked = 200

    def test_echo(learner, reference, rng):
        """Everything comes back."""
        for index in range(asked):
            text = f"{index}" * 5000
            assert learner.echo(text) == reference.echo(text)

    monkeypatch.setattr(runner, "load_checks", lambda _: (Check("t.echo", "t", Fraction(1), "", test_echo),))
    echo = "def echo(text):\n    return text"
    namespace: dict = {}
    exec(echo, namespace)
    monkeypatch.setattr("autograder.judging.cache.reference_names", lambda _: namespace)
    [result] = run_checks(subject(echo), UNIT, ["t"])
    assert result.status == PASSED
    [result] = run_checks(subject(echo.replace("return text", "return text if text[0] != '7' else None")), UNIT, ["t"])
    assert result.status == FAILED
