"""A page is executed again when something changes that its cells use."""

import sys
from pathlib import Path
from types import SimpleNamespace

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


def test_a_run_is_dropped_whatever_copy_of_the_repository_made_it(dependencies, monkeypatch):
    dropped: list[int] = []
    places = ("/elsewhere/book/bleu.md", "/elsewhere/book/tokens.md", "/elsewhere/old/bleu.md")
    records = [SimpleNamespace(uri=uri, pk=number) for number, uri in enumerate(places)]
    cache = SimpleNamespace(list_cache_records=lambda: records, remove_cache=dropped.append)
    monkeypatch.setattr(dependencies, "get_cache", lambda path: cache)
    app = SimpleNamespace(config=SimpleNamespace(nb_execution_cache_path="anywhere"))
    dependencies._drop_cached(app, ROOT / "book" / "bleu.md")
    assert dropped == [0]
