"""Which version of the course a notebook was released with, so that it is judged by the checks of that version.

A notebook that is given out to a class names the version that its first cell installs, and a digest of the checks of
its unit. If other checks are installed, for example those of the public course instead of a private one's, `check`
reports that instead of judging. A notebook of a public release names digests of its tasks instead: they are judged, and
`check` names those that have changed since.
"""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
from importlib.metadata import distribution
from pathlib import Path

from autograder.course.addresses import ROOT, is_checkout, parts_of, repository_url
from autograder.course.catalogue import in_c, stub_of
from autograder.course.registry import BY_NAME, is_catch
from autograder.course.source import kernels_of


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


def digests_of_tasks(unit: str) -> str:
    """What each task of a unit asks for, as ``NAME-DIGEST`` with blanks between: its specification and its checks.

    Code that several checks share is not part of a digest, and may change without changing it.
    """
    checks = (ROOT / parts_of(unit)["checks"]).read_text(encoding="utf-8")
    functions = [node for node in ast.parse(checks).body if isinstance(node, ast.FunctionDef)]
    found = []
    for task, name in zip(BY_NAME[unit].task_ids, BY_NAME[unit].names):
        own = [node for node in functions if any(repr(task) in ast.unparse(one) for one in node.decorator_list)]
        asked = _specification(task) + "".join(ast.get_source_segment(checks, node) or "" for node in own)
        found.append(f"{name}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}")
    return " ".join(found)


def changed_tasks(unit: str, digests: str) -> list[str]:
    """The tasks of the installed course that differ from these digests of `digests_of_tasks`, or are new."""
    if unit not in BY_NAME:
        return []
    before = set(digests.split())
    return [f"{unit}.{one.rpartition('-')[0]}" for one in digests_of_tasks(unit).split() if one not in before]


def _specification(task: str) -> str:
    """The stub that a learner gets; for a catch-it task, also the mistakes to catch."""
    unit, _, name = task.partition(".")
    if in_c(task):
        kernel = kernels_of((ROOT / parts_of(unit, "c")["solution"]).read_text(encoding="utf-8"))[name]
        return kernel.partition("{")[0]
    catches = (ROOT / parts_of(unit)["about"]).with_name("catches.py")
    return stub_of(unit, name) + (catches.read_text(encoding="utf-8") if is_catch(task) else "")
