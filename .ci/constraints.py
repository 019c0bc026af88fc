"""Writes constraints.txt from the environment it runs in: the exact set that the tests passed with.

``make constraints``. A release that does not support an older Python of the project's range is pinned only for
those that it does support.
"""

from importlib.metadata import distributions
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

OLDEST = Version("3.10")
NOT_PINNED = {"pip", "setuptools", "wheel", "transformer-workbook"}
HEADER = "# The tested set. Written by `make constraints`; the wide ranges are in requirements.txt.\n"


def pin(name: str, version: str, requires_python: str | None) -> str:
    lowest = max(
        (Version(one.version) for one in SpecifierSet(requires_python or "") if one.operator == ">="), default=OLDEST
    )
    # The whole version: some packages leave out the first bug-fix releases, which distributions still ship.
    marker = "" if lowest <= OLDEST else f'; python_full_version >= "{lowest}"'
    return f"{name}=={Version(version).public}{marker}"


def main() -> None:
    pins = {}
    for dist in distributions():
        name = dist.metadata["Name"].lower().replace("_", "-")
        pins[name] = pin(name, dist.version, dist.metadata["Requires-Python"])
    lines = [pins[name] for name in sorted(pins) if name not in NOT_PINNED]
    (Path(__file__).parent.parent / "constraints.txt").write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
