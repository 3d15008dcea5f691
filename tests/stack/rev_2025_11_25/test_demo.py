"""`make demo`, whose client is the official one of 2025-11-25."""

from collections.abc import Iterator

import pytest

from local.demo import PAGE_SIZE, count_wakers, run_demo
from local.emulator import EXAMPLES
from local.stack import Stack, running_stack
from tests.stack.internals import fallbacks


@pytest.fixture
def stack() -> Iterator[Stack]:
    """A stack that nothing else uses: the demo counts all tasks and approvals of its callers."""
    with running_stack(app=EXAMPLES, tools="examples", page_size=PAGE_SIZE) as stack:
        yield stack


@pytest.mark.slow
@pytest.mark.usefixtures("no_errors_logged")
def test_an_official_client_gets_the_right_answers_without_fallbacks(
    stack: Stack, capfd: pytest.CaptureFixture[str]
) -> None:
    ended = run_demo(stack)

    assert ended == 0, capfd.readouterr().out
    assert count_wakers(stack)["stream"] > 0
    # A client may wait on several streams, and one of them reads the table's.
    assert fallbacks(stack).keys() <= {"tail_taken"}
