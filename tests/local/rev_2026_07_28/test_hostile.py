"""No body holds `make serve` up for longer than an honest one of its size would, twice over at most."""

import pytest

from local.http_client import HttpClient
from tests.protocol.rev_2026_07_28.hostile import overpriced
from tests.serving import EXAMPLES, serving


@pytest.mark.parametrize("size", [200_000, pytest.param(5_000_000, marks=pytest.mark.slow)])
def test_a_hostile_body_is_answered_as_soon_as_an_honest_one(size: int) -> None:
    with serving(*EXAMPLES) as printed:
        assert overpriced(HttpClient(printed["url"]).send, size) == {}
