"""Who may import whom (read off the code, so that a lazy import counts as well)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.settings import ROOT

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
# program asks for a tokeniser, a data set and a progress bar where it is told to, and says so if they are missing.
GIVEN = {
    "solutions/tokens.py": {"regex"},
    "solutions/translator/data.py": {"datasets"},
    "solutions/translator/speed.py": {"tqdm"},
    "solutions/translator/tokenizers.py": {"tokenizers"},
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


def test_the_worker_imports_nothing_of_the_project():
    """It is shipped into a place where nothing else of the project exists."""

    def allowed(name: str) -> bool:
        return top(name) not in OURS or name.startswith("autograder.worker.")

    assert breaches("autograder/worker", allowed) == []


@pytest.mark.parametrize("folder", ["solutions", "autograder", "book", "benchmarks", "tests"])
def test_nothing_imports_the_book_the_exercises_or_the_tests(folder):
    assert (
        breaches(
            folder, lambda name: top(name) not in {"exercises", "tests"} and (folder == "book" or top(name) != "book")
        )
        == []
    )


def test_only_the_grader_outside_the_worker_holds_answers():
    """Inside the worker not even a name of a check or a solution appears."""
    for path in files("autograder/worker"):
        text = path.read_text(encoding="utf-8")
        assert "autograder.checks" not in text
        assert "autograder.catalogue" not in text


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("import tests.x", "tests.x"),
        ("def f():\n    from book import y", "book.y"),
        ("from ..checks import attention", "autograder.checks.attention"),
        ("from . import wire", "autograder.worker.wire"),
        ("__import__('tests')", "tests"),
        ("import importlib\nimportlib.import_module(f'solutions.{x}')", "solutions."),
    ],
)
def test_this_test_sees_every_form_of_import(statement, found):
    assert found in list(imported(ROOT / "autograder" / "worker" / "main.py", statement))
