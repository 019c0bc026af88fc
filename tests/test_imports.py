"""Who may import whom (read off the code, so that a lazy import counts as well)."""

from __future__ import annotations

import ast
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course.addresses import ROOT

OURS = {"solutions", "autograder", "book", "exercises", "tests", "benchmarks"}


def imported(path: Path, text: str | None = None) -> Iterator[str]:
    """Every module that a file imports, anywhere in it; relative imports in full."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8") if text is None else text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("__import__", "importlib.import_module"):
            argument = node.args[0]
            parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
            if isinstance(parts[0], ast.Constant):
                yield str(parts[0].value)


def files(folder: str) -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob("*.py") if "_build" not in path.parts)


def breaches(folder: str, allowed) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files(folder)
        for name in imported(path)
        if not allowed(name)
    ]


def top(name: str) -> str:
    return name.partition(".")[0]


# GPT-2's published pattern asks for "any letter" (\p{L}), which the standard library's `re` does not know. The training
# program asks for a tokeniser, a data set and a progress bar where it is told to, and says so if they are missing; so
# does the program that downloads published weights, for the package that knows how.
# A released model comes in a file that a package reads, with the form of a chat as a template.
# The kernels that a test of the backward pass meets fill arrays of NumPy, as those in C fill memory.
GIVEN = {
    "solutions/gpt2_backward.py": {"numpy"},
    "solutions/released.py": {"huggingface_hub"},
    "solutions/smollm.py": {"gguf", "jinja2", "regex"},
    "solutions/tokens.py": {"regex"},
    "solutions/translator/data.py": {"datasets"},
    "solutions/translator/speed.py": {"tqdm"},
    "solutions/translator/tokenizers.py": {"tokenizers"},
    "solutions/translator/validation.py": {"matplotlib"},
}


def test_solutions_import_torch_the_standard_library_and_each_other():
    assert len(files("solutions")) >= 2
    allowed = {"torch", "solutions", *sys.stdlib_module_names}
    found = [breach.split(" imports ") for breach in breaches("solutions", lambda name: top(name) in allowed)]
    assert {(path, top(name)) for path, name in found} == {
        (path, name) for path, names in GIVEN.items() for name in names
    }


def test_the_autograder_imports_the_solutions_and_itself_of_this_project():
    assert breaches("autograder", lambda name: top(name) not in OURS - {"solutions", "autograder"}) == []


def test_the_runtime_imports_nothing_of_the_project():
    """It is shipped into a sandbox where nothing else of the project exists."""

    def allowed(name: str) -> bool:
        return top(name) not in OURS or name.startswith("autograder.sandbox.runtime.")

    assert breaches("autograder/sandbox/runtime", allowed) == []


# From the front doors to the ground. Who stands higher may import what stands lower, never the other way round.
# The sandbox's runtime, which imports nothing of the project, is the ground.
ROOMS = ("", "lms", "notebook", "grading", "reports", "judging", "sandbox", "submissions", "course", "units", "runtime")
MAY_IMPORT_A_UNIT = {
    "course/registry.py",
    "course/catalogue.py",
    "course/catches.py",
    "course/by_hand.py",
    "judging/runner.py",
}


def room_of(name: str) -> str:
    """The room of a dotted name in the autograder; nothing for the front doors."""
    if name.startswith("autograder.sandbox.runtime"):
        return "runtime"
    return next((part for part in name.split(".")[1:2] if part in ROOMS), "")


def test_rooms_import_downwards_only():
    wrong = []
    for path in files("autograder"):
        inside = path.relative_to(ROOT / "autograder")
        room = room_of(module_name(path))
        for name in imported(path):
            if top(name) == "autograder" and room != "units" and ROOMS.index(room_of(name)) < ROOMS.index(room):
                wrong.append(f"{inside} imports {name}")
    assert wrong == []


def test_nobody_imports_a_unit_but_the_course_and_the_runner():
    importers = {
        path.relative_to(ROOT / "autograder").as_posix()
        for path in files("autograder")
        for name in imported(path)
        if room_of(name) == "units" and "units" not in path.relative_to(ROOT / "autograder").parts
    }
    assert importers == MAY_IMPORT_A_UNIT


def test_checks_import_assertions_drivers_and_support_only():
    allowed = (
        "autograder.judging.assertions",
        "autograder.judging.c_assertions",
        "autograder.judging.inputs",
        "autograder.judging.replies",
        "autograder.sandbox.drivers",
        "autograder.units.support",
    )
    wrong = [
        f"{path.parent.name} imports {name}"
        for path in [*(ROOT / "autograder" / "units").glob("*/checks.py"), *files("autograder/units/support")]
        for name in imported(path)
        if top(name) == "autograder" and not name.startswith(allowed)
    ]
    assert wrong == []


def test_no_circle_of_imports():
    """Within rooms too: the modules can be put in one order."""
    graph: dict[str, set[str]] = {}
    modules = {module_name(path): path for path in files("autograder")}
    for name, path in modules.items():
        found = {target for target in imported(path) if target.startswith("autograder.")}
        graph[name] = {longest for target in found if (longest := known_module(target, modules)) and longest != name}
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def known_module(name: str, modules: dict[str, Path]) -> str | None:
    """The module that a dotted name lies in: an import may name an object of it."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


@pytest.mark.parametrize("folder", ["solutions", "autograder", "book", "benchmarks", "tests"])
def test_nothing_imports_the_book_the_exercises_or_the_tests(folder):
    assert (
        breaches(
            folder, lambda name: top(name) not in {"exercises", "tests"} and (folder == "book" or top(name) != "book")
        )
        == []
    )


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("import tests.x", "tests.x"),
        ("def f():\n    from book import y", "book.y"),
        ("from ..jail import command", "autograder.sandbox.jail.command"),
        ("from . import wire", "autograder.sandbox.runtime.wire"),
        ("__import__('tests')", "tests"),
        ("import importlib\nimportlib.import_module(f'solutions.{x}')", "solutions."),
    ],
)
def test_this_test_sees_every_form_of_import(statement, found):
    assert found in list(imported(ROOT / "autograder" / "sandbox" / "runtime" / "server.py", statement))
