"""The files that other systems get, such as Gradescope and GitHub Classroom, as templates."""

from __future__ import annotations

from pathlib import Path

import jinja2

TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent),
    undefined=jinja2.StrictUndefined,
    keep_trailing_newline=True,
)
