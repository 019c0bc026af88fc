"""Two tasks that know each other's insides are judged together, and neither beside the course's other half."""

from __future__ import annotations

import inspect

import pytest

from autograder.course.catalogue import alternatives, complete_source
from autograder.course.registry import COMPLETE, find_unit
from autograder.judging.results import FAILED, PASSED
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet
from solutions import pretrained

OWN = next(one for one in alternatives("pretrained") if one.name == "one-layer-for-queries-keys-and-values")


def judged(source: str, without: tuple[str, ...] = ()):
    """The results of the pretrained unit's two first tasks, for the course's file with this source after it."""
    names: dict = {"__name__": "pretrained"}
    exec(compile(inspect.getsource(pretrained), "<given>", "exec", dont_inherit=True), names)
    for name in ("GPT2", "gpt2_state"):
        del names[name]
    exec(compile(source, "<cells>", "exec", dont_inherit=True), names)
    for name in without:
        del names[name]
    with quiet():
        results = run_checks(
            LocalSubject(names), "pretrained", ("pretrained.GPT2", "pretrained.gpt2_state"), cells=[source]
        )
    return {one.id.partition(".")[2]: one for one in results}


@pytest.fixture(scope="module")
def own() -> str:
    """A right pair whose inner names are not the course's."""
    return complete_source(OWN)


def test_every_pair_is_of_tasks():
    for unit in COMPLETE:
        for one, other in unit.pairs:
            assert {one, other} <= {*unit.names}
            assert other in unit.partners(one)
            assert one in unit.partners(other)
    assert find_unit("pretrained").partners("GPT2") == {"gpt2_state"}
    assert find_unit("pretrained").partners("generate_text") == set()


def test_a_pair_with_names_of_its_own_gets_full_points(own):
    assert {name: one.status for name, one in judged(own).items()} == {"GPT2": PASSED, "gpt2_state": PASSED}


def test_a_model_alone_is_judged_by_what_needs_no_weights(own):
    model = judged(own, without=("gpt2_state",))["GPT2"]
    passed = {check.id.rpartition(".")[2] for check in model.checks if check.status == PASSED}
    assert passed == {"size", "no_peeking", "cache", "block_size", "types", "gradients"}
    assert all("gpt2_state" in check.message for check in model.checks if check.status != PASSED)


def test_a_mistake_in_one_half_is_named_with_names_of_its_own(own):
    wrong = judged(own.replace('nn.GELU(approximate="tanh")', "nn.GELU()"))
    assert wrong["GPT2"].diagnosis.mistake == "exact-gelu"
    assert {one.task for one in (wrong["GPT2"].diagnosis, wrong["gpt2_state"].diagnosis)} == {"pretrained.GPT2"}
    swapped = judged(
        own.replace("self.c_attn(self.ln_1(x)).split(C, dim=2)", "self.c_attn(self.ln_1(x)).split(C, dim=2)[::-1]")
    )
    assert swapped["GPT2"].status != PASSED


def test_a_function_that_fills_another_model_says_which_name(own):
    """The course's gpt2_state beside a model with other names."""
    results = judged(own + "\n" + inspect.getsource(pretrained.gpt2_state))
    (message,) = {check.message for check in results["gpt2_state"].checks if check.id.endswith("names_and_layouts")}
    assert "gpt2_state returns a tensor named" in message
    assert results["gpt2_state"].checks[-1].status == PASSED  # shapes are refused all the same
    assert FAILED in {check.status for check in results["GPT2"].checks}


def test_a_mistake_is_named_before_the_other_half_is_written():
    """A check that fails because there is no gpt2_state yet says nothing about the model. A table may be a weight."""
    right = "self.positions(torch.arange(start, end, device=ids.device))"
    source = inspect.getsource(pretrained.GPT2)
    assert right in source
    wrong = judged(source.replace(right, "self.positions.weight[: ids.shape[1]]"))
    assert wrong["GPT2"].diagnosis.mistake == "positions-restart"
