"""What a tenant's plan limits in this revision alone: connections that listen."""

from tests.protocol.harness import Harness
from tests.protocol.requirements import requirement
from tests.protocol.rev_2026_07_28.client import Client


@requirement("B-SUB-1", "B-SUB-4")
def test_who_listens_over_the_limit_of_connections_is_answered_at_once_and_loses_nothing(
    harness: Harness, ada: Client
) -> None:
    task_id = ada.start()
    harness.limit(held_waits=0)
    listening = {"notifications": {"taskIds": [task_id]}}

    quiet = ada.send_request("subscriptions/listen", listening)
    harness.run(task_id)
    told = ada.send_request("subscriptions/listen", listening)

    assert harness.waiter.pauses == 0
    limit = {"reason": "held_waits", "limit": 0, "remaining": 0, "retryAfter": 5}
    for reply in (quiet, told):
        assert (reply.status, reply.events[0].retry) == (200, 5_000)
        acknowledged = reply.notifications("notifications/subscriptions/acknowledged")
        assert [each["notifications"] for each in acknowledged] == [{"taskIds": [task_id]}]
        assert reply.messages[-1]["result"]["_meta"]["io.github.mcp-task-server/limitReached"] == limit
    assert quiet.notifications("notifications/tasks") == []
    assert [each["status"] for each in told.notifications("notifications/tasks")] == ["completed"]


@requirement("B-SUB-1")
def test_who_listens_to_nothing_that_can_change_needs_no_connection(harness: Harness, ada: Client) -> None:
    harness.limit(held_waits=0)

    reply = ada.send_request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})

    assert [event.retry for event in reply.events] == [None, None]
    assert "io.github.mcp-task-server/limitReached" not in reply.messages[-1]["result"]["_meta"]


@requirement("B-ERR-10")
def test_who_listens_within_the_limit_is_counted_until_that_ends(harness: Harness, ada: Client) -> None:
    task_id = ada.start()
    harness.limit(held_waits=1)
    held: list[int] = []
    harness.waiter.meanwhile = lambda: held.append(harness.ports.held_waits.count("acme"))

    reply = ada.send_request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}})

    assert set(held) == {1}
    assert "io.github.mcp-task-server/limitReached" not in reply.messages[-1]["result"]["_meta"]
    assert harness.ports.held_waits.count("acme") == 0
