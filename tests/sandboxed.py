"""Whether this host has a sandbox, and a mark for tests that need one."""

from __future__ import annotations

import pytest

from autograder.sandbox import jail


def jail_works() -> bool:
    """Whether submissions can run in a jail here."""
    try:
        return bool(jail.user_namespace_modes())
    except jail.NoJail:
        return False


needs_jail = pytest.mark.skipif(not jail_works(), reason="there is no sandbox on this host")
