"""nbgrader for this course: everything it makes goes to ``_build/nbgrader``; ``--course-dir`` names another folder."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from autograder.nbgrader import configure  # noqa: E402

configure(get_config(), root=ROOT / "_build" / "nbgrader")  # noqa: F821
