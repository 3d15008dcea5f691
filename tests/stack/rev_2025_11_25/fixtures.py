"""Fixtures: the clients of 2025-11-25 of the deployed server."""

import pytest

from local.stack import Stack
from tests.protocol.rev_2025_11_25.over_http import Client, client


@pytest.fixture
def ada(stack: Stack, subject: str) -> Client:
    """A client of 2025-11-25 with an initialized session."""
    connected = client(stack.url, stack.token("acme", subject))
    connected.initialize()
    return connected
