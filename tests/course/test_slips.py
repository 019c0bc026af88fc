"""Slips: what is derived from a right program, and what is said about it."""

from __future__ import annotations

import ast

import pytest

from autograder.course.catalogue import mistakes
from autograder.course.registry import COMPLETE
from autograder.course.slips import MOST, likeliest_of, slips
from autograder.course.slips.words import FAMILIES, explanation

TASKS = [task for unit in COMPLETE if unit.language == "python" for task in unit.written_ids]


def sources(task: str, family: str) -> set[str]:
    """The last lines of the slips of a family."""
    return {slip.source.strip().rpartition("\n")[2].strip() for slip in slips(task) if slip.family == family}


@pytest.mark.parametrize(
    ("task", "family", "line"),
    [
        ("attention.attention_scores", "part-left-out", "return q @ k.transpose(-2, -1)"),
        ("attention.attention_scores", "another-axis", "return q @ k.transpose(-2, 1) / math.sqrt(d_k)"),
        (
            "attention.attention_scores",
            "another-scale",
            "return q @ k.transpose(-2, -1) / math.sqrt(d_k) / q.shape[-1]",
        ),
        ("attention.softmax", "sides-exchanged", "return exponentials.sum(dim, keepdim=True) / exponentials"),
        ("masks.padding_mask", "condition-negated", "return (ids == pad_id)[:, None, None, :]"),
        ("masks.apply_mask", "finite-for-infinite", "return scores.masked_fill(~mask, -1000000000.0)"),
        ("masks.causal_mask", "off-by-one", "return torch.ones(size, size, dtype=torch.bool, device=device).tril(-1)"),
        ("blocks.rms_norm", "term-as-bound", "return weight * x / torch.sqrt(mean_square.clamp(min=eps))"),
        ("blocks.rms_norm", "order-of-operations", "return weight * x / (torch.sqrt(mean_square) + eps)"),
        ("losses.smooth_labels", "another-value-used", "return (1 - epsilon) * one_hot + num_classes / num_classes"),
        ("attention.SelfAttention", "step-added", "return scaled_dot_product_attention(self.w_q(self.w_v(x)), "),
    ],
)
def test_a_slip_of_each_kind(task, family, line):
    if family == "another-scale":  # of the operand of the product as well as of the result
        assert any("q.shape[-1]" in found for found in sources(task, family))
    elif line.endswith(" "):
        assert any(found.startswith(line) for found in sources(task, family))
    else:
        assert line in sources(task, family)


def test_a_change_can_be_made_everywhere_at_once():
    both = [slip for slip in slips("attention.softmax") if slip.source.count("keepdim=False") == 2]
    assert [slip.family for slip in both] == ["axis-kept-or-dropped"]


def test_a_bound_of_python_s_own_minimum_is_no_axis():
    assert not [slip for slip in slips("bleu.brevity_penalty") if slip.family == "another-axis"]


def test_an_argument_can_be_ignored():
    ignored = [slip for slip in slips("masks.padding_mask") if slip.family == "argument-ignored"]
    assert any("    pad_id = PAD\n" in slip.source for slip in ignored)


@pytest.mark.parametrize("task", TASKS)
def test_slips_are_programs_of_their_own(task):
    found = slips(task)
    assert len(found) <= MOST
    assert len({slip.source for slip in found}) == len({slip.name for slip in found}) == len(found)
    unit = task.partition(".")[0]
    assert not {slip.name for slip in found} & {mistake.name for mistake in mistakes(unit) if mistake.task == task}
    for slip in found:
        ast.parse(slip.source)
        assert slip.section
        assert slip.family in FAMILIES


def test_the_right_program_stays_as_it_is():
    """Changes are made in one tree, and undone."""
    first = [slip.source for slip in slips("blocks.LayerNorm")]
    slips.cache_clear()
    assert [slip.source for slip in slips("blocks.LayerNorm")] == first


def test_no_slips_of_tests_and_of_c():
    assert slips("attention.test_attention") == slips("gpt2_forward.gelu_forward") == ()


@pytest.mark.parametrize("family", FAMILIES)
def test_an_explanation_is_a_fact_and_a_question(family):
    text = explanation(family, "a sum with `x`", "forward")
    assert text.startswith("Your values equal those of right code with one slip in `forward`: ")
    assert text.endswith("?")
    assert "{" not in text


def test_explanations_print_no_code():
    """What stands in backticks is an operator, or a name: a parameter, an attribute, a method, a word of Python."""
    for task in ("attention.softmax", "blocks.LayerNorm", "losses.cross_entropy", "masks.decoder_mask"):
        for slip in slips(task):
            quoted = slip.hint.split("`")[1::2]
            assert all(word in ("&", "|") or word.removeprefix("self.").isidentifier() for word in quoted), slip.hint


def test_what_is_left_out_is_likelier_than_what_is_put_there():
    some = [slip for slip in slips("attention.softmax") if slip.family in ("another-operation", "step-left-out")]
    assert {slip.family for slip in likeliest_of(some)} == {"step-left-out"}
