"""What a learner's test is called with: the same programs, without anything that a person wrote for a person."""

from __future__ import annotations

import inspect
import marshal
import re
from collections.abc import Iterator
from types import CodeType

import pytest
import torch

from autograder.course.catalogue import alternatives, mistakes
from autograder.course.catches import Catch, Shown, catch, catches, find_catch, group, slip, style
from autograder.course.registry import COMPLETE
from autograder.judging.runner import run_checks
from autograder.judging.shown import code_of
from autograder.judging.subject import LocalSubject, quiet

TASKS = [task for unit in COMPLETE if unit.language == "python" for task in unit.written_ids]
DECLARED = [one for unit in COMPLETE for one in catches(unit.name)]


def made(one: Catch, shown: Shown | None = None) -> dict:
    names: dict = {"__name__": "given"}
    exec(marshal.loads(code_of(one, shown)), names)
    return names


def code_objects(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_objects(constant)


@pytest.mark.parametrize("task", TASKS)
def test_every_task_can_be_shown(task):
    """Also those of which no test is asked yet: the reference, an alternative and a mistake of each."""
    unit, _, name = task.partition(".")
    entries = [next(entry for entry in kind(unit) if entry.task == task) for kind in (alternatives, mistakes)]
    styles, slips = (style(entries[0].name, "one that ..."),), (slip(entries[1].name, "How?"),)
    one = catch(f"{unit}.test_shown", gets=name, styles=styles, groups=(group("all", "All", *slips),))
    for shown in (None, *styles, *slips):
        assert name in made(one, shown)


def test_what_is_shown_still_does_what_it_did():
    """The checks of the unit give the code that is shown the same verdicts as the original."""
    for one in (declared for declared in DECLARED if declared.unit == "attention"):
        task = f"attention.{one.gets[0]}"
        for shown in (None, *one.styles[:10], *one.slips):
            names = made(one, shown)
            with quiet():
                (result,) = run_checks(LocalSubject(names), "attention", [task])
            right = shown is None or shown in one.styles
            assert (result.status == "passed") == right, shown
            if shown in one.slips:
                assert result.diagnosis is None or result.diagnosis.mistake == shown.name


@pytest.mark.parametrize("one", DECLARED, ids=lambda one: one.task)
def test_nothing_is_left_that_a_person_wrote(one):
    known = set()
    for shown in (None, *one.styles, *one.slips):
        for code in code_objects(marshal.loads(code_of(one, shown))):
            assert code.co_firstlineno == 1
            assert {line for _, _, line in code.co_lines()} <= {1, None, 0}
            known.add(code.co_filename)
        names = made(one, shown)
        for name in one.gets:
            assert names[name].__doc__ is None
            assert names[name].__module__ == "given"
            with pytest.raises((OSError, TypeError)):
                inspect.getsource(names[name])
    assert len(known) == 1


def test_local_variables_are_numbered():
    one = find_catch("attention.test_attention")
    for shown in (None, *one.styles, *one.slips):
        code = made(one, shown)[one.gets[0]].__code__
        own = code.co_varnames[code.co_argcount :]
        assert all(re.fullmatch(r"v\d+|namedtuple", name) for name in own), own


def test_a_built_object_is_made_of_the_implementation():
    def build(names):
        torch.manual_seed(0)
        config = names.BabyGPTConfig(vocab_size=11, block_size=8, n_embed=16, num_heads=2, num_layers=1, dropout=0.0)
        return (names.BabyGPT(config).eval(),)

    built = catch(
        "babygpt.test_built",
        build=build,
        of=("Head", "BabyGPT"),
        styles=(),
        groups=(group("all", "All", slip("Head.no-mask", "Who sees the future?")),),
    )
    wrong = next(entry.name for entry in mistakes("babygpt") if entry.task == "babygpt.Head")
    ids = torch.arange(8)[None]
    logits = [
        build(type("Names", (), made(built, shown)))[0](ids)[0] for shown in (None, slip(f"Head.{wrong}", "How?"))
    ]
    assert logits[0].shape == (1, 8, 11)
    assert not torch.allclose(*logits)
