"""The main job, by a client library that is not ours."""

import pytest

from local.demo import tour
from local.stack import Stack


@pytest.mark.usefixtures("soundly")
def test_an_official_client_finds_every_answer_right(stack: Stack, capfd: pytest.CaptureFixture[str]) -> None:
    ended = tour(stack)

    assert ended == 0, capfd.readouterr().out
