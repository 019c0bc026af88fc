"""Makes and grades the sample class: ``python -m autograder.sample_class``. See ``autograder.lms.sample_class``."""

import sys

from autograder.lms.sample_class import main

if __name__ == "__main__":
    sys.exit(main())
