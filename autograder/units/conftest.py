"""Lets pytest run a file of checks: ``pytest autograder/units/attention/checks.py --submission my_attention.py``.

Without ``--submission`` the reference solution is checked.
"""

from pathlib import Path

import pytest

from autograder.course.catalogue import earlier_sources
from autograder.course.registry import UNITS
from autograder.judging.inputs import DEFAULT_SEED, Rng, seed_for
from autograder.judging.runner import reference
from autograder.judging.subject import Learner, NotAttempted
from autograder.sandbox.session import ForkServer, ProcessSubject
from autograder.submissions.notebooks import read


def pytest_addoption(parser):
    parser.addoption("--submission", metavar="FILE", help="the notebook or Python file to check")


@pytest.fixture(scope="session")
def submission(request):
    """The subject with the learner's code, or ``None`` for the reference."""
    path = request.config.getoption("--submission")
    if not path:
        yield None
        return
    with ForkServer() as server:
        server.wait_until_ready()
        code = read(Path(path))
        course = earlier_sources(UNITS[-1].name)
        with ProcessSubject(server, code.cells, modules=code.modules, course=course) as subject:
            yield subject


@pytest.fixture
def check_seed(request):
    task = request.node.get_closest_marker("task").args[0]
    return seed_for(DEFAULT_SEED, f"{task}.{request.node.name.removeprefix('test_')}")


@pytest.fixture
def reference_solution(request, check_seed):
    return reference(request.node.get_closest_marker("task").args[0].partition(".")[0], check_seed)


@pytest.fixture(name="reference")
def _reference(reference_solution):
    return reference_solution


@pytest.fixture
def learner(submission, reference_solution, check_seed):
    return Learner(submission, check_seed) if submission is not None else reference_solution


@pytest.fixture
def rng(check_seed):
    return Rng(check_seed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        return (yield)
    except NotAttempted as missing:
        pytest.fail(str(missing), pytrace=False)
