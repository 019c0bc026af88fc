"""Submissions as they really arrive: found, read, and never a reason to stop."""

from __future__ import annotations

import dataclasses
import json
import os

import pytest

from autograder.course.registry import BY_NAME, find_unit
from autograder.grading.engine import grade_code, grade_source
from autograder.judging.results import number
from autograder.lms.release import source_notebook
from autograder.sandbox.runtime.cells import CellRunner
from autograder.sandbox.session import Limits
from autograder.submissions.discovery import Source, discover
from autograder.submissions.files import MAX_BYTES, UnreadableSubmission
from autograder.submissions.notebooks import Code, read, split_python

F = "def f(x):\n    return 2 * x"
G = "def g(x):\n    return 3 * x"


def executed(path) -> dict:
    """The namespace after the cells of a file have run, as the worker would run them; errors under ``errors``."""
    runner = CellRunner()
    errors = [runner.run(number, source).error for number, source in enumerate(read(path).cells, 1)]
    return {**runner.namespace, "errors": [error for error in errors if error]}


@pytest.fixture(autouse=True)
def _builtins_and_shell(monkeypatch):
    """The runner without its changes to this process (`prepare`)."""
    shell = type("Shell", (), {"run_cell_magic": print, "run_line_magic": print, "system": print, "getoutput": print})()
    monkeypatch.setattr("builtins.get_ipython", lambda: shell, raising=False)


# --- notebooks, rewritten by all kinds of programs ----------------------------------------------------


def nbgrader_cell(cell, source: str, **extra):
    return cell(source, metadata={"nbgrader": {"grade_id": "x", "solution": True}}, id="same", **extra)


def test_a_notebook(write, notebook):
    code = read(write("a.ipynb", notebook(F, G)))
    assert code.cells == [F, G]
    assert code.prose == []


@pytest.mark.parametrize(
    "change",
    [
        lambda cells: [{**one, "metadata": {}} for one in cells],
        lambda cells: [{key: value for key, value in one.items() if key != "metadata"} for one in cells],
        lambda cells: [{key: value for key, value in one.items() if key != "id"} for one in cells],
        lambda cells: [{**one, "id": "the same"} for one in cells],
        lambda cells: [{**one, "metadata": {"colab": {}, "id": "x1", "executionInfo": {}}} for one in cells],
        lambda cells: [{**one, "source": one["source"].splitlines(keepends=True)} for one in cells],
        lambda cells: [{**one, "outputs": [{"output_type": "stream", "text": ["x"] * 1000}]} for one in cells],
        lambda cells: [{**one, "outputs": None, "execution_count": "x", "unknown": [1]} for one in cells],
        lambda cells: [None, 5, "text", [], {}, *cells, {"cell_type": "code"}, {"cell_type": "code", "source": None}],
        lambda cells: [{"cell_type": "code", "source": 5}, {"cell_type": "code", "source": {"a": 1}}, *cells],
        lambda cells: [{"cell_type": "raw", "source": "def f(x): return 0"}, *cells],
        lambda cells: [{"cell_type": "markdown", "source": ["def f(x):\n", "    return 0"]}, *cells],
        lambda cells: [{"cell_type": "code", "source": [None, 5, "x = 1"]}, *cells],
        lambda cells: cells[::-1],
    ],
    ids=[
        "metadata emptied", "metadata gone", "ids gone", "ids equal", "Colab", "lists of lines", "outputs",
        "odd fields",
        "no cells", "odd sources", "raw cell", "text cell", "odd lines", "reordered",
    ],
)  # fmt: skip
def test_rewritten_notebooks(write, cell, notebook, change):
    cells = change([nbgrader_cell(cell, F), nbgrader_cell(cell, G)])
    names = executed(write("a.ipynb", notebook(cells=cells)))
    assert (names["f"](2), names["g"](2), names["errors"]) == (4, 6, [])


def test_format_3(write):
    sheets = [
        {"cells": [{"cell_type": "code", "input": F}, {"cell_type": "markdown", "source": "x"}]},
        {"cells": None},
        5,
    ]
    names = executed(
        write(
            "a.ipynb",
            json.dumps({"nbformat": 3, "worksheets": [*sheets, {"cells": [{"cell_type": "code", "input": [G]}]}]}),
        )
    )
    assert (names["f"](2), names["g"](2)) == (4, 6)


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
        lambda text: text.encode("latin-1"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\n\n  " + text.encode() + b"\n\x20",
    ],
    ids=["BOM", "UTF-16", "UTF-16 BE", "Latin-1", "CRLF", "space around"],
)
def test_encodings_of_notebooks(write, encode):
    text = json.dumps({"cells": [{"cell_type": "code", "source": F + "  # naïve"}]}, ensure_ascii=False, indent=1)
    assert executed(write("a.ipynb", encode(text)))["f"](2) == 4


BROKEN = {
    "0 bytes": (b"", "empty"),
    "white space": (b" \n\n", "empty"),
    "web page": (b"<!DOCTYPE html>\n<html></html>", "a web page"),
    "merge conflict": (b'{\n<<<<<<< HEAD\n "cells": [\n=======\n "cells": []\n>>>>>>> x\n}', "merge conflict"),
    "truncated": (b'{"cells": [{"cell_type": "code", "sou', "breaks off"),
    "no JSON": (b"hello", "damaged"),
    "a list": (b"[1, 2]", "no list of cells"),
    "a text": (b'"cells"', "no list of cells"),
    "null": (b"null", "no list of cells"),
    "cells null": (b'{"cells": null}', "no list of cells"),
    "cells a text": (b'{"cells": "abc"}', "no list of cells"),
    "no cells": (b'{"nbformat": 4}', "no list of cells"),
    "10,001 cells": (b'{"cells": [' + b"0," * 10_000 + b"0]}", "10,001 cells"),
    "endless nesting": (b"[" * 100_000, "damaged"),
    "many digits": (b'{"cells": ' + b"1" * 10_000 + b"}", "damaged"),
    "binary": (bytes(range(256)), "damaged"),
    "null bytes": (bytes(1000), "damaged"),
}


@pytest.mark.parametrize(("data", "said"), BROKEN.values(), ids=BROKEN)
def test_broken_notebooks_are_one_sentence(write, server, data, said):
    path = write("alice.ipynb", data)
    with pytest.raises(UnreadableSubmission) as caught:
        read(path)
    assert said in str(caught.value)
    assert "alice.ipynb" in str(caught.value)
    assert "\n" not in str(caught.value)
    graded = grade_source(server, Source(path, "alice", "attention"))
    assert (graded.status, graded.message, graded.tasks) == ("failed", str(caught.value), ())


def test_files_that_are_none(tmp_path, write):
    folder = tmp_path / "x.ipynb"
    folder.mkdir()
    pipe, broken = tmp_path / "pipe.py", tmp_path / "broken.py"
    os.mkfifo(pipe)
    broken.symlink_to(tmp_path / "nowhere")
    for path in (folder, pipe, broken, tmp_path / "missing.py"):
        with pytest.raises(UnreadableSubmission, match="not a regular file"):
            read(path)
    huge = write("huge.ipynb", b"")
    os.truncate(huge, MAX_BYTES + 1)
    with pytest.raises(UnreadableSubmission, match="clear its outputs"):
        read(huge)


# --- what stands in the cells -------------------------------------------------------------------------

CELLS = {
    "line magic": "%matplotlib inline\nimport math\n",
    "unknown magic": "%whatever x\n",
    "pip": "!pip install torch\n%pip install x\n",
    "shell result": "files = !ls\n",
    "help": "f?\n",
    "top-level await": "import asyncio\nawait asyncio.sleep(0)\n",
    "async for": "async def gen():\n    yield 1\nasync for x in gen(): pass\n",
    "trailing semicolon": "1 + 1;\n",
    "indented": "    y = 1\n    z = 2\n",
    "prompts": ">>> y = 1\n",
    "tabs": "if True:\n\ty = 1\n",
    "non-breaking space in a comment": "#\u00a0x\n",
    "CRLF": "y = 1\r\nz = 2\r\n",
    "only a comment": "# nothing",
    "empty": "",
    "decorators": "import functools\n@functools.lru_cache\ndef h(x):\n    return x\n",
    "emoji": "s = '🙂'\n",
    "form feed": "y = 1\n\x0cz = 2\n",
}


@pytest.mark.parametrize("source", CELLS.values(), ids=CELLS)
def test_cells_of_all_kinds(write, notebook, source):
    names = executed(write("a.ipynb", notebook(source, F)))
    assert names["errors"] == []
    assert names["f"](2) == 4


@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n",
        "1/0",
        "raise SystemExit",
        "import nowhere_to_be_found",
        "x = (",
        "return 5",
        "\x00",
        "a b",
        "%%unknown\nx",
    ],
)
def test_a_failing_cell_loses_only_itself(write, notebook, source):
    names = executed(write("a.ipynb", notebook(F, source, G)))
    assert (names["f"](2), names["g"](2)) == (4, 6)


def test_the_last_definition_counts(write, notebook):
    assert executed(write("a.ipynb", notebook("def f(x):\n    return 0", F)))["f"](2) == 4


def test_future_statements_reach_the_cells_after_them(write, notebook):
    names = executed(
        write("a.ipynb", notebook("from __future__ import annotations", "def f(x: NotDefined):\n    return 2 * x"))
    )
    assert (names["f"](2), names["errors"]) == (4, [])


@pytest.mark.parametrize("sheet", [5, True, "abc", {"a": 1}, None])
def test_sheets_without_a_list_of_cells(write, sheet):
    text = json.dumps({"worksheets": [{"cells": sheet}, {"cells": [{"cell_type": "code"}]}]})
    assert read(write("a.ipynb", text)).cells == [""]


def test_a_definition_in_a_text_cell_is_explained(server, solution_cells):
    prose = ["# Title", "```python\ndef softmax(x, dim=-1):\n    return x\n```"]
    graded = grade_code(
        server, Code(["x = 1"], prose), "attention", ["attention.softmax", "attention.attention_scores"]
    )
    assert [task.status for task in graded.tasks] == ["not_attempted"] * 2
    (note,) = graded.notes
    assert "softmax" in note
    assert "Markdown" in note


def test_failing_cells_are_noted_and_stubs_are_not(server):
    graded = grade_code(server, Code(["x = 1", "1/0", "raise NotImplementedError"]), "attention", ["attention.softmax"])
    assert graded.notes == ("Code cell 2: ZeroDivisionError in line 1: division by zero",)


def test_the_notes_on_thousands_of_cells_are_few(server):
    graded = grade_code(server, Code(["1/0"] * 1000), "attention", ["attention.softmax"])
    assert len(graded.notes) <= 21
    assert graded.notes[-1] == "There are notes on 980 more code cells."


@pytest.mark.parametrize("unit", ["attention", "masks", "babygpt", "gpt2_forward"])
def test_cells_in_reverse_order_earn_what_they_earn_in_order(server, unit):
    """Imports last, and every class above the one that it derives from."""
    cells = [cell.source for cell in source_notebook(find_unit(unit)).cells if cell.cell_type == "code"]
    graded = grade_code(server, Code(cells[::-1]), unit)
    assert [task.status for task in graded.tasks] == ["passed"] * len(graded.tasks)
    assert any("a later cell defines" in note for note in graded.notes)


def test_only_what_helps_is_run_again(server):
    """Not what lacks its name for ever, nothing that would undo what a later cell defines, and no statement twice."""
    cells = [
        "runs = 0",
        "runs += 1\nnobody_defines_this",
        "runs += 1\nnobody_knows_this",
        "half = 1\nclass Half(Base): pass",
        "softmax = late(1)",
        "late = lambda x: None\nclass Base: pass",
        "import torch\nsoftmax = lambda x, dim=-1: torch.softmax(x, dim).nan_to_num()",
        "print(runs, issubclass(Half, Base))  # nobody_defines_this",
    ]
    graded = grade_code(server, Code(cells), "attention", ["attention.softmax"])
    assert graded.tasks[0].status == "passed"
    assert [bool(report.error) for report in graded.cells] == [False, True, True, False, True, False, False, False]
    assert graded.cells[7].output == "2 True\n"
    assert [report.waited for report in graded.cells] == [False, True, False, True, False, False, False, True]


def test_names_are_not_looked_for_in_megabytes(server):
    cells = ["class Half(Base): pass", "class Base: pass", *["#" + 900_000 * "."] * 3]
    graded = grade_code(server, Code(cells), "attention", ["attention.softmax"])
    assert [report.error for report in graded.cells[:2]] == ["NameError in line 1: name 'Base' is not defined", ""]


def test_lethal_cells_are_noted(server):
    graded = grade_code(
        server, Code(["import os; os._exit(0)"]), "attention", ["attention.softmax"], limits=Limits(5, 30)
    )
    assert "Code cell 1: This cell ended the Python process" in graded.notes[0]
    assert graded.tasks[0].status == "not_attempted"


# --- Python files -------------------------------------------------------------------------------------

ANNOTATED = "def f(x: Unknown):\n    return 2 * x\n" + G
PYTHON = {
    "plain": F + "\n\n\n" + G + "\n",
    "no newline at the end": F + "\n" + G,
    "error in one function": F + "\n\ndef broken(x):\n    return (\n\n" + G,
    "error in a class": F + "\n\nclass Broken:\n    def __init__(self)\n        pass\n\n@staticmethod\n" + G,
    "error at the top": "this is not python\n" + F + "\n" + G,
    "cells": "# %%\n" + F + "\n# %% [markdown]\n# # Title\n# %%\n" + G,
    "cells, one broken": "# %%\n" + F + "\n#%%\nx = (\n#%% last\n" + G,
    "future": '"""Doc."""\nfrom __future__ import annotations\nfrom __future__ import division\n\n' + ANNOTATED,
    "future in cells": "from __future__ import annotations\n# %%\ndef f(x: Unknown):\n    return 2 * x\n# %%\n" + G,
    "future and more on one line": "from __future__ import annotations; y = 1\n" + ANNOTATED,
    "CRLF": (F + "\n" + G).replace("\n", "\r\n"),
    "CR": (F + "\n" + G).replace("\n", "\r"),
    "several statements on a line": "n = 0\nn += 1; m = n\ndef f(x): return 2 * x * n; y = 1\n" + G,
    "form feed": F + "\n\x0c\n" + G,
    "line separator in a text": "s = 'a\u2028b\x1cc\x85'\n" + F + "\n" + G,
    "raises in the middle": F + "\n1/0\n" + G,
    "exits": F + "\nif __name__ == '__main__':\n    exit()\n" + G,
    "decorated": "import functools\n@functools.wraps(print)\n@functools.lru_cache\ndef p(): pass\n" + F + "\n" + G,
    "magics": "%matplotlib inline\n!pip install x\n" + F + "\n" + G,
    "tabs": F.replace("    ", "\t") + "\n" + G,
    "backslashes": "y = 1 + \\\n    2\n" + F + "\n" + G,
    "text over lines": 's = """\ndef f(x):\n    return 0\n"""\n' + F + "\n" + G,
    "null byte": F + "\n" + G + "\n\x00",
    "main cells as text": 's = "# %%"\n' + F + "\n" + G,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # of Python and IPython, about odd code
@pytest.mark.parametrize("text", PYTHON.values(), ids=PYTHON)
def test_python_files(write, text):
    names = executed(write("a.py", text))
    assert (names["f"](2), names["g"](2)) == (4, 6)


ENCODED = {
    "declared": "# -*- coding: latin-1 -*-\ns = 'é'\n".encode("latin-1"),
    "not declared": "s = 'é'\n".encode("latin-1"),
    "wrongly declared": "# coding: utf-8\ns = 'é'\n".encode("latin-1"),
    "unknown": "# coding: nonsense\ns = 'é'\n".encode("latin-1"),
    "no text encoding": "# coding: rot13\ns = 'é'\n".encode("latin-1"),
    "another": "# coding: idna\ns = 'é'\n".encode("latin-1"),
    "BOM": "\ufeffs = 'é'\n".encode(),
    "UTF-16": "s = 'é'\n".encode("utf-16"),
}


@pytest.mark.parametrize("head", ENCODED.values(), ids=ENCODED)
def test_encodings_of_python_files(write, head):
    tail = F.encode("utf-16")[2:] if head.startswith(b"\xff\xfe") else F.encode()
    names = executed(write("a.py", head + tail))
    assert names["f"](2) == 4
    assert names["s"] == "é"


def test_line_numbers_are_those_of_the_file(write):
    names = executed(write("a.py", "x = 1\n\n\n1/0\n\n\ndef f(:\n    pass\n"))
    assert names["errors"] == ["ZeroDivisionError in line 4: division by zero", "SyntaxError in line 7: invalid syntax"]
    names = executed(write("b.py", "x = 1\n\n\n1/0\n"))
    assert names["errors"] == ["ZeroDivisionError in line 4: division by zero"]


def test_statements_run_once():
    pieces = split_python("n = 0\nn += 1; n += 1\nif n: n += 1; m = 1\n")
    names: dict = {}
    for piece in pieces:
        exec(piece, names)
    assert names["n"] == 3


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"# only a comment\n", b"<html></html>", bytes(1000), b"\xff" * 100], ids=str
)
def test_python_files_with_no_code_are_graded_as_such(server, write, data):
    graded = grade_source(server, Source(write("a.py", data), "a", "attention"))
    assert (graded.status, number(graded.points)) == ("graded", 0)
    assert {task.status for task in graded.tasks} == {"not_attempted"}
    assert graded.max_points > 0


# --- finding ------------------------------------------------------------------------------------------


def found(path, unit=None) -> list[tuple[str, str, str]]:
    base = path[0] if isinstance(path, list) else path
    paths = path if isinstance(path, list) else [path]
    return [
        (os.path.relpath(source.path, base if base.is_dir() else base.parent), source.student, source.unit)
        for source in discover(paths, unit)
        if not source.problem
    ]


def problems(*paths, unit=None) -> list[str]:
    return [source.problem for source in discover(paths, unit) if source.problem]


def test_student_and_unit_folders(tmp_path, write):
    for student in ("bob", "alice"):
        for unit in ("attention", "masks"):
            write(f"class/{student}/{unit}/{unit}.ipynb", "{}")
    assert found(tmp_path / "class") == [
        (f"{student}/{unit}/{unit}.ipynb", student, unit)
        for student in ("alice", "bob")
        for unit in ("attention", "masks")
    ]
    assert [unit for _, _, unit in found(tmp_path / "class", "masks")] == ["masks", "masks"]
    assert found(tmp_path / "class" / "alice" / "masks") == [("masks.ipynb", "alice", "masks")]


@pytest.mark.parametrize(
    "name",
    ["attention (1).ipynb", "Copy of attention.ipynb", "my work.ipynb", "attention.py", "aufgabe-3.py", "ünï 🙂.ipynb"],
)
def test_renamed_files_in_a_unit_folder(tmp_path, write, name):
    write(f"class/alice/attention/{name}", "{}")
    assert found(tmp_path / "class") == [(f"alice/attention/{name}", "alice", "attention")]


@pytest.mark.parametrize(
    "name",
    [
        "attention.ipynb",
        "attention (1).ipynb",
        "Attention.ipynb",
        "alice_attention_final.ipynb",
        "ATTENTION-v2.py",
        "hw3.attention.ipynb",
    ],
)
def test_the_unit_is_read_off_a_file_name(write, name):
    ((_, _, unit),) = found(write(f"inbox/{name}", "{}"))
    assert unit == "attention"


def test_names_of_units_with_underscores_are_read_whole(write, monkeypatch):
    for name in ("kv_cache", "kv"):
        monkeypatch.setitem(BY_NAME, name, dataclasses.replace(find_unit("attention"), name=name))
    names = ("kv_cache (1).ipynb", "my_KV_cache_v2.py", "kv (1).ipynb", "gpt2_forward2.c", "gpt2_backward-final.c")
    units = [found(write(f"inbox/{name}", "{}"))[0][2] for name in names]
    assert units == ["kv_cache", "kv_cache", "kv", "gpt2_forward", "gpt2_backward"]
    assert problems(write("inbox/kvcached.ipynb", "{}"))


def test_an_extra_level(tmp_path, write):
    write("class/term 1/alice/attention/attention.ipynb", "{}")
    write("class/bob/attention/attention/attention.ipynb", "{}")
    write("class/eve/attention/unpacked zip/my solution.ipynb", "{}")
    assert sorted(source[1:] for source in found(tmp_path / "class")) == [
        ("alice", "attention"),
        ("bob", "attention"),
        ("eve", "attention"),
    ]
    assert problems(tmp_path / "class") == []


def test_folders_of_units_with_learners_in_them(tmp_path, write):
    for student in ("alice", "bob"):
        write(f"attention/{student}/attention.ipynb", "{}")
    assert sorted(source[1:] for source in found(tmp_path)) == [("alice", "attention"), ("bob", "attention")]


def test_unit_folders_in_capitals(tmp_path, write):
    write("class/alice/Attention/Attention.ipynb", "{}")
    assert found(tmp_path / "class") == [("alice/Attention/Attention.ipynb", "alice", "attention")]


def test_a_c_file_is_no_answer_to_a_python_unit(tmp_path, write):
    write("class/alice/attention/attention.c", "int x;")
    write("class/alice/attention/attention.py", F)
    assert found(tmp_path / "class") == [("alice/attention/attention.py", "alice", "attention")]


def test_a_flat_folder(tmp_path, write):
    for student in ("alice", "bob"):
        write(f"inbox/{student}.ipynb", "{}")
    assert found(tmp_path / "inbox", "attention") == [
        ("alice.ipynb", "alice", "attention"),
        ("bob.ipynb", "bob", "attention"),
    ]


def test_several_files_in_a_unit_folder(tmp_path, write):
    write("class/alice/attention/attention.ipynb", "{}")
    write("class/alice/attention/scratch.ipynb", "{}")
    write("class/alice/attention/helper.py", "")
    write("class/bob/attention/answer.ipynb", "{}")
    write("class/bob/attention/helper.py", "")
    assert [path for path, _, _ in found(tmp_path / "class")] == [
        "alice/attention/attention.ipynb",
        "bob/attention/answer.ipynb",
    ]
    write("class/carol/attention/one.ipynb", "{}")
    write("class/carol/attention/two.ipynb", "{}")
    assert [student for _, student, _ in found(tmp_path / "class" / "carol")] == ["carol"]


def test_what_is_not_a_submission_is_ignored(tmp_path, write):
    write("class/alice/attention/attention.ipynb", "{}")
    for extra in (
        "attention.html", ".DS_Store", "._attention.ipynb", ".ipynb_checkpoints/attention-checkpoint.ipynb",
        "data.csv", "~lock.ipynb", "__pycache__/attention.py", "notes.txt",
    ):  # fmt: skip
        write(f"class/alice/attention/{extra}", "x")
    write("class/__MACOSX/alice/attention/attention.ipynb", "x")
    write("class/.git/attention/attention.ipynb", "x")
    write("class/readme.txt", "x")
    assert found(tmp_path / "class") == [("alice/attention/attention.ipynb", "alice", "attention")]
    assert problems(tmp_path / "class") == []


def test_empty_folders_are_said(tmp_path, write):
    (tmp_path / "nobody").mkdir()
    (tmp_path / "class" / "dave" / "attention").mkdir(parents=True)
    write("class/alice/attention/attention.ipynb", "{}")
    assert "There is no submission" in problems(tmp_path / "nobody")[0]
    assert ".ipynb" in problems(tmp_path / "nobody")[0]
    assert len(found(tmp_path / "class")) == 1
    assert "Nothing was submitted" in problems(tmp_path / "class")[0]


@pytest.mark.parametrize(
    ("name", "said"),
    [("a.txt", "only .ipynb"), ("missing.py", "There is no file"), ("hello.ipynb", "say it with --unit")],
)
def test_what_cannot_be_a_submission_is_said(tmp_path, write, name, said):
    if "missing" not in name:
        write(name, "{}")
    assert said in problems(tmp_path / name)[0]


def test_the_same_path_twice_is_one_submission(tmp_path, write, monkeypatch):
    path = write("class/alice/attention/attention.ipynb", "{}")
    monkeypatch.chdir(tmp_path / "class")
    twice = [
        path,
        path,
        tmp_path / "class",
        tmp_path / "class" / "alice" / ".." / "alice",
        type(path)("alice/attention/attention.ipynb"),
    ]
    assert len(discover(twice)) == 1


def test_symbolic_links(tmp_path, write):
    real = write("elsewhere/attention.ipynb", "{}")
    folder = tmp_path / "class" / "alice" / "attention"
    folder.mkdir(parents=True)
    (folder / "attention.ipynb").symlink_to(real)
    (folder / "loop").symlink_to(tmp_path / "class")
    assert found(tmp_path / "class") == [("alice/attention/attention.ipynb", "alice", "attention")]


def test_names_that_are_not_unicode(tmp_path):
    folder = os.fsencode(tmp_path) + b"/class/\xff\xfe/attention"
    os.makedirs(folder)
    with open(folder + b"/attention.ipynb", "wb") as file:
        file.write(b"{}")
    (source,) = discover([tmp_path])
    assert (source.unit, source.problem) == ("attention", "")
