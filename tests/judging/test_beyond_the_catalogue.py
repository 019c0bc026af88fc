"""What the catalogue does not explain: a slip in right code, or what all wrong answers have in common."""

from __future__ import annotations

import pytest

from autograder.course.catalogue import alternatives, mistakes
from autograder.course.slips.words import FAMILIES
from autograder.judging import diagnosis, implementations
from autograder.judging.effects import OTHERS, PLAIN
from autograder.judging.implementations import namespace, turns_allowed
from autograder.judging.quality import defined
from autograder.judging.results import TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet


def answered(task: str, code: str) -> TaskResult:
    """The result of a task for a learner's code, on top of the reference solution of its unit."""
    unit, _, name = task.partition(".")
    names: dict = {"__name__": unit}
    exec(compile(implementations.reference_source(unit), f"<{unit}>", "exec", dont_inherit=True), names)
    exec(compile(code, "<code>", "exec", dont_inherit=True), names)
    with quiet():
        (result,) = run_checks(LocalSubject(names, own={name}), unit, [task])
    return result


@pytest.fixture
def no_catalogue(monkeypatch):
    """Nothing is catalogued: what is named comes from the steps behind the catalogue."""
    monkeypatch.setattr(diagnosis, "mistakes", lambda unit: ())


SCALED_TWICE = """
class SelfAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model) for _ in range(3))

    def forward(self, x, mask=None):
        scale = x.size(-1) ** -0.5
        q, k, v = self.w_q(x) * scale, self.w_k(x), self.w_v(x)
        return scaled_dot_product_attention(q, k, v, mask)
"""
BOUND = """
def rms_norm(x, weight, eps=1e-5):
    ms = torch.mean(x * x, dim=-1, keepdim=True)
    return torch.maximum(ms, torch.full_like(ms, eps)).rsqrt() * x * weight
"""
NEGATED = """
def padding_mask(ids, pad_id=PAD):
    batch, length = ids.shape
    return torch.eq(ids, pad_id).view(batch, 1, 1, length)
"""


@pytest.mark.parametrize(
    ("task", "code", "family"),
    [
        ("attention.SelfAttention", SCALED_TWICE, "another-scale"),
        ("blocks.rms_norm", BOUND, "term-as-bound"),
        ("masks.padding_mask", NEGATED, "condition-negated"),
    ],
)
def test_a_slip_in_another_style_is_named(no_catalogue, task, code, family):
    result = answered(task, code)
    assert result.status != "passed"
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == family
    assert result.diagnosis.task == task
    assert "#" in result.diagnosis.link


def test_the_catalogue_comes_first():
    result = answered("masks.padding_mask", NEGATED)
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == "padding-is-true"


def test_a_second_slip_is_not_claimed_to_be_one(no_catalogue):
    both = BOUND.replace("dim=-1", "dim=-2")
    result = answered("blocks.rms_norm", both)
    assert (result.status, result.diagnosis, result.possible) == ("failed", None, ())


def test_slips_in_several_statements_are_possible_and_none_is_named():
    fits = [slip for slip in diagnosis.slips("blocks.LayerNorm") if slip.family in ("sides-exchanged", "opposite-sign")]
    assert len({slip.lines for slip in fits}) > 1
    found = diagnosis._in_common(fits)
    assert found.mistake is None
    assert {slip.family for slip in found.possible} == {"sides-exchanged", "opposite-sign"}


def test_slips_of_one_family_are_named_by_what_they_share():
    fits = [slip for slip in diagnosis.slips("blocks.LayerNorm") if slip.family == "sides-exchanged"]
    found = diagnosis._in_common(fits)
    assert found.mistake is not None
    assert found.mistake.hint.startswith("Your values equal those of right code with one slip in `forward`: the two ")
    assert "one step" in found.mistake.hint


# --- effects ----------------------------------------------------------------------------------------------------------

IN_FLOAT32 = """
def softmax(x, dim=-1):
    return torch.nn.functional.softmax(x, dim=dim, dtype=torch.float32).to(x.dtype)
"""
INTEGERS = """
def padding_mask(ids, pad_id=PAD):
    return torch.where(ids == pad_id, 0, 1)[:, None, None]
"""
ANY_NAME = """
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout, self.activation = nn.Dropout(dropout), torch.relu if activation == "relu" else gelu

    def forward(self, x):
        return self.w_2(self.dropout(self.activation(self.w_1(x))))
"""
TOO_STRICT = """
def perplexity(total_nll, num_tokens):
    if num_tokens <= 1:
        raise ValueError("more tokens, please")
    mean = total_nll / num_tokens
    return math.exp(mean) if mean < 709 else math.inf
"""
NO_HEAD_AXIS = """
def decoder_mask(ids, pad_id=PAD):
    time = torch.arange(ids.shape[1], device=ids.device)
    return (ids != pad_id)[:, None, :] & (time[:, None] >= time)
"""


@pytest.mark.parametrize(
    ("task", "code", "family"),
    [
        ("attention.softmax", IN_FLOAT32, "float32-in-between"),
        ("masks.padding_mask", INTEGERS, "another-type"),
        ("blocks.FeedForward", ANY_NAME, "wrong-arguments-accepted"),
        ("masks.decoder_mask", NO_HEAD_AXIS, "another-shape"),
    ],
)
def test_an_effect_is_named(no_catalogue, task, code, family):
    result = answered(task, code)
    assert result.status != "passed"
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == family


def test_a_refusal_of_ones_own_is_named(no_catalogue, tmp_path):
    """The line that raised is known where the code has a file, as cells of a notebook do."""
    path = tmp_path / "answer.py"
    path.write_text(TOO_STRICT)
    result = answered("losses.perplexity", f"exec(compile(open({str(path)!r}).read(), {str(path)!r}, 'exec'))")
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == "right-arguments-refused"


def test_an_exception_of_a_library_names_nothing(no_catalogue):
    result = answered("multihead.merge_heads", "def merge_heads(x):\n    return x.view(2, 3, 7, 5)\n")
    assert (result.diagnosis, result.possible) == (None, ())


@pytest.mark.parametrize("value", ["torch.zeros_like(x)", "torch.full_like(x, math.nan)", "None"])
def test_one_number_everywhere_names_nothing(no_catalogue, value):
    result = answered("attention.softmax", f"def softmax(x, dim=-1):\n    return {value}\n")
    assert (result.diagnosis, result.possible) == (None, ())


# --- cost and truth ---------------------------------------------------------------------------------------------------


def test_a_loop_without_end_ends():
    endless = "def train_bpe(text, num_merges):\n    while True:\n        pass\n"
    slip = next(slip for slip in diagnosis.slips("tokens.train_bpe") if slip.family == "condition-negated")
    token = turns_allowed.set(10)
    try:
        names = namespace(diagnosis.replace(slip, source=endless))
        with pytest.raises(implementations.TooManyTurns):
            names["train_bpe"]("a", 1)
    finally:
        turns_allowed.reset(token)


@pytest.mark.parametrize("unit", ["masks", "blocks"])
def test_right_answers_try_no_slips(unit, monkeypatch):
    monkeypatch.setattr(diagnosis, "slips", lambda task: pytest.fail("slips of a right answer"))
    for entry in alternatives(unit):
        with quiet():
            (result,) = run_checks(LocalSubject(namespace(entry), own=defined(entry)), unit, [entry.task])
        assert (result.status, result.diagnosis) == ("passed", None)


# What hidden mistakes of the catalogue are called instead, read one by one: each name is true of its mistake. Of some
# nothing may be said.
TRUE = {
    "masks": {
        "padding-is-true": "condition-negated",
        "no-broadcast-axes": "step-left-out",
        "padding-on-query-axis": "another-axis",
        "pad-id-ignored": "argument-ignored",
        "integer-mask": "another-type",
        "upper-triangle": "another-operation",
        "one-step-into-the-future": "off-by-one",
        "batch-axis-added": "step-added",
        "all-inverted": "condition-negated",
        "pad-id-not-passed-on": "argument-ignored",
        "head-axis-missing": "another-shape",
        "minus-ten-thousand": "finite-for-infinite",
        "plus-infinity": "opposite-sign",
        "masked-scores-are-zero": "finite-for-infinite",
        "softmax-included": "step-added",
        "scores-changed": "argument-changed",
        "dtype-lost": "another-type",
        "guard-for-the-whole-batch": "argument-left-out",
        "uniform-rows": "step-left-out",
        "one-axis-kept": "another-axis",
        "first-sequence-only": "another-axis",
        "time-first": "step-added",
        "masked-scores-are-zero-then-weights": "step-left-out",
        **dict.fromkeys(
            (
                "expanded-over-queries",
                "padding-only-at-the-end",
                "additive-mask",
                "numpy-array",
                "previous-position-only",
                "table-of-fixed-size",
                "diagonal-kept",
                "causal-forgotten",
                "causal-inverted",
                "empty-rows-opened",
                "mask-inverted-and-finite",
                "mask-added-as-number",
                "mask-transposed",
                "nan-gradients",
                "renormalised-with-epsilon",
                "no-maximum-subtracted",
                "empty-rows-sought-on-last-axis",
                "mask-ignored",
                "tilde-on-integers",
            ),
            "",
        ),
    },
    "attention": {
        "no-max-subtraction": "part-left-out",
        "subtracts-the-minimum": "another-operation",
        "axis-not-kept": "axis-kept-or-dropped",
        "no-exponential": "another-value-used",
        "multiplies-by-the-root": "another-operation",
        "width-from-the-second-axis": "another-axis",
        "keys-times-queries": "step-added",
        "transposes-every-axis": "another-axis",
        "converts-to-float32": "another-type",
        "no-scale": "another-scale",
        "scaled-twice": "another-scale",
        "results-exchanged": "arguments-exchanged",
        "values-not-projected": "step-left-out",
        "mask-ignored": "argument-ignored",
        "values-from-x": "another-value-used",
        "values-share-the-key-layer": "another-value-used",
        "keys-and-values-exchanged": "arguments-exchanged",
        "divides-by-the-fourth-root": "step-twice",
        "queries-not-projected": "step-left-out",
        "keys-not-projected": "step-left-out",
        **dict.fromkeys(
            (
                "maximum-along-another-axis",
                "one-sum-for-all-rows",
                "divided-in-place",
                "cosine-similarity",
                "keys-not-transposed",
                "queries-transposed",
                "mask-inverted",
                "mask-added-as-zero-and-one",
                "uniform-where-nothing-is-allowed",
                "zero-output-with-uniform-weights",
                "float32-mask",
                "uniform-average",
                "dropout-called-when-none",
                "dropout-on-output",
                "mask-transposed",
                "renormalised-after-the-mask",
                "weights-transposed",
                "base-class-not-initialised",
                "mask-unsqueezed",
                "input-added",
                "layers-made-in-forward",
                "sources-exchanged",
                "memory-not-projected",
            ),
            "",
        ),
    },
}


@pytest.mark.parametrize(("unit", "share"), [("masks", 0.35), ("attention", 0.2)])
def test_of_mistakes_that_are_hidden_many_are_named_and_none_falsely(unit, share, monkeypatch):
    """Each mistake of the table is hidden in turn, with all its variants and twins."""
    new = {*FAMILIES, *(effect.family for effect in (*PLAIN, *OTHERS))}
    some = [mistake for mistake in mistakes(unit) if mistake.name in TRUE[unit]]
    named, wrong = 0, []
    for mistake in some:
        shown = [one for one in mistakes(unit) if (one.task, one.family) != (mistake.task, mistake.family)]
        shown = [one for one in shown if one.source != mistake.source]
        monkeypatch.setattr(diagnosis, "mistakes", lambda unit, shown=shown: shown)
        with quiet():
            (result,) = run_checks(LocalSubject(namespace(mistake), own=defined(mistake)), unit, [mistake.task])
        if result.diagnosis and result.diagnosis.mistake in new:
            named += 1
            if result.diagnosis.mistake != TRUE[unit][mistake.name]:
                wrong.append(f"{mistake.task} {mistake.name}: {result.diagnosis.mistake}")
    assert wrong == []
    assert named >= share * len(some)


@pytest.mark.parametrize(
    "answer",
    ["10**400", "-(10**400)", "float('nan')", "[[[]]]", "{'a': 10**400}", "torch.zeros(0)", "1j * torch.ones(2)"],
)
@pytest.mark.parametrize("task", ["losses.perplexity", "masks.causal_mask", "bleu.brevity_penalty"])
def test_whatever_code_answers_costs_nothing_but_its_points(task, answer):
    """Answers that no right code gives are compared like all others."""
    name = task.partition(".")[2]
    result = answered(task, f"import torch\n\n\ndef {name}(*args, **kwargs):\n    return {answer}\n")
    assert result.points < result.max_points


OTHER_EXCEPTION = """
def gpt2_embed(ids, wte, wpe):
    length = ids.shape[-1]
    assert length <= len(wpe), f"{length} positions do not fit"
    return wte[ids] + wpe[:length]
"""


def test_another_exception_is_told(no_catalogue):
    result = answered("embeddings.gpt2_embed", OTHER_EXCEPTION)
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == "another-exception"
    assert "AssertionError" in result.diagnosis.hint
    assert "ValueError" in result.diagnosis.hint


CHUNKS = """
def split_heads(x, num_heads):
    return torch.stack(torch.chunk(x, num_heads, dim=-1), dim=1)
"""


def test_wrong_arguments_that_are_accepted_beside_others_that_stop_by_chance(no_catalogue):
    result = answered("multihead.split_heads", CHUNKS)
    assert result.diagnosis is not None
    assert result.diagnosis.mistake == "wrong-arguments-accepted"
