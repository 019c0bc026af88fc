"""Cells as notebooks have them: what fails costs one statement, and a magic does what it does there, or nothing."""

from __future__ import annotations

import pytest

from autograder.sandbox.runtime.requests import Request

GOOD = "def double(x):\n    return 2 * x"
SHOW = "def show(name):\n    return globals().get(name, 'it is not there')"


def assert_good(one) -> None:
    outcome = one.ask(Request("double", (7,)))
    assert (outcome.value, outcome.kinds, outcome.missing) == (14, (), "")


def value(one, name: str):
    return one.ask(Request("show", (name,))).value


# --- one statement is lost ------------------------------------------------------------------------------

COLAB = "ModuleNotFoundError in line 1: `google.colab` is not installed where submissions are graded; the rest of"
FAILING = {
    "a package": (
        "import this_is_not_there",
        "ModuleNotFoundError in line 1: `this_is_not_there` is not installed where submissions are graded (a module",
    ),
    "a package with a point": ("from google.colab import drive", COLAB),
    "what follows from it": ("from google.colab import drive\ndrive.mount('/content')\nx = drive.y\nprint(x)", COLAB),
    "one of several": ("import math, this_is_not_there.too as other", "`this_is_not_there.too` is not installed"),
    "inside of a function": ("def f():\n    import google.colab\nf()", "in line 2: `google` is not installed"),
    "a name": ("from math import no_such_name", "ImportError in line 1: cannot import name 'no_such_name'"),
    "two packages": ("import not_there_1\nimport not_there_2", "`not_there_2` is not installed"),
    "an error": ("1 / 0", "ZeroDivisionError in line 1: division by zero; the rest of the cell was run"),
    "an assertion": ("assert 1 == 2, 'no'", "AssertionError in line 1: no; the rest of the cell was run"),
    "an exit": ("import sys\nsys.exit('enough')", "SystemExit in line 2: enough; the rest of the cell was run"),
    "an interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt in line 1: ; the rest of the cell was run"),
    "a stub and an error": ("raise NotImplementedError\n1 / 0", "ZeroDivisionError in line 2: division by zero; NotI"),
    "many errors": ("1 / 0\n" * 9, "division by zero; 6 more statements failed; the rest of the cell was run"),
    "a class": ("class A(NotThere): pass\nclass B(A): pass", "name 'NotThere' is not defined; the rest of the cell"),
    "an unknown magic": ("%no_such_magic 5", ""),
    "a statement that is none": ("return 5", "SyntaxError in line 1: 'return' outside function; the rest"),
    "no Python": ("x = = 3", "SyntaxError in line 1: invalid syntax; the rest of the cell was run"),
    "prose": ("I am not sure.\nPlease look at this!", "SyntaxError in line 2"),
    "an open bracket": ("def f(x):\n    return (\n", "SyntaxError in line 2: '(' was never closed; the rest"),
    "an empty function": ("def f(x):\n    # later", "expected an indented block after function definition on line 1"),
    "a try alone": ("try:\n    pass", "expected 'except' or 'finally' block; the rest of the cell was run"),
    "a decorator alone": ("@staticmethod\nx = 5", "SyntaxError in line 2: invalid syntax; the rest of the cell was"),
    "an indented line": ("x = 5\n    y = 5", "IndentationError in line 2: unexpected indent; the rest of the cell was"),
    "awaiting what fails": ("import asyncio\nawait asyncio.sleep(0)\nawait 5", "TypeError in line 3"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("first", "said"), FAILING.values(), ids=FAILING)
def test_what_fails_costs_one_statement(subject, first, said):
    one = subject(f"{first}\nimport torch\n{GOOD}", "import torch\nassert torch")
    assert_good(one)
    assert said in one.reports[0].error
    assert one.reports[0].error.count("the rest of the cell was run") == bool(one.reports[0].error)
    assert one.reports[1].error == ""


def test_nothing_is_said_of_a_rest_that_is_not_there(subject):
    one = subject(f"{GOOD}\n1 / 0")
    assert_good(one)
    assert one.reports[0].error == "ZeroDivisionError in line 3: division by zero"


def test_a_cell_of_errors_alone(subject):
    one = subject("x = = 1\n" * 150, GOOD)
    assert_good(one)
    assert "147 more statements failed" in one.reports[0].error or "97 more" in one.reports[0].error


def test_a_definition_below_a_failing_statement_is_the_last_one(subject):
    one = subject(f"{GOOD}\n1 / 0\n{GOOD.replace('2', '3')}")
    assert one.ask(Request("double", (7,))).value == 21


def test_what_waits_for_a_later_cell_runs_the_failed_statements_again_and_no_others(subject):
    one = subject(
        "runs = 0",
        "runs += 1\nclass Half(Base):\n    pass\nprint('first', runs)\nimport not_there",
        f"class Base:\n    pass\n{GOOD}\n{SHOW}",
    )
    assert_good(one)
    assert value(one, "runs") == 1
    assert one.reports[1].waited
    assert one.reports[1].output == "first 1\n"
    assert one.reports[1].error.startswith("ModuleNotFoundError in line 5: `not_there` is not installed")


# --- line numbers ---------------------------------------------------------------------------------------

LINES = {
    "plain": "\n\nx = 1\n1 / 0",
    "blank lines with spaces": "  \n\t\n\n1 / 0",
    "a text over lines": 'x = """\n\n"""\n1 / 0',
    "below a magic": "\n%%time\n\n1 / 0",
    "below a magic with options": "%%capture --no-stderr out\nx = 1\n\n1 / 0",
    "below two magics": "%%time\n%%capture\n\n1 / 0",
    "in a line magic": "x = 1\n\n\n%time 1 / 0",
    "in a function that a line magic calls": "def f():\n\n\n    1 / 0\n%timeit -n 3 f()",
    "in a comprehension": "x = [\n    1,\n    *(\n        1 / zero for zero in [0])]",
    "after what cannot be parsed": "x = = 1\n\n\n1 / 0",
    "old line ends": "x = 1\r\r\r1 / 0",
    "line ends of Windows": "x = 1\r\n\r\n\r\n1 / 0",
    "with awaiting": "import asyncio\nawait asyncio.sleep(0)\n\n1 / 0",
    "in a coroutine": "async def f():\n\n\n    1 / 0\nawait f()",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cell", LINES.values(), ids=LINES)
def test_errors_name_their_line(subject, cell):
    one = subject(cell, GOOD)
    assert_good(one)
    assert "ZeroDivisionError in line 4: division by zero" in one.reports[0].error


@pytest.mark.parametrize("above", ["import not_there\n", "%%time\n", "x = = 1\n", "\n"])
def test_checks_name_the_line_of_the_cell(subject, above):
    one = subject(f"{above}def bad():\n    return 1 / 0", SHOW)
    cell = "cell 1" if "= =" in above else "your cell `bad`"  # what does not parse has no name
    assert one.ask(Request("bad")).where == f"line 3 of {cell}: return 1 / 0"


def test_a_functions_own_text_can_be_read(subject):
    one = subject(
        f"%time 1\nimport not_there\n{GOOD}\n%timeit 2\nimport inspect\ntext = inspect.getsource(double)", SHOW
    )
    assert value(one, "text") == GOOD + "\n"


# --- magics and shell lines -----------------------------------------------------------------------------

MAGICS = {
    "%timeit -n 3 -r 1 f()": "%timeit -n 3 -r 1 sum(range(10))\nfound = 1",
    "%timeit -n3 -qo f()": "%timeit -n3 -qo sum(range(10))\nfound = 1",
    "%timeit -r 2 of a statement": "%timeit -r 2 x = sum(range(10))\nfound = 1",
    "%timeit alone": "%timeit\nfound = 1",
    "x = %timeit -o": "result = %timeit -o -n 1 sum(range(10))\nfound = 1",
    "%time of a statement": "%time found = 1",
    "%time of two statements": "%time one = 1; found = one",
    "y = %time f()": "found = %time 1 + 0",
    "y = %time in a function": "def f(x):\n    y = %time x - 1\n    return y\nfound = f(2)",
    "%prun -s cumulative f()": "%prun -l 5 -s cumulative sum(range(10))\nfound = 1",
    "n = !nproc": "n = !nproc\nfound = 1 + len(n)",
    "%%time": "%%time\nfound = 1",
    "%%time --no-raise-error": "%%time --no-raise-error\nfound = 1\n1 / 0",
    "%%time and await": "%%time\nimport asyncio\nfound = await asyncio.sleep(0, 1)",
    "%%timeit -n 1 -r 1": "%%timeit -n 1 -r 1\nfound = 1",
    "%%timeit with a setup": "%%timeit -n 1 one = 1\nfound = one",
    "%%capture": "%%capture\nprint(5)\nfound = 1",
    "%%capture out": "%%capture out\nprint(5)\nfound = 1",
    "%%capture, a package is missing": "%%capture\nimport not_there\n!pip install x\nfound = 1",
    "%%prun -l 5": "%%prun -l 5\nfound = 1",
    "%%time in %%capture": "%%capture\n%%time\nfound = 1",
    "%matplotlib inline": "%matplotlib inline\nfound = 1",
    "%pip": "%pip install -q torchtext\nfound = 1",
    "!pip": "!pip install torchtext\nfound = 1",
    "!pip in an if": "import sys\nif 'google.colab' in sys.modules:\n    !pip install x\nfound = 1",
    "%load_ext": "%load_ext autoreload\n%autoreload 2\nfound = 1",
    "?help": "?print\nprint?\nprint??\nfound = 1",
    "%config": "%config InlineBackend.figure_format = 'retina'\nfound = 1",
    "%env": "%env CUDA_VISIBLE_DEVICES=0\n%cd /content\nfound = 1",
    "get_ipython": "get_ipython().run_line_magic('load_ext', 'x')\nget_ipython().system('ls')\nfound = 1",
    "get_ipython().magic": "get_ipython().magic('matplotlib inline')\nfound = 1",
    "keywords": "get_ipython().run_line_magic(magic_name='time', line='found = 1')",
    "a check cell": "from autograder import check\ncheck('attention.softmax')\nfound = 1",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cell", MAGICS.values(), ids=MAGICS)
def test_magics(subject, cell):
    one = subject(cell, SHOW)
    assert value(one, "found") == 1
    lost = "1 / 0" in cell or "not_there" in cell
    assert bool(one.reports[0].error) == lost, one.reports[0].error


def test_what_is_captured_can_be_shown(subject):
    one = subject("%%capture out\nprint(5)", "text = out.stdout\nout.show()", SHOW)
    assert value(one, "text") == "5\n"
    assert [report.output for report in one.reports[:2]] == ["", "5\n"]


def test_a_magic_that_fails_costs_itself(subject):
    one = subject(f"%timeit -n 2 not_defined()\n%run not_there.py\n{GOOD}")
    assert_good(one)
    assert "name 'not_defined' is not defined; FileNotFoundError in line 2" in one.reports[0].error


# --- modules that the notebook writes, or that lie beside it ---------------------------------------------

MODULE = "import math\n\ndef double(x):\n    return int(math.fsum([x, x]))\n"
WRITERS = {
    "%%writefile": ["%%writefile model.py\n" + MODULE, "from model import double"],
    "%%file": ["%%file model.py\n" + MODULE, "from model import double"],
    "%%writefile -a": ["%%writefile model.py\n", f"%%writefile -a model.py\n{MODULE}", "from model import *"],
    "a folder": ["!mkdir src", "%%writefile src/model.py\n" + MODULE, "from src.model import double"],
    "home": ["%%writefile ~/model.py\n" + MODULE, "from model import double"],
    "twice": [
        "%%writefile model.py\ndouble = None",
        "import model",
        "%%writefile model.py\n# it is longer now\n" + MODULE,
        "import importlib\ndouble = importlib.reload(model).double",
    ],
    "in %%capture": ["%%capture\n%%writefile model.py\n" + MODULE, "import model\ndouble = model.double"],
    "run": ["%%writefile model.py\n" + MODULE, "%run model.py"],
    "run with options": ["%%writefile model.py\n" + MODULE, "%run -i 'model.py'"],
    "open": [f"with open('model.py', 'w') as file:\n    file.write({MODULE!r})", "from model import double"],
}  # fmt: skip


@pytest.mark.parametrize("cells", WRITERS.values(), ids=WRITERS)
def test_modules_that_cells_write(subject, cells):
    one = subject(*cells)
    assert_good(one)
    assert [report.error for report in one.reports] == [""] * len(cells)


def test_an_import_waits_for_the_cell_that_writes_the_module(subject):
    one = subject("from model import double", "import torch", "%%writefile model.py\n" + MODULE)
    assert_good(one)
    assert [(report.error, report.waited) for report in one.reports] == [("", True), ("", False), ("", False)]


def test_errors_in_a_module_name_it(subject):
    one = subject("%%writefile model.py\nx = 1\n1 / 0", "%run model.py", "from model import x", GOOD)
    assert_good(one)
    assert one.reports[1].error == "ZeroDivisionError in line 2 of model.py: division by zero"
    assert one.reports[2].error == "ZeroDivisionError in line 1: division by zero"


@pytest.mark.parametrize(
    "source",
    [
        "In [1]: x = 7",
        "In [12]: x = 3\nIn [13]: x = 7",
        ">>> x = 7",
        "    x = 7",
        "\n\n  # first\n  x = 7",
        "x = 7\nx?",
        "x = 7\n%config a",
        "x = 7  # is it?",
        's = """\n%time\n"""\nx = 7',
    ],
)
def test_what_ipython_would_run_is_run(subject, source):
    """That includes lines that Python itself would read as something else, and cells that need no change at all."""
    assert value(subject(SHOW, source), "x") == 7
