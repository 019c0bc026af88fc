"""Which version of the course a notebook was released with, so that it is judged by the checks of that version.

A notebook that is given out to a class names the version that its first cell installs, and a digest of the checks of
its unit. Where other checks are installed, those of the public course instead of a private one's above all, `check`
says so instead of judging.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from autograder.course.addresses import ROOT, parts_of, repository_url
from autograder.course.registry import BY_NAME


def requirement(version: str) -> str:
    """What pip installs to have the course in this version, a tag or a commit."""
    return f"git+{repository_url()}@{version}"


def digest_of_checks(unit: str) -> str:
    """A digest of all that decides what is right in a unit; empty for a unit that this course does not have."""
    if unit not in BY_NAME:
        return ""
    parts = parts_of(unit, BY_NAME[unit].language)
    files = [ROOT / parts[part] for part in ("about", "solution", "checks")]
    files.append((ROOT / parts["about"]).with_name("catches.py"))
    files += sorted((ROOT / "autograder" / "units" / "support").glob("*.py"))
    digest = hashlib.sha256()
    for path in filter(Path.is_file, files):
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:16]
