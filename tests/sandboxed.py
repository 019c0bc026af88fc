"""Whether this host has a sandbox, a mark for tests that need one, and the server that commands in a test share."""

from __future__ import annotations

import pytest

from autograder.sandbox import jail
from autograder.sandbox.session import ForkServer


def jail_works() -> bool:
    """Whether submissions can run in a jail here."""
    try:
        return bool(jail.user_namespace_modes())
    except jail.NoJail:
        return False


needs_jail = pytest.mark.skipif(not jail_works(), reason="there is no sandbox on this host")


class Borrowed:
    """A fork server that others go on to use: starting one takes seconds, and nothing of one command stays in it."""

    def __init__(self, server: ForkServer):
        self._server = server

    def __getattr__(self, name: str):
        return getattr(self._server, name)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        pass

    def wait_until_ready(self) -> None:
        pass
