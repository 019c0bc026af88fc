"""A page is executed again when something changes that its cells use."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def dependencies(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    yield pytest.importorskip("dependencies", reason="the packages that build the book are not installed")
    sys.modules.pop("dependencies", None)


def test_a_page_uses_modules_data_and_recorded_experiments(dependencies, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```{code-cell} ipython3\nfrom solutions.bleu import corpus_bleu\n\nfound = recorded('alignment')\n"
        "text = open('measurements/transformer.json').read()\nchecked = measurement('gpt2_c')\n```\n"
    )
    names = {str(file.relative_to(ROOT)) for file in dependencies.page_files(page)}
    assert {"solutions/bleu.py", "book/experiments/alignment.json"} <= names
    assert {"book/measurements/transformer.json", "book/measurements/gpt2_c.json"} <= names
    assert "book/experiments/heads.json" not in names


def used_by(dependencies, folder, name, cell):
    page = folder / name
    page.write_text(f"```{{code-cell}} ipython3\n{cell}\n```\n")
    return {str(file.relative_to(ROOT)) for file in dependencies.page_files(page)}


def test_a_chapter_uses_the_mistakes_of_its_own_unit(dependencies, tmp_path):
    for unit, file in (("attention", "mistakes.py"), ("gpt2_forward", "mistakes.c")):
        names = used_by(dependencies, tmp_path, f"{unit}.md", "from pages import pitfalls, rounded")
        assert {name for name in names if "/mistakes." in name} == {f"autograder/units/{unit}/{file}"}
        assert "autograder/units/masks/__init__.py" in names, "the registry loads all units by name"
        assert "autograder/judging/diagnosis.py" not in names
    names = used_by(dependencies, tmp_path, "errata.md", "from pages import pitfalls")
    assert {"autograder/units/attention/mistakes.py", "autograder/units/gpt2_forward/mistakes.c"} <= names


def test_the_chapter_on_translation_uses_the_program_that_its_module_loads_by_name(dependencies):
    names = {str(file.relative_to(ROOT)) for file in dependencies.page_files(ROOT / "book" / "translation.md")}
    program = {str(file.relative_to(ROOT)) for file in (ROOT / "solutions" / "translator").glob("*.py")}
    assert "solutions/translator/trainer.py" in program <= names


@pytest.mark.parametrize("cell", ["import autograder", "from autograder import check"])
def test_a_page_that_grades_uses_the_whole_grader(dependencies, tmp_path, cell):
    names = used_by(dependencies, tmp_path, "how-grading-works.md", cell)
    parts = ("units/masks/checks.py", "units/gpt2_forward/mistakes.c", "judging/diagnosis.py", "sandbox/jail.py")
    assert {f"autograder/{part}" for part in parts} | {"solutions/masks.py", "solutions/c/gpt2_forward.c"} <= names


def test_a_run_is_dropped_whatever_copy_of_the_repository_made_it(dependencies, tmp_path):
    import execution
    from jupyter_cache import get_cache
    from jupyter_cache.base import CacheBundleIn
    from nbformat.v4 import new_code_cell, new_notebook

    notebook = new_notebook(cells=[new_code_cell("1 + 1")])
    cache = get_cache(tmp_path)
    run = CacheBundleIn(notebook, "/elsewhere/book/bleu.md", data={"fingerprint": "files as they were"})
    cache.cache_notebook_bundle(run, check_validity=False)

    def page(fingerprint, cells=notebook):
        return execution.Page("book/bleu", ROOT / "book" / "bleu.md", cells, 30, fingerprint)

    assert page("files as they were").is_in(cache)
    assert not page("files as they are").is_in(cache)
    assert not page("files as they were", new_notebook(cells=[new_code_cell("1 + 2")])).is_in(cache)
