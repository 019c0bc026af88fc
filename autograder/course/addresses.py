"""Where things are: this package, the repository and the book (settings of ``_config.yml``), a learner's state file."""

from __future__ import annotations

import errno
import os
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

import yaml
from platformdirs import user_state_path

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent  # the checkout, when the package runs from one


@lru_cache(maxsize=None)
def _config() -> dict:
    # A wheel carries a copy beside the package; a checkout has the file at its root.
    for path in (PACKAGE / "_config.yml", ROOT / "_config.yml"):
        if path.is_file():
            return yaml.safe_load(path.read_text(encoding="utf-8"))
    raise FileNotFoundError("_config.yml is missing: reinstall the package, or run it from a complete checkout.")


def repository_url() -> str:
    """For example ``https://github.com/owner/name``, without a slash at the end."""
    return _config()["repository"]["url"].rstrip("/")


def repository_branch() -> str:
    return _config()["repository"]["branch"]


def book_url() -> str:
    """Where the built book is served, without a slash at the end."""
    return _config()["html"]["baseurl"].rstrip("/")


def chapter_url(unit: str, section: str = "") -> str:
    """Address of a unit's chapter, or of one section in it."""
    return f"{book_url()}/book/{unit}.html" + (f"#{section}" if section else "")


def launch_urls(path: str) -> dict[str, str]:
    """Places that open a notebook of the repository, in the order of the buttons: name and address."""
    owner_and_name, branch = repository_url().removeprefix("https://github.com/"), repository_branch()
    notebook = f"{quote(branch, safe='')}?urlpath=lab/tree/{quote(path)}"
    return {
        "Colab": f"https://colab.research.google.com/github/{owner_and_name}/blob/{branch}/{path}",
        "Binder": f"https://mybinder.org/v2/gh/{owner_and_name}/{notebook}",
        "VS Code": f"https://vscode.dev/github/{owner_and_name}/blob/{branch}/{path}",
    }


def parts_of(unit: str, language: str = "python") -> dict[str, str]:
    """The files that somebody writes for a unit, by what they hold; paths from the root of a checkout."""
    folder, suffix = f"autograder/units/{unit}", "c" if language == "c" else "py"
    return {
        "about": f"{folder}/__init__.py",
        "solution": f"solutions/c/{unit}.c" if language == "c" else f"solutions/{unit}.py",
        "checks": f"{folder}/checks.py",
        "mistakes": f"{folder}/mistakes.{suffix}",
        "alternatives": f"{folder}/alternatives.{suffix}",
        "hints": f"{folder}/hints.py",
        "notebook": f"solutions/notebooks/{unit}.md",
        "chapter": f"book/{unit}.md",
    }


def is_checkout() -> bool:
    """Whether the package runs from a checkout: an installed one has neither book nor notebook sources."""
    return (ROOT / "_toc.yml").is_file() and (ROOT / "book").is_dir()


DRIVE = Path("/content/drive/MyDrive")  # on Colab, once a learner has mounted their Drive


def state_file() -> Path:
    """``$AUTOGRADER_STATE``, else one in a mounted Drive, else the one that the system has for such data.

    Raises `OSError` if there is none.
    """
    override = os.environ.get("AUTOGRADER_STATE")
    try:
        if override:
            return Path(override)
        folder = DRIVE / "transformer-workbook" if DRIVE.is_dir() else user_state_path("transformer-workbook")
        return folder / "progress.json"
    except RuntimeError as error:  # a user without an account, in a container for example
        raise FileNotFoundError(errno.ENOENT, "There is no home folder: set HOME to a folder of yours") from error
