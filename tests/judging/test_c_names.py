"""Mistakes in C kernels that nobody has seen before: who is named, and who must not be."""

from __future__ import annotations

import pytest

from autograder.course.catalogue import alternatives, base_source, c_solution, complete_source, mistakes
from autograder.course.registry import find_unit, is_catch
from autograder.judging.implementations import c_namespace
from autograder.judging.results import PASSED, TaskResult
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject
from autograder.sandbox.runtime.c import C_CODE, CCode


def checked(task: str, code: str) -> TaskResult:
    """The result of a task for a kernel, below the lines that every file has."""
    head = c_solution(task.partition(".")[0]).partition("/* The vector")[0].partition("/* Back through")[0]
    (result,) = run_checks(LocalSubject(c_namespace(head + code)), task.partition(".")[0], [task])
    return result


def changed(task: str, *edits: tuple[str, str], base: str = "plain-loops") -> TaskResult:
    """The result of a task for an alternative with edits."""
    code = base_source(task, base)
    for old, new in edits:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    return checked(task, code)


def test_sums_on_top_of_what_was_there_are_told_from_nothing_at_all():
    matmul = "gpt2_forward.matmul_forward"
    into_out = """
void matmul_forward(float *out, const float *inp, const float *weight, const float *bias, int B, int T, int C, int OC) {
    for (int i = 0; i < B * T; i++)
        for (int o = 0; o < OC; o++) {
            if (bias) out[i * OC + o] = bias[o];
            for (int c = 0; c < C; c++) out[i * OC + o] += inp[i * C + c] * weight[o * C + c];
        }
}
"""
    found = checked(matmul, into_out).diagnosis
    assert found
    assert found.mistake == "added-to-what-was-there-without-bias"
    found = changed(matmul, ("for (int b = 0; b < B; b++) {", "for (int b = 0; b < B && bias; b++) {")).diagnosis
    assert found
    assert found.mistake == "nothing-without-bias"


@pytest.mark.parametrize("kernel", ["encoder_forward", "matmul_forward", "softmax_forward", "residual_forward"])
def test_what_is_never_written_is_not_called_added_to(kernel):
    task = f"gpt2_forward.{kernel}"
    loop = "int n = 0; n < N" if kernel == "residual_forward" else "int b = 0; b < B"
    result = changed(task, (loop, loop.replace("<", ">")))
    assert result.points == 0
    names = [found.mistake for found in (result.diagnosis, *result.possible) if found]
    assert not any(name.startswith("added") for name in names)


def test_what_a_kernel_may_leave_as_it_likes_tells_nothing():
    base = "whole-row-with-minus-infinity"  # writes minus infinity to the free future of preatt
    source = base_source("gpt2_forward.attention_forward", base)
    root = next(text for text in ("sqrtf(hs)", "sqrtf((float)hs)", "sqrt(hs)") if source.count(text) == 1)
    result = changed("gpt2_forward.attention_forward", (root, root.replace("hs", "C")), base=base)
    assert result.diagnosis
    assert result.diagnosis.mistake == "scale-of-the-whole-width"


def test_variants_of_a_slip_share_its_name():
    result = changed("gpt2_forward.crossentropy_forward", ("-logf(p)", "-logf(1e-7f + p)"))
    assert result.status != PASSED
    assert result.diagnosis
    assert result.diagnosis.mistake == "small-number-in-the-logarithm"
    variants = [one for one in mistakes("gpt2_forward") if one.family == "small-number-in-the-logarithm"]
    assert len(variants) > 3
    assert len({one.source for one in variants}) == len({one.name for one in variants}) == len(variants)


THREADED = [one for unit in ("gpt2_forward", "gpt2_backward") for one in alternatives(unit) if "omp" in one.source]


@pytest.mark.parametrize("entry", THREADED, ids=lambda entry: f"{entry.task}-{entry.name}")
def test_threads_of_right_kernels_do_not_meet(entry):
    code = CCode()  # as a learner's, for which threads are tried
    code.add("the code", complete_source(entry))
    (result,) = run_checks(LocalSubject({C_CODE: code}), entry.unit, [entry.task])
    assert result.status == PASSED, [check.message for check in result.checks]


@pytest.mark.parametrize("unit", ["gpt2_forward", "gpt2_backward"])
def test_threads_of_the_reference_do_not_meet(unit):
    code = CCode()
    code.add("the code", c_solution(unit))
    kernels = [task for task in find_unit(unit).task_ids if not is_catch(task)]
    for result in run_checks(LocalSubject({C_CODE: code}), unit, kernels):
        assert result.status == PASSED, [check.message for check in result.checks]


def test_a_race_is_told_by_its_message_alone():
    task = "gpt2_backward.encoder_backward"
    code = CCode()
    loop = "    for (int i = 0; i < B * T; i++)"
    code.add("the code", base_source(task, "two-sweeps").replace(loop, f"#pragma omp parallel for\n{loop}"))
    (result,) = run_checks(LocalSubject({C_CODE: code}), "gpt2_backward", [task])
    assert result.status != PASSED
    assert "same entry of `dwte`, so the result depends on chance" in result.checks[0].message
    assert result.diagnosis is None
    assert not result.possible


RUNNING_VARIANCE = """
void layernorm_forward(float *out, float *mean, float *rstd, const float *inp, const float *weight, const float *bias,
                       int B, int T, int C) {
    for (int n = 0; n < B * T; n++) {
        const float *x = inp + (long)n * C;
        double m = 0.0, squares = 0.0;
        for (int i = 0; i < C; i++) {
            m += (x[i] - m) / (i + 1);
            squares += (x[i] - m) * (x[i] - m);
        }
        mean[n] = (float)m;
        rstd[n] = (float)(1.0 / sqrt(squares / C + 1e-5));
        for (int i = 0; i < C; i++) out[(long)n * C + i] = (float)(x[i] - m) * rstd[n] * weight[i] + bias[i];
    }
}
"""


def test_what_no_mistake_explains_in_c_has_no_name():
    """The steps behind the catalogue derive slips from Python alone."""
    result = checked("gpt2_forward.layernorm_forward", RUNNING_VARIANCE)
    assert result.points < result.max_points
    assert (result.diagnosis, result.possible) == (None, ())
