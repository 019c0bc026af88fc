"""GitHub Classroom: a template repository with the notebooks of some units and a workflow that grades each push."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from autograder.course.addresses import chapter_url
from autograder.course.registry import find_unit
from autograder.judging.runner import max_points
from autograder.lms import release
from autograder.lms.templates import TEMPLATES
from autograder.reports.common import points_text

FILES = {  # in the repository: the template
    "README.md": "README.md",
    "requirements.txt": "requirements.txt",
    ".gitignore": "gitignore",
    ".github/workflows/classroom.yml": "classroom.yml",
}


def write_repository(folder: Path, units: Sequence[str], package: str) -> None:
    """Write the template repository into a folder that is empty or does not exist.

    Its notebooks and its workflow install ``package``, as pip takes it. Raises `OSError` when the folder cannot be
    written, `UnknownUnit` for a unit that cannot be graded, and `BrokenSource` when a notebook cannot be made.
    """
    found = [find_unit(unit) for unit in units]
    points = {unit.name: points_text(sum(map(max_points, unit.task_ids), Fraction(0))) for unit in found}
    values = {"units": found, "points": points, "package": package, "chapter_url": chapter_url}
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".classroom-", dir=folder.resolve().parent) as temporary:
        course, repository = Path(temporary, "course"), Path(temporary, "repository")
        for notebook in release.generate(course, units, package):
            beside = release.EXERCISES / notebook.stem
            # Data that the notebook reads lies beside it. The other notebooks in that folder are not graded.
            shutil.copytree(beside, repository / notebook.stem, ignore=shutil.ignore_patterns("*.ipynb", ".*", "_*"))
            shutil.copyfile(notebook, repository / notebook.stem / notebook.name)
        for name, template in FILES.items():
            path = repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(TEMPLATES.get_template(f"classroom/{template}").render(values), encoding="utf-8")
        shutil.copytree(repository, folder, dirs_exist_ok=True)
