"""No body holds the deployed server up for longer than an honest one of its size would, twice over at most."""

import pytest

from local.http_client import HttpClient
from local.stack import Stack
from tests.protocol.rev_2026_07_28.hostile import overpriced


@pytest.mark.parametrize("size", [200_000, pytest.param(5_000_000, marks=pytest.mark.slow)])
def test_a_hostile_body_is_answered_as_soon_as_an_honest_one(stack: Stack, subject: str, size: int) -> None:
    http = HttpClient(stack.url, stack.token("acme", subject))

    assert overpriced(http.send, size) == {}
