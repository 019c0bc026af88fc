"""nbgrader in a locale that is not UTF-8, such as ``LC_ALL=C``, in which Python cannot decode many names of folders."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def restart() -> None:
    """Start ``nbgrader`` anew with names in UTF-8, if they are in another encoding: its database takes only UTF-8."""
    is_nbgrader = "nbgrader" in Path(sys.argv[0]).parts[-2:]  # and not a server that has loaded it
    if is_nbgrader and sys.getfilesystemencoding() != "utf-8":
        os.environ["PYTHONUTF8"] = "1"  # for processes that it starts
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
