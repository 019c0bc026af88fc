"""No code gets the name of a mistake that its author has not made: each example here once got such a name."""

from __future__ import annotations

import re

import pytest

from autograder.judging import implementations
from autograder.judging.results import TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject


def checked(task: str, *edits: tuple[str, str], more: str = "") -> TaskResult:
    """The result of a task for the reference solution of its unit with edits, and some code below it."""
    unit = task.partition(".")[0]
    source = implementations.reference_source(unit)
    for old, new in edits:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    names: dict = {"__name__": unit}
    exec(compile(source + more, f"<{unit}>", "exec", dont_inherit=True), names)
    (result,) = run_checks(LocalSubject(names), unit, [task])
    return result


RIGHT_CROSS = "self.cross_attention(y, memory, memory, src_mask)"


@pytest.mark.parametrize("call", ["memory, y, y, src_mask", "y, y, memory, src_mask", "y, y, y, src_mask"])
def test_cross_attention_to_the_wrong_side_is_no_swap_of_masks(call):
    result = checked("transformer.DecoderLayer", (RIGHT_CROSS, f"self.cross_attention({call})"))
    assert result.status != "passed"
    assert result.diagnosis is None or "mask" not in result.diagnosis.mistake


def test_one_wrong_mask_is_no_swap_of_two():
    edit = (
        "y, y, y, tgt_mask))\n        x = self.connections[1]",
        "y, y, y, src_mask))\n        x = self.connections[1]",
    )
    result = checked("transformer.DecoderLayer", edit)
    assert result.status != "passed"
    assert result.diagnosis is None or result.diagnosis.mistake != "masks-swapped"


@pytest.mark.parametrize(
    "last", ["nll[keep].mean()", "(nll * keep).sum() / keep.sum()", "(nll * keep).sum() / len(nll)"]
)
def test_an_ignored_id_that_is_used_as_an_index_is_no_id_that_counts(last):
    more = f"""
def cross_entropy(logits, targets, ignore_index=-100):
    lp = logits.log_softmax(-1)
    nll = -lp.gather(1, targets[:, None])[:, 0]
    keep = targets != ignore_index
    return {last}
"""
    result = checked("losses.cross_entropy", more=more)
    assert result.status != "passed"
    names = [found.mistake for found in (result.diagnosis, *result.possible) if found]
    assert "ignored-targets-count" not in names


def test_a_memory_that_is_never_passed_is_no_mask_at_the_wrong_position():
    edit = ("x = layer(x, memory, src_mask, tgt_mask)", "x = layer(x, x, src_mask, tgt_mask)")
    result = checked("transformer.Decoder", edit)
    assert result.status != "passed"
    assert result.diagnosis is None or "mask" not in result.diagnosis.mistake


def test_layers_under_other_names_are_told_to_have_other_names():
    unit = "attention"
    source = implementations.reference_source(unit)
    own = source[source.index("class SelfAttention") :].partition("\n\n\n")[0]
    result = checked("attention.SelfAttention", more="\n\n" + re.sub(r"\bw_([qkv])\b", r"\1_proj", own))
    assert result.points == 0
    assert result.diagnosis is None
    assert not result.possible
    for word in ("no layer `w_q`", "q_proj, k_proj, v_proj", "names count"):
        assert word in result.checks[0].message


def test_a_mistake_whose_first_failure_looks_otherwise_is_known_by_the_others():
    """Positions run along the batch, but the right ones are cut to another length than in the catalogue's mistake."""
    edit = ("x + self.pe[:, :length].to(x.dtype)", "x + self.pe[0, : len(x), None].to(x.dtype)")
    result = checked("embeddings.PositionalEncoding", edit)
    assert result.checks[0].status == "error"
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == "positions-along-the-batch"


def test_a_second_fault_does_not_hide_the_first():
    edits = [('group["lr"], group["betas"]', 'self.defaults["lr"], self.defaults["betas"]')]
    edits += [('group["weight_decay"])', 'self.defaults["weight_decay"])')]
    result = checked("optim.AdamW", *edits)
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == "group-rate-ignored"


def test_another_fault_than_those_of_the_catalogue_has_no_name():
    edit = ("x.transpose(1, 2).flatten(2)", "x.mean(1).repeat(1, 1, x.shape[1])")
    result = checked("multihead.merge_heads", edit)
    assert result.status != "passed"
    assert result.diagnosis is None
    assert not result.possible
