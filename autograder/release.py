"""Writes the exercises: ``python -m autograder.release``. See ``autograder.lms.release``."""

import sys

from autograder.lms.release import main

if __name__ == "__main__":
    sys.exit(main())
