"""A new unit, a new task: what the commands write, what they refuse, and that the course renumbers itself."""

from __future__ import annotations

import ast
import contextlib
import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import cli
from autograder.course import addresses, new
from autograder.course.addresses import ROOT
from autograder.course.new import CannotCreate, find_spot, with_import, with_page, with_task, with_unit
from autograder.course.registry import BY_NAME, STAGES, UNITS, Unit

NOT_SOURCES = (".git", "_build", ".venv", ".*_cache", "*.egg-info", "gradebook.db")


@pytest.fixture
def copy(tmp_path) -> Path:
    """The repository's sources, in a folder where they can be changed."""
    return shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns(*NOT_SOURCES))


def run(copy: Path, *arguments: str, code: int = 0) -> str:
    """A Python program in the copy, with the copy's packages; returns what it prints."""
    environment = os.environ | {"PYTHONPATH": str(copy), "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def autograder(copy: Path, *arguments: str, code: int = 0) -> str:
    return run(copy, "-m", "autograder", *arguments, code=code)


def contents(folder: Path) -> dict[Path, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder): path.read_bytes() for path in files}


@pytest.fixture
def refused(copy, monkeypatch):
    """Asserts that something is refused, and that not a byte of the repository has changed."""
    monkeypatch.setattr(new, "ROOT", copy)

    @contextlib.contextmanager
    def check(said: str):
        before = contents(copy)
        with pytest.raises(CannotCreate, match=said) as caught:
            yield
        assert "\n" not in str(caught.value)
        assert contents(copy) == before

    return check


# --- the order -------------------------------------------------------------------------------------------------

ORDER = (("One", ("a", "b")), ("Two", ("c",)))
SPOTS = {  # after, before, stage: the stages then
    ("a", None, None): (("One", ("a", "new", "b")), ("Two", ("c",))),
    ("b", None, None): (("One", ("a", "b", "new")), ("Two", ("c",))),
    ("b", None, "Two"): (("One", ("a", "b")), ("Two", ("new", "c"))),
    ("b", None, "Between"): (("One", ("a", "b")), ("Between", ("new",)), ("Two", ("c",))),
    ("c", None, "Last"): (*ORDER, ("Last", ("new",))),
    (None, "a", None): (("One", ("new", "a", "b")), ("Two", ("c",))),
    (None, "a", "First"): (("First", ("new",)), *ORDER),
    (None, "c", None): (("One", ("a", "b")), ("Two", ("new", "c"))),
    (None, "c", "One"): (("One", ("a", "b", "new")), ("Two", ("c",))),
    (None, None, None): (("One", ("a", "b")), ("Two", ("c", "new"))),
    (None, None, "One"): (("One", ("a", "b", "new")), ("Two", ("c",))),
    (None, None, "Last"): (*ORDER, ("Last", ("new",))),
}


@pytest.mark.parametrize("where", SPOTS, ids=str)
def test_where_a_unit_goes(where):
    text = 'STAGES: tuple = (\n    ("One", ("a", "b")),\n    ("Two", ("c",)),\n)\n'
    spot = find_spot(ORDER, *where)
    changed = with_unit(text, "new", spot)
    assert ast.literal_eval(changed.partition(" = ")[2]) == SPOTS[where]
    toc = "".join(f"      - file: book/{page}\n" for page in ("index", "a", "b", "between", "c", "glossary"))
    pages = re.findall(r"book/(\w+)\n", with_page(toc, "new", spot))
    order = [name for _, names in SPOTS[where] for name in names]
    assert [page for page in pages if page in order] == order
    assert len(pages) == 7


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (("x", None, None), "no unit called 'x' for --after; the units are a, b, c"),
        ((None, "x", None), "no unit called 'x' for --before"),
        (("a", "b", None), "not both"),
        (("a", None, "Two"), "'Two' is not next to a"),
        (("a", None, "Between"), "cannot begin inside the stage 'One'"),
    ],
)
def test_where_a_unit_cannot_go(where, said):
    with pytest.raises(CannotCreate, match=said):
        find_spot(ORDER, *where)


def test_a_new_unit_changes_one_line_of_the_registry():
    before = (ROOT / new.REGISTRY).read_text(encoding="utf-8")
    for unit in UNITS:
        after = with_unit(before, "something_new", find_spot(STAGES, unit.name, None, None))
        lines = list(zip(before.splitlines(), after.splitlines()))
        assert len(before.splitlines()) == len(after.splitlines())
        assert sum(old != changed for old, changed in lines) == 1


def test_a_long_stage_is_broken_as_ruff_breaks_it():
    names = tuple(f"a_unit_with_a_long_name_{number}" for number in range(4))
    text = f"STAGES = (\n    {new._literal(('Long', names), 4)},\n)\n"
    changed = with_unit(text, "one_more", find_spot((("Long", names),), names[-1], None, None))
    assert ast.literal_eval(changed.partition(" = ")[2]) == (("Long", (*names, "one_more")),)
    assert max(map(len, changed.splitlines())) <= new.WIDTH
    assert formatted(changed) == changed


def formatted(text: str) -> str:
    """As ruff formats it."""
    command = [sys.executable, "-m", "ruff", "format", "--config", str(ROOT / "pyproject.toml"), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


# --- imports -----------------------------------------------------------------------------------------------------

IMPORTS = {  # before, module, names: after
    ('"""Doc."""\n', "pytest", ()): '"""Doc."""\n\nimport pytest\n',
    ("import math\n\nfrom autograder.x import y\n", "pytest", ()): (
        "import math\n\nimport pytest\n\nfrom autograder.x import y\n"
    ),
    ("import pytest\n", "pytest", ()): "import pytest\n",
    ("import torch\n", "torch", ("nn",)): "import torch\nfrom torch import nn\n",
    ("import torch.nn as nn\n", "torch", ("nn",)): "import torch.nn as nn\n",
    ("from torch import Tensor, optim\n", "torch", ("nn",)): "from torch import Tensor, nn, optim\n",
    ("from solutions.a import b\n", "torch", ("nn",)): "from torch import nn\n\nfrom solutions.a import b\n",
    ("import pytest\n", "autograder.a", ("b", "C", "D_E")): "import pytest\n\nfrom autograder.a import D_E, C, b\n",
}


@pytest.mark.parametrize(("before", "module", "names"), IMPORTS)
def test_an_import_goes_where_it_belongs(before, module, names):
    assert with_import(before, module, names) == IMPORTS[before, module, names]


def test_long_imports_are_broken():
    names = tuple(f"a_function_of_some_length_{number}" for number in range(6))
    text = with_import("from autograder.a import b\n", "autograder.a", names)
    assert formatted(text) == text


# --- templates ---------------------------------------------------------------------------------------------------


def test_templates_are_formatted_and_say_what_to_write(copy):
    """A unit of each language, with a function and a class; and a task in units that have been there for long."""
    autograder(copy, "new", "unit", "kv_cache", "--after", "multihead")
    for name in ("append", "KeptKeys", "a" * new.LONGEST_NAME):
        autograder(copy, "new", "task", f"kv_cache.{name}")
    autograder(copy, "new", "unit", "quantised", "--language", "c", "--title", "Whole numbers")
    autograder(copy, "new", "task", "quantised.round_forward")
    for unit in UNITS:
        autograder(copy, "new", "task", f"{unit.name}.something_more")
    assert run(copy, "-m", "ruff", "check", ".") == "All checks passed!\n"
    run(copy, "-m", "ruff", "format", "--check", ".")
    for path in addresses.parts_of("kv_cache").values():
        text = (copy / path).read_text(encoding="utf-8")
        assert "TODO" in text, path
    listed = autograder(copy, "list")
    number = BY_NAME["multihead"].number + 1
    assert f"{number:2}  kv_cache: TODO: the title of kv_cache (planned)" in listed
    assert "quantised: Whole numbers (planned)" in listed
    gaps = autograder(copy, "doctor", "kv_cache", code=1)
    for path in addresses.parts_of("kv_cache").values():
        assert f"{path}: replace the placeholders (TODO)" in gaps, path
    assert "set COMPLETE = True" in gaps
    assert "cannot be imported" not in gaps
    gaps = autograder(copy, "doctor", "quantised", code=1)
    assert "solutions/c" not in gaps.replace("solutions/c/quantised.c: replace the placeholders", "")
    assert "prototypes" not in gaps
    made = subprocess.run(
        ["make", "-C", "solutions/c", "exercises", "STRICT=-Werror", "BUILD=made"], cwd=copy, check=False
    )
    assert made.returncode == 0
    assert (copy / "solutions" / "c" / "made" / "exercises" / "quantised.o").is_file()
    run(copy, "-c", "import autograder.units.kv_cache.checks, solutions.kv_cache")
    gaps = autograder(copy, "doctor", "masks", code=1)
    assert "autograder/units/masks/mistakes.py: write 5 more mistakes for masks.something_more" in gaps


def test_a_task_gets_the_entries_that_it_lacks_and_no_others():
    """Who has written the solution first keeps it; the first mistake then begins with one of its lines."""
    unit = Unit(1, "thing", "A thing", ("first",))
    files = {path: "" for path in addresses.parts_of("thing").values()}
    files["autograder/units/thing/__init__.py"] = 'TITLE = "A thing"\nTASKS = ("first",)\n'
    files["solutions/thing.py"] = (
        "def second(x, dim):\n    ### BEGIN SOLUTION\n    y = x.sum(dim)\n    return y + 1\n    ### END SOLUTION\n"
    )
    for part in ("checks", "mistakes", "alternatives", "hints"):
        files[f"autograder/units/thing/{part}.py"] = '"""Doc."""\n\nHINTS = {}\n'
    texts = with_task(unit, "second", files.__getitem__)
    assert set(files) - set(texts) == {"solutions/thing.py"}
    assert 'TASKS = ("first", "second")' in texts["autograder/units/thing/__init__.py"]
    assert 'edit("return y + 1", "return y + 1  # TODO' in texts["autograder/units/thing/mistakes.py"]
    again = with_task(Unit(1, "thing", "A thing", ("first", "second")), "second", (files | texts).__getitem__)
    assert again == {}


def test_the_templates_travel_with_the_package():
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'packages = ["solutions", "autograder"]' in settings  # whole folders, whatever the files are called
    assert list((addresses.PACKAGE / "course" / "templates").rglob("*.j2"))


# --- what is refused ---------------------------------------------------------------------------------------------

REFUSED_UNITS = {
    "attention": "a unit called 'attention' already",
    "heads": "taken: there is book/heads.md",
    "grammar": "taken: there is solutions/grammar.py",
    "support": "is taken: there is autograder/units/support",
    "": "no name for a unit",
    "KvCache": "no name for a unit",
    "kv-cache": "no name for a unit",
    "kv__cache": "no name for a unit",
    "2d": "no name for a unit",
    "class": "no name for a unit",
    "ärger": "no name for a unit",
    "../x": "no name for a unit",
    "x" * 33: "at most 32 characters",
}
REFUSED_TASKS = {
    "nowhere.softmax": f"no unit called 'nowhere'; the units are {UNITS[0].name}, {UNITS[1].name}, ",
    "attention": "Give the task as UNIT.NAME",
    "attention.": "Give the task as UNIT.NAME",
    "": "no unit called ''",
    "attention.a b": "no name for a task",
    "attention.class": "no name for a task",
    "attention.softmax.x": "no name for a task",
    "attention.softmax": "a task called 'attention.softmax' already",
}


def test_names_that_are_refused(refused):
    for name, said in REFUSED_UNITS.items():
        if (ROOT / "autograder" / "units" / "support").exists() or name != "support":
            with refused(said):
                new.new_unit(name)
    for task, said in REFUSED_TASKS.items():
        with refused(said):
            new.new_task(task)


@pytest.mark.parametrize("title", ["", " ", "two\nlines", 'say "so"', "back\\slash", "x" * 81])
def test_titles_that_are_refused(refused, title):
    with refused("The title is one line"):
        new.new_unit("fine", title=title)
    with refused("The stage is one line"):
        new.new_unit("fine", stage=title)


@pytest.mark.parametrize("fails", range(10))
def test_a_file_that_cannot_be_written_leaves_nothing_behind(refused, monkeypatch, fails):
    """A tree that is read-only in part, or a disk that is full after some files."""
    written, write_text = [], Path.write_text

    def fragile(self: Path, text: str, **options) -> int:
        if len(written) == fails:
            raise OSError(28, "No space left on device")
        written.append(self)
        return write_text(self, text, **options)

    monkeypatch.setattr(Path, "write_text", fragile)
    with refused("Nothing was written: .* cannot be .No space left on device"):
        new.new_unit("fine")
    assert len(written) == fails


def test_outside_of_a_checkout(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(addresses, "ROOT", tmp_path)
    for arguments in (["new", "unit", "fine"], ["new", "task", "attention.fine"], ["doctor"]):
        assert cli.main(arguments) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert "checkout of the repository" in output.err
        assert len(output.err.splitlines()) == 1


# --- the worked example of CONTRIBUTING --------------------------------------------------------------------------

EDITS = {  # the mistakes that the example leaves to its reader
    "columns-for-rows": ("x.sum(-1, keepdim=True)", "x.sum(0)"),
    "axis-not-kept": (", keepdim=True", ""),
    "mean-for-sum": ("x.sum", "x.mean"),
    "largest-for-sum": ("x.sum", "x.amax"),
    "softmax-for-quotient": ("x / x.sum(-1, keepdim=True)", "x.softmax(-1)"),
}
MISTAKE = """
mistake(
    "rows.normalise",
    "{name}",
    edit("{old}", "{new}"),
    section="rows-idea",
    why="The rows were divided by something else. Each row has a sum of its own.",
    hint="Sum along the last axis, and keep that axis.",
)
"""
ALTERNATIVES = """

@alternative("rows.normalise", "times-the-reciprocal")
def normalise(x):
    return x * (1 / x.sum(1, keepdim=True))


@alternative("rows.normalise", "row-by-row")
def normalise(x):
    y = x.clone()
    for i in range(len(x)):
        y[i] /= x[i].sum()
    return y
"""

EXERCISES = """
from autograder.lms import release
release.COMPLETE = [release.find_unit("rows")]  # `make exercises` for this unit alone: the others take seconds each
assert release.main([]) == 0
"""

QUALITY = "from autograder.judging import quality; print([entry.right for entry in quality.measure('rows')])"


def worked_example() -> tuple[list[list[str]], dict[str, str]]:
    """The commands, and the code by the file that the text above it names."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = re.search(r"^## Add a unit and a task\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    assert example is not None
    assert len(example[0].splitlines()) <= 80
    lines = "\n".join(re.findall(r"```bash\n(.*?)```", example[1], re.DOTALL)).splitlines()
    commands = [line.partition("  #")[0].split("&&")[0] for line in lines]
    code = re.findall(r"in `([^`\n]+)`:\n\n```python\n(.*?)```", example[1], re.DOTALL)
    return [shlex.split(command) for command in commands], dict(code)


def put(copy: Path, path: str, code: str, more: str = "") -> None:
    """Put code where the template has its entry of the same kind."""
    text = (copy / path).read_text(encoding="utf-8")
    start = text.index("\n" + code.partition("(")[0]) + 1
    end = "}\n" if "HINTS" in text else ""
    (copy / path).write_text(text[:start] + code + more + end, encoding="utf-8")


def test_the_worked_example_makes_a_unit_that_is_complete(copy):
    """Only sentences are made up here: what the example leaves to its reader, and texts in place of the TODOs."""
    commands, code = worked_example()
    known = [command for command in commands if command[:2] in (["autograder", "new"], ["autograder", "doctor"])]
    assert [command[1:3] for command in known] == [
        ["new", "unit"],
        ["new", "task"],
        ["doctor", "rows"],
        ["doctor", "rows"],
    ]
    for _, *arguments in known[:2]:
        autograder(copy, *arguments)
    more = {
        "mistakes": "".join(MISTAKE.format(name=name, old=old, new=new) for name, (old, new) in EDITS.items()),
        "alternatives": ALTERNATIVES,
    }
    for path, text in code.items():
        put(copy, path, text, more.get(Path(path).stem, ""))
    for path in addresses.parts_of("rows").values():
        text = (copy / path).read_text(encoding="utf-8")
        text = text.replace("TODO: ", "").replace("TODO", "this").replace("COMPLETE = False", "COMPLETE = True")
        if path == "book/rows.md":
            first = re.search(r"\*\*1\.\*\*.*?\n```\n", text, re.DOTALL)
            others = "".join("\n" + first[0].replace("**1.**", f"**{number}.**") for number in range(2, 6))
            text = text.replace(first[0], first[0] + others)
        (copy / path).write_text(text, encoding="utf-8")

    assert "book/rows" not in autograder(copy, "doctor", "rows", code=1)  # what is left is made by a command
    run(copy, "-c", EXERCISES)
    assert autograder(copy, *known[3][1:]) == f"{BY_NAME['embeddings'].number + 1:2}  rows: complete\n"
    assert run(copy, "-c", QUALITY) == f"{[True] * 9}\n"
    assert "rows.normalise: 2 / 2 points" in autograder(copy, "check", "solutions/rows.py")
    wrong = copy / "wrong" / "rows.py"
    wrong.parent.mkdir()
    wrong.write_text("def normalise(x):\n    return x / x.sum()\n", encoding="utf-8")
    said = " ".join(autograder(copy, "check", str(wrong), code=1).split())
    assert "All your entries together sum to 1." in said
    assert f'chapter {BY_NAME["embeddings"].number + 1}, "The idea in one picture"' in said
    assert autograder(copy, "hint", "rows.normalise").startswith("Hint 1 of 3")
    show = next(command[1:] for command in commands if command[:2] == ["autograder", "show"])
    assert "x.sum()" in autograder(copy, *show)
    chapter = (copy / "book" / "rows.md").read_text(encoding="utf-8")
    cells = "\n".join(re.findall(r"```{code-cell} ipython3\n(?:---.*?---\n|:.*?\n)?(.*?)```", chapter, re.DOTALL))
    run(copy, "-c", f"import sys; sys.path.insert(0, 'book')\n{cells}")


# --- a unit in the middle ------------------------------------------------------------------------------------------

ALL_TEXTS = """
import contextlib, io, json, sys
sys.path.insert(0, "book/_ext")
import chapter_numbers
from autograder import cli
from autograder.course.catalogue import hints, mistakes
from autograder.course.registry import COMPLETE, UNITS
from autograder.lms.release import source_notebook
from autograder.notebook import progress
from autograder.reports import course_map
from autograder.reports import progress as shown
from autograder.reports.common import link_label

def said(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        assert cli.main(arguments) == 0
    return output.getvalue()

boxes = [course_map.Box(unit, "ready", "ready") for unit in UNITS]
print(json.dumps({
    "hints": {task: hints(task) for unit in COMPLETE for task in unit.task_ids},
    "mistakes": {
        f"{entry.task} {entry.name}": [entry.why, entry.hint, link_label(entry.link)]
        for unit in COMPLETE for entry in mistakes(unit.name)
    },
    "notebooks": {
        unit.name: [cell.source for cell in source_notebook(unit).cells if cell.cell_type == "markdown"]
        for unit in COMPLETE
    },
    "labels": {unit.name: chapter_numbers.label(f"book/{unit.name}") for unit in UNITS},
    "map": [course_map.picture(boxes, layout) for layout in (course_map.WIDE, course_map.NARROW)],
    "progress page": shown.page(progress.load()),
    "progress": said("progress"),
    "list": said("list"),
    "json": json.loads(said("list", "--json")),
}))
"""

WITH_A_NUMBER = re.compile(r"\b(?:chapter|unit|exercise)s? (\d+(?:(?:, | and | or | to |–)\d+)*)", re.IGNORECASE)


def renumbered(value: object, first: int) -> object:
    """The texts as they should read once a unit stands in front of what was unit number ``first``."""
    if isinstance(value, dict):
        return {name: renumbered(inner, first) for name, inner in value.items()}
    if isinstance(value, list):
        return [renumbered(inner, first) for inner in value]

    def moved(found: re.Match) -> str:
        return re.sub(r"\d+", lambda number: str(int(number[0]) + (int(number[0]) >= first)), found[0])

    return WITH_A_NUMBER.sub(moved, str(value))


def test_a_unit_in_the_middle_moves_all_numbers_behind_it(copy):
    """The command alone makes room: whatever prints a number says the new one, and grading goes on as before."""
    before = json.loads(run(ROOT, "-c", ALL_TEXTS))
    title = "A unit in the middle"
    autograder(copy, "new", "unit", "kv_cache", "--after", "transformer", "--title", title)
    autograder(copy, "new", "task", "kv_cache.append")
    after = json.loads(run(copy, "-c", ALL_TEXTS))
    first = BY_NAME["transformer"].number + 1
    order = [unit.name for unit in UNITS]
    order.insert(first - 1, "kv_cache")

    for kind in ("hints", "notebooks", "mistakes"):
        assert list(after[kind]) == list(before[kind])
        for name, texts in before[kind].items():
            assert after[kind][name] == renumbered(texts, first), name
    losses = order.index("losses") + 1
    assert f"Chapter {losses}, 'Why from logits?'" in after["hints"]["losses.cross_entropy"][0]
    assert after["labels"] == {name: f"{number} · " for number, name in enumerate(order, 1)}
    titles = {unit.name: unit.title for unit in UNITS} | {"kv_cache": title}
    for picture in after["map"]:
        numbers = re.findall(r'<tspan class="number"[^>]*>(\d+)</tspan>', picture)
        assert list(map(int, numbers)) == list(range(1, len(order) + 1))
        for number, name in enumerate(order, 1):
            assert f"unit {number}, {html.escape(titles[name])} (ready)" in picture
    assert f"unit {first}, {title} (planned)" in after["progress page"]

    listed = [line for line in after["list"].splitlines() if not line.startswith("   ")]
    planned = dict.fromkeys([unit.name for unit in UNITS if not unit.complete] + ["kv_cache"], " (planned)")
    assert listed == [
        f"{number:>2}  {name}: {titles[name]}{planned.get(name, '')}" for number, name in enumerate(order, 1)
    ]
    assert [(unit["number"], unit["unit"]) for unit in after["json"]["units"]] == list(enumerate(order, 1))
    shown = re.findall(r"(\d+)  (\w+) ", after["progress"])
    assert [(int(number), name) for number, name in shown] == list(enumerate(order, 1))
    toc = (copy / "_toc.yml").read_text(encoding="utf-8")
    assert [page for page in re.findall(r"file: book/(\S+)", toc) if page in order] == order

    right, wrong = (copy / "class" / learner / "losses" / "losses.py" for learner in ("right", "wrong"))
    for path in (right, wrong):
        path.parent.mkdir(parents=True)
        path.write_text((copy / "solutions" / "losses.py").read_text(encoding="utf-8"), encoding="utf-8")
    spoiled = "def perplexity(total_nll, num_tokens):\n    return 2 ** (total_nll / num_tokens)\n"
    wrong.write_text(f"{wrong.read_text(encoding='utf-8')}\n\n{spoiled}", encoding="utf-8")
    autograder(copy, "grade", "class", "--unsafe", "--json", "report.json", "--html", "report.html")
    report = json.loads((copy / "report.json").read_text(encoding="utf-8"))
    best, worse = sorted(report["submissions"], key=lambda one: -one["points"])
    assert best["points"] == best["max_points"] > worse["points"]
    chapter = f'chapter {losses}, "Perplexity"'
    assert chapter in html.unescape((copy / "report.html").read_text(encoding="utf-8"))
    assert chapter in " ".join(autograder(copy, "check", str(wrong), code=1).split())
