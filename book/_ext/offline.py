"""Serve mathematics from the site itself: copy MathJax out of an installed package into the build.

Only one component (TeX in, HTML with web fonts out) and its fonts are copied, 1.7 MB of the package's 24.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

PACKAGE = "sphinx-mathjax-offline"
COMPONENT = "tex-chtml-full.js"
FONTS = "output/chtml/fonts/woff-v2"


def copy_mathjax(app: Sphinx) -> None:
    """Put MathJax where ``mathjax_path`` points, before any page is written."""
    if app.builder.format != "html":
        return
    source, target = mathjax_folder(), Path(app.outdir) / "_static" / "mathjax"
    files = [source / COMPONENT, *sorted((source / FONTS).glob("*.woff"))]
    for file in files:
        _copy(file, target / file.relative_to(source))


def mathjax_folder() -> Path:
    """The folder of MathJax 3 in the installed package; raises `ExtensionError` when there is none."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ExtensionError(f"MathJax is missing: run `pip install {PACKAGE}`.")
    return Path(spec.origin).parent / "static" / "mathjax"


def _copy(source: Path, target: Path) -> None:
    if target.is_file() and target.stat().st_size == source.stat().st_size:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
