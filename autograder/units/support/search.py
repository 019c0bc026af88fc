"""Looking for inputs with a property, such as texts without ties: drawn again and again, up to a limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def first_found(draw: Callable[[], Found | None], attempts: int = 100_000) -> Found:
    """What ``draw`` returns the first time that it is not ``None``."""
    for _ in range(attempts):
        found = draw()
        if found is not None:
            return found
    raise LookupError(f"No suitable input was found in {attempts} attempts.")
