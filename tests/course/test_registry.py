"""Which units and tasks exist, and what a learner reads about a name that does not exist."""

from __future__ import annotations

import pytest

from autograder import check, hint
from autograder.course.registry import COMPLETE, UnknownUnit, find_tasks

FORMER = [f"{unit.name}.{name}" for unit in COMPLETE for name in unit.former]


@pytest.mark.parametrize("task", FORMER)
def test_a_task_of_an_earlier_release_is_named_as_such(task):
    """Notebooks that were released with it still hold its cells."""
    with pytest.raises(UnknownUnit, match="was a task in an earlier release of the course") as caught:
        find_tasks(task)
    for shown in (caught.value, check(task), hint(task)):
        assert f"{task} was a task in an earlier release" in str(shown)
        assert str(shown).count("\n") == 0


def test_no_former_task_is_one_still():
    assert FORMER
    assert {task for unit in COMPLETE for task in unit.task_ids}.isdisjoint(FORMER)


def test_a_task_that_never_was_is_told_from_those_that_are():
    with pytest.raises(UnknownUnit, match=r"There is no task called 'translation\.evaluates'"):
        find_tasks("translation.evaluates")
