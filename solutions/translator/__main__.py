import sys

from solutions.translator.cli import main

sys.exit(main())
