"""Attacks meet a fork server that has imported all that one may import, torch's compiler included."""

from __future__ import annotations

import pytest

from autograder.sandbox.session import ForkServer


@pytest.fixture(scope="module")
def jailed():
    with ForkServer(jailed=True) as server:
        server.wait_until_ready()
        yield server
