"""For ``nbgrader_config.py``: ``from autograder.nbgrader import configure`` (see ``autograder.lms.nbgrader``).

And for ``nbgrader export --exporter=autograder.nbgrader.Canvas``, `Moodle` or `Csv` (see ``autograder.lms.export``).
"""

from autograder.lms.export import Canvas, Csv, Moodle
from autograder.lms.nbgrader import configure

__all__ = ["Canvas", "Csv", "Moodle", "configure"]
