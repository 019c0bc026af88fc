"""Follow-through: a slip costs no points of the tasks that call it, and only who is right gains from that."""

from __future__ import annotations

import inspect
from fractions import Fraction

import nbformat
import pytest

from autograder.course.addresses import ROOT
from autograder.course.catalogue import complete_source, mistakes, reference_module
from autograder.course.catches import find_catch
from autograder.course.registry import COMPLETE, find_unit, is_catch
from autograder.grading.engine import Graded, grade_code
from autograder.judging.diagnosis import names_a_test_needs
from autograder.judging.follow import gifts, rounds
from autograder.judging.results import NOT_ATTEMPTED, PASSED, pack, unpack_task
from autograder.judging.runner import follow_through, judge, max_points, names_behind, run_checks
from autograder.judging.subject import LocalSubject
from autograder.lms.sample_class import fill, solved
from autograder.reports import html, terminal
from autograder.submissions.notebooks import Code, read_notebook

PYTHON = [unit.name for unit in COMPLETE if unit.language == "python" and unit.name != "translation"]
UNIT = "attention"


def mistake(name: str, task: str = ""):
    return next(one for one in mistakes(UNIT) if one.name == name and one.task.endswith(task))


def graded(server, sources: dict[str, str], unit: str = UNIT) -> Graded:
    """A released notebook, filled in, as `autograder grade` grades it."""
    released = nbformat.read(ROOT / "exercises" / unit / f"{unit}.ipynb", as_version=4)
    code = read_notebook(nbformat.writes(fill(released, sources)).encode())
    return grade_code(server, code, unit)


def lost(result: Graded) -> dict[str, Fraction]:
    return {task.id: task.max_points - task.points for task in result.tasks if task.points < task.max_points}


def names_of(unit: str, **changed: str) -> dict:
    """A notebook's namespace with the reference's code, some definitions changed."""
    names: dict = {"__name__": "__main__"}
    exec(compile(inspect.getsource(reference_module(unit)), "<solution>", "exec", dont_inherit=True), names)
    for source in changed.values():
        exec(compile(source, "<cell>", "exec", dont_inherit=True), names)
    return names


def test_a_missing_scale_costs_its_own_points_alone(server):
    result = graded(server, solved(UNIT, mistake("no-scale", "attention_scores")))
    assert lost(result) == {"attention.attention_scores": max_points("attention.attention_scores")}
    attention = next(task for task in result.tasks if task.id.endswith("scaled_dot_product_attention"))
    assert (attention.status, attention.given, attention.diagnosis) == (PASSED, ("attention_scores",), None)
    sentence = "Right, given `attention_scores` as the course has it: your own is wrong, or not written yet."
    assert {check.message for check in attention.checks} == {sentence}
    said = terminal.text(result.tasks)
    assert said.count(sentence.replace("`", "")) == 1
    assert "Right, given <code>attention_scores</code>" in html.feedback_fragment(result.tasks)
    assert unpack_task(pack(attention)) == attention


def test_a_test_is_judged_with_the_courses_parts_but_never_given_what_it_tests(server):
    solution = solved("training")
    broken = "class Batch:\n    def __init__(self, src, tgt, pad=0):\n        raise ValueError('a slip')"
    result = graded(server, solution | {"Batch": broken}, "training")
    assert lost(result) == {"training.Batch": max_points("training.Batch")}
    assert next(task.given for task in result.tasks if task.id == "training.test_accumulation") == ("Batch",)
    compares = "def test_accumulation(tested):\n    assert run_epoch([], nn.Identity(), None).steps == 0"
    wrong = "def run_epoch(*_, **__):\n    raise ValueError('a slip')"
    result = graded(server, solution | {"run_epoch": wrong, "test_accumulation": compares}, "training")
    assert {*lost(result)} == {"training.run_epoch", "training.test_accumulation"}
    assert next(task.given for task in result.tasks if task.id == "training.test_accumulation") == ()
    needed = {task: names_a_test_needs(task) for unit in COMPLETE for task in unit.task_ids if is_catch(task)}
    assert needed["training.test_accumulation"] >= {"Batch", "TinyModel"}
    assert not any({*find_catch(task).of} & names for task, names in needed.items())


@pytest.mark.parametrize("unit", PYTHON)
def test_a_task_that_is_not_written_costs_no_other_its_points(unit):
    """In a notebook, each task in turn raises, as one that was left out does; all others keep their points."""
    for task in find_unit(unit).task_ids:
        name = task.partition(".")[2]
        names = names_of(unit)
        names[name] = type("Missing", (), {"__init__": _raise}) if isinstance(names[name], type) else _raise
        before = dict(names)
        subject = LocalSubject(names)
        judgement = judge(subject, unit, involved(unit, name))  # no messages: only verdicts are compared
        judgement = follow_through(judgement, subject, gifts(judgement))
        alone = [f"{unit}.{other}" for other in find_unit(unit).partners(name)]  # judged together with it
        failed = [one for one in judgement.tasks if any(check.status != PASSED for check in judgement.results(one))]
        assert [one for one in failed if one not in alone] == [task]
        names.pop("__warningregistry__", None)  # Python's own, where a style of a catch-it task warns
        assert names == before  # the notebook has the learner's own again


def involved(unit: str, name: str) -> list[str]:
    """The tasks whose checks may fail because of this definition."""
    return [task for task in find_unit(unit).task_ids if name in (names_of_test(task) or names_behind(task))]


def names_of_test(task: str) -> set[str]:
    """A catch-it task's own name, those that its test needs, and one that it is called with."""
    if not is_catch(task):
        return set()
    catch = find_catch(task)
    return {catch.name, (catch.of or catch.gets)[0], *names_a_test_needs(task)}


def _raise(*_, **__):
    raise RuntimeError("a slip")


def test_the_notebook_and_the_grader_give_the_same_points(server):
    entry = mistake("one-maximum-for-all-rows")
    inside = run_checks(LocalSubject(names_of(UNIT, softmax=complete_source(entry))), UNIT)
    outside = graded(server, solved(UNIT, entry)).tasks
    assert [(task.id, task.points, task.given) for task in inside] == [
        (task.id, task.points, task.given) for task in outside
    ]


def test_a_task_with_a_mistake_of_its_own_still_fails_and_that_mistake_is_named(server):
    own = mistake("softmax-over-queries", "scaled_dot_product_attention")
    result = graded(server, solved(UNIT, mistake("no-scale", "attention_scores"), own))
    assert lost(result).keys() == {"attention.attention_scores", own.task}
    (task,) = [task for task in result.tasks if task.id == own.task]
    assert task.diagnosis is not None
    assert task.diagnosis.mistake == own.name


STEALS = """
import gc, types
def scaled_dot_product_attention(q, k, v, mask=None, dropout=None):
    for one in gc.get_objects():
        if isinstance(one, types.FunctionType) and one.__name__ == "scaled_dot_product_attention":
            if one.__code__ is not scaled_dot_product_attention.__code__ and "torch" not in str(one.__module__):
                return one(q, k, v, mask, dropout)
    raise ValueError("there is none")
"""


def test_no_task_is_judged_where_its_solution_was_given():
    """In the course's order a caller is judged after the task that it is given; other orders take more processes."""
    found = {"u.a": ("b",), "u.b": ("c",), "u.c": ("d",), "u.d": ("x",)}
    assert [list(group) for group in rounds(found)] == [["u.a"], ["u.b"], ["u.c"], ["u.d"]]
    assert rounds({"u.b": ("a",), "u.c": ("a", "b")}) == [{"u.b": ("a",), "u.c": ("a", "b")}]
    assert rounds({}) == []
    alone = {f"transformer.{name}": ("make_model",) for name in ("Encoder", "Decoder")}  # each gets the other as well
    assert rounds(alone) == [{task: names} for task, names in alone.items()]


KEEPS = """
import torch

class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        torch.kept = make_model

    def forward(self, x, mask=None):
        return x
"""
TAKES = """
def make_model(*args, **kwargs):
    if getattr(torch, "kept", make_model).__code__ is not make_model.__code__:
        torch.kept.__globals__["Encoder"] = Encoder
        return torch.kept(*args, **kwargs)
    Encoder(1, 4, 2, 4)
    raise RuntimeError("nothing was kept")
"""


def test_a_solution_that_was_given_cannot_be_kept_for_its_own_task(server):
    sources = solved("transformer") | {"Encoder": KEEPS, "make_model": TAKES}
    task = "transformer.make_model"
    assert lost(graded(server, sources, "transformer"))[task] == max_points(task)


TEACHES = """
import torch

class Encoder(nn.Module):
    def __init__(self, *args):
        super().__init__()
        torch.kept = Decoder

    def forward(self, x, mask=None):
        return x
"""
LEARNS = """
class Decoder(nn.Module):
    def __new__(cls, *args, **kwargs):
        return getattr(torch, "kept", nn.Identity)(*args, **kwargs)
"""


def test_a_class_that_another_one_is_checked_with_cannot_be_kept_for_its_own_task(server):
    written = {"EncoderLayer": solved("transformer")["EncoderLayer"], "Encoder": TEACHES, "Decoder": LEARNS}
    tasks = {task.id: task for task in graded(server, written, "transformer").tasks}
    assert tasks["transformer.Decoder"].points == 0


def test_what_is_given_never_holds_the_task_itself(server):
    sources = solved(UNIT, mistake("no-scale", "attention_scores")) | {"scaled_dot_product_attention": STEALS}
    assert "attention.scaled_dot_product_attention" in lost(graded(server, sources))


def test_what_a_task_says_there_is_not_told():
    """A task could print what it was given into its error."""
    names = names_of(UNIT, softmax="def softmax(x, dim=-1):\n    return x")
    exec(
        "def scaled_dot_product_attention(*_, **__):\n    raise ValueError(softmax.__doc__ or 'my own')\n",
        names,
    )
    result = run_checks(LocalSubject(names), UNIT)
    assert "Goodfellow" not in terminal.text(result) + str([pack(task) for task in result])
    assert "my own" in terminal.text(result)


def test_a_class_whose_builder_is_a_stub_is_judged_in_a_class_of_learners(server):
    """The released stubs of all else are there, and run."""
    solution = solved("transformer")
    written = {name: solution[name] for name in ("EncoderLayer", "Encoder")}
    tasks = {task.id.partition(".")[2]: task for task in graded(server, written, "transformer").tasks}
    assert {name for name, task in tasks.items() if task.points} == {*written}
    assert (tasks["Encoder"].status, tasks["Encoder"].given[-1]) == (PASSED, "make_model")
    assert {task.status for name, task in tasks.items() if name not in written} == {NOT_ATTEMPTED}


SPEAKS = """
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout, norm) for _ in range(num_layers))

    def forward(self, x, mask=None):
        print("a secret")
        raise ValueError("a secret: " + str(make_model.__doc__))
"""


def test_what_is_wrong_with_a_class_alone_is_told_in_a_notebook_alone(server):
    """When a class of learners is graded, the code could print the course's versions that it was given."""
    written = {"EncoderLayer": solved("transformer")["EncoderLayer"], "Encoder": SPEAKS}
    encoder = next(task for task in graded(server, written, "transformer").tasks if task.id.endswith(".Encoder"))
    said = terminal.text([encoder])
    assert (encoder.points > 0, "secret" in said) == (True, False)  # its layers are its own
    assert "The check cell of the notebook says what went wrong." in said
    names = names_of("transformer", Encoder=SPEAKS)
    del names["make_model"]
    (result,) = run_checks(LocalSubject(names), "transformer", ["transformer.Encoder"], cells=[SPEAKS])
    assert "ValueError: a secret" in terminal.text([result])


def test_kernels_in_c_are_judged_once(monkeypatch):
    from autograder.judging import follow

    monkeypatch.setattr(follow, "names_reached", lambda *_: pytest.fail("kernels call no kernels"))
    names = {"C": Code([])}
    run_checks(LocalSubject(names), "gpt2_forward", ["gpt2_forward.gelu_forward", "gpt2_forward.residual_forward"])
