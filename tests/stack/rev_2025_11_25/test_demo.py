"""`make demo`, whose client is the official one of 2025-11-25."""

import pytest

from local.demo import count_wakers, run_demo
from local.stack import Stack
from tests.stack.internals import fallbacks


@pytest.mark.slow
@pytest.mark.usefixtures("no_errors_logged")
def test_an_official_client_gets_the_right_answers_without_fallbacks(
    stack: Stack, capfd: pytest.CaptureFixture[str]
) -> None:
    waits, others = count_wakers(stack), fallbacks(stack)
    ended = run_demo(stack)

    assert ended == 0, capfd.readouterr().out
    assert (count_wakers(stack) - waits)["stream"] > 0
    # A client may wait on several streams, and one of them reads the table's.
    assert (fallbacks(stack) - others).keys() <= {"tail_taken"}
