"""`check`, `hint` and `progress`, called as a learner calls them."""

from __future__ import annotations

import _thread
import html
import random
import re
import sys
import threading

import nbformat
import numpy
import pytest
import torch
from nbclient import NotebookClient

from autograder import check, hint, progress
from autograder.course.addresses import ROOT
from autograder.course.registry import UNITS, find_unit
from autograder.course.version import digest_of_checks, digests_of_tasks
from autograder.judging import results
from autograder.judging.runner import max_points
from autograder.notebook import api

ATTENTION = find_unit("attention")

TASK = "attention.softmax"
RIGHT = "import torch\ndef softmax(x, dim=-1):\n    return torch.softmax(x, dim)\n"
NOISE = (
    "    import sys, warnings\n    print('noise')\n    print('noise', file=sys.stderr)\n    warnings.warn('noise')\n"
)
NOISY = RIGHT.replace("    return", NOISE + "    return")
WORTH = results.number(max_points(TASK))


def namespace(source: str) -> dict:
    names: dict = {}
    exec(compile(source, "<cell>", "exec"), names)
    return names


def test_a_right_answer(state_file):
    result = check(TASK, namespace(RIGHT))
    assert (result.points, result.max_points, result.passed, float(result)) == (WORTH, WORTH, True, WORTH)
    assert "softmax" in str(result)
    assert "softmax" in result._repr_html_()
    assert state_file.exists()


def test_a_wrong_answer_says_why():
    result = check(TASK, namespace("def softmax(x, dim=-1):\n    return x"))
    assert (result.points, result.passed) == (0, False)
    for text in (str(result), result._repr_html_()):
        assert "was expected" in text or "differ" in text


def test_a_unit_holds_all_of_its_tasks():
    result = check("attention", {})
    assert [task.id for task in result.tasks] == list(ATTENTION.task_ids)
    assert {task.status for task in result.tasks} == {"not_attempted"}
    assert result.max_points == sum(results.number(max_points(task)) for task in ATTENTION.task_ids)


def test_the_caller_s_names_are_checked_by_default(monkeypatch):
    monkeypatch.setattr(api, "_shell", lambda: None)  # no notebook runs, whatever other tests have left
    names = namespace(RIGHT + "from autograder import check\nresult = check('attention.softmax')")
    assert names["result"].passed


@pytest.mark.parametrize(
    "what",
    ["nonsense", "attention.nonsense", "diffusion", "diffusion.denoise", "", ".", "softmax", "Attention"],
)
def test_an_unknown_name_gets_a_sentence(planned, what):
    for call in (check, hint):
        message = call(what)
        assert isinstance(message, api.Message)
        assert str(message) == repr(message)
        assert str(message).endswith(".")
        assert "attention" in str(message)


@pytest.mark.parametrize("what", [None, 5, len, ["attention"]])
def test_what_is_no_name_gets_a_sentence(what):
    for call in (check, hint):
        assert "in quotes" in str(call(what))


@pytest.fixture
def released(monkeypatch):
    """Say, as the first cell of a notebook does, with which checks it was released."""
    monkeypatch.setattr(api, "_other_checks", {})
    return lambda unit, checks: check(unit, released_with=checks, package="private-course==2")


def test_a_notebook_is_judged_by_the_checks_that_it_was_released_with(released):
    assert released("attention", digest_of_checks("attention")) is None
    assert check(TASK, namespace(RIGHT)).passed


@pytest.mark.parametrize("what", [TASK, "attention", "attention.entropy"])
def test_other_checks_than_those_of_the_release_judge_nothing(released, what):
    said = str(released("attention", "0123456789abcdef"))
    assert 'pip install --force-reinstall --no-deps "private-course==2"' in said
    assert str(check(what, namespace(RIGHT))) == said
    assert released("attention", digest_of_checks("attention")) is None  # once the right ones are there
    assert isinstance(check(what, namespace(RIGHT)), api.Message) == (what == "attention.entropy")


def test_a_unit_that_only_the_private_course_has(released):
    said = str(released("diffusion", "0123456789abcdef"))
    assert str(check("diffusion.denoise")) == said


def test_messages_are_no_markup():
    assert "<script>" not in check("<script>")._repr_html_()


def test_hints_go_round(state_file):
    texts = [str(hint(TASK)) for _ in range(4)]
    assert len(set(texts)) == 3
    assert texts[3] == texts[0]
    assert "choose from" in str(hint("attention"))


def test_progress_keeps_the_best(state_file):
    check(TASK, namespace(RIGHT))
    check(TASK, {})
    lines = str(progress()).splitlines()
    assert len(lines) == len(UNITS) + 1
    assert lines[-1].startswith("Yours so far: ")
    assert f"{WORTH:g} of" in next(line for line in lines if " attention " in line)


@pytest.mark.parametrize("place", ["/dev/null/x/progress.json", "/proc/progress.json"])
def test_a_home_that_cannot_be_written_to(monkeypatch, place):
    monkeypatch.setenv("AUTOGRADER_STATE", place)
    assert check(TASK, namespace(RIGHT)).passed
    assert "Hint 1" in str(hint(TASK))
    assert "attention" in str(progress())


def test_prints_and_warnings_of_the_learner_do_not_show(capfd, recwarn):
    assert check(TASK, namespace(NOISY)).passed
    assert capfd.readouterr() == ("", "")
    assert not [warning for warning in recwarn if "noise" in str(warning.message)]


def test_random_numbers_go_on_as_if_nothing_had_been_checked():
    def draw() -> list[float]:
        return [torch.rand(()).item(), random.random(), numpy.random.rand()]

    def seed() -> None:
        torch.manual_seed(5)
        random.seed(5)
        numpy.random.seed(5)

    drawing = "import random, numpy\n" + RIGHT.replace(
        "    return", "    torch.rand(3); random.random(); numpy.random.rand()\n    return"
    )
    seed()
    expected = draw()
    seed()
    assert check(TASK, namespace(drawing)).passed
    assert draw() == expected


def test_the_learner_s_objects_stay_as_they_were():
    names = namespace(RIGHT)
    before = dict(names)
    check("attention", names)
    assert names == before


def test_an_interrupt_ends_the_check_and_nothing_else():
    started = threading.Event()
    names = {"softmax": lambda x, dim=-1: _loop(started)}
    timer = threading.Thread(target=lambda: (started.wait(30), _thread.interrupt_main()))
    stdout, stderr, state = sys.stdout, sys.stderr, torch.get_rng_state()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        check(TASK, names)
    timer.join()
    assert (sys.stdout, sys.stderr) == (stdout, stderr)
    assert torch.equal(torch.get_rng_state(), state)
    assert check(TASK, namespace(RIGHT)).passed


def _loop(started: threading.Event) -> None:
    started.set()
    while True:
        pass


@pytest.fixture(scope="module")
def executed():
    """The outputs of a notebook's cells, run by a real kernel."""
    cells = [
        "from autograder import check, hint, progress",
        NOISY,
        f"check('{TASK}')",
        "def attention_scores(q, k):\n    return q",
        "check('attention.attention_scores')",
        "check('attention')",
        "hint('attention.softmax')",
        "check('nonsense')",
        "progress()",
        "float(check('attention.softmax'))",
    ]
    document = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    client = NotebookClient(document, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}})
    return [cell.outputs for cell in client.execute().cells]


def shown(outputs, kind: str) -> str:
    """What the one output of a cell shows in a form."""
    (output,) = outputs
    assert output.output_type == "execute_result", output
    return output.data[kind]


def test_in_a_notebook_the_text_is_the_score_and_the_page_the_feedback(executed):
    assert float(shown(executed[2], "text/plain")) == WORTH
    assert "softmax" in shown(executed[2], "text/html")
    assert float(shown(executed[4], "text/plain")) == 0
    assert "shape" in shown(executed[4], "text/html")
    assert float(shown(executed[5], "text/plain")) >= WORTH
    assert float(shown(executed[9], "text/plain")) == WORTH


def test_in_a_notebook_nothing_else_is_printed(executed):
    for outputs in executed:
        assert [output for output in outputs if output.output_type in ("stream", "error")] == []


def test_in_a_notebook_messages_show_themselves(executed):
    assert shown(executed[6], "text/plain").startswith("Hint 1 of 3")
    assert "There is no unit" in shown(executed[7], "text/plain")
    assert "attention" in shown(executed[8], "text/html")


def test_a_notebook_of_a_release_says_which_tasks_have_changed_since(monkeypatch):
    """Catches notes on tasks that are as they were, and tasks that are not judged any more."""
    monkeypatch.setattr(api, "_changed", {})
    digests = digests_of_tasks("attention")
    assert len(re.findall(r"\w+-[0-9a-f]{8}\b", digests)) == len(ATTENTION.task_ids)
    assert check("attention", tasks=digests, package="course==2") is None
    assert check(TASK, namespace(RIGHT)).note == ""
    first = digests.split()[0]
    assert first.startswith("softmax-")
    check("attention", tasks=digests.replace(first, "softmax-00000000"), package="course==2")
    said = check(TASK, namespace(RIGHT))
    assert said.passed
    assert f"The task or the checks of {TASK} have changed" in str(said)
    assert '--no-deps "course==2"' in said.note
    assert html.escape(said.note) in said._repr_html_()
    assert check("attention.attention_scores", {}).note == ""
