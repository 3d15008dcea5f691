"""Fixtures: the clients of 2026-07-28 of the deployed server."""

import pytest

from local.stack import Stack
from tests.protocol.rev_2026_07_28.over_http import Client, client


@pytest.fixture
def client_2026(stack: Stack, subject: str) -> Client:
    """A client of 2026-07-28 that declares tasks and elicitation."""
    return client(stack.url, stack.token("acme", subject))
