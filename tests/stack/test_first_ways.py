"""Most of what the stack does has a second way behind the first: here the first one is taken, or a test fails."""

from collections.abc import Iterator

import pytest

from local.records import records, who_woke
from local.stack import Stack
from tests.protocol.rev_2025_11_25.over_http import Client as OldClient
from tests.protocol.rev_2026_07_28.over_http import Client as NewClient
from tests.protocol.rev_2026_07_28.over_http import client as new_client
from tests.stack.internals import (
    execution_status,
    failures,
    fallbacks,
    invocations,
    without_concurrency,
    without_table_stream,
)
from tests.timeout import until

pytestmark = pytest.mark.usefixtures("no_errors_logged", "first_ways_only")

WAITS = 2
"""The clock looks every few seconds too, and may, once in a few hundred times, be the first to see a change."""


@pytest.fixture
def first_ways_only(stack: Stack) -> Iterator[None]:
    """Fail a test during which anything was done by a second way."""
    before = fallbacks(stack)
    yield

    taken = fallbacks(stack) - before
    assert not taken, [each for each in records(stack.client("logs")) if each.get("fallback") in taken]


@pytest.fixture
def client_2026(stack: Stack, subject: str) -> NewClient:
    """Somebody who knows tasks, and can be asked."""
    return new_client(stack.url, stack.token("acme", subject))


def test_functions_start_with_bytecode_and_without_importing_tools_at_the_endpoint(
    stack: Stack, ada: OldClient
) -> None:
    ada.outcome(ada.start("repeat", text="hello"))

    # All that were started so far, in whichever test.
    assert not fallbacks(stack).keys() & {"compiled_from_source", "tools_imported"}


def test_who_waits_alone_is_woken_by_the_stream(stack: Stack, ada: OldClient) -> None:
    ends = []
    for _ in range(WAITS):
        task_id = ada.start("remind_me", after_seconds=2)
        ada.outcome(task_id)
        ends.append(who_woke(stack.client("logs"), task_id)[-1:])

    assert ["stream"] in ends, ends


def test_work_starts_goes_on_and_stops_though_nobody_hears_the_tables_stream(
    stack: Stack, client_2026: NewClient
) -> None:
    consent = {"really": {"action": "accept", "content": {"really": True}}}
    with without_table_stream(stack):
        heard = invocations(stack)["on_task_change"]
        asking, cancelled = client_2026.start("await_consent"), client_2026.start("await_consent")
        until(
            lambda: (
                client_2026.tasks_get(asking)["status"]
                == client_2026.tasks_get(cancelled)["status"]
                == "input_required"
            )
        )
        client_2026.result("tasks/update", taskId=asking, inputResponses=consent)
        client_2026.result("tasks/cancel", taskId=cancelled)
        until(lambda: client_2026.tasks_get(asking)["status"] == "completed")
        until(lambda: execution_status(stack, cancelled) == "ABORTED")

        assert invocations(stack)["on_task_change"] == heard


def test_a_task_waits_out_a_function_that_has_no_room_and_is_then_run(stack: Stack, client_2026: NewClient) -> None:
    with without_concurrency(stack, "run_tool"):
        task_id = client_2026.start("repeat", text="at last")
        until(lambda: len(failures(stack, task_id)) == 2)
        waiting = client_2026.tasks_get(task_id)["status"]
    until(lambda: client_2026.tasks_get(task_id)["status"] == "completed")

    assert waiting == "working"
    assert client_2026.tasks_get(task_id)["result"]["content"] == [{"type": "text", "text": "at last"}]
    assert set(failures(stack, task_id)) == {"Lambda.TooManyRequestsException"}
