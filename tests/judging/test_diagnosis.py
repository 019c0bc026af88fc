"""Diagnosis: the mistake whose answers equal the learner's is named, and nothing else is."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from autograder.course.catalogue import Mistake
from autograder.course.edits import Edit, apply
from autograder.course.registry import find_unit
from autograder.judging import diagnosis, implementations, runner
from autograder.judging.assertions import assert_close
from autograder.judging.diagnosis import diagnosis_of, likeliest, same_outcome, same_value
from autograder.judging.implementations import namespace
from autograder.judging.pairs import both
from autograder.judging.results import FAILED, PASSED, Diagnosis
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject
from autograder.judging.verdicts import Evidence
from autograder.sandbox.runtime.requests import Outcome, Request, execute
from autograder.sandbox.runtime.wire import Opaque

SOFTMAX = "attention.softmax"


def entry(name: str, source: str, task: str = SOFTMAX) -> Mistake:
    return Mistake(task, name, source, why="One. Two.", hint=f"hint of {name}", section="stable-softmax")


DOUBLED = entry("doubled", "def softmax(x, dim=-1):\n    return 2 * x\n")
ABSOLUTE = entry("absolute", "def softmax(x, dim=-1):\n    return 2 * x.abs()\n")
RAISES = entry("raises", "def softmax(x, dim=-1):\n    raise ValueError('no')\n")


@pytest.fixture
def catalogue(monkeypatch):
    """Replaces the mistakes of every unit."""

    def replace(*entries: Mistake) -> None:
        monkeypatch.setattr(diagnosis, "mistakes", lambda unit: entries)

    return replace


def evidence(learner: Mistake, *statuses_and_inputs) -> list[Evidence]:
    """The evidence of checks, each of which sent one request to a learner with this mistake."""
    found = []
    for status, x in statuses_and_inputs:
        request = Request("softmax", (torch.tensor(x),))
        found.append(Evidence(status, ((request, execute(namespace(learner), request)),)))
    return found


def diagnose(task: str, seen: list[Evidence]) -> Diagnosis | None:
    """The diagnosis where every task of the unit may hold the mistake."""
    return diagnosis_of(likeliest("attention", task, seen, find_unit("attention").task_ids).mistake)


def named(seen: list[Evidence]) -> str | None:
    found = diagnose(SOFTMAX, seen)
    return found.mistake if found else None


def test_the_mistake_that_answers_alike_is_named(catalogue):
    catalogue(ABSOLUTE, DOUBLED)
    seen = evidence(DOUBLED, (FAILED, [1.0, -2.0]))
    found = diagnose(SOFTMAX, seen)
    assert found is not None
    assert (found.mistake, found.hint) == ("doubled", "hint of doubled")
    assert found.link.endswith("/book/attention.html#stable-softmax")


def test_the_one_that_explains_more_failures_is_named(catalogue):
    seen = evidence(DOUBLED, (FAILED, [1.0, 2.0]), (FAILED, [1.0, -2.0]))
    for order in ((ABSOLUTE, DOUBLED), (DOUBLED, ABSOLUTE)):
        catalogue(*order)
        assert named(seen) == "doubled"


def test_answers_a_hair_beside_the_right_ones_are_told_only_from_the_very_same(catalogue):
    """A mistake that does not show in the check that failed is not behind it."""
    slightly = entry("slightly", "def softmax(x, dim=-1):\n    return x.softmax(dim) * 1.000001\n")
    at_zero = entry("at-zero", "def softmax(x, dim=-1):\n    return x.softmax(dim) * (x != 0)\n")
    seen = evidence(slightly, (FAILED, [1.0, -2.0]))
    catalogue(at_zero)
    assert named(seen) is None
    catalogue(at_zero, slightly)
    assert named(seen) == "slightly"


def test_among_equals_passing_checks_decide(catalogue):
    seen = evidence(DOUBLED, (FAILED, [1.0, 2.0]), (PASSED, [1.0, -2.0]))
    for order in ((ABSOLUTE, DOUBLED), (DOUBLED, ABSOLUTE)):
        catalogue(*order)
        assert named(seen) == "doubled"


def possible(seen: list[Evidence]) -> list[str]:
    """The mistakes that are listed, none of them being named."""
    found = likeliest("attention", SOFTMAX, seen, find_unit("attention").task_ids)
    assert found.mistake is None
    return [mistake.name for mistake in found.possible]


def test_of_several_that_explain_a_part_equally_well_none_is_named(catalogue):
    learner = entry("halved", "def softmax(x, dim=-1):\n    return 2 * x if x.min() > 0 else 0.5 * x\n")
    first, *others = (FAILED, [1.0, 2.0]), (FAILED, [1.0, -2.0]), (FAILED, [3.0, -4.0])
    catalogue(ABSOLUTE, DOUBLED)
    assert possible(evidence(learner, first, others[0])) == ["absolute", "doubled"]  # half of the failures
    assert possible(evidence(learner, first, *others)) == []
    catalogue(DOUBLED)
    assert named(evidence(learner, first, *others)) == "doubled"  # nothing else comes into question


def test_the_task_s_own_mistakes_come_first(catalogue):
    """Here two mistakes, filed under two tasks, explain the same failure."""
    other = entry("of-another-task", DOUBLED.source, "attention.attention_scores")
    driver = "def go(learner, x):\n    learner.attention_scores\n    return learner.softmax(x)\n"
    request = Request("go", (torch.ones(2),), {}, driver)
    seen = [Evidence(FAILED, ((request, execute(namespace(DOUBLED), request)),))]
    for order in ((other, DOUBLED), (DOUBLED, other)):
        catalogue(*order)
        for task, name in ((SOFTMAX, "doubled"), ("attention.attention_scores", "of-another-task")):
            found = diagnose(task, seen)
            assert found is not None
            assert found.mistake == name


def test_a_mistake_in_a_part_is_found_by_what_calls_it():
    """Which parts can show is read off the reference solution."""
    request = Request("go", (), {}, "def go(learner):\n    return learner.scaled_dot_product_attention")
    possible = diagnosis._candidates(
        "attention", "attention.scaled_dot_product_attention", [Evidence(FAILED, ((request, Outcome()),))]
    )
    tasks = {mistake.task.partition(".")[2] for mistake in possible}
    assert tasks == {"softmax", "attention_scores", "scaled_dot_product_attention"}


def test_an_answer_that_takes_long_is_compared_with_its_own_mistakes_only():
    """The parts of a translator have mistakes of their own, and each of them would train for as long."""
    source = "def go(learner):\n    return learner.train_translator"
    request = Request("go", (), {}, source, seconds=60.0)
    task = "translation.train_translator"
    possible = diagnosis._candidates("translation", task, [Evidence(FAILED, ((request, Outcome()),))])
    assert {mistake.task for mistake in possible} == {task}


def test_nothing_is_named_when_nothing_matches(catalogue):
    catalogue(ABSOLUTE, RAISES)
    assert named(evidence(DOUBLED, (FAILED, [1.0, -2.0]))) is None


def test_nothing_is_named_when_nothing_failed(catalogue):
    catalogue(DOUBLED)
    assert named(evidence(DOUBLED, (PASSED, [1.0]))) is None
    assert named([]) is None
    for status in ("timeout", "crashed", "not_attempted"):
        assert named(evidence(DOUBLED, (status, [1.0]))) is None


def test_an_exception_names_nothing_but_says_what_is_possible(catalogue):
    catalogue(RAISES)
    assert possible(evidence(RAISES, ("error", [1.0]))) == ["raises"]
    assert possible(evidence(entry("x", RAISES.source.replace("no", "other")), ("error", [1.0]))) == []
    assert possible(evidence(entry("x", RAISES.source.replace("Value", "Type")), ("error", [1.0]))) == []


def test_an_exception_fits_only_a_mistake_that_fits_what_passes(catalogue):
    source = "def softmax(x, dim=-1):\n    if x[0] < 0:\n        raise ValueError('no')\n    return x.softmax(dim)\n"
    seen = evidence(entry("learner", source), ("error", [-1.0]), (PASSED, [1.0]))
    catalogue(RAISES)
    assert possible(seen) == []
    catalogue(entry("negative", source))
    assert possible(seen) == ["negative"]


def test_an_exception_beside_a_wrong_value_is_named(catalogue):
    source = "def softmax(x, dim=-1):\n    if x[0] < 0:\n        raise ValueError('no')\n    return 2 * x\n"
    catalogue(RAISES, entry("both", source))
    assert named(evidence(entry("learner", source), ("error", [-1.0]), (FAILED, [1.0]))) == "both"


@pytest.mark.parametrize("reply", ["None", "'this driver complains'"])
def test_a_symptom_that_many_share_names_nothing(catalogue, reply):
    mistake = entry(f"symptom-{len(reply)}", f"def softmax(x, dim=-1):\n    return {reply}\n")
    catalogue(mistake)
    assert possible(evidence(mistake, (FAILED, [1.0]))) == [mistake.name]


def test_a_part_that_matches_is_not_enough(catalogue):
    """All requests of a check must be answered alike."""
    catalogue(ABSOLUTE)
    first, second = evidence(DOUBLED, (FAILED, [1.0]), (FAILED, [-1.0]))
    assert named([Evidence(FAILED, first.transcript + second.transcript)]) is None


def test_an_error_that_was_asked_for_is_worded_as_one_likes(catalogue):
    """The text of an error after which the check went on is free. The answer that ended the check must be the same."""
    source = "def softmax(x, dim=-1):\n    if x[0] < 0:\n        raise ValueError('no')\n    return 2 * x\n"
    catalogue(entry("raises-first", source))
    for other, asked, name in (("'x is negative'", [-1.0], "raises-first"), ("'zero'", [1.0], "raises-first")):
        first, second = evidence(entry("learner", source.replace("'no'", other)), (FAILED, asked), (FAILED, [1.0]))
        assert named([Evidence(FAILED, first.transcript + second.transcript)]) == name
    first, second = evidence(entry("learner", source.replace("'no'", "'other'")), (FAILED, [1.0]), (FAILED, [-1.0]))
    assert named([Evidence(FAILED, first.transcript + second.transcript)]) is None
    first, second = evidence(entry("learner", source.replace("Value", "Key")), (FAILED, [-1.0]), (FAILED, [1.0]))
    assert named([Evidence(FAILED, first.transcript + second.transcript)]) is None


NAN = math.nan


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1.0, 1.0 + 1e-9, True), (1.0, 1.01, False), (NAN, NAN, True), (NAN, 1.0, False), (math.inf, math.inf, True),
        (math.inf, -math.inf, False), (1, 1.0, False), (True, 1, False), ("a", "a", True), (None, None, True),
        ([1, 2], [1, 2], True), ([1, 2], [1], False), ((1,), [1], False), (1.0, math.inf, False),
        ({"a": 1}, {"a": 1}, True), ({"a": 1}, {"b": 1}, False),
        (Opaque("A"), Opaque("A"), True), (Opaque("A"), Opaque("B"), False), (torch.float32, torch.float32, True),
        (torch.tensor([1.0, NAN]), torch.tensor([1.0, NAN]), True), (torch.tensor([1.0]), torch.tensor([1.1]), False),
        (torch.tensor([1.0]), torch.tensor([1.0]).double(), False), (torch.zeros(2), torch.zeros(1, 2), False),
        (torch.tensor([1]), torch.tensor([2]), False), (torch.tensor([math.inf]), torch.tensor([-math.inf]), False),
        (torch.tensor([1j]), torch.tensor([1j]), True), ([torch.ones(2)], [torch.ones(2)], True),
        ({1: torch.ones(2)}, {1: torch.zeros(2)}, False), (10**400, 10**400, True),
    ],
)  # fmt: skip
def test_same_value(one, other, same):
    assert same_value(one, other) is same
    assert same_value(other, one) is same


def test_same_outcome_looks_at_the_kind_first():
    assert not same_outcome(Outcome(value=None), Outcome(kinds=("ValueError",)))
    assert not same_outcome(Outcome(value=None), Outcome(missing="f"))
    assert same_outcome(Outcome(missing="f"), Outcome(missing="f"))


# --- with the course's own catalogue ------------------------------------------------------------------

OVER_QUERIES = """
import torch
def softmax(x, dim=-1):
    return torch.softmax(x, -2) if x.ndim > 1 else torch.softmax(x, 0)
"""
UNSTABLE = """
import torch
def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)
"""


def graded(solution_cells, *more: str, tasks=None):
    names: dict = {}
    for source in (*solution_cells("attention"), *more):
        exec(compile(source, "<cell>", "exec"), names)
    return {task.id.partition(".")[2]: task for task in run_checks(LocalSubject(names), "attention", tasks)}


def test_a_wrong_softmax_is_named_where_it_stands_and_nowhere_else(solution_cells):
    tasks = graded(solution_cells, UNSTABLE)
    assert tasks["softmax"].diagnosis is not None
    attention = tasks["scaled_dot_product_attention"]
    assert (attention.status, attention.given, attention.diagnosis) == ("passed", ("softmax",), None)
    assert tasks["attention_scores"].status == "passed"
    assert tasks["attention_scores"].diagnosis is None


COSINE = """
def {name}(q, k):
    q, k = (x / x.norm(dim=-1, keepdim=True) for x in (q, k))
    return q @ k.transpose(-2, -1)
"""
COSINE_INSIDE = """
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None, right=scaled_dot_product_attention):
    scores = similarities(q, k)
    return right(scores, torch.eye(k.shape[-2], dtype=q.dtype) * math.sqrt(k.shape[-2]), v, mask, dropout)
"""


@pytest.mark.parametrize("tasks", [None, ["attention.scaled_dot_product_attention"]])
def test_a_mistake_in_a_part_that_passes_is_not_named(solution_cells, tasks):
    """The answers are those of wrong scores, but the learner's scores are right: the attention does not use them."""
    for cells, given in (
        ([COSINE.format(name="attention_scores")], ("attention_scores",)),
        ([COSINE.format(name="similarities"), COSINE_INSIDE], ()),
    ):
        task = graded(solution_cells, *cells, tasks=tasks)["scaled_dot_product_attention"]
        assert (task.status == "passed", task.given, task.diagnosis) == (bool(given), given, None)


DIVIDES_BY_THE_WIDTH = "def attention_scores(q, k):\n    return q @ k.transpose(-2, -1) / q.shape[-1]"


def test_what_was_found_in_a_part_comes_before_what_gives_the_same_answers(solution_cells):
    """Dividing by d_k in `attention_scores` gives the same as scaling twice in its caller, and is named instead."""
    tasks = graded(solution_cells, DIVIDES_BY_THE_WIDTH)
    assert tasks["attention_scores"].diagnosis is not None
    alone = graded(solution_cells, DIVIDES_BY_THE_WIDTH, tasks=["attention.scaled_dot_product_attention"])
    for attention in (tasks["scaled_dot_product_attention"], alone["scaled_dot_product_attention"]):
        assert (attention.status, attention.given) == ("passed", ("attention_scores",))


def test_softmax_over_the_queries_is_named(solution_cells):
    task = graded(solution_cells, OVER_QUERIES, tasks=[SOFTMAX])["softmax"]
    assert task.diagnosis is not None
    assert "dim" in task.diagnosis.hint


def test_a_mistake_that_nobody_has_catalogued_has_no_name(solution_cells):
    tasks = graded(solution_cells, "def softmax(x, dim=-1):\n    return x.exp() * 0.731 + 5", tasks=[SOFTMAX])
    assert tasks["softmax"].points == 0
    assert tasks["softmax"].diagnosis is None
    assert all(check.message for check in tasks["softmax"].checks)


def test_a_model_whose_parts_are_registered_in_another_order_is_diagnosed_all_the_same():
    names: dict = {"__name__": "transformer"}
    exec(implementations._reference_code("transformer"), names)
    source = """
class Transformer(Transformer):
    def __init__(self, encoder, decoder, src_embed, tgt_embed, generator):
        nn.Module.__init__(self)
        self.encoder, self.decoder, self.src_embed, self.tgt_embed = encoder, decoder, src_embed, tgt_embed
        self.generator = generator

class Encoder(Encoder):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x
"""
    exec(compile(source, "<cell 1>", "exec"), names)
    (result,) = run_checks(LocalSubject(names), "transformer", ["transformer.Encoder"])
    assert result.diagnosis
    assert result.diagnosis.mistake == "no-last-norm"


def test_right_work_has_no_diagnosis(solution_cells):
    tasks = graded(solution_cells)
    assert {task.status for task in tasks.values()} == {"passed"}
    assert {task.diagnosis for task in tasks.values()} == {None}


def test_a_driver_that_fails_in_a_mistake_does_not_end_the_run(monkeypatch):
    @pytest.mark.task(SOFTMAX, points=1)
    def test_it(learner, reference, rng):
        assert_close(learner.softmax(rng.normal(3), missing_argument=1), torch.zeros(3), "softmax(x)")

    checks = (runner._check(test_it),)
    monkeypatch.setattr(runner, "load_checks", lambda unit: checks)
    task = run_checks(LocalSubject({"softmax": lambda x, missing_argument: x}), "attention", [SOFTMAX])[0]
    assert (task.status, task.diagnosis) == ("failed", None)


def test_one_failure_is_too_little_where_a_passing_check_speaks_against_it(catalogue):
    learner = entry("mixed", "def softmax(x, dim=-1):\n    return 2 * x if x.min() > 0 else x.softmax(dim)\n")
    catalogue(DOUBLED)
    assert possible(evidence(learner, (FAILED, [1.0, 2.0]), (PASSED, [1.0, -2.0]))) == ["doubled"]
    assert named(evidence(learner, (FAILED, [1.0, 2.0]), (FAILED, [3.0, 1.0]), (PASSED, [1.0, -2.0]))) == "doubled"


# --- two mistakes at once ----------------------------------------------------------------------------------------

RIGHT = "def softmax(x, dim=-1):\n    y = (x - 1) ** 2\n    return y + 3\n"


def edits_of_right(name: str, *edits: Edit) -> Mistake:
    """A mistake that is edits of one program."""
    return replace(entry(name, apply(RIGHT, edits)), edits=edits)


SHIFTED = edits_of_right("shifted", Edit("x - 1", "x - 2"))
CUBED = edits_of_right("cubed", Edit("** 2", "** 3"))
ADDS_LESS = edits_of_right("adds-less", Edit("y + 3", "y + 2"))
ADDS_NOTHING = edits_of_right("adds-nothing", Edit("return y + 3", "return y"))
WRITTEN_OUT = entry("written-out", "def softmax(x, dim=-1):\n    z = x\n    y = (x - 1) ** 2\n    return y - 3\n")


@pytest.fixture
def right(monkeypatch):
    """The program that the edits start from, as the course's reference."""

    class Reference:
        def __init__(self, unit: str):
            pass

        def ask(self, request: Request) -> Outcome:
            return execute(namespace(entry("right", RIGHT)), request)

    monkeypatch.setattr(diagnosis, "CachedReference", Reference)


TWO = [(FAILED, [1.0, 5.0]), (FAILED, [2.0, -3.0])]


@pytest.mark.parametrize(("one", "other"), [(SHIFTED, ADDS_LESS), (ADDS_LESS, CUBED), (CUBED, WRITTEN_OUT)])
def test_two_mistakes_at_once_are_both_named(catalogue, right, one, other):
    catalogue(SHIFTED, CUBED, ADDS_LESS, WRITTEN_OUT)
    found = diagnose(SOFTMAX, evidence(both(one, other) or one, *TWO))
    assert found is not None
    assert {*found.mistake.split("-and-")} == {one.name, other.name}
    assert one.hint in found.hint
    assert other.hint in found.hint


def test_code_that_calls_a_wrong_part_is_not_searched_for_two_mistakes(catalogue, right, monkeypatch):
    """Its answers are wrong because of the part; and running pairs of mistakes is costly."""
    part = replace(CUBED, task="attention.attention_scores")
    monkeypatch.setattr(diagnosis, "_candidates", lambda *_: [SHIFTED, ADDS_LESS, part])
    seen, tasks = evidence(both(SHIFTED, ADDS_LESS) or SHIFTED, *TWO), find_unit("attention").task_ids
    assert likeliest("attention", SOFTMAX, seen, tasks).mistake is not None
    assert likeliest("attention", SOFTMAX, seen, tasks, [part]) == diagnosis.Likeliest()


def test_one_mistake_that_explains_everything_comes_before_two(catalogue, right):
    catalogue(SHIFTED, ADDS_LESS, CUBED)
    assert named(evidence(CUBED, *TWO)) == "cubed"


def test_two_pairs_that_fit_equally_well_are_listed(catalogue, right):
    again = edits_of_right("shifted-again", Edit("(x - 1)", "(x - 2)"))
    catalogue(SHIFTED, again, ADDS_LESS)
    assert len(possible(evidence(both(SHIFTED, ADDS_LESS) or SHIFTED, *TWO))) == 2


def test_a_pair_must_fit_whatever_passed_too(catalogue, right):
    learner = entry(
        "other", "def softmax(x, dim=-1):\n    y = (x - 2) ** 2\n    return y + (2 if x[0] < 5 else 3 + 2 * x - 3)\n"
    )
    catalogue(SHIFTED, ADDS_LESS)
    assert named(evidence(learner, *TWO)) == "shifted-and-adds-less"
    assert named(evidence(learner, *TWO, (PASSED, [9.0, 1.0]))) is None


def test_two_mistakes_that_change_each_other_are_found_among_few(catalogue, right):
    """Alone, the sign does not show in the first check; and the power gives other numbers than the two together."""
    flipped = edits_of_right("flipped", Edit("(x - 1)", "(1 - x)"))
    catalogue(flipped, CUBED)
    assert named(evidence(both(flipped, CUBED) or flipped, *TWO)) == "flipped-and-cubed"


def test_edits_of_one_piece_of_code_make_no_pair():
    assert both(ADDS_LESS, ADDS_NOTHING) is None
    assert both(edits_of_right("shifted-variant-2", Edit("- 1", "- 7")), SHIFTED) is None


@pytest.mark.filterwarnings("error")
def test_the_warnings_and_prints_of_a_mistake_are_not_shown(catalogue, capfd):
    """A warning names the file of the code that provoked it, which is the mistake's name."""
    noise = "    print('noise')\n    warnings.warn('noise')\n"
    noisy = f"import warnings\ndef softmax(x, dim=-1):\n{noise}    return 2 * x\n"
    catalogue(entry("noisy", noisy))
    (task,) = run_checks(LocalSubject(namespace(DOUBLED)), "attention", [SOFTMAX])
    assert task.diagnosis is not None
    assert task.diagnosis.mistake == "noisy"
    assert capfd.readouterr() == ("", "")
