"""A check in a running notebook has an end, says how far it is, and can be interrupted."""

from __future__ import annotations

import queue
import sys
import threading
import time

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from autograder import check
from autograder.course.addresses import ROOT
from autograder.judging import results
from autograder.notebook.api import Report

TASK = "attention.softmax"
LOOP = """
def softmax(x, dim=-1):
    print("so far")
    tokens = 0
    while tokens < 5:
        total = tokens + 1
    return x
"""
CATCHES = """
def softmax(x, dim=-1):
    while True:
        try:
            total = 1
        except:
            pass
"""
SLEEPS = """
import time
def softmax(x, dim=-1):
    time.sleep(600)
"""
CALLS = """
def helper(x):
    return x + 1

def softmax(x, dim=-1):
    while True:
        x = helper(x)
"""


def defined(source: str) -> dict:
    names: dict = {}
    exec(compile(source, "<cell 1>", "exec"), names)
    return names


def messages(report: object) -> list[str]:
    assert isinstance(report, Report)
    return [one.message for task in report.tasks for one in task.checks]


@pytest.mark.parametrize("source", [LOOP, CATCHES, SLEEPS, CALLS], ids=["loop", "catches", "sleeps", "calls"])
def test_a_loop_that_never_ends_is_ended(source):
    started = time.monotonic()
    first, *others = messages(check(TASK, defined(source), seconds=0.5))
    assert time.monotonic() - started < 20
    assert first.startswith("This check did not finish within 0.5 seconds; it was in line ")
    assert "Is there a loop that never ends?" in first
    assert all("Not run" in message for message in others)


SLOW_MODULE = """
import time
for _ in range(40):
    time.sleep(0.05)
done = True
"""
IMPORTS = """
def softmax(x, dim=-1):
    import slow_module_of_a_library
    while True:
        pass
"""


@pytest.mark.parametrize("in_thread", [False, True], ids=["signal", "thread"])
def test_an_import_is_not_cut_off(tmp_path, monkeypatch, in_thread):
    """PyTorch imports half of itself at first use: cut off, it would stay broken until the kernel is restarted."""
    (tmp_path / "slow_module_of_a_library.py").write_text(SLOW_MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slow_module_of_a_library", raising=False)
    found: list = []
    thread = threading.Thread(target=lambda: found.append(check(TASK, defined(IMPORTS), seconds=0.5)))
    if in_thread:
        thread.start()
        thread.join(60)
    else:
        found.append(check(TASK, defined(IMPORTS), seconds=0.5))
    assert messages(found[0])[0].startswith("This check did not finish within 0.5 seconds; it was in line 4 ")
    assert sys.modules["slow_module_of_a_library"].done


def test_an_import_that_never_ends_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.notebook.waiting.IMPORT_SECONDS", 0.5)
    (tmp_path / "endless_module.py").write_text("while True:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    code = IMPORTS.replace("slow_module_of_a_library", "endless_module")
    first, *_ = messages(check(TASK, defined(code), seconds=0.5))
    assert first.startswith("This check did not finish within 0.5 seconds")


def test_what_was_printed_before_is_shown():
    first, *_ = messages(check(TASK, defined(LOOP), seconds=0.5))
    assert first.endswith("Your code printed:\nso far")


def test_in_another_thread_too():
    found: list = []
    thread = threading.Thread(target=lambda: found.append(check(TASK, defined(CATCHES), seconds=0.5)))
    thread.start()
    thread.join(60)
    assert found
    assert messages(found[0])[0].startswith("This check did not finish within 0.5 seconds")


def test_tasks_that_do_not_hang_are_checked_all_the_same(solution_cells):
    names = defined("\n".join(solution_cells("attention")) + LOOP)
    report = check("attention", names, seconds=0.5)
    assert isinstance(report, Report)
    status = {task.id: task.status for task in report.tasks}
    assert status[TASK] == results.TIMEOUT
    assert status["attention.attention_scores"] == results.PASSED


def test_the_environment_sets_the_limit(monkeypatch):
    monkeypatch.setenv("AUTOGRADER_SECONDS", "0.25")
    assert "within 0.25 seconds" in messages(check(TASK, defined(LOOP)))[0]


def test_without_a_limit_what_takes_long_passes():
    slow = "import time, torch\ndef softmax(x, dim=-1):\n    time.sleep(0.01)\n    return torch.softmax(x, dim)\n"
    report = check(TASK, defined(slow), seconds=0)
    assert isinstance(report, Report)
    assert report.passed


def notebook(*cells: str) -> list:
    """The outputs of cells that a real kernel ran."""
    document = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    client = NotebookClient(document, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}})
    return [cell.outputs for cell in client.execute().cells]


FORGOTTEN = """def train_bpe(text, num_merges):
    # the ids of the text
    ids, i = list(text.encode()), 0
    merges = []
    while i < len(ids):
        merges.append(ids[i])
    return merges"""


def test_in_a_notebook_the_loop_is_named_and_the_others_are_checked():
    *_, (output,), after = notebook(
        "from autograder import check",
        FORGOTTEN,
        "def bpe_encode(text, merges):\n    return list(text.encode())",
        "report = check('tokens', seconds=1)",
        "import IPython; IPython.display.HTML(report._repr_html_())",
        "print('still here')",
    )
    page = output.data["text/html"]
    assert "line 5 of your cell `train_bpe`: while i &lt; len(ids):" in page  # where it was, or the loop around that
    assert "tokens.bpe_encode" in page
    assert after[0].text == "still here\n"


def test_in_a_notebook_a_long_check_says_how_far_it_is():
    outputs = notebook("from autograder import check\n" + FORGOTTEN, "report = check('tokens.train_bpe', seconds=3)")[1]
    assert [output.output_type for output in outputs] == ["display_data"]
    assert outputs[0].data["text/plain"] == ""  # the line goes when all is done


@pytest.fixture
def kernel():
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(ROOT))
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def outputs_until_idle(client, asked: str, seen) -> list[dict]:
    """What the kernel says to one request; ``seen`` gets each message."""
    found = []
    while True:
        try:
            message = client.get_iopub_msg(timeout=60)
        except queue.Empty:
            pytest.fail("the kernel does not answer")
        if message["parent_header"].get("msg_id") != asked:
            continue
        seen(message)
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return found
        found.append(message)


def test_an_interrupt_in_a_notebook_gives_one_line(kernel):
    manager, client = kernel

    def interrupt(message: dict) -> None:
        if message["msg_type"] == "display_data":  # the line that says how far the check is
            shown.append(message["content"]["data"]["text/plain"])
            manager.interrupt_kernel()

    shown: list[str] = []
    client.execute("from autograder import check\n" + FORGOTTEN)
    asked = client.execute("check('tokens.train_bpe')")
    found = outputs_until_idle(client, asked, interrupt)
    assert "Check 1 of" in shown[0]
    (error,) = [message["content"] for message in found if message["msg_type"] == "error"]
    (line,) = error["traceback"]
    assert line.startswith("The check was interrupted; it was in line ")
    assert "\n" not in line
    assert "your cell `train_bpe`" in line
    asked = client.execute("print('still here')")
    assert "still here" in str(outputs_until_idle(client, asked, lambda message: None))
