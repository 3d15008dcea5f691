"""What the soak takes for left over is there while a task lives, on the emulator, and gone once it has ended."""

from collections.abc import Iterator

import pytest

from local.emulator import EXAMPLES
from local.stack import Stack, running_stack
from mcp_tasks.testing.harness import REVISIONS
from tests.soak.crowd import Tally, client_of
from tests.soak.leftovers import leftovers
from tests.timeout import until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with running_stack(app=EXAMPLES, tools="tests.soak.sample_tools") as stack:
        yield stack


@pytest.mark.parametrize(
    ("tool", "arguments", "signs"),
    [
        ("nap", {"seconds": 600}, {"task", "active", "execution"}),
        ("toil", {"seconds": 600}, {"task", "active", "execution", "running"}),
        ("propose", {}, {"task", "active", "execution", "inbox"}),
    ],
)
def test_a_task_that_lives_is_left_over_in_all_its_parts(
    stack: Stack, tool: str, arguments: dict[str, object], signs: set[str]
) -> None:
    client = client_of(stack, "acme", f"ada-{tool}", REVISIONS[0], Tally())
    task = client.start_task(tool, {"label": "x", **arguments})

    until(lambda: {sign for sign in signs if any(sign in line for line in leftovers(stack))} == signs)
    task.cancel()
    until(lambda: not list(leftovers(stack)))
