"""The text that the course's small language models learn from."""

import gzip
from pathlib import Path


def jargon():
    """The Jargon File (version 4.4.7, public domain) as plain ASCII, one entry on a line: ``name: its sentences``.

    Where it comes from and what was left out: ``README.md`` and ``make_jargon.py`` beside this file.
    """
    return gzip.decompress(Path(__file__).with_name("jargon.txt.gz").read_bytes()).decode("ascii")
