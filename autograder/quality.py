"""Measures checks and catalogue: ``python -m autograder.quality``. See ``autograder.judging.quality``."""

import sys

from autograder.judging.quality import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
