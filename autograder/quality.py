"""Measures checks and catalogue: ``python -m autograder.quality``. See ``autograder.reports.quality``."""

import sys

from autograder.reports.quality import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
