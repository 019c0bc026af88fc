"""Which version of the course a notebook was released with, so that it is judged by the checks of that version.

A notebook that is given out to a class names the version that its first cell installs, and a digest of the checks of
its unit. Where other checks are installed, those of the public course instead of a private one's above all, `check`
says so instead of judging.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from importlib.metadata import distribution
from pathlib import Path

from autograder.course.addresses import ROOT, is_checkout, parts_of, repository_url
from autograder.course.registry import BY_NAME


def requirement(version: str) -> str:
    """What pip installs to have the course in this version, a tag or a commit."""
    return f"git+{repository_url()}@{version}"


def pinned(version: str | None = None) -> str:
    """What pip installs to have the course in a version, by default in the one that runs now."""
    return requirement(version or this_version())


def local_wheel(package: str) -> Path | None:
    """The wheel on this machine that is named instead of something to download, whether it exists or not."""
    return Path(package) if package.endswith(".whl") and "://" not in package else None


def this_version() -> str:
    """The commit of this checkout, or the one that pip installed; where none is known, the tag of the version."""
    installed = distribution("transformer-workbook")
    if is_checkout():
        command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return f"v{installed.version}"
    origin = json.loads(installed.read_text("direct_url.json") or "{}")  # written by pip, see PEP 610
    return origin.get("vcs_info", {}).get("commit_id") or f"v{installed.version}"


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
