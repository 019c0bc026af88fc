"""What is said in one place and used in many: addresses, and the ids of the special tokens."""

import yaml

import solutions
from autograder.course import addresses
from autograder.sandbox.runtime.cells import SPECIAL_IDS


def test_the_worker_knows_the_special_ids_of_the_solutions():
    assert {name: getattr(solutions, name) for name in SPECIAL_IDS} == SPECIAL_IDS
    assert list(SPECIAL_IDS.values()) == [0, 1, 2, 3]


def test_addresses_derive_from_one_setting(monkeypatch):
    config = {
        "repository": {"url": "https://github.com/someone/fork/", "branch": "spring"},
        "html": {"baseurl": "https://example.org/book/"},
    }
    monkeypatch.setattr(addresses, "_config", lambda: config)
    assert addresses.launch_urls("exercises/masks/masks.ipynb") == {
        "Colab": "https://colab.research.google.com/github/someone/fork/blob/spring/exercises/masks/masks.ipynb",
        "Binder": "https://mybinder.org/v2/gh/someone/fork/spring?urlpath=lab/tree/exercises/masks/masks.ipynb",
        "VS Code": "https://vscode.dev/github/someone/fork/blob/spring/exercises/masks/masks.ipynb",
    }
    assert addresses.chapter_url("masks", "padding-masks") == "https://example.org/book/book/masks.html#padding-masks"


def test_the_readme_clones_and_opens_the_configured_repository():
    readme = (addresses.ROOT / "README.md").read_text(encoding="utf-8")
    assert f"git clone {addresses.repository_url()} " in readme
    assert f"({addresses.launch_urls('exercises/warmup/warmup.ipynb')['Colab']})" in readme


def test_the_citation_names_the_configured_addresses():
    citation = yaml.safe_load((addresses.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["repository-code"], citation["url"]) == (addresses.repository_url(), addresses.book_url())


def test_progress_is_kept_in_a_drive_once_it_is_mounted(tmp_path, monkeypatch):
    """As on Colab, which forgets everything else; a folder that the learner names comes first."""
    monkeypatch.delenv("AUTOGRADER_STATE")
    monkeypatch.setattr(addresses, "DRIVE", tmp_path / "MyDrive")
    assert not addresses.state_file().is_relative_to(tmp_path)
    (tmp_path / "MyDrive").mkdir()
    assert addresses.state_file() == tmp_path / "MyDrive" / "transformer-workbook" / "progress.json"
    monkeypatch.setenv("AUTOGRADER_STATE", str(tmp_path / "mine.json"))
    assert addresses.state_file() == tmp_path / "mine.json"
