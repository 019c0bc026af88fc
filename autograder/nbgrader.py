"""For ``nbgrader_config.py``: ``from autograder.nbgrader import configure`` (see ``autograder.lms.nbgrader``)."""

from autograder.lms.nbgrader import configure

__all__ = ["configure"]
